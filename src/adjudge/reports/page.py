"""Everything the report shows, as frozen text and places. What a page looks like is the template's work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge import __version__
from adjudge.analyses.compare.pairs import MISSING_SCORES
from adjudge.analyses.compare.words import pairs_that_differ, tally
from adjudge.analyses.conditions.result import TrustConditions
from adjudge.analyses.fewest import fewest_words
from adjudge.analyses.pages.chapter import Chapter, Findings
from adjudge.analyses.pages.names import Name, in_words, names_of
from adjudge.analyses.pages.numbers import span
from adjudge.analyses.pages.parts import Fact
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.core.table import frame_to_csv
from adjudge.core.words import capitalised, counted, listed
from adjudge.data.collection import Collection, describe_withdrawn
from adjudge.data.rows import KINDS
from adjudge.reports import words
from adjudge.reports.contents import looked_into
from adjudge.reports.method import method_chapter
from adjudge.reports.sections import (
    MOST_MEASURES,
    AllMeasures,
    Costs,
    HeatMap,
    League,
    MeasureGroup,
    MeasureLine,
    Overview,
    OverviewColumn,
    PairList,
    PairTriangle,
    costs_of,
    heat_map,
    lead_of,
    league_of,
    measure_line,
    overview_of,
    pair_list,
    pair_triangle,
)

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


# What an evaluation holds, in a few numbers


def facts_of(collection: Collection) -> tuple[Fact, ...]:
    """Only what is there: an evaluation may be as little as its summaries, or its scores."""
    judged = {s.system for s in collection.all_summaries() if s.is_peer} or set(collection.systems)
    kinds = Counter(collection.kind(system) for system in judged)
    held = [len(collection.documents.get(topic, ())) for topic in collection.topics]
    facts = [
        Fact("Topics", f"{len(collection.topics):,}"),
        Fact("Systems", f"{len(judged):,}", listed([counted(kinds[k], k) for k in KINDS if kinds[k]])),
        _summaries(collection),
        Fact("Documents", f"{sum(held):,}", f"{span(held)} per topic" if held else ""),
        _references(collection),
    ]
    return tuple(fact for fact in facts if fact.value != "0")


def _summaries(collection: Collection) -> Fact:
    peers = sum(s.is_peer for s in collection.all_summaries())
    lengths = collection.lengths
    if lengths == (None,):
        more = "no target length"
    else:
        named = ["no target length" if n is None else f"{n:,}" for n in lengths]
        more = f"{listed(named)} words" if named and lengths[-1] is not None else ""
    if forms := [f"{form}s" for form in collection.forms if form]:
        more = ", ".join(filter(None, (more, listed([*forms, *(["no form"] * (None in collection.forms))]))))
    return Fact("Summaries", f"{peers:,}", more)


def _references(collection: Collection) -> Fact:
    """A topic asked for at two lengths, or in two forms, has references of both; what counts is how many of each."""
    held: list[int] = []
    for topic in collection.topics:
        targets = Counter(reference.target for reference in collection.references(topic))
        held += targets.values() or [0]
    total = sum(held)
    targets_there = {r.target for r in collection.all_summaries() if r.is_reference}
    several = ["length"] * (len({t.length for t in targets_there}) > 1)
    several += ["form"] * (len({t.form for t in targets_there}) > 1)
    per = f"per {listed(['topic', *several])}"
    return Fact("References", f"{total:,}", f"{span(held)} {per}" if held else "")


MOST_LINES = 10
MOST_FOLDED = 40


# The files that lie beside the page

LONGEST_STEM = 80


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file of the report: what a link to it says, its name, its text."""

    about: str
    name: str
    text: str


def files_of(comparison: Comparison, stem: str) -> tuple[ReportFile, ...]:
    """League, pairs and scores as CSV, the league as LaTeX.

    Every name ends in a word of its own, so that no measure gives a name that Windows keeps for itself.
    """
    scores = frame_to_csv(comparison.matrix.to_frame(), index_label="topic")
    return (
        ReportFile("League table, CSV", f"{stem}-league.csv", comparison.to_csv()),
        ReportFile("League table, LaTeX", f"{stem}-league.tex", comparison.to_latex() + "\n"),
        ReportFile("All pairs, CSV", f"{stem}-pairs.csv", comparison.to_csv("pairs")),
        ReportFile("Scores by topic, CSV", f"{stem}-scores.csv", scores),
    )


def paper_files(comparisons: Sequence[Comparison]) -> tuple[ReportFile, ...]:
    """All measures in one table, and the paragraph on methods with its references; of comparisons made alike."""
    from adjudge.analyses.compare.several import ComparedMeasures

    if any(c.asked.on_anything != comparisons[0].asked.on_anything for c in comparisons):
        return ()
    compared = ComparedMeasures(results=tuple(comparisons))
    methods = compared.methods()
    files = [
        ReportFile("Table, LaTeX", "paper-table.tex", compared.to_latex() + "\n"),
        ReportFile("Table, Markdown", "paper-table.md", compared.to_markdown() + "\n"),
        ReportFile("Methods, LaTeX", "paper-methods.tex", methods.latex + "\n"),
        ReportFile("References, BibTeX", "paper-references.bib", methods.bibtex + "\n"),
    ]
    return tuple(files if len(compared) > 1 else files[1:])


def stems(texts: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """A short plain name for every text, no two alike: for files and for links within the page."""
    names: list[str] = list(taken)
    for text in texts:
        plain = re.sub(r"[^a-z0-9]+", "-", text.lower())[:LONGEST_STEM].strip("-") or "measure"
        name, number = plain, 1
        while name in names:
            number += 1
            name = f"{plain}-{number}"
        names.append(name)
    return names[len(taken) :]


# The page

PLACES = ("answers", "trust", "overview", "where", "again")
"""The page's own places, which no measure takes."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Lines to read: the first few, and more to unfold; `more` says how many, and where the rest is."""

    shown: tuple[str, ...]
    folded: tuple[str, ...]
    more: str


@dataclass(frozen=True, slots=True)
class PairFindings:
    """What the pairs say in words."""

    about: str
    lines: Folded


@dataclass(frozen=True, slots=True)
class MeasureSection:
    """One comparison. `pairs`, `pair_list` and `differences` are None where nothing is compared."""

    anchor: str
    where: str  # the anchor of its pairs and topics
    name: str
    target: str  # its length and form in words, where there are several
    direction: str
    headline: str
    league: League
    reading: tuple[str, ...]
    pairs: PairTriangle | None
    pairs_about: str
    pair_list: PairList | None
    differences: PairFindings | None
    heat: HeatMap
    notes: tuple[str, ...]
    notes_hint: str  # beside the headline, so that nobody takes it without them
    missing: Folded
    signature: str
    tables: tuple[ReportFile, ...]
    also: tuple[
        str, ...
    ] = ()  # below the headline: how few topics decide who comes first, and who takes least
    trust: TrustConditions | None = None

    @property
    def title(self) -> str:
        return _joined(self.name, self.target)


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The whole report."""

    name: str
    language: str
    made_at: str | None
    facts: tuple[Fact, ...]
    lead: MeasureSection  # the measure that answers first
    sections: tuple[MeasureSection, ...]
    costs: Costs | None
    all_measures: AllMeasures | None
    overview: Overview | None
    kinds: tuple[str, ...]  # of the systems that were compared
    chapters: tuple[Chapter, ...]
    notes: tuple[str, ...]
    paper: tuple[ReportFile, ...]
    where: str
    commands: tuple[str, ...]
    seed: str
    version: str


def build_page(
    collection: Collection,
    comparisons: Sequence[Comparison],
    *,
    notes: Mapping[str, Sequence[str]] | None = None,
    conditions: Sequence[TrustConditions] = (),
    chapters: Sequence[Chapter] = (),
    made_at: str | None = None,
    scores: str = ".",
    left_out: Sequence[str] = (),
) -> ReportPage:
    """A page from finished comparisons. `scores` names them as a shell has it: "." in an evaluation's folder, or a
    file, with the options that say how it was read.

    `notes` holds, by measure, what a reader of its numbers should know first (`StoredTable.warnings`). `conditions` are
    those of trust (`analyses.conditions.trust.trust_conditions`), of some comparisons or of all; where there are
    none, the page has no box of them.
    `left_out` says what could not be compared at all.
    `made_at` is printed as it comes: the clock belongs to whoever calls.
    """
    notes = notes or {}
    if not comparisons:
        raise UsageError("a report needs at least one comparison, got none")
    measures = [comparison.measure for comparison in comparisons]
    for measure in notes:
        if measure not in measures:
            raise UsageError(
                f"notes are for measures of the report; {quoted(measure)} is none{nearest(measure, measures)}"
            )
    targets = words.targets(comparisons, collection)
    specs = [_joined(c.measure, target) for c, target in zip(comparisons, targets, strict=True)]
    taken = [*PLACES, *(chapter.anchor for chapter in chapters)]
    anchors = stems([*specs, *(f"{spec} where" for spec in specs)], taken)
    trust = {(condition.measure, condition.length, condition.form): condition for condition in conditions}
    # A system without any score is not in a matrix, but among what is missing.
    systems = [s for c in comparisons for s in (*c.matrix.systems, *(s for _, s, _ in c.matrix.missing))]
    names = names_of(collection, list(dict.fromkeys(systems)))
    lead = lead_of(comparisons)
    sections = tuple(
        _section(
            comparison,
            collection,
            names,
            notes.get(comparison.measure, ()),
            named=len(comparisons) > 1 and comparison is comparisons[lead],
            target=target,
            anchor=anchor,
            where=where,
            trust=trust.get((comparison.measure, comparison.matrix.length, comparison.matrix.target.form)),
        )
        for comparison, target, anchor, where in zip(
            comparisons, targets, anchors[: len(specs)], anchors[len(specs) :], strict=True
        )
    )
    columns = [OverviewColumn(s.anchor, s.title, s.direction) for s in sections]
    return ReportPage(
        name=collection.settings.name,
        language=collection.settings.language,
        made_at=made_at,
        facts=facts_of(collection),
        lead=sections[lead],
        sections=sections,
        costs=costs_of(names, collection.systems),
        all_measures=_all_measures(comparisons, sections, names) if len(sections) > 1 else None,
        overview=overview_of(comparisons, columns, names) if len(sections) > 1 else None,
        kinds=tuple(kind for kind in KINDS if any(name.kind == kind for name in names.values())),
        chapters=tuple(chapters),
        notes=(*left_out, *describe_withdrawn(collection)),
        paper=paper_files(comparisons),
        where="In the evaluation's folder" if scores.split(" ", 1)[0] == "." else "Where the scores are",
        commands=words.commands(comparisons, scores),
        seed=", ".join(dict.fromkeys(str(c.seed) for c in comparisons)),
        version=__version__,
    )


def _joined(name: str, target: str) -> str:
    return f"{name}, {target}" if target else name


def _section(
    comparison: Comparison,
    collection: Collection,
    names: dict[str, Name],
    notes: Sequence[str],
    *,
    named: bool,
    **places: Any,
) -> MeasureSection:
    """`named`: the headline names the measure. `places` are the title and where it stands."""
    compared = comparison.matrix.info.better is not None and len(comparison.standings) > 1
    worded = in_words(comparison, names)
    matrix = worded.matrix
    fewest = fewest_words(comparison.fewest, matrix.systems, what="topic", labels=matrix.topics)
    all_notes = (*notes, *worded.warnings("command", without=(MISSING_SCORES,)))
    differences = None
    if compared:
        about = f"{capitalised(tally(worded))}."
        differences = PairFindings(about, _folded(list(pairs_that_differ(worded))))
    return MeasureSection(
        name=comparison.matrix.info.heading,
        direction=comparison.matrix.info.direction,
        headline=words.headline(worded, named=named),
        league=league_of(comparison, names),
        reading=words.reading(comparison),
        pairs=pair_triangle(comparison, names) if compared else None,
        pairs_about=words.pairs_about(comparison) if compared else "",
        pair_list=pair_list(comparison, names) if compared else None,
        differences=differences,
        heat=heat_map(comparison, collection, names),
        notes=all_notes,
        notes_hint=words.notes_hint(len(all_notes)),
        missing=_folded(worded.notes_of(MISSING_SCORES, "command")),
        signature=comparison.signature,
        tables=files_of(comparison, places["anchor"]),
        also=tuple(filter(None, [fewest, words.cheapest_words(comparison, collection, names)])),
        **places,
    )


def _all_measures(
    comparisons: Sequence[Comparison], sections: Sequence[MeasureSection], names: Mapping[str, Name]
) -> AllMeasures:
    """Every measure in a line, those at the lead's target first; a length and form are said once for all of it."""
    groups: dict[str, list[MeasureLine]] = {}
    for comparison, section in zip(comparisons, sections, strict=True):
        line = measure_line(comparison, names, section.anchor, section.trust)
        groups.setdefault(section.target, []).append(line)
    lead = sections[lead_of(comparisons)].target
    ordered = sorted(groups, key=lambda target: target != lead)
    made = [MeasureGroup(target, tuple(groups[target])) for target in ordered]
    first = len(made)
    while first > 1 and sum(len(group.lines) for group in made[:first]) > MOST_MEASURES:
        first -= 1
    return AllMeasures(tuple(made[:first]), tuple(made[first:]))


def _folded(lines: Sequence[str]) -> Folded:
    shown, folded = tuple(lines[:MOST_LINES]), tuple(lines[MOST_LINES : MOST_LINES + MOST_FOLDED])
    left = len(lines) - len(shown) - len(folded)
    rest = f"; {left:,} others are in the CSV" if left else ""
    return Folded(shown, folded, f"{len(folded):,} more{rest}")


def chapters_of(findings: Findings) -> tuple[Chapter, ...]:
    """The chapters behind the league tables, in the order of the page."""
    chapters: list[Chapter] = []
    for part, result in looked_into(findings):
        chapter = part.chapter(result, findings)
        if chapters and chapters[-1].anchor == chapter.anchor:
            chapter = chapters.pop().and_then(chapter)
        chapters.append(chapter)
    return (*chapters, method_chapter(findings))
