"""Which assessors are odd, and what changes without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.options import ADVANCED, option, shared

if TYPE_CHECKING:
    from adjudge.analyses.assessors.result import Dossiers
    from adjudge.analyses.scores import Scores


@dataclass(frozen=True, kw_only=True)
class Assessors(Analysis["Dossiers"]):
    """Find assessors who are harsh, erratic, drifting, hasty or reversed.

    Also says which conclusions change without each of them. Every assessor is compared with the others on the same
    summaries, with topics as the sample; each kind of flag is corrected over the assessors (Bonferroni). Only folders
    with judgments have times and the order of judging. Measures without assessors are skipped unless you name them.
    """

    NAME = "assessors"
    FUNCTION = "dossiers"
    GROUP = "Trust"
    EXAMPLE = "adjudge assessors ratings.csv"

    alpha: float = shared("alpha", help="Significance level, of the flags and of the comparisons.")
    quick: bool = option(False, help="Skip the comparisons without each assessor.")
    test: str | None = option(
        None, metavar="TEST", help="Test of the comparisons, as in compare.", unset="that of compare"
    )
    correct: str = option("holm", metavar="HOW", help="Correction of p-values for the number of pairs.")
    seed: int = shared("seed", panel=ADVANCED)

    def usual_measures(self, scores: Scores) -> Sequence[str]:
        return [measure for measure in scores.all_measures() if scores.assessors(measure)]

    def run(self, scores: Scores) -> Dossiers:
        from adjudge.analyses.assessors.result import dossiers_of

        return dossiers_of(scores, self)


dossiers = analysis_function(Assessors)
