"""Taking the tasks and answers of a protocol out of a store, for good."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.data.folder import Folder
from adjudge.data.layout import CHANGES
from adjudge.data.lines import dump_json
from adjudge.data.transaction import Transaction
from adjudge.errors import UsageError, nearest, quoted
from adjudge.judgments.protocol import protocol_file
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.store import Store
from adjudge.wording import counted


@dataclass(frozen=True)
class RemovedJudgments:
    """What was removed: tasks, and answers to them."""

    protocol: str
    tasks: int
    answers: int
    why: str

    def lines(self) -> list[str]:
        """For people."""
        gone = f"{counted(self.tasks, 'task')} and {counted(self.answers, 'answer')}"
        return [f"{gone} of the protocol {quoted(self.protocol)} removed"]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def remove_protocol(
    folder: Folder, store: Store, protocol: str, why: str, *, when: str = ""
) -> RemovedJudgments:
    """Remove everything that was asked and answered by a protocol, and the file that an import kept of it.

    Numbers of events are not given again: who has read up to one misses nothing. changes.jsonl keeps the reason.
    """
    if not why.strip():
        raise UsageError("say why: the reason is kept with the data")

    def job(connection: Connection) -> RemovedJudgments:
        task, event = schema.task, schema.event
        lock(connection, store.evaluation)
        mine = (task.c.evaluation == store.evaluation) & (task.c.protocol == protocol)
        ids = sa.select(task.c.id).where(mine)
        theirs = (event.c.evaluation == store.evaluation) & event.c.task.in_(ids)
        answers = connection.execute(sa.delete(event).where(theirs)).rowcount
        tasks = connection.execute(sa.delete(task).where(mine)).rowcount
        return RemovedJudgments(protocol=protocol, tasks=tasks, answers=answers, why=why)

    there = sorted({each.protocol for each in store.tasks(cancelled=True)})
    if protocol not in there:
        known = f"there are: {', '.join(there)}" if there else "there are no tasks at all"
        raise UsageError(
            f"{folder.path}: no tasks of the protocol {quoted(protocol)}{nearest(protocol, there)}; {known}"
        )
    with Transaction(folder.path) as change:
        removed = store.change(job)
        log = folder.path / CHANGES
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        entry = dump_json({"when": when, "what": "remove judgments", **removed.as_dict()})
        change.stage(CHANGES).write_text(f"{text}{entry}\n", encoding="utf-8", newline="\n")
        if (folder.path / protocol_file(protocol)).exists():
            change.remove(protocol_file(protocol))
        change.commit()
    return removed
