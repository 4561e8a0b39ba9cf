"""The exact permutation test against all swaps, against SciPy, and its bounds where scores are rounded."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import Alternative, wilcoxon
from adjudge.stats.resampling.exact import CELLS, MOST_ERROR, exact_pairs

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
SCORES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=9)


def enumerated(z: FloatArray, alternative: Alternative) -> float:
    """p over all sign vectors of whole differences."""
    sums = np.array(list(product([1, -1], repeat=z.size))) @ z
    if alternative == "two-sided":
        return float(np.mean(np.abs(sums) >= abs(z.sum())))
    return float(np.mean(sums >= z.sum() if alternative == "greater" else sums <= z.sum()))


@examples(150)
@given(SCORES, st.sampled_from([1, 10, 3, 7, 1_000_003]), st.sampled_from(ALTERNATIVES))
def test_equals_enumeration(pairs: list[tuple[int, int]], unit: int, alternative: Alternative) -> None:
    # The twin sees whole numbers; 1/1,000,003 is no grid, and so few differences are gone through.
    whole = np.array(pairs, dtype=float)
    result = exact_pairs(whole / unit, alternative=alternative)
    assert result.p[0] == pytest.approx(enumerated(whole[:, 0] - whole[:, 1], alternative), rel=1e-12)
    assert (result.bound[0], result.method, result.why) == (0.0, ("exact",), {})


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_equals_scipy(alternative: Alternative) -> None:
    # SciPy 1.17.1, permutation_test over all 2^9 swaps (n_resamples=inf). Continuous scores, so that nothing ties.
    rng = np.random.default_rng(1)
    values = rng.normal(size=(9, 3))
    result = exact_pairs(values, alternative=alternative)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        expected = stats.permutation_test(
            (values[:, i], values[:, j]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative=alternative,
        )
        assert result.p[k] == pytest.approx(expected.pvalue, rel=1e-12)
        assert result.statistic[k] == pytest.approx(expected.statistic, rel=1e-12)


def test_of_equal_sizes_it_is_the_sign_test() -> None:
    # Closed form: n differences of one size, m of them positive; p is twice the binomial tail.
    n, m = 60, 40
    values = np.column_stack([np.where(np.arange(n) < m, 0.7, 0.1), np.where(np.arange(n) < m, 0.1, 0.7)])
    tail = sum(comb(n, k) for k in range(m, n + 1)) / 2**n
    assert exact_pairs(values).p[0] == pytest.approx(2 * tail, rel=1e-12)
    assert exact_pairs(values, alternative="greater").p[0] == pytest.approx(tail, rel=1e-12)
    less = sum(comb(n, k) for k in range(m + 1)) / 2**n
    assert exact_pairs(values, alternative="less").p[0] == pytest.approx(less, rel=1e-12)


def test_of_ranks_it_is_the_wilcoxon_test() -> None:
    # Differences 1 to n are their own ranks, so that the two null distributions are one, in the far tail too.
    rng = np.random.default_rng(2)
    z = np.arange(1, 101) * np.where(rng.random(100) < 0.7, 1, -1)
    assert exact_pairs(np.column_stack([z, 0 * z])).p[0] == pytest.approx(wilcoxon(z, 0 * z).p, rel=1e-11)
    assert exact_pairs(np.column_stack([np.abs(z), 0 * z])).p[0] == 2.0**-99


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("cells", [300, 2000, 40_000])
def test_rounded_scores_bound_the_exact_p(alternative: Alternative, cells: int) -> None:
    # Four decimals need some 50,000 steps; with fewer cells they are rounded, and the bounds hold.
    rng = np.random.default_rng(3)
    values = (
        rng.normal(size=(30, 1)) + rng.normal(scale=0.3, size=(30, 12)) + np.linspace(0, 0.3, 12)
    ).round(4)
    exact = exact_pairs(values, alternative=alternative, cells=2**22)
    assert set(exact.method) == {"exact"}
    rounded = exact_pairs(values, alternative=alternative, cells=cells)
    kept = np.array([m == "rounded" for m in rounded.method])
    assert kept.sum() > (5 if cells == 300 else 60)
    assert (rounded.bound[kept] > 0).all()
    assert (rounded.p[kept] - rounded.bound[kept] - 1e-12 <= exact.p[kept]).all()
    assert (exact.p[kept] <= rounded.p[kept] + 1e-12).all()
    # The bounds are near: a hundred times as many cells, a hundredth of the width.
    assert rounded.bound[kept].max() < 500 / cells


def test_the_bounds_are_needed() -> None:
    # A rounded p taken for exact would be wrong by more than rounding in floating point.
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 8)).round(4)
    exact, rounded = exact_pairs(values, cells=2**22), exact_pairs(values, cells=1000)
    assert np.nanmax(np.abs(exact.p - rounded.p)) > 1e-4


def test_without_a_grid_the_bound_is_small() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(48, 1)) + rng.normal(scale=0.3, size=(48, 10))
    result = exact_pairs(values)
    assert set(result.method) == {"rounded"}
    assert result.bound.max() < 2e-3
    # On the fine grid of six decimals, with a table that holds it, p is exact and inside.
    near = exact_pairs(values.round(6)[:, :2], cells=2**25)
    assert near.method == ("exact",)
    assert result.p[0] - result.bound[0] - 1e-5 <= near.p[0] <= result.p[0] + 1e-5


def test_a_grid_is_the_pairs_own() -> None:
    # The third system has no grid; the first two keep theirs, and their p is exact.
    rng = np.random.default_rng(5)
    values = np.column_stack([rng.integers(1, 6, (40, 2)), rng.normal(3, 1, 40)])
    result = exact_pairs(values)
    assert result.method == ("exact", "rounded", "rounded")
    assert result.p[0] == exact_pairs(values[:, :2]).p[0]


def test_missing_topics_change_nothing() -> None:
    rng = np.random.default_rng(6)
    values = rng.integers(1, 6, (30, 5)) / 10
    values[rng.random(values.shape) < 0.2] = np.nan
    result = exact_pairs(values)
    for k, (i, j) in enumerate(combinations(range(5), 2)):
        both = values[:, [i, j]][~np.isnan(values[:, [i, j]]).any(axis=1)]
        assert result.p[k] == exact_pairs(both).p[0]
        assert result.counts.n[k] == len(both)


def test_the_two_sides_mirror_each_other() -> None:
    values = np.random.default_rng(7).integers(0, 100, (25, 6)) / 100
    pairs = list(combinations(range(6), 2))
    turned = [pairs.index((5 - j, 5 - i)) for i, j in pairs]
    less = exact_pairs(values[:, ::-1], alternative="less").p[turned]
    assert np.array_equal(exact_pairs(values, alternative="greater").p, less)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([[1.0, 2.0]], "needs two topics that both have, has 1"),
        ([[1.0, np.nan], [np.nan, 2.0]], "needs two topics that both have, has none"),
        (np.empty((0, 2)), "needs two topics that both have, has none"),
        (np.full((3, 2), np.nan), "needs two topics that both have, has none"),
    ],
)
def test_too_few_topics_say_so(values: FloatArray, why: str) -> None:
    result = exact_pairs(values)
    assert (result.why, result.method) == ({0: why}, (None,))
    assert np.isnan([result.p[0], result.statistic[0], result.bound[0]]).all()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    "values",
    [
        np.array([[0.1 + 0.2, 0.3], [0.5, 0.5], [0.7, 0.7]]),
        np.full((40, 2), 0.123456789123),
        np.column_stack([np.pi * np.arange(40), np.pi * np.arange(40) * (1 + 1e-15)]),
    ],
)
def test_no_difference_anywhere_gives_p_1(values: FloatArray, alternative: Alternative) -> None:
    result = exact_pairs(values, alternative=alternative)
    assert (result.p[0], result.why) == (1.0, {})


@pytest.mark.parametrize("scale", [1e300, 1e-300, np.pi, np.pi * 1e200, 1 / 1009])
def test_any_step_will_do(scale: float) -> None:
    # Ratings in another unit, or standardised, are no decimals; but their differences are multiples of one number.
    ratings = np.random.default_rng(1).integers(0, 9, (20, 4)).astype(float)
    result = exact_pairs(ratings * scale + np.e * scale)
    assert result.p == pytest.approx(exact_pairs(ratings).p, rel=1e-12)
    assert set(result.method) == {"exact"}


def test_a_step_must_hold_for_all() -> None:
    # One difference is off by a millionth of the step: there is no grid, and the ties are gone.
    values = np.pi * np.random.default_rng(1).integers(0, 9, (20, 2))
    assert exact_pairs(values).method == ("exact",)
    values[3, 0] += 1e-6
    assert exact_pairs(values).method != ("exact",)


def test_too_small_a_table_is_said() -> None:
    rng = np.random.default_rng(8)
    values = np.cumsum(rng.normal(size=(40, 2)), axis=1)
    result = exact_pairs(values, cells=8)
    assert np.isnan([result.p[0], result.bound[0]]).all()
    assert result.why[0].startswith("p is between ")
    assert result.why[0].endswith(" with 8 cells; give more, or swap at random")
    assert result.method == (None,)
    more = exact_pairs(values)
    assert more.bound[0] < MOST_ERROR


def test_many_systems_and_many_topics() -> None:
    ratings = np.random.default_rng(9).integers(1, 6, (12, 500))
    assert len(exact_pairs(ratings)) == 500 * 499 // 2
    long = np.random.default_rng(9).integers(1, 6, (3000, 2))
    result = exact_pairs(long)
    # At n = 3,000 the sum is as good as normal.
    z = (long[:, 0] - long[:, 1]).astype(float)
    normal = 2 * stats.norm.sf((abs(z.sum()) - 1) / np.sqrt((z**2).sum()))
    assert result.p[0] == pytest.approx(normal, abs=1e-3)


def test_the_signature_and_wrong_options() -> None:
    values = [[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]]
    assert exact_pairs(values).signature == f"exact|cells:{CELLS}|two-sided"
    assert "exact permutation, p = 1" in exact_pairs(values).at(0).sentence("A", "B")
    with pytest.raises(UsageError, match="cells: expected a whole number of at least 2"):
        exact_pairs(values, cells=1)
    with pytest.raises(UsageError, match="alternative: unknown value"):
        exact_pairs(values, alternative="more")  # type: ignore[arg-type]
