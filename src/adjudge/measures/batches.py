"""What scores depend on: which are out of date, and what measures need before they start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from adjudge.data.collection import Collection, references_for
from adjudge.data.lines import dump_json
from adjudge.data.scorefiles import ScoreFile
from adjudge.errors import DataError
from adjudge.judgments.batch import Judgments, TopicBatch
from adjudge.measures.base import Measure


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


def stale_topics(batches: Mapping[str, TopicBatch], stored: ScoreFile, measure: Measure) -> list[str]:
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
