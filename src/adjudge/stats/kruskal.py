"""Kruskal-Wallis over groups of scores, and Tukey-type intervals on their mean ranks. Blocks live in friedman.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.ranks import doubled_ranks

Groups = Literal["rows", "columns"]


@dataclass(frozen=True)
class KruskalWallis:
    """Do groups of scores differ, and which. Rankel et al. 2011, section 1, Figure 1 and footnote 1.

    All N scores are ranked together, the lowest first. A pair of groups differs where its mean ranks are
    further apart than `cutoff` says. The intervals of two groups are disjoint exactly where the pair differs,
    if all groups have the same number of scores; otherwise the intervals are a picture, and the pairs decide.
    Where the test cannot be computed, `why` says why, and `statistic`, `p` and the intervals are NaN.
    """

    statistic: float
    """H, corrected for ties."""
    df: int
    p: float
    """From the chi-squared distribution."""
    n: IntArray
    """How many scores each group has."""
    mean_ranks: FloatArray
    """NaN where a group has no scores."""
    low: FloatArray
    high: FloatArray
    variance: float
    """Of one pooled rank: N(N+1)/12 - sum(t^3-t)/(12(N-1))."""
    critical: float
    """q(1 - alpha; k, inf) / sqrt 2."""
    alpha: float
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
        known = np.isfinite(error) & (self.why is None)
        if known.any():
            p[known] = studentized_range_sf(q[known], self.groups, math.inf)
        return p

    def different_from(self, group: int) -> BoolArray:
        """Which groups differ from a chosen one."""
        apart = np.abs(self.mean_ranks - self.mean_ranks[group])
        return np.asarray(apart > self.cutoff(group, np.arange(self.n.size)))  # NaN is above nothing

    def different(self) -> BoolArray:
        """Which pairs of groups differ, as a square matrix."""
        found = np.zeros((self.n.size, self.n.size), dtype=np.bool_)
        for group, row in enumerate(found):
            row[:] = self.different_from(group)
        return found

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
    test. Where all scores are the same there is nothing to tell apart: H = 0 and p = 1.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    checks.one_of("groups", groups, get_args(Groups))
    checks.share("alpha", alpha)
    return _test(matrix.T if groups == "columns" else matrix, alpha)


@lru_cache(maxsize=64)
def critical_value(groups: int, alpha: float) -> float:
    """q(1 - alpha; k, inf) / sqrt 2: what the largest of all pairs' |z| exceeds with probability alpha."""
    from adjudge.stats.linear.studentized import studentized_range_isf

    if groups < 2:
        return math.nan  # nothing to hold against each other
    return studentized_range_isf(alpha, groups, math.inf) / math.sqrt(2)


def _test(rows: FloatArray, alpha: float) -> KruskalWallis:
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
    if groups < 2:
        nothing = np.full(n.size, math.nan)
        why = f"needs two groups with scores, has {groups or 'none'}"
        return KruskalWallis(
            math.nan, 0, math.nan, n, mean_ranks, nothing, nothing, math.nan, math.nan, alpha, why
        )
    whole = float(np.square(centred, dtype=np.float64).sum()) / 4
    between = float((n[n > 0] * means[n > 0] ** 2).sum())
    h = (total - 1) * between / whole if whole else 0.0
    variance, critical = whole / (total - 1), critical_value(groups, alpha)
    half = np.full(n.size, math.nan)
    half[n > 0] = critical * _half_widths(n[n > 0], variance)
    return KruskalWallis(
        h,
        groups - 1,
        float(chi2.sf(h, groups - 1)),
        n,
        mean_ranks,
        mean_ranks - half,
        mean_ranks + half,
        variance,
        critical,
        alpha,
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
