"""What is said of better."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.conclusions import candidates
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.better import SWAPPED, BetterResult, MeasureComparison
from adjudge.analyses.meta.words import TOO_FEW, coefficient_words, placed
from adjudge.core.words import counted, listed, p_number

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
    """Of the first comparison; each table has its own lines."""
    first = result.comparisons[0]
    yield from placed(first.level, first.among, about(result, f"better-{first.name}"))


def about(result: BetterResult, table: str) -> Iterator[str]:
    for compared in result.comparisons:
        if table == f"better-{compared.name}":
            yield from _lines(compared)


def _lines(compared: MeasureComparison) -> Iterator[str]:
    """How many pairs differ, which measures may be the best, and what the test cannot tell."""
    pairs, differ = len(compared.pairs), compared.count("differ")
    lost = [pair for pair in compared.pairs if pair.conclusion == TOO_FEW]
    corrected = (
        "not corrected" if compared.correct == "none" else CORRECTIONS[compared.correct].over("these pairs")
    )
    how = "; ".join([compared.tested_by, *([corrected] if compared.tested > 1 else []), on(compared)])
    if pairs == compared.tested == 1:
        first, second = (place.measure.words for place in compared.places)
        if differ:
            yield f"{first} is significantly better than {second} ({how})."
        else:
            yield f"{first} and {second} do not differ significantly ({how})."
    elif differ:
        verb = "differs" if differ == 1 else "differ"
        yield f"{differ:,} of {counted(pairs, 'pair')} of measures {verb} significantly ({how})."
    elif compared.tested:
        yield f"No pair of measures differs significantly ({how})."
    decided = bool(differ or compared.count("not significantly different"))
    if pairs > 1:
        yield from _best(compared, decided)
    if lost:
        least = p_number(min(pair.least for pair in lost))
        yield (
            f"Too few {compared.lacking} for {counted(len(lost), 'pair')} to be significant: the smallest p that the"
            f" test can give{', before correction,' if compared.tested > 1 else ''} is {least}."
        )
    if untested := [
        f"{pair.a.words} with {pair.b.words}" for pair in compared.pairs if pair.conclusion == "not tested"
    ]:
        yield f"Not tested: {listed(untested)}."
    if compared.asked.measure_test == "permutation" and compared.asked.swap != "systems":
        yield f"Swaps over {SWAPPED[compared.asked.swap]} speak of these systems alone."
    if compared.asked.measure_test == "williams" and compared.level == "global":
        yield "Williams' test takes summaries as independent, which those of one topic are not: p may be too small."
    if compared.asked.measure_test == "williams" and compared.coefficient != "pearson":
        yield f"Williams' test is for Pearson's r: with {coefficient_words(compared.coefficient)}, p is approximate."


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
        yield "Which measure is the best stays open."
        return
    names = [compared.places[k].measure.words for k in there]
    better = compared.better[there][:, there]
    best = candidates(better)
    some = f" of the {len(there)} with a correlation" if len(there) < len(compared.places) else ""
    if len(best) == len(names):
        yield f"Top group{some}: all {len(names)} (no measure is significantly better than another)."
    elif len(best) == 1 and better[best[0]].sum() == len(names) - 1:
        yield f"{names[best[0]]} is significantly better than all others{some}."
    elif best:
        yield f"Top group{some}: {listed([names[k] for k in best], most=9)} (no measure is significantly better)."
    else:
        yield "No measure is the best: for every one there is one that is significantly better."
    within = {
        name
        for pair in compared.pairs
        if pair.conclusion in ("differ", "not significantly different")
        for name in (pair.a.measure, pair.b.measure)
    }
    few = [compared.places[there[k]].measure for k in best]
    if few := [measure for measure in few if measure.measure not in within]:
        yield f"No difference of {listed([measure.words for measure in few])} could be significant."
