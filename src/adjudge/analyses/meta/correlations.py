"""How far measures correlate with people: at the system, the input and the global level, with intervals.

At the system level the means over topics of all systems are correlated; at the input level the scores of a topic's
summaries, averaged over topics; at the global level all summaries at once. Numbers of different levels answer different
questions: every row, title and sentence names its level and its coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.options import MetaOptions
from adjudge.analyses.meta.rows import COLUMNS, rows_of
from adjudge.analyses.meta.words import (
    LEVEL_WORDS,
    LEVELS,
    coefficient_words,
    interval_words,
    n_words,
    over_words,
    where_words,
)
from adjudge.core.engine import generator
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.correlation import (
    Coefficient,
    CorrelationIntervals,
    CorrelationLevel,
    all_correlation_intervals,
)

if TYPE_CHECKING:
    import pandas as pd


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
        """The columns of `--csv`."""
        return {
            "measure": self.measure.measure,
            "human": self.human.measure,
            "level": self.level,
            "coefficient": self.coefficient,
            "among": self.among,
            "n": self.n,
            "value": self.value,
            "low": self.low,
            "high": self.high,
        }

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def shown(self) -> Cell:
        """`.42 (.10 to .66)`."""
        return None if math.isnan(self.value) else f"{self.value:.3f}{interval_words(self.low, self.high)}"


@dataclass(frozen=True, repr=False)
class CorrelationsResult(Pictured, Tabular):
    """Every measure against every human measure."""

    FIGURES: ClassVar[Mapping[str, str]] = {"scatter": "adjudge.analyses.meta.figures:scatter"}

    rows: tuple[MeasureCorrelation, ...]
    confidence: float
    resample: str
    """What the intervals resample: systems, inputs, assessors or all."""
    meanings: tuple[str, ...]
    """For what the intervals hold, in words."""
    signature: str
    notes: tuple[str, ...] = ()
    cells: Cells | None = None
    """The scores that were correlated."""

    @property
    def levels(self) -> tuple[CorrelationLevel, ...]:
        return tuple(dict.fromkeys(each.level for each in self.rows))

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        return tuple(dict.fromkeys(each.coefficient for each in self.rows))

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

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """For each level, human measure and choice of systems: who correlates most, and whose interval has 0 in it."""
        coefficient = self.coefficients[0]
        for level in self.levels:
            for human in dict.fromkeys(each.human.measure for each in self.rows):
                for among in dict.fromkeys(each.among for each in self.rows):
                    found = self.of(level=level, coefficient=coefficient, human=human, among=among)
                    yield from self._sentences(found)

    def _sentences(self, found: Sequence[MeasureCorrelation]) -> Iterator[str]:
        """Who correlates most and least; whose correlation may be none at all."""
        there = sorted((each for each in found if not math.isnan(each.value)), key=lambda each: -each.value)
        first = found[0]
        where = where_words(first.level, first.among, first.coefficient)
        if not there:
            yield f"{where}, no correlation with {first.human.words} can be computed: {first.why}."
            return
        best, last = _sharing(there, there[0]), _sharing(there, there[-1])
        known = "" if math.isnan(best[0].low) else f"; {self.confidence:.0%} interval {_ends(best[0])}"
        verb = "correlates" if len(best) == 1 else "correlate"
        most = " most" if len(best) < len(there) else ""
        least = f", {_names(last)} least: {last[0].value:z.2f}" if most else ""
        yield (
            f"{where}, {_names(best)} {verb}{most} with {first.human.words}: {best[0].value:z.2f}"
            f" ({n_words(first.level, best[0].n)}{known}){least}."
        )
        if none := [each for each in there if each.low <= 0 <= each.high]:
            one = len(none) == 1
            whose = f"all {len(none)} measures" if len(none) == len(there) > 2 else _names(none)
            yield (
                f"{where}, the {'interval' if one else 'intervals'} of {whose} {'includes' if one else 'include'} 0:"
                f" {'it' if one else 'each of them'} may not be correlated with {first.human.words} at all."
            )

    def table(self) -> Table:
        """All numbers, one row each; `tables` has one for people per level."""
        return Table(
            name="correlations",
            columns=tuple(Column(name, right=None, tiny=False) for name in COLUMNS),
            rows=tuple(tuple(each.record().values()) for each in self.rows),
            title="Correlation of measures with people",
            said=tuple(self.sentences()),
            notes=self._notes(),
            signature=self.signature,
        )

    def tables(self) -> Tables:
        """A table per level and choice of systems: a row per measure and human measure, a column per coefficient."""
        found = [
            self._at(level, among)
            for level in self.levels
            for among in dict.fromkeys(each.among for each in self.rows)
        ]
        return Tables(tuple(found), notes=self._notes())

    def _at(self, level: CorrelationLevel, among: Among) -> Table:
        rows = self.of(level=level, among=among)
        keys = list(dict.fromkeys((each.human.measure, each.measure.measure) for each in rows))
        held = {(each.human.measure, each.measure.measure, each.coefficient): each for each in rows}
        lines: list[tuple[Cell, ...]] = []
        for key in keys:
            own = [held[(*key, coefficient)] for coefficient in self.coefficients]
            lines.append(
                (own[0].measure.heading, own[0].human.heading, own[0].n, *(each.shown() for each in own))
            )
        return Table(
            name=f"correlations-{level}-{among}",
            columns=(
                Column("measure", right=False),
                Column("human", "with", right=False, show="varies"),
                Column("n", n_words(level, 2).split(" ", 1)[1], right=True),
                *(
                    Column(each, f"{coefficient_words(each, short=True)}, {level} level", right=True)
                    for each in self.coefficients
                ),
            ),
            rows=tuple(lines),
            title=(
                f"Correlation with {_whom(rows)} at the {level} level, among {over_words(among)}: {LEVEL_WORDS[level]}"
                + (f"; {self.confidence:.0%} intervals" if any(each.bounded for each in rows) else "")
            ),
            said=tuple(
                sentence
                for human in dict.fromkeys(each.human.measure for each in rows)
                for sentence in self._sentences(
                    self.of(level=level, coefficient=self.coefficients[0], human=human, among=among)
                )
            ),
            signature=self.signature,
        )

    def _notes(self) -> tuple[str, ...]:
        found = [*self.notes, *(f"the intervals cover {each}" for each in self.meanings if each)]
        seen: dict[str, None] = {}
        for each in self.rows:
            about = f"{each.measure.words} with {each.human.words}, {each.level} level"
            if each.why is not None:
                seen[f"{about}, {coefficient_words(each.coefficient)}: blank ({each.why})"] = None
            elif each.why_no_interval is not None:
                seen[f"{about}: no interval ({each.why_no_interval})"] = None
            if each.blank:
                blank = f"{counted(each.blank, 'topic')} without a correlation"
                seen[f"{about}: {blank} (all summaries alike, or too few)"] = None
        missing = {
            (each.measure.words, each.human.words, each.missing): None for each in self.rows if each.missing
        }
        found += [
            f"{measure}: {counted(count, 'summary', 'summaries')} that people judged on {human}"
            f" {'has' if count == 1 else 'have'} no score and {'is' if count == 1 else 'are'} left out"
            for measure, human, count in missing
        ]
        return (*found, *seen)

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, human measure, level, coefficient and choice of systems."""
        import pandas as pd

        return pd.DataFrame([each.record() for each in self.rows], columns=list(COLUMNS))

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "confidence": self.confidence,
                "resample": self.resample,
                "rows": [
                    {
                        **each.record(),
                        "blank": each.blank,
                        "missing": each.missing,
                        "why": each.why,
                        "why_no_interval": each.why_no_interval,
                    }
                    for each in self.rows
                ],
                "sentences": list(self.sentences()),
                "notes": list(self._notes()),
                "signature": self.signature,
            }
        )
        return found


def _sharing(rows: Sequence[MeasureCorrelation], one: MeasureCorrelation) -> list[MeasureCorrelation]:
    """The rows whose value is that of one of them, but for rounding."""
    return [each for each in rows if math.isclose(each.value, one.value, rel_tol=1e-9, abs_tol=1e-12)]


def _names(rows: Sequence[MeasureCorrelation]) -> str:
    return listed([each.measure.words for each in rows], most=9)


def _ends(row: MeasureCorrelation) -> str:
    return f"{row.low:z.2f} to {row.high:z.2f}"


def _whom(rows: Sequence[MeasureCorrelation]) -> str:
    """The human measure, where there is one; else people."""
    humans = {each.human.words for each in rows}
    return humans.pop() if len(humans) == 1 else "people"


def correlate_all(
    cells: Cells, options: MetaOptions, progress: Callable[[int, int], None] = lambda done, of: None
) -> CorrelationsResult:
    """Every measure against every human measure, at every level and by every coefficient that was asked for."""
    rows: list[MeasureCorrelation] = []
    meanings: dict[str, None] = {}
    asked = [
        (among, human, level) for among in options.among for human in cells.humans for level in options.levels
    ]
    for done, (among, human, level) in enumerate(asked):
        progress(done, len(asked))
        own = cells.among(among)
        found = all_correlation_intervals(
            own.automatic,
            own.human(human.info.measure).by_assessor,
            level=level,
            coefficients=options.coefficients,
            resample=options.resample,
            rng=generator(options.seed, f"meta/correlations/{human.info.measure}/{level}/{among}"),
            resamples=options.interval_resamples,
            confidence=1 - options.alpha,
            clusters=own.clusters,
            all_topics=own.all_topics,
        )
        for coefficient, intervals in found.items():
            rows += _rows(own, own.human(human.info.measure), among, coefficient, intervals)
            if np.isfinite(intervals.low).any():
                meanings[intervals.meaning()] = None
    order = {each.info.measure: at for at, each in enumerate(cells.humans)}
    rows.sort(
        key=lambda each: (
            LEVELS.index(each.level),
            options.among.index(each.among),
            order[each.human.measure],
        )
    )
    return CorrelationsResult(
        rows=tuple(rows),
        confidence=1 - options.alpha,
        resample=options.resample,
        meanings=tuple(meanings),
        signature=(
            f"correlations|resample:{options.resample}|R:{options.interval_resamples}|level:{1 - options.alpha:g}"
            f"|seed:{options.seed}|v:{__version__}"
        ),
        cells=cells,
    )


def _rows(
    cells: Cells, human: HumanCells, among: Among, coefficient: Coefficient, intervals: CorrelationIntervals
) -> Iterator[MeasureCorrelation]:
    found = intervals.estimates
    for at, measure in enumerate(cells.measures):
        yield MeasureCorrelation(
            measure=measure,
            human=human.info,
            level=found.level,
            coefficient=coefficient,
            among=among,
            n=int(found.n[at]),
            value=float(found.values[at]),
            low=float(intervals.low[at]),
            high=float(intervals.high[at]),
            blank=int(found.blank[at]),
            missing=int(np.count_nonzero(np.isfinite(human.values) & np.isnan(cells.automatic[at]))),
            why=found.why[at],
            why_no_interval=None if found.why[at] else intervals.why[at],
        )
