"""A folder from a stranger: whatever lies in it, no command reads, changes or makes a file outside it."""

from __future__ import annotations

import json
import logging
import os
import random
import shlex
import shutil
import socket
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import called, examples
from tests.waiting import free_port, not_stuck

from adjudge.core.errors import DataError
from adjudge.data.folder import Folder
from adjudge.data.layout import HISTORY, LOCK, STAGING
from adjudge.data.rows import Summary
from adjudge.data.transaction import JOURNAL, LARGEST_JOURNAL, Transaction
from adjudge.evaluation import Evaluation

SCORE = "scores/rouge-1--0123456789ab.parquet"
COMMANDS = {name: line for name, line in examples().items() if "my-eval" in line}
Hostile = Callable[[Path, Path], object]
"""What a stranger does to a folder, given also a folder that belongs to the user."""


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A stranger's evaluation, and the user's own files beside it."""
    folder, mine = tmp_path / "my-eval", tmp_path / "mine"
    for each in (folder, mine):
        each.mkdir()
    rows = [Summary("t1", system, f"Text of {system}.", roles=("peer",)) for system in "ab"]
    (folder / "summaries.jsonl").write_text("".join(f"{json.dumps(r.as_dict())}\n" for r in rows))
    (mine / "summaries.jsonl").write_text((folder / "summaries.jsonl").read_text().replace("Text", "Secret"))
    (mine / "victim.txt").write_text("mine")
    (mine / "evaluation.toml").write_text('name = "secret"\n')
    sqlite3.connect(mine / "judgments.sqlite").close()
    return folder, mine


def journal(replace: object, remove: object = ()) -> Hostile:
    """A journal, and files to put in place for the names that it has."""

    def made(folder: Path, mine: Path) -> None:
        staging = folder / STAGING
        staging.mkdir()
        for name in replace if isinstance(replace, list) else []:
            if isinstance(name, str) and "\0" not in name and not Path(name).is_absolute():
                (staging / name).parent.mkdir(parents=True, exist_ok=True)
                (staging / name).write_text("theirs")
        text = json.dumps(
            {"replace": replace, "remove": list(remove) if isinstance(remove, tuple) else remove}
        )
        (staging / JOURNAL).write_text(text.replace("MINE", str(mine)))

    return made


def raw(text: str | bytes) -> Hostile:
    def made(folder: Path, mine: Path) -> None:
        (folder / STAGING).mkdir()
        (folder / STAGING / JOURNAL).write_bytes(text.encode() if isinstance(text, str) else text)

    return made


def cleared(path: Path) -> Path:
    """A name under which nothing lies yet."""
    path.parent.mkdir(exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    return path


def link(name: str, target: str) -> Hostile:
    """A name in the folder that leads to the user's files."""

    def made(folder: Path, mine: Path) -> None:
        cleared(folder / name).symlink_to(mine / target)

    return made


def both(first: Hostile, second: Hostile) -> Hostile:
    def made(folder: Path, mine: Path) -> None:
        first(folder, mine)
        second(folder, mine)

    return made


def pipe(name: str) -> Hostile:
    def made(folder: Path, mine: Path) -> None:
        os.mkfifo(cleared(folder / name))

    return made


def staged_link(folder: Path, mine: Path) -> None:
    journal(["topics.jsonl"])(folder, mine)
    (folder / STAGING / "topics.jsonl").unlink()
    (folder / STAGING / "topics.jsonl").symlink_to(mine / "victim.txt")


def staged_pipe(folder: Path, mine: Path) -> None:
    journal(["topics.jsonl"])(folder, mine)
    (folder / STAGING / "topics.jsonl").unlink()
    os.mkfifo(folder / STAGING / "topics.jsonl")


def staged_folder_of_links(folder: Path, mine: Path) -> None:
    journal([])(folder, mine)
    (folder / STAGING / JOURNAL).write_text(json.dumps({"replace": [SCORE], "remove": []}))
    (mine / SCORE).parent.mkdir()
    (mine / SCORE).write_text("mine")
    (folder / STAGING / "scores").symlink_to(mine / "scores")


def staging_elsewhere(folder: Path, mine: Path) -> None:
    (mine / JOURNAL).write_text(json.dumps({"replace": ["summaries.jsonl"], "remove": []}))
    (folder / STAGING).symlink_to(mine)


HOSTILE: dict[str, Hostile] = {
    "replace by absolute path": journal(["MINE/victim.txt"]),
    "replace above": journal(["../mine/victim.txt"]),
    "replace above, through scores": journal(["scores/../../mine/victim.txt"]),
    "replace with dots that stay": journal(["./topics.jsonl"]),
    "replace a name with a backslash": journal(["..\\mine\\victim.txt"]),
    "replace a name with NUL": journal(["topics.jsonl\0"]),
    "replace the settings": journal(["evaluation.toml"]),
    "replace the lock": journal([LOCK]),
    "replace the database": journal(["judgments.sqlite"]),
    "replace a file twice": journal(["topics.jsonl", "topics.jsonl"]),
    "replace and remove a file": journal(["topics.jsonl"], ("topics.jsonl",)),
    "remove by absolute path": journal([], ("MINE/victim.txt",)),
    "remove above": journal([], ("../mine/victim.txt",)),
    "remove the journal": journal([], (f"{STAGING}/{JOURNAL}",)),
    "names that are numbers": journal([1, None, ["a"]]),
    "a text of names": journal("summaries.jsonl"),
    "no list": journal({"topics.jsonl": 1}, 7),
    "not JSON": raw("{"),
    "no object": raw("[]"),
    "null": raw("null"),
    "empty": raw(""),
    "a key twice": raw('{"replace": [], "remove": [], "replace": ["/etc/passwd"]}'),
    "another key": raw('{"replace": [], "remove": [], "run": "rm"}'),
    "add to the history from above": raw(
        '{"replace": [], "remove": [], "history": {"add": "../../mine", "drop": []}}'
    ),
    "drop from above": raw('{"replace": [], "remove": [], "history": {"add": null, "drop": ["../../mine"]}}'),
    "drop the folder": raw('{"replace": [], "remove": [], "history": {"add": null, "drop": ["."]}}'),
    "a history that is a list": raw('{"replace": [], "remove": [], "history": ["000001"]}'),
    "a history with another key": raw(
        '{"replace": [], "remove": [], "history": {"add": null, "drop": [], "run": "rm"}}'
    ),
    "the history is a link": link(".history", "."),
    "the history is a pipe": pipe(".history"),
    "a staged entry is a link": both(
        raw('{"replace": [], "remove": [], "history": {"add": "000001", "drop": []}}'),
        link(f"{STAGING}/.history", "."),
    ),
    "a key missing": raw('{"replace": []}'),
    "not UTF-8": raw(b'{"replace": ["\xff"], "remove": []}'),
    "nested deeply": raw("[" * 100_000),
    "a number of many digits": raw('{"replace": [' + "9" * 5_000 + '], "remove": []}'),
    "huge": raw(b" " * (LARGEST_JOURNAL + 1)),
    "a staged file is a link": staged_link,
    "a staged file is a pipe": staged_pipe,
    "the staged scores are a link": staged_folder_of_links,
    "the scores are a link": both(link("scores", "."), journal([SCORE])),
    "the scores are a link that leads nowhere": both(link("scores", "new"), journal([SCORE])),
    "staging is a link": staging_elsewhere,
    "staging is a link that leads nowhere": link(STAGING, "new"),
    "the journal is a link": both(raw(""), link(f"{STAGING}/{JOURNAL}", "victim.txt")),
    "the journal is a pipe": both(raw(""), pipe(f"{STAGING}/{JOURNAL}")),
    "the lock is a link": link(LOCK, "victim.txt"),
    "the lock is a link that leads nowhere": link(LOCK, "new"),
    "the lock is a pipe": pipe(LOCK),
    "texts are a link": link("summaries.jsonl", "summaries.jsonl"),
    "texts are a link that leads nowhere": both(link("topics.jsonl", "new"), link("units.jsonl", "new2")),
    "texts are a pipe": pipe("documents.jsonl"),
    "settings are a link": link("evaluation.toml", "evaluation.toml"),
    "settings are a link that leads nowhere": link("evaluation.toml", "new"),
    "the log of changes is a link": link("changes.jsonl", "victim.txt"),
    "judgments are a link": link("judgments.sqlite", "judgments.sqlite"),
    "judgments are a link that leads nowhere": link("judgments.sqlite", "new"),
    "the database's log is a link": link("judgments.sqlite-wal", "victim.txt"),
    "a pending change is a link": link(".tasks.json", "victim.txt"),
    "a score file is a link": link(SCORE, "victim.txt"),
    "a protocol is a link": link("protocols/own.toml", "evaluation.toml"),
}


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}


@pytest.mark.parametrize("name", HOSTILE)
def test_opening_a_hostile_folder_is_refused_in_one_line(place: tuple[Path, Path], name: str) -> None:
    folder, mine = place
    HOSTILE[name](folder, mine)
    before = everything(mine)
    names = {path.name for path in folder.iterdir()}
    with pytest.raises(DataError) as refused:
        Folder.open(folder)
    assert "\n" not in str(refused.value)
    assert "emove" in str(refused.value) or "put the" in str(refused.value)
    with pytest.raises(DataError), Transaction(folder):
        pass
    assert everything(mine) == before
    assert {path.name for path in folder.iterdir()} - names <= {LOCK}


WORST = (
    "replace by absolute path",
    "replace above, through scores",
    "remove above",
    "the scores are a link",
    "staging is a link",
    "the lock is a link that leads nowhere",
    "texts are a link",
    "judgments are a link",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_touches_a_file_outside(place: tuple[Path, Path], command: str) -> None:
    folder, mine = place
    clean = everything(folder)
    for name in WORST:
        HOSTILE[name](folder, mine)
        before = everything(mine)
        done = called(folder.parent, *shlex.split(COMMANDS[command])[1:])
        assert done.returncode in (1, 2), (name, done.stdout)
        assert "Traceback" not in done.stderr
        assert everything(mine) == before, name
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for kept, content in clean.items():
            (folder / kept).write_bytes(content or b"")


def test_making_an_evaluation_follows_no_link(place: tuple[Path, Path]) -> None:
    folder, mine = place
    (folder / "summaries.jsonl").unlink()
    link("evaluation.toml", "new")(folder, mine)
    before = everything(mine)
    with pytest.raises(DataError, match=r"evaluation\.toml: is a link"):
        Folder.init(folder)
    assert everything(mine) == before


def test_a_history_of_links_is_dropped_and_not_followed(place: tuple[Path, Path]) -> None:
    folder, mine = place
    (folder / ".history").mkdir()
    (folder / ".history" / "000001").symlink_to(mine)
    (folder / ".history" / "000002").mkdir()
    (folder / ".history" / "000002" / "scores").symlink_to(mine)
    drop = '{"replace": [], "remove": [], "history": {"add": null, "drop": ["000001", "000002", "000003"]}}'
    raw(drop)(folder, mine)
    before = everything(mine)
    Folder.open(folder)
    assert list((folder / ".history").iterdir()) == []
    assert everything(mine) == before


def test_a_journal_of_ones_own_is_still_finished(place: tuple[Path, Path]) -> None:
    folder, mine = place
    journal(["topics.jsonl", SCORE], ("units.jsonl",))(folder, mine)
    (folder / "units.jsonl").write_text("")
    (folder / STAGING / "topics.jsonl").write_text('{"topic": "t1"}\n')
    Folder.open(folder)
    assert (folder / "topics.jsonl").exists()
    assert (folder / SCORE).exists()
    assert not (folder / STAGING).exists()
    assert not (folder / "units.jsonl").exists()


# Whole evaluations in which one thing is not as it should be: every command works, or ends with one line


def file(name: str, content: str | bytes) -> Hostile:
    """A file of a stranger's; MINE is where the user's own files are."""

    def made(folder: Path, mine: Path) -> None:
        raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        cleared(folder / name).write_bytes(raw.replace(b"MINE", bytes(mine)))

    return made


def more(name: str, line: str | bytes) -> Hostile:
    """A line more at the end of a file."""

    def made(folder: Path, mine: Path) -> None:
        before = (folder / name).read_bytes() if (folder / name).exists() else b""
        file(name, before + (line.encode() if isinstance(line, str) else line) + b"\n")(folder, mine)

    return made


def settings(line: str) -> Hostile:
    return more("evaluation.toml", line)


def a_folder(name: str) -> Hostile:
    return lambda folder, mine: cleared(folder / name).mkdir()


def a_device(folder: Path, mine: Path) -> None:
    """Zeros without end; a pipe where only root may make devices."""
    path = cleared(folder / "topics.jsonl")
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except OSError:
        os.mkfifo(path)


def a_socket(folder: Path, mine: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server, chdir(folder):
        cleared(folder / "topics.jsonl")
        server.bind("topics.jsonl")


def a_summary(**values: object) -> Hostile:
    row = {"topic": "t1", "system": "z", "text": "A text.", "roles": ["peer"], **values}
    return more("summaries.jsonl", json.dumps(row))


def an_entry(files: object, **values: object) -> Hostile:
    """A change in the history, with these files."""
    change = {"command": "adjudge import", "at": "2024-01-01T00:00:00Z", "counts": {}, "undone": False}
    text = json.dumps({**change, "edit": None, "unkept": None, "files": files, **values})

    def made(folder: Path, mine: Path) -> None:
        entry = folder / HISTORY / "000099"
        entry.mkdir(parents=True, exist_ok=True)
        (entry / "change.json").write_text(text.replace("MINE", str(mine)))

    return made


def scores(change: Callable[[bytes], bytes], name: str | None = None) -> Hostile:
    """The file of scores with other bytes, or under another name."""

    def made(folder: Path, mine: Path) -> None:
        (path,) = (folder / "scores").glob("*.parquet")
        content = change(path.read_bytes())
        path.unlink()
        (path.with_name(name) if name else path).write_bytes(content)

    return made


def other_numbers(folder: Path, mine: Path) -> None:
    """Scores that are not those whose digest the file has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (path,) = (folder / "scores").glob("*.parquet")
    table = pq.read_table(path)
    place = table.schema.get_field_index("value")
    column = pa.array([9.0] * len(table), table.schema.field(place).type)
    changed = table.set_column(place, table.schema.field(place), column)
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)


def sql(script: str) -> Hostile:
    """Judgments after a stranger's script."""

    def made(folder: Path, mine: Path) -> None:
        with closing(sqlite3.connect(folder / "judgments.sqlite")) as database:
            database.executescript(script.replace("MINE", str(mine)))

    return made


DIGEST = "0" * 32
ESCAPES = "\x1b]0;gotcha\x07"
WITHIN: dict[str, Hostile] = {
    "texts are a device": a_device,
    "texts are a socket": a_socket,
    **{
        f"{name} is a folder": a_folder(name)
        for name in ("topics.jsonl", "evaluation.toml", "judgments.sqlite", "changes.jsonl", LOCK, SCORE)
    },
    "a line without an end": file("documents.jsonl", b"x" * (80 << 20)),
    "a topic above": a_summary(topic="../../mine"),
    "a system above": a_summary(system="../mine/victim.txt"),
    "a system that is a path": a_summary(system="MINE/victim.txt"),
    "a system with escapes": a_summary(system=f"z{ESCAPES}"),
    "a topic with a line break": a_summary(topic="t1\nadjudge: all is well"),
    "a text with escapes": a_summary(text=f"A text.{ESCAPES}"),
    "a text of half a character": more(
        "summaries.jsonl", '{"topic": "t1", "system": "z", "text": "\\ud800"}'
    ),
    "a text with NUL": a_summary(text="A\0text"),
    "a very long name": a_summary(system="z" * 100_000),
    "a length without end": a_summary(length=10**400),
    "a length below nothing": a_summary(length=-1),
    "many roles": a_summary(roles=["peer"] * 100_000),
    "nested rows": more("summaries.jsonl", '{"topic": ' + "[" * 50_000),
    "names that differ in case": lambda folder, mine: shutil.copy(
        folder / "summaries.jsonl", folder / "Summaries.JSONL"
    ),
    "systems that differ in case": a_summary(system="A"),
    "topics that are not there": more("topics.jsonl", '{"topic": "t9", "after": "t8"}'),
    "topics in a ring": more("topics.jsonl", '{"topic": "t9", "after": "t9"}'),
    "a log of changes that is none": file("changes.jsonl", b"\xff\x00{]"),
    "a database that is none": file("judgments.sqlite", b"hello" * 1000),
    "a database that is empty": file("judgments.sqlite", b""),
    "a database with a head alone": file("judgments.sqlite", b"SQLite format 3\0" + bytes(84)),
    "a database without tables": sql("PRAGMA writable_schema = ON; DELETE FROM sqlite_master;"),
    "a log of the database that is none": file("judgments.sqlite-wal", b"\x37\x7f\x06\x82" + b"x" * 5000),
    "a database from the future": sql("UPDATE alembic_version SET version_num = '9999';"),
    "people with escapes": sql(f"UPDATE person SET name = 'x{ESCAPES}';"),
    "tasks of no topic": sql("UPDATE task SET topic = '../../mine';"),
    "a change of tasks that is none": file(".tasks.json", "{"),
    "a change of tasks from above": file(
        ".tasks.json", '{"what": "rename", "system": "../mine", "to": "MINE"}'
    ),
    "an import that is none": file(".judgments.jsonl", b"\xff{"),
    "an import from above": file(".judgments.jsonl", '{"kind": "task", "id": "../../mine"}'),
    "scores that are none": scores(lambda content: b"PAR1hello" * 100 + b"PAR1"),
    "scores that are cut": scores(lambda content: content[: len(content) // 2]),
    "scores of other numbers": other_numbers,
    "scores under another name": scores(bytes, "rouge-9--0123456789ab.parquet"),
    "scores with odd names": scores(bytes, "..--.parquet"),
    "scores with escapes": scores(bytes, f"rouge-1{ESCAPES}--0123456789ab.parquet"),
    "a judge that is none": file("judges/x--0123456789ab.json", b"\xff"),
    "a judge from above": file("judges/x--0123456789ab.json", '{"name": "../../mine", "protocol": "MINE"}'),
    "a protocol that is none": file("protocols/own--0123456789ab.toml", "= ="),
    "a protocol with an odd name": file("protocols/..toml", 'name = "../../mine"\n'),
    "a protocol with escapes": file("protocols/own.toml", 'name = "x\\u001b]0;gotcha"\nkind = "rating"\n'),
    "a protocol from above": settings('protocol = "../mine/evaluation"'),
    "a protocol by its path": settings('protocol = "MINE/evaluation.toml"'),
    "a protocol of numbers": settings("protocol = [1, 2]"),
    "a database by its path": settings('database = "MINE/judgments.sqlite"'),
    "a database by an address of SQLite": settings('database = "sqlite:///MINE/judgments.sqlite"'),
    "a database elsewhere": settings('database = "postgresql://127.0.0.1:9/x"'),
    "a database by a socket": settings('database = "postgresql:///x?host=MINE"'),
    "a database by a service": settings('database = "postgresql:///?service=mine&passfile=MINE/victim.txt"'),
    "a database that is a number": settings("database = 7"),
    "a name with escapes": settings('name = "x\\u001b]0;gotcha"'),
    "a language from above": settings('language = "../../mine/evaluation"'),
    "settings twice": settings('name = "a"\nname = "b"'),
    "settings that nobody knows": settings('[plugins]\nrun = "rm -rf /"'),
    "settings of many digits": settings(f"lengths = [{'9' * 5000}]"),
    "an entry above": an_entry({"../mine/victim.txt": [None, None]}),
    "an entry by its path": an_entry({"MINE/victim.txt": [{"size": 4, "digest": DIGEST}, None]}),
    "an entry of the settings": an_entry({"evaluation.toml": [{"size": 4, "digest": DIGEST}, None]}),
    "an entry with another digest": an_entry({"topics.jsonl": [{"size": 1, "digest": DIGEST}, None]}),
    "an entry of no size": an_entry({"topics.jsonl": [{"size": -1, "digest": "x"}, None]}),
    "an entry that is a list": an_entry([["topics.jsonl"]]),
    "an entry with escapes": an_entry({}, command=f"adjudge{ESCAPES}"),
    "an entry with an odd name": lambda folder, mine: (folder / HISTORY / "..99").mkdir(parents=True),
}
EVERYTHING = HOSTILE | WITHIN
RUN = (
    "check E",
    "score E -m rouge-1 -m rouge-2",
    "compare E -m rouge-1",
    "show E",
    "history E",
    "undo E",
    "judgments list E",
    "people list E",
    "serve E",
)


def test_there_are_at_least_67_hostile_folders() -> None:
    assert len(EVERYTHING) == len(HOSTILE) + len(WITHIN) >= 67


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation with texts, judgments, scores and something to undo."""
    e = Evaluation.init(tmp_path_factory.mktemp("whole") / "E")
    texts = {"a": "A storm hit the coast.", "b": "Rain fell.", "ref": "A storm hit the town."}
    e.take(
        ("test", Summary(topic, system, text, roles=("reference",) if system == "ref" else ("peer",)))
        for topic in ("t1", "t2", "t3")
        for system, text in texts.items()
    )
    e.simulate_judgments("rating", assessors=1)
    e.score("rouge-1")
    return e.path


class Eyes:
    """Sees what Python opens and lists."""

    def __init__(self) -> None:
        self.forbidden: str | None = None
        self.seen: list[str] = []
        sys.addaudithook(self.look)

    def look(self, event: str, values: tuple[Any, ...]) -> None:
        if self.forbidden is None or event not in ("open", "os.listdir", "os.scandir", "sqlite3.connect"):
            return
        if isinstance(values[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(values[0]))
            if path.startswith(self.forbidden):
                self.seen.append(f"{event} {path}")


@pytest.fixture(scope="module")
def eyes() -> Eyes:
    """A hook cannot be taken away again: there is one, which mostly sleeps."""
    return Eyes()


def try_all(name: str, whole: Path, mine: Path, eyes: Eyes) -> None:
    """Every command in one hostile folder, beside the user's own."""
    folder = mine.parent / "E"
    port = str(free_port())
    for line in RUN:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        shutil.rmtree(mine / "scores", ignore_errors=True)
        EVERYTHING[name](folder, mine)
        before, beside = everything(mine), {path.name for path in mine.parent.iterdir()}
        words = line.split()
        eyes.seen, eyes.forbidden = [], str(mine)
        try:
            with not_stuck(f"{name}: {line}"):
                done = called(mine.parent, *words, *(("--port", port) if words[0] == "serve" else ()))
        finally:
            eyes.forbidden = None
        said = [text for text in done.stderr.splitlines() if not text.startswith("note: ")]
        where = (name, line, done.returncode, said)
        assert done.returncode in (0, 1, 2), where
        assert len(said) == (0 if done.returncode == 0 or (words[0] == "check" and not said) else 1), where
        assert "Traceback" not in done.stderr, where
        assert "\x1b]" not in done.stdout + done.stderr, where
        assert "Secret" not in done.stdout + done.stderr, where
        assert everything(mine) == before, where
        assert {path.name for path in mine.parent.iterdir()} == beside, where
        assert eyes.seen == [], where


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serving ends where it would begin to wait for visitors."""
    from adjudge.web.connections import PromptServer

    monkeypatch.setattr(PromptServer, "run", lambda self, sockets: None)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERYTHING)
def test_every_command_in_every_hostile_folder(
    place: tuple[Path, Path], whole: Path, eyes: Eyes, served: None, name: str
) -> None:
    try_all(name, whole, place[1], eyes)


def test_every_command_in_some_hostile_folders(
    place: tuple[Path, Path], whole: Path, eyes: Eyes, served: None, rng: random.Random
) -> None:
    for name in rng.sample(sorted(EVERYTHING), 5):
        print(name)
        try_all(name, whole, place[1], eyes)


def test_serving_from_a_program_leaves_its_log_alone(whole: Path, served: None) -> None:
    """A handler of others may close standard error with itself, as absl's does."""
    closed: list[str] = []

    class Handler(logging.Handler):
        def close(self) -> None:
            closed.append("closed")
            super().close()

    handler = Handler()
    assert called(whole.parent, "serve", "E", "--port", str(free_port())).returncode == 0
    assert closed == []
    assert logging.getLogger("uvicorn").handlers == []
    handler.close()
    assert closed == ["closed"]
