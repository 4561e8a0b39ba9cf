"""The names of an evaluation's files, and what may lie under them: plain files and plain folders.

A folder may come from a stranger. A link under one of these names could lead a command to any file of its user's, and
a pipe or a device could hold it for ever; so both are refused before anything is read or written.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from adjudge.core.errors import DataError
from adjudge.data.rows import ROWS

SETTINGS = "evaluation.toml"
CHANGES = "changes.jsonl"
JUDGMENTS = "judgments.sqlite"
LOCK = ".lock"
PENDING_EDIT = ".tasks.json"
PENDING_IMPORT = ".judgments.jsonl"
STAGING, HISTORY, SCORES, PROTOCOLS, JUDGES = ".staging", ".history", "scores", "protocols", "judges"
UNSTORED = ".unstored"  # scores that were computed while another command kept the folder from being changed

_WRITTEN = (*(kind.FILE for kind in ROWS), CHANGES, PENDING_EDIT, PENDING_IMPORT)
_BY_HASH = re.compile(
    r"(scores/[a-z0-9-]{1,48}--[0-9a-f]{12}\.parquet|protocols/[a-z0-9-]{1,48}--[0-9a-f]{12}\.toml"
    r"|judges/[a-z0-9-]{1,48}--[0-9a-f]{12}\.json)"
)
_FILES = (SETTINGS, LOCK, *_WRITTEN, *(f"{JUDGMENTS}{end}" for end in ("", "-wal", "-shm", "-journal")))
_FOLDERS = {
    SCORES: ".parquet",
    PROTOCOLS: ".toml",
    JUDGES: ".json",
    UNSTORED: ".parquet",
    STAGING: None,
    HISTORY: None,
}
_JUNCTION = 0xA0000003  # Windows' links to folders, which are not links to lstat


def is_written(name: str) -> bool:
    """Whether a change of an evaluation may put a file of this name into its folder, or take it away."""
    return name in _WRITTEN or _BY_HASH.fullmatch(name) is not None


def is_undone(name: str) -> bool:
    """Whether undoing a change brings back the file of this name: not what waits to be done in the store."""
    return is_written(name) and name not in (PENDING_EDIT, PENDING_IMPORT)


def check_layout(folder: Path) -> None:
    """Refuse links, and what is neither a plain file nor a plain folder, under every name that is read or written."""
    for name in _FILES:
        check_plain_file(folder / name)
    for name, end in _FOLDERS.items():
        if check_plain_folder(folder / name) and end is not None:
            for entry in _listed(folder / name):
                if entry.endswith(end):
                    check_plain_file(folder / name / entry)


def check_plain_file(path: Path) -> bool:
    """Whether there is a plain file; anything else of that name is refused."""
    return _is(path, stat.S_ISREG, "file")


def check_plain_folder(path: Path) -> bool:
    """Whether there is a plain folder; anything else of that name is refused."""
    return _is(path, stat.S_ISDIR, "folder")


def _is(path: Path, wanted: Callable[[int], bool], what: str) -> bool:
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        raise DataError(
            f"{path}: is a link, and no links are followed in an evaluation's folder;"
            f" put the {what} itself there, or remove the link"
        )
    if not wanted(status.st_mode):
        raise DataError(f"{path}: is no plain {what}; move it away, or put the {what} there")
    return True


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise DataError(f"{folder}: cannot be read: {error.strerror}") from None
