"""How far assessors agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.options import ADVANCED, option, shared

if TYPE_CHECKING:
    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.analyses.scores import Scores
    from adjudge.stats.agreement import Weighting

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["none", "linear", "quadratic"]


@dataclass(frozen=True, kw_only=True)
class Agreement(Analysis["AgreementResult"]):
    """Measure how well assessors agree: alpha, kappas, AC1 and AC2, intraclass correlation.

    For a folder: every question that people answered and every imported measure with assessors. For a table: every
    measure whose rows name assessors. Lengths and forms are separate, unless you choose one. More tables: coefficients,
    without-assessor, assessor-pairs, agreement-by-system, pyramids.
    """

    NAME = "agreement"
    GROUP = "Trust"
    EXAMPLE = "adjudge agreement my-eval"
    RUNS = "once"
    LEAVES_OUT = False

    question: str | Sequence[str] = option(
        (), metavar="NAME", help="Question that people answered, such as completeness or fluency."
    )
    scale: Scale = option("ordinal", metavar="SCALE", help="Level of measurement, for Krippendorff's alpha.")
    weights: Weights | None = option(
        None,
        metavar="HOW",
        help="Weights of AC2 and the kappas.",
        unset="quadratic; none for a nominal scale",
    )
    level: float = shared("level", help="Confidence level of the intervals.")
    resamples: int = option(1000, least=0, metavar="N", panel=ADVANCED, help="Bootstrap resamples of topics.")
    seed: int = shared("seed")

    @property
    def chosen_weights(self) -> Weights:
        return self.weights or ("none" if self.scale == "nominal" else "quadratic")

    @property
    def weighting(self) -> Weighting:
        """The weights as the coefficients name them."""
        return "identity" if self.chosen_weights == "none" else self.chosen_weights

    def run(self, scores: Scores) -> AgreementResult:
        from adjudge.analyses.agreement.result import agreement_of

        return agreement_of(scores, self)


agreement = analysis_function(Agreement)
