"""Discriminative power: how many differences between systems each measure finds, people's measures beside the others.

Rankel et al. 2011, tables 1 and 2: a measure that finds more pairs of systems different, and more machines worse than
humans, tells more from the same topics. How many of its findings people share is in conclusions.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.counts import COUNTED, Counts
from adjudge.analyses.counts.result import (
    CountsTable,
    counting,
    rankel_tables,
)
from adjudge.analyses.meta.cells import score_matrix
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.tests import RESAMPLES
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import MeasureInfo

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray


def discriminative_power(run: MetaRun) -> PowerResult:
    """Count the pairs of systems that tests find different, by every human measure and every other.

    The tests are those of `adjudge.counts`, of mc and hb also with a statistic, as mc:w; p-values are not corrected, as
    in the paper. People's scores are means over assessors, so that their counts are for these assessors. A measure is
    tested on the topics that the cells give it: those that people judged, or all of its own.
    """
    cells, asked = run.cells, run.asked
    counted_by = Counts(
        tests=asked.tests or COUNTED,
        alpha=asked.alpha,
        resamples=asked.resamples or RESAMPLES,
        seed=asked.seed,
    )
    judged = np.any(np.isfinite(cells.people), axis=(0, 2))[:, np.newaxis]
    scores: list[tuple[MeasureInfo, FloatArray]] = [(human.info, human.values) for human in cells.humans]
    for info, values in zip(cells.measures, cells.automatic, strict=True):
        scores.append((info, values if cells.all_topics else np.where(judged, values, np.nan)))
    ready = [(info, score_matrix(info, values, cells)) for info, values in scores]
    matrices = [matrix for _, matrix in ready if matrix is not None]
    if not matrices or len(cells.systems) < 2:
        raise DataError("fewer than two systems have scores, so that there is no pair to count")
    kinds = dict(zip(cells.systems, cells.kinds, strict=True))
    return PowerResult(
        counts=rankel_tables(matrices, kinds, counting(counted_by.how()), asked=counted_by),
        humans=tuple(human.info.measure for human in cells.humans),
        titles={info.measure: info for info, _ in scores},
        empty=tuple(info.words for info, matrix in ready if matrix is None),
        assessors=any(human.assessors for human in cells.humans),
    )


@dataclass(frozen=True, repr=False, kw_only=True)
class PowerResult(Result):
    """The counts of all measures, people's first."""

    WORDS = "adjudge.analyses.meta.words.power"
    ROWS_SAY_ALL: ClassVar[bool] = True
    FRAME = "power-rows"
    IN_JSON = ("power-rows",)

    counts: CountsTable
    humans: tuple[str, ...]
    """Which measures are people's."""
    titles: dict[str, MeasureInfo]
    empty: tuple[str, ...] = ()
    """Measures without any score."""
    assessors: bool = False
    """Whether assessors gave people's scores."""

    @property
    def crossed(self) -> bool:
        """Whether there are pairs of a human and a machine."""
        return any(row.cross for row in self.counts.measures)

    def how(self) -> str:
        return "\n".join(f"{row.signature}|v:{__version__}" for row in self.counts.measures)

    def facts(self) -> dict[str, Any]:
        return {"alpha": self.counts.alpha, "humans": list(self.humans)}

    def notes(self) -> Iterator[Note]:
        if self.empty:
            yield Note.of("measures-without-scores", measures=list(self.empty))
        yield Note.of("more-is-not-right")
        if self.assessors:
            yield Note.of("means-over-assessors")
        for row in self.counts.measures:
            for test in row.tests:
                if test.untested or test.out_of_reach:
                    yield Note.of(
                        "pairs-not-counted",
                        measure=self.titles[row.measure].words,
                        test=test.words,
                        untested=test.untested,
                        out_of_reach=test.out_of_reach,
                    )

    def tables(self) -> Iterator[Table]:
        """The paper's two tables: all pairs of systems, and pairs of a human and a machine where there are any."""
        yield self._counted(cross=False)
        if self.crossed:
            yield self._counted(cross=True)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"power-rows": self._all_rows}

    def _all_rows(self) -> Table:
        """A row per measure and test, with cut-offs, as `adjudge.counts` has it; `by` says whose measure it is."""
        rows = [{**row, "by": self._whose(str(row["measure"]))} for row in self.counts.rows_of().records()]
        measure, *others = (name for name in rows[0] if name not in ("data", "length", "form", "why", "by"))
        return Table.of("power-rows", rows, measure, "by", *others)

    def _counted(self, *, cross: bool) -> Table:
        """A row per measure, people's first, and a column per test."""
        basis = f"p <= {self.counts.alpha:g}, uncorrected"
        title = f"Significant differences among all pairs of systems ({basis})"
        if cross:
            title = (
                f"Significant differences between humans and machines: all (human/machine better; {basis})"
            )
        rows: list[tuple[Cell, ...]] = []
        for row in self.counts.measures:
            counts: list[Cell] = [test.different for test in row.tests]
            if cross:
                counts = [f"{t.cross_different} ({t.human_better}/{t.machine_better})" for t in row.tests]
            pairs = row.cross if cross else row.tests[0].pairs
            rows.append((self.titles[row.measure].heading, self._whose(row.measure), pairs, *counts))
        return Table.of(
            "power-human-machine" if cross else "power",
            rows,
            Column("measure", right=False),
            Column("by", right=False),
            Column("pairs", right=True),
            *(Column(test.test, test.words, right=True) for test in self.counts.measures[0].tests),
            title=title,
        )

    def _whose(self, measure: str) -> str:
        return "people" if measure in self.humans else "measure"
