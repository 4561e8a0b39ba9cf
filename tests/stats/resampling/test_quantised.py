"""Scores as whole numbers: grids are found, differences are exact, and what has no grid loses only noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats.checks import FloatArray
from adjudge.stats.resampling.quantised import (
    EXACT_IN_DOUBLE,
    LARGEST_DENOMINATOR,
    MOST_STEPS,
    common_denominator,
    denominators,
    narrowest,
    quantise,
)

WHOLE = st.lists(st.integers(-400, 400), min_size=1, max_size=12)


@settings(deadline=None)
@given(WHOLE, st.sampled_from([1, 2, 3, 7, 10, 30, 100, 128, 999, 10_000, 1_000_000]), st.integers(-5, 5))
def test_multiples_come_back_as_whole_numbers(steps: list[int], q: int, origin: int) -> None:
    # Each score is the nearest float of a fraction; its difference from the first is exact again.
    scores = np.array([[k / q + origin] for k in steps])
    found = quantise(scores)
    assert found.on_grid
    assert np.array_equal(found.whole, np.rint(found.whole))
    back = (found.whole - found.whole[0])[:, 0] * found.unit * q
    assert back == pytest.approx(np.array(steps) - steps[0], rel=1e-12, abs=1e-9)


def test_numbers_are_small() -> None:
    # 1, 3 and 5 are two apart; around the middle they are -1, 0 and 1.
    found = quantise(np.array([[1.0, 3.0], [5.0, 3.0]]))
    assert found.whole.tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    assert (found.unit, found.slack, found.reach) == (2.0, 0.0, 2.0)
    far = quantise(np.array([[1_000_000.25], [1_000_000.5]]))
    assert (far.unit, far.whole.tolist()) == (0.25, [[0.0], [1.0]])


def test_missing_scores_stay_missing() -> None:
    matrix = np.array([[0.1, np.nan], [0.2, 0.3]])
    found = quantise(matrix)
    assert np.array_equal(np.isnan(found.whole), np.isnan(matrix))
    assert found.on_grid
    assert quantise(np.full((3, 2), np.nan)).on_grid


def test_each_column_has_its_own_denominator() -> None:
    rng = np.random.default_rng(1)
    matrix = np.column_stack(
        [rng.integers(1, 6, 20), rng.integers(0, 9, 20) / 10, rng.integers(0, 9, 20) / 7, rng.normal(size=20)]
    )
    assert denominators(matrix).tolist() == [1, 10, 7, 0]
    assert common_denominator(matrix[:, :3]) == 70
    assert common_denominator(matrix) == 0
    assert not quantise(matrix).on_grid


def test_denominators_that_grow_beyond_use_are_given_up() -> None:
    primes = [997, 991, 983, 977]
    matrix = np.column_stack([np.arange(1, 9) / q for q in primes])
    assert denominators(matrix).tolist() == primes
    assert math.prod(primes) > MOST_STEPS
    assert common_denominator(matrix) == 0
    beyond = np.arange(1, 9)[:, None] / (LARGEST_DENOMINATOR + 9)  # 1009 is a prime
    assert denominators(beyond).tolist() == [0]


def test_steps_near_the_noise_are_no_grid() -> None:
    # At 10,000 a millionth is 10^10 steps from 0; the noise of such a score is a hundredth of a step.
    assert denominators(np.array([[10_000.000001], [10_000.000002], [10_000.000004]])).tolist() == [0]
    assert denominators(np.array([[1e12], [2e12]])).tolist() == [0]


@settings(deadline=None)
@given(
    st.integers(1, 60), st.integers(2, 5), st.integers(0, 2**32 - 1), st.sampled_from([1e-200, 1.0, 1e200])
)
def test_without_a_grid_only_noise_goes(topics: int, systems: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    matrix = (rng.normal(size=(topics, systems)) + 3) * scale
    found = quantise(matrix)
    if found.on_grid:  # a score or two can lie on a grid by chance
        assert topics * systems <= 3
        return
    assert np.array_equal(found.whole, np.rint(found.whole))
    assert topics * 2 * np.abs(found.whole).max() < EXACT_IN_DOUBLE
    off = np.abs((found.whole[:, 0] - found.whole[:, 1]) * found.unit - (matrix[:, 0] - matrix[:, 1]))
    assert (off <= found.slack * found.unit).all()
    assert found.slack * found.unit < 1e-11 * np.abs(matrix).max()
    assert found.dtype is np.float64


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1e308, -1e308], [1e308, 1e300]]),
        np.full((3, 2), 1e-310),
        np.full((3, 2), 0.123456789123),
        np.empty((0, 3)),
        np.empty((3, 0)),
        np.zeros((2, 2)),
        np.array([[1e9 + 0.1234567], [1e9 + 0.7654321]]),
    ],
)
def test_odd_matrices_pass(matrix: FloatArray) -> None:
    found = quantise(matrix)
    assert found.whole.shape == matrix.shape
    assert np.isfinite(found.whole).all()


def test_constant_scores_have_no_difference() -> None:
    assert not quantise(np.full((3, 2), 0.123456789123)).whole.any()


def test_the_narrowest_floats_are_exact() -> None:
    assert narrowest(2.0**24 - 1) is np.float32
    assert narrowest(2.0**24) is np.float64
    assert int(np.float32(2**24 - 1)) == 2**24 - 1
    assert int(np.float32(2**24 + 1)) != 2**24 + 1  # the bound is where it must be
