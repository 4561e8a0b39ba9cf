"""Differences of pairs for other assessors like those who answered: the same estimates with more variance.

`PairContrasts` speaks of these assessors. Here what their tastes add to a variance is added (tastes.py), and its
degrees of freedom are no more than before. Where wins go one way there is no variance to add to: p as a normal quantile
is made smaller by as much as tastes would widen the standard error of equal items. So no p is below the narrower one,
and no interval within the narrower one, whatever the answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.contrasts import Bounds, PairContrasts, quantile, spread_likelihood
from adjudge.stats.preference.models import PairLikelihood, climb_model, likelihood_of
from adjudge.stats.preference.tastes import Added, Cell, NoTastes, Tastes, tastes_of, within_topics

SMALLEST = 1e-300
NEAREST = 1e-15
"""A level is no nearer to 1 than that."""


@dataclass(frozen=True)
class WiderContrasts(PairContrasts):
    """With assessors as a sample. Effects of position and ties are as for these assessors."""

    _: KW_ONLY
    narrower: PairContrasts
    tastes: Tastes
    by_assessor: PairLikelihood
    """With a row per pair and assessor, whose number is the unit."""

    def pair_bounds(self, i: int, j: int, level: float) -> Bounds:
        if self.opening(i, j) is not None:
            return self.narrower.pair_bounds(i, j, self._level(self._contrast(i, j), level))
        low, high = self.narrower.pair_bounds(i, j, level)
        half = quantile(level, float(self.freedom[i, j])) * float(self.se[i, j])
        value = float(self.difference[i, j])
        return Bounds(min(low, value - half), max(high, value + half))

    def all_bounds(self, level: float) -> tuple[FloatArray, FloatArray]:
        low, high = self.narrower.all_bounds(level)
        for i, j in np.argwhere(np.triu(self.part[:, None] == self.part, 1)).tolist():
            low[i, j], high[i, j] = self.pair_bounds(i, j, level)
            low[j, i], high[j, i] = -high[i, j], -low[i, j]
        return low, high

    def item_bounds(self, i: int, log: float, level: float) -> Bounds:
        if (side := self.item_opening(i)) is not None:
            if side == "both" or self.one_way.many:
                return self.narrower.item_bounds(i, log, level)
            mine = self.part == self.part[i]
            contrast = np.where(mine, -1 / np.count_nonzero(mine), 0.0)
            contrast[i] += 1
            return self.narrower.item_bounds(i, log, self._level(contrast, level))
        low, high = self.narrower.item_bounds(i, log, level)
        half = quantile(level, float(self.item_freedom[i])) * float(self.item_se[i])
        return Bounds(min(low, log - half), max(high, log + half))

    # Where wins go one way

    def _contrast(self, i: int, j: int) -> FloatArray:
        contrast = np.zeros(len(self.part))
        contrast[[i, j]] = 1.0, -1.0
        return contrast

    @cached_property
    def _assessors(self) -> list[PairLikelihood]:
        return [self.by_assessor.take(self.by_assessor.unit == who) for who in range(self.tastes.assessors)]

    def _stretch(self, contrast: FloatArray) -> tuple[float, float]:
        """By how much tastes widen a standard error where the contrast is 0, with the degrees of freedom."""
        one_way, n = self.one_way, len(self.part)
        if one_way.many:
            i, j = int(np.argmax(contrast)), int(np.argmin(contrast))
            like = self.by_assessor
            direct = ((like.first == i) & (like.second == j)) | ((like.first == j) & (like.second == i))
            duels = np.bincount(like.unit[direct], like.weight[direct], self.tastes.assessors)
            if not duels.any():
                return 1.0, math.inf
            variance, tasted = 4 / duels.sum(), 2 * float((duels**2).sum()) / duels.sum() ** 2
        else:
            at = climb_model(one_way.whole, self.part, contrast=contrast).point
            information = one_way.whole.slopes(at).information[:n, :n]
            way = np.linalg.pinv(information, hermitian=True) @ contrast
            variance = float(contrast @ way)
            moved = [like.slopes(at).information[:n, :n] @ way for like in self._assessors]
            tasted = float(np.square(moved).sum())
        if not variance > 0:
            return 1.0, math.inf
        added = self.tastes.added(tasted)
        freedom = added.freedom_with(np.array([variance]), np.array([math.inf]))
        return math.sqrt(1 + float(added.variance[0]) / variance), float(freedom[0])

    def _level(self, contrast: FloatArray, level: float) -> float:
        """The level at which the narrower bound is that of this level."""
        stretch, freedom = self._stretch(contrast)
        beyond = float(ndtr(-quantile(level, freedom) * stretch))
        return min(max(level, 1 - 2 * beyond), 1 - NEAREST)

    def one_way_p(self, i: int, j: int) -> float:
        p = float(self.narrower.p[i, j])
        stretch, freedom = self._stretch(self._contrast(i, j))
        return max(p, _tail(-float(ndtri(max(p, SMALLEST) / 2)) / stretch, freedom))


def _tail(t: float, freedom: float) -> float:
    return float(2 * (ndtr(-t) if math.isinf(freedom) else stdtr(freedom, -t)))


def wider_contrasts(
    answers: PairAnswers, narrower: PairContrasts, similarity: FloatArray | None = None
) -> WiderContrasts | NoTastes:
    """The same differences for other assessors, or why there are none; `answers.who` numbers all assessors.

    `similarity` is that by which answers were propagated.
    """
    one_way = narrower.one_way
    people, who = np.unique(answers.who, return_inverse=True)
    if len(people) < 2:
        return "one-assessor"
    unit = who.astype(np.int64)
    topics, topic = 0, np.zeros(len(answers), np.int64)
    if narrower.by == "cluster":
        names, topic = np.unique(answers.cluster, return_inverse=True)
        topics = len(names)
        unit = unit * topics + topic
    if similarity is not None:
        unit = np.arange(len(answers))
    like, level, point = one_way.like, one_way.level, one_way.top.point
    inside = like.take(level[like.first] == level[like.second])
    if not len(inside.first):
        return "one-way"
    if narrower.confounded:
        return "open-position"
    owner = np.full(int(unit.max()) + 1, -1)
    owner[unit] = who
    place = np.zeros_like(owner)
    place[unit] = topic

    def cells() -> Iterator[Cell]:
        if similarity is None:
            rows = likelihood_of(answers, unit, ties=like.model, position=like.position)
            rows = rows.take(level[rows.first] == level[rows.second])
            for number, some in _split(rows):
                yield Cell(int(owner[number]), int(place[number]), *some.slopes(point))
            return
        for number in range(len(answers)):
            some = spread_likelihood(answers.take([number]), similarity)
            yield Cell(int(owner[number]), int(place[number]), *some.slopes(point))

    by_assessor = likelihood_of(answers, who.astype(np.int64), ties=like.model, position=like.position)
    if topics and len(np.unique(who * topics + topic)) == len(people):
        return _widened(narrower, within_topics(len(people), narrower.part), by_assessor)
    tastes = tastes_of(
        cells,
        inside.slopes(point).information,
        level,
        narrower.part,
        assessors=len(people),
        topics=topics if similarity is None else 0,
        noise_by_cell=bool(topics) or similarity is not None,
    )
    if isinstance(tastes, str):
        return tastes
    return _widened(narrower, tastes, by_assessor)


def _split(like: PairLikelihood) -> Iterator[tuple[int, PairLikelihood]]:
    """The rows of every unit."""
    order = np.argsort(like.unit, kind="stable")
    units, starts = np.unique(like.unit[order], return_index=True)
    for unit, rows in zip(units.tolist(), np.split(order, starts[1:]), strict=True):
        yield unit, like.take(rows)


def _widened(narrower: PairContrasts, tastes: Tastes, by_assessor: PairLikelihood) -> WiderContrasts:
    se, freedom = _more(narrower.se, narrower.freedom, tastes.pairs)
    item_se, item_freedom = _more(narrower.item_se, narrower.item_freedom, tastes.items)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = -np.abs(np.where(narrower.difference == 0, 0.0, narrower.difference / se))
        usable = np.isfinite(t) & (freedom > 0) & ~np.isinf(freedom)
        by_t = np.where(
            usable, 2 * stdtr(np.where(usable, freedom, 1.0), np.where(usable, t, 0.0)), 2 * ndtr(t)
        )
    p = np.where(np.isfinite(narrower.difference), np.fmax(narrower.p, by_t), narrower.p)
    np.fill_diagonal(p, np.nan)
    values = {one.name: getattr(narrower, one.name) for one in fields(PairContrasts)}
    values |= {"se": se, "freedom": freedom, "p": p, "item_se": item_se, "item_freedom": item_freedom}
    wider = WiderContrasts(**values, narrower=narrower, tastes=tastes, by_assessor=by_assessor)
    for i, j in np.argwhere(np.isposinf(narrower.difference)).tolist():
        p[i, j] = p[j, i] = wider.one_way_p(i, j)
    return wider


def _more(se: FloatArray, freedom: FloatArray, added: Added) -> tuple[FloatArray, FloatArray]:
    """NaN and infinite standard errors stay what they are."""
    with np.errstate(invalid="ignore"):
        wider = np.sqrt(se**2 + added.variance)
    usable = np.isfinite(se) & (freedom > 0)
    safe = np.where(usable, se, 1.0) ** 2, np.where(usable, freedom, 1.0)
    return wider, np.where(usable, added.freedom_with(*safe), freedom)
