"""Kruskal-Wallis against SciPy and R; intervals and pairs against a worked example, statsmodels and plain twins."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.optimize import brentq

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.ranks import Groups, KruskalWallis, critical_value, kruskal_wallis

NAN = math.nan
RATINGS = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, NAN])
MATRICES = st.tuples(st.integers(1, 6), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=RATINGS)
)


def padded(*groups: list[float]) -> FloatArray:
    """Groups of different sizes as the columns of a matrix."""
    longest = max(len(group) for group in groups)
    return np.array([group + [NAN] * (longest - len(group)) for group in groups]).T


@settings(deadline=None)
@given(MATRICES, st.sampled_from([1, 10, 3]))
def test_equals_scipy_with_ties_and_missing_cells(values: FloatArray, unit: int) -> None:
    groups = [column[~np.isnan(column)] for column in values.T]
    groups = [group for group in groups if group.size]
    result = kruskal_wallis(values / unit)
    if len(groups) < 2:
        assert result.why is not None
    elif np.unique(np.concatenate(groups)).size == 1:
        assert (result.statistic, result.p, result.why) == (0.0, 1.0, None)  # SciPy: 0/0
    else:
        expected = stats.kruskal(*groups)
        assert result.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-12)
        assert result.p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("shape", [(48, 66), (1000, 40), (12, 500)])
def test_equals_scipy_on_large_matrices(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=shape) + rng.normal(scale=0.3, size=shape[1])
    values[::2, ::5] = NAN
    expected = stats.kruskal(*values.T, nan_policy="omit")
    result = kruskal_wallis(values)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-10)


def test_equals_r() -> None:
    # R 4.2.2, kruskal.test(list(x, y, z)) with the data of ?kruskal.test (Hollander and Wolfe 1973)
    result = kruskal_wallis(
        padded([2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0])
    )
    assert result.statistic == pytest.approx(0.77142857142857224, rel=1e-12)
    assert (result.df, result.total, list(result.n)) == (2, 14, [5, 4, 5])
    assert result.p == pytest.approx(0.67996477357889362, rel=1e-12)
    # R 4.2.2, kruskal.test(list(c(1,2,2,3,5), c(3,3,4,5), c(4,5,5,5,2,4)))
    tied = kruskal_wallis(padded([1, 2, 2, 3, 5], [3, 3, 4, 5], [4, 5, 5, 5, 2, 4]))
    assert tied.statistic == pytest.approx(3.4045454545454632, rel=1e-12)
    assert tied.p == pytest.approx(0.18226880567473705, rel=1e-12)


def test_h_is_between_by_total_not_by_within() -> None:
    # The paper's footnote 1 says "within"; R and SciPy divide by the total.
    values = np.array([[1.0, 4.0, 2.0], [3.0, 6.0, 5.0]])
    ranks = values  # they are their own ranks
    between = 2 * ((ranks.mean(axis=0) - 3.5) ** 2).sum()
    total = ((ranks - 3.5) ** 2).sum()
    result = kruskal_wallis(values)
    assert result.statistic == pytest.approx(5 * between / total)
    assert result.share == pytest.approx(between / total)
    assert result.statistic != pytest.approx(5 * between / (total - between))


def test_rows_and_columns_are_the_same_groups_turned_round() -> None:
    values = np.array([[1.0, 4.0, 2.0], [3.0, 6.0, NAN]])
    rows, columns = kruskal_wallis(values, groups="rows"), kruskal_wallis(values.T)
    assert rows.statistic == columns.statistic
    assert list(rows.n) == [3, 2]
    assert list(rows.mean_ranks) == [7 / 3, 4.0]  # ranks 1, 4, 2 and 3, 5


def test_the_intervals_of_a_worked_example() -> None:
    # Scores 1 to 6 in three groups of two are their own ranks; the mean ranks are 1.5, 3.5, 5.5.
    #   V = 6 * 7 / 12 = 3.5                              no ties
    #   crit = q(.95; 3, inf) / sqrt 2 = 3.3144931575530 / 1.4142135623731 = 2.3437006     R 4.2.2, qtukey(.95, 3, Inf)
    #   a pair differs beyond crit * sqrt(3.5/2 + 3.5/2) = 2.3437006 * 1.8708287 = 4.3846624
    #   half-width 2.1923312: the outer two, 4 apart, still overlap
    result = kruskal_wallis([[1, 3, 5], [2, 4, 6]])
    assert list(result.mean_ranks) == [1.5, 3.5, 5.5]
    assert result.variance == 3.5
    assert result.critical == pytest.approx(2.3437006, abs=1e-7)
    assert float(result.cutoff(0, 2)) == pytest.approx(4.3846624, abs=2e-7)
    assert result.low == pytest.approx([1.5 - 2.1923312, 3.5 - 2.1923312, 5.5 - 2.1923312], abs=1e-7)
    assert result.high == pytest.approx([1.5 + 2.1923312, 3.5 + 2.1923312, 5.5 + 2.1923312], abs=1e-7)
    assert not result.different().any()
    # R 4.2.2, ptukey(4 * sqrt(2) / sqrt(3.5), 3, Inf, lower.tail = FALSE)
    assert result.pair_p(np.array([0]), np.array([2])) == pytest.approx([0.082295996864657051], rel=1e-9)


def test_ties_make_the_variance_smaller() -> None:
    # Ranks 1.5, 1.5, 3.5, 3.5: V = 4*5/12 - 2*(8-2)/(12*3) = 5/3 - 1/3 = 4/3, the variance of the mid-ranks.
    result = kruskal_wallis([[0, 1], [0, 1]])
    assert result.variance == pytest.approx(4 / 3, rel=1e-15)
    assert result.variance == pytest.approx(np.var([1.5, 1.5, 3.5, 3.5], ddof=1))
    assert list(result.mean_ranks) == [1.5, 3.5]


def test_two_groups_have_the_normal_critical_value() -> None:
    assert critical_value(2, 0.05) == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)
    # By hand: ranks 1 to 5 against 6 to 10, V = 10*11/12, z = 5 / sqrt(V * 2/5).
    result = kruskal_wallis(np.array([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]).T)
    z = 5 / math.sqrt(10 * 11 / 12 * 2 / 5)
    assert result.statistic == pytest.approx(z**2)
    assert result.pair_p(np.array([0]), np.array([1])) == pytest.approx([2 * stats.norm.sf(z)], rel=1e-10)
    assert result.different().tolist() == [[False, True], [True, False]]


def range_quantile(k: int, level: float) -> float:
    """The quantile of the range of k standard normals from its integral, in plain words."""
    z = np.linspace(-9, 20, 6001)

    def below(q: float) -> float:
        inside = (stats.norm.cdf(z) - stats.norm.cdf(z - q)) ** (k - 1)
        return float(k * (z[1] - z[0]) * (stats.norm.pdf(z) * inside).sum())

    return float(brentq(lambda q: below(q) - level, 0.01, 15, xtol=1e-13))


@pytest.mark.parametrize("k", [2, 3, 10, 46, 66, 500, 5000])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_critical_value_is_precise_for_many_groups(k: int, alpha: float) -> None:
    assert critical_value(k, alpha) * math.sqrt(2) == pytest.approx(range_quantile(k, 1 - alpha), abs=1e-10)


@settings(deadline=None)
@given(
    st.integers(2, 7),
    st.integers(1, 9),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.05, 0.4]),
    st.sampled_from([3, 1000]),
)
def test_equal_sizes_intervals_are_disjoint_exactly_where_pairs_differ(
    k: int, n: int, seed: int, alpha: float, levels: int
) -> None:
    rng = np.random.default_rng(seed)
    values = np.round((rng.normal(size=(n, k)) + 2 * rng.normal(size=k)) * levels)
    result = kruskal_wallis(values, alpha=alpha)
    assert result.equal_sizes
    different = result.different()
    for i, j in combinations(range(k), 2):
        disjoint = result.low[i] > result.high[j] or result.low[j] > result.high[i]
        assert different[i, j] == different[j, i] == disjoint
    assert result.differing().tolist() == different.sum(axis=0).tolist()
    first, second = np.triu_indices(k, 1)
    assert ((result.pair_p(first, second) < alpha) == different[first, second]).all()


def test_with_equal_sizes_both_answers_occur() -> None:
    # The property above must not hold for want of differences.
    rng = np.random.default_rng(3)
    different = kruskal_wallis(rng.normal(size=(20, 6)) + np.arange(6)).different()
    assert 0 < different.sum() < 30


def test_unequal_sizes_follow_hochberg_and_the_pairs_decide() -> None:
    from statsmodels.sandbox.stats.multicomp import simultaneous_ci

    rng = np.random.default_rng(4)
    values = rng.normal(size=(40, 5)) + np.array([0.0, 0.2, 0.5, 1.0, 1.5])
    for column, n in enumerate([40, 3, 12, 12, 40]):
        values[n:, column] = NAN
    result = kruskal_wallis(values)
    assert not result.equal_sizes
    # statsmodels 0.14.5 or later, simultaneous_ci(q, variance, sizes): half-widths for a common variance
    q = result.critical * math.sqrt(2)
    half = simultaneous_ci(q, result.variance, result.n)
    assert (result.high - result.low) / 2 == pytest.approx(half, rel=1e-12)
    for i, j in combinations(range(5), 2):
        cutoff = result.critical * math.sqrt(result.variance * (1 / result.n[i] + 1 / result.n[j]))
        assert float(result.cutoff(i, j)) == pytest.approx(cutoff)
        assert result.different_from(i)[j] == (abs(result.mean_ranks[i] - result.mean_ranks[j]) > cutoff)


def test_unequal_sizes_can_overlap_and_yet_differ() -> None:
    # Why the pairs decide: least squares cannot make all sums of half-widths right.
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(300):
        values = rng.normal(size=(30, 4)) + rng.normal(size=4)
        for column, n in enumerate([30, 2, 30, 5]):
            values[n:, column] = NAN
        result = kruskal_wallis(values)
        for i, j in combinations(range(4), 2):
            disjoint = result.low[i] > result.high[j] or result.low[j] > result.high[i]
            found += bool(result.different()[i, j] != disjoint)
    assert found > 0


def test_two_groups_of_different_sizes_are_exact() -> None:
    result = kruskal_wallis(padded([1, 2, 3, 4, 5, 6, 7, 8], [9, 10]))
    assert result.high[0] - result.mean_ranks[0] == pytest.approx(float(result.cutoff(0, 1)) / 2)
    assert result.high[1] - result.mean_ranks[1] == pytest.approx(float(result.cutoff(0, 1)) / 2)


def any_different(critical: float | None) -> float:
    """How often some pair of ten alike groups of twenty differs, in 2,000 draws."""
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(2000):
        result = kruskal_wallis(rng.normal(size=(20, 10)))
        apart = result.mean_ranks.max() - result.mean_ranks.min()
        scale = critical if critical is not None else result.critical
        found += bool(apart > scale * math.sqrt(2 * result.variance / 20))
    return found / 2000


def test_any_false_finding_happens_one_time_in_twenty() -> None:
    low, high = stats.binom.ppf([0.005, 0.995], 2000, 0.05) / 2000
    assert low <= any_different(None) <= high
    assert any_different(float(stats.norm.ppf(0.975))) > high  # without the correction the check fails


def test_floating_point_noise_ties() -> None:
    noisy = kruskal_wallis([[0.1 + 0.2, 0.5], [0.3, 0.7]])
    assert noisy.variance == kruskal_wallis([[0.3, 0.5], [0.3, 0.7]]).variance


@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_a_group_without_scores_stays_out(groups: Groups) -> None:
    values = np.array([[1.0, 4.0, 2.0], [3.0, 6.0, 5.0]])
    without = kruskal_wallis(values, groups=groups)
    with_one = np.insert(values, 1, NAN, axis=0 if groups == "rows" else 1)
    result = kruskal_wallis(with_one, groups=groups)
    assert (result.statistic, result.df, result.p) == (without.statistic, without.df, without.p)
    assert result.n[1] == 0
    assert np.isnan([result.mean_ranks[1], result.low[1], result.high[1]]).all()
    assert not result.different()[1].any()
    assert np.isnan(result.pair_p(np.array([0]), np.array([1])))
    assert result.equal_sizes


def undefined(result: KruskalWallis) -> bool:
    numbers = [result.statistic, result.p, *result.low, *result.high]
    return bool(np.isnan(numbers).all()) and result.df == 0 and not result.different().any()


@pytest.mark.parametrize(
    ("values", "has"),
    [
        (np.full((3, 2), NAN), "none"),
        (np.array([[1.0, NAN], [2.0, NAN]]), "1"),
        (np.array([[1.0]]), "1"),
        (np.zeros((0, 0)), "none"),
        (np.zeros((0, 3)), "none"),
        (np.zeros((3, 0)), "none"),
    ],
)
def test_fewer_than_two_groups_say_why(values: FloatArray, has: str) -> None:
    result = kruskal_wallis(values)
    assert result.why == f"needs two groups with scores, has {has}"
    assert undefined(result)
    assert not result.differing().any()
    first, second = np.triu_indices(values.shape[1], 1)
    assert np.isnan(result.pair_p(first, second)).all()


def test_all_ties_differ_nowhere() -> None:
    result = kruskal_wallis(np.full((4, 3), 0.2))
    assert (result.statistic, result.p, result.share, result.why) == (0.0, 1.0, 0.0, None)
    assert (result.low == result.high).all()
    assert not result.different().any()
    first, second = np.triu_indices(3, 1)
    assert (result.pair_p(first, second) == 1).all()


def test_one_score_per_group_is_computed_as_scipy_does() -> None:
    result = kruskal_wallis([[3.0, 1.0, 2.0]])
    assert result.p == pytest.approx(stats.kruskal([3.0], [1.0], [2.0]).pvalue)


def test_wrong_calls_are_named() -> None:
    with pytest.raises(UsageError, match="values: expected 2 dimension"):
        kruskal_wallis([1.0, 2.0])
    with pytest.raises(UsageError, match='groups: unknown value "cells"'):
        kruskal_wallis([[1.0]], groups="cells")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="alpha: expected a number between 0 and 1"):
        kruskal_wallis([[1.0]], alpha=5)
