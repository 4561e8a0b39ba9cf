"""Rows of Parquet files as records, some at a time, with lists and objects as they are.

What another program noted in a file for itself (pandas: an index, types) is not looked at: columns are what they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from adjudge.core.errors import AdjudgeError, FormatError, quoted
from adjudge.core.words import one_line
from adjudge.data.packed import CELL_OBJECT, check_cells, parquet_batches
from adjudge.formats.frames import plain

MAGIC = b"PAR1"
_BATCH = 64  # rows at a time: an article and its summaries take some hundred kilobytes at most
T = TypeVar("T")


class ParquetRows:
    """A Parquet file: the names of its columns, and its rows. What cannot be read is one line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.names, self._rows = self._trying(self._look)
        name, count = Counter(self.names).most_common(1)[0] if self.names else ("", 0)
        if count > 1:
            raise FormatError(f"{count} columns are named {quoted(name)}", file=path)

    def _look(self) -> tuple[list[str], int]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path) as file:
            return list(file.schema_arrow.names), file.metadata.num_rows

    def rows(self, columns: Sequence[str], *, most: int | None = None) -> Iterator[dict[str, Any]]:
        """Rows with these columns, in the file's order."""
        names = list(columns)
        cells = (zip(*columns, strict=True) for columns in self._batches(names, most))
        for row in islice((row for batch in cells for row in batch), most):
            yield dict(zip(names, row, strict=True))

    def columns(self) -> dict[str, list[Any]]:
        """All of it, by column."""
        check_cells(self._path, self._rows * len(self.names))
        columns: dict[str, list[Any]] = {name: [] for name in self.names}
        for batch in self._batches(self.names):
            for column, values in zip(columns.values(), batch, strict=True):
                column += values
        return columns

    def records(self) -> list[dict[str, Any]]:
        """All of it, by row."""
        check_cells(self._path, self._rows * len(self.names), CELL_OBJECT)
        return list(self.rows(self.names))

    def _batches(self, names: list[str], most: int | None = None) -> Iterator[list[list[Any]]]:
        """Some rows at a time, as plain values column by column."""
        batches = parquet_batches(self._path, names, rows=min(_BATCH, most or _BATCH))
        first = 1
        while (batch := self._trying(lambda: next(batches, None))) is not None:
            yield [
                self._values(column, name, first)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            first += batch.num_rows

    def _values(self, column: Any, name: str, first: int) -> list[Any]:
        try:
            return [plain(_mapped(value, column.type)) for value in column.to_pylist()]
        except Exception:  # of a type, a date or a text that Python does not know: which row has it?
            return [self._value(cell, name, row) for row, cell in enumerate(column, first)]

    def _value(self, cell: Any, name: str, row: int) -> Any:
        try:
            return plain(_mapped(cell.as_py(), cell.type))
        except Exception as error:
            why = "a text that is not UTF-8" if isinstance(error, UnicodeError) else _said(error)
            raise FormatError(f"column {quoted(name)}: {why}", file=self._path, line=row) from None

    def _trying(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except AdjudgeError:
            raise
        except UnicodeError:
            raise FormatError("has a column whose name is not UTF-8", file=self._path) from None
        except Exception as error:  # whatever a damaged part makes pyarrow raise
            if isinstance(error, OSError) and error.errno is not None:
                raise  # no such file, or not to be read
            raise FormatError(
                f"not a Parquet file that can be read: {_said(error)}", file=self._path
            ) from None


def _mapped(value: Any, kind: Any) -> Any:
    """A value of which maps are objects; pyarrow gives them as pairs."""
    import pyarrow as pa

    if value is None or "map<" not in str(kind):
        return value
    if pa.types.is_map(kind):
        return {str(key): _mapped(entry, kind.item_type) for key, entry in value}
    if pa.types.is_struct(kind):
        return {field.name: _mapped(value[field.name], field.type) for field in kind}
    return [_mapped(entry, kind.value_type) for entry in value]


def _said(error: Exception) -> str:
    return one_line(error) or type(error).__name__
