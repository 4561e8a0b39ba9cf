"""What the app keeps in memory is what the store says, whoever wrote it last: beside a plain twin that reads it all."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.judgments.making import an_event
from tests.web.making import ASSESSORS, Running, answer, running, send

from adjudge.core.errors import DataError
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store import guard
from adjudge.judgments.store.edits import TaskEdit, make_edit
from adjudge.judgments.store.store import Store, open_store, store_of
from adjudge.judgments.tasks import Task
from adjudge.web.desks import Desks

ANN, BEN = ASSESSORS
PEOPLE = (*ASSESSORS, "otto", "nobody")


@pytest.fixture
def elsewhere(both: Running) -> Iterator[Store]:
    """The store as another process has it open."""
    with store_of(both.site.folder) as store:
        yield store


def assert_as_stored(both: Running) -> None:
    for person in PEOPLE:
        desk, store = both.site.desk(person), both.site.store
        assert list(desk.tasks) == store.tasks(assessor=person, cancelled=True)
        assert desk.by_key == {both.key(task): task for task in desk.tasks}
        assert list(both.site.tasks_of(person)) == store.tasks(assessor=person)
        assert desk.judged == {each.task.id: each for each in store.current(assessor=person)}


def edit(store: Store, change: TaskEdit) -> None:
    store.change(lambda connection: make_edit(connection, store.evaluation, change, "2024-05-01T12:00:00Z"))


def act(store: Store, chance: random.Random, number: int) -> None:
    """One of the things that people, commands and other servers do to tasks and answers."""
    tasks = [task for task in store.tasks(cancelled=True) if task.assessor in PEOPLE]
    task = chance.choice(tasks)
    rating = {"task": task.id, "question": "rating:fluency"}
    system = None if task.peer is None else task.peer.system
    match chance.randrange(9):
        case 0 | 1 | 2:
            store.append([an_event(store, {"value": number}, assessor=task.assessor, **rating)])
        case 3:
            store.append([an_event(store, None, assessor=task.assessor, **rating)])
        case 4:
            more = {"origin": "adjudicated", **rating}
            store.append([an_event(store, {"value": number}, assessor="olga", **more)])
        case 5:
            store.add_tasks([replace(task, id=f"more-{number}", position=chance.randrange(50))])
        case 6:
            edit(store, TaskEdit("withdraw", system=system, topic=task.topic))
        case 7:
            edit(store, TaskEdit("restore", system=system, topic=task.topic))
        case _:
            edit(store, TaskEdit("rename", system=system, to=f"renamed-{number}"))


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 20))])
def test_what_is_kept_is_what_is_stored(both: Running, elsewhere: Store, seed: int) -> None:
    chance = random.Random(seed)
    assert_as_stored(both)
    for number in range(20):
        act(chance.choice([elsewhere, both.site.store]), chance, number)
        assert_as_stored(both)
    edit(elsewhere, TaskEdit("forget", protocol="rating", assessor=ANN))
    assert_as_stored(both)
    assert "rating" not in {task.protocol for task in both.site.tasks_of(ANN)}


def test_pages_show_what_others_wrote_since(both: Running, elsewhere: Store) -> None:
    """Each of it in the next request, without a restart."""
    client, key = both.client(ANN), both.first(ANN, "rating")
    task = both.tasks(ANN, "rating")[0]
    assert client.get(f"/api/tasks/{key}").json() == {}
    elsewhere.append(
        [an_event(elsewhere, {"value": 4}, task=task.id, assessor=ANN, question="rating:fluency")]
    )
    assert client.get(f"/api/tasks/{key}").json()["rating:fluency"]["answer"] == {"value": 4}
    assert "1 of 4 answered" in client.get("/work").text
    before = client.get("/work").text.count('class="task ')
    collection, protocol = both.site.collection, load_protocol("responsiveness")
    made = assign(elsewhere, collection, protocol, assessors=[ANN, BEN], seed=1)
    new = [each for each in made.tasks if each.assessor == ANN]
    assert new
    assert client.get("/work").text.count('class="task ') == before + len(new)
    assert client.get(f"/task/{both.key(new[0])}").status_code == 200
    elsewhere.accounts.suspend(ANN)
    assert client.get("/work").status_code == 303
    assert (
        client.post("/api/events", json={"events": [answer(key, "comment", {"text": ""})]}).status_code == 401
    )


def test_a_page_cancelled_elsewhere_takes_no_answers_after_a_restart_either(evaluation: Evaluation) -> None:
    with running(evaluation.folder) as app:
        task = app.tasks(ANN, "rating")[0]
        key, first = app.key(task), answer(app.first(ANN, "rating"), "comment", {"text": "before"})
        other = next(each for each in app.tasks(ANN, "rating")[1:] if each.peer)
    assert other.peer is not None
    evaluation.withdraw("wrong prompt", system=other.peer.system, topic=other.topic)
    with running(evaluation.folder) as app:
        client = app.client(ANN)
        receipt = send(client, answer(app.key(other), "rating:fluency", {"value": 5}))
        why = [each["why"] for each in receipt["refused"]]
        assert why == ["this page was cancelled: its texts are not judged any more"]
        assert send(client, first)["refused"] == []
        assert first["task"] == key


def test_many_look_while_many_write(app: Running) -> None:
    """No look is older than the answers that were acknowledged before it."""
    tasks, missed = app.tasks(ANN, "rating"), list[str]()

    def work(task: Task) -> None:
        for value in (1, 2, 3, 4, 5):
            store = app.site.store
            store.append(
                [an_event(store, {"value": value}, task=task.id, assessor=ANN, question="rating:fluency")]
            )
            if app.site.desk(ANN).judged[task.id].answers["rating:fluency"].answer != {"value": value}:
                missed.append(task.id)

    threads = [threading.Thread(target=work, args=(task,)) for task in tasks[:6]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []


def test_a_store_that_fails_while_it_is_looked_at_loses_nothing(
    app: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, (task, *_) = app.site.store, app.tasks(ANN, "rating")
    desks = Desks(store, app.key)
    desks.of(ANN)
    store.append([an_event(store, {"value": 3}, task=task.id, assessor=ANN, question="rating:fluency")])
    with monkeypatch.context() as patched:
        patched.setattr(store, "current", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            desks.of(ANN)
    assert desks.of(ANN).judged[task.id].answers["rating:fluency"].answer == {"value": 3}


def test_twenty_who_read_at_once_leave_their_connections_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening one compares its schema: a hundred assessors would have that done for every page."""
    opened: list[Path] = []
    connect = guard.connect

    def counted(path: Path, **options: Any) -> guard.Guarded:
        opened.append(path)
        return connect(path, **options)

    monkeypatch.setattr(guard, "connect", counted)
    with open_store(tmp_path, "e") as store:
        for _ in range(3):
            with ExitStack() as readers:
                for _ in range(20):
                    readers.enter_context(store.database.reading())
        assert len(opened) <= 22


def test_desks_are_read_whole_by_one_at_a_time(both: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads all of a person's answers has the turn, so that no other does."""
    desks = Desks(both.site.store, both.key)
    alone: list[bool] = []
    current = Store.current

    def watched(self: Store, *args: Any, **options: Any) -> Any:
        alone.append(desks._much.locked())
        return current(self, *args, **options)

    monkeypatch.setattr(Store, "current", watched)
    threads = [threading.Thread(target=desks.of, args=(person,)) for person in PEOPLE]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alone == [True] * len(PEOPLE)
    assert all(desks.of(person).tasks == both.site.desk(person).tasks for person in PEOPLE)


def test_the_first_look_after_signing_in_reads_no_task_again(
    both: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a person's tasks and answers are read behind the sign-in, not while somebody waits for a page."""
    client, store = sign_in(both), both.site.store
    with monkeypatch.context() as patched:
        patched.setattr(store, "tasks", lambda **_: pytest.fail("tasks were read again"))
        patched.setattr(store, "current", lambda **_: pytest.fail("answers were read again"))
        assert 'class="task ' in client.get("/work").text


def test_a_store_that_fails_behind_a_sign_in_lets_people_in(
    both: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(both.site.store, "tasks", _fails)
        client = sign_in(both)
    assert client.get("/work").status_code == 200


def sign_in(app: Running) -> TestClient:
    client = app.client()
    token = app.site.store.accounts.renew_link(ANN)
    assert client.post("/api/sign-in", json={"token": token}).status_code == 200
    return client


def _fails(**_: object) -> None:
    raise DataError("the disk is gone")
