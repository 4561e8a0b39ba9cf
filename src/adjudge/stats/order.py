"""What significant differences say of the ranking: rank intervals, and how many rankings are left.

Which items are better than which is decided elsewhere; `better[i, j]` says that i is better than j.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, IntArray

MOST_STATES = 200_000
"""States that counting may hold, a few seconds' work; beyond it bounds are given."""


@dataclass(frozen=True)
class Rankings:
    """How many rankings agree with all that is known: `count`, or bounds where counting takes too long."""

    items: int
    count: int | None
    low: int
    high: int
    circle: tuple[int, ...] = ()
    """Items that are better than each other in a circle: then no ranking agrees, and the count is 0."""

    def sentence(self, what: str = "systems") -> str:
        """The number in words."""
        of = f"of the {self.items} {what}"
        if self.circle:
            return f"No ranking {of} agrees with the significant differences: some go round in a circle."
        if self.count == 1:
            return f"One ranking {of} agrees with the significant differences."
        if self.count is not None:
            return f"{_number(self.count)} rankings {of} agree with the significant differences."
        bounds = f"between {_number(self.low)} and {_number(self.high)}"
        return (
            f"{bounds.capitalize()} rankings {of} agree with the significant differences (too many to count)."
        )


def better_in_order(different: npt.ArrayLike, order: Sequence[int] | IntArray) -> BoolArray:
    """Of two items that differ, the one that comes first in the order is the better one."""
    matrix = checks.relation("different", different)
    ranked = checks.ranking("order", order, matrix.shape[0])
    place = np.empty(len(ranked), dtype=np.int64)
    place[ranked] = np.arange(len(ranked))
    return np.asarray(matrix & (place[:, None] < place))


def better_by_interval(low: npt.ArrayLike, high: npt.ArrayLike) -> BoolArray:
    """An item is better than another when its interval lies above the other's: an interval order.

    An item without an interval (NaN) is better than none, and none is better than it.
    """
    bottom, top = checks.pair(low, high)
    if (bottom > top).any():
        index = int(np.flatnonzero(bottom > top)[0])
        raise UsageError(f"low and high: [{index}] is empty, from {bottom[index]:g} to {top[index]:g}")
    return np.asarray(bottom[:, None] > top)


def rank_intervals(better: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """The best and the worst rank that every item can have, 1 being the best.

    They are 1 + the number better than it, and the number of all less those worse than it. What follows counts
    too: where A is better than B and B better than C, A is better than C, tested or not. Items that are better
    than each other in a circle (see `circle`) count as unordered among themselves.
    """
    relation = closure(_relation(better))
    relation = relation & ~relation.T
    best = 1 + relation.sum(axis=0)
    worst = len(relation) - relation.sum(axis=1)
    return best.astype(np.int64), worst.astype(np.int64)


def circle(better: npt.ArrayLike) -> tuple[int, ...]:
    """The items that are better than each other in a circle, A than B, B than C, C than A; mostly none.

    Tests of pairs that use other topics for every pair can find one; no ranking can follow it.
    """
    return _circle(closure(_relation(better)))


def count_rankings(better: npt.ArrayLike, *, most: int = MOST_STATES) -> Rankings:
    """The number of linear extensions of the order, without listing them.

    Rankings are built from the best item on. What can follow depends only on how many items have been placed
    out of every set of items that are better than the same ones: those placed are then interchangeable, since an
    item is free once all better than it are placed, and these are whole such sets. So the states are counts,
    and every state is reached in a number of ways that adds up. In general the problem is #P-complete (Brightwell
    and Winkler 1991): where more than `most` states would be needed, bounds are given.
    """
    relation = closure(_relation(better))
    size = len(relation)
    if found := _circle(relation):
        return Rankings(size, 0, 0, 0, found)
    count = _count(relation, most)
    if count is not None:
        return Rankings(size, count, count, count)
    return Rankings(size, None, _at_least(relation), _at_most(relation))


def closure(better: BoolArray) -> BoolArray:
    """The relation with all that follows from it (Warshall 1962)."""
    reached = better.copy()
    for item in range(len(reached)):
        reached |= np.outer(reached[:, item], reached[item])
    return reached


def _relation(better: npt.ArrayLike) -> BoolArray:
    array = np.asarray(better)
    if array.dtype != np.bool_ or array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise UsageError(
            f"better: expected a square matrix of truth values, got {array.dtype} of {array.shape}"
        )
    if array.diagonal().any():
        index = int(np.flatnonzero(array.diagonal())[0])
        raise UsageError(f"better: [{index}, {index}] is true; nothing is better than itself")
    return array


def _circle(closed: BoolArray) -> tuple[int, ...]:
    return tuple(int(item) for item in np.flatnonzero(closed.diagonal()))


def _count(relation: BoolArray, most: int) -> int | None:
    """Linear extensions by dynamic programming; None where there would be more than `most` states."""
    kinds, kind = np.unique(relation, axis=0, return_inverse=True)
    sizes = np.bincount(kind.ravel(), minlength=len(kinds)).tolist()
    free = _free_after(relation, kind.ravel(), len(kinds))
    start = (0,) * len(kinds)
    states = {(start, _full(start, sizes)): 1}
    seen = 0
    for _ in range(len(relation)):
        following: dict[tuple[tuple[int, ...], int], int] = {}
        for (placed, complete), ways in states.items():
            for each, options in enumerate(free):
                left = sum(n for needs, n in options if needs & complete == needs) - placed[each]
                if left:
                    after = (*placed[:each], placed[each] + 1, *placed[each + 1 :])
                    done = complete | (after[each] == sizes[each]) << each
                    following[after, done] = following.get((after, done), 0) + left * ways
        seen += len(following)
        if seen > most:
            return None
        states = following
    return sum(states.values())


def _full(placed: tuple[int, ...], sizes: list[int]) -> int:
    return sum((n == size) << each for each, (n, size) in enumerate(zip(placed, sizes, strict=True)))


def _free_after(relation: BoolArray, kind: IntArray, kinds: int) -> list[list[tuple[int, int]]]:
    """For every kind, how many of its items are free once which kinds are complete (as bits)."""
    counts: list[dict[int, int]] = [{} for _ in range(kinds)]
    for item in range(len(relation)):
        needs = sum(1 << int(each) for each in np.unique(kind[relation[:, item]]))
        counts[kind[item]][needs] = counts[kind[item]].get(needs, 0) + 1
    return [list(each.items()) for each in counts]


def _at_least(relation: BoolArray) -> int:
    """Items of one height can stand in any order while the heights stay in theirs."""
    height = np.zeros(len(relation), dtype=np.int64)
    for item in np.argsort(relation.sum(axis=0), kind="stable"):
        height[item] = 1 + height[relation[:, item]].max(initial=-1)
    return math.prod(math.factorial(int(n)) for n in np.bincount(height))


def _at_most(relation: BoolArray) -> int:
    """All orders in which disjoint chains keep their own; the chains are taken greedily."""
    left = [int(item) for item in np.argsort(relation.sum(axis=0), kind="stable")]
    found = math.factorial(len(left))
    while left:
        chain = [left[0]]
        for item in left[1:]:
            if relation[chain[-1], item]:
                chain.append(item)
        found //= math.factorial(len(chain))
        left = [item for item in left if item not in chain]
    return found


def _number(count: int) -> str:
    """In full up to a billion, else to three digits."""
    if count < 10**9:
        return f"{count:,}"
    text = str(count)
    return f"{text[0]}.{text[1:3]}e{len(text) - 1}"
