"""Confidence limits of effects from what is known of each pair: n, mean, spread, wins. No differences here."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, ndtri, stdtrit

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.effect_noncentral import noncentrality
from adjudge.stats.paired import untied_chances

EXACT_UP_TO = 300
"""Topics up to which the rank of a Hodges-Lehmann limit comes from the exact distribution."""

Limits = tuple[FloatArray, FloatArray]


def t_limits(mean: FloatArray, sd: FloatArray, n: IntArray, level: float) -> Limits:
    """Student's interval of a mean: mean -+ t(n - 1) sd / sqrt(n)."""
    half = stdtrit(n - 1.0, (1 + level) / 2) * sd / np.sqrt(n)
    return mean - half, mean + half


def hedges_factor(n: IntArray) -> FloatArray:
    """What makes mean / sd unbiased for normal differences: Gamma(f/2) / (sqrt(f/2) Gamma((f-1)/2)), f = n - 1.

    Hedges 1981. NaN below three topics, where there is no unbiased estimate.
    """
    f = np.where(n > 2, n - 1.0, np.nan)
    factor: FloatArray = np.exp(gammaln(f / 2) - gammaln((f - 1) / 2)) / np.sqrt(f / 2)
    return factor


def standardised_limits(ratio: FloatArray, n: IntArray, level: float) -> Limits:
    """The interval of a standardised mean from mean / sd, for normal differences. Steiger and Fouladi 1997.

    sqrt(n) mean / sd has a noncentral t distribution whose noncentrality is sqrt(n) times the true value. The limits
    are the values under which what was observed is just as far out as (1 - level) / 2.
    """
    t, tail = np.sqrt(n) * ratio, (1 - level) / 2
    f = (n - 1).astype(np.float64)
    # The distribution turned round belongs to the noncentrality turned round.
    inner, outer = noncentrality(np.abs(t), f, 1 - tail), noncentrality(np.abs(t), f, tail)
    low, high = np.where(t < 0, -outer, inner), np.where(t < 0, -inner, outer)
    return low / np.sqrt(n), high / np.sqrt(n)


def superiority_limits(wins: IntArray, losses: IntArray, n: IntArray, level: float) -> Limits:
    """The interval of P(first higher) + P(tie) / 2: the score interval of Tango 1998 for paired proportions.

    Wins and losses are the two ways in which paired answers disagree, and (1 + wins share - losses share) / 2 is
    the probability. Without ties this is Wilson's interval.
    """
    low = _tango_low(wins, losses, n, level)
    high = -_tango_low(losses, wins, n, level)
    return (1 + low) / 2, (1 + high) / 2


def walsh_ranks(n: IntArray, level: float) -> IntArray:
    """Which Walsh average, from below and from above, limits the Hodges-Lehmann interval; 0 where none can.

    It is the number of values at which the signed-rank sum has at most (1 - level) / 2 below or at it (Hollander and
    Wolfe 1999, chapter 3): exact up to EXACT_UP_TO topics, normal with a correction for continuity beyond.
    """
    ranks = np.zeros(n.size, dtype=np.int64)
    for size in np.unique(n).tolist():
        ranks[n == size] = _walsh_rank(size, level)
    return ranks


def _walsh_rank(n: int, level: float) -> int:
    tail = (1 - level) / 2
    # Levels such as .95 are not floating-point numbers; a chance that is the tail but for that is not above it.
    tail *= 1 + 1e-12
    if n > EXACT_UP_TO:
        mean, variance = n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24
        return int(mean + 0.5 + ndtri(tail) * np.sqrt(variance))
    return int(np.count_nonzero(untied_chances(n) <= tail))


def _tango_low(wins: IntArray, losses: IntArray, n: IntArray, level: float) -> FloatArray:
    """The lower limit of the difference of the shares of wins and losses, by halving."""
    z = ndtri((1 + level) / 2)
    observed = (wins - losses) / np.maximum(n, 1)
    low, high = np.full(n.size, -1.0), observed.astype(np.float64)
    for _ in range(60):
        middle = (low + high) / 2
        beyond = _tango_score(wins, losses, n, middle) > z
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return np.where(n > 0, low, np.nan)


def _tango_score(wins: IntArray, losses: IntArray, n: IntArray, difference: FloatArray) -> FloatArray:
    """How many standard errors wins - losses is above n times a difference, under the likeliest share of losses."""
    a = 2.0 * n
    b = (2 * n - wins + losses) * difference - wins - losses
    c = -losses * difference * (1 - difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (np.sqrt(np.maximum(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
        variance = n * np.maximum(2 * share + difference * (1 - difference), 0.0)
        excess: FloatArray = wins - losses - n * difference
        return np.where(excess > 0, excess / np.sqrt(variance), 0.0)
