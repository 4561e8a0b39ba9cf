"""All files change together or none does, also when the writer is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.core.errors import BusyError
from adjudge.data.layout import STAGING
from adjudge.data.transaction import JOURNAL, Transaction, settle

A, B, C = "topics.jsonl", "systems.jsonl", "documents.jsonl"
SCORE = "scores/rouge-1--0123456789ab.parquet"

Snapshot = Callable[[Path], dict[str, bytes]]


def fill(folder: Path, text: str) -> None:
    for name in (A, B, C):
        (folder / name).write_text(text)


def test_nothing_changes_without_a_commit(tmp_path: Path, snapshot: Snapshot) -> None:
    fill(tmp_path, "old")
    before = snapshot(tmp_path)
    with Transaction(tmp_path) as change:
        change.stage(A).write_text("new")
        change.remove(B)
    assert snapshot(tmp_path) == before
    with pytest.raises(ZeroDivisionError), Transaction(tmp_path) as change:
        change.stage(A).write_text(f"{1 / 0}")
    assert snapshot(tmp_path) == before


def test_a_commit_replaces_adds_and_removes(tmp_path: Path, snapshot: Snapshot) -> None:
    fill(tmp_path, "old")
    with Transaction(tmp_path) as change:
        change.stage(A).write_text("new")
        change.stage(SCORE).write_text("more")
        change.remove(B)
        assert change.current(A).read_text() == "new"
        assert change.current(C).read_text() == "old"
        change.commit()
    assert snapshot(tmp_path) == {A: b"new", C: b"old", SCORE: b"more"}


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        Transaction(tmp_path),
        pytest.raises(BusyError, match="another command is writing"),
        Transaction(tmp_path, patience=0),
    ):
        pass


CRASH = """
import os, sys
from pathlib import Path
from adjudge.data.transaction import Transaction
folder, calls, count, real = Path(sys.argv[1]), int(sys.argv[2]), 0, Path.replace
def replace(self, target):
    global count
    count += 1
    if count > calls:
        os._exit(9)
    return real(self, target)
Path.replace = replace
with Transaction(folder) as change:
    for name in ("topics.jsonl", "systems.jsonl", "documents.jsonl"):
        change.stage(name).write_text("new")
    change.commit()
"""


@pytest.mark.parametrize("calls", range(6))
def test_a_crash_inside_commit_ends_in_the_old_or_the_new_state(
    tmp_path: Path, snapshot: Snapshot, calls: int
) -> None:
    """The first replace makes the journal count, the next three put the files in place."""
    fill(tmp_path, "old")
    old = snapshot(tmp_path)
    crashed = subprocess.run([sys.executable, "-c", CRASH, str(tmp_path), str(calls)], check=False)
    assert crashed.returncode == (9 if calls < 4 else 0)
    assert (tmp_path / STAGING / JOURNAL).exists() == (1 <= calls < 4)
    settle(tmp_path)
    with Transaction(tmp_path):
        pass
    assert not (tmp_path / STAGING).exists()
    assert snapshot(tmp_path) == (old if calls == 0 else dict.fromkeys(old, b"new"))


WRITER = """
import sys
from pathlib import Path
from adjudge.data.transaction import Transaction
folder, n = Path(sys.argv[1]), 0
while True:
    n += 1
    with Transaction(folder) as change:
        for name in ("topics.jsonl", "systems.jsonl", "documents.jsonl"):
            change.stage(name).write_text(str(n))
        change.commit()
    print(n, flush=True)
"""


def test_killed_at_any_moment_the_files_agree(tmp_path: Path) -> None:
    fill(tmp_path, "0")
    for trial in range(12):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.003 * trial)
            writer.send_signal(signal.SIGKILL)
            said = writer.stdout.read().split()
        settle(tmp_path)
        with Transaction(tmp_path):
            pass
        values = {(tmp_path / name).read_text() for name in (A, B, C)}
        assert len(values) == 1
        assert int(values.pop()) >= int(said[-1] if said else 1)
