"""Chapters of sections: what every analysis says, a picture, and what unfolds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from adjudge.analyses.pages.chapter import Absent, Chapter, Findings, PageFigure, ReportPart
from adjudge.analyses.pages.names import called, labels_of
from adjudge.analyses.pages.parts import ShownTable, shown_table
from adjudge.core.errors import AdjudgeError
from adjudge.core.table import Table
from adjudge.core.words import capitalised, counted, listed

R = TypeVar("R", bound=Any)

TEMPLATE = "analyses/pages/sections.html.j2"
MOST_ROWS = 40
"""Rows of a table."""
MOST_FURTHER = 6
"""Tables after a section's first; the command has all."""


@dataclass(frozen=True, slots=True)
class Section:
    """What unfolds of one analysis."""

    anchor: str
    title: str
    sentences: tuple[str, ...]
    figure: PageFigure | None
    tables: tuple[ShownTable, ...]
    left: str
    """How many more tables there are, and where."""
    notes: tuple[str, ...]
    command: str
    """That gives all of it."""
    about_command: str
    signature: str
    answer: str = ""
    """What stands open: the headline."""

    def holds(self, open_figure: PageFigure | None) -> str:
        """What is folded, in words."""
        there = [
            "figure" if self.figure and self.figure is not open_figure else "",
            counted(len(self.tables), "table") if self.tables else "",
            counted(len(self.notes), "note") if self.notes else "",
        ]
        return capitalised(listed([*filter(None, there)]) or "more")


@dataclass(frozen=True, slots=True)
class Sections:
    """What a chapter shows."""

    about: tuple[str, ...] = ()
    """What was chosen, and how systems are called."""
    sections: tuple[Section, ...] = ()

    @property
    def figure(self) -> PageFigure | None:
        """The first that fits a screen stands open."""
        return next((s.figure for s in self.sections if s.figure and not s.figure.tall), None)

    def and_then(self, other: Sections) -> Sections:
        about = tuple(dict.fromkeys((*self.about, *other.about)))
        return Sections(about, (*self.sections, *other.sections))


def section(
    anchor: str,
    title: str,
    *,
    sentences: Iterable[str] = (),
    tables: Sequence[Table] = (),
    further: Sequence[Table] = (),
    notes: Iterable[str] = (),
    command: str = "",
    about_command: str = "All of it",
    figure: PageFigure | None = None,
    signature: str = "",
) -> Section:
    """A section whose tables are escaped HTML; of long tables the first rows, of many tables the first few."""
    rest = [table for table in further if table.rows]
    left = len(rest) - MOST_FURTHER
    where = "with the command below" if command else "not shown"
    shown = [*(table for table in tables if table.rows), *rest[:MOST_FURTHER]]
    return Section(
        anchor=anchor,
        title=title,
        sentences=tuple(sentences),
        figure=figure,
        tables=tuple(shown_table(table, most=MOST_ROWS, where=where) for table in shown),
        left=f"{counted(left, 'more table')} with the command below." if left > 0 else "",
        notes=tuple(dict.fromkeys(notes)),
        command=command,
        about_command=about_command,
        signature=signature,
    )


def with_answers(answers: Sequence[str], sections: Sequence[Section]) -> Iterator[Section]:
    """Sections that open with the answer of their own; the last also tells what is left of them."""
    for place, one in enumerate(sections):
        first, *rest = answers[place:] or [""]
        more = rest if place == len(sections) - 1 else []
        sentences = tuple(text for text in (*more, *one.sentences) if text != first)
        yield replace(one, answer=first, sentences=sentences)


class SectionPart(ReportPart[R]):
    """An analysis that is a section of a chapter, or some of its sections."""

    COMMAND: ClassVar[str] = ""
    """The command that tells more, named where there is no result."""

    @abstractmethod
    def result(self, findings: Findings) -> R | Absent | None:
        """What `find` gives, unless the analysis refuses."""

    @abstractmethod
    def about(self, result: R, findings: Findings) -> Iterator[str]:
        """Sentences on what was taken where there was a choice: lengths, forms, measures of people."""

    @abstractmethod
    def sections(self, result: R, findings: Findings) -> Iterable[Section]:
        """The sections, in the order of the page."""

    def missing(self, result: R) -> Iterable[Absent]:
        """What of it there is not."""
        return ()

    def command(self, findings: Findings) -> str:
        return f"adjudge {self.COMMAND} {findings.where}"

    def find(self, findings: Findings) -> R | Absent | None:
        try:
            return self.result(findings)
        except AdjudgeError as error:
            how = f"To see more: {self.command(findings)}" if self.COMMAND else ""
            return Absent(capitalised(str(error).removesuffix(".")), how)

    def methods(self, result: R) -> Iterable[str]:
        """As the analysis's words have them."""
        sentences: Iterable[str] = import_module(f"adjudge.analyses.{self.NAME}.words").methods(result)
        return sentences

    def headlines(self, result: R) -> Iterable[str]:
        return (result.headline(),)

    def answers(self, result: R) -> Iterable[str]:
        """What stands open, section by section."""
        return self.headlines(result)

    def chapter(self, result: R | Absent, findings: Findings) -> Chapter:
        if isinstance(result, Absent):
            return Chapter(self.ANCHOR, self.QUESTION, (), TEMPLATE, Sections(), (result,))
        shown = called(result, labels_of(findings.collection))
        sections = with_answers(list(self.answers(shown)), list(self.sections(shown, findings)))
        content = Sections(tuple(self.about(shown, findings)), tuple(sections))
        return Chapter(self.ANCHOR, self.QUESTION, (), TEMPLATE, content, tuple(self.missing(result)))
