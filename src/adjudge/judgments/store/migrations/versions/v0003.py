"""The third schema: tasks that are cancelled or whose systems were renamed, and which edits of the texts did that."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# Written out, not taken from schema.py: that one moves on, this step stays.
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("task", sa.Column("cancelled", sa.Text))
    op.add_column("task", sa.Column("renamed", sa.Text))
    op.create_table(
        "edit",
        sa.Column("evaluation", Key, nullable=False),
        sa.Column("id", Key, nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("evaluation", "id", name="pk_edit"),
    )
