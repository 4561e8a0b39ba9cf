"""Ratings and preferences as crowds give them: CSV or TSV, an answer a row or a column per aspect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import FormatError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import System, Topic
from adjudge.data.target import FORMS, Target
from adjudge.formats.answers import (
    MISSING,
    NO_ANSWER,
    STRANGE_ANSWER,
    ImportedAnswers,
    Judgment,
    aspect_question,
    protocol_of_kind,
    rating,
)
from adjudge.formats.files import (
    EMPTY_FILE,
    TABLES,
    Once,
    Paths,
    Place,
    Unused,
    from_files,
    one_of,
    read_cells,
    shown,
)
from adjudge.judgments.kinds.preference import PreferenceProtocol
from adjudge.judgments.kinds.rating import RatingProtocol
from adjudge.judgments.protocol import PREFERENCE, RATING, Protocol
from adjudge.judgments.tasks import CROWD, TextRef

if TYPE_CHECKING:
    from adjudge.judgments.intake import Item

PROTOCOL = "rating"
NAMES: dict[str, tuple[str, ...]] = {
    "task": ("task", "task_id", "item", "item_id"),
    "topic": ("topic", "topic_id", "doc_id", "question_id"),
    "system": ("system", "system_id", "model", "model_id", "summarizer"),
    "length": ("length",),
    "form": ("form",),
    "worker": ("worker", "worker_id", "workerid", "assessor", "annotator", "annotator_id", "judge"),
    "label": ("label", "answer", "rating", "score", "value", "winner", "response"),
    "left": ("left", "model_a", "system_a"),
    "right": ("right", "model_b", "system_b"),
}
"""What a column means, by its name in lower case, the first one first."""
ANSWER_COLUMNS = frozenset(("task", "question", "assessor", "origin", "protocol", "version", "answer", "seq"))
"""Columns by which our own table of answers is known (answer_table.py)."""
_SIDES = {
    "left": (
        "left",
        "a",
        "model_a",
        "system_a",
        "first",
        "option_a",
        "response_a",
        "summary_a",
        "assistant_a",
    ),
    "right": (
        "right",
        "b",
        "model_b",
        "system_b",
        "second",
        "option_b",
        "response_b",
        "summary_b",
        "assistant_b",
    ),
    "tie": (
        *("tie", "draw", "equal", "both", "tie (bothbad)", "tied", "same", "neither", "=", "no preference"),
        *("bothbad", "both bad", "both_bad", "both good", "both_good", "bothgood", "neutral"),
    ),
    "skip": ("skip", "skipped"),
}
WINNERS = {word: side for side, words in _SIDES.items() for word in words}
"""What a cell says of who won, by its text in lower case."""

NO_TASK = LeftOut("row whose task is not TOPIC/SYSTEM")
NO_PAIR = LeftOut("row whose task is not TOPIC/LEFT/RIGHT")
NO_NAME = LeftOut("row without a topic or a system")
STRANGE_NAME = LeftOut("row with a name or a length that cannot be one")
STRANGE_FORM = LeftOut(f"row with a form that is none of: {', '.join(FORMS)}")
SAME_SYSTEM = LeftOut("row that compares a system with itself")
NO_WORKER = Noted(f"row that does not say who answered: the assessor is {CROWD!r}")


def read(
    paths: Paths,
    *,
    evaluation: str,
    aspect: str | None = None,
    protocol: str = PROTOCOL,
    length: int | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Topics, systems, tasks and answers of CSV or TSV files, or of every one in a folder.

    A row says what was judged (`task`, TOPIC/SYSTEM, or `topic` and `system`; for preferences TOPIC/LEFT/RIGHT, or
    `topic`, `left` and `right`), who did (`worker`), and the answer: `label`, on `aspect`, or a column per aspect of
    the protocol. `length` and `form` hold where a row has none. `columns` says which column is which where names do
    not. A worker's second answer is a repeat.
    """
    one_of("form", form, FORMS)
    filled = ImportedAnswers(evaluation, protocol_of_kind(protocol, RatingProtocol, PreferenceProtocol))
    if aspect is not None and filled.protocol.compares is None:
        aspect_question(filled.protocol, aspect)
    mapped = dict(columns or {})
    if strange := next((name for name in mapped if name not in NAMES), None):
        raise UsageError(
            f"{_named(strange, '...')}: expected one of: {', '.join(NAMES)}{nearest(strange, NAMES)}"
        )
    intake = _CrowdIntake(answers=filled, aspect=aspect, target=Target(length, form), column_names=mapped)

    def table(path: Path) -> Iterator[Item]:
        cells = read_cells(path, delimiter=delimiter, quotes=quotes, max_line=max_line, encoding=encoding)
        if set(cells.header) >= ANSWER_COLUMNS:
            raise FormatError(
                "the table of answers that `judgments export` writes for spreadsheets, which cannot be read back;"
                " export to a .jsonl file, and: adjudge judgments import records",
                file=path,
            )
        yield from map(Place(path, 1).item, cells.noted())
        yield from intake.file(path, cells.header, cells.rows)

    yield from from_files(paths, table, TABLES)


def _named(meaning: str, column: str = "NAME") -> Argument:
    return Argument("columns", {meaning: column}, flag="map")


@dataclass(frozen=True)
class _CrowdColumns:
    """Which column is what: `at` by meaning, `aspects` those of a wide table by question."""

    at: Mapping[str, int]
    aspects: Mapping[str, int]

    def cell(self, row: Sequence[str], name: str) -> str:
        return row[self.at[name]].strip() if name in self.at else ""


@dataclass
class _CrowdIntake:
    """One import: what is asked for, and which topics and systems have been described."""

    answers: ImportedAnswers
    aspect: str | None
    target: Target
    column_names: Mapping[str, str]
    once: Once = field(default_factory=Once)

    @property
    def protocol(self) -> Protocol:
        return self.answers.protocol

    def file(self, path: Path, header: list[str], rows: Iterable[tuple[int, list[str]]]) -> Iterator[Item]:
        place = Place(path, 1)
        columns = self.columns(place, header)
        used = {*columns.at.values(), *columns.aspects.values()}
        yield from Unused()(place, (name for at, name in enumerate(header) if at not in used))
        empty = True
        for line, row in rows:
            empty = False
            yield from self.row(Place(path, line), columns, row)
        if empty:
            yield str(path), EMPTY_FILE

    def columns(self, place: Place, header: list[str]) -> _CrowdColumns:
        lower = [name.lower() for name in header]
        at: dict[str, int] = {}
        for name, usual in NAMES.items():
            wanted = (self.column_names[name].lower(),) if name in self.column_names else usual
            position = next((lower.index(column) for column in wanted if column in lower), None)
            if name in self.column_names and position is None:
                column = self.column_names[name]
                raise place.wrong(f"no column {quoted(column)}{nearest(column, header)}")
            if position is not None and position not in at.values():
                at[name] = position
        needed = ("topic", "system") if self.protocol.compares is None else ("topic", "left", "right")
        if "task" not in at and (missing := next((name for name in needed if name not in at), None)):
            raise place.wrong(
                f"no column {shown('task')} and no column {shown(missing)}; name it with {_named(missing)}"
            )
        aspects: dict[str, int] = {}
        if self.protocol.compares is None:
            aspects = self._aspects(place, lower, at)
        elif "label" not in at:
            raise place.wrong(f"no column that says who won, such as winner; name it with {_named('label')}")
        return _CrowdColumns(at=at, aspects=aspects)

    def _aspects(self, place: Place, lower: list[str], at: dict[str, int]) -> dict[str, int]:
        """The columns that hold ratings: the label's, or one per aspect."""
        aspect_names = {q.id: q.id.removeprefix(RATING).lower() for q in self.protocol.questions}
        wide = {
            id: lower.index(name)
            for id, name in aspect_names.items()
            if name in lower and lower.index(name) not in at.values()
        }
        if self.aspect is not None:
            question = aspect_question(self.protocol, self.aspect)
            if "label" in at:
                return {question: at["label"]}
            wide = {id: column for id, column in wide.items() if id == question}
        if not wide:
            asked = f', or say {Argument("aspect")}: what "label" rates' if "label" in at else ""
            raise place.wrong(
                f"no column for an aspect of {self.protocol.name} ({', '.join(aspect_names.values())}){asked}"
            )
        at.pop("label", None)  # not used where there is a column per aspect, and named as such
        return wide

    def row(self, place: Place, columns: _CrowdColumns, row: Sequence[str]) -> Iterator[Item]:
        pair = self.protocol.compares is not None
        names = _pair(columns, row) if pair else _subject(columns, row)
        if isinstance(names, LeftOut):
            yield place.item(names)
            return
        form = columns.cell(row, "form").lower() or self.target.form
        if form not in (None, *FORMS):
            yield place.item(STRANGE_FORM)
            return
        worker = columns.cell(row, "worker")
        try:
            topic = place.row(Topic, {"topic": names[0]})
            systems = [place.row(System, {"system": name}) for name in names[1:]]
            assessor = place.name("worker", worker) if worker else CROWD
            cell = columns.cell(row, "length")
            length = place.whole_number("length", cell, least=1) if cell else self.target.length
        except FormatError:
            yield place.item(STRANGE_NAME)
            return
        if not worker:
            yield place.item(NO_WORKER)
        yield from self.once.new(place, topic)
        for system in systems:
            yield from self.once.new(place, system)
        if pair:
            sides = [TextRef(system.system, length, form).as_dict() for system in systems]
            judgment = Judgment(assessor=assessor, topic=topic.topic, left=sides[0], right=sides[1])
            answers, left = self._won(columns.cell(row, "label"), names[1:])
        else:
            peer = TextRef(systems[0].system, length, form)
            judgment = Judgment(assessor=assessor, topic=topic.topic, peer=peer)
            answers, left = self._rated(columns, row)
        yield from map(place.item, left)
        yield from self.answers.items(place, judgment, answers)

    def _rated(self, columns: _CrowdColumns, row: Sequence[str]) -> tuple[dict[str, Any], list[LeftOut]]:
        answers = {id: rating(self.protocol, id, row[at]) for id, at in columns.aspects.items()}
        left = [answer for answer in answers.values() if isinstance(answer, LeftOut)]
        return {id: answer for id, answer in answers.items() if not isinstance(answer, LeftOut)}, left

    def _won(self, label: str, systems: Sequence[str]) -> tuple[dict[str, Any], list[LeftOut]]:
        """Who won, as a side: by the side's word or by the system's name."""
        if label.lower() in MISSING:
            return {}, [NO_ANSWER]
        by_name = {systems[0]: "left", systems[1]: "right"}
        winner = by_name.get(label) or WINNERS.get(label.lower())
        allowed = {"left": True, "right": True, "tie": self.protocol.tie, "skip": self.protocol.skip}
        if winner is None or not allowed[winner]:
            return {}, [STRANGE_ANSWER]
        return {PREFERENCE: {"winner": winner}}, []


def _subject(columns: _CrowdColumns, row: Sequence[str]) -> tuple[str, ...] | LeftOut:
    """Topic and system."""
    topic, system = columns.cell(row, "topic"), columns.cell(row, "system")
    if "topic" not in columns.at or "system" not in columns.at:
        topic, _, system = columns.cell(row, "task").rpartition("/")
        if not topic or not system:
            return NO_TASK
    return (topic, system) if topic and system else NO_NAME


def _pair(columns: _CrowdColumns, row: Sequence[str]) -> tuple[str, ...] | LeftOut:
    """Topic, left and right."""
    names = [columns.cell(row, name) for name in ("topic", "left", "right")]
    if not {"topic", "left", "right"} <= set(columns.at):
        names = columns.cell(row, "task").rsplit("/", 2)
        if len(names) != 3 or not all(names):
            return NO_PAIR
    if not all(names):
        return NO_NAME
    return SAME_SYSTEM if names[1] == names[2] else tuple(names)
