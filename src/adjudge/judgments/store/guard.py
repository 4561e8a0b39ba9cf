"""SQLite files that may come from a stranger: opened with their schema compared, and every question bounded.

A database can hold programs: triggers, views, computed columns, indexes of expressions. So the schema of a file is
compared with what Adjudge makes in that version (schemas.json, which a test derives from migrations/) before any table
is read, and whatever else it holds is refused by name. Pages can be arranged so that reading them never ends, so a
statement has no more steps than a file of its size can need. The standard library alone: `adjudge check` loads no more.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from adjudge.core.errors import DataError, FormatError, quoted
from adjudge.data.lines import MAX_LINE

VERSION_TABLE = "alembic_version"
BESIDE = ("", "-wal", "-shm", "-journal")

Definition = tuple[str, ...]
"""What made a table or an index, in words; of a table its columns and constraints, sorted."""
Shape = Mapping[str, Definition]
"""A whole schema, by `table event`, `index ix_task_evaluation_topic`."""
Master = tuple[tuple[Any, ...], ...]

# Steps of SQLite's machine

EVERY = 1_000  # steps between two looks
OPENING = 10_000  # steps to read a schema: ours takes about five hundred
FEWEST = 20_000_000  # steps that a statement always has: a second or so
PER_BYTE = 10  # further steps for every byte of the file: our longest statements take a sixth of one
SOUND_AFTER = 3.0  # seconds after which the file's structure is looked at, once
_LONGEST_DEFINITION = 100_000

ENDLESS = "a question to it does not end, or its pages are not in order: damaged, or made so. Put a backup in its place"

# Opening


class Guarded(sqlite3.Connection):
    """A connection whose statements end."""

    meter: Meter | None = None
    scratch: TemporaryDirectory[str] | None = None
    """Where the file lies that it reads, if that is a copy."""

    def close(self) -> None:
        super().close()
        if self.scratch is not None:
            self.scratch.cleanup()

    def cursor(self, *arguments: Any, **options: Any) -> Any:
        if self.meter is not None:
            self.meter.begin()
        return super().cursor(*arguments, **options)


class Meter:
    """Counts the steps of one statement after the other. A method of it is the connection's progress handler."""

    def __init__(self, name: str, path: Path, *, uri: bool):
        self._name, self._path, self._uri = name, path, uri
        self._sound = False
        self.opening = True
        self.begin()

    def begin(self) -> None:
        self._looks, self._began = 0, time.monotonic()

    def look(self) -> bool:
        """Whether the statement is to be stopped. Called after every few steps."""
        self._looks += 1
        steps = self._looks * EVERY
        if self.opening:
            return steps > OPENING
        if steps > FEWEST and steps > FEWEST + PER_BYTE * self._size():
            return True
        # Rows that share their pages can be many and long: few steps, and hours. Those who wait have the structure
        # looked at, in which every page has one place; the time only decides when.
        if not self._sound and time.monotonic() - self._began > SOUND_AFTER:
            self._sound = is_sound(self._name, uri=self._uri)
            return not self._sound
        return False

    def _size(self) -> int:
        sizes = 0
        for end in ("", "-wal"):
            with suppress(OSError):
                sizes += Path(f"{self._path}{end}").stat().st_size
        return sizes


def connect(
    path: Path,
    *,
    uri: str | None = None,
    timeout: float = 5.0,
    threads: bool = False,
    shape: Shape | None = None,
    place: str | None = None,
) -> Guarded:
    """A connection to a file whose schema is Adjudge's, of one of its versions, or empty. Anything else is refused.

    `uri` is another way to open the same file; `shape` is the schema of another kind of file.
    """
    name = uri or str(path)
    connection = sqlite3.connect(
        name, uri=uri is not None, timeout=timeout, check_same_thread=not threads, factory=Guarded
    )
    try:
        meter = connection.meter = Meter(name, path, uri=uri is not None)
        connection.isolation_level = None
        connection.set_progress_handler(meter.look, EVERY)
        _restrict(connection)
        _compare(connection, place or str(path), shape)
        meter.opening = False
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MAX_LINE)
    except BaseException:
        connection.close()
        raise
    return connection


def _restrict(connection: sqlite3.Connection) -> None:
    """What a file can ask of SQLite, as little as we need. All of this comes before the first look at the file."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_DEFINITION)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 10)  # foreign keys that follow are such
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")


def is_sound(name: str, *, uri: bool) -> bool:
    """Whether every page of a file has one place in it. Takes as long as reading the file once."""
    try:
        with closing(sqlite3.connect(name, uri=uri)) as connection:
            _restrict(connection)
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error:
        return False
    return bool(verdict == "ok")


# Comparing schemas

_TOKEN = re.compile(
    r"""[A-Za-z_][A-Za-z0-9_]*|"[A-Za-z_][A-Za-z0-9_]*"|\d+|[(),]|(?P<space>[ \t\r\n]+)|(?P<other>.)""", re.S
)


def _compare(connection: sqlite3.Connection, place: str, shape: Shape | None) -> None:
    connection.execute("BEGIN")  # one state: somebody may be upgrading it
    try:
        master = read_master(connection)
        if not master:
            return
        version = None
        if shape is None:
            version = _version(connection, master, place)
            shape = known_shapes()[version]
    finally:
        connection.execute("ROLLBACK")
    if (problem := _difference(shape_of(master), shape)) is not None:
        what = "" if version is None else f" (schema {version})"
        raise FormatError(
            f"{problem}{what}; nothing was read: move the file away, or put a copy that you trust in its place",
            file=place,
        )


def _version(connection: sqlite3.Connection, master: Master, place: str) -> str:
    """The version that a file says it has, once the table that says so is known to be a table."""
    key, there = f"table {VERSION_TABLE}", shape_of(master)
    if key not in there:
        raise FormatError(f"{place}: a database, but not of judgments: it has no {VERSION_TABLE}")
    versions = known_shapes()
    if there[key] != versions[min(versions)][key]:
        raise FormatError(f"the table {VERSION_TABLE} is not Adjudge's; nothing was read", file=place)
    rows = connection.execute(f"SELECT version_num FROM {VERSION_TABLE} LIMIT 2").fetchall()  # noqa: S608
    if len(rows) != 1 or not isinstance(rows[0][0], str):
        raise FormatError(f"the table {VERSION_TABLE} does not say one version", file=place)
    version: str = rows[0][0]
    if version not in versions:
        shown = version if version.isalnum() and len(version) <= 32 else quoted(version)
        raise DataError(
            f"{place}: written by a newer Adjudge (schema {shown}, this one knows {max(versions)}); upgrade Adjudge"
        )
    return version


def _difference(there: Shape, expected: Shape) -> str | None:
    """The first thing that a schema has and should not have, or that it lacks; None where it is as expected."""
    for key in there:
        if key not in expected:
            kind, _, name = key.partition(" ")
            return f"holds the {kind} {quoted(name)}, which Adjudge does not make"
    for key, definition in expected.items():
        if key not in there:
            return f"lacks the {key}"
        if there[key] != definition:
            strange = sorted(set(there[key]) - set(definition))
            of = f": {quoted(strange[0])}" if strange else ""
            return f"the {key} is not as Adjudge makes it{of}"
    return None


def read_master(connection: sqlite3.Connection) -> Master:
    """All that a file defines, as SQLite lists it."""
    return tuple(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


@lru_cache(maxsize=16)
def shape_of(master: Master) -> Shape:
    """A schema, as `sqlite_master` tells it."""
    shape: dict[str, Definition] = {}
    for kind, name, table, sql in master:
        key = f"{kind} {name}"
        shape[f"second {key}" if key in shape else key] = _definition(kind, name, table, sql)
    return shape


def _definition(kind: object, name: object, table: object, sql: object) -> Definition:
    """What made a table or an index, word by word; the order of columns, which upgrades change, does not count."""
    if sql is None:
        return (f"on {table}",)
    words = _words(str(sql))
    head = ["CREATE", "TABLE", str(name), "("]
    if kind != "table" or name != table or words[:4] != head or words[-1] != ")":
        return (f"on {table}", " ".join(words))
    parts: list[list[str]] = [[]]
    depth = 0
    for word in words[4:-1]:
        depth += (word == "(") - (word == ")")
        if depth < 0:  # the table ended before: something stands behind it
            return (" ".join(words),)
        if word == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(word)
    return tuple(sorted(" ".join(part) for part in parts))


def _words(sql: str) -> list[str]:
    """Words and signs. Only quotes around a plain name are taken off: in others anything could hide."""
    words = []
    for match in _TOKEN.finditer(sql):
        if match["other"]:
            return [repr(sql)]
        if not match["space"]:
            words.append(match[0].strip('"'))
    return words


@cache
def known_shapes() -> Mapping[str, Shape]:
    """The schema of every version, oldest first."""
    text = (Path(__file__).parent / "schemas.json").read_text(encoding="utf-8")
    shapes: dict[str, Shape] = {}
    shape: dict[str, Definition] = {}
    for version, changes in json.loads(text).items():  # each says what came with it
        shape = shape | {key: tuple(definition) for key, definition in changes.items()}
        shapes[version] = shape
    return shapes


# Who may read it


def make_private(path: Path) -> None:
    """Lets nobody but its owner read or write a file, from its first byte on; makes it where there is none.

    SQLite gives its log the rights that the file has. One that others may read and that is ours is closed to them.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return
    except FileExistsError:
        pass
    except OSError:
        return  # whoever opens it says why
    for end in BESIDE:
        with suppress(OSError):
            beside = Path(f"{path}{end}")
            status = beside.lstat()
            if (
                stat.S_ISREG(status.st_mode)
                and status.st_mode & 0o077
                and status.st_uid == (os.geteuid() if hasattr(os, "geteuid") else -1)
            ):
                beside.chmod(stat.S_IMODE(status.st_mode) & ~0o077)
