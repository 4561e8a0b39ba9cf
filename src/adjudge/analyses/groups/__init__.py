"""Groups of systems that do not differ, from tests of all pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument
from adjudge.data.scores import Pool

if TYPE_CHECKING:
    from adjudge.analyses.groups.result import GroupsResult
    from adjudge.analyses.scores import Scores

Method = Literal["auto", "max-t", "t", "tukey"]
Scale = Literal["values", "ranks", "topic-ranks"]
Adjust = Literal["none", "bonferroni", "holm", "scheffe", "single-step"]


@dataclass(frozen=True, kw_only=True)
class Groups(Analysis["GroupsResult"]):
    """Test all pairs of systems at once, and sort the systems into groups.

    Prints letters, lines, possible ranks and a critical-difference diagram. The pairs are tested as `compare` tests
    them; by name by a bootstrap of the largest t, by paired t-tests, or by Tukey's test, which pools all variances.
    """

    NAME = "groups"
    EXAMPLE = "adjudge groups my-eval -m rouge-2 --contrast humans-machines"
    METHODS = True

    method: Method = option(
        "auto",
        metavar="METHOD",
        help="Test of the pairs. auto: that of compare; max-t: bootstrap of the largest t; t: paired t with Holm's"
        " correction; tukey.",
    )
    tested: Scale = option("values", metavar="WHAT", help="Test the scores or their ranks.")
    against: str | None = option(
        None, of="system", metavar="SYSTEM", help="Also compare all systems with this one."
    )
    contrast: str | Sequence[str] = option(
        (), metavar="A-B", help="Also compare two kinds of systems, or two systems: humans-machines."
    )
    best: bool = option(False, help="Also compare every system with the best of the others (Hsu).")
    alpha: float = shared("alpha")
    pairs: bool = option(False, help="Print every pair: difference, interval and p.")
    pool_humans: bool = shared("pool_humans", panel=ADVANCED)
    adjust: Adjust | None = option(
        None,
        metavar="HOW",
        panel=ADVANCED,
        help="With the method tukey: correction of the contrasts.",
        unset="single-step",
    )
    resamples: int = option(10_000, least=20, metavar="N", panel=ADVANCED, help="Bootstrap resamples.")
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        if self.adjust is not None and self.method != "tukey":
            raise UsageError(
                f"{Argument('adjust')} is for contrasts that share one variance: say {Argument('method', 'tukey')}"
            )

    def run(self, scores: Scores) -> GroupsResult:
        from adjudge.analyses.compare.usual import usual_comparison
        from adjudge.analyses.groups.result import groups_of_matrix

        compared = None
        if self.method == "auto" and self.tested == "values":
            compared = usual_comparison(scores, (scores.resolve(self.measure), self.length, self.form), self)
        matrix = scores.matrix(
            self.measure, length=self.length, form=self.form, pool=self.pool, pool_humans=self.pool_humans
        ).averaged()
        return replace(
            groups_of_matrix(matrix, self, kinds=scores.kinds_of(matrix.systems), compared=compared),
            assessors=scores.count_assessors(matrix.measure, self.length, self.form),
            about_scores=scores.unsaid_notes(matrix.measure),
            fewer_references=scores.fewer_references(matrix.measure),
        )


groups = analysis_function(Groups)
