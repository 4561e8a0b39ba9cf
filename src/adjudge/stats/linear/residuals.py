"""Does the noise look as an analysis of variance supposes? Normal, alike everywhere, nothing left to add up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import fdtrc, stdtr

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import LinearFit, indicators
from adjudge.stats.paired import p_words

SHAPIRO_UP_TO = 5000
"""Shapiro and Wilk's p is known up to here (Royston 1995); beyond, skewness and kurtosis are tested."""

FREE_ENOUGH = 0.75
"""With interactions, the share of degrees of freedom that must be left to compare spreads.

Residuals of one group then lean on each other. In simulations with equal spreads (8 systems x 10 topics, all
two-way interactions) the test at 5 % found a difference in 55 %, 18 %, 14 % and 8 % of cases where 2, 3, 6 and 12
assessors left shares of .39, .53, .66 and .72; without interactions in at most 5 %.
"""

MOST_NAMED = 5

MOST_WORK = 10**11
"""Multiplications that all leverages may cost, some seconds; beyond, those of CANDIDATES rows must do."""

CANDIDATES = 1000


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the residuals. Where it cannot be made, `why` says why."""

    name: str
    statistic: float
    p: float
    df: tuple[int, ...] = ()
    why: str | None = None

    def passed(self, alpha: float = 0.05) -> bool:
        return not self.p < alpha


@dataclass(frozen=True)
class ResidualChecks:
    """What the residuals say of the model's assumptions."""

    n: int
    normal: Check
    """Shapiro-Wilk, or D'Agostino and Pearson's K^2 for many rows."""
    spread: Check
    """Brown and Forsythe's test of equal spread between the levels of a factor."""
    additive: Check
    """Tukey's one degree of freedom for non-additivity; only of models without interactions."""
    skewness: float
    kurtosis: float
    """Beyond that of a normal distribution, which has 0."""
    largest: IntArray
    """Rows with the largest standardised residuals, the largest first."""
    standardised: FloatArray
    """Their residuals over their standard errors."""
    outlier_p: FloatArray
    """Two-sided, of each as an outlier, times the number of rows (Bonferroni)."""

    def sentences(self, spread_over: str = "group", alpha: float = 0.05) -> list[str]:
        """Each check in one sentence; `spread_over` names what the spread is compared between."""
        return [
            _normal_words(self, alpha),
            _spread_words(self.spread, spread_over, alpha),
            _additive_words(self.additive, alpha),
        ]


def residual_checks(fit: LinearFit, groups: npt.ArrayLike) -> ResidualChecks:
    """Check a fit's residuals; `groups` says for every row given in which group its spread counts."""
    codes = np.asarray(groups)[fit.model.present]
    left = fit.residuals[fit.model.present]
    no_noise = fit.why
    if no_noise is not None:
        return _undefined(fit.n, no_noise)
    largest, standardised, outlier_p = _outliers(fit, left)
    skewness, kurtosis = _moments(left)
    return ResidualChecks(
        fit.n,
        _normal(left),
        _spread(fit, left, codes),
        _additive(fit),
        skewness,
        kurtosis,
        np.flatnonzero(fit.model.present)[largest],
        standardised,
        outlier_p,
    )


def _undefined(n: int, why: str) -> ResidualChecks:
    def check(name: str) -> Check:
        return Check(name, math.nan, math.nan, why=why)

    none = np.zeros(0)
    return ResidualChecks(
        n,
        check("shapiro-wilk"),
        check("brown-forsythe"),
        check("tukey-1-df"),
        math.nan,
        math.nan,
        none.astype(np.int64),
        none,
        none,
    )


def _normal(left: FloatArray) -> Check:
    from scipy import stats

    if left.size < 4:
        return Check("shapiro-wilk", math.nan, math.nan, why=f"needs 4 rows, has {left.size}")
    if left.size <= SHAPIRO_UP_TO:
        w, p = stats.shapiro(left)
        return Check("shapiro-wilk", float(w), float(p))
    k2, p = stats.normaltest(left)
    return Check("dagostino-pearson", float(k2), float(p))


def _moments(left: FloatArray) -> tuple[float, float]:
    centred = left - left.mean()
    square = float(np.mean(centred**2))
    return float(np.mean(centred**3)) / square**1.5, float(np.mean(centred**4)) / square**2 - 3


def _spread(fit: LinearFit, left: FloatArray, codes: npt.NDArray[np.generic]) -> Check:
    """Levene's test about the medians (Brown and Forsythe 1974), over the groups with two rows or more."""
    name, noise = "brown-forsythe", fit.model.noise
    if _has_interactions(fit) and fit.residual_df < FREE_ENOUGH * fit.n:
        why = f"with interactions only {fit.residual_df} degrees of freedom are left of {fit.n} rows"
        return Check(name, math.nan, math.nan, why=why)
    groups = [left[codes == code] for code in np.unique(codes)]
    groups = [group for group in groups if group.size > 1]
    if len(groups) < 2:
        return Check(name, math.nan, math.nan, why="needs two groups with two rows each")
    away = [np.abs(group - np.median(group)) for group in groups]
    n, k = sum(group.size for group in away), len(away)
    mean = sum(float(group.sum()) for group in away) / n
    between = sum(group.size * (float(group.mean()) - mean) ** 2 for group in away)
    inside = sum(float(np.sum((group - group.mean()) ** 2)) for group in away)
    if inside <= noise:
        return Check(name, math.nan, math.nan, why="distances from the medians do not vary")
    if k == 2 and between <= noise:
        return Check(name, math.nan, math.nan, why="the residuals of two groups mirror each other")
    f = (between / (k - 1)) / (inside / (n - k))
    return Check(name, f, float(fdtrc(k - 1, n - k, f)), (k - 1, n - k))


def _additive(fit: LinearFit) -> Check:
    """Tukey 1949: does the square of the fit explain anything more? 1 degree of freedom.

    In a complete two-way table this is the product of row and column effects. The square is taken about the
    mean, which changes nothing but the rounding.
    """
    name = "tukey-1-df"
    model = fit.model
    if _has_interactions(fit):
        return Check(name, math.nan, math.nan, why="the model has interactions")
    if fit.residual_df < 2:
        return Check(name, math.nan, math.nan, why="no degrees of freedom are left")
    fitted = model.fitted(model.keys)
    square = (fitted - fitted.mean()) ** 2
    extra = square - fit.space.project(square)
    length = float(extra @ extra)
    if length <= 1e-18 * float(square @ square):
        return Check(name, math.nan, math.nan, why="the square of the fit adds nothing of its own")
    ss = float(extra @ fit.residuals[model.present]) ** 2 / length
    df = fit.residual_df - 1
    rest = fit.residual_ss - ss
    if rest <= model.noise:
        return Check(name, math.inf, 0.0, (1, df))
    f = ss / (rest / df)
    return Check(name, f, float(fdtrc(1, df, f)), (1, df))


def _has_interactions(fit: LinearFit) -> bool:
    return any(len(key) > 1 for key in fit.model.keys)


def _outliers(fit: LinearFit, left: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The largest residuals over their standard errors; each tested against the noise of the other rows.

    A row that the model fits whatever its score, being alone in a cell, has no standard error and is passed over.
    """
    rows, leverages = _leverages(fit, left)
    room = 1 - leverages
    scaled = np.zeros(rows.size)
    free = room > 1e-9
    scaled[free] = left[rows[free]] / np.sqrt(fit.residual_mean_square * room[free])
    order = np.argsort(-np.abs(scaled), kind="stable")[:MOST_NAMED]
    order = order[free[order]]
    found, df = scaled[order], fit.residual_df
    p = np.full(found.size, math.nan)
    if df > 1:
        rest = np.maximum(df - found**2, 0.0)
        with np.errstate(divide="ignore"):
            outside = np.abs(found) * np.sqrt((df - 1) / rest)
        p = np.minimum(1.0, 2 * stdtr(df - 1, -outside) * fit.n)
    return rows[order], found, p


def _leverages(fit: LinearFit, left: FloatArray) -> tuple[IntArray, FloatArray]:
    """Rows that may have the largest standardised residuals, and their leverages: all rows, or of very large
    models those whose residuals are the largest.
    """
    space = fit.space
    if space.base.size * space.inner.matrix.size <= MOST_WORK:
        return np.arange(left.size), space.leverages()
    rows = np.argsort(-np.abs(left), kind="stable")[:CANDIDATES]
    parts = [indicators(term)[rows] for term in space.others]
    return rows, space.quadratic(indicators(space.base)[rows], sparse.hstack(parts, format="csr"))


def _normal_words(found: ResidualChecks, alpha: float) -> str:
    check = found.normal
    if check.why:
        return f"Whether the residuals are normal cannot be said: {check.why}."
    name = {"shapiro-wilk": "Shapiro-Wilk W", "dagostino-pearson": "D'Agostino-Pearson K2"}[check.name]
    basis = (
        f"{name} = {check.statistic:.4g}, {p_words(check.p, alpha)}; skewness {found.skewness:.2f},"
        f" excess kurtosis {found.kurtosis:.2f}"
    )
    if check.passed(alpha):
        return f"The residuals look normal ({basis})."
    return f"The residuals are not normal ({basis}); with many rows the F tests bear that."


def _spread_words(check: Check, over: str, alpha: float) -> str:
    if check.why:
        return f"Whether the noise is the same for every {over} cannot be said: {check.why}."
    first, second = check.df
    basis = f"Brown-Forsythe F({first}, {second}) = {_digits(check.statistic)}, {p_words(check.p, alpha)}"
    if check.passed(alpha):
        return f"The noise is much the same for every {over} ({basis})."
    return f"The noise is not the same for every {over} ({basis})."


def _additive_words(check: Check, alpha: float) -> str:
    if check.why:
        return f"Whether the effects add up was not tested: {check.why}."
    first, second = check.df
    f = f"F({first}, {second}) = {_digits(check.statistic)}"
    basis = f"Tukey's test of non-additivity, {f}, {p_words(check.p, alpha)}"
    if check.passed(alpha):
        return f"The effects add up ({basis})."
    return (
        f"The effects do not just add up ({basis}): larger scores spread more, or less, than the model says."
    )


def _digits(value: float) -> str:
    """Three digits: 0.43, 5.07, 37.7, 123."""
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"
