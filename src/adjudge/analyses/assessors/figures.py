"""Severity and agreement of assessors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.trust_drawing import ROW, need_few, rows_axis, series_colour, series_shape
from adjudge.core.errors import DataError
from adjudge.core.picture import ACCENT, MARK, SOFT, Figure, figure_of
from adjudge.core.words import listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.assessors.result import Dossiers
    from adjudge.analyses.scores import Scores

COLOURS = {"like the others": ACCENT, "stands out": MARK}


def assessors(result: Dossiers) -> Figure:
    """Every assessor's severity and agreement with the others, with intervals."""
    import altair as alt
    import pandas as pd

    rows = [row for row in result.rows if not math.isnan(row.deviation) or not math.isnan(row.correlation)]
    if not rows:
        raise DataError(result.headline().rstrip("."))
    need_few(len(rows), "assessors", "choose a length or a form")
    severity = "above the other" if len(result.rows) == 2 else "above the median assessor"
    agreement = "correlation with the others"
    ordered = sorted(
        rows, key=lambda r: (math.isnan(r.deviation), 0.0 if math.isnan(r.deviation) else -r.deviation)
    )
    data = pd.DataFrame(
        [
            {
                "assessor": row.assessor,
                "what": what,
                "value": value,
                "low": low,
                "high": high,
                "others": row.others_correlation if what == agreement else math.nan,
                "judgments": row.judgments,
                "shared": row.shared,
                "named": ", ".join(row.codes),
                "colour": "stands out" if row.flags else "like the others",
            }
            for row in ordered
            for what, value, low, high in (
                (severity, row.deviation, row.deviation_low, row.deviation_high),
                (agreement, row.correlation, row.correlation_low, row.correlation_high),
            )
        ]
    )
    names = list(dict.fromkeys(data["assessor"]))
    there = [
        panel for panel in (severity, agreement) if data.loc[data["what"] == panel, "value"].notna().any()
    ]
    data = data[data["what"].isin(there)].reset_index(drop=True)
    coloured = [name for name in COLOURS if name in set(data["colour"])]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("assessor", names)
        legend = "stands out" in coloured
        colour = series_colour("colour", coloured, COLOURS, legend=legend)
        shape = series_shape("colour", coloured, legend=legend)
        x: dict[str, Any] = {"title": None, "scale": alt.Scale(zero=False), "axis": alt.Axis(tickCount=4)}
        with_value = base.transform_filter("datum.value != null")
        zero = (
            base.transform_filter(f"datum.what == '{severity}'")
            .transform_calculate(zero="0")
            .mark_rule(color=SOFT, strokeDash=[4, 3])
            .encode(x=alt.X("zero:Q", **x))
        )
        ticks = (
            base.transform_filter("datum.others != null")
            .mark_tick(color=SOFT, thickness=2, size=12)
            .encode(x=alt.X("others:Q", **x), y=y)
        )
        bars = (
            with_value.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("low:Q", **x), x2="high:Q", y=y, color=colour)
        )
        points = with_value.mark_point().encode(x=alt.X("value:Q", **x), y=y, color=colour, shape=shape)
        one = alt.layer(zero, ticks, bars, points, width=240, height=alt.Step(ROW))
        column = alt.Column("what:N", sort=there, title=None, header=alt.Header(labelOrient="top"))
        return cast("alt.TopLevelMixin", one.facet(column=column, spacing=20).resolve_scale(x="independent"))

    words = [result.headline()]
    if data["low"].notna().any():
        words.append(f"Lines are {1 - result.alpha:.0%} intervals.")
    if data["others"].notna().any():
        words.append("The tick is the mean correlation among the others.")
    if lacking := [row.assessor for row in result.rows if row not in rows]:
        words.append(f"Not drawn: {listed(lacking, most=6)}, neither is known.")
    return figure_of(
        "assessors",
        f"Severity and agreement of assessors, {result.title}",
        " ".join(words),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _made(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.assessors import Assessors
    from adjudge.analyses.meta.cells import human_measures

    measure = options.measure or human_measures(scores, (), argument="measure")[0]
    asked = Assessors(measure, length=options.length, form=options.form, quick=True, seed=options.seed)
    return asked.run(scores).figure("assessors")


SPECS = (
    FigureSpec(
        "assessors",
        "Severity and agreement of every assessor, with intervals.",
        _made,
        example="-m coverage --length 100",
    ),
)
