"""Designs of judging: groups of judges who share topics, and what judges make of systems in degrees of freedom."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.stats.checks import IntArray

FEWEST_DF = 2
"""Degrees of freedom of the judges below which nothing is said for others like them."""
FEW_DF = 8
"""Below which there are few."""
FEW_JUDGES = 6
"""Below which what they make of systems is known too badly, whatever is supposed of other systems."""


def judge_freedom(judges: float, groups: float, systems: int) -> float:
    """Degrees of freedom of what judges make of systems: (systems - 1)(judges - groups), within groups.

    Where groups are more than that, as where every topic has one judge, (systems - 1)(groups - 1), between them.
    """
    return max(0, systems - 1) * own_freedom(judges, groups)


def own_freedom(judges: float, groups: float) -> float:
    """The same of one pair of systems."""
    return max(judges - groups, groups - 1)


def group_labels(topics: IntArray, judges: IntArray) -> tuple[int, IntArray]:
    """How many groups of judges share no topics with others, and the group of every judgment; codes are from 0."""
    import numpy as np
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    if not topics.size:
        return 0, np.zeros(0, dtype=np.int64)
    table = sparse.coo_array((np.ones(topics.size), (topics, judges)))
    groups, label = connected_components(sparse.block_array([[None, table], [table.T, None]]), directed=False)
    return int(groups), label[topics].astype(np.int64)


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
