"""Means of columns and their t intervals; columns at a ceiling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
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
