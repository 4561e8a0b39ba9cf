"""Pictures of a comparison's pairs: their differences, and who is better than whom."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from adjudge.analyses.compare.pairs import MISSING_SCORES
from adjudge.analyses.compare.words import tally
from adjudge.analyses.drawing import few_enough, labels, once, step, text_size
from adjudge.core.errors import UsageError, among, quoted
from adjudge.core.phrases import Argument
from adjudge.core.picture import (
    ACCENT,
    GRID,
    HEAT,
    INK,
    MARK,
    PAPER,
    PLAIN,
    SOFT,
    Figure,
    figure_of,
    in_order,
)
from adjudge.core.words import capitalised, counted, decimal

if TYPE_CHECKING:
    import altair as alt

    from adjudge.analyses.compare.pairs import ComparedPair, Comparison

MOST_PAIRS = 80
"""Lines that one picture takes; with more pairs, one system has to be chosen."""
MOST_SYSTEMS = 80
"""Of the matrix of all pairs."""
CONCLUSION_COLOURS = {
    "differ": INK,
    "not significantly different": PLAIN,
    "could not have been found": MARK,
    "not comparable": SOFT,
    "not tested": GRID,
}


# Differences with their intervals


def forest(comparison: Comparison, *, against: str | None = None) -> Figure:
    """Every pair's difference with its interval, the largest first; with `against`, every other system less that one.

    Where the comparison has a margin, its two lines are drawn.
    """
    import altair as alt

    against = comparison.asked.against if against is None else against
    pairs = _pairs(comparison, against)
    called = labels(comparison.matrix.systems)
    margin = comparison.asked.margin
    rows = [_difference(pair, called, against) for pair in pairs]
    rows.sort(key=lambda row: _place(row["difference"], signed=against is not None))
    data = pd.DataFrame(rows)
    if margin is None:
        data = data.drop(columns="verdict")
    order = in_order(data["pair"])
    there = [c for c in CONCLUSION_COLOURS if c in set(data["conclusion"])]
    side = comparison.tested[comparison.test].results.alternative
    open_end = {"greater": "width", "less": 0}.get(side if against == comparison.asked.against else "")
    what = f"a system less {against}" if against else "first system less second"

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        y = alt.Y("pair:N", sort=order, title=None, axis=alt.Axis(labelLimit=300))
        colour = alt.Color(
            "conclusion:N",
            title=None,
            scale=alt.Scale(domain=there, range=[CONCLUSION_COLOURS[c] for c in there]),
            legend=alt.Legend(labelLimit=300),
        )
        title = f"difference in {comparison.matrix.heading}, {what}"
        x = alt.X("difference:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(titleLimit=560))
        layers = [once(base).mark_rule(strokeDash=[4, 3], color=SOFT).encode(x=alt.datum(0))]
        if margin is not None:
            layers += [
                once(base)
                .mark_rule(strokeDash=[1, 3], strokeWidth=1.5, color=ACCENT)
                .encode(x=alt.datum(end))
                for end in (-margin, margin)
            ]
        both = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        layers.append(
            both.mark_rule(strokeWidth=2).encode(
                x=alt.X("low:Q", scale=alt.Scale(zero=False)), x2="high:Q", y=y, color=colour
            )
        )
        if open_end is not None:
            end = "low" if open_end == "width" else "high"
            one = base.transform_filter(f"isValid(datum.{end})")
            layers.append(
                one.mark_rule(strokeWidth=2).encode(
                    x=alt.X(f"{end}:Q"), x2=alt.value(open_end), y=y, color=colour
                )
            )
        layers.append(base.mark_point().encode(x=x, y=y, color=colour))
        layers.append(
            base.transform_filter("!isValid(datum.difference)")
            .mark_text(align="left", color=SOFT, fontSize=11)
            .encode(x=alt.value(4), y=y, text="conclusion:N")
        )
        return alt.layer(*layers, height=alt.Step(20))

    return figure_of(
        "forest",
        f"Differences between systems, {comparison.title}",
        _forest_words(comparison, pairs, data, against, one_sided=open_end is not None),
        data,
        drawing,
        notes=tuple(comparison.warnings(without=(MISSING_SCORES,))),
        signature=comparison.signature,
    )


def _pairs(comparison: Comparison, against: str | None) -> list[ComparedPair]:
    systems = comparison.matrix.systems
    if against is not None and against not in systems:
        raise UsageError(f"{Argument('against')} {quoted(against)}: no such system{among(against, systems)}")
    pairs = [p for p in comparison.pairs[comparison.test] if against is None or against in (p.a, p.b)]
    if not pairs:
        who = f" with {against}" if against else ""
        raise UsageError(f"there is no pair of systems{who} to draw: a forest needs two systems with scores")
    few_enough(len(pairs), MOST_PAIRS, "pairs", f"choose one system with {Argument('against')}")
    return pairs


def _difference(pair: ComparedPair, called: dict[str, str], against: str | None) -> dict[str, object]:
    """A row: first less second; with a chosen system, the other less that one."""
    turned = pair.a == against
    a, b = (pair.b, pair.a) if turned else (pair.a, pair.b)
    difference, low, high = pair.result.difference, pair.low, pair.high
    if turned:
        difference, low, high = 0.0 - difference, 0.0 - high, 0.0 - low
    return {
        "pair": called[a] if against else f"{called[a]} – {called[b]}",
        "a": a,
        "b": b,
        "difference": difference,
        "low": low,
        "high": high,
        "p": pair.p_adjusted,
        "conclusion": str(pair.conclusion),
        "verdict": pair.verdict,
    }


def _place(difference: object, *, signed: bool) -> tuple[bool, float]:
    """Largest first; those without one last."""
    assert isinstance(difference, float)
    if math.isnan(difference):
        return True, 0.0
    return False, -difference if signed else -abs(difference)


def _forest_words(
    comparison: Comparison,
    pairs: list[ComparedPair],
    data: pd.DataFrame,
    against: str | None,
    *,
    one_sided: bool,
) -> str:
    differ = sum(pair.different for pair in pairs)
    of = f"{counted(len(pairs), 'other system')}" if against else counted(len(pairs), "pair")
    verb = "differs" if differ == 1 else "differ"
    whom = "" if comparison.population is None else f" for {for_whom(comparison)}"
    sentences = [f"{differ} of {of} {verb}{f' from {against}' if against else ''}{whom}."]
    direction = comparison.matrix.info.better
    if direction is not None:
        side = "right" if direction == "higher" else "left"
        whom = f"a system is better than {against}" if against else "the first system of a pair is better"
        sentences.append(f"{side.capitalize()} of 0 {whom}.")
    line = (
        "each by itself"
        if comparison.asked.intervals == "pointwise"
        else "which agrees with the corrected test"
    )
    level = f", at {comparison.level:.0%}" if comparison.asked.intervals == "pointwise" else ""
    sentences.append(f"The point is the mean difference, the line its interval{level}, {line}.")
    if one_sided:
        sentences.append("The test is one-sided, and the intervals have one end.")
    lost = int(data["difference"].isna().sum())
    bare = int((data["low"].isna() & data["high"].isna() & data["difference"].notna()).sum())
    if bare:
        sentences.append(f"{counted(bare, 'difference has', 'differences have')} no interval.")
    if lost:
        sentences.append(f"{counted(lost, 'pair has', 'pairs have')} no topic in common and no difference.")
    if comparison.asked.margin is not None:
        same = sum(pair.same for pair in pairs)
        sentences.append(
            f"Dotted lines are the margin of {decimal(comparison.asked.margin, 'g')}: {same} of {of}"
            f" {'is' if same == 1 else 'are'} shown to be within it."
        )
    return " ".join(sentences)


# Who is better than whom


def matrix(comparison: Comparison) -> Figure:
    """Every pair in a square: whether the row's system is better than the column's, or what else is known."""
    import altair as alt

    names = [s.system for s in comparison.standings]
    few_enough(
        len(names),
        MOST_SYSTEMS,
        "systems",
        f"compare them with one, by {Argument('against')} of the figure forest",
    )
    if len(names) < 2:
        raise UsageError("one system has scores: there is no pair to draw")
    called = labels(names, comparison.kinds)
    high, low = ("better", "worse") if comparison.matrix.info.better else ("higher", "lower")
    states = {
        f"+ row is {high} than column": ("+", ACCENT, PAPER),
        f"– row is {low} than column": ("–", HEAT[2], INK),
        "not significantly different": ("", GRID, INK),
        "? could not have been found": ("?", MARK, PAPER),
        "× no topic in common": ("×", PLAIN, PAPER),
        "× could not be tested": ("×", SOFT, PAPER),
        "not asked for": ("", PAPER, INK),
    }
    words = list(states)
    of = {
        "not significantly different": words[2],
        "could not have been found": words[3],
        "not comparable": words[4],
        "not tested": words[5],
    }
    by_pair = {(p.a, p.b): p for p in comparison.pairs[comparison.test]}
    better = comparison.better
    rows = []
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            if i == j:
                continue
            pair = by_pair.get((row, column)) or by_pair.get((column, row))
            sign = 1.0 if (row, column) in by_pair else -1.0
            state = words[6] if pair is None else of.get(pair.conclusion, "")
            if not state:
                state = words[0] if better[i, j] else words[1]
            rows.append(
                {
                    "row": called[row],
                    "column": called[column],
                    "result": state,
                    "sign": states[state][0],
                    "difference": math.nan if pair is None else 0.0 + sign * pair.result.difference,
                    "p": math.nan if pair is None else pair.p_adjusted,
                }
            )
    data = pd.DataFrame(rows)
    there = [word for word in words if word in set(data["result"])]
    pixels = step(len(names), 640, 9, 30)
    order = in_order(called.values())
    light = [word for word in there if states[word][2] == PAPER]

    def drawing(base: alt.Chart) -> alt.TopLevelMixin:
        axis = alt.Axis(labelFontSize=text_size(pixels), labelLimit=170)
        x = alt.X(
            "column:N",
            sort=order,
            title=None,
            axis=alt.Axis(**axis.to_dict(), labelAngle=-90, orient="bottom"),
        )
        y = alt.Y("row:N", sort=order, title=None, axis=axis)
        colour = alt.Color(
            "result:N",
            title=None,
            scale=alt.Scale(domain=there, range=[states[word][1] for word in there]),
            legend=alt.Legend(
                columns=2, labelLimit=300, symbolType="square", symbolStrokeColor=GRID, symbolStrokeWidth=1
            ),
        )
        cells = base.mark_rect(stroke=PAPER, strokeWidth=1).encode(x=x, y=y, color=colour)
        ink = alt.condition(
            alt.FieldOneOfPredicate(field="result", oneOf=light), alt.value(PAPER), alt.value(INK)
        )
        signs = base.mark_text(fontSize=text_size(pixels), fontWeight="bold").encode(
            x=x, y=y, text="sign:N", color=ink
        )
        return alt.layer(cells, signs, width=alt.Step(pixels), height=alt.Step(pixels))

    whom = "" if comparison.population is None else f" The cells are for {for_whom(comparison)}."
    return figure_of(
        "matrix",
        f"Who is {high} than whom, {comparison.title}",
        f"{capitalised(tally(comparison))}.{whom} A cell says how the system of its row compares with that of its"
        f" column; systems from the {'best' if comparison.matrix.info.better else 'highest'} mean on.",
        data,
        drawing,
        notes=tuple(comparison.warnings(without=(MISSING_SCORES,))),
        signature=comparison.signature,
    )


def for_whom(comparison: Comparison) -> str:
    """The assessors for whom conclusions hold, where scores have assessors: `assessors like these three`."""
    whose = comparison.population
    assert whose is not None
    return whose.like_these if comparison.sampled else whose.these
