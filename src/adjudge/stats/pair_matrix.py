"""A matrix made ready for tests of all its pairs: who shares topics, and where noise may matter. No tests here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import columns_of_pairs

BLOCK = 32_768
"""Differences held at once: 256 KiB, which stay in a processor's cache."""

COMPILED_FROM = 10_000_000
"""Differences from which tests are compiled: the plain way takes 0.1 s for one, loading the compiler 0.3 s."""


@dataclass(frozen=True)
class PairMatrix:
    """The columns of a matrix, and every pair of them."""

    columns: FloatArray
    """Systems x topics."""
    patterns: BoolArray
    """The different sets of topics that columns have, sets x topics."""
    pattern: IntArray
    """Which of these is each column's."""
    first: IntArray
    second: IntArray
    n: IntArray
    """The topics that both have, by pair."""
    noisy: BoolArray
    """The pairs that may tie where they are not equal. For all others a tie is a difference of 0."""
    loaded: bool = False
    """The compiler is loaded anyway, so that the compiled way pays for little work too."""

    def __len__(self) -> int:
        return self.n.size

    @property
    def complete(self) -> bool:
        return bool(self.patterns.all())

    @property
    def compiled(self) -> bool:
        """Whether there is so much to do that loading the compiler pays."""
        return self.loaded or bool(len(self) * self.columns.shape[1] >= COMPILED_FROM)

    def noise(self) -> FloatArray:
        """By pair, the most that noise can be: that of the largest score of the two."""
        largest = np.abs(self.columns).max(axis=1, initial=0.0, where=~np.isnan(self.columns))
        most: FloatArray = NOISE * np.maximum(largest[self.first], largest[self.second])
        return most

    def of(self, k: int) -> tuple[FloatArray, FloatArray]:
        """The two columns of a pair."""
        return self.columns[self.first[k]], self.columns[self.second[k]]

    @property
    def few(self) -> int:
        """How many pairs are done at a time."""
        return int(max(1, min(len(self), BLOCK // max(1, self.columns.shape[1]))))

    def blocks(self, at: IntArray) -> Iterator[IntArray]:
        """Some pairs, a few at a time."""
        for start in range(0, at.size, self.few):
            yield at[start : start + self.few]

    def differences(self, at: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """Some pairs, a few at a time, with their differences, pairs x topics: 0 for a tie, NaN where one is missing.

        All come in the same array, to be done with as one likes: a new one each time would cost more than
        the differences do.
        """
        space = np.empty((2, self.few, self.columns.shape[1]))
        for some in self.blocks(at):
            x, y = space[:, : some.size]
            # "clip" only says that indices need no check, which would need another copy.
            self.columns.take(self.first[some], axis=0, out=x, mode="clip")
            self.columns.take(self.second[some], axis=0, out=y, mode="clip")
            ties = _tie(x, y) if self.noisy[some].any() else None
            x -= y
            if ties is not None:
                np.putmask(x, ties, 0.0)
            yield some, x


def pair_matrix(matrix: FloatArray, *, loaded: bool = False) -> PairMatrix:
    """Make a checked matrix, topics x systems, ready."""
    columns = np.ascontiguousarray(matrix.T) + 0.0  # no negative zeros: they would be differences with a sign
    patterns, pattern = _patterns(~np.isnan(columns))
    first, second = columns_of_pairs(columns.shape[0])
    # Counts are whole numbers, so this product is exact however it is computed.
    both = patterns.astype(np.float64) @ patterns.T.astype(np.float64)
    n = both.astype(np.int64)[pattern[first], pattern[second]]
    noisy = _noisy_columns(matrix)
    return PairMatrix(columns, patterns, pattern, first, second, n, noisy[first] & noisy[second], loaded)


def _noisy_columns(matrix: FloatArray) -> BoolArray:
    """The columns that tie with another on a topic where some tie without being equal; mostly there are none.

    Two that tie are neighbours in the order of their scores, or have a chain of ties between them.
    """
    noisy = np.zeros(matrix.shape[1], dtype=np.bool_)
    most = NOISE * float(np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix)))
    step = max(1, BLOCK // max(1, matrix.shape[1]))
    for start in range(0, matrix.shape[0], step):
        rows = matrix[start : start + step]
        gaps = np.diff(np.sort(rows, axis=1))
        rows = rows[((gaps > 0) & (gaps <= most)).any(axis=1)]
        if rows.size:
            noisy |= _chained(rows)
    return noisy


def _chained(rows: FloatArray) -> BoolArray:
    """The columns with a neighbour that they tie with, in rows where some ties are not equal."""
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    # A little more than the rule, since neighbours may be a little smaller than the two that tie.
    close = _tie(ordered[:, 1:], ordered[:, :-1], 1.001 * NOISE)
    close &= (close & (np.diff(ordered) > 0)).any(axis=1, keepdims=True)
    members = np.zeros(rows.shape, dtype=np.bool_)
    members[:, 1:] |= close
    members[:, :-1] |= close
    found = np.zeros(rows.shape[1], dtype=np.bool_)
    found[order[members]] = True
    return found


def _tie(x: FloatArray, y: FloatArray, noise: float = NOISE) -> BoolArray:
    """Where two scores are equal but for noise: the rule of `differences`."""
    tie: BoolArray = np.abs(x - y) <= noise * np.maximum(np.abs(x), np.abs(y))
    return tie


def _patterns(present: BoolArray) -> tuple[BoolArray, IntArray]:
    """The different rows, and which of them each row is."""
    known: dict[bytes, int] = {}
    which = [known.setdefault(row.tobytes(), len(known)) for row in np.packbits(present, axis=1)]
    index = np.array(which, dtype=np.int64)
    _, place = np.unique(index, return_index=True)
    return present[place], index
