"""Subsets for curves, and the share of pairs that differ on each, compared with the tests of single pairs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.multiple import adjust
from adjudge.stats.pairs import t_pairs
from adjudge.stats.subsets import (
    first_of,
    resamples,
    shares_different,
    shares_different_of,
    sizes,
    subsets,
)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("n", "found"),
    [
        (1, (1,)),
        (3, (1, 2, 3)),
        (12, tuple(range(1, 13))),
        (13, (1, 2, 3, 5, 7, 10, 13)),
        (100, (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)),
        (250, (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 250)),
    ],
)
def test_the_numbers_of_a_curve(n: int, found: tuple[int, ...]) -> None:
    assert sizes(n) == found


def test_all_subsets_where_they_are_few() -> None:
    found = subsets(5, 2, draws=10, rng=rng())
    assert found.every
    assert [tuple(np.flatnonzero(row).tolist()) for row in found.weights] == list(combinations(range(5), 2))


def test_random_subsets_where_they_are_many() -> None:
    found = subsets(30, 4, draws=200, rng=rng())
    assert not found.every
    assert found.weights.shape == (200, 30)
    assert set(found.weights.sum(axis=1)) == {4.0}
    assert found.weights.max() == 1
    assert len(np.unique(found.weights, axis=0)) > 190
    assert abs(found.weights.mean() - 4 / 30) < 1e-12
    # Everything is as likely: 200 draws of 4 in 30 are 26.7 each, with a standard deviation of 4.8.
    assert found.weights.sum(axis=0).min() > 26.7 - 4 * 4.8


def test_with_replacement_things_come_again() -> None:
    found = resamples(6, 6, draws=400, rng=rng())
    assert set(found.weights.sum(axis=1)) == {6.0}
    assert found.weights.max() > 1
    assert abs(np.mean(found.weights == 0) - (5 / 6) ** 6) < 0.03


def test_the_first_of_what_is_there() -> None:
    present = np.array([[True, True], [False, True], [True, True]])
    order = np.array([[3.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    assert first_of(present, order, 1).T.tolist() == [[False, False, True], [True, False, False]]
    assert first_of(present, order, 3).tolist() == present.tolist()


def plain_share(values: np.ndarray, counts: np.ndarray, correction: str, alpha: float = 0.05) -> float:
    """One draw: its rows written out, `t_pairs` and `adjust`."""
    p = t_pairs(np.repeat(values, counts.astype(int), axis=0)).p
    if np.isnan(p).all():
        return math.nan
    return float(np.mean(np.nan_to_num(adjust(p, correction), nan=1.0) <= alpha))  # type: ignore[arg-type]


@given(
    seed=st.integers(0, 10_000),
    unit=st.sampled_from([None, 1.0, 0.1, 1 / 3]),
    correction=st.sampled_from(["holm", "none"]),
    missing=st.sampled_from([0.0, 0.2]),
)
def test_shares_are_those_of_single_tests(
    seed: int, unit: float | None, correction: str, missing: float
) -> None:
    r = rng(seed)
    values = r.normal(size=(9, 5)) + np.arange(5) * 0.8
    # Ratings and shares: differences are often all the same, but for the last digits, or zero.
    values = values if unit is None else 0.7 + unit * np.round(values)
    values[r.random(values.shape) < missing] = np.nan
    weights = np.concatenate([resamples(9, 4, draws=5, rng=r).weights, np.ones((1, 9)), np.eye(9)[:1]])
    found = shares_different(values, weights, correction=correction)  # type: ignore[arg-type]
    expected = [plain_share(values, row, correction) for row in weights]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_shares_of_a_stack() -> None:
    stack = rng().normal(size=(4, 12, 5)) + np.arange(5)
    found = shares_different_of(stack)
    assert found.tolist() == [plain_share(each, np.ones(12), "holm") for each in stack]
    assert 0 < found.mean() < 1


def test_rows_of_a_group_are_one_observation() -> None:
    values = rng(3).normal(size=(12, 4)) + np.arange(4)
    groups = np.repeat(np.arange(6), 2)
    means = values.reshape(6, 2, 4).mean(axis=1)
    weights = resamples(6, 6, draws=20, rng=rng()).weights
    found = shares_different(values, weights, groups=groups)
    np.testing.assert_array_equal(found, shares_different(means, weights))
    assert (found != shares_different(values, weights[:, groups])).any()
    values[0, 1] = np.nan  # on the group's other row both have a score
    assert np.isfinite(shares_different(values, np.ones((1, 6)), groups=groups)).all()
    assert shares_different_of(values[None], groups=groups).shape == (1,)


def test_one_row_or_one_column_tests_nothing() -> None:
    assert np.isnan(shares_different(np.ones((1, 3)), np.ones((1, 1)))).all()
    assert np.isnan(shares_different(np.ones((3, 1)), np.ones((1, 3)))).all()
    assert shares_different(np.ones((3, 3)), np.ones((1, 3))).tolist() == [0.0]


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_sizes_whose_squares_are_no_numbers(size: float) -> None:
    values = rng(4).normal(size=(12, 4)) + np.array([0.0, 0.5, 1.0, 2.0])
    values[3, 2] = np.nan
    weights = resamples(12, 8, draws=30, rng=rng()).weights
    expected = shares_different(values, weights)
    assert 0 < expected.mean() < 1
    assert shares_different(size * values, weights).tolist() == expected.tolist()
    mixed = values * np.array(
        [1.0, 1.0, size, size]
    )  # pairs of systems of unlike sizes beside those of like ones
    assert np.isfinite(shares_different(mixed, weights)).all()
