"""Target lengths compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.options import ADVANCED, option, shared
from adjudge.data.scores import Pool

if TYPE_CHECKING:
    from adjudge.analyses.lengths.result import LengthsResult
    from adjudge.analyses.scores import Scores

Task = Literal["single", "multi"]
TASKS: tuple[Task, ...] = get_args(Task)


@dataclass(frozen=True, kw_only=True)
class Lengths(Analysis["LengthsResult"]):
    """Compare target lengths: groups, noise and rankings at each.

    Each length is compared by itself; "all" takes each topic's mean over the lengths. Systems that share a letter are
    not significantly different. Over and Liggett 2002.
    """

    NAME = "lengths"
    EXAMPLE = "adjudge lengths lengths.csv -m coverage"
    RUNS = "measure"

    length: None = field(default=None, init=False)
    """All are compared, so that none can be chosen."""
    alpha: float = shared("alpha")
    pool_humans: bool = shared("pool_humans", panel=ADVANCED)
    resamples: int = option(
        2000,
        least=1,
        metavar="N",
        panel=ADVANCED,
        help="Bootstrap resamples for the intervals of Kendall's tau.",
    )
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def run(self, scores: Scores) -> LengthsResult:
        from adjudge.analyses.compare.usual import usual_comparison
        from adjudge.analyses.lengths.result import lengths_of_matrices

        measure, form = scores.resolve(self.measure), self.form
        if form is not None:
            scores.table.at(
                measure, length="all", form=form
            )  # where no length has the form, say which there are
        there = scores.table.lengths(measure, form=form)
        asked = zip(scores.table.lengths(measure), scores.table.each_length(measure), strict=True)
        words_of = {length: words for length, words in asked if length in there}
        matrices = {
            length: scores.matrix(
                measure, length=words, form=form, pool=self.pool, pool_humans=self.pool_humans
            )
            for length, words in words_of.items()
        }
        tasks = {name: topic.task for name, topic in scores.topics.items()}
        systems = dict.fromkeys(system for matrix in matrices.values() for system in matrix.systems)
        return replace(
            lengths_of_matrices(
                matrices,
                self,
                tasks=tasks,
                kinds=scores.kinds_of(systems),
                compared=lambda at: usual_comparison(
                    scores, (measure, "all" if at == "all" else words_of[at], form), self
                ),
            ),
            assessors=scores.count_assessors(measure, "all", form),
            about_scores=scores.unsaid_notes(measure),
        )


lengths = analysis_function(Lengths)
