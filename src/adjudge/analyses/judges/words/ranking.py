"""What is said of the rankings of systems that judges reproduce."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses.meta.words import interval_words
from adjudge.core.words import counted, listed
from adjudge.stats.paired import test_words

if TYPE_CHECKING:
    from adjudge.analyses.judges.ranking import AspectRanking, RankingResult

NOTES = {
    "intervals-cover": "the intervals of tau with people cover {what}",
    "best-measure": "the measure is the one with the highest tau here",
    "topics-share-sets": (
        "several topics share a set: intervals resample whole sets, but tests of pairs take topics as independent"
    ),
    "how-tested": lambda test, alpha, corrected: (
        f"differences by {test_words(test)} over topics, p <= {alpha:g}, {corrected}, the same test for people and for"
        " the judge: people's conclusions are for these assessors, not for others"
    ),
    "no-proof-of-equality": "that neither finds a difference does not show that there is none",
}


def sentences(result: RankingResult) -> Iterator[str]:
    if len(result.aspects) != 1:
        judges = dict.fromkeys(aspect.judge for aspect in result.aspects)
        yield (
            " ".join(_summed(result, judge) for judge in judges) or "There is no question to rank systems by."
        )
    for aspect in result.aspects:
        yield from about_aspect(aspect, result.asked.level)


def _summed(result: RankingResult, judge: str) -> str:
    """Of several questions: the tau of each."""
    aspects = [aspect for aspect in result.aspects if aspect.judge == judge]
    ranked = [aspect for aspect in aspects if aspect.why is None and not math.isnan(aspect.own.tau)]
    if not ranked:
        return f"No ranking of {judge}'s has a tau with people's."
    named = [
        f"{aspect.own.tau:.2f}{interval_words(aspect.own.low, aspect.own.high)} on {aspect.aspect}"
        for aspect in ranked
    ]
    text = f"{judge}'s rankings of systems have Kendall's tau-b {listed(named, most=9)} with people's"
    without = [aspect.aspect for aspect in aspects if aspect not in ranked]
    return f"{text}; there is none on {listed(without)}." if without else f"{text}."


def about_aspect(aspect: AspectRanking, level: float) -> Iterator[str]:
    if aspect.why is not None:
        yield f"On {aspect.aspect} no ranking of {aspect.judge} could be compared with people's: {aspect.why}."
        return
    for sentence in (
        _tau(aspect, level),
        *_beside_assessor(aspect, level),
        *_concluded(aspect),
        *_controls(aspect),
    ):
        yield f"On {aspect.aspect} {sentence}"


def _tau(aspect: AspectRanking, level: float) -> str:
    """The tau with its interval, and what it leaves open."""
    of_judge = aspect.own
    if math.isnan(of_judge.tau):
        return f"{aspect.judge}'s ranking of systems has no tau with people's: {of_judge.why}."
    text = (
        f"{aspect.judge}'s ranking of {counted(of_judge.systems, 'system')} has Kendall's tau-b"
        f" {of_judge.tau:.2f} with people's"
    )
    if math.isnan(of_judge.low):
        return f"{text}, without an interval ({of_judge.why_no_interval})."
    text += f" ({level:.0%} interval {of_judge.low:.2f} to {of_judge.high:.2f})"
    if of_judge.low <= 0 <= of_judge.high:
        return f"{text}: it may not be related to people's at all."
    return f"{text}: rather the reverse of people's." if of_judge.high < 0 else f"{text}."


def _beside_assessor(aspect: AspectRanking, level: float) -> Iterator[str]:
    of_judge = aspect.own
    if math.isnan(aspect.assessor):
        yield f"no assessor's ranking can be compared with others': {of_judge.why_no_assessor}."
        return
    if math.isnan(of_judge.difference):
        yield f"one assessor's ranking has tau {aspect.assessor:.2f} with the others' on average."
        return
    text = (
        f"one assessor's ranking has tau {aspect.assessor:.2f} with the others' on average,"
        f" {aspect.judge}'s {of_judge.with_rest:.2f} with the same"
    )
    if of_judge.beside_assessor is None:
        yield f"{text}; the difference has no interval ({of_judge.why_no_assessor})."
        return
    between = (
        f"{level:.0%} interval of the difference {of_judge.difference_low:+.2f}"
        f" to {of_judge.difference_high:+.2f}"
    )
    verdict = {
        "below": "below an assessor",
        "above": "above an assessor",
        "like": "not significantly different from an assessor, which does not show that it is as good",
    }[of_judge.beside_assessor]
    yield f"{text}: {verdict} ({between})."


def _concluded(aspect: AspectRanking) -> Iterator[str]:
    shared = aspect.conclusion("judge")
    if shared is None:
        yield f"no conclusions could be compared: {aspect.why_untested}."
        return
    if not shared.pairs:
        yield f"no pair of systems could be tested both by people's answers and by {aspect.judge}'s."
        return
    if not shared.people_find:
        yield (
            f"people's answers show no significant difference on any of"
            f" {counted(round(shared.pairs), 'pair')} of systems, so that there is none to share; {aspect.judge}'s show"
            f" one on {_times(shared.only_measure)}."
        )
        return
    yield (
        f"people's answers show a significant difference on {_times(shared.people_find)} of"
        f" {counted(round(shared.pairs), 'pair')} of systems: {aspect.judge}'s show the same on {_times(shared.same)}"
        f" of them, the opposite on {_times(shared.opposite)} and none on {_times(shared.only_people)}, and"
        f" {_times(shared.only_measure)} that people's do not."
    )
    assessor, beside = aspect.conclusion("assessor", "all but one"), aspect.conclusion("judge", "all but one")
    if assessor is not None and beside is not None and assessor.people_find:
        yield (
            f"one assessor, beside the others, shares {_times(assessor.same)} of"
            f" {_times(assessor.people_find)} conclusions and contradicts {_times(assessor.opposite)} on average"
            f" over {counted(assessor.assessors, 'assessor')}; {aspect.judge}, beside the same, shares"
            f" {_times(beside.same)} of {_times(beside.people_find)} and contradicts {_times(beside.opposite)}."
        )


def _controls(aspect: AspectRanking) -> Iterator[str]:
    text = []
    for control in aspect.taus[1:]:
        name = "length alone" if control.kind == "length" else control.name
        if control.kind == "measure" and aspect.measures > 1:
            name += f", the best of {aspect.measures} measures here,"
        text.append(
            f"{name} has {'no tau' if math.isnan(control.tau) else f'tau {control.tau:.2f}'}"
            f"{interval_words(control.low, control.high)}"
        )
    if text:
        yield f"{listed(text)}."


def _times(value: float) -> str:
    """`12`; of means over assessors `12.3`."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
