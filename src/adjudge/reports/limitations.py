"""What a reader of the results must not take them for: each sentence says what is so of this evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.compare.several_words import scope_words
from adjudge.analyses.methods import holes_words, title, without_difference
from adjudge.core.words import as_sentence, counted, listed
from adjudge.data.collection import describe_withdrawn
from adjudge.measures.spec import judge_of
from adjudge.reports.chapter import Absent

if TYPE_CHECKING:
    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.reports.findings import Findings

FEW_TOPICS = 30


def limitations(found: Findings) -> tuple[str, ...]:
    """In the order of weight: who judged, on what, what is missing, what could not be found, what was not looked at."""
    return tuple(
        dict.fromkeys(
            as_sentence(said[:1].upper() + said[1:])
            for each in (_simulated, _assessors, _programs, _sample, _language, _gaps, _reach, _unknown)
            for said in each(found)
        )
    )


def _names(comparisons: Sequence[Comparison], among: Sequence[Comparison]) -> str:
    return listed([title(c, among) for c in comparisons], most=4)


def _simulated(found: Findings) -> Iterator[str]:
    counts = [getattr(found.trusted.get(name), "simulated", 0) for name in ("stability", "agreement")]
    if found.scores is not None:
        counts += [found.scores.count_simulated(c.measure) for c in found.comparisons]
    if n := max(counts):
        yield (
            f"{counted(n, 'judgment')} {'is' if n == 1 else 'are'} simulated: what follows from them is about the"
            " simulation, not about people"
        )


def _judged(found: Findings) -> list[tuple[Comparison, int]]:
    """Comparisons of scores that assessors gave, and by how many."""
    scores = found.scores
    if scores is None:
        return []
    return [
        (c, n)
        for c in found.comparisons
        if c.measure in scores.info
        and judge_of(c.measure) is None
        and (n := len(scores.assessors(c.measure)))
    ]


def _assessors(found: Findings) -> Iterator[str]:
    judged = _judged(found)
    if found.scores is not None and not judged:
        computed = {file.info.measure for file in found.scores.files if file.origin == "computed"}
        all_known = all(c.measure in computed for c in found.comparisons)
        unsure = "" if all_known else ", and whether people gave some of the scores is not known"
        yield (
            f"no measure names assessors{unsure}: what automatic measures find is about quality only as far as they"
            " agree with people"
        )
    if one := [c for c, n in judged if n == 1]:
        yield (
            f"{_names(one, found.comparisons)}: the scores are a single assessor's, and another might judge otherwise"
        )
    if fixed := [(c, n) for c, n in judged if n > 1 and not c.sampled and c.family.any()]:
        most = max(n for _, n in fixed)
        yield (
            f"conclusions on {_names([c for c, _ in fixed], found.comparisons)} are for the {most:,} assessors who"
            " judged, not for others like them"
        )
    agreed: AgreementResult | Absent | None = found.trusted.get("agreement")
    if agreed is None or isinstance(agreed, Absent):
        return
    low = [q for q in agreed.questions if q.alpha.why is None and q.alpha.value < 2 / 3]
    if low:
        known = counted(sum(q.alpha.why is None for q in agreed.questions), "question")
        names = listed([q.title for q in low], most=4)
        yield (
            f"alpha is below .667 on {len(low):,} of {known} ({names}): answers depend much on who gave them"
        )


def _programs(found: Findings) -> Iterator[str]:
    judges = dict.fromkeys(filter(None, (judge_of(c.measure) for c in found.comparisons)))
    if judges:
        own = [c for c in found.comparisons if judge_of(c.measure)]
        yield f"{_names(own, found.comparisons)}: the scores are judgments of a program, not of people"


def _sample(found: Findings) -> Iterator[str]:
    sizes = [len(set(c.matrix.row_topics)) for c in found.comparisons]
    few, many = min(sizes), max(sizes)
    span = counted(many, "topic") if few == many else f"{few:,} to {many:,} topics"
    compared = any(c.family.any() for c in found.comparisons)
    more = ": small differences are easily missed" if few < FEW_TOPICS and compared else ""
    if many == 1:
        yield "there is one topic: nothing is known of others"
    else:
        yield f"conclusions are for topics like these, and rest on {span}{more}"
    if said := scope_words(found.comparisons):
        yield said


def _language(found: Findings) -> Iterator[str]:
    if any(True for _ in found.collection.all_summaries()):
        language = found.collection.settings.language
        yield f"all texts are declared to be of one language ({language}): nothing is said of others"


def _gaps(found: Findings) -> Iterator[str]:
    yield from filter(None, (holes_words(c, found.comparisons) for c in found.comparisons))
    yield from describe_withdrawn(found.collection)
    stale = found.scores.stale if found.scores is not None else {}
    for c in found.comparisons:
        if topics := stale.get(c.measure, ()):
            yield (
                f"scores by {title(c, found.comparisons)} are out of date on {counted(len(topics), 'topic')}: texts or"
                " judgments changed since"
            )


def _reach(found: Findings) -> Iterator[str]:
    tested = [c for c in found.comparisons if c.family.any()]
    yield from (words for _, _, words in without_difference(tested))


def _unknown(found: Findings) -> Iterator[str]:
    if not found.trusted:
        return
    for name, words in (
        ("stability", "how stable rankings are"),
        ("agreement", "how far assessors agree"),
        ("assessors", "whether single assessors judge otherwise"),
    ):
        if isinstance(found.trusted.get(name), Absent) and _judged(found):
            yield f"{words} is not known"
    if isinstance(found.meta, Absent):
        yield "how far automatic measures agree with people was not looked at"
    stable = found.trusted.get("stability")
    if not isinstance(stable, Absent) and stable is not None and not stable.repeats and _judged(found):
        yield "whether assessors agree with themselves is not known: nobody judged anything twice"
