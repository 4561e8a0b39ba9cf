"""Rank tables: the systems' ranks by people and by each measure, with rho at the foot. Lin and Hovy 2002, figure 4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge.analyses.meta.cells import Cells, HumanCells, column_means
from adjudge.analyses.meta.parts import MetaRun
from adjudge.core.errors import AdjudgeError
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


SHARED_WITH_COMPARE = ("length", "form", "test", "correct", "alpha", "resamples", "seed", "without")
"""Options by which people's scores are compared, as in `adjudge compare`."""


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
    level: str = "system"
    coefficient: str = "spearman"

    @property
    def name(self) -> str:
        return f"ranks-{self.human.measure}-{self.among}"

    @property
    def title(self) -> str:
        what = {"machines": "machine", "humans": "human"}.get(self.among, "system")
        return (
            f"Ranks of {counted(len(self.systems), what)} by {self.human.words} and by each measure,"
            " from means over topics; at the foot Spearman's rho at the system level"
        )

    def leavers(self, at: int) -> list[RankedSystem]:
        """The systems whose rank by a measure lies outside those that people leave open."""
        return [system for system in self.systems if system.outside(system.measures[at])]

    def table(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for system in self.systems:
            places = [
                None if place is None else f"{place.rank}{'*' if system.outside(place) else ''}"
                for place in system.measures
            ]
            left_open = f"{system.best}-{system.worst}" if system.best != system.worst else f"{system.best}"
            rows.append(
                (
                    system.system,
                    system.kind,
                    system.people,
                    None if system.best is None else left_open,
                    *places,
                )
            )
        kinds = {system.kind for system in self.systems}
        kind = kinds.pop() if len(kinds) == 1 else ""  # where all are of one kind the column is not shown
        rows.append(("rho", kind, None, "", *(None if math.isnan(r) else f"{r:.4f}" for r in self.rho)))
        return Table.of(
            self.name,
            rows,
            Column("system", right=False),
            Column("kind", show="varies", right=False),
            Column("people", self.human.heading, right=True),
            Column("open", "open", right=False, show="always" if self.tested else "never"),
            *(Column(f"rank_{info.measure}", info.heading, right=True) for info in self.measures),
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
    ROWS_SAY_ALL: ClassVar[bool] = True
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
                    "level": ranked.level,
                    "coefficient": ranked.coefficient,
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
        return (ranked.table() for ranked in self.ranked)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"ranks": self._all_rows}

    def _all_rows(self) -> Table:
        """A row per measure and system."""
        rows = [row for ranked in self.ranked for row in ranked.records()]
        return Table.of("ranks", rows, *rows[0])


def rank_tables(run: MetaRun) -> RanksResult:
    """The ranks by people and by every measure, of the systems that are asked for."""
    ranked = [
        rank_table(cells, human, _compared(run, human, cells.chosen))
        for cells in run.choices
        for human in cells.humans
    ]
    return RanksResult(ranked=tuple(ranked))


def _compared(run: MetaRun, human: HumanCells, among: Among) -> Comparison | str:
    """People's comparison of the systems, or why there is none."""
    from adjudge.analyses.compare import Compare

    asked = run.asked
    options = {name: getattr(asked, name) for name in SHARED_WITH_COMPARE}
    try:
        return Compare(measure=human.info.measure, among=among, **options).result(run.scores)
    except AdjudgeError as error:
        return str(error)


def rank_table(cells: Cells, human: HumanCells, compared: Comparison | str) -> RankTable:
    """The ranks by one human measure and by every other; `compared` says which ranks people leave open, or why not.

    A measure's mean is over the topics where people have a score too, and over all its topics where `cells` has more.
    """
    people = column_means(human.values)
    there = ~np.isnan(people)
    standings = {} if isinstance(compared, str) else {row.system: row for row in compared.standings}
    by_people = _places(people, among=there, ties=True)
    unjudged = np.zeros_like(human.values, dtype=np.bool_) if cells.all_topics else np.isnan(human.values)
    ranks = [
        _places(column_means(np.where(unjudged, np.nan, values)), among=there) for values in cells.automatic
    ]
    rho = correlations(
        cells.automatic, human.values, level="system", coefficient="spearman", all_topics=cells.all_topics
    )
    systems: list[RankedSystem] = []
    for k in np.argsort(-people, kind="stable").tolist():
        if (place := by_people[k]) is not None:
            standing = standings.get(cells.systems[k])
            systems.append(
                RankedSystem(
                    system=cells.systems[k],
                    kind=cells.kinds[k],
                    people=place.rank,
                    best=standing.best if standing else None,
                    worst=standing.worst if standing else None,
                    measures=tuple(places_of[k] for places_of in ranks),
                )
            )
    lacking = [sum(system.measures[m] is None for system in systems) for m in range(len(ranks))]
    return RankTable(
        human=human.info,
        measures=cells.measures,
        among=cells.chosen,
        systems=tuple(systems),
        rho=tuple(rho.values.tolist()),
        why=rho.why,
        lacking=tuple(n if n < len(systems) else 0 for n in lacking),
        tested="" if isinstance(compared, str) else test_words(compared.test),
        why_untested=compared if isinstance(compared, str) else "",
    )


def _places(means: FloatArray, *, among: BoolArray, ties: bool = False) -> list[PlaceByMeasure | None]:
    """Ranks of some systems, the highest mean first; None without a mean, and without `ties` where all tie."""
    there = ~np.isnan(means) & among
    by_system: list[PlaceByMeasure | None] = [None] * means.size
    ranks = places(-means[there]).tolist()
    if not ties and len(set(ranks)) < 2 <= len(ranks):
        return by_system
    for k, rank in zip(np.flatnonzero(there).tolist(), ranks, strict=True):
        of_all = bool(there[among].all())
        by_system[k] = PlaceByMeasure(rank=rank, last=rank + ranks.count(rank) - 1, of_all=of_all)
    return by_system
