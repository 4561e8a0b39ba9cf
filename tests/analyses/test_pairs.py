"""Comparisons: ranks, intervals, groups and words follow from the matrix and the measure's direction."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.approving import Approved, words_of

from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.analyses.compare.words import pair_sentence, pairs_that_differ
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.tests import TESTS
from adjudge.core.errors import DataError, UsageError
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix


def compare(
    scores: ScoreMatrix, *, family: Any = None, clusters: Sequence[str | None] | None = None, **asked: Any
) -> Comparison:
    """By Wilcoxon's test unless another is named, so that what could have been found is known for every pair."""
    return compare_matrix(scores, Compare(**{"test": "wilcoxon", **asked}), family=family, clusters=clusters)


def matrix(values: list[list[float]] | np.ndarray, better: Better = "higher") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    holes = tuple((f"t{i}", f"s{j}", "lost") for i, j in np.argwhere(np.isnan(array)))
    return ScoreMatrix(
        array,
        np.isfinite(array).astype(int),
        tuple(f"t{i}" for i in range(array.shape[0])),
        tuple(f"s{j}" for j in range(array.shape[1])),
        MeasureInfo("m", better, signature="m|v:1"),
        missing=holes,
    )


@pytest.fixture
def planted() -> np.ndarray:
    """s0 and s1 are the same but for noise, s2 is far below; 20 topics of different difficulty."""
    rng = np.random.default_rng(5)
    topic = rng.normal(size=(20, 1))
    return np.asarray(topic + rng.normal(scale=0.1, size=(20, 3)) + np.array([1.0, 1.0, 0.0]))


def test_the_planted_difference_is_found_and_the_absent_one_is_not(
    planted: np.ndarray, approved: Approved
) -> None:
    found = compare(matrix(planted))
    groups = {s.system: s.group for s in found.standings}
    assert groups["s2"] == "b"
    assert groups["s0"] == groups["s1"] == "a"
    assert found.standings[-1].system == "s2"
    assert [pair.different for pair in found.pairs["wilcoxon"]].count(True) == 2
    assert sorted(found.candidates() or ()) == ["s0", "s1"]
    approved(words_of(found))
    assert len(list(pairs_that_differ(found))) == 2
    shown = compare(matrix(planted), pairs=True).table("differences")
    assert [(row["a"], row["b"]) for row in shown.records()] == [("s0", "s1"), ("s0", "s2"), ("s1", "s2")]


def test_lower_is_better_turns_the_ranking_round(planted: np.ndarray, approved: Approved) -> None:
    found = compare(matrix(planted, "lower"))
    assert found.standings[0].system == "s2"
    assert found.standings[0].group == "a"
    assert found.candidates() == ["s2"]
    approved(words_of(compare(matrix(planted, "lower"), pairs=True)))


def test_a_description_ranks_but_never_says_better(planted: np.ndarray, approved: Approved) -> None:
    approved(words_of(compare(matrix(planted, None), pairs=True)))


def test_numbers_equal_scipy(planted: np.ndarray) -> None:
    found = compare(matrix(planted), test="all")
    for pair in found.pairs["wilcoxon"]:
        x, y = (planted[:, int(name[1])] for name in (pair.a, pair.b))
        assert pair.result.p == pytest.approx(stats.wilcoxon(x, y, method="exact").pvalue, rel=1e-12)
    for pair in found.pairs["t"]:
        x, y = (planted[:, int(name[1])] for name in (pair.a, pair.b))
        assert pair.result.p == pytest.approx(stats.ttest_rel(x, y).pvalue, rel=1e-9)
    ps = sorted(pair.result.p for pair in found.pairs["t"])
    adjusted = sorted(pair.p_adjusted for pair in found.pairs["t"])
    assert adjusted[0] == pytest.approx(min(1, 3 * ps[0]))
    for standing in found.standings:
        column = planted[:, int(standing.system[1])]
        assert standing.mean == pytest.approx(column.mean())
        bounds = stats.t.interval(0.95, 19, column.mean(), stats.sem(column))
        assert (standing.low, standing.high) == pytest.approx(bounds)


def test_the_seed_decides_and_zero_is_a_seed(planted: np.ndarray) -> None:
    def alike(seed: int) -> float:
        return max(pair.result.p for pair in compare(matrix(planted), test="mc", seed=seed).pairs["mc"])

    assert alike(0) == alike(0) != alike(1)
    assert compare(matrix(planted)).signature == (
        "compare(test=wilcoxon)|m|v:1|topics:20|pool:mean|interval:t:0.95"
        "|test:wilcoxon:zeros:wilcox:exact:300:two-sided|correct:holm:0.05|pairs:3|seed:0"
    )


def test_missing_cells_are_counted_and_pairs_use_common_topics(
    planted: np.ndarray, approved: Approved
) -> None:
    planted = planted.copy()
    planted[:5, 0] = math.nan
    found = compare(matrix(planted))
    assert {s.system: s.n for s in found.standings} == {"s0": 15, "s1": 20, "s2": 20}
    assert {(p.a, p.b): p.result.n for p in found.pairs["wilcoxon"]}["s1", "s2"] == 20
    assert all(p.result.n == 15 for p in found.pairs["wilcoxon"] if "s0" in (p.a, p.b))
    assert [note.code for note in found.notes()] == ["missing-scores", "ordered-topics"]
    approved(found.warnings())


@pytest.mark.parametrize(
    "values",
    [
        [[1.0]],
        [[1.0, 2.0]],
        [[1.0, 1.0], [1.0, 1.0]],
        [[1.0, math.nan], [2.0, math.nan]],
        [[1.0, 2.0], [2.0, 3.0]],
        [[0.0] * 30] * 2,
        [[1.0, math.nan], [math.nan, 1.0]],
    ],
)
def test_odd_matrices_give_a_result_or_a_reason(values: list[list[float]]) -> None:
    found = compare(matrix(values))
    assert found.standings
    assert found.headline()
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.to_latex().count(r"\\") == len(found.standings) + 1
    for pair in found.pairs["wilcoxon"]:
        assert not math.isnan(pair.result.p) or pair.result.why


def test_nothing_at_all_is_one_line() -> None:
    with pytest.raises(DataError, match=r"every score is missing \(lost\)"):
        compare(matrix([[math.nan], [math.nan]]))
    with pytest.raises(UsageError, match='test is "z"'):
        compare(matrix([[1.0]]), test="z")
    with pytest.raises(UsageError, match="alpha is 1.5"):
        compare(matrix([[1.0]]), alpha=1.5)


def test_equal_means_share_a_rank() -> None:
    found = compare(matrix([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]))
    assert [(s.system, s.rank) for s in found.standings] == [("s0", 1), ("s1", 1), ("s2", 3)]


def test_frames_and_latex(planted: np.ndarray) -> None:
    found: Comparison = compare(matrix(planted), test="all")
    assert list(found.to_frame().columns) == [
        "measure",
        "length",
        "form",
        "rank",
        "system",
        "kind",
        "n",
        "mean",
        "adjusted",
        "low",
        "high",
        "best",
        "worst",
        "group",
    ]
    pairs = found.to_frame("pairs")
    assert len(pairs) == 3 * len(TESTS)
    assert ",".join(pairs.columns[:15]) == (
        "measure,length,form,a,b,n,test,statistic,p,p_adjusted,difference,low,high,wins,losses"
    )
    assert len(compare(matrix(planted), test="t").to_frame("pairs")) == 3
    row = found.to_frame("effects").iloc[0]
    x, y = (planted[:, int(row[name][1])] for name in ("a", "b"))
    interval = stats.ttest_rel(x, y).confidence_interval()
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((interval.low, interval.high))
    assert r"95\% interval" in found.to_latex()
    odd = ScoreMatrix(
        planted[:, :1],
        np.ones((20, 1)),
        found.matrix.topics,
        (r"a_b & 50%^~\x",),
        MeasureInfo("m"),
    )
    assert r"a\_b \& 50\%\textasciicircum{}\textasciitilde{}\textbackslash{}x" in compare(odd).to_latex()


@pytest.mark.parametrize(("topics", "systems"), [(5, 2), (6, 2), (8, 5), (9, 5), (11, 11), (12, 11)])
def test_where_nothing_could_be_found_that_is_said(topics: int, systems: int) -> None:
    found = compare(matrix(np.random.default_rng(0).normal(size=(topics, systems))))
    possible = stats.wilcoxon(np.arange(1, topics + 1.0), method="exact").pvalue * len(
        found.pairs["wilcoxon"]
    )
    conclusions = found.as_dict()["conclusions"]
    assert (possible > 0.05) == (conclusions["could not have been found"] == len(found.pairs["wilcoxon"]))
    assert (possible <= 0.05) == (conclusions["differ"] + conclusions["not significantly different"] > 0)


def test_a_mean_at_the_top_does_not_hide_who_wins_topic_by_topic(approved: Approved) -> None:
    values = np.array([[0.0, 0.1]] * 19 + [[100.0, 0.0]])
    found = compare(matrix(values))
    assert found.standings[0].system == "s0"
    assert found.candidates() == ["s1"]
    assert found.headline() == compare(matrix(-values, "lower")).headline()
    approved(found.headline())


def test_many_names_are_cut_and_untested_pairs_are_counted(approved: Approved) -> None:
    rng = np.random.default_rng(1)
    values = np.hstack([rng.normal(size=(12, 9)), rng.normal(size=(12, 1)) - 50])
    found = compare(matrix(values))
    assert len(found.candidates() or ()) == 9
    approved(found.headline(), "nine candidates")
    values[:11, 0] = math.nan
    lost = compare(matrix(values))
    assert lost.as_dict()["conclusions"]["could not have been found"] == 9
    approved(lost.headline(), "nine out of reach")
    approved(compare(matrix([[1.0, 2.0]])).headline(), "one topic")


# What can be asked for


def test_against_one_system_only_its_pairs_are_tested(planted: np.ndarray, approved: Approved) -> None:
    found = compare(matrix(planted), against="s2")
    assert [(pair.a, pair.b) for pair in found.pairs["wilcoxon"]] in (
        [("s0", "s2"), ("s1", "s2")],
        [("s1", "s2"), ("s0", "s2")],
    )
    p = stats.wilcoxon(planted[:, 0], planted[:, 2], method="exact").pvalue
    assert found.pairs["wilcoxon"][0].p_adjusted == pytest.approx(2 * p)
    assert not found.complete
    assert {s.group for s in found.standings} == {""}
    assert all(pair.different for pair in found.pairs["wilcoxon"])
    assert found.headline() == compare(matrix(-planted, "lower"), against="s2").headline()
    approved(found.headline())
    with pytest.raises(UsageError, match='against "s9": no such system'):
        compare(matrix(planted), against="s9")


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_one_side_only_against_somebody(planted: np.ndarray, better: Better, approved: Approved) -> None:
    values = matrix(planted if better == "higher" else -planted, better)
    p = stats.wilcoxon(planted[:, 0], planted[:, 2], method="exact", alternative="greater").pvalue
    for side, expected in (("better", p), ("worse", 1 - p + stats.binom.pmf(20, 20, 0.5))):
        found = compare(values, against="s2", side=side, correct="none")
        (pair,) = [pair for pair in found.pairs["wilcoxon"] if pair.a == "s0"]
        assert pair.result.p == pytest.approx(expected)
        assert pair.different == (side == "better")
        if better == "higher":
            approved(pair_sentence(found, pair), side)
    with pytest.raises(UsageError, match="side=better needs against=SYSTEM"):
        compare(values, side="better")


def test_a_family_can_be_chosen(planted: np.ndarray) -> None:
    found = compare(matrix(planted), family=lambda systems: np.array([True, False, False]))
    assert len(found.pairs["wilcoxon"]) == 1
    assert found.pairs["wilcoxon"][0].p_adjusted == found.pairs["wilcoxon"][0].result.p
    assert len(found.to_frame("pairs")) == len(found.to_frame("effects")) == 1


@pytest.mark.parametrize("correct", CORRECTIONS)
def test_every_correction_finds_the_planted_difference_only(planted: np.ndarray, correct: str) -> None:
    found = compare(matrix(planted), correct=correct)
    assert sum(pair.different for pair in found.pairs["wilcoxon"]) == 2
    assert f"|correct:{correct}:0.05|" in found.signature
    assert all(pair.p_adjusted >= pair.result.p / 2 for pair in found.pairs["wilcoxon"])


@pytest.mark.parametrize("test", TESTS)
def test_every_test_finds_the_planted_difference_only(planted: np.ndarray, test: str) -> None:
    planted = planted - planted.mean(axis=1, keepdims=True)  # so that unpaired tests see it too
    found = compare(matrix(planted), test=test, resamples=500)
    assert [pair.different for pair in found.pairs[test]] == [False, True, True]
    assert "unpaired" not in test or "not-independent" in [note.code for note in found.notes()]


def test_a_correction_that_is_not_made_is_warned_about(planted: np.ndarray, approved: Approved) -> None:
    found = compare(matrix(planted), correct="none")
    assert [note.code for note in found.notes()] == ["not-corrected"]
    approved(found.warnings())


def test_pairs_with_too_few_topics_leave_the_family_and_are_named(
    planted: np.ndarray, approved: Approved
) -> None:
    planted = planted.copy()
    planted[5:, 1] = math.nan
    found = compare(matrix(planted), correct="westfall-young")
    approved(found.warnings())


def test_too_few_resamples_for_so_many_pairs_are_warned_about(approved: Approved) -> None:
    values = np.random.default_rng(0).normal(size=(20, 66))
    found = compare(matrix(values), correct="westfall-young", alpha=5e-5)
    assert found.as_dict()["conclusions"]["differ"] == 0
    approved([found.headline(), next(found.sentences("command"))])


def test_not_different_and_the_same_are_two_answers(planted: np.ndarray, approved: Approved) -> None:
    wide, narrow = compare(matrix(planted), margin=0.2), compare(matrix(planted), margin=0.001)
    alike = {("s0", "s1"), ("s1", "s0")}
    for found, same in ((wide, True), (narrow, False)):
        (pair,) = [pair for pair in found.pairs["wilcoxon"] if (pair.a, pair.b) in alike]
        assert pair.same is same
        assert not pair.different
    approved([wide.headline(), narrow.headline(), *pairs_that_differ(wide)])
    (pair,) = [pair for pair in narrow.pairs["wilcoxon"] if (pair.a, pair.b) in alike]
    approved(pair_sentence(narrow, pair), "undecided")
    with pytest.raises(UsageError, match="margin is -1"):
        Compare(margin=-1)


def test_ranks_that_are_left_open(planted: np.ndarray) -> None:
    found = {s.system: (s.best, s.worst) for s in compare(matrix(planted)).standings}
    assert found == {"s0": (1, 2), "s1": (1, 2), "s2": (3, 3)}


def test_clusters_are_swapped_as_wholes(planted: np.ndarray) -> None:
    clusters = [f"set{k // 2}" for k in range(20)]
    found = compare(matrix(planted), test="mc", clusters=clusters)
    assert "clusters:10" in found.signature
    assert "interval:cluster-t" in found.signature
    assert min(pair.result.p for pair in found.pairs["mc"]) == 2 / 2**10  # ten signs, exact
    with pytest.raises(UsageError, match="say test=t or test=mc"):
        compare(matrix(planted), clusters=clusters)
    with pytest.raises(UsageError, match="swaps topics one by one"):
        compare(matrix(planted), test="mc", correct="westfall-young", clusters=clusters)
    by_t = compare(matrix(planted), test="t", clusters=clusters)
    assert "sets:10" in by_t.signature
    differences = np.array([planted[2 * k : 2 * k + 2, 0] - planted[2 * k : 2 * k + 2, 1] for k in range(10)])
    [pair] = [pair for pair in by_t.pairs["t"] if {pair.a, pair.b} == {"s0", "s1"}]
    assert pair.result.p == pytest.approx(stats.ttest_1samp(differences.mean(axis=1), 0).pvalue)
    with pytest.raises(DataError, match="1 of 20 topics belong to no set"):
        compare(matrix(planted), test="mc", clusters=[None, *clusters[1:]])


@pytest.mark.parametrize("systems", [2, 500])
def test_two_and_many_systems(systems: int) -> None:
    values = np.random.default_rng(3).normal(size=(8, systems))
    found = compare(matrix(values), test="t", correct="bh")
    assert len(found.standings) == systems
    assert len(found.pairs["t"]) == systems * (systems - 1) // 2


def test_a_pair_of_constant_differences_says_why_it_has_no_statistic() -> None:
    a = np.arange(8) % 4 + 0.25
    found = compare(matrix(np.column_stack([a, a + 1, np.arange(8) ** 2 % 7])), test="hb")
    pairs = json.loads(json.dumps(found.as_dict()))["tables"]["pairs"]
    (same,) = (
        row
        for row in pairs
        if abs(row["difference"]) == 1 and row["ties"] == 0 and 8 in (row["wins"], row["losses"])
    )
    assert same["why"] is not None
    assert [row["why"] for row in pairs if row is not same] == [None, None]


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "t-unpaired", "welch", "mc", "exact"])
def test_a_pair_of_constant_differences_says_why_it_has_no_interval(test: str) -> None:
    a = np.arange(8) % 4 + 0.25
    found = compare(matrix(np.column_stack([a, a + 1, np.arange(8) ** 2 % 7])), test=test)
    for row in json.loads(json.dumps(found.as_dict()))["tables"]["pairs"]:
        assert (row["low"] is None) == (row["why"] is not None)
        if row["low"] is None:
            assert row["p"] is not None
