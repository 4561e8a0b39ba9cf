"""A picture of a ranking: means with intervals and letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from adjudge.analyses.compare.pairs import MISSING_SCORES
from adjudge.analyses.drawing import KIND_SHAPES, few_enough, labels, step, text_size
from adjudge.core.picture import ACCENT, INK, MARK, Figure, figure_of, in_order
from adjudge.core.words import listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.compare.pairs import Comparison

MOST_SYSTEMS = 200


def league(comparison: Comparison) -> Figure:
    """Every system's mean with its interval, the best first, and the letters of those that do not differ."""
    import altair as alt

    standings, kinds, matrix = comparison.standings, comparison.kinds, comparison.matrix
    few_enough(len(standings), MOST_SYSTEMS, "systems", "`adjudge compare` has them as a table")
    called = labels(s.system for s in standings)
    moved = comparison.is_adjusted
    # Where cells are missing the interval is of the plain mean, unless assessors are in the model.
    apart = moved and not comparison.modelled
    data = pd.DataFrame(
        {
            "system": [called[s.system] for s in standings],
            "kind": [kinds.get(s.system, "machine") for s in standings],
            "rank": [s.rank for s in standings],
            "topics": [s.n for s in standings],
            "mean": [s.adjusted for s in standings],
            "unadjusted": [s.mean for s in standings],
            "low": [s.low for s in standings],
            "high": [s.high for s in standings],
            "group": [s.group for s in standings],
        }
    )
    if not moved:
        data = data.drop(columns="unadjusted")
    there = [kind for kind in KIND_SHAPES if kind in set(data["kind"])]
    pixels = step(len(standings), 1200, 10, 24)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y(
            "system:N",
            sort=in_order(called.values()),
            title=None,
            axis=alt.Axis(labelFontSize=text_size(pixels), grid=True, gridDash=[1, 3], ticks=False),
        )
        x = alt.X(
            "mean:Q",
            title=f"{'adjusted ' if moved else ''}mean of {matrix.heading} ({matrix.info.direction})",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(titleLimit=560),
        )
        layers = [
            base.transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=2, color=ACCENT)
            .encode(x=alt.X("low:Q", scale=alt.Scale(zero=False)), x2="high:Q", y=y)
        ]
        if apart:
            layers.append(
                base.mark_tick(color=MARK, thickness=2, size=pixels * 0.6).encode(x="unadjusted:Q", y=y)
            )
        shape = alt.Shape(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=there, range=[KIND_SHAPES[kind] for kind in there]),
            legend=alt.Legend() if len(there) > 1 else None,
        )
        layers.append(base.mark_point(size=min(70, 5 * pixels), color=INK).encode(x=x, y=y, shape=shape))
        if comparison.complete and len(standings) > 1:
            layers.append(
                base.mark_text(align="left", dx=10, fontSize=text_size(pixels)).encode(
                    x=alt.value("width"), y=y, text="group:N"
                )
            )
        return alt.layer(*layers, height=alt.Step(pixels))

    return figure_of(
        "league",
        f"Systems by mean, {comparison.title}",
        _league_words(comparison, apart=apart),
        data,
        drawing,
        notes=tuple(comparison.warnings(without=(MISSING_SCORES,))),
        signature=comparison.signature,
    )


def _league_words(comparison: Comparison, *, apart: bool) -> str:
    sentences = [comparison.headline()]
    bare = [s.system for s in comparison.standings if s.low != s.low]
    level = f"{comparison.level:.0%}"
    if len(bare) < len(comparison.standings):
        if comparison.interval == "deviation-t":
            sentences.append(f"Lines are {level} intervals of a system's distance from the average system.")
        elif apart:
            sentences.append(
                f"Points are means adjusted for topics; the tick is the mean of a system's own topics, and the line its"
                f" {level} interval."
            )
        else:
            sentences.append(f"Lines are {level} intervals of the means.")
    if comparison.complete and len(comparison.standings) > 1:
        sentences.append("Systems that share a letter are not shown to differ.")
    if bare:
        sentences.append(f"No interval for {listed(bare)}.")
    return " ".join(sentences)
