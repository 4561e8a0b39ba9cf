"""A bare table of scores, without a folder: rows under the measures' own names, and the kinds it says.

The cells are read by formats/scoretable.py; what is made of the rows is decided in scoredata.py.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.rows import System
from adjudge.data.scores import KEY, MeasureInfo, Score
from adjudge.errors import DataError, FormatError, UsageError, nearest, quoted
from adjudge.formats import scoretable
from adjudge.formats.files import TABLES, bare_name, reading
from adjudge.wording import listed

STDIN = "stdin"
PARQUET = ".parquet"
_SOURCE = "_"  # the importer puts a source before a measure's name; here the name stands alone

_key = attrgetter(*KEY)
LowerIsBetter = bool | str | Collection[str]


class TableOptions(TypedDict, total=False):
    """How to read a table, where it does not say itself; see `formats.scoretable.read`."""

    measure: str | None
    lower_is_better: LowerIsBetter
    length: int | None
    columns: Mapping[str, str] | None
    delimiter: str | None
    quotes: bool
    encoding: str


@dataclass
class BareTable:
    """What a table holds. `kinds` has the systems whose kind it says, `notes` what was left out."""

    name: str
    rows: list[Score] = field(default_factory=list)
    infos: list[MeasureInfo] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_folder(path: str | Path) -> bool:
    """Whether scores are to be had from a folder; `-` is standard input."""
    with reading(Path(path)):
        return str(path) != "-" and Path(path).is_dir()


def check_path(path: Path, table: TableOptions) -> None:
    """Refuse what is no file of scores, by its name."""
    if str(path) == "-":
        return
    if is_folder(path):
        raise DataError(f"{path}: is a folder, expected a file of scores")
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    suffix = Path(bare_name(path)).suffix
    if suffix and suffix.lower() not in (*TABLES, PARQUET) and not table.get("delimiter"):
        raise FormatError(
            f"expected a table of scores ({', '.join(TABLES)}) or a score file ({PARQUET}), not"
            f" {quoted(suffix)}; of a table by another name say what stands between columns: --delimiter",
            file=path,
        )


def no_table(path: str | Path, table: TableOptions) -> None:
    """Refuse options of tables where there is none: a folder and a score file say those things themselves."""
    for name, value in table.items():
        if value and (name, value) not in (("quotes", True), ("encoding", "utf-8")):
            option = {"columns": "map", "lower_is_better": "lower-is-better"}.get(name, name)
            raise UsageError(f"--{option} is for a table of numbers (CSV or TSV), which {path} is not")


def read_table(path: Path, table: TableOptions) -> BareTable:
    """A CSV or TSV file, or standard input for `-`: a matrix, or a long table."""
    if str(path) != "-":
        return _read(path, path.name, table)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / STDIN  # the importer reads files; no message shows where this one lies
        with copy.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        try:
            return _read(copy, STDIN, table)
        except FormatError as error:
            raise FormatError(error.problem, file=STDIN, line=error.line) from None
        except UsageError as error:
            raise UsageError(str(error).replace(str(copy), STDIN)) from None


def _read(path: Path, name: str, table: TableOptions) -> BareTable:
    options = table.copy()
    lower = options.pop("lower_is_better", False)
    found = _collect(path, name, scoretable.read([path], source=_SOURCE, **options))
    if not found.rows:
        raise FormatError("a header without rows: no scores", file=path)
    if all(row.value != row.value for row in found.rows):
        raise FormatError("no numbers: every score is missing", file=path)
    found.infos = _directed(found.infos, lower)
    return found


def _collect(path: Path, name: str, items: Iterable[Item]) -> BareTable:
    found = BareTable(name)
    seen: dict[tuple[object, ...], int] = {}
    left: Counter[str] = Counter()
    for place, thing in items:
        line = int(number) if (number := place.removeprefix(f"{path}:")).isdigit() else 1
        match thing:
            case Score():
                first = seen.setdefault(_key(thing), line)
                if first != line:
                    raise _second(thing, first, path, line)
                found.rows.append(_renamed(thing))
            case MeasureInfo():
                info = replace(thing, measure=_own(thing.measure), signature=_own(thing.signature))
                found.infos.append(info)
            case System(kind=str(kind)):
                if found.kinds.setdefault(thing.system, kind) != kind:
                    raise FormatError(
                        f"system {quoted(thing.system)} is a {kind} here and a {found.kinds[thing.system]} above",
                        file=path,
                        line=line,
                    )
            case LeftOut():
                left[thing.reason] += 1
    found.notes = [f"{name}: {reason}{f', {n:,} times' if n > 1 else ''}" for reason, n in left.items()]
    return found


def _own(text: str) -> str:
    return text.removeprefix(f"{_SOURCE}:")


def _renamed(row: Score) -> Score:
    """`dataclasses.replace` would take longer than all the rest."""
    return Score(
        _own(row.measure),
        row.topic,
        row.system,
        row.value,
        row.length,
        row.assessor,
        row.reference,
        row.repeat,
        row.why,
    )


def _second(row: Score, first: int, path: Path, line: int) -> FormatError:
    return FormatError(
        f"a second score of {_own(row.measure)} for topic {quoted(row.topic)}, system {quoted(row.system)}"
        f" (the first is in line {first}): tell them apart by length, assessor, reference or repeat",
        file=path,
        line=line,
    )


def _directed(infos: Sequence[MeasureInfo], lower: LowerIsBetter) -> list[MeasureInfo]:
    """Measures with their directions: lower is better for all (True), for none, or for those named."""
    if isinstance(lower, bool):
        names = {info.measure for info in infos} if lower else set()
    else:
        names = {lower} if isinstance(lower, str) else set(lower)
    known = [info.measure for info in infos]
    for name in sorted(names - set(known)):
        raise UsageError(
            f"--lower-is-better {quoted(name)}: no such measure{nearest(name, known)};"
            f" there are: {listed(known)}"
        )
    return [replace(info, better="lower" if info.measure in names else "higher") for info in infos]
