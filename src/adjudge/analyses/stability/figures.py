"""Scores with repeated judgments made one, after Lin and Hovy 2002; ranks that the noise of judging leaves."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.panels import check_size, common_words, in_panels, panel_names
from adjudge.analyses.stability.words import NOT_DRAWN, absence, no_draws, size, whose
from adjudge.analyses.trust_drawing import ROW, WIDE, need_few, one_of, rows_axis, series_colour
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import HEAT, INK, MARK, SERIES, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.gathered import Part
    from adjudge.analyses.scores import Scores
    from adjudge.analyses.stability.conflicts import Resolution, Resolve, ResolvedScores
    from adjudge.analyses.stability.noise import RankNoise
    from adjudge.analyses.stability.result import StabilityResult

POINTS: dict[Resolution, tuple[str, str]] = {
    "original": ("circle", INK),
    "majority": ("diamond", SERIES[1]),
    "average": ("square", SERIES[0]),
}
"""The shape and colour of what is drawn beside the bar from MIN to MAX."""
BAR = "MIN to MAX"
STEP, BAND = 36, 28
"""Pixels from system to system, and of a bar."""


def retention(result: StabilityResult) -> Figure:
    """Every system's score as judged, by majority and on average, on a bar from MIN to MAX."""
    import altair as alt
    import pandas as pd

    resolutions = result.resolutions
    if not resolutions:
        why = result.absent.get("resolutions")
        raise DataError("nothing was judged twice" if why is None else f"not shown: {absence(why)}")
    names = _names(resolutions)
    check_size(len(resolutions), sum(len(bars.systems) for bars in resolutions))
    data = pd.DataFrame(
        [
            {
                "panel": names[at],
                "group": group,
                "system": system,
                "resolution": name.upper(),
                "score": bars.scores[name][k],
                "low": min(bars.scores[r][k] for r in bars.scores),
                "high": max(bars.scores[r][k] for r in bars.scores),
                "rank": bars.ranks[k],
                "rank_low": bars.low[k],
                "rank_high": bars.high[k],
                "ranks": f"{bars.low[k]}" if bars.low[k] == bars.high[k] else f"{bars.low[k]}–{bars.high[k]}",
                "first": name == "original",
                "ends": system == systems[-1] and group < len(bars.groups),
                "bar": BAR,
            }
            for at, bars in enumerate(resolutions)
            for group, systems in enumerate(bars.groups, 1)
            for system in systems
            for k in [bars.systems.index(system)]
            for name in POINTS
        ]
    )

    most, measure = float(data["high"].max()), resolutions[0].measure

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        return in_panels(base, names, panel)

    def panel(base: alt.Chart, name: str) -> alt.TopLevelMixin:
        order = in_order(data.loc[data["panel"] == name, "system"])
        y = alt.Y("system:N", sort=order, title=None)
        x = alt.X("low:Q", title=measure, scale=alt.Scale(domain=[0, most or 1], nice=True))
        once = base.transform_filter("datum.first")
        bars = once.mark_bar(height=BAND, cornerRadius=2).encode(
            x=x,
            x2="high:Q",
            y=y,
            fill=alt.Fill("bar:N", title=None, scale=alt.Scale(domain=[BAR], range=[HEAT[2]])),
        )
        shown = [resolution.upper() for resolution in POINTS]
        colours = alt.Scale(domain=shown, range=[colour for _, colour in POINTS.values()])
        shapes = alt.Scale(domain=shown, range=[shape for shape, _ in POINTS.values()])
        # Each in a lane of its own, as they are often the same number.
        points = [
            base.transform_filter(alt.FieldEqualPredicate(field="resolution", equal=resolution))
            .mark_point(size=42, yOffset=lane * BAND / len(shown))
            .encode(
                x="score:Q",
                y=y,
                color=alt.Color("resolution:N", title=None, scale=colours),
                shape=alt.Shape("resolution:N", title=None, scale=shapes),
            )
            for lane, resolution in enumerate(shown, start=-1)
        ]
        groups = (
            base.transform_filter("datum.first && datum.ends")
            .mark_rule(color=SOFT, strokeDash=[4, 3], yOffset=STEP / 2)
            .encode(y=y)
        )
        ranks = once.mark_text(align="left", color=SOFT).encode(x=alt.value(508), y=y, text="ranks:N")
        return alt.layer(bars, groups, *points, ranks, width=500, height=alt.Step(STEP))

    return figure_of(
        "retention",
        f"{measure[:1].upper()}{measure[1:]} with repeated judgments made one"
        f"{common_words([bars.part for bars in resolutions])}",
        f"{_said(resolutions)} The bar runs from the least answer (MIN) to the greatest (MAX) of"
        f" {FROM[result.asked.resolve]}; a sentence that is not marked got none. Dashed lines part performance groups:"
        " no bar of one overlaps a bar of another; at the right the ranks that the bars leave.",
        data,
        drawing,
        notes=tuple(result.only(["resolutions"]).warnings()),
        signature=result.signature,
    )


FROM: dict[Resolve, str] = {
    "one-assessor": "those that the same assessor gave to the same text in several summaries (Lin and Hovy 2002)",
    "all-assessors": "those that any assessor gave to the same text, in one summary or several",
}


def _names(resolutions: tuple[ResolvedScores, ...]) -> list[str]:
    """A name for each panel; systems that share no topics with others of their kind have one of their own."""
    parts = [bars.part for bars in resolutions]
    names = panel_names(parts) if len(set(parts)) > 1 else {parts[0]: ""}
    number: Counter[Part] = Counter()
    made = []
    for part in parts:
        number[part] += 1
        apart = f"ranked apart ({number[part]})" if parts.count(part) > 1 else ""
        made.append(", ".join(filter(None, (names[part], apart))))
    return made


def _said(resolutions: tuple[ResolvedScores, ...]) -> str:
    moved = sum(bars.moved for bars in resolutions)
    systems = counted(sum(len(bars.systems) for bars in resolutions), "system")
    if not moved:
        return f"Making repeated judgments one moves no score of {systems}."
    crossing = sum(bars.crossing for bars in resolutions)
    return (
        f"Repeated judgments move the scores of {moved} of {systems}; {crossing} of"
        f" {counted(sum(bars.pairs for bars in resolutions), 'pair')} can change places."
    )


# What the noise of judging leaves of a ranking


POPULATIONS = {"these": "these assessors, asked again", "like": "assessors like them"}


def stability(result: StabilityResult, *, measure: str | None = None) -> Figure:
    """Every system's rank, and the ranks that another round of judging could have given it."""
    import altair as alt
    import pandas as pd

    ranking = _ranking(result, measure)
    if ranking.drawn is None:
        raise DataError(no_draws(ranking))
    need_few(len(ranking.systems), "systems", "choose some of them")
    draws = {name: drawn for name in POPULATIONS if (drawn := getattr(ranking.noise, name)) is not None}
    data = pd.DataFrame(
        [
            {
                "system": ranking.systems[k],
                "assessors": POPULATIONS[name],
                "mean": float(ranking.noise.means[k]),
                "rank": int(ranking.noise.ranks[k]),
                "low": int(drawn.low[k]),
                "high": int(drawn.high[k]),
                "first": float(drawn.best[k]),
            }
            for k in ranking.order
            for name, drawn in draws.items()
        ]
    )
    names = [ranking.systems[k] for k in ranking.order]
    there = [POPULATIONS[name] for name in draws]
    n = len(names)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = rows_axis("system", names)
        step = max(1, math.ceil(n / 15))
        axis = alt.Axis(values=list(range(1, n + 1, step)), tickCount=n, format="d")
        scale = alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False)
        x: dict[str, Any] = {"title": "rank", "scale": scale, "axis": axis}
        colour = series_colour(
            "assessors", there, dict(zip(there, (INK, SERIES[4])[-len(there) :], strict=True))
        )
        # Each kind of assessors in a lane of its own, and the rank across both.
        bars = (
            base.transform_calculate(from_="datum.low - 0.28", to="datum.high + 0.28")
            .mark_bar(cornerRadius=2)
            .encode(
                x=alt.X("from_:Q", **x),
                x2="to:Q",
                y=y,
                yOffset=alt.YOffset(
                    "assessors:N", sort=in_order(there), scale=alt.Scale(domain=in_order(there))
                ),
                color=colour,
            )
        )
        ranks = base.mark_tick(color=MARK, thickness=3, size=ROW - 2).encode(x=alt.X("rank:Q", **x), y=y)
        return alt.layer(bars, ranks, width=WIDE, height=alt.Step(ROW + 2, **{"for": "position"}))

    first = ranking.first()
    words = [
        f"Lines across: ranks by {ranking.title}; bars: {ranking.drawn.level:.0%} of the ranks that another round of"
        f" judging on these topics could give ({size(ranking)}).",
        f"For {whose(ranking)}, rank 1 is in the range of {listed(first, most=6)}{' alone' * (len(first) == 1)}.",
    ]
    if ranking.noise.why_not_like is not None:
        words.append(f"Unknown for other assessors: {ranking.noise.why_not_like.words(NOT_DRAWN)}.")
    table = next(name for name, noise in result.noise_by_name.items() if noise is ranking)
    others = [other.title for other in result.noise if other is not ranking]
    not_drawn = (f"not drawn: {'; '.join(others)}; choose by measure, length and form",) if others else ()
    return figure_of(
        "stability",
        f"How the ranking could have come out, {ranking.title}",
        " ".join(words),
        data,
        drawing,
        notes=(*result.only([f"judge-noise{table}"]).warnings(), *not_drawn),
        signature=result.signature,
    )


def _ranking(result: StabilityResult, measure: str | None) -> RankNoise:
    """The ranking by a measure; without one the first that can be drawn."""
    if not result.noise:
        why = result.absent.get("noise")
        raise DataError("judge noise: nothing is known" if why is None else f"not shown: {absence(why)}")
    if measure is None:
        return next((ranking for ranking in result.noise if ranking.drawn is not None), result.noise[0])
    words_by_measure = {ranking.info.measure: ranking.info.words for ranking in result.noise}
    which = one_of(measure, words_by_measure, "the measure")
    return next(ranking for ranking in result.noise if ranking.info.measure == which)


def _made_retention(scores: Scores, options: FigureOptions) -> Figure:
    return _asked(scores, options, quick=True).figure("retention")


def _made_stability(scores: Scores, options: FigureOptions) -> Figure:
    if isinstance(options.length, str):
        raise UsageError("this figure takes one length, not all")
    return _asked(scores, options).figure("stability")


def _asked(scores: Scores, options: FigureOptions, *, quick: bool = False) -> StabilityResult:
    from adjudge.analyses.stability import Stability

    return Stability(
        options.measure,
        length=options.length if isinstance(options.length, int) else None,
        form=options.form,
        quick=quick,
        seed=options.seed,
        progress=options.progress,
    ).run(scores)


SPECS = (
    FigureSpec(
        "retention",
        "Each system's coverage or retention with what repeated judgments leave open: MIN to MAX, MAJORITY, AVERAGE.",
        _made_retention,
        after="Lin and Hovy 2002, figures 2 and 3",
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "stability",
        "The ranks that another round of judging could have given each system.",
        _made_stability,
        example="-m coverage --length 100",
        one_target=True,
    ),
)
