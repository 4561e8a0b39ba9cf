"""Agreement by the number of preferences. Zopf 2018, figure 3."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.picture import INK, PLAIN, SERIES, Figure, figure_of, in_order
from adjudge.core.words import counted

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.preferences.measures import Convergence, Trajectory

PREFERENCES = "preferences"
"""The series of answers, beside those of measures."""


def preferences_needed(found: Convergence, *, topic: str | None = None) -> Figure:
    """Agreement with people by the number of answers: the mean over topics, or one topic, beside other measures."""
    import altair as alt

    if not found.measured:
        why = found.topics[0].why if found.topics else "there are no topics"
        raise DataError(f"no topic has a trajectory ({why})")
    one = _topic(found, topic)
    mean = _mean_rows(found) if one is None else _topic_rows(one)
    last = mean[-1]["answers"]
    lines = found.lines() if one is None else dict(one.lines)
    there = {name: value for name, value in lines.items() if not math.isnan(value)}
    data = pd.DataFrame(
        [
            *([] if one is not None else _thin_rows(found)),
            *mean,
            *(
                _row("measure", name, None, at, value)
                for name, value in there.items()
                for at in (mean[0]["answers"], last)
            ),
        ]
    )
    legend = [PREFERENCES, *there]
    shades = [INK, *(SERIES[k % len(SERIES)] for k in range(len(there)))]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X("answers:Q", title="answers per topic", scale=alt.Scale(zero=False, nice=False))
        y: dict[str, Any] = {
            "title": f"agreement with {found.human}",
            "scale": alt.Scale(zero=False),
            "axis": alt.Axis(format=".0%"),
        }
        shown = alt.Scale(domain=in_order(legend), range=shades)
        colour = alt.Color("series:N", title=None, scale=shown)
        topics = (
            base.transform_filter("datum.of == 'topic'")
            .mark_line(strokeWidth=1, color=PLAIN, opacity=0.45)
            .encode(x=x, y=alt.Y("agreement:Q", **y), detail="topic:N")
        )
        band = (
            base.transform_filter("datum.of == 'preferences' && datum.low != null")
            .mark_area(color=INK, opacity=0.12)
            .encode(x=x, y=alt.Y("low:Q", **y), y2="high:Q")
        )
        rules = (
            base.transform_filter("datum.of == 'measure'")
            .mark_line(strokeWidth=1.5, strokeDash=[6, 3])
            .encode(x=x, y=alt.Y("agreement:Q", **y), color=colour)
        )
        own = base.transform_filter("datum.of == 'preferences'")
        line = own.mark_line(strokeWidth=2.5).encode(x=x, y=alt.Y("agreement:Q", **y), color=colour)
        points = own.mark_point(size=26).encode(x=x, y=alt.Y("agreement:Q", **y), color=colour)
        return alt.layer(topics, band, rules, line, points, width=500, height=320)

    return figure_of(
        "preferences-needed",
        f"Agreement with {found.human} by the number of preferences"
        + (f", topic {one.topic}" if one is not None else ""),
        _words(found, one, data),
        data,
        drawing,
        notes=found.notes,
        signature=found.signature,
    )


def _topic(found: Convergence, asked: str | None) -> Trajectory | None:
    if asked is None:
        return found.measured[0] if len(found.measured) == 1 else None
    names = [each.topic for each in found.topics]
    if asked not in names:
        raise UsageError(f"--topic {quoted(asked)}: no such topic{among(asked, names)}")
    own = found.topics[names.index(asked)]
    if not own.points:
        raise DataError(f"topic {asked} has no trajectory: {own.why}")
    return own


def _row(
    of: str,
    series: str,
    topic: str | None,
    answers: int,
    agreement: float,
    low: float = math.nan,
    high: float = math.nan,
) -> dict[str, Any]:
    return {
        "of": of,
        "series": series,
        "topic": topic,
        "answers": answers,
        "agreement": agreement,
        "low": low,
        "high": high,
    }


def _mean_rows(found: Convergence) -> list[dict[str, Any]]:
    rows = zip(found.mean(), found.mean_intervals(), strict=True)
    return [_row("preferences", PREFERENCES, None, n, mean, *span) for (n, mean, _), span in rows]


def _topic_rows(own: Trajectory) -> list[dict[str, Any]]:
    return [
        _row("preferences", PREFERENCES, own.topic, point.n, point.mean, point.low, point.high)
        for point in own.points
    ]


def _thin_rows(found: Convergence) -> list[dict[str, Any]]:
    return [
        _row("topic", "topic", each.topic, point.n, point.mean, point.low, point.high)
        for each in found.measured
        for point in each.points
    ]


def _words(found: Convergence, one: Trajectory | None, data: pd.DataFrame) -> str:
    own = data[data["of"] == "preferences"]
    first, last = own.iloc[0], own.iloc[-1]
    runs = f"So many answers of a topic are drawn at random, {counted(found.runs, 'time')}"
    banded = bool(own["low"].notna().any())
    if one is not None:
        said = [f"{runs}; the line is the mean of the runs on topic {one.topic}."]
        if banded:
            said.append(f"{found.level:.0%} of the runs lie in the band.")
    else:
        said = [f"{runs}; the line is the mean over {counted(len(found.measured), 'topic')}."]
        if banded:
            said.append(
                f"The band is its {found.level:.0%} interval over topics; thin lines are single topics."
            )
    said.append(
        f"With {counted(int(first['answers']), 'answer')} {first['agreement']:.0%} of the pairs of summaries are"
        f" ordered as people order them, with {counted(int(last['answers']), 'answer')} {last['agreement']:.0%}."
    )
    if (data["of"] == "measure").any():
        said.append("Dashed: measures that take no preferences.")
    if fewer := sum(each.answers < last["answers"] for each in found.measured if one is None):
        said.append(
            f"{counted(fewer, 'topic')} with fewer answers {'counts' if fewer == 1 else 'count'} with all of them."
        )
    left = len(found.topics) - len(found.measured)
    if one is None and left:
        said.append(f"{counted(left, 'topic')} without a trajectory.")
    return " ".join(said)
