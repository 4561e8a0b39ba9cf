"""What the tables of judgments have in common: a signature each, and notes that say which table they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from adjudge.analyses.gathered import Average, JudgedPeer, N, average, in_order, interval_columns
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table

Cells = TypeVar("Cells", bound=tuple[Cell, ...])


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedResult(Result):
    """Tables of what was judged, each with its signature; without rows where nothing of the kind was."""

    remarks: tuple[Note, ...] = ()

    def notes(self) -> Iterable[Note]:
        return self.remarks

    def how(self) -> str:
        return self.all_tables[0].signature


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgedTable(JudgedResult):
    """One table."""

    made: Table

    @classmethod
    def of(
        cls,
        name: str,
        rows: Iterable[Any],
        *columns: Column | str,
        title: str,
        signature: str,
        remarks: Iterable[Note] = (),
    ) -> Self:
        made = Table.of(name, rows, *columns, title=title, signature=signature)
        return cls(made=made, remarks=tuple(note.on(name) for note in remarks))

    def tables(self) -> Iterator[Table]:
        yield self.made


def averaged(values: Mapping[Cells, Iterable[float]], alpha: float) -> Iterator[tuple[Cells, Average]]:
    """The groups of values in the order of tables, with their means."""
    for key in in_order(values):
        yield key, average(values[key], alpha)


def mean_columns(alpha: float) -> tuple[Column, ...]:
    """Of `mean_cells`."""
    return (N, *interval_columns(alpha))


def mean_cells(a: Average) -> tuple[Cell, ...]:
    return a.n, a.mean, a.low, a.high


def missing_notes(reasons: Iterable[str | None], *tables: str) -> tuple[Note, ...]:
    """What is missing from tables, counted by reason."""
    counts = Counter(why for why in reasons if why is not None)
    return tuple(Note.of("left-out", n=n, why=why).on(*tables) for why, n in counts.items())


def pooled_notes(entries: Iterable[JudgedPeer]) -> Iterator[Note]:
    """Which lengths and forms a table counts together, where there are several."""
    pooled = list(entries)
    lengths, forms = {entry.length for entry in pooled}, {entry.form for entry in pooled}
    if len(lengths) > 1:
        yield Note.of("lengths-pooled", n=len(lengths))
    if len(forms) > 1:
        names = [form or "unset" for (form,) in in_order((form,) for form in forms)]
        yield Note.of("forms-pooled", forms=names)
