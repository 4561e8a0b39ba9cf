"""The rows of an Excel workbook (.xlsx), as cells of text; needs the extra `excel`."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from adjudge.core.errors import AdjudgeError, FormatError, UsageError, quoted
from adjudge.data.packed import CELL_OBJECT, LOOK_EVERY, check_cells, check_unpacked


def sheet_rows(path: Path) -> tuple[Iterator[tuple[int, list[str]]], list[str]]:
    """The rows of the first sheet that has any, with their numbers, and what was found out.

    Empty columns at the right of the header and empty rows at the end are left out: a sheet remembers cells that
    were cleared. An empty row is one without cells. A formula is the value it had when the file was saved.
    """
    _check_archive(path)
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError:
        raise UsageError(
            f'{path}: .xlsx files need an extra: pip install "adjudge[excel]"; or save it as CSV'
        ) from None
    try:
        with path.open("rb") as stream:  # of a path openpyxl would look at the name
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
            filled = [(sheet.title, rows) for sheet in book.worksheets if (rows := list(_rows(sheet, path)))]
    except AdjudgeError:
        raise
    except Exception as error:  # whatever a damaged part makes openpyxl raise
        raise FormatError(f"cannot be read as .xlsx: {_said(error)}", file=path) from None
    if not filled:
        return iter(()), []
    title, rows = filled[0]
    notes = [] if path.suffix.lower() == ".xlsx" else ["as an Excel workbook"]
    if len(filled) > 1:
        others = ", ".join(quoted(other) for other, _ in filled[1:])
        notes.append(f"from its sheet {quoted(title)}, not {others}")
    header = next(row for _, row in rows if row)
    width = max(k for k, cell in enumerate(header, 1) if cell)
    return ((n, _fitted(row, width)) for n, row in rows), notes


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _check_archive(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except Exception as error:  # whatever a damaged archive makes zipfile raise
        raise FormatError(f"cannot be read as .xlsx: {_said(error)}", file=path) from None
    if not any(part.filename == "xl/workbook.xml" for part in parts):
        raise FormatError("is a ZIP archive and no .xlsx: unpack it, or save it as CSV", file=path)
    check_unpacked(path, sum(part.file_size for part in parts))


def _rows(sheet: Any, path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a sheet, which says itself how wide and how long it is: each row is filled up with empty cells."""
    blank: list[tuple[int, list[str]]] = []
    seen = counted = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        seen += max(len(row), 1)
        if seen - counted >= LOOK_EVERY:
            counted = seen
            check_cells(path, seen, CELL_OBJECT)
        cells = [_text(value) for value in row]
        if any(cells):
            yield from blank
            yield number, cells
            blank = []
        else:
            blank.append((number, []))


def _fitted(row: list[str], width: int) -> list[str]:
    """As many cells as the header; filled ones beyond it stay, and are refused where rows are checked."""
    last = max((k for k, cell in enumerate(row, 1) if cell), default=0)
    return row and [*row[: max(width, last)], *[""] * (width - len(row))]


def _text(value: object) -> str:
    """A cell as CSV would have it; a whole number has no decimals, whatever Excel stores."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
