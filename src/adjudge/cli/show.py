"""adjudge show"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json, show_table

if TYPE_CHECKING:
    from adjudge.data.collection import Collection
    from adjudge.data.rows import Summary


def command(
    evaluation: options.Folder,
    topic: options.Topic = None,
    system: options.System = None,
    json: options.Json = False,
) -> None:
    """Show what the evaluation holds: all of it in tables, or the texts of a topic or a system."""
    collection = adjudge.open(evaluation).collection
    if topic is not None:
        collection.need_topic(topic)
    if system is not None:
        collection.need_system(system)
    if json:
        show_json(_as_dict(collection, topic, system))
    elif topic is None and system is None:
        _overview(collection)
    else:
        _texts(collection, topic, system)


def _overview(collection: Collection) -> None:
    from adjudge.data.collection import describe_withdrawn
    from adjudge.text.words import count_words

    show_table(
        ("topic", "title", "type", "documents>", "references>", "peers>"),
        [
            (
                t.topic,
                t.title,
                t.type,
                len(collection.documents.get(name, ())),
                len(collection.references(name)),
                len(collection.peers(name)),
            )
            for name, t in collection.topics.items()
        ],
    )
    print()
    rows = []
    for name in collection.systems:
        mine = [s for s in collection.all_summaries() if s.system == name]
        words = [count_words(s.text) for s in mine]
        roles = ", ".join(dict.fromkeys(role for s in mine for role in s.roles))
        mean = f"{sum(words) / len(words):.1f}" if words else None
        rows.append((name, collection.kind(name), roles, len(mine), mean, collection.systems[name].label))
    show_table(("system", "kind", "roles", "summaries>", "mean words>", "label"), rows)
    for line in describe_withdrawn(collection):
        say(f"note: {line}")


def _chosen(collection: Collection, topic: str | None, system: str | None) -> Iterator[Summary]:
    for name in [topic] if topic is not None else collection.topics:
        summaries = collection.summaries.get(name, [])
        withdrawn = [s for s in collection.withdrawn if s.topic == name]
        yield from (s for s in [*summaries, *withdrawn] if system is None or s.system == system)


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


def _as_dict(collection: Collection, topic: str | None, system: str | None) -> dict[str, object]:
    topics = [topic] if topic is not None else list(collection.topics)
    return {
        "topics": [collection.topics[name].as_dict() for name in topics],
        "systems": [s.as_dict() for name, s in collection.systems.items() if system in (None, name)],
        "documents": [d.as_dict() for name in topics for d in collection.documents.get(name, ())],
        "summaries": [s.as_dict() for s in _chosen(collection, topic, system)],
    }
