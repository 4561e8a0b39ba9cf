"""How far judges agree with people, on the footing on which people agree with each other, in resamples of clusters.

Every number is computed in the same draws of clusters, so that differences between judges are paired. Draws are rows of
`times`: how often each cluster counts; the first row counts each once, so its numbers are those of the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from adjudge.core.errors import UsageError
from adjudge.stats.agreement import (
    AT_ONCE,
    LEAST_CLUSTERS,
    LEAST_DEFINED,
    NOT_RESAMPLED,
    ahead,
    cluster_draws,
)
from adjudge.stats.checks import BoolArray, FloatArray, IntArray

COEFFICIENTS = ("alpha", "kappa", "ac2")
"""Krippendorff's with the ordinal distance, Cohen's and Gwet's with quadratic weights."""
MISSING = -1
"""The code of an answer that was not given; others are places on the scale."""


def draws_of(rng: np.random.Generator, clusters: int, resamples: int) -> FloatArray:
    """Everything once, then resamples of clusters."""
    return np.vstack([np.ones((1, clusters)), cluster_draws(rng, clusters, resamples)])


# Two who judged the same things


def pair_cells(first: IntArray, second: IntArray, cluster: IntArray, clusters: int, size: int) -> FloatArray:
    """Clusters x choices x choices: how often the first gave one answer and the second another, of what both judged."""
    both = (first != MISSING) & (second != MISSING)
    at = (cluster[both] * size + first[both]) * size + second[both]
    return np.bincount(at, minlength=clusters * size * size).reshape(clusters, size, size).astype(float)


def answer_counts(answers: IntArray, cluster: IntArray, clusters: int, size: int) -> FloatArray:
    """Clusters x choices: how often each answer was given, by one or, in columns, by several."""
    where = np.broadcast_to(cluster if answers.ndim == 1 else cluster[:, None], answers.shape)
    there = answers != MISSING
    counts = np.bincount(where[there] * size + answers[there], minlength=clusters * size)
    return counts.reshape(clusters, size).astype(float)


def chance_coefficients(
    answers: FloatArray, second: FloatArray, scale: FloatArray, times: FloatArray
) -> FloatArray:
    """Pair coefficients of the expected table, where the first draws at random from some answers.

    Both are counts of answers by cluster. A draw of clusters draws its answers with it: shares are those of the draw.
    """

    def met(some: FloatArray) -> FloatArray:
        drawn = some @ answers
        shares = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1)
        return np.asarray(shares[:, :, None] * (some @ second)[:, None, :])

    return _in_steps(met, scale, times)


def pair_coefficients(cells: FloatArray, scale: FloatArray, times: FloatArray) -> FloatArray:
    """Coefficients x draws. NaN where the second always gave one answer: there is nothing to agree on.

    The same as Krippendorff's alpha, Cohen's kappa and Gwet's AC2 of `stats.agreement`, of the things that both judged.
    """
    q, flat = scale.size, cells.reshape(len(cells), -1)
    return _in_steps(lambda some: (some @ flat).reshape(-1, q, q), scale, times)


def _in_steps(met: Callable[[FloatArray], FloatArray], scale: FloatArray, times: FloatArray) -> FloatArray:
    """Coefficients of the tables that draws give, some draws at a time."""
    step = max(AT_ONCE // max(scale.size**2, 1), 1)
    parts = [_coefficients(met(times[k : k + step]), scale) for k in range(0, len(times), step)]
    return np.concatenate(parts, axis=1)


def _coefficients(met: FloatArray, scale: FloatArray) -> FloatArray:
    """Of tables of two who met, draws x choices x choices."""
    q = scale.size
    if q < 2:
        return np.full((3, len(met)), np.nan)
    rows, columns = met.sum(axis=2), met.sum(axis=1)
    n, both = rows.sum(axis=1), rows + columns
    middle = np.cumsum(both, axis=1) - both / 2 - n[:, None]
    spread = (both * middle**2).sum(axis=1)
    apart = spread - 2 * ((middle[:, None, :] @ met)[:, 0, :] * middle).sum(axis=1)
    place = (scale - scale[0]) / (scale[-1] - scale[0])
    squares, product = both @ place**2, (rows @ place) * (columns @ place)
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (2 * n - 1) * apart / (2 * n * spread)
        observed = (squares - 2 * (met @ place @ place)) / n
        kappa = 1 - observed / (squares / n - 2 * product / n**2)
        shares = both / (2 * n)[:, None]
        weights = (1 - (place[:, None] - place[None, :]) ** 2).sum()
        chance = weights * (shares * (1 - shares)).sum(axis=1) / (q * (q - 1))
        ac2 = (1 - observed - chance) / (1 - chance)
    varied = np.count_nonzero(columns > 0, axis=1) > 1
    return np.where(varied, np.stack([alpha, kappa, ac2]), np.nan)


# Judges and people


def mean_alpha(
    judge: IntArray, people: IntArray, *, scale: FloatArray, cluster: IntArray, times: FloatArray
) -> FloatArray:
    """In every draw, the mean over people (in columns) of a judge's alpha with each, weighted by things shared."""
    totals, shared = np.zeros((2, len(times)))
    for person in people.T:
        cells = pair_cells(judge, person, cluster, times.shape[1], scale.size)
        alpha = pair_coefficients(cells, scale, times)[0]
        totals += np.nan_to_num(alpha) * cells.sum()
        shared += ~np.isnan(alpha) * cells.sum()
    means: FloatArray = np.divide(totals, shared, out=np.full(len(times), np.nan), where=shared > 0)
    return means


@dataclass(frozen=True, eq=False)
class PeopleAgreement:
    """Mean agreement with people: of judges, and of every assessor with the others."""

    judges: FloatArray
    """Judges x coefficients x draws: with all people."""
    beside: FloatArray
    """Judges x assessors x coefficients x draws: with all but one, on what that one judged."""
    assessors: FloatArray
    """Assessors x coefficients x draws: of that one with the same people, on the same things."""


def people_agreement(
    judges: Sequence[IntArray | FloatArray],
    people: IntArray,
    *,
    scale: FloatArray,
    cluster: IntArray,
    times: FloatArray,
) -> PeopleAgreement:
    """The mean over people of the pairwise coefficient, weighted by how many things both judged.

    `people` holds codes, things x people. A judge is a vector of codes, or counts of answers (floats, clusters x
    choices): one that draws from these at random, of which the expected table counts. So that a judge and an assessor j
    are on an equal footing, both are compared with the people other than j on what j judged too; with every answer
    given these are all things.
    """
    things, k = people.shape
    if cluster.shape != (things,):
        raise UsageError(f"cluster: expected one for each of {things} things, got {cluster.size}")
    clusters, q, draws = times.shape[1], scale.size, len(times)
    by_key: dict[tuple[int, int, bytes], FloatArray] = {}
    answers = [*judges, *people.T]

    def one(x: int, person: int, where: BoolArray) -> FloatArray:
        second = np.where(where, people[:, person], MISSING)
        key = (x, person, (second != MISSING).tobytes())
        if key not in by_key:
            first = answers[x]
            if first.dtype.kind == "f":
                counts = answer_counts(second, cluster, clusters, q)
                by_key[key] = chance_coefficients(first.astype(float), counts, scale, times)
            else:
                cells = pair_cells(first.astype(np.int64), second, cluster, clusters, q)
                by_key[key] = pair_coefficients(cells, scale, times)
        return by_key[key]

    def mean(x: int, others: Sequence[int], where: BoolArray) -> FloatArray:
        total, weight = np.zeros((3, draws)), np.zeros((3, draws))
        for person in others:
            shared = np.count_nonzero(where & (people[:, person] != MISSING))
            if not shared:
                continue
            coefficient = one(x, person, where)
            total += np.where(np.isnan(coefficient), 0.0, coefficient * shared)
            weight += np.where(np.isnan(coefficient), 0.0, shared)
        means: FloatArray = np.divide(total, weight, out=np.full(total.shape, np.nan), where=weight > 0)
        return means

    everything = np.ones(things, bool)
    with_all = [mean(x, range(k), everything) for x in range(len(judges))]
    beside = np.full((len(judges), k, 3, draws), np.nan)
    assessors = np.full((k, 3, draws), np.nan)
    for j in range(k):
        where, others = people[:, j] != MISSING, [person for person in range(k) if person != j]
        assessors[j] = mean(len(judges) + j, others, where)
        for x in range(len(judges)):
            beside[x, j] = mean(x, others, where)
    return PeopleAgreement(
        judges=np.stack(with_all) if with_all else np.zeros((0, 3, draws)),
        beside=beside,
        assessors=assessors,
    )


# The order within topics


def pair_signs(scores: FloatArray) -> FloatArray:
    """Topics x pairs of systems, made flat: 1 where the first is higher, -1 where lower, 0 tied, NaN missing."""
    first, second = np.triu_indices(scores.shape[1], 1)
    return ahead(scores[:, first], scores[:, second]).ravel()


def topics_of_pairs(topics: int, systems: int) -> IntArray:
    """The topic of every pair in `pair_signs`."""
    return np.repeat(np.arange(topics), systems * (systems - 1) // 2)


def order_by_topic(
    human: FloatArray, judge: FloatArray, topic: IntArray, topics: int, counted: BoolArray | None = None
) -> FloatArray:
    """Of every topic, (concordant - discordant) / pairs that people order; NaN where they order none.

    Signs of pairs; where the judge has none it has a tie, and counts 0. `counted` leaves out pairs.
    """
    ordered = np.abs(np.nan_to_num(human)) > 0
    if counted is not None:
        ordered &= counted
    n = np.bincount(topic[ordered], minlength=topics)
    net = np.bincount(topic[ordered], weights=(human * np.nan_to_num(judge))[ordered], minlength=topics)
    shares: FloatArray = np.divide(net, n, out=np.full(topics, np.nan), where=n > 0)
    return shares


def topic_means(values: FloatArray, cluster: IntArray, times: FloatArray) -> FloatArray:
    """The mean over topics that have a value, in every draw of the topics' clusters."""
    there = ~np.isnan(values)
    clusters = times.shape[1]
    sums = np.bincount(cluster[there], weights=values[there], minlength=clusters)
    n = times @ np.bincount(cluster[there], minlength=clusters)
    means: FloatArray = np.divide(times @ sums, n, out=np.full(len(times), np.nan), where=n > 0)
    return means


# A number as an answer on people's scale

MOST = 0.5
SOME = 0.05
"""Shares of a judge's answers, and of the width of people's scale."""


def is_off_scale(values: FloatArray, scale: FloatArray) -> bool:
    """Whether numbers are on another scale than people's (its choices, in order), rather than on or between them.

    Most lie outside it, or some so far that neither severity nor a fitted line takes them there: by more than a step
    and a quarter of its width, or by half of its width.
    """
    if scale.size < 2 or not values.size:
        return False
    outside = np.maximum(scale[0] - values, values - scale[-1])
    wide = float(scale[-1] - scale[0])
    far = min(max(float(np.diff(scale).max()), wide / 4), wide / 2) * (1 + 1e-9)
    return bool(np.mean(outside > SOME * wide) > MOST or np.mean(outside > far) > SOME)


def mapped_codes(
    values: FloatArray, people: IntArray, cluster: IntArray, size: int, *, rising: bool = True
) -> IntArray:
    """Each value as an answer: that at the same percentile of people's answers, as learned from the other clusters.

    Equipercentile linking (Kolen and Brennan 2014, chapter 2) gives a number the spread of people's answers, which
    agreement rewards; fitted means would shrink towards the middle and look worse than the number is. With `rising`
    higher values are higher answers, else lower ones. What has no value gets the middle of people's answers.
    """
    there = ~np.isnan(values)
    clusters = int(cluster.max(initial=-1)) + 1
    counts = answer_counts(people, cluster, clusters, size)
    left = counts.sum(axis=0) - counts
    everything = np.sort(values[there])
    codes = np.full(values.size, MISSING, np.int64)
    for c in range(clusters):
        mine = np.flatnonzero(cluster == c)
        in_cluster = np.sort(values[mine][there[mine]])
        n, total = everything.size - in_cluster.size, left[c].sum()
        if not n or not total:
            continue
        scores = np.where(there[mine], values[mine], 0.0)
        below = [np.searchsorted(whole, scores) for whole in (everything, in_cluster)]
        up_to = [np.searchsorted(whole, scores, "right") for whole in (everything, in_cluster)]
        share = (below[0] - below[1] + up_to[0] - up_to[1]) / 2 / n
        share = np.where(there[mine], share if rising else 1 - share, 0.5)
        levels = np.cumsum(left[c]) / total
        # shares are quotients of whole numbers: what should be equal may differ by rounding
        codes[mine] = np.minimum(np.searchsorted(levels, share + 1e-12, "right"), size - 1)
    return codes


# Intervals


@dataclass(frozen=True, slots=True)
class DrawnValue:
    """A number with its interval over clusters; `low` and `high` are NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan
    why: str | None = None
    """There is no number, or no interval."""

    @property
    def is_known(self) -> bool:
        return not math.isnan(self.low)


def drawn_value(
    drawn: FloatArray, clusters: int, level: float, *, least: float = LEAST_DEFINED
) -> DrawnValue:
    """The first of the draws is the value; the others give the interval, if at least this share of them has a value."""
    value, resampled = float(drawn[0]), drawn[1:]
    defined = resampled[~np.isnan(resampled)]
    why = None
    if math.isnan(value):
        why = "it is undefined"
    elif clusters < LEAST_CLUSTERS:
        why = f"{LEAST_CLUSTERS} topics or sets of topics are needed, here {clusters}"
    elif resampled.size < 2:
        why = NOT_RESAMPLED
    elif defined.size < least * resampled.size:
        why = f"it is undefined in {resampled.size - defined.size:,} of {resampled.size:,} resamples"
    if why is not None:
        return DrawnValue(value, why=why)
    return DrawnValue(value, *expanded_limits(defined, clusters, level))


def expanded_limits(drawn: FloatArray, clusters: int, level: float) -> tuple[float, float]:
    """The expanded percentile interval (Hesterberg 2015, 5.3) of numbers drawn over so many clusters.

    A percentile interval is too short with few clusters, as if they were many and their variance had the divisor n; its
    tails are put so much further out as Student's t is wider, so that of a mean it is about the t interval.
    """
    wide = math.sqrt(clusters / (clusters - 1)) * special.stdtrit(clusters - 1, (1 + level) / 2)
    tail = float(special.ndtr(-wide))
    low, high = map(float, np.quantile(drawn, [tail, 1 - tail]))
    return low, high
