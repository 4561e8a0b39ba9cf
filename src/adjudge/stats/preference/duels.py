"""Duels between pairs of items, packed for compiled passes over all of them, and the parts the items fall into.

Pairs (i, j) with i < j stand row after row: those of row i are numbers starts[i] to starts[i + 1], their j's are in
`columns`; a full triangle (`dense`) needs no columns. `up` is how often i beat j, `down` how often j beat i. The loops
are cut small, and sums run in lanes, so that the compiler can vectorise them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from adjudge.core.compiled import bare
from adjudge.core.errors import DataError
from adjudge.stats.preference.answers import FloatArray, IntArray

_BLOCK = 32  # rows and columns that are read together: both squares stay in the nearest cache


@bare
def pack(wins: np.ndarray, n: int, starts: np.ndarray, up: np.ndarray, down: np.ndarray) -> None:
    """Both halves of a square, as rows of its right upper triangle."""
    for top in range(0, n, _BLOCK):
        for left in range(top, n, _BLOCK):
            for i in range(top, min(top + _BLOCK, n)):
                for j in range(max(left, i + 1), min(left + _BLOCK, n)):
                    at = starts[i] + j - i - 1
                    up[at] = wins[np.int64(i) * n + j]
                    down[at] = wins[np.int64(j) * n + i]


@bare
def one_part(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    up: np.ndarray,
    down: np.ndarray,
    most: int,
    reached: np.ndarray,
) -> int:
    """1 if chains of wins lead from item 0 to all others and back; 0 if not, or if `most` passes do not show it."""
    for back in range(2):
        for i in range(n):
            reached[i] = 0
        reached[0] = 1
        left = n - 1
        for _ in range(most):
            old, i = left, 0
            while left and i < n:
                for k in range(starts[i], starts[i + 1]):
                    j = i + 1 + k - starts[i] if dense else columns[k]
                    if reached[i] != reached[j]:
                        wins = up[k] if reached[i] != back else down[k]
                        if wins > 0.0:
                            reached[i] = 1
                            reached[j] = 1
                            left -= 1
                i += 1
            if left == 0 or left == old:
                break
        if left:
            return 0
    return 1


@bare
def totals(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    up: np.ndarray,
    down: np.ndarray,
    won: np.ndarray,
    lost: np.ndarray,
) -> None:
    """How often each item won, and lost."""
    for i in range(n):
        wins, losses = 0.0, 0.0
        for k in range(starts[i], starts[i + 1]):
            j = i + 1 + k - starts[i] if dense else columns[k]
            wins += up[k]
            losses += down[k]
            won[j] += down[k]
            lost[j] += up[k]
        won[i] += wins
        lost[i] += losses


LANES = 16
_TINY = 1e-300  # in place of no weight, where one is divided by


@bare
def slopes(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    up: np.ndarray,
    down: np.ndarray,
    v: np.ndarray,
    exact: int,
    row: np.ndarray,
    lanes: np.ndarray,
    gradient: np.ndarray,
    lost: np.ndarray,
    curve: np.ndarray,
    degree: np.ndarray,
) -> None:
    """The gradient of the log-likelihood by log strengths, and minus its second derivatives as a graph's weights.

    A pair adds what one side wins beyond expectation, (up v_j - down v_i) / (v_i + v_j), and takes as much from the
    other: nothing cancels inside a pair that won often. Sums that are to be exact keep what they lose to rounding
    (Knuth's two-sum).
    """
    for i in range(n):
        gradient[i] = 0.0
        lost[i] = 0.0
        degree[i] = 0.0
    for i in range(n):
        begin, size, strength = starts[i], starts[i + 1] - starts[i], v[i]
        if dense:
            for k in range(size):
                other = v[i + 1 + k]
                share = 1.0 / (strength + other)
                row[k] = (up[begin + k] * other - down[begin + k] * strength) * share
                curve[begin + k] = (up[begin + k] + down[begin + k]) * (strength * share) * (other * share)
            if exact:
                for k in range(size):
                    old, new = gradient[i + 1 + k], -row[k]
                    total = old + new
                    part = total - old
                    lost[i + 1 + k] += (old - (total - part)) + (new - part)
                    gradient[i + 1 + k] = total
            else:
                for k in range(size):
                    gradient[i + 1 + k] -= row[k]
            for k in range(size):
                degree[i + 1 + k] += curve[begin + k]
        else:
            for k in range(size):
                j = columns[begin + k]
                other = v[j]
                share = 1.0 / (strength + other)
                row[k] = (up[begin + k] * other - down[begin + k] * strength) * share
                curve[begin + k] = (up[begin + k] + down[begin + k]) * (strength * share) * (other * share)
                _keep(gradient, lost, j, -row[k])
                degree[j] += curve[begin + k]
        if exact:
            _kept_sum(row, 0, size, lanes)
            lost[i] += lanes[1]
            _keep(gradient, lost, i, lanes[0])
        else:
            _sum(row, 0, size, lanes)
            gradient[i] += lanes[0]
        _sum(curve, begin, size, lanes)
        degree[i] += lanes[0]
    for i in range(n):
        gradient[i] += lost[i]


@bare
def _keep(sums: np.ndarray, lost: np.ndarray, at: int, new: float) -> None:
    """Add a number to a sum, and what rounding loses to what was lost."""
    old = sums[at]
    total = old + new
    part = total - old
    lost[at] += (old - (total - part)) + (new - part)
    sums[at] = total


@bare
def _kept_sum(values: np.ndarray, begin: int, size: int, lanes: np.ndarray) -> None:
    """The sum of a run of values into lanes[0], what rounding lost of it into lanes[1]."""
    for lane in range(2 * LANES):
        lanes[lane] = 0.0
    whole = size - size % LANES
    for k in range(begin, begin + whole, LANES):
        for lane in range(LANES):
            old, new = lanes[lane], values[k + lane]
            total = old + new
            part = total - old
            lanes[LANES + lane] += (old - (total - part)) + (new - part)
            lanes[lane] = total
    total, rest = 0.0, 0.0
    for k in range(LANES + size - whole):
        new = lanes[k] if k < LANES else values[begin + whole + k - LANES]
        old = total
        total = old + new
        part = total - old
        rest += (old - (total - part)) + (new - part)
    for lane in range(LANES):
        rest += lanes[LANES + lane]
    lanes[0], lanes[1] = total, rest


@bare
def _sum(values: np.ndarray, begin: int, size: int, lanes: np.ndarray) -> None:
    """The sum of a run of values into lanes[0]."""
    for lane in range(LANES):
        lanes[lane] = 0.0
    whole = size - size % LANES
    for k in range(begin, begin + whole, LANES):
        for lane in range(LANES):
            lanes[lane] += values[k + lane]
    for lane in range(1, LANES):
        lanes[0] += lanes[lane]
    for k in range(begin + whole, begin + size):
        lanes[0] += values[k]


@bare
def multiply(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    curve: np.ndarray,
    x: np.ndarray,
    row: np.ndarray,
    lanes: np.ndarray,
    y: np.ndarray,
) -> None:
    """y = H x, with H the graph's Laplacian: y_i sums w_ij (x_i - x_j)."""
    for i in range(n):
        y[i] = 0.0
    for i in range(n):
        begin, size, value = starts[i], starts[i + 1] - starts[i], x[i]
        if dense:
            for k in range(size):
                row[k] = curve[begin + k] * (value - x[i + 1 + k])
            for k in range(size):
                y[i + 1 + k] -= row[k]
        else:
            for k in range(size):
                j = columns[begin + k]
                row[k] = curve[begin + k] * (value - x[j])
                y[j] -= row[k]
        _sum(row, 0, size, lanes)
        y[i] += lanes[0]


@bare
def solve(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    curve: np.ndarray,
    degree: np.ndarray,
    gradient: np.ndarray,
    tree: int,
    order: np.ndarray,
    parent: np.ndarray,
    weight: np.ndarray,
    tolerance: float,
    most: int,
    x: np.ndarray,
    left: np.ndarray,
    z: np.ndarray,
    way: np.ndarray,
    image: np.ndarray,
    row: np.ndarray,
    lanes: np.ndarray,
) -> int:
    """Newton's equations H x = gradient by conjugate gradients, as far as `tolerance`; how many steps that took.

    They are preconditioned by the diagonal, or by a spanning tree, which is solved exactly. A gradient sums to zero;
    what rounding makes of that is taken off the heaviest node, since there is no solution otherwise.
    """
    total, heaviest = 0.0, 0
    for i in range(n):
        x[i] = 0.0
        left[i] = gradient[i]
        total += gradient[i]
        if degree[i] > degree[heaviest]:
            heaviest = i
    left[heaviest] -= total
    _near(n, degree, left, tree, order, parent, weight, z)
    size = 0.0
    for i in range(n):
        way[i] = z[i]
        size += left[i] * z[i]
    least = tolerance * tolerance * size
    for step in range(most):
        if not size > least:
            return step
        multiply(n, dense, starts, columns, curve, way, row, lanes, image)
        bend = 0.0
        for i in range(n):
            bend += way[i] * image[i]
        if not bend > 0.0:
            return step
        far = size / bend
        for i in range(n):
            x[i] += far * way[i]
            left[i] -= far * image[i]
        _near(n, degree, left, tree, order, parent, weight, z)
        old = size
        size = 0.0
        for i in range(n):
            size += left[i] * z[i]
        for i in range(n):
            way[i] = z[i] + (size / old) * way[i]
    return most + (1 if size > least else 0)


@bare
def _near(
    n: int,
    degree: np.ndarray,
    left: np.ndarray,
    tree: int,
    order: np.ndarray,
    parent: np.ndarray,
    weight: np.ndarray,
    z: np.ndarray,
) -> None:
    """The solution of a simpler system: of the diagonal, or of a tree (from its leaves to the root and back)."""
    if not tree:
        for i in range(n):
            z[i] = left[i] / degree[i]
        return
    for i in range(n):
        z[i] = left[i]
    for k in range(n - 1, 0, -1):
        z[parent[order[k]]] += z[order[k]]
    z[order[0]] = 0.0
    for k in range(1, n):
        z[order[k]] = z[parent[order[k]]] + z[order[k]] / weight[order[k]]


@bare
def energies(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    up: np.ndarray,
    down: np.ndarray,
    v: np.ndarray,
    curve: np.ndarray,
    x: np.ndarray,
    resistances: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Of x: the sums of w (x_i - x_j)^2 and of |x_i - x_j|; of the slopes' sizes s: those of s^2 / w and of s R.

    R is at least the resistance between the two: 1 / w, or by way of the root that `resistances` lead to.
    """
    bent, steps, squares, sizes = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        strength, mine, near = v[i], x[i], resistances[i]
        for k in range(starts[i], starts[i + 1]):
            if up[k] + down[k] > 0.0:
                j = i + 1 + k - starts[i] if dense else columns[k]
                away = mine - x[j]
                slope = (up[k] * v[j] + down[k] * strength) / (strength + v[j])
                by_one = slope / curve[k]
                bent += curve[k] * away * away
                steps += abs(away)
                squares += slope * by_one
                sizes += min(by_one, slope * (near + resistances[j]))
    sums[0], sums[1], sums[2], sums[3] = bent, steps, squares, sizes


@bare
def conductances(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    curve: np.ndarray,
    hub: np.ndarray,
    row: np.ndarray,
    lanes: np.ndarray,
    out: np.ndarray,
) -> None:
    """From each item to one (its weights are `hub`), by the direct way and all ways over one other item, at least.

    These ways share no edge, so their conductances add up (Rayleigh's monotonicity law).
    """
    for i in range(n):
        out[i] = hub[i]
    for i in range(n):
        begin, size, direct = starts[i], starts[i + 1] - starts[i], hub[i]
        if dense:
            for k in range(size):
                weight = max(curve[begin + k], _TINY)
                row[k] = weight * (hub[i + 1 + k] / (weight + hub[i + 1 + k]))
            for k in range(size):
                weight = max(curve[begin + k], _TINY)
                out[i + 1 + k] += weight * (direct / (weight + direct))
        else:
            for k in range(size):
                j, weight = columns[begin + k], max(curve[begin + k], _TINY)
                row[k] = weight * (hub[j] / (weight + hub[j]))
                out[j] += weight * (direct / (weight + direct))
        _sum(row, 0, size, lanes)
        out[i] += lanes[0]


DENSE_FROM = 0.25
"""The share of all pairs from which the whole triangle is kept, which needs no column numbers."""


PASSES = 20
"""How often all pairs are looked at before a more thorough search for parts."""


@dataclass(frozen=True)
class Duels:
    """For every pair (i, j) with i < j, in rows of i: how often i beat j (`up`), and j beat i (`down`)."""

    n: int
    dense: bool
    starts: IntArray
    columns: npt.NDArray[np.int32]
    up: FloatArray
    down: FloatArray

    @cached_property
    def first(self) -> IntArray:
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    @cached_property
    def second(self) -> IntArray:
        if not self.dense:
            return self.columns.astype(np.int64)
        return np.arange(len(self.up)) - self.starts[self.first] + self.first + 1

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """How often each item won, and lost."""

        won, lost = np.zeros((2, self.n))
        totals(self.n, int(self.dense), self.starts, self.columns, self.up, self.down, won, lost)
        return won, lost

    def of(self, item: int) -> tuple[IntArray, IntArray]:
        """The others that an item has a pair with, and the numbers of these pairs."""
        after = np.arange(self.starts[item], self.starts[item + 1])
        if self.dense:
            others = np.arange(item)
            before = self.starts[others] + item - others - 1
        else:
            before = np.flatnonzero(self.columns == item)
            others = self.first[before]
        behind = after - self.starts[item] + item + 1 if self.dense else self.columns[after]
        return np.concatenate([others, behind]), np.concatenate([before, after])


def packed(wins: npt.ArrayLike) -> Duels:
    """Of a square of wins: the row's item beat the column's so often. The diagonal means nothing and is left out."""
    matrix = np.ascontiguousarray(wins, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"wins: expected a square matrix, got one of shape {matrix.shape}")

    n = len(matrix)
    starts = np.concatenate([[0], np.cumsum(np.arange(n - 1, -1, -1))]).astype(np.int64)
    up, down = np.empty((2, n * (n - 1) // 2))
    pack(matrix.ravel(), n, starts, up, down)
    full = Duels(n=n, dense=True, starts=starts, columns=np.zeros(1, np.int32), up=up, down=down)
    least = min(up.min(initial=np.inf), down.min(initial=np.inf))
    if not (least >= 0 and np.isfinite(full.totals[0]).all()):
        raise DataError("wins: a number of wins is negative, infinite or missing")
    if least > 0:
        return full
    fought = (up > 0) | (down > 0)
    if np.count_nonzero(fought) >= DENSE_FROM * fought.size:
        return full
    return of_pairs(n, full.first[fought], full.second[fought], up[fought], down[fought])


def of_pairs(n: int, first: IntArray, second: IntArray, up: FloatArray, down: FloatArray) -> Duels:
    """Of pairs with first < second, each once, in rising order."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(first, minlength=n))]).astype(np.int64)
    return Duels(n=n, dense=False, starts=starts, columns=second.astype(np.int32), up=up, down=down)


def with_opponent(duels: Duels, often: float) -> Duels:
    """One item more, the last: every other one wins and loses so often against it."""
    n, pairs = duels.n, len(duels.up)
    ends = duels.starts[1:]  # the new pair of a row is its last one
    up, down = (np.insert(counts, ends, often) for counts in (duels.up, duels.down))
    starts = np.concatenate([duels.starts + np.arange(n + 1), [pairs + n]]).astype(np.int64)
    columns = duels.columns if duels.dense else np.insert(duels.columns, ends, n)
    return Duels(n=n + 1, dense=duels.dense, starts=starts, columns=columns, up=up, down=down)


def parts(duels: Duels) -> IntArray:
    """The strongly connected part of each item: between any two of one part a chain of wins leads to and fro."""

    reached, graph = np.zeros(duels.n, np.uint8), (duels.n, int(duels.dense), duels.starts, duels.columns)
    if one_part(*graph, duels.up, duels.down, PASSES, reached):
        return np.zeros(duels.n, np.int64)
    forth, back = duels.up > 0, duels.down > 0
    winners = np.concatenate([duels.first[forth], duels.second[back]])
    losers = np.concatenate([duels.second[forth], duels.first[back]])
    wins = csr_array((np.ones(len(winners), np.int8), (winners, losers)), shape=(duels.n, duels.n))
    return np.asarray(connected_components(wins, connection="strong")[1], np.int64)
