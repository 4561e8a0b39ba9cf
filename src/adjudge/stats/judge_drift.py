"""Two versions of a judge on the same things: shifts, whether they depend on the system, agreement with people.

Under the hypothesis that nothing changed, the two versions' answers could be swapped. Tests swap them in whole
clusters, such as topics, so that answers within a cluster may hang together as they like.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import LEAST_CLUSTERS, LEAST_DEFINED, alpha_draws, cluster_draws
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_agreement import expanded_limits
from adjudge.stats.multiple import holm
from adjudge.stats.shares import ClusteredShare

SWAPS = 10_000
"""Random swaps, of what is quick to compute."""
TIE = 1e-9
"""How far a statistic after swaps may fall short of the observed one, relative to it, and still equal it."""


@dataclass(frozen=True, slots=True)
class DriftShift:
    """A mean of new less old, with an interval by t over clusters and the p of swaps."""

    mean: float
    low: float
    high: float
    p: float
    things: int
    clusters: int
    p_adjusted: float = math.nan
    """Of systems: after Holm, over all systems."""


@dataclass(frozen=True, eq=False)
class SwapTest:
    """The size of a statistic, and what it is in every swap: NaN where it is undefined, which counts as larger."""

    observed: float
    null: FloatArray

    @property
    def p(self) -> float:
        """(k + 1) / (R + 1)."""
        return float(_ranks(np.append(self.observed, self.null))[0])


def swap_signs(rng: np.random.Generator, clusters: int, swaps: int = SWAPS) -> FloatArray:
    """Swaps x clusters: -1 where the two versions change places."""
    return np.asarray(rng.integers(0, 2, size=(swaps, clusters)) * 2.0 - 1.0)


def mean_shift(
    differences: npt.ArrayLike,
    signs: FloatArray,
    *,
    clusters: Sequence[Any] | None = None,
    level: float = 0.95,
) -> tuple[DriftShift, SwapTest]:
    """The mean of differences (new less old) over things, and its test by swaps of the clusters in their order.

    Its interval takes clusters as a sample: a ratio estimate (Cochran 1977, section 6.2) with Student's t on
    clusters - 1. With as many things in every cluster it is the t interval of the clusters' means.
    """
    d = checks.numbers("differences", differences, dimensions=1)
    codes = checks.clusters_of(clusters, d.size)
    checks.share("level", level)
    if np.isnan(d).any() or not d.size:
        raise UsageError("differences: expected a number for every thing, of one thing or more")
    sums = np.bincount(codes, weights=d)
    return _shift(d, codes, signs, level), SwapTest(abs(float(sums.sum())), np.abs(signs @ sums))


def system_shifts(
    differences: npt.ArrayLike,
    systems: npt.ArrayLike,
    signs: FloatArray,
    *,
    topics: Sequence[Any],
    clusters: Sequence[Any] | None = None,
    level: float = 0.95,
) -> tuple[tuple[DriftShift, ...], SwapTest | None]:
    """The mean difference of every system (numbered from 0), and a test of whether they are the same; None with one.

    The test's statistic is the sum over systems of n_s m_s^2, where m_s is the mean of the differences less the mean
    of their topic: a shift that all systems have does not count.
    """
    d = checks.numbers("differences", differences, dimensions=1)
    of = np.asarray(systems, dtype=np.int64)
    topic = checks.clusters_of(topics, d.size)
    codes = checks.clusters_of(topics if clusters is None else clusters, d.size)
    size = int(of.max(initial=-1)) + 1
    alone = [_shift(d[of == k], codes[of == k], signs, level) for k in range(size)]
    adjusted = holm([shift.p for shift in alone])
    shifts = tuple(replace(shift, p_adjusted=float(p)) for shift, p in zip(alone, adjusted, strict=True))
    if size < 2:
        return shifts, None
    rest = d - (np.bincount(topic, weights=d) / np.bincount(topic))[topic]
    rest[np.abs(rest) <= TIE * np.abs(d).max()] = 0.0
    sums = np.zeros((signs.shape[1], size))
    np.add.at(sums, (codes, of), rest)
    n = np.bincount(of, minlength=size)
    observed = float((sums.sum(axis=0) ** 2 / n).sum())
    return shifts, SwapTest(observed, ((signs @ sums) ** 2 / n).sum(axis=1))


def _ranks(values: FloatArray) -> FloatArray:
    """Of every value, the share of all that are no smaller: its p, were it the observed one."""
    own = np.where(np.isnan(values), np.inf, values)
    with np.errstate(invalid="ignore"):  # infinite less infinite
        bound = np.where(np.isinf(own), own, own * (1 - TIE))
    return np.asarray((own.size - np.searchsorted(np.sort(own), bound, side="left")) / own.size)


def joint_p(tests: Sequence[SwapTest]) -> FloatArray:
    """p of every test, corrected for all of them: the smallest p, step-down, over the same swaps.

    Westfall and Young 1993, section 2.6, algorithm 2.8. Tests that go together cost less than Holm has it.
    """
    if not tests:
        return np.zeros(0)
    p = np.stack([_ranks(np.append(each.observed, each.null)) for each in tests])
    order = np.argsort(p[:, 0], kind="stable")
    smallest = np.minimum.accumulate(p[order[::-1]], axis=0)[::-1]  # over each and all with a larger p
    corrected = (smallest <= p[order, :1] * (1 + TIE)).mean(axis=1)
    found = np.empty(len(tests))
    found[order] = np.maximum.accumulate(corrected)
    return found


def _shift(d: FloatArray, codes: IntArray, signs: FloatArray, level: float) -> DriftShift:
    n, mean = d.size, float(d.mean())
    there = np.unique(codes)
    sums = np.bincount(codes, weights=d, minlength=signs.shape[1])
    rest = np.bincount(codes, weights=d - mean, minlength=signs.shape[1])
    g = there.size
    half = math.nan
    if g > 1:
        error = math.sqrt(g / (g - 1) * float((rest**2).sum())) / n
        half = float(stdtrit(g - 1, (1 + level) / 2)) * error
    return DriftShift(
        mean=mean,
        low=mean - half,
        high=mean + half,
        p=SwapTest(abs(float(sums.sum())), np.abs(signs @ sums)).p,
        things=n,
        clusters=g,
    )


# Agreement with people


@dataclass(frozen=True, slots=True)
class AgreementChange:
    """Alpha of each version with people, the mean over people; what cannot be computed says why."""

    old: float
    new: float
    difference: float
    """New less old, with an expanded percentile interval over the same draws of clusters."""
    low: float = math.nan
    high: float = math.nan
    people: int = 0
    things: int = 0
    why: str | None = None
    why_no_interval: str | None = None


def agreement_change(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    people: npt.ArrayLike,
    signs: FloatArray,
    *,
    rng: np.random.Generator,
    clusters: Sequence[Any] | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    mirrored: bool = False,
) -> tuple[AgreementChange, SwapTest | None]:
    """Krippendorff's ordinal alpha with each assessor (a column of `people`), and the mean weighted by things shared.

    Only things count that both versions answered for. `mirrored` answers choose between two in no order, and count in
    both orders.
    """
    first, second = checks.pair(old, new)
    others = checks.numbers("people", people, dimensions=2)
    codes = checks.clusters_of(clusters, first.size)
    size = int(codes.max(initial=-1)) + 1
    drawn = cluster_draws(rng, size, resamples)
    turned = (1 - signs) / 2
    one = np.ones((1, size))
    # every cluster twice, with the old version's answers and with the new one's: which counts is a matter of weights
    pairs = ((one, 0 * one), (drawn, 0 * drawn), (1 - turned, turned))
    weights = np.vstack([np.hstack(pair) for pair in pairs])
    other = np.hstack([weights[:, size:], weights[:, :size]])
    totals = np.zeros((2, len(weights)))
    shared = np.zeros((2, len(weights)))
    asked, things = 0, np.zeros(first.size, bool)
    for column in others.T:
        both = ~np.isnan(first) & ~np.isnan(second) & ~np.isnan(column)
        if not both.any():
            continue
        asked, things = asked + 1, things | both
        values = np.vstack(
            [np.column_stack([own, column])[both] for own in (first, second)]  # the old rows, then the new
        )
        at = np.concatenate([codes[both], codes[both] + size])
        if mirrored:
            values, at = np.vstack([values, 1 - values]), np.concatenate([at, at])
        own_codes, place = checks.clusters_of(list(at), at.size), list(dict.fromkeys(at.tolist()))
        for k, each in enumerate((weights, other)):
            alpha = alpha_draws(values, each[:, place], clusters=own_codes)
            known = ~np.isnan(alpha)
            totals[k, known] += alpha[known] * both.sum()
            shared[k, known] += both.sum()
    if not asked:
        why = "nobody else answered for the same things"
        return AgreementChange(math.nan, math.nan, math.nan, why=why), None
    means = np.divide(totals, shared, out=np.full(totals.shape, np.nan), where=shared > 0)
    if np.isnan(means[:, 0]).any():
        why = "all answers are the same: there is nothing to agree on"
        none = AgreementChange(math.nan, math.nan, math.nan, people=asked, things=int(things.sum()), why=why)
        return none, None
    changes = means[1] - means[0]
    booted, swapped = changes[1 : 1 + len(drawn)], changes[1 + len(drawn) :]
    booted = booted[~np.isnan(booted)]
    low = high = math.nan
    no = None
    if size < LEAST_CLUSTERS:
        no = f"resampling {size} clusters says too little, there must be {LEAST_CLUSTERS}"
    elif resamples < 2 or booted.size < LEAST_DEFINED * resamples:
        no = "it is undefined in most resamples"
    else:
        low, high = expanded_limits(booted, size, level)
    change = AgreementChange(
        old=float(means[0, 0]),
        new=float(means[1, 0]),
        difference=float(changes[0]),
        low=low,
        high=high,
        people=asked,
        things=int(things.sum()),
        why_no_interval=no,
    )
    return change, SwapTest(abs(float(changes[0])), np.abs(swapped))


# Beside repeats


def repeats_p(between: ClusteredShare, same: int, of: int) -> float:
    """Whether two versions give the same answer less often than one does when it is asked again; one-sided.

    A test of two shares with the pooled variance, each thing worth as little as the clusters of `between` show, and
    Student's t on their number less 1. It takes the two as independent, which for the same things makes it cautious.
    """
    if not of or not between.n or between.clusters < 2:
        return math.nan
    pooled = (between.hits + same) / (between.n + of)
    variance = pooled * (1 - pooled) * between.design_effect * (1 / between.n + 1 / of)
    difference = between.share - same / of
    if variance <= 0:
        return 1.0
    return float(stdtr(between.clusters - 1, difference / math.sqrt(variance)))
