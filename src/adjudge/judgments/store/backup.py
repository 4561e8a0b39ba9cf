"""Backups of a store while others write to it: SQLite's own backup, or pg_dump. Never a copy of the file.

A copy of the file misses what stands in the log beside it, or catches half of a change.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from adjudge.core.errors import ClashError, DataError, UsageError
from adjudge.judgments.store.database import Database
from adjudge.judgments.store.guard import connect, make_private
from adjudge.judgments.store.readonly import connect_to_read, is_read_only
from adjudge.judgments.store.schema import SCHEMA
from adjudge.judgments.store.store import Store


def backup(store: Store, target: Path, *, pg_dump: Path | None = None) -> Path:
    """Writes the state of one moment to a file, which must not be there and appears when it is whole.

    Of a SQLite store it is a SQLite file. Of a PostgreSQL store it is an archive for pg_restore with
    everything Adjudge keeps in that database, all its evaluations; `pg_dump` says which program to use.
    """
    if target.exists():
        raise ClashError(f"{target}: is there already; a backup overwrites nothing")
    scratch = target.with_name(f".{target.name}.part")
    scratch.unlink(missing_ok=True)
    make_private(scratch)  # it holds names, and what lets people in
    try:
        if store.database.is_file:
            _copy_sqlite(store.database, scratch)
        else:
            _dump(store.database, scratch, pg_dump)
        scratch.rename(target)
    except OSError as error:
        raise DataError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        scratch.unlink(missing_ok=True)
    return target


def _source(database: Database) -> sqlite3.Connection:
    """The store, also where it lies in a folder that cannot be written."""
    path = Path(str(database.url.database))
    if not is_read_only(path):
        return connect(path, timeout=database.patience)
    return connect_to_read(path)


def _copy_sqlite(database: Database, target: Path) -> None:
    """All pages in one step, which reads one state; smaller steps start again whenever somebody writes."""
    try:
        with (
            closing(_source(database)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy, pages=-1)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            (sound,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise DataError(f"{database.place}: cannot be backed up to {target.parent}: {error}") from None
    if sound != "ok":
        raise DataError(f"{database.place}: is damaged: {sound}")


def _dump(database: Database, target: Path, program: Path | None) -> None:
    url = database.url
    pg_dump = program or find_pg_dump(database)
    # The password goes through the environment: arguments can be seen by everybody on the machine.
    secret = {} if url.password is None else {"PGPASSWORD": str(url.password)}
    plain = url.set(drivername="postgresql", password=None).render_as_string()
    command = [str(pg_dump), "--format=custom", f"--schema={SCHEMA}", f"--file={target}", f"--dbname={plain}"]
    try:
        done = subprocess.run(command, env=os.environ | secret, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise UsageError(f"{pg_dump}: cannot be run: {error.strerror}") from None
    if done.returncode:
        reason = next(iter(done.stderr.strip().splitlines()), f"exit {done.returncode}")
        raise DataError(f"{database.place}: cannot be backed up: {reason}")


def find_pg_dump(database: Database) -> Path:
    """A pg_dump that is not older than the server, since an older one refuses to work."""
    with database.reading() as connection:
        server = int(connection.scalar(sa.text("SHOW server_version_num")) or 0) // 10000
        may_ask = connection.scalar(sa.text("SELECT has_function_privilege('pg_config()', 'EXECUTE')"))
        query = "SELECT setting FROM pg_config() WHERE name = 'BINDIR'"
        beside = connection.scalar(sa.text(query)) if may_ask else None
    seen = []
    for program in _candidates(beside):
        version = _major(program)
        if version is not None and version >= server:
            return program
        seen.append(f"{program} is {version}")
    older = f" ({', '.join(seen)})" if seen else ""
    raise UsageError(
        f"a backup of PostgreSQL {server} needs its pg_dump, and none was found{older}: install the client"
        f" programs of PostgreSQL {server} or newer, or say where pg_dump is"
    )


def _candidates(beside: str | None) -> Iterator[Path]:
    """On the path, beside the server where that is this machine, where Debian's packages put them."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), beside or ""]
    folders += sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
    for folder in folders:
        program = shutil.which("pg_dump", path=folder) if folder else None
        if program:
            yield Path(program)


def _major(program: Path) -> int | None:
    try:
        done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"\d+", done.stdout)
    return int(match[0]) if match else None
