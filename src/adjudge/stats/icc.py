"""Intraclass correlations: how much of the variance of single ratings, and of their means, is that of the things rated.

Shrout and Fleiss 1979; McGraw and Wong 1996. ICC(1,1) takes every thing's assessors as others' (one way), ICC(2,1) as
the same people, drawn from many (two ways, absolute agreement), ICC(2,k) is that of the mean of k of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.agreement import ALL_SAME, NOBODY, AgreementCoefficient
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.mixed import fit_mixed, variance_shares

FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(2,k)")
CONSTANT = "the assessors differ by constants alone"
RESAMPLES = 200
"""Simulated from the fitted model, where cells are missing."""


@dataclass(frozen=True)
class IntraclassCorrelations:
    """The three forms, with k, and how they were found: from mean squares (F), or from REML where cells are missing."""

    all: tuple[AgreementCoefficient, AgreementCoefficient, AgreementCoefficient]
    """ICC(1,1), ICC(2,1), ICC(2,k)."""
    k: float
    """Judgments of a thing; where things have different numbers of them, the harmonic mean."""
    method: str

    @property
    def single(self) -> AgreementCoefficient:
        return self.all[0]

    @property
    def two_way(self) -> AgreementCoefficient:
        return self.all[1]

    @property
    def average(self) -> AgreementCoefficient:
        return self.all[2]


class _Share(NamedTuple):
    """The things' share of the variance with its interval, or why there is none."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    why: str | None = None
    why_no_interval: str | None = None

    def averaged(self, k: float) -> _Share:
        """What the mean of k has, by Spearman and Brown."""
        value, low, high = (k * number / (1 + (k - 1) * number) for number in self[:3])
        return self._replace(value=value, low=low, high=high)


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
    k = float(judged.size / np.sum(1 / judged)) if judged.size else math.nan
    why: str | None = None
    if not (judged >= 2).any():
        why = NOBODY
    elif len(matrix) < 2:
        why = "one thing has no variance between things"
    elif np.nanmax(matrix) == np.nanmin(matrix):
        why = ALL_SAME
    if why is not None:
        single = two_way = _Share(why=why)
        method = ""
    elif not np.isnan(matrix).any():
        single, two_way = _from_mean_squares(matrix, level)
        method = "F"
    else:
        single, two_way = (_from_reml(matrix, random, rng, level, resamples) for random in ([0], [0, 1]))
        method = "REML"
    shares = zip(FORMS, (single, two_way, two_way.averaged(k)), strict=True)
    first, second, third = (
        AgreementCoefficient(
            name=name,
            value=share.value,
            low=share.low,
            high=share.high,
            level=level,
            units=int(np.count_nonzero(judged >= 2)),
            values=int(judged[judged >= 2].sum()),
            why=share.why,
            why_no_interval=share.why_no_interval,
        )
        for name, share in shares
    )
    return IntraclassCorrelations(all=(first, second, third), k=k, method=method)


def _from_mean_squares(matrix: FloatArray, level: float) -> tuple[_Share, _Share]:
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
        return _Share(single, single, single), _Share(two_way, two_way, two_way)
    f = between / within
    ends = f / float(fdtri(n - 1, n * (k - 1), upper)), f * float(fdtri(n * (k - 1), n - 1, upper))
    low, high = ((end - 1) / (end + k - 1) for end in ends)
    if error == 0:
        return _Share(single, low, high), _Share(two_way, why_no_interval=CONSTANT)
    fj = assessors / error
    spread = n * (1 + (k - 1) * two_way) - k * two_way
    df = (k - 1) * (n - 1) * (k * two_way * fj + spread) ** 2
    df /= (n - 1) * (k * two_way * fj) ** 2 + spread**2
    rest = k * assessors + (k * n - k - n) * error
    below, above = float(fdtri(n - 1, df, upper)), float(fdtri(df, n - 1, upper))
    low2 = n * (between - below * error) / (below * rest + n * between)
    high2 = n * (above * between - error) / (rest + n * above * between)
    return _Share(single, low, high), _Share(two_way, low2, high2)


def _from_reml(
    matrix: FloatArray, random: list[int], rng: np.random.Generator, level: float, resamples: int
) -> _Share:
    """The things' share of the variances that REML estimates."""
    rows, columns = np.nonzero(~np.isnan(matrix))
    terms = [(factor,) for factor in random]
    names = ["things", "assessors"]
    fit = fit_mixed(matrix[rows, columns], [rows, columns], fixed=[], random=terms, names=names)
    if fit.why is not None:
        return _Share(why="the model of things and assessors cannot be fitted")
    shares = variance_shares(fit, rng=rng, level=level, resamples=resamples)
    value, low, high = (float(numbers[0]) for numbers in (shares.shares, shares.low, shares.high))
    return _Share(value, low, high, why_no_interval=None if resamples else "nothing was simulated")
