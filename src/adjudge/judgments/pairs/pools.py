"""What can be held against each other in a topic, and what was said of it: source sentences, or summaries of a length.

Which pairs are asked is decided in sample.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.data.collection import Collection, source_sentences
from adjudge.errors import UsageError, quoted
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.tasks import Event, Task, text_hash
from adjudge.measures.judged.pairs import WON
from adjudge.stats.preference.answers import Answers

Side = Mapping[str, Any]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Pool:
    """Texts of one topic, numbered, each with the side that a task has for it."""

    topic: str
    texts: tuple[str, ...]
    sides: tuple[Side, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        return tuple(map(text_hash, self.texts))

    @cached_property
    def _by_hash(self) -> dict[str, int]:
        return {each: number for number, each in enumerate(self.hashes)}

    @cached_property
    def _by_side(self) -> dict[tuple[Any, ...], int]:
        return {_key(side): number for number, side in enumerate(self.sides)}

    @cached_property
    def twins(self) -> list[Pair]:
        """Pairs of the same text, which nobody should be asked about."""
        same: dict[str, list[int]] = {}
        for number, each in enumerate(self.hashes):
            same.setdefault(each, []).append(number)
        return [(a, b) for group in same.values() for k, a in enumerate(group) for b in group[k + 1 :]]

    def number(self, side: Side | None, hash: str | None) -> int | None:
        """Which text a task's side means; None where it is not here, or has changed since.

        A sentence is known by its text wherever it stands, a summary by its system and length.
        """
        if side is None:
            return None
        if "document" in side and hash is not None:
            return self._by_hash.get(hash)
        found = self._by_side.get(_key(side))
        return found if found is None or hash in (None, self.hashes[found]) else None

    def pair(self, task: Task) -> Pair | None:
        """The two texts of a task, left and right, where both are here."""
        left = self.number(task.left, task.hashes.get("left"))
        right = self.number(task.right, task.hashes.get("right"))
        return None if left is None or right is None or left == right else (left, right)


def pools_of(collection: Collection, topic: str, protocol: Protocol) -> list[Pool]:
    """The pools of a topic: one of sentences, or one of summaries per length."""
    if protocol.kind != "preference":
        raise UsageError(
            f"{quoted(protocol.name)} is a {protocol.kind} protocol; expected one for preferences"
        )
    if protocol.of == "sentences":
        found = source_sentences(collection.documents.get(topic, ()), collection.settings.language)
        if not found:
            return []
        sides: list[Side] = [
            {"document": place.document, "start": place.start, "end": place.end}
            for place in (sentence.places[0] for sentence in found)
        ]
        return [Pool(topic, tuple(sentence.text for sentence in found), tuple(sides))]
    peers = collection.peers(topic)
    pools = []
    for length in dict.fromkeys(peer.length for peer in peers):
        own = [peer for peer in peers if peer.length == length]
        sides = [{"system": peer.system, "length": length} for peer in own]
        pools.append(Pool(topic, tuple(peer.text for peer in own), tuple(sides)))
    return pools


def pair_in(pools: Iterable[Pool], task: Task) -> tuple[Pool, Pair] | None:
    """Where a task's two texts are; None where they are not, or not as they were."""
    return next(((pool, pair) for pool in pools if (pair := pool.pair(task)) is not None), None)


def texts_of(pools: Sequence[Pool], task: Task) -> tuple[str, str] | None:
    """The two texts that an assessor is to see."""
    found = pair_in(pools, task)
    if found is None:
        return None
    pool, (left, right) = found
    return pool.texts[left], pool.texts[right]


def answers_in(
    pool: Pool, tasks: Iterable[Task], answered: Mapping[str, Mapping[str, Event]]
) -> tuple[Answers, list[Pair]]:
    """What was said of a pool's texts so far, and the pairs that wait for an answer."""
    mine = [(task, pair) for task in tasks if (pair := pool.pair(task))]
    finished = done([task for task, _ in mine], answered)
    waiting = [pair for task, pair in mine if task.id not in finished]
    rows: list[tuple[int, int, float, int]] = []
    people: dict[str, int] = {}
    for task, pair in mine:
        event = answered.get(task.id, {}).get(PREFERENCE)
        if event is not None and event.answer["winner"] in WON:
            who = people.setdefault(event.assessor, len(people))
            rows.append((*pair, WON[event.answer["winner"]], who))
    first, second, won, who_ = np.array(rows, dtype=np.float64).reshape(len(rows), 4).T
    return Answers(len(pool), first, second, won, who=who_), waiting  # type: ignore[arg-type]


def done(tasks: Sequence[Task], answered: Mapping[str, Any]) -> set[str]:
    """The tasks that have an answer: their own, or that of somebody else whose task they became (batches.py)."""
    copied = {content(task) for task in tasks if task.id in answered}
    return {task.id for task in tasks if content(task) in copied}


def content(task: Task) -> tuple[object, ...]:
    """What a task shares with the copy that somebody else answered, and with no other task."""
    return task.topic, task.position, *(json.dumps(side, sort_keys=True) for side in (task.left, task.right))


def _key(side: Side) -> tuple[Any, ...]:
    if "document" in side:
        return "sentence", side["document"], side.get("start"), side.get("end")
    return "summary", side.get("system"), side.get("length")
