"""What is said of the rankings of systems that judges reproduce."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from adjudge.analyses.meta.words import interval_words
from adjudge.analyses.phrasebook import assessors_like_these, these_assessors
from adjudge.core.words import counted, listed
from adjudge.stats.paired import test_words

if TYPE_CHECKING:
    from adjudge.analyses.judges.ranking import AspectRanking, Beside, RankingResult
    from adjudge.stats.checks import FloatArray

BESIDE: Mapping[Beside, str] = {
    "these": "these",
    "like these": "people like these",
    "all but one": "all but one",
}
"""Whose conclusions stand beside."""
NOTES = {
    "intervals-cover": "the intervals of tau with people cover {what}",
    "best-measure": "the measure is the one with the highest tau",
    "topics-share-sets": (
        "topics share sets: intervals resample whole sets, tests of pairs treat topics as independent"
    ),
    "how-tested": lambda test, alpha, corrected, like_these: (
        f"differences by {test_words(test)} over topics, p <= {alpha:g}, {corrected}; people's by those of compare"
        f"{', for people like these with assessors as a sample' if like_these else ''}"
    ),
    "these-only": "people's conclusions are for these assessors only: {why}",
    "no-proof-of-equality": "where neither finds a difference, there may still be one",
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
    ranked = [aspect for aspect in aspects if aspect.why is None and not math.isnan(aspect.of_judge.tau)]
    if not ranked:
        return f"No ranking by {judge} has a tau with people's."
    named = [
        f"{aspect.of_judge.tau:.2f}{interval_words(aspect.of_judge.low, aspect.of_judge.high)} on {aspect.aspect}"
        for aspect in ranked
    ]
    text = f"{judge} ranks systems as people do with Kendall's tau-b {listed(named, most=9)}"
    without = [aspect.aspect for aspect in aspects if aspect not in ranked]
    return f"{text}; no tau on {listed(without)}." if without else f"{text}."


def why_no_tau(name: str, ranked: FloatArray, people: FloatArray) -> str:
    """Of scores, topics x systems: why two rankings of systems have no tau."""
    both = ~np.isnan(ranked) & ~np.isnan(people)
    n = int(both.any(axis=0).sum())
    if n < 3:
        return f"fewer than 3 systems have both values ({n or 'none'})"
    judged = both[:, both.any(axis=0)]
    means = {
        who: np.mean(values[:, both.any(axis=0)], axis=0, where=judged)
        for who, values in ((name, ranked), ("people", people))
    }
    alike = [who for who, mean in means.items() if np.ptp(mean) <= 1e-9 * np.abs(mean).max()]
    return f"{' and '.join(alike)} {'gives' if alike == [name] else 'give'} all {counted(n, 'system')} the same value"


def about_aspect(aspect: AspectRanking, level: float) -> Iterator[str]:
    if aspect.why is not None:
        yield f"On {aspect.aspect}, {aspect.judge}'s ranking cannot be compared with people's: {aspect.why}."
        return
    for sentence in (
        _tau(aspect, level),
        _beside_assessor(aspect, level),
        *_concluded(aspect),
        *_controls(aspect),
    ):
        yield f"On {aspect.aspect}, {sentence}"


def _tau(aspect: AspectRanking, level: float) -> str:
    """The tau with its interval, and what it leaves open."""
    of_judge = aspect.of_judge
    if math.isnan(of_judge.tau):
        return f"{aspect.judge}'s ranking of systems has no tau with people's: {of_judge.why}."
    text = (
        f"Kendall's tau-b between {aspect.judge}'s and people's ranking of {counted(of_judge.systems, 'system')} is"
        f" {of_judge.tau:.2f}"
    )
    if math.isnan(of_judge.low):
        return f"{text} (no interval: {of_judge.why_no_interval})."
    text += f" ({level:.0%} interval {of_judge.low:.2f} to {of_judge.high:.2f})"
    if of_judge.low <= 0 <= of_judge.high:
        return f"{text}, not significantly above 0."
    return f"{text}: the reverse of people's." if of_judge.high < 0 else f"{text}."


def _beside_assessor(aspect: AspectRanking, level: float) -> str:
    of_judge = aspect.of_judge
    if math.isnan(aspect.assessor):
        return f"a person's ranking cannot be compared with the others': {of_judge.why_no_assessor}."
    text = f"tau with the other assessors: a person {aspect.assessor:.2f} on average"
    if math.isnan(of_judge.difference):
        return f"{text}."
    text += f", {aspect.judge} {of_judge.with_rest:.2f}"
    low, high = of_judge.difference_low, of_judge.difference_high
    if math.isnan(low):
        return f"{text}; the difference has no interval ({of_judge.why_no_assessor})."
    verdict = "no significant difference, which does not prove it as good"
    if high < 0 or low > 0:
        verdict = f"{'below' if high < 0 else 'above'} a person"
    return f"{text}; {verdict} ({level:.0%} interval of the difference {low:+.2f} to {high:+.2f})."


def _concluded(aspect: AspectRanking) -> Iterator[str]:
    shared = aspect.conclusion("judge")
    if shared is None:
        yield f"conclusions cannot be compared: {aspect.why_untested}."
        return
    if not shared.pairs:
        yield f"no pair of systems could be tested both by people's answers and by {aspect.judge}'s."
        return
    who = these_assessors(aspect.people) if aspect.people else "these people"
    find = "finds" if aspect.people == 1 else "find"
    if not shared.people_find:
        yield (
            f"{who} {find} no difference on {counted(round(shared.pairs), 'pair')} of systems, {aspect.judge} finds"
            f" {_times(shared.only_measure)}."
        )
        return
    them = "the assessor does" if aspect.people == 1 else "they do"
    text = (
        f"of {_times(shared.people_find)} differences between systems that {who} {find}"
        f" ({counted(round(shared.pairs), 'pair')}), {aspect.judge} finds {_times(shared.same)}, reverses"
        f" {_times(shared.opposite)} and misses {_times(shared.only_people)}; it finds {_times(shared.only_measure)}"
        f" that {them} not"
    )
    wider = aspect.conclusion("judge", "like these")
    if wider is not None and not wider.people_find:
        text += f". For {assessors_like_these(aspect.people)} none is found"
    elif wider is not None:
        text += (
            f". For {assessors_like_these(aspect.people)}: {_times(wider.people_find)} differences, of which"
            f" {aspect.judge} finds {_times(wider.same)} and reverses {_times(wider.opposite)}"
        )
    yield f"{text}."
    assessor, beside = aspect.conclusion("assessor", "all but one"), aspect.conclusion("judge", "all but one")
    if assessor is not None and beside is not None and assessor.people_find:
        yield (
            f"of the others' {_times(assessor.people_find)} conclusions, a person shares {_times(assessor.same)} and"
            f" reverses {_times(assessor.opposite)} on average, {aspect.judge} {_times(beside.same)} and"
            f" {_times(beside.opposite)}."
        )


def _controls(aspect: AspectRanking) -> Iterator[str]:
    text = []
    for control in aspect.taus[1:]:
        name = "length alone" if control.kind == "length" else control.name
        if control.kind == "measure" and aspect.measures > 1:
            name += f" (best of {aspect.measures} measures)"
        text.append(
            f"{name} {'has no tau' if math.isnan(control.tau) else f'{control.tau:.2f}'}"
            f"{interval_words(control.low, control.high)}"
        )
    if text:
        yield f"tau with people for comparison: {', '.join(text)}."


def _times(value: float) -> str:
    """`12`; of means over assessors `12.3`."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
