"""The fifth schema: a log of sign-ins and of changes to accounts, and how a session was begun."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Written out, not taken from schema.py: that one moves on, this step stays.
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("session", sa.Column("way", sa.Text))
    op.create_table(
        "account_log",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("n", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("person", Key),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("actor", Key),
        sa.Column("place", sa.Text),
        sa.PrimaryKeyConstraint("evaluation", "n", name="pk_account_log"),
        _person("person"),
        _person("actor"),
    )
    op.create_index("ix_account_log_evaluation_person_n", "account_log", ["evaluation", "person", "n"])


def _person(column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["evaluation", column],
        ["person.evaluation", "person.id"],
        name=f"fk_account_log_person_evaluation_{column}",
        onupdate="CASCADE",
    )
