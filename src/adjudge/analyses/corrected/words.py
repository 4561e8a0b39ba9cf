"""What is said of a comparison with a judge's scores that people's correct."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import (
    assessors_like_these,
    best_words,
    enumerated,
    pairs_differ,
    these_alone,
    these_assessors,
)
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import capitalised, counted, decimal, listed, number_word

if TYPE_CHECKING:
    from adjudge.analyses.corrected.result import CorrectedComparison

TOO_SHORT = "the interval may be too short"


def _gave(unit: str) -> str:
    return "scores" if unit == "judgment" else "answers"


def _mean(unit: str) -> str:
    return "mean" if unit == "judgment" else "log strength"


def _which(pairs: Sequence[Sequence[str]]) -> str:
    return " and ".join(pairs[0]) if len(pairs) == 1 else counted(len(pairs), "pair")


def _outside(
    system: str, people: float, low: float, high: float, labelled: int, method: str, judge: str, unit: str
) -> str:
    """Why people's own mean of a system may lie outside the interval."""
    why = f"by {judge}'s {_gave(unit)} the topics that people judged are unlike the others"
    if method == "rogan-gladen":
        why = (
            f"with {counted(labelled, 'topic')} labelled, the share is corrected by {judge}'s errors on all systems,"
            " and on this one it may err otherwise"
        )
    return (
        f"{system}: people's own mean, {decimal(people)}, lies outside the corrected interval, {decimal(low)} to"
        f" {decimal(high)}; {why}"
    )


THESE_ONLY = {
    "one-assessor": "one assessor says nothing of how others would judge",
    "pooled": "assessors are pooled by their {pool}, not their mean",
    "unnamed": "{n:,} of {scores:,} scores name no assessor",
    "assessors-apart": "too few judged both systems of a pair on the same topic",
    "assessors-few": "they are too few to show how far assessors disagree about systems",
    "strengths": "strengths are fitted to all answers together",
}
"""Why nothing can be said of other assessors."""

NOTES = {
    "these-assessors-only": lambda assessors, why: f"conclusions are for {these_alone(assessors)}: {why}",
    "few-assessors": lambda assessors: (
        f"{counted(assessors, 'assessor')} show little of how far assessors disagree: with more, conclusions for others"
        " like them would be surer"
    ),
    "severity-adjusted": (
        "some assessors did not judge every system on a topic: people's scores are adjusted for how strict each is"
    ),
    "not-judged-by-judge": lambda judge, systems: f"{judge} did not judge {listed(systems)}: left out",
    "not-judged-by-people": lambda systems: f"people did not judge {listed(systems)}: left out",
    "not-judged-by-both": lambda judge, items: (
        f"not judged by both {judge} and people: {listed(items)}, left out"
    ),
    "topics-without-judge": lambda judge, topics, all_topics: (
        f"{counted(topics, 'topic')} that {judge} did not judge left out: only topics with both can be corrected;"
        f" people's scores alone, on all their {all_topics:,} topics, may say more"
    ),
    "summaries-without-judge": lambda judge, summaries: (
        f"{judge} has no score of {counted(summaries, 'summary', 'summaries')} that people judged: left out of the"
        " comparisons of that system"
    ),
    "some-systems-on-topics": lambda topics: (
        f"people judged only some systems on {counted(topics, 'topic')}: a pair's interval holds if the topics with"
        " both were drawn at random"
    ),
    "lambda-at-limit": lambda judge, limit, pairs: (
        f"lambda is at its limit of {limit:g} in {counted(pairs, 'pair')}: {judge}'s differences there are smaller than"
        " people's, and might save more"
    ),
    "hardly-random": lambda judge, p, unit: (
        f"people's topics hardly look drawn at random: {judge}'s {_gave(unit)} differ between these and the others"
        f" (permutation test, p = {p:.2g}); if they were not, the intervals do not hold"
    ),
    "skewed": lambda judge, pairs: (
        f"differences, people's or {judge}'s, are very skewed in {counted(pairs, 'pair')}: Student's t errs there more"
        " often than it says"
    ),
    "most-scores-the-same": lambda systems: (
        f"most of people's scores of {enumerated(systems)} are the same: {TOO_SHORT}"
    ),
    "most-differences-the-same": lambda pairs: (
        f"most of people's differences of {_which(pairs)} are the same: {TOO_SHORT}"
    ),
    "people-outside-interval": _outside,
    "sign-turned": lambda pairs, unit: (
        f"in {counted(pairs, 'pair')} the corrected difference and the difference of the corrected {_mean(unit)}s have"
        " other signs: every pair has a lambda of its own"
    ),
    "no-mean": "{system}: {why}",
    "not-tested": lambda pairs, why: f"{_which(pairs)} not tested: {why}",
    "screened": lambda judge, systems, sensitivity, specificity: (
        f"the share of {enumerated(systems)} is {judge}'s, corrected by its sensitivity {sensitivity:.2f} and"
        f" specificity {specificity:.2f} on all systems (Rogan and Gladen; interval by Lang and Reiczigel): it holds if"
        f" {judge} errs on these systems as on the others, and summaries are independent"
    ),
}


def sentences(result: CorrectedComparison) -> Iterator[Spoken]:
    """Who may be the best, the saving, and when it holds."""
    yield _headline(result)
    yield saving(result)
    if text := who_judged(result):
        yield text
    yield validity(result)


def _headline(result: CorrectedComparison) -> str:
    tested = [pair for pair in result.pairs if not math.isnan(pair.p)]
    if not result.pairs:
        return "No pair of systems was asked for."
    if not tested:
        return f"No pair of systems can be tested: {result.pairs[0].why}."
    differ, total = result.count("differ"), len(result.pairs)
    parts = []
    if result.complete and differ:
        names = [s.system for s in result.standings]
        first = names[0] not in (result.candidates() or names)
        word = "best" if result.info.better else "highest"
        although = f", although {names[0]} has the {word} {_mean(result.unit)}" if first else ""
        directed = result.info.better is not None
        parts.append(best_words(result.better, names, directed=directed, although=although))
    if not result.complete and result.testing.against is not None and differ:
        parts.append(_against(result))
    parts.append(f"{capitalised(pairs_differ(differ, total))}{_for_whom(result, differ)}")
    if rest := total - len(tested):
        parts.append(f"{capitalised(number_word(rest))} pair{'' if rest == 1 else 's'} could not be tested")
    return f"{'. '.join(parts)}."


def _for_whom(result: CorrectedComparison, differ: int) -> str:
    """`, for assessors like these two; 5 for these two alone`."""
    size = len(result.assessors)
    if not size:
        return ""
    if not result.sampled:
        return f", for {these_alone(size)}"
    these = result.differ_for_these()
    if these == differ:
        both = "and for" if differ else "or for"
        return f", for {these_assessors(size)} {both} others like them"
    return f", for {assessors_like_these(size)}; {these:,} for {these_alone(size)}"


def _against(result: CorrectedComparison) -> str:
    high, low = ("better", "worse") if result.info.better else ("higher", "lower")
    sign = -1 if result.info.better == "lower" else 1
    differ = [pair for pair in result.pairs if pair.conclusion == "differ"]
    sides = [
        f"{word} than {result.testing.against}: {enumerated(names)}"
        for word, names in (
            (high, [pair.a for pair in differ if pair.difference * sign > 0]),
            (low, [pair.a for pair in differ if pair.difference * sign < 0]),
        )
        if names
    ]
    return f"Significantly {'; '.join(sides)}"


def saving(result: CorrectedComparison) -> Spoken:
    """What the judge saves in human judgments, also where that is nothing."""
    judge, unit = result.judge, result.unit
    if not result.further:
        return f"{judge} saves no human {unit}s: people judged every topic that it judged."
    saved = result.saved()
    if saved is None:
        return f"What {judge} saves in human {unit}s is not known: no pair could be compared."
    compared = [pair for pair in result.pairs if not math.isnan(pair.effective)]
    further = _span([pair.unlabelled for pair in compared], "further topic")
    judged = _span([pair.all_labelled for pair in compared])
    apart = any(pair.all_labelled > pair.labelled for pair in compared)
    if apart:
        judged += f", {_span([pair.labelled for pair in compared])} of them with {judge}'s {_gave(unit)}"
    ends = f"; {saved.least:,} to {saved.most:,}" if saved.least < saved.most else ""
    over = f" (median of {counted(saved.pairs, 'pair')}{ends})" if saved.pairs > 1 else ""
    if saved.topics <= 0:
        rather = f": compare people's scores alone, without {Argument('judge')}"
        return (
            f"{judge} saves no human {unit}s: with its {_gave(unit)} on {further}, differences are known as if people"
            f" had judged {counted(saved.median, 'topic')}{over}, and they judged {judged}{rather if apart else ''}."
        )
    return (
        f"{judge}'s {_gave(unit)} on {further} save about {counted(saved.topics, 'topic')}"
        f" ({counted(saved.judgments, f'human {unit}')}): differences are known as if people had judged"
        f" {saved.median:,} instead of {judged}{over}."
    )


MUCH = 0.1
"""The share of a difference's variance from which it is said that it comes from who judged."""


def who_judged(result: CorrectedComparison) -> str:
    """How much of the error only more assessors would reduce; nothing where that is little."""
    share = result.assessor_share()
    if not share >= MUCH:
        return ""
    over = " (median)" if len(result.pairs) > 1 else ""
    return (
        f"{share:.0%} of a difference's variance{over} comes from who judged: more assessors would reduce it;"
        " more topics from these, or another judge, would not."
    )


def validity(result: CorrectedComparison) -> str:
    """Under which conditions the intervals hold, and for whom."""
    even = "differences between systems are not very skewed"
    if not result.further:
        alone = _hold(result, "the intervals", " are from their scores alone and")
        return f"People judged every topic: {alone}, if {even}."
    judges = f"people and {result.judge}" if result.judged_apart else "people"
    drawn = f"the {counted(len(result.labelled), 'topic')} that {judges} judged"
    if not result.unlabelled:
        drawn = "the topics on which people judged both systems of a pair"
    told = ", as was said," if result.asked.at_random else ""
    total = f"all {len(result.topics):,}"
    return f"{_hold(result, 'The intervals')}, if {drawn} were drawn at random from {total}{told} and {even}."


def _hold(result: CorrectedComparison, intervals: str, also: str = "") -> str:
    """`The intervals hold for these two assessors`; of differences they may hold for others like them."""
    size = len(result.assessors)
    if not size or not result.sampled:
        who = these_assessors(size) if size else "the people who judged"
        return f"{intervals}{also} hold for {who}"
    return (
        f"{intervals} of differences{also} hold for {assessors_like_these(size)}, those of means for"
        f" {these_alone(size)}"
    )


def _span(numbers: Sequence[int], noun: str | None = None) -> str:
    """`48 further topics`, `51 to 57 further topics`; the number alone where nothing is named."""
    least, most = min(numbers), max(numbers)
    if least < most:
        return f"{least:,} to {most:,}{f' {noun}s' if noun else ''}"
    return counted(most, noun) if noun else f"{most:,}"
