"""Which conclusions change when an assessor is left out: two comparisons of one measure, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison

MOST = 6
"""Pairs that a sentence names; a table has all of them."""


@dataclass(frozen=True, slots=True)
class RankMove:
    """A system's place in the league table before and after."""

    system: str
    before: int
    after: int


@dataclass(frozen=True, repr=False)
class ConclusionChanges(Tabular):
    """What a comparison says otherwise when some assessors are left out. Pairs have the better system first."""

    left_out: tuple[str, ...]
    measure: str
    pairs: int
    """Of those that were asked for, how many are in both comparisons."""
    before: int
    after: int
    """How many of these differ, with everybody and without."""
    lost: tuple[tuple[str, str], ...]
    """Pairs that differ with everybody, and no longer do."""
    found: tuple[tuple[str, str], ...]
    """Pairs that differ only without them."""
    turned: tuple[tuple[str, str], ...]
    """Pairs that differ in both, the other way round; the system that was better with everybody comes first."""
    candidates_before: tuple[str, ...] | None
    """Those that nobody is significantly better than; None where not every pair was asked for."""
    candidates_after: tuple[str, ...] | None
    moves: tuple[RankMove, ...]
    """Systems whose rank in the league table is another one."""
    gone: tuple[str, ...] = ()
    """Systems that nobody else judged."""
    sampled: bool = False
    """Whether conclusions are for assessors like those who judged."""
    directed: bool = True
    """Whether the measure has a best, or only a highest."""
    signature: str = ""

    @property
    def any(self) -> bool:
        """Whether anything that a test decided is another: pairs, or candidates for the best."""
        return bool(self.lost or self.found or self.turned or self.gone or self._candidates_changed)

    @property
    def _candidates_changed(self) -> bool:
        return set(self.candidates_before or ()) != set(self.candidates_after or ())

    def headline(self) -> str:
        """How many pairs differ before and after, and whether other ones do."""
        who = listed(self.left_out)
        if not self.pairs:
            return f"Without {who} no pair of systems is left to compare with what all assessors say."
        of = counted(self.pairs, "pair")
        whom = " for assessors like those who judged" if self.sampled else ""
        if not (self.lost or self.found or self.turned):
            return (
                f"Without {who} the same {self.before:,} of {of} {_verb(self.before)}{whom}."
                if self.before
                else f"Neither with nor without {who} does any of {of} differ significantly{whom}."
            )
        if self.after == self.before:
            return f"Without {who} as many of {of} differ{whom}, {self.after:,}, but others or the other way round."
        return f"Without {who} {self.after:,} instead of {self.before:,} of {of} {_verb(self.after)}{whom}."

    def sentences(self) -> Iterator[str]:
        """The headline, then what changes."""
        yield self.headline()
        word = "best" if self.directed else "highest"
        if self.gone:
            yield f"Nobody else judged {listed(self.gone)}."
        if self.lost:
            yield f"No longer significantly different: {_pairs(self.lost)}."
        if self.found:
            yield f"Different only without {listed(self.left_out)}: {_pairs(self.found)}."
        if self.turned:
            yield f"Different the other way round: {_pairs(self.turned)}."
        if self.candidates_before is not None and self.candidates_after is not None:
            if self._candidates_changed:
                yield (
                    f"The candidates for the {word} are {listed(self.candidates_after)} instead of"
                    f" {listed(self.candidates_before)}."
                )
            else:
                yield f"The candidates for the {word} are the same."
        if self.moves:
            moved = [f"{m.system} from {m.before} to {m.after}" for m in self.moves]
            yield f"Ranks by the mean move: {listed(moved)}."
        else:
            yield "No system's rank by the mean moves."

    def called(self, names: Mapping[str, str]) -> ConclusionChanges:
        """The same with other names for systems."""

        def all_of(systems: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names.get(system, system) for system in systems)

        def both(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
            return tuple((names.get(a, a), names.get(b, b)) for a, b in pairs)

        return replace(
            self,
            lost=both(self.lost),
            found=both(self.found),
            turned=both(self.turned),
            candidates_before=None if self.candidates_before is None else all_of(self.candidates_before),
            candidates_after=None if self.candidates_after is None else all_of(self.candidates_after),
            moves=tuple(replace(move, system=names.get(move.system, move.system)) for move in self.moves),
            gone=all_of(self.gone),
        )

    def table(self) -> Table:
        """A row per change."""
        rows = [
            *(("no longer different", a, b, None, None) for a, b in self.lost),
            *(("different only without", a, b, None, None) for a, b in self.found),
            *(("the other way round", a, b, None, None) for a, b in self.turned),
            *(("rank", m.system, None, m.before, m.after) for m in self.moves),
        ]
        return Table(
            name=f"changes {self.measure}",
            title=f"What changes on {self.measure} without {listed(self.left_out)}",
            columns=(
                Column("change", right=False),
                Column("a", "system", right=False),
                Column("b", "and", right=False),
                Column("before", "rank before"),
                Column("after", "rank after"),
            ),
            rows=tuple(rows),
            said=tuple(self.sentences()),
            signature=self.signature,
        )

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "left_out": self.left_out,
                "sentences": list(self.sentences()),
                "pairs": self.pairs,
                "differ_before": self.before,
                "differ_after": self.after,
                "no_longer_different": self.lost,
                "different_only_without": self.found,
                "other_way_round": self.turned,
                "candidates_before": self.candidates_before,
                "candidates_after": self.candidates_after,
                "moves": [{"system": m.system, "before": m.before, "after": m.after} for m in self.moves],
                "gone": self.gone,
            }
        )
        return found


def conclusion_changes(
    before: Comparison, after: Comparison, left_out: str | tuple[str, ...]
) -> ConclusionChanges:
    """Which conclusions of a comparison change, given the same comparison without some assessors.

    A pair counts where it was asked for in both. Whether it differs is what the test that makes the groups says.
    """
    names = (left_out,) if isinstance(left_out, str) else tuple(left_out)
    one, other = _signs(before), _signs(after)
    both = [pair for pair in one if pair in other]
    ranks = [{s.system: s.rank for s in c.standings} for c in (before, after)]
    there = [set(each) for each in ranks]
    moved = [s for s in ranks[0] if s in ranks[1] and ranks[0][s] != ranks[1][s]]
    candidates = [c.candidates() for c in (before, after)]
    return ConclusionChanges(
        left_out=names,
        measure=after.title,
        pairs=len(both),
        before=sum(one[pair] != 0 for pair in both),
        after=sum(other[pair] != 0 for pair in both),
        lost=tuple(_better_first(pair, one[pair]) for pair in both if one[pair] and not other[pair]),
        found=tuple(_better_first(pair, other[pair]) for pair in both if other[pair] and not one[pair]),
        turned=tuple(_better_first(pair, one[pair]) for pair in both if one[pair] * other[pair] < 0),
        candidates_before=None if candidates[0] is None else tuple(candidates[0]),
        candidates_after=None if candidates[1] is None else tuple(candidates[1]),
        moves=tuple(RankMove(s, ranks[0][s], ranks[1][s]) for s in moved),
        gone=tuple(s.system for s in before.standings if s.system not in there[1]),
        sampled=after.sampled,
        directed=after.matrix.info.better is not None,
        signature=after.signature,
    )


def _signs(c: Comparison) -> dict[tuple[str, str], int]:
    """Of every pair that was asked for, in the order of names: 1 where the first is better, -1 where the second is."""
    from adjudge.stats.pairs import columns_of_pairs

    names = [s.system for s in c.standings]
    better, at = c.better, {name: k for k, name in enumerate(names)}
    first, second = columns_of_pairs(len(c.matrix.systems))
    found: dict[tuple[str, str], int] = {}
    for k in np.flatnonzero(c.family).tolist():
        a, b = sorted((c.matrix.systems[first[k]], c.matrix.systems[second[k]]))
        found[a, b] = int(better[at[a], at[b]]) - int(better[at[b], at[a]])
    return found


def _better_first(pair: tuple[str, str], sign: int) -> tuple[str, str]:
    return pair if sign > 0 else (pair[1], pair[0])


def _verb(n: int) -> str:
    return "differs" if n == 1 else "differ"


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    words = "; ".join(f"{a} and {b}" for a, b in pairs[:MOST])
    return f"{words}; and {len(pairs) - MOST:,} more" if len(pairs) > MOST else words
