"""What a reader of the results must not take them for: each sentence says what is so of this evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.compare.several_words import scope_words
from adjudge.analyses.methods import all_holes, title, without_difference
from adjudge.analyses.pages.chapter import Findings
from adjudge.analyses.pages.judgments import people_of, unscored
from adjudge.core.words import as_sentence, capitalised, counted, listed
from adjudge.data.collection import describe_withdrawn
from adjudge.measures.spec import judge_of
from adjudge.reports.contents import looked_into, with_results

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison

FEW_TOPICS = 30


def limitations(findings: Findings) -> tuple[str, ...]:
    """In the order of weight: who judged, on what, what is missing, what could not be found, what was not looked at."""
    return tuple(dict.fromkeys(capitalised(as_sentence(text)) for text in _limits(findings)))


def _limits(findings: Findings) -> Iterator[str]:
    comparisons = findings.worded
    simulated = [getattr(result, "simulated", 0) for _, result in with_results(findings)]
    simulated += [findings.scores.count_simulated(c.measure) for c in comparisons]
    if n := max(simulated):
        yield (
            f"{counted(n, 'judgment')} {'is' if n == 1 else 'are'} simulated: what follows from them is about the"
            " simulation, not about people"
        )
    yield from _assessors(findings)
    if programs := [c for c in comparisons if judge_of(c.measure)]:
        yield f"{_names(programs, comparisons)}: the scores are judgments of a program, not of people"
    yield from _sample(comparisons)
    if any(True for _ in findings.collection.all_summaries()):
        language = findings.collection.settings.language
        yield f"all texts are declared to be of one language ({language}): nothing is said of others"
    yield from all_holes(comparisons)
    yield from describe_withdrawn(findings.collection)
    for c in comparisons:
        if topics := findings.scores.stale.get(c.measure, ()):
            yield (
                f"scores by {title(c, comparisons)} are out of date on {counted(len(topics), 'topic')}:"
                " texts or judgments changed since"
            )
    yield from (words for _, _, words in without_difference([c for c in comparisons if c.family.any()]))
    for part, result in looked_into(findings):
        yield from part.unknown(result, findings)


def _names(comparisons: Sequence[Comparison], among: Sequence[Comparison]) -> str:
    return listed([title(c, among) for c in comparisons], most=4)


def _assessors(findings: Findings) -> Iterator[str]:
    judged = findings.judged
    people = people_of(findings)
    if not judged and people:
        names = listed([findings.scores.info[name].words for name in people])
        yield f"the comparisons are by automatic measures; assessors gave scores of {names}"
    elif not judged and (there := unscored(findings.scores)) is not None:
        yield there.why
    elif not judged:
        computed = {file.info.measure for file in findings.scores.files if file.origin == "computed"}
        all_known = all(c.measure in computed for c in findings.comparisons)
        unsure = "" if all_known else ", and whether people gave some of the scores is not known"
        yield (
            f"no measure names assessors{unsure}: what automatic measures find is about quality only as far as they"
            " agree with people"
        )
    if one := [c for c, n in judged if n == 1]:
        yield (
            f"{_names(one, findings.comparisons)}: the scores are a single assessor's, and another might judge"
            " otherwise"
        )
    if fixed := [(c, n) for c, n in judged if n > 1 and not c.sampled and c.family.any()]:
        most = max(n for _, n in fixed)
        yield (
            f"conclusions on {_names([c for c, _ in fixed], findings.comparisons)} are for the {most:,} assessors who"
            " judged, not for others like them"
        )
    for part, result in with_results(findings):
        yield from part.limitations(result)


def _sample(comparisons: Sequence[Comparison]) -> Iterator[str]:
    sizes = [len(set(c.matrix.row_topics)) for c in comparisons]
    few, many = min(sizes), max(sizes)
    span = counted(many, "topic") if few == many else f"{few:,} to {many:,} topics"
    compared = any(c.family.any() for c in comparisons)
    more = ": small differences are easily missed" if few < FEW_TOPICS and compared else ""
    if many == 1:
        yield "there is one topic: nothing is known of others"
    else:
        yield f"conclusions are for topics like these, and rest on {span}{more}"
    if scope := scope_words(comparisons):
        yield scope
