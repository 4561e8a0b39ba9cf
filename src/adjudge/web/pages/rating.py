"""What the rating page shows: a summary, and aspects with their scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge.judgments.protocol import Question
from adjudge.judgments.tasks import Task
from adjudge.text.headers import paragraphs
from adjudge.web.pages.keys import question_keys
from adjudge.web.site import Site


@dataclass(frozen=True)
class RatingPage:
    paragraphs: tuple[str, ...]
    questions: tuple[Question, ...]

    keys = staticmethod(question_keys)

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        questions = self.questions
        return {
            "questions": [{"id": q.id, "values": list(q.values), "keys": self.keys(q)} for q in questions]
        }


def rating_page(site: Site, task: Task) -> RatingPage:
    assert task.peer is not None
    text = site.summary(task.topic, task.peer).text
    return RatingPage(paragraphs(text), site.protocol(task.protocol).questions)
