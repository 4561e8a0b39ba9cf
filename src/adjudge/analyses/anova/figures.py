"""Systems at the levels of another factor: lines that are not parallel are an interaction. Over and Liggett 2002."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.analyses.anova import anova
from adjudge.analyses.anova.words import about_interaction
from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.drawing import few_enough, labels, step, text_size
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.core.picture import PLAIN, SERIES, SHAPES, Figure, figure_of, in_order
from adjudge.core.words import counted, natural

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.anova.result import AnovaResult
    from adjudge.analyses.scores import Scores

USUAL = ("assessor", "length", "topic")
MOST_LEVELS = 150
OTHERS = "other systems"
PLACES = {"topic": "on", "set": "on", "length": "at"}


def interaction(result: AnovaResult, *, by: str | None = None) -> Figure:
    """The mean of every system at every level of a factor: assessors unless said, else topics.

    Of many systems those whose lines are furthest from parallel are coloured.
    """
    import altair as alt

    by = by or next(
        (name for name in (*USUAL, *result.levels) if name in result.levels and name != "system"), None
    )
    if by is None:
        raise UsageError("this analysis has no factor beside the system to draw systems at")
    cells = result.cell_means(by)
    levels = _levels(result, by)
    few_enough(len(levels), MOST_LEVELS, f"levels of {by}", f"choose another factor with {Argument('by')}")
    squares = cells.assign(square=cells["departure"] ** 2).groupby("system")["square"].sum()
    systems = [mean.system for mean in result.means]
    most = len(SERIES) if len(systems) <= len(SERIES) else len(SERIES) - 1
    furthest = sorted(systems, key=lambda s: -squares.get(s, 0.0))[:most]
    called, levels_called = labels(systems), labels(levels)
    data = cells.assign(
        system=[called[s] for s in cells["system"]],
        level=[levels_called[level] for level in cells[by]],
        series=[called[s] if s in furthest else OTHERS for s in cells["system"]],
    )[["system", "level", "mean", "n", "departure", "series"]]
    place = {name: k for k, name in enumerate(levels_called.values())}
    data = data.sort_values(["system", "level"], key=lambda c: c.map(place) if c.name == "level" else c)
    data = data.reset_index(drop=True)
    series = [called[s] for s in systems if s in furthest]
    order = in_order([*series, *([OTHERS] if len(systems) > len(series) else [])])
    colours = [*SERIES[: len(series)], PLAIN][: len(order)]
    wide = step(len(levels), 620, 8, 90)

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X(
            "level:O",
            sort=in_order(levels_called.values()),
            title=by,
            axis=alt.Axis(
                labelAngle=0 if max(map(len, levels_called.values())) * 7 < wide else -90,
                labelFontSize=text_size(wide),
                labelLimit=140,
            ),
            scale=alt.Scale(type="point", padding=0.5),
        )
        y = alt.Y(
            "mean:Q",
            title=f"mean of {result.heading}",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(titleLimit=300),
        )
        colour = alt.Color("series:N", title=None, sort=order, scale=alt.Scale(domain=order, range=colours))
        shapes = [*SHAPES[: len(series)], "circle"][: len(order)]
        shape = alt.Shape("series:N", title=None, sort=order, scale=alt.Scale(domain=order, range=shapes))
        other = base.transform_filter(alt.FieldEqualPredicate(field="series", equal=OTHERS))
        named = base.transform_filter(alt.FieldOneOfPredicate(field="series", oneOf=in_order(series)))
        layers = [
            other.mark_line(strokeWidth=1).encode(x=x, y=y, color=colour, detail="system:N"),
            other.mark_point(size=14).encode(x=x, y=y, color=colour, shape=shape),
            named.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail="system:N"),
            named.mark_point(size=50).encode(x=x, y=y, color=colour, shape=shape),
        ]
        return alt.layer(*layers, width=alt.Step(wide), height=320)

    return figure_of(
        "interaction",
        f"Systems by {by}, {result.title}",
        _words(
            result, by, len(systems) > len(series), len(series), holes=len(systems) * len(levels) - len(cells)
        ),
        data,
        drawing,
        notes=tuple(result.warnings()),
        signature=result.signature,
    )


def _levels(result: AnovaResult, by: str) -> list[str]:
    """Levels in their own order; topics and assessors from the highest mean over systems on."""
    cells = result.cell_means(by)
    if by in ("topic", "assessor", "set"):
        means = cells.groupby(by, sort=False)["mean"].mean()
        return sorted(means.index, key=lambda level: (-means[level], level))
    return sorted(set(cells[by]), key=natural)


def _words(result: AnovaResult, by: str, cut: bool, shown: int, *, holes: int) -> str:
    sentences = [
        f"Each line is a system's mean {PLACES.get(by, 'for')} each {by}; without an interaction the lines would be"
        f" parallel but for noise. {about_interaction(result, by)}"
    ]
    if cut:
        sentences.append(
            f"The {counted(shown, 'system')} whose lines are furthest from parallel are coloured."
        )
    if holes:
        sentences.append(f"{counted(holes, 'cell has', 'cells have')} no score: lines skip them.")
    return " ".join(sentences)


def _drawn(scores: Scores, options: FigureOptions) -> Figure:
    by = options.by
    if isinstance(options.length, str):
        raise UsageError(
            f"an interaction is drawn at one length: choose one, or draw {Argument('by', 'length')}"
        )
    usual = by in (None, "topic", "assessor", "system")
    factors = () if usual else ("system", "topic", str(by), f"{by}:system")
    return anova(
        scores,
        options.measure,
        length=options.length,
        form=options.form,
        factors=factors,
        seed=options.seed,
    ).figure("interaction", by=by)


SPECS = (
    FigureSpec(
        "interaction",
        "Systems' means by topic, assessor or another factor: lines that are not parallel are an interaction.",
        _drawn,
        after="Over and Liggett 2002, “Table of interaction sizes for system:docset”",
        takes=("by",),
        example="-m coverage --length 100 --by topic",
    ),
)
