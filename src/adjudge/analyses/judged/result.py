"""What people answered, in tables as DUC-2002 prints them: quality, coverage, units, ratings, contradictions.

Over and Liggett 2002. Scores from judgments are measures (measures/judged/); these tables count the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

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
    average,
    grouped,
    in_order,
    interval_words,
    signed,
)
from adjudge.analyses.judged import Judged
from adjudge.analyses.judged.adjustment import length_adjustment
from adjudge.analyses.judged.agreement import agreement_table
from adjudge.analyses.judged.parts import (
    JudgedResult,
    JudgedTable,
    averaged,
    mean_cells,
    mean_columns,
    missing_notes,
    pooled_notes,
)
from adjudge.analyses.judged.quality_answers import answer_words, page_answers, quality_answers
from adjudge.analyses.judged.unit_coverage import coverage_spread, unit_coverage
from adjudge.analyses.judged.unmarked import unmarked_units
from adjudge.analyses.judged.volume import judging_volume, submitted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.collection import Collection
from adjudge.data.scores import ScoreTable, targets_of
from adjudge.judgments.protocol import RATING, UNIT, Protocol, Question, Value, inconsistency
from adjudge.judgments.tasks import ANONYMOUS, is_anonymous
from adjudge.measures.judged.coverage import ONLY_SUMS, Coverage, Retention
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
    questions = {e.protocol.name: len(_error_questions(e.protocol)) for e, _ in rows}
    return JudgedTable.of(
        "quality-by-source",
        ((*key, *mean_cells(a), a.most, questions[key[0]]) for key, a in averaged(values, alpha)),
        PROTOCOL,
        TASK,
        SOURCE,
        *mean_columns(alpha),
        Column("max", format=".0f"),
        Column("questions", show="never"),
        title="Mean number of quality questions indicating one or more errors",
        signature=signed("quality-errors", (e.protocol for e, _ in rows), interval_words(alpha)),
        remarks=(*pooled_notes(e for e, _ in rows), *missing_notes(score.why for _, score in rows)),
    )


def answers_by_question(gathered: Gathered) -> Iterator[JudgedTable]:
    """How often each answer was given to each question: a table per protocol and scale."""
    scales: dict[tuple[str, tuple[Value, ...]], list[Question]] = {}
    protocols = {entry.protocol.name: entry.protocol for entry, _, _ in gathered.coverage}
    for protocol in protocols.values():
        for question in protocol.questions:
            scales.setdefault((protocol.name, question.values), []).append(question)
    tally: Counter[tuple[str, str, Value | None]] = Counter()  # None counts answers that are not there
    for entry, question, value in page_answers(gathered):
        tally[entry.protocol.name, question.id, value] += 1
    names: Counter[str] = Counter()
    for (name, values), questions in scales.items():
        names[name] += 1
        rows: list[tuple[Cell, ...]] = []
        for question in questions:
            counts = (tally[name, question.id, value] for value in (*values, None))
            rows.append((question.id.partition(":")[2], question.label, *counts))
        unanswered = sum(tally[name, question.id, None] for question in questions)
        yield JudgedTable.of(
            f"answers-{name}-{names[name]}" if names[name] > 1 else f"answers-{name}",
            rows,
            Column("question", "question"),
            Column("label", "about", show="varies"),
            *(Column(str(choice.value), answer_words(choice)) for choice in questions[0].choices),
            Column("unanswered", "not answered", show="varies"),
            title=f"Answers to the quality questions of {name}",
            signature=signed("answers", [protocols[name]]),
            remarks=[Note.of("not-answered", n=unanswered)] if unanswered else (),
        )


def _error_questions(protocol: Protocol) -> list[Question]:
    return [question for question in protocol.questions if NONE in question.values]


def coverage_by_source(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Mean coverage of systems, baselines and humans; tasks, target lengths and forms apart. Over and Liggett 2002."""
    return _coverage(gathered, "source", lambda e: (*e.part, e.source), (SOURCE,), alpha)


def coverage_by_system(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Mean coverage of every system; tasks, target lengths and forms apart."""
    columns = (SOURCE, Column("system", "system"))
    return _coverage(gathered, "system", lambda e: (*e.part, e.source, e.system), columns, alpha)


def human_retention(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """How much of one person's reference other people's summaries retain: unweighted and weighted, Lin and Hovy 3.1.

    Retention_1 is the share of model units of which something is expressed, Retention_w sums their completeness.
    """
    rows = []
    for name, measure in (("retention_1", Retention()), ("retention_w", Retention(weighted=True))):
        rows += [(name, e, score) for e, score in gathered.scored(measure) if e.source == "humans"]
    if not rows:
        return None
    values = grouped(((*e.part, name), score.value) for name, e, score in rows)
    first = [(e, score) for name, e, score in rows if name == "retention_1"]
    return JudgedTable.of(
        "human-retention",
        ((*key, *mean_cells(a)) for key, a in averaged(values, alpha)),
        *PART,
        "statistic",
        *mean_columns(alpha),
        title="Human peers' retention (this is not agreement between assessors)",
        signature=signed("retention", (e.protocol for e, _ in first), interval_words(alpha)),
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
        counts = units.setdefault((*entry.part, entry.source), [0, 0])
        if usable:
            counts[0] += len(page.completeness)
            counts[1] += sum(completeness == 0 for completeness in page.completeness)
    if not units:
        return None
    shares = []
    for key in in_order(units):
        n, none = units[key]
        shares.append((*key, n, none, none / n if n else nan))
    return JudgedTable.of(
        "uncovered-by-source",
        shares,
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
    gathered: Gathered,
    by: str,
    group: Callable[[JudgedPeer], tuple[Cell, ...]],
    columns: tuple[Column, ...],
    alpha: float,
) -> JudgedTable | None:
    rows = list(gathered.scored(Coverage()))
    if not rows:
        return None
    values = grouped((group(e), score.value) for e, score in rows)
    return JudgedTable.of(
        f"coverage-by-{by}",
        ((*key, *mean_cells(a), a.median) for key, a in averaged(values, alpha)),
        *PART,
        *columns,
        *mean_columns(alpha),
        "median",
        title=f"Mean coverage by {by}",
        signature=signed("coverage", (e.protocol for e, _ in rows), interval_words(alpha)),
        remarks=missing_notes(score.why for _, score in rows),
    )


# Ratings

POOLED = "(all)"
"""In the assessors' column: everybody's ratings together."""


def ratings_by_assessor(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Every aspect, pooled and by assessor. An anonymous crowd is in the pool, and is no assessor."""
    rows = list(_rated(gathered))
    people = [(e, aspect, value) for e, aspect, value in rows if not is_anonymous(e.assessor)]
    pooled = grouped(((e.protocol.name, aspect), value) for e, aspect, value in rows)
    by_assessor = grouped(((e.protocol.name, aspect, e.assessor), value) for e, aspect, value in people)
    values: dict[tuple[Cell, ...], list[float]] = {}
    for aspect in in_order(pooled):
        values[*aspect, POOLED] = pooled[aspect]
        values |= {key: by_assessor[key] for key in in_order(by_assessor) if key[:2] == aspect}
    nobody = len(rows) - len(people)
    remarks = [Note.of("anonymous-ratings", n=nobody)] if nobody else []
    return _ratings(gathered, "assessor", values, (PROTOCOL, "aspect assessor"), alpha, remarks)


def ratings_by_system(gathered: Gathered, *, alpha: float = ALPHA) -> JudgedTable | None:
    """Every aspect by system, assessors pooled; tasks, target lengths and forms apart."""
    values = grouped(
        ((e.protocol.name, aspect, e.task, e.length, e.form, e.source, e.system), value)
        for e, aspect, value in _rated(gathered)
    )
    columns = (PROTOCOL, "aspect", TASK, LENGTH, FORM, SOURCE, "system")
    return _ratings(gathered, "system", {key: values[key] for key in in_order(values)}, columns, alpha)


def _ratings(
    gathered: Gathered,
    by: str,
    values: Mapping[tuple[Cell, ...], Iterable[float]],
    columns: Iterable[Column | str],
    alpha: float,
    remarks: Iterable[Note] = (),
) -> JudgedTable | None:
    """None where nothing was rated."""
    if not values:
        return None
    averages = ((key, average(ratings, alpha)) for key, ratings in values.items())
    return JudgedTable.of(
        f"ratings-by-{by}",
        ((*key, *mean_cells(a), a.median) for key, a in averages),
        *columns,
        *mean_columns(alpha),
        "median",
        title=f"Ratings by aspect and {by}",
        signature=signed(
            "rating", (entry.protocol for entry, _, _ in _rated(gathered)), interval_words(alpha)
        ),
        remarks=remarks,
    )


def _rated(gathered: Gathered) -> Iterator[tuple[JudgedPeer, str, float]]:
    """What was rated by whom, the aspect, and the rating."""
    for entry in gathered.ratings:
        for question, event in entry.judged.answers.items():
            if question.startswith(RATING) and isinstance(event.answer["value"], int | float):
                yield entry, question.removeprefix(RATING), float(event.answer["value"])


# Contradictions


def contradictions(gathered: Gathered) -> JudgedTable | None:
    """Units marked but given "none", and units given something with nothing marked; anonymous answers together."""
    counts: dict[tuple[Cell, ...], Counter[str]] = {}
    for entry, _, _ in gathered.coverage:
        who = ANONYMOUS if is_anonymous(entry.assessor) else entry.assessor
        for question, event in entry.judged.answers.items():
            if question.startswith(UNIT):
                of_person = counts.setdefault((entry.protocol.name, who), Counter())
                of_person["answers"] += 1
                if inconsistency(event.answer) is not None:
                    of_person["marked" if event.answer["marked"] else "empty"] += 1
    if not counts:
        return None
    rows = []
    for key in in_order(counts):
        answers, marked, empty = (counts[key][name] for name in ("answers", "marked", "empty"))
        rows.append((*key, answers, marked, empty, (marked + empty) / answers))
    return JudgedTable.of(
        "contradictions",
        rows,
        PROTOCOL,
        "assessor answers",
        Column("marked_but_none", "marked, but none"),
        Column("some_but_unmarked", "some, but nothing marked"),
        Column("share", format=".4f"),
        title="Answers that contradict themselves",
        signature=signed("contradictions", (e.protocol for e, _, _ in gathered.coverage)),
    )


# A tidy frame for models

COLUMNS = [
    *("assessor", "system", "kind", "topic", "set", "type", "selector", "author"),
    *("length", "form", "reference", "value"),
]


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
        "kind": [getattr(system, "kind", None) or "machine" for system in systems],
        **{name: [getattr(topic, name, None) for topic in topics] for name in ("set", "type", "selector")},
        "author": [authors.get((str(topic), str(system), target)) for topic, system, target in keys],
    }
    added = {name: pd.array(values, dtype="string") for name, values in columns.items()}
    return rows.assign(**added)[COLUMNS].reset_index(drop=True)


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
            sentences=tuple(part.about(name)),
            notes=tuple(part.note_text(note) for note in part.notes() if name in note.tables),
            signature=part.table(name).signature,
        )

    def part_of(self, table: str) -> JudgedResult:
        return next(
            part
            for part in self.parts
            if table in (*part.on_demand(), *(made.name for made in part.all_tables))
        )

    def how(self) -> str:
        return self.basis

    def tables(self) -> Iterator[Table]:
        for part in self.parts:
            for table in part.all_tables:
                yield replace(table, signature="")

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {name: make for part in self.parts for name, make in part.on_demand().items()}

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
