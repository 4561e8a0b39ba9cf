"""A picture of slices: every system's mean on every slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.slices import slices
from adjudge.analyses.slices.words import NOT_TESTED, UNFINDABLE
from adjudge.core.errors import UsageError, among, quoted
from adjudge.core.picture import PLAIN, SERIES, SHAPES, Figure, drawn_text, figure_of, in_order
from adjudge.core.words import counted, listed, p_words

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.scores import Scores
    from adjudge.analyses.slices.result import PropertySlices, SystemSlices

MOST_LINES = 60
"""Slices that one picture takes."""
OTHERS = "other systems"
COLOURS = SERIES[:6]
"""The last one is grey, as other systems are."""


def slices_figure(
    result: SystemSlices, *, by: str | Sequence[str] = (), systems: Sequence[str] = ()
) -> Figure:
    """The mean of every system on every slice, property by property; the first systems are told apart by colour.

    `by` names some of the properties, `systems` those to tell apart, up to six.
    """
    import altair as alt

    names = [by] if isinstance(by, str) else list(by)
    properties = [result.by(name) for name in names] or list(result.properties)
    kept, left = _that_fit(properties)
    apart = _apart(result, systems)
    data = pd.DataFrame(
        [
            {
                "by": of_property.by,
                "slice": cell.slice,
                "line": _line(of_property, cell.slice),
                "topics": of_property.sizes[cell.slice],
                "system": cell.system,
                "shown as": cell.system if cell.system in apart else OTHERS,
                "mean": cell.mean,
                "n": cell.n,
                "p": of_property.p_adjusted,
                "conclusion": of_property.conclusion,
            }
            for of_property in kept
            for cell in of_property.means
        ]
    )
    domain = in_order(apart)
    # One axis for all panels, with room at both ends.
    low, high = float(data["mean"].min()), float(data["mean"].max())
    room = 0.02 * (high - low) or abs(high) * 0.1 or 1.0
    ends = [low - room if low < 0 or low > room else 0.0, high + room]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        legend = alt.Legend(title=None, columns=4, labelLimit=160)
        colour = alt.Color(
            "shown as:N", legend=legend, scale=alt.Scale(domain=domain, range=[*COLOURS[: len(domain)]])
        )
        shape = alt.Shape(
            "shown as:N", legend=legend, scale=alt.Scale(domain=domain, range=[*SHAPES[: len(domain)]])
        )
        parts = []
        for of_property in kept:
            chart = base.transform_filter(alt.datum.by == drawn_text(of_property.by))
            heading = f"mean {result.matrix.heading}" if of_property is kept[-1] else None
            x = alt.X("mean:Q", title=heading, scale=alt.Scale(domain=ends, nice=True))
            y = alt.Y(
                "line:N",
                sort=in_order(_line(of_property, name) for name in of_property.slices),
                title=None,
                axis=alt.Axis(labelLimit=260, grid=True),
            )
            told = alt.FieldOneOfPredicate(field="shown as", oneOf=domain)
            others = (
                chart.transform_filter(alt.datum["shown as"] == OTHERS)
                .mark_tick(thickness=2, size=12, color=PLAIN)
                .encode(x=x, y=y)
            )
            points = (
                chart.transform_filter(told)
                .mark_point(size=70, filled=True)
                .encode(x=x, y=y, color=colour, shape=shape)
            )
            title = alt.TitleParams(
                f"by {of_property.by}: {_said(of_property, result.alpha)}",
                anchor="start",
                frame="group",
                fontSize=12,
                fontWeight="normal",
                offset=6,
            )
            parts.append(alt.layer(others, points, title=title, height=alt.Step(26)))
        joined: alt.TopLevelMixin = alt.vconcat(*parts, spacing=10).resolve_scale(x="shared")
        return joined

    grey = len(result.matrix.systems) - len(apart)
    others = (
        f" {counted(grey, 'other system is a grey tick', 'other systems are grey ticks')}." if grey else ""
    )
    notes = [f"not drawn: {listed([f'by {name.by}' for name in left])}, too many slices"] if left else []
    missing = int(data["mean"].isna().sum())
    if missing:
        notes.append(f"{counted(missing, 'mean is', 'means are')} missing: no score there")
    return figure_of(
        "slices",
        f"Systems on slices of topics, {result.title}",
        f"Each point is a system's mean on a slice (number of topics).{others} {result.headline()}",
        data,
        drawing,
        notes=(*notes, *result.warnings()),
        signature=result.signature,
    )


def _line(of_property: PropertySlices, name: str) -> str:
    return f"{name} ({of_property.sizes[name]})"


def _said(of_property: PropertySlices, alpha: float) -> str:
    if of_property.conclusion == NOT_TESTED:
        return "not tested"
    more = (
        "too few topics" if of_property.conclusion == UNFINDABLE else p_words(of_property.p_adjusted, alpha)
    )
    return f"differences between systems {of_property.conclusion}, {more}"


def _that_fit(
    properties: Sequence[PropertySlices],
) -> tuple[list[PropertySlices], list[PropertySlices]]:
    kept: list[PropertySlices] = []
    left: list[PropertySlices] = []
    lines = 0
    for of_property in properties:
        if lines + len(of_property.slices) <= MOST_LINES:
            kept.append(of_property)
            lines += len(of_property.slices)
        else:
            left.append(of_property)
    return kept, left


def _apart(result: SystemSlices, systems: Sequence[str]) -> list[str]:
    names = result.matrix.systems
    if len(systems) > len(COLOURS):
        raise UsageError(f"{len(systems)} systems: a picture tells {len(COLOURS)} apart")
    for name in systems:
        if name not in names:
            raise UsageError(f"no system {quoted(name)}{among(name, names)}")
    if systems:
        return list(systems)
    # Those that stand out somewhere are seen first, then the first by mean.
    out = [cell.system for of_property in result.properties for cell in of_property.standing_out]
    chosen = list(dict.fromkeys([*out, *names]))[: len(COLOURS)]
    return [name for name in names if name in chosen]


def _made(scores: Scores, options: FigureOptions) -> Figure:
    return slices(
        scores,
        options.measure,
        by=options.by or (),
        length=options.length,
        form=options.form,
        seed=options.seed,
    ).figure("slices")


SPECS = (
    FigureSpec(
        "slices",
        "Every system's mean on slices of topics: by type, selector, length, source length, copying, or a chosen one.",
        _made,
        takes=("by",),
        example="-m rouge-2 --by type,length,source-length",
    ),
)
