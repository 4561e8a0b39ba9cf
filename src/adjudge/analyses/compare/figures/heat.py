"""Scores of every system on every topic as a map of coloured cells. Rankel et al. 2011, figures 2 to 5."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

import pandas as pd

from adjudge.analyses.compare.pairs import MISSING_SCORES
from adjudge.analyses.drawing import CROSS, few_enough, form_of, labels, step, text_size
from adjudge.core.errors import UsageError, quoted
from adjudge.core.picture import (
    GRID,
    HEAT,
    HEAT_INK_HIGH,
    HEAT_INK_LOW,
    PAPER,
    SOFT,
    Figure,
    figure_of,
    heat_step,
    in_order,
)
from adjudge.core.words import counted, decimal

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.compare.pairs import Comparison

Order = Literal["rank", "given"]
MOST_SYSTEMS, MOST_TOPICS = 200, 500
NUMBERED = (16, 40)
"""Systems and topics up to which cells have their numbers."""
MISSING = "no score"


def heat(comparison: Comparison, *, order: Order | None = None) -> Figure:
    """Topics x systems in seven steps, the stronger the better; humans stand apart, and missing cells are crossed.

    By rank, with the easiest topic first, or in the order of the data.
    """
    import altair as alt

    chosen: Order = order or "rank"
    if chosen not in get_args(Order):
        raise UsageError(f"the order is {quoted(chosen)}, expected rank or given")
    matrix, better = comparison.matrix, comparison.matrix.info.better
    few_enough(len(matrix.systems), MOST_SYSTEMS, "systems", "leave some out of the scores")
    few_enough(len(matrix.topics), MOST_TOPICS, "topics", "leave some out of the scores")
    topics, systems = list(comparison.topics_by_difficulty), [s.system for s in comparison.standings]
    if chosen == "given":
        topics = [t for t in comparison.given_topics or matrix.topics if t in matrix.topics]
        systems = [s for s in comparison.given_systems or sorted(matrix.systems) if s in matrix.systems]
    kinds = comparison.kinds
    people = [s for s in systems if kinds.get(s) == "human"]
    others = [s for s in systems if kinds.get(s) != "human"]
    baselines = any(kinds.get(s) == "baseline" for s in others)
    machines = any(kinds.get(s, "machine") == "machine" for s in others)
    sort = "machines and baselines" if baselines and machines else "baselines" if baselines else "machines"
    # The heading of their own says of humans what they are.
    called = labels([*others, *people], {s: k for s, k in kinds.items() if k == "baseline" and machines})
    rows_called = labels(topics)
    values = matrix.to_frame()
    scores = [v for v in matrix.values.ravel().tolist() if math.isfinite(v)]
    low, high = min(scores), max(scores)
    ranges = _ranges(low, high, lower=better == "lower")
    why = {(topic, system): reason for topic, system, reason in matrix.missing}
    rows = []
    for system in [*others, *people]:
        for topic in topics:
            value = float(values.at[topic, system])
            at = None if math.isnan(value) else heat_step(value, low, high, reverse=better == "lower")
            rows.append(
                {
                    "topic": rows_called[topic],
                    "system": called[system],
                    "kind": kinds.get(system, "machine"),
                    "part": "humans" if system in people else sort,
                    "value": value,
                    "step": math.nan if at is None else at,
                    "range": MISSING if at is None else ranges[at],
                    "why": why.get((topic, system), "no score") if at is None else "",
                }
            )
    data = pd.DataFrame(rows)
    numbered = len(systems) <= NUMBERED[0] and len(topics) <= NUMBERED[1]
    missing = int(data["value"].isna().sum())
    form = form_of(scores)
    wide = 46 if numbered else step(len(systems), 780, 5, 28)
    high_row = 24 if numbered else step(len(topics), 1200, 4, 20)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X(
            "system:N",
            sort=in_order(called.values()),
            title=None,
            axis=alt.Axis(
                labelAngle=-90,
                labelFontSize=text_size(wide),
                labelOverlap="greedy" if wide < 9 else False,
                labelLimit=220,
            ),
        )
        y = alt.Y(
            "topic:N",
            sort=in_order(rows_called.values()),
            title=None,
            axis=alt.Axis(
                labelFontSize=text_size(high_row), labelOverlap="greedy" if high_row < 9 else False
            ),
        )
        shades = alt.Color(
            "range:N",
            title=f"{matrix.heading} (stronger is {'better' if better else 'higher'})",
            sort=list(ranges.values()),
            scale=alt.Scale(domain=list(ranges.values()), range=[HEAT[k] for k in ranges]),
            legend=alt.Legend(
                columns=4, symbolType="square", symbolStrokeColor=GRID, symbolStrokeWidth=1, titleLimit=500
            ),
        )
        thin = min(wide, high_row) < 9
        cells = (
            base.transform_filter("isValid(datum.value)")
            .mark_rect(strokeWidth=0 if thin else 1, stroke=PAPER)
            .encode(x=x, y=y, color=shades)
        )
        layers = [cells]
        if missing:
            layers.append(
                base.transform_filter("!isValid(datum.value)")
                .mark_point(
                    filled=False, color=SOFT, strokeWidth=1, size=min(60.0, (0.5 * min(wide, high_row)) ** 2)
                )
                .encode(
                    x=x,
                    y=y,
                    shape=alt.Shape(
                        "range:N",
                        title="missing",
                        scale=alt.Scale(domain=[MISSING], range=[CROSS]),
                        legend=alt.Legend(symbolSize=60, symbolStrokeColor=SOFT, symbolStrokeWidth=1),
                    ),
                )
            )
        if numbered:
            layers.append(
                base.transform_filter("isValid(datum.value)")
                .mark_text(fontSize=11)
                .encode(
                    x=x,
                    y=y,
                    text=alt.Text("value:Q", format=form),
                    color=alt.condition("datum.step >= 5", alt.value(HEAT_INK_HIGH), alt.value(HEAT_INK_LOW)),
                )
            )
        drawn = alt.layer(*layers, width=alt.Step(wide), height=alt.Step(high_row))
        if not people or not others:
            return drawn
        parted: alt.TopLevelMixin = drawn.facet(
            column=alt.Column(
                "part:N",
                sort=[sort, "humans"],
                title=None,
                header=alt.Header(labelFontSize=12, labelLimit=300),
            ),
            spacing=14,
        ).resolve_scale(x="independent")
        return parted

    return figure_of(
        "heat",
        f"{matrix.heading}: topics by systems",
        _words(comparison, chosen, missing, people=bool(people and others), all_people=not others),
        data,
        drawing,
        notes=tuple(comparison.notes_of(MISSING_SCORES)),
        signature=matrix.signature,
    )


def _ranges(low: float, high: float, *, lower: bool) -> dict[int, str]:
    """By step, from the weakest to the strongest: the values that it stands for."""
    if not high > low:
        return {len(HEAT) // 2: decimal(low, form_of([low]))}
    ends = [low + (high - low) * k / len(HEAT) for k in range(len(HEAT) + 1)]
    form = form_of(ends, steps=70)
    texts = [decimal(end, form) for end in ends]
    steps = [f"{texts[k]} to {texts[k + 1]}" for k in range(len(HEAT))]
    return dict(enumerate(reversed(steps) if lower else steps))


def _words(comparison: Comparison, order: Order, missing: int, *, people: bool, all_people: bool) -> str:
    matrix = comparison.matrix
    better = matrix.info.better
    sides = ("best", "worst") if better else ("highest", "lowest")
    ends = ("easiest", "hardest") if better else ("highest", "lowest")
    cells = len(matrix.topics) * len(matrix.systems)
    high = "lower the score, which is better here, " if better == "lower" else "higher the score"
    sentences = [f"The stronger a cell's colour, the {high} of the column's system on the row's topic."]
    if order == "rank":
        sentences.append(
            f"Systems from the {sides[0]} mean to the {sides[1]}, topics from the {ends[0]}, at the top, to the"
            f" {ends[1]}."
        )
    else:
        sentences.append("Systems and topics stand as the data has them.")
    if people:
        sentences.append("Humans stand apart.")
    elif all_people:
        sentences.append("All systems are human.")
    if missing:
        sentences.append(
            f"{missing:,} of {counted(cells, 'score')} {'is' if missing == 1 else 'are'} missing and crossed."
        )
    return " ".join(sentences)
