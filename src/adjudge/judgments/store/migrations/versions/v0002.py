"""The second schema: accounts, sessions, attempts to sign in, shared secrets. Nothing of the first changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# Written out, not taken from schema.py: that one moves on, this step stays.
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("person", Key, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("token_hash", Key),
        sa.Column("token_once", sa.Boolean, nullable=False),
        sa.Column("token_made_at", sa.Text),
        sa.Column("token_used_at", sa.Text),
        sa.Column("password_hash", sa.Text),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text),
        sa.PrimaryKeyConstraint("evaluation", "person", name="pk_account"),
        _person("account"),
        sa.UniqueConstraint("evaluation", "token_hash", name="uq_account_evaluation_token_hash"),
    )
    op.create_table(
        "session",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("hash", Key, nullable=False),
        sa.Column("person", Key, nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("evaluation", "hash", name="pk_session"),
        _person("session"),
    )
    op.create_index("ix_session_evaluation_person", "session", ["evaluation", "person"])
    op.create_table(
        "attempt",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("id", Key, nullable=False),
        sa.Column("key_hash", Key, nullable=False),
        sa.Column("at", Key, nullable=False),
        sa.PrimaryKeyConstraint("evaluation", "id", name="pk_attempt"),
    )
    op.create_index("ix_attempt_evaluation_key_hash_at", "attempt", ["evaluation", "key_hash", "at"])
    op.create_index("ix_attempt_evaluation_at", "attempt", ["evaluation", "at"])
    op.create_table(
        "secret",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("name", Key, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("evaluation", "name", name="pk_secret"),
    )


def _person(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["evaluation", "person"],
        ["person.evaluation", "person.id"],
        name=f"fk_{table}_person_evaluation_person",
        onupdate="CASCADE",
    )
