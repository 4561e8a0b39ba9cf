"""A measure of one's own: a plain function made into one, and checks of what installed packages register."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint
from numbers import Real
from typing import Any, TypeVar

from adjudge.core.errors import AdjudgeError, UsageError, quoted
from adjudge.core.words import one_line
from adjudge.data.rows import Summary
from adjudge.data.scores import Better, Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Make, Measure, Need, no_reference
from adjudge.measures.spec import split_spec

Function = Callable[[str, list[str], list[str]], float]
F = TypeVar("F", bound=Callable[..., Any])
Range = tuple[float | None, float | None]

GIVEN: tuple[Need, ...] = ("references", "documents")  # what a function can be given
_SAID = "_adjudge_measure"  # where the decorator leaves what it was told


@dataclass(frozen=True)
class Declared:
    """What a function says of itself as a measure."""

    name: str | None = None
    better: Better = "higher"
    needs: frozenset[Need] = frozenset(GIVEN)
    range: Range = (None, None)
    citation: str = ""


def measure(
    *,
    name: str | None = None,
    better: Better = "higher",
    needs: Need | Iterable[Need] = GIVEN,
    range: Range = (None, None),
    citation: str = "",
) -> Callable[[F], F]:
    """Say what a function `f(summary, references, documents) -> float` is as a measure.

    The function itself stays what it is: it can be called and tested as before. It is given what it needs
    and an empty list for the rest, because scores are known to be out of date by what was declared.
    """
    needed = frozenset([needs] if isinstance(needs, str) else needs)
    if better not in ("higher", "lower", None):
        raise UsageError(f'measure: better is {quoted(better)}, expected "higher", "lower" or None')
    if unknown := sorted(needed - set(GIVEN)):
        raise UsageError(f"measure: needs {quoted(unknown[0])}, expected any of: {', '.join(GIVEN)}")
    declaration = Declared(name=name, better=better, needs=needed, range=range, citation=citation)

    def declare(function: F) -> F:
        setattr(function, _SAID, declaration)
        return function

    return declare


@dataclass(frozen=True)
class FunctionMeasure(Measure):
    """A plain function as a measure. It has no options; its name is the one it is registered under.

    A function that raises, or gives anything but a finite number, leaves that score missing and says why.
    """

    label: str
    function: Function
    source: str = ""  # the package it comes from, with its version

    FAMILY = "function"
    FIXED = ("label", "function", "source")

    def __post_init__(self) -> None:
        declaration = declared(self.function)
        text = inspect.getdoc(self.function) or "a function"
        # What other measures say of their class is here said of each function.
        mine = {
            "ABOUT": text.splitlines()[0].rstrip("."),
            "CITATION": declaration.citation or self.source or "your own",
            "better": declaration.better,
            "needs": declaration.needs,
            "range": declaration.range,
            "__doc__": text,
        }
        for key, value in mine.items():
            object.__setattr__(self, key, value)

    @property
    def name(self) -> str:
        return self.label

    def signature(self, references: str = "") -> str:
        name, _, ours = super().signature().partition("|")
        count = [f"refs:{references}"] if references and "references" in self.needs else []
        return "|".join([name, *count, *([f"from:{self.source}"] if self.source else []), ours])

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            references = [reference.text for reference in batch.references_for(peer)]
            documents = [document.text for document in batch.documents]
            if "references" in self.needs and not references:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
            elif "documents" in self.needs and not documents:
                yield self.missing(batch, peer, "the topic has no document")
            else:
                yield self._called(batch, peer, references, documents)

    def _called(self, batch: TopicBatch, peer: Summary, references: list[str], documents: list[str]) -> Score:
        try:
            result = self.function(
                peer.text,
                references if "references" in self.needs else [],
                documents if "documents" in self.needs else [],
            )
            value = float(result) if isinstance(result, Real) else math.nan
        except Exception as error:  # it is somebody else's code: one text must not end the run
            return self.missing(batch, peer, f"{self.label} failed: {one_line(error)}")
        if not isinstance(result, Real):
            kind = type(result).__name__
            return self.missing(batch, peer, f"{self.label} failed: it gave {kind}, expected a number")
        if not math.isfinite(value):
            return self.missing(
                batch, peer, f"{self.label} failed: it gave {value}, expected a finite number"
            )
        return self.row(batch, peer, value)


def declared(function: Callable[..., Any]) -> Declared:
    """What `@measure` was told, or the defaults."""
    declaration = getattr(function, _SAID, None)
    return declaration if isinstance(declaration, Declared) else Declared()


def registered(
    built_in: Mapping[str, Make], entries: Iterable[EntryPoint], *, reserved: Container[str] = ()
) -> dict[str, Make]:
    """The known measures and those of the entry points; a name belongs to one of them."""
    makes = dict(built_in)
    for entry in entries:
        if entry.name in makes or entry.name in reserved:
            raise UsageError(f"{_place(entry)}: there is another measure of that name")
        makes[entry.name] = from_entry_point(entry)
    return makes


def from_entry_point(entry: EntryPoint) -> Make:
    """What makes the measure that an entry point stands for: a Measure class, or a function in one."""
    place = _place(entry)
    try:
        plain = split_spec(entry.name) == (entry.name, {}) and ":" not in entry.name
    except AdjudgeError:
        plain = False
    if not plain:
        raise UsageError(f"{place}: a measure's name has no brackets, no colon and no space at its ends")
    try:
        loaded = entry.load()
    except Exception as error:  # any module can be behind an entry point
        raise UsageError(f"{place}: cannot be loaded: {one_line(error)}") from None
    cls = loaded.func if isinstance(loaded, partial) else loaded
    if isinstance(cls, type) and issubclass(cls, Measure):
        _check_class(place, entry.name, loaded)
        return loaded  # type: ignore[no-any-return]
    if isinstance(cls, type) or not callable(loaded):
        kind = "a class" if isinstance(cls, type) else type(loaded).__name__
        raise UsageError(
            f"{place}: it is {kind}, expected a function of (summary, references, documents) or a Measure class"
        )
    _check_function(place, entry.name, loaded)
    return partial(FunctionMeasure, label=entry.name, function=loaded, source=_source(entry))


def _check_class(place: str, name: str, make: Make) -> None:
    try:
        one = make()
        called, told = str(one), all((one.ABOUT, one.CITATION))
        hash(one)
    except Exception as error:
        raise UsageError(
            f"{place}: it cannot be made without options, or does not say what it is: {one_line(error)}"
        ) from None
    if called != name:
        raise UsageError(f"{place}: the measure calls itself {quoted(called)}; the two names must be one")
    if not told:
        raise UsageError(f"{place}: ABOUT or CITATION is empty; a line each is expected")


def _check_function(place: str, name: str, function: Callable[..., Any]) -> None:
    declared_name = declared(function).name
    if declared_name is not None and declared_name != name:
        raise UsageError(
            f"{place}: the function calls itself {quoted(declared_name)}; the two names must be one"
        )
    try:
        inspect.signature(function).bind("", [], [])
    except TypeError as error:
        raise UsageError(
            f"{place}: cannot be called with (summary, references, documents): {error}"
        ) from None
    except ValueError:
        return  # some compiled functions do not tell what they take


def _source(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else ""


def _place(entry: EntryPoint) -> str:
    source = _source(entry)
    return f"the entry point {quoted(entry.name)} ({entry.value}{f' of {source}' if source else ''})"
