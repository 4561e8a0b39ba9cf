"""Intraclass correlations: how much of the variance of single ratings, and of their means, is that of the things rated.

Shrout and Fleiss 1979; McGraw and Wong 1996. ICC(1,1) takes every thing's assessors as others' (one way), ICC(2,1) as
the same people, drawn from many (two ways, absolute agreement), ICC(2,k) is that of the mean of k of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.agreement import ALL_SAME, NOBODY, AgreementCoefficient
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.mixed import MixedFit, fit_mixed, variance_shares

FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(2,k)")
CONSTANT = "the assessors differ by constants alone"
RESAMPLES = 200
"""Simulated from the fitted model, where cells are missing."""


@dataclass(frozen=True)
class IntraclassCorrelations:
    """The three forms, with k, and how they were found: from mean squares (F), or from REML where cells are missing."""

    single: AgreementCoefficient
    """ICC(1,1)."""
    two_way: AgreementCoefficient
    """ICC(2,1)."""
    average: AgreementCoefficient
    """ICC(2,k)."""
    k: float
    """Judgments of a thing; where things have different numbers of them, the harmonic mean."""
    method: str

    @property
    def all(self) -> tuple[AgreementCoefficient, ...]:
        return self.single, self.two_way, self.average


def intraclass(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> IntraclassCorrelations:
    """Of things in rows and assessors in columns, NaN missing. Things count as independent in the intervals.

    Where nothing is missing, estimates come from mean squares (they may be negative) and intervals from F
    distributions. Where cells are missing, both come from the variances that REML estimates: the interval runs
    between quantiles in `resamples` simulations from the fitted model.
    """
    checks.share("level", level)
    checks.count("resamples", resamples, least=0)
    matrix = checks.numbers("values", values, dimensions=2)
    matrix = matrix[(~np.isnan(matrix)).any(axis=1)]
    matrix = matrix[:, (~np.isnan(matrix)).any(axis=0)]
    judged = np.count_nonzero(~np.isnan(matrix), axis=1)
    units, given = int(np.count_nonzero(judged >= 2)), int(judged[judged >= 2].sum())
    k = float(judged.size / np.sum(1 / judged)) if judged.size else math.nan

    def coefficient(
        name: str, value: float, low: float, high: float, why: str | None, no_interval: str | None = None
    ) -> AgreementCoefficient:
        return AgreementCoefficient(
            name=name,
            value=value,
            low=low,
            high=high,
            level=level,
            units=units,
            values=given,
            why=why,
            why_no_interval=no_interval,
        )

    def undefined(why: str) -> IntraclassCorrelations:
        found = [coefficient(name, math.nan, math.nan, math.nan, why) for name in FORMS]
        return IntraclassCorrelations(*found, k=k, method="")

    if not units:
        return undefined(NOBODY)
    there = matrix[~np.isnan(matrix)]
    if np.ptp(there) == 0:
        return undefined(ALL_SAME)
    if len(matrix) < 2:
        return undefined("one thing has no variance between things")
    if not np.isnan(matrix).any():
        single, two_way = _balanced(matrix, level)
        found = [*zip(FORMS, (single, two_way, tuple(_averaged(x, k) for x in two_way)), strict=True)]
        return IntraclassCorrelations(
            *(
                coefficient(name, *each, None, CONSTANT if math.isnan(each[1]) else None)
                for name, each in found
            ),
            k=k,
            method="F",
        )
    shares = []
    for terms in ([(0,)], [(0,), (1,)]):
        rows, columns = np.nonzero(~np.isnan(matrix))
        fit = fit_mixed(matrix[rows, columns], [rows, columns], fixed=[], random=terms)
        shares.append(_share(fit, rng, level, resamples))
    forms = [shares[0], shares[1], (*(_averaged(x, k) for x in shares[1][:3]), shares[1][3])]
    no_interval = None if resamples else "nothing was simulated"
    return IntraclassCorrelations(
        *(
            coefficient(name, value, low, high, why, no_interval)
            for name, (value, low, high, why) in zip(FORMS, forms, strict=True)
        ),
        k=k,
        method="REML",
    )


def _averaged(single: float, k: float) -> float:
    """What the mean of k has, by Spearman and Brown."""
    return k * single / (1 + (k - 1) * single)


def _balanced(
    matrix: FloatArray, level: float
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """ICC(1,1) and ICC(2,1) with their intervals. Shrout and Fleiss 1979, p. 423 to 425."""
    from scipy.special import fdtri

    n, k = matrix.shape
    mean = matrix.mean()
    of_things, of_assessors = matrix.mean(axis=1) - mean, matrix.mean(axis=0) - mean
    left = matrix - mean - of_things[:, None] - of_assessors
    between = k * float(of_things @ of_things) / (n - 1)
    assessors = n * float(of_assessors @ of_assessors) / (k - 1)
    error = float((left**2).sum()) / ((n - 1) * (k - 1))
    within = (n * float(of_assessors @ of_assessors) + float((left**2).sum())) / (n * (k - 1))
    upper = (1 + level) / 2
    single = (between - within) / (between + (k - 1) * within)
    two_way = (between - error) / (between + (k - 1) * error + k * (assessors - error) / n)
    if within == 0:
        return (single, single, single), (two_way, two_way, two_way)
    f = between / within
    ends = f / float(fdtri(n - 1, n * (k - 1), upper)), f * float(fdtri(n * (k - 1), n - 1, upper))
    low, high = ((end - 1) / (end + k - 1) for end in ends)
    if error == 0:
        return (single, low, high), (two_way, math.nan, math.nan)
    fj = assessors / error
    spread = n * (1 + (k - 1) * two_way) - k * two_way
    df = (k - 1) * (n - 1) * (k * two_way * fj + spread) ** 2
    df /= (n - 1) * (k * two_way * fj) ** 2 + spread**2
    rest = k * assessors + (k * n - k - n) * error
    below, above = float(fdtri(n - 1, df, upper)), float(fdtri(df, n - 1, upper))
    low2 = n * (between - below * error) / (below * rest + n * between)
    high2 = n * (above * between - error) / (rest + n * above * between)
    return (single, low, high), (two_way, low2, high2)


def _share(
    fit: MixedFit, rng: np.random.Generator, level: float, resamples: int
) -> tuple[float, float, float, str | None]:
    """The things' share of the variance with its interval, or why there is none."""
    if fit.why is not None:
        why = fit.why.replace("random term 1", "things").replace("random term 2", "assessors")
        why = why.replace("random terms 1 and 2", "things and assessors")
        return math.nan, math.nan, math.nan, why
    found = variance_shares(fit, rng=rng, level=level, resamples=resamples)
    return float(found.shares[0]), float(found.low[0]), float(found.high[0]), None
