"""The differences of many pairs of columns, a block of pairs at a time. What is made of them lives elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE, Differences
from adjudge.stats.pairs import PairCounts, columns_of_pairs

CELLS = 1 << 21
"""Numbers in one array of a block: 16 MB. What is computed from a block does not depend on its size."""
WIDEST = 256
"""Pairs in a block at the most."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some pairs; rows are pairs, columns are topics, so that a pair's differences lie together."""

    positions: IntArray
    """Which of all pairs these are."""
    values: FloatArray
    """first - second, by the rule of `differences`: a difference within its noise is 0. NaN where one is missing."""
    noise: FloatArray
    """The noise of each difference; 0 where it is missing."""
    present: BoolArray

    @property
    def n(self) -> IntArray:
        counts: IntArray = self.present.sum(axis=1, dtype=np.int64)
        return counts

    @property
    def filled(self) -> FloatArray:
        """The differences, 0 where missing: for sums."""
        return np.where(self.present, self.values, 0.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """Differences as whole numbers, each pair in a unit of its own (a power of two).

    The unit is so small that rounding to it loses nothing that matters, and so large that a sum of the differences,
    with signs or with weights that add up to the number of topics, is exact in floating point. Such a sum depends on
    no order of adding: not on blocks, not on threads, not on the library that multiplies.
    """

    values: FloatArray
    noise: FloatArray
    """How far two sums of one pair may differ by noise and rounding alone, in the pair's unit."""
    shift: IntArray
    """The unit is 2 to the power of -shift."""


def blocks(
    matrix: FloatArray, first: IntArray, second: IntArray, positions: IntArray, *, beside: int = 1
) -> Iterator[Block]:
    """The pairs at these positions, in this order. `beside`: numbers per pair that the caller will hold."""
    # One contiguous copy: taking many columns of a row-major matrix is slow.
    columns = np.ascontiguousarray(matrix.T)
    width = min(WIDEST, max(1, CELLS // max(1, matrix.shape[0], beside)))
    for start in range(0, positions.size, width):
        yield _block(columns, first, second, positions[start : start + width])


def _block(columns: FloatArray, first: IntArray, second: IntArray, positions: IntArray) -> Block:
    x, y = columns[first[positions]], columns[second[positions]]
    values = x - y
    present = ~np.isnan(values)
    noise = NOISE * np.maximum(np.abs(x), np.abs(y))
    noise[~present] = 0.0
    values[present & (np.abs(values) <= noise)] = 0.0
    return Block(positions, values, noise, present)


def on_grid(block: Block) -> Grid:
    """The block's differences as whole numbers of at most 2^52, divided by the number of topics."""
    filled = block.filled
    largest = np.max(np.abs(filled), axis=1, initial=0.0)
    shift = 52 - filled.shape[1].bit_length() - np.frexp(largest)[1].astype(np.int64)
    values = np.rint(np.ldexp(filled, shift[:, None]))
    # Rounding moves a sum by n / 2 units at the most, and two sums by n.
    noise = np.ldexp(block.noise.sum(axis=1), shift) + block.n
    return Grid(values, np.where(largest > 0, noise, 0.0), shift)


def constant(block: Block) -> BoolArray:
    """Which pairs have one difference on all their topics, but for noise (`Differences.all_equal`)."""
    low = np.min(block.values, axis=1, initial=np.inf, where=block.present)
    high = np.max(block.values, axis=1, initial=-np.inf, where=block.present)
    # Steps no larger than the noise: only such pairs are worth a closer look, and there are few.
    found: BoolArray = high - low <= block.noise.sum(axis=1)
    for row in np.flatnonzero(found):
        kept = block.present[row]
        found[row] = Differences(block.values[row, kept], block.noise[row, kept]).all_equal()
    return found


@dataclass(frozen=True)
class Moments:
    """Every pair's counts, and how its differences vary."""

    counts: PairCounts
    sd: FloatArray
    """The standard deviation of the differences, with n - 1; NaN below two topics, 0 where they are constant."""
    constant: BoolArray
    """Where all differences are one number, but for noise; also where there are none."""

    def __len__(self) -> int:
        return self.sd.size

    def without_spread(self, k: int) -> str:
        """Why the k-th pair's differences do not say how they vary."""
        n = int(self.counts.n[k])
        if n < 2:
            return f"needs two topics that both have, has {n or 'none'}"
        return f"all {n} differences are the same, and need to vary"


def moments(matrix: FloatArray) -> Moments:
    """What is known of every pair of columns before any test."""
    first, second = columns_of_pairs(matrix.shape[1])
    n, wins, losses = np.zeros((3, first.size), dtype=np.int64)
    mean, sd = np.full((2, first.size), np.nan)
    same = np.zeros(first.size, dtype=np.bool_)
    for block in blocks(matrix, first, second, np.arange(first.size)):
        at, size = block.positions, block.n
        n[at], same[at] = size, constant(block)
        wins[at] = np.count_nonzero(block.values > 0, axis=1)
        losses[at] = np.count_nonzero(block.values < 0, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean[at] = block.filled.sum(axis=1) / size
            deviations = np.where(block.present, block.values - mean[at][:, None], 0.0)
            sd[at] = np.sqrt(np.square(deviations).sum(axis=1) / (size - 1))
    sd[same] = np.where(n[same] > 1, 0.0, np.nan)
    return Moments(PairCounts(first, second, n, mean, wins, losses, n - wins - losses), sd, same)
