"""What an assessor has to do, what is done, and where to go on. No routes, no HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.judgments.tasks import Judged, Task
from adjudge.web.answering import asked_page
from adjudge.web.desks import Desk
from adjudge.web.sampler import is_copy
from adjudge.web.site import Site


@dataclass(frozen=True)
class WorkItem:
    """One task in the list. `number` is its place among the person's tasks of the protocol, as the plan has them."""

    key: str
    number: int
    total: int
    label: str
    done: int
    of: int
    changed: bool = False
    """Its texts have changed since: it cannot be judged, and counts nowhere."""

    @property
    def state(self) -> str:
        if self.done >= self.of:
            return "done"
        if self.changed:
            return "changed"
        return "begun" if self.done else "open"


@dataclass(frozen=True)
class WorkBlock:
    """The tasks of one protocol. In parts by topic a planted repeat would be known: it is not where its topic is."""

    protocol: str
    items: tuple[WorkItem, ...]

    @property
    def done(self) -> int:
        return sum(item.state == "done" for item in self.items)

    @property
    def total(self) -> int:
        return sum(item.state != "changed" for item in self.items)


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


def work_of(site: Site, person: str) -> Work:
    """A person's work in the order of the plan: a planted repeat stands, and is numbered, where the plan has it."""
    desk = site.desk(person)
    listed = places(site, desk)
    tasks = [task for task in desk.tasks if task.id in listed]
    order = [_item(site, task, desk, listed[task.id]) for task in tasks]
    begun = next((item for item in order if item.state == "begun"), None)
    first = next((item for item in order if item.state == "open"), None)
    done = sum(item.state == "done" for item in order)
    total = sum(item.state != "changed" for item in order)
    blocks = tuple(_blocks(site, list(zip(tasks, order, strict=True))))
    return Work(blocks=blocks, order=tuple(order), total=total, done=done, next=begun or first)


def _blocks(site: Site, placed: list[tuple[Task, WorkItem]]) -> Iterator[WorkBlock]:
    for protocol in map(site.protocol, dict.fromkeys(task.protocol for task, _ in placed)):
        items = tuple(item for task, item in placed if task.protocol == protocol.name)
        yield WorkBlock(protocol.title, items)


def is_assigned(site: Site, task: Task) -> bool:
    """Whether a task was given to its assessor, to be done here: pairs that are drawn live are counted apart."""
    return site.protocol(task.protocol).IN_BROWSER and not is_copy(task)


def places(site: Site, desk: Desk) -> Mapping[str, tuple[int, int]]:
    """The tasks that are listed, each with its number among those of its protocol, and how many these are."""
    if desk.places:
        return desk.places[0]
    there = [task for task in desk.tasks if not task.cancelled]
    with_protocol = [task for task in there if site.has_protocol(task.protocol)]
    listed = [task for task in with_protocol if is_assigned(site, task)]
    totals, numbers = Counter(task.protocol for task in listed), Counter[str]()
    numbered: dict[str, tuple[int, int]] = {}
    for task in listed:
        numbers[task.protocol] += 1
        numbered[task.id] = numbers[task.protocol], totals[task.protocol]
    if len(with_protocol) == len(there):  # a protocol that is not known yet may come
        desk.places.append(numbered)
    return numbered


def answers_of(site: Site, person: str) -> dict[str, Mapping[str, Any]]:
    """A person's answers that count now: by task, then by question."""
    return {task: _given(judged, person) for task, judged in site.desk(person).judged.items()}


def _given(judged: Judged | None, person: str) -> dict[str, Any]:
    answers = {} if judged is None else judged.answers
    return {q: event.answer for q, event in answers.items() if event.assessor == person}


def item_of(site: Site, person: str, task: Task) -> WorkItem:
    """A task as the list has it; the others are not looked at."""
    desk = site.desk(person)
    return _item(site, task, desk, places(site, desk)[task.id])


def _item(site: Site, task: Task, desk: Desk, place: tuple[int, int]) -> WorkItem:
    number, total = place
    done, of = _progress(site, task, desk)
    return WorkItem(
        key=site.task_key(task),
        number=number,
        total=total,
        label=f"{site.protocol(task.protocol).LABEL} {number}",
        done=done,
        of=of,
        changed=done < of and site.changed(task) is not None,
    )


def _progress(site: Site, task: Task, desk: Desk) -> tuple[int, int]:
    """As `progress`, counted anew only where the answers are others than when it was counted last."""
    judged, texts = desk.judged.get(task.id), site.collection
    (answers, of), steps = desk.progress.get(task.id, ((None, None), (0, 0)))
    if of is not texts or answers is not judged:
        steps = progress(site, task, _given(judged, task.assessor))
        desk.progress[task.id] = ((judged, texts), steps)
    return steps


def progress(site: Site, task: Task, answers: Mapping[str, Any]) -> tuple[int, int]:
    """How many of a task's questions are answered, and how many there are now."""
    page = asked_page(site, task)
    standing = page.standing(answers)
    questions = page.asked(standing)
    return sum(question in standing for question in questions), len(questions)


def after(site: Site, person: str, task: Task) -> WorkItem | None:
    """What comes after a task: the next one that is not done, from there on and then from the start."""
    desk = site.desk(person)
    listed = places(site, desk)
    tasks = [other for other in desk.tasks if other.id in listed]
    here = next((at for at, other in enumerate(tasks) if other.id == task.id), -1)
    items = (_item(site, other, desk, listed[other.id]) for other in tasks[here + 1 :] + tasks[: here + 1])
    return next((item for item in items if item.state in ("open", "begun")), None)
