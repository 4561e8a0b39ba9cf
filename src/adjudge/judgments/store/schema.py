"""The tables of judgments, as they are now; migrations/ brings an older database there.

    evaluation   one row each; its last_seq is the counter that events take their numbers from
    person       everybody who judges, with the pseudonym that stands for them outside
    task         what somebody is to do
    event        every answer that was ever saved; rows are added, never changed
    account      who may sign in to the annotation app; of links and passwords only hashes are kept
    session      who is signed in, by the hash of what their browser holds
    attempt      sign-ins that were tried lately, by a keyed hash of who tried
    account_log  who signed in, and what was changed of an account: when, by whom, from where
    secret       keys that the servers of an evaluation share
    edit         every change of tasks that are there: made once each, and told to who keeps tasks in memory

Every key starts with the evaluation, so that evaluations share a database without meeting. Texts that
identify something are compared by code point on both databases, so that orders are the same.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

VERSIONS = ("0001", "0002", "0003", "0004", "0005", "0006")
"""Every released schema, oldest first; the last one is this module's."""

VERSION_TABLE = "alembic_version"

SCHEMA = "adjudge"
"""The schema that holds the tables on PostgreSQL, so that they cannot meet those of another program."""

_Key = Text().with_variant(Text(collation="C"), "postgresql")

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

evaluation = Table(
    "evaluation",
    metadata,
    Column("name", _Key, primary_key=True),
    Column("last_seq", BigInteger, nullable=False),
)

person = Table(
    "person",
    metadata,
    Column("evaluation", _Key, ForeignKey("evaluation.name"), primary_key=True),
    Column("id", _Key, primary_key=True),
    Column("name", Text),
    Column("pseudonym", _Key, nullable=False),
    Column("erased", Text),
    UniqueConstraint("evaluation", "pseudonym"),
)


def _person(column: str) -> ForeignKeyConstraint:
    """A column that names a person. Erasing a name changes the person's id, and all answers follow."""
    return ForeignKeyConstraint(
        ["evaluation", column], ["person.evaluation", "person.id"], onupdate="CASCADE"
    )


task = Table(
    "task",
    metadata,
    Column("evaluation", _Key, ForeignKey("evaluation.name"), primary_key=True),
    Column("id", _Key, primary_key=True),
    Column("assessor", _Key, nullable=False),
    Column("protocol", _Key, nullable=False),
    Column("version", Text, nullable=False),
    Column("topic", _Key, nullable=False),
    Column("peer_system", Text),
    Column("peer_length", BigInteger),
    Column("peer_form", Text),
    Column("reference_system", Text),
    Column("reference_length", BigInteger),
    Column("reference_form", Text),
    Column("left_json", Text),
    Column("right_json", Text),
    Column("hashes", Text, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("phase", BigInteger),
    Column("repeat_of", _Key),
    Column("lease_until", Text),
    Column("lease_by", _Key),
    Column("cancelled", Text),
    Column("renamed", Text),
    Column("asked", Text),
    _person("assessor"),
    _person("lease_by"),
    Index(None, "evaluation", "assessor", "position"),
    Index(None, "evaluation", "topic"),
)

event = Table(
    "event",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("id", _Key, nullable=False),
    Column("task", _Key, nullable=False),
    Column("assessor", _Key, nullable=False),
    Column("question", _Key, nullable=False),
    Column("answer", Text, nullable=False),
    Column("base", BigInteger),
    Column("newer", BigInteger),
    Column("origin", Text, nullable=False),
    Column("client", Text),
    Column("client_n", BigInteger),
    Column("shown_at", Text),
    Column("answered_at", Text),
    Column("took_ms", BigInteger),
    Column("received_at", Text, nullable=False),
    ForeignKeyConstraint(["evaluation", "task"], ["task.evaluation", "task.id"]),
    _person("assessor"),
    # What tells most comes first: a database that has not counted its rows yet picks the right index too.
    UniqueConstraint("id", "evaluation"),
    Index(None, "task", "question", "evaluation", "assessor", "seq"),
)

account = Table(
    "account",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("person", _Key, primary_key=True),
    Column("role", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("token_hash", _Key),
    Column("token_once", Boolean, nullable=False),
    Column("token_made_at", Text),
    Column("token_used_at", Text),
    Column("password_hash", Text),
    Column("made_at", Text, nullable=False),
    Column("seen_at", Text),
    _person("person"),
    UniqueConstraint("evaluation", "token_hash"),
)

session = Table(
    "session",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("hash", _Key, primary_key=True),
    Column("person", _Key, nullable=False),
    Column("made_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("seen_at", Text, nullable=False),
    Column("way", Text),
    _person("person"),
    Index(None, "evaluation", "person"),
)

account_log = Table(
    "account_log",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("n", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    Column("person", _Key),
    Column("what", Text, nullable=False),
    Column("actor", _Key),
    Column("place", Text),
    _person("person"),
    _person("actor"),
    Index(None, "evaluation", "person", "n"),
)

# These two name no row of another table: who only tries to sign in need not wait for those who save answers.
attempt = Table(
    "attempt",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("id", _Key, primary_key=True),
    Column("key_hash", _Key, nullable=False),
    Column("at", _Key, nullable=False),
    Index(None, "evaluation", "key_hash", "at"),
    Index(None, "evaluation", "at"),
)

secret = Table(
    "secret",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("name", _Key, primary_key=True),
    Column("value", Text, nullable=False),
)

edit = Table(
    "edit",
    metadata,
    Column("evaluation", _Key, primary_key=True),
    Column("id", _Key, primary_key=True),
    Column("made_at", Text, nullable=False),
    Column("what", Text, nullable=False),
)
