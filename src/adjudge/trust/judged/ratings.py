"""Ratings by assessor and by system: n, mean, interval, median of every aspect. z-scores are a measure, not here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.judgments.protocol import RATING
from adjudge.judgments.tasks import is_anonymous
from adjudge.trust.judged.averages import (
    ALPHA,
    LENGTH,
    PROTOCOL,
    SOURCE,
    TASK,
    N,
    average,
    grouped,
    in_order,
    interval_columns,
    interval_words,
    signed,
)
from adjudge.trust.judged.gathered import Entry, Gathered
from adjudge.trust.judged.table import Cell, Column, Table
from adjudge.wording import counted

POOLED = "(all)"
"""In the assessors' column: everybody's ratings together."""
ASPECT = Column("aspect", "aspect")
MEDIAN = Column("median", "median")
Rated = tuple[Entry, str, float]
"""What was rated by whom, the aspect, and the rating."""


def ratings_by_assessor(gathered: Gathered, *, alpha: float = ALPHA) -> Table | None:
    """Every aspect, pooled and by assessor. An anonymous crowd is in the pool, and is no assessor."""
    rows = list(_rated(gathered))
    if not rows:
        return None
    people = [(e, aspect, value) for e, aspect, value in rows if not is_anonymous(e.assessor)]
    pooled = grouped(((e.protocol.name, aspect), value) for e, aspect, value in rows)
    own = grouped(((e.protocol.name, aspect, e.assessor), value) for e, aspect, value in people)
    cells = []
    for aspect in in_order(pooled):
        cells.append(_cells((*aspect, POOLED), pooled[aspect], alpha))
        cells += [_cells(key, own[key], alpha) for key in in_order(own) if key[:2] == aspect]
    nobody = len(rows) - len(people)
    return Table(
        "ratings-by-assessor",
        "Ratings by aspect and assessor",
        (PROTOCOL, ASPECT, Column("assessor", "assessor"), N, *interval_columns(alpha), MEDIAN),
        tuple(cells),
        tuple(_sentences(pooled, alpha)),
        (f"{counted(nobody, 'anonymous rating')} pooled only: whoever gave them is no assessor",)
        if nobody
        else (),
        _signature(rows, alpha),
    )


def ratings_by_system(gathered: Gathered, *, alpha: float = ALPHA) -> Table | None:
    """Every aspect by system, assessors pooled; tasks and target lengths apart."""
    rows = list(_rated(gathered))
    if not rows:
        return None
    values = grouped(
        ((e.protocol.name, aspect, e.task, e.length, e.source, e.system), value) for e, aspect, value in rows
    )
    columns = (PROTOCOL, ASPECT, TASK, LENGTH, SOURCE, Column("system", "system"))
    return Table(
        "ratings-by-system",
        "Ratings by aspect and system",
        (*columns, N, *interval_columns(alpha), MEDIAN),
        tuple(_cells(key, values[key], alpha) for key in in_order(values)),
        signature=_signature(rows, alpha),
    )


def _rated(gathered: Gathered) -> Iterator[Rated]:
    for entry in gathered.ratings:
        for question, event in entry.judged.answers.items():
            if question.startswith(RATING) and isinstance(event.answer["value"], int | float):
                yield entry, question.removeprefix(RATING), float(event.answer["value"])


def _cells(key: tuple[Cell, ...], values: Iterable[float], alpha: float) -> tuple[Cell, ...]:
    a = average(values, alpha)
    return (*key, a.n, a.mean, a.low, a.high, a.median)


def _sentences(pooled: dict[tuple[str, str], list[float]], alpha: float) -> Iterator[str]:
    for (_, aspect), values in pooled.items():
        a = average(values, alpha)
        yield f"{aspect}: {a.mean:.2f} on average, median {a.median:.4g} ({counted(a.n, 'rating')})."


def _signature(rows: Iterable[Rated], alpha: float) -> str:
    return signed("rating", (e.protocol for e, _, _ in rows), interval_words(alpha))
