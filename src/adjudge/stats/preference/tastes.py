"""What assessors' tastes add to the variance of differences, where assessors are a sample as topics are.

An assessor's log strengths are the items' plus tastes of their own: independent, with mean 0 and one variance for all
items. The strengths stay those of all answers together. At their maximum an assessor's answers have a gradient g and
an information H; the inverse information of all answers, L, turns them into a move L g. Of a taste u the move is
L H u, so tastes of variance v add v * sum(L H H' L) to the covariance of strengths. v is estimated by moments: what
the squared moves of assessors, in the metric of the information, are beyond what noise makes them (DerSimonian and
Laird 1986 have the same for one number), but not below 0.

Noise is what cells leave, the answers of one assessor on one topic; without topics it is that of independent answers.
Where topics are a sample too, part of the tastes may be in their variance already (every topic has assessors of its
own): what is added is the rest (compare Cameron, Gelbach and Miller 2011, whose three terms may add up to less than
nothing).

Assessors may disagree about some items more than about others. A contrast's own moves of assessors say so with few
degrees of freedom; the more the items differ in this beyond chance, the more its own count beside those of all
(moderated variances, Smyth 2004), and it never has less than by all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from adjudge.stats.judging import FEWEST_DF
from adjudge.stats.preference.answers import FloatArray, IntArray
from adjudge.stats.preference.models import held

NoTastes = Literal["one-assessor", "one-way", "open-position", "too-few", "not-apart", "too-large"]
"""Why nothing can be said of other assessors."""

LARGEST = 2e7
"""Numbers in the matrices of all assessors, or of all topics, up to which they are computed."""
APART = 0.05
"""The share of tastes that must be seen in assessors' moves; below, they are in the strengths themselves."""
CAUTIOUS_BELOW = 5
"""Degrees of freedom of assessors below which those of a difference are never more, whatever the tastes seem to be."""
QUICKLY = 0.25
"""How the uncertainty of the tastes comes in as their estimate rises above 0: with this power of its share."""


class Cell(NamedTuple):
    """The answers of one assessor, on one topic where topics are a sample."""

    assessor: int
    topic: int
    gradient: FloatArray
    information: FloatArray


@dataclass(frozen=True)
class Added:
    """To variances of some contrasts: what tastes add, the noise in it, and the degrees of freedom it is known with."""

    variance: FloatArray
    noise: FloatArray
    freedom: FloatArray

    def freedom_with(self, narrower: FloatArray, freedom: FloatArray) -> FloatArray:
        """Satterthwaite's degrees of freedom of a variance with what is added, no more than the narrower's.

        An estimate of 0 may be the truth or an accident, and nobody knows which; how far it counts as uncertain was
        chosen so that familywise errors stay at their level for tastes of any size (docs/calibration.md).
        """
        total = narrower + self.variance
        estimate = self.variance + self.noise
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            share = np.where(estimate > 0, self.variance / estimate, 0.0)
            weight = np.where(self.freedom >= CAUTIOUS_BELOW, share**QUICKLY, 1.0)
            unsure = narrower**2 / freedom + weight * estimate**2 / self.freedom
            return np.asarray(np.fmin(freedom, np.where(unsure > 0, total**2 / unsure, freedom)))


@dataclass(frozen=True)
class Tastes:
    assessors: int
    variance: float
    """Of one assessor's log strength of an item about the average; 0 where the answers show none."""
    freedom: float
    """How many degrees of freedom the estimate has: (items - 1)(assessors - 1) where all judged the same."""
    per_variance: float
    """How large an estimate noise alone would give before it is taken off."""
    pairs: Added
    """To the variance of every difference."""
    items: Added
    """To that of every item less the mean of its part."""
    beyond: float
    """Which share of what tastes do to strengths is not in their variance over topics."""

    def added(self, per_taste: float) -> Added:
        """To a contrast whose variance tastes of variance 1 raise by so much."""
        once = np.array([self.beyond * per_taste])
        return Added(
            variance=self.variance * once, noise=self.per_variance * once, freedom=np.array([self.freedom])
        )


def within_topics(assessors: int, part: IntArray) -> Tastes:
    """Of assessors who answered on one topic each: what topics vary by holds their tastes, and nothing is added."""
    pairs = np.zeros((len(part),) * 2)
    nothing = Added(variance=pairs, noise=pairs, freedom=np.full_like(pairs, math.inf))
    items = Added(variance=pairs[0], noise=pairs[0], freedom=nothing.freedom[0])
    return Tastes(
        assessors=assessors,
        variance=0.0,
        freedom=math.inf,
        per_variance=0.0,
        pairs=nothing,
        items=items,
        beyond=0.0,
    )


Form = Callable[[FloatArray], FloatArray]
"""Variances of some contrasts of items from a covariance of them."""


def tastes_of(
    cells: Callable[[], Iterable[Cell]],
    information: FloatArray,
    level: IntArray,
    part: IntArray,
    *,
    assessors: int,
    topics: int = 0,
    noise_by_cell: bool,
) -> Tastes | NoTastes:
    """From what cells add to gradient and information at the strengths of all; `level` numbers items that are level,
    `part` those that are joined.

    `topics` is how many there are where they are a sample, else 0. `noise_by_cell` takes the noise from the cells,
    otherwise it is that of independent answers.
    """
    n, size = len(level), len(information)
    if assessors < 2:
        return "one-assessor"
    if max(assessors, topics) * size**2 > LARGEST:
        return "too-large"
    inverse = np.asarray(np.linalg.inv(held(information, level)))
    moves = np.zeros((assessors, size))
    heights = np.zeros((assessors, size, size))
    by_topic = np.zeros((topics, size, size))
    noise, within = np.zeros((2, assessors, size, size)) if noise_by_cell else np.zeros((2, 1, 1, 1))
    for cell in cells():
        heights[cell.assessor] += cell.information
        move = inverse @ cell.gradient
        moves[cell.assessor] += move
        if topics:
            by_topic[cell.topic] += cell.information
        if noise_by_cell:
            tasted = inverse @ cell.information[:, :n]
            noise[cell.assessor] += np.outer(move, move)
            within[cell.assessor] += tasted @ tasted.T
    shares = inverse @ heights
    tasted = shares[:, :, :n] @ shares[:, :, :n].transpose(0, 2, 1)
    if not noise_by_cell:
        noise, within = shares @ inverse, np.zeros_like(tasted)
    metric = _metric(inverse[:n, :n], level)
    from_noise, from_tastes = _in_moves(noise, shares, n), _in_moves(tasted - within, shares, n)
    whole = tasted.sum(axis=0)[:n, :n]
    seen = moves[:, :n].T @ moves[:, :n]
    of_all, of_noise, of_tastes = (float(np.sum(m * metric)) for m in (whole, from_noise, from_tastes))
    if of_all <= 0 or of_tastes < APART * of_all:
        return "not-apart"
    freedom = _freedom(noise if noise.any() else shares @ inverse, heights, metric, level)
    if freedom < FEWEST_DF:
        return "too-few"
    variance = max((float(np.sum(seen * metric)) - of_noise) / of_tastes, 0.0)
    spread = whole - _over_topics(cells(), inverse, by_topic, shares, n) if topics else whole
    matrices = _Matrices(seen, from_noise, from_tastes, whole, spread, tasted[:, :n, :n])
    alike = _alike(matrices, variance, _of_items(level))
    return Tastes(
        assessors=assessors,
        variance=variance,
        freedom=freedom,
        per_variance=of_noise / of_tastes,
        pairs=_added(matrices, variance, of_noise / of_tastes, freedom, alike, pairs_form),
        items=_added(matrices, variance, of_noise / of_tastes, freedom, alike, _of_items(part)),
        beyond=min(max(float(np.sum(spread * metric)) / of_all, 0.0), 1.0),
    )


class _Matrices(NamedTuple):
    """Covariances of items."""

    seen: FloatArray
    """The squared moves of assessors, added up."""
    noise: FloatArray
    """What noise is expected to make of them."""
    tastes: FloatArray
    """And tastes of variance 1."""
    whole: FloatArray
    """What tastes of variance 1 do to the strengths."""
    spread: FloatArray
    """That beyond what is in the variance over topics."""
    by_assessor: FloatArray
    """`whole` by assessor."""


def pairs_form(covariance: FloatArray) -> FloatArray:
    """Of all differences."""
    diagonal = np.diag(covariance)
    return np.asarray(diagonal[:, None] + diagonal - covariance - covariance.T)


def _of_items(part: IntArray) -> Form:
    """Of every item less the mean of its part."""
    same = part[:, None] == part
    centred = np.eye(len(part)) - same / same.sum(axis=1)

    def form(covariance: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ij,jk,ik->i", centred, covariance, centred, optimize=True))

    return form


def _ratios(m: _Matrices, variance: float, form: Form) -> tuple[FloatArray, FloatArray]:
    """A contrast's own squared moves by what is expected of them, and their degrees of freedom.

    1 and 0 where assessors' tastes do not show in its moves.
    """
    total, squares = form(m.whole), sum(np.maximum(form(part), 0.0) ** 2 for part in m.by_assessor)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = total**2 / squares - 1
        ratio = form(m.seen) / (form(m.noise) + variance * form(m.tastes))
    apart = (total > 0) & (form(m.tastes) >= APART * total) & np.isfinite(ratio) & (freedom > 0)
    return np.where(apart, ratio, 1.0), np.where(apart, freedom, 0.0)


def _alike(m: _Matrices, variance: float, form: Form) -> float:
    """How many degrees of freedom the tastes of all items are worth as a guess at those of one: infinite if alike."""
    ratio, freedom = _ratios(m, variance, form)
    some = freedom > 0
    if some.sum() < 3:
        return math.inf
    beyond = float(np.sum((ratio[some] - 1) ** 2) / (some.sum() - 1) - np.mean(2 / freedom[some]))
    return 2 / beyond if beyond > 0 else math.inf


def _added(
    m: _Matrices, variance: float, per_variance: float, freedom: float, alike: float, form: Form
) -> Added:
    ratio, its_own = _ratios(m, variance, form)
    weight = np.ones_like(ratio) if math.isinf(alike) else alike / (alike + its_own)
    moderated = np.maximum(weight + (1 - weight) * ratio, 1.0)
    spread = np.maximum(form(m.spread), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        noise = np.where(its_own > 0, form(m.noise) / form(m.tastes), per_variance)
    return Added(
        variance=spread * (variance + (moderated - 1) * (noise + variance)),
        noise=spread * noise,
        freedom=np.minimum(np.where(its_own > 0, np.maximum(alike + its_own, 1.0), math.inf), freedom),
    )


def _metric(covariance: FloatArray, level: IntArray) -> FloatArray:
    """The information about strengths, what is beside them having been fitted."""
    same = level[:, None] == level
    centred = np.eye(len(level)) - same / same.sum(axis=1)
    return np.asarray(np.linalg.pinv(centred @ covariance @ centred, hermitian=True))


def _in_moves(parts: FloatArray, shares: FloatArray, n: int) -> FloatArray:
    """The expected squared moves, where assessors' moves have these covariances before strengths are fitted.

    Fitting takes from each the share of the sum of all moves that its information is of the whole.
    """
    whole = parts.sum(axis=0)
    stays = np.eye(shares.shape[1]) - shares
    left = stays @ parts @ stays.transpose(0, 2, 1) + shares @ (whole - parts) @ shares.transpose(0, 2, 1)
    return np.asarray(left.sum(axis=0)[:n, :n])


def _freedom(noise: FloatArray, heights: FloatArray, metric: FloatArray, level: IntArray) -> float:
    """What the answers of every assessor alone could tell of items, less what all together tell.

    Where assessors gave unequally many answers they count as the fewer that would have shared them evenly.
    """
    n = len(level)
    weights = np.einsum("aij,ij->a", noise[:, :n, :n], metric)
    even = weights.sum() ** 2 / (weights**2).sum() / len(weights) if weights.any() else 0.0
    told = sum(_rank(height[:n, :n]) for height in heights)
    return float(even * told - (n - len(np.unique(level))))


def _rank(information: FloatArray) -> int:
    """Of the information about items: these less the parts that duels join them in."""
    joined = csr_array(np.abs(information) > 0)
    return len(information) - int(connected_components(joined, directed=False)[0])


def _over_topics(
    cells: Iterable[Cell], inverse: FloatArray, by_topic: FloatArray, shares: FloatArray, n: int
) -> FloatArray:
    """What tastes of variance 1 add to the variance over topics: nothing where all topics have the same assessors."""
    raw, cross = np.zeros((2, len(inverse), len(inverse)))
    for cell in cells:
        tasted = inverse @ cell.information[:, :n]
        fitted = inverse @ (by_topic[cell.topic] @ shares[cell.assessor][:, :n])
        raw += tasted @ tasted.T
        cross += tasted @ fitted.T
    by_assessor = (shares[:, :, :n] @ shares[:, :, :n].transpose(0, 2, 1)).sum(axis=0)
    moved = inverse @ by_topic
    again = (moved @ by_assessor @ moved.transpose(0, 2, 1)).sum(axis=0)
    return np.asarray((raw - cross - cross.T + again)[:n, :n])
