"""What significant differences say of the ranking: letters and lines, rank intervals, rankings that are left.

`different[i, j]` says that i and j differ, `better[i, j]` that i is better than j. The critical-difference diagram
draws mean ranks with lines under those that do not differ (Demsar 2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.tukey import Tukey, tukey

MOST_STATES = 200_000
"""States that counting may hold, a few seconds' work; beyond it bounds or an estimate are given."""

KEPT_STATES, RUNS, LEVEL = 200, 20, 0.95
"""Of an estimate: the states that a run keeps of each size, the runs, the level of the interval."""

ROUNDED = 1e-9
"""The least half width of an estimate's interval, as a share of the number."""


@dataclass(frozen=True)
class RankingsEstimate:
    """The number of rankings where it was estimated, with an interval around it."""

    count: int
    low: int
    high: int
    level: float
    runs: int


@dataclass(frozen=True)
class Rankings:
    """How many rankings agree with all that is known: `count`, or bounds where counting takes too long."""

    items: int
    count: int | None
    low: int
    high: int
    circle: tuple[int, ...] = ()
    """Items that are better than each other in a circle: then no ranking agrees, and the count is 0."""
    estimate: RankingsEstimate | None = None
    """Where there is no count, and an estimate was asked for."""

    def sentence(self, what: str = "systems", basis: str = "the significant differences") -> str:
        """The number in words; `basis` is what rankings agree with."""
        if self.items < 2:
            return f"There is one {what.removesuffix('s')}, and nothing to rank."
        of = f"of the {self.items} {what}"
        if self.circle:
            return f"No ranking {of} agrees with {basis}: some go round in a circle."
        if self.count == 1:
            return f"One ranking {of} agrees with {basis}."
        if self.count is not None:
            return f"{number_words(self.count)} rankings {of} agree with {basis}."
        if (estimate := self.estimate) is not None:
            ends = f"{number_words(estimate.low)} to {number_words(estimate.high)}"
            return (
                f"About {number_words(estimate.count)} rankings {of} agree with {basis} (an estimate,"
                f" {estimate.level:.0%} interval {ends}: too many to count)."
            )
        bounds = f"between {number_words(self.low)} and {number_words(self.high)}"
        return f"{bounds.capitalize()} rankings {of} agree with {basis} (too many to count)."


def better_by_interval(low: npt.ArrayLike, high: npt.ArrayLike) -> BoolArray:
    """An item is better than another when its interval lies above the other's: an interval order.

    An item without an interval (NaN) is better than none, and none is better than it.
    """
    bottom, top = checks.pair(low, high)
    if (bottom > top).any():
        index = int(np.flatnonzero(bottom > top)[0])
        raise UsageError(f"low and high: [{index}] is empty, from {bottom[index]:g} to {top[index]:g}")
    return np.asarray(bottom[:, None] > top)


MEANS_TIE = 1e-12
"""Of the largest mean: means that are no further apart differ by rounding alone."""


def places(means: npt.ArrayLike) -> IntArray:
    """The rank of every mean, the smallest first; means that are equal but for rounding share the lowest of theirs.

    The same scores may add up differently in another order, or in a model's solution.
    """
    values = np.asarray(means, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    noise = MEANS_TIE * np.max(np.abs(values), initial=0.0)
    starts = np.ones(values.size, dtype=np.bool_)
    starts[1:] = np.diff(ordered) > noise
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.maximum.accumulate(np.where(starts, np.arange(1, values.size + 1), 0))
    return ranks


def rank_intervals(better: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """The best and the worst rank that the significant differences leave every item, 1 being the best.

    They are 1 + the number significantly better than it, and the number of all less those significantly worse
    (Mogstad, Romano, Shaikh and Wilhelm 2024): where the family of pairs errs at most 5 % of the time, all intervals
    hold the true ranks together 95 % of the time. Items that are better than each other in a circle count as
    unordered among themselves.
    """
    relation = _relation(better)
    reached = closure(relation)
    relation = relation & ~reached.T
    best = 1 + relation.sum(axis=0)
    worst = len(relation) - relation.sum(axis=1)
    return best.astype(np.int64), worst.astype(np.int64)


def count_rankings(
    better: npt.ArrayLike,
    *,
    most: int = MOST_STATES,
    rng: np.random.Generator | None = None,
    runs: int = RUNS,
    kept: int = KEPT_STATES,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Rankings:
    """The number of linear extensions of the order, without listing them.

    Rankings are built from the best item on. What can follow depends only on how many items have been placed
    out of every set of items that are better than the same ones: those placed are then interchangeable, since an
    item is free once all better than it are placed, and these are whole such sets. So the states are counts,
    and every state is reached in a number of ways that adds up. In general the problem is #P-complete (Brightwell
    and Winkler 1991): where more than `most` states would be needed, bounds are given; with a generator also an
    estimate, from `runs` runs of the same method that keep at most `kept` states of each size (see `_estimated`).
    """
    checks.count("runs", runs, least=2)
    checks.count("kept", kept, least=1)
    relation = closure(_relation(better))
    size = len(relation)
    if circle := tuple(int(item) for item in np.flatnonzero(relation.diagonal())):
        return Rankings(items=size, count=0, low=0, high=0, circle=circle)
    placing = _Placing(relation)
    count = _count(placing, most)
    if count is not None:
        return Rankings(items=size, count=count, low=count, high=count)
    low, high = _at_least(relation), _at_most(relation)
    estimate = None if rng is None else _estimated(placing, (low, high), rng, runs, kept, progress)
    return Rankings(items=size, count=None, low=low, high=high, estimate=estimate)


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


class _Placing:
    """How rankings are built from the best item on.

    A kind are the items that are better than the same ones. A state is one number: how many items of every kind have
    been placed, each in bits of its own.
    """

    def __init__(self, relation: BoolArray):
        kinds, inverse = np.unique(relation, axis=0, return_inverse=True)
        kind = inverse.ravel()
        self.items = len(relation)
        self.sizes = np.bincount(kind, minlength=len(kinds)).tolist()
        self.with_worse = (1 + kinds.sum(axis=1)).tolist()
        """Of an item of each kind: it and all that it is better than."""
        # For every kind, how many of its items are free once which kinds are complete (as bits).
        counts: list[dict[int, int]] = [{} for _ in range(len(kinds))]
        for item in range(len(relation)):
            needs = sum(1 << int(needed) for needed in np.unique(kind[relation[:, item]]))
            counts[kind[item]][needs] = counts[kind[item]].get(needs, 0) + 1
        self._free = [list(by_needs.items()) for by_needs in counts]
        self._widths = [size.bit_length() for size in self.sizes]
        self._shifts = [sum(self._widths[:number]) for number in range(len(kinds))]
        self._open_after: dict[int, list[tuple[int, int]]] = {}

    def following(self, placed: int, complete: int) -> list[tuple[int, int, int, int]]:
        """The kinds of which an item can be placed next, in how many ways, and the state and complete kinds then."""
        if complete not in self._open_after:
            openings = (
                (kind, sum(n for needs, n in options if needs & complete == needs))
                for kind, options in enumerate(self._free)
                if not complete >> kind & 1
            )
            self._open_after[complete] = [(kind, available) for kind, available in openings if available]
        return [
            (
                kind,
                available - here,
                placed + (1 << self._shifts[kind]),
                complete | (here + 1 == self.sizes[kind]) << kind,
            )
            for kind, available in self._open_after[complete]
            if (here := placed >> self._shifts[kind] & ((1 << self._widths[kind]) - 1)) < available
        ]


def _count(placing: _Placing, most: int) -> int | None:
    """Linear extensions by dynamic programming; None where there would be more than `most` states."""
    states = {0: (0, 1)}  # of every state: which kinds are complete, as bits, and the ways to reach it
    seen = 0
    for _ in range(placing.items):
        following: dict[int, tuple[int, int]] = {}
        for placed, (complete, ways) in states.items():
            choices = placing.following(placed, complete)
            # Every subset of the open kinds is a state that will be reached.
            if (1 << len(choices)) - 1 > most or seen + len(following) > most:
                return None
            for _, left, after, done in choices:
                before = following.get(after, (done, 0))[1]
                following[after] = done, before + left * ways
        seen += len(following)
        if seen > most:
            return None
        states = following
    return sum(ways for _, ways in states.values())


def _estimated(
    placing: _Placing,
    bounds: tuple[int, int],
    rng: np.random.Generator,
    runs: int,
    kept: int,
    progress: Callable[[int, int], None],
) -> RankingsEstimate:
    """The number from several thinned runs, with a t interval of their mean, made on the logarithm.

    Each run is unbiased, so their mean is; it and the interval are kept within the bounds that are certain.
    """
    logs = np.empty(runs)
    for run in range(runs):
        logs[run] = _thinned(placing, kept, rng)
        progress(run + 1, runs)
    shares = np.exp(logs - logs.max())
    middle = logs.max() + math.log(shares.mean())
    half = float(stdtrit(runs - 1, (1 + LEVEL) / 2)) * shares.std(ddof=1) / math.sqrt(runs) / shares.mean()
    half = max(
        half, ROUNDED
    )  # runs that had nothing to thin agree, and differ from the number by rounding alone
    count, low, high = (
        min(max(_exp(log), bounds[0]), bounds[1]) for log in (middle, middle - half, middle + half)
    )
    return RankingsEstimate(count=count, low=low, high=high, level=LEVEL, runs=runs)


def _thinned(placing: _Placing, kept: int, rng: np.random.Generator) -> float:
    """The logarithm of an unbiased estimate of the number: the dynamic programme, states thinned at random.

    Where a size has more states than are kept, some are drawn, and their ways are divided by the probability that
    they were: each state's ways are right on average, and so is their sum in the end. Those are likely drawn that
    promise many rankings: ways to get there times ways to go on, of which n! / prod(items with all that are worse) is
    a lower bound (exact for forests).
    """
    states = {0: (0, 1.0, 0.0)}  # complete kinds, ways, log of the product over what has been placed
    scale = 0.0
    for _ in range(placing.items):
        following: dict[int, tuple[int, float, float]] = {}
        for placed, (complete, ways, promise) in states.items():
            for kind, left, after, done in placing.following(placed, complete):
                before = following.get(after)
                if before is None:
                    more = promise + math.log(placing.with_worse[kind])
                    following[after] = done, left * ways, more
                else:
                    following[after] = done, before[1] + left * ways, before[2]
        most = max(ways for _, ways, _ in following.values())
        scale += math.log(most)
        chances = _chances([math.log(ways / most) + more for _, ways, more in following.values()], kept)
        # Systematic sampling: as many as the chances add up to, each with its own.
        drawn = np.diff(np.floor(np.append(0.0, np.cumsum(chances)) + rng.random())) > 0
        drawn |= chances >= 1
        states = {
            state: (done, ways / most / chance, more)
            for (state, (done, ways, more)), chance, taken in zip(
                following.items(), chances.tolist(), drawn, strict=True
            )
            if taken
        }
    return scale + math.log(sum(ways for _, ways, _ in states.values()))


def _chances(promises: Sequence[float], kept: int) -> FloatArray:
    """With which probability each is kept: in proportion to exp(promise), at most 1, and `kept` in all."""
    logs = np.array(promises)
    weights = np.exp(logs - logs.max())
    if weights.size <= kept:
        return np.ones(weights.size)
    order = np.argsort(-weights)
    rest = np.cumsum(weights[order][::-1])[::-1]  # of each and all smaller ones
    sure = int(np.argmin(weights[order][:kept] * (kept - np.arange(kept)) >= rest[:kept]))
    chances = np.minimum(1.0, weights * (kept - sure) / rest[sure])
    chances[order[:sure]] = 1.0
    return np.asarray(np.maximum(chances, np.finfo(np.float64).tiny))


def _exp(log: float) -> int:
    """A whole number from its logarithm, also where no float can hold it."""
    digits = max(0, int(log / math.log(10)) - 15)
    return int(round(math.exp(log - digits * math.log(10))) * 10**digits)


def _at_least(relation: BoolArray) -> int:
    """Items of one height can stand in any order while the heights stay in theirs."""
    height = np.zeros(len(relation), dtype=np.int64)
    for item in np.argsort(relation.sum(axis=0), kind="stable"):
        height[item] = 1 + height[relation[:, item]].max(initial=-1)
    return math.prod(math.factorial(int(n)) for n in np.bincount(height))


def _at_most(relation: BoolArray) -> int:
    """All orders in which disjoint chains keep their own; the chains are taken greedily."""
    left = [int(item) for item in np.argsort(relation.sum(axis=0), kind="stable")]
    rankings = math.factorial(len(left))
    while left:
        chain = [left[0]]
        for item in left[1:]:
            if relation[chain[-1], item]:
                chain.append(item)
        rankings //= math.factorial(len(chain))
        left = [item for item in left if item not in chain]
    return rankings


def number_words(count: int) -> str:
    """In full up to a billion, else to three digits."""
    if count < 10**9:
        return f"{count:,}"
    # Python writes no number of more than 4,300 digits: take off all but a few first.
    digits = int(math.log10(count)) if count < 10**300 else int(count.bit_length() * math.log10(2))
    first = count // 10 ** max(0, digits - 20)
    text = str(first)
    return f"{text[0]}.{text[1:3]}e{len(text) - 1 + max(0, digits - 20)}"


# Letters and lines for items that do not differ significantly

MOST_SETS = 1000
"""Sets that insert-and-absorb may hold, well under a second's work, before a cover is built."""


def letters(different: npt.ArrayLike, order: Sequence[int] | IntArray) -> list[str]:
    """The compact letter display, a text for every item. Piepho 2004.

    Two items share a letter exactly when they are not different. `order` names the items from the
    best to the worst; "a" belongs to the best. After z come aa, ab, and so on; where there are
    that many, an item's letters have spaces between them.
    """
    sets = groups(different, order)
    names = [letter(number) for number in range(len(sets))]
    between = " " if len(sets) > 26 else ""
    held: list[list[str]] = [[] for _ in order]
    for name, members in zip(names, sets, strict=True):
        for item in members:
            held[item].append(name)
    return [between.join(marks) for marks in held]


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
    apart = [
        sum(1 << int(position) for position in np.flatnonzero(row)) for row in matrix[np.ix_(ranked, ranked)]
    ]
    sets = _insert_and_absorb(apart)
    if sets is None:
        sets = _greedy_cover(apart)
    members = sorted(_members(bits) for bits in _without_spare(sets, len(ranked)))
    return [[ranked[position] for position in positions] for positions in members]


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
            "1 pair that does not differ significantly is"
            if n == 1
            else f"{n} pairs that do not differ significantly are"
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
        split = [members for members in sets if members & bit and members & others]
        whole = [members for members in sets if not (members & bit and members & others)]
        parts = {part for members in split for part in (members & ~bit, members & ~others)}
        sets = list(whole)
        for part in sorted(parts, key=int.bit_count, reverse=True):
            if not any(part & other == part for other in sets):
                sets.append(part)
        if len(sets) > MOST_SETS:
            return None
    return sets


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
    blocks = {members: np.ix_(_members(members), _members(members)) for members in sets}
    for block in blocks.values():
        together[block] += 1
    kept = []
    for members in sorted(sets, key=lambda members: (members.bit_count(), members)):
        if together[blocks[members]].min() > 1:
            together[blocks[members]] -= 1
        else:
            kept.append(members)
    return kept


def need_labels(labels: Sequence[str], size: int) -> None:
    """A label for every item."""
    if len(labels) != size:
        raise UsageError(f"labels: expected {size}, got {len(labels)}")


def _members(bits: int) -> list[int]:
    return [position for position in range(bits.bit_length()) if bits >> position & 1]


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


# The critical-difference diagram: mean ranks, the difference that counts, a drawing in text

Best = Literal["highest", "lowest"]


@dataclass(frozen=True)
class CriticalDifference:
    """Mean ranks of the columns within topics, rank 1 the best, and the lines that join those alike.

    Demsar 2006, section 3.2.2 and figure 1. A column without scores has no rank and is not in `order`.
    """

    ranks: FloatArray
    order: tuple[int, ...]
    """Columns with ranks, from the best on."""
    cd: float
    """The difference of mean ranks that counts; with missing cells, where it varies, its mean over pairs."""
    lines: Underlines
    """Positions in `order`, not columns."""
    test: Tukey

    @property
    def level(self) -> float:
        return self.test.level

    def cliques(self) -> tuple[tuple[int, ...], ...]:
        """The columns under each line, best first."""
        return tuple(tuple(self.order[position] for position in line) for line in self.lines.lines)

    def draw(self, labels: Sequence[str], *, width: int = 60) -> str:
        """The diagram in plain text: an axis of ranks, a row per column, a row per line."""
        need_labels(labels, self.ranks.size)
        checks.count("width", width, least=10)
        if not self.order:
            return "no column has a mean rank"
        axis = _Axis(len(self.order), width)
        wide = max(len("alike"), *(len(labels[column]) for column in self.order))
        rows = [("", "rank", axis.numbers()), ("", "", axis.rule())]
        rows += [(labels[c], f"{self.ranks[c]:.2f}", axis.mark(self.ranks[c])) for c in self.order]
        rows += [("alike", "", axis.bar([self.ranks[c] for c in clique], "=")) for clique in self.cliques()]
        if not math.isnan(self.cd):
            rows.append(("CD", f"{self.cd:.2f}", axis.bar([1.0, min(1 + self.cd, len(self.order))], "-")))
        return "\n".join(f"{a.ljust(wide)}  {b:>5}  {text}".rstrip() for a, b, text in rows)


def critical_difference(
    values: npt.ArrayLike, *, best: Best = "highest", level: float = 0.95
) -> CriticalDifference:
    """Mean ranks within topics and Nemenyi's test of all pairs; topics in rows, NaN where missing."""
    checks.one_of("best", best, ("highest", "lowest"))
    matrix = checks.numbers("values", values, dimensions=2)
    result = tukey(-matrix if best == "highest" else matrix, scale="topic-ranks", level=level)
    ranked = np.flatnonzero(~np.isnan(result.means))
    order = ranked[np.argsort(result.means[ranked], kind="stable")]
    different = result.different()[np.ix_(order, order)]
    return CriticalDifference(
        ranks=result.means,
        order=tuple(int(column) for column in order),
        cd=result.hsd,
        lines=underlines(different, range(order.size)),
        test=result,
    )


@dataclass(frozen=True)
class _Axis:
    """Ranks from 1 to `last` on so many characters."""

    last: int
    width: int

    def at(self, rank: float) -> int:
        share = (rank - 1) / (self.last - 1) if self.last > 1 else 0.0
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    def ticks(self) -> list[int]:
        """Whole ranks, as many as have room for their numbers; the first and the last always."""
        step = max(1, math.ceil((self.last - 1) * 4 / (self.width - 1)))
        return sorted({*range(1, self.last, step), self.last})

    def numbers(self) -> str:
        text = [" "] * (self.width + 4)
        for tick in reversed(self.ticks()):
            name = str(tick)
            at = self.at(tick)
            if "".join(text[at : at + len(name) + 1]).isspace():
                text[at : at + len(name)] = name
        return "".join(text).rstrip()

    def rule(self) -> str:
        text = ["-"] * self.width
        for tick in self.ticks():
            text[self.at(tick)] = "+"
        return "".join(text)

    def mark(self, rank: float) -> str:
        return " " * self.at(rank) + "o"

    def bar(self, ranks: Sequence[float], stroke: str) -> str:
        start, stop = self.at(min(ranks)), self.at(max(ranks))
        return " " * start + stroke * (stop - start + 1)
