"""Tags of mismatches, kept as judgments: a task for each mismatch and person, whose one answer is a list of tags.

A mismatch is a model unit that people call covered and a measure does not, or the reverse. A tag says why (Lin and Hovy
2002, section 6), so it is about the two texts and the direction; it stays when another measure, or other cut-offs, find
the same mismatch. What the person saw is kept in the task (`Task.asked`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, NamedTuple, get_args

from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.words import counted
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import TAGS, Protocol, check_tags
from adjudge.judgments.store.importing import add_all
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import ORDER_KEY, Event, Origin, Task, TextRef, stable_id

MismatchKind = Literal["missed", "credited"]
MISMATCH_KINDS: tuple[MismatchKind, ...] = get_args(MismatchKind)
"""People: all of it, the measure: (nearly) nothing; and people: nothing, the measure: (nearly) all."""

PROTOCOL = "mismatch"


class MismatchKey(NamedTuple):
    """Which mismatch: of which unit of which reference in which summary, and in which direction."""

    topic: str
    peer: TextRef
    reference: TextRef
    unit: str
    kind: str


@dataclass(frozen=True)
class TaggingPage:
    """A mismatch as a person who tags it sees it."""

    key: MismatchKey
    asked: Mapping[str, Any]
    hashes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GivenTags:
    """One person's tags of one mismatch."""

    assessor: str
    tags: tuple[str, ...]
    origin: Origin


@dataclass(frozen=True)
class AssignedTagging:
    """Mismatches that were handed out."""

    tasks: int
    there: int
    assessors: tuple[str, ...]

    def lines(self) -> list[str]:
        lines = [f"{counted(self.tasks, 'mismatch', 'mismatches')} handed out to {', '.join(self.assessors)}"]
        return [*lines, f"{self.there:,} had been handed out before"] if self.there else lines

    def as_dict(self) -> dict[str, Any]:
        return {"tasks": self.tasks, "there": self.there, "assessors": list(self.assessors)}


@dataclass(frozen=True)
class TakenTags:
    """What an import of tags changed."""

    new: int
    changed: int
    taken_back: int
    same: int

    def lines(self) -> list[str]:
        lines = [
            f"{counted(self.new, 'mismatch', 'mismatches')} tagged, {self.changed:,} tagged otherwise than before,"
            f" tags of {self.taken_back:,} taken back"
        ]
        return [*lines, f"tags of {counted(self.same, 'row')} were there already"] if self.same else lines

    def as_dict(self) -> dict[str, Any]:
        return {"new": self.new, "changed": self.changed, "taken_back": self.taken_back, "same": self.same}


def mismatch_key(task: Task) -> MismatchKey | None:
    """The mismatch that a task asks about; None for any other task."""
    asked = task.asked if isinstance(task.asked, Mapping) else {}  # a store may hold what strangers wrote
    if task.peer is None or task.reference is None or asked.get("kind") not in MISMATCH_KINDS:
        return None
    return MismatchKey(task.topic, task.peer, task.reference, str(asked.get("unit")), asked["kind"])


def given_tags(judgments: Judgments) -> dict[MismatchKey, list[GivenTags]]:
    """The tags that count now, by mismatch; people by name."""
    by_mismatch: dict[MismatchKey, list[GivenTags]] = {}
    for judged in judgments.tagged():
        key, event = mismatch_key(judged.task), judged.answers.get(TAGS)
        if key is not None and event is not None and _are_tags(event.answer):
            tags = GivenTags(event.assessor, tuple(event.answer["tags"]), event.origin)
            by_mismatch.setdefault(key, []).append(tags)
    return {key: sorted(answers, key=lambda tags: tags.assessor) for key, answers in by_mismatch.items()}


def _are_tags(answer: Any) -> bool:
    try:
        check_tags(answer["tags"])
    except (DataError, TypeError, KeyError):
        return False
    return True


def assign_tagging(
    store: Store, protocol: Protocol, pages: Sequence[TaggingPage], assessors: Sequence[str]
) -> AssignedTagging:
    """Give every mismatch to every one of these people to tag, in random order, after what they have to do already."""
    if not assessors:
        raise UsageError("nobody is named who is to tag the mismatches")
    check_people(store, assessors)
    tasks_there = _tasks(store, protocol)
    taken = {task.id for task in tasks_there.values()}
    tasks: list[Task] = []
    for assessor in dict.fromkeys(assessors):
        position = 1 + max((task.position for task in store.tasks(assessor=assessor)), default=-1)
        new = [page for page in pages if (assessor, page.key) not in tasks_there]
        rng = generator(
            0, f"tagging/{protocol.name}/{assessor}", len(tasks_there), key=store.secret(ORDER_KEY)
        )
        for number, page in enumerate(new[i] for i in rng.permutation(len(new))):
            task = _task(store, protocol, assessor, page, position + number, taken)
            tasks.append(task)
    add_all(store, tasks, [])
    named = tuple(dict.fromkeys(assessors))
    return AssignedTagging(tasks=len(tasks), there=len(pages) * len(named) - len(tasks), assessors=named)


def check_people(store: Store, names: Iterable[str]) -> None:
    """Whoever tags, in the browser or in a table, is somebody the folder knows: a slip of the pen is no new person."""
    people = [person.id for person in store.people.all()]
    for name in names:
        if name not in people:
            raise DataError(
                f"no person {quoted(name)}{nearest(name, people)}; add them with: adjudge people add"
            )


def take_tags(
    store: Store, protocol: Protocol, rows: Iterable[tuple[str, TaggingPage, tuple[str, ...]]]
) -> TakenTags:
    """Store tags that somebody gave outside of the app: who, of what, which. No tags take back what was given.

    Each changes that person's answer alone, and what they answered before stays in the history.
    """
    tasks_there = _tasks(store, protocol)
    taken = {task.id for task in tasks_there.values()}
    now = {
        judged.task.id: judged.answers[TAGS]
        for judged in store.current()
        if TAGS in judged.answers and _are_tags(judged.answers[TAGS].answer)
    }
    tasks: list[Task] = []
    events: list[Event] = []
    counts = dict.fromkeys(("new", "changed", "taken_back", "same"), 0)
    for assessor, page, tags in rows:
        task = tasks_there.get((assessor, page.key))
        before = None if task is None else now.get(task.id)
        was = () if before is None else tuple(before.answer["tags"])
        if was == tags:
            counts["same"] += bool(tags)
            continue
        if tags:
            check_tags(list(tags))
        counts["taken_back" if not tags else "changed" if was else "new"] += 1
        if task is None:
            task = _task(store, protocol, assessor, page, 0, taken)
            tasks_there[assessor, page.key] = task
            tasks.append(task)
        seen = None if before is None else before.seq
        events.append(
            Event(
                id=stable_id("tags", task.id, json.dumps(tags), seen),
                evaluation=store.evaluation,
                task=task.id,
                assessor=assessor,
                question=TAGS,
                answer={"tags": list(tags)} if tags else None,
                base=seen,
                origin="imported",
            )
        )
    add_all(store, tasks, events)
    return TakenTags(**counts)


def _tasks(store: Store, protocol: Protocol) -> dict[tuple[str, MismatchKey], Task]:
    """The tasks that are there, found by what they ask: names may have changed since their ids were made."""
    tasks = store.tasks(protocol=protocol.name, cancelled=True)
    keyed = ((task, mismatch_key(task)) for task in tasks)
    return {(task.assessor, key): task for task, key in keyed if key is not None}


def _task(
    store: Store, protocol: Protocol, assessor: str, page: TaggingPage, position: int, taken: set[str]
) -> Task:
    """A task of its own id: one of a system that has another name now may have the id that this one would have."""
    key = page.key
    parts = (assessor, key.topic, *key.peer.parts, *key.reference.parts, key.unit, key.kind)
    ids = (stable_id("mismatch", protocol.name, *parts, number) for number in count())
    task_id = next(id for id in ids if id not in taken)
    taken.add(task_id)
    return Task(
        id=task_id,
        evaluation=store.evaluation,
        assessor=assessor,
        protocol=protocol.name,
        version=protocol.version,
        topic=key.topic,
        peer=key.peer,
        reference=key.reference,
        hashes=page.hashes,
        position=position,
        asked={**page.asked, "unit": key.unit, "kind": key.kind},
    )


def check_kind(kind: str) -> MismatchKind:
    for mismatch_kind in MISMATCH_KINDS:
        if kind == mismatch_kind:
            return mismatch_kind
    raise UsageError(f"kind is {quoted(kind)}, expected one of: {', '.join(MISMATCH_KINDS)}")
