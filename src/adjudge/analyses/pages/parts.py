"""A page of parts: questions, each with what is said, pictures, tables, and the files beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.analyses.pages.chapter import PageFigure
from adjudge.analyses.pages.render import STYLES, shown, style, template
from adjudge.core.phrases import Door
from adjudge.core.results import Result
from adjudge.core.table import Table
from adjudge.core.words import counted

TEMPLATE = "analyses/pages/parts.html.j2"
STYLE = "analyses/pages/figure.css", "analyses/pages/parts.css"
SAID = 2
"""Sentences of a part at the top of the page: the second often says how far to trust the first."""
MOST = 60
"""Rows of a table on the page; the CSV file has all."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One number with its name, and a few words that say more."""

    name: str
    value: str
    more: str = ""


@dataclass(frozen=True)
class DrawnRow:
    """A value with its interval as places on an axis from -1 to 1, in per cent."""

    name: str
    text: str
    at: float | None
    left: float
    width: float


@dataclass(frozen=True)
class Drawing:
    """Values with intervals, one below the other."""

    title: str
    rows: tuple[DrawnRow, ...]


@dataclass(frozen=True)
class ChartMark:
    """A text at a place of a chart."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A curve with its band, in the units of its picture."""

    title: str
    x: str
    y: str
    line: str
    band: str
    dots: tuple[tuple[float, float], ...]
    across: tuple[ChartMark, ...]
    up: tuple[ChartMark, ...]
    words: str
    """The points for whoever cannot see them."""


@dataclass(frozen=True)
class ShownTable:
    """A table as HTML, whose cells `Table.to_html` has escaped."""

    title: str
    html: str
    more: str
    signature: str


@dataclass(frozen=True)
class PageLink:
    """Another page or file of the same result."""

    file: str
    text: str


@dataclass(frozen=True)
class PageSection:
    """One part on the page."""

    name: str = ""
    question: str = ""
    about: str = ""
    """A line below the question."""
    sentences: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    charts: tuple[Chart, ...] = ()
    figures: tuple[PageFigure, ...] = ()
    tables: tuple[ShownTable, ...] = ()
    inner: tuple[PageSection, ...] = ()
    """Sections without a question of their own, one below the other."""
    notes: tuple[str, ...] = ()
    files: tuple[PageLink, ...] = ()


@dataclass(frozen=True)
class PartsPage:
    """Everything that the page shows."""

    title: str
    """Of the browser's window."""
    kind: str
    """Beside the product's name."""
    name: str
    question: str
    """Above the answers."""
    version: str
    made_at: str | None
    facts: tuple[Fact, ...]
    headlines: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Of every part: where it is, its question, its first sentences."""
    notes: tuple[str, ...]
    sections: tuple[PageSection, ...]
    signature: str
    latex: str
    """The file with all tables."""
    links: tuple[PageLink, ...] = ()


def section(
    name: str,
    question: str,
    part: Result,
    *,
    drawings: Sequence[Drawing] = (),
    charts: Sequence[Chart] = (),
    file: str = "",
    door: Door = "python",
) -> PageSection:
    """A part as the page shows it."""
    tables = [replace(table, signature=table.signature or part.signature) for table in part.all_tables]
    return PageSection(
        name=name,
        question=question,
        sentences=tuple(part.sentences(door)),
        drawings=tuple(drawings),
        charts=tuple(charts),
        tables=tuple(shown_table(table) for table in tables if table.rows),
        notes=tuple(part.warnings(door)),
        files=(PageLink(file or f"{name}.csv", "All numbers (CSV)"),),
    )


def headlines(sections: Sequence[PageSection]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """What stands at the top: the first sentences of every part that says something."""
    return tuple((f"#{s.name}", s.question, s.sentences[:SAID]) for s in sections if s.sentences)


_WORDS = re.compile(r"<td>(?=[^<]{19})")
"""Cells of words that may go on in a second line, so that their table fits; shorter ones and numbers stay whole."""


def without_caption(html: str) -> str:
    """A table whose title stands above it as a heading."""
    start, end = html.find("<caption>"), html.find("</caption>")
    return html if start < 0 else html[:start] + html[end + len("</caption>") :]


def shown_table(table: Table, *, most: int = MOST, where: str = "in the CSV file") -> ShownTable:
    """A table's first rows as HTML; `where` the others are."""
    html = _WORDS.sub('<td class="long">', without_caption(table.to_html(rows=most)))
    left = len(table.rows) - most
    more = f"{counted(left, 'more row')} {where}." if left > 0 else ""
    return ShownTable(table.title, html, more, table.signature)


def render_parts(page: PartsPage) -> str:
    """One HTML page that needs nothing beside it, and no script."""
    return shown(template(TEMPLATE).render(page=page, style=style(*STYLES, *STYLE)))
