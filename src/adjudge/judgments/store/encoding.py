"""Tasks and events as rows of the database, and the checks that cells pass, on the way in and on the way out.

No connections here. A store may hold what strangers wrote: `CELLS` says what each column of each table holds, whatever
is read goes through it, and a cell that holds something else is named by table, row and column. Loads no SQLAlchemy:
`adjudge check` reads through it too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.data.rows import HALF
from adjudge.judgments.tasks import ORIGINS, Ack, Event, Task, TextRef

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

LONGEST_NAME = 200
LONGEST_LINE = 10_000
DEEPEST = 100  # lists and objects within each other; ours have five
HIGHEST = 2**53  # a number of an event: what JSON readers keep exactly
_LARGEST = 2**63 - 1
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys, and what turns the order of a line around."""

EVENT_FIELDS = tuple(field.name for field in fields(Event))
_ANSWER = EVENT_FIELDS.index("answer")

Row = dict[str, Any]
Stored = Union[Row, "RowMapping"]

_NAMES = {
    Task: ("id", "evaluation", "assessor", "protocol", "version", "topic"),
    Event: ("id", "evaluation", "task", "assessor", "question"),
}
_LINES = {Task: ("repeat_of",), Event: ("client",)}
_TIMES = {Task: ("lease_until",), Event: ("shown_at", "answered_at", "received_at")}
_NUMBERS = {Task: ("phase", "position"), Event: ("base", "client_n", "took_ms", "seq")}
_PLAIN = (*_NAMES[Task], *_LINES[Task], *_TIMES[Task], *_NUMBERS[Task])


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
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise FormatError(f"{quoted(text)} is not a time, expected ISO 8601 in UTC") from None
    return when


def to_json(value: Any) -> str:
    """A value as JSON that UTF-8 can hold: halves of surrogate pairs stay escaped."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if _is_deep(text, value):
            raise ValueError("too many lists and objects within each other")
        try:
            text.encode()
        except UnicodeEncodeError:
            text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"it cannot be written as JSON: {error}") from None
    return text


# Cells


class BadCell(FormatError):
    """A cell of a store holds what it should not."""

    def __init__(self, table: str, key: object, column: str, problem: str, *, file: str | None = None):
        self.column = column
        self._what = (table, key, column, problem)
        row = str(key) if isinstance(key, int) else quoted(key)
        super().__init__(f"table {table}, row {row}, column {column}: {problem}", file=file)

    def at(self, place: str) -> BadCell:
        """The same with the database that it is in."""
        return BadCell(*self._what, file=place)


Check = Callable[[Any], str | None]
"""What is wrong with a value; None where nothing is."""


def _wrong_name(value: object) -> str | None:
    if type(value) is str and value.isascii() and value.isprintable() and 0 < len(value) <= LONGEST_NAME:
        return None  # nearly all; this is done for every cell that is read
    if (problem := _wrong_line(value)) is not None:
        return problem
    if not value or len(str(value)) > LONGEST_NAME:
        return f"{quoted(value)}, expected 1 to {LONGEST_NAME} characters"
    return None


def _wrong_line(value: object) -> str | None:
    if (problem := _wrong_text(value)) is not None:
        return problem
    text = str(value)
    if len(text) > LONGEST_LINE:
        return f"{quoted(text)}, expected at most {LONGEST_LINE:,} characters"
    if not text.isprintable() and _CONTROL.search(text):
        return f"{quoted(text)}: it holds a control character"
    return None


def _wrong_text(value: object) -> str | None:
    if not isinstance(value, str):
        return f"{_shown(value)}, expected a text"
    half = None if value.isascii() else HALF.search(value)
    if half is not None and "\udc80" <= half[0] <= "\udcff":  # how bytes that are no UTF-8 were read
        return "not UTF-8, or half of a character: a character that no database keeps"
    if half is not None or "\0" in value:
        return f"{quoted(value)}: it holds a character that no database keeps"
    return None


def _wrong_time(value: object) -> str | None:
    if type(value) is str and len(value) == 27 and value[-1] == "Z" and "0001" < value[:4] < "9999":
        try:
            datetime.fromisoformat(value)  # as `stamp` writes it
            return None
        except ValueError:
            pass
    if (problem := _wrong_line(value)) is not None:
        return problem
    try:
        moment(str(value))
    except FormatError as error:
        return error.problem
    return None


def _wrong_number(value: object, least: int = -_LARGEST, most: int = _LARGEST) -> str | None:
    if type(value) is int and least <= value <= most:
        return None
    if least == -_LARGEST:
        return f"{_shown(value)}, expected a whole number"
    return f"{_shown(value)}, expected a whole number from {least} to {most:,}"


def _wrong_flag(value: object) -> str | None:
    return None if value in (0, 1) and isinstance(value, int) else f"{_shown(value)}, expected 0 or 1"


def _one_of(*choices: str) -> Check:
    def wrong(value: object) -> str | None:
        if isinstance(value, str) and value in choices:
            return None
        return f"{_shown(value)}, expected one of: {', '.join(choices)}"

    return wrong


def _matching(pattern: str, expected: str) -> Check:
    def wrong(value: object) -> str | None:
        fits = isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII)
        return None if fits else f"expected {expected}"  # it may be a secret: it is not shown

    return wrong


def _json(wrong: Check) -> Check:
    """JSON, of which something more is asked."""

    def check(text: object) -> str | None:
        try:
            return wrong(from_json(text))
        except ValueError as error:
            return str(error)

    return check


def _wrong_object(value: object) -> str | None:
    return None if isinstance(value, dict) else "not a JSON object"


def _wrong_hashes(value: object) -> str | None:
    fine = isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
    return None if fine else "not a JSON object of texts"


def _wrong_side(value: object) -> str | None:
    """A side of a pair names a summary, or a sentence; what else it holds nobody reads."""
    if not isinstance(value, dict):
        return "not a JSON object"
    for name, wrong in _SIDE.items():
        told = value.get(name)
        if (told is not None or name == "system" in value) and (problem := wrong(told)) is not None:
            return f'"{name}": {problem}'
    return None


def _wrong_names(value: object) -> str | None:
    """The systems that cancel a task; none has an empty name, which stands for the topic."""
    fine = isinstance(value, list) and not any(system != "" and _wrong_name(system) for system in value)
    return None if fine else "not a JSON list of names"


def _wrong_renamings(value: object) -> str | None:
    fine = isinstance(value, list) and all(
        isinstance(renaming, list) and len(renaming) == 3 and not any(map(_wrong_line, renaming))
        for renaming in value
    )
    return None if fine else "not a JSON list of times, old and new names"


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    return quoted(value)


def from_json(text: object) -> Any:
    """The value that a cell holds as JSON; a ValueError says what is wrong."""
    if not isinstance(text, str):
        raise ValueError(f"{_shown(text)}, expected JSON")
    if (problem := _wrong_text(text)) is not None:
        raise ValueError(problem)
    try:
        value = _JSON.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at character {error.pos + 1:,})") from None
    except RecursionError:
        raise ValueError("too many lists and objects within each other") from None
    except ValueError as error:  # a number of more digits than Python reads, or what `_finite` refuses
        raise ValueError(f"not JSON ({str(error).partition(':')[0]})") from None
    if _is_deep(text, value):
        raise ValueError("too many lists and objects within each other")
    return value


def _is_deep(text: str, value: object) -> bool:
    """Whether a value is nested further than any of ours; mostly its text says enough."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list | tuple)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list | tuple)
        ]
        if not level:
            return False
    return True


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError(f"{text[:20]} is no number that can be kept")
    return value


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number")


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)

_NAME: Check = _wrong_name
_LINE: Check = _wrong_line
_TIME: Check = _wrong_time
_NUMBER: Check = _wrong_number
_SIDE: Mapping[str, Check] = {
    **dict.fromkeys(("system", "document", "form"), _wrong_name),
    **dict.fromkeys(("length", "start", "end"), _wrong_number),
    "text": _wrong_text,
}
_SEQ: Check = partial(_wrong_number, least=1, most=HIGHEST)
_COUNT: Check = partial(_wrong_number, least=0, most=HIGHEST)
_TOKEN_HASH = _matching("[0-9a-f]{64}", "the hash of a token")

_TASK_JSON: Mapping[str, Check] = {
    "hashes": _wrong_hashes,
    "left_json": _wrong_side,
    "right_json": _wrong_side,
    "asked": _wrong_object,
    "cancelled": _wrong_names,
    "renamed": _wrong_renamings,
}

KEYS = {
    "evaluation": "name",
    "person": "id",
    "task": "id",
    "event": "seq",
    "account": "person",
    "session": "person",
    "attempt": "id",
    "account_log": "n",
    "secret": "name",
    "edit": "id",
}
"""By what a row of a table is named; hashes of tokens name none."""


def _cells(required: Mapping[str, Check], or_nothing: Mapping[str, Check]) -> dict[str, tuple[Check, bool]]:
    return {name: (check, False) for name, check in required.items()} | {
        name: (check, True) for name, check in or_nothing.items()
    }


CELLS: Mapping[str, Mapping[str, tuple[Check, bool]]] = {
    "evaluation": _cells({"name": _NAME, "last_seq": _COUNT}, {}),
    "person": _cells(
        {"evaluation": _NAME, "id": _NAME, "pseudonym": _NAME}, {"name": _LINE, "erased": _TIME}
    ),
    "task": _cells(
        dict.fromkeys(("evaluation", "id", "assessor", "protocol", "version", "topic"), _NAME)
        | {"hashes": _json(_TASK_JSON["hashes"]), "position": _NUMBER},
        dict.fromkeys(("peer_system", "peer_form", "reference_system", "reference_form"), _NAME)
        | dict.fromkeys(("repeat_of", "lease_by"), _NAME)
        | dict.fromkeys(("peer_length", "reference_length", "phase"), _NUMBER)
        | {name: _json(wrong) for name, wrong in _TASK_JSON.items() if name != "hashes"}
        | {"lease_until": _TIME},
    ),
    "event": _cells(
        dict.fromkeys(("evaluation", "id", "task", "assessor", "question"), _NAME)
        | {
            "seq": _SEQ,
            "answer": _json(lambda value: None),
            "origin": _one_of(*ORIGINS),
            "received_at": _TIME,
        },
        dict.fromkeys(("base", "newer", "client_n", "took_ms"), _NUMBER)
        | {"client": _LINE, "shown_at": _TIME, "answered_at": _TIME},
    ),
    "account": _cells(
        {"evaluation": _NAME, "person": _NAME, "token_once": _wrong_flag, "made_at": _TIME}
        | {"role": _one_of("assessor", "organiser"), "state": _one_of("active", "suspended")},
        {"token_hash": _TOKEN_HASH, "password_hash": _matching(r"\$argon2id\$[!-~]{1,500}", "an argon2 hash")}
        | dict.fromkeys(("token_made_at", "token_used_at", "seen_at"), _TIME),
    ),
    "session": _cells(
        {"evaluation": _NAME, "hash": _TOKEN_HASH, "person": _NAME}
        | dict.fromkeys(("made_at", "expires_at", "seen_at"), _TIME),
        {"way": _one_of("link", "password")},
    ),
    "account_log": _cells(
        {"evaluation": _NAME, "n": _SEQ, "at": _TIME, "what": _LINE},
        {"person": _NAME, "actor": _NAME, "place": _LINE},
    ),
    "attempt": _cells({"evaluation": _NAME, "id": _NAME, "key_hash": _NAME, "at": _TIME}, {}),
    "secret": _cells(
        {
            "evaluation": _NAME,
            "name": _NAME,
            "value": _matching("([0-9a-f]{2}){16,64}", "hexadecimal digits"),
        },
        {},
    ),
    "edit": _cells({"evaluation": _NAME, "id": _NAME, "made_at": _TIME, "what": _json(_wrong_object)}, {}),
}
"""What the columns of each table hold: a check, and whether the cell may be empty."""


def bad_cells(table: str, row: Stored) -> Iterator[BadCell]:
    """Every cell of a row that holds what it should not; columns that a query did not ask for are left out."""
    for column, (wrong, may_be_empty) in CELLS[table].items():
        if column in row:
            value = row[column]
            if value is None:
                problem = None if may_be_empty else "empty"
            else:
                problem = wrong(value)
            if problem is not None:
                yield BadCell(table, row.get(KEYS[table]), column, problem)


def checked(table: str, row: Stored) -> Stored:
    """A row of a table, as it was read, whose cells hold what they should."""
    for bad in bad_cells(table, row):
        raise bad
    return row


def checked_cell(table: str, column: str, value: Any, key: object = None) -> Any:
    """One cell that was read alone."""
    for bad in bad_cells(table, {KEYS[table]: key, column: value} if key is not None else {column: value}):
        raise bad
    return value


# Tasks and events


def check_name(field: str, value: object) -> None:
    """Refuses what cannot identify something."""
    _refuse(field, _wrong_name(value))


def check_line(field: str, value: object) -> None:
    """Refuses what is no text of one line, or holds what a terminal would obey."""
    _refuse(field, _wrong_line(value))


def check_time(field: str, value: object) -> None:
    """Refuses what is no time."""
    _refuse(field, _wrong_time(value))


def check_number(field: str, value: object) -> None:
    _refuse(field, _wrong_number(value))


def _refuse(field: str, problem: str | None) -> None:
    if problem is not None:
        raise FormatError(f'"{field}" is {problem}')


def check_fields(thing: Task | Event) -> None:
    """What tasks and events have in common: names, texts and whole numbers are such."""
    kind = type(thing)
    for name in _NAMES[kind]:
        check_name(name, getattr(thing, name))
    for name in _LINES[kind]:
        if (value := getattr(thing, name)) is not None:
            check_line(name, value)
    for name in _TIMES[kind]:
        if (value := getattr(thing, name)) is not None:
            check_time(name, value)
    for name in _NUMBERS[kind]:
        if (value := getattr(thing, name)) is not None or name == "position":
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
    """The event of a row, stored or about to be: those have no number and no time yet."""
    for bad in bad_cells("event", row):
        if row[bad.column] is not None or bad.column not in ("seq", "received_at"):
            raise bad
    return Event(**{name: row[name] for name in EVENT_FIELDS} | {"answer": from_json(row["answer"])})


def events_of(rows: Iterable[Sequence[Any]]) -> Iterator[Event]:
    """Events of rows that hold the fields of an event, in their order: by name it would take twice as long."""
    for row in rows:
        values = list(row)
        try:
            values[_ANSWER] = from_json(values[_ANSWER])
            fine = True
        except ValueError:
            fine = False
        for wrong, may_be_empty, value in zip(_EVENT_CHECKS, _EVENT_EMPTY, row, strict=True):
            if value is None:
                fine = fine and may_be_empty
            elif wrong is not None and wrong(value) is not None:
                fine = False
        if not fine:
            checked("event", dict(zip(EVENT_FIELDS, row, strict=True)))  # which says what it is
        yield Event(*values)


_EVENT_CHECKS = tuple(None if name == "answer" else CELLS["event"][name][0] for name in EVENT_FIELDS)
_EVENT_EMPTY = tuple(CELLS["event"][name][1] for name in EVENT_FIELDS)


def ack_of(row: Stored, *, again: bool = False) -> Ack:
    """The acknowledgement of a stored event."""
    return Ack(row["id"], row["seq"], row["received_at"], row["newer"], again)


def task_row(task: Task) -> Row:
    check_fields(task)
    row = {name: getattr(task, name) for name in _PLAIN}
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
    """The task of a row that was read."""
    cells = dict(row)
    fine = True
    for name, wrong, may_be_empty in _TASK_CHECKS:
        value = cells.get(name)
        if value is None:
            fine = fine and may_be_empty
        elif name in _TASK_JSON:
            try:
                cells[name] = from_json(value)
            except ValueError:
                fine = False
            else:
                fine = fine and _TASK_JSON[name](cells[name]) is None
        elif wrong(value) is not None:
            fine = False
    if not fine:
        checked("task", row)  # which says what it is
    return Task(
        **{name: cells[name] for name in _PLAIN},
        peer=_ref_of(cells, "peer"),
        reference=_ref_of(cells, "reference"),
        left=cells["left_json"],
        right=cells["right_json"],
        hashes=cells["hashes"],
        asked=cells["asked"],
        cancelled=tuple(cells["cancelled"] or ()),
        renamed=tuple((when, old, new) for when, old, new in cells["renamed"] or ()),
    )


_TASK_CHECKS = tuple((name, wrong, may_be_empty) for name, (wrong, may_be_empty) in CELLS["task"].items())


def _ref_of(row: Stored, role: str) -> TextRef | None:
    system = row[f"{role}_system"]
    return None if system is None else TextRef(system, row[f"{role}_length"], row[f"{role}_form"])
