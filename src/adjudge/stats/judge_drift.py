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
from adjudge.stats.agreement import alpha_draws, cluster_draws
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_agreement import DrawnValue, drawn_value
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
    return _shift(d, codes, signs, level)


def _shift(d: FloatArray, codes: IntArray, signs: FloatArray, level: float) -> tuple[DriftShift, SwapTest]:
    mean, clusters = float(d.mean()), np.unique(codes).size
    sums = np.bincount(codes, weights=d, minlength=signs.shape[1])
    rest = np.bincount(codes, weights=d - mean, minlength=signs.shape[1])
    half = math.nan
    if clusters > 1:
        error = math.sqrt(clusters / (clusters - 1) * float((rest**2).sum())) / d.size
        half = float(stdtrit(clusters - 1, (1 + level) / 2)) * error
    test = SwapTest(abs(float(sums.sum())), np.abs(signs @ sums))
    return DriftShift(mean, mean - half, mean + half, test.p, d.size, clusters), test


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
    alone = [_shift(d[of == k], codes[of == k], signs, level)[0] for k in range(size)]
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
    sizes = np.where(np.isnan(values), np.inf, values)
    smaller = np.searchsorted(np.sort(sizes), sizes * (1 - TIE), side="left")
    return np.asarray((sizes.size - smaller) / sizes.size)


def joint_p(tests: Sequence[SwapTest]) -> FloatArray:
    """p of every test, corrected for all of them: the smallest p, step-down, over the same swaps.

    Westfall and Young 1993, section 2.6, algorithm 2.8. Tests that go together cost less than Holm has it.
    """
    if not tests:
        return np.zeros(0)
    p = np.stack([_ranks(np.append(test.observed, test.null)) for test in tests])
    order = np.argsort(p[:, 0], kind="stable")
    smallest = np.minimum.accumulate(p[order[::-1]], axis=0)[::-1]  # over a test and all with a larger p
    corrected = (smallest <= p[order, :1] * (1 + TIE)).mean(axis=1)
    return np.asarray(np.maximum.accumulate(corrected)[np.argsort(order)])


# Agreement with people


@dataclass(frozen=True, slots=True)
class AgreementChange:
    """Alpha of each version with people, the mean over people."""

    change: DrawnValue
    """New less old; what cannot be computed says why."""
    old: float = math.nan
    new: float = math.nan
    people: int = 0


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
    codes = checks.clusters_of(clusters, first.size)
    size = int(codes.max(initial=-1)) + 1
    drawn = np.vstack([np.ones((1, size)), cluster_draws(rng, size, resamples)])
    swapped = (1 - signs) / 2
    # every cluster twice, with the old version's answers and with the new one's: which counts is a matter of weights
    weights = np.vstack([np.hstack([drawn, 0 * drawn]), np.hstack([1 - swapped, swapped])])
    turned = np.roll(weights, size, axis=1)
    totals, shared = np.zeros((2, len(weights))), np.zeros((2, len(weights)))
    assessors = 0
    for column in checks.numbers("people", people, dimensions=2).T:
        both = ~np.isnan(first) & ~np.isnan(second) & ~np.isnan(column)
        if not both.any():
            continue
        assessors += 1
        values = np.vstack([np.column_stack([version, column])[both] for version in (first, second)])
        at = np.concatenate([codes[both], codes[both] + size])
        if mirrored:
            values, at = np.vstack([values, 1 - values]), np.concatenate([at, at])
        place, numbered = list(dict.fromkeys(at.tolist())), checks.clusters_of(at.tolist(), at.size)
        for k, times in enumerate((weights, turned)):
            alpha = alpha_draws(values, times[:, place], clusters=numbered)
            totals[k] += np.nan_to_num(alpha) * both.sum()
            shared[k] += ~np.isnan(alpha) * both.sum()
    means = np.divide(totals, shared, out=np.full(totals.shape, np.nan), where=shared > 0)
    if np.isnan(means[:, 0]).any():
        why = "all answers are the same: there is nothing to agree on"
        why = why if assessors else "nobody else answered for the same things"
        return AgreementChange(DrawnValue(math.nan, why=why), people=assessors), None
    changes = means[1] - means[0]
    test = SwapTest(abs(float(changes[0])), np.abs(changes[len(drawn) :]))
    change = drawn_value(changes[: len(drawn)], size, level)
    return AgreementChange(change, float(means[0, 0]), float(means[1, 0]), assessors), test


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
