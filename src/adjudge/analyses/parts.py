"""A result of parts: each answers a question of its own, and one that cannot be had says why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.picture import Figure, Pictured
from adjudge.core.table import Table, Tables, Tabular, fitted_latex

if TYPE_CHECKING:
    import pandas as pd


class ResultPart(Protocol):
    """What every part's result can do."""

    def headline(self) -> str: ...
    def sentences(self) -> Iterator[str]: ...
    def tables(self) -> Tables: ...
    def to_frame(self) -> pd.DataFrame: ...
    def as_dict(self) -> dict[str, Any]: ...


class PartsResult(Pictured, Tabular):
    """Parts by name, why others are absent, and what readers should know."""

    QUESTIONS: ClassVar[Mapping[str, str]]
    """By part."""

    parts: Mapping[str, ResultPart]
    absent: Mapping[str, str]
    notes: tuple[str, ...]

    def __getitem__(self, part: str) -> ResultPart:
        """One part's result."""
        if part in self.parts:
            return self.parts[part]
        if part in self.absent:
            raise DataError(f"{part}: {self.absent[part]}")
        if part in self.QUESTIONS:
            raise UsageError(f"this result has no part {quoted(part)}: ask for it with parts={part!r}")
        known = self.QUESTIONS
        raise UsageError(
            f"there is no part {quoted(part)}{nearest(part, known)}; expected one of: {', '.join(known)}"
        )

    def figures(self) -> dict[str, Pictured]:
        """By the names of figures, the part that draws each."""
        return {
            name: part for part in self.parts.values() if isinstance(part, Pictured) for name in part.FIGURES
        }

    def figure(self, kind: str | None = None, **options: Any) -> Figure:
        """A figure of one of the parts, by its name: `figure("scatter")`; without a name the first."""
        known = self.figures()
        if not known:
            raise UsageError("no part of this result has a figure")
        kind = next(iter(known)) if kind is None else kind
        if kind not in known:
            raise UsageError(
                f"no part of this result has a figure {quoted(kind)}{nearest(kind, known)}; there are:"
                f" {', '.join(known)}"
            )
        return known[kind].figure(kind, **options)

    def headline(self) -> str:
        return next(iter(self.parts.values())).headline()

    def sentences(self) -> Iterator[str]:
        for part in self.parts.values():
            yield from part.sentences()

    def all_notes(self) -> tuple[str, ...]:
        """What readers should know of the answers, and which parts are absent."""
        return (*self.notes, *(f"{name}: not answered ({why})" for name, why in self.absent.items()))

    def table(self) -> Table:
        """The first part's first table; `tables` has all."""
        return next(iter(next(iter(self.parts.values())).tables()))

    def tables(self) -> Tables:
        """Every part's tables, with their titles as captions."""
        found = [part.tables() for part in self.parts.values()]
        return Tables(
            tuple(replace(table, caption=table.caption or table.title) for some in found for table in some),
            notes=(*self.all_notes(), *(note for some in found for note in some.notes)),
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json."""
        raise TypeError(f"{type(self).__name__} does not say what it holds")

    def to_latex(self) -> str:
        """All tables for a paper, part by part; those too wide or too long for a page are made smaller."""
        between = "\n\n" + r"\clearpage  % LaTeX holds a few dozen floats back, and no more" + "\n\n"
        return between.join(
            part_latex(self.QUESTIONS[name], part.tables()) for name, part in self.parts.items()
        )


def part_latex(question: str, tables: Tables) -> str:
    """One part's tables for a paper, under the question that they answer."""
    shown = [fitted_latex(replace(each, caption=each.caption or each.title)) for each in tables]
    notes = [f"% {note}" for note in tables.notes]
    return "\n\n".join([f"% {question}", *shown, *(["\n".join(notes)] if notes else [])])


def several_names(
    what: str, given: str | Sequence[str], known: Sequence[str], *, one: bool = False
) -> tuple[str, ...]:
    """Names that are known, as people write them: one, several with commas, a list, or all."""
    names = listed_names(given)
    if names == ("all",) and "all" not in known:
        return tuple(known)
    for name in names:
        if name not in known:
            raise UsageError(
                f"the {what} is {quoted(name)}{nearest(name, known)}; expected one of: {', '.join(known)}"
                f"{'' if one else ', or all'}"
            )
    if not names or (one and len(names) > 1):
        raise UsageError(f"expected {'one' if one else 'a'} {what}, of: {', '.join(known)}")
    return tuple(dict.fromkeys(names))


def listed_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names as people write them: one, several with commas, or a list."""
    texts = [given] if isinstance(given, str) else given
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())
