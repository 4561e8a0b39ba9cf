"""Scores as whole numbers, so that sums are exact and ties are never lost.

0.1 + 0.2 is not 0.3 in floating point, and a resampled statistic that ties with the observed one would be
lost. Scores on a grid (ratings, tenths, two decimals, means of three raters) become whole multiples of the
grid's step: every sum of them is exact, whatever the order of the additions. Scores without a grid are rounded
so finely that only floating-point noise goes, and sums are compared with a slack that covers it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE

DECIMALS = 6
"""Scores with up to so many decimals lie on a grid."""

LARGEST_DENOMINATOR = 1000
"""Scores k/q with one q up to this lie on a grid."""

MOST_STEPS = 1e9
"""A score is at most so many steps from 0: beyond, a step comes near the noise (NOISE of the score)."""

EXACT_IN_DOUBLE = 2.0**53
EXACT_IN_SINGLE = 2.0**24
"""Whole numbers below these are exact in float64 and float32."""

_DECIMAL = tuple(10**d for d in range(DECIMALS + 1))
_OTHER = np.array([q for q in range(2, LARGEST_DENOMINATOR + 1) if q not in _DECIMAL], dtype=np.int64)
_LARGEST_EXPONENT = 1074  # of the smallest power of two that is a float
_LOOKED_AT = 4  # scores of a column that rule out nearly every denominator


Float = type[np.float32 | np.float64]


@dataclass(frozen=True, slots=True)
class Quantised:
    """A score matrix in whole numbers: score = origin + unit * whole, to the noise of the scores."""

    whole: FloatArray
    """Whole numbers, NaN where missing; sums of a row's largest stay exact in float64."""
    unit: float
    slack: float
    """By how much one difference can be off, in units: 0 on a grid."""
    reach: float
    """No sum of signed scores is further from 0, nor is one of signed differences from its half."""

    @property
    def on_grid(self) -> bool:
        return self.slack == 0

    @property
    def dtype(self) -> Float:
        """The narrowest floats in which every sum of signed differences is exact."""
        return narrowest(2 * self.reach)


def narrowest(largest: float) -> Float:
    """The narrowest floats in which whole numbers up to the largest are exact."""
    return np.float32 if largest < EXACT_IN_SINGLE else np.float64


def quantise(matrix: FloatArray) -> Quantised:
    """The matrix on the one grid of all its columns, or rounded finely where there is none."""
    present = ~np.isnan(matrix)
    if not present.any():
        return Quantised(whole=matrix.copy(), unit=1.0, slack=0.0, reach=0.0)
    largest = float(np.nanmax(np.abs(matrix)))
    denominator = common_denominator(matrix)
    if denominator and largest * denominator <= MOST_STEPS:
        whole, step = _small(np.rint(matrix * denominator), present)
        reach = _reach(whole, present)
        if 2 * reach < EXACT_IN_DOUBLE:
            return Quantised(whole=whole, unit=step / denominator, slack=0.0, reach=reach)
    return _finely(matrix, present, largest)


def denominators(matrix: FloatArray) -> IntArray:
    """For every column a q such that all its scores are multiples of 1/q, but for noise; 0 where there is none.

    Decimals are tried first, from whole numbers on; then every other q up to LARGEST_DENOMINATOR. It need not be
    the smallest q.
    """
    by_column = _decimal_denominators(matrix)
    for column in np.flatnonzero(by_column == 0):
        by_column[column] = _other_denominator(matrix[:, column])
    return by_column


def common_denominator(matrix: FloatArray) -> int:
    """One q for all columns; 0 where a column has none, or where it would grow beyond use."""
    by_column = _decimal_denominators(matrix)
    q = math.lcm(*np.unique(by_column[by_column > 0]).tolist())
    for column in np.flatnonzero(by_column == 0):
        q = math.lcm(q, _other_denominator(matrix[:, column]))
        if not 0 < q <= MOST_STEPS:
            return 0
    return q


def _decimal_denominators(matrix: FloatArray) -> IntArray:
    by_column = np.zeros(matrix.shape[1], dtype=np.int64)
    for q in _DECIMAL:
        left = np.flatnonzero(by_column == 0)
        if not left.size:
            break
        by_column[left[_multiples(matrix if left.size == by_column.size else matrix[:, left], q)]] = q
    return by_column


def _multiples(matrix: FloatArray, q: int | IntArray) -> BoolArray:
    """Which columns hold multiples of 1/q alone. A missing score is one of anything."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = matrix * q
        size = np.abs(scaled)
        wrong = (np.abs(scaled - np.rint(scaled)) > NOISE * size) | (size > MOST_STEPS)
    return np.asarray(~wrong.any(axis=0))


def _other_denominator(column: FloatArray) -> int:
    scores = column[~np.isnan(column), None]
    few = _OTHER[_multiples(scores[:_LOOKED_AT], _OTHER)]
    return next((int(q) for q in few if _multiples(scores, q)[0]), 0)


def _small(whole: FloatArray, present: BoolArray) -> tuple[FloatArray, int]:
    """The same differences in smaller numbers: by their common step, around the middle of the range."""
    whole = whole - np.nanmin(whole)
    step = max(1, int(np.gcd.reduce(whole[present].astype(np.int64))))
    whole /= step
    return whole - np.rint(np.nanmax(whole) / 2), step


def _reach(whole: FloatArray, present: BoolArray) -> float:
    return float(np.where(present, np.abs(whole), 0.0).max(axis=1).sum())


def _finely(matrix: FloatArray, present: BoolArray, largest: float) -> Quantised:
    """Rounded to the finest power of two at which sums over all rows are exact."""
    centred = matrix - (np.nanmin(matrix) / 2 + np.nanmax(matrix) / 2)
    widest = max(float(np.nanmax(np.abs(centred))), largest * NOISE)
    # frexp rounds both up to a power of two; three bits stay for rounding, and for differences.
    bits = math.frexp(widest)[1] + math.frexp(matrix.shape[0])[1]
    exponent = min(50 - bits, _LARGEST_EXPONENT)
    whole = np.rint(np.ldexp(centred, exponent))
    # A difference is off by half a step for either score, and by the noise of the larger one.
    slack = 1.0 + math.ldexp(NOISE * largest, exponent)
    return Quantised(whole=whole, unit=math.ldexp(1.0, -exponent), slack=slack, reach=_reach(whole, present))
