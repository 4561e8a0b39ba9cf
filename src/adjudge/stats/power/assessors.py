"""Power where judges are a sample too: a difference must stand out from topics and from judges.

What a judge sees on a topic is difference + topic + own liking of the judge + residual. The mean over both varies by

    variance = topics / T + own / J + residual / (T m)

where J judge in all and m of them a topic. More topics shrink the first and the last term, never the second. The test
is that of a mixed model: t by the mean squares' estimate of this variance, with Satterthwaite's degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.power.rates import MOST_TOPICS, t_power, t_topics

DRAWS = 5_000
"""Of the mean squares."""
MOST_JUDGES = 100_000
SMOOTH = 100
"""Degrees of freedom from which quantiles are approximated."""
TRIED = 20
"""Numbers of topics, evenly on a logarithmic scale, on which it is tried whether a power can be had."""


@dataclass(frozen=True)
class Crossed:
    """Judges and topics crossed, both a sample. Mean squares of normal scores are drawn once, for all numbers."""

    topics: float
    """The variance of topics."""
    own: float
    """The variance of the judges' own likings."""
    residual: float
    changes: float = 0.0
    """Which part of the own likings varies over topics because topics have other judges: 0 where all judge all."""
    per_topic: float = 1.0
    """Which share of the judges sees a topic."""
    have: int = 0
    """Topics that there are."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("topics", "own", "residual"):
            if not (value := getattr(self, name)) >= 0 or math.isinf(value):
                raise UsageError(f"{name}: expected a variance, got {value!r}")

    @cached_property
    def _drawn(self) -> FloatArray:
        """Normal numbers for three mean squares."""
        return np.random.default_rng(self.seed).standard_normal((3, DRAWS))

    @cached_property
    def _known(self) -> dict[tuple[float, ...], FloatArray]:
        """Quantiles and limits that were computed before."""
        return {}

    def _mean_square(self, k: int, freedom: float) -> FloatArray:
        """Of so many degrees of freedom, with mean 1: the chi-squared quantiles of what was drawn."""
        if freedom > SMOOTH:  # Wilson and Hilferty 1931: quicker, and right to three digits
            step = 2 / (9 * freedom)
            smooth: FloatArray = (1 - step + math.sqrt(step) * self._drawn[k]) ** 3
            return smooth
        if (k, freedom) not in self._known:
            self._known[k, freedom] = chdtri(freedom, ndtr(-self._drawn[k])) / freedom
        return self._known[k, freedom]

    def _limits(self, n: float, judges: float, alpha: float) -> FloatArray:
        """How large a mean must be to be significant, given the mean squares of each draw."""
        key = (n, judges, alpha)
        if key not in self._known:
            freedom = (n - 1, judges - 1, (n - 1) * (judges - 1))
            by_topic, by_judge, rest = (
                part * self._mean_square(k, df)
                for k, (part, df) in enumerate(zip(self.parts(n, judges), freedom, strict=True))
            )
            # A variance that is estimated below 0 is 0.
            by_topic, by_judge = np.maximum(by_topic, rest), np.maximum(by_judge, rest)
            variance = by_topic + by_judge - rest
            satterthwaite = variance**2 / (
                by_topic**2 / freedom[0] + by_judge**2 / freedom[1] + rest**2 / freedom[2]
            )
            self._known[key] = stdtrit(satterthwaite, 1 - alpha / 2) * np.sqrt(variance)
        return self._known[key]

    def parts(self, n: float, judges: float) -> tuple[float, float, float]:
        """The expected mean squares of topics, judges and residuals, each over the number of judgments."""
        m = max(judges * self.per_topic, 1.0)
        residual = self.residual / (n * m)
        moved = self.changes * self.own / (n * m)
        return self.topics / n + residual + moved, max(self.own / judges - moved, 0.0) + residual, residual

    def power(self, n: float, judges: float, difference: float, alpha: float) -> float:
        """How often the difference is found on n topics by so many judges; NaN where these are too few to tell."""
        if judges <= 1 or n <= 1:
            return math.nan
        if math.isinf(n):  # the judges' own likings are all that is left, and they are seen without error
            return t_power_of(judges, difference, math.sqrt(self.own), alpha)
        if math.isinf(judges):
            return t_power_of(n, difference, math.sqrt(self.topics), alpha)
        parts = self.parts(n, judges)
        sd = math.sqrt(parts[0] + parts[1] - parts[2])
        if not sd > 0:
            return float(difference != 0)
        limits = self._limits(n, judges, alpha)
        return float(np.mean(ndtr((difference - limits) / sd) + ndtr((-difference - limits) / sd)))

    def best(self, judges: float, difference: float, alpha: float) -> float:
        """The largest power that any number of topics gives; NaN where judges are too few to tell.

        It need not be that of the most topics: with few judges Satterthwaite's degrees of freedom are now and then
        too many, which goes away as the judges' own likings become all that is left.
        """
        return max(self.power(n, judges, difference, alpha) for n in self._tried)

    def topics_for(self, judges: float, difference: float, power: float, alpha: float) -> float:
        """The fewest topics that give the power; infinite where none do, whatever their number."""
        if judges <= 1:
            return math.inf

        def enough(n: int) -> bool:
            return self.power(n, judges, difference, alpha) >= power

        low = 1
        for high in self._tried:
            if enough(high):
                return _first(enough, low, high)
            low = high
        return math.inf

    @cached_property
    def _tried(self) -> list[int]:
        """Numbers of topics, evenly on a logarithmic scale, and those that there are."""
        spaced = {round(n) for n in np.geomspace(2, MOST_TOPICS, TRIED)}
        return sorted(spaced | ({self.have} if self.have >= 2 else set()))

    def judges_for(self, n: float, difference: float, power: float, alpha: float) -> float:
        """The fewest judges with whom so many topics give the power; infinite where none do."""
        low, high = 1, 2
        while not self.power(n, high, difference, alpha) >= power:
            low, high = high, 2 * high
            if low > MOST_JUDGES:
                return math.inf
        return _first(lambda judges: self.power(n, judges, difference, alpha) >= power, low, high)

    def fewest(self, difference: float, power: float, alpha: float) -> float:
        """The fewest judges with whom some number of topics gives the power."""
        judges = max(t_topics(difference, math.sqrt(self.own), power=power, alpha=alpha), 2)
        if judges > MOST_JUDGES:
            return math.inf
        while math.isinf(self.topics_for(judges, difference, power, alpha)) and judges <= MOST_JUDGES:
            judges += 1
        while judges > 2 and math.isfinite(self.topics_for(judges - 1, difference, power, alpha)):
            judges -= 1
        return judges

    def difference(self, n: float, judges: float, power: float, alpha: float) -> float:
        """The smallest difference that is found with the power; NaN where judges are too few to tell."""
        if judges <= 1 or n <= 1:
            return math.nan
        if not alpha < power:
            return 0.0
        low, high = 0.0, math.sqrt(sum(self.parts(n, judges)[:2]))
        if not high > 0:
            return 0.0
        while self.power(n, judges, high, alpha) < power:
            low, high = high, 2 * high
        while high - low > 1e-5 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.power(n, judges, middle, alpha) < power else (low, middle)
        return high

    def smallest(self, judges: float, power: float, alpha: float) -> float:
        """The smallest difference that any number of topics finds with the power."""
        if judges <= 1:
            return math.nan
        found = math.inf
        for n in (self.have, *reversed(self._tried)):
            # Only what finds less than is known already is searched.
            if math.isinf(found) or self.power(n, judges, found * (1 - 1e-4), alpha) >= power:
                found = self.difference(n, judges, power, alpha) if n >= 2 else found
        return found


def t_power_of(n: float, difference: float, sd: float, alpha: float) -> float:
    """The paired t-test's power where the number need not be whole, and differences may not vary."""
    if not sd > 0:
        return float(difference != 0)
    below = max(int(n), 2)
    lower = t_power(below, difference, sd, alpha=alpha)
    if n <= below:
        return lower
    return lower + (n - below) * (t_power(below + 1, difference, sd, alpha=alpha) - lower)


def _first(enough: Callable[[int], bool], low: int, high: int) -> int:
    """Between one that is not enough and one that is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
