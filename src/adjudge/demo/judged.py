"""The demo's judgments: pyramids from its facts, and simulated assessors whose truth they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from adjudge.assessors.preferences import SimulatedPreferences
from adjudge.assessors.simulated import Simulated, simulate
from adjudge.assessors.truth import Truth, truth_from_pyramids
from adjudge.core.engine import generator
from adjudge.data.collection import Collection
from adjudge.data.target import Target
from adjudge.demo.build import (
    AUTHOR,
    EXTRACT,
    EXTRACTOR,
    FORM,
    LENGTH,
    WRITERS,
    Story,
    stories,
    targets,
)
from adjudge.demo.pyramids import (
    peer_annotations,
    pyramid_from_facts,
    pyramid_from_units,
    pyramid_judgments,
)
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.intake import Item, Taken
from adjudge.judgments.pairs.sample import SamplePlan, new_pairs
from adjudge.judgments.protocol import Protocol, load_protocol
from adjudge.judgments.pyramid import PeerAnnotation, Pyramid
from adjudge.judgments.tasks import Event, Task, TextRef, units_of

PROTOCOL, RATINGS, PAIRS = "duc-2002", "responsiveness", "preference-summaries"
ASSESSORS, NOISE, BIAS, REPEATS = 3, 0.1, 0.1, 0.1
"""What is planted: three assessors, one 10 % too strict, one 10 % too mild, all a little noisy, a tenth asked twice."""
JUDGED_AGAINST = (AUTHOR, EXTRACTOR)
"""The references of 100 words that peers of the full demo are compared with; their writers, with the next one."""
SENTENCE_PAIRS, SUMMARY_PAIRS, PER_PAIR = 40, 20, 2
"""Pairs asked per topic, and how many assessors answer each; one leans to the left side, one to the right."""


@dataclass(frozen=True)
class DemoJudgments:
    """What the assessors were asked. Pairs and ratings are of the full demo alone."""

    pyramids: Taken
    pages: Taken
    sentences: SimulatedPreferences | None = None
    summaries: Taken | None = None
    ratings: Taken | None = None


def add_judgments(e: Evaluation, *, seed: int = 1, full: bool = False) -> DemoJudgments:
    """Units, pyramids, and pages of simulated assessors; always marked as simulated."""
    e.units(levels=full)
    with e.store() as store:
        evaluation = store.evaluation
    pyramids = e.take_judgments(pyramid_judgments(evaluation, seed=seed, full=full))
    if not full:
        return DemoJudgments(
            pyramids=pyramids,
            pages=e.simulate_judgments(
                PROTOCOL,
                assessors=ASSESSORS,
                noise=NOISE,
                bias=BIAS,
                repeats=REPEATS,
                seed=seed,
                truth=truth(e),
            ),
        )
    facts = truth(e, protocol=RATINGS, full=True)
    kept = {
        topic: [s for s in summaries if s.length == LENGTH]
        for topic, summaries in e.collection.summaries.items()
    }
    usual = replace(e.collection, summaries=kept)
    sentences = e.prefer.simulate(
        "py", assessors=ASSESSORS, count=SENTENCE_PAIRS, per_pair=PER_PAIR, noise=NOISE, seed=seed
    )
    return DemoJudgments(
        pyramids=pyramids,
        sentences=sentences,
        summaries=_judge_pairs(e, usual, facts, seed),
        ratings=_judge_some(e, usual, RATINGS, facts, seed),
        pages=_judge_some(e, e.collection, PROTOCOL, truth(e, full=True), seed),  # the most by far, so last
    )


def _judge_some(e: Evaluation, collection: Collection, protocol: str, facts: Truth, seed: int) -> Taken:
    """As `_judge`, but for what would make the full demo slow without showing more."""
    asked, people = load_protocol(protocol), _people()
    with e.store() as store:
        made = make_tasks(collection, asked, [who.name for who in people], store.evaluation, repeat=REPEATS)
    tasks = [task for task in made if _is_asked(task, people)]
    events = simulate(tasks, asked, facts, people, generator(seed, f"judge/{protocol}"))
    return _taken(e, tasks, events)


def _taken(e: Evaluation, tasks: Sequence[Task], events: Iterable[Event]) -> Taken:
    items: list[Item] = [("simulated", task) for task in tasks]
    return e.take_judgments([*items, *(("simulated", event) for event in events)])


def _is_asked(task: Task, people: Sequence[Simulated]) -> bool:
    """Pages of 100 words against two references, by all assessors; of other lengths by the strict and the mild one."""
    if task.peer is None or task.reference is None:
        return True
    if task.reference.length != LENGTH:
        return task.assessor != people[1].name
    others = [who for who in WRITERS if who != task.peer.system]
    chosen = [who for who in JUDGED_AGAINST if who in others]
    chosen += [who for who in others if who not in chosen][: len(JUDGED_AGAINST) - len(chosen)]
    return task.reference.system in chosen


def _people() -> list[Simulated]:
    """The strict one, the fair one and the mild one; in a pair the one leans to the right, the other to the left."""
    return [
        Simulated(f"simulated-{number}", noise=NOISE, bias=bias)
        for number, bias in enumerate((-BIAS, 0.0, BIAS), 1)
    ]


def _judge_pairs(e: Evaluation, collection: Collection, facts: Truth, seed: int) -> Taken:
    """Some pairs of summaries of every topic, a tenth of them once more with the sides exchanged."""
    asked, people = load_protocol(PAIRS), _people()
    plan = SamplePlan(
        count=SUMMARY_PAIRS,
        assessors=tuple(person.name for person in people),
        per_pair=PER_PAIR,
        repeats=REPEATS,
        seed=seed,
    )
    with e.store() as store:
        tasks, _ = new_pairs(collection, store, asked, plan)
    events = simulate(tasks, asked, facts, people, generator(seed, f"judge/{PAIRS}"))
    return _taken(e, tasks, events)


def truth(e: Evaluation, *, protocol: str = PROTOCOL, full: bool = False) -> Truth:
    """What the simulated assessors know: which facts every summary of the demo expresses."""
    told, asked, usual = stories(full=full), load_protocol(protocol), Target(LENGTH, FORM if full else None)
    pyramids = {story["topic"]: pyramid_from_facts(story, usual.form) for story in told}
    annotations = {
        (story["topic"], TextRef(system, *usual)): annotation
        for story in told
        for system, annotation in peer_annotations(
            story, pyramids[story["topic"]], _texts(e, story, usual)
        ).items()
    }
    facts = truth_from_pyramids(e.collection, asked, pyramids, annotations)
    others = {target for story in told for target in targets(story, full=full)} - {usual}
    for target in sorted(others, key=lambda target: target.order):
        other = _truth_at(e, asked, told, target)
        facts = replace(
            facts,
            units={**facts.units, **other.units},
            relevant={**facts.relevant, **other.relevant},
            levels={**facts.levels, **other.levels},
            worth={**facts.worth, **other.worth},
        )
    return facts


def _texts(e: Evaluation, story: Story, target: Target) -> dict[str, str]:
    return {s.system: s.text for s in e.collection.summaries[story["topic"]] if s.target == target}


def _truth_at(e: Evaluation, asked: Protocol, told: Sequence[Story], target: Target) -> Truth:
    """Of another length or form: the facts of its one reference, as shared words tell."""
    who = EXTRACTOR if target.form == EXTRACT else AUTHOR
    pyramids: dict[str, Pyramid] = {}
    annotations: dict[tuple[str, TextRef], PeerAnnotation] = {}
    for story in told:
        if target not in targets(story, full=True):
            continue
        topic, written = story["topic"], _texts(e, story, target)
        units = units_of(e.collection.units[topic], TextRef(who, *target), "edu")
        with_facts, pyramids[topic] = pyramid_from_units(story, who, written[who], units)
        for system, annotation in peer_annotations(with_facts, pyramids[topic], written).items():
            annotations[topic, TextRef(system, *target)] = annotation
    return truth_from_pyramids(e.collection, asked, pyramids, annotations)
