"""Rows of Parquet files as records, some at a time, with lists and objects as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge.data.packed import parquet_batches
from adjudge.errors import FormatError
from adjudge.formats.frames import plain
from adjudge.wording import one_line

MAGIC = b"PAR1"
_BATCH = 64  # rows at a time: an article and its summaries take some hundred kilobytes at most


class ParquetRows:
    """A Parquet file: the names of its columns, and its rows. What cannot be read is one line."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._path = path
        self._errors: tuple[type[Exception], ...] = (pa.ArrowException, OSError)
        try:
            with pq.ParquetFile(path) as file:
                self.names: list[str] = list(file.schema_arrow.names)
                self.types = dict(zip(self.names, file.schema_arrow.types, strict=True))
        except self._errors as error:
            raise self._broken(error) from None
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise FormatError(f'{len(twice)} columns are named "{twice[0]}"', file=path)

    def rows(self, columns: Sequence[str], *, most: int | None = None) -> Iterator[dict[str, Any]]:
        """Rows with these columns, in the file's order."""
        wanted = list(columns)
        try:
            batches = parquet_batches(self._path, wanted, rows=min(_BATCH, most or _BATCH))
            rows = (row for batch in batches for row in batch.to_pylist(maps_as_pydicts="lossy"))
            for row in islice(rows, most):
                yield {name: plain(row[name]) for name in wanted}
        except self._errors as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> Exception:
        if isinstance(error, OSError) and error.errno is not None:
            return error  # no such file, or not to be read
        return FormatError(f"not a Parquet file that can be read: {one_line(error)}", file=self._path)
