"""Pictures of a meta-evaluation: measures beside people. Lin and Hovy 2002, figure 4, and what came after."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.meta import LEVELS
from adjudge.analyses.meta.rows import rows_of
from adjudge.analyses.meta.words import coefficient_words, n_words, over_words
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
from adjudge.data.scores import Among

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.meta.better import BetterResult, MeasureComparison
    from adjudge.analyses.meta.ceiling import CeilingResult, MeasureCeiling
    from adjudge.analyses.meta.cells import Cells
    from adjudge.analyses.meta.correlations import CorrelationsResult, MeasureCorrelation
    from adjudge.analyses.meta.curves import Curve, CurveOf, CurvesResult
    from adjudge.analyses.meta.fooling import FoolingOutcome, FoolingResult
    from adjudge.analyses.meta.ranks import PlaceByMeasure, RankedSystem, RanksResult, RankTable
    from adjudge.analyses.meta.result import MetaResult
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


def _human(infos: Iterable[MeasureInfo], asked: str | None) -> str:
    """One of the human measures of a result."""
    return one_of(asked, {info.measure: info.words for info in infos}, "the human measure")


def _among(choices: Iterable[str], asked: str | None) -> Among:
    there = list(dict.fromkeys(choices))
    if asked is None:
        return cast(Among, there[0])
    if asked not in there:
        raise UsageError(f"among is {quoted(asked)}, expected one of: {', '.join(there)}")
    return cast(Among, asked)


def _level(levels: Iterable[str], asked: str | None) -> str:
    there = list(dict.fromkeys(levels))
    wanted = level_of(asked)
    if wanted is None:
        return there[0]
    if wanted not in there:
        raise UsageError(f"nothing was computed at the {wanted} level, only at: {', '.join(there)}")
    return wanted


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

    row = _correlation(result, measure, human, level, coefficient, among)
    if result.cells is None:
        raise DataError("this result does not keep the scores that it is of")
    cells = result.cells.among(row.among)
    data = pd.DataFrame(_points(cells, row))
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
        x = alt.X("by measure:Q", title=_axis_title(row.measure, row.level), scale=_fixed(x_range))
        y = alt.Y("by people:Q", title=_axis_title(row.human, row.level), scale=_fixed(y_range))
        several = len(kinds) > 1
        colour: Any = series_colour("kind", kinds, KIND_COLOURS) if several else alt.value(ACCENT)
        of_systems = base.transform_filter("datum.of == 'system'")
        more: dict[str, Any] = {"shape": series_shape("kind", kinds)} if several else {}
        cloud = (
            base.transform_filter("datum.of == 'summary'")
            .mark_point(size=9, color=PLAIN, opacity=0.45)
            .encode(x=x, y=y)
        )
        points = of_systems.mark_point(stroke=PAPER, strokeWidth=1, size=75).encode(
            x=x, y=y, color=colour, **more
        )
        # Names stand on paper: summaries are behind them.
        halo: dict[str, Any] = {"stroke": PAPER, "strokeWidth": 3, "strokeJoin": "round"}
        plain: dict[str, Any] = {}
        texts = [
            of_systems.transform_filter(f"datum.label == '{side}'")
            .mark_text(fontSize=11, **_ANCHOR[side], **under)
            .encode(x=x, y=y, text="system:N")
            for under in ([plain] if row.level == "system" else [halo, plain])
            for side in SIDES
        ]
        return alt.layer(cloud, points, *texts, width=SIZE[0], height=SIZE[1])

    unlabelled = int((systems & (data["label"] == "")).sum())
    return figure_of(
        "scatter",
        f"{row.measure.words} against {row.human.words}, {row.level} level",
        _scatter_words(row, result.confidence, data, unlabelled),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _correlation(
    result: CorrelationsResult,
    measure: str | None,
    human: str | None,
    level: str | None,
    coefficient: str | None,
    among: str | None,
) -> MeasureCorrelation:
    by = coefficient or result.coefficients[0]
    if by not in result.coefficients:
        raise UsageError(f"{quoted(by)} was not computed, only: {', '.join(result.coefficients)}")
    which = _human((row.human for row in result.rows), human)
    rows = rows_of(
        result.rows,
        level=_level(result.levels, level),
        coefficient=by,
        human=which,
        among=_among((row.among for row in result.rows), among),
    )
    wanted = one_of(measure, {row.measure.measure: row.measure.words for row in rows}, "the measure")
    return next(row for row in rows if row.measure.measure == wanted)


def _points(cells: Cells, row: MeasureCorrelation) -> Iterator[dict[str, Any]]:
    """A row per system, and where summaries are correlated a row for each of them before."""
    at = [info.measure for info in cells.measures].index(row.measure.measure)
    x, y = cells.automatic[at].copy(), cells.human(row.human.measure).values.copy()
    both = np.isfinite(x) & np.isfinite(y)
    if row.level != "system" or not cells.all_topics:
        x[~both], y[~both] = np.nan, np.nan
    if row.level == "input":
        x, y = (values - _mean(values, axis=1)[:, None] for values in (x, y))
    if row.measure.better == "lower":
        x = -x
    if row.human.better == "lower":
        y = -y
    means = _mean(x, axis=0), _mean(y, axis=0)
    n = both.sum(axis=0)

    def record(of: str, topic: str | None, k: int, by: tuple[float, float], topics: int) -> dict[str, Any]:
        return {
            "of": of,
            "topic": topic,
            "system": cells.systems[k],
            "kind": KINDS[cells.kinds[k]],
            "by measure": float(by[0]),
            "by people": float(by[1]),
            "topics": topics,
        }

    if row.level != "system":
        for t, k in zip(*np.nonzero(both), strict=True):
            yield record("summary", cells.topics[t], int(k), (x[t, k], y[t, k]), 1)
    for k in range(len(cells.systems)):
        if np.isfinite(means[0][k]) and np.isfinite(means[1][k]):
            yield record("system", None, k, (means[0][k], means[1][k]), int(n[k]))


def _mean(values: FloatArray, axis: int) -> FloatArray:
    there = ~np.isnan(values)
    n = there.sum(axis=axis)
    total = np.where(there, values, 0.0).sum(axis=axis)
    means: FloatArray = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return means


def _range(values: pd.Series, *, reverse: bool) -> tuple[float, float]:
    """Of an axis, from its start to its end: all values, and room for points and labels."""
    low, high = float(values.min()), float(values.max())
    room = 0.07 * (high - low) or abs(high) * 0.1 or 1.0
    return (high + room, low - room) if reverse else (low - room, high + room)


def _fixed(ends: tuple[float, float]) -> alt.Scale:
    import altair as alt

    return alt.Scale(domain=list(ends), nice=False, zero=False)


def _axis_title(info: MeasureInfo, level: str) -> str:
    lower = ", lower is better" if info.better == "lower" else ""
    centred = " less its topic's mean" if level == "input" else ""
    return f"{info.heading}{centred}{lower}"


def _scatter_words(row: MeasureCorrelation, confidence: float, data: pd.DataFrame, unlabelled: int) -> str:
    by = coefficient_words(row.coefficient)
    systems = int((data["of"] == "system").sum())
    if row.level == "system":
        sentences = [f"Each point is one of {counted(systems, 'system')}: its means over topics."]
    else:
        less = ", each less its topic's mean" if row.level == "input" else ""
        shown = counted(int((data["of"] == "summary").sum()), "summary", "summaries")
        sentences = [f"Small points are {shown}{less}; large ones the means of {counted(systems, 'system')}."]
    if math.isnan(row.value):
        sentences.append(f"There is no {by} at the {row.level} level: {row.why}.")
    else:
        interval = (
            f"{confidence:.0%} interval {span_words(row.low, row.high)}"
            if row.bounded
            else f"no interval: {row.why_no_interval}"
        )
        mean = "the mean over topics of " if row.level == "input" else ""
        sentences.append(
            f"At the {row.level} level, among {over_words(row.among)}, {mean}{by} is {row.value:z.2f} ({interval};"
            f" {n_words(row.level, row.n)})."
        )
    lower = [info.words for info in (row.measure, row.human) if info.better == "lower"]
    if lower:
        sentences.append(
            f"Lower scores of {listed(lower)} are better: the axis runs backwards, and a positive correlation is"
            " agreement."
        )
    if row.missing:
        sentences.append(
            f"{counted(row.missing, 'summary', 'summaries')} that people judged"
            f" {'has' if row.missing == 1 else 'have'} no score and"
            f" {'is' if row.missing == 1 else 'are'} left out."
        )
    if unlabelled:
        sentences.append(
            f"{counted(unlabelled, 'system')} in the crowd {'has' if unlabelled == 1 else 'have'} no label; the drawn"
            " rows name all."
        )
    return " ".join(sentences)


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
            if inside and not any(_overlap(box, other) for other in others):
                taken.append(box)
                sides[k] = side
                break
    return sides


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


# Ranks


def ranks(result: RanksResult, *, human: str | None = None, among: str | None = None) -> Figure:
    """The systems' ranks by people and by each measure, shaded by how far they are from people's, rho at the foot."""
    import altair as alt

    which = _human((ranking.human for ranking in result.ranked), human)
    among = _among((ranking.among for ranking in result.ranked), among)
    table = next(
        ranking for ranking in result.ranked if (ranking.human.measure, ranking.among) == (which, among)
    )
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
        _rank_words(table),
        data,
        drawing,
        notes=tuple(f"{m.words}: {why}" for m, why in zip(table.measures, table.why, strict=True) if why),
    )


def _rank_rows(table: RankTable) -> Iterator[dict[str, Any]]:
    n = len(table.systems)
    names = _headings([table.human.heading, *(info.heading for info in table.measures)])
    tied = [system.people for system in table.systems]
    for system in table.systems:
        last = system.people + tied.count(system.people) - 1
        shown = f"{system.people}–{last}" if last > system.people else str(system.people)
        yield _rank_row(system, names[0], "", system.people, last, shown, -1, math.nan)
        for name, measure, place in zip(names[1:], table.measures, system.measures, strict=True):
            if place is None:
                yield _rank_row(system, name, measure.measure, None, None, "–", -1, math.nan)
                continue
            away = _apart(place, system.people, last)
            step = heat_step(away, 0, max(n - 1, 1))
            text = f"{place.rank}–{place.last}" if place.last > place.rank else str(place.rank)
            out = system.outside(place)
            yield _rank_row(system, name, measure.measure, place.rank, place.last, text, step, away, out)
    foot = "Spearman's rho"
    while foot in {system.system for system in table.systems}:
        foot += "*"
    for name, measure, rho in zip(names[1:], table.measures, table.rho, strict=True):
        yield {
            "system": foot,
            "kind": "",
            "column": name,
            "measure": measure.measure,
            "rank": None,
            "last": None,
            "away": math.nan,
            "outside": False,
            "rho": rho,
            "step": -1,
            "shown": "–" if math.isnan(rho) else f"{rho:z.2f}",
        }


def _rank_row(
    system: RankedSystem,
    column: str,
    measure: str,
    rank: int | None,
    last: int | None,
    shown: str,
    step: int,
    away: float,
    outside: bool = False,
) -> dict[str, Any]:
    return {
        "system": system.system,
        "kind": system.kind,
        "column": column,
        "measure": measure,
        "rank": rank,
        "last": last,
        "away": away,
        "outside": outside,
        "rho": math.nan,
        "step": step,
        "shown": shown,
    }


def _apart(place: PlaceByMeasure, first: int, last: int) -> int:
    """How many ranks lie between; 0 where shared ranks meet."""
    return max(0, place.rank - last, first - place.last)


def _headings(names: Sequence[str]) -> list[str]:
    """Each different."""
    headings: list[str] = []
    for name in names:
        again = headings.count(name) + sum(heading.startswith(f"{name} (") for heading in headings)
        headings.append(f"{name} ({again + 1})" if name in headings else name)
    return headings


def _rank_words(table: RankTable) -> str:
    sentences = [
        "Rank 1 is the best; the stronger a cell's colour, the further a measure's rank is from people's. The last line"
        f" is Spearman's rho of the systems' means over topics, among {over_words(table.among)}."
    ]
    if table.tested:
        out = sum(len(table.leavers(at)) for at in range(len(table.measures)))
        if out:
            sentences.append(
                f"In bold: {counted(out, 'rank')} outside what people's significant differences leave open"
                f" ({table.tested})."
            )
        else:
            sentences.append(
                f"No rank lies outside what people's significant differences leave open ({table.tested})."
            )
    else:
        sentences.append(f"Which ranks people leave open could not be tested ({table.why_untested}).")
    if any(place is None for system in table.systems for place in system.measures):
        sentences.append("A dash: the measure gives the system no rank.")
    return " ".join(sentences)


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

    comparison = _comparison(result, human, level, coefficient, among)
    need_few(len(comparison.places), "measures", "choose some with -m")
    spans = _spans(comparison, correlations)
    shown = [place for place in comparison.places if not math.isnan(place.value)]
    if not shown:
        raise DataError(f"no measure has a correlation {comparison.where}: {comparison.places[0].why}")
    names = _headings([place.measure.heading for place in shown])
    data = pd.DataFrame(
        {
            "measure": names,
            "spec": [place.measure.measure for place in shown],
            "correlation": [place.value for place in shown],
            "low": [spans[place.measure.measure][0] for place in shown],
            "high": [spans[place.measure.measure][1] for place in shown],
            "letters": [place.letters for place in shown],
            "best": [place.best for place in shown],
            "worst": [place.worst for place in shown],
        }
    )
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

    absent = [place for place in comparison.places if math.isnan(place.value)]
    sentences = [
        "Measures that share a letter do not differ significantly in how far they correlate with people"
        f" ({comparison.tested_by}, {on(comparison)}, among {over_words(comparison.among)}):"
        f" {comparison.count('differ')} of {counted(len(comparison.pairs), 'pair')}"
        f" {'differs' if comparison.count('differ') == 1 else 'differ'}."
    ]
    if hopeless := comparison.count("could not have been found"):
        sentences.append(
            f"{counted(hopeless, 'difference')} could not have been found: no p within the test's reach is small"
            " enough."
        )
    if correlations is not None and data["low"].notna().any():
        sentences.append(f"The line is the {correlations.confidence:.0%} interval of the correlation.")
    if absent:
        sentences.append(
            f"Without a correlation: {listed([place.measure.words for place in absent], most=9)}."
        )
    return figure_of(
        "measure-groups",
        f"Measures by their correlation with {comparison.human.words}",
        " ".join(sentences),
        data,
        drawing,
        notes=tuple(result.note_text(note) for note in comparison.notes()),
        signature=comparison.signature,
    )


def _comparison(
    result: BetterResult, human: str | None, level: str | None, coefficient: str | None, among: str | None
) -> MeasureComparison:
    which = _human((comparison.human for comparison in result.comparisons), human)
    rows = [comparison for comparison in result.comparisons if comparison.human.measure == which]
    at = _level((comparison.level for comparison in rows), level)
    chosen = _among((comparison.among for comparison in rows), among)
    rows = [comparison for comparison in rows if (comparison.level, comparison.among) == (at, chosen)]
    return next(
        (comparison for comparison in rows if coefficient in (None, comparison.coefficient)),
        rows[0],
    )


def _spans(
    comparison: MeasureComparison, correlations: CorrelationsResult | None
) -> dict[str, tuple[float, float]]:
    """The intervals of the same correlations; of none other, such as those by means over all topics."""
    spans = {place.measure.measure: (math.nan, math.nan) for place in comparison.places}
    values = {place.measure.measure: place.value for place in comparison.places}
    rows = [] if correlations is None else correlations.rows
    for row in rows_of(
        rows,
        level=comparison.level,
        coefficient=comparison.coefficient,
        human=comparison.human.measure,
        among=comparison.among,
    ):
        name = row.measure.measure
        if math.isclose(values.get(name, math.nan), row.value, rel_tol=1e-9, abs_tol=1e-9):
            spans[name] = row.low, row.high
    return spans


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

    which = _human((ceiling.human for ceiling in result.ceilings), human)
    at = _level((ceiling.level for ceiling in result.ceilings if ceiling.human.measure == which), level)
    chosen = _among((ceiling.among for ceiling in result.ceilings), among)
    tops = rows_of(result.ceilings, level=at, human=which, among=chosen, coefficient=coefficient)
    if not tops:
        raise UsageError(
            f"{quoted(coefficient or '')} was not computed at the {at} level, only: "
            + ", ".join(dict.fromkeys(e.coefficient for e in rows_of(result.ceilings, level=at, human=which)))
        )
    top = tops[0]
    rows = result.of(level=at, coefficient=top.coefficient, human=which, among=chosen)
    shown = [row for row in rows if not math.isnan(row.value)]
    need_few(len(shown) + len(top.by_assessor), "measures and assessors", "choose some measures with -m")
    by_assessor = [(name, value) for name, value in top.by_assessor if not math.isnan(value)]
    if math.isnan(top.value) or not by_assessor:
        raise DataError(
            f"there is no human ceiling for {top.human.words}: no assessor has a coefficient with the others"
        )
    names = _headings([row.measure.heading for row in shown] + [name for name, _ in by_assessor])
    shown_names = names[: len(shown)]
    order = [
        *(
            name
            for name, _ in sorted(zip(names[len(shown) :], by_assessor, strict=True), key=lambda e: -e[1][1])
        ),
        *(n for n, _ in sorted(zip(shown_names, shown, strict=True), key=lambda e: -e[1].value)),
    ]
    records = [
        {
            "row": name,
            "of": "assessors",
            "value": value,
            "ceiling": top.value,
            "low": math.nan,
            "high": math.nan,
            "beside": "assessors",
        }
        for name, (_, value) in zip(names[len(shown) :], by_assessor, strict=True)
    ] + [
        {
            "row": name,
            "of": "measures",
            "value": row.value,
            "ceiling": row.ceiling,
            "low": row.low,
            "high": row.high,
            "beside": _beside(row),
        }
        for name, row in zip(shown_names, shown, strict=True)
    ]
    data = pd.DataFrame(records)
    there = [name for name in BESIDE if name in set(data["beside"])]
    by = top.coefficient if top.coefficient in ("acc-eq", "pairwise") else coefficient_words(top.coefficient)
    title = f"{by} with the mean of the other assessors, {at} level"

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
        _ceiling_words(result, shown, rows, top.value, top.assessors, chosen),
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
    result: CeilingResult,
    shown: Sequence[MeasureCeiling],
    rows: Sequence[MeasureCeiling],
    top: float,
    assessors: int,
    among: Among,
) -> str:
    sentences = [
        f"The dashed line is the human ceiling, {top:z.2f}: an assessor with the mean of the others, averaged over"
        f" {counted(assessors, 'assessor')}, who have a point each; among {over_words(among)}."
    ]
    ticked = any(abs(row.ceiling - top) > 1e-9 for row in shown)
    if any(all_there(row.low) for row in shown):
        sentences.append(
            f"A measure's line is the {result.confidence:.0%} interval of its difference from the ceiling, drawn from"
            f" there: where it does not reach the {'tick' if ticked else 'dashed line'}, the difference is significant."
        )
    if ticked:
        sentences.append("The tick is the ceiling on the summaries that a measure has.")
    counts = {name: sum(_beside(row) == name for row in shown) for name in BESIDE}
    parts = [f"{n} {name}" for name, n in counts.items() if n]
    if parts:
        sentences.append(f"Of {counted(len(shown), 'measure')}: {listed(parts)}.")
    if absent := [row.measure.words for row in rows if math.isnan(row.value)]:
        sentences.append(f"Without a coefficient: {listed(absent, most=9)}.")
    return " ".join(sentences)


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

    need_few(len(result.measures), "measures", "choose some with -m", most=MOST_FOOLED)
    placed = [outcome for outcome in result.outcomes if outcome.place is not None]
    if not placed:
        raise DataError("no measure gave a made text a place")
    data = pd.DataFrame([_fooled(outcome) for outcome in placed])
    kinds = in_order(data["text"])
    there = [words for words, _ in VERDICTS.values() if words in set(data["verdict"])]
    colours = dict(VERDICTS.values())
    most = max(outcome.of for outcome in placed)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y("text:N", sort=kinds, title=None, axis=alt.Axis(labelLimit=240))
        scale = alt.Scale(domain=[0.5, most + 0.5], nice=False, zero=False)
        axis = alt.Axis(values=_ticks(most), tickCount=most, format="d")
        x: dict[str, Any] = {
            "title": f"place among {counted(result.systems, 'real system')}, 1 is the best",
            "scale": scale,
        }
        colour, shape = series_colour("verdict", there, colours), series_shape("verdict", there)
        moved = base.transform_filter("datum.before != null")
        lines = moved.mark_rule(strokeWidth=2).encode(
            x=alt.X("before:Q", axis=axis, **x), x2="place:Q", y=y, color=colour
        )
        before = moved.mark_point(filled=False, stroke=SOFT, size=190).encode(
            x=alt.X("before:Q", axis=axis, **x), y=y
        )
        after = base.mark_point(size=70).encode(
            x=alt.X("place:Q", axis=axis, **x), y=y, color=colour, shape=shape
        )
        one = alt.layer(lines, before, after, width=SIZE[0], height=alt.Step(20))
        return one.facet(
            row=alt.Row(
                "title:N",
                sort=in_order(data["title"]),
                title=None,
                header=alt.Header(
                    labelAngle=0,
                    labelOrient="top",
                    labelAnchor="start",
                    labelFontWeight=600,
                    labelLimit=SIZE[0],
                ),
            ),
            spacing=14,
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


def _fooled(outcome: FoolingOutcome) -> dict[str, Any]:
    from adjudge.data.fooling import KIND_WORDS

    return {
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


def _fooling_words(result: FoolingResult, placed: Sequence[FoolingOutcome]) -> str:
    sentences = [
        f"Summaries of {result.source} ({chosen_words(result)}), spoilt in several ways: the hollow point is the place"
        " that they"
        " had, the filled one the place of the spoilt ones; further left is better. Colours say how the score moved"
        f" (paired by topic, each tested on its own at {1 - result.level:.3g})."
    ]
    tried = [outcome for outcome in placed if outcome.fooled is not None]
    fooled = [outcome for outcome in tried if outcome.fooled]
    by = list(dict.fromkeys(outcome.title for outcome in fooled))
    if tried:
        sentences.append(
            f"In {len(fooled)} of {counted(len(tried), 'case')} that were decided the spoilt text scored as well or"
            f" better{f' ({listed(by, most=6)})' if by else ''}."
        )
    if result.unchecked:
        sentences.append(f"Not checked: {listed(list(result.unchecked), most=6)}.")
    return " ".join(sentences)


def _ticks(most: int) -> list[int]:
    step = 1 if most <= 15 else 5 if most <= 60 else 10
    return [1, *range(step, most + 1, step)] if step > 1 else list(range(1, most + 1))


# Curves


MOST_BANDS = 3
"""Curves whose intervals are drawn; more bands hide each other."""


def references_curve(result: CurvesResult, **options: Any) -> Figure:
    """Correlation with people by the number of references."""
    return curve(result, "references", **options)


def topics_curve(result: CurvesResult, **options: Any) -> Figure:
    """Correlation with people by the number of topics."""
    return curve(result, "topics", **options)


def assessors_curve(result: CurvesResult, **options: Any) -> Figure:
    """Correlation with people by the number of assessors."""
    return curve(result, "assessors", **options)


def curve(
    result: CurvesResult, what: CurveOf, *, human: str | None = None, among: str | None = None
) -> Figure:
    """Correlation with people by the number of references, topics or assessors, a line per measure."""
    import altair as alt

    every = result.of(what)
    if not every:
        why = next((missing.why for missing in result.none if missing.what == what), "it was not asked for")
        raise DataError(f"there is no curve over {what}: {why}")
    which = _human((curve.human for curve in every), human)
    chosen = _among((curve.among for curve in every), among)
    curves = [curve for curve in every if (curve.human.measure, curve.among) == (which, chosen)]
    need_few(len(curves), "measures", "choose some with -m", most=len(SERIES))
    names = _headings([curve.measure.heading for curve in curves])
    data = pd.DataFrame(
        [row for name, curve in zip(names, curves, strict=True) for row in _curve_rows(name, curve)]
    )
    banded = len(curves) <= MOST_BANDS
    unit = curves[0].unit
    title = f"{result.level}-level {coefficient_words(result.coefficient)} with {curves[0].human.words}"
    ticks = sorted({int(at) for at in data["at"]})

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        values = ticks if len(ticks) <= 12 and ticks[-1] - ticks[0] < 12 else None
        axis = alt.Axis(values=values, tickCount=12, format="d") if values else alt.Axis(format="d")
        x = alt.X("at:Q", title=f"number of {unit}s", scale=alt.Scale(zero=False), axis=axis)
        if unit == "set of topics":
            x = alt.X("at:Q", title="number of sets of topics", scale=alt.Scale(zero=False), axis=axis)
        colour, shape = series_colour("measure", names), series_shape("measure", names)
        y: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False)}
        there = base.transform_filter("datum.value != null")
        bands = (
            base.transform_filter("datum.low != null")
            .mark_area(opacity=0.13)
            .encode(
                x=x,
                y=alt.Y("low:Q", **y),
                y2="high:Q",
                color=colour,
            )
        )
        lines = there.mark_line().encode(x=x, y=alt.Y("value:Q", **y), color=colour)
        points = there.mark_point(size=45).encode(x=x, y=alt.Y("value:Q", **y), color=colour, shape=shape)
        layers = [bands, lines, points] if banded else [lines, points]
        return alt.layer(*layers, width=SIZE[0], height=300)

    return figure_of(
        f"{what}-curve",
        f"Correlation with {curves[0].human.words} by the number of {what}",
        _curve_words(result, what, curves, data),
        data,
        drawing,
        notes=tuple(result.note_text(note) for note in result.remarks.get(what, ())),
        signature=result.signature,
    )


def _curve_rows(name: str, curve: Curve) -> Iterator[dict[str, Any]]:
    sizes = [point.k for point in curve.points if point.k is not None]
    for point in curve.points:
        yield {
            "measure": name,
            "spec": curve.measure.measure,
            "at": point.k if point.k is not None else max(sizes, default=0) + 1,
            "number": point.shown,
            "value": point.correlation.value,
            "low": point.correlation.low,
            "high": point.correlation.high,
            "subsets": point.draws,
        }


def _curve_words(result: CurvesResult, what: CurveOf, curves: Sequence[Curve], data: pd.DataFrame) -> str:
    held = {
        "references": "The measure with so many references per topic, people as they are",
        "topics": f"The measure and people on the same {curves[0].unit}s, so many of them",
        "assessors": "People as the mean of so many assessors, the measure as it is",
    }[what].replace("set of topicss", "sets of topics")
    sentences = [f"{held}; among {over_words(curves[0].among)}, {counted(curves[0].systems, 'system')}."]
    if len(curves) > MOST_BANDS:
        sentences.append("Lines are medians over subsets; their intervals are among the drawn rows.")
    elif data["low"].notna().any():
        sentences.append(
            f"The line is the median over subsets, the band the {curves[0].confidence:.0%} interval."
            if what == "topics"
            else "The line is the median over subsets; at least"
            f" {curves[0].confidence:.0%} of the subsets lie in the band."
        )
    if any(point.k is None for curve in curves for point in curve.points):
        last = next(point.shown for curve in curves for point in curve.points if point.k is None)
        sentences.append(f"The last point takes all that there are ({last}).")
    settled: dict[str, list[str]] = {}
    for curve in curves:
        if curve.settled_from is not None and curve.settled_from is not curve.points[0]:
            settled.setdefault(curve.settled_from.shown, []).append(curve.measure.words)
    for shown, names in settled.items():
        sentences.append(f"{listed(names)}: from {shown} on the median is within 0.02 of what all give.")
    if absent := [
        curve.measure.words for curve in curves if all(math.isnan(p.correlation.value) for p in curve.points)
    ]:
        sentences.append(f"Without a correlation: {listed(absent, most=6)}.")
    return " ".join(sentences)


# By name


def one_people(options: FigureOptions) -> str | None:
    if len(options.people) > 1:
        raise UsageError(f"this figure takes one human measure: choose one of {', '.join(options.people)}")
    return options.people[0] if options.people else None


def _meta(scores: Scores, options: FigureOptions, *parts: str, one: bool = False, **more: Any) -> MetaResult:
    """A meta-evaluation against one human measure: the one named, else the first that assessors gave."""
    from adjudge.analyses.meta import meta
    from adjudge.analyses.meta.cells import human_measures

    people = human_measures(scores, one_people(options) or (), argument="people")
    measures = ([options.measure] if options.measure else []) if one else list(options.measures)
    result = meta(
        scores,
        measures or None,
        human=people[0],
        parts=parts,
        length=options.length,
        form=options.form,
        seed=options.seed,
        progress=options.progress,
        **more,
    )
    for name, why in result.absent.items():
        if name == parts[0]:
            raise DataError(f"{name}: {why}")
    return result


def _leveled(options: FigureOptions, usual: str = "system") -> str:
    return level_of(options.level) or usual


def _scatter_spec(scores: Scores, options: FigureOptions) -> Figure:
    result = _meta(
        scores,
        options,
        "correlations",
        one=True,
        levels=_leveled(options),
        coefficients=("pearson", "kendall-b"),
    )
    return result.figure("scatter", level=options.level)


def _ranks_spec(scores: Scores, options: FigureOptions) -> Figure:
    return _meta(scores, options, "ranks").figure("ranks")


def _measure_groups_spec(scores: Scores, options: FigureOptions) -> Figure:
    result = _meta(
        scores, options, "better", "correlations", levels=_leveled(options), coefficients="pearson"
    )
    return result.figure("measure-groups", level=options.level)


def _fooling_spec(scores: Scores, options: FigureOptions) -> Figure:
    return _meta(scores, options, "fooling").figure("fooling")


def _ceiling_spec(scores: Scores, options: FigureOptions) -> Figure:
    result = _meta(scores, options, "ceiling", levels=_leveled(options, "input"), coefficients="kendall-b")
    return result.figure("ceiling", level=options.level, coefficient="kendall-b")


def _curve_spec(what: str) -> Callable[[Scores, FigureOptions], Figure]:
    def make(scores: Scores, options: FigureOptions) -> Figure:
        from adjudge.analyses.meta.cells import cells_of, human_measures
        from adjudge.analyses.meta.curves import learning_curves

        people = human_measures(scores, one_people(options) or (), argument="people")[0]
        cells = cells_of(scores, people, list(options.measures), length=options.length, form=options.form)
        result = learning_curves(
            cells,
            scores,
            what=(what,),  # type: ignore[arg-type]
            level=_leveled(options),  # type: ignore[arg-type]
            coefficient="pearson",
            among="machines" if cells.has_humans and len(set(cells.kinds)) > 1 else "all",
            length=options.length,
            form=options.form,
            seed=options.seed,
            progress=options.progress,
        )
        return result.figure(f"{what}-curve")

    return make


SPECS = (
    FigureSpec(
        "scatter",
        "A measure against people, systems labelled, at each level.",
        _scatter_spec,
        takes=("people", "level"),
        example="-m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "ranks",
        "The systems' ranks by people and by each measure.",
        _ranks_spec,
        after="Lin and Hovy 2002, figure 4",
        takes=("people",),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "measure-groups",
        "Groups of measures that are not significantly different in how far they correlate with people.",
        _measure_groups_spec,
        takes=("people", "level"),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "ceiling",
        "Measures beside one more assessor, the human ceiling.",
        _ceiling_spec,
        takes=("people", "level"),
        example="--people coverage --length 100",
    ),
    FigureSpec(
        "fooling",
        "Where measures place summaries that were spoilt.",
        _fooling_spec,
        takes=("people",),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "references-curve",
        "Correlation with people by the number of references.",
        _curve_spec("references"),
        after="Lin and Hovy 2002, section 6",
        takes=("people", "level"),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "topics-curve",
        "Correlation with people by the number of topics.",
        _curve_spec("topics"),
        takes=("people", "level"),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
    FigureSpec(
        "assessors-curve",
        "Correlation with people by the number of assessors.",
        _curve_spec("assessors"),
        takes=("people", "level"),
        example="-m rouge-1 -m rouge-2 --people coverage --length 100",
    ),
)
