"""What would find a difference that a comparison left undecided: the numbers of `plan`, and no others of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.analyses.plan import Plan
from adjudge.analyses.plan.noise import noise_sources
from adjudge.analyses.plan.result import (
    AssessorSample,
    PlanTask,
    assessors_as_sample,
    between_assessors,
    plan_task,
    spreads_of,
)
from adjudge.core.errors import AdjudgeError
from adjudge.core.results import Note
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power.rates import t_topics
from adjudge.stats.power.search import Search, chosen

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.data.scores import CellJudgments, ScoreMatrix
    from adjudge.stats.power.sources import Spreads


@dataclass(frozen=True)
class Deciding:
    """The plan of a measure, of which only what is asked for is computed."""

    scores: Scores
    asked: Plan
    matrix: ScoreMatrix
    measured: Spreads
    task: PlanTask

    @classmethod
    def of(cls, scores: Scores, asked: Plan) -> Deciding | None:
        """None where nothing can be planned."""
        try:
            matrix = scores.matrix(asked.measure, length=asked.length, form=asked.form, pool=asked.pool)
            measured = spreads_of(matrix, scores.pairs_among(matrix.systems, asked.among))
            if isinstance(measured, Note):
                return None
            return cls(scores, asked, matrix, measured, plan_task(matrix, measured, asked))
        except AdjudgeError:
            return None

    def topics(self, difference: float, *, most: int) -> float:
        """In all, on which the test over topics finds it; infinite where a rough guess is far beyond the most."""
        test = chosen(self.asked.test)
        guess = t_topics(
            difference,
            self.task.source.spread,
            power=self.asked.power,
            alpha=self.asked.alpha / self.task.pairs,
        )
        if guess > most:
            return math.inf
        return self._search(test.name).topics(difference, [self.task.have]).value

    def _search(self, test: str) -> Search:
        sample = self.task.sample(chosen(test))
        return self.task.search(sample, "all" if self.task.pairs > 1 else "one")

    @cached_property
    def sample(self) -> AssessorSample | None:
        """Assessors as a sample; None where they are not known."""
        target: dict[str, Any] = {"length": self.asked.length, "form": self.asked.form}
        judgments: CellJudgments | None = self.scores.table.judgments(self.matrix, **target)
        first, second = columns_of_pairs(len(self.matrix.systems))
        family = self.scores.pairs_among(self.matrix.systems, self.asked.among)
        compared = np.unique([first[family], second[family]])
        systems = [self.matrix.systems[k] for k in compared.tolist()]
        try:
            sources = noise_sources(
                self.scores, self.matrix.measure, systems=systems, seed=self.asked.seed, **target
            )
        except AdjudgeError:
            return None
        return assessors_as_sample(between_assessors(judgments, self.measured), judgments, sources, self.task)
