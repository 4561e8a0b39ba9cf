"""Assigning with a store: who the assessors are, which of its tasks count, and writing the new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.data.collection import Collection
from adjudge.errors import ClashError, DataError, nearest, quoted
from adjudge.judgments.assign.plan import plan
from adjudge.judgments.assign.result import Plan
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.store import schema, tasks
from adjudge.judgments.store.appending import lock
from adjudge.judgments.store.encoding import task_row
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Task
from adjudge.wording import counted, listed

PROGRAMS = ("simulated", "learned")


def assign(
    store: Store | None,
    collection: Collection,
    protocol: Protocol,
    *,
    assessors: Sequence[str] = (),
    dry_run: bool = False,
    **how: Any,
) -> Plan:
    """Plan for a store's assessors, or those named, and add the tasks that are missing; see `plan` for `how`.

    A dry run writes nothing, and works without a store.
    """
    who, strangers = staff(store, assessors)
    if strangers and not dry_run:
        known = [] if store is None else [person.id for person in store.people.all()]
        name = strangers[0]
        raise DataError(f"no person {quoted(name)}{nearest(name, known)}; add them with: adjudge people add")
    seen: list[Task] = [] if store is None else store.tasks()
    there, notes = (seen, []) if store is None else standing(store, protocol, who, seen)
    notes += [f"{name} is not among the people yet" for name in strangers]
    evaluation = collection.settings.name if store is None else store.evaluation
    found = plan(collection, protocol, who, evaluation, tasks=there, **how)
    if not dry_run and store is not None and found.tasks:
        _write(store, protocol, found.tasks, seen=sum(task.protocol == protocol.name for task in seen))
    return replace(found, notes=(*found.notes, *notes))


def staff(store: Store | None, named: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The assessors, and those among them who are not known: the named ones, else all who may sign in to judge."""
    if named:
        known = set() if store is None else {person.id for person in store.people.all()}
        return list(named), [name for name in dict.fromkeys(named) if name not in known]
    accounts = [] if store is None else store.accounts.all()
    return [each.person for each in accounts if each.active and each.role == "assessor"], []


def standing(
    store: Store, protocol: Protocol, who: Sequence[str], there: Sequence[Task]
) -> tuple[Sequence[Task], list[str]]:
    """The tasks that count, and what is to be said of others.

    A task counts where its assessor can still do it, or where a person has done it. What a program answered, or what
    somebody left who is suspended or gone, is still to be judged.
    """
    present = {*who, *(account.person for account in store.accounts.all() if account.active)}
    others = {t.id for t in there if t.assessor not in present and t.protocol == protocol.name}
    if not others:
        return there, []
    done = {each.task.id for each in store.current() if each.origin not in PROGRAMS}
    left = [task for task in there if task.id in others - done]
    if not left:
        return there, []
    names = listed(sorted({task.assessor for task in left}))
    note = (
        f"{counted(len(left), 'task')} of {names} not counted: neither done by a person nor theirs to do now"
    )
    return [task for task in there if task.id not in others - done], [note]


def _write(store: Store, protocol: Protocol, new: Sequence[Task], *, seen: int) -> None:
    """Adds tasks unless others were added since the plan looked: two plans at once would both fill one gap."""
    rows = [task_row(task) for task in new]
    table = schema.task
    mine = (table.c.evaluation == store.evaluation) & (table.c.protocol == protocol.name)

    def job(connection: Connection) -> int:
        lock(connection, store.evaluation)
        if connection.scalar(sa.select(sa.func.count()).select_from(table).where(mine)) != seen:
            raise ClashError(f"somebody else assigned tasks of {protocol.name} just now; run it again")
        return tasks.add(connection, store.evaluation, rows)

    store.change(job)
