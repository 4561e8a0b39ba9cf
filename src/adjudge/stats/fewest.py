"""How few observations must be left out for another column, or another item, to come first.

Columns of complete scores are ranked by their means. For each challenger nothing brings it closer than leaving out the
rows on which the leader is furthest ahead, so that sorting their differences gives the least number: it is exact.

Everything else (means adjusted for missing cells, strengths of a likelihood) is searched by influence: by how much the
gap between the two grows, to the first order, without each observation (the approximate maximum influence perturbation
of Broderick, Giordano and Meager 2020; for Bradley-Terry strengths Huang, Shen, Wei and Broderick 2026). Some of the
most influential are left out, the rest is fitted again, and so on until a fit has another one first. So the number is
reached for certain, and may not be the least: at most N.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.order import MEANS_TIE, places

ALONE = "alone"
"""There is one column only."""
ONE_ROW = "one-row"
NEVER = "never"
"""Whatever is left out: the leader is not behind on any row."""
NOT_FOUND = "not-found"
"""The search found no set; there may be one."""
APART = "apart"
"""Nothing joins all columns, so that no order of them means anything."""
TOO_LARGE = "too-large"
"""So many that refitting would take too long."""

WORK = 5e8
"""Operations that all refits together may take."""
MOST_REFITS = 400
MOST_CHALLENGERS = 6
"""Pairs of a leader and a challenger that are searched."""
PART = 3
"""One in so many of those that are predicted to be enough is left out before the rest is fitted again."""
MOST_ONE_BY_ONE = 200
"""Observations of which each is left out by itself, where two together are known to be enough."""
MOST_PUT_BACK = 30
"""A set up to this size is tried without each of its members."""


@dataclass(frozen=True)
class Fewest:
    """The fewest observations without which one that comes first no longer does."""

    of: int
    """How many observations there are."""
    first: tuple[int, ...]
    """Who comes first with all of them; several where they are equal."""
    left_out: tuple[int, ...] = ()
    """Which must be left out, the most telling one first; none where `why` says why."""
    then: tuple[int, ...] = ()
    """Who comes first without them."""
    exact: bool = False
    """No smaller set does it; otherwise at most so many are needed."""
    why: str | None = None

    @property
    def share(self) -> float:
        return len(self.left_out) / self.of


@dataclass(frozen=True)
class Refitted:
    """What some observations say."""

    ranked_by: FloatArray
    """The largest comes first."""
    moves: Callable[[int, int], FloatArray]
    """To the first order, by how much the first one's lead over the second grows without each observation."""


Refit = Callable[[BoolArray], Refitted | None]
"""From the observations kept; None where nothing joins what is left."""
Ranking = Callable[[BoolArray], FloatArray | None]
"""What the observations kept rank by, the largest first; None where nothing joins what is left."""


def ranking_means(values: FloatArray) -> tuple[FloatArray, bool | None]:
    """What columns with scores are ranked by: their means, adjusted for rows where these differ.

    With it comes whether they are adjusted; None where they would have to be, and no chain of common rows joins all.
    """
    present = ~np.isnan(values)
    means: FloatArray = np.nanmean(values, axis=0)
    if not (present != present[:, :1]).any():
        return means, False
    from adjudge.stats.linear.model import fit_additive  # slow to load, and seldom needed

    adjusted = fit_additive(values).means
    return (means, None) if np.isnan(adjusted).any() else (adjusted, True)


def leaders(ranked_by: FloatArray) -> IntArray:
    """Those that come first; means that are equal but for rounding share a place."""
    return np.flatnonzero(places(-ranked_by) == 1)


def fewest_rows(values: FloatArray, *, ranking: Ranking | None = None, refits: int = MOST_REFITS) -> Fewest:
    """The fewest rows without which a column that comes first no longer does; the largest mean comes first.

    `values` are rows x columns, NaN where there is no score; every column has one. With a `ranking` columns are ranked
    by that, and it is asked `refits` times at most.
    """
    rows = np.flatnonzero((~np.isnan(values)).any(axis=1))
    there = values[rows]
    size, columns = there.shape
    if columns < 2:
        return Fewest(of=size, first=tuple(range(columns)), why=ALONE)

    def ranked(kept: BoolArray) -> FloatArray | None:
        if ranking is None:
            means, adjusted = ranking_means(there[kept])
            return None if adjusted is None else means
        whole = np.zeros(len(values), np.bool_)
        whole[rows[kept]] = True
        return ranking(whole)

    whole = ranked(np.ones(size, np.bool_))
    if whole is None:
        return Fewest(of=size, first=(), why=APART)
    first = leaders(whole)
    if size < 2:
        return Fewest(of=size, first=_tuple(first), why=ONE_ROW)
    if ranking is None and not np.isnan(there).any():
        result = _by_sorting(there, first)
    else:
        possible = int(WORK / (columns**3 + columns**2 * size))
        if possible < 2 * PART:
            return Fewest(of=size, first=_tuple(first), why=TOO_LARGE)
        result = fewest_by_influence(size, _additive(there, ranking and ranked), refits=min(refits, possible))
    left_out = tuple(int(rows[row]) for row in result.left_out)
    return Fewest(
        of=size, first=result.first, left_out=left_out, then=result.then, exact=result.exact, why=result.why
    )


def _tuple(numbers: IntArray) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers)


def _by_sorting(values: FloatArray, first: IntArray) -> Fewest:
    """Exact, for complete columns: the rows with the largest differences go first, and one row stays."""
    size = len(values)
    left = size - np.arange(size)[:, None]  # rows that stay, by the number that are left out
    least, chosen = size, (-1, -1)
    for leader in first[np.unique(values[:, first], axis=1, return_index=True)[1]].tolist():
        ahead = values[:, [leader]] - values
        sums = np.cumsum(np.sort(ahead, axis=0), axis=0)[::-1]
        behind = sums / left < -_noise(values)
        behind[:, leader] = False
        needed = np.where(behind.any(axis=0), behind.argmax(axis=0), size)
        # Of several the one that is closest with all rows.
        order = np.lexsort((ahead.mean(axis=0), needed))
        if needed[order[0]] < least:
            least, chosen = int(needed[order[0]]), (leader, int(order[0]))
        if least == 1:
            break
    if least == size:
        return Fewest(of=size, first=_tuple(first), why=NEVER)
    leader, challenger = chosen
    rows = np.argsort(values[:, challenger] - values[:, leader], kind="stable")
    kept = np.ones(size, np.bool_)
    kept[rows[:least]] = False
    while (then := _others_first(values[kept].mean(axis=0), leader)) is None and least < size - 1:
        kept[rows[least]] = False  # a tie but for rounding
        least += 1
    if then is None:
        return Fewest(of=size, first=_tuple(first), why=NEVER)
    return Fewest(of=size, first=_tuple(first), left_out=_tuple(rows[:least]), then=then, exact=True)


def _noise(values: FloatArray) -> float:
    return float(MEANS_TIE * np.abs(values).max(initial=0.0))


def _others_first(ranked_by: FloatArray, leader: int) -> tuple[int, ...] | None:
    """Who comes first, where the leader no longer does."""
    now = leaders(ranked_by)
    return None if leader in now else _tuple(now)


def _additive(values: FloatArray, ranking: Ranking | None) -> Refit:
    """Influences of rows on differences of least-squares means, in the model value = row + column."""
    from adjudge.stats.linear.model import fit_additive

    present = ~np.isnan(values)
    sizes = np.maximum(present.sum(axis=1, keepdims=True), 1)
    levels = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / sizes

    def refit(kept: BoolArray) -> Refitted | None:
        fitted = fit_additive(values[kept])
        if np.isnan(fitted.means).any():
            return None
        by = fitted.means if ranking is None else ranking(kept)
        if by is None:
            return None

        @cache
        def residuals() -> FloatArray:
            shared = np.where(present, fitted.effects, 0.0).sum(axis=1, keepdims=True) / sizes
            return np.where(present, values - levels - fitted.effects + shared, 0.0)

        def moves(leader: int, challenger: int) -> FloatArray:
            return np.asarray(-residuals() @ (fitted.covariance[leader] - fitted.covariance[challenger]))

        return Refitted(ranked_by=by, moves=moves)

    return refit


# By influence


def fewest_by_influence(
    size: int, refit: Refit, *, refits: int = MOST_REFITS, progress: Callable[[], None] = lambda: None
) -> Fewest:
    """The smallest set found without which one that comes first no longer does.

    The challengers that are predicted to need the fewest are tried, with `refits` fits at most in all.
    """
    everything = np.ones(size, np.bool_)
    whole = refit(everything)
    if whole is None:
        return Fewest(of=size, first=(), why=APART)
    first = leaders(whole.ranked_by)
    search = _Search(size, refit, refits - 1, progress)
    best: tuple[int, ...] = ()
    then: tuple[int, ...] = ()
    for leader, challenger in _closest(whole, first, everything):
        if search.run(whole, leader, challenger, below=len(best) or size):
            best, then = tuple(search.out), search.then
        if len(best) == 1 or not search.left:
            break
    if not best:
        return Fewest(of=size, first=_tuple(first), why=NOT_FOUND)
    exact = len(best) == 1
    if len(best) == 2 and size <= min(search.left, MOST_ONE_BY_ONE):
        best, then = search.one_by_one(first) or (best, then)
        exact = True
    return Fewest(of=size, first=_tuple(first), left_out=best, then=then, exact=exact)


def _closest(whole: Refitted, first: IntArray, everything: BoolArray) -> list[tuple[int, int]]:
    """Leaders with challengers, by how many observations are predicted to be needed."""
    near = np.argsort(-whole.ranked_by, kind="stable")[: 3 * MOST_CHALLENGERS].tolist()
    predicted = [
        (_needed(whole, leader, challenger, everything)[0], place, leader, challenger)
        for leader in first[:MOST_CHALLENGERS].tolist()
        for place, challenger in enumerate(near)
        if challenger != leader
    ]
    return [(leader, challenger) for *_, leader, challenger in sorted(predicted)[:MOST_CHALLENGERS]]


def _needed(now: Refitted, leader: int, challenger: int, allowed: BoolArray) -> tuple[int, IntArray]:
    """How many are predicted to turn the order round, and those that help, the most telling first."""
    moves = np.where(allowed, now.moves(leader, challenger), np.inf)
    helping = np.flatnonzero(moves < 0)
    helping = helping[np.argsort(moves[helping], kind="stable")]
    behind = now.ranked_by[leader] - now.ranked_by[challenger] + np.cumsum(moves[helping]) < 0
    # Where all together are not predicted to be enough, the prediction says nothing.
    return (int(behind.argmax()) + 1 if behind.any() else len(allowed)), helping


class _Search:
    """Leaves out observations until a leader no longer comes first, as long as refits are left."""

    def __init__(self, size: int, refit: Refit, refits: int, progress: Callable[[], None]):
        self._size, self._refit, self.left, self._progress = size, refit, refits, progress
        self.out: list[int] = []
        self.then: tuple[int, ...] = ()

    def _fit(self, kept: BoolArray) -> Refitted | None:
        if not self.left:
            return None
        self.left -= 1
        self._progress()
        return self._refit(kept)

    def run(self, whole: Refitted, leader: int, challenger: int, *, below: int) -> bool:
        """Whether a set of less than `below` was found; it is in `out` then, and who comes first in `then`."""
        size = self._size
        self.out, now = [], whole
        kept, allowed, most = np.ones(size, np.bool_), np.ones(size, np.bool_), size
        while self.left:
            room = below - 1 - len(self.out)
            needed, helping = _needed(now, leader, challenger, kept & allowed)
            if room < 1 or not len(helping):
                return False
            batch = helping[: min(max(1, min(needed, len(helping)) // PART), room, most)]
            kept[batch] = False
            after = self._fit(kept)
            if after is None:
                # Nothing would join what is left.
                kept[batch], allowed[batch[0]], most = True, len(batch) > 1, max(1, len(batch) // 2)
                continue
            most = size
            self.out += batch.tolist()
            now = after
            if (then := _others_first(now.ranked_by, leader)) is not None:
                self.then = then
                self._put_back(kept, leader)
                return True
        return False

    def _put_back(self, kept: BoolArray, leader: int) -> None:
        """Try the set without each of its members, the least telling first."""
        for member in self.out[::-1] if len(self.out) <= MOST_PUT_BACK else ():
            kept[member] = True
            after = self._fit(kept) if len(self.out) > 1 else None
            then = None if after is None else _others_first(after.ranked_by, leader)
            if then is None:
                kept[member] = False
            else:
                self.then = then
                self.out.remove(member)

    def one_by_one(self, first: IntArray) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """One observation without which one that comes first no longer does, and who does then."""
        kept = np.ones(self._size, np.bool_)
        for one in range(self._size):
            kept[one] = False
            after = self._fit(kept)
            kept[one] = True
            if after is None:
                continue
            for leader in first.tolist():
                if (then := _others_first(after.ranked_by, leader)) is not None:
                    return (one,), then
        return None
