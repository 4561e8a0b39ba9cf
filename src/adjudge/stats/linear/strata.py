"""Balanced designs: independent mean squares, what they are expected to be, and the variances behind them.

Where every two terms are orthogonal, means of cells are all that an analysis of variance needs. The mean square of a
term is expected to be the residual variance plus, for every random term that contains it, that term's variance times
its rows in a cell (Searle, Casella and McCulloch 1992, chapter 4). REML needs no more than these mean squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from scipy.sparse.csgraph import connected_components

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import Key, LinearModel, Term, constant, crossed, same_groups, within


@dataclass(frozen=True)
class Strata:
    """The mean squares of a balanced design. Those of its random terms have the expectations coefficients @ variances.

    The residuals are the last of the random terms; effects hold the degrees of freedom and the sum of squares of the
    others.
    """

    random: tuple[Key, ...]
    df: IntArray
    ms: FloatArray
    coefficients: FloatArray
    effects: dict[Key, tuple[int, float]]
    shares: dict[Key, FloatArray]
    """For each of the others, the coefficients of the variances in the expectation of its mean square."""


def strata(model: LinearModel, fixed: Sequence[Key], random: Sequence[Key]) -> Strata | None:
    """Independent mean squares; None where the design is not balanced, or nothing is left for the noise.

    It is balanced where every two terms are orthogonal, so that means of cells are all that is needed, and where the
    cells of a random term have equally many rows, so that its variance counts alike in every mean square.
    """
    keys = sorted([*fixed, *random], key=lambda key: model.term(key).size)
    terms = {key: model.term(key) for key in keys}
    counts = {key: np.bincount(terms[key].codes) for key in random}
    if (
        not model.n
        or any(np.ptp(of_term) for of_term in counts.values())
        or not _orthogonal(list(terms.values()))
    ):
        return None
    left = model.scores - model.scores.mean()
    squares: dict[Key, tuple[int, float]] = {}
    for key in keys:
        term = terms[key]
        means = np.bincount(term.codes, left, term.size) / np.bincount(term.codes, minlength=term.size)
        left = left - means[term.codes]
        inside = [squares[other][0] for other in squares if within(terms[other], term)]
        ss = float(np.sum(means[term.codes] ** 2))
        squares[key] = term.size - 1 - sum(inside), ss if ss > model.noise else 0.0
    ss = float(left @ left)
    squares[()] = model.n - 1 - sum(df for df, _ in squares.values()), ss if ss > model.noise else 0.0
    if squares[()][0] < 1:
        return None
    present = tuple(key for key in random if squares[key][0])
    sizes = [int(counts[key][0]) for key in present]

    def expectation(term: Term) -> FloatArray:
        held = [size * within(term, terms[key]) for size, key in zip(sizes, present, strict=True)]
        return np.array([*held, 1.0], dtype=np.float64)

    rows = [expectation(terms[key]) for key in present]
    every = [*present, ()]
    return Strata(
        random=present,
        df=np.array([squares[key][0] for key in every]),
        ms=np.array([squares[key][1] / squares[key][0] for key in every]),
        coefficients=np.array([*rows, np.eye(len(every))[-1]]),
        effects={key: squares[key] for key in fixed},
        shares={key: expectation(terms[key]) for key in fixed},
    )


def _orthogonal(terms: Sequence[Term]) -> bool:
    """Whether every two terms have proportional counts within the parts of the design that they have in common,
    and whether those parts are a term themselves."""
    if not terms:
        return True
    all_terms = [constant(terms[0].codes.size), *terms]
    return all(_orthogonal_pair(first, second, all_terms) for first, second in combinations(terms, 2))


def _orthogonal_pair(first: Term, second: Term, terms: Sequence[Term]) -> bool:
    if within(first, second) or within(second, first):
        return True
    table = crossed(first, second).tocoo()
    i, j = table.coords
    rows, columns = np.bincount(first.codes), np.bincount(second.codes)
    if table.nnz == first.size * second.size:
        return bool((table.data * first.codes.size == rows[i] * columns[j]).all())
    parts, label = connected_components(sparse.block_array([[None, table], [table.T, None]]), directed=False)
    of_rows, of_columns = label[: first.size], label[first.size :]
    filled = np.bincount(of_rows, minlength=parts) * np.bincount(of_columns, minlength=parts)
    whole = np.bincount(of_rows, rows, parts)
    if table.nnz != filled.sum() or (table.data * whole[of_rows[i]] != rows[i] * columns[j]).any():
        return False
    common = Term((), of_rows[first.codes].astype(np.int64), np.zeros((parts, 0), dtype=np.int64))
    return any(same_groups(common, term) for term in terms)


# Variances from mean squares

LEAST = 1e-12
"""A mean square counts as at least this share of the largest one."""


def reml_of_mean_squares(balanced: Strata) -> FloatArray:
    """The variances that REML estimates, none below 0, from independent mean squares.

    The criterion is sum df (log m + ms / m) with m = coefficients @ variances. Its weighted least squares are solved
    again with the weights that they give (Fisher scoring) until they stay. Where variances are 0 it may have
    several lowest points, so the search begins at several: what was observed, one mean square for all, and each
    component beside the noise.
    """
    if not balanced.ms.any():
        return np.zeros(balanced.coefficients.shape[1])
    ms = np.maximum(balanced.ms, LEAST * balanced.ms.max())
    level = float(np.average(ms, weights=balanced.df))
    alone = balanced.coefficients / balanced.coefficients.max(axis=0)
    starts = [ms, np.full_like(ms, level), *(level * (LEAST + column) for column in alone.T)]
    ends = [_scored(balanced, ms, start) for start in starts]
    return min(ends, key=lambda variances: _criterion(balanced, ms, variances))


def _scored(balanced: Strata, ms: FloatArray, expected: FloatArray) -> FloatArray:
    """Fisher scoring from these expected mean squares on."""
    root = np.sqrt(balanced.df)
    variances = np.zeros(balanced.coefficients.shape[1])
    for _ in range(200):
        weights = root / expected
        variances = nnls(balanced.coefficients * weights[:, None], ms * weights)[0]
        before, expected = expected, np.maximum(balanced.coefficients @ variances, LEAST * ms.max())
        if np.abs(expected / before - 1).max() < 1e-10:
            break
    return np.asarray(variances)


def _criterion(balanced: Strata, ms: FloatArray, variances: FloatArray) -> float:
    expected = np.maximum(balanced.coefficients @ variances, LEAST * ms.max())
    return float(np.sum(balanced.df * (np.log(expected) + ms / expected)))


def deviance(balanced: Strata, *, without: int | None = None) -> float:
    """The least value of the criterion, but for a constant; `without` takes one of the random terms out."""
    kept = np.arange(balanced.ms.size) != (-1 if without is None else without)
    model = replace(balanced, coefficients=balanced.coefficients[:, kept])
    expected = model.coefficients @ reml_of_mean_squares(model)
    return float(np.sum(balanced.df * (np.log(expected) + balanced.ms / expected)))


def combined(balanced: Strata, variances: FloatArray, needed: FloatArray) -> tuple[float, float]:
    """A sum of variances and its degrees of freedom (Satterthwaite 1946); variances of 0 are taken as known."""
    ms = np.maximum(balanced.ms, LEAST * balanced.ms.max())
    expected = np.maximum(balanced.coefficients @ variances, LEAST * ms.max())
    free = variances > 0
    inside = balanced.coefficients[:, free]
    value = float(needed @ variances)
    for bend in (balanced.df * (2 * ms / expected**3 - 1 / expected**2), balanced.df / expected**2):
        try:
            root = np.linalg.cholesky(inside.T @ (bend[:, None] * inside))
        except np.linalg.LinAlgError:  # a flat criterion: its expected curvature never is
            continue
        spread = float(np.sum(np.linalg.solve(root, needed[free]) ** 2))
        return value, value**2 / spread
    return value, math.nan
