"""Tasks, events and acknowledgements, and what a task keeps of the texts that are judged in it.

Judged text is frozen: a task has hashes of what was judged, and a judgment of a text that changed is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import UUID

from adjudge.data import layout
from adjudge.data.rows import Summary, Unit
from adjudge.data.target import Target

if TYPE_CHECKING:
    pass

Origin = Literal["human", "imported", "simulated", "learned", "language-model", "adjudicated"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
JUDGES: tuple[Origin, ...] = ("learned", "language-model")
"""Programs that judge: their answers are kept apart from people's."""
PROGRAMS: tuple[Origin, ...] = ("simulated", *JUDGES)
"""Whoever is no person; simulated assessors stand in for people, to try things out."""

FILE = layout.JUDGMENTS
"""Where a folder keeps its judgments, unless evaluation.toml names a database."""

PENDING = layout.PENDING_EDIT
"""In a folder: what a change of its texts still has to change in the store. Opening the store does it."""

ANONYMOUS = "anonymous"
"""Whoever it was: several people may stand behind this name."""

ORDER_KEY = "order"
"""The store's secret that decides, with a seed, what comes in which order and on which side."""

CROWD = "crowd-anonymous"
"""A crowd of which only positions in a list are known, and no position is a person."""

Answer = Any
"""JSON: what a question was answered with. None takes an answer back: undo is an event too."""


@dataclass(frozen=True, slots=True)
class TextRef:
    """Whose summary of the task's topic, at which length and in which form."""

    system: str
    length: int | None = None
    form: str | None = None

    @classmethod
    def of(cls, text: Summary | Unit) -> TextRef:
        """The summary, or the one that a unit is of."""
        return cls(text.system, *text.target)

    @classmethod
    def named(cls, side: Mapping[str, Any]) -> TextRef:
        """The summary that a side of a pair names."""
        return cls(side.get("system", ""), *Target.of(side))

    @property
    def target(self) -> Target:
        return Target(self.length, self.form)

    @property
    def order(self) -> tuple[str, int, str]:
        """For sorting: by name, what is unset first."""
        return self.system, *self.target.order

    @property
    def parts(self) -> tuple[str | int | None, ...]:
        """What ids are made of."""
        return self.system, *self.target.parts

    def as_dict(self) -> dict[str, Any]:
        """As a record, an answer's digest and a side of a pair have it."""
        return {"system": self.system, **self.target.as_dict()}


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
    """A time, ISO 8601 in UTC, until which nobody else is given the task. Of a task that is somebody's own: when they
    had gone on from it to others, so that what they answered is closed."""
    cancelled: tuple[str, ...] = ()
    """Systems whose summary was withdrawn or removed before anybody had judged it here: nobody is asked any more."""
    asked: Mapping[str, Any] | None = None
    """What is asked of the texts, where the protocol alone does not say it: of a mismatch, which unit, and what
    people and the measure found."""
    renamed: tuple[tuple[str, str, str], ...] = ()
    """Systems that got another name: when, from which, to which. Answers that were saved before have the old one."""


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
        """What must be the same when an id is sent again: all that the sender said."""
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


@dataclass(frozen=True)
class Judged:
    """A task with the answers that count now: the latest of each question, without those taken back."""

    task: Task
    answers: Mapping[str, Event] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Everything that a score computed from it depends on."""
        task = self.task
        answers = {question: event.answer for question, event in sorted(self.answers.items())}
        return {
            "task": task.id,
            "assessor": task.assessor,
            "protocol": [task.protocol, task.version],
            "peer": task.peer and task.peer.as_dict(),
            "reference": task.reference and task.reference.as_dict(),
            "answers": answers,
            **({"left": task.left, "right": task.right} if task.left is not None else {}),
        }

    @property
    def origin(self) -> Origin:
        """Where the answers come from; a task mixes origins only where somebody adjudicated it."""
        origins = {event.origin for event in self.answers.values()}
        return next((origin for origin in reversed(ORIGINS) if origin in origins), "human")


def is_anonymous(assessor: str) -> bool:
    """Whether a name means nobody in particular: `anonymous`, or anything that ends in `-anonymous`."""
    return assessor == ANONYMOUS or assessor.endswith(f"-{ANONYMOUS}")


def stable_id(*parts: str | int | None) -> str:
    """A UUID made of the parts: the same parts give the same id, on every machine."""
    text = "".join("-" if part is None else f"{len(str(part))}:{part}" for part in parts)
    return str(UUID(bytes=blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), version=5))


# What is judged, frozen


def text_hash(text: str) -> str:
    """What a task keeps of a text, to know later whether it changed."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def units_of(units: Iterable[Unit], text: TextRef, kind: str) -> list[Unit]:
    """The units of one summary of a topic, in the order of the text."""
    of_text = [u for u in units if u.system == text.system and u.kind == kind and u.target == text.target]
    return sorted(of_text, key=lambda unit: (unit.start, unit.end))


def units_hash(units: Iterable[Unit]) -> str:
    """A hash of the units' ids and offsets; their texts are part of the summary's."""
    return text_hash("\n".join(f"{unit.id} {unit.start} {unit.end}" for unit in units))
