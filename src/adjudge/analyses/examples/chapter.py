"""The chapter of texts side by side: what differences between two systems look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.analyses.examples.result import (
    ExamplesResult,
    ExampleText,
    ExampleTopic,
    Pick,
    default_pair,
    examples_of_matrix,
    marks,
)
from adjudge.analyses.examples.words import counts, listed_grams, why
from adjudge.analyses.pages.chapter import Absent, Chapter, Findings, ReportPart
from adjudge.analyses.pages.names import Name, names_of
from adjudge.analyses.pages.numbers import format_for
from adjudge.core.errors import AdjudgeError
from adjudge.core.words import capitalised, counted
from adjudge.text.segments import Segment
from adjudge.text.words import count_words

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
    reading: tuple[str, ...]
    """What is marked, and how topics were chosen."""
    topics: tuple[SideTopic, ...]
    notes: tuple[str, ...]
    signature: str


class ExamplesPart(ReportPart[ExamplesResult]):
    NAME = ANCHOR = "examples"
    QUESTION = "What do the differences look like?"

    def find(self, findings: Findings) -> ExamplesResult | Absent:
        scores, options = findings.scores, findings.options
        if scores.folder is None:
            return Absent(
                "Texts side by side need an evaluation's folder, which has the texts",
                "Bring them in with adjudge import, score them, and make the report of the folder.",
            )
        telling = next((c for c in findings.directed if marks(scores, c.measure)), findings.directed[0])
        try:
            asked_for: tuple[Sequence[str], Pick] = (options.between, "asked")
            between, pick = asked_for if options.between else default_pair(telling)
            return examples_of_matrix(scores, telling.matrix, between, pick, collection=findings.collection)
        except AdjudgeError as error:
            if options.between:
                raise
            return Absent(str(error))

    def chapter(self, result: ExamplesResult | Absent, findings: Findings) -> Chapter:
        if isinstance(result, Absent):
            return Chapter(self.ANCHOR, self.QUESTION, (), self.template, None, (result,))
        systems = {text.system for topic in result.examples for text in (*topic.texts, *topic.references)}
        names = names_of(findings.collection, sorted(systems))
        shown = replace(result, labels={system: name.shown for system, name in names.items()})
        a, b = result.between
        first, *reading = shown.sentences()
        content = ExamplesContent(
            first=names[a],
            second=names[b],
            marked=result.made != "nothing",
            language=result.language,
            reading=tuple(reading),
            topics=tuple(_topic(topic, shown, names) for topic in result.examples),
            notes=tuple(result.warnings()),
            signature=result.signature,
        )
        sentences: tuple[str, ...] = (first,)
        if result.measure != findings.directed[0].measure:
            of = f"By {result.title}, the first measure that says what counts in a text."
            sentences = (of, first)
        return Chapter(self.ANCHOR, self.QUESTION, sentences, self.template, content)


PART = ExamplesPart()


def _topic(topic: ExampleTopic, result: ExamplesResult, names: dict[str, Name]) -> SideTopic:
    form = format_for([v for row in result.matrix.values.tolist() for v in row], steps=100)
    references = sorted(topic.references, key=lambda text: -len(text.first) - len(text.second))
    sides = [_text(text, result, names) for text in references]
    texts = tuple(
        _text(text, result, names, form(score)) for text, score in zip(topic.texts, topic.scores, strict=True)
    )
    because = why(result, topic, lambda system: names[system].shown)
    if topic.why.ahead is None:
        because = capitalised(because)
    if topic.difference:
        because += f": the scores differ by {form(abs(topic.difference))}"
    only = zip(result.between, (topic.only_first, topic.only_second), strict=True)
    return SideTopic(
        topic=topic.topic,
        title=topic.title,
        why=f"{because}.",
        texts=texts,
        references=tuple(sides),
        lists=tuple(
            (side, names[system].shown, listed_grams(grams, " · ", MOST_LISTED))
            for side, (system, grams) in enumerate(only)
            if grams
        ),
        units=tuple(
            SideUnit(
                text=unit.text,
                reference=names[unit.reference].shown if unit.reference in names else unit.reference,
                first=f"{100 * unit.a:.0f} %",
                second=f"{100 * unit.b:.0f} %",
            )
            for unit in topic.units
        ),
    )


def _text(text: ExampleText, result: ExamplesResult, names: dict[str, Name], score: str = "") -> SideText:
    folded = f"Show all {counted(count_words(text.text), 'word')}" if len(text.text) > LONG else ""
    return SideText(names[text.system], score, counts(result, text), text.pieces(), folded)
