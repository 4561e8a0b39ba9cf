"""Chosen contrasts of columns on the model topic + system, adjusted for being several.

The single-step adjustment needs the largest of several dependent |t|, a multivariate t distribution.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, fdtrc, fdtri, ndtri, stdtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import AdditiveFit, fit_additive
from adjudge.stats.multiple import holm
from adjudge.stats.paired import NOISE

SHIFTS = 8
POINTS = 4096
"""Points for each shift, a power of 2; a quarter of them where there are more than MANY t's."""
MANY = 64
TINY = 1e-280
"""Below this a p is Bonferroni's, and nothing is drawn."""


class MaximumT:
    """P(max |T_i| > t) for T with a covariance (its scale does not matter) and df degrees of freedom.

    The event is a union of m events |T_i| > t of one known probability p1. Draw one of them, I, at random, and T
    given that |T_I| > t; with N the number of events that then hold, the union's probability is m p1 E[1/N]
    (Naiman and Priebe 2001). So every estimate lies between p1 and Bonferroni's m p1, and far tails are as good
    as others. The points are Sobol's with a random shift; eight shifts give the standard error.
    """

    def __init__(self, covariance: FloatArray, df: float, rng: np.random.Generator):
        scale = np.sqrt(covariance.diagonal())
        self.correlation = covariance / scale / scale[:, None]
        self.df = df
        self._draws = list(_draws(self.correlation, df, rng))

    def sf(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The tail at every t >= 0, and its standard error."""
        if t.size <= MANY:
            both = np.array([self._tail(float(value)) for value in t]).reshape(-1, 2)
            return _falling(t, both[:, 0]), both[:, 1]
        from scipy.interpolate import CubicSpline  # slow to load, as are the others, and seldom needed

        knots = np.linspace(0.0, float(t.max()), MANY + 1)
        tail, error = self.sf(knots[:MANY])
        last, last_error = self._tail(float(knots[-1]))
        curve = CubicSpline(knots, np.log(np.maximum([*tail, last], TINY)))
        return _falling(t, np.exp(np.minimum(0.0, curve(t)))), np.interp(t, knots, [*error, last_error])

    def isf(self, p: float) -> float:
        """The t that is exceeded with probability p: no less than one t's, no more than Bonferroni's."""
        size = self.correlation.shape[0]
        low, high = (-float(stdtrit(self.df, p / 2 / n)) for n in (1, size))
        if self._tail(low)[0] <= p:
            return low
        from scipy.optimize import brentq

        return float(brentq(lambda t: self._tail(t)[0] - p, low, high * (1 + 1e-9), xtol=1e-5))

    def _tail(self, t: float) -> tuple[float, float]:
        """The tail at t, and its standard error."""
        single = 2 * float(stdtr(self.df, -t))
        bound = self.correlation.shape[0] * single
        if single < TINY:
            return bound, 0.0
        shares = []
        for chosen, at, noise, others in self._draws:
            value = -stdtrit(self.df, at * single / 2)
            s = np.sqrt(noise / (self.df + value**2))
            drawn = others / s[:, None] + self.correlation[chosen] * value[:, None]
            held = np.maximum(np.count_nonzero(np.abs(drawn) > t, axis=1), 1)
            shares.append(float((1 / held).mean()))
        error = bound * float(np.std(shares, ddof=1)) / math.sqrt(SHIFTS)
        return min(1.0, bound * float(np.mean(shares))), error


def _draws(
    correlation: FloatArray, df: float, rng: np.random.Generator
) -> Iterator[tuple[IntArray, FloatArray, FloatArray, FloatArray]]:
    """For every shift: which event, where in its tail, which noise, and the rest of T free of that event.

    Given T_I = v, s^2 (df + v^2) has a chi-squared distribution with df + 1 degrees of freedom: that is the noise.
    """
    from scipy.stats import qmc

    factor = _factor(correlation)
    size, dimension = factor.shape
    points = qmc.Sobol(dimension + 3, scramble=False).random(POINTS if size <= MANY else POINTS // 4)
    for _ in range(SHIFTS):
        # Shifted points lie in [0, 1), and a 0 would be an infinite value.
        shifted = np.maximum((points + rng.random(dimension + 3)) % 1.0, 1e-16)
        chosen = np.minimum((shifted[:, 0] * size).astype(np.int64), size - 1)
        normal = ndtri(shifted[:, 3:]) @ factor.T
        at_chosen = np.take_along_axis(normal, chosen[:, None], axis=1)
        yield chosen, shifted[:, 1], chdtri(df + 1, shifted[:, 2]), normal - correlation[chosen] * at_chosen


def _factor(correlation: FloatArray) -> FloatArray:
    """L with L L' = correlation and as many columns as its rank: Cholesky's, with pivots (Higham 2002, section 10.3).

    Eigenvectors would do, but those of equal eigenvalues, which Dunnett's contrasts have, differ from processor to
    processor, and so would the numbers of one seed. Of equal pivots the first is taken.
    """
    rest, columns = correlation.copy(), []
    for _ in range(len(rest)):
        left = rest.diagonal()
        if left.max() <= 1e-10:
            break
        pivot = int(np.argmax(left >= left.max() * (1 - 1e-9)))
        columns.append(rest[:, pivot] / math.sqrt(left[pivot]))
        rest -= np.outer(columns[-1], columns[-1])
    return np.column_stack(columns)


def _falling(t: FloatArray, tail: FloatArray) -> FloatArray:
    """The tail, never larger for a larger t: what the points leave of that is noise."""
    order = np.argsort(-t, kind="stable")
    fallen = np.empty_like(tail)
    fallen[order] = np.maximum.accumulate(tail[order])
    return fallen


# Contrasts

Adjust = Literal["none", "bonferroni", "holm", "scheffe", "single-step"]
ADJUSTMENTS: tuple[Adjust, ...] = get_args(Adjust)


@dataclass(frozen=True)
class Contrasts:
    """Every contrast with its adjusted p and its interval. NaN where `why` has a reason, by position."""

    adjust: Adjust
    level: float
    estimate: FloatArray
    """The weighted sum of the least-squares means."""
    se: FloatArray
    statistic: FloatArray
    """t = estimate / se."""
    p: FloatArray
    """Two-sided, adjusted."""
    low: FloatArray
    high: FloatArray
    df: int
    mean_square: float
    """Of the model's residuals."""
    critical: float
    """The |t| that the intervals reach to. Holm has no intervals of its own: they are Bonferroni's."""
    error: FloatArray
    """The standard error of a p that was integrated with random points; 0 for the others."""
    why: dict[int, Note] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.p.size


def contrasts(
    values: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    adjust: Adjust = "single-step",
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Contrasts:
    """Contrasts of the columns of a matrix (topics x systems, NaN where missing), two-sided.

    `single-step` uses the joint distribution of the estimates, a multivariate t: with weights `against(...)` it
    is Dunnett's many-to-one test (1955), in blocks and with missing cells; it needs a random generator for
    its integral. `scheffe` holds for every contrast there is, also for those that the data suggested
    (Scheffé 1953). `bonferroni` and `holm` know nothing of the dependence.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    rows = checked_weights(weights, matrix.shape[1])
    checks.one_of("adjust", adjust, ADJUSTMENTS)
    checks.share("level", level)
    if adjust == "single-step" and rng is None:
        raise UsageError('rng: adjust="single-step" needs a random generator')
    model = fit_additive(matrix)
    estimate, se = _estimates(model, rows)
    why = _reasons(model, rows, estimate)
    estimate[~model.joined(rows)] = se[list(why)] = np.nan
    kept = np.setdiff1d(np.arange(len(rows)), list(why)).astype(np.int64)
    statistic, p, error = np.full((3, len(rows)), np.nan)
    critical = math.nan
    if kept.size:
        with np.errstate(invalid="ignore"):  # 0 / 0 where nothing varies and nothing differs
            statistic[kept] = np.where(estimate[kept] == 0, 0.0, estimate[kept] / se[kept])
        p[kept], critical, error[kept] = _adjusted(model, rows[kept], statistic[kept], adjust, level, rng)
    reach = critical * se
    return Contrasts(
        adjust=adjust,
        level=level,
        estimate=estimate,
        se=se,
        statistic=statistic,
        p=p,
        low=estimate - reach,
        high=estimate + reach,
        df=model.df,
        mean_square=model.mean_square,
        critical=critical,
        error=error,
        why=why,
    )


def against(columns: int, control: int) -> FloatArray:
    """Weights of every other column less the control, in the order of the columns."""
    checks.count("columns", columns, least=1)
    _columns("control", [control], columns)
    weights = np.delete(np.eye(columns), control, axis=0)
    weights[:, control] = -1.0
    return weights


def between(columns: int, first: Sequence[int], second: Sequence[int]) -> FloatArray:
    """Weights of the mean of some columns less the mean of others: one row."""
    checks.count("columns", columns, least=1)
    _columns("first", first, columns)
    _columns("second", second, columns)
    weights = np.zeros((1, columns))
    weights[0, list(first)] += 1 / len(first)
    weights[0, list(second)] -= 1 / len(second)
    return weights


def _estimates(model: AdditiveFit, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    # A weight of 0 must not meet the NaN of a column without scores.
    estimate = rows @ np.nan_to_num(model.effects)
    estimate[np.abs(estimate) <= model.noise * np.abs(rows).sum(axis=1)] = 0.0
    variance = np.einsum("ij,jk,ik->i", rows, np.nan_to_num(model.covariance), rows, optimize=True)
    return estimate, np.sqrt(model.mean_square * np.maximum(variance, 0.0))


def _adjusted(
    model: AdditiveFit,
    rows: FloatArray,
    statistic: FloatArray,
    adjust: Adjust,
    level: float,
    rng: np.random.Generator | None,
) -> tuple[FloatArray, float, FloatArray]:
    """Adjusted p-values, the critical |t|, and the error of the integral."""
    df, alpha, size = model.df, 1 - level, np.abs(statistic)
    exact = np.zeros_like(size)
    if adjust == "scheffe":
        rank = model.columns - model.parts
        return fdtrc(rank, df, size**2 / rank), math.sqrt(rank * fdtri(rank, df, level)), exact
    if adjust == "single-step" and rng is not None:
        covariance = rows @ np.nan_to_num(model.covariance) @ rows.T
        maximum = MaximumT(covariance, df, rng)
        p, error = maximum.sf(size)
        return p, maximum.isf(alpha), error
    family = 1 if adjust == "none" else len(rows)
    single = 2 * stdtr(df, -size)
    p = holm(single) if adjust == "holm" else np.minimum(1.0, family * single)
    return p, -float(stdtrit(df, alpha / 2 / family)), exact


def _reasons(model: AdditiveFit, rows: FloatArray, estimate: FloatArray) -> dict[int, Note]:
    """Why a contrast has no result, by its position."""
    if math.isnan(model.mean_square):
        return dict.fromkeys(range(len(rows)), Note.of("no-freedom"))
    reasons = (
        ((model.mean_square == 0) & (estimate != 0), Note.of("levels-alone")),
        (~model.joined(rows), Note.of("no-chain-in-contrast")),
        ((rows[:, model.part < 0] != 0).any(axis=1), Note.of("weighs-empty-column")),
    )
    return {int(k): why for where, why in reasons for k in np.flatnonzero(where)}


def checked_weights(weights: npt.ArrayLike, columns: int) -> FloatArray:
    """Weights of so many columns, a row for each contrast; each sums to 0."""
    rows = checks.numbers("weights", weights, dimensions=2)
    if rows.shape[1] != columns:
        raise UsageError(f"weights: expected {columns} columns, got {rows.shape[1]}")
    for k, row in enumerate(rows):
        size = float(np.abs(row).sum())
        if not size > 0:
            raise UsageError(f"weights: row {k} weighs nothing, or holds NaN")
        if abs(float(row.sum())) > NOISE * size:
            raise UsageError(f"weights: row {k} sums to {row.sum():g}, expected 0")
    return rows


def _columns(name: str, chosen: Sequence[int], columns: int) -> None:
    if not chosen or any(not 0 <= column < columns for column in chosen):
        raise UsageError(f"{name}: expected columns from 0 to {columns - 1}, got {list(chosen)}")
