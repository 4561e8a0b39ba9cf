"""The signed-rank statistic under the null hypothesis: exact, and by the normal distribution.

Ranks are doubled, so that mid-ranks are whole numbers and ties between sums are exact. `positive` is the sum
of the doubled ranks of positive differences.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.pair_tails import Numbers, doubled, side
from adjudge.stats.pairs import Alternative


def exact_p(ranks: IntArray, positive: int, alternative: Alternative = "two-sided") -> float:
    """p when every rank is positive or negative with probability 1/2; `ranks` are doubled and ascend."""
    if not ranks.size:
        return 1.0
    # Without ties all doubled ranks are even; in the smallest units the table is half as long.
    unit = int(np.gcd.reduce(ranks))
    total = int(ranks.sum()) // unit
    sums = positive // unit
    reach = int(side(sums, total - sums, alternative))
    table = _lower_half((ranks // unit).tobytes())
    return float(doubled(_at_most(table, np.array([reach]), total)[0], alternative))


def untied_p(sizes: IntArray, positive: IntArray, alternative: Alternative) -> FloatArray:
    """p of many pairs at once, where the ranks of each are 1 to its size: no ties, no zeros before them.

    One distribution serves all pairs of a size, and that of a larger size grows out of it.
    """
    p = np.ones(sizes.size)
    totals = sizes * (sizes + 1) // 2
    sums = positive // 2
    reach = side(sums, totals - sums, alternative)
    chance = np.zeros(int(totals.max(initial=0)) // 2 + 1)
    chance[0] = 1.0
    wanted = set(sizes.tolist())
    for size in range(1, max(wanted, default=0) + 1):
        total = size * (size + 1) // 2
        _add(chance, size, total)
        if size in wanted:
            here = sizes == size
            p[here] = _at_most(np.cumsum(chance[: total // 2 + 1]), reach[here], total)
    return doubled(p, alternative)  # type: ignore[no-any-return]


def normal_p(
    positive: Numbers,
    ranked: Numbers,
    zeros: Numbers,
    cubes: Numbers,
    *,
    split: bool = False,
    alternative: Alternative = "two-sided",
) -> Numbers:
    """p by the normal distribution, corrected for ties, zeros and continuity.

    Of the `ranked` differences `zeros` are zero; that is 0 where zeros are left out (Pratt 1959; moments:
    Cureton 1967). `cubes` is the sum of t^3 - t over the groups of t tied non-zero differences. With `split`
    the variance counts zeros as one more tied group, as `scipy.stats.wilcoxon(zero_method="zsplit")` does.
    """
    n, none = np.asarray(ranked, dtype=np.float64), np.asarray(zeros, dtype=np.float64)
    fixed = (none**3 - none) / 2 if split else none * (none + 1) * (2 * none + 1)
    spread = np.sqrt((n * (n + 1) * (2 * n + 1) - fixed - np.asarray(cubes, dtype=np.float64) / 2) / 24)
    excess = np.asarray(positive, dtype=np.float64) / 2 - (n * (n + 1) - none * (none + 1)) / 4
    if alternative == "two-sided":
        return 2 * ndtr(-np.abs(excess - np.sign(excess) / 2) / spread)
    # The half rank goes against the alternative.
    return ndtr((0.5 - excess if alternative == "greater" else excess + 0.5) / spread)


@lru_cache(maxsize=16)
def _lower_half(ranks: bytes) -> FloatArray:
    """P(sum <= s) for s up to half the total; cached, since untied pairs share their ranks.

    The shift algorithm (Streitberg and Röhmel 1986): add one rank at a time, in or out. Sums grow only, so
    the upper half is never needed. All terms are positive: the relative error stays below about n machine
    epsilons, in the far tail too.
    """
    weights = np.frombuffer(ranks, dtype=np.int64)
    chance = np.zeros(int(weights.sum()) // 2 + 1)
    chance[0] = 1.0
    total = 0
    for weight in weights.tolist():
        total += weight
        _add(chance, weight, total)
    return np.cumsum(chance)


def _add(chance: FloatArray, weight: int, total: int) -> None:
    """One more rank, in or out with probability 1/2; the sums so far reach `total` with it."""
    live = chance[: total + 1]
    live *= 0.5
    live[weight:] += live[:-weight]


def _at_most(lower: FloatArray, reach: IntArray, total: int) -> FloatArray:
    """P(sum <= reach), from the lower half of a distribution that is symmetric about total / 2."""
    rest = total - reach - 1  # sums above reach are as likely as sums up to this
    upper = np.where(rest >= 0, 1 - lower[np.clip(rest, 0, lower.size - 1)], 1.0)
    return np.where(reach < lower.size, lower[np.minimum(reach, lower.size - 1)], upper)
