"""Mid-ranks, and how far two rankings agree. Ranks of differences live in differences.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Self

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE, Interval, steps

EXACT_UP_TO = 100
"""Pairs up to which Kendall's p is exact without ties."""
LISTED_UP_TO = 8
"""Pairs up to which all orders are looked at, ties or not."""
BLOCK = 1_000_000
"""Signs of pairs held at once: 8 MB."""


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's rho over the n pairs that both sides have. Where there is none, `why` says why."""

    rho: float
    n: int
    why: str | None = None

    @classmethod
    def undefined(cls, why: str, *, n: int) -> Self:
        return cls(math.nan, n, why)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> RankCorrelation:
    """Spearman's rank correlation, corrected for ties: the correlation of the mid-ranks.

    Works on scores and on printed ranks alike (1, 2, 2, 4 becomes 1, 2.5, 2.5, 4). A pair with a NaN is
    dropped. Undefined with fewer than two pairs, and where one side is all the same.
    """
    x, y = checks.pair(x, y)
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(np.count_nonzero(both))
    if n < 2:
        return RankCorrelation.undefined(f"needs two pairs, has {n or 'none'}", n=n)
    # Twice a rank less twice the mean rank: whole numbers.
    a, b = (doubled_ranks(side[both]) - (n + 1) for side in (x, y))
    for name, ranks in (("x", a), ("y", b)):
        if not ranks.any():
            return RankCorrelation.undefined(f"all {n} values of {name} are the same", n=n)
    a, b = a.astype(np.float64), b.astype(np.float64)
    rho = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    return RankCorrelation(min(max(rho, -1.0), 1.0), n)


@dataclass(frozen=True, slots=True)
class KendallTau:
    """Kendall's tau-b over the n items that both sides have. Where there is none, `why` says why."""

    tau: float
    p: float
    """Two-sided, of no association at all."""
    n: int
    method: str | None
    """exact, normal, or permutation."""
    concordant: int
    discordant: int
    why: str | None = None

    @classmethod
    def undefined(cls, why: str, *, n: int) -> Self:
        return cls(math.nan, math.nan, n, None, 0, 0, why)


def kendall(
    x: npt.ArrayLike, y: npt.ArrayLike, *, rng: np.random.Generator | None = None, resamples: int = 2000
) -> KendallTau:
    """Kendall's tau-b between two rankings, or two vectors of scores, with ties. Kendall 1945.

    With S the concordant less the discordant pairs, tau-b is S over the geometric mean of the numbers of pairs
    that are not tied on either side. Without ties, or with at most LISTED_UP_TO items, p is exact; with ties it
    comes from random orders where a generator is given, else from the normal approximation.
    """
    x, y = checks.pair(x, y)
    checks.count("resamples", resamples, least=1)
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(np.count_nonzero(both))
    if n < 2:
        return KendallTau.undefined(f"needs two items that both have, has {n or 'none'}", n=n)
    a, b = (doubled_ranks(side[both]) for side in (x, y))
    for name, ranks in (("x", a), ("y", b)):
        if (ranks == ranks[0]).all():
            return KendallTau.undefined(f"all {n} values of {name} are the same", n=n)
    left, right = _signs(a), _signs(b)
    products = left * right
    concordant, discordant = (int(np.count_nonzero(products == sign)) // 2 for sign in (1, -1))
    untied = math.sqrt(np.count_nonzero(left) * np.count_nonzero(right)) / 2
    tau = min(max((concordant - discordant) / untied, -1.0), 1.0)
    p, method = _kendall_p(a, b, concordant - discordant, rng, resamples)
    return KendallTau(tau, p, n, method, concordant, discordant)


def kendall_interval(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval:
    """A percentile interval for tau-b: items are drawn with replacement, each with both its values.

    An item drawn twice ties with itself on both sides. Resamples that are all tied on a side are left out; with
    fewer than three items, or where too few resamples are left, the ends are NaN.
    """
    x, y = checks.pair(x, y)
    checks.count("resamples", resamples, least=1)
    checks.share("level", level)
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(np.count_nonzero(both))
    low = high = math.nan
    if n >= 3:
        left, right = (_signs(doubled_ranks(side[both])).astype(np.float64) for side in (x, y))
        counts = np.array(
            [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples)], dtype=float
        )
        # Whole numbers below 2^53, so that the products are exact whatever the order of the sums.
        s, first, second = (((counts @ m) * counts).sum(axis=1) for m in (left * right, left**2, right**2))
        kept = (first > 0) & (second > 0)
        if kept.any():
            tau = s[kept] / np.sqrt(first[kept] * second[kept])
            low, high = (float(end) for end in np.quantile(tau, [(1 - level) / 2, (1 + level) / 2]))
    return Interval(low, high, level, "bootstrap-percentile", resamples)


def _signs(ranks: IntArray) -> IntArray:
    return np.asarray(np.sign(ranks[:, None] - ranks))


def _kendall_p(
    a: IntArray, b: IntArray, s: int, rng: np.random.Generator | None, resamples: int
) -> tuple[float, str]:
    """P(|S'| >= |S|) over all orders of one side, and how it was had."""
    n = a.size
    tied = len(np.unique(a)) < n or len(np.unique(b)) < n
    if not tied and n <= EXACT_UP_TO:
        return _inversions_p(n, s), "exact"
    if n <= LISTED_UP_TO:
        orders = np.array(list(permutations(range(n))))
        return float(np.mean(np.abs(_sums(a, b, orders)) >= abs(s))), "exact"
    if tied and rng is not None:
        orders = np.array([rng.permutation(n) for _ in range(resamples)])
        more = int(np.count_nonzero(np.abs(_sums(a, b, orders)) >= abs(s)))
        return (more + 1) / (resamples + 1), "permutation"
    return math.erfc(abs(s) / math.sqrt(2 * _variance(a, b))), "normal"


def _sums(a: IntArray, b: IntArray, orders: IntArray) -> IntArray:
    """S for every order of one side, some orders at a time."""
    left, right = _signs(a), _signs(b)
    sums = np.empty(len(orders), dtype=np.int64)
    width = max(1, BLOCK // a.size**2)
    for start in range(0, len(orders), width):
        block = orders[start : start + width]
        turned = right[block[:, :, None], block[:, None, :]]
        sums[start : start + width] = np.einsum("ij,kij->k", left, turned) // 2
    return sums


def _inversions_p(n: int, s: int) -> float:
    """P(|S'| >= |S|) without ties: an order has S = n(n-1)/2 less twice its inversions (Kendall 1938)."""
    pairs = n * (n - 1) // 2
    chances = np.zeros(pairs + 1)
    chances[0] = 1.0
    for item in range(2, n + 1):
        # The item is put before 0 to item - 1 of the earlier ones, each as likely as the others.
        total = np.cumsum(chances)
        total[item:] -= total[:-item].copy()
        chances = total / item
    few = (pairs - abs(s)) // 2
    return min(1.0, 2 * float(chances[: few + 1].sum()))


def _variance(a: IntArray, b: IntArray) -> float:
    """Of S over all orders, with ties (Kendall 1970, chapter 4)."""
    n = a.size
    (x1, x2, x3), (y1, y2, y3) = (_tie_sums(side) for side in (a, b))
    orders = n * (n - 1)
    return (
        (orders * (2 * n + 5) - x3 - y3) / 18
        + x1 * y1 / (2 * orders)
        + x2 * y2 / (9 * orders * max(n - 2, 1))
    )


def _tie_sums(ranks: IntArray) -> tuple[int, int, int]:
    t = np.unique(ranks, return_counts=True)[1].tolist()
    return (
        sum(k * (k - 1) for k in t),
        sum(k * (k - 1) * (k - 2) for k in t),
        sum(k * (k - 1) * (2 * k + 5) for k in t),
    )


def doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the rank of each value, the smallest having rank 1; ties share the mean of their ranks.

    Neighbours tie when they are apart by floating-point noise alone.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(steps(ordered, NOISE * np.abs(ordered)))
    tied = np.diff(first, append=values.size)
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.repeat(2 * first + tied + 1, tied)
    return ranks
