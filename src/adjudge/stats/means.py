"""Means of columns and their t intervals. Bootstrap intervals live in bootstrap.py."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray


@dataclass(frozen=True)
class Means:
    """A mean per column, over the cells that are present; the interval is NaN where there are fewer than two."""

    n: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    level: float


def t_means(values: npt.ArrayLike, *, level: float = 0.95) -> Means:
    """Column means with mean +/- t(n-1) s / sqrt(n). Student 1908."""
    from scipy.special import stdtrit

    matrix = checks.numbers("values", values, dimensions=2)
    checks.share("level", level)
    present = ~np.isnan(matrix)
    n = np.count_nonzero(present, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # columns of no or one value
        mean = np.where(present, matrix, 0.0).sum(axis=0) / n
        squares = (np.where(present, matrix - mean, 0.0) ** 2).sum(axis=0)
        error = np.sqrt(squares / (n - 1) / n)
    half = np.where(n > 1, stdtrit(np.maximum(n - 1, 1), (1 + level) / 2) * error, np.nan)
    return Means(n, mean, mean - half, mean + half, level)
