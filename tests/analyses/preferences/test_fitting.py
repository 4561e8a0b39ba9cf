"""Fits with names: closed forms, evalica's strengths, degenerate data, and tables that say what was fitted."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import evalica
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from tests.approving import Approved, words_of
from tests.properties import examples

from adjudge.analyses.preferences import Prefer
from adjudge.analyses.preferences.strengths import PreferenceFit, counts_of, fit_preferences
from adjudge.core.errors import DataError, UsageError
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
    return fit_preferences(Preferences.of(rows(*told)), Prefer(**how))


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
    (part,) = found.parts
    assert (part.strengths.regularised, part.strengths.converged) == (0, True)


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
    found = fit_preferences(Preferences.of(given))
    assert {each.item: each.strength for each in found.standings} == pytest.approx(theirs.to_dict(), rel=1e-6)


def test_weights_are_repetitions() -> None:
    heavy = [PreferenceRow("a", "b", "left", weight=3.0), PreferenceRow("b", "a", "left", weight=1.0)]
    found = fit_preferences(Preferences.of(heavy))
    same = fit("a>b*3", "b>a")
    assert [each.strength for each in found.standings] == pytest.approx(
        [each.strength for each in same.standings]
    )
    assert [each.wins for each in found.standings] == [3.0, 1.0]


@examples(60)
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
    found = fit_preferences(given)
    written = json.dumps(found.as_dict(), allow_nan=False)
    assert "i0" in written
    assert "nan" not in " ".join(found.sentences())
    assert found.to_latex().count(r"\\") == len(found.standings) + 1
    assert len(found.to_frame()) == len(given.items)
    wins, losses, ties = counts_of(given.answers)
    assert wins.sum() == losses.sum()
    assert wins.sum() + ties.sum() / 2 == len(told)
    ranked = [(each.part, each.rank) for each in found.standings if each.rank is not None]
    assert ranked == sorted(ranked)
    turned = fit_preferences(
        Preferences.of(
            [
                PreferenceRow(f"i{a}", f"i{b}", {"left": "right", "right": "left", "tie": "tie"}[w])
                for a, b, w in told
            ]
        ),
    )
    mine = {each.item: each.log for each in found.standings if each.rank is not None}
    assert {each.item: -each.log for each in turned.standings} == pytest.approx(mine, abs=1e-7)


def test_one_way_wins_are_regularised_and_said(approved: Approved) -> None:
    found = fit("a>b", "b>c")
    assert [each.item for each in found.standings] == ["a", "b", "c"]
    assert found.parts[0].strengths.regularised == 0.1
    assert all(math.isfinite(each.strength) for each in found.standings)
    assert "regularised" in [note.code for note in found.notes()]
    approved(words_of(found))
    assert found.as_dict()["tables"]["strengths"][0]["se"] is None  # the curvature would be the regulariser's


def test_items_that_nobody_was_asked_about_have_no_strength(approved: Approved) -> None:
    given = Preferences.of(rows("a>b", "b>a"), items=["z", "a", "b"])
    found = fit_preferences(given)
    last = found.standings[-1]
    assert (last.item, last.rank, last.why) == ("z", None, "nobody was asked about it")
    assert math.isnan(last.strength)
    assert found.parts[0].strengths.regularised == 0  # z does not make the others fall apart
    assert found.as_dict()["tables"]["strengths"][-1]["strength"] is None
    approved(found.warnings())


def test_smoothing_tells_of_similar_items(approved: Approved) -> None:
    """c is like a, and nobody was asked about it: it gets a's place between a and b."""
    given = Preferences.of(rows("a>b*3", "b>a"), items=["a", "b", "c"])
    near = np.array([[1.0, 0.1, 0.8], [0.1, 1.0, 0.1], [0.8, 0.1, 1.0]])
    found = fit_preferences(given, Prefer(similarity="given"), similarity=near)
    assert [each.item for each in found.standings] == ["a", "c", "b"]
    assert "|smooth:given|" in found.signature
    assert math.isfinite(found.standings[0].low)
    approved(found.warnings())


def test_all_ties_are_equal(approved: Approved) -> None:
    found = fit("a=b", "b=c", "c=a")
    assert [each.rank for each in found.standings] == [1, 1, 1]
    assert [each.strength for each in found.standings] == pytest.approx([1, 1, 1])
    assert {each.verdict for each in found.pairs} == {"could not have been found"}
    approved(words_of(found))


def test_one_answer_says_nothing(approved: Approved) -> None:
    found = fit("a>b")
    a, b = found.standings
    assert (a.best, a.worst, b.best, b.worst) == (1, 2, 1, 2)
    approved(words_of(found))
    assert found.pairs[0].p == 1.0
    json.dumps(found.as_dict(), allow_nan=False)


def test_thirty_to_nothing_has_an_open_interval(approved: Approved) -> None:
    """Clopper and Pearson's bound, (0.025)^(1/30), as odds; a strength is their square root."""
    found = fit("a>b*30")
    a, b = found.standings
    chance = 0.025 ** (1 / 30)
    assert a.low == pytest.approx(math.sqrt(chance / (1 - chance)), rel=1e-5)
    assert b.high == pytest.approx(1 / a.low, rel=1e-5)
    assert (a.interval, b.interval) == ("at least 2.76", "at most 0.362")
    assert (a.open, b.open, a.regularised) == ("above", "below", True)
    assert math.isnan(a.high)
    assert math.isnan(b.low)
    (pair,) = found.pairs
    assert pair.p == pytest.approx(2 * 0.5**30)
    assert pair.low == pytest.approx(chance, rel=1e-5)
    (item, _) = found.as_dict()["tables"]["strengths"]
    assert (item["high"], item["open"]) == (None, "above")
    assert item["why"].startswith("no finite maximum")
    approved(words_of(found))
    assert "strength (regularised)" in found.table().to_text()


def test_a_group_that_won_all_its_duels_with_the_rest(approved: Approved) -> None:
    """Within each group differences are those of its own duels; between them they are open."""
    told = ("a>b*6", "b>a*4", "c>d*7", "d>c*3", "a>c*5", "b>d*5", "a>d*5", "b>c*5")
    found = fit(*told)
    pairs = {(each.a, each.b): each for each in found.pairs}
    alone = fit("a>b*6", "b>a*4").pairs[0]
    assert pairs["a", "b"].p == pytest.approx(alone.p, rel=1e-9)
    assert math.isnan(pairs["a", "c"].log_high)
    assert math.isfinite(pairs["a", "c"].log_low)
    assert pairs["a", "c"].verdict == "differ"
    assert found.counts()["differ"] == 4
    assert [(each.item, each.ranks) for each in found.standings] == [
        ("a", "1-2"),
        ("b", "1-2"),
        ("c", "3-4"),
        ("d", "3-4"),
    ]
    assert [each.worst for each in found.standings if each.best == 1] == [2, 2]
    approved(words_of(found))


def test_nothing_is_said_across_parts(approved: Approved) -> None:
    found = fit("a>b*20", "b>a*2", "x>y*9", "y>x*4", "z>y*3", "y>z*3")
    assert [(each.item, each.part, each.rank) for each in found.standings] == [
        ("x", 1, 1),
        ("y", 1, 2),
        ("z", 1, 2),
        ("a", 2, 1),
        ("b", 2, 2),
    ]
    assert len(found.parts) == 2
    for part in (1, 2):
        own = [each.log for each in found.standings if each.part == part]
        assert sum(own) == pytest.approx(0, abs=1e-9)
    chances = found.win_probabilities()
    assert chances.loc[["a", "b"], ["x", "y", "z"]].isna().all().all()
    assert found.counts()["not comparable"] == 6
    approved(words_of(found))
    alone = fit("a>b*20", "b>a*2")
    assert found.standing("a").strength == pytest.approx(alone.standing("a").strength)
    frame = found.to_frame("pairs")
    assert frame[frame["verdict"] == "not comparable"]["p"].isna().all()


def test_half_of_the_duels_is_no_preference(approved: Approved) -> None:
    found = fit("a>b*20", "b>a*20")
    assert found.counts()["not significantly different"] == 1
    approved(words_of(found))


def test_ranks_candidates_and_pairs_are_one_story(approved: Approved) -> None:
    told = ("a>b*30", "b>a*10", "b>c*12", "c>b*10", "a>c*20", "c>a*5")
    one = fit(*told)
    assert one.standings == fit(*told).standings
    a = one.standings[0]
    assert a.low < a.strength < a.high
    assert (a.best, a.worst) == (1, 1)
    assert [pair.verdict for pair in one.pairs].count("differ") == 2
    approved(words_of(one))
    assert one.how().startswith(
        "bradley-terry|items:3|answers:87|smooth:no|ties:half|position:no|regularised:0|units:answers|correct:holm"
        "|level:0.95|v:"
    )


def test_pairs_have_intervals_around_their_probability() -> None:
    found = fit("a>b*30", "b>a*10", "b>c*12", "c>b*10")
    frame = found.to_frame("pairs")
    assert list(frame.columns) == [
        *("a", "b", "probability", "low", "high", "tie", "log_ratio", "log_low", "log_high"),
        *("p", "adjusted", "verdict", "why", "wins", "losses", "ties"),
    ]
    assert len(frame) == 3
    assert ((frame["low"] < frame["probability"]) & (frame["probability"] < frame["high"])).all()
    first = frame[(frame["a"] == "a") & (frame["b"] == "b")].iloc[0]
    assert first["probability"] == pytest.approx(0.75)
    # in a chain of duels each link is a pair by itself: log 3, with the variance 1/30 + 1/10, at .05 / 3
    half = norm.ppf(1 - 0.05 / 6) * math.sqrt(1 / 30 + 1 / 10)
    assert first["log_high"] - first["log_ratio"] == pytest.approx(half, rel=1e-9)
    assert first["p"] == pytest.approx(2 * norm.sf(math.log(3) / math.sqrt(1 / 30 + 1 / 10)), rel=1e-9)


def test_a_bound_is_nought_where_only_the_step_down_finds_the_pair() -> None:
    """Three links of a chain: p of c and d is between .05 / 6 and what Holm leaves it."""
    found = fit("a>b*60", "b>a*10", "c>d*16", "d>c*4", "b>c*60", "c>b*10")
    pair = next(each for each in found.pairs if (each.a, each.b) == ("c", "d"))
    assert 0.05 / 6 < pair.p < 0.05 / 2
    assert (pair.verdict, pair.log_low, pair.low) == ("differ", 0.0, 0.5)


def test_tie_models_and_positions_are_told(approved: Approved) -> None:
    told = rows("a>b*9", "b>a*4", "a=b*5", "b>c*8", "c>b*5", "b=c*3", "a>c*4", "c>a*2")
    told += [replace(each, winner="right") for each in rows("a>b", "b>a*2", "c>b*2", "b>c*2")]
    found = fit_preferences(Preferences.of(told), Prefer(ties="davidson", position=True))
    assert found.contrasts is not None
    assert "|ties:davidson|position:yes|" in found.signature
    assert found.as_dict()["position"]["p"] < 0.05  # `rows` show the winner first
    approved(words_of(found))
    chances = found.win_probabilities()
    pair = found.pairs[0]
    assert chances.loc[pair.a, pair.b] == pytest.approx(pair.probability)
    assert chances.loc[pair.a, pair.b] + chances.loc[pair.b, pair.a] == pytest.approx(1)
    assert pair.low < pair.probability < pair.high
    data = found.as_dict()
    assert data["position"]["value"] > 1
    assert data["tie_parameter"]["low"] < data["tie_parameter"]["value"] < data["tie_parameter"]["high"]


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_chances_leave_ties_out_so_that_equal_items_have_a_half(ties: Any) -> None:
    """Half of the answers are ties: the chance to win a duel is below .5, and the verdict is `differ` all the same."""
    found = fit("a>b*60", "b>a*12", "a=b*72", ties=ties)
    (pair,) = found.pairs
    assert pair.verdict == "differ"
    assert pair.probability == pytest.approx(60 / 72, rel=1e-6)
    assert pair.tie == pytest.approx(0.5, rel=1e-6)
    assert (1 - pair.tie) * pair.probability < 0.5 < pair.low < pair.probability < pair.high
    chances = found.win_probabilities()
    assert chances.loc["a", "b"] == pytest.approx(60 / 72)
    assert chances.loc["b", "a"] == pytest.approx(12 / 72)
    shown = found.table("pairs").to_text()
    assert "of the duels decided, how likely the first is preferred to the second" in shown
    assert re.search(r"^a +b +0\.83 .* 0\.50 .*differ$", shown, re.M)
    frame = found.to_frame("pairs")
    assert frame.loc[0, "low"] > 0.5
    equal = fit("a>b*20", "b>a*20", "a=b*40", ties=ties).pairs[0]
    assert equal.probability == pytest.approx(0.5)
    assert equal.low < 0.5 < equal.high


def test_half_wins_say_nothing_of_duels_decided() -> None:
    found = fit("a>b*6", "b>a*2", "a=b*8")
    assert found.table("pairs").title == "how likely the first is preferred to the second"
    assert found.pairs[0].probability == pytest.approx(10 / 16)


def shown_first_wins(topics: int, each: int = 4, **how: Any) -> PreferenceFit:
    told = [
        PreferenceRow("a" if k % 4 else "b", "b" if k % 4 else "a", "left", f"t{t}")
        for t in range(topics)
        for k in range(each)
    ]
    return fit_preferences(Preferences.of(told), Prefer(position=True, **how))


def test_what_is_shown_first_always_wins(approved: Approved) -> None:
    """The effect of position has a bound; a won 24 of 32, which its place explains."""
    found = shown_first_wins(8)
    assert found.as_dict()["position"]["low"] > 1
    approved(words_of(found))
    position = found.as_dict()["position"]
    assert (position["value"], position["high"], position["open"]) == (None, None, "above")
    assert position["p"] < 0.05
    assert "|position:open|" in found.signature
    (pair,) = found.pairs
    assert (pair.p, pair.verdict) == (1.0, "not significantly different")
    assert "effect of position" in (pair.why or "")
    assert {each.interval for each in found.standings} == {"any"}
    assert found.counts()["differ"] == 0
    few = shown_first_wins(4)
    approved(words_of(few), "few topics")
    assert few.as_dict()["position"]["p"] == pytest.approx(0.125)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("lost", [0, 5])
def test_five_topics_could_not_have_found_anything(lost: int, ties: Any) -> None:
    """50 to 0 and 45 to 5: p is that of a sign test over the topics, and no interval says more."""
    told = [PreferenceRow("a", "b", "right" if k < lost else "left", f"t{k % 5}") for k in range(50)]
    told += [PreferenceRow("a", "b", "tie", f"t{k}") for k in range(5)] if ties != "half" and lost else []
    found = fit_preferences(Preferences.of(told), Prefer(ties=ties))
    (pair,) = found.pairs
    assert pair.p == pytest.approx(0.0625)
    assert pair.verdict == "could not have been found"
    assert found.counts()["could not have been found"] == 1
    assert "too-few-topics" in [note.code for note in found.notes()]
    assert pair.low <= 0.5
    a, b = found.standings
    assert a.low <= 1 <= b.high


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("topics", [1, 8])
def test_answers_that_are_only_ties_could_not_have_found_anything(topics: int, ties: Any) -> None:
    told = [PreferenceRow(a, b, "tie", f"t{k % topics}") for k in range(24) for a, b in ("ab", "bc")]
    found = fit_preferences(Preferences.of(told), Prefer(ties=ties))
    assert {pair.verdict for pair in found.pairs} == {"could not have been found"}
    told[0] = PreferenceRow("a", "b", "left", "t0")
    found = fit_preferences(Preferences.of(told))
    assert {pair.verdict for pair in found.pairs} == {"could not have been found"}


def test_propagated_ties_could_not_have_found_anything() -> None:
    told = [PreferenceRow(a, b, "tie", "t0") for _ in range(24) for a, b in ("ab", "bc")]
    near = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]])
    found = fit_preferences(Preferences.of(told), Prefer(similarity="by hand"), similarity=near)
    assert found.counts()["could not have been found"] == 3


def test_pairs_on_few_topics_do_not_burden_the_others() -> None:
    """a won on 7 topics, p = 2 / 2^7: ten items met on two topics alone could not have been found, and do not count."""
    told = [PreferenceRow("a", "b", "left", f"t{k}") for k in range(7)]
    assert fit_preferences(Preferences.of(told)).pairs[0].p == pytest.approx(2 / 2**7)
    told += [
        PreferenceRow("b", f"c{k}", "left" if k % 2 else "right", f"t{topic}")
        for k in range(10)
        for topic in (0, 1)
    ]
    found = fit_preferences(Preferences.of(told))
    (pair,) = [each for each in found.pairs if {each.a, each.b} == {"a", "b"}]
    assert found.compared == 66
    assert pair.adjusted == pytest.approx(pair.p) == pytest.approx(2 / 2**7)
    assert pair.verdict == "differ"
    assert found.counts()["could not have been found"] == 65


def test_many_systems_on_few_topics_could_not_have_been_found(approved: Approved) -> None:
    """120 pairs on 8 topics: 2 / 2^8 is too large for Holm, and the note says the same as the counts."""
    rng = np.random.default_rng(4)
    told = [
        PreferenceRow(f"s{i}", f"s{j}", "left" if i < j else "right", f"t{k % 8}")
        for k in range(800)
        for i, j in [rng.choice(16, 2, replace=False)]
    ]
    found = fit_preferences(Preferences.of(told))
    assert found.counts()["could not have been found"] == 120
    approved(found.warnings())


@pytest.mark.parametrize(("level", "shown"), [(0.95, "95%"), (0.999, "99.9%"), (0.995, "99.5%")])
def test_levels_are_told_from_a_hundred(level: float, shown: str) -> None:
    found = fit("a>b*9", "b>a*4", level=level)
    assert f" {shown} interval" in found.table().to_text()
    assert f" {shown} interval" in found.table("pairs").to_text()


def test_a_regulariser_on_request_tests_nothing(approved: Approved) -> None:
    found = fit("a>b*9", "b>a*2", regularise=1.0)
    assert found.standings[0].interval is None
    assert found.pairs[0].verdict == "not tested"
    approved(words_of(found))
    with pytest.raises(DataError, match="no finite maximum"):
        fit("a>b", regularise=0)


# No sentence contradicts a number on the same page


@st.composite
def duels(draw: st.DrawFn) -> list[PreferenceRow]:
    """Disconnected, one-sided, all ties, one answer, two items: all come up."""
    few = draw(st.sampled_from(["ab", "abc", "abcdef"]))
    sides = st.tuples(st.sampled_from(few), st.sampled_from(few)).filter(lambda each: each[0] != each[1])
    winners = draw(
        st.sampled_from([["left"], ["tie"], ["left", "right"], ["left", "right", "tie"], ["right", "tie"]])
    )
    topics = draw(st.sampled_from([1, 2, 3, 8]))
    size = draw(st.sampled_from([1, 3, 12, 40]))
    row = st.tuples(sides, st.sampled_from(winners), st.integers(1, topics), st.integers(1, 6))
    found = draw(st.lists(row, min_size=1, max_size=size))
    return [PreferenceRow(a, b, w, f"t{t}") for (a, b), w, t, times in found for _ in range(times)]


@examples(150)
@given(duels(), st.sampled_from(["half", "half", "davidson", "rao-kupper"]), st.booleans())
def test_no_sentence_contradicts_a_number(told: list[PreferenceRow], ties: Any, position: bool) -> None:
    found = fit_preferences(Preferences.of(told), Prefer(ties=ties, position=position))
    said, pairs = " ".join(found.sentences()), found.pairs
    json.dumps(found.as_dict(), allow_nan=False)
    by_part: dict[int | None, list[str]] = {}
    for each in found.standings:
        by_part.setdefault(each.part, []).append(each.item)
    better = {(pair.a, pair.b) for pair in pairs if pair.verdict == "differ"}

    # Pairs: verdict, p, interval and chance
    for pair in pairs:
        same = found.standing(pair.a).part == found.standing(pair.b).part
        assert (pair.verdict == "not comparable") == (not same)
        if not same:
            assert math.isnan(pair.p)
            assert math.isnan(pair.probability)
            continue
        assert pair.log_ratio >= -1e-9
        assert (pair.adjusted < 0.05) == (pair.verdict == "differ") or pair.log_ratio < 1e-6
        low = -math.inf if math.isnan(pair.log_low) else pair.log_low
        high = math.inf if math.isnan(pair.log_high) else pair.log_high
        assert low <= pair.log_ratio <= high
        assert low < high
        assert (low >= 0 and pair.log_ratio > 0) == (pair.verdict == "differ") or low == 0 == pair.log_ratio
        assert math.isnan(pair.low) == math.isnan(pair.log_low)
        # The chance says what the log ratio says: .5 for equal items, whatever the model of ties.
        assert pair.probability == pytest.approx(0.5) or (pair.probability > 0.5) == (pair.log_ratio > 0)
        if not math.isnan(pair.low):
            assert pair.low <= pair.probability + 1e-12
            assert (pair.low >= 0.5) == (pair.log_low >= 0)
        assert pair.p >= min(1.0, 2.0 ** (1 - found.topics)) - 1e-12 or found.by == "answer"
        if pair.verdict == "could not have been found":
            assert pair.p > 0.05 / found.compared
        if math.isnan(pair.low) or math.isnan(pair.high):
            assert pair.why

    # Ranks and intervals of items
    for each in found.standings:
        rank, best, worst = each.rank, each.best, each.worst
        assert rank is not None
        assert best is not None
        assert worst is not None
        assert best <= rank <= worst
        others = by_part[each.part]
        assert best == 1 + sum((o, each.item) in better for o in others)
        assert worst == len(others) - sum((each.item, o) in better for o in others)
        assert (each.open is None) == (math.isfinite(each.low) and math.isfinite(each.high))
        if each.open is None:
            assert each.low < each.high
            assert each.low <= each.strength <= each.high
            assert each.interval == f"{each.low:.3g} to {each.high:.3g}"
        else:
            assert each.why
            assert each.interval in ("any", f"at least {each.low:.3g}", f"at most {each.high:.3g}")

    # Two items: strengths and their pair are one question
    if len(by_part) == 1 and len(found.standings) == 2 and found.compared:
        [pair] = pairs
        first, second = found.standings
        apart = first.low > 1 or second.high < 1
        # Without a finite effect of position strengths have no interval, which says nothing either way.
        unbounded = position and first.open == second.open == "both"
        assert apart == (pair.verdict == "differ") or pair.log_ratio < 1e-6 or unbounded

    # Positions
    if (placed := found.as_dict()["position"]) is not None:
        low, high = (placed[end] for end in ("low", "high"))
        if placed["p"] < 0.05:
            assert (low is not None and low > 1) or (high is not None and high < 1)
        else:
            assert low is None or low <= 1
            assert high is None or high >= 1

    # The headline
    counts: dict[str, int] = {name: sum(pair.verdict == name for pair in pairs) for name in found.counts()}
    assert counts == found.counts()
    for name in ("differ", "could not have been found"):
        assert not counts[name] or sum(counts.values()) == 1 or str(counts[name]) in said
    for part, record in zip(sorted(by_part, key=str), found.as_dict()["parts"], strict=True):
        nobody_better = [i for i in by_part[part] if not any((o, i) in better for o in by_part[part])]
        assert record["candidates"] == nobody_better
    assert "nan" not in said


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


def test_assessors_are_told_apart(approved: Approved) -> None:
    checks = Preferences.of([PreferenceRow("i0", "i5", "left"), PreferenceRow("i4", "i1", "right")])
    found = fit_preferences(crowd(), Prefer(reliability=True), checks=checks)
    people = {each.name: each for each in found.assessors}
    assert list(people) == ["ann", "bob", "cyd", "lefty"]
    assert people["lefty"].left_share == 1.0
    assert "one-sided" in people["lefty"].codes
    assert people["lefty"].reliability < min(people[name].reliability for name in ("ann", "bob", "cyd")) - 0.1
    assert not people["ann"].codes
    assert people["ann"].checks > 0
    approved(found.warnings())
    assert list(found.to_frame("assessors")["name"]) == list(people)
    json.dumps(found.as_dict(), allow_nan=False)


def test_who_answers_faster_than_one_can_read_is_named(tmp_path: Path) -> None:
    timed = [replace(each, took_ms=150.0 if each.assessor == "bob" else 4000.0) for each in crowd().rows()]
    write_preferences(tmp_path / "timed.csv", timed)
    found = fit_preferences(read_preferences(tmp_path / "timed.csv"), Prefer(reliability=True))
    assert [each.name for each in found.assessors if "too-fast" in each.codes] == ["bob"]


def test_nobody_in_particular_is_no_assessor() -> None:
    given = Preferences.of(rows("a>b*3", "b>a", who="crowd-anonymous"))
    assert fit_preferences(given, Prefer(reliability=True)).assessors == ()


def test_wrong_calls() -> None:
    with pytest.raises(
        DataError, match=r"no answer to a pair to fit: 1 row was left out \(row that was skipped\)"
    ):
        fit_preferences(Preferences.of([PreferenceRow("a", "b", "skip")]))
    with pytest.raises(DataError, match="no answer to a pair to fit"):
        fit_preferences(Preferences.of([PreferenceRow("a", "b", "left", weight=0.0)]))
    with pytest.raises(UsageError, match="level is 1, expected a number between 0 and 1"):
        fit("a>b", level=1)
    with pytest.raises(UsageError, match="only where there are two; there are 0"):
        fit("a>b", independent="cluster")


def test_a_pair_of_systems_on_another_topic_is_no_repeat() -> None:
    """On t1 and t2 ann says the opposite of the same two systems; on t1 she repeats herself, sides exchanged."""
    told = [
        PreferenceRow("a", "b", "left", "t1", "ann"),
        PreferenceRow("b", "a", "right", "t1", "ann"),
        PreferenceRow("b", "a", "left", "t2", "ann"),
    ]
    checks = Preferences.of([PreferenceRow("a", "b", "left", "t2")])
    (ann,) = fit_preferences(Preferences.of(told), Prefer(reliability=True), checks=checks).assessors
    assert (ann.repeats_same, ann.repeats) == (1, 1)
    assert (ann.checks_right, ann.checks) == (0, 1)
    anywhere = Preferences.of([PreferenceRow("a", "b", "left")])
    (ann,) = fit_preferences(Preferences.of(told), Prefer(reliability=True), checks=anywhere).assessors
    assert (ann.checks_right, ann.checks) == (2, 3)
