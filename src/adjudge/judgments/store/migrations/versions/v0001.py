"""The first schema: evaluations, people, tasks, events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Written out, not taken from schema.py: that one moves on, this step stays.
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "evaluation",
        sa.Column("name", Key, nullable=False),
        sa.Column("last_seq", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_evaluation"),
    )
    op.create_table(
        "person",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("id", Key, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("pseudonym", Key, nullable=False),
        sa.Column("erased", sa.Text),
        sa.PrimaryKeyConstraint("evaluation", "id", name="pk_person"),
        _evaluation("person"),
        sa.UniqueConstraint("evaluation", "pseudonym", name="uq_person_evaluation_pseudonym"),
    )
    _create_task()
    op.create_table(
        "event",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("id", Key, nullable=False),
        sa.Column("task", Key, nullable=False),
        sa.Column("assessor", Key, nullable=False),
        sa.Column("question", Key, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("base", sa.BigInteger),
        sa.Column("newer", sa.BigInteger),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("client", sa.Text),
        sa.Column("client_n", sa.BigInteger),
        sa.Column("shown_at", sa.Text),
        sa.Column("answered_at", sa.Text),
        sa.Column("took_ms", sa.BigInteger),
        sa.Column("received_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("evaluation", "seq", name="pk_event"),
        sa.ForeignKeyConstraint(
            ["evaluation", "task"], ["task.evaluation", "task.id"], name="fk_event_task_evaluation_task"
        ),
        _person("event", "assessor"),
        sa.UniqueConstraint("id", "evaluation", name="uq_event_id_evaluation"),
    )
    op.create_index(
        "ix_event_task_question_evaluation_assessor_seq",
        "event",
        ["task", "question", "evaluation", "assessor", "seq"],
    )


def _create_task() -> None:
    op.create_table(
        "task",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("id", Key, nullable=False),
        sa.Column("assessor", Key, nullable=False),
        sa.Column("protocol", Key, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("topic", Key, nullable=False),
        sa.Column("peer_system", sa.Text),
        sa.Column("peer_length", sa.BigInteger),
        sa.Column("reference_system", sa.Text),
        sa.Column("reference_length", sa.BigInteger),
        sa.Column("left_json", sa.Text),
        sa.Column("right_json", sa.Text),
        sa.Column("hashes", sa.Text, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("phase", sa.BigInteger),
        sa.Column("repeat_of", Key),
        sa.Column("lease_until", sa.Text),
        sa.Column("lease_by", Key),
        sa.PrimaryKeyConstraint("evaluation", "id", name="pk_task"),
        _evaluation("task"),
        _person("task", "assessor"),
        _person("task", "lease_by"),
    )
    op.create_index("ix_task_evaluation_assessor_position", "task", ["evaluation", "assessor", "position"])
    op.create_index("ix_task_evaluation_topic", "task", ["evaluation", "topic"])


def _evaluation(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["evaluation"], ["evaluation.name"], name=f"fk_{table}_evaluation_evaluation"
    )


def _person(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["evaluation", column],
        ["person.evaluation", "person.id"],
        name=f"fk_{table}_person_evaluation_{column}",
        onupdate="CASCADE",
    )
