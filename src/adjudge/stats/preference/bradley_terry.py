"""Bradley-Terry strengths of items from a matrix of wins (Zopf 2018, section 4.2). Intervals are uncertainty.py's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.errors import DataError, UsageError, quoted
from adjudge.stats.preference.answers import FloatArray, IntArray
from adjudge.stats.preference.duels import Duels, packed, parts, with_opponent
from adjudge.wording import counted, listed

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

    Infinite where nothing can be said. `newton.Place.bound` says why it holds.
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
        found = self.values[:, None] / (self.values[:, None] + self.values[None, :])
        np.fill_diagonal(found, np.nan)
        return np.asarray(found)

    def words(self) -> str:
        """How the strengths came about, in a sentence or two."""
        n = len(self.values)
        said = (
            f"Bradley-Terry strengths of {counted(n, 'item')} from {self.duels:,.6g} duels, geometric mean 1"
        )
        if self.regularised:
            said += (
                f"; every item was given {self.regularised:g} wins and {self.regularised:g} losses against an"
                f" opponent of strength 1 ({2 * self.regularised:g} duels beside its own, {2 * self.duels / n:.3g}"
                " on average)"
            )
        if not self.connected:
            said += f", because the items fall into {counted(int(self.components.max()) + 1, 'part')}"
            said += " between which wins go one way at most, so that there is no finite maximum"
        if not self.converged:
            reached = (
                f"only to {self.error:.2g}" if np.isfinite(self.error) else "nowhere that can be vouched for"
            )
            said += f". The iteration stopped after {counted(self.iterations, 'step')}, converged {reached}"
        return f"{said}."


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
    _check(regularise, method, tolerance, most)
    duels = packed(wins)
    if not duels.n:
        raise DataError("wins: there are no items")
    components = parts(duels)
    scale = _scale(components, regularise)
    first = None if start is None else _start(start, duels.n)
    total = float(duels.totals[0].sum())
    values, opponent, steps, error = _fitted(duels, scale, method, tolerance, most, first)
    return Strengths(values, scale, components, steps, error <= tolerance, error, method, total, opponent)


def _fitted(
    duels: Duels, scale: float, method: Method, tolerance: float, most: int, start: FloatArray | None
) -> tuple[FloatArray, float, int, float]:
    """Strengths, the opponent's, steps and the bound. The opponent is an item like the others while they are fitted."""
    if duels.n == 1:
        return np.ones(1), 1.0 if scale else math.nan, 0, 0.0
    if scale:
        duels = with_opponent(duels, scale)
        start = None if start is None else np.append(start, 1.0)
    from adjudge.stats.preference.newton import climb

    if method == "zermelo":
        values, steps, error = zermelo(duels, start, tolerance=tolerance, most=most)
    else:
        values, steps, error = climb(duels, start, tolerance=tolerance, most=most, certify=True)
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
    from adjudge.stats.preference.newton import error_at

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


def _scale(components: IntArray, regularise: float | None) -> float:
    """How much is regularised: as much as asked, or only where there is need."""
    connected = not components.any()
    if regularise == 0 and not connected:
        raise DataError(
            f"the strengths have no finite maximum: the items fall into {_parts(components)}, between which wins go"
            " one way at most; regularise"
        )
    if regularise is not None:
        return float(regularise)
    return 0.0 if connected else REGULARISER


def _parts(components: IntArray) -> str:
    """`3 parts (items 0, 1 and 4; item 2; item 3)`, the largest first."""
    members = [np.flatnonzero(components == part).tolist() for part in range(int(components.max()) + 1)]
    members.sort(key=lambda items: (-len(items), items))
    most = 4
    named = [
        f"item{'s' if len(items) > 1 else ''} {listed([str(i) for i in items])}" for items in members[:most]
    ]
    more = [f"{len(members) - most:,} more"] if len(members) > most else []
    return f"{counted(len(members), 'part')} ({'; '.join(named + more)})"


def _start(start: FloatArray, n: int) -> FloatArray:
    values = np.array(start, dtype=np.float64)
    if values.shape != (n,) or not np.all((values > 0) & np.isfinite(values)):
        raise UsageError(f"start: expected {counted(n, 'positive number')}")
    return values


def _check(regularise: float | None, method: str, tolerance: float, most: int) -> None:
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
