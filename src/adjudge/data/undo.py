"""Undoing the last change of a folder, or making it again: every file as it was, byte for byte, or nothing.

What the judgments say to it, and what becomes of tasks, is decided in `judgments/store/undoing.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.core.errors import DataError, UsageError
from adjudge.core.table import Column, Table, Tabular
from adjudge.core.words import counted
from adjudge.data import history
from adjudge.data.folder import Folder
from adjudge.data.history import FileState, HistoryEntry, in_time, read_history
from adjudge.data.layout import CHANGES, HISTORY, SCORES
from adjudge.data.rows import Row
from adjudge.data.transaction import Transaction

Step = Path | bytes | None
"""How a file gets its content: from a version that was kept, from these bytes, or it goes."""


@dataclass(frozen=True)
class Undoing:
    """What undoing a change, or making it again, does to the files."""

    entry: HistoryEntry
    steps: Mapping[str, Step]
    scored: frozenset[str] = frozenset()
    """Files of scores that were computed since a renaming: they get the other name instead."""

    def stage(self, change: Transaction) -> None:
        for name, step in self.steps.items():
            if step is None:
                change.remove(name)
            elif isinstance(step, bytes):
                change.stage(name).write_bytes(step)
            else:
                change.stage_again(name, step)
        change.note(self.entry.note, instead_of=self.entry)


@dataclass(frozen=True)
class RestoredFolder(Folder):
    """A folder as it will be when a change is undone, or made again."""

    undoing: Undoing

    def file(self, rows: type[Row]) -> Path:
        step = self.undoing.steps.get(rows.FILE, self.path / rows.FILE)
        return step if isinstance(step, Path) else self.undoing.entry.path / "none"


def find_change(folder: Path, *, redo: bool = False) -> HistoryEntry:
    """The change that is undone next, or made again next."""
    entries = [entry for entry in read_history(folder) if entry.undone == redo]
    if not entries:
        what = "make again: nothing was undone since the last change" if redo else "undo: no change is kept"
        raise UsageError(f"{folder}: there is nothing to {what}")
    return entries[-1]


def plan_undo(folder: Path, entry: HistoryEntry) -> Undoing:
    """What is to be done, checked against the files that are there; refused where something changed since.

    Scores may have been computed since: the older ones fit the texts that come back.
    """
    if entry.why_not is not None:
        raise DataError(entry.why_not)
    steps: dict[str, Step] = {}
    scored: set[str] = set()
    for name in entry.files:
        now, wanted = FileState.of(folder / name), entry.wanted(name)
        if now == wanted:
            continue
        if name == CHANGES:
            # The log of changes, without the line of this change, or with it; what was added since stays.
            path = folder / name
            text = path.read_bytes() if path.exists() else b""
            expected = entry.expected(CHANGES)
            size = 0 if expected is None else expected.size
            if expected is not None and FileState.of_bytes(text[:size]) != expected:
                raise DataError(f"{CHANGES} has changed since, and that would be lost")
            kept = b"" if entry.wanted(CHANGES) is None else entry.kept(CHANGES).read_bytes()
            steps[name] = kept + text[size:] or None
        elif now == entry.expected(name):
            steps[name] = None if wanted is None else entry.kept(name)
        elif not name.startswith(f"{SCORES}/"):
            raise DataError(f"{name} has changed since, and that would be lost")
        elif now is not None and entry.renaming is not None:
            scored.add(name)
        else:
            steps[name] = None if wanted is None else entry.kept(name)
    return Undoing(entry, steps, frozenset(scored))


# What people see


@dataclass(frozen=True, repr=False)
class Undone(Tabular):
    """What undoing a change did, or making it again: to the files, and to the tasks of judging."""

    what: str
    when: str
    counts: history.Counts
    files: Mapping[str, str]
    """Of every file: `restored`, `removed`, or `renamed`: scores computed since a renaming get the other name."""
    redo: bool = False
    tasks: Counter[str] = field(default_factory=Counter)
    """How many tasks were renamed, cancelled or restored."""
    dry_run: bool = False
    why_final: str | None = None
    """Why it cannot be taken back, where that is so."""

    def headline(self) -> str:
        did = ("would make again", "made again") if self.redo else ("would undo", "undone")
        counts = history.ChangeNote(what=self.what, counts=self.counts).counted()
        at = f", {shown_time(self.when)} UTC" if self.when else ""
        return f"{did[not self.dry_run]}: {self.what}{at}" + (f" ({counts})" if counts else "")

    def lines(self) -> list[str]:
        """For people."""
        lines = [self.headline()]
        for how in ("restored", "removed", "renamed"):
            if names := [name for name, action in self.files.items() if action == how]:
                lines.append(f"{'would be ' if self.dry_run else ''}{how}: {', '.join(names)}")
        if self.tasks:
            tasks = (f"{counted(n, 'task')} {how}" for how, n in self.tasks.items())
            lines.append(f"judging: {', '.join(tasks)}")
        if self.why_final:
            lines.append(f"this cannot be taken back: {self.why_final}")
        return lines

    def table(self) -> Table:
        return Table(
            name="undone",
            columns=(Column("file"), Column("how")),
            rows=tuple(self.files.items()),
            title=self.headline(),
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "when": self.when,
            "counts": {verb: dict(things) for verb, things in self.counts.items()},
            "redo": self.redo,
            "files": dict(self.files),
            "tasks": dict(self.tasks),
            "dry_run": self.dry_run,
            "cannot_be_taken_back": self.why_final,
        }


@dataclass(frozen=True)
class PastChange:
    """A change in the history, and whether it can be undone (or, where it was undone, made again)."""

    what: str
    when: str
    counts: history.Counts
    undone: bool
    why_not: str | None
    """Why it cannot be undone, or made again."""
    after: int
    """How many others come first."""

    @property
    def did(self) -> str:
        return history.ChangeNote(what=self.what, counts=self.counts).counted()

    @property
    def state(self) -> str:
        word = "redo" if self.undone else "undo"
        if self.why_not is not None:
            return f"no {word}"
        return f"{word}: after {counted(self.after, 'other')}" if self.after else f"{word}: next"

    def as_dict(self) -> dict[str, Any]:
        return {
            "when": self.when,
            "what": self.what,
            "counts": {verb: dict(things) for verb, things in self.counts.items()},
            "undone": self.undone,
            "undoable": not self.undone and self.why_not is None,
            "redoable": self.undone and self.why_not is None,
            "after": self.after,
            "why_not": self.why_not,
        }


@dataclass(frozen=True, repr=False)
class ChangeHistory(Tabular):
    """The last changes of an evaluation, in the order in which they were made."""

    changes: tuple[PastChange, ...]
    size: int
    """Bytes that the versions in `.history/` take."""

    def headline(self) -> str:
        if not self.changes:
            return "nothing to undo"
        done = [change for change in self.changes if not change.undone]
        size = f"{HISTORY}/ holds {history.in_bytes(self.size)}"
        if not done:
            return f"{counted(len(self.changes), 'change')}, all undone; {size}"
        last = done[-1]
        if last.why_not is not None:
            return f"the last change, {last.what}, cannot be undone: {last.why_not}; {size}"
        return f"adjudge undo takes back: {last.what}; {size}"

    def table(self) -> Table:
        rows = tuple(
            (change.when, shown_time(change.when), change.what, change.did, change.state)
            for change in self.changes
        )
        return Table(
            name="history",
            columns=(
                Column("when", show="never"),
                Column("at", "when (UTC)", data=False),
                Column("change"),
                Column("did"),
                Column("undo"),
            ),
            rows=rows,
            sentences=(self.headline(),),
        )

    def as_dict(self) -> dict[str, Any]:
        return {"changes": [change.as_dict() for change in self.changes], "bytes": self.size}


def shown_time(when: str) -> str:
    """`2026-11-16 05:19` of a time as programs write it."""
    return re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\+00:00|Z)?$", r"\1 \2", when)


def past_changes(entries: Sequence[HistoryEntry], why_not: Mapping[str, str | None]) -> ChangeHistory:
    """The history as people see it, given why the next ones to undo and to make again cannot be, by their numbers."""
    changes: list[PastChange] = []
    for undone in (False, True):
        mine = [entry for entry in in_time(entries) if entry.undone == undone]
        blocked: str | None = None
        past: list[PastChange] = []
        for after, entry in enumerate(mine if undone else reversed(mine)):
            reason = entry.why_not or why_not.get(entry.number)
            past.append(
                PastChange(
                    what=entry.note.what,
                    when=entry.note.when,
                    counts=entry.note.counts,
                    undone=undone,
                    why_not=reason or blocked,
                    after=after,
                )
            )
            blocked = blocked or (reason and f"{entry.note.what} comes first and cannot be {_done(undone)}")
        changes += past if undone else reversed(past)
    return ChangeHistory(changes=tuple(changes), size=history.kept_bytes(entries))


def _done(undone: bool) -> str:
    return "made again" if undone else "undone"
