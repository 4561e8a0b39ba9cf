"""Pictures of plans: power against the number of topics, and what designs of judging give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.drawing import labels, once
from adjudge.analyses.plan import Plan
from adjudge.analyses.plan.design_words import called, sampled_basis, why_no_designs
from adjudge.analyses.plan.words import basis, number
from adjudge.core.errors import DataError
from adjudge.core.picture import MARK, SERIES, SHAPES, SOFT, Figure, figure_of, in_order
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.plan.designs import DesignStudy
    from adjudge.analyses.plan.result import PowerPlan
    from adjudge.analyses.scores import Scores


def power(plan: PowerPlan) -> Figure:
    """The power of each test by the number of topics, with the present number and the power that is wanted."""
    import altair as alt

    if not plan.sizes:
        raise DataError(
            f"{plan.measure}: there is no power to draw: {plan.needs[0].difference.why or 'no difference'}"
        )
    curve = plan.smooth_curve
    names = list(dict.fromkeys(curve["curve"]))
    shown = names[: len(SERIES)]
    data = curve[curve["curve"].isin(shown)][["curve", "test", "topics", "power", "low", "high"]].reset_index(
        drop=True
    )
    data["wanted"], data["have"] = plan.power, plan.have

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X(
            "topics:Q",
            title="topics",
            scale=alt.Scale(zero=False, nice=False),
            axis=alt.Axis(grid=False, tickMinStep=1),
        )
        y = alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1]))
        order = in_order(shown)
        scale = alt.Scale(domain=order, range=list(SERIES[: len(order)]))
        colour = alt.Color(
            "curve:N", title=None, scale=scale, sort=order, legend=alt.Legend(columns=3, labelLimit=260)
        )
        shape = alt.Shape(
            "curve:N", title=None, sort=order, scale=alt.Scale(domain=order, range=list(SHAPES[: len(order)]))
        )
        layers = [
            once(base).mark_rule(strokeDash=[4, 3], color=SOFT).encode(y=alt.datum(plan.power)),
            once(base)
            .mark_text(align="left", dx=6, color=SOFT, baseline="middle")
            .encode(x=alt.value("width"), y=alt.datum(plan.power), text=alt.value(f"wanted, {plan.power:g}")),
            once(base).mark_rule(strokeDash=[4, 3], color=MARK).encode(x=alt.datum(plan.have)),
            once(base)
            .mark_text(align="center", dy=-14, color=MARK)
            .encode(x=alt.datum(plan.have), y=alt.value(0), text=alt.value(f"{plan.have:,} now")),
            base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour),
            base.mark_point(size=40).encode(x=x, y=y, color=colour, shape=shape),
        ]
        return alt.layer(*layers, height=300)

    return figure_of(
        "power",
        f"Power by the number of topics, {plan.title}",
        _power_words(plan, len(names) - len(shown)),
        data,
        drawing,
        notes=tuple(plan.warnings()),
        signature=plan.signature,
    )


def _power_words(plan: PowerPlan, left: int) -> str:
    first = plan.needs[0]
    which = "" if plan.difference is not None else " (the smallest that is found now)"
    others = "; other tests likewise" if plan.smooth_curve["test"].nunique() > 1 else ""
    lines = [
        f"How often a difference of {number(plan.looked_for, 3)}{which} between two systems would be found"
        f" ({basis(plan, first)}{others}), in {plan.asked.simulations:,} simulations."
    ]
    if plan.pairs > 1:
        here = "; “others as now”: the other systems stay as far apart as they are"
        typical = any(need.compared == "typical" for need in plan.needs)
        lines.append(
            "Plain curves are for all pairs, whatever the other systems do; “one pair” was chosen beforehand"
            f"{here if typical else ''}."
        )
    if left:
        lines.append(
            f"{counted(left, 'other test')} {'is' if left == 1 else 'are'} in the table of `adjudge plan`."
        )
    return " ".join(lines)


ALIKE = 0.06
"""Of the height of a panel: lines that are no further apart lie on each other."""
QUANTITIES = ("standard error of a difference", "reliability of systems' means", "power")


def design_curves(study: DesignStudy) -> Figure:
    """Standard error, reliability and power by the number of topics, a curve for each number of assessors."""
    import altair as alt

    points = study.curves()
    if not points:
        raise DataError("there is no design of judging to draw: too little is known of how assessors differ")
    rows = [
        {
            "quantity": quantity,
            "assessors": counted(row.design.assessors, "assessor"),
            "topics": row.design.topics,
            "value": value,
            "judgments": row.design.judgments,
            "now": row.now,
        }
        for row, reliability in points
        for quantity, value in zip(QUANTITIES, (row.error, reliability, row.power), strict=True)
    ]
    data = pd.DataFrame(rows)
    data = data[data.groupby("quantity")["value"].transform(lambda values: values.notna().any())].reset_index(
        drop=True
    )
    order = in_order(labels(dict.fromkeys(data["assessors"])).values())
    # Marks take turns along the lines, which may lie on each other.
    turn = data["topics"].rank(method="dense").astype(int) - data["assessors"].map(order.index)
    data["marked"] = turn % len(order) == 0
    panels = [quantity for quantity in QUANTITIES if quantity in set(data["quantity"])]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        x = alt.X(
            "topics:Q",
            title="topics, all of them judged by every assessor",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(
                values=[
                    n
                    for n in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
                    if n <= data["topics"].max()
                ],
                grid=False,
                format="d",
            ),
        )
        y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
        colour = alt.Color(
            "assessors:N",
            title=None,
            sort=order,
            scale=alt.Scale(domain=order, range=list(SERIES[: len(order)])),
        )
        shape = alt.Shape(
            "assessors:N",
            title=None,
            sort=order,
            scale=alt.Scale(domain=order, range=list(SHAPES[: len(order)])),
        )
        with_value = base.transform_filter("isValid(datum.value)")
        drawn = alt.layer(
            with_value.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
            with_value.transform_filter("datum.marked")
            .mark_point(size=36)
            .encode(x=x, y=y, color=colour, shape=shape),
            with_value.transform_filter("datum.now")
            .mark_point(size=240, filled=False, color=MARK, strokeWidth=2)
            .encode(x=x, y=y),
            width=500,
            height=150,
        )
        panelled: alt.TopLevelMixin = drawn.facet(
            row=alt.Row(
                "quantity:N",
                sort=panels,
                title=None,
                header=alt.Header(
                    labelAngle=0,
                    labelAnchor="start",
                    labelOrient="top",
                    labelFontWeight="bold",
                    labelLimit=400,
                    labelPadding=2,
                ),
            ),
            spacing=22,
        ).resolve_scale(y="independent")
        return panelled

    now = study.present
    kept = bool((data["now"]).any())
    words = ["A decision study: assessors who judge every topic, as a sample of others like them."]
    if kept and now is not None:
        words.append(f"The ring is the present design, {called(now)}.")
    if "power" in panels:
        words.append(
            f"Power is for a difference of {number(study.difference, 3)} ({sampled_basis(study.pairs, study.alpha)})."
        )
    if QUANTITIES[1] in panels:
        words.append("Reliability is the generalizability coefficient.")
    if alike := [quantity for quantity in panels if len(order) > 1 and _alike(data, quantity)]:
        words.append(f"Lines of {listed(alike)} lie on each other: more assessors change little there.")
    few = sorted({row.design.assessors for row, _ in points if math.isnan(row.power)})
    if few and "power" in panels:
        words.append("There is no power where assessors or topics are too few for a test.")
    return figure_of(
        "d-study",
        f"What more topics and more assessors would give, {study.title}",
        " ".join(words),
        data,
        drawing,
        signature=study.signature,
    )


def _alike(data: pd.DataFrame, quantity: str) -> bool:
    """Whether the curves of a quantity are nowhere further apart than a share of what is drawn."""
    values = data[data["quantity"] == quantity]
    apart = values.groupby("topics")["value"].agg(lambda some: some.max() - some.min()).max()
    return bool(apart < ALIKE * (values["value"].max() - values["value"].min()))


# In the catalogue

FEW_SIMULATIONS = 100
"""For a plan of which only what is not simulated is drawn."""


def _planned(scores: Scores, options: FigureOptions, simulations: int = Plan.simulations) -> PowerPlan:
    asked = Plan(
        options.measure,
        length=options.length,
        form=options.form,
        seed=options.seed,
        progress=options.progress,
        simulations=simulations,
    )
    return asked.run(scores)


def _power_figure(scores: Scores, options: FigureOptions) -> Figure:
    return _planned(scores, options).figure("power")


def _d_study(scores: Scores, options: FigureOptions) -> Figure:
    plan = _planned(scores, options, simulations=FEW_SIMULATIONS)
    if plan.designs is not None and plan.designs.kind == "smallest":  # which alone comes from simulations
        plan = _planned(scores, options)
    if plan.designs is None:
        raise DataError(
            f"{plan.measure}: designs of judging cannot be compared: {why_no_designs(plan.sources)}"
        )
    return plan.designs.figure("d-study")


SPECS = (
    FigureSpec(
        "power",
        "How often a difference would be found, by the number of topics and the test.",
        _power_figure,
        example="-m rouge-2 --length 100",
    ),
    FigureSpec(
        "d-study",
        "Standard error, reliability and power by the number of topics and of assessors.",
        _d_study,
        example="-m coverage --length 100",
    ),
)
