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
from dataclasses import dataclass, replace
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
class JudgeError:
    """One judge, or a panel: how far its answers are off."""

    sd: DrawnValue
    """Standard deviation of its error, its answers put on people's scale (divided by the slope)."""
    slope: float
    """b: by how much its answers rise where the truth rises by 1; below 1 it uses less of the scale than people."""


@dataclass(frozen=True, eq=False)
class PanelErrors:
    """The errors of several judges of the same things, people's own error taken off."""

    judges: tuple[JudgeError, ...]
    correlation: DrawnValue
    """The mean of the correlations between errors of different judges."""
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
    columns = checks.numbers("judges", judges, dimensions=2)
    answers = checks.numbers("people", people, dimensions=2)
    k = columns.shape[1]
    if panel is not None:
        columns = np.column_stack([columns, checks.numbers("panel", panel, dimensions=1)])
    if len(columns) != len(answers):
        raise UsageError(f"judges and people: expected one length, got {len(columns)} and {len(answers)}")
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    kept = ~np.isnan(columns).any(axis=1) & ~np.isnan(answers).all(axis=1)
    codes = np.unique(checks.clusters_of(clusters, len(columns))[kept], return_inverse=True)[1]
    things, size = int(kept.sum()), int(codes.max(initial=-1)) + 1
    why, people_error = None, math.nan
    if k < 2:
        why = f"a panel has at least two judges, here {k}"
    elif things < LEAST_THINGS:
        why = f"all judges and somebody else answered for {things}, there must be {LEAST_THINGS}"
    else:
        moments = _moments(columns[kept], answers[kept], codes, draws_of(rng, size, resamples))
        people_error = moments.people_error
        if not moments.people > 0:
            why = "people give all things the same answer"
        elif math.isnan(moments.truth):
            why = "people's means differ no more than their own error would have it"
    none = DrawnValue(math.nan, why=why)
    unknown = PanelErrors(
        judges=(JudgeError(sd=none, slope=math.nan),) * k,
        correlation=none,
        worth=none,
        people_error=people_error,
        things=things,
        clusters=size,
        gain=none,
        why=why,
    )
    if why is not None:
        return unknown

    def estimate(drawn: FloatArray, why: str | None) -> DrawnValue:
        return DrawnValue(math.nan, why=why) if why else drawn_value(drawn, size, level, least=LEAST_DRAWN)

    sds, whys = moments.sds(), [moments.why(at) for at in range(columns.shape[1])]
    errors = [
        JudgeError(sd=estimate(sds[:, at], why), slope=float(moments.slopes[0, at]))
        for at, why in enumerate(whys)
    ]
    mean = estimate(moments.correlation(k), next(filter(None, whys[:k]), None))
    worth = replace(mean, value=kish(k, mean.value), low=kish(k, mean.high), high=kish(k, mean.low))
    best = min((at for at in range(k) if whys[at] is None), key=lambda at: errors[at].sd.value, default=None)
    gain = DrawnValue(math.nan, why="no judge's error can be estimated")
    if panel is not None and best is not None:
        gain = estimate(1 - (sds[:, k] / sds[:, best]) ** 2, whys[k])
    return replace(
        unknown,
        judges=tuple(errors[:k]),
        correlation=mean,
        worth=DrawnValue(math.nan, why=CANCEL) if math.isinf(worth.value) else worth,
        gain=gain,
        panel=None if panel is None else errors[k],
        best=best,
    )


@dataclass(frozen=True)
class _Moments:
    """Moments of truth, judges and errors: of the data, and in arrays of every draw of clusters, the data first."""

    people: float
    """The variance of people's means."""
    people_error: float
    """The root of v; NaN where nothing was judged by two."""
    truth: float
    slopes: FloatArray
    variances: FloatArray
    errors: FloatArray
    """C, draws x columns x columns."""

    def why(self, at: int) -> str | None:
        """Why a judge has no error."""
        variance, error = self.variances[0, at], self.errors[0, at, at]
        if not variance > 0:
            return SAME
        if not error > NOISE * variance:
            return SMALL
        return None if self.slopes[0, at] > 0 else BACKWARDS

    def sds(self) -> FloatArray:
        """Of errors on people's scale; NaN where there is no error, or no slope upwards."""
        error_variances = np.diagonal(self.errors, axis1=1, axis2=2)
        good = (error_variances > NOISE * self.variances) & (self.slopes > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(good, np.sqrt(np.where(good, error_variances, 1)) / self.slopes, np.nan)

    def correlation(self, k: int) -> FloatArray:
        """The mean between errors of the first k; each is 1 at most, for what is estimated by a subtraction may pass
        it."""
        error_variances = np.diagonal(self.errors, axis1=1, axis2=2)
        good = error_variances > NOISE * self.variances
        root = np.where(good, np.sqrt(np.where(good, error_variances, 1)), np.nan)
        between = np.clip(self.errors / (root[:, :, None] * root[:, None, :]), -1, 1)
        first, second = np.triu_indices(k, k=1)
        return np.asarray(between[:, first, second].mean(axis=1))


def _moments(columns: FloatArray, answers: FloatArray, codes: IntArray, times: FloatArray) -> _Moments:
    """From sums within clusters all moments follow, however often a cluster counts."""
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
    groups, width = times.shape[1], x.shape[1]
    counts, sums, squares = (np.zeros((groups, *shape)) for shape in ((4,), (width,), (width, width)))
    np.add.at(counts, codes, np.column_stack([np.ones(len(x)), within, freedom, 1 / n]))
    np.add.at(sums, codes, x)
    np.add.at(squares, codes, x[:, :, None] * x[:, None, :])
    counts, sums, squares = (
        np.concatenate([np.tensordot(some, values, axes=1) for some in (times[:1], times[1:])])
        for values in (counts, sums, squares)
    )
    drawn, within, freedom, inverse = counts.T
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = squares - sums[:, :, None] * sums[:, None, :] / drawn[:, None, None]
        covariance /= (drawn - 1)[:, None, None]
        error = np.where(freedom > 0, within / np.where(freedom > 0, freedom, 1), 0.0) * inverse / drawn
        people = covariance[:, -1, -1]
        truth = np.where(people - error > NOISE * people, people - error, np.nan)
        shared = covariance[:, :-1, -1]
        return _Moments(
            people=float(people[0]),
            people_error=math.sqrt(error[0]) if several else math.nan,
            truth=float(truth[0]),
            slopes=shared / truth[:, None],
            variances=np.diagonal(covariance, axis1=1, axis2=2)[:, :-1],
            errors=covariance[:, :-1, :-1] - shared[:, :, None] * shared[:, None, :] / truth[:, None, None],
        )


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
