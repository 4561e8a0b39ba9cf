"""How far measures correlate with people: at the system, the input and the global level, with intervals.

At the system level the means over topics of all systems are correlated; at the input level the scores of a topic's
summaries, averaged over topics; at the global level all summaries at once. Numbers of different levels answer different
questions: every row, title and sentence names its level and its coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import LEVELS
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.meta.parts import MeasureRow, MetaRun, RowsResult
from adjudge.analyses.meta.words import LEVEL_WORDS, coefficient_words, counted_words, over_words
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among
from adjudge.stats.correlation import FACTORS, Coefficient, CorrelationLevel, all_correlation_intervals


@dataclass(frozen=True, kw_only=True)
class MeasureCorrelation(MeasureRow):
    """One measure's correlation with one human measure.

    `n` are systems at the system level, topics with a correlation at the input level, summaries at the global level.
    """

    UNSEEN = ("blank", "missing", "why", "why_no_interval")

    coefficient: Coefficient
    blank: int = 0
    """At the input level: topics without a correlation, as where all systems score alike."""
    missing: int = 0
    """Summaries that people judged and the measure has no score of."""

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)


@dataclass(frozen=True, repr=False, kw_only=True)
class CorrelationsResult(RowsResult[MeasureCorrelation]):
    """Every measure against every human measure."""

    WORDS = "adjudge.analyses.meta.words.correlations"
    FIGURES: ClassVar[Mapping[str, str]] = {"scatter": "adjudge.analyses.meta.figures:scatter"}
    FRAME = "correlations"
    IN_JSON = ("correlations",)
    TITLE = "Correlation of measures with people"

    resample: str
    """What the intervals resample: systems, inputs, assessors or all."""
    meanings: tuple[str, ...]
    """For what the intervals hold, in words."""
    cells: Cells
    """The scores that were correlated."""

    @property
    def levels(self) -> tuple[CorrelationLevel, ...]:
        return tuple(dict.fromkeys(row.level for row in self.rows))

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        return tuple(dict.fromkeys(row.coefficient for row in self.rows))

    def how(self) -> str:
        return (
            f"correlations|resample:{self.resample}|R:{self.resamples}|level:{self.confidence:g}|seed:{self.seed}"
            f"|v:{__version__}"
        )

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
            if row.why is not None:
                yield Note.of("no-value", **row.about("level", "coefficient", "why"))
            elif row.why_no_interval is not None:
                yield Note.of("no-interval", **row.about("level"), why=row.why_no_interval)
            if row.blank:
                yield Note.of("topics-without-correlation", **row.about("level"), n=row.blank)

    def at(self, level: CorrelationLevel, among: Among) -> Table:
        """A row per measure and human measure, a column per coefficient."""
        rows = self.of(level=level, among=among)
        humans = {row.human.words for row in rows}
        whom = humans.pop() if len(humans) == 1 else "people"
        lines: dict[tuple[str, str], dict[str, Cell]] = {}
        for row in rows:
            names: dict[str, Cell] = {"measure": row.measure.heading, "human": row.human.heading, "n": row.n}
            line = lines.setdefault((row.human.measure, row.measure.measure), names)
            line[row.coefficient] = row.shown()
        return Table.of(
            f"correlations-{level}-{among}",
            lines.values(),
            Column("measure", right=False),
            Column("human", "with", right=False, show="varies"),
            Column("n", counted_words(level), right=True),
            *(Column(name, coefficient_words(name, short=True), right=True) for name in self.coefficients),
            title=f"Correlation with {whom} at the {level} level, among {over_words(among)}:"
            f" {LEVEL_WORDS[level]}{self.intervals(rows)}",
        )


def correlate_all(run: MetaRun) -> CorrelationsResult:
    """Every measure against every human measure, at every level and by every coefficient that was asked for."""
    asked = run.asked
    rows: list[MeasureCorrelation] = []
    meanings: dict[str, None] = {}
    wanted = [
        (cells, human, level) for cells in run.choices for human in cells.humans for level in run.levels
    ]
    for done, (cells, human, level) in enumerate(wanted):
        asked.progress(done, len(wanted))
        units = {"systems": "systems", "inputs": cells.topic_units, "assessors": "assessors"}
        by_coefficient = all_correlation_intervals(
            cells.automatic,
            human.by_assessor,
            level=level,
            coefficients=asked.correlated_by,
            resample=asked.resample,
            rng=run.draws(f"correlations/{human.info.measure}/{level}/{cells.chosen}"),
            resamples=asked.interval_resamples,
            confidence=run.confidence,
            clusters=cells.clusters,
            all_topics=cells.all_topics,
        )
        for coefficient, intervals in by_coefficient.items():
            if np.isfinite(intervals.low).any():
                meanings[intervals.meaning()] = None
            estimates = intervals.estimates
            drawn = {
                factor: factor in intervals.factors
                for factor in FACTORS
                if factor != "assessors" or human.assessors
            }
            over, same = (
                tuple(units[factor] for factor in drawn if drawn[factor] is is_drawn)
                for is_drawn in (True, False)
            )
            rows += [
                MeasureCorrelation(
                    measure=measure,
                    human=human.info,
                    level=level,
                    coefficient=coefficient,
                    among=cells.chosen,
                    n=int(estimates.n[at]),
                    value=float(estimates.values[at]),
                    low=float(intervals.low[at]),
                    high=float(intervals.high[at]),
                    blank=int(estimates.blank[at]),
                    missing=int(np.count_nonzero(np.isfinite(human.values) & np.isnan(cells.automatic[at]))),
                    why=estimates.why[at],
                    why_no_interval=None if estimates.why[at] else intervals.why[at],
                    over=over,
                    same=same,
                )
                for at, measure in enumerate(cells.measures)
            ]
    order = {human.info.measure: at for at, human in enumerate(run.cells.humans)}
    rows.sort(key=lambda row: (LEVELS.index(row.level), run.among.index(row.among), order[row.human.measure]))
    return CorrelationsResult(
        rows=tuple(rows),
        confidence=run.confidence,
        resample=asked.resample,
        meanings=tuple(meanings),
        resamples=asked.interval_resamples,
        seed=asked.seed,
        cells=run.cells,
    )
