"""What is said of curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.analyses.meta.curves import (
    CURVES,
    NEAR,
    Curve,
    CurveOf,
    CurvePoint,
    CurvesResult,
    NoCurve,
    Spread,
)
from adjudge.analyses.meta.words import SYMBOLS, number, placed, plural
from adjudge.core.phrases import Spoken
from adjudge.core.words import counted, exact_percent, listed
from adjudge.data.scores import Among

ALL_ARE_ONE = (
    "near all, subsets share most {units} and hardly vary, so the range says nothing of other {units}"
)


def _over_topics(unit: str, confidence: float) -> str:
    units = plural(unit)
    return (
        f"over {units}: the median of subsets of k {units}; low and high: a {exact_percent(confidence)} interval for k"
        f" {units} drawn anew (it holds the median), for these systems"
    )


def _over_assessors(of: int | None, confidence: float) -> str:
    whom = f"the same k of {of} assessors for all summaries"
    if of is None:
        whom = "k of the assessors who judged a summary, drawn topic by topic"
    return (
        f"over assessors: {whom}; at least {exact_percent(confidence)} of the subsets lie between low and high;"
        f" {ALL_ARE_ONE.format(units='assessors')}"
    )


def _over_references(of: int | None, confidence: float) -> str:
    which = f"the same k of {of} references on every topic"
    if of is None:
        which = "k references drawn topic by topic"
    return (
        f"over references: {which}; at least {exact_percent(confidence)} of the subsets lie between low and high;"
        f" {ALL_ARE_ONE.format(units='references')}. A flat end does not show that more references change nothing"
    )


def _shares(sets: bool, alpha: float, correction: str) -> str:
    holm = ", Holm's correction over all pairs" if correction == "holm" else ", not corrected"
    return (
        "pairs by a measure or by people: the share of pairs of systems that a paired t-test over"
        f" {'sets of topics' if sets else 'topics'} finds different (alpha {alpha:g}{holm}); people are the mean of the"
        " assessors"
    )


NOTES = {
    "over-topics": _over_topics,
    "over-assessors": _over_assessors,
    "over-references": _over_references,
    "shares-of-pairs": _shares,
    "judged-topics-alone": "over topics: only topics that people judged, for the measures as well",
    "unequal-assessors": (
        "over assessors: summaries of {human} have {least} to {most} assessors: the numbers end at {least}, then come"
        " all that there are"
    ),
    "unequal-references": (
        "over references: topics have {least} to {most} references: the numbers end at {least}, then come all that"
        " there are"
    ),
    "systems-wrote-references": lambda systems: (
        f"over references: {listed(systems)} also wrote references and {'is' if len(systems) == 1 else 'are'} never"
        " compared with their own: where it is among the k, they are compared with the others, if there are any"
    ),
    "scored-anew": (
        "over references: {measure} scores all texts anew for every subset, so that at most {most} of each size were"
        " drawn"
    ),
    "texts-changed": (
        "over references: texts changed since {measure} was scored; the curve is of the texts as they are"
    ),
}


def sentences(result: CurvesResult) -> Iterator[str]:
    """Of the first choice of systems; each table has its own lines."""
    lines: list[str] = []
    for what in CURVES:
        lines += placed(result.level, result.among[0], _lines(result, what, result.among[0]))
    yield from lines or ["There is nothing to draw a curve of."]


def about(result: CurvesResult, table: str) -> Iterator[str]:
    for what in CURVES:
        for among in result.among:
            if table == f"curves-{what}-{among}":
                yield from _lines(result, what, among)


def _lines(result: CurvesResult, what: CurveOf, among: Among) -> Iterator[str]:
    curves = result.of(what, among)
    yield from (sentence(curve) for curve in curves)
    yield from filter(None, dict.fromkeys(people_sentence(curve) for curve in curves))
    for missing in result.none:
        if missing.what == what and missing.among in (None, among):
            whose = " and ".join(filter(None, (missing.measure, missing.human)))
            yield f"No curve over {what}{f' for {whose}' if whose else ''}: {why(missing)}."


NO_CURVE: Mapping[str, str | Callable[..., str]] = {
    "refused": "{text}",
    "one-unit": lambda n, unit: (
        f"{counted(n, unit, plural(unit))} with scores of both, and a curve needs two"
    ),
    "one-assessor": "every summary was judged by one assessor, and a curve needs two",
    "one-reference": "every topic has one reference, and a curve needs two",
    "nobody-named": "its scores name no assessor",
    "not-judged": "these systems were not judged",
    "no-scores": "it needs the scores that the cells were made from",
    "of-measures": "it is made from other measures' scores",
    "of-people": "people gave its scores",
    "of-judgments": "it is made from judgments",
    "no-references": "it does not look at references",
    "no-texts": "its scores have no row per reference, and there are no texts to score again",
    "from-elsewhere": "it was computed elsewhere, and its scores have no row per reference",
    "other-systems": "it has no scores of these systems",
    "texts-gone": "the texts that it was made from are no longer there",
}
"""Why there is no curve."""


def why(missing: NoCurve) -> Spoken:
    return missing.why.words(NO_CURVE)


def axis(curve: Curve) -> str:
    """What is counted from point to point."""
    named = {"references": "references per topic", "assessors": "assessors per summary"}
    return named.get(curve.what, plural(curve.unit))


def sentence(curve: Curve) -> str:
    """The first and the last point, and from where on the curve is near its end."""
    symbol, what = (
        SYMBOLS.get(curve.coefficient, curve.coefficient),
        f"{curve.measure.words} with {curve.human.words}",
    )
    points = [point for point in curve.points if not math.isnan(point.correlation.value)]
    if not points:
        return f"{what}: no {symbol} with any number of {plural(curve.unit)} ({curve.points[-1].why})."
    clauses = [f"{_spread(curve, point)} with {_with(curve.unit, point)}" for point in _ends(points)]
    text = f"{what}: {symbol} = {', '.join(clauses)}"
    if points[-1] is curve.points[-1] and len(points) > 1:
        text += f"; {_settled(curve)}"
    pairs_found = _found(curve, f"{curve.measure.words} finds", [point.power for point in curve.points])
    return f"{text}. {pairs_found}" if pairs_found else f"{text}."


def people_sentence(curve: Curve) -> str:
    """How many pairs people find different; the same for every measure."""
    return _found(curve, f"{curve.human.words} finds", [point.people for point in curve.points])


def _spread(curve: Curve, point: CurvePoint) -> str:
    middle = number(point.correlation.value)
    if math.isnan(point.correlation.low):
        return middle
    ends = f"{number(point.correlation.low)} to {number(point.correlation.high)}"
    what = f"{exact_percent(curve.confidence)} interval" if curve.what == "topics" else "range"
    return f"{middle} ({what} {ends})"


def _settled(curve: Curve) -> str:
    last, before = curve.points[-1], curve.points[-2]
    if (start := curve.settled_from) is not None:
        where = "with any number of them" if start is curve.points[0] else f"from {start.shown} on"
        return f"{where} within {number(NEAR)} of the last"
    change = abs(last.correlation.value - before.correlation.value)
    if math.isnan(change):
        return f"there is none with {before.shown} ({before.why})"
    end = last.shown if last.k is not None else f"all that there are ({last.shown})"
    return f"from {before.shown} to {end} it still changes by {number(change)}"


def _found(curve: Curve, who: str, shares: Sequence[Spread]) -> str:
    """How many pairs of systems are found different at both ends."""
    defined = [(p, s.value) for p, s in zip(curve.points, shares, strict=True) if not math.isnan(s.value)]
    if not defined:
        return ""
    (first, share), *more = _ends(defined)
    pairs = (
        f"{share:.0%} of {counted(curve.pairs, 'pair')} of systems different with {_with(curve.unit, first)}"
    )
    return f"{who} {pairs}{''.join(f' and {share:.0%} with {point.shown}' for point, share in more)}."


def _with(unit: str, point: CurvePoint) -> str:
    return f"{point.shown} {unit if point.k == 1 else plural(unit)}"


def _ends(points: Sequence[Any]) -> Sequence[Any]:
    return (points[0], points[-1]) if len(points) > 1 else points
