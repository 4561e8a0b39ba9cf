"""Degrees of freedom of fixed effects in a mixed model, and the F test of equal means. Fitting lives in mixed.py."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.reml import Reml

STEP = 1e-4
"""Of the central differences, in logarithms: an error of about 1e-8."""


@dataclass(frozen=True, slots=True)
class FixedTest:
    """An F test of fixed effects; `why` where there is none."""

    f: float
    df: int
    denominator_df: float
    p: float
    why: str | None = None


class Satterthwaite:
    """How sure the variances are, and so how many degrees of freedom a combination of fixed effects has.

    df = 2 v^2 / Var(v), where v is the combination's estimated variance; Var(v) comes from v's gradient by the
    logarithms of the ratios and of sigma^2, and from the curvature of the criterion there. Satterthwaite 1946.
    Variances estimated as 0 are taken as known.
    """

    def __init__(self, reml: Reml, theta: FloatArray, means: FloatArray):
        """Rows of `means` combine fixed effects."""
        best = reml.at(theta)
        self._moving = np.flatnonzero(theta)
        self._sigma2 = best.rss / reml.df
        self._means, self._fixed = means, best.fixed
        self._unscaled = best.unscaled
        curvature = np.zeros((self._moving.size + 1, self._moving.size + 1))
        self._changes = []
        chosen = [*self._moving, theta.size]
        for row, k in enumerate(self._moving.tolist()):
            up, down = reml.at(_scaled(theta, k, STEP)), reml.at(_scaled(theta, k, -STEP))
            difference = up.full_slope(self._sigma2, reml.df) - down.full_slope(self._sigma2, reml.df)
            curvature[row] = difference[chosen] / (2 * STEP)
            self._changes.append(self._sigma2 * (up.unscaled - down.unscaled) / (2 * STEP))
        # By log sigma^2: the slope by log theta gains 2 squares / sigma^2, that by log sigma^2 gains rss / sigma^2.
        last = np.append(2 * best.squares, best.rss)[chosen] / self._sigma2
        curvature[-1], curvature[:-1, -1] = last, last[:-1]
        self._changes.append(self._sigma2 * best.unscaled)
        self._spread = _inverse(curvature / 2)

    def of(self, combination: FloatArray) -> float:
        """Degrees of freedom of one combination of fixed effects; NaN where the criterion is too flat to say."""
        variance = self._sigma2 * float(combination @ self._unscaled @ combination)
        gradient = np.array([float(combination @ change @ combination) for change in self._changes])
        uncertainty = float(gradient @ self._spread @ gradient)
        return 2 * variance**2 / uncertainty if uncertainty > 0 else math.nan

    def of_means(self) -> FloatArray:
        return np.array([self.of(row) for row in self._means])

    def of_equality(self) -> FixedTest:
        """Are all the means equal? Fai and Cornelius 1996: independent combinations, their degrees pooled."""
        apart = self._means[1:] - self._means[0]
        if not apart.shape[0]:
            return FixedTest(math.nan, 0, math.nan, math.nan, "there is only one level")
        variances, vectors = np.linalg.eigh(self._sigma2 * apart @ self._unscaled @ apart.T)
        independent = vectors.T @ apart
        f = float(np.mean((independent @ self._fixed) ** 2 / variances))
        denominator = pooled_df(np.array([self.of(row) for row in independent]))
        if math.isnan(denominator):
            return FixedTest(
                f, apart.shape[0], math.nan, math.nan, "the variances are too uncertain for a test"
            )
        return FixedTest(f, apart.shape[0], denominator, float(fdtrc(apart.shape[0], denominator, f)))


def pooled_df(each: FloatArray) -> float:
    """One denominator for an F on several independent combinations: the F has the mean of their squared t's."""
    if each.size == 1 or np.ptp(each) < 1e-8 * each.max():
        return float(each.mean())
    if not (each > 2).all():
        return 2.0 if not np.isnan(each).any() else math.nan
    expected = float(np.sum(each / (each - 2)))
    return 2 * expected / (expected - each.size)


def _scaled(theta: FloatArray, k: int, log: float) -> FloatArray:
    found = theta.copy()
    found[k] *= math.exp(log)
    return found


def _inverse(matrix: FloatArray) -> FloatArray:
    """The inverse; zeros where the matrix is not positive definite, so that no degrees of freedom come of it."""
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.zeros_like(matrix)
    return np.asarray(np.linalg.inv(matrix))
