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
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import LEAST_CLUSTERS, NOT_RESAMPLED, cluster_draws
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.judge_agreement import expanded_limits

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
    given = checks.numbers("judges", judges, dimensions=2)
    found = np.full(len(given), np.nan)
    whole = ~np.isnan(given).any(axis=1)
    if how == "mean":
        found[whole] = given[whole].mean(axis=1)
        return found
    for k in np.flatnonzero(whole):
        answers, times = np.unique(given[k], return_counts=True)
        common = answers[times == times.max()]
        found[k] = 0.5 if pairs and common.size > 1 else np.median(common)
    return found


# How far errors go together


@dataclass(frozen=True, slots=True)
class PanelEstimate:
    """A number with an expanded percentile interval over clusters; what cannot be computed is NaN and says why."""

    value: float
    low: float = math.nan
    high: float = math.nan
    why: str | None = None
    why_no_interval: str | None = None


@dataclass(frozen=True, eq=False)
class JudgeError:
    """One judge, or a panel: how far its answers follow the truth, and how far they are off."""

    sd: PanelEstimate
    """Standard deviation of its error, its answers put on people's scale (divided by the slope)."""
    slope: float
    """b: by how much its answers rise where the truth rises by 1; below 1 it uses less of the scale than people."""
    truth: PanelEstimate
    """The correlation of its answers with the truth."""


@dataclass(frozen=True, eq=False)
class PanelErrors:
    """The errors of several judges of the same things, people's own error taken off."""

    judges: tuple[JudgeError, ...]
    correlations: FloatArray
    """Between errors, judge by judge; NaN of a judge whose error cannot be estimated."""
    correlation: PanelEstimate
    """The mean of those between different judges."""
    worth: PanelEstimate
    """How many judges with independent errors would be as good."""
    uncorrected: float
    """The same with people's own error left in."""
    people_error: float
    """Standard deviation of the error of people's mean; NaN where nothing was judged by two."""
    truth_sd: float
    things: int
    """That all judges, and somebody else, answered for."""
    clusters: int
    severity: bool
    """Whether each assessor's own severity was taken off."""
    panel: JudgeError | None = None
    best: int | None = None
    """The judge with the smallest error."""
    gain: PanelEstimate = field(default_factory=lambda: PanelEstimate(math.nan))
    """The share of the best judge's error variance that the panel takes away; below 0 the panel is worse."""
    weighted_sd: float = math.nan
    """Of the error, were judges combined with the best weights for these things."""
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
    given = _prepared(judges, people, panel, clusters)
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    k = given.judges
    if given.why is not None:
        return _undefined(given, given.why)
    one = _moments(given, np.ones((1, given.clusters)))
    if not one.truth[0] > NOISE * one.people[0]:
        return _undefined(
            given,
            "people's means differ no more than their own error would have it"
            if one.people[0] > 0
            else "people give all things the same answer",
            one,
        )
    drawn = _moments(given, cluster_draws(rng, given.clusters, resamples))
    limits = _Limits(level=level, clusters=given.clusters, resamples=resamples)
    whys = [_why(one, at) for at in range(one.slopes.shape[1])]
    found = [
        JudgeError(
            sd=limits.of(one.sds()[0, at], drawn.sds()[:, at], whys[at]),
            slope=float(one.slopes[0, at]),
            truth=limits.of(one.truths()[0, at], drawn.truths()[:, at], SAME if whys[at] == SAME else None),
        )
        for at in range(one.slopes.shape[1])
    ]
    whys = [OPPOSITE if why == BACKWARDS and found[at].truth.high < 0 else why for at, why in enumerate(whys)]
    found = [replace(each, sd=replace(each.sd, why=why)) for each, why in zip(found, whys, strict=True)]
    off = next((why for why in whys[:k] if why is not None), None)
    mean = limits.of(one.correlation(k)[0], drawn.correlation(k), off)
    bare = _moments(given, np.ones((1, given.clusters)), own_error=False)
    known = [at for at in range(k) if not math.isnan(found[at].sd.value)]
    best = min(known, key=lambda at: found[at].sd.value) if known else None
    gain = PanelEstimate(math.nan, why="no judge's error can be estimated")
    if len(found) > k and best is not None:
        gain = limits.of(_gain(one, k, best)[0], _gain(drawn, k, best), whys[k])
    return PanelErrors(
        judges=tuple(found[:k]),
        correlations=one.correlations()[0, :k, :k],
        correlation=mean,
        worth=_worth(k, mean),
        uncorrected=math.nan if off is not None else kish(k, float(bare.correlation(k)[0])),
        people_error=math.sqrt(one.error[0]) if given.several else math.nan,
        truth_sd=math.sqrt(one.truth[0]),
        things=given.things,
        clusters=given.clusters,
        severity=given.severity,
        panel=found[k] if len(found) > k else None,
        best=best,
        gain=gain,
        weighted_sd=_weighted(one, k) if not any(whys[:k]) else math.nan,
    )


SAME = "its answers are all the same"
SMALL = "its error is not larger than people's own, so it cannot be told from theirs"
BACKWARDS = "its answers do not rise where people's do"
OPPOSITE = "it answers the opposite: its answers fall where people's rise"
CANCEL = "their errors cancel out: no number of judges with independent errors is as good"


def _worth(k: int, mean: PanelEstimate) -> PanelEstimate:
    if math.isinf(value := kish(k, mean.value)):
        return PanelEstimate(math.nan, why=CANCEL)
    return PanelEstimate(
        value=value,
        low=kish(k, mean.high),
        high=kish(k, mean.low),
        why=mean.why,
        why_no_interval=mean.why_no_interval,
    )


def _why(one: _Moments, at: int) -> str | None:
    own, error = one.variances[0, at], one.errors[0, at, at]
    if not own > 0:
        return SAME
    if not error > NOISE * own:
        return SMALL
    return None if one.slopes[0, at] > 0 else BACKWARDS


def _gain(found: _Moments, panel: int, best: int) -> FloatArray:
    sds = found.sds()
    return np.asarray(1 - (sds[:, panel] / sds[:, best]) ** 2)


def _weighted(one: _Moments, k: int) -> float:
    """The smallest error variance of a weighted mean whose weights add up to 1: 1 / (1' V^-1 1)."""
    b = one.slopes[0, :k]
    v = one.errors[0, :k, :k] / np.outer(b, b)
    if np.linalg.eigvalsh(v)[0] <= NOISE * np.trace(v):
        return math.nan
    return 1 / math.sqrt(float(np.linalg.solve(v, np.ones(k)).sum()))


def _undefined(given: _Prepared, why: str, one: _Moments | None = None) -> PanelErrors:
    none = PanelEstimate(math.nan, why=why)
    known = one is not None and given.several
    return PanelErrors(
        judges=tuple(JudgeError(sd=none, slope=math.nan, truth=none) for _ in range(given.judges)),
        correlations=np.full((given.judges, given.judges), np.nan),
        correlation=none,
        worth=none,
        uncorrected=math.nan,
        people_error=math.sqrt(one.error[0]) if known and one is not None else math.nan,
        truth_sd=math.nan,
        things=given.things,
        clusters=given.clusters,
        severity=given.severity,
        gain=none,
        why=why,
    )


@dataclass(frozen=True)
class _Limits:
    """Expanded percentile intervals, where the resamples make one."""

    level: float
    clusters: int
    resamples: int

    def of(self, value: float, drawn: FloatArray, why: str | None) -> PanelEstimate:
        if why is not None:
            return PanelEstimate(math.nan, why=why)
        known = drawn[~np.isnan(drawn)]
        no = None
        if self.resamples < 2:
            no = NOT_RESAMPLED
        elif self.clusters < LEAST_CLUSTERS:
            no = f"resampling {self.clusters} clusters says too little, there must be {LEAST_CLUSTERS}"
        elif known.size < LEAST_DRAWN * self.resamples:
            no = f"it is undefined in {drawn.size - known.size:,} of {self.resamples:,} resamples"
        if no is not None:
            return PanelEstimate(float(value), why_no_interval=no)
        low, high = expanded_limits(known, self.clusters, self.level)
        return PanelEstimate(float(value), low=low, high=high)


@dataclass(frozen=True)
class _Prepared:
    """Sums within clusters, from which all moments follow however often a cluster counts."""

    judges: int
    things: int
    clusters: int
    severity: bool
    several: bool
    """Whether two assessors answered for some things."""
    counts: FloatArray
    """By cluster: things, squares within things, their degrees of freedom, sums of 1 / assessors."""
    sums: FloatArray
    squares: FloatArray
    """By cluster: sums of the judges', the panel's and people's mean answers, and of their products."""
    why: str | None = None


def _prepared(
    judges: npt.ArrayLike, people: npt.ArrayLike, panel: npt.ArrayLike | None, clusters: Sequence[Any] | None
) -> _Prepared:
    given = checks.numbers("judges", judges, dimensions=2)
    answers = checks.numbers("people", people, dimensions=2)
    columns = given
    if panel is not None:
        columns = np.column_stack([given, checks.numbers("panel", panel, dimensions=1)])
    if len(given) != len(answers):
        raise UsageError(f"judges and people: expected one length, got {len(given)} and {len(answers)}")
    codes = checks.clusters_of(clusters, len(given))
    there = ~np.isnan(answers)
    kept = ~np.isnan(columns).any(axis=1) & there.any(axis=1)
    columns, answers, there = columns[kept], answers[kept], there[kept]
    codes = np.unique(codes[kept], return_inverse=True)[1]
    things, k, groups = len(columns), given.shape[1], int(codes.max(initial=-1)) + 1
    why = None
    if k < 2:
        why = f"a panel has at least two judges, here {k}"
    elif things < LEAST_THINGS:
        why = f"all judges and somebody else answered for {things}, there must be {LEAST_THINGS}"
    answers = answers[:, there.any(axis=0)]
    there = ~np.isnan(answers)
    severity = answers.shape[1] > 1 and bool((there.sum(axis=0) >= LEAST_OWN).all())
    lost = 0
    if severity:
        answers, lost = _without_severity(answers, there)
    n = there.sum(axis=1)
    means = np.where(there, answers, 0).sum(axis=1) / np.maximum(n, 1)
    within = np.where(there, (answers - means[:, None]) ** 2, 0).sum(axis=1)
    freedom = (n - 1).astype(float)
    several = freedom.sum() - lost > 0
    # severities that were estimated took degrees of freedom with them, from every thing alike
    freedom *= (freedom.sum() - lost) / freedom.sum() if several else 0.0
    x = np.column_stack([columns, means])
    x = x - x.mean(axis=0) if things else x
    counts, sums = np.zeros((groups, 4)), np.zeros((groups, x.shape[1]))
    squares = np.zeros((groups, x.shape[1], x.shape[1]))
    inverse = 1 / np.maximum(n, 1)
    np.add.at(counts, codes, np.column_stack([np.ones(things), within, freedom, inverse]))
    np.add.at(sums, codes, x)
    np.add.at(squares, codes, x[:, :, None] * x[:, None, :])
    return _Prepared(
        judges=k,
        things=things,
        clusters=groups,
        severity=severity,
        several=bool(several),
        counts=counts,
        sums=sums,
        squares=squares,
        why=why,
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
        own = np.diagonal(self.errors, axis1=1, axis2=2)
        good = (own > NOISE * self.variances) & (self.slopes > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(good, np.sqrt(np.where(good, own, 1)) / self.slopes, np.nan)

    def truths(self) -> FloatArray:
        """Correlations with the truth."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.clip(self.slopes * np.sqrt(self.truth[:, None] / self.variances), -1, 1)

    def correlations(self) -> FloatArray:
        """Between errors; 1 at most, for what is estimated by a subtraction may pass it."""
        own = np.diagonal(self.errors, axis1=1, axis2=2)
        good = own > NOISE * self.variances
        root = np.where(good, np.sqrt(np.where(good, own, 1)), np.nan)
        found = np.clip(self.errors / (root[:, :, None] * root[:, None, :]), -1, 1)
        at = np.arange(found.shape[1])
        found[:, at, at] = np.where(good, 1.0, np.nan)
        return np.asarray(found)

    def correlation(self, k: int) -> FloatArray:
        """The mean between the first k."""
        first, second = np.triu_indices(k, k=1)
        return np.asarray(self.correlations()[:, first, second].mean(axis=1))


def _moments(given: _Prepared, times: FloatArray, *, own_error: bool = True) -> _Moments:
    """Of every row of how often clusters count; some rows at a time where all would take much memory."""
    width = given.sums.shape[1]
    step = max(AT_ONCE // (width * width), 1)
    if len(times) > step:
        parts = [
            _moments(given, times[k : k + step], own_error=own_error) for k in range(0, len(times), step)
        ]
        names = ("people", "error", "truth", "slopes", "variances", "errors")
        return _Moments(**{name: np.concatenate([getattr(each, name) for each in parts]) for name in names})
    n, within, freedom, inverse = (times @ given.counts).T
    sums = times @ given.sums
    squares = np.tensordot(times, given.squares, axes=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = squares - sums[:, :, None] * sums[:, None, :] / n[:, None, None]
        covariance /= (n - 1)[:, None, None]
        error = np.where(freedom > 0, within / np.where(freedom > 0, freedom, 1), 0.0) * inverse / n
        error = error if own_error else np.zeros_like(error)
        people = covariance[:, -1, -1]
        truth = np.where(people - error > NOISE * people, people - error, np.nan)
        shared = covariance[:, :-1, -1]
        errors = covariance[:, :-1, :-1] - shared[:, :, None] * shared[:, None, :] / truth[:, None, None]
        return _Moments(
            people=people,
            error=error,
            truth=truth,
            slopes=shared / truth[:, None],
            variances=np.diagonal(covariance, axis1=1, axis2=2)[:, :-1],
            errors=errors,
        )
