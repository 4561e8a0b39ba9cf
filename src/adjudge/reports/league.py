"""The league table as it is shown: numbers as text, intervals as places on a scale, groups as bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.reports.names import Name
from adjudge.reports.numbers import Format, Tick, format_apart, format_for, percent, scale_for

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison, Standing

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
    interval: Range | None  # None: one topic has no interval
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
        tuple(
            LeagueRow(
                str(s.rank),
                names[s.system],
                f"{s.n:,}",
                form(s.mean),
                percent(scale.place(s.mean)),
                _range(s, scale.place(s.low), scale.place(s.high), form),
                " ".join(letters[k]),
                bars[k],
                apart=grouped and k > 0 and not set(letters[k]) & set(letters[k - 1]),
            )
            for k, s in enumerate(standings)
        ),
        scale.ticks(),
        scale.steps,
        level_words(comparison.level),
        len(bars[0]),
        ranked,
        grouped,
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
