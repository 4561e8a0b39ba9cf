"""Comparisons: ranks, intervals, groups and words follow from the matrix and the measure's direction."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from adjudge.compare import Comparison, compare
from adjudge.errors import DataError, UsageError
from adjudge.scores import Better, MeasureInfo, ScoreMatrix


def matrix(values: list[list[float]] | np.ndarray, better: Better = "higher") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    holes = tuple((f"t{i}", f"s{j}", "lost") for i, j in np.argwhere(np.isnan(array)))
    return ScoreMatrix(
        array, np.isfinite(array).astype(int), tuple(f"t{i}" for i in range(array.shape[0])),
        tuple(f"s{j}" for j in range(array.shape[1])), MeasureInfo("m", better, signature="m|v:1"),
        missing=holes,
    )  # fmt: skip


@pytest.fixture
def planted() -> np.ndarray:
    """s0 and s1 are the same but for noise, s2 is far below; 20 topics of different difficulty."""
    rng = np.random.default_rng(5)
    topic = rng.normal(size=(20, 1))
    return np.asarray(topic + rng.normal(scale=0.1, size=(20, 3)) + np.array([1.0, 1.0, 0.0]))


def test_the_planted_difference_is_found_and_the_absent_one_is_not(planted: np.ndarray) -> None:
    found = compare(matrix(planted))
    groups = {s.system: s.group for s in found.standings}
    assert groups["s2"] == "b"
    assert groups["s0"] == groups["s1"] == "a"
    assert found.standings[-1].system == "s2"
    assert found.headline() in (
        "On m s0 and s1 cannot be told from the best; 2 of 3 pairs of systems differ.",
        "On m s1 and s0 cannot be told from the best; 2 of 3 pairs of systems differ.",
    )
    assert len(list(found.sentences())) == 3


def test_lower_is_better_turns_the_ranking_round(planted: np.ndarray) -> None:
    found = compare(matrix(planted, "lower"))
    assert found.standings[0].system == "s2"
    assert found.standings[0].group == "a"
    assert "s2 stands alone at the top" in found.headline()
    assert any(s.startswith("s2 is better than") for s in found.sentences())


def test_a_description_ranks_but_never_says_better(planted: np.ndarray) -> None:
    said = " ".join(compare(matrix(planted, None)).sentences())
    assert "better" not in said
    assert "cannot be told from the highest" in said


def test_numbers_equal_scipy(planted: np.ndarray) -> None:
    found = compare(matrix(planted))
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
        bounds = stats.bootstrap(
            (column,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(1)
        ).confidence_interval
        assert (standing.low, standing.high) == pytest.approx((bounds.low, bounds.high), abs=0.06)


def test_the_seed_decides_and_zero_is_a_seed(planted: np.ndarray) -> None:
    def lows(seed: int) -> list[float]:
        return [s.low for s in compare(matrix(planted), seed=seed).standings]

    assert lows(0) == lows(0) != lows(1)
    assert compare(matrix(planted)).signature == (
        "m|v:1|topics:20|pool:mean|interval:bootstrap-percentile:0.95:2000"
        "|test:wilcoxon:zeros-wilcox:holm:0.05|seed:0"
    )


def test_missing_cells_are_counted_and_pairs_use_common_topics(planted: np.ndarray) -> None:
    planted = planted.copy()
    planted[:5, 0] = math.nan
    found = compare(matrix(planted))
    assert {s.system: s.n for s in found.standings} == {"s0": 15, "s1": 20, "s2": 20}
    assert {(p.a, p.b): p.result.n for p in found.pairs["t"]}["s1", "s2"] == 20
    assert all(p.result.n == 15 for p in found.pairs["wilcoxon"] if "s0" in (p.a, p.b))
    assert found.missing() == ["s0: 5 missing (lost)"]
    assert found.warnings() == ["means are over different topics: some cells are missing"]


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
        compare(matrix([[1.0]]), test="z")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="alpha is 1.5"):
        compare(matrix([[1.0]]), alpha=1.5)


def test_equal_means_share_a_rank() -> None:
    found = compare(matrix([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]))
    assert [(s.system, s.rank) for s in found.standings] == [("s0", 1), ("s1", 1), ("s2", 3)]


def test_frames_and_latex(planted: np.ndarray) -> None:
    found: Comparison = compare(matrix(planted))
    assert list(found.to_frame().columns) == ["system", "rank", "n", "mean", "low", "high", "group"]
    pairs = found.pairs_frame()
    assert len(pairs) == 6
    assert {
        "measure",
        "a",
        "b",
        "n",
        "test",
        "statistic",
        "p",
        "p_adjusted",
        "difference",
        "wins",
        "losses",
    } <= set(pairs.columns)
    assert r"95\% interval" in found.to_latex()
    odd = ScoreMatrix(
        planted[:, :1], np.ones((20, 1)), found.matrix.topics, (r"a_b & 50%^~\x",), MeasureInfo("m"),
    )  # fmt: skip
    assert r"a\_b \& 50\%\textasciicircum{}\textasciitilde{}\textbackslash{}x" in compare(odd).to_latex()


def test_too_few_topics_for_so_many_pairs_are_warned_about() -> None:
    def warned(topics: int, systems: int) -> bool:
        values = np.random.default_rng(0).normal(size=(topics, systems))
        found = compare(matrix(values))
        possible = stats.wilcoxon(np.arange(1, topics + 1.0), method="exact").pvalue * len(found.pairs["t"])
        assert (possible >= 0.05) == any("nothing can be found" in w for w in found.warnings())
        return bool(found.warnings())

    assert warned(5, 2)
    assert not warned(6, 2)
    assert warned(8, 5)
    assert not warned(9, 5)
    assert not compare(matrix([[1.0, 2.0], [1.5, 2.0]]), test="t").warnings()


def test_a_mean_at_the_top_does_not_hide_who_wins_topic_by_topic() -> None:
    values = np.array([[0.0, 0.1]] * 19 + [[100.0, 0.0]])
    found = compare(matrix(values))
    assert found.standings[0].system == "s0"
    assert "s0 has the best mean, but topic by topic s1 is above it" in found.headline()
    low = compare(matrix(-values, "lower"))
    assert "s0 has the best mean, but topic by topic s1 is above it" in low.headline()


def test_many_names_are_cut_and_untested_pairs_are_counted() -> None:
    rng = np.random.default_rng(1)
    values = np.hstack([rng.normal(size=(12, 9)), rng.normal(size=(12, 1)) - 50])
    assert "and 4 others cannot be told from the best; 9 of 45 pairs" in compare(matrix(values)).headline()
    values[:11, 0] = math.nan
    assert "(9 pairs could not be tested)" in compare(matrix(values)).headline()
    alone = compare(matrix([[1.0, 2.0]])).headline()
    assert alone == "On m no pair of systems can be tested: needs two topics that both have, has 1."
