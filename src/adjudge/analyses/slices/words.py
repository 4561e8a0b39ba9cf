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
    "do not vary significantly",
    "too few topics",
    "not tested",
)
"""What is concluded of differences between systems."""
NO_SLICES: Mapping[str, str | Callable[..., str]] = {
    "unsaid": "no topic has one",
    "all-alike": "all are {value}",
    "too-many": lambda n, topics: f"{n} values for {counted(topics, 'topic')}",
    "no-thirds": "its values differ too little for thirds",
    "no-folder": "it needs an evaluation folder with texts",
    "no-documents": "no source documents",
    "one-target": "only one {by} is compared",
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
    return (
        f"by {by}, {listed(systems)} {are} left out of the test: no score on half or more of a slice's topics"
    )


def _topics_not_in_the_test(by: list[str], n: int, within: bool) -> str:
    lack = "with a missing score"
    if within:
        lack = f"at one {either(by)}: scores are missing there, or everywhere else"
    return f"by {listed(by, most=len(by))}, the test leaves out {counted(n, 'topic')} {lack}"


NOTES = {
    **phrasebook.NOTES,
    "no-slices": lambda by, why: f"no slices by {listed(by, most=len(by))}: {why}",
    "slices-not-tested": "not tested by {by}: {why}",
    "systems-not-in-the-test": _not_in_the_test,
    "topics-not-in-the-test": _topics_not_in_the_test,
    "topics-in-no-slice": lambda by, n: (
        f"by {by}, {counted(n, 'topic is', 'topics are')} in no slice: value unknown"
    ),
    "sets-as-independent": (
        "topics of a set count as independent: p is too small where they are alike and slices hold whole sets"
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
    start = f"On {result.title},"
    how = f"permutation {what}between slices, {corrected}{counted(len(result.matrix.topics), 'topic')}"
    if vary:
        # The slices of lengths and forms are more than what is looked at otherwise.
        slices = [f"{listed(sliced.slices)}; " if sliced.within else "" for sliced in vary]
        named = [
            f"{sliced.by} ({of}{p_words(sliced.p_adjusted, result.alpha)})"
            for sliced, of in zip(vary, slices, strict=True)
        ]
        yield f"{start} differences between systems vary with {listed(named, most=len(named))}; {how}."
    elif undecided:
        least = p_words(min(sliced.p_adjusted for sliced in undecided), result.alpha)
        yield (
            f"{start} differences between systems do not vary significantly with {_by(undecided)}"
            f" ({'smallest ' if len(undecided) > 1 else ''}{least}; {how})."
        )
    elif never:
        yield f"{start} there are too few topics to tell whether differences vary with {_by(never)} ({how})."
    else:
        yield f"{start} nothing could be tested: {'; '.join(f'by {s.by}, {s.why}' for s in untested)}."
    for sliced in vary:
        yield from _about(result, sliced)
    if silent := [sliced for sliced in vary if not sliced.standing_out]:
        yield f"By {_by(silent)}, no single system stands out on a slice."
    if vary and undecided:
        yield f"They do not vary significantly with {_by(undecided)}."
    if never and (vary or undecided):
        yield f"Too few topics to tell for {_by(never)}."


def _by(properties: Sequence[PropertySlices]) -> str:
    return either([sliced.by for sliced in properties])


def _about(result: SystemSlices, sliced: PropertySlices) -> Iterator[str]:
    """What is otherwise in which slice, with the numbers that show it."""
    surest: dict[str, SlicedMean] = {}
    for cell in sliced.standing_out:
        surest.setdefault(cell.system, cell)  # with two slices the second says the same again
    for cell in surest.values():
        yield (
            f"{cell.system} stands {'higher' if cell.inside > cell.outside else 'lower'} where {sliced.by} is"
            f" {cell.slice}: {_from_mean(cell.inside)} the systems' mean, elsewhere {_from_mean(cell.outside)} it"
            f" ({p_words(cell.p, result.alpha)}, corrected over {counted(len(sliced.tested), 'system')} on"
            f" {counted(len(sliced.slices), 'slice')})."
        )


def _from_mean(distance: float) -> str:
    return f"{decimal(abs(distance))} {'above' if distance >= 0 else 'below'}"
