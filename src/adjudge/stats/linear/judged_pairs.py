"""Every two systems compared with assessors: for those who judged, and for assessors like them.

The model is value = system + assessor + topic + topic:assessor + system:topic + system:assessor + noise. Systems and
assessors are fixed, so that a difference is adjusted for how severe its assessors were; the rest is random, as far as
the design tells the terms apart. A difference has one estimate, and two errors:

- for these assessors: what system:topic and the noise leave unsure;
- for assessors like them: the same and system:assessor, whose variance is never below 0, with degrees of freedom that
  are never above those of the first. So its p is never below the first one's.

Every pair's variances are moderated (Smyth 2004): its own is averaged with that of all pairs, which weighs the more
the more alike the pairs are. Where systems divide assessors unequally (Cochran 1941) the others weigh less.

Where groups of equally many assessors judged everything of equally many topics, mean squares are all that is needed.
Elsewhere REML on the rows (mixed.py) gives the variances.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu
from scipy.special import betaincc, digamma, polygamma, stdtr

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judging import FEW_JUDGES, FEWEST_DF, group_labels, judge_freedom, own_freedom
from adjudge.stats.linear.mixed import LEAST_NOISE, Reml, criterion_of, elimination, search
from adjudge.stats.linear.model import Key, LinearModel, fit_model, indicators, same_groups
from adjudge.stats.linear.strata import Strata, reml_of_mean_squares
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import columns_of_pairs

JudgedDesign = Literal["crossed", "blocks", "one judge a row", "assigned", "one judge"]

FILLED = 0.8
"""The share of cells filled from which a design counts as crossed, with cells missing, rather than as assigned."""
MOST_RANKED = 1_500
"""Effects beside the largest term up to which ranks are computed, to see which terms a design tells apart."""
MOST_WORK = 2e10
"""Multiplications of one step of REML: about half a minute for all of them."""
NEARLY_NOISE = 1.25
"""Rows in a cell of a term, on average, up to which the noise stands for the term where they cannot be told apart."""
NONE = 1e-12
"""An own variance below this share of the pooled one is what rounding leaves of none."""
UNEQUAL = 0.25
"""p of Cochran's test below which the other pairs weigh less."""
LEAST_LENT = 0.2
"""The share of their weight that is always left to them."""

TERMS: dict[Key, str] = {
    (1,): "topic",
    (2,): "assessor",
    (1, 2): "topic:assessor",
    (0, 1): "system:topic",
    (0, 2): "system:assessor",
}
"""Random terms by their factors: 0 is the system, 1 the topic, 2 the assessor."""
ALMOST_NO_NOISE = Note.of("almost-no-noise")
APART = Note.of("judges-apart")
"""Who judged the one system did not judge the other, nor did anybody who joins them.

Then differences of systems are those of their assessors. Others like them can be spoken of where several assessors
judged each system: how far they are apart says how far others would be."""


class _NoFitError(Exception):
    """No model can be fitted, and why."""

    def __init__(self, why: Note) -> None:
        super().__init__(why.code)
        self.why = why


@dataclass(frozen=True)
class Sureness:
    """How sure differences are, for one population of assessors; NaN where that cannot be said."""

    error: FloatArray
    df: FloatArray
    statistic: FloatArray
    """Student's t."""
    p: FloatArray
    """Two-sided, not corrected."""


@dataclass(frozen=True)
class Deviations:
    """Of each system from the average system, with standard errors and degrees of freedom for both populations."""

    estimate: FloatArray
    these: tuple[FloatArray, FloatArray]
    similar: tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class JudgedPairs:
    """Every two systems compared. What has no test is NaN, and says why."""

    first: IntArray
    second: IntArray
    n: IntArray
    """Topics that both have."""
    difference: FloatArray
    """First less second."""
    these: Sureness
    """For those who judged."""
    similar: Sureness
    """For assessors like them."""
    deviations: Deviations
    means: FloatArray
    """Of each system, over its assessors and topics as if all had judged it on all of them."""
    components: dict[str, float]
    """Variances of the random terms that the design tells apart, and "residual"."""
    unequal: tuple[float, int] | None
    """Whether systems divide assessors unequally: p of Cochran's test, and the system that divides them most."""
    design: JudgedDesign
    complete: bool
    """Whether every assessor judged every system on each of their topics."""
    systems: int
    judges: int
    groups: int
    """Parts of the design that share neither topics nor assessors."""
    unavailable: Note | None
    """Why only these assessors can be spoken of, if so: then `similar` is NaN."""
    why: dict[int, Note] = field(default_factory=dict)
    """The reason, by the pair's position, where there is no p even for these assessors."""

    def __len__(self) -> int:
        return self.n.size

    @property
    def judge_df(self) -> int:
        """Degrees of freedom for how assessors disagree about one pair: within groups, or between them."""
        return int(own_freedom(self.judges, self.groups))

    @property
    def few(self) -> bool:
        """Whether assessors are so few that the error rests on systems dividing them alike."""
        return self.judge_df < FEW_JUDGES - 1


@dataclass(frozen=True)
class _Judgments:
    """One value for each system, topic and assessor that has any, with codes from 0 without gaps."""

    values: FloatArray
    """Divided by `scale`."""
    scale: float
    system: IntArray
    topic: IntArray
    judge: IntArray
    all_systems: int
    systems: IntArray
    """The codes given of the systems that have values."""
    topics: int
    judges: int
    groups: int
    group: IntArray
    """Of every judgment."""
    cluster: IntArray
    """The set of every topic; a set of its own where none is known."""

    @property
    def size(self) -> int:
        return self.systems.size

    @property
    def noise(self) -> float:
        """What is left of equal values."""
        return NOISE * float(np.abs(self.values).max(initial=0.0))

    def judge_df_of_systems(self) -> IntArray:
        """Degrees of freedom for assessors of each system alone, by those who judged it."""
        judged, seen = np.zeros((self.size, self.judges)), np.zeros((self.size, self.groups))
        judged[self.system, self.judge] = 1
        seen[self.system, self.group] = 1
        judges, groups = judged.sum(axis=1), seen.sum(axis=1)
        return np.asarray(np.maximum(judges - groups, groups - 1).astype(np.int64))


Form = Callable[[FloatArray], FloatArray]
"""The variances of some contrasts of systems, from a covariance of the systems; linear in it."""


@dataclass(frozen=True)
class _Variance:
    """One part of the variance of contrasts: what is expected of all systems alike, and what each shows itself.

    `seen` over `expected` is how many times the pooled variance a contrast shows.
    """

    pooled: FloatArray
    seen: FloatArray
    expected: FloatArray

    def shares(self, form: Form) -> FloatArray:
        """The contrast's own variance, in multiples of the pooled one."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.maximum(form(self.seen) / form(self.expected), 0.0)


@dataclass(frozen=True)
class _Fit:
    """Means of systems, and the three parts of the variance of contrasts among them."""

    means: FloatArray
    components: dict[str, float]
    topics: _Variance
    """For these assessors."""
    assessors: _Variance | None
    """What assessors make of systems, with the noise in it; None where the first part holds it already."""
    noise: FloatArray
    """The noise in the second part."""
    noise_df: float
    unequal: tuple[float, int] | None
    joined: IntArray
    """Systems with one number were judged by assessors whom chains of systems join."""
    shared_topics: FloatArray
    """Systems x systems: degrees of freedom for topics of every two."""
    held: bool = True
    """Whether what assessors make of systems is in one of the parts."""
    apart: _Fit | None = None
    """Of systems that nobody joins, with assessors random: what it says is for assessors like them."""


def judged_pairs(
    values: npt.ArrayLike,
    rows: npt.ArrayLike,
    columns: npt.ArrayLike,
    judges: npt.ArrayLike,
    *,
    size: int,
    clusters: npt.ArrayLike | None = None,
) -> JudgedPairs:
    """Compare every two of `size` systems, for these assessors and for assessors like them; topics are a sample.

    A judgment is a value with the codes of its topic (row), system (column, below size) and assessor (judge), whole
    numbers from 0; `clusters` has a code for every topic, where whole sets of topics are the sample. NaN values are
    left out; repeats of one assessor are averaged first.
    """
    data = _judgments(values, rows, columns, judges, size, clusters)
    fit: _Fit | None = None
    no_fit: Note | None = Note.of("no-judgments")
    if data.judges == 1:
        no_fit = Note.of("one-judge")
    elif data.size > 1 and data.topics > 1:
        try:
            cube = _balanced(data)
            fit, no_fit = _from_rows(data) if cube is None else (_from_cube(data, cube), None)
        except _NoFitError as error:
            no_fit = error.why
        except UsageError as large:
            no_fit = Note.of("refused", text=large.text)
    return _compared(data, fit, no_fit)


def _compared(data: _Judgments, fit: _Fit | None, no_fit: Note | None) -> JudgedPairs:
    """Student's t of every pair that has two topics; 0 and p = 1 where two systems do not differ anywhere."""
    first, second = columns_of_pairs(data.all_systems)
    there = np.zeros((data.all_systems, data.topics))
    there[data.systems[data.system], data.topic] = 1
    n = np.asarray((there @ there.T).astype(np.int64))[first, second]
    place = np.full(max(1, data.all_systems), -1)
    place[data.systems] = np.arange(data.size)
    at = np.flatnonzero(n > 0)
    i, j = place[first[at]], place[second[at]]
    means = _plain_means(data) if fit is None else fit.means
    difference = np.full(first.size, math.nan)
    difference[at] = means[i] - means[j]
    difference[np.abs(difference) <= data.noise] = 0.0
    unavailable = _unavailable(data, fit, no_fit)
    numbers = np.full((2, 4, first.size), math.nan)
    why = {int(k): Note.of("few-in-common", n=int(n[k])) for k in np.flatnonzero(n < 2)}
    if fit is None:
        reason = no_fit or Note.of("no-judgments")
        why |= {int(k): reason for k in at if int(k) not in why}
    else:
        several, linked = n[at] > 1, fit.joined[i] == fit.joined[j]
        kept, across = several & linked, several & ~linked
        why |= {int(k): APART for k in at[across]}
        if fit.apart is not None:
            _across(numbers[1], difference, fit.apart, (at[across], i[across], j[across]), data.noise)
        at, i, j = at[kept], i[kept], j[kept]
        judge_df = np.minimum(*data.judge_df_of_systems()[[i, j]])
        variances = _moderated(fit, lambda c: _pairs(c, i, j), judge_df, lambda d: d[i, j], data.size)
        for of_population, variance, df in zip(numbers, *variances, strict=True):
            of_population[:, at] = _tested(difference[at], variance, df, data.noise)
        _of_constant_differences(numbers, difference, at, data)
        # Rounding must not bring the wider claim below the narrower.
        numbers[1, 3] = np.fmax(numbers[1, 3], numbers[0, 3])
        if unavailable is not None:
            numbers[1] = math.nan
        why |= {int(k): Note.of("all-alike") for k in at[np.isnan(numbers[0, 3, at])]}
    numbers[:, 0] *= data.scale
    design, complete = _design(data)
    with np.errstate(over="ignore"):
        components = (
            {name: float(np.square(data.scale) * v) for name, v in fit.components.items()} if fit else {}
        )
    return JudgedPairs(
        first=first,
        second=second,
        n=n,
        difference=difference * data.scale,
        these=Sureness(*numbers[0]),
        similar=Sureness(*numbers[1]),
        deviations=_deviations_of(data, fit, unavailable),
        means=_spread_out(means * data.scale, data),
        components=components,
        unequal=None
        if fit is None or fit.unequal is None
        else (fit.unequal[0], int(data.systems[fit.unequal[1]])),
        design=design,
        complete=complete,
        systems=data.size,
        judges=data.judges,
        groups=data.groups,
        unavailable=unavailable,
        why=why,
    )


def _tested(difference: FloatArray, variance: FloatArray, df: FloatArray, noise: float) -> FloatArray:
    """Error, degrees of freedom, t and p."""
    error = np.sqrt(variance)
    error[error <= noise] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where((difference == 0) & ~np.isnan(error), 0.0, difference / error)
    t[~np.isfinite(t)] = math.nan
    p = np.where((difference == 0) & (error == 0), 1.0, 2 * stdtr(df, -np.abs(t)))
    return np.array([error, df, t, p])


def _across(
    numbers: FloatArray,
    difference: FloatArray,
    fit: _Fit,
    pairs: tuple[IntArray, IntArray, IntArray],
    noise: float,
) -> None:
    """Pairs of systems whose assessors nobody joins, for assessors like them."""
    at, i, j = pairs
    difference[at] = fit.means[i] - fit.means[j]
    difference[at[np.abs(difference[at]) <= noise]] = 0.0
    numbers[:, at] = _tested(difference[at], _pairs(fit.topics.pooled, i, j), fit.shared_topics[i, j], noise)


def _of_constant_differences(
    numbers: FloatArray, difference: FloatArray, at: IntArray, data: _Judgments
) -> None:
    """Where no difference of any two systems varies, t is infinite: the sign test over topics, and over assessors."""
    constant = at[(numbers[0, 0, at] == 0) & (difference[at] != 0)]
    clusters = np.unique(data.cluster).size
    for of_population, many in zip(numbers, (clusters, min(clusters, data.judges)), strict=True):
        of_population[2, constant] = np.sign(difference[constant]) * many
        of_population[3, constant] = 2.0 ** (1 - many)


def _deviations_of(data: _Judgments, fit: _Fit | None, unavailable: Note | None) -> Deviations:
    nothing = _spread_out(np.full(data.size, math.nan), data)
    if fit is None or np.ptp(fit.joined):
        return Deviations(estimate=nothing, these=(nothing, nothing), similar=(nothing, nothing))

    def freedom(shared: FloatArray) -> FloatArray:
        return np.asarray(shared.diagonal())

    these, similar = (
        (_spread_out(np.sqrt(variance) * data.scale, data), _spread_out(df, data))
        for variance, df in zip(
            *_moderated(fit, _from_average, data.judge_df_of_systems(), freedom, data.size), strict=True
        )
    )
    return Deviations(
        estimate=_spread_out((fit.means - fit.means.mean()) * data.scale, data),
        these=these,
        similar=(nothing, nothing) if unavailable else similar,
    )


# The data and its design


def _judgments(
    values: npt.ArrayLike,
    rows: npt.ArrayLike,
    columns: npt.ArrayLike,
    judges: npt.ArrayLike,
    size: int,
    clusters: npt.ArrayLike | None,
) -> _Judgments:
    scores = checks.numbers("values", values, dimensions=1)
    checks.count("size", size, least=0)
    codes = []
    for name, labels in (("columns", columns), ("rows", rows), ("judges", judges)):
        array = np.asarray(labels)
        array = array.astype(np.int64) if not array.size else array
        whole = array.ndim == 1 and np.issubdtype(array.dtype, np.integer) and array.size == scores.size
        if not whole or array.min(initial=0) < 0:
            raise UsageError(f"{name}: expected {scores.size} whole numbers from 0, one for each value")
        codes.append(array.astype(np.int64))
    if codes[0].max(initial=-1) >= size:
        raise UsageError(f"columns: expected numbers below {size}, got {codes[0].max()}")
    kept = ~np.isnan(scores)
    (systems, system), (topics, topic), (people, judge) = (
        np.unique(column[kept], return_inverse=True) for column in codes
    )
    sets = np.arange(topics.max(initial=-1) + 1) if clusters is None else np.asarray(clusters)
    if sets.ndim != 1 or sets.size <= topics.max(initial=-1):
        raise UsageError(f"clusters: expected a code for each of {topics.max(initial=-1) + 1} topics")
    shape = max(1, systems.size), max(1, topics.size), max(1, people.size)
    cells, repeat = np.unique(np.ravel_multi_index((system, topic, judge), shape), return_inverse=True)
    # A power of two, so that nothing is rounded and squares of the largest scores do not overflow.
    scale = float(np.ldexp(1.0, np.frexp(np.abs(scores[kept]).max(initial=0.0))[1] - 1))
    means = np.bincount(repeat, scores[kept] / scale, cells.size) / np.bincount(repeat, minlength=cells.size)
    system, topic, judge = np.unravel_index(cells, shape)
    groups, label = group_labels(topic, judge)
    return _Judgments(
        values=means,
        scale=scale,
        system=system.astype(np.int64),
        topic=topic.astype(np.int64),
        judge=judge.astype(np.int64),
        all_systems=size,
        systems=systems.astype(np.int64),
        topics=topics.size,
        judges=people.size,
        groups=groups,
        group=label,
        cluster=np.unique(sets[topics], return_inverse=True)[1].astype(np.int64),
    )


def _design(data: _Judgments) -> tuple[JudgedDesign, bool]:
    """What the design is called, and whether every assessor judged all systems on all topics of the group."""
    if data.judges < 2:
        return "one judge", data.values.size == data.size * data.topics
    topics = _levels(data.topic, data.group, data.groups)
    judges = _levels(data.judge, data.group, data.groups)
    whole = data.size * int(topics @ judges)
    complete = data.values.size == whole
    if (judges == 1).all():
        return "one judge a row", complete
    if data.values.size < FILLED * whole:
        return "assigned", complete
    return ("crossed" if data.groups == 1 else "blocks"), complete


def _levels(codes: IntArray, group: IntArray, groups: int) -> IntArray:
    """How many different codes there are in each group; every code is in one."""
    owner = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    owner[codes] = group
    return np.bincount(owner, minlength=groups).astype(np.int64)


def _unavailable(data: _Judgments, fit: _Fit | None, no_fit: Note | None) -> Note | None:
    if fit is None:
        return no_fit
    if judge_freedom(data.judges, data.groups, data.size) < FEWEST_DF:
        return Note.of("few-judges")
    if not fit.held:
        return Note.of("judges-confounded")
    if data.size > 1 and np.bincount(fit.joined).max() < 2 and fit.apart is None:
        return APART
    return None


def _plain_means(data: _Judgments) -> FloatArray:
    """The mean of each system's topic means."""
    total, count = np.zeros((2, data.size, data.topics))
    np.add.at(total, (data.system, data.topic), data.values)
    np.add.at(count, (data.system, data.topic), 1)
    means = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    return np.asarray(means.sum(axis=1) / (count > 0).sum(axis=1))


def _spread_out(numbers: FloatArray, data: _Judgments) -> FloatArray:
    """The numbers of those systems that have any, among all."""
    every = np.full(data.all_systems, math.nan)
    every[data.systems] = numbers
    return every


# Contrasts of systems, and their moderated variances


def _pairs(covariance: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    diagonal = covariance.diagonal()
    return np.asarray(diagonal[i] + diagonal[j] - 2 * covariance[i, j])


def _from_average(covariance: FloatArray) -> FloatArray:
    return np.asarray(covariance.diagonal() - 2 * covariance.mean(axis=1) + covariance.mean())


def _moderated(
    fit: _Fit,
    form: Form,
    judge_df: IntArray,
    topic_df: Callable[[FloatArray], FloatArray],
    systems: int,
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Variances and degrees of freedom of contrasts, for these assessors and for assessors like them."""
    i, j = columns_of_pairs(systems)
    shared = fit.shared_topics
    prior = prior_df(fit.topics.shares(lambda c: _pairs(c, i, j)), shared[i, j])
    these, df = moderated(fit.topics.pooled, fit.topics.shares(form), form, topic_df(shared), prior, systems)
    if fit.assessors is None:
        return (these, these), (df, df)
    judge_df = np.maximum(1, judge_df)
    typical = float(np.median(judge_df))
    prior = prior_df(fit.assessors.shares(lambda c: _pairs(c, i, j)), np.full(i.size, typical))
    prior = less_lent(prior, fit.unequal, (systems - 1) * typical)
    theirs, their_df = moderated(
        fit.assessors.pooled, fit.assessors.shares(form), form, judge_df, prior, systems
    )
    noise = form(fit.noise)
    similar = these + np.maximum(0.0, theirs - noise)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = similar**2 / (these**2 / df + theirs**2 / their_df + noise**2 / fit.noise_df)
    # Where nearly nothing is left of a difference of two mean squares, one degree of freedom is.
    return (these, similar), (df, np.where(similar > 0, np.minimum(np.maximum(freedom, 1.0), df), df))


def moderated(
    pooled: FloatArray, shares: FloatArray, form: Form, own_df: npt.ArrayLike, prior: float, systems: int
) -> tuple[FloatArray, FloatArray]:
    """Variances between a contrast's own and the pooled one, and their degrees of freedom (Smyth 2004, section 4).

    `shares` is the own variance over the pooled one. A contrast without variance of its own borrows the pooled one.
    """
    d = np.maximum(1.0, np.asarray(own_df, dtype=np.float64))
    lent = min(prior, 1e9)
    there = shares > NONE
    share = np.where(there, (lent + d * shares) / (lent + d), 1.0)
    freedom = np.minimum(np.where(there, lent, 0.0) + d, max(1, systems - 1) * d)
    return np.maximum(share * form(pooled), 0.0), freedom


def less_lent(prior: float, unequal: tuple[float, int] | None, most: float) -> float:
    """What others lend where systems divide assessors unequally, by p of Cochran's test."""
    return prior if unequal is None else min(prior, most) * min(1.0, max(LEAST_LENT, unequal[0] / UNEQUAL))


def prior_df(shares: FloatArray, own_df: FloatArray) -> float:
    """How many degrees of freedom the average of all pairs lends each, by how their own variances spread.

    log s^2 spreads by trigamma(d / 2) where true variances are equal, and by trigamma(d0 / 2) more where they are
    drawn about the average with d0 degrees of freedom. Pairs share systems, which takes away some of the spread.
    """
    there = shares > NONE
    kept, d = shares[there], np.maximum(1.0, own_df[there])
    if kept.size < 3:
        return 0.0
    systems = (1 + math.sqrt(1 + 8 * shares.size)) / 2
    alike = 0.25 * 2 * (systems - 2) / (shares.size - 1)
    logs = np.log(kept) - digamma(d / 2) + np.log(d / 2)
    excess = float(logs.var(ddof=1)) / (1 - alike) - float(polygamma(1, d / 2).mean())
    return 2 * _trigamma_inverse(excess) if excess > 0 else math.inf


def _trigamma_inverse(value: float) -> float:
    """Newton's method, which converges from 0.5 + 1 / value on (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-10 * x:
            break
    return max(x, 1e-3)


def unequal_spread(spread: FloatArray, df: float) -> tuple[float, int] | None:
    """Cochran's C: is the largest of the systems' variances too large a share of their sum? p, and whose it is."""
    if spread.size < 3 or not spread.sum() > 0 or df < 1:
        return None
    largest = int(spread.argmax())
    share = float(spread[largest] / spread.sum())
    p = spread.size * float(betaincc(df / 2, df * (spread.size - 1) / 2, share))
    return min(1.0, p), largest


# Balanced: equal groups of assessors, who judged everything of equally many topics


def _balanced(data: _Judgments) -> FloatArray | None:
    """Systems x groups x topics x assessors; None where mean squares are not enough."""
    topics = _levels(data.topic, data.group, data.groups)
    judges = _levels(data.judge, data.group, data.groups)
    if np.ptp(topics) or np.ptp(judges):
        return None
    shape = data.size, data.groups, int(topics[0]), int(judges[0])
    if data.values.size != math.prod(shape):
        return None
    order = np.lexsort((data.judge, data.topic, data.group, data.system))
    return data.values[order].reshape(shape)


@dataclass(frozen=True)
class _Squares:
    """Sums of squares and products, systems x systems, of a balanced design: between groups, and within them of
    topics, of assessors and of what is left; with their degrees of freedom."""

    between: FloatArray
    topics: FloatArray
    judges: FloatArray
    rest: FloatArray
    df: tuple[int, int, int, int]


def _squares(cube: FloatArray, noise: float) -> _Squares:
    _, g, n, m = cube.shape
    whole = cube.mean(axis=(1, 2, 3), keepdims=True)
    group = cube.mean(axis=(2, 3), keepdims=True)
    topic = cube.mean(axis=3, keepdims=True)
    judge = cube.mean(axis=2, keepdims=True)

    def products(part: FloatArray, times: int) -> FloatArray:
        flat = part.reshape(part.shape[0], -1)
        squares = times * (flat @ flat.T)
        return np.asarray(squares) if np.trace(squares) > noise else np.zeros_like(squares)

    return _Squares(
        between=products(group - whole, n * m),
        topics=products(topic - group, m),
        judges=products(judge - group, n),
        rest=products(cube - topic - judge + group, 1),
        df=(g - 1, g * (n - 1), g * (m - 1), g * (n - 1) * (m - 1)),
    )


def _from_cube(data: _Judgments, cube: FloatArray) -> _Fit:
    """Mean squares, pooled over systems and of every contrast."""
    s, g, n, m = cube.shape
    rows = g * n * m
    shared = cube.mean(axis=0, keepdims=True) - cube.mean()
    # What is left of equal differences is rounding, and counts as none.
    noise = cube.size * (NOISE * float(np.abs(cube).max())) ** 2
    apart, common = _squares(cube - cube.mean() - shared, noise), _squares(shared, noise)
    mean_squares, keys = _pooled_strata(apart, common, (s, g, n, m))
    variances = reml_of_mean_squares(mean_squares)
    between, topics, judges, rest = (
        _mean_square(squares, df, rows)
        for squares, df in zip((apart.between, apart.topics, apart.judges, apart.rest), apart.df, strict=True)
    )
    assessors: _Variance | None = None
    unsure, unsure_df = np.zeros((s, s)), 1.0
    if n == 1:  # assessors who share one topic, or have one each: between topics there is all that matters
        over_topics, df = between, g - 1
    elif m == 1:  # one assessor a topic
        over_topics, df, assessors = topics, apart.df[1], between
        unsure, unsure_df = topics.pooled, (s - 1) * apart.df[1]
    else:
        over_topics, df, assessors = topics, apart.df[1], judges
        unsure, unsure_df = rest.pooled, (s - 1) * apart.df[3]
    if np.unique(data.cluster).size < data.topics:
        over_topics, df = _by_sets(data, over_topics), np.unique(data.cluster).size - 1
    judge_df = own_freedom(g * m, g)
    return _Fit(
        means=cube.mean(axis=(1, 2, 3)),
        components={TERMS.get(key, "residual"): float(v) for key, v in zip(keys, variances, strict=True)},
        topics=over_topics,
        assessors=assessors,
        noise=unsure,
        noise_df=float(max(1, unsure_df)),
        unequal=None if assessors is None else unequal_spread(assessors.seen.diagonal(), judge_df),
        joined=np.zeros(s, dtype=np.int64),
        shared_topics=np.full((s, s), float(max(1, df))),
    )


def _mean_square(squares: FloatArray, df: int, rows: int) -> _Variance:
    """The variance of means from sums of squares and products."""
    size = len(squares)
    if not df:
        return _Variance(np.zeros_like(squares), np.zeros_like(squares), np.eye(size))
    pooled = np.eye(size) * float(np.trace(squares)) / max(1, size - 1) / df / rows
    return _Variance(pooled=pooled, seen=squares / df / rows, expected=pooled)


def _by_sets(data: _Judgments, by_topics: _Variance) -> _Variance:
    """The same where whole sets of topics vary: sums over the topics of every set, in a complete design."""
    size, sets = data.size, np.unique(data.cluster).size
    means = np.zeros((size, data.topics))
    np.add.at(means, (data.system, data.topic), data.values)
    means /= data.values.size / means.size
    left = means - means.mean(axis=0) - (means - means.mean(axis=0)).mean(axis=1, keepdims=True)
    sums = np.zeros((size, sets))
    np.add.at(sums.T, data.cluster, left.T)
    seen = sets / max(1, sets - 1) * (sums @ sums.T) / data.topics**2
    if np.trace(seen) <= NONE * np.trace(by_topics.pooled):
        seen = np.zeros_like(seen)
    pooled = np.eye(size) * float(np.trace(seen)) / max(1, size - 1)
    return _Variance(pooled=pooled, seen=seen, expected=pooled)


def _pooled_strata(
    apart: _Squares, common: _Squares, shape: tuple[int, int, int, int]
) -> tuple[Strata, list[Key]]:
    """Mean squares of what systems share and of what they do not, and the variances that they are made of.

    With one assessor in a group, a topic's own part and the assessor's part in it cannot be told apart, and so on:
    what the rows of the coefficients cannot tell apart is one variance, called by the simpler name.
    """
    s, _, n, m = shape
    keys: list[Key] = [(1,), (2,), (1, 2), (0, 1), (0, 2), ()]
    if m == n == 1:
        keys = [(1,), ()]
    elif m == 1:
        keys = [(1,), (2,), (0, 2), ()]
    elif n == 1:
        keys = [(1,), (2,), (0, 1), ()]
    part = {(1,): s * m, (2,): s * n, (1, 2): s, (0, 1): m, (0, 2): n, (): 1}
    holds = [{1, 2}, {1}, {2}, set()]
    rows, df, ms = [], [], []
    for squares, main in ((common, True), (apart, False)):
        parts = (squares.between, squares.topics, squares.judges, squares.rest)
        for held, products, freedom in zip(holds, parts, squares.df, strict=True):
            times = 1 if main else s - 1
            if not freedom * times:
                continue
            row = [part[key] * (not key or ((main or 0 in key) and _inside(held, key))) for key in keys]
            rows.append(row)
            df.append(freedom * times)
            ms.append(float(np.trace(products)) * (s if main else 1) / (freedom * times))
    return (
        Strata(
            random=tuple(keys),
            df=np.array(df, dtype=np.int64),
            ms=np.array(ms, dtype=np.float64),
            coefficients=np.array(rows, dtype=np.float64).reshape(len(rows), len(keys)),
            effects={},
            shares={},
        ),
        keys,
    )


def _inside(held: set[int], key: Key) -> bool:
    """Whether a mean square over these factors (topics, assessors) holds the variance of a term."""
    factors = set(key) - {0}
    return factors <= held or factors == {1, 2}


# Not balanced: REML on the rows


def _searched(data: _Judgments, model: LinearModel, random: list[Key]) -> tuple[Reml, FloatArray] | Note:
    """The criterion of a model with these random terms and where it is best, or why nothing is left for the noise."""
    if (why := _no_noise(model, random)) is not None:
        return why
    terms = [model.term(key) for key in random]
    if elimination(terms, data.size).work > MOST_WORK:
        raise _NoFitError(Note.of("too-large", columns=data.size))
    reml = criterion_of(data.values, indicators(model.term((0,))), terms)
    theta = search(reml, range(len(terms)), np.ones(len(terms)))
    if reml.at(theta).rss < LEAST_NOISE * float(np.sum((data.values - data.values.mean()) ** 2)):
        return ALMOST_NO_NOISE
    return reml, theta


def _from_rows(data: _Judgments) -> tuple[_Fit | None, Note | None]:
    """REML for the variances of the terms; what the fit leaves, topic by topic, and what it gives assessors, for the
    own variances of contrasts."""
    joined = _joined(data)
    if np.ptp(data.values) <= data.noise:
        none = np.zeros((data.size, data.size))
        nothing = _Variance(pooled=none, seen=none, expected=np.eye(data.size))
        means = np.full(data.size, data.values.mean())
        fit = _Fit(means, {}, nothing, None, none, 1.0, None, joined, np.ones((data.size, data.size)))
        return fit, None
    model = LinearModel(data.values, [data.system, data.topic, data.judge], [(0,)])
    random = _identified(model)
    if not _held(model, random, (0, 1)):
        raise _NoFitError(Note.of("rows-confounded"))
    outcome = _searched(data, model, random)
    if isinstance(outcome, Note) and (1, 2) in random:
        # Its many cells may leave nothing by chance, and it touches no difference of systems.
        random = [key for key in random if key != (1, 2)]
        outcome = _searched(data, model, random)
    if isinstance(outcome, Note):
        return None, outcome
    reml, best = outcome
    ratios = dict(zip(random, best.tolist(), strict=True))
    sigma2 = reml.at(best).rss / reml.df
    components = {TERMS[key]: ratio**2 * sigma2 for key, ratio in ratios.items()}
    components["residual"] = float(sigma2)
    fit = _weighted(data, model, ratios, sigma2, components, joined)
    if np.ptp(joined) and np.bincount(_judges_of(data)).min() > 1:
        fit = replace(fit, apart=_with_random_judges(data, model, ratios, sigma2, components))
    return fit, None


def _joined(data: _Judgments) -> IntArray:
    """The part of the design that every system is in: systems and assessors, joined where one judged the other."""
    table = sparse.coo_array((np.ones(data.system.size), (data.system, data.judge)))
    _, label = connected_components(sparse.block_array([[None, table], [table.T, None]]), directed=False)
    return np.unique(label[: data.size], return_inverse=True)[1].astype(np.int64)


def _covariance(weights: FloatArray, model: LinearModel, ratios: dict[Key, float]) -> FloatArray:
    """Of weighted sums of the values, over the variance of the noise: by the noise and by these random terms."""
    covariance = weights @ weights.T
    for key, ratio in ratios.items():
        spread = weights @ indicators(model.term(key))
        covariance += ratio**2 * (spread @ spread.T)
    return covariance


def _judges_of(data: _Judgments) -> IntArray:
    """The system of every combination of a system and an assessor."""
    return np.asarray(np.unique(data.system * data.judges + data.judge) // data.judges)


def _with_random_judges(
    data: _Judgments,
    model: LinearModel,
    ratios: dict[Key, float],
    sigma2: float,
    components: dict[str, float],
) -> _Fit:
    """Systems that different assessors judged: how far these are apart is part of the error."""
    weights = _solved(data, model, ratios, None).weights
    pooled = sigma2 * _covariance(weights, model, ratios)
    free = max(1, _judges_of(data).size - data.size)
    return _Fit(
        means=weights @ data.values,
        components=components,
        topics=_Variance(pooled=pooled, seen=pooled, expected=pooled),
        assessors=None,
        noise=pooled,
        noise_df=1.0,
        unequal=None,
        joined=np.zeros(data.size, dtype=np.int64),
        shared_topics=np.full((data.size, data.size), float(free)),
    )


@dataclass(frozen=True)
class _Solved:
    """The mixed model's equations solved at given ratios: weights of the values in every system's mean, and effects."""

    weights: FloatArray
    """Systems x values."""
    left: FloatArray
    """What fixed and random effects leave of the values."""
    effects: dict[Key, FloatArray]


def _solved(
    data: _Judgments, model: LinearModel, ratios: dict[Key, float], joined: IntArray | None
) -> _Solved:
    """Henderson's equations, with assessors fixed: the first of every part of the design stands for severity 0.

    Without parts, assessors are random.
    """
    fixed = joined is not None
    joined = np.zeros(data.size, dtype=np.int64) if joined is None else joined
    random = [key for key, ratio in ratios.items() if ratio > 0 and (key != (2,) or not fixed)]
    of_judge = np.zeros(data.judges, dtype=np.int64)
    of_judge[data.judge] = joined[data.system]
    first = np.unique(of_judge, return_index=True)[1] if fixed else np.arange(data.judges)
    severity = np.setdiff1d(np.arange(data.judges), first)
    by_system, by_judge = indicators(model.term((0,))), indicators(model.term((2,)))
    design = sparse.hstack(
        [
            *(ratios[key] * indicators(model.term(key)) for key in random),
            by_judge.tocsc()[:, severity],
            by_system,
        ],
        format="csc",
    )
    sizes = [model.term(key).size for key in random]
    ridge = np.zeros(design.shape[1])
    ridge[: sum(sizes)] = 1
    equations = splu((design.T @ design + sparse.diags_array(ridge)).tocsc())
    # Every system's mean, over the assessors of its part of the design.
    wanted = np.zeros((design.shape[1], data.size))
    wanted[-data.size :] = np.eye(data.size)
    at = sum(sizes) + np.arange(severity.size)
    people = np.bincount(of_judge)
    wanted[at] = (of_judge[severity][:, None] == joined) / people[joined]
    solved = equations.solve(design.T @ data.values)
    effects, start = {}, 0
    for key, size in zip(random, sizes, strict=True):
        effects[key] = ratios[key] * solved[start : start + size]
        start += size
    return _Solved(
        weights=np.asarray((design @ equations.solve(wanted)).T),
        left=data.values - design @ solved,
        effects=effects,
    )


def _weighted(
    data: _Judgments,
    model: LinearModel,
    ratios: dict[Key, float],
    sigma2: float,
    components: dict[str, float],
    joined: IntArray,
) -> _Fit:
    solved = _solved(data, model, ratios, joined)
    weights, size = solved.weights, data.size
    noise = sigma2 * _covariance(weights, model, {})
    of_topics = {key: ratio for key, ratio in ratios.items() if key not in ((2,), (0, 2))}
    expected = sigma2 * _covariance(weights, model, of_topics)
    i, j = columns_of_pairs(size)
    by_topic = _summed(weights * solved.left, data.topic, data.topics)
    # What is left over is less than what was there: on average both must be what the model expects.
    lost = _level(_pairs(expected, i, j), _pairs(by_topic, i, j))
    sets = np.unique(data.cluster).size
    seen, pooled = lost * by_topic, expected
    if sets < data.topics:
        seen = lost * _summed(weights * solved.left, data.cluster[data.topic], sets)
        pooled = expected * _level(_pairs(seen, i, j), _pairs(expected, i, j))
    there = np.zeros((size, data.topics))
    there[data.system, data.topic] = 1
    in_sets = np.zeros((size, sets))
    np.maximum.at(in_sets.T, data.cluster, there.T)
    in_groups = np.zeros((size, data.groups))
    in_groups[data.system, data.group] = 1
    groups = in_groups @ in_groups.T if sets == data.topics else 1.0
    assessors, unequal = None, None
    if (0, 2) in ratios:
        both = sigma2 * _covariance(weights, model, {(0, 2): ratios[0, 2]})
        shown = _of_assessors(data, model, ratios, joined)
        assessors = _Variance(pooled=both, seen=shown[0], expected=shown[1])
        unequal = unequal_spread(
            shown[0].diagonal() / np.maximum(shown[1].diagonal(), 1e-300),
            float(np.median(data.judge_df_of_systems())),
        )
    return _Fit(
        means=weights @ data.values,
        components=components,
        topics=_Variance(pooled=pooled, seen=seen, expected=pooled),
        assessors=assessors,
        noise=noise,
        noise_df=float(max(1, data.values.size - size - data.topics - data.judges)),
        unequal=unequal,
        joined=joined,
        shared_topics=np.maximum(1.0, np.maximum(in_sets @ in_sets.T - groups, groups - 1)),
        held=_held(model, list(ratios), (0, 2)),
    )


def _summed(parts: FloatArray, codes: IntArray, levels: int) -> FloatArray:
    """How systems' means vary together, by the sums of what every topic, or set, adds to them."""
    sums = np.zeros((len(parts), levels))
    np.add.at(sums.T, codes, parts.T)
    return np.asarray(levels / max(1, levels - 1) * (sums @ sums.T))


def _level(of: FloatArray, over: FloatArray) -> float:
    """How many times one is the other, on average."""
    shares = of[over > 0] / over[over > 0]
    return float(shares.mean()) if shares.size else 0.0


def _of_assessors(
    data: _Judgments, model: LinearModel, ratios: dict[Key, float], joined: IntArray
) -> tuple[FloatArray, FloatArray]:
    """How assessors' predicted likings of systems vary, systems x systems, and how many stand behind each.

    Predicted with a variance that lets the judgments be seen, where the estimated one is nearly 0.
    """
    term = model.term((0, 2))
    least = math.sqrt(term.size / data.values.size)
    seen = _solved(data, model, {**ratios, (0, 2): max(ratios[0, 2], least)}, joined).effects[0, 2]
    likings, judged = np.zeros((2, data.size, data.judges))
    system = np.zeros(term.size, dtype=np.int64)
    judge = system.copy()
    system[term.codes], judge[term.codes] = data.system, data.judge
    likings[system, judge], judged[system, judge] = seen, 1
    counts = judged.sum(axis=1)
    likings -= judged * (likings.sum(axis=1) / counts)[:, None]
    products = likings @ likings.T
    i, j = columns_of_pairs(data.size)
    behind = np.diag(np.maximum(1.0, counts - 1))
    return products, behind * _level(_pairs(products, i, j), _pairs(behind, i, j))


def _identified(model: LinearModel) -> list[Key]:
    """The random terms that the design tells apart, from each other and from the noise.

    The coarser one comes first where topics lie within assessors, or these within topics, as it adds nothing after
    the other; topic:assessor comes last, and is the first to go where too little is left for the noise.
    """
    sizes = {key: model.term(key).size for key in ((0,), *TERMS)}

    def rank(keys: Sequence[Key]) -> int:
        return model.space(keys).rank if _ranked(model) else _usual_rank(keys, sizes)

    kept: list[Key] = [(0,)]
    for key in (*sorted([(1,), (2,)], key=lambda key: sizes[key]), (0, 2), (0, 1), (1, 2)):
        term = model.term(key)
        if term.size == model.n or any(same_groups(term, model.term(other)) for other in kept):
            continue
        if rank(kept) < rank([*kept, key]) < model.n:
            kept.append(key)
    return kept[1:]


def _ranked(model: LinearModel) -> bool:
    """Whether the design is small enough for dense matrices of its effects."""
    sizes = [model.term(key).size for key in TERMS]
    return sum(sizes) - max(sizes) <= MOST_RANKED


def _no_noise(model: LinearModel, random: list[Key]) -> Note | None:
    """Why nothing is left to compare differences with; in a large design only REML will show it."""
    if not random:
        return Note.of("no-freedom")
    if not _ranked(model):
        return None
    whole = fit_model(LinearModel(model.scores, model.factors, [(0,), *random]))
    few = whole.residual_ss < LEAST_NOISE * whole.total_ss
    return whole.why or (ALMOST_NO_NOISE if few else None)


def _usual_rank(keys: Sequence[Key], sizes: dict[Key, int]) -> int:
    """Free parameters of terms, where each interaction has as many as it has cells, less those of its factors."""
    rank = 1
    for key in keys:
        rank += sizes[key] - 1 - sum(sizes[f,] - 1 for f in key if len(key) > 1)
    return rank


def _held(model: LinearModel, random: list[Key], key: Key) -> bool:
    """Whether the variance of a term is in the model: as a term, under another name, or as nearly all of the noise."""
    term = model.term(key)
    if key in random or any(same_groups(term, model.term(other)) for other in random):
        return True
    return model.n <= NEARLY_NOISE * term.size
