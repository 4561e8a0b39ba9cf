"""Which design an assignment is, and what can be concluded from it for other assessors than those who judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Literal

from adjudge.stats.judging import FEW_DF, FEWEST_DF, judge_freedom, judging_groups

Cell = tuple[str, str]
"""A topic and a system."""
DesignKind = Literal["one assessor", "one group", "groups", "own topics", "whoever"]


@dataclass(frozen=True)
class AssignedDesign:
    """How assessors share topics and systems, with what was assigned before."""

    kind: DesignKind
    """One assessor; one group that judges everything; groups, each with topics of its own that all of it judge;
    assessors who share no topic; or each page by whoever it was given to."""
    assessors: int
    groups: int
    """Of assessors that no shared topic joins."""
    smallest: int
    """Assessors of a group."""
    largest: int
    systems: int
    topics: int
    df: int
    """Degrees of freedom of what assessors make of systems."""

    def sentences(self) -> list[str]:
        """The design, what it can show, and what would show more; notes, so without capitals."""
        size = f"{self.smallest}" if self.smallest == self.largest else f"{self.smallest} to {self.largest}"
        return [
            (
                "design: "
                + {
                    "one assessor": "one assessor judges everything",
                    "one group": f"{self.assessors} assessors all judge every system on every topic",
                    "groups": f"{self.groups} groups of {size} assessors, each with topics of its own",
                    "own topics": f"{self.assessors} assessors, each with topics of their own",
                    "whoever": f"pages are spread over {self.assessors} assessors",
                }[self.kind]
            ),
            self._shows(),
            *self._recommended(),
        ]

    def _shows(self) -> str:
        if self.kind == "one assessor":
            return "conclusions will hold for this assessor only"
        free = f"{self.df} df"
        if self.df < FEWEST_DF:
            return f"too few assessors to speak for others ({free}): conclusions will hold for these only"
        if self.df < FEW_DF:
            return f"few assessors to speak for others ({free}), assumed to disagree about all systems alike"
        enough = "are enough" if self.kind == "own topics" else "overlap enough"
        return f"the assessors {enough} to speak for similar assessors ({free})"

    def _recommended(self) -> list[str]:
        if self.kind in ("one assessor", "one group"):
            views = "this assessor's view" if self.assessors == 1 else f"the views of these {self.assessors}"
            return [
                f"more topics do not average out {views} of the systems; more assessors with fewer judgments each would"
            ]
        if self.df < FEW_DF:
            return ["more assessors on the same topics, with fewer judgments each, would be safer"]
        return []


def design_of(
    judges: Mapping[Cell, Set[str]], barred: Mapping[Cell, Set[str | None]]
) -> AssignedDesign | None:
    """The design, given who judges which summary and who must not; None where there are not two systems to compare."""
    judged = {cell: who for cell, who in judges.items() if who}
    systems = {system for _, system in judged}
    if len(systems) < 2:
        return None
    pairs = sorted({(name, topic) for (topic, _), who in judged.items() for name in who})
    group = judging_groups(pairs)
    sizes = Counter(group.values())
    members = {number: {name for name in group if group[name] == number} for number in sizes}
    home = {topic: group[name] for name, topic in pairs}
    everybody = all(
        who | barred.get(cell, frozenset()) >= members[home[cell[0]]] if who else cell[0] not in home
        for cell, who in judges.items()
    )
    kind: DesignKind = "whoever"
    if len(group) == 1:
        kind = "one assessor"
    elif max(sizes.values()) == 1:
        kind = "own topics"
    elif everybody:
        kind = "one group" if len(sizes) == 1 else "groups"
    return AssignedDesign(
        kind=kind,
        assessors=len(group),
        groups=len(sizes),
        smallest=min(sizes.values()),
        largest=max(sizes.values()),
        systems=len(systems),
        topics=len(home),
        df=int(judge_freedom(len(group), len(sizes), len(systems))),
    )
