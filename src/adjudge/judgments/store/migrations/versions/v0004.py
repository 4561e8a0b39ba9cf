"""The fourth schema: the forms of the summaries that a task shows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task", sa.Column("peer_form", sa.Text))
    op.add_column("task", sa.Column("reference_form", sa.Text))
