"""What answers say of differences between items: estimates, tests and intervals, and where nothing can be said.

Items that a chain of duels joins are a *part*; across parts nothing is known. Within a part, items are *level* where
chains of wins lead from each to the other: then the likelihood has a finite maximum in the difference of their log
strengths. Its standard error comes from the delete-one jackknife over units (topics, say), each in one Newton step
from the maximum (CR3 of Bell and McCaffrey 2002), with Student's t; where answers are the units, from the observed
information. Where chains of wins lead one way only, the difference is most likely infinite, and what can be said is how
small it may be: by the likelihood ratio (see `OneWay`).

One rule holds for both where units are few: no p is below the smallest that a sign test over units could give, 2 / 2^G
of G units, since on each of them all answers may go one way by chance. With f degrees of freedom that is 2^-f.
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

from adjudge.core.errors import UsageError, quoted
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
LOG_2 = math.log(2)
LOST = 1e6
"""A move of the maximum that says that it is not determined without a unit."""
NOT_FITTED = (
    "the effect of position cannot be told from the items, or has no finite maximum, so it was left out: what is said"
    " of the items may be due to where they were shown"
)
PLACED = (
    "the effect of position has no finite maximum: strengths are shown without it, and two items differ only where no"
    " effect of position could explain their answers"
)
FARTHEST = 700.0
"""A difference of log strengths beyond which chances are 0 and 1 in floating-point numbers."""
SURE = 1e-6
"""A loss of log-likelihood that says that an answer is certain."""
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
        return around(self.value, level, self.se, self.freedom, self.alone)

    @property
    def p(self) -> float:
        return float(two_sided(self.value, self.se, self.freedom, self.alone))


@dataclass(frozen=True)
class OpenPosition:
    """An effect of position that the likelihood draws to infinity: what is shown first always won, say."""

    side: Literal["above", "below"]
    one_way: OneWay
    """Of strengths and the effect of position together."""

    @cached_property
    def _contrast(self) -> FloatArray:
        contrast = np.zeros(self.one_way.like.n + 1)
        contrast[-1] = 1.0
        return contrast

    @property
    def value(self) -> float:
        return math.inf if self.side == "above" else -math.inf

    @property
    def p(self) -> float:
        return self.one_way.p_of(self._contrast)

    def bounds(self, level: float) -> Bounds:
        return self.one_way.bounds(self._contrast, self.side, level)


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
    least: FloatArray
    """No p of a pair is below this, whatever had been answered: 2 / 2^G by topics; 0 where answers are the units. 1
    where all answers of a part are ties."""
    position: ModelParameter | OpenPosition | None = None
    tie: ModelParameter | None = None
    dropped: tuple[str, ...] = ()
    """What was asked for and could not be fitted, in words."""

    @property
    def confounded(self) -> bool:
        """Whether an effect of position without end may stand behind any duel, so that no difference has a bound."""
        return isinstance(self.position, OpenPosition)

    def opening(self, i: int, j: int) -> Side | None:
        """On which side the interval of a difference is open: no chain of wins leads back."""
        if self.confounded:
            return "both"
        return _side(up=not self.reach[j, i], down=not self.reach[i, j])

    def item_opening(self, i: int) -> Side | None:
        """The same of an item's log strength less the mean of its part."""
        if self.confounded:
            return "both"
        mine = self.part == self.part[i]
        return _side(up=not self.reach[mine, i].all(), down=not self.reach[i, mine].all())

    def pair_bounds(self, i: int, j: int, level: float) -> Bounds:
        if (side := self.opening(i, j)) is None:
            return around(self.difference[i, j], level, self.se[i, j], self.freedom[i, j], self.alone[i, j])
        if side == "both" or self.part[i] != self.part[j]:
            return Bounds(-math.inf, math.inf)
        if side == "above":
            return self.one_way.pair_bounds(i, j, level)
        low, high = self.one_way.pair_bounds(j, i, level)
        return Bounds(-high, -low)

    def all_bounds(self, level: float) -> tuple[FloatArray, FloatArray]:
        """The bounds of all differences."""
        has_freedom = np.isfinite(self.freedom) & (self.freedom > 0)
        by_t = np.where(
            has_freedom, stdtrit(np.where(has_freedom, self.freedom, 1.0), (1 + level) / 2), math.inf
        )
        by_t = np.where(np.isposinf(self.freedom), ndtri((1 + level) / 2), by_t)
        with np.errstate(invalid="ignore"):
            half = np.maximum(by_t * self.se, ndtri((1 + level) / 2) * self.alone)
            low, high = self.difference - half, self.difference + half
            few = np.exp2(-self.freedom) >= 1 - level
        low, high = np.where(few, np.minimum(low, 0.0), low), np.where(few, np.maximum(high, 0.0), high)
        if self.confounded:
            low, high = np.full_like(low, np.nan), np.full_like(high, np.nan)
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
            return around(log, level, self.item_se[i], self.item_freedom[i], self.item_alone[i])
        if side == "both" or self.one_way.many:
            return Bounds(-math.inf, math.inf)
        mine = self.part == self.part[i]
        contrast = np.where(mine, -1 / np.count_nonzero(mine), 0.0)
        contrast[i] += 1
        return self.one_way.bounds(contrast, side, level, most=self.one_way.units_of[i])

    def least_p(self, i: int, j: int) -> float:
        """The smallest p that the two could have had: the first wins all its duels, the second loses all of its.

        What was answered of other items stays, and ties stay ties. Where clusters are the units a less one-sided
        outcome may have a smaller p, since only the most telling answer of a cluster counts in one-way wins: then it is
        no more than the smallest of independent answers and that of a sign test over clusters. 0 where it is not known.
        """
        least = float(self.least[i, j])
        return least if self.confounded else max(least, self.one_way.least_p(i, j, least))


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
    if math.isinf(se) or freedom == 0:  # one unit tells nothing of others
        return math.inf
    return max(quantile(level, freedom) * se, quantile(level, math.inf) * alone)


def around(value: float, level: float, se: float, freedom: float, alone: float) -> Bounds:
    """An interval that agrees with the test: it holds 0 where units are too few for any p below 1 - level."""
    half = half_width(level, se, freedom, alone)
    low, high = value - half, value + half
    if 2.0**-freedom >= 1 - level:
        return Bounds(min(low, 0.0), max(high, 0.0))
    return Bounds(low, high)


def two_sided(
    difference: FloatArray | float,
    se: FloatArray | float,
    freedom: FloatArray | float,
    alone: FloatArray | float = 0.0,
) -> FloatArray:
    """p of no difference: the larger of those that `half_width` goes by, but no less than 2^-freedom.

    That is the smallest p of a sign test over freedom + 1 units. 1 where the standard error is infinite.
    """
    x, error, least = np.broadcast_arrays(*map(np.asarray, (difference, se, alone)))
    with np.errstate(invalid="ignore", divide="ignore"):
        t, z = (-np.abs(np.where(x == 0, 0.0, x / spread)) for spread in (error, least))
    has_freedom = np.isfinite(error) & (np.asarray(freedom) > 0)
    by_t = np.where(np.isinf(freedom), ndtr(t), stdtr(np.where(has_freedom, freedom, 1.0), t))
    p = 2 * np.maximum(by_t, np.where(least > 0, ndtr(z), 0.0))
    p = np.where(has_freedom, np.maximum(p, np.exp2(-np.asarray(freedom))), 1.0)
    return np.asarray(np.where(np.isnan(x) | np.isnan(error), np.nan, p))


# Where wins go one way


@dataclass(frozen=True)
class OneWay:
    """Contrasts of log strengths that the likelihood draws to infinity.

    The largest likelihood with the contrast held at x, divided by the largest of all, is a ratio r(x). For two items of
    which one won all n duels it is the chance of just that. The contrast may be x at the level 1 - a where
    2 r(x)^f > a: for two items Clopper and Pearson's exact bound, in general a cautious one. p is that of x = 0. With
    clusters the power f makes every cluster count as one answer at the most: -f log r(0) adds up, over clusters, what
    the most telling of its one-way answers loses at x = 0, but no more than log 2, what one between equal items loses.
    So p is at least 2 / 2^G of G clusters. (A share of wins in a cluster is at most 1, so all of G clusters are won
    throughout with a chance of at most m^G, m the mean share.)
    """

    like: PairLikelihood
    """With a row per unit."""
    level: IntArray
    """Which items are level with each other."""
    certain: BoolArray
    """The rows whose answers the likelihood draws to certainty."""
    part: IntArray
    reach: BoolArray
    top: Top
    """The largest log-likelihood; answers that are certain add nothing to it at infinity."""
    clustered: bool
    answers: float
    """How many answers stand behind the weights of the rows: more weight than that counts as that."""
    tied: FloatArray
    """How much of each row's weight is ties."""

    @cached_property
    def whole(self) -> PairLikelihood:
        return merged(self.like)

    @cached_property
    def units_of(self) -> IntArray:
        """In how many units each item has answers."""
        return units_of(self.like)

    @cached_property
    def many(self) -> bool:
        """Whether there are too many pairs for the likelihood of all answers."""
        return not affordable(int(np.count_nonzero(self.reach & ~self.reach.T)), len(self.part))

    def _share(self, like: PairLikelihood, certain: BoolArray, lost: float, at: Top, most: float) -> float:
        """f, from the largest likelihood with the contrast held at 0 and what it loses; `most` units count."""
        if not self.clustered:
            return min(1.0, self.answers / float(like.weight.sum()))
        rows = like.take(certain)
        first, second = rows.logs(at.point)
        surprise = -np.where(rows.wins > 0, first, second) * np.minimum(rows.weight, 1.0)
        telling = np.zeros(int(like.unit.max()) + 1)
        np.maximum.at(telling, rows.unit, surprise)
        counted = min(float(np.minimum(telling, LOG_2).sum()), most * LOG_2)
        return min(1.0, counted / lost) if lost > 0 else 1.0

    def p_of(self, contrast: FloatArray, most: float = math.inf) -> float:
        """Of a contrast of 0."""
        at = climb_model(self.whole, self.part, contrast=contrast)
        lost = max(self.top.value - at.value, 0.0)
        return min(1.0, 2 * math.exp(-self._share(self.like, self.certain, lost, at, most) * lost))

    def p(self, i: int, j: int) -> float:
        """Of no difference between two items."""
        if self.many:
            return min(1.0, 2 * math.pow(0.5, self._direct(i, j)))
        return self.p_of(self._between(i, j), float(min(self.units_of[i], self.units_of[j])))

    def _between(self, i: int, j: int) -> FloatArray:
        contrast = np.zeros(len(self.part))
        contrast[[i, j]] = 1.0, -1.0
        return contrast

    def _direct(self, i: int, j: int) -> float:
        """In how many duels the first beat the second, clusters counting once."""
        like = self.like
        direct = ((like.first == i) & (like.second == j)) | ((like.first == j) & (like.second == i))
        weight = float(like.weight[direct].sum())
        if self.clustered:
            return min(weight, float(len(np.unique(like.unit[direct]))))
        return weight * min(1.0, self.answers / float(like.weight.sum()))

    def pair_bounds(self, i: int, j: int, level: float) -> Bounds:
        """Of two items, where chains of wins lead from the first to the second only."""
        if self.many:
            duels = self._direct(i, j)
            low = math.log((1 - level) / 2) / duels if duels else -math.inf  # of the log chance to win
            return Bounds(low - math.log(-math.expm1(low)) if duels else low, math.inf)
        most = float(min(self.units_of[i], self.units_of[j]))
        return self.bounds(self._between(i, j), "above", level, most=most)

    def bounds(self, contrast: FloatArray, side: Side, level: float, *, most: float = math.inf) -> Bounds:
        """The contrast's one bound; Newton's steps on the largest log-likelihood, which is concave and rising."""
        sign = 1.0 if side == "above" else -1.0
        best = climb_model(self.whole, self.part, contrast=sign * contrast)
        lost = max(self.top.value - best.value, 0.0)
        share = self._share(self.like, self.certain, lost, best, most)
        if not share:
            return Bounds(-math.inf, math.inf)
        goal, x = self.top.value + math.log((1 - level) / 2) / share, 0.0
        for _ in range(100):
            step = (goal - best.value) / max(best.pull, 1e-12)
            x = min(max(x + step, -FARTHEST), FARTHEST)
            best = climb_model(self.whole, self.part, start=best.point, contrast=sign * contrast, at=x)
            if abs(step) < 1e-7:
                break
        return Bounds(x, math.inf) if sign > 0 else Bounds(-math.inf, -x)

    def least_p(self, i: int, j: int, least: float) -> float:
        """If i had won all its duels and j had lost all of its; `least` is the smallest p by a sign test over units."""
        if self.like.model != "half" or self.like.position or self.answers < self.like.weight.sum():
            return 0.0
        return max(self._least_decided(i, j, least), self._least_beside_ties(i, j))

    def _one_sided(self, i: int, j: int, ties: FloatArray) -> tuple[PairLikelihood, Top, float]:
        """If i had won all its duels and j had lost all of its, but for `ties`: what was answered, the maximum where
        the two are equal, and what that loses."""
        like = self.like
        won, lost = (like.first == i) | (like.second == j), (like.second == i) | (like.first == j)
        most, half = like.weight - ties / 2, ties / 2
        like = replace(
            like,
            wins=np.where(won, most, np.where(lost, half, like.wins)),
            losses=np.where(lost, most, np.where(won, half, like.losses)),
        )
        whole = merged(like)
        at = climb_model(whole, self.part, contrast=self._between(i, j))
        return like, at, max(climb_model(whole, self.part).value - at.value, 0.0)

    def _least_beside_ties(self, i: int, j: int) -> float:
        """The smallest p with ties as they are: p by the standard error is no smaller than by the likelihood ratio."""
        both = np.array([i, j])
        if not self.tied[np.isin(self.like.first, both) | np.isin(self.like.second, both)].any():
            return 0.0
        gap = self._one_sided(i, j, self.tied)[2]
        return 2 * float(ndtr(-math.sqrt(2 * gap)))

    def _least_decided(self, i: int, j: int, least: float) -> float:
        """The smallest p, whatever had been answered."""
        both = np.array([i, j])
        like, at, gap = self._one_sided(i, j, np.zeros(len(self.tied)))
        mine = np.isin(like.first, both) | np.isin(like.second, both)
        units = float(min(self.units_of[i], self.units_of[j]))
        if self.clustered and len(np.unique(like.unit[mine])) == 1:
            return 1.0
        one_way = min(1.0, 2 * math.exp(-self._share(like, mine, gap, at, units) * gap))
        if not self.clustered:
            return one_way
        independent = 2 * float(ndtr(-STEEPEST * math.sqrt(gap / LOG_2)))
        return min(one_way, max(independent, least))


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
        like, dropped = spread_likelihood(answers, similarity), tuple[str, ...]()
    else:
        like, dropped = likelihood_with_maximum(answers, unit, ties, position)
    part, level, reach = _connections(like)
    inside = like.take(level[like.first] == level[like.second])
    top = climb_model(merged(inside), level)
    one_way = OneWay(
        like=like,
        level=level,
        certain=np.asarray(level[like.first] != level[like.second]),
        part=part,
        reach=reach,
        top=top,
        clustered=by == "cluster" and similarity is None,
        answers=float(answers.weight.sum()) if similarity is not None else math.inf,
        tied=np.zeros(len(like.first)) if similarity is not None else _tied(answers, unit, like),
    )
    if similarity is not None:
        pieces: Iterator[_Piece] | None = _of_answers(answers, similarity, top.point, by, unit)
    else:
        pieces = _of_units(inside, top.point, part) if by == "cluster" else None
    spread = _jackknife(inside, top, level, part, pieces, counts=similarity is None)
    placed = None
    if position and not like.position:
        placed = _open_position(answers, unit, like.model, by)
    if placed is not None:
        dropped = (*(reason for reason in dropped if reason != NOT_FITTED), PLACED)
    return _found(spread, one_way, by, unit, answers, dropped, placed)


def _tied(answers: PairAnswers, unit: IntArray, like: PairLikelihood) -> FloatArray:
    """How much of the weight of each row is ties."""
    ties = replace(answers, weight=answers.weight * (answers.won == 0.5))
    return likelihood_of(ties, unit, position=like.position).weight


def _found(
    spread: _Spread,
    one_way: OneWay,
    by: Unit,
    unit: IntArray,
    answers: PairAnswers,
    dropped: tuple[str, ...],
    placed: OpenPosition | None,
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
    if placed is not None:
        for i, j in np.argwhere(np.triu(part[:, None] == part, 1)).tolist():
            p[i, j] = p[j, i] = max(p[i, j], 1.0 if placed.one_way.many else placed.one_way.p(i, j))
    np.fill_diagonal(p, np.nan)
    least = np.zeros((n, n))
    if one_way.clustered:
        units = one_way.units_of
        least = np.minimum(1.0, np.exp2(1.0 - np.minimum(units[:, None], units)))
    decided = np.isin(part, part[answers.first[answers.won != 0.5]])
    least = np.where(decided[:, None] & decided, least, 1.0)
    extras = [
        ModelParameter(*map(float, numbers))
        for numbers in zip(
            one_way.top.point[n:], spread.extra_se, spread.extra_freedom, spread.extra_alone, strict=True
        )
    ]
    return PairContrasts(
        by=by,
        units=len(np.unique(unit)) if by == "cluster" else len(answers),
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
        least=least,
        position=extras[0] if like.position else placed,
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


def likelihood_with_maximum(
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
        dropped.append(NOT_FITTED)
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
    kept = _kept(like)
    flat = len(np.unique(level))  # every set of level items can be moved as a whole
    if np.linalg.matrix_rank(kept) < like.size - flat:
        return False
    solution = linprog(
        -kept.sum(axis=0), A_ub=-kept, b_ub=np.zeros(len(kept)), bounds=(-1, 1), method="highs"
    )
    return bool(solution.success and -solution.fun < 1e-7)


def _kept(like: PairLikelihood) -> FloatArray:
    """Directions times these are 0 or more where no answer gets less likely, however far one goes."""
    rows = np.arange(len(like.first))
    away = np.zeros((len(rows), like.size))
    away[rows, like.first], away[rows, like.second] = 1.0, -1.0
    if like.position:
        away[:, like.n] = 1.0
    tie = np.zeros_like(away)
    if like.threshold:
        tie[:, -1] = 1.0
    won, tied, lost = like.wins > 0, like.ties > 0, like.losses > 0
    return np.concatenate([(away - tie)[won], (-away - tie)[lost], (tie - away)[tied], (tie + away)[tied]])


def _open_position(answers: PairAnswers, unit: IntArray, model: TieModel, by: Unit) -> OpenPosition | None:
    """An effect of position that can grow one way without end, and not the other; None where it can go both ways."""
    like = likelihood_of(answers, unit, ties=model, position=True)
    whole = merged(like)
    kept, goal = _kept(whole), np.zeros(like.size)
    goal[like.n] = 1.0

    def grows(sign: float) -> bool:
        solution = linprog(-sign * goal, A_ub=-kept, b_ub=np.zeros(len(kept)), bounds=(-1, 1), method="highs")
        return bool(solution.success and -solution.fun > 1e-7)

    up, down = grows(1.0), grows(-1.0)
    if up == down:
        return None
    part, level, reach = _connections(like)
    top = climb_model(whole, part)
    first, second = like.logs(top.point)
    sure = np.where(like.wins > 0, first, 0.0) + np.where(like.losses > 0, second, 0.0) > -SURE
    one_way = OneWay(
        like=like,
        level=level,
        certain=np.asarray(sure & (like.ties == 0)),
        part=part,
        reach=reach,
        top=top,
        clustered=by == "cluster",
        answers=math.inf,
        tied=_tied(answers, unit, like),
    )
    return OpenPosition(side="above" if up else "below", one_way=one_way)


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


def units_of(like: PairLikelihood) -> IntArray:
    """In how many units each item has answers."""
    pairs = np.concatenate([np.stack([like.first, like.unit]), np.stack([like.second, like.unit])], axis=1)
    return np.bincount(np.unique(pairs, axis=1)[0], minlength=like.n).astype(np.int64)


def _joined(n: int, first: IntArray, second: IntArray) -> IntArray:
    graph = csr_array((np.ones(len(first), np.int8), (first, second)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _of_units(like: PairLikelihood, point: FloatArray, part: IntArray) -> Iterator[_Piece]:
    for unit in np.unique(like.unit):
        mine = like.unit == unit
        of_unit, others = like.take(mine), like.take(~mine)
        yield _Piece(
            *of_unit.slopes(point),
            joined=_joined(like.n, others.first, others.second),
            within=np.unique(part[of_unit.first]),
        )


def spread_likelihood(answers: PairAnswers, similarity: FloatArray) -> PairLikelihood:
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
    whole = spread_likelihood(answers, similarity)
    total = np.zeros((answers.n, answers.n))
    total[whole.first, whole.second] = whole.weight
    units = unit if by == "cluster" else np.arange(len(answers))
    for number in np.unique(units):
        of_unit = spread_likelihood(answers.take(units == number), similarity)
        left = total.copy()
        left[of_unit.first, of_unit.second] -= of_unit.weight
        yield _Piece(
            *of_unit.slopes(point),
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
        variances, freedom = alone, alone.filled(math.inf)
    else:
        variances, first, second = alone.filled(0.0), alone.filled(0.0), alone.filled(0.0)
        information = inside.slopes(top.point).information
        met = np.zeros(int(part.max()) + 1)
        for piece in pieces:
            met[piece.within] += 1
            moved = _solved(held(information - piece.information, piece.joined), piece.gradient)
            if np.abs(moved).max() > LOST:
                variances = alone.filled(math.inf)
            else:
                variances = variances.plus(
                    _Variances.of(np.outer(moved, moved), part, n).apart(piece.joined, part)
                )
            share = _Variances.of(inverse @ piece.information @ inverse, part, n)
            first, second = first.plus(share), second.plus(share.squared())
        variances = variances.scaled(((np.maximum(met, 1) - 1) / np.maximum(met, 1))[part])
        freedom = first.freedom(second)
        if counts:  # no more units than either of the two items has
            freedom = freedom.at_most(units_of(inside) - 1)
    same = level[:, None] == level
    whole = np.array([len(np.unique(level[part == number])) == 1 for number in part])
    least = alone if counts else alone.filled(0.0)
    with np.errstate(invalid="ignore"):
        return _Spread(
            se=np.where(same, np.sqrt(variances.pairs), np.nan),
            freedom=np.where(same, freedom.pairs, np.nan),
            alone=np.where(same, np.sqrt(least.pairs), np.nan),
            item_se=np.where(whole, np.sqrt(variances.items), np.nan),
            item_freedom=np.where(whole, freedom.items, np.nan),
            item_alone=np.where(whole, np.sqrt(least.items), np.nan),
            extra_se=np.sqrt(variances.extras),
            extra_freedom=freedom.extras,
            extra_alone=np.sqrt(least.extras),
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
        block = matrix[:n, :n]
        diagonal = np.diag(block)
        pairs = np.maximum(diagonal[:, None] + diagonal - block - block.T, 0.0)
        member = (part[:, None] == np.arange(int(part.max()) + 1)).astype(np.float64)
        mean = block @ (member / member.sum(axis=0))  # over the items of each part
        rows = np.arange(n)
        middle = np.bincount(part, mean[rows, part]) / member.sum(axis=0)
        items = diagonal - 2 * mean[rows, part] + middle[part]
        return cls(pairs=pairs, items=np.maximum(items, 0.0), extras=np.diag(matrix)[n:].copy())

    def filled(self, value: float) -> _Variances:
        return _Variances(*(np.full_like(variances, value) for variances in self._all()))

    def _all(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.pairs, self.items, self.extras

    def plus(self, other: _Variances) -> _Variances:
        return _Variances(*(a + b for a, b in zip(self._all(), other._all(), strict=True)))

    def squared(self) -> _Variances:
        return _Variances(*(variances**2 for variances in self._all()))

    def scaled(self, by: FloatArray) -> _Variances:
        rest = float(by.max(initial=0.0))
        with np.errstate(invalid="ignore"):  # one unit alone: infinite times 0
            products = self.pairs * by, self.items * by, self.extras * rest
        return _Variances(*(np.where(np.isnan(variances), np.inf, variances) for variances in products))

    def apart(self, joined: IntArray, part: IntArray) -> _Variances:
        """Infinite for what nothing is known of without this unit."""
        pairs = np.where(joined[:, None] == joined, self.pairs, np.inf)
        broken = np.array([len(np.unique(joined[part == number])) > 1 for number in part])
        return replace(self, pairs=pairs, items=np.where(broken, np.inf, self.items))

    def at_most(self, most: IntArray) -> _Variances:
        """Of every item, and of every two the smaller."""
        freedom = np.maximum(most, 0)
        return replace(
            self,
            pairs=np.minimum(self.pairs, np.minimum(freedom[:, None], freedom)),
            items=np.minimum(self.items, freedom),
        )

    def freedom(self, squares: _Variances) -> _Variances:
        def of(total: FloatArray, square: FloatArray) -> FloatArray:
            return np.maximum(total**2 / np.maximum(square, 1e-300) - 1, 0.0)

        return _Variances(*(of(a, b) for a, b in zip(self._all(), squares._all(), strict=True)))
