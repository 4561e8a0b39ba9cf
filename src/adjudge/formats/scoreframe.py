"""A DataFrame of scores, long or a matrix, as the rows of a score table, and what it says of topics.

Columns mean what they mean in a table of text (`formats/scoretable.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from adjudge.core.errors import DataError, FormatError, UsageError, quoted
from adjudge.core.words import listed
from adjudge.data.rows import Topic
from adjudge.data.scores import KEY
from adjudge.data.target import Target
from adjudge.formats import scoretable
from adjudge.formats.headings import LESS_USUAL, plain
from adjudge.formats.matrices import ColumnSums, is_summary, names_rows, places_of
from adjudge.formats.numbers import NumberStyle, check_decimal, is_number, style_of
from adjudge.formats.scoretable import ONE_SYSTEM, ScoreColumns, TableOptions, left_out, two_values

_PLANNED_BY = 200  # rows: what they hold tells which column is which
_PLACES_OF = 1000  # scores of a column tell how many digits it has


@dataclass(frozen=True, kw_only=True)
class LongFrame:
    """The rows of a score table, with the columns it has of systems and topics, and what to say of it."""

    rows: pd.DataFrame
    descriptions: frozenset[str]
    """The measures that describe texts, topics or systems."""
    notes: tuple[str, ...]


def long_frame(frame: pd.DataFrame, name: str, options: TableOptions, unnamed: str) -> LongFrame:
    """A table in memory as a long one."""
    if not frame.columns.size:
        raise DataError(f"{name}: is empty, expected topics in rows and systems in columns")
    flat = _flat_frame(frame, name, options)
    start = flat.head(_PLANNED_BY)

    def texts(column: str) -> list[str]:
        return _texts(start[column])

    try:
        scoretable.check_columns(options.columns or {})
        plan = scoretable.find_score_columns(
            list(flat.columns),
            options.columns or {},
            cache(texts),
            where=name,
            measure=options.measure,
            transpose=options.transpose,
            leave_out=options.leave_out,
            assessors=options.assessors,
        )
        plan, topic_notes = plan.with_topics(lambda column: _texts(flat[column]))
    except FormatError as error:
        raise DataError(f"{name}: {error.problem}") from None
    if not len(flat):
        raise DataError(f"{name}: no scores, expected topics in rows and systems in columns")
    about = flat[list(plan.fields.values())].set_axis(list(plan.fields), axis=1)
    values = flat[list(plan.values)]
    if plan.across is None:
        long = about.assign(value=values.iloc[:, 0])
    else:
        # Column after column; `melt` takes half a minute for 50,000 of them.
        long = about.iloc[[*range(len(flat))] * len(plan.values)].reset_index(drop=True)
        long["value"] = values.to_numpy(dtype=object if plan.ratings else None).T.ravel()
        scores = map(plan.score_of, plan.values) if plan.across == "measure" else ()
        measures, who = zip(*scores, strict=True) if plan.across == "measure" else (plan.values, ())
        if plan.across != "measure" or "measure" not in plan.fields:
            long[plan.across] = np.repeat(np.array(measures, dtype=object), len(flat))
        if plan.ratings:
            long["assessor"] = np.repeat(np.array(who, dtype=object), len(flat))
    if "topic" not in long:
        long["topic"] = [*map(str, range(1, len(flat) + 1))] * len(plan.values)
    if plan.of_one_system:
        long["system"] = ONE_SYSTEM
    long = long.reset_index(drop=True)
    if "measure" not in long:
        long["measure"] = options.measure or unnamed
    for column, value in Target(options.length, options.form)._asdict().items():
        if value is not None:
            long[column] = value if column not in long else long[column].fillna(value)
    for column in ("length", "repeat"):
        if column in long:
            long[column] = _whole_numbers(long[column], name)
    for column in ("measure", "topic", "system"):
        if (absent := long[column].isna().to_numpy(dtype=bool)).any():
            raise DataError(f"{name}: row {int(absent.argmax()) % len(flat) + 1} has no {column}")
        long[column] = _names(long[column])
    for column in ("assessor", "reference", "form", "kind"):
        if column in long:
            long[column] = _names(long[column])
    long["value"], style = _values_of_frame(long["value"], name, options.decimal, len(flat), plan)
    _check_keys(long, flat, plan, name)
    absent = long["value"].isna()
    if absent.all():
        raise DataError(f"{name}: every score is missing")
    why = long["why"] if "why" in long else pd.Series(None, index=long.index, dtype=object)
    long["why"] = why.where(why.notna() | ~absent, f"missing in {name}").where(absent | why.notna(), None)
    notes = [f"column {quoted(column)} not used" for column in (*plan.unused, *plan.left_out)]
    notes += [f"read {words}" for words in style.findings]
    notes += [*plan.notes, *topic_notes]
    if plan.across == "system":
        long, more = _without_summary(long, plan.values, "topic" in plan.fields)
        words = scoretable.transposed_words(len(plan.values), len(flat))
        notes += [*more, *([words] if words else [])]
    return LongFrame(
        rows=long,
        descriptions=frozenset(plan.score_of(column)[0] for column in plan.descriptions),
        notes=tuple(f"{name}: {note}" for note in notes),
    )


def _check_keys(long: pd.DataFrame, flat: pd.DataFrame, plan: ScoreColumns, name: str) -> None:
    """Refuse two scores with the same key, with their rows."""
    keys = [column for column in KEY if column in long]
    twice = long.duplicated(keys).to_numpy()
    if not twice.any():
        return
    second = int(twice.argmax())
    same = np.ones(len(long), dtype=bool)
    for key in keys:
        value, column = long[key].iloc[second], long[key]
        same &= (column.isna() if pd.isna(value) else column == value).to_numpy(dtype=bool, na_value=False)
    first = int(same.argmax())
    score = {key: None if pd.isna(value := long[key].iloc[second]) else str(value) for key in keys}
    one, other = (
        dict(zip(flat.columns, _texts(flat.iloc[at % len(flat)]), strict=True)) for at in (first, second)
    )
    where = f"rows {first % len(flat) + 1:,} and {second % len(flat) + 1:,}"
    raise DataError(f"{name}: {scoretable.two_scores(score, where, one, other, plan.unused)}")


def _whole_numbers(column: pd.Series, name: str) -> pd.Series:
    """Lengths or repeats, as numbers."""
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = column.notna() & ~(numbers % 1 == 0)
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise DataError(
            f"{name}: row {row + 1}: {column.name} is {quoted(str(column.iloc[row]))}, expected a whole number;"
            f" if it is a measure, give it another name, or say {left_out(str(column.name))}"
        )
    return numbers


def _without_summary(
    long: pd.DataFrame, columns: Sequence[str], named: bool
) -> tuple[pd.DataFrame, list[str]]:
    """A matrix, column after column, without a last row that sums up the others, and what to say of its cells."""
    values = long["value"].to_numpy().reshape(len(columns), -1)
    height = values.shape[1]
    topic = str(long["topic"].iloc[height - 1]) if named else ""
    last = is_summary(topic)
    above = [_sums(column) for column in (values[:, :-1] if last else values)]
    if not last:
        return long, scoretable.odd_words(dict(zip(columns, above, strict=True)))
    cells = [(float(value), places_of(repr(float(value)))) for value in values[:, -1]]
    left, words = scoretable.summary_words(topic, above, cells)
    odd = scoretable.odd_words(dict(zip(columns, above, strict=True)))
    keep = np.arange(len(long)) % height != height - 1
    return long[keep].reset_index(drop=True) if left else long, [words, *odd]


def _sums(values: np.ndarray) -> ColumnSums:
    here = [float(value) for value in values if value == value]
    if not here:
        return ColumnSums()
    places = max(places_of(repr(value)) for value in here[:_PLACES_OF])
    return ColumnSums(len(here), math.fsum(here), min(here), max(here), places)


def _flat_frame(frame: pd.DataFrame, name: str, options: TableOptions) -> pd.DataFrame:
    """The frame with texts for the names of its columns, and what its index says in columns of its own."""
    if isinstance(frame.columns, pd.MultiIndex):
        frame = _stacked_frame(frame, name)
    names = {str(column).casefold() for column in frame.columns}
    has = {field for field in ("topic", "system") if names & {*scoretable.LONG[field]}}
    if _is_long(frame):
        has |= {"topic", "system"}
    first = "system" if options.transpose else "topic"
    index = frame.index
    if None in index.names and index.nlevels > 1:
        raise DataError(f"{name}: a level of its index has no name, expected names such as topic and system")
    if index.name is not None or index.nlevels > 1:
        frame = frame.reset_index(drop=index.name in frame.columns)
    elif first not in has and first not in (options.columns or {}) and not _begins_with_names(frame, options):
        frame = frame.rename_axis(index=first).reset_index()
    texts = [_name(column) for column in frame.columns]
    if twice := next((text for text, n in Counter(texts).items() if n > 1), None):
        raise DataError(f"{name}: two columns are named {quoted(twice)}")
    return frame.set_axis(texts, axis=1)


def _is_long(frame: pd.DataFrame) -> bool:
    """Whether columns with less usual names hold the topic and the system of every row."""
    usual = {field: {*LESS_USUAL[field]} for field in ("topic", "system")}
    header = [str(column) for column in frame.columns]
    if not all(any(plain(name) in names for name in header) for names in usual.values()):
        return False
    start = frame.head(_PLANNED_BY)
    columns = [_texts(start.iloc[:, k]) for k in range(len(header))]
    return scoretable.holds_scores(
        header, [dict(zip(header, row, strict=True)) for row in zip(*columns, strict=True)]
    )


def _begins_with_names(frame: pd.DataFrame, options: TableOptions) -> bool:
    """Whether the first column that is none of a known name holds names, and the index only numbers rows."""
    if not pd.api.types.is_integer_dtype(frame.index.dtype):
        return False
    left = options.leave_out if not isinstance(options.leave_out, str) else options.leave_out.split(",")
    skipped = {*scoretable.IN_MATRIX, *left}
    first = next((column for column in frame.columns if str(column).casefold() not in skipped), None)
    if first is None:
        return False
    told = names_rows(str(first), _texts(frame[first]))
    return told is not False and (isinstance(frame.index, pd.RangeIndex) or not _holds_numbers(frame[first]))


def _stacked_frame(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Columns of two levels, as `pivot` makes them, as rows: one level is the systems, the other the measures."""
    levels = [str(level).casefold() if level is not None else None for level in frame.columns.names]
    systems = [k for k, level in enumerate(levels) if level in scoretable.LONG["system"]]
    if len(levels) != 2 or len(systems) != 1:
        raise DataError(
            f"{name}: its columns have {len(levels)} levels ({listed([str(n) for n in frame.columns.names])}),"
            " expected one, or two of which one is named system"
        )
    named = ["system" if k == systems[0] else "measure" for k in range(2)]
    topics = frame.rename_axis(index=frame.index.name or "topic", columns=named)
    return topics.stack([0, 1], future_stack=True).rename("value").reset_index()


def _holds_numbers(column: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(column) or column.isna().all():
        return False
    return pd.api.types.is_numeric_dtype(column) or all(is_number(str(value)) for value in column.dropna())


def _texts(cells: pd.Series) -> list[str]:
    """Cells as a file would have them; what is missing is empty."""
    return ["" if absent else _name(cell) for cell, absent in zip(cells, cells.isna(), strict=True)]


def _names(column: pd.Series) -> pd.Series:
    """Names as texts; of categories and numbers too."""
    if pd.api.types.is_string_dtype(column) and not isinstance(column.dtype, pd.CategoricalDtype):
        return column.astype(str).where(column.notna(), None) if column.isna().any() else column.astype(str)
    texts = [None if absent else _name(value) for value, absent in zip(column, column.isna(), strict=True)]
    return pd.Series(texts, index=column.index, dtype=object)


def _name(value: object) -> str:
    """A name; whole numbers beside missing ones are floats in pandas."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _values_of_frame(
    column: pd.Series, name: str, decimal: str | None, rows: int, plan: ScoreColumns
) -> tuple[pd.Series, NumberStyle]:
    """Numbers, also where they are texts."""
    sign = check_decimal(decimal)
    style = NumberStyle(sign or ".", asked=sign is not None)
    texts = column.map(lambda value: isinstance(value, str)) if column.dtype.kind not in "fiu" else None
    if texts is not None and texts.any():
        if sign is None:
            try:
                style = style_of(column[texts])
            except UsageError as error:
                raise UsageError(f"{name}: {error.text}") from None
        if column[texts].str.strip().str.endswith("%").any():
            style = replace(style, percent=True)
        read = {}
        for text in column[texts].unique():
            try:
                read[text] = style.read(text)
            except ValueError as error:
                at = int((column == text).to_numpy().argmax())
                hint = (
                    scoretable.no_scores(plan.values[at // rows], text, plan.across)
                    if len(plan.values) > 1
                    else ""
                )
                raise DataError(
                    f"{name}: the score in {_place(at, rows, plan.values)} {error}{hint}"
                ) from None
        column = column.map(lambda value: read.get(value, value) if isinstance(value, str) else value)
    values = pd.to_numeric(column, errors="coerce").astype(float)
    wrong = ~column.isna() & ~values.map(math.isfinite)
    if wrong.any():
        at = int(wrong.to_numpy().argmax())
        place = _place(at, rows, plan.values)
        raise DataError(f"{name}: the score in {place} is {quoted(column.iloc[at])}, expected a number")
    return values, style


def _place(at: int, rows: int, across: Sequence[str]) -> str:
    """Where a value of a melted frame stood: the row, and of several columns which."""
    column = f" of column {quoted(across[at // rows])}" if len(across) > 1 else ""
    return f"row {at % rows + 1}{column}"


def topics_of_frame(long: pd.DataFrame, name: str) -> dict[str, Topic]:
    """What a long frame says of its topics; a missing value says nothing."""
    by_topic: dict[str, dict[str, str]] = {}
    for column in scoretable.OF_TOPICS:
        if column not in long:
            continue
        for topic, value in long[["topic", column]].dropna().drop_duplicates().itertuples(index=False):
            text = _name(value)
            if text and by_topic.setdefault(topic, {}).setdefault(column, text) != text:
                raise DataError(f"{name}: {two_values(topic, column, by_topic[topic][column], text)}")
    try:
        return {topic: Topic.parse({"topic": topic, **about}) for topic, about in by_topic.items()}
    except FormatError as error:
        raise DataError(f"{name}: {error.problem}") from None
