"""Bare CSV files of preferences, in and out: `left,right,winner` and `model_a,model_b,winner`. No folder, no fit."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar, get_args

import numpy as np

from adjudge.data.collection import Collection
from adjudge.data.incoming import LeftOut
from adjudge.errors import DataError, FormatError, nearest, quoted
from adjudge.formats.answers import MISSING, STRANGE_ANSWER, Answers, Judgment
from adjudge.formats.cells import read_cells
from adjudge.formats.crowd import NAMES, NO_WORKER, STRANGE_NAME, WINNERS
from adjudge.formats.files import Place, one_of, shown
from adjudge.judgments.intake import Item
from adjudge.judgments.pairs.pools import Pool, pools_of
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.store.anonymous import CROWD
from adjudge.measures.judged.pairs import WON
from adjudge.stats.preference.answers import Answers

K = TypeVar("K")
Form = Literal["left-right", "models"]
FORMS: tuple[Form, ...] = get_args(Form)

COLUMNS: dict[str, tuple[str, ...]] = {
    "left": NAMES["left"],
    "right": NAMES["right"],
    "winner": ("winner", *NAMES["label"]),
    "topic": NAMES["topic"],
    "annotator": NAMES["worker"],
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
    "annotator": "",
    "weight": 1.0,
    "time": "",
    "length": "",
    "took_ms": math.nan,
}
"""Columns beside the three, with what each is where nothing is known."""
_TIES = tuple(word for word, winner in WINNERS.items() if winner == "tie")

NO_ANSWER, SKIPPED = "row without an answer", "row that was skipped"
NO_NAME, SAME = "row without two items", "row that holds an item against itself"


@dataclass(frozen=True, slots=True)
class Preference:
    """One answer, by name. `winner` is left, right, tie or skip; what is not known is empty."""

    left: str
    right: str
    winner: str
    topic: str = ""
    annotator: str = ""
    weight: float = 1.0
    time: str = ""
    length: str = ""
    """Of two summaries, in words; written for importers, and of no use to a fit."""
    took_ms: float = math.nan


@dataclass(frozen=True)
class Preferences:
    """Answers as arrays, with the names of what they number: items, annotators, topics (the clusters).

    `annotators` and `topics` are empty where nothing says who answered, or on what. `left_out` counts by reason.
    """

    items: tuple[str, ...]
    answers: Answers
    annotators: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    """When each was answered, as it was written; empty where nothing says so."""
    took_ms: tuple[float, ...] = ()
    """How long each took, NaN where nothing says so; empty where nothing ever does."""
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        given: Iterable[Preference],
        *,
        items: Iterable[str] = (),
        left_out: Mapping[str, int] | None = None,
    ) -> Preferences:
        """From answers by name, numbered as they come; `items` come first, those that nobody was asked about too."""
        names = {item: number for number, item in enumerate(items)}
        people: dict[str, int] = {}
        topics: dict[str, int] = {}
        left = Counter(left_out or {})
        columns: list[list[float]] = [[], [], [], [], [], []]
        times: list[str] = []
        took: list[float] = []
        for each in given:
            if why := _no_answer(each):
                left[why] += 1
                continue
            row = (
                _number(names, each.left),
                _number(names, each.right),
                WON[each.winner],
                each.weight,
                _number(people, each.annotator) if each.annotator else -1,
                _number(topics, each.topic),
            )
            for column, value in zip(columns, row, strict=True):
                column.append(value)
            times.append(each.time)
            took.append(each.took_ms)
        first, second, won, weight, who, cluster = (np.array(column, dtype=np.float64) for column in columns)
        answers = Answers(len(names), first, second, won, weight, who, cluster)  # type: ignore[arg-type]
        known = tuple(topics) if any(topics) else ()
        return cls(
            tuple(names),
            answers,
            tuple(people),
            known,
            tuple(times) if any(times) else (),
            () if all(map(math.isnan, took)) else tuple(took),
            dict(left),
        )

    def __len__(self) -> int:
        return len(self.answers)

    def rows(self) -> Iterator[Preference]:
        """The answers by name again."""
        a = self.answers
        sides = {1.0: "left", 0.0: "right", 0.5: "tie"}
        for k in range(len(a)):
            if a.won[k] not in sides:
                raise DataError(
                    f"an answer is worth {a.won[k]:g} of a win: only whole and half wins have a word"
                )
            yield Preference(
                self.items[a.first[k]],
                self.items[a.second[k]],
                sides[float(a.won[k])],
                self.topics[a.cluster[k]] if self.topics else "",
                self.annotators[a.who[k]] if a.who[k] >= 0 else "",
                float(a.weight[k]),
                self.times[k] if self.times else "",
                took_ms=self.took_ms[k] if self.took_ms else math.nan,
            )

    def only(self, topics: Sequence[str]) -> Preferences:
        """The answers on some topics."""
        for topic in topics:
            if topic not in self.topics:
                raise DataError(f"no answer on a topic {quoted(topic)}{nearest(topic, self.topics)}")
        return Preferences.of((each for each in self.rows() if each.topic in topics), left_out=self.left_out)


def _number(known: dict[K, int], name: K) -> int:
    return known.setdefault(name, len(known))


def _no_answer(each: Preference) -> str | None:
    if each.winner == "skip":
        return SKIPPED
    return SAME if each.left == each.right else None


# In


def read_preferences(path: str | Path, *, delimiter: str | None = None) -> Preferences:
    """A CSV or TSV file with a header: two items, who won, and what else is known.

    `left,right,winner` (left, right, tie, skip, or the winner's name) or `model_a,model_b,winner` (model_a, model_b,
    tie, tie (bothbad)); `topic`, `annotator`, `weight`, `time` and `took_ms` where they are there. Rows without an
    answer are left out and counted; a winner that is none of the two, or a weight that is no number, is one line.
    """
    path = Path(path)
    header, rows = read_cells(path, delimiter=delimiter)
    at = columns_of(Place(path, 1), header)
    left: Counter[str] = Counter()

    def taken() -> Iterator[Preference]:
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


def row_of(place: Place, at: Mapping[str, int], row: Sequence[str]) -> Preference | str:
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
    return Preference(
        left,
        right,
        winner,
        cells.get("topic", ""),
        cells.get("annotator", ""),
        _number_in(place, "weight", cells.get("weight", ""), 1.0),
        cells.get("time", ""),
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


def write_preferences(path: str | Path, given: Iterable[Preference], *, form: Form = "left-right") -> int:
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
    """A CSV file in UTF-8 with plain line ends."""
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None


def _unknown(value: str | float) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _cell(value: str | float) -> str:
    if _unknown(value):
        return ""
    return value if isinstance(value, str) else f"{value:.17g}" if value % 1 else f"{value:.0f}"


def _word(each: Preference, words: Mapping[str, str]) -> str:
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


UNKNOWN = LeftOut("row about a text that is no sentence of its topic's documents")
SAME = LeftOut("row that holds a sentence against itself")


def is_about_sentences(path: str | Path, collection: Collection, protocol: Protocol) -> bool:
    """Whether the first row with two items names a sentence of its topic."""
    path = Path(path)
    header, rows = read_cells(path)
    lower = [name.lower() for name in header]
    if not {"left", "right", "topic"} <= set(lower):
        return False
    for _, row in rows:
        topic, left, right = (row[lower.index(name)].strip() for name in ("topic", "left", "right"))
        if left and right:
            pools = pools_of(collection, topic, protocol)
            return any(left in pool.texts or right in pool.texts for pool in pools)
    return False


def read_sentence_answers(
    path: str | Path, collection: Collection, protocol: Protocol, *, evaluation: str
) -> Iterator[Item]:
    """Tasks and answers, for `judgments.intake.take`: topic, left, right, winner; annotator where it is known."""
    path = Path(path)
    header, rows = read_cells(path)
    at = columns_of(Place(path, 1), header)
    filled = Answers(evaluation, protocol)
    known: dict[str, tuple[Pool, Mapping[str, int]] | None] = {}
    for line, row in rows:
        place = Place(path, line)
        read = row_of(place, at, row)
        if isinstance(read, str):
            yield place.item(LeftOut(read))
            continue
        if read.topic not in known:
            pools = pools_of(collection, read.topic, protocol)
            known[read.topic] = (
                (pools[0], {text: k for k, text in enumerate(pools[0].texts)}) if pools else None
            )
        found = known[read.topic]
        left, right = (None, None) if found is None else (found[1].get(t) for t in (read.left, read.right))
        if found is None or left is None or right is None or left == right:
            yield place.item(SAME if left is not None and left == right else UNKNOWN)
            continue
        answer = {"winner": read.winner}
        try:
            protocol.check(PREFERENCE, answer)
        except DataError:
            yield place.item(STRANGE_ANSWER)
            continue
        try:
            who = place.name("annotator", read.annotator) if read.annotator else CROWD
        except FormatError:
            yield place.item(STRANGE_NAME)
            continue
        if not read.annotator:
            yield place.item(NO_WORKER)
        pool = found[0]
        hashes = {"left": pool.hashes[left], "right": pool.hashes[right]}
        judgment = Judgment(who, read.topic, left=pool.sides[left], right=pool.sides[right], hashes=hashes)
        yield from filled.items(place, judgment, {PREFERENCE: answer})
