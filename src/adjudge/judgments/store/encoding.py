"""Tasks and events as rows of the database, and the checks they pass before. No connections here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import RowMapping

from adjudge.data.rows import HALF
from adjudge.errors import FormatError, UsageError, quoted
from adjudge.judgments.tasks import ORIGINS, Ack, Event, Task, TextRef

LONGEST_NAME = 200
_LARGEST = 2**63 - 1

EVENT_FIELDS = tuple(field.name for field in fields(Event))
_ANSWER = EVENT_FIELDS.index("answer")

Row = dict[str, Any]
Stored = Row | RowMapping

_NAMES = {
    Task: ("id", "evaluation", "assessor", "protocol", "version", "topic"),
    Event: ("id", "evaluation", "task", "assessor", "question"),
}
_TEXTS = {
    Task: ("repeat_of", "lease_until"),
    Event: ("client", "shown_at", "answered_at", "received_at"),
}
_NUMBERS = {Task: ("phase",), Event: ("base", "client_n", "took_ms", "seq")}


SKEW = timedelta(minutes=1)
"""How far the clocks of two servers may differ. What is noted for later was noted by a clock that is set back since."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def stamp(when: datetime) -> str:
    """A time as it is kept: ISO 8601 in UTC, to the microsecond, so that texts sort as times do."""
    if when.tzinfo is None:
        raise UsageError(f"the time {when} has no time zone; give one, best UTC")
    return when.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment(text: str) -> datetime:
    """The time that a text says; without a zone it is UTC."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise FormatError(f"{quoted(text)} is not a time, expected ISO 8601 in UTC") from None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def to_json(value: Any) -> str:
    """A value as JSON that UTF-8 can hold: halves of surrogate pairs stay escaped."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        try:
            text.encode()
        except UnicodeEncodeError:
            text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"it cannot be written as JSON: {error}") from None
    return text


def check_name(field: str, value: object) -> None:
    """Refuses what cannot identify something."""
    check_text(field, value)
    if not value or len(str(value)) > LONGEST_NAME:
        raise FormatError(f'"{field}" is {quoted(value)}, expected 1 to {LONGEST_NAME} characters')


def check_text(field: str, value: object) -> None:
    """Refuses what is no text that both databases can hold."""
    if not isinstance(value, str):
        raise FormatError(f'"{field}" is {quoted(value)}, expected a text')
    if "\0" in value or (not value.isascii() and HALF.search(value)):
        raise FormatError(f'"{field}" is {value!a}: it holds a character that no database keeps')


def check_number(field: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not -_LARGEST <= value <= _LARGEST:
        raise FormatError(f'"{field}" is {quoted(value)}, expected a whole number')


def check_fields(thing: Task | Event) -> None:
    """What tasks and events have in common: names, texts and whole numbers are such."""
    kind = type(thing)
    for name in _NAMES[kind]:
        check_name(name, getattr(thing, name))
    for name in _TEXTS[kind]:
        if (value := getattr(thing, name)) is not None:
            check_text(name, value)
    for name in _NUMBERS[kind]:
        if (value := getattr(thing, name)) is not None:
            check_number(name, value)


def event_row(event: Event) -> Row:
    """The columns of an event but for seq, newer and received_at, which are the store's to give."""
    check_fields(event)
    if event.origin not in ORIGINS:
        raise FormatError(f'"origin" is {quoted(event.origin)}, expected one of: {", ".join(ORIGINS)}')
    row = {name: getattr(event, name) for name in EVENT_FIELDS}
    try:
        row["answer"] = to_json(event.answer)
    except FormatError as error:
        raise FormatError(f'"answer": {error}') from None
    return row


def event_of(row: Stored) -> Event:
    values = {name: row[name] for name in EVENT_FIELDS}
    return Event(**values | {"answer": json.loads(row["answer"])})


def events_of(rows: Iterable[Sequence[Any]]) -> Iterator[Event]:
    """Events of rows that hold the fields of an event, in their order: by name it would take twice as long."""
    for row in rows:
        values = list(row)
        values[_ANSWER] = json.loads(values[_ANSWER])
        yield Event(*values)


def ack_of(row: Stored, *, again: bool = False) -> Ack:
    """The acknowledgement of a stored event."""
    return Ack(row["id"], row["seq"], row["received_at"], row["newer"], again)


def task_row(task: Task) -> Row:
    check_fields(task)
    check_number("position", task.position)
    if task.lease_until is not None:
        moment(task.lease_until)
    row = {name: getattr(task, name) for name in (*_NAMES[Task], *_TEXTS[Task], *_NUMBERS[Task], "position")}
    for role, ref in (("peer", task.peer), ("reference", task.reference)):
        row[f"{role}_system"], row[f"{role}_length"], row[f"{role}_form"] = _ref_row(role, ref)
    for name, side in (("left", task.left), ("right", task.right)):
        row[f"{name}_json"] = None if side is None else _mapping(name, side)
    row["asked"] = None if task.asked is None else _mapping("asked", task.asked)
    for name in ("cancelled", "renamed"):
        row[name] = to_json(getattr(task, name)) if getattr(task, name) else None
    return row | {"hashes": _mapping("hashes", task.hashes)}


def _ref_row(role: str, ref: TextRef | None) -> tuple[str | None, int | None, str | None]:
    if ref is None:
        return None, None, None
    check_name(f"{role}.system", ref.system)
    if ref.length is not None:
        check_number(f"{role}.length", ref.length)
    if ref.form is not None:
        check_name(f"{role}.form", ref.form)
    return ref.system, ref.length, ref.form


def _mapping(field: str, value: Mapping[str, Any]) -> str:
    if not isinstance(value, Mapping):
        raise FormatError(f'"{field}" is {quoted(value)}, expected an object')
    try:
        return to_json(dict(value))
    except FormatError as error:
        raise FormatError(f'"{field}": {error}') from None


def task_of(row: Stored) -> Task:
    kept = (*_NAMES[Task], *_TEXTS[Task], *_NUMBERS[Task], "position")
    return Task(
        **{name: row[name] for name in kept},
        peer=_ref_of(row, "peer"),
        reference=_ref_of(row, "reference"),
        left=None if row["left_json"] is None else json.loads(row["left_json"]),
        right=None if row["right_json"] is None else json.loads(row["right_json"]),
        hashes=json.loads(row["hashes"]),
        asked=None if row["asked"] is None else json.loads(row["asked"]),
        cancelled=tuple(json.loads(row["cancelled"] or "[]")),
        renamed=tuple((when, old, new) for when, old, new in json.loads(row["renamed"] or "[]")),
    )


def _ref_of(row: Stored, role: str) -> TextRef | None:
    system = row[f"{role}_system"]
    return None if system is None else TextRef(system, row[f"{role}_length"], row[f"{role}_form"])
