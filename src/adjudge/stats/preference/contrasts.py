"""What answers say of differences between items: estimates, tests and intervals, and where nothing can be said.

Items that a chain of duels joins are a *part*; across parts nothing is known. Within a part, items are *level* where
chains of wins lead from each to the other: then the likelihood has a finite maximum in the difference of their log
strengths. Its standard error comes from the delete-one jackknife over units (topics, say), each in one Newton step
from the maximum (CR3 of Bell and McCaffrey 2002), with Student's t; where answers are the units, from the observed
information. Where chains of wins lead one way only, the difference is most likely infinite, and what can be said is how
small it may be: by the likelihood ratio (see `OneWay`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from adjudge.errors import UsageError, quoted
from adjudge.stats.checks import BoolArray
from adjudge.stats.order import closure
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers, propagated
from adjudge.stats.preference.models import (
    PairLikelihood,
    TieModel,
    Top,
    climb_model,
    held,
    likelihood_of,
    merged,
)

Unit = Literal["answer", "cluster"]
Side = Literal["above", "below", "both"]

STEEPEST = 0.6628
"""The largest difference over its standard error that one answer in a pair can add, of x sqrt(s(x) s(-x))."""
LOST = 1e6
"""A move of the maximum that says that it is not determined without a unit."""
WORK = 3e8
"""Operations up to which pairs get fits of their own; beyond, p comes from the duels of the two alone."""


def affordable(fits: int, items: int) -> bool:
    """Whether there is time for so many fits of all items."""
    return bool(fits * (items**3 + 2e5) <= WORK)


class Bounds(NamedTuple):
    """An interval of a difference of log strengths; an open end is infinite."""

    low: float
    high: float


class ModelParameter(NamedTuple):
    """The effect of position (a log odds), or the logarithm of nu or theta, with its standard error."""

    value: float
    se: float
    freedom: float
    alone: float

    def bounds(self, level: float) -> Bounds:
        half = half_width(level, self.se, self.freedom, self.alone)
        return Bounds(self.value - half, self.value + half)

    @property
    def p(self) -> float:
        return float(two_sided(self.value, self.se, self.freedom, self.alone))


@dataclass(frozen=True)
class PairContrasts:
    """Of every two items, the row's log strength less the column's; of every item, its own less its part's mean."""

    by: Unit
    units: int
    """How many clusters, or answers, there are."""
    model: TieModel
    part: IntArray
    """Which part an item belongs to, numbered from 0."""
    reach: BoolArray
    """Whether a chain of wins or ties leads from the row's item to the column's."""
    difference: FloatArray
    """Finite between level items, infinite where wins go one way, NaN where nothing is known."""
    se: FloatArray
    """NaN where the difference is not finite; infinite where it rests on one unit."""
    freedom: FloatArray
    """Of Student's t, infinite for the normal distribution."""
    p: FloatArray
    """Of no difference, not corrected; 1 where wins lead neither way, NaN across parts."""
    alone: FloatArray
    """The standard error if all answers were independent; 0 where that is not known. Nothing is surer than by it."""
    item_se: FloatArray
    """Of log strengths that sum to zero in their part; NaN where these are not finite."""
    item_freedom: FloatArray
    item_alone: FloatArray
    one_way: OneWay
    position: ModelParameter | None = None
    tie: ModelParameter | None = None
    dropped: tuple[str, ...] = ()
    """What was asked for and could not be fitted, in words."""

    def opening(self, i: int, j: int) -> Side | None:
        """On which side the interval of a difference is open: no chain of wins leads back."""
        return _side(up=not self.reach[j, i], down=not self.reach[i, j])

    def item_opening(self, i: int) -> Side | None:
        """The same of an item's log strength less the mean of its part."""
        mine = self.part == self.part[i]
        return _side(up=not self.reach[mine, i].all(), down=not self.reach[i, mine].all())

    def pair_bounds(self, i: int, j: int, level: float) -> Bounds:
        if (side := self.opening(i, j)) is None:
            half = half_width(level, self.se[i, j], self.freedom[i, j], self.alone[i, j])
            return Bounds(self.difference[i, j] - half, self.difference[i, j] + half)
        if side == "both" or self.part[i] != self.part[j]:
            return Bounds(-math.inf, math.inf)
        if side == "above":
            return self.one_way.pair_bounds(i, j, level)
        low, high = self.one_way.pair_bounds(j, i, level)
        return Bounds(-high, -low)

    def all_bounds(self, level: float) -> tuple[FloatArray, FloatArray]:
        """The bounds of all differences."""
        known = np.isfinite(self.freedom) & (self.freedom > 0)
        by_t = np.where(known, stdtrit(np.where(known, self.freedom, 1.0), (1 + level) / 2), math.inf)
        by_t = np.where(np.isposinf(self.freedom), ndtri((1 + level) / 2), by_t)
        with np.errstate(invalid="ignore"):
            half = np.maximum(by_t * self.se, ndtri((1 + level) / 2) * self.alone)
            low, high = self.difference - half, self.difference + half
        for i, j in np.argwhere(np.isnan(low) | np.isnan(high)).tolist():
            low[i, j], high[i, j] = self.pair_bounds(i, j, level) if i < j else (math.nan, math.nan)
        for i, j in np.argwhere(np.isnan(low)).tolist():
            low[i, j], high[i, j] = -high[j, i], -low[j, i]
        np.fill_diagonal(low, 0.0)
        np.fill_diagonal(high, 0.0)
        return low, high

    def item_bounds(self, i: int, log: float, level: float) -> Bounds:
        """Around a log strength that has a finite maximum; else from the answers alone."""
        if (side := self.item_opening(i)) is None:
            half = half_width(level, self.item_se[i], self.item_freedom[i], self.item_alone[i])
            return Bounds(log - half, log + half)
        if side == "both" or self.one_way.many:
            return Bounds(-math.inf, math.inf)
        mine = self.part == self.part[i]
        contrast = np.where(mine, -1 / np.count_nonzero(mine), 0.0)
        contrast[i] += 1
        return self.one_way.bounds(contrast, side, self.one_way.share_of(mine), level)

    def least_p(self, i: int, j: int) -> float:
        """The smallest p that the two could have had: the first wins all its duels, the second loses all of its.

        What was answered of other items stays. That is the most one-sided outcome; where clusters are few and answers
        many, a less one-sided one may have a smaller p, so the smallest of independent answers is looked at too. 0
        where it is not known.
        """
        return self.one_way.least_p(i, j)


def _side(*, up: bool, down: bool) -> Side | None:
    if up and down:
        return "both"
    return "above" if up else "below" if down else None


def quantile(level: float, freedom: float) -> float:
    """Of |t|: what a share of `level` lies within."""
    if freedom == 0:
        return math.inf
    return float(ndtri((1 + level) / 2) if math.isinf(freedom) else stdtrit(freedom, (1 + level) / 2))


def half_width(level: float, se: float, freedom: float, alone: float) -> float:
    """Of an interval: by Student's t, and no less than by the normal distribution if answers were independent.

    Few units can agree with each other by chance, and then have a standard error near 0.
    """
    if math.isinf(se):
        return math.inf
    return max(quantile(level, freedom) * se, quantile(level, math.inf) * alone)


def two_sided(
    difference: FloatArray | float,
    se: FloatArray | float,
    freedom: FloatArray | float,
    alone: FloatArray | float = 0.0,
) -> FloatArray:
    """p of no difference: the larger of those that `half_width` goes by; 1 where the standard error is infinite."""
    x, own, least = np.broadcast_arrays(*map(np.asarray, (difference, se, alone)))
    with np.errstate(invalid="ignore", divide="ignore"):
        t, z = (-np.abs(np.where(x == 0, 0.0, x / each)) for each in (own, least))
    known = np.isfinite(own) & (np.asarray(freedom) > 0)
    by_t = np.where(np.isinf(freedom), ndtr(t), stdtr(np.where(known, freedom, 1.0), t))
    found = np.where(known, 2 * np.maximum(by_t, np.where(least > 0, ndtr(z), 0.0)), 1.0)
    return np.asarray(np.where(np.isnan(x) | np.isnan(own), np.nan, found))


# Where wins go one way


@dataclass(frozen=True)
class OneWay:
    """Contrasts of log strengths that the likelihood draws to infinity.

    The largest likelihood with the contrast held at x, divided by the largest of all, is a ratio r(x). For two items of
    which one won all n duels it is the chance of just that. The contrast may be x at the level 1 - a where
    2 r(x)^f > a: for two items Clopper and Pearson's exact bound, in general a cautious one. p is that of x = 0. With
    clusters the power f is the number of clusters with one-way answers over the number of such answers, so that a
    cluster counts once: the mean over clusters of a share of wins is at least (a/2)^(1/clusters) where all are won.
    """

    like: PairLikelihood
    """With a row per unit."""
    level: IntArray
    """Which items are level with each other."""
    part: IntArray
    reach: BoolArray
    top: Top
    """The largest log-likelihood of answers between level items; the others add nothing to it at infinity."""
    clustered: bool
    answers: float
    """How many answers stand behind the weights of the rows: more weight than that counts as that."""

    @cached_property
    def whole(self) -> PairLikelihood:
        return merged(self.like)

    @cached_property
    def _crossing(self) -> BoolArray:
        return np.asarray(self.level[self.like.first] != self.level[self.like.second])

    @cached_property
    def many(self) -> bool:
        """Whether there are too many pairs for the likelihood of all answers."""
        return not affordable(int(np.count_nonzero(self.reach & ~self.reach.T)), len(self.part))

    def share_between(self, i: int, j: int) -> float:
        """f for two items, of which the first is above: of answers that go one way between the two."""
        between = self.reach[i] & self.reach[:, j]
        return self._share(self._crossing & between[self.like.first] & between[self.like.second])

    def share_of(self, items: BoolArray) -> float:
        """f for an item in its part."""
        return self._share(self._crossing & items[self.like.first])

    def _share(self, rows: BoolArray) -> float:
        total = float(self.like.weight[rows].sum())
        if self.clustered:
            return min(1.0, len(np.unique(self.like.unit[rows])) / total)
        return min(1.0, self.answers / float(self.like.weight.sum()))

    def p(self, i: int, j: int) -> float:
        """Of no difference, where chains of wins lead from the first to the second only."""
        if self.many:
            return min(1.0, 2 * math.pow(0.5, self._direct(i, j)))
        contrast = np.zeros(len(self.part))
        contrast[[i, j]] = 1.0, -1.0
        lost = self.top.value - climb_model(self.whole, self.part, contrast=contrast).value
        return min(1.0, 2 * math.exp(-self.share_between(i, j) * max(lost, 0.0)))

    def _direct(self, i: int, j: int) -> float:
        """In how many duels the first beat the second, clusters counting once."""
        like = self.like
        own = ((like.first == i) & (like.second == j)) | ((like.first == j) & (like.second == i))
        return float(like.weight[own].sum()) * self.share_between(i, j)

    def pair_bounds(self, i: int, j: int, level: float) -> Bounds:
        """Of two items, where chains of wins lead from the first to the second only."""
        if self.many:
            duels = self._direct(i, j)
            low = math.log((1 - level) / 2) / duels if duels else -math.inf  # of the log chance to win
            return Bounds(low - math.log(-math.expm1(low)) if duels else low, math.inf)
        contrast = np.zeros(len(self.part))
        contrast[[i, j]] = 1.0, -1.0
        return self.bounds(contrast, "above", self.share_between(i, j), level)

    def bounds(self, contrast: FloatArray, side: Side, share: float, level: float) -> Bounds:
        """The contrast's one bound; Newton's steps on the largest log-likelihood, which is concave and rising."""
        sign = 1.0 if side == "above" else -1.0
        goal = self.top.value + math.log((1 - level) / 2) / share
        x, start = 0.0, None
        for _ in range(100):
            found = climb_model(self.whole, self.part, start=start, contrast=sign * contrast, at=x)
            step = (goal - found.value) / max(found.pull, 1e-12)
            x, start = max(x + step, -700.0), found.point
            if abs(step) < 1e-7:
                break
        return Bounds(x, math.inf) if sign > 0 else Bounds(-math.inf, -x)

    def least_p(self, i: int, j: int) -> float:
        if self.like.model != "half" or self.like.position or self.answers < self.like.weight.sum():
            return 0.0
        like, both = self.whole, np.array([i, j])
        mine = np.isin(self.like.first, both) | np.isin(self.like.second, both)
        units, total = len(np.unique(self.like.unit[mine])), float(self.like.weight[mine].sum())
        won = (like.first == i) | (like.second == j)
        lost = (like.second == i) | (like.first == j)
        most = like.weight
        like = replace(
            like,
            wins=np.where(won, most, np.where(lost, 0.0, like.wins)),
            losses=np.where(lost, most, np.where(won, 0.0, like.losses)),
        )
        contrast = np.zeros(like.n)
        contrast[both] = 1.0, -1.0
        gap = climb_model(like, self.part).value - climb_model(like, self.part, contrast=contrast).value
        gap = max(gap, 0.0)
        share = min(1.0, units / total) if self.clustered else 1.0
        if self.clustered and units == 1:
            return 1.0
        independent = 2 * float(ndtr(-STEEPEST * math.sqrt(gap / math.log(2))))
        return min(1.0, 2 * math.exp(-share * gap), independent if self.clustered else 1.0)


# The fit


def pair_contrasts(
    answers: PairAnswers,
    *,
    by: Unit = "answer",
    similarity: FloatArray | None = None,
    ties: TieModel = "half",
    position: bool = False,
) -> PairContrasts:
    """Differences of all pairs, by answers or by clusters of them; every item must be in a duel.

    With a `similarity` answers are propagated, and each one is a unit as far as it reaches. A tie model or an effect
    of position that has no finite maximum is left out, and named in `dropped`.
    """
    if by not in get_args(Unit):
        raise UsageError(f"by: unknown value {quoted(by)}; expected one of {', '.join(get_args(Unit))}")
    if similarity is not None and (ties != "half" or position):
        raise UsageError("similarity: propagated answers know neither a tie model nor an effect of position")
    unit = np.zeros(len(answers), np.int64)
    if by == "cluster":
        unit = np.unique(answers.cluster, return_inverse=True)[1].astype(np.int64)
    if similarity is not None:
        like, dropped = _spread(answers, similarity), tuple[str, ...]()
    else:
        like, dropped = _fitting(answers, unit, ties, position)
    part, level, reach = _connections(like)
    inside = like.take(level[like.first] == level[like.second])
    top = climb_model(merged(inside), level)
    one_way = OneWay(
        like=like,
        level=level,
        part=part,
        reach=reach,
        top=top,
        clustered=by == "cluster" and similarity is None,
        answers=float(answers.weight.sum()) if similarity is not None else math.inf,
    )
    if similarity is not None:
        pieces: Iterator[_Piece] | None = _of_answers(answers, similarity, top.point, by, unit)
    else:
        pieces = _of_units(inside, top.point, part) if by == "cluster" else None
    spread = _jackknife(inside, top, level, part, pieces, counts=similarity is None)
    return _found(spread, one_way, by, unit, len(answers), dropped)


def _found(
    spread: _Spread, one_way: OneWay, by: Unit, unit: IntArray, answers: int, dropped: tuple[str, ...]
) -> PairContrasts:
    like, level, reach, part = one_way.like, one_way.level, one_way.reach, one_way.part
    log, n = one_way.top.point[: like.n], like.n
    same = level[:, None] == level
    difference = np.where(same, log[:, None] - log, np.nan)
    difference[reach & ~reach.T] = np.inf
    difference[reach.T & ~reach] = -np.inf
    p = np.where(same, two_sided(difference, spread.se, spread.freedom, spread.alone), np.nan)
    p[(part[:, None] == part) & ~reach & ~reach.T] = 1.0
    for i, j in np.argwhere(reach & ~reach.T).tolist():
        p[i, j] = p[j, i] = one_way.p(i, j)
    np.fill_diagonal(p, np.nan)
    extras = [
        ModelParameter(*map(float, each))
        for each in zip(
            one_way.top.point[n:], spread.extra_se, spread.extra_freedom, spread.extra_alone, strict=True
        )
    ]
    return PairContrasts(
        by=by,
        units=len(np.unique(unit)) if by == "cluster" else answers,
        model=like.model,
        part=part,
        reach=reach,
        difference=difference,
        se=spread.se,
        freedom=spread.freedom,
        p=p,
        alone=spread.alone,
        item_se=spread.item_se,
        item_freedom=spread.item_freedom,
        item_alone=spread.item_alone,
        one_way=one_way,
        position=extras[0] if like.position else None,
        tie=extras[-1] if like.threshold else None,
        dropped=dropped,
    )


def _connections(like: PairLikelihood) -> tuple[IntArray, IntArray, BoolArray]:
    """Parts, level items, and where chains of wins lead. Parts are numbered by their first item."""
    n = like.n
    beat = np.zeros((n, n), bool)
    beat[like.first, like.second] |= like.wins + like.ties > 0
    np.logical_or.at(beat, (like.second, like.first), like.losses + like.ties > 0)
    np.logical_or.at(beat, (like.first, like.second), like.wins + like.ties > 0)
    graph = csr_array(beat)
    part = connected_components(graph, directed=False)[1].astype(np.int64)
    level = connected_components(graph, connection="strong")[1].astype(np.int64)
    # Chains between sets of level items, of which there are fewer than items.
    between = np.zeros((int(level.max()) + 1,) * 2, bool)
    rows, columns = np.nonzero(beat)
    between[level[rows], level[columns]] = True
    np.fill_diagonal(between, True)
    return part, level, closure(between)[np.ix_(level, level)]


def _fitting(
    answers: PairAnswers, unit: IntArray, ties: TieModel, position: bool
) -> tuple[PairLikelihood, tuple[str, ...]]:
    """The likelihood asked for, or the nearest one that has a finite maximum between level items."""
    tried: list[tuple[TieModel, bool]] = [(ties, position), ("half", position), (ties, False)]
    for model, shown in tried:
        like = likelihood_of(answers, unit, ties=model, position=shown)
        if (like.model, like.position) == ("half", False) or _has_maximum(like):
            break
    else:
        like = likelihood_of(answers, unit)
    dropped = []
    if ties != "half" and not answers.weight[answers.won == 0.5].sum() > 0:
        dropped.append(f"no answer is a tie: {ties} has nothing to fit, and is plain Bradley-Terry")
    elif like.model != ties:
        dropped.append(f"{ties} has no finite maximum here, so ties count as half wins")
    if position and not like.position:
        dropped.append(
            "the effect of position cannot be told from the items, or has no finite maximum, so it was left out"
        )
    return like, tuple(dropped)


def _has_maximum(like: PairLikelihood) -> bool:
    """Whether answers between level items fix all parameters: no direction leaves every answer as likely or more so.

    Far out, the chance of the first, of a tie and of the second is a matter of which of e, t and -e is largest (see
    `models`; t is twice Davidson's log nu). A linear programme looks for a direction in which no answer's is passed.
    """
    _, level, _ = _connections(like)
    like = merged(like.take(level[like.first] == level[like.second]))
    if not len(like.first):
        return False
    rows, size = np.arange(len(like.first)), like.size
    away = np.zeros((len(rows), size))
    away[rows, like.first], away[rows, like.second] = 1.0, -1.0
    if like.position:
        away[:, like.n] = 1.0
    tie = np.zeros((len(rows), size))
    if like.threshold:
        tie[:, -1] = 1.0
    won, tied, lost = like.wins > 0, like.ties > 0, like.losses > 0
    kept = np.concatenate([(away - tie)[won], (-away - tie)[lost], (tie - away)[tied], (tie + away)[tied]])
    flat = len(np.unique(level))  # every set of level items can be moved as a whole
    if np.linalg.matrix_rank(kept) < size - flat:
        return False
    found = linprog(-kept.sum(axis=0), A_ub=-kept, b_ub=np.zeros(len(kept)), bounds=(-1, 1), method="highs")
    return bool(found.success and -found.fun < 1e-7)


# Standard errors


class _Piece(NamedTuple):
    """One unit's part in the gradient and in the information, and which items the others still join."""

    gradient: FloatArray
    information: FloatArray
    joined: IntArray
    within: IntArray
    """The parts that it has answers in."""


class _Spread(NamedTuple):
    se: FloatArray
    freedom: FloatArray
    alone: FloatArray
    item_se: FloatArray
    item_freedom: FloatArray
    item_alone: FloatArray
    extra_se: FloatArray
    extra_freedom: FloatArray
    extra_alone: FloatArray


def _joined(n: int, first: IntArray, second: IntArray) -> IntArray:
    graph = csr_array((np.ones(len(first), np.int8), (first, second)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _of_units(like: PairLikelihood, point: FloatArray, part: IntArray) -> Iterator[_Piece]:
    for unit in np.unique(like.unit):
        mine = like.unit == unit
        own, others = like.take(mine), like.take(~mine)
        yield _Piece(
            *own.slopes(point),
            joined=_joined(like.n, others.first, others.second),
            within=np.unique(part[own.first]),
        )


def _spread(answers: PairAnswers, similarity: FloatArray) -> PairLikelihood:
    """Propagated answers as one likelihood, whose counts are no longer whole."""
    wins = propagated(answers, similarity)
    np.fill_diagonal(wins, 0.0)
    first, second = np.nonzero(np.triu(wins + wins.T, 1))
    return PairLikelihood(
        n=answers.n,
        first=first,
        second=second,
        wins=wins[first, second],
        ties=np.zeros(len(first)),
        losses=wins[second, first],
        unit=np.zeros(len(first), np.int64),
    )


def _of_answers(
    answers: PairAnswers, similarity: FloatArray, point: FloatArray, by: Unit, unit: IntArray
) -> Iterator[_Piece]:
    """Of propagated answers, each or a cluster of them."""
    whole = _spread(answers, similarity)
    total = np.zeros((answers.n, answers.n))
    total[whole.first, whole.second] = whole.weight
    units = unit if by == "cluster" else np.arange(len(answers))
    for each in np.unique(units):
        own = _spread(answers.take(units == each), similarity)
        left = total.copy()
        left[own.first, own.second] -= own.weight
        yield _Piece(
            *own.slopes(point),
            joined=_joined(answers.n, *np.nonzero(left > 1e-9 * total)),
            within=np.zeros(1, np.int64),
        )


def _jackknife(
    inside: PairLikelihood,
    top: Top,
    level: IntArray,
    part: IntArray,
    pieces: Iterator[_Piece] | None,
    *,
    counts: bool,
) -> _Spread:
    """Standard errors and degrees of freedom; from the information alone where there are no pieces.

    Leaving out a unit moves the maximum, to the first order, by its gradient divided by the information of the others.
    The degrees of freedom are one less than the number of units that the contrast's information is spread over,
    (sum a)^2 / (sum a^2) with a what each adds to its variance. `counts`: weights are numbers of answers, so that
    the information says what standard errors would be if these were independent.
    """
    n = inside.n
    if not len(inside.first):
        nothing, none = np.full((n, n), np.nan), np.zeros(0)
        return _Spread(nothing, nothing, nothing, nothing[0], nothing[0], nothing[0], none, none, none)
    inverse = np.asarray(np.linalg.inv(held(inside.slopes(top.point).information, level)))
    alone = _Variances.of(inverse, part, n)
    if pieces is None:
        found, freedom = alone, alone.filled(math.inf)
    else:
        found, first, second = alone.filled(0.0), alone.filled(0.0), alone.filled(0.0)
        information = inside.slopes(top.point).information
        met = np.zeros(int(part.max()) + 1)
        for piece in pieces:
            met[piece.within] += 1
            moved = _solved(held(information - piece.information, piece.joined), piece.gradient)
            if np.abs(moved).max() > LOST:
                found = alone.filled(math.inf)
            else:
                found = found.plus(_Variances.of(np.outer(moved, moved), part, n).apart(piece.joined, part))
            share = _Variances.of(inverse @ piece.information @ inverse, part, n)
            first, second = first.plus(share), second.plus(share.squared())
        found = found.scaled(((np.maximum(met, 1) - 1) / np.maximum(met, 1))[part])
        freedom = first.freedom(second)
    same = level[:, None] == level
    whole = np.array([len(np.unique(level[part == each])) == 1 for each in part])
    known = alone if counts else alone.filled(0.0)
    with np.errstate(invalid="ignore"):
        return _Spread(
            se=np.where(same, np.sqrt(found.pairs), np.nan),
            freedom=np.where(same, freedom.pairs, np.nan),
            alone=np.where(same, np.sqrt(known.pairs), np.nan),
            item_se=np.where(whole, np.sqrt(found.items), np.nan),
            item_freedom=np.where(whole, freedom.items, np.nan),
            item_alone=np.where(whole, np.sqrt(known.items), np.nan),
            extra_se=np.sqrt(found.extras),
            extra_freedom=freedom.extras,
            extra_alone=np.sqrt(known.extras),
        )


def _solved(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.solve(matrix, vector))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, vector, rcond=None)[0])


@dataclass(frozen=True)
class _Variances:
    """Of all differences, of all items less their part's mean, and of the other parameters."""

    pairs: FloatArray
    items: FloatArray
    extras: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray, part: IntArray, n: int) -> _Variances:
        """From a covariance matrix of all parameters."""
        own = matrix[:n, :n]
        diagonal = np.diag(own)
        pairs = np.maximum(diagonal[:, None] + diagonal - own - own.T, 0.0)
        member = (part[:, None] == np.arange(int(part.max()) + 1)).astype(np.float64)
        mean = own @ (member / member.sum(axis=0))  # over the items of each part
        each = np.arange(n)
        middle = np.bincount(part, mean[each, part]) / member.sum(axis=0)
        items = diagonal - 2 * mean[each, part] + middle[part]
        return cls(pairs=pairs, items=np.maximum(items, 0.0), extras=np.diag(matrix)[n:].copy())

    def filled(self, value: float) -> _Variances:
        return _Variances(*(np.full_like(each, value) for each in self._all()))

    def _all(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.pairs, self.items, self.extras

    def plus(self, other: _Variances) -> _Variances:
        return _Variances(*(a + b for a, b in zip(self._all(), other._all(), strict=True)))

    def squared(self) -> _Variances:
        return _Variances(*(each**2 for each in self._all()))

    def scaled(self, by: FloatArray) -> _Variances:
        rest = float(by.max(initial=0.0))
        with np.errstate(invalid="ignore"):  # one unit alone: infinite times 0
            found = self.pairs * by, self.items * by, self.extras * rest
        return _Variances(*(np.where(np.isnan(each), np.inf, each) for each in found))

    def apart(self, joined: IntArray, part: IntArray) -> _Variances:
        """Infinite for what nothing is known of without this unit."""
        pairs = np.where(joined[:, None] == joined, self.pairs, np.inf)
        broken = np.array([len(np.unique(joined[part == each])) > 1 for each in part])
        return replace(self, pairs=pairs, items=np.where(broken, np.inf, self.items))

    def freedom(self, squares: _Variances) -> _Variances:
        def of(total: FloatArray, square: FloatArray) -> FloatArray:
            return np.maximum(total**2 / np.maximum(square, 1e-300) - 1, 0.0)

        return _Variances(*(of(a, b) for a, b in zip(self._all(), squares._all(), strict=True)))
