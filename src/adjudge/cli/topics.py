"""adjudge topics"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.topics.result import TopicRank, TopicsResult
from adjudge.cli import options
from adjudge.cli.output import console, deliver, say
from adjudge.cli.sources import open_scores, show_result, takes_table, warn_of
from adjudge.core.table import Column

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions

WIDEST, NARROWEST = 41, 11  # of the picture, in characters
PIPE = 200  # the width of a table where there is no terminal


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    length: options.Length = None,
    form: options.Form = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="TOPIC", help="Say which topics differ from this one.")
    ] = None,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """How topics differ: from the easiest to the hardest, with intervals on their mean ranks.

    All scores of a measure are ranked together. Where topics have the same number of scores, those whose
    intervals do not overlap differ. --csv writes one row per topic.
    """
    data = open_scores(scores, table, human, baseline, lower_is_better)
    found = [
        adjudge.topics(data, m, length=n, form=f, against=against)
        for m, n, f in data.each(measure or (), length=length, form=form)
    ]
    warn_of(data, (r.measure for r in found))
    deliver(found, TopicsResult.to_frame, _show, json=json, csv=csv, latex=latex, markdown=markdown)


def _show(r: TopicsResult) -> None:
    """The table with a picture of the intervals beside it."""
    table = r.table()
    columns, rows = table.printed()
    axis, pictures = picture(r.standings, width=_room([c.title for c in columns], rows), chosen=r.against)
    drawn = replace(
        table,
        columns=(*table.columns, Column("picture", axis, data=False, right=False)),
        rows=tuple((*row, line) for row, line in zip(table.rows, pictures, strict=True)),
    )

    def key() -> None:
        if r.against is not None:
            say(f"◆ {r.against}   ● differs from it   ○ does not differ from it significantly")

    show_result(drawn, before=key)


def picture(
    standings: tuple[TopicRank, ...], *, width: int, chosen: str | None = None
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

    def line(s: TopicRank) -> str:
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
