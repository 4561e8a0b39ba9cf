"""Two versions of a judge on the same things: shifts, whether they depend on the system, agreement with people.

Under the hypothesis that nothing changed, the two versions' answers could be swapped. Tests swap them in whole
clusters, such as topics, so that answers within a cluster may hang together as they like. A test is a vector: the size
of its statistic, then what it is in every swap; NaN, where it is undefined, counts as larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from adjudge.stats import checks
from adjudge.stats.agreement import alpha_draws
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_agreement import DrawnValue, drawn_value, draws_of
from adjudge.stats.shares import ClusteredShare

TIE = 1e-9
"""How far a statistic after swaps may fall short of the observed one, relative to it, and still equal it."""


@dataclass(frozen=True, slots=True)
class DriftShift:
    """A mean of new less old, with an interval by t over clusters."""

    mean: float
    low: float
    high: float
    things: int


def swap_signs(rng: np.random.Generator, clusters: int, swaps: int) -> FloatArray:
    """Swaps x clusters: -1 where the two versions change places."""
    return np.asarray(rng.integers(0, 2, size=(swaps, clusters)) * 2.0 - 1.0)


def mean_shift(differences: FloatArray, clusters: IntArray, level: float) -> DriftShift:
    """The mean of differences (new less old) over things, of clusters by number.

    Its interval takes clusters as a sample: a ratio estimate (Cochran 1977, section 6.2) with Student's t on
    clusters - 1. With as many things in every cluster it is the t interval of the clusters' means.
    """
    mean, half, n = float(differences.mean()), math.nan, np.unique(clusters).size
    if n > 1:
        rest = np.bincount(clusters, weights=differences - mean)
        error = math.sqrt(n / (n - 1) * float((rest**2).sum())) / differences.size
        half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return DriftShift(mean, mean - half, mean + half, differences.size)


def shift_test(differences: FloatArray, clusters: IntArray, signs: FloatArray) -> FloatArray:
    """Whether there is a shift of all things together."""
    sums = np.bincount(clusters, weights=differences)
    return np.append(abs(float(sums.sum())), np.abs(signs @ sums))


def systems_test(
    differences: FloatArray, systems: IntArray, topics: IntArray, clusters: IntArray, signs: FloatArray
) -> FloatArray:
    """Whether the shift depends on the system; all are numbered from 0.

    The statistic is the sum over systems of n_s m_s^2, where m_s is the mean of the differences less the mean of their
    topic: a shift that all systems have does not count.
    """
    rest = differences - (np.bincount(topics, weights=differences) / np.bincount(topics))[topics]
    rest[np.abs(rest) <= TIE * np.abs(differences).max()] = 0.0
    n = np.bincount(systems)
    sums = np.zeros((signs.shape[1], n.size))
    np.add.at(sums, (clusters, systems), rest)
    return np.append(float((sums.sum(axis=0) ** 2 / n).sum()), ((signs @ sums) ** 2 / n).sum(axis=1))


def swap_p(test: FloatArray) -> FloatArray:
    """Of every value of a test, the share of all that are no smaller: its p, were it the observed one."""
    sizes = np.where(np.isnan(test), np.inf, test)
    smaller = np.searchsorted(np.sort(sizes), sizes * (1 - TIE), side="left")
    return np.asarray((sizes.size - smaller) / sizes.size)


def joint_p(tests: Sequence[FloatArray]) -> FloatArray:
    """p of every test, corrected for all of them: the smallest p, step-down, over the same swaps.

    Westfall and Young 1993, section 2.6, algorithm 2.8. Tests that go together cost less than Holm has it.
    """
    if not tests:
        return np.zeros(0)
    p = np.stack([swap_p(test) for test in tests])
    order = np.argsort(p[:, 0], kind="stable")
    smallest = np.minimum.accumulate(p[order[::-1]], axis=0)[::-1]  # over a test and all with a larger p
    corrected = (smallest <= p[order, :1] * (1 + TIE)).mean(axis=1)
    return np.asarray(np.maximum.accumulate(corrected)[np.argsort(order)])


@dataclass(frozen=True, slots=True)
class AgreementChange:
    """Alpha of each version with people, the mean over people."""

    change: DrawnValue
    """New less old; what cannot be computed says why."""
    old: float = math.nan
    new: float = math.nan
    people: int = 0


def agreement_change(
    versions: tuple[FloatArray, FloatArray],
    people: FloatArray,
    clusters: IntArray,
    signs: FloatArray,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = 1000,
    mirrored: bool = False,
) -> tuple[AgreementChange, FloatArray | None]:
    """Krippendorff's ordinal alpha with each assessor (a column of `people`), the mean weighted by things shared; and
    the test of whether it changed. `mirrored` answers choose between two in no order, and count in both orders."""
    size = signs.shape[1]
    drawn, swapped = draws_of(rng, size, resamples), (1 - signs) / 2
    # every cluster twice, with the old version's answers and with the new one's: which counts is a matter of weights
    weights = np.vstack([np.hstack([drawn, 0 * drawn]), np.hstack([1 - swapped, swapped])])
    turned = np.roll(weights, size, axis=1)
    totals, shared = np.zeros((2, len(weights))), np.zeros((2, len(weights)))
    answering = [column for column in people.T if not np.isnan(column).all()]
    for column in answering:
        there = ~np.isnan(column)
        values = np.vstack([np.column_stack([version, column])[there] for version in versions])
        at = np.concatenate([clusters[there], clusters[there] + size])
        if mirrored:
            values, at = np.vstack([values, 1 - values]), np.concatenate([at, at])
        place, numbered = list(dict.fromkeys(at.tolist())), checks.clusters_of(at.tolist(), at.size)
        for k, times in enumerate((weights, turned)):
            alpha = alpha_draws(values, times[:, place], clusters=numbered)
            totals[k] += np.nan_to_num(alpha) * there.sum()
            shared[k] += ~np.isnan(alpha) * there.sum()
    means = np.divide(totals, shared, out=np.full(totals.shape, np.nan), where=shared > 0)
    if np.isnan(means[:, 0]).any():
        why = "all answers are the same: there is nothing to agree on"
        why = why if answering else "nobody else answered for the same things"
        return AgreementChange(DrawnValue(math.nan, why=why), people=len(answering)), None
    changes = means[1] - means[0]
    test = np.abs(np.append(changes[0], changes[len(drawn) :]))
    change = drawn_value(changes[: len(drawn)], size, level)
    return AgreementChange(change, float(means[0, 0]), float(means[1, 0]), len(answering)), test


def repeats_p(between: ClusteredShare, same: int, of: int) -> float:
    """Whether two versions give the same answer less often than one does when it is asked again; one-sided.

    A test of two shares with the pooled variance, each thing worth as little as the clusters of `between` show, and
    Student's t on their number less 1. It takes the two as independent, which for the same things makes it cautious.
    """
    if between.clusters < 2:
        return math.nan
    pooled = (between.hits + same) / (between.n + of)
    variance = pooled * (1 - pooled) * between.design_effect * (1 / between.n + 1 / of)
    difference = between.share - same / of
    return float(stdtr(between.clusters - 1, difference / math.sqrt(variance))) if variance > 0 else 1.0
