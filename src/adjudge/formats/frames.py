"""Records that are in memory: a DataFrame, a list of dicts, a data set of the library `datasets`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from adjudge.core.errors import UsageError, quoted
from adjudge.core.words import listed


def index_name(data: Any) -> str | None:
    """The name of a frame's index, where it has one that is no column's: its values name the rows."""
    name = getattr(getattr(data, "index", None), "name", None)
    if name is None or not hasattr(data, "itertuples") or str(name) in map(str, data.columns):
        return None
    return str(name)


def rows_of(data: Any) -> Iterator[dict[str, Any]]:
    """The rows, as plain Python values by column name."""
    if hasattr(data, "itertuples") and hasattr(data, "columns"):
        names = [str(name) for name in data.columns]
        name, count = Counter(names).most_common(1)[0] if names else ("", 0)
        if count > 1:
            raise UsageError(f"{count} columns are named {quoted(name)}: give each a name of its own")
        index = index_name(data)
        names = names if index is None else [index, *names]
        rows: Iterable[Any] = (
            dict(zip(names, row, strict=True)) for row in data.itertuples(index=index is not None, name=None)
        )
    elif isinstance(data, Mapping):
        columns = [value.tolist() if hasattr(value, "tolist") else value for value in data.values()]
        if not columns or not all(isinstance(column, list | tuple) for column in columns):
            raise UsageError(_a_mapping(data))
        if len({len(column) for column in columns}) > 1:
            sizes = listed([f"{name} {len(column)}" for name, column in zip(data, columns, strict=True)])
            raise UsageError(f"the columns have different numbers of values: {sizes}")
        rows = (dict(zip(data, cells, strict=True)) for cells in zip(*columns, strict=True))
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
        rows = data
    else:
        raise UsageError(f"the data is {type(data).__name__}, expected a DataFrame or a list of dicts")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise UsageError(
                f"record {number} is {type(row).__name__}, expected a dict with a key per column"
            )
        yield {str(name): plain(value) for name, value in row.items()}


def _a_mapping(data: Mapping[Any, Any]) -> str:
    """Splits of a data set, or columns: neither is a list of records."""
    names = [str(name) for name in data]
    if any(hasattr(value, "column_names") for value in data.values()):
        return f"the data has the splits {listed(names)}: take one, such as data[{names[0]!r}]"
    return "the data is a mapping, expected lists by column, a DataFrame or a list of dicts"


def plain(value: Any) -> Any:
    """A value as JSON would have it: NumPy's lists and numbers, dates, and missing values of pandas too."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(part) for part in value]
    if isinstance(value, date | datetime):
        return None if str(value) == "NaT" else value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if str(value) in ("<NA>", "NaT") else str(value)
