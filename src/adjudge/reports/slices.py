"""The chapter of slices: every system's mean on slices of topics, property by property."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adjudge.analyses.slices.result import VARY, PropertySlices, SystemSlices
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection
from adjudge.reports.chapter import Absent, Chapter
from adjudge.reports.names import Name, names_of
from adjudge.reports.numbers import Format, format_for
from adjudge.stats.paired import p_words

ANCHOR, TEMPLATE = "slices", "slices.html.j2"
WAYS = {
    "no topic says it": "What topics.jsonl, or a column of a long table, says of topics gives slices.",
    "it needs the texts of an evaluation's folder": "Import the texts into a folder for slices by them.",
    "the evaluation has no source documents": "Import the documents for slices by them.",
}
"""By why there are none: what gives slices."""
QUESTION = "Do systems differ in the same way on all topics?"


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
    direction: str
    said: tuple[str, ...]
    blocks: tuple[SliceBlock, ...]
    notes: tuple[str, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class SlicesContent:
    """Everything that the chapter shows; nothing where there are no slices."""

    sections: tuple[SlicedSection, ...]
    reading: str


def slices_chapter(
    found: Sequence[SystemSlices], of: str, absent: Sequence[Absent], collection: Collection
) -> Chapter:
    """The chapter; `of` says which measures are looked at."""
    sections = tuple(_section(each, collection) for each in found)
    reading = (
        "A row for every system, in the order of its mean over all topics; the number in brackets is how many topics a"
        " slice has. A system is marked + or − only where the test finds that it stands higher or lower among the"
        " systems than elsewhere; a mean that is only higher or lower may be so by chance. A slice says where systems"
        " differ, not why."
    )
    return Chapter(
        anchor=ANCHOR,
        question=QUESTION,
        said=(of,) if of and found else (),
        template=TEMPLATE,
        content=SlicesContent(sections, reading),
        missing=tuple(absent),
        part_of="where",
    )


def absent_slices(found: Sequence[SystemSlices]) -> tuple[Absent, ...]:
    """What there are no slices by, and why, in one line; and what would give them."""
    reasons: dict[str, list[str]] = {}
    for name, why in found[0].absent.items():
        reasons.setdefault(why.replace(f"says its {name}", "says it"), []).append(name)
    if not reasons:
        return ()
    said = "; ".join(f"{listed(names)} ({why})" for why, names in reasons.items())
    how = [words for why, words in WAYS.items() if why in reasons]
    return (Absent(f"No slices by {said}", " ".join(how)),)


def _section(each: SystemSlices, collection: Collection) -> SlicedSection:
    names = names_of(collection, each.matrix.systems)
    shown = each.called({system: name.shown for system, name in names.items()})
    form = format_for([cell.mean for own in each.properties for cell in own.means], steps=100)
    overall = dict(zip(each.matrix.systems, (form(mean) for mean in each.overall), strict=True))
    return SlicedSection(
        title=each.matrix.heading,
        direction=each.matrix.info.direction,
        said=tuple(shown.sentences()),
        blocks=_opened([_block(own, each, names, overall, form) for own in each.properties]),
        notes=tuple(shown.note_text(note) for note in shown.notes() if note.code != "no-slices"),
        signature=each.signature,
    )


def _opened(blocks: list[SliceBlock]) -> tuple[SliceBlock, ...]:
    """Where no property is found to matter, the first is shown all the same."""
    if not any(block.open for block in blocks):
        blocks[0] = replace(blocks[0], open=True)
    return tuple(blocks)


def _block(
    own: PropertySlices,
    each: SystemSlices,
    names: Mapping[str, Name],
    overall: Mapping[str, str],
    form: Format,
) -> SliceBlock:
    marked = {(cell.slice, cell.system): cell for cell in own.standing_out}
    cells = {(cell.slice, cell.system): cell for cell in own.means}

    def shown(slice_: str, system: str) -> SliceCell:
        cell, out = cells[slice_, system], marked.get((slice_, system))
        if math.isnan(cell.mean):
            return SliceCell("–", "", "no score")
        if out is None:
            return SliceCell(form(cell.mean), "", f"{names[system].shown}, {counted(cell.n, 'score')}")
        higher = out.inside > out.outside
        words = f"{'higher' if higher else 'lower'} among the systems than elsewhere, {p_words(out.p, each.alpha)}"
        return SliceCell(form(cell.mean), "+" if higher else "−", words)

    return SliceBlock(
        by=own.by,
        verdict=_verdict(own, each.alpha),
        open=own.conclusion == VARY,
        overall=not own.within,
        heads=tuple(zip(own.slices, own.topics, strict=True)),
        rows=tuple(
            SliceRow(names[s], overall[s], tuple(shown(slice_, s) for slice_ in own.slices))
            for s in each.matrix.systems
        ),
    )


def _verdict(own: PropertySlices, alpha: float) -> str:
    if own.why is not None:
        return f"not tested: {own.why}"
    p = p_words(own.p_adjusted, alpha)
    return {
        "vary": f"differences between systems vary, {p}",
        "not shown to vary": f"differences between systems are not shown to vary, {p}",
    }.get(own.conclusion, "too few topics to find that differences between systems vary")
