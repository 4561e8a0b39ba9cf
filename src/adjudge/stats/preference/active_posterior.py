"""What answers say of log strengths, as a normal distribution. Which pair to ask for that is in active.py.

The model is Bradley-Terry's (equation 2) with a normal prior on log strengths. The virtual opponent of the fit makes
no good prior here: it is next to flat, so that an item that nobody was asked about would seem to be worth asking about
without end, and it knows nothing of similarity. Under the normal prior similar items have similar strengths: the
covariance of two items is their similarity, so an answer about one narrows down the other (a Gaussian process over
preferences, as in Chu and Ghahramani 2005). The posterior is Laplace's approximation: normal around the mode, with the
inverse of the Hessian there as covariance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, log_expit

from adjudge.errors import DataError
from adjudge.stats.preference.answers import Answers, FloatArray, IntArray
from adjudge.stats.preference.sampling import numbered_pairs

SPREAD = 1.5
"""Standard deviation of log strengths before any answer."""
SHARED = 0.7
"""How much of the variance similar items have in common; the rest is each item's own."""
TINY = 1e-8


@dataclass(frozen=True)
class PairCounts:
    """Answers added up over pairs of items: how often the first of a pair won, and how often it was asked."""

    first: IntArray
    second: IntArray
    won: FloatArray
    times: FloatArray


@dataclass(frozen=True)
class Posterior:
    mean: FloatArray
    covariance: FloatArray


def pair_counts(answers: Answers) -> PairCounts:
    low, high = np.minimum(answers.first, answers.second), np.maximum(answers.first, answers.second)
    numbers, place = np.unique(high * (high - 1) // 2 + low, return_inverse=True)
    low_won = np.where(answers.first < answers.second, answers.won, 1 - answers.won)
    first, second = numbered_pairs(numbers)
    won = np.bincount(place, answers.weight * low_won, minlength=len(numbers)).astype(np.float64)
    times = np.bincount(place, answers.weight, minlength=len(numbers)).astype(np.float64)
    return PairCounts(first, second, won, times)


def prior_factor(n: int, similarity: FloatArray | None) -> FloatArray:
    """L with L L' the covariance of log strengths before any answer."""
    if similarity is None:
        return np.asarray(SPREAD * np.eye(n))
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.shape != (n, n):
        raise DataError(f"the similarity is {matrix.shape}, and there are {n} items")
    if not np.all(np.isfinite(matrix)):
        raise DataError("a similarity is not a number")
    alike = SHARED * (matrix + matrix.T) / 2
    np.fill_diagonal(alike, 1.0)
    try:
        factor = cholesky(alike, lower=True)
    except LinAlgError:
        # The built-in similarities are kernels; another one need not be. One close to it takes its place.
        values, vectors = eigh(alike)
        repaired = (vectors * np.maximum(values, TINY)) @ vectors.T
        scale = 1 / np.sqrt(np.diagonal(repaired))
        factor = cholesky(repaired * np.outer(scale, scale) + TINY * np.eye(n), lower=True)
    return np.asarray(SPREAD * factor)


def posterior(asked: PairCounts, factor: FloatArray, waiting: PairCounts | None = None) -> Posterior:
    """Laplace's approximation, with the prior covariance given by its factor.

    Waiting pairs were handed out and are not answered: they leave the mean alone and narrow the covariance as an
    answer would, for under the approximation it does not depend on which way they will be answered.
    """
    mean = mode(asked, factor)
    asked = asked if waiting is None else _together(asked, waiting)
    gap = mean[asked.first] - mean[asked.second]
    return Posterior(mean, covariance(asked, asked.times * expit(gap) * expit(-gap), factor))


def _together(one: PairCounts, other: PairCounts) -> PairCounts:
    return PairCounts(
        *(np.concatenate([getattr(one, name), getattr(other, name)]) for name in one.__dataclass_fields__)
    )


def mode(asked: PairCounts, factor: FloatArray) -> FloatArray:
    """The log strengths of highest posterior density."""
    n = len(factor)
    lost = asked.times - asked.won

    def falling(z: FloatArray) -> tuple[float, FloatArray]:
        strengths = factor @ z
        gap = strengths[asked.first] - strengths[asked.second]
        value = 0.5 * float(z @ z) - float(asked.won @ log_expit(gap) + lost @ log_expit(-gap))
        slope = asked.times * expit(gap) - asked.won
        by_item = np.bincount(asked.first, slope, minlength=n) - np.bincount(asked.second, slope, minlength=n)
        return value, z + factor.T @ by_item

    if not len(asked.won):
        return np.zeros(n)
    found = minimize(
        falling,
        np.zeros(n),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 1000, "gtol": 1e-8, "ftol": 1e-15, "maxcor": 20},
    )
    return np.asarray(factor @ found.x)


def covariance(asked: PairCounts, curvature: FloatArray, factor: FloatArray) -> FloatArray:
    """(K^-1 + A' diag(curvature) A)^-1 without inverting K = L L': it is L (I + L' A' diag(..) A L)^-1 L'."""
    n = len(factor)
    first, second = asked.first, asked.second
    rows, columns = (
        np.concatenate([first, second, first, second]),
        np.concatenate([first, second, second, first]),
    )
    values = np.concatenate([curvature, curvature, -curvature, -curvature])
    hessian = csr_array((values, (rows, columns)), shape=(n, n))
    inner = np.eye(n) + factor.T @ (hessian @ factor)
    half = solve_triangular(cholesky(inner, lower=True), factor.T, lower=True)
    return np.asarray(half.T @ half)
