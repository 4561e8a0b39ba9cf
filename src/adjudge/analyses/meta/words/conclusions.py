"""What is said of conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.analyses.compare.words import NOTES as COMPARE_NOTES
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.conclusions import (
    AMONG_WORDS,
    NEITHER,
    OPPOSITE,
    SAME,
    ConclusionAgreement,
    ConclusionsResult,
)
from adjudge.analyses.phrasebook import these_assessors
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed, number_word
from adjudge.data.scores import Among
from adjudge.stats.paired import test_words

PEOPLE = {
    "people-are-a-sample": lambda n: (
        f"people's conclusions are for assessors like these {number_word(n)}, who are a sample as topics are"
    ),
    "people-are-these": lambda n, why: (
        f"people's conclusions are for {these_assessors(n)}, not for others{f' ({why})' if why else ''}"
    ),
    **{
        code: COMPARE_NOTES[code]
        for code in ("assessors-of-one-name", "few-assessors", "these-assessors-only")
    },
}
"""For whom people's conclusions hold."""


def _of_people(code: str) -> Callable[..., str]:
    def text(human: str, among: Sequence[Among], about: Mapping[str, Any]) -> str:
        made = PEOPLE[code]
        line = made.format(**about) if isinstance(made, str) else made(**about)
        where = f" ({listed([AMONG_WORDS[which] for which in among])})" if among else ""
        return f"{human}{where}: {line}"

    return text


NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "tests-used": lambda tests, alpha, correct: (
        f"differences by {listed(list(map(test_words, tests)))}, p <= {alpha:g}, {CORRECTIONS[correct].for_all_pairs};"
        " each choice of pairs is tested by itself"
    ),
    "tests-of-two-kinds": lambda people, measures: (
        f"people are tested by {test_words(people)}, measures by {test_words(measures)} over"
        " topics: tests of different kinds, by which even the same scores can lead to"
        f" different conclusions; with {Argument('test', 't')} both are t-tests"
    ),
    "neither-is-no-proof": "that neither finds a difference does not show that there is none",
    **{code: _of_people(code) for code in PEOPLE},
    "pairs-not-tested-by-both": lambda measure, human, among, n, pairs: (
        f"{measure} and {human}, {AMONG_WORDS[among]}: {n} of {counted(pairs, 'pair')} could not be tested by both"
    ),
    "judged-without-score": lambda measure, human, n: (
        f"{measure}: {counted(n, 'summary', 'summaries')} that people judged on {human} {'has' if n == 1 else 'have'}"
        " no score, and people are tested without them too"
    ),
}


def sentences(result: ConclusionsResult) -> Iterator[str]:
    """By choice of pairs and human measure: who agrees most, who contradicts, what could not have been found."""
    for group in result.groups():
        yield from _sentences(result, group)


def about(result: ConclusionsResult, table: str) -> Iterator[str]:
    for group in result.groups():
        if table == f"conclusions-{group[0].among}":
            yield from _sentences(result, group)


def _sentences(result: ConclusionsResult, group: Sequence[ConclusionAgreement]) -> Iterator[str]:
    first = group[0]
    where = f"Among {AMONG_WORDS[first.among]}"
    tested = [agreement for agreement in group if agreement.tested]
    if not tested:
        yield f"{where}, no pair could be tested both by people's {first.human.words} and by a measure."
        return
    most = max(agreement.agreeing / agreement.tested for agreement in tested)
    best = [agreement for agreement in tested if agreement.agreeing / agreement.tested == most]
    one, human = best[0], first.human.words
    alike = len({(agreement.agreeing, agreement.tested) for agreement in best}) == 1
    on = f"on {one.agreeing} of {counted(one.tested, 'pair')}" if alike else f"on {most:.0%} of their pairs"
    parts = ""
    if len({(agreement.count(SAME), agreement.count(NEITHER)) for agreement in best}) == 1:
        parts = f" (the same difference on {one.count(SAME)}, none on {one.count(NEITHER)})"
    if len(best) == 1:
        who = f"{one.measure.words} leads{'' if len(tested) == 1 else ' most often'}"
    else:
        ahead = "equally" if len(best) == len(tested) else "most"
        who = f"{listed([agreement.measure.words for agreement in best], most=4)} lead {ahead} often"
    yield f"{where}, {who} to the conclusion that {human} leads to: {on}{parts}."
    # Where people find little, whoever finds nothing agrees with them on nearly everything.
    differences = {agreement.people_find for agreement in tested}
    if len(differences) == len({agreement.tested for agreement in tested}) == 1:
        yield (
            f"{where}, {human} finds {counted(one.people_find, 'difference')}: a measure that never found any would"
            f" lead to the same conclusion on {one.tested - one.people_find} of {counted(one.tested, 'pair')}."
        )
    yield from (f"{where}, {clause}" for clause in (*_contradictions(tested), *_unfindable(tested)))


def _contradictions(tested: Sequence[ConclusionAgreement]) -> Iterator[str]:
    """Who contradicts people, and on which pairs; or that nobody does, where anybody could."""
    human = tested[0].human.words
    against = [agreement for agreement in tested if agreement.count(OPPOSITE)]
    if len(against) > MOST_SAID:
        order = sorted(against, key=lambda agreement: -agreement.count(OPPOSITE))
        many = [
            f"{agreement.measure.words} ({counted(agreement.count(OPPOSITE), 'pair')})" for agreement in order
        ]
        yield f"{len(against)} of {len(tested)} measures contradict {human}: {listed(many, most=9)}."
        return
    for agreement in against:
        named = [
            f"{row['people_better']} better than {row['measure_better']}"
            for row in agreement.pair_records(OPPOSITE)
        ]
        yield (
            f"{agreement.measure.words} contradicts {human} on {counted(len(named), 'pair')}: people find"
            f" {listed(named, most=6)}, the measure the reverse."
        )
    who = "no measure" if len(tested) > 1 else f"{tested[0].measure.words} never"
    if not against and any(agreement.count(SAME) for agreement in tested):
        yield f"{who} contradicts {human}: wherever both find a difference, it is in the same direction."
    elif not against:
        what = "a measure" if len(tested) > 1 else tested[0].measure.words
        yield f"no pair is found different both by {human} and by {what}, so that nothing is contradicted."


def _unfindable(tested: Sequence[ConclusionAgreement]) -> Iterator[str]:
    """Pairs that people's test could not have found: that they were not found says nothing of people."""
    human = tested[0].human.words
    lost = [int((agreement.people.out_of_reach & (agreement.cell >= 0)).sum()) for agreement in tested]
    if any(lost):
        most = counted(max(lost), "pair")
        yield (
            f"{most if len(set(lost)) == 1 else f'up to {most}'} could not have been found different by {human} (no p"
            " within reach is significant): there people neither confirm nor refute a measure."
        )


MOST_SAID = 3
"""Measures of which each has its contradictions listed in a sentence of its own; the table lists all."""
