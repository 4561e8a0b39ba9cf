"""CSV files of preferences, in and out: `left,right,winner` and `model_a,model_b,winner`.

The items are systems, or sentences by their text, as `adjudge prefer export` writes them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from adjudge.data.collection import Collection
from adjudge.data.incoming import LeftOut
from adjudge.data.transaction import write_whole
from adjudge.errors import DataError, FormatError, UsageError, quoted
from adjudge.formats.answers import MISSING, STRANGE_ANSWER, ImportedAnswers, Judgment
from adjudge.formats.crowd import NAMES, NO_WORKER, STRANGE_NAME, WINNERS
from adjudge.formats.files import Place, one_of, read_cells, shown
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
from adjudge.table import csv_text
from adjudge.wording import counted

Form = Literal["left-right", "models"]
FORMS: tuple[Form, ...] = get_args(Form)

COLUMNS: dict[str, tuple[str, ...]] = {
    "left": NAMES["left"],
    "right": NAMES["right"],
    "winner": ("winner", *NAMES["label"]),
    "topic": NAMES["topic"],
    "assessor": NAMES["worker"],
    "weight": ("weight", "count"),
    "time": ("time", "answered_at", "timestamp", "tstamp"),
    "took_ms": ("took_ms", "duration_ms", "response_time_ms"),
}
"""What a column means, by its name in lower case, the first one first."""

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


def read_preferences(path: str | Path, *, delimiter: str | None = None) -> Preferences:
    """A CSV or TSV file with a header: two items, who won, and what else is known.

    `left,right,winner` (left, right, tie, skip, or the winner's name) or `model_a,model_b,winner` (model_a, model_b,
    tie, tie (bothbad)); `topic`, `assessor`, `weight`, `time` and `took_ms` where they are there. Rows without an
    answer are left out and counted; a winner that is none of the two, or a weight that is no number, is one line.
    """
    path = Path(path)
    header, rows, _ = read_cells(path, delimiter=delimiter)
    at = columns_of(Place(path, 1), header)
    left: Counter[str] = Counter()

    def taken() -> Iterator[PreferenceRow]:
        for line, row in rows:
            read = row_of(Place(path, line), at, row)
            if isinstance(read, str):
                left[read] += 1
            else:
                yield read

    found = Preferences.of(taken())  # which reads to the end: only then is it known what was left out
    if not len(found) and not left and not found.left_out:
        raise FormatError("no preferences below the header", file=path)
    return replace(found, left_out={**left, **found.left_out})


def columns_of(place: Place, header: Sequence[str]) -> dict[str, int]:
    """Where each thing stands; two items and a winner must be there."""
    lower = [name.lower() for name in header]
    at: dict[str, int] = {}
    for name, known in COLUMNS.items():
        found = next((lower.index(each) for each in known if each in lower), None)
        if found is not None and found not in at.values():
            at[name] = found
    if missing := next((name for name in ("left", "right", "winner") if name not in at), None):
        raise place.wrong(
            f"no column {shown(missing)}; expected left,right,winner or model_a,model_b,winner,"
            f" found: {', '.join(header)}"
        )
    return at


def row_of(place: Place, at: Mapping[str, int], row: Sequence[str]) -> PreferenceRow | str:
    """An answer, or why the row holds none."""
    cells = {name: row[column].strip() for name, column in at.items()}
    left, right, label = cells["left"], cells["right"], cells["winner"]
    if not left or not right:
        return NO_NAME
    if label.lower() in MISSING and label not in (left, right):
        return NO_ANSWER
    winner = side_of(label, left, right)
    if winner is None:
        raise place.wrong(
            f"{shown('winner')} is {shown(label)}, expected left, right, tie, skip, model_a, model_b"
            " or the name of one of the two"
        )
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


def side_of(label: str, left: str, right: str) -> str | None:
    """Who won, as a side: by name first, then by the side's word; None for anything else."""
    by_name = {right: "right", left: "left"}
    return by_name.get(label) or WINNERS.get(label.lower())


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
    found = kinds(judgments)
    chosen = of or (next(iter(found)) if len(found) == 1 else None)
    if chosen is None:
        if not found:
            raise DataError("no preferences yet; bring them in with: adjudge prefer import")
        raise UsageError(
            "there are answers about sentences and about summaries: say --of sentences or --of summaries"
        )
    batches = list(batches_with_judgments(collection, judgments, topics))
    rows_of = sentence_rows if chosen == "sentences" else summary_rows
    written = write_preferences(path, (row for batch in batches for row in rows_of(batch)), form=form)
    notes = changed_notes(judgments, topics)
    if chosen == "sentences":
        strange = sum(human_answers(batch).left_out.get(STRANGE, 0) for batch in batches)
        notes += [f"{counted(strange, 'answer')} left out: {STRANGE}"] * bool(strange)
    return ExportedAnswers(answers=written, notes=tuple(notes))


def write_preferences(path: str | Path, given: Iterable[PreferenceRow], *, form: Form = "left-right") -> int:
    """Writes answers as a CSV file that `read_preferences` reads as the same; says how many.

    Columns that nothing is known for are left out.
    """
    one_of("form", form, FORMS)
    rows = list(given)
    words = _WORDS[form]
    extra = [
        name
        for name, usual in _USUAL.items()
        if any(not _unknown(value) and value != usual for value in (getattr(each, name) for each in rows))
    ]
    lines = [
        [each.left, each.right, _word(each, words), *(_cell(getattr(each, name)) for name in extra)]
        for each in rows
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


def _word(each: PreferenceRow, words: Mapping[str, str]) -> str:
    """The winner as it reads back: an item may be called `right`, or `tie`."""
    if each.winner in words:
        named = each.left if each.winner == "left" else each.right
        choices: tuple[str, ...] = (words[each.winner], named)
    else:
        choices = _TIES if each.winner == "tie" else ("skip",)
    for word in choices:
        if side_of(word, each.left, each.right) == each.winner:
            return word
    raise DataError(
        f"{quoted(each.left)} against {quoted(each.right)}: no word for a {each.winner} that is not one of their names"
    )


# Sentences, on their way into the store

UNKNOWN = LeftOut("row about a text that is no sentence of its topic's documents")
SAME = LeftOut("row that compares a sentence with itself")


def is_about_sentences(path: str | Path, collection: Collection, protocol: Protocol) -> bool:
    """Whether the first row with two items names a sentence of its topic."""
    path = Path(path)
    header, rows, _ = read_cells(path)
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
    header, rows, _ = cells
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
