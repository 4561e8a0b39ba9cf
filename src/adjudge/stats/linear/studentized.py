"""The studentized range: its tail, and critical values.

The range of k standard normal values over an independent estimate of their standard deviation with df degrees
of freedom (Student 1927). SciPy integrates anew for every value and takes the tail from 1; here the tail itself is
integrated, so that small p-values keep their digits, and for many values at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, log_ndtr, ndtr

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

NODES = 256
REACH = 8.5
"""Half the width of the inner integral: what lies outside is below 1e-15 of what is inside."""
WIDEST = 54.0
"""Ranges up to here have a tail above 1e-320; beyond it, a normal tail goes on where it left off."""
KNOTS = np.concatenate([np.arange(1200) * 0.01, 12 + np.arange(841) * 0.05])
"""Of the inner integral's spline, up to WIDEST: between them log tails are right to 1e-9."""
DEPTH = 37.0
"""The outer integral ends where its integrand has fallen to exp(-37) of its peak, 1e-16."""
BLOCK = 2048


def studentized_range_sf(q: npt.ArrayLike, groups: int, df: float) -> FloatArray:
    """P(Q > q) for every q, Q being the studentized range of so many groups; df may be infinite.

    With s the estimate of the standard deviation, in units of the true one, it is the mean of P(range > q s)
    over s. In t = log s the integrand is log-concave, so its peak and its ends are found by halving, and
    equal steps between them converge exponentially.
    """
    values = checks.numbers("q", q, dimensions=1)
    checks.count("groups", groups, least=2)
    if not df > 0:
        raise UsageError(f"df: expected a positive number, got {df!r}")
    tail = np.where(np.isnan(values), np.nan, 1.0)
    above = np.flatnonzero(values > 0)
    for start in range(0, above.size, BLOCK):
        block = above[start : start + BLOCK]
        tail[block] = _tail(values[block], groups, df)
    return tail


@lru_cache(maxsize=256)
def studentized_range_isf(p: float, groups: int, df: float) -> float:
    """The q with P(Q > q) = p, the critical value at level 1 - p."""
    from scipy.optimize import brentq  # slow to load, and comparisons need this module for other things

    checks.share("p", p)

    def excess(q: float) -> float:
        tail = float(studentized_range_sf([q], groups, df)[0])
        return math.log(tail) - math.log(p) if tail > 0 else -math.inf

    high = 1.0
    while excess(high) > 0:
        high *= 2
    while excess(high) == -math.inf:
        high *= 0.75
    return float(brentq(excess, 0.0, high, xtol=1e-13, rtol=1e-14)) if excess(high) < 0 else high


def range_log_sf(w: FloatArray, groups: int) -> FloatArray:
    """log P(range > w) for the range of so many standard normal values.

    P(range > w) = k int phi(z) { Phi(z)^(k-1) - [Phi(z) - Phi(z-w)]^(k-1) } dz: the largest value is z, and
    not all the others are within w below it. The integrand is positive and lies about w/2.
    """
    x, weights = np.polynomial.legendre.leggauss(NODES)
    z = w[:, None] / 2 + REACH * x
    others = groups - 1
    with np.errstate(divide="ignore"):  # log 0 where the others are surely all within w, or surely not
        within = np.log1p(-np.minimum(ndtr(z - w[:, None]) / ndtr(z), 1.0))
        log = others * log_ndtr(z) - z * z / 2 + np.log(-np.expm1(others * within))
    peak = log.max(axis=1)
    total = np.exp(log - peak[:, None]) @ (REACH * weights)
    return np.asarray(np.minimum(0.0, peak + np.log(groups * total / math.sqrt(2 * math.pi))))


@lru_cache(maxsize=16)
def _range_spline(groups: int) -> CubicSpline:
    from scipy.interpolate import CubicSpline

    return CubicSpline(KNOTS, range_log_sf(KNOTS, groups))


def _log_range_tail(w: FloatArray, groups: int) -> FloatArray:
    spline = _range_spline(groups)
    log_tail = np.minimum(0.0, spline(np.minimum(w, WIDEST)))
    beyond = np.maximum(w - WIDEST, 0.0)
    return np.asarray(log_tail + beyond * (spline(WIDEST, 1) - beyond / 4))


def _range_slope(w: FloatArray, groups: int) -> FloatArray:
    spline = _range_spline(groups)
    return np.asarray(spline(np.minimum(w, WIDEST), 1) - np.maximum(w - WIDEST, 0.0) / 2)


def _tail(q: FloatArray, groups: int, df: float) -> FloatArray:
    """The outer integral, for positive q."""
    if math.isinf(df):
        return np.asarray(np.exp(_log_range_tail(q, groups)))
    scale = math.log(2) + df / 2 * math.log(df / 2) - float(gammaln(df / 2))

    def log_integrand(t: FloatArray) -> FloatArray:
        s = np.exp(t)
        quantiles = q.reshape(-1, *[1] * (t.ndim - 1))
        return np.asarray(scale + df * t - df / 2 * s * s + _log_range_tail(quantiles * s, groups))

    top = _peak(q, groups, df)
    least = log_integrand(top) - DEPTH
    start, stop = (_end(log_integrand, top, least, side / math.sqrt(2 * df)) for side in (-1, 1))
    # The integrand is analytic for |Im t| < pi/4, and steps of 0.1 leave exp(-2 pi (pi/4) / 0.1) of it.
    steps = max(96, math.ceil(float((stop - start).max()) / 0.1))
    t = start[:, None] + (stop - start)[:, None] * np.linspace(0, 1, steps + 1)
    return np.asarray(np.minimum(1.0, np.exp(log_integrand(t)).sum(axis=1) * (stop - start) / steps))


def _peak(q: FloatArray, groups: int, df: float) -> FloatArray:
    """Where the log-concave integrand is largest: its slope falls from df to below 0 at t = 0."""
    low, high = -np.log1p(q) - 10.0, np.zeros_like(q)
    for _ in range(40):
        middle = (low + high) / 2
        s = np.exp(middle)
        rising = df - df * s * s + q * s * _range_slope(q * s, groups) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return low


def _end(
    log: Callable[[FloatArray], FloatArray], top: FloatArray, least: FloatArray, step: float
) -> FloatArray:
    """Where the integrand has fallen to `least`, on the side of the peak that `step` points to."""
    reach = np.full_like(top, step)
    while (inside := log(top + reach) > least).any():
        reach = np.where(inside, 2 * reach, reach)
    low, high = np.zeros_like(top), reach
    for _ in range(20):
        middle = (low + high) / 2
        inside = log(top + middle) > least
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return top + high
