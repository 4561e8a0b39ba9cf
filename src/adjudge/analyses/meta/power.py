"""Discriminative power: how many differences between systems each measure finds, people's measures beside the others.

Rankel et al. 2011, tables 1 and 2: a measure that finds more pairs of systems different, and more machines worse than
humans, tells more from the same topics. How many of its findings people share is in conclusions.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.counts import COUNTED, Counts
from adjudge.analyses.counts.result import (
    CountsByMeasure,
    CountsByTest,
    CountsTable,
    counting,
    rankel_tables,
)
from adjudge.analyses.meta.cells import Cells, score_matrix
from adjudge.analyses.tests import ALPHA, RESAMPLES
from adjudge.core.errors import DataError
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import MeasureInfo

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import FloatArray


def discriminative_power(
    cells: Cells,
    *,
    tests: Sequence[str] = COUNTED,
    alpha: float = ALPHA,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int | None = None,
    seed: int = 0,
) -> PowerResult:
    """Count the pairs of systems that tests find different, by every human measure and every other.

    `tests` are those of `adjudge.counts`, of mc and hb also with a statistic, as mc:w; p-values are not corrected, as
    in the paper. People's scores are means over assessors, so that their counts are for these assessors. A measure is
    tested on the topics that `cells` give it: those that people judged, or all of its own.
    """
    counted_by = Counts(
        tests=tests,
        alpha=alpha,
        statistic=statistic,  # type: ignore[arg-type]
        zeros=zeros,  # type: ignore[arg-type]
        resamples=resamples or RESAMPLES,
        seed=seed,
    )
    judged = np.any(np.isfinite(cells.people), axis=(0, 2))[:, np.newaxis]
    given: list[tuple[MeasureInfo, FloatArray]] = [(each.info, each.values) for each in cells.humans]
    for info, values in zip(cells.measures, cells.automatic, strict=True):
        given.append((info, values if cells.all_topics else np.where(judged, values, np.nan)))
    ready = [(info, score_matrix(info, values, cells)) for info, values in given]
    matrices = [matrix for _, matrix in ready if matrix is not None]
    if not matrices or len(cells.systems) < 2:
        raise DataError("fewer than two systems have scores, so that there is no pair to count")
    kinds = dict(zip(cells.systems, cells.kinds, strict=True))
    return PowerResult(
        counts=rankel_tables(matrices, kinds, counting(counted_by.how()), asked=counted_by),
        humans=tuple(each.info.measure for each in cells.humans),
        titles={info.measure: info for info, _ in given},
        empty=tuple(info.words for info, matrix in ready if matrix is None),
        assessors=any(each.assessors for each in cells.humans),
    )


@dataclass(frozen=True, repr=False)
class PowerResult(Tabular):
    """The counts of all measures, people's first."""

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
        return any(each.cross for each in self.counts.measures)

    @property
    def signature(self) -> str:
        return "\n".join(f"{each.signature}|v:{__version__}" for each in self.counts.measures)

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """By test: the automatic measure that finds most, beside what people's measures find."""
        for at, test in enumerate(self.counts.measures[0].tests):
            yield self._most(at, test.words, cross=False)
            if self.crossed:
                yield self._most(at, test.words, cross=True)

    def _most(self, at: int, test: str, *, cross: bool) -> str:
        def share(each: CountsByMeasure) -> float:
            n, of = _found(each, at, cross)
            return n / of if of else -1.0

        own = [each for each in self.counts.measures if each.measure not in self.humans]
        people = [each for each in self.counts.measures if each.measure in self.humans]
        where = "pairs of a human and a machine" if cross else "pairs of systems"
        most = max(map(share, own), default=-1.0)
        if most < 0:
            return f"By {test} (uncorrected) no automatic measure has {where} to test."
        best = [each for each in own if share(each) == most]
        found = listed([self._found_words(each, at, cross) for each in best], most=4)
        start = f"Most differences among {where} by {test} (uncorrected) are found by"
        if len(own) == 1:
            start = f"Differences among {where} by {test} (uncorrected):"
        elif len(best) == len(own):
            start = f"All automatic measures find the same share of differences among {where} by {test} (uncorrected):"
        beside = "; ".join(self._found_words(each, at, cross) for each in people)
        return f"{start} {found}{f'; people: {beside}' if beside else ''}."

    def _found_words(self, each: CountsByMeasure, at: int, cross: bool) -> str:
        n, of = _found(each, at, cross)
        test = each.tests[at]
        sides = f"human better in {test.human_better:,}, machine in {test.machine_better:,}"
        return f"{self._words(each)} {n:,} of {of:,}{f' ({sides})' if cross else ''}"

    def _words(self, each: CountsByMeasure) -> str:
        return self.titles[each.measure].words

    def table(self) -> Table:
        """Differences among all pairs of systems; `tables` also has those between humans and machines."""
        return replace(
            self._counted(cross=False),
            said=tuple(self.sentences()),
            notes=tuple(self._notes()),
        )

    def tables(self) -> Tables:
        """The paper's two tables: all pairs of systems, and pairs of a human and a machine where there are any."""
        found = [self._counted(cross=cross) for cross in ((False, True) if self.crossed else (False,))]
        return Tables(tuple(found), notes=tuple(self._notes()))

    def _counted(self, *, cross: bool) -> Table:
        """A row per measure, people's first, and a column per test."""
        basis = f"p <= {self.counts.alpha:g}, uncorrected"
        title = f"Significant differences among all pairs of systems ({basis})"
        if cross:
            title = (
                f"Significant differences between humans and machines: all (human/machine better; {basis})"
            )
        cell = _cross_cell if cross else _different
        return Table(
            name="power-human-machine" if cross else "power",
            columns=(
                Column("measure", right=False),
                Column("by", right=False),
                Column("pairs", right=True),
                *(Column(t.test, t.words, right=True) for t in self.counts.measures[0].tests),
            ),
            rows=tuple(
                (
                    self.titles[each.measure].heading,
                    self._whose(each.measure),
                    each.cross if cross else each.tests[0].pairs,
                    *map(cell, each.tests),
                )
                for each in self.counts.measures
            ),
            title=title,
            said=tuple(
                self._most(at, test.words, cross=cross)
                for at, test in enumerate(self.counts.measures[0].tests)
            ),
            signature=self.signature,
        )

    def _whose(self, measure: str) -> str:
        return "people" if measure in self.humans else "measure"

    def _notes(self) -> Iterator[str]:
        if self.empty:
            yield f"{listed(list(self.empty))}: no scores on these topics"
        yield "finding more differences is not finding the right ones: see how far conclusions agree with people's"
        if self.assessors:
            yield "people's scores are means over assessors: their counts hold for those who judged"
        for each in self.counts.measures:
            for t in each.tests:
                if t.untested or t.out_of_reach:
                    parts = [f"{counted(t.untested, 'pair')} could not be tested"] if t.untested else []
                    if t.out_of_reach:
                        parts.append(f"{counted(t.out_of_reach, 'pair')} could not have been found")
                    yield f"{self._words(each)}, {t.words}: {listed(parts)}"

    def to_frame(self) -> pd.DataFrame:
        """A row per measure and test, with cut-offs, as `adjudge.counts` has it; `by` says whose measure it is."""
        frame = self.counts.to_frame().drop(columns=["data", "length", "form", "why"])
        frame.insert(1, "by", list(map(self._whose, frame["measure"])))
        return frame

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "alpha": self.counts.alpha,
                "humans": list(self.humans),
                "rows": self.to_frame().astype(object).where(lambda f: f.notna(), None).to_dict("records"),
                "sentences": list(self.sentences()),
                "notes": list(self._notes()),
                "signature": self.signature,
            }
        )
        return found


def _found(each: CountsByMeasure, at: int, cross: bool) -> tuple[int, int]:
    test = each.tests[at]
    return (test.cross_different, each.cross) if cross else (test.different, test.pairs)


def _different(test: CountsByTest) -> Cell:
    return test.different


def _cross_cell(test: CountsByTest) -> Cell:
    return f"{test.cross_different} ({test.human_better}/{test.machine_better})"
