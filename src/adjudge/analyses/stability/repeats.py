"""Planted repeats: how far each assessor agrees with their own first answers, and whether that changes over time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from adjudge.analyses.gathered import Gathered
from adjudge.judgments.pairs.sides import sides_of
from adjudge.judgments.protocol import PREFERENCE, QUALITY, RATING, UNIT, UNMARKED
from adjudge.judgments.tasks import Judged, is_anonymous

Part = Literal["all", "earlier", "later"]


@dataclass(frozen=True, slots=True)
class RepeatedAnswer:
    """A question that an assessor answered twice."""

    assessor: str
    protocol: str
    question: str
    """completeness, marks, unmarked, quality, preference, or an aspect."""
    repeat: str
    """The task of the second answer."""
    same: bool
    change: float | None
    """The second answer less the first, where they are numbers."""
    topic: str = ""
    id: str = ""
    """The question as the protocol numbers it: `rating:overall`, `unit:m3`."""
    swapped: bool = False
    """Of a pair: whether it had been asked in the other order alone."""


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """How often an assessor answered a question as before; of all their repeats, or of one half of them."""

    assessor: str
    protocol: str
    question: str
    part: Part
    repeats: int
    """Tasks that came again."""
    answers: int
    same: int
    change: float | None
    """The mean of the second answers less the first, where they are numbers."""
    distance: float | None
    """The mean of how far the two are apart."""

    @property
    def share(self) -> float:
        return self.same / self.answers


def self_agreement(gathered: Gathered) -> list[SelfAgreement]:
    """Every assessor's agreement with themselves: over all repeats, and over the earlier and the later half of them.

    Halves are by when the repeat was answered, or by its place in line where no times are known. Whoever has a single
    repeat has no halves.
    """
    by_question: dict[tuple[str, str, str], list[RepeatedAnswer]] = {}
    for answer in repeated_answers(gathered):
        by_question.setdefault((answer.assessor, answer.protocol, answer.question), []).append(answer)
    result = []
    for key in sorted(by_question):
        answers = by_question[key]
        result.append(_summed(key, "all", answers))
        tasks = list(dict.fromkeys(answer.repeat for answer in answers))
        if len(tasks) > 1:
            early = set(tasks[: len(tasks) // 2])
            result.append(_summed(key, "earlier", [answer for answer in answers if answer.repeat in early]))
            result.append(_summed(key, "later", [answer for answer in answers if answer.repeat not in early]))
    return result


def _summed(key: tuple[str, str, str], part: Part, answers: list[RepeatedAnswer]) -> SelfAgreement:
    changes = [answer.change for answer in answers if answer.change is not None]
    return SelfAgreement(
        *key,
        part=part,
        repeats=len({answer.repeat for answer in answers}),
        answers=len(answers),
        same=sum(answer.same for answer in answers),
        change=fmean(changes) if changes else None,
        distance=fmean(map(abs, changes)) if changes else None,
    )


def repeated_answers(gathered: Gathered) -> list[RepeatedAnswer]:
    """Second answers, in the order in which they were given. What a plan says is a repeat is never the first.

    A pair that was asked before in the same order is compared with that answer, otherwise with the first.
    """
    firsts: dict[Hashable, dict[Hashable, Any]] = {}
    repeated: list[tuple[tuple[str, int], RepeatedAnswer]] = []
    judged = [judgment for batch in gathered.batches.values() for judgment in batch.judgments]
    for judgment in sorted(
        judged, key=lambda judgment: (judgment.task.repeat_of is not None, _when(judgment))
    ):
        if is_anonymous(judgment.task.assessor):
            continue
        thing, order = _thing(judgment), sides_of(judgment.task)[0]
        for (question, at), new in _answers(judgment):
            earlier = firsts.setdefault((thing, question, at), {})
            if not earlier:
                earlier[order] = new
                continue
            swapped = order not in earlier
            old = next(iter(earlier.values())) if swapped else earlier[order]
            earlier.setdefault(order, new)
            again = RepeatedAnswer(
                assessor=judgment.task.assessor,
                protocol=judgment.task.protocol,
                question=question,
                repeat=judgment.task.id,
                same=new == old,
                change=new - old if isinstance(new, float) and isinstance(old, float) else None,
                topic=judgment.task.topic,
                id=at,
                swapped=swapped,
            )
            repeated.append((_when(judgment), again))
    return [again for _, again in sorted(repeated, key=lambda dated: dated[0])]


def _when(judged: Judged) -> tuple[str, int]:
    times = (event.answered_at or event.received_at or "" for event in judged.answers.values())
    # What is imported or simulated was all received at once: then the place in line is what is known.
    live = any(event.client is not None for event in judged.answers.values())
    return (max(times, default="") if live else "", judged.task.position)


def _thing(judged: Judged) -> Hashable:
    """What was judged, by whom. Two sides of a pair are the same the other way round."""
    task = judged.task
    sides = frozenset(sides_of(task)) if task.left is not None else None
    return task.assessor, task.protocol, task.topic, task.peer, task.reference, sides


def _answers(judged: Judged) -> Iterator[tuple[tuple[str, str], Any]]:
    """Every answer by what kind of question it answers, and which of them."""
    for id, event in judged.answers.items():
        answer = event.answer
        if not isinstance(answer, Mapping):
            continue
        if id.startswith(UNIT):
            yield ("completeness", id), float(answer["completeness"])
            yield ("marks", id), frozenset(answer["marked"])
        elif id == UNMARKED:
            yield (UNMARKED, id), float(answer["relevant"])
        elif id.startswith(QUALITY):
            yield (QUALITY.rstrip(":"), id), answer["value"]
        elif id.startswith(RATING):
            yield (id.removeprefix(RATING), id), _number(answer["value"])
        elif id == PREFERENCE:
            sides: Iterable[object] = sides_of(judged.task)
            won = dict(zip(("left", "right"), sides, strict=True))
            yield (PREFERENCE, id), won.get(answer["winner"], answer["winner"])


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value
