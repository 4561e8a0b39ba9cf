"""Who judges which page, so that all have equally much to do. Numbers only: no names, no texts, no order of tasks.

First every page gets the assessors who have least to do. Then pages change hands: along chains until nobody has two
more than somebody who could take over (as in the semi-matchings of Harvey, Ladner, Lovász and Tamir 2003: where no such
chain is left, loads are as even as they can be), and by swaps that leave loads alone, for even topics, then systems.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

PARTNERS = 200  # pages that a swap is tried with; those of one topic first, which change no topic's count
ROUNDS = 20  # of swaps at the most; every swap makes things more even, so there is an end anyway


@dataclass(frozen=True)
class PageNeed:
    """A page: its topic and its systems as numbers, how many more assessors it needs, and who they can be."""

    topic: int
    systems: tuple[int, ...]
    need: int
    allowed: frozenset[int]


class Loads:
    """How many pages each assessor has: in all, per topic, per system."""

    def __init__(self, assessors: int, topics: int, systems: int):
        self.load = [0] * assessors
        self.topic = [[0] * topics for _ in range(assessors)]
        self.system = [[0] * systems for _ in range(assessors)]

    def add(self, who: int, topic: int, systems: Sequence[int], by: int = 1) -> None:
        self.load[who] += by
        self.topic[who][topic] += by
        for system in systems:
            self.system[who][system] += by


def choose(pages: Sequence[PageNeed], loads: Loads, rng: np.random.Generator) -> list[set[int]]:
    """The assessors of every page, `need` of them or all who are allowed; the loads are updated."""
    judges = _greedy(pages, loads, rng)
    # Even loads: hand pages on along chains from somebody to somebody who has at least two less.
    everybody = range(len(loads.load))
    while chain := next(filter(None, (_chain(pages, judges, loads, start) for start in everybody)), None):
        for p, a, b in chain:
            _hand_over(pages, judges, loads, p, a, b)
    _swap(pages, judges, loads, rng)
    return judges


def _greedy(pages: Sequence[PageNeed], loads: Loads, rng: np.random.Generator) -> list[set[int]]:
    """Topic by topic, in random order: whoever has least in all, then of the topic, then of the systems."""
    judges: list[set[int]] = [set() for _ in pages]
    rank = rng.permutation(1 + max((page.topic for page in pages), default=0))
    shuffled = rng.permutation(len(pages)).tolist()
    for p in sorted(shuffled, key=lambda p: int(rank[pages[p].topic])):
        page = pages[p]
        chance = rng.permutation(len(loads.load))
        order = sorted(
            page.allowed,
            key=lambda a: (
                loads.load[a],
                loads.topic[a][page.topic],
                sum(loads.system[a][system] for system in page.systems),
                int(chance[a]),
            ),
        )
        for who in order[: page.need]:
            judges[p].add(who)
            loads.add(who, page.topic, page.systems)
    return judges


def _hand_over(
    pages: Sequence[PageNeed], judges: list[set[int]], loads: Loads, p: int, a: int, b: int
) -> None:
    page = pages[p]
    judges[p].remove(a)
    judges[p].add(b)
    loads.add(a, page.topic, page.systems, -1)
    loads.add(b, page.topic, page.systems)


def _chain(
    pages: Sequence[PageNeed], judges: Sequence[set[int]], loads: Loads, start: int
) -> list[tuple[int, int, int]]:
    """Pages to hand on, each with from and to, from `start` to whoever has least; empty where nobody has two less."""
    if loads.load[start] - min(loads.load) < 2:
        return []
    held_by: list[list[int]] = [[] for _ in loads.load]
    for p, who in enumerate(judges):
        for a in who:
            held_by[a].append(p)
    came: dict[int, tuple[int, int]] = {}
    queue, reached = deque([start]), {start}
    while queue:
        a = queue.popleft()
        for p in held_by[a]:
            for b in sorted(pages[p].allowed - judges[p] - reached):
                reached.add(b)
                came[b] = (p, a)
                queue.append(b)
    best = min(reached, key=lambda b: (loads.load[b], b))
    if loads.load[start] - loads.load[best] < 2:
        return []
    chain = []
    while best != start:
        p, a = came[best]
        chain.append((p, a, best))
        best = a
    return chain


def _swap(pages: Sequence[PageNeed], judges: list[set[int]], loads: Loads, rng: np.random.Generator) -> None:
    """Swap pages between two assessors as long as that makes topics more even, or systems with topics as even."""
    for _ in range(ROUNDS):
        changed = False
        held = [(p, a) for p, who in enumerate(judges) for a in sorted(who)]
        by_topic: dict[int, list[int]] = {}
        for p, _a in held:
            by_topic.setdefault(pages[p].topic, []).append(p)
        held = [held[i] for i in rng.permutation(len(held))]
        for p, a in held:
            if a in judges[p] and _uneven(pages[p], loads, a):
                for q in _partners(pages, by_topic, p, rng):
                    if (b := _better(pages, judges, loads, p, a, q)) is not None:
                        _hand_over(pages, judges, loads, p, a, b)
                        _hand_over(pages, judges, loads, q, b, a)
                        changed = True
                        break
        if not changed:
            return


def _uneven(page: PageNeed, loads: Loads, a: int) -> bool:
    """Whether `a` has two more of the page's topic or of a system than somebody who may judge it.

    A swap that helps has such a page on one of its sides, so that the others need not be tried.
    """
    others = page.allowed
    return any(
        counts[a][key] - min(counts[b][key] for b in others) >= 2
        for counts, keys in ((loads.topic, (page.topic,)), (loads.system, page.systems))
        for key in keys
    )


def _partners(
    pages: Sequence[PageNeed], by_topic: dict[int, list[int]], p: int, rng: np.random.Generator
) -> Iterator[int]:
    """Pages to swap with: of the same topic, and some of any."""
    same = by_topic[pages[p].topic]
    yield from (same if len(same) <= PARTNERS else (same[i] for i in rng.integers(len(same), size=PARTNERS)))
    yield from rng.integers(len(pages), size=min(len(pages), PARTNERS)).tolist()


def _better(
    pages: Sequence[PageNeed], judges: Sequence[set[int]], loads: Loads, p: int, a: int, q: int
) -> int | None:
    """Who of q's assessors should give q to `a` and take p; None where no swap helps."""
    one, other = pages[p], pages[q]
    if p == q or a in judges[q] or a not in other.allowed:
        return None
    for b in sorted(judges[q] & one.allowed - judges[p]):
        change = (
            0
            if one.topic == other.topic
            else _change(loads.topic[a], loads.topic[b], (one.topic,), (other.topic,)),
            _change(loads.system[a], loads.system[b], one.systems, other.systems),
        )
        if change < (0, 0):
            return b
    return None


def _change(a: Sequence[int], b: Sequence[int], away: Sequence[int], back: Sequence[int]) -> int:
    """The change of the sum of squares when `a` gives `away` to `b` and gets `back`."""
    total = 0
    for key in {*away, *back}:
        step = back.count(key) - away.count(key)
        total += 2 * step * (a[key] - b[key]) + 2 * step * step
    return total
