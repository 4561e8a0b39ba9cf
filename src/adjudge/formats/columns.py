"""Which column holds which field. Names only: what becomes of the values is decided in records.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from adjudge.errors import FormatError, UsageError, nearest, quoted
from adjudge.formats.files import shown

Aliases = Mapping[str, tuple[str, ...]]

TOPIC = ("topic", "topic_id", "id", "doc_id", "instance_id")
SYSTEM = ("system", "system_id", "model", "model_id", "summarizer_id")
RECORD: Aliases = {
    "topic": TOPIC,
    "system": SYSTEM,
    "text": ("summary", "text", "decoded", "prediction", "output", "hypothesis", "generated"),
    "document": ("document", "documents", "source", "article"),
    "reference": ("reference", "references"),
    "role": ("role", "roles"),
    **{
        name: (name,)
        for name in (
            "length",
            "author",
            "withdrawn",
            "kind",
            "label",
            "group",
            "date",
            "title",
            "question",
            "set",
            "type",
            "task",
            "selector",
        )
    },
}
SUMMARY, REFERENCE = "summary:", "reference:"


@dataclass(frozen=True)
class Plan:
    """Where the fields of a record stand, and what is not used.

    `summaries` and `references` pair a system with its column, `absent` lists the mapped columns that
    this record lacks.
    """

    fields: Mapping[str, str]
    summaries: tuple[tuple[str, str], ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    unused: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def check_map(columns: Mapping[str, str], aliases: Aliases, *, wide: bool) -> None:
    """Refuse a map from a field that does not exist."""
    for name in columns:
        if name not in aliases and not (wide and _wide(name)):
            also = f", {SUMMARY}SYSTEM, {REFERENCE}SYSTEM" if wide else ""
            raise UsageError(
                f"--map {quoted(name)}: no such field{nearest(name, aliases)};"
                f" there are: {', '.join(aliases)}{also}"
            )


def plan(names: Iterable[str], columns: Mapping[str, str], aliases: Aliases, *, wide: bool) -> Plan:
    """Find the fields among column names: an explicit map first, then the usual names.

    `columns` maps a field to its column; a field mapped to "" is not looked for. With `wide`, columns
    `summary:NAME` and `reference:NAME` hold the texts of system NAME.
    """
    names = tuple(names)
    present = set(names)
    mapped = {field: column for field, column in columns.items() if column in present}
    absent = tuple(column for column in columns.values() if column and column not in present)
    taken = set(mapped.values())
    fields = {field: column for field, column in mapped.items() if not _wide(field)}
    texts = {field: column for field, column in mapped.items() if _wide(field)}
    unused: list[str] = []
    for name in names:
        if name in taken:
            continue
        plain = name.strip().casefold()
        field = next((f for f, known in aliases.items() if plain in known), None)
        if wide and (prefix := _wide(plain)):
            key = prefix + name.strip()[len(prefix) :].strip()
            if key in texts:
                raise FormatError(f"columns {shown(texts[key])} and {shown(name)} are of one system")
            texts[key] = name
        elif field is None or field in columns:
            unused.append(name)
        elif field in fields:
            raise FormatError(
                f"columns {shown(fields[field])} and {shown(name)} may both be the {field}:"
                f" decide with --map {field}={_plain(fields[field])} or --map {field}={_plain(name)}"
            )
        else:
            fields[field] = name
    return Plan(fields, _texts(texts, SUMMARY), _texts(texts, REFERENCE), tuple(unused), absent)


def close_to(name: str, names: Iterable[str]) -> str:
    """`nearest` for column names, which a broken file may have in any number and of any length."""
    short = (shown(each)[1:-1] for each in names if len(each) < 60)
    return nearest(name[:60], islice(short, 200))


def listed(names: Iterable[str], *, most: int = 12) -> str:
    """Column names for a message."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(_plain, names[:most])) + more if names else "none"


def _wide(name: str) -> str | None:
    return next((prefix for prefix in (SUMMARY, REFERENCE) if name.startswith(prefix)), None)


def _texts(texts: Mapping[str, str], prefix: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (field[len(prefix) :], column) for field, column in texts.items() if field.startswith(prefix)
    )


def _plain(name: str) -> str:
    return shown(name)[1:-1]
