"""Simulated assessors: their faults are known, and they fill any protocol from a hidden truth.

An answer is where the truth stands on the scale, from 0 to 1, moved by bias and drift, blurred by noise, put to the
nearest choice; and now and then another choice altogether.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np

from adjudge.assessors.truth import Truth, truth_from_texts
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.judgments.assign.planning import make_tasks, missing_tasks
from adjudge.judgments.intake import Item, Taken, take
from adjudge.judgments.protocol import Protocol, protocol_of
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

    def ahead(self, left: float, right: float) -> float:
        """By how much the left of two texts seems better; bias and drift favour it, each is seen with its own noise."""
        blur = self.who.noise * float(self.rng.standard_normal())
        return self.seen(left) - right - blur

    def coin(self) -> bool:
        return bool(self.rng.random() < 0.5)


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
    people: dict[str, Simulated] = {}
    for who in assessors:
        if who.name in people:
            raise UsageError(f"two simulated assessors are named {quoted(who.name)}")
        people[who.name] = who
    todo = list(tasks)
    progress = _progress(todo, people)

    def sit(task: Task, time: int) -> Sitting:
        digest = blake2b(f"{time} {_subject(task)}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        stream = np.random.default_rng([root, int.from_bytes(digest, "big")])
        return Sitting(people[task.assessor], progress[task.id], stream)

    timed = _timed(todo)
    answers = protocol.simulator(truth, sit, timed)
    for task, time in timed:
        for question, answer in answers(task, time):
            protocol.check(question, answer)
            id = stable_id("simulated", root, task.id, question, json.dumps(answer, sort_keys=True))
            yield Event(
                id=id,
                evaluation=task.evaluation,
                task=task.id,
                assessor=task.assessor,
                question=question,
                answer=answer,
                origin="simulated",
            )


def _progress(tasks: Sequence[Task], people: Mapping[str, Simulated]) -> dict[str, float]:
    """The share of an assessor's work done before each task: 0 at the first, 1 at the last."""
    by_assessor: dict[str, list[Task]] = {}
    for task in tasks:
        if task.assessor not in people:
            raise UsageError(
                f"task {quoted(task.id)}: no simulated assessor {quoted(task.assessor)}"
                f"{nearest(task.assessor, people)}"
            )
        by_assessor.setdefault(task.assessor, []).append(task)
    shares: dict[str, float] = {}
    for mine in by_assessor.values():
        ordered = sorted(mine, key=lambda task: task.position)  # stable: equal positions keep their order
        last = max(len(ordered) - 1, 1)
        shares |= {task.id: at / last for at, task in enumerate(ordered)}
    return shares


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
    if (why := asked.why_not_simulated()) is not None:
        raise UsageError(why)
    spread = [0.0] if assessors == 1 else [bias * (2 * k / (assessors - 1) - 1) for k in range(assessors)]
    who = [
        Simulated(f"simulated-{k}", bias=leaning, noise=noise, drift=drift, inconsistency=inconsistency)
        for k, leaning in enumerate(spread, 1)
    ]
    names = [person.name for person in who]
    with store_of(folder) as store:
        made = make_tasks(collection, asked, names, store.evaluation, per_page=per_summary, repeat=repeats)
        tasks = missing_tasks(made, store.tasks(protocol=asked.name, cancelled=True))
        basis = truth or truth_from_texts(collection, asked)
        events = simulate(tasks, asked, basis, who, generator(seed, f"judge/{asked.name}"))
        items: list[Item] = [
            *(("simulated", task) for task in tasks),
            *(("simulated", event) for event in events),
        ]
        return take(folder, store, items)
