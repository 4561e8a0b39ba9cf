"""What measures are given: a batch per topic, with the judgments that still hold; and what scores depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from adjudge.data.collection import Collection, references_for
from adjudge.data.lines import dump_json
from adjudge.data.scorefiles import StoredScores
from adjudge.errors import DataError
from adjudge.judgments.frozen import split_by_change
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Judged
from adjudge.measures.base import Measure, TopicBatch
from adjudge.wording import counted


@dataclass(frozen=True)
class Judgments:
    """The answers that count now, by topic; and those of texts that changed since, with what changed."""

    by_topic: Mapping[str, tuple[Judged, ...]] = field(default_factory=dict)
    left_out: tuple[tuple[Judged, str], ...] = ()
    protocols: Mapping[str, Protocol] = field(default_factory=dict)

    @classmethod
    def of(
        cls, judged: Iterable[Judged], collection: Collection, protocols: dict[str, Protocol]
    ) -> Judgments:
        kept, left = split_by_change(judged, collection, protocols)
        by_topic: dict[str, list[Judged]] = {}
        for each in kept:
            by_topic.setdefault(each.task.topic, []).append(each)
        return cls({topic: tuple(found) for topic, found in by_topic.items()}, tuple(left), protocols)

    def notes(self) -> tuple[str, ...]:
        """What a reader of scores from judgments should know first."""
        found = []
        if self.left_out:
            found.append(
                f"{counted(len(self.left_out), 'judgment')} of texts that changed since left out"
                f" (the first: {self.left_out[0][1]}); adjudge check names them"
            )
        simulated = sum(judged.origin == "simulated" for each in self.by_topic.values() for judged in each)
        if simulated:
            found.append(f"{counted(simulated, 'judgment is', 'judgments are')} simulated")
        return tuple(found)


NOTHING = Judgments()


def batch_of(collection: Collection, topic: str, judgments: Judgments = NOTHING) -> TopicBatch:
    return TopicBatch(
        collection.topics[topic],
        tuple(collection.peers(topic)),
        tuple(collection.references(topic)),
        tuple(collection.documents.get(topic, ())),
        tuple(collection.units.get(topic, ())),
        collection.settings.language,
        judgments.by_topic.get(topic, ()),
        judgments.protocols,
    )


def batches_of(collection: Collection, judgments: Judgments = NOTHING) -> dict[str, TopicBatch]:
    """A batch for every topic with something to score: a peer, or a judgment of one."""
    return {
        topic: batch_of(collection, topic, judgments)
        for topic in collection.topics
        if collection.peers(topic) or topic in judgments.by_topic
    }


def digests(measure: Measure, batches: Mapping[str, TopicBatch]) -> dict[str, str]:
    """Of everything that the measure looks at, by topic; all topics, where a score depends on them all."""
    found = {topic: digest(measure, batch) for topic, batch in batches.items()}
    if measure.scope == "topic":
        return found
    everything = blake2b("".join(found.values()).encode(), digest_size=8).hexdigest()
    return dict.fromkeys(found, everything)


def digest(measure: Measure, batch: TopicBatch) -> str:
    """Of everything in the topic that the measure looks at."""
    parts: list[Sequence[Any]] = [batch.peers]
    parts += [getattr(batch, need) for need in sorted(measure.needs | measure.uses)]
    state = blake2b(batch.language.encode(), digest_size=8)
    for rows in parts:
        for row in rows:
            state.update(dump_json(row.as_dict()).encode())
        state.update(b"\0")
    return state.hexdigest()


def stale_topics(batches: Mapping[str, TopicBatch], stored: StoredScores, measure: Measure) -> list[str]:
    """Topics whose stored scores no longer belong to the texts: changed, new or gone."""
    now = digests(measure, batches)
    return [t for t in {**now, **stored.inputs} if now.get(t) != stored.inputs.get(t)]


def reference_counts(batches: Mapping[str, TopicBatch]) -> dict[str, set[int]]:
    """How many references each system is held against, over its topics."""
    counts: dict[str, set[int]] = {}
    for batch in batches.values():
        for peer in batch.peers:
            counts.setdefault(peer.system, set()).add(len(references_for(peer, batch.references)))
    return counts


def reference_notes(measure: Measure, collection: Collection, counts: dict[str, set[int]]) -> tuple[str, ...]:
    """A person held against fewer references than the machines scores lower or higher for that alone."""
    if measure.options().get("refs") in (None, "mean", "jackknife") or not counts:
        return ()
    most = max(max(each) for each in counts.values())
    fewer = [
        system
        for system, each in counts.items()
        if collection.kind(system) == "human" and max(each) < most and any(each)
    ]
    if not fewer:
        return ()
    verb = "is" if len(fewer) == 1 else "are"
    return (
        f"{', '.join(fewer)} {verb} not held against their own reference, so against fewer than the"
        f" others ({most}): {measure.name}(refs=jackknife) is fair to all",
    )


def check_needs(collection: Collection, judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Say what is missing before any work starts."""
    have = {
        "references": any(collection.references(t) for t in collection.topics),
        "documents": bool(collection.documents),
        "units": bool(collection.units),
        "judgments": bool(judgments.by_topic),
    }
    hints = {
        "references": 'summaries with "roles": ["reference"]',
        "documents": "documents.jsonl",
        "units": "units.jsonl, made by: adjudge units",
        "judgments": "them with: adjudge judgments import, adjudge judge simulate",
    }
    for measure in measures:
        measure.check_installed()
        for need in sorted(measure.needs):
            if not have[need]:
                raise DataError(f"{measure} needs {need}, and there are none: add {hints[need]}")
