"""Brings a database to the present schema. The steps are in versions/, one module each; see schema.py.

An empty database gets the tables of schema.py at once: that they are what the steps lead to is tested.
A new schema is a new module in versions/, its number at the end of `schema.VERSIONS`, its shape in schemas.json, and a
fixture of it in tests/judgments/data.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, text

from adjudge.core.errors import DataError, FormatError
from adjudge.judgments.store.schema import SCHEMA, VERSION_TABLE, VERSIONS, metadata

STEPS = Path(__file__).parent
_LOCK = 0x41646A75646765  # "Adjudge": the key of PostgreSQL's advisory lock while the schema changes


def is_current(connection: Connection, place: str, *, versions: Sequence[str] = VERSIONS) -> bool:
    """Whether the database has the present schema. One that is newer than this program is refused."""
    return _version(connection, place, versions) == versions[-1]


def upgrade(
    connection: Connection, place: str, *, versions: Sequence[str] = VERSIONS, steps: Path = STEPS
) -> None:
    """Takes the steps that are missing, in the write transaction that `connection` is in.

    Of several processes that open an old database at once, one does it; the others wait and find it done.
    SQLite's write transaction is the lock there, an advisory lock on PostgreSQL.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        encoding = connection.scalar(text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise DataError(f"{place}: the database's encoding is {encoding}, expected UTF8")
    version = _version(connection, place, versions)
    if version is None and versions is VERSIONS:
        _create(connection)
    elif version != versions[-1]:
        take_steps(connection, to=versions[-1], steps=steps)


def take_steps(connection: Connection, *, to: str = VERSIONS[-1], steps: Path = STEPS) -> None:
    from alembic import command  # only here: it is slow to load, and mostly not needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(steps).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _create(connection: Connection) -> None:
    """All tables, and Alembic's, which says that no step is left to take."""
    metadata.create_all(connection, checkfirst=False)
    version = Table(
        VERSION_TABLE,
        MetaData(),
        Column("version_num", String(32), nullable=False),
        PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
    )
    version.create(connection)
    connection.execute(version.insert().values(version_num=VERSIONS[-1]))


def _version(connection: Connection, place: str, versions: Sequence[str]) -> str | None:
    """The schema's version; None where there are no tables yet."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if VERSION_TABLE not in tables:
        raise FormatError(f"{place}: a database, but not of judgments: it has no {VERSION_TABLE}")
    version = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
    if version not in versions:
        raise DataError(
            f"{place}: written by a newer Adjudge (schema {version}, this one knows {versions[-1]}); upgrade Adjudge"
        )
    return str(version)
