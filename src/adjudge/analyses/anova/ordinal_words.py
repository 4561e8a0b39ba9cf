"""What is said of an ordinal model of ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.anova.words import OF_ROWS
from adjudge.analyses.phrasebook import best_words, pairs_differ
from adjudge.core.words import counted, listed, p_words

if TYPE_CHECKING:
    from adjudge.analyses.anova.ordinal import (
        LatentPosition,
        OrdinalResult,
        Outside,
        ScaleUse,
    )

MOST_NAMED = 8
"""Pairs about which the two models differ that are told one by one."""


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
    return f"{reason}, so that its distance from them has no finite estimate"


def _not_known(n: int, ratings: int) -> str:
    part = "no rating has" if n == ratings else f"{n:,} of {ratings:,} ratings do not have"
    return (
        f"{part} an assessor who is known by name: how assessors differ is in the noise, and what is found holds for"
        " the answers of these assessors"
    )


def _few_assessors(assessors: int, df: int, too_few: bool) -> str:
    left = f"{assessors:,} assessors judged, which leaves {counted(df, 'degree')} of freedom for how they differ about"
    if too_few:
        return f"{left} systems: too few to say what other assessors would have found"
    return f"{left} systems: this supposes that they disagree about all systems alike; more assessors would show more"


def _levels_not_given(absent: Sequence[float], levels: int) -> str:
    names = listed([f"{level:g}" for level in absent])
    return f"nobody gave {names}: the model is of the {levels} levels that occur"


NOTES = {
    **OF_ROWS,
    "pairs-not-shown": "{n:,} pairs of systems are not shown: the table contrasts has them",
    "in-neither-model": "{system} is in neither model: {why}",
    "assessors-not-known": _not_known,
    "levels-not-given": _levels_not_given,
    "only-one": "there is only one {factor}, {level}: what is found holds for {level} alone",
    "assessors-are-topics": (
        "each topic was judged by an assessor of its own: assessors and topics cannot be told apart, and what is said"
        " of topics holds for both together"
    ),
    "opinions-in-the-noise": (
        "the design cannot tell how assessors differ about systems from noise: what is found holds for these"
        " {assessors:,} assessors"
    ),
    "errors-are-pooled": (
        "standard errors are pooled over all systems, which supposes that assessors disagree about all of them alike;"
        " `adjudge compare` takes a pair's own error where it is larger, and may find fewer pairs"
    ),
    "few-assessors": _few_assessors,
    "term-left-out": lambda term, df: (
        f"{term} is not in the models: it would leave {counted(df, 'degree')} of freedom for the noise, and no noise in"
        " these ratings"
    ),
    "more-effects-than-ratings": (
        "the model has {effects:,} random effects for {ratings:,} ratings: its variances rest on little, and so do"
        " distances on the latent scale"
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
    for check in result.checks:
        yield _about_scale(check, result.alpha)


def _headline(result: OrdinalResult) -> str:
    ordinal, linear = (len(result.pairs_found(by)) for by in ("ordinal", "linear"))
    tally = pairs_differ(ordinal, len(result.contrasts))
    differ = f"On {result.title} {tally} by the ordinal model, {linear:,} by the linear model"
    if other := len(result.disagreements()):
        return f"{differ}: they disagree about {other:,}."
    return f"{differ}: they conclude the same of {'the' if len(result.contrasts) == 1 else 'every'} pair."


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
                f"Of {pair.a} and {pair.b} the models disagree which is higher: {by_ordinal} by the ordinal model"
                f" ({ordinal}), {by_linear} by the linear one ({linear})."
            )
            continue
        which = "ordinal" if pair.differ_by == "ordinal alone" else "linear"
        size = pair.difference if which == "ordinal" else pair.linear_difference
        lower = result.info.better == "lower"
        first, second = (pair.a, pair.b) if (size > 0) != lower else (pair.b, pair.a)
        yield (
            f"Only the {which} model finds {first} {'better' if result.info.better else 'higher'} than {second}:"
            f" {ordinal} by the ordinal model, {linear} by the linear one."
        )
    if len(other) > MOST_NAMED:
        yield f'The column "differ by" has {len(other) - MOST_NAMED:,} more about which they disagree.'


def _about_severity(result: OrdinalResult) -> Iterator[str]:
    if not result.severity:
        return
    if all(math.isnan(who.error) for who in result.severity):
        yield "The assessors do not differ in severity: its variance is estimated as 0."
        return
    verbs = ("is", "are") if result.info.better else ("rates", "rate")
    parts = []
    for kind in ("harsh", "mild") if result.info.better else ("low", "high"):
        named = [f"{who.assessor} ({who.expected:.2f})" for who in result.severity if who.word == kind]
        if named:
            parts.append(f"{listed(named)} {verbs[len(named) > 1]} {kind}")
    if parts:
        yield (
            f"{' and '.join(parts)}: in brackets the mean rating over systems that is expected of them, where"
            f" {result.average_expected:.2f} is expected of the average assessor."
        )
        return
    ends = "harsh or mild" if result.info.better else "high or low"
    yield f"No assessor is clearly {ends}: every interval of their severity holds 0."


def _about_variances(result: OrdinalResult) -> Iterator[str]:
    largest = sorted(result.random, key=lambda term: -term.deviation)
    there = [f"{term.term} ({term.deviation:.2f})" for term in largest if term.deviation]
    if there:
        yield (
            f"Standard deviations on the latent scale: {listed(there, most=len(there))}; a rating's own noise has 1.81."
        )
    none = [term.term for term in result.random if not term.deviation]
    if none:
        many = len(none) > 1
        yield f"The variance{'s' * many} of {listed(none)} {'are' if many else 'is'} estimated as 0."


def _about_scale(check: ScaleUse, alpha: float) -> str:
    """Whether levels are used as the model expects."""
    basis = f"{p_words(check.p, alpha)}, {counted(check.resamples, 'draw')} from the model"
    verb = "got" if check.over == "system" else "gave"
    cases = counted(check.observed, "case") if check.observed else "no case"
    off = f"{check.worst} {verb} a {check.level:g} in {cases}, where {check.expected:.1f} are expected"
    if check.p <= alpha:
        return f"By {check.over} the levels are not used as the model expects ({basis}): {off}."
    return f"By {check.over} the levels are used about as the model expects ({basis}); furthest off, {off}."
