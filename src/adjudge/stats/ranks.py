"""Ranks: correlation of rankings (Spearman, Kendall), and rank tests of groups and blocks.

Kruskal-Wallis compares groups of scores, Friedman columns row by row where no cell is missing, Skillings-Mack where
some are; `blocked` takes the right one of the two. Values that differ by floating-point noise alone tie.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.bootstrap import draw_counts
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
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
    # Not SciPy's spearmanr: on whole numbers rho is exactly 1 for equal orders, there it may be 0.9999999999999999.
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
        return cls(tau=math.nan, p=math.nan, n=n, method=None, concordant=0, discordant=0, why=why)


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
    return KendallTau(tau=tau, p=p, n=n, method=method, concordant=concordant, discordant=discordant)


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
        counts = np.zeros((resamples, n))
        draw_counts(counts, rng)
        # Whole numbers below 2^53, so that the products are exact whatever the order of the sums.
        s, first, second = (((counts @ m) * counts).sum(axis=1) for m in (left * right, left**2, right**2))
        kept = (first > 0) & (second > 0)
        if kept.any():
            tau = s[kept] / np.sqrt(first[kept] * second[kept])
            low, high = (float(end) for end in np.quantile(tau, [(1 - level) / 2, (1 + level) / 2]))
    return Interval(low=low, high=high, level=level, method="bootstrap-percentile", resamples=resamples)


def _signs(ranks: IntArray) -> IntArray:
    return np.asarray(np.sign(ranks[:, None] - ranks))


def _kendall_p(
    a: IntArray, b: IntArray, s: int, rng: np.random.Generator | None, resamples: int
) -> tuple[float, str]:
    """P(|S'| >= |S|) over all orders of one side, and how it was computed."""
    n = a.size
    tied = len(np.unique(a)) < n or len(np.unique(b)) < n
    if not tied and n <= EXACT_UP_TO:
        # P(|S'| >= |S|) without ties: an order has S = n(n-1)/2 less twice its inversions (Kendall 1938).
        pairs = n * (n - 1) // 2
        chances = np.zeros(pairs + 1)
        chances[0] = 1.0
        for item in range(2, n + 1):
            # The item is put before 0 to item - 1 of the earlier ones, each as likely as the others.
            total = np.cumsum(chances)
            total[item:] -= total[:-item].copy()
            chances = total / item
        few = (pairs - abs(s)) // 2
        return min(1.0, 2 * float(chances[: few + 1].sum())), "exact"
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


# Kruskal-Wallis: groups of scores

Groups = Literal["rows", "columns"]


@dataclass(frozen=True, kw_only=True)
class KruskalWallis:
    """Do groups of scores differ, and which. Rankel et al. 2011, section 1, Figure 1 and footnote 1.

    All N scores are ranked together, the lowest first. A pair of groups differs where its mean ranks are
    further apart than `cutoff` says. The intervals of two groups are disjoint exactly where the pair differs,
    if all groups have the same number of scores; otherwise the intervals are a picture, and the pairs decide.
    Where the test cannot be computed, `why` says why, and `statistic`, `p` and the intervals are NaN.
    """

    statistic: float = math.nan
    """H, corrected for ties."""
    df: int = 0
    p: float = math.nan
    """From the chi-squared distribution."""
    n: IntArray
    """How many scores each group has."""
    mean_ranks: FloatArray
    """NaN where a group has no scores."""
    low: FloatArray
    high: FloatArray
    sums: FloatArray
    """Of the k lowest ranks, for k from 0 to N: ties bring them nearer to each other."""
    variance: float = math.nan
    """Of one pooled rank: N(N+1)/12 - sum(t^3-t)/(12(N-1))."""
    critical: float = math.nan
    """q(1 - alpha; k, inf) / sqrt 2."""
    alpha: float
    smallest_p: float = math.nan
    """No order of these scores could have given a smaller p: groups that do not overlap, of equal sizes, or H = N - 1,
    which nothing exceeds."""
    why: str | None = None

    @property
    def total(self) -> int:
        """N, the number of all scores."""
        return int(self.n.sum())

    @property
    def groups(self) -> int:
        """k, the number of groups that have scores."""
        return int(np.count_nonzero(self.n))

    @property
    def share(self) -> float:
        """H/(N-1): how much of the variance of the ranks lies between groups."""
        return self.statistic / (self.total - 1) if self.total > 1 else math.nan

    @property
    def equal_sizes(self) -> bool:
        """Whether all groups that have scores have as many."""
        return np.unique(self.n[self.n > 0]).size < 2

    def cutoff(self, first: IntArray | int, second: IntArray | int) -> FloatArray:
        """How far apart the mean ranks of two groups must be to differ; infinite where one has no scores."""
        return self.critical * self._error(first, second)

    def pair_p(self, first: IntArray, second: IntArray) -> FloatArray:
        """The p of each pair of groups, corrected for all pairs by the studentized range; NaN without scores."""
        from adjudge.stats.linear.studentized import studentized_range_sf

        apart = np.abs(self.mean_ranks[first] - self.mean_ranks[second])
        error = self._error(first, second)
        with np.errstate(invalid="ignore", divide="ignore"):
            q = np.where(apart > 0, math.sqrt(2) * apart / error, 0.0)
        p = np.full(q.shape, math.nan)
        defined = np.isfinite(error) & (self.why is None)
        if defined.any():
            p[defined] = studentized_range_sf(q[defined], self.groups, math.inf)
        return p

    def different_from(self, group: int) -> BoolArray:
        """Which groups differ from a chosen one."""
        apart = np.abs(self.mean_ranks - self.mean_ranks[group])
        return np.asarray(apart > self.cutoff(group, np.arange(self.n.size)))  # NaN is above nothing

    def within_reach(self, first: IntArray | int, second: IntArray | int) -> BoolArray:
        """Whether two groups could have been found to differ: one with the highest ranks, the other with the lowest."""
        one, other = self.n[first], self.n[second]
        with np.errstate(divide="ignore", invalid="ignore"):
            furthest = np.maximum(
                self._highest(one) - self._lowest(other), self._highest(other) - self._lowest(one)
            )
        return np.asarray(furthest > self.cutoff(first, second))

    def _lowest(self, n: IntArray) -> FloatArray:
        """The mean of the n lowest ranks."""
        return np.asarray(self.sums[n] / n)

    def _highest(self, n: IntArray) -> FloatArray:
        return np.asarray((self.sums[-1] - self.sums[self.total - n]) / n)

    def different(self) -> BoolArray:
        """Which pairs of groups differ, as a square matrix."""
        matrix = np.zeros((self.n.size, self.n.size), dtype=np.bool_)
        for group, row in enumerate(matrix):
            row[:] = self.different_from(group)
        return matrix

    def differing(self) -> IntArray:
        """From how many others each group differs."""
        counts = [np.count_nonzero(self.different_from(group)) for group in range(self.n.size)]
        return np.array(counts, dtype=np.int64)

    def _error(self, first: IntArray | int, second: IntArray | int) -> FloatArray:
        """The standard error of the difference of two mean ranks. Dunn 1964, with ties."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.sqrt(self.variance / self.n[first] + self.variance / self.n[second]))


def kruskal_wallis(
    values: npt.ArrayLike, *, groups: Groups = "columns", alpha: float = 0.05
) -> KruskalWallis:
    """Kruskal and Wallis 1952, for the columns or the rows of a matrix; NaN is left out.

    H = (N-1) SS_between / SS_total on the mid-ranks of all N scores. Groups without scores stay out of the
    test. Where all scores are the same, H = 0 and p = 1.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    checks.one_of("groups", groups, get_args(Groups))
    checks.share("alpha", alpha)
    return _ranked_groups(matrix.T if groups == "columns" else matrix, alpha)


@lru_cache(maxsize=64)
def critical_value(groups: int, alpha: float) -> float:
    """q(1 - alpha; k, inf) / sqrt 2: what the largest of all pairs' |z| exceeds with probability alpha."""
    from adjudge.stats.linear.studentized import studentized_range_isf

    if groups < 2:
        return math.nan  # nothing to compare
    return studentized_range_isf(alpha, groups, math.inf) / math.sqrt(2)


def _ranked_groups(rows: FloatArray, alpha: float) -> KruskalWallis:
    """The groups are the rows."""
    from scipy.stats import chi2

    present = ~np.isnan(rows)
    n = np.count_nonzero(present, axis=1).astype(np.int64)
    total, groups = int(n.sum()), int(np.count_nonzero(n))
    centred = np.zeros(rows.shape, dtype=np.int64)  # twice the rank less twice the mean rank: whole numbers
    centred[present] = doubled_ranks(rows[present]) - (total + 1)
    means = np.full(n.size, math.nan)
    means[n > 0] = centred.sum(axis=1)[n > 0] / (2 * n[n > 0])
    mean_ranks = means + (total + 1) / 2
    sums = np.concatenate([[0.0], np.cumsum(np.sort(centred[present]) + (total + 1)) / 2])
    if groups < 2:
        nothing = np.full(n.size, math.nan)
        why = f"needs two groups with scores, has {groups or 'none'}"
        return KruskalWallis(
            n=n, mean_ranks=mean_ranks, low=nothing, high=nothing, sums=sums, alpha=alpha, why=why
        )
    # Not SciPy's kruskal: it subtracts two large numbers, so that equal mean ranks give 1e-14 instead of 0, and the
    # intervals need these sums anyway.
    whole = float(np.square(centred, dtype=np.float64).sum()) / 4
    between = float((n[n > 0] * means[n > 0] ** 2).sum())
    h = (total - 1) * between / whole if whole else 0.0
    furthest = total - 1.0
    if np.unique(n[n > 0]).size == 1 and whole:  # the sums of blocks of ordered ranks are the furthest apart
        blocks = np.sort(centred[present]).reshape(groups, -1).sum(axis=1) / 2
        furthest *= float((blocks**2).sum()) * groups / total / whole
    variance, critical = whole / (total - 1), critical_value(groups, alpha)
    half = np.full(n.size, math.nan)
    half[n > 0] = critical * _half_widths(n[n > 0], variance)
    return KruskalWallis(
        statistic=h,
        df=groups - 1,
        p=float(chi2.sf(h, groups - 1)),
        n=n,
        mean_ranks=mean_ranks,
        low=mean_ranks - half,
        high=mean_ranks + half,
        sums=sums,
        variance=variance,
        critical=critical,
        alpha=alpha,
        smallest_p=float(chi2.sf(furthest, groups - 1)) if whole else 1.0,
    )


def _half_widths(n: IntArray, variance: float) -> FloatArray:
    """Half-widths, in standard errors of differences, that add up to each pair's as nearly as they can.

    With equal sizes, or two groups, they add up exactly. Otherwise they are the least-squares solution of
    w_i + w_j = d_ij (Hochberg, Weiss and Hart 1982): ((k-1) sum_j d_ij - sum_{i<j} d_ij) / ((k-1)(k-2)).
    Groups of one size share a width, so the sums run over the distinct sizes.
    """
    k = n.size
    sizes, at, count = np.unique(n, return_inverse=True, return_counts=True)
    d = np.sqrt(variance / sizes[:, None] + variance / sizes[None, :])
    row = d @ count - d.diagonal()
    if k == 2 or sizes.size == 1:
        return np.asarray(row[at] / (2 * (k - 1)))
    pairs = float(count @ row) / 2
    return np.asarray((((k - 1) * row - pairs) / ((k - 1) * (k - 2)))[at])


# Friedman: columns compared row by row, without missing cells


@dataclass(frozen=True, kw_only=True)
class Friedman:
    """Do the columns differ, row by row. Only complete rows count; `dropped` says how many others there are.

    Where the test cannot be computed, `why` says why, and the statistics and p-values are NaN.
    """

    statistic: float = math.nan
    """Friedman's chi-squared, corrected for ties."""
    df: int = 0
    p: float = math.nan
    """From the chi-squared distribution."""
    f: float = math.nan
    """Iman and Davenport's F; infinite where all rows agree."""
    f_df: tuple[int, int] = (0, 0)
    f_p: float = math.nan
    """From the F distribution; where all rows agree, the chance that they do."""
    n: int
    """Complete rows."""
    dropped: int
    """Rows left out because a cell is missing."""
    mean_ranks: FloatArray
    """Over the complete rows, the lowest score having rank 1; NaN for a column without any score."""
    smallest_p: float = math.nan
    """The p that these rows would have if they all had the same order."""
    why: str | None = None


def friedman(values: npt.ArrayLike) -> Friedman:
    """Friedman 1937, with the F of Iman and Davenport 1980 too, since chi-squared is conservative.

    With r the mid-ranks within a row, R_j their sum over the n rows, k columns:

        chi2 = (k-1) sum_j (R_j - n(k+1)/2)^2 / sum_ij (r_ij - (k+1)/2)^2
        F    = (n-1) chi2 / (n(k-1) - chi2)

    Columns without any score are left out. Where every row is all ties, both statistics are 0 and both p 1.
    """
    from scipy.stats import chi2
    from scipy.stats import f as f_distribution

    matrix = checks.numbers("values", values, dimensions=2)
    has_scores = ~np.isnan(matrix).all(axis=0)
    scored = matrix[:, has_scores]
    complete = scored[~np.isnan(scored).any(axis=1)]
    n, k = complete.shape if has_scores.any() else (0, 0)
    dropped = matrix.shape[0] - n
    mean_ranks = np.full(has_scores.size, math.nan)
    ranks = centred_ranks(complete)
    if n:
        mean_ranks[has_scores] = ranks.mean(axis=0) / 2 + (k + 1) / 2
    blank = Friedman(n=n, dropped=dropped, mean_ranks=mean_ranks)
    if k < 2:
        return replace(blank, why=f"needs two columns with scores, has {k or 'none'}")
    if n < 2:
        return replace(blank, why=f"needs two complete rows, has {n or 'none'}")
    # Not SciPy's friedmanchisquare: it refuses two columns and has no F. In Python's whole numbers "all rows agree"
    # is decided without rounding.
    between, whole = int((ranks.sum(axis=0) ** 2).sum()), int((ranks**2).sum())
    df = (k - 1, (n - 1) * (k - 1))
    if not whole:
        return replace(blank, statistic=0.0, df=k - 1, p=1.0, f=0.0, f_df=df, f_p=1.0, smallest_p=1.0)
    statistic = (k - 1) * between / whole
    agreed = (k - 1) * int((np.sort(ranks, axis=1).sum(axis=0) ** 2).sum()) / whole
    if between == n * whole:
        # The chance that all rows have the order of the first: its distinct orders, to the power 1 - n.
        tied = np.unique(ranks[0], return_counts=True)[1]
        orders = math.lgamma(k + 1) - sum(math.lgamma(t + 1) for t in tied)
        f, f_p = math.inf, math.exp((1 - n) * orders)
    else:
        f = (n - 1) * between / (n * whole - between)
        f_p = float(f_distribution.sf(f, *df))
    return replace(
        blank,
        statistic=statistic,
        df=k - 1,
        p=float(chi2.sf(statistic, k - 1)),
        f=f,
        f_df=df,
        f_p=f_p,
        smallest_p=float(chi2.sf(agreed, k - 1)),
    )


def centred_ranks(values: FloatArray) -> IntArray:
    """Twice the mid-rank within the row, less twice the mean rank: whole numbers, 0 where missing."""
    ranks = np.zeros(values.shape, dtype=np.int64)
    for row, scores in zip(ranks, values, strict=True):
        present = ~np.isnan(scores)
        row[present] = doubled_ranks(scores[present]) - (np.count_nonzero(present) + 1)
    return ranks


# Skillings-Mack: the same with missing cells

Ties = Literal["corrected", "published"]


@dataclass(frozen=True, kw_only=True)
class SkillingsMack:
    """Do the columns differ, row by row, with cells missing anywhere.

    Rows with fewer than two scores say nothing and are `dropped`. Where the test cannot be computed, `why`
    says why, and `statistic` and `p` are NaN.
    """

    statistic: float = math.nan
    df: int = 0
    p: float = math.nan
    method: Literal["chi-squared"] | None = None
    n: int
    """Rows with at least two scores."""
    dropped: int
    """Rows with fewer."""
    sums: FloatArray
    """The weighted sum of centred ranks of each column: positive where it tends to be higher; NaN where it takes
    no part."""
    parts: int = 0
    """Into how many sets the columns fall that no row compares with each other; 1 where all are connected."""
    smallest_p: float = 0.0
    """1 where the scores of every row tie; else not known with missing cells: 0, which rules nothing out."""
    why: str | None = None


def skillings_mack(values: npt.ArrayLike, *, ties: Ties = "corrected") -> SkillingsMack:
    """Skillings and Mack 1981: weighted sums of centred ranks and their covariance.

    Row i has k_i >= 2 scores with mid-ranks r_ij. Column j has A_j = sum_i sqrt(12/(k_i+1)) (r_ij - (k_i+1)/2).
    Without ties, cov(A_j, A_l) = -(rows that have both), var(A_j) = -(the sum of those). SM = A' cov^- A, on as
    many degrees of freedom as the covariance has rank.

    ties="corrected" takes the covariance that permuting within the rows really has: a row counts
    1 - sum(t^3-t)/(k_i^3-k_i). Then SM equals Friedman's statistic on complete rows, also with ties.
    ties="published" is the paper's, which many ties make conservative. Without ties they are the same.
    """
    from scipy.stats import chi2

    matrix = checks.numbers("values", values, dimensions=2)
    checks.one_of("ties", ties, get_args(Ties))
    present = ~np.isnan(matrix)
    rows = np.count_nonzero(present, axis=1) >= 2
    columns = present[rows].any(axis=0)
    n, dropped = int(np.count_nonzero(rows)), int(np.count_nonzero(~rows))
    sums = np.full(columns.size, math.nan)
    if n < 2:
        why = f"needs two rows with two scores, has {n or 'none'}"
        return SkillingsMack(n=n, dropped=dropped, sums=sums, why=why)
    matrix, present = matrix[np.ix_(rows, columns)], present[np.ix_(rows, columns)]
    sizes = np.count_nonzero(present, axis=1)
    doubled = centred_ranks(matrix)
    # The ranks are doubled, so half the weight: sqrt(12/(k+1)) / 2.
    scores = np.sqrt(3 / (sizes + 1))[:, None] * doubled
    sums[columns] = observed = scores.sum(axis=0)
    weights = np.ones(sizes.size)
    if ties == "corrected":  # the variance of a row's ranks by that without ties: 1 - sum(t^3-t)/(k^3-k)
        weights = 3 * (doubled**2).sum(axis=1) / (sizes**3 - sizes)
    tells = present[weights > 0].any(axis=0)  # a column that is tied in all its rows always has a sum of 0
    telling = present[np.ix_(weights > 0, tells)]
    parts = _parts(telling)
    form = _form(telling.astype(np.float64), weights[weights > 0], parts)
    statistic = max(0.0, float(form(observed[None, tells])[0]))  # rounding may go below
    df = int(np.count_nonzero(tells)) - len(parts)
    return SkillingsMack(
        statistic=statistic,
        df=df,
        p=float(chi2.sf(statistic, df)) if df else 1.0,
        method="chi-squared",
        n=n,
        dropped=dropped,
        sums=sums,
        parts=len(_parts(present)),
        smallest_p=float(not scores.any()),
    )


def _parts(present: BoolArray) -> FloatArray:
    """The sets of columns that rows connect, one in each row, as 0 and 1."""
    from scipy.sparse import bmat, csr_array
    from scipy.sparse.csgraph import connected_components

    cells = csr_array(present.astype(np.int8))
    count, label = connected_components(bmat([[None, cells], [cells.T, None]]), directed=False)
    return np.asarray(label[present.shape[0] :] == np.arange(count)[:, None], dtype=np.float64)


def _form(present: FloatArray, weights: FloatArray, parts: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """The quadratic form x' cov^- x of vectors x that sum to 0 on each part.

    With P the cells present, W the rows' weights and D = diag(sum_i w_i k_i P_ij), the covariance is D - P'WP: the
    Laplacian of the graph "are together in a row". Its null space is what is constant on each part; adding a
    multiple of Z'Z, Z being the parts, makes it invertible and changes nothing for such x. Where columns are more
    than rows, the inverse of a diagonal and a low-rank matrix is cheaper (Woodbury).
    """
    diagonal = (weights * present.sum(axis=1)) @ present
    fill = float(diagonal.mean()) / diagonal.size if diagonal.size else 1.0
    low_rank = np.vstack([present, parts])
    scale = np.concatenate([-weights, np.full(len(parts), fill)])
    if diagonal.size <= len(low_rank):
        inverse = np.linalg.inv(np.diag(diagonal) + (low_rank.T * scale) @ low_rank)
        return lambda x: np.asarray((x @ inverse * x).sum(axis=1))
    inner = np.linalg.inv(np.diag(1 / scale) + (low_rank / diagonal) @ low_rank.T)

    def form(x: FloatArray) -> FloatArray:
        y = (x / diagonal) @ low_rank.T
        return np.asarray((x * x / diagonal).sum(axis=1) - (y @ inner * y).sum(axis=1))

    return form


# The right one of the two


@dataclass(frozen=True)
class Blocked:
    """Both tests of one matrix, its rows being blocks."""

    rows: int
    """Rows with any score."""
    friedman: Friedman
    """On the complete rows."""
    skillings_mack: SkillingsMack
    """On all rows with two scores."""

    @property
    def complete(self) -> bool:
        """Whether every column with scores has one in every row with scores."""
        return self.friedman.n == self.rows

    @property
    def test(self) -> Friedman | SkillingsMack:
        """The one that uses every score."""
        return self.friedman if self.complete else self.skillings_mack

    @property
    def name(self) -> str:
        return "Friedman" if self.complete else "Skillings-Mack"


def blocked(values: npt.ArrayLike) -> Blocked:
    """Do the columns differ, with the rows as blocks."""
    matrix = checks.numbers("values", values, dimensions=2)
    rows = int(np.count_nonzero(~np.isnan(matrix).all(axis=1)))
    return Blocked(rows, friedman(matrix), skillings_mack(matrix))
