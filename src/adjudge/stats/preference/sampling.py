"""Pairs of items drawn at random: every pair as likely as every other. Which pairs tell most is in active.py."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adjudge.errors import DataError, UsageError
from adjudge.stats.preference.answers import IntArray

Pair = tuple[int, int]


def random_pairs(n: int, count: int, *, rng: np.random.Generator, taken: Iterable[Pair] = ()) -> list[Pair]:
    """`count` pairs of n items, none of them in `taken` (in either order), none twice, no item against itself.

    All sets of free pairs are equally likely, and so are both orders inside a pair (Zopf 2018, section 4.1). Where
    fewer pairs are free than asked for, all free ones are returned; `pairs_left` says how many that are.
    """
    if count < 0:
        raise UsageError(f"the number of pairs is {count}, and must not be negative")
    used = pair_numbers(n, taken)
    free = n * (n - 1) // 2 - len(used)
    # The k-th free pair has number k plus the taken ones before it, so no list of all pairs is needed.
    ranks = (
        rng.choice(free, size=min(count, free), replace=False) if free and count else np.empty(0, np.int64)
    )
    numbers = ranks + np.searchsorted(used - np.arange(len(used)), ranks, side="right")
    return in_either_order(*numbered_pairs(numbers), rng=rng)


def pairs_left(n: int, taken: Iterable[Pair] = ()) -> int:
    """How many pairs of n items are not taken yet."""
    return n * (n - 1) // 2 - len(pair_numbers(n, taken))


def pair_numbers(n: int, pairs: Iterable[Pair]) -> IntArray:
    """The numbers of pairs of different items, ascending, each once: (0, 1) is 0, (0, 2) 1, (1, 2) 2, (0, 3) 3."""
    listed = np.array([tuple(pair) for pair in pairs], dtype=np.int64).reshape(-1, 2)
    wrong = listed[(listed < 0) | (listed >= n)]
    if len(wrong):
        raise DataError(f"a pair names item {wrong[0]}, and there are {n}, from 0")
    low, high = listed.min(axis=1), listed.max(axis=1)
    different = low != high
    return np.unique(high[different] * (high[different] - 1) // 2 + low[different])


def numbered_pairs(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """The smaller and the larger item of each pair, from its number."""
    high = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    # The root may be off by a rounding where a number is the first or last of its larger item.
    high -= high * (high - 1) // 2 > numbers
    high += high * (high + 1) // 2 <= numbers
    return numbers - high * (high - 1) // 2, high


def in_either_order(low: IntArray, high: IntArray, *, rng: np.random.Generator) -> list[Pair]:
    """Pairs with the order inside each drawn, so that being shown first goes to nobody in particular."""
    swap = rng.random(len(low)) < 0.5
    return [
        (int(a), int(b)) for a, b in zip(np.where(swap, high, low), np.where(swap, low, high), strict=True)
    ]
