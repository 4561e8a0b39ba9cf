"""Paired differences: which rows count, what is noise, what ties, and the ranks. No tests here."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import BoolArray, FloatArray, IntArray, pair

NOISE = 1e-12
"""Relative size of floating-point noise: thousands of roundings, far below a real difference."""


@dataclass(frozen=True, slots=True)
class Differences:
    """x - y over the rows where both are present.

    A difference within its noise is 0. `noise` is NOISE times the larger of |x| and |y|: a
    difference inherits the rounding of the scores it came from, however small it is itself.
    """

    values: FloatArray
    noise: FloatArray

    @property
    def n(self) -> int:
        return self.values.size

    @property
    def mean(self) -> float:
        return float(self.values.mean()) if self.n else math.nan

    @property
    def wins(self) -> int:
        return int(np.count_nonzero(self.values > 0))

    @property
    def losses(self) -> int:
        return int(np.count_nonzero(self.values < 0))

    @property
    def ties(self) -> int:
        return self.n - int(np.count_nonzero(self.values))

    def all_equal(self) -> bool:
        """Whether the differences are one number, but for noise."""
        return all_equal(self.values, self.noise)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of the differences by size, without zeros, doubled so that mid-ranks are whole."""

    doubled: IntArray
    """In ascending order."""
    positive: BoolArray
    """Which of them belong to positive differences."""
    tied: IntArray
    """How many differences share each distinct rank."""


def common(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both vectors over the rows where both are present."""
    x, y = pair(x, y)
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def differences(x: npt.ArrayLike, y: npt.ArrayLike) -> Differences:
    """The differences that both vectors give."""
    x, y = common(x, y)
    values = x - y
    noise = NOISE * np.maximum(np.abs(x), np.abs(y))
    values[np.abs(values) <= noise] = 0.0
    return Differences(values, noise)


def all_equal(values: FloatArray, noise: FloatArray) -> bool:
    """Whether values are one number, but for noise."""
    order = np.argsort(values)
    return not steps(values[order], noise[order])[1:].any()


def steps(ordered: FloatArray, noise: FloatArray) -> BoolArray:
    """Where a new value begins in an ascending array: not where it is its neighbour plus noise."""
    starts = np.ones(ordered.size, dtype=np.bool_)
    starts[1:] = np.diff(ordered) > np.maximum(noise[1:], noise[:-1])
    return starts


def rank(d: Differences, *, below: int = 0) -> Ranks:
    """Mid-ranks of the non-zero differences by absolute value; `below` are ranked before them."""
    kept = np.flatnonzero(d.values)
    kept = kept[np.argsort(np.abs(d.values[kept]), kind="stable")]
    values = d.values[kept]
    first = np.flatnonzero(steps(np.abs(values), d.noise[kept]))
    tied = np.diff(first, append=values.size)
    # Ranks first+1 to first+tied share their mean, first + (tied+1)/2.
    doubled = np.repeat(2 * (first + below) + tied + 1, tied)
    return Ranks(doubled.astype(np.int64), values > 0, tied.astype(np.int64))
