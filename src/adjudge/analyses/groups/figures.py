"""Mean ranks within topics with Nemenyi's critical difference. Demsar 2006, figure 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.drawing import few_enough, labels
from adjudge.analyses.groups import groups
from adjudge.analyses.groups.words import about_diagram
from adjudge.core.errors import DataError
from adjudge.core.picture import INK, MARK, SOFT, Figure, figure_of
from adjudge.core.words import capitalised, counted

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.groups.result import GroupsResult
    from adjudge.analyses.scores import Scores

MOST_RANKED = 60
"""Systems that a diagram takes."""
WIDTH = 480
GAP = 0.45
"""Lines of text between two bars."""


def critical_difference(result: GroupsResult) -> Figure:
    """Mean ranks within topics on one axis; a bar joins systems that Nemenyi's test does not tell apart."""
    import altair as alt
    import pandas as pd

    diagram = result.diagram
    few_enough(len(diagram.order), MOST_RANKED, "systems", "`adjudge groups` has letters for them as a table")
    if len(diagram.order) < 2:
        raise DataError(
            f"{result.matrix.measure}: mean ranks need two systems on topics that join them; there"
            f" {'is one' if diagram.order else 'are none'}"
        )
    layout = _Layout.of(result)
    data = pd.DataFrame(layout.rows)
    last = len(diagram.order)
    text = min(12.0, max(9.0, 400 / max(1, last // 2)))
    line = text + 5

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        rank = alt.Scale(domain=[layout.low, layout.high], nice=False, zero=False)
        x = alt.X(
            "rank:Q",
            scale=rank,
            title="mean rank within topics (1 is the best)"
            if result.matrix.info.better
            else "mean rank (1 is the highest)",
            axis=alt.Axis(
                orient="top",
                grid=False,
                domainColor=SOFT,
                tickColor=SOFT,
                format="d",
                labelOverlap=False,
                values=layout.ticks(),
            ),
        )
        y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, layout.depth], reverse=True, nice=False))
        systems = base.transform_filter("datum.part == 'system'")
        # Left of the axis and right of it: the elbows end where names begin.
        layers = [
            systems.mark_rule(color=SOFT, strokeWidth=1).encode(x=x, y=y, y2=alt.datum(0)),
            systems.transform_filter("datum.side == 'left'")
            .mark_rule(color=SOFT, strokeWidth=1)
            .encode(x=x, x2=alt.value(-18), y=y),
            systems.transform_filter("datum.side == 'right'")
            .mark_rule(color=SOFT, strokeWidth=1)
            .encode(x=x, x2=alt.value(WIDTH + 18), y=y),
            systems.transform_filter("datum.side == 'left'")
            .mark_text(align="right", fontSize=text, limit=210)
            .encode(x=alt.value(-24), y=y, text="label:N"),
            systems.transform_filter("datum.side == 'right'")
            .mark_text(align="left", fontSize=text, limit=210)
            .encode(x=alt.value(WIDTH + 24), y=y, text="label:N"),
            base.transform_filter("datum.part == 'alike'")
            .mark_rule(color=INK, strokeWidth=4, strokeCap="round")
            .encode(x=x, x2="end:Q", y=y),
        ]
        if layout.cd_drawn:
            cd = base.transform_filter("datum.part == 'critical difference'")
            layers += [
                cd.mark_rule(color=MARK, strokeWidth=2).encode(x=x, x2="end:Q", y=y),
                cd.mark_tick(color=MARK, orient="vertical", thickness=2, size=9).encode(x=x, y=y),
                cd.mark_tick(color=MARK, orient="vertical", thickness=2, size=9).encode(x="end:Q", y=y),
                # Left of the axis, where no line runs through it.
                cd.mark_text(align="right", dx=-8, color=MARK).encode(x=x, y=y, text="label:N"),
            ]
        return alt.layer(*layers, width=WIDTH, height=line * layout.depth)

    return figure_of(
        "critical-difference",
        f"Mean ranks, {result.title}",
        _diagram_words(result, drawn=layout.cd_drawn),
        data,
        drawing,
        notes=(about_diagram(result), *result.warnings()),
        signature=result.diagram.test.signature,
    )


class _Layout:
    """Where everything stands: x from one whole rank to another, y in lines of text below the axis."""

    def __init__(self, ranks: Sequence[float]) -> None:
        self.rows: list[dict[str, Any]] = []
        self.low, self.high = math.floor(min(ranks)), math.ceil(max(ranks))
        if self.high == self.low:
            self.low, self.high = self.low - 1, self.high + 1
        self.depth = 0.0
        self.cd_drawn = False

    @classmethod
    def of(cls, result: GroupsResult) -> _Layout:
        diagram = result.diagram
        names = labels((result.matrix.systems[k] for k in diagram.order), result.kinds)
        ranks = [float(diagram.ranks[k]) for k in diagram.order]
        layout, top = cls(ranks), 0.9
        if layout.low + diagram.cd <= layout.high:
            layout.cd_drawn = True
            layout._add(
                "critical difference", f"CD {diagram.cd:.2f}", float(layout.low), layout.low + diagram.cd, top
            )
            top += 1.0
        bars = [(ranks[line[0]], ranks[line[-1]]) for line in diagram.lines.lines]
        levels: list[float] = []
        deepest = top
        for start, stop in bars:
            at = next(
                (k for k, end in enumerate(levels) if end < start - 0.03 * (layout.high - layout.low)),
                len(levels),
            )
            levels[at:] = [stop] if at == len(levels) else [stop, *levels[at + 1 :]]
            layout._add("alike", "", start, stop, top + GAP * at)
            deepest = max(deepest, top + GAP * at)
        first = deepest + 1.0
        left = (len(ranks) + 1) // 2
        for k, (system, rank) in enumerate(zip(names, ranks, strict=True)):
            on_left = k < left
            y = first + (k if on_left else len(ranks) - 1 - k)
            label = f"{names[system]}  {rank:.2f}" if on_left else f"{rank:.2f}  {names[system]}"
            layout._add(
                "system", label, rank, math.nan, y, system=system, side="left" if on_left else "right"
            )
        layout.depth = max(row["y"] for row in layout.rows) + 0.8
        return layout

    def ticks(self) -> list[int]:
        """Whole ranks, not too many, both ends among them."""
        step = max(1, math.ceil((self.high - self.low) / 12))
        return sorted({*range(self.low, self.high - step + 1, step), self.high})

    def _add(
        self, part: str, label: str, rank: float, end: float, y: float, *, system: str = "", side: str = ""
    ) -> None:
        self.rows.append(
            {"part": part, "system": system, "rank": rank, "end": end, "label": label, "side": side, "y": y}
        )


def _diagram_words(result: GroupsResult, *, drawn: bool) -> str:
    diagram = result.diagram
    names = [result.matrix.systems[k] for k in diagram.order]
    alike = len(diagram.lines.lines)
    sentences = [
        f"Mean ranks of {counted(len(names), 'system')} within {counted(len(result.matrix.topics), 'topic')}."
    ]
    bars = "a bar joins" if alike else "no bar joins any"
    sentences.append(
        f"By Nemenyi's test at alpha {1 - diagram.level:.2g} {bars} systems that are not significantly different."
    )
    if math.isfinite(diagram.cd):
        missing = bool((result.matrix.values != result.matrix.values).any())
        exact = " on average over the pairs" if missing else ""
        reach = "" if drawn else ", more than the axis is long,"
        sentences.append(f"Ranks have to differ by {diagram.cd:.2f}{exact}{reach} (CD).")
    else:
        sentences.append("There is no critical difference: too few topics.")
    if (warning := diagram.lines.warning()) is not None:
        sentences.append(f"{capitalised(warning)}.")
    return " ".join(sentences)


def _critical_difference(scores: Scores, options: FigureOptions) -> Figure:
    return groups(
        scores, options.measure, length=options.length, form=options.form, seed=options.seed
    ).figure("critical-difference")


SPECS = (
    FigureSpec(
        "critical-difference",
        "Mean ranks within topics, with bars that join systems which Nemenyi's test does not tell apart.",
        _critical_difference,
        after="Demsar 2006, figure 1",
        example="-m rouge-2 --length 100",
    ),
)
