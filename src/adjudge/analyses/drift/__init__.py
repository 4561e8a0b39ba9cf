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
    """Say what changed between two versions of a judge, on what both answered.

    Reports how often they give the same answer (next to repeats of the old version, if any), the mean shift and whether
    it depends on the system, agreement with people, the ranking, and differences of the judges' cards. The versions are
    assessors of a folder or a table, or two columns; all other assessors are people. Tests swap the versions' answers
    by topic or set of topics; p-values are corrected for all tests.
    """

    NAME = "judge drift"
    FUNCTION = "judge_drift"
    GROUP = "Trust"
    EXAMPLE = "adjudge judge drift my-eval simulated-1 simulated-2"
    RUNS = "once"
    LEAVES_OUT = False

    old: str | None = option(
        None, by_place=True, metavar="OLD", help="The old version: an assessor or a column."
    )
    new: str | None = option(
        None, by_place=True, metavar="NEW", help="The new version: an assessor or a column."
    )
    _: KW_ONLY
    measure: str | Sequence[str] | None = option(
        None, short="m", of="measure", metavar="SPEC", help="Measure that both versions scored."
    )
    question: str | Sequence[str] = option(
        (),
        short="q",
        metavar="NAME",
        help="Question that both versions answered.",
        unset="all that both answered",
    )
    alpha: float = shared("alpha", help="Significance level; intervals have the level 1 - alpha.")
    resamples: int = option(
        1000,
        least=100,
        metavar="N",
        panel=ADVANCED,
        help="Bootstrap resamples of topics.",
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
