"""The chapter of slices: every system's mean on slices of topics, property by property."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from adjudge.analyses.pages.chapter import Absent, Chapter, Findings, ReportPart
from adjudge.analyses.pages.names import Name, names_of
from adjudge.analyses.pages.numbers import Format, format_for
from adjudge.analyses.slices import slices
from adjudge.analyses.slices.result import PropertySlices, SystemSlices, Unsliced
from adjudge.analyses.slices.words import NO_SLICES, UNFINDABLE, VARY
from adjudge.core.errors import AdjudgeError
from adjudge.core.words import counted, listed, p_words
from adjudge.data.collection import Collection

MOST_SLICED = 2
"""Measures whose slices the page shows."""
WAYS = {
    "unsaid": "What topics.jsonl, or a column of a long table, says of topics gives slices.",
    "no-folder": "Import the texts into a folder for slices by them.",
    "no-documents": "Import the documents for slices by them.",
}
"""By why there are none: what gives slices."""
READING = (
    "Systems in the order of their means over all topics; in brackets, how many topics a slice has. + or − marks a"
    " system that stands significantly higher or lower there than elsewhere, relative to the other systems; other"
    " differences may be chance. A slice says where systems differ, not why."
)


@dataclass(frozen=True, kw_only=True)
class FoundSlices:
    """The slices of some measures, and why there are none of others."""

    results: tuple[SystemSlices, ...]
    absent: tuple[Absent, ...]
    of: str = ""
    """Of which measures, where there are more."""


@dataclass(frozen=True, slots=True)
class SliceCell:
    """A mean; `mark` is + or - where the system stands otherwise to the others than elsewhere."""

    text: str
    mark: str
    words: str


@dataclass(frozen=True, slots=True)
class SliceRow:
    """A system's means: over all topics, and slice by slice."""

    name: Name
    overall: str
    cells: tuple[SliceCell, ...]


@dataclass(frozen=True, slots=True)
class SliceBlock:
    """The slices by one property."""

    by: str
    verdict: str
    open: bool
    overall: bool
    """Whether means over all topics stand beside: not where slices are lengths or forms, of which they have one."""
    heads: tuple[tuple[str, int], ...]
    rows: tuple[SliceRow, ...]


@dataclass(frozen=True, slots=True)
class SlicedSection:
    """The slices of one measure."""

    title: str
    sentences: tuple[str, ...]
    blocks: tuple[SliceBlock, ...]
    notes: tuple[str, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class SlicesContent:
    """Everything that the chapter shows; nothing where there are no slices."""

    sections: tuple[SlicedSection, ...]
    reading: str
    more: str = ""
    """Of which measures, where there are more."""


class SlicesPart(ReportPart[FoundSlices]):
    NAME = ANCHOR = "slices"
    QUESTION = "Do systems differ in the same way on all topics?"

    def find(self, findings: Findings) -> FoundSlices:
        comparisons = findings.directed
        measures = list(dict.fromkeys(c.measure for c in comparisons))
        results: list[SystemSlices] = []
        absent: dict[str, Absent] = {}
        for measure in measures[:MOST_SLICED]:
            matrices = [c.matrix for c in comparisons if c.measure == measure]
            lengths, forms = {m.length for m in matrices}, {m.form for m in matrices}
            try:
                results.append(
                    slices(
                        findings.scores,
                        measure,
                        length=lengths.pop() if len(lengths) == 1 else None,
                        form=forms.pop() if len(forms) == 1 else None,
                        alpha=findings.options.alpha,
                        seed=findings.options.seed,
                    )
                )
            except Unsliced:
                absent[""] = Absent(
                    "Topics cannot be sliced",
                    "Give them a set, type or selector in topics.jsonl or in columns of a long table, or import their"
                    " source documents.",
                )
            except AdjudgeError as error:
                absent[str(error)] = Absent(f"No slices of topics: {error}")
        of = ""
        if len(measures) > MOST_SLICED and results:
            shown = "the first two measures that are" if len(results) > 1 else "the first measure that is"
            of = f"Shown for {shown} better high or low; adjudge slices has the others."
        return FoundSlices(
            results=tuple(results),
            absent=_without(results[0]) if results else tuple(absent.values()),
            of=of,
        )

    def chapter(self, result: FoundSlices | Absent, findings: Findings) -> Chapter:
        assert isinstance(result, FoundSlices)
        told = [_section(sliced, findings.collection) for sliced in result.results]
        sections = tuple(section for _, section in told)
        return Chapter(
            anchor=self.ANCHOR,
            question=self.QUESTION,
            sentences=tuple(headline for headline, _ in told),
            template=self.template,
            content=SlicesContent(sections, READING, result.of),
            missing=result.absent,
            part_of="where",
        )


PART = SlicesPart()


def _without(result: SystemSlices) -> tuple[Absent, ...]:
    """What there are no slices by, and why, in one line; and what would give them."""
    reasons: dict[str, list[str]] = {}
    for name, why in result.absent.items():
        words = "no topic says it" if why.code == "unsaid" else why.words(NO_SLICES)
        reasons.setdefault(words, []).append(name)
    if not reasons:
        return ()
    named = "; ".join(f"{listed(names)} ({words})" for words, names in reasons.items())
    codes = {why.code for why in result.absent.values()}
    how = [way for code, way in WAYS.items() if code in codes]
    return (Absent(f"No slices by {named}", " ".join(how)),)


def _section(sliced: SystemSlices, collection: Collection) -> tuple[str, SlicedSection]:
    """The headline, and what unfolds."""
    names = names_of(collection, sliced.matrix.systems)
    shown = sliced.called({system: name.shown for system, name in names.items()})
    form = format_for([cell.mean for by in sliced.properties for cell in by.means], steps=100)
    blocks = [_block(by, sliced, names, form) for by in sliced.properties]
    if not any(
        block.open for block in blocks
    ):  # where none is found to matter, the first is shown all the same
        blocks[0] = replace(blocks[0], open=True)
    headline, *sentences = shown.sentences()
    return headline, SlicedSection(
        title=sliced.matrix.heading,
        sentences=tuple(sentences),
        blocks=tuple(blocks),
        notes=tuple(shown.note_text(note) for note in shown.notes() if note.code != "no-slices"),
        signature=sliced.signature,
    )


def _block(
    of_property: PropertySlices, sliced: SystemSlices, names: Mapping[str, Name], form: Format
) -> SliceBlock:
    marked = {(cell.slice, cell.system): cell for cell in of_property.standing_out}
    cells = {(cell.slice, cell.system): cell for cell in of_property.means}

    def shown(slice_: str, system: str) -> SliceCell:
        cell, out = cells[slice_, system], marked.get((slice_, system))
        if math.isnan(cell.mean):
            return SliceCell("–", "", "no score")
        if out is None:
            return SliceCell(form(cell.mean), "", f"{names[system].shown}, {counted(cell.n, 'score')}")
        higher = out.inside > out.outside
        side = "higher" if higher else "lower"
        words = f"{side} than elsewhere, relative to the other systems, {p_words(out.p, sliced.alpha)}"
        return SliceCell(form(cell.mean), "+" if higher else "−", words)

    if of_property.why is not None:
        verdict = f"not tested: {of_property.why}"
    elif of_property.conclusion == UNFINDABLE:
        verdict = "too few topics to tell"
    else:
        do_vary = "vary" if of_property.conclusion == VARY else "do not vary significantly"
        verdict = f"differences between systems {do_vary}, {p_words(of_property.p_adjusted, sliced.alpha)}"
    return SliceBlock(
        by=of_property.by,
        verdict=verdict,
        open=of_property.conclusion == VARY,
        overall=not of_property.within,
        heads=tuple(of_property.sizes.items()),
        rows=tuple(
            SliceRow(names[s], form(mean), tuple(shown(slice_, s) for slice_ in of_property.slices))
            for s, mean in zip(sliced.matrix.systems, sliced.overall, strict=True)
        ),
    )
