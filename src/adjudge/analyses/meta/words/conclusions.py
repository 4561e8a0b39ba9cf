"""What is said of conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.analyses.compare.words import NOTES as COMPARE_NOTES
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.conclusions import (
    AMONG_WORDS,
    OPPOSITE,
    SAME,
    ConclusionAgreement,
    ConclusionsResult,
)
from adjudge.analyses.phrasebook import these_assessors
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import capitalised, counted, listed, number_word
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
        for code in ("assessors-of-one-name", "few-assessors", "these-assessors-only", "unequal-assessors")
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
    """Of the first choice of pairs; each table has its own lines."""
    among = result.agreements[0].among
    for at, line in enumerate(about(result, f"conclusions-{among}")):
        yield line if at else f"{capitalised(AMONG_WORDS[among])}: {line}"


def about(result: ConclusionsResult, table: str) -> Iterator[str]:
    """By human measure: who agrees most, who contradicts, and where people say too little."""
    for group in result.groups():
        if table == f"conclusions-{group[0].among}":
            yield from _lines(group)


def _lines(group: Sequence[ConclusionAgreement]) -> Iterator[str]:
    human = group[0].human.words
    tested = [agreement for agreement in group if agreement.tested]
    if not tested:
        yield f"No pair could be tested both by {human} and by a measure."
        return
    most = max(agreement.agreeing / agreement.tested for agreement in tested)
    best = [agreement for agreement in tested if agreement.agreeing / agreement.tested == most]
    one = best[0]
    alike = len({(agreement.agreeing, agreement.tested) for agreement in best}) == 1
    on = f"on {one.agreeing} of {counted(one.tested, 'pair')}" if alike else f"on {most:.0%} of their pairs"
    names = listed([agreement.measure.words for agreement in best], most=4)
    verb = "agrees" if len(best) == 1 else "agree"
    often = " most often" if len(best) < len(tested) else ""
    # Where people find little, whoever finds nothing agrees with them on nearly everything.
    nothing = {agreement.tested - agreement.people_find for agreement in tested}
    of_nothing = f"; a measure that finds nothing would agree on {nothing.pop()}" if len(nothing) == 1 else ""
    yield f"{names} {verb}{often} with {human}, {on}{of_nothing}."
    yield _contradictions(tested)
    if lost := max(
        int((agreement.people.out_of_reach & (agreement.cell >= 0)).sum()) for agreement in tested
    ):
        yield (
            f"For {counted(lost, 'pair')}, there is too little of {human} for a significant difference: there people"
            " neither confirm nor refute a measure."
        )


def _contradictions(tested: Sequence[ConclusionAgreement]) -> str:
    human = tested[0].human.words
    against = sorted(
        (agreement for agreement in tested if agreement.count(OPPOSITE)),
        key=lambda agreement: -agreement.count(OPPOSITE),
    )
    if against:
        many = [f"{row.measure.words} ({counted(row.count(OPPOSITE), 'pair')})" for row in against]
        return f"Measures that contradict {human}: {listed(many, most=9)}."
    if any(agreement.count(SAME) for agreement in tested):
        return f"No measure contradicts {human}." if len(tested) > 1 else f"It never contradicts {human}."
    return f"No pair is found different both by {human} and by a measure, so nothing can be contradicted."
