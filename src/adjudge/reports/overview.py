"""Several measures side by side: every system's place on each. Ranks come from the comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.reports.league import mean_format
from adjudge.reports.names import Name

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison


@dataclass(frozen=True, slots=True)
class OverviewColumn:
    anchor: str
    title: str
    direction: str


@dataclass(frozen=True, slots=True)
class OverviewCell:
    """A rank with its letters, or a description's mean; `text` is a dash where there is no score."""

    text: str
    letters: str = ""
    top: bool = False  # not different from the first


@dataclass(frozen=True, slots=True)
class OverviewRow:
    name: Name
    cells: tuple[OverviewCell, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    columns: tuple[OverviewColumn, ...]
    rows: tuple[OverviewRow, ...]
    ordered_by: str


def overview_of(
    comparisons: Sequence[Comparison], columns: Sequence[OverviewColumn], names: dict[str, Name]
) -> Overview:
    """Systems in the order of the first measure that has a direction."""
    lead = next((k for k, c in enumerate(comparisons) if c.matrix.info.better), 0)
    order = [s.system for s in comparisons[lead].standings]
    systems = dict.fromkeys(order + [s.system for c in comparisons for s in c.standings])
    cells = [_cells(comparison) for comparison in comparisons]
    none = OverviewCell("–")
    rows = [OverviewRow(names[s], tuple(column.get(s, none) for column in cells)) for s in systems]
    return Overview(tuple(columns), tuple(rows), columns[lead].title)


def _cells(comparison: Comparison) -> dict[str, OverviewCell]:
    if comparison.matrix.info.better is None:
        form = mean_format(comparison)
        return {s.system: OverviewCell(form(s.mean)) for s in comparison.standings}
    if len(comparison.standings) < 2:
        return {s.system: OverviewCell(str(s.rank)) for s in comparison.standings}
    first = comparison.standings[0].system
    below = {pair.b for pair in comparison.pairs[comparison.test] if pair.a == first and pair.different}
    return {
        s.system: OverviewCell(str(s.rank), s.group, top=s.system not in below) for s in comparison.standings
    }
