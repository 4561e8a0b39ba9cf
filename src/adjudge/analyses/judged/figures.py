"""Pictures of what people judged, as Over and Liggett 2002 show it: coverage, length adjustment, unmarked units."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.drawing import once
from adjudge.analyses.gathered import SOURCES
from adjudge.analyses.judged import adjustment
from adjudge.analyses.judged import unit_coverage as units
from adjudge.analyses.judged.quality_answers import quality_answers
from adjudge.analyses.judged.unmarked import unmarked_units
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
    from adjudge.analyses.judged.parts import JudgedResult
    from adjudge.analyses.judged.unit_coverage import CoverageSpread, CoveredUnits, PageSpread, UnitCoverage
    from adjudge.analyses.judged.unmarked import UnmarkedTables
    from adjudge.analyses.scores import Scores
    from adjudge.core.results import Result

HOW = "adjudge judgments import brings judgments in, adjudge serve collects them"
WHOLE = "indexof(datum.value, 'all ') == 0"
"""That a label is that of a source as a whole."""
STEP = 22
"""Pixels of a line."""
NARROW = 0.06
"""A share whose number does not fit into its piece of a bar."""


def _panels(result: JudgedResult, parts: Sequence[Part]) -> dict[Part, str]:
    """The names of panels by part, of lines that are of these parts."""
    if not parts:
        raise DataError(f"{result.headline()} {HOW}")
    distinct = list(dict.fromkeys(parts))
    check_size(len(distinct), len(parts))
    return panel_names(distinct)


def _figure(
    result: JudgedResult,
    name: str,
    title: str,
    words: str,
    data: pd.DataFrame,
    names: Mapping[Part, str],
    panel: Callable[[alt.Chart, str], Any],
    *,
    colours_apart: bool = False,
) -> Figure:
    return figure_of(
        name,
        f"{title}{common_words(list(names))}",
        words,
        data,
        lambda base: in_panels(base, list(names.values()), panel, colours_apart=colours_apart),
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


# Units by completeness


def unit_coverage(result: UnitCoverage) -> Figure:
    """Every source's model units by completeness, as pieces of a bar."""
    import altair as alt

    rows = [row for row in result.rows if row.n]
    names = _panels(result, [row.part for row in rows])
    data = pd.DataFrame([piece for row in rows for piece in _pieces(result, row, names[row.part])])

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        pieces = data[data["panel"] == name]
        scale = pieces.drop_duplicates("step")
        y = alt.Y("source:N", sort=in_order(pieces["source"]), title=None)
        labels, shades = in_order(scale["label"]), [HEAT[step] for step in scale["step"].tolist()]
        colour = alt.Color(
            "label:N",
            title="completeness of a model unit",
            legend=alt.Legend(columns=len(HEAT)),
            sort=labels,
            scale=alt.Scale(domain=labels, range=shades),
        )
        share, whole = alt.Axis(format=".0%"), alt.Scale(domain=[0, 1])
        x = alt.X("from:Q", title="share of model units", axis=share, scale=whole)
        bars = base.mark_bar(stroke=PAPER, strokeWidth=1).encode(x=x, x2="to:Q", y=y, color=colour)
        shown = base.transform_filter("datum.named")
        words = [
            shown.transform_filter(f"datum.step {test}")
            .mark_text(color=ink, fontWeight="bold")
            .encode(x="middle:Q", y=y, text=alt.Text("share:Q", format=".0%"))
            for test, ink in (("< 5", HEAT_INK_LOW), (">= 5", HEAT_INK_HIGH))
        ]
        return alt.layer(bars, *words, height=alt.Step(STEP + 8))

    def ends(*sources: str) -> tuple[int, float, float]:
        """All units, and the shares with no and with full coverage."""
        some = [row for row in rows if row.source in sources]
        n = sum(row.n for row in some)
        none, full = (sum(row.counts[end(row.counts)] for row in some) for end in (min, max))
        return n, none / max(n, 1), full / max(n, 1)

    n, none, full = ends(*SOURCES.values())
    people, people_none, people_full = ends("humans")
    beside = ""
    if 0 < people < n:
        beside = f" (of summaries by people, {people_none:.0%} and {people_full:.0%})"
    return _figure(
        result,
        "unit-coverage",
        "How completely model units are covered",
        f"Of {counted(n, 'judged model unit')}, {none:.0%} have no coverage and {full:.0%} are covered"
        f" completely{beside}. A bar holds all units of a source's pages; its pieces are the answers, from nothing"
        " on the left to everything on the right.",
        data,
        names,
        panel,
        colours_apart=len({part[0] for part in names}) > 1,  # every protocol has a scale of its own
    )


def _pieces(result: UnitCoverage, row: CoveredUnits, panel: str) -> list[dict[str, Any]]:
    """A bar's pieces, side by side. Those of no and of full coverage have their numbers, where there is room."""
    scale = result.scale(row.part[0])
    # The lightest shade is hard to see on paper, and left out where there are others enough.
    first, last = 1 if len(scale) < len(HEAT) else 0, len(scale) - 1
    pieces, at = [], 0.0
    for number, choice in enumerate(scale):
        share = row.share(float(choice.value))
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
                "step": first + round(number * (len(HEAT) - 1 - first) / max(1, last)),
                "named": number in (0, last) and share >= NARROW,
            }
        )
        at += share
    return pieces


# Pages by system


def coverage_by_source(result: CoverageSpread) -> Figure:
    """Box plots of the pages' coverage with means: of each source as a whole, and of its systems."""
    import altair as alt

    rows = [row for row in result.rows if row.average.n]
    names = _panels(result, [row.part for row in rows])
    # Part by part; sources with the greatest mean first, each before its systems, and these likewise.
    means = {(row.part, row.source): row.average.mean for row in rows if row.system is None}
    order = {part: at for at, part in enumerate(names)}

    def place(row: PageSpread) -> tuple[Any, ...]:
        source = (order[row.part], -means[row.part, row.source], row.source)
        return (*source, row.system is not None, -row.average.mean)

    rows.sort(key=place)
    several = Counter((row.part, row.source) for row in rows if row.system is not None)
    drawn_rows: list[dict[str, Any]] = []
    for row in rows:
        if row.system is None and several[row.part, row.source] <= 1:
            continue
        a, (low, middle, high), (least, far) = row.average, row.quartiles, row.whiskers
        usual = {"panel": names[row.part], "source": row.source, "system": row.name}
        drawn_rows.append(
            usual
            | {"what": "box", "whole": row.system is None}
            | {"n": a.n, "value": a.mean, "low": a.low, "high": a.high}
            | {"whisker_low": least, "q1": low, "median": middle, "q3": high, "whisker_high": far}
        )
        drawn_rows += [usual | {"what": "beyond", "value": value} for value in row.beyond]
    data = pd.DataFrame(drawn_rows)
    there = sources_in(data["source"].tolist())
    most = max(row.values[-1] for row in rows)

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

    first, name = next(iter(names.items()))
    wholes = [row for row in rows if row.part == first and row.system is None]
    averages = [f"{row.average.mean:.2f} for {row.source}" for row in wholes]
    start = f"{name[:1].upper()}{name[1:]}: mean" if name else "Mean"
    return _figure(
        result,
        "coverage-by-source",
        "Coverage by source and system",
        f"{start} coverage of a page is {listed(averages)}. A box holds the middle half of the pages, the line in it"
        " is the median, the diamond the mean; whiskers reach the farthest page within one and a half box lengths,"
        " points are the pages beyond.",
        data,
        names,
        panel,
    )


# Length adjustment


def length_adjustment(result: LengthAdjustment) -> Figure:
    """Each system's coverage and its length-adjusted coverage, joined; at the right the rank before and after."""
    import altair as alt

    systems = [(part.part, s) for part in result.parts for s in part.systems]
    names = _panels(result, [part for part, _ in systems])
    before, after = "coverage", "length-adjusted coverage"
    plain = ("source", "system", "coverage", "adjusted", "rank", "adjusted_rank")
    data = pd.DataFrame(
        {
            "panel": [names[part] for part, _ in systems],
            **{name: [getattr(s, name) for _, s in systems] for name in plain},
            "ranks": [
                "" if s.rank is None else f"{s.rank} → {s.adjusted_rank}" if s.moved else f"{s.rank}"
                for _, s in systems
            ],
            "moved": [s.moved for _, s in systems],
        }
    )
    right = float(data[["coverage", "adjusted"]].to_numpy().max())

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
        bold: dict[str, Any] = {"color": MARK, "fontWeight": "bold"}
        soft: dict[str, Any] = {"color": SOFT}
        ranks = [
            base.transform_filter(test)
            .mark_text(align="left", **look)
            .encode(x=alt.value(500), y=y, text="ranks:N")
            for test, look in (("datum.moved", bold), ("!datum.moved", soft))
        ]
        return alt.layer(line, *ends, *ranks, width=480, height=alt.Step(STEP))

    weight = result.measure.weight
    share = "1/3" if math.isclose(weight, 1 / 3) else f"{weight:.3g}"
    rest = "2/3" if math.isclose(weight, 1 / 3) else f"{1 - weight:.3g}"
    moves = sum(s.moved for _, s in systems)
    where = f" in {len(names)} panels" if len(names) > 1 else ""
    changes = f"No rank of {counted(len(systems), 'system')}{where} changes."
    if moves:
        changes = f"{moves} of {counted(len(systems), 'rank')}{where} change."
    return _figure(
        result,
        "length-adjustment",
        "What length adjustment changes",
        f"{changes} Length-adjusted coverage is {rest} of coverage and {share} of the share of the target"
        f" length that a summary leaves unused; a summary as long as asked, or longer, keeps {rest} of its coverage. At"
        " the right: the rank by coverage, and after the arrow the rank adjusted where it is another.",
        data,
        names,
        panel,
    )


def length_gains(result: LengthAdjustment) -> Figure:
    """Boxes of what length adjustment adds to each summary's coverage, by system; who gains most comes first."""
    import altair as alt

    systems = [
        (part.part, s)
        for part in result.parts
        for s in sorted(part.systems, key=lambda s: (-s.gain, s.system))
    ]
    names = _panels(result, [part for part, _ in systems])
    data = pd.DataFrame(
        [
            {"panel": names[part], "source": s.source, "system": s.system, "gain": gain}
            for part, s in systems
            for gain in s.gains
        ]
    )
    there = sources_in(data["source"].tolist())
    reach = [min(0.0, float(data["gain"].min())), max(0.0, float(data["gain"].max()))]

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        y = alt.Y("system:N", sort=in_order(data.loc[data["panel"] == name, "system"]), title=None)
        zero = once(base).mark_rule(color=SOFT, strokeDash=[4, 3]).encode(x=alt.datum(0))
        boxes = base.mark_boxplot(
            size=12, median={"color": INK, "strokeWidth": 2}, outliers={"size": 16, "filled": False}
        ).encode(
            x=alt.X(
                "gain:Q", title="adjusted coverage less coverage", scale=alt.Scale(domain=reach, nice=True)
            ),
            y=y,
            color=alt.Color("source:N", scale=source_scale(there), title=None),
        )
        return alt.layer(zero, boxes, height=alt.Step(STEP))

    above = sum(s.gain > 0 for _, s in systems)
    gain = f"{'gains' if above == 1 else 'gain'} on average"
    where = f" in {len(names)} panels" if len(names) > 1 else ""
    return _figure(
        result,
        "length-gains",
        "Who gains by length adjustment",
        f"{above} of {counted(len(systems), 'system')}{where} {gain}. A value is a"
        " summary's length-adjusted coverage less its coverage; systems that gain most, or lose least, come first."
        " A box holds the middle half, the line in it is the median; whiskers reach the farthest summary within one"
        " and a half box lengths, points are the summaries beyond.",
        data,
        names,
        panel,
    )


# Unmarked units


def unmarked(result: UnmarkedTables) -> Figure:
    """Each system's unmarked peer units a page: those that are relevant all the same, and those that are not."""
    import altair as alt

    rows = [row for row in result.systems if row.n]
    names = _panels(result, [row.part for row in rows])
    order = {part: at for at, part in enumerate(names)}
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
    return _figure(
        result,
        "unmarked",
        "Peer units that match nothing in the reference",
        f"On {counted(pages, 'page')} assessors left {counted(units, 'peer unit')} unmarked, {units / pages:.1f} a"
        f" page.{relevance} A bar is a system's mean; the part of it that was called relevant comes first.",
        data,
        names,
        panel,
    )


# The catalogue


def _spec(name: str, about: str, make: Callable[..., Result], slide: str) -> FigureSpec:
    """Of one length, where one is asked for; else every length has a panel of its own."""

    def draw(scores: Scores, options: FigureOptions) -> Figure:
        length = options.length if isinstance(options.length, int) else None
        measure = (options.measure,) if make is adjustment.length_adjustment else ()
        return make(scores, *measure, length=length, form=options.form).figure(name)

    return FigureSpec(
        name, about, draw, after=f"Over and Liggett 2002, “{slide}”", example="--length 100", panels=True
    )


SPECS = (
    _spec(
        "coverage-by-source",
        "Box plots of the pages' coverage, by source and system.",
        units.coverage_spread,
        "Mean coverage by peer source",
    ),
    _spec(
        "unit-coverage",
        "How completely model units are covered, by source: the share with nothing, and with everything.",
        units.unit_coverage,
        "Distribution of individual MU coverage scores",
    ),
    _spec(
        "quality",
        "What was answered to each question on quality, by source.",
        quality_answers,
        "Overall peer quality",
    ),
    _spec(
        "quality-by-peer",
        "How often each question on quality found errors, by system.",
        quality_answers,
        "Q1: Capitalization by peer source",
    ),
    _spec(
        "length-adjustment",
        "Coverage beside length-adjusted coverage, and the ranks that change.",
        adjustment.length_adjustment,
        "Effect of length-adjustment by system",
    ),
    _spec(
        "length-gains",
        "What length adjustment adds to each summary's coverage, by system.",
        adjustment.length_adjustment,
        "Distribution of (adjusted coverage – coverage)",
    ),
    _spec(
        "unmarked",
        "Peer units that match nothing in the reference, and how many of them are relevant.",
        unmarked_units,
        "How many unmarked peer units?",
    ),
)
