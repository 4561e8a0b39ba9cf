"""Does one strength per item fit? The table of pairs as it is, beside what Bradley-Terry makes of it.

The statistic is the deviance of the model from the saturated table of pairs (of pairs as they were shown, where an
effect of position is fitted). p comes from chi-squared, or where counts are few from tables drawn by the model
(sequential Monte Carlo: Besag and Clifford 1991). Answers of one topic or of one assessor hang together, and what looks
like misfit may be that: then deviance is divided by how much more clusters differ, in what the model cannot fit, than
independent answers would (a mean square with which it is compared by F, as in an analysis of variance), and the larger
p counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import chdtrc, expit, fdtrc, log_expit, xlogy

from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.contrasts import PairContrasts, affordable
from adjudge.stats.preference.models import PairLikelihood, climb_model, likelihood_of, merged

DRAWS, EXCEEDED = 999, 20
"""Tables that are drawn at most, and how many as far from the model end the drawing."""
BATCH = 37
"""Tables that are fitted at once: as many as most p-values need."""
STEPS, RIDGE = 25, 1e-9
"""Newton's steps, none longer than 1, and what keeps their equations solvable far out."""
FEWEST = 5.0
"""Answers to a pair on average, with fewer of which strengths follow the answers so closely that p is too small."""
ENOUGH = 5.0
"""Expected counts from which chi-squared is good."""
SAME = 1e-9
MOST_ITEMS = 200
"""Items up to which triples are looked for."""


@dataclass(frozen=True)
class GoodnessOfFit:
    """Of strengths to all answers between items that are level."""

    deviance: float
    freedom: int
    p: float
    method: Literal["chi-squared", "Monte Carlo", "F"]
    dispersion: float
    """By how much answers vary more over clusters than if they were independent; 1 without clusters."""
    off: float
    """How far shares of wins are from the model's chances, as a root mean square over answers, chance taken off."""
    smallest: float
    """No p could have been below this; 1 where pairs have so few answers that p would be too small."""
    triples: tuple[tuple[int, int, int], ...]
    """Items of which each was preferred to the next, and the last to the first; the clearest first."""


def goodness_of_fit(
    answers: PairAnswers, contrasts: PairContrasts, rng: np.random.Generator
) -> GoodnessOfFit | None:
    """None where nothing can misfit, as where all tie, where answers are weighted, or items too many for the work."""
    one_way = contrasts.one_way
    like, level = one_way.like, one_way.level
    counts = np.concatenate([like.wins, like.ties, like.losses]) * 2
    if not np.isinf(one_way.answers) or np.any(np.abs(counts - np.rint(counts)) > SAME):
        return None  # propagated or weighted
    if np.all(answers.won == 0.5):
        return None
    inside = like.take(level[like.first] == level[like.second])
    table = merged(inside)
    scores = _design(table)
    outcomes = 2 if like.threshold else 1
    freedom = (
        outcomes * len(table.first) - int(np.linalg.matrix_rank(scores)) - like.threshold
        if len(scores)
        else 0
    )
    if freedom < 1:
        return None
    point = one_way.top.point
    deviance = 2 * (_saturated(table) - table.value(point))
    few = _expected(table, point).min() < ENOUGH
    if few and not affordable(DRAWS, like.n):
        return None
    p, method = float(chdtrc(freedom, deviance)), "chi-squared"
    if few:
        p, method = _drawn(table, level, point, deviance, rng), "Monte Carlo"
    dispersion = 1.0
    for clusters in _clusters(answers, contrasts):
        rows = likelihood_of(answers, clusters, ties=like.model, position=like.position)
        rows = rows.take(level[rows.first] == level[rows.second])
        times, within = _dispersion(rows, table, point)
        if not within or times <= 1:
            continue
        by_f = float(fdtrc(freedom, within, deviance / freedom / times))
        dispersion = max(dispersion, times)
        if by_f > p:
            p, method = by_f, "F"
    return GoodnessOfFit(
        deviance=max(float(deviance), 0.0),
        freedom=freedom,
        p=min(p, 1.0),
        method=method,  # type: ignore[arg-type]
        dispersion=dispersion,
        off=_off(table, point, freedom, dispersion),
        smallest=1.0 if table.weight.mean() < FEWEST else 2.0 ** (1 - float(_in_cycles(table))),
        triples=_triples(merged(likelihood_of(answers, np.zeros(len(answers), np.int64)))),
    )


def _design(table: PairLikelihood) -> FloatArray:
    rows = np.arange(len(table.first))
    design = np.zeros((len(rows), table.n + table.position))
    design[rows, table.first], design[rows, table.second] = 1.0, -1.0
    if table.position:
        design[:, table.n] = 1.0
    return design


def _saturated(table: PairLikelihood) -> float:
    """The log-likelihood of chances that are what was seen."""
    parts = np.stack([table.wins, table.ties, table.losses])
    return float(np.sum(xlogy(parts, parts) - xlogy(parts, table.weight)))


def _chances(table: PairLikelihood, point: FloatArray) -> FloatArray:
    """Of the first, of a tie and of the second, a row each."""
    first, second = np.exp(table.logs(point))
    return np.stack([first, np.maximum(1 - first - second, 0.0) if table.threshold else 0 * first, second])


def _expected(table: PairLikelihood, point: FloatArray) -> FloatArray:
    chances = _chances(table, point)
    return np.asarray(chances[[0, 1, 2] if table.threshold else [0, 2]] * table.weight)


def _ordered(
    table: PairLikelihood, level: IntArray, point: FloatArray
) -> tuple[PairLikelihood, IntArray, FloatArray]:
    """With items and pairs in the order of strength, so that the same draws come however items are numbered."""
    order = np.lexsort((np.round(point[: table.n], 9), level))
    place = np.argsort(order)
    first, second = place[table.first], place[table.second]
    turn = (first > second) & (not table.position)
    first, second = np.where(turn, second, first), np.where(turn, first, second)
    wins, losses = np.where(turn, table.losses, table.wins), np.where(turn, table.wins, table.losses)
    rows = np.lexsort((second, first))
    moved = replace(table, first=first, second=second, wins=wins, losses=losses).take(rows)
    return moved, level[order], np.concatenate([point[: table.n][order], point[table.n :]])


def _drawn(
    table: PairLikelihood, level: IntArray, point: FloatArray, deviance: float, rng: np.random.Generator
) -> float:
    """How often tables by the model are as far from their own fit; drawn until that is clear."""
    table, level, point = _ordered(table, level, point)
    chances = _chances(table, point).T
    chances /= chances.sum(axis=1, keepdims=True)
    duels = np.ceil(table.weight - SAME).astype(np.int64)
    exceeded = drawn = 0
    while drawn < DRAWS:
        some = rng.multinomial(duels, chances, size=(min(BATCH, DRAWS - drawn), len(duels))).astype(
            np.float64
        )
        further = _deviances(table, level, point, some) >= deviance * (1 - SAME)
        if exceeded + further.sum() >= EXCEEDED:
            return EXCEEDED / (drawn + 1 + int(np.flatnonzero(further)[EXCEEDED - exceeded - 1]))
        exceeded += int(further.sum())
        drawn += len(some)
    return (exceeded + 1) / (DRAWS + 1)


def _deviances(table: PairLikelihood, level: IntArray, point: FloatArray, drawn: FloatArray) -> FloatArray:
    """Of drawn tables: tables x pairs x outcomes."""
    if not table.threshold:
        return _half_deviances(table, level, point, drawn[:, :, 0])
    deviances = []
    for wins, ties, losses in drawn.transpose(0, 2, 1):
        other, start = replace(table, wins=wins, ties=ties, losses=losses), point
        if not ties.any():
            other, start = replace(other, model="half"), point[:-1]
        deviances.append(2 * (_saturated(other) - climb_model(other, level, start=start).value))
    return np.array(deviances)


def _half_deviances(
    table: PairLikelihood, level: IntArray, point: FloatArray, wins: FloatArray
) -> FloatArray:
    """By Newton's steps for all tables at once; where there is no finite maximum they go as far as counts."""
    design, duels = _design(table), table.weight
    same = level[:, None] == level
    pinned = np.zeros((design.shape[1],) * 2)
    pinned[: table.n, : table.n] = same / same.sum(axis=1)
    pinned += RIDGE * np.eye(len(pinned))
    points = np.tile(point[: design.shape[1]], (len(wins), 1))
    for _ in range(STEPS):
        chance = expit(points @ design.T)
        bent = duels * chance * (1 - chance)
        information = np.einsum("br,ri,rj->bij", bent, design, design, optimize=True) + pinned
        gradient = (wins - duels * chance) @ design
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        points += step / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)
    away = points @ design.T
    fitted = np.sum(wins * log_expit(away) + (duels - wins) * log_expit(-away), axis=1)
    lost = duels - wins
    saturated = np.sum(xlogy(wins, wins) + xlogy(lost, lost) - xlogy(duels, duels), axis=1)
    return np.asarray(2 * (saturated - fitted))


def _off(table: PairLikelihood, point: FloatArray, freedom: int, dispersion: float) -> float:
    first, tie, _ = _chances(table, point)
    expected = first + tie / 2
    there = table.weight > 0
    share = (table.wins + table.ties / 2)[there] / table.weight[there]
    squares = float(table.weight[there] @ (share - expected[there]) ** 2)
    # Each pair adds its variance by chance, of which fitting has taken some away.
    chance = dispersion * freedom / len(share) * float(np.sum((expected * (1 - expected) - tie / 4)[there]))
    return float(np.sqrt(max(squares - chance, 0.0) / table.weight.sum()))


def _clusters(answers: PairAnswers, contrasts: PairContrasts) -> list[IntArray]:
    """Topics and assessors, where there are several of them and all are known."""
    groups = [answers.cluster] if contrasts.by == "cluster" else []
    if np.all(answers.who >= 0):
        groups.append(answers.who)
    numbered = (np.unique(group, return_inverse=True)[1].astype(np.int64) for group in groups)
    return [group for group in numbered if group.max(initial=0) > 0]


def _dispersion(rows: PairLikelihood, table: PairLikelihood, point: FloatArray) -> tuple[float, float]:
    """The mean square of what clusters have beyond the fit, by that of independent answers; its degrees of freedom.

    The squares are of residuals in the directions that no strengths can fit.
    """
    keys = table.first * table.n + table.second
    place = np.searchsorted(keys, rows.first * rows.n + rows.second)
    residual, bent = rows.row_slopes(point)[:2]
    variance = np.bincount(place, bent, len(keys))
    clusters = int(rows.unit.max()) + 1
    by_cluster = np.zeros((clusters, len(keys)))
    np.add.at(by_cluster, (rows.unit, place), residual)
    shares = np.zeros((clusters, len(keys)))
    np.add.at(shares, (rows.unit, place), bent)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.where(variance > 0, 1 / np.sqrt(variance), 0.0)
    design = _design(table) * np.sqrt(variance)[:, None]
    fitted, _, rank = _basis(design)
    freedom = int(np.count_nonzero(variance > 0)) - rank
    share = shares.sum(axis=1) / max(shares.sum(), np.finfo(float).tiny)
    effective = 1 / float((share**2).sum())
    if freedom < 1 or effective <= 1 + SAME:
        return 1.0, 0.0
    left = (by_cluster - share[:, None] * by_cluster.sum(axis=0)) * root
    left -= (left @ fitted) @ fitted.T
    total = float((left**2).sum()) / (freedom * (1 - float((share**2).sum())))
    return total, freedom * (effective - 1)


def _basis(design: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    vectors, values, _ = np.linalg.svd(design, full_matrices=False)
    rank = int(np.count_nonzero(values > 1e-10 * values.max(initial=0.0)))
    return vectors[:, :rank], values[:rank], rank


def _in_cycles(table: PairLikelihood) -> float:
    """How many duels are between items that others join too, so that they could go round."""
    design = _design(table)
    vectors, _, _ = _basis(design)
    free = 1 - (vectors**2).sum(axis=1)  # 0 where a pair is a bridge, which any strengths fit
    return float(table.weight[free > SAME].sum())


def _triples(table: PairLikelihood) -> tuple[tuple[int, int, int], ...]:
    """Items that go round, by how clear the least clear of their three majorities is."""
    if table.n > MOST_ITEMS:
        return ()
    ahead = np.zeros((table.n, table.n))
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (table.wins - table.losses) / np.sqrt(table.weight)
    ahead[table.first, table.second], ahead[table.second, table.first] = z, -z
    round_ = []
    for a, b, c in combinations(range(table.n), 3):
        for one, two, three in ((a, b, c), (a, c, b)):
            least = min(ahead[one, two], ahead[two, three], ahead[three, one])
            if least > 0:
                round_.append((least, (one, two, three)))
    return tuple(triple for _, triple in sorted(round_, key=lambda clear: -clear[0]))
