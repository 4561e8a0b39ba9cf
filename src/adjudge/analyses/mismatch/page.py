"""The page of mismatches: both texts side by side, what people marked and what the measure found, and the counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge import __version__
from adjudge.analyses.mismatch.result import ComparedUnit, MismatchResult
from adjudge.analyses.mismatch.words import kind_words
from adjudge.analyses.pages.names import names_of
from adjudge.analyses.pages.parts import without_caption
from adjudge.analyses.pages.render import INDEX, STYLES, style, template, write_pages
from adjudge.core.words import counted
from adjudge.data.collection import Collection
from adjudge.judgments.tagging import MISMATCH_KINDS
from adjudge.text.segments import Segment, segments

TEMPLATE, STYLE = "analyses/mismatch/page.html.j2", "analyses/mismatch/page.css"
MOST = 2000
"""Mismatches on a page; the CSV file has all."""
UNTAGGED = "untagged"


@dataclass(frozen=True)
class Filter:
    """What can be chosen from: the names of the choices, by what stands for them in the page."""

    name: str
    heading: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShownMismatch:
    """A mismatch with its texts in pieces: of the unit, what was found; of the peer, what was marked and found."""

    classes: str
    kind: str
    topic: str
    title: str | None
    system: str
    target: str
    reference: str
    unit_id: str
    value: str
    people: str
    unit: tuple[Segment, ...]
    peer: tuple[Segment, ...]
    marked: bool
    tags: tuple[str, ...]


@dataclass(frozen=True)
class MismatchPage:
    """Everything that the page shows."""

    name: str
    language: str
    version: str
    made_at: str | None
    headline: str
    measure: str
    said: tuple[str, ...]
    notes: tuple[str, ...]
    tables: tuple[tuple[str, str], ...]
    """Headings, and tables as HTML, whose cells `Table.to_html` has escaped."""
    filters: tuple[Filter, ...]
    mismatches: tuple[ShownMismatch, ...]
    finds: bool
    """Whether the measure says which words it found."""
    more: str
    signature: str


def mismatch_page(
    result: MismatchResult, collection: Collection, *, made_at: str | None = None
) -> MismatchPage:
    shown = result.mismatches[:MOST]
    names = names_of(collection, sorted({s for u in shown for s in (u.peer.system, u.reference.system)}))
    systems = {system: name.shown for system, name in names.items()}
    choices = {
        "kind": _numbered([kind for kind in MISMATCH_KINDS if any(u.kind == kind for u in shown)]),
        "system": _numbered(u.peer.system for u in shown),
        "topic": _numbered(u.unit.topic for u in shown),
        "tag": _numbered(tag for u in shown for tag in u.tag_names or {UNTAGGED: ""}),
    }
    tag_words = {tag: word for u in shown for tag, word in u.tag_names.items()} | {UNTAGGED: "not tagged"}
    words: dict[str, Mapping[str, str]] = {
        "kind": {kind: kind_words(result, kind) for kind in MISMATCH_KINDS},
        "system": systems,
        "topic": {t: _topic(collection, t) for t in choices["topic"]},
        "tag": tag_words,
    }
    tables = [table for table in result.all_tables if table.rows]
    return MismatchPage(
        name=result.evaluation,
        language=result.language,
        version=__version__,
        made_at=made_at,
        headline=result.headline(),
        measure=result.title,
        said=tuple(result.sentences())[1:],
        notes=tuple(result.warnings()),
        tables=tuple((table.title, without_caption(table.to_html())) for table in tables),
        filters=tuple(
            Filter(
                name=name,
                heading=name.capitalize(),
                choices=tuple((key, words[name][value]) for value, key in numbers.items()),
            )
            for name, numbers in choices.items()
            if len(numbers) > 1
        ),
        mismatches=tuple(_shown(unit, result, choices, systems, collection) for unit in shown),
        finds=any(unit.match.in_peer is not None for unit in shown),
        more=_more(len(result.mismatches)),
        signature=result.signature,
    )


def _more(total: int) -> str:
    if total <= MOST:
        return ""
    return f"The page shows the first {MOST:,} of {total:,} mismatches; the CSV file beside it has all."


def _numbered(values: Iterable[str]) -> dict[str, str]:
    """What stands for a name in the page: names may hold anything."""
    return {value: str(number) for number, value in enumerate(dict.fromkeys(values))}


def _topic(collection: Collection, topic: str) -> str:
    row = collection.topics.get(topic)
    return f"{topic}: {row.title}" if row is not None and row.title else topic


def _shown(
    unit: ComparedUnit,
    result: MismatchResult,
    choices: Mapping[str, Mapping[str, str]],
    systems: Mapping[str, str],
    collection: Collection,
) -> ShownMismatch:
    assert unit.kind is not None
    tags = unit.tag_names
    values: dict[str, list[str]] = {
        "kind": [unit.kind],
        "system": [unit.peer.system],
        "topic": [unit.unit.topic],
    }
    values["tag"] = list(tags) or [UNTAGGED]
    classes = [f"{name}-{choices[name][value]}" for name, some in values.items() for value in some]
    row = collection.topics.get(unit.unit.topic)
    marks = [(peer_unit.start, peer_unit.end) for peer_unit in unit.marked]
    return ShownMismatch(
        classes=" ".join(classes),
        kind=kind_words(result, unit.kind),
        topic=unit.unit.topic,
        title=row.title if row is not None else None,
        system=systems[unit.peer.system],
        target=", ".join(
            str(part) if isinstance(part, str) else f"{part:,} words"
            for part in (unit.peer.length, unit.peer.form)
            if part is not None
        ),
        reference=systems[unit.reference.system],
        unit_id=unit.unit.id,
        value=f"{unit.match.value:.3f}",
        people=_people([answer.completeness for answer in unit.assessed]),
        unit=tuple(segments(unit.unit.text, unit.match.in_unit or ())),
        peer=tuple(segments(unit.peer.text, marks, unit.match.in_peer or ())),
        marked=bool(marks),
        tags=tuple(tags.values()),
    )


def _people(completeness: Sequence[float]) -> str:
    shares = ", ".join(f"{100 * share:.4g} %" for share in sorted(completeness, reverse=True))
    return f"{shares} ({counted(len(completeness), 'assessor')})"


def render_mismatches(page: MismatchPage) -> str:
    """One HTML page that needs nothing beside it, and no script: the filters are rules of its style sheet."""
    return template(TEMPLATE).render(page=page, style=style(*STYLES, STYLE))


def write_mismatches(
    result: MismatchResult, collection: Collection, folder: str | Path, *, made_at: str | None = None
) -> list[Path]:
    """Write index.html, the mismatches and the counts as CSV files into a folder; the paths, index.html first."""
    texts = {"mismatches.csv": result.rows_table().to_csv()}
    texts |= {f"{table.name}-counts.csv": table.to_csv() for table in result.all_tables}
    return write_pages(
        texts | {INDEX: render_mismatches(mismatch_page(result, collection, made_at=made_at))}, folder
    )
