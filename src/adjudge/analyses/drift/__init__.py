"""What changed from one version of a judge to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError, quoted
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.drift.result import DriftResult
    from adjudge.analyses.scores import Scores


@dataclass(frozen=True)
class Drift(Analysis["DriftResult"]):
    """What changed from one version of a judge to another, on the things that both answered for.

    How often they give the same answer, beside repeats of the old one where there are any; the mean shift, and whether
    it depends on the system; agreement with people, if people judged the same; the ranking; what differs in their
    cards. The versions are assessors of a folder or a table, or two columns of a table; everybody else is people. Tests
    swap the two versions' answers in whole sets of topics, or topics, and p is corrected for all of them.
    """

    NAME = "judge drift"
    FUNCTION = "judge_drift"
    GROUP = "Trust"
    EXAMPLE = "adjudge judge drift my-eval simulated-1 simulated-2"
    RUNS = "once"
    LEAVES_OUT = False

    old: str | None = option(None, by_place=True, metavar="OLD", help="The judge as it was.")
    new: str | None = option(None, by_place=True, metavar="NEW", help="The judge as it is now.")
    _: KW_ONLY
    measure: str | Sequence[str] | None = option(
        None, short="m", of="measure", metavar="SPEC", help="A measure that both gave; as a question."
    )
    question: str | Sequence[str] = option(
        (),
        short="q",
        metavar="NAME",
        help="A question or an aspect that both answered.",
        unset="all that both answered",
    )
    alpha: float = shared("alpha", help="Of tests; 1 - alpha is the level of intervals.")
    resamples: int = option(
        1000,
        least=100,
        metavar="N",
        panel=ADVANCED,
        help="Of topics, for intervals of agreement with people.",
    )
    seed: int = shared("seed", panel=ADVANCED)

    def check(self) -> None:
        if self.old is not None and self.old == self.new:
            raise UsageError(f"drift is between two versions of a judge, and both are {quoted(self.old)}")

    def run(self, scores: Scores) -> DriftResult:
        if self.old is None or self.new is None:
            raise UsageError(
                f"drift is between two versions of a judge: say {Argument('old')} and {Argument('new')}"
            )
        from adjudge.analyses.drift.result import drift_of

        return drift_of(scores, self, self.old, self.new)


judge_drift = analysis_function(Drift)
