"""adjudge topics"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli import options
from adjudge.cli.output import console, deliver, say, show_table, warn
from adjudge.cli.sources import open_scores, warn_of
from adjudge.comparisons.topics import Standing, TopicsResult, topics
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.scores import Scores

WIDEST, NARROWEST = 41, 11  # of the picture, in characters
PIPE = 200  # the width of a table where there is no terminal


def command(
    scores: options.Scores,
    measure: options.Measures = None,
    length: options.Length = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="TOPIC", help="Say which topics differ from this one.")
    ] = None,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """How topics differ: from the easiest to the hardest, with intervals on their mean ranks.

    All scores of a measure are ranked together. Where topics have the same number of scores, those whose
    intervals do not overlap differ. --csv writes one row per topic.
    """
    data = open_scores(scores, human, baseline, lower_is_better)
    found = _results(data, measure or [], length, against)
    deliver(found, TopicsResult.to_frame, _show, json=json, csv=csv, latex=latex)


def _results(
    data: Scores, measures: list[str], length: int | None, against: str | None
) -> list[TopicsResult]:
    """A result per measure and length, of everything that has scores unless measures are named."""
    chosen = [data.resolve(m) for m in measures] or data.all_measures()
    warn_of(data, chosen)
    return [
        topics(data.matrix(m, length=n), against=against)
        for m in chosen
        for n in ((length,) if length else data.table.each_length(m))
    ]


def _show(r: TopicsResult) -> None:
    length = f", {r.matrix.length} words" if r.matrix.length else ""
    size = f"{counted(r.over_topics.groups, 'topic')}, {counted(r.over_systems.groups, 'system')}"
    say(f"{r.measure}{length} ({r.matrix.info.direction}, {size})", "bold")
    head = ["topic", "scores>", "mean>", "s.d.>", "mean rank>", f"{1 - r.alpha:.0%} interval"]
    rows = [
        [s.topic, str(s.n), _number(s.mean, 4), _number(s.sd, 4), _number(s.mean_rank, 1), interval(s)]
        for s in r.standings
    ]
    axis, pictures = picture(r.standings, width=_room(head, rows), chosen=r.against)
    show_table([*head, axis], [[*row, drawn] for row, drawn in zip(rows, pictures, strict=True)])
    if r.against is not None:
        say(f"◆ {r.against}   ● differs from it   ○ cannot be told from it")
    for line in r.sentences():
        say(line)
    for line in [*r.missing(), *r.warnings()]:
        warn(line)
    say(r.signature, "dim")


def interval(standing: Standing) -> str:
    """A topic without scores has none."""
    return "-" if standing.low != standing.low else f"{standing.low:.1f} to {standing.high:.1f}"


def picture(
    standings: tuple[Standing, ...], *, width: int, chosen: str | None = None
) -> tuple[str, list[str]]:
    """The ends of the axis of mean ranks, and each topic's interval as a line of characters."""
    drawn = [s for s in standings if s.low == s.low]
    if not drawn:
        return "", [""] * len(standings)
    left, right = min(s.low for s in drawn), max(s.high for s in drawn)
    ends = f"{left:.0f}", f"{right:.0f}"
    axis = ends[0] + " " * max(width - len(ends[0]) - len(ends[1]), 1) + ends[1]

    def place(rank: float) -> int:
        return round((rank - left) / (right - left) * (width - 1)) if right > left else width // 2

    def line(s: Standing) -> str:
        if s.low != s.low:
            return ""
        low, at, high = place(s.low), place(s.mean_rank), place(s.high)
        mark = "◆" if s.topic == chosen else "○" if s.from_chosen is False else "●"
        return " " * low + "─" * (at - low) + mark + "─" * (high - at)

    return axis, [line(s) for s in standings]


def _room(head: list[str], rows: list[list[str]]) -> int:
    """How wide the picture can be beside the other columns."""
    taken = sum(max(len(row[column]) for row in [head, *rows]) + 2 for column in range(len(head)))
    width = console().width if sys.stdout.isatty() else PIPE
    return min(max(width - taken - 1, NARROWEST), WIDEST)


def _number(value: float, digits: int) -> str:
    return "-" if value != value else f"{value:.{digits}f}"
