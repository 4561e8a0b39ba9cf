"""All pairs of systems as a triangle: which is better, or neither. Reads the tests, makes none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from adjudge.reports.names import Name

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import ComparedPair, Comparison

MOST_SYSTEMS = 30
SHORT_NAME = 3  # characters that stand upright over a column

Verdict = Literal["row", "column", "alike", "untested"]
SIGNS: dict[Verdict, str] = {"row": "←", "column": "↑", "alike": "≈", "untested": "?"}


@dataclass(frozen=True, slots=True)
class PairCell:
    """The row's system against the column's; the arrow points at the better one."""

    verdict: Verdict
    sign: str
    words: str  # the test in a sentence, with its corrected p


@dataclass(frozen=True, slots=True)
class PairRow:
    name: Name
    cells: tuple[PairCell | None, ...]  # None: left of the diagonal


@dataclass(frozen=True, slots=True)
class PairMatrix:
    columns: tuple[Name, ...]
    rows: tuple[PairRow, ...]
    turned: bool  # column heads are turned, since some name is long


def pair_matrix(comparison: Comparison, names: dict[str, Name]) -> PairMatrix | None:
    """The upper triangle: all but the last system in rows, all but the first in columns."""
    systems = [names[s.system] for s in comparison.standings]
    if not 2 <= len(systems) <= MOST_SYSTEMS:
        return None
    pairs = {(pair.a, pair.b): pair for pair in comparison.pairs[comparison.test]}
    columns = systems[1:]
    rows = [
        PairRow(
            row,
            tuple(
                _cell(comparison, pairs[row.system, column.system], names) if place >= k else None
                for place, column in enumerate(columns)
            ),
        )
        for k, row in enumerate(systems[:-1])
    ]
    return PairMatrix(tuple(columns), tuple(rows), any(len(name.shown) > SHORT_NAME for name in columns))


def _cell(comparison: Comparison, pair: ComparedPair, names: dict[str, Name]) -> PairCell:
    better = comparison.matrix.info.better
    a, b = names[pair.a].shown, names[pair.b].shown
    words = replace(pair, a=a, b=b).sentence(better, comparison.alpha)
    verdict = _verdict(pair, better)
    return PairCell(verdict, SIGNS[verdict], words)


def _verdict(pair: ComparedPair, better: str | None) -> Verdict:
    if pair.result.method is None:
        return "untested"
    if not pair.different:
        return "alike"
    return "row" if (pair.result.statistic > 0) != (better == "lower") else "column"
