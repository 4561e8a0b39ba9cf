"""How each statistic comes from a resample, for the pairs of one set of topics. Draws and counting live elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE
from adjudge.stats.resampling.products import Columns
from adjudge.stats.resampling.quantised import Float, narrowest
from adjudge.stats.resampling.statistics import full_squares, share_tolerance, sum_slack
from adjudge.stats.resampling.task import Task

Fill = Callable[[Columns, Columns, Columns], None]


@dataclass(frozen=True)
class Job:
    """How the exact numbers of some pairs come from a resample; a pair's is a row of them, less another."""

    fill: Fill
    """Writes a block's rows, from how much more often topics were left than swapped and how often drawn."""
    rows: int
    first: IntArray
    second: IntArray
    """The number of rows stands for none."""
    weights: Float
    values: Float
    tolerance: FloatArray
    """What may be missing for a tie."""
    size: FloatArray
    """The standard deviation that `Observed.expected` starts from; NaN where it is not known."""


def make_job(task: Task, pairs: IntArray, rows: IntArray) -> Job:
    """The job for the task's statistic."""
    i, j = task.columns(pairs)
    systems = np.unique(np.concatenate([i, j]))
    first, second = np.searchsorted(systems, i), np.searchsorted(systems, j)
    whole = np.ascontiguousarray(task.whole[np.ix_(systems, rows)])
    statistic = task.options.statistic
    if statistic == "mean":
        return _mean_job(task, pairs, whole, first, second)
    if statistic == "median":
        return _median_job(task, whole, first, second)
    if statistic == "w":
        scores = np.ascontiguousarray(task.scores[np.ix_(systems, rows)])
        return _rank_job(scores, first, second, pratt=task.options.zeros == "pratt")
    return _share_job(task, pairs, whole, first, second)


def _mean_job(task: Task, pairs: IntArray, whole: FloatArray, first: IntArray, second: IntArray) -> Job:
    from adjudge.stats.resampling.kernels import weighted_sums

    dtype = narrowest(2 * whole.shape[1] * float(np.abs(whole).max()))
    columns = whole.astype(dtype)

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        weighted_sums(signed, columns, out)

    slack = sum_slack(task.quantised, task.n[pairs])
    return Job(fill, len(whole), first, second, dtype, dtype, slack, np.sqrt(task.totals(pairs)[1]))


def _median_job(task: Task, whole: FloatArray, first: IntArray, second: IntArray) -> Job:
    from adjudge.stats.resampling.kernels import drawn_medians, weighted_sums

    order = sorted_by_size(whole, first, second, noise=0.0)[0]
    dtype = narrowest(4 * float(np.abs(whole).max()))
    columns = whole.astype(dtype)
    sides = np.where(whole[first] >= whole[second], 1, -1).astype(np.float32)

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        excess = np.empty(out.shape, dtype=np.float32)
        weighted_sums(signed, sides, excess)
        drawn_medians(signed, counts, columns, first, second, order, sides, excess, out)

    slack = np.full(first.size, 4 * task.quantised.slack)  # doubled medians, off by one difference each
    return _pair_job(fill, np.float32, dtype, slack, np.full(first.size, np.nan))


def _rank_job(scores: FloatArray, first: IntArray, second: IntArray, *, pratt: bool) -> Job:
    from adjudge.stats.resampling.kernels import drawn_rank_sums

    n = scores.shape[1]
    order, starts, zeros = sorted_by_size(scores, first, second, noise=NOISE)
    dtype = narrowest(4.0 * n**2)

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        drawn_rank_sums(signed, counts, scores, first, second, order, starts, zeros, pratt, out)

    # Without ties W has the variance n (n + 1) (2 n + 1) / 6; it is kept doubled.
    size = np.full(first.size, 2 * np.sqrt(n * (n + 1) * (2 * n + 1) / 6))
    return _pair_job(fill, dtype, dtype, np.zeros(first.size), size)


def _share_job(task: Task, pairs: IntArray, whole: FloatArray, first: IntArray, second: IntArray) -> Job:
    """T and T^p: see `resampling_sums.paired_shares` and `unpaired_shares`."""
    from adjudge.stats.resampling.kernels import paired_shares, unpaired_shares, weighted_sums

    n = whole.shape[1]
    dtype = narrowest(n * (2 * float(np.abs(whole).max())) ** 2)
    columns = whole.astype(dtype)
    squares = columns**2
    statistic = task.options.statistic

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        sums = np.empty((len(columns), signed.shape[1]), dtype=dtype)
        weighted_sums(signed, columns, sums)
        if statistic == "t":
            paired_shares(counts, columns, sums, first, second, out)
            return
        drawn, drawn_squares = np.empty_like(sums), np.empty_like(sums)
        weighted_sums(counts, columns, drawn)
        weighted_sums(counts, squares, drawn_squares)
        unpaired_shares(drawn_squares, drawn, sums, first, second, n, out)

    total, square = task.totals(pairs)
    most = full_squares(total, task.spreads(pairs, statistic), task.n[pairs], statistic)
    tolerance = share_tolerance(total, most, sum_slack(task.quantised, task.n[pairs]))
    size = np.sqrt(np.divide(square, most, out=np.zeros_like(most), where=most > 0))
    return _pair_job(fill, dtype, np.float64, tolerance, size)


def _pair_job(fill: Fill, weights: Float, values: Float, tolerance: FloatArray, size: FloatArray) -> Job:
    """A row for each pair."""
    pairs = tolerance.size
    return Job(fill, pairs, np.arange(pairs), np.full(pairs, pairs), weights, values, tolerance, size)


def sorted_by_size(
    columns: FloatArray, first: IntArray, second: IntArray, *, noise: float
) -> tuple[npt.NDArray[np.int32], BoolArray, IntArray]:
    """The topics of every pair by the size of their difference; see `by_size`."""
    from adjudge.stats.resampling.kernels import by_size

    order = np.empty((first.size, columns.shape[1]), dtype=np.int32)
    starts = np.empty(order.shape, dtype=np.bool_)
    zeros = np.empty(first.size, dtype=np.int64)
    by_size(columns, first, second, noise, order, starts, zeros)
    return order, starts, zeros
