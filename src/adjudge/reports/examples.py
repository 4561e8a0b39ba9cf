"""The chapter of texts side by side: what differences between two systems look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.analyses.examples.result import ExamplesResult, ExampleText, ExampleTopic
from adjudge.analyses.examples.words import counts, why
from adjudge.core.words import counted
from adjudge.data.collection import Collection
from adjudge.reports.chapter import Absent, Chapter
from adjudge.reports.names import Name, names_of
from adjudge.reports.numbers import format_for
from adjudge.text.segments import Segment
from adjudge.text.words import count_words

ANCHOR, TEMPLATE = "examples", "examples.html.j2"
QUESTION = "What do the differences look like?"
LONG = 3000
"""Characters from which a text is folded."""
MOST_LISTED = 30
"""N-grams that are listed; the texts have all."""


@dataclass(frozen=True, slots=True)
class SideText:
    """A text in pieces, each with whether it counts for the first system and for the second."""

    name: Name
    score: str
    counts: str
    pieces: tuple[Segment, ...]
    folded: str
    """What unfolds it, where it is long."""


@dataclass(frozen=True, slots=True)
class SideUnit:
    """A unit that made the difference, with its completeness in both."""

    text: str
    reference: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class SideTopic:
    """One topic: who is ahead by how much, the two texts, the references."""

    topic: str
    title: str | None
    why: str
    """With a full stop."""
    texts: tuple[SideText, ...]
    references: tuple[SideText, ...]
    more_references: tuple[SideText, ...]
    lists: tuple[tuple[int, str, str], ...]
    """By side: its name, and the n-grams that count for it alone."""
    units: tuple[SideUnit, ...]


@dataclass(frozen=True, slots=True)
class ExamplesContent:
    """Everything that the chapter shows."""

    first: Name
    second: Name
    marked: bool
    language: str
    topics: tuple[SideTopic, ...]
    notes: tuple[str, ...]
    signature: str


def examples_chapter(
    found: ExamplesResult | None, absent: Sequence[Absent], collection: Collection, of: str = ""
) -> Chapter:
    """The chapter; without examples, what is missing to have them."""
    if found is None:
        return Chapter(ANCHOR, QUESTION, (), TEMPLATE, None, tuple(absent))
    systems = {text.system for each in found.examples for text in (*each.texts, *each.references)}
    names = names_of(collection, sorted(systems))
    shown = replace(found, labels={system: name.shown for system, name in names.items()})
    a, b = found.between
    content = ExamplesContent(
        first=names[a],
        second=names[b],
        marked=found.made != "nothing",
        language=found.language,
        topics=tuple(_topic(each, shown, names) for each in found.examples),
        notes=tuple(found.warnings()),
        signature=found.signature,
    )
    said = (*([of] if of else []), *shown.sentences())
    return Chapter(ANCHOR, QUESTION, said, TEMPLATE, content, tuple(absent))


def _topic(each: ExampleTopic, found: ExamplesResult, names: dict[str, Name]) -> SideTopic:
    form = format_for([v for row in found.matrix.values.tolist() for v in row], steps=100)
    a, b = found.between
    references = sorted(each.references, key=lambda text: -len(text.first) - len(text.second))
    sides = [_text(text, found, names) for text in references]
    texts = tuple(
        replace(_text(text, found, names), score=form(score))
        for text, score in zip(each.texts, each.scores, strict=True)
    )
    because = why(found, each, lambda system: names[system].shown)
    if each.why.ahead is None:
        because = f"{because[:1].upper()}{because[1:]}"
    if each.difference:
        because += f": the scores differ by {form(abs(each.difference))}"
    return SideTopic(
        topic=each.topic,
        title=each.title,
        why=f"{because}.",
        texts=texts,
        references=tuple(sides[:1]),
        more_references=tuple(sides[1:]),
        lists=tuple(
            (side, names[system].shown, _listed(grams))
            for side, (system, grams) in enumerate(((a, each.only_first), (b, each.only_second)))
            if grams
        ),
        units=tuple(
            SideUnit(
                text=unit.text,
                reference=names[unit.reference].shown if unit.reference in names else unit.reference,
                first=f"{100 * unit.a:.0f} %",
                second=f"{100 * unit.b:.0f} %",
            )
            for unit in each.units
        ),
    )


def _listed(grams: Sequence[str]) -> str:
    more = f" and {len(grams) - MOST_LISTED} more" if len(grams) > MOST_LISTED else ""
    return f"{' · '.join(grams[:MOST_LISTED])}{more}"


def _text(text: ExampleText, found: ExamplesResult, names: dict[str, Name]) -> SideText:
    folded = f"Show all {counted(count_words(text.text), 'word')}" if len(text.text) > LONG else ""
    return SideText(names[text.system], "", counts(found, text), text.pieces(), folded)
