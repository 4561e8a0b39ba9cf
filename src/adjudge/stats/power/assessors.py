"""Planning where judges are a sample as topics are: a difference must stand out from topics and from judges.

What a judge sees on a topic is difference + topic + own liking of the judge + residual. The mean over both varies by

    variance = topics / T + own / J + residual / (T m)

where J judge in all and m of them a topic. More topics shrink the first and the last term, never the second. With
groups, each of as many judges with topics of their own, it is the same, m being the judges of a group.

The test is that of linear/judged_pairs.py: t by the mean squares' estimate of this variance, in which the part of the
judges is never below 0. Mean squares of a pair are moderated by those of all systems; how much these lend is drawn too,
for systems that vary alike. Where every topic has one judge, the judges' means take the place of their mean square.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.special import chdtri, ndtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.judging import FEWEST_DF, judge_freedom
from adjudge.stats.linear.judged_pairs import less_lent, prior_df, unequal_spread
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power.rates import MOST_TOPICS, t_power, t_topics

DRAWS = 5_000
"""Of the mean squares."""
MOST_JUDGES = 100_000
BEYOND = 10**12
"""So many topics are as good as any number."""
SMOOTH = 100
"""Degrees of freedom from which quantiles are approximated."""
FEW_DF = 2
"""Degrees of freedom below which quantiles of t are no smooth function of them."""
LENT_DRAWS = 200
"""Made-up sets of systems, to see how much their mean squares lend."""
MOST_MADE = 12
"""Systems of each at the most."""
TRIED = 20
"""Numbers of topics, evenly on a logarithmic scale, on which it is tried whether a power can be had."""


@dataclass(frozen=True)
class Crossed:
    """Judges and topics crossed, both a sample. Mean squares of normal scores are drawn once, for all numbers."""

    topics: float
    """The variance of topics."""
    likings: float
    """The variance of the judges' own likings."""
    residual: float
    changes: float = 0.0
    """Which part of the own likings varies over topics because topics have other judges: 0 where all judge all."""
    per_topic: float = 1.0
    """Which share of the judges sees a topic."""
    have: int = 0
    """Topics that there are."""
    seed: int = 0
    systems: int = 2
    """That are compared, so that their mean squares are pooled."""
    alone: bool = False
    """Whether every topic has one judge, however many judges there are: each is a group."""

    def __post_init__(self) -> None:
        for name in ("topics", "likings", "residual"):
            if not (value := getattr(self, name)) >= 0 or math.isinf(value):
                raise UsageError(f"{name}: expected a variance, got {value!r}")

    @cached_property
    def _known(self) -> dict[tuple[float, ...], FloatArray]:
        """Limits that were computed before."""
        return {}

    def _mean_square(self, k: int, freedom: float) -> FloatArray:
        """Of so many degrees of freedom, with mean 1: the chi-squared quantiles of what was drawn."""
        if freedom > SMOOTH:  # Wilson and Hilferty 1931: quicker, and right to three digits
            step = 2 / (9 * freedom)
            root: FloatArray = 1 - step + math.sqrt(step) * _drawn(self.seed)[k]
            return root * root * root  # a tenth of the time that ** takes
        return _chi_squared(self.seed, k, freedom)

    def _groups(self, judges: float, groups: float) -> float:
        return judges if self.alone else groups

    def _estimated(self, n: float, judges: float, groups: float) -> tuple[FloatArray, FloatArray]:
        """The estimates of the mean's variance in the draws, and their degrees of freedom."""
        parts = self.parts(n, judges, groups)
        between = parts[0] + parts[1] - parts[2]
        if judges > groups:
            expected, free = parts, (n - groups, judges - groups, (n / groups - 1) * (judges - groups))
        elif n > groups:  # one judge a topic: what is between judges holds what is between their topics
            expected, free = (parts[0], between, parts[0]), (n - groups, groups - 1.0, n - groups)
        else:
            variance, df, _ = self._moderated(0, between, groups - 1.0)
            return variance, df
        topics, topics_df, over_all = self._moderated(0, expected[0], free[0])
        others, others_df, _ = self._moderated(1, expected[1], free[1], cautious=True)
        rest, rest_df = over_all, (self.systems - 1) * free[2]
        if judges > groups:
            rest = expected[2] * self._mean_square(2, rest_df)
        variance = topics + np.maximum(0.0, others - rest)
        df = variance**2 / (topics**2 / topics_df + others**2 / others_df + rest**2 / rest_df)
        return variance, np.minimum(df, topics_df)

    def _moderated(
        self, k: int, expected: float, free: float, *, cautious: bool = False
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """A pair's mean square moderated by those of all systems, its degrees of freedom, and the pooled one."""
        alone, others = expected * self._mean_square(k, free), self.systems - 2
        if not others:
            return alone, np.full(DRAWS, free), alone
        pooled = (alone + others * expected * self._mean_square(4 + k, others * free)) / (others + 1)
        lent = _lent(self.seed, self.systems, round(free), cautious)
        df = np.minimum(free + lent, (others + 1) * free)
        return (lent * pooled + free * alone) / (lent + free), df, pooled

    def parts(self, n: float, judges: float, groups: float = 1) -> tuple[float, float, float]:
        """The expected mean squares of topics, judges and residuals, each over the number of judgments."""
        groups = self._groups(judges, groups)
        m = max(judges / groups * self.per_topic, 1.0)
        residual = self.residual / (n * m)
        moved = self.changes * self.likings / (n * m)
        return (
            self.topics / n + residual + moved,
            max(self.likings / judges - moved, 0.0) + residual,
            residual,
        )

    def error(self, n: float, judges: float, groups: int = 1) -> float:
        """The standard error of the mean difference, as it is."""
        parts = self.parts(n, judges, groups)
        return math.sqrt(parts[0] + parts[1] - parts[2])

    def freedom(self, n: float, judges: float, groups: int = 1) -> float:
        """Degrees of freedom of the test, in the median of the draws; NaN where judges are too few for one."""
        if not self.enough(n, judges, groups):
            return math.nan
        return float(np.median(self._estimated(n, judges, self._groups(judges, groups))[1]))

    def enough(self, n: float, judges: float, groups: int = 1) -> bool:
        """Whether there are enough judges and topics for a test that holds for others like these judges."""
        group_count = self._groups(judges, groups)
        topics = n >= group_count if judges <= group_count else n > group_count
        return topics and judge_freedom(judges, group_count, self.systems) >= FEWEST_DF

    def power(self, n: float, judges: float, difference: float, alpha: float, groups: int = 1) -> float:
        """How often the difference is found on n topics by so many judges; NaN where these are too few to tell."""
        if not self.enough(n, judges, groups):
            return math.nan
        if math.isinf(judges):
            return t_power_of(n, difference, math.sqrt(self.topics), alpha)
        if math.isinf(n):  # the judges' own likings are all that is left, and they are seen without error
            if self.systems == 2:
                return t_power_of(judges, difference, math.sqrt(self.likings), alpha)
            n = float(BEYOND)
        sd = self.error(n, judges, groups)
        if not sd > 0:
            return float(difference != 0)
        group_count = self._groups(judges, groups)
        key = (n, judges, alpha, group_count)
        if key not in self._known:
            variance, df = self._estimated(n, judges, group_count)
            self._known[key] = t_quantiles(df, alpha) * np.sqrt(variance)
        limits = self._known[key]
        return float(np.mean(ndtr((difference - limits) / sd) + ndtr((-difference - limits) / sd)))

    def best(self, judges: float, difference: float, alpha: float) -> float:
        """The largest power that any number of topics gives; NaN where judges are too few to tell.

        It need not be that of the most topics: with few judges Satterthwaite's degrees of freedom are now and then
        too many, which goes away as the judges' own likings become all that is left.
        """
        if not self.enough(math.inf, judges):
            return math.nan
        return max(self.power(n, judges, difference, alpha) for n in self._tried if self.enough(n, judges))

    def topics_for(self, judges: float, difference: float, power: float, alpha: float) -> float:
        """The fewest topics that give the power; infinite where none do, whatever their number."""

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

        def enough(judges: int) -> bool:
            return self.power(n, judges, difference, alpha) >= power

        low, high = 1, 2
        while not enough(high):
            low, high = high, 2 * high
            if low > MOST_JUDGES:
                return math.inf
        return _first(enough, low, high)

    def fewest(self, difference: float, power: float, alpha: float) -> float:
        """The fewest judges with whom some number of topics gives the power."""

        def enough(judges: float) -> bool:
            return math.isfinite(self.topics_for(judges, difference, power, alpha))

        judges = max(t_topics(difference, math.sqrt(self.likings), power=power, alpha=alpha), 2)
        if judges > MOST_JUDGES:
            return math.inf
        while not enough(judges) and judges <= MOST_JUDGES:
            judges += 1
        while judges > 2 and enough(judges - 1):
            judges -= 1
        return judges

    def difference(self, n: float, judges: float, power: float, alpha: float) -> float:
        """The smallest difference that is found with the power; NaN where judges are too few to tell."""
        if not self.enough(n, judges):
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
        if not self.enough(math.inf, judges):
            return math.nan
        smallest = math.inf
        for n in (self.have, *reversed(self._tried)):
            # Only what finds less than is known already is searched.
            if math.isinf(smallest) or self.power(n, judges, smallest * (1 - 1e-4), alpha) >= power:
                smallest = self.difference(n, judges, power, alpha) if n >= 2 else smallest
        return smallest


@lru_cache(maxsize=4)
def _drawn(seed: int) -> FloatArray:
    """Normal numbers for the mean squares of the pair (topics, judges, rest, groups), then of the other systems."""
    draws = np.random.default_rng(seed).standard_normal((8, DRAWS))
    draws.flags.writeable = False
    return draws


@lru_cache(maxsize=256)
def _chi_squared(seed: int, k: int, freedom: float) -> FloatArray:
    """The same for all variances, and slow: kept."""
    squared: FloatArray = chdtri(freedom, ndtr(-_drawn(seed)[k])) / freedom
    squared.flags.writeable = False
    return squared


@lru_cache(maxsize=256)
def _lent(seed: int, systems: int, free: int, cautious: bool) -> FloatArray:
    """How many degrees of freedom all pairs lend one, in every draw, where systems vary alike."""
    if free > SMOOTH:  # as good as known: all there are
        return np.full(DRAWS, (systems - 2.0) * free)
    few, most = max(1, free), min(systems, MOST_MADE)
    rng = np.random.default_rng([seed, systems, free])
    made = rng.standard_normal((LENT_DRAWS, most, few + 1))
    made -= made.mean(axis=1, keepdims=True)
    made -= made.mean(axis=2, keepdims=True)
    i, j = columns_of_pairs(most)
    lent = np.empty(LENT_DRAWS)
    for at, products in enumerate(made @ made.transpose(0, 2, 1)):
        spread = products.diagonal()
        shares = spread[i] + spread[j] - 2 * products[i, j]
        lent[at] = prior_df(shares / shares.mean(), np.full(i.size, float(few)))
        if cautious:
            lent[at] = less_lent(float(lent[at]), unequal_spread(spread, few), (systems - 1.0) * few)
    drawn: FloatArray = rng.choice(np.minimum(lent, (systems - 2.0) * few), DRAWS)
    drawn.flags.writeable = False
    return drawn


def t_quantiles(df: FloatArray, alpha: float) -> FloatArray:
    """Two-sided quantiles of t, to eleven digits: where it can be, by a polynomial, in a tenth of the time."""
    if not 1e-7 <= alpha <= 0.5:
        exact: FloatArray = stdtrit(df, 1 - alpha / 2)
        return exact
    quantiles: FloatArray = np.exp(_log_quantile(alpha)(1 / np.maximum(df, FEW_DF)))
    few = df < FEW_DF
    if few.any():
        quantiles[few] = stdtrit(df[few], 1 - alpha / 2)
    return quantiles


@lru_cache(maxsize=64)
def _log_quantile(alpha: float) -> Chebyshev:
    """The logarithm of the quantile by the inverse of the degrees of freedom, from FEW_DF of them on."""

    def exact(inverse: FloatArray) -> FloatArray:
        logarithms: FloatArray = np.log(stdtrit(1 / np.maximum(inverse, 1e-12), 1 - alpha / 2))
        return logarithms

    return Chebyshev.interpolate(exact, 24, domain=[0, 1 / FEW_DF])


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
