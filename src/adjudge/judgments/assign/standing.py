"""What is there already of a plan: the tasks that count, and who has which page. No store here; see staff.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudge.judgments.assign.pages import Page, PageKey, key_of
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Task


@dataclass(frozen=True)
class Standing:
    """What is there already, of one protocol (and phase, where one is asked for)."""

    lines: dict[str, list[Task]]
    """Everybody's tasks in their order, whatever the page."""
    ends: dict[str, int]
    """Everybody's last position, whatever the protocol: what is new comes after it."""
    counted: tuple[Task, ...]
    """The tasks of the pages that are planned now, where the texts are as they were."""
    judges: dict[PageKey, set[str]]
    """Who judges a page."""
    known: dict[PageKey, set[str]]
    """Who has a page, in any phase: they do not get it again."""
    changed: int
    """How many tasks show texts that changed since."""

    @classmethod
    def of(
        cls, pages: Iterable[Page], tasks: Sequence[Task], protocol: Protocol, phase: int | None
    ) -> Standing:
        by_key = {page.key: page for page in pages}
        found = cls({}, {}, (), {key: set() for key in by_key}, {key: set() for key in by_key}, 0)
        counted, changed = [], 0
        for task in sorted(tasks, key=lambda task: (task.position, task.id)):
            found.ends[task.assessor] = task.position
            if (task.protocol, task.version) != (protocol.name, protocol.version):
                continue
            asked = phase is None or task.phase == phase
            if asked:
                found.lines.setdefault(task.assessor, []).append(task)
            page = by_key.get(key_of(task))
            if page is None:
                continue
            if not page.is_of(task):
                changed += 1
                continue
            found.known[page.key].add(task.assessor)
            if asked:
                found.judges[page.key].add(task.assessor)
                counted.append(task)
        return cls(found.lines, found.ends, tuple(counted), found.judges, found.known, changed)

    def line(self, assessor: str) -> list[Task]:
        return self.lines.get(assessor, [])

    def end(self, assessor: str) -> int:
        return self.ends.get(assessor, -1)
