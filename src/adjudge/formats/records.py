"""Records in JSON, CSV, TSV, Parquet and Python: topics, systems, documents, summaries and mean ratings.

Shapes are told apart by their columns: LONG (topic, system, text), ONE FILE PER SYSTEM (topic, text; the file's name is
the system), WIDE (a column `summary:NAME` per system, or the columns that are named as systems), and NESTED (a column
holds the texts of all systems). What the columns do not tell is asked, never guessed: `Undecided`.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from adjudge.core.errors import FormatError, Undecided, UsageError, Way, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.data.incoming import Item, LeftOut, Noted, Remark
from adjudge.data.json_records import text_start
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import KINDS, Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.data.target import FORMS, Target
from adjudge.formats import frames, parquet
from adjudge.formats.files import (
    BLANK,
    BLANK_LINE,
    EMPTY_FILE,
    JSON_LINES,
    MAPPED,
    NO_TEXT,
    TABLES,
    Once,
    Paths,
    Place,
    Unused,
    from_files,
    json_objects,
    mapped,
    one_of,
    read_cells,
    reading,
    scalar,
    shown,
    stem,
    type_name,
    whole_length,
)
from adjudge.formats.headings import LESS_USUAL, SYSTEM, TOPIC
from adjudge.formats.headings import plain as plain_name

Aliases = Mapping[str, tuple[str, ...]]
BY_LINE = Argument("by_line", True)
Role = Literal["peer", "reference", "both"]
ROLES: Mapping[str, tuple[str, ...]] = {
    "peer": ("peer",),
    "reference": ("reference",),
    "both": ("peer", "reference"),
}

RECORD: Aliases = {
    "topic": TOPIC,
    "system": SYSTEM,
    "text": (
        "summary",
        "text",
        "decoded",
        "prediction",
        "output",
        "hypothesis",
        "generated",
        "generated_text",
        "generated_summary",
        "summary_text",
        "system_summary",
        "candidate",
    ),
    "outputs": (
        "machine_summaries",
        "system_outputs",
        "model_outputs",
        "outputs",
        "predictions",
        "candidates",
    ),
    "document": (
        "document",
        "documents",
        "source",
        "article",
        "dialogue",
        "dialog",
        "transcript",
        "report",
        "source_text",
    ),
    "reference": (
        "reference",
        "references",
        "human_summaries",
        "human_summary",
        "reference_summary",
        "reference_summaries",
        "gold_summary",
        "target",
    ),
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
EITHER = ("summary", "highlights", "abstract", "tldr")
"""Columns that are the reference in one data set and a system's output in another."""
INDEX = ("", "unnamed: 0", "__index_level_0__", "row_idx", "index")
"""Columns that pandas and the Hub write for the row's number: the topic, where nothing else is."""
ASPECTS = ("coherence", "consistency", "fluency", "relevance", "informativeness", "faithfulness", "overall")
"""Columns that hold a rating for each text of `outputs`."""
MEANS = "mean"
MEANS_ONLY = Noted(
    "row of ratings that are means only, without assessors: taken as scores, which say nothing of agreement"
)
WHOLE_IDS = Noted("whole number with decimals (1.0) taken as a name without (1)")
ROW_NUMBERS = Noted("file without a column for the topic: a row is a topic, and its number the name")
FILE_NAME = Noted("file without a column for the system: its name is the system")
NO_NAME = "(no name)"
SPLIT = Noted('source split into documents at "|||||"')
_BARS = "|||||"  # between the documents of a topic in Multi-News
_SAMPLE = 8  # records that are looked at before the first is taken
_FEWEST_WORDS = 3  # of a text, on average: a name or a category has fewer
_MUCH_SHORTER = (
    4  # times: beside texts so much longer, a column of few words holds no texts of another system
)
_MOST_REMEMBERED = 4096  # topics whose fields are remembered: memory must not grow with the input

_OF_A_SYSTEM = ("system", "author", "withdrawn", "kind", "label", "group")
_OF_A_TOPIC = ("set", "type", "task", "selector", "title", "question")
_ENOUGH = {
    "text",
    "outputs",
    "system",
    "document",
    "reference",
    *_OF_A_TOPIC,
}  # a record with none says nothing
_OF_A_DOCUMENT = ("id", "date", "text")
_TEXTS = ("title", "question", "label", "withdrawn")  # free texts; the other fields are names


Numbered = tuple[Place, int, Mapping[str, Any]]
"""A record, where it stood, and its number, which is its topic where files are aligned by line."""


def read_jsonl(
    paths: Paths,
    *,
    system: str | None = None,
    systems: Sequence[str] = (),
    role: Role | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    system_names: Sequence[str] = (),
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
    ask: bool = False,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Topics, systems, documents and summaries of JSON files, or of every JSONL file in a folder.

    `columns` maps fields to keys of the file ({"text": "decoded"}) and wins over the usual names;
    `system` names the system of files that do not (default: the file's name), `systems` the columns that
    each hold a system's summaries; `role` (default: peer), `kind`, `length` and `form` hold where a record says
    nothing; `system_names` and `reference_names` name the texts of a list (default: system-1, system-2, ...,
    reference-1, ...); `by_line` makes the line number the topic. With `ask`, a column such as `summary` alone is
    asked about also where no source stands beside it.
    """
    options = RecordOptions(
        system=system,
        systems=systems,
        role=role,
        kind=kind,
        length=length,
        form=form,
        system_names=system_names,
        reference_names=reference_names,
        columns=columns or {},
        by_line=by_line,
        ask=ask,
    )
    options, paths = options.check(paths)
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        records = RecordFile(path, options, once)
        _refuse_other_format(path, "jsonl", encoding)
        objects = json_objects(path, max_line=max_line, encoding=encoding, column_test=options.is_known)
        last = 0
        for place, number, record in records.looked_at((p, p.line, record) for p, record in objects):
            for line in range(last + 1, number) if by_line else ():
                yield Place(path, line).item(BLANK_LINE)
            last = number
            yield from records.items(place, number, record)
        yield from records.end()

    yield from from_files(paths, items, JSON_LINES)


def read_table(
    paths: Paths,
    *,
    system: str | None = None,
    systems: Sequence[str] = (),
    role: Role | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    system_names: Sequence[str] = (),
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
    ask: bool = False,
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
        systems=systems,
        role=role,
        kind=kind,
        length=length,
        form=form,
        system_names=system_names,
        reference_names=reference_names,
        columns=columns or {},
        by_line=by_line,
        ask=ask,
    )
    options, paths = options.check(paths)
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        records = RecordFile(path, options, once, cells=True)
        _refuse_other_format(path, "csv", encoding)
        cells = read_cells(
            path,
            delimiter=delimiter,
            quotes=quotes,
            unnamed_first=True,
            blank=True,
            max_line=max_line,
            encoding=encoding,
        )
        header = cells.header
        yield from map(Place(path, 1).item, cells.noted())
        between: list[Place] = []  # blank lines before other rows, which are no rows

        def numbered_rows() -> Iterator[Numbered]:
            number, blank = 0, []
            for line, row in cells.rows:
                place = Place(path, line)
                if not row and not by_line:
                    blank.append(place)
                    continue
                between.extend(blank)
                blank.clear()
                number += 1
                if not row and records.has_text(header):
                    place.notes.append(BLANK)
                yield place, number, dict(zip(header, row or [""] * len(header), strict=True))

        yield from records.read(numbered_rows())
        yield from (place.item(BLANK_LINE) for place in between)

    yield from from_files(paths, items, TABLES)


def read_parquet(
    paths: Paths,
    *,
    system: str | None = None,
    systems: Sequence[str] = (),
    role: Role | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    system_names: Sequence[str] = (),
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
    ask: bool = False,
) -> Iterator[Item]:
    """Topics, systems, documents, summaries and mean ratings of Parquet files, or of every one in a folder.

    The options are those of `read_jsonl`; a row's number, from 1, stands for its line. Only the columns that are used
    are read, some rows at a time.
    """
    options = RecordOptions(
        system=system,
        systems=systems,
        role=role,
        kind=kind,
        length=length,
        form=form,
        system_names=system_names,
        reference_names=reference_names,
        columns=columns or {},
        by_line=by_line,
        ask=ask,
    )
    options, paths = options.check(paths)
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        records = RecordFile(path, options, once)
        table = parquet.ParquetRows(path)

        def numbered(rows: Iterable[Mapping[str, Any]]) -> Iterator[Numbered]:
            return ((Place(path, number), number, row) for number, row in enumerate(rows, 1))

        with reading(path):
            first = list(numbered(table.rows(table.names, most=_SAMPLE)))
            for _ in records.looked_at(first):
                pass
            used = records.used(table.names) if first else []
            yield from records.not_used(Place(path, 1), table.names)
            for place, number, row in numbered(table.rows(used)):
                yield from records.items(place, number, row)
            yield from records.end()

    yield from from_files(paths, items, (".parquet",))


def read_frame(
    data: Any,
    *,
    name: str = "data",
    system: str | None = None,
    systems: Sequence[str] = (),
    role: Role | None = None,
    kind: str | None = None,
    length: int | None = None,
    form: str | None = None,
    system_names: Sequence[str] = (),
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
) -> Iterator[Item]:
    """Topics, systems, documents, summaries and mean ratings of a DataFrame, or of a list of dicts.

    Anything that gives mappings one after another will do, such as a data set of the library `datasets`. The options
    are those of `read_jsonl`; `name` is what messages call the data.
    """
    options = RecordOptions(
        system=system,
        systems=systems,
        role=role,
        kind=kind,
        length=length,
        form=form,
        system_names=system_names,
        reference_names=reference_names,
        columns=columns or {},
        by_line=by_line,
        ask=True,
        has_file=False,
    )
    options, _ = replace(options, index=frames.index_name(data)).check()
    path = Path(name)
    rows = ((Place(path, number), number, row) for number, row in enumerate(frames.rows_of(data), 1))
    yield from RecordFile(path, options, Once()).read(rows)


def _refuse_other_format(path: Path, format: str, encoding: str) -> None:
    """Refuse JSON that is read as a table, and a table that is read as JSON, with the command for what it is."""
    if not path.is_file():
        return  # what is read from a pipe is gone
    try:
        with reading(path):
            start = text_start(path, encoding).lstrip()
    except FormatError:
        return  # told in its turn
    if start.startswith("PAR1"):
        raise _another(path, "a Parquet file", "")
    first = start.partition("\n")[0]
    if format == "csv" and re.match(r'\{\s*"|\[\s*\{', start):
        raise _another(path, "JSON", "jsonl ")
    names = [name.strip().strip('"') for name in re.split(r"[,;\t|]", first)]
    if (
        format == "jsonl"
        and not start.startswith(("{", "["))
        and len(names) > 1
        and any(map(is_column, names))
    ):
        raise _another(path, "a table, no JSON", "csv ")


def _another(path: Path, what: str, format: str) -> FormatError:
    return FormatError(f"is {what}: adjudge import {format}{shlex.quote(str(path))} EVALUATION", file=path)


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """What the caller says about a file's records; see docs/importing.md. Names may be one text: "a,b"."""

    system: str | None = None
    systems: Sequence[str] = ()
    role: Role | None = None
    kind: str | None = None
    length: int | None = None
    form: str | None = None
    system_names: Sequence[str] = ()
    reference_names: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    by_line: bool = False
    ask: bool = False
    alone: bool = True  # there is one file, so that a row's number is a name
    has_file: bool = True  # whose name is the system's
    index: str | None = None  # of a frame: the column for the topic where no other is

    def __post_init__(self) -> None:
        for name in ("systems", "system_names", "reference_names"):
            if isinstance(text := getattr(self, name), str):
                object.__setattr__(self, name, [part.strip() for part in text.split(",")])

    def check(self, paths: Paths = ()) -> tuple[RecordOptions, list[str | Path]]:
        """Refuse what cannot be meant; the options, which know whether there is one file, and the paths."""
        one_of("role", self.role, ROLES)
        one_of("kind", self.kind, KINDS)
        one_of("form", self.form, FORMS)
        check_map(self.columns, RECORD, wide=True)
        if self.by_line and self.columns.get("topic"):
            raise UsageError(
                f"{BY_LINE} makes the line number the topic: leave out {mapped('topic', self.columns['topic'])}"
            )
        whole_length(self.length)
        names = [*self.systems, *self.system_names, *self.reference_names]
        if twice := next((name for name in self.systems if self.systems.count(name) > 1), None):
            raise UsageError(f"{Argument('systems')} names {quoted(twice)} twice")
        try:
            for name in (*names, *([self.system] if self.system is not None else [])):
                System.parse({"system": name})
        except FormatError as error:
            raise UsageError(f"the name of a system: {error.problem}") from None
        several = list(paths)
        return replace(self, alone=len(several) < 2 and not any(map(os.path.isdir, several))), several

    @property
    def map(self) -> dict[str, str]:
        """Which column holds which field, as far as the caller says."""
        columns = {**self.columns, **{f"{SUMMARY}{name}": name for name in self.systems}}
        return {**columns, "topic": ""} if self.by_line else columns

    def is_known(self, name: str) -> bool:
        """Whether a key is the name of a column, usual or given."""
        return is_column(name) or name in self.map.values()

    @property
    def names_system(self) -> bool:
        """Whether texts without a column for their system have one."""
        return self.system is not None or self.has_file

    @property
    def takes_file_name(self) -> bool:
        """Whether the file's name is the system's without anybody having said so."""
        return self.ask and self.has_file and self.system is None

    @property
    def says_whose(self) -> bool:
        """Whether the caller said what a text without a column for its system is."""
        named = any(wide_prefix(name) for name in self.columns)
        return self.system is not None or self.role is not None or named or "text" in self.columns


class RecordFile:
    """Turns the records of one file into items. With `cells`, an empty value is a missing one."""

    def __init__(self, path: Path, options: RecordOptions, once: Once, *, cells: bool = False) -> None:
        self.path, self.options, self.once, self.cells = path, options, once, cells
        self.unused = Unused()
        self.measures: set[str] = set()
        self._columns = options.map
        self._plan = lru_cache(maxsize=8)(self._find)
        self._seen = False
        self._found: set[str] = set()
        self._names: tuple[str, ...] = ()
        self._outputs: int | None = None
        self._sources: dict[bytes, int] = {}
        self._aliases: Aliases = RECORD
        self._absent: tuple[str, ...] = ()  # columns that were named, and are in none of the first records
        self._fields_said: dict[tuple[str, str, str], tuple[object, int]] = {}

    def read(self, records: Iterable[Numbered]) -> Iterator[Item]:
        """The rows of all records."""
        for place, number, record in self.looked_at(records):
            yield from self.items(place, number, record)
        yield from self.end()

    def looked_at(self, records: Iterable[Numbered]) -> Iterator[Numbered]:
        """The records as they come, after a look at the first ones: texts nobody named are asked about."""
        records = iter(records)
        first: list[Numbered] = []
        broken: FormatError | None = None
        try:
            first.extend(islice(records, _SAMPLE))
        except FormatError as error:
            broken = error  # told in its turn: an earlier record may be wrong in another way
        sample = [record for _, _, record in first]
        names = tuple(dict.fromkeys(name for record in sample for name in record))
        self._absent = tuple(c for c in self._columns.values() if c and c not in names) if sample else ()
        if single := single_texts(sample, names, cells=self.cells):
            plain = {name.strip().casefold() for name in single}
            outputs = tuple(name for name in RECORD["outputs"] if name not in plain)
            self._aliases = {**RECORD, "text": (*RECORD["text"], *sorted(plain)), "outputs": outputs}
        self._aliases = {**self._aliases, **self._less_usual(names, sample)}
        with self._missing_first(names):
            self._ask_about(names, sample)
        while first:
            yield first.pop(0)
        if broken is not None:
            raise broken
        yield from records

    def _less_usual(
        self, names: Sequence[str], sample: Sequence[Mapping[str, Any]]
    ) -> dict[str, tuple[str, ...]]:
        """Names of the topic's and the system's columns, where none has a usual one and one holds such names."""
        more: dict[str, tuple[str, ...]] = {}
        usual = {alias for aliases in self._aliases.values() for alias in aliases}
        free = [name for name in names if name.strip().casefold() not in usual | {*self._columns.values()}]
        for what in ("topic", "system"):
            aliases = self._aliases[what]
            is_named = what in self._columns or (what == "system" and self.options.system is not None)
            if is_named or any(name.strip().casefold() in aliases for name in names):
                continue
            columns = [
                name
                for name in free
                if plain_name(name) in LESS_USUAL[what] and not looks_like_texts(sample, name)
            ]
            if len(columns) == 1:
                more[what] = (*aliases, columns[0].strip().casefold())
        return more

    def items(self, place: Place, number: int, record: Mapping[str, Any]) -> Iterator[Item]:
        """The rows of one record; `number` is its topic where files are aligned by line."""
        first, self._seen = not self._seen, True
        self._names = tuple(record)
        try:
            here = self._plan(self._names)
        except FormatError as error:
            raise place.wrong(error.problem) from None
        self._found.update(
            here.fields.values(), (column for _, column in (*here.summaries, *here.references))
        )
        if first and here.by_row:
            yield str(self.path), ROW_NUMBERS
        if first:
            yield from self._named_otherwise()
        yield from self.unused(place, (name or NO_NAME for name in here.unused))
        if "text" in here.fields and "system" not in here.fields and not self.options.names_system:
            raise UsageError(f"{self.path}: no column for the system: say system=NAME")
        if first and self.options.takes_file_name and "text" in here.fields and "system" not in here.fields:
            yield str(self.path), FILE_NAME
        items = list(_Record(self, place, number, record, here).items())
        if any(thing is NO_TEXT for _, thing in items) and not any(
            isinstance(thing, Document | Summary | Score) for _, thing in items
        ):
            items = [(where, thing) for where, thing in items if isinstance(thing, Remark)]
        for where, thing in items:
            if isinstance(thing, Topic | System):
                yield from self.once.new(place, thing)
            else:
                yield where, thing
        yield from place.noted()

    def _named_otherwise(self) -> Iterator[Item]:
        """Notes columns that were named as systems, and have a usual name of something else."""
        for name in self.options.systems:
            for role in ("reference", "document"):
                if name.strip().casefold() in RECORD[role]:
                    yield (
                        str(self.path),
                        Noted(
                            f"column {shown(name)} taken as a system, as {Argument('systems')} says; without it there,"
                            f" it is the {role}"
                        ),
                    )

    def same_field(self, place: Place, what: str, name: str, column: str, field: str, value: object) -> None:
        """A system has one label, a topic one title: a column that differs by row is something else."""
        if value is None:
            return
        key = (what, name, field)
        if key not in self._fields_said and len(self._fields_said) >= _MOST_REMEMBERED:
            self._fields_said.clear()
        earlier, line = self._fields_said.setdefault(key, (value, place.line))
        if earlier != value:
            raise place.wrong(
                f"{shown(column)} of the {what} {shown(name)} is {shown(value)}, but {shown(earlier)} at"
                f" {Place(self.path, line)}: a {what} has one {field}; where the column is something else, say"
                f" {mapped(field, '')} (not used)"
            )

    def used(self, names: Sequence[str]) -> list[str]:
        """The columns that will be looked at, of a table with these."""
        here = self._plan(tuple(names))
        texts = (column for _, column in (*here.summaries, *here.references, *here.aspects))
        wanted = {*here.fields.values(), *texts}
        return [name for name in names if name in wanted]

    def not_used(self, place: Place, names: Sequence[str]) -> Iterator[Item]:
        """Names the columns of a table that will not be looked at."""
        yield from self.unused(place, (name or NO_NAME for name in self._plan(tuple(names)).unused))

    def has_text(self, names: Sequence[str]) -> bool:
        """Whether a record with these columns is one summary."""
        return "text" in self._plan(tuple(names)).fields

    def same_number(self, place: Place, column: str, texts: int) -> None:
        """A place in a list is a system, so lists have one length."""
        if self._outputs is None:
            self._outputs = texts
        if texts != self._outputs:
            raise place.wrong(
                f"{shown(column)} holds {texts} texts, {self._outputs} before: a place in the list is a system,"
                " so lists have one length (null for what is missing)"
            )

    def new_source(self, place: Place, text: str) -> None:
        """Rows that are topics have sources of their own."""
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        first = self._sources.setdefault(digest, place.line)
        if first != place.line:
            raise place.wrong(
                f"the same source as at {Place(self.path, first)}: a row is not a topic, and no column is the topic's:"
                f" say {mapped('topic')}, or {BY_LINE} where row numbers are topics all the same"
            )

    def end(self) -> Iterator[Item]:
        """After the last record: a column that was named but never there is a mistake."""
        if not self._seen:
            yield str(self.path), EMPTY_FILE
            return
        for column in self._columns.values():
            if column and column not in self._found:
                raise self._no_column(column)

    def _no_column(self, column: str) -> UsageError:
        named = Argument("systems") if column in self.options.systems else MAPPED
        return UsageError(
            f"{named}: {self.path} has no column {shown(column)}{close_to(column, self._names)};"
            f" it has: {listed(self._names)}"
        )

    # Which column holds what

    def _find(self, names: tuple[str, ...]) -> ColumnPlan:
        self._names = names
        with self._missing_first(names):
            return self._planned(names)

    @contextmanager
    def _missing_first(self, names: tuple[str, ...]) -> Iterator[None]:
        """Where a column that was named is nowhere, that is what is wrong, whatever follows from it."""
        try:
            yield
        except (FormatError, Undecided):
            if self._absent:
                self._names = names
                raise self._no_column(self._absent[0]) from None
            raise

    def _planned(self, names: tuple[str, ...]) -> ColumnPlan:
        columns = {**self._columns, **self._implied(names)}
        plan = find_columns(names, columns, self._aliases, wide=True)
        fields, unused = dict(plan.fields), list(plan.unused)
        if plan.absent and (self.cells or self._columns.get("topic") in plan.absent):
            raise self._no_column(plan.absent[0])
        if "topic" not in fields and "topic" not in columns:
            index = next(
                (n for n in unused if n == self.options.index or n.strip().casefold() in INDEX), None
            )
            if index is not None:
                fields["topic"] = index
                unused.remove(index)
        by_row = False
        if "topic" not in fields and not self.options.by_line:
            by_row = "document" in fields and "system" not in fields and self.options.alone
            if not by_row:
                raise FormatError(
                    f"no column for the topic among {listed(names)}: say {mapped('topic')},"
                    f" or {BY_LINE} where line numbers are topics"
                )
        self._decide(names, fields, plan)
        aspects: list[tuple[str, str]] = []
        if plan.summaries or "outputs" in fields:
            unused += [fields.pop(name) for name in _OF_A_SYSTEM if name in fields]
            if "outputs" in fields:
                aspects = [(n.strip().casefold(), n) for n in unused if n.strip().casefold() in ASPECTS]
                unused = [name for name in unused if name not in dict(aspects).values()]
        elif not plan.references and not fields.keys() & _ENOUGH and not self._columns.get("text"):
            raise FormatError(f"no column for the text among {listed(names)}: say {mapped('text')}")
        elif "text" not in fields and "system" not in fields:
            unused += [fields.pop(name) for name in (*_OF_A_SYSTEM, "role") if name in fields]
        if "document" not in fields and "date" in fields:
            unused.append(fields.pop("date"))
        if "system" in fields and self.options.system is not None:
            raise UsageError(
                f"{Argument('system')} names one system, but {self.path} has a column {shown(fields['system'])}:"
                f" leave out {Argument('system')}, or say {mapped('system', '')} (not used)"
            )
        return ColumnPlan(
            fields=fields,
            summaries=plan.summaries,
            references=plan.references,
            aspects=tuple(aspects),
            by_row=by_row,
            unused=tuple(unused),
        )

    def _implied(self, names: tuple[str, ...]) -> dict[str, str]:
        """What a column holds where only its neighbours tell: `text` beside `summary` is the document."""
        taken = set(self._columns.values())
        by_plain = {name.strip().casefold(): name for name in names if name not in taken}

        def has(field: str, *but: str) -> bool:
            aliases = self._aliases[field]
            return bool(self._columns.get(field)) or any(a in by_plain for a in aliases if a not in but)

        implied: dict[str, str] = {}
        present = {name.strip().casefold() for name in names}
        beside = {*EITHER, *RECORD["outputs"], "human_summaries"} & present
        if "text" in by_plain and beside and "document" not in self._columns and not has("document"):
            implied["document"] = by_plain["text"]
        written = has("text", "summary", "text") or has("outputs") or self._has_wide(names)
        golden = [by_plain[name] for name in EITHER if name in by_plain and name != "summary"]
        if written and len(golden) == 1 and "reference" not in self._columns and not has("reference"):
            implied["reference"] = golden[0]
        says_whose = self.options.system is not None or self.options.role is not None
        if says_whose and len(golden) == 1 and not has("text", "text") and "text" not in self._columns:
            implied["text"] = golden[0]
        return implied

    def _has_wide(self, names: Iterable[str]) -> bool:
        return any(
            wide_prefix(name) for name in (*self._columns, *(name.strip().casefold() for name in names))
        )

    def _decide(self, names: tuple[str, ...], fields: Mapping[str, str], plan: ColumnPlan) -> None:
        """Ask where a column may be the reference or a system's output, or may belong beside other outputs."""
        several = [column for _, column in plan.summaries] or [fields[n] for n in ("outputs",) if n in fields]
        if several and "text" in fields:
            text = fields["text"]
            raise Undecided(
                f"{self.path}: both {shown(text)} and {shown(several[0])} hold summaries",
                [
                    Way(arguments=[mapped("reference", text)], meaning=f"{shown(text)} is a reference"),
                    Way(arguments=[mapped("document", text)], meaning="it is the source"),
                    Way(arguments=[mapped("text", "")], meaning="it is not used"),
                ],
            )
        taken = set(self._columns.values())
        either = [n for n in names if n.strip().casefold() in EITHER and n not in taken]
        if not either or several or self.options.says_whose or fields.get("reference") or plan.references:
            return
        if "text" in fields and fields["text"] not in either:
            return  # another column is the text
        if ("system" in fields and "text" in fields) or "role" in fields:
            return
        if "document" in fields or "system" in fields or self.options.ask or "text" not in fields:
            raise self._either(either)

    def _either(self, either: Sequence[str]) -> Undecided:
        name = stem(self.path)
        if len(either) > 1:
            first, second = either[:2]
            both = [(first, second), (second, first)]
            return Undecided(
                f"{self.path}: which of {listed(either)} is the reference, and which a system's summary, is not said",
                [
                    Way(
                        arguments=[mapped("reference", a), mapped("text", b)],
                        meaning=f"{shown(a)} is the reference",
                    )
                    for a, b in both
                ],
            )
        column = either[0]
        if not self.options.has_file:
            name = "NAME"
        whose = [Argument("system", name)] if self.options.alone and name else []
        return Undecided(
            f"{self.path}: {shown(column)} is the reference in one data set and a system's summary in another",
            [
                Way(arguments=[mapped("reference", column)], meaning="references"),
                Way(
                    arguments=[mapped("text", column), *whose],
                    meaning=f"summaries of the system {shown(name)}" if whose else "a file per system",
                ),
            ],
        )

    def _ask_about(self, names: tuple[str, ...], sample: Sequence[Mapping[str, Any]]) -> None:
        columns = {**self._columns, **self._implied(names)}
        try:
            find_columns(names, columns, self._aliases, wide=True)
        except TwoColumns as error:
            if self.options.ask or error.field == "text":
                raise self._which(error, names, sample) from None
            return
        except FormatError:
            return  # told with its place, in its turn
        if "text" in self.options.columns or self._has_wide(names):
            return
        plan = find_columns(names, {**columns, "text": ""}, self._aliases, wide=True)
        written = {name for name in plan.unused if name.strip().casefold() in self._aliases["text"]}
        either = [name for name in plan.unused if name.strip().casefold() in EITHER]
        decided = self.options.says_whose or "reference" in plan.fields
        if "outputs" not in plan.fields and "outputs" not in self.options.columns:
            self._ask_about_objects(sample, plan.unused, either)
        if "outputs" in plan.fields or written - set(either) or (written and decided):
            return
        rest = [name for name in plan.unused if name not in either and name != self.options.index]
        texts = [name for name in rest if looks_like_texts(sample, name)]
        if not either:  # else that is asked first
            least = min((_average_words(sample, name) for name in texts), default=0) / _MUCH_SHORTER
            texts = [
                name
                for name in rest
                if name in texts or (may_be_texts(sample, name) and _average_words(sample, name) >= least)
            ]
        if not texts:
            return
        if "system" not in plan.fields:
            raise self._systems(texts, either, plan.fields, sample)
        if not either:
            raise Undecided(
                f"{self.path}: no column is known to hold the summaries",
                [
                    Way(arguments=[mapped("text", name)], meaning=f"they are in {shown(name)}")
                    for name in texts
                ],
            )

    def _ask_about_objects(
        self, sample: Sequence[Mapping[str, Any]], names: Sequence[str], either: Sequence[str]
    ) -> None:
        """Ask about a column that holds an object of texts in every row: its keys may be the systems."""
        for name in names:
            values = [value for record in sample if (value := record.get(name)) is not None]
            if not values or not all(isinstance(by_key, dict) and by_key for by_key in values):
                continue
            texts = [text for by_key in values for text in by_key.values()]
            if not all(isinstance(text, str) for text in texts):
                continue
            keys = list(dict.fromkeys(key for by_key in values for key in by_key))
            if {key.casefold() for key in keys} & {*SYSTEM, "text", "summary"}:
                raise FormatError(
                    f"{shown(name)} holds objects of {listed(keys)}, expected texts: write the text, and whose it is,"
                    " into columns of their own",
                    file=self.path,
                )
            beside = [mapped("reference", column) for column in either[:1]]
            and_reference = f", {shown(either[0])} is the reference" if either else ""
            raise Undecided(
                f"{self.path}: {shown(name)} holds an object of texts in every row, and nothing says whose",
                [
                    Way(
                        arguments=[mapped("outputs", name), *beside],
                        meaning=f"one of each system{and_reference}",
                    ),
                    Way(arguments=[mapped("outputs", ""), *beside], meaning=f"not used{and_reference}"),
                ],
            )

    def _which(
        self, error: TwoColumns, names: tuple[str, ...], sample: Sequence[Mapping[str, Any]]
    ) -> Undecided:
        both = self._both(names, sample) if error.field == "text" else []
        one, other = map(shown, error.columns)
        return Undecided(
            f"{self.path}: columns {one} and {other} may both be the {error.field}",
            [
                *both,
                *(
                    Way(
                        arguments=[mapped(error.field, name)],
                        meaning=f"the {error.field} is {shown(name)}",
                    )
                    for name in error.columns
                ),
            ],
        )

    def _both(self, names: tuple[str, ...], sample: Sequence[Mapping[str, Any]]) -> list[Way]:
        """The way to use all columns that are known to hold texts: one as the source, one as the reference."""
        columns = {**self._columns, **self._implied(names), "text": ""}
        try:
            plan = find_columns(names, columns, self._aliases, wide=True)
        except FormatError:
            return []
        plain_names = {name: name.strip().casefold() for name in plan.unused}
        golden = [name for name, plain in plain_names.items() if plain in EITHER]
        outputs = [
            name
            for name, plain in plain_names.items()
            if plain in self._aliases["text"] and name not in golden
        ]
        outputs += [
            name for name in plain_names if name not in (*golden, *outputs) and looks_like_texts(sample, name)
        ]
        arguments: list[Argument] = []
        meanings: list[str] = []
        source = next((name for name in outputs if plain_names[name] == "text"), None)
        if source is not None and "document" not in plan.fields and len([*outputs, *golden]) > 1:
            outputs.remove(source)
            arguments.append(mapped("document", source))
            meanings.append(f"{shown(source)} is the source")
        if len(golden) == 1 and outputs and "reference" not in plan.fields and not plan.references:
            arguments.append(mapped("reference", golden[0]))
            meanings.append(f"{shown(golden[0])} is the reference")
        else:
            outputs += golden
        if len(outputs) == 1 and arguments:
            return [
                Way(
                    arguments=[mapped("text", outputs[0]), *arguments],
                    meaning=", ".join([f"the text is {shown(outputs[0])}", *meanings]),
                )
            ]
        if len(outputs) > 1 and "system" not in plan.fields:
            return [
                Way(
                    arguments=[*_as_systems(outputs), *arguments],
                    meaning=", ".join(["a column per system", *meanings]),
                )
            ]
        return []

    def _systems(
        self,
        texts: list[str],
        either: Sequence[str],
        fields: Mapping[str, str],
        sample: Sequence[Mapping[str, Any]],
    ) -> Undecided:
        ways: list[Way] = []
        first: list[Argument] = []
        lengths = {name: _average_length(sample, name) for name in texts}
        longest = max(texts, key=lambda name: lengths[name])
        if (
            "document" not in fields
            and len(texts) > 1
            and lengths[longest] > 3 * sorted(lengths.values())[-2]
        ):
            first = [mapped("document", longest)]
            texts = [name for name in texts if name != longest]
        names = {name for record in sample for name in record}
        has_index = self.options.index is not None or any(name.strip().casefold() in INDEX for name in names)
        unnumbered = not fields.keys() & {"topic", "document"} and not first and not has_index
        rows = [BY_LINE] if unnumbered and not self.options.by_line else []
        and_source = f", {shown(longest)} is the source" if first else ""
        if either:
            beside = [mapped("reference", either[0])]
            ways.append(
                Way(
                    arguments=[*first, *beside, *_as_systems(texts), *rows],
                    meaning=f"a column per system{and_source}, {shown(either[0])} is the reference",
                )
            )
            texts = [*texts, *either]
        ways.append(
            Way(arguments=[*first, *_as_systems(texts), *rows], meaning=f"a column per system{and_source}")
        )
        if len(texts) == 1 and "reference" not in fields:
            ways.append(Way(arguments=[*first, mapped("reference", texts[0]), *rows], meaning="references"))
        if fields.keys() & {"document", "reference"}:
            ways.append(Way(arguments=[mapped("text", "")], meaning="nobody's: not used"))
        columns = "column" if len(texts) == 1 else "columns"
        are = "holds" if len(texts) == 1 else "hold"
        return Undecided(f"{self.path}: {columns} {listed(texts)} {are} texts, and nothing says whose", ways)


def _as_systems(names: Sequence[str]) -> list[Argument]:
    if any("," in name or name != name.strip() for name in names):
        return [mapped(f"{SUMMARY}{name.strip()}", name) for name in names]
    return [Argument("systems", ",".join(names))]


def looks_like_texts(sample: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether a column holds texts: of several words, not the same in every row, no dates."""
    values = [value for record in sample if isinstance(value := record.get(name), str) and value.strip()]
    if not values or len(values) < len([1 for record in sample if record.get(name) not in (None, "")]):
        return False
    if (len(values) > 1 and len(set(values)) == 1) or all(map(_is_number_or_date, values)):
        return False
    return sum(len(value.split()) for value in values) >= _FEWEST_WORDS * len(values)


_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|\S*[/\\\\]\S*", re.IGNORECASE)
_NUMBERS = re.compile(r"[\s0-9.,:;%+()/eE$€£-]*")
_DATE_WORDS = re.compile(
    r"(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?|jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?"
    r"|aug(ust)?|sep(t(ember)?)?|oct(ober)?|nov(ember)?|dec(ember)?|am|pm|utc|gmt|[tz]|st|nd|rd|th|of",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?=\S*[0-9_@#])\S+|\S{1,3}")
_LOGICAL = ("true", "false", "yes", "no", "none", "null", "nan", "n/a", "na")
_OTHER_NAMES = (
    *(
        "url",
        "link",
        "uri",
        "split",
        "category",
        "categories",
        "subset",
        "section",
        "publisher",
        "outlet",
        "site",
    ),
    *(
        "language",
        "lang",
        "domain",
        "license",
        "name",
        "filename",
        "file",
        "path",
        "hash",
        "uuid",
        "time",
        "timestamp",
    ),
    *(
        "authors",
        "byline",
        "subject",
        "keywords",
        "tags",
        "year",
        "month",
        "note",
        "notes",
        "comment",
        "comments",
    ),
)


def may_be_texts(sample: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether a column may hold texts, of any length: see docs/importing.md for what does not.

    Its name is that of no other field; its values are texts, and no numbers, dates, addresses, codes or categories,
    which few values in many rows tell.
    """
    plain = name.strip().casefold()
    if plain in (*_OTHER_NAMES, *INDEX) or any(plain in RECORD[field] for field in RECORD if field != "text"):
        return False
    filled = [value for record in sample if (value := record.get(name)) not in (None, "")]
    values = [value.strip() for value in filled if isinstance(value, str) and value.strip()]
    if not values or len(values) < len(filled):
        return False
    if len(values) > 1 and len(set(values)) <= len(values) / 2:
        return False
    return not any(all(map(kind, values)) for kind in (_is_number_or_date, _URL.fullmatch, _is_code))


def _is_number_or_date(value: str) -> bool:
    words = re.findall(r"[^\W\d_]+", value)
    return bool(_NUMBERS.fullmatch(value)) or (
        any(c.isdigit() for c in value) and all(map(_DATE_WORDS.fullmatch, words))
    )


def _is_code(value: str) -> bool:
    return value.casefold() in _LOGICAL or bool(_CODE.fullmatch(value))


def single_texts(
    sample: Sequence[Mapping[str, Any]], names: Iterable[str], *, cells: bool = False
) -> list[str]:
    """The columns that are named as lists of summaries (predictions) and hold one text a row."""
    columns: list[str] = []
    for name in names:
        if name.strip().casefold() in RECORD["outputs"]:
            values = [value for record in sample if (value := record.get(name)) is not None]
            texts = [v for v in values if isinstance(v, str) and not (cells and list_in(v) is not None)]
            if texts and len(texts) == len(values):
                columns.append(name)
    return columns


def _average_words(sample: Sequence[Mapping[str, Any]], name: str) -> float:
    sizes = [len(value.split()) for record in sample if isinstance(value := record.get(name), str) and value]
    return sum(sizes) / max(1, len(sizes))


def _average_length(sample: Sequence[Mapping[str, Any]], name: str) -> float:
    sizes = [len(value) for record in sample if isinstance(value := record.get(name), str)]
    return sum(sizes) / max(1, len(sizes))


class _Record:
    """One record on its way to rows."""

    def __init__(
        self, file: RecordFile, place: Place, number: int, record: Mapping[str, Any], here: ColumnPlan
    ) -> None:
        self._file, self._options = file, file.options
        self._place, self._number, self._record, self._here = place, number, record, here

    def items(self) -> Iterator[Item]:
        by_number = self._options.by_line or self._here.by_row
        topic = str(self._number) if by_number else self._value("topic")
        row = self._place.row(
            Topic, {"topic": topic} | {name: self._value(name) for name in _OF_A_TOPIC}, self._here.fields
        )
        for name in _OF_A_TOPIC:
            self._same("topic", row.topic, name, getattr(row, name))
        yield self._place.item(row)
        yield from self._documents(row.topic)
        value = self._raw("form")
        target = Target(self._length(), self._options.form if value is None else value)
        yield from self._summaries(row.topic, target)
        yield from self._references(row.topic, target)

    def _same(self, what: str, name: str, field: str, value: object) -> None:
        if field in self._here.fields:
            self._file.same_field(self._place, what, name, self._here.fields[field], field, value)

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
        if name in ("topic", "system") and isinstance(value, float) and value.is_integer():
            self._place.notes.append(WHOLE_IDS)  # pandas makes 1.0 of 1 where a value is missing
            return int(value)
        return self._place.text(column, value) if name in _TEXTS else scalar(self._place, column, value)

    def _length(self) -> int | None:
        value = self._raw("length")
        if value is None:
            return self._options.length
        return self._place.whole_number(self._here.fields["length"], value, least=1)

    def _roles(self) -> tuple[str, ...]:
        value = self._raw("role")
        if value is None:
            return ROLES[self._options.role or "peer"]
        names = re.split(r"[\s,;+|]+", value.strip()) if isinstance(value, str) else value
        if isinstance(names, list) and names:
            if names == ["both"]:
                return ROLES["both"]
            if all(name in ("peer", "reference") for name in names):
                return tuple(role for role in ROLES["both"] if role in names)
        actual = shown(value) if isinstance(value, str) else type_name(value)
        column = shown(self._here.fields["role"])
        raise self._place.wrong(f"{column} is {actual}, expected peer, reference or both")

    # Summaries

    def _summaries(self, topic: str, target: Target) -> Iterator[Item]:
        for name, column in self._here.summaries:
            value, kind = self._cell(column), self._options.kind
            yield from self._summary(topic, name, value, column, target, self._roles(), kind)
        if "outputs" in self._here.fields:
            yield from self._outputs(topic, target)
        elif "text" in self._here.fields or "system" in self._here.fields:
            yield from self._own_summary(topic, target)

    def _outputs(self, topic: str, target: Target) -> Iterator[Item]:
        """The texts of all systems in one value: a list, or an object with a key per system; and their ratings."""
        column, value = self._here.fields["outputs"], self._listed("outputs")
        if value is None:
            yield self._place.item(NO_TEXT)
            return
        texts = self._by_system(column, value)
        for name, text in texts.items():
            yield from self._summary(topic, name, text, column, target, self._roles(), self._options.kind)
        rated = False
        for aspect, aspect_column in self._here.aspects:
            values = self._list_in(self._cell(aspect_column))
            if values is None:
                continue
            numbers = values if isinstance(values, dict) else self._numbered(aspect_column, values, texts)
            for name, number in numbers.items():
                if name not in texts:
                    raise self._place.wrong(
                        f"{shown(aspect_column)} has {shown(name)}, {shown(column)} has not"
                    )
                if number is None:
                    continue
                rated = True
                if (
                    isinstance(number, bool)
                    or not isinstance(number, int | float)
                    or not math.isfinite(number)
                ):
                    raise self._place.wrong(
                        f"{shown(aspect_column)} holds {type_name(number)}, expected finite numbers"
                    )
                measure = f"{MEANS}:{aspect}"
                if measure not in self._file.measures:
                    self._file.measures.add(measure)
                    signature = f"{measure}|imported|means-only"
                    yield self._place.item(MeasureInfo(measure, "higher", (None, None), signature))
                yield self._place.item(Score(measure, topic, name, float(number), *target))
        if rated:
            yield self._place.item(MEANS_ONLY)

    def _by_system(self, column: str, value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        if not isinstance(value, list):
            raise self._place.wrong(
                f"{shown(column)} is {type_name(value)}, expected a list of texts, or an object with a key per system"
            )
        if value and all(isinstance(entry, dict) for entry in value):
            return self._named(column, value)
        names = self._options.system_names
        if names and len(value) > len(names):
            raise self._place.wrong(
                f"{shown(column)} holds {len(value)} texts, {Argument('system_names')} has {len(names)}"
            )
        self._file.same_number(self._place, column, len(value))
        return {names[n] if names else f"system-{n + 1}": text for n, text in enumerate(value)}

    def _named(self, column: str, value: list[dict[str, Any]]) -> dict[str, Any]:
        """Objects that each say their system and its text."""
        texts: dict[str, Any] = {}
        for entry in value:
            plan = find_columns(entry, {}, {"system": (*SYSTEM, "name"), "text": RECORD["text"]}, wide=False)
            if plan.fields.keys() != {"system", "text"}:
                raise self._place.wrong(
                    f"{shown(column)} holds objects with {listed(entry)}, expected a system and a text in each"
                )
            name = self._place.name(f"{column}.{plan.fields['system']}", entry[plan.fields["system"]])
            if name in texts:
                raise self._place.wrong(f"{shown(column)} holds two texts of {shown(name)}")
            texts[name] = entry[plan.fields["text"]]
        return texts

    def _numbered(self, column: str, values: object, texts: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(values, list) or len(values) != len(texts):
            actual = f"{len(values)} values" if isinstance(values, list) else type_name(values)
            raise self._place.wrong(
                f"{shown(column)} is {actual}, expected one for each of {len(texts)} texts"
            )
        return dict(zip(texts, values, strict=True))

    def _listed(self, name: str) -> Any:
        """A field that may be a list; in a table of cells, a text that only looks like one stays a text."""
        value = self._raw(name)
        parsed = self._list_in(value)
        texts = isinstance(parsed, list) and all(text is None or isinstance(text, str) for text in parsed)
        return parsed if texts or name == "outputs" else value

    def _list_in(self, value: Any) -> Any:
        """The list that a cell holds, or the value as it is."""
        if not self._file.cells or not isinstance(value, str):
            return value
        parsed = list_in(value)
        return value if parsed is None else parsed

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
        for name in ("kind", "label", "group"):
            self._same("system", who.system, name, getattr(who, name) if name in called else None)
        yield place.item(who)
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
        column, value = self._here.fields["reference"], self._listed("reference")
        texts = value if isinstance(value, list) else [value]
        names = self._options.reference_names
        if names and len(texts) > len(names):
            raise self._place.wrong(
                f"{shown(column)} holds {len(texts)} texts, {Argument('reference_names')} has {len(names)}"
            )
        for number, text in enumerate(texts, 1):
            name = names[number - 1] if names else f"reference-{number}"
            yield from self._summary(topic, name, text, column, target, ("reference",), "human")

    # Documents

    def _documents(self, topic: str) -> Iterator[Item]:
        if "document" not in self._here.fields:
            return
        column, value = self._here.fields["document"], self._listed("document")
        if isinstance(value, str) and _BARS in value:
            value = [part.strip() for part in value.split(_BARS) if part.strip()]
            yield self._place.item(SPLIT)
        if self._here.by_row:
            self._file.new_source(self._place, str(value))
        for number, document in enumerate(value if isinstance(value, list) else [value], 1):
            yield from self._document(topic, column, number, document)

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

    `summaries` and `references` pair a system with its column, `aspects` a rating with its; with `by_row`, a row is a
    topic and its number the name; `absent` lists the mapped columns that this record lacks.
    """

    fields: Mapping[str, str]
    summaries: tuple[tuple[str, str], ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    aspects: tuple[tuple[str, str], ...] = ()
    by_row: bool = False
    unused: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


class TwoColumns(FormatError):
    """Two columns have usual names of one field."""

    def __init__(self, field: str, first: str, second: str):
        self.field, self.columns = field, (first, second)
        super().__init__(
            f"columns {shown(first)} and {shown(second)} may both be the {field}:"
            f" decide with {mapped(field, first)} or {mapped(field, second)}"
        )


def check_map(columns: Mapping[str, str], aliases: Aliases, *, wide: bool) -> None:
    """Refuse a map from a field that does not exist."""
    for name in columns:
        if name not in aliases and not (wide and wide_prefix(name)):
            also = f", {SUMMARY}SYSTEM, {REFERENCE}SYSTEM" if wide else ""
            raise UsageError(
                f"{MAPPED} {quoted(name)}: no such field{turned_round(name, columns[name], aliases)};"
                f" there are: {', '.join(aliases)}{also}"
            )


def turned_round(field: str, column: str, names: Collection[str]) -> str:
    """A hint for a map to a field that there is not: the nearest, or the map from COLUMN=FIELD."""
    if column in names and not get_close_matches(field, names, cutoff=0.75):
        return f": the field comes first, {mapped(column, field)}"
    return nearest(field, names)


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
    fields = {field: column for field, column in mapped.items() if not wide_prefix(field)}
    texts = {field: column for field, column in mapped.items() if wide_prefix(field)}
    unused: list[str] = []
    for name in names:
        if name in taken:
            continue
        plain = name.strip().casefold()
        field = next((f for f, usual_names in aliases.items() if plain in usual_names), None)
        if wide and (prefix := wide_prefix(plain)):
            key = prefix + name.strip()[len(prefix) :].strip()
            if key in texts:
                raise FormatError(f"columns {shown(texts[key])} and {shown(name)} are of one system")
            texts[key] = name
        elif field is None or field in columns:
            unused.append(name)
        elif field in fields:
            raise TwoColumns(field, fields[field], name)
        else:
            fields[field] = name
    return ColumnPlan(
        fields=fields,
        summaries=_texts(texts, SUMMARY),
        references=_texts(texts, REFERENCE),
        unused=tuple(unused),
        absent=absent,
    )


_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_ATOM = re.compile(rf"\s*+({_QUOTED}|None|nan|[+-]?[0-9.]++(?:[eE][+-]?[0-9]++)?)\s*+(,?)", re.DOTALL)


def list_in(cell: str) -> list[Any] | dict[str, Any] | None:
    """The list in a cell, as JSON, Python or NumPy write one; None where it holds none, but a text."""
    text = cell.strip()
    if not ((text.startswith("[") and text.endswith("]")) or (text.startswith("{") and text.endswith("}"))):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _python_list(text[1:-1]) if text.startswith("[") else None
    return value if isinstance(value, list | dict) else None


def _python_list(text: str) -> list[Any] | None:
    """NumPy writes no commas: Python would read two texts as one, so they are taken one by one."""
    values: list[Any] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        atom = _ATOM.match(text, at)
        if atom is None:
            return None
        at = atom.end()
        try:
            values.append(None if atom[1] in ("None", "nan") else ast.literal_eval(atom[1]))
        except (ValueError, SyntaxError):
            return None
    return values


def close_to(name: str, names: Iterable[str]) -> str:
    """`nearest` for column names, which a broken file may have in any number and of any length."""
    short = (shown(column)[1:-1] for column in names if len(column) < 60)
    return nearest(name[:60], islice(short, 200))


def listed(names: Iterable[str], *, most: int = 12) -> str:
    """Column names for a message."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(_plain, names[:most])) + more if names else "none"


def is_column(name: str) -> bool:
    """Whether a name is one that columns usually have."""
    plain = name.strip().casefold()
    return (
        plain in EITHER
        or wide_prefix(plain) is not None
        or any(plain in usual_names for usual_names in RECORD.values())
    )


def wide_prefix(name: str) -> str | None:
    return next((prefix for prefix in (SUMMARY, REFERENCE) if name.startswith(prefix)), None)


def _texts(texts: Mapping[str, str], prefix: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (field[len(prefix) :], column) for field, column in texts.items() if field.startswith(prefix)
    )


def _plain(name: str) -> str:
    return shown(name)[1:-1]
