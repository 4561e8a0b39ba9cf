"""A small evaluation for browser tests: texts that go wrong in pages, every protocol, and a person for every test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from adjudge.data.collection import Collection
from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Event, Task, TextRef
from adjudge.web.blind import LONG, PublicIds

STORM, UPDATE, NASTY = "storm", "update", "nasty"
SCRIPT = '<script>alert("ran")</script>'
IMAGE = '<img src="nowhere" onerror="alert(1)">'
HEBREW = "הסערה הגיעה לחוף בלילה ואיש לא נפגע."
SHARED = "The storm reached the coast on Monday night."
WIND = "Winds of 140 kilometres an hour tore roofs from houses."

TEXTS: dict[str, dict[str, str]] = {
    STORM: {
        "writer": "The storm hit the coast on Monday, and it tore the roofs off forty houses. Nobody was hurt.",
        "alpha": f"{SHARED} {WIND} Schools stayed closed. The mayor praised the firemen.",
        "beta": f"Schools stayed closed. {SHARED} The harbour was flooded. Ferries did not leave.",
        "gamma": f"{WIND} {SHARED} Insurers count the damage.",
    },
    UPDATE: {
        "writer": "Power came back on Wednesday. Ferries sail again, although the harbour is still being cleaned.",
        "alpha": "Ferries sail again. Power came back on Wednesday.",
        "beta": "Insurers count the damage. The harbour is being cleaned. Ferries sail.",
        "gamma": "Power is back.",
    },
    NASTY: {
        "writer": f"A page held {SCRIPT} and more. {HEBREW}",
        "alpha": f"Somebody wrote {SCRIPT} here. {IMAGE} stood there. {HEBREW}",
        "beta": f"{HEBREW} A word that does not end: {'x' * 200}.",
        "gamma": f"An end </textarea></dialog></main> and a {IMAGE} again. \"Quotes\" & 'more'.",
    },
}
THINGS = (
    "The storm tore roofs from houses",
    "The mayor thanked the firemen",
    "Ferries stayed in the harbour",
    "Schools were closed for two days",
    "A crane fell on the quay",
    "Trains stood still until noon",
    "Trees lay across the coast road",
    "Forty houses lost their roofs",
    "The lighthouse kept its light",
)


def rows() -> Iterable[Row]:
    yield System("writer", kind="human")
    yield Topic(STORM, title="A storm at the coast", question="What did the storm do?")
    yield Topic(UPDATE, title="After the storm", question="What is new since Monday?", after=STORM)
    yield Topic(NASTY, title=f"Markup {SCRIPT}", question=f"Is {IMAGE} shown?")
    for n in (1, 2):
        text = " ".join(f"{thing}, said witness {n}{k}." for k, thing in enumerate(THINGS))
        yield Document(STORM, f"canary-document-{n}", text, f"2024-01-0{n}")
    yield Document(
        UPDATE, "canary-document-3", "On Wednesday the power came back. Ferries sail again.", "2024-01-03"
    )
    yield Document(NASTY, "canary-document-4", f"The source says {SCRIPT} too. {HEBREW}")
    for topic, texts in TEXTS.items():
        for system, text in texts.items():
            roles = ("reference",) if system == "writer" else ("peer",)
            yield Summary(topic, system, text, 100, roles, author="canary-author")


@dataclass
class Person:
    """Somebody who may sign in, and what they have to do."""

    id: str
    token: str
    tasks: list[Task]


class Study:
    """The evaluation, as the test knows it: its store is open here and in the server at once."""

    _numbers = count(1)

    def __init__(self, path: Path, *, settings: str = "", database: str | None = None):
        evaluation = Evaluation.init(path, name="Storms")
        evaluation.take(("test", row) for row in rows())
        evaluation.units()
        with (path / "evaluation.toml").open("a") as file:
            where = "" if database is None else f'database = "{database}"\n'
            file.write(f'\n{where}protocol = "preference-sentences"\n[judging]\n{settings}')
        self.path = path
        self.evaluation = Evaluation.open(path)
        self.collection: Collection = self.evaluation.collection
        self.store: Store = self.evaluation.store()
        self._public = PublicIds(self.store.secret("public-ids"))

    def close(self) -> None:
        self.store.close()

    def person(
        self, *protocols: str, topics: Iterable[str] = (STORM,), peers: Iterable[str] | None = None
    ) -> Person:
        """A new assessor with the tasks of these protocols, on some topics, for some peers."""
        who = f"person-{next(self._numbers)}"
        link = self.store.accounts.add(who)
        found: list[Task] = []
        for name in protocols:
            made = make_tasks(self.collection, self.evaluation.protocol(name), [who], self.store.evaluation)
            found += [
                task
                for task in made
                if task.topic in set(topics)
                and (peers is None or task.peer is None or task.peer.system in set(peers))
            ]
        self.store.add_tasks(found)
        return Person(who, link.token, found)

    def organiser(self) -> Person:
        who = f"organiser-{next(self._numbers)}"
        return Person(who, self.store.accounts.add(who, "organiser").token, [])

    def key(self, task: Task) -> str:
        """What the browser calls a task."""
        return self._public.of("task", task.id)

    def units(self, task: Task, kind: str, of: TextRef | None = None) -> dict[str, str]:
        """The texts of the units of a task's peer, or of its reference, by the id that the browser knows."""
        text = of or task.peer
        assert text is not None
        return {
            self.unit_key(task, unit.id): unit.text
            for unit in self.collection.units[task.topic]
            if (unit.system, unit.length, unit.kind) == (text.system, text.length, kind)
        }

    def events(self, person: Person) -> list[Event]:
        """Everything that the store has of a person, in order."""
        return [event for event in self.store.events() if event.assessor == person.id]

    def answers(self, person: Person, task: Task | None = None) -> dict[str, object]:
        """What counts now: question -> answer; of the person's first task unless told otherwise."""
        wanted = (task or person.tasks[0]).id
        for judged in self.store.current(assessor=person.id):
            if judged.task.id == wanted:
                return dict(
                    self._as_shown(judged.task, question, event.answer)
                    for question, event in judged.answers.items()
                )
        return {}

    def unit_key(self, task: Task, unit: str) -> str:
        """What the browser calls a unit."""
        return self._public.of("unit", task.id, unit)[:LONG]

    def _as_shown(self, task: Task, question: str, answer: Any) -> tuple[str, Any]:
        if not question.startswith("unit:"):
            return question, answer
        marked = [self.unit_key(task, each) for each in answer["marked"]]
        return f"unit:{self.unit_key(task, question.removeprefix('unit:'))}", {**answer, "marked": marked}

    def check_once(self, person: Person) -> None:
        """Every event is stored once, and so is every answer of a page: its number does not come twice."""
        events = self.events(person)
        assert len({event.id for event in events}) == len(events)
        assert len({(event.client, event.client_n) for event in events}) == len(events)
