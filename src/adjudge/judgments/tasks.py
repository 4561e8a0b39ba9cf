"""Tasks, events and acknowledgements: plain data. Where they are kept lives in store.py."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any, Literal, get_args
from uuid import UUID

Origin = Literal["human", "imported", "simulated", "learned", "adjudicated"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)

FILE = "judgments.sqlite"
"""Where a folder keeps its judgments, unless evaluation.toml names a database."""

Answer = Any
"""JSON: what a question was answered with. None takes an answer back: undo is an event too."""


@dataclass(frozen=True, slots=True)
class TextRef:
    """Whose summary of the task's topic, at which length."""

    system: str
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One thing an assessor is to do: judge one peer (against one reference), or choose between two.

    `hashes` are those of the judged texts and their units, by role (peer, reference, peer-units,
    reference-units, left, right): judged text is frozen, and a judgment of a text that changed later is named
    and left out. `repeat_of` marks a planted repeat, which is a task of its own.
    """

    id: str
    evaluation: str
    assessor: str
    protocol: str
    version: str
    topic: str
    peer: TextRef | None = None
    reference: TextRef | None = None
    left: Mapping[str, Any] | None = None
    right: Mapping[str, Any] | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)
    position: int = 0
    phase: int | None = None
    repeat_of: str | None = None
    lease_until: str | None = None
    """A time, ISO 8601 in UTC, until which nobody else is given the task."""


@dataclass(frozen=True, slots=True)
class Event:
    """One saved answer, as it was sent. `seq` and `received_at` are the store's and None before it is stored."""

    id: str
    evaluation: str
    task: str
    assessor: str
    question: str
    answer: Answer
    base: int | None = None
    """The seq of the answer that the sender had seen; None where there was none."""
    origin: Origin = "human"
    client: str | None = None
    client_n: int | None = None
    shown_at: str | None = None
    answered_at: str | None = None
    took_ms: int | None = None
    seq: int | None = None
    received_at: str | None = None

    def content(self) -> str:
        """What must be the same when an id is sent again: everything but what the store adds."""
        fields = (
            self.evaluation,
            self.task,
            self.assessor,
            self.question,
            self.answer,
            self.base,
            self.origin,
            self.client,
            self.client_n,
            self.shown_at,
            self.answered_at,
            self.took_ms,
        )
        return json.dumps(fields, ensure_ascii=False, sort_keys=True, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Ack:
    """That an event is stored. `newer` is the seq of an answer that the sender had not seen, if there was one."""

    id: str
    seq: int
    received_at: str
    newer: int | None = None
    again: bool = False
    """The id was there already: this is the first acknowledgement once more, and nothing was stored."""


def text_hash(text: str) -> str:
    """What a task keeps of a text, to know later whether it changed."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True)
class Judged:
    """A task with the answers that count now: the latest of each question, without those taken back."""

    task: Task
    answers: Mapping[str, Event] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """What a score of it depends on."""
        task = self.task
        answers = {question: event.answer for question, event in sorted(self.answers.items())}
        return {
            "task": task.id,
            "assessor": task.assessor,
            "protocol": [task.protocol, task.version],
            "peer": task.peer and asdict(task.peer),
            "reference": task.reference and asdict(task.reference),
            "answers": answers,
            **({"left": task.left, "right": task.right} if task.left is not None else {}),
        }

    @property
    def origin(self) -> Origin:
        """Where the answers come from; a task mixes origins only where somebody adjudicated it."""
        found = {event.origin for event in self.answers.values()}
        return next((origin for origin in reversed(ORIGINS) if origin in found), "human")


def stable_id(*parts: str | int | None) -> str:
    """A UUID made of the parts: the same parts give the same id, on every machine."""
    text = "".join("-" if part is None else f"{len(str(part))}:{part}" for part in parts)
    return str(UUID(bytes=blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), version=5))
