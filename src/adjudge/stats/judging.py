"""Designs of judging: groups of judges who share topics, and what judges make of systems in degrees of freedom."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

FEWEST_DF = 2
"""Degrees of freedom of the judges below which nothing is said for others like them."""
FEW_DF = 8
"""Below which there are few."""


def judge_freedom(judges: float, groups: float, systems: int) -> float:
    """Degrees of freedom of what judges make of systems: (systems - 1)(judges - groups), within groups.

    Where groups are more than that, as where every topic has one judge, (systems - 1)(groups - 1), between them.
    """
    return (systems - 1) * max(judges - groups, groups - 1.0)


def judging_groups(pairs: Iterable[tuple[Hashable, Hashable]]) -> dict[Hashable, int]:
    """The group of every judge, numbered from 0, given who judged which topic: a shared topic joins two judges."""
    root: dict[Hashable, Hashable] = {}

    def find(judge: Hashable) -> Hashable:
        while root[judge] != judge:
            root[judge] = judge = root[root[judge]]
        return judge

    seen: dict[Hashable, Hashable] = {}
    for judge, topic in pairs:
        root.setdefault(judge, judge)
        root[find(judge)] = find(seen.setdefault(topic, judge))
    numbers: dict[Hashable, int] = {}
    return {judge: numbers.setdefault(find(judge), len(numbers)) for judge in root}
