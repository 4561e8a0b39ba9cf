"""What assessors make of systems, as a part of the error of every two systems' difference.

People's score of a system on a topic is a mean over assessors. Its variance over topics says how other topics would
have differed, and nothing of other assessors: whoever likes one of two systems likes it on every topic. The model of
a difference is system + topic x system + assessor x system + noise, all but the first random. For these assessors the
error is what it was; for assessors like them a part is added that is never negative, so that no p becomes smaller.

Where several assessors judged both systems on one topic, the part comes from how they differ within topics (mean
squares of assessors, less those of what is left); where a topic has one, from how topics of one assessor differ from
those of another. Such a variance from few assessors is moderated: half of it is what all pairs show, half what the
pair's two systems do, but no less than what all pairs show (Smyth 2004 has the idea). Degrees of freedom by
Satterthwaite, and never above those for these assessors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv

from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.judging import FEWEST_DF

COMMON = 0.8
"""The share of judgments of a pair's systems that must have been given by assessors who judged both on the topic."""
FEW = 6
"""Degrees of freedom below which a mean square of assessors is taken to be one of the smaller ones."""
SMALLER = 0.4
"""Then it is divided by this quantile of its distribution, by which simulations keep their size."""
ROUNDING = 1e-9
"""Smaller eigenvalues, as shares of the largest, are 0."""

Why = Literal["apart", "few"]
"""Why other assessors cannot be spoken of: they judged different systems, or are too few."""


@dataclass(frozen=True)
class JudgedPair:
    """Two systems on the topics that people and the judge judged: who judged what, and how they differ."""

    differences: FloatArray
    """Topics x assessors; NaN where an assessor did not judge both."""
    offset: FloatArray
    """By topic: what the judge accounts for."""
    first: FloatArray
    """Topics x assessors: everybody's share of the first system's score on the topic."""
    second: FloatArray
    spent: float
    """Parameters that were estimated, which the variance over topics has as many degrees of freedom less."""

    @property
    def n(self) -> int:
        return self.offset.size

    @property
    def both(self) -> BoolArray:
        return ~np.isnan(self.differences)

    def weight(self) -> float:
        """The variance of assessor x system's part in the difference, for a variance of 1 of a pair, less what the
        variance over topics holds of it already: all of it where every topic has an assessor of its own."""
        total = 0.0
        for shares in (self.first, self.second):
            means = shares.mean(axis=0)
            over_topics = float(((shares - means) ** 2).sum()) / (self.n * (self.n - self.spent))
            total += (float((means**2).sum()) - over_topics) / 2
        return max(0.0, total)


@dataclass(frozen=True)
class TastePart:
    """What assessors add to the variance of a difference."""

    variance: float = 0.0
    df: float = math.inf
    """Its own degrees of freedom."""


@dataclass(frozen=True)
class Tastes:
    """Of all pairs of systems, or why only these assessors can be spoken of."""

    parts: tuple[TastePart, ...] = ()
    df: float = 0.0
    """Of what all pairs show together."""
    variance: float = 0.0
    """Of assessor x system in the difference of two systems, from all pairs; it may come out below 0."""
    why: Why | None = None


@dataclass(frozen=True)
class _Moments:
    """Sums over pairs or by pair: of squares between assessors, less their noise; what multiplies the variance."""

    excess: FloatArray
    noise: FloatArray
    times: FloatArray
    df: FloatArray

    def freedom(self, systems: int) -> float:
        """(systems - 1) times the degrees of freedom of one pair, on average over pairs."""
        return 2 * float(self.df.sum()) / systems

    def worth(self, systems: int) -> tuple[bool, float]:
        """Whether there are degrees of freedom enough, then how much the variance weighs in the sums."""
        return self.freedom(systems) >= FEWEST_DF, float(self.times.sum())


def tastes(pairs: Sequence[JudgedPair], systems: int) -> Tastes:
    """The assessors' part in every pair's variance; `pairs` are all pairs of systems, in the usual order."""
    judged = [pair for pair in pairs if pair.n]
    weights = np.array([pair.weight() if pair.n > pair.spent else 0.0 for pair in pairs])
    if not judged:
        return Tastes(why="few")
    if not (weights > ROUNDING).any():
        return Tastes(parts=(TastePart(),) * len(pairs))  # every topic has an assessor of its own
    common = sum(int(pair.both.sum()) for pair in judged)
    judgments = sum(float(((pair.first > 0).sum() + (pair.second > 0).sum()) / 2) for pair in judged)
    if common < COMMON * judgments:
        return Tastes(why="apart")
    moments = max((_moments(pairs, within) for within in (True, False)), key=lambda m: m.worth(systems))
    df = moments.freedom(systems)
    if df < FEWEST_DF:
        return Tastes(why="few")
    times = float(moments.times.sum())
    shared, noise = float(moments.excess.sum()) / times, float(moments.noise.sum()) / times
    shows = moments.times > 0
    shown = np.where(shows, moments.excess / np.where(shows, moments.times, 1.0), shared)
    level = np.where(shows, moments.noise / np.where(shows, moments.times, 1.0), noise)
    variance = np.maximum(shared, (shared + _by_systems(shown, systems)) / 2)
    square = (variance + level) * _upwards(df)
    variance = np.maximum(0.0, square - level)
    parts = zip(weights.tolist(), variance.tolist(), square.tolist(), strict=True)
    return Tastes(
        parts=tuple(TastePart(w * v, df * v / s) if v > 0 else TastePart() for w, v, s in parts),
        df=df,
        variance=shared,
    )


def _by_systems(shown: FloatArray, systems: int) -> FloatArray:
    """Every pair's variance as the sum of two systems' own, by least squares; the pairs' mean where there are two."""
    if systems < 3:
        return shown
    first, second = np.triu_indices(systems, 1)
    total = np.bincount(first, shown, systems) + np.bincount(second, shown, systems)
    of_system = (total - shown.sum() / (systems - 1)) / (systems - 2)
    return np.asarray(of_system[first] + of_system[second])


def _upwards(df: float) -> float:
    """What a mean square with few degrees of freedom is multiplied by, as most are too small."""
    return df / (2 * float(gammaincinv(df / 2, SMALLER))) if df < FEW else 1.0


def _moments(pairs: Sequence[JudgedPair], within: bool) -> _Moments:
    """By pair, from differences within topics or from topics' means; 0 where a pair says nothing."""
    excess, noise, times, df = np.zeros((4, len(pairs)))
    alike: dict[tuple[tuple[int, ...], bytes], list[int]] = {}
    for k, pair in enumerate(pairs):
        alike.setdefault((pair.differences.shape, pair.both.tobytes()), []).append(k)
    for places in alike.values():
        both = pairs[places[0]].both
        rows = both.any(axis=1)
        if rows.sum() < 2:
            continue
        values = np.stack([np.nan_to_num(pairs[k].differences[rows]) for k in places])
        offset = np.stack([pairs[k].offset[rows] for k in places])
        squares = (_within if within else _between)(values, offset, both[rows])
        if squares is None:
            continue
        of_assessors, of_rest, tr, rank = squares
        excess[places], noise[places] = of_assessors - rank * of_rest, rank * of_rest
        times[places], df[places] = tr, rank
    return _Moments(excess, noise, times, df)


Squares = tuple[FloatArray, FloatArray, float, int]
"""Sums of squares of assessors, mean squares of the rest, what multiplies the variance, degrees of freedom."""


def _within(values: FloatArray, offset: FloatArray, both: BoolArray) -> Squares | None:
    """Assessors on the topics that they share: pairs x topics x assessors."""
    held = both.sum(axis=1)
    away = np.where(both, values - (values.sum(axis=2) / held)[..., None], 0.0)
    shares = both / held[:, None]
    design = np.diag(both.sum(axis=0).astype(np.float64)) - both.T @ shares
    return _squares(away.sum(axis=1), (away**2).sum(axis=(1, 2)), design, int((held - 1).sum()))


def _between(values: FloatArray, offset: FloatArray, both: BoolArray) -> Squares | None:
    """Topics by who judged them: means over assessors, less what the judge accounts for."""
    shares = both / both.sum(axis=1, keepdims=True)
    means = (values * shares).sum(axis=2) - offset
    means = means - means.mean(axis=1, keepdims=True)
    away = shares - shares.mean(axis=0)
    return _squares(means @ away, (means**2).sum(axis=1), away.T @ away, len(both) - 1)


def _squares(sums: FloatArray, total: FloatArray, design: FloatArray, df: int) -> Squares | None:
    sizes, directions = np.linalg.eigh(design)
    kept = sizes > ROUNDING * sizes.max(initial=0.0)
    rank = int(kept.sum())
    if not 0 < rank < df:
        return None
    of_assessors = ((sums @ directions[:, kept]) ** 2 / sizes[kept]).sum(axis=1)
    rest = np.maximum(0.0, total - of_assessors) / (df - rank)
    return of_assessors, rest, float(np.trace(design)), rank


# Where assessors judged different systems


@dataclass(frozen=True)
class Severities:
    """How strict every assessor is, and which systems can be compared in spite of it."""

    effects: FloatArray
    """By assessor; the mean of what cannot be told apart is 0."""
    covariance: FloatArray
    component: npt.NDArray[np.int64]
    """By system: two systems of one component can be compared; -1 where nobody judged it."""


def severities(cube: FloatArray) -> Severities:
    """By least squares of system + topic + assessor, of topics x systems x assessors."""
    there = ~np.isnan(cube)
    topics, systems, assessors = np.nonzero(there)
    s, m = cube.shape[1], cube.shape[2]
    rows = topics.size
    design = np.zeros((rows, s + m))
    design[np.arange(rows), systems] = 1
    design[np.arange(rows), s + assessors] = 1
    values = cube[there]
    kept = np.bincount(topics, minlength=cube.shape[0])

    def from_topics(columns: FloatArray) -> FloatArray:
        sums = np.zeros((cube.shape[0], columns.shape[1]))
        np.add.at(sums, topics, columns)
        return np.asarray(columns - (sums / np.maximum(kept, 1)[:, None])[topics])

    x, y = from_topics(design), from_topics(values[:, None])[:, 0]
    sizes, directions = np.linalg.eigh(x.T @ x)
    seen = sizes > ROUNDING * sizes.max(initial=0.0)
    inverse = (directions[:, seen] / sizes[seen]) @ directions[:, seen].T
    fitted = inverse @ (x.T @ y)
    df = rows - int((kept > 0).sum()) - int(seen.sum())
    noise = float(((y - x @ fitted) ** 2).sum()) / df if df > 0 else 0.0
    component = np.full(s, -1)
    free = directions[:, ~seen][:s]
    for system in np.flatnonzero(there.any(axis=(0, 2))).tolist():
        away = np.abs(free - free[system]).max(axis=1, initial=0.0)
        component[system] = int(np.flatnonzero((away < 1e-6) & there.any(axis=(0, 2)))[0])
    return Severities(fitted[s:], noise * inverse[s:, s:], component)
