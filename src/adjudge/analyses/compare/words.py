"""What is said of a comparison of systems on one measure."""

from __future__ import annotations

from collections import Counter
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
from adjudge.analyses.phrasebook import (
    REASONS,
    alpha_words,
    best_words,
    enumerated,
    pairs_differ,
    these_assessors,
    too_few,
)
from adjudge.analyses.tests import ASSESSORS, THESE, words_of_test
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import capitalised, counted, listed, number_word, p_words

if TYPE_CHECKING:
    from adjudge.analyses.compare.next_step import NextStep
    from adjudge.analyses.compare.pairs import ComparedPair, Comparison
    from adjudge.analyses.compare.sampled import Population

MOST_LEFT_OUT = 3
ORDERED = {
    "topics": "systems have different topics: they are ordered by means adjusted for topics",
    "apart": "systems have different topics, and no chain of common topics joins them all: the order by means says"
    " nothing across the parts",
    "assessors": "systems were judged by different assessors or on different topics: means and differences are adjusted"
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
    "one-assessor": "one assessor says nothing of how others would judge",
    "clusters": "the topics of every assessor are one observation",
    "swaps-topics": lambda correct: f"{CORRECTIONS[correct].name} swaps topics",
    "pooled": "assessors are pooled by their {pool}, not their mean",
    "unnamed": "{n:,} of {scores:,} scores name no assessor",
    "one-judge": "one assessor says nothing of how others would judge",
    "few-judges": "too few assessors judged two systems to show how far assessors disagree about them",
    "judges-confounded": "who judged which system leaves no way to tell how assessors disagree from how systems differ",
    "judges-apart": "no assessor judged both, nor do others link them: how severe assessors are cannot be told from how"
    " good systems are",
    "rows-confounded": "too few judgments to tell how topics vary from noise",
    "no-judgments": "there are no judgments",
    "all-alike": "all differences are the same",
    "too-large": "{columns} systems are too many unless equal groups of assessors judged all of them on all their"
    " topics",
    "no-pair-tested": "no pair could be tested",
}
"""Why assessors cannot be a sample, or two systems not be compared with assessors as one."""
NO_NUMBER = {
    "one-topic": "an interval needs two topics",
    "same-no-interval": "all differences are the same: there is no interval",
    "no-interval": "there is no interval",
    "infinite": "all differences are the same: the statistic is infinite",
    "infinite-no-interval": "all differences are the same: the statistic is infinite, and there is no interval",
}
"""Why a pair that was tested has no number for its statistic or its interval: JSON has none for infinity."""


def differences_title(c: Comparison) -> str:
    """What the pairs are tested by."""
    from adjudge.stats.paired import test_words

    tested = c.tested[c.test]
    correction = CORRECTIONS[c.asked.correct].over(counted(c.corrected, "pair")) if c.corrected > 1 else ""
    how = ", ".join(filter(None, (test_words(tested.results.test), correction)))
    return f"Differences between systems ({how})"


def heading_of_p(c: Comparison, test: str, tests: Sequence[str]) -> str:
    """`p`; of several tests which, and where assessors are known for whom."""
    if len(tests) == 1:
        return "p"
    of_model = {ASSESSORS: "p, assessors like these", THESE: "p, these alone"}
    return of_model.get(test) or f"p, {words_of_test(test)}"


def _pairs_left_out(pairs: Sequence[Sequence[str]], why: str) -> str:
    names = [f"{a} and {b}" for a, b in pairs[:MOST_LEFT_OUT]]
    more = f" and {len(pairs) - MOST_LEFT_OUT} more" if len(pairs) > MOST_LEFT_OUT else ""
    return f"{counted(len(pairs), 'pair')} not tested: {'; '.join(names)}{more} ({why})"


def _exchangeable() -> str:
    from adjudge.stats.resampling.westfall_young import EXCHANGEABLE

    return EXCHANGEABLE


NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "missing-scores": "{system}: {n} missing ({why})",
    "assessors-of-one-name": lambda names: (
        f"names of assessors that differ by capitals alone count as different people: {'; '.join(map(listed, names))}"
    ),
    "these-assessors-only": lambda assessors, why: (
        f"conclusions are for {these_assessors(assessors)} alone: {why}"
    ),
    "few-assessors": lambda assessors, systems: (
        f"{counted(assessors, 'assessor')} are few to speak for others"
        + (
            ": how far assessors disagree about a pair is estimated from all pairs together"
            if systems > 2
            else ""
        )
    ),
    "unequal-assessors": lambda system, p: (
        f"assessors disagree more about {system} than about others (Cochran's test, {p_words(p)}): pairs rest more on"
        " their own judgments"
    ),
    "sets": lambda sets, topics: (
        f"topics of one set are not independent: the {sets:,} sets of the {counted(topics, 'topic')} are the sample"
    ),
    "few-sets": lambda sets: (
        f"topics come from {counted(sets, 'set')}: conclusions are for {'it' if sets == 1 else 'these'} alone, since"
        " fewer than six sets say nothing of others"
    ),
    **{f"ordered-{how}": text for how, text in ORDERED.items()},
    "no-interval": lambda systems: (
        f"no interval for {enumerated(systems)}: too many of {_their(systems)} scores are the same"
    ),
    "swaps-test-exchangeability": _exchangeable,
    "pairs-left-out": _pairs_left_out,
    "means-unsure": lambda n, level: (
        f"{counted(n, 'pair differs', 'pairs differ')} although the mean difference may be 0 (it is within the"
        f" {level:.0%} interval): this test compares the middle of the differences, not their mean"
    ),
    "not-independent": "this test takes the scores of two systems on a topic for independent, which they are not",
    "not-corrected": lambda pairs, alpha, by_chance: (
        f"{counted(pairs, 'pair')} without correction: by chance alone about {by_chance:.3g} would reach p ="
        f" {alpha_words(alpha)}"
    ),
    "effects-over-topics": lambda assessors: (
        f"sizes of differences and their intervals are for {these_assessors(assessors)} alone"
    ),
    "effects-without-interval": lambda pairs: (
        f"no interval of the difference for {counted(pairs, 'pair')}: too many of the differences are the same"
    ),
}


def _their(systems: Sequence[str]) -> str:
    return "its" if len(systems) == 1 else "their"


def sentences(c: Comparison) -> Iterator[Spoken]:
    """The headline, how few topics decide it, what each of several tests finds, what changes without some assessors,
    and what to do next."""
    yield headline(c)
    if few := fewest_words(c.fewest, c.matrix.systems, what="topic", labels=c.matrix.topics):
        yield few
    if len(c.asked.named_tests) > 1 and c.family.any():
        yield _by_every_test(c)
    elif c.by_ranks is not None and c.family.any():
        yield _by_ranks(c, c.by_ranks)
    if c.changes is not None:
        yield from c.changes.sentences()
    if c.next_step is not None:
        yield next_words(c, c.next_step)


def pairs_that_differ(c: Comparison) -> Iterator[str]:
    """A sentence for every pair that differs, with a margin also for every pair that is the same."""
    return (pair_sentence(c, pair) for pair in c.pairs[c.test] if pair.different or pair.same)


def headline(c: Comparison, *, named: bool = False) -> Spoken:
    """Who may be the best, how many pairs differ, and how many could not; with the measure, where `named`."""
    start = f"On {c.title}{' (secondary measure)' if c.role == 'secondary' else ''}, " if named else ""

    def begun(text: Spoken) -> Spoken:
        return f"{start}{text if start else capitalised(text)}."

    tested = c.tested[c.test]
    total = int(c.family.sum())
    if len(c.standings) < 2:
        return begun("one system has scores: nothing to compare")
    if not total:
        return begun("no pair of systems was asked for")
    if tested.count(NOT_COMPARABLE) == total:
        return begun("no two systems have a topic in common: nothing can be compared")
    if not tested.count(DIFFERENT) + tested.count(ALIKE):
        untested = tested.count(NOT_TESTED) + tested.count(NOT_COMPARABLE) == total
        nothing = "no pair of systems can be tested" if untested else "no difference can be found"
        return f"{begun(f'{nothing}: {_why_nothing(c)}')}{_margin_words(c)}"
    if len(c.standings) == 2:
        return f"{_two_systems(c, start)}.{_margin_words(c)}"
    top = ""
    if c.complete and tested.count(DIFFERENT):
        names = [s.system for s in c.standings]
        word = "highest" if c.matrix.info.better is None else "best"
        first = names[0] not in (c.candidates() or names)
        top = best_words(
            c.better,
            names,
            directed=c.matrix.info.better is not None,
            start=start,
            although=f", although {names[0]} has the {word} mean" if first else "",
        )
    pairs = tally(c)
    return f"{f'{top}. {capitalised(pairs)}.' if top else begun(pairs)}{_margin_words(c)}"


def _two_systems(c: Comparison, start: str) -> str:
    """Of two systems: which is better, and for whom."""
    differ = c.tested[c.test].count(DIFFERENT) > 0
    one, other = (s.system for s in c.standings)
    than = ("better", "worse") if c.matrix.info.better is not None else ("higher", "lower")
    if c.asked.side != "both":
        other = str(c.asked.against)
        one = next(s.system for s in c.standings if s.system != other)
        shown = f"shown to be {than[c.asked.side == 'worse']} than {other}"
        text = f"{start}{one} is {'' if differ else 'not '}{shown}"
    elif not differ:
        text = f"{start}{one} and {other} do not differ significantly"
    else:
        ahead = bool(c.better[0, 1])
        winner, loser = (one, other) if ahead else (other, one)
        text = f"{start}{winner} is significantly {than[0]} than {loser}"
        text += "" if ahead else f", although {one} has the {than[0]} mean"
    whose = c.population
    if whose is None:
        return text
    if not whose.like:
        return f"{text}, {_over_these(whose)}"
    first, second = (whose.like_these, whose.these) if c.sampled else (whose.these, "assessors like them")
    if len({c.tested[test].count(DIFFERENT) for test in (c.narrower, ASSESSORS)}) == 1:
        return f"{text}, on average over {whose.these} and over others like them"
    return (
        f"{text}, on average over {first}; {'not significantly' if differ else 'significantly'} over {second}"
    )


def _by_every_test(c: Comparison) -> str:
    """How many pairs each of several tests over topics finds."""
    tests = [test for test in c.tested if test != ASSESSORS]
    by_test = [f"{c.tested[test].count(DIFFERENT):,} by {words_of_test(test)}" for test in tests]
    whose = "" if c.population is None else f", for {c.population.alone}"
    return f"Pairs that differ, of {int(c.family.sum()):,}{whose}: {listed(by_test, most=len(by_test))}."


def _by_ranks(c: Comparison, ranks: Tested) -> str:
    """How many pairs Wilcoxon's test finds beside the default, and why these are others."""
    usual = c.tested[c.narrower]
    n, total = ranks.count(DIFFERENT), int(c.family.sum())
    whose = "" if c.population is None else f" for {c.population.alone}"
    if total == 1:
        too = ("the two do not differ significantly", "the two differ significantly")[n]
        return f"By Wilcoxon's test {too}{whose}{('', ', too')[n] if n == usual.count(DIFFERENT) else ''}."
    start = f"By Wilcoxon's test {pairs_differ(n, total)}{whose}"
    apart = (ranks.different != usual.different) & c.family
    if not apart.any():
        return f"{start}: the same."
    why = Counter(_why_apart(c, k, bool(ranks.different[k])) for k in apart.nonzero()[0].tolist())
    reasons = [f"{WHY_APART[reason]} ({many:,})" for reason, many in why.most_common()]
    return f"{start}; {counted(int(apart.sum()), 'pair comes', 'pairs come')} out differently: {listed(reasons)}."


WHY_APART = {
    "skew": "their differences are skewed, so that the middle is not the mean",
    "ties": "many topics tie",
    "few": "too few topics differ for ranks",
    "near": "their p-values are near the limit",
}
SKEWED = 1.0
"""Skewness of the differences from which it is the reason."""
MANY_TIES = 0.3
"""The share of topics that tie from which they are the reason."""


def _why_apart(c: Comparison, k: int, by_ranks: bool) -> str:
    """Why a pair differs by ranks and not by means, or the other way round."""
    import numpy as np

    counts = c.tested[c.narrower].results.counts
    if not by_ranks and c.by_ranks is not None and c.by_ranks.conclusion[k] == OUT_OF_REACH:
        return "few"
    if counts.ties[k] >= MANY_TIES * counts.n[k]:
        return "ties"
    d = c.matrix.values[:, counts.first[k]] - c.matrix.values[:, counts.second[k]]
    d = d[~np.isnan(d)] - np.nanmean(d)
    spread = float(np.sqrt((d**2).mean()))
    return "skew" if spread and abs(float((d**3).mean())) / spread**3 > SKEWED else "near"


def next_words(c: Comparison, step: NextStep) -> Spoken:
    """How many more topics or assessors would decide between two systems, and the call that says more of it."""
    against = f"decide {step.system} against {step.rival}"
    if step.topics is not None:
        more = counted(step.topics - step.have, "more topic")
        with_these = ""
        if c.sampled and c.population is not None:
            with_these = f" with {number_word(len(c.population.assessors))} assessors"
        all_of_them = f"({step.topics:,} in all){with_these}"
        return f"About {more} {all_of_them} would {against}, if they differ as here ({step.call})."
    whose = "" if c.population is None else f" for {c.population.like_these}"
    return (
        f"No number of topics would {against}{whose}. {capitalised(number_word(step.assessors or 0))} assessors or more"
        f" would, if the two differ as here ({step.call})."
    )


# How many pairs


def tally(c: Comparison) -> str:
    """How many pairs differ, and for whom; how many could not be found to, be tested, or compared."""
    tested = c.tested[c.test]
    if not tested.count(DIFFERENT) + tested.count(ALIKE):
        return f"no difference can be found: {_why_nothing(c)}"
    return ". ".join([_differ(c), *map(capitalised, _unresolved(c, tested))])


def _differ(c: Comparison) -> str:
    """`30 of 55 pairs differ, for assessors like these three; 33 for these three alone`."""
    whose = c.population
    if whose is None or not whose.like:
        return _how_many(c, c.tested[c.test]) + ("" if whose is None else f", {_over_these(whose)}")
    these, others = c.tested[c.narrower], c.tested[ASSESSORS]
    if (these.different == others.different).all():
        return f"{_how_many(c, these)}, on average over {whose.these} and over others like them"
    first, second, whom, other = (
        (others, these, whose.like_these, whose.these)
        if c.sampled
        else (these, others, whose.these, "assessors like them")
    )
    n = second.count(DIFFERENT)
    start = f"{_how_many(c, first)}, on average over {whom}"
    if not n and not second.count(ALIKE):
        return f"{start}; {other} judged different systems, so that nothing can be said of them alone"
    return f"{start}; {f'{n:,}' if n else 'none'} over {other}"


def _over_these(whose: Population) -> str:
    return f"for {whose.alone}" if len(whose.assessors) == 1 else f"on average over {whose.these}"


def _how_many(c: Comparison, tested: Tested) -> str:
    """`48 of 66 pairs differ significantly`; compared with one system, which are better and which are worse."""
    differ, total, against = tested.count(DIFFERENT), int(c.family.sum()), c.asked.against
    if against is None:
        return pairs_differ(differ, total)
    better, worse = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
    of = f"{differ:,} of {counted(total, 'system')}"
    if c.asked.side != "both":
        shown = f"shown to be {better if c.asked.side == 'better' else worse} than {against}"
        if not differ:
            return f"no system is {shown}"
        names = _better_and_worse(c, tested)[c.asked.side]
        return f"{of} {'is' if differ == 1 else 'are'} {shown} ({enumerated(names)})"
    if not differ:
        return f"no system differs significantly from {against}"
    sides = zip((better, worse), _better_and_worse(c, tested).values(), strict=True)
    who = "; ".join(f"{word}: {enumerated(names)}" for word, names in sides if names)
    return f"{of} {'differs' if differ == 1 else 'differ'} significantly from {against} ({who})"


def _better_and_worse(c: Comparison, tested: Tested) -> dict[str, list[str]]:
    """Who is better and who is worse than the one system that all are compared with."""
    sign = -1 if c.matrix.info.better == "lower" else 1
    counts = tested.results.counts
    sides: dict[str, list[str]] = {"better": [], "worse": []}
    for k in tested.different.nonzero()[0].tolist():
        side = "better" if tested.results.statistic[k] * sign > 0 else "worse"
        sides[side].append(c.matrix.systems[counts.first[k]])
    return sides


def _unresolved(c: Comparison, tested: Tested) -> Iterator[str]:
    """Pairs of which nothing can be said, by why."""
    if n := tested.count(OUT_OF_REACH):
        yield too_few(n, c.short_of, c.alpha)
    if n := tested.count(NOT_TESTED):
        yield f"{_pairs(n)} could not be tested"
    if n := tested.count(NOT_COMPARABLE):
        yield f"{_pairs(n)} {'has' if n == 1 else 'have'} no topic in common"


def _pairs(n: int) -> str:
    return f"{number_word(n)} pair{'' if n == 1 else 's'}"


def _why_nothing(c: Comparison) -> Spoken:
    """Why no pair at all can be found to differ."""
    import numpy as np

    tested = c.tested[c.test]
    p = tested.smallest[(tested.conclusion == OUT_OF_REACH) & ~np.isnan(tested.smallest)]
    if not p.size:
        reasons = (why for k in np.flatnonzero(c.family).tolist() if (why := tested.why(k)) is not None)
        return next(reasons, "none could be tested")
    least, total = float(p.min()), int(c.family.sum())
    rest = (
        f". {capitalised(_pairs(n))} {'has' if n == 1 else 'have'} no topic in common"
        if (n := tested.count(NOT_COMPARABLE))
        else ""
    )
    westfall_young = Argument("correct", "westfall-young")
    if tested.floor > c.alpha:
        return (
            f"with {tested.resamples:,} resamples no corrected p can be below {tested.floor:.2g}. Take more resamples,"
            f" or {westfall_young}{rest}"
        )
    if least == 1 and not any(pair.result.wins or pair.result.losses for pair in c.pairs[c.test]):
        means = "the means over assessors of " if c.population and len(c.population.assessors) > 1 else ""
        return f"{means}{'the two' if total == 1 else 'systems'} tie on every topic that they share{rest}"
    of_resamples = tested.resamples is not None and least <= (1 + 1e-9) / (tested.resamples + 1)
    allowed = f"{tested.resamples:,} resamples" if of_resamples and tested.divisor > 1 else "these topics"
    smallest = f"the smallest p that {allowed} allow is {_p(least, c.alpha / tested.divisor)}"
    more: str | Argument = "more sets of topics" if c.codes is not None else "more topics"
    if tested.divisor == 1:
        return f"{smallest}, above {_p(c.alpha, least)}. Take {more}{rest}"
    if of_resamples:
        more = westfall_young if p.size > c.alpha * MOST_RESAMPLES else "more resamples"
    elif least <= c.alpha:
        more = f"{more} or fewer systems"
    needed = _p(c.alpha / tested.divisor, least)
    return f"{smallest}, and with {counted(total, 'pair')} it must be {needed} or less. Take {more}{rest}"


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
        of = "all of these" if never == counts["undecided"] else f"{never:,} of these"
        if counts["undecided"] == 1:
            of = "it"
        verdicts += f" (for {of} too few topics differ to ever show equivalence)"
    return f" With a margin of {c.asked.margin:g}: {verdicts}."


# One pair


def pair_sentence(c: Comparison, pair: ComparedPair) -> str:
    """What the corrected test says, and whether the two are the same for all practical purposes."""
    if pair.conclusion == "could not have been found":
        text = _unfindable(pair)
    else:
        result = replace(pair.result, p=pair.p_adjusted)
        correction = CORRECTIONS[c.asked.correct].corrected(c.corrected)
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

    start = f"No difference between {pair.a} and {pair.b} can be found"
    test = test_words(pair.result.test)
    if pair.result.method is None:
        return f"{start} ({test}: {pair.result.why})"
    n, differ = pair.result.n, pair.result.wins + pair.result.losses
    ties = f", {differ} of them not tied" if differ < n else ""
    ties += f", in {counted(pair.sets, 'set')}" if pair.sets else ""
    return (
        f"{start} ({test}: on {counted(n, 'topic')}{ties}, the smallest possible p is {_p(pair.smallest, pair.needed)},"
        f" and it must be {_p(pair.needed, pair.smallest)} or less)"
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
