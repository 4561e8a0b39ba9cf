"""What is said of the conditions of trust."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.analyses import score_words
from adjudge.analyses.agreement.words import alpha_sentence
from adjudge.analyses.compare.words import THESE_ONLY
from adjudge.analyses.conditions.copies import NEAR, RUN
from adjudge.analyses.phrasebook import (
    Few,
    alpha_words,
    assessors_like_these,
    enumerated,
    pairs_differ,
    these_assessors,
    too_few,
)
from adjudge.analyses.plan.words import found_basis, number, reason, tested_by
from adjudge.analyses.stability.words import population, stays_ahead
from adjudge.core.phrases import Spoken, spoken
from adjudge.core.words import as_sentence, capitalised, counted, listed, percent

if TYPE_CHECKING:
    from adjudge.analyses.conditions.result import State, TrustConditions
    from adjudge.core.results import Note
    from adjudge.stats.agreement import AgreementCoefficient

QUESTIONS = {
    "topics": "Are there enough topics?",
    "found": "Could differences have been found?",
    "assessors": "Did several assessors judge?",
    "stable": "Is the top of the ranking stable?",
    "agreement": "Do assessors agree?",
    "copies": "Is no system a copy of another?",
    "left out": "Is everything in?",
}
"""What every condition asks, by its name."""
STATES: Mapping[State, str] = {
    "met": "met",
    "unmet": "not met",
    "unknown": "cannot be told",
    "not applicable": "does not apply",
}
MOST_NAMED = 5
QUICK = "a quick report does not look into it"


def headline(conditions: TrustConditions) -> str:
    """`Of 7 conditions of trust in coverage, 4 are met, 2 are not met (...) and 1 cannot be told (...).`"""
    counts = Counter(condition.state for condition in conditions)
    parts = []
    for state, words in STATES.items():
        if n := counts[state]:
            names = listed([condition.name for condition in conditions if condition.state == state])
            is_ = "" if state in ("unknown", "not applicable") else "is " if n == 1 else "are "
            words = "do not apply" if state == "not applicable" and n > 1 else words
            parts.append(f"{n} {is_}{words}" + (f" ({names})" if state != "met" else ""))
    return f"Of {len(conditions)} conditions of trust in {conditions.title}, {listed(parts)}."


def told(facts: Iterable[Note]) -> str:
    """A sentence for every fact."""
    return " ".join(as_sentence(spoken(note.words(FACTS), "python")) for note in facts)


# Topics, and which differences they show


def _reach(
    difference: float,
    median: float,
    power: float,
    topics: int,
    assessors: int | None,
    tested: Mapping[str, Any],
) -> str:
    """Enough topics find a difference that half of the pairs of systems reach."""
    enough, digits = difference <= median, 2
    if number(difference) == number(median) and difference != median:
        digits = 4
    people = f" and {counted(assessors, 'assessor')}" if assessors is not None else ""
    half = (
        f"half of the pairs differ by {number(median, digits)} or more"
        if enough
        else f"fewer than half of the pairs differ by that much (median {number(median, digits)})"
    )
    return (
        f"{counted(topics, 'topic')}{people} show a difference of about {number(difference, digits)} with"
        f" {percent(power)} power ({found_basis(**tested)}); {half}"
    )


def _of_pairs(n: int, pairs: int) -> str:
    whole = "the one pair" if pairs == 1 else f"all {pairs:,} pairs"
    return whole if n == pairs else f"{n:,} of {pairs:,} pairs"


def _out_of_reach(n: int, pairs: int, alpha: float, tested: Mapping[str, Any], few: Few) -> str:
    return f"{capitalised(too_few(n, few, alpha, pairs=_of_pairs(n, pairs)))} ({tested_by(**tested)})"


# The top of the ranking


def _top(systems: Sequence[str], of: int) -> str:
    others = of - len(systems)
    alike = " (not distinguishable)" if len(systems) > 1 else ""
    worse = (
        "The other system is significantly worse"
        if others == 1
        else f"Each of the other {others:,} systems is significantly worse than another"
    )
    return f"Top group: {enumerated(systems)}{alike}. {worse}"


def _in_draws(
    like: bool, assessors: int, draws: int, level: float, sure: int, pairs: int, best: float | None
) -> str:
    kept = f"the better mean {stays_ahead(sure, pairs, level)}"
    top = f"the top group has the best mean in {best:g} %, and " if best is not None else ""
    return f"In {draws:,} draws for {population(like, assessors)} on these topics, {top}{kept}"


# Copies


def _named(names: Sequence[str], more: str) -> str:
    shown = "; ".join(names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {counted(len(names) - MOST_NAMED, more)}"


def _same_scores(pairs: Sequence[Sequence[str]]) -> str:
    return f"The same score on every topic: {_named([listed(pair) for pair in pairs], 'other pair')}"


def _near_texts(pairs: Sequence[tuple[str, str, int, int, int]]) -> str:
    names = [
        f"{a} and {b} on {near:,} of {shared:,} summaries ({same:,} word for word)"
        for a, b, near, shared, same in pairs
    ]
    have = "pair of systems has", "pairs of systems have"
    return f"{counted(len(pairs), *have)} nearly the same texts: {_named(names, 'other pair')}"


def _copied(share: int) -> str:
    least = "all words" if share == 100 else f"at least {share} % of the words"
    return f"{least} stand in runs of {RUN} or more that the source has"


def _copiers(systems: Sequence[str], share: int, baselines: Sequence[str]) -> str:
    are = "is a baseline" if len(baselines) == 1 else "are baselines"
    who = f"; {listed(baselines)} {are}" if baselines else ""
    return f"The source is copied word for word by {listed(systems)} ({_copied(share)}){who}"


# Facts


def _for_these(assessors: int, why: Note | None) -> str:
    reason = "" if why is None else f": {why.words(THESE_ONLY)}"
    return f"Conclusions are for {these_assessors(assessors)} alone{reason}"


def _alpha(title: str, source: str | None, topics: int, alpha: AgreementCoefficient) -> str:
    asked = f"{title} ({source})" if source is not None else title
    return f"On {asked}, Krippendorff's {alpha_sentence(alpha, topics)}"


def _alphas(
    questions: int, worst: tuple[str, float], best: tuple[str, float], reach: int, least: float
) -> str:
    return (
        f"Krippendorff's alpha of the {questions:,} questions behind these scores: {worst[1]:z.3f} ({worst[0]})"
        f" to {best[1]:z.3f} ({best[0]}). {reach:,} {'reaches' if reach == 1 else 'reach'} {least}, the least for"
        " tentative conclusions"
    )


def _whole(systems: int, topics: int, target: bool) -> str:
    on = "the one topic" if topics == 1 else f"each of the {topics:,} topics"
    of = " of this length or form" if target else ""
    return (
        f"Each of the {counted(systems, 'system')} has a score on {on}. No summary{of} was withdrawn, no assessor left"
        " out"
    )


FACTS: Mapping[str, str | Callable[..., Spoken]] = {
    "too-few-in-common": lambda topics: (
        f"Two systems have {counted(topics, 'topic')} in common, and a test needs two"
    ),
    "no-difference": lambda topics, tested, why: (
        f"{counted(topics, 'topic')} cannot show any difference ({found_basis(**tested)}): {reason(why)}"
    ),
    "reach-unknown": lambda topics, why: (
        f"Which difference {counted(topics, 'topic')} can show is not known: {reason(why)}"
    ),
    "reach": _reach,
    "at-this-error": "This is for the median standard error of this study; adjudge plan lets it vary, and gives"
    " another number",
    "out-of-reach": _out_of_reach,
    "not-tested": lambda n: f"{counted(n, 'pair')} could not be tested",
    "not-comparable": lambda n: f"{counted(n, 'pair has', 'pairs have')} no topic in common",
    "in-reach": lambda pairs, alpha, tested: (
        f"{capitalised(_of_pairs(pairs, pairs))} could reach p = {alpha_words(alpha)} ({tested_by(**tested)})"
    ),
    "computed-from-texts": "No assessor gave these scores: they are computed from texts",
    "nobody-named": "The scores name no assessor: whether people gave them is not known",
    "one-assessor": "1 assessor judged, and conclusions are for this one alone",
    "judged": lambda assessors: f"{counted(assessors, 'assessor')} judged",
    "for-like-these": lambda assessors: f"Conclusions are for {assessors_like_these(assessors)}",
    "for-these": _for_these,
    "simulated": lambda n: f"{counted(n, 'judgment is', 'judgments are')} simulated",
    "not-ranked": "Not every pair of systems was compared, so ranks are not known",
    "none-differs": lambda systems: (
        f"No pair differs significantly: any of the {counted(systems, 'system')} may be the best"
    ),
    "top": _top,
    "wide-top": lambda systems, of: (
        f"Top group: {systems:,} of {of:,} systems, more than half (not distinguishable)"
    ),
    "no-top": "No top group: each system is significantly worse than another",
    "settled": lambda differ, pairs, ranks, systems: (
        f"{capitalised(pairs_differ(differ, pairs))}; {ranks:,} of {systems:,} ranks"
        f" {'is' if ranks == 1 else 'are'} settled"
    ),
    "widest": lambda system, best, worst: f"Least settled: {system}, rank {best} to {worst}",
    "in-draws": _in_draws,
    "nobody-to-agree": "One assessor judged: there is nobody to agree with",
    "not-known": "Agreement is not known: {why}",
    "questions-unknown": "Which questions these scores are made of is not known",
    "no-questions": "No question behind these scores has answers of two assessors",
    "alpha": _alpha,
    "alphas": _alphas,
    "same-scores": _same_scores,
    "no-texts": "There are no texts here to compare",
    "near-texts": _near_texts,
    "no-near-texts": lambda others: (
        f"{'Of those with texts, no' if others else 'No'} two systems have the same text, or {percent(NEAR)} of the"
        " word trigrams in common, on half of their summaries"
    ),
    "no-text": lambda systems: f"No text here to compare: {listed(systems)}",
    "no-documents": "Without documents it cannot be told who copies the source",
    "no-copier": lambda system, share: (
        f"Nobody copies the source word for word (the most: {system}, {_copied(share)})"
    ),
    "copiers": _copiers,
    "missing": lambda n, systems: (
        f"{counted(n, 'score')} of {counted(systems, 'system')} {'is' if n == 1 else 'are'} missing"
    ),
    "withdrawn": lambda n: f"{counted(n, 'summary was', 'summaries were')} withdrawn",
    "without": lambda assessors: (
        f"{counted(len(assessors), 'assessor was', 'assessors were')} left out ({listed(assessors)})"
    ),
    "stale": lambda topics: f"{counted(topics, 'topic')} changed since they were scored",
    **{code: score_words.NOTES[code] for code in ("gone-left-out", "judgments-left-out", "rows-left-out")},
    "whole": _whole,
}
"""What decides a condition, and what there is to know beside it."""
