"""How far measures correlate with people: at the system, the input and the global level, with intervals.

At the system level the means over topics of all systems are correlated; at the input level the scores of a topic's
summaries, averaged over topics; at the global level all summaries at once. Numbers of different levels answer different
questions: every row, title and sentence names its level and its coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import LEVELS, Meta
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.rows import COLUMNS, rows_of
from adjudge.analyses.meta.words import LEVEL_WORDS, coefficient_words, interval_words, n_words, over_words
from adjudge.core.engine import generator
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.correlation import (
    Coefficient,
    CorrelationIntervals,
    CorrelationLevel,
    all_correlation_intervals,
)


@dataclass(frozen=True)
class MeasureCorrelation:
    """One measure's correlation with one human measure, at one level, by one coefficient."""

    measure: MeasureInfo
    human: MeasureInfo
    level: CorrelationLevel
    coefficient: Coefficient
    among: Among
    n: int
    """Systems at the system level, topics with a correlation at the input level, summaries at the global level."""
    value: float
    low: float
    high: float
    blank: int = 0
    """At the input level: topics without a correlation, as where all systems score alike."""
    missing: int = 0
    """Summaries that people judged and the measure has no score of."""
    why: str | None = None
    """Why there is no value."""
    why_no_interval: str | None = None

    def record(self) -> dict[str, Any]:
        names = {"measure": self.measure.measure, "human": self.human.measure}
        more = ("blank", "missing", "why", "why_no_interval")
        return names | {name: getattr(self, name) for name in (*COLUMNS[2:], *more)}

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def shown(self) -> Cell:
        """`.42 (.10 to .66)`."""
        return None if math.isnan(self.value) else f"{self.value:.3f}{interval_words(self.low, self.high)}"


@dataclass(frozen=True, repr=False, kw_only=True)
class CorrelationsResult(Result):
    """Every measure against every human measure."""

    WORDS = "adjudge.analyses.meta.words.correlations"
    FIGURES: ClassVar[Mapping[str, str]] = {"scatter": "adjudge.analyses.meta.figures:scatter"}
    FRAME = "correlations"
    IN_JSON = ("correlations",)

    rows: tuple[MeasureCorrelation, ...]
    confidence: float
    resample: str
    """What the intervals resample: systems, inputs, assessors or all."""
    meanings: tuple[str, ...]
    """For what the intervals hold, in words."""
    cells: Cells
    """The scores that were correlated."""
    resamples: int
    seed: int

    @property
    def levels(self) -> tuple[CorrelationLevel, ...]:
        return tuple(dict.fromkeys(row.level for row in self.rows))

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        return tuple(dict.fromkeys(row.coefficient for row in self.rows))

    def of(
        self,
        *,
        level: CorrelationLevel,
        coefficient: Coefficient | None = None,
        human: str | None = None,
        among: Among | None = None,
    ) -> list[MeasureCorrelation]:
        """The rows of a level, and of a coefficient, human measure and choice of systems where these are said."""
        return rows_of(self.rows, level=level, coefficient=coefficient, human=human, among=among)

    def how(self) -> str:
        return (
            f"correlations|resample:{self.resample}|R:{self.resamples}|level:{self.confidence:g}|seed:{self.seed}"
            f"|v:{__version__}"
        )

    def groups(self) -> dict[str, tuple[CorrelationLevel, Among]]:
        """By the name of its table: a level and a choice of systems."""
        choices = list(dict.fromkeys(row.among for row in self.rows))
        return {f"correlations-{level}-{among}": (level, among) for level in self.levels for among in choices}

    def facts(self) -> dict[str, Any]:
        return {"confidence": self.confidence, "resample": self.resample}

    def notes(self) -> Iterator[Note]:
        for meaning in filter(None, self.meanings):
            yield Note.of("intervals-cover", meaning=meaning)
        for measure, human, n in dict.fromkeys(
            (row.measure.words, row.human.words, row.missing) for row in self.rows if row.missing
        ):
            yield Note.of("judged-without-score", measure=measure, human=human, n=n)
        for row in self.rows:
            about = {"measure": row.measure.words, "human": row.human.words, "level": row.level}
            if row.why is not None:
                yield Note.of("no-value", **about, coefficient=row.coefficient, why=row.why)
            elif row.why_no_interval is not None:
                yield Note.of("no-interval", **about, why=row.why_no_interval)
            if row.blank:
                yield Note.of("topics-without-correlation", **about, n=row.blank)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"correlations": self._all_rows}

    def _all_rows(self) -> Table:
        """All numbers, one row each."""
        return Table.of(
            "correlations",
            [row.record() for row in self.rows],
            *(Column(name, right=None, tiny=False) for name in COLUMNS),
            *(Column(name, show="never") for name in ("blank", "missing", "why", "why_no_interval")),
            title="Correlation of measures with people",
        )

    def tables(self) -> Iterator[Table]:
        """A table per level and choice of systems: a row per measure and human measure, a column per coefficient."""
        for level, among in self.groups().values():
            yield self._at(level, among)

    def _at(self, level: CorrelationLevel, among: Among) -> Table:
        rows = self.of(level=level, among=among)
        keys = list(dict.fromkeys((row.human.measure, row.measure.measure) for row in rows))
        held = {(row.human.measure, row.measure.measure, row.coefficient): row for row in rows}
        lines: list[tuple[Cell, ...]] = []
        for key in keys:
            by_coefficient = [held[(*key, coefficient)] for coefficient in self.coefficients]
            lines.append(
                (
                    by_coefficient[0].measure.heading,
                    by_coefficient[0].human.heading,
                    by_coefficient[0].n,
                    *(row.shown() for row in by_coefficient),
                )
            )
        return Table(
            name=f"correlations-{level}-{among}",
            columns=(
                Column("measure", right=False),
                Column("human", "with", right=False, show="varies"),
                Column("n", n_words(level, 2).split(" ", 1)[1], right=True),
                *(
                    Column(
                        coefficient,
                        f"{coefficient_words(coefficient, short=True)}, {level} level",
                        right=True,
                    )
                    for coefficient in self.coefficients
                ),
            ),
            rows=tuple(lines),
            title=(
                f"Correlation with {_whom(rows)} at the {level} level, among {over_words(among)}: {LEVEL_WORDS[level]}"
                + (f"; {self.confidence:.0%} intervals" if any(row.bounded for row in rows) else "")
            ),
        )


def _whom(rows: Sequence[MeasureCorrelation]) -> str:
    """The human measure, where there is one; else people."""
    humans = {row.human.words for row in rows}
    return humans.pop() if len(humans) == 1 else "people"


def correlate_all(
    cells: Cells, asked: Meta, progress: Callable[[int, int], None] = lambda done, of: None
) -> CorrelationsResult:
    """Every measure against every human measure, at every level and by every coefficient that was asked for."""
    rows: list[MeasureCorrelation] = []
    meanings: dict[str, None] = {}
    choices = asked.choices(cells)
    wanted = [(among, human, level) for among in choices for human in cells.humans for level in asked.levels]
    for done, (among, human, level) in enumerate(wanted):
        progress(done, len(wanted))
        chosen = cells.among(among)
        by_coefficient = all_correlation_intervals(
            chosen.automatic,
            chosen.human(human.info.measure).by_assessor,
            level=level,  # type: ignore[arg-type]
            coefficients=asked.correlated_by,
            resample=asked.resample,
            rng=generator(asked.seed, f"meta/correlations/{human.info.measure}/{level}/{among}"),
            resamples=asked.interval_resamples,
            confidence=1 - asked.alpha,
            clusters=chosen.clusters,
            all_topics=chosen.all_topics,
        )
        for coefficient, intervals in by_coefficient.items():
            rows += _rows(chosen, chosen.human(human.info.measure), among, coefficient, intervals)
            if np.isfinite(intervals.low).any():
                meanings[intervals.meaning()] = None
    order = {human.info.measure: at for at, human in enumerate(cells.humans)}
    rows.sort(
        key=lambda row: (
            LEVELS.index(row.level),
            choices.index(row.among),
            order[row.human.measure],
        )
    )
    return CorrelationsResult(
        rows=tuple(rows),
        confidence=1 - asked.alpha,
        resample=asked.resample,
        meanings=tuple(meanings),
        resamples=asked.interval_resamples,
        seed=asked.seed,
        cells=cells,
    )


def _rows(
    cells: Cells, human: HumanCells, among: Among, coefficient: Coefficient, intervals: CorrelationIntervals
) -> Iterator[MeasureCorrelation]:
    estimates = intervals.estimates
    for at, measure in enumerate(cells.measures):
        yield MeasureCorrelation(
            measure=measure,
            human=human.info,
            level=estimates.level,
            coefficient=coefficient,
            among=among,
            n=int(estimates.n[at]),
            value=float(estimates.values[at]),
            low=float(intervals.low[at]),
            high=float(intervals.high[at]),
            blank=int(estimates.blank[at]),
            missing=int(np.count_nonzero(np.isfinite(human.values) & np.isnan(cells.automatic[at]))),
            why=estimates.why[at],
            why_no_interval=None if estimates.why[at] else intervals.why[at],
        )
