"""An evaluation that cannot be written, in an archive or on a mounted image, is analysed all the same."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.running import called
from tests.judgments.making import a_task

from adjudge.core.errors import StoreUnavailable
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.backup import backup
from adjudge.judgments.store.store import open_store

ROOT = Path(__file__).parent.parent.parent
ANALYSES = (
    ("check",),
    ("show",),
    ("compare", "-m", "rouge-1"),
    ("compare", "-m", "coverage"),
    ("judgments", "list"),
    ("scores",),
)


@pytest.fixture
def place(small: Evaluation) -> Iterator[Path]:
    """A scored evaluation where anybody may read, outside pytest's own folder, which others may not enter."""
    small.units()
    small.simulate_judgments("duc-2001", assessors=1, seed=1)
    small.score("rouge-1", "coverage")
    with tempfile.TemporaryDirectory(prefix="adjudge-test-") as name:
        folder = Path(name) / "e"
        shutil.copytree(small.path, folder)
        Path(name).chmod(0o755)
        yield folder
        lock(folder, writable=True)


def lock(folder: Path, *, writable: bool = False) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod((0o755 if path.is_dir() else 0o644) if writable else (0o555 if path.is_dir() else 0o444))


RUN = """
import json, sys
from pathlib import Path
from tests.cli.running import called
for line in json.load(sys.stdin):
    done = called(Path(), *line)
    print(json.dumps([done.returncode, done.stdout, done.stderr]))
"""
Outcome = tuple[int, str, str]


def named(folder: Path, words: tuple[str, ...]) -> list[str]:
    """The words of a command with the folder in its place."""
    k = 2 if words[0] == "judgments" else 1
    return [*words[:k], str(folder), *words[k:]]


OF_JUDGMENTS = (("check",), ("compare", "-m", "coverage"), ("judgments", "list"))
"""Those that open the store."""


def run_by_us(folder: Path, *lines: tuple[str, ...]) -> list[Outcome]:
    """The same commands by ourselves, who may write."""
    done = [called(Path(), *named(folder, words)) for words in lines]
    return [(each.returncode, each.stdout, each.stderr) for each in done]


def run(folder: Path, *lines: tuple[str, ...], mounted: bool = False) -> list[Outcome]:
    """Commands by somebody who may not write: nobody, where we are root, whom permissions do not stop.

    One process runs them all: starting takes longer than most of them.
    """
    calls = [named(folder, words) for words in lines]
    line = [sys.executable, "-c", RUN]
    if mounted:
        mount = f'mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && exec "$@"'
        line = ["unshare", "-m", "sh", "-c", mount, "sh", *line]
    elif os.geteuid() == 0:
        line = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *line]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        line, input=json.dumps(calls), capture_output=True, text=True, check=True, env=environment
    )
    return [tuple(json.loads(each)) for each in done.stdout.splitlines()]


def unclosed(folder: Path) -> None:
    """A log beside the file with the latest answers in it, as a server that was killed leaves it."""
    path = folder / "judgments.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("update person set name = 'from the log'")
    connection.commit()
    log = path.with_name("judgments.sqlite-wal").read_bytes()
    content = path.read_bytes()
    connection.close()
    path.write_bytes(content)
    path.with_name("judgments.sqlite-wal").write_bytes(log)
    path.with_name("judgments.sqlite-shm").unlink(missing_ok=True)


@pytest.mark.parametrize("log", [False, True], ids=["closed", "with a log"])
def test_somebody_who_may_only_read(place: Path, log: bool) -> None:
    lines = OF_JUDGMENTS if log else ANALYSES
    expected = run_by_us(place, *lines)
    assert all(code == 0 for code, _, _ in expected), expected
    if log:
        unclosed(place)
    lock(place)
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    *found, units, erase = run(place, *lines, ("units",), ("judgments", "erase", "simulated-1"))
    assert found == expected
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
    for code, _, said in (units, erase):
        assert code == 1
        assert len(said.splitlines()) == 1
        assert "cannot be written" in said


def test_a_mounted_image(place: Path) -> None:
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        return  # only root may mount; the test above does without
    *found, units = run(place, *OF_JUDGMENTS, ("units",), mounted=True)
    assert all(code == 0 for code, _, _ in found), found
    assert units == (1, "", f"adjudge: {place}: cannot be written to: Read-only file system\n")


def test_the_latest_answers_are_seen_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Evaluation.init(tmp_path / "e", name="e")
    with open_store(tmp_path / "e", "e") as store:
        store.add_tasks([a_task(store, "t1")])
    unclosed(tmp_path / "e")
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with open_store(tmp_path / "e", "e") as store:
        assert [task.id for task in store.tasks()] == ["t1"]
        assert {person.name for person in store.people.all()} == {"from the log"}
        with pytest.raises(StoreUnavailable, match=r"judgments\.sqlite: cannot be written: .* read-only"):
            store.add_tasks([a_task(store, "t2")])
        copy = backup(store, tmp_path / "copy.sqlite")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("select id from task").fetchall() == [("t1",)]
        assert {name for (name,) in connection.execute("select name from person")} == {"from the log"}


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_schema_is_read_in_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    path = tmp_path / "judgments.sqlite"
    shutil.copy(Path(__file__).parent / "data" / f"schema-{version}.sqlite", path)
    content = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with open_store(tmp_path, "old") as store:
        assert store.evaluations()
    assert path.read_bytes() == content
