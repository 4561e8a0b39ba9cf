"""MC and HB: tests of all pairs by random swaps within topics, alone or after a bootstrap of topics.

Rankel et al. 2011, section 2. All swaps, without random numbers, are in exact.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE, Alternative
from adjudge.stats.pairs import PairResults
from adjudge.stats.resampling.engine import (
    RESAMPLES,
    SHARES,
    Bits,
    Columns,
    ObservedStatistic,
    ResampledZeros,
    ResamplingOptions,
    ResamplingTask,
    Statistic,
    SumBatch,
    SwapDraws,
    Tails,
    batch_width,
    column_batches,
    count_tails,
    full_squares,
    hybrid_draws,
    prepare,
    results,
    score_batches,
    shown,
    sign_bits,
    sorted_by_size,
    sum_slack,
    swapped_sums,
    tails,
)
from adjudge.stats.resampling.quantised import narrowest


def mc_pairs(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    statistic: Statistic = "mean",
    resamples: int = RESAMPLES,
    alternative: Alternative = "two-sided",
    alpha: float | None = 0.05,
    zeros: ResampledZeros = "wilcox",
) -> PairResults:
    """Random swaps within topics for every two columns. Rankel et al. 2011, section 2, "MC".

    In each resample the two scores of a topic are swapped with probability 1/2, by one sign per topic for all
    pairs. p = (k + 1) / (R + 1), k of R resamples being at least as extreme as what was observed; ties count.
    `cutoff` is the empirical (1 - alpha) quantile of the statistic: two-sided of |S|; for "greater" S must reach
    it, for "less" fall to it; with alpha=None there is none, and less work. `zeros` is for W alone. "mean", "t"
    and "t-unpaired" have the same p.
    """
    options = ResamplingOptions(
        statistic=statistic, resamples=resamples, alternative=alternative, alpha=alpha, zeros=zeros
    )
    tasks = prepare(values, options)
    bits = sign_bits(rng, tasks[0].whole.shape[1], resamples)
    if statistic == "median":
        return results("mc", "swaps", tasks, [tails(task, SwapDraws(bits, resamples)) for task in tasks])
    return results("mc", "swaps", tasks, [_product_tails(task, bits) for task in tasks])


def _product_tails(task: ResamplingTask, bits: Bits) -> Tails:
    """Tails of the statistics that are sums under swaps, or rise with one."""
    result = Tails.empty(task.pairs.size)
    place = task.places()
    make = _rank_batches if task.options.statistic == "w" else _score_batches
    for batch in make(task):
        observed = _observed(task, batch)
        at = place[batch.pairs]
        result.counts[at], result.cutoff[at] = _batch_tails(task, observed, batch, bits)
        result.statistic[at] = shown(task, batch.pairs, observed)
    return result


def _batch_tails(
    task: ResamplingTask, observed: ObservedStatistic, batch: SumBatch, bits: Bits
) -> tuple[IntArray, FloatArray]:
    # The sums are large, and gone before the next batch's are made.
    sums = swapped_sums(batch, bits, task.options.resamples)
    return count_tails(task, observed, sums, batch.first, batch.second)


def _score_batches(task: ResamplingTask) -> Iterator[SumBatch]:
    dtype = task.quantised.dtype
    width = batch_width(task.options.resamples, task.whole.shape[1], dtype)
    return score_batches(task.whole, task.common, task.pairs, width, dtype)


def _rank_batches(task: ResamplingTask) -> Iterator[SumBatch]:
    """A column of signed ranks for each pair."""
    from adjudge.stats.resampling.kernels import signed_ranks

    topics = task.scores.shape[1]
    dtype = narrowest(4.0 * topics**2)

    def columns(pairs: IntArray) -> Columns:
        first, second = task.columns(pairs)
        ranks = np.empty((pairs.size, topics), dtype=dtype)
        by_size = sorted_by_size(task.scores, first, second, noise=NOISE)
        signed_ranks(task.scores, first, second, *by_size, task.options.zeros == "pratt", ranks)
        return ranks

    return column_batches(columns, task.pairs, batch_width(task.options.resamples, topics, dtype))


def _observed(task: ResamplingTask, batch: SumBatch) -> ObservedStatistic:
    """The sums without any swap."""
    statistic, n, unit = task.options.statistic, task.n[batch.pairs], task.quantised.unit
    if statistic == "w":
        ranks = batch.columns.astype(np.float64)
        squares = np.einsum("pk,pk->p", ranks, ranks)
        return ObservedStatistic(
            statistic="w",
            n=n,
            value=ranks.sum(axis=1),
            tolerance=np.zeros(n.size),
            unit=unit,
            size=np.sqrt(squares),
        )
    total, squares = task.totals(batch.pairs)
    most = None
    if statistic in SHARES:
        most = full_squares(total, task.spreads(batch.pairs, statistic), n, statistic)
    return ObservedStatistic(
        statistic=statistic,
        n=n,
        value=total,
        tolerance=sum_slack(task.quantised, n),
        unit=unit,
        size=np.sqrt(squares),
        most=most,
    )


def hb_pairs(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    statistic: Statistic = "mean",
    resamples: int = RESAMPLES,
    alternative: Alternative = "two-sided",
    alpha: float | None = 0.05,
    zeros: ResampledZeros = "wilcox",
) -> PairResults:
    """The hybrid of Monte Carlo and bootstrap for every two columns. Rankel et al. 2011, section 2, "HB".

    In each resample n topics are drawn with replacement from the n that both columns have, then the two scores of
    each are swapped with probability 1/2. A topic that is drawn twice ties with itself: W takes mid-ranks. A resample
    of one constant difference has T^p = 0 where it is 0, else infinity. p = (k + 1) / (R + 1); cut-offs and
    `zeros` are as in `mc_pairs`.

    Pairs with the same common topics share their draws. A pair's draws depend on the generator and on the topics
    that the two have in common, not on other columns.
    """
    tasks = prepare(
        values,
        ResamplingOptions(
            statistic=statistic, resamples=resamples, alternative=alternative, alpha=alpha, zeros=zeros
        ),
    )
    draws = hybrid_draws(rng, resamples)
    return results("hb", "bootstrap", tasks, [tails(task, draws) for task in tasks])
