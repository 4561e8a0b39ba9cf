"""Who is signed in, and how often signing in was tried; tokens, of which only hashes are kept, and shared secrets."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.encoding import SKEW, check_name, checked, checked_cell, moment, stamp
from adjudge.judgments.store.log import COMMAND, Actor, What, note

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store


BYTES = 32  # 256 bits


def new_token() -> str:
    """43 characters that can be part of an address and that nobody can guess."""
    return secrets.token_urlsafe(BYTES)


def digest(token: str) -> str:
    """What is kept of a token, and what it is looked up by.

    SHA-256 is enough, and needs no salt and no slowness: those protect what people choose. Of 2^256 tokens that
    are drawn evenly none can be found by trying. Looking up the hash takes a time that depends on the hash
    alone, from which nobody can steer towards a token that exists, so no comparison of tokens is left to time.
    """
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def new_secret(name: str) -> str:
    return secrets.token_hex(BYTES)


class Secrets:
    """The secrets of one evaluation, by name. They stay in the database and reach no browser."""

    def __init__(self, store: Store):
        self._store = store
        self._known: dict[str, bytes] = {}

    def get(self, name: str, *, make: bool = True) -> bytes:
        """32 bytes, drawn when they are first asked for and the same ever after, in every process.

        Where none is to be made, nothing is written, and a secret that is not there is empty.
        """
        if name not in self._known:
            check_name("name", name)
            value = self._stored(name)
            if value is None and not make:
                return b""
            self._known[name] = bytes.fromhex(value or self._store.change(self._make(name)))
        return self._known[name]

    def _stored(self, name: str) -> str | None:
        with self._store.database.reading() as connection:
            return _value(connection, self._store.evaluation, name)

    def _make(self, name: str) -> Any:
        """A job that makes the secret. Of several who come first, one does; the others wait and take that one."""
        row = {"evaluation": self._store.evaluation, "name": name, "value": new_secret(name)}

        def job(connection: Connection) -> str:
            insert: Any = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert
            connection.execute(insert(schema.secret).on_conflict_do_nothing(), row)
            value = _value(connection, self._store.evaluation, name)
            assert value is not None
            return value

        return job


def _value(connection: Connection, evaluation: str, name: str) -> str | None:
    table = schema.secret
    query = sa.select(table.c.value).where(table.c.evaluation == evaluation, table.c.name == name)
    value: str | None = connection.scalar(query)
    return None if value is None else checked_cell("secret", "value", value, name)


LIFETIME = timedelta(days=30)
"""Of a session: an evaluation takes weeks, and every day's first minute should not be spent on signing in."""
SEEN_EVERY = timedelta(minutes=1)
KEPT = timedelta(days=1)  # how long attempts are kept
LIMIT, WINDOW = 10, timedelta(minutes=15)

_session, _account, _person, _attempt = schema.session, schema.account, schema.person, schema.attempt


def _of_account(person: sa.Column[Any], evaluation: sa.Column[Any]) -> sa.ColumnElement[bool]:
    return (evaluation == _account.c.evaluation) & (person == _account.c.person)


ACCOUNTS = _account.join(_person, _of_account(_person.c.id, _person.c.evaluation))
"""Accounts, each with its person."""


Way = Literal["link", "password"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What somebody showed to be let in, as its hash is kept. It must still hold when the session begins."""

    way: Way
    kept: str = field(repr=False)

    def holds(self) -> sa.ColumnElement[bool]:
        column = _account.c.token_hash if self.way == "link" else _account.c.password_hash
        return column == self.kept


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in; `way` is how, where that is known."""

    person: str
    name: str | None
    role: str
    made_at: str
    expires_at: str
    seen_at: str
    way: Way | None = None

    def by_link_within(self, time: timedelta, now: datetime) -> bool:
        """Whether it was begun with a personal link in the time that just passed."""
        return self.way == "link" and timedelta() <= now - moment(self.made_at) <= time


class Sessions:
    """The sessions of one evaluation. A browser holds a token, of which the hash is kept here."""

    def __init__(self, store: Store):
        self._store = store
        self._evaluation = store.evaluation

    def start(
        self,
        person: str,
        lifetime: timedelta,
        *,
        proof: Proof | None = None,
        actor: Actor = COMMAND,
    ) -> str:
        """Signs a person in, and gives the token. Whoever has no active account is refused.

        So is whoever shows a link or a password that was replaced after it was looked at.
        """
        if lifetime <= timedelta():
            raise UsageError(f"a session's lifetime is {lifetime}, expected more than nothing")
        now, token = self._store.clock(), new_token()
        row = {
            "evaluation": self._evaluation,
            "hash": digest(token),
            "person": person,
            "made_at": stamp(now),
            "expires_at": stamp(now + lifetime),
            "seen_at": stamp(now),
            "way": proof and proof.way,
        }
        what: What = "signed in" if proof is None else f"signed in by {proof.way}"  # type: ignore[assignment]

        def job(connection: Connection) -> None:
            lock(connection, self._evaluation)  # so that nobody is suspended in the middle of it
            query = sa.select(_account.c.person).select_from(ACCOUNTS)
            mine = may_enter(self._evaluation) & (_account.c.person == person)
            if proof is not None:
                mine &= proof.holds()
            if connection.scalar(query.where(mine)) is None:
                raise DataError(f"{quoted(person)} has no active account")
            connection.execute(self._delete(_session.c.expires_at <= stamp(now)))
            connection.execute(sa.insert(_session), [row])
            connection.execute(_seen(self._evaluation, person, stamp(now)))
            note(connection, self._evaluation, stamp(now), person, what, actor)

        self._store.change(job)
        return token

    def find(self, token: str) -> Session | None:
        """Who holds the token; None where it is unknown or too old, or where the person may not enter now.

        Notes, at most once a minute, that the person was here.
        """
        now = self._store.clock()
        asked = {"evaluation": self._evaluation, "hash": digest(token), "now": stamp(now)}
        with self._store.database.reading() as connection:
            row = connection.execute(_FIND, asked).mappings().first()
            if row is None:
                return None
            checked("session", row)
            checked_cell("account", "role", row["role"], row["person"])
            if row["name"] is not None:
                checked_cell("person", "name", row["name"], row["person"])
        seen = row["seen_at"]
        if moment(seen) <= now - SEEN_EVERY:
            seen = stamp(now)
            # A note that is not worth refusing somebody, nor letting them wait where somebody else is writing.
            self._store.change_later(lambda connection: self._touch(connection, row, seen))
        return Session(
            person=row["person"],
            name=row["name"],
            role=row["role"],
            made_at=row["made_at"],
            expires_at=row["expires_at"],
            seen_at=seen,
            way=row["way"],
        )

    def end(self, token: str, actor: Actor = COMMAND) -> None:
        """Signs out. A token that is not known is no mistake: it may be sent twice."""
        mine, now = _session.c.hash == digest(token), stamp(self._store.clock())

        def job(connection: Connection) -> None:
            lock(connection, self._evaluation)
            here = _session.c.evaluation == self._evaluation
            person = connection.scalar(sa.select(_session.c.person).where(here, mine))
            if person is not None:
                connection.execute(self._delete(mine))
                note(connection, self._evaluation, now, person, "signed out", actor)

        self._store.change(job)

    def end_all(self, person: str) -> int:
        """Signs a person out everywhere, and says how many sessions that ended."""
        return self._store.change(lambda connection: end_all(connection, self._evaluation, person))

    def _touch(self, connection: Connection, row: sa.RowMapping, seen: str) -> None:
        mine = (_session.c.evaluation == self._evaluation) & (_session.c.hash == row["hash"])
        connection.execute(sa.update(_session).where(mine).values(seen_at=seen))
        connection.execute(_seen(self._evaluation, row["person"], seen))

    def _delete(self, *which: sa.ColumnElement[bool]) -> sa.Delete:
        return sa.delete(_session).where(_session.c.evaluation == self._evaluation, *which)


class Attempts:
    """Attempts to sign in, counted by a key: a name, an address, both together.

    Keys are kept as keyed hashes: whoever reads the database cannot list names and addresses by trying them.
    """

    def __init__(self, store: Store):
        self._store = store
        self._evaluation = store.evaluation

    def allowed(self, key: str, limit: int = LIMIT, window: timedelta = WINDOW) -> bool:
        """Whether fewer attempts than the limit were noted in the time that just passed."""
        query = self._count(key, window)
        with self._store.database.reading() as connection:
            return (connection.scalar(query) or 0) < limit

    def note(self, key: str) -> None:
        """Notes an attempt, and forgets old ones."""
        row = self._row(key)
        self._store.change(lambda connection: self._insert(connection, row))

    def take(self, key: str, limit: int = LIMIT, window: timedelta = WINDOW) -> bool:
        """`allowed`, and then `note`, in one step: however many try at once, no more than the limit get through.

        What is not allowed is not noted: whoever goes on trying is let in again when the window has passed.
        """
        return self.take_all({key: limit}, window) is not None

    def take_all(self, limits: Mapping[str, int], window: timedelta = WINDOW) -> list[str] | None:
        """As `take`, for several keys with a limit each: all of them, or None and none.

        What it gives is what `give_back` takes.
        """
        wanted = [(self._count(key, window), self._row(key), limit) for key, limit in limits.items()]

        def job(connection: Connection) -> list[str] | None:
            lock(connection, self._evaluation)
            if any((connection.scalar(query) or 0) >= limit for query, _, limit in wanted):
                return None
            for _, row, _ in wanted:
                self._insert(connection, row)
            return [row["id"] for _, row, _ in wanted]

        return self._store.change(job)

    def give_back(self, taken: Sequence[str]) -> None:
        """Forgets attempts that were taken and came out well."""
        mine = (_attempt.c.evaluation == self._evaluation) & _attempt.c.id.in_(taken)
        self._store.change(lambda connection: connection.execute(sa.delete(_attempt).where(mine)))

    def _row(self, key: str) -> dict[str, str]:
        now = stamp(self._store.clock())
        return {"evaluation": self._evaluation, "id": token_hex(16), "key_hash": self._hash(key), "at": now}

    def _count(self, key: str, window: timedelta) -> sa.Select[Any]:
        if not timedelta() < window <= KEPT:
            raise UsageError(f"the window is {window}, expected more than nothing and at most {KEPT}")
        now = self._store.clock()
        return sa.select(sa.func.count()).where(
            _attempt.c.evaluation == self._evaluation,
            _attempt.c.key_hash == self._hash(key),
            _attempt.c.at > stamp(now - window),
            _attempt.c.at <= stamp(now + SKEW),
        )

    def _insert(self, connection: Connection, row: dict[str, str]) -> None:
        now = moment(row["at"])
        mine = _attempt.c.evaluation == self._evaluation
        old = (_attempt.c.at <= stamp(now - KEPT)) | (_attempt.c.at > stamp(now + SKEW))
        connection.execute(sa.delete(_attempt).where(mine, old))
        connection.execute(sa.insert(_attempt), [row])

    def _hash(self, key: str) -> str:
        # The secret may have to be made, which a job of the writer must not wait for: never call this in one.
        text = key.encode("utf-8", "backslashreplace")
        return hmac.new(self._store.secret("attempts"), text, hashlib.sha256).hexdigest()


def end_all(connection: Connection, evaluation: str, person: str, *, but: str | None = None) -> int:
    """Deletes a person's sessions, inside a write transaction; all `but` the one of a token."""
    mine = (_session.c.evaluation == evaluation) & (_session.c.person == person)
    if but is not None:
        mine &= _session.c.hash != digest(but)
    return connection.execute(sa.delete(_session).where(mine)).rowcount


def is_open(connection: Connection, evaluation: str, person: str, token: str) -> bool:
    """Whether a session of a person's is still there, inside a write transaction."""
    mine = (_session.c.evaluation == evaluation) & (_session.c.person == person)
    query = sa.select(_session.c.person).where(mine, _session.c.hash == digest(token))
    return connection.scalar(query) is not None


def may_enter(evaluation: str | sa.BindParameter[str]) -> sa.ColumnElement[bool]:
    """That an account of `ACCOUNTS` is active and its person's name was not erased."""
    active = (_account.c.evaluation == evaluation) & (_account.c.state == "active")
    return active & _person.c.erased.is_(None)


_FIND = (  # made once: every request asks it
    sa.select(*_session.c, _person.c.name, _account.c.role)
    .select_from(ACCOUNTS.join(_session, _of_account(_session.c.person, _session.c.evaluation)))
    .where(may_enter(sa.bindparam("evaluation", type_=sa.Text)))
    .where(_session.c.hash == sa.bindparam("hash"), _session.c.expires_at > sa.bindparam("now"))
)


def _seen(evaluation: str, person: str, when: str) -> sa.Update:
    mine = (_account.c.evaluation == evaluation) & (_account.c.person == person)
    return sa.update(_account).where(mine).values(seen_at=when)
