"""Damaged files: whatever became of a file of an evaluation, a command reads it or says in one line which it is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from tests.cli.running import call, called
from tests.waiting import not_stuck

import adjudge
from adjudge.core.errors import DataError, FormatError
from adjudge.data import scorefiles
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.evaluation import Evaluation

OWN = """\
name = "mine"
version = "1"
kind = "rating"
title = "My own"

[[aspects]]
key = "wit"
ask = "How witty is it?"
choices = [{ value = 1, label = "dull" }, { value = 2, label = "witty" }]
"""
READING = (
    ("check", "E"),
    ("show", "E"),
    ("scores", "E"),
    ("compare", "E", "-m", "rouge-1"),
    ("judgments", "list", "E"),
)
FILES = (
    "evaluation.toml",
    "topics.jsonl",
    "systems.jsonl",
    "documents.jsonl",
    "summaries.jsonl",
    "units.jsonl",
    "judgments.sqlite",
    "scores/*.parquet",
    "protocols/*.toml",
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small evaluation with something in every file, judgments by a protocol of one's own, and scores."""
    path = tmp_path_factory.mktemp("sound") / "e"
    e = Evaluation.init(path)
    texts = {"a": "A storm hit the coast.", "b": "Rain fell on the town.", "ref": "A storm hit the town."}
    rows = [
        *(Topic(topic, title=f"Storm {topic}") for topic in ("t1", "t2")),
        *(System(system, kind="human" if system == "ref" else "machine") for system in texts),
        *(Document(topic, "d1", "A storm hit the town on the coast.") for topic in ("t1", "t2")),
        *(
            Summary(topic, system, text, roles=("reference",) if system == "ref" else ("peer",))
            for topic in ("t1", "t2")
            for system, text in texts.items()
        ),
    ]
    e.take(("test", row) for row in rows)
    e.units()
    (path / "protocols").mkdir()
    (path / "protocols" / "mine.toml").write_text(OWN)
    e.simulate_judgments("mine", assessors=2)
    e.score("rouge-1", "rating(aspect=wit)")
    return path


@pytest.fixture
def e(sound: Path, tmp_path: Path) -> Path:
    return copytree(sound, tmp_path / "e")


def read(e: Path, commands: tuple[tuple[str, ...], ...] = READING) -> None:
    """Every command ends well, or with one line."""
    for words in commands:
        try:
            with not_stuck(" ".join(words)):
                done = called(e.parent, *(str(e) if word == "E" else word for word in words))
        except Exception as error:
            pytest.fail(f"{words}: {type(error).__name__}: {error}")
        said = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        assert done.returncode in (0, 1, 2), words
        lines = (
            (0, 1) if words[0] == "check" else (0,) if done.returncode == 0 else (1,)
        )  # check has findings
        assert len(said) in lines, (words, done.returncode, said)


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replaced_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def unreadable(path: Path) -> None:
    path.chmod(0)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "not UTF-8": lambda path: path.write_bytes(b"\xff\xfe" + path.read_bytes()),
    "digits": lambda path: path.write_bytes(b"x = " + b"9" * 5000),
    "JSON digits": lambda path: path.write_bytes(b'{"topic": ' + b"9" * 5000 + b"}"),
    "nested": lambda path: path.write_bytes(b"x = " + b"[" * 100_000),
    "a folder": replaced_by_folder,
    "a pipe": replaced_by_pipe,
    "unreadable": unreadable,
    "twice": lambda path: path.write_bytes(path.read_bytes() * 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_named_in_one_line(e: Path, name: str, damage: str) -> None:
    DAMAGE[damage](next(iter(e.glob(name))))
    read(e)


@pytest.mark.parametrize("name", FILES)
def test_some_damage_to_every_file(sound: Path, tmp_path: Path, name: str, rng: random.Random) -> None:
    for damage in rng.sample(sorted(DAMAGE), 4):
        print(damage)
        e = copytree(sound, tmp_path / damage)
        DAMAGE[damage](next(iter(e.glob(name))))
        read(e)


@pytest.mark.parametrize("name", FILES)
def test_flipped_bits_are_read_or_named_in_one_line(e: Path, name: str) -> None:
    path = next(iter(e.glob(name)))
    content = path.read_bytes()
    rng = random.Random(name)
    commands = READING[1:2] if path.suffix == ".jsonl" else READING[2:]
    for _ in range(int(os.environ.get("ADJUDGE_FLIPS", "6"))):
        flipped = bytearray(content)
        for _ in range(rng.choice((1, 1, 3))):
            flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        read(e, commands)


def test_no_flipped_bit_changes_a_score_in_silence(sound: Path, tmp_path: Path) -> None:
    """Page checksums and a digest of what is read: a file is refused, or says what it said."""
    (source,) = sound.glob("scores/rouge-1*")
    content, expected = source.read_bytes(), scorefiles.read(source)
    path = tmp_path / source.name
    rng = random.Random(1)
    refused = 0
    for _ in range(400):
        flipped = bytearray(content)
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        try:
            found = scorefiles.read(path)
        except FormatError as error:
            refused += 1
            assert "\n" not in str(error)
            assert path.name in str(error)
            continue
        assert found.table.frame.equals(expected.table.frame)
        assert (found.info, found.inputs, found.origin) == (expected.info, expected.inputs, expected.origin)
    assert refused > 100


def test_a_score_file_without_a_digest_is_read_as_before(sound: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    (source,) = sound.glob("scores/rouge-1*")
    table = pq.read_table(source)
    kept = {key: value for key, value in table.schema.metadata.items() if key != b"adjudge-digest"}
    pq.write_table(table.replace_schema_metadata(kept), tmp_path / "old.parquet")
    assert scorefiles.read(tmp_path / "old.parquet").table.frame.equals(scorefiles.read(source).table.frame)


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\udcffb", "a\nb", "\u00e9" * 200])
def test_strange_paths_are_one_line(tmp_path: Path, name: str) -> None:
    """In a process of its own where it matters how the terminal encodes a name."""
    run = called if name.isascii() else call
    for words in (("show", name), ("check", name), ("compare", name), ("init", name), ("demo", name)):
        done = run(tmp_path, *words)
        assert "Traceback" not in done.stderr, done.stderr
        if done.returncode:
            assert done.returncode in (1, 2)
            assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        for path in tmp_path.iterdir():
            rmtree(path)


def test_an_evaluation_whose_name_is_not_utf8_works(tmp_path: Path) -> None:
    path = tmp_path / "a\udcffb"
    assert call(tmp_path, "demo", str(path)).returncode == 0
    assert call(tmp_path, "show", str(path)).returncode == 0
    with pytest.raises(DataError):
        adjudge.open(tmp_path / "nowhere")
