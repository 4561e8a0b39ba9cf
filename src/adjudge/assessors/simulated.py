"""Simulated assessors: their faults are known, and they fill any protocol from a hidden truth.

An answer is where the truth stands on the scale, from 0 to 1, moved by bias and drift, blurred by noise, put to the
nearest choice; and now and then another choice altogether.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np

from adjudge.assessors.truth import Truth, truth_from_texts
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.judgments.assign.planning import make_tasks, missing_tasks
from adjudge.judgments.intake import Item, Taken, take
from adjudge.judgments.protocol import (
    PREFERENCE,
    PYRAMID,
    PYRAMID_PEER,
    UNIT,
    UNMARKED,
    Protocol,
    Value,
    protocol_of,
)
from adjudge.judgments.pyramid import UNMATCHED, Contributor, Expressed, PeerAnnotation, Pyramid
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Event, Task, TextRef, stable_id

T = TypeVar("T")
NEAR = 1e-9
"""Two choices are equally near when their distances differ by less."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """An assessor whose faults are known. All are shares of a scale's length, whatever the scale.

    bias            added to every answer, towards the high end of the scale; in a preference, to the left side
    noise           standard deviation around the truth, drawn anew for every answer
    drift           added little by little: nothing at the first task, all of it at the last
    inconsistency   probability that an answer is another choice, any of the others
    """

    name: str
    bias: float = 0.0
    noise: float = 0.1
    drift: float = 0.0
    inconsistency: float = 0.0

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("a simulated assessor needs a name")
        for option, value, low, high in (
            ("bias", self.bias, -1, 1),
            ("noise", self.noise, 0, 10),
            ("drift", self.drift, -1, 1),
            ("inconsistency", self.inconsistency, 0, 1),
        ):
            if not low <= value <= high:  # a NaN is nowhere
                raise UsageError(
                    f"{self.name}: {option} is {value:g}, expected a number from {low} to {high}"
                )


@dataclass(frozen=True)
class Sitting:
    """An assessor at one task: how much of the work is done, and a random generator for this task."""

    who: Simulated
    progress: float
    rng: np.random.Generator

    def seen(self, truth: float) -> float:
        """The truth as the assessor perceives it."""
        moved = truth + self.who.bias + self.who.drift * self.progress
        return moved + self.who.noise * float(self.rng.standard_normal())

    def choose(self, truth: float, positions: Sequence[float]) -> int:
        """The nearest of some choices, given their positions on the scale; of two equally near ones the higher."""
        seen = self.seen(truth)
        distances = [abs(seen - position) for position in positions]
        near = [at for at, distance in enumerate(distances) if distance <= min(distances) + NEAR]
        return self.slip(max(near, key=lambda at: positions[at]), len(positions))

    def slip(self, chosen: int, choices: int) -> int:
        """The choice that was meant, or with the probability of inconsistency another one."""
        if choices < 2 or self.rng.random() >= self.who.inconsistency:
            return chosen
        return int((chosen + 1 + self.rng.integers(choices - 1)) % choices)

    def pick(self, things: Sequence[T]) -> T:
        return things[int(self.rng.integers(len(things)))]


def positions(values: Sequence[Value]) -> list[float]:
    """The positions of choices on their scale, from 0 to 1: by their numbers, or in the order of the protocol."""
    if len(values) < 2:
        return [0.0 for _ in values]
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return [at / (len(values) - 1) for at in range(len(values))]
    low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) for number in numbers]


Sit = Callable[[Task, int], Sitting]
NO_YES = (0.0, 1.0)


class Pyramids:
    """Answers to the tasks of a pyramid protocol. Peers are compared with the assessor's own pyramid, if any."""

    def __init__(self, truth: Truth, sit: Sit, tasks: Iterable[tuple[Task, int]]):
        """Builds every pyramid before the peers, wherever its task stands. Of several the first one counts."""
        self._truth = truth
        self._sit = sit
        self._own: dict[tuple[str, str], Pyramid] = {}
        self._of_task: dict[str, Pyramid] = {}
        for task, time in tasks:
            if task.peer is None:
                found = built(sit(task, time), self._true(task))
                self._of_task[task.id] = found
                self._own.setdefault((task.assessor, task.topic), found)

    def answers(self, task: Task, time: int) -> Iterator[tuple[str, Any]]:
        if task.peer is None:
            yield PYRAMID, self._of_task[task.id].to_answer()
            return
        annotation = self._truth.annotations.get((task.topic, task.peer))
        if annotation is None:
            raise DataError(
                f"task {quoted(task.id)}: nothing is known of what {quoted(task.peer.system)} expresses"
                f" of {quoted(task.topic)}"
            )
        pyramid = self._own.get((task.assessor, task.topic)) or self._true(task)
        yield PYRAMID_PEER, annotated(self._sit(task, time), annotation, pyramid).to_answer()

    def _true(self, task: Task) -> Pyramid:
        if task.topic not in self._truth.pyramids:
            raise DataError(f"task {quoted(task.id)}: {quoted(task.topic)} has no true pyramid")
        return self._truth.pyramids[task.topic]


def built(sitting: Sitting, true: Pyramid) -> Pyramid:
    """A pyramid as an assessor builds it: contributors that are overlooked are not in it."""
    scus = (
        replace(scu, contributors=tuple(c for c in scu.contributors if sitting.choose(1.0, NO_YES)))
        for scu in true.scus
    )
    return replace(true, scus=tuple(scu for scu in scus if scu.contributors))


def annotated(sitting: Sitting, true: PeerAnnotation, pyramid: Pyramid) -> PeerAnnotation:
    """What an assessor finds in a peer. What is overlooked matches nothing; what is seen wrongly is put somewhere."""
    said = {scu.uid: scu for scu in true.scus if scu.contributors}
    rest = [c for uid, scu in said.items() if uid not in pyramid.weights for c in scu.contributors]
    places = [contributor for scu in said.values() for contributor in scu.contributors]
    found: list[Expressed] = []
    for uid in pyramid.weights:
        seen = bool(sitting.choose(float(uid in said), NO_YES))
        if seen and uid in said:
            found.append(said[uid])
        elif seen and places:
            found.append(Expressed(uid, (sitting.pick(places),)))
        elif uid in said:
            rest += said[uid].contributors
    if rest:
        found.append(Expressed(UNMATCHED, _distinct(rest)))
    return PeerAnnotation(true.text, tuple(found), pyramid.digest())


def _distinct(contributors: list[Contributor]) -> tuple[Contributor, ...]:
    return tuple(dict.fromkeys(contributors))


TIE = 0.05
"""Sides that seem to differ by less are a tie, where a protocol has ties."""


def simulate(
    tasks: Iterable[Task],
    protocol: Protocol,
    truth: Truth,
    assessors: Iterable[Simulated],
    rng: np.random.Generator,
) -> Iterator[Event]:
    """Every task answered, question by question, in the order of the tasks.

    What an assessor draws for a task depends on the generator's first number, the assessor and what is judged, not on
    the other tasks: the same seed gives the same answers. Drift follows the tasks' positions.
    """
    root = int(rng.integers(2**63))
    people = _by_name(assessors)
    todo = list(tasks)
    progress = _progress(todo, people)

    def sit(task: Task, time: int) -> Sitting:
        return _sit(people[task.assessor], progress[task.id], root, task, time)

    timed = _timed(todo)
    pyramids = Pyramids(truth, sit, timed) if protocol.kind == "pyramid" else None
    for task, time in timed:
        if pyramids is not None:
            answers = pyramids.answers(task, time)
        else:
            answers = _answers(sit(task, time), task, protocol, truth)
        for question, given in answers:
            protocol.check(question, given)
            id = stable_id("simulated", root, task.id, question, json.dumps(given, sort_keys=True))
            yield Event(
                id=id,
                evaluation=task.evaluation,
                task=task.id,
                assessor=task.assessor,
                question=question,
                answer=given,
                origin="simulated",
            )


def _by_name(assessors: Iterable[Simulated]) -> dict[str, Simulated]:
    people: dict[str, Simulated] = {}
    for who in assessors:
        if who.name in people:
            raise UsageError(f"two simulated assessors are named {quoted(who.name)}")
        people[who.name] = who
    return people


def _progress(tasks: Sequence[Task], people: Mapping[str, Simulated]) -> dict[str, float]:
    """The share of an assessor's work done before each task: 0 at the first, 1 at the last."""
    own: dict[str, list[Task]] = {}
    for task in tasks:
        if task.assessor not in people:
            raise UsageError(
                f"task {quoted(task.id)}: no simulated assessor {quoted(task.assessor)}"
                f"{nearest(task.assessor, people)}"
            )
        own.setdefault(task.assessor, []).append(task)
    found: dict[str, float] = {}
    for mine in own.values():
        ordered = sorted(mine, key=lambda task: task.position)  # stable: equal positions keep their order
        last = max(len(ordered) - 1, 1)
        found |= {task.id: at / last for at, task in enumerate(ordered)}
    return found


def _timed(tasks: Sequence[Task]) -> list[tuple[Task, int]]:
    """Tasks, each with how often the assessor has judged the same before, by position: a repeat draws anew."""
    seen: Counter[str] = Counter()
    times: dict[str, int] = {}
    for task in sorted(tasks, key=lambda task: task.position):
        what = _subject(task)
        times[task.id] = seen[what]
        seen[what] += 1
    return [(task, times[task.id]) for task in tasks]


def _subject(task: Task) -> str:
    def text(ref: TextRef | None) -> list[Any] | None:
        return None if ref is None else list(ref.parts)

    parts = [task.assessor, task.topic, text(task.peer), text(task.reference), task.left, task.right]
    return json.dumps(parts, sort_keys=True)


def _sit(who: Simulated, progress: float, root: int, task: Task, time: int) -> Sitting:
    digest = blake2b(f"{time} {_subject(task)}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    stream = np.random.default_rng([root, int.from_bytes(digest, "big")])
    return Sitting(who, progress, stream)


def _answers(sitting: Sitting, task: Task, protocol: Protocol, truth: Truth) -> Iterator[tuple[str, Any]]:
    if protocol.kind == "preference":
        yield PREFERENCE, {"winner": _winner(sitting, task, protocol, truth)}
        return
    if protocol.kind == "coverage":
        yield from _coverage(sitting, task, protocol, truth)
    for question in protocol.questions:
        level = truth.level(task, question.id.partition(":")[2])
        chosen = sitting.choose(level, positions(question.values))
        yield question.id, {"value": question.values[chosen]}


def _coverage(sitting: Sitting, task: Task, protocol: Protocol, truth: Truth) -> Iterator[tuple[str, Any]]:
    """Every model unit, then the units that were never marked."""
    assert protocol.completeness is not None
    scale = [float(value) for value in protocol.completeness.values]  # shares, checked when the file was read
    own = truth.units_of_peer(task)
    left = set(own)
    for id, unit in truth.page(task).items():
        chosen = scale[sitting.choose(unit.completeness, scale)] if own else 0.0
        marked = list(unit.marked) or [sitting.pick(own)] if chosen else []
        left.difference_update(marked)
        yield f"{UNIT}{id}", {"marked": marked, "completeness": chosen}
    choices = [choice.value for choice in protocol.unmarked_choices(len(left))]
    if choices:
        share = len(left & truth.relevant_of(task)) / len(left)
        shares = [float(value) for value in choices]
        yield UNMARKED, {"relevant": choices[sitting.choose(share, shares)]}


def _winner(sitting: Sitting, task: Task, protocol: Protocol, truth: Truth) -> str:
    """The side that seems better. Bias and drift favour the left; each side is seen with noise of its own."""
    blur = sitting.who.noise * float(sitting.rng.standard_normal())
    ahead = sitting.seen(truth.worth_of(task, task.left)) - truth.worth_of(task, task.right) - blur
    winners = ["left", "right", "tie"] if protocol.tie else ["left", "right"]
    if protocol.tie and abs(ahead) < TIE:
        chosen = 2
    else:
        chosen = 0 if ahead > 0 or (ahead == 0 and sitting.rng.random() < 0.5) else 1
    return winners[sitting.slip(chosen, len(winners))]


def simulate_judgments(
    folder: Folder,
    collection: Collection,
    protocol: str | None = None,
    *,
    assessors: int = 3,
    per_summary: int | None = None,
    noise: float = 0.1,
    bias: float = 0.0,
    drift: float = 0.0,
    inconsistency: float = 0.0,
    repeats: float = 0.0,
    seed: int = 0,
    truth: Truth | None = None,
) -> Taken:
    """Have simulated assessors fill a protocol; without a `truth` it is what the texts share.

    Biases are spread evenly from -bias to bias over the assessors.
    """
    asked = protocol_of(folder, protocol)
    if asked.kind == "mismatch":
        raise UsageError(f"{asked.name} tags mismatches, which simulated assessors do not")
    spread = [0.0] if assessors == 1 else [bias * (2 * k / (assessors - 1) - 1) for k in range(assessors)]
    who = [
        Simulated(f"simulated-{k}", bias=own, noise=noise, drift=drift, inconsistency=inconsistency)
        for k, own in enumerate(spread, 1)
    ]
    names = [each.name for each in who]
    with store_of(folder) as store:
        made = make_tasks(collection, asked, names, store.evaluation, per_page=per_summary, repeat=repeats)
        tasks = missing_tasks(made, store.tasks(protocol=asked.name, cancelled=True))
        known = truth or truth_from_texts(collection, asked)
        events = simulate(tasks, asked, known, who, generator(seed, f"judge/{asked.name}"))
        items: list[Item] = [
            *(("simulated", task) for task in tasks),
            *(("simulated", event) for event in events),
        ]
        return take(folder, store, items)
