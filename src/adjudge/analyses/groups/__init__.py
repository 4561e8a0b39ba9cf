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
    """Which systems differ, all pairs at once: letters, lines, ranks left open, a critical-difference diagram.

    Every pair is tested with the variance of its own differences: by a bootstrap of the largest t where all pairs have
    20 topics, else by Student's t with Holm's correction. Tukey's test, by name, pools the noise of all pairs.
    """

    NAME = "groups"
    EXAMPLE = "adjudge groups my-eval -m rouge-2 --contrast humans-machines"
    METHODS = True

    method: Method = option(
        "auto",
        metavar="METHOD",
        help="How pairs are tested; auto is max-t (bootstrap of the largest t) from 20 topics, else t (Student's t with"
        " Holm).",
    )
    scale: Scale = option("values", metavar="SCALE", help="What is tested: scores, or their ranks.")
    against: str | None = option(
        None, of="system", metavar="SYSTEM", help="Also compare all systems with this one."
    )
    contrast: str | Sequence[str] = option(
        (), metavar="A-B", help="Also compare sorts of systems, or two systems, such as humans-machines."
    )
    best: bool = option(False, help="Hsu's comparisons of every system with the best of the others.")
    alpha: float = shared("alpha")
    pairs: bool = option(False, help="Show every pair: difference, interval, p.")
    pool_humans: bool = shared("pool_humans", panel=ADVANCED)
    adjust: Adjust | None = option(
        None,
        metavar="HOW",
        panel=ADVANCED,
        help="Correction of contrasts with Tukey's test.",
        unset="single-step",
    )
    resamples: int = option(10_000, least=20, metavar="N", panel=ADVANCED, help="Of the bootstrap.")
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        if self.adjust is not None and self.method != "tukey":
            raise UsageError(
                f"{Argument('adjust')} is for contrasts that share one variance: say {Argument('method', 'tukey')}"
            )

    def run(self, scores: Scores) -> GroupsResult:
        from adjudge.analyses.groups.result import groups_of_matrix

        matrix = scores.matrix(
            self.measure, length=self.length, form=self.form, pool=self.pool, pool_humans=self.pool_humans
        ).averaged()
        return replace(
            groups_of_matrix(matrix, self, kinds=scores.kinds_of(matrix.systems)),
            assessors=scores.count_assessors(matrix.measure, self.length, self.form),
            about_scores=scores.unsaid_notes(matrix.measure),
            fewer_references=scores.fewer_references(matrix.measure),
        )


groups = analysis_function(Groups)
