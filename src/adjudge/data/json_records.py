"""JSON that is not one value a line: arrays of objects, objects over several lines, tables by column.

What `json.dump`, `jq`, `DataFrame.to_json` and the viewer of the Hugging Face Hub write. An array is read an element at
a time; a file that is one object is read whole, up to the limit of a line. A record's number stands for its line.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from adjudge.core.errors import FormatError
from adjudge.core.phrases import Argument
from adjudge.data.lines import open_text, parse_json, parse_json_at, read_lines

Known = Callable[[str], bool] | None
"""Whether a name is that of a column, which tells columns from rows; None where nobody knows."""
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


def whole_records(
    path: Path, *, max_line: int, encoding: str, column_test: Known = None
) -> Iterator[tuple[int, Any]] | None:
    """The numbered records of a file that is an array, a table or objects over several lines.

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
        return _objects(path, max_line, encoding, column_test)
    if isinstance(value, dict) and (rows := inside(value, column_test)) and next(lines, None) is None:
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
        block = self._stream.read(max(_BLOCK, len(rest)))
        self.text, self.at, self.ended = rest + block, 0, not block
        return bool(block)

    def _check(self, size: int, number: int) -> None:
        if size > self._max:
            raise FormatError(
                f"the record is longer than {self._max:,} characters; allow more with {Argument('max_line')}",
                file=self._path,
                line=number,
            )

    def next(self, number: int) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            match = _NO_SPACE.search(self.text, self.at)
            if match:
                self.at = match.start()
                return match[0]
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
            raise FormatError(_no_objects(value), file=path, line=1)
        yield number, value
        sign = text.next(number)
        if sign == ",":
            text.at += 1
            number, sign = number + 1, ""
        elif sign != "]":
            problem = "the file ends" if not sign else f'"{sign}" follows'
            raise FormatError(
                f"not JSON: {problem} where a list goes on or ends, after record {number}", file=path
            )
    text.at += 1
    if text.next(number):
        raise FormatError(f"not JSON: something follows the list of {number:,} records", file=path)


def _objects(
    path: Path, max_line: int, encoding: str, column_test: Known
) -> Iterator[tuple[int, Any]] | None:
    """Objects one after another, or the records inside a single one. None where the first is no JSON."""
    with _opened(path, encoding) as stream:
        text = _Text(path, stream, max_line)
        try:
            text.next(1)
            first = text.value(1)
            alone = not text.next(1)
        except (FormatError, UnicodeError):
            return None  # read line by line, which says what is wrong and where
    rows = inside(first, column_test) if alone and isinstance(first, dict) else None
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


def _no_objects(value: object) -> str:
    """What a list holds instead of records, and what to do."""
    if isinstance(value, str):
        return (
            "a list of texts that says no topics, expected a list of objects: write one text a line, and"
            " `adjudge import lines FILE EVALUATION` reads them"
        )
    if isinstance(value, list):
        return (
            "a list of lists that says no names of columns, expected a list of objects, as"
            ' DataFrame.to_json(..., orient="records") writes it'
        )
    return "the line is a list, expected one JSON object a line, or a list of objects"


def inside(value: Mapping[str, Any], column_test: Known = None) -> list[Any] | None:
    """The records of an object that is no record itself: a list under a usual name, or a table.

    Tables are lists or objects by column, objects by row, as pandas writes them, or texts by topic. A row's own name
    is the value of a column without a name; the numbers that pandas gives rows are left out.
    """
    for name in INSIDE:
        rows = value.get(name)
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            nested = all(isinstance(row.get("row"), dict) for row in rows)  # as the Hub's viewer has them
            return [row["row"] for row in rows] if nested else rows
    if (split := _split(value)) is not None:
        return split
    parts = list(value.values())
    if len(parts) > 1 and all(isinstance(part, list) for part in parts):
        if len({len(part) for part in parts}) == 1:
            return [dict(zip(value, cells, strict=True)) for cells in zip(*parts, strict=True)]
        return None
    if parts and all(isinstance(part, dict) for part in parts):
        return _of_objects(value, column_test)
    texts = len(parts) > 1 and all(isinstance(part, str) for part in parts)
    if texts and column_test is not None and not any(map(column_test, value)):
        return [{"topic": topic, "text": text} for topic, text in value.items()]
    return None


def _of_objects(value: Mapping[str, dict[str, Any]], column_test: Known) -> list[Any] | None:
    """Objects by row or by column, told by which of the names are columns', or are numbers."""
    first = next(iter(value.values()))
    inner = {name for part in value.values() for name in part}
    is_even = all(part.keys() == first.keys() for part in value.values())
    is_column = column_test or (lambda name: False)
    outer_known, inner_known = any(map(is_column, value)), any(map(is_column, inner))
    if outer_known == inner_known:
        by_row = _are_numbers(value) and not _are_numbers(inner)
    else:
        by_row = inner_known
    if by_row:
        return _with_names(value, list(value.values()))
    if not is_even or len(value) < 2:
        return None
    return _with_names(first, [{name: value[name][key] for name in value} for key in first])


def _split(value: Mapping[str, Any]) -> list[Any] | None:
    """A table whose columns are named once: {"columns": [...], "index": [...], "data": [[...], ...]}."""
    columns, rows, index = value.get("columns"), value.get("data"), value.get("index")
    if not (isinstance(columns, list) and isinstance(rows, list) and rows):
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        return None
    records = [dict(zip(map(str, columns), row, strict=True)) for row in rows]
    return _with_names(index, records) if isinstance(index, list) and len(index) == len(rows) else records


def _with_names(names: Iterable[Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with their own names in a column without one, unless these are 0, 1, 2, ..."""
    texts = [str(name) for name in names]
    if texts == [str(number) for number in range(len(texts))]:
        return rows
    return [{"": name, **row} for name, row in zip(texts, rows, strict=True)]


def _are_numbers(names: Iterable[str]) -> bool:
    return all(name.isdecimal() for name in names)
