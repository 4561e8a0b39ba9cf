"""Sums of the differences of many pairs under random swaps, exact in whole numbers. Counting lives in wy_kernels.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Alternative
from adjudge.stats.pairs import Block, Grid, blocks, on_grid

Signs = npt.NDArray[np.uint8]
"""One row a resample, one bit a topic, eight to a byte; a bit that is set turns the topic round."""

CHUNK = 2048
"""Resamples whose signs are unpacked at once."""
SMALL = 1 << 27
"""Multiplications below which waking a second thread costs more than it saves."""
ALONE = 1 << 18
"""Multiplications up to which OpenBLAS stays in one thread."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Some pairs: their sums of differences, as observed and with the signs of every resample."""

    observed: FloatArray
    swapped: FloatArray
    """Pairs x resamples."""
    noise: FloatArray
    """How far two sums of a pair may be apart by noise alone."""
    n: FloatArray
    spread: FloatArray
    """n times the sum of the squared differences, which swaps do not change."""


@dataclass(frozen=True, slots=True)
class Swaps:
    """A matrix, the columns of all its pairs, and the signs that they share.

    Sums are those of second - first where the alternative is "less", so that larger is always further out; two-sided
    their size counts.
    """

    matrix: FloatArray
    first: IntArray
    second: IntArray
    signs: Signs
    alternative: Alternative

    @property
    def two_sided(self) -> bool:
        return self.alternative == "two-sided"

    @property
    def turn(self) -> float:
        return -1.0 if self.alternative == "less" else 1.0

    def keys(self, values: FloatArray) -> FloatArray:
        """What is compared: larger is further out."""
        return np.abs(values) if self.two_sided else values

    def statistics(self, positions: IntArray) -> FloatArray:
        """T^p of these pairs, positive where the first column is higher."""
        from adjudge.stats.resampling.kernels import studentised

        found = np.empty(0)
        for block in blocks(self.matrix, self.first, self.second, positions):
            grid = on_grid(block)
            each = zip(grid.values.sum(axis=1), block.n.astype(np.float64), _spread(block, grid), strict=True)
            squares = np.array([studentised(*three) for three in each])
            found = np.concatenate([found, np.sign(squares) * np.sqrt(np.abs(squares))])
        return found

    def sums(self, positions: IntArray) -> Iterator[Sums]:
        """Block by block, in the order given."""
        for block in blocks(self.matrix, self.first, self.second, positions, beside=len(self.signs)):
            grid = on_grid(block)
            values = self.turn * grid.values
            yield Sums(
                values.sum(axis=1),
                self._swapped(values),
                grid.noise,
                block.n.astype(np.float64),
                _spread(block, grid),
            )

    def _swapped(self, values: FloatArray) -> FloatArray:
        """One product serves all pairs of a block. The numbers are whole and small enough: every sum is exact."""
        sums = np.empty((len(values), len(self.signs)))
        chunk = CHUNK if sums.size * values.shape[1] > SMALL else max(16, ALONE // values.size)
        for start in range(0, len(self.signs), chunk):
            bits = np.unpackbits(self.signs[start : start + chunk], axis=1, count=values.shape[1])
            sums[:, start : start + chunk] = values @ (1.0 - 2.0 * bits).T
        return sums


def draw_signs(rows: int, resamples: int, rng: np.random.Generator) -> Signs:
    """A fair sign for every topic of every resample."""
    return rng.integers(0, 256, size=(resamples, -(-rows // 8)), dtype=np.uint8)


def all_signs(rows: int) -> Signs:
    """Every vector of signs but the one that changes nothing."""
    number = np.arange(1, 2**rows)[:, None]
    return np.packbits((number >> np.arange(rows)) & 1, axis=1)


def _spread(block: Block, grid: Grid) -> FloatArray:
    spread: FloatArray = block.n * np.square(grid.values).sum(axis=1)
    return spread
