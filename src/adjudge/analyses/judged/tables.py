"""All tables of what people answered, as one result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from adjudge.analyses.gathered import Gathered, interval_words, signed
from adjudge.analyses.judged import Judged
from adjudge.analyses.judged.result import judged_tables
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Table, Tables


def tables_of(gathered: Gathered, asked: Judged) -> JudgedTables:
    """Every table that applies to the judgments."""
    made = judged_tables(gathered.collection, gathered.judgments, alpha=asked.alpha, seed=asked.seed)
    if not made.tables:
        name = gathered.collection.settings.name
        raise DataError(f"{name}: no judgments yet; bring them in with: adjudge judgments import")
    protocols = sorted(
        {judged.task.protocol for some in gathered.judgments.by_topic.values() for judged in some}
    )
    return JudgedTables(
        asked=asked,
        made=made,
        about_scores=made.notes,
        basis=signed("judged", map(gathered.protocol, protocols), interval_words(asked.alpha)),
    )


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedTables(Result):
    """Quality, coverage, units, ratings, agreement, contradictions, volume: a table for each that was judged."""

    asked: Judged
    made: Tables
    """The tables, each with what it says, its notes and its signature."""
    basis: str

    def __getitem__(self, name: str) -> Table:
        """A table by its name, with what it says, its notes and its signature."""
        return self.made[name]

    def how(self) -> str:
        return self.basis

    def tables(self) -> Iterator[Table]:
        for table in self.made:
            yield replace(table, said=(), notes=(), signature="")

    def notes(self) -> Iterator[Note]:
        for table in self.made:
            for line in table.notes:
                yield Note.of("about-answers", text=line).on(table.name)

    def facts(self) -> dict[str, Any]:
        return {"signatures": {table.name: table.signature for table in self.made}}
