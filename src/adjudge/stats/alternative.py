"""The alternative-annotator test: is a judge as near to the other assessors as the assessor whose place it would take?

Calderon, Reichart and Dror 2025, "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify
Replacing Human Annotators with LLMs", ACL 2025, section 3. For each assessor j, over the things x that j, the judge f
and at least one other assessor answered:

- S(f, x, j) is the alignment of the judge's answer with the other assessors' answers to x, S(h_j, x, j) that of j's
  own: minus the root mean squared difference ("rmse"), or the share of equal answers ("accuracy", of categories).
- W^f = 1 where S(f, x, j) >= S(h_j, x, j), else 0; W^h = 1 where S(h_j, x, j) >= S(f, x, j): a tie counts for both.
- The advantage probability of the judge over j is rho_j^f = mean W^f, that of j is rho_j^h = mean W^h.
- H0: rho_j^f <= rho_j^h - epsilon is tested by a one-sided t-test of d = W^h - W^f: the mean of d is below epsilon.
  epsilon is how much the judge may lose for being cheaper (.2 beside experts, .15 trained workers, .1 a crowd).
- The tests of all assessors are corrected by Benjamini and Yekutieli; the winning rate omega is the share of assessors
  of whom H0 is rejected. The judge passes where omega >= 1/2. The average advantage probability is the mean of rho_j^f.

The published test takes things as independent observations. Things of one topic are not: here the observations are
means over the things of a topic (or a set of topics), each counted once, in rho as in t, unless there are no clusters.

The test has no control of its own: a judge that always gives the commonest answer can pass it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.multiple import at_most, benjamini_yekutieli

Alignment = Literal["rmse", "accuracy"]
LEAST_ASSESSORS = 3
"""Of two the test only asks which of them the judge is nearer to: there is no consensus to be near to."""
LEAST_TOPICS = 10
"""Observations of an assessor, below which a t-test of them is not made."""
ENOUGH_TOPICS = 30
"""The paper's: from here on a t-test needs no normal observations."""
PASSING = 0.5
"""The winning rate with which a judge passes."""
SAME = 1e-9
"""Relative distance below which two alignments are one."""


@dataclass(frozen=True, eq=False)
class AlternativeTests:
    """Judges beside the same assessors; arrays are judges x assessors, NaN where an assessor has no test."""

    advantage: FloatArray
    """rho_j^f: how often the judge is at least as near to the others as the assessor is."""
    assessor_advantage: FloatArray
    """rho_j^h: how often the assessor is at least as near as the judge."""
    p: FloatArray
    adjusted: FloatArray
    """By Benjamini and Yekutieli, over the assessors of one judge."""
    won: BoolArray
    """Whether H0 is rejected."""
    things: IntArray
    observations: IntArray
    """Clusters with such things; the things themselves where there are no clusters."""
    epsilon: float
    alpha: float
    why: tuple[str | None, ...]
    """Of each judge, why there is no result."""

    @property
    def tested(self) -> IntArray:
        """Assessors who count, by judge."""
        counts: IntArray = np.count_nonzero(~np.isnan(self.p), axis=1)
        return counts

    @property
    def wins(self) -> IntArray:
        counts: IntArray = np.count_nonzero(self.won, axis=1)
        return counts

    @property
    def winning_rate(self) -> FloatArray:
        """omega, by judge; NaN where there is no result."""
        rates = self.wins / np.maximum(self.tested, 1)
        return np.where(self.defined, rates, np.nan)

    @property
    def average(self) -> FloatArray:
        """rho, by judge: the mean advantage probability over assessors."""
        there = ~np.isnan(self.p)
        sums = np.where(there, self.advantage, 0.0).sum(axis=1)
        return np.where(self.defined, sums / np.maximum(self.tested, 1), np.nan)

    @property
    def defined(self) -> BoolArray:
        return np.array([reason is None for reason in self.why], dtype=np.bool_)

    @property
    def passes(self) -> BoolArray:
        """omega >= 1/2; False where there is no result."""
        passed: BoolArray = self.defined & (2 * self.wins >= self.tested)
        return passed


def alternative_tests(
    answers: npt.ArrayLike,
    judge_answers: npt.ArrayLike,
    *,
    clusters: Sequence[Any] | None,
    epsilon: float = 0.2,
    alpha: float = 0.05,
    alignment: Alignment = "rmse",
    least_assessors: int = LEAST_ASSESSORS,
    least: int = LEAST_TOPICS,
) -> AlternativeTests:
    """Test judges (judges x things) beside assessors (things x assessors); NaN is missing.

    `clusters` names the topic of every thing; None takes every thing as an observation, as published. An assessor with
    fewer than `least` observations has no test, and with fewer than `least_assessors` tests there is no result.
    """
    people = checks.numbers("answers", answers, dimensions=2)
    judges = checks.numbers("judge_answers", judge_answers, dimensions=2)
    checks.one_of("alignment", alignment, get_args(Alignment))
    checks.share("alpha", alpha)
    checks.count("least", least, least=2)
    checks.count("least_assessors", least_assessors, least=1)
    if not 0 <= epsilon <= 1:
        raise UsageError(f"epsilon: expected a number from 0 to 1, got {epsilon:g}")
    if judges.shape[1] != people.shape[0]:
        raise UsageError(
            f"judge_answers: expected answers to the {people.shape[0]} things that people answered,"
            f" got {judges.shape[1]}"
        )
    codes = np.arange(len(people)) if clusters is None else checks.clusters_of(clusters, len(people))
    order = np.argsort(codes, kind="stable")
    people, judges, codes = people[order], judges[:, order], codes[order]
    starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])) if codes.size else codes
    there = ~np.isnan(people)
    counts = there.sum(axis=1)
    shape = (len(judges), people.shape[1])
    advantage, assessor_advantage, p = (np.full(shape, np.nan) for _ in range(3))
    things, observations = (np.zeros(shape, dtype=np.int64) for _ in range(2))
    distances = _distances(judges, people, alignment)
    for j in range(people.shape[1]):
        kept = there[:, j] & (counts > 1) & ~np.isnan(judges)
        things[:, j] = kept.sum(axis=1)
        judge_far = distances - _distance(judges, people[:, j], alignment)
        own_far = _distances(people[None, :, j], people, alignment)
        # sums of squares or of disagreements over the same others: their order is that of the alignments
        noise = SAME * (np.abs(distances) + own_far)
        judge_ahead = judge_far <= own_far + noise
        own_ahead = own_far <= judge_far + noise
        times, judge_mean = _cluster_means(judge_ahead, kept, starts)
        _, own_mean = _cluster_means(own_ahead, kept, starts)
        observations[:, j] = times
        tested = times >= least
        advantage[:, j] = np.where(tested, _mean(judge_mean), np.nan)
        assessor_advantage[:, j] = np.where(tested, _mean(own_mean), np.nan)
        p[:, j] = np.where(tested, _below(own_mean - judge_mean, epsilon), np.nan)
    why = tuple(
        _why(int(n), shape[1], least_assessors, least, clusters is not None)
        for n in np.count_nonzero(~np.isnan(p), axis=1)
    )
    none = np.array([reason is not None for reason in why], dtype=np.bool_)[:, None]
    p = np.where(none, np.nan, p)
    adjusted = np.stack([benjamini_yekutieli(row) for row in p]) if len(p) else p
    return AlternativeTests(
        advantage=advantage,
        assessor_advantage=assessor_advantage,
        p=p,
        adjusted=adjusted,
        won=~np.isnan(adjusted) & at_most(np.nan_to_num(adjusted, nan=1.0), alpha),
        things=things,
        observations=observations,
        epsilon=epsilon,
        alpha=alpha,
        why=why,
    )


def _distance(one: FloatArray, other: FloatArray, alignment: Alignment) -> FloatArray:
    """How far answers are apart; 0 where one is missing."""
    gone = np.isnan(one) | np.isnan(other)
    apart = np.square(one - other) if alignment == "rmse" else (one != other).astype(float)
    return np.where(gone, 0.0, apart)


def _distances(judges: FloatArray, people: FloatArray, alignment: Alignment) -> FloatArray:
    """Judges x things: the sum over all who answered."""
    total = np.zeros(judges.shape)
    for column in people.T:
        total += _distance(judges, column, alignment)
    return total


def _cluster_means(values: BoolArray, kept: BoolArray, starts: IntArray) -> tuple[IntArray, FloatArray]:
    """Of each judge, how many clusters have things that count, and the means of all; NaN where a cluster has none."""
    if not starts.size:
        return np.zeros(len(values), dtype=np.int64), np.full((len(values), 0), np.nan)
    times = np.add.reduceat(kept, starts, axis=1, dtype=np.int64)
    sums = np.add.reduceat(values & kept, starts, axis=1, dtype=np.int64)
    means = np.divide(sums, times, out=np.full(times.shape, np.nan), where=times > 0)
    return np.count_nonzero(times, axis=1), means


def _mean(values: FloatArray) -> FloatArray:
    """Of rows, over what is there."""
    there = ~np.isnan(values)
    means: FloatArray = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return means


def _below(d: FloatArray, epsilon: float) -> FloatArray:
    """p of a one-sided t-test of every row: its mean is below epsilon. Without spread p is 0 below it, else 1."""
    there = ~np.isnan(d)
    n = there.sum(axis=1)
    mean = _mean(d)
    squares = np.where(there, np.square(d - mean[:, None]), 0.0).sum(axis=1)
    same = np.where(there, d, np.inf).min(axis=1, initial=np.inf) == np.where(there, d, -np.inf).max(
        axis=1, initial=-np.inf
    )
    error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (mean - epsilon) / error
    p = special.stdtr(np.maximum(n - 1, 1), np.where(np.isfinite(t), t, 0.0))
    return np.where(same, np.where(mean < epsilon * (1 - SAME), 0.0, 1.0), p)


def _why(tested: int, assessors: int, least_assessors: int, least: int, clustered: bool) -> str | None:
    if tested >= least_assessors:
        return None
    if assessors < least_assessors:
        return (
            f"it needs {least_assessors} assessors, and there {'is' if assessors == 1 else 'are'} {assessors}"
        )
    what = "topics" if clustered else "things"
    return (
        f"it needs {least_assessors} assessors who share {least} {what} or more with the judge and another assessor,"
        f" and {tested or 'none'} of {assessors} {'does' if tested <= 1 else 'do'}"
    )
