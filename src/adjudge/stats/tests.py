"""Tests of every two columns by name: the one place that knows which function a name means, and its cut-offs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from adjudge.stats import pairs
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.multiple import at_most
from adjudge.stats.paired import (
    EXACT_UP_TO,
    Alternative,
    Zeros,
    differences,
    exact_cutoff,
    rank,
    rank_spread,
    sign_p,
    welch_freedom,
)
from adjudge.stats.pairs import PairResults, column_pairs, own_squares
from adjudge.stats.resampling.engine import RESAMPLES, Statistic


def run_pairs(
    name: str,
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    statistic: Statistic | None = None,
    resamples: int = RESAMPLES,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "wilcox",
    alpha: float = 0.05,
) -> PairResults:
    """The test of every two columns. `rng`, `statistic` and `resamples` are for mc and hb, which need all three."""
    match name:
        case "wilcoxon":
            return pairs.wilcoxon_pairs(values, zeros=zeros, alternative=alternative)
        case "t":
            return pairs.t_pairs(values, alternative=alternative)
        case "t-unpaired" | "welch":
            return pairs.unpaired_t_pairs(
                values, equal_variances=name == "t-unpaired", alternative=alternative
            )
        case "sign":
            return pairs.sign_pairs(values, alternative=alternative)
        case "exact":
            from adjudge.stats.resampling.exact import exact_pairs  # compiled code, only where it is needed

            return exact_pairs(values, alternative=alternative)
        case "mc" | "hb":
            from adjudge.stats.resampling.swaps import hb_pairs, mc_pairs

            if statistic is None:
                raise ValueError(f"{name} resamples a statistic, and none is named")
            resampled = mc_pairs if name == "mc" else hb_pairs
            return resampled(
                values,
                rng=rng,
                statistic=statistic,
                resamples=resamples,
                alternative=alternative,
                alpha=alpha,
                zeros="pratt" if zeros == "pratt" else "wilcox",
            )
    raise ValueError(f"no test is called {name!r}")


BY_SIGNS = ("wilcoxon", "sign", "exact", "mc")
"""Under the null hypothesis only the signs of the differences are random."""


def smallest_p(results: PairResults, resamples: int = RESAMPLES) -> FloatArray:
    """By pair: the smallest p that the test could have given, whatever the signs of the differences.

    Tests by signs give the 2^m ways to sign m differences, ties left out, equal chances, and none is further out than
    all on one side: 2^-m, two-sided twice that. Random swaps can come out lower by luck, but not by much. R resamples
    give no p below 1 / (R + 1); other tests can give any. NaN where there is no p.
    """
    floor = np.zeros(len(results))
    counts, sides = results.counts, 1 if results.alternative == "two-sided" else 0
    if results.test in BY_SIGNS:
        floor = np.exp2(np.minimum(0.0, sides - (counts.wins + counts.losses)))
    if results.test in ("mc", "hb"):
        floor = np.maximum(floor, 1 / (resamples + 1))
    floor = np.where(counts.wins + counts.losses == 0, 1.0, floor)  # nothing but ties
    return np.where(np.isnan(results.p), np.nan, floor)


# What a statistic has to reach: theoretical cut-offs, pair by pair. Rankel et al. 2011, section 2. Tests that resample
# know theirs from the resamples (`PairResults.cutoff`); here are those of the other tests, two-sided.

MOST_RANKED = 20_000
"""Pairs up to which cut-offs of signed ranks are computed; ties make each pair's its own, at 0.2 ms or more."""


def theoretical_cutoffs(
    results: PairResults, values: FloatArray, *, alpha: float, zeros: Zeros = "wilcox"
) -> FloatArray | None:
    """By pair: the smallest absolute value of the statistic with p <= alpha. None where the test has no such theory.

    Of t, t-unpaired and welch a quantile of Student's t; of the sign test the least wins less losses; of wilcoxon the
    least signed sum W, exact or normal as its p is. NaN where there is no p, or where no value would do.
    """
    if results.alternative != "two-sided":
        return None
    counts, n = results.counts, results.counts.n.astype(np.float64)
    match results.test:
        case "t":
            cutoffs = _student(n - 1, alpha)
        case "t-unpaired":
            cutoffs = _student(2 * n - 2, alpha)
        case "welch":
            cutoffs = _student(_welch(values), alpha)
        case "sign":
            cutoffs = _signs(counts.wins + counts.losses, alpha)
        case "wilcoxon" if len(results) <= MOST_RANKED:
            cutoffs = _ranks(results, values, alpha, zeros)
        case _:
            return None
    return np.where(np.isnan(results.p), np.nan, cutoffs)


def _student(freedom: FloatArray, alpha: float) -> FloatArray:
    cutoffs: FloatArray = stdtrit(np.where(freedom > 0, freedom, np.nan), 1 - alpha / 2)
    return cutoffs


def _welch(values: FloatArray) -> FloatArray:
    pairs = column_pairs(values)
    x, y = own_squares(pairs)
    with np.errstate(invalid="ignore"):
        return welch_freedom(pairs.n, np.sqrt(np.minimum(x, y) / np.maximum(x, y)))


def _signs(decided: IntArray, alpha: float) -> FloatArray:
    sizes, which = np.unique(decided, return_inverse=True)
    least = np.full(sizes.size, np.nan)
    for at, size in enumerate(sizes.tolist()):
        fewest = np.arange(size // 2 + 1)
        within = np.flatnonzero(at_most(sign_p(size - fewest, fewest, "two-sided"), alpha))
        if within.size:
            least[at] = size - 2 * within[-1]
    return least[which]


def _ranks(results: PairResults, values: FloatArray, alpha: float, zeros: Zeros) -> FloatArray:
    counts, least = results.counts, np.full(len(results), np.nan)
    for k in np.flatnonzero(~np.isnan(results.p)).tolist():
        d = differences(values[:, counts.first[k]], values[:, counts.second[k]])
        below = 0 if zeros == "wilcox" else d.ties
        ranks = rank(d, below=below)
        if ranks.doubled.size + below <= EXACT_UP_TO:
            least[k] = exact_cutoff(ranks.doubled, alpha)
        elif ranks.doubled.size:
            sizes = ranks.tied.astype(np.float64)
            cubes = float((sizes**3 - sizes).sum())
            spread = rank_spread(ranks.doubled.size + below, below, cubes)
            least[k] = 1 + 2 * ndtri(1 - alpha / 2) * spread  # the half rank of continuity counts twice in W
    return least
