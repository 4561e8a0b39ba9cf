"""The human ceiling: is a measure as near to people as one assessor is to the others?

Each assessor is compared with the mean of the rest, and every measure with the same leave-one-out means. A measure is
said to be above the ceiling, or below it, only where the interval of the difference says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import POOLED, HumanCells
from adjudge.analyses.meta.parts import COLUMNS, MeasureRow, MetaRun, RowsResult
from adjudge.analyses.meta.words import over_words, signed
from adjudge.core.errors import DataError
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.ceiling import CeilingCoefficient, human_ceiling
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import CorrelationLevel

ACCURACY: dict[str, str] = {"input": "acc-eq", "system": "pairwise"}
"""What the share of pairs in the same order is called at each level, as among the accuracies."""


@dataclass(frozen=True, kw_only=True)
class MeasureCeiling(MeasureRow):
    """One measure beside the assessors, of whom `n` are averaged over; low and high are those of the difference."""

    COLUMNS = (*COLUMNS[:7], "ceiling", "difference", "low", "high")

    ceiling: float
    """The assessors with the leave-one-out means, on the cells that the measure has."""
    difference: float

    def shown(self) -> Cell:
        """`+0.120 (+0.03 to +0.21)`."""
        if math.isnan(self.difference):
            return None
        interval = "" if math.isnan(self.low) else f" ({signed(self.low)} to {signed(self.high)})"
        return f"{self.difference:+z.3f}{interval}"


@dataclass(frozen=True)
class AssessorsCeiling:
    """The ceiling of one human measure, at one level, by one coefficient."""

    human: MeasureInfo
    level: CorrelationLevel
    coefficient: str
    among: Among
    value: float
    """The mean over assessors."""
    by_assessor: Mapping[str, float]
    shared: int
    """Summaries that two assessors or more judged."""
    alone: int
    """Summaries that nobody else judged."""
    over: tuple[str, ...]
    """What intervals resample."""

    @property
    def assessors(self) -> int:
        """Who have a coefficient."""
        return sum(not math.isnan(value) for value in self.by_assessor.values())


@dataclass(frozen=True, repr=False, kw_only=True)
class CeilingResult(RowsResult[MeasureCeiling]):
    """Every measure beside the assessors of every human measure."""

    WORDS = "adjudge.analyses.meta.words.ceiling"
    FIGURES: ClassVar[Mapping[str, str]] = {"ceiling": "adjudge.analyses.meta.figures:ceiling"}
    FRAME = "ceiling"
    IN_JSON = ("ceiling",)
    TITLE = "Measures and the human ceiling"

    ceilings: tuple[AssessorsCeiling, ...]
    clustered: bool
    unjudged: tuple[Note, ...]
    """Of human measures that have no ceiling, or not from all judgments."""

    def first_of(self, level: str, among: Among) -> list[AssessorsCeiling]:
        """The ceiling of every human measure by the first coefficient, which makes the sentences."""
        by_human: dict[str, AssessorsCeiling] = {}
        for ceiling in self.ceilings:
            if (ceiling.level, ceiling.among) == (level, among):
                by_human.setdefault(ceiling.human.measure, ceiling)
        return list(by_human.values())

    def how(self) -> str:
        over = "sets" if self.clustered else "topics"
        return (
            f"ceiling|leave-one-out|t:satterthwaite|bootstrap:{over}:{self.resamples}|jackknife:assessors"
            f"|global:jackknife:{over}|seed:{self.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        ceilings = [vars(ceiling) | {"human": ceiling.human.measure} for ceiling in self.ceilings]
        return {"confidence": self.confidence, "ceilings": ceilings}

    def notes(self) -> Iterator[Note]:
        yield from self.unjudged
        for ceiling in self.ceilings:
            human, among, n = ceiling.human.words, ceiling.among, ceiling.alone
            if n:
                yield Note.of("judged-by-one", human=human, among=among, n=n, shared=ceiling.shared)
            missing = [name for name, value in ceiling.by_assessor.items() if math.isnan(value)]
            if missing and ceiling.assessors:
                yield Note.of(
                    "assessors-without-coefficient",
                    human=human,
                    level=ceiling.level,
                    coefficient=ceiling.coefficient,
                    among=among,
                    assessors=missing,
                )
            if ceiling.over == ("topics",):
                yield Note.of("for-these-assessors", human=human, n=len(ceiling.by_assessor))
        for row in self.rows:
            about = row.about("level", "coefficient", "among")
            if row.why is not None:
                yield Note.of("no-value", **about, why=row.why)
            elif row.why_no_interval is not None:
                yield Note.of("no-interval", **about, why=row.why_no_interval)

    def at(self, level: CorrelationLevel, among: Among) -> Table:
        """A row per human measure, measure and coefficient."""
        rows = self.of(level=level, among=among)
        return Table.of(
            f"ceiling-{level}-{among}",
            [
                vars(row) | {"measure": row.measure.heading, "human": row.human.heading, "shown": row.shown()}
                for row in rows
            ],
            Column("measure", right=False),
            Column("human", "with", right=False, show="varies"),
            Column("coefficient", right=False),
            Column("n", "assessors", right=True),
            Column("ceiling", "human ceiling", right=True, tiny=False),
            Column("value", "the measure", right=True, tiny=False),
            Column("shown", "difference", right=True, data=False),
            *hidden("difference low high"),
            title=f"Measures and the human ceiling at the {level} level, among {over_words(among)}"
            f"{self.intervals(rows, 'intervals of the difference')}",
        )


def ceiling_all(run: MetaRun) -> CeilingResult:
    """Every measure beside the human ceiling, at every level and by every coefficient that was asked for.

    Also by pairwise accuracy, at the system level and within topics. A human measure without two assessors has no
    ceiling, and a note says so; where none has one, that is an error.
    """
    rows: list[MeasureCeiling] = []
    ceilings: list[AssessorsCeiling] = []
    notes: list[Note] = []
    absent: list[str] = []
    for human in run.cells.humans:
        names, _ = _panel(human)
        if len(names) < 2:
            who = "name no assessor" if not names else f"come from one assessor ({names[0]})"
            absent.append(f"there is no human ceiling for {human.info.words}: its judgments {who}")
        elif POOLED in human.assessors:
            notes.append(Note.of("judgments-without-assessor", human=human.info.words))
    if len(absent) == len(run.cells.humans):
        raise DataError("; ".join(absent))
    for level in run.levels:
        coefficients: dict[str, CeilingCoefficient] = {name: name for name in run.asked.correlated_by}
        if level in ACCURACY:
            coefficients[ACCURACY[level]] = "pairwise"
        panels = [(cells, human, *_panel(human)) for cells in run.choices for human in cells.humans]
        for cells, human, names, judged in panels:
            for name, how in coefficients.items() if len(names) > 1 else ():
                result = human_ceiling(
                    cells.automatic,
                    judged,
                    level=level,
                    coefficient=how,
                    rng=run.draws("ceiling"),
                    resamples=run.asked.interval_resamples,
                    confidence=run.confidence,
                    clusters=cells.clusters,
                )
                ceilings.append(
                    AssessorsCeiling(
                        human=human.info,
                        level=level,
                        coefficient=name,
                        among=cells.chosen,
                        value=result.ceiling,
                        by_assessor=dict(zip(names, result.by_assessor.tolist(), strict=True)),
                        shared=result.shared,
                        alone=result.alone,
                        over=result.over,
                    )
                )
                rows += [
                    MeasureCeiling(
                        measure=measure,
                        human=human.info,
                        level=level,
                        coefficient=name,
                        among=cells.chosen,
                        n=int(result.assessors[m]),
                        value=float(result.values[m]),
                        ceiling=float(result.ceilings[m]),
                        difference=float(result.difference[m]),
                        low=float(result.low[m]),
                        high=float(result.high[m]),
                        why=result.why[m],
                        why_no_interval=result.why_no_interval[m],
                        over=tuple(cells.topic_units if unit == "topics" else unit for unit in result.over),
                        same=("systems", "assessors"),
                    )
                    for m, measure in enumerate(cells.measures)
                ]
    return CeilingResult(
        rows=tuple(rows),
        ceilings=tuple(ceilings),
        confidence=run.confidence,
        clustered=run.cells.clusters is not None,
        unjudged=(*(Note.of("no-ceiling", why=why) for why in absent), *notes),
        resamples=run.asked.interval_resamples,
        seed=run.asked.seed,
    )


def _panel(human: HumanCells) -> tuple[tuple[str, ...], FloatArray]:
    """The assessors who judged anything, by name."""
    kept = [
        k
        for k, name in enumerate(human.assessors)
        if name != POOLED and not np.isnan(human.by_assessor[k]).all()
    ]
    return tuple(human.assessors[k] for k in kept), human.by_assessor[kept]
