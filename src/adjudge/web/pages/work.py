"""What an assessor has to do, what is done, and where to go on. No routes, no HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.judgments.frozen import units_of
from adjudge.judgments.protocol import UNIT, UNMARKED, Protocol
from adjudge.judgments.tasks import Judged, Task
from adjudge.web.answering import asked
from adjudge.web.site import Site


@dataclass(frozen=True)
class WorkItem:
    """One task in the list."""

    key: str
    number: int
    label: str
    done: int
    of: int

    @property
    def state(self) -> str:
        if self.done >= self.of:
            return "done"
        return "begun" if self.done else "open"


@dataclass(frozen=True)
class WorkBlock:
    """The tasks of one topic under one protocol, in the order of the plan."""

    title: str
    kind: str
    protocol: str
    items: tuple[WorkItem, ...]

    @property
    def done(self) -> int:
        return sum(item.state == "done" for item in self.items)


@dataclass(frozen=True)
class Work:
    """Everything on the page "My work"."""

    blocks: tuple[WorkBlock, ...]
    order: tuple[WorkItem, ...]
    """All items as the plan has them: a planted repeat comes long after its topic's other pages."""
    total: int
    done: int
    next: WorkItem | None

    @property
    def left(self) -> int:
        return self.total - self.done


LABELS = {"coverage": "Summary", "rating": "Summary", "preference": "Pair", "pyramid": "Summary"}


def work_of(site: Site, person: str) -> Work:
    """A person's work, blocks in the order in which they come up."""
    answers = answers_of(site, person)
    blocks: dict[tuple[str, str], list[WorkItem]] = {}
    order: list[WorkItem] = []
    for task in site.tasks_of(person):
        if site.protocol(task.protocol).kind == "pyramid":
            continue  # annotated elsewhere
        items = blocks.setdefault((task.topic, task.protocol), [])
        items.append(_item(site, task, answers.get(task.id, {}), len(items) + 1))
        order.append(items[-1])
    found = tuple(
        WorkBlock(site.topic_title(topic), site.protocol(name).kind, site.protocol(name).title, tuple(items))
        for (topic, name), items in blocks.items()
    )
    begun = next((item for item in order if item.state == "begun"), None)
    first = next((item for item in order if item.state == "open"), None)
    done = sum(item.state == "done" for item in order)
    return Work(found, tuple(order), len(order), done, begun or first)


def answers_of(site: Site, person: str) -> dict[str, Mapping[str, Any]]:
    """A person's answers that count now: by task, then by question."""
    return {judged.task.id: _given(judged, person) for judged in site.store.current(assessor=person)}


def _given(judged: Judged, person: str) -> dict[str, Any]:
    return {q: event.answer for q, event in judged.answers.items() if event.assessor == person}


def _item(site: Site, task: Task, answers: Mapping[str, Any], number: int) -> WorkItem:
    done, of = progress(site, task, answers)
    label = f"{LABELS[site.protocol(task.protocol).kind]} {number}"
    return WorkItem(site.task_key(task), number, label, done, of)


def progress(site: Site, task: Task, answers: Mapping[str, Any]) -> tuple[int, int]:
    """How many of a task's questions are answered, and how many there are now."""
    protocol = site.protocol(task.protocol)
    questions = asked(site, task)
    if UNMARKED in questions and not _unmarked_is_asked(site, task, protocol, answers):
        questions.remove(UNMARKED)
    return sum(question in answers for question in questions), len(questions)


def _unmarked_is_asked(site: Site, task: Task, protocol: Protocol, answers: Mapping[str, Any]) -> bool:
    """Nothing is asked of the unmarked units where all are marked."""
    marked = {
        unit for question, answer in answers.items() if question.startswith(UNIT) for unit in answer["marked"]
    }
    assert task.peer is not None
    own = units_of(site.collection.units.get(task.topic, ()), task.peer, protocol.peer_units)
    return bool(protocol.unmarked_choices(sum(unit.id not in marked for unit in own)))


def after(site: Site, person: str, task: Task) -> WorkItem | None:
    """What comes after a task: the next one that is not done, from there on and then from the start."""
    every = work_of(site, person).order
    here = next((at for at, item in enumerate(every) if item.key == site.task_key(task)), -1)
    return next((item for item in every[here + 1 :] + every[: here + 1] if item.state != "done"), None)
