"""Planted repeats: first answers are closed when a repeat is judged, and nothing but its text tells it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from httpx2 import Response
from starlette.testclient import TestClient
from tests.web import making
from tests.web.making import Running, answer, send

from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.pairs.sample import sample
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Task
from adjudge.web.answering import GONE_ON
from adjudge.web.closing import reach

ANN, EVA = "ann", "eva"
KEY = re.compile(r"[a-z2-7]{20}")


def finish(app: Running, client: TestClient, task: Task, value: int = 3) -> None:
    """Answers everything on a rating page, or decides a pair."""
    if task.left is not None:
        events = [answer(app.key(task), "preference", {"winner": "left"})]
    else:
        questions = app.site.protocol(task.protocol).questions
        events = [answer(app.key(task), each.id, {"value": value}) for each in questions]
    assert not send(client, *events)["refused"]


def look(app: Running, client: TestClient, task: Task) -> Response:
    """Opens a page as a browser does."""
    if task.left is None:
        return client.get(f"/task/{app.key(task)}")
    return client.post("/api/pairs/next", json={"count": 1, "first": app.key(task)})


def change(app: Running, client: TestClient, task: Task) -> list[str]:
    """Why another answer is refused."""
    question, given = ("preference", {"winner": "right"}) if task.left else ("rating:fluency", {"value": 5})
    return [each["why"] for each in send(client, answer(app.key(task), question, given))["refused"]]


def is_closed(app: Running, client: TestClient, task: Task) -> bool:
    """To every look and every change; or to none."""
    key = app.key(task)
    found = {look(app, client, task).status_code, client.get(f"/api/tasks/{key}").status_code}
    assert len(found) == 1
    refused = change(app, client, task)
    assert (found == {403}) == (refused == [GONE_ON])
    return found == {403}


def with_eva(evaluation: Evaluation, protocol: str, order: str, repeats: float = 0.2) -> None:
    with store_of(evaluation.folder) as store:
        store.accounts.add(EVA)
        asked = load_protocol(protocol)
        for part in (("storm",), ("strike",), ("race",)) if order == "later" else ((),):
            assign(
                store,
                evaluation.collection,
                asked,
                assessors=[EVA],
                topics=part,
                per_summary=3,
                order="mixed" if order == "mixed" else "topic",
                repeats=repeats,
            )


@pytest.fixture(params=["rating", "preference-summaries"])
def app(request: pytest.FixtureRequest, evaluation: Evaluation) -> Iterator[Running]:
    with_eva(evaluation, request.param, "topic", 0.4)
    with making.running(evaluation.folder) as found:
        yield found


def test_first_answers_are_closed_when_the_repeat_is_opened(app: Running) -> None:
    line, client = app.site.tasks_of(EVA), app.client(EVA)
    again = next(task for task in line if task.repeat_of)
    first = next(task for task in line if task.id == again.repeat_of)
    for task in line[: line.index(again)]:
        assert look(app, client, task).status_code == 200
        finish(app, client, task)
    before = answer(app.key(first), "preference" if first.left else "rating:fluency", None)
    assert look(app, client, again).status_code == 200
    assert look(app, client, first).status_code == 403
    assert change(app, client, first) == [GONE_ON]
    assert [each["why"] for each in send(client, before)["refused"]] == [GONE_ON]
    finish(app, client, again)
    assert change(app, client, first) == [GONE_ON]
    assert send(client, answer(app.key(first), "comment", {"text": "odd"}))["saved"], "notes may be left"


def test_the_same_holds_whichever_is_judged_first(app: Running) -> None:
    line, client = app.site.tasks_of(EVA), app.client(EVA)
    again = next(task for task in line if task.repeat_of)
    first = next(task for task in line if task.id == again.repeat_of)
    look(app, client, again)
    finish(app, client, again)
    assert look(app, client, again).status_code == 200
    assert look(app, client, first).status_code == 200
    assert look(app, client, again).status_code == 403
    assert change(app, client, again) == [GONE_ON]


def test_which_pages_close_does_not_tell_repeats(app: Running) -> None:
    """All that are done close alike: what matters is how far away others are opened, and when."""
    line, client = app.site.tasks_of(EVA), app.client(EVA)
    far = reach(line)
    assert far is not None
    for here, task in enumerate(line):
        assert look(app, client, task).status_code == 200
        finish(app, client, task)
        if here % 4 == 0 or task.repeat_of:  # those that are near are opened again by this: it closes nothing
            ahead = 1 if task.left else 0  # the next pair is fetched in advance
            closed = [is_closed(app, client, each) for each in line[: here + 1]]
            assert closed == sorted(closed, reverse=True), "the earlier ones, without a gap"
            assert sum(closed) in {max(0, here + 1 - far), max(0, here + ahead + 1 - far)}
    pages = {look(app, client, task).text for task in line if look(app, client, task).status_code == 403}
    assert len({KEY.sub("key", re.sub("[0-9a-f]{64}", "token", each)) for each in pages}) == 1


def test_what_is_not_done_can_be_done_later(evaluation: Evaluation) -> None:
    with_eva(evaluation, "rating", "topic", 0.4)
    with making.running(evaluation.folder) as app:
        line, client = app.site.tasks_of(EVA), app.client(EVA)
        assert not send(client, answer(app.key(line[0]), "rating:fluency", {"value": 2}))["refused"]
        for task in line[1:]:
            look(app, client, task)
            finish(app, client, task)
        assert look(app, client, line[0]).status_code == 200
        assert change(app, client, line[0]) == []
        finish(app, client, line[0])
        look(app, client, line[-1])
        assert is_closed(app, client, line[0])


def test_what_was_stored_before_is_acknowledged_again(app: Running) -> None:
    """A browser that did not hear of it sends it again, and must not lose it."""
    line, client = app.site.tasks_of(EVA), app.client(EVA)
    finish(app, client, line[0])
    question, given = ("preference", {"winner": "tie"}) if line[0].left else ("rating:fluency", {"value": 4})
    sent = answer(app.key(line[0]), question, given)
    (saved,) = send(client, sent)["saved"]
    look(app, client, line[-1])
    assert change(app, client, line[0]) == [GONE_ON]
    assert send(client, sent)["saved"] == [saved]


def test_it_stays_closed_when_the_server_starts_again(evaluation: Evaluation) -> None:
    with_eva(evaluation, "rating", "topic", 0.4)
    with making.running(evaluation.folder) as app:
        line, client = app.site.tasks_of(EVA), app.client(EVA)
        finish(app, client, line[0])
        look(app, client, line[-1])
    with making.running(evaluation.folder) as app:
        assert is_closed(app, app.client(EVA), line[0])


def test_without_repeats_nothing_closes(evaluation: Evaluation) -> None:
    with_eva(evaluation, "rating", "topic", 0)
    with making.running(evaluation.folder) as app:
        line, client = app.site.tasks_of(EVA), app.client(EVA)
        for task in line:
            look(app, client, task)
            finish(app, client, task)
        assert not any(is_closed(app, client, task) for task in line)


def test_pairs_that_whoever_comes_gets_close_too(evaluation: Evaluation) -> None:
    with making.running(evaluation.folder) as app:
        app.site.store.accounts.add(EVA)
        protocol = app.site.protocol("preference-sentences")
        sample(app.site.collection, app.site.store, protocol, count=8, repeats=0.5, topics=["storm"])
        client, tasks = app.client(EVA), {}
        for _ in range(12):
            (pair,) = client.post("/api/pairs/next", json={"count": 1}).json()["pairs"]
            tasks = {task.id: task for task in app.site.tasks_of(EVA)}
            (task,) = [each for each in tasks.values() if app.key(each) == pair["task"]]
            if task.repeat_of:
                assert look(app, client, tasks[task.repeat_of]).status_code == 403
                assert change(app, client, tasks[task.repeat_of]) == [GONE_ON]
            finish(app, client, task)
        assert sum(task.repeat_of is not None for task in tasks.values()) == 4


def shape(page: str) -> str:
    """A page without what is each page's own: ids, tokens, its number, its text."""
    page = KEY.sub("key", re.sub("[0-9a-f]{64}", "token", page))
    page = re.sub(r"\b[a-z2-7]{12}\b", "unit", page)
    return re.sub(r"(Summary|Pair) \d+ of \d+", "place", page)


@pytest.mark.parametrize("protocol", ["rating", "duc-2002"])
@pytest.mark.parametrize("order", ["topic", "mixed", "later"])
def test_a_repeat_is_served_as_its_original_was(evaluation: Evaluation, protocol: str, order: str) -> None:
    """Byte for byte, but for ids and numbers: page, answers, headers, sizes; and so is the list."""
    with_eva(evaluation, protocol, order)
    with making.running(evaluation.folder) as app:
        client, line = app.client(EVA), app.site.tasks_of(EVA)
        repeats = [task for task in line if task.repeat_of]
        assert repeats
        for again in repeats:
            first = next(task for task in line if task.id == again.repeat_of)
            one, two = (client.get(f"/task/{app.key(task)}") for task in (first, again))
            assert shape(one.text) == shape(two.text)
            assert set(one.headers) == set(two.headers)
            for path in ("", "/source"):
                one, two = (client.get(f"/api/tasks/{app.key(task)}{path}") for task in (first, again))
                assert one.text == two.text
        page = client.get("/work").text
        entries = re.findall(
            r'<li><a class="([^"]*)" href="/task/([a-z2-7]{20})">(\d+)<span[^>]*>([^<]*)', page
        )
        assert [key for _, key, _, _ in entries] == [app.key(task) for task in line]
        assert {state for state, *_ in entries} == {"task open"}
        assert [int(number) for _, _, number, _ in entries] == list(range(1, len(line) + 1))
        assert page.count("<section") == 3, "what is done, the pairs, and one list"
        words = Counter(re.sub(r"\d+", "n", text) for *_, text in entries)
        assert set(words) == {" Summary n: n of n answered"}
