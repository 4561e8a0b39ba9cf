"""What the rating page shows: a summary, and aspects with their scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge.judgments.protocol import Question
from adjudge.judgments.tasks import Task
from adjudge.text.headers import paragraphs
from adjudge.web.site import Site


@dataclass(frozen=True)
class RatingPage:
    paragraphs: tuple[str, ...]
    questions: tuple[Question, ...]

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        return {"questions": [{"id": q.id, "values": list(q.values)} for q in self.questions]}


def rating_page(site: Site, task: Task) -> RatingPage:
    assert task.peer is not None
    text = site.summary(task.topic, task.peer).text
    return RatingPage(paragraphs(text), site.protocol(task.protocol).questions)
