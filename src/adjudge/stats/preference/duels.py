"""Duels between pairs of items, packed for passes over all of them, and the parts the items fall into. No fit here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from adjudge.errors import DataError
from adjudge.stats.preference.answers import FloatArray, IntArray

DENSE_FROM = 0.25
"""The share of all pairs from which the whole triangle is kept, which needs no column numbers."""


PASSES = 20
"""How often all pairs are looked at before a more thorough search for parts."""


@dataclass(frozen=True)
class Duels:
    """For every pair (i, j) with i < j, in rows of i: how often i beat j (`up`), and j beat i (`down`)."""

    n: int
    dense: bool
    starts: IntArray
    columns: npt.NDArray[np.int32]
    up: FloatArray
    down: FloatArray

    @cached_property
    def first(self) -> IntArray:
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    @cached_property
    def second(self) -> IntArray:
        if not self.dense:
            return self.columns.astype(np.int64)
        return np.arange(len(self.up)) - self.starts[self.first] + self.first + 1

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """How often each item won, and lost."""
        from adjudge.stats.preference.packing_kernels import totals

        won, lost = np.zeros((2, self.n))
        totals(self.n, int(self.dense), self.starts, self.columns, self.up, self.down, won, lost)
        return won, lost

    def of(self, item: int) -> tuple[IntArray, IntArray]:
        """The others that an item has a pair with, and the numbers of these pairs."""
        after = np.arange(self.starts[item], self.starts[item + 1])
        if self.dense:
            others = np.arange(item)
            before = self.starts[others] + item - others - 1
        else:
            before = np.flatnonzero(self.columns == item)
            others = self.first[before]
        behind = after - self.starts[item] + item + 1 if self.dense else self.columns[after]
        return np.concatenate([others, behind]), np.concatenate([before, after])

    def but(self, up: FloatArray, down: FloatArray) -> Duels:
        """The same pairs with other counts."""
        return replace(self, up=up, down=down)


def packed(wins: npt.ArrayLike) -> Duels:
    """Of a square of wins: the row's item beat the column's so often. The diagonal means nothing and is left out."""
    matrix = np.ascontiguousarray(wins, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"wins: expected a square matrix, got one of shape {matrix.shape}")
    from adjudge.stats.preference.packing_kernels import pack

    n = len(matrix)
    starts = np.concatenate([[0], np.cumsum(np.arange(n - 1, -1, -1))]).astype(np.int64)
    up, down = np.empty((2, n * (n - 1) // 2))
    pack(matrix.ravel(), n, starts, up, down)
    full = Duels(n, True, starts, np.zeros(1, np.int32), up, down)
    least = min(up.min(initial=np.inf), down.min(initial=np.inf))
    if not (least >= 0 and np.isfinite(full.totals[0]).all()):
        raise DataError("wins: a number of wins is negative, infinite or missing")
    if least > 0:
        return full
    fought = (up > 0) | (down > 0)
    if np.count_nonzero(fought) >= DENSE_FROM * fought.size:
        return full
    return of_pairs(n, full.first[fought], full.second[fought], up[fought], down[fought])


def of_pairs(n: int, first: IntArray, second: IntArray, up: FloatArray, down: FloatArray) -> Duels:
    """Of pairs with first < second, each once, in rising order."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(first, minlength=n))]).astype(np.int64)
    return Duels(n, False, starts, second.astype(np.int32), up, down)


def with_opponent(duels: Duels, often: float) -> Duels:
    """One item more, the last: every other one wins and loses so often against it."""
    n, pairs = duels.n, len(duels.up)
    ends = duels.starts[1:]  # the new pair of a row is its last one
    up, down = (np.insert(counts, ends, often) for counts in (duels.up, duels.down))
    starts = np.concatenate([duels.starts + np.arange(n + 1), [pairs + n]]).astype(np.int64)
    columns = duels.columns if duels.dense else np.insert(duels.columns, ends, n)
    return Duels(n + 1, duels.dense, starts, columns, up, down)


def parts(duels: Duels) -> IntArray:
    """The strongly connected part of each item: between any two of one part a chain of wins leads to and fro."""
    from adjudge.stats.preference.packing_kernels import one_part

    reached, graph = np.zeros(duels.n, np.uint8), (duels.n, int(duels.dense), duels.starts, duels.columns)
    if one_part(*graph, duels.up, duels.down, PASSES, reached):
        return np.zeros(duels.n, np.int64)
    forth, back = duels.up > 0, duels.down > 0
    winners = np.concatenate([duels.first[forth], duels.second[back]])
    losers = np.concatenate([duels.second[forth], duels.first[back]])
    wins = csr_array((np.ones(len(winners), np.int8), (winners, losers)), shape=(duels.n, duels.n))
    return np.asarray(connected_components(wins, connection="strong")[1], np.int64)
