"""Sums under random swaps for many pairs at once, by products of matrices. What they are compared with is elsewhere.

One sign for each topic and resample serves all pairs: s.(x_i - x_j) = s.x_i - s.x_j, so a product of the signs with
the columns of scores gives the sums of all pairs that have one set of common topics. A few pairs with a set of their
own are cheaper as columns of differences. All numbers are whole and small enough to be exact, so that the
order in which a product adds them up, and its threads, cannot change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.resampling.common import CommonTopics
from adjudge.stats.resampling.quantised import Float

Bits = npt.NDArray[np.uint64]
Columns = npt.NDArray[Any]
"""Whole numbers, in the narrowest floats that hold them and their sums."""

SUMS_BYTES = 2**28
"""Memory for the sums of one batch: all resamples of its columns."""

SIGNS = 2**22
MOST_RESAMPLES = 8192
"""Signs, and resamples, unpacked at once."""

MOST_COLUMNS = 4096

PRODUCT_FROM = 2**25
"""Terms from which the library's product pays: below, its threads take longer to meet than the sums take."""


@dataclass(frozen=True)
class Batch:
    """Columns to be summed under swaps; a pair's sum is that of one column less that of another, or of none."""

    columns: Columns
    first: IntArray
    second: IntArray
    """The number of columns stands for none."""
    pairs: IntArray


def sign_bits(rng: np.random.Generator, topics: int, resamples: int) -> Bits:
    """A bit for each topic and resample: 1 is a swap. A row of words for each topic, 64 resamples to a word."""
    return rng.integers(0, 2**64, size=(topics, -(-resamples // 64)), dtype=np.uint64)


def swapped_sums(batch: Batch, bits: Bits, resamples: int) -> Columns:
    """The columns' sums under each resample's signs, and a row of zeros after them."""
    from adjudge.stats.resampling.kernels import unpack_signs, weighted_sums

    count, topics = batch.columns.shape
    sums = np.empty((count + 1, resamples), dtype=batch.columns.dtype)
    sums[count] = 0
    length = sign_block(topics)
    for start in range(0, resamples, length):
        stop = min(start + length, resamples)
        signs = np.empty((topics, stop - start), dtype=batch.columns.dtype)
        unpack_signs(bits, start, signs)
        if stop - start == resamples and count * topics * resamples < PRODUCT_FROM:
            weighted_sums(signs, batch.columns, sums[:count])
        else:
            sums[:count, start:stop] = batch.columns @ signs
    return sums


def sign_block(topics: int) -> int:
    """How many resamples are unpacked at once: whole words of 64."""
    return min(max(SIGNS // max(topics, 1) // 64, 1) * 64, MOST_RESAMPLES)


def batch_width(resamples: int, topics: int, dtype: Float) -> int:
    """How many columns go into a batch."""
    return min(max(SUMS_BYTES // np.dtype(dtype).itemsize // max(resamples, topics), 2), MOST_COLUMNS)


def column_batches(columns: Callable[[IntArray], Columns], pairs: IntArray, width: int) -> Iterator[Batch]:
    """A column for each pair, of which nothing is known but the function that makes them."""
    for start in range(0, pairs.size, width):
        chosen = pairs[start : start + width]
        local = np.arange(chosen.size)
        yield Batch(columns(chosen), local, np.full(chosen.size, chosen.size), chosen)


def score_batches(
    whole: FloatArray, common: CommonTopics, pairs: IntArray, width: int, dtype: Float
) -> Iterator[Batch]:
    """Columns of scores where several pairs share their set of common topics, else of differences."""
    alone: list[IntArray] = []
    waiting: list[Batch] = []
    for which, members in common.sets(pairs):
        if members.size <= 3:  # three pairs have three columns of scores or more
            alone.append(members)
            continue
        for batch in _tiles(whole, common, which, members, width, dtype):
            if waiting and sum(len(each.columns) for each in waiting) + len(batch.columns) > width:
                yield _joined(waiting)
                waiting = []
            waiting.append(batch)
    if waiting:
        yield _joined(waiting)
    if alone:
        yield from column_batches(_differences(whole, common, dtype), np.concatenate(alone), width)


def _tiles(
    whole: FloatArray, common: CommonTopics, which: int, members: IntArray, width: int, dtype: Float
) -> Iterator[Batch]:
    """The pairs of one set, in as many batches as the width asks for: one, unless systems are many."""
    first, second = common.first[members], common.second[members]
    systems, first, second = _renumbered(first, second, len(whole))
    place = np.zeros(members.size, dtype=np.int64)
    if systems.size > width:
        tile = max(width // 2, 1)
        place = first // tile * systems.size + second // tile
    counted = np.zeros(whole.shape[1], dtype=np.bool_)
    counted[common.rows(which)] = True
    for each in np.unique(place):
        here = np.flatnonzero(place == each)
        used, a, b = _renumbered(first[here], second[here], systems.size)
        columns = np.where(counted, whole[systems[used]], 0.0).astype(dtype)
        yield Batch(columns, a, b, members[here])


def _renumbered(first: IntArray, second: IntArray, size: int) -> tuple[IntArray, IntArray, IntArray]:
    """Which of so many numbers occur, and both arrays by the places that these have."""
    used = np.zeros(size, dtype=np.bool_)
    used[first] = used[second] = True
    place = np.cumsum(used) - 1
    return np.flatnonzero(used), place[first], place[second]


def _joined(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    offsets = np.cumsum([0, *(len(batch.columns) for batch in batches[:-1])])
    return Batch(
        np.concatenate([batch.columns for batch in batches]),
        np.concatenate([batch.first + at for batch, at in zip(batches, offsets, strict=True)]),
        np.concatenate([batch.second + at for batch, at in zip(batches, offsets, strict=True)]),
        np.concatenate([batch.pairs for batch in batches]),
    )


def _differences(whole: FloatArray, common: CommonTopics, dtype: Float) -> Callable[[IntArray], Columns]:
    def columns(pairs: IntArray) -> Columns:
        z = whole[common.first[pairs]] - whole[common.second[pairs]]
        return np.where(np.isnan(z), 0.0, z).astype(dtype)

    return columns
