"""What judges that are programs are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.options import ADVANCED, option, shared

if TYPE_CHECKING:
    import numpy as np

    from adjudge.analyses.judges.result import JudgeReport
    from adjudge.analyses.scores import Scores

Part = Literal["agreement", "ranking", "alternative", "effects"]
Panel = Literal["none", "mean", "vote"]


@dataclass(frozen=True)
class Judges(Analysis["JudgeReport"]):
    """What a judge is worth: its agreement beside people's and beside controls that cost nothing, and a verdict.

    Agreement with people, the ranking of systems that it reproduces, the alternative-annotator test, agreement with
    itself, effects of order, length and family, invalid answers, cost, and how many human judgments it saves. A
    constant, a random and a length judge, the best measure and each assessor stand in the same table, always. Judges
    are assessors that are programs, or whoever is to be taken for one; a column of scores too.
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
        (), by_place=True, of="assessor", metavar="NAME...", help="Judges.", unset="all programs that judged"
    )
    _: KW_ONLY
    measure: str | Sequence[str] | None = option(
        None,
        short="m",
        of="measure",
        metavar="SPEC",
        help="A measure that judges and people gave; as a question.",
    )
    question: str | Sequence[str] = option(
        (), short="q", metavar="NAME", help="A question or an aspect.", unset="all that were answered"
    )
    parts: Part | Sequence[Part] = option(
        (),
        command="part",
        metavar="NAME",
        choices=("agreement", "ranking", "alternative", "effects"),
        help="A part, with all its tables.",
        unset="all, in short",
    )
    panel: Panel = option(
        "none", metavar="HOW", help="Several judges together as one, by their mean or their vote."
    )
    family: str = option(
        "", metavar="TEXT", help="A part of the names of systems that the judge may favour, such as gpt."
    )
    epsilon: float = option(
        0.2,
        least=0,
        below=1,
        metavar="SHARE",
        panel=ADVANCED,
        help="Of the alternative-annotator test: what a judge may lose for being cheaper (Calderon et al. 2025).",
    )
    margin: float = option(
        0.1,
        least=0,
        below=1,
        metavar="D",
        help="How far below an assessor's agreement a judge's may lie and still be like it.",
    )
    alpha: float = shared("alpha", help="Of tests; 1 - alpha is the level of intervals.")
    resamples: int = option(1000, least=2, metavar="N", panel=ADVANCED, help="Of topics, for intervals.")
    seed: int = shared("seed", panel=ADVANCED)

    @property
    def level(self) -> float:
        return 1 - self.alpha

    def rng(self, what: str) -> np.random.Generator:
        from adjudge.core.engine import generator

        return generator(self.seed, f"judges/{what}")

    def run(self, scores: Scores) -> JudgeReport:
        from adjudge.analyses.judges.result import report_of

        return report_of(scores, self)


judge_report = analysis_function(Judges)
