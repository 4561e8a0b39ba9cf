"""Several files change together, or none does; also when the process or the machine dies half way.

New versions are written into `.staging/`. `commit` first writes a journal there that lists what to put
in place, then does it; whoever comes next finishes a journal it finds and throws away a staging folder
without one. One writer at a time: a lock file that the system releases when its holder dies.

A journal may come from a stranger, with the folder that it lies in. So it is obeyed only where it names files that
Adjudge writes, by their plain names, and where nothing on the way is a link.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from adjudge.core.errors import BusyError, DataError, FormatError, StoreUnavailable, quoted
from adjudge.data.history import (
    ChangeNote,
    HistoryEntry,
    Keeping,
    is_number,
    keep,
    link_or_copy,
    put_in_place,
    sync_folder,
)
from adjudge.data.layout import (
    HISTORY,
    LOCK,
    STAGING,
    check_layout,
    check_plain_file,
    check_plain_folder,
    is_written,
)
from adjudge.data.lines import dump_json, parse_json

JOURNAL = "journal.json"
PATIENCE = 60.0  # seconds that everybody waits for another command which is writing
LARGEST_JOURNAL = 4 * 1024 * 1024  # bytes, some 60,000 names

Tell = Callable[[str], None]
tell: Tell = lambda text: None  # noqa: E731
"""Is told that a command waits; the command line says it on a terminal."""


class Transaction:
    """`with Transaction(folder) as change: write change.stage(name); change.commit()`.

    Where the disk is full, or a file cannot be written, a StoreUnavailable says what became of the change.
    """

    def __init__(self, folder: Path, *, patience: float | None = None):
        from filelock import FileLock  # here, so that commands which write nothing do not load it

        self.folder = folder
        self.staging = folder / STAGING
        self.patience = PATIENCE if patience is None else patience
        self._lock = FileLock(folder / LOCK)
        self._staged: set[str] = set()
        self._removed: set[str] = set()
        self._on_disk: set[str] = set()
        self._decided = False
        self._note: ChangeNote | None = None
        self._instead_of: HistoryEntry | None = None
        self._keeping = Keeping()

    def __enter__(self) -> Self:
        from filelock import Timeout

        check_layout(self.folder)
        try:
            self._acquire()
        except Timeout:
            waited = f" and was not done in {self.patience:g} s" if self.patience else ""
            raise BusyError(f"{self.folder}: another command is writing to this evaluation{waited}") from None
        except OSError as error:
            raise StoreUnavailable(f"{self.folder}: cannot be written to: {error.strerror}") from None
        try:
            finish(self.folder)
            self.staging.mkdir()
        except BaseException as error:
            self._lock.release()
            if isinstance(error, OSError):
                raise StoreUnavailable(f"{self.folder}: cannot be written to: {error.strerror}") from error
            raise
        return self

    def _acquire(self) -> None:
        from filelock import Timeout

        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            if not self.patience:
                raise
            tell(
                f"another command is writing to {self.folder}: waiting for it, {self.patience:g} s at the most"
            )
            self._lock.acquire(timeout=self.patience)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            finish(self.folder)
        except OSError as trouble:
            error = error or trouble
            state = "is finished when the evaluation is next opened" if self._decided else "was not made"
        else:
            state = "was made" if self._decided else "was not made"
        finally:
            self._lock.release()
        if (why := disk_trouble(error)) is not None:
            raise StoreUnavailable(f"{self._place(error)}: {why}; the change {state}") from error

    def _place(self, error: BaseException | None) -> str:
        """What the disk refused, where it lies outside the folder; else the folder."""
        named = getattr(error, "filename", None)
        path = None if named is None else Path(os.fsdecode(named))
        return str(self.folder if path is None or path.is_relative_to(self.folder) else path)

    def stage(self, name: str) -> Path:
        """Where to write the new version of a file."""
        _need_written(name)
        path = self.staging / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._staged.add(name)
        self._removed.discard(name)
        self._on_disk.discard(name)
        return path

    def stage_again(self, name: str, old: Path) -> None:
        """An old version of a file, which was kept, is to be the new one."""
        path = self.stage(name)
        path.unlink(missing_ok=True)
        if not link_or_copy(old, path):
            self._on_disk.add(name)

    def note(self, note: ChangeNote, *, instead_of: HistoryEntry | None = None) -> None:
        """The change is to be in the history, with what it replaces; `instead_of` the one that it undoes."""
        self._note, self._instead_of = note, instead_of

    @property
    def why_final(self) -> str | None:
        """Why the change cannot be undone, though it was to be in the history; known when it is prepared."""
        return self._keeping.why_not

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
        _need_written(name)
        self._removed.add(name)
        self._staged.discard(name)

    def commit(self) -> None:
        """Put the new versions in place."""
        self.prepare()
        self.decide()
        finish(self.folder)

    # A change that reaches a database too takes the steps of a commit one by one; see judgments/store/importing.py.

    def prepare(self) -> None:
        """Have the new versions on the disk, and the old ones where they are to be kept."""
        for name in self._staged - self._on_disk:
            _sync(self.staging / name)
        _sync_folders(self.staging, self._staged)
        if self._note is not None:
            self._keeping = keep(
                self.folder,
                self.staging,
                self._note,
                sorted(self._staged),
                sorted(self._removed),
                instead_of=self._instead_of,
            )

    def decide(self) -> None:
        """From here on the change counts: it is finished whatever happens to this process."""
        draft = self.staging / "journal.draft"
        journal: dict[str, object] = {"replace": sorted(self._staged), "remove": sorted(self._removed)}
        if self._keeping.add is not None or self._keeping.drop:
            journal["history"] = {"add": self._keeping.add, "drop": list(self._keeping.drop)}
        draft.write_text(dump_json(journal), encoding="utf-8")
        _sync(draft)
        draft.replace(self.staging / JOURNAL)
        self._decided = True
        try:
            sync_folder(self.staging)
        except BaseException:
            self.withdraw()
            raise

    def withdraw(self) -> None:
        """Take a decision back, before anything was put in place."""
        (self.staging / JOURNAL).unlink(missing_ok=True)
        self._decided = False

    @property
    def decided(self) -> bool:
        return self._decided

    def drop(self, name: str) -> None:
        """A staged file that is needed no more, though the change is decided."""
        (self.staging / name).unlink()


@dataclass(frozen=True)
class Journal:
    """What a commit has decided: which staged files take their places, which files go, what becomes of the history."""

    replace: tuple[str, ...]
    remove: tuple[str, ...]
    add: str | None = None
    drop: tuple[str, ...] = ()

    @classmethod
    def read(cls, staging: Path) -> Journal | None:
        """The journal of a staging folder, if it has one; refused as a whole where Adjudge did not write it."""
        path = staging / JOURNAL
        if not check_plain_folder(staging) or not check_plain_file(path):
            return None
        try:
            if path.stat().st_size > LARGEST_JOURNAL:
                raise FormatError(f"it is larger than {LARGEST_JOURNAL:,} bytes")
            content = parse_json(path.read_text(encoding="utf-8"), path, 1)
            if not isinstance(content, dict) or set(content) - {"history"} != {"replace", "remove"}:
                raise FormatError('expected an object with "replace" and "remove"')
            add, drop = _entries(content.get("history"))
            journal = cls(_names(content["replace"]), _names(content["remove"]), add, drop)
            if journal.add is not None and check_plain_folder(staging / HISTORY):
                check_plain_folder(staging / HISTORY / journal.add)
            for name in journal.replace:
                check_plain_folder((staging / name).parent)
                check_plain_file(staging / name)
            names = (*journal.replace, *journal.remove)
            if len(set(names)) < len(names):
                raise FormatError("it names a file twice")
        except (DataError, UnicodeDecodeError) as error:
            why = error.problem if isinstance(error, FormatError) else error
            raise FormatError(
                f"not a journal that Adjudge wrote ({why}); nothing was changed."
                f" Remove the folder {STAGING} to go on without the change that it holds",
                file=path,
            ) from None
        return journal

    def carry_out(self, folder: Path, staging: Path) -> None:
        """Every step may be repeated."""
        for name in self.replace:
            if (staging / name).exists():
                (folder / name).parent.mkdir(exist_ok=True)
                (staging / name).replace(folder / name)
        for name in self.remove:
            (folder / name).unlink(missing_ok=True)
        put_in_place(folder, staging, self.add, self.drop)
        kept = [f"{HISTORY}/{self.add}"] if self.add is not None or self.drop else []
        _sync_folders(folder, (*self.replace, *self.remove, *kept))


def settle(folder: Path) -> None:
    """Finish what a writer that died left half done; called before reading."""
    if check_plain_folder(folder / STAGING) and check_plain_file(folder / STAGING / JOURNAL):
        Journal.read(folder / STAGING)  # refused before anything is locked or made
        with Transaction(folder):
            pass


def finish(folder: Path) -> None:
    """Carry out a journal, if there is one, and remove the staging folder. May be repeated."""
    staging = folder / STAGING
    check_layout(folder)
    if (journal := Journal.read(staging)) is not None:
        journal.carry_out(folder, staging)
        (staging / JOURNAL).unlink()
    if check_plain_folder(staging):
        shutil.rmtree(staging)


def disk_trouble(error: BaseException | None) -> str | None:
    """What is wrong with the disk, where that is why something failed: full, read-only, not permitted, broken."""
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    if (code := getattr(error, "sqlite_errorcode", None)) is not None:
        import sqlite3

        if code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY):
            return str(error)
    return None


def write_whole(path: Path, text: str) -> None:
    """A file with this text, or the file that was there; never a part of it.

    A link to a file is replaced, not followed; a terminal, a pipe or a device is written to.
    """
    scratch = path.with_name(f".adjudge-{os.getpid()}.part")
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline="")
            return
        try:
            with scratch.open("x", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            if path.is_file() and not path.is_symlink():
                shutil.copymode(path, scratch)
            scratch.replace(path)
        finally:
            with suppress(OSError):
                scratch.unlink(missing_ok=True)
    except OSError as error:
        absent = not path.parent.is_dir()
        hint = f"; there is no folder {path.parent}, make it with: mkdir -p {path.parent}" if absent else ""
        if path.is_dir():
            hint = f"; name a file in it, such as {path / 'scores.csv'}"
        raise DataError(f"{path}: cannot be written: {error.strerror}{hint}") from error


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise FormatError(f"{quoted(value)} stands where a list of names was expected")
    for name in value:
        if not isinstance(name, str) or not is_written(name):
            raise FormatError(f"{quoted(name)} is no file that it may name")
    return tuple(value)


def _entries(value: object) -> tuple[str | None, tuple[str, ...]]:
    """What a journal says of the history: the entry to add, those to drop."""
    if value is None:
        return None, ()
    if not isinstance(value, dict) or set(value) != {"add", "drop"} or not isinstance(value["drop"], list):
        raise FormatError(f"{quoted(value)} stands where changes of the history were expected")
    add, drop = value["add"], value["drop"]
    for name in (*drop, *([] if add is None else [add])):
        if not is_number(name):
            raise FormatError(f"{quoted(name)} is no entry of the history")
    return add, tuple(drop)


def _need_written(name: str) -> None:
    if not is_written(name):
        raise ValueError(f"{name!r} is no file of an evaluation; see data/layout.py")


def _sync(path: Path) -> None:
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def _sync_folders(folder: Path, names: Iterable[str]) -> None:
    """The folder, and those in it that hold files of these names."""
    for place in sorted({folder, *((folder / name).parent for name in names)}):
        if place.is_dir():
            sync_folder(place)
