"""How far a ranking can be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.analyses.stability.result import StabilityResult


@dataclass(frozen=True, kw_only=True)
class Stability(Analysis["StabilityResult"]):
    """Say how far inconsistent judging could change the ranking.

    For a folder with judgments: contradictory judgments of the same text, the rankings that remain if each
    contradiction is resolved either way, and planted repeats. For scores by assessors: how the ranking could have come
    out. If you name a coverage measure, contradictions are resolved in its scores. Lin and Hovy 2002, section 4.
    """

    NAME = "stability"
    GROUP = "Trust"
    EXAMPLE = "adjudge stability my-eval --seed 1"
    RUNS = "once"
    LEAVES_OUT = False
    WORK = "Drawing rankings"

    resolve: Literal["one-assessor", "all-assessors"] = option(
        "one-assessor",
        help="Whose contradictions the bars resolve: each assessor's own between summaries (Lin and Hovy), or those of"
        " all assessors.",
    )
    level: float = shared("level", help="Confidence level of the ranges of ranks.")
    draws: int = option(10_000, least=100, help="Number of draws from the fitted model.")
    draw_assessors: bool = option(
        False,
        panel=ADVANCED,
        help="Resample assessors instead of drawing from the fitted model; needs ten assessors.",
    )
    quick: bool = option(False, help="Skip the simulated noise of judging.")
    seed: int = shared("seed")

    def check(self) -> None:
        if self.length == "unset":
            raise UsageError(f'{Argument("length")} is "unset", expected a number of words or all')

    def run(self, scores: Scores) -> StabilityResult:
        from adjudge.analyses.stability.result import stability_of

        return stability_of(scores, self)


stability = analysis_function(Stability)
