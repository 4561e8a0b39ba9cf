"""Several files change together, or none does; also when the process or the machine dies half way.

New versions are written into `.staging/`. `commit` first writes a journal there that lists what to put
in place, then does it; whoever comes next finishes a journal it finds and throws away a staging folder
without one. One writer at a time: a lock file that the system releases when its holder dies.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from adjudge.errors import BusyError

STAGING = ".staging"
JOURNAL = "journal.json"
LOCK = ".lock"
PATIENCE = 10.0  # seconds that a reader waits for a commit to end


class Transaction:
    """`with Transaction(folder) as change: write change.stage(name); change.commit()`."""

    def __init__(self, folder: Path, *, patience: float = 0.0):
        from filelock import FileLock  # here, so that commands which write nothing do not load it

        self.folder = folder
        self.staging = folder / STAGING
        self._lock = FileLock(folder / LOCK, timeout=patience)
        self._staged: set[str] = set()
        self._removed: set[str] = set()

    def __enter__(self) -> Self:
        from filelock import Timeout

        try:
            self._lock.acquire()
        except Timeout:
            raise BusyError(f"{self.folder}: another command is writing to this evaluation") from None
        except OSError as error:
            raise BusyError(f"{self.folder}: cannot be written to: {error.strerror}") from None
        finish(self.folder)
        self.staging.mkdir()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            finish(self.folder)
        finally:
            self._lock.release()

    def stage(self, name: str) -> Path:
        """Where to write the new version of a file."""
        path = self.staging / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._staged.add(name)
        self._removed.discard(name)
        return path

    def current(self, name: str) -> Path:
        """The newest version of a file: the staged one where there is one."""
        return self.staging / name if name in self._staged else self.folder / name

    def scratch(self, name: str) -> Path:
        """A place for work that goes away with the transaction."""
        path = self.staging / "scratch" / name
        path.parent.mkdir(exist_ok=True)
        return path

    def remove(self, name: str) -> None:
        """The file is to be gone after the commit."""
        self._removed.add(name)
        self._staged.discard(name)

    def commit(self) -> None:
        for name in self._staged:
            _sync(self.staging / name)
        draft = self.staging / "journal.draft"
        draft.write_text(
            json.dumps({"replace": sorted(self._staged), "remove": sorted(self._removed)}),
            encoding="utf-8",
        )
        _sync(draft)
        draft.replace(self.staging / JOURNAL)  # from here on the change counts
        _sync_folder(self.staging)
        finish(self.folder)


def settle(folder: Path) -> None:
    """Finish what a writer that died left half done; called before reading."""
    if (folder / STAGING / JOURNAL).exists():
        with Transaction(folder, patience=PATIENCE):
            pass


def finish(folder: Path) -> None:
    """Carry out a journal, if there is one, and remove the staging folder. May be repeated."""
    staging = folder / STAGING
    if (staging / JOURNAL).exists():
        journal = json.loads((staging / JOURNAL).read_text(encoding="utf-8"))
        for name in journal["replace"]:
            if (staging / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (staging / name).replace(folder / name)
        for name in journal["remove"]:
            (folder / name).unlink(missing_ok=True)
        _sync_folder(folder)
        (staging / JOURNAL).unlink()
    if staging.exists():
        shutil.rmtree(staging)


def _sync(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def _sync_folder(path: Path) -> None:
    if os.name == "nt":  # Windows cannot open a folder; its renames are durable without this
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
