"""How the variance divides among random terms and noise, with intervals. Fitting lives in mixed.py."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.mixed import MixedFit
from adjudge.stats.linear.search import search

RESAMPLES = 200
"""Enough for the ends of a 95 % interval to settle to about a tenth of its width."""


@dataclass(frozen=True)
class VarianceShares:
    """Variances of the random terms and, last, of the noise; each one's share of their sum.

    The interval runs between quantiles of the shares in scores simulated from the fitted model and fitted again
    (a parametric bootstrap; Efron and Tibshirani 1993, section 6.5). With few levels of a term it is wide, as it
    should be. NaN where nothing was simulated.
    """

    variances: FloatArray
    shares: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    resamples: int


def variance_shares(
    fit: MixedFit, *, rng: np.random.Generator, resamples: int = RESAMPLES, level: float = 0.95
) -> VarianceShares:
    """The shares of a fit's variances; `resamples=0` gives them without intervals."""
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    variances = np.append(fit.variances, fit.residual_variance)
    none = np.full(variances.size, math.nan)
    if fit.found is None or not resamples:
        return VarianceShares(variances, variances / variances.sum(), none, none, level, 0)
    if resamples < 2 / (1 - level):
        raise UsageError(f"resamples: {resamples} are too few for an interval at {level:g}")
    drawn = _simulated(fit, rng, resamples)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return VarianceShares(variances, variances / variances.sum(), low, high, level, resamples)


def _simulated(fit: MixedFit, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Shares in simulated scores, a row for each."""
    assert fit.found is not None
    theta = fit.found.theta
    reml = copy.copy(fit.found.reml)
    sigma = math.sqrt(fit.residual_variance)
    found = np.empty((resamples, theta.size + 1))
    for row in found:
        reml.take(reml.simulate(theta, sigma, rng))
        ratios = np.append(search(reml, range(theta.size), theta, exact=False) ** 2, 1.0)
        row[:] = ratios / ratios.sum()
    return found
