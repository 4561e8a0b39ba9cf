"""Everything the report shows, as frozen text and places. What a page looks like is the template's work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge import __version__
from adjudge.data.collection import Collection, describe_withdrawn
from adjudge.errors import UsageError, nearest, quoted
from adjudge.reports import words
from adjudge.reports.again import commands
from adjudge.reports.facts import Fact, facts_of
from adjudge.reports.heat import HeatMap, heat_map
from adjudge.reports.league import League, league_of
from adjudge.reports.names import Name, in_words, names_of
from adjudge.reports.overview import Overview, OverviewColumn, overview_of
from adjudge.reports.pairs import PairMatrix, pair_matrix
from adjudge.reports.tables import Table, stems, tables_of
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison

MOST_LINES = 10


@dataclass(frozen=True, slots=True)
class Folded:
    """Lines to read: the first few, and the rest to unfold."""

    shown: tuple[str, ...]
    folded: tuple[str, ...]
    more: str


@dataclass(frozen=True, slots=True)
class Differences:
    """What the pairs say in words."""

    about: str
    lines: Folded


@dataclass(frozen=True, slots=True)
class MeasureSection:
    """One comparison. `pairs` and `differences` are None where nothing is held against each other."""

    anchor: str
    title: str
    direction: str
    headline: str
    league: League
    reading: tuple[str, ...]
    pairs: PairMatrix | None
    pairs_about: str
    differences: Differences | None
    heat: HeatMap
    notes: tuple[str, ...]
    notes_hint: str  # beside the headline, so that nobody takes it without them
    missing: Folded
    signature: str
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report."""

    name: str
    language: str
    made_at: str | None
    facts: tuple[Fact, ...]
    sections: tuple[MeasureSection, ...]
    overview: Overview | None
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    seed: str
    version: str


def build_page(
    collection: Collection,
    comparisons: Sequence[Comparison],
    *,
    notes: Mapping[str, Sequence[str]] | None = None,
    made_at: str | None = None,
) -> Page:
    """A page from finished comparisons.

    `notes` holds, by measure, what a reader of its numbers should know first (`StoredTable.warnings`).
    `made_at` is printed as it comes: the clock belongs to whoever calls.
    """
    notes = notes or {}
    _check(comparisons, notes)
    titles = words.titles(comparisons, collection)
    names = names_of(collection, _systems(comparisons))
    sections = tuple(
        _section(comparison, collection, names, title, anchor, notes.get(comparison.measure, ()))
        for comparison, title, anchor in zip(comparisons, titles, stems(titles), strict=True)
    )
    columns = [OverviewColumn(s.anchor, s.title, s.direction) for s in sections]
    return Page(
        name=collection.settings.name,
        language=collection.settings.language,
        made_at=made_at,
        facts=facts_of(collection),
        sections=sections,
        overview=overview_of(comparisons, columns, names) if len(sections) > 1 else None,
        notes=tuple(describe_withdrawn(collection)),
        commands=commands(comparisons),
        seed=", ".join(dict.fromkeys(str(c.seed) for c in comparisons)),
        version=__version__,
    )


def _check(comparisons: Sequence[Comparison], notes: Mapping[str, Sequence[str]]) -> None:
    if not comparisons:
        raise UsageError("a report needs at least one comparison, got none")
    measures = [comparison.measure for comparison in comparisons]
    for measure in notes:
        if measure not in measures:
            raise UsageError(
                f"notes are for measures of the report; {quoted(measure)} is none{nearest(measure, measures)}"
            )


def _systems(comparisons: Sequence[Comparison]) -> list[str]:
    """All systems; one without any score is not in a matrix, but among what is missing."""
    matrices = [comparison.matrix for comparison in comparisons]
    found = [system for m in matrices for system in (*m.systems, *(system for _, system, _ in m.missing))]
    return list(dict.fromkeys(found))


def _section(
    comparison: Comparison,
    collection: Collection,
    names: dict[str, Name],
    title: str,
    anchor: str,
    notes: Sequence[str],
) -> MeasureSection:
    compared = comparison.matrix.info.better is not None and len(comparison.standings) > 1
    worded = in_words(comparison, names)
    return MeasureSection(
        anchor=anchor,
        title=title,
        direction=comparison.matrix.info.direction,
        headline=words.headline(worded),
        league=league_of(comparison, names),
        reading=words.reading(comparison),
        pairs=pair_matrix(comparison, names) if compared else None,
        pairs_about=words.pairs_about(comparison) if compared else "",
        differences=_differences(worded) if compared else None,
        heat=heat_map(comparison, collection, names),
        notes=(*notes, *comparison.warnings()),
        notes_hint=words.notes_hint(len(notes) + len(comparison.warnings())),
        missing=_folded(worded.missing()),
        signature=comparison.signature,
        tables=tables_of(comparison, anchor),
    )


def _differences(comparison: Comparison) -> Differences:
    _, *found = comparison.sentences()  # the first is the headline
    pairs = len(comparison.pairs[comparison.test])
    if found:
        about = f"{len(found):,} of {counted(pairs, 'pair')} of systems differ."
    else:
        about = f"None of {counted(pairs, 'pair')} of systems differs."
    return Differences(about, _folded(found))


def _folded(lines: Sequence[str]) -> Folded:
    shown, folded = tuple(lines[:MOST_LINES]), tuple(lines[MOST_LINES:])
    return Folded(shown, folded, f"{len(folded):,} more")
