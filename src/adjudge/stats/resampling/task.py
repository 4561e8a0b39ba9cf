"""What MC and HB have in common: the scores made ready, and results put together. How to draw lives elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import too_few
from adjudge.stats.pairs import PairCounts, PairResults, pair_counts
from adjudge.stats.resampling.common import CommonTopics, common_topics
from adjudge.stats.resampling.quantised import Quantised, quantise
from adjudge.stats.resampling.statistics import Options, Statistic, t_of_spread

LEAST_TOPICS = 2


@dataclass(frozen=True)
class Task:
    """Scores, pairs and options. Rows are systems here, so that a system's scores lie together."""

    scores: FloatArray
    whole: FloatArray
    """The scores in whole numbers, NaN where missing."""
    quantised: Quantised
    common: CommonTopics
    options: Options
    n: IntArray
    pairs: IntArray
    """Which pairs have enough topics."""

    def columns(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        return self.common.first[pairs], self.common.second[pairs]

    def places(self) -> IntArray:
        """Where each pair stands among those that have enough topics; 0 for the others."""
        places = np.zeros(self.n.size, dtype=np.int64)
        places[self.pairs] = np.arange(self.pairs.size)
        return places

    def totals(self, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """The sum of each pair's whole differences, and of their squares."""
        from adjudge.stats.resampling.kernels import observed_sums

        totals: tuple[FloatArray, FloatArray] = observed_sums(self.whole, *self.columns(pairs))
        return totals

    def spreads(self, pairs: IntArray, statistic: Statistic) -> FloatArray:
        """The sum of squares that T^p or T divides by."""
        from adjudge.stats.resampling.kernels import observed_spreads

        paired = statistic == "t"
        spreads: FloatArray = observed_spreads(self.whole, *self.columns(pairs), paired, self.quantised.slack)
        return spreads

    def t(self, pairs: IntArray, statistic: Statistic) -> FloatArray:
        """The observed T^p or T."""
        total = self.totals(pairs)[0]
        total[np.abs(total) <= self.quantised.slack * self.n[pairs]] = 0.0
        return t_of_spread(total, self.spreads(pairs, statistic), self.n[pairs])


@dataclass(frozen=True)
class Tails:
    """What resampling gave for the pairs of a task, in their order."""

    statistic: FloatArray
    counts: IntArray
    """How many resamples reached the observed statistic."""
    cutoff: FloatArray

    @classmethod
    def empty(cls, size: int) -> Tails:
        return cls(np.full(size, np.nan), np.zeros(size, dtype=np.int64), np.full(size, np.nan))


def prepare(values: npt.ArrayLike, options: Options) -> list[Task]:
    """The matrix checked, in whole numbers, with its pairs by common topics.

    One task, unless there is no grid and columns are of very different sizes: rounded for the largest, small scores
    would lose more than noise. A task then has the pairs whose larger column is of one size.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    quantised = quantise(matrix)
    common = common_topics(~np.isnan(matrix))
    n = common.n
    scores = np.ascontiguousarray(matrix.T)
    usable = np.flatnonzero(n >= LEAST_TOPICS)
    level = np.zeros(len(scores), dtype=np.int64) if quantised.on_grid else _levels(matrix)
    if not level.any() or not usable.size:
        return [Task(scores, _by_system(quantised), quantised, common, options, n, usable)]
    level_of_pair = np.maximum(level[common.first], level[common.second])[usable]
    tasks = []
    for each in np.unique(level_of_pair):
        quantised = quantise(np.where(level <= each, matrix, np.nan))
        pairs = usable[level_of_pair == each]
        tasks.append(Task(scores, _by_system(quantised), quantised, common, options, n, pairs))
    return tasks


def _by_system(quantised: Quantised) -> FloatArray:
    return np.ascontiguousarray(quantised.whole.T)


def _levels(matrix: FloatArray) -> IntArray:
    """How large the scores of each column are: 0 for the smallest, one more for every factor of about a thousand."""
    largest = np.max(np.abs(matrix), axis=0, initial=0.0, where=~np.isnan(matrix))
    power = np.frexp(largest)[1].astype(np.int64)
    least = np.min(power[largest > 0], initial=power.max(initial=0))
    return np.where(largest > 0, (power - least) // 10, 0)


def results(test: str, method: str, tasks: list[Task], found: list[Tails]) -> PairResults:
    """The results of all pairs; those with too few topics say so."""
    task = tasks[0]
    counts: PairCounts = pair_counts(task.scores.T, loaded=True)
    size = len(counts)
    statistic, p, cutoff = np.full((3, size), np.nan)
    for each, tails in zip(tasks, found, strict=True):
        statistic[each.pairs] = tails.statistic
        p[each.pairs] = (tails.counts + 1) / (task.options.resamples + 1)
        cutoff[each.pairs] = tails.cutoff
    short = np.flatnonzero(task.n < LEAST_TOPICS)
    if task.options.statistic == "mean":
        statistic = counts.difference.copy()
        statistic[short] = np.nan
    methods: list[str | None] = [method] * size
    for k in short:
        methods[k] = None
    return PairResults(
        test,
        counts,
        statistic,
        p,
        tuple(methods),
        task.options.signature(test),
        task.options.alternative,
        {int(k): too_few(int(task.n[k])) for k in short},
        None if task.options.alpha is None else cutoff,
    )
