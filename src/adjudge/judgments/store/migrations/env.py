"""What Alembic runs to take the steps; the connection comes from `upgrade`, and so does the transaction."""

from __future__ import annotations

from alembic import context

from adjudge.judgments.store.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
context.run_migrations()
