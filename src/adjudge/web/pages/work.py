"""What an assessor has to do, what is done, and where to go on. No routes, no HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.judgments.tasks import Judged, Task
from adjudge.web.answering import AskedPage
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

    kind: str
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


LABELS = {
    "coverage": "Summary",
    "rating": "Summary",
    "preference": "Pair",
    "pyramid": "Summary",
    "mismatch": "Mismatch",
}


def work_of(site: Site, person: str) -> Work:
    """A person's work in the order of the plan: a planted repeat stands, and is numbered, where the plan has it."""
    answers = answers_of(site, person)
    tasks = [task for task in site.tasks_of(person) if is_assigned(site, task)]
    totals, numbers = Counter(task.protocol for task in tasks), Counter[str]()
    order: list[WorkItem] = []
    for task in tasks:
        numbers[task.protocol] += 1
        place = numbers[task.protocol], totals[task.protocol]
        order.append(_item(site, task, answers.get(task.id, {}), *place))
    begun = next((item for item in order if item.state == "begun"), None)
    first = next((item for item in order if item.state == "open"), None)
    done = sum(item.state == "done" for item in order)
    total = sum(item.state != "changed" for item in order)
    blocks = tuple(_blocks(site, list(zip(tasks, order, strict=True))))
    return Work(blocks=blocks, order=tuple(order), total=total, done=done, next=begun or first)


def _blocks(site: Site, placed: list[tuple[Task, WorkItem]]) -> Iterator[WorkBlock]:
    for protocol in map(site.protocol, dict.fromkeys(task.protocol for task, _ in placed)):
        items = tuple(item for task, item in placed if task.protocol == protocol.name)
        yield WorkBlock(protocol.kind, protocol.title, items)


def is_assigned(site: Site, task: Task) -> bool:
    """Whether a task was given to its assessor, to be done here: pairs that are drawn live are counted apart."""
    return site.protocol(task.protocol).kind != "pyramid" and not is_copy(task)


def answers_of(site: Site, person: str) -> dict[str, Mapping[str, Any]]:
    """A person's answers that count now: by task, then by question."""
    return {judged.task.id: _given(judged, person) for judged in site.store.current(assessor=person)}


def _given(judged: Judged, person: str) -> dict[str, Any]:
    return {q: event.answer for q, event in judged.answers.items() if event.assessor == person}


def _item(site: Site, task: Task, answers: Mapping[str, Any], number: int, total: int) -> WorkItem:
    done, of = progress(site, task, answers)
    label = f"{LABELS[site.protocol(task.protocol).kind]} {number}"
    return WorkItem(
        key=site.task_key(task),
        number=number,
        total=total,
        label=label,
        done=done,
        of=of,
        changed=done < of and site.changed(task) is not None,
    )


def progress(site: Site, task: Task, answers: Mapping[str, Any]) -> tuple[int, int]:
    """How many of a task's questions are answered, and how many there are now."""
    page = AskedPage.of(site, task)
    standing = page.standing(answers)
    questions = page.asked(standing)
    return sum(question in standing for question in questions), len(questions)


def after(site: Site, person: str, task: Task) -> WorkItem | None:
    """What comes after a task: the next one that is not done, from there on and then from the start."""
    every = work_of(site, person).order
    here = next((at for at, item in enumerate(every) if item.key == site.task_key(task)), -1)
    open = ("open", "begun")
    return next((item for item in every[here + 1 :] + every[: here + 1] if item.state in open), None)
