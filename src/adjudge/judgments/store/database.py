"""Connections to a database of judgments: how SQLite and PostgreSQL are opened, and their errors in words."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from adjudge.core.engine import chunked
from adjudge.core.errors import (
    AdjudgeError,
    BusyError,
    DataError,
    FormatError,
    StoreUnavailable,
    UsageError,
    quoted,
)
from adjudge.judgments.store import guard, migrations, schema
from adjudge.judgments.store.encoding import BadCell, checked_cell
from adjudge.judgments.store.faults import faults
from adjudge.judgments.store.readonly import copy_with_log, is_read_only, uri_to_read
from adjudge.judgments.store.schema import SCHEMA
from adjudge.judgments.tasks import FILE

# File systems: SQLite's locks and shared memory do not hold on those of a network

OVERRIDE = "ADJUDGE_ALLOW_NETWORK_FILES"
_NETWORK = """
    9p afpfs afs beegfs ceph cifs coda davfs davfs2 drvfs ftp gfs2 glusterfs gpfs lustre ncpfs nfs nfs3 nfs4 ocfs2
    orangefs pvfs2 smb smb2 smb3 smbfs vboxsf vmhgfs webdav
"""
_NETWORK_FUSE = """
    afuse ceph-fuse curlftpfs davfs2 gcsfuse glusterfs goofys google-drive-ocamlfuse gvfsd-fuse httpfs juicefs lustre
    mount-s3 moosefs rclone s3fs s3ql seaweedfs smbnetfs sshfs vmhgfs-fuse
"""


class NetworkFiles(UserWarning):
    """Judgments are kept on a network file system, which was allowed explicitly."""


def refuse_network(path: Path, *, allowed: bool = False) -> None:
    """Raises for a place on a network file system; warns instead where that was allowed."""
    kind = network_kind(path)
    if kind is None:
        return
    problem = f"{path}: on a network file system ({kind}), where SQLite loses data"
    if not allowed and os.environ.get(OVERRIDE, "") in ("", "0"):
        raise DataError(
            f"{problem}; keep the evaluation on a local disk or use PostgreSQL"
            f" (or set {OVERRIDE}=1 and answer for it)"
        )
    warnings.warn(f"{problem}; this was allowed", NetworkFiles, stacklevel=2)


def network_kind(path: Path) -> str | None:
    """The kind of network file system that holds `path`; None where it is local, or where nothing can be learnt."""
    place = path.resolve()
    if sys.platform == "win32":
        import ctypes

        remote = ctypes.windll.kernel32.GetDriveTypeW(place.anchor) == 4  # DRIVE_REMOTE
        return "a share" if place.drive.startswith("\\\\") else "a network drive" if remote else None
    kind = _kind_at(place, _mounts())
    return kind if kind is not None and is_network(kind) else None


def is_network(kind: str) -> bool:
    """Whether a type of file system, as the mount table names it, is one of the network."""
    prefix, _, name = kind.lower().rpartition(".")
    return name in _NETWORK_FUSE.split() or (prefix != "fuse" and name in _NETWORK.split())


def _kind_at(place: Path, mounts: Iterable[tuple[str, str]]) -> str | None:
    """The type of the mount that a path is on: the longest one above it, of equals the last, which hides others."""
    above = [(len(point), kind) for point, kind in mounts if place.is_relative_to(point)]
    return max(reversed(above), key=lambda mount: mount[0])[1] if above else None


def _mounts() -> list[tuple[str, str]]:
    """Mount points and their types, as Linux and macOS tell them; nothing where they do not."""
    try:
        if sys.platform == "darwin":
            done = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=True, timeout=10)
            return parse_mount(done.stdout)
        table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        return parse_mountinfo(table)
    except (OSError, subprocess.SubprocessError):
        return []


def parse_mountinfo(text: str) -> list[tuple[str, str]]:
    """Of Linux's table the fifth field, where space and backslash are octal, and the first after a lone dash."""
    mounts = re.findall(r"^(?:\S+ ){4}(\S+) .*? - (\S+)", text, re.MULTILINE)
    return [(re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), point), kind) for point, kind in mounts]


def parse_mount(text: str) -> list[tuple[str, str]]:
    """Of macOS's table: `//ann@host/share on /Volumes/share (smbfs, nodev)`."""
    return re.findall(r"^.*? on (/.*) \(([^,)]+)", text, re.MULTILINE)


# Connections

PATIENCE = 60.0  # seconds that a writer waits for other processes
KEPT = 64  # connections to a file that stay open: more than the threads of a server
AT_ONCE = 200  # values in one IN (...), of which a question has four: all databases take that many

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_DISK = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOLFS,
)
_LOCK_NOT_AVAILABLE = "55P03"
_AWAY = (
    "08",  # the connection is lost
    "25006",  # read-only
    "28",  # nobody is let in under this name now
    "3D",  # no such database, or schema
    "3F",
    "40",  # rolled back for the sake of others
    "42501",  # no rights
    "53",  # full disk, no memory, too many connections
    "55",  # in use, or not accepting connections
    "57",  # shutting down, starting up, cancelled by whoever runs it
    "58",  # the system around it
)
"""Of PostgreSQL's states, as they begin: nothing is wrong with what was asked."""

Heard = Callable[[StoreUnavailable | None], None]


class Database:
    """One database, opened and of the present schema."""

    def __init__(self, url: URL, *, patience: float = PATIENCE):
        self.url = url
        self.patience = patience
        self.heard: Heard = lambda error: None
        """Called when the database could not be used, and with None whenever something was written."""
        self.place = str(url.database) if self.is_file else url.render_as_string(hide_password=True)
        self.read_only = self.is_file and is_read_only(Path(str(url.database)))
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._uri = uri_to_read(Path(str(url.database))) if self.read_only else None
        if self.read_only and self._uri is None:
            self._copy()
        elif self.is_file and not self.read_only:
            guard.make_private(Path(str(url.database)))
        self._make()
        self._pid = os.getpid()
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _make(self) -> None:
        make = self._sqlite if self.is_file else self._postgresql
        self._reader, self._writer = make(writing=False), make(writing=True)

    def _copy(self) -> None:
        """Go on with a copy, of a file that cannot be written and cannot be read where it lies."""
        self._scratch = tempfile.TemporaryDirectory(prefix="adjudge-")
        copied = copy_with_log(Path(str(self.url.database)), Path(self._scratch.name))
        self.url, self._uri = URL.create("sqlite", database=str(copied)), None

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
        if self.read_only:
            raise StoreUnavailable(f"{self.place}: cannot be written: the file or its folder is read-only")
        with self._in_words(), self._writer.begin() as connection:
            yield connection
        self.heard(None)

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
        if mine and self._scratch is not None:
            self._scratch.cleanup()

    def check_process(self) -> None:
        """Connections and threads do not survive a fork."""
        if os.getpid() != self._pid:
            raise UsageError(f"{self.place}: opened in another process; open it anew in this one")

    def _open(self) -> None:
        with self.reading() as connection:
            current = migrations.is_current(connection, self.place)
        if current:
            return
        if self.read_only and self._scratch is None:  # an older schema: upgraded in a copy
            self._reader.dispose()
            self._writer.dispose()
            self._copy()
            self._make()
        with self._in_words(), self._writer.begin() as connection:
            migrations.upgrade(connection, self.place)

    def _sqlite(self, *, writing: bool) -> Engine:
        open_file = partial(
            guard.connect,
            Path(str(self.url.database)),
            uri=self._uri,
            timeout=self.patience,
            threads=True,
            place=self.place,
        )
        engine = sa.create_engine(
            "sqlite://",
            creator=open_file,
            poolclass=sa.QueuePool,
            pool_size=KEPT,  # what is opened beyond is closed at once, and its schema compared anew the next time
            max_overflow=-1,
        )

        def settle(connection: Any, record: object) -> None:
            run = connection.execute
            try:
                if self._uri is None:
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
        event.listen(engine, "handle_error", self._let_go)
        return engine

    def _postgresql(self, *, writing: bool) -> Engine:
        # Writers must see what was committed while they waited for the counter; readers, one state.
        level = "READ COMMITTED" if writing else "REPEATABLE READ"
        try:
            engine = sa.create_engine(
                self.url,
                isolation_level=level,
                pool_pre_ping=True,
                pool_size=20,
                max_overflow=5,
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
        event.listen(engine, "handle_error", self._let_go)
        return engine

    def _let_go(self, context: sa.engine.ExceptionContext) -> None:
        """Connections from before an outage, or opened in it, are not used after it: one to a file that was read-only
        would stay so."""
        error = context.sqlalchemy_exception
        if error is None or type(self._plain(error)) is not StoreUnavailable:
            return
        if self.is_file and context.connection is not None:
            with suppress(
                sqlite3.Error
            ):  # a cursor that is still read would keep it open, and with it the lock
                context.connection.connection.rollback()
        context.is_disconnect = True

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            plain = self._plain(error)
            if plain is None:
                raise
            if isinstance(plain, StoreUnavailable):
                self.heard(plain)
            raise plain from error
        except BadCell as error:
            raise error.at(self.place) from None
        except StoreUnavailable as error:  # what was written cannot be read back
            self.heard(error)
            raise

    def _plain(self, error: SQLAlchemyError) -> AdjudgeError | None:
        """What a person can put right, as one line; None for a mistake of the program."""
        if isinstance(error, PoolTimeout):
            return BusyError(f"{self.place}: all connections are in use; try again")
        if not isinstance(error, DBAPIError):
            return None
        message = next(iter(str(error.orig).strip().splitlines()), type(error.orig).__name__)
        if (foreign := self._foreign(error, message)) is not None:
            return foreign
        busy = BusyError(f"{self.place}: somebody else has been writing for {self.patience:g} s; try again")
        if self.is_file:
            code = sqlite_code(error.orig)
            if code in _DAMAGED:
                return FormatError(
                    f"not a database of judgments, or a damaged one ({message})", file=self.place
                )
            away = StoreUnavailable(f"{self.place}: cannot be read or written: {message}")
            return busy if code in _BUSY else away if code in _DISK else None
        state = getattr(error.orig, "sqlstate", None)
        if state == _LOCK_NOT_AVAILABLE:
            return busy
        lost = state is None and isinstance(
            error, sa.exc.OperationalError
        )  # the driver's own: no server to ask
        if lost or error.connection_invalidated or (state or "").startswith(_AWAY):
            return StoreUnavailable(f"{self.place}: PostgreSQL says: {message}")
        return (
            DataError(f"{self.place}: PostgreSQL says: {message}")
            if isinstance(error, sa.exc.OperationalError)
            else None
        )

    def _foreign(self, error: DBAPIError, message: str) -> AdjudgeError | None:
        """What the database holds and Adjudge does not write; None for any other error."""
        if isinstance(error, sa.exc.IntegrityError | sa.exc.DataError):
            return FormatError(f"holds what Adjudge does not write ({message})", file=self.place)
        if self.is_file and message == "interrupted":
            return FormatError(guard.ENDLESS, file=self.place)
        if self.is_file and message.startswith("Could not decode"):
            cells = (fault for fault in faults(Path(str(self.url.database))) if isinstance(fault, BadCell))
            return next(cells, FormatError("a text in it is not UTF-8", file=self.place))
        return None


def sqlite_code(error: BaseException | None) -> int | None:
    """SQLite's primary code of an error, without what the extended one adds; None where it is none of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


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
            if sqlite_code(error) not in _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def address(where: Path | str, *, network: bool = False) -> URL:
    """Where judgments are kept: a folder, a file of SQLite, or the address of a PostgreSQL database."""
    if isinstance(where, str) and "://" in where:
        return server(where)
    path = Path(where)
    if path.is_dir():
        path = path / FILE
    elif not path.parent.is_dir():
        raise DataError(f"{path.parent}: no such folder")
    elif not path.suffix:
        raise DataError(f"{path}: no such folder")
    refuse_network(path, allowed=network)
    return URL.create("sqlite", database=str(path))


def server(where: str) -> URL:
    """The address of a PostgreSQL database, checked."""
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


# Inside a write transaction


def lock(connection: Connection, evaluation: str) -> int:
    """The number of the evaluation's last event. Nobody else writes to it until this transaction ends.

    All who write to an evaluation first lock its counter. So the numbers of its events follow the order of their
    commits: whoever has read up to a number never misses an event by asking only for what is above it, and the
    highest number is the latest answer.
    """
    table, mine = schema.evaluation, {"evaluation": evaluation}
    last = connection.scalar(_COUNTER, mine)
    if last is None:
        insert: Any = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert
        new = insert(table).on_conflict_do_nothing()  # of several who come first, one makes it
        connection.execute(new, {"name": evaluation, "last_seq": 0})
        last = connection.scalar(_COUNTER, mine)
    number: int = checked_cell("evaluation", "last_seq", last, evaluation)
    return number


_COUNTER = (
    sa.select(schema.evaluation.c.last_seq)
    .where(schema.evaluation.c.name == sa.bindparam("evaluation"))
    .with_for_update()
)


def among(connection: Connection, column: sa.Column[Any], values: Sequence[str]) -> sa.ColumnElement[bool]:
    """The condition that a column holds one of the values.

    PostgreSQL takes them as one array: the question's text is the same however many they are, and is read once.
    """
    if connection.dialect.name == "postgresql":
        return column == sa.any_(sa.bindparam(None, list(values), type_=postgresql.ARRAY(sa.Text)))
    return column.in_(values)


def among_given(dialect: str, column: sa.Column[Any], name: str) -> sa.ColumnElement[bool]:
    """As `among`, for a question that is made once: the values are given, by that name, when it is asked."""
    if dialect == "postgresql":
        return column == sa.any_(sa.bindparam(name, type_=postgresql.ARRAY(sa.Text)))
    return column.in_(sa.bindparam(name, expanding=True))


def present(
    connection: Connection, column: sa.Column[Any], evaluation: str, values: Iterable[str]
) -> set[str]:
    """Which of the values occur in a column of the evaluation's rows."""
    occurring: set[str] = set()
    for some in chunked(sorted(set(values)), AT_ONCE):
        query = sa.select(column).where(
            column.table.c.evaluation == evaluation, among(connection, column, some)
        )
        occurring.update(connection.scalars(query))
    return occurring
