"""A folder's judgments as preferences with names: sentences of a topic, or systems over topics. No fit here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from adjudge.data.collection import Collection
from adjudge.formats.preferences import Preference, Preferences
from adjudge.judgments.batch import Judgments, TopicBatch, batch_of
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Event
from adjudge.measures.judged.pairs import judged_pairs
from adjudge.measures.judged.preference_strengths import human_answers, topic_sentences
from adjudge.wording import counted


def batches(collection: Collection, judgments: Judgments, topics: Sequence[str] = ()) -> Iterator[TopicBatch]:
    """The topics that have judgments, or those that are named."""
    named = [collection.need_topic(topic).topic for topic in topics]
    for topic in named or collection.topics:
        if topic in judgments.by_topic:
            yield batch_of(collection, topic, judgments)


def kinds(judgments: Judgments) -> set[str]:
    """What preferences there are: of sentences, of summaries."""
    protocols: Mapping[str, Protocol] = judgments.protocols
    used = {judged.task.protocol for each in judgments.by_topic.values() for judged in each}
    return {p.of for name, p in protocols.items() if name in used and p.kind == "preference"}


def sentence_preferences(batch: TopicBatch) -> Preferences:
    """The answers to pairs of a topic's sentences; the items are all its sentences, by their text."""
    found = human_answers(batch)
    texts = tuple(sentence.text for sentence in topic_sentences(batch))
    return Preferences(
        texts,
        found.answers,
        found.annotators,
        (batch.topic.topic,),
        took_ms=found.took_ms,
        left_out=dict(found.left_out),
    )


def summary_rows(batch: TopicBatch, *, length: int | None = None) -> Iterator[Preference]:
    """The answers to pairs of a topic's summaries, by system, those that were skipped too."""
    for task, event in judged_pairs(batch, "summaries"):
        left, right = task.left or {}, task.right or {}
        if "system" in left and "system" in right and (length is None or left.get("length") == length):
            words = left.get("length")
            yield Preference(
                left["system"],
                right["system"],
                event.answer["winner"],
                batch.topic.topic,
                event.assessor,
                time=event.answered_at or "",
                length="" if words is None else str(words),
                took_ms=_took(event),
            )


def sentence_rows(batch: TopicBatch) -> Iterator[Preference]:
    """The answers to pairs of a topic's sentences, by text, those that were skipped too."""
    texts: dict[tuple[Any, ...], str] = {
        (place.document, place.start, place.end): sentence.text
        for sentence in topic_sentences(batch)
        for place in sentence.places
    }
    for task, event in judged_pairs(batch, "sentences"):
        sides = [texts.get(_place(side)) for side in (task.left, task.right)]
        if sides[0] is not None and sides[1] is not None:
            yield Preference(
                sides[0],
                sides[1],
                event.answer["winner"],
                batch.topic.topic,
                event.assessor,
                time=event.answered_at or "",
                took_ms=_took(event),
            )


def system_preferences(
    collection: Collection, judgments: Judgments, *, topics: Sequence[str] = (), length: int | None = None
) -> Preferences:
    """The answers to pairs of summaries, with systems as items and topics as clusters."""
    rows = [
        row for batch in batches(collection, judgments, topics) for row in summary_rows(batch, length=length)
    ]
    return Preferences.of(rows)


def notes(collection: Collection, judgments: Judgments, of: str, topics: Sequence[str] = ()) -> list[str]:
    """What a reader of a folder's preferences should know first."""
    kind: Literal["sentences", "summaries"] = "sentences" if of == "sentences" else "summaries"
    origins: Counter[str] = Counter()
    for batch in batches(collection, judgments, topics):
        origins.update(event.origin for _, event in judged_pairs(batch, kind))
    found = [
        f"{counted(origins[name], 'answer is', 'answers are')} {name}, not a person's"
        for name in ("simulated", "learned")
        if origins[name]
    ]
    changed = [
        why
        for judged, why in judgments.left_out
        if judged.task.left is not None and (not topics or judged.task.topic in topics)
    ]
    if changed:
        many = counted(len(changed), "preference")
        found.append(f"{many} between texts that changed since left out (the first: {changed[0]})")
    return found


def _place(side: Mapping[str, Any] | None) -> tuple[Any, ...]:
    return tuple((side or {}).get(name) for name in ("document", "start", "end"))


def _took(event: Event) -> float:
    return math.nan if event.took_ms is None else float(event.took_ms)
