"""How few answers to pairs must be left out for another item to have the largest strength.

The influence of an answer on the difference of two log strengths is its gradient times the inverse information (Huang,
Shen, Wei and Broderick 2026, who rank systems of an arena this way); what is found is fitted again as strengths are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from adjudge.stats.checks import BoolArray
from adjudge.stats.fewest import (
    ALONE,
    MOST_REFITS,
    ONE_ROW,
    TOO_LARGE,
    Fewest,
    Refit,
    Refitted,
    fewest_by_influence,
)
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.bradley_terry import REGULARISER, fit
from adjudge.stats.preference.contrasts import likelihood_with_maximum
from adjudge.stats.preference.models import (
    PairLikelihood,
    TieModel,
    climb_model,
    held,
    likelihood_of,
    merged,
    regularised,
)

SAME = 9
"""Decimals of log strengths that count in a ranking: items that nothing tells apart share their rank."""
MOST_ITEMS = 2_000
WORK, STEPS, AN_ANSWER = 2e10, 200, 1_000
"""Operations that all refits together may take, and about how many one takes by items cubed and by answers."""
FAR = 15.0
"""Log strengths and other parameters beyond which they may have no finite maximum."""
FLAT = 1e-8
"""A curvature, as a share of the largest, that says the same."""
MOST_CELLS = 20_000
"""Parameters times pairs up to which a linear programme says whether there is one."""


def fewest_answers(
    answers: PairAnswers,
    *,
    similarity: FloatArray | None = None,
    ties: TieModel = "half",
    position: bool = False,
    regularise: float | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Fewest:
    """The fewest answers found without which an item that comes first no longer does; every item must be in a duel.

    Items are fitted as `bradley_terry.fit` does, or with a tie model or an effect of position, which have a finite
    maximum. What is left must join all of them.
    """
    size, n = len(answers), answers.n
    if n < 2:
        return Fewest(of=size, first=tuple(range(n)), why=ALONE)
    if size < 2:
        return Fewest(of=size, first=(), why=ONE_ROW)
    modelled = ties != "half" or position
    refits = int(WORK / (n**3 * (STEPS if modelled else 1) + AN_ANSWER * size))
    if n > MOST_ITEMS or refits < 2:
        return Fewest(of=size, first=(), why=TOO_LARGE)
    refit = _duels(answers, similarity, regularise)
    if modelled:
        refit = _modelled(answers, ties, position, regularise)
    return fewest_by_influence(size, refit, refits=min(refits, MOST_REFITS), progress=progress)


def _joins(n: int, first: IntArray, second: IntArray) -> bool:
    graph = csr_array((np.ones(len(first), np.int8), (first, second)), shape=(n, n))
    return int(connected_components(graph, directed=False)[0]) == 1


def _lead(inverse: FloatArray, leader: int, challenger: int) -> FloatArray:
    """The inverse information times the contrast of the two."""
    return np.asarray(inverse[leader] - inverse[challenger])


def _duels(answers: PairAnswers, similarity: FloatArray | None, regularise: float | None) -> Refit:
    """Strengths where a tie is half a win each, possibly of propagated answers."""

    def refit(kept: BoolArray) -> Refitted | None:
        wins = answers.take(kept).wins(similarity)
        np.fill_diagonal(wins, 0.0)
        if not _joins(len(wins), *np.nonzero(wins)):
            return None
        strengths = fit(wins, regularise=regularise)
        values = strengths.values

        @cache
        def inverse() -> FloatArray:
            lost = _lost(values)
            curve = (wins + wins.T) * lost * lost.T
            information = np.diag(curve.sum(axis=1)) - curve
            if strengths.regularised:
                chance = values / (values + strengths.opponent)
                met = 2 * strengths.regularised * chance * (1 - chance)
                information += (
                    np.diag(met) - np.outer(met, met) / met.sum()
                )  # the opponent's strength is free
            return np.asarray(np.linalg.inv(held(information, np.zeros(len(values), np.int64))))

        def moves(leader: int, challenger: int) -> FloatArray:
            towards = _lead(inverse(), leader, challenger)
            gain = _lost(values) * (towards[:, None] - towards)
            if similarity is not None:
                gain = similarity @ gain @ similarity.T
            one, two = answers.first, answers.second
            up = answers.won * gain[one, two] + (1 - answers.won) * gain[two, one]
            return np.asarray(-answers.weight * up)

        return Refitted(ranked_by=np.round(strengths.log, SAME), moves=moves)

    return refit


def _lost(values: FloatArray) -> FloatArray:
    """How likely the column's item is preferred to the row's."""
    return np.asarray(values / (values[:, None] + values))


def _modelled(answers: PairAnswers, ties: TieModel, position: bool, regularise: float | None) -> Refit:
    """Strengths with a tie model or an effect of position."""
    one_each = likelihood_of(answers, np.arange(len(answers)), ties=ties, position=position)
    rows = one_each.take(np.argsort(one_each.unit))
    last: list[FloatArray] = []

    def refit(kept: BoolArray) -> Refitted | None:
        like = merged(rows.take(kept))
        if not _joins(like.n, like.first, like.second):
            return None
        top = _maximum(like, last) if _has_chains(like) else None
        if top is None and not _is_model_of(answers.take(kept), like):
            return None
        if top is None or regularise:
            like = regularised(like, REGULARISER if regularise is None else regularise)
            top = _Maximum(like, climb_model(like, np.zeros(like.n, np.int64)).point)
        point = top.point

        @cache
        def slopes() -> tuple[FloatArray, ...]:
            return replace(rows, n=like.n).row_slopes(point)

        def moves(leader: int, challenger: int) -> FloatArray:
            towards = _lead(top.inverse, leader, challenger)
            moved = slopes()[0] * replace(rows, n=like.n).away(towards)
            if rows.threshold:
                moved += slopes()[2] * towards[-1]
            return np.asarray(-moved)

        log = point[: rows.n]
        return Refitted(ranked_by=np.round(log - log.mean(), SAME), moves=moves)

    return refit


@dataclass(frozen=True)
class _Maximum:
    like: PairLikelihood
    point: FloatArray

    @cached_property
    def information(self) -> FloatArray:
        """With the strengths held at their mean."""
        return held(self.like.slopes(self.point).information, np.zeros(self.like.n, np.int64))

    @cached_property
    def inverse(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.information))


def _maximum(like: PairLikelihood, last: list[FloatArray]) -> _Maximum | None:
    """The maximum, from the last one on; None where it may not be finite."""
    if like.threshold and not like.ties.any():
        return None
    start = last[-1] if last else None
    top = _Maximum(like, climb_model(like, np.zeros(like.n, np.int64), start=start).point)
    if np.abs(top.point).max() > FAR:
        return None
    try:
        condition = np.linalg.norm(top.information, 1) * np.linalg.norm(top.inverse, 1)
    except np.linalg.LinAlgError:
        return None
    if condition * FLAT > 1:
        return None
    last[:] = [top.point]
    return top


def _is_model_of(answers: PairAnswers, like: PairLikelihood) -> bool:
    """Whether these answers would be fitted by this model; taken as not where that would take long to say."""
    if like.size * len(like.first) > MOST_CELLS:
        return False
    chosen, _ = likelihood_with_maximum(answers, np.zeros(len(answers), np.int64), like.model, like.position)
    return (chosen.model, chosen.position) == (like.model, like.position)


def _has_chains(like: PairLikelihood) -> bool:
    """Whether chains of wins or ties lead from every item to every other."""
    up, down = like.wins + like.ties > 0, like.losses + like.ties > 0
    first = np.concatenate([like.first[up], like.second[down]])
    second = np.concatenate([like.second[up], like.first[down]])
    graph = csr_array((np.ones(len(first), np.int8), (first, second)), shape=(like.n, like.n))
    return int(connected_components(graph, connection="strong")[0]) == 1
