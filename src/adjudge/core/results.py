"""A result is rows and facts; every form of output comes from them, and English comes last.

An analysis's result says its `tables()`, its `facts()` and its `notes()`. The module `words` beside it makes sentences
of them (`sentences(result)`, the first of which is the headline) and of every note (`NOTES`, by code); where tables say
something by themselves, `about(result, table)` has it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeVar, overload

from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Door, Spoken, spoken
from adjudge.core.picture import Figure, Pictured
from adjudge.core.table import Table, Tables, as_json, fitted_latex, joined, notebook_html, plain
from adjudge.core.words import listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.core.options import Declared

Style = Literal["", "title", "heading", "first", "second"]
"""How a terminal shows a piece of text: plain, as a title or heading, or as what is of the first or second side."""
Drawn = str | Sequence[tuple[str, Style]]
"""A picture of characters, or texts in pieces."""


@dataclass(frozen=True)
class Note:
    """Something that a reader should know: a code that scripts can look for, and the facts of the case."""

    code: str
    data: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    """The tables that it is about, by name; none where it is about all."""

    @classmethod
    def of(cls, code: str, **data: Any) -> Note:
        return cls(code, data)

    def __hash__(self) -> int:
        return hash((self.code, self.tables))

    def words(self, texts: Mapping[str, str | Callable[..., Spoken]]) -> Spoken:
        """Its text, by code: with places for the facts, or made from them."""
        made = texts[self.code]
        return made.format(**self.data) if isinstance(made, str) else made(**self.data)

    def on(self, *tables: str) -> Note:
        """The same about some tables alone."""
        return replace(self, tables=tables)


class Paragraph(Protocol):
    """What a paper says of how something was done, with what it cites."""

    @property
    def latex(self) -> str: ...

    @property
    def bibtex(self) -> str: ...

    @property
    def in_markdown(self) -> str: ...

    def references_in_markdown(self) -> str: ...

    def and_of(self, others: Iterable[Any]) -> Self:
        """This and others as one, so that a work that more than one cites is listed once."""
        ...


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(Pictured):
    """What an analysis found. A subclass adds its facts as fields, and says which rows they make."""

    WORDS: ClassVar[str] = ""
    """The module with its words, where that is not the one called `words` beside it."""
    FRAME: ClassVar[str] = ""
    """The table that `to_frame` and CSV have where none is named; the first unless a result says otherwise."""
    IN_JSON: ClassVar[tuple[str, ...]] = ()
    """Tables that are made on demand, and that JSON has in any case."""

    ROWS_SAY_ALL: ClassVar[bool] = False
    """Whether a terminal shows only what is said of each table, since other sentences would say a row again."""

    asked: Declared | None = None
    """The options that gave it."""
    about_scores: tuple[str, ...] = ()
    """What there is to know of the scores that it was made from."""
    picked: tuple[str, ...] = ()
    """The tables that alone are wanted, by name; none where all are."""

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

    @property
    def csv_table(self) -> str:
        """The name of the table that a CSV file has where none is named."""
        return self.FRAME or self.all_tables[0].name

    def methods(self) -> Paragraph | None:
        """What a paper says of how it was done, and what it cites."""
        return None

    @property
    def measures_used(self) -> Sequence[str]:
        """The measures whose scores it is made from."""
        measure = getattr(self, "measure", None)
        return [measure] if measure else []

    def drawn(self) -> Drawn:
        """A picture of letters for a terminal, or texts in pieces, or nothing."""
        return ""

    @property
    def apart(self) -> str:
        """What tells it from others that are shown with it, in front of its notes; empty where these say it."""
        return ""

    def in_json(self) -> tuple[str, ...]:
        """Tables that are made on demand, and that JSON has in any case."""
        return self.IN_JSON

    # In words

    def sentences(self, door: Door = "python") -> Iterator[str]:
        """What can be concluded, in plain words; the headline first."""
        words = _words(self)
        if self.picked and hasattr(words, "about"):
            lines = [line for name in self.picked for line in self.about(name, door)]
            yield from dict.fromkeys(lines or [spoken(next(words.sentences(self)), door)])
            return
        for sentence in words.sentences(self):
            yield spoken(sentence, door)

    def about(self, table: str, door: Door = "python") -> Iterator[str]:
        """What one table says by itself."""
        make: Callable[[Result, str], Iterable[Spoken]] = getattr(_words(self), "about", lambda *of: ())
        for sentence in make(self, table):
            yield spoken(sentence, door)

    def headline(self) -> str:
        """The first thing to know."""
        return next(iter(self.sentences()))

    def warnings(self, door: Door = "python", *, without: Collection[str] = ()) -> list[str]:
        """What a reader should know before believing the numbers; `without` are codes of notes to leave out."""
        notes = (self.note_text(note, door) for note in self._notes_shown() if note.code not in without)
        return list(dict.fromkeys([*(spoken(line, door) for line in self.about_scores), *notes]))

    def notes_of(self, code: str, door: Door = "python") -> list[str]:
        """The notes of one kind alone."""
        return [self.note_text(note, door) for note in self.notes() if note.code == code]

    def _notes_shown(self) -> Iterator[Note]:
        """The notes on the tables that are here."""
        for note in self.notes():
            if not note.tables or any(table.name in note.tables for table in self.all_tables):
                yield note

    def note_text(self, note: Note, door: Door = "python") -> str:
        return spoken(note.words(_words(self).NOTES), door)

    @property
    def signature(self) -> str:
        """Enough to get the same numbers again: what was asked, which can be given back, then how it was computed."""
        return "|".join(filter(None, (str(self.asked) if self.asked is not None else "", self.how())))

    # In every form

    @cached_property
    def all_tables(self) -> tuple[Table, ...]:
        """The tables, made once."""
        return tuple(self.tables())

    @property
    def lasting_tables(self) -> Sequence[Table]:
        """Those that are not shown in passing; all that were asked for by name."""
        return [table for table in self.all_tables if not table.in_passing or table.name in self.picked]

    def table(self, name: str | None = None) -> Table:
        """One table by its name; without one the first, with what it says, notes and the signature."""
        tables = self.all_tables
        if name is None:
            return replace(
                tables[0],
                sentences=tuple(self.sentences()),
                notes=tuple(self.warnings()),
                signature=self.signature,
            )
        for table in tables:
            if table.name == name:
                return table
        if (make := self.on_demand().get(name)) is not None:
            return make()
        names = _names(self)
        raise UsageError(f"no table {quoted(name)}{nearest(name, names)}; there are: {', '.join(names)}")

    def only(self, names: Iterable[str]) -> Self:
        """The same result with some of its tables alone; a name may be what the names of several begin with."""
        kept: dict[str, Table] = {}
        for name in names:
            same = [table for table in self.all_tables if table.name == name]
            alike = [table for table in self.all_tables if table.name.startswith(f"{name}-")]
            kept |= {table.name: table for table in same or alike or [self.table(name)]}
        other = copy(self)
        other.__dict__.update(all_tables=tuple(kept.values()), picked=tuple(kept))
        object.__setattr__(other, "FRAME", "")
        return other

    def rows_of(self, name: str | None = None) -> Table:
        """A table by its name, without words; unless one is named the result's own."""
        named = name or self.FRAME
        return self.table(named) if named else self.all_tables[0]

    def to_frame(self, name: str | None = None) -> pd.DataFrame:
        return self.rows_of(name).to_frame()

    def to_csv(self, name: str | None = None) -> str:
        return self.rows_of(name).to_csv()

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
                table.name: [plain(record) for record in table.records()]
                for table in (*self.lasting_tables, *map(self.table, self.in_json()))
            },
            "sentences": list(self.sentences()),
            "warnings": self.warnings(),
            "notes": [{"code": note.code, **plain(note.data)} for note in self._notes_shown()],
            "signature": self.signature,
        }

    def to_json(self) -> str:
        return as_json(self.as_dict())

    def _signed(self) -> Tables:
        return Tables(tuple(replace(table, signature=self.signature) for table in self.lasting_tables))

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
        return "\n".join([table.to_text(), *table.sentences, *(f"note: {note}" for note in table.notes)])


R = TypeVar("R", bound=Result)


@dataclass(frozen=True, repr=False, kw_only=True)
class Results(Result, Sequence[R]):
    """Results of one kind, such as one for every measure, with what is said of all of them together.

    They are shown one below the other; then come the lines of `joint(result)` in its module of words.
    """

    results: tuple[R, ...]

    @overload
    def __getitem__(self, at: int) -> R: ...

    @overload
    def __getitem__(self, at: slice) -> Self: ...

    def __getitem__(self, at: int | slice) -> R | Self:
        return replace(self, results=self.results[at]) if isinstance(at, slice) else self.results[at]

    def __len__(self) -> int:
        return len(self.results)

    def tables(self) -> Iterable[Table]:
        for result in self:
            yield from result.all_tables

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Each table of the results, those of all below each other."""
        names = [name for result in self for name in _names(result)]
        return {name: lambda name=name: joined([result.table(name) for result in self]) for name in names}  # type: ignore[misc]

    def notes(self) -> Iterable[Note]:
        return [note for result in self for note in result.notes()]

    def called(self, result: R) -> str:
        """What tells one of them from the others."""
        raise TypeError(f"{type(self).__name__} has no names for its results")

    def warnings(self, door: Door = "python", *, without: Collection[str] = ()) -> list[str]:
        """Those of all; what is so of some alone says of which."""
        return warnings_of(self, door, self.called, without=without)

    def joint(self, door: Door = "python") -> list[str]:
        """What is to be said below all of them."""
        return [spoken(line, door) for line in _words(self).joint(self)]

    @property
    def csv_table(self) -> str:
        return self.results[0].csv_table

    @property
    def signature(self) -> str:
        return "\n".join(result.signature for result in self)


def warnings_of(
    results: Sequence[R],
    door: Door = "python",
    called: Callable[[R], str] = lambda result: result.apart,
    *,
    without: Collection[str] = (),
) -> list[str]:
    """What there is to know of results that are shown together; what is so of some alone says of which."""
    of: dict[str, list[R]] = {}
    for result in results:
        for line in result.warnings(door, without=without):
            of.setdefault(line, []).append(result)
    about_scores = {spoken(line, door) for result in results for line in result.about_scores}
    return [
        line
        if len(some) == len(results) or line in about_scores
        else f"{listed(names)}: {line}"
        if all(names := [called(result) for result in some])
        else line
        for line, some in of.items()
    ]


@dataclass(frozen=True, repr=False, kw_only=True)
class Parts(Result):
    """Answers to several questions, each a result of its own; a part that cannot be had says why.

    Its tables, sentences and notes are those of its parts; its module of words has the `NOTES` of the whole.
    """

    QUESTIONS: ClassVar[Mapping[str, str]]
    """By part."""
    MAIN: ClassVar[str] = ""
    """The part whose rows `to_frame` and CSV have, where it is there."""
    FIRST: ClassVar[str] = ""
    """The part that a terminal shows alone where parts are told in short: it sums the others up."""

    parts: Mapping[str, Result]
    absent: Mapping[str, str] = field(default_factory=dict)
    """By part: why it was not answered."""

    in_full: tuple[str, ...] = ()
    """The parts that were asked for, which a terminal shows whole; of others it shows what they say."""

    @property
    def title(self) -> str:
        return ""

    @property
    def in_short(self) -> bool:
        """Whether a terminal shows of some parts what they say alone."""
        return not self.picked and bool(set(self.parts) - set(self.in_full))

    @property
    def summed_up(self) -> Result | None:
        """The part that sums the others up, where these are told in short."""
        return self.parts.get(self.FIRST) if self.in_short else None

    def __getitem__(self, part: str) -> Any:
        """One part's result."""
        if part in self.parts:
            return self.parts[part]
        if part in self.absent:
            raise DataError(f"{part}: {self.absent[part]}")
        if part in self.QUESTIONS:
            raise UsageError(f"this result has no part {quoted(part)}: ask for it with parts={part!r}")
        questions = self.QUESTIONS
        raise UsageError(
            f"there is no part {quoted(part)}{nearest(part, questions)}; expected one of: {', '.join(questions)}"
        )

    def tables(self) -> Iterable[Table]:
        for part in self.parts.values():
            yield from part.all_tables

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {name: make for part in self.parts.values() for name, make in part.on_demand().items()}

    def sentences(self, door: Door = "python") -> Iterator[str]:
        for part in self.parts_shown().values():
            yield from part.sentences(door)

    def about(self, table: str, door: Door = "python") -> Iterator[str]:
        for part in self.parts.values():
            if table in _names(part):
                yield from part.about(table, door)

    def own_warnings(self, door: Door = "python", *, without: Collection[str] = ()) -> list[str]:
        """What a reader should know of the whole, and which parts are absent."""
        missing = (spoken(f"{name}: not answered ({why})", door) for name, why in self.absent.items())
        return list(dict.fromkeys([*super().warnings(door, without=without), *missing]))

    def warnings(self, door: Door = "python", *, without: Collection[str] = ()) -> list[str]:
        """Its own, and those of the parts; on the command line of those alone that are shown whole."""
        lines = self.own_warnings(door, without=without)
        for name, part in self.parts_shown().items():
            if name in (*self.in_full, self.FIRST) or self.picked or door == "python":
                lines += part.warnings(door, without=without)
        return list(dict.fromkeys(lines))

    def parts_shown(self) -> dict[str, Result]:
        """The parts, or what is left of them where some tables alone are wanted."""
        if not self.picked:
            return dict(self.parts)
        picked = {
            name: [table for table in self.picked if table in _names(part)]
            for name, part in self.parts.items()
        }
        return {name: self.parts[name].only(tables) for name, tables in picked.items() if tables}

    @property
    def csv_table(self) -> str:
        if self.MAIN not in self.parts and len(self.parts) > 1:
            raise UsageError("there are several parts: say one, or the name of a table")
        return self.parts.get(self.MAIN, next(iter(self.parts.values()))).csv_table

    def rows_of(self, name: str | None = None) -> Table:
        part = self.parts.get(self.MAIN, next(iter(self.parts.values())))
        return part.rows_of() if name is None else self.table(name)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for scripts; each part has its own rows, sentences and notes."""
        head: dict[str, Any] = {}
        if self.asked is not None:
            head = {"analysis": self.asked.NAME, "asked": plain(self.asked.changed())}
        return {
            **head,
            "headline": self.headline(),
            **plain(self.facts()),
            "parts": {name: part.as_dict() for name, part in self.parts_shown().items()},
            "absent": plain(self.absent),
            "warnings": self.own_warnings(),
            "signature": self.signature,
        }

    def to_latex(self) -> str:
        """All tables for a paper, part by part; those too wide or too long for a page are made smaller."""
        between = "\n\n" + r"\clearpage  % LaTeX holds a few dozen floats back, and no more" + "\n\n"
        return between.join(
            "\n\n".join(
                [
                    f"% {self.QUESTIONS[name]}",
                    *(
                        fitted_latex(
                            replace(
                                table,
                                caption=table.caption or table.title,
                                signature=table.signature or part.how(),
                            )
                        )
                        for table in part.all_tables
                    ),
                    *filter(None, ["\n".join(f"% {line}" for line in part.warnings())]),
                ]
            )
            for name, part in self.parts.items()
        )

    def figures(self) -> dict[str, Result]:
        """By the names of figures, the part that draws each."""
        return {name: part for part in self.parts.values() for name in part.FIGURES}

    def figure(self, kind: str | None = None, **options: Any) -> Figure:
        """A figure of one of the parts, by its name: `figure("scatter")`; without a name the first."""
        figures = self.figures()
        if not figures:
            raise UsageError("no part of this result has a figure")
        kind = next(iter(figures)) if kind is None else kind
        if kind not in figures:
            raise UsageError(
                f"no part of this result has a figure {quoted(kind)}{nearest(kind, figures)}; there are:"
                f" {', '.join(figures)}"
            )
        return figures[kind].figure(kind, **options)


def _names(result: Result) -> list[str]:
    return [*(table.name for table in result.all_tables), *result.on_demand()]


def _words(result: Result) -> Any:
    """The module of words beside a result's own."""
    return import_module(result.WORDS or f"{type(result).__module__.rpartition('.')[0]}.words")
