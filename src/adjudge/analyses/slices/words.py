"""What is said of slices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.phrasebook import either
from adjudge.core.words import counted, decimal, listed, p_words

if TYPE_CHECKING:
    from adjudge.analyses.slices.result import PropertySlices, SlicedMean, SystemSlices

VARY, NOT_SHOWN, UNFINDABLE, NOT_TESTED = (
    "vary",
    "not shown to vary",
    "could not have been found",
    "not tested",
)
"""What is concluded of differences between systems."""
NO_SLICES: Mapping[str, str | Callable[..., str]] = {
    "unsaid": "no topic says its {by}",
    "all-alike": "all are {value}",
    "too-many": lambda n, topics: f"there are {n} for {counted(topics, 'topic')}",
    "no-thirds": "its values do not differ enough for thirds",
    "no-folder": "it needs the texts of an evaluation's folder",
    "no-documents": "the evaluation has no source documents",
    "one-target": "one {by} is looked at",
    "few-systems": "fewer than two systems have scores of every {by}",
}
"""Why there are no slices by a property."""
NOT_TESTABLE = {
    "few-systems": "fewer than two systems have scores on more than half of every slice's topics",
    "no-topic-in-two": "no topic has the scores of all systems in two slices",
    "empty-slice": "a slice has no topic on which all systems have scores",
    "one-column": "there are no two systems to compare",
    "one-slice": "all are in one slice",
    "one-row-each": "every slice has one topic",
    "all-the-same": "the differences between them are the same in every topic",
}
"""Why slices are not tested."""


def _not_in_the_test(by: str, systems: Sequence[str]) -> str:
    are = "is" if len(systems) == 1 else "are"
    return f"by {by} {listed(systems)} {are} not in the test: no score on half or more of a slice's topics"


def _topics_not_in_the_test(by: str, n: int, within: bool) -> str:
    at = f"at a {by}, without the scores of all systems there or at a second {by}"
    lack = at if within else "with a missing score"
    return (
        f"by {by} the test leaves out {counted(n, 'topic')} {lack}; means are over the scores that there are"
    )


NOTES = {
    **phrasebook.NOTES,
    "no-slices": "no slices by {by}: {why}",
    "slices-not-tested": "by {by} not tested: {why}",
    "systems-not-in-the-test": _not_in_the_test,
    "topics-not-in-the-test": _topics_not_in_the_test,
    "topics-in-no-slice": lambda by, n: (
        f"by {by} {counted(n, 'topic is', 'topics are')} in no slice: nothing known"
    ),
    "sets-as-independent": (
        "topics of one set change places one by one between slices, as if they were independent: where they are alike,"
        " p is too small for slices that take sets whole"
    ),
}


def sentences(result: SystemSlices) -> Iterator[str]:
    """Whether differences between systems vary with anything that topics are sliced by, then how."""
    vary, undecided = result.concluded(VARY), result.concluded(NOT_SHOWN)
    never, untested = result.concluded(UNFINDABLE), result.concluded(NOT_TESTED)
    tested = [sliced for sliced in result.properties if sliced.conclusion != NOT_TESTED]
    over = CORRECTIONS[result.asked.correct].over(counted(len(tested), "property", "properties"))
    corrected = f"{over or 'not corrected'}, " if len(tested) > 1 else ""
    within = {sliced.within for sliced in tested}
    what = "" if len(within) > 1 else "of a topic's scores " if True in within else "of topics "
    start = f"On {result.title}"
    how = f"permutation {what}between slices, {corrected}{counted(len(result.matrix.topics), 'topic')}"
    if vary:
        # The slices of lengths and forms are more than what is looked at otherwise.
        slices = [f"{listed(sliced.slices)}; " if sliced.within else "" for sliced in vary]
        named = [
            f"{sliced.by} ({of}{p_words(sliced.p_adjusted, result.alpha)})"
            for sliced, of in zip(vary, slices, strict=True)
        ]
        yield f"{start} differences between systems vary with {listed(named, most=len(named))}: {how}."
    elif undecided:
        least = p_words(min(sliced.p_adjusted for sliced in undecided), result.alpha)
        yield (
            f"{start} differences between systems are not shown to vary with {_by(undecided)}"
            f" ({'smallest ' if len(undecided) > 1 else ''}{least}, {how}); that is no proof that they do not."
        )
    elif never:
        yield (
            f"{start} differences between systems could not have been found to vary with {_by(never)}: too few topics"
            f" ({how})."
        )
    else:
        yield f"{start} nothing could be tested: {'; '.join(f'by {s.by}, {s.why}' for s in untested)}."
    for sliced in vary:
        yield from _about(result, sliced)
    if vary and undecided:
        yield f"They are not shown to vary with {_by(undecided)}; that is no proof that they do not."
    if never and (vary or undecided):
        yield f"With {_by(never)} they could not have been found to vary: too few topics."


def _by(properties: Sequence[PropertySlices]) -> str:
    return either([sliced.by for sliced in properties])


def _about(result: SystemSlices, sliced: PropertySlices) -> Iterator[str]:
    """What is otherwise in which slice, with the numbers that show it."""
    if not sliced.standing_out:
        yield (
            f"By {sliced.by} no single system on a single slice stands out: the table has every mean, and what is"
            " high or low in one place may be chance."
        )
    surest: dict[str, SlicedMean] = {}
    for cell in sliced.standing_out:
        surest.setdefault(cell.system, cell)  # with two slices the second says the same again
    for cell in surest.values():
        higher = "higher" if cell.inside > cell.outside else "lower"
        yield (
            f"{cell.system} stands {higher} among the systems where {sliced.by} is {cell.slice} than elsewhere:"
            f" {_from_mean(cell.inside)} there, {_from_mean(cell.outside)} elsewhere"
            f" ({p_words(cell.p, result.alpha)}, corrected over {counted(len(sliced.tested), 'system')} on"
            f" {counted(len(sliced.slices), 'slice')})."
        )


def _from_mean(distance: float) -> str:
    return f"{decimal(abs(distance))} {'above' if distance >= 0 else 'below'} their mean"
