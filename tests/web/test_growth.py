"""What one person opens does not take longer for what others answer: counted in steps of the database, not in time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from tests.judgments.making import an_event
from tests.web.making import Running, running

from adjudge.data.folder import Folder
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.protocol import load_protocol

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


def everybody_judges(app: Running) -> None:
    """Forty others get pages, and answer all of them."""
    store = app.site.store
    people = [f"other-{n}" for n in range(40)]
    made = make_tasks(app.site.collection, load_protocol("rating"), people, store.evaluation)
    store.add_tasks(made)
    events = [
        an_event(store, {"value": 3}, task=task.id, assessor=task.assessor, question=question.id)
        for task in made
        for question in app.site.protocol("rating").questions
    ]
    for start in range(0, len(events), 500):
        store.append(events[start : start + 500])
    assert len(events) > 1000


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
        after = {page: steps_of(app, page) for page in pages}
    assert {page: after[page] for page in pages if after[page] > 1.3 * before[page] + 20} == {}


def test_the_count_can_grow(app: Running) -> None:
    with counting(app) as before:
        app.site.store.current()
    everybody_judges(app)
    with counting(app) as after:
        app.site.store.current()
    assert after.n > 3 * before.n + 20
