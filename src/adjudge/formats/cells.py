"""CSV and TSV files as rows of cells, checked and bounded. What the cells mean is decided elsewhere."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from adjudge.data.lines import MAX_LINE, decode, open_bytes
from adjudge.errors import FormatError, UsageError
from adjudge.formats.files import BYTE_ORDER_MARK, Place, bare_name, reading, shown

_LARGEST_LIMIT = 2**31 - 1  # csv keeps its limit in a C long, which has 32 bits on Windows
Rows = Iterator[tuple[int, list[str]]]


def read_cells(
    path: Path,
    *,
    delimiter: str | None = None,
    quotes: bool = True,
    unnamed_first: bool = False,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> tuple[list[str], Rows]:
    """The header, and the rows with the numbers of the lines they begin on, each as long as the header.

    Without `quotes` a quotation mark is a character like any other; with `unnamed_first` the first
    column needs no name.
    """
    delimiter = _delimiter(path, delimiter)
    csv.field_size_limit(max(csv.field_size_limit(), min(max_line, _LARGEST_LIMIT)))
    lines = _Lines(path, max_line, encoding)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    reader = csv.reader(iter(lines), delimiter=delimiter, quoting=quoting, strict=True)
    rows = _rows(reader, lines)
    line, header = next(rows, (1, []))
    header = [name.strip() for name in header]
    _check_header(header, Place(path, line), unnamed_first)
    return header, _even(rows, len(header), path)


def _delimiter(path: Path, delimiter: str | None) -> str:
    if delimiter is None:
        return "\t" if bare_name(path).lower().endswith((".tsv", ".tab")) else ","
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n\0 ':
        raise UsageError(f"--delimiter is {shown(delimiter)}, expected one character, or tab")
    return delimiter


class _Lines:
    """Decoded lines for csv, which pulls them until a quote closes: the sum of a row is bounded."""

    def __init__(self, path: Path, max_line: int, encoding: str) -> None:
        self.path, self._max_line, self._encoding = path, max_line, encoding
        self._number = self._size = 0
        self.first = 1

    def begin(self) -> None:
        """A new row begins on the next line."""
        self._size, self.first = 0, self._number + 1

    def __iter__(self) -> Iterator[str]:
        with reading(self.path), open_bytes(self.path) as stream:
            while line := stream.readline(self._max_line - self._size + 1):
                self._number += 1
                self._size += len(line)
                if self._size > self._max_line:
                    raise FormatError(
                        f"the row is longer than {self._max_line:,} bytes (is a quote left open?);"
                        " allow more with --max-line",
                        file=self.path,
                        line=self.first,
                    )
                if b"\0" in line:
                    raise FormatError("a NUL byte: this is no text file", file=self.path, line=self._number)
                if self._number == 1:
                    line = line.removeprefix(BYTE_ORDER_MARK)
                yield decode(line, self._encoding, self.path, self._number)


def _rows(reader: Iterator[list[str]], lines: _Lines) -> Rows:
    while True:
        lines.begin()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(_said(str(error)), file=lines.path, line=lines.first) from None
        if row:  # a blank line is none
            yield lines.first, row


def _said(message: str) -> str:
    """What csv means, in words that say what to do."""
    if "unexpected end" in message:
        return "a quote is opened and not closed: is the file cut off?"
    if "new-line" in message:
        return "a carriage return inside the row: save the file with Unix or Windows line ends"
    if "expected after" in message:
        return "text after a closing quote: a quote inside a cell is written twice, or say --no-quotes"
    return f"not a row of cells: {message}"


def _check_header(header: list[str], place: Place, unnamed_first: bool) -> None:
    if not header:
        raise FormatError("empty, expected a header line", file=place.path)
    if len(header) == 1 and (found := next((c for c in ";\t|," if c in header[0]), None)):
        name = "tab" if found == "\t" else f'"{found}"'
        raise place.wrong(f"the header is one column: say --delimiter {name}")
    for number, name in enumerate(header, 1):
        if not name and not (unnamed_first and number == 1):
            raise place.wrong(f"column {number} has no name")
    name, count = Counter(header).most_common(1)[0]
    if count > 1:
        raise place.wrong(f"{count} columns are named {shown(name)}")


def _even(rows: Rows, width: int, path: Path) -> Rows:
    for line, row in rows:
        if len(row) != width:
            raise FormatError(
                f"the row has {len(row)} cells, the header {width}: is there a delimiter in a text"
                " without quotes around it?",
                file=path,
                line=line,
            )
        yield line, row
