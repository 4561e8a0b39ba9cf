"""An import of judgments: its rows go to the folder, its tasks and answers to the store, all of it or nothing.

The two places commit one after the other, and a process can be killed between them. So tasks and answers are also
staged as a file of records, `PENDING_IMPORT`, with the import's id. The store takes them in a transaction that notes
the id; before it commits, the folder's journal decides the change. Whoever is killed before that leaves nothing.
Whoever is killed after it leaves a journal: the next to open the folder puts the rows and the file of records in place,
and the next to open the store takes the records in, unless the id says that it has them.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import AdjudgeError, FormatError, StoreUnavailable
from adjudge.data.layout import PENDING_IMPORT
from adjudge.data.transaction import Transaction
from adjudge.judgments.store import schema
from adjudge.judgments.store.appending import add_tasks, append_all
from adjudge.judgments.store.database import lock, present
from adjudge.judgments.store.encoding import stamp, to_json
from adjudge.judgments.tasks import Event, Task

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store

Counts = tuple[int, int]
"""Tasks and answers that are new."""


def add_all(store: Store, tasks: Sequence[Task], events: Sequence[Event]) -> Counts:
    """Stores tasks and their answers in one transaction, and says how many are new."""
    return store.change(lambda connection: _add(connection, store, tasks, events))


def add_with_rows(
    store: Store,
    change: Transaction,
    tasks: Sequence[Task],
    events: Sequence[Event],
    check: Callable[[Connection], None] = lambda connection: None,
) -> Counts:
    """As `add_all`, together with a change of the folder that is staged and not committed.

    `check` may refuse both, when nobody else can write to the store any more.
    """
    id = str(uuid.uuid4())
    from adjudge.judgments.store.records import event_record, header, task_record

    with change.stage(PENDING_IMPORT).open("w", encoding="utf-8", newline="\n") as out:
        out.write(to_json(header(store.evaluation) | {"id": id}) + "\n")
        out.writelines(to_json(task_record(row)) + "\n" for row in store.task_rows(tasks))
        out.writelines(to_json(event_record(row)) + "\n" for row in store.event_rows(events))
    change.prepare()

    def job(connection: Connection) -> Counts:
        check(connection)
        counts = _add(connection, store, tasks, events)
        _note(connection, store, id)
        change.decide()
        return counts

    try:
        counts = store.change(job)
    except BaseException:
        _settle(store, change, id)
        raise
    change.drop(PENDING_IMPORT)
    return counts


def _settle(store: Store, change: Transaction, id: str) -> None:
    """After a failure the folder follows the store; where that cannot be asked, whoever opens it next completes it."""
    try:
        made = store.change(lambda c: bool(present(c, schema.edit.c.id, store.evaluation, [id])))
    except Exception:
        if change.decided:
            raise StoreUnavailable(
                f"{store.database.place}: went away while it saved the import, which is completed when the"
                " evaluation is next opened"
            ) from None
        return
    if made:
        change.drop(PENDING_IMPORT)
    else:
        change.withdraw()


def make_pending_import(folder: Path, store: Store) -> None:
    """Takes in what an interrupted import left, once. For whoever holds the folder's lock; the file stays."""
    from adjudge.judgments.store.records import RecordsIntake  # which knows the store

    path = folder / PENDING_IMPORT
    if not path.exists():
        return
    try:
        with path.open(encoding="utf-8") as stream:
            id = json.loads(stream.readline(10_000))["id"]
    except (OSError, ValueError, KeyError, TypeError):
        id = None
    if not isinstance(id, str):
        raise FormatError("not an import that Adjudge wrote; remove it to go on without it", file=path)
    now = stamp(store.clock())

    def job(connection: Connection) -> None:
        lock(connection, store.evaluation)
        if not present(connection, schema.edit.c.id, store.evaluation, [id]):
            RecordsIntake(store.evaluation, path, False, now).run(connection)
            _note(connection, store, id)

    try:
        store.change(job)
    except AdjudgeError as error:
        raise type(error)(
            f"{error.text}. An import was interrupted; to go on without it, remove {path}"
        ) from None


def _add(connection: Connection, store: Store, tasks: Sequence[Task], events: Sequence[Event]) -> Counts:
    new = add_tasks(connection, store.evaluation, store.task_rows(tasks))
    if not events:
        return new, 0
    rows = store.event_rows(events)
    (outcome,) = append_all(connection, store.evaluation, [rows], stamp(store.clock()))
    if isinstance(outcome, AdjudgeError):
        raise outcome
    return new, sum(not ack.again for ack in outcome)


def _note(connection: Connection, store: Store, id: str) -> None:
    note = {"evaluation": store.evaluation, "id": id, "made_at": stamp(store.clock())}
    connection.execute(sa.insert(schema.edit), [note | {"what": to_json({"what": "import"})}])
