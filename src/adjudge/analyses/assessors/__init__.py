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
    """Which assessors are harsh, erratic, drifting, hasty or reversed, and what changes without them.

    Each is compared with the others on the same things, with topics as the sample; each kind of flag is a family of
    tests, corrected over the assessors (Bonferroni). Times and the order of judging are known in a folder with
    judgments. The measure's rows must say who judged: the command leaves out measures without assessors unless they are
    named.
    """

    NAME = "assessors"
    FUNCTION = "dossiers"
    GROUP = "Trust"
    EXAMPLE = "adjudge assessors ratings.csv"

    alpha: float = shared("alpha", help="A p up to this names somebody; also in the comparisons.")
    quick: bool = option(False, help="Leave out the comparisons of systems without each assessor.")
    test: str | None = option(
        None, metavar="TEST", help="Of the comparisons, as in compare.", unset="compare's own"
    )
    correct: str = option("holm", metavar="HOW", help="Of the comparisons: the correction for many pairs.")
    seed: int = shared("seed", panel=ADVANCED)

    def usual_measures(self, scores: Scores) -> Sequence[str]:
        return [measure for measure in scores.all_measures() if scores.assessors(measure)]

    def run(self, scores: Scores) -> Dossiers:
        from adjudge.analyses.assessors.result import dossiers_of

        return dossiers_of(scores, self)


dossiers = analysis_function(Assessors)
