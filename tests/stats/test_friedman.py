"""Friedman's test against SciPy and R; the F of Iman and Davenport against an analysis of variance of ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.ranks import centred_ranks, friedman

NAN = math.nan
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
def test_equals_scipy_on_large_matrices(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(2).normal(size=shape)
    expected = stats.friedmanchisquare(*values.T)
    result = friedman(values)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-10)


def test_equals_r() -> None:
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


def test_wrong_calls_are_named() -> None:
    with pytest.raises(UsageError, match="infinite value"):
        friedman([[1.0, math.inf]])
