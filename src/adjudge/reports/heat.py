"""Topics x systems as a map of coloured cells: which topics are shown, and each cell's step of colour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.data.collection import Collection
from adjudge.reports.names import Name
from adjudge.reports.numbers import Format, format_for

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison

STEPS = 7  # colours, --heat-0 to --heat-6 in tokens.css
VALUE_STEPS = 50
COMPACT_FROM = 61  # topics
MOST_TOPICS = 200
SHORT_NAME = 6  # characters that stand upright over a column


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A number on its colour; a missing one has no step, and says why."""

    step: int | None
    text: str
    title: str  # empty in a compact map, where its headers are always in sight


@dataclass(frozen=True, slots=True)
class HeatRow:
    topic: str
    title: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class HeatMap:
    columns: tuple[Name, ...]
    rows: tuple[HeatRow, ...]
    compact: bool
    turned: bool  # column heads are turned, since some name is long
    topic_width: int  # of the longest topic and its title, in characters
    legend: tuple[str, str]  # what stands at its pale and at its strong end
    missing: int
    about: str


def heat_map(comparison: Comparison, collection: Collection, names: dict[str, Name]) -> HeatMap:
    """Systems in rank order, topics in the order of the file; of very many, those that tell most apart."""
    matrix = comparison.matrix
    values: list[list[float]] = matrix.values.tolist()
    shown, about = _shown(values, matrix.topics, collection)
    known = [value for row in shown for value in values[row] if not math.isnan(value)]
    form = format_for(known, steps=VALUE_STEPS)
    better = matrix.info.better
    colours = _Colours(min(known), max(known), reverse=better == "lower")
    compact = len(shown) >= COMPACT_FROM
    why = {(topic, system): reason for topic, system, reason in matrix.missing}
    columns = tuple(names[system] for system in matrix.systems)

    def cell(topic: str, name: Name, value: float) -> HeatCell:
        where = "" if compact else f"{topic}, {name.shown}: "
        if math.isnan(value):
            reason = why.get((topic, name.system), "no score")
            return HeatCell(None, reason, f"{where}missing ({reason})")
        return HeatCell(colours.step(value), form(value), f"{where}{value:.5g}" if where else "")

    rows = []
    for k in shown:
        topic = matrix.topics[k]
        cells = tuple(cell(topic, name, value) for name, value in zip(columns, values[k], strict=True))
        rows.append(HeatRow(topic, _title(collection, topic), cells))
    return HeatMap(
        columns,
        tuple(rows),
        compact,
        topic_width=max(len(f"{row.topic} {row.title}".strip()) for row in rows),
        turned=any(len(name.shown) > SHORT_NAME for name in columns),
        legend=_legend(min(known), max(known), form, better),
        missing=sum(math.isnan(value) for row in shown for value in values[row]),
        about=about,
    )


@dataclass(frozen=True, slots=True)
class _Colours:
    """Equal steps from the least to the greatest value; strong is better, or higher."""

    low: float
    high: float
    reverse: bool

    def step(self, value: float) -> int:
        if self.high <= self.low:
            return STEPS // 2
        share = (value - self.low) / (self.high - self.low)
        if self.reverse:
            share = 1 - share
        return min(STEPS - 1, int(share * STEPS))


def _legend(low: float, high: float, form: Format, better: str | None) -> tuple[str, str]:
    if better is None:
        return f"{form(low)} lowest", f"{form(high)} highest"
    worst, best = (high, low) if better == "lower" else (low, high)
    return f"{form(worst)} worst", f"{form(best)} best"


def _shown(
    values: list[list[float]], topics: tuple[str, ...], collection: Collection
) -> tuple[list[int], str]:
    """Which rows of the matrix, in which order, and what to say of that."""
    place = {topic: k for k, topic in enumerate(collection.topics)}
    rows = sorted(range(len(topics)), key=lambda row: place.get(topics[row], len(place)))
    if len(rows) <= MOST_TOPICS:
        return rows, "Topics are in the order of the file."
    widest = sorted(rows, key=lambda row: -_spread(values[row]))[:MOST_TOPICS]
    return widest, (
        f"Of {len(rows):,} topics, the {MOST_TOPICS} on which the systems lie furthest apart are shown,"
        " the widest apart first; all are in the CSV."
    )


def _spread(row: list[float]) -> float:
    known = [value for value in row if not math.isnan(value)]
    return max(known) - min(known) if known else -1.0


def _title(collection: Collection, topic: str) -> str:
    row = collection.topics.get(topic)
    return row.title or "" if row else ""
