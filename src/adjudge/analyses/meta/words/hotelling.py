"""What is said of hotelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.hotelling import HotellingPair, HotellingResult
from adjudge.analyses.meta.words import over_words
from adjudge.core.words import counted, listed, p_words
from adjudge.data.scores import Among

NOTES = {
    "pairs-not-tested": lambda n, why: f"{counted(n, 'pair')} of systems not tested: {why}",
    "topics-left-out": lambda least, most: (
        f"topics without a score of both systems on every measure are left out: {least:,}"
        f"{f' to {most:,}' if most > least else ''} of each pair"
    ),
}


def _on(result: HotellingResult, among: Among) -> str:
    on = f"n {listed([info.words for info in result.measures])} together"
    alone = len(result.pairs) == 1  # two systems by name are no choice of systems
    return f"O{on}" if alone else f"Among {over_words(among)}, o{on}"


def _headline(result: HotellingResult, among: Among) -> str:
    pairs = result.of(among)
    if len(pairs) == 1:
        return _one(result, pairs[0])
    corrected = (
        "not corrected" if result.correct == "none" else CORRECTIONS[result.correct].over("these pairs")
    )
    by_f, by_flips = (Counter(getattr(p, name) for p in pairs) for name in ("conclusion", "conclusion_flips"))
    many = counted(len(pairs), "pair")
    clauses = [f"{by_f['differ']:,} of {many} of systems differ (Hotelling's T-squared, {corrected})"]
    clauses.append(f"by sign flips of topics {by_flips['differ']:,}")
    if lost := by_flips["could not have been found"]:
        clauses.append(f"by flips {lost:,} could not have been found")
    if untested := by_f["not tested"]:
        clauses.append(f"{untested:,} could not be tested")
    return f"{_on(result, among)}, {'; '.join(clauses)}."


def _one(result: HotellingResult, pair: HotellingPair) -> str:

    test, on = pair.test, _on(result, pair.among)
    if test.why is not None:
        return f"{on}, {pair.a} and {pair.b} could not be tested: {test.why}."
    conclusion = {
        "differ": f"{pair.a} and {pair.b} differ",
        "not significantly different": f"{pair.a} and {pair.b} are not significantly different",
    }[pair.conclusion]
    f = f"F({test.df[0]}, {test.df[1]}) = {test.f:.2f}, {p_words(test.p, result.alpha)}"
    flips = "all" if test.method == "exact" else "random"
    flipped = f"by {flips} sign flips of topics {p_words(test.permutation_p, result.alpha)}"
    if pair.conclusion_flips == "could not have been found":
        flipped += f", where no p is below {test.least:.3g}"
    topics = counted(test.n, "topic")
    return f"{on}, {conclusion} (Hotelling's T-squared = {test.t2:.2f}, {f}, {topics}; {flipped})."


def sentences(result: HotellingResult) -> Iterator[str]:
    yield from (_headline(result, among) for among in result.among)
    if result.sets:
        yield "Topics of one set count as independent in Hotelling's test: where they are alike, p is too small."
