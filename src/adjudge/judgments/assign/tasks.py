"""What simulated assessors are given to do: every peer of a collection, as a protocol asks. No answers here.

Pairs of sentences come from whoever chooses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from adjudge.data.collection import Collection, references_for
from adjudge.data.rows import Summary
from adjudge.data.sources import SentencePlace, SourceSentence
from adjudge.errors import UsageError, quoted
from adjudge.judgments.frozen import task_hashes
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Task, TextRef, stable_id, text_hash

SentencePairs = Mapping[str, Sequence[tuple[SourceSentence, SourceSentence]]]
"""By topic: which sentence to show on the left, and which on the right."""


def make_tasks(
    collection: Collection,
    protocol: Protocol,
    assessors: Sequence[str],
    evaluation: str,
    *,
    per_page: int | None = None,
    repeat: float = 0.0,
    pairs: SentencePairs | None = None,
) -> list[Task]:
    """Tasks with ids that are the same every time, assessor by assessor.

    `per_page` assessors judge each thing (all of them, if it is not given), in turn topic by topic; `repeat` is the
    share of an assessor's tasks that is asked once more at the end. A protocol that compares sentences needs `pairs`;
    with them, topics that have none are left out.
    """
    if len(set(assessors)) < len(assessors):
        raise UsageError("an assessor is named twice")
    many = len(assessors) if per_page is None else per_page
    if not 1 <= many <= len(assessors):
        raise UsageError(f"per_page is {many}, expected 1 to {len(assessors)}, the number of assessors")
    if not 0 <= repeat <= 1:
        raise UsageError(f"repeat is {repeat:g}, expected a share from 0 to 1")
    of_sentences = protocol.kind == "preference" and protocol.of == "sentences"
    if of_sentences and pairs is None:
        raise UsageError(f"{protocol.name} compares sentences, which come from whoever chooses the pairs")
    if pairs is not None and not of_sentences:
        raise UsageError(f"{protocol.name} does not compare sentences, and pairs of them are given")
    for topic in pairs or ():
        collection.need_topic(topic)
    own: dict[str, list[Task]] = {name: [] for name in assessors}
    for number, topic in enumerate(collection.topics):
        who = [assessors[(number + k) % len(assessors)] for k in range(many)]
        empty = Task("", evaluation, "", protocol.name, protocol.version, topic)
        asked = _of_topic(collection, protocol, empty) if pairs is None else _sentence_pairs(empty, pairs)
        for each in asked:
            for name in who:
                id = stable_id("simulated-task", protocol.name, name, each.id)
                own[name].append(replace(each, id=id, assessor=name, position=len(own[name])))
    return [task for mine in own.values() for task in (*mine, *_repeats(mine, repeat))]


def _repeats(tasks: Sequence[Task], share: float) -> Iterator[Task]:
    """Some tasks once more, evenly from first to last."""
    count = round(share * len(tasks))
    for n in range(count):
        task = tasks[n * len(tasks) // count]
        id = stable_id("repeat", task.id)
        yield replace(task, id=id, position=len(tasks) + n, repeat_of=task.id)


def place_side(place: SentencePlace) -> dict[str, Any]:
    """A sentence as a side of a preference: a place where it stands; a task has the first."""
    return {"document": place.document, "start": place.start, "end": place.end}


def _sentence_pairs(empty: Task, pairs: SentencePairs) -> Iterator[Task]:
    """The pairs of a topic; one that was chosen twice is asked once."""
    for left, right in dict.fromkeys(pairs.get(empty.topic, ())):
        if left == right:
            raise UsageError(f"{empty.topic}: a sentence is paired with itself: {quoted(left.text)}")
        sides = place_side(left.places[0]), place_side(right.places[0])
        hashes = {"left": text_hash(left.text), "right": text_hash(right.text)}
        task = replace(empty, left=sides[0], right=sides[1], hashes=hashes)
        yield _named(task, *(value for side in sides for value in side.values()))


def _of_topic(collection: Collection, protocol: Protocol, empty: Task) -> Iterator[Task]:
    """What there is to judge in a topic; the assessor is set later."""
    topic = empty.topic
    peers, references = collection.peers(topic), collection.references(topic)
    units = collection.units.get(topic, ())
    match protocol.kind:
        case "coverage":
            for peer in peers:
                for reference in references_for(peer, references):
                    hashes = task_hashes(peer, reference, units, protocol)
                    page = replace(empty, peer=_ref(peer), reference=_ref(reference), hashes=hashes)
                    yield _named(page, *_key(peer), *_key(reference))
        case "preference":
            for number, (one, other) in enumerate(combinations(peers, 2)):
                if one.length == other.length:
                    left, right = (one, other) if number % 2 == 0 else (other, one)
                    yield _named(_pair(empty, left, right), *_key(left), *_key(right))
        case _:
            if protocol.kind == "pyramid":
                yield _named(empty)
            for peer in peers:
                yield _named(
                    replace(empty, peer=_ref(peer), hashes={"peer": text_hash(peer.text)}), *_key(peer)
                )


def _pair(empty: Task, left: Summary, right: Summary) -> Task:
    return replace(
        empty,
        left={"system": left.system, "length": left.length},
        right={"system": right.system, "length": right.length},
        hashes={"left": text_hash(left.text), "right": text_hash(right.text)},
    )


def _named(task: Task, *parts: str | int | None) -> Task:
    return replace(task, id=stable_id(task.protocol, task.topic, *parts))


def _key(summary: Summary) -> tuple[str, int | None]:
    return summary.system, summary.length


def _ref(summary: Summary) -> TextRef:
    return TextRef(summary.system, summary.length)
