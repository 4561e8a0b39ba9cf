"""Rank tables: the systems' ranks by people and by each measure, with rho at the foot. Lin and Hovy 2002, figure 4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge.analyses.meta.cells import Cells, HumanCells, column_means
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.correlation import correlations
from adjudge.stats.order import places
from adjudge.stats.paired import test_words

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


@dataclass(frozen=True)
class PlaceByMeasure:
    """A system's rank by a measure; systems with one mean share the ranks from `rank` to `last`."""

    rank: int
    last: int
    of_all: bool
    """Whether the measure ranks all systems that people do: otherwise its ranks are of fewer."""


@dataclass(frozen=True)
class RankedSystem:
    """One system's ranks; None where it has no score."""

    system: str
    kind: str
    people: int
    best: int | None
    """The highest and the lowest rank that people's significant differences leave open, where these were tested."""
    worst: int | None
    measures: tuple[PlaceByMeasure | None, ...]

    def outside(self, place: PlaceByMeasure | None) -> bool:
        """Whether no rank that a measure leaves a system is one that people's judgments leave it."""
        if place is None or not place.of_all or self.best is None or self.worst is None:
            return False
        return place.last < self.best or place.rank > self.worst


@dataclass(frozen=True)
class RankTable:
    """The ranks of all systems by one human measure and by every other measure."""

    human: MeasureInfo
    measures: tuple[MeasureInfo, ...]
    among: Among
    systems: tuple[RankedSystem, ...]
    """Best first by people."""
    rho: tuple[float, ...]
    """Spearman's, between people's and each measure's means over topics."""
    why: tuple[str | None, ...]
    """Why there is no rho."""
    lacking: tuple[int, ...]
    """By measure: systems that people rank and it has no score of, so that its ranks are of fewer."""
    tested: str
    """How the ranks that people leave open were found; empty where they were not."""
    why_untested: str = ""

    @property
    def name(self) -> str:
        return f"ranks-{self.human.measure}-{self.among}"

    @property
    def title(self) -> str:
        return (
            f"Ranks of {counted(len(self.systems), *_systems(self.among))} by {self.human.words} and by each measure,"
            " from means over topics; at the foot Spearman's rho at the system level"
        )

    def leavers(self, at: int) -> list[RankedSystem]:
        """The systems whose rank by a measure lies outside those that people leave open."""
        return [system for system in self.systems if system.outside(system.measures[at])]

    def table(self) -> Table:
        names = [f"rank_{measure.measure}" for measure in self.measures]
        rows: list[tuple[Cell, ...]] = [
            (
                system.system,
                system.kind,
                system.people,
                _range(system),
                *map(_mark, system.measures, map(system.outside, system.measures)),
            )
            for system in self.systems
        ]
        kinds = {system.kind for system in self.systems}
        kind = kinds.pop() if len(kinds) == 1 else ""  # where all are of one kind the column is not shown
        rows.append(("rho", kind, None, "", *(_rho(rho) for rho in self.rho)))
        return Table(
            name=self.name,
            columns=(
                Column("system", right=False),
                Column("kind", show="varies", right=False),
                Column("people", self.human.heading, right=True),
                Column("open", "open", right=False, show="always" if self.tested else "never"),
                *(
                    Column(name, measure.heading, right=True)
                    for name, measure in zip(names, self.measures, strict=True)
                ),
            ),
            rows=tuple(rows),
            title=self.title,
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """A row per measure and system."""
        for at, measure in enumerate(self.measures):
            for system in self.systems:
                yield {
                    "measure": measure.measure,
                    "human": self.human.measure,
                    "among": self.among,
                    "system": system.system,
                    "kind": system.kind,
                    "rank_by_people": system.people,
                    "best_open": system.best,
                    "worst_open": system.worst,
                    "rank": None if (place := system.measures[at]) is None else place.rank,
                    "outside": system.outside(place),
                    "rho": self.rho[at],
                }


@dataclass(frozen=True, repr=False, kw_only=True)
class RanksResult(Result):
    """A rank table per human measure and choice of systems."""

    WORDS = "adjudge.analyses.meta.words.ranks"
    FIGURES: ClassVar[Mapping[str, str]] = {"ranks": "adjudge.analyses.meta.figures:ranks"}
    FRAME = "ranks"
    IN_JSON = ("ranks",)

    ranked: tuple[RankTable, ...]

    def facts(self) -> dict[str, Any]:
        return {
            "ranked": [
                {
                    "human": ranked.human.measure,
                    "among": ranked.among,
                    "level": "system",
                    "coefficient": "spearman",
                    "tested": ranked.tested or None,
                    "rho": {m.measure: rho for m, rho in zip(ranked.measures, ranked.rho, strict=True)},
                }
                for ranked in self.ranked
            ]
        }

    def notes(self) -> Iterator[Note]:
        for ranked in self.ranked:
            for measure, why, lacking in zip(ranked.measures, ranked.why, ranked.lacking, strict=True):
                if why:
                    yield Note.of("no-rho", measure=measure.words, why=why).on(ranked.name)
                elif lacking:
                    yield Note.of("ranks-of-fewer", measure=measure.words, n=lacking).on(ranked.name)

    def tables(self) -> Iterator[Table]:
        """A rank table per human measure and choice of systems."""
        for ranked in self.ranked:
            yield ranked.table()

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"ranks": self._all_rows}

    def _all_rows(self) -> Table:
        """A row per measure and system."""
        return Table.of(
            "ranks",
            [row for ranked in self.ranked for row in ranked.records()],
            "measure human among system kind rank_by_people best_open worst_open rank outside rho",
        )


def rank_tables(
    cells: Cells, compared: Mapping[tuple[str, Among], Comparison | str], among: tuple[Among, ...] = ("all",)
) -> RanksResult:
    """The ranks by people and by every measure, of the systems that are asked for.

    `compared` has people's comparison of the systems by human measure and choice of systems, or why there is none. A
    measure's mean is over the topics where people have a score too, and over all its topics where `cells` has more.
    """
    return RanksResult(
        ranked=tuple(
            _ranked(chosen, human, compared.get((human.info.measure, which), "it was not tested"), which)
            for which in among
            for chosen in (cells.among(which),)
            for human in chosen.humans
        )
    )


def _ranked(cells: Cells, human: HumanCells, compared: Comparison | str, among: Among) -> RankTable:
    people = column_means(human.values)
    kept = [int(k) for k in np.argsort(-people, kind="stable") if not math.isnan(people[k])]
    standings = (
        {} if isinstance(compared, str) else {standing.system: standing for standing in compared.standings}
    )
    by_people = _places(people, among=~np.isnan(people), ties=True)
    ranks = [
        _places(column_means(_judged(values, human, cells.all_topics)), among=~np.isnan(people))
        for values in cells.automatic
    ]
    rho = correlations(
        cells.automatic, human.values, level="system", coefficient="spearman", all_topics=cells.all_topics
    )
    return RankTable(
        human=human.info,
        measures=cells.measures,
        among=among,
        systems=tuple(
            RankedSystem(
                system=cells.systems[k],
                kind=cells.kinds[k],
                people=place.rank,
                best=standings[cells.systems[k]].best if cells.systems[k] in standings else None,
                worst=standings[cells.systems[k]].worst if cells.systems[k] in standings else None,
                measures=tuple(places_of[k] for places_of in ranks),
            )
            for k in kept
            if (place := by_people[k]) is not None
        ),
        rho=tuple(rho.values.tolist()),
        why=rho.why,
        lacking=tuple(
            lacking if 0 < (lacking := sum(places_of[k] is None for k in kept)) < len(kept) else 0
            for places_of in ranks
        ),
        tested="" if isinstance(compared, str) else test_words(compared.test),
        why_untested=compared if isinstance(compared, str) else "",
    )


def _judged(values: FloatArray, human: HumanCells, all_topics: bool) -> FloatArray:
    return values if all_topics else np.where(np.isnan(human.values), np.nan, values)


def _places(means: FloatArray, *, among: BoolArray, ties: bool = False) -> list[PlaceByMeasure | None]:
    """Ranks of some systems, the highest mean first; None without a mean, and without `ties` where all tie."""
    there = ~np.isnan(means) & among
    by_system: list[PlaceByMeasure | None] = [None] * means.size
    ranks = places(-means[there])
    if not ties and np.unique(ranks).size < 2 <= ranks.size:
        return by_system
    for k, rank in zip(np.flatnonzero(there), ranks.tolist(), strict=True):
        last = rank + ranks.tolist().count(rank) - 1
        by_system[int(k)] = PlaceByMeasure(rank=rank, last=last, of_all=bool(there[among].all()))
    return by_system


def _systems(among: Among) -> tuple[str, str]:
    return {"machines": ("machine", "machines"), "humans": ("human", "humans")}.get(
        among, ("system", "systems")
    )


def _range(system: RankedSystem) -> str | None:
    if system.best is None:
        return None
    return f"{system.best}-{system.worst}" if system.best != system.worst else str(system.best)


def _mark(place: PlaceByMeasure | None, outside: bool) -> Cell:
    return None if place is None else f"{place.rank}*" if outside else str(place.rank)


def _rho(value: float) -> Cell:
    return None if math.isnan(value) else f"{value:.4f}"
