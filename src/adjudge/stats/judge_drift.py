"""Two versions of a judge on the same things: shifts, whether they depend on the system, agreement with people.

Under the hypothesis that nothing changed, the two versions' answers could be swapped. p is the share of swaps of whole
clusters, such as topics, in which a statistic is no smaller than it is: answers within a cluster may hang together as
they like.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_agreement import RaterPairs, drawn_value, draws_of, mean_alpha
from adjudge.stats.shares import ClusteredShare

TIE = 1e-9
"""How far a statistic after swaps may fall short of the observed one, relative to it, and still equal it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftTest:
    """Something that may have changed: what it was and is, its size with an interval, and p where it is tested."""

    old: float = math.nan
    new: float = math.nan
    size: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    p_adjusted: float = math.nan
    """Corrected for everything that is tested of all questions."""
    why: str | None = None
    """There is no size, or no interval."""


def swap_signs(rng: np.random.Generator, clusters: int, swaps: int) -> FloatArray:
    """Swaps x clusters: -1 where the two versions change places; the first row, in which none do, are the data."""
    signs = rng.integers(0, 2, size=(swaps, clusters)) * 2.0 - 1.0
    return np.vstack([np.ones((1, clusters)), signs])


def _swap_p(statistics: FloatArray) -> float:
    """The share of all that are no smaller than the first; one that is undefined counts as larger."""
    return float(np.mean(~(statistics < statistics[0] * (1 - TIE))))


def mean_shift(differences: FloatArray, clusters: IntArray, level: float) -> DriftTest:
    """The mean of differences (new less old) over things, of clusters by number.

    Its interval takes clusters as a sample: a ratio estimate (Cochran 1977, section 6.2) with Student's t on
    clusters - 1. With as many things in every cluster it is the t interval of the clusters' means.
    """
    mean, half, n = float(differences.mean()), math.nan, np.unique(clusters).size
    if n > 1:
        rest = np.bincount(clusters, weights=differences - mean)
        error = math.sqrt(n / (n - 1) * float((rest**2).sum())) / differences.size
        half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return DriftTest(size=mean, low=mean - half, high=mean + half)


def shift_p(differences: FloatArray, clusters: IntArray, signs: FloatArray) -> float:
    """Whether there is a shift of all things together."""
    return _swap_p(np.abs(signs @ np.bincount(clusters, weights=differences)))


def systems_p(
    differences: FloatArray, systems: IntArray, topics: IntArray, clusters: IntArray, signs: FloatArray
) -> float:
    """Whether the shift depends on the system; all are numbered from 0.

    The statistic is the sum over systems of n_s m_s^2, where m_s is the mean of the differences less the mean of their
    topic: a shift that all systems have does not count.
    """
    rest = differences - (np.bincount(topics, weights=differences) / np.bincount(topics))[topics]
    rest[np.abs(rest) <= TIE * np.abs(differences).max()] = 0.0
    n = np.bincount(systems)
    sums = np.zeros((signs.shape[1], n.size))
    np.add.at(sums, (clusters, systems), rest)
    return _swap_p(((signs @ sums) ** 2 / n).sum(axis=1))


def agreement_change(
    versions: IntArray,
    people: IntArray,
    scale: FloatArray,
    clusters: IntArray,
    signs: FloatArray,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = 1000,
) -> DriftTest:
    """Whether agreement with people changed: Krippendorff's ordinal alpha with each assessor (a column of `people`),
    the mean weighted by things shared. Answers are codes, of the two versions in two rows."""
    n = signs.shape[1]
    drawn, swapped = draws_of(rng, n, resamples), (1 - signs) / 2
    # every cluster twice, with the old version's answers and with the new one's: which counts is a matter of weights
    weights = np.vstack([np.hstack([drawn, 0 * drawn]), np.hstack([1 - swapped, swapped])])
    old, new = (
        mean_alpha(
            versions.ravel(),
            np.vstack([people, people]),
            RaterPairs(scale, np.concatenate([clusters, clusters + n]), times, kept=1),
        )
        for times in (weights, np.roll(weights, n, axis=1))
    )
    change = new - old
    p = math.nan if math.isnan(change[0]) else _swap_p(np.abs(change[len(drawn) :]))
    size = drawn_value(change[: len(drawn)], n, level)
    before, after = float(old[0]), float(new[0])
    return DriftTest(old=before, new=after, size=size.value, low=size.low, high=size.high, p=p, why=size.why)


def same_answers(between: ClusteredShare, same: int, of: int) -> DriftTest:
    """How many things got the same answer from both versions, beside the answers that the old one gave again.

    p is one-sided, that two versions give the same answer less often than one does when it is asked again: a test of
    two shares with the pooled variance, each thing worth as little as the clusters of `between` show, and Student's t
    on their number less 1. It takes the two as independent, which for the same things makes it cautious.
    """
    share, p = between.share, math.nan
    if of and between.clusters > 1:
        pooled = (between.hits + same) / (between.n + of)
        variance = pooled * (1 - pooled) * between.design_effect * (1 / between.n + 1 / of)
        difference = share - same / of
        p = float(stdtr(between.clusters - 1, difference / math.sqrt(variance))) if variance > 0 else 1.0
    before = same / of if of else math.nan
    return DriftTest(old=before, new=share, size=share, low=between.low, high=between.high, p=p)
