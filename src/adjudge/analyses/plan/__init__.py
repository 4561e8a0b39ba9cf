"""How many topics or assessors it takes to find a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.analyses.tests import ALL, DEFAULT_TEST, TESTS, parts_of
from adjudge.core.errors import UsageError, quoted
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument
from adjudge.data.scores import Among, Pool

if TYPE_CHECKING:
    from adjudge.analyses.plan.result import PowerPlan
    from adjudge.analyses.scores import Scores

Correct = Literal["holm", "bonferroni", "none"]


@dataclass(frozen=True, kw_only=True)
class Plan(Analysis["PowerPlan"]):
    """Say how many topics or assessors are needed to detect a difference.

    The spread is that of your scores. The answer is for all pairs of systems with compare's correction, and for one
    pair alone. Without a difference: the smallest one that the present topics detect. With assessors: where the noise
    comes from, and which design detects most with the same number of judgments. CSV has the power of each test at
    several numbers of topics.
    """

    NAME = "plan"
    EXAMPLE = "adjudge plan my-eval -m rouge-2 --difference 0.01"
    WORK = "planning"

    difference: float | str | None = option(
        None,
        short="d",
        metavar="D",
        help="Difference to detect: a number, or a share of the mean score such as 5%.",
    )
    power: float = option(0.8, above=0, below=1, help="Probability of detecting it.")
    alpha: float = shared("alpha")
    test: str = option(
        DEFAULT_TEST,
        metavar="TEST",
        help=f"Test that answers; quick tests are shown too: {', '.join(TESTS)}, or all.",
    )
    correct: Correct = option(
        "holm", panel=ADVANCED, metavar="HOW", help="Correction of p-values for the number of pairs."
    )
    pairs: int | None = option(
        None,
        panel=ADVANCED,
        least=1,
        command="comparisons",
        metavar="K",
        help="Number of pairs that will be compared.",
        unset="as many as now",
    )
    n_systems: int | None = option(
        None, least=2, metavar="N", help="Number of systems that will be compared, in all pairs."
    )
    n_assessors: Sequence[int] = option(
        (), least=1, metavar="N,...", help="Designs to compare: numbers of assessors in each group."
    )
    groups: Sequence[int] = option(
        (),
        panel=ADVANCED,
        least=1,
        metavar="N,...",
        help="Designs to compare: numbers of groups of assessors, each with its own topics.",
    )
    judgments: int | None = option(
        None, least=1, metavar="N", help="Judgments per system in the designs.", unset="as many as now"
    )
    among: Among = option("all", metavar="WHO", panel=ADVANCED, help="Which pairs to compare.")
    normal: bool = option(False, panel=ADVANCED, help="Simulate normal noise instead of resampling topics.")
    simulations: int = option(2000, least=1, metavar="N", panel=ADVANCED, help="Simulations for every power.")
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        if self.pairs is not None and self.n_systems is not None:
            raise UsageError(
                f"{Argument('pairs', flag='comparisons')} and {Argument('n_systems')} exclude each other"
            )
        if self.test != ALL:
            parts_of(self.test)
        if self.difference is not None:
            self.size_and_unit()

    def size_and_unit(self) -> tuple[float, bool]:
        """The difference as a number, and whether that is a percentage of the mean score."""
        text = self.difference_text
        try:
            size = (
                float(self.difference)
                if isinstance(self.difference, float)
                else float(text.removesuffix("%"))
            )
        except ValueError:
            size = math.nan
        if not (math.isfinite(size) and size > 0):
            raise UsageError(
                f"the difference is {quoted(text)}, expected a number above 0 or a share such as 5%"
            )
        return size, text.endswith("%")

    @property
    def difference_text(self) -> str:
        difference = self.difference
        return f"{difference:g}" if isinstance(difference, float) else str(difference).strip()

    @property
    def names_designs(self) -> bool:
        return bool(self.n_assessors or self.groups) or self.judgments is not None

    def usual_measures(self, scores: Scores) -> Sequence[str]:
        return scores.people_measures() or (scores.resolve(),)

    def run(self, scores: Scores) -> PowerPlan:
        from adjudge.analyses.plan.result import plan_of

        return plan_of(scores, self)


plan = analysis_function(Plan)
