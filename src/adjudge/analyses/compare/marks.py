"""What a table of systems marks: the best mean, who leads, letters or stars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison

STAR = "*"


def leads(c: Comparison, system: str) -> bool:
    """Whether a system is significantly better than every other."""
    at = [s.system for s in c.standings].index(system)
    return int(c.better[at].sum()) == len(c.standings) - 1


def arrow(c: Comparison) -> str:
    return " ↓" if c.matrix.info.better == "lower" else ""


def best_of(c: Comparison, kinds: Mapping[str, str]) -> set[str]:
    """The systems with the best mean, of those that are not human where there are others; none of a description."""
    if c.matrix.info.better is None or len(c.standings) < 2:
        return set()
    machines = [s for s in c.standings if kinds.get(s.system) != "human"]
    asked = machines or c.standings
    best = min(s.rank for s in asked)
    return {s.system for s in asked if s.rank == best} if len(asked) > 1 else set()


def marks(c: Comparison) -> dict[str, str] | None:
    """Letters by system; of comparisons with one system a star; None where pairs were chosen otherwise."""
    if len(c.standings) < 2:
        return None
    if c.complete and c.asked.against is None:
        return {s.system: s.group for s in c.standings}
    if c.asked.against is None:
        return None
    return {pair.a: STAR for pair in c.pairs[c.test] if pair.different}
