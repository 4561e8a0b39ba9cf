"""The largest of several dependent |t|: tail and quantile of a multivariate t. Which t's lives elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import chdtri, ndtri, stdtr, stdtrit
from scipy.stats import qmc

from adjudge.stats.checks import FloatArray, IntArray

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
            both = np.array([self._tail(float(each)) for each in t]).reshape(-1, 2)
            return _falling(t, both[:, 0]), both[:, 1]
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
        return float(brentq(lambda t: self._tail(t)[0] - p, low, high * (1 + 1e-9), xtol=1e-5))

    def _tail(self, t: float) -> tuple[float, float]:
        """The tail at t, and its standard error."""
        single = 2 * float(stdtr(self.df, -t))
        bound = self.correlation.shape[0] * single
        if single < TINY:
            return bound, 0.0
        found = []
        for chosen, at, noise, others in self._draws:
            value = -stdtrit(self.df, at * single / 2)
            s = np.sqrt(noise / (self.df + value**2))
            drawn = others / s[:, None] + self.correlation[chosen] * value[:, None]
            held = np.maximum(np.count_nonzero(np.abs(drawn) > t, axis=1), 1)
            found.append(float((1 / held).mean()))
        error = bound * float(np.std(found, ddof=1)) / math.sqrt(SHIFTS)
        return min(1.0, bound * float(np.mean(found))), error


def _draws(
    correlation: FloatArray, df: float, rng: np.random.Generator
) -> Iterator[tuple[IntArray, FloatArray, FloatArray, FloatArray]]:
    """For every shift: which event, where in its tail, which noise, and the rest of T free of that event.

    Given T_I = v, s^2 (df + v^2) has a chi-squared distribution with df + 1 degrees of freedom: that is the noise.
    """
    values, vectors = np.linalg.eigh(correlation)
    kept = values > values.max() * 1e-10
    factor = vectors[:, kept] * np.sqrt(values[kept])
    size, dimension = factor.shape
    points = qmc.Sobol(dimension + 3, scramble=False).random(POINTS if size <= MANY else POINTS // 4)
    for _ in range(SHIFTS):
        # Shifted points lie in [0, 1), and a 0 would be an infinite value.
        shifted = np.maximum((points + rng.random(dimension + 3)) % 1.0, 1e-16)
        chosen = np.minimum((shifted[:, 0] * size).astype(np.int64), size - 1)
        normal = ndtri(shifted[:, 3:]) @ factor.T
        own = np.take_along_axis(normal, chosen[:, None], axis=1)
        yield chosen, shifted[:, 1], chdtri(df + 1, shifted[:, 2]), normal - correlation[chosen] * own


def _falling(t: FloatArray, tail: FloatArray) -> FloatArray:
    """The tail, never larger for a larger t: what the points leave of that is noise."""
    order = np.argsort(-t, kind="stable")
    fallen = np.empty_like(tail)
    fallen[order] = np.maximum.accumulate(tail[order])
    return fallen
