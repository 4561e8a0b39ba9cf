"""Friedman's test over the columns of a matrix, its rows being blocks. Missing cells: skillings_mack.py."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.ranks import doubled_ranks


@dataclass(frozen=True)
class Friedman:
    """Do the columns differ, row by row. Only complete rows count; `dropped` says how many others there are.

    Where the test cannot be computed, `why` says why, and the statistics and p-values are NaN.
    """

    statistic: float
    """Friedman's chi-squared, corrected for ties."""
    df: int
    p: float
    """From the chi-squared distribution."""
    f: float
    """Iman and Davenport's F; infinite where all rows agree."""
    f_df: tuple[int, int]
    f_p: float
    """From the F distribution; where all rows agree, the chance that they do."""
    n: int
    """Complete rows."""
    dropped: int
    """Rows left out because a cell is missing."""
    mean_ranks: FloatArray
    """Over the complete rows, the lowest score having rank 1; NaN for a column without any score."""
    why: str | None = None


def friedman(values: npt.ArrayLike) -> Friedman:
    """Friedman 1937; the F of Iman and Davenport 1980 beside it, since chi-squared is conservative.

    With r the mid-ranks within a row, R_j their sum over the n rows, k columns:

        chi2 = (k-1) sum_j (R_j - n(k+1)/2)^2 / sum_ij (r_ij - (k+1)/2)^2
        F    = (n-1) chi2 / (n(k-1) - chi2)

    Columns without any score are left out. Where every row is all ties there is nothing to tell apart: both
    statistics are 0, both p 1.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    known = ~np.isnan(matrix).all(axis=0)
    scored = matrix[:, known]
    complete = scored[~np.isnan(scored).any(axis=1)]
    n, k = complete.shape if known.any() else (0, 0)
    dropped = matrix.shape[0] - n
    mean_ranks = np.full(known.size, math.nan)
    ranks = centred_ranks(complete)
    if n:
        mean_ranks[known] = ranks.mean(axis=0) / 2 + (k + 1) / 2
    why = _too_few(n, k)
    if why is not None:
        nothing = math.nan
        return Friedman(nothing, 0, nothing, nothing, (0, 0), nothing, n, dropped, mean_ranks, why)
    return _test(ranks, mean_ranks, dropped)


def centred_ranks(values: FloatArray) -> IntArray:
    """Twice the mid-rank within the row, less twice the mean rank: whole numbers, 0 where missing."""
    ranks = np.zeros(values.shape, dtype=np.int64)
    for row, scores in zip(ranks, values, strict=True):
        present = ~np.isnan(scores)
        row[present] = doubled_ranks(scores[present]) - (np.count_nonzero(present) + 1)
    return ranks


def _too_few(n: int, k: int) -> str | None:
    if k < 2:
        return f"needs two columns with scores, has {k or 'none'}"
    if n < 2:
        return f"needs two complete rows, has {n or 'none'}"
    return None


def _test(ranks: IntArray, mean_ranks: FloatArray, dropped: int) -> Friedman:
    from scipy.stats import chi2
    from scipy.stats import f as f_distribution

    n, k = ranks.shape
    # Python's whole numbers, so that "all rows agree" is decided without rounding.
    between, whole = int((ranks.sum(axis=0) ** 2).sum()), int((ranks**2).sum())
    df = (k - 1, (n - 1) * (k - 1))
    if not whole:
        return Friedman(0.0, k - 1, 1.0, 0.0, df, 1.0, n, dropped, mean_ranks)
    statistic = (k - 1) * between / whole
    if between == n * whole:
        f, f_p = math.inf, _chance_of_agreement(ranks)
    else:
        f = (n - 1) * between / (n * whole - between)
        f_p = float(f_distribution.sf(f, *df))
    return Friedman(statistic, k - 1, float(chi2.sf(statistic, k - 1)), f, df, f_p, n, dropped, mean_ranks)


def _chance_of_agreement(ranks: IntArray) -> float:
    """The chance that all rows have the order of the first: its distinct orders, to the power 1 - n."""
    n, k = ranks.shape
    tied = np.unique(ranks[0], return_counts=True)[1]
    orders = math.lgamma(k + 1) - sum(math.lgamma(t + 1) for t in tied)
    return math.exp((1 - n) * orders)
