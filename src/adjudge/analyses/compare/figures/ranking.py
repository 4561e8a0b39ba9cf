"""Pictures of a ranking: means with intervals and letters; mean ranks with Nemenyi's critical difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.compare.pairs import MISSING_SCORES
from adjudge.analyses.drawing import KIND_SHAPES, few_enough, labels, step, text_size
from adjudge.core.errors import DataError
from adjudge.core.picture import ACCENT, INK, MARK, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.groups.result import Groupings

MOST_SYSTEMS = 200
MOST_RANKED = 60
"""Systems that a critical-difference diagram takes."""


# Means


def league(comparison: Comparison) -> Figure:
    """Every system's mean with its interval, the best first, and the letters of those that do not differ."""
    import altair as alt

    standings, kinds, matrix = comparison.standings, comparison.kinds, comparison.matrix
    few_enough(len(standings), MOST_SYSTEMS, "systems", "`adjudge compare` has them as a table")
    called = labels(s.system for s in standings)
    moved = comparison.is_adjusted
    # Where cells are missing the interval is of the plain mean, unless assessors are a sample.
    apart = moved and not comparison.sampled
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
    said = [comparison.headline()]
    bare = [s.system for s in comparison.standings if s.low != s.low]
    level = f"{comparison.level:.0%}"
    if len(bare) < len(comparison.standings):
        if comparison.sampled and comparison.interval == "deviation-t":
            said.append(f"Lines are {level} intervals of a system's distance from the average system.")
        elif apart:
            said.append(
                f"Points are means adjusted for topics; the tick is the mean of a system's own topics, and the line its"
                f" {level} interval."
            )
        else:
            said.append(f"Lines are {level} intervals of the means.")
    if comparison.complete and len(comparison.standings) > 1:
        said.append("Systems that share a letter are not shown to differ.")
    if bare:
        said.append(f"No interval for {listed(bare)}.")
    return " ".join(said)


# Mean ranks


def critical_difference(groupings: Groupings) -> Figure:
    """Mean ranks within topics on one axis; a bar joins systems that Nemenyi's test does not tell apart."""
    import altair as alt

    diagram = groupings.diagram
    few_enough(len(diagram.order), MOST_RANKED, "systems", "`adjudge groups` has letters for them as a table")
    if len(diagram.order) < 2:
        raise DataError(
            f"{groupings.matrix.measure}: mean ranks need two systems on topics that join them; there"
            f" {'is one' if diagram.order else 'are none'}"
        )
    layout = _Layout.of(groupings)
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
            if groupings.matrix.info.better
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
            .encode(x=x, x2=alt.value(_WIDTH + 18), y=y),
            systems.transform_filter("datum.side == 'left'")
            .mark_text(align="right", fontSize=text, limit=210)
            .encode(x=alt.value(-24), y=y, text="label:N"),
            systems.transform_filter("datum.side == 'right'")
            .mark_text(align="left", fontSize=text, limit=210)
            .encode(x=alt.value(_WIDTH + 24), y=y, text="label:N"),
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
        return alt.layer(*layers, width=_WIDTH, height=line * layout.depth)

    return figure_of(
        "critical-difference",
        f"Mean ranks, {groupings.title}",
        _diagram_words(groupings, drawn=layout.cd_drawn),
        data,
        drawing,
        notes=(groupings.diagram_words(), *groupings.notes),
        signature=groupings.diagram.test.signature,
    )


_WIDTH = 480
GAP = 0.45
"""Lines of text between two bars."""


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
    def of(cls, groupings: Groupings) -> _Layout:
        diagram = groupings.diagram
        names = labels((groupings.matrix.systems[k] for k in diagram.order), groupings.kinds)
        ranks = [float(diagram.ranks[k]) for k in diagram.order]
        found, top = cls(ranks), 0.9
        if found.low + diagram.cd <= found.high:
            found.cd_drawn = True
            found._add(
                "critical difference", f"CD {diagram.cd:.2f}", float(found.low), found.low + diagram.cd, top
            )
            top += 1.0
        bars = [(ranks[line[0]], ranks[line[-1]]) for line in diagram.lines.lines]
        levels: list[float] = []
        deepest = top
        for start, stop in bars:
            at = next(
                (k for k, end in enumerate(levels) if end < start - 0.03 * (found.high - found.low)),
                len(levels),
            )
            levels[at:] = [stop] if at == len(levels) else [stop, *levels[at + 1 :]]
            found._add("alike", "", start, stop, top + GAP * at)
            deepest = max(deepest, top + GAP * at)
        first = deepest + 1.0
        left = (len(ranks) + 1) // 2
        for k, (system, rank) in enumerate(zip(names, ranks, strict=True)):
            on_left = k < left
            y = first + (k if on_left else len(ranks) - 1 - k)
            label = f"{names[system]}  {rank:.2f}" if on_left else f"{rank:.2f}  {names[system]}"
            found._add("system", label, rank, math.nan, y, system=system, side="left" if on_left else "right")
        found.depth = max(row["y"] for row in found.rows) + 0.8
        return found

    def ticks(self) -> list[int]:
        """Whole ranks, not too many, both ends among them."""
        each = max(1, math.ceil((self.high - self.low) / 12))
        return sorted({*range(self.low, self.high - each + 1, each), self.high})

    def _add(
        self, part: str, label: str, rank: float, end: float, y: float, *, system: str = "", side: str = ""
    ) -> None:
        self.rows.append(
            {"part": part, "system": system, "rank": rank, "end": end, "label": label, "side": side, "y": y}
        )


def _diagram_words(groupings: Groupings, *, drawn: bool) -> str:
    diagram = groupings.diagram
    names = [groupings.matrix.systems[k] for k in diagram.order]
    alike = len(diagram.lines.lines)
    said = [
        f"Mean ranks of {counted(len(names), 'system')} within {counted(len(groupings.matrix.topics), 'topic')}."
    ]
    bars = "a bar joins" if alike else "no bar joins any"
    said.append(
        f"By Nemenyi's test at alpha {1 - diagram.level:.2g} {bars} systems that are not significantly different."
    )
    if math.isfinite(diagram.cd):
        exact = " on average over the pairs" if _holes(groupings) else ""
        reach = "" if drawn else ", more than the axis is long,"
        said.append(f"Ranks have to differ by {diagram.cd:.2f}{exact}{reach} (CD).")
    else:
        said.append("There is no critical difference: too few topics.")
    if (warning := diagram.lines.warning()) is not None:
        said.append(f"{warning[0].upper()}{warning[1:]}.")
    return " ".join(said)


def _holes(groupings: Groupings) -> bool:
    return bool((groupings.matrix.values != groupings.matrix.values).any())
