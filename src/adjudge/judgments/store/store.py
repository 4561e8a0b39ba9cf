"""The store of judgments: tasks, and every answer ever given to them. Opening, writing and reading.

Databases are opened in database.py; appending.py writes events and tasks; people.py, accounts.py and sessions.py
hold who judges and who may sign in, records.py files of records, backup.py copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import DataError, FormatError, quoted
from adjudge.data.folder import Folder
from adjudge.judgments.store import schema
from adjudge.judgments.store.accounts import Accounts, PeopleWithAccounts
from adjudge.judgments.store.appending import add_tasks, append_all, lease_task, leave_tasks, release_task
from adjudge.judgments.store.confirmed import confirmed_address
from adjudge.judgments.store.database import PATIENCE, Database, address, among
from adjudge.judgments.store.edits import finish_edit
from adjudge.judgments.store.encoding import (
    EVENT_FIELDS,
    Row,
    check_name,
    checked_cell,
    event_row,
    events_of,
    stamp,
    task_of,
    task_row,
    utc_now,
)
from adjudge.judgments.store.log import AccountLog
from adjudge.judgments.store.people import People
from adjudge.judgments.store.sessions import Attempts, Secrets, Sessions
from adjudge.judgments.store.writer import Outcome, Writer
from adjudge.judgments.tasks import Ack, Event, Judged, Task

T = TypeVar("T")
Clock = Callable[[], datetime]

PAGE = 1000  # events read at once
_task, _event = schema.task, schema.event
_EVENT = [_event.c[name] for name in EVENT_FIELDS]


@dataclass(frozen=True, slots=True)
class StoreState:
    """By which somebody who keeps things in memory knows that they are old.

    Tasks are added, which changes how many a person has, left behind, or changed by an edit, of which each is noted
    (edits.py).
    """

    last: int
    """The number of the latest event."""
    edits: int
    tasks: int
    """Of one assessor,"""
    left: int
    """and how many of these they have gone on from."""


def open_store(
    where: Path | str,
    evaluation: str,
    *,
    clock: Clock = utc_now,
    patience: float = PATIENCE,
    network: bool = False,
) -> Store:
    """The judgments of an evaluation: judgments.sqlite in a folder, or a PostgreSQL database by address.

    Makes what is not there and upgrades an older schema. `clock` gives the times that the store notes,
    `patience` is how many seconds a writer waits for other processes, and `network` allows a network file
    system. Open it once per process and share it: it may be used from any thread.
    """
    check_name("evaluation", evaluation)
    return Store(Database(address(where, network=network), patience=patience), evaluation, clock=clock)


class Store:
    """Tasks and events of one evaluation. See `open_store`."""

    def __init__(
        self,
        database: Database,
        evaluation: str,
        *,
        clock: Clock = utc_now,
        writer: type[Writer] = Writer,
    ):
        self.database = database
        self.evaluation = evaluation
        self.clock = clock
        self._writer = writer(database.writing, self._append_all)
        self.people: People = PeopleWithAccounts(self)
        self.accounts = Accounts(self)
        self.sessions = Sessions(self)
        self.attempts = Attempts(self)
        self.account_log = AccountLog(self)
        self.secret = Secrets(self).get

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Saves what is waiting, then lets go of the database."""
        self._writer.close()
        self.database.close()

    # Writing: everything goes through the one writer.

    def append(self, events: Sequence[Event]) -> list[Ack]:
        """Stores events, all of them or, where one is refused, none; returns when they are on the disk.

        An id that is there already gets its first acknowledgement again (`again`); with other content it is
        a ClashError. `newer` names an answer that the sender had not seen. A task or person that is not
        there is a DataError.
        """
        return self.submit(events).result()

    def submit(self, events: Sequence[Event]) -> Future[list[Ack]]:
        """As `append`, without waiting."""
        self.database.check_process()
        return self._writer.append(self.event_rows(events))

    def add_tasks(self, new: Iterable[Task]) -> int:
        """Stores tasks, all or none, and says how many are new. One that is there already may come again."""
        rows = self.task_rows(new)
        return self.change(lambda connection: add_tasks(connection, self.evaluation, rows))

    def lease(self, task: str, assessor: str, until: datetime) -> Task | None:
        """Gives a task to an assessor until a time, or None where somebody else has it now, and no longer than that."""
        stamp(until)  # a time without a zone is refused before anything is locked

        def job(connection: Connection) -> Task | None:
            return lease_task(connection, self.evaluation, task, assessor, until=until, now=self.clock())

        return self.change(job)

    def release(self, task: str, assessor: str) -> bool:
        """Takes a task back from an assessor; False where it was not theirs."""
        return self.change(
            lambda connection: release_task(connection, self.evaluation, task, assessor, now=self.clock())
        )

    def leave(self, assessor: str, tasks: Sequence[str]) -> None:
        """Notes that an assessor has gone on from these tasks of theirs."""
        self.change(
            lambda connection: leave_tasks(connection, self.evaluation, assessor, tasks, now=self.clock())
        )

    def change(self, job: Callable[[Connection], T]) -> T:
        """Runs a job in a write transaction, after what is waiting, and returns when it is committed."""
        self.database.check_process()
        return self._writer.run(job)

    def change_later(self, job: Callable[[Connection], T]) -> Future[T]:
        """As `change`, without waiting: for what is not worth it."""
        self.database.check_process()
        return self._writer.run_later(job)

    def task_rows(self, tasks: Iterable[Task]) -> list[Row]:
        """Tasks as rows, checked."""
        return [self._row(task, task_row) for task in tasks]

    def event_rows(self, events: Iterable[Event]) -> list[Row]:
        """Events as rows, checked."""
        return [self._row(event, event_row) for event in events]

    # Reading: every call sees one state of the database.

    def task(self, id: str) -> Task:
        for task in self._tasks(_task.c.id == id):
            return task
        raise DataError(f"no task {quoted(id)} in {quoted(self.evaluation)}")

    def tasks(
        self,
        *,
        assessor: str | None = None,
        topic: str | None = None,
        protocol: str | None = None,
        cancelled: bool = False,
    ) -> list[Task]:
        """The tasks, by assessor and position; with those that were cancelled where that is asked for."""
        wanted = {_task.c.assessor: assessor, _task.c.topic: topic, _task.c.protocol: protocol}
        conditions = [column == value for column, value in wanted.items() if value is not None]
        if not cancelled:
            conditions.append(_task.c.cancelled.is_(None))
        return self._tasks(*conditions)

    def evaluations(self) -> list[str]:
        """Every evaluation that has something in this database."""
        with self._reading() as connection:
            names = connection.scalars(sa.select(schema.evaluation.c.name).order_by("name"))
            return [checked_cell("evaluation", "name", name, name) for name in names]

    def last_seq(self) -> int:
        """The number of the latest event, 0 before the first."""
        table = schema.evaluation
        with self._reading() as connection:
            last = connection.scalar(sa.select(table.c.last_seq).where(table.c.name == self.evaluation))
            return 0 if last is None else checked_cell("evaluation", "last_seq", last, self.evaluation)

    def state(self, assessor: str) -> StoreState:
        """Whether something is new, in one question that reads next to nothing."""
        with self._reading() as connection:
            row = connection.execute(_STATE, {"evaluation": self.evaluation, "assessor": assessor}).one()
            last = (
                0 if row.last is None else checked_cell("evaluation", "last_seq", row.last, self.evaluation)
            )
        return StoreState(last, row.edits, row.tasks, row.left)

    def answered_after(self, after: int) -> dict[str, int]:
        """The tasks that have events above a number, each with the highest."""
        with self._reading() as connection:
            rows = connection.execute(_ANSWERED_AFTER, {"evaluation": self.evaluation, "after": after})
            return {checked_cell("event", "task", row.task, row.seq): row.seq for row in rows}

    def events(
        self, *, after: int = 0, task: str | None = None, question: str | None = None
    ) -> Iterator[Event]:
        """All events above a number, in their order, a page at a time; of one task, or to one question.

        Numbers follow the order of commits. So whoever asks again with the last number read misses nothing.
        """
        query = sa.select(*_EVENT)
        if task is None:
            query = query.where(_event.c.evaluation == self.evaluation)
        else:
            # Found by the task: SQLite, which has not counted its rows, would else go through all of the evaluation.
            query = query.where(_event.c.task == task, _event.c.evaluation.concat("") == self.evaluation)
        if question is not None:
            query = query.where(_event.c.question == question)
        query = query.order_by(_event.c.seq).limit(PAGE)
        while True:
            with self._reading() as connection:
                page = list(events_of(connection.execute(query.where(_event.c.seq > after))))
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].seq or after

    def current(
        self,
        topic: str | None = None,
        *,
        assessor: str | None = None,
        tasks: Sequence[str] | None = None,
        tasks_read: Iterable[Task] | None = None,
    ) -> list[Judged]:
        """The tasks that have answers, each with those that count now, by assessor and position.

        `tasks_read` are tasks that were read just now, so that they are not read again; other tasks are left out.

        Of one assessor the latest answer to a question counts, and none where that one is null. Where
        several people answered one task, an adjudicated answer comes before the others, then the latest.
        """
        with self._reading() as connection:
            mine = [_task.c.evaluation == self.evaluation]
            if topic is not None:
                mine.append(_task.c.topic == topic)
            if assessor is not None:
                mine.append(_task.c.assessor == assessor)
            if tasks is not None:
                mine.append(among(connection, _task.c.id, tasks))
            answers: dict[str, dict[str, Event]] = {}
            pages = connection.execute(_latest(*mine)).partitions(PAGE)
            for event in events_of(chain.from_iterable(pages)):
                answers.setdefault(event.task, {}).setdefault(event.question, event)
            if tasks_read is not None:
                return [Judged(task, answers[task.id]) for task in tasks_read if task.id in answers]
            rows = connection.execute(_in_order(*mine)).mappings()
            return [Judged(task_of(row), answers[row["id"]]) for row in rows if row["id"] in answers]

    def _reading(self) -> AbstractContextManager[Connection]:
        self.database.check_process()
        return self.database.reading()

    def _tasks(self, *conditions: sa.ColumnElement[bool]) -> list[Task]:
        with self._reading() as connection:
            query = _in_order(_task.c.evaluation == self.evaluation, *conditions)
            return [task_of(row) for row in connection.execute(query).mappings()]

    def _row(self, thing: Any, encode: Callable[[Any], Row]) -> Row:
        """A task or event as a row, checked; it must be of this evaluation."""
        try:
            row = encode(thing)
        except FormatError as error:
            raise FormatError(f"{type(thing).__name__.lower()} {quoted(thing.id)}: {error}") from None
        if thing.evaluation != self.evaluation:
            raise DataError(
                f"{type(thing).__name__.lower()} {quoted(thing.id)}: of the evaluation"
                f" {quoted(thing.evaluation)}, and this is {quoted(self.evaluation)}"
            )
        return row

    def _append_all(self, connection: Connection, calls: Sequence[Sequence[Row]]) -> list[Outcome]:
        return append_all(connection, self.evaluation, calls, stamp(self.clock()))


def _count(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    here = table.c.evaluation == sa.bindparam("evaluation")
    return sa.select(sa.func.count()).select_from(table).where(here, *conditions).scalar_subquery()


_STATE = sa.select(
    sa.select(schema.evaluation.c.last_seq)
    .where(schema.evaluation.c.name == sa.bindparam("evaluation"))
    .scalar_subquery()
    .label("last"),
    _count(schema.edit).label("edits"),
    _count(_task, _task.c.assessor == sa.bindparam("assessor")).label("tasks"),
    _count(_task, _task.c.assessor == sa.bindparam("assessor"), _task.c.lease_until.is_not(None)).label(
        "left"
    ),
)
_ANSWERED_AFTER = (
    sa.select(_event.c.task, sa.func.max(_event.c.seq).label("seq"))
    .where(_event.c.evaluation == sa.bindparam("evaluation"), _event.c.seq > sa.bindparam("after"))
    .group_by(_event.c.task)
)


def _in_order(*conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(_task).where(*conditions).order_by(_task.c.assessor, _task.c.position, _task.c.id)


def _latest(*conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """The latest event of each task, question and assessor, where it is an answer; the one that counts first.

    An outer join, since that fixes where the database begins: with the tasks that are asked for. SQLite, which has not
    counted its rows, would read all events of the evaluation instead. Tasks without events have no highest number, and
    fall out.
    """
    of_task = (_task.c.evaluation == _event.c.evaluation) & (_task.c.id == _event.c.task)
    highest = (
        sa.select(_event.c.evaluation, sa.func.max(_event.c.seq).label("seq"))
        .select_from(_task.outerjoin(_event, of_task))
        .where(*conditions)
        .group_by(_event.c.evaluation, _event.c.task, _event.c.question, _event.c.assessor)
        .subquery()
    )
    same = (highest.c.evaluation == _event.c.evaluation) & (highest.c.seq == _event.c.seq)
    adjudicated_first = sa.case((_event.c.origin == "adjudicated", 0), else_=1)
    return (
        sa.select(*_EVENT)
        .join(highest, same)
        .where(_event.c.answer != "null")
        .order_by(adjudicated_first, _event.c.seq.desc())
    )


def store_of(folder: Folder, *, patience: float = PATIENCE) -> Store:
    """The store, made where there is none; what a change of the folder's texts left to do here is done first.

    A file in the folder keeps the name under which it began, so that renaming the evaluation loses nothing.
    """
    store = _store_of(folder, patience)
    try:
        finish_edit(folder.path, store)
    except BaseException:
        store.close()
        raise
    return store


def _store_of(folder: Folder, patience: float) -> Store:
    name = folder.settings.name
    if folder.settings.database:
        return open_store(confirmed_address(folder), name, patience=patience)
    store = open_store(folder.path, name, patience=patience)
    evaluations = store.evaluations()
    if not evaluations or name in evaluations:
        return store
    store.close()
    return open_store(folder.path, evaluations[0], patience=patience)
