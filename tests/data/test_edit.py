"""Withdraw, rename, remove: each with a reason, each all or nothing, other lines untouched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.core.errors import ClashError, UsageError
from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.data.target import Target
from adjudge.evaluation import Evaluation

Snapshot = Callable[[Path], dict[str, bytes]]


def changes(e: Evaluation) -> list[dict[str, object]]:
    return [json.loads(line) for line in (e.path / "changes.jsonl").read_text().splitlines()]


def test_withdrawn_summaries_stay_in_the_file_and_leave_the_scores(small: Evaluation) -> None:
    small.score("rouge-1")
    small.take([("x", Score("imported:q", "t1", "poor", 1.0)), ("x", Score("imported:q", "t2", "poor", 2.0))])
    small.withdraw("wrong input", system="poor", topic="t1", when="2024-01-01")
    rows = {s.key: s.withdrawn for _, s in small.folder.rows(Summary)}
    assert rows["t1", "poor", Target(10)] == "wrong input"
    assert sum(why is not None for why in rows.values()) == 1
    assert small.matrix("imported:q").topics == ("t2",)
    assert small.scores().notes("rouge-1")[0].startswith("rouge-1 is out of date")
    (scored,) = small.score("rouge-1")
    assert scored.changed == ("t1",)
    assert "poor: 1 missing (no score)" in small.compare("rouge-1").warnings()
    assert changes(small)[-1]["why"] == "wrong input"


def test_restore_takes_them_in_again(small: Evaluation) -> None:
    small.withdraw("a", system="poor")
    small.withdraw("found the right input", system="poor", restore=True)
    assert not small.collection.withdrawn
    with pytest.raises(UsageError, match='nothing of system "poor" is withdrawn'):
        small.withdraw("again", system="poor", restore=True)


def test_rename_reaches_every_file_and_the_scores(small: Evaluation) -> None:
    small.units()
    small.score("rouge-1")
    before = small.matrix("rouge-1").values.copy()
    changed = small.rename("better", "a second one is coming", system="good")
    assert changed.rows == {"summaries": 3, "units": 3}
    assert changed.scores == ["rouge-1"]
    after = small.matrix("rouge-1")
    assert "better" in after.systems
    assert "good" not in after.systems
    assert (after.values == before).all()
    small.rename("t9", "as in the paper", topic="t1")
    assert list(small.collection.documents) == ["t9", "t2", "t3"]
    assert small.matrix("rouge-1").topics == ("t2", "t3", "t9")


def test_rename_never_merges(small: Evaluation, snapshot: Snapshot) -> None:
    before = snapshot(small.path)
    with pytest.raises(ClashError, match='there is a system "poor" already'):
        small.rename("poor", "x", system="good")
    with pytest.raises(UsageError, match='no system "god" .nearest: "good"'):
        small.rename("x", "x", system="god")
    with pytest.raises(UsageError, match="one of them"):
        small.rename("x", "x", system="good", topic="t1")
    with pytest.raises(UsageError, match="say why"):
        small.rename("x", " ", system="good")
    with pytest.raises(Exception, match="control character"):
        small.rename("a\nb", "x", system="good")
    assert snapshot(small.path) == before


def test_remove_takes_rows_units_and_scores(small: Evaluation) -> None:
    small.units()
    small.score("rouge-1")
    small.remove("not ours", system="poor")
    assert "poor" not in small.matrix("rouge-1").systems
    small.remove("no permission", topic="t2")
    assert list(small.collection.topics) == ["t1", "t3"]
    assert "t2" not in small.collection.documents | small.collection.units
    small.remove("broken", system="good", topic="t1")
    assert [s.system for s in small.collection.peers("t1")] == ["ann"]
    assert [c["what"] for c in changes(small)] == ["remove"] * 3


def test_removing_the_last_scores_removes_their_file(small: Evaluation) -> None:
    small.take([("x", Score("imported:q", "t1", "poor", 1.0))])
    small.remove("gone", system="poor")
    assert not list((small.path / "scores").glob("*.parquet"))


def test_lines_that_do_not_change_stay_as_people_wrote_them(small: Evaluation) -> None:
    path = small.path / "summaries.jsonl"
    by_hand = '{"text":"By hand.",  "system":"h","topic":"t1"}\n'
    path.write_text(by_hand + path.read_text())
    small.withdraw("x", system="poor")
    assert path.read_text().startswith(by_hand)
