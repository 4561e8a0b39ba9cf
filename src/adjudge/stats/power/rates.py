"""Size and power: simulated rates with their Monte Carlo error, the paired t-test's power and its errors of sign and
size, the fewest topics of exact tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from scipy.special import bdtr, bdtrik, nctdtr, ndtr, ndtri, stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.multiple import SAME
from adjudge.stats.paired import Alternative
from adjudge.stats.shares import wilson_end

MOST_TOPICS = 10_000_000
"""Where more would be needed, there is no answer."""
LEVEL = 0.99
"""Of the intervals and bands of simulated rates."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something was found in simulations, with Wilson's interval (Wilson 1927)."""

    rejections: int
    of: int
    level: float = LEVEL

    @property
    def rate(self) -> float:
        return self.rejections / self.of if self.of else math.nan

    @property
    def low(self) -> float:
        return self._end(-1)

    @property
    def high(self) -> float:
        return self._end(1)

    def _end(self, side: int) -> float:
        if not self.of:
            return math.nan
        return wilson_end(self.rate, self.of, float(ndtri((1 + self.level) / 2)), side)


def band(size: float, simulations: int, level: float = LEVEL) -> tuple[float, float]:
    """Where a rate lies with at least this probability when the true one is `size`: binomial quantiles."""
    checks.share("size", size)
    checks.share("level", level)
    checks.count("simulations", simulations, least=1)
    low, high = (_binomial_quantile(q, simulations, size) for q in ((1 - level) / 2, (1 + level) / 2))
    return low / simulations, high / simulations


def _binomial_quantile(q: float, n: int, p: float) -> int:
    """The smallest k with P(at most k of n) >= q."""
    k = max(math.floor(float(bdtrik(q, n, p))) - 1, 0)
    while bdtr(k, n, p) < q:
        k += 1
    return k


BY_SIGNS = ("wilcoxon", "sign", "exact", "mc")
"""Tests whose p is a share of the 2^n ways to sign n differences; random swaps guess at it, and count no lower."""


def least_topics(test: str, alpha: float) -> int:
    """The fewest topics on which the test can give p <= alpha, ties aside: 2 * 2^-n is the smallest p of n signs."""
    checks.share("alpha", alpha)
    least = 2
    while test in BY_SIGNS and math.ldexp(2.0, -least) > alpha * (1 + SAME):
        least += 1
    return least


def t_power(
    n: int, difference: float, sd: float, *, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> float:
    """The power of the paired t-test on n topics whose differences are normal: by the noncentral t distribution.

    Two-sided it counts findings on the wrong side too, as R's power.t.test(..., strict = TRUE) does.
    """
    checks.count("n", n, least=2)
    checks.share("alpha", alpha)
    if not sd > 0:
        raise UsageError(f"sd: expected a number above 0, got {sd!r}")
    freedom, shift = n - 1.0, math.sqrt(n) * difference / sd
    if alternative == "less":
        shift, alternative = -shift, "greater"
    if alternative == "greater":
        return _beyond(float(stdtrit(freedom, 1 - alpha)), freedom, shift)
    cutoff = float(stdtrit(freedom, 1 - alpha / 2))
    return _beyond(cutoff, freedom, shift) + _beyond(cutoff, freedom, -shift)


def _beyond(cutoff: float, freedom: float, shift: float) -> float:
    """P(T >= cutoff) of the noncentral t distribution."""
    rest = float(nctdtr(freedom, shift, cutoff))
    # SciPy has NaN where the chance is 0 or 1 to the last digit.
    return 1 - rest if rest == rest else float(shift > cutoff)


def t_topics(difference: float, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The fewest topics on which the paired t-test has this power; infinite beyond MOST_TOPICS."""
    checks.share("power", power)
    if not abs(difference) > 0:
        return math.inf
    if sd == 0:
        return 2
    low, high = 1, 2
    while t_power(high, difference, sd, alpha=alpha) < power:
        low, high = high, 2 * high
        if low > MOST_TOPICS:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        if t_power(middle, difference, sd, alpha=alpha) < power:
            low = middle
        else:
            high = middle
    return high


def t_difference(n: int, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference that the paired t-test finds on n topics with this power."""
    checks.share("power", power)
    if not alpha < power:
        return 0.0  # that often it finds what is not there
    low, high = 0.0, 1.0
    while t_power(n, high, 1.0, alpha=alpha) < power:
        low, high = high, 2 * high
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        if t_power(n, middle, 1.0, alpha=alpha) < power:
            low = middle
        else:
            high = middle
    return sd * high


def t_reach(error: float, freedom: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference that a two-sided t-test with this standard error and freedom finds with this power."""
    checks.share("power", power)
    if not alpha < power:
        return 0.0
    cutoff = float(stdtrit(freedom, 1 - alpha / 2))

    def rate(shift: float) -> float:
        return _beyond(cutoff, freedom, shift) + _beyond(cutoff, freedom, -shift)

    low, high = 0.0, 1.0
    while rate(high) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if rate(middle) < power else (low, middle)
    return error * high


def normal(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def t_errors(n: int, difference: float, sd: float, *, alpha: float = 0.05) -> tuple[float, float]:
    """Of the paired t-test's findings on normal differences: the share with the wrong sign, and the exaggeration.

    Types S and M of Gelman and Carlin 2014: P(the mean has the other sign | p < alpha), and the mean of
    |mean difference| / |difference| where p < alpha. The first by the noncentral t distribution; the second integrates
    the normal mean beyond the cut-off over the distribution of the standard deviation, which is independent of it.
    """
    from scipy.integrate import quad

    if not abs(difference) > 0:
        return math.nan, math.nan
    power = t_power(n, difference, sd, alpha=alpha)
    freedom, shift = n - 1.0, math.sqrt(n) * abs(difference) / sd
    cutoff = float(stdtrit(freedom, 1 - alpha / 2))

    def beyond(width: float) -> float:
        """E(|Z|; |Z| > cutoff * width) of Z that is normal about the shift."""
        near, other = cutoff * width - shift, cutoff * width + shift
        densities = normal(near) + normal(other)
        return densities + shift * float(ndtr(-near)) - shift * float(ndtr(-other))

    constant = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)

    def chance(width: float) -> float:
        """The density of the standard deviation over its true value."""
        return math.exp(constant + (freedom - 1) * math.log(width) - freedom * width * width / 2)

    spread = 1 / math.sqrt(2 * freedom)
    parts = sorted({1e-300, *(max(1 + k * spread, 1e-9) for k in (-8, -3, 0, 3, 8)), 1 + 40 * spread})
    total = sum(
        float(quad(lambda w: beyond(w) * chance(w), low, high, epsabs=0, epsrel=1e-10)[0])
        for low, high in pairwise(parts)
    )
    return _beyond(cutoff, freedom, -shift) / power, total / (power * shift)
