"""What is said of an ordinal model of ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.anova.words import OF_ROWS
from adjudge.analyses.phrasebook import best_words, pairs_differ
from adjudge.core.words import capitalised, counted, listed, p_words

if TYPE_CHECKING:
    from adjudge.analyses.anova.ordinal import (
        LatentPosition,
        OrdinalContrast,
        OrdinalResult,
        Outside,
        ScaleUse,
    )

MOST_NAMED = 8
"""Pairs about which the two models differ that are told one by one."""
ENOUGH = 0.8
"""The power that a check needs for it to say anything that it found nothing."""


def why_outside(outside: Outside) -> str:
    """Why a system is in no model."""
    above = outside.side == "above"
    others = "none of the others'"
    beyond = "above it" if above else "below it"
    if not outside.constant:
        within = "below" if above else "above"
        reason = f"none of its ratings lies {within} {outside.rating:g}, and {others} {beyond}"
    else:
        at_end = f"the {'highest' if above else 'lowest'} there is"
        where = at_end if outside.at_end else f"and {others} lies {beyond}"
        reason = f"every one of its ratings is {outside.rating:g}, {where}"
    return f"{reason}, so its distance from them has no finite estimate"


def _not_known(n: int, ratings: int) -> str:
    part = "no rating names its" if n == ratings else f"{n:,} of {ratings:,} ratings do not name their"
    return f"{part} assessor: how assessors differ is part of the noise, and conclusions hold for these assessors only"


def _few_assessors(assessors: int, df: int, too_few: bool) -> str:
    left = f"{assessors:,} assessors leave {counted(df, 'degree')} of freedom for their disagreement about systems"
    if too_few:
        return f"{left}: too few to speak for other assessors"
    return f"{left}, taken as equal for all systems: more assessors would be safer"


def _levels_not_given(absent: Sequence[float], levels: int) -> str:
    names = listed([f"{level:g}" for level in absent])
    return f"nobody gave {names}: the model has the {levels} levels that occur"


NOTES = {
    **OF_ROWS,
    "pairs-not-shown": "{n:,} pairs of systems are not shown: they are in the table contrasts",
    "in-neither-model": "{system} is in neither model: {why}",
    "assessors-not-known": _not_known,
    "levels-not-given": _levels_not_given,
    "only-one": "there is only one {factor}, {level}: conclusions hold for {level} alone",
    "assessors-are-topics": (
        "each topic has an assessor of its own: effects of topics and of assessors cannot be separated"
    ),
    "opinions-in-the-noise": (
        "the design cannot separate assessors' views of systems from noise: conclusions hold for these {assessors:,}"
        " assessors only"
    ),
    "errors-are-pooled": (
        "standard errors are pooled over systems, as if assessors disagreed about all of them alike; `adjudge compare`"
        " averages a pair's own variance with those of all pairs, and may find other pairs"
    ),
    "few-assessors": _few_assessors,
    "term-left-out": lambda term, df: (
        f"{term} is left out of the models: with it no noise would be left ({counted(df, 'degree')} of freedom)"
    ),
    "more-effects-than-ratings": (
        "{effects:,} random effects for {ratings:,} ratings: variances and latent distances are unreliable"
    ),
}


def sentences(result: OrdinalResult) -> Iterator[str]:
    yield _headline(result)
    names = [place.system for place in result.systems if not place.outside]
    outside = [place for place in result.systems if place.outside]
    among = f", among the {len(names)} systems in it" if outside else ""
    directed = result.info.better is not None
    yield f"{best_words(result.better(), names, directed=directed, start=f'By the ordinal model{among}, ')}."
    for place in outside:
        yield f"{place.system} is in neither model: by its ratings alone it is {_side(result, place)} all of them."
    yield from _disagreements(result)
    yield from _about_severity(result)
    yield from _about_variances(result)
    yield from _about_scale(result.checks, result.alpha)


def _headline(result: OrdinalResult) -> str:
    ordinal, linear = (len(result.pairs_found(by)) for by in ("ordinal", "linear"))
    if len(result.contrasts) == 1:
        return f"On {result.title}, {_of_one_pair(result.contrasts[0])}."
    tally = pairs_differ(ordinal, len(result.contrasts))
    differ = f"On {result.title}, {tally} by the ordinal model, {linear:,} by the linear model"
    if other := len(result.disagreements()):
        return f"{differ}; they disagree about {other:,}."
    return f"{differ}; they agree on every pair."


def _of_one_pair(pair: OrdinalContrast) -> str:
    """A pair alone is not counted."""
    match pair.differ_by:
        case "both models":
            but = "; they disagree which is higher" if pair.models_disagree else ""
            return f"{pairs_differ(1, 1)} by both models{but}"
        case "neither":
            return f"{pairs_differ(0, 1)} by either model"
        case _:
            by, other = ("ordinal", "linear") if pair.differ_by == "ordinal alone" else ("linear", "ordinal")
            return f"{pairs_differ(1, 1)} by the {by} model, but not by the {other} one"


def _side(result: OrdinalResult, place: LatentPosition) -> str:
    """Where a system stands that is in no model: beyond the others it was compared with, without a test."""
    above = place.side == "above"
    if result.info.better is None:
        return "higher than" if above else "lower than"
    return "ahead of" if above != (result.info.better == "lower") else "behind"


def _disagreements(result: OrdinalResult) -> Iterator[str]:
    """Pair by pair, where the two models conclude otherwise."""
    other = result.disagreements()
    for pair in other[:MOST_NAMED]:
        ordinal, linear = (p_words(p, result.alpha) for p in (pair.p, pair.linear_p))
        if pair.differ_by == "both models":
            by_ordinal, by_linear = (
                pair.a if size > 0 else pair.b for size in (pair.difference, pair.linear_difference)
            )
            yield (
                f"The models disagree which of {pair.a} and {pair.b} is higher: ordinal {by_ordinal} ({ordinal}),"
                f" linear {by_linear} ({linear})."
            )
            continue
        which = "ordinal" if pair.differ_by == "ordinal alone" else "linear"
        size = pair.difference if which == "ordinal" else pair.linear_difference
        lower = result.info.better == "lower"
        first, second = (pair.a, pair.b) if (size > 0) != lower else (pair.b, pair.a)
        yield (
            f"Only the {which} model finds {first} {'better' if result.info.better else 'higher'} than {second}"
            f" (ordinal {ordinal}, linear {linear})."
        )
    if len(other) > MOST_NAMED:
        yield f'They disagree about {len(other) - MOST_NAMED:,} more: see the column "differ by".'


def _about_severity(result: OrdinalResult) -> Iterator[str]:
    if not result.severity:
        return
    if all(math.isnan(who.error) for who in result.severity):
        yield "No sign that assessors differ in severity: its variance is estimated as 0."
        return
    parts = []
    for kind in ("harsh", "mild") if result.info.better else ("low", "high"):
        named = [f"{who.assessor} ({who.expected:.2f})" for who in result.severity if who.word == kind]
        if named:
            parts.append(f"{kind}: {listed(named)}")
    if parts:
        yield (
            f"{capitalised('; '.join(parts))}; average assessor: {result.average_expected:.2f} (expected mean"
            " rating over systems)."
        )
        return
    ends = "harsh or mild" if result.info.better else "high or low"
    yield f"No assessor is clearly {ends}: every interval of severity includes 0."


def _about_variances(result: OrdinalResult) -> Iterator[str]:
    largest = sorted(result.random, key=lambda term: -term.deviation)
    there = [f"{term.term} ({term.deviation:.2f})" for term in largest if term.deviation]
    if there:
        yield (
            f"Standard deviations on the latent scale: {listed(there, most=len(there))}; noise of one rating (1.81)."
        )
    none = [term.term for term in result.random if not term.deviation]
    if none:
        many = len(none) > 1
        yield f"The variance{'s' * many} of {listed(none)} {'are' if many else 'is'} estimated as 0."


def _about_scale(checks: Sequence[ScaleUse], alpha: float) -> Iterator[str]:
    """Whether levels are used as the model expects; that they are, only where the check could have failed."""
    passed = [
        f"by {check.over} ({p_words(check.p, alpha)})"
        for check in checks
        if check.p > alpha and check.power >= ENOUGH
    ]
    if passed:
        yield f"The levels are used as the model expects {listed(passed)}."
    for check in checks:
        if check.p <= alpha:
            verb = "got" if check.over == "system" else "gave"
            yield (
                f"By {check.over} the levels are not used as the model expects ({p_words(check.p, alpha)}):"
                f" {check.worst} {verb} a {check.level:g} {counted(check.observed, 'time')}, expected"
                f" {check.expected:.1f}."
            )
