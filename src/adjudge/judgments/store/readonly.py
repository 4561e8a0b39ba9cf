"""SQLite files that cannot be written: in an archive, on a mounted image, in somebody else's folder.

SQLite keeps a write-ahead log beside its file, and readers of such a file write too: they lock, and index the log. So a
file that cannot be written is opened in one of three ways: as a file that does not change, where there is no log; with
the log and the index of whoever is writing; else as a copy with its log, in a temporary folder.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

from adjudge.judgments.store.guard import Guarded, connect

LOG = "-wal"


def is_read_only(path: Path) -> bool:
    """Whether a SQLite file is there and neither it nor its folder can be written."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def connect_to_read(path: Path) -> Guarded:
    """A connection that reads a file, by the standard library alone; a file that cannot be written as it is now."""
    if not is_read_only(path):
        return connect(path, uri=_uri(path, "mode=ro"))
    if (uri := uri_to_read(path)) is not None:
        return connect(path, uri=uri)
    scratch = tempfile.TemporaryDirectory(prefix="adjudge-")
    try:
        connection = connect(copy_with_log(path, Path(scratch.name)), place=str(path))
    except BaseException:
        scratch.cleanup()
        raise
    connection.scratch = scratch  # which goes with the connection
    return connection


def uri_to_read(path: Path) -> str | None:
    """How to open a file that cannot be written, where it lies; None where only a copy can be opened."""
    log = path.with_name(path.name + LOG)
    if not (log.exists() and log.stat().st_size > 0):
        return _uri(path, "immutable=1")
    live = _uri(path, "mode=ro")
    try:
        connect(path, uri=live).close()
    except sqlite3.OperationalError:  # nobody is writing, and the log's index cannot be made here
        return None
    except sqlite3.DatabaseError:  # no database: whoever opens it says so
        return live
    return live


def copy_with_log(path: Path, folder: Path) -> Path:
    """A copy of a file and its log, in a folder that can be written."""
    for end in ("", LOG):
        source = path.with_name(path.name + end)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / path.name


def _uri(path: Path, how: str) -> str:
    return f"{path.resolve().as_uri()}?{how}"
