"""The sixth schema: what a task asks of its texts, where the protocol alone does not say it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task", sa.Column("asked", sa.Text))
