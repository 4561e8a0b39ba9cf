"""Krippendorff's alpha, and pairs that a measure orders as people do."""

from __future__ import annotations

import math
from itertools import combinations

import krippendorff as package
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from adjudge.core.errors import UsageError
from adjudge.stats.agreement import (
    AgreementCoefficient,
    Level,
    agreement_shares,
    krippendorff,
    pair_agreement,
)
from adjudge.stats.paired import Better

# Tests of krippendorff.


DISTANCES: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def alpha(values: object, distance: Level = "ordinal") -> float:
    return krippendorff(values, rng=np.random.default_rng(0), distance=distance, resamples=0).value  # type: ignore[arg-type]


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
        assert found.low < found.value < found.high
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
    assert not math.isnan(one.value)
    assert "cannot be computed" in krippendorff(np.full((3, 2), math.nan), rng=rng).sentence()
    assert "not reliable" in one.sentence()


def test_the_seed_decides() -> None:
    values = np.random.default_rng(2).integers(1, 4, size=(20, 3)).astype(float)
    first, again, other = (krippendorff(values, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    assert first == again
    assert first.low != other.low


# Equation 1 of Zopf 2018 against a plain twin, Kendall's tau and cases done by hand.


NAN = math.nan
SCORES = st.one_of(st.integers(0, 4).map(float), st.just(NAN))
ROWS = st.lists(st.tuples(SCORES, SCORES), max_size=9)


def twin(human: list[float], measure: list[float], better: Better, half: bool) -> tuple[float, ...]:
    """Equation 1 in plain words."""
    agreed = pairs = ties = 0
    for i, j in combinations(range(len(human)), 2):
        if any(math.isnan(value) for value in (human[i], human[j], measure[i], measure[j])):
            continue
        if human[i] == human[j]:
            continue
        pairs += 1
        up = measure[i] > measure[j] if better == "higher" else measure[i] < measure[j]
        ties += measure[i] == measure[j]
        agreed += measure[i] != measure[j] and up == (human[i] > human[j])
    share = (agreed + 0.5 * ties * half) / pairs if pairs else NAN
    return share, agreed, pairs, ties


@given(ROWS, st.sampled_from(["higher", "lower"]), st.booleans())
def test_equals_the_plain_twin(rows: list[tuple[float, float]], better: Better, half: bool) -> None:
    human, measure = [a for a, _ in rows], [b for _, b in rows]
    found = pair_agreement(human, measure, better=better, half=half)
    expected = twin(human, measure, better, half)
    assert (found.share, found.agreed, found.pairs, found.ties) == pytest.approx(expected, nan_ok=True)
    assert found.pairs + found.human_ties + found.missing == math.comb(len(rows), 2)
    assert (found.why is None) == (found.pairs > 0)


@given(ROWS, st.sampled_from(["higher", "lower"]), st.booleans())
def test_many_at_once_are_one_after_the_other(
    rows: list[tuple[float, float]], better: Better, half: bool
) -> None:
    human, measure = [a for a, _ in rows], np.array([b for _, b in rows])
    both = np.stack([measure, measure[::-1]])
    shares = agreement_shares(human, both, better=better, half=half)
    alone = [pair_agreement(human, each, better=better, half=half).share for each in both]
    np.testing.assert_array_equal(shares, alone)


@given(st.permutations(range(7)))
def test_without_ties_it_is_kendalls_tau(order: list[int]) -> None:
    share = pair_agreement(range(7), order).share
    assert 2 * share - 1 == pytest.approx(kendalltau(range(7), order).statistic)


def test_strict_and_half() -> None:
    # Pairs that people tell apart: 3>1 (agrees), 3>1 (a tie of the measure), 1=1 is left out.
    strict = pair_agreement([3, 1, 1], [5, 5, 4])
    assert (strict.share, strict.agreed, strict.pairs, strict.ties, strict.human_ties) == (0.5, 1, 2, 1, 1)
    assert pair_agreement([3, 1, 1], [5, 5, 4], half=True).share == 0.75


def test_the_direction_turns_the_order() -> None:
    assert pair_agreement([1, 2, 3], [0.3, 0.2, 0.1], better="lower").share == 1
    assert pair_agreement([1, 2, 3], [0.3, 0.2, 0.1]).share == 0


def test_noise_is_a_tie() -> None:
    assert pair_agreement([0.1 + 0.2, 0.3, 0.5], [1, 2, 3]).human_ties == 1
    assert pair_agreement([1, 2], [0.3, 0.1 + 0.2]).ties == 1


def test_missing_pairs_are_counted() -> None:
    found = pair_agreement([1, 2, NAN, 4], [1, NAN, 3, 4])
    assert (found.pairs, found.agreed, found.missing) == (1, 1, 5)


@pytest.mark.parametrize(
    ("human", "measure", "why"),
    [
        ([], [], "needs two summaries, has 0"),
        ([1], [1], "needs two summaries, has 1"),
        ([2, 2, 2], [1, 2, 3], "people see no difference"),
        ([NAN, NAN], [1, 2], "every pair lacks a score"),
        ([1, 2], [NAN, 2], "every pair lacks a score"),
        ([2, 2, NAN], [1, 2, 3], "people see no difference where both are scored"),
    ],
)
def test_nothing_to_order_says_why(human: list[float], measure: list[float], why: str) -> None:
    found = pair_agreement(human, measure)
    assert math.isnan(found.share)
    assert found.why == why


def test_five_hundred_summaries() -> None:
    values = np.arange(500.0)
    found = pair_agreement(values, values)
    assert (found.share, found.pairs) == (1, 500 * 499 // 2)


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="expected one length, got 2 and 3"):
        pair_agreement([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match='better: unknown value "up"'):
        pair_agreement([1, 2], [1, 2], better="up")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("alpha", "shown", "verdict"),
    [
        (1.0, "1.000", "reliable (.800 or more)"),
        (0.8, "0.800", "reliable (.800 or more)"),
        (
            math.nextafter(0.8, 0),
            "0.7999999999999999",
            "for tentative conclusions only (from .667 to below .800)",
        ),
        (0.7996, "0.7996", "for tentative conclusions only (from .667 to below .800)"),
        (0.7, "0.700", "for tentative conclusions only (from .667 to below .800)"),
        (0.667, "0.667", "for tentative conclusions only (from .667 to below .800)"),
        (2 / 3, "0.6667", "not reliable (below .667)"),
        (0.5, "0.500", "not reliable (below .667)"),
        (-0.0001, "0.000", "not reliable (below .667)"),
    ],
)
def test_krippendorffs_thresholds(alpha: float, shown: str, verdict: str) -> None:
    found = AgreementCoefficient(
        name="alpha",
        value=alpha,
        low=math.nan,
        high=math.nan,
        level=0.95,
        units=9,
        values=18,
    )
    assert found.sentence() == f"alpha = {shown} (9 units, 18 judgments): {verdict}"


@pytest.mark.parametrize(
    ("clusters", "agreeing", "why"),
    [
        (4, False, "too few clusters to resample (4, needs 5)"),
        (5, False, None),
        (40, True, "nearly all resamples give the same value"),
    ],
)
def test_an_interval_that_would_say_nothing_is_none(clusters: int, agreeing: bool, why: str | None) -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(1, 6, size=(clusters * 3, 1)) + np.zeros((1, 2))
    if not agreeing:
        values[:, 1] = np.clip(values[:, 1] + rng.integers(-1, 2, size=len(values)), 1, 5)
    found = krippendorff(values, rng=rng, clusters=np.repeat(np.arange(clusters), 3).tolist())
    assert found.why is None
    assert found.why_no_interval == why
    assert math.isnan(found.low) == math.isnan(found.high) == (why is not None)
    assert found.resamples == (1000 if why is None else 0)
