"""The exception tree. The library raises these; only the command line exits.

AdjudgeError            one line that a person can act on
├── UsageError          the call is wrong: an unknown name, a bad option (exit 2)
│   └── Undecided       the data can be read in several ways: says the words that choose each (exit 2)
├── DataError           the data is wrong: a file, a row, a value (exit 1)
│   ├── FormatError     a file does not hold what it should
│   └── ClashError      something is there already
└── StoreUnavailable    nothing is wrong with what was asked: the disk or the database cannot do it now (exit 1)
    └── BusyError       somebody else is writing to this evaluation
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from adjudge.core.phrases import Call, in_one_line, spoken


class AdjudgeError(Exception):
    """Something a user can put right. Its text is one line."""

    exit_code = 1

    @property
    def text(self) -> str:
        """The text for any door, to be part of another one; see core/phrases."""
        return super().__str__()

    def __str__(self) -> str:
        return spoken(self.text, "python")


class UsageError(AdjudgeError):
    """The call is wrong."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class Way(Call):
    """One way out of several: arguments to add to the call, or another call."""

    meaning: str

    def after(self, command: Sequence[str]) -> list[str]:
        return [*command[:1], *self.words] if self.command else [*command, *self.words]


class Undecided(UsageError):
    """The data can be read in several ways, and nothing in it says which is meant."""

    def __init__(self, problem: str, ways: Sequence[Way], *, between: str = "or"):
        self.problem, self.ways, self._between = problem, tuple(ways), between
        choices = f", {between} ".join(f"{way} ({way.meaning})" for way in self.ways)
        super().__init__(f"{problem}: say {choices}")

    def with_commands(self, command: Sequence[str]) -> str:
        """The same with whole commands, to be typed instead of `command`."""
        choices = f" {self._between} ".join(
            f"`{in_one_line(way.after(command))}` ({way.meaning})" for way in self.ways
        )
        return f"{self.problem}. Type {choices}"


class DataError(AdjudgeError):
    """The data is wrong."""


class FormatError(DataError):
    """A file does not hold what it should: says the file, the line, what is wrong, what was expected."""

    def __init__(self, problem: str, *, file: str | Path | None = None, line: int | None = None):
        self.problem = problem
        self.file = None if file is None else str(file)
        self.line = line
        place = ":".join(str(part) for part in (self.file, line) if part is not None)
        super().__init__(f"{place}: {problem}" if place else problem)


class ClashError(DataError):
    """Something with the same key is there already."""


class StoreUnavailable(AdjudgeError):
    """What an evaluation is kept in cannot be read or written now: a full disk, a database that is stopped.

    No DataError: whoever takes those for an answer ("no such task") must not take this for one. The same can be asked
    again later.
    """


class BusyError(StoreUnavailable):
    """Somebody else is writing to this evaluation."""


def nearest(name: str, names: Iterable[str], *, most: int = 3) -> str:
    """A hint such as `` (nearest: "D0631")``, or nothing where no name is close; case does not count."""
    folded: dict[str, list[str]] = {}
    for candidate in names:
        folded.setdefault(candidate.casefold(), []).append(candidate)
    folds = get_close_matches(name.casefold(), folded, n=most, cutoff=0.6)
    close = [candidate for fold in folds for candidate in folded[fold]][:most]
    return f" (nearest: {', '.join(map(quoted, close))})" if close else ""


def among(name: str, names: Iterable[str], *, most: int = 8) -> str:
    """As `nearest`; where no name is close, those that there are: ``; there are: a, b``."""
    there = list(names)
    if not there:
        return "; there are none"
    rest = f" and {len(there) - most:,} more" if len(there) > most else ""
    return nearest(name, there) or f"; there are: {', '.join(there[:most])}{rest}"


def quoted(text: object) -> str:
    """A value as it is shown in a message: in quotes, on one line, not too long."""
    plain = str(text)
    if not plain.isprintable():
        plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in plain)
    return f'"{plain if len(plain) <= 60 else plain[:57] + "..."}"'


def quoted_json(value: object) -> str:
    """As `quoted`, for a value of a JSON or TOML file: as JSON, which has quotes around texts only."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if text.isprintable() else json.dumps(value, default=str).replace("\x7f", "\\u007f")
    return text if len(text) <= 60 else f"{text[:57]}..."
