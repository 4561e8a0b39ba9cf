"""How tasks are added, handed out and taken back. Runs inside a write transaction; see store.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.engine import chunked
from adjudge.errors import ClashError, DataError, quoted
from adjudge.judgments.store import schema
from adjudge.judgments.store.appending import AT_ONCE, among, lock, present
from adjudge.judgments.store.encoding import Row, moment, stamp, task_of
from adjudge.judgments.store.people import register
from adjudge.judgments.tasks import Task

_table = schema.task


def add(connection: Connection, evaluation: str, rows: Sequence[Row]) -> int:
    """Stores the tasks that are new and says how many; one that is there with other content is refused."""
    lock(connection, evaluation)
    added = sum(add_some(connection, evaluation, some) for some in chunked(rows, AT_ONCE))
    if any(row["repeat_of"] is not None for row in rows):
        refuse_orphans(connection, evaluation)
    return added


def add_some(connection: Connection, evaluation: str, rows: Sequence[Row]) -> int:
    """As `add`, for a few at a time: whether repeats repeat something is left to `refuse_orphans`."""
    query = sa.select(_table).where(
        _table.c.evaluation == evaluation, among(connection, _table.c.id, [row["id"] for row in rows])
    )
    there: dict[str, Row] = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
    new: dict[str, Row] = {}
    for row in rows:
        before = there.get(row["id"]) or new.get(row["id"])
        if before is None:
            new[row["id"]] = {"lease_by": None} | row
        elif name := _differing(task_of(row), task_of(before)):
            raise ClashError(f"task {quoted(row['id'])}: is here already with other content ({name})")
    if new:
        people = {row[name] for row in new.values() for name in ("assessor", "lease_by")} - {None}
        register(connection, evaluation, people)
        connection.execute(sa.insert(_table), list(new.values()))
    return len(new)


def _differing(one: Task, other: Task) -> str | None:
    """The first field that two tasks do not share; a lease comes and goes."""
    names = (field.name for field in fields(Task) if field.name != "lease_until")
    return next((name for name in names if getattr(one, name) != getattr(other, name)), None)


def refuse_orphans(connection: Connection, evaluation: str) -> None:
    """A repeat repeats a task that is there."""
    first = _table.alias()
    query = (
        sa.select(_table.c.id, _table.c.repeat_of)
        .outerjoin(first, (first.c.evaluation == evaluation) & (first.c.id == _table.c.repeat_of))
        .where(_table.c.evaluation == evaluation, _table.c.repeat_of.is_not(None), first.c.id.is_(None))
        .limit(1)
    )
    if (row := connection.execute(query).first()) is not None:
        raise DataError(f"task {quoted(row[0])}: repeats {quoted(row[1])}, which is not there")


def lease(
    connection: Connection, evaluation: str, task: str, assessor: str, *, until: datetime, now: datetime
) -> Task | None:
    """Hands a task out, or None where somebody else has it now. The counter's lock makes that one step."""
    lock(connection, evaluation)
    row = _find(connection, evaluation, task)
    if _holder(row, now) not in (None, assessor):
        return None
    if not present(connection, schema.person.c.id, evaluation, [assessor]):
        raise DataError(f"no person {quoted(assessor)} in {quoted(evaluation)}")
    given = {"lease_until": stamp(until), "lease_by": assessor}
    connection.execute(_at(evaluation, task).values(**given))
    return task_of(row | given)


def release(connection: Connection, evaluation: str, task: str, assessor: str, *, now: datetime) -> bool:
    """Takes a task back; False where the assessor did not have it."""
    lock(connection, evaluation)
    if _holder(_find(connection, evaluation, task), now) != assessor:
        return False
    connection.execute(_at(evaluation, task).values(lease_until=None, lease_by=None))
    return True


def _holder(row: Row, now: datetime) -> str | None:
    """Who has the task; a task that came with a lease and without a holder is its assessor's."""
    if row["lease_until"] is None or moment(row["lease_until"]) <= now:
        return None
    holder: str = row["lease_by"] or row["assessor"]
    return holder


def _find(connection: Connection, evaluation: str, task: str) -> Row:
    query = sa.select(_table).where(_table.c.evaluation == evaluation, _table.c.id == task)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise DataError(f"no task {quoted(task)} in {quoted(evaluation)}")
    return dict(row)


def _at(evaluation: str, task: str) -> sa.Update:
    return sa.update(_table).where(_table.c.evaluation == evaluation, _table.c.id == task)
