"""Every row of a SQLite store, read with the standard library alone, and what is wrong with each: for `adjudge check`.

What commands stop at one by one, this lists: cells that hold something else than they should, rows that name others
which are not there, numbers that were given twice, answers that their protocol does not know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from adjudge.core.errors import DataError, FormatError, quoted
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.store.encoding import CELLS, HIGHEST, KEYS, BadCell, Row, bad_cells, from_json
from adjudge.judgments.store.guard import ENDLESS
from adjudge.judgments.store.readonly import connect_to_read

Known = Callable[[set[str]], Mapping[str, Protocol]]


def faults(path: Path, protocols: Known = lambda names: {}) -> Iterator[DataError]:
    """What is wrong in a file, each with its place. `protocols` gives those of some names that are known."""
    try:
        with closing(connect_to_read(path)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
            for fault in _faults(connection, protocols):
                yield fault.at(path.name) if isinstance(fault, BadCell) else fault
    except DataError as error:
        yield error
    except sqlite3.Error as error:
        problem = ENDLESS if str(error) == "interrupted" else f"cannot be read: {error}"
        yield FormatError(problem, file=path.name)


def _faults(connection: sqlite3.Connection, protocols: Known) -> Iterator[DataError]:
    (state,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if state != "ok" and not state.startswith("NULL value"):
        yield FormatError(f"is damaged: {state}")
        return
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    protocol_of: dict[tuple[Any, Any], Any] = {}
    for table in CELLS:
        if table not in there:
            continue
        rows = map(dict, connection.execute(f"SELECT * FROM {table}"))  # noqa: S608
        if table == "event":
            yield from _event_faults(rows, protocol_of, protocols)
            continue
        for row in rows:
            yield from bad_cells(table, row)
            if table == "task":
                protocol_of[row["evaluation"], row["id"]] = row["protocol"]
    yield from _dangling(connection)
    yield from _counters(connection)


def _event_faults(
    rows: Iterable[Row], protocol_of: Mapping[tuple[Any, Any], Any], protocols: Known
) -> Iterator[BadCell]:
    """Cells; and answers that count now and that their protocol does not know. Rows come in the order of saving."""
    by_name = protocols({name for name in protocol_of.values() if isinstance(name, str)})
    unknown: dict[tuple[Any, ...], BadCell] = {}
    for row in rows:
        bad = list(bad_cells("event", row))
        yield from bad
        key = (row["evaluation"], row["task"], row["question"], row["assessor"])
        unknown.pop(key, None)
        protocol = by_name.get(protocol_of.get(key[:2], ""))
        if protocol is not None and not bad:
            try:
                protocol.check(row["question"], from_json(row["answer"]))
            except DataError as error:
                unknown[key] = BadCell("event", row["seq"], "answer", str(error))
    yield from unknown.values()


def _dangling(connection: sqlite3.Connection) -> Iterator[BadCell]:
    """Rows that name a row which is not there."""
    for table, number, parent, key in connection.execute("PRAGMA foreign_key_check").fetchall():
        columns = [
            row["from"] for row in connection.execute(f"PRAGMA foreign_key_list({table})") if row["id"] == key
        ]
        query = f"SELECT * FROM {table} WHERE rowid = ?"  # noqa: S608
        row = dict(connection.execute(query, (number,)).fetchone())
        value = row[columns[-1]]
        shown = quoted(value) if isinstance(value, str) else "what it names"
        yield BadCell(table, row[KEYS[table]], columns[-1], f"there is no {parent} {shown}")


def _counters(connection: sqlite3.Connection) -> Iterator[BadCell]:
    """Counters below the numbers that were given: the next answer would get the number of another."""
    query = """
        select name, last_seq, (select max(seq) from event where event.evaluation = evaluation.name) as highest
        from evaluation
    """
    for name, last, highest in connection.execute(query):
        if isinstance(last, int) and isinstance(highest, int) and last < highest <= HIGHEST:
            yield BadCell("evaluation", name, "last_seq", f"{last:,}, and there is an event {highest:,}")
