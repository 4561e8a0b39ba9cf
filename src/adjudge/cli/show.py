"""adjudge show"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, say, show_json, show_table
from adjudge.data.rows import Document, Row, Summary

if TYPE_CHECKING:
    from adjudge.data.collection import Collection


def command(
    evaluation: options.Folder,
    topic: options.Topic = None,
    system: options.System = None,
    json: options.Json = False,
) -> None:
    """Show what an evaluation holds, or the texts of a topic or a system."""
    from adjudge.data.collection import contents, load

    folder = adjudge.open(evaluation).folder
    if topic is None and system is None:
        with counting("reading rows") as tick:
            listing = contents(folder, words=not json, progress=tick)
        if json:
            show_json(
                _as_dict(
                    topics=[row.topic for row in listing.topics],
                    systems=[row.system for row in listing.systems],
                    documents=(row for _, row in folder.rows(Document)),
                    summaries=(row for _, row in folder.rows(Summary)),
                )
            )
        else:
            from adjudge.data.collection import withdrawn_lines

            show_table(
                ("topic", "title", "type", "documents>", "references>", "peers>"),
                [
                    (t.topic.topic, t.topic.title, t.topic.type, t.documents, t.references, t.peers)
                    for t in listing.topics
                ],
            )
            print()
            show_table(
                ("system", "kind", "roles", "summaries>", "mean words>", "label"),
                [
                    (
                        s.system.system,
                        s.system.kind or "machine",
                        ", ".join(s.roles),
                        s.summaries,
                        f"{s.words / s.summaries:.1f}" if s.summaries else None,
                        s.system.label,
                    )
                    for s in listing.systems
                ],
            )
            for line in withdrawn_lines(listing.withdrawn):
                say(f"note: {line}")
        return
    with counting("reading rows") as tick:
        collection = load(folder, topic=topic, system=system, progress=tick)
    if topic is not None:
        collection.need_topic(topic)
    if system is not None:
        collection.need_system(system)
    if json:
        topics = [topic] if topic is not None else list(collection.topics)
        show_json(
            _as_dict(
                topics=[collection.topics[name] for name in topics],
                systems=[s for name, s in collection.systems.items() if system in (None, name)],
                documents=(d for name in topics for d in collection.documents.get(name, ())),
                summaries=_chosen(collection, topic, system),
            )
        )
    else:
        _texts(collection, topic, system)


def _chosen(collection: Collection, topic: str | None, system: str | None) -> Iterator[Summary]:
    withdrawn: dict[str, list[Summary]] = {}
    for summary in collection.withdrawn:
        withdrawn.setdefault(summary.topic, []).append(summary)
    for name in [topic] if topic is not None else collection.topics:
        both = [*collection.summaries.get(name, ()), *withdrawn.get(name, ())]
        yield from (s for s in both if system is None or s.system == system)


def _texts(collection: Collection, topic: str | None, system: str | None) -> None:
    from adjudge.data.collection import by_date
    from adjudge.text.words import count_words

    if topic is not None:
        about = collection.topics[topic]
        say(" · ".join(filter(None, (topic, about.title, about.question))), "bold")
        if system is None:
            for document in by_date(collection.documents.get(topic, ())):
                _text(f"document {document.id}", document.date, document.text)
    for summary in _chosen(collection, topic, system):
        length = f"target {summary.length}, " if summary.length else ""
        length += f"{summary.form}, " if summary.form else ""
        gone = f", withdrawn: {summary.withdrawn}" if summary.withdrawn is not None else ""
        detail = f"{length}{count_words(summary.text)} words, {' and '.join(summary.roles)}{gone}"
        where = "" if topic is not None else f" on {summary.topic}"
        _text(f"{summary.system}{where}", detail, summary.text)


def _text(heading: str, detail: str | None, text: str) -> None:
    print()
    say(f"{heading} ({detail})" if detail else heading, "bold")
    say(text)


def _as_dict(**rows: Iterable[Row]) -> dict[str, object]:
    """Iterators, so that the rows are written one by one."""
    return {name: (row.as_dict() for row in some) for name, some in rows.items()}
