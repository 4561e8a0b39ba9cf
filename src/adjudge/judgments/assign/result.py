"""A plan: the new tasks, how they are spread, and what kept pages from being judged. Decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adjudge.judgments.tasks import Task
from adjudge.wording import counted


@dataclass(frozen=True)
class Share:
    """What one assessor, topic or system gets: new tasks without repeats, repeats, and what was there before."""

    name: str
    tasks: int
    repeats: int
    before: int

    @property
    def total(self) -> int:
        """Everything that counts but repeats."""
        return self.tasks + self.before


@dataclass(frozen=True)
class Workload:
    """An assessor's share, and how it is spread over topics and systems, with what was there before."""

    share: Share
    topics: int
    fewest: int
    most: int
    """Of one system, without repeats; over all systems that are judged."""


@dataclass(frozen=True)
class Plan:
    """Who judges what, in which order. `tasks` are the new ones, by assessor and position."""

    protocol: str
    phase: int | None
    per_summary: int
    repeats: float
    order: str
    seed: int
    pages: int
    tasks: tuple[Task, ...]
    assessors: tuple[Workload, ...] = ()
    topics: tuple[Share, ...] = ()
    systems: tuple[Share, ...] = ()
    nobody: tuple[str, ...] = ()
    """Pages that nobody may judge, as TOPIC/SYSTEM or TOPIC/SYSTEM against REFERENCE."""
    short: tuple[str, ...] = ()
    """Pages that fewer may judge than are wanted."""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def first(self) -> int:
        """New tasks that are no repeats."""
        return sum(each.share.tasks for each in self.assessors)

    @property
    def before(self) -> int:
        """Tasks that were there already and count."""
        return sum(each.before for each in self.topics)

    def as_dict(self) -> dict[str, Any]:
        """Counts and notes, without the tasks: their ids are nobody's business until they are stored."""
        return {
            "protocol": self.protocol,
            "phase": self.phase,
            "per_summary": self.per_summary,
            "repeats": self.repeats,
            "order": self.order,
            "seed": self.seed,
            "pages": self.pages,
            "new_tasks": len(self.tasks),
            "of_them_repeats": len(self.tasks) - self.first,
            "tasks_before": self.before,
            "assessors": [
                {
                    **asdict(w.share),
                    "topics": w.topics,
                    "fewest_of_a_system": w.fewest,
                    "most_of_a_system": w.most,
                }
                for w in self.assessors
            ],
            "topics": [asdict(share) for share in self.topics],
            "systems": [asdict(share) for share in self.systems],
            "nobody_may_judge": list(self.nobody),
            "fewer_than_wanted": list(self.short),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def title(self) -> str:
        """`rating: 264 tasks and 26 repeats for 3 assessors; 132 pages, 2 assessors each, topic by topic`."""
        phase = "" if self.phase is None else f", phase {self.phase}"
        again = len(self.tasks) - self.first
        new = counted(self.first, "task") + (f" and {counted(again, 'repeat')}" if again else "")
        there = f", {self.before:,} there before" if self.before else ""
        order = "topic by topic" if self.order == "topic" else "mixed"
        return (
            f"{self.protocol}{phase}: {new} for {counted(len(self.assessors), 'assessor')}{there};"
            f" {counted(self.pages, 'page')}, {counted(self.per_summary, 'assessor')} each, {order}"
        )

    def rows(self) -> list[tuple[object, ...]]:
        """A line per assessor: name, new tasks, repeats, before, topics, how often each system."""
        return [
            (w.share.name, w.share.tasks, w.share.repeats, w.share.before, w.topics, span([w.fewest, w.most]))
            for w in self.assessors
        ]

    def lines(self) -> list[str]:
        """How even topics and systems are, and all notes."""
        return [
            f"each topic is judged {times(self.topics)}, each system {times(self.systems)},"
            f" by each assessor {span([n for w in self.assessors for n in (w.fewest, w.most)])}",
            *self.notes,
        ]


COLUMNS = ("assessor", "tasks>", "repeats>", "before>", "topics>", "each system>")


def times(shares: Sequence[Share]) -> str:
    return f"{span([share.total for share in shares])} times"


def span(numbers: Sequence[int]) -> str:
    """`12`, or `11 to 13`."""
    if not numbers:
        return "0"
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
