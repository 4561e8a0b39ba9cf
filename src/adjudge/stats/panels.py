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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import cluster_draws
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.judge_agreement import DrawnValue, drawn_value

PanelRule = Literal["mean", "vote"]
LEAST_THINGS = 10
"""That all judges and somebody else answered for; fewer say nothing of how errors go together."""
LEAST_OWN = 20
"""Answers of every assessor, from which on their severity is known well enough to be taken off."""
LEAST_DRAWN = 0.9
"""Of the resamples: where more are undefined, just those are missing in which errors look smallest."""
AT_ONCE = 1_000_000
"""Numbers that resamples may take together."""
NOISE = 1e-9
"""A variance that is this share of another is 0, but for rounding."""


# What a panel answers


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


# How far errors go together


@dataclass(frozen=True, eq=False)
class JudgeError:
    """One judge, or a panel: how far its answers follow the truth, and how far they are off."""

    sd: DrawnValue
    """Standard deviation of its error, its answers put on people's scale (divided by the slope)."""
    slope: float
    """b: by how much its answers rise where the truth rises by 1; below 1 it uses less of the scale than people."""
    truth: DrawnValue
    """The correlation of its answers with the truth."""


@dataclass(frozen=True, eq=False)
class PanelErrors:
    """The errors of several judges of the same things, people's own error taken off."""

    judges: tuple[JudgeError, ...]
    correlations: FloatArray
    """Between errors, judge by judge; NaN of a judge whose error cannot be estimated."""
    correlation: DrawnValue
    """The mean of those between different judges."""
    worth: DrawnValue
    """How many judges with independent errors would be as good."""
    people_error: float
    """Standard deviation of the error of people's mean; NaN where nothing was judged by two."""
    things: int
    """That all judges, and somebody else, answered for."""
    clusters: int
    gain: DrawnValue
    """The share of the best judge's error variance that the panel takes away; below 0 the panel is worse."""
    panel: JudgeError | None = None
    best: int | None = None
    """The judge with the smallest error."""
    why: str | None = None


def kish(k: int, correlation: float) -> float:
    """How many independent judges k are worth whose errors have this mean correlation."""
    effect = 1 + (k - 1) * correlation
    return math.nan if math.isnan(correlation) else k / effect if effect > NOISE else math.inf


def panel_errors(
    judges: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    panel: npt.ArrayLike | None = None,
    clusters: Sequence[Any] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
) -> PanelErrors:
    """The errors of judges (things x judges) beside people's answers (things x assessors); NaN is missing.

    Only things count that all judges, and at least one assessor, answered for. `panel` are the answers of the panel
    itself. Assessors' errors are taken to be independent of each other's and of the judges'. The severity of assessors
    is taken off where each has at least 20 answers; else it is part of their error.
    """
    sums = _prepared(judges, people, panel, clusters)
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    k = sums.judges
    one = _moments(sums, np.ones((1, sums.clusters)))
    why = None
    if k < 2:
        why = f"a panel has at least two judges, here {k}"
    elif sums.things < LEAST_THINGS:
        why = f"all judges and somebody else answered for {sums.things}, there must be {LEAST_THINGS}"
    elif not one.people[0] > 0:
        why = "people give all things the same answer"
    elif not one.truth[0] > NOISE * one.people[0]:
        why = "people's means differ no more than their own error would have it"
    known_error = sums.several and k > 1 and sums.things >= LEAST_THINGS
    people_error = math.sqrt(one.error[0]) if known_error else math.nan
    if why is not None:
        none = DrawnValue(math.nan, why=why)
        return PanelErrors(
            judges=(JudgeError(sd=none, slope=math.nan, truth=none),) * k,
            correlations=np.full((k, k), np.nan),
            correlation=none,
            worth=none,
            people_error=people_error,
            things=sums.things,
            clusters=sums.clusters,
            gain=none,
            why=why,
        )
    drawn = _moments(sums, cluster_draws(rng, sums.clusters, resamples))

    def estimate(values: Callable[[_Moments], FloatArray], why: str | None) -> DrawnValue:
        if why is not None:
            return DrawnValue(math.nan, why=why)
        both = np.concatenate([values(one), values(drawn)])
        return drawn_value(both, sums.clusters, level, least=LEAST_DRAWN)

    errors, whys = [], []
    for at in range(one.slopes.shape[1]):
        why = _why(one, at)
        truth = estimate(lambda m, at=at: m.truths()[:, at], SAME if why == SAME else None)  # type: ignore[misc]
        why = OPPOSITE if why == BACKWARDS and truth.high < 0 else why
        sd = estimate(lambda m, at=at: m.sds()[:, at], why)  # type: ignore[misc]
        errors.append(JudgeError(sd=sd, slope=float(one.slopes[0, at]), truth=truth))
        whys.append(why)
    mean = estimate(lambda m: m.correlation(k), next(filter(None, whys[:k]), None))
    worth = replace(mean, value=kish(k, mean.value), low=kish(k, mean.high), high=kish(k, mean.low))
    best = min((at for at in range(k) if whys[at] is None), key=lambda at: errors[at].sd.value, default=None)
    gain = DrawnValue(math.nan, why="no judge's error can be estimated")
    if len(errors) > k and best is not None:
        gain = estimate(lambda m, at=best: 1 - (m.sds()[:, k] / m.sds()[:, at]) ** 2, whys[k])  # type: ignore[misc]
    return PanelErrors(
        judges=tuple(errors[:k]),
        correlations=one.correlations()[0, :k, :k],
        correlation=mean,
        worth=DrawnValue(math.nan, why=CANCEL) if math.isinf(worth.value) else worth,
        people_error=people_error,
        things=sums.things,
        clusters=sums.clusters,
        gain=gain,
        panel=errors[k] if len(errors) > k else None,
        best=best,
    )


SAME = "its answers are all the same"
SMALL = "its error is not larger than people's own, so it cannot be told from theirs"
BACKWARDS = "its answers do not rise where people's do"
OPPOSITE = "it answers the opposite: its answers fall where people's rise"
CANCEL = "their errors cancel out: no number of judges with independent errors is as good"


def _why(one: _Moments, at: int) -> str | None:
    variance, error = one.variances[0, at], one.errors[0, at, at]
    if not variance > 0:
        return SAME
    if not error > NOISE * variance:
        return SMALL
    return None if one.slopes[0, at] > 0 else BACKWARDS


@dataclass(frozen=True)
class _Prepared:
    """Sums within clusters, from which all moments follow however often a cluster counts."""

    judges: int
    things: int
    clusters: int
    several: bool
    """Whether two assessors answered for some things."""
    counts: FloatArray
    """By cluster: things, squares within things, their degrees of freedom, sums of 1 / assessors."""
    sums: FloatArray
    squares: FloatArray
    """By cluster: sums of the judges', the panel's and people's mean answers, and of their products."""


def _prepared(
    judges: npt.ArrayLike, people: npt.ArrayLike, panel: npt.ArrayLike | None, clusters: Sequence[Any] | None
) -> _Prepared:
    columns = checks.numbers("judges", judges, dimensions=2)
    answers = checks.numbers("people", people, dimensions=2)
    k = columns.shape[1]
    if panel is not None:
        columns = np.column_stack([columns, checks.numbers("panel", panel, dimensions=1)])
    if len(columns) != len(answers):
        raise UsageError(f"judges and people: expected one length, got {len(columns)} and {len(answers)}")
    kept = ~np.isnan(columns).any(axis=1) & ~np.isnan(answers).all(axis=1)
    codes = np.unique(checks.clusters_of(clusters, len(columns))[kept], return_inverse=True)[1]
    columns, answers = columns[kept], answers[kept]
    answers = answers[:, ~np.isnan(answers).all(axis=0)]
    there = ~np.isnan(answers)
    things, groups = len(columns), int(codes.max(initial=-1)) + 1
    lost = 0
    if answers.shape[1] > 1 and (there.sum(axis=0) >= LEAST_OWN).all():
        answers, lost = _without_severity(answers, there)
    n = there.sum(axis=1)
    means = np.where(there, answers, 0).sum(axis=1) / np.maximum(n, 1)
    within = np.where(there, (answers - means[:, None]) ** 2, 0).sum(axis=1)
    freedom = (n - 1).astype(float)
    several = bool(freedom.sum() - lost > 0)
    # severities that were estimated took degrees of freedom with them, from every thing alike
    freedom *= (freedom.sum() - lost) / freedom.sum() if several else 0.0
    x = np.column_stack([columns, means])
    x = x - x.mean(axis=0) if things else x
    counts, sums = np.zeros((groups, 4)), np.zeros((groups, x.shape[1]))
    squares = np.zeros((groups, x.shape[1], x.shape[1]))
    np.add.at(counts, codes, np.column_stack([np.ones(things), within, freedom, 1 / np.maximum(n, 1)]))
    np.add.at(sums, codes, x)
    np.add.at(squares, codes, x[:, :, None] * x[:, None, :])
    return _Prepared(k, things, groups, several, counts, sums, squares)


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


@dataclass(frozen=True)
class _Moments:
    """Of every resample: moments of truth, judges and errors."""

    people: FloatArray
    """The variance of people's means."""
    error: FloatArray
    """v: of the error of people's means."""
    truth: FloatArray
    slopes: FloatArray
    variances: FloatArray
    errors: FloatArray
    """C, resamples x columns x columns."""

    def sds(self) -> FloatArray:
        """Of errors on people's scale; NaN where there is no error, or no slope upwards."""
        error_variances = np.diagonal(self.errors, axis1=1, axis2=2)
        good = (error_variances > NOISE * self.variances) & (self.slopes > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(good, np.sqrt(np.where(good, error_variances, 1)) / self.slopes, np.nan)

    def truths(self) -> FloatArray:
        """Correlations with the truth."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.clip(self.slopes * np.sqrt(self.truth[:, None] / self.variances), -1, 1)

    def correlations(self) -> FloatArray:
        """Between errors; 1 at most, for what is estimated by a subtraction may pass it."""
        error_variances = np.diagonal(self.errors, axis1=1, axis2=2)
        good = error_variances > NOISE * self.variances
        root = np.where(good, np.sqrt(np.where(good, error_variances, 1)), np.nan)
        between = np.clip(self.errors / (root[:, :, None] * root[:, None, :]), -1, 1)
        at = np.arange(between.shape[1])
        between[:, at, at] = np.where(good, 1.0, np.nan)
        return np.asarray(between)

    def correlation(self, k: int) -> FloatArray:
        """The mean between the first k."""
        first, second = np.triu_indices(k, k=1)
        return np.asarray(self.correlations()[:, first, second].mean(axis=1))


def _moments(prepared: _Prepared, times: FloatArray) -> _Moments:
    """Of every row of how often clusters count; some rows at a time where all would take much memory."""
    step = max(AT_ONCE // prepared.sums.shape[1] ** 2, 1)
    if len(times) > step:
        parts = [_moments(prepared, times[k : k + step]) for k in range(0, len(times), step)]
        names = [of.name for of in fields(_Moments)]
        return _Moments(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
    n, within, freedom, inverse = (times @ prepared.counts).T
    sums = times @ prepared.sums
    squares = np.tensordot(times, prepared.squares, axes=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = squares - sums[:, :, None] * sums[:, None, :] / n[:, None, None]
        covariance /= (n - 1)[:, None, None]
        error = np.where(freedom > 0, within / np.where(freedom > 0, freedom, 1), 0.0) * inverse / n
        people = covariance[:, -1, -1]
        truth = np.where(people - error > NOISE * people, people - error, np.nan)
        shared = covariance[:, :-1, -1]
        return _Moments(
            people=people,
            error=error,
            truth=truth,
            slopes=shared / truth[:, None],
            variances=np.diagonal(covariance, axis1=1, axis2=2)[:, :-1],
            errors=covariance[:, :-1, :-1] - shared[:, :, None] * shared[:, None, :] / truth[:, None, None],
        )
