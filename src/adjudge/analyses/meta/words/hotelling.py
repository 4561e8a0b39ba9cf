"""What is said of hotelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.hotelling import HotellingPair, HotellingResult
from adjudge.analyses.meta.words import TOO_FEW, over_words
from adjudge.core.words import capitalised, counted, listed, p_words
from adjudge.data.scores import Among

REASONS: Mapping[str, str | Callable[..., str]] = {
    "few-topics": lambda measures, n: (
        f"{counted(measures, 'measure')} need more than {counted(measures, 'complete topic')}, there are {n or 'none'}"
    ),
    "constant": lambda measures: (
        f"{counted(measures, 'measure has', 'measures have')} the same difference on every topic"
    ),
    "singular": "one measure's differences follow from those of the others, so that their covariance is singular",
}
"""Why a pair is not tested."""
NOTES = {
    "pairs-not-tested": lambda n, why: f"{counted(n, 'pair')} of systems not tested: {why.words(REASONS)}",
    "topics-left-out": lambda least, most: (
        f"topics without a score of both systems on every measure are left out: {least:,}"
        f"{f' to {most:,}' if most > least else ''} of each pair"
    ),
}


def sentences(result: HotellingResult) -> Iterator[str]:
    yield from (_headline(result, among) for among in result.among)
    if result.cube.sets:
        yield "Hotelling's test takes topics of one set as independent: where they resemble each other, p is too small."


def _headline(result: HotellingResult, among: Among) -> str:
    pairs = result.of(among)
    if len(pairs) == 1:
        return f"{_one(pairs[0], result.options.alpha)}."
    correct = result.options.step_correction
    corrected = "not corrected" if correct == "none" else CORRECTIONS[correct].over("these pairs")
    by_f, by_flips = (Counter(getattr(p, name) for p in pairs) for name in ("conclusion", "conclusion_flips"))
    many = counted(len(pairs), "pair")
    clauses = [
        f"{by_f['differ']:,} of {many} differ on all measures together (Hotelling's T-squared, {corrected})",
        f"by sign flips of topics {by_flips['differ']:,}",
    ]
    if lost := by_flips[TOO_FEW]:
        few = listed(
            list(dict.fromkeys(pair.test.lacking for pair in pairs if pair.conclusion_flips == TOO_FEW))
        )
        clauses.append(f"{lost:,} with too few {few} to be significant by flips")
    if untested := by_f["not tested"]:
        clauses.append(f"{untested:,} not tested")
    return f"{capitalised(over_words(among))}: {'; '.join(clauses)}."


def _one(pair: HotellingPair, alpha: float) -> str:
    test, both = pair.test, f"{pair.a} and {pair.b}"
    if test.why is not None:
        return f"{both} could not be tested: {test.why.words(REASONS)}"
    verdict = "differ significantly" if pair.conclusion == "differ" else "are not significantly different"
    f = f"T-squared = {test.t2:.2f}, F({test.df[0]}, {test.df[1]}) = {test.f:.2f}, {p_words(test.p, alpha)}"
    flips = "all" if test.method == "exact" else "random"
    flipped = f"by {flips} sign flips of topics {p_words(test.permutation_p, alpha)}"
    if pair.conclusion_flips == TOO_FEW:
        flipped += f", at least {test.least:.3g} with so few {test.lacking}"
    return f"{both} {verdict} on all measures together ({f}, {counted(test.n, 'topic')}; {flipped})"
