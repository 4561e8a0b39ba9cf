"""Resampling for the pairs of a task, set by set: what was observed, how often it is reached. Draws live elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import too_few
from adjudge.stats.resampling.draws import Block, Draws
from adjudge.stats.resampling.jobs import Job, make_job
from adjudge.stats.resampling.products import SUMS_BYTES, Columns
from adjudge.stats.resampling.quantised import Float
from adjudge.stats.resampling.statistics import SHARES, Null, Observed
from adjudge.stats.resampling.task import Tails, Task

NEAR_BYTES = 2**22
"""Memory for resampled numbers that are counted soon after: what a processor keeps near."""

REMEMBERED = 2**22
"""Weights that are kept for all pairs of a set; more are drawn again for every portion of pairs."""


def tails(task: Task, draws: Draws) -> Tails:
    """Of every pair of the task: the statistic, how many resamples reach it, and the cut-off."""
    found = Tails.empty(task.pairs.size)
    place = task.places()
    for which, members in task.common.sets(task.pairs):
        rows = task.common.rows(which)
        kept = rows.size * draws.resamples <= REMEMBERED
        source = Remembered(draws) if kept else draws
        for pairs in _portions(task, members, NEAR_BYTES if kept else SUMS_BYTES):
            job = make_job(task, pairs, rows)
            observed = observe(task, pairs, rows, job)
            at = place[pairs]
            found.counts[at], found.cutoff[at] = _job_tails(task, observed, job, rows, source)
            found.statistic[at] = shown(task, pairs, observed)
    return found


@dataclass(frozen=True)
class Remembered:
    """Draws of one set of topics that are made once."""

    draws: Draws
    made: dict[Float, list[Block]] = field(default_factory=dict)

    @property
    def resamples(self) -> int:
        return self.draws.resamples

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[Block]:
        if dtype not in self.made:
            self.made[dtype] = list(self.draws.blocks(rows, dtype))
        return iter(self.made[dtype])


def _job_tails(
    task: Task, observed: Observed, job: Job, rows: IntArray, draws: Draws
) -> tuple[IntArray, FloatArray]:
    # The values can be large, and are gone before the next portion's are made.
    values = resample(job, rows, draws)
    return count_tails(task, observed, values, job.first, job.second)


def shown(task: Task, pairs: IntArray, observed: Observed) -> FloatArray:
    """The observed statistic as it is printed; T straight from the differences, which is more exact."""
    statistic = task.options.statistic
    return task.t(pairs, statistic) if statistic in SHARES else observed.shown(observed.value)


def count_tails(
    task: Task, observed: Observed, values: Columns, first: IntArray, second: IntArray
) -> tuple[IntArray, FloatArray]:
    """How many values of each pair reach the observed one, and the cut-off of the statistic."""
    from adjudge.stats.resampling.kernels import difference_counts, difference_tails

    options = task.options
    if options.alpha is None:
        counts = difference_counts(values, first, second, observed.edges(options.side), options.side)
        return counts, np.full(counts.size, np.nan)
    guess, per_count = observed.expected(options)
    counts, largest = difference_tails(
        values, first, second, observed.edges(options.side), options.side, options.rank, guess, per_count
    )
    return counts, (-1 if options.side < 0 else 1) * observed.shown(largest)


def null_of_pair(task: Task, draws: Draws) -> Null:
    """The null distribution of the only pair of a task."""
    options, n = task.options, int(task.n[0])
    if not task.pairs.size:
        return Null(np.nan, np.nan, n, np.empty(0), options.alternative, too_few(n))
    rows = task.common.rows(int(task.common.set_of_pair[0]))
    job = make_job(task, task.pairs, rows)
    observed = observe(task, task.pairs, rows, job)
    values = resample(job, rows, draws).astype(np.float64)
    values = values[job.first] - values[job.second]
    folded = np.abs(values) if options.side == 0 else options.side * values
    reached = int(np.count_nonzero(folded >= observed.edges(options.side)))
    statistic = float(shown(task, task.pairs, observed)[0])
    p = (reached + 1) / (options.resamples + 1)
    return Null(statistic, p, n, np.sort(observed.shown(values)[0]), options.alternative)


def resample(job: Job, rows: IntArray, draws: Draws) -> Columns:
    """The exact numbers of all resamples, and a row of zeros after them."""
    values = np.zeros((job.rows + 1, draws.resamples), dtype=job.values)
    for part, signed, counts in draws.blocks(rows, job.weights):
        if part == slice(0, draws.resamples):
            job.fill(signed, counts, values[: job.rows])
        else:
            block = np.empty((job.rows, signed.shape[1]), dtype=job.values)
            job.fill(signed, counts, block)
            values[: job.rows, part] = block
    return values


def observe(task: Task, pairs: IntArray, rows: IntArray, job: Job) -> Observed:
    """What was observed, as a resample in which every topic was drawn once and left."""
    ones = np.ones((rows.size, 1), dtype=job.weights)
    values = np.zeros((job.rows + 1, 1), dtype=job.values)
    job.fill(ones, ones, values[: job.rows])
    value = (values[job.first] - values[job.second])[:, 0].astype(np.float64)
    n, unit = task.n[pairs], task.quantised.unit
    return Observed(task.options.statistic, n, value, job.tolerance, unit, job.size)


def _portions(task: Task, pairs: IntArray, memory: int) -> Iterator[IntArray]:
    """Pairs whose resampled numbers fit into the memory: for the mean these are numbers of systems."""
    fit = max(memory // 8 // max(task.options.resamples, task.whole.shape[1]), 2)
    if task.options.statistic == "mean":
        fit = max(SUMS_BYTES // 16 // task.options.resamples, 1)
        fit = pairs.size if len(task.whole) <= fit else fit
    for start in range(0, pairs.size, fit):
        yield pairs[start : start + fit]
