"""Rankel's tables: how many pairs each test finds, among all systems and between humans and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.analyses.compare import Compare
from adjudge.analyses.tests import RESAMPLES, TESTS, Statistic, Test, Zeros
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.data.scores import Pool

if TYPE_CHECKING:
    from adjudge.analyses.counts.result import CountsTable

COUNTED: tuple[Test, ...] = ("t-unpaired", "t", "wilcoxon")
"""The paper's three."""


@dataclass(frozen=True, kw_only=True)
class Counts(Analysis["CountsTable"]):
    """Count the pairs that differ, by test and kind of system.

    Also counts the machines that do not differ from humans. p-values are not corrected, as in the paper. Several data
    sets, such as years, are printed in one table: {"2009": ..., "2010": ...}. Rankel et al. 2011, section 4.
    """

    NAME = "counts"
    RUNS = "once"
    SEVERAL_SOURCES = True
    EXAMPLE = "adjudge compare my-eval --counts"

    tests: str | Sequence[str] = option(
        COUNTED,
        metavar="A,B",
        help=f"Tests: {', '.join(TESTS)}, or all; mc and hb also with a statistic, as mc:w.",
    )
    alpha: float = shared("alpha")
    level: float = shared("level", panel=ADVANCED, help="Of the humans' intervals of the mean.")
    statistic: Statistic | None = option(
        None,
        metavar="S",
        panel=ADVANCED,
        help="Statistic of the tests mc and hb.",
        unset="mean for mc, t for hb",
    )
    zeros: Zeros = option(
        "wilcox", metavar="Z", panel=ADVANCED, help="How Wilcoxon's test treats equal scores."
    )
    resamples: int = option(
        RESAMPLES, least=1, metavar="N", panel=ADVANCED, help="Resamples of the tests mc and hb."
    )
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        self.how()

    def how(self) -> Compare:
        """The tests as a comparison has them."""
        if not any(test.strip() for test in self.tests):
            raise UsageError("no test to count with")
        every = self.tests == ("all",)
        return Compare(
            test="all" if every else None,
            tests=() if every else self.tests,
            correct="none",
            statistic=self.statistic,
            zeros=self.zeros,
            alpha=self.alpha,
            level=self.level,
            resamples=self.resamples,
            seed=self.seed,
        )

    def read(self, source: Any) -> Any:
        """Data sets by their names, where there are several; one has none."""
        if not isinstance(source, Mapping):
            return super().read(source)
        if not source:
            raise UsageError("no data set to count in")
        return {str(name): super(Counts, self).read(one_source) for name, one_source in source.items()}

    def run(self, scores: Any) -> CountsTable:
        from adjudge.analyses.counts.result import counts_of

        return counts_of(scores if isinstance(scores, Mapping) else {None: scores}, self)


counts = analysis_function(Counts)
