"""What is said of texts side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.core.results import Style
from adjudge.core.words import counted, decimal, listed
from adjudge.measures.rouge.counts import REFS_WORDS

if TYPE_CHECKING:
    from adjudge.analyses.examples.result import ExamplesResult, ExampleText, ExampleTopic

SIGNS: Sequence[tuple[str, str, Style]] = (("«", "»", "first"), ("‹", "›", "second"))
MOST_LISTED = 40


def _grams(n: int) -> str:
    return {0: "pairs of words", 1: "words", 2: "bigrams", 3: "trigrams"}.get(n, f"{n}-grams")


def listed_grams(grams: Sequence[str], between: str, most: int) -> str:
    """The first of many n-grams, and how many more there are."""
    return f"{between.join(grams[:most])}{f' and {len(grams) - most} more' if len(grams) > most else ''}"


NOTES = {
    **phrasebook.NOTES,
    "topics-left-out": lambda n: (
        f"{counted(n, 'topic')} left out: texts changed since scoring, or are missing"
    ),
    "own-grams-count": lambda title, grams: (
        f"{title} is also lower the more {_grams(grams)} of a summary match nothing"
    ),
    "best-reference-counts": ("each summary is compared with its best reference only"),
    "mean-of-references": lambda refs: (
        f"{REFS_WORDS[refs]}; counts are over all references, so their ratio may differ from the score"
    ),
    "writers-of-references": lambda systems: (
        f"{listed(systems)} also wrote {'a reference' if len(systems) == 1 else 'references'}, with which only the"
        " other"
        " system is compared"
    ),
    "references-judged-against": ("only references that both were judged against are shown"),
    "brevity-counts": "{title} also rewards brevity, which no unit shows",
}


def sentences(result: ExamplesResult) -> Iterator[str]:
    a, b = map(result.called, result.between)
    better, values = result.matrix.info.better, result.matrix.values
    form = ".4f" if abs(values).max() < 10 else ".2f"
    means = [decimal(mean, form) for mean in values.mean(axis=0)]
    d = (-1 if better == "lower" else 1) * (values[:, 0] - values[:, 1])
    if d.any():
        word = "higher" if better is None else "ahead"
        ties = int((d == 0).sum())
        yield (
            f"On {result.title}, {a} is {word} on {int((d > 0).sum())} of {counted(len(d), 'topic')}, {b} on"
            f" {int((d < 0).sum())}{f' ({ties} ties)' if ties > 1 else ' (1 tie)' if ties else ''}; means {means[0]}"
            " and"
            f" {means[1]}."
        )
    else:
        where = "the one topic" if len(d) == 1 else f"each of {counted(len(d), 'topic')}"
        yield f"On {result.title}, {a} and {b} have the same score on {where}; mean {means[0]}."
    best = "highest" if better is None else "best"
    first, second = map(result.called, result.picked_pair)
    picked = {
        "asked": "",
        "next-different": (
            f"{first} has the {best} mean; {second} is the next that differs significantly from it."
        ),
        "first-two": (
            f"{first} and {second} have the two {best} means; no system differs significantly from {first}."
        ),
    }[result.pick]
    if picked:
        yield picked
    yield reading(result)


def reading(result: ExamplesResult) -> str:
    """What the marks mean."""
    a, b = map(result.called, result.between)
    if result.made == "n-grams":
        return (
            f"Marked: {_grams(result.grams)} of the references that count more for {a} than for {b} in"
            f" {result.title}, or"
            " the other way round."
        )
    if result.made == "units":
        return (
            f"Marked: units of the references expressed at least a quarter more by {a} than by {b}, or the other way"
            " round, and where assessors found them in the summaries."
        )
    return f"Nothing is marked: {result.title} does not show which words made the difference."


def why(result: ExamplesResult, topic: ExampleTopic, called: Callable[[str], str]) -> str:
    """Why a topic is shown; `called` names systems."""
    ahead, place, tied = topic.why
    if ahead is None:
        return "the two have the same score here" if tied else "closest to the mean difference"
    nth = ("", "second ", "third ")[place - 1] if place <= 3 else f"number {place} of those "
    return (
        f"{called(ahead)} is {nth}furthest {'ahead' if result.matrix.info.better else 'above the other'} here"
    )


def counts(result: ExamplesResult, text: ExampleText) -> str:
    """What the measure counts in a text; nothing where it says nothing of single texts."""
    if text.counts is None:
        return ""
    if len(text.counts) == 2:
        units, mean = text.counts
        return f"{counted(units, 'unit')} expressed, to {100 * mean:.0f} % on average"
    hits, total, references, reference, peer_grams = text.counts
    which = "the reference" if references == 1 else "the references"
    words = f"{hits} of {total} {_grams(result.grams)} of {which}{f' by {reference}' if reference else ''}"
    if peer_grams is not None:
        words += f"; {peer_grams} of its own"
        words += f", counted for each of {references} references" if references > 1 else ""
    return words


def side_by_side(result: ExamplesResult) -> Iterator[tuple[str, Style]]:
    """The texts with their marks, as a terminal shows them."""
    a, b = map(result.called, result.between)
    for topic in result.examples:
        title = f": {topic.title}" if topic.title else ""
        yield f"\n{topic.topic}{title} ({why(result, topic, str)})\n", "title"
        for text, score in zip(topic.texts, topic.scores, strict=True):
            counted_in = counts(result, text)
            yield (
                f"{result.called(text.system)}, {score:.4f}{f', {counted_in}' if counted_in else ''}\n",
                "heading",
            )
            yield from _marked(text)
        for text in topic.references:
            yield f"reference by {result.called(text.system)}\n", "heading"
            yield from _marked(text)
        for name, grams in ((a, topic.only_first), (b, topic.only_second)):
            if grams:
                yield f"counts for {name} only: {listed_grams(grams, '; ', MOST_LISTED)}\n", ""
        for unit in topic.units:
            worth = f"{a} {100 * unit.a:.0f} %, {b} {100 * unit.b:.0f} %"
            yield f"{worth}: {unit.text} ({unit.reference})\n", ""
    yield "\n", ""
    if result.made != "nothing":
        yield f"«counts for {a} only» ‹counts for {b} only›\n", ""


def _marked(text: ExampleText) -> Iterator[tuple[str, Style]]:
    for piece in text.pieces():
        shown = piece.text
        style: Style = ""
        for (opens, closes, of_side), there in zip(SIGNS, piece.marks, strict=True):
            if there:
                shown, style = f"{opens}{shown}{closes}", style or of_side
        yield shown, style
    yield "\n", ""
