"""What people answered, in tables as DUC-2002 prints them: quality, coverage, units, ratings, contradictions.

Over and Liggett 2002. Scores from judgments are measures (measures/judged/); these tables count the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.analyses.gathered import (
    ALPHA,
    FORM,
    LENGTH,
    PART,
    PROTOCOL,
    SOURCE,
    TASK,
    Gathered,
    JudgedPeer,
    N,
    average,
    grouped,
    in_order,
    interval_columns,
    interval_words,
    signed,
)
from adjudge.analyses.judged import Judged
from adjudge.analyses.judged.adjustment import length_adjustment
from adjudge.analyses.judged.agreement import agreement_table
from adjudge.analyses.judged.parts import JudgedResult, JudgedTable, missing_notes, pooled_notes
from adjudge.analyses.judged.quality_answers import quality_answers
from adjudge.analyses.judged.unit_coverage import ONLY_SUMS, coverage_spread, unit_coverage
from adjudge.analyses.judged.unmarked import unmarked_units
from adjudge.analyses.judged.volume import judging_volume, submitted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.collection import Collection
from adjudge.data.scores import ScoreTable, targets_of
from adjudge.judgments.protocol import RATING, UNIT, Protocol, Question, Value, inconsistency
from adjudge.judgments.tasks import ANONYMOUS, is_anonymous
from adjudge.measures.judged.coverage import Coverage, Retention
from adjudge.measures.judged.quality import NONE, QualityErrors

if TYPE_CHECKING:
    import pandas as pd


# Quality


def quality_by_source(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Mean number of questions indicating one or more errors, by source. Over and Liggett 2002.

    Single- and multi-document topics stand apart; lengths and forms are pooled, as DUC pooled lengths.
    """
    rows = list(gathered.scored(QualityErrors(), lambda protocol: bool(_error_questions(protocol))))
    if not rows:
        return None
    values = grouped(((e.protocol.name, e.task, e.source), score.value) for e, score in rows)
    averages = {key: average(values[key], alpha) for key in in_order(values)}
    questions = {e.protocol.name: len(_error_questions(e.protocol)) for e, _ in rows}
    return JudgedTable.of(
        "quality-by-source",
        ((*key, a.n, a.mean, a.low, a.high, a.most, questions[key[0]]) for key, a in averages.items()),
        PROTOCOL,
        TASK,
        SOURCE,
        N,
        *interval_columns(alpha),
        Column("max", format=".0f"),
        Column("questions", show="never"),
        title="Mean number of quality questions indicating one or more errors",
        signature=signed("quality-errors", (e.protocol for e, _ in rows), interval_words(alpha)),
        remarks=(*pooled_notes(e for e, _ in rows), *missing_notes(score.why for _, score in rows)),
    )


def answers_by_question(gathered: Gathered) -> tuple[JudgedTable, ...]:
    """How often each answer was given to each question: a table per protocol and scale."""
    scales: dict[tuple[str, tuple[Value, ...]], list[Question]] = {}
    protocols = {entry.protocol.name: entry.protocol for entry, _, _ in gathered.coverage}
    for protocol in protocols.values():
        for question in protocol.questions:
            scales.setdefault((protocol.name, question.values), []).append(question)
    tally = _given(gathered)
    names: Counter[str] = Counter()
    tables = []
    for (name, _), questions in scales.items():
        names[name] += 1
        number = f"-{names[name]}" if names[name] > 1 else ""
        tables.append(_answers(f"answers-{name}{number}", protocols[name], questions, tally))
    return tuple(tables)


def _answers(
    name: str, protocol: Protocol, questions: list[Question], tally: Counter[tuple[str, str, Value | None]]
) -> JudgedTable:
    choices = questions[0].choices
    labels = ["None" if choice.value == NONE else choice.label for choice in choices]
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        counts = [tally[protocol.name, question.id, value] for value in question.values]
        unanswered = tally[protocol.name, question.id, None]
        rows.append((question.id.partition(":")[2], question.label, *counts, unanswered))
    open_answers = sum(tally[protocol.name, question.id, None] for question in questions)
    columns = [Column(str(choice.value), label) for choice, label in zip(choices, labels, strict=True)]
    return JudgedTable.of(
        name,
        rows,
        Column("question", "question"),
        Column("label", "about", show="varies"),
        *columns,
        Column("unanswered", "not answered", show="varies"),
        title=f"Answers to the quality questions of {protocol.name}",
        signature=signed("answers", [protocol]),
        remarks=[Note.of("not-answered", n=open_answers)] if open_answers else (),
    )


def _given(gathered: Gathered) -> Counter[tuple[str, str, Value | None]]:
    """Answers by protocol, question and value; None counts those that are not there."""
    tally: Counter[tuple[str, str, Value | None]] = Counter()
    for entry, _, _ in gathered.coverage:
        for question in entry.protocol.questions:
            event = entry.judged.answers.get(question.id)
            tally[entry.protocol.name, question.id, None if event is None else event.answer["value"]] += 1
    return tally


def _error_questions(protocol: Protocol) -> list[Question]:
    return [question for question in protocol.questions if NONE in question.values]


T = TypeVar("T")
Group = Callable[[JudgedPeer], tuple[Cell, ...]]


def coverage_by_source(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Mean coverage of systems, baselines and humans; tasks, target lengths and forms apart. Over and Liggett 2002."""
    return _coverage(gathered, "coverage-by-source", "Mean coverage by source", (SOURCE,), _by_source, alpha)


def coverage_by_system(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Mean coverage of every system; tasks, target lengths and forms apart."""
    columns = (SOURCE, Column("system", "system"))

    def group(entry: JudgedPeer) -> tuple[Cell, ...]:
        return (*_by_source(entry), entry.system)

    return _coverage(gathered, "coverage-by-system", "Mean coverage by system", columns, group, alpha)


def human_retention(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """How much of one person's reference other people's summaries retain: unweighted and weighted, Lin and Hovy 3.1.

    Retention_1 is the share of model units of which something is expressed, Retention_w sums their completeness.
    """
    rows = []
    for name, measure in (("retention_1", Retention()), ("retention_w", Retention(weighted=True))):
        rows += [(name, e, score) for e, score in gathered.scored(measure) if e.source == "humans"]
    if not rows:
        return None
    values = grouped(
        ((e.protocol.name, e.task, e.length, e.form, name), score.value) for name, e, score in rows
    )
    averages = {key: average(values[key], alpha) for key in in_order(values)}
    first = [(e, score) for name, e, score in rows if name == "retention_1"]
    return JudgedTable.of(
        "human-retention",
        ((*key, a.n, a.mean, a.low, a.high) for key, a in averages.items()),
        *PART,
        "statistic",
        N,
        *interval_columns(alpha),
        title="Human peers' retention (this is not agreement between assessors)",
        signature=_signature("retention", (e.protocol for e, _ in first), alpha),
        remarks=missing_notes(score.why for _, score in first),
    )


def uncovered_by_source(gathered: Gathered) -> JudgedTable | None:
    """The share of model units of which nothing is expressed: of all units together, as DUC-2002 counted them."""
    units: dict[tuple[Cell, ...], list[int]] = {}
    rows = [(e, page) for e, page, _ in gathered.coverage if e.protocol.completeness is not None]
    reasons = []
    for entry, page in rows:
        usable = page.why() is None and bool(page.completeness)
        reasons.append(None if usable else page.why() or ONLY_SUMS)
        counts = units.setdefault(_by_source(entry), [0, 0])
        if usable:
            counts[0] += len(page.completeness)
            counts[1] += sum(completeness == 0 for completeness in page.completeness)
    if not units:
        return None
    shares = {key: (n, none, none / n if n else nan) for key, (n, none) in _sorted(units).items()}
    return JudgedTable.of(
        "uncovered-by-source",
        ((*key, *cells) for key, cells in shares.items()),
        *PART,
        SOURCE,
        Column("units", "model units"),
        Column("uncovered", "no coverage"),
        "share",
        title="Model units with no coverage",
        signature=signed("uncovered", (e.protocol for e, _ in rows), "units:pooled"),
        remarks=missing_notes(reasons),
    )


def _coverage(
    gathered: Gathered, name: str, title: str, columns: tuple[Column, ...], group: Group, alpha: float
) -> JudgedTable | None:
    rows = list(gathered.scored(Coverage()))
    if not rows:
        return None
    values = grouped((group(e), score.value) for e, score in rows)
    averages = {key: average(values[key], alpha) for key in in_order(values)}
    return JudgedTable.of(
        name,
        ((*key, a.n, a.mean, a.low, a.high, a.median) for key, a in averages.items()),
        *PART,
        *columns,
        N,
        *interval_columns(alpha),
        "median",
        title=title,
        signature=_signature("coverage", (e.protocol for e, _ in rows), alpha),
        remarks=missing_notes(score.why for _, score in rows),
    )


def _by_source(entry: JudgedPeer) -> tuple[Cell, ...]:
    return entry.protocol.name, entry.task, entry.length, entry.form, entry.source


def _sorted(groups: dict[tuple[Cell, ...], list[T]]) -> dict[tuple[Cell, ...], list[T]]:
    return {key: groups[key] for key in in_order(groups)}


def _signature(what: str, protocols: Iterable[Protocol], alpha: float) -> str:
    return signed(what, protocols, interval_words(alpha))


# Ratings

POOLED = "(all)"
"""In the assessors' column: everybody's ratings together."""
Rated = tuple[JudgedPeer, str, float]
"""What was rated by whom, the aspect, and the rating."""


def ratings_by_assessor(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Every aspect, pooled and by assessor. An anonymous crowd is in the pool, and is no assessor."""
    rows = list(_rated(gathered))
    if not rows:
        return None
    people = [(e, aspect, value) for e, aspect, value in rows if not is_anonymous(e.assessor)]
    pooled = grouped(((e.protocol.name, aspect), value) for e, aspect, value in rows)
    by_assessor = grouped(((e.protocol.name, aspect, e.assessor), value) for e, aspect, value in people)
    cells = []
    for aspect in in_order(pooled):
        cells.append(_cells((*aspect, POOLED), pooled[aspect], alpha))
        cells += [_cells(key, by_assessor[key], alpha) for key in in_order(by_assessor) if key[:2] == aspect]
    nobody = len(rows) - len(people)
    return JudgedTable.of(
        "ratings-by-assessor",
        cells,
        PROTOCOL,
        "aspect assessor",
        N,
        *interval_columns(alpha),
        "median",
        title="Ratings by aspect and assessor",
        signature=_signature("rating", (entry.protocol for entry, _, _ in rows), alpha),
        remarks=[Note.of("anonymous-ratings", n=nobody)] if nobody else (),
    )


def ratings_by_system(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Every aspect by system, assessors pooled; tasks, target lengths and forms apart."""
    rows = list(_rated(gathered))
    if not rows:
        return None
    values = grouped(
        ((e.protocol.name, aspect, e.task, e.length, e.form, e.source, e.system), value)
        for e, aspect, value in rows
    )
    return JudgedTable.of(
        "ratings-by-system",
        (_cells(key, values[key], alpha) for key in in_order(values)),
        PROTOCOL,
        "aspect",
        TASK,
        LENGTH,
        FORM,
        SOURCE,
        "system",
        N,
        *interval_columns(alpha),
        "median",
        title="Ratings by aspect and system",
        signature=_signature("rating", (entry.protocol for entry, _, _ in rows), alpha),
    )


def _rated(gathered: Gathered) -> Iterator[Rated]:
    for entry in gathered.ratings:
        for question, event in entry.judged.answers.items():
            if question.startswith(RATING) and isinstance(event.answer["value"], int | float):
                yield entry, question.removeprefix(RATING), float(event.answer["value"])


def _cells(key: tuple[Cell, ...], values: Iterable[float], alpha: float) -> tuple[Cell, ...]:
    a = average(values, alpha)
    return (*key, a.n, a.mean, a.low, a.high, a.median)


# Contradictions


def contradictions(gathered: Gathered) -> JudgedTable | None:
    """Units marked but given "none", and units given something with nothing marked; anonymous answers together."""
    answers: Counter[tuple[Cell, ...]] = Counter()
    marked: Counter[tuple[Cell, ...]] = Counter()
    empty: Counter[tuple[Cell, ...]] = Counter()
    for entry, _, _ in gathered.coverage:
        who = ANONYMOUS if is_anonymous(entry.assessor) else entry.assessor
        key = (entry.protocol.name, who)
        for question, event in entry.judged.answers.items():
            if question.startswith(UNIT):
                answers[key] += 1
                if inconsistency(event.answer) is not None:
                    (marked if event.answer["marked"] else empty)[key] += 1
    if not answers:
        return None
    return JudgedTable.of(
        "contradictions",
        (
            (*key, answers[key], marked[key], empty[key], (marked[key] + empty[key]) / answers[key])
            for key in in_order(answers)
        ),
        PROTOCOL,
        "assessor answers",
        Column("marked_but_none", "marked, but none"),
        Column("some_but_unmarked", "some, but nothing marked"),
        Column("share", format=".4f"),
        title="Answers that contradict themselves",
        signature=signed("contradictions", (e.protocol for e, _, _ in gathered.coverage)),
    )


# A tidy frame for models

COLUMNS = (
    "assessor",
    "system",
    "kind",
    "topic",
    "set",
    "type",
    "selector",
    "author",
    "length",
    "form",
    "reference",
    "value",
)


def tidy(collection: Collection, table: ScoreTable, measure: str) -> pd.DataFrame:
    """A row per score row, with the topic's set, type and selector, the system's kind and the summary's author.

    A repeat is a row too. A score that is missing stays, as NaN.
    """
    import pandas as pd

    rows = table.of(measure)
    authors = {s.key: s.author for s in collection.all_summaries()}
    topics = [collection.topics.get(str(topic)) for topic in rows["topic"]]
    systems = [collection.systems.get(str(system)) for system in rows["system"]]
    keys = zip(rows["topic"], rows["system"], targets_of(rows), strict=True)
    columns = {
        "kind": [(system.kind if system is not None else None) or "machine" for system in systems],
        "set": [topic.set if topic is not None else None for topic in topics],
        "type": [topic.type if topic is not None else None for topic in topics],
        "selector": [topic.selector if topic is not None else None for topic in topics],
        "author": [authors.get((str(topic), str(system), target)) for topic, system, target in keys],
    }
    added = {name: pd.array(values, dtype="string") for name, values in columns.items()}
    return rows.assign(**added)[list(COLUMNS)].reset_index(drop=True)


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedTables(Result):
    """Quality, coverage, units, ratings, agreement, contradictions, volume: a table for each that was judged."""

    parts: tuple[JudgedResult, ...]
    basis: str

    def __getitem__(self, name: str) -> Table:
        """A table by its name, with what it says, its notes and its signature."""
        made = self.table(name)
        part = self.part_of(name)
        return replace(
            made,
            said=tuple(part.about(name)),
            notes=tuple(part.note_text(note) for note in part.notes() if name in note.tables),
            signature=part.table(name).signature,
        )

    def part_of(self, table: str) -> JudgedResult:
        return next(part for part in self.parts if table in [made.name for made in part.all_tables])

    def how(self) -> str:
        return self.basis

    def tables(self) -> Iterator[Table]:
        for part in self.parts:
            for table in part.all_tables:
                yield replace(table, signature="")

    def notes(self) -> Iterator[Note]:
        for part in self.parts:
            yield from part.notes()

    def facts(self) -> dict[str, Any]:
        return {"signatures": {made.name: made.signature for part in self.parts for made in part.all_tables}}


def judged_tables(gathered: Gathered, asked: Judged) -> JudgedTables:
    """Every table that applies; none, where nothing of the kind was judged."""
    alpha = asked.alpha
    volume = judging_volume(gathered)
    parts = (
        quality_by_source(gathered, alpha=alpha),
        *answers_by_question(gathered),
        quality_answers(gathered, alpha=alpha),
        coverage_by_source(gathered, alpha=alpha),
        coverage_by_system(gathered, alpha=alpha),
        coverage_spread(gathered, alpha=alpha),
        human_retention(gathered, alpha=alpha),
        uncovered_by_source(gathered),
        unit_coverage(gathered),
        length_adjustment(gathered),
        unmarked_units(gathered),
        ratings_by_assessor(gathered, alpha=alpha),
        ratings_by_system(gathered, alpha=alpha),
        agreement_table(gathered, alpha=alpha, seed=asked.seed),
        contradictions(gathered),
        volume,
        *([submitted(gathered)] if volume.rows else []),
    )
    protocols = sorted(
        {judged.task.protocol for some in gathered.judgments.by_topic.values() for judged in some}
    )
    return JudgedTables(
        asked=asked,
        parts=tuple(part for part in parts if part is not None and part.all_tables[0].rows),
        about_scores=gathered.notes(),
        basis=signed("judged", map(gathered.protocol, protocols), interval_words(alpha)),
    )
