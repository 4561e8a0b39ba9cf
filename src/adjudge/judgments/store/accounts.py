"""Accounts: who may sign in to the annotation app, as what, and by which link or password (argon2 hashes are kept)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import ClashError, DataError, FormatError, UsageError, nearest, quoted
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.encoding import Row, Stored, check_name, checked, checked_cell, stamp
from adjudge.judgments.store.log import COMMAND, Actor, What, forget_places, note
from adjudge.judgments.store.people import People, Person, find, register
from adjudge.judgments.store.sessions import ACCOUNTS, Proof, digest, end_all, is_open, may_enter, new_token

if TYPE_CHECKING:
    from argon2 import PasswordHasher

    from adjudge.judgments.store.store import Store


SHORTEST, LONGEST = 10, 1000  # characters; the longest, so that nobody makes the server hash a book


@cache
def hasher() -> PasswordHasher:
    """Argon2id with the library's parameters, which grow with its releases."""
    from argon2 import PasswordHasher  # only here: most who open a store check no password

    return PasswordHasher()


def check_password(password: str) -> None:
    """Refuses one that is too short or too long. The message never shows it."""
    n = len(_normal(password))
    if not SHORTEST <= n <= LONGEST:
        raise UsageError(f"the password has {n:,} characters, expected {SHORTEST} to {LONGEST:,}")


def hash_password(password: str) -> str:
    """What is kept of a password; slow on purpose, since people's passwords can be guessed."""
    check_password(password)
    return hasher().hash(_bytes(password))


def password_fits(kept: str | None, password: str) -> bool:
    """Whether a password is the one that was kept; where none was, False after just as much work.

    So the time taken does not tell which names have an account.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    nobodys = _nobodys()  # also where it is not needed: else the first unknown name would take longer
    tried = password if len(_normal(password)) <= LONGEST else ""  # no password is empty
    try:
        hasher().verify(nobodys if kept is None else kept, _bytes(tried))
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


def password_outdated(kept: str) -> bool:
    """Whether a hash was made with other parameters than those of today."""
    return hasher().check_needs_rehash(kept)


@cache
def _nobodys() -> str:
    """The hash of a password that nobody knows."""
    return hasher().hash(new_token())


def _normal(password: str) -> str:
    """One form for what looks the same: keyboards and systems compose accents differently."""
    return unicodedata.normalize("NFC", password)


def _bytes(password: str) -> bytes:
    return _normal(password).encode("utf-8", "surrogatepass")  # whatever a browser may send


Role = Literal["assessor", "organiser"]
ROLES: tuple[Role, ...] = get_args(Role)
State = Literal["active", "suspended"]

ORGANISER = "organiser"
"""The person that the first organiser is, until somebody has a name for them."""

_table, _person = schema.account, schema.person


@dataclass(frozen=True, slots=True)
class Link:
    """A new personal link, which is said once. Whoever holds the token is let in as the person."""

    person: str
    token: str = field(repr=False)

    def url(self, base: str) -> str:
        """The token stands behind the #: browsers do not send that part, so it reaches no log and no Referer."""
        return f"{base.rstrip('/')}/in#{self.token}"


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in, unless suspended. What lets them in is not part of it."""

    person: str
    name: str | None
    role: Role
    state: State
    made_at: str
    link_made_at: str | None
    link_used_at: str | None
    link_once: bool
    has_password: bool
    seen_at: str | None

    @property
    def active(self) -> bool:
        return self.state == "active"


class Accounts:
    """The accounts of one evaluation."""

    def __init__(self, store: Store):
        self._store = store
        self._evaluation = store.evaluation

    def add(
        self, person_id: str, role: str = "assessor", name: str | None = None, *, actor: Actor = COMMAND
    ) -> Link:
        """An account for a person, who is added where they are not known yet, and their link."""
        if role not in ROLES:
            raise UsageError(f"the role is {quoted(role)}, expected one of: {', '.join(ROLES)}")
        check_name("id", person_id)
        token = new_token()

        def job(connection: Connection) -> Link:
            lock(connection, self._evaluation)
            self._refuse(connection, person_id)
            self._store.people.put(connection, person_id, name)
            self._insert(connection, person_id, role, token)
            self._note(connection, person_id, "account made", actor)
            return Link(person_id, token)

        return self._store.change(job)

    def all(self) -> list[Account]:
        """All accounts, by the person's id."""
        query = self._query().order_by(_table.c.person)
        with self._store.database.reading() as connection:
            return [_account_of(row) for row in connection.execute(query).mappings()]

    def get(self, id: str) -> Account:
        with self._store.database.reading() as connection:
            return _account_of(self._row(connection, id))

    def suspend(self, id: str, *, actor: Actor = COMMAND) -> Account:
        """Keeps a person out, at once: the link stops working, sessions end, and the password is forgotten."""
        return self._set_state(id, "suspended", actor)

    def restore(self, id: str, *, actor: Actor = COMMAND) -> Account:
        """Lets a suspended person in again, by the link they had."""
        return self._set_state(id, "active", actor)

    def renew_link(
        self, id: str, once: bool = False, *, actor: Actor = COMMAND, stay: str | None = None
    ) -> str:
        """A new link's token; the old link stops working. `once`: it lets in one time.

        Sessions end and the password is forgotten: whoever got hold of the old link may have begun the ones and set the
        other. `stay` is the token of a session that goes on, for whoever renews their own link.
        """
        token = new_token()

        def job(connection: Connection) -> str:
            lock(connection, self._evaluation)
            self._row(connection, id)
            connection.execute(self._update(id).values(password_hash=None, **self._token(token, once=once)))
            end_all(connection, self._evaluation, id, but=stay)
            self._note(connection, id, "new link, sessions and password ended", actor)
            return token

        return self._store.change(job)

    def by_token(self, token: str, now: datetime | None = None) -> Account | None:
        """Whose link it is; None where it is nobody's, was used up, or is of somebody who may not enter.

        That a one-time link was not used before and is used now is one statement: of two at once, one gets in.
        """
        mine = _table.c.token_hash == digest(token)
        with self._store.database.reading() as connection:  # a wrong token costs nobody a write
            row = connection.execute(self._query(may_enter(self._evaluation), mine)).mappings().first()
        if row is None:
            return None
        used = stamp(now or self._store.clock())

        def job(connection: Connection) -> Account | None:
            unused = ~_table.c.token_once | _table.c.token_used_at.is_(None)
            here = (_table.c.evaluation == self._evaluation) & (_table.c.state == "active")
            use = sa.update(_table).where(here, mine, unused).values(token_used_at=used)
            if not connection.execute(use).rowcount:
                return None
            return _account_of(connection.execute(self._query(mine)).mappings().one())

        return self._store.change(job)

    def set_password(
        self, id: str, password: str, *, actor: Actor = COMMAND, session: str | None = None
    ) -> Account:
        """A password, beside the link or in place of one that was forgotten. All sessions end but the one given.

        That one is the token of whoever sets their own; if it ended meanwhile, nothing is set.
        """
        kept = hash_password(password)  # slow: before anything is locked

        def job(connection: Connection) -> Account:
            lock(connection, self._evaluation)
            self._row(connection, id)
            if session is not None and not is_open(connection, self._evaluation, id, session):
                raise DataError("the session ended before the password was set")
            connection.execute(self._update(id).values(password_hash=kept))
            end_all(connection, self._evaluation, id, but=session)
            self._note(connection, id, "password set", actor)
            return _account_of(self._row(connection, id))

        return self._store.change(job)

    def check_password(self, id: str, password: str) -> Account | None:
        """The account, where it is active and the password is right."""
        return None if self.prove(id, password) is None else self.get(id)

    def prove(self, id: str, password: str) -> Proof | None:
        """What begins a session, where the account is active and the password is right.

        A name that nobody has, or that has no password, takes as long as a wrong password.
        """
        row = self._entering(id)
        kept: str | None = None if row is None else row["password_hash"]
        if not password_fits(kept, password) or row is None or kept is None:
            return None
        if password_outdated(kept):
            better = self._update(id).where(_table.c.password_hash == kept)  # unless it was changed just now
            new = hash_password(password)
            self._store.change(lambda connection: connection.execute(better.values(password_hash=new)))
            kept = new
        return Proof("password", kept)

    def first_organiser_link(self, person: str = ORGANISER) -> str | None:
        """A one-time link for the first organiser; None once an organiser has, or had, another way in.

        Asked again before it was used, it gives a new link, and the old one stops working.
        """
        check_name("id", person)
        token = new_token()

        def job(connection: Connection) -> str | None:
            lock(connection, self._evaluation)
            query = self._query(_table.c.role == "organiser")
            organisers = [_account_of(row) for row in connection.execute(query).mappings()]
            if not organisers:
                self._refuse(connection, person)
                register(connection, self._evaluation, [person])
                self._insert(connection, person, "organiser", token, once=True)
                self._note(connection, person, "account made", COMMAND)
                return token
            first = organisers[0]
            waiting = first.active and first.link_once and not first.link_used_at and not first.has_password
            if len(organisers) > 1 or not waiting:
                return None
            connection.execute(self._update(first.person).values(**self._token(token, once=True)))
            self._note(connection, first.person, "new link, sessions and password ended", COMMAND)
            return token

        return self._store.change(job)

    def forget(self, id: str) -> None:
        """Removes a person's account, if there is one: link, password, sessions, and where they signed in from."""

        def job(connection: Connection) -> None:
            lock(connection, self._evaluation)
            end_all(connection, self._evaluation, id)
            mine = (_table.c.evaluation == self._evaluation) & (_table.c.person == id)
            if connection.execute(sa.delete(_table).where(mine)).rowcount:
                self._note(connection, id, "account removed", COMMAND)
            forget_places(connection, self._evaluation, id)

        self._store.change(job)

    def _set_state(self, id: str, state: State, actor: Actor) -> Account:
        def job(connection: Connection) -> Account:
            lock(connection, self._evaluation)
            self._row(connection, id)
            connection.execute(self._update(id).values(state=state))
            if state == "suspended":
                connection.execute(self._update(id).values(password_hash=None))
                end_all(connection, self._evaluation, id)
                self._note(connection, id, "suspended, sessions and password ended", actor)
            else:
                self._note(connection, id, "let in again", actor)
            return _account_of(self._row(connection, id))

        return self._store.change(job)

    def _note(self, connection: Connection, id: str, what: What, actor: Actor) -> None:
        note(connection, self._evaluation, stamp(self._store.clock()), id, what, actor)

    def _refuse(self, connection: Connection, id: str) -> None:
        """Whoever has an account, or had a name that was erased, gets no new one."""
        person = find(connection, self._evaluation, id)
        if person is not None and person.erased is not None:
            raise DataError(f"person {quoted(id)}: the name was erased; they cannot sign in any more")
        if (row := connection.execute(self._query(_table.c.person == id)).mappings().first()) is not None:
            raise ClashError(f"person {quoted(id)}: has an account already, as {row['role']}")

    def _insert(self, connection: Connection, id: str, role: str, token: str, *, once: bool = False) -> None:
        row = {
            "evaluation": self._evaluation,
            "person": id,
            "role": role,
            "state": "active",
            "password_hash": None,
            "made_at": stamp(self._store.clock()),
            "seen_at": None,
        }
        connection.execute(sa.insert(_table), [row | self._token(token, once=once)])

    def _token(self, token: str, *, once: bool) -> Row:
        made = stamp(self._store.clock())
        return {"token_hash": digest(token), "token_once": once, "token_made_at": made, "token_used_at": None}

    def _query(self, *which: sa.ColumnElement[bool]) -> sa.Select[Any]:
        here = _table.c.evaluation == self._evaluation
        return sa.select(*_table.c, _person.c.name).select_from(ACCOUNTS).where(here, *which)

    def _entering(self, id: str) -> Stored | None:
        """The row of somebody who may sign in; anything may have been typed as a name."""
        try:
            check_name("id", id)
        except FormatError:
            return None
        query = self._query(may_enter(self._evaluation), _table.c.person == id)
        with self._store.database.reading() as connection:
            row = connection.execute(query).mappings().first()
            return None if row is None else checked("account", row)

    def _row(self, connection: Connection, id: str) -> sa.RowMapping:
        check_name("id", id)
        row = connection.execute(self._query(_table.c.person == id)).mappings().first()
        if row is None:
            people = connection.scalars(
                sa.select(_table.c.person).where(_table.c.evaluation == self._evaluation)
            )
            raise DataError(f"{quoted(id)} has no account{nearest(id, map(str, people))}")
        return row

    def _update(self, id: str) -> sa.Update:
        return sa.update(_table).where(_table.c.evaluation == self._evaluation, _table.c.person == id)


class PeopleWithAccounts(People):
    """People of whom some may sign in."""

    def erase_name(self, id: str) -> Person:
        """As People does; the account goes first, so that a name is never gone while its link still works."""
        self.get(id)  # whoever is not there is refused before anything changes
        self._store.accounts.forget(id)
        return super().erase_name(id)


def _account_of(row: sa.RowMapping) -> Account:
    """The account of a row that was read."""
    checked("account", row)
    if row["name"] is not None:
        checked_cell("person", "name", row["name"], row["person"])
    return Account(
        person=row["person"],
        name=row["name"],
        role=row["role"],
        state=row["state"],
        made_at=row["made_at"],
        link_made_at=row["token_made_at"],
        link_used_at=row["token_used_at"],
        link_once=row["token_once"],
        has_password=row["password_hash"] is not None,
        seen_at=row["seen_at"],
    )
