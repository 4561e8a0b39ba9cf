"""Duels between summaries: shares of wins by hand, and in the demo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.measures.preference_making import a_batch, answered, prefer

from adjudge.data.scores import Score
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import Judged
from adjudge.measures.judged.wins import Wins
from adjudge.measures.registry import parse_measure


def duel(number: int, left: str, right: str, winner: str, assessor: str = "ann") -> Judged:
    sides: list[dict[str, object]] = [{"system": name, "length": 10} for name in (left, right)]
    return prefer(number, winner, assessor, "t", sides[0], sides[1], of="summaries")


def test_wins_by_hand() -> None:
    """ann: p0 beats p1, ties with p2, skips one. bob: p1 beats p0 twice. p3 has no duel."""
    judged = (
        duel(1, "p0", "p1", "left"),
        duel(2, "p2", "p0", "tie"),
        duel(3, "p1", "p2", "skip"),
        duel(4, "p1", "p0", "left", "bob"),
        duel(5, "p0", "p1", "right", "bob"),
        *answered(a_batch(), [(0, 1, "left")], start=50),
    )
    batch = replace(a_batch("A.", "B.", "C.", "D."), judgments=judged)
    found = list(Wins().score(batch))
    assert {(row.system, row.assessor): row.value for row in found if row.why is None} == {
        ("p0", "ann"): 0.75,
        ("p1", "ann"): 0.0,
        ("p2", "ann"): 0.5,
        ("p1", "bob"): 1.0,
        ("p0", "bob"): 0.0,
    }
    assert found[0] == Score("wins", "t", "p0", 0.75, 10, assessor="ann")
    assert [(row.system, row.why) for row in found if row.why] == [
        ("p3", "no duel with another summary was judged")
    ]
    assert Wins().warnings([batch]) == ["1 preference between summaries left out: skipped"]
    assert parse_measure("wins") == Wins()


def test_sides_that_name_no_summary_are_left_out_and_counted() -> None:
    judged = (
        duel(1, "p0", "p1", "left"),
        duel(2, "p0", "p0", "left"),
        prefer(3, "left", "ann", "t", {"system": "p0", "length": 10}, {"text": "B."}, of="summaries"),
    )
    batch = replace(a_batch("A.", "B."), judgments=judged)
    assert [row.value for row in Wins().score(batch)] == [1.0, 0.0]
    assert Wins().warnings([batch]) == [
        "2 preferences between summaries left out: a side names no summary, or both the same"
    ]


def test_the_wins_of_all_add_up_to_the_number_of_duels() -> None:
    rng = np.random.default_rng(5)
    names = [f"p{k}" for k in range(5)]
    duels = dict.fromkeys(names, 0)
    judged = []
    for number in range(40):
        one, other = (str(name) for name in rng.choice(names, 2, replace=False))
        judged.append(duel(number, one, other, str(rng.choice(["left", "right", "tie"]))))
        duels[one] += 1
        duels[other] += 1
    batch = replace(a_batch(*["A."] * 5), judgments=tuple(judged))
    assert sum(row.value * duels[row.system] for row in Wins().score(batch)) == pytest.approx(40)


def test_duels_of_the_demo_from_end_to_end(tmp_path: Path) -> None:
    """Simulated assessors who make no mistake: of two systems the one with more in common with references wins."""
    build(tmp_path / "e")
    e = Evaluation.open(tmp_path / "e")
    e.simulate_judgments("preference-summaries", assessors=2, noise=0.0)
    (scored,) = e.score("wins")
    assert scored.missing == {}
    matrix = e.scores().matrix("wins")
    means = dict(zip(matrix.systems, matrix.values.mean(axis=0), strict=True))
    assert np.mean(list(means.values())) == pytest.approx(0.5)
    assert means["greedy-best"] > means["random"] > means["vague"]
