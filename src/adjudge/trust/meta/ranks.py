"""Rank tables: the systems' ranks by people and by each measure, with rho at the foot. Lin and Hovy 2002, figure 4."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.comparisons.scores import Among
from adjudge.data.scores import MeasureInfo
from adjudge.stats.checks import FloatArray
from adjudge.stats.order import places
from adjudge.stats.ranks import spearman
from adjudge.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.trust.meta.cells import Cells, HumanCells
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison


@dataclass(frozen=True)
class RankedSystem:
    """One system's ranks; None where it has no score."""

    system: str
    kind: str
    people: int
    best: int | None
    """The highest and the lowest rank that people's significant differences leave open, where these were tested."""
    worst: int | None
    measures: tuple[int | None, ...]

    def outside(self, rank: int | None) -> bool:
        """Whether a rank is one that people's judgments exclude."""
        if rank is None or self.best is None or self.worst is None:
            return False
        return not self.best <= rank <= self.worst


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
    tested: str
    """How the ranks that people leave open were found; empty where they were not."""
    why_untested: str = ""

    @property
    def title(self) -> str:
        return (
            f"Ranks of {counted(len(self.systems), *_systems(self.among))} by {self.human.words} and by each measure,"
            " from means over topics; at the foot Spearman's rho at the system level"
        )

    def leavers(self, at: int) -> list[RankedSystem]:
        """The systems whose rank by a measure lies outside those that people leave open."""
        return [each for each in self.systems if each.outside(each.measures[at])]

    def sentences(self) -> Iterator[str]:
        if not self.tested:
            yield (
                f"Which ranks people's judgments on {self.human.words} leave open could not be tested"
                f" ({self.why_untested}), so that no rank can be said to lie outside."
            )
            return
        within = []
        for at, measure in enumerate(self.measures):
            if leavers := self.leavers(at):
                named = [f"{each.system} (rank {each.measures[at]}, {_open(each)})" for each in leavers]
                yield (
                    f"{measure.words} gives {counted(len(leavers), 'system')} a rank outside what people's"
                    f" significant differences on {self.human.words} leave open: {listed(named, most=9)}."
                )
            elif any(each.measures[at] is not None for each in self.systems):
                within.append(measure.words)
        if within and all(each.best == 1 and each.worst == len(self.systems) for each in self.systems):
            yield (
                f"People's judgments on {self.human.words} leave every rank open ({self.tested} finds no significant"
                " difference), so that no rank could lie outside."
            )
        elif within:
            yield (
                f"{listed(within, most=9)} {'ranks' if len(within) == 1 else 'rank'} every system within what people's"
                f" significant differences on {self.human.words} leave open ({self.tested})."
            )

    def table(self) -> Table:
        names = [f"rank_{each.measure}" for each in self.measures]
        rows: list[tuple[Cell, ...]] = [
            (
                each.system,
                each.kind,
                each.people,
                _range(each),
                *map(_mark, each.measures, map(each.outside, each.measures)),
            )
            for each in self.systems
        ]
        rows.append(("rho", "", None, "", *(_rho(each) for each in self.rho)))
        return Table(
            name=f"ranks-{self.human.measure}-{self.among}",
            columns=(
                Column("system", right=False),
                Column("kind", show="varies", right=False),
                Column("people", self.human.heading, right=True),
                Column("open", "open", right=False, show="always" if self.tested else "never"),
                *(
                    Column(name, each.heading, right=True)
                    for name, each in zip(names, self.measures, strict=True)
                ),
            ),
            rows=tuple(rows),
            title=self.title,
            said=tuple(self.sentences()),
            notes=tuple(
                f"{each.words}: no rho ({why})"
                for each, why in zip(self.measures, self.why, strict=True)
                if why
            ),
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """A row per measure and system."""
        for at, measure in enumerate(self.measures):
            for each in self.systems:
                yield {
                    "measure": measure.measure,
                    "human": self.human.measure,
                    "among": self.among,
                    "system": each.system,
                    "kind": each.kind,
                    "rank_by_people": each.people,
                    "best_open": each.best,
                    "worst_open": each.worst,
                    "rank": each.measures[at],
                    "outside": each.outside(each.measures[at]),
                }


@dataclass(frozen=True, repr=False)
class RanksResult(Tabular):
    """A rank table per human measure and choice of systems."""

    ranked: tuple[RankTable, ...]

    def headline(self) -> str:
        return next(iter(self.sentences()), "There is nothing to rank.")

    def sentences(self) -> Iterator[str]:
        for each in self.ranked:
            yield from each.sentences()

    def table(self) -> Table:
        return self.ranked[0].table()

    def tables(self) -> Tables:
        return Tables(tuple(each.table() for each in self.ranked))

    def to_frame(self) -> Any:
        import pandas as pd

        frame = pd.DataFrame([row for each in self.ranked for row in each.records()])
        return frame.astype(dict.fromkeys(("best_open", "worst_open", "rank"), "Int64"))

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "tables": [
                    {
                        "human": each.human.measure,
                        "among": each.among,
                        "level": "system",
                        "coefficient": "spearman",
                        "tested": each.tested or None,
                        "rho": {m.measure: rho for m, rho in zip(each.measures, each.rho, strict=True)},
                        "systems": list(each.records()),
                    }
                    for each in self.ranked
                ],
                "sentences": list(self.sentences()),
            }
        )
        return found


def rank_tables(
    cells: Cells, compared: Mapping[tuple[str, Among], Comparison | str], among: tuple[Among, ...] = ("all",)
) -> RanksResult:
    """The ranks by people and by every measure, of the systems that are asked for.

    `compared` has people's comparison of the systems by human measure and choice of systems, or why there is none. A
    measure's mean is over the topics where people have a score too, and over all its topics where `cells` has more.
    """
    return RanksResult(
        ranked=tuple(
            _ranked(
                cells.among(which),
                human,
                compared.get((human.info.measure, which), "it was not tested"),
                which,
            )
            for human in cells.humans
            for which in among
        )
    )


def _ranked(cells: Cells, human: HumanCells, compared: Comparison | str, among: Among) -> RankTable:
    people = _means(human.values)
    kept = [k for k in np.argsort(-people, kind="stable") if not math.isnan(people[k])]
    standings = {} if isinstance(compared, str) else {each.system: each for each in compared.standings}
    own = _places(people)
    means = [
        _means(values if cells.all_topics else np.where(np.isnan(human.values), np.nan, values))
        for values in cells.automatic
    ]
    ranks = [_places(np.where(np.isnan(people), np.nan, each)) for each in means]
    rho = [spearman(people, each) for each in means]
    return RankTable(
        human=human.info,
        measures=cells.measures,
        among=among,
        systems=tuple(
            RankedSystem(
                system=cells.systems[k],
                kind=cells.kinds[k],
                people=int(own[k] or 0),
                best=standings[cells.systems[k]].best if cells.systems[k] in standings else None,
                worst=standings[cells.systems[k]].worst if cells.systems[k] in standings else None,
                measures=tuple(each[k] for each in ranks),
            )
            for k in kept
        ),
        rho=tuple(each.rho for each in rho),
        why=tuple(each.why for each in rho),
        tested="" if isinstance(compared, str) else compared.test,
        why_untested=compared if isinstance(compared, str) else "",
    )


def _means(values: FloatArray) -> FloatArray:
    """Of columns over the rows that have a value; NaN where none has."""
    there = np.isfinite(values).sum(axis=0)
    with np.errstate(invalid="ignore"):
        found: FloatArray = np.nansum(values, axis=0) / there
    return found


def _places(means: FloatArray) -> list[int | None]:
    """Ranks, the highest mean first; None without a mean."""
    there = ~np.isnan(means)
    found: list[int | None] = [None] * means.size
    for k, rank in zip(np.flatnonzero(there), places(-means[there]), strict=True):
        found[int(k)] = int(rank)
    return found


def _systems(among: Among) -> tuple[str, str]:
    return {"machines": ("machine", "machines"), "humans": ("human", "humans")}.get(
        among, ("system", "systems")
    )


def _open(each: RankedSystem) -> str:
    return (
        f"people leave {each.best} to {each.worst} open"
        if each.best != each.worst
        else f"people: {each.best}"
    )


def _range(each: RankedSystem) -> str | None:
    if each.best is None:
        return None
    return f"{each.best}-{each.worst}" if each.best != each.worst else str(each.best)


def _mark(rank: int | None, outside: bool) -> Cell:
    return None if rank is None else f"{rank}*" if outside else str(rank)


def _rho(value: float) -> Cell:
    return None if math.isnan(value) else f"{value:.4f}"
