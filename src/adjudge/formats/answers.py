"""What readers of judgments share: tasks and answers with stable ids, and cells as answers to a protocol.

Ids are made of what is imported (`stable_id`), so that importing the same file twice stores it once. A task's id says
who judged what, an event's id also what was answered: a corrected file becomes a later answer to the same task.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.data.incoming import LeftOut
from adjudge.formats.files import Place
from adjudge.judgments.kinds import need_kind
from adjudge.judgments.protocol import RATING, Protocol, load_protocol
from adjudge.judgments.tasks import Event, Task, TextRef, stable_id

if TYPE_CHECKING:
    from adjudge.judgments.intake import Item

NO_ANSWER = LeftOut("no answer")
STRANGE_ANSWER = LeftOut("answer that is none of the protocol's choices")
MISSING = ("", "-", "--", ".", "na", "n/a", "nan", "none", "null")
"""How tables write that there is nothing, in lower case."""

Side = Mapping[str, Any]


@dataclass(frozen=True)
class Judgment:
    """Who judged what. `time` says which time it was, from 0; None counts as the rows come."""

    assessor: str
    topic: str
    peer: TextRef | None = None
    reference: TextRef | None = None
    left: Side | None = None
    right: Side | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)
    time: int | None = None

    def key(self, protocol: str) -> str:
        """The same for every time that the assessor judged this."""
        parts: list[str | int | None] = []
        for text in (self.peer, self.reference):
            parts += (None, None) if text is None else text.parts
        for side in (self.left, self.right):
            parts.append(None if side is None else json.dumps(side, sort_keys=True))
        return stable_id("judged", protocol, self.assessor, self.topic, *parts)


@dataclass
class ImportedAnswers:
    """One import's answers to one protocol. An answer that comes a second time is a repeat, a task of its own."""

    evaluation: str
    protocol: Protocol
    _times: Counter[tuple[str, str]] = field(default_factory=Counter)
    _tasks: set[str] = field(default_factory=set)

    def items(self, place: Place | str, judgment: Judgment, answers: Mapping[str, Any]) -> Iterator[Item]:
        """The task where it is new, and an event per question; before the first, a protocol of one's own."""
        if self.protocol.source and not self._tasks:
            yield str(place), self.protocol
        key = judgment.key(self.protocol.name)
        for question, answer in answers.items():
            time = judgment.time if judgment.time is not None else self._times[key, question]
            self._times[key, question] += 1
            task = self._task(judgment, key, time)
            for needed in (self._task(judgment, key, 0), task):  # a repeat repeats something, answered or not
                if needed.id not in self._tasks:
                    self._tasks.add(needed.id)
                    yield str(place), needed
            id = stable_id(task.id, question, json.dumps(answer, sort_keys=True))
            event = Event(
                id=id,
                evaluation=self.evaluation,
                task=task.id,
                assessor=task.assessor,
                question=question,
                answer=answer,
                origin="imported",
            )
            yield str(place), event

    def _task(self, judgment: Judgment, key: str, time: int) -> Task:
        """Its position is the time, so that repeats stand behind what they repeat."""
        return Task(
            id=stable_id(key, time),
            evaluation=self.evaluation,
            assessor=judgment.assessor,
            protocol=self.protocol.name,
            version=self.protocol.version,
            topic=judgment.topic,
            peer=judgment.peer,
            reference=judgment.reference,
            left=judgment.left,
            right=judgment.right,
            hashes=judgment.hashes,
            position=time,
            repeat_of=stable_id(key, 0) if time else None,
        )


def protocol_of_kind(name: str, *kinds: type[Protocol]) -> Protocol:
    """A protocol that an importer can fill."""
    protocol = load_protocol(name)
    need_kind(protocol, *kinds, called=name)
    return protocol


def aspect_question(protocol: Protocol, aspect: str) -> str:
    """The id of a rating's question, which the protocol must have."""
    id = f"{RATING}{aspect}"
    if id not in (question.id for question in protocol.questions):
        aspects = [question.id.removeprefix(RATING) for question in protocol.questions]
        raise UsageError(
            f"{protocol.name} has no aspect {quoted(aspect)}{nearest(aspect, aspects)}; it has: {', '.join(aspects)}."
            f" Name your own in a protocol file ({Argument('protocol', 'FILE.toml')})"
        )
    return id


def rating(protocol: Protocol, question: str, text: str) -> dict[str, Any] | LeftOut:
    """What a cell says, as an answer: one of the choices, by value or by label."""
    if text.strip().lower() in MISSING:
        return NO_ANSWER
    answer = {"value": value_of(protocol, question, text.strip())}
    try:
        protocol.check(question, answer)
    except DataError:
        return STRANGE_ANSWER
    return answer


def value_of(protocol: Protocol, question: str, text: str) -> float | int | str:
    """A number where the cell is one; the value of the choice where it is a label."""
    for choice in protocol.question(question).choices:
        if text.lower() == choice.label.lower():
            return whole(choice.value) if isinstance(choice.value, int | float) else choice.value
    try:
        return whole(float(text))
    except ValueError:
        return text


def whole(value: float) -> float | int:
    """4 rather than 4.0, so that the same answer is written the same way whatever the table."""
    return int(value) if float(value).is_integer() else value
