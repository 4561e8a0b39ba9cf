"""Tests of every two columns by name: the one place that knows which function a name means."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.stats import pairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import Alternative, Zeros
from adjudge.stats.pairs import PairResults
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
