"""How many topics or assessors it takes to find a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.analyses.tests import ALL, TESTS, parts_of
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
    """How many topics, or assessors, it takes to find a difference, from the spread of your own scores.

    In a comparison of all pairs of systems, corrected as compare does, and for one pair by itself. Without a
    difference: the smallest that the present topics find. Where assessors are known: where the noise comes from, and
    which design of judging finds most for the same number of judgments. CSV has the power of each test on several
    numbers of topics.
    """

    NAME = "plan"
    EXAMPLE = "adjudge plan my-eval -m rouge-2 --difference 0.01"
    WORK = "planning"

    difference: float | str | None = option(
        None, short="d", metavar="D", help="To be found: a number, or a share of the mean score such as 5%."
    )
    power: float = option(0.8, above=0, below=1, help="How often it shall be found.")
    alpha: float = shared("alpha")
    test: str = option(
        "wilcoxon",
        metavar="TEST",
        help=f"The test that answers, with the quick tests beside it: {', '.join(TESTS)}; all shows every test.",
    )
    correct: Correct = option("holm", metavar="HOW", help="The comparison's correction for many pairs.")
    pairs: int | None = option(
        None, least=1, metavar="K", help="Pairs that will be compared.", unset="as many as now"
    )
    systems: int | None = option(
        None, least=2, metavar="N", help="Systems that will be compared, all pairs of them."
    )
    assessors: Sequence[int] = option(  # type: ignore[assignment]  # a table's are found out alone
        (), least=1, metavar="N,...", help="Compare designs: assessors who judge, in each group."
    )
    groups: Sequence[int] = option(
        (),
        least=1,
        metavar="N,...",
        help="Compare designs: groups of assessors, each with topics of its own.",
    )
    judgments: int | None = option(
        None, least=1, metavar="N", help="Of each system, in designs.", unset="as many as now"
    )
    among: Among = option(
        "all", metavar="WHO", panel=ADVANCED, help="Which pairs are compared and give the spread."
    )
    normal: bool = option(
        False, panel=ADVANCED, help="Simulate normal noise instead of resampling the scores' topics."
    )
    simulations: int = option(2000, least=1, metavar="N", panel=ADVANCED, help="For every power.")
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        if self.pairs is not None and self.systems is not None:
            raise UsageError(f"{Argument('pairs')} and {Argument('systems')} exclude each other")
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
        return bool(self.assessors or self.groups) or self.judgments is not None

    def usual_measures(self, scores: Scores) -> Sequence[str]:
        return (scores.resolve(),)

    def run(self, scores: Scores) -> PowerPlan:
        from adjudge.analyses.plan.result import plan_of

        return plan_of(scores, self)


plan = analysis_function(Plan)
