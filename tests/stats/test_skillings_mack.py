"""Skillings-Mack against its published examples, Friedman, Durbin, full enumeration and a plain twin."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.ranks import Ties, friedman, skillings_mack, skillings_mack_permutation

NAN = math.nan
BOTH: tuple[Ties, ...] = ("corrected", "published")
RATINGS = st.sampled_from([1.0, 2.0, 3.0, 4.0, NAN])

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


def twin(values: FloatArray) -> tuple[float, int]:
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
        lambda shape: arrays(np.float64, shape, elements=RATINGS)
    )
)
def test_equals_the_twin_with_ties_and_holes(values: FloatArray) -> None:
    result = skillings_mack(values, ties="published")
    if result.why is not None:
        return
    statistic, df = twin(values)
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


@pytest.mark.parametrize("ties", BOTH)
def test_permutation_agrees_with_full_enumeration(ties: Ties) -> None:
    # All 6^7 * 2 = 559,872 orders within the eight persons.
    sums = enumerated(METRONOME)
    observed = skillings_mack(METRONOME).sums
    together = (~np.isnan(METRONOME)).T.astype(float) @ ~np.isnan(METRONOME)
    inverse = np.linalg.pinv(np.diag(together.sum(axis=1)) - together)
    null = np.einsum("ri,ij,rj->r", sums, inverse, sums)
    exact = float(np.mean(null >= observed @ inverse @ observed - 1e-9))
    assert 0 < exact < 0.001306405 / 4  # chi-squared is far too careful so far out
    result = skillings_mack_permutation(METRONOME, rng=np.random.default_rng(1), resamples=50_000, ties=ties)
    assert result.method == "permutation"
    assert result.p == pytest.approx(exact, abs=4 * math.sqrt(exact / 50_000) + 1 / 50_000)


@pytest.mark.parametrize("seed", range(3))
def test_permutation_with_ties_and_holes_agrees_with_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 4, size=(5, 3)).astype(float)
    values[1, 0] = values[3, 2] = NAN
    sums = enumerated(values)
    result = skillings_mack_permutation(values, rng=rng, resamples=20_000)
    assert result.null is not None
    assert result.null.shape == (20_000,)
    inverse = np.linalg.pinv(np.cov(sums.T, bias=True))
    null = np.einsum("ri,ij,rj->r", sums, inverse, sums)
    exact = float(np.mean(null >= result.statistic - 1e-9))
    assert result.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4)
    assert result.null.mean() == pytest.approx(result.df, rel=0.05)


def test_permutation_p_counts_the_observed_and_follows_the_generator() -> None:
    def p(seed: int, resamples: int = 19) -> float:
        rng = np.random.default_rng(seed)
        return skillings_mack_permutation(ASSEMBLY, rng=rng, resamples=resamples).p

    assert p(0) == p(0)
    assert p(0) == 1 / 20  # none of 19 is as far out
    assert len({p(seed, 2000) for seed in range(8)}) > 1
    alike = skillings_mack_permutation(np.ones((3, 4)), rng=np.random.default_rng(0))
    assert alike.p == 1.0


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
def test_all_ties_differ_nowhere(ties: Ties) -> None:
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
def test_what_cannot_be_computed_says_why(values: FloatArray, has: str) -> None:
    for result in (
        skillings_mack(values),
        skillings_mack_permutation(values, rng=np.random.default_rng(0)),
    ):
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


def test_wrong_calls_are_named() -> None:
    with pytest.raises(UsageError, match='ties: unknown value "kept"'):
        skillings_mack(ASSEMBLY, ties="kept")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="resamples: expected a whole number of at least 1"):
        skillings_mack_permutation(ASSEMBLY, rng=np.random.default_rng(0), resamples=0)


@pytest.mark.parametrize("shape", [(3, 40), (40, 3), (20, 21)])
@pytest.mark.parametrize("levels", [3, 10_000])
def test_many_columns_and_many_rows_go_two_ways_to_one_number(shape: tuple[int, int], levels: int) -> None:
    rng = np.random.default_rng(6)
    values = np.round(rng.normal(size=shape) * levels)
    values[rng.random(shape) < 0.2] = NAN
    result = skillings_mack(values, ties="published")
    statistic, df = twin(values)
    assert result.statistic == pytest.approx(statistic, rel=1e-9)
    assert result.df == df
    if result.parts == 1:
        permuted = skillings_mack_permutation(values, rng=rng, resamples=500)
        assert permuted.null is not None
        assert permuted.null.mean() == pytest.approx(df, rel=0.2)  # the mean of a form with its own inverse


def test_two_parts_of_many_columns() -> None:
    rng = np.random.default_rng(7)
    values = np.full((6, 60), NAN)
    values[:3, :30], values[3:, 30:] = rng.normal(size=(3, 30)), rng.normal(size=(3, 30))
    result = skillings_mack(values)
    halves = friedman(values[:3, :30]).statistic + friedman(values[3:, 30:]).statistic
    assert (result.parts, result.df) == (2, 58)
    assert result.statistic == pytest.approx(halves, rel=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        [[1, 2], [2, 1]],
        [[1, 2, NAN], [NAN, 1, 2], [2, NAN, 1]],
        [[1, 2, 3, NAN], [3, 2, 1, NAN], [NAN, NAN, 1, 2], [NAN, NAN, 2, 1]],
    ],
)
def test_sums_of_zero_are_as_far_in_as_can_be(values: list[list[float]]) -> None:
    # A statistic of 0, whatever rounding makes of it, is reached by every permutation.
    result = skillings_mack_permutation(values, rng=np.random.default_rng(0), resamples=200)
    assert 0 <= result.statistic < 1e-15
    assert result.p == 1.0


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
