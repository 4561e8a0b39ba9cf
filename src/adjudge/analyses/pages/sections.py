"""Chapters of sections: what each analysis says, its table, its picture, and what unfolds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from adjudge.analyses.pages.chapter import Absent, Chapter, Findings, PageFigure, ReportPart
from adjudge.analyses.pages.parts import ShownTable, shown_table
from adjudge.core.errors import AdjudgeError
from adjudge.core.table import Table
from adjudge.core.words import capitalised, counted, listed

R = TypeVar("R", bound=Any)

TEMPLATE = "analyses/pages/sections.html.j2"
SAID = 3
"""Sentences of an analysis that are not folded."""
FIRST_ROWS = 15
"""Rows of a table that stands open."""
FOLDED_ROWS = 40
"""Rows of a table that unfolds."""
MOST_FURTHER = 6
"""Tables that are folded; the command has all."""


@dataclass(frozen=True, slots=True)
class Section:
    """One analysis: its first sentences and table, and what unfolds."""

    anchor: str
    title: str
    sentences: tuple[str, ...]
    figure: PageFigure | None
    tables: tuple[ShownTable, ...]
    more: tuple[str, ...]
    """Further sentences."""
    further: tuple[ShownTable, ...]
    """Further tables."""
    left: str
    """How many more there are, and where."""
    notes: tuple[str, ...]
    command: str
    """That gives all of it."""
    about_command: str
    signature: str

    @property
    def unfolds(self) -> str:
        """What is folded, in words; empty where nothing is."""
        folded = {
            "more sentences": self.more,
            "tables": self.further,
            "notes": self.notes,
            "the signature": self.signature,
        }
        return capitalised(listed([words for words, there in folded.items() if there]))


@dataclass(frozen=True, slots=True)
class Sections:
    """What a chapter shows."""

    about: tuple[str, ...] = ()
    """What was chosen, and how systems are called."""
    sections: tuple[Section, ...] = ()

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
    """A section whose tables are escaped HTML; of long tables the first rows, of many sentences the first few."""
    all_sentences = list(sentences)
    first = tuple(dict.fromkeys(all_sentences[:SAID]))
    rest = [table for table in further if table.rows]
    left = len(rest) - MOST_FURTHER
    where = "with the command below" if command else "not shown"
    return Section(
        anchor=anchor,
        title=title,
        sentences=first,
        figure=figure,
        tables=tuple(shown_table(table, most=FIRST_ROWS, where=where) for table in tables if table.rows),
        more=tuple(text for text in dict.fromkeys(all_sentences[SAID:]) if text not in first),
        further=tuple(shown_table(table, most=FOLDED_ROWS, where=where) for table in rest[:MOST_FURTHER]),
        left=f"{counted(left, 'more table')} with the command below." if left > 0 else "",
        notes=tuple(dict.fromkeys(notes)),
        command=command,
        about_command=about_command,
        signature=signature,
    )


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

    def chapter(self, result: R | Absent, findings: Findings) -> Chapter:
        if isinstance(result, Absent):
            return Chapter(self.ANCHOR, self.QUESTION, (), TEMPLATE, Sections(), (result,))
        content = Sections(tuple(self.about(result, findings)), tuple(self.sections(result, findings)))
        headlines, missing = tuple(self.headlines(result)), tuple(self.missing(result))
        return Chapter(self.ANCHOR, self.QUESTION, headlines, TEMPLATE, content, missing)
