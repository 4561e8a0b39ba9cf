"""Scores made elsewhere: a long table (system, topic, measure, value) or a matrix with systems in columns.

Measures that were computed elsewhere get a text, a direction and a signature here, for other readers too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

from adjudge.core.errors import AdjudgeError, FormatError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument, either
from adjudge.core.words import counted
from adjudge.core.words import listed as in_words
from adjudge.data.incoming import Item, LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import System, Topic
from adjudge.data.scores import KEY, Better, MeasureInfo, Score
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
from adjudge.formats.headings import (
    LESS_USUAL,
    SYSTEM,
    TOPIC,
    PeopleColumns,
    Rating,
    describes,
    identifies,
    in_short,
    named_columns,
    people_columns,
    plain,
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
from adjudge.formats.records import (
    Aliases,
    ColumnPlan,
    TwoColumns,
    check_map,
    close_to,
    find_columns,
    listed,
)

MEASURE, LEAVE_OUT, TRANSPOSE = Argument("measure"), Argument("leave_out"), Argument("transpose", True)
ASSESSORS = Argument("assessors")
_ROUGE = either(
    "adjudge.rouge(texts, references)", f"adjudge rouge FILE {Argument('reference', 'FILE').at('command')}"
)


def left_out(column: str) -> Argument:
    return Argument("leave_out", [column])


def lower_for(measure: str) -> Argument:
    return Argument("lower_is_better", [measure], flag="lower")


class ImportedMeasures:
    """Names imported measures `SOURCE:NAME`, which no computed one is, and describes each before its scores.

    `lower_is_better` holds for all (True), for the names in it ("none": for none), or for those whose name says so
    (False).
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

    def describe(
        self, place: Place, name: str, measure: str, origin: str, described: bool = False
    ) -> Iterator[Item]:
        """What the measure is, where it has not been said yet; `described`: a description, without a direction."""
        if name not in self._known:
            self._known[name] = measure
            signature = f"{measure}|imported|{origin}"
            better = self._better(name, measure, None if described else "higher")
            yield place.item(MeasureInfo(measure, better, (None, None), signature))
            if self._lower is False and better == "lower":
                yield place.item(
                    Noted(
                        f"{name}: lower is taken as better, by its name; if higher is, say {lower_for(NO_MEASURE)}"
                    )
                )

    def _better(self, name: str, measure: str, otherwise: Better) -> Better:
        if self._lower is False:
            return otherwise and (direction_by_name(name) or otherwise)
        if self._lower is True:
            return "lower" if otherwise else otherwise
        return "lower" if name in self._lower or measure in self._lower else otherwise

    def check(self) -> None:
        """After the last score: a direction for a measure that never came is a mistake."""
        if isinstance(self._lower, bool):
            return
        names = {*self._known, *self._known.values()}
        for name in self._lower:
            if name not in names and name != NO_MEASURE:
                raise UsageError(
                    f"{lower_for(name)}: no such measure{nearest(name, names)};"
                    f" there are: {', '.join(self._known) or 'none'}"
                )


NO_MEASURE = "none"
"""Said in place of names: of no measure are lower scores better, whatever it is called."""
_LOWER_NAMES = (
    "ter hter wer cer mer perplexity ppl nll loss distance levenshtein divergence js jsd kl mse rmse mae"
)
_HIGHER_NAMES = (
    "rouge bleu chrf meteor bertscore bartscore bleurt comet moverscore summac nams score rating quality overall"
    " coherence consistency fluency relevance coverage completeness correct accura precision recall inform faithful"
    " factual adequa grammatical readab useful helpful responsive similar agreement retention pyramid preference"
    " content human expert people judge grade points win mean value"
)
"""Words in names of measures, of the second kind their beginnings: unknown names are assumed to be of the second."""
_LOWER, _HIGHER = frozenset(_LOWER_NAMES.split()), tuple(_HIGHER_NAMES.split())
_RATES = ({"error", "rate"}, {"error", "rates"})
_TURNED = {"neg", "negative", "negated", "minus", "inverse", "inverted", "reversed", "no", "non", "without"}


def direction_by_name(measure: str) -> Better:
    """Which scores of a measure are better where its name says so; None where it does not."""
    words = set(re.findall(r"[a-z]+", measure.lower()))
    if words & _TURNED or re.match(r"1 ?[-−]", measure):
        return None
    if words & _LOWER or any(rate <= words for rate in _RATES):
        return "lower"
    return "higher" if any(word.startswith(_HIGHER) or word in ("f", "r", "p") for word in words) else None


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
_NUMBERED = {name for name in LESS_USUAL["assessor"] if name.endswith("id")} | {
    "annotator",
    "rater",
    "worker",
}
"""Of assessors: those that may be numbers. Those of others are scores."""
IN_MATRIX = ("topic", "measure", "length", "form", "assessor", "repeat", *OF_TOPICS)
"""Columns of a matrix that are no systems, by their usual names; a system may well be named "reference"."""
IN_TRANSPOSED = ("system", "kind", "measure")

_PLANNED_BY = 200  # rows: what they hold tells which column is which
_LOOKED_AT = 50  # of these, for how numbers are written; more where a number may be two
_FAR_MORE, _MANY = 2, 6
_FEW = 50  # columns of a matrix, of which some may be assessors
_LENGTHS = 6  # of more, a column of lengths says how long texts are, and no target
_ENOUGH = 4  # topics, to say that a number is the same for all systems
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0+)?")
_SHORT_NAME = 80  # characters, on average
ONE_SYSTEM = "system"
"""What the only system is called where a table names none."""


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
    assessors: str | Collection[str] = ()
    """Columns that hold one measure's scores by several assessors, or the names of these in such columns."""
    without: str | Collection[str] = ()
    """Assessors whose scores are left out; of any scores, not only of a table's, as are the next three."""
    topics: str | Collection[str] = ()
    """Which topics, such as `task=multi`."""
    human: str | Sequence[str] = ()
    """Systems that are human where nothing says so, as names or patterns with `*` and `?`."""
    baseline: str | Sequence[str] = ()

    def asked_for(self) -> list[str]:
        """The names of the options that were given and are about tables."""
        return [
            option.name
            for option in fields(self)
            if option.name not in ("without", "topics", "human", "baseline")
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
    assessors: str | Collection[str] = (),
) -> Iterator[Item]:
    """Scores of CSV, TSV or Excel files, or of every one in a folder.

    A file with columns for the topic and the system is long: its scores are in the column for the value, or in every
    column of numbers that means nothing else, each a measure. Any other is a matrix, topics in the first column
    (with `transpose`, systems in the first column and topics in the others); where that holds scores like the others,
    rows are topics 1, 2, ... `measure` names what a file does not (default: the file's name); `length` and `form` are
    those of a file that gives none. An empty cell, nan or NA is a missing score. `decimal` is "." or ","; without it
    the file's numbers tell. Columns of `leave_out` are not read. Columns of people who are numbered alike (human1,
    human2) are assessors of one measure; `assessors` names them otherwise. A column that counts, dates or identifies
    something is a description, which is in no ranking.
    """
    measures = ImportedMeasures(source, lower_is_better)
    check_columns(columns or {})
    whole_length(length)
    sign = check_decimal(decimal)
    once = Once()
    options = TableOptions(
        measure=measure,
        columns=columns,
        delimiter=delimiter,
        quotes=quotes,
        encoding=encoding,
        transpose=transpose,
        leave_out=leave_out,
        assessors=assessors,
    )

    def items(path: Path) -> Iterator[Item]:
        cells, plan = _planned(path, options, max_line)
        file = _ScoreFile(path, measures, measure, Target(length, form), once, plan)
        yield from file.items(cells, NumberStyle(sign or ".", asked=sign is not None))

    yield from from_files(paths, items, TABLES)
    measures.check()


def _planned(path: Path, options: TableOptions, max_line: int = MAX_LINE) -> tuple[TableCells, ScoreColumns]:
    """The cells of a file, and what its columns are."""
    cells = read_cells(
        path,
        delimiter=options.delimiter,
        quotes=options.quotes,
        unnamed_first=True,
        max_line=max_line,
        encoding=options.encoding,
    )
    start = list(islice(cells.rows, _PLANNED_BY))
    at = {column: k for k, column in enumerate(cells.header)}

    def texts(column: str) -> list[str]:
        return [row[at[column]] for _, row in start]

    try:
        plan = find_score_columns(
            cells.header,
            options.columns or {},
            texts,
            where=str(path),
            measure=options.measure,
            transpose=options.transpose,
            leave_out=options.leave_out,
            assessors=options.assessors,
        )
        plan, notes = plan.with_topics(texts)
    except FormatError as error:
        raise Place(path, 1).wrong(error.problem) from None
    return cells._replace(rows=chain(start, cells.rows)), replace(plan, notes=(*plan.notes, *notes))


def two_scores_in(path: Path, options: TableOptions, score: Score, first: int, second: int) -> str:
    """That two lines of a file hold a score of one key."""
    cells, plan = _planned(path, options)
    rows = {
        line: dict(zip(cells.header, row, strict=True)) for line, row in cells.rows if line in (first, second)
    }
    key = {name: None if (value := getattr(score, name)) is None else str(value) for name in KEY}
    return two_scores(key, f"lines {first:,} and {second:,}", rows[first], rows[second], plan.unused)


# Which column is which, in files and in frames

Texts = Callable[[str], Sequence[str]]
"""The first cells of a column, as they are written; empty where there is nothing."""


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """What the columns of a table are: those of one field each, and those that hold scores.

    The columns of `values` are systems (`across` is "system"), topics (a transposed matrix), measures, or one that
    is none of them. A matrix without a topic has one in each row; a long table without a system is of one.
    """

    fields: Mapping[str, str]
    values: tuple[str, ...]
    across: Literal["system", "topic", "measure"] | None = None
    unused: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Columns that somebody wants not to be read."""
    ratings: Mapping[str, Rating] = field(default_factory=dict)
    """Of columns that people filled: the measure, and the assessor."""
    descriptions: tuple[str, ...] = ()
    """Of the columns of measures, those that describe texts, topics or systems."""
    notes: tuple[str, ...] = ()
    first: bool = False
    """Whether topics are taken to be in the first column because no name tells where they are."""

    @property
    def of_one_system(self) -> bool:
        return self.across == "measure" and "system" not in self.fields

    def score_of(self, column: str) -> tuple[str, str | None]:
        """The measure and the assessor of a column among those of measures."""
        rating = self.ratings.get(column)
        return (column, None) if rating is None else (rating.measure, rating.assessor)

    def with_topics(self, texts: Texts) -> tuple[ScoreColumns, list[str]]:
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


def find_score_columns(
    header: Sequence[str],
    columns: Mapping[str, str],
    texts: Texts,
    *,
    where: str,
    measure: str | None = None,
    transpose: bool = False,
    leave_out: str | Collection[str] = (),
    assessors: str | Collection[str] = (),
) -> ScoreColumns:
    """What the columns of a table of scores are: by the map, by the usual names, and by what the first cells hold."""
    away = _named_columns(header, leave_out, where)
    header = [name for name in header if name not in {*away}] if away else list(header)
    if not header:
        raise UsageError(f"{LEAVE_OUT} names every column of {where}")
    plan = _by_usual_names(header, columns, texts)
    if plan.absent:
        column = plan.absent[0]
        raise UsageError(
            f"{MAPPED}: {where} has no column {shown(column)}{close_to(column, header)}; it has: {listed(header)}"
        )
    fields = dict(plan.fields)
    if "measure" in fields and measure is not None:
        raise UsageError(
            f"{MEASURE} names what a file does not, but {where} has a column"
            f" {shown(fields['measure'])}: leave out {MEASURE}, or say {mapped('measure', '')} (not used)"
        )
    named = split_names(assessors, header)
    if transpose:
        if {"topic", "system"} <= fields.keys():
            raise UsageError(
                f"{Argument('transpose')} is for a matrix, but {where} names topic and system in every row"
            )
        matrix = _matrix(header, fields, columns, plan.unused, IN_TRANSPOSED, "topic")
        return replace(matrix, left_out=away)
    long = _Long(header, columns, texts, where, measure, named)
    fields |= long.less_usual(fields, plan.unused)
    if {"topic", "system"} <= fields.keys():
        return replace(long.columns(fields), left_out=away)
    if (
        not columns
        and "value" not in fields
        and {"winner", "loser", "rejected"} & {name.casefold() for name in header}
    ):
        raise FormatError(f"tells who won, and holds no scores; say: adjudge prefer fit {where}")
    if named and "system" not in fields:
        return replace(long.of_one_system(fields), left_out=away)
    if "system" in plan.fields or columns.keys() & {"system", "value"}:
        missing = "topic" if "topic" not in fields else "system"
        hint = f"; or {TRANSPOSE} where rows are systems and columns topics" if missing == "topic" else ""
        if hint and "value" not in fields:
            hint += "; where they are means of a system by several measures, scores by topic are needed: means alone"
            hint += " cannot be tested"
        raise FormatError(f"no column for the {missing} among {listed(header)}: say {mapped(missing)}{hint}")
    matrix = _matrix(header, plan.fields, columns, plan.unused, IN_MATRIX, "system")
    few = matrix.values if len(matrix.values) <= _FEW else ()
    people = [name for name, rating in people_columns(few, ()).ratings.items() if rating.assessor]
    if len(people) > 1 and "assessor" not in columns and len(people) < len(matrix.values):
        hint = (
            f"columns {in_words(in_short(people))} are taken for systems; if they are assessors, say"
            f" {Argument('assessors', [','.join(people)])}"
        )
        matrix = replace(matrix, notes=(hint,))
    return replace(matrix, left_out=away)


def _by_usual_names(header: Sequence[str], columns: Mapping[str, str], texts: Texts) -> ColumnPlan:
    """The columns with usual names. Of two for the topic, a number of the row is none if the other's cells repeat."""
    try:
        return find_columns(header, columns, LONG, wide=False)
    except TwoColumns as error:
        once = [name for name in error.columns if not repeats(texts(name))]
        if error.field != "topic" or len(once) != 1:
            raise
        (other,) = {*error.columns} - {*once}
        return find_columns(header, {**columns, "topic": other}, LONG, wide=False)


def repeats(texts: Sequence[Hashable]) -> bool:
    return len({*texts}) < len(texts)


def split_names(names: str | Collection[str], header: Collection[str]) -> list[str]:
    """Names in one text with commas between them, or in several; a column's name may have commas."""
    parts: list[str] = []
    for text in [names] if isinstance(names, str) else names:
        parts += [text] if text in header else [part.strip() for part in text.split(",") if part.strip()]
    return list(dict.fromkeys(parts))


@dataclass(frozen=True)
class _Long:
    """A table with a row for each topic and system, perhaps for each assessor too."""

    header: Sequence[str]
    mapped: Mapping[str, str]
    texts: Texts
    where: str
    measure: str | None
    named: Sequence[str]
    """Assessors, as somebody names them or their columns."""

    def columns(self, fields: Mapping[str, str]) -> ScoreColumns:
        about = {field: column for field, column in fields.items() if field != "value"}
        notes: list[str] = []
        if self._is_no_target(about):
            text_length = about.pop("length")
            notes.append(
                f"column {shown(text_length)} is no target length: nearly every text has its own; if it is one, say"
                f" {mapped('length', text_length)}"
            )
        value = fields.get("value")
        taken = {*about.values(), value}
        numeric = [
            name
            for name in self.header
            if name not in taken and not identifies(name) and not is_nameless(name) and self._is_numeric(name)
        ]
        people = self._people(
            numeric if value is None or "value" in self.mapped else [*numeric, value], about
        )
        about_texts = tuple(name for name in numeric if describes(name) and name not in people.ratings)
        if value is not None and ("value" in self.mapped or "measure" in about or not people.ratings):
            if self.named:
                raise UsageError(f"{ASSESSORS}: the scores of {self.where} are in the column {shown(value)}")
            return self._plan(about, [value], None, notes)
        if value is not None:
            with_value = {*numeric, value}
            numeric = [name for name in self.header if name in with_value]
        if "measure" in about:
            rated = list(people.ratings) or [name for name in numeric if name not in about_texts]
            if people.ratings:
                return self._with_people(about, rated, people, (), notes)
            if len(rated) == 1:
                return self._plan(about, rated, None, notes)
            numeric = []
        if not numeric:
            among = listed([*about.values(), *self._unused(about, ())])
            raise FormatError(f"no column for the value among {among}: say {mapped('value')}")
        return self._with_people(about, numeric, people, about_texts, notes)

    def of_one_system(self, fields: Mapping[str, str]) -> ScoreColumns:
        """A table that names assessors and no system: its rows are of one."""
        about = dict(fields)
        first = next((name for name in self.header if name not in about.values()), "")
        if "topic" not in about and first not in self.named and names_rows(first, self.texts(first)):
            about["topic"] = first
        columns = self.columns(about)
        one = f"no column for the system: all rows are taken to be of one, called {quoted(ONE_SYSTEM)}"
        return replace(columns, across="measure", notes=(one, *columns.notes))

    def _with_people(
        self,
        about: Mapping[str, str],
        values: Sequence[str],
        people: PeopleColumns,
        descriptions: tuple[str, ...],
        notes: list[str],
    ) -> ScoreColumns:
        """Columns of several measures, some of them ratings by people."""
        sums = {*people.sums}
        values = [name for name in values if name not in sums]
        rated = [name for name in values if (rating := people.ratings.get(name)) and rating.assessor]
        measures = list(dict.fromkeys(people.ratings[name].measure for name in rated))
        by_people = {*rated}
        others = [name for name in values if name not in by_people]
        if clash := next((name for name in others if name in {*measures}), None):
            raise FormatError(
                f"column {shown(clash)} has the name of the measure of {listed(in_short(rated))}: give it another, or"
                f" say {left_out(clash)}"
            )
        if self.measure is not None and len({*measures, *others}) > 1:
            raise UsageError(
                f"{MEASURE} names one measure, but {self.where} has several: {listed([*measures, *others])}; leave"
                f" out {MEASURE}, or say which with {mapped('value')}"
            )
        one = self.measure
        ratings = {
            name: Rating(one, rating.assessor) if one else rating for name, rating in people.ratings.items()
        }
        same_name = rated if len(measures) == 1 else []
        if rated:
            who = len({people.ratings[name].assessor for name in rated})
            verb = "is" if len(rated) == 1 else "are"
            what = "an assessor" if who == 1 else "assessors" if same_name else counted(who, "assessor")
            of = f"one measure, {one or measures[0]}" if same_name else in_words(measures)
            otherwise = f"; if not, say {mapped('assessor', '')}" if not self.named else ""
            notes.append(f"{in_words(in_short(rated))} {verb} taken for {what} of {of}{otherwise}")
        if people.sums:
            verb = "it sums" if len(people.sums) == 1 else "they sum"
            notes.append(f"{in_words(people.sums)} not used: {verb} up what the assessors said")
        described = {*descriptions}
        descriptions += self._constant(about, [name for name in others if name not in described])
        if descriptions:
            verb, what = ("is", "a description") if len(descriptions) == 1 else ("are", "descriptions")
            what += (
                f": no system is better by {'it' if len(descriptions) == 1 else 'them'}; if one is, say"
                f" {mapped('value', descriptions[0])}"
                if {*descriptions} == {*values}
                else f", and ranked only where {either('measure', '-m')} names"
                f" {'it' if len(descriptions) == 1 else 'them'}"
            )
            notes.append(f"{in_words(descriptions)} {verb} taken for {what}")
        across: Literal["measure"] | None = "measure" if one is None or rated else None
        plan = self._plan(about, values, across, notes, people.sums)
        return replace(plan, ratings=ratings, descriptions=descriptions)

    def _plan(
        self,
        about: Mapping[str, str],
        values: Sequence[str],
        across: Literal["measure"] | None,
        notes: Sequence[str],
        besides: Collection[str] = (),
    ) -> ScoreColumns:
        return ScoreColumns(
            fields=about,
            values=tuple(values),
            across=across,
            unused=self._unused(about, (*values, *besides)),
            notes=tuple(notes),
        )

    def _unused(self, about: Mapping[str, str], values: Collection[str]) -> tuple[str, ...]:
        taken = {*about.values(), *values}
        return tuple(name for name in self.header if name not in taken)

    def _people(self, numeric: Sequence[str], about: Mapping[str, str]) -> PeopleColumns:
        if self.named:
            if "assessor" in about:
                raise UsageError(
                    f"{ASSESSORS} names columns, but {self.where} has a column {shown(about['assessor'])} for the"
                    f" assessor: leave out {ASSESSORS}, or say {mapped('assessor', '')} (not used)"
                )
            free = [name for name in self.header if name not in about.values()]
            ratings = named_columns(free, self.named, self.measure)
            for name, rating in ratings.items():
                if not rating.measure:
                    raise UsageError(
                        f"{ASSESSORS}: {self.where} has no column {shown(name)}{close_to(name, free)}; it has:"
                        f" {listed(free)}"
                    )
                if name not in numeric:
                    raise FormatError(f"column {shown(name)} holds no numbers, but {ASSESSORS} names it")
            rest = people_columns([name for name in numeric if name not in ratings], ()).ratings
            alone = {name: rating for name, rating in rest.items() if rating.assessor is None}
            return PeopleColumns({**ratings, **alone})
        if "assessor" in about or "assessor" in self.mapped:
            return PeopleColumns({})
        return people_columns(
            numeric, [name for name in numeric if all(map(_WHOLE.fullmatch, self._cells(name)))]
        )

    def less_usual(self, fields: Mapping[str, str], unused: Sequence[str]) -> dict[str, str]:
        """Columns with less usual names that a long table may have, where their cells fit."""
        more: dict[str, str] = {}
        for role in ("topic", "system"):
            numbers_rows = role == "topic" and role in fields and not repeats(self.texts(fields[role]))
            if (role not in fields or numbers_rows) and role not in self.mapped:
                columns = [name for name in unused if plain(name) in LESS_USUAL[role] and self._names(name)]
                again = [name for name in columns if repeats(self.texts(name))]
                if numbers_rows or (len(columns) > 1 and len(again) == 1):
                    columns = again
                if len(columns) > 1 and {"topic", "system"} - {role} <= {*fields, *more}:
                    raise TwoColumns(role, columns[0], columns[1])
                if columns:
                    more[role] = columns[0]
        here = {**fields, **more}
        if not {"topic", "system"} <= here.keys():
            return {}
        free = [name for name in unused if name not in more.values()]
        what = [name for name in free if plain(name) in LESS_USUAL["measure"] and not self._is_numeric(name)]
        if "measure" not in here and "measure" not in self.mapped and self.measure is None and len(what) == 1:
            taken = {*here.values(), *what}
            values = [name for name in self.header if name not in taken and self._is_numeric(name)]
            values = [name for name in values if plain(name) not in LESS_USUAL["assessor"]]
            if "value" in here or self._people_in(values) or sum(not describes(name) for name in values) == 1:
                more["measure"] = what[0]
        here |= more
        if not {*here, *self.mapped} & {"assessor"} and not self._people_in(free):
            who = [
                name
                for name in free
                if plain(name) in LESS_USUAL["assessor"] and self._tells_rows_apart(name, here)
            ]
            if len(who) > 1:
                raise TwoColumns("assessor", who[0], who[1])
            if who:
                more["assessor"] = who[0]
        return more

    def _people_in(self, names: Sequence[str]) -> bool:
        """Whether there are columns for several assessors."""
        numeric = [name for name in names if self._is_numeric(name)]
        return bool(self.named) or any(r.assessor for r in people_columns(numeric, ()).ratings.values())

    def _cells(self, name: str) -> list[str]:
        return [text.strip() for text in self.texts(name) if text.strip().lower() not in MISSING]

    def _is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers and nothing else, as far as the first rows tell; of no rows, all do."""
        texts = self.texts(name)
        return not texts or (all(map(is_number, texts)) and bool(self._cells(name)))

    def _names(self, name: str) -> bool:
        """Whether cells may be names of topics or systems: short texts, or whole numbers that repeat."""
        cells = self._cells(name)
        if not cells:
            return not self.texts(name)
        if all(map(is_number, cells)):
            return all(map(_WHOLE.fullmatch, cells)) and repeats(cells)
        return sum(map(len, cells)) <= _SHORT_NAME * len(cells)

    def _tells_rows_apart(self, name: str, fields: Mapping[str, str]) -> bool:
        """Whether cells may name assessors: texts, or whole numbers that tell rows of a topic and system apart."""
        cells = self._cells(name)
        if not cells or not all(map(is_number, cells)):
            return bool(cells)
        if not all(map(_WHOLE.fullmatch, cells)) or plain(name) not in _NUMBERED:
            return False
        key = [fields[field] for field in ("topic", "system", "measure") if field in fields]
        rated = [*zip(*map(self.texts, key), strict=True)]
        by_whom = [*zip(rated, self.texts(name), strict=True)]
        return plain(name).endswith("id") or (repeats(rated) and not repeats(by_whom))

    def _is_no_target(self, about: Mapping[str, str]) -> bool:
        """Whether a column of lengths says how long each text is: many lengths, one for each topic and system."""
        if "length" not in about or "length" in self.mapped or not {"topic", "system"} <= about.keys():
            return False
        lengths = self.texts(about["length"])
        cells = [*zip(*(self.texts(about[field]) for field in ("topic", "system")), strict=True)]
        of_a_cell = len({*zip(cells, lengths, strict=True)})
        return len({*lengths}) > _LENGTHS and of_a_cell == len({*cells})

    def _constant(self, about: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...]:
        """Columns with one number for all systems of a topic (a year), or for all topics of a system (its size)."""
        if len(names) < 2 or not {"topic", "system"} <= about.keys():
            return ()
        topics, systems = (self.texts(about[field]) for field in ("topic", "system"))
        if not topics:
            return ()

        def same(cells: Sequence[str], keys: Sequence[str], others: Sequence[str], least: int) -> bool:
            of_key: dict[str, set[str]] = {}
            for key, cell in zip(keys, cells, strict=True):
                of_key.setdefault(key, set()).add(cell)
            rows = Counter(key for key, _ in {*zip(keys, others, strict=True)})
            return (
                max(map(len, of_key.values())) == 1
                and len({*cells}) > 2  # yes and no may well be the same throughout
                and sum(n >= least for n in rows.values()) >= 2
            )

        constant = []
        for name in names:
            cells = self.texts(name)
            by_topic = len({*topics}) >= _ENOUGH and same(cells, topics, systems, 2)
            if by_topic or same(cells, systems, topics, 2 * _ENOUGH):
                constant.append(name)
        return tuple(constant) if len(constant) < len(names) else ()


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


def holds_scores(header: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a table has a row for each topic and system, with scores."""

    def texts(column: str) -> list[str]:
        return ["" if row.get(column) is None else str(row[column]) for row in rows]

    try:
        plan = find_score_columns(header, {}, texts, where="the table")
    except AdjudgeError:
        return False
    return {"topic", "system"} <= plan.fields.keys()


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
    columns = split_names(names, header)
    for name in columns:
        if name not in header:
            raise UsageError(
                f"{LEAVE_OUT}: {where} has no column {shown(name)}{close_to(name, header)}; it has:"
                f" {listed(header)}"
            )
    return tuple(columns)


def no_scores(column: str, text: str, across: str | None) -> str:
    """What to do with a column of a matrix that holds a text."""
    if across not in ("system", "topic") or is_number(text):
        return ""
    names = f", or {mapped('system', column)} if it names the systems" if across == "system" else ""
    return f"; if the column is no {across}, say {left_out(column)}{names}"


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


def two_scores(
    score: Mapping[str, str | None],
    where: str,
    one: Mapping[str, str],
    other: Mapping[str, str],
    unused: Sequence[str],
) -> str:
    """That two rows hold a score of one key, and what could tell them apart: a column that is not used."""
    key = ", ".join(f"{field} {value}" for field in KEY if (value := score.get(field)) not in (None, "0"))
    problem = f"two scores of {key} ({where})"
    differ = [name for name in unused if one[name] != other[name]]
    if differ:
        nobody = score.get("assessor") is None and not _WHOLE.fullmatch(other[differ[0]].strip())
        field = "assessor" if nobody or plain(differ[0]) in LESS_USUAL["assessor"] else "repeat"
        return (
            f"{problem}, which differ in {listed(map(shown, differ))}: say what that is, such as"
            f" {mapped(field, differ[0])}, or leave one of the rows out"
        )
    if one == other:
        return f"{problem}, and the rows are the same: leave one of them out"
    return (
        f"{problem}: leave one of the rows out, or tell them apart by a column assessor, repeat, reference, length or"
        " form"
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
        plan: ScoreColumns,
    ) -> None:
        self._plan = plan
        self._path, self._measures = path, measures
        self._measure = measure or stem(path)
        self._missing, self._origin = f"missing in {path.name}", f"file:{path.name}"
        self._target, self._once = target, once
        self._thousands: str | None = ""  # such a number, as long as all with a point are like it

    def items(self, cells: TableCells, style: NumberStyle) -> Iterator[Item]:
        place, plan = Place(self._path, 1), self._plan
        held, self._style = self._look_ahead(cells, plan, style)
        values = [k for k, column in enumerate(cells.header) if column in plan.values]
        if any(row[k].rstrip().endswith("%") for k in values for _, row in held):
            self._style = replace(self._style, percent=True)
        style_notes = self._style.findings
        yield from map(place.item, cells.noted(*style_notes))
        yield from Unused()(place, (*plan.unused, *plan.left_out))
        yield from (place.item(Noted(note)) for note in plan.notes)
        names = {column: column for column in plan.values}
        if plan.across and not plan.ratings:
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
        at = [k for k, column in enumerate(cells.header) if column in plan.values]

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
        if plan.across == "system" or plan.of_one_system:
            row_names.setdefault("topic", str(number))
        if plan.of_one_system:
            row_names["system"] = ONE_SYSTEM
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
                label = cells.get("measure", self._measure)
                if plan.across == "measure" and "measure" not in cells:
                    label, _ = plan.score_of(column)
                measure = self._measures.text(place, called.get("measure", "measure"), label)
                described = column in plan.descriptions
                yield from self._measures.describe(place, label, measure, self._origin, described)
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
                assessor=plan.score_of(column)[1] if plan.ratings else assessor,
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
            hint = no_scores(column, text, across) if len(self._sums) > 1 else ""
            raise place.wrong(f"{shown(column)} {error}{hint}") from None
