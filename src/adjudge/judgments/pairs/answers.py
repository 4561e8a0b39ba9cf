"""Answers to pairs, with names: from a folder's judgments or from a file, as rows and as arrays.

`human_answers` is the one way from a topic's judgments to answers about its sentences; export, fit, measure, studies
and the choice of the next pair all take it, so that they count the same answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import numpy as np

from adjudge.core.errors import DataError, nearest, quoted
from adjudge.core.words import counted
from adjudge.data.collection import Collection
from adjudge.judgments.batch import Judgments, TopicBatch, batch_of
from adjudge.judgments.pairs.sides import (
    WON,
    Pair,
    PairPool,
    done,
    judged_pairs,
    named_summary,
    topic_pool,
)
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.tasks import PROGRAMS, Event, Task
from adjudge.stats.preference.answers import PairAnswers

K = TypeVar("K")

SKIPPED = "skipped"
STRANGE = "about a sentence that the sources do not have"
SELF = "about a sentence and itself"
ROW_SKIPPED, SAME_ITEM = "row that was skipped", "row that compares an item with itself"


# With names


@dataclass(frozen=True, slots=True)
class PreferenceRow:
    """One answer, by name. `winner` is left, right, tie or skip; what is not known is empty."""

    left: str
    right: str
    winner: str
    topic: str = ""
    assessor: str = ""
    weight: float = 1.0
    time: str = ""
    length: str = ""
    """Of two summaries, in words; written for importers, and of no use to a fit."""
    took_ms: float = math.nan
    form: str = ""
    """Of two summaries, likewise."""


@dataclass(frozen=True)
class Preferences:
    """Answers as arrays, with the names of what they number: items, assessors, topics (the clusters).

    `assessors` and `topics` are empty where nothing says who answered, or on what. `left_out` counts by reason.
    """

    items: tuple[str, ...]
    answers: PairAnswers
    assessors: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    """When each was answered, as it was written; empty where nothing says so."""
    took_ms: tuple[float, ...] = ()
    """How long each took, NaN where nothing says so; empty where nothing ever does."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    sided: bool = True
    """Whether it is known what was shown first; a table of winners and losers does not say."""
    notes: tuple[str, ...] = ()
    """What there is to say of how they were read."""

    @classmethod
    def of(
        cls,
        rows: Iterable[PreferenceRow],
        *,
        items: Iterable[str] = (),
        left_out: Mapping[str, int] | None = None,
    ) -> Preferences:
        """From answers by name, numbered as they come; `items` come first, those that nobody was asked about too."""
        names = {item: number for number, item in enumerate(items)}
        people: dict[str, int] = {}
        topics: dict[str, int] = {}
        left = Counter(left_out or {})
        columns: list[list[float]] = [[], [], [], [], [], []]
        times: list[str] = []
        took: list[float] = []
        for preference in rows:
            if why := _no_answer(preference):
                left[why] += 1
                continue
            row = (
                _number(names, preference.left),
                _number(names, preference.right),
                WON[preference.winner],
                preference.weight,
                _number(people, preference.assessor) if preference.assessor else -1,
                _number(topics, preference.topic),
            )
            for column, value in zip(columns, row, strict=True):
                column.append(value)
            times.append(preference.time)
            took.append(preference.took_ms)
        first, second, who, cluster = (np.array(columns[k], dtype=np.int64) for k in (0, 1, 4, 5))
        won, weight = (np.array(columns[k], dtype=np.float64) for k in (2, 3))
        return cls(
            items=tuple(names),
            answers=PairAnswers(
                n=len(names), first=first, second=second, won=won, weight=weight, who=who, cluster=cluster
            ),
            assessors=tuple(people),
            topics=tuple(topics) if any(topics) else (),
            times=tuple(times) if any(times) else (),
            took_ms=() if all(map(math.isnan, took)) else tuple(took),
            left_out=dict(left),
        )

    def __len__(self) -> int:
        return len(self.answers)

    def rows(self) -> Iterator[PreferenceRow]:
        """The answers by name again."""
        return map(self.row, range(len(self)))

    def row(self, k: int) -> PreferenceRow:
        """One answer by name."""
        a = self.answers
        sides = {1.0: "left", 0.0: "right", 0.5: "tie"}
        if a.won[k] not in sides:
            raise DataError(f"an answer is worth {a.won[k]:g} of a win: only whole and half wins have a word")
        return PreferenceRow(
            left=self.items[a.first[k]],
            right=self.items[a.second[k]],
            winner=sides[float(a.won[k])],
            topic=self.topics[a.cluster[k]] if self.topics else "",
            assessor=self.assessors[a.who[k]] if a.who[k] >= 0 else "",
            weight=float(a.weight[k]),
            time=self.times[k] if self.times else "",
            took_ms=self.took_ms[k] if self.took_ms else math.nan,
        )

    def only(self, topics: Sequence[str]) -> Preferences:
        """The answers on some topics."""
        for topic in topics:
            if topic not in self.topics:
                raise DataError(f"no answer on a topic {quoted(topic)}{nearest(topic, self.topics)}")
        chosen = Preferences.of((row for row in self.rows() if row.topic in topics), left_out=self.left_out)
        return replace(chosen, sided=self.sided, notes=self.notes)


def _number(numbers: dict[K, int], name: K) -> int:
    return numbers.setdefault(name, len(numbers))


def _no_answer(row: PreferenceRow) -> str | None:
    if row.winner == "skip":
        return ROW_SKIPPED
    return SAME_ITEM if row.left == row.right else None


# Of a topic's sentences


@dataclass(frozen=True)
class TopicAnswers:
    """Answers to pairs of a topic's sentences. `answers.who` counts in `assessors`, -1 is nobody."""

    answers: PairAnswers
    assessors: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many answers are not among them, by reason."""
    simulated: int = 0
    """How many of the answers no person gave."""
    took_ms: tuple[float, ...] = ()
    """How long each took, NaN where nothing says so."""

    def why_none(self) -> str | None:
        """Why there is no answer at all, in words; None where there is one."""
        if len(self.answers):
            return None
        if not self.left_out:
            return "no preference between the topic's sentences was given"
        total = counted(sum(self.left_out.values()), "preference")
        return f"none of {total} between sentences counts: {', '.join(self.left_out)}"


def human_answers(batch: TopicBatch) -> TopicAnswers:
    """Every answer to a pair of the topic's sentences, whatever its origin; asked again is one more answer.

    They stand in the order of the tasks' ids, whatever the order in which they were saved. A tie is half a win each.
    What was skipped, and sides that are no sentence of the sources, are left out and counted.
    """
    return batch.once(
        "preference/answers", lambda: answers_to(topic_pool(batch), judged_pairs(batch, "sentences"))
    )


def answers_to(pool: PairPool, judged: Iterable[tuple[Task, Event]]) -> TopicAnswers:
    """Answers to pairs of a pool's texts, in the order of the tasks' ids."""
    left_out: Counter[str] = Counter()
    simulated = 0
    rows: list[tuple[int, int, float, str, float]] = []
    for task, event in sorted(judged, key=lambda pair: pair[0].id):
        winner = event.answer.get("winner")
        left, right = pool.numbers(task)
        if winner not in WON:
            left_out[SKIPPED] += 1
        elif left is None or right is None:
            left_out[STRANGE] += 1
        elif left == right:
            left_out[SELF] += 1
        else:
            simulated += event.origin == "simulated"
            rows.append((left, right, WON[winner], event.assessor, _took(event)))
    assessors = sorted({row[3] for row in rows})
    numbers = {name: number for number, name in enumerate(assessors)}
    return TopicAnswers(
        answers=PairAnswers(
            len(pool),
            np.array([row[0] for row in rows], dtype=np.int64),
            np.array([row[1] for row in rows], dtype=np.int64),
            np.array([row[2] for row in rows], dtype=np.float64),
            who=np.array([numbers[row[3]] for row in rows], dtype=np.int64),
        ),
        assessors=tuple(assessors),
        left_out=dict(left_out),
        simulated=simulated,
        took_ms=tuple(row[4] for row in rows),
    )


def answers_in(
    pool: PairPool, tasks: Iterable[Task], answered: Mapping[str, Mapping[str, Event]]
) -> tuple[PairAnswers, list[Pair]]:
    """What was said of a pool's texts so far, and the pairs that wait for an answer."""
    mine = [(task, pair) for task in tasks if (pair := pool.pair(task))]
    finished = done([task for task, _ in mine], answered)
    waiting = [pair for task, pair in mine if task.id not in finished]
    latest = ((task, answered.get(task.id, {}).get(PREFERENCE)) for task, _ in mine)
    return answers_to(pool, [(task, event) for task, event in latest if event is not None]).answers, waiting


# Of a folder


def batches_with_judgments(
    collection: Collection, judgments: Judgments, topics: Sequence[str] = ()
) -> Iterator[TopicBatch]:
    """The topics that have judgments, or those that are named."""
    named = [collection.need_topic(topic).topic for topic in topics]
    for topic in named or collection.topics:
        if topic in judgments.by_topic:
            yield batch_of(collection, topic, judgments)


def kinds(judgments: Judgments) -> set[str]:
    """What preferences there are: of sentences, of summaries."""
    protocols: Mapping[str, Protocol] = judgments.protocols
    used = {judged.task.protocol for of_topic in judgments.by_topic.values() for judged in of_topic}
    return {p.compares for name, p in protocols.items() if name in used and p.compares is not None}


def sentence_preferences(batch: TopicBatch) -> Preferences:
    """The answers to pairs of a topic's sentences; the items are all its sentences, by their text."""
    human = human_answers(batch)
    return Preferences(
        items=topic_pool(batch).texts,
        answers=human.answers,
        assessors=human.assessors,
        topics=(batch.topic.topic,),
        took_ms=human.took_ms,
        left_out=dict(human.left_out),
    )


def summary_rows(
    batch: TopicBatch, *, length: int | None = None, form: str | None = None
) -> Iterator[PreferenceRow]:
    """The answers to pairs of a topic's summaries, by system, those that were skipped too."""
    for task, event in judged_pairs(batch, "summaries"):
        left, right = named_summary(task.left), named_summary(task.right)
        if left is None or right is None:
            continue
        if length in (None, left.length) and form in (None, left.form or "unset"):
            yield PreferenceRow(
                left=left.system,
                right=right.system,
                winner=event.answer["winner"],
                topic=batch.topic.topic,
                assessor=event.assessor,
                time=event.answered_at or "",
                length="" if left.length is None else str(left.length),
                took_ms=_took(event),
                form=left.form or "",
            )


def sentence_rows(batch: TopicBatch) -> Iterator[PreferenceRow]:
    """The answers to pairs of a topic's sentences, by text, those that were skipped too."""
    pool = topic_pool(batch)
    for task, event in judged_pairs(batch, "sentences"):
        left, right = pool.numbers(task)
        if left is not None and right is not None:
            yield PreferenceRow(
                left=pool.texts[left],
                right=pool.texts[right],
                winner=event.answer["winner"],
                topic=batch.topic.topic,
                assessor=event.assessor,
                time=event.answered_at or "",
                took_ms=_took(event),
            )


def system_preferences(
    collection: Collection,
    judgments: Judgments,
    *,
    topics: Sequence[str] = (),
    length: int | None = None,
    form: str | None = None,
) -> Preferences:
    """The answers to pairs of summaries, with systems as items and topics as clusters."""
    return Preferences.of(
        row
        for batch in batches_with_judgments(collection, judgments, topics)
        for row in summary_rows(batch, length=length, form=form)
    )


def preference_notes(
    collection: Collection, judgments: Judgments, of: str, topics: Sequence[str] = ()
) -> list[str]:
    """What a reader of a folder's preferences should know first."""
    kind: Literal["sentences", "summaries"] = "sentences" if of == "sentences" else "summaries"
    origins: Counter[str] = Counter()
    for batch in batches_with_judgments(collection, judgments, topics):
        origins.update(event.origin for _, event in judged_pairs(batch, kind))
    notes = [
        f"{counted(origins[name], 'answer is', 'answers are')} {name}, not a person's"
        for name in PROGRAMS
        if origins[name]
    ]
    return notes + changed_notes(judgments, topics)


def changed_notes(judgments: Judgments, topics: Sequence[str] = ()) -> list[str]:
    """How many preferences are left out because a text changed."""
    changed = [
        why
        for judged, why in judgments.left_out
        if judged.task.left is not None and (not topics or judged.task.topic in topics)
    ]
    if not changed:
        return []
    many = counted(len(changed), "preference")
    return [f"{many} between texts that changed since left out (the first: {changed[0]})"]


def _took(event: Event) -> float:
    return math.nan if event.took_ms is None else float(event.took_ms)
