"""The log of accounts: who signed in and what was changed, when, by whom and from where. Entries are added only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import FormatError
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.encoding import check_line, check_name, checked, checked_cell, stamp

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store

What = Literal[
    "account made",
    "account removed",
    "signed in by link",
    "signed in by password",
    "signed in",
    "signed out",
    "sign-in refused: no such name",
    "sign-in refused: wrong password",
    "password set",
    "password not set: wrong old password",
    "new link, sessions and password ended",
    "suspended, sessions and password ended",
    "let in again",
    "opened names, own answers closed",
]
OPENED: What = "opened names, own answers closed"
"""Who has seen which text is whose judges no more."""

TRIES: tuple[What, ...] = (
    "sign-in refused: no such name",
    "sign-in refused: wrong password",
    "password not set: wrong old password",
)
TRIES_KEPT = timedelta(days=30)
"""Strangers can make such entries, so they are not kept for ever."""

_log = schema.account_log


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and from where: an address, or the command line. `person` is None where nobody signed in."""

    person: str | None = None
    place: str | None = None


COMMAND = Actor(place="command line")


@dataclass(frozen=True, slots=True)
class AccountEntry:
    """One line of the log: what happened to whose account.

    `person` is None where somebody typed a name that nobody has. What was typed is not kept: it may be a password. `by`
    is None for signing in and for the command line.
    """

    at: str
    person: str | None
    what: str
    by: str | None
    place: str | None


class AccountLog:
    """The log of one evaluation."""

    def __init__(self, store: Store):
        self._store = store
        self._evaluation = store.evaluation

    def entries(self, person: str | None = None, *, most: int | None = None) -> list[AccountEntry]:
        """The latest first: of one person, or of all."""
        query = sa.select(_log).where(_log.c.evaluation == self._evaluation)
        if person is not None:
            query = query.where(_log.c.person == person)
        with self._store.database.reading() as connection:
            rows = connection.execute(query.order_by(_log.c.n.desc()).limit(most)).mappings().all()
            return [
                AccountEntry(row["at"], row["person"], row["what"], row["actor"], row["place"])
                for row in rows
                if checked("account_log", row)
            ]

    def has(self, person: str, what: What) -> bool:
        """Whether there is such an entry of a person's."""
        mine = (_log.c.evaluation == self._evaluation) & (_log.c.person == person) & (_log.c.what == what)
        with self._store.database.reading() as connection:
            return connection.scalar(sa.select(sa.exists().where(mine))) or False

    def once(self, person: str, what: What, actor: Actor) -> None:
        """Such an entry, where there is none yet."""
        if not self.has(person, what):
            now = stamp(self._store.clock())

            def job(connection: Connection) -> None:
                lock(connection, self._evaluation)
                note(connection, self._evaluation, now, person, what, actor)

            self._store.change(job)

    def refused(self, typed: str, what: What, actor: Actor) -> None:
        """An entry for a try that failed; old ones are forgotten.

        It costs the same whether anybody has the name or not: time must not tell.
        """
        now = self._store.clock()

        def job(connection: Connection) -> None:
            lock(connection, self._evaluation)
            old = (_log.c.what.in_(TRIES)) & (_log.c.at <= stamp(now - TRIES_KEPT))
            connection.execute(sa.delete(_log).where(_log.c.evaluation == self._evaluation, old))
            person = self._known(connection, typed)
            outcome: What = what if person is not None else "sign-in refused: no such name"
            note(connection, self._evaluation, stamp(now), person, outcome, actor)

        self._store.change(job)

    def _known(self, connection: Connection, typed: str) -> str | None:
        try:
            check_name("id", typed)
        except FormatError:  # anything may have been typed
            return None
        table = schema.account
        mine = (table.c.evaluation == self._evaluation) & (table.c.person == typed)
        person: str | None = connection.scalar(sa.select(table.c.person).where(mine))
        return person


def note(
    connection: Connection, evaluation: str, at: str, person: str | None, what: What, actor: Actor
) -> None:
    """Adds an entry, in the transaction of what it tells, which holds the evaluation's lock."""
    if actor.place is not None:
        check_line("place", actor.place)
    last = connection.scalar(sa.select(sa.func.max(_log.c.n)).where(_log.c.evaluation == evaluation))
    row = {
        "evaluation": evaluation,
        "n": (0 if last is None else checked_cell("account_log", "n", last)) + 1,
        "at": at,
        "person": person,
        "what": what,
        "actor": actor.person,
        "place": actor.place,
    }
    connection.execute(sa.insert(_log), [row])


def forget_places(connection: Connection, evaluation: str, person: str) -> None:
    """Takes the addresses off a person's entries, and off what they did to others."""
    mine = (_log.c.person == person) | (_log.c.actor == person)
    connection.execute(sa.update(_log).where(_log.c.evaluation == evaluation, mine).values(place=None))
