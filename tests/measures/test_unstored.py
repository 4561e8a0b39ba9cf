"""Scores that are ready while another command is writing: they wait, they are kept, and none goes to the wrong text."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudge.core.errors import BusyError
from adjudge.data import transaction
from adjudge.data.layout import UNSTORED
from adjudge.data.rows import Summary
from adjudge.data.transaction import Transaction
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import TopicBatch
from adjudge.measures import run


@contextmanager
def lock_that_stays(e: Evaluation) -> Iterator[None]:
    """Another command is writing, for longer than anybody waits."""
    with Transaction(e.path), pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "PATIENCE", 0.0)
        yield


def change(e: Evaluation, topic: str) -> None:
    """Another command replaces a text."""
    row = Summary(topic, "poor", "Something else was written here.", 10)
    Evaluation.open(e.path).take([("x", row)], on_clash="replace")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The topics that scores are computed for, in order."""
    topics: list[str] = []
    score_batches = run.score_batches

    def noted(measures: object, batches: list[TopicBatch]) -> object:
        topics.extend(batch.topic.topic for batch in batches)
        return score_batches(measures, batches)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "score_batches", noted)
    return topics


def test_a_short_lock_is_waited_for(small: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    holder, told = Transaction(small.path), list[str]()
    holder.__enter__()

    def let_go(text: str) -> None:
        told.append(text)
        holder.__exit__(None, None, None)

    monkeypatch.setattr(transaction, "tell", let_go)
    (scored,) = small.score("rouge-1")
    assert scored.rows
    assert told == [f"another command is writing to {small.path}: waiting for it, 60 s at the most"]


def test_a_lock_that_stays_loses_nothing(small: Evaluation, computed: list[str]) -> None:
    with (
        lock_that_stays(small),
        pytest.raises(BusyError, match="computed and kept: the next score stores them"),
    ):
        small.score("rouge-1", "rouge-2")
    assert computed == ["t1", "t2", "t3"]
    assert not (small.path / "scores").exists()
    scored = Evaluation.open(small.path).score("rouge-1", "rouge-2")
    assert computed == ["t1", "t2", "t3"], "nothing is computed again"
    assert [each.new for each in scored] == [("t1", "t2", "t3")] * 2
    assert not (small.path / UNSTORED).exists()
    kept = small.matrix("rouge-1").to_frame()
    small.score("rouge-1", again=True)
    assert kept.equals(small.matrix("rouge-1").to_frame())


def test_what_is_kept_grows_and_is_good_for_its_texts_alone(small: Evaluation, computed: list[str]) -> None:
    with lock_that_stays(small), pytest.raises(BusyError):
        small.score("rouge-1")
    change(small, "t2")
    computed.clear()
    with lock_that_stays(small), pytest.raises(BusyError):
        Evaluation.open(small.path).score("rouge-1")
    assert computed == ["t2"]
    computed.clear()
    (scored,) = Evaluation.open(small.path).score("rouge-1")
    assert computed == []
    assert scored.new == ("t1", "t2", "t3")
    assert not Evaluation.open(small.path).scores().stale["rouge-1"]


def test_a_damaged_one_is_computed_again(small: Evaluation, computed: list[str]) -> None:
    with lock_that_stays(small), pytest.raises(BusyError):
        small.score("rouge-1")
    for path in (small.path / UNSTORED).iterdir():
        path.write_bytes(b"PAR1 and nothing more")
    computed.clear()
    small.score("rouge-1")
    assert computed == ["t1", "t2", "t3"]


def test_interrupted_while_waiting(
    small: Evaluation, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "tell", interrupt)
    with Transaction(small.path), pytest.raises(KeyboardInterrupt):
        small.score("rouge-1")
    computed.clear()
    small.score("rouge-1")
    assert computed == []


def test_a_text_that_changes_while_scores_are_computed(small: Evaluation) -> None:
    (scored,) = small.score("rouge-1", progress=lambda done, of: change(small, "t2"))
    assert "rouge-1: 1 topic changed while scores were computed (t2): score again" in scored.notes
    e = Evaluation.open(small.path)
    assert e.scores().stale["rouge-1"] == ("t2",)
    (again,) = e.score("rouge-1")
    assert (again.changed, again.kept) == (("t2",), 2)
    assert not e.scores().stale["rouge-1"]


def test_two_who_score_at_once_both_count(small: Evaluation, computed: list[str]) -> None:
    """The other one adds a topic, and stores its scores first."""

    def other(done: int, of: int) -> None:
        e = Evaluation.open(small.path)
        e.take(
            [
                ("x", Summary("t4", "good", "New.", 10)),
                ("x", Summary("t4", "ann", "New.", 10, ("reference",))),
            ]
        )
        e.score("rouge-1")

    (scored,) = small.score("rouge-1", progress=other)
    assert not [note for note in scored.notes if "changed while" in note]
    e = Evaluation.open(small.path)
    assert e.matrix("rouge-1").topics == ("t1", "t2", "t3", "t4")
    assert not e.scores().stale["rouge-1"]


SCORE = "import sys; from adjudge.cli import main; sys.argv = ['adjudge', *sys.argv[1:]]; main()"


def test_on_a_terminal_the_command_says_that_it_waits(small: Evaluation) -> None:
    theirs, ours = pty.openpty()
    command = [sys.executable, "-c", SCORE, "score", str(small.path), "-m", "words"]
    said = b""
    with Transaction(small.path):
        process = subprocess.Popen(command, stderr=ours, stdout=subprocess.DEVNULL)
        os.close(ours)
        while b"waiting for it" not in said:
            said += os.read(theirs, 1000)
    assert process.wait() == 0
    os.close(theirs)
    assert Path(small.path / "scores").exists()
