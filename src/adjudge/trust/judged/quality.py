"""Quality as DUC-2002 prints it: errors by source, and how often each answer was given to each question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from adjudge.data.scores import Score
from adjudge.judgments.protocol import Protocol, Question, Value
from adjudge.measures.judged.quality import NONE, QualityErrors
from adjudge.table import Cell, Column, Table
from adjudge.trust.judged.averages import (
    ALPHA,
    PROTOCOL,
    SOURCE,
    TASK,
    N,
    average,
    grouped,
    in_order,
    interval_columns,
    interval_words,
    missing_notes,
    signed,
    where,
)
from adjudge.trust.judged.gathered import Entry, Gathered
from adjudge.wording import counted


def quality_by_source(gathered: Gathered, *, alpha: float = ALPHA) -> Table | None:
    """Mean number of questions indicating one or more errors, by source. Over and Liggett 2002.

    Single- and multi-document topics stand apart; lengths are pooled, as DUC pooled them.
    """
    rows = list(gathered.scored(QualityErrors(), lambda protocol: bool(_error_questions(protocol))))
    if not rows:
        return None
    values = grouped(((e.protocol.name, e.task, e.source), score.value) for e, score in rows)
    found = {key: average(values[key], alpha) for key in in_order(values)}
    highest = max(len(_error_questions(e.protocol)) for e, _ in rows)
    return Table(
        name="quality-by-source",
        title="Mean number of quality questions indicating one or more errors",
        columns=(PROTOCOL, TASK, SOURCE, N, *interval_columns(alpha), Column("max", "max", format=".0f")),
        rows=tuple((*key, a.n, a.mean, a.low, a.high, a.most) for key, a in found.items()),
        said=tuple(
            f"{where(key)}: {a.mean:.2f} of {highest} questions found errors on average ({a.low:.2f} to {a.high:.2f},"
            f" n = {a.n:,}), {a.most:.0f} at the most."
            for key, a in found.items()
            if a.n > 1
        ),
        notes=(*_pooled(rows), *missing_notes(score.why for _, score in rows)),
        signature=signed("quality-errors", (e.protocol for e, _ in rows), interval_words(alpha)),
    )


def answers_by_question(gathered: Gathered) -> tuple[Table, ...]:
    """How often each answer was given to each question: a table per protocol and scale."""
    scales: dict[tuple[str, tuple[Value, ...]], list[Question]] = {}
    protocols = {entry.protocol.name: entry.protocol for entry, _, _ in gathered.coverage}
    for protocol in protocols.values():
        for question in protocol.questions:
            scales.setdefault((protocol.name, question.values), []).append(question)
    given = _given(gathered)
    names: Counter[str] = Counter()
    tables = []
    for (name, _), questions in scales.items():
        names[name] += 1
        number = f"-{names[name]}" if names[name] > 1 else ""
        tables.append(_answers(f"answers-{name}{number}", protocols[name], questions, given))
    return tuple(tables)


def _answers(
    name: str, protocol: Protocol, questions: list[Question], given: Counter[tuple[str, str, Value | None]]
) -> Table:
    choices = questions[0].choices
    labels = ["None" if choice.value == NONE else choice.label for choice in choices]
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        counts = [given[protocol.name, question.id, value] for value in question.values]
        unanswered = given[protocol.name, question.id, None]
        rows.append((question.id.partition(":")[2], question.label, *counts, unanswered))
    open_answers = sum(given[protocol.name, question.id, None] for question in questions)
    columns = [Column(str(choice.value), label) for choice, label in zip(choices, labels, strict=True)]
    return Table(
        name=name,
        title=f"Answers to the quality questions of {protocol.name}",
        columns=(
            Column("question", "question"),
            Column("label", "about", show="varies"),
            *columns,
            Column("unanswered", "not answered", show="varies"),
        ),
        rows=tuple(rows),
        said=tuple(_frequent(protocol, questions, given)),
        notes=(f"{counted(open_answers, 'question is', 'questions are')} not answered yet",)
        if open_answers
        else (),
        signature=signed("answers", [protocol]),
    )


def _frequent(
    protocol: Protocol, questions: list[Question], given: Counter[tuple[str, str, Value | None]]
) -> Iterator[str]:
    """Which questions found most: the uneven distribution that Over and Liggett point out."""
    if NONE not in questions[0].values:
        return
    shares = []
    for question in questions:
        counts = {value: given[protocol.name, question.id, value] for value in question.values}
        if total := sum(counts.values()):
            shares.append((1 - counts[NONE] / total, question.label or question.id))
    if shares:
        share, label = max(shares, key=lambda each: each[0])
        yield f"The question that most often found errors is {label}: {share:.0%} of its answers."


def _given(gathered: Gathered) -> Counter[tuple[str, str, Value | None]]:
    """Answers by protocol, question and value; None counts those that are not there."""
    found: Counter[tuple[str, str, Value | None]] = Counter()
    for entry, _, _ in gathered.coverage:
        for question in entry.protocol.questions:
            event = entry.judged.answers.get(question.id)
            found[entry.protocol.name, question.id, None if event is None else event.answer["value"]] += 1
    return found


def _error_questions(protocol: Protocol) -> list[Question]:
    return [question for question in protocol.questions if NONE in question.values]


def _pooled(rows: list[tuple[Entry, Score]]) -> tuple[str, ...]:
    lengths = {entry.length for entry, _ in rows}
    return (f"{len(lengths)} target lengths are pooled, as DUC-2002 pooled them",) if len(lengths) > 1 else ()
