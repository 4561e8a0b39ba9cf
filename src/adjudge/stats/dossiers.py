"""Signs that an assessor judges unlike the others: severity, agreement, drift, repeats. A row per assessor comes out.

Things (a system's summary of a topic) are compared within themselves, so that nobody seems harsh for having had the
worse ones. Topics are the sample: errors are computed from sums over topics, since what an assessor makes of one
summary is related to what the same assessor makes of the others of that topic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from adjudge.core.errors import DataError
from adjudge.stats.checks import BoolArray, FloatArray, IntArray

CELLS = 1 << 21
"""Numbers in one array of permutations."""
FLAT = 1e-9
"""An error that is a smaller share of the estimate is rounding."""
ROUNDING = 1e-12
"""A number that is a smaller share of the values is what rounding left of 0."""


@dataclass(frozen=True)
class JudgedThings:
    """One value per judgment: of which thing, by whom, and to which topic the thing belongs; codes from 0 on."""

    values: FloatArray
    thing: IntArray
    who: IntArray
    topic: IntArray
    assessors: int

    @classmethod
    def of(
        cls,
        values: npt.ArrayLike,
        thing: npt.ArrayLike,
        who: npt.ArrayLike,
        topic: npt.ArrayLike,
        assessors: int | None = None,
    ) -> JudgedThings:
        """Checked arrays; a thing is judged once by an assessor, and has one topic."""
        arrays = [np.asarray(column) for column in (values, thing, who, topic)]
        if len({array.shape for array in arrays}) > 1 or arrays[0].ndim != 1:
            raise DataError("values, things, assessors and topics are not of one length")
        if not np.isfinite(arrays[0].astype(float)).all():
            raise DataError("a value is not a finite number")
        codes = [array.astype(np.int64) for array in arrays[1:]]
        pairs = np.unique(np.stack(codes[:2]), axis=1)
        if pairs.shape[1] < len(codes[0]):
            raise DataError("an assessor judged a thing twice")
        size = int(codes[1].max(initial=-1)) + 1 if assessors is None else assessors
        return cls(arrays[0].astype(float), codes[0], codes[1], codes[2], size)

    def take(self, chosen: BoolArray) -> JudgedThings:
        return JudgedThings(
            self.values[chosen], self.thing[chosen], self.who[chosen], self.topic[chosen], self.assessors
        )

    def shared(self) -> JudgedThings:
        """Only things that several judged."""
        return self.take(np.bincount(self.thing)[self.thing] > 1)


@dataclass(frozen=True)
class AssessorContrasts:
    """Every assessor compared with the others by one number: its estimate, standard error and degrees of freedom.

    NaN where nothing can be said; `others` is with how many, through whatever chain of common things.
    """

    estimate: FloatArray
    error: FloatArray
    freedom: FloatArray
    others: IntArray
    topics: IntArray
    """In how many topics an assessor judged something that others judged too."""

    def p(self, *, least: float = 0.0, side: str = "both") -> FloatArray:
        """Not corrected: whether the number differs from `least`, or (`side`) is below or above it.

        Where all topics say the same there is no error to compare with: then p is that of a sign test over topics.
        """
        from scipy.stats import t

        away = self.estimate - least
        away = {"below": -away, "above": away}.get(side, np.abs(away))
        with np.errstate(divide="ignore", invalid="ignore"):
            p = t.sf(away / self.error, self.freedom)
        flat = self.error <= FLAT * np.maximum(np.abs(away), 1e-300)
        p = np.where(flat, np.where(away > 0, 0.5 ** np.maximum(self.topics, 1.0), 1.0), p)
        return np.asarray(np.minimum(2 * p, 1.0) if side == "both" else p, dtype=float)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        from scipy.stats import t

        half = t.ppf((1 + level) / 2, self.freedom) * self.error
        return self.estimate - half, self.estimate + half


# Severity


class _Additive:
    """value = thing + assessor, with things swept out: what is left of any column of numbers."""

    def __init__(self, judged: JudgedThings):
        self.judged = judged
        size = judged.assessors
        self.per_thing = np.bincount(judged.thing).astype(float)
        self.together = _together(judged)
        weight = np.diag(np.bincount(judged.who, minlength=size).astype(float))
        weight -= _together(judged, 1 / self.per_thing[judged.thing])
        self.inverse = np.linalg.pinv(
            weight, rcond=1e-10, hermitian=True
        )  # parts that nothing joins have no weight
        self.part = _parts(self.together)

    def effects(self, column: FloatArray) -> FloatArray:
        """Of every assessor, with the mean 0 within those that common things join."""
        judged = self.judged
        centred = column - self._means(column)[judged.thing]
        sums = np.bincount(judged.who, weights=centred, minlength=judged.assessors)
        return np.asarray(self.inverse @ sums, dtype=float)

    def swept(self, column: FloatArray) -> FloatArray:
        """A column without things and assessors."""
        left = column - self.effects(column)[self.judged.who]
        return np.asarray(left - self._means(left)[self.judged.thing])

    def _means(self, column: FloatArray) -> FloatArray:
        sums = np.bincount(self.judged.thing, weights=column, minlength=len(self.per_thing))
        return np.asarray(sums / np.maximum(self.per_thing, 1.0))


def severity(judged: JudgedThings) -> AssessorContrasts:
    """How far above the median assessor every assessor is on the same things, in the units of the values.

    The additive model value = thing + assessor, so that a mild one's colleagues do not seem harsh for having judged
    with that one where not everybody judged everything. The median is taken over those that common things join, so that
    one who is far off does not move the others; of two, each is compared with the other. Errors are clustered by
    topic: in a complete design of an odd number of assessors this is the paired t-test of topic means. The median
    assessor is 0 away, without an error.
    """
    shared = judged.shared()
    if not len(shared.values):
        return _nothing(judged.assessors)
    model = _Additive(shared)
    effects = model.effects(shared.values)
    size = np.bincount(model.part)[model.part]
    usual = _median_weights(effects, model.part)
    cluster, topics = _clusters(shared)
    sums = np.zeros((cluster.max() + 1, shared.assessors))
    np.add.at(sums, (cluster, shared.who), model.swept(shared.values))
    influence = sums @ model.inverse
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = ((influence - influence @ usual.T) ** 2).sum(axis=0)
        error = np.sqrt(squares * topics / np.where(topics > 1, topics - 1.0, np.nan))
    middle = np.diag(usual) == 1
    estimate, rounding = effects - usual @ effects, ROUNDING * np.abs(shared.values).max()
    return AssessorContrasts(
        estimate=np.where(
            middle, 0.0, np.where(size < 2, np.nan, np.where(np.abs(estimate) <= rounding, 0.0, estimate))
        ),
        error=np.where(middle | (size < 2), np.nan, np.where(error <= rounding, 0.0, error)),
        freedom=np.where(topics > 1, topics - 1.0, np.nan),
        others=(size - 1).astype(np.int64),
        topics=topics,
    )


def _median_weights(effects: FloatArray, part: IntArray) -> FloatArray:
    """Assessors x assessors: with which weights each is compared with the median one, of two with the other."""
    weights = np.zeros((len(effects), len(effects)))
    for rows in _groups(part):
        if len(rows) == 2:
            weights[rows, rows[::-1]] = 1.0
        elif len(rows) > 2:
            order = rows[np.argsort(effects[rows], kind="stable")]
            half = len(rows) // 2
            middle = order[half : half + 1] if len(rows) % 2 else order[half - 1 : half + 1]
            weights[np.ix_(rows, middle)] = 1 / len(middle)
    return weights


# Agreement with the others


@dataclass(frozen=True)
class Concordance:
    """How far assessors agree: the mean correlation of one with the others, and of the others with each other.

    Correlations are over the things that two judged both, weighted by how much these vary, so that severity and the
    width of the scale that somebody uses do not count. Errors are a delete-one-topic jackknife's.
    """

    with_others: AssessorContrasts
    among_others: AssessorContrasts
    contrast: AssessorContrasts
    """The share `honest` of the others' mean correlation, less the own."""
    constant: BoolArray
    """Whether all answers of an assessor to what others judged too are the same."""


def concordance(judged: JudgedThings, *, honest: float = 1.0) -> Concordance:
    """See `Concordance`. `honest` is the share of the others' agreement that still is no sign of anything."""
    shared = judged.shared()
    size = shared.assessors
    if not len(shared.values):
        none = _nothing(size)
        return Concordance(none, none, none, np.zeros(size, dtype=np.bool_))
    centred = shared.values - shared.values.mean()
    cluster, topics = _clusters(shared)
    total = [np.zeros((size, size)) for _ in range(4)]
    for rows in _groups(cluster):
        for sums, part in zip(total, _products(shared, centred, rows), strict=True):
            sums += part
    whole = _mean_correlations(total)
    less = []
    for rows in _groups(cluster):  # once more, since all parts at a time may not fit into memory
        parts = _products(shared, centred, rows)
        less.append(_mean_correlations([sums - one for sums, one in zip(total, parts, strict=True)]))
    together = _together(shared)
    spread = np.array(
        [np.ptp(shared.values[shared.who == a]) if (shared.who == a).any() else 0.0 for a in range(size)]
    )

    def compared(of: int, share: float = 0.0) -> AssessorContrasts:
        def number(pair: tuple[FloatArray, FloatArray]) -> FloatArray:
            return share * pair[1] - pair[0] if share else pair[of]

        left = np.array([number(pair) for pair in less])
        n = np.count_nonzero(~np.isnan(left), axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.nansum(left, axis=0) / n
            error = np.sqrt((n - 1) / n * np.nansum((left - mean) ** 2, axis=0))
        return AssessorContrasts(
            estimate=number(whole),
            error=np.where(topics > 1, error, np.nan),
            freedom=np.where(topics > 1, topics - 1.0, np.nan),
            others=(together > 0).sum(axis=1) - (np.diag(together) > 0),
            topics=topics,
        )

    return Concordance(
        with_others=compared(0),
        among_others=compared(1),
        contrast=compared(0, honest),
        constant=(spread == 0) & (np.bincount(shared.who, minlength=size) > 0),
    )


def _products(judged: JudgedThings, values: FloatArray, rows: IntArray) -> list[FloatArray]:
    """Of the things of one topic, for every two assessors, over what both judged: n, sums of the first one's values
    and squares, and sums of products."""
    names, at = np.unique(judged.thing[rows], return_inverse=True)
    answers = np.zeros((len(names), judged.assessors))
    there = np.zeros_like(answers)
    answers[at, judged.who[rows]] = values[rows]
    there[at, judged.who[rows]] = 1.0
    return [there.T @ there, answers.T @ there, (answers**2).T @ there, answers.T @ answers]


def _mean_correlations(sums: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Of every assessor with the others, and of the others with each other: covariances over products of spreads."""
    n, first, squares, products = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        shared = np.where(n > 1, products - first * first.T / n, 0.0)
        within = np.where(n > 1, np.maximum(squares - first**2 / n, 0.0), 0.0)
    within[within < 1e-12 * np.maximum(squares, 1e-300)] = 0.0
    spread = np.sqrt(within * within.T)
    shared = np.where(spread > 0, shared, 0.0)
    for matrix in (shared, spread):
        np.fill_diagonal(matrix, 0.0)
    with_others, weight = shared.sum(axis=1), spread.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (shared.sum() - 2 * with_others) / _positive(spread.sum() - 2 * weight, spread.sum())
        return with_others / _positive(weight, spread.sum()), others


def _positive(weight: FloatArray, total: float) -> FloatArray:
    """NaN instead of what is nothing but rounding."""
    return np.where(weight > 1e-12 * total, weight, np.nan)


# Drift


def drift(judged: JudgedThings, order: FloatArray, *, level: float = 0.05) -> AssessorContrasts:
    """How much milder every assessor gets from the first judgment to the last, compared with the others.

    `order` says when a judgment was made, as a time or a rank, NaN where it is not known. The slope of the values over
    an assessor's own order, without things and assessors, is tested with errors clustered by topic, each topic's part
    as if the line had been fitted without it. Of those that drift significantly (Bonferroni) the one that drifts most
    is taken into the model before the others are looked at: where all judge in one order, the others would seem to
    drift the other way.
    """
    from scipy.stats import t

    size = judged.assessors
    progress = np.full(len(judged.values), np.nan)
    for a in range(size):
        mine = np.flatnonzero((judged.who == a) & ~np.isnan(order))
        ranks = np.unique(order[mine], return_inverse=True)[1].astype(float)
        if len(mine) and ranks.max() > 0:
            progress[mine] = ranks / ranks.max()
    common = np.bincount(judged.thing)[judged.thing] > 1
    shared, progress = judged.take(common), progress[common]
    if not len(shared.values):
        return _nothing(size)
    model = _Additive(shared)
    cluster, topics = _clusters(shared)
    left = model.swept(shared.values)
    columns: dict[int, FloatArray] = {}
    for a in range(size):
        mine = shared.who == a
        if mine.any() and not np.isnan(progress[mine]).any() and np.ptp(progress[mine]) > 0:
            columns[a] = model.swept(np.where(mine, progress, 0.0))
    slopes = {a: _slope(left, column, cluster) for a, column in columns.items()}
    told: dict[int, tuple[float, float, float]] = {}
    taken: list[FloatArray] = []
    while slopes:
        significant = [
            a
            for a, (slope, error, freedom) in slopes.items()
            if error > 0 and 2 * t.sf(abs(slope) / error, freedom) * len(columns) <= level
        ]
        if not significant:
            break
        best = max(significant, key=lambda a: abs(slopes[a][0]))
        told[best] = slopes[best]
        taken.append(columns[best])
        basis = np.linalg.qr(np.stack(taken, axis=1))[0]
        rest = left - basis @ (basis.T @ left)
        slopes = {
            a: _slope(rest, column - basis @ (basis.T @ column), cluster, least=float(column @ column))
            for a, column in columns.items()
            if a not in told
        }
    table = np.full((3, size), np.nan)
    for a, three in {**slopes, **told}.items():
        table[:, a] = three
    part = _parts(_together(shared))
    others = np.bincount(part)[part] - 1
    return AssessorContrasts(table[0], table[1], table[2], others.astype(np.int64), topics)


def _slope(
    values: FloatArray, column: FloatArray, cluster: IntArray, *, least: float = 0.0
) -> tuple[float, float, float]:
    """A slope through the origin, its error clustered, and degrees of freedom by how evenly clusters bear on it."""
    total = float(column @ column)
    if not total > 1e-9 * max(least, 1e-12):
        return math.nan, math.nan, math.nan
    slope = float(column @ values) / total
    share = np.bincount(cluster, weights=column**2) / total
    sums = np.bincount(cluster, weights=column * (values - slope * column))
    effective = 1 / float(share @ share)
    if not effective > 2 or share.max() > 1 - 1e-9:
        return slope, math.nan, math.nan
    error = math.sqrt(float(((sums / (1 - share)) ** 2).sum())) / total
    return slope, error, effective - 1


# Repeats, and answers that are all the same


@dataclass(frozen=True)
class OwnRepeats:
    """How far own answers to the same thing lie apart, and whether further than the others' do."""

    repeats: IntArray
    same: IntArray
    apart: FloatArray
    """Mean absolute difference; NaN without repeats."""
    p: FloatArray
    """By permutation of who made which difference; NaN where there is nobody to compare with."""
    smallest: FloatArray
    """The smallest p that there could have been."""


def self_agreement(
    differences: npt.ArrayLike,
    who: npt.ArrayLike,
    assessors: int,
    *,
    rng: np.random.Generator,
    resamples: int = 9999,
) -> OwnRepeats:
    """Whether somebody repeats own answers worse than the others repeat theirs: one-sided permutation tests."""
    apart, assessor = np.abs(np.asarray(differences, dtype=float)), np.asarray(who, dtype=np.int64)
    counts = np.bincount(assessor, minlength=assessors)
    p, smallest, mean = (np.full(assessors, np.nan) for _ in range(3))
    for a in range(assessors):
        mine = assessor == a
        if not mine.any():
            continue
        mean[a] = apart[mine].mean()
        if mine.all():
            continue
        n, total = int(mine.sum()), len(apart)
        smallest[a] = max(1 / math.comb(total, n), 1 / (resamples + 1))
        observed, beyond, done = apart[mine].sum(), 0, 0
        while done < resamples:
            size = min(resamples - done, max(1, CELLS // total))
            picked = rng.random((size, total)).argpartition(n - 1, axis=1)[:, :n] if n < total else None
            sums = apart[picked].sum(axis=1)
            beyond += int((sums >= observed * (1 - 1e-12)).sum())
            done += size
        p[a] = (beyond + 1) / (resamples + 1)
    return OwnRepeats(
        repeats=counts,
        same=np.bincount(assessor, weights=apart == 0, minlength=assessors).astype(np.int64),
        apart=mean,
        p=p,
        smallest=smallest,
    )


@dataclass(frozen=True)
class Sameness:
    """In how many topics all answers of an assessor are that assessor's commonest one."""

    same: IntArray
    topics: IntArray
    usual: FloatArray
    """The chance of such a topic, from the median of the others who judged the same things; one topic more, which is
    one, keeps it above 0."""
    p: FloatArray
    """That all topics are, where all are: the chance to the power of the topics; 1 where not all are."""


def sameness(judged: JudgedThings) -> Sameness:
    """Whether somebody gives one answer throughout where the others do not."""
    shared = judged.shared()
    size = judged.assessors
    _, cluster = np.unique(shared.topic, return_inverse=True)
    same, topics = (np.zeros(size, dtype=np.int64) for _ in range(2))
    usual, p = np.full(size, np.nan), np.full(size, np.nan)
    for a in range(size):
        mine = shared.who == a
        if not mine.any():
            continue
        same[a], topics[a] = _alike(shared, mine, cluster)
        things = np.isin(shared.thing, shared.thing[mine])
        shares = []
        for b in np.unique(shared.who[things & ~mine]).tolist():
            alike, of = _alike(shared, things & (shared.who == b), cluster)
            shares.append((alike + 1) / (of + 1))
        if shares:
            usual[a] = float(np.median(shares))
            p[a] = usual[a] ** int(topics[a]) if same[a] == topics[a] else 1.0
    return Sameness(same, topics, usual, p)


def _alike(judged: JudgedThings, rows: BoolArray, cluster: IntArray) -> tuple[int, int]:
    values, counts = np.unique(judged.values[rows], return_counts=True)
    other = judged.values[rows] != values[counts.argmax()]
    of = np.unique(cluster[rows])
    return int(len(of) - len(np.unique(cluster[rows][other]))), len(of)


# Two who give the same answers


@dataclass(frozen=True)
class SameAnswers:
    """How often two assessors give the same answer, and the chance of so many topics in which they always do."""

    a: int
    b: int
    things: int
    """That both judged."""
    same: int
    answers: int
    """Different answers that the two gave to these."""
    topics: int
    alike: int
    """Topics in which all their answers are the same."""
    usual: float = math.nan
    """The chance of such a topic: the median of the other pairs, one topic added, which keeps it above 0."""
    p: float = math.nan
    """Not corrected; NaN where there is no other pair."""


def same_answers(judged: JudgedThings) -> list[SameAnswers]:
    """Every two who judged the same things. A topic is one trial: who reads two summaries alike may read all so."""
    from scipy.stats import binom

    shared = judged.shared()
    if not len(shared.values):
        return []
    _, cluster = np.unique(shared.topic, return_inverse=True)
    topic_of = np.zeros(int(shared.thing.max()) + 1, dtype=np.int64)
    topic_of[shared.thing] = cluster
    answers = np.full((shared.assessors, len(topic_of)), np.nan)
    answers[shared.who, shared.thing] = shared.values
    counted: list[SameAnswers] = []
    for a, b in combinations(range(shared.assessors), 2):
        both = np.flatnonzero(~np.isnan(answers[a]) & ~np.isnan(answers[b]))
        if not len(both):
            continue
        differ = answers[a, both] != answers[b, both]
        topics = len(np.unique(topic_of[both]))
        counted.append(
            SameAnswers(
                a=a,
                b=b,
                things=len(both),
                same=len(both) - int(np.count_nonzero(differ)),
                answers=len(np.unique(answers[[a, b]][:, both])),
                topics=topics,
                alike=topics - len(np.unique(topic_of[both[differ]])),
            )
        )
    if len(counted) < 2:
        return counted
    shares = np.array([(pair.alike + 1) / (pair.topics + 1) for pair in counted])
    usual = [float(np.median(np.delete(shares, k))) for k in range(len(counted))]
    return [
        replace(pair, usual=share, p=float(binom.sf(pair.alike - 1, pair.topics, share)))
        for pair, share in zip(counted, usual, strict=True)
    ]


# Who judged with whom


def _nothing(size: int) -> AssessorContrasts:
    nan, none = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
    return AssessorContrasts(nan, nan, nan, none, none)


def _clusters(judged: JudgedThings) -> tuple[IntArray, IntArray]:
    """Codes of the topics without gaps, and in how many of them every assessor judged."""
    _, cluster = np.unique(judged.topic, return_inverse=True)
    pairs = np.unique(np.stack([judged.who, cluster]), axis=1)
    return cluster, np.bincount(pairs[0], minlength=judged.assessors).astype(np.int64)


def _groups(codes: IntArray) -> list[IntArray]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _together(judged: JudgedThings, weights: FloatArray | None = None) -> FloatArray:
    """How many things every two assessors judged both, or the sum of the weights of these."""
    shape = (int(judged.thing.max()) + 1, judged.assessors)
    there = csr_matrix((np.ones(len(judged.who)), (judged.thing, judged.who)), shape=shape)
    weighted = there if weights is None else csr_matrix((weights, (judged.thing, judged.who)), shape=shape)
    return np.asarray((there.T @ weighted).toarray(), dtype=float)


def _parts(together: FloatArray) -> IntArray:
    """Which assessors are joined by a chain of common things: a number for every part."""
    return np.asarray(connected_components(csr_matrix(together), directed=False)[1], dtype=np.int64)
