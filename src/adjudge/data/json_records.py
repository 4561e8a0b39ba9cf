"""JSON that is not one value a line: arrays of objects, objects over several lines, tables by column.

What `json.dump`, `jq`, `DataFrame.to_json` and the viewer of the Hugging Face Hub write. An array is read an element at
a time; a file that is one object is read whole, up to the limit of a line. A record's number stands for its line.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from adjudge.data.lines import open_text, parse_json, parse_json_at, read_lines
from adjudge.errors import FormatError

INSIDE = ("data", "rows", "records", "examples", "instances")
"""Names under which a file that is one object has its records."""
_BLOCK = 1 << 16
_START = 1 << 12
_SPACE = " \t\r\n"
_NO_SPACE = re.compile(r"[^ \t\r\n]")


def text_start(path: Path, encoding: str = "utf-8", size: int = _START) -> str:
    """How a text file begins, decoded as far as it can be."""
    text = open_text(path, encoding)
    with text.stream as stream:
        start = stream.read(size)
    return codecs.getincrementaldecoder(text.encoding)("replace").decode(start).removeprefix("\ufeff")


def whole_records(path: Path, *, max_line: int, encoding: str) -> Iterator[tuple[int, Any]] | None:
    """The numbered records of a file that is an array, a table by column or objects over several lines.

    None where it is something else: one value a line, as far as can be seen.
    """
    if not path.is_file():  # what is read from a pipe is gone
        return None
    start = text_start(path, encoding).lstrip(_SPACE)
    if start.startswith("["):
        return _elements(path, max_line, encoding)
    if not start.startswith("{"):
        return None
    lines = read_lines(path, max_line=max_line, encoding=encoding)
    try:
        line = next(lines)[1]
    except FormatError:
        return None  # it will be met again
    try:
        value = parse_json(line, path, 1)
    except FormatError:
        return _objects(path, max_line, encoding)
    if isinstance(value, dict) and (rows := inside(value)) and next(lines, None) is None:
        return iter(list(enumerate(rows, 1)))
    return None


class _Text:
    """A file's text, with as much of it in memory as one value takes."""

    def __init__(self, path: Path, stream: IO[str], max_line: int) -> None:
        self._path, self._stream, self._max = path, stream, max_line
        self.text, self.at, self.ended = "", 0, False

    def more(self, number: int) -> bool:
        """Read as much again as there is; whether there was any."""
        rest = self.text[self.at :]
        self._check(len(rest), number)
        found = self._stream.read(max(_BLOCK, len(rest)))
        self.text, self.at, self.ended = rest + found, 0, not found
        return bool(found)

    def _check(self, size: int, number: int) -> None:
        if size > self._max:
            raise FormatError(
                f"the record is longer than {self._max:,} characters; allow more with --max-line",
                file=self._path,
                line=number,
            )

    def next(self, number: int) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            found = _NO_SPACE.search(self.text, self.at)
            if found:
                self.at = found.start()
                return found[0]
            self.at = len(self.text)
            if not self.more(number):
                return ""

    def value(self, number: int) -> Any:
        """The value that begins here. One that is not whole yet is tried again with twice as much text."""
        while True:
            try:
                value, end = parse_json_at(self.text, self.at, self._path, number)
            except FormatError:
                if not self.ended and self.more(number):
                    continue
                raise
            if end == len(self.text) and self.more(number):  # 12 may go on as 123
                continue
            self._check(end - self.at, number)
            self.at = end
            return value


def _opened(path: Path, encoding: str) -> IO[str]:
    text = open_text(path, encoding)
    without_mark = "utf-8-sig" if text.encoding == "utf-8" else text.encoding
    return io.TextIOWrapper(text.stream, encoding=without_mark, newline="\n")


def _elements(path: Path, max_line: int, encoding: str) -> Iterator[tuple[int, Any]]:
    with _opened(path, encoding) as stream:
        try:
            yield from _of_array(path, _Text(path, stream, max_line))
        except UnicodeError as error:
            raise _not_decoded(path, encoding, error) from None


def _of_array(path: Path, text: _Text) -> Iterator[tuple[int, Any]]:
    text.next(1)
    text.at += 1
    number, sign = 1, text.next(1)
    while sign != "]":
        text.next(number)
        value = text.value(number)
        if number == 1 and not isinstance(value, dict):
            raise FormatError(
                "the line is a list, expected one JSON object a line, or a list of objects",
                file=path,
                line=1,
            )
        yield number, value
        sign = text.next(number)
        if sign == ",":
            text.at += 1
            number, sign = number + 1, ""
        elif sign != "]":
            found = "the file ends" if not sign else f'"{sign}" follows'
            raise FormatError(
                f"not JSON: {found} where a list goes on or ends, after record {number}", file=path
            )
    text.at += 1
    if text.next(number):
        raise FormatError(f"not JSON: something follows the list of {number:,} records", file=path)


def _objects(path: Path, max_line: int, encoding: str) -> Iterator[tuple[int, Any]] | None:
    """Objects one after another, or the records inside a single one. None where the first is no JSON."""
    with _opened(path, encoding) as stream:
        text = _Text(path, stream, max_line)
        try:
            text.next(1)
            first = text.value(1)
            alone = not text.next(1)
        except (FormatError, UnicodeError):
            return None  # read line by line, which says what is wrong and where
    rows = inside(first) if alone and isinstance(first, dict) else None
    return _one_after_another(path, max_line, encoding) if rows is None else iter(list(enumerate(rows, 1)))


def _one_after_another(path: Path, max_line: int, encoding: str) -> Iterator[tuple[int, Any]]:
    with _opened(path, encoding) as stream:
        text = _Text(path, stream, max_line)
        number = 1
        try:
            while text.next(number):
                yield number, text.value(number)
                number += 1
        except UnicodeError as error:
            raise _not_decoded(path, encoding, error) from None


def _not_decoded(path: Path, encoding: str, error: UnicodeError) -> FormatError:
    return FormatError(f"not {encoding}: {getattr(error, 'reason', error)}", file=path)


def inside(value: Mapping[str, Any]) -> list[Any] | None:
    """The records of an object that is no record itself: a list under a usual name, or a table by column."""
    for name in INSIDE:
        rows = value.get(name)
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            own = all(isinstance(row.get("row"), dict) for row in rows)  # as the Hub's viewer has them
            return [row["row"] for row in rows] if own else rows
    columns = list(value.values())
    if len(columns) < 2:
        return None
    if all(isinstance(column, list) for column in columns) and len({len(c) for c in columns}) == 1:
        return [dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if all(isinstance(column, dict) for column in columns) and all(
        c.keys() == columns[0].keys() for c in columns
    ):
        return [{name: value[name][key] for name in value} for key in columns[0]]
    return None
