"""Fits with names: closed forms, evalica's strengths, degenerate data, and tables that say what was fitted."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.comparisons.preferences import PreferenceFit, counts_of, fit_preferences
from adjudge.errors import DataError, UsageError
from adjudge.formats.preferences import read_preferences, write_preferences
from adjudge.judgments.pairs.answers import PreferenceRow, Preferences


def rows(*told: str, topic: str = "", who: str = "") -> list[PreferenceRow]:
    """`a>b` is a win of a, `a=b` a tie; `a>b*3` three of them. The winner is shown left."""
    found = []
    for each in told:
        what, _, times = each.partition("*")
        sign = "=" if "=" in what else ">"
        left, right = what.split(sign)
        found += [PreferenceRow(left, right, "tie" if sign == "=" else "left", topic, who)] * int(times or 1)
    return found


def fit(*told: str, **how: Any) -> PreferenceFit:
    return fit_preferences(Preferences.of(rows(*told)), **{"resamples": 50} | how)


def test_two_items_in_closed_form() -> None:
    """Log odds of 3 to 1, and their standard error sqrt(1/3 + 1/1); each item has half of both."""
    found = fit("a>b*3", "b>a")
    a, b = found.standings
    assert (a.item, a.rank, a.wins, a.losses, a.ties) == ("a", 1, 3, 1, 0)
    assert a.log - b.log == pytest.approx(math.log(3), rel=1e-9)
    assert a.strength * b.strength == pytest.approx(1)
    assert a.se == pytest.approx(math.sqrt(1 / 3 + 1) / 2, rel=1e-9)
    assert found.win_probabilities().loc["a", "b"] == pytest.approx(0.75)
    assert math.isnan(found.win_probabilities().loc["a", "a"])
    assert (found.strengths.regularised, found.strengths.converged) == (0, True)


def test_strengths_are_evalicas() -> None:
    """evalica 0.4.2: bradley_terry(xs, ys, winners, tolerance=1e-12, limit=100000), geometric mean 1."""
    rng = np.random.default_rng(0)
    names = [f"s{k}" for k in range(8)]
    given = [
        PreferenceRow(names[i], names[j], str(rng.choice(["left", "right", "tie"], p=[0.5, 0.3, 0.2])))
        for i, j in (rng.choice(8, 2, replace=False) for _ in range(300))
    ]
    winner = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    theirs = evalica.bradley_terry(
        [g.left for g in given],
        [g.right for g in given],
        [winner[g.winner] for g in given],
        tolerance=1e-12,
        limit=100_000,
    ).scores
    theirs = theirs / np.exp(np.log(theirs).mean())
    found = fit_preferences(Preferences.of(given), resamples=0)
    assert {each.item: each.strength for each in found.standings} == pytest.approx(theirs.to_dict(), rel=1e-6)


def test_weights_are_repetitions() -> None:
    heavy = [PreferenceRow("a", "b", "left", weight=3.0), PreferenceRow("b", "a", "left", weight=1.0)]
    found = fit_preferences(Preferences.of(heavy), resamples=0)
    same = fit("a>b*3", "b>a", resamples=0)
    assert [each.strength for each in found.standings] == pytest.approx(
        [each.strength for each in same.standings]
    )
    assert [each.wins for each in found.standings] == [3.0, 1.0]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["left", "right", "tie"])).filter(
            lambda each: each[0] != each[1]
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_answers_give_a_result_that_can_be_told(told: list[tuple[int, int, str]]) -> None:
    given = Preferences.of(
        [PreferenceRow(f"i{a}", f"i{b}", winner) for a, b, winner in told], items=["i0", "i1", "i2"]
    )
    found = fit_preferences(given, resamples=5)
    written = json.dumps(found.as_dict(), allow_nan=False)
    assert "i0" in written
    assert found.headline().endswith(".")
    assert found.to_latex().count(r"\\") == len(found.standings) + 1
    assert len(found.to_frame()) == len(given.items)
    wins, losses, ties = counts_of(given.answers)
    assert wins.sum() == losses.sum()
    assert wins.sum() + ties.sum() / 2 == len(told)
    ranked = [each.rank for each in found.standings if each.rank is not None]
    assert ranked == sorted(ranked)
    turned = fit_preferences(
        Preferences.of(
            [
                PreferenceRow(f"i{a}", f"i{b}", {"left": "right", "right": "left", "tie": "tie"}[w])
                for a, b, w in told
            ]
        ),
        resamples=0,
    )
    mine = {each.item: each.log for each in found.standings if each.rank is not None}
    assert {each.item: -each.log for each in turned.standings} == pytest.approx(mine, abs=1e-7)


def test_one_way_wins_are_regularised_and_said() -> None:
    found = fit("a>b", "b>c")
    assert [each.item for each in found.standings] == ["a", "b", "c"]
    assert found.strengths.regularised == 0.1
    assert all(math.isfinite(each.strength) for each in found.standings)
    (said,) = [line for line in found.warnings() if "opponent of strength 1" in line]
    assert "every item was given 0.1 wins and 0.1 losses" in said
    assert "there is no finite maximum" in said
    assert found.as_dict()["items"][0]["se"] is None  # the curvature would be the regulariser's


def test_items_that_nobody_was_asked_about_have_no_strength() -> None:
    given = Preferences.of(rows("a>b", "b>a"), items=["z", "a", "b"])
    found = fit_preferences(given, resamples=5)
    last = found.standings[-1]
    assert (last.item, last.rank, last.why) == ("z", None, "nobody was asked about it")
    assert math.isnan(last.strength)
    assert found.strengths.regularised == 0  # z does not make the others fall apart
    assert found.as_dict()["items"][-1]["strength"] is None
    assert "1 item has no strength: nobody was asked about them" in found.warnings()


def test_smoothing_tells_of_similar_items() -> None:
    """c is like a, and nobody was asked about it: it gets a's place between a and b."""
    given = Preferences.of(rows("a>b*3", "b>a"), items=["a", "b", "c"])
    near = np.array([[1.0, 0.1, 0.8], [0.1, 1.0, 0.1], [0.8, 0.1, 1.0]])
    found = fit_preferences(given, similarity=near, similarity_name="given", resamples=20)
    assert [each.item for each in found.standings] == ["a", "c", "b"]
    assert "|smooth:given|" in found.signature
    assert math.isnan(found.standings[0].se)
    assert any("propagated to similar items" in line for line in found.warnings())


def test_all_ties_are_equal() -> None:
    found = fit("a=b", "b=c", "c=a")
    assert [each.rank for each in found.standings] == [1, 1, 1]
    assert [each.strength for each in found.standings] == pytest.approx([1, 1, 1])
    assert found.headline() == "No item is preferred to another in 3 answers: all are equally strong."


def test_one_answer_has_no_interval() -> None:
    found = fit("a>b")
    assert found.standings[0].best is None
    assert found.headline().endswith("with 1 answer no interval can be given.")
    assert any(line.startswith("no intervals: needs two answers") for line in found.warnings())
    json.dumps(found.as_dict(), allow_nan=False)


def test_intervals_and_ranks_come_from_the_seed() -> None:
    told = ("a>b*30", "b>a*10", "b>c*12", "c>b*10", "a>c*20", "c>a*5")
    one, same, other = fit(*told, seed=1), fit(*told, seed=1), fit(*told, seed=2)
    assert one.standings == same.standings
    assert one.standings[0].low != other.standings[0].low
    a = one.standings[0]
    assert a.low < a.strength < a.high
    assert (a.best, a.worst) == (1, 1)
    assert one.headline() == (
        "a is preferred most: it would win 75% of its duels with b, the next. It is first in nearly all samples of"
        " answers drawn again (95%)."
    )
    assert one.signature.startswith(
        "bradley-terry|items:3|answers:87|smooth:no|regularised:0|bootstrap:answers:50|level:0.95|seed:1|v:"
    )


def test_pairs_have_intervals_around_their_probability() -> None:
    frame = fit("a>b*30", "b>a*10", "b>c*12", "c>b*10", resamples=200).pairs_frame()
    assert list(frame.columns) == ["a", "b", "probability", "low", "high"]
    assert len(frame) == 3
    assert ((frame["low"] < frame["probability"]) & (frame["probability"] < frame["high"])).all()
    first = frame[(frame["a"] == "a") & (frame["b"] == "b")].iloc[0]
    assert first["probability"] == pytest.approx(0.75)
    # the share itself has an interval of .75 +- 1.96 sqrt(.75 .25 / 40): the bootstrap's is about as wide
    assert first["high"] - first["low"] == pytest.approx(2 * 1.96 * math.sqrt(0.75 * 0.25 / 40), rel=0.25)


def crowd() -> Preferences:
    """Three who read, one who always says left, and repeats with the sides exchanged."""
    rng = np.random.default_rng(3)
    found = []
    for name in ("ann", "bob", "cyd", "lefty"):
        for _ in range(60):
            i, j = rng.choice(6, 2, replace=False)
            good = rng.random() < 1 / (1 + math.exp(1.2 * (i - j)))  # 0 is the best
            winner = "left" if name == "lefty" or good else "right"
            found.append(PreferenceRow(f"i{i}", f"i{j}", winner, assessor=name))
    return Preferences.of(found)


def test_assessors_are_told_apart() -> None:
    checks = Preferences.of([PreferenceRow("i0", "i5", "left"), PreferenceRow("i4", "i1", "right")])
    found = fit_preferences(crowd(), resamples=0, assessors=True, checks=checks)
    people = {each.name: each for each in found.assessors}
    assert list(people) == ["ann", "bob", "cyd", "lefty"]
    assert people["lefty"].left_share == 1.0
    assert "one-sided" in people["lefty"].codes
    assert people["lefty"].reliability < min(people[name].reliability for name in ("ann", "bob", "cyd")) - 0.1
    assert not people["ann"].codes
    assert people["ann"].checks > 0
    assert any(
        line.startswith("lefty: prefers what is shown first: 60 of 60 times") for line in found.warnings()
    )
    assert list(found.assessor_table().to_frame()["name"]) == list(people)
    json.dumps(found.as_dict(), allow_nan=False)


def test_who_answers_faster_than_one_can_read_is_named(tmp_path: Path) -> None:
    timed = [replace(each, took_ms=150.0 if each.assessor == "bob" else 4000.0) for each in crowd().rows()]
    write_preferences(tmp_path / "timed.csv", timed)
    found = fit_preferences(read_preferences(tmp_path / "timed.csv"), resamples=0, assessors=True)
    assert [each.name for each in found.assessors if "too-fast" in each.codes] == ["bob"]


def test_nobody_in_particular_is_no_assessor() -> None:
    given = Preferences.of(rows("a>b*3", "b>a", who="crowd-anonymous"))
    assert fit_preferences(given, resamples=0, assessors=True).assessors == ()


def test_wrong_calls() -> None:
    with pytest.raises(
        DataError, match=r"no answer to a pair to fit: 1 row was left out \(row that was skipped\)"
    ):
        fit_preferences(Preferences.of([PreferenceRow("a", "b", "skip")]))
    with pytest.raises(DataError, match="no answer to a pair to fit"):
        fit_preferences(Preferences.of([PreferenceRow("a", "b", "left", weight=0.0)]))
    with pytest.raises(UsageError, match="the level is 1"):
        fit("a>b", level=1)
    with pytest.raises(UsageError, match="resamples is -1"):
        fit("a>b", resamples=-1)
    with pytest.raises(UsageError, match="only where there are two; there are 0"):
        fit("a>b", by="cluster")


def test_a_pair_of_systems_on_another_topic_is_no_repeat() -> None:
    """On t1 and t2 ann says the opposite of the same two systems; on t1 she repeats herself, sides exchanged."""
    told = [
        PreferenceRow("a", "b", "left", "t1", "ann"),
        PreferenceRow("b", "a", "right", "t1", "ann"),
        PreferenceRow("b", "a", "left", "t2", "ann"),
    ]
    checks = Preferences.of([PreferenceRow("a", "b", "left", "t2")])
    (ann,) = fit_preferences(Preferences.of(told), resamples=0, assessors=True, checks=checks).assessors
    assert (ann.repeats_same, ann.repeats) == (1, 1)
    assert (ann.checks_right, ann.checks) == (0, 1)
    anywhere = Preferences.of([PreferenceRow("a", "b", "left")])
    (ann,) = fit_preferences(Preferences.of(told), resamples=0, assessors=True, checks=anywhere).assessors
    assert (ann.checks_right, ann.checks) == (2, 3)
