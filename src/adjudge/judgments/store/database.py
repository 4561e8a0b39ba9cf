"""Connections to a database of judgments: how SQLite and PostgreSQL are opened, and their errors in words.

What is asked of them lives in store.py. Reading and writing have engines of their own: readers see one
snapshot and cannot write; a write transaction takes its lock at the start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from adjudge.errors import AdjudgeError, BusyError, DataError, FormatError, UsageError, quoted
from adjudge.judgments.store import migrations
from adjudge.judgments.store.filesystems import refuse_network
from adjudge.judgments.store.schema import SCHEMA
from adjudge.judgments.tasks import FILE

PATIENCE = 60.0  # seconds that a writer waits for other processes


class Database:
    """One database, opened and of the present schema."""

    def __init__(self, url: URL, *, patience: float = PATIENCE):
        self.url = url
        self.patience = patience
        self.place = str(url.database) if self.is_file else url.render_as_string(hide_password=True)
        make = self._sqlite if self.is_file else self._postgresql
        self._reader, self._writer = make(writing=False), make(writing=True)
        self._pid = os.getpid()
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @property
    def is_file(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with self._in_words(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is committed, to the disk, when the block ends well."""
        with self._in_words(), self._writer.begin() as connection:
            yield connection

    def scrub(self) -> None:
        """On SQLite, empties the log, where texts that were overwritten in the file may still stand."""
        if self.is_file:
            with self._in_words(), self._writer.connect() as connection:
                connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Gives all connections back. In a process that was forked off they are dropped, not closed."""
        mine = os.getpid() == self._pid
        self._reader.dispose(close=mine)
        self._writer.dispose(close=mine)

    def check_process(self) -> None:
        """Connections and threads do not survive a fork."""
        if os.getpid() != self._pid:
            raise UsageError(f"{self.place}: opened in another process; open it anew in this one")

    def _open(self) -> None:
        with self.reading() as connection:
            current = migrations.is_current(connection, self.place)
        if not current:
            with self.writing() as connection:
                migrations.upgrade(connection, self.place)

    def _sqlite(self, *, writing: bool) -> Engine:
        engine = sa.create_engine(
            self.url,
            connect_args={"timeout": self.patience, "check_same_thread": False},
            pool_size=8,
            max_overflow=-1,
        )

        def settle(connection: Any, record: object) -> None:
            connection.isolation_level = None  # SQLAlchemy begins; the driver would do it too late
            run = connection.execute
            try:
                _keep_log(run, self)
                run("PRAGMA synchronous = FULL")
                run("PRAGMA fullfsync = ON")  # macOS: without it a flush stops at the drive's own memory
                run("PRAGMA foreign_keys = ON")
                run("PRAGMA secure_delete = ON")  # what is overwritten, such as an erased name, is gone
                run(f"PRAGMA query_only = {'OFF' if writing else 'ON'}")
            except BaseException:
                connection.close()  # SQLAlchemy 2.0 would leave it open
                raise

        # A deferred transaction that reads first and writes later fails when another one wrote in between,
        # however long it would wait.
        begin = "BEGIN IMMEDIATE" if writing else "BEGIN"
        event.listen(engine, "connect", settle)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        return engine

    def _postgresql(self, *, writing: bool) -> Engine:
        # Writers must see what was committed while they waited for the counter; readers, one state.
        level = "READ COMMITTED" if writing else "REPEATABLE READ"
        try:
            engine = sa.create_engine(
                self.url,
                isolation_level=level,
                pool_pre_ping=True,
                max_overflow=20,
                connect_args={} if "connect_timeout" in self.url.query else {"connect_timeout": 10},
            )
        except ModuleNotFoundError:
            raise UsageError(
                f'{self.place}: PostgreSQL needs an extra: pip install "adjudge[postgres]"'
            ) from None

        def settle(connection: Any, record: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute(f"SET search_path TO {SCHEMA}")
                cursor.execute(f"SET lock_timeout TO '{int(self.patience * 1000)}ms'")
                cursor.execute("SHOW synchronous_commit")
                if cursor.fetchone() == ("off",):  # else an acknowledged answer could be lost in a crash
                    cursor.execute("SET synchronous_commit TO on")
            connection.commit()

        event.listen(engine, "connect", settle)
        return engine

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            plain = self._plain(error)
            if plain is None:
                raise
            raise plain from error

    def _plain(self, error: SQLAlchemyError) -> AdjudgeError | None:
        """What a person can put right, as one line; None for a mistake of the program."""
        if isinstance(error, PoolTimeout):
            return BusyError(f"{self.place}: all connections are in use; try again")
        if not isinstance(error, DBAPIError):
            return None
        said = next(iter(str(error.orig).strip().splitlines()), type(error.orig).__name__)
        if self.is_file:
            return self._plain_sqlite(said)
        state = getattr(error.orig, "sqlstate", None)
        if state == "55P03":  # lock_not_available
            return BusyError(
                f"{self.place}: somebody else has been writing for {self.patience:g} s; try again"
            )
        if isinstance(error, sa.exc.OperationalError) or state in ("42501", "3F000", "25006"):
            return DataError(f"{self.place}: PostgreSQL says: {said}")
        return None

    def _plain_sqlite(self, said: str) -> AdjudgeError | None:
        if "locked" in said or "busy" in said:
            return BusyError(
                f"{self.place}: somebody else has been writing for {self.patience:g} s; try again"
            )
        if "not a database" in said or "malformed" in said:
            return FormatError(f"not a database of judgments, or a damaged one ({said})", file=self.place)
        if any(word in said for word in ("unable to open", "readonly", "disk", "full")):
            return DataError(f"{self.place}: cannot be read or written: {said}")
        return None


def _keep_log(run: Callable[[str], Any], database: Database) -> None:
    """Write-ahead logging. Switching it on needs the file alone, and SQLite does not wait for that itself."""
    deadline = time.monotonic() + database.patience
    while True:
        try:
            mode = run("PRAGMA journal_mode").fetchone()[0]
            if mode != "wal" and run("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise DataError(f"{database.place}: SQLite cannot keep a write-ahead log here")
            return
        except Exception as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def address(where: Path | str, *, network: bool = False) -> URL:
    """Where judgments are kept: a folder, a file of SQLite, or the address of a PostgreSQL database."""
    if isinstance(where, str) and "://" in where:
        return _server(where)
    path = Path(where)
    if path.is_dir():
        path = path / FILE
    elif not path.parent.is_dir():
        raise DataError(f"{path.parent}: no such folder")
    elif not path.suffix:
        raise DataError(f"{path}: no such folder")
    refuse_network(path, allowed=network)
    return URL.create("sqlite", database=str(path))


def _server(where: str) -> URL:
    try:
        url = sa.make_url(where)
    except (sa.exc.ArgumentError, ValueError):
        # The address may hold a password: it is not shown.
        raise UsageError(
            "the database's address cannot be read; expected postgresql://USER@HOST/NAME"
        ) from None
    if url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise UsageError(
            f"{quoted(url.drivername)} databases are not known; expected postgresql://USER@HOST/NAME"
        )
    return url.set(drivername="postgresql+psycopg")
