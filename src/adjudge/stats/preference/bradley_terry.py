"""Bradley-Terry strengths of items from a matrix of wins (Zopf 2018, section 4.2), with a bound on their error.

The maximum of the likelihood is found by Newton's steps. Log strengths are the unknowns. The log-likelihood is concave;
minus its second derivatives are the Laplacian H of a graph in which a pair of items has the weight
duels * p * (1 - p). Two facts about it are used:

- Along a direction x its curvature changes at most by exp(t r), r the range of x (Bach 2010, "self-concordance").
  So log(1 + r) / r times Newton's step always goes up, and a whole step does where r is small.
- The same fact bounds the distance from the maximum; see `Ascent.bound`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra, minimum_spanning_tree

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import counted, listed
from adjudge.stats.preference.answers import FloatArray, IntArray
from adjudge.stats.preference.duels import (
    LANES,
    Duels,
    conductances,
    energies,
    multiply,
    packed,
    parts,
    slopes,
    solve,
    with_opponent,
)

Method = Literal["accelerated", "zermelo"]
Scale = Literal["geometric", "mean", "sum"]

REGULARISER = 0.1
"""Where a maximum does not exist: every item wins and loses this often against an opponent of strength 1.

The unit is a win of weight 1, whatever the weights of the wins at hand; so it is a fifth of an answer per item.
"""


@dataclass(frozen=True)
class Strengths:
    """Strengths scaled to geometric mean 1, and what is known of how they came about."""

    values: FloatArray
    regularised: float
    """How often every item won and lost against an opponent of strength 1 that is not there; 0 for never."""
    components: IntArray
    """Which strongly connected part each item belongs to; one part is what a finite maximum needs."""
    iterations: int
    converged: bool
    """Whether `error` is within the tolerance that was asked for."""
    error: float
    """No difference of two log strengths is further from the maximum's than this, rounding included.

    Infinite where nothing can be said. `Ascent.bound` says why it holds.
    """
    method: Method
    duels: float
    """How many duels there were, as the sum of all weights; those of the regulariser not among them."""
    opponent: float = math.nan
    """The strength of the regulariser's opponent on the scale of `values`, on which it is no longer 1; NaN without."""

    @property
    def log(self) -> FloatArray:
        return np.log(self.values)

    @property
    def connected(self) -> bool:
        """Whether there is a finite maximum without a regulariser."""
        return not self.components.any()

    def scaled(self, to: Scale) -> FloatArray:
        """Every multiple is a solution too: with geometric mean 1, mean 1 or sum 1."""
        if to not in get_args(Scale):
            raise UsageError(
                f"scale: unknown value {quoted(to)}; expected one of {', '.join(get_args(Scale))}"
            )
        if to == "geometric":
            return self.values
        total = self.values.mean() if to == "mean" else self.values.sum()
        return np.asarray(self.values / total)

    def probability(self) -> FloatArray:
        """Of the row's item being preferred to the column's (equation 2); NaN on the diagonal."""
        chances = self.values[:, None] / (self.values[:, None] + self.values[None, :])
        np.fill_diagonal(chances, np.nan)
        return np.asarray(chances)

    def words(self) -> str:
        """How the strengths came about, in a sentence or two."""
        return f"{self.how()}."

    def how(self) -> str:
        """The same without the last full stop."""
        duels = f"{self.duels:,.6g} duel{'s' * (self.duels != 1)}"
        text = (
            f"Bradley-Terry strengths of {counted(len(self.values), 'item')} from {duels} (geometric mean 1)"
        )
        if self.regularised:
            text += (
                f", regularised by {self.regularised:g} wins and {self.regularised:g} losses of each item against an"
                " opponent of strength 1"
            )
        if not self.connected:
            text += f": between {counted(int(self.components.max()) + 1, 'group')} of items wins go one way at most"
        if not self.converged:
            reached = f"only to {self.error:.2g}" if np.isfinite(self.error) else "to an unknown accuracy"
            text += f". The iteration stopped after {counted(self.iterations, 'step')}, converged {reached}"
        return text


def fit(
    wins: npt.ArrayLike,
    *,
    regularise: float | None = None,
    method: Method = "accelerated",
    tolerance: float = 1e-10,
    most: int = 10_000,
    start: FloatArray | None = None,
) -> Strengths:
    """The strengths that make the wins most likely; `wins` holds how often the row's item beat the column's.

    `regularise=None` regularises only where the items are not strongly connected, by `REGULARISER`; a number always,
    and 0 never: then there must be a finite maximum. `most` steps are done, from the strengths in `start`, until no log
    strength can be further than `tolerance` from the maximum. "zermelo" is the plain iteration (equation 3, see
    `zermelo`), "accelerated" goes by Newton's steps; they have the same end.
    """
    if method not in get_args(Method):
        raise UsageError(
            f"method: unknown value {quoted(method)}; expected one of {', '.join(get_args(Method))}"
        )
    if regularise is not None and not 0 <= regularise < np.inf:
        raise UsageError(f"regularise: expected a number from 0 on, got {regularise!r}")
    if not tolerance > 0:
        raise UsageError(f"tolerance: expected a positive number, got {tolerance!r}")
    if most < 1:
        raise UsageError(f"most: expected a whole number of at least 1, got {most!r}")
    duels = packed(wins)
    if not duels.n:
        raise DataError("wins: there are no items")
    components = parts(duels)
    connected = not components.any()
    if regularise == 0 and not connected:
        raise DataError(
            f"the strengths have no finite maximum: the items fall into {_groups(components)}, between which wins go"
            " one way at most; regularise"
        )
    if regularise is not None:
        scale = float(regularise)
    else:
        scale = 0.0 if connected else REGULARISER
    first = None if start is None else _start(start, duels.n)
    total = float(duels.totals[0].sum())
    values, opponent, steps, error = _fitted(duels, scale, method, tolerance, most, first)
    return Strengths(
        values=values,
        regularised=scale,
        components=components,
        iterations=steps,
        converged=error <= tolerance,
        error=error,
        method=method,
        duels=total,
        opponent=opponent,
    )


def _fitted(
    duels: Duels, scale: float, method: Method, tolerance: float, most: int, start: FloatArray | None
) -> tuple[FloatArray, float, int, float]:
    """Strengths, the opponent's, steps and the bound. The opponent is an item like the others while they are fitted."""
    if duels.n == 1:
        return np.ones(1), 1.0 if scale else math.nan, 0, 0.0
    if scale:
        duels = with_opponent(duels, scale)
        start = None if start is None else np.append(start, 1.0)

    if method == "zermelo":
        values, steps, error = zermelo(duels, start, tolerance=tolerance, most=most)
    else:
        values, steps, error = climb(duels, start, tolerance=tolerance, most=most)
    items = values[:-1] if scale else values
    values = values / np.exp(np.log(items).mean())
    return (values[:-1], float(values[-1]), steps, error) if scale else (values, math.nan, steps, error)


def zermelo(
    duels: Duels, start: FloatArray | None, *, tolerance: float, most: int
) -> tuple[FloatArray, int, float]:
    """v_i <- wins_i / sum over j of duels_ij / (v_i + v_j), then scaled to geometric mean 1 (Zermelo 1929).

    Equation 3 of Zopf 2018, which prints a product, read as the sum it must be. A small step does not mean that the
    maximum is near, so each time steps have become ten times smaller the bound is computed, and ends the iteration.
    """

    won, fought = duels.totals[0], duels.up + duels.down
    values = np.ones(duels.n) if start is None else start
    small = tolerance
    for step in range(1, most + 1):
        share = fought / (values[duels.first] + values[duels.second])
        new = won / (np.bincount(duels.first, share, duels.n) + np.bincount(duels.second, share, duels.n))
        new /= np.exp(np.log(new).mean())
        change = float(np.max(np.abs(np.log(new / values))))
        values = new
        if change <= small:
            error = error_at(duels, values)
            if error <= tolerance or change == 0:
                return values, step, error
            small = change / 10
    return values, most, error_at(duels, values)


def _groups(components: IntArray) -> str:
    """`3 groups (items 0, 1 and 4; item 2; item 3)`, the largest first."""
    members = [np.flatnonzero(components == part).tolist() for part in range(int(components.max()) + 1)]
    members.sort(key=lambda items: (-len(items), items))
    most = 4
    named = [
        f"item{'s' if len(items) > 1 else ''} {listed([str(i) for i in items])}" for items in members[:most]
    ]
    more = [f"{len(members) - most:,} more"] if len(members) > most else []
    return f"{counted(len(members), 'group')} ({'; '.join(named + more)})"


def _start(start: FloatArray, n: int) -> FloatArray:
    values = np.array(start, dtype=np.float64)
    if values.shape != (n,) or not np.all((values > 0) & np.isfinite(values)):
        raise UsageError(f"start: expected {counted(n, 'positive number')}")
    return values


# Newton's steps

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


_Room = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]


@dataclass
class Ascent:
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
        tree = minimum_spanning_tree(self._lengths())
        order, parent = breadth_first_order(tree, int(np.argmax(self.degree)), directed=False)
        both = (tree + tree.T).tocsr()
        weight = np.zeros(self.duels.n)
        weight[order[1:]] = 1 / np.asarray(both[order[1:], parent[order[1:]]]).ravel()
        self._solve((order.astype(np.int64), parent.astype(np.int64), weight), tolerance, self.duels.n + SLOW)

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
        hub, conductance = np.zeros((2, self.duels.n))
        others, pairs = self.duels.of(root)
        hub[others] = self.curve[pairs]
        conductances(*self._graph(), self.curve, hub, self._room[0], self._lanes, conductance)
        conductance[root] = np.inf
        with np.errstate(divide="ignore"):
            return np.asarray(1 / conductance)

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


def climb(
    duels: Duels, start: FloatArray | None, *, tolerance: float, most: int
) -> tuple[FloatArray, int, float]:
    """Up to the maximum, until the bound is below the tolerance: strengths, steps, the bound."""
    place = Ascent(duels, first_guess(duels) if start is None else start)
    size, best, stale = FIRST, np.inf, 0
    for step in range(1, most + 1):
        exact = size < CARE
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
        if error <= tolerance:
            return place.values, step, error
        if size < NEAR and stale >= 3:
            break
    return place.values, step, error_at(duels, place.values)


def error_at(duels: Duels, values: FloatArray) -> float:
    """The bound at given strengths."""
    place = Ascent(duels, values)
    place.look(exact=True)
    place.aim(NEAR)
    return place.bound(ahead=False, thorough=True)
