"""Quality as people judged it: how many questions found errors, and levels of single questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.words import listed
from adjudge.data.scores import Better, Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.kinds.coverage import CoverageProtocol
from adjudge.judgments.kinds.rating import RatingProtocol
from adjudge.judgments.protocol import QUALITY, RATING, Protocol, Question
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import JudgedMeasure, given_value, judged_peers, protocol_of, score_row
from adjudge.measures.judged.coverage import LIN_HOVY, OVER_LIGGETT

NONE = "0"
"""DUC-2002's answer "no error"."""


@dataclass(frozen=True)
class QualityErrors(JudgedMeasure):
    """The number of quality questions that found one or more errors (DUC-2002's twelve).

    question   one of them alone, by number: 0 no error, 1 some (1-5), 2 many (6-10), 3 more
    """

    question: str = "all"

    FAMILY = "quality-errors"
    PROTOCOLS = (CoverageProtocol,)
    TITLE = "quality errors"
    ABOUT = "quality questions that found errors (DUC-2002)"
    CITATION = OVER_LIGGETT
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"question": ("all", "7")}
    better = "lower"
    range: ClassVar[tuple[float | None, float | None]] = (0.0, None)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for judged, _, repeat in judged_peers(batch, CoverageProtocol):
            asked = [q for q in protocol_of(batch, judged.task.protocol).questions if NONE in q.values]
            if self.question != "all":
                asked = [q for q in asked if q.id == f"{QUALITY}{self.question}"]
            if not asked:
                continue
            answered = [(q, judged.answers[q.id].answer["value"]) for q in asked if q.id in judged.answers]
            if len(answered) < len(asked):
                why = f"{len(asked) - len(answered)} of {len(asked)} quality questions are not answered yet"
                yield score_row(self, judged, repeat, math.nan, why)
            elif self.question == "all":
                yield score_row(self, judged, repeat, float(sum(value != NONE for _, value in answered)))
            else:
                question, value = answered[0]
                yield score_row(self, judged, repeat, float(question.values.index(value)))


UNSET = "none"


def quality_questions(protocol: Protocol) -> dict[str, Question]:
    """A protocol's questions on quality by key.

    Only those whose answers are numbers, or counts of errors such as DUC-2002's (0, 1-5, 6-10, >10).
    """
    return {
        q.key: q
        for q in protocol.quality_questions()
        if _counts_errors(q) or (not any(isinstance(value, str) for value in q.values))
    }


def _counts_errors(question: Question) -> bool:
    return NONE in question.values


def _called(protocol: Protocol, q: str) -> Question | None:
    """The question that `q` names: by key, or by number where the protocol's keys are words."""
    there = quality_questions(protocol)
    if q in there or not q.isdecimal() or any(key.isdecimal() for key in there):
        return there.get(q)
    return {str(n): question for n, question in enumerate(there.values(), 1)}.get(q)


def _asked(batches: Sequence[TopicBatch]) -> dict[str, tuple[Protocol, list[str]]]:
    """By name, the protocols of which something was judged, with the keys of their questions on quality.

    A page of coverage asks them all; of ratings, those that somebody answered count.
    """
    by_name: dict[str, tuple[Protocol, dict[str, None]]] = {}
    for batch in batches:
        for judged in batch.judgments:
            name = judged.task.protocol
            if judged.task.peer is None:
                continue
            if name not in by_name:
                protocol = protocol_of(batch, name)
                by_name[name] = (
                    protocol,
                    dict.fromkeys(quality_questions(protocol) if protocol.IS_WHOLE else ()),
                )
            protocol, keys = by_name[name]
            if not protocol.IS_WHOLE:
                keys |= dict.fromkeys(id.partition(":")[2] for id in judged.answers)
    return {
        name: (protocol, quality_keys)
        for name, (protocol, keys) in by_name.items()
        if (quality_keys := [key for key in quality_questions(protocol) if key in keys])
    }


@dataclass(frozen=True)
class Quality(JudgedMeasure):
    """A question on quality with numbers for answers, such as DUC-2001's: 1 all, 3/4 most, 1/2 some, 1/4 hardly
    any, 0 none.

    question   grammaticality, cohesion or coherence, or what a protocol of your own asks
    q          instead: any protocol's question by its number or key, such as 1 to 5 of linguistic quality (1 very
               poor, 5 very good) and 1 to 12 of DUC-2002 (0 no error, 1 some (1-5), 2 many (6-10), 3 more). Of
               counts of errors lower is better, and the scores say so
    """

    question: str = "grammaticality"
    q: str = UNSET
    asked: Question | None = None
    """What `q` names in this evaluation, once that is known; no part of the spec."""

    FAMILY = "quality"
    ABOUT = "grammaticality, cohesion or coherence as judged (DUC-2001), or any question on quality by number"
    CITATION = LIN_HOVY
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {
        "question": ("grammaticality", "cohesion", "coherence"),
        "q": ("1", "5"),
    }
    FIXED = ("asked",)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def __post_init__(self) -> None:
        if self.q != UNSET and self.question != Quality.question:
            raise UsageError(f"quality: question={self.question} and q={self.q}; expected one of them")

    @property
    def protocol_kinds(self) -> tuple[type[Protocol], ...]:
        return (CoverageProtocol,) if self.q == UNSET else (CoverageProtocol, RatingProtocol)

    @property
    def better(self) -> Better:  # type: ignore[override]
        """Of counts of errors lower is better."""
        return "lower" if self.asked is not None and _counts_errors(self.asked) else "higher"

    @property
    def range(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        if self.q == UNSET:
            return (0.0, 1.0)
        if self.asked is None:
            return (None, None)
        values = [_number(self.asked, value) for value in self.asked.values]
        return (min(values), max(values))

    @property
    def title_name(self) -> str:
        return f"quality: {self.question}" if self.q == UNSET else f"quality question {self.q}"

    def title_details(self) -> list[str]:
        return []

    def signed_options(self) -> dict[str, Any]:
        asked = {"question": self.question} if self.q == UNSET else {"q": self.q}
        return {**asked, **self.named_judge}

    def fitted(self, batches: Sequence[TopicBatch]) -> list[Measure]:
        """With what is asked. Plain `quality` is of grammaticality, or, where nobody was asked for that, of every
        question there is."""
        asked = _asked(batches)
        if self.q != UNSET:
            return [replace(self, asked=self._one(asked))]
        ids = {
            question.id for protocol, _ in asked.values() for question in quality_questions(protocol).values()
        }
        if self.question != Quality.question or f"{QUALITY}{self.question}" in ids:
            return [self]
        keys = dict.fromkeys(key for _, protocol_keys in asked.values() for key in protocol_keys)
        every = [Quality(q=key, by=self.by) for key in keys]
        return [replace(measure, asked=measure._one(asked)) for measure in every] or [self]

    def _one(self, asked: dict[str, tuple[Protocol, list[str]]]) -> Question | None:
        """What `q` names; refused where protocols ask different things under it."""
        questions: dict[Question, str] = {}
        for name, (protocol, keys) in asked.items():
            question = _called(protocol, self.q)
            if question is not None and question.key in keys:
                questions.setdefault(question, name)
        if len(questions) > 1:
            instead = list(dict.fromkeys(map(_spec_of, questions)))
            hint = f"; {listed(instead)} keep them apart" if len(instead) == len(questions) else ""
            raise DataError(
                f"{self}: {listed([f'{name} ({question.label})' for question, name in questions.items()])}"
                f" ask different questions under {self.q}{hint}"
            )
        return next(iter(questions), None)

    def why_nothing(self, batches: Sequence[TopicBatch]) -> str:
        there = [f"{', '.join(keys)} ({name})" for name, (_, keys) in _asked(batches).items()]
        if not there:
            return "nobody was asked a question on quality"
        wanted = self.question if self.q == UNSET else self.q
        return f"nobody was asked for {quoted(wanted)}; the questions are: {'; '.join(there)}"

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        if self.q != UNSET:
            yield from self._answers(batch)
            return
        id = f"{QUALITY}{self.question}"
        for judged, _, repeat in judged_peers(batch, CoverageProtocol):
            asked = [q for q in protocol_of(batch, judged.task.protocol).questions if q.id == id]
            if not asked or isinstance(asked[0].values[0], str):
                continue
            if id not in judged.answers:
                yield score_row(self, judged, repeat, math.nan, "not answered yet")
            else:
                yield score_row(self, judged, repeat, float(given_value(judged.answers[id].answer)))

    def _answers(self, batch: TopicBatch) -> Iterator[Score]:
        """A row per page of coverage that asks, answered or not, and per rating that answers."""
        for kind, needed in ((CoverageProtocol, None), (RatingProtocol, f"{RATING}{self.q}")):
            for judged, _, repeat in judged_peers(batch, kind, question=needed):
                question = _called(protocol_of(batch, judged.task.protocol), self.q)
                if question is None:
                    continue
                event = judged.answers.get(question.id)
                if event is None:
                    yield score_row(self, judged, repeat, math.nan, "not answered yet")
                else:
                    weighted = event.answer.get("weighted")
                    value = _number(question, event.answer["value"]) if weighted is None else float(weighted)
                    yield score_row(self, judged, repeat, value)


def _number(question: Question, value: Any) -> float:
    """An answer as a number; a count of errors by its place among the choices."""
    return float(question.values.index(value) if _counts_errors(question) else value)


def _spec_of(question: Question) -> str:
    """The measure that is of this kind of question alone."""
    if question.id.startswith(RATING):
        return f"rating(aspect={question.id.removeprefix(RATING)})"
    key = question.id.removeprefix(QUALITY)
    return f"quality-errors(question={key})" if _counts_errors(question) else f"quality(question={key})"
