"""A small evaluation in which it is known what people and a measure call every unit; no tests here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from adjudge.data.rows import Row, Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.protocol import UNIT
from adjudge.judgments.tasks import Event, Task, stable_id, units_of

REFERENCE = "Engineers inspected bridges. Crashes happened everywhere. Ministers resigned yesterday."
UNITS = ("Engineers inspected bridges.", "Crashes happened everywhere.", "Ministers resigned yesterday.")
COPY = "Engineers inspected bridges. Crashes happened everywhere. Ministers resigned yesterday."
OTHER = "F-16S CRASH IN MID-AIR. A minister stepped down."
HALF = "Engineers inspected dams. Nobody resigned yesterday."
PEERS = {"copy": COPY, "other": OTHER, "half": HALF}

Said = Mapping[tuple[str, str], float | Sequence[float]]
"""By system and first word of the unit: what every assessor said, or each of them."""


def rows(
    topics: Sequence[str],
    peers: Mapping[str, str],
    lengths: Sequence[int | None] = (None,),
    forms: Sequence[str | None] = (None,),
) -> list[Row]:
    found: list[Row] = [System("writer", kind="human"), *(System(name, kind="machine") for name in peers)]
    found += [Topic(topic) for topic in topics]
    for topic, n, form in product(topics, lengths, forms):
        found.append(Summary(topic, "writer", REFERENCE, n, ("reference",), form=form))
        found += [Summary(topic, name, text, n, ("peer",), form=form) for name, text in peers.items()]
    return found


def make(
    path: Path,
    said: Said,
    *,
    topics: Sequence[str] = ("t1",),
    assessors: Sequence[str] = ("ann",),
    peers: Mapping[str, str] = PEERS,
    protocol: str | Sequence[str] = "duc-2001",
    repeats: float = 0.0,
    lengths: Sequence[int | None] = (None,),
    forms: Sequence[str | None] = (None,),
) -> Evaluation:
    """Every assessor judges every summary: 0 of every unit, but for what is said; in planted repeats the reverse."""
    evaluation = Evaluation.init(path, name="planted")
    evaluation.take(("test", row) for row in rows(topics, peers, lengths, forms))
    evaluation.units()
    with evaluation.store() as store:
        for person in assessors:
            store.accounts.add(person)
        for each in (protocol,) if isinstance(protocol, str) else protocol:
            assign(
                store,
                evaluation.collection,
                evaluation.protocol(each),
                assessors=assessors,
                per_summary=len(assessors),
                repeats=repeats,
                seed=1,
            )
        for task in store.tasks():
            store.append(list(_answers(evaluation, task, said, assessors)))
    return Evaluation.open(path)


def _answers(evaluation: Evaluation, task: Task, said: Said, assessors: Sequence[str]) -> list[Event]:
    assert task.reference is not None
    assert task.peer is not None
    protocol = evaluation.protocol(task.protocol)
    units = evaluation.collection.units[task.topic]
    first = units_of(units, task.peer, protocol.peer_units)[:1]
    found = []
    for unit in units_of(units, task.reference, protocol.model_units):
        value = said.get((task.peer.system, unit.text.split()[0]), 0.0)
        own = value if isinstance(value, float | int) else value[list(assessors).index(task.assessor)]
        own = 1 - own if task.repeat_of is not None else own
        answer = {"marked": [each.id for each in first] if own else [], "completeness": float(own)}
        found.append(
            Event(
                id=stable_id("test", task.id, unit.id),
                evaluation=task.evaluation,
                task=task.id,
                assessor=task.assessor,
                question=f"{UNIT}{unit.id}",
                answer=answer,
            )
        )
    return found
