"""Simulated assessors fill any protocol from a hidden truth. How one answers: assessor.py; what is true: truth.py.

Every answer's origin is `simulated`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from adjudge.assessors.assessor import Simulated, Sitting, positions
from adjudge.assessors.pyramids import Pyramids
from adjudge.assessors.truth import Truth, truth_from_texts
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.engine import generator
from adjudge.errors import UsageError, nearest, quoted
from adjudge.judgments.assign.tasks import make_tasks
from adjudge.judgments.intake import Item, Taken, take
from adjudge.judgments.protocol import PREFERENCE, UNIT, UNMARKED, Protocol, protocol_of
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Event, Task, TextRef, stable_id

__all__ = ["Simulated", "Truth", "make_tasks", "simulate"]

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
            yield Event(id, task.evaluation, task.id, task.assessor, question, given, origin="simulated")


def _by_name(assessors: Iterable[Simulated]) -> dict[str, Simulated]:
    people: dict[str, Simulated] = {}
    for who in assessors:
        if who.name in people:
            raise UsageError(f"two simulated assessors are named {quoted(who.name)}")
        people[who.name] = who
    return people


def _progress(tasks: Sequence[Task], people: Mapping[str, Simulated]) -> dict[str, float]:
    """How far along an assessor is at each task: 0 at the first, 1 at the last."""
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
    """Tasks with which time the assessor judges the same, by position: a repeat draws anew."""
    seen: Counter[str] = Counter()
    times: dict[str, int] = {}
    for task in sorted(tasks, key=lambda task: task.position):
        what = _subject(task)
        times[task.id] = seen[what]
        seen[what] += 1
    return [(task, times[task.id]) for task in tasks]


def _subject(task: Task) -> str:
    def text(ref: TextRef | None) -> list[Any] | None:
        return None if ref is None else [ref.system, ref.length]

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
    spread = [0.0] if assessors == 1 else [bias * (2 * k / (assessors - 1) - 1) for k in range(assessors)]
    who = [
        Simulated(f"simulated-{k}", bias=own, noise=noise, drift=drift, inconsistency=inconsistency)
        for k, own in enumerate(spread, 1)
    ]
    names = [each.name for each in who]
    with store_of(folder) as store:
        tasks = make_tasks(collection, asked, names, store.evaluation, per_page=per_summary, repeat=repeats)
        known = truth or truth_from_texts(collection, asked)
        events = simulate(tasks, asked, known, who, generator(seed, f"judge/{asked.name}"))
        items: list[Item] = [
            *(("simulated", task) for task in tasks),
            *(("simulated", event) for event in events),
        ]
        return take(folder, store, items)
