"""Means of columns and their t intervals; columns at a ceiling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.bootstrap import t_means, varied
from adjudge.stats.checks import FloatArray

# Means of columns and their t intervals: R's t.test, SciPy's t distribution, and what is missing.


VALUES = [0.31, 0.27, 0.44, 0.39, 0.25]


# R 4.2.2, options(digits=17); t.test(c(.31,.27,.44,.39,.25), conf.level=LEVEL)$conf.int
@pytest.mark.parametrize(
    ("level", "low", "high"),
    [
        (0.95, 0.23173995691942617, 0.43226004308057386),
        (0.90, 0.25501700824620988, 0.40898299175379021),
    ],
)
def test_intervals_are_those_of_r(level: float, low: float, high: float) -> None:
    found = t_means([[v] for v in VALUES], level=level)
    assert found.mean[0] == pytest.approx(0.332, rel=1e-15)
    assert [found.low[0], found.high[0]] == pytest.approx([low, high], rel=1e-13)


@examples(60)
@given(st.lists(st.floats(-100, 100) | st.just(math.nan), min_size=1, max_size=12))
def test_a_column_is_what_scipy_says_of_its_present_cells(column: list[float]) -> None:
    found = t_means(np.array([column, column[::-1]]).T)
    present = [v for v in column if not math.isnan(v)]
    assert found.n.tolist() == [len(present)] * 2
    if len(present) < 2:
        assert np.isnan(found.low).all()
        assert np.isnan(found.high).all()
    else:
        half = stats.t.ppf(0.975, len(present) - 1) * np.std(present, ddof=1) / math.sqrt(len(present))
        assert found.low[0] == pytest.approx(np.mean(present) - half, rel=1e-9, abs=1e-9)
        assert found.high[1] == pytest.approx(np.mean(present) + half, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("power", [-1000, -600, 600, 998])
def test_values_however_small_or_large(power: int) -> None:
    values = np.random.default_rng(power + 1000).normal(size=(9, 3))
    values[0, 1] = math.nan
    plain, found = t_means(values), t_means(np.ldexp(values, power))
    for x, y in ((found.mean, plain.mean), (found.low, plain.low), (found.high, plain.high)):
        np.testing.assert_allclose(np.ldexp(x, -power), y, rtol=1e-12)


def test_an_interval_that_does_not_fit_is_none() -> None:
    found = t_means([[1e302], [-1e302]], level=1 - 1e-12)
    assert found.mean[0] == 0
    assert math.isnan(found.low[0])
    assert math.isnan(found.high[0])


def test_one_value_has_a_mean_and_no_interval() -> None:
    found = t_means([[1.5, math.nan, 2.0], [math.nan, math.nan, 2.0]])
    assert found.n.tolist() == [1, 0, 2]
    assert found.mean[0] == 1.5
    assert math.isnan(found.mean[1])
    assert math.isnan(found.low[0])
    assert (found.low[2], found.high[2]) == (2.0, 2.0)


def test_the_level_is_checked() -> None:
    with pytest.raises(UsageError, match="level: expected a number between 0 and 1"):
        t_means([[1.0]], level=95)


# How many values differ from the commonest one.


def plainly_varied(column: list[float]) -> int:
    """Ten obvious lines: chain values that are equal but for noise, and leave out the longest chain."""
    chains: list[list[float]] = []
    for value in sorted(v for v in column if not math.isnan(v)):
        last = chains[-1][-1] if chains else math.nan
        if abs(value - last) <= 1e-12 * max(abs(value), abs(last)):
            chains[-1].append(value)
        else:
            chains.append([value])
    return sum(map(len, chains)) - max(map(len, chains), default=0)


NEAR = [
    0.0,
    -0.0,
    1.0,
    1 + 1e-15,
    1 + 1e-13,
    1 + 1e-11,
    5.0,
    -5.0,
    1e-300,
    1e300,
    -1e302,
    1e302,
    math.nan,
]


@examples(200)
@given(arrays(np.float64, st.tuples(st.integers(0, 12), st.integers(0, 4)), elements=st.sampled_from(NEAR)))
def test_values_that_differ_from_the_commonest_are_counted_as_the_plain_twin_does(values: FloatArray) -> None:
    assert varied(values).tolist() == [plainly_varied(column) for column in values.T.tolist()]


def test_a_ceiling_is_seen_through_noise() -> None:
    ceiling = [5.0] * 16 + [5 * (1 + 2e-16), 4.0, 4.0, 3.0]
    thirds = [1 / 3 + 1 / 3 + 1 / 3, 1.0, 0.1 + 0.2 + 0.7, 2 / 3, math.nan] * 4
    spread = [float(k) for k in range(20)]
    offset = [1e15 + k for k in range(20)]  # apart by less than the rounding of 1e15 allows for
    assert varied(np.array([ceiling, thirds, spread, offset]).T).tolist() == [3, 4, 19, 0]
<<<<<<< HEAD
=======


# Bootstrap intervals against a plain twin, against SciPy, and by simulation.


def plain(values: FloatArray, seed: int, resamples: int, level: float) -> FloatArray:
    """Ten obvious lines: draw rows, average what is there, take quantiles."""
    rng = np.random.default_rng(seed)
    rows, columns = values.shape
    draws = [values[rng.integers(0, rows, size=rows)] for _ in range(resamples)]
    bounds = np.full((2, columns), np.nan)
    for column in range(columns):
        cells = [draw[:, column][~np.isnan(draw[:, column])] for draw in draws]
        means = [cell.mean() for cell in cells if cell.size]
        if means and np.count_nonzero(~np.isnan(values[:, column])) >= 2:
            bounds[:, column] = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return bounds


@examples(40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.integers(1, 150),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_the_plain_twin_gives_the_same_numbers(
    seed: int, rows: int, columns: int, missing: float, resamples: int, level: float
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns))
    values[rng.random(values.shape) < missing] = np.nan
    twin = plain(values, seed, resamples, level)
    found = bootstrap_means(values, rng=np.random.default_rng(seed), resamples=resamples, level=level)
    np.testing.assert_allclose(found, twin, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("block", [1, 7, 500])
def test_blocks_do_not_change_the_numbers(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(size=(40, 6))
    values[3, 2] = np.nan
    usual = bootstrap_means(values, rng=np.random.default_rng(2), resamples=200)
    monkeypatch.setattr(bootstrap, "BLOCK", block)
    other = bootstrap_means(values, rng=np.random.default_rng(2), resamples=200)
    np.testing.assert_allclose(other, usual, rtol=1e-13)
    different = bootstrap_means(values, rng=np.random.default_rng(3), resamples=200)
    assert not np.allclose(different, usual, rtol=1e-6)


def test_scipy_agrees_within_monte_carlo_error() -> None:
    values = np.random.default_rng(4).gamma(2.0, size=(46, 1))
    low, high = bootstrap_means(values, rng=np.random.default_rng(5), resamples=20_000)
    expected = stats.bootstrap(
        (values[:, 0],),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(6),
    ).confidence_interval
    # A 2.5 % quantile of 20,000 normal draws has a standard error of about .019 deviations.
    error = 5 * 0.019 * float(values.std()) / 46**0.5
    assert low[0] == pytest.approx(expected.low, abs=error)
    assert high[0] == pytest.approx(expected.high, abs=error)


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    # 400 columns that share no rows' luck: independent columns, true mean 0.
    low, high = bootstrap_means(rng.normal(size=(50, 400)), rng=rng, resamples=1000, level=0.9)
    covered = np.mean((low <= 0) & (high >= 0))
    assert 0.84 < covered < 0.95  # .9 less the percentile method's bias of about .01, 4 errors


def test_all_columns_see_the_same_rows() -> None:
    column = np.random.default_rng(8).normal(size=30)
    values = np.column_stack([column, column + 1, 2 * column])
    low, high = bootstrap_means(values, rng=np.random.default_rng(9), resamples=300)
    np.testing.assert_allclose(low, [low[0], low[0] + 1, 2 * low[0]], rtol=1e-9)
    np.testing.assert_allclose(high, [high[0], high[0] + 1, 2 * high[0]], rtol=1e-9)


def test_a_column_with_less_than_two_values_has_no_interval() -> None:
    nan = np.nan
    values = [[nan, 1.0, 1.0], [nan, nan, 2.0], [nan, nan, nan]]
    low, high = bootstrap_means(values, rng=np.random.default_rng(10), resamples=50)
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [True, True, False]
    one_row = bootstrap_means([[1.0, 2.0]], rng=np.random.default_rng(10))
    assert np.isnan(one_row).all()
    assert bootstrap_means(np.zeros((0, 0)), rng=np.random.default_rng(0))[0].size == 0


def test_a_column_that_is_never_drawn_has_no_interval() -> None:
    # Two values among 1,000 rows, one resample: this seed draws neither; column 1 is complete.
    values = np.full((1000, 2), np.nan)
    values[:2, 0] = 1.0, 2.0
    values[:, 1] = np.arange(1000)
    assert np.random.default_rng(1).integers(0, 1000, size=1000).min() >= 2
    low, _ = bootstrap_means(values, rng=np.random.default_rng(1), resamples=1)
    assert np.isnan(low).tolist() == [True, False]


def test_large_matrices_fit() -> None:
    # The draws as indices would take 1.6 GB, the gathered cells 320 GB.
    values = np.random.default_rng(11).normal(size=(100_000, 200))
    low, high = bootstrap_means(values, rng=np.random.default_rng(12), resamples=100)
    assert np.all(low < values.mean(axis=0))
    assert np.all(values.mean(axis=0) < high)


def test_wrong_options_are_named() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="resamples: expected a whole number of at least 1, got 0"):
        bootstrap_means([[1.0]], rng=rng, resamples=0)
    with pytest.raises(UsageError, match="level: expected a number between 0 and 1, got 95"):
        bootstrap_means([[1.0]], rng=rng, level=95)


MASK = 2**64 - 1


def split_mix(state: int) -> int:
    """The generator as Steele, Lea and Flood print it, in plain integers."""
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


cells = st.floats(-9, 9) | st.just(np.nan)
matrices = arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 3)), elements=cells)


@settings(deadline=None)
@given(matrices, st.integers(0, MASK))
def test_compiled_resamples_equal_the_plain_twin(values: FloatArray, seed: int) -> None:
    state, rows = seed, list[int]()
    while len(rows) < len(values):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        product = (split_mix(state) >> 32) * len(values)
        if product % 2**32 >= (2**32 - len(values)) % len(values):
            rows.append(product >> 32)
    (means,) = resampled_means(values, np.array([seed], np.uint64), not np.isnan(values).any())
    present = [column[~np.isnan(column)] for column in values[rows].T]
    wanted = [column.mean() if column.size else np.nan for column in present]
    np.testing.assert_allclose(means, wanted, rtol=1e-12, atol=1e-12)


def test_the_generator_has_its_published_first_numbers() -> None:
    # Rosetta Code, "Pseudo-random numbers/Splitmix64": the first two of seed 1234567
    first = [split_mix((1234567 + k * 0x9E3779B97F4A7C15) & MASK) for k in (1, 2)]
    assert first == [6457827717110365317, 3203168211198807973]


def test_the_compiled_way_and_the_other_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).normal(size=(400, 2))
    values[::5, 1] = np.nan
    usual = bootstrap_means(values, rng=np.random.default_rng(1), resamples=4000)
    monkeypatch.setattr(bootstrap, "COMPILED_FROM", 0)
    compiled = bootstrap_means(values, rng=np.random.default_rng(2), resamples=4000)
    np.testing.assert_allclose(compiled, usual, atol=0.012)
    again = bootstrap_means(values, rng=np.random.default_rng(2), resamples=4000)
    np.testing.assert_array_equal(compiled, again)
>>>>>>> sh8
