"""Chapters that tell whether judgments and measures can be trusted: what each analysis says, its table, its picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudge.core.table import Table
from adjudge.core.words import counted
from adjudge.reports.chapter import PageFigure
from adjudge.reports.parts import ShownTable, shown_table

FIRST_ROWS = 15
"""Rows of a table that stands open."""
FOLDED_ROWS = 40
"""Rows of a table that unfolds."""
MOST_FURTHER = 6
"""Tables that are folded; the command has all."""


@dataclass(frozen=True, slots=True)
class TrustSection:
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
        parts = [
            words
            for there, words in (
                (self.more, "more sentences"),
                (self.further, "tables"),
                (self.notes, "notes"),
                (self.signature, "the signature"),
            )
            if there
        ]
        if not parts:
            return ""
        text = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
        return text[0].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class TrustChapter:
    """What a chapter shows."""

    about: tuple[str, ...]
    """What was chosen, and how systems are called."""
    sections: tuple[TrustSection, ...]


def trust_section(
    anchor: str,
    title: str,
    *,
    said: Iterable[str] = (),
    more: Iterable[str] = (),
    tables: Sequence[Table] = (),
    further: Sequence[Table] = (),
    figure: PageFigure | None = None,
    notes: Iterable[str] = (),
    command: str = "",
    about_command: str = "All of it",
    signature: str = "",
) -> TrustSection:
    """A section whose tables are escaped HTML; of long tables the first rows."""
    first = tuple(dict.fromkeys(said))
    rest = [table for table in further if table.rows]
    return TrustSection(
        anchor=anchor,
        title=title,
        sentences=first,
        figure=figure,
        tables=tuple(_shown(table, command, FIRST_ROWS) for table in tables if table.rows),
        more=tuple(text for text in dict.fromkeys(more) if text not in first),
        further=tuple(_shown(table, command) for table in rest[:MOST_FURTHER]),
        left=f"{counted(left, 'more table')} with the command below."
        if (left := len(rest) - MOST_FURTHER) > 0
        else "",
        notes=tuple(dict.fromkeys(notes)),
        command=command,
        about_command=about_command,
        signature=signature,
    )


def _shown(table: Table, command: str, most: int = FOLDED_ROWS) -> ShownTable:
    return shown_table(table, most=most, where="with the command below" if command else "not shown")
