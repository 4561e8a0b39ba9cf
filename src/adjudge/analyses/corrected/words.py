"""What is said of a comparison with a judge's scores that people's correct."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import best_words, pairs_differ, these_assessors
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, decimal, listed

if TYPE_CHECKING:
    from adjudge.analyses.corrected.result import CorrectedComparison, CorrectedPair

TOO_SHORT = "the interval rests on the few others, and may be too short"


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
    why = f"{judge}'s {_gave(unit)} say that the topics which people judged are unlike the others"
    if method == "rogan-gladen":
        why = (
            f"with {counted(labelled, 'topic')} labelled the share is from {judge}'s errors on all systems, and on this"
            " one it may err otherwise"
        )
    return (
        f"{system}: people's own mean, {decimal(people)}, lies outside the interval of the corrected one,"
        f" {decimal(low)} to {decimal(high)}; {why}"
    )


NOTES = {
    "not-judged-by-judge": lambda judge, systems: f"{judge} did not judge {listed(systems)}: left out",
    "not-judged-by-people": lambda systems: f"people did not judge {listed(systems)}: left out",
    "not-judged-by-both": lambda judge, items: (
        f"not judged by both {judge} and people: {listed(items)}, left out"
    ),
    "topics-without-judge": lambda judge, topics, all_topics: (
        f"{judge} did not judge {counted(topics, 'topic')} that people judged: left out, since only topics with both"
        f" can be corrected; people's scores alone on all their {all_topics:,} topics may be surer"
    ),
    "summaries-without-judge": lambda judge, summaries: (
        f"{judge} has no score of {counted(summaries, 'summary', 'summaries')} that people judged: left out of the"
        " comparisons of that system"
    ),
    "some-systems-on-topics": lambda topics: (
        f"people judged only some systems on {counted(topics, 'topic')}: what is said of a pair holds if the topics on"
        " which people judged both were drawn at random"
    ),
    "lambda-at-limit": lambda judge, limit, pairs: (
        f"lambda is kept at its limit of {limit:g} in {counted(pairs, 'pair')}: {judge}'s differences there are smaller"
        " than people's, and could save more than is said"
    ),
    "hardly-random": lambda judge, p, unit: (
        f"{judge}'s {_gave(unit)} on the topics that people judged differ from those on the others more than random"
        f" draws of topics usually do (permutation test, p = {p:.2g}): if people's topics were not drawn at random, the"
        " intervals do not hold"
    ),
    "skewed": lambda judge, pairs: (
        f"differences, people's or {judge}'s, are very skewed in {counted(pairs, 'pair')}, as ratings at the end of"
        " their scale and rare large differences are: there Student's t errs more often than it says, and few labelled"
        " topics hardly show what is rare"
    ),
    "most-scores-the-same": lambda systems: (
        f"most of people's scores are the same for {listed(systems)}: {TOO_SHORT}"
    ),
    "most-differences-the-same": lambda pairs: (
        f"most of people's differences are the same for {_which(pairs)}: {TOO_SHORT}"
    ),
    "people-outside-interval": _outside,
    "sign-turned": lambda pairs, unit: (
        f"every pair has its own lambda: in {counted(pairs, 'pair')} the corrected difference has another sign than the"
        f" difference of the corrected {_mean(unit)}s"
    ),
    "no-mean": "{system}: {why}",
    "not-tested": lambda pairs, why: f"{_which(pairs)} not tested: {why}",
    "screened": lambda judge, systems, sensitivity, specificity: (
        f"the share of {listed(systems)} is {judge}'s, corrected by its sensitivity {sensitivity:.2f} and specificity"
        f" {specificity:.2f} on all systems' labelled summaries (Rogan and Gladen; interval by Lang and Reiczigel): it"
        " holds if the judge errs on these systems as on the others, and summaries are independent"
    ),
}


def sentences(result: CorrectedComparison) -> Iterator[Spoken]:
    """Who may be the best, the saving, when it holds, and where that is asked for every pair."""
    yield _headline(result)
    yield saving(result)
    yield validity(result)
    if result.asked.pairs:
        yield from (pair_sentence(result, pair) for pair in result.pairs)


def _headline(result: CorrectedComparison) -> str:
    start = f"On {result.title}, {result.judge} corrected by people"
    tested = [pair for pair in result.pairs if not math.isnan(pair.p)]
    if not result.pairs:
        return f"{start}: no pair of systems was asked for."
    if not tested:
        return f"{start}: no pair of systems could be tested: {result.pairs[0].why}."
    differ, total = result.count("differ"), len(result.pairs)
    if differ:
        tally = pairs_differ(differ, total)
    elif total == 1:
        tally = "the two are not significantly different"
    else:
        tally = f"none of {counted(total, 'pair')} of systems differs significantly"
    if rest := total - len(tested):
        tally += f", {rest:,} could not be tested"
    top = ""
    if result.complete:
        names = [s.system for s in result.standings]
        top = best_words(result.better, names, directed=result.info.better is not None)
        if names[0] not in (result.candidates() or names):
            top += f", although {names[0]} has the {'best' if result.info.better else 'highest'} {_mean(result.unit)}"
    elif result.testing.against is not None:
        top = _against(result)
    return f"{start}, {top}{'; ' if top else ''}{tally}."


def _against(result: CorrectedComparison) -> str:
    high, low = ("better", "worse") if result.info.better else ("higher", "lower")
    sign = -1 if result.info.better == "lower" else 1
    differ = [pair for pair in result.pairs if pair.conclusion == "differ"]
    sides = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}"
        for word, names in (
            (high, [pair.a for pair in differ if pair.difference * sign > 0]),
            (low, [pair.a for pair in differ if pair.difference * sign < 0]),
        )
        if names
    ]
    return f"{' and '.join(sides)} than {result.testing.against}" if sides else ""


def saving(result: CorrectedComparison) -> Spoken:
    """What the judge saves in human judgments, also where that is nothing."""
    judge, unit = result.judge, result.unit
    if not result.further:
        return f"{judge} judged no topic that people did not judge: it saves no human {unit}s."
    saved = result.saved()
    if saved is None:
        return f"What {judge} saves in human {unit}s cannot be told: no pair could be compared."
    compared = [pair for pair in result.pairs if not math.isnan(pair.effective)]
    further = _span([pair.unlabelled for pair in compared], "further topic")
    judged = _span([pair.all_labelled for pair in compared])
    apart = any(pair.all_labelled > pair.labelled for pair in compared)
    if apart:
        judged += f", {_span([pair.labelled for pair in compared])} of them with {judge}'s {_gave(unit)}"
    several = f" (the median of {counted(saved.pairs, 'pair')}; {saved.least:,} to {saved.most:,})"
    over = several if saved.pairs > 1 else ""
    if saved.topics <= 0:
        rather = f": compare people's scores alone, without {Argument('judge')}"
        return (
            f"{judge} saves no human {unit}s: with its {_gave(unit)} on {further} differences are"
            f" known as if people had judged {counted(saved.median, 'topic')}{over}, and they"
            f" judged {judged}{rather if apart else ''}."
        )
    return (
        f"With {judge}'s {_gave(unit)} on {further} differences are known as if people had judged"
        f" {counted(saved.median, 'topic')} instead of {judged}{over}: an estimated saving of"
        f" {counted(saved.topics, 'topic')}, about {counted(saved.judgments, f'human {unit}')}."
    )


def validity(result: CorrectedComparison) -> str:
    """Under which conditions the intervals hold, and for whom."""
    who = these_assessors(len(result.assessors)) if result.assessors else "the people who judged"
    even = "differences between systems are not very skewed"
    if not result.further:
        return (
            "People judged every topic, and the intervals are from their scores alone; they hold for"
            f" {who}, if {even}."
        )
    judges = f"people and {result.judge}" if result.judged_apart else "people"
    drawn = f"the {counted(len(result.labelled), 'topic')} that {judges} judged"
    if not result.unlabelled:
        drawn = "the topics on which people judged both systems of a pair"
    told = ", as was said," if result.asked.at_random else ""
    return (
        f"The intervals hold for {who}, if {drawn} were drawn at random from all {len(result.topics):,}{told} and"
        f" {even}; {result.judge}'s {_gave(result.unit)} alone decide nothing."
    )


def pair_sentence(result: CorrectedComparison, pair: CorrectedPair) -> str:
    """`A is better than B (corrected difference +0.31, 0.10 to 0.52 ...)`, or that nothing was found."""
    if pair.why is not None and math.isnan(pair.p):
        return f"{pair.a} and {pair.b} could not be compared: {pair.why}."
    has_ends = not math.isnan(pair.low) and not math.isnan(pair.high)
    basis = (
        f"(corrected difference {decimal(pair.difference, '+.3f')}{f', {pair.ends()}' if has_ends else ''}; people's"
        f" alone {decimal(pair.people, '+.3f')}; lambda {decimal(pair.weight, '.2f')}; p {pair.p_adjusted:.2g}; as if"
        f" {math.floor(pair.effective + 1e-9):,} topics had been judged instead of {pair.labelled:,})"
    )
    if pair.conclusion != "differ":
        return f"{pair.a} and {pair.b} are not significantly different {basis}."
    up = (pair.difference > 0) == (result.info.better != "lower")
    word = ("better" if up else "worse") if result.info.better else ("higher" if up else "lower")
    return f"{pair.a} is {word} than {pair.b} {basis}."


def _span(numbers: Sequence[int], noun: str | None = None) -> str:
    """`48 further topics`, `51 to 57 further topics`; the number alone where nothing is named."""
    least, most = min(numbers), max(numbers)
    if least < most:
        return f"{least:,} to {most:,}{f' {noun}s' if noun else ''}"
    return counted(most, noun) if noun else f"{most:,}"
