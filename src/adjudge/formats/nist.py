"""NIST's tables of responsiveness and linguistic quality (DUC 2005 on): a header that draws its columns, then rows.

The lines and headers are those of SEE's tables too (see.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.lines import MAX_LINE
from adjudge.data.rows import System, Topic
from adjudge.data.target import FORMS, Target
from adjudge.formats.answers import ImportedAnswers, Judgment, aspect_question, protocol_of_kind, rating
from adjudge.formats.files import (
    BASELINES,
    EMPTY_FILE,
    Once,
    Paths,
    Place,
    byte_lines,
    decoded,
    from_files,
    nist_kind,
    one_of,
    stem,
)
from adjudge.judgments.kinds.rating import RatingProtocol
from adjudge.judgments.protocol import RATING, Protocol
from adjudge.judgments.tasks import TextRef

if TYPE_CHECKING:
    from adjudge.judgments.intake import Item

TABLE = (".table",)

_DRAWN = re.compile(r"[|\s]*+")
_WORDS = {
    "selector": ("selector",),
    "assessor": ("assessor", "judge", "annotator"),
    "peer": ("summarizer", "peer", "system"),
    "reference": ("model", "reference"),
    "question": ("question",),
    "score": ("score", "responsiveness", "rating"),
    "topic": ("topic", "docset", "document set"),
}


def lines(path: Path, *, max_line: int, encoding: str | None) -> Iterator[tuple[Place, str]]:
    """The lines that are not blank, without their ends; stray bytes are read as Windows-1252, and noted."""
    for number, raw in byte_lines(path, max_line=max_line):
        place = Place(path, number)
        for text in decoded(raw, place, encoding).split("\n"):  # a carriage return alone ends a line too
            if text.strip():
                yield place, text


def cells(text: str) -> list[str]:
    """A row's cells: between tabs, or between spaces where there is no tab."""
    return [cell.strip() for cell in text.rstrip().split("\t")] if "\t" in text.strip() else text.split()


def is_bars(text: str) -> bool:
    """The last line of a header."""
    return "|" in text and not text.replace("|", "").strip()


class Header:
    """A header as it is read, line by line: as many bars as columns before, then a column's name."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def take(self, text: str) -> None:
        bars = _drawn(text)
        name = text[len(bars) : len(text) - len(_drawn(text[::-1]))]
        column = bars.count("|")
        if not name:
            return
        if column == 0:  # a title is followed by the first column's name
            self._names = [name]
        elif column == len(self._names):
            self._names.append(name)

    def columns(self) -> list[str | None]:
        """What each column is, by the words of its name; None where they tell nothing."""
        return [column_of(name) for name in self._names]


def _drawn(text: str) -> str:
    """The bars and spaces that a line begins with."""
    match = _DRAWN.match(text)
    return match.group() if match else ""


def column_of(name: str) -> str | None:
    lower = name.lower()
    return next((column for column, words in _WORDS.items() if any(word in lower for word in words)), None)


RESPONSIVENESS, QUALITY = "responsiveness", "linguistic-quality"
ORDER = ("topic", "selector", "assessor", "peer", "score")
ORDER_WITH_QUESTION = (*ORDER[:-1], "question", "score")
NEEDED = {"topic", "assessor", "peer", "score"}

NO_ROWS = LeftOut("table without rows")
OWN_HEADER = Noted("header that does not draw the columns: the usual order is taken")
WIDTH = LeftOut("row with another number of columns than its table")
NO_NAME = LeftOut("row without a topic, an assessor or a summarizer")
STRANGE_NAME = LeftOut("row with a name that cannot be one")
NO_QUESTION = LeftOut("question that the protocol does not have")
OTHER_SELECTOR = Noted("topic with another selector than before: the first one is kept")

_SCORE = re.compile(r"[0-9]{1,3}(\.[0-9]+)?")
_SUMMARIZER = re.compile(r"[A-Za-z]|[0-9]{1,6}")


def read(
    paths: Paths,
    *,
    evaluation: str,
    aspect: str | None = None,
    protocol: str | None = None,
    length: int | None = None,
    form: str | None = None,
    baselines: int = BASELINES,
    max_line: int = MAX_LINE,
    encoding: str | None = None,
) -> Iterator[Item]:
    """Topics, systems, tasks and ratings of tables, or of every *.table in a folder.

    A table with a column for the question is linguistic quality, any other responsiveness, unless `protocol` says
    which. `aspect` is what a table without questions rates (content, overall); where it is not given, the file's
    name must tell. `length` and `form` are those of the summaries, which the tables do not have. A second
    score by the same assessor for the same summary is a repeat.
    """
    one_of("form", form, FORMS)
    intake = _NistIntake(
        evaluation=evaluation,
        aspect=aspect,
        protocol=protocol,
        target=Target(length, form),
        baselines=baselines,
    )
    yield from from_files(paths, lambda path: intake.file(path, max_line, encoding), TABLE)


@dataclass
class _NistIntake:
    """One import: what is asked for, and which topics, systems and answers there have been."""

    evaluation: str
    aspect: str | None
    protocol: str | None
    target: Target
    baselines: int
    once: Once = field(default_factory=Once)
    selectors: dict[str, str] = field(default_factory=dict)
    answers: dict[str, ImportedAnswers] = field(default_factory=dict)

    def file(self, path: Path, max_line: int, encoding: str | None) -> Iterator[Item]:
        header, table = Header(), _NistTable(self)
        place: Place | None = None
        in_header = True
        for place, text in lines(path, max_line=max_line, encoding=encoding):
            yield from place.noted()
            if in_header and not _is_row(text):
                header.take(text)
                in_header = not is_bars(text)
            else:
                in_header = False
                yield from table.row(place, cells(text), header)
        if place is None:
            yield str(path), EMPTY_FILE
        elif table.columns is None:
            yield place.item(NO_ROWS)

    def filled(self, name: str) -> ImportedAnswers:
        """The answers to a protocol so far: several tables may belong to one."""
        if name not in self.answers:
            self.answers[name] = ImportedAnswers(self.evaluation, protocol_of_kind(name, RatingProtocol))
        return self.answers[name]

    def topic(self, place: Place, name: str, selector: str) -> Iterator[Item]:
        first = self.selectors.setdefault(name, selector) if selector else self.selectors.get(name)
        if selector and first != selector:
            yield place.item(OTHER_SELECTOR)
        yield from self.once.new(place, place.row(Topic, {"topic": name, "selector": first or None}))

    def system(self, place: Place, name: str) -> Iterator[Item]:
        kind = nist_kind(name, self.baselines)
        yield from self.once.new(place, place.row(System, {"system": name, "kind": kind}))


class _NistTable:
    """One file: what its columns are, and what its rows answer."""

    def __init__(self, intake: _NistIntake) -> None:
        self.intake = intake
        self.columns: tuple[str | None, ...] | None = None

    def open(self, place: Place, header: Header, width: int) -> Iterator[Item]:
        """Take the columns from the header; where it does not tell, the usual order of so many columns."""
        drawn = tuple(header.columns())
        if NEEDED.difference(drawn) or not _each_once(drawn):
            yield place.item(OWN_HEADER)
            drawn = ORDER_WITH_QUESTION if width == len(ORDER_WITH_QUESTION) else ORDER
        self.columns = drawn
        name = self.intake.protocol or (QUALITY if "question" in drawn else RESPONSIVENESS)
        self.answers = self.intake.filled(name)
        self.question = None if "question" in drawn else self._aspect(place)

    def _aspect(self, place: Place) -> str:
        protocol = self.answers.protocol
        aspect = self.intake.aspect or _aspect_in_name(place.path, protocol)
        if aspect is None:
            raise UsageError(
                f"{place.path}: say what was rated, for example {Argument('aspect', 'content')}; the name does not tell"
            )
        return aspect_question(protocol, aspect)

    def row(self, place: Place, values: list[str], header: Header) -> Iterator[Item]:
        if self.columns is None:
            yield from self.open(place, header, len(values))
        assert self.columns is not None
        if len(values) != len(self.columns):
            yield place.item(WIDTH)
            return
        row = {name: cell for name, cell in zip(self.columns, values, strict=True) if name is not None}
        if not (row["topic"] and row["assessor"] and row["peer"]):
            yield place.item(NO_NAME)
            return
        try:
            yield from self._answered(place, row)
        except FormatError:
            yield place.item(STRANGE_NAME)

    def _answered(self, place: Place, row: Mapping[str, str]) -> Iterator[Item]:
        protocol = self.answers.protocol
        question = self.question or f"{RATING}{re.sub(r'^[Qq]?0*', '', row['question'])}"
        if question not in (asked.id for asked in protocol.questions):
            yield place.item(NO_QUESTION)
            return
        answer = rating(protocol, question, row["score"])
        if isinstance(answer, LeftOut):
            yield place.item(answer)
            return
        assessor = place.name("assessor", row["assessor"])
        yield from self.intake.topic(place, row["topic"], row.get("selector", ""))
        yield from self.intake.system(place, row["peer"])
        peer = TextRef(row["peer"], *self.intake.target)
        yield from self.answers.items(
            place, Judgment(assessor=assessor, topic=row["topic"], peer=peer), {question: answer}
        )


def _each_once(columns: tuple[str | None, ...]) -> bool:
    named = [column for column in columns if column is not None]
    return len(named) == len(set(named))


def _is_row(text: str) -> bool:
    """Whether a line before the bars, or without any, is a row: cells enough, a score at the end, no title."""
    values = cells(text)
    if "|" in text or len(values) < len(ORDER) or not _SCORE.fullmatch(values[-1]):
        return False
    return "\t" in text.strip() or _SUMMARIZER.fullmatch(values[ORDER.index("peer")]) is not None


def _aspect_in_name(path: Path, protocol: Protocol) -> str | None:
    """The one aspect that the file's name holds: content.table, overall-responsiveness.table."""
    words = re.split(r"[^a-z0-9]+", stem(path).lower())
    aspects = [q.id.removeprefix(RATING) for q in protocol.questions if q.id.removeprefix(RATING) in words]
    if len(aspects) > 1:
        raise UsageError(
            f"{path}: the name holds {' and '.join(map(quoted, aspects))}; say which with {Argument('aspect')}"
        )
    return aspects[0] if aspects else None
