"""An evaluation's folder: its settings (evaluation.toml, written by people) and its rows as a stream."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from adjudge.core.errors import ClashError, DataError, FormatError, UsageError, nearest, quoted
from adjudge.data.absent import near_words
from adjudge.data.layout import LOCK, SETTINGS, check_layout, check_plain_file
from adjudge.data.lines import MAX_LINE, read_json_lines, too_long
from adjudge.data.rows import Row, Summary
from adjudge.data.transaction import settle, write_whole

LARGEST_TOML = 16 * 1024 * 1024  # bytes

R = TypeVar("R", bound=Row)
_OF_FILES = (
    ".csv",
    ".gz",
    ".htm",
    ".html",
    ".json",
    ".jsonl",
    ".parquet",
    ".tsv",
    ".txt",
    ".xlsx",
    ".xml",
    ".zip",
)

_TEMPLATE = """\
# An Adjudge evaluation. People write this file; no command changes it after `adjudge init`.
# The rows of the evaluation lie beside it, one JSON object a line:
#   summaries.jsonl   {{"topic", "system", "length", "form", "roles", "author", "text", "withdrawn"}}   needed
#   documents.jsonl   {{"topic", "id", "date", "text"}}
#   topics.jsonl      {{"topic", "set", "type", "task", "selector", "title", "question"}}
#   systems.jsonl     {{"system", "kind", "label", "group"}}        kind: machine, baseline, human
#   units.jsonl       made by `adjudge units`; edit it by hand and set "edited": true
#   scores/           made by `adjudge score` and `adjudge import scores`

name = {name}

# The language of the texts (ISO 639-1). It chooses the sentence rules, stop words and stemmers.
language = "en"

# Target lengths in words that summaries were asked for. Leave it empty where there was none.
lengths = []

# What assessors are asked, unless told otherwise: duc-2001, duc-2002, linguistic-quality, preference-sentences,
# preference-summaries, pyramid, rating or responsiveness; or the name of a .toml file of your own in this folder.
# protocol = "duc-2002"

# Where judgments are kept. Unset: judgments.sqlite in this folder.
# database = "postgresql+psycopg://user@host/name"

# How the annotation app (adjudge serve) behaves; what stands here is what it does unless told otherwise.
# [judging]
# said_before = "show"            # an earlier answer of one's own to the same sentences: show, prefill or hide it
# pairs_per_topic = 200           # sentence pairs that are asked of a topic, all assessors together
# next_pair = "information"       # which pair comes next: information, variance or random
# lease_minutes = 30              # how long a pair that was handed out is nobody else's
# organisers_who_judge = []       # organisers who may judge too; results stay closed to them until they are done
"""

SAID_BEFORE = ("show", "prefill", "hide")
NEXT_PAIR = ("information", "variance", "random")


@dataclass(frozen=True, slots=True)
class Judging:
    """What [judging] says: how the annotation app behaves."""

    said_before: str = "show"
    pairs_per_topic: int = 200
    next_pair: str = "information"
    lease_minutes: int = 30
    organisers_who_judge: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What evaluation.toml says."""

    name: str
    language: str = "en"
    lengths: tuple[int, ...] = ()
    protocol: str | None = None
    database: str | None = None
    judging: Judging = Judging()


_KNOWN = ("name", "language", "lengths", "protocol", "database", "judging")


def read_settings(folder: Path) -> Settings:
    """The settings of a folder; a folder without the file gets its own name and the defaults."""
    path = folder / SETTINGS
    if not check_plain_file(path):
        return Settings(name=name_of(folder))
    data = parse_toml(read_text(path), path)
    _refuse_unknown(data, _KNOWN, path)
    # An address; never a path, which could be any file of the user's.
    database = _text(data, "database", path)
    if database and not database.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        # The address may hold a password: it is not shown.
        raise FormatError("database is no address, expected postgresql://USER@HOST/NAME", file=path)
    lengths = data.get("lengths", [])
    if not isinstance(lengths, list) or not all(type(v) is int and v > 0 for v in lengths):
        raise FormatError(
            f"lengths is {quoted(lengths)}, expected numbers of words such as [50, 100]", file=path
        )
    return Settings(
        name=_text(data, "name", path) or name_of(folder),
        language=_text(data, "language", path) or "en",
        lengths=tuple(lengths),
        protocol=_text(data, "protocol", path),
        database=database or None,
        judging=_judging(data.get("judging", {}), path),
    )


def name_of(folder: Path) -> str:
    """A folder's own name, as text: bytes that are not UTF-8 become question marks."""
    return os.fsencode(folder.resolve().name).decode("utf-8", errors="replace")


def read_text(path: Path) -> str:
    """The text of a TOML file; one that cannot be read as UTF-8 is refused in one line."""
    try:
        if not path.is_file():
            problem = "is no plain file" if path.exists() else "no such file"
            raise FormatError(f"{problem}; put a TOML file there", file=path)
        if path.stat().st_size > LARGEST_TOML:
            raise FormatError(f"larger than {LARGEST_TOML:,} bytes, which is too much for TOML", file=path)
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise FormatError(
            f"byte {byte:#04x} at position {error.start + 1} is not UTF-8; save the file as UTF-8", file=path
        ) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", file=path) from None


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """What a text in TOML holds."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"not TOML: {error}", file=path) from None
    except RecursionError:
        raise FormatError("not TOML that can be read: nested too deeply", file=path) from None
    except ValueError as error:  # a number of more digits than Python converts, a day that no month has
        raise FormatError(f"not TOML that can be read: {too_long(error)}", file=path) from None


def _judging(data: object, path: Path) -> Judging:
    if not isinstance(data, dict):
        raise FormatError(f"judging is {quoted(data)}, expected a table: [judging]", file=path)
    _refuse_unknown(data, tuple(field.name for field in fields(Judging)), path)
    for key, choices in (("said_before", SAID_BEFORE), ("next_pair", NEXT_PAIR)):
        if key in data and data[key] not in choices:
            raise FormatError(
                f"{key} is {quoted(data[key])}, expected one of: {', '.join(choices)}", file=path
            )
    for key in ("pairs_per_topic", "lease_minutes"):
        if key in data and (type(data[key]) is not int or data[key] < 1):
            raise FormatError(f"{key} is {quoted(data[key])}, expected a whole number above 0", file=path)
    who = data.get("organisers_who_judge", [])
    if not isinstance(who, list) or not all(isinstance(name, str) for name in who):
        raise FormatError(f"organisers_who_judge is {quoted(who)}, expected a list of names", file=path)
    return Judging(**{**data, "organisers_who_judge": tuple(who)})


def _refuse_unknown(data: dict[str, Any], allowed: tuple[str, ...], path: Path) -> None:
    for key in data:
        if key not in allowed:
            raise FormatError(f"unknown setting {quoted(key)}{nearest(key, allowed)}", file=path)


def _text(data: dict[str, Any], key: str, path: Path) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise FormatError(f"{key} is {quoted(value)}, expected a text in quotes", file=path)
    return value


def _how_to_begin(path: Path) -> str:
    """What to type about a folder that is no evaluation; one with files in it is rather to be imported."""
    if any(entry.suffix != ".toml" for entry in path.iterdir()):
        return (
            f"to import what is in it: adjudge import {path} my-eval; to make one in it: adjudge init {path}"
        )
    return f"make one with: adjudge init {path}"


def _is_evaluation(path: Path) -> bool:
    return (path / SETTINGS).exists() or (path / Summary.FILE).exists()


@dataclass(frozen=True)
class Folder:
    """A folder that holds an evaluation."""

    path: Path
    settings: Settings

    @classmethod
    def open(cls, path: str | Path, *, create: bool = False) -> Folder:
        """The evaluation at `path`; finishes an interrupted change first.

        With `create`, one that is not there yet will do: `make` makes it.
        """
        path = Path(path)
        try:
            if path.is_file():
                what = (
                    ", which comes last, such as my-eval"
                    if create
                    else f"; to import it: adjudge import {path} my-eval"
                )
                raise DataError(f"{path}: is a file, expected an evaluation's folder{what}")
            if path.exists() and not os.access(path, os.R_OK | os.X_OK):
                raise DataError(f"{path}: cannot be read: Permission denied")
            if create and (not path.exists() or (path.is_dir() and not any(path.iterdir()))):
                # The evaluation comes last on a command line: where it was forgotten, a file or a pattern stands there.
                if path.suffix.lower() in _OF_FILES or any(c in path.name for c in "*?[]"):
                    raise UsageError(
                        f"{path} is no name for a new evaluation: its folder, such as my-eval, comes after the files"
                    )
                return cls(path, Settings(name=name_of(path)))
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from None
        if not path.is_dir():
            raise DataError(
                f"{path}: no such folder{near_words(path)}; make an evaluation with: adjudge init {path}"
            )
        if not _is_evaluation(path):
            raise DataError(
                f"{path}: no evaluation here (neither {SETTINGS} nor {Summary.FILE}); {_how_to_begin(path)}"
            )
        check_layout(path)
        settle(path)
        return cls(path, read_settings(path))

    @classmethod
    def init(cls, path: str | Path, *, name: str | None = None) -> Folder:
        """A new, empty, valid evaluation."""
        path = Path(path)
        try:
            if path.exists() and not path.is_dir():
                raise ClashError(f"{path}: is a file, expected a folder or nothing")
            check_layout(path)
            if _is_evaluation(path):
                raise ClashError(f"{path}: an evaluation is here already")
        except OSError as error:
            raise DataError(f"{path}: cannot be made: {error.strerror}") from None
        cls(path, Settings(name=name or name_of(path))).make()
        return cls(path, read_settings(path))

    def make(self) -> list[Path]:
        """Make the evaluation if it is not there; what was made, for `unmake`."""
        if _is_evaluation(self.path):
            return []
        made = [path for path in (self.path, *self.path.parents) if not path.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(
                self.path / SETTINGS,
                _TEMPLATE.format(name=json.dumps(self.settings.name, ensure_ascii=False)),
            )
        except (OSError, DataError) as error:
            self.unmake(made)
            if isinstance(error, OSError):
                raise DataError(f"{self.path}: cannot be made: {error.strerror}") from None
            raise
        return [self.path / SETTINGS, *made]

    def unmake(self, made: Iterable[Path]) -> None:
        """Take away what `make` made, as far as nothing else has come to it."""
        with suppress(OSError):
            (self.path / LOCK).unlink(missing_ok=True)
        for path in made:
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)

    def file(self, rows: type[Row]) -> Path:
        """Where the rows of one kind are."""
        return self.path / rows.FILE

    def has(self, rows: type[Row]) -> bool:
        return self.file(rows).exists()

    def rows(self, rows: type[R], *, max_line: int = MAX_LINE) -> Iterator[tuple[int, R]]:
        """The rows of one file with their line numbers, each checked; nothing where it is absent."""
        path = self.file(rows)
        if path.exists():
            for line, data in read_json_lines(path, max_line=max_line):
                try:
                    yield line, rows.parse(data)
                except FormatError as error:
                    raise FormatError(error.problem, file=path, line=line) from None
