"""Letters and lines for items that cannot be told apart. Which differ is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import IntArray

MOST_SETS = 1000
"""Sets that insert-and-absorb may hold, well under a second's work, before a cover is built."""


def letters(different: npt.ArrayLike, order: Sequence[int] | IntArray) -> list[str]:
    """The compact letter display, a text for every item. Piepho 2004.

    Two items share a letter exactly when they are not different. `order` names the items from the
    best to the worst; "a" belongs to the best. After z come aa, ab, and so on; where there are
    that many, an item's letters have spaces between them.
    """
    found = groups(different, order)
    names = [letter(number) for number in range(len(found))]
    between = " " if len(found) > 26 else ""
    held: list[list[str]] = [[] for _ in order]
    for name, members in zip(names, found, strict=True):
        for item in members:
            held[item].append(name)
    return [between.join(each) for each in held]


def groups(different: npt.ArrayLike, order: Sequence[int] | IntArray) -> list[list[int]]:
    """The items behind each letter, best first, in the order of the letters.

    Every group is as large as it can be without holding two that differ, and none can be spared:
    each has two items (or one) that are together nowhere else. Where insert-and-absorb would need
    more than MOST_SETS sets, the groups come from a greedy cover, which promises just the same.
    """
    matrix = checks.relation("different", different)
    ranked = checks.ranking("order", order, matrix.shape[0])
    if not ranked:
        return []
    # A set of items is an integer: bit k stands for the item of rank k, so 0 is the best.
    apart = [_bits(np.flatnonzero(row)) for row in matrix[np.ix_(ranked, ranked)]]
    sets = _insert_and_absorb(apart)
    if sets is None:
        sets = _greedy_cover(apart)
    members = sorted(_members(each) for each in _without_spare(sets, len(ranked)))
    return [[ranked[position] for position in each] for each in members]


@dataclass(frozen=True)
class Underlines:
    """Items in rank order, with a line under every largest run in which no two differ."""

    order: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...]
    """The items of each line, best first; two at the least."""
    unjoined: tuple[tuple[int, int], ...]
    """Pairs that are not different and yet on no line: one between them differs from one of the two. Then lines
    say too much, and only letters can say what was found."""

    def warning(self) -> str | None:
        """One line where the lines cannot show everything, else None."""
        if not self.unjoined:
            return None
        n = len(self.unjoined)
        pairs = (
            "1 pair that cannot be told apart stands"
            if n == 1
            else f"{n} pairs that cannot be told apart stand"
        )
        return f"lines cannot show this: {pairs} on no common line; letters can"

    def draw(self, labels: Sequence[str]) -> str:
        """A line of text per item, best first, with the lines standing upright beside the names."""
        need_labels(labels, len(self.order))
        wide = max((len(label) for label in labels), default=0)
        bars = [set(line) for line in self.lines]
        rows = (
            labels[item].ljust(wide) + "".join(" |" if item in bar else "  " for bar in bars)
            for item in self.order
        )
        return "\n".join(row.rstrip() for row in rows)


def underlines(different: npt.ArrayLike, order: Sequence[int] | IntArray) -> Underlines:
    """The classic display of a multiple comparison: items in rank order, lines under those that are alike.

    A line ends where the next item differs from any on it. Lines show just what was found where a pair that
    differs keeps differing when it is pulled apart, as with equal standard errors.
    """
    matrix = checks.relation("different", different)
    ranked = checks.ranking("order", order, matrix.shape[0])
    lines: list[tuple[int, ...]] = []
    stop = 0
    for start in range(len(ranked)):
        before = stop
        stop = max(stop, start + 1)
        while stop < len(ranked) and not matrix[ranked[stop], ranked[start:stop]].any():
            stop += 1
        if stop > before and stop - start > 1:
            lines.append(tuple(ranked[start:stop]))
    joined = matrix.copy()
    for line in lines:
        joined[np.ix_(line, line)] = True
    unjoined = ((ranked[i], ranked[j]) for i, j in np.argwhere(np.triu(~joined[np.ix_(ranked, ranked)], 1)))
    return Underlines(tuple(ranked), tuple(lines), tuple(unjoined))


def letter(number: int) -> str:
    """0 is a, 25 is z, 26 is aa, 27 is ab."""
    text = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        text = chr(ord("a") + last) + text
    return text


def _insert_and_absorb(apart: Sequence[int]) -> list[int] | None:
    """All maximal sets without two items that are apart; None where they become too many.

    Piepho inserts one differing pair at a time: a set that holds both becomes two sets, each
    without one of them. Here all pairs of one item go in together, which gives the same sets: one
    without the item, one without all those apart from it. A set within another is absorbed.
    """
    sets = [(1 << len(apart)) - 1]
    for item, others in enumerate(apart):
        bit = 1 << item
        split = [each for each in sets if each & bit and each & others]
        whole = [each for each in sets if not (each & bit and each & others)]
        parts = {part for each in split for part in (each & ~bit, each & ~others)}
        sets = _absorb(whole, parts)
        if len(sets) > MOST_SETS:
            return None
    return sets


def _absorb(whole: list[int], parts: Iterable[int]) -> list[int]:
    """The whole sets, none within another, and those parts that lie in no other set."""
    kept = list(whole)
    for part in sorted(parts, key=int.bit_count, reverse=True):
        if not any(part & each == part for each in kept):
            kept.append(part)
    return kept


def _greedy_cover(apart: Sequence[int]) -> list[int]:
    """Maximal sets that together hold every pair that is not apart; each brings a new pair."""
    everyone = (1 << len(apart)) - 1
    alike = [everyone & ~others & ~(1 << item) for item, others in enumerate(apart)]
    uncovered = list(alike)
    sets = [1 << item for item, others in enumerate(alike) if not others]
    for first in range(len(apart)):
        while uncovered[first]:
            grown = _grow(first, uncovered[first], alike)
            sets.append(grown)
            for item in _members(grown):
                uncovered[item] &= ~grown
    return sets


def _grow(first: int, wanted: int, alike: Sequence[int]) -> int:
    """A maximal set of items alike, from one item on; the wanted ones come in before others."""
    grown, candidates = 1 << first, alike[first]
    while candidates:
        item = _lowest(candidates & wanted or candidates)
        grown |= 1 << item
        candidates &= alike[item]
    return grown


def _without_spare(sets: Sequence[int], size: int) -> list[int]:
    """The sets, less those whose every pair is together in another; the smallest go first."""
    together = np.zeros((size, size), dtype=np.int64)
    blocks = {each: np.ix_(_members(each), _members(each)) for each in sets}
    for block in blocks.values():
        together[block] += 1
    kept = []
    for each in sorted(sets, key=lambda each: (each.bit_count(), each)):
        if together[blocks[each]].min() > 1:
            together[blocks[each]] -= 1
        else:
            kept.append(each)
    return kept


def need_labels(labels: Sequence[str], size: int) -> None:
    """A label for every item."""
    if len(labels) != size:
        raise UsageError(f"labels: expected {size}, got {len(labels)}")


def _bits(positions: Iterable[int]) -> int:
    return sum(1 << int(position) for position in positions)


def _members(bits: int) -> list[int]:
    return [position for position in range(bits.bit_length()) if bits >> position & 1]


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
