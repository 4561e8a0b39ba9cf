"""HB: tests of all pairs by a bootstrap of topics and swaps within them. Swaps alone are in swaps.py."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.paired import Alternative
from adjudge.stats.pairs import PairResults
from adjudge.stats.resampling.engine import (
    RESAMPLES,
    Null,
    Options,
    Statistic,
    Zeros,
    hybrid,
    null_of_pair,
    prepare,
    results,
    tails,
)


def hb_pairs(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    statistic: Statistic = "mean",
    resamples: int = RESAMPLES,
    alternative: Alternative = "two-sided",
    alpha: float | None = 0.05,
    zeros: Zeros = "wilcox",
) -> PairResults:
    """The hybrid of Monte Carlo and bootstrap for every two columns. Rankel et al. 2011, section 2, "HB".

    In each resample n topics are drawn with replacement from the n that both columns have, then the two scores of
    each are swapped with probability 1/2. A topic that is drawn twice ties with itself: W takes mid-ranks. A resample
    of one constant difference has T^p = 0 where it is 0, else infinity. p = (k + 1) / (R + 1); cut-offs and
    `zeros` are as in `mc_pairs`.

    Pairs with the same common topics share their draws. A pair's draws depend on the generator and on the topics
    that the two have in common, not on other columns.
    """
    tasks = prepare(values, Options(statistic, resamples, alternative, alpha, zeros))
    draws = hybrid(rng, resamples)
    return results("hb", "bootstrap", tasks, [tails(task, draws) for task in tasks])


def hb_null(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    statistic: Statistic = "mean",
    resamples: int = RESAMPLES,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "wilcox",
) -> Null:
    """One pair's null distribution under HB: the same draws as `hb_pairs` has from the same generator."""
    options = Options(statistic, resamples, alternative, 0.05, zeros)
    [task] = prepare(np.column_stack(checks.pair(x, y)), options)
    return null_of_pair(task, hybrid(rng, resamples))
