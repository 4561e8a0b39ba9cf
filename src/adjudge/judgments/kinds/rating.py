"""Ratings: aspects of a summary, each on a scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from adjudge.judgments.kinds.base import (
    PageTexts,
    Prompt,
    PromptTexts,
    Protocol,
    ProtocolFile,
    Question,
    running_text,
)
from adjudge.judgments.kinds.keys import question_keys
from adjudge.judgments.tasks import Task
from adjudge.text.headers import paragraphs

RATING = "rating:"


@dataclass(frozen=True, repr=False)
class RatingProtocol(Protocol):
    KIND = "rating"
    KEYS = ("aspects",)
    VALUES: ClassVar[Mapping[str, str]] = {"rating": "value"}
    IN_TABLES = True
    IS_WHOLE = False
    PLACES = ("summary",)

    @property
    def measures(self) -> tuple[str, ...]:
        return ("rating",)

    @classmethod
    def parse(cls, file: ProtocolFile, data: Mapping[str, Any]) -> dict[str, Any]:
        return {"questions": file.questions("aspects", data.get("aspects"), RATING, least=1)}

    @property
    def of_whole_summaries(self) -> bool:
        return True

    def quality_questions(self) -> tuple[Question, ...]:
        """Those whose key is a number, as linguistic quality's are."""
        return tuple(question for question in self.questions if question.key.isdecimal())

    def page(self, task: Task, texts: PageTexts) -> RatingPage:
        assert task.peer is not None
        return RatingPage(paragraphs(texts.summary(task.topic, task.peer).text), self.questions)

    def prompts(self, task: Task, texts: PromptTexts, planted: Mapping[str, str]) -> Iterator[Prompt]:
        assert task.peer is not None
        summary = running_text(planted.get("peer") or texts.summary(task.topic, task.peer).text)
        for question in self.questions:
            yield Prompt(question.id, question.ask, {"summary": summary}, question.choices)


@dataclass(frozen=True)
class RatingPage:
    """A summary, and aspects with their scales."""

    paragraphs: tuple[str, ...]
    questions: tuple[Question, ...]

    keys = staticmethod(question_keys)

    def state(self) -> dict[str, Any]:
        questions = self.questions
        return {
            "questions": [{"id": q.id, "values": list(q.values), "keys": self.keys(q)} for q in questions]
        }
