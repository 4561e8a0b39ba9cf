"""What is said of a comparison of systems on one measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from adjudge.analyses.conclusions import (
    ALIKE,
    DIFFERENT,
    MOST_RESAMPLES,
    NOT_COMPARABLE,
    NOT_TESTED,
    OUT_OF_REACH,
    Tested,
)
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.fewest import fewest_words
from adjudge.analyses.phrasebook import REASONS, best_words, pairs_differ, these_assessors
from adjudge.analyses.tests import ASSESSORS
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed, number_word

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import ComparedPair, Comparison
    from adjudge.analyses.compare.sampled import Population

MOST_LEFT_OUT = 3
ORDERED = {
    "topics": "means are over different topics: systems are ordered by means adjusted for topics",
    "apart": "means are over different topics, and no chain of common topics joins all systems: the order by means says"
    " nothing across the parts",
    "assessors": "systems were judged by different assessors or on different topics: they are ordered by means adjusted"
    " for both",
}
"""How systems are ordered where cells are missing."""


VERDICTS = {
    (True, False): "different",
    (True, True): "different by less than the margin",
    (False, True): "equivalent",
    (False, False): "undecided",
}
"""By whether a pair differs, and whether it is shown to be within the margin."""
THESE_ONLY: Mapping[str, str | Callable[..., str]] = {
    **REASONS,
    "one-assessor": "with one assessor there is nothing to tell how others would judge",
    "clusters": "whole clusters of topics are swapped",
    "swaps-topics": lambda correct: f"{CORRECTIONS[correct].name} swaps topics",
    "pooled": "assessors are pooled by their {pool}, not their mean",
    "unnamed": "{n:,} of {scores:,} scores name no assessor",
    "one-judge": "one assessor judged, which says nothing of how others would",
    "few-judges": "so few assessors of two systems do not show how far assessors disagree about them",
    "judges-confounded": "who judged which system leaves no way to tell how assessors disagree from how systems differ",
    "rows-confounded": "too few judgments to tell how topics vary from noise",
    "no-judgments": "there are no judgments",
    "all-alike": "all differences are the same, and need to vary",
    "too-large": "{columns} systems are too many unless equal groups of assessors judged all of them on all their"
    " topics",
    "no-pair-tested": "no pair could be tested",
}
"""Why assessors cannot be a sample, or two systems not be compared with assessors as one."""
NO_NUMBER = {
    "one-topic": "an interval needs two topics",
    "same-no-interval": "all differences are the same, so that there is no interval",
    "no-interval": "there is no interval",
    "infinite": "all differences are the same, so that the statistic is infinite",
    "infinite-no-interval": "all differences are the same, so that the statistic is infinite and there is no interval",
}
"""Why a pair that was tested has no number for its statistic or its interval: JSON has none for infinity."""


def _only_for_assessors_like_them(pairs: int, assessors: int, test: str) -> Spoken:
    from adjudge.stats.paired import test_words

    like = "" if test == "t" else f"; {Argument('test', 't')} has the like of both"
    return (
        f"{counted(pairs, 'pair differs', 'pairs differ')} for assessors like them and not for"
        f" {these_assessors(assessors)}, as the two answers have their own tests: {test_words(ASSESSORS)}, and"
        f" {test_words(test)}{like}"
    )


def _pairs_left_out(pairs: Sequence[Sequence[str]], why: str) -> str:
    names = [f"{a} and {b}" for a, b in pairs[:MOST_LEFT_OUT]]
    more = f" and {len(pairs) - MOST_LEFT_OUT} more" if len(pairs) > MOST_LEFT_OUT else ""
    return f"{counted(len(pairs), 'pair')} left the family: {'; '.join(names)}{more} ({why})"


def _exchangeable() -> str:
    from adjudge.stats.resampling.westfall_young import EXCHANGEABLE

    return EXCHANGEABLE


NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "missing-scores": "{system}: {n} missing ({why})",
    "assessors-of-one-name": lambda names: (
        "assessors whose names differ by capitals alone are taken for different people:"
        f" {'; '.join(map(listed, names))}"
    ),
    "these-assessors-only": lambda assessors, why: (
        f"what is said holds for {these_assessors(assessors)}, not for others: {why}"
    ),
    "few-assessors": lambda assessors: (
        f"{counted(assessors, 'assessor')} judged; what is said of assessors like them supposes that they disagree"
        " about all systems alike; more assessors would show more"
    ),
    "only-for-assessors-like-them": _only_for_assessors_like_them,
    **{f"ordered-{how}": text for how, text in ORDERED.items()},
    "no-interval": lambda systems, topics: (
        f"no interval for {listed(systems)}: fewer than {topics} topics differ from a score that occurs more than once,"
        " and none would cover"
    ),
    "swaps-test-exchangeability": _exchangeable,
    "pairs-left-out": _pairs_left_out,
    "means-unsure": lambda n, level: (
        f"{counted(n, 'pair differs', 'pairs differ')} although the mean difference may be 0 (its own {level:.0%}"
        " interval has it): this test is about the middle of the differences, not their mean"
    ),
    "not-independent": "the scores of two systems on one topic are not independent, which this test takes them to be",
    "not-corrected": lambda pairs, alpha, by_chance: (
        f"{counted(pairs, 'pair')} without correction: about {by_chance:.3g} would differ at p <= {alpha:g} if no"
        " systems did"
    ),
    "effects-over-topics": lambda assessors: (
        f"effect sizes and their intervals are over topics, for {these_assessors(assessors)}"
    ),
    "effects-without-interval": lambda pairs, topics: (
        f"no interval of the difference for {counted(pairs, 'pair')}: fewer than {topics} topics have another than the"
        " commonest, and none would cover"
    ),
}


def sentences(c: Comparison) -> Iterator[Spoken]:
    """The headline, how few topics decide it, what changes without some assessors, and if asked every pair."""
    yield _headline(c)
    if few := fewest_words(c.fewest, c.matrix.systems, what="topic", labels=c.matrix.topics):
        yield few
    if c.changes is not None:
        yield from c.changes.sentences()
    if c.asked.pairs:
        yield from (pair_sentence(c, pair) for pair in c.pairs[c.test])


def pairs_that_differ(c: Comparison) -> Iterator[str]:
    """A sentence for every pair that differs, with a margin also for every pair that is the same."""
    return (pair_sentence(c, pair) for pair in c.pairs[c.test] if pair.different or pair.same)


def _headline(c: Comparison) -> Spoken:
    """Who may be the best, and how many pairs differ or could have been found to."""
    tested = c.tested[c.test]
    total = int(c.family.sum())
    start = f"On {c.title}{f', a {c.role} measure,' if c.role == 'secondary' else ''}"
    if len(c.standings) < 2:
        return f"One system has scores: nothing to compare on {c.title}."
    if not total:
        return f"{start} no pair of systems was asked for."
    if tested.count(NOT_COMPARABLE) == total:
        return f"{start} no two systems have a topic in common: nothing can be compared."
    if not tested.count(DIFFERENT) + tested.count(ALIKE):
        untested = tested.count(NOT_TESTED) + tested.count(NOT_COMPARABLE) == total
        nothing = "pair of systems could be tested" if untested else "difference could have been found"
        return f"{start} no {nothing}: {_why_nothing(c)}{_margin_words(c)}."
    top = ""
    if c.asked.against is not None:
        top = _against(c)
    elif c.complete:
        names = [s.system for s in c.standings]
        top = best_words(c.better, names, directed=c.matrix.info.better is not None)
        if names[0] not in (c.candidates() or names):
            word = "highest" if c.matrix.info.better is None else "best"
            top += f", although {names[0]} has the {word} mean"
    if top and c.population is not None and c.population.pairs is not None:
        top += f" for {c.population.like_these if c.sampled else c.population.these}"
    return f"{start} {top}{'; ' if top else ''}{tally(c)}{_margin_words(c)}."


# How many pairs


def tally(c: Comparison) -> str:
    """How many pairs there are of each conclusion, and for whom; both answers where they are not of the same pairs."""
    from adjudge.stats.paired import test_words

    whose = c.population
    if whose is None:
        return _tally(c)
    if whose.pairs is None:
        return f"{_tally(c)}, for {whose.these}"
    both = c.tested[c.asked.grouping_test], c.tested[ASSESSORS]
    if (both[0].conclusion == both[1].conclusion).all():
        return f"{_tally(c)}, for {whose.these} and for others like them"
    these, others = (tested.count(DIFFERENT) for tested in both)
    tail, unseen = c.tested[c.test], both[0].count(OUT_OF_REACH)
    by = test_words(both[0].results.test)
    if others and unseen and not these + both[0].count(ALIKE):
        # "None differs for these" would suggest that something was looked for and not found.
        none = f"for {whose.these} alone no difference could have been found ({by})"
        differ = f"{_differ(c, others)} for {whose.like_these}; {none}"
        return ", ".join([differ, *_counts(tail, (NOT_TESTED, NOT_COMPARABLE))])
    unfindable = f" ({unseen:,} could not have been found, {by})" if unseen and c.sampled else ""
    if (both[0].different == both[1].different).all():
        differ = f"{_differ(c, these)} for {whose.these}{unfindable} and for others like them"
    else:
        like = "the same number, but not the same pairs," if these == others and these else f"{others:,}"
        like = "none" if not others else like
        differ = (
            f"{_differ(c, these)} for {whose.these}{unfindable}; {like} if assessors like them had judged"
        )
    return ", ".join([differ, *_counts(tail, (OUT_OF_REACH, NOT_TESTED, NOT_COMPARABLE))])


STATES = {
    ALIKE: ("is not significantly different", "are not significantly different"),
    OUT_OF_REACH: ("could not have been found", "could not have been found"),
    NOT_TESTED: ("could not be tested", "could not be tested"),
    NOT_COMPARABLE: ("has no topic in common", "have no topic in common"),
}
"""Of one pair, of several."""


def _counts(
    tested: Tested, states: Sequence[int], words: Mapping[int, tuple[str, str]] = STATES
) -> Iterator[str]:
    for state in states:
        if n := tested.count(state):
            yield f"{n:,} {words[state][n != 1]}"


def _differ(c: Comparison, differ: int) -> str:
    """`48 of 66 pairs of systems differ`; of one side, `2 of 8 systems are shown to be better than lead`."""
    total = int(c.family.sum())
    if c.asked.side != "both":
        better, worse = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
        shown = f"shown to be {better if c.asked.side == 'better' else worse} than {c.asked.against}"
        number = f"{differ:,} of {counted(total, 'system')}" if differ else "no system"
        return f"{number} {'are' if differ > 1 else 'is'} {shown}"
    if differ:
        return pairs_differ(differ, total)
    return f"none of {counted(total, 'pair')} of systems differs significantly"


def _tally(c: Comparison) -> str:
    tested, total = c.tested[c.test], int(c.family.sum())
    differ, alike = tested.count(DIFFERENT), tested.count(ALIKE)
    words = dict(STATES)
    if c.asked.side != "both":
        words[ALIKE] = ("is not", "are not") if differ else ("could have been", "could have been")
        parts = [_differ(c, differ)]
        if alike == total:
            return parts[0]
    elif differ:
        parts = [_differ(c, differ)]
    elif alike == total:
        if total == 1:
            return "the two are not significantly different"
        return f"none of the {counted(total, 'pair')} of systems differs significantly"
    elif not alike:
        parts = []
    else:
        parts = [_differ(c, 0)]
        words[ALIKE] = ("could have been found", "could have been found")
    parts += _counts(tested, tuple(words), words)
    if not differ and not alike and c.asked.side == "both":
        parts[0] = f"of {counted(total, 'pair')} of systems {parts[0]}"
    return ", ".join(parts)


def _why_nothing(c: Comparison) -> Spoken:
    """Why no pair at all could have been found."""
    import numpy as np

    tested = c.tested[c.test]
    p = tested.smallest[(tested.conclusion == OUT_OF_REACH) & ~np.isnan(tested.smallest)]
    if not p.size:
        reasons = (why for k in np.flatnonzero(c.family).tolist() if (why := tested.why(k)) is not None)
        return next(reasons, "no pair could be tested")
    least, total = float(p.min()), int(c.family.sum())
    apart = tested.count(NOT_COMPARABLE)
    rest = f"; {apart:,} {'has' if apart == 1 else 'have'} no topic in common" if apart else ""
    westfall_young = Argument("correct", "westfall-young")
    if tested.floor > c.alpha:
        return (
            f"the smallest corrected p that {tested.resamples:,} resamples could give is {tested.floor:.2g};"
            f" take more resamples, or {westfall_young}{rest}"
        )
    if least == 1:
        which = "the two" if total == 1 else "the systems that have topics in common"
        return f"all scores of {which} tie{rest}"
    what = "the pair" if total == 1 else f"any of the {counted(total, 'pair')}"
    smallest = f"the smallest p that {what} could have is {_p(least, c.alpha / tested.divisor)}"
    more: str | Argument = "more sets of topics" if c.codes is not None else "more topics"
    if tested.divisor == 1:
        return f"{smallest}, above {_p(c.alpha, least)}; take {more}{rest}"
    if tested.resamples is not None and least <= (1 + 1e-9) / (tested.resamples + 1):
        more = westfall_young if p.size > c.alpha * MOST_RESAMPLES else "more resamples"
    elif least <= c.alpha:
        more = f"{more} or fewer systems"
    return (
        f"{smallest}, and with so many one of at most {_p(c.alpha / tested.divisor, least)} is"
        f" needed; take {more}{rest}"
    )


def _p(p: float, other: float) -> str:
    """A p-value by itself, with as many digits as show on which side of another it is."""
    for digits in range(2, 17):
        text = f"{p:.{digits}g}"
        if (float(text) > other) == (p > other):
            break
    return text.removeprefix("0")


def _margin_words(c: Comparison) -> str:
    """With a margin: how many pairs there are of each verdict."""
    if c.asked.margin is None:
        return ""
    counts = dict.fromkeys(VERDICTS.values(), 0)
    for pair in c.pairs[c.test]:
        counts[pair.verdict] += 1
    verdicts = ", ".join(f"{n:,} {word}" for word, n in counts.items() if n)
    if never := c.never_equivalent:
        of = "" if never == counts["undecided"] else f" {never:,} of these"
        verdicts += (
            f" (equivalence{' of' if of else ''}{of} could not have been shown: too few topics differ)"
        )
    return f". With a margin of {c.asked.margin:g}: {verdicts}"


def _against(c: Comparison) -> str:
    """Who is better and who is worse than the one system that all are compared with."""
    pairs = [pair for pair in c.pairs[c.test] if pair.different]
    sign = -1 if c.matrix.info.better == "lower" else 1
    high, low = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
    above = [pair.a for pair in pairs if pair.result.statistic * sign > 0]
    below = [pair.a for pair in pairs if pair.result.statistic * sign < 0]
    sides = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word}"
        for names, word in ((above, high), (below, low))
        if names
    ]
    return f"{' and '.join(sides)} than {c.asked.against}" if sides else ""


# One pair


def pair_sentence(c: Comparison, pair: ComparedPair) -> str:
    """What the corrected test says, and whether the two are the same for all practical purposes."""
    if pair.conclusion == "could not have been found":
        text = _unfindable(pair)
    else:
        result = replace(pair.result, p=pair.p_adjusted)
        correction = CORRECTIONS[c.asked.correct].corrected
        better = c.matrix.info.better
        text = result.sentence(pair.a, pair.b, better, alpha=c.alpha, correction=correction)
    margin = c.asked.margin
    if margin is None:
        return text
    if pair.same:
        but = "but by less than" if pair.different else "and equivalent: the same within"
        return f"{text}{';' if pair.different else ','} {but} {margin:g}"
    return text if pair.different else f"{text}; nor are they shown to be the same within {margin:g}"


def _unfindable(pair: ComparedPair) -> str:
    from adjudge.stats.paired import test_words

    start = f"A difference between {pair.a} and {pair.b} could not have been found"
    test = test_words(pair.result.test)
    if pair.result.method is None:
        return f"{start} ({test}: {pair.result.why})"
    n, differ = pair.result.n, pair.result.wins + pair.result.losses
    ties = f", {differ} of them not tied" if differ < n else ""
    ties += f", in {counted(pair.sets, 'set')}" if pair.sets else ""
    return (
        f"{start} ({test}: on {counted(n, 'topic')}{ties}, the smallest p is {_p(pair.smallest, pair.needed)}, and one"
        f" of at most {_p(pair.needed, pair.smallest)} is needed)"
    )


# For whom


def population_words(whose: Population) -> str:
    """What a paper says of who judged, and for whom its conclusions hold."""
    designs = {
        "crossed": "all of them the same summaries",
        "blocks": "in {groups} groups with topics of their own",
        "one judge a row": "each with topics of their own",
        "assigned": "each some of the summaries",
    }
    size = len(whose.assessors)
    who = f"{number_word(size)} assessor{'' if size == 1 else 's'} judged".capitalize()
    if whose.pairs is not None:
        whole = whose.pairs.complete or whose.pairs.design == "assigned"
        design = designs[whose.pairs.design].format(groups=whose.pairs.groups)
        who += f" ({design}{'' if whole else ', with judgments missing'})"
    if whose.effects == "random":
        return f"{who}, and conclusions are about assessors like them"
    return f"{who}, and conclusions are about {'this one' if size == 1 else 'these'}"
