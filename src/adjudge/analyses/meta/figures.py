"""Pictures of a meta-evaluation: measures beside people. Lin and Hovy 2002, figure 4, and what came after."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.meta import LEVELS, Meta
from adjudge.analyses.meta.cells import automatic_measures, cells_of, column_means, human_measures
from adjudge.analyses.meta.parts import A, MetaRun, for_whom, rows_of
from adjudge.analyses.meta.words import TOO_FEW, coefficient_words, n_words, over_words, plural
from adjudge.analyses.meta.words.better import on
from adjudge.analyses.meta.words.fooling import chosen_words
from adjudge.analyses.trust_drawing import (
    ROW,
    all_there,
    need_few,
    one_of,
    rows_axis,
    series_colour,
    series_shape,
    span_words,
)
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.picture import (
    ACCENT,
    GOOD,
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
    heat_step,
    in_order,
)
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.meta.better import BetterResult
    from adjudge.analyses.meta.ceiling import AssessorsCeiling, CeilingResult, MeasureCeiling
    from adjudge.analyses.meta.cells import Cells
    from adjudge.analyses.meta.correlations import CorrelationsResult, MeasureCorrelation
    from adjudge.analyses.meta.curves import Curve, CurveOf, CurvesResult
    from adjudge.analyses.meta.fooling import FoolingOutcome, FoolingResult
    from adjudge.analyses.meta.ranks import RanksResult, RankTable
    from adjudge.analyses.scores import Scores
    from adjudge.data.scores import MeasureInfo
    from adjudge.stats.checks import FloatArray

KINDS = {"machine": "machines", "baseline": "baselines", "human": "humans"}
KIND_COLOURS = {"machines": ACCENT, "baselines": MARK, "humans": GOOD}


def level_of(level: str | None) -> str | None:
    """A level by its name."""
    if level is None or level in LEVELS:
        return level
    raise UsageError(
        f"the level is {quoted(level)}{nearest(level, LEVELS)}; expected one of: {', '.join(LEVELS)}"
    )


def _chosen(rows: Iterable[A], human: str | None, level: str | None, among: str | None) -> list[A]:
    """The rows of one human measure, level and choice of systems: those named, else the first."""
    kept = list(rows)
    people = one_of(human, {row.human.measure: row.human.words for row in kept}, "the human measure")
    kept = rows_of(kept, human=people)
    levels = list(dict.fromkeys(row.level for row in kept))
    if (wanted := level_of(level) or levels[0]) not in levels:
        raise UsageError(f"nothing was computed at the {wanted} level, only at: {', '.join(levels)}")
    choices = list(dict.fromkeys(row.among for row in kept))
    if (which := among or choices[0]) not in choices:
        raise UsageError(f"among is {quoted(which)}, expected one of: {', '.join(choices)}")
    return rows_of(kept, level=wanted, among=which)


def _headings(names: Sequence[str]) -> list[str]:
    """Each different."""
    headings: list[str] = []
    for name in names:
        again = headings.count(name) + sum(heading.startswith(f"{name} (") for heading in headings)
        headings.append(f"{name} ({again + 1})" if name in headings else name)
    return headings


# Scatter


SIZE = (480, 380)
"""Of a scatter, in pixels."""
LETTER, LINE = 6.6, 13
"""Pixels of a letter and of a line of a label."""
SIDES = ("right", "left", "above", "below")
"""Where a label may stand beside its point; no side where it would cover another."""
_ANCHOR: dict[str, dict[str, Any]] = {
    "right": {"align": "left", "baseline": "middle", "dx": 7},
    "left": {"align": "right", "baseline": "middle", "dx": -7},
    "above": {"align": "center", "baseline": "bottom", "dy": -6},
    "below": {"align": "center", "baseline": "top", "dy": 7},
}


def scatter(
    result: CorrelationsResult,
    *,
    measure: str | None = None,
    human: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    among: str | None = None,
) -> Figure:
    """A measure against people, systems labelled: systems' means, or all summaries behind them."""
    import altair as alt

    by = coefficient or result.coefficients[0]
    if by not in result.coefficients:
        raise UsageError(f"{quoted(by)} was not computed, only: {', '.join(result.coefficients)}")
    rows = rows_of(_chosen(result.rows, human, level, among), coefficient=by)
    wanted = one_of(measure, {row.measure.measure: row.measure.words for row in rows}, "the measure")
    row = next(row for row in rows if row.measure.measure == wanted)
    data = pd.DataFrame(_points(result.cells.among(row.among), row))
    if not len(data):
        raise DataError(f"no summary has both {row.measure.words} and {row.human.words}")
    # Further right and further up is better, also where lower scores are.
    x_range = _range(data["by measure"], reverse=row.measure.better == "lower")
    y_range = _range(data["by people"], reverse=row.human.better == "lower")
    systems = data["of"] == "system"
    data["label"] = ""
    data.loc[systems, "label"] = placed_labels(
        data.loc[systems, "system"].tolist(),
        data.loc[systems, "by measure"].to_numpy(),
        data.loc[systems, "by people"].to_numpy(),
        x_range,
        y_range,
    )
    kinds = [name for name in KIND_COLOURS if name in set(data["kind"])]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        def axis(of: type[Any], column: str, info: MeasureInfo, ends: tuple[float, float]) -> Any:
            lower = ", lower is better" if info.better == "lower" else ""
            centred = " less its topic's mean" if row.level == "input" else ""
            scale = alt.Scale(domain=list(ends), nice=False, zero=False)
            return of(f"{column}:Q", title=f"{info.heading}{centred}{lower}", scale=scale)

        at = {
            "x": axis(alt.X, "by measure", row.measure, x_range),
            "y": axis(alt.Y, "by people", row.human, y_range),
        }
        look: dict[str, Any] = {"color": alt.value(ACCENT)}
        if len(kinds) > 1:
            look = {
                "color": series_colour("kind", kinds, KIND_COLOURS),
                "shape": series_shape("kind", kinds),
            }
        summaries, of_systems = (base.transform_filter(f"datum.of == '{of}'") for of in ("summary", "system"))
        cloud = summaries.mark_point(size=9, color=PLAIN, opacity=0.45).encode(**at)
        points = of_systems.mark_point(stroke=PAPER, strokeWidth=1, size=75).encode(**at, **look)
        # Names stand on paper: summaries are behind them.
        halo: dict[str, Any] = {"stroke": PAPER, "strokeWidth": 3, "strokeJoin": "round"}
        plain: dict[str, Any] = {}
        texts = [
            of_systems.transform_filter(f"datum.label == '{side}'")
            .mark_text(fontSize=11, **_ANCHOR[side], **under)
            .encode(**at, text="system:N")
            for under in ([plain] if row.level == "system" else [halo, plain])
            for side in SIDES
        ]
        return alt.layer(cloud, points, *texts, width=SIZE[0], height=SIZE[1])

    return figure_of(
        "scatter",
        f"{row.measure.words} against {row.human.words}, {row.level} level",
        " ".join(_scatter_words(row, result.confidence, data)),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _points(cells: Cells, row: MeasureCorrelation) -> Iterator[dict[str, Any]]:
    """A row per system, and where summaries are correlated a row for each of them before."""
    at = [info.measure for info in cells.measures].index(row.measure.measure)
    x, y = cells.automatic[at].copy(), cells.human(row.human.measure).values.copy()
    both = np.isfinite(x) & np.isfinite(y)
    if row.level != "system" or not cells.all_topics:
        x[~both], y[~both] = np.nan, np.nan
    if row.level == "input":
        x, y = (values - column_means(values.T)[:, None] for values in (x, y))
    x = -x if row.measure.better == "lower" else x
    y = -y if row.human.better == "lower" else y
    by_measure, by_people = column_means(x), column_means(y)

    def record(of: str, topic: str | None, k: int, place: tuple[float, float], topics: int) -> dict[str, Any]:
        return {
            "of": of,
            "topic": topic,
            "system": cells.systems[k],
            "kind": KINDS[cells.kinds[k]],
            "by measure": float(place[0]),
            "by people": float(place[1]),
            "topics": topics,
        }

    if row.level != "system":
        for t, k in zip(*np.nonzero(both), strict=True):
            yield record("summary", cells.topics[t], int(k), (x[t, k], y[t, k]), 1)
    for k in np.flatnonzero(np.isfinite(by_measure) & np.isfinite(by_people)).tolist():
        yield record("system", None, k, (by_measure[k], by_people[k]), int(both[:, k].sum()))


def _range(values: pd.Series, *, reverse: bool) -> tuple[float, float]:
    """Of an axis, from its start to its end: all values, and room for points and labels."""
    low, high = float(values.min()), float(values.max())
    room = 0.07 * (high - low) or abs(high) * 0.1 or 1.0
    return (high + room, low - room) if reverse else (low - room, high + room)


def _scatter_words(row: MeasureCorrelation, confidence: float, data: pd.DataFrame) -> Iterator[str]:
    by = coefficient_words(row.coefficient)
    drawn = data["of"] == "system"
    systems = counted(int(drawn.sum()), "system")
    if row.level == "system":
        yield f"Each point is one of {systems}: its means over topics."
    else:
        less = ", each less its topic's mean" if row.level == "input" else ""
        shown = counted(int((~drawn).sum()), "summary", "summaries")
        yield f"Small points are {shown}{less}; large ones the means of {systems}."
    if math.isnan(row.value):
        yield f"There is no {by} at the {row.level} level: {row.why}."
    else:
        interval = f"no interval: {row.why_no_interval}"
        if row.bounded:
            interval = f"{confidence:.0%} interval {span_words(row.low, row.high)}, {for_whom([row])}"
        mean = "the mean over topics of " if row.level == "input" else ""
        yield (
            f"At the {row.level} level, among {over_words(row.among)}, {mean}{by} is {row.value:z.2f} ({interval};"
            f" {n_words(row.level, row.n)})."
        )
    if lower := [info.words for info in (row.measure, row.human) if info.better == "lower"]:
        yield (
            f"Lower scores of {listed(lower)} are better: the axis runs backwards, and a positive correlation is"
            " agreement."
        )
    if row.missing:
        have, are = ("has", "is") if row.missing == 1 else ("have", "are")
        missing = counted(row.missing, "summary", "summaries")
        yield f"{missing} that people judged {have} no score and {are} left out."
    if unlabelled := int((drawn & (data["label"] == "")).sum()):
        have = "has" if unlabelled == 1 else "have"
        yield f"{counted(unlabelled, 'system')} in the crowd {have} no label; the drawn rows name all."


def placed_labels(
    names: Sequence[str],
    x: FloatArray,
    y: FloatArray,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    size: tuple[int, int] = SIZE,
) -> list[str]:
    """Beside which side of its point each label stands, so that none covers another or a point; empty: nowhere.

    The outermost points come first, so that those without a label are in the crowd.
    """
    px = (x - x_range[0]) / (x_range[1] - x_range[0]) * size[0]
    py = (1 - (y - y_range[0]) / (y_range[1] - y_range[0])) * size[1]
    centre = np.array([np.median(px), np.median(py)])
    outward = -np.hypot(px - centre[0], py - centre[1])
    taken = [(a - 5, b - 5, a + 5, b + 5) for a, b in zip(px.tolist(), py.tolist(), strict=True)]
    sides = [""] * len(names)
    for k in np.argsort(outward, kind="stable").tolist():
        wide = LETTER * len(names[k])
        for side in SIDES:
            left = {"right": px[k] + 7, "left": px[k] - 7 - wide}.get(side, px[k] - wide / 2)
            top = {"above": py[k] - 6 - LINE, "below": py[k] + 7}.get(side, py[k] - LINE / 2)
            box = (float(left), float(top), float(left + wide), float(top + LINE))
            inside = box[0] >= 0 and box[2] <= size[0] + 60 and box[1] >= 0 and box[3] <= size[1]
            others = (other for j, other in enumerate(taken) if j != k)
            if inside and not any(
                box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
                for other in others
            ):
                taken.append(box)
                sides[k] = side
                break
    return sides


# Ranks


def ranks(result: RanksResult, *, human: str | None = None, among: str | None = None) -> Figure:
    """The systems' ranks by people and by each measure, shaded by how far they are from people's, rho at the foot."""
    import altair as alt

    table = _chosen(result.ranked, human, None, among)[0]
    need_few(len(table.systems), "systems", "choose some of them")
    need_few(len(table.measures), "measures", "choose some with -m", most=24)
    data = pd.DataFrame(_rank_rows(table))
    systems, columns = in_order(data["system"]), in_order(data["column"])

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        wide = max(len(column) for column in columns)
        x = alt.X(
            "column:N",
            sort=columns,
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=0 if wide <= 12 else -35,
                labelLimit=320,
                labelAlign="center" if wide <= 12 else "left",
                ticks=False,
                domain=False,
            ),
        )
        y = alt.Y(
            "system:N", sort=systems, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=220)
        )
        steps = alt.Scale(domain=[-1, *range(len(HEAT))], range=[PAPER, *HEAT])
        cells = base.mark_rect().encode(x=x, y=y, color=alt.Color("step:O", legend=None, scale=steps))
        texts = [
            base.transform_filter(f"{'' if outside else '!'}datum.outside")
            .mark_text(fontSize=12, fontWeight="bold" if outside else "normal")
            .encode(
                x=x,
                y=y,
                text="shown:N",
                color=alt.condition("datum.step >= 5", alt.value(HEAT_INK_HIGH), alt.value(HEAT_INK_LOW)),
            )
            for outside in (False, True)
        ]
        return alt.layer(cells, *texts, width=alt.Step(86), height=alt.Step(ROW + 2))

    return figure_of(
        "ranks",
        f"Ranks by {table.human.words} and by {counted(len(table.measures), 'measure')}",
        " ".join(_rank_words(table)),
        data,
        drawing,
        notes=tuple(f"{m.words}: {why}" for m, why in zip(table.measures, table.why, strict=True) if why),
    )


def _rank_rows(table: RankTable) -> Iterator[dict[str, Any]]:
    names = _headings([table.human.heading, *(info.heading for info in table.measures)])
    tied = [system.people for system in table.systems]

    def cell(first: int, last: int, **more: Any) -> dict[str, Any]:
        shown = f"{first}–{last}" if last > first else str(first)
        return {**empty, "rank": first, "last": last, "shown": shown, **more}

    for system in table.systems:
        empty = {
            "system": system.system,
            "kind": system.kind,
            "column": names[0],
            "measure": "",
            "rank": None,
            "last": None,
            "away": math.nan,
            "outside": False,
            "rho": math.nan,
            "step": -1,
            "shown": "–",
        }
        first, last = system.people, system.people + tied.count(system.people) - 1
        yield cell(first, last)
        for name, measure, place in zip(names[1:], table.measures, system.measures, strict=True):
            empty |= {"column": name, "measure": measure.measure}
            if place is None:
                yield dict(empty)
                continue
            away = max(0, place.rank - last, first - place.last)  # ranks between; 0 where shared ranks meet
            step = heat_step(away, 0, max(len(table.systems) - 1, 1))
            yield cell(place.rank, place.last, away=away, outside=system.outside(place), step=step)
    foot = "Spearman's rho"
    while foot in {system.system for system in table.systems}:
        foot += "*"
    for name, measure, rho in zip(names[1:], table.measures, table.rho, strict=True):
        shown = "–" if math.isnan(rho) else f"{rho:z.2f}"
        about = {"system": foot, "kind": "", "column": name, "measure": measure.measure}
        yield {**empty, **about, "rho": rho, "shown": shown}


def _rank_words(table: RankTable) -> Iterator[str]:
    yield (
        "Rank 1 is the best; the stronger a cell's colour, the further a measure's rank is from people's. The last line"
        f" is Spearman's rho of the systems' means over topics, among {over_words(table.among)}."
    )
    outside = sum(len(table.leavers(at)) for at in range(len(table.measures)))
    left_open = f"outside what people's significant differences leave open ({table.tested})."
    if not table.tested:
        yield f"Which ranks people leave open could not be tested ({table.why_untested})."
    elif outside:
        yield f"In bold: {counted(outside, 'rank')} {left_open}"
    else:
        yield f"No rank lies {left_open}"
    if any(place is None for system in table.systems for place in system.measures):
        yield "A dash: the measure gives the system no rank."


# Groups of measures


def measure_groups(
    result: BetterResult,
    *,
    human: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    among: str | None = None,
    correlations: CorrelationsResult | None = None,
) -> Figure:
    """Measures by their correlations with people, with letters: those that share one do not differ significantly.

    `correlations` give the intervals.
    """
    import altair as alt

    comparisons = _chosen(result.comparisons, human, level, among)
    comparison = (rows_of(comparisons, coefficient=coefficient) or comparisons)[0]
    need_few(len(comparison.places), "measures", "choose some with -m")
    shown = [place for place in comparison.places if not math.isnan(place.value)]
    if not shown:
        raise DataError(f"no measure has a correlation {comparison.where}: {comparison.places[0].why}")
    spans = {}
    if correlations is not None:
        by = comparison.level, comparison.coefficient, comparison.human.measure, comparison.among
        same = correlations.of(level=by[0], coefficient=by[1], human=by[2], among=by[3])
        spans = {row.measure.measure: row for row in same}
    names = _headings([place.measure.heading for place in shown])
    rows = []
    for name, place in zip(names, shown, strict=True):
        row = {"measure": name, "spec": place.measure.measure, "correlation": place.value}
        row |= {"low": math.nan, "high": math.nan}
        # Of the same correlations alone: means over all topics give others.
        span = spans.get(place.measure.measure)
        if span is not None and math.isclose(place.value, span.value, rel_tol=1e-9, abs_tol=1e-9):
            row |= {"low": span.low, "high": span.high}
        rows.append(row | {"letters": place.letters, "best": place.best, "worst": place.worst})
    data = pd.DataFrame(rows)
    x_title = (
        f"{coefficient_words(comparison.coefficient)} with {comparison.human.words}, {comparison.level} level"
    )

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("measure", names)
        scale = alt.Scale(zero=False)
        zero = base.mark_rule(strokeDash=[4, 3], color=SOFT).encode(x=alt.datum(0))
        bars = (
            base.transform_filter("datum.low != null")
            .mark_rule(strokeWidth=2, color=PLAIN)
            .encode(x=alt.X("low:Q", title=x_title, scale=scale), x2="high:Q", y=y)
        )
        points = base.mark_point().encode(x=alt.X("correlation:Q", title=x_title, scale=scale), y=y)
        letters = base.mark_text(align="left", fontWeight="bold", fontSize=13).encode(
            x=alt.value(SIZE[0] + 14), y=y, text="letters:N"
        )
        return alt.layer(zero, bars, points, letters, width=SIZE[0], height=alt.Step(ROW + 2))

    differ, hopeless = comparison.count("differ"), comparison.count(TOO_FEW)
    pairs = f"{differ} of {counted(len(comparison.pairs), 'pair')} {'differs' if differ == 1 else 'differ'}"
    if len(comparison.pairs) == 1:
        pairs = "the two differ" if differ else "these two do not"
    sentences = [
        "Measures that share a letter do not differ significantly in how far they correlate with people"
        f" ({comparison.tested_by}, {on(comparison)}, among {over_words(comparison.among)}): {pairs}."
    ]
    if hopeless:
        sentences.append(
            f"Too few {comparison.lacking} for {counted(hopeless, 'difference')} to be significant."
        )
    if correlations is not None and data["low"].notna().any():
        whom = for_whom(spans.values())
        sentences.append(
            f"The line is the {correlations.confidence:.0%} interval of the correlation, {whom}."
        )
    if absent := [place.measure.words for place in comparison.places if math.isnan(place.value)]:
        sentences.append(f"Without a correlation: {listed(absent, most=9)}.")
    return figure_of(
        "measure-groups",
        f"Measures by their correlation with {comparison.human.words}",
        " ".join(sentences),
        data,
        drawing,
        notes=tuple(result.note_text(note) for note in comparison.notes()),
        signature=comparison.signature,
    )


# The human ceiling


BESIDE = {
    "above the ceiling": GOOD,
    "not significantly different": PLAIN,
    "below the ceiling": MARK,
    "no interval": SOFT,
    "assessors": INK,
}


def ceiling(
    result: CeilingResult,
    *,
    human: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    among: str | None = None,
) -> Figure:
    """Measures beside one more assessor, all with the mean of the other assessors."""
    import altair as alt

    every = _chosen(result.ceilings, human, level, among)
    tops = rows_of(every, coefficient=coefficient)
    if not tops:
        computed = ", ".join(dict.fromkeys(ceiling.coefficient for ceiling in every))
        raise UsageError(
            f"{quoted(coefficient or '')} was not computed at the {every[0].level} level, only: {computed}"
        )
    top = tops[0]
    rows = result.of(level=top.level, coefficient=top.coefficient, human=top.human.measure, among=top.among)
    shown = [row for row in rows if not math.isnan(row.value)]
    need_few(len(shown) + len(top.by_assessor), "measures and assessors", "choose some measures with -m")
    by_assessor = {name: value for name, value in top.by_assessor.items() if not math.isnan(value)}
    if math.isnan(top.value) or not by_assessor:
        raise DataError(
            f"there is no human ceiling for {top.human.words}: no assessor has a coefficient with the others"
        )
    names = _headings([*(row.measure.heading for row in shown), *by_assessor])
    of_assessors: list[dict[str, Any]] = [
        {
            "row": name,
            "of": "assessors",
            "value": value,
            "ceiling": top.value,
            "low": math.nan,
            "high": math.nan,
            "beside": "assessors",
        }
        for name, value in zip(names[len(shown) :], by_assessor.values(), strict=True)
    ]
    of_measures: list[dict[str, Any]] = [
        {
            "row": name,
            "of": "measures",
            "value": row.value,
            "ceiling": row.ceiling,
            "low": row.low,
            "high": row.high,
            "beside": _beside(row),
        }
        for name, row in zip(names[: len(shown)], shown, strict=True)
    ]
    data = pd.DataFrame(of_assessors + of_measures)
    order = [
        row["row"]
        for some in (of_assessors, of_measures)
        for row in sorted(some, key=lambda row: -row["value"])
    ]
    there = [name for name in BESIDE if name in set(data["beside"])]
    by = top.coefficient if top.coefficient in ("acc-eq", "pairwise") else coefficient_words(top.coefficient)
    title = f"{by} with the mean of the other assessors, {top.level} level"

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("row", order)
        colour, shape = series_colour("beside", there, BESIDE), series_shape("beside", there)
        x: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False)}
        line = base.mark_rule(color=INK, strokeDash=[5, 3]).encode(x=alt.datum(top.value))
        ticks = (
            base.transform_filter(f"datum.of == 'measures' && abs(datum.ceiling - {top.value!r}) > 1e-9")
            .mark_tick(color=INK, thickness=2, size=12)
            .encode(x=alt.X("ceiling:Q", **x), y=y)
        )
        bars = (
            base.transform_filter("datum.low != null")
            .transform_calculate(from_="datum.ceiling + datum.low", to="datum.ceiling + datum.high")
            .mark_rule(strokeWidth=2)
            .encode(x=alt.X("from_:Q", **x), x2="to:Q", y=y, color=colour)
        )
        points = base.mark_point().encode(x=alt.X("value:Q", **x), y=y, color=colour, shape=shape)
        return alt.layer(line, ticks, bars, points, width=SIZE[0], height=alt.Step(ROW + 2))

    return figure_of(
        "ceiling",
        f"Measures and the human ceiling, {top.human.words}",
        " ".join(_ceiling_words(result, top, rows)),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _beside(row: MeasureCeiling) -> str:
    if math.isnan(row.low):
        return "no interval"
    if row.low > 0:
        return "above the ceiling"
    return "below the ceiling" if row.high < 0 else "not significantly different"


def _ceiling_words(
    result: CeilingResult, top: AssessorsCeiling, rows: Sequence[MeasureCeiling]
) -> Iterator[str]:
    yield (
        f"The dashed line is the human ceiling, {top.value:z.2f}: an assessor with the mean of the others, averaged"
        f" over {counted(top.assessors, 'assessor')}, who have a point each; among {over_words(top.among)}."
    )
    shown = [row for row in rows if not math.isnan(row.value)]
    ticked = any(abs(row.ceiling - top.value) > 1e-9 for row in shown)
    if any(all_there(row.low) for row in shown):
        yield (
            f"A measure's line is the {result.confidence:.0%} interval of its difference from the ceiling,"
            f" {for_whom(shown)}, drawn from there: where it does not reach the"
            f" {'tick' if ticked else 'dashed line'}, the difference is significant."
        )
    if ticked:
        yield "The tick is the ceiling on the summaries that a measure has."
    counts = {name: sum(_beside(row) == name for row in shown) for name in BESIDE}
    if parts := [f"{n} {name}" for name, n in counts.items() if n]:
        yield f"Of {counted(len(shown), 'measure')}: {listed(parts)}."
    if absent := [row.measure.words for row in rows if math.isnan(row.value)]:
        yield f"Without a coefficient: {listed(absent, most=9)}."


# Texts made to fool measures


VERDICTS = {
    "better": ("fooled: significantly better", MARK),
    "unseen": ("fooled: does not see it", SERIES[3]),
    "not worse": ("not significantly worse", PLAIN),
    "worse": ("significantly worse", GOOD),
    "untested": ("not tested", SOFT),
    "placed": ("a list of bigrams, no summary", ACCENT),
}
MOST_FOOLED = 12
"""Measures of one picture."""


def fooling(result: FoolingResult) -> Figure:
    """Where each measure places spoilt summaries, beside the place that they had as they were."""
    import altair as alt

    from adjudge.data.fooling import KIND_WORDS

    need_few(len(result.measures), "measures", "choose some with -m", most=MOST_FOOLED)
    placed = [outcome for outcome in result.outcomes if outcome.place is not None]
    if not placed:
        raise DataError("no measure gave a made text a place")
    data = pd.DataFrame(
        {
            "measure": outcome.measure,
            "title": outcome.title,
            "text": KIND_WORDS[outcome.kind],
            "kind": outcome.kind,
            "before": outcome.original_place,
            "place": outcome.place,
            "of": outcome.of,
            "change": outcome.change,
            "low": outcome.low,
            "high": outcome.high,
            "verdict": VERDICTS[outcome.verdict][0],
        }
        for outcome in placed
    )
    kinds = in_order(data["text"])
    there = [words for words, _ in VERDICTS.values() if words in set(data["verdict"])]
    most = max(outcome.of for outcome in placed)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        step = 1 if most <= 15 else 5 if most <= 60 else 10
        ticks = [1, *range(step, most + 1, step)] if step > 1 else list(range(1, most + 1))
        x: dict[str, Any] = {
            "title": f"place among {counted(result.systems, 'real system')}, 1 is the best",
            "scale": alt.Scale(domain=[0.5, most + 0.5], nice=False, zero=False),
            "axis": alt.Axis(values=ticks, tickCount=most, format="d"),
        }
        before, place = alt.X("before:Q", **x), alt.X("place:Q", **x)
        y = alt.Y("text:N", sort=kinds, title=None, axis=alt.Axis(labelLimit=240))
        colour = series_colour("verdict", there, dict(VERDICTS.values()))
        shape = series_shape("verdict", there)
        moved = base.transform_filter("datum.before != null")
        lines = moved.mark_rule(strokeWidth=2).encode(x=before, x2="place:Q", y=y, color=colour)
        hollow = moved.mark_point(filled=False, stroke=SOFT, size=190).encode(x=before, y=y)
        filled = base.mark_point(size=70).encode(x=place, y=y, color=colour, shape=shape)
        header = alt.Header(
            labelAngle=0, labelOrient="top", labelAnchor="start", labelFontWeight=600, labelLimit=SIZE[0]
        )
        one = alt.layer(lines, hollow, filled, width=SIZE[0], height=alt.Step(20))
        return one.facet(
            row=alt.Row("title:N", sort=in_order(data["title"]), title=None, header=header), spacing=14
        )

    return figure_of(
        "fooling",
        f"Can measures be fooled? {result.source} distorted",
        _fooling_words(result, placed),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _fooling_words(result: FoolingResult, placed: Sequence[FoolingOutcome]) -> str:
    sentences = [
        f"Summaries of {result.source} ({chosen_words(result)}), spoilt in several ways: the hollow point is the place"
        " that they had, the filled one the place of the spoilt ones; further left is better. Colours say how the"
        f" score moved (paired by topic, each tested on its own at {1 - result.level:.3g})."
    ]
    tried = [outcome for outcome in placed if outcome.verdict in ("unseen", "better", "worse")]
    fooled = [outcome for outcome in tried if outcome.verdict != "worse"]
    by = list(dict.fromkeys(outcome.title for outcome in fooled))
    if tried:
        sentences.append(
            f"In {len(fooled)} of {counted(len(tried), 'case')} that were decided the spoilt text scored as well or"
            f" better{f' ({listed(by, most=6)})' if by else ''}."
        )
    if result.unchecked:
        sentences.append(f"Not checked: {listed(list(result.unchecked), most=6)}.")
    return " ".join(sentences)


# Curves


CURVES: tuple[CurveOf, ...] = ("references", "topics", "assessors")
PANEL = (230, 150)
"""Of a curve among several, in pixels."""


def curve(
    result: CurvesResult, what: CurveOf, *, human: str | None = None, among: str | None = None
) -> Figure:
    """Correlation with people by the number of references, topics or assessors, a line per measure."""
    import altair as alt

    from adjudge.analyses.meta.words import curves as curve_words

    every = result.of(what)
    if not every:
        reasons = (curve_words.why(missing) for missing in result.none if missing.what == what)
        raise DataError(f"there is no curve over {what}: {next(reasons, 'it was not asked for')}")
    curves = _chosen(every, human, None, among)
    need_few(len(curves), "measures", "choose some with -m", most=len(SERIES))
    first = curves[0]
    names = _headings([curve.measure.heading for curve in curves])
    rows = []
    for name, curve in zip(names, curves, strict=True):
        most = max((point.k for point in curve.points if point.k is not None), default=0)
        rows += [
            {
                "measure": name,
                "spec": curve.measure.measure,
                "at": point.k if point.k is not None else most + 1,
                "number": point.shown,
                **vars(point.correlation),
                "subsets": point.draws,
            }
            for point in curve.points
        ]
    data = pd.DataFrame(rows)
    ticks = sorted({int(at) for at in data["at"]})

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        axis = alt.Axis(format="d")
        if len(ticks) <= 12 and ticks[-1] - ticks[0] < 12:
            axis = alt.Axis(values=ticks, tickCount=12, format="d")
        x = alt.X("at:Q", title=f"number of {plural(first.unit)}", scale=alt.Scale(zero=False), axis=axis)
        title = f"{result.level}-level {coefficient_words(result.coefficient)} with {first.human.words}"
        if len(curves) > 1:
            title = coefficient_words(result.coefficient)  # a small panel has no room for more
        y: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False)}
        there = base.transform_filter("datum.value != null")
        wide, high = (SIZE[0], 300) if len(curves) == 1 else PANEL
        drawn = alt.layer(
            base.transform_filter("datum.low != null")
            .mark_area(opacity=0.18, color=ACCENT)
            .encode(x=x, y=alt.Y("low:Q", **y), y2="high:Q"),
            there.mark_line().encode(x=x, y=alt.Y("value:Q", **y)),
            there.mark_point(size=45).encode(x=x, y=alt.Y("value:Q", **y)),
            width=wide,
            height=high,
        )
        if len(curves) == 1:
            return drawn
        # A panel for each measure: their lines and bands would lie on each other.
        header = alt.Header(title=None, labelAnchor="start", labelFontWeight="bold", labelLimit=wide)
        panelled: alt.TopLevelMixin = drawn.facet(
            facet=alt.Facet("measure:N", sort=in_order(names), header=header), columns=2, spacing=22
        )
        return panelled

    return figure_of(
        f"{what}-curve",
        f"Correlation with {first.human.words} by the number of {what}",
        " ".join(_curve_words(what, curves)),
        data,
        drawing,
        notes=tuple(result.note_text(note) for note in result.remarks.get(what, ())),
        signature=result.signature,
    )


def _curve_words(what: CurveOf, curves: Sequence[Curve]) -> Iterator[str]:
    first, points = curves[0], [point for curve in curves for point in curve.points]
    held = {
        "references": "The measure with so many references per topic, people as they are",
        "topics": f"The measure and people on the same {plural(first.unit)}, so many of them",
        "assessors": "People as the mean of so many assessors, the measure as it is",
    }[what]
    yield f"{held}; among {over_words(first.among)}, {counted(first.systems, 'system')}."
    confidence = f"{first.confidence:.0%}"
    if any(not math.isnan(point.correlation.low) for point in points):
        yield (
            f"The line is the median over subsets, the band the {confidence} interval."
            if what == "topics"
            else f"The line is the median over subsets; at least {confidence} of the subsets lie in the band."
        )
    if last := [point.shown for point in points if point.k is None]:
        yield f"The last point takes all that there are ({last[0]})."
    settled: dict[str, list[str]] = {}
    for curve in curves:
        if curve.settled_from is not None and curve.settled_from is not curve.points[0]:
            settled.setdefault(curve.settled_from.shown, []).append(curve.measure.words)
    for shown, names in settled.items():
        yield f"{listed(names)}: from {shown} on the median is within 0.02 of what all give."
    if absent := [
        curve.measure.words for curve in curves if all(math.isnan(p.correlation.value) for p in curve.points)
    ]:
        yield f"Without a correlation: {listed(absent, most=6)}."


references_curve = partial(curve, what="references")
topics_curve = partial(curve, what="topics")
assessors_curve = partial(curve, what="assessors")


# By name


def _people(scores: Scores, options: FigureOptions) -> str:
    """The one human measure that is named, else the first that assessors gave."""
    if len(options.people) > 1:
        raise UsageError(f"this figure takes one human measure: choose one of {', '.join(options.people)}")
    return human_measures(scores, options.people or ())[0]


def _of_meta(
    figure: str, *parts: str, usual: str | None = None, **asked: Any
) -> Callable[[Scores, FigureOptions], Figure]:
    """A figure of a meta-evaluation's parts; `usual` is the level, where the figure is of one."""

    def make(scores: Scores, options: FigureOptions) -> Figure:
        from adjudge.analyses.meta import meta

        measures = list(options.measures)
        if figure == "scatter":
            measures = [options.measure] if options.measure else []
        levels: dict[str, Any] = {} if usual is None else {"levels": level_of(options.level) or usual}
        result = meta(
            scores,
            measures or None,
            human=_people(scores, options),
            parts=parts,
            length=options.length,
            form=options.form,
            seed=options.seed,
            progress=options.progress,
            **levels,
            **asked,
        )
        if parts[0] in result.absent:
            raise DataError(f"{parts[0]}: {result.absent[parts[0]]}")
        return result.figure(figure)

    return make


def _too_many(scores: Scores, options: FigureOptions) -> str:
    """Why measures are not compared where all figures are drawn."""
    from adjudge.analyses.meta.better import too_many

    measures = automatic_measures(scores, [_people(scores, options)], options.measures)
    return too_many(len(measures), "adjudge figure measure-groups")


def _of_curves(what: CurveOf) -> Callable[[Scores, FigureOptions], Figure]:
    def make(scores: Scores, options: FigureOptions) -> Figure:
        from adjudge.analyses.meta.curves import learning_curves

        people, length, form = _people(scores, options), options.length, options.form
        cells = cells_of(scores, people, list(options.measures), length=length, form=form)
        asked = Meta(
            levels=level_of(options.level) or "system",  # type: ignore[arg-type]
            coefficients="pearson",
            among="machines" if cells.has_humans and len(set(cells.kinds)) > 1 else "all",
            seed=options.seed,
            progress=options.progress,
            length=length,
            form=form,
        )
        return learning_curves(MetaRun(cells, asked, scores), (what,)).figure(f"{what}-curve")

    return make


SPECS = (
    FigureSpec(
        "scatter",
        "A measure against people, systems labelled, at each level.",
        _of_meta("scatter", "correlations", usual="system", coefficients=("pearson", "kendall-b")),
        takes=("people", "level"),
        example="-m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "ranks",
        "The systems' ranks by people and by each measure.",
        _of_meta("ranks", "ranks"),
        after="Lin and Hovy 2002, figure 4",
        takes=("people",),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "measure-groups",
        "Groups of measures that are not significantly different in how far they correlate with people.",
        _of_meta("measure-groups", "better", "correlations", usual="system", coefficients="pearson"),
        takes=("people", "level"),
        example="--people coverage --length 100",
        too_long=_too_many,
    ),
    FigureSpec(
        "ceiling",
        "Measures beside one more assessor, the human ceiling.",
        _of_meta("ceiling", "ceiling", usual="input", coefficients="kendall-b"),
        takes=("people", "level"),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "fooling",
        "Where measures place summaries that were spoilt.",
        _of_meta("fooling", "fooling"),
        takes=("people",),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    *(
        FigureSpec(
            f"{what}-curve",
            f"Correlation with people by the number of {what}.",
            _of_curves(what),
            after="Lin and Hovy 2002, section 6" if what == "references" else "",
            takes=("people", "level"),
            example="-m rouge-1 -m rouge-2 --people coverage --length 100",
        )
        for what in CURVES
    ),
)
