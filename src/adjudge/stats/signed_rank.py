"""The signed-rank statistic under the null hypothesis: exact, and by the normal distribution."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from adjudge.stats.checks import FloatArray, IntArray


def exact_p(doubled: IntArray, positive: int) -> float:
    """Two-sided p when every rank is positive or negative with probability 1/2.

    `doubled` are twice the ranks, ascending, and `positive` is the sum of those of positive
    differences. All are integers, so ties between sums are exact.
    """
    if not doubled.size:
        return 1.0
    # Without ties all doubled ranks are even; in the smallest units the table is half as long.
    unit = int(np.gcd.reduce(doubled))
    total = int(doubled.sum())
    tail = min(positive, total - positive) // unit
    return min(1.0, 2 * float(_lower_half((doubled // unit).tobytes())[tail]))


@lru_cache(maxsize=16)
def _lower_half(ranks: bytes) -> FloatArray:
    """P(sum <= s) for s up to half the total; cached, since untied pairs share their ranks.

    The shift algorithm (Streitberg and Röhmel 1986): add one rank at a time, in or out. Sums
    grow only, so the upper half is never needed. All terms are positive: the relative error
    stays below about n machine epsilons, in the far tail too.
    """
    weights = np.frombuffer(ranks, dtype=np.int64)
    half = int(weights.sum()) // 2
    chance = np.zeros(half + 1)
    chance[0] = 1.0
    reached = 0
    for weight in weights.tolist():
        reached = min(reached + weight, half)
        live = chance[: reached + 1]
        live *= 0.5
        live[weight:] += live[:-weight]
    return np.cumsum(chance)


def normal_p(doubled: IntArray, positive: int, tied: IntArray, *, zeros: int) -> float:
    """Two-sided p by the normal distribution, corrected for ties and continuity.

    `zeros` differences are ranked below the others (Pratt 1959; moments: Cureton 1967); it is 0
    where they are left out. `tied` are the sizes of the groups of equal differences.
    """
    n = float(doubled.size + zeros)
    sizes = tied.astype(np.float64)
    mean = (n * (n + 1) - zeros * (zeros + 1)) / 4
    squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    spread = math.sqrt((squares - float((sizes**3 - sizes).sum()) / 2) / 24)
    excess = positive / 2 - mean
    z = (excess - math.copysign(0.5, excess)) / spread if excess else 0.0
    return 2 * float(ndtr(-abs(z)))
