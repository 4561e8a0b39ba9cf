"""Simulated assessors who say which of two sentences matters more (Zopf 2018, section 4.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from adjudge.assessors.simulated import Simulated, simulate
from adjudge.assessors.truth import truth_from_worth, worth_by_side
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.judgments.batch import Judgments, TopicBatch, batch_of, judgments_of
from adjudge.judgments.pairs.sample import COUNT, SamplePlan, new_pairs
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.judgments.protocol import Protocol, protocol_of
from adjudge.judgments.store.importing import add_all
from adjudge.judgments.store.store import store_of
from adjudge.measures.judged.preference_strengths import pyramid_worth, reference_worth
from adjudge.text.similarity import sentence_similarity

Origin = Literal["ref", "py"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
PROTOCOL = "preference-sentences"
SIMILARITY = "tfidf-jaccard"
FEW = 5
"""Topics that are named where they got fewer answers than asked for."""
_WORTH = {"ref": reference_worth, "py": pyramid_worth}
_KNOWN_BY = {"ref": "reference", "py": "pyramid with annotated summaries"}


@dataclass(frozen=True)
class SimulatedPreferences:
    """What simulated assessors were asked and said."""

    origin: Origin
    """Where their truth came from: ref, the references (equation 6), or py, pyramids (equations 7 and 8)."""
    assessors: int
    answers: int
    topics: Mapping[str, int]
    """New answers, by topic."""
    right: int
    """Answers that name the sentence worth more."""
    decided: int
    """Answers to pairs of sentences that are not worth the same, which can be right or wrong."""
    seed: int
    why: Mapping[str, str] = field(default_factory=dict)
    """Topics without answers, or with fewer than asked for, and the reason."""

    @property
    def accuracy(self) -> float:
        return self.right / self.decided if self.decided else math.nan

    def lines(self) -> list[str]:
        """For people."""
        source = {"ref": "the references", "py": "the pyramids"}[self.origin]
        lines = [
            f"{counted(self.assessors, 'simulated assessor')} gave {counted(self.answers, 'answer')} in"
            f" {counted(len(self.topics), 'topic')}, from {source}"
        ]
        if self.decided:
            lines.append(
                f"{self.accuracy:.1%} of {counted(self.decided, 'answer')} to pairs that {source} tell apart are right"
            )
        few = list(self.why.items())[:FEW]
        if len(self.why) > FEW:
            lines.append(f"{counted(len(self.why), 'topic')} got fewer answers than asked for; the first:")
        return lines + [f"{topic}: {why}" for topic, why in few]

    def as_dict(self) -> dict[str, Any]:
        return {
            "from": self.origin,
            "assessors": self.assessors,
            "answers": self.answers,
            "topics": dict(self.topics),
            "right": self.right,
            "decided": self.decided,
            "seed": self.seed,
            "accuracy": None if math.isnan(self.accuracy) else self.accuracy,
            "why": dict(self.why),
        }


def simulate_preferences(
    folder: Folder,
    collection: Collection,
    origin: Origin = "ref",
    *,
    assessors: int = 3,
    count: int = COUNT,
    per_pair: int = 1,
    noise: float = 0.1,
    bias: float = 0.0,
    inconsistency: float = 0.0,
    similarity: str = SIMILARITY,
    protocol: str = PROTOCOL,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> SimulatedPreferences:
    """Ask simulated assessors about `count` new pairs of sentences per topic, and store what they say.

    Whatever was waiting for them before is answered too.

    What a sentence is worth comes from the references or from the pyramids; a topic that has none is left out, and
    said. Worth is spread from 0 to 1 within a topic, and noise is in that unit, for either side. Biases, towards the
    left side, are spread evenly from -bias to bias over the assessors.
    """
    if origin not in ORIGINS:
        raise UsageError(
            f"{Argument('origin', flag='from')} is {quoted(origin)}, expected one of: {', '.join(ORIGINS)}"
        )
    if assessors < 1:
        raise UsageError(f"assessors is {assessors}, expected 1 or more")
    asked = protocol_of(folder, protocol)
    _check_protocol(asked)
    worth, why = _worth(folder, collection, origin, similarity, progress)
    if not worth:
        raise DataError(f"{Argument('origin', origin, flag='from')}: no topic has a {_KNOWN_BY[origin]}")
    truth = truth_from_worth(worth)
    people = [
        Simulated(f"simulated-{k + 1}", bias=leaning, noise=noise, inconsistency=inconsistency)
        for k, leaning in enumerate(_spread(bias, assessors))
    ]
    names = [person.name for person in people]
    with store_of(folder) as store:
        plan = SamplePlan(count=count, assessors=tuple(names), per_pair=per_pair, seed=seed)
        new, sampled = new_pairs(collection, store, asked, plan, topics=list(worth))
        answered = {judged.task.id for judged in store.current()}
        mine = {name: store.tasks(assessor=name, protocol=asked.name) for name in names}
        for task in new:  # behind what was waiting already
            mine[task.assessor].append(task)
        waiting = (task for of_person in mine.values() for task in of_person)
        tasks = [task for task in waiting if task.id not in answered and task.topic in worth]
        events = list(simulate(tasks, asked, truth, people, generator(seed, f"prefer/simulate/{origin}")))
        add_all(store, new, events)  # in one transaction: no task is left that a program was to answer
    winners = {event.task: event.answer["winner"] for event in events}
    ahead = {task.id: truth.worth_of(task, task.left) - truth.worth_of(task, task.right) for task in tasks}
    per_topic: dict[str, int] = {}
    for task in tasks:
        per_topic[task.topic] = per_topic.get(task.topic, 0) + 1
    right = sum(winners[id] == ("left" if gap > 0 else "right") for id, gap in ahead.items() if gap)
    return SimulatedPreferences(
        origin=origin,
        assessors=assessors,
        answers=len(events),
        topics=per_topic,
        right=right,
        decided=sum(gap != 0 for gap in ahead.values()),
        seed=seed,
        why={**why, **sampled.why},
    )


def _worth(
    folder: Folder,
    collection: Collection,
    origin: Origin,
    similarity: str,
    progress: Callable[[int, int], None],
) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """By topic, what every sentence is worth, by its side; and the topics of which nothing is known."""
    judgments = judgments_of(folder, collection) if origin == "py" else Judgments()
    by_topic: dict[str, dict[str, float]] = {}
    why: dict[str, str] = {}
    for number, topic in enumerate(collection.topics):
        batch = batch_of(collection, topic, judgments)
        worth = sentence_worth(batch, origin, similarity)
        if isinstance(worth, str):
            why[topic] = worth
        else:
            by_topic[topic] = worth
        progress(number + 1, len(collection.topics))
    return by_topic, why


def sentence_worth(batch: TopicBatch, origin: Origin, similarity: str) -> dict[str, float] | str:
    """What the sentences of a topic are worth, by side; or why that is not known."""
    sentences = topic_sentences(batch)
    if len(sentences) < 2:
        return "needs two sentences in its documents"
    values = _WORTH[origin](batch, sentence_similarity(similarity, [s.text for s in sentences]))
    if not any(math.isfinite(value) for value in values.tolist()):
        return f"no {_KNOWN_BY[origin]}"
    return worth_by_side(sentences, values.tolist())


def _check_protocol(protocol: Protocol) -> None:
    if protocol.compares != "sentences":
        raise UsageError(f"{quoted(protocol.name)} does not ask about pairs of sentences")


def _spread(bias: float, assessors: int) -> list[float]:
    return [0.0] if assessors == 1 else [bias * (2 * k / (assessors - 1) - 1) for k in range(assessors)]
