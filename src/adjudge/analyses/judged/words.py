"""What is said of all tables of judgments; each says its own where it is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.analyses.judged.tables import JudgedTables

NOTES = {"about-answers": "{text}"}


def sentences(result: JudgedTables) -> Iterator[str]:
    yield f"{counted(len(result.made.names), 'table')} of what was judged."
    for table in result.made:
        yield from table.said


def about(result: JudgedTables, name: str) -> Iterator[str]:
    """What one table says by itself."""
    yield from result[name].said if name in result.made.names else ()
