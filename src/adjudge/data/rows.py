"""The rows of an evaluation: topics, systems, documents, summaries, units. No files here.

A row reads from a plain mapping and writes back to one. Fields it does not know are kept as they came
(`extra`), so that what people add to their files survives every command.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

from adjudge.core.errors import FormatError, quoted
from adjudge.data.lines import dump_json
from adjudge.data.target import FORMS, Target

KINDS = ("machine", "baseline", "human")
ROLES = ("peer", "reference")
TASKS = ("single", "multi")
UNIT_KINDS = ("sentence", "edu")
LONGEST_NAME = 200
LARGEST = 10**9
LARGEST_AMOUNT = 1e15

_ROLES = {frozenset(roles): roles for roles in (ROLES, ROLES[:1], ROLES[1:])}
HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which is no character."""
_NOTHING: dict[str, Any] = {}  # what most rows have beyond their fields: one for all, which nobody writes to

Key = tuple[str | int | Target | None, ...]
Check = Callable[[str, object], Any]


@lru_cache(maxsize=1024)
def _target(length: int | None, form: str | None) -> Target:
    """One value for all rows that are asked for the same."""
    return Target(length, form)


def _name(field_name: str, value: object) -> str:
    """An id that people type and read in tables: one line, no space around it."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise FormatError(f'"{field_name}" is {_type(value)}, expected a text')
    if not value or value != value.strip() or len(value) > LONGEST_NAME:
        raise FormatError(
            f'"{field_name}" is {quoted(value)}, expected 1 to {LONGEST_NAME} characters'
            " without space around them"
        )
    if not value.isprintable():
        raise FormatError(f'"{field_name}" is {value!a}: it holds a control character')
    return sys.intern(value)  # one copy of a name, however many rows have it


def _text(field_name: str, value: object) -> str:
    if not isinstance(value, str):
        raise FormatError(f'"{field_name}" is {_type(value)}, expected a text')
    if not value.isascii() and HALF.search(value):
        raise FormatError(f'"{field_name}" holds half of a surrogate pair: broken encoding')
    return value


def _count(field_name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise FormatError(f'"{field_name}" is {quoted(value)}, expected a whole number, 0 or more')
    return value


def _length(field_name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LARGEST:
        raise FormatError(f'"{field_name}" is {quoted(value)}, expected a number of words or null')
    return value


def _amount(field_name: str, value: object) -> float:
    """What something costs, takes or weighs: a finite number, 0 or more."""
    if (
        not isinstance(value, (int, float))
        or isinstance(value, bool)
        or not 0 <= value <= LARGEST_AMOUNT  # no NaN, no infinity
    ):
        raise FormatError(f'"{field_name}" is {quoted(value)}, expected a number, 0 or more')
    return value


def _flag(field_name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise FormatError(f'"{field_name}" is {quoted(value)}, expected true or false')
    return value


def _one_of(choices: tuple[str, ...]) -> Check:
    def check(field_name: str, value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise FormatError(f'"{field_name}" is {quoted(value)}, expected one of: {", ".join(choices)}')
        return value

    return check


def _roles(field_name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = ROLES if value == "both" else [value]
    items = value if isinstance(value, (list, tuple)) else None
    if not items or len(set(map(str, items))) != len(items) or any(r not in ROLES for r in items):
        raise FormatError(f'"{field_name}" is {quoted(value)}, expected ["peer"], ["reference"] or both')
    return _ROLES[frozenset(items)]


def _type(value: object) -> str:
    names: dict[type, str] = {type(None): "null", bool: "true or false", int: "a number", float: "a number"}
    names |= {str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def _extra(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields that are only carried along must be writable again: no infinity, no half of a character."""
    if not fields:
        return _NOTHING
    try:
        dump_json(fields).encode()
    except (ValueError, TypeError, RecursionError):
        names = ", ".join(quoted(name) for name in fields)
        raise FormatError(f"a value among {names} cannot be written as JSON in UTF-8") from None
    return fields


@dataclass(frozen=True, slots=True)
class Row:
    """What all rows share. `CHECKS` lists the fields in writing order; those in `KEY` identify a row.

    Fields in `WHERE_SET` are written where they are set, so that rows from before there were any stay as they are.
    """

    FILE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]]
    CHECKS: ClassVar[dict[str, Check]]
    WHERE_SET: ClassVar[tuple[str, ...]] = ()
    SPELLINGS: ClassVar[dict[str, str]] = {}
    """Other names of fields, as people write them."""
    ALSO: ClassVar[tuple[str, ...]] = ()
    """Further fields that commands write; they are kept in `extra`."""

    extra: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    @property
    def key(self) -> Key:
        return tuple(getattr(self, name) for name in self.KEY)

    def named(self) -> dict[str, str | int]:
        """The fields of the key that are set, by name."""
        by_name: dict[str, Any] = {}
        for name in self.KEY:
            value = getattr(self, name)
            by_name |= value._asdict() if isinstance(value, Target) else {name: value}
        return {name: value for name, value in by_name.items() if value is not None}

    @classmethod
    def parse(cls, data: object) -> Self:
        """A row from a mapping; raises FormatError with what is wrong and what was expected."""
        if not isinstance(data, dict):
            raise FormatError(f"a line is {_type(data)}, expected an object")
        for other, name in cls.SPELLINGS.items():
            if other in data:
                if data.get(name) is not None:
                    raise FormatError(f'both "{other}" and "{name}": expected one of them')
                data = {key: value for key, value in data.items() if key != other} | {name: data[other]}
        values: dict[str, Any] = {}
        for name, check in cls.CHECKS.items():
            value = data.get(name)
            if value is not None:
                values[name] = check(name, value)
            elif name in _REQUIRED[cls]:
                raise FormatError(f'no "{name}"')
        return cls(**values, extra=_extra({k: v for k, v in data.items() if k not in cls.CHECKS}))

    def as_dict(self) -> dict[str, Any]:
        values = {
            name: list(value) if isinstance(value, tuple) else value
            for name in self.CHECKS
            if (value := getattr(self, name)) is not None or name not in self.WHERE_SET
        }
        return values | dict(self.extra)

    def fill(self, other: Self) -> Self:
        """This row, with its empty fields taken from `other`."""
        open_fields = {n: getattr(other, n) for n in self.CHECKS if getattr(self, n) is None}
        return replace(self, **open_fields, extra={**other.extra, **self.extra})

    def contradicts(self, other: Self) -> str | None:
        """The first field that both rows have and on which they disagree."""
        for name in self.CHECKS:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                return name
        return None


@dataclass(frozen=True, slots=True)
class Topic(Row):
    """One input to summarize. `set` is its document set, for clustering; `selector` chose the documents.

    `after` names the topic whose documents the reader of an update summary already knows.
    """

    FILE = "topics.jsonl"
    KEY = ("topic",)
    CHECKS: ClassVar[dict[str, Check]] = {
        "topic": _name,
        "set": _name,
        "type": _name,
        "task": _one_of(TASKS),
        "selector": _name,
        "title": _text,
        "question": _text,
        "after": _name,
    }

    topic: str
    set: str | None = None
    type: str | None = None
    task: str | None = None
    selector: str | None = None
    title: str | None = None
    question: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class System(Row):
    """Whoever wrote summaries. `group` pools several humans as one; no kind means `machine`.

    `cost` is of 1,000 summaries, in `currency`; `latency` is seconds per summary, `size` a number of parameters.
    """

    FILE = "systems.jsonl"
    KEY = ("system",)
    WHERE_SET = ("cost", "currency", "latency", "size")
    CHECKS: ClassVar[dict[str, Check]] = {
        "system": _name,
        "kind": _one_of(KINDS),
        "label": _text,
        "group": _name,
        "cost": _amount,
        "currency": _name,
        "latency": _amount,
        "size": _amount,
    }

    system: str
    kind: str | None = None
    label: str | None = None
    group: str | None = None
    cost: float | None = None
    currency: str | None = None
    latency: float | None = None
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Document(Row):
    """A source text. `date` is text that sorts, best ISO 8601."""

    FILE = "documents.jsonl"
    KEY = ("topic", "id")
    ALSO = ("headline", "source")
    CHECKS: ClassVar[dict[str, Check]] = {
        "topic": _name,
        "id": _name,
        "date": _name,
        "text": _text,
    }

    topic: str
    id: str
    text: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Summary(Row):
    """One system's text for one topic at one target length (in words) and in one form; both may be unset."""

    FILE = "summaries.jsonl"
    KEY = ("topic", "system", "target")
    WHERE_SET = ("form",)
    SPELLINGS: ClassVar[dict[str, str]] = {"role": "roles"}
    CHECKS: ClassVar[dict[str, Check]] = {
        "topic": _name,
        "system": _name,
        "length": _length,
        "form": _one_of(FORMS),
        "roles": _roles,
        "author": _name,
        "text": _text,
        "withdrawn": _text,
    }

    topic: str
    system: str
    text: str
    length: int | None = None
    roles: tuple[str, ...] = ("peer",)
    author: str | None = None
    withdrawn: str | None = None
    form: str | None = None

    @property
    def target(self) -> Target:
        return _target(self.length, self.form)

    @property
    def is_peer(self) -> bool:
        return "peer" in self.roles

    @property
    def is_reference(self) -> bool:
        return "reference" in self.roles


@dataclass(frozen=True, slots=True)
class Unit(Row):
    """A span of a summary. `edited` rows were changed by hand and are kept as they are."""

    FILE = "units.jsonl"
    KEY = ("topic", "system", "target", "kind", "id")
    ALSO = ("level",)
    WHERE_SET = ("form",)
    CHECKS: ClassVar[dict[str, Check]] = {
        "topic": _name,
        "system": _name,
        "length": _length,
        "form": _one_of(FORMS),
        "kind": _one_of(UNIT_KINDS),
        "id": _name,
        "start": _count,
        "end": _count,
        "text": _text,
        "edited": _flag,
    }

    topic: str
    system: str
    kind: str
    id: str
    start: int
    end: int
    text: str
    length: int | None = None
    edited: bool = False
    form: str | None = None

    @property
    def target(self) -> Target:
        return _target(self.length, self.form)

    @property
    def of(self) -> Key:
        """The key of its summary."""
        return self.topic, self.system, self.target


ROWS: tuple[type[Row], ...] = (Topic, System, Document, Summary, Unit)
_REQUIRED = {
    cls: frozenset(f.name for f in fields(cls) if f.name in cls.CHECKS and f.default is MISSING)
    for cls in ROWS
}
