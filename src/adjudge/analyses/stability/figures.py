"""A picture of scores with repeated judgments made one. Lin and Hovy 2002, figures 2 and 3."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pandas as pd

from adjudge.analyses.panels import check_size, common_words, in_panels, panel_names
from adjudge.core.errors import DataError
from adjudge.core.picture import HEAT, INK, SERIES, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.gathered import Part
    from adjudge.analyses.stability.conflicts import Resolution, ResolvedScores
    from adjudge.analyses.stability.result import Stability

POINTS: dict[Resolution, tuple[str, str]] = {
    "original": ("circle", INK),
    "majority": ("diamond", SERIES[1]),
    "average": ("square", SERIES[0]),
}
"""The shape and colour of what is drawn beside the bar from MIN to MAX."""
BAR = "MIN to MAX"
STEP, BAND = 36, 28
"""Pixels from system to system, and of a bar."""


def retention(result: Stability) -> Figure:
    """Every system's score as judged, by majority and on average, on a bar from MIN to MAX."""
    import altair as alt

    found = result.resolutions
    if not found:
        why = next((each for each in result.absent if "resolved scores" in each), "nothing was judged twice")
        raise DataError(why)
    names = _names(found)
    lines = sum(len(each.systems) for each in found)
    check_size(len(found), lines)
    data = pd.DataFrame(
        [
            {
                "panel": names[at],
                "group": group,
                "system": system,
                "resolution": name.upper(),
                "score": each.scores[name][k],
                "low": min(each.scores[r][k] for r in each.scores),
                "high": max(each.scores[r][k] for r in each.scores),
                "rank": each.ranks[k],
                "rank_low": each.low[k],
                "rank_high": each.high[k],
                "ranks": f"{each.low[k]}" if each.low[k] == each.high[k] else f"{each.low[k]}–{each.high[k]}",
                "first": name == "original",
                "ends": system == own[-1] and group < len(each.groups),
                "bar": BAR,
            }
            for at, each in enumerate(found)
            for group, own in enumerate(each.groups, 1)
            for system in own
            for k in [each.systems.index(system)]
            for name in POINTS
        ]
    )

    most = float(data["high"].max())

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, names, panel)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        order = in_order(data.loc[data["panel"] == name, "system"])
        y = alt.Y("system:N", sort=order, title=None)
        x = alt.X("low:Q", title=found[0].measure, scale=alt.Scale(domain=[0, most or 1], nice=True))
        once = base.transform_filter("datum.first")
        bars = once.mark_bar(height=BAND, cornerRadius=2).encode(
            x=x,
            x2="high:Q",
            y=y,
            fill=alt.Fill("bar:N", title=None, scale=alt.Scale(domain=[BAR], range=[HEAT[2]])),
        )
        shown = [each.upper() for each in POINTS]
        colours = alt.Scale(domain=shown, range=[colour for _, colour in POINTS.values()])
        shapes = alt.Scale(domain=shown, range=[shape for shape, _ in POINTS.values()])
        # Each in a lane of its own, as they are often the same number.
        points = [
            base.transform_filter(alt.FieldEqualPredicate(field="resolution", equal=each))
            .mark_point(size=42, yOffset=lane * BAND / len(shown))
            .encode(
                x="score:Q",
                y=y,
                color=alt.Color("resolution:N", title=None, scale=colours),
                shape=alt.Shape("resolution:N", title=None, scale=shapes),
            )
            for lane, each in enumerate(shown, start=-1)
        ]
        groups = (
            base.transform_filter("datum.first && datum.ends")
            .mark_rule(color=SOFT, strokeDash=[4, 3], yOffset=STEP / 2)
            .encode(y=y)
        )
        ranks = once.mark_text(align="left", color=SOFT).encode(x=alt.value(508), y=y, text="ranks:N")
        return alt.layer(bars, groups, *points, ranks, width=500, height=alt.Step(STEP))

    table = result.tables()["resolutions"]
    return figure_of(
        "retention",
        f"{_measure(found)} with repeated judgments made one{common_words([_part(each) for each in found])}",
        f"{_said(found)} The bar runs from the least answer (MIN) to the greatest (MAX) that repeated judgments of"
        " the same text got; dashed lines part performance groups: no bar of one overlaps a bar of another; at the"
        " right the ranks that the bars leave.",
        data,
        drawing,
        notes=(*result.notes, *table.notes),
        signature=table.signature,
    )


def _part(each: ResolvedScores) -> Part:
    return each.protocol, each.task, each.length, each.form


def _measure(found: tuple[ResolvedScores, ...]) -> str:
    return found[0].measure[:1].upper() + found[0].measure[1:]


def _names(found: tuple[ResolvedScores, ...]) -> list[str]:
    """A name for each panel; systems that share no topics with others of their kind have one of their own."""
    parts = [_part(each) for each in found]
    names = panel_names(parts) if len(set(parts)) > 1 else {parts[0]: ""}
    number: Counter[Part] = Counter()
    made = []
    for part in parts:
        number[part] += 1
        several = parts.count(part) > 1
        made.append(
            ", ".join(w for w in (names[part], f"ranked apart ({number[part]})" if several else "") if w)
        )
    return made


def _said(found: tuple[ResolvedScores, ...]) -> str:
    moved = sum(
        len({own[k] for own in each.scores.values()}) > 1 for each in found for k in range(len(each.systems))
    )
    systems = sum(len(each.systems) for each in found)
    pairs = sum(len(each.systems) * (len(each.systems) - 1) // 2 for each in found)
    if not moved:
        return f"No repeated judgment moves the score of any of {counted(systems, 'system')}."
    overlaps = sum(len(each.overlaps) - len(each.ties) for each in found)
    return (
        f"Repeated judgments move the scores of {moved} of {counted(systems, 'system')}; {overlaps} of"
        f" {counted(pairs, 'pair')} can change places."
    )
