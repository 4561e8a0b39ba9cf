"""Sums over the topics of every pair: differences, wins, squares. Plain, or compiled where there is much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.pair_matrix import PairMatrix


@dataclass(frozen=True)
class DifferenceSums:
    """By pair, over the topics that both have."""

    means: FloatArray
    """Of the differences; NaN without topics."""
    wins: IntArray
    losses: IntArray
    squares: FloatArray
    """Of the deviations of the differences from their mean; NaN where nobody asked for them."""


def difference_sums(pairs: PairMatrix, *, squares: bool = False) -> DifferenceSums:
    """The sums of all pairs. The mean comes first and the squares after it: squares of the scores would cancel."""
    means, wins, losses, squared = np.full((4, len(pairs)), np.nan)
    at = np.arange(len(pairs))
    some_n = np.where(pairs.n > 0, pairs.n, np.nan)
    if pairs.compiled:
        from adjudge.stats.pair_kernels import sum_differences, sum_squares

        sums, wins, losses = sum_differences(_fours(pairs))
        means = sums / some_n
        squared = sum_squares(_fours(pairs), means) if squares else squared
        at = np.flatnonzero(pairs.noisy)
    ones = np.ones(pairs.columns.shape[1])
    for some, z in pairs.differences(at):
        missing = None if pairs.complete else np.isnan(z)
        _fill(z, missing)
        means[some] = z.sum(axis=1) / some_n[some]
        # A product counts faster than count_nonzero along an axis, and whole numbers are exact.
        wins[some], losses[some] = (z > 0) @ ones, (z < 0) @ ones
        if squares:
            z -= means[some, None]
            _fill(z, missing)
            squared[some] = _squares(z)
    return DifferenceSums(means, wins.astype(np.int64), losses.astype(np.int64), squared)


def own_squares(pairs: PairMatrix) -> tuple[FloatArray, FloatArray]:
    """By pair: the sums of squared deviations of the first and of the second column, on the topics of both.

    They depend on a column and on the other's set of topics alone, and columns share few sets.
    """
    columns, present = pairs.columns, ~np.isnan(pairs.columns)
    squares = np.empty((columns.shape[0], pairs.patterns.shape[0]))
    for k, pattern in enumerate(pairs.patterns):
        here = present[:, pattern]
        z = np.where(here, columns[:, pattern], 0.0)
        z -= (z.sum(axis=1) / np.maximum(np.count_nonzero(here, axis=1), 1))[:, None]
        _fill(z, ~here)
        squares[:, k] = _squares(z)
    first, second = pairs.first, pairs.second
    return squares[first, pairs.pattern[second]], squares[second, pairs.pattern[first]]


def _fill(z: FloatArray, missing: BoolArray | None) -> None:
    """Put 0 for what is missing: it adds nothing, and is neither won nor lost."""
    if missing is not None:
        np.putmask(z, missing, 0.0)


def _squares(z: FloatArray) -> FloatArray:
    """The sums of squares of the rows; infinite where they do not fit a float. Overwrites the rows."""
    with np.errstate(over="ignore"):
        sums: FloatArray = np.square(z, out=z).sum(axis=1)
    return sums


def _fours(pairs: PairMatrix) -> FloatArray:
    """The matrix with missing topics added up to a multiple of four: kernels take four at a time."""
    systems, topics = pairs.columns.shape
    rows = np.full((-(-topics // 4) * 4, systems), np.nan)
    rows[:topics] = pairs.columns.T
    return rows
