"""A chapter of the report: what is computed for it, when it is absent and why, and what page and paper show of it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from adjudge.analyses.pages.names import in_words, names_of
from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import Argument
from adjudge.core.picture import Undrawable
from adjudge.data.collection import Collection
from adjudge.measures.spec import judge_of

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure
    from adjudge.core.table import Table
    from adjudge.data.target import Target

R = TypeVar("R", bound=Any)

LENGTH, FORM = (Argument(name).at("command") for name in ("length", "form"))
"""A page gives commands to type, so that it names options as the command line does."""
TALL = 900
"""Pixels of a figure's height from which it is folded."""


@dataclass(frozen=True, slots=True)
class Absent:
    """What could not be told, and what a user can do about it."""

    why: str
    how: str = ""
    """A command, or what to bring."""

    def __str__(self) -> str:
        return f"{self.why}. {self.how}" if self.how else self.why


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure on the page: inlined SVG of our own making, its title and words, and its files."""

    name: str
    title: str
    words: str
    svg: str
    why: str = ""
    """Why there is no picture, where there is none."""

    @property
    def tall(self) -> bool:
        """Longer than a screen: it is folded, so that what follows can be found."""
        height = re.match(r'<svg[^>]*\bheight="([\d.]+)', self.svg)
        return height is not None and float(height[1]) > TALL


_MARKS = re.compile(r' role="graphics-symbol" aria-roledescription="[^"]* container"')
"""What calls a group of marks a picture, which has no name: every mark has one, and the figure."""


def page_figure(result: Any, kind: str) -> PageFigure | None:
    """A figure of a result, inlined; None where the result has none, or cannot draw it."""
    if kind not in getattr(result, "FIGURES", ()):
        return None
    try:
        drawn = result.figure(kind)
    except AdjudgeError:
        return None
    return drawn_figure(drawn)


def drawn_figure(drawn: Figure) -> PageFigure:
    """A figure, inlined."""
    try:
        svg = _MARKS.sub("", drawn.to_page())
        return PageFigure(name=drawn.name, title=drawn.title, words=drawn.words, svg=svg)
    except Undrawable as error:
        return PageFigure(name=drawn.name, title=drawn.title, words=drawn.words, svg="", why=f"It {error}.")


@dataclass(frozen=True, slots=True)
class Chapter:
    """One question of the page. `template` prints `content`, a frozen object of the chapter's own."""

    anchor: str
    question: str
    sentences: tuple[str, ...]
    """The answer in a few sentences."""
    template: str
    content: Any
    missing: tuple[Absent, ...] = ()
    """What else could be told here."""
    part_of: str = ""
    """The anchor of the chapter that this is a part of; without one it is a chapter of its own."""

    def and_then(self, other: Chapter) -> Chapter:
        """This and another analysis's answer to the same question."""
        return replace(
            self,
            sentences=(*self.sentences, *other.sentences),
            content=self.content.and_then(other.content),
            missing=tuple(dict.fromkeys((*self.missing, *other.missing))),
        )


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What a reader may choose of the report, beyond the options of the comparisons."""

    between: tuple[str, ...] = ()
    """The two systems whose texts stand side by side; the first and the best that differs from it unless given."""
    quick: bool = False
    """Only the comparisons: no analysis of judgments and measures."""
    alpha: float = 0.05
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What a report is made of: comparisons, and the results of other analyses, or why there is none."""

    collection: Collection
    comparisons: Sequence[Comparison]
    scores: Scores
    options: ReportOptions = ReportOptions()
    results: Mapping[str, Any] = field(default_factory=dict)
    """By analysis, an `Absent` where there is no result; in a quick report none."""
    conditions: Sequence[Any] = ()
    """Of trust in the comparisons."""

    @cached_property
    def worded(self) -> Sequence[Comparison]:
        """The comparisons with systems called as the page shows them."""
        return [in_words(c, names_of(self.collection, c.matrix.systems)) for c in self.comparisons]

    @cached_property
    def main_target(self) -> Target:
        """What the report answers first: the length and form with the most scores."""
        return self.comparisons[0].matrix.target

    @cached_property
    def target(self) -> tuple[int | None, str | None]:
        """The length and form of the report, where it has one; None where there are several."""
        targets = {c.matrix.target for c in self.comparisons}
        lengths, forms = {t.length for t in targets}, {t.form for t in targets}
        return (
            next(iter(lengths)) if len(lengths) == 1 else None,
            next(iter(forms)) if len(forms) == 1 else None,
        )

    @property
    def where(self) -> str:
        """The scores as a command on the page names them."""
        return "." if self.scores.folder is not None else "SCORES"

    @cached_property
    def judged(self) -> list[tuple[Comparison, int]]:
        """Comparisons of scores that assessors gave, and by how many."""
        return [
            (c, n)
            for c in self.comparisons
            if c.measure in self.scores.info
            and judge_of(c.measure) is None
            and (n := len(self.scores.assessors(c.measure)))
        ]

    @property
    def directed(self) -> list[Comparison]:
        """Comparisons by measures that are better high or low, the primary one first; all, where none is."""
        directed = [c for c in self.comparisons if c.matrix.info.better is not None and len(c.standings) > 1]
        return sorted(directed or self.comparisons, key=lambda c: c.role != "primary")


class ReportPart(ABC, Generic[R]):
    """What the report has of one analysis.

    The analysis's folder has a subclass in `chapter.py`, and an instance of it as `PART`; beside it lie
    `chapter.html.j2`, which prints the chapter's content, and perhaps `chapter.css`.
    """

    NAME: ClassVar[str]
    """By which its result is known."""
    ANCHOR: ClassVar[str]
    QUESTION: ClassVar[str]
    """Which the chapter answers; analyses that follow each other with one question share a chapter."""
    UNKNOWN: ClassVar[str] = ""
    """What a reader does not learn where there is no result: "how far assessors agree"."""
    PAPER: ClassVar[str] = ""
    """The heading of its tables in a paper, where it has some."""

    @abstractmethod
    def find(self, findings: Findings) -> R | Absent | None:
        """The result, or why there is none; None where nothing is missing."""

    @abstractmethod
    def chapter(self, result: R | Absent, findings: Findings) -> Chapter:
        """The chapter, or this analysis's part of it."""

    @property
    def template(self) -> str:
        """The template beside this module."""
        return "/".join((*type(self).__module__.split(".")[1:-1], "chapter.html.j2"))

    def headlines(self, result: R) -> Iterable[str]:
        """The answer in a sentence, or in a few."""
        return ()

    def methods(self, result: R) -> Iterable[str]:
        """What a paper says of how it was done, with marks where something is cited."""
        return ()

    def signatures(self, result: R) -> Iterable[tuple[str, str]]:
        """What gives the same numbers again, each with what it is of."""
        return ()

    def limitations(self, result: R) -> Iterable[str]:
        """What it says against relying on the judgments."""
        return ()

    def unknown(self, result: R | Absent, findings: Findings) -> Iterator[str]:
        """What is not known after it."""
        if isinstance(result, Absent) and self.UNKNOWN and findings.judged:
            yield f"{self.UNKNOWN} is not known"

    def tables(self, result: R) -> Iterable[tuple[str, Sequence[Table]]]:
        """Tables for a paper, by what their files' names begin with."""
        return ()
