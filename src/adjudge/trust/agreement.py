"""Agreement between assessors: Krippendorff's ordinal alpha of every question."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adjudge.engine import generator
from adjudge.judgments.protocol import RATING, UNIT, UNMARKED, Question
from adjudge.judgments.tasks import is_anonymous
from adjudge.table import Cell, Column, Table
from adjudge.trust.gathered import ALPHA, PROTOCOL, Gathered, JudgedPeer, multiplier, signed
from adjudge.wording import counted

if TYPE_CHECKING:
    import numpy as np


RESAMPLES, FEWEST, WORK = 1000, 200, 20_000_000
"""Bootstrap resamples; fewer, but not fewer than 200, where units times resamples would exceed the work."""


@dataclass
class QuestionAnswers:
    """One question's answers: a value per thing that was judged and assessor; the first where there are several."""

    label: str
    values: dict[tuple[Hashable, str], float] = field(default_factory=dict)

    def add(self, thing: Hashable, assessor: str, value: float) -> None:
        self.values.setdefault((thing, assessor), value)

    @property
    def assessors(self) -> list[str]:
        return sorted({assessor for _, assessor in self.values})

    def matrix(self) -> np.ndarray:
        """Things in rows, assessors in columns, NaN where nobody answered."""
        import numpy as np

        column = {assessor: at for at, assessor in enumerate(self.assessors)}
        row = {thing: at for at, thing in enumerate(dict.fromkeys(thing for thing, _ in self.values))}
        matrix = np.full((len(row), len(column)), np.nan)
        at_row = [row[thing] for thing, _ in self.values]
        matrix[at_row, [column[who] for _, who in self.values]] = list(self.values.values())
        return matrix


def agreement(gathered: Gathered, *, alpha: float = ALPHA, seed: int = 0) -> Table | None:
    """Krippendorff's ordinal alpha of every question, over what at least two assessors judged.

    What is judged: of completeness a model unit of a reference, for a peer; of unmarked units a peer against a
    reference; of quality and ratings a peer. An assessor who judged a thing several times counts once, with the first
    answer. Anonymous answers are nobody's and do not count. The interval resamples the things.
    """
    multiplier(alpha)  # says what is wrong with alpha
    questions: dict[tuple[str, str], QuestionAnswers] = {}
    nobody = 0
    protocols = {}
    for entry, question, label, thing, value in _answers(gathered):
        protocols[entry.protocol.name] = entry.protocol
        if is_anonymous(entry.assessor):
            nobody += 1
            continue
        own = questions.setdefault((entry.protocol.name, question), QuestionAnswers(label))
        own.add(thing, entry.assessor, value)
    if not questions and not nobody:
        return None
    rows = tuple(_row(key, own, alpha, seed) for key, own in questions.items())
    return Table(
        name="agreement",
        title="Agreement between assessors: Krippendorff's ordinal alpha",
        columns=(
            PROTOCOL,
            Column("question", "question"),
            Column("label", "about", show="varies"),
            Column("assessors", "assessors"),
            Column("units", "units"),
            Column("judgments", "judgments"),
            Column("alpha", "alpha", format=".3f"),
            Column("low", f"{100 * (1 - alpha):.4g} % from", format=".3f"),
            Column("high", "to", format=".3f"),
            Column("resamples", "resamples", show="varies"),
            Column("why", "why not", show="varies"),
        ),
        rows=rows,
        said=tuple(_sentences(rows)),
        notes=(f"{counted(nobody, 'anonymous answer')} left out: whoever gave them is no assessor",)
        if nobody
        else (),
        signature=signed(
            "krippendorff:ordinal", protocols.values(), "bootstrap:units:percentile", f"seed:{seed}"
        ),
    )


def _answers(gathered: Gathered) -> Iterator[tuple[JudgedPeer, str, str, Hashable, float]]:
    """Every answer: whose, to which question, what the question is about, what was judged, the value."""
    for entry, _, _ in gathered.coverage:
        task = entry.judged.task
        for question, event in entry.judged.answers.items():
            page = (task.topic, task.peer, task.reference)
            if question.startswith(UNIT):
                yield (
                    entry,
                    "completeness",
                    "model units",
                    (*page, question),
                    float(event.answer["completeness"]),
                )
            elif question == UNMARKED:
                yield entry, UNMARKED, "relevance", page, float(event.answer["relevant"])
        yield from _chosen(entry)
    for entry in gathered.ratings:
        yield from _chosen(entry)


def _chosen(entry: JudgedPeer) -> Iterator[tuple[JudgedPeer, str, str, Hashable, float]]:
    """Quality questions and ratings, of the peer, whatever it is compared with."""
    task = entry.judged.task
    for question in entry.protocol.questions:
        event = entry.judged.answers.get(question.id)
        if event is not None and (value := _number(question, event.answer["value"])) is not None:
            name = question.id.removeprefix(RATING) if question.id.startswith(RATING) else question.id
            label = "" if question.label == name else question.label
            yield entry, name, label, (task.topic, task.peer), value


def _number(question: Question, value: object) -> float | None:
    """An answer as an ordinal number: itself, or its place among the choices."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return (
        float(question.values.index(value)) if isinstance(value, str) and value in question.values else None
    )


def _row(key: tuple[str, str], own: QuestionAnswers, alpha: float, seed: int) -> tuple[Cell, ...]:
    from adjudge.stats.agreement import krippendorff

    assessors = len(own.assessors)
    if assessors < 2:
        why = "only one assessor answered: there is nobody to agree with"
        return (*key, own.label, assessors, 0, 0, math.nan, math.nan, math.nan, 0, why)
    matrix = own.matrix()
    resamples = min(RESAMPLES, max(FEWEST, WORK // len(matrix)))
    found = krippendorff(
        matrix, rng=generator(seed, f"agreement/{'/'.join(key)}"), resamples=resamples, level=1 - alpha
    )
    counts = (assessors, found.units, found.values)
    return (*key, own.label, *counts, found.alpha, found.low, found.high, resamples, found.why)


def _sentences(rows: tuple[tuple[Cell, ...], ...]) -> Iterator[str]:
    from adjudge.stats.agreement import alpha_text, reliability

    for _, question, _, _, units, _, alpha, low, high, _, why in rows:
        if why is not None:
            yield f"{question}: no alpha ({why})."
            continue
        assert isinstance(alpha, float)
        assert isinstance(low, float)
        interval = "" if math.isnan(low) else f" ({low:z.3f} to {high:z.3f})"
        yield f"{question}: alpha = {alpha_text(alpha)}{interval} over {units:,} units, {reliability(alpha)}."
