"""Tables of preferences, in and out: `winner,loser`, `left,right,winner`, `model_a,model_b,winner`.

The items are systems, or sentences by their text, as `adjudge prefer export` writes them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from adjudge.core.errors import DataError, FormatError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument, either
from adjudge.core.table import csv_text
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection
from adjudge.data.incoming import LeftOut
from adjudge.data.transaction import write_whole
from adjudge.formats import frames
from adjudge.formats.answers import MISSING, STRANGE_ANSWER, ImportedAnswers, Judgment
from adjudge.formats.crowd import NAMES, NO_WORKER, STRANGE_NAME, WINNERS
from adjudge.formats.files import MAPPED, Place, at_hand, mapped, one_of, read_cells, shown
from adjudge.formats.records import listed as listed_columns
from adjudge.formats.records import turned_round
from adjudge.formats.tabular import records_in
from adjudge.judgments.batch import Judgments
from adjudge.judgments.intake import Item
from adjudge.judgments.pairs.answers import (
    STRANGE,
    PreferenceRow,
    Preferences,
    batches_with_judgments,
    changed_notes,
    human_answers,
    kinds,
    sentence_rows,
    summary_rows,
)
from adjudge.judgments.pairs.sides import PairPool, pools_of
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.tasks import CROWD

if TYPE_CHECKING:
    import pandas as pd

Form = Literal["left-right", "models"]
FORMS: tuple[Form, ...] = get_args(Form)

COLUMNS: dict[str, tuple[str, ...]] = {
    "left": (*NAMES["left"], "a", "item_a", "option_a", "first", "model_1", "system_1", "model1", "system1"),
    "right": (
        *NAMES["right"],
        "b",
        "item_b",
        "option_b",
        "second",
        "model_2",
        "system_2",
        "model2",
        "system2",
    ),
    "winner": (
        "winner",
        *NAMES["label"],
        "preferred",
        "preference",
        "choice",
        "verdict",
        "outcome",
        "result",
        "chosen",
        "better",
        "won",
    ),
    "loser": ("loser", "rejected", "dispreferred", "worse", "lost"),
    "topic": NAMES["topic"],
    "assessor": NAMES["worker"],
    "weight": ("weight", "count"),
    "time": ("time", "answered_at", "timestamp", "tstamp"),
    "took_ms": ("took_ms", "duration_ms", "response_time_ms"),
    "tie": ("tie", "is_tie", "draw", "winner_tie"),
    "left_won": ("winner_model_a", "winner_a"),
    "right_won": ("winner_model_b", "winner_b"),
}
"""What a column means, by its name in lower case, the first one first."""

SIDES = {"a": "left", "b": "right"}
"""How people name the two who meet, beside left and right."""
SHAPES = "winner,loser, or a,b,winner, or model_a,model_b,winner"
YES, NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no", "")
NO_SIDES = "the table says who won and who lost, not what was shown first"

_WORDS: dict[Form, dict[str, str]] = {
    "left-right": {"left": "left", "right": "right"},
    "models": {"left": "model_a", "right": "model_b"},
}
_USUAL: dict[str, str | float] = {
    "topic": "",
    "assessor": "",
    "weight": 1.0,
    "time": "",
    "length": "",
    "form": "",
    "took_ms": math.nan,
}
"""Columns beside the three, with what each is where nothing is known."""
_TIES = tuple(word for word, winner in WINNERS.items() if winner == "tie")

NO_ANSWER, NO_NAME = "row without an answer", "row without two items"


# In


def read_preferences(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
) -> Preferences:
    """A table (CSV, TSV, Excel, Parquet, JSON), its columns in any order; `-` is standard input.

    `winner,loser`, or two items and who won: `a,b,winner`, `left,right,winner`, `model_a,model_b,winner` (a side's
    word, the winner's name, 1 or 2, a tie, skip), or a column for each outcome (`winner_model_a`, `winner_model_b`,
    `winner_tie`). `topic`, `assessor`, `weight`, `time` and `took_ms` where they are there; `columns` says which
    column is which where names do not. Rows without an answer are left out and counted; what cannot be told is one
    line.
    """
    with at_hand(Path(path)) as file:
        if (records := records_in(file, encoding=encoding)) is not None:
            if delimiter is not None:
                raise UsageError(
                    f"{Argument('delimiter')} is for a table of text (CSV or TSV), which {file} is not"
                )
            return _of_cells(*_cells_of(records)[:2], file, columns)
        cells = read_cells(file, delimiter=delimiter, encoding=encoding)
        rows = list(cells.rows)
        table = PreferenceTable.of(Place(file, 1), cells.header, columns or {}, [row for _, row in rows])
        notes = [f"{file.name}: {note.reason}" for note in cells.noted()]
        return table.preferences(((Place(file, line), row) for line, row in rows), file.name, notes)


PreferenceSource: TypeAlias = "str | Path | pd.DataFrame | Iterable[Sequence[object] | Mapping[str, object]]"


def preferences_of(source: PreferenceSource, *, columns: Mapping[str, str] | None = None) -> Preferences:
    """Preferences of a DataFrame with such columns, or of tuples: (winner, loser), or (a, b, winner)."""
    header, rows, name = _cells_of(source)
    return _of_cells(header, rows, Path(name), columns)


def _of_cells(
    header: Sequence[str], rows: Sequence[Sequence[str]], path: Path, columns: Mapping[str, str] | None
) -> Preferences:
    table = PreferenceTable.of(Place(path, 1), header, columns or {}, rows)
    return table.preferences(((Place(path, k), row) for k, row in enumerate(rows, 1)), path.name)


def _cells_of(source: object) -> tuple[list[str], list[list[str]], str]:
    """A table's header, its rows as texts, and what messages call it."""
    name = type(source).__name__
    if frames.is_table(source):
        source = list(frames.rows_of(source))
    if isinstance(source, Mapping | str | bytes) or not isinstance(source, Iterable):
        raise _no_preferences(name)
    entries = list(source)
    if entries and all(isinstance(row, Mapping) for row in entries):
        header = list(dict.fromkeys(key for row in entries for key in row))
        return (
            [str(key) for key in header],
            [[_plain(row.get(key)) for key in header] for row in entries],
            name,
        )
    if any(isinstance(row, str) or not isinstance(row, Sequence) for row in entries):
        raise _no_preferences(name)
    widths = {len(row) for row in entries}
    if widths in ({2}, {3}):
        header = ["winner", "loser"] if widths == {2} else ["a", "b", "winner"]
        return header, [[_plain(value) for value in row] for row in entries], name
    if not entries:
        raise DataError(f"no preferences in an empty {name}")
    raise UsageError(
        f"tuples of {', '.join(map(str, sorted(widths)))}, expected (winner, loser) or (a, b, winner) throughout"
    )


def _no_preferences(name: str) -> UsageError:
    return UsageError(
        f"preferences are {name}, expected a path, a DataFrame or a list of tuples: (winner, loser), or (a, b, winner)"
    )


def _plain(value: object) -> str:
    """A cell as a file would have it; what is missing is empty."""
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True)
class PreferenceTable:
    """What the columns of a table of preferences mean, and what its numbers for winners do."""

    header: tuple[str, ...]
    at: Mapping[str, int]
    sides: Mapping[str, str]
    """What a cell says of who won, beside the usual words: the names of the two columns, numbers."""

    @classmethod
    def of(
        cls, place: Place, header: Sequence[str], columns: Mapping[str, str], rows: Sequence[Sequence[str]]
    ) -> PreferenceTable:
        at = columns_of(place, header, columns)
        sides: dict[str, str] = {header[at[s]].lower(): s for s in ("left", "right") if s in at}
        if "winner" in at and "left" in at:
            sides |= _numbered(place, header[at["winner"]], at, rows)
        return cls(tuple(header), at, sides)

    def preferences(
        self, rows: Iterable[tuple[Place, Sequence[str]]], name: str, notes: Iterable[str] = ()
    ) -> Preferences:
        """The answers of all rows; columns that are not used are named."""
        left: Counter[str] = Counter()

        def taken() -> Iterator[PreferenceRow]:
            for place, row in rows:
                read = row_of(place, self.at, row, self.sides)
                if isinstance(read, str):
                    left[read] += 1
                else:
                    yield read

        preferences = Preferences.of(
            taken()
        )  # which reads to the end: only then is it known what was left out
        if not len(preferences) and not left and not preferences.left_out:
            raise FormatError("no preferences below the header", file=name)
        unused = [shown(column) for k, column in enumerate(self.header) if k not in self.at.values()]
        more_notes = (
            [f"{name}: {'columns' if len(unused) > 1 else 'column'} {listed(unused)} not used"]
            if unused
            else []
        )
        return replace(
            preferences,
            left_out={**left, **preferences.left_out},
            sided="loser" not in self.at,
            notes=(*notes, *more_notes),
        )


def _mapped(*fields: str) -> Argument:
    return Argument("columns", dict.fromkeys(fields, "COLUMN"), flag="map")


def columns_of(
    place: Place, header: Sequence[str], columns: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Where each thing stands: two items and a winner, or a winner and a loser, must be there."""
    columns = {SIDES.get(field, field): column for field, column in (columns or {}).items()}
    lower = [name.strip().lower() for name in header]
    at: dict[str, int] = {}
    for field, column in columns.items():
        if field not in COLUMNS:
            raise UsageError(
                f"{MAPPED} {quoted(field)}: no such field{turned_round(field, column, COLUMNS)};"
                f" there are: {', '.join(COLUMNS)}"
            )
        if column and column not in header:
            raise UsageError(
                f"{MAPPED}: {place.path} has no column {shown(column)}{nearest(column, header)};"
                f" it has: {', '.join(header)}"
            )
        if column:
            at[field] = list(header).index(column)
    for name, aliases in COLUMNS.items():
        place_of = next((lower.index(alias) for alias in aliases if alias in lower), None)
        if name not in columns and place_of is not None and place_of not in at.values():
            at[name] = place_of
    if {"left", "right"} <= at.keys():
        at.pop("loser", None)
        if "winner" in at or {"left_won", "right_won"} <= at.keys():
            return at
        raise place.wrong(f"no column that says who won among {', '.join(header)}: say {mapped('winner')}")
    if {"winner", "loser"} <= at.keys():
        return {name: k for name, k in at.items() if name not in ("left", "right")}
    missing = next(name for name in ("left", "right", "winner") if name not in at)
    raise place.wrong(
        f"no column {shown(missing)}; expected {SHAPES}, found: {listed_columns(header)}; say which is which, such as"
        f" {_mapped('winner', 'loser')}, or {_mapped('left', 'right', 'winner')}; where they are scores, say:"
        f" {either('adjudge.compare', f'adjudge compare {place.path}')}"
    )


def _numbered(
    place: Place, column: str, at: Mapping[str, int], rows: Sequence[Sequence[str]]
) -> dict[str, str]:
    """What numbers mean as winners: 1 the first and 2 the second, 0 a tie beside these. Other numbers do not tell."""
    labels = {row[at["winner"]].strip() for row in rows}
    names = {row[at[side]].strip() for row in rows for side in ("left", "right")}
    numbers = {label for label in labels - names if re.fullmatch(r"-?[0-9]+(\.0)?", label)}
    if not numbers:
        return {}
    values = {int(float(label)) for label in numbers}
    if 2 not in values or not values <= {0, 1, 2}:
        raise place.wrong(
            f"{shown(column)} holds {', '.join(sorted(numbers))}: which of the two that means cannot be told; write a,"
            " b or tie (1 and 2 are the first and the second, 0 beside them is a tie)"
        )
    return {label: ("tie", "left", "right")[int(float(label))] for label in numbers}


def row_of(
    place: Place, at: Mapping[str, int], row: Sequence[str], sides: Mapping[str, str] | None = None
) -> PreferenceRow | str:
    """An answer, or why the row holds none."""
    cells = {name: row[column].strip() for name, column in at.items()}
    if "loser" in at:
        won, lost = cells["winner"], cells["loser"]
        if not won or not lost:
            return NO_NAME
        # Names in their order, so that nobody is always first: what was shown first is not known.
        left, right = sorted((won, lost))
        winner = "tie" if _yes(place, "tie", cells.get("tie", "")) else "left" if won == left else "right"
    else:
        left, right = cells["left"], cells["right"]
        if not left or not right:
            return NO_NAME
        side = _winner_of(place, cells, left, right, sides or {})
        if side is None:
            return NO_ANSWER
        winner = side
    return PreferenceRow(
        left=left,
        right=right,
        winner=winner,
        topic=cells.get("topic", ""),
        assessor=cells.get("assessor", ""),
        weight=_number_in(place, "weight", cells.get("weight", ""), 1.0),
        time=cells.get("time", ""),
        took_ms=_number_in(place, "took_ms", cells.get("took_ms", ""), math.nan),
    )


def _winner_of(
    place: Place, cells: Mapping[str, str], left: str, right: str, sides: Mapping[str, str]
) -> str | None:
    """left, right, tie or skip; None where the row has no answer."""
    if "winner" not in cells:
        outcomes = {
            side: _yes(place, field, cells.get(field, ""))
            for side, field in (("left", "left_won"), ("right", "right_won"), ("tie", "tie"))
        }
        if sum(outcomes.values()) > 1:
            raise place.wrong(
                f"several outcomes of one pair: {', '.join(k for k, v in outcomes.items() if v)}"
            )
        return next((side for side, won in outcomes.items() if won), None)
    label = cells["winner"]
    if label.lower() in MISSING and label not in (left, right):
        return "tie" if _yes(place, "tie", cells.get("tie", "")) else None
    named = label in (left, right)
    winner = side_of(label, left, right) if named else sides.get(label.lower()) or side_of(label, left, right)
    if winner is None:
        raise place.wrong(
            f"{shown('winner')} is {shown(label)}, expected left, right, tie, skip, model_a, model_b"
            f" or the name of one of the two, {shown(left)} and {shown(right)}"
        )
    return winner


def _yes(place: Place, column: str, cell: str) -> bool:
    if cell.lower() not in (*YES, *NO):
        raise place.wrong(f"{shown(column)} is {shown(cell)}, expected 1 or 0")
    return cell.lower() in YES


def side_of(label: str, left: str, right: str) -> str | None:
    """Who won, as a side: by name first, then by the side's word, then by name whatever its case; None otherwise."""
    by_name = {right: "right", left: "left"}
    if won := by_name.get(label) or WINNERS.get(label.lower()):
        return won
    in_any_case = [side for name, side in by_name.items() if name.casefold() == label.casefold()]
    return in_any_case[0] if len(in_any_case) == 1 else None


def _number_in(place: Place, column: str, cell: str, otherwise: float) -> float:
    if not cell:
        return otherwise
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if not 0 <= value < float("inf"):
        raise place.wrong(f"{shown(column)} is {shown(cell)}, expected a number, 0 or more")
    return value


# Out


@dataclass(frozen=True)
class ExportedAnswers:
    """How many answers were written, and what was left out."""

    answers: int
    notes: tuple[str, ...] = ()


def export_answers(
    collection: Collection,
    judgments: Judgments,
    path: str | Path,
    *,
    of: str | None = None,
    form: Form = "left-right",
    topics: Sequence[str] = (),
) -> ExportedAnswers:
    """A folder's answers as a CSV file: about sentences, by their texts, or about summaries, by their systems.

    What cannot be written is counted: an answer about a sentence that the documents no longer have.
    """
    asked_of = kinds(judgments)
    chosen = of or (next(iter(asked_of)) if len(asked_of) == 1 else None)
    if chosen is None:
        if not asked_of:
            raise DataError("no preferences yet; bring them in with: adjudge prefer import")
        both = " or ".join(str(Argument("of", kind)) for kind in ("sentences", "summaries"))
        raise UsageError(f"there are answers about sentences and about summaries: say {both}")
    batches = list(batches_with_judgments(collection, judgments, topics))
    rows_of = sentence_rows if chosen == "sentences" else summary_rows
    written = write_preferences(path, (row for batch in batches for row in rows_of(batch)), form=form)
    notes = changed_notes(judgments, topics)
    if chosen == "sentences":
        strange = sum(human_answers(batch).left_out.get(STRANGE, 0) for batch in batches)
        notes += [f"{counted(strange, 'answer')} left out: {STRANGE}"] * bool(strange)
    return ExportedAnswers(answers=written, notes=tuple(notes))


def write_preferences(
    path: str | Path, answers: Iterable[PreferenceRow], *, form: Form = "left-right"
) -> int:
    """Writes answers as a CSV file that `read_preferences` reads as the same; says how many.

    Columns that nothing is known for are left out.
    """
    one_of("form", form, FORMS)
    rows = list(answers)
    words = _WORDS[form]
    extra = [
        name
        for name, usual in _USUAL.items()
        if any(not _unknown(value) and value != usual for value in (getattr(row, name) for row in rows))
    ]
    lines = [
        [row.left, row.right, _word(row, words), *(_cell(getattr(row, name)) for name in extra)]
        for row in rows
    ]
    write_table(path, [words["left"], words["right"], "winner", *extra], lines)
    return len(rows)


def write_table(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file in UTF-8 with plain line ends; no cell is a formula."""
    write_whole(Path(path), csv_text([header, *rows]))


def _unknown(value: str | float) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _cell(value: str | float) -> str:
    if _unknown(value):
        return ""
    return value if isinstance(value, str) else f"{value:.17g}" if value % 1 else f"{value:.0f}"


def _word(row: PreferenceRow, words: Mapping[str, str]) -> str:
    """The winner as it reads back: an item may be called `right`, or `tie`."""
    if row.winner in words:
        named = row.left if row.winner == "left" else row.right
        choices: tuple[str, ...] = (words[row.winner], named)
    else:
        choices = _TIES if row.winner == "tie" else ("skip",)
    for word in choices:
        if side_of(word, row.left, row.right) == row.winner:
            return word
    raise DataError(
        f"{quoted(row.left)} against {quoted(row.right)}: no word for a {row.winner} that is not one of their names"
    )


# Sentences, on their way into the store

UNKNOWN = LeftOut("row about a text that is no sentence of its topic's documents")
SAME = LeftOut("row that compares a sentence with itself")


def is_about_sentences(path: str | Path, collection: Collection, protocol: Protocol) -> bool:
    """Whether the first row with two items names a sentence of its topic."""
    path = Path(path)
    header, rows, *_ = read_cells(path)
    lower = [name.lower() for name in header]
    if not {"left", "right", "topic"} <= set(lower):
        return False
    for _, row in rows:
        topic, left, right = (row[lower.index(name)].strip() for name in ("topic", "left", "right"))
        if left and right:
            sides = [{"text": text} for text in (left, right)]
            pools = pools_of(collection, topic, protocol)
            return any(pool.number(side, None) is not None for pool in pools for side in sides)
    return False


def read_sentence_answers(
    path: str | Path, collection: Collection, protocol: Protocol, *, evaluation: str
) -> Iterator[Item]:
    """Tasks and answers, for `judgments.intake.take`: topic, left, right, winner; assessor where it is known."""
    path = Path(path)
    cells = read_cells(path)
    header, rows, *_ = cells
    yield from map(Place(path, 1).item, cells.noted())
    at = columns_of(Place(path, 1), header)
    filled = ImportedAnswers(evaluation, protocol)
    pools: dict[str, PairPool | None] = {}
    for line, row in rows:
        place = Place(path, line)
        read = row_of(place, at, row)
        if isinstance(read, str):
            yield place.item(LeftOut(read))
            continue
        if read.topic not in pools:
            pools[read.topic] = next(iter(pools_of(collection, read.topic, protocol)), None)
        pool = pools[read.topic]
        left, right = (
            None if pool is None else pool.number({"text": text}, None) for text in (read.left, read.right)
        )
        if pool is None or left is None or right is None or left == right:
            yield place.item(SAME if left is not None and left == right else UNKNOWN)
            continue
        answer = {"winner": read.winner}
        try:
            protocol.check(PREFERENCE, answer)
        except DataError:
            yield place.item(STRANGE_ANSWER)
            continue
        try:
            who = place.name("assessor", read.assessor) if read.assessor else CROWD
        except FormatError:
            yield place.item(STRANGE_NAME)
            continue
        if not read.assessor:
            yield place.item(NO_WORKER)
        hashes = {"left": pool.hashes[left], "right": pool.hashes[right]}
        judgment = Judgment(who, read.topic, left=pool.sides[left], right=pool.sides[right], hashes=hashes)
        yield from filled.items(place, judgment, {PREFERENCE: answer})
