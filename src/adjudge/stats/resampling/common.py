"""Which topics the two columns of a pair have in common: few sets for many pairs. Nothing is tested here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import BoolArray, IntArray
from adjudge.stats.pairs import columns_of_pairs


@dataclass(frozen=True)
class CommonTopics:
    """The pairs of columns, sorted by their sets of common topics. Columns fall into few patterns of missing cells,
    so pairs fall into few sets."""

    first: IntArray
    second: IntArray
    set_of_pair: IntArray
    packed: npt.NDArray[np.uint8]
    """One row of bits for every set: which topics belong to it."""
    topics: int

    @property
    def n(self) -> IntArray:
        """How many topics each pair has in common."""
        sizes: IntArray = np.bitwise_count(self.packed).sum(axis=1, dtype=np.int64)
        return sizes[self.set_of_pair]

    def rows(self, which: int) -> IntArray:
        """The topics of a set."""
        return np.flatnonzero(np.unpackbits(self.packed[which], count=self.topics))

    def sets(self, pairs: IntArray) -> Iterator[tuple[int, IntArray]]:
        """Every set that some of these pairs have, and which of them have it."""
        ids = self.set_of_pair[pairs]
        order = np.argsort(ids, kind="stable")
        starts = np.flatnonzero(np.diff(ids[order], prepend=-1))
        for start, stop in zip(starts, [*starts[1:], pairs.size], strict=False):
            yield int(ids[order[start]]), pairs[order[start:stop]]


def common_topics(present: BoolArray) -> CommonTopics:
    """The sets of all pairs of columns, given which cells are present."""
    topics, columns = present.shape
    first, second = columns_of_pairs(columns)
    bits = np.packbits(present, axis=0).T
    if present.all():
        return CommonTopics(first, second, np.zeros(first.size, dtype=np.int64), bits[:1], topics)
    patterns, pattern = np.unique(bits, axis=0, return_inverse=True)
    a, b = np.triu_indices(len(patterns))
    packed, met = np.unique(patterns[a] & patterns[b], axis=0, return_inverse=True)
    table = np.zeros((len(patterns), len(patterns)), dtype=np.int64)
    table[a, b] = table[b, a] = met.ravel()
    pattern = pattern.ravel()
    return CommonTopics(first, second, table[pattern[first], pattern[second]], packed, topics)
