"""The people who judge: who they are, their pseudonyms, and how a name is erased."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import ClashError, DataError, nearest, quoted
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock, present
from adjudge.judgments.store.encoding import Row, check_line, check_name, check_time, checked, stamp

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store


_table = schema.person


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who judges. `erased` is when the name was erased."""

    id: str
    name: str | None
    pseudonym: str
    erased: str | None = None


class People:
    """The people of one evaluation."""

    def __init__(self, store: Store):
        self._store = store
        self._evaluation = store.evaluation

    def add(self, id: str, name: str | None = None, *, pseudonym: str | None = None) -> Person:
        """A person who judges. Adding somebody again fills in what was open and refuses what contradicts."""
        return self._store.change(lambda connection: self.put(connection, id, name, pseudonym))

    def put(
        self, connection: Connection, id: str, name: str | None = None, pseudonym: str | None = None
    ) -> Person:
        """The same within a change that does more."""
        person = Person(id, name, pseudonym or new_pseudonym())
        check_person(person)
        lock(connection, self._evaluation)
        there = find(connection, self._evaluation, id)
        if there is None:
            refuse_taken(connection, self._evaluation, person)
            connection.execute(sa.insert(_table), [person_row(person, self._evaluation)])
            return person
        if name not in (None, there.name) and there.name is not None:
            raise ClashError(f"person {quoted(id)}: is here already, as {quoted(there.name)}")
        if pseudonym not in (None, there.pseudonym):
            raise ClashError(f"person {quoted(id)}: has the pseudonym {quoted(there.pseudonym)} already")
        filled = replace(there, name=there.name if name is None else name)
        connection.execute(self._update(id).values(name=filled.name))
        return filled

    def all(self) -> list[Person]:
        """Everybody, by id."""
        query = sa.select(_table).where(_table.c.evaluation == self._evaluation).order_by(_table.c.id)
        with self._store.database.reading() as connection:
            return [person_of(row) for row in connection.execute(query).mappings()]

    def get(self, id: str) -> Person:
        with self._store.database.reading() as connection:
            person = find(connection, self._evaluation, id)
        if person is None:
            raise DataError(f"no person {quoted(id)}{nearest(id, (other.id for other in self.all()))}")
        return person

    def pseudonym(self, id: str) -> str:
        """The name that a person has in exports."""
        return self.get(id).pseudonym

    def set_pseudonym(self, id: str, pseudonym: str) -> Person:
        """Another pseudonym; the id itself where it says nothing of the person."""
        person = replace(self.get(id), pseudonym=pseudonym)
        check_person(person)

        def job(connection: Connection) -> Person:
            lock(connection, self._evaluation)
            refuse_taken(connection, self._evaluation, person)
            connection.execute(self._update(id).values(pseudonym=pseudonym))
            return person

        return self._store.change(job)

    def erase_name(self, id: str) -> Person:
        """Forgets who a person is. The answers stay, under the pseudonym, which becomes the person's id.

        The id goes too, since it may well be the name. Comments that name somebody are answers: they stay.
        """
        before = self.get(id)

        def job(connection: Connection) -> Person:
            lock(connection, self._evaluation)
            after = Person(
                before.pseudonym, None, before.pseudonym, before.erased or stamp(self._store.clock())
            )
            connection.execute(self._update(id).values(id=after.id, name=None, erased=after.erased))
            return after

        after = self._store.change(job)
        self._store.database.scrub()
        return after

    def _update(self, id: str) -> sa.Update:
        return sa.update(_table).where(_table.c.evaluation == self._evaluation, _table.c.id == id)


def new_pseudonym() -> str:
    return f"p-{secrets.token_hex(5)}"


def check_person(person: Person) -> None:
    """Both databases can hold it, or the reason why not."""
    check_name("id", person.id)
    check_name("pseudonym", person.pseudonym)
    if person.name is not None:
        check_line("name", person.name)
    if person.erased is not None:
        check_time("erased", person.erased)


def register(connection: Connection, evaluation: str, ids: Iterable[str]) -> None:
    """Adds those who are named and not there yet, as persons without a name."""
    wanted = set(ids)
    missing = sorted(wanted - present(connection, _table.c.id, evaluation, wanted))
    for id in missing:
        person = Person(id, None, new_pseudonym())
        refuse_taken(connection, evaluation, person)
        connection.execute(sa.insert(_table), [person_row(person, evaluation)])


def find(connection: Connection, evaluation: str, id: str) -> Person | None:
    query = sa.select(_table).where(_table.c.evaluation == evaluation, _table.c.id == id)
    row = connection.execute(query).mappings().first()
    return None if row is None else person_of(row)


def refuse_taken(connection: Connection, evaluation: str, person: Person) -> None:
    """An id and a pseudonym mean one person each: after erasing, the latter becomes the former."""
    here = _table.c.evaluation == evaluation
    others = sa.select(_table.c.id, _table.c.pseudonym).where(here, _table.c.id != person.id)
    for other in (person.id, person.pseudonym):
        taken = others.where((_table.c.id == other) | (_table.c.pseudonym == other))
        if (row := connection.execute(taken).first()) is not None:
            raise ClashError(
                f"person {quoted(person.id)}: {quoted(other)} stands for {quoted(row[0])} already"
            )


def person_row(person: Person, evaluation: str) -> Row:
    return {
        "evaluation": evaluation,
        "id": person.id,
        "name": person.name,
        "pseudonym": person.pseudonym,
        "erased": person.erased,
    }


def person_of(row: sa.RowMapping) -> Person:
    """The person of a row that was read."""
    checked("person", row)
    return Person(row["id"], row["name"], row["pseudonym"], row["erased"])
