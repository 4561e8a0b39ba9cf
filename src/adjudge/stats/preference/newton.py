"""The maximum of the Bradley-Terry likelihood by Newton's steps, and how far from it one may be. No checks here.

Log strengths are the unknowns. The log-likelihood is concave; minus its second derivatives are the Laplacian H of a
graph in which a pair of items has the weight duels * p * (1 - p). Two facts about it are used:

- Along a direction x its curvature changes at most by exp(t r), r the range of x (Bach 2010, "self-concordance").
  So log(1 + r) / r times Newton's step always goes up, and a whole step does where r is small.
- The same fact bounds the distance from the maximum; see `bound`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra, minimum_spanning_tree

from adjudge.stats.preference.answers import FloatArray, IntArray
from adjudge.stats.preference.duel_kernels import LANES, conductances, energies, multiply, slopes, solve
from adjudge.stats.preference.duels import Duels

EPS = float(np.finfo(np.float64).eps)
HUGE = 1e300  # in place of an infinite resistance, which times zero would be nothing at all
TINY = 1e-30  # in place of a step of nothing, which one divides by
SLOW = 250
"""Steps of conjugate gradients after which the diagonal is a bad preconditioner, and a spanning tree a better one."""
FIRST = 0.15
"""The range of the first step, before it is known, as far as it says how exactly that step is solved."""
CARE = 1e-2
"""The range of a step from which on gradients are summed exactly."""
NEAR = 1e-4
"""From here on every step should be much smaller than the one before; where it is not, rounding rules."""
WHOLE = 1.0
"""A whole step of Newton's goes up for certain up to this range: (exp(r) - r - 1) / r^2 is below 1 up to r = 1.79."""
GOAL = 1e-2
"""How far the last step is solved beside the tolerance: the bound is above what is left by what it cannot know."""
LOOSE = 30
"""By how much the bound may be too large, as a guess: it is not computed where it would be of no use."""
ROUNDED = 4
"""A pair's slope is off by at most this many units of rounding of its parts: two products, a sum, a quotient."""


class Climbed(NamedTuple):
    values: FloatArray
    steps: int
    error: float


_Room = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]


@dataclass
class Place:
    """A point on the way up: strengths, what the likelihood looks like there, and room to work in."""

    duels: Duels
    values: FloatArray
    gradient: FloatArray = field(init=False)
    degree: FloatArray = field(init=False)
    step: FloatArray = field(init=False)
    curve: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        n = self.duels.n
        self.gradient, self.degree, self.step = np.zeros((3, n))
        self.curve = np.zeros(len(self.duels.up))
        self._room: _Room = (np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))
        self._lanes = np.zeros(2 * LANES)
        self._slow = False

    def _graph(self) -> tuple[int, int, IntArray, npt.NDArray[np.int32]]:
        duels = self.duels
        return duels.n, int(duels.dense), duels.starts, duels.columns

    def look(self, *, exact: bool) -> None:
        """The gradient and the curvature here."""
        row, lost = self._room[:2]
        duels = self.duels
        slopes(
            *self._graph(),
            duels.up,
            duels.down,
            self.values,
            int(exact),
            row,
            self._lanes,
            self.gradient,
            lost,
            self.curve,
            self.degree,
        )

    def aim(self, tolerance: float) -> None:
        """Newton's step, as exactly as asked. It goes up also where it is not."""
        if not self._slow and self._solve(None, tolerance, SLOW):
            return
        self._slow = True
        self._solve(self._spanning(), tolerance, self.duels.n + SLOW)

    def _solve(self, tree: tuple[IntArray, IntArray, FloatArray] | None, tolerance: float, most: int) -> bool:
        order, parent, weight = tree or (np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1))
        return most >= solve(
            *self._graph(),
            self.curve,
            self.degree,
            self.gradient,
            int(tree is not None),
            order,
            parent,
            weight,
            tolerance,
            most,
            self.step,
            *self._room,
            self._lanes,
        )

    def _lengths(self) -> csr_array:
        """The graph with lengths in place of weights."""
        there = self.curve > 0
        pairs = self.duels.first[there], self.duels.second[there]
        return csr_array((1 / self.curve[there], pairs), shape=(self.duels.n, self.duels.n))

    def _spanning(self) -> tuple[IntArray, IntArray, FloatArray]:
        """The spanning tree of the largest weights: nodes from the root on, their parents, weights to these."""
        tree = minimum_spanning_tree(self._lengths())
        order, parent = breadth_first_order(tree, int(np.argmax(self.degree)), directed=False)
        both = (tree + tree.T).tocsr()
        weight = np.zeros(self.duels.n)
        weight[order[1:]] = 1 / np.asarray(both[order[1:], parent[order[1:]]]).ravel()
        return order.astype(np.int64), parent.astype(np.int64), weight

    def go(self) -> None:
        """A step up, damped where its range is large; geometric mean 1 again."""
        size = float(np.ptp(self.step))
        far = np.log1p(size) / size if size > WHOLE else 1.0
        log = np.log(self.values) + far * self.step
        self.values = np.exp(log - log.mean())

    def bound(self, *, ahead: bool, thorough: bool) -> float:
        """At least the largest error of a difference of two log strengths: -log(1 - T), infinite from T = 1 on.

        With d the way to the maximum and r its range, the gradient is G d, where G is a Laplacian whose weights are at
        least those of H times (1 - exp(-r)) / r. A gradient of +1 and -1 at two nodes leads to a d whose range is
        their effective resistance, which is at most that of any way between them. So each piece of the gradient leads
        to a range of at most r / (1 - exp(-r)) times its share of T, hence r <= -log(1 - T). The pieces:

        - that of Newton's step x: at most C sqrt(x'Hx), C^2 the largest resistance, or the sum of |x_i - x_j| by pairs;
        - what x leaves of the gradient: its sizes times the resistances to one root;
        - the rounding of each pair's slope: in the first way too, or by sizes times resistances between the two.

        Resistances are at most those of the ways in `conductances`, or (`thorough`) of the shortest one.

        `ahead` means the place one whole step further. With q the range of x, weights change by a factor of exp(q) at
        most on the way there, so that of the first piece (q / 2) exp(q) is left, and all pieces grow by exp(q).
        """
        root = int(np.argmax(self.degree))
        resistances = self._by_two_steps(root)
        if thorough:
            shortest = dijkstra(self._lengths(), directed=False, indices=root)
            resistances = np.minimum(resistances, shortest)
        return self._bound(np.minimum(resistances, HUGE), ahead)

    def _by_two_steps(self, root: int) -> FloatArray:
        hub, found = np.zeros((2, self.duels.n))
        others, pairs = self.duels.of(root)
        hub[others] = self.curve[pairs]
        conductances(*self._graph(), self.curve, hub, self._room[0], self._lanes, found)
        found[root] = np.inf
        with np.errstate(divide="ignore"):
            return np.asarray(1 / found)

    def _bound(self, resistances: FloatArray, ahead: bool) -> float:
        duels = self.duels
        # From one item to the root, and from there to another.
        largest = float(np.sqrt(np.sort(resistances)[-2:].sum()))
        image, row = self._room[:2]
        multiply(*self._graph(), self.curve, self.step, row, self._lanes, image)
        left = np.abs(self.gradient - image) + EPS * np.abs(self.gradient)
        sums = np.zeros(4)
        energies(*self._graph(), duels.up, duels.down, self.values, self.curve, self.step, resistances, sums)
        bent, steps, squares, sizes = sums
        grown = float(np.exp(np.ptp(self.step))) if ahead else 1.0
        kept = np.ptp(self.step) / 2 * grown if ahead else 1.0
        total = grown * (
            kept * min(largest * np.sqrt(bent), steps)
            + left @ resistances
            + ROUNDED * EPS * min(largest * np.sqrt(squares), sizes)
        )
        total *= 1 + 1e-9  # the rounding of these lines
        scaling = (
            4 * EPS * (2 + float(np.abs(np.log(self.values)).max()))
        )  # of the strengths, from logs and back
        return float(-np.log1p(-total)) + scaling if total < 1 else float("inf")


def first_guess(duels: Duels) -> FloatArray:
    """Wins by losses, which is the first step of Newman's iteration (2023), drawn apart.

    Their logs are too close together, as others' strengths scatter too: about by sqrt(1 + pi s^2 / 8) for a normal
    scatter s, as in the usual approximation of a logistic curve by a normal one.
    """
    won, lost = duels.totals
    log = np.log(won / lost)
    return np.asarray(np.exp(log / np.sqrt(1 - min(np.pi / 8 * log.var(), 0.5))))


def climb(duels: Duels, start: FloatArray | None, *, tolerance: float, most: int, certify: bool) -> Climbed:
    """Up to the maximum. `certify`: until the bound is below the tolerance; otherwise until a step is (then NaN)."""
    place = Place(duels, first_guess(duels) if start is None else start)
    size, best, stale = FIRST, np.inf, 0
    for step in range(1, most + 1):
        exact = certify and size < CARE
        place.look(exact=exact)
        # Steps square, down to a goal well below the tolerance: solved more exactly, they would not become smaller.
        place.aim(min(0.1, max(size**2, GOAL * tolerance / size**2)))
        size = max(float(np.ptp(place.step)), TINY)
        stale = stale + 1 if size > best / 2 else 0
        best = min(best, size)
        error = np.inf
        if exact and size <= WHOLE and LOOSE * size**2 <= tolerance:
            error = place.bound(ahead=True, thorough=not duels.dense)
        place.go()
        if error <= tolerance or (not certify and size <= tolerance):
            return Climbed(place.values, step, error if certify else np.nan)
        if size < NEAR and stale >= 3:
            break
    return Climbed(place.values, step, error_at(duels, place.values) if certify else np.nan)


def error_at(duels: Duels, values: FloatArray) -> float:
    """The bound at given strengths."""
    place = Place(duels, values)
    place.look(exact=True)
    place.aim(NEAR)
    return place.bound(ahead=False, thorough=True)
