"""A result is rows and facts; every form of output comes from them, and English comes last.

An analysis's result says its `tables()`, its `facts()` and its `notes()`. The module `words` beside it makes sentences
of them (`sentences(result)`, the first of which is the headline) and of every note (`NOTES`, by code).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.phrases import Door, Spoken, spoken
from adjudge.core.picture import Pictured
from adjudge.core.table import Table, Tables, as_json, notebook_html, plain

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.core.options import Declared


@dataclass(frozen=True)
class Note:
    """Something that a reader should know: a code that scripts can look for, and the facts of the case."""

    code: str
    data: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, code: str, **data: Any) -> Note:
        return cls(code, data)


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(Pictured):
    """What an analysis found. A subclass adds its facts as fields, and says which rows they make."""

    FRAME: ClassVar[str | None] = None
    """The table that `to_frame` and CSV have where none is named; the first unless a result says otherwise."""

    asked: Declared | None = None
    """The options that gave it."""
    about_scores: tuple[str, ...] = ()
    """What there is to know of the scores that it was made from."""

    # What a subclass says

    def tables(self) -> Iterable[Table]:
        """The tables in the order of reading; the first is the result's own. Rows only: words are added here."""
        raise TypeError(f"{type(self).__name__} has no tables")

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Further tables by name, such as a row per pair: made when one is asked for, and not shown otherwise."""
        return {}

    def facts(self) -> Mapping[str, Any]:
        """What is known beyond the rows, by name."""
        return {}

    def notes(self) -> Iterable[Note]:
        """What a reader should know."""
        return ()

    def how(self) -> str:
        """How it was computed, in the form of a signature: measure, test, sizes, versions."""
        return ""

    def drawn(self) -> str:
        """A picture of letters for a terminal, or nothing."""
        return ""

    # In words

    def sentences(self, door: Door = "python") -> Iterator[str]:
        """What can be concluded, in plain words; the headline first."""
        for sentence in _words(self).sentences(self):
            yield spoken(sentence, door)

    def headline(self) -> str:
        """The first thing to know."""
        return next(iter(self.sentences()))

    def warnings(self, door: Door = "python") -> list[str]:
        """What a reader should know before believing the numbers."""
        own = (self.note_text(note, door) for note in self.notes())
        return list(dict.fromkeys([*self.about_scores, *own]))

    def note_text(self, note: Note, door: Door = "python") -> str:
        made: Callable[..., Spoken] | str = _words(self).NOTES[note.code]
        return spoken(made.format(**note.data) if isinstance(made, str) else made(**note.data), door)

    @property
    def signature(self) -> str:
        """Enough to get the same numbers again: what was asked, which can be given back, then how it was computed."""
        return "|".join(filter(None, (str(self.asked) if self.asked is not None else "", self.how())))

    # In every form

    @cached_property
    def all_tables(self) -> tuple[Table, ...]:
        """The tables, made once."""
        return tuple(self.tables())

    def table(self, name: str | None = None) -> Table:
        """One table by its name; without one the first, with what it says, notes and the signature."""
        tables = self.all_tables
        if name is None:
            return replace(
                tables[0],
                said=tuple(self.sentences()),
                notes=tuple(self.warnings()),
                signature=self.signature,
            )
        for table in tables:
            if table.name == name:
                return table
        if (make := self.on_demand().get(name)) is not None:
            return make()
        names = [*(table.name for table in tables), *self.on_demand()]
        raise UsageError(f"no table {quoted(name)}{nearest(name, names)}; there are: {', '.join(names)}")

    def only(self, names: Iterable[str]) -> Result:
        """The same result with some of its tables alone."""
        kept = tuple(self.table(name) for name in names)
        other = copy(self)
        other.__dict__["all_tables"] = kept
        object.__setattr__(other, "FRAME", None)
        return other

    def _rows(self, name: str | None) -> Table:
        name = self.FRAME if name is None else name
        return self.all_tables[0] if name is None else self.table(name)

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        return self._rows(name).to_frame()

    def to_csv(self, name: str | None = None) -> str:
        return self._rows(name).to_csv()

    def as_dict(self) -> dict[str, Any]:
        """Everything, for scripts: what was asked, the facts, the rows of every table, sentences and notes."""
        head: dict[str, Any] = {}
        if self.asked is not None:
            head = {"analysis": self.asked.NAME, "asked": plain(self.asked.changed())}
        return {
            **head,
            "headline": self.headline(),
            **plain(self.facts()),
            "tables": {
                table.name: [plain(record) for record in table.records()] for table in self.all_tables
            },
            "sentences": list(self.sentences()),
            "warnings": self.warnings(),
            "notes": [{"code": note.code, **plain(note.data)} for note in self.notes()],
            "signature": self.signature,
        }

    def to_json(self) -> str:
        return as_json(self.as_dict())

    def _signed(self) -> Tables:
        return Tables(tuple(replace(table, signature=self.signature) for table in self.all_tables))

    def to_latex(self) -> str:
        """For a paper, with booktabs rules."""
        return self._signed().to_latex()

    def to_markdown(self) -> str:
        """For a README or a pull request."""
        return self._signed().to_markdown()

    def _repr_html_(self) -> str:
        return notebook_html([self.table(), *self.all_tables[1:]])

    def __repr__(self) -> str:
        table = self.table()
        return "\n".join([table.to_text(), *table.said, *(f"note: {note}" for note in table.notes)])


def _words(result: Result) -> Any:
    """The module of words beside a result's own."""
    return import_module(f"{type(result).__module__.rpartition('.')[0]}.words")
