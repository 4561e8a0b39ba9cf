"""Means of columns with Student's intervals, where they have one; and what resampling shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE


@dataclass(frozen=True)
class ColumnMeans:
    """A mean per column, over the cells that are present.

    The interval is NaN where there are fewer than two, and where it does not fit a floating-point number.
    """

    n: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    level: float


def t_means(values: npt.ArrayLike, *, level: float = 0.95) -> ColumnMeans:
    """Column means with mean +/- t(n-1) s / sqrt(n). Student 1908."""
    from scipy.special import stdtrit

    matrix = checks.numbers("values", values, dimensions=2)
    checks.share("level", level)
    present = ~np.isnan(matrix)
    n = np.count_nonzero(present, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # columns of no or one value
        mean = np.where(present, matrix, 0.0).sum(axis=0) / n
        deviations = np.where(present, matrix - mean, 0.0)
        # In the unit of the largest, since squares of very large or small numbers do not fit a float.
        unit = np.frexp(np.max(np.abs(deviations), axis=0, initial=0.0))[1]
        squares = (np.ldexp(deviations, -unit) ** 2).sum(axis=0)
        error = np.ldexp(np.sqrt(squares / (n - 1) / n), unit)
    with np.errstate(over="ignore"):
        half = np.where(n > 1, stdtrit(np.maximum(n - 1, 1), (1 + level) / 2) * error, np.nan)
        half[np.isinf(half)] = np.nan
    return ColumnMeans(n=n, mean=mean, low=mean - half, high=mean + half, level=level)


def varied(values: npt.ArrayLike) -> IntArray:
    """By column, how many of the present values differ from the commonest one.

    Values tie by the rule of `paired.steps`: where each is its neighbour plus floating-point noise. With few that
    differ, the column's spread rests on as few values, and no interval of its mean covers: ratings at a ceiling.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    if not matrix.shape[0]:
        return np.zeros(matrix.shape[1], dtype=np.int64)
    ordered = np.sort(matrix, axis=0)  # what is missing comes last
    present = ~np.isnan(ordered)
    noise = NOISE * np.abs(ordered)
    starts = np.ones(matrix.shape, dtype=np.bool_)
    starts[1:] = ~(np.diff(ordered, axis=0) <= np.maximum(noise[1:], noise[:-1]))
    place = np.arange(1, matrix.shape[0] + 1)[:, None]
    before = np.maximum.accumulate(np.where(starts, place - 1, 0), axis=0)
    commonest = np.where(present, place - before, 0).max(axis=0)
    differ: IntArray = np.count_nonzero(present, axis=0) - commonest
    return differ


LEAST_VARIED = 5
"""Values that must differ from a column's commonest one before its mean gets an interval."""


def flat(values: npt.ArrayLike) -> BoolArray:
    """Which columns have nearly all their values at one: at a ceiling no interval covers.

    With few values that differ from the commonest, the spread rests on them alone.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    differ = varied(matrix)
    commonest = np.count_nonzero(~np.isnan(matrix), axis=0) - differ
    is_flat: BoolArray = (commonest > 1) & (differ < LEAST_VARIED)
    return is_flat


def percentile_limits(drawn: FloatArray, level: float, *, axis: int) -> tuple[FloatArray, FloatArray]:
    """The percentile interval of resampled numbers along an axis, low and high; NaN is left out."""
    # nanquantile goes row by row in Python, so only where it must.
    quantile = np.nanquantile if np.isnan(drawn).any() else np.quantile
    low, high = quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=axis)
    return low, high


def draw_counts(counts: npt.NDArray[Any], rng: np.random.Generator) -> None:
    """Fill in how often each item is drawn with replacement, resamples x items: a mean is then a product."""
    items = counts.shape[1]
    for row in counts if items else ():
        row[:] = np.bincount(rng.integers(0, items, size=items), minlength=items)
