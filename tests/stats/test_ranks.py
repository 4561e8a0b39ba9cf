"""Rank correlations, and rank tests of groups and blocks."""

from __future__ import annotations

import csv
import math
from dataclasses import FrozenInstanceError
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.optimize import brentq
from scipy.stats import kendalltau, spearmanr

from adjudge.core.errors import UsageError
from adjudge.stats import ranks as module
from adjudge.stats.checks import FloatArray
from adjudge.stats.ranks import (
    Groups,
    KruskalWallis,
    RankCorrelation,
    Ties,
    blocked,
    centred_ranks,
    critical_value,
    doubled_ranks,
    friedman,
    kendall,
    kendall_interval,
    kruskal_wallis,
    skillings_mack,
    spearman,
)

# Spearman's rho and Kendall's tau: plain twins, SciPy, hand counts, and the table of Lin and Hovy 2002.


FIGURE_4 = Path(__file__).parent / "data" / "lin_hovy_2002_figure4.csv"
pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12)


def twin(x: list[float], y: list[float]) -> float:
    """A value's mid-rank is half a rank for itself, one for each smaller, half for each equal one."""

    def ranks(values: list[float]) -> list[float]:
        return [sum((v < u) + (v == u) / 2 for v in values) + 0.5 for u in values]

    a, b = ranks(x), ranks(y)
    middle = (len(x) + 1) / 2
    products = [(p - middle) * (q - middle) for p, q in zip(a, b, strict=True)]
    spread = math.prod(sum((r - middle) ** 2 for r in side) for side in (a, b))
    return sum(products) / math.sqrt(spread) if spread else math.nan


@given(pairs)
def test_it_equals_the_twin(values: list[tuple[int, int]]) -> None:
    x, y = [float(a) for a, _ in values], [float(b) for _, b in values]
    result = spearman(x, y)
    assert result.n == len(values)
    assert result.rho == pytest.approx(twin(x, y) if len(x) > 1 else math.nan, nan_ok=True)
    assert (result.why is None) == (not math.isnan(result.rho))


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30, unique=True))
def test_order_alone_matters(values: list[int]) -> None:
    x = np.array(values)
    y = np.random.default_rng(len(x)).permutation(x)
    assert spearman(x, x).rho == 1.0
    assert spearman(x, -x).rho == -1.0
    assert spearman(x, np.arctan(x / 1000)).rho == 1.0
    assert spearman(x, y).rho == spearman(y, x).rho


def test_it_equals_scipy() -> None:
    rng = np.random.default_rng(7)
    for size in (3, 10, 50, 400):
        x, y = rng.integers(0, size, (2, size))
        assert spearman(x, y).rho == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_ties_counted_by_hand() -> None:
    assert doubled_ranks(np.array([30.0, 10.0, 20.0, 20.0])).tolist() == [8, 2, 5, 5]
    # ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5)
    assert spearman([1, 2, 2, 4], [1, 2, 3, 4]).rho == pytest.approx(math.sqrt(0.9))


def test_noise_ties() -> None:
    assert doubled_ranks(np.array([0.1 + 0.2, 0.3, 0.2])).tolist() == [5, 5, 2]
    assert spearman([0.1 + 0.2, 0.3, 0.2], [1, 1, 0]).rho == 1.0


def test_a_pair_with_a_gap_is_dropped() -> None:
    gap = math.nan
    assert spearman([1, gap, 2, 3], [1, 9, gap, 3]) == RankCorrelation(1.0, 2)


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([], [], "needs two pairs, has none"),
        ([1], [2], "needs two pairs, has 1"),
        ([1, math.nan], [2, 3], "needs two pairs, has 1"),
        ([2, 2, 2], [1, 2, 3], "all 3 values of x are the same"),
        ([1, 2, 3], [4, 4, 4], "all 3 values of y are the same"),
    ],
)
def test_the_undefined_says_why(x: list[float], y: list[float], why: str) -> None:
    result = spearman(x, y)
    assert math.isnan(result.rho)
    assert result.why == why


def test_wrong_arrays_and_frozen_results() -> None:
    with pytest.raises(UsageError, match="x and y: expected one length, got 2 and 3"):
        spearman([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="infinite value"):
        spearman([1, math.inf], [1, 2])
    with pytest.raises(FrozenInstanceError):
        spearman([1, 2], [1, 2]).rho = 0.0  # type: ignore[misc]


def figure_4() -> dict[str, list[float]]:
    with FIGURE_4.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return {column: [float(row[column]) for row in rows] for column in rows[0] if column != "system"}


# The rho line that the figure lacks. The paper's best, C2 with Porter's stemmer, holds; its "above 97%" does
# not hold for X3, C3 without stemming.
RHO = {
    "X1": 0.9845,
    "X2": 0.9728,
    "X3": 0.9698,
    "L1": 0.9845,
    "L2": 0.9831,
    "L3": 0.9713,
    "P1": 0.9838,
    "P2": 0.9875,
    "P3": 0.9713,
}


def test_lin_and_hovys_rankings() -> None:
    ranks = figure_4()
    found = {column: spearman(ranks["retention"], ranks[column]) for column in RHO}
    assert {column: round(result.rho, 4) for column, result in found.items()} == RHO
    assert {result.n for result in found.values()} == {16}
    assert max(found, key=lambda column: found[column].rho) == "P2"
    assert [column for column, result in found.items() if result.rho < 0.97] == ["X3"]


def test_the_table_leaves_rank_13_free() -> None:
    ranks = figure_4()
    assert all(side[-1] == 13 and 13 not in side[:-1] for side in ranks.values())


def test_without_system_z_the_values_differ() -> None:
    ranks = figure_4()
    without = {column: spearman(ranks["retention"][:-1], ranks[column][:-1]).rho for column in RHO}
    assert all(round(without[column], 4) != RHO[column] for column in RHO)


def taus(x: list[float], y: list[float]) -> float:
    """tau-b by looking at every pair."""
    pairs = [(x[i] - x[j], y[i] - y[j]) for i, j in combinations(range(len(x)), 2)]
    s = sum(int(np.sign(a) * np.sign(b)) for a, b in pairs)
    untied = sum(a != 0 for a, _ in pairs) * sum(b != 0 for _, b in pairs)
    return s / math.sqrt(untied) if untied else math.nan


@settings(deadline=None)
@given(pairs)
def test_kendall_equals_the_twin_and_all_orders(values: list[tuple[int, int]]) -> None:
    x, y = [float(a) for a, _ in values], [float(b) for _, b in values]
    result = kendall(x, y)
    assert result.n == len(values)
    assert result.tau == pytest.approx(taus(x, y), nan_ok=True)
    assert (result.why is None) == (not math.isnan(result.tau))
    if result.why is None and result.n <= 6:
        all_taus = [taus(x, list(order)) for order in permutations(y)]
        expected = np.mean([abs(tau) >= abs(result.tau) - 1e-9 for tau in all_taus])
        assert result.method == "exact"
        assert result.p == pytest.approx(expected)


@pytest.mark.parametrize("n", [2, 5, 12, 33, 60, 100, 300])
@pytest.mark.parametrize("levels", [None, 4, 40])
def test_kendall_equals_scipy(n: int, levels: int | None) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n)) if levels is None else rng.integers(0, levels, (2, n))
    result = kendall(x, y)
    tied = levels is not None and (len(set(x)) < n or len(set(y)) < n)
    expected = kendalltau(x, y, method="asymptotic" if tied or n > 100 else "exact")
    assert result.tau == pytest.approx(expected.statistic, abs=1e-12, nan_ok=True)
    if not tied or n > 8:  # with ties and few items ours is exact, and SciPy's is not
        assert result.p == pytest.approx(expected.pvalue, abs=1e-12)
        assert result.method == ("exact" if not tied and n <= 100 else "normal")


def test_perfect_agreement_is_exactly_one() -> None:
    x = np.array([0.1, 0.2, 0.2, 0.5, 0.9])
    assert kendall(x, x**2).tau == 1.0
    assert kendall(x, -x).tau == -1.0
    assert kendall(np.arange(20), np.arange(20)).p == pytest.approx(2 / math.factorial(20), rel=1e-12)
    assert (kendall(x, x).concordant, kendall(x, x).discordant) == (9, 0)


def test_kendalls_ties_are_those_of_noise() -> None:
    assert kendall([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]).tau == 1.0


def test_random_orders_come_near_the_truth() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 4, (2, 8))
    exact = kendall(x, y).p
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LISTED_UP_TO", 2)
        drawn = kendall(x, y, rng=np.random.default_rng(5), resamples=5000)
        normal = kendall(x, y)
    assert (drawn.method, normal.method) == ("permutation", "normal")
    assert drawn.p == pytest.approx(exact, abs=0.03)
    assert (drawn.p * 5001) == pytest.approx(round(drawn.p * 5001))
    assert drawn.p >= 1 / 5001


def test_what_kendall_cannot_say() -> None:
    assert kendall([1.0], [2.0]).why == "needs two items that both have, has 1"
    assert kendall([math.nan], [2.0]).why == "needs two items that both have, has none"
    assert kendall([1.0, 1.0], [2.0, 3.0]).why == "all 2 values of x are the same"
    assert math.isnan(kendall([1.0, 1.0], [2.0, 3.0]).p)


def test_the_interval_of_tau_is_a_bootstrap_of_items() -> None:
    data = np.random.default_rng(6)
    x, y = data.integers(0, 6, (2, 12)).astype(float)
    y[3] = math.nan
    found = kendall_interval(x, y, rng=np.random.default_rng(7), resamples=150, level=0.9)
    both = ~np.isnan(y)
    draws, drawn = np.random.default_rng(7), []
    for _ in range(150):
        chosen = draws.integers(0, 11, 11)
        drawn.append(taus(x[both][chosen].tolist(), y[both][chosen].tolist()))
    expected = np.nanquantile(drawn, [0.05, 0.95])
    assert (found.low, found.high) == pytest.approx((expected[0], expected[1]), abs=1e-12)
    assert (found.level, found.method, found.resamples) == (0.9, "bootstrap-percentile", 150)


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([], [])])
def test_too_little_for_an_interval(x: list[float], y: list[float]) -> None:
    found = kendall_interval(x, y, rng=np.random.default_rng(1))
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_single_and_doubled_rankings_of_figure_4() -> None:
    # Every automatic ranking agrees with the manual one better than by chance.
    ranks = figure_4()
    for column in RHO:
        assert kendall(ranks["retention"], ranks[column]).p < 1e-4


# Kruskal-Wallis against SciPy and R; intervals and pairs against a worked example, statsmodels and plain twins.


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


# Friedman's test against SciPy and R; the F of Iman and Davenport against an analysis of variance of ranks.


COMPLETE = st.tuples(st.integers(2, 8), st.integers(3, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(1, 5).map(float))
)

# Times to round first base, 22 players, three methods: the data of ?friedman.test (Hollander and Wolfe 1973)
ROUNDING = np.array(
    [
        5.40,
        5.50,
        5.55,
        5.85,
        5.70,
        5.75,
        5.20,
        5.60,
        5.50,
        5.55,
        5.50,
        5.40,
        5.90,
        5.85,
        5.70,
        5.45,
        5.55,
        5.60,
        5.40,
        5.40,
        5.35,
        5.45,
        5.50,
        5.35,
        5.25,
        5.15,
        5.00,
        5.85,
        5.80,
        5.70,
        5.25,
        5.20,
        5.10,
        5.65,
        5.55,
        5.45,
        5.60,
        5.35,
        5.45,
        5.05,
        5.00,
        4.95,
        5.50,
        5.50,
        5.40,
        5.45,
        5.55,
        5.50,
        5.55,
        5.55,
        5.35,
        5.45,
        5.50,
        5.55,
        5.50,
        5.45,
        5.25,
        5.65,
        5.60,
        5.40,
        5.70,
        5.65,
        5.55,
        6.30,
        6.30,
        6.25,
    ]
).reshape(22, 3)


@settings(deadline=None)
@given(COMPLETE, st.sampled_from([1, 10, 3]))
def test_equals_scipy_with_ties(values: FloatArray, unit: int) -> None:
    result = friedman(values / unit)
    assert (result.n, result.dropped, result.why) == (values.shape[0], 0, None)
    if (values == values[:, :1]).all():
        assert (result.statistic, result.p, result.f, result.f_p) == (0.0, 1.0, 0.0, 1.0)  # SciPy: 0/0
        return
    expected = stats.friedmanchisquare(*values.T)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("shape", [(46, 51), (12, 500), (1000, 20)])
def test_equals_scipy_on_large_matrices_friedman(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(2).normal(size=shape)
    expected = stats.friedmanchisquare(*values.T)
    result = friedman(values)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-10)


def test_equals_r_friedman() -> None:
    # R 4.2.2, friedman.test(RoundingTimes)
    result = friedman(ROUNDING)
    assert result.statistic == pytest.approx(11.142857142857142, rel=1e-12)
    assert result.df == 2
    assert result.p == pytest.approx(0.003805040775511363, rel=1e-12)
    # R 4.2.2, anova(lm(rank ~ player + method)) with the ranks within players: the row of method
    assert result.f == pytest.approx(7.121739130434773, rel=1e-12)
    assert result.f_df == (2, 42)
    assert result.f_p == pytest.approx(0.0021712983876075397, rel=1e-12)


@settings(deadline=None)
@given(COMPLETE)
def test_f_is_the_analysis_of_variance_of_the_ranks(values: FloatArray) -> None:
    ranks = stats.rankdata(values, axis=1)
    n, k = ranks.shape
    columns = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    residual = ((ranks - (k + 1) / 2) ** 2).sum() - columns
    assume(residual > 1e-9)
    f = columns / (k - 1) / (residual / ((n - 1) * (k - 1)))
    result = friedman(values)
    assert result.f == pytest.approx(f, rel=1e-9, abs=1e-12)
    assert result.f_p == pytest.approx(stats.f.sf(f, k - 1, (n - 1) * (k - 1)), rel=1e-9)


def test_rows_that_all_agree() -> None:
    # All 4 rows have one of 3! orders: the chance is 1 / 6^3. With a tie in the row there are 3 orders.
    result = friedman([[1, 2, 3]] * 4)
    assert (result.statistic, result.f) == (8.0, math.inf)
    assert result.f_p == pytest.approx(6.0**-3)
    assert friedman([[1, 3, 3]] * 4).f_p == pytest.approx(3.0**-3)


def test_two_columns_are_the_sign_test_without_correction() -> None:
    values = np.array([[1, 2], [1, 2], [1, 2], [2, 1], [1, 2.0]])
    assert friedman(values).statistic == pytest.approx((4 - 1) ** 2 / 5)


def test_incomplete_rows_are_dropped_and_counted() -> None:
    values = ROUNDING.copy()
    values[[3, 7], [0, 2]] = NAN
    result, without = friedman(values), friedman(np.delete(ROUNDING, [3, 7], axis=0))
    assert (result.n, result.dropped) == (20, 2)
    assert (result.statistic, result.f_p) == (without.statistic, without.f_p)


def test_a_column_without_scores_does_not_empty_the_table() -> None:
    result = friedman(np.insert(ROUNDING, 1, NAN, axis=1))
    assert (result.statistic, result.n, result.dropped) == (friedman(ROUNDING).statistic, 22, 0)
    assert np.isnan(result.mean_ranks).tolist() == [False, True, False, False]


def test_mean_ranks_begin_with_the_lowest() -> None:
    assert friedman([[1, 2, 3], [1, 3, 2], [5, 9, 9]]).mean_ranks == pytest.approx([1, 2.5, 2.5])


def test_ranks_are_whole_numbers_and_zero_where_missing() -> None:
    # Ranks 1, 2.5, 2.5, 4 less 2.5, doubled; then the two scores of a row with holes.
    ranks = centred_ranks(np.array([[1.0, 0.1 + 0.2 + 3, 3.3, 9.0], [NAN, 2.0, NAN, 1.0]]))
    assert ranks.tolist() == [[-3, 0, 0, 3], [0, 1, 0, -1]]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.full((3, 2), NAN), "needs two columns with scores, has none"),
        (np.array([[1.0], [2.0]]), "needs two columns with scores, has 1"),
        (np.array([[1.0, NAN], [2.0, NAN]]), "needs two columns with scores, has 1"),
        (np.array([[1.0, 2.0, 3.0]]), "needs two complete rows, has 1"),
        (np.array([[1.0, NAN], [NAN, 3.0]]), "needs two complete rows, has none"),
        (np.zeros((0, 0)), "needs two columns with scores, has none"),
        (np.zeros((0, 3)), "needs two columns with scores, has none"),
        (np.zeros((3, 0)), "needs two columns with scores, has none"),
    ],
)
def test_what_cannot_be_computed_says_why(values: FloatArray, why: str) -> None:
    result = friedman(values)
    assert result.why == why
    assert np.isnan([result.statistic, result.p, result.f, result.f_p]).all()
    assert result.n + result.dropped == values.shape[0]
    assert result.mean_ranks.size == values.shape[1]


def test_wrong_calls_are_named_friedman() -> None:
    with pytest.raises(UsageError, match="infinite value"):
        friedman([[1.0, math.inf]])


# Skillings-Mack against its published examples, Friedman, Durbin, full enumeration and a plain twin.


BOTH: tuple[Ties, ...] = ("corrected", "published")
RATINGS_SKILLINGS_MACK = st.sampled_from([1.0, 2.0, 3.0, 4.0, NAN])

# Skillings and Mack 1981, Table 1: four methods of assembly in nine blocks.
ASSEMBLY = np.array(
    [
        [3.2, 4.1, 3.8, 4.2],
        [3.1, 3.9, 3.4, 4.0],
        [4.3, 3.5, 4.6, 4.8],
        [3.5, 3.6, 3.9, 4.0],
        [3.6, 4.2, 3.7, 3.9],
        [4.5, 4.7, 3.7, NAN],
        [NAN, 4.2, 3.4, NAN],
        [4.3, 4.6, 4.4, 4.9],
        [3.5, NAN, 3.7, 3.9],
    ]
)

# Hollander and Wolfe 1999, from Brady 1969: speech fluency of eight persons under three rhythms.
METRONOME = np.array(
    [
        [3, 5, 15],
        [1, 3, 18],
        [5, 4, 21],
        [2, NAN, 6],
        [0, 2, 17],
        [0, 2, 10],
        [0, 3, 8],
        [0, 2, 13],
    ]
)


def definition(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The columns' sums and their published covariance, as they are defined."""
    rows = values[(~np.isnan(values)).sum(axis=1) >= 2]
    k = rows.shape[1]
    a, covariance = np.zeros(k), np.zeros((k, k))
    for row in rows:
        have = np.flatnonzero(~np.isnan(row))
        a[have] += np.sqrt(12 / (have.size + 1)) * (stats.rankdata(row[have]) - (have.size + 1) / 2)
        covariance[np.ix_(have, have)] -= 1
        covariance[have, have] += have.size
    return a, covariance


def twin_skillings_mack(values: FloatArray) -> tuple[float, int]:
    """The published statistic and its degrees of freedom."""
    a, covariance = definition(values)
    return float(a @ np.linalg.pinv(covariance) @ a), int(np.linalg.matrix_rank(covariance))


@pytest.mark.parametrize("ties", BOTH)
def test_the_example_of_skillings_and_mack(ties: Ties) -> None:
    # Skillings.Mack 1.10, Ski.Mack(maty), the example of its manual page: "Skillings-Mack Statistic = 15.493049 ,
    # p-value = 0.001440", "d.f. = 3"; the same package's fork of ZacWarham prints the p as 0.001440296302
    result = skillings_mack(ASSEMBLY, ties=ties)
    assert result.statistic == pytest.approx(15.493049, abs=5e-7)
    assert (result.df, result.n, result.dropped, result.parts) == (3, 9, 0, 1)
    assert result.p == pytest.approx(0.001440296302, abs=5e-13)


@pytest.mark.parametrize("ties", BOTH)
def test_the_example_of_hollander_and_wolfe(ties: Ties) -> None:
    # PMCMRplus, skillingsMackTest(x), the example of its manual page: T = 13.28095, df = 2, p = 0.001306405
    # (as the tests of tlsfuzzer quote its output)
    result = skillings_mack(METRONOME, ties=ties)
    assert result.statistic == pytest.approx(13.28095, abs=5e-6)
    assert result.df == 2
    assert result.p == pytest.approx(0.001306405, abs=5e-10)


def test_a_balanced_incomplete_design_is_durbins_test() -> None:
    # Seven persons taste three of seven ice creams each; the design and the ranks of ?agricolae::durbin.test
    # (Conover 1999). Rank sums 8, 9, 4, 3, 5, 6, 7, so Durbin's statistic is, in closed form,
    # 12 * 6 / (3 * 7 * 2 * 4) * 280 - 3 * 3 * 6 * 4 / 2 = 120 - 108 = 12.
    columns = [1, 2, 4, 2, 3, 5, 3, 4, 6, 4, 5, 7, 1, 5, 6, 2, 6, 7, 1, 3, 7]
    ranks = [2, 3, 1, 3, 1, 2, 2, 1, 3, 1, 2, 3, 3, 1, 2, 3, 1, 2, 3, 1, 2]
    values = np.full((7, 7), NAN)
    values[np.repeat(np.arange(7), 3), np.array(columns) - 1] = ranks
    result = skillings_mack(values)
    assert result.statistic == pytest.approx(12, rel=1e-12)
    assert result.df == 6
    assert result.p == pytest.approx(stats.chi2.sf(12, 6), rel=1e-12)


@settings(deadline=None)
@given(st.integers(2, 10), st.integers(2, 8), st.integers(0, 2**32 - 1), st.sampled_from(BOTH))
def test_complete_rows_without_ties_are_friedmans(n: int, k: int, seed: int, ties: Ties) -> None:
    values = np.random.default_rng(seed).normal(size=(n, k))
    result, expected = skillings_mack(values, ties=ties), friedman(values)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-12)
    assert result.df == expected.df
    assert result.p == pytest.approx(expected.p, rel=1e-11)


@settings(deadline=None)
@given(
    st.tuples(st.integers(2, 8), st.integers(2, 6)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.integers(1, 4).map(float))
    )
)
def test_complete_rows_with_ties_are_friedmans_when_corrected(values: FloatArray) -> None:
    result, expected = skillings_mack(values), friedman(values)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-11, abs=1e-11)
    assert result.p == pytest.approx(expected.p, rel=1e-10)


def test_the_published_one_is_conservative_with_ties() -> None:
    values = np.array([[1, 2, 2], [1, 2, 2], [1, 1, 2], [1, 2, 2], [1, 2, 1.0]])
    corrected, published = skillings_mack(values), skillings_mack(values, ties="published")
    assert corrected.statistic == pytest.approx(friedman(values).statistic)
    # Each row has one pair tied: 1 - 6/24 = 3/4 of the variance.
    assert published.statistic == pytest.approx(corrected.statistic * 3 / 4)
    assert published.p > corrected.p


@settings(deadline=None)
@given(
    st.tuples(st.integers(2, 9), st.integers(2, 6)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=RATINGS_SKILLINGS_MACK)
    )
)
def test_equals_the_twin_with_ties_and_holes(values: FloatArray) -> None:
    result = skillings_mack(values, ties="published")
    if result.why is not None:
        return
    statistic, df = twin_skillings_mack(values)
    assert result.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)
    assert result.df == df
    assert result.p == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-8)


def enumerated(values: FloatArray) -> FloatArray:
    """The weighted sums of all permutations within the rows, one row each."""
    sums = np.zeros((1, values.shape[1]))
    for row in values:
        have = np.flatnonzero(~np.isnan(row))
        centred = np.sqrt(12 / (have.size + 1)) * (stats.rankdata(row[have]) - (have.size + 1) / 2)
        orders = np.zeros((math.factorial(have.size), values.shape[1]))
        orders[:, have] = list(permutations(centred))
        sums = (sums[:, None, :] + orders[None, :, :]).reshape(-1, values.shape[1])
    return sums


def test_the_corrected_covariance_is_that_of_all_permutations() -> None:
    values = np.array([[1, 2, 2, NAN], [3, 1, NAN, 1], [1, NAN, 4, 1.5], [NAN, 2, 1, NAN], [2, 2, NAN, 2]])
    sums = enumerated(values)
    a, covariance = skillings_mack(values).sums, np.cov(sums.T, bias=True)
    assert sums.mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)
    expected = float(a @ np.linalg.pinv(covariance) @ a)
    assert skillings_mack(values).statistic == pytest.approx(expected, rel=1e-9)
    assert skillings_mack(values, ties="published").statistic != pytest.approx(expected, rel=1e-3)


def test_rows_with_one_score_are_dropped_and_lonely_columns_stay_out() -> None:
    more = np.full((11, 5), NAN)
    more[:9, :4] = ASSEMBLY
    more[9, 4] = 3.0
    result = skillings_mack(more)
    assert result.statistic == pytest.approx(skillings_mack(ASSEMBLY).statistic, rel=1e-14)
    assert (result.n, result.dropped, result.df, result.parts) == (9, 2, 3, 1)
    assert np.isnan(result.sums).tolist() == [False] * 4 + [True]


def test_columns_never_compared_make_parts() -> None:
    # Columns 0, 1 and columns 2, 3 are never in one row: two sign tests, added.
    values = np.array([[1, 2, NAN, NAN]] * 4 + [[NAN, NAN, 5, 3]] * 3)
    result = skillings_mack(values)
    assert (result.parts, result.df) == (2, 2)
    assert result.statistic == pytest.approx(4 + 3)
    assert list(np.sign(result.sums)) == [-1, 1, 1, -1]


@pytest.mark.parametrize("ties", BOTH)
def test_all_ties_differ_nowhere_skillings_mack(ties: Ties) -> None:
    result = skillings_mack(np.full((4, 3), 0.1), ties=ties)
    assert (result.statistic, result.p, result.why) == (0.0, 1.0, None)
    assert (result.parts, result.df) == (1, 0 if ties == "corrected" else 2)


@pytest.mark.parametrize(
    ("values", "has"),
    [
        (np.full((3, 2), NAN), "none"),
        (np.array([[1.0], [2.0]]), "none"),
        (np.array([[1.0, NAN], [NAN, 2.0]]), "none"),
        (np.array([[1.0, 2.0, 3.0]]), "1"),
        (np.zeros((0, 0)), "none"),
        (np.zeros((3, 0)), "none"),
    ],
)
def test_what_cannot_be_computed_says_why_skillings_mack(values: FloatArray, has: str) -> None:
    result = skillings_mack(values)
    assert result.why == f"needs two rows with two scores, has {has}"
    assert (result.df, result.parts, result.method) == (0, 0, None)
    assert np.isnan([result.statistic, result.p]).all()
    assert result.n + result.dropped == values.shape[0]


def test_five_hundred_columns_half_of_them_half_missing() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 500))
    values[::2, :250] = NAN
    result = skillings_mack(values)
    # The paper's own form: all columns but one.
    a, covariance = definition(values)
    statistic = float(a[1:] @ np.linalg.solve(covariance[1:, 1:], a[1:]))
    assert result.statistic == pytest.approx(statistic, rel=1e-9)
    assert result.df == 499
    assert 0.001 < result.p < 0.999


def test_wrong_calls_are_named_skillings_mack() -> None:
    with pytest.raises(UsageError, match='ties: unknown value "kept"'):
        skillings_mack(ASSEMBLY, ties="kept")  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(3, 40), (40, 3), (20, 21)])
@pytest.mark.parametrize("levels", [3, 10_000])
def test_many_columns_and_many_rows_go_two_ways_to_one_number(shape: tuple[int, int], levels: int) -> None:
    rng = np.random.default_rng(6)
    values = np.round(rng.normal(size=shape) * levels)
    values[rng.random(shape) < 0.2] = NAN
    result = skillings_mack(values, ties="published")
    statistic, df = twin_skillings_mack(values)
    assert result.statistic == pytest.approx(statistic, rel=1e-9)
    assert result.df == df


def test_two_parts_of_many_columns() -> None:
    rng = np.random.default_rng(7)
    values = np.full((6, 60), NAN)
    values[:3, :30], values[3:, 30:] = rng.normal(size=(3, 30)), rng.normal(size=(3, 30))
    result = skillings_mack(values)
    halves = friedman(values[:3, :30]).statistic + friedman(values[3:, 30:]).statistic
    assert (result.parts, result.df) == (2, 58)
    assert result.statistic == pytest.approx(halves, rel=1e-12)


def test_ratings_with_missing_halves_hold_their_level() -> None:
    # 48 topics, 1-5 ratings, four systems on all topics, two on a half each; no system is better.
    rng = np.random.default_rng(3)
    found = dict.fromkeys(BOTH, 0)
    for _ in range(400):
        ratings = 3 + rng.normal(size=(48, 1)) + rng.normal(scale=0.7, size=(48, 6))
        values = np.clip(np.round(ratings), 1, 5)
        half = rng.permutation(48)
        values[half[:24], 4] = values[half[24:], 5] = NAN
        for ties in BOTH:
            found[ties] += skillings_mack(values, ties=ties).p < 0.05
    low, high = stats.binom.ppf([0.005, 0.995], 400, 0.05)
    assert low <= found["corrected"] <= high
    assert found["published"] < low  # the check can fail


# Which of the two tests with blocks speaks: the one that uses every score.


VALUES = np.random.default_rng(0).normal(size=(8, 4))


def test_complete_rows_are_friedmans() -> None:
    result = blocked(VALUES)
    assert (result.complete, result.name, result.rows) == (True, "Friedman", 8)
    assert result.test is result.friedman
    assert result.test.statistic == friedman(VALUES).statistic


def test_a_hole_is_for_skillings_and_mack() -> None:
    values = VALUES.copy()
    values[2, 1] = NAN
    result = blocked(values)
    assert (result.complete, result.name) == (False, "Skillings-Mack")
    assert result.test is result.skillings_mack
    assert result.test.p == skillings_mack(values).p
    assert result.friedman.dropped == 1


@pytest.mark.parametrize("axis", [0, 1])
def test_an_empty_row_or_column_is_no_hole(axis: int) -> None:
    result = blocked(np.insert(VALUES, 1, NAN, axis=axis))
    assert result.complete
    assert result.test.statistic == friedman(VALUES).statistic


def test_nothing_at_all() -> None:
    for values in (np.zeros((0, 0)), np.full((2, 2), NAN), np.zeros((0, 3))):
        result = blocked(values)
        assert result.rows == 0
        assert result.test.why is not None
