"""A learned judge as an assessor: it answers every model unit of a coverage protocol, and says from what."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.assessors.cards import JudgeCard, read_cards, write_card
from adjudge.assessors.learned.features import (
    Mode,
    TopicTexts,
    UnitDecision,
    human_decisions,
    marked_units,
    unit_features,
)
from adjudge.assessors.learned.judge import LearnedJudge, load_judge
from adjudge.assessors.learned.training import peer_hash
from adjudge.core.errors import ClashError, DataError, UsageError, quoted
from adjudge.core.words import counted
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.judgments.assign.planning import make_tasks, missing_tasks
from adjudge.judgments.batch import judgments_of
from adjudge.judgments.intake import Item, take
from adjudge.judgments.protocol import UNIT, Protocol, protocol_of, protocols_of
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Event, Task, is_anonymous, stable_id
from adjudge.stats.checks import FloatArray


@dataclass(frozen=True)
class AppliedJudge:
    """What a judge answered: how much of it is new, and which of its models gave the answers."""

    card: JudgeCard
    tasks: int
    """That are new."""
    answers: int
    """That are new, or other than before."""
    answers_there: int
    held_out: int
    """Summaries that the judge was trained on: models that were trained without their system judged these."""
    own_training_data: int
    """Summaries that the judge was trained on, and no model without them is there."""
    summaries: int
    mode: Mode
    sentences: tuple[str, ...] = ()

    def headline(self) -> str:
        added = f"{counted(self.tasks, 'task')} and {counted(self.answers, 'answer')} added"
        there = f"; {counted(self.answers_there, 'answer')} already there" if self.answers_there else ""
        return f"{self.card.name}, a learned judge ({self.card.protocol}): {added}{there}."

    def lines(self) -> list[str]:
        """For people."""
        return [self.headline(), *self.sentences]

    def as_dict(self) -> dict[str, Any]:
        return {
            "headline": self.headline(),
            "tasks": self.tasks,
            "answers": self.answers,
            "answers_there": self.answers_there,
            "summaries": self.summaries,
            "held_out": self.held_out,
            "own_training_data": self.own_training_data,
            "units": self.mode,
            "sentences": list(self.sentences),
            "card": asdict(self.card),
        }


def apply_judge(
    folder: Folder,
    collection: Collection,
    judge: LearnedJudge | str | Path,
    *,
    name: str | None = None,
    protocol: str | None = None,
) -> AppliedJudge:
    """Have a judge, or the judge in a file, answer every model unit for every peer, as the assessor `name`.

    A summary that the judge was trained on is answered by the model that was trained without its system. Questions
    other than completeness stay open. What the store has already is not stored again.
    """
    loaded = judge if isinstance(judge, LearnedJudge) else load_judge(judge)
    who = loaded.learner if name is None else name
    asked = protocol_of(folder, protocol) if protocol is not None else _own_protocol(folder, loaded.protocol)
    _check(folder, loaded, who, asked)
    with store_of(folder) as store:
        # Refuse the name of somebody who judged.
        for judgment in store.current(assessor=who):
            if any(event.origin != "learned" for event in judgment.answers.values()):
                raise ClashError(
                    f"{quoted(who)} has judged here and is no learned judge; give this one a name of its own"
                )
        made = make_tasks(collection, asked, [who], store.evaluation)
        there = store.tasks(protocol=asked.name, cancelled=True)
        dropped = {task.id for task in there if task.cancelled}
        tasks = [task for task in missing_tasks(made, there) if task.id not in dropped]
        if not made:
            raise DataError(f"{folder.path}: there is no summary to judge against a reference")
        answered = _answered(folder, collection, loaded, asked, tasks)
        before = {judged.task.id: judged.answers for judged in store.current(assessor=who)}
        events = list(_events(answered.answers, loaded, before))
        items: list[Item] = [
            *(("learned", task) for task in tasks),
            *(("learned", event) for event in events),
        ]
        taken = take(folder, store, items)
    card = JudgeCard(
        name=who,
        kind="learned",
        protocol=asked.name,
        model=loaded.learner,
        signature=loaded.signature(),
        settings={
            "file": loaded.digest,
            "options": asdict(loaded.options),
            "units": answered.mode,
            "seed": loaded.seed,
            "trained_on": loaded.trained_on.words(),
            "held_out": answered.held_out,
            "own_training_data": answered.own_training_data,
            "summaries": answered.summaries,
        },
        asked=len(answered.answers),
        answered=len(answered.answers),
    )
    write_card(folder, card)
    return AppliedJudge(
        card=card,
        tasks=taken.tasks,
        answers=taken.answers,
        answers_there=len(answered.answers) - len(events),
        held_out=answered.held_out,
        own_training_data=answered.own_training_data,
        summaries=answered.summaries,
        mode=answered.mode,
        sentences=tuple(answered.sentences(loaded, asked)),
    )


def _own_protocol(folder: Folder, name: str) -> Protocol:
    """The protocol that a judge was trained on; its name may be a stranger's, and is not taken for a path."""
    protocols = protocols_of(folder, [name])
    if name not in protocols:
        raise UsageError(
            f"the judge was trained on {quoted(name)}, a protocol that is not here; name another one"
        )
    return protocols[name]


def _check(folder: Folder, judge: LearnedJudge, who: str, protocol: Protocol) -> None:
    if not who.strip() or is_anonymous(who):
        raise UsageError(f"{quoted(who)} is no name for a judge")
    if protocol.completeness is None:
        raise UsageError(
            f"{protocol.name} asks no completeness of model units, and a learned judge answers nothing else"
        )
    strange = sorted(judge.classes() - set(protocol.completeness.values))
    if strange:
        raise UsageError(
            f"the judge learned {judge.protocol}'s scale and would answer {strange[0]:g},"
            f" which {protocol.name} does not know"
        )
    for card in read_cards(folder, who):
        if card.protocol == protocol.name and card.settings.get("file") != judge.digest:
            raise ClashError(
                f"{quoted(who)} is another judge that has answered {protocol.name} here;"
                " give this one a name of its own"
            )


@dataclass(frozen=True)
class _Answers:
    """A completeness and marks for every model unit of every task."""

    answers: Sequence[tuple[Task, str, Mapping[str, Any]]]
    mode: Mode
    expanded: int
    """Model units beside which others stand."""
    held_out: int
    own_training_data: int
    summaries: int
    other_task: bool

    def sentences(self, judge: LearnedJudge, protocol: Protocol) -> Iterator[str]:
        """What a reader of the answers should know."""
        if self.mode == "expanded":
            yield (
                f"{counted(self.expanded, 'model unit is', 'model units are')} expanded by units with people's full"
                f" score (expand={judge.options.expand})."
            )
        elif judge.options.expand != "none":
            yield (
                f"No unit has people's full score under {protocol.name}, so the model for original model units answers"
                f" (expand=none instead of {judge.options.expand})."
            )
        if self.held_out:
            yield (
                f"{self.held_out:,} of {counted(self.summaries, 'summary', 'summaries')} were in its training data and"
                " are answered by a model trained without their system."
            )
        if self.own_training_data:
            yield (
                f"{counted(self.own_training_data, 'summary', 'summaries')} of its only training system: agreement with"
                " people on these says nothing."
            )
        if new := self.summaries - self.held_out - self.own_training_data:
            yield f"{counted(new, 'summary was', 'summaries were')} not in its training data."
        if judge.protocol != protocol.name:
            yield f"It was trained on {judge.protocol}, and answers {protocol.name}."
        if self.other_task:
            yield f"It was trained on {next(iter(judge.models)) or 'other'} topics; some topics here are not."
        if judge.trained_on.simulated:
            yield "It was trained partly on simulated assessors, who say nothing about people."


def _answered(
    folder: Folder, collection: Collection, judge: LearnedJudge, protocol: Protocol, tasks: Sequence[Task]
) -> _Answers:
    people = human_decisions(collection, judgments_of(folder, collection), protocol)
    full = people.full if judge.options.expand != "none" else {}
    mode: Mode = "expanded" if full else "original"
    texts = {topic: TopicTexts(collection, topic, protocol) for topic in {task.topic for task in tasks}}
    pages = [(task, _questions(task, texts[task.topic], collection)) for task in tasks]
    decisions = [question for _, questions in pages for question in questions]
    features = unit_features(collection, protocol, decisions, full, judge.options)
    x = features.expanded() if mode == "expanded" else features.original()
    seen = _Seen(judge)
    chosen = _predicted(judge, mode, texts, decisions, x, seen)
    answers = []
    row = 0
    for task, questions in pages:
        for question in questions:
            units = texts[task.topic].peer_units(question.peer)
            answer = float(chosen[row]) if units else 0.0  # nothing is expressed where nothing is said
            marked = marked_units(texts[task.topic], question, judge.options.cut) if answer else []
            answers.append((task, f"{UNIT}{question.unit}", {"marked": marked, "completeness": answer}))
            row += 1
    peers = {(decision.topic, decision.peer): decision.task for decision in decisions}
    trained = Counter(
        judge.of_task(task)[mode].without.get(system) is not None
        for (topic, peer), task in peers.items()
        if (system := seen.system(peer.system, texts[topic].summaries[peer].text)) is not None
    )
    tasks_of = {decision.task or "" for decision in decisions}
    return _Answers(
        answers=answers,
        mode=mode,
        expanded=len({decision.model_unit for decision in decisions} & full.keys()),
        held_out=trained[True],
        own_training_data=trained[False],
        summaries=len(peers),
        other_task=not tasks_of <= set(judge.models),
    )


def _questions(task: Task, texts: TopicTexts, collection: Collection) -> list[UnitDecision]:
    assert task.peer is not None
    assert task.reference is not None
    units = texts.model_units(task.reference)
    if not units:
        raise DataError(
            f"{task.topic}: the reference of {quoted(task.reference.system)} has no units (adjudge units makes them)"
        )
    return [
        UnitDecision(
            topic=task.topic,
            task=collection.topics[task.topic].task,
            peer=task.peer,
            reference=task.reference,
            unit=unit,
        )
        for unit in units
    ]


class _Seen:
    """Which summaries a judge was trained on, and by which system they were."""

    def __init__(self, judge: LearnedJudge):
        self._by: dict[str, list[str]] = {}
        for system, hashes in judge.trained_on.peers.items():
            for text_hash in hashes:
                self._by.setdefault(text_hash, []).append(system)

    def system(self, name: str, text: str) -> str | None:
        """The system, by its name when the judge was trained; None for a summary that is new to it."""
        systems = self._by.get(peer_hash(text), [])
        return name if name in systems else systems[0] if systems else None


def _predicted(
    judge: LearnedJudge,
    mode: Mode,
    texts: Mapping[str, TopicTexts],
    decisions: Sequence[UnitDecision],
    x: FloatArray,
    seen: _Seen,
) -> FloatArray:
    """The answers, each by the model that may give it."""
    by_model: dict[tuple[str | None, str | None], list[int]] = {}
    for row, decision in enumerate(decisions):
        text = texts[decision.topic].summaries[decision.peer].text
        by_model.setdefault((decision.task, seen.system(decision.peer.system, text)), []).append(row)
    answers = np.zeros(len(decisions))
    for (task, system), rows in by_model.items():
        held = judge.of_task(task)[mode]
        model = held.model if system is None else held.without.get(system, held.model)
        answers[rows] = model.predict(x[rows])
    return answers


def _events(
    answers: Sequence[tuple[Task, str, Mapping[str, Any]]],
    judge: LearnedJudge,
    before: Mapping[str, Mapping[str, Event]],
) -> Iterator[Event]:
    """The answers that the store does not have."""
    for task, question, answer in answers:
        last = before.get(task.id, {}).get(question)
        if last is not None and last.answer == answer:
            continue
        base = None if last is None else last.seq
        text = json.dumps(answer, sort_keys=True)
        yield Event(
            id=stable_id("learned", judge.digest, task.id, question, base, text),
            evaluation=task.evaluation,
            task=task.id,
            assessor=task.assessor,
            question=question,
            answer=answer,
            base=base,
            origin="learned",
        )
