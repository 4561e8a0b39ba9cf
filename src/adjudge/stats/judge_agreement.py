"""How far judges agree with people, on the footing on which people agree with each other, in resamples of clusters.

Every number is computed in the same draws of clusters, so that differences between judges are paired. Draws are rows of
`times`: how often each cluster counts; the first row counts each once, so its numbers are those of the data.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

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


def _in_steps(met: Callable[[FloatArray], FloatArray], scale: FloatArray, times: FloatArray) -> FloatArray:
    """Coefficients of the tables that draws give, some draws at a time."""
    step = max(AT_ONCE // max(scale.size**2, 1), 1)
    parts = [_coefficients(met(times[k : k + step]), scale) for k in range(0, len(times), step)]
    return np.concatenate(parts, axis=1)


def _coefficients(met: FloatArray, scale: FloatArray, kept: int = len(COEFFICIENTS)) -> FloatArray:
    """Of tables of two who met, draws x choices x choices: the first of the coefficients, or all."""
    q = scale.size
    if q < 2:
        return np.full((kept, len(met)), np.nan)
    # products of matrices of whole and half numbers: as exact as sums over one axis, and faster
    ones = np.ones(q)
    rows, columns = met @ ones, ones @ met
    n, both = rows @ ones, rows + columns
    middle = np.cumsum(both, axis=1) - both / 2 - n[:, None]
    spread = np.einsum("dq,dq->d", both, middle**2)
    apart = spread - 2 * np.einsum("dq,dq->d", (middle[:, None, :] @ met)[:, 0, :], middle)
    varied = np.einsum("dq,dq->d", columns, columns) < n**2
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (2 * n - 1) * apart / (2 * n * spread)
        if kept == 1:
            return np.where(varied, alpha[None], np.nan)
        place = (scale - scale[0]) / (scale[-1] - scale[0])
        squares, product = both @ place**2, (rows @ place) * (columns @ place)
        observed = (squares - 2 * (met @ place @ place)) / n
        kappa = 1 - observed / (squares / n - 2 * product / n**2)
        shares = both / (2 * n)[:, None]
        weights = (1 - (place[:, None] - place[None, :]) ** 2).sum()
        chance = weights * (shares * (1 - shares)).sum(axis=1) / (q * (q - 1))
        ac2 = (1 - observed - chance) / (1 - chance)
    return np.where(varied, np.stack([alpha, kappa, ac2]), np.nan)


# Judges and people


MOST_KEPT = 1 << 21
"""Numbers that are kept of pairs, in case they are asked for again."""
MOST_EXACT = 1 << 24
"""Whole numbers up to here are exact in single precision."""


@dataclass(eq=False)
class RaterPairs:
    """Coefficients of two who answered about the same things, in the same draws of clusters; each pair once."""

    scale: FloatArray
    cluster: IntArray
    """Of every thing."""
    times: FloatArray
    """Draws x clusters."""
    kept: int = len(COEFFICIENTS)
    """How many of the coefficients; 1 is alpha alone."""
    _known: dict[bytes, FloatArray] = field(default_factory=dict, init=False, repr=False)

    def of(self, pairs: Sequence[tuple[IntArray | FloatArray, IntArray]]) -> list[FloatArray]:
        """Coefficients x draws of each pair; the first may be counts of answers that are drawn from at random."""
        keys = [_key(first) + _key(second) for first, second in pairs]
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._known}
        drawn = {key: pair for key, pair in missing.items() if pair[0].dtype.kind == "f"}
        now = {key: self._by_chance(first, second) for key, (first, second) in drawn.items()}
        met = {key: pair for key, pair in missing.items() if key not in drawn}
        now |= dict(zip(met, self._met(list(met.values())), strict=True))
        results = [self._known[key] if key in self._known else now[key] for key in keys]
        room = MOST_KEPT - sum(kept.size for kept in self._known.values())
        for key, coefficients in now.items():
            room -= coefficients.size
            if room >= 0:
                self._known[key] = coefficients
        return results

    def _by_chance(self, counts: IntArray | FloatArray, second: IntArray) -> FloatArray:
        answers = answer_counts(second, self.cluster, self.times.shape[1], self.scale.size)
        return chance_coefficients(counts.astype(float), answers, self.scale, self.times)[: self.kept]

    def _met(self, pairs: Sequence[tuple[IntArray | FloatArray, IntArray]]) -> Iterator[FloatArray]:
        """Many pairs in one product of matrices: of whole numbers, so that the order of sums does not matter."""
        clusters, cells, draws = self.times.shape[1], self.scale.size**2, len(self.times)
        most = float(self.times.max(initial=0)) * self.cluster.size
        kind = np.float32 if most < MOST_EXACT else np.float64
        times = self.times.astype(kind)
        step = max(AT_ONCE // max(cells * draws, 1), 1)
        for start in range(0, len(pairs), step):
            tables = [
                pair_cells(first.astype(np.int64), second, self.cluster, clusters, self.scale.size)
                for first, second in pairs[start : start + step]
            ]
            flat = np.stack(tables, axis=1).astype(kind).reshape(clusters, -1)
            met = np.concatenate(
                [part @ flat for part in np.array_split(times, math.ceil(draws * cells / AT_ONCE))]
            )
            met = met.reshape(draws, len(tables), self.scale.size, self.scale.size).astype(float)
            for at in range(len(tables)):
                yield _coefficients(met[:, at], self.scale, self.kept)


def _key(answers: IntArray | FloatArray) -> bytes:
    return hashlib.blake2b(answers.tobytes(), digest_size=16, person=answers.dtype.str.encode()).digest()


def mean_alpha(judge: IntArray, people: IntArray, pairs: RaterPairs) -> FloatArray:
    """In every draw, the mean over people (in columns) of a judge's alpha with each, weighted by things shared."""
    totals, shared = np.zeros((2, len(pairs.times)))
    with_each = pairs.of([(judge, person) for person in people.T])
    for person, (alpha, *_) in zip(people.T, with_each, strict=True):
        n = np.count_nonzero((judge != MISSING) & (person != MISSING))
        totals += np.nan_to_num(alpha) * n
        shared += ~np.isnan(alpha) * n
    means: FloatArray = np.divide(totals, shared, out=np.full(len(totals), np.nan), where=shared > 0)
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
    pairs: RaterPairs,
    *,
    assessors: IntArray | None = None,
) -> PeopleAgreement:
    """The mean over people of the pairwise coefficient, weighted by how many things both judged.

    `people` holds codes, things x people. A judge is a vector of codes, or counts of answers (floats, clusters x
    choices): one that draws from these at random, of which the expected table counts. So that a judge and an assessor j
    are on an equal footing, both are compared with the people other than j on what j judged too; with every answer
    given these are all things. `assessors` are the answers of an assessor who is compared with the others, where they
    are put on the scale in another way than they were given.
    """
    things, k = people.shape
    if pairs.cluster.shape != (things,):
        raise UsageError(f"cluster: expected one for each of {things} things, got {pairs.cluster.size}")
    answers = [*judges, *(people if assessors is None else assessors).T]
    there = people != MISSING
    asked: dict[tuple[int, int, bytes], tuple[IntArray | FloatArray, IntArray]] = {}

    def ask(x: int, person: int, where: BoolArray) -> tuple[int, int, bytes]:
        key = (x, person, (where & there[:, person]).tobytes())
        if key not in asked:
            asked[key] = answers[x], np.where(where, people[:, person], MISSING)
        return key

    everything = np.ones(things, bool)
    rest = [[person for person in range(k) if person != j] for j in range(k)]
    wanted: dict[tuple[int, int | None], list[tuple[tuple[int, int, bytes], int]]] = {}

    def want(x: int, j: int | None) -> None:
        where, others = (everything, range(k)) if j is None else (there[:, j], rest[j])
        shared = [(person, int(np.count_nonzero(where & there[:, person]))) for person in others]
        wanted[x, j] = [(ask(x, person, where), n) for person, n in shared if n]

    for x in range(len(judges)):
        want(x, None)
    for j in range(k):
        for x in (*range(len(judges)), len(judges) + j):
            want(x, j)
    coefficients = dict(zip(asked, pairs.of(list(asked.values())), strict=True))

    def mean(x: int, j: int | None) -> FloatArray:
        total, weight = np.zeros((2, pairs.kept, len(pairs.times)))
        for key, n in wanted[x, j]:
            coefficient = coefficients[key]
            total += np.where(np.isnan(coefficient), 0.0, coefficient * n)
            weight += np.where(np.isnan(coefficient), 0.0, n)
        means: FloatArray = np.divide(total, weight, out=np.full(total.shape, np.nan), where=weight > 0)
        return means

    shape = (pairs.kept, len(pairs.times))
    beside, of_assessors = np.full((len(judges), k, *shape), np.nan), np.full((k, *shape), np.nan)
    for j in range(k):
        of_assessors[j] = mean(len(judges) + j, j)
        for x in range(len(judges)):
            beside[x, j] = mean(x, j)
    return PeopleAgreement(
        judges=np.stack([mean(x, None) for x in range(len(judges))]) if judges else np.zeros((0, *shape)),
        beside=beside,
        assessors=of_assessors,
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


def is_evident(values: FloatArray, scale: FloatArray) -> bool:
    """Whether numbers of unknown making are on people's scale: choices of it, or reaching over half of it."""
    if scale.size < 2 or not values.size:
        return True
    near = np.abs(values[:, None] - scale).min(axis=1) <= 1e-9 * float(scale[-1] - scale[0])
    return bool(near.all() or np.ptp(values) >= MOST * (scale[-1] - scale[0]))


def levels_of(values: FloatArray) -> FloatArray:
    """The place of every number among the different ones; those that only rounding keeps apart are one."""
    there = ~np.isnan(values)
    distinct, at = np.unique(values[there], return_inverse=True)
    if not distinct.size:
        return values
    steps = np.diff(distinct) > 1e-9 * (distinct[-1] - distinct[0])
    levels: FloatArray = np.full(values.shape, np.nan)
    levels[there] = np.concatenate([[0], np.cumsum(steps)])[at]
    return levels


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
