"""Pictures of what people judged, as Over and Liggett 2002 show it: coverage, length adjustment, unmarked units."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.judged.unit_coverage import ALL
from adjudge.analyses.panels import (
    check_size,
    common_words,
    in_panels,
    panel_names,
    source_scale,
    sources_in,
)
from adjudge.core.errors import DataError
from adjudge.core.picture import (
    HEAT,
    HEAT_INK_HIGH,
    HEAT_INK_LOW,
    INK,
    MARK,
    PAPER,
    PLAIN,
    SERIES,
    SOFT,
    Figure,
    figure_of,
    in_order,
)
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.gathered import Part
    from adjudge.analyses.judged.adjustment import LengthAdjustment
    from adjudge.analyses.judged.unit_coverage import CoverageSpread, CoveredUnits, PageSpread, UnitCoverage
    from adjudge.analyses.judged.unmarked import UnmarkedTables
    from adjudge.analyses.scores import Scores

HOW = "adjudge judgments import brings judgments in, adjudge serve collects them"
WHOLE = "indexof(datum.value, 'all ') == 0"
"""That a label is that of a source as a whole."""
STEP = 22
"""Pixels of a line."""
NARROW = 0.06
"""A share whose number does not fit into its piece of a bar."""


# Units by completeness


def unit_coverage(result: UnitCoverage) -> Figure:
    """Every source's model units by completeness, as pieces of a bar."""
    import altair as alt

    rows = [row for row in result.rows if row.n]
    if not rows:
        raise DataError(f"{result.headline()} {HOW}")
    parts = list(dict.fromkeys(row.part for row in rows))
    names = panel_names(parts)
    check_size(len(parts), len(rows))
    data = pd.DataFrame([piece for row in rows for piece in _pieces(result, row, names[row.part])])

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        scales = {part[0] for part in parts}  # every protocol has a scale of its own
        return in_panels(base, list(names.values()), panel, colours_apart=len(scales) > 1)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        pieces = data[data["panel"] == name]
        scale = pieces.drop_duplicates("step")
        y = alt.Y("source:N", sort=in_order(pieces["source"]), title=None)
        colour = alt.Color(
            "label:N",
            title="completeness of a model unit",
            legend=alt.Legend(columns=len(HEAT)),
            sort=in_order(scale["label"]),
            scale=alt.Scale(
                domain=in_order(scale["label"]), range=[HEAT[step] for step in scale["step"].tolist()]
            ),
        )
        bars = base.mark_bar(stroke=PAPER, strokeWidth=1).encode(
            x=alt.X(
                "from:Q",
                title="share of model units",
                axis=alt.Axis(format=".0%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            x2="to:Q",
            y=y,
            color=colour,
        )
        shown = base.transform_filter("datum.named")
        words = [
            shown.transform_filter(f"datum.step {test}")
            .mark_text(color=ink, fontWeight="bold")
            .encode(x="middle:Q", y=y, text=alt.Text("share:Q", format=".0%"))
            for test, ink in (("< 5", HEAT_INK_LOW), (">= 5", HEAT_INK_HIGH))
        ]
        return alt.layer(bars, *words, height=alt.Step(STEP + 8))

    sources = [row for row in rows if row.source != ALL]
    n, none, full = _ends(sources)
    own_n, own_none, own_full = _ends([row for row in sources if row.source == "humans"])
    beside = (
        f" (of summaries by people, {own_none / own_n:.0%} and {own_full / own_n:.0%})"
        if 0 < own_n < n
        else ""
    )
    return figure_of(
        "unit-coverage",
        f"How completely model units are covered{common_words(parts)}",
        f"Of {counted(n, 'judged model unit')}, {none / n:.0%} have no coverage and {full / n:.0%} are covered"
        f" completely{beside}. A bar holds all units of a source's pages; its pieces are the answers, from nothing"
        " on the left to everything on the right.",
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _ends(rows: Sequence[CoveredUnits]) -> tuple[int, int, int]:
    """All units, those with no coverage, those with full coverage."""
    none, full = (sum(row.counts[end(row.counts)] for row in rows) for end in (min, max))
    return sum(row.n for row in rows), none, full


def _pieces(result: UnitCoverage, row: CoveredUnits, panel: str) -> list[dict[str, Any]]:
    """A bar's pieces, side by side. Those of no and of full coverage have their numbers, where there is room."""
    scale = result.scale(row.part[0])
    pieces, at = [], 0.0
    for number, choice in enumerate(scale):
        share = row.share(float(choice.value))
        end = number in (0, len(scale) - 1)
        pieces.append(
            {
                "panel": panel,
                "source": row.source,
                "completeness": float(choice.value),
                "label": choice.label,
                "units": row.counts[float(choice.value)],
                "share": share,
                "from": at,
                "middle": at + share / 2,
                "to": at + share,
                "step": _step(number, len(scale)),
                "named": end and share >= NARROW,
            }
        )
        at += share
    return pieces


def _step(number: int, of: int) -> int:
    """Which shade an answer has; the lightest is hard to see on paper, and left out where there are others enough."""
    first = 1 if of < len(HEAT) else 0
    return first + round(number * (len(HEAT) - 1 - first) / max(1, of - 1))


# Pages by system


def coverage_by_source(result: CoverageSpread) -> Figure:
    """Box plots of the pages' coverage with means: of each source as a whole, and of its systems."""
    import altair as alt

    rows = [row for row in result.rows if row.average.n]
    if not rows:
        raise DataError(f"{result.headline()} {HOW}")
    parts = list(dict.fromkeys(row.part for row in rows))
    names = panel_names(parts)
    check_size(len(parts), len(rows))
    several = Counter((row.part, row.source) for row in rows if row.system is not None)
    shown = [row for row in _by_mean(rows) if row.system is not None or several[row.part, row.source] > 1]
    drawn_rows: list[dict[str, Any]] = []
    for row in shown:
        a, (low, middle, high), (least, far) = row.average, row.quartiles, row.whiskers
        usual = {"panel": names[row.part], "source": row.source, "system": row.name}
        drawn_rows.append(
            usual
            | {
                "what": "box",
                "whole": row.system is None,
                "n": a.n,
                "value": a.mean,
                "low": a.low,
                "high": a.high,
            }
            | {"whisker_low": least, "q1": low, "median": middle, "q3": high, "whisker_high": far}
        )
        drawn_rows += [usual | {"what": "beyond", "value": value} for value in row.beyond]
    data = pd.DataFrame(drawn_rows)
    there = sources_in(data["source"].tolist())
    most = max(row.values[-1] for row in rows)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, list(names.values()), panel)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        y = alt.Y(
            "system:N",
            sort=in_order(data.loc[data["panel"] == name, "system"]),
            title=None,
            axis=alt.Axis(labelFontWeight={"condition": {"test": WHOLE, "value": "bold"}, "value": "normal"}),
        )
        colour = alt.Color("source:N", scale=source_scale(there), legend=None)
        outline = alt.Stroke("source:N", scale=source_scale(there), legend=None)
        boxes = base.transform_filter("datum.what == 'box'")
        x = alt.X(
            "whisker_low:Q", title="coverage of a page", scale=alt.Scale(domain=[0, most or 1], nice=True)
        )
        whiskers = [
            boxes.mark_rule().encode(x=x, x2="q1:Q", y=y, color=colour),
            boxes.mark_rule().encode(x="q3:Q", x2="whisker_high:Q", y=y, color=colour),
        ]
        box = boxes.mark_bar(height=12, fillOpacity=0.35, strokeWidth=1.5).encode(
            x="q1:Q", x2="q3:Q", y=y, color=colour, stroke=outline
        )
        middle = boxes.mark_tick(thickness=2, size=12, color=INK).encode(x="median:Q", y=y)
        mean = boxes.mark_point(shape="diamond", stroke=INK, fill=PAPER, size=50, strokeWidth=1.5).encode(
            x="value:Q", y=y
        )
        beyond = (
            base.transform_filter("datum.what == 'beyond'")
            .mark_point(size=16, filled=False)
            .encode(x="value:Q", y=y, color=colour)
        )
        return alt.layer(*whiskers, box, middle, beyond, mean, height=alt.Step(STEP))

    return figure_of(
        "coverage-by-source",
        f"Coverage by source and system{common_words(parts)}",
        f"{_means_said(rows, names)} A box holds the middle half of the pages, the line in it is the median, the"
        " diamond the mean; whiskers reach the farthest page within one and a half box lengths, points are the"
        " pages beyond.",
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _by_mean(rows: Sequence[PageSpread]) -> list[PageSpread]:
    """Part by part; sources with the greatest mean first, each before its systems, and these likewise."""
    means = {(row.part, row.source): row.average.mean for row in rows if row.system is None}
    order = {part: at for at, part in enumerate(dict.fromkeys(row.part for row in rows))}
    return sorted(
        rows,
        key=lambda row: (
            order[row.part],
            -means[row.part, row.source],
            row.source,
            row.system is not None,
            -row.average.mean,
        ),
    )


def _means_said(rows: Sequence[PageSpread], names: Mapping[Part, str]) -> str:
    """What pages cover on average, of one part."""
    part = rows[0].part
    sources = [row for row in _by_mean(rows) if row.part == part and row.system is None]
    means = [f"{row.average.mean:.2f} for {row.source}" for row in sources]
    name = names[part]
    first = f"{name[:1].upper()}{name[1:]}: mean" if name else "Mean"
    return f"{first} coverage of a page is {listed(means)}."


# Length adjustment


def length_adjustment(result: LengthAdjustment) -> Figure:
    """Each system's coverage and its length-adjusted coverage, joined; at the right the rank before and after."""
    import altair as alt

    if not result.parts:
        raise DataError(f"{result.headline()} {HOW}")
    parts = [part.part for part in result.parts]
    names = panel_names(parts)
    rows = [(names[part.part], s) for part in result.parts for s in part.systems]
    check_size(len(parts), len(rows))
    before, after = "coverage", "length-adjusted coverage"
    data = pd.DataFrame(
        {
            "panel": [name for name, _ in rows],
            "source": [s.source for _, s in rows],
            "system": [s.system for _, s in rows],
            "coverage": [s.coverage for _, s in rows],
            "adjusted": [s.adjusted for _, s in rows],
            "rank": [s.rank for _, s in rows],
            "adjusted_rank": [s.adjusted_rank for _, s in rows],
            "ranks": [
                "" if s.rank is None else f"{s.rank} → {s.adjusted_rank}" if s.moved else f"{s.rank}"
                for _, s in rows
            ],
            "moved": [s.moved for _, s in rows],
        }
    )
    right = float(data[["coverage", "adjusted"]].to_numpy().max())

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, list(names.values()), panel)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        y = alt.Y("system:N", sort=in_order(data.loc[data["panel"] == name, "system"]), title=None)
        x = alt.X("coverage:Q", title="mean over topics", scale=alt.Scale(zero=True, domainMax=right * 1.12))
        scale = alt.Scale(domain=[before, after], range=[PLAIN, SERIES[0]])
        shapes = alt.Scale(domain=[before, after], range=["circle", "diamond"])
        ends = [
            base.mark_point(size=80).encode(
                x=alt.X(f"{column}:Q"),
                y=y,
                color=alt.Color(datum=words, scale=scale, title=None),
                shape=alt.Shape(datum=words, scale=shapes, title=None),
            )
            for column, words in (("coverage", before), ("adjusted", after))
        ]
        line = base.mark_rule(strokeWidth=2, color=HEAT[3]).encode(x=x, x2="adjusted:Q", y=y)
        moved = (
            base.transform_filter("datum.moved")
            .mark_text(align="left", color=MARK, fontWeight="bold")
            .encode(x=alt.value(500), y=y, text="ranks:N")
        )
        stays = (
            base.transform_filter("!datum.moved")
            .mark_text(align="left", color=SOFT)
            .encode(x=alt.value(500), y=y, text="ranks:N")
        )
        return alt.layer(line, *ends, moved, stays, width=480, height=alt.Step(STEP))

    weight = result.measure.weight
    share = "1/3" if math.isclose(weight, 1 / 3) else f"{weight:.3g}"
    rest = "2/3" if math.isclose(weight, 1 / 3) else f"{1 - weight:.3g}"
    return figure_of(
        "length-adjustment",
        f"What length adjustment changes{common_words(parts)}",
        f"{_moves_said(result)} Length-adjusted coverage is {rest} of coverage and {share} of the share of the target"
        f" length that a summary leaves unused; a summary as long as asked, or longer, keeps {rest} of its coverage. At"
        " the right: the rank by coverage, and after the arrow the rank adjusted where it is another.",
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _moves_said(result: LengthAdjustment) -> str:
    systems = [s for part in result.parts for s in part.systems]
    moved = [s for s in systems if s.moved]
    where = f" in {len(result.parts)} panels" if len(result.parts) > 1 else ""
    if not moved:
        return f"No rank of {counted(len(systems), 'system')}{where} changes."
    return f"{len(moved)} of {counted(len(systems), 'rank')}{where} change."


# Unmarked units


def unmarked(result: UnmarkedTables) -> Figure:
    """Each system's unmarked peer units a page: those that are relevant all the same, and those that are not."""
    import altair as alt

    rows = [row for row in result.systems if row.n]
    if not rows:
        raise DataError(f"{result.headline()} {HOW}")
    parts = list(dict.fromkeys(row.part for row in rows))
    names = panel_names(parts)
    check_size(len(parts), len(rows))
    order = {part: at for at, part in enumerate(parts)}
    rows.sort(key=lambda row: (order[row.part], -row.mean_unmarked))
    relevant, other = "relevant to the subject", "not relevant"
    data = pd.DataFrame(
        [
            {
                "panel": names[row.part],
                "source": row.source,
                "system": row.system,
                "kind": kind,
                "pages": row.n,
                "units": units,
                "from": start / row.n,
                "to": (start + units) / row.n,
                "share": row.share,
                "words": "none unmarked" if not row.unmarked else f"{row.share:.0%} relevant",
                "last": kind == other,
            }
            for row in rows
            for kind, start, units in (
                (relevant, 0.0, row.relevant),
                (other, row.relevant, row.unmarked - row.relevant),
            )
        ]
    )
    right = float(data["to"].max())

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, list(names.values()), panel)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        y = alt.Y("system:N", sort=in_order(data.loc[data["panel"] == name, "system"]), title=None)
        x = alt.X(
            "from:Q",
            title="unmarked peer units a page",
            axis=alt.Axis(grid=False),
            scale=alt.Scale(domain=[0, right * 1.2 or 1], nice=False),
        )
        colour = alt.Color(
            "kind:N", title=None, scale=alt.Scale(domain=[relevant, other], range=[SERIES[0], PLAIN])
        )
        bars = base.mark_bar(height=14).encode(x=x, x2="to:Q", y=y, color=colour)
        words = (
            base.transform_filter("datum.last")
            .mark_text(align="left", dx=6, color=SOFT)
            .encode(x="to:Q", y=y, text="words:N")
        )
        return alt.layer(bars, words, height=alt.Step(STEP))

    pages, units = sum(row.n for row in rows), sum(row.unmarked for row in rows)
    good = sum(row.relevant for row in rows)
    relevance = (
        f" Assessors called {good / units:.0%} of them relevant to the reference's subject." if units else ""
    )
    return figure_of(
        "unmarked",
        f"Peer units that match nothing in the reference{common_words(parts)}",
        f"On {counted(pages, 'page')} assessors left {counted(units, 'peer unit')} unmarked, {units / pages:.1f} a"
        f" page.{relevance} A bar is a system's mean; the part of it that was called relevant comes first.",
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


# The catalogue

OVER_LIGGETT = "Over and Liggett 2002"


def _length(options: FigureOptions) -> int | None:
    """One length, where one is asked for; else every length has a panel of its own."""
    return options.length if isinstance(options.length, int) else None


def _coverage_by_source(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.unit_coverage import coverage_spread

    return coverage_spread(scores, length=_length(options), form=options.form).figure()


def _unit_coverage(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.unit_coverage import unit_coverage

    return unit_coverage(scores, length=_length(options), form=options.form).figure()


def _quality(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.quality_answers import quality_answers

    return quality_answers(scores, length=_length(options), form=options.form).figure()


def _length_adjustment(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.adjustment import length_adjustment

    return length_adjustment(scores, options.measure, length=_length(options), form=options.form).figure()


def _unmarked(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.unmarked import unmarked_units

    return unmarked_units(scores, length=_length(options), form=options.form).figure()


SPECS = (
    FigureSpec(
        "coverage-by-source",
        "Box plots of the pages' coverage, by source and system.",
        _coverage_by_source,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "unit-coverage",
        "How completely model units are covered, by source: the share with nothing, and with everything.",
        _unit_coverage,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "quality",
        "What was answered to each question on quality, by source.",
        _quality,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "length-adjustment",
        "Coverage beside length-adjusted coverage, and the ranks that change.",
        _length_adjustment,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "unmarked",
        "Peer units that match nothing in the reference, and how many of them are relevant.",
        _unmarked,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
)
