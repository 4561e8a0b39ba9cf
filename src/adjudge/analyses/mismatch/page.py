"""The page of mismatches: both texts side by side, what people marked and what the measure found, and the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
class ShownMismatch:
    """A mismatch with its texts in pieces: of the unit, what was found; of the peer, what was marked and found."""

    of: ComparedUnit
    classes: str
    kind: str
    title: str | None
    system: str
    target: str
    reference: str
    people: str
    unit: tuple[Segment, ...]
    peer: tuple[Segment, ...]


@dataclass(frozen=True)
class MismatchPage:
    """Everything that the page shows."""

    result: MismatchResult
    version: str
    made_at: str | None
    tables: tuple[tuple[str, str], ...]
    """Headings, and tables as HTML, whose cells `Table.to_html` has escaped."""
    filters: Mapping[str, Sequence[tuple[str, str]]]
    """By what can be chosen from: the names of the choices, by what stands for them in the page."""
    mismatches: tuple[ShownMismatch, ...]
    finds: bool
    """Whether the measure says which words it found."""
    more: str


def mismatch_page(
    result: MismatchResult, collection: Collection, *, made_at: str | None = None
) -> MismatchPage:
    shown = result.mismatches[:MOST]
    names = names_of(collection, sorted({s for u in shown for s in (u.peer.system, u.reference.system)}))
    systems = {system: name.shown for system, name in names.items()}
    titles = {name: row.title for name, row in collection.topics.items()}
    topics = dict.fromkeys(u.unit.topic for u in shown)
    words: dict[str, Mapping[str, str]] = {
        "kind": {
            kind: kind_words(result, kind) for kind in MISMATCH_KINDS if any(u.kind == kind for u in shown)
        },
        "system": {u.peer.system: systems[u.peer.system] for u in shown},
        "topic": {topic: f"{topic}: {titles[topic]}" if titles.get(topic) else topic for topic in topics},
        "tag": {tag: word for u in shown for tag, word in (u.tag_names or {UNTAGGED: "not tagged"}).items()},
    }
    # What stands for a name in the page: names may hold anything.
    numbers = {name: {value: str(n) for n, value in enumerate(choices)} for name, choices in words.items()}
    total = len(result.mismatches)
    return MismatchPage(
        result=result,
        version=__version__,
        made_at=made_at,
        tables=tuple((t.title, without_caption(t.to_html())) for t in result.all_tables if t.rows),
        filters={
            name: [(numbers[name][value], text) for value, text in choices.items()]
            for name, choices in words.items()
            if len(choices) > 1
        },
        mismatches=tuple(
            ShownMismatch(
                of=unit,
                classes=" ".join(
                    [
                        f"kind-{numbers['kind'][unit.kind or '']}",
                        f"system-{numbers['system'][unit.peer.system]}",
                        f"topic-{numbers['topic'][unit.unit.topic]}",
                        *(f"tag-{numbers['tag'][tag]}" for tag in unit.tag_names or [UNTAGGED]),
                    ]
                ),
                kind=kind_words(result, unit.kind or ""),
                title=titles.get(unit.unit.topic),
                system=systems[unit.peer.system],
                target=", ".join(
                    str(part) if isinstance(part, str) else f"{part:,} words"
                    for part in (unit.peer.length, unit.peer.form)
                    if part is not None
                ),
                reference=systems[unit.reference.system],
                people=_people([answer.completeness for answer in unit.assessed]),
                unit=tuple(segments(unit.unit.text, unit.match.in_unit or ())),
                peer=tuple(
                    segments(
                        unit.peer.text,
                        [(marked.start, marked.end) for marked in unit.marked],
                        unit.match.in_peer or (),
                    )
                ),
            )
            for unit in shown
        ),
        finds=any(unit.match.in_peer is not None for unit in shown),
        more=f"The page shows the first {MOST:,} of {total:,} mismatches; the CSV file beside it has all."
        if total > MOST
        else "",
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
