"""Scores made elsewhere: a long table (system, topic, measure, value) or a matrix with systems in columns.

Measures that were computed elsewhere get a text, a direction and a signature here, for other readers too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from adjudge.data.incoming import Item
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import System, Topic
from adjudge.data.scores import Better, MeasureInfo, Score
from adjudge.data.target import Target
from adjudge.errors import FormatError, UsageError, nearest, quoted
from adjudge.formats.files import (
    EMPTY_FILE,
    TABLES,
    Cells,
    Once,
    Paths,
    Place,
    Rows,
    Unused,
    from_files,
    read_cells,
    shown,
    stem,
)
from adjudge.formats.numbers import Decimal, NumberStyle, check_decimal, style_of
from adjudge.formats.records import SYSTEM, TOPIC, Aliases, check_map, close_to, find_columns, listed


class ImportedMeasures:
    """Names imported measures `SOURCE:NAME`, which no computed one is, and describes each before its scores.

    `lower_is_better` holds for all (True), for none (False), or for the names in it.
    """

    def __init__(self, source: str, lower_is_better: bool | Collection[str] = False) -> None:
        if not source or source != source.strip() or not source.isprintable() or ":" in source:
            raise UsageError(f"--source is {quoted(source)}, expected a name without colon")
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
        known = {*self._known, *self._known.values()}
        for name in self._lower:
            if name not in known:
                raise UsageError(
                    f"--lower-is-better {quoted(name)}: no such measure{nearest(name, known)};"
                    f" there are: {', '.join(self._known) or 'none'}"
                )


OF_TOPICS = ("set", "type", "task", "selector")
"""What a long table can say of its topics, in every row of a topic or in some."""

LONG: Aliases = {
    "topic": TOPIC,
    "system": SYSTEM,
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    **{name: (name,) for name in ("length", "form", "assessor", "reference", "repeat", "why", "kind")},
    **{name: (name,) for name in OF_TOPICS},
}
_LOOKED_AT = 1000  # rows without a comma: the table has no decimal commas


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
) -> Iterator[Item]:
    """Scores of CSV, TSV or Excel files, or of every one in a folder.

    A file with columns for the system and the value is long; any other is a matrix, topics in the first
    column. `measure` names what a file does not (default: the file's name); `length` and `form` are
    those of a file that gives none. An empty cell, nan or NA is a missing score. `decimal` is "." or ","; without it
    the file's numbers tell.
    """
    measures = ImportedMeasures(source, lower_is_better)
    columns = columns or {}
    check_map(columns, LONG, wide=False)
    if length is not None and length < 1:
        raise UsageError(f"--length is {length}, expected a number of words, 1 or more")
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
        yield from _ScoreFile(path, measures, measure, Target(length, form), once, sign).items(cells, columns)

    yield from from_files(paths, items, TABLES)
    measures.check()


class _ScoreFile:
    """One file."""

    def __init__(
        self,
        path: Path,
        measures: ImportedMeasures,
        measure: str | None,
        target: Target,
        once: Once,
        decimal: Decimal | None,
    ) -> None:
        self._path, self._measures, self._named = path, measures, measure
        self._measure = measure or stem(path)
        self._missing, self._origin = f"missing in {path.name}", f"file:{path.name}"
        self._target, self._once = target, once
        self._style = NumberStyle(decimal or ".", given=decimal is not None)

    def items(self, cells: Cells, columns: Mapping[str, str]) -> Iterator[Item]:
        place = Place(self._path, 1)
        header, rows, _ = cells
        fields, unused = self._find(place, header, columns)
        rows = self._look_ahead(rows, slice(1, None) if fields is None else _only(header, fields["value"]))
        yield from map(place.item, cells.noted(*self._style.found))
        yield from Unused()(place, unused)
        systems = [] if fields else [place.name("system", name) for name in header[1:]]
        empty = True
        for line, row in rows:
            empty = False
            place = Place(self._path, line)
            if fields is None:
                yield from self._matrix_row(place, header[0] or "topic", systems, row)
            else:
                named = dict(zip(header, row, strict=True))
                yield from self._long_row(place, fields, {n: named[column] for n, column in fields.items()})
        if empty:
            yield str(self._path), EMPTY_FILE

    def _look_ahead(self, rows: Rows, values: slice) -> Rows:
        """All rows again, once the first of them have told how numbers are written."""
        if self._style.given:
            return rows
        held: list[tuple[int, list[str]]] = []

        def texts() -> Iterator[str]:
            commas = False
            for line, row in rows:
                held.append((line, row))
                commas = commas or any("," in text for text in row[values])
                yield from row[values]
                if not commas and len(held) >= _LOOKED_AT:
                    return

        try:
            self._style = style_of(texts())
        except UsageError as error:
            raise UsageError(f"{self._path}: {error}") from None
        return chain(held, rows)

    def _number(self, place: Place, column: str, text: str) -> float:
        try:
            return self._style.read(text)
        except ValueError as error:
            raise place.wrong(f"{shown(column)} {error}") from None

    def _find(
        self, place: Place, header: Sequence[str], columns: Mapping[str, str]
    ) -> tuple[Mapping[str, str] | None, Sequence[str]]:
        """The columns of a long table, or None where this is a matrix."""
        try:
            found = find_columns(header, columns, LONG, wide=False)
        except FormatError as error:
            raise place.wrong(error.problem) from None
        if found.absent:
            column = found.absent[0]
            raise UsageError(
                f"--map: {self._path} has no column {shown(column)}{close_to(column, header)};"
                f" it has: {listed(header)}"
            )
        missing = [name for name in ("topic", "system", "value") if name not in found.fields]
        if "measure" in found.fields and self._named is not None:
            raise UsageError(
                f"--measure names what a file does not, but {self._path} has a column"
                f" {shown(found.fields['measure'])}: leave out --measure, or say --map measure= (not used)"
            )
        if not missing:
            return found.fields, found.unused
        if "system" in found.fields or columns:
            raise place.wrong(
                f"no column for the {missing[0]} among {listed(header)}: say --map {missing[0]}=COLUMN"
            )
        if len(header) < 2:
            raise place.wrong("one column only, expected a matrix: topics, then a column per system")
        return None, ()

    def _matrix_row(
        self, place: Place, first: str, systems: Sequence[str], row: Sequence[str]
    ) -> Iterator[Item]:
        topic = place.name(first, row[0])
        measure = self._measures.text(place, "measure", self._measure)
        yield from self._measures.describe(place, self._measure, measure, self._origin)
        for system, text in zip(systems, row[1:], strict=True):
            value = self._number(place, system, text)
            if math.isnan(value):
                score = Score.missing(measure, topic, system, self._missing, *self._target)
            else:
                score = Score(measure, topic, system, value, *self._target)
            yield place.item(score)

    def _long_row(self, place: Place, called: Mapping[str, str], cells: Mapping[str, str]) -> Iterator[Item]:
        def name(field: str) -> str | None:
            text = cells.get(field)
            return place.name(called[field], text) if text else None

        def whole(field: str, least: int) -> int | None:
            text = cells.get(field)
            return place.whole_number(called[field], text, least=least) if text else None

        topic, system = (place.name(called[field], cells[field]) for field in ("topic", "system"))
        if kind := cells.get("kind"):
            row = place.row(System, {"system": system, "kind": kind}, called)
            yield from self._once.new(place, row)
        if about := {field: cells[field] for field in OF_TOPICS if cells.get(field)}:
            yield from self._once.new(place, place.row(Topic, {"topic": topic, **about}, called))
        own = cells.get("measure", self._measure)
        measure = self._measures.text(place, called.get("measure", "measure"), own)
        yield from self._measures.describe(place, own, measure, self._origin)
        value = self._number(place, called["value"], cells["value"])
        why = cells.get("why") or (self._missing if math.isnan(value) else None)
        score = Score(
            measure,
            topic,
            system,
            value,
            length=whole("length", 1) or self._target.length,
            form=name("form") or self._target.form,
            assessor=name("assessor"),
            reference=name("reference"),
            repeat=whole("repeat", 0) or 0,
            why=None if why is None else place.text("why", why),
        )
        yield place.item(score)
        yield from place.noted()


def _only(header: Sequence[str], column: str) -> slice:
    at = header.index(column)
    return slice(at, at + 1)
