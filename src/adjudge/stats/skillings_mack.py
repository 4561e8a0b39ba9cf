"""The Skillings-Mack test: Friedman's idea where cells are missing. Complete rows alone: friedman.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.friedman import centred_ranks

Ties = Literal["corrected", "published"]
TIE = 1e-9
"""How far, relative to the observed statistic (or 1), a permuted one may fall short and still equal it."""


@dataclass(frozen=True)
class SkillingsMack:
    """Do the columns differ, row by row, with cells missing anywhere.

    Rows with fewer than two scores say nothing and are `dropped`. Where the test cannot be computed, `why`
    says why, and `statistic` and `p` are NaN.
    """

    statistic: float
    df: int
    p: float
    method: Literal["chi-squared", "permutation"] | None
    n: int
    """Rows with at least two scores."""
    dropped: int
    """Rows with fewer."""
    sums: FloatArray
    """The weighted sum of centred ranks of each column: positive where it tends to be higher; NaN where it takes
    no part."""
    parts: int
    """Into how many sets the columns fall that no row compares with each other; 1 where all are connected."""
    why: str | None = None
    null: FloatArray | None = None
    """The statistic of every permutation, where there were any."""


@dataclass(frozen=True)
class _Design:
    """What permuting within rows leaves alone, and what it moves."""

    present: BoolArray
    """Which cells of the rows and columns that take part have scores."""
    scores: FloatArray
    """sqrt(12/(k_i+1)) (r_ij - (k_i+1)/2), 0 where missing."""
    statistic: Callable[[FloatArray], FloatArray]
    """A' cov^- A for every row of sums A."""
    df: int


def skillings_mack(values: npt.ArrayLike, *, ties: Ties = "corrected") -> SkillingsMack:
    """Skillings and Mack 1981: weighted sums of centred ranks against their covariance.

    Row i has k_i >= 2 scores with mid-ranks r_ij. Column j has A_j = sum_i sqrt(12/(k_i+1)) (r_ij - (k_i+1)/2).
    Without ties, cov(A_j, A_l) = -(rows that have both), var(A_j) = -(the sum of those). SM = A' cov^- A, on as
    many degrees of freedom as the covariance has rank.

    ties="corrected" takes the covariance that permuting within the rows really has: a row counts
    1 - sum(t^3-t)/(k_i^3-k_i). Then SM equals Friedman's statistic on complete rows, also with ties.
    ties="published" is the paper's, which many ties make conservative. Without ties they are the same.
    """
    design, result = _prepare(values, ties)
    if design is None:
        return result
    from scipy.stats import chi2

    p = float(chi2.sf(result.statistic, result.df)) if result.df else 1.0
    return replace(result, p=p, method="chi-squared")


def skillings_mack_permutation(
    values: npt.ArrayLike, *, rng: np.random.Generator, resamples: int = 2000, ties: Ties = "corrected"
) -> SkillingsMack:
    """The same statistic with p from random orders within the rows: (k+1)/(R+1). For ties and few rows.

    On complete rows this is Friedman's permutation p as well.
    """
    checks.count("resamples", resamples, least=1)
    design, result = _prepare(values, ties)
    if design is None:
        return result
    sums = np.zeros((resamples, design.scores.shape[1]))
    for present, scores in zip(design.present, design.scores, strict=True):
        sums[:, present] += rng.permuted(np.tile(scores[present], (resamples, 1)), axis=1)
    null = design.statistic(sums)
    beyond = int(np.count_nonzero(null >= result.statistic - TIE * max(result.statistic, 1.0)))
    return replace(result, p=(beyond + 1) / (resamples + 1), method="permutation", null=null)


def _prepare(values: npt.ArrayLike, ties: Ties) -> tuple[_Design | None, SkillingsMack]:
    """The design and a result that lacks its p; no design where there is nothing to test."""
    matrix = checks.numbers("values", values, dimensions=2)
    checks.one_of("ties", ties, get_args(Ties))
    present = ~np.isnan(matrix)
    rows = np.count_nonzero(present, axis=1) >= 2
    columns = present[rows].any(axis=0)
    n, dropped = int(np.count_nonzero(rows)), int(np.count_nonzero(~rows))
    sums = np.full(columns.size, math.nan)
    if n < 2:
        why = f"needs two rows with two scores, has {n or 'none'}"
        return None, SkillingsMack(math.nan, 0, math.nan, None, n, dropped, sums, 0, why)
    design = _design(matrix[np.ix_(rows, columns)], ties)
    observed = design.scores.sum(axis=0)
    sums[columns] = observed
    statistic = max(0.0, float(design.statistic(observed[None, :])[0]))  # rounding may go below
    parts = len(_parts(design.present))
    return design, SkillingsMack(statistic, design.df, math.nan, None, n, dropped, sums, parts)


def _design(matrix: FloatArray, ties: Ties) -> _Design:
    present = ~np.isnan(matrix)
    sizes = np.count_nonzero(present, axis=1)
    doubled = centred_ranks(matrix)
    # The ranks are doubled, so half the weight: sqrt(12/(k+1)) / 2.
    scores = np.sqrt(3 / (sizes + 1))[:, None] * doubled
    weights = np.ones(sizes.size) if ties == "published" else _untied(doubled, sizes)
    rows = weights > 0
    columns = present[rows].any(axis=0)  # whoever is tied in all its rows has a sum of 0, always
    telling = present[np.ix_(rows, columns)]
    parts = _parts(telling)
    form = _form(telling.astype(np.float64), weights[rows], parts)
    df = int(np.count_nonzero(columns)) - len(parts)
    return _Design(present, scores, lambda sums: form(sums[:, columns]), df)


def _untied(doubled: IntArray, sizes: IntArray) -> FloatArray:
    """Of each row, its ranks' variance by that without ties: 1 - sum(t^3-t)/(k^3-k)."""
    return np.asarray(3 * (doubled**2).sum(axis=1) / (sizes**3 - sizes))


def _parts(present: BoolArray) -> FloatArray:
    """The sets of columns that rows connect, one in each row, as 0 and 1."""
    from scipy.sparse import bmat, csr_array
    from scipy.sparse.csgraph import connected_components

    cells = csr_array(present.astype(np.int8))
    found, label = connected_components(bmat([[None, cells], [cells.T, None]]), directed=False)
    return np.asarray(label[present.shape[0] :] == np.arange(found)[:, None], dtype=np.float64)


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
