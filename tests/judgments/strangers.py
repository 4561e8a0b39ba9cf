"""Stores as strangers make them: a copy of a good one, with a cell that holds what Adjudge would not write there."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from adjudge.judgments.store.encoding import CELLS

FILE = "judgments.sqlite"
NOT_UTF8 = b"\xff\xfe-not-utf-8"
"""Put into a cell as a text."""
HOSTILE: tuple[Any, ...] = (
    None,
    "",
    -1,
    0,
    2**62,
    1.5,
    float("inf"),
    b"\x00\xff",
    NOT_UTF8,
    "red \x1b[31m\x07 \u202eback",
    "é" * 20_000,
    "9999-99-99",
    "0001-01-01T00:00:00+23:59",
    "[" * 5_000,
    "NaN",
    '{"value": 1e999}',
    '{"marked": 5, "completeness": [], "winner": {}, "value": "x", "scus": [5], "text": 5, "tags": [[]]}',
    '{"marked": [{}], "completeness": 0.5, "relevant": [], "value": [], "system": 5, "length": "x"}',
    "[1]",
    "nobody",
)


def columns() -> Iterator[tuple[str, str]]:
    return ((table, column) for table, cells in CELLS.items() for column in cells)


def put(path: Path, table: str, column: str, value: Any) -> None:
    """Puts a value into the first row of a table, whatever the schema says to it, which is the same afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        made = connection.execute("SELECT sql, rowid FROM sqlite_master WHERE type = 'table'").fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'"
        )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        mark = "CAST(? AS TEXT)" if value is NOT_UTF8 else "?"
        first = f"(SELECT min(rowid) FROM {table})"
        connection.execute(f"UPDATE {table} SET {column} = {mark} WHERE rowid = {first}", (value,))
        assert connection.execute("SELECT changes()").fetchone() == (1,), f"{table} is empty"
        connection.execute("PRAGMA writable_schema = ON")
        for sql, number in made:
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE rowid = ?", (sql, number))


def copy_of(folder: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    return to
