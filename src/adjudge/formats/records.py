"""Flat records in JSON lines, CSV and TSV: topics, systems, documents and summaries.

Three shapes are told apart by their columns: LONG (topic, system, text), ONE FILE PER SYSTEM (topic, text; the file's
name is the system) and WIDE (a column `summary:NAME` per system).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from adjudge.data.incoming import Item, LeftOut
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import KINDS, Document, Summary, System, Topic
from adjudge.data.target import FORMS, Target
from adjudge.errors import FormatError, UsageError, nearest, quoted
from adjudge.formats.files import (
    BLANK,
    BLANK_LINE,
    EMPTY_FILE,
    JSON_LINES,
    NO_TEXT,
    TABLES,
    Once,
    Paths,
    Place,
    Unused,
    from_files,
    json_objects,
    one_of,
    read_cells,
    scalar,
    shown,
    stem,
    type_name,
)

Aliases = Mapping[str, tuple[str, ...]]
Role = Literal["peer", "reference", "both"]
ROLES: Mapping[str, tuple[str, ...]] = {
    "peer": ("peer",),
    "reference": ("reference",),
    "both": ("peer", "reference"),
}

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
            [
                "length",
                "form",
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
            ]
        )
    },
}
SUMMARY, REFERENCE = "summary:", "reference:"

_OF_A_SYSTEM = ("system", "author", "withdrawn", "kind", "label", "group")
_OF_A_TOPIC = ("set", "type", "task", "selector", "title", "question")
_ENOUGH = {"text", "system", "document", "reference", *_OF_A_TOPIC}  # a record with none says nothing
_OF_A_DOCUMENT = ("id", "date", "text")
_TEXTS = ("title", "question", "label", "withdrawn")  # free texts; the other fields are names


def read_jsonl(
    paths: Paths,
    *,
    system: str | None = None,
    role: Role = "peer",
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Topics, systems, documents and summaries of JSONL files, or of every one in a folder.

    `columns` maps fields to keys of the file ({"text": "decoded"}) and wins over the usual names;
    `system` names the system of files that do not (default: the file's name); `role`, `kind`, `length` and
    `form` hold where a record says nothing; `reference_names` name the texts of a list of references
    (default: reference-1, reference-2, ...); `by_line` makes the line number the topic.
    """
    options = RecordOptions(
        system=system,
        role=role,
        kind=kind,
        length=length,
        form=form,
        reference_names=reference_names,
        columns=columns or {},
        by_line=by_line,
    )
    options.check()
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        records = RecordFile(path, options, once)
        last = 0
        for place, record in json_objects(path, max_line=max_line, encoding=encoding):
            for line in range(last + 1, place.line) if by_line else ():
                yield Place(path, line).item(BLANK_LINE)
            last = place.line
            yield from records.items(place, place.line, record)
        yield from records.end()

    yield from from_files(paths, items, JSON_LINES)


def read_table(
    paths: Paths,
    *,
    system: str | None = None,
    role: Role = "peer",
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
    delimiter: str | None = None,
    quotes: bool = True,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Topics, systems, documents and summaries of CSV or TSV files, or of every one in a folder.

    The options are those of `read_jsonl`. `by_line` counts the rows under the header, so that row n goes
    with line n of a JSONL file. `delimiter` is "," unless the file's name ends in .tsv; without `quotes`
    a quotation mark is a character like any other; `max_line` bounds a row, with the line breaks in it.
    """
    options = RecordOptions(
        system=system,
        role=role,
        kind=kind,
        length=length,
        form=form,
        reference_names=reference_names,
        columns=columns or {},
        by_line=by_line,
    )
    options.check()
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        records = RecordFile(path, options, once, cells=True)
        cells = read_cells(
            path, delimiter=delimiter, quotes=quotes, blank=by_line, max_line=max_line, encoding=encoding
        )
        header = cells.header
        yield from map(Place(path, 1).item, cells.noted())
        for number, (line, row) in enumerate(cells.rows, 1):
            place = Place(path, line)
            if not row and records.has_text(header):
                place.notes.append(BLANK)
            whole = row or [""] * len(header)
            yield from records.items(place, number, dict(zip(header, whole, strict=True)))
        yield from records.end()

    yield from from_files(paths, items, TABLES)


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """What the caller says about a file's records; see docs/importing.md."""

    system: str | None = None
    role: Role = "peer"
    kind: str | None = None
    length: int | None = None
    form: str | None = None
    reference_names: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    by_line: bool = False

    def check(self) -> None:
        one_of("--role", self.role, ROLES)
        one_of("--kind", self.kind, KINDS)
        one_of("--form", self.form, FORMS)
        check_map(self.columns, RECORD, wide=True)
        if self.by_line and self.columns.get("topic"):
            raise UsageError("--by-line makes the line number the topic: leave out --map topic=...")
        if self.length is not None and self.length < 1:
            raise UsageError(f"--length is {self.length}, expected a number of words, 1 or more")
        try:
            for name in (*self.reference_names, *([self.system] if self.system is not None else [])):
                System.parse({"system": name})
        except FormatError as error:
            raise UsageError(f"the name of a system: {error.problem}") from None


class RecordFile:
    """Turns the records of one file into items. With `cells`, an empty value is a missing one."""

    def __init__(self, path: Path, options: RecordOptions, once: Once, *, cells: bool = False) -> None:
        self.path, self.options, self.once, self.cells = path, options, once, cells
        self.unused = Unused()
        self._columns = {**options.columns, "topic": ""} if options.by_line else dict(options.columns)
        self._plan = lru_cache(maxsize=8)(self._find)
        self._seen = False
        self._found: set[str] = set()
        self._names: tuple[str, ...] = ()

    def items(self, place: Place, number: int, record: Mapping[str, Any]) -> Iterator[Item]:
        """The rows of one record; `number` is its topic where files are aligned by line."""
        self._seen = True
        self._names = tuple(record)
        try:
            here = self._plan(self._names)
        except FormatError as error:
            raise place.wrong(error.problem) from None
        self._found.update(
            here.fields.values(), (column for _, column in (*here.summaries, *here.references))
        )
        yield from self.unused(place, here.unused)
        yield from _Record(self, place, number, record, here).items()
        yield from place.noted()

    def has_text(self, names: Sequence[str]) -> bool:
        """Whether a record with these columns is one summary."""
        return "text" in self._plan(tuple(names)).fields

    def end(self) -> Iterator[Item]:
        """After the last record: a column that was named but never there is a mistake."""
        if not self._seen:
            yield str(self.path), EMPTY_FILE
            return
        for column in self._columns.values():
            if column and column not in self._found:
                raise self._no_column(column)

    def _no_column(self, column: str) -> UsageError:
        return UsageError(
            f"--map: {self.path} has no column {shown(column)}{close_to(column, self._names)};"
            f" it has: {listed(self._names)}"
        )

    def _find(self, names: tuple[str, ...]) -> ColumnPlan:
        found = find_columns(names, self._columns, RECORD, wide=True)
        fields, unused = dict(found.fields), list(found.unused)
        if found.absent and (self.cells or self._columns.get("topic") in found.absent):
            raise self._no_column(found.absent[0])
        if "topic" not in fields and not self.options.by_line:
            raise FormatError(
                f"no column for the topic among {listed(names)}: say --map topic=COLUMN,"
                " or --by-line where line numbers are topics"
            )
        if found.summaries:
            if "text" in fields:
                raise FormatError(
                    f"both {shown(fields['text'])} and {shown(found.summaries[0][1])} hold summaries:"
                    f" say --map document={listed([fields['text']])} or --map text= (not used)"
                )
            unused += [fields.pop(name) for name in _OF_A_SYSTEM if name in fields]
        elif not found.references and not fields.keys() & _ENOUGH and not self._columns.get("text"):
            raise FormatError(f"no column for the text among {listed(names)}: say --map text=COLUMN")
        elif "text" not in fields and "system" not in fields:
            unused += [fields.pop(name) for name in (*_OF_A_SYSTEM, "role") if name in fields]
        if "document" not in fields and "date" in fields:
            unused.append(fields.pop("date"))
        if "system" in fields and self.options.system is not None:
            raise UsageError(
                f"--system names one system, but {self.path} has a column {shown(fields['system'])}:"
                " leave out --system, or say --map system= (not used)"
            )
        return ColumnPlan(
            fields=fields, summaries=found.summaries, references=found.references, unused=tuple(unused)
        )


class _Record:
    """One record on its way to rows."""

    def __init__(
        self, file: RecordFile, place: Place, number: int, record: Mapping[str, Any], here: ColumnPlan
    ) -> None:
        self._file, self._options = file, file.options
        self._place, self._number, self._record, self._here = place, number, record, here

    def items(self) -> Iterator[Item]:
        topic = str(self._number) if self._options.by_line else self._value("topic")
        row = self._place.row(
            Topic, {"topic": topic} | {name: self._value(name) for name in _OF_A_TOPIC}, self._here.fields
        )
        yield from self._file.once.new(self._place, row)
        yield from self._documents(row.topic)
        target = Target(self._length(), self._form())
        yield from self._summaries(row.topic, target)
        yield from self._references(row.topic, target)

    def _cell(self, column: str) -> Any:
        value = self._record.get(column)
        return None if self._file.cells and value == "" else value

    def _raw(self, name: str) -> Any:
        return self._cell(self._here.fields[name]) if name in self._here.fields else None

    def _value(self, name: str) -> object:
        """A field that is a name, or a short text."""
        value = self._raw(name)
        if value is None:
            return None
        column = self._here.fields[name]
        return self._place.text(column, value) if name in _TEXTS else scalar(self._place, column, value)

    def _length(self) -> int | None:
        value = self._raw("length")
        if value is None:
            return self._options.length
        return self._place.whole_number(self._here.fields["length"], value, least=1)

    def _form(self) -> Any:
        value = self._raw("form")
        return self._options.form if value is None else value

    def _roles(self) -> tuple[str, ...]:
        value = self._raw("role")
        if value is None:
            return ROLES[self._options.role]
        names = re.split(r"[\s,;+|]+", value.strip()) if isinstance(value, str) else value
        if isinstance(names, list) and names:
            if names == ["both"]:
                return ROLES["both"]
            if all(name in ("peer", "reference") for name in names):
                return tuple(role for role in ROLES["both"] if role in names)
        found = shown(value) if isinstance(value, str) else type_name(value)
        column = shown(self._here.fields["role"])
        raise self._place.wrong(f"{column} is {found}, expected peer, reference or both")

    # Summaries

    def _summaries(self, topic: str, target: Target) -> Iterator[Item]:
        for name, column in self._here.summaries:
            value, kind = self._cell(column), self._options.kind
            yield from self._summary(topic, name, value, column, target, self._roles(), kind)
        if "text" in self._here.fields or "system" in self._here.fields:
            yield from self._own_summary(topic, target)

    def _own_summary(self, topic: str, target: Target) -> Iterator[Item]:
        """The text of a record that has one: of the system it names, or of the file's.

        Here an empty cell is an empty summary: in a table of one row per summary, the row says it exists.
        """
        column = self._here.fields.get("text", "")
        value = self._record.get(column) if column else None
        if "system" in self._here.fields:
            system = self._value("system")
        else:
            system = self._options.system or stem(self._file.path)
        kind = self._value("kind") or self._options.kind
        of_system = {"label": self._value("label"), "group": self._value("group")}
        of_summary = {"author": self._value("author"), "withdrawn": self._value("withdrawn")}
        yield from self._summary(
            topic, system, value, column, target, self._roles(), kind, of_system, of_summary
        )

    def _summary(
        self,
        topic: str,
        system: object,
        value: object,
        column: str,
        target: Target,
        roles: Sequence[str],
        kind: object,
        of_system: Mapping[str, object] | None = None,
        of_summary: Mapping[str, object] | None = None,
    ) -> Iterator[Item]:
        place, called = self._place, self._here.fields
        if kind is None and "reference" in roles:
            kind = "human"
        who = place.row(System, {"system": system, "kind": kind, **(of_system or {})}, called)
        yield from self._file.once.new(place, who)
        if value is None:
            yield place.item(NO_TEXT)
            return
        data = {
            "topic": topic,
            "system": who.system,
            **target.as_dict(),
            "roles": list(roles),
            "text": place.text(column, value),
            **(of_summary or {}),
        }
        yield place.item(place.row(Summary, data, called))

    def _references(self, topic: str, target: Target) -> Iterator[Item]:
        for name, column in self._here.references:
            value = self._cell(column)
            yield from self._summary(topic, name, value, column, target, ("reference",), "human")
        if "reference" not in self._here.fields:
            return
        column, value = self._here.fields["reference"], self._raw("reference")
        texts = value if isinstance(value, list) else [value]
        names = self._options.reference_names
        if names and len(texts) > len(names):
            raise self._place.wrong(
                f"{shown(column)} holds {len(texts)} texts, --reference-names has {len(names)}"
            )
        for number, text in enumerate(texts, 1):
            name = names[number - 1] if names else f"reference-{number}"
            yield from self._summary(topic, name, text, column, target, ("reference",), "human")

    # Documents

    def _documents(self, topic: str) -> Iterator[Item]:
        if "document" not in self._here.fields:
            return
        column, value = self._here.fields["document"], self._raw("document")
        for number, each in enumerate(value if isinstance(value, list) else [value], 1):
            yield from self._document(topic, column, number, each)

    def _document(self, topic: str, column: str, number: int, value: object) -> Iterator[Item]:
        place = self._place
        parts = value if isinstance(value, dict) else {"text": value}
        yield from self._file.unused(place, (f"{column}.{key}" for key in parts if key not in _OF_A_DOCUMENT))
        if parts.get("text") is None:
            yield place.item(LeftOut("document without text"))
            return
        identity, date = parts.get("id"), parts.get("date")
        called = {"id": f"{column}.id", "date": f"{column}.date"}
        data = {
            "topic": topic,
            "id": str(number) if identity is None else scalar(place, called["id"], identity),
            "date": self._value("date") if date is None else scalar(place, called["date"], date),
            "text": place.text(column, parts["text"]),
        }
        yield place.item(place.row(Document, data, called))


# Which column holds which field


@dataclass(frozen=True)
class ColumnPlan:
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


def find_columns(
    names: Iterable[str], columns: Mapping[str, str], aliases: Aliases, *, wide: bool
) -> ColumnPlan:
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
    return ColumnPlan(
        fields=fields,
        summaries=_texts(texts, SUMMARY),
        references=_texts(texts, REFERENCE),
        unused=tuple(unused),
        absent=absent,
    )


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
