"""An import of judgments brings rows, tasks, answers and their protocol, all of it or nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from tests.cli.running import called
from tests.waiting import HANG

import adjudge
from adjudge.core.errors import AdjudgeError, ClashError, DataError, FormatError, UsageError
from adjudge.data.layout import HISTORY, LOCK, PENDING_IMPORT, STAGING
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.formats import crowd
from adjudge.judgments.protocol import load_protocol, own_protocols, protocol_file
from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.judgments.store.records import records

OWN = """\
name = "{name}"
version = "1"
kind = "rating"
title = "My own"

[[aspects]]
key = "wit"
ask = "How witty is it?"
choices = [{{ value = 1, label = "dull" }}, {{ value = 2, label = "fair" }}, {{ value = 3, label = "witty" }}]
"""
CSV = "task,worker,label\nt1/a,w1,3\nt1/b,w1,1\nt2/a,w1,2\nt2/b,w1,2\nt1/a,w2,2\nt1/b,w2,2\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def e(request: pytest.FixtureRequest, make: Callable[..., Evaluation]) -> Evaluation:
    """Summaries and their ROUGE scores, and no judgments yet; the system c is not there yet."""
    texts = {"a": "a storm hit the coast", "b": "rain fell on the town", "ref": "a storm hit the town"}
    rows = [
        Summary(topic, system, text, roles=("reference",) if system == "ref" else ("peer",))
        for topic in ("t1", "t2")
        for system, text in texts.items()
    ]
    found = make(*rows)
    if request.param == "postgresql":
        address = request.getfixturevalue("new_database")
        (found.path / "evaluation.toml").write_text(f'name = "eval"\ndatabase = "{address}"\n')
        found = adjudge.open(found.path)
    found.score("rouge-1")
    return found


def written(folder: Path, name: str = "my-rating", csv: str = CSV) -> tuple[Path, Path]:
    protocol, answers = folder / f"{name}.toml", folder / f"{name}.csv"
    protocol.write_text(OWN.format(name=name))
    answers.write_text(csv)
    return protocol, answers


def test_a_protocol_of_ones_own_stays_with_its_judgments(e: Evaluation, tmp_path: Path) -> None:
    """What the documentation shows: the file is given once, and may be gone afterwards."""
    for name in ("my-rating", "another"):
        protocol, answers = written(tmp_path, name)
        words = ("judgments", "import", "crowd", str(answers), str(e.path), "--aspect", "wit", "--protocol")
        done = called(tmp_path, *words, str(protocol))
        assert done.returncode == 0, done.stderr
        protocol.unlink()
        again = called(tmp_path, *words, name)  # by name, now that it is here
        assert "were there already" in again.stdout, again.stderr
    assert set(own_protocols(adjudge.open(e.path).folder)) == {"my-rating", "another"}
    for line in (
        f"compare {e.path} -m rouge-1",
        f"score {e.path} -m rating(aspect=wit)",
        f"compare {e.path} -m rating(aspect=wit)",
        f"report {e.path} -o {tmp_path / 'report'}",
        f"judgments list {e.path}",
        f"judgments tables {e.path}",
        f"check {e.path}",
        f"show {e.path}",
    ):
        done = called(tmp_path, *line.split())
        assert done.returncode == 0, (line, done.stderr)
    assert (
        adjudge.open(e.path).protocol("my-rating").questions == load_protocol(written(tmp_path)[0]).questions
    )


def test_a_name_stands_for_one_protocol(e: Evaluation, tmp_path: Path) -> None:
    protocol, answers = written(tmp_path)

    def imported() -> None:
        e.take_judgments(crowd.read([answers], evaluation="eval", aspect="wit", protocol=str(protocol)))

    imported()
    protocol.write_text(OWN.format(name="my-rating").replace("witty is", "funny is"))
    with pytest.raises(ClashError, match=r'another protocol "my-rating"'):
        imported()
    protocol.write_text(OWN.format(name="rating"))
    with pytest.raises(ClashError, match=r'another protocol "rating"'):
        imported()


def test_judgments_of_an_unknown_protocol_are_named_and_left_out(e: Evaluation, tmp_path: Path) -> None:
    protocol, answers = written(tmp_path)
    e.take_judgments(crowd.read([answers], evaluation="eval", aspect="wit", protocol=str(protocol)))
    (e.path / protocol_file("my-rating")).unlink()
    e = adjudge.open(e.path)
    judgments = e.judgments()
    assert not judgments.by_topic
    assert len(judgments.unknown) == 6
    (note,) = judgments.notes()
    assert note.startswith('6 judgments of the protocol "my-rating", which is not here, left out')
    listed = called(tmp_path, "judgments", "list", str(e.path))
    assert "my-rating" in listed.stdout
    assert "which is not here" in listed.stdout
    for line in (
        f"compare {e.path} -m rouge-1",
        f"score {e.path}",
        f"check {e.path}",
        f"report {e.path} -o r",
    ):
        done = called(tmp_path, *line.split())
        assert done.returncode == 0, (line, done.stderr)
    if not e.settings.database:
        assert "protocol-unknown" in {finding.code for finding in e.check().findings}


def test_tasks_and_judgments_of_a_protocol_can_be_removed(e: Evaluation, tmp_path: Path) -> None:
    for name in ("my-rating", "another"):
        protocol, answers = written(tmp_path, name)
        e.take_judgments(crowd.read([answers], evaluation="eval", aspect="wit", protocol=str(protocol)))
    words = ("judgments", "remove", str(e.path), "--why", "a pilot", "--protocol")
    done = called(tmp_path, *words, "my-ratin")
    assert (done.returncode, 'nearest: "my-rating"' in done.stderr) == (2, True)
    done = called(tmp_path, *words, "my-rating")
    assert done.stdout == '6 tasks and 6 answers of the protocol "my-rating" removed\n'
    assert {judged.task.protocol for judged in e.judgments().by_topic["t1"]} == {"another"}
    assert not (e.path / protocol_file("my-rating")).exists()
    assert '"why": "a pilot"' in (e.path / "changes.jsonl").read_text()
    with e.store() as store:
        assert store.last_seq() == 12
    with pytest.raises(UsageError, match="say why"):
        e.remove_judgments("another", " ")


@pytest.mark.parametrize("name", ["../x.toml", "/etc/x.toml", "a/../../x.toml", "link/x.toml", "link.toml"])
def test_the_evaluations_own_protocol_lies_in_its_folder(tmp_path: Path, name: str) -> None:
    e = Evaluation.init(tmp_path / "e")
    written(tmp_path, "x")
    (e.path / "link").symlink_to(tmp_path)
    (e.path / "link.toml").symlink_to(tmp_path / "x.toml")
    (e.path / "evaluation.toml").write_text(f'protocol = "{name}"\n')
    with pytest.raises(DataError, match="leaves the folder|is a link"):
        adjudge.open(e.path).protocol()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name = '\xff'", "is not UTF-8"),
        (b"x = " + b"9" * 5000, "not TOML that can be read"),
        (b"x = " + b"[" * 9999, "nested"),
    ],
)
def test_a_protocol_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=said) as error:
        load_protocol(path)
    assert "\n" not in str(error.value)
    path.unlink()
    path.mkdir()
    with pytest.raises(FormatError, match=r"p\.toml: is no plain file"):
        load_protocol(path)


# All or nothing

NEW = CSV + "t3/c,w1,3\nt3/c,w3,1\n"
"""A topic and a system that the folder has not, so that its files change too."""


def import_until_step(
    path: Path, files: tuple[Path, Path], database: str | None, step: int, how: str
) -> None:
    """Imports, and is killed, or meets a full disk, at a step that leaves a trace on the disk or in the database."""
    import errno

    from adjudge.judgments.store.database import Database

    seen = 0
    if database is not None:
        os.environ[VARIABLE] = database

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kw: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == step and how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if seen == step:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **kw)

        return call

    e = Evaluation.open(path)
    real = Database.writing

    def writing(self: Database) -> Any:
        from contextlib import contextmanager

        @contextmanager
        def around() -> Iterator[Any]:
            step_here = counted(lambda: None)
            step_here()
            with real(self) as connection:
                yield connection
                step_here()
            if how == "kill":
                step_here()

        return around()

    protocol, answers = files
    os.replace = counted(os.replace)
    os.rename = counted(os.rename)
    os.unlink = counted(os.unlink)
    os.fsync = counted(os.fsync)
    Path.replace = counted(Path.replace)  # type: ignore[method-assign]
    Path.unlink = counted(Path.unlink)  # type: ignore[method-assign]
    Database.writing = writing  # type: ignore[method-assign]
    try:
        e.take_judgments(crowd.read([answers], evaluation="eval", aspect="wit", protocol=str(protocol)))
    except AdjudgeError:
        os._exit(3)
    os._exit(0 if seen < step else 4)


def state(path: Path) -> tuple[Any, ...]:
    """Everything that an import changes, after the next to come has finished what was left."""
    e = adjudge.open(path)
    with e.store() as store:
        kept = [r for r in records(store) if r["kind"] in ("task", "event")]
    assert not (path / PENDING_IMPORT).exists()
    assert not (path / STAGING / "journal.json").exists()
    files = {
        p.relative_to(path): p.read_bytes()
        for p in path.rglob("*")
        if p.is_file()
        and not {STAGING, HISTORY} & set(p.parts)
        and not p.name.startswith((LOCK, "judgments.sqlite"))
    }
    return files, [{k: v for k, v in r.items() if k != "received_at"} for r in kept]


@pytest.mark.parametrize(
    ("e", "how"),
    [
        ("sqlite", "kill"),
        ("postgresql", "full"),
        pytest.param("sqlite", "full", marks=pytest.mark.slow),
        pytest.param("postgresql", "kill", marks=pytest.mark.slow),
    ],
    indirect=["e"],
)
def test_stopped_at_any_step_an_import_is_there_or_not(e: Evaluation, tmp_path: Path, how: str) -> None:
    processes = multiprocessing.get_context("fork")
    files = written(tmp_path, csv=NEW)
    old, found = state(e.path), []
    for step in range(1, 200):
        child = processes.Process(
            target=import_until_step, args=(e.path, files, e.settings.database, step, how)
        )
        child.start()
        child.join(HANG)
        assert child.exitcode in (0, 3, 4, -9)
        found.append((child.exitcode, state(e.path)))
        if child.exitcode == 0:
            break
        if found[-1][1] != old:
            forget(e, old)
            assert state(e.path) == old
    *stopped, (_, new) = found
    assert len(stopped) > 10
    assert new != old
    assert all(each in (old, new) for _, each in stopped)
    assert stopped[0][1] == old
    went_on = [each for code, each in stopped if code == 4]  # where only the history could not be kept
    assert bool(went_on) == (how == "full")
    assert all(each == new for each in went_on)
    if how == "kill":
        assert stopped[-1][1] == new
        first = next(k for k, (_, each) in enumerate(stopped) if each == new)
        assert all(each == new for _, each in stopped[first:]), "from the journal on, everything"


def forget(e: Evaluation, old: tuple[Any, ...]) -> None:
    """The evaluation as it was before the import."""
    from adjudge.judgments.store import schema

    files, _ = old
    rmtree(e.path / HISTORY, ignore_errors=True)
    for path in e.path.rglob("*"):
        if path.is_file() and not path.name.startswith((LOCK, "judgments.sqlite")):
            path.unlink()
    for name, content in files.items():
        (e.path / name).write_bytes(content)
    with adjudge.open(e.path).store() as store:
        for table in (schema.event, schema.task, schema.edit):
            store.change(lambda connection, table=table: connection.execute(table.delete()))  # type: ignore[misc]
        store.change(lambda connection: connection.execute(schema.evaluation.update().values(last_seq=0)))


def test_an_import_that_the_store_refuses_changes_no_file(e: Evaluation, tmp_path: Path) -> None:
    protocol, answers = written(tmp_path, csv=NEW)
    items = list(crowd.read([answers], evaluation="eval", aspect="wit", protocol=str(protocol)))
    before = state(e.path)
    from dataclasses import replace

    from adjudge.judgments.tasks import Event

    broken = [(p, replace(t, task="nowhere") if isinstance(t, Event) else t) for p, t in items]
    with pytest.raises(DataError, match=r'no task "nowhere"'):
        e.take_judgments(broken)
    assert state(e.path) == before


def test_a_pending_import_from_a_stranger_is_read_or_refused(tmp_path: Path) -> None:
    e = Evaluation.init(tmp_path / "e")
    for text in ("", "[]", '{"id": 1}', '{"id": "x", "kind": "judgments", "format": 9}', '{"id": "x"}\n{'):
        (e.path / PENDING_IMPORT).write_text(text)
        with pytest.raises(DataError, match="remove") as error:
            adjudge.open(e.path)
        assert "\n" not in str(error.value)
    (e.path / PENDING_IMPORT).unlink()
    adjudge.open(e.path)
    assert sqlite3.connect(e.path / "judgments.sqlite").execute("select count(*) from event").fetchone() == (
        0,
    )
