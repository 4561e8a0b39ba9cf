"""What is drawn at random: tokens, of which only hashes are kept, and secrets that an evaluation's servers share.

Whom a token lets in is decided in accounts.py and sessions.py.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from adjudge.judgments.store import schema
from adjudge.judgments.store.encoding import check_name

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store

BYTES = 32  # 256 bits


def new_token() -> str:
    """43 characters that may stand in an address and that nobody can guess."""
    return secrets.token_urlsafe(BYTES)


def digest(token: str) -> str:
    """What is kept of a token, and what it is looked up by.

    SHA-256 is enough, and needs no salt and no slowness: those protect what people choose. Of 2^256 tokens that
    are drawn evenly none can be found by trying. Looking up the hash takes a time that depends on the hash
    alone, from which nobody can steer towards a token that exists, so no comparison of tokens is left to time.
    """
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


class Secrets:
    """The secrets of one evaluation, by name. They stay in the database and reach no browser."""

    def __init__(self, store: Store):
        self._store = store
        self._known: dict[str, bytes] = {}

    def get(self, name: str) -> bytes:
        """32 bytes, drawn when they are first asked for and the same ever after, in every process."""
        if name not in self._known:
            check_name("name", name)
            self._known[name] = bytes.fromhex(self._stored(name) or self._store.change(self._make(name)))
        return self._known[name]

    def _stored(self, name: str) -> str | None:
        with self._store.database.reading() as connection:
            return _value(connection, self._store.evaluation, name)

    def _make(self, name: str) -> Any:
        """A job that makes the secret. Of several who come first, one does; the others wait and take that one."""
        row = {"evaluation": self._store.evaluation, "name": name, "value": secrets.token_hex(BYTES)}

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
    return value
