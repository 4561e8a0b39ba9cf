"""What moves a judge's answers beside what people see: order, length, whose text it is; and what its answers save.

Clusters (topics, or sets of them) are the sample. Estimates are solutions of estimating equations that are sums over
clusters, their errors a delete-one-cluster jackknife's, with Student's t and as many degrees of freedom as clusters
that bear on the estimate evenly would leave. In a balanced design the mean has the error and the degrees of freedom of
a t-test of cluster means.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, stdtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import cluster_draws
from adjudge.stats.bootstrap import LEAST_VARIED, percentile_limits, varied
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.shares import ClusteredShare, clustered_share

FLAT = 1e-9
"""An error that is a smaller share of the estimate is rounding."""
STRONG = math.sqrt(10)
"""How many standard errors from 0 people's agreement must be to stand in for quality: Staiger and Stock's rule that a
first stage has F of 10 or more (1997)."""
AT_ONCE = 1 << 22
"""Numbers of one array of resamples."""


@dataclass(frozen=True)
class ClusteredEstimate:
    """A number with an error from clusters; NaN, with why, where it cannot be computed."""

    estimate: float = math.nan
    error: float = math.nan
    freedom: float = math.nan
    n: int = 0
    clusters: int = 0
    why: str | None = None

    @property
    def is_flat(self) -> bool:
        """Whether all clusters say the same, so that there is no error to compare with."""
        return self.error <= FLAT * max(abs(self.estimate), FLAT)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        checks.share("level", level)
        if self.is_flat or not self.error > 0:
            return math.nan, math.nan
        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return self.estimate - half, self.estimate + half

    @property
    def p(self) -> float:
        """That the number is 0. Where all clusters say the same, that of a sign test over them."""
        if math.isnan(self.error):
            return math.nan
        if self.is_flat:
            return 1.0 if abs(self.estimate) <= FLAT else min(1.0, 2 * 0.5**self.clusters)
        return float(2 * stdtr(self.freedom, -abs(self.estimate) / self.error))

    def times(self, factor: float) -> ClusteredEstimate:
        """In another unit."""
        return replace(self, estimate=self.estimate * factor, error=self.error * abs(factor))


def _codes(names: Sequence[Hashable], kept: BoolArray) -> IntArray:
    """Numbers from 0 on for the names of what is kept."""
    seen: dict[Hashable, int] = {}
    return np.array(
        [seen.setdefault(name, len(seen)) for name, there in zip(names, kept, strict=True) if there],
        dtype=np.int64,
    )


def _sums(values: FloatArray, groups: IntArray) -> FloatArray:
    """Of the rows of every group."""
    sums = np.zeros((int(groups.max()) + 1, *values.shape[1:]))
    np.add.at(sums, groups, values)
    return sums


def _solved(matrices: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What solves sum(matrices) x = sum(vectors), and its errors by leaving out one cluster at a time.

    `matrices` are clusters x parameters x parameters. NaN where the sums, with or without a cluster, leave x open.
    """
    size = len(matrices)
    whole, right = matrices.sum(axis=0), vectors.sum(axis=0)
    nan = np.full(right.shape, np.nan)
    scale = np.sqrt(np.abs(np.diag(whole)))
    if not (scale > 0).all():
        return nan, nan
    alike = np.outer(scale, scale)  # parameters on scales of their own do not make a matrix nearly singular
    if abs(np.linalg.det(whole / alike)) < 1e-9:
        return nan, nan
    solution: FloatArray = np.linalg.solve(whole, right)
    rest = whole - matrices
    if size < 2 or (np.abs(np.linalg.det(rest / alike)) < 1e-9).any():
        return solution, nan
    left = np.linalg.solve(rest, (right - vectors)[..., None])[..., 0]
    error: FloatArray = np.sqrt((size - 1) / size * ((left - solution) ** 2).sum(axis=0))
    return solution, error


def _slope(
    y: FloatArray, x: FloatArray, weights: FloatArray, cluster: IntArray, why: str
) -> ClusteredEstimate:
    """Through the origin."""
    squares = _sums(weights * x * x, cluster)
    n, size = len(y), len(squares)
    if not squares.sum() > 0:
        return ClusteredEstimate(n=n, clusters=size, why=why)
    slope, error = _solved(squares[:, None, None], _sums(weights * x * y, cluster)[:, None])
    return ClusteredEstimate(
        estimate=float(slope[0]),
        error=float(error[0]),
        freedom=_freedom(squares),
        n=n,
        clusters=size,
        why=None if not math.isnan(error[0]) and size > 1 else "a single topic tells nothing of others",
    )


def _freedom(squares: FloatArray) -> float:
    """By how evenly clusters bear on a slope: clusters - 1 where they do so alike."""
    share = squares / squares.sum()
    return max(1 / float(share @ share) - 1, 1.0)


def clustered_mean(values: npt.ArrayLike, clusters: Sequence[Hashable]) -> ClusteredEstimate:
    """A mean of things that come in clusters; every thing counts alike."""
    numbers = checks.numbers("values", values, dimensions=1)
    kept: BoolArray = ~np.isnan(numbers)
    if not kept.any():
        return ClusteredEstimate(why="there is nothing to average")
    numbers = numbers[kept]
    one = np.ones(len(numbers))
    return _slope(numbers, one, one, _codes(clusters, kept), "")


def share_by_cluster(
    flags: npt.ArrayLike, clusters: Sequence[Hashable], *, level: float = 0.95
) -> ClusteredShare:
    """How many things have something, with an interval that takes clusters for the sample."""
    hits: BoolArray = np.asarray(flags, dtype=np.bool_)
    codes = _codes(clusters, np.ones(len(hits), dtype=np.bool_))
    size = int(codes.max(initial=-1)) + 1
    return clustered_share(
        np.bincount(codes[hits], minlength=size).tolist(),
        np.bincount(codes, minlength=size).tolist(),
        level=level,
    )


# Order


@dataclass(frozen=True)
class OrderEffect:
    """Pairs that were asked in both orders. A tie in one order alone is neither kept, nor a side's."""

    pairs: int
    kept: ClusteredShare
    """The same text was chosen, or both times none."""
    left: ClusteredShare
    """The left one won in both orders: two different texts."""
    right: ClusteredShare
    bias: float
    """How often the left one wins, a tie as half, less 1/2. Every text stood left once, so none but order is in it."""
    low: float
    high: float
    p: float
    """That there is no bias: Student's; where the interval rests on shares, that of a sign test over clusters."""


def order_effect(
    first: npt.ArrayLike, second: npt.ArrayLike, clusters: Sequence[Hashable], *, level: float = 0.95
) -> OrderEffect | None:
    """`first` and `second` are 1 where the left text won, 0 where the right one did, half a tie: in one order and in
    the other. None without pairs.

    The interval of the bias is Student's over clusters. Where fewer than 5 pairs differ from the others it rests on
    the share of pairs that do instead: these could have been moved all the way to one side.
    """
    one, other = checks.pair(first, second)
    if not len(one):
        return None

    def share(flags: BoolArray) -> ClusteredShare:
        return share_by_cluster(flags, clusters, level=level)

    wins = (one + other) / 2
    mean = clustered_mean(wins, clusters)
    low, high = mean.interval(level)
    p = replace(mean, estimate=mean.estimate - 0.5).p
    if int(varied(wins[:, None])[0]) < LEAST_VARIED:
        values, counts = np.unique(wins, return_counts=True)
        usual = float(values[counts.argmax()])
        alike = share(wins == usual).low
        low = min(alike * usual, float(np.nan_to_num(low, nan=1.0)))
        high = max(alike * usual + 1 - alike, float(np.nan_to_num(high, nan=0.0)))
        # whether sums of clusters are above 0 as often as below: two-sided binomial
        sums = _sums(wins - 0.5, _codes(clusters, np.ones(len(wins), dtype=np.bool_)))
        above, below = int((sums > FLAT).sum()), int((sums < -FLAT).sum())
        p = min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5))) if above + below else 1.0
    return OrderEffect(
        pairs=len(one),
        kept=share(one == 1 - other),
        left=share((one == 1) & (other == 1)),
        right=share((one == 0) & (other == 0)),
        bias=mean.estimate - 0.5,
        low=max(low, 0.0) - 0.5,
        high=min(high, 1.0) - 0.5,
        p=p,
    )


# What moves a judge but not people


@dataclass(frozen=True)
class JudgeExcess:
    """How answers change with something, such as length: a judge's, people's mean, and what the judge adds.

    `difference` is the slope of the judge's answers less people's. It is no sign of a bias by itself: where people like
    long texts, a judge that likes them for the same reasons but is less reliable, or uses less of the scale, has the
    lower slope. `excess` takes that off: the slope of the judge's answers among things that people find as good.
    """

    judge: ClusteredEstimate
    people: ClusteredEstimate
    difference: ClusteredEstimate
    excess: ClusteredEstimate
    follows: float = math.nan
    """By how much the judge's answers rise where people find a thing better by 1, in the units of the two."""


def judge_excess(
    judge: npt.ArrayLike,
    people: npt.ArrayLike,
    column: npt.ArrayLike,
    *,
    topics: Sequence[Hashable] | None,
    clusters: Sequence[Hashable],
    standardise: bool = True,
    even: bool = False,
) -> JudgeExcess:
    """Slopes on a column of a judge's answers and of people's, things x assessors, NaN where somebody gave none.

    With `topics`, slopes are within topics: all is centred per topic. Without, they go through the origin, as answers
    about pairs do when a pair turned round changes their sign. `standardise` divides both by their standard deviations
    over all things (around 0 for pairs). `even` gives every topic the same weight, which makes the slope on a column of
    0 and 1 the mean over topics of how far the two groups are apart.

    The excess is beta in judge = c q + beta column + error, with q what people agree on. Their mean is q with an error,
    and taking it for q would leave some of q's own slope in beta. So one assessor's answers stand for q and the mean
    of the others' is their instrument, summed over assessors: two errors that have nothing to do with each other. It
    takes two people per thing, and people who agree: otherwise it is not known. Whatever c is and however noisy the
    judge, beta is 0 if the column does not move it.
    """
    y = checks.numbers("judge", judge, dimensions=1)
    answers = checks.numbers("people", people, dimensions=2)
    x = checks.numbers("column", column, dimensions=1)
    if not len(y) == len(answers) == len(x) == len(clusters) or (
        topics is not None and len(topics) != len(y)
    ):
        raise UsageError("judge, people, column, topics and clusters: expected one for every thing")
    kept: BoolArray = ~np.isnan(y) & ~np.isnan(x) & ~np.isnan(answers).all(axis=1)
    if not kept.any():
        none = ClusteredEstimate(why="nothing was answered by both")
        return JudgeExcess(none, none, none, none)
    y, answers, x = y[kept], answers[kept], x[kept]
    cluster = _codes(clusters, kept)
    topic = None if topics is None else _codes(topics, kept)
    mean = np.nanmean(answers, axis=1)
    units = []
    for scores in (y, mean):
        spread = math.sqrt(float((scores**2).mean())) if topics is None else float(scores.std())
        units.append(spread if spread > 1e-12 * float(np.abs(scores).max(initial=0.0)) else 0.0)
    if not units[0] or (standardise and not units[1]):
        why = f"all answers of {'people' if units[0] else 'the judge'} are the same"
        none = ClusteredEstimate(n=len(y), why=why)
        return JudgeExcess(none, none, none, none)
    if not standardise:
        units = [1.0, 1.0]
    columns = np.column_stack([y / units[0], mean / units[1], x])
    values, weights = _centred(columns, topic, np.ones(len(y)), even)
    ours, theirs, on = values.T

    def slope(of: FloatArray) -> ClusteredEstimate:
        return _slope(of, on, weights, cluster, "no two things of a topic differ in it")

    excess, follows = _excess(y, answers, x, topic, cluster, even)
    return JudgeExcess(
        judge=slope(ours),
        people=slope(theirs),
        difference=slope(ours - theirs),
        excess=excess.times(1 / units[0]),
        follows=follows,
    )


def _centred(
    values: FloatArray, group: IntArray | None, weights: FloatArray, even: bool
) -> tuple[FloatArray, FloatArray]:
    """Columns centred within groups, the last of which slopes are on, and the weight of every row."""
    if group is None:
        return values, weights
    totals = _sums(weights, group)
    means = _sums(weights[:, None] * values, group) / totals[:, None]
    centred = values - means[group]
    centred[np.abs(centred) < 1e-12 * np.abs(values).max(axis=0, initial=0.0)] = 0.0
    if even:
        squares = _sums(weights * centred[:, -1] ** 2, group)
        weights = weights * np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0)[group]
    return centred, weights


def _excess(
    y: FloatArray, people: FloatArray, x: FloatArray, topic: IntArray | None, cluster: IntArray, even: bool
) -> tuple[ClusteredEstimate, float]:
    """Beta and c by instrumental variables, in the judge's own units; see `judge_excess`."""
    there = ~np.isnan(people)
    times = there.sum(axis=1)
    thing, who = np.nonzero(there & (times[:, None] > 1))
    if not len(thing):
        why = "nothing was answered by two people, so that how reliable they are is not known"
        return ClusteredEstimate(n=len(y), why=why), math.nan
    one = people[thing, who]
    others = (np.nansum(people, axis=1)[thing] - one) / (times[thing] - 1)
    # within an assessor's own answers, so that somebody's severity is no part of it
    group = None if topic is None else topic[thing] * people.shape[1] + who
    if group is not None:
        group = np.unique(group, return_inverse=True)[1].astype(np.int64)
    columns = np.column_stack([y[thing], one, others, x[thing]])
    values, weights = _centred(columns, group, 1 / times[thing], even)
    ours, one, others, on = values.T
    codes = np.unique(cluster[thing], return_inverse=True)[1].astype(np.int64)
    squares = _sums(weights * on**2, codes)
    n, size = len(np.unique(thing)), len(squares)

    def solved(left: FloatArray, right: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        weighted = weights[:, None] * left
        return _solved(
            _sums(weighted[:, :, None] * right[:, None, :], codes), _sums(weighted * target[:, None], codes)
        )

    instruments, regressors = np.column_stack([others, on]), np.column_stack([one, on])
    if not squares.sum() > 0:
        return ClusteredEstimate(n=n, clusters=size, why="no two things of a topic differ in it"), math.nan
    first, first_error = solved(instruments, instruments, one)
    if not first[0] > STRONG * first_error[0]:
        why = "people agree too little to say what they find as good"
        return ClusteredEstimate(n=n, clusters=size, why=why), math.nan
    slopes, error = solved(instruments, regressors, ours)
    if math.isnan(error[1]):
        return ClusteredEstimate(n=n, clusters=size, why="a single topic decides it"), math.nan
    estimate = ClusteredEstimate(
        estimate=float(slopes[1]), error=float(error[1]), freedom=_freedom(squares), n=n, clusters=size
    )
    return estimate, float(slopes[0])


# What a judge saves


@dataclass(frozen=True)
class JudgmentsSaved:
    """How much a judge's answers add to people's on the differences of two systems.

    With prediction-powered inference the variance of a difference's mean over n topics that people judged falls by the
    factor 1 - rho^2 N / (n + N), where rho is the correlation of the two differences over topics, and N how many
    further topics the judge answered for (Angelopoulos et al. 2023). rho^2 is adjusted for what correlations of noise
    give: 1 - (1 - r^2) (n - 1) / (n - 2), and 0 where r is negative, for then the judge is not used.
    """

    systems: int
    pairs: int
    """Of systems, where the correlation is known."""
    topics: int
    """That both judged: the median over pairs."""
    further: int
    """That the judge alone judged: the median over pairs."""
    squared: float = math.nan
    """Adjusted rho^2 of the median pair."""
    low: float = math.nan
    high: float = math.nan
    least: float = math.nan
    """Of all pairs."""
    most: float = math.nan
    why: str | None = None

    def counts_as(self, squared: float | None = None, further: float | None = None) -> float:
        """How many topics judged by people tell as much; with infinitely many further topics where none are given."""
        rho2 = self.squared if squared is None else squared
        used = 1.0 if further is None else further / (self.topics + further)
        left = 1 - rho2 * used
        return self.topics / left if left > 0 else math.inf


LEAST_TOPICS = 4


def judgments_saved(
    people: npt.ArrayLike,
    judge: npt.ArrayLike,
    clusters: Sequence[Hashable],
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
) -> JudgmentsSaved:
    """See `JudgmentsSaved`; `people` and `judge` are scores, topics x systems. Clusters are resampled."""
    theirs = checks.numbers("people", people, dimensions=2)
    ours = checks.numbers("judge", judge, dimensions=2)
    if theirs.shape != ours.shape or len(clusters) != len(theirs):
        raise UsageError("people, judge and clusters: expected the same topics and systems")
    systems = theirs.shape[1]
    i, j = np.triu_indices(systems, k=1)
    wanted, by_judge = theirs[:, i] - theirs[:, j], ours[:, i] - ours[:, j]
    both: BoolArray = ~np.isnan(wanted) & ~np.isnan(by_judge)
    n = both.sum(axis=0)
    further = (~np.isnan(by_judge) & np.isnan(wanted)).sum(axis=0)
    one = _correlations(np.ones((1, len(theirs))), wanted, by_judge, both)[0]
    enough = (n >= LEAST_TOPICS) & ~np.isnan(one)
    if not enough.any():
        why = f"no two systems have {LEAST_TOPICS} topics that people and the judge both scored, with differences"
        return JudgmentsSaved(systems=systems, pairs=0, topics=0, further=0, why=why)
    wanted, by_judge, both = wanted[:, enough], by_judge[:, enough], both[:, enough]
    one, n, further = one[enough], n[enough], further[enough]
    codes = _codes(clusters, np.ones(len(theirs), dtype=np.bool_))
    draws = cluster_draws(rng, int(codes.max()) + 1, resamples)
    step = max(AT_ONCE // max(len(one), 1), 1)
    medians = [np.zeros(0)]
    for k in range(0, len(draws), step):
        drawn = _correlations(draws[k : k + step][:, codes], wanted, by_judge, both)
        medians.append(np.nanmedian(drawn[~np.isnan(drawn).all(axis=1)], axis=1))
    defined = np.concatenate(medians)
    topics, low, high = int(np.median(n)), math.nan, math.nan
    if defined.size:
        low, high = map(float, percentile_limits(defined, level, axis=0))
    squared = adjusted_square(one, n)
    return JudgmentsSaved(
        systems=systems,
        pairs=len(one),
        topics=topics,
        further=int(np.median(further)),
        squared=float(adjusted_square(np.median(one), topics)),
        low=float(adjusted_square(low, topics)),
        high=max(float(high), 0.0) ** 2,  # not adjusted: noise may hide a correlation as well as make one
        least=float(squared.min()),
        most=float(squared.max()),
    )


def adjusted_square(r: npt.ArrayLike, n: npt.ArrayLike) -> FloatArray:
    """rho^2 from a correlation over n topics, without what noise adds (Ezekiel 1930); 0 for a negative one."""
    positive = np.maximum(np.asarray(r, dtype=float), 0.0)
    size = np.asarray(n, dtype=float)
    square: FloatArray = np.maximum(1 - (1 - positive**2) * (size - 1) / (size - 2), 0.0)
    return square


def _correlations(times: FloatArray, one: FloatArray, other: FloatArray, both: BoolArray) -> FloatArray:
    """Of every column, with rows taken so many times. A judge that never differs is worth 0; NaN where people never
    do."""
    there = both.astype(float)
    a, b = (_standard(np.where(both, scores, 0.0), there) for scores in (one, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        n = times @ there
        mean_a, mean_b = times @ a / n, times @ b / n
        var_a = times @ (a * a) / n - mean_a**2
        var_b = times @ (b * b) / n - mean_b**2
        shared = times @ (a * b) / n - mean_a * mean_b
        r = shared / np.sqrt(var_a * var_b)
    r = np.where(var_b > 1e-12, np.clip(r, -1, 1), 0.0)
    return np.where(var_a > 1e-12, r, np.nan)


def _standard(values: FloatArray, there: FloatArray) -> FloatArray:
    """Columns with mean 0 and spread 1 where they are there, so that sums of squares lose nothing; 0 if constant."""
    n = np.maximum(there.sum(axis=0), 1.0)
    centred = (values - values.sum(axis=0) / n) * there
    spread = np.sqrt((centred**2).sum(axis=0) / n)
    tiny = spread <= 1e-12 * np.abs(values).max(axis=0, initial=0.0)
    standardised: FloatArray = np.divide(
        centred, spread, out=np.zeros_like(centred), where=~tiny & (spread > 0)
    )
    return standardised
