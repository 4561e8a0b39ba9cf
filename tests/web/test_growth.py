"""What one person opens or saves does not take longer for all that was asked and answered before.

Counted in questions to the database, in its steps and in pages that are looked through, not in time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from httpx2 import Response
from tests.judgments.making import an_event
from tests.web.making import Running, answer, running

from adjudge.data.folder import Folder
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Task
from adjudge.web.pages import work
from adjudge.web.pages.work import progress
from adjudge.web.site import Site

ANN = "ann"
EVERY = 10  # steps of SQLite's machine between two counts


class Steps:
    """Counts what readers make SQLite do."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self) -> int:
        self.n += 1
        return 0


@contextmanager
def counting(app: Running) -> Iterator[Steps]:
    steps = Steps()

    def watch(connection: Any, record: object, proxy: object) -> None:
        connection.set_progress_handler(steps, EVERY)

    engine = app.site.store.database._reader
    sa.event.listen(engine, "checkout", watch)
    try:
        yield steps
    finally:
        sa.event.remove(engine, "checkout", watch)


def steps_of(app: Running, path: str) -> int:
    client = app.client(ANN)
    with counting(app) as steps:
        assert client.get(path).status_code == 200
    return steps.n


def everybody_judges(app: Running, *, n: int = 40) -> None:
    """Forty others get pages, and answer all of them."""
    people = [f"other-{number}" for number in range(n)]
    judge_all(app, people)


def judge_all(app: Running, people: Sequence[str]) -> None:
    store = app.site.store
    made = make_tasks(app.site.collection, load_protocol("rating"), people, store.evaluation)
    store.add_tasks(made)
    events = [
        an_event(store, {"value": 3}, task=task.id, assessor=task.assessor, question=question.id)
        for task in made
        for question in app.site.protocol("rating").questions
    ]
    for start in range(0, len(events), 500):
        store.append(events[start : start + 500])


@pytest.mark.parametrize("live", [True, False])
def test_my_work_does_not_grow_with_everybodys_answers(evaluation: Evaluation, live: bool) -> None:
    """Whether pairs are drawn live, or all pages are assigned."""
    if not live:
        toml = evaluation.path / "evaluation.toml"
        toml.write_text(toml.read_text().replace('protocol = "preference-sentences"\n', ""))
    with running(Folder.open(evaluation.path)) as app:
        assert bool(app.app.state.sampler.live) == live
        pages = ["/work", f"/task/{app.first(ANN, 'rating')}", f"/api/tasks/{app.first(ANN, 'duc-2002')}"]
        before = {page: steps_of(app, page) for page in pages}
        assert min(before.values()) > 5, "something is counted"
        everybody_judges(app)
        app.client("ben").get("/work")  # what is new is looked through once, whoever comes first
        after = {page: steps_of(app, page) for page in pages}
    assert {page: after[page] for page in pages if after[page] > 1.3 * before[page] + 20} == {}


@contextmanager
def questions(app: Running) -> Iterator[list[str]]:
    """What is asked of the database for whoever waits, which the thread that chooses pairs is not."""
    asked: list[str] = []

    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        if threading.current_thread().name != "adjudge-sampler":
            asked.append(statement)

    engines = (app.site.store.database._reader, app.site.store.database._writer)
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)


def costs(
    app: Running, keys: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, tuple[int, int]]:
    """Of every page and of saving: how many questions to the database, and how many pages' progress is counted."""
    counted, client = list[str](), app.client(ANN)

    def count(site: Site, task: Task, answers: Mapping[str, Any]) -> tuple[int, int]:
        counted.append(task.id)
        return progress(site, task, answers)

    def save(key: str, question: str, given: Any) -> Response:
        return client.post("/api/events", json={"events": [answer(key, question, given)]})

    monkeypatch.setattr(work, "progress", count)
    unit = app.units(app.tasks(ANN, "duc-2002")[0])[0][0]
    calls: dict[str, Callable[[], Response]] = {
        path: partial(client.get, path)
        for key in keys.values()
        for path in (
            f"/task/{key}",
            f"/api/tasks/{key}",
            f"/api/tasks/{key}/next",
            f"/api/tasks/{key}/source",
        )
    }
    calls["save a rating"] = partial(save, keys["rating"], "rating:fluency", {"value": 3})
    calls["save a unit"] = partial(
        save, keys["duc-2002"], f"unit:{unit}", {"marked": [], "completeness": 0.0}
    )
    calls["/work"] = partial(client.get, "/work")
    found: dict[str, tuple[int, int]] = {}
    for path in ("/work", *(f"/task/{key}" for key in keys.values())):
        client.get(path)  # what is new has been looked at, and what is left behind is closed
    for name, call in calls.items():
        counted.clear()
        with questions(app) as asked:
            assert call().status_code == 200
        found[name] = (len(asked), len(counted))
    return found


def test_pages_and_saves_cost_the_same_however_much_was_asked_and_answered(
    app: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By oneself, too: the list has three times as many pages then, and most of them are judged."""
    keys = {name: app.first(ANN, name) for name in ("rating", "duc-2002")}
    before = costs(app, keys, monkeypatch)
    everybody_judges(app, n=5)
    store, known = app.site.store, len(app.site.tasks_of(ANN))
    for name in ("responsiveness", "linguistic-quality"):
        store.add_tasks(make_tasks(app.site.collection, load_protocol(name), [ANN], store.evaluation))
    rest = [task for task in app.tasks(ANN, "rating") if app.key(task) != keys["rating"]]
    events = [
        an_event(store, {"value": 3}, task=task.id, assessor=ANN, question=question.id)
        for task in rest
        for question in app.site.protocol("rating").questions
    ]
    store.append(events)
    assert len(app.site.tasks_of(ANN)) > known
    after = costs(app, keys, monkeypatch)
    assert after == before
    assert max(asked for asked, _ in before.values()) <= 14, before


def test_the_history_of_one_page_is_found_without_the_others(app: Running) -> None:
    """It is read at every save of a unit."""
    task, store = app.tasks(ANN, "rating")[0], app.site.store
    store.append([an_event(store, {"value": 3}, task=task.id, assessor=ANN, question="rating:fluency")])

    def steps() -> int:
        with counting(app) as steps:
            assert len(list(store.events(task=task.id))) == 1
        return steps.n

    before = steps()
    everybody_judges(app)
    assert steps() <= before + 5


def test_the_count_can_grow(app: Running) -> None:
    with counting(app) as before:
        app.site.store.current()
    everybody_judges(app)
    with counting(app) as after:
        app.site.store.current()
    assert after.n > 3 * before.n + 20
