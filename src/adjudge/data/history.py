"""`.history/`: the files that the last changes of an evaluation replaced, so that they can be brought back.

A change is a numbered folder: `change.json` says what was done, and which files looked how before and after it (size
and digest; null where there was none); beside it lie the versions that the change replaced. An undone change holds the
versions that undoing replaced, so that it can be made again. Folders are put in place, and dropped, by the journal of
the change itself (`data/transaction.py`). Old versions are linked, not copied, where the disk can do that: the change
puts new files in their places, so the old ones stay as they were.

A history may come from a stranger, with the folder that it lies in: it is read as data, names nothing but files that
Adjudge writes, and an entry that cannot be read is one that cannot be undone, and stops nothing else.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adjudge.core.errors import DataError, FormatError, quoted
from adjudge.core.words import counted
from adjudge.data.layout import HISTORY, check_plain_file, check_plain_folder, is_undone
from adjudge.data.lines import dump_json, parse_json

ENTRY = "change.json"
MOST = 5  # changes
LARGEST = 1_000_000_000  # bytes of old versions, all changes together
LARGEST_ENTRY = 16 * 1024 * 1024  # bytes of change.json
LONGEST = 120  # characters of a command that are kept
_NUMBER = re.compile(r"[0-9]{6,9}")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_EDITS = ("rename", "withdraw", "restore", "remove")
_ONE = {"summaries": "summary", "topics": "topic", "systems": "system", "documents": "document"}
_ONE |= {"units": "unit", "scores": "score", "tasks": "task", "answers": "answer", "measures": "measure"}

Counts = Mapping[str, Mapping[str, int]]
"""What was done to how many of what: `{"added": {"summaries": 2}}`."""


@dataclass(frozen=True)
class TextEdit:
    """A withdrawal, its reverse, a new name or a removal: a change that reaches tasks too."""

    what: str
    system: str | None = None
    topic: str | None = None
    to: str | None = None


@dataclass(frozen=True)
class ChangeNote:
    """What is noted of a change: the command, when it was given, what it did."""

    what: str
    when: str = ""
    counts: Counts = field(default_factory=dict)
    edit: TextEdit | None = None

    def counted(self) -> str:
        """`added 2 summaries, 1 system; replaced 1 document`."""
        return "; ".join(
            f"{verb} {', '.join(_counted(n, thing) for thing, n in things.items())}"
            for verb, things in self.counts.items()
            if things
        )


@dataclass(frozen=True)
class FileState:
    """A file's size, and a digest of its bytes."""

    size: int
    digest: str

    @classmethod
    def of(cls, path: Path) -> FileState | None:
        """None where there is no such file."""
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, _blake2b).hexdigest()
                return cls(stream.tell(), digest)
        except FileNotFoundError:
            return None

    @classmethod
    def of_bytes(cls, content: bytes) -> FileState:
        return cls(len(content), hashlib.blake2b(content, digest_size=16).hexdigest())


States = tuple[FileState | None, FileState | None]
"""Of a file before a change and after it."""


@dataclass(frozen=True)
class HistoryEntry:
    """A change in the history. One that was undone can be made again."""

    path: Path
    note: ChangeNote
    files: Mapping[str, States] = field(default_factory=dict)
    undone: bool = False
    unkept: str | None = None
    """Why there are no old versions."""
    damage: str | None = None
    """What is wrong with the entry itself."""

    @property
    def number(self) -> str:
        return self.path.name

    @property
    def why_not(self) -> str | None:
        """Why it can be neither undone nor made again, as far as the entry knows."""
        return self.damage or self.unkept

    @property
    def renaming(self) -> TextEdit | None:
        """Of a change of names: the new name that undoing it, or making it again, gives."""
        edit = self.note.edit
        if edit is None or edit.what != "rename" or self.undone:
            return edit if edit is not None and edit.what == "rename" else None
        if edit.system is not None:
            return TextEdit("rename", system=edit.to, to=edit.system)
        return TextEdit("rename", topic=edit.to, to=edit.topic)

    def wanted(self, name: str) -> FileState | None:
        """How a file looks when the change is undone, or made again."""
        return self.files[name][1 if self.undone else 0]

    def expected(self, name: str) -> FileState | None:
        """How the file looks now, if nobody has touched it since."""
        return self.files[name][0 if self.undone else 1]

    def kept(self, name: str) -> Path:
        """The version that is brought back; refused where it is not the one that was kept."""
        path = self.path / name
        check_plain_folder(path.parent)
        if not check_plain_file(path) or FileState.of(path) != self.wanted(name):
            raise DataError(f"{HISTORY}/{self.number}/{name} is damaged or gone")
        return path


@dataclass(frozen=True)
class Keeping:
    """What a change does to the history: the entry that it adds, those that it drops; or why it adds none."""

    add: str | None = None
    drop: tuple[str, ...] = ()
    why_not: str | None = None


def is_number(name: object) -> bool:
    """Whether an entry may have this name."""
    return isinstance(name, str) and _NUMBER.fullmatch(name) is not None


def read_history(folder: Path) -> list[HistoryEntry]:
    """The entries, the oldest first. A damaged one says what is wrong with it."""
    return [_read(folder / HISTORY / name) for name in _numbers(folder)]


def keep(
    folder: Path,
    staging: Path,
    note: ChangeNote,
    staged: Iterable[str],
    removed: Iterable[str],
    *,
    instead_of: HistoryEntry | None = None,
) -> Keeping:
    """Stage an entry for a change that is staged: what it replaces, and what it leaves.

    `instead_of` is the entry that the change undoes, or makes again; any other change ends what could be made again.
    Where the old versions cannot be kept the change goes on, and the entry says why. Where there is no place even for
    that, the whole history goes: undoing an earlier change in its stead would surprise people.
    """
    kept = {name: FileState.of(folder / name) for name in (*staged, *removed) if is_undone(name)}
    new = {name: FileState.of(staging / name) for name in staged}
    undone = instead_of is not None and not instead_of.undone
    states = {
        name: (new.get(name), old) if undone else (old, new.get(name))
        for name, old in sorted(kept.items())
        if old != new.get(name)
    }
    if not states:
        return Keeping()
    if check_plain_folder(folder / HISTORY) and not os.access(folder / HISTORY, os.W_OK | os.X_OK):
        return Keeping(why_not=f"{folder / HISTORY} cannot be written")
    numbers = _numbers(folder)
    number = f"{max(map(int, numbers), default=0) + 1:06}"
    place = staging / HISTORY / number
    size = sum(old.size for name in states if (old := kept[name]) is not None)
    why_not = None
    if size > LARGEST:
        why_not = f"it replaced {in_bytes(size)}, and {HISTORY} holds {in_bytes(LARGEST)} at the most"
    try:
        if why_not is None:
            why_not = _hold(folder, place, [name for name in states if kept[name] is not None])
        _write_entry(place, note, states, undone=undone, unkept=why_not)
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        why = f"{error.strerror}, and neither can those before it"
        return Keeping(drop=tuple(numbers), why_not=why)
    ended = [] if instead_of else [entry.number for entry in read_history(folder) if entry.undone]
    drop = [*ended, *([instead_of.number] if instead_of else [])]
    left = [earlier for earlier in numbers if earlier not in drop]
    sizes = [_size(folder / HISTORY / earlier) for earlier in left]
    while left and (len(left) >= MOST or sum(sizes) + (0 if why_not else size) > LARGEST):
        drop.append(left.pop(0))
        del sizes[0]
    return Keeping(add=number, drop=tuple(drop), why_not=why_not)


def put_in_place(folder: Path, staging: Path, add: str | None, drop: Iterable[str]) -> None:
    """Carry out what `keep` prepared. Every step may be repeated, and no step stops the change that it belongs to."""
    if add is not None and (staging / HISTORY / add).is_dir():
        try:
            (folder / HISTORY).mkdir(exist_ok=True)
            (staging / HISTORY / add).replace(folder / HISTORY / add)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):  # another time it will work
                raise
    for name in drop:
        path = folder / HISTORY / name
        with suppress(OSError):
            path.unlink() if path.is_symlink() or not path.is_dir() else shutil.rmtree(path)


def in_bytes(size: int) -> str:
    """`1.2 GB`."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}".replace(".0 ", " ")
    return counted(size, "byte")


def _blake2b() -> Any:
    return hashlib.blake2b(digest_size=16)


def _counted(n: int, thing: str) -> str:
    """`1 summary`, `2 scores of rouge-1`."""
    first, _, rest = thing.partition(" ")
    return f"{counted(n, _ONE.get(first, first), first)} {rest}".rstrip()


def _numbers(folder: Path) -> list[str]:
    """The names of the entries, the oldest first."""
    try:
        if not check_plain_folder(folder / HISTORY):
            return []
        return sorted((p.name for p in (folder / HISTORY).iterdir() if is_number(p.name)), key=int)
    except OSError:
        return []


def _size(path: Path) -> int:
    """Bytes of an entry's files; links are not followed."""
    return sum(os.lstat(Path(at) / name).st_size for at, _, names in os.walk(path) for name in names)


# Writing


def _hold(folder: Path, place: Path, names: Iterable[str]) -> str | None:
    """Keep old versions; says why where that cannot be done, and keeps none then."""
    try:
        for name in names:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            target = place / name
            if link_or_copy(folder / name, target):
                with target.open("rb+") as stream:
                    os.fsync(stream.fileno())
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        return f"what it replaced could not be kept: {error.strerror}"
    return None


def link_or_copy(source: Path, target: Path) -> bool:
    """The same file under a second name, or a copy where the disk has no such links; says whether it is a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        return True
    return False


def _write_entry(
    place: Path, note: ChangeNote, states: Mapping[str, States], *, undone: bool, unkept: str | None
) -> None:
    place.mkdir(parents=True, exist_ok=True)
    entry = {
        "format": 1,
        **asdict(note),
        "undone": undone,
        "unkept": unkept,
        "files": {name: [s and [s.size, s.digest] for s in both] for name, both in states.items()},
    }
    with (place / ENTRY).open("w", encoding="utf-8", newline="\n") as out:
        out.write(dump_json(entry) + "\n")
        out.flush()
        os.fsync(out.fileno())
    for at, _, _ in os.walk(place.parent):
        sync_folder(Path(at))


def sync_folder(path: Path) -> None:
    """Have a folder's own list of names on the disk."""
    if os.name == "nt":  # Windows cannot open a folder; its renames are durable without this
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Reading


def _read(path: Path) -> HistoryEntry:
    try:
        if not check_plain_folder(path) or not check_plain_file(path / ENTRY):
            raise FormatError(f"there is no {ENTRY}")
        if (path / ENTRY).stat().st_size > LARGEST_ENTRY:
            raise FormatError(f"{ENTRY} is larger than {LARGEST_ENTRY:,} bytes")
        entry = parse_json((path / ENTRY).read_text(encoding="utf-8"), path / ENTRY, 1)
        if entry["format"] != 1:
            raise FormatError(f"its format is {quoted(entry['format'])}, this version reads 1")
        if type(entry["undone"]) is not bool:
            raise FormatError("it does not say whether it was undone")
        counts = {
            _words(verb): {_words(thing): _whole(n) for thing, n in things.items()}
            for verb, things in entry["counts"].items()
        }
        when = _words(entry["when"])
        if not when:  # made from Python, without saying when: the file's own time
            written = datetime.fromtimestamp((path / ENTRY).stat().st_mtime, UTC)
            when = written.isoformat(timespec="seconds")
        return HistoryEntry(
            path=path,
            note=ChangeNote(what=_words(entry["what"]), when=when, counts=counts, edit=_edit(entry["edit"])),
            files={_name(name): _states(both) for name, both in entry["files"].items()},
            undone=entry["undone"],
            unkept=None if entry["unkept"] is None else _words(entry["unkept"]),
        )
    except (DataError, OSError, UnicodeDecodeError, ValueError, TypeError, KeyError, AttributeError) as error:
        why = error.problem if isinstance(error, FormatError) else getattr(error, "strerror", None) or error
        damage = f"{HISTORY}/{path.name} is not what Adjudge wrote ({_one_line(str(why))}); remove {HISTORY} to go on"
        return HistoryEntry(path=path, note=ChangeNote(what="unknown"), damage=f"{damage} without it")


def _edit(edit: Any) -> TextEdit | None:
    if edit is None:
        return None
    if edit["what"] not in _EDITS:
        raise FormatError(f"{quoted(edit['what'])} is no change of texts")
    system, topic, to = (_text(edit[key]) for key in ("system", "topic", "to"))
    return TextEdit(edit["what"], system, topic, to)


def _name(name: str) -> str:
    if not is_undone(name):
        raise FormatError(f"{quoted(name)} is no file that it may name")
    return name


def _states(both: Any) -> States:
    before, after = (
        None if state is None else FileState(_whole(state[0]), _digest(state[1])) for state in both
    )
    return before, after


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise FormatError(f"{quoted(value)} stands where a count was expected")
    return value


def _digest(value: Any) -> str:
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise FormatError(f"{quoted(value)} is no digest")
    return value


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise FormatError(f"{quoted(value)} stands where a text was expected")
    return value


def _words(value: Any) -> str:
    """A text for people: what would command a terminal is shown, not sent."""
    if not isinstance(value, str):
        raise FormatError(f"{quoted(value)} stands where a text was expected")
    return _one_line(value)


def _one_line(text: str) -> str:
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown if len(shown) <= 2 * LONGEST else f"{shown[: 2 * LONGEST]}..."


def shortened(command: str) -> str:
    """A command as it is kept: one line, not too long."""
    line = " ".join(command.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def kept_bytes(entries: Iterable[HistoryEntry]) -> int:
    """What the old versions take on the disk."""
    return sum(_size(entry.path) for entry in entries)


def in_time(entries: Iterable[HistoryEntry]) -> Iterator[HistoryEntry]:
    """In the order in which the changes were first made: those that were undone last, the last undone first."""
    entries = list(entries)
    yield from (entry for entry in entries if not entry.undone)
    yield from reversed([entry for entry in entries if entry.undone])
