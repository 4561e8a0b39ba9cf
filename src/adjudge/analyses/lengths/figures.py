"""A measure at several target lengths: means by system, and boxes of scores centred by topic. Over and Liggett 2002."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.drawing import few_enough, labels, once, step, text_size
from adjudge.analyses.lengths import lengths
from adjudge.analyses.lengths.words import RANKINGS, about_agreement, about_noise
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.core.picture import ACCENT, GRID, INK, SERIES, SHAPES, SOFT, Figure, figure_of, in_order
from adjudge.core.words import capitalised, counted

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.lengths.result import LengthsResult
    from adjudge.analyses.scores import Scores

MOST_SYSTEMS = 100


def length_means(result: LengthsResult) -> Figure:
    """The mean of every system at every target length, least-squares means where cells are missing."""
    import altair as alt
    import pandas as pd

    systems = result.systems()
    few_enough(len(systems), MOST_SYSTEMS, "systems", "`adjudge lengths` has them as a table")
    few_enough(len(result.lengths), len(SERIES), "lengths", "leave some out of the scores")
    called = labels(systems, result.kinds)
    rows = [
        {
            "system": called[s.system],
            "length": at_length.name,
            "mean": s.mean,
            "centred": s.centred,
            "topics": s.n,
            "group": s.group,
        }
        for at_length in result.lengths
        for s in at_length.standings
    ]
    data = pd.DataFrame(rows)
    order = in_order(at_length.name for at_length in reversed(result.lengths))
    pixels = step(len(systems), 1200, 11, 24)
    absent = int(data["mean"].isna().sum()) + len(systems) * len(result.lengths) - len(data)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y(
            "system:N",
            sort=in_order(called.values()),
            title=None,
            axis=alt.Axis(labelFontSize=text_size(pixels), grid=True, gridDash=[1, 3], ticks=False),
        )
        x = alt.X(
            "mean:Q",
            title=f"mean of {result.info.heading} ({result.info.direction})",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(titleLimit=560),
        )
        colour = alt.Color(
            "length:N",
            title="target length",
            sort=order,
            scale=alt.Scale(domain=order, range=list(SERIES[: len(order)])),
        )
        shape = alt.Shape(
            "length:N",
            title="target length",
            sort=order,
            scale=alt.Scale(domain=order, range=list(SHAPES[: len(order)])),
        )
        with_mean = base.transform_filter("isValid(datum.mean)")
        # From a system's lowest mean to its highest: systems are no sequence that a line could go through.
        spans = (
            with_mean.transform_aggregate(low="min(mean)", high="max(mean)", groupby=["system"])
            .mark_rule(strokeWidth=2, color=GRID)
            .encode(x=alt.X("low:Q", scale=alt.Scale(zero=False)), x2="high:Q", y=y)
        )
        points = with_mean.mark_point(size=60).encode(x=x, y=y, color=colour, shape=shape)
        return alt.layer(spans, points, height=alt.Step(pixels))

    place = {name: k for k, name in enumerate(called.values())}
    data["place"] = [place[name] for name in data["system"]]
    data = data.sort_values(["length", "place"], kind="stable").reset_index(drop=True)
    return figure_of(
        "length-means",
        f"{capitalised(result.info.words)} by system and target length",
        _means_words(result, absent),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _means_words(result: LengthsResult, absent: int) -> str:
    best = "best" if result.info.better else "highest"
    by = "over all lengths together" if result.together is not None else "by its mean"
    sentences = [
        f"Systems from the {best} {by}; a length whose marks do not move steadily one way ranks them differently."
    ]
    agreements = [agreement for agreement in result.between_lengths if agreement.tau.why is None]
    if agreements:
        least = min(agreements, key=lambda agreement: agreement.tau.tau)
        start = "Rankings of systems that are the least alike" if len(agreements) > 1 else RANKINGS
        sentences.append(about_agreement(least, start))
    if len(result.lengths) == 1:
        sentences = [f"Systems from the {best} by their means. {result.headline()}"]
    if absent:
        sentences.append(
            f"{counted(absent, 'mean is', 'means are')} missing: a system has no scores at that length."
        )
    return " ".join(sentences)


def length_boxes(result: LengthsResult) -> Figure:
    """Boxes of every system's scores less the topic's mean over all peers, a panel for each target length."""
    import altair as alt
    import pandas as pd

    systems = result.systems()
    few_enough(len(systems), MOST_SYSTEMS, "systems", "`adjudge lengths` has them as a table")
    called = labels(systems, result.kinds)
    names = {at_length.column: at_length.name for at_length in result.lengths}
    frame = result.to_frame("scores")
    missing = int(frame["value"].isna().sum())
    data = pd.DataFrame(
        {
            "length": [names[column] for column in frame["length"]],
            "system": [called[system] for system in frame["system"]],
            "topic": frame["topic"],
            "value": frame["value"],
            "centred": frame["centred"],
        }
    )
    panels = in_order(at_length.name for at_length in reversed(result.lengths))
    wide = step(len(systems), 640, 12, 46)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X(
            "system:N",
            sort=in_order(called.values()),
            title=None,
            axis=alt.Axis(labelAngle=-90, labelFontSize=text_size(wide), labelLimit=150),
        )
        y = alt.Y("centred:Q", title="score less topic's mean", axis=alt.Axis(tickCount=5))
        zero = once(base).mark_rule(color=SOFT, strokeDash=[4, 3]).encode(y=alt.datum(0))
        boxes = (
            base.transform_filter("isValid(datum.centred)")
            .mark_boxplot(
                size=wide * 0.6,
                color=ACCENT,
                median={"color": INK, "strokeWidth": 2},
                rule={"color": ACCENT},
                outliers={"size": 16, "color": ACCENT, "filled": False},
                box={"fill": GRID, "stroke": ACCENT},
            )
            .encode(x=x, y=y)
        )
        drawn = alt.layer(zero, boxes, width=alt.Step(wide), height=150)
        return drawn.facet(
            row=alt.Row(
                "length:N",
                sort=panels,
                title=None,
                header=alt.Header(
                    labelAngle=0,
                    labelAnchor="start",
                    labelOrient="top",
                    labelFontWeight="bold",
                    labelPadding=2,
                ),
            ),
            spacing=18,
        )

    words = (
        "Scores less the mean of their topic over all peers, a box for every system: its middle half, its median, and"
        " whiskers to the furthest score within 1.5 box lengths; points lie beyond."
    )
    # Panels name their lengths.
    where = f", {result.lengths[0].name}" if len(result.lengths) == 1 else ", by target length"
    in_no_box = f"{counted(missing, 'score is', 'scores are')} missing and in no box." if missing else ""
    return figure_of(
        "length-boxes",
        f"{capitalised(result.info.words)} centred by topic{where}",
        " ".join(filter(None, (words, about_noise(result), in_no_box))),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _drawn(name: str, scores: Scores, options: FigureOptions) -> Figure:
    if options.length is not None:
        raise UsageError(f"this figure draws all target lengths: leave {Argument('length')} out")
    return lengths(scores, options.measure, form=options.form, seed=options.seed).figure(name)


SPECS = (
    FigureSpec(
        "length-means",
        "Every system's mean at every target length.",
        partial(_drawn, "length-means"),
        after="Over and Liggett 2002, “Multi-document abstracts by size”",
        example="-m coverage --form abstract",
    ),
    FigureSpec(
        "length-boxes",
        "Scores less the mean of their topic as boxes by system, a panel for each target length.",
        partial(_drawn, "length-boxes"),
        after="Over and Liggett 2002, “Comparing systems”",
        example="-m coverage --form abstract",
    ),
)
