"""Records that are in memory: a DataFrame, a list of dicts, a data set of the library `datasets`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from adjudge.errors import UsageError, quoted
from adjudge.wording import listed


def rows_of(data: Any) -> Iterator[dict[str, Any]]:
    """The rows, as plain Python values by column name."""
    if hasattr(data, "itertuples") and hasattr(data, "columns"):
        names = [str(name) for name in data.columns]
        name, count = Counter(names).most_common(1)[0] if names else ("", 0)
        if count > 1:
            raise UsageError(f"{count} columns are named {quoted(name)}: give each a name of its own")
        rows: Iterable[Any] = (
            dict(zip(names, row, strict=True)) for row in data.itertuples(index=False, name=None)
        )
    elif isinstance(data, Mapping):
        raise UsageError(_a_mapping(data))
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
    return "the data is a mapping, expected a DataFrame or a list of dicts: pandas.DataFrame(data) makes one"


def plain(value: Any) -> Any:
    """A value as JSON would have it: NumPy's lists and numbers, dates, and missing values of pandas too."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(each) for each in value]
    if isinstance(value, date | datetime):
        return None if str(value) == "NaT" else value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if str(value) in ("<NA>", "NaT") else str(value)
