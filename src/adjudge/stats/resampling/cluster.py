"""Topics that come in clusters, such as single documents of one set: a test that swaps clusters, and intervals.

Topics of one cluster share what is special about it, so they are not so many independent observations. Tests of
independent topics are in swaps.py, intervals in bootstrap.py.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Alternative, noise_of, settled, student_p
from adjudge.stats.pairs import PairResults, columns_of_pairs, pair_counts
from adjudge.stats.resampling.engine import SIDES, quantile_place

ALL_SIGNS_UP_TO = 12
"""Clusters up to which every combination of signs is looked at, 4,096 of them."""
LEAST_CLUSTERS = 2
BLOCK = 2_000_000
"""Numbers held at once for a block of pairs: 16 MB."""


def cluster_mc_pairs(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    alternative: Alternative = "two-sided",
    alpha: float | None = None,
) -> PairResults:
    """Random swaps of whole clusters for every two columns: the mean difference, one sign per cluster.

    Under the null hypothesis a cluster's differences are as likely all turned round as not, however much they
    depend on each other; between clusters they are independent. With at most ALL_SIGNS_UP_TO clusters all
    combinations of signs are looked at and p is exact, else p = (k + 1) / (R + 1). One sign per cluster serves
    all pairs. A pair uses the topics that both have, and needs two clusters with such topics. With alpha there is a
    cut-off of the mean difference, as in `swaps.mc_pairs`.
    """
    matrix, codes = _checked(values, clusters)
    checks.count("resamples", resamples, least=1)
    checks.one_of("alternative", alternative, ("two-sided", "greater", "less"))
    if alpha is not None:
        checks.share("alpha", alpha)
    size = int(codes.max(initial=-1)) + 1
    exact = size <= ALL_SIGNS_UP_TO
    signs = (
        np.array(list(product((1.0, -1.0), repeat=size))).reshape(2**size, size)
        if exact
        else 2.0 * rng.integers(0, 2, (resamples, size)) - 1.0
    )
    counts = pair_counts(matrix)
    (p, cutoff), met = np.full((2, len(counts)), np.nan), np.zeros(len(counts), dtype=np.int64)
    for block in _blocks(matrix, codes, len(signs)):
        drawn = signs @ block.sums
        reached = _reached(drawn, block, alternative)
        p[block.pairs] = reached / len(signs) if exact else (reached + 1) / (len(signs) + 1)
        met[block.pairs] = np.count_nonzero(block.sizes, axis=0)
        if alpha is not None:
            with np.errstate(invalid="ignore"):  # 0 / 0 where a pair has no topic
                side = SIDES[alternative]
                folded = np.abs(drawn) if side == 0 else side * drawn
                place = quantile_place(1 - alpha, len(folded))
                cutoff[block.pairs] = np.asarray(
                    (side or 1) * np.partition(folded, place, axis=0)[place]
                ) / block.sizes.sum(axis=0)
    few = np.flatnonzero(met < LEAST_CLUSTERS).tolist()
    p[few] = cutoff[few] = np.nan
    statistic = counts.difference.copy()
    statistic[few] = np.nan
    method = "exact" if exact else "swaps"
    return PairResults(
        test="mc",
        counts=counts,
        statistic=statistic,
        p=p,
        method=tuple(None if n < LEAST_CLUSTERS else method for n in met.tolist()),
        signature=f"mc|statistic:mean|clusters:{size}|{'all-signs' if exact else f'resamples:{resamples}'}",
        alternative=alternative,
        why={k: f"needs two clusters with topics that both have, has {met[k] or 'none'}" for k in few},
        cutoff=None if alpha is None else cutoff,
        resampled="mean",
        resamples=None if exact else resamples,
    )


def cluster_means(
    values: npt.ArrayLike, clusters: npt.ArrayLike, *, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Intervals of the column means, low and high: mean +/- t(G-1) se, G clusters being the observations.

    The standard error is that of a ratio of sums over clusters, their totals and their sizes (Cochran 1977, ch. 6), so
    that large clusters weigh more, as they do in the mean itself. With clusters of one size it is that of the
    clusters' means, and with clusters of one topic Student's. A column with scores in fewer than two clusters gets NaN.
    """
    from scipy.special import stdtrit

    matrix, codes = _checked(values, clusters)
    checks.share("level", level)
    present = ~np.isnan(matrix)
    sums = _by_cluster(np.where(present, matrix, 0.0), codes)
    sizes = _by_cluster(present.astype(np.float64), codes)
    error, freedom = _ratio_errors(sums, sizes)
    with np.errstate(invalid="ignore"):
        mean = sums.sum(axis=0) / sizes.sum(axis=0)
    half = stdtrit(np.maximum(freedom, 1), (1 + level) / 2) * error
    return mean - half, mean + half


def cluster_errors(values: npt.ArrayLike, clusters: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The standard error of every pair's mean difference over the topics that both have, and G - 1.

    As in `cluster_means`, for the pairs i < j; NaN where fewer than two clusters have such topics.
    """
    matrix, codes = _checked(values, clusters)
    pairs = matrix.shape[1] * (matrix.shape[1] - 1) // 2
    error, freedom = np.full((2, pairs), np.nan)
    for block in _blocks(matrix, codes, 1):
        error[block.pairs], freedom[block.pairs] = _ratio_errors(block.sums, block.sizes)
    return error, freedom


def cluster_t_pairs(
    values: npt.ArrayLike, clusters: npt.ArrayLike, *, alternative: Alternative = "two-sided"
) -> PairResults:
    """Student's t of every pair's mean difference, with the errors of `cluster_errors`."""
    matrix, codes = _checked(values, clusters)
    counts = pair_counts(matrix)
    error, freedom = cluster_errors(matrix, codes)
    tied = counts.ties == counts.n
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(tied, 0.0, counts.difference / error)
    t[~np.isfinite(t)] = np.nan
    p = np.where(tied & (counts.n > 1), 1.0, student_p(t, np.maximum(freedom, 1.0), alternative))
    none = np.flatnonzero(np.isnan(p)).tolist()
    return PairResults(
        test="t",
        counts=counts,
        statistic=t,
        p=p,
        method=tuple(None if np.isnan(of_pair) else "t" for of_pair in p),
        signature=f"t|{alternative}|sets:{int(codes.max(initial=-1)) + 1}",
        alternative=alternative,
        why=dict.fromkeys(none, "sets of topics do not differ, or there is one"),
    )


def cluster_codes(labels: Sequence[Hashable]) -> IntArray:
    """A code for every label, in the order of appearance; a topic without a label (None) is its own cluster."""
    codes: dict[Hashable, int] = {}
    keys = ((position, None) if label is None else label for position, label in enumerate(labels))
    return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)


@dataclass(frozen=True)
class _Block:
    """Some pairs: their differences summed by cluster, how many there are, and what of a sum is noise."""

    pairs: IntArray
    sums: FloatArray
    sizes: FloatArray
    noise: FloatArray


def _blocks(matrix: FloatArray, codes: IntArray, resamples: int) -> Iterator[_Block]:
    first, second = columns_of_pairs(matrix.shape[1])
    width = max(1, BLOCK // max(resamples, matrix.shape[0], 1))
    for start in range(0, first.size, width):
        pairs = np.arange(start, min(start + width, first.size))
        x, y = matrix[:, first[pairs]], matrix[:, second[pairs]]
        both = ~(np.isnan(x) | np.isnan(y))
        noise = np.where(both, noise_of(x, y), 0.0)
        difference = settled(np.where(both, x - y, 0.0), noise)
        yield _Block(
            pairs=pairs,
            sums=_by_cluster(difference, codes),
            sizes=_by_cluster(both.astype(np.float64), codes),
            noise=noise.sum(axis=0),
        )


def _by_cluster(values: FloatArray, codes: IntArray) -> FloatArray:
    """Sums over the topics of every cluster, clusters x columns."""
    member = codes == np.arange(int(codes.max(initial=-1)) + 1)[:, None]
    return np.asarray(member.astype(np.float64) @ values)


def _reached(drawn: FloatArray, block: _Block, alternative: Alternative) -> IntArray:
    """How many sums of signed clusters are at least as extreme as the observed one; ties count, but for noise."""
    observed = block.sums.sum(axis=0)
    if alternative == "two-sided":
        drawn, observed = np.abs(drawn), np.abs(observed)
    elif alternative == "less":
        drawn, observed = -drawn, -observed
    return np.asarray(np.count_nonzero(drawn >= observed - block.noise, axis=0), dtype=np.int64)


def _ratio_errors(sums: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The standard error of sum / size by column, over clusters, and the degrees of freedom."""
    met = np.count_nonzero(sizes, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = sizes.sum(axis=0)
        apart = sums - sizes * (sums.sum(axis=0) / total)
        error = np.sqrt(np.square(apart).sum(axis=0) * met / (met - 1.0)) / total
    return np.where(met < LEAST_CLUSTERS, np.nan, error), met - 1.0


def _checked(values: npt.ArrayLike, clusters: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
    """The matrix, and codes from 0 on without gaps."""
    matrix = checks.numbers("values", values, dimensions=2)
    codes = np.asarray(clusters)
    if codes.ndim != 1 or codes.size != matrix.shape[0]:
        raise UsageError(
            f"clusters: expected one code for each of {matrix.shape[0]} topics, got {codes.shape}"
        )
    if codes.size and not np.issubdtype(codes.dtype, np.integer):
        raise UsageError(f"clusters: expected whole numbers, got {codes.dtype}")
    return matrix, np.unique(codes, return_inverse=True)[1].astype(np.int64)
