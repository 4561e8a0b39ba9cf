"""How events and tasks become rows: numbers, first acknowledgements, clashes, leases. Runs inside a write transaction.

The numbers of an evaluation's events follow the order of their commits (see `database.lock`).
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cache, partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.engine import chunked
from adjudge.core.errors import AdjudgeError, ClashError, DataError, StoreUnavailable, quoted
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import AT_ONCE, among, among_given, lock, present
from adjudge.judgments.store.encoding import (
    EVENT_FIELDS,
    SKEW,
    Row,
    ack_of,
    checked,
    checked_cell,
    event_of,
    moment,
    stamp,
    task_of,
)
from adjudge.judgments.store.people import register
from adjudge.judgments.tasks import Ack, Task

Key = tuple[str, str, str]  # task, question, assessor: what has one current answer


@dataclass
class EventLedger:
    """What is stored already of the ids, tasks, people and answers that some events name, and what is to come."""

    evaluation: str
    last: int
    tasks: set[str]
    people: set[str]
    stored: MutableMapping[str, Row]
    current: MutableMapping[Key, int]
    fresh: list[Row] = field(default_factory=list)

    @classmethod
    def of(cls, connection: Connection, evaluation: str, last: int, rows: Sequence[Row]) -> EventLedger:
        ledger = cls(evaluation=evaluation, last=last, tasks=set(), people=set(), stored={}, current={})
        seen = set[str]()
        for some in chunked(rows, AT_ONCE):
            # Everything that a ledger needs, in one question: on a network, asking costs more than answering.
            wanted = {
                name: sorted({row[name] for row in some}) for name in ("id", "task", "assessor", "question")
            }
            for kind, name, question, assessor, seq in connection.execute(
                _looking_up(connection.dialect.name), {"evaluation": evaluation, **wanted}
            ):
                match kind:
                    case "task":
                        ledger.tasks.add(name)
                    case "person":
                        ledger.people.add(name)
                    case "id":
                        seen.add(name)
                    case _:
                        ledger.current[name, question, assessor] = checked_cell("event", "seq", seq)
        ledger.stored.update(_stored(connection, evaluation, seen))
        return ledger

    def draft(self) -> EventLedger:
        """A copy to try some events on; `adopt` takes it over."""
        return replace(self, stored=ChainMap({}, self.stored), current=ChainMap({}, self.current), fresh=[])

    def adopt(self, draft: EventLedger) -> None:
        self.stored.update((row["id"], row) for row in draft.fresh)
        self.current.update((_key(row), row["seq"]) for row in draft.fresh)
        self.fresh += draft.fresh
        self.last = draft.last

    def first(self, row: Row) -> Ack | None:
        """The acknowledgement that the event's id was given before; a clash where its content was another."""
        before = self.stored.get(row["id"])
        if before is None:
            return None
        mine, theirs = event_of(row), event_of(before)
        if mine.content() != theirs.content():
            # The first field that two events do not share; 1 and 1.0 are two things here, as in Event.content.
            content = (name for name in EVENT_FIELDS if name not in ("seq", "received_at"))
            pairs = ((n, getattr(mine, n), getattr(theirs, n)) for n in content)
            name = next(
                n for n, a, b in pairs if json.dumps(a, sort_keys=True) != json.dumps(b, sort_keys=True)
            )
            raise ClashError(f"event {quoted(row['id'])}: the id was sent before with other content ({name})")
        return ack_of(before, again=True)

    def newer(self, row: Row) -> int | None:
        """The current answer's number where it is not the one that the sender had seen."""
        current = self.current.get(_key(row))
        return current if current != row["base"] else None

    def take(self, row: Row) -> Ack:
        """Enters one event, with its number and its received_at set; refuses what has no task or no assessor."""
        for kind, name, names in (
            ("task", row["task"], self.tasks),
            ("person", row["assessor"], self.people),
        ):
            if name not in names:
                raise DataError(
                    f"event {quoted(row['id'])}: no {kind} {quoted(name)} in {quoted(self.evaluation)}"
                )
        self.last = row["seq"]
        self.stored[row["id"]] = row
        self.current[_key(row)] = row["seq"]
        self.fresh.append(row)
        return ack_of(row)

    def write(self, connection: Connection) -> None:
        """Stores what was entered, and the counter."""
        if not self.fresh:
            return
        connection.execute(sa.insert(schema.event), self.fresh)
        table = schema.evaluation
        moved = sa.update(table).where(table.c.name == self.evaluation).values(last_seq=self.last)
        connection.execute(moved)
        # Whatever is acknowledged was read back: a trigger or a rule may have made it something else, or nothing.
        expected = [(*(row[name] for name in _COLUMNS), self.last) for row in self.fresh]
        which = {"of": self.evaluation, "first": self.fresh[0]["seq"]}
        if list(map(tuple, connection.execute(_READ_BACK, which))) != expected:
            raise NotKept(
                "the database did not keep an answer as it was given: nothing was saved;"
                " look for triggers and rules in it that Adjudge did not make"
            )


_COLUMNS = schema.event.c.keys()
_READ_BACK = (
    sa.select(*schema.event.c, schema.evaluation.c.last_seq)
    .join(schema.evaluation, schema.evaluation.c.name == schema.event.c.evaluation)
    .where(schema.event.c.evaluation == sa.bindparam("of"), schema.event.c.seq >= sa.bindparam("first"))
    .order_by(schema.event.c.seq)
)


class NotKept(StoreUnavailable):
    """What was written is not what is read. The sender keeps it."""


def append_all(
    connection: Connection, evaluation: str, calls: Sequence[Sequence[Row]], received_at: str
) -> list[list[Ack] | AdjudgeError]:
    """The events of several calls; each call is stored whole or refused whole."""
    last = lock(connection, evaluation)
    ledger = EventLedger.of(connection, evaluation, last, [row for rows in calls for row in rows])
    outcomes: list[list[Ack] | AdjudgeError] = []
    for rows in calls:
        draft = ledger.draft()
        try:
            outcomes.append([_append(draft, row, received_at) for row in rows])
        except AdjudgeError as error:
            outcomes.append(error)
        else:
            ledger.adopt(draft)
    ledger.write(connection)
    return outcomes


def _append(ledger: EventLedger, row: Row, received_at: str) -> Ack:
    if before := ledger.first(row):
        return before
    receipt = {"seq": ledger.last + 1, "newer": ledger.newer(row), "received_at": received_at}
    return ledger.take(row | receipt)


def _key(row: Row) -> Key:
    return row["task"], row["question"], row["assessor"]


@cache
def _looking_up(dialect: str) -> sa.CompoundSelect[Any]:
    """Made once: writing the question down takes longer than answering it."""
    event, task, person = schema.event, schema.task, schema.person
    evaluation: sa.BindParameter[str] = sa.bindparam("evaluation")
    none, zero = sa.cast(sa.null(), sa.Text), sa.cast(0, sa.BigInteger)  # columns of one type throughout
    key = (event.c.task, event.c.question, event.c.assessor)
    some = partial(among_given, dialect)
    return sa.union_all(
        sa.select(sa.literal("task"), task.c.id, none, none, zero).where(
            task.c.evaluation == evaluation, some(task.c.id, "task")
        ),
        sa.select(sa.literal("person"), person.c.id, none, none, zero).where(
            person.c.evaluation == evaluation, some(person.c.id, "assessor")
        ),
        sa.select(sa.literal("id"), event.c.id, none, none, zero).where(
            event.c.evaluation == evaluation, some(event.c.id, "id")
        ),
        sa.select(sa.literal("current"), *key, sa.func.max(event.c.seq))
        .where(
            event.c.evaluation == evaluation, some(event.c.task, "task"), some(event.c.question, "question")
        )
        .group_by(*key),
    )


def _stored(connection: Connection, evaluation: str, ids: set[str]) -> Iterator[tuple[str, Row]]:
    table = schema.event
    for some in chunked(sorted(ids), AT_ONCE):
        query = sa.select(table).where(table.c.evaluation == evaluation, among(connection, table.c.id, some))
        yield from ((row["id"], dict(row)) for row in connection.execute(query).mappings())


# Tasks

_task = schema.task


def add_tasks(connection: Connection, evaluation: str, rows: Sequence[Row]) -> int:
    """Stores the tasks that are new and says how many; one that is there with other content is refused."""
    lock(connection, evaluation)
    added = sum(add_some_tasks(connection, evaluation, some) for some in chunked(rows, AT_ONCE))
    if any(row["repeat_of"] is not None for row in rows):
        refuse_orphans(connection, evaluation)
    return added


def add_some_tasks(connection: Connection, evaluation: str, rows: Sequence[Row]) -> int:
    """As `add_tasks`, for a few at a time: whether repeats repeat something is left to `refuse_orphans`."""
    query = sa.select(_task).where(
        _task.c.evaluation == evaluation, among(connection, _task.c.id, [row["id"] for row in rows])
    )
    there: dict[str, Row] = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
    new: dict[str, Row] = {}
    for row in rows:
        before = there.get(row["id"]) or new.get(row["id"])
        if before is None:
            new[row["id"]] = {"lease_by": None} | row
        elif name := _task_difference(task_of(row), task_of(before)):
            raise ClashError(f"task {quoted(row['id'])}: is here already with other content ({name})")
    if new:
        people = {row[name] for row in new.values() for name in ("assessor", "lease_by")} - {None}
        register(connection, evaluation, people)
        connection.execute(sa.insert(_task), list(new.values()))
    return len(new)


def _task_difference(one: Task, other: Task) -> str | None:
    """The first field that two tasks do not share, but for what happened to one of them later."""
    later = ("lease_until", "cancelled", "renamed")
    names = (field.name for field in fields(Task) if field.name not in later)
    return next((name for name in names if getattr(one, name) != getattr(other, name)), None)


def refuse_orphans(connection: Connection, evaluation: str) -> None:
    """A repeat repeats a task that is there."""
    first = _task.alias()
    query = (
        sa.select(_task.c.id, _task.c.repeat_of)
        .outerjoin(first, (first.c.evaluation == evaluation) & (first.c.id == _task.c.repeat_of))
        .where(_task.c.evaluation == evaluation, _task.c.repeat_of.is_not(None), first.c.id.is_(None))
        .limit(1)
    )
    if (row := connection.execute(query).first()) is not None:
        raise DataError(f"task {quoted(row[0])}: repeats {quoted(row[1])}, which is not there")


def lease_task(
    connection: Connection, evaluation: str, task: str, assessor: str, *, until: datetime, now: datetime
) -> Task | None:
    """Hands a task out, or None where somebody else has it now. The counter's lock makes that one step.

    Leases are equally long: one that ends later than a new one was given by a clock that is set back since.
    """
    lock(connection, evaluation)
    row = _find(connection, evaluation, task)
    ahead = row["lease_until"] is not None and moment(row["lease_until"]) > until + SKEW
    if not ahead and _holder(row, now) not in (None, assessor):
        return None
    if not present(connection, schema.person.c.id, evaluation, [assessor]):
        raise DataError(f"no person {quoted(assessor)} in {quoted(evaluation)}")
    lease = {"lease_until": stamp(until), "lease_by": assessor}
    connection.execute(_at(evaluation, task).values(**lease))
    return task_of(row | lease)


def release_task(connection: Connection, evaluation: str, task: str, assessor: str, *, now: datetime) -> bool:
    """Takes a task back; False where the assessor did not have it."""
    lock(connection, evaluation)
    if _holder(_find(connection, evaluation, task), now) != assessor:
        return False
    connection.execute(_at(evaluation, task).values(lease_until=None, lease_by=None))
    return True


def leave_tasks(
    connection: Connection, evaluation: str, assessor: str, ids: Sequence[str], *, now: datetime
) -> None:
    """Ends an assessor's time with tasks of theirs, which a lease that is over says."""
    lock(connection, evaluation)
    for some in chunked(ids, AT_ONCE):
        mine = (_task.c.evaluation == evaluation) & (_task.c.assessor == assessor)
        mine &= _task.c.lease_until.is_(None) & among(connection, _task.c.id, some)
        connection.execute(sa.update(_task).where(mine).values(lease_until=stamp(now), lease_by=assessor))


def _holder(row: Row, now: datetime) -> str | None:
    """Who has the task; a task that came with a lease and without a holder is its assessor's."""
    if row["lease_until"] is None or moment(row["lease_until"]) <= now:
        return None
    holder: str = row["lease_by"] or row["assessor"]
    return holder


def _find(connection: Connection, evaluation: str, task: str) -> Row:
    query = sa.select(_task).where(_task.c.evaluation == evaluation, _task.c.id == task)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise DataError(f"no task {quoted(task)} in {quoted(evaluation)}")
    return dict(checked("task", row))


def _at(evaluation: str, task: str) -> sa.Update:
    return sa.update(_task).where(_task.c.evaluation == evaluation, _task.c.id == task)
