"""Conclusions hold: what could be found, what a correction needs, and no line that contradicts another."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.compare import Compare, compare_all
from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.compare.several_words import scope_words
from adjudge.analyses.compare.words import pair_sentence, tally
from adjudge.analyses.conclusions import MOST_RESAMPLES, resamples_for
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.core.errors import AdjudgeError, DataError, UsageError


def frame(values: np.ndarray) -> pd.DataFrame:
    """Topics x systems, as people have it."""
    names = [f"s{j:02d}" for j in range(values.shape[1])]
    return pd.DataFrame(values, columns=names, index=[f"t{i:03d}" for i in range(len(values))])


def compare(scores: Any, measure: Any = None, **asked: Any) -> Comparison:
    """By Wilcoxon's test unless another is named: of ranks it is known what could have been found."""
    named = {} if "tests" in asked else {"test": "wilcoxon"}
    return adjudge.compare(scores, measure, **{**named, **asked})


def conclusions(found: Comparison) -> dict[str, int]:
    """How many pairs have each conclusion, of those that occur."""
    return {name: n for name, n in found.as_dict()["conclusions"].items() if n}


def ratings(topics: int, systems: int, seed: int = 1, apart: float = 0.15) -> np.ndarray:
    """Ratings in thirds, of systems that get worse one by one."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(topics, 1)) * 0.5 - apart * np.arange(systems)
    three = quality[:, :, None] + rng.normal(size=(topics, systems, 3))
    return np.asarray(np.clip(np.rint(three + 4), 1, 5).mean(axis=2))


# Could it have been found?


def test_random_swaps_rise_with_the_number_of_pairs() -> None:
    values = ratings(100, 16)
    found = compare(frame(values), test="mc")
    assert "|test:mc:statistic:mean:resamples:24000:" in found.signature
    many = compare(frame(values), test="mc", resamples=100_000)
    assert found.tested["mc"].different.sum() == pytest.approx(many.tested["mc"].different.sum(), abs=2)
    assert found.tested["mc"].different.sum() > 50


def test_resamples_that_were_asked_for_stay_and_what_they_cannot_find_is_said(approved: Approved) -> None:
    found = compare(frame(ratings(100, 16)), test="mc", resamples=2000)
    assert ":resamples:2000:" in found.signature
    assert found.as_dict()["conclusions"]["could not have been found"] == 120
    approved(found.headline())


def test_the_rise_has_an_end() -> None:
    assert resamples_for(Compare(test="mc"), 1) == 2000
    assert resamples_for(Compare(test="mc"), 120) == 24_000
    assert resamples_for(Compare(test="mc", alpha=0.01), 120) == 120_000
    assert resamples_for(Compare(test="mc", correct="none"), 120) == 2000
    assert resamples_for(Compare(test="mc"), 20_000) == MOST_RESAMPLES
    assert resamples_for(Compare(test="mc"), 124_750) == 2000  # whatever they are, nothing could be found
    assert resamples_for(Compare(test="mc", resamples=99), 120) == 99


def test_many_systems_on_few_topics_by_wilcoxon(approved: Approved) -> None:
    # 2^-19 is the smallest p of 20 topics; 44,850 pairs ask for .05 / 44,850.
    found = compare(frame(np.random.default_rng(1).normal(size=(20, 300))))
    assert found.as_dict()["conclusions"]["could not have been found"] == 44_850
    approved(found.headline())
    assert set(found.to_frame("pairs")["conclusion"]) == {"could not have been found"}


def test_pairs_with_few_and_tied_topics_cannot_be_found(approved: Approved) -> None:
    # Humans as in DUC 2006: each on its own topics, pairs with few in common, and ties.
    rng = np.random.default_rng(4)
    values = np.full((40, 6), np.nan)
    for human in range(6):
        topics = rng.choice(40, size=14, replace=False)
        values[topics, human] = rng.integers(3, 6, size=14)
    found = compare(frame(values))
    assert max(pair.result.wins + pair.result.losses for pair in found.pairs["wilcoxon"]) < 9
    assert found.as_dict()["conclusions"]["could not have been found"] == 15
    approved(found.headline())
    one = found.pairs["wilcoxon"][0]
    assert one.smallest == 2.0 ** (1 - one.result.wins - one.result.losses)
    approved(pair_sentence(found, one), "pair")


def test_pairs_that_cannot_count_do_not_burden_the_others(approved: Approved) -> None:
    rng = np.random.default_rng(5)
    values = np.full((30, 12), np.nan)
    values[:10, :2] = rng.normal(size=(10, 2)) + np.array([2.0, 0.0])
    values[:3, 2:] = rng.normal(size=(3, 10))  # 65 pairs on three topics
    found = compare(frame(values))
    (pair,) = [p for p in found.pairs["wilcoxon"] if {p.a, p.b} == {"s00", "s01"}]
    assert pair.p_adjusted == pytest.approx(pair.result.p)
    assert pair.different
    assert conclusions(found) == {"differ": 1, "could not have been found": 65}
    approved(found.headline())


def test_systems_without_a_common_topic_are_not_comparable(approved: Approved) -> None:
    values = np.full((20, 3), np.nan)
    rng = np.random.default_rng(6)
    values[:10, 0], values[10:, 1] = rng.normal(size=(2, 10))
    values[:, 2] = rng.normal(size=20) - 3
    found = compare(frame(values))
    assert conclusions(found)["not comparable"] == 1
    approved(words_of(found))
    apart = compare(frame(values[:, :2]))
    assert conclusions(apart) == {"not comparable": 1}
    approved(words_of(apart), "two")


def test_westfall_young_rows_name_their_own_test(approved: Approved) -> None:
    found = compare(frame(ratings(30, 5)), correct="westfall-young")
    rows = found.to_frame("pairs")
    assert set(rows["test"]) == {"westfall-young"}
    assert set(rows["method"]) == {"swaps"}
    approved(words_of(found))
    first = rows.iloc[0]
    x, y = (frame(ratings(30, 5))[name] for name in (first["a"], first["b"]))
    # T^p of the differences, as SciPy has it
    assert first["statistic"] == pytest.approx(stats.ttest_rel(x, y).statistic)


# Intervals


def test_league_intervals_are_students_and_a_ceiling_has_none(approved: Approved) -> None:
    rng = np.random.default_rng(7)
    values = np.column_stack([rng.normal(size=20), np.where(np.arange(20) < 4, 4.0, 5.0)])
    found = compare(frame(values))
    places = {s.system: s for s in found.standings}
    expected = stats.t.interval(0.95, 19, values[:, 0].mean(), stats.sem(values[:, 0]))
    assert (places["s00"].low, places["s00"].high) == pytest.approx(expected)
    assert math.isnan(places["s01"].low)
    (note,) = [note for note in found.notes() if note.code == "no-interval"]
    assert note.data == {"systems": ["s01"]}
    approved(found.warnings())
    values[4, 1] = 4.0
    assert not math.isnan(compare(frame(values)).standings[0].low)


def test_three_topics_that_vary_have_an_interval() -> None:
    values = np.array([[0.1, 0.2], [0.3, 0.1], [0.5, 0.4]])
    assert not math.isnan(compare(frame(values)).standings[0].low)


def test_missing_cells_order_by_adjusted_means(approved: Approved) -> None:
    # The easy topics are missing for the better system: its raw mean is lower.
    rng = np.random.default_rng(8)
    values = np.linspace(0, 5, 20)[:, None] + [0.5, 0.0, 0.0] + rng.normal(scale=0.05, size=(20, 3))
    values[12:, 0] = np.nan
    found = compare(frame(values))
    first = found.standings[0]
    assert first.system == "s00"
    assert first.mean < found.standings[1].mean
    assert first.adjusted - found.standings[1].adjusted == pytest.approx(0.5, abs=0.1)
    assert "adjusted" in found.to_frame()
    # As many topics, but others.
    swapped = values.copy()
    swapped[12:, 0], swapped[:8, 1], swapped[8:16, 2] = np.nan, np.nan, np.nan
    other = compare(frame(swapped))
    assert [note.code for note in other.notes()][-1].startswith("ordered-")
    approved(other.warnings())
    # The same topics for all, fewer than there are: nothing is different.
    same = values.copy()
    same[12:] = np.nan
    assert not compare(frame(same)).warnings(without=("missing-scores",))


@pytest.mark.parametrize("correct", ["holm", "bonferroni", "bh", "none"])
def test_intervals_of_a_t_test_are_those_of_its_correction(correct: str) -> None:
    values = np.random.default_rng(9).normal(size=(25, 6)) + 0.2 * np.arange(6)
    found = compare(frame(values), test="t", correct=correct)
    tested = found.tested["t"]
    level = {"none": 0.05, "bh": 0.05 * max(1, tested.different.sum()) / 15}.get(correct, 0.05 / 15)
    for row in found.to_frame("pairs").to_dict("records"):
        d = frame(values)[row["a"]] - frame(values)[row["b"]]
        low, high = stats.t.interval(1 - level, 24, d.mean(), stats.sem(d))
        if correct == "holm" and row["conclusion"] == "differ":  # only the step-down finds some
            low, high = (max(low, 0), high) if row["difference"] > 0 else (low, min(high, 0))
        assert (row["low"], row["high"]) == pytest.approx((low, high))
    by_name = compare(frame(values), test="t", correct=correct, intervals="pointwise", level=0.9)
    row = by_name.to_frame("pairs").iloc[0]
    d = frame(values)[row["a"]] - frame(values)[row["b"]]
    assert (row["low"], row["high"]) == pytest.approx(stats.t.interval(0.9, 24, d.mean(), stats.sem(d)))
    assert row["interval"] == "pointwise-t"


# Several measures


def two_measures() -> pd.DataFrame:
    rng = np.random.default_rng(10)
    rows = [
        (measure, f"t{i}", system, rng.normal() + (1.0 if system == "a" else 0.0))
        for measure in ("m1", "m2")
        for i in range(12)
        for system in ("a", "b", "c")
    ]
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "value"])


def test_it_is_said_over_what_p_is_corrected(approved: Approved) -> None:
    each = compare_all(two_measures())
    assert [c.corrected for c in each] == [3, 3]
    approved(scope_words(each), "each")
    every = compare_all(two_measures(), across="measures")
    approved(scope_words(every), "measures")
    assert "|pairs:3 of 6|" in every[0].signature
    p = [pair.result.p for c in every for pair in c.pairs["t"]]
    adjusted = [pair.p_adjusted for c in every for pair in c.pairs["t"]]
    ranked = np.sort(p) * np.arange(6, 0, -1)
    assert sorted(adjusted) == pytest.approx(np.minimum(1, np.maximum.accumulate(ranked)))
    with pytest.raises(UsageError, match="is for one measure"):
        compare_all(two_measures(), across="measures", correct="westfall-young")


def test_a_primary_measure_comes_first(approved: Approved) -> None:
    found = compare_all(two_measures(), primary="m2")
    assert [(c.measure, c.role) for c in found] == [("m2", "primary"), ("m1", "secondary")]
    approved([found[1].headline(), scope_words(found)])
    approved(scope_words(compare_all(two_measures(), primary="m2", across="measures")), "across measures")
    with pytest.raises(UsageError, match='the primary measure "m2" is not among those'):
        compare_all(two_measures(), ["m1"], primary="m2")


# No line contradicts another


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, dict[str, Any]]:
    topics, systems = draw(st.integers(1, 14)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    apart = draw(st.sampled_from([0.0, 0.5, 2.0]))
    values = rng.normal(size=(topics, systems)) + apart * np.arange(systems) + rng.normal(size=(topics, 1))
    if draw(st.booleans()):
        values = np.clip(np.rint(values + 3), 1, 5)
    missing = rng.random(values.shape) < draw(st.sampled_from([0.0, 0.3, 0.6]))
    values[missing] = np.nan
    test = draw(st.sampled_from(["wilcoxon", "t", "sign", "exact", "mc", "welch"]))
    asked: dict[str, Any] = {
        "test": test,
        "correct": draw(st.sampled_from(list(CORRECTIONS))),
        "resamples": 300,
    }
    if draw(st.booleans()):
        asked["margin"] = draw(st.sampled_from([0.1, 1.0]))
    return values, asked


@settings(deadline=None)
@given(tables())
def test_no_sentence_contradicts_a_number(given_table: tuple[np.ndarray, dict[str, Any]]) -> None:
    values, asked = given_table
    try:
        found = compare(frame(values), **asked)
    except AdjudgeError:
        assert np.isnan(values).all()
        return
    agrees(found)


def agrees(found: Comparison) -> None:
    rows = found.to_frame("pairs").to_dict("records")
    nonsense = re.compile(r"\b(nan|inf)\b|-0\.0+\b")
    places = {s.system: s for s in found.standings}
    sign = -1 if found.matrix.info.better == "lower" else 1
    better: dict[str, set[str]] = {name: set() for name in places}
    for row, pair in zip(rows, found.pairs[found.test], strict=True):
        different = row["conclusion"] == "differ"
        assert different == (row["p_adjusted"] <= found.alpha * (1 + 1e-9))
        if different:
            high, low = (row["a"], row["b"]) if row["statistic"] * sign > 0 else (row["b"], row["a"])
            better[low].add(high)
            if row["statistic"] * row["difference"] > 0 and not math.isnan(row["low"]):
                assert row["low"] >= 0 or row["high"] <= 0
        else:
            assert math.isnan(row["low"]) or row["low"] <= 0 <= row["high"]
        assert not nonsense.search(pair_sentence(found, pair))
        assert math.isnan(row["low"]) or row["low"] - 1e-12 <= row["difference"] <= row["high"] + 1e-12
        assert different != bool(set(places[row["a"]].group) & set(places[row["b"]].group))
    size = len(places)
    for name, place in places.items():
        beats = sum(name in above for above in better.values())
        if not _circular(better):
            assert (place.best, place.worst) == (1 + len(better[name]), size - beats)
    wins = sum(map(len, better.values()))
    assert conclusions(found).get("differ", 0) == wins
    assert sum(conclusions(found).values()) == len(rows)
    if found.complete:
        assert set(found.candidates() or ()) == {name for name in places if not better[name]}
    assert str(wins) in found.headline() or wins < 2
    assert not nonsense.search(" ".join(found.sentences()))


def _circular(better: dict[str, set[str]]) -> bool:
    names = list(better)
    above = np.array([[b in better[a] for b in names] for a in names])
    reach = above.copy()
    for _ in names:
        reach |= (reach.astype(int) @ above.astype(int)) > 0
    return bool(reach.diagonal().any())


def test_values_of_any_size_are_compared_or_explained() -> None:
    rng = np.random.default_rng(11)
    for scale in (1e300, 1e-300, 1.0):
        agrees(compare(frame(rng.normal(size=(8, 3)) * scale)))
        for test in ("t", "sign", "exact", "mc", "hb", "welch", "t-unpaired"):
            agrees(compare(frame(rng.normal(size=(8, 3)) * scale), test=test))
    constant = compare(frame(np.tile([3.0, 2.0], (9, 1))), test="t")
    assert conclusions(constant) == {"differ": 1}


def test_columns_for_scripts(tmp_path: Path) -> None:
    found = compare(frame(ratings(20, 4)), test="mc", margin=0.5)
    rows = found.to_frame("pairs")
    assert (rows["cutoff"] > 0).all()
    assert rows["smallest_p"].between(0, 1).all()
    assert set(rows["verdict"]) <= {
        "different",
        "different by less than the margin",
        "equivalent",
        "undecided",
    }
    json = found.as_dict()
    assert sum(json["conclusions"].values()) == len(rows) == len(list(combinations(range(4), 2)))
    assert json["candidates"]


def test_skewed_differences_whose_mean_may_be_0_are_pointed_out(approved: Approved) -> None:
    rng = np.random.default_rng(3)
    values = np.column_stack([np.full(40, 1.0), 4 * rng.exponential(size=40) ** 2])
    values[:, 1] += 1 - values[:, 1].mean()
    found = compare(frame(values))
    assert found.tested["wilcoxon"].different.all()
    assert [note.code for note in found.notes()] == ["no-interval", "means-unsure"]
    approved(found.warnings())
    by_t = compare(frame(values), test="t")
    assert "means-unsure" not in [note.code for note in by_t.notes()]


def test_beyond_the_most_resamples_another_correction_is_named(approved: Approved) -> None:
    # 226 systems: 25,425 pairs, more than 500,000 resamples could find at .05.
    found = compare(frame(np.random.default_rng(2).normal(size=(6, 226))), test="mc")
    approved(found.headline(), "six topics")  # 2^-5 is the smallest p
    found = compare(frame(np.random.default_rng(2).normal(size=(16, 226))), test="mc")
    assert ":resamples:2000:" in found.signature
    approved(found.headline(), "sixteen topics")


def test_one_side_is_said_as_one_side(approved: Approved) -> None:
    values = np.random.default_rng(12).normal(size=(20, 4)) + np.array([0.0, 3.0, 0.1, 0.0])
    found = compare(frame(values), against="s00", side="better")
    assert conclusions(found) == {"differ": 1, "not significantly different": 2}
    approved(found.headline(), "better")
    worse = compare(frame(values), against="s00", side="worse")
    assert "differ" not in conclusions(worse)
    approved(worse.headline(), "worse")
    assert np.isnan(found.to_frame("pairs")["high"]).all()
    assert not np.isnan(found.to_frame("pairs")["low"]).any()


def test_scores_too_large_to_compute_with_are_named() -> None:
    with pytest.raises(
        DataError, match=r"the score of s01 on t002 is 1e\+305, expected no more than 1e\+302"
    ):
        compare(frame(np.array([[1.0, 2.0], [2.0, 3.0], [1.0, 1e305]])))


def test_large_scores_are_not_written_out() -> None:
    found = compare(frame(np.random.default_rng(1).normal(size=(9, 2)) * 1e300))
    assert max(map(len, str(found.table()).splitlines())) < 200
    assert "e+" in str(found.table())


def test_differences_that_are_all_the_same_have_the_sign_test(approved: Approved) -> None:
    found = compare(frame(np.tile([3.0, 2.0], (9, 1)) + np.arange(9.0)[:, None]), test="t")
    assert conclusions(found) == {"differ": 1}
    assert found.pairs["t"][0].result.p == 2.0**-8
    approved(found.headline())


def test_random_swaps_follow_the_rule_of_exact_tests() -> None:
    # Two pairs of six can be found, by swaps or by enumeration; the others have too few topics that do not tie.
    rng = np.random.default_rng(5)
    values = np.full((20, 4), 5.0)
    values[:6, 1] -= rng.integers(1, 4, size=6)
    values[6:8, 2] -= 1
    values[8:10, 3] -= 1
    by_swaps, exact = (compare(frame(values), test=test) for test in ("mc", "exact"))
    assert (
        conclusions(by_swaps)
        == conclusions(exact)
        == {"not significantly different": 2, "could not have been found": 4}
    )
    rows = by_swaps.to_frame("pairs")
    assert (rows["p"] >= rows["smallest_p"]).all()


def test_systems_that_tie_everywhere_could_not_have_been_found(approved: Approved) -> None:
    same = frame(np.tile(np.arange(8.0)[:, None], (1, 3)))
    for test in ("wilcoxon", "t", "welch", "sign", "mc", "hb"):
        found = compare(same, test=test)
        assert conclusions(found) == {"could not have been found": 3}
    approved(found.headline())


def test_pairs_without_a_common_topic_are_counted_where_nothing_could_be_found(approved: Approved) -> None:
    values = np.full((6, 3), np.nan)
    values[:3, :2], values[3:, 2] = np.random.default_rng(1).normal(size=(3, 2)), 1.0
    found = compare(frame(values))
    assert conclusions(found) == {"could not have been found": 1, "not comparable": 2}
    approved(found.headline())


def test_the_margin_is_in_the_signature() -> None:
    assert "|margin:0.5|" in compare(frame(ratings(20, 3)), margin=0.5).signature


def test_the_hybrid_bootstrap_of_few_topics_cannot_find_what_it_could_not(approved: Approved) -> None:
    three = frame(np.array([[1.0, 100.0], [2.0, 101.01], [3.0, 102.02]]))
    found = compare(three, test="hb")
    assert conclusions(found) == {"could not have been found": 1}
    approved(tally(found), "three topics")
    assert found.to_frame("pairs")["smallest_p"].iloc[0] > 0.05
    eight = frame(np.random.default_rng(1).normal(size=(8, 2)))
    noise = compare(eight, test="hb")
    assert conclusions(noise) == {"not significantly different": 1}
    approved(tally(noise), "eight topics")


def test_intervals_follow_a_correction_over_all_measures() -> None:
    each, every = (compare_all(two_measures(), test="t", across=across)[0] for across in ("each", "measures"))
    assert each.pair_intervals["t"].level == pytest.approx(1 - 0.05 / 3)
    assert every.pair_intervals["t"].level == pytest.approx(1 - 0.05 / 6)


def test_effects_at_a_ceiling_have_no_interval(approved: Approved) -> None:
    values = np.full((20, 3), 5.0)
    values[0, 0], values[1, 1], values[:6, 2] = 4.0, 4.0, [1.0, 2.0, 3.0, 4.0, 3.5, 2.5]
    found = compare(frame(values), effects=True)
    rows = found.to_frame("effects").set_index(["a", "b"])
    ends = ["mean_low", "standardised_low", "hodges_lehmann_low", "hodges_lehmann_high"]
    assert rows.loc[("s00", "s01"), ends].isna().all()  # 18 of 20 differences are 0
    assert rows.loc[("s00", "s02"), ends].notna().all()  # five differ from the commonest
    assert rows["superiority_low"].notna().all()
    table = found.table("effects")
    shown = [at for at, column in enumerate(table.columns) if not column.data]
    assert [table.rows[0][at] for at in shown[:3]] == ["0", "0", "0"]
    approved(found.notes_of("effects-without-interval"))


def test_equivalence_that_could_not_have_been_shown_is_said(approved: Approved) -> None:
    values = np.random.default_rng(3).normal(size=(4, 3))
    found = compare(frame(values), margin=100.0)
    assert set(found.to_frame("pairs")["verdict"]) == {"undecided"}
    approved(found.headline(), "four topics")
    # With eight topics the smallest p is 1/256, and three pairs need 1/60.
    found = compare(frame(np.random.default_rng(3).normal(size=(8, 3))), margin=100.0)
    assert set(found.to_frame("pairs")["verdict"]) == {"equivalent"}
    approved(found.headline(), "eight topics")
    # By Student's t any p may come out.
    found = compare(frame(values), margin=0.01, test="t")
    assert set(found.to_frame("pairs")["verdict"]) == {"undecided"}
    approved(found.headline(), "t")


def test_a_statistic_that_nothing_resamples_is_refused() -> None:
    values = frame(np.random.default_rng(3).normal(size=(8, 3)))
    with pytest.raises(UsageError, match="statistic=w is what mc and hb resample.*say test=mc:w"):
        compare(values, statistic="w")
    with pytest.raises(UsageError, match="statistic=t is what"):
        compare(values, test="mc:w", statistic="t")
    assert "mc" in compare(values, test="mc", statistic="w").signature


def test_means_that_differ_by_rounding_share_a_rank() -> None:
    column = np.array([0.1, 0.7, 0.3, 0.9, 0.2, 0.6, 0.35])
    values = np.column_stack([column, column[::-1], column[[3, 1, 0, 2, 6, 5, 4]], column + 0.1])
    means = values[:, :3].mean(axis=0)
    assert len(set(means.tolist())) > 1  # one sum in several orders
    assert [s.rank for s in compare(frame(values)).standings] == [1, 2, 2, 2]
    values[0, 3] = math.nan
    values = np.column_stack([values, values[:, 0]])
    ranks = {p.system: p.rank for p in adjudge.groups(frame(values)).places}
    assert ranks["s00"] == ranks["s04"]


def test_ties_at_a_ceiling_show_no_equivalence(approved: Approved) -> None:
    rng = np.random.default_rng(7)
    values = np.where(rng.random((25, 4)) < 0.93, 5.0, 4.0)
    found = compare(frame(values), margin=0.1)
    approved(found.headline())
    rows = found.to_frame("pairs")
    assert set(rows["verdict"]) == {"undecided"}
    # Scores that vary and hardly differ are the same within a wide margin.
    noise = rng.normal(size=(25, 1)) + 0.01 * rng.normal(size=(25, 3))
    same = compare(frame(noise), margin=0.1)
    assert set(same.to_frame("pairs")["verdict"]) == {"equivalent"}


def test_several_assessors_are_said(approved: Approved) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"topic": f"t{t}", "system": s, "assessor": a, "value": rng.normal()}
        for t in range(8)
        for s in ("x", "y", "z")
        for a in ("ann", "bob")
    ]
    approved(compare(pd.DataFrame(rows)).headline(), "two")
    by_groups, by_topics = adjudge.groups(pd.DataFrame(rows)), adjudge.topics(pd.DataFrame(rows))
    for result, code in ((by_groups, "few-assessors"), (by_topics, "several-assessors")):
        assert code in [note.code for note in result.notes()]
        approved(result.warnings(), result.asked.NAME)
    one = pd.DataFrame(rows).query("assessor == 'ann'")
    approved(compare(one).headline(), "one")


def test_sets_are_counted_where_sets_are_swapped(approved: Approved) -> None:
    rng = np.random.default_rng(1)
    table = frame(rng.normal(size=(16, 2)))
    long = table.rename_axis("topic").reset_index().melt("topic", var_name="system")
    long["set"] = "d" + (long["topic"].str[1:].astype(int) // 4).astype(str)
    found = compare(long, test="mc", cluster="set")
    [pair] = found.pairs["mc"]
    approved(pair_sentence(found, pair))


def test_one_topic_that_differs_is_no_tie(approved: Approved) -> None:
    """Its smallest p is 1, as where all tie; only there systems tie on every topic."""
    tied = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    one = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 4.0]])
    approved([compare(frame(values)).headline() for values in (tied, one)])
