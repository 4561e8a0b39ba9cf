"""Scores made elsewhere: a long table (system, topic, measure, value) or a matrix with systems in columns.

Measures that were computed elsewhere get a text, a direction and a signature here, for other readers too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from adjudge.core.errors import FormatError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument, either
from adjudge.core.words import counted
from adjudge.data.incoming import Item, LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import System, Topic
from adjudge.data.scores import Better, MeasureInfo, Score
from adjudge.data.target import Target
from adjudge.formats.files import (
    EMPTY_FILE,
    MAPPED,
    TABLES,
    Once,
    Paths,
    Place,
    TableCells,
    Unused,
    from_files,
    mapped,
    read_cells,
    shown,
    stem,
    whole_length,
)
from adjudge.formats.matrices import (
    ColumnSums,
    is_nameless,
    is_summary,
    names_rows,
    odd_columns,
    places_of,
    sums_up,
)
from adjudge.formats.numbers import (
    MISSING,
    NumberStyle,
    check_decimal,
    is_number,
    may_be_thousands,
    say_decimal,
    style_of,
    tells_decimal,
)
from adjudge.formats.records import SYSTEM, TOPIC, Aliases, check_map, close_to, find_columns, listed

MEASURE, LEAVE_OUT, TRANSPOSE = Argument("measure"), Argument("leave_out"), Argument("transpose", True)
_ROUGE = either(
    "adjudge.rouge(texts, references)", f"adjudge rouge FILE {Argument('reference', 'FILE').at('command')}"
)


def left_out(column: str) -> Argument:
    return Argument("leave_out", [column])


def lower_for(measure: str) -> Argument:
    return Argument("lower_is_better", [measure], flag="lower")


class ImportedMeasures:
    """Names imported measures `SOURCE:NAME`, which no computed one is, and describes each before its scores.

    `lower_is_better` holds for all (True), for none (False), or for the names in it.
    """

    def __init__(self, source: str, lower_is_better: bool | Collection[str] = False) -> None:
        if not source or source != source.strip() or not source.isprintable() or ":" in source:
            raise UsageError(
                f"{Argument('source', flag='prefix')} is {quoted(source)}, expected a name without colon"
            )
        self._source = source
        self._lower = {lower_is_better} if isinstance(lower_is_better, str) else lower_is_better
        self._known: dict[str, str] = {}

    def text(self, place: Place, column: str, name: object) -> str:
        """The measure's text; its name is checked once."""
        if not isinstance(name, str) or name not in self._known:
            return place.name(column, f"{self._source}:{place.name(column, name)}")
        return self._known[name]

    def describe(self, place: Place, name: str, measure: str, origin: str) -> Iterator[Item]:
        """The measure's description, where it has not been given yet."""
        if name not in self._known:
            self._known[name] = measure
            signature = f"{measure}|imported|{origin}"
            yield place.item(MeasureInfo(measure, self._better(name, measure), (None, None), signature))

    def _better(self, name: str, measure: str) -> Better:
        if isinstance(self._lower, bool):
            return "lower" if self._lower else "higher"
        return "lower" if name in self._lower or measure in self._lower else "higher"

    def check(self) -> None:
        """After the last score: a direction for a measure that never came is a mistake."""
        if isinstance(self._lower, bool):
            return
        names = {*self._known, *self._known.values()}
        for name in self._lower:
            if name not in names:
                raise UsageError(
                    f"{lower_for(name)}: no such measure{nearest(name, names)};"
                    f" there are: {', '.join(self._known) or 'none'}"
                )


_LOWER = {
    *(
        "ter",
        "hter",
        "wer",
        "cer",
        "mer",
        "perplexity",
        "ppl",
        "loss",
        "nll",
        "error",
        "errors",
        "fkgl",
        "latency",
    ),
    *("distance", "divergence", "js", "jsd", "kl", "mse", "rmse", "mae", "hallucination", "hallucinations"),
}


def may_be_lower(measure: str) -> bool:
    """Whether a measure's name is one of those whose lower scores are better."""
    return not _LOWER.isdisjoint(re.findall(r"[a-z]+", measure.lower()))


OF_TOPICS = ("set", "type", "task", "selector")
"""What a table can say of its topics, in every row of a topic or in some."""

LONG: Aliases = {
    "topic": TOPIC,
    "system": SYSTEM,
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    **{name: (name,) for name in ("length", "form", "assessor", "reference", "repeat", "why", "kind")},
    **{name: (name,) for name in OF_TOPICS},
}
IN_MATRIX = ("topic", "measure", "length", "form", "assessor", "repeat", *OF_TOPICS)
"""Columns of a matrix that are no systems, by their usual names; a system may well be named "reference"."""
IN_TRANSPOSED = ("system", "kind", "measure")

_LOOKED_AT = 50  # rows, more where a number may be two
_FAR_MORE, _MANY = 2, 6


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How to read a table of scores, where it does not say itself; see `read`."""

    measure: str | None = None
    lower_is_better: bool | str | Collection[str] = False
    length: int | None = None
    form: str | None = None
    columns: Mapping[str, str] | None = None
    delimiter: str | None = None
    quotes: bool = True
    encoding: str = "utf-8"
    decimal: str | None = None
    transpose: bool = False
    leave_out: str | Collection[str] = ()
    without: str | Collection[str] = ()
    """Assessors whose scores are left out; of any scores, not only of a table's, as are the next two."""
    human: str | Sequence[str] = ()
    """Systems that are human where nothing says so, as names or patterns with `*` and `?`."""
    baseline: str | Sequence[str] = ()

    def asked_for(self) -> list[str]:
        """The names of the options that were given and are about tables."""
        return [
            option.name
            for option in fields(self)
            if option.name not in ("without", "human", "baseline")
            and getattr(self, option.name) not in (option.default, (), {})
        ]


AS_IT_SAYS = TableOptions()


def read(
    paths: Paths,
    *,
    measure: str | None = None,
    source: str = "imported",
    lower_is_better: bool | Collection[str] = False,
    length: int | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
    decimal: str | None = None,
    transpose: bool = False,
    leave_out: str | Collection[str] = (),
) -> Iterator[Item]:
    """Scores of CSV, TSV or Excel files, or of every one in a folder.

    A file with columns for the topic and the system is long: its scores are in the column for the value, or in every
    column of numbers that means nothing else, each a measure. Any other is a matrix, topics in the first column
    (with `transpose`, systems in the first column and topics in the others); where that holds scores like the others,
    rows are topics 1, 2, ... `measure` names what a file does not (default: the file's name); `length` and `form` are
    those of a file that gives none. An empty cell, nan or NA is a missing score. `decimal` is "." or ","; without it
    the file's numbers tell. Columns of `leave_out` are not read.
    """
    measures = ImportedMeasures(source, lower_is_better)
    columns = columns or {}
    check_columns(columns)
    whole_length(length)
    sign = check_decimal(decimal)
    once = Once()

    def items(path: Path) -> Iterator[Item]:
        cells = read_cells(
            path,
            delimiter=delimiter,
            quotes=quotes,
            unnamed_first=True,
            max_line=max_line,
            encoding=encoding,
        )
        place = Place(path, 1)
        try:
            plan = find_score_columns(
                cells.header,
                columns,
                where=str(path),
                measure=measure,
                transpose=transpose,
                leave_out=leave_out,
            )
        except FormatError as error:
            raise place.wrong(error.problem) from None
        file = _ScoreFile(path, measures, measure, Target(length, form), once, mapped="topic" in columns)
        yield from file.items(cells, plan, NumberStyle(sign or ".", asked=sign is not None))

    yield from from_files(paths, items, TABLES)
    measures.check()


# Which column is which, in files and in frames


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """What the columns of a table are: those of one field each, and those that hold scores.

    The columns of `values` are systems (`across` is "system"), topics (a transposed matrix), measures, or one that
    is none of them. Without any, the scores of a long table are in those of `unused` that hold numbers. A matrix
    without a topic has one in each row.
    """

    fields: Mapping[str, str]
    values: tuple[str, ...]
    across: Literal["system", "topic", "measure"] | None = None
    unused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Columns that somebody wants not to be read."""
    first: bool = False
    """Whether topics are taken to be in the first column because no name tells where they are."""

    def with_topics(self, texts: Callable[[str], Sequence[str]]) -> tuple[ScoreColumns, list[str]]:
        """Where the topics of a matrix are, by what its first columns hold, and what to say of it."""
        if not self.first:
            return self, []
        column = self.fields["topic"]
        rest = {field: name for field, name in self.fields.items() if field != "topic"}
        if is_nameless(column):
            second = self.values[0]
            if (
                len(self.values) > 1
                and names_rows(column, texts(column))
                and not all(is_number(text) for text in texts(second))
            ):
                fields = {**rest, "topic": second}
                return replace(
                    self, fields=fields, values=self.values[1:], unused=(*self.unused, column), first=False
                ), []
            return self, []
        told = names_rows(column, texts(column))
        if told:
            return self, []
        if told is None:
            none = mapped("topic", "")
            return self, [f"column {shown(column)} names the topics; if it is a system, say {none} (none)"]
        return replace(self, fields=rest, values=(column, *self.values), first=False), [
            f"no column names the topics, rows do by their number; if {shown(column)} does, say"
            f" {mapped('topic', column)}"
        ]

    def with_measures(self, numeric: Collection[str], *, where: str, measure: str | None) -> ScoreColumns:
        """A long table whose scores are in columns named for their measures: all that hold numbers."""
        if self.values:
            return self
        numbers = {*numeric}
        values = tuple(column for column in self.unused if column in numbers)
        if not values or "measure" in self.fields:
            among = listed([*self.fields.values(), *self.unused])
            raise FormatError(f"no column for the value among {among}: say {mapped('value')}")
        if measure is not None and len(values) > 1:
            raise UsageError(
                f"{MEASURE} names one measure, but {where} has several: {listed(values)}; leave out {MEASURE}, or say"
                f" which with {mapped('value')}"
            )
        rest = tuple(column for column in self.unused if column not in numbers)
        across: Literal["measure"] | None = "measure" if measure is None else None
        return replace(self, values=values, unused=rest, across=across)


def find_score_columns(
    header: Sequence[str],
    columns: Mapping[str, str],
    *,
    where: str,
    measure: str | None = None,
    transpose: bool = False,
    leave_out: str | Collection[str] = (),
) -> ScoreColumns:
    """What the columns of a table of scores are: by the map, then by the usual names; some may be left out."""
    away = _named_columns(header, leave_out, where)
    if away:
        kept = [name for name in header if name not in away]
        if not kept:
            raise UsageError(f"{LEAVE_OUT} names every column of {where}")
        without = find_score_columns(kept, columns, where=where, measure=measure, transpose=transpose)
        return replace(without, left_out=away)
    plan = find_columns(header, columns, LONG, wide=False)
    fields = plan.fields
    if plan.absent:
        column = plan.absent[0]
        raise UsageError(
            f"{MAPPED}: {where} has no column {shown(column)}{close_to(column, header)}; it has: {listed(header)}"
        )
    if "measure" in fields and measure is not None:
        raise UsageError(
            f"{MEASURE} names what a file does not, but {where} has a column"
            f" {shown(fields['measure'])}: leave out {MEASURE}, or say {mapped('measure', '')} (not used)"
        )
    if transpose:
        if {"topic", "system"} <= fields.keys():
            raise UsageError(
                f"{Argument('transpose')} is for a matrix, but {where} names topic and system in every row"
            )
        return _matrix(header, fields, columns, plan.unused, IN_TRANSPOSED, "topic")
    if {"topic", "system"} <= fields.keys():
        about = {field: column for field, column in fields.items() if field != "value"}
        values = (fields["value"],) if "value" in fields else ()
        return ScoreColumns(fields=about, values=values, unused=plan.unused)
    if (
        not columns
        and "value" not in fields
        and {"winner", "loser", "rejected"} & {name.casefold() for name in header}
    ):
        raise FormatError(f"tells who won, and holds no scores; say: adjudge prefer fit {where}")
    if "system" in fields or columns.keys() & {"system", "value"}:
        missing = "topic" if "topic" not in fields else "system"
        hint = f"; or {TRANSPOSE} where rows are systems and columns topics" if missing == "topic" else ""
        if hint and "value" not in fields:
            hint += "; where they are means of a system by several measures, scores by topic are needed: means alone"
            hint += " cannot be tested"
        raise FormatError(f"no column for the {missing} among {listed(header)}: say {mapped(missing)}{hint}")
    return _matrix(header, fields, columns, plan.unused, IN_MATRIX, "system")


def _matrix(
    header: Sequence[str],
    matched: Mapping[str, str],
    columns: Mapping[str, str],
    unused: Sequence[str],
    row_fields: Sequence[str],
    across: Literal["system", "topic"],
) -> ScoreColumns:
    """A matrix: a column of names, the columns that say more of a row (`row_fields`, and mapped ones), scores."""
    about = {field: column for field, column in matched.items() if field in row_fields or field in columns}
    first, by_place = row_fields[0], False
    turned_off = [field for field, column in columns.items() if not column]
    off = tuple(name for name in unused if any(name.strip().casefold() in LONG[f] for f in turned_off))
    if first not in about and (first != "topic" or first not in turned_off):
        by_place = True
        taken = {*about.values(), *off}
        about[first] = next((column for column in header if column not in taken), header[0])
    if first not in about or not by_place:  # the index that pandas writes names nothing then
        off += tuple(name for name in header[:1] if is_nameless(name) and name not in about.values())
    taken = {*about.values(), *off}
    values = tuple(column for column in header if column not in taken)
    if not values:
        raise FormatError(
            f"one column only, {shown(header[0])}, expected a matrix: topics, then a column per system, with a comma,"
            f" a semicolon, a tab or | between them; where every line is a text, say: {_ROUGE}"
        )
    # Systems may be numbered, as NIST's are, but none is called 0.31.
    if all(is_number(value) and not value.strip().isdigit() for value in values):
        raise FormatError(
            f"the first row holds scores, {listed(values)}: put a row of names above it, such as"
            f" {','.join(['topic', *(f'system{n}' for n in range(1, min(len(values), 3) + 1))])}"
        )
    return ScoreColumns(
        fields=about, values=values, across=across, unused=off, first=by_place and first == "topic"
    )


def check_columns(columns: Mapping[str, str]) -> None:
    """Refuse a map from a field that does not exist."""
    for name, column in columns.items():
        if name not in LONG and not column:
            raise UsageError(
                f"{MAPPED} {quoted(name + '=')}: no such field{nearest(name, LONG)}; to leave out a column, say"
                f" {left_out(name)}"
            )
    check_map(columns, LONG, wide=False)


def _named_columns(header: Sequence[str], names: str | Collection[str], where: str) -> tuple[str, ...]:
    """The columns that a user names, in one text with commas between them or in several."""
    columns: list[str] = []
    for text in [names] if isinstance(names, str) else names:
        parts = [text] if text in header else [part.strip() for part in text.split(",") if part.strip()]
        for name in parts:
            if name not in header:
                raise UsageError(
                    f"{LEAVE_OUT}: {where} has no column {shown(name)}{close_to(name, header)}; it has:"
                    f" {listed(header)}"
                )
            columns.append(name)
    return tuple(dict.fromkeys(columns))


def transposed_words(systems: int, topics: int) -> str | None:
    """What is said of a matrix with far more systems than topics."""
    if systems < _MANY or systems < _FAR_MORE * topics:
        return None
    return (
        f"{counted(systems, 'system')} and {counted(topics, 'topic')}: if rows are systems and columns are topics,"
        f" say {TRANSPOSE}"
    )


def two_values(topic: str, column: str, one: str, other: str) -> str:
    """That rows of a topic say different things of it."""
    return (
        f"topic {quoted(topic)} has two values of {quoted(column)}, {quoted(one)} and {quoted(other)}: the column"
        " is for what all rows of a topic share, so give it another name if it says something else"
    )


def summary_words(
    topic: str, columns: Sequence[ColumnSums], row: Sequence[tuple[float, int]]
) -> tuple[bool, str]:
    """What is said of a last row that is named for a mean or a sum, and whether it is left out."""
    if what := sums_up(columns, row):
        return True, f"last row {shown(topic)} left out: it holds the {what} of those above"
    return (
        False,
        f"last row {shown(topic)} is taken as a topic; if it sums up those above, take it out of the table",
    )


def odd_words(columns: Mapping[str, ColumnSums]) -> list[str]:
    """What is said of columns of a matrix that may be no systems."""
    return [
        f"column {shown(name)} is taken as a system, but {why}; if it is none, say {left_out(name)}"
        for name, why in odd_columns(columns)
    ]


# A file


class _ScoreFile:
    """One file."""

    def __init__(
        self,
        path: Path,
        measures: ImportedMeasures,
        measure: str | None,
        target: Target,
        once: Once,
        mapped: bool = False,
    ) -> None:
        self._mapped = mapped  # somebody has said where the topics are
        self._path, self._measures, self._named = path, measures, measure
        self._measure = measure or stem(path)
        self._missing, self._origin = f"missing in {path.name}", f"file:{path.name}"
        self._target, self._once = target, once
        self._thousands: str | None = ""  # such a number, as long as all with a point are like it

    def items(self, cells: TableCells, plan: ScoreColumns, style: NumberStyle) -> Iterator[Item]:
        place = Place(self._path, 1)
        held, self._style = self._look_ahead(cells, plan, style)

        at = {column: k for k, column in enumerate(cells.header)}

        def texts(column: str) -> list[str]:
            k = at[column]
            return [row[k] for _, row in held]

        try:
            plan, notes = plan.with_topics(texts)
            if not plan.values:
                numeric = _numeric(cells.header, held) if held else plan.unused
                plan = plan.with_measures(numeric, where=str(self._path), measure=self._named)
        except FormatError as error:
            raise place.wrong(error.problem) from None
        if any(text.rstrip().endswith("%") for column in plan.values for text in texts(column)):
            self._style = replace(self._style, percent=True)
        style_notes = self._style.findings
        yield from map(place.item, cells.noted(*style_notes))
        yield from Unused()(place, (*plan.unused, *plan.left_out))
        yield from (place.item(Noted(note)) for note in notes)
        names = {column: column for column in plan.values}
        if plan.across:
            names = {column: place.name(plan.across, column) for column in plan.values}
        self._sums = {column: ColumnSums() for column in plan.values}
        rows = (
            (Place(self._path, n), dict(zip(cells.header, row, strict=True)))
            for n, row in chain(held, cells.rows)
        )
        count, last = 0, None
        for here in rows:
            if last is not None:
                yield from self._row(last[0], plan, names, last[1], count)
            count, last = count + 1, here
        if last is not None:
            yield from self._last_row(*last, plan, names, count)
        if self._style.findings != style_notes:  # a number far below told
            yield from map(
                Place(self._path, 1).item, cells._replace(findings=()).noted(*self._style.findings)
            )
        decimal_is_open = not style.asked and self._style.decimal == "."
        if self._thousands and decimal_is_open and cells.delimiter == ";":  # as where commas are decimal
            yield place.item(
                Noted(
                    f"numbers such as {self._thousands} read with a decimal point; if they are thousands, say"
                    f" {say_decimal(',')}"
                )
            )
        if not count:
            yield str(self._path), EMPTY_FILE
        elif plan.across == "system":
            if words := transposed_words(len(names), count):
                yield str(self._path), Noted(words)
            for words in odd_words(self._sums):
                yield str(self._path), Noted(words)

    def _last_row(
        self, place: Place, row: Mapping[str, str], plan: ScoreColumns, names: Mapping[str, str], count: int
    ) -> Iterator[Item]:
        """The last row of a matrix, which may sum up those above."""
        topic = row[plan.fields["topic"]] if plan.across == "system" and "topic" in plan.fields else ""
        if is_summary(topic):
            cells = [
                (self._number(place, column, row[column]), places_of(row[column])) for column in plan.values
            ]
            left, words = summary_words(topic, list(self._sums.values()), cells)
            yield place.item(LeftOut(words) if left else Noted(words))
            if left:
                return
        yield from self._row(place, plan, names, row, count)

    def _look_ahead(
        self, cells: TableCells, plan: ScoreColumns, style: NumberStyle
    ) -> tuple[list[tuple[int, list[str]]], NumberStyle]:
        """The first rows, which tell how numbers are written, and that."""
        held: list[tuple[int, list[str]]] = []
        looked_at = {*(plan.values or plan.unused)}
        at = [k for k, column in enumerate(cells.header) if column in looked_at]

        def texts() -> Iterator[str]:
            commas = False
            for line, row in cells.rows:
                held.append((line, row))
                here = [row[k] for k in at]
                commas = commas or any("," in text for text in here)
                yield from here
                if not commas and len(held) >= _LOOKED_AT:
                    return

        if style.asked:
            held.extend(islice(cells.rows, _LOOKED_AT))
            return held, style
        try:
            return held, style_of(texts())
        except UsageError as error:
            raise UsageError(f"{self._path}: {error.text}") from None

    def _row(
        self,
        place: Place,
        plan: ScoreColumns,
        names: Mapping[str, str],
        row: Mapping[str, str],
        number: int,
    ) -> Iterator[Item]:
        """The scores of one row, and what it says of its system and topic."""
        called, cells = plan.fields, {field: row[column] for field, column in plan.fields.items()}

        def name(field: str) -> str | None:
            text = cells.get(field)
            return place.name(called[field] or field, text) if text else None

        def whole(field: str, least: int) -> int | None:
            text = cells.get(field)
            return place.whole_number(called[field], text, least=least) if text else None

        row_names = {
            field: place.name(called[field] or field, cells[field])
            for field in ("topic", "system")
            if field in cells
        }
        if plan.across == "system":
            row_names.setdefault("topic", str(number))
        if kind := cells.get("kind"):
            yield from self._once.new(
                place, place.row(System, {"system": row_names["system"], "kind": kind}, called)
            )
        if about := {field: cells[field] for field in OF_TOPICS if cells.get(field)}:
            yield from self._once.new(place, place.row(Topic, {"topic": row_names["topic"], **about}, called))
        length, form = whole("length", 1) or self._target.length, name("form") or self._target.form
        assessor, reference, repeat = name("assessor"), name("reference"), whole("repeat", 0) or 0
        measure = ""
        for column, heading in names.items():
            if plan.across == "measure" or not measure:
                label = heading if plan.across == "measure" else cells.get("measure", self._measure)
                measure = self._measures.text(place, called.get("measure", "measure"), label)
                yield from self._measures.describe(place, label, measure, self._origin)
            value = self._number(place, column, row[column], plan.across)
            self._sums[column].add(value, places_of(row[column]))
            if self._thousands is not None and "." in row[column]:
                like = may_be_thousands(row[column])
                self._thousands = (self._thousands or row[column].strip()) if like else None
            why = cells.get("why") or (self._missing if math.isnan(value) else None)
            score = Score(
                measure,
                heading if plan.across == "topic" else row_names["topic"],
                heading if plan.across == "system" else row_names["system"],
                value,
                length=length,
                form=form,
                assessor=assessor,
                reference=reference,
                repeat=repeat,
                why=None if why is None else place.text("why", why),
            )
            yield place.item(score)
        yield from place.noted()

    def _number(self, place: Place, column: str, text: str, across: str | None = None) -> float:
        try:
            if not self._style.settled and tells_decimal(text):
                self._style = replace(style_of([text]), percent=self._style.percent)
            if not self._style.percent and text.rstrip().endswith("%"):
                self._style = replace(self._style, percent=True)
            return self._style.read(text)
        except UsageError as error:
            raise place.wrong(error.text) from None
        except ValueError as error:
            if text.strip() == column:
                raise place.wrong(
                    f"{shown(column)} stands here as in the first row: delete this row where it is the header again, or"
                    " put a row of names above the first where that is none"
                ) from None
            hint = ""
            if across in ("system", "topic") and len(self._sums) > 1 and not is_number(text):
                hint = f"; if the column is no {across}, say {left_out(column)}"
            raise place.wrong(f"{shown(column)} {error}{hint}") from None


def _numeric(header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]) -> set[str]:
    """The columns that hold numbers and nothing else, as far as these rows tell."""
    numeric = set()
    for k, column in enumerate(header):
        texts = [row[k].strip() for _, row in rows]
        if all(map(is_number, texts)) and any(text.lower() not in MISSING for text in texts):
            numeric.add(column)
    return numeric
