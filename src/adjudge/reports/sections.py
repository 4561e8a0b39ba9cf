"""The sections of the report: the league table, several measures side by side, all pairs, topics x systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from adjudge.data.collection import Collection
from adjudge.reports.names import Name
from adjudge.reports.numbers import Format, Tick, format_apart, format_for, percent, scale_for

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import ComparedPair, Comparison, Standing


# The league table

MOST_BARS = 8  # groups that are drawn; more are letters alone
MEAN_STEPS = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """A row's part of one group's bar: `begins` and `ends` say where the bar is rounded."""

    letter: str
    held: bool  # False: the bar only passes by
    begins: bool
    ends: bool


@dataclass(frozen=True, slots=True)
class Range:
    """An interval drawn on the common scale, in percent of its width."""

    left: str
    width: str
    text: str


@dataclass(frozen=True, slots=True)
class LeagueRow:
    rank: str
    name: Name
    topics: str
    mean: str
    mean_at: str
    interval: Range | None  # None: one topic has no interval, nor has a ceiling
    without: str  # what stands there instead
    letters: str
    bars: tuple[Bar | None, ...]
    apart: bool  # shares no letter with the row above


@dataclass(frozen=True, slots=True)
class League:
    rows: tuple[LeagueRow, ...]
    ticks: tuple[Tick, ...]
    steps: int
    level: str
    bars: int
    ranked: bool  # False: a description, in order of size
    grouped: bool


def league_of(comparison: Comparison, names: dict[str, Name]) -> League:
    """Every system with scores, in the order of the comparison."""
    standings = comparison.standings
    scale = scale_for(value for s in standings for value in (s.low, s.mean, s.high))
    form = mean_format(comparison)
    ranked = comparison.matrix.info.better is not None
    grouped = ranked and len(standings) > 1
    letters = _letters([s.group if grouped else "" for s in standings])
    bars = _bars(letters)
    return League(
        rows=tuple(
            LeagueRow(
                rank=str(s.rank),
                name=names[s.system],
                topics=f"{s.n:,}",
                mean=form(s.adjusted if comparison.sampled else s.mean),
                mean_at=percent(scale.place(s.adjusted if comparison.sampled else s.mean)),
                without="needs two topics" if s.n < 2 else "none",
                interval=_range(s, scale.place(s.low), scale.place(s.high), form),
                letters=" ".join(letters[k]),
                bars=bars[k],
                apart=grouped and k > 0 and not set(letters[k]) & set(letters[k - 1]),
            )
            for k, s in enumerate(standings)
        ),
        ticks=scale.ticks(),
        steps=scale.steps,
        level=level_words(comparison.level),
        bars=len(bars[0]),
        ranked=ranked,
        grouped=grouped,
    )


def mean_format(comparison: Comparison) -> Format:
    """How this comparison's means are written."""
    standings = comparison.standings
    form = format_for([v for s in standings for v in (s.low, s.mean, s.high)], steps=MEAN_STEPS)
    return format_apart([s.mean for s in standings], form)


def level_words(level: float) -> str:
    return f"{100 * level:g} %"


def _range(standing: Standing, low: float, high: float, form: Format) -> Range | None:
    if math.isnan(standing.low) or math.isnan(standing.high):
        return None
    return Range(percent(low), percent(high - low), f"{form(standing.low)} – {form(standing.high)}")


def _letters(groups: list[str]) -> list[tuple[str, ...]]:
    """`ab` is a and b, unless there are more than 26: then they come with spaces, and someone has aa."""
    spaced = any(" " in group or group == "aa" for group in groups)
    return [tuple(group.split()) if spaced else tuple(group) for group in groups]


def _bars(letters: list[tuple[str, ...]]) -> list[tuple[Bar | None, ...]]:
    """For every row a place per letter: its part of the bar, or nothing."""
    known = list(dict.fromkeys(letter for row in letters for letter in row))
    if len(known) > MOST_BARS:
        return [() for _ in letters]
    rows: list[list[Bar | None]] = [[] for _ in letters]
    for letter in known:
        held = [k for k, row in enumerate(letters) if letter in row]
        for k, row in enumerate(rows):
            inside = held[0] <= k <= held[-1]
            row.append(Bar(letter, k in held, k == held[0], k == held[-1]) if inside else None)
    return [tuple(row) for row in rows]


# Several measures side by side


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
    top: bool = False  # nobody is significantly better


@dataclass(frozen=True, slots=True)
class OverviewRow:
    name: Name
    cells: tuple[OverviewCell, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    columns: tuple[OverviewColumn, ...]
    rows: tuple[OverviewRow, ...]
    ordered_by: str
    scope: str  # over what p is corrected


def overview_of(
    comparisons: Sequence[Comparison], columns: Sequence[OverviewColumn], names: dict[str, Name]
) -> Overview:
    """Systems in the order of the first measure that has a direction."""
    from adjudge.comparisons.pairs import scope_words

    lead = next((k for k, c in enumerate(comparisons) if c.matrix.info.better), 0)
    order = [s.system for s in comparisons[lead].standings]
    systems = dict.fromkeys(order + [s.system for c in comparisons for s in c.standings])
    cells = [_cells(comparison) for comparison in comparisons]
    none = OverviewCell("–")
    rows = [OverviewRow(names[s], tuple(column.get(s, none) for column in cells)) for s in systems]
    return Overview(tuple(columns), tuple(rows), columns[lead].title, scope_words(comparisons))


def _cells(comparison: Comparison) -> dict[str, OverviewCell]:
    if comparison.matrix.info.better is None:
        form = mean_format(comparison)
        return {s.system: OverviewCell(form(s.mean)) for s in comparison.standings}
    if len(comparison.standings) < 2:
        return {s.system: OverviewCell(str(s.rank)) for s in comparison.standings}
    top = comparison.candidates() or ()
    return {s.system: OverviewCell(str(s.rank), s.group, top=s.system in top) for s in comparison.standings}


# All pairs as a triangle: which is better, or neither

MOST_SYSTEMS = 30
PAIR_NAME = 3  # characters that stand upright over a column

Verdict = Literal["row", "column", "alike", "beyond", "untested"]
SIGNS: dict[Verdict, str] = {"row": "←", "column": "↑", "alike": "≈", "beyond": "·", "untested": "?"}


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
class PairTriangle:
    columns: tuple[Name, ...]
    rows: tuple[PairRow, ...]
    turned: bool  # column heads are turned, since some name is long


def pair_triangle(comparison: Comparison, names: dict[str, Name]) -> PairTriangle | None:
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
    return PairTriangle(tuple(columns), tuple(rows), any(len(name.shown) > PAIR_NAME for name in columns))


def _cell(comparison: Comparison, pair: ComparedPair, names: dict[str, Name]) -> PairCell:
    better = comparison.matrix.info.better
    a, b = names[pair.a].shown, names[pair.b].shown
    words = replace(pair, a=a, b=b).sentence(better, comparison.alpha)
    verdict = _verdict(pair, better)
    return PairCell(verdict, SIGNS[verdict], words)


def _verdict(pair: ComparedPair, better: str | None) -> Verdict:
    if pair.result.method is None:
        return "untested"
    if pair.conclusion == "could not have been found":
        return "beyond"
    if not pair.different:
        return "alike"
    return "row" if (pair.result.statistic > 0) != (better == "lower") else "column"


# Topics x systems as a map of coloured cells

STEPS = 7  # colours, --heat-0 to --heat-6 in tokens.css
VALUE_STEPS = 50
COMPACT_FROM = 61  # topics
MOST_TOPICS = 200
HEAT_NAME = 6  # characters that stand upright over a column


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
        return HeatCell(colours.step(value), form(value), f"{where}{value:z.5g}" if where else "")

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
        turned=any(len(name.shown) > HEAT_NAME for name in columns),
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
