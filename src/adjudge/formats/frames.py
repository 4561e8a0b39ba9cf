"""Tables and records in memory: a DataFrame of any library, an Arrow table, a list of dicts, a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import UsageError, quoted
from adjudge.core.words import listed

if TYPE_CHECKING:
    import pandas as pd

_ARROW = ("__arrow_c_stream__", "__arrow_c_array__")


def is_table(data: Any) -> bool:
    """Whether something has columns: a frame, eager or lazy, or a table or batches of Arrow."""
    kind = type(data)  # of which `columns` is not computed yet
    if issubclass(kind, str | bytes | Mapping | list | tuple):
        return False
    if hasattr(kind, "column_names") and hasattr(kind, "features"):  # of the library `datasets`: records
        return False
    return hasattr(kind, "columns") or (hasattr(kind, "schema") and any(hasattr(kind, n) for n in _ARROW))


def _eager(data: Any) -> Any:
    """A table of any library as a narwhals DataFrame, lazy ones computed; None where it is no table."""
    if not is_table(data):
        return None
    import narwhals as nw

    table = nw.from_native(data, pass_through=True)
    if isinstance(table, nw.LazyFrame):
        return table.collect()
    if isinstance(table, nw.DataFrame):
        return table
    if any(hasattr(data, name) for name in _ARROW):  # batches
        import pyarrow as pa

        return nw.from_native(pa.table(data))
    return None


def in_pandas(data: Any) -> pd.DataFrame | None:
    """A table of any library as a DataFrame of pandas; None where it is no table."""
    if not is_table(data):
        return None
    import pandas as pd

    if isinstance(data, pd.DataFrame):  # with its index, whatever its columns are called
        return data
    table = _eager(data)
    frame: pd.DataFrame | None = None if table is None else table.to_pandas()
    return frame


def index_name(data: Any) -> str | None:
    """The name of a frame's index, where it has one that is no column's: its values name the rows."""
    name = getattr(getattr(data, "index", None), "name", None)
    if name is None or not hasattr(data, "itertuples") or str(name) in map(str, data.columns):
        return None
    return str(name)


def _rows_of_pandas(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    levels = [
        name for name in frame.index.names if name is not None and str(name) not in map(str, frame.columns)
    ]
    if levels:
        frame = frame.reset_index(levels)
    names = [str(name) for name in frame.columns]
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise UsageError(f"{count} columns are named {quoted(name)}: give each a name of its own")
    return (dict(zip(names, row, strict=True)) for row in frame.itertuples(index=False, name=None))


def rows_of(data: Any) -> Iterator[dict[str, Any]]:
    """The rows, as plain Python values by column name."""
    rows: Iterable[Any]
    if hasattr(data, "itertuples") and hasattr(data, "columns"):
        rows = _rows_of_pandas(data)
    elif (table := _eager(data)) is not None:
        rows = table.iter_rows(named=True)
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
