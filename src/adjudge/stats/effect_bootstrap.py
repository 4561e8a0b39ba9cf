"""Bootstrap intervals of the mean differences of all pairs. Those of single columns live in bootstrap.py."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.pairs import Block, blocks, on_grid

Counts = npt.NDArray[np.uint16]

CHUNK = 512
"""Resamples whose counts are widened at once."""


def bootstrap_limits(
    matrix: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """The percentile interval of every pair's mean difference. Efron and Tibshirani 1993, chapter 13.

    Topics are drawn with replacement, the same for all pairs. A mean is over the topics that both columns have; a
    resample without one is left out for that pair.
    """
    counts = _drawn_counts(matrix.shape[0], resamples, rng)
    low, high = np.full((2, first.size), np.nan)
    for block in blocks(matrix, first, second, np.arange(first.size), beside=resamples):
        some = np.flatnonzero(block.n > 0)
        if some.size:
            means = _means(block, counts)[some]
            tails = [(1 - level) / 2, (1 + level) / 2]
            # nanquantile goes row by row in Python, so only where it must.
            quantile = np.nanquantile if np.isnan(means).any() else np.quantile
            at = block.positions[some]
            low[at], high[at] = quantile(means, tails, axis=1)
    return low, high


def _drawn_counts(rows: int, resamples: int, rng: np.random.Generator) -> Counts:
    """How often each topic is drawn in each resample: a mean is then a product."""
    counts = np.zeros((resamples, rows), dtype=np.uint16)
    for resample in range(resamples if rows else 0):
        counts[resample] = np.bincount(rng.integers(0, rows, size=rows), minlength=rows)
    return counts


def _means(block: Block, counts: Counts) -> FloatArray:
    """Pairs x resamples. Sums of whole numbers are exact, so no block or thread changes them."""
    grid = on_grid(block)
    means = np.empty((len(block.positions), len(counts)))
    present = block.present.astype(np.float64)
    for start in range(0, len(counts), CHUNK):
        drawn = counts[start : start + CHUNK].astype(np.float64).T
        with np.errstate(invalid="ignore"):
            means[:, start : start + CHUNK] = (grid.values @ drawn) / (present @ drawn)
    return np.ldexp(means, -grid.shift[:, None])
