"""A small full evaluation for the tests of the annotation app, and somebody who visits it; no tests here."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from starlette.testclient import TestClient
from tests.judgments.making import Clock

from adjudge.data.folder import Folder
from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store import schema
from adjudge.judgments.store.sessions import Proof
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Task, units_of
from adjudge.web.access import CSRF_HEADER, cookie_name, csrf_token
from adjudge.web.api import PERSON_HEADER
from adjudge.web.app import create_app
from adjudge.web.blind import UnitIds
from adjudge.web.site import Site

BASE = "http://127.0.0.1"
ASSESSORS = ("ann", "ben")
ORGANISER, JUDGING_ORGANISER, SUSPENDED = "olga", "otto", "sue"
PROTOCOLS = ("duc-2002", "duc-2001", "rating", "preference-summaries")
THINGS = ("storm", "strike", "race")
SCRIPT = "<script>alert('A storm')</script>"

Name = Callable[[str], str]
"""What a thing is called; tests of blindness call everything something that can be looked for."""


def write(path: Path, *, name: Name = str, headers: bool = False) -> Evaluation:
    """Three topics (the last one an update of the first), two writers, a machine, a baseline, documents, units."""
    evaluation = Evaluation.init(path)
    evaluation.take(("test", row) for row in rows(name, headers))
    evaluation.units()
    return evaluation


def rows(name: Name = str, headers: bool = False) -> Iterator[Row]:
    for writer in ("writer-a", "writer-b"):
        yield System(name(writer), kind="human", label=name(f"{writer} label"), group=name("writers"))
    yield System(name("machine"), kind="machine", label=name("machine label"), group=name("machines"))
    yield System(name("lead"), kind="baseline", label=name("lead label"))
    for thing in THINGS:
        update = thing == "race"
        yield Topic(
            name(thing),
            set=name(f"{thing} set"),
            type=name("type"),
            task="multi",
            selector=name("selector"),
            title=None if update else f"A {thing}",
            question=f"How did the {thing} end?",
            after=name("storm") if update else None,
        )
        for number, text in enumerate(_documents(thing), 1):
            id = name(f"{thing} document {number}")
            yield Document(
                name(thing), id, _headed_document(text, id) if headers else text, f"2024-01-0{number}"
            )
        for system, roles, text in _summaries(thing):
            if headers:
                text = _headed(text, name(system), name(f"{thing} set"), name("selector"))
            author = name(f"{system} author") if "reference" in roles else None
            yield Summary(name(thing), name(system), text, 20, roles, author)


def _documents(thing: str) -> Sequence[str]:
    return (
        f"The {thing} began on Monday. It was a long one. Many people saw the {thing} from afar.",
        f"On Tuesday the {thing} ended. Nobody was hurt by it. The city paid for the damage.",
    )


def _summaries(thing: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    yield (
        "writer-a",
        ("peer", "reference"),
        f"A {thing} began on Monday and ended on Tuesday. Nobody was hurt.",
    )
    yield (
        "writer-b",
        ("reference",),
        f"The {thing} lasted two days. The city paid for the damage, it is said.",
    )
    yield "machine", ("peer",), f"The {thing} began on Monday. {SCRIPT} Nobody was hurt by it."
    yield "lead", ("peer",), f"The {thing} began on Monday. It was a long one."


def _headed(text: str, system: str, set: str, selector: str) -> str:
    """As collections have them: a tag over several lines, a tag on a line, fields at the top."""
    return (
        f'<SUM\nDOCSET="{set}"\nSELECTOR="{selector}"\nSUMMARIZER="{system}">\n'
        f'<SUM DOCSET="{set}" SUMMARIZER="{system}">\nSystem: {system}\nFile: {system}.txt\n'
        f'{text}\n<MODEL ID="{system}">And so on.</MODEL>\n</SUM>\n</SUM>\n'
    )


def _headed_document(text: str, id: str) -> str:
    return (
        f"<DOC>\n<DOCNO> {id} </DOCNO>\n<DOC><DOCNO>{id}</DOCNO><FILEID>{id}</FILEID><TEXT>The paper writes.\n"
        f"{text}\n</TEXT>\n</DOC>\n"
    )


def settle(
    evaluation: Evaluation, *, database: str | None = None, name: str = "Storms", **judging: Any
) -> Folder:
    """Writes evaluation.toml: sentence pairs are drawn live, and one organiser judges too."""
    given = {"organisers_who_judge": [JUDGING_ORGANISER], **judging}
    lines = [f"name = {json.dumps(name)}", 'protocol = "preference-sentences"']
    lines += [f"database = {json.dumps(database)}"] if database else []
    lines += ["[judging]", *(f"{key} = {json.dumps(value)}" for key, value in given.items())]
    (evaluation.path / "evaluation.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Folder.open(evaluation.path)


def fill(store: Store, evaluation: Evaluation) -> None:
    """People with accounts, and tasks of every kind."""
    for person in ASSESSORS:
        store.accounts.add(person)
    store.accounts.add(SUSPENDED)
    store.accounts.add(ORGANISER, "organiser")
    store.accounts.add(JUDGING_ORGANISER, "organiser")
    collection = evaluation.collection
    for name in PROTOCOLS:
        assign(store, collection, load_protocol(name), assessors=ASSESSORS, repeats=0.2, seed=1)
    first = next(iter(collection.topics))
    rating = load_protocol("rating")
    assign(store, collection, rating, assessors=[JUDGING_ORGANISER], topics=[first], per_summary=2, seed=1)


@dataclass
class Running:
    """The app on an evaluation, in this process."""

    site: Site
    app: FastAPI
    clock: Clock
    portal: BlockingPortal

    def client(self, person: str | None = None, **options: Any) -> TestClient:
        """Somebody who visits; `person` is signed in."""
        made = TestClient(self.app, base_url=BASE, follow_redirects=False, **options)
        made.portal = (
            self.portal
        )  # one loop for all: a client of its own would start one, with threads, per request
        return made if person is None else self.signed_in(made, person)

    def signed_in(self, client: TestClient, person: str) -> TestClient:
        """A session of the person's, and what pages of their own send along."""
        session = self.site.store.sessions.start(person, timedelta(days=1), proof=self._proof(person))
        client.cookies.set(cookie_name(self.site), session, domain="127.0.0.1")
        client.headers[CSRF_HEADER] = csrf_token(self.site, session)
        client.headers[PERSON_HEADER] = self.site.person_key(person)
        return client

    def _proof(self, person: str) -> Proof | None:
        """As if the person had come by their link; which one that is, only its hash knows."""
        table, store = schema.account, self.site.store
        mine = (table.c.evaluation == store.evaluation) & (table.c.person == person)
        with store.database.reading() as connection:
            kept = connection.scalar(sa.select(table.c.token_hash).where(mine))
        return None if kept is None else Proof("link", kept)

    def tasks(self, person: str, protocol: str) -> list[Task]:
        return [task for task in self.site.tasks_of(person) if task.protocol == protocol]

    def key(self, task: Task) -> str:
        return self.site.task_key(task)

    def units(self, task: Task) -> tuple[list[str], list[str]]:
        """The public ids of the reference's units and of the summary's, in order."""
        assert task.peer is not None
        assert task.reference is not None
        protocol, rows = self.site.protocol(task.protocol), self.site.collection.units[task.topic]
        keys = UnitIds.of(self.site, task).public
        kinds = ((task.reference, protocol.model_units), (task.peer, protocol.peer_units))
        model, peer = ([keys[unit.id] for unit in units_of(rows, text, kind)] for text, kind in kinds)
        return model, peer

    def first(self, person: str, protocol: str) -> str:
        """The public id of a person's first task of a protocol."""
        return self.key(self.tasks(person, protocol)[0])

    @property
    def stored(self) -> int:
        """How many answers are in the store."""
        return self.site.store.last_seq()


@contextmanager
def running(folder: Folder, **options: Any) -> Iterator[Running]:
    """The app, on a clock that stands."""
    site, clock = Site.open(folder), Clock()
    site.store.clock = clock
    app = create_app(site, **options)
    try:
        with start_blocking_portal() as portal:
            yield Running(site, app, clock, portal)
    finally:
        app.state.sampler.close()
        site.close()


def answer(task: str, question: str, given: Any, **more: Any) -> dict[str, Any]:
    """An answer as the pages send it."""
    return {"id": str(uuid.uuid4()), "task": task, "question": question, "answer": given, **more}


def send(client: TestClient, *answers: dict[str, Any]) -> dict[str, Any]:
    """Sends answers; the receipt."""
    response = client.post("/api/events", json={"events": list(answers)})
    assert response.status_code == 200, response.text
    receipt: dict[str, Any] = response.json()
    return receipt
