"""The sections of the report: the league table, several measures side by side, all pairs, topics x systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from adjudge.analyses.compare.words import pair_sentence
from adjudge.analyses.conclusions import DIFFERENT
from adjudge.analyses.pages.names import Name
from adjudge.analyses.pages.numbers import Format, Tick, format_apart, format_for, percent, scale_for, span
from adjudge.core.words import listed, p_number, p_words
from adjudge.data.collection import Collection
from adjudge.data.rows import System
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import ComparedPair, Comparison
    from adjudge.analyses.conditions.result import TrustConditions


# The league table

MOST_BARS = 8  # groups that are drawn; more are letters alone
MEAN_STEPS = 100
AXIS = 24  # characters of labels over the intervals; for more the column is too narrow


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
    groups = [s.group if grouped else "" for s in standings]
    # `ab` is a and b, unless there are more than 26: then they come with spaces, and someone has aa.
    spaced = any(" " in group or group == "aa" for group in groups)
    letters = [tuple(group.split()) if spaced else tuple(group) for group in groups]
    bars = _bars(letters)
    rows = []
    for k, s in enumerate(standings):
        mean = s.adjusted if comparison.modelled else s.mean
        interval = None
        if not math.isnan(s.low) and not math.isnan(s.high):
            left, right = scale.place(s.low), scale.place(s.high)
            interval = Range(percent(left), percent(right - left), f"{form(s.low)} – {form(s.high)}")
        rows.append(
            LeagueRow(
                rank=str(s.rank),
                name=names[s.system],
                topics=f"{s.n:,}",
                mean=form(mean),
                mean_at=percent(scale.place(mean)),
                without="needs two topics" if s.n < 2 else "none",
                interval=interval,
                letters=" ".join(letters[k]),
                bars=bars[k],
                apart=grouped and k > 0 and not set(letters[k]) & set(letters[k - 1]),
            )
        )
    return League(
        rows=tuple(rows),
        ticks=scale.ticks(room=AXIS),
        steps=scale.steps,
        level=level_words(comparison.level),
        bars=len(bars[0]),
        ranked=ranked,
        grouped=grouped,
    )


@dataclass(frozen=True, slots=True)
class Costs:
    """What systems state of themselves: cost, latency and size, with their units in the heads."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Name, tuple[str, ...]], ...]


def costs_of(names: Mapping[str, Name], systems: Mapping[str, System]) -> Costs | None:
    """A row for every system that states something, and the columns that some state; None where none does."""
    from adjudge.analyses.compare.cost import amount, parameters

    rows = {name: systems[system] for system, name in names.items() if system in systems}
    currencies = {row.currency for row in rows.values() if row.cost is not None}
    one = next(iter(currencies)) if len(currencies) == 1 else None

    def cost(row: System) -> str:
        if row.cost is None:
            return ""
        return f"{amount(row.cost)}{f' {row.currency}' if one is None and row.currency else ''}"

    columns: dict[str, Callable[[System], str]] = {
        f"Cost, {one} per 1,000" if one else "Cost per 1,000": cost,
        "Latency per summary": lambda row: "" if row.latency is None else f"{amount(row.latency)} s",
        "Size in parameters": lambda row: "" if row.size is None else parameters(row.size),
    }
    stated = {head: text for head, text in columns.items() if any(map(text, rows.values()))}
    texts = [(name, tuple(text(row) for text in stated.values())) for name, row in rows.items()]
    told = tuple(row for row in texts if any(row[1]))
    return Costs(tuple(stated), told) if told else None


def mean_format(comparison: Comparison) -> Format:
    """How this comparison's means are written."""
    standings = comparison.standings
    form = format_for([v for s in standings for v in (s.low, s.mean, s.high)], steps=MEAN_STEPS)
    return format_apart([s.mean for s in standings], form)


def level_words(level: float) -> str:
    return f"{100 * level:g} %"


def _bars(letters: list[tuple[str, ...]]) -> list[tuple[Bar | None, ...]]:
    """For every row a place per letter: its part of the bar, or nothing."""
    distinct = list(dict.fromkeys(letter for row in letters for letter in row))
    if len(distinct) > MOST_BARS:
        return [() for _ in letters]
    rows: list[list[Bar | None]] = [[] for _ in letters]
    for letter in distinct:
        held = [k for k, row in enumerate(letters) if letter in row]
        for k, row in enumerate(rows):
            inside = held[0] <= k <= held[-1]
            row.append(Bar(letter, k in held, k == held[0], k == held[-1]) if inside else None)
    return [tuple(row) for row in rows]


# Several measures side by side

MOST_UPRIGHT = 6  # measures whose titles stand upright over their columns
MOST_NAMED = 4  # systems of a top group that are named
MOST_MEASURES = 20  # measures in the table of all; those at further lengths and forms unfold


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """One measure in the table of all: who is at the top, and how sure that is."""

    anchor: str
    name: str
    about: str  # where high is not good
    top: str
    differ: str
    topics: str
    assessors: str
    met: str


@dataclass(frozen=True, slots=True)
class MeasureGroup:
    """The measures of one target length and form."""

    target: str
    lines: tuple[MeasureLine, ...]


@dataclass(frozen=True, slots=True)
class AllMeasures:
    """A line for every measure."""

    groups: tuple[MeasureGroup, ...]
    """Those of the target that answers first, and as many others as fit a screen."""
    others: tuple[MeasureGroup, ...] = ()
    """What unfolds."""

    @property
    def conditions(self) -> bool:
        """Whether any line says how many conditions are met."""
        return any(line.met for group in self.groups for line in group.lines)


def measure_line(
    c: Comparison, names: Mapping[str, Name], anchor: str, trust: TrustConditions | None
) -> MeasureLine:
    """What the comparison says, in a few words."""
    directed = c.matrix.info.better is not None
    pairs, total = c.tested[c.test], int(c.family.sum())
    candidates = c.candidates() if directed and len(c.standings) > 1 else None
    standing = "–" if candidates is None else listed([names[s].shown for s in candidates], most=MOST_NAMED)
    if candidates is not None and MOST_NAMED < len(candidates) == len(c.standings):
        standing = f"all {len(candidates):,} systems"
    judged = [condition.state for condition in trust or () if condition.state != "not applicable"]
    return MeasureLine(
        anchor=anchor,
        name=c.matrix.info.heading,
        about="" if c.matrix.info.better == "higher" else c.matrix.info.direction,
        top=standing,
        differ=f"{pairs.count(DIFFERENT):,} of {total:,}" if directed and total else "–",
        topics=span([s.n for s in c.standings]),
        assessors="–" if c.population is None else f"{len(c.population.assessors):,}",
        met=f"{judged.count('met')} of {len(judged)}" if judged else "",
    )


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

    @property
    def many(self) -> bool:
        """So many columns that their heads are turned."""
        return len(self.columns) > MOST_UPRIGHT


def lead_of(comparisons: Sequence[Comparison]) -> int:
    """The measure that answers first: the first that has a direction."""
    return next((k for k, c in enumerate(comparisons) if c.matrix.info.better), 0)


def fullest_first(comparisons: Sequence[Comparison], *, people_first: bool = False) -> tuple[Comparison, ...]:
    """The measure that answers first at the length and form with most scores; the others as they come.

    With `people_first`, measures that people judged whose names are known stand before all others.
    """
    ordered = list(comparisons)
    if people_first:
        ordered.sort(key=lambda c: c.population is None or judge_of(c.measure) is not None)
    lead = ordered[lead_of(ordered)]
    if lead.matrix.info.better is None:
        return tuple(ordered)
    of_lead = [c for c in ordered if c.measure == lead.measure]
    first = max(of_lead, key=lambda c: sum(s.n for s in c.standings))
    return (first, *(c for c in ordered if c is not first))


def overview_of(
    comparisons: Sequence[Comparison], columns: Sequence[OverviewColumn], names: dict[str, Name]
) -> Overview:
    """Systems in the order of the first measure that has a direction."""
    from adjudge.analyses.compare.several_words import scope_words

    lead = lead_of(comparisons)
    systems = dict.fromkeys(s.system for c in (comparisons[lead], *comparisons) for s in c.standings)
    cells: dict[str, list[OverviewCell]] = {system: [] for system in systems}
    for c in comparisons:
        if c.matrix.info.better is None:
            form = mean_format(c)
            column = {s.system: OverviewCell(form(s.mean)) for s in c.standings}
        elif len(c.standings) < 2:
            column = {s.system: OverviewCell(str(s.rank)) for s in c.standings}
        else:
            top = c.candidates() or ()
            column = {s.system: OverviewCell(str(s.rank), s.group, top=s.system in top) for s in c.standings}
        for system in systems:
            cells[system].append(column.get(system, OverviewCell("–")))
    rows = [OverviewRow(names[system], tuple(of_system)) for system, of_system in cells.items()]
    return Overview(tuple(columns), tuple(rows), columns[lead].title, scope_words(comparisons))


# All pairs as a triangle: which is better, or neither

MOST_SYSTEMS = 30
MOST_IN_FULL = 20  # systems up to which every cell has its test in full
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

    def cell(row: Name, column: Name) -> PairCell:
        pair = pairs[row.system, column.system]
        verdict = _verdict(pair, comparison.matrix.info.better)
        if len(systems) <= MOST_IN_FULL:
            words = pair_sentence(comparison, replace(pair, a=row.shown, b=column.shown))
        else:
            better = {"row": row, "column": column}.get(verdict)
            words = pair.conclusion if better is None else f"{better.shown} is better"
            if not math.isnan(pair.p_adjusted):
                words += f", {p_words(pair.p_adjusted, comparison.alpha)}"
        return PairCell(verdict, SIGNS[verdict], words)

    columns = systems[1:]
    rows = [
        PairRow(row, tuple(cell(row, column) if place >= k else None for place, column in enumerate(columns)))
        for k, row in enumerate(systems[:-1])
    ]
    return PairTriangle(tuple(columns), tuple(rows), any(len(name.shown) > PAIR_NAME for name in columns))


def _verdict(pair: ComparedPair, better: str | None) -> Verdict:
    if pair.result.method is None:
        return "untested"
    if pair.conclusion == "could not have been found":
        return "beyond"
    if not pair.different:
        return "alike"
    return "row" if (pair.result.statistic > 0) != (better == "lower") else "column"


# All pairs as rows

MOST_PAIRS = 100


@dataclass(frozen=True, slots=True)
class PairLine:
    """One pair: the difference is of the first less the second."""

    first: str
    second: str
    difference: str
    interval: str
    p: str
    record: str  # wins, losses and ties of the first
    conclusion: str


@dataclass(frozen=True, slots=True)
class PairList:
    """Pairs by their corrected p, the smallest first; of very many, the first few."""

    rows: tuple[PairLine, ...]
    about: str


def pair_list(comparison: Comparison, names: dict[str, Name]) -> PairList:
    """Every pair that was compared, with its difference, interval and corrected p."""
    pairs = sorted(
        comparison.pairs[comparison.test],
        key=lambda pair: (math.isnan(pair.p_adjusted), pair.p_adjusted, -abs(pair.result.difference)),
    )
    shown = pairs[:MOST_PAIRS]
    form = format_for(
        [v for pair in shown for v in (pair.result.difference, pair.low, pair.high)], steps=MEAN_STEPS
    )

    def line(pair: ComparedPair) -> PairLine:
        result = pair.result
        has_interval = not (math.isnan(pair.low) or math.isnan(pair.high))
        return PairLine(
            first=names[pair.a].shown,
            second=names[pair.b].shown,
            difference="" if math.isnan(result.difference) else form(result.difference),
            interval=f"{form(pair.low)} – {form(pair.high)}" if has_interval else "",
            p=p_number(pair.p_adjusted, 3),
            record=f"{result.wins}–{result.losses}–{result.ties}",
            conclusion=pair.conclusion,
        )

    about = f"All {len(pairs):,} pairs as a table" if len(pairs) > 1 else "The pair as a table"
    if len(pairs) > len(shown):
        of = f"{len(shown):,} of {len(pairs):,} pairs"
        about = f"{of} as a table, those with the smallest corrected p; all are in the CSV"
    return PairList(tuple(map(line, shown)), about)


# Topics x systems as a map of coloured cells

STEPS = 7  # colours, --heat-0 to --heat-6 in tokens.css
VALUE_STEPS = 50
COMPACT_FROM = 61  # topics
MOST_TOPICS = 200
MOST_ON_PAPER = 14  # systems whose numbers fit beside each other
HEAT_NAME = 6  # characters that stand upright over a column


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A number on its colour; a missing one has no step, and says why."""

    step: int | None
    text: str


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

    @property
    def wide(self) -> bool:
        """Too wide for its numbers on paper: there it shows its colours alone."""
        return len(self.columns) > MOST_ON_PAPER


def heat_map(comparison: Comparison, collection: Collection, names: dict[str, Name]) -> HeatMap:
    """Systems in rank order, topics in the order of the file; of very many, those that tell most apart."""
    import numpy as np

    matrix = comparison.matrix
    values: list[list[float]] = matrix.values.tolist()
    place = {topic: k for k, topic in enumerate(collection.topics)}
    shown = sorted(range(len(values)), key=lambda row: place.get(matrix.topics[row], len(place)))
    about = "Topics are in the order of the file."
    if len(shown) > MOST_TOPICS:
        about = (
            f"Of {len(shown):,} topics, the {MOST_TOPICS} on which the systems lie furthest apart are shown,"
            " the widest apart first; all are in the CSV."
        )
        spread = np.nan_to_num(np.fmax.reduce(matrix.values, 1) - np.fmin.reduce(matrix.values, 1), nan=-1.0)
        shown = sorted(shown, key=lambda row: -spread[row])[:MOST_TOPICS]
    numbers = [value for row in shown for value in values[row] if not math.isnan(value)]
    low, high, form = min(numbers), max(numbers), format_for(numbers, steps=VALUE_STEPS)
    why = {(topic, system): reason for topic, system, reason in matrix.missing}
    columns = tuple(names[system] for system in matrix.systems)

    def cell(topic: str, name: Name, value: float) -> HeatCell:
        """Equal steps from the least to the greatest value; strong is better, or higher."""
        if math.isnan(value):
            return HeatCell(None, why.get((topic, name.system), "no score"))
        share = (value - low) / (high - low) if high > low else 0.5
        if high > low and matrix.info.better == "lower":
            share = 1 - share
        return HeatCell(min(STEPS - 1, int(share * STEPS)), form(value))

    rows = []
    for k in shown:
        topic = matrix.topics[k]
        cells = tuple(cell(topic, name, value) for name, value in zip(columns, values[k], strict=True))
        row = collection.topics.get(topic)
        rows.append(HeatRow(topic, (row.title if row is not None else None) or "", cells))
    legend = (f"{form(low)} worst", f"{form(high)} best")
    if matrix.info.better is None:
        legend = (f"{form(low)} lowest", f"{form(high)} highest")
    elif matrix.info.better == "lower":
        legend = (f"{form(high)} worst", f"{form(low)} best")
    return HeatMap(
        columns,
        tuple(rows),
        compact=len(shown) >= COMPACT_FROM,
        topic_width=max(len(f"{row.topic} {row.title}".strip()) for row in rows),
        turned=any(len(name.shown) > HEAT_NAME for name in columns),
        legend=legend,
        missing=sum(math.isnan(value) for row in shown for value in values[row]),
        about=about,
    )
