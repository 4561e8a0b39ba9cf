"""What readers share: files to find, lines and cells to read, places to name, rows to check, NIST's names."""

from __future__ import annotations

import csv
import lzma
import re
import shutil
import sys
import zlib
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, TypeVar

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.core.phrases import MARKS, Argument
from adjudge.core.table import csv_plain
from adjudge.data.incoming import Item, LeftOut, Noted, Remark, Thing
from adjudge.data.json_records import whole_records
from adjudge.data.lines import MAX_LINE, decode, open_text, read_json_lines, unreadable
from adjudge.data.packed import PACKED, first_bytes, open_bytes
from adjudge.data.rows import HALF, Row, System

R = TypeVar("R", bound=Row)
T = TypeVar("T")
Paths = Iterable[str | Path]

JSON_LINES = (".jsonl", ".ndjson", ".jsonlines")
TABLES = (".csv", ".tsv", ".tab", ".xlsx")
NO_TEXT = LeftOut("no text")
BLANK = Noted("blank row taken as an empty summary")
BLANK_LINE = LeftOut("blank line")
HALF_PAIR = Noted("half a surrogate pair replaced by U+FFFD")
EMPTY_FILE = LeftOut("file without records")
STRAY_BYTES = Noted("bytes that are not UTF-8 read as Windows-1252")
STDIN = "stdin"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAPPED = Argument("columns", flag="map")

_SUFFIXES = (*JSON_LINES, *TABLES, ".json", ".parquet", ".xlsx", ".txt")
_LARGEST = 1_000_000_000  # a larger length or position is a mistake, and no table could hold it
_MOST_NAMES = 100  # of unused columns in a file, and
_MOST_KNOWN = 4096  # of rows remembered: memory must not grow with the input


# Files


def bare_name(path: Path) -> str:
    """The file's name without what says how it is packed."""
    return path.stem if path.suffix in PACKED else path.name


def stem(path: Path) -> str:
    """The file's name without the suffixes of its format: gpt-3.5.jsonl.gz is gpt-3.5."""
    name = bare_name(path)
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def from_files(
    paths: Paths,
    read: Callable[[Path], Iterable[tuple[str, T]]],
    suffixes: tuple[str, ...] = (),
    *,
    deep: bool = False,
) -> Iterator[tuple[str, T | LeftOut]]:
    """What `read` makes of each file that `find_files` finds, and what it leaves out."""
    for path, left in find_files(paths, suffixes, deep=deep):
        if left:
            yield str(path), left
        else:
            yield from read(path)


def find_files(
    paths: Paths, suffixes: tuple[str, ...] = (), *, deep: bool = False
) -> Iterator[tuple[Path, LeftOut | None]]:
    """The files to read, and what else lies in a given folder, with the reason why it is left out.

    A path that is no folder is taken as it is. A link that leads out of a given folder is refused.
    """
    for path in map(Path, paths):
        with reading(path):
            is_folder = path.is_dir()
        if not is_folder:
            yield path, None
            continue
        empty = True
        for file, left in _inside(path, suffixes, deep):
            empty = empty and left is not None
            yield file, left
        if empty:
            wanted = " or ".join(f"*{suffix}" for suffix in suffixes) or "a file"
            raise FormatError(f"nothing to read in this folder, expected {wanted}", file=path)


def _inside(root: Path, suffixes: tuple[str, ...], deep: bool) -> Iterator[tuple[Path, LeftOut | None]]:
    with reading(root):
        home = root.resolve()
    folders = [root]
    while folders:
        folder = folders.pop()
        with reading(folder):
            entries = sorted(folder.iterdir(), key=lambda path: path.name)
        below: list[Path] = []
        for path in entries:
            try:
                inside = not path.is_symlink() or path.resolve().is_relative_to(home)
            except (OSError, RuntimeError):  # a link to itself leads nowhere
                inside = True
            if not inside:
                raise FormatError(
                    f"leaves the folder {home}: a link to somewhere else is not followed", file=path
                )
            with reading(path):
                is_folder, is_file = path.is_dir(), path.is_file()
            if path.name.startswith("."):
                yield path, LeftOut("hidden file")
            elif is_folder and deep and not path.is_symlink():  # a linked folder may lead round in circles
                below.append(path)
            elif is_folder:
                yield path, LeftOut("folder inside the folder")
            elif not is_file:
                yield path, LeftOut("neither a file nor a folder")  # a pipe would wait for ever
            elif suffixes and not bare_name(path).lower().endswith(suffixes):
                yield path, LeftOut(f"file not named *{' or *'.join(suffixes)}")
            else:
                yield path, None
        folders.extend(reversed(below))


@contextmanager
def at_hand(path: Path) -> Iterator[Path]:
    """A file to read: the path itself, or for `-` a copy of standard input, which messages call stdin."""
    if str(path) != "-":
        yield path
        return
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / STDIN
        with copy.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)
        try:
            yield copy
        except FormatError as error:
            raise FormatError(error.problem, file=STDIN, line=error.line) from None
        except UsageError as error:
            raise UsageError(error.text.replace(str(copy), STDIN)) from None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What can go wrong while a file is opened and unpacked, as one line."""
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise unreadable(path, error) from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise unreadable(path, error) from None
        raise


def read_whole(path: Path, what: str, *, max_size: int) -> bytes:
    """All bytes of a file that is not too large; `what` is the file in the message."""
    with reading(path), open_bytes(path) as stream:
        raw = stream.read(max_size + 1)
    if len(raw) > max_size:
        raise FormatError(f"{what} is larger than {max_size:,} bytes", file=path)
    return raw


def byte_lines(path: Path, *, max_line: int) -> Iterator[tuple[int, bytes]]:
    """The lines with their ends, numbered from 1, without a byte order mark; a NUL byte is refused."""
    number = 0
    with reading(path), open_bytes(path) as stream:
        while line := stream.readline(max_line + 1):
            number += 1
            if len(line) > max_line:
                raise FormatError(
                    f"the line is longer than {max_line:,} bytes; allow more with {Argument('max_line')}",
                    file=path,
                    line=number,
                )
            if b"\0" in line:
                raise FormatError("a NUL byte: this is no text file", file=path, line=number)
            yield number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


def decoded(raw: bytes, place: Place, encoding: str | None) -> str:
    """Text with plain newlines. Without an encoding: UTF-8, and Windows-1252 for the bytes that are not."""
    if encoding is not None:
        text = decode(raw, encoding, place.path, place.line)
    else:
        text = raw.decode("utf-8", "surrogateescape")
        if not text.isascii():
            text, strays = _STRAY.subn(_windows, text)
            if strays:
                place.notes.append(STRAY_BYTES)
    return text.replace("\r\n", "\n").replace("\r", "\n")


_STRAY = re.compile("[\udc80-\udcff]")


def _windows(stray: re.Match[str]) -> str:
    byte = bytes([ord(stray.group()) - 0xDC00])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:  # five bytes have no meaning there
        return byte.decode("latin-1")


def json_objects(
    path: Path, *, max_line: int, encoding: str, column_test: Callable[[str], bool] | None = None
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """One JSON object a line, with its place; or those of an array or a table, each with its number as the line.

    `column_test` tells names of columns from those of rows, in an object of objects.
    """
    with reading(path):
        whole = whole_records(path, max_line=max_line, encoding=encoding, column_test=column_test)
        for number, value in whole or read_json_lines(path, max_line=max_line, encoding=encoding):
            place = Place(path, number)
            if not isinstance(value, dict):
                what, wanted = ("record", "an object") if whole else ("line", "one JSON object a line")
                raise place.wrong(f"the {what} is {type_name(value)}, expected {wanted}")
            yield place, value


def json_items(
    paths: Paths,
    read: Callable[[Place, dict[str, Any]], Iterable[tuple[str, T]]],
    keys: Collection[str],
    *,
    max_line: int,
    encoding: str,
) -> Iterator[tuple[str, T | Thing]]:
    """What `read` makes of every record of JSONL files; keys that are not in `keys` are named as not used."""

    def items(path: Path) -> Iterator[tuple[str, T | Thing]]:
        unused, empty = Unused(), True
        for place, record in json_objects(path, max_line=max_line, encoding=encoding):
            empty = False
            yield from unused(place, (key for key in record if key not in keys))
            yield from read(place, record)
            yield from place.noted()
        if empty:
            yield str(path), EMPTY_FILE

    return from_files(paths, items, JSON_LINES)


# Values


@dataclass(slots=True)
class Place:
    """A line of a file: makes rows that know where they stood, and notes what was changed on the way."""

    path: Path
    line: int
    notes: list[Remark] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    def item(self, thing: Thing) -> Item:
        return str(self), thing

    def noted(self) -> Iterator[Item]:
        """What was noted since the last call."""
        notes, self.notes = self.notes, []
        yield from map(self.item, notes)

    def wrong(self, problem: str) -> FormatError:
        return FormatError(_printable(problem, MARKS), file=self.path, line=self.line)

    def row(self, kind: type[R], data: dict[str, Any], called: Mapping[str, str] | None = None) -> R:
        """A checked row; `called` says which column a field came from, for the message."""
        try:
            return kind.parse(data)
        except FormatError as error:
            problem = error.problem
            for name, column in (called or {}).items():
                if problem.removeprefix("no ").startswith(f'"{name}"'):
                    problem = problem.replace(f'"{name}"', shown(column), 1)
                    break
            raise self.wrong(problem) from None

    def name(self, column: str, value: object) -> str:
        """An id by the rule that all rows have for theirs."""
        return self.row(System, {"system": scalar(self, column, value)}, {"system": column}).system

    def text(self, column: str, value: object) -> str:
        """A text that can be written: half an emoji is replaced, and noted."""
        if not isinstance(value, str):
            raise self.wrong(f"{shown(column)} is {type_name(value)}, expected a text")
        if value.isascii():
            return value
        whole, halves = HALF.subn("\ufffd", value)
        if halves:
            self.notes.append(HALF_PAIR)
        return whole

    def whole_number(self, column: str, value: object, *, least: int) -> int:
        """A whole number, also as spreadsheets write it: 100, "100", 100.0."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, str) and _WHOLE.fullmatch(value):
            value = int(value.partition(".")[0])
        if type(value) is int and least <= value <= _LARGEST:
            return value
        actual = shown(value) if isinstance(value, str | int | float) else type_name(value)
        raise self.wrong(f"{shown(column)} is {actual}, expected a whole number, {least} or more")


_WHOLE = re.compile(r"[0-9]{1,10}(\.0{1,10})?")


def scalar(place: Place, column: str, value: object) -> object:
    """A single value: a list or an object is refused, and may be too deep to be shown."""
    if isinstance(value, list | dict):
        raise place.wrong(f"{shown(column)} is {type_name(value)}, expected a single value")
    return value


def shown(text: object) -> str:
    """A value in quotes, without anything that a terminal would act on."""
    return quoted(_printable(str(text)))


def _printable(text: str, also: Collection[str] = ()) -> str:
    return (
        text if text.isprintable() else "".join(c if c.isprintable() or c in also else "\ufffd" for c in text)
    )


def type_name(value: object) -> str:
    names: dict[type, str] = {
        type(None): "null",
        bool: "true or false",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "a number")


def one_of(argument: str, value: str | None, choices: Iterable[str]) -> None:
    """Check an argument."""
    if value is not None and value not in choices:
        raise UsageError(f"{Argument(argument)} is {shown(value)}, expected one of: {', '.join(choices)}")


def whole_length(length: int | None) -> None:
    """Check an argument that is a number of words."""
    if length is not None and length < 1:
        raise UsageError(f"{Argument('length')} is {length}, expected a number of words, 1 or more")


def argument_of(name: str) -> Argument:
    """An argument of a reader by its name."""
    return {"columns": MAPPED, "quotes": Argument("quotes", False)}.get(name, Argument(name))


def mapped(field: str, column: str = "COLUMN") -> Argument:
    """The argument that says which column has a field."""
    return Argument("columns", {field: column}, flag="map")


# What has been said already


class Once:
    """Rows of topics and systems that were not seen lately: every line repeats them."""

    def __init__(self) -> None:
        self._known: set[tuple[object, ...]] = set()

    def new(self, place: Place, row: Row) -> Iterator[Item]:
        values = (row.FILE, *(getattr(row, name) for name in row.CHECKS))
        if values not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known.add(values)
            yield place.item(row)


class Unused:
    """Names what a file has and the reader does not take, each name once a file."""

    def __init__(self, what: str = "column {} not used") -> None:
        self._what = what
        self._named: set[str] = set()

    def __call__(self, place: Place, names: Iterable[str]) -> Iterator[Item]:
        for name in names:
            if name not in self._named:
                if len(self._named) < _MOST_NAMES:
                    self._named.add(name)
                    yield place.item(LeftOut(self._what.format(shown(name))))
                else:
                    yield place.item(LeftOut(self._what.format("of many names")))


# Cells of CSV, TSV and Excel files, checked and bounded

Rows = Iterator[tuple[int, list[str]]]

DELIMITERS = ",;\t|"
_LARGEST_LIMIT = 2**31 - 1  # csv keeps its limit in a C long, which has 32 bits on Windows
_SAMPLE, _SAMPLE_LINES, _SAMPLE_ROWS = 1 << 13, 100, 50  # as many tell what stands between columns
LFS = b"version https://git-lfs"
"""How a file begins that stands for a large one in a Git repository."""
_NO_TABLES = {
    b"PAR1": "a Parquet file",
    b"\xd0\xcf\x11\xe0": "a file of an old Excel (.xls): save it as .xlsx or CSV",
    b"%PDF": "a PDF file",
    LFS: "a pointer of Git LFS, not the file itself: `git lfs pull` brings it",
}


class TableCells(NamedTuple):
    """A table: its header, its rows with the numbers of the lines they begin on, and what was found out about it."""

    header: list[str]
    rows: Rows
    findings: tuple[str, ...] = ()
    delimiter: str = ""
    """What stands between columns, where it is not the usual sign and nobody said so."""

    def noted(self, *more: str) -> list[Remark]:
        """What was found out and nobody asked for, in one note: `read with ";" between columns`."""
        return [Noted(f"read {', '.join(words)}")] if (words := (*self.findings, *more)) else []


def read_cells(
    path: Path,
    *,
    delimiter: str | None = None,
    quotes: bool = True,
    unnamed_first: bool = False,
    blank: bool = False,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> TableCells:
    """The header, and the rows with the numbers of the lines they begin on, each as long as the header.

    The file's own bytes tell, whatever it is called, how it is packed, UTF-16, an Excel file, and which delimiter
    stands between its columns. Without `quotes` a quotation mark is a character like any other; with
    `unnamed_first` the first column needs no name. A blank line is no row; with `blank` it is one under the header,
    without cells. A ' that was put before what would be a formula (`table.csv_safe`) is taken off.
    """
    if delimiter is not None:
        delimiter = _one_character(delimiter)
    with reading(path):
        start = first_bytes(path, len(LFS))
    if what := next((what for magic, what in _NO_TABLES.items() if start.startswith(magic)), None):
        raise FormatError(f"is {what}, expected a table (CSV, TSV or .xlsx)", file=path)
    if start.startswith(b"PK\3\4"):
        from adjudge.formats.excel import sheet_rows

        (rows, notes), unusual = sheet_rows(path), ""
    else:
        rows, notes, unusual = _text_rows(_Lines(path, max_line, encoding), delimiter, quotes)
    line, header = next(((n, row) for n, row in rows if row), (1, []))
    header = [csv_plain(name).strip() for name in header]
    width = len(header)
    while len(header) > 1 and not header[-1]:  # every line ends with the delimiter
        header.pop()
    _check_header(header, Place(path, line), unnamed_first)
    if len(header) < width:
        rows = _cut(rows, len(header), path)
        notes.append("without the last column, which is empty")
    even = _even(rows if blank else ((n, row) for n, row in rows if row), header, path)
    return TableCells(header, even, tuple(notes), unusual)


def _cut(rows: Rows, width: int, path: Path) -> Rows:
    """Rows without the empty cells beyond the last column that has a name."""
    for line, row in rows:
        if any(cell.strip() for cell in row[width:]):
            raise FormatError(f"column {width + 1} has no name, but cells", file=path, line=line)
        yield line, row[:width]


def _one_character(delimiter: str) -> str:
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n\0 ':
        raise UsageError(f"{Argument('delimiter')} is {shown(delimiter)}, expected one character, or tab")
    return delimiter


def _called(delimiter: str) -> str:
    return "tab" if delimiter == "\t" else f'"{delimiter}"'


def _text_rows(lines: _Lines, asked: str | None, quotes: bool) -> tuple[Rows, list[str], str]:
    """The rows of a text file, what was found out, and what stands between its columns where it is not the usual."""
    csv.field_size_limit(max(csv.field_size_limit(), min(lines.max_line, _LARGEST_LIMIT)))
    usual = "\t" if bare_name(lines.path).lower().endswith((".tsv", ".tab")) else ","
    sample = lines.sample(_SAMPLE)
    if _JSON.match(sample):
        raise FormatError(
            f"looks like JSON, expected a table (CSV, TSV or .xlsx); texts come in with: adjudge import {lines.path}"
            " my-eval; scores are saved as CSV first, such as with pandas.DataFrame(...).to_csv",
            file=lines.path,
        )
    named = _SEPARATOR.match(sample)  # Excel's own line above the header
    if named:
        sample = sample[named.end() :]
    fits = _fitting(sample, quotes, asked, usual) or [asked or usual]
    if asked is not None and asked not in fits:
        raise UsageError(
            f"{Argument('delimiter')} is {_called(asked)}, but {_called(fits[0])} stands between the columns of"
            f" {lines.path}: say {Argument('delimiter', _called(fits[0]))}"
        )
    if asked is None and not named and len(fits) > 1:
        both = " and ".join(map(_called, fits))
        raise UsageError(
            f"{lines.path}: {both} may each stand between columns: say which with"
            f" {Argument('delimiter', _called(fits[0]))}"
        )
    delimiter = asked or (named[1] if named else fits[0])
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    texts = iter(lines)
    if named:
        next(texts)
    first = next(csv.reader(StringIO(sample, newline=""), delimiter=delimiter, quoting=quoting), [])
    spaced = len(first) > 1 and all(name.startswith(" ") for name in first[1:])  # written by hand: a, b, c
    reader = csv.reader(texts, delimiter=delimiter, quoting=quoting, strict=True, skipinitialspace=spaced)
    rows = _rows(reader, lines)
    notes = [] if lines.own == lines.asked else [f"as {lines.own.upper()}"]
    if asked is not None or delimiter == usual:
        return rows, notes, ""
    return rows, [*notes, f"with {_called(delimiter)} between columns"], delimiter


_JSON = re.compile(r'\s*(\{\s*("|\}\s*$)|\[\s*[\[{])')
_SEPARATOR = re.compile(r'"?sep=([^"\r\n\0 ])"?\r?\n', re.IGNORECASE)


def _fitting(sample: str, quotes: bool, asked: str | None, usual: str) -> list[str]:
    """What may stand between columns: that by which the first rows have as many cells as the header, two or more.

    What was given is it where it does. Where rows differ by each, the one by which most rows are like the header.
    """
    shares: list[tuple[float, int, str]] = []
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    for delimiter in dict.fromkeys((asked or usual, *DELIMITERS)):
        try:
            parsed = csv.reader(StringIO(sample, newline=""), delimiter=delimiter, quoting=quoting)
            widths = [len(row) for row in islice(parsed, _SAMPLE_ROWS + 1) if row]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        like = widths.count(widths[0])
        if delimiter == asked and like == len(widths):
            return [delimiter]
        if like > 1 or len(widths) == 1:
            shares.append((like / len(widths), widths[0], delimiter))
    whole = [delimiter for share, _, delimiter in shares if share == 1]
    return whole or ([max(shares)[2]] if shares else [])


class _Lines:
    """Decoded lines for csv, which pulls them until a quote closes: the sum of a row is bounded."""

    def __init__(self, path: Path, max_line: int, encoding: str) -> None:
        self.path, self.max_line = path, max_line
        self.asked = self.encoding = self.own = encoding
        self._number = self._size = 0
        self._raw = self._read()
        self._held: deque[bytes] = deque()
        self.first = 1

    def begin(self) -> None:
        """A new row begins on the next line."""
        self._size, self.first = 0, self._number + 1

    def sample(self, size: int) -> str:
        """The first lines, which `iter` gives again."""
        while size > 0 and len(self._held) < _SAMPLE_LINES and (line := next(self._raw, b"")):
            self._held.append(line)
            size -= len(line)
        return (
            b"".join(self._held).removeprefix(BYTE_ORDER_MARK).decode(self.encoding, "replace")[: 4 * _SAMPLE]
        )

    def _read(self) -> Iterator[bytes]:
        with reading(self.path):
            text = open_text(self.path, self.encoding)
            self.encoding, self.own = text.encoding, text.file_encoding
            with text.stream as stream:
                while line := stream.readline(self.max_line - self._size + 1):
                    yield line

    def __iter__(self) -> Iterator[str]:
        while line := self._held.popleft() if self._held else next(self._raw, b""):
            self._number += 1
            self._size += len(line)
            if self._size > self.max_line:
                raise FormatError(
                    f"the row is longer than {self.max_line:,} bytes (is a quote left open?);"
                    f" allow more with {Argument('max_line')}",
                    file=self.path,
                    line=self.first,
                )
            if b"\0" in line:
                raise FormatError("a NUL byte: this is no text file", file=self.path, line=self._number)
            if self._number == 1:
                line = line.removeprefix(BYTE_ORDER_MARK)
            yield decode(line, self.encoding, self.path, self._number)


def _rows(reader: Iterator[list[str]], lines: _Lines) -> Rows:
    while True:
        lines.begin()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(_said(str(error)), file=lines.path, line=lines.first) from None
        yield lines.first, row


def _said(message: str) -> str:
    """What csv means, in words that say what to do."""
    if "unexpected end" in message:
        return "a quote is opened and not closed: is the file cut off?"
    if "new-line" in message:
        return "a carriage return inside the row: save the file with Unix or Windows line ends"
    if "expected after" in message:
        return (
            "text after a closing quote: a quote inside a cell is written twice, or say"
            f" {Argument('quotes', False)}"
        )
    return f"not a row of cells: {message}"


def _check_header(header: list[str], place: Place, unnamed_first: bool) -> None:
    if not header:
        raise FormatError("empty, expected a header line", file=place.path)
    if len(header) == 1 and (sign := next((c for c in DELIMITERS if c in header[0]), None)):
        raise place.wrong(
            f"one column, named {shown(header[0])}: if {_called(sign)} stands between columns,"
            f" say {Argument('delimiter', _called(sign))}"
        )
    for number, name in enumerate(header, 1):
        if not name and not (unnamed_first and number == 1):
            raise place.wrong(f"column {number} has no name")
    name, count = Counter(header).most_common(1)[0]
    if count > 1:
        raise place.wrong(f"{count} columns are named {shown(name)}: give each a name of its own")


def _even(rows: Rows, header: Sequence[str], path: Path) -> Rows:
    for line, row in rows:
        if row and len(row) != len(header):
            raise FormatError(
                f"the row has {len(row)} cells, the header {len(header)}: {_why_uneven(row, len(header))}",
                file=path,
                line=line,
            )
        yield line, [csv_plain(cell) for cell in row]


def _why_uneven(row: Sequence[str], width: int) -> str:
    if len(row) < width:
        return "an empty cell needs its delimiter too; or is a line break in a text without quotes around it?"
    digits = sum(cell.strip().isdigit() for cell in row)
    unnamed = ["has the first column no name?"] * (len(row) == width + 1)
    if len(row) == 2 * width - 1 and digits >= 2 * width - 2:
        commas = "are there decimal commas in it? Write it with another delimiter, or with decimal points"
        return " Or ".join([*unnamed, commas])
    return " Or ".join([*unnamed, "is there a delimiter in a text without quotes around it?"])


# NIST's names

NIST_TASKS = {"M": "multi", "S": "single"}
"""The letter in D0601.M.250.A.17 that says whether one document was summarized or several."""
BASELINES = 1
"""NIST's numbers up to this one are baselines, unless told otherwise: how many there are differs by year."""


def is_person(name: str) -> bool:
    """At NIST a letter is a person and a number a system."""
    return len(name) == 1 and name.isascii() and name.isalpha()


def nist_kind(system: str, baselines: int = BASELINES) -> str | None:
    """What NIST's id of a summarizer tells: a letter is a person, a low number a baseline.

    None for the rest: no kind means machine, and does not contradict what other files say.
    """
    if is_person(system):
        return "human"
    return "baseline" if re.fullmatch(r"[0-9]{1,6}", system) and int(system) <= baselines else None
