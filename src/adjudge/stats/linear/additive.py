"""Least squares for value = topic + system + noise, with missing cells. Tests on it live in tukey and contrasts.

Only this model, from a matrix; models with other factors live elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE


@dataclass(frozen=True)
class Additive:
    """The fitted model. A column without scores has NaN everywhere, and belongs to part -1.

    Columns belong to one part when a chain of common topics leads from one to the other; only then can their
    effects be held against each other.
    """

    effects: FloatArray
    """Of the columns; they sum to 0 in each part."""
    means: FloatArray
    """Least-squares means, every topic counting alike; NaN where there are several parts."""
    covariance: FloatArray
    """Of the effects, in units of the residual variance."""
    part: IntArray
    n: IntArray
    """Cells of every column."""
    df: int
    """Of the residuals: cells, less topics, less columns, plus parts."""
    mean_square: float
    """Of the residuals: their sum of squares over df; NaN where df is 0."""
    noise: float
    """What of an effect is floating-point noise; `mean_square` is 0 where every residual is no more."""

    @property
    def columns(self) -> int:
        """Columns with scores."""
        return int(np.count_nonzero(self.part >= 0))

    @property
    def parts(self) -> int:
        return int(self.part.max(initial=-1)) + 1

    def joined(self, weights: FloatArray) -> BoolArray:
        """Which rows of weights can be estimated: they sum to 0 in each part, and hold no empty column."""
        sizes = np.abs(weights).sum(axis=1)
        sums = [np.abs(weights[:, self.part == part].sum(axis=1)) for part in range(self.parts)]
        empty = np.abs(weights[:, self.part < 0]).sum(axis=1)
        return np.asarray(np.max([*sums, empty], axis=0) <= NOISE * sizes)


def fit(matrix: FloatArray) -> Additive:
    """The model of a matrix, topics in rows and systems in columns, NaN where there is no score.

    Topics are taken out first: with every value less its topic's mean, the effects solve C effects = Q, where
    Q sums a column's centred values, and C holds the cells of every column less what topics share (the reduced
    normal equations of an incomplete block design).
    """
    values = matrix[(~np.isnan(matrix)).any(axis=1)]
    present = ~np.isnan(values)
    sizes = present.sum(axis=1, keepdims=True)
    levels = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / sizes
    centred = np.where(present, values - levels, 0.0)
    cells = present.astype(np.float64)
    information = np.diag(cells.sum(axis=0)) - cells.T @ (cells / sizes)
    part = _parts(cells)
    covariance = _inverse(information, part)
    effects = covariance @ centred.sum(axis=0)
    shared = cells @ effects / sizes[:, 0]
    residuals = np.where(present, centred - effects + shared[:, None], 0.0)
    noise = NOISE * float(np.abs(values[present]).max(initial=0.0))
    parts = int(part.max(initial=-1)) + 1
    df = int(cells.sum()) - values.shape[0] - int(np.count_nonzero(part >= 0)) + parts
    return Additive(
        np.where(part < 0, np.nan, effects),
        _means(effects, levels[:, 0] - shared, part),
        np.where((part < 0)[:, None] | (part < 0), np.nan, covariance),
        part,
        cells.sum(axis=0).astype(np.int64),
        df,
        _mean_square(residuals, df, noise),
        noise,
    )


def _parts(cells: FloatArray) -> IntArray:
    """Which columns hang together through topics; -1 for a column without any."""
    part = np.full(cells.shape[1], -1, dtype=np.int64)
    used = np.flatnonzero(cells.any(axis=0))
    if used.size:
        part[used] = connected_components(cells[:, used].T @ cells[:, used], directed=False)[1]
    return part


def _inverse(information: FloatArray, part: IntArray) -> FloatArray:
    """The Moore-Penrose inverse, part by part: a part's null space is the vector of ones."""
    inverse = np.zeros_like(information)
    for each in range(int(part.max(initial=-1)) + 1):
        columns = np.flatnonzero(part == each)
        block = information[np.ix_(columns, columns)]
        lift = max(float(np.trace(block)), 1.0) / columns.size**2
        inverse[np.ix_(columns, columns)] = np.linalg.inv(block + lift) - 1 / (lift * columns.size**2)
    return inverse


def _means(effects: FloatArray, topics: FloatArray, part: IntArray) -> FloatArray:
    if part.max(initial=-1) != 0:
        return np.full(effects.size, np.nan)
    return np.where(part < 0, np.nan, effects + topics.mean())


def _mean_square(residuals: FloatArray, df: int, noise: float) -> float:
    if df < 1:
        return math.nan
    return 0.0 if np.abs(residuals).max() <= noise else float((residuals**2).sum()) / df
