"""A task as its page shows it: the topic, where one is, the answers so far with their numbers, the sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from adjudge.core.errors import DataError
from adjudge.data.collection import by_date
from adjudge.data.rows import Document
from adjudge.judgments.kinds.base import PageBody, PageTexts, Protocol
from adjudge.judgments.tasks import Judged, Task
from adjudge.text.headers import paragraphs
from adjudge.web.answering import asked_page
from adjudge.web.blind import UnitIds
from adjudge.web.pages.work import WorkItem, item_of
from adjudge.web.site import Site


class Given(BaseModel):
    """An answer that counts now, and its number: what a later answer says it has seen."""

    answer: Any
    seq: int


class SourceText(BaseModel):
    label: str
    date: str | None
    paragraphs: list[str]


class Sources(BaseModel):
    """The topic's documents; for an update, those that the reader knows already stand apart."""

    title: str
    question: str | None
    documents: list[SourceText]
    known_documents: list[SourceText] = Field(serialization_alias="known")


@dataclass(frozen=True)
class TaskPage:
    """Everything that a page for one task shows."""

    key: str
    kind: str
    topic: str
    question: str | None
    item: WorkItem
    protocol: Protocol
    guidelines: tuple[str, ...]
    answers: Mapping[str, Given]
    changed: str | None
    body: PageBody | None
    """None where the texts have changed: nothing can be judged then."""

    @property
    def where(self) -> str:
        return f"{self.item.label} of {self.item.total}"

    def state(self) -> dict[str, Any]:
        body = self.body.state() if self.body is not None else {}
        answers = {question: answer.model_dump() for question, answer in self.answers.items()}
        return {"task": self.key, "kind": self.kind, "answers": answers, **body}


def task_page(site: Site, person: str, task: Task) -> TaskPage:
    protocol = site.protocol(task.protocol)
    mine = site.desk(person).judged
    why = site.changed(task)
    row = site.collection.topics.get(task.topic)
    return TaskPage(
        key=site.task_key(task),
        kind=protocol.kind,
        topic=site.topic_title(task.topic),
        question=row.question if row is not None else None,
        item=item_of(site, person, task),
        protocol=protocol,
        guidelines=guideline_paragraphs(protocol),
        answers=current_answers(site, mine.get(task.id), task, person),
        changed=why,
        body=None if why is not None else protocol.page(task, _page_texts(site, task, mine.values())),
    )


def _page_texts(site: Site, task: Task, mine: Iterable[Judged]) -> PageTexts:
    def begun(id: str) -> int | None:
        first = next(iter(site.store.events(task=id)), None)
        return None if first is None else first.seq

    return PageTexts(
        collection=site.collection,
        summary=site.summary,
        unit_keys=UnitIds.of(site, task).public,
        said_before=site.judging.said_before,
        earlier=mine,
        begun=begun,
    )


def current_answers(site: Site, judged: Judged | None, task: Task, person: str) -> dict[str, Given]:
    """A person's answers to a task that count now, as the browser knows them; of one that is open again, its number."""
    answered = {} if judged is None else judged.answers
    mine = {question: event for question, event in answered.items() if event.assessor == person}
    ids, page = UnitIds.of(site, task), asked_page(site, task)
    standing = page.standing({question: event.answer for question, event in mine.items()})
    answers: dict[str, Given] = {}
    for name, event in mine.items():
        with suppress(DataError):  # of a unit that is gone: the page says that the texts have changed
            question, answer = ids.shown(name, standing.get(name))
            answers[question] = Given(answer=answer, seq=event.seq or 0)
    return answers


def guideline_paragraphs(protocol: Protocol) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", protocol.guidelines) if part.strip())


def sources(site: Site, topic: str) -> Sources:
    """What there is to read on a topic; documents have numbers, their ids may tell something."""
    row = site.collection.topics.get(topic)
    earlier = site.collection.documents.get(row.after, []) if row is not None and row.after else []
    return Sources(
        title=site.topic_title(topic),
        question=row.question if row is not None else None,
        documents=_texts(site.collection.documents.get(topic, []), "Document"),
        known_documents=_texts(earlier, "Known document"),
    )


def _texts(documents: list[Document], label: str) -> list[SourceText]:
    return [
        SourceText(label=f"{label} {n}", date=document.date, paragraphs=list(paragraphs(document.text)))
        for n, document in enumerate(by_date(documents), 1)
    ]
