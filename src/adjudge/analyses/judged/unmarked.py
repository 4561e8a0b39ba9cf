"""Peer units that matched nothing of the reference, and how many of them were said to be relevant.

Over and Liggett 2002, "How many unmarked peer units?" and "... related to model subject?".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import ClassVar

from adjudge.analyses.gathered import (
    PART,
    SOURCE,
    Gathered,
    N,
    Part,
    in_order,
    judged_in,
    signed,
)
from adjudge.analyses.judged.parts import JudgedResult, missing_notes
from adjudge.analyses.scores import Source
from adjudge.core.table import Column, Table
from adjudge.judgments.protocol import Protocol
from adjudge.measures.judged.coverage import Unmarked

BY_SOURCE, BY_SYSTEM = "unmarked-by-source", "unmarked-by-system"
NUMBERS = (
    N,
    Column("unmarked", "unmarked"),
    Column("relevant", "relevant", format=".1f"),
    Column("mean_unmarked", "unmarked a page", format=".2f"),
    Column("mean_relevant", "relevant a page", format=".2f"),
    Column("share", "share relevant"),
)


@dataclass(frozen=True)
class UnmarkedUnits:
    """The unmarked units of a system's pages, or of a whole source's: only of pages on which relevance was judged,
    or on which there was none to judge."""

    part: Part
    source: str
    system: str | None
    """None: all of the source."""
    n: int
    """Pages."""
    unmarked: int
    relevant: float
    """The judged share of each page's unmarked units, as units, summed."""

    @property
    def mean_unmarked(self) -> float:
        return self.unmarked / self.n if self.n else nan

    @property
    def mean_relevant(self) -> float:
        return self.relevant / self.n if self.n else nan

    @property
    def share(self) -> float:
        """Of the unmarked units, those said to be relevant."""
        return self.relevant / self.unmarked if self.unmarked else nan

    @property
    def numbers(self) -> tuple[int, int, float, float, float, float]:
        return self.n, self.unmarked, self.relevant, self.mean_unmarked, self.mean_relevant, self.share


@dataclass(frozen=True, repr=False, kw_only=True)
class UnmarkedTables(JudgedResult):
    """Unmarked peer units by source, and by system."""

    sources: tuple[UnmarkedUnits, ...]
    systems: tuple[UnmarkedUnits, ...]
    protocols: tuple[Protocol, ...]

    FRAME = BY_SYSTEM
    FIGURES: ClassVar[Mapping[str, str]] = {"unmarked": "adjudge.analyses.judged.figures:unmarked"}

    def tables(self) -> Iterator[Table]:
        title = "Unmarked peer units, and how many of them are relevant"
        signature = signed("unmarked", self.protocols)
        rows = ((*row.part, row.source, *row.numbers) for row in self.sources)
        yield Table.of(BY_SOURCE, rows, *PART, SOURCE, *NUMBERS, title=title, signature=signature)
        of_systems = ((*row.part, row.source, row.system, *row.numbers) for row in self.systems)
        columns = (*PART, SOURCE, Column("system"), *NUMBERS)
        yield Table.of(BY_SYSTEM, of_systems, *columns, title=f"{title}, by system", signature=signature)


def unmarked_units(
    source: Source | Gathered, *, length: int | None = None, form: str | None = None
) -> UnmarkedTables:
    """Unmarked peer units by source and by system: `unmarked_units("my-eval")`. Tasks, lengths and forms apart."""
    gathered = judged_in(source, length=length, form=form)
    both = zip(gathered.scored(Unmarked()), gathered.scored(Unmarked(count="relevant")), strict=True)
    rows = [(e, number, good) for (e, number), (_, good) in both if e.protocol.unmarked is not None]
    sums: dict[tuple[Part, str, str | None], list[float]] = {}
    for entry, number, relevant in rows:
        for system in (None, entry.system):
            totals = sums.setdefault((entry.part, entry.source, system), [0.0, 0.0, 0.0])
            if not isnan(relevant.value):
                for at, amount in enumerate((1.0, number.value, relevant.value)):
                    totals[at] += amount
    places = {key: (*key[0], *key[1:]) for key in sums}
    ranked = {cells: at for at, cells in enumerate(in_order(places.values()))}
    units = [
        UnmarkedUnits(
            part=key[0],
            source=key[1],
            system=key[2],
            n=int(sums[key][0]),
            unmarked=int(sums[key][1]),
            relevant=sums[key][2],
        )
        for key in sorted(sums, key=lambda key: ranked[places[key]])
    ]
    return UnmarkedTables(
        sources=tuple(row for row in units if row.system is None),
        systems=tuple(row for row in units if row.system is not None),
        protocols=tuple({e.protocol.name: e.protocol for e, _, _ in rows}.values()),
        remarks=missing_notes((relevant.why for _, _, relevant in rows), BY_SOURCE, BY_SYSTEM),
    )
