"""How far a ranking can be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.analyses.stability.result import StabilityResult


@dataclass(frozen=True, kw_only=True)
class Stability(Analysis["StabilityResult"]):
    """How stable the ranking is: judgments of the same that differ, planted repeats, the noise of judging.

    Of a folder with judgments: the same marks with another completeness, sentences marked here and not there, other
    SCUs; the scores with such judgments made one, and the rankings that are left; planted repeats. Of scores by
    assessors: how the ranking could have come out. A coverage measure that is named is also the one whose scores are
    resolved. Lin and Hovy 2002, section 4.
    """

    NAME = "stability"
    GROUP = "Trust"
    EXAMPLE = "adjudge stability my-eval --seed 1"
    RUNS = "once"
    LEAVES_OUT = False
    WORK = "Drawing rankings"

    level: float = shared("level", help="Of the ranges of ranks.")
    draws: int = option(10_000, least=100, help="Draws from the fitted model.")
    resample: bool = option(
        False, panel=ADVANCED, help="Draw assessors instead of from the fitted model; it takes ten."
    )
    quick: bool = option(False, help="Leave out the noise of judging, for which scores are drawn.")
    seed: int = shared("seed")

    def check(self) -> None:
        if self.length == "unset":
            raise UsageError(f'{Argument("length")} is "unset", expected a number of words or all')

    def run(self, scores: Scores) -> StabilityResult:
        from adjudge.analyses.stability.result import stability_of

        return stability_of(scores, self)


stability = analysis_function(Stability)
