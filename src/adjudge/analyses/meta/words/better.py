"""What is said of better."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.conclusions import candidates
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.better import SWAPPED, BetterResult, MeasureComparison
from adjudge.analyses.meta.words import coefficient_words
from adjudge.analyses.phrasebook import best_words
from adjudge.core.words import counted, listed

NOTES = {
    "pairs-not-tested": lambda n, where, why: (
        f"{counted(n, 'pair')} of measures not tested in correlation {where}: {why}"
    ),
    "no-correlation": "{measure}: no correlation {where} ({why})",
    "ordered-by-judged-topics": (
        "measures stand in the order of their correlations {where}, on the topics that people judged, on which they are"
        " tested; their means over all their topics have correlations of their own"
    ),
    "pairs-the-other-way-round": lambda pairs, where: (
        "on the summaries that both have, these measures differ the other way round than in the order by their"
        f" correlations {where}: {listed([f'{a} with {b}' for a, b in pairs])}"
    ),
    "summaries-in-common": lambda least, most, where: (
        f"pairs of measures have from {least:,} to {counted(most, 'summary', 'summaries')} in common, for correlations"
        f" {where}; each pair counts those that people and both measures have, so that a measure's correlation in a"
        " pair may differ from its own"
    ),
    "topics-without-correlation": lambda n, where: (
        f"up to {counted(n, 'topic')} without a correlation (all summaries alike, or fewer than 3)"
        f" {'is' if n == 1 else 'are'} left out of a pair's mean correlations {where}"
    ),
}


def sentences(result: BetterResult) -> Iterator[str]:
    for compared in result.comparisons:
        yield from _sentences(compared)


def about(result: BetterResult, table: str) -> Iterator[str]:
    for compared in result.comparisons:
        if table == f"better-{compared.name}":
            yield from _sentences(compared)


def headline(compared: MeasureComparison) -> str:
    """How many pairs differ, and which measures may be the best."""
    pairs = len(compared.pairs)
    differ, alike = compared.count("differ"), compared.count("not significantly different")
    lost, untested = compared.count("could not have been found"), compared.count("not tested")
    corrected = (
        "not corrected" if compared.correct == "none" else CORRECTIONS[compared.correct].over("these pairs")
    )
    if lost and not differ + alike:
        clauses = [f"no pair of measures could have been found to differ ({compared.tested_by}, {corrected})"]
    else:
        clauses = [
            f"{differ:,} of {counted(pairs, 'pair')} of measures differ ({compared.tested_by}, {corrected})"
        ]
    if alike:
        clauses.append(f"{alike:,} {'is' if alike == 1 else 'are'} not significantly different")
    if lost and differ + alike:
        clauses.append(f"{lost:,} could not have been found")
    if untested:
        names = [
            f"{pair.a.words} with {pair.b.words}"
            for pair in compared.pairs
            if pair.conclusion == "not tested"
        ]
        clauses.append(f"{untested:,} could not be tested ({listed(names)})")
    who = "".join(f" {sentence}." for sentence in _best(compared, bool(differ + alike)))
    return f"In correlation {compared.where} ({on(compared)}), {'; '.join(clauses)}.{who}"


def on(compared: MeasureComparison) -> str:
    """`12 systems, 14 topics`."""
    lengths = (
        f" at several lengths, {compared.topics:,} in all" if compared.distinct < compared.topics else ""
    )
    return f"{counted(compared.systems, 'system')}, {counted(compared.distinct, 'topic')}{lengths}"


def _best(compared: MeasureComparison, decided: bool) -> Iterator[str]:
    """Who may be the best, and of whom that says little, as no difference was within the test's reach."""
    there = [k for k, place in enumerate(compared.places) if not math.isnan(place.value)]
    if len(there) < 2:
        return
    if not decided:
        yield "Which measure is the best is left open"
        return
    names = [compared.places[k].measure.words for k in there]
    better = compared.better[there][:, there]
    some = f"Of the {len(there)} that have a correlation, " if len(there) < len(compared.places) else ""
    yield best_words(better, names, what="measure", start=some)
    within = {
        name
        for pair in compared.pairs
        if pair.conclusion in ("differ", "not significantly different")
        for name in (pair.a.measure, pair.b.measure)
    }
    few = [
        compared.places[there[k]].measure
        for k in candidates(better)
        if compared.places[there[k]].measure.measure not in within
    ]
    if few:
        yield f"No difference of {listed([measure.words for measure in few])} could have been found"


def _sentences(compared: MeasureComparison) -> Iterator[str]:
    yield headline(compared)
    if lost := [pair for pair in compared.pairs if pair.conclusion == "could not have been found"]:
        least = min(pair.least for pair in lost)
        yield (
            f"{counted(len(lost), 'pair')} of measures could not have been found to differ in correlation"
            f" {compared.where}: before correction the smallest p within reach was {least:.3g}"
            f" ({compared.tested_by}), so that not to differ says nothing there."
        )
    if compared.asked.measure_test == "permutation" and compared.asked.swap != "systems":
        yield (
            f"Swaps {SWAPPED[compared.asked.swap]} suppose that no measure favours some systems on all topics:"
            f" differences in correlation {compared.where} hold for these systems, and may not for others."
        )
    if compared.asked.measure_test == "williams" and compared.level == "global":
        yield (
            "At the global level Williams' test takes every summary for independent, which those of one topic or"
            " one system are not: its p-values may be too small."
        )
    if compared.asked.measure_test == "williams" and compared.coefficient != "pearson":
        yield (
            f"Williams' test is made for Pearson's r: with {coefficient_words(compared.coefficient)} its p-values are"
            " approximate."
        )
