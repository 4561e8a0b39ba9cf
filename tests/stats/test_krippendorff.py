from __future__ import annotations

import math

import krippendorff as package  # GPL, version 0.9.0: a reference for tests only
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats.agreement import Level, krippendorff

DISTANCES: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def alpha(values: object, distance: Level = "ordinal") -> float:
    return krippendorff(values, rng=np.random.default_rng(0), distance=distance, resamples=0).alpha  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 5), st.floats(0, 0.5))
def test_equal_to_the_package(seed: int, units: int, assessors: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, size=(units, assessors)).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    paired = values[np.count_nonzero(~np.isnan(values), axis=1) >= 2]
    if np.unique(paired[~np.isnan(paired)]).size < 2:
        assert math.isnan(alpha(values))
        return
    for distance in DISTANCES:
        expected = package.alpha(reliability_data=paired.T, level_of_measurement=distance)
        assert alpha(values, distance) == pytest.approx(expected, abs=1e-12)


def plain(values: np.ndarray) -> float:
    """Ordinal alpha, pair by pair, as Krippendorff defines it."""
    rows = [row[~np.isnan(row)] for row in values]
    rows = [row for row in rows if row.size >= 2]
    given = np.concatenate(rows)

    def squared(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = np.count_nonzero((given >= low) & (given <= high))
        return float((between - (np.count_nonzero(given == a) + np.count_nonzero(given == b)) / 2) ** 2)

    observed = sum(
        squared(a, b) / (row.size - 1)
        for row in rows
        for i, a in enumerate(row)
        for j, b in enumerate(row)
        if i != j
    )
    expected = sum(squared(a, b) for i, a in enumerate(given) for j, b in enumerate(given) if i != j)
    return 1.0 - float(observed) / given.size / (expected / given.size / (given.size - 1))


def test_equal_to_the_plain_twin() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        values = rng.integers(0, 4, size=(8, 3)).astype(float)
        values[rng.random(values.shape) < 0.2] = np.nan
        assert alpha(values) == pytest.approx(plain(values), abs=1e-12)


def test_perfect_chance_and_contrary() -> None:
    column = np.tile([1.0, 2.0, 3.0, 4.0], 50)
    assert alpha(np.stack([column, column], axis=1)) == 1.0
    shuffled = np.random.default_rng(1).permutation(column)
    assert abs(alpha(np.stack([column, shuffled], axis=1))) < 0.15
    assert alpha(np.stack([column, 5 - column], axis=1)) < -0.9


def test_the_interval_covers_and_shrinks() -> None:
    def noisy(units: int, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        truth = rng.integers(1, 6, size=(units, 1))
        return np.asarray(np.clip(truth + rng.integers(-1, 2, size=(units, 3)), 1, 5), dtype=float)

    population = alpha(noisy(20_000, 0))
    inside = 0
    for seed in range(1, 61):
        found = krippendorff(noisy(40, seed), rng=np.random.default_rng(seed), resamples=300)
        inside += found.low <= population <= found.high
        assert found.low < found.alpha < found.high
    assert inside >= 48  # about 95 % of 60; the percentile bootstrap is a little narrow at 40 units
    wide = krippendorff(noisy(30, 1), rng=np.random.default_rng(1), resamples=300)
    narrow = krippendorff(noisy(600, 1), rng=np.random.default_rng(1), resamples=300)
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2


def test_what_cannot_be_computed_says_why() -> None:
    rng = np.random.default_rng(0)
    assert krippendorff([[1.0, math.nan]], rng=rng).why == "nothing was judged by two assessors"
    assert "nothing to agree on" in str(krippendorff([[2.0, 2.0], [2.0, 2.0]], rng=rng).why)
    one = krippendorff([[1.0, 2.0]], rng=rng)
    assert math.isnan(one.low)
    assert not math.isnan(one.alpha)
    assert "cannot be computed" in krippendorff(np.full((3, 2), math.nan), rng=rng).sentence()
    assert "not reliable" in one.sentence()


def test_the_seed_decides() -> None:
    values = np.random.default_rng(2).integers(1, 4, size=(20, 3)).astype(float)
    first, again, other = (krippendorff(values, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    assert first == again
    assert first.low != other.low
