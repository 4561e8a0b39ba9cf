"""How topics differ: which are easy and which are hard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.core.options import option, shared
from adjudge.data.scores import Pool

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.analyses.topics.result import TopicsResult


@dataclass(frozen=True, kw_only=True)
class Topics(Analysis["TopicsResult"]):
    """Rank the topics from the easiest to the hardest, with intervals of their mean ranks.

    All scores of a measure are ranked together. Where topics have the same number of scores, topics whose intervals do
    not overlap differ significantly. Rankel et al. 2011, section 1.
    """

    NAME = "topics"
    EXAMPLE = "adjudge topics my-eval -m rouge-2 --against d04"

    against: str | None = option(
        None, of="topic", metavar="TOPIC", help="Say which topics differ from this one."
    )
    alpha: float = shared("alpha")
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def run(self, scores: Scores) -> TopicsResult:
        from adjudge.analyses.topics.result import topics_of_matrix

        matrix = scores.matrix(self.measure, length=self.length, form=self.form, pool=self.pool)
        assessors = scores.count_assessors(matrix.measure, self.length, self.form)
        sets, many = scores.sets_of_topics(matrix)
        return replace(
            topics_of_matrix(matrix, self, sets=sets),
            assessors=assessors,
            few_sets=many if sets is None else 0,
            about_scores=scores.unsaid_notes(matrix.measure),
        )


topics = analysis_function(Topics)
