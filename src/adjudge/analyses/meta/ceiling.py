"""The human ceiling: is a measure as near to people as one assessor is to the others?

Each assessor is compared with the mean of the rest, and every measure with the same leave-one-out means. A measure is
said to be above the ceiling, or below it, only where the interval of the difference says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import POOLED, Cells, HumanCells
from adjudge.analyses.meta.rows import rows_of
from adjudge.analyses.meta.words import over_words
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import listed
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.ceiling import CeilingCoefficient, human_ceiling
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import CorrelationLevel

COLUMNS = (
    "measure",
    "human",
    "level",
    "coefficient",
    "among",
    "n",
    "value",
    "ceiling",
    "difference",
    "low",
    "high",
)
"""n counts assessors; low and high are those of the difference."""
MORE = ("why", "why_no_interval")
ACCURACY: dict[str, str] = {"input": "acc-eq", "system": "pairwise"}
"""What the share of pairs in the same order is called at each level, as among the accuracies."""


@dataclass(frozen=True)
class MeasureCeiling:
    """One measure beside the assessors, at one level, by one coefficient."""

    measure: MeasureInfo
    human: MeasureInfo
    level: CorrelationLevel
    coefficient: str
    among: Among
    n: int
    """Assessors over whom is averaged."""
    value: float
    """The measure with the leave-one-out means, averaged over assessors."""
    ceiling: float
    """The assessors with the same, on the cells that the measure has."""
    difference: float
    low: float
    high: float
    why: str | None = None
    why_no_interval: str | None = None

    def record(self) -> dict[str, Any]:
        names = {"measure": self.measure.measure, "human": self.human.measure}
        return names | {name: getattr(self, name) for name in (*COLUMNS[2:], *MORE)}

    def shown(self) -> Cell:
        """`+0.120 (+0.03 to +0.21)`."""
        if math.isnan(self.difference):
            return None
        interval = "" if math.isnan(self.low) else f" ({_signed(self.low)} to {_signed(self.high)})"
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
    by_assessor: tuple[tuple[str, float], ...]
    shared: int
    """Summaries that two assessors or more judged."""
    alone: int
    """Summaries that nobody else judged."""
    over: tuple[str, ...]
    """What intervals resample."""

    @property
    def assessors(self) -> int:
        """Who have a coefficient."""
        return sum(not math.isnan(value) for _, value in self.by_assessor)


@dataclass(frozen=True, repr=False, kw_only=True)
class CeilingResult(Result):
    """Every measure beside the assessors of every human measure."""

    WORDS = "adjudge.analyses.meta.words.ceiling"
    FIGURES: ClassVar[Mapping[str, str]] = {"ceiling": "adjudge.analyses.meta.figures:ceiling"}
    FRAME = "ceiling"
    IN_JSON = ("ceiling",)

    rows: tuple[MeasureCeiling, ...]
    ceilings: tuple[AssessorsCeiling, ...]
    confidence: float
    clustered: bool
    unjudged: tuple[Note, ...]
    """Of human measures that have no ceiling, or not from all judgments."""
    resamples: int
    seed: int

    def of(
        self,
        *,
        level: str | None = None,
        coefficient: str | None = None,
        human: str | None = None,
        among: Among | None = None,
    ) -> list[MeasureCeiling]:
        """The rows of a level, coefficient, human measure and choice of systems, where these are said."""
        return rows_of(self.rows, level=level, coefficient=coefficient, human=human, among=among)

    def shown_as(self) -> dict[str, tuple[CorrelationLevel, Among]]:
        """By the name of its table: a level and a choice of systems."""
        return {f"ceiling-{row.level}-{row.among}": (row.level, row.among) for row in self.ceilings}

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
        return {
            "confidence": self.confidence,
            "ceilings": [
                {
                    "human": ceiling.human.measure,
                    "level": ceiling.level,
                    "coefficient": ceiling.coefficient,
                    "among": ceiling.among,
                    "value": ceiling.value,
                    "by_assessor": dict(ceiling.by_assessor),
                    "shared": ceiling.shared,
                    "alone": ceiling.alone,
                    "over": ceiling.over,
                }
                for ceiling in self.ceilings
            ],
        }

    def notes(self) -> Iterator[Note]:
        yield from self.unjudged
        for ceiling in self.ceilings:
            human, among = ceiling.human.words, ceiling.among
            if ceiling.alone:
                yield Note.of(
                    "judged-by-one", human=human, among=among, n=ceiling.alone, shared=ceiling.shared
                )
            missing = [name for name, value in ceiling.by_assessor if math.isnan(value)]
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
            about = {
                "measure": row.measure.words,
                "human": row.human.words,
                "level": row.level,
                "coefficient": row.coefficient,
                "among": row.among,
            }
            if row.why is not None:
                yield Note.of("no-value", **about, why=row.why)
            elif row.why_no_interval is not None:
                yield Note.of("no-interval", **about, why=row.why_no_interval)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"ceiling": self._all_rows}

    def _all_rows(self) -> Table:
        """All numbers, one row each."""
        return Table.of(
            "ceiling",
            [row.record() for row in self.rows],
            *(Column(name, right=None, tiny=False) for name in COLUMNS),
            *(Column(name, show="never") for name in MORE),
            title="Measures beside the human ceiling",
        )

    def tables(self) -> Iterator[Table]:
        """A table per level and choice of systems: a row per human measure, measure and coefficient."""
        for level, among in self.shown_as().values():
            yield self._at(level, among)

    def _at(self, level: CorrelationLevel, among: Among) -> Table:
        rows = self.of(level=level, among=among)
        over = list(
            dict.fromkeys(
                name for ceiling in self.ceilings for name in ceiling.over if ceiling.level == level
            )
        )
        if self.clustered:
            over = ["sets of topics" if name == "topics" else name for name in over]
        return Table(
            name=f"ceiling-{level}-{among}",
            columns=(
                Column("measure", right=False),
                Column("human", "with", right=False, show="varies"),
                Column("coefficient", right=False),
                Column("n", "assessors", right=True),
                Column("ceiling", f"human ceiling, {level} level", right=True, tiny=False),
                Column("value", f"measure's, {level} level", right=True, tiny=False),
                Column("shown", f"difference, {level} level", right=True, data=False),
                *(Column(name, show="never") for name in ("difference", "low", "high")),
            ),
            rows=tuple(
                (
                    row.measure.heading,
                    row.human.heading,
                    row.coefficient,
                    row.n,
                    row.ceiling,
                    row.value,
                    row.shown(),
                    row.difference,
                    row.low,
                    row.high,
                )
                for row in rows
            ),
            title=(
                f"Measures and assessors with the mean of the other assessors, {level} level, among {over_words(among)}"
                + (f"; {self.confidence:.0%} intervals of the difference over {listed(over)}" if over else "")
            ),
        )


def _signed(value: float) -> str:
    """`+0.12`; with more decimals where two would hide on which side of 0 it is."""
    for digits in (2, 3, 4):
        text = f"{value:+.{digits}f}"
        if float(text):
            return text
    return f"{value:+z.2f}"


def ceiling_all(cells: Cells, asked: Meta) -> CeilingResult:
    """Every measure beside the human ceiling, at every level and by every coefficient that was asked for.

    Also by pairwise accuracy, at the system level and within topics. A human measure without two assessors has no
    ceiling, and a note says so; where none has one, that is an error.
    """
    rows: list[MeasureCeiling] = []
    ceilings: list[AssessorsCeiling] = []
    notes: list[Note] = []
    absent: list[str] = []
    for human in cells.humans:
        names, _ = _panel(human)
        if len(names) < 2:
            who = "name no assessor" if not names else f"come from one assessor ({names[0]})"
            absent.append(f"there is no human ceiling for {human.info.words}: its judgments {who}")
        elif POOLED in human.assessors:
            notes.append(Note.of("judgments-without-assessor", human=human.info.words))
    if len(absent) == len(cells.humans):
        raise DataError("; ".join(absent))
    for level in asked.levels:
        coefficients: dict[str, CeilingCoefficient] = {name: name for name in asked.correlated_by}
        if level in ACCURACY:
            coefficients[ACCURACY[level]] = "pairwise"
        for among in asked.choices(cells):
            some = cells.among(among)
            for human in some.humans:
                if len(_panel(human)[0]) > 1:
                    for name, how in coefficients.items():
                        ceiling, measure_rows = _ceiling(some, human, level, name, how, asked)  # type: ignore[arg-type]
                        ceilings.append(ceiling)
                        rows += measure_rows
    return CeilingResult(
        rows=tuple(rows),
        ceilings=tuple(ceilings),
        confidence=1 - asked.alpha,
        clustered=cells.clusters is not None,
        unjudged=(*(Note.of("no-ceiling", why=why) for why in absent), *notes),
        resamples=asked.interval_resamples,
        seed=asked.seed,
    )


def _panel(human: HumanCells) -> tuple[tuple[str, ...], FloatArray]:
    """The assessors who judged anything, by name."""
    kept = [
        k
        for k, name in enumerate(human.assessors)
        if name != POOLED and not np.isnan(human.by_assessor[k]).all()
    ]
    return tuple(human.assessors[k] for k in kept), human.by_assessor[kept]


def _ceiling(
    cells: Cells,
    human: HumanCells,
    level: CorrelationLevel,
    name: str,
    how: CeilingCoefficient,
    asked: Meta,
) -> tuple[AssessorsCeiling, list[MeasureCeiling]]:
    """The ceiling of one human measure, and every measure beside it."""
    names, judged = _panel(human)
    result = human_ceiling(
        cells.automatic,
        judged,
        level=level,
        coefficient=how,
        rng=generator(asked.seed, "meta/ceiling"),
        resamples=asked.interval_resamples,
        confidence=1 - asked.alpha,
        clusters=cells.clusters,
    )
    ceiling = AssessorsCeiling(
        human=human.info,
        level=level,
        coefficient=name,
        among=cells.chosen,
        value=result.ceiling,
        by_assessor=tuple(zip(names, result.by_assessor.tolist(), strict=True)),
        shared=result.shared,
        alone=result.alone,
        over=result.over,
    )
    rows = [
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
        )
        for m, measure in enumerate(cells.measures)
    ]
    return ceiling, rows
