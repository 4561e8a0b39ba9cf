"""Answers to questions on quality, by question and source or peer. Over and Liggett 2002, "Overall peer quality"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, ClassVar

from adjudge.analyses.gathered import (
    ALPHA,
    PROTOCOL,
    SOURCE,
    TASK,
    Average,
    Gathered,
    JudgedPeer,
    average,
    in_order,
    interval_words,
    judged_in,
    signed,
)
from adjudge.analyses.judged.parts import JudgedResult, mean_cells, mean_columns, pooled_notes
from adjudge.analyses.scores import Source
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table
from adjudge.judgments.protocol import RATING, Choice, Protocol, Question, Value
from adjudge.measures.judged.quality import NONE

if TYPE_CHECKING:
    import pandas as pd

TABLE, BY_PEER = "quality-by-question", "quality-by-peer"


@dataclass(frozen=True)
class SourceAnswers:
    """What assessors answered to one question about the summaries of one source, or of one of its peers."""

    protocol: str
    task: str | None
    question: Question
    source: str
    counts: Mapping[Value, int]
    """By answer, in the order of the choices."""
    unanswered: int
    alpha: float = ALPHA
    system: str | None = None
    """The peer; None for all of the source."""

    @property
    def key(self) -> str:
        """`4`, or an aspect's name."""
        return self.question.id.partition(":")[2]

    @property
    def label(self) -> str:
        return self.question.label or self.key

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    @property
    def counts_errors(self) -> bool:
        return NONE in self.question.values

    @cached_property
    def average(self) -> Average:
        """Of answers as numbers: a count of errors by its place among the choices, from 0; words have none."""
        numbers: list[float] = []
        for value, n in self.counts.items():
            if self.counts_errors:
                number = float(self.question.values.index(value))
            else:
                number = nan if isinstance(value, str) else float(value)
            numbers += [number] * n
        return average(numbers, self.alpha)

    @property
    def worst(self) -> Value | None:
        """The answer that is worst: the most errors, or the least number; None where answers are words."""
        values = self.question.values
        if self.counts_errors:
            return values[-1]
        return None if any(isinstance(value, str) for value in values) else min(values)

    @property
    def worst_words(self) -> str | None:
        return next((answer_words(c) for c in self.question.choices if c.value == self.worst), None)

    @property
    def worst_share(self) -> float:
        return nan if self.worst is None or not self.n else self.counts[self.worst] / self.n

    @property
    def error_share(self) -> float:
        """Of questions that count errors: the share of answers that found any."""
        return (self.n - self.counts[NONE]) / self.n if self.counts_errors and self.n else nan

    def shares(self) -> Iterator[tuple[Choice, int, float]]:
        """Every answer, how often it was given, and its share of those that were."""
        for choice in self.question.choices:
            n = self.counts[choice.value]
            yield choice, n, n / self.n if self.n else nan


def answer_words(choice: Choice) -> str:
    """An answer as tables and legends have it: "None" for no error, as DUC-2002 wrote."""
    return "None" if choice.value == NONE else choice.label


@dataclass(frozen=True, repr=False, kw_only=True)
class QualityAnswers(JudgedResult):
    """Questions on quality by source: mean answers, the share of the worst, and how often each answer was given.

    Single- and multi-document topics stand apart; lengths and forms are pooled, as DUC pooled lengths.
    """

    rows: tuple[SourceAnswers, ...]
    protocols: tuple[Protocol, ...]
    alpha: float
    peers: tuple[SourceAnswers, ...] = ()
    """The same for every system by itself."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "quality": "adjudge.analyses.judged.quality_figures:quality",
        "quality-by-peer": "adjudge.analyses.judged.quality_figures:quality_by_peer",
    }

    def tables(self) -> Iterator[Table]:
        yield self._table(TABLE, "source", self.rows)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Every question by system."""
        return {BY_PEER: lambda: self._table(BY_PEER, "peer", self.peers)} if self.peers else {}

    def _table(self, name: str, by: str, rows: Sequence[SourceAnswers]) -> Table:
        worst = {row.worst_words for row in self.rows}
        share = f"share with {worst.pop()}" if len(worst) == 1 and None not in worst else "share of worst"
        counts = any(row.counts_errors for row in self.rows)
        system = (Column("system"),) if name == BY_PEER else ()
        return Table.of(
            name,
            (
                (
                    *(row.protocol, row.task, row.key, row.label, row.source),
                    *((row.system,) if system else ()),
                    *mean_cells(row.average),
                    *(row.error_share, row.worst_words, row.worst_share, row.unanswered),
                )
                for row in rows
            ),
            PROTOCOL,
            TASK,
            "question",
            Column("label", "about", show="varies"),
            SOURCE,
            *system,
            *mean_columns(self.alpha),
            Column("errors", "share with errors", show="always" if counts else "never"),
            Column("worst", "worst answer", show="varies"),
            Column("worst_share", share),
            Column("unanswered", "not answered", show="varies"),
            title=f"Answers to the questions on quality, by {by}",
            signature=signed(name, self.protocols, interval_words(self.alpha)),
        )

    def answers(self) -> pd.DataFrame:
        """A row per question, source and answer: how often it was given, and its share."""
        import pandas as pd

        rows = [
            (row.protocol, row.task, row.key, row.label, row.source, answer_words(choice), n, share)
            for row in self.rows
            for choice, n, share in row.shares()
        ]
        names = ("protocol", "task", "question", "label", "source", "answer", "n", "share")
        return pd.DataFrame(rows, columns=list(names))


def quality_answers(
    source: Source | Gathered,
    *,
    length: int | None = None,
    form: str | None = None,
    alpha: float = ALPHA,
) -> QualityAnswers:
    """What was answered to each question on quality, by source: `quality_answers("my-eval")`.

    These are the questions of coverage protocols, such as DUC-2002's twelve, and the aspects of ratings.
    """
    gathered = judged_in(source, length=length, form=form)
    counts: Counts = {}
    of_peers: Counts = {}
    asked: dict[tuple[str, str], Question] = {}
    entries: list[JudgedPeer] = []
    for entry, question, value in (*page_answers(gathered), *_rating_answers(gathered)):
        asked.setdefault((entry.protocol.name, question.id), question)
        key = (entry.protocol.name, entry.task, question.id, entry.source)
        counts.setdefault(key, Counter())[value] += 1
        of_peers.setdefault((*key, entry.system), Counter())[value] += 1
        entries.append(entry)
    whole = {key: _whole(question, counts, key[0]) for key, question in asked.items()}
    rows = _rows(counts, whole, alpha)
    left = sum(row.unanswered for row in rows)
    notes = [*pooled_notes(entries), *([Note.of("not-answered", n=left)] if left else [])]
    return QualityAnswers(
        rows=rows,
        peers=_rows(of_peers, whole, alpha),
        protocols=tuple({e.protocol.name: e.protocol for e in entries}.values()),
        alpha=alpha,
        remarks=tuple(note.on(TABLE, BY_PEER) for note in notes),
    )


Counts = dict[tuple[Cell, ...], Counter[Value | None]]
"""How often each answer was given, by protocol, task, question and source, perhaps also by system."""


def _rows(
    counts: Counts, asked: Mapping[tuple[str, str], Question], alpha: float
) -> tuple[SourceAnswers, ...]:
    """Task by task, in the order of the questions, sources and systems."""
    order = {key: at for at, key in enumerate(asked)}
    keys = sorted(
        in_order(counts),
        key=lambda key: (str(key[0]), key[1] is None, str(key[1]), order[key[0], key[2]]),  # type: ignore[index]
    )
    return tuple(
        SourceAnswers(
            protocol=str(protocol),
            task=None if task is None else str(task),
            question=(question := asked[str(protocol), str(id)]),
            source=str(source),
            system=str(system[0]) if system else None,
            counts={value: counts[protocol, task, id, source, *system][value] for value in question.values},
            unanswered=counts[protocol, task, id, source, *system][None],
            alpha=alpha,
        )
        for protocol, task, id, source, *system in keys
    )


def page_answers(gathered: Gathered) -> Iterator[tuple[JudgedPeer, Question, Value | None]]:
    """Every answer on pages of coverage; None where a page asks and nobody answered."""
    for entry, _, _ in gathered.coverage:
        for question in entry.protocol.questions:
            event = entry.judged.answers.get(question.id)
            yield entry, question, None if event is None else event.answer["value"]


def _rating_answers(gathered: Gathered) -> Iterator[tuple[JudgedPeer, Question, Value]]:
    """Of ratings, only what was answered was asked."""
    for entry in gathered.ratings:
        questions = {question.id: question for question in entry.protocol.questions}
        for id, event in entry.judged.answers.items():
            if id.startswith(RATING) and "value" in event.answer:
                yield entry, questions.get(id) or Question(id, "", ()), event.answer["value"]


def _whole(
    question: Question, counts: Mapping[tuple[Cell, ...], Counter[Value | None]], protocol: Cell
) -> Question:
    """The question with every answer that was given among its choices; others than the protocol's come from files."""
    answers = {
        value
        for (name, _, id, _), of_source in counts.items()
        if (name, id) == (protocol, question.id)
        for value in of_source
        if value is not None
    }
    strange = sorted(
        (value for value in answers if value not in question.values), key=lambda v: (isinstance(v, str), v)
    )
    if not strange:
        return question
    choices = [*question.choices, *(Choice(value, str(value)) for value in strange)]
    if not any(isinstance(choice.value, str) for choice in choices):
        choices.sort(key=lambda choice: choice.value)
    return Question(question.id, question.ask, tuple(choices), question.label)
