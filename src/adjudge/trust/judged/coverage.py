"""Content as judged, by source and system: coverage, human peers' retention, units without coverage, unmarked units."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isnan, nan
from typing import TypeVar

from adjudge.data.scores import Score
from adjudge.measures.judged.coverage import Coverage, Retention, Unmarked
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
    missing_notes,
    signed,
    where,
)
from adjudge.trust.judged.gathered import Entry, Gathered
from adjudge.trust.judged.table import Cell, Column, Table

T = TypeVar("T")
Group = Callable[[Entry], tuple[Cell, ...]]
RETENTION = "human peers' retention"
"""What Lin and Hovy 2002, section 4, call inter-human agreement. It is no agreement between assessors."""


def coverage_by_source(gathered: Gathered, *, alpha: float = ALPHA) -> Table | None:
    """Mean coverage of systems, baselines and humans; tasks and target lengths apart. Over and Liggett 2002."""
    return _coverage(gathered, "coverage-by-source", "Mean coverage by source", (SOURCE,), _by_source, alpha)


def coverage_by_system(gathered: Gathered, *, alpha: float = ALPHA) -> Table | None:
    """Mean coverage of every system; tasks and target lengths apart."""
    columns = (SOURCE, Column("system", "system"))

    def group(entry: Entry) -> tuple[Cell, ...]:
        return (*_by_source(entry), entry.system)

    return _coverage(gathered, "coverage-by-system", "Mean coverage by system", columns, group, alpha)


def human_retention(gathered: Gathered, *, alpha: float = ALPHA) -> Table | None:
    """How much of one person's reference other people's summaries retain: unweighted and weighted, Lin and Hovy 3.1.

    Retention_1 is the share of model units of which something is expressed, Retention_w sums their completeness.
    """
    rows = []
    for name, measure in (("retention_1", Retention()), ("retention_w", Retention(weighted=True))):
        rows += [(name, e, score) for e, score in gathered.scored(measure) if e.source == "humans"]
    if not rows:
        return None
    values = grouped(((e.protocol.name, e.task, e.length, name), score.value) for name, e, score in rows)
    found = {key: average(values[key], alpha) for key in in_order(values)}
    first = [(e, score) for name, e, score in rows if name == "retention_1"]
    return Table(
        "human-retention",
        "Human peers' retention (this is not agreement between assessors)",
        (PROTOCOL, TASK, LENGTH, Column("statistic", "statistic"), N, *interval_columns(alpha)),
        tuple((*key, a.n, a.mean, a.low, a.high) for key, a in found.items()),
        tuple(
            f"{where(key[:-1])}: {RETENTION} is {a.mean:.1%} on average ({key[-1]}, n = {a.n:,})."
            for key, a in found.items()
            if a.n
        ),
        missing_notes(score.why for _, score in first),
        _signature("retention", first, alpha),
    )


def uncovered_by_source(gathered: Gathered) -> Table | None:
    """The share of model units of which nothing is expressed: of all units together, as DUC-2002 counted them."""
    units: dict[tuple[Cell, ...], list[int]] = {}
    rows = [(e, page) for e, page, _ in gathered.coverage if e.protocol.completeness is not None]
    reasons = []
    for entry, page in rows:
        known = page.why() is None and bool(page.completeness)
        reasons.append(None if known else page.why() or "only sums of the page are known, not its units")
        own = units.setdefault(_by_source(entry), [0, 0])
        if known:
            own[0] += len(page.completeness)
            own[1] += sum(each == 0 for each in page.completeness)
    if not units:
        return None
    found = {key: (n, none, none / n if n else nan) for key, (n, none) in _sorted(units).items()}
    return Table(
        "uncovered-by-source",
        "Model units with no coverage",
        (
            PROTOCOL,
            TASK,
            LENGTH,
            SOURCE,
            Column("units", "model units"),
            Column("uncovered", "no coverage"),
            Column("share", "share"),
        ),
        tuple((*key, *cells) for key, cells in found.items()),
        tuple(
            f"{where(key)}: {share:.0%} of {n:,} model units have no coverage."
            for key, (n, _, share) in found.items()
            if n
        ),
        missing_notes(reasons),
        signed("uncovered", (e.protocol for e, _ in rows), "units:pooled"),
    )


def unmarked_by_source(gathered: Gathered) -> Table | None:
    """Peer units that matched nothing of the reference, and how many of them were said to be relevant.

    The share is of the unmarked units of pages on which relevance was judged, or on which there was none to judge.
    """
    both = zip(gathered.scored(Unmarked()), gathered.scored(Unmarked(count="relevant")), strict=True)
    rows = [(e, number, good) for (e, number), (_, good) in both if e.protocol.unmarked is not None]
    if not rows:
        return None
    sums: dict[tuple[Cell, ...], list[float]] = {}
    for entry, number, relevant in rows:
        own = sums.setdefault(_by_source(entry), [0.0, 0.0, 0.0])
        if not isnan(relevant.value):
            for at, amount in enumerate((1.0, number.value, relevant.value)):
                own[at] += amount
    cells = {
        key: (
            int(n),
            int(left),
            good,
            left / n if n else nan,
            good / n if n else nan,
            good / left if left else nan,
        )
        for key, (n, left, good) in _sorted(sums).items()
    }
    return Table(
        "unmarked-by-source",
        "Unmarked peer units, and how many of them are relevant",
        (
            PROTOCOL,
            TASK,
            LENGTH,
            SOURCE,
            N,
            Column("unmarked", "unmarked"),
            Column("relevant", "relevant", 1),
            Column("mean_unmarked", "unmarked a page", 2),
            Column("mean_relevant", "relevant a page", 2),
            Column("share", "share relevant"),
        ),
        tuple((*key, *own) for key, own in cells.items()),
        tuple(
            f"{where(key)}: {own[3]:.1f} peer units a page are unmarked, and {own[5]:.0%} of them relevant."
            for key, own in cells.items()
            if own[1]
        ),
        missing_notes(relevant.why for _, _, relevant in rows),
        signed("unmarked", (e.protocol for e, _, _ in rows)),
    )


def _coverage(
    gathered: Gathered, name: str, title: str, columns: tuple[Column, ...], group: Group, alpha: float
) -> Table | None:
    rows = list(gathered.scored(Coverage()))
    if not rows:
        return None
    values = grouped((group(e), score.value) for e, score in rows)
    found = {key: average(values[key], alpha) for key in in_order(values)}
    return Table(
        name,
        title,
        (PROTOCOL, TASK, LENGTH, *columns, N, *interval_columns(alpha), Column("median", "median", 3)),
        tuple((*key, a.n, a.mean, a.low, a.high, a.median) for key, a in found.items()),
        tuple(
            f"{where(key)}: mean coverage {a.mean:.3f} ({a.low:.3f} to {a.high:.3f}, n = {a.n:,})."
            for key, a in found.items()
            if a.n > 1
        ),
        missing_notes(score.why for _, score in rows),
        _signature("coverage", rows, alpha),
    )


def _by_source(entry: Entry) -> tuple[Cell, ...]:
    return entry.protocol.name, entry.task, entry.length, entry.source


def _sorted(found: dict[tuple[Cell, ...], list[T]]) -> dict[tuple[Cell, ...], list[T]]:
    return {key: found[key] for key in in_order(found)}


def _signature(measure: str, rows: Iterable[tuple[Entry, Score]], alpha: float) -> str:
    return signed(measure, (e.protocol for e, _ in rows), interval_words(alpha))
