"""Which conclusions change when an assessor is left out: two comparisons of one measure, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from adjudge.core.results import Result
from adjudge.core.table import Column, Table

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RankMove:
    """A system's place in the league table before and after."""

    system: str
    before: int
    after: int


@dataclass(frozen=True, repr=False, kw_only=True)
class ConclusionChanges(Result):
    """What a comparison says otherwise when some assessors are left out. Pairs have the better system first."""

    WORDS = "adjudge.analyses.compare.change_words"

    left_out: tuple[str, ...]
    measure: str
    pairs: int
    """Of those that were asked for, how many are in both comparisons."""
    before: int
    after: int
    """How many of these differ, with everybody and without."""
    lost: Pairs
    """Pairs that differ with everybody, and no longer do."""
    gained: Pairs
    """Pairs that differ only without them."""
    turned: Pairs
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
    made: str = ""
    """How the comparison without them was made."""

    @property
    def any(self) -> bool:
        """Whether anything that a test decided is another: pairs, or candidates for the best."""
        return bool(self.lost or self.gained or self.turned or self.gone or self.candidates_changed)

    @property
    def candidates_changed(self) -> bool:
        return set(self.candidates_before or ()) != set(self.candidates_after or ())

    def how(self) -> str:
        return self.made

    def called(self, names: Mapping[str, str]) -> ConclusionChanges:
        """The same with other names for systems."""

        def all_of(systems: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names.get(system, system) for system in systems)

        def both(pairs: Pairs) -> Pairs:
            return tuple((names.get(a, a), names.get(b, b)) for a, b in pairs)

        return replace(
            self,
            lost=both(self.lost),
            gained=both(self.gained),
            turned=both(self.turned),
            candidates_before=None if self.candidates_before is None else all_of(self.candidates_before),
            candidates_after=None if self.candidates_after is None else all_of(self.candidates_after),
            moves=tuple(replace(move, system=names.get(move.system, move.system)) for move in self.moves),
            gone=all_of(self.gone),
        )

    def tables(self) -> Iterator[Table]:
        """A row per change."""
        from adjudge.analyses.compare.change_words import CHANGES, title

        pairs = {"lost": self.lost, "gained": self.gained, "turned": self.turned}
        yield Table.of(
            "changes",
            [
                *((CHANGES[kind], a, b, None, None) for kind, some in pairs.items() for a, b in some),
                *(("rank", m.system, None, m.before, m.after) for m in self.moves),
            ],
            Column("change", right=False),
            Column("a", "system", right=False),
            Column("b", "and", right=False),
            Column("before", "rank before"),
            Column("after", "rank after"),
            title=title(self),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "left_out": self.left_out,
            "sentences": list(self.sentences()),
            "pairs": self.pairs,
            "differ_before": self.before,
            "differ_after": self.after,
            "no_longer_different": self.lost,
            "different_only_without": self.gained,
            "other_way_round": self.turned,
            "candidates_before": self.candidates_before,
            "candidates_after": self.candidates_after,
            "moves": [asdict(move) for move in self.moves],
            "gone": self.gone,
        }


def conclusion_changes(
    before: Comparison, after: Comparison, left_out: str | tuple[str, ...]
) -> ConclusionChanges:
    """Which conclusions of a comparison change, given the same comparison without some assessors.

    A pair counts where it was asked for in both. Whether it differs is what the test that makes the groups says.
    """
    one, other = _signs(before), _signs(after)
    both = [pair for pair in one if pair in other]
    ranks = [{s.system: s.rank for s in c.standings} for c in (before, after)]
    there = [set(by_system) for by_system in ranks]
    moved = [s for s in ranks[0] if s in ranks[1] and ranks[0][s] != ranks[1][s]]
    candidates = [c.candidates() for c in (before, after)]
    return ConclusionChanges(
        left_out=(left_out,) if isinstance(left_out, str) else tuple(left_out),
        measure=after.title,
        pairs=len(both),
        before=sum(one[pair] != 0 for pair in both),
        after=sum(other[pair] != 0 for pair in both),
        lost=tuple(_better_first(pair, one[pair]) for pair in both if one[pair] and not other[pair]),
        gained=tuple(_better_first(pair, other[pair]) for pair in both if other[pair] and not one[pair]),
        turned=tuple(_better_first(pair, one[pair]) for pair in both if one[pair] * other[pair] < 0),
        candidates_before=None if candidates[0] is None else tuple(candidates[0]),
        candidates_after=None if candidates[1] is None else tuple(candidates[1]),
        moves=tuple(RankMove(s, ranks[0][s], ranks[1][s]) for s in moved),
        gone=tuple(s.system for s in before.standings if s.system not in there[1]),
        sampled=after.sampled,
        directed=after.matrix.info.better is not None,
        made=after.signature,
    )


def _signs(c: Comparison) -> dict[tuple[str, str], int]:
    """Of every pair that was asked for, in the order of names: 1 where the first is better, -1 where the second is."""
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs

    names = [s.system for s in c.standings]
    better, at = c.better, {name: k for k, name in enumerate(names)}
    first, second = columns_of_pairs(len(c.matrix.systems))
    signs: dict[tuple[str, str], int] = {}
    for k in np.flatnonzero(c.family).tolist():
        a, b = sorted((c.matrix.systems[first[k]], c.matrix.systems[second[k]]))
        signs[a, b] = int(better[at[a], at[b]]) - int(better[at[b], at[a]])
    return signs


def _better_first(pair: tuple[str, str], sign: int) -> tuple[str, str]:
    return pair if sign > 0 else (pair[1], pair[0])
