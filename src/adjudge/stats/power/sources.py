"""Where simulated pairs come from when a user has scores: resampled topics, ratings with their ties, normal noise.

Differences can have any mean and spread. Also what a matrix says of variances: of topics, systems and noise, and how
much is disagreement of judges.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.model import fit_additive
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import columns_of_pairs

MATCHED = 0.5
"""The share of judgments by persons who saw both systems from which two systems are compared person by person."""
MOST_PAIRS = 400
"""Pairs that are drawn from."""


class Pairs(Protocol):
    """Simulated pairs to which a difference can be given."""

    def scores(self, difference: float) -> tuple[FloatArray, FloatArray]:
        """The two systems' scores, simulations x topics, where the first is higher by so much on average."""
        ...


@dataclass(frozen=True)
class Drawn:
    """Simulated pairs without a difference, simulations x topics."""

    level: FloatArray
    apart: FloatArray
    """How the two differ."""
    tied: BoolArray | None = None
    """Where they are equal, whatever the difference elsewhere."""
    share: float = 0.0
    """Of topics that tie, in the long run."""

    def scores(self, difference: float) -> tuple[FloatArray, FloatArray]:
        """The two systems' scores, where the first is higher by so much on average."""
        if self.tied is None:
            half = (self.apart + difference) / 2
        else:
            half = np.where(self.tied, 0.0, (self.apart + difference / (1 - self.share)) / 2)
        return self.level + half, self.level - half


class Source(Protocol):
    """Anything that draws pairs whose differences have the standard deviation `spread` where none is planted."""

    @property
    def spread(self) -> float: ...

    @property
    def topic_sd(self) -> float:
        """How far topics differ for all systems alike."""
        ...

    @property
    def largest(self) -> float:
        """The largest difference that can be planted."""
        ...

    def draw(self, topics: int, simulations: int, rng: np.random.Generator) -> Pairs: ...


@dataclass(frozen=True)
class Spreads:
    """Of every pair of columns: the topics that both have, and the standard deviation of the differences there."""

    first: IntArray
    second: IntArray
    n: IntArray
    sd: FloatArray
    """NaN where there are fewer than two topics; 0 where all differences are the same but for noise."""

    @property
    def usable(self) -> BoolArray:
        varies: BoolArray = self.sd > 0
        return varies

    def some(self) -> IntArray:
        """Pairs whose differences vary; of very many, some that lie evenly."""
        pairs = np.flatnonzero(self.usable)
        if pairs.size > MOST_PAIRS:
            pairs = pairs[np.linspace(0, pairs.size - 1, MOST_PAIRS).astype(np.int64)]
        return pairs

    def quantile(self, q: float) -> float:
        """Of the standard deviations; NaN where there is none."""
        deviations = self.sd[~np.isnan(self.sd)]
        return float(np.quantile(deviations, q)) if deviations.size else math.nan


def spreads(values: npt.ArrayLike, family: BoolArray | None = None) -> Spreads:
    """How far the differences of every two columns spread; `family` says which pairs are meant."""
    matrix = checks.numbers("values", values, dimensions=2)
    first, second = columns_of_pairs(matrix.shape[1])
    n, sd = np.zeros(first.size, dtype=np.int64), np.full(first.size, np.nan)
    start = 0
    for i in range(matrix.shape[1] - 1):
        stop = start + matrix.shape[1] - i - 1
        n[start:stop], sd[start:stop] = _spread(matrix[:, i : i + 1], matrix[:, i + 1 :])
        start = stop
    if family is not None:
        if family.shape != sd.shape:
            raise UsageError(f"family: expected {sd.size} pairs, got {family.size}")
        n[~family], sd[~family] = 0, np.nan
    return Spreads(first=first, second=second, n=n, sd=sd)


def _spread(x: FloatArray, y: FloatArray) -> tuple[IntArray, FloatArray]:
    z = x - y
    here = ~np.isnan(z)
    n = np.count_nonzero(here, axis=0)
    mean = np.where(here, z, 0.0).sum(axis=0) / np.maximum(n, 1)
    squares = np.square(np.where(here, z - mean, 0.0)).sum(axis=0)
    largest = np.where(here, np.maximum(np.abs(x), np.abs(y)), 0.0).max(axis=0, initial=0.0)
    squares[squares <= n * (NOISE * largest) ** 2] = 0.0
    return n, np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)


@dataclass(frozen=True)
class Resampled:
    """Topics of real pairs, drawn with replacement: they give the shape of the differences, not their width.

    Each is swapped with probability 1/2, as under the null hypothesis of Rankel et al. 2011, section 2 (HB). A
    little noise is added, so that a topic drawn twice does not tie with itself (the smoothed bootstrap; Silverman and
    Young 1987); the variance stays what it is. A topic on which the two scores are equal stays a tie: two systems
    that gave the same summary did so, and the difference lies in the other topics.
    """

    level: FloatArray
    """What two systems have in common on a topic, for every pair and topic."""
    apart: FloatArray
    """How they differ there, with mean 0 and variance 1 for every pair; of ties, 0."""
    tied: BoolArray
    spread: float

    largest = math.inf

    @property
    def share(self) -> float:
        """Of ties."""
        return float(self.tied.mean())

    @property
    def topic_sd(self) -> float:
        return math.sqrt(max(float(self.level.var()) - self.spread**2 / 4, 0.0))

    def draw(self, topics: int, simulations: int, rng: np.random.Generator) -> Drawn:
        shape = (simulations, topics)
        drawn = rng.integers(0, self.apart.size, size=shape)
        swapped = rng.integers(0, 2, size=shape) * 2 - 1
        width = 0.9 * self.apart.size**-0.2  # Silverman's rule of thumb
        apart = (self.apart[drawn] * swapped + width * rng.standard_normal(shape)) / math.hypot(1, width)
        if not self.share:
            return Drawn(self.level[drawn], self.spread * apart)
        # Ties have no width, so the others have more.
        apart *= self.spread / math.sqrt(1 - self.share)
        return Drawn(self.level[drawn], apart, self.tied[drawn], self.share)


def resampled(values: npt.ArrayLike, pairs: Spreads, spread: float) -> Resampled:
    """The pairs of a matrix, made ready to be drawn from."""
    matrix = checks.numbers("values", values, dimensions=2)
    if not pairs.usable.any():
        raise UsageError("no pair of columns has differences that vary")
    levels, aparts, ties = [], [], []
    for pair in pairs.some():
        x, y = matrix[:, pairs.first[pair]], matrix[:, pairs.second[pair]]
        both = ~np.isnan(x - y)
        level, z = (x[both] + y[both]) / 2, x[both] - y[both]
        tied = np.abs(z) <= NOISE * np.maximum(np.abs(x[both]), np.abs(y[both]))
        apart = np.zeros(z.size)
        rest = z[~tied] - z[~tied].mean()
        width = rest.std()
        if not width > 0:  # a tie or one and the same difference: as wide as the two are apart
            tied, rest, width = np.zeros(z.size, dtype=np.bool_), z - z.mean(), z.std()
        apart[~tied] = rest / width
        levels.append(level - level.mean())
        aparts.append(apart)
        ties.append(tied)
    return Resampled(np.concatenate(levels), np.concatenate(aparts), np.concatenate(ties), spread)


# Scores on a scale of few levels tie, and have a floor and a ceiling. A difference cannot shift them: it shifts normal
# latent values, which are cut into levels.

MOST_LEVELS = 60
POINTS = 80
"""Of the quadrature."""


@dataclass(frozen=True)
class Rated:
    """Levels cut out of latent values of two systems that are jointly normal: an ordinal probit model.

    The cuts give the levels the shares that all scores have; the latent correlation of two systems gives their
    differences the spread. A difference moves one system's latent values up and the other's down, as far as makes
    the mean scores differ by so much; ties, floor and ceiling follow.
    """

    levels: FloatArray
    """Ascending."""
    cuts: FloatArray
    """Latent values between them."""
    spread: float

    @property
    def topic_sd(self) -> float:
        return math.sqrt(max(self._covariance(self._correlation), 0.0))

    @property
    def largest(self) -> float:
        return 0.98 * float(self.levels[-1] - self.levels[0])

    def draw(self, topics: int, simulations: int, rng: np.random.Generator) -> RatedPairs:
        shape, r = (simulations, topics), self._correlation
        # Half the digits are enough for levels, and twice as quick.
        topic, first, second = (rng.standard_normal(shape, dtype=np.float32) for _ in range(3))
        common, rest = math.sqrt(abs(r)) * topic, math.sqrt(1 - abs(r))
        return RatedPairs(self, common + rest * first, math.copysign(1, r) * common + rest * second)

    def shift(self, difference: float) -> float:
        """How far the latent values of either system move, for means that differ by so much."""
        if not 0 <= difference <= self.largest:
            raise UsageError(
                f"no difference of {difference:g} on a scale from {self.levels[0]:g} to {self.levels[-1]:g}"
            )
        low, high = 0.0, 1.0
        while self._gap(high) < difference:
            low, high = high, 2 * high
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self._gap(middle) < difference else (low, middle)
        return high

    def _gap(self, shift: float) -> float:
        """How far apart the means are."""
        return float(np.diff(self.levels) @ (ndtr(shift - self.cuts) - ndtr(-shift - self.cuts)))

    @cached_property
    def _correlation(self) -> float:
        """The latent one with which differences have the spread, as near as can be; it falls as the spread rises."""
        shares = np.diff(ndtr(self.cuts), prepend=0.0, append=1.0)
        variance = float(shares @ self.levels**2 - (shares @ self.levels) ** 2)
        wanted = variance - self.spread**2 / 2
        low, high = -1.0, 1.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (middle, high) if self._covariance(middle) < wanted else (low, middle)
        return min(max(low, -0.999), 0.999)

    def _covariance(self, r: float) -> float:
        """Of two systems' scores: that of their means given the topic."""
        points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
        weights = weights / weights.sum()
        rest = math.sqrt(max(1 - abs(r), 1e-9))

        def means(sign: float) -> FloatArray:
            latent = sign * math.sqrt(abs(r)) * points[:, None]
            expected: FloatArray = ndtr((latent - self.cuts) / rest) @ np.diff(self.levels)
            return expected

        first, second = means(1.0), means(math.copysign(1.0, r))
        return float(weights @ (first * second) - (weights @ first) * (weights @ second))


@dataclass(frozen=True)
class RatedPairs:
    """Latent values without a difference, simulations x topics."""

    source: Rated
    first: FloatArray
    second: FloatArray

    def scores(self, difference: float) -> tuple[FloatArray, FloatArray]:
        """The two systems' scores, where the first is higher by so much on average."""
        shift = self.source.shift(difference)
        return self._cut(self.first, -shift), self._cut(self.second, shift)

    def _cut(self, latent: FloatArray, shift: float) -> FloatArray:
        levels, cuts = self.source.levels, self.source.cuts + shift
        if cuts.size > 8:
            return levels[np.searchsorted(cuts, latent)]
        place = np.zeros(latent.shape, dtype=np.int8)  # of few cuts, each in turn is quicker
        for cut in cuts:
            place += latent > cut
        return levels[place]


def rated(values: npt.ArrayLike, spread: float) -> Rated | None:
    """The few levels that scores have, with their shares; None where most scores have a level of their own."""
    matrix = checks.numbers("values", values, dimensions=2)
    scores = matrix[~np.isnan(matrix)]
    levels, counts = np.unique(scores, return_counts=True)
    apart = np.diff(levels, prepend=-np.inf) > NOISE * np.abs(levels)  # noise makes no level
    levels, counts = levels[apart], np.add.reduceat(counts, np.flatnonzero(apart)) if counts.size else counts
    if not 2 <= levels.size <= MOST_LEVELS or levels.size > scores.size / 2:
        return None
    return Rated(levels, ndtri(np.cumsum(counts)[:-1] / scores.size), spread)


def tie_share(values: npt.ArrayLike, pairs: Spreads) -> float:
    """Which share of the differences between two columns are zero, over the pairs that vary."""
    matrix = checks.numbers("values", values, dimensions=2)
    ties = total = 0
    for pair in pairs.some():
        x, y = matrix[:, pairs.first[pair]], matrix[:, pairs.second[pair]]
        both = ~np.isnan(x - y)
        ties += int(np.count_nonzero(np.abs(x - y)[both] <= NOISE * np.maximum(np.abs(x), np.abs(y))[both]))
        total += int(np.count_nonzero(both))
    return ties / total if total else math.nan


@dataclass(frozen=True)
class Normal:
    """Normal topics and normal noise, independent for the two systems."""

    spread: float
    topic_sd: float = 0.0

    largest = math.inf

    def draw(self, topics: int, simulations: int, rng: np.random.Generator) -> Drawn:
        shape = (simulations, topics)
        # Of independent noise the half-sum has half the standard deviation of the difference, and is independent of it.
        level = math.hypot(self.topic_sd, self.spread / 2) * rng.standard_normal(shape)
        return Drawn(level, self.spread * rng.standard_normal(shape))


@dataclass(frozen=True)
class VarianceComponents:
    """Variances of score = topic + system + noise; NaN where they cannot be computed."""

    topic: float
    system: float
    residual: float
    df: int
    """Of the residual variance."""
    why: str | None = field(default=None)


def components(values: npt.ArrayLike) -> VarianceComponents:
    """Variances of topics, systems and noise, by their expected squares, with missing cells.

    On a complete matrix these are the classical estimates, (MS - MS_residual) / n. Estimates below 0 become 0.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    matrix = matrix[(~np.isnan(matrix)).any(axis=1)][:, (~np.isnan(matrix)).any(axis=0)]
    fitted = fit_additive(matrix)
    if fitted.df < 1:
        why = "needs two topics and two systems with scores beyond what fits exactly"
        return VarianceComponents(topic=math.nan, system=math.nan, residual=math.nan, df=fitted.df, why=why)
    if fitted.parts > 1:
        return VarianceComponents(
            topic=math.nan,
            system=math.nan,
            residual=fitted.mean_square,
            df=fitted.df,
            why="systems share no topics",
        )
    cells = (~np.isnan(matrix)).astype(np.float64)
    sizes = cells.sum(axis=1, keepdims=True)
    shares = cells / sizes
    topics = np.nansum(matrix, axis=1) / sizes[:, 0] - shares @ fitted.effects
    # The effects' covariance: that of a topic's mean, and that of the system effects taken from it.
    of_means, system = float((1 / sizes).sum()), fitted.covariance
    trace = of_means + float(np.einsum("ki,ij,kj->", shares, system, shares, optimize=True))
    total = of_means + float(shares.sum(axis=0) @ system @ shares.sum(axis=0))
    return VarianceComponents(
        topic=_beyond(topics, trace, total, fitted.mean_square),
        system=_beyond(fitted.effects, float(np.trace(system)), float(system.sum()), fitted.mean_square),
        residual=fitted.mean_square,
        df=fitted.df,
    )


def places(values: npt.ArrayLike) -> tuple[float, ...]:
    """Where the columns' true means may lie about their middle; empty where that cannot be said.

    Estimated means lie further apart than true ones, by noise: they are drawn in until their variance is the one that
    `components` estimates.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    matrix = matrix[(~np.isnan(matrix)).any(axis=1)][:, (~np.isnan(matrix)).any(axis=0)]
    variances = components(matrix)
    if not variances.system >= 0:
        return ()
    effects = fit_additive(matrix).effects
    effects = effects - effects.mean()
    variance = float(effects.var(ddof=1))
    shrink = math.sqrt(min(variances.system / variance, 1.0)) if variance > 0 else 0.0
    return tuple((shrink * effects).tolist())


def _beyond(effects: FloatArray, trace: float, total: float, residual: float) -> float:
    """The variance of effects, less what noise adds to that of their estimates, by their covariance's trace and sum."""
    if effects.size < 2:
        return math.nan
    noise = (trace - total / effects.size) / (effects.size - 1)
    return max(float(effects.var(ddof=1) - residual * noise), 0.0)


# Disagreement of judges. What judge j sees of a difference on topic t is
#     difference + topic + own liking of j + residual,
# where the own liking is the same on every topic (the interaction of judges and systems). The mean of m judgments
# varies over topics with the variance of topics + (residual + changes * own) / m. Where the same judges see every
# topic, their own likings shift all of them alike: `changes` is 0, and only other judges would show the likings. Where
# every topic has judges of its own, it is 1.


@dataclass(frozen=True)
class Disagreement:
    """The judges' part of the variance of differences between two systems."""

    variance: float
    """Of the difference that one judge sees, as far as it varies over topics; NaN where no summary has two judges."""
    judges: float
    """By summary, the harmonic mean: the number that counts for the variance of a mean."""
    matched: bool
    """Whether the same judges saw both summaries: then a strict one is strict with both, and that drops out."""
    likings: float = math.nan
    """The variance of what judges see on average over topics; NaN where that cannot be told from the residual."""
    residual: float = math.nan
    """The variance on a topic beside that."""
    crew: float = math.nan
    """Judges in all, as many as would share the work evenly."""
    changes: float = math.nan
    """Which part of the own likings varies over topics, because these have other judges."""
    seen: int = 0
    """Judges in all."""
    per_summary: float = math.nan
    """Judges of a summary, on average."""

    def share(self, spread: float) -> float:
        """What part of the variance of a difference it makes, as judged now; at most all of it."""
        return self.used(spread) / self.judges / spread**2 if spread > 0 else math.nan

    def used(self, spread: float) -> float:
        """The variance, but no more than there is: by chance it may be estimated larger than all of it."""
        return min(self.variance, self.judges * spread**2)

    def rest(self, spread: float) -> float:
        """The variance over topics that no number of judges takes away."""
        return max(spread**2 - self.used(spread) / self.judges, 0.0)

    def spread_with(self, judges: float, spread: float) -> float:
        """The standard deviation of a difference if there were so many judges; with infinitely many, what is left."""
        return math.sqrt(self.rest(spread) + self.used(spread) / judges)

    def judges_for(self, wanted: float, spread: float) -> float:
        """How many judges bring the spread down to the wanted one; infinite where none do."""
        room = wanted**2 - self.rest(spread)
        return self.used(spread) / room if room > 0 else math.inf


def disagreement(values: npt.ArrayLike, pairs: Spreads, *, same_judges: bool) -> Disagreement:
    """Pooled over pairs and topics; values are topics x systems x judges, NaN where one did not judge.

    With `same_judges` the third axis are persons, and their scores of two systems are compared on topics where
    two or more saw both. Else, where there are no such topics, or where most judgments are of persons who saw one of
    the two, each system's judgments are taken for themselves: their variances add up. Of persons their own likings
    are told from the rest.
    """
    cube = checks.numbers("values", values, dimensions=3)
    chosen = pairs.some()
    columns = [(cube[:, pairs.first[k]], cube[:, pairs.second[k]]) for k in chosen]
    counts = np.count_nonzero(~np.isnan(cube), axis=2)
    per_summary = float(counts[counts > 0].mean()) if counts.any() else math.nan
    sides = [side for both in columns for side in both]
    both = [x - y for x, y in columns]
    if same_judges and _judgments(both) >= MATCHED * _judgments(sides) / 2:
        pooled = _pooled(both)
        if pooled.freedom:
            return replace(pooled.disagreement(1.0, matched=True, persons=True), per_summary=per_summary)
    pooled = _pooled(sides)
    if not pooled.freedom:
        return Disagreement(math.nan, math.nan, False)
    return replace(pooled.disagreement(2.0, matched=False, persons=same_judges), per_summary=per_summary)


def _judgments(tables: list[FloatArray]) -> int:
    return sum(int(np.count_nonzero(~np.isnan(table))) for table in tables)


@dataclass(frozen=True)
class _Pooled:
    """Sums over tables of topics x judges."""

    squares: float
    """Within topics: each has the variance own + residual."""
    freedom: int
    residual_squares: float
    """Beside topics and judges, both fitted."""
    residual_freedom: int
    inverse: float
    """The mean of 1/m over topics that were judged by m."""
    crew_inverse: float
    """The mean of the sum of the judges' squared shares in the tables."""
    changes: float
    """Which part of the own likings varies over topics; see above."""
    seen: int

    def disagreement(self, times: float, *, matched: bool, persons: bool) -> Disagreement:
        whole = times * self.squares / self.freedom
        if not persons:
            return Disagreement(whole, 1 / self.inverse, matched)
        residual = liking = math.nan
        if self.residual_freedom:
            residual = times * self.residual_squares / self.residual_freedom
            # E(squares within topics) = freedom * (liking + residual), whoever judged what (Henderson's method 3).
            liking = max(whole - residual, 0.0)
            whole = residual + self.changes * liking
        return Disagreement(
            variance=whole,
            judges=1 / self.inverse,
            matched=matched,
            likings=liking,
            residual=residual,
            crew=1 / self.crew_inverse,
            changes=self.changes,
            seen=self.seen,
        )


def _pooled(tables: list[FloatArray]) -> _Pooled:
    """Squares within topics and beside the additive model, and how the work was shared."""
    squares, freedom, residual, residual_freedom = 0.0, 0, 0.0, 0
    inverse, judged, crew, changes, some = 0.0, 0, 0.0, 0.0, 0
    seen: set[int] = set()
    for table in tables:
        here = ~np.isnan(table)
        m = np.count_nonzero(here, axis=1)
        topics = int(np.count_nonzero(m))
        if not topics:
            continue
        means = np.where(here, table, 0.0).sum(axis=1) / np.maximum(m, 1)
        squares += float(np.square(np.where(here, table - means[:, None], 0.0)).sum())
        freedom += int(np.maximum(m - 1, 0).sum())
        seen.update(np.flatnonzero(here.any(axis=0)).tolist())
        fitted = fit_additive(table[:, here.any(axis=0)])
        if fitted.df > 0:
            residual, residual_freedom = (
                residual + fitted.mean_square * fitted.df,
                residual_freedom + fitted.df,
            )
        one_over = float((1 / m[m > 0]).mean())
        shares = (here / np.maximum(m, 1)[:, None]).sum(axis=0) / topics
        evenly = float(np.square(shares).sum())
        inverse, judged = inverse + one_over * topics, judged + topics
        crew, some = crew + evenly, some + 1
        # The expected variance over topics of the mean own likings of those who judged them, times m.
        changes += topics / (topics - 1) * (one_over - evenly) / one_over if topics > 1 else 0.0
    return _Pooled(
        squares=squares,
        freedom=freedom,
        residual_squares=residual,
        residual_freedom=residual_freedom,
        inverse=inverse / judged if judged else math.nan,
        crew_inverse=crew / some if some else math.nan,
        changes=min(max(changes / some, 0.0), 1.0) if some else math.nan,
        seen=len(seen),
    )
