"""One thing to judge, before anybody is given it: the texts that a task of it names, and their hashes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudge.data.collection import SentencePlace, SourceSentence
from adjudge.data.rows import Summary
from adjudge.judgments.tasks import Task, TextRef, text_hash

PageKey = tuple[str, frozenset[TextRef], TextRef | None]


@dataclass(frozen=True)
class JudgingPage:
    """One thing to judge. The first side of a pair is on the left, unless a task swaps them."""

    topic: str
    peers: tuple[Summary, ...] = ()
    reference: Summary | None = None
    models: tuple[Summary, ...] = ()
    """Whose authors count in phases: the page's reference, or all of the topic's where a page has none."""
    sentences: tuple[SourceSentence, ...] = ()
    """The two sides of a pair of sentences."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """Of what is judged, by role; a pair's follow from its sides."""
    number: int = 0
    """Of a pair of summaries: which of the topic's pairs it is."""

    @property
    def key(self) -> PageKey:
        reference = None if self.reference is None else TextRef.of(self.reference)
        return self.topic, frozenset(map(TextRef.of, self.peers)), reference

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(peer.system for peer in self.peers)

    @property
    def is_pair(self) -> bool:
        return len(self.peers) == 2 or bool(self.sentences)

    def fields(self, *, swapped: bool = False) -> dict[str, Any]:
        """What a task of this page holds: which texts, and their hashes."""
        if not self.is_pair:
            peer = TextRef.of(self.peers[0]) if self.peers else None
            reference = None if self.reference is None else TextRef.of(self.reference)
            return {"peer": peer, "reference": reference, "hashes": self.hashes}
        sides = self._sides()[::-1] if swapped else self._sides()
        (left, left_text), (right, right_text) = sides
        hashes = {"left": text_hash(left_text), "right": text_hash(right_text)}
        return {"left": left, "right": right, "hashes": hashes}

    def _sides(self) -> list[tuple[dict[str, Any], str]]:
        """Both sides of a pair as a task names them, with their texts. Of a sentence the first place counts."""
        if self.sentences:
            return [(place_side(sentence.places[0]), sentence.text) for sentence in self.sentences]
        return [(TextRef.of(peer).as_dict(), peer.text) for peer in self.peers]

    def is_of(self, task: Task) -> bool:
        """Whether a task of this page's key shows these very texts; a hash that it does not have is not looked at."""
        swapped = task.left is not None and task.left["system"] != self.peers[0].system
        now = self.fields(swapped=swapped)["hashes"]
        return all(now.get(role, hash) == hash for role, hash in task.hashes.items())


def place_side(place: SentencePlace) -> dict[str, Any]:
    """A sentence as a side of a preference: one of its places."""
    return {"document": place.document, "start": place.start, "end": place.end}


def key_of(task: Task) -> PageKey:
    """The page that a task shows."""
    if task.left is not None and task.right is not None:
        return task.topic, frozenset(map(TextRef.named, (task.left, task.right))), None
    return task.topic, frozenset([task.peer] if task.peer else []), task.reference
