"""Which pair of items to ask next: one drawn at random, or the one whose answer is expected to tell most.

information   how much the answer is expected to tell about all strengths: the mutual information of the answer and the
              strengths (Lindley 1956; for classifiers Houlsby et al. 2011, "BALD")
variance      how much the answer is expected to lower the mean variance of the differences between items
random        every pair that was not asked is as likely as every other (Zopf 2018, section 4.1)

The model is Bradley-Terry's (equation 2) with a normal prior on log strengths. The virtual opponent of the fit is no
good prior here: it is nearly flat, so that an item that nobody was asked about would seem to be worth asking about
without end, and it knows nothing of similarity. Under the normal prior similar items have similar strengths: the
covariance of two items is their similarity, so an answer about one narrows down the other (a Gaussian process over
preferences, as in Chu and Ghahramani 2005). The posterior is Laplace's approximation: normal around the mode, with the
inverse of the Hessian there as covariance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import entr, expit, log_expit

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers

Pair = tuple[int, int]


def random_pairs(n: int, count: int, *, rng: np.random.Generator, taken: Iterable[Pair] = ()) -> list[Pair]:
    """`count` pairs of n items, none of them in `taken` (in either order), none twice, no item against itself.

    All sets of free pairs are equally likely, and so are both orders inside a pair (Zopf 2018, section 4.1). Where
    fewer pairs are free than asked for, all free ones are returned; `pairs_left` says how many that are.
    """
    if count < 0:
        raise UsageError(f"the number of pairs is {count}, and must not be negative")
    used = pair_numbers(n, taken)
    free = n * (n - 1) // 2 - len(used)
    # The k-th free pair has number k plus the taken ones before it, so no list of all pairs is needed.
    ranks = (
        rng.choice(free, size=min(count, free), replace=False) if free and count else np.empty(0, np.int64)
    )
    numbers = ranks + np.searchsorted(used - np.arange(len(used)), ranks, side="right")
    return in_either_order(*numbered_pairs(numbers), rng=rng)


def pairs_left(n: int, taken: Iterable[Pair] = ()) -> int:
    """How many pairs of n items are not taken yet."""
    return n * (n - 1) // 2 - len(pair_numbers(n, taken))


def pair_numbers(n: int, pairs: Iterable[Pair]) -> IntArray:
    """The numbers of pairs of different items, ascending, each once: (0, 1) is 0, (0, 2) 1, (1, 2) 2, (0, 3) 3."""
    listed = np.array([tuple(pair) for pair in pairs], dtype=np.int64).reshape(-1, 2)
    wrong = listed[(listed < 0) | (listed >= n)]
    if len(wrong):
        raise DataError(f"a pair names item {wrong[0]}, and there are {n}, from 0")
    low, high = listed.min(axis=1), listed.max(axis=1)
    different = low != high
    return np.unique(high[different] * (high[different] - 1) // 2 + low[different])


def numbered_pairs(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """The smaller and the larger item of each pair, from its number."""
    high = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    # The root may be off by a rounding where a number is the first or last of its larger item.
    high -= high * (high - 1) // 2 > numbers
    high += high * (high + 1) // 2 <= numbers
    return numbers - high * (high - 1) // 2, high


def in_either_order(low: IntArray, high: IntArray, *, rng: np.random.Generator) -> list[Pair]:
    """Pairs with the order inside each drawn, so that being shown first goes to nobody in particular."""
    swap = rng.random(len(low)) < 0.5
    return [
        (int(a), int(b)) for a, b in zip(np.where(swap, high, low), np.where(swap, low, high), strict=True)
    ]


SPREAD = 1.5
"""Standard deviation of log strengths before any answer."""
SHARED = 0.7
"""How much of the variance similar items have in common; the rest is each item's own."""
TINY = 1e-8


@dataclass(frozen=True)
class AskedCounts:
    """Answers added up over pairs of items: how often the first of a pair won, and how often it was asked."""

    first: IntArray
    second: IntArray
    won: FloatArray
    times: FloatArray


@dataclass(frozen=True)
class Posterior:
    mean: FloatArray
    covariance: FloatArray


def pair_counts(answers: PairAnswers) -> AskedCounts:
    low, high = np.minimum(answers.first, answers.second), np.maximum(answers.first, answers.second)
    numbers, place = np.unique(high * (high - 1) // 2 + low, return_inverse=True)
    low_won = np.where(answers.first < answers.second, answers.won, 1 - answers.won)
    first, second = numbered_pairs(numbers)
    won = np.bincount(place, answers.weight * low_won, minlength=len(numbers)).astype(np.float64)
    times = np.bincount(place, answers.weight, minlength=len(numbers)).astype(np.float64)
    return AskedCounts(first, second, won, times)


def prior_factor(n: int, similarity: FloatArray | None) -> FloatArray:
    """L with L L' the covariance of log strengths before any answer."""
    if similarity is None:
        return np.asarray(SPREAD * np.eye(n))
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.shape != (n, n):
        raise DataError(f"the similarity is {matrix.shape}, and there are {n} items")
    if not np.all(np.isfinite(matrix)):
        raise DataError("a similarity is not a number")
    alike = SHARED * (matrix + matrix.T) / 2
    np.fill_diagonal(alike, 1.0)
    try:
        factor = cholesky(alike, lower=True)
    except LinAlgError:
        # The built-in similarities are kernels; another one need not be. One close to it takes its place.
        values, vectors = eigh(alike)
        repaired = (vectors * np.maximum(values, TINY)) @ vectors.T
        scale = 1 / np.sqrt(np.diagonal(repaired))
        factor = cholesky(repaired * np.outer(scale, scale) + TINY * np.eye(n), lower=True)
    return np.asarray(SPREAD * factor)


def posterior(asked: AskedCounts, factor: FloatArray, waiting: AskedCounts | None = None) -> Posterior:
    """Laplace's approximation, with the prior covariance given by its factor.

    Waiting pairs were handed out and are not answered: they leave the mean alone and narrow the covariance as an
    answer would, for under the approximation it does not depend on which way they will be answered.
    """
    mean = mode(asked, factor)
    asked = (
        asked
        if waiting is None
        else AskedCounts(
            *(
                np.concatenate([getattr(asked, name), getattr(waiting, name)])
                for name in asked.__dataclass_fields__
            )
        )
    )
    gap = mean[asked.first] - mean[asked.second]
    return Posterior(mean, covariance(asked, asked.times * expit(gap) * expit(-gap), factor))


def mode(asked: AskedCounts, factor: FloatArray) -> FloatArray:
    """The log strengths of highest posterior density."""
    n = len(factor)
    lost = asked.times - asked.won

    def falling(z: FloatArray) -> tuple[float, FloatArray]:
        strengths = factor @ z
        gap = strengths[asked.first] - strengths[asked.second]
        value = 0.5 * float(z @ z) - float(asked.won @ log_expit(gap) + lost @ log_expit(-gap))
        slope = asked.times * expit(gap) - asked.won
        by_item = np.bincount(asked.first, slope, minlength=n) - np.bincount(asked.second, slope, minlength=n)
        return value, z + factor.T @ by_item

    if not len(asked.won):
        return np.zeros(n)
    result = minimize(
        falling,
        np.zeros(n),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 1000, "gtol": 1e-8, "ftol": 1e-15, "maxcor": 20},
    )
    return np.asarray(factor @ result.x)


def covariance(asked: AskedCounts, curvature: FloatArray, factor: FloatArray) -> FloatArray:
    """(K^-1 + A' diag(curvature) A)^-1 without inverting K = L L': it is L (I + L' A' diag(..) A L)^-1 L'."""
    n = len(factor)
    first, second = asked.first, asked.second
    rows, columns = (
        np.concatenate([first, second, first, second]),
        np.concatenate([first, second, second, first]),
    )
    values = np.concatenate([curvature, curvature, -curvature, -curvature])
    hessian = csr_array((values, (rows, columns)), shape=(n, n))
    inner = np.eye(n) + factor.T @ (hessian @ factor)
    half = solve_triangular(cholesky(inner, lower=True), factor.T, lower=True)
    return np.asarray(half.T @ half)


How = Literal["information", "variance", "random"]

CANDIDATES = 5000
"""Pairs that are looked at for a batch, drawn at random where there are more."""
LINK_EVERY = 5
"""Every fifth pair joins parts that answers do not join yet, while there are such parts."""
SAME = 1e-6
"""Pairs whose expected gain is this close to the best, relative to it, are equal: chance decides."""


def next_pairs(
    answers: PairAnswers,
    *,
    rng: np.random.Generator,
    count: int = 1,
    how: How = "information",
    similarity: FloatArray | None = None,
    waiting: Iterable[Pair] = (),
    groups: npt.ArrayLike | None = None,
    repeats: bool = False,
) -> list[Pair]:
    """The next `count` pairs to ask, best first; the order inside a pair is random.

    `waiting` pairs have been handed out and are not answered: they count as if they had been, and are never given
    twice. `groups` numbers what items belong to, such as topics: pairs are made inside a group only. Pairs with an
    answer are asked again only with `repeats`. Where fewer pairs are left than asked for, those are all that come.

    A batch is chosen one pair after the other, each time as if those before had been answered, so that several
    assessors can work at once without being asked the same. No part of the items is starved: see `_linking`.
    """
    member = _checked(answers.n, how, count, groups)
    answers = answers.take(answers.weight > 0)
    handed = [(int(a), int(b)) for a, b in waiting]
    answered = zip(answers.first.tolist(), answers.second.tolist(), strict=True)
    asked = pair_numbers(answers.n, handed if repeats else [*handed, *answered])
    if how == "random":
        return _drawn(member, count, asked, rng)
    pool = np.sort(np.array(_drawn(member, max(CANDIDATES, count), asked, rng)).reshape(-1, 2), axis=1)
    if not len(pool) or not count:
        return []
    belief = Belief(_known(answers, handed, similarity), how)
    graph = _Graph(answers, handed, member)
    chosen: list[Pair] = []
    while len(chosen) < count and len(pool):
        looked_at = _linking(graph, pool, rng) if graph.asked % LINK_EVERY == 0 else pool
        gains = belief.gain(looked_at[:, 0], looked_at[:, 1])
        first, second = map(int, looked_at[rng.choice(np.flatnonzero(gains >= gains.max() * (1 - SAME)))])
        belief.ask(first, second)
        graph.add(first, second)
        chosen.append((first, second))
        pool = pool[(pool[:, 0] != first) | (pool[:, 1] != second)]
    low, high = np.array(chosen, dtype=np.int64).T
    return in_either_order(low, high, rng=rng)


class Belief:
    """What is known of strengths, and what an answer is expected to add.

    Each pair that is taken for answered changes the covariance S to S - g s s', with a vector s, and S C S (C takes
    the mean out, for only differences count) by -g (s t' + t s') + g^2 (s' C s) s s' with t = S C s. The vectors are
    kept, not the matrices, since only the entries of the pairs at hand are wanted.
    """

    def __init__(self, start: Posterior, how: How):
        self.mean = start.mean
        self.how = how
        self._covariance = start.covariance
        if how == "variance":
            self._crossed = start.covariance @ (start.covariance - start.covariance.mean(axis=0))
        self._answered: list[tuple[float, FloatArray, FloatArray, float]] = []  # g, s, t and s' C s

    def gain(self, first: IntArray, second: IntArray) -> FloatArray:
        """What answers to the pairs are expected to tell: nats, or by how much the mean variance falls."""
        gap = self.mean[first] - self.mean[second]
        variance = _entries(self._covariance, first, second)
        for g, s, _, _ in self._answered:
            variance -= g * (s[first] - s[second]) ** 2
        if self.how == "information":
            return information(gap, np.maximum(variance, 0.0))
        total = _entries(self._crossed, first, second)
        for g, s, t, length in self._answered:
            along = s[first] - s[second]
            total += along * (g**2 * length * along - 2 * g * (t[first] - t[second]))
        curvature = expit(gap) * expit(-gap)
        return np.asarray(2 * curvature * total / (1 + curvature * variance) / (len(self.mean) - 1))

    def ask(self, first: int, second: int) -> None:
        """From now on as if this pair had been answered."""
        s = self._covariance[:, first] - self._covariance[:, second]
        for g, old, _, _ in self._answered:
            s = s - g * (old[first] - old[second]) * old
        gap = self.mean[first] - self.mean[second]
        curvature = float(expit(gap) * expit(-gap))
        g_new = curvature / (1 + curvature * float(s[first] - s[second]))
        centred = s - s.mean()
        t = np.empty(0)
        if self.how == "variance":
            t = self._covariance @ centred
            for g, old, _, _ in self._answered:
                t = t - g * float(old @ centred) * old
        self._answered.append((g_new, s, t, float(s @ centred)))


def _entries(matrix: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """a' M a for each pair, with a 1 at the first, -1 at the second."""
    diagonal = np.diagonal(matrix)
    return np.asarray(diagonal[first] + diagonal[second] - matrix[first, second] - matrix[second, first])


def information(gap: FloatArray, variance: FloatArray) -> FloatArray:
    """Expected information in nats of an answer, where the difference in log strength is normal.

    The entropy of the answer less the entropy that would remain if the difference were known; both are integrals
    over the normal distribution, by 32 points of Gauss and Hermite.
    """
    points, weights = np.polynomial.hermite_e.hermegauss(32)
    weights = weights / weights.sum()
    chance = expit(gap[:, None] + np.sqrt(variance)[:, None] * points)
    mean = chance @ weights
    remaining = (entr(chance) + entr(1 - chance)) @ weights
    return np.asarray(np.maximum(entr(mean) + entr(1 - mean) - remaining, 0.0))


class _Graph:
    """Which items answers, waiting pairs and chosen pairs join, and how many there were of those."""

    def __init__(self, answers: PairAnswers, handed: Sequence[Pair], member: IntArray):
        both = np.array(handed, dtype=np.int64).reshape(-1, 2)
        self.n = answers.n
        self.member = member
        # A waiting pair may be answered either way: it counts as joining both ways.
        self.winner = np.concatenate(
            [answers.first[answers.won > 0], answers.second[answers.won < 1], *both.T, *both.T]
        )
        self.loser = np.concatenate(
            [answers.second[answers.won > 0], answers.first[answers.won < 1], *both.T[::-1], *both.T[::-1]]
        )
        self.asked = len(answers) + len(handed)

    def add(self, first: int, second: int) -> None:
        self.winner = np.concatenate([self.winner, [first, second]])
        self.loser = np.concatenate([self.loser, [second, first]])
        self.asked += 1

    def parts(self, connection: Literal["weak", "strong"]) -> IntArray:
        ones = np.ones(len(self.winner))
        edges = csr_array((ones, (self.winner, self.loser)), shape=(self.n, self.n))
        return np.asarray(connected_components(edges, connection=connection)[1], dtype=np.int64)

    def times(self) -> IntArray:
        return np.bincount(np.concatenate([self.winner, self.loser]), minlength=self.n)


def _linking(graph: _Graph, pool: IntArray, rng: np.random.Generator) -> IntArray:
    """The pairs that join what is not joined. Only these are looked at for every fifth pair, so nothing starves.

    First come parts without any answer between them, down to single items that nobody was asked about: the part with
    the fewest answers is compared with the rest of its group. Where all is joined, parts come that answers join one
    way only (no finite maximum of the likelihood, unless regularised): pairs between two of those.
    """
    _, part = np.unique(np.column_stack([graph.member, graph.parts("weak")]), axis=0, return_inverse=True)
    group = np.zeros(part.max() + 1, np.int64)
    group[part] = graph.member
    several = np.flatnonzero(np.bincount(group)[group] > 1)
    if len(several):
        asked = np.bincount(part, graph.times())[several]
        least = rng.choice(several[asked == asked.min()])
        inside = np.flatnonzero(part == least)
        outside = np.flatnonzero((part != least) & (graph.member == group[least]))
        total = len(inside) * len(outside)
        numbers = rng.choice(total, size=min(total, CANDIDATES), replace=False)
        return np.sort(
            np.column_stack([inside[numbers // len(outside)], outside[numbers % len(outside)]]), axis=1
        )
    strong = graph.parts("strong")
    between = pool[strong[pool[:, 0]] != strong[pool[:, 1]]]
    return between if len(between) else pool


def _drawn(member: IntArray, count: int, asked: IntArray, rng: np.random.Generator) -> list[Pair]:
    """Pairs inside groups that were not asked, all equally likely."""
    if not np.any(member != member[:1]):
        return random_pairs(
            len(member),
            count,
            rng=rng,
            taken=[(int(a), int(b)) for a, b in zip(*numbered_pairs(asked), strict=True)],
        )
    low, high = numbered_pairs(asked)
    free: list[int] = []
    taken: list[list[Pair]] = []
    members = [np.flatnonzero(member == group) for group in range(int(member.max()) + 1)]
    for items in members:
        inside = np.isin(low, items) & np.isin(high, items)
        pairs = zip(np.searchsorted(items, low[inside]), np.searchsorted(items, high[inside]), strict=True)
        taken.append([(int(a), int(b)) for a, b in pairs])
        free.append(pairs_left(len(items), taken[-1]))
    # How many of the pairs fall into each group, as if they were drawn from all groups together.
    shares = rng.multivariate_hypergeometric(free, min(count, sum(free)))
    drawn: list[Pair] = []
    for items, share, used in zip(members, shares, taken, strict=True):
        drawn += [
            (int(items[a]), int(items[b]))
            for a, b in random_pairs(len(items), int(share), rng=rng, taken=used)
        ]
    return [drawn[k] for k in rng.permutation(len(drawn))]


def _known(answers: PairAnswers, handed: Sequence[Pair], similarity: FloatArray | None) -> Posterior:
    both = np.array(handed, dtype=np.int64).reshape(-1, 2)
    waiting = AskedCounts(both[:, 0], both[:, 1], np.full(len(both), 0.5), np.ones(len(both)))
    return posterior(pair_counts(answers), prior_factor(answers.n, similarity), waiting)


def _checked(n: int, how: str, count: int, groups: npt.ArrayLike | None) -> IntArray:
    """The group of each item, as numbers from 0."""
    if how not in get_args(How):
        raise UsageError(f"unknown way to choose pairs {quoted(how)}: {', '.join(get_args(How))}")
    if count < 0:
        raise UsageError(f"the number of pairs is {count}, and must not be negative")
    if groups is None:
        return np.zeros(n, np.int64)
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise DataError(f"{labels.size} groups for {n} items")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
