"""Withdraw, rename, remove: changes to what is there, each with a reason, each all or nothing.

Lines that do not change stay byte for byte as they were. `changes.jsonl` keeps what was done and why. What a
change does beyond the folder's files (to the tasks of a store) is handed in as `also`, and is part of the same commit.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adjudge.core.errors import ClashError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument, Call
from adjudge.data import scorefiles
from adjudge.data.folder import Folder
from adjudge.data.history import ChangeNote, TextEdit, shortened
from adjudge.data.layout import CHANGES
from adjudge.data.lines import dump_json
from adjudge.data.packed import open_bytes
from adjudge.data.rows import ROWS, Key, Row, Summary
from adjudge.data.scorefiles import ScoreFile
from adjudge.data.scores import ScoreTable
from adjudge.data.transaction import Transaction

_ALSO_NAMED = {"system": (), "topic": ("after",)}
"""Fields that name a system or a topic beside the one that is called so."""


@dataclass(frozen=True)
class EditTarget:
    """What a change is about: a system, a topic, or one system's summaries of one topic."""

    system: str | None = None
    topic: str | None = None

    def __str__(self) -> str:
        named = (("system", self.system), ("topic", self.topic))
        return ", ".join(f"{name} {quoted(value)}" for name, value in named if value is not None)

    def covers(self, row: Row) -> bool:
        """Whether a row belongs to it. A row without a system, such as a document, belongs to its topic."""
        wanted = (("system", self.system), ("topic", self.topic))
        return all(getattr(row, name, None) == value for name, value in wanted if value is not None)


@dataclass
class Changed:
    """What a change did."""

    what: str
    target: EditTarget
    why: str
    rows: Counter[str] = field(default_factory=Counter)
    scores: list[str] = field(default_factory=list)
    tasks: Counter[str] = field(default_factory=Counter)
    """Of judging: how many tasks were renamed, cancelled or restored, and how many judgments are kept."""
    why_final: str | None = None
    """Why the change cannot be undone, where that is so."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "system": self.target.system,
            "topic": self.target.topic,
            "why": self.why,
            "rows": dict(self.rows),
            "scores": self.scores,
            "tasks": dict(self.tasks),
        }

    def note(self, when: str, to: str | None) -> ChangeNote:
        """What the history says of the change."""
        what = self.what if to is None else "rename"
        edit = TextEdit(what, self.target.system, self.target.topic, to)
        names = [name for name in ("system", "topic", "to") if getattr(edit, name) is not None]
        arguments = [Argument(name, getattr(edit, name)) for name in names]
        command = Call(command=[what], arguments=arguments)
        if what == "restore":
            command = Call(command=["withdraw"], arguments=[Argument("restore", True), *arguments])
        verb = {"rename": "renamed", "remove": "removed", "restore": "restored"}.get(what, "withdrew")
        counts = {verb: dict(self.rows)}
        if self.scores:
            counts["changed the scores of"] = {"measures": len(self.scores)}
        return ChangeNote(what=shortened(shlex.join(command.words)), when=when, counts=counts, edit=edit)


@dataclass(frozen=True)
class ChangedFolder(Folder):
    """A folder as it will be when a change is committed."""

    change: Transaction

    def file(self, rows: type[Row]) -> Path:
        return self.change.current(rows.FILE)


Also = Callable[[Transaction, Changed], None]
"""What else belongs to a change: stages files, and says in `Changed` what it is going to do."""
Inputs = Mapping[str, str]
Restamp = Callable[[Folder], Callable[[ScoreFile], Inputs]]
"""Given the folder as it will be: the digests of inputs that stored scores have then."""


def _nothing_else(change: Transaction, changed: Changed) -> None: ...


def withdraw(
    folder: Folder,
    target: EditTarget,
    why: str,
    *,
    when: str,
    restore: bool = False,
    also: Also = _nothing_else,
) -> Changed:
    """Leave summaries out of all scores, but keep them; `restore` takes them in again."""
    _need_why(why)
    changed = Changed("restore" if restore else "withdraw", target, why)

    def mark(row: Row) -> Row | None:
        if isinstance(row, Summary) and target.covers(row) and (row.withdrawn is not None) == restore:
            return replace(row, withdrawn=None if restore else why)
        return row

    with Transaction(folder.path) as change:
        _need(folder, target, (Summary,))
        _rewrite(folder, change, Summary, mark, changed)
        if not changed.rows:
            state = "is withdrawn" if restore else "is left to withdraw"
            raise UsageError(f"{folder.path}: nothing of {target} {state}")
        also(change, changed)
        _finish(folder, change, changed, when)
    return changed


def rename(
    folder: Folder,
    target: EditTarget,
    to: str,
    why: str,
    *,
    when: str,
    restamp: Restamp,
    also: Also = _nothing_else,
) -> Changed:
    """Give a system or a topic another name everywhere, in the stored scores too.

    `restamp` says what the scores' inputs are under the new name, so that scores which were up to date stay so.
    """
    _need_why(why)
    if (target.system is None) == (target.topic is None):
        raise UsageError("rename takes a system or a topic, one of them")
    name = "system" if target.system is not None else "topic"
    old = getattr(target, name)
    if to == old:
        raise UsageError(f"{target} has that name already")
    changed = Changed(f"rename to {to}", target, why)

    def renamed(row: Row) -> Row | None:
        names = [key for key in (name, *_ALSO_NAMED[name]) if getattr(row, key, None) == old]
        return type(row).parse({**row.as_dict(), **dict.fromkeys(names, to)}) if names else row

    with Transaction(folder.path) as change:
        _need(folder, target, ROWS)
        if _names(folder, name, ROWS).get(to):
            raise ClashError(f"{folder.path}: there is a {name} {quoted(to)} already")
        for kind in ROWS:
            _rewrite(folder, change, kind, renamed, changed)
        staged = ChangedFolder(folder.path, folder.settings, change)
        changed.scores += rename_scores(folder, change, target, to, restamp(staged))
        also(change, changed)
        _finish(folder, change, changed, when, to)
    return changed


def remove(folder: Folder, target: EditTarget, why: str, *, when: str, also: Also = _nothing_else) -> Changed:
    """Take rows out of the files, with their units and scores."""
    _need_why(why)
    changed = Changed("remove", target, why)
    with Transaction(folder.path) as change:
        _need(folder, target, ROWS)
        for kind in ROWS:
            _rewrite(folder, change, kind, lambda row: None if target.covers(row) else row, changed)
        _remove_scores(folder, change, target, changed)
        also(change, changed)
        _finish(folder, change, changed, when)
    return changed


def _need_why(why: str) -> None:
    if not why.strip():
        raise UsageError("say why: the reason is kept with the data")


def _names(folder: Folder, name: str, kinds: tuple[type[Row], ...]) -> Counter[str]:
    """How many rows mention each system, or each topic."""
    having = [kind for kind in kinds if name in kind.CHECKS]
    return Counter(getattr(row, name) for kind in having for _, row in folder.rows(kind))


def _need(folder: Folder, target: EditTarget, kinds: tuple[type[Row], ...]) -> None:
    if target.system is None and target.topic is None:
        raise UsageError(f"say which: {Argument('system')}, {Argument('topic')}, or both")
    for name in ("system", "topic"):
        wanted = getattr(target, name)
        names = _names(folder, name, kinds) if wanted is not None else {}
        if wanted is not None and wanted not in names:
            raise UsageError(f"{folder.path}: no {name} {quoted(wanted)}{nearest(wanted, names)}")


def _rewrite(
    folder: Folder,
    change: Transaction,
    kind: type[Row],
    edit: Callable[[Row], Row | None],
    changed: Changed,
) -> None:
    """A file with every row edited; None takes it out. The file is left alone where nothing changes."""
    edits: dict[int, Row | None] = {}
    seen: set[Key] = set()
    for line, row in folder.rows(kind):
        if (result := edit(row)) is not row:
            edits[line] = result
        if result is not None and result.key in seen:
            raise ClashError(f"{folder.path / kind.FILE}:{line}: the new name meets a row that is there")
        if result is not None:
            seen.add(result.key)
    if edits:
        changed.rows[kind.FILE.removesuffix(".jsonl")] += len(edits)
        with change.stage(kind.FILE).open("wb") as out:
            out.writelines(_edited(folder, kind, edits))


def _edited(folder: Folder, kind: type[Row], edits: dict[int, Row | None]) -> Iterator[bytes]:
    with open_bytes(folder.path / kind.FILE) as stream:
        for number, line in enumerate(stream, 1):
            if number not in edits:
                yield line
            elif (row := edits[number]) is not None:
                yield dump_json(row.as_dict()).encode() + b"\n"


def rename_scores(
    folder: Folder,
    change: Transaction,
    target: EditTarget,
    to: str,
    inputs: Callable[[ScoreFile], Inputs],
    *,
    leave: Container[str] = (),
) -> list[str]:
    """Stage the stored scores under a new name, but for the files to `leave`; says which measures had the old one."""
    columns = ("system", "reference") if target.system is not None else ("topic",)
    old = target.system if target.system is not None else target.topic
    renamed = []
    for stored in scorefiles.read_all(folder.path):
        if scorefiles.file_name(stored.info.measure) in leave:
            continue
        frame = stored.table.to_frame()
        hits = {column: (frame[column] == old).fillna(False).astype(bool) for column in columns}
        if any(hit.any() for hit in hits.values()):
            renamed.append(stored.info.measure)
        elif stored.origin == "imported":
            continue
        frame = frame.assign(**{column: frame[column].mask(hit, to) for column, hit in hits.items()})
        table = ScoreTable.from_frame(frame, [stored.info])
        scorefiles.stage(change, replace(stored, table=table, inputs=inputs(stored)))
    return renamed


def _remove_scores(folder: Folder, change: Transaction, target: EditTarget, changed: Changed) -> None:
    import pandas as pd

    for stored in scorefiles.read_all(folder.path):
        frame = stored.table.frame
        hit = pd.Series(True, index=frame.index)
        for name in ("system", "topic"):
            if getattr(target, name) is not None:
                hit &= frame[name] == getattr(target, name)
        if not hit.any():
            continue
        if hit.all():
            scorefiles.remove(change, stored.info.measure)
        else:
            table = ScoreTable.from_frame(frame[~hit], [stored.info])
            gone = target.topic if target.system is None else None
            inputs = {topic: digest for topic, digest in stored.inputs.items() if topic != gone}
            scorefiles.stage(change, replace(stored, table=table, inputs=inputs))
        changed.scores.append(stored.info.measure)


def _finish(folder: Folder, change: Transaction, changed: Changed, when: str, to: str | None = None) -> None:
    """Note what was done in changes.jsonl, and in the history, and commit."""
    log = folder.path / CHANGES
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    entry = dump_json({"when": when, **changed.as_dict()})
    change.stage(CHANGES).write_text(f"{text}{entry}\n", encoding="utf-8", newline="\n")
    change.note(changed.note(when, to))
    change.commit()
    changed.why_final = change.why_final
