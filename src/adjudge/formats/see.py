"""DUC-2002's table of SEE results: what each page came to, a page a row. Single units are not in it.

Columns, counted from 0: 0 document set, 1 M or S, 2 document, 3 length, 8 peer, 10-21 answers on quality, 22 share of
unmarked units that are relevant, 23-26 numbers of units, 27-32 coverage. The others are named by the header at best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.core.phrases import Argument
from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import System, Topic
from adjudge.data.target import FORMS
from adjudge.formats.answers import MISSING, STRANGE_ANSWER, ImportedAnswers, Judgment, whole
from adjudge.formats.files import (
    BASELINES,
    EMPTY_FILE,
    NIST_TASKS,
    Once,
    Paths,
    Place,
    from_files,
    nist_kind,
    one_of,
)
from adjudge.formats.nist import TABLE, Header, cells, is_bars, lines
from adjudge.judgments.kinds.coverage import SUMMED
from adjudge.judgments.protocol import QUALITY, UNMARKED, load_protocol
from adjudge.judgments.tasks import ANONYMOUS, TextRef

if TYPE_CHECKING:
    from adjudge.judgments.intake import Item

PROTOCOL = "duc-2002"
WIDTH = 33
SET, TASK, DOCUMENT, LENGTH, PEER, FIRST_QUESTION, RELEVANT = 0, 1, 2, 3, 8, 10, 22
FREE = (4, 5, 6, 7, 9)
"""Columns whose meaning is not fixed: an assessor or a reference may stand there."""
COUNTS = {"peer_units": 23, "marked": 24, "unmarked": 25, "model_units": 26}
SHARES = {
    "mean": 27,
    "median": 28,
    "sd": 29,
    "adjusted_mean": 30,
    "adjusted_median": 31,
    "adjusted_sd": 32,
}
CODES = {"0": "0", "1": "1-5", "2": "6-10", "3": ">10"}
"""Answers on quality as numbers; the words of the protocol are taken as well."""

OTHER_WIDTH = LeftOut(f"row that has not {WIDTH} columns")
NO_ROW = LeftOut("line that is no row")
NO_ROWS = LeftOut("table without rows")
NO_NAME = LeftOut("row without a document set, a document or a peer")
STRANGE_NAME = LeftOut("row with a name or a length that cannot be one")
STRANGE_NUMBER = LeftOut("number that cannot be one of its column: left out, the rest of the row is kept")
SUMS = Noted("row whose marked and unmarked units do not add up to its peer units: kept as it is")
NO_ASSESSOR = Noted(f"row that does not say who judged: the assessor is {ANONYMOUS!r}")


def read(
    paths: Paths,
    *,
    evaluation: str,
    assessor: str | None = None,
    assessor_column: int | None = None,
    reference_column: int | None = None,
    form: str | None = None,
    baselines: int = BASELINES,
    max_line: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Topics, systems, tasks and answers of a table of SEE results, or of every *.table in a folder.

    A single document's summary has a topic of its own, SET.DOCUMENT, in the set of its document set. The assessor and
    the reference are taken from the columns that are given or that the header names; where there is none,
    `assessor` is who judged, or nobody in particular. `form` is that of the summaries, which the table does not have.
    """
    one_of("form", form, FORMS)
    for name, column in (("assessor_column", assessor_column), ("reference_column", reference_column)):
        if column is not None and column not in FREE:
            raise UsageError(f"{Argument(name)} is {column}, expected one of: {', '.join(map(str, FREE))}")
    intake = _SeeIntake(
        evaluation=evaluation,
        assessor=assessor,
        assessor_column=assessor_column,
        reference_column=reference_column,
        form=form,
        baselines=baselines,
    )
    yield from from_files(paths, lambda path: intake.file(path, max_line, encoding), TABLE)


@dataclass
class _SeeIntake:
    """One import: what is asked for, and which topics and systems have been described."""

    evaluation: str
    assessor: str | None
    assessor_column: int | None
    reference_column: int | None
    form: str | None
    baselines: int
    once: Once = field(default_factory=Once)

    def __post_init__(self) -> None:
        self.answers = ImportedAnswers(self.evaluation, load_protocol(PROTOCOL))

    def file(self, path: Path, max_line: int, encoding: str | None) -> Iterator[Item]:
        header = Header()
        place: Place | None = None
        rows = 0
        for place, text in lines(path, max_line=max_line, encoding=encoding):
            yield from place.noted()
            values = _cells(text)
            # Whether a line is meant as a row: M or S in the second column, and too many words for a header.
            if len(values) > PEER and values[TASK].upper() in NIST_TASKS:
                rows += 1
                yield from self.row(place, values, header)
            elif rows:
                yield place.item(NO_ROW)
            elif not is_bars(text):
                header.take(text)
        if place is None:
            yield str(path), EMPTY_FILE
        elif not rows:
            yield place.item(NO_ROWS)

    def row(self, place: Place, values: list[str], header: Header) -> Iterator[Item]:
        if len(values) != WIDTH:
            yield place.item(OTHER_WIDTH)
        elif _missing(values[PEER]) or (values[TASK].upper() == "S" and _missing(values[DOCUMENT])):
            yield place.item(NO_NAME)
        else:
            try:
                topic, system, judgment = self.judgment(place, values, header)
            except FormatError:
                yield place.item(STRANGE_NAME)
                return
            yield from self.once.new(place, topic)
            yield from self.once.new(place, system)
            if judgment.assessor == ANONYMOUS:
                yield place.item(NO_ASSESSOR)
            answers = self.page_answers(place, values)
            yield from place.noted()
            yield from self.answers.items(place, judgment, answers)

    def judgment(self, place: Place, values: list[str], header: Header) -> tuple[Topic, System, Judgment]:
        """Who judged which summary."""
        single = values[TASK].upper() == "S"
        name = f"{values[SET]}.{values[DOCUMENT]}" if single else values[SET]
        topic = place.row(
            Topic, {"topic": name, "set": values[SET], "task": NIST_TASKS[values[TASK].upper()]}
        )
        system = place.row(System, {"system": values[PEER], "kind": nist_kind(values[PEER], self.baselines)})
        length = None if _missing(values[LENGTH]) else place.whole_number("length", values[LENGTH], least=1)
        writer = self.named(place, values, header, "reference", self.reference_column)
        assessor = self.named(place, values, header, "assessor", self.assessor_column)
        return (
            topic,
            system,
            Judgment(
                assessor=assessor or self.assessor or ANONYMOUS,
                topic=topic.topic,
                peer=TextRef(system.system, length, self.form),
                reference=TextRef(writer, length, self.form) if writer else None,
            ),
        )

    def named(
        self, place: Place, values: list[str], header: Header, what: str, column: int | None
    ) -> str | None:
        """The cell that says who: in the column that was given, or the one that the header names."""
        if column is None:
            names = header.columns()
            column = next((at for at in FREE if at < len(names) and names[at] == what), None)
        return None if column is None or _missing(values[column]) else place.name(what, values[column])

    def page_answers(self, place: Place, values: list[str]) -> dict[str, Any]:
        """The answers of a page; what is not there is not answered."""
        answers: dict[str, Any] = {}
        for number in range(1, 13):
            cell = values[FIRST_QUESTION + number - 1]
            question = f"{QUALITY}{number}"
            if not _missing(cell):
                self._answer(place, answers, question, {"value": CODES.get(cell.removesuffix(".0"), cell)})
        summed: dict[str, float] = {}
        for name, column in (SHARES | COUNTS).items():
            value = _number(values[column])
            if value is not None and (value <= 1 if name in SHARES else value.is_integer()):
                summed[name] = value if name in SHARES else whole(value)
            elif not _missing(values[column]):
                place.notes.append(STRANGE_NUMBER)
        parts = [summed.get(name) for name in ("peer_units", "marked", "unmarked")]
        if None not in parts and parts[0] != sum(part or 0 for part in parts[1:]):
            place.notes.append(SUMS)
        relevant = _number(values[RELEVANT])
        if relevant is None:
            if not _missing(values[RELEVANT]):
                place.notes.append(STRANGE_NUMBER)
        elif summed.get("unmarked") != 0 or relevant:  # of no units, 0 is no answer
            share = relevant / 100 if relevant > 1 else relevant
            self._answer(place, answers, UNMARKED, {"relevant": share})
        if summed:
            answers[SUMMED] = summed
        return answers

    def _answer(self, place: Place, answers: dict[str, Any], question: str, answer: dict[str, Any]) -> None:
        try:
            self.answers.protocol.check(question, answer)
        except DataError:
            place.notes.append(STRANGE_ANSWER)
        else:
            answers[question] = answer


def _cells(text: str) -> list[str]:
    """Between tabs where that gives the right number; else between spaces, as the columns are aligned."""
    values = cells(text)
    return values if len(values) == WIDTH else text.split()


def _missing(cell: str) -> bool:
    return cell.lower() in MISSING


def _number(cell: str) -> float | None:
    """A number of 0 or more."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
