"""What judges that are programs are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.threads import one_thread

if TYPE_CHECKING:
    import numpy as np

    from adjudge.analyses.judges.result import JudgeReport
    from adjudge.analyses.scores import Scores

Part = Literal["agreement", "ranking", "alternative", "effects"]
Panel = Literal["none", "mean", "vote"]


@dataclass(frozen=True)
class Judges(Analysis["JudgeReport"]):
    """Say what a judge is worth: its agreement with people, next to simple controls.

    Reports agreement with people, the ranking of systems, the alternative-annotator test, agreement with itself,
    effects of order, length and family, invalid answers, cost, and how many human judgments the judge replaces.
    The controls are a constant, a random and a length judge, the best measure and each assessor. Judges are programs
    that judged, assessors that you name, or columns of scores.
    """

    NAME = "judge report"
    FUNCTION = "judge_report"
    GROUP = "Trust"
    EXAMPLE = "adjudge judge report my-eval simulated-2"
    RUNS = "once"
    LEAVES_OUT = False
    METHODS = True
    PAGE = "adjudge.analyses.judges.page:write_dossiers"
    WORK = "looking at"

    judges: str | Sequence[str] = option(
        (),
        by_place=True,
        of="assessor",
        metavar="NAME...",
        help="Judges to report on.",
        unset="all programs that judged",
    )
    _: KW_ONLY
    measure: str | Sequence[str] | None = option(
        None,
        short="m",
        of="measure",
        metavar="SPEC",
        help="Measure that judges and people scored.",
    )
    question: str | Sequence[str] = option(
        (),
        short="q",
        metavar="NAME",
        help="Question that was answered, such as completeness or fluency.",
        unset="all that were answered",
    )
    parts: Part | Sequence[Part] = option(
        (),
        command="part",
        metavar="NAME",
        choices=("agreement", "ranking", "alternative", "effects"),
        help="Print this part with all its tables.",
        unset="all, in short",
    )
    panel: Panel = option("none", metavar="HOW", help="Treat several judges as one, by their mean or vote.")
    family: str = option(
        "", metavar="TEXT", help="Systems that the judge may favour: part of their names, such as gpt."
    )
    epsilon: float = option(
        0.2,
        least=0,
        below=1,
        metavar="SHARE",
        panel=ADVANCED,
        help="Alternative-annotator test: how much worse a cheaper judge may be (Calderon et al. 2025).",
    )
    margin: float = option(
        0.1,
        least=0,
        below=1,
        metavar="D",
        help="How far a judge's agreement may be below an assessor's and still count as equal.",
    )
    alpha: float = shared("alpha", help="Significance level; intervals have the level 1 - alpha.")
    resamples: int = option(1000, least=2, metavar="N", panel=ADVANCED, help="Bootstrap resamples of topics.")
    seed: int = shared("seed", panel=ADVANCED)

    @property
    def level(self) -> float:
        return 1 - self.alpha

    def rng(self, what: str) -> np.random.Generator:
        from adjudge.core.engine import generator

        return generator(self.seed, f"judges/{what}")

    def run(self, scores: Scores) -> JudgeReport:
        from adjudge.analyses.judges.result import report_of

        with one_thread():
            return report_of(scores, self)


judge_report = analysis_function(Judges)
