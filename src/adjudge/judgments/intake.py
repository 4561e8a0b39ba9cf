"""Judgments on their way in: what an importer yields goes to the folder (rows) and to the store (tasks, events)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.core.phrases import Door
from adjudge.core.words import as_sentence, counted
from adjudge.data.folder import Folder
from adjudge.data.history import ChangeNote, shortened
from adjudge.data.incoming import ImportReport, stage_all
from adjudge.data.incoming import Item as CollectionItem
from adjudge.data.incoming import Thing as CollectionThing
from adjudge.data.transaction import Transaction
from adjudge.judgments.protocol import Protocol, new_protocol_files
from adjudge.judgments.store.importing import add_all, add_with_rows
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Event, Task

Thing = CollectionThing | Task | Event | Protocol
Item = tuple[str, Thing]
"""Where it stood in the input, and what it is: a row of the collection, a `LeftOut`, a task, an event, or a protocol
of one's own."""


@dataclass(frozen=True)
class Taken:
    """What an import of judgments brought: into the folder, and into the store."""

    rows: ImportReport
    tasks: int
    tasks_there: int
    answers: int
    answers_there: int

    def lines(self, door: Door = "python") -> list[str]:
        """For people."""
        lines = [f"{counted(self.tasks, 'task')} and {counted(self.answers, 'answer')} added"]
        if self.tasks_there or self.answers_there:
            here = f"{counted(self.tasks_there, 'task')} and {counted(self.answers_there, 'answer')}"
            lines.append(f"{here} were there already")
        return [*lines, *self.rows.lines(door)] if self.rows.added or self.rows.left_out else lines

    def as_dict(self) -> dict[str, object]:
        return {
            "tasks": self.tasks,
            "tasks_there": self.tasks_there,
            "answers": self.answers,
            "answers_there": self.answers_there,
            "rows": self.rows.as_dict(),
        }


@dataclass(frozen=True)
class ReadJudgments:
    """An import that was read to its end: rows, tasks, answers, and the files of protocols that the folder lacks."""

    rows: list[CollectionItem]
    tasks: list[Task]
    events: list[Event]
    files: dict[str, str]


def take(
    folder: Folder,
    store: Store,
    items: Iterable[Item],
    *,
    progress: Callable[[int], None] = lambda n: None,
    what: str = "judgments import",
    when: str = "",
) -> Taken:
    """Read an import to its end, then store it, all of it or nothing: rows, tasks, answers, and the protocol."""
    return keep(folder, store, read_items(folder, items, progress=progress), what=what, when=when)


def read_items(
    folder: Folder, items: Iterable[Item], *, progress: Callable[[int], None] = lambda n: None
) -> ReadJudgments:
    """Read an import to its end, and change nothing."""
    rows: list[CollectionItem] = []
    tasks: list[Task] = []
    events: list[Event] = []
    protocols: dict[str, Protocol] = {}
    try:
        for number, (place, thing) in enumerate(items, 1):
            if isinstance(thing, Task):
                tasks.append(thing)
            elif isinstance(thing, Event):
                events.append(thing)
            elif isinstance(thing, Protocol):
                protocols[thing.name] = thing
            else:
                rows.append((place, thing))
            if number % 256 == 0:
                progress(number)
    except FormatError as error:
        raise FormatError(f"{as_sentence(error.text)} Nothing was imported") from None
    return ReadJudgments(rows, tasks, events, new_protocol_files(folder, protocols.values()))


def by_judges(items: Iterable[Item], judges: Sequence[str]) -> Iterator[Item]:
    """An import in which some assessors are language models; each of them must have answered something."""
    left = set(judges)
    for place, thing in items:
        if isinstance(thing, Event) and thing.assessor in judges:
            left.discard(thing.assessor)
            yield place, replace(thing, origin="language-model")
        else:
            yield place, thing
    if left:
        raise UsageError(f"no judge {quoted(min(left))}: nobody of that name answered anything here")


def keep(
    folder: Folder, store: Store, read: ReadJudgments, *, what: str = "judgments import", when: str = ""
) -> Taken:
    """Store what was read, all of it or nothing.

    Rows that the folder has already stay as they are, and what the store has already is not stored again. `what` and
    `when` are for the history, where rows change.
    """
    rows, tasks, events, files = read.rows, read.tasks, read.events, read.files
    if rows or files:
        with Transaction(folder.path) as change:
            report = stage_all(folder, change, rows, on_clash="skip")
            for name, text in files.items():
                change.stage(name).write_text(text, encoding="utf-8", newline="")
            brought = {"tasks": len(tasks), "answers": len(events)}
            counts = {**report.counts(), "read": {name: n for name, n in brought.items() if n}}
            change.note(ChangeNote(what=shortened(what), when=when, counts=counts))
            new_tasks, new_events = add_with_rows(store, change, tasks, events)
            report.why_final = change.why_final
    else:
        report = ImportReport()
        new_tasks, new_events = add_all(store, tasks, events)
    return Taken(
        rows=report,
        tasks=new_tasks,
        tasks_there=len(tasks) - new_tasks,
        answers=new_events,
        answers_there=len(events) - new_events,
    )
