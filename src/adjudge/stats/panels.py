"""Panels of judges: how far their errors go together, and how many independent judges they are worth.

The truth of a thing is what the mean of very many assessors like these would be. An answer of judge k is taken as
a_k + b_k truth + e_k: severity and spread of the scale are the judge's own and no error. People's mean is the truth
plus an error of its own, of variance v, known from how far assessors of one thing differ. With it taken off, the
covariance of two judges' errors is

    C_kl = cov(k, l) - b_k b_l var(truth),   b_k = cov(k, people) / var(truth),   var(truth) = var(people) - v,

a partial covariance corrected for attenuation (Fuller 1987, section 1.2). Left in, v would count as an error that all
judges share. K judges whose errors have the mean correlation r are worth K / (1 + (K - 1) r) independent ones
(Kish 1965, section 5.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.judge_agreement import DrawnValue, drawn_value, draws_of

PanelRule = Literal["mean", "vote"]
LEAST_THINGS = 10
"""That all judges and somebody else answered for; fewer say nothing of how errors go together."""
LEAST_OWN = 20
"""Answers of every assessor, from which on their severity is known well enough to be taken off."""
LEAST_DRAWN = 0.9
"""Of the resamples: where more are undefined, just those are missing in which errors look smallest."""
NOISE = 1e-9
"""A variance that is this share of another is 0, but for rounding."""
SAME = "its answers are all the same"
SMALL = "its error is not larger than people's own, so it cannot be told from theirs"
BACKWARDS = "its answers do not rise where people's do"
CANCEL = "their errors cancel out: no number of judges with independent errors is as good"


def panel_answers(judges: npt.ArrayLike, how: str, *, pairs: bool = False) -> FloatArray:
    """What a panel says of every thing (a row) that all of its judges (columns) answered for; else NaN.

    `mean`, or by `vote` the most common answer; of equally common ones the median of these, and of `pairs`, whose
    answers are 1, 0 and half a tie, a tie.
    """
    checks.one_of("how", how, get_args(PanelRule))
    judged = checks.numbers("judges", judges, dimensions=2)
    panel = np.full(len(judged), np.nan)
    whole = ~np.isnan(judged).any(axis=1)
    if how == "mean":
        panel[whole] = judged[whole].mean(axis=1)
        return panel
    for k in np.flatnonzero(whole):
        answers, times = np.unique(judged[k], return_counts=True)
        common = answers[times == times.max()]
        panel[k] = 0.5 if pairs and common.size > 1 else np.median(common)
    return panel


@dataclass(frozen=True, eq=False)
class PanelErrors:
    """The errors of several judges of the same things, people's own error taken off."""

    correlation: DrawnValue
    """The mean of the correlations between errors of different judges."""
    worth: DrawnValue
    """How many judges with independent errors would be as good."""
    things: int
    """That all judges, and somebody else, answered for."""
    clusters: int
    unknown: tuple[str | None, ...] = ()
    """Of every judge: why its error cannot be estimated."""
    alone: bool = False
    """Nothing was judged by two: people's own error is not known, and counts as one that all judges share."""


def kish(k: int, correlation: float) -> float:
    """How many independent judges k are worth whose errors have this mean correlation."""
    effect = 1 + (k - 1) * correlation
    return math.nan if math.isnan(correlation) else k / effect if effect > NOISE else math.inf


def panel_errors(
    judges: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: Sequence[Any] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
) -> PanelErrors:
    """The errors of judges (things x judges) beside people's answers (things x assessors); NaN is missing.

    Only things count that all judges, and at least one assessor, answered for. Assessors' errors are taken to be
    independent of each other's and of the judges'. The severity of assessors is taken off where each has at least 20
    answers; else it is part of their error.
    """
    columns = checks.numbers("judges", judges, dimensions=2)
    answers = checks.numbers("people", people, dimensions=2)
    if len(columns) != len(answers):
        raise UsageError(f"judges and people: expected one length, got {len(columns)} and {len(answers)}")
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    kept = ~np.isnan(columns).any(axis=1) & ~np.isnan(answers).all(axis=1)
    codes = np.unique(checks.clusters_of(clusters, len(columns))[kept], return_inverse=True)[1]
    k, things, size = columns.shape[1], int(kept.sum()), int(codes.max(initial=-1)) + 1

    def unknown(why: str, judges: tuple[str | None, ...] = (), alone: bool = False) -> PanelErrors:
        none = DrawnValue(math.nan, why=why)
        return PanelErrors(none, none, things, size, judges, alone)

    if k < 2:
        return unknown(f"a panel has at least two judges, here {k}")
    if things < LEAST_THINGS:
        return unknown(f"all judges and somebody else answered for {things}, there must be {LEAST_THINGS}")
    covariance, noise = _moments(columns[kept], answers[kept], codes, draws_of(rng, size, resamples))
    variances, shared = np.diagonal(covariance, axis1=1, axis2=2), covariance[:, :-1, -1]
    truth = variances[:, -1] - (0 if noise is None else noise)
    if not variances[0, -1] > 0:
        return unknown("people give all things the same answer")
    truth = np.where(truth > NOISE * variances[:, -1], truth, np.nan)
    if math.isnan(truth[0]):
        return unknown("people's means differ no more than their own error would have it")
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = covariance[:, :-1, :-1] - shared[:, :, None] * shared[:, None, :] / truth[:, None, None]
        error_variances = np.diagonal(errors, axis1=1, axis2=2)
        root = np.sqrt(np.where(error_variances > NOISE * variances[:, :-1], error_variances, np.nan))
        # a correlation that is estimated by a subtraction may pass 1
        between = np.clip(errors / (root[:, :, None] * root[:, None, :]), -1, 1)
    whys = tuple(
        SAME
        if not variances[0, at] > 0
        else SMALL
        if math.isnan(root[0, at])
        else BACKWARDS
        if shared[0, at] <= 0
        else None
        for at in range(k)
    )
    if why := next(filter(None, whys), None):
        return unknown(why, whys, noise is None)
    first, second = np.triu_indices(k, k=1)
    mean = drawn_value(between[:, first, second].mean(axis=1), size, level, least=LEAST_DRAWN)
    worth = DrawnValue(kish(k, mean.value), kish(k, mean.high), kish(k, mean.low), mean.why)
    if math.isinf(worth.value):
        worth = DrawnValue(math.nan, why=CANCEL)
    return PanelErrors(mean, worth, things, size, whys, noise is None)


def _moments(
    columns: FloatArray, answers: FloatArray, codes: IntArray, times: FloatArray
) -> tuple[FloatArray, FloatArray | None]:
    """In every draw of clusters, the data first: the covariances of judges and, last, of people's mean, from sums
    within clusters; and the variance of that mean's error, None where nothing was judged by two."""
    there = ~np.isnan(answers)
    answers, there = answers[:, there.any(axis=0)], there[:, there.any(axis=0)]
    lost = 0
    if answers.shape[1] > 1 and (there.sum(axis=0) >= LEAST_OWN).all():
        answers, lost = _without_severity(answers, there)
    n = there.sum(axis=1)
    means = np.where(there, answers, 0).sum(axis=1) / n
    within = np.where(there, (answers - means[:, None]) ** 2, 0).sum(axis=1)
    freedom = (n - 1).astype(float)
    several = bool(freedom.sum() - lost > 0)
    # severities that were estimated took degrees of freedom with them, from every thing alike
    freedom *= (freedom.sum() - lost) / freedom.sum() if several else 0.0
    x = np.column_stack([columns, means])
    x = x - x.mean(axis=0)

    def drawn(values: FloatArray) -> FloatArray:
        sums = np.zeros((times.shape[1], *values.shape[1:]))
        np.add.at(sums, codes, values)
        return np.concatenate([np.tensordot(some, sums, axes=1) for some in (times[:1], times[1:])])

    count, within, freedom, inverse = drawn(np.column_stack([np.ones(len(x)), within, freedom, 1 / n])).T
    sums, squares = drawn(x), drawn(x[:, :, None] * x[:, None, :])
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = squares - sums[:, :, None] * sums[:, None, :] / count[:, None, None]
        covariance /= (count - 1)[:, None, None]
        noise = np.where(freedom > 0, within / np.where(freedom > 0, freedom, 1), 0.0) * inverse / count
    return covariance, noise if several else None


def _without_severity(answers: FloatArray, there: BoolArray) -> tuple[FloatArray, int]:
    """Answers less the effect of who gave them, by least squares beside an effect of every thing; and how many
    effects were free."""
    # the normal equations of the assessors, things swept out: of assessors who share no thing the shortest solution
    n = there.sum(axis=1)
    weights = there / np.maximum(n, 1)[:, None]
    filled = np.where(there, answers, 0.0)
    means = filled.sum(axis=1) / np.maximum(n, 1)
    left = np.diag(there.sum(axis=0).astype(float)) - there.T.astype(float) @ weights
    right = (filled - there * means[:, None]).sum(axis=0)
    effects, _, rank, _ = np.linalg.lstsq(left, right, rcond=NOISE)
    return answers - effects[None, :], int(rank)
