"""How often checks of residuals would find a clear violation: a check that could not have failed has passed nothing.

Clear is: noise as skewed as an exponential distribution; noise of one group three times that of the others; effects
twice as large at the top of the fitted scores as at their bottom; one score six standard deviations off. Tests are at
5 %.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri, ncfdtr, nctdtr, stdtrit

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import LinearFit

ENOUGH = 0.8
"""What a check that passed must have as its power to say anything."""
ALPHA = 0.05
DRAWS = 100
PLENTY = 300
"""Degrees of freedom of the noise from which residuals show a skewness of 2 in any case."""
SPREAD = 3.0
OUTLYING = 6.0


def power_of_normality(fit: LinearFit, rng: np.random.Generator) -> float:
    """How often Shapiro and Wilk's test finds residuals of exponential noise not normal."""
    from scipy import stats

    if fit.residual_df >= PLENTY:
        return 1.0
    drawn = _residuals(fit, rng.exponential(size=(DRAWS, fit.n)))
    return float(np.mean([stats.shapiro(row).pvalue < ALPHA for row in drawn]))


def power_of_spread(fit: LinearFit, codes: npt.NDArray[np.generic], rng: np.random.Generator) -> float:
    """How often Brown and Forsythe's test finds one group whose noise is three times that of the others."""
    _, groups = np.unique(codes, return_inverse=True)
    several = np.flatnonzero(np.bincount(groups) > 1)
    noise = rng.normal(size=(DRAWS, fit.n))
    noise[groups == rng.choice(several, size=DRAWS)[:, None]] *= SPREAD
    kept = np.isin(groups, several)
    drawn = _residuals(fit, noise)[:, kept]
    f = brown_forsythe(drawn, np.unique(groups[kept], return_inverse=True)[1])
    least = fdtri(several.size - 1, kept.sum() - several.size, 1 - ALPHA)
    return float(np.mean(f > least))


def brown_forsythe(values: FloatArray, groups: IntArray) -> FloatArray:
    """F of many rows of values at once: distances from their groups' medians, compared between groups."""
    counts = np.bincount(groups)
    away = np.empty_like(values)
    means = np.empty((values.shape[0], counts.size))
    for k in range(counts.size):
        part = values[:, groups == k]
        away[:, groups == k] = np.abs(part - np.median(part, axis=1, keepdims=True))
        means[:, k] = away[:, groups == k].mean(axis=1)
    inside = ((away - means[:, groups]) ** 2).sum(axis=1) / (values.shape[1] - counts.size)
    between = (counts * (means - away.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / (counts.size - 1)
    return np.asarray(between / inside)


def power_of_additivity(fit: LinearFit, extra: FloatArray, fitted: FloatArray) -> float:
    """The power of Tukey's test where differences double from the lowest fitted score to the highest.

    With f about its mean, f + g/2 f^2 has the slope 1 + g f, which doubles where g = 1 / (highest - 2 lowest).
    `extra` is what the model leaves of f^2.
    """
    away = fitted - fitted.mean()
    bend = 1 / (away.max() - 2 * away.min()) / 2
    df = fit.residual_df - 1
    size = bend**2 * float(extra @ extra) / fit.residual_mean_square
    return 1 - float(ncfdtr(1, df, size, fdtri(1, df, 1 - ALPHA)))


def power_of_outlier(fit: LinearFit) -> float:
    """The power of Bonferroni's test of the largest residual where a score of average leverage is an outlier."""
    df = fit.residual_df - 1
    if df < 1:
        return 0.0
    least = -stdtrit(df, ALPHA / 2 / fit.n)
    return 1 - float(nctdtr(df, OUTLYING * np.sqrt(fit.residual_df / fit.n), least))


def _residuals(fit: LinearFit, noise: FloatArray) -> FloatArray:
    return np.array([row - fit.space.project(row) for row in noise])
