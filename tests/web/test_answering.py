"""Answers that come in: stored once, refused with reasons that tell nothing, taken back, given twice, never lost."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import Future
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.web.making import Running, answer, send

from adjudge.core.errors import BusyError, DataError, FormatError, StoreUnavailable
from adjudge.judgments.tasks import Task
from adjudge.web.answering import LONGEST_NOTE, MOST
from adjudge.web.app import SAYS
from adjudge.web.blind import UnitIds

ANN = "ann"
NO_ANSWER = "not an answer to this"


def current(app: Running, task: Task) -> dict[str, Any]:
    """The answers of a task that count now."""
    judged = {each.task.id: each.answers for each in app.site.store.current(assessor=ANN)}
    return {question: event.answer for question, event in judged.get(task.id, {}).items()}


def test_every_kind_of_answer_is_stored(both: Running) -> None:
    client = both.client(ANN)
    for protocol in ("duc-2002", "duc-2001"):
        task = both.tasks(ANN, protocol)[0]
        (model, *_), peer = both.units(task)
        quality = both.site.protocol(protocol).questions[0]
        given: dict[str, Any] = {
            f"unit:{model}": {"marked": peer[:2], "completeness": 1.0},
            quality.id: {"value": quality.values[0]},
            "comment": {"text": "Zoë said: “naïve” 😀 \x00"},
            "flag": {"text": "odd"},
        }
        receipt = send(client, *(answer(both.key(task), name, each) for name, each in given.items()))
        assert receipt["refused"] == []
        ids = UnitIds.of(both.site, task)
        assert current(both, task) == dict(ids.meant(name, each) for name, each in given.items())
        page = client.get(f"/api/tasks/{both.key(task)}").json()
        assert {name: each["answer"] for name, each in page.items()} == given
    for protocol, question, each in (
        ("rating", "rating:fluency", {"value": 5}),
        ("preference-summaries", "preference", {"winner": "tie"}),
    ):
        task = both.tasks(ANN, protocol)[0]
        assert send(client, answer(both.key(task), question, each))["refused"] == []
        assert current(both, task) == {question: each}


def test_what_is_kept_of_an_answer(app: Running) -> None:
    task = app.tasks(ANN, "rating")[0]
    more = {
        "client": "tab",
        "client_n": 4,
        "shown_at": "2024-05-01T11:59:00.000Z",
        "took_ms": 1500,
        "answered_at": "2024-05-01T11:59:01.500Z",
    }
    sent = answer(app.key(task), "rating:fluency", {"value": 5}, **more)
    seq = send(app.client(ANN), sent)["saved"][0]["seq"]
    (event,) = app.site.store.events()
    assert (event.seq, event.id, event.task, event.assessor, event.origin) == (
        seq,
        sent["id"],
        task.id,
        ANN,
        "human",
    )
    assert {name: getattr(event, name) for name in more} == more


def test_sending_twice_stores_once(both: Running) -> None:
    client, sent = both.client(ANN), answer(both.first(ANN, "rating"), "rating:fluency", {"value": 5})
    first, again = send(client, sent), send(client, sent)
    assert first == again
    assert first["saved"][0] == {"id": sent["id"], "seq": 1, "newer": None}
    assert send(client, sent, sent)["saved"] == [first["saved"][0]] * 2, "in one request, too"
    assert both.stored == 1


def test_the_same_id_with_other_content_is_refused(both: Running) -> None:
    client, sent = both.client(ANN), answer(both.first(ANN, "rating"), "rating:fluency", {"value": 5})
    send(client, sent)
    for change in ({"answer": {"value": 4}}, {"question": "rating:coherence"}, {"took_ms": 7}):
        receipt = send(client, sent | change)
        why = "this answer was sent before with other content"
        assert receipt == {"saved": [], "refused": [{"id": sent["id"], "why": why}]}
    assert both.stored == 1


def bad_answers(app: Running) -> dict[str, dict[str, Any]]:
    """By what is wrong with them."""
    coverage, rating = app.tasks(ANN, "duc-2002")[0], app.tasks(ANN, "rating")[0]
    pair = app.first(ANN, "preference-summaries")
    (model, *_), (peer, *_) = app.units(coverage)
    judged, rated = app.key(coverage), app.key(rating)
    good = {"marked": [peer], "completeness": 1.0}
    return {
        "unknown task": answer("a" * 20, "comment", {"text": "x"}),
        "somebody else's task": answer(app.first("ben", "rating"), "rating:fluency", {"value": 5}),
        "unknown question": answer(rated, "rating:beauty", {"value": 5}),
        "question of another protocol": answer(rated, "preference", {"winner": "left"}),
        "nothing taken back": answer(rated, "rating:beauty", None),
        "nothing to mark": answer(rated, f"unit:{model}", good),
        "unknown model unit": answer(judged, "unit:e00000000", good),
        "unknown peer unit": answer(judged, f"unit:{model}", good | {"marked": [model]}),
        "marked twice": answer(judged, f"unit:{model}", good | {"marked": [peer, peer]}),
        "marked is no list": answer(judged, f"unit:{model}", good | {"marked": peer}),
        "marked are no texts": answer(judged, f"unit:{model}", good | {"marked": [1, None]}),
        "no completeness": answer(judged, f"unit:{model}", {"marked": [peer]}),
        "another completeness": answer(judged, f"unit:{model}", good | {"completeness": 0.3}),
        "unmarked is no choice": answer(judged, "unmarked", {"relevant": 17}),
        "no choice": answer(rated, "rating:fluency", {"value": 6}),
        "a text for a number": answer(rated, "rating:fluency", {"value": "5"}),
        "true is not 1": answer(rated, "rating:fluency", {"value": True}),
        "a list for a number": answer(rated, "rating:fluency", {"value": [5]}),
        "not an object": answer(rated, "rating:fluency", 5),
        "huge": answer(rated, "rating:fluency", {"value": 10**400}),
        "nobody won": answer(pair, "preference", {"winner": None}),
        "a comment without text": answer(rated, "comment", {"txt": "x"}),
        "a comment that is too long": answer(rated, "comment", {"text": "x" * (LONGEST_NOTE + 1)}),
        "a pyramid": answer(rated, "pyramid", {"scus": []}),
        "a question with NUL": answer(rated, "rating:\x00", {"value": 5}),
        "a client with NUL": answer(rated, "comment", {"text": "x"}, client="a\x00b"),
        "a question that is too long": answer(rated, "unit:" + "x" * 195, {"value": 5}),
    }


def test_what_is_no_answer_is_refused_alone_and_without_names(both: Running) -> None:
    """One bad answer does not hold up the others, and why it is refused tells nothing of the store."""
    client, good = both.client(ANN), answer(both.first(ANN, "rating"), "rating:fluency", {"value": 5})
    bad = bad_answers(both)
    receipt = send(client, *bad.values(), good)
    assert {each["id"] for each in receipt["refused"]} == {each["id"] for each in bad.values()}
    assert {each["why"] for each in receipt["refused"]} == {NO_ANSWER}
    assert [each["id"] for each in receipt["saved"]] == [good["id"]]
    assert both.stored == 1


TIMES = {
    "2024-05-01T11:59:00.000Z": True,
    "2024-05-01T11:59:00+02:00": True,
    "2024-05-01": True,
    "yesterday": False,
    "": False,
    "2024-13-01T00:00:00Z": False,
    "99999-01-01T00:00:00Z": False,
    "1714564740": False,
    "2024-05-01T11:59:00Z\x00": False,
}


def test_what_is_no_time_is_refused(app: Running) -> None:
    """Whoever counts minutes later relies on the times of answers."""
    client, key = app.client(ANN), app.first(ANN, "rating")
    for name in ("shown_at", "answered_at"):
        for time, good in TIMES.items():
            receipt = send(client, answer(key, "comment", {"text": "x"}, **{name: time}))
            assert len(receipt["saved"]) == good, (name, time)


def test_null_takes_an_answer_back(both: Running) -> None:
    client, task = both.client(ANN), both.tasks(ANN, "rating")[0]
    key = both.key(task)
    first = send(client, answer(key, "rating:fluency", {"value": 5}))["saved"][0]["seq"]
    assert send(client, answer(key, "rating:fluency", None, base=first))["refused"] == []
    assert current(both, task) == {}
    assert client.get(f"/api/tasks/{key}").json() == {}
    assert "Summary 1: 0 of 4 answered" in client.get("/work").text
    assert both.stored == 2, "it stays in the store"


def test_two_tabs_the_later_answer_wins_and_is_told(both: Running) -> None:
    """Both tabs were opened before the first answer; the second one had not seen it."""
    one, other, task = both.client(ANN), both.client(ANN), both.tasks(ANN, "rating")[0]
    key, question = both.key(task), "rating:fluency"
    first = send(one, answer(key, question, {"value": 5}))["saved"][0]
    assert first["newer"] is None
    second = send(other, answer(key, question, {"value": 2}))["saved"][0]
    assert second["newer"] == first["seq"]
    assert current(both, task) == {question: {"value": 2}}
    assert one.get(f"/api/tasks/{key}").json() == {question: {"answer": {"value": 2}, "seq": second["seq"]}}
    # Having seen the other's answer, the first tab's next one surprises nobody.
    third = send(one, answer(key, question, {"value": 1}, base=second["seq"]))["saved"][0]
    assert third["newer"] is None
    # An answer that waited offline: it counts, since it came last, and is told what it had not seen.
    late = send(other, answer(key, question, {"value": 3}, base=first["seq"]))["saved"][0]
    assert late["newer"] == third["seq"]


def test_one_request_may_hold_many_answers_but_not_any_number(app: Running) -> None:
    client, key = app.client(ANN), app.first(ANN, "rating")
    many = [answer(key, "rating:fluency", {"value": n % 5 + 1}) for n in range(MOST)]
    receipt = send(client, *many)
    assert [each["seq"] for each in receipt["saved"]] == list(range(1, MOST + 1))
    for some in ([], [*many, answer(key, "comment", {"text": "x"})]):
        assert client.post("/api/events", json={"events": some}).status_code == 422
    assert app.stored == MOST


def post(client: TestClient, content: str | bytes) -> int:
    raw = content if isinstance(content, bytes) else content.encode()
    return client.post("/api/events", content=raw, headers={"Content-Type": "application/json"}).status_code


def test_strange_json_is_refused_and_breaks_nothing(app: Running) -> None:
    client = app.client(ANN)
    event = answer(app.first(ANN, "rating"), "rating:fluency", "HERE")
    body = json.dumps({"events": [event]})
    for value in (
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        '{"value": NaN}',
        '{"value": Infinity}',
        '{"value": 1e999}',
        "[" * 50 + "]" * 50,
        "9" * 4000,
        '{"value": 5, "more": NaN}',
    ):
        assert post(client, body.replace('"HERE"', value)) in (200, 422), value
    for value in ("[" * 20_000 + "]" * 20_000, "9" * 5000, '{"value": 5,}', "undefined", ""):
        assert post(client, body.replace('"HERE"', value)) in (400, 422), value
    for whole in (
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"events": null}',
        b'{"events": {}}',
        b"\xff\xfe",
        b"\x00",
        b'"events"',
        b"[" * 100_000,
        body.replace('"base"', '"bass"').encode()[:-1],
    ):
        assert post(client, whole) in (400, 422), whole[:20]
    for change in (
        {"id": "short"},
        {"id": "x" * 65},
        {"id": None},
        {"task": "A" * 20},
        {"base": 0},
        {"base": 1.5},
        {"base": 2**60},
        {"took_ms": -1},
        {"client_n": "x"},
        {"strange": 1},
        {"question": ""},
    ):
        assert post(client, json.dumps({"events": [event | change]})) == 422, change
    form = client.post("/api/events", content=body, headers={"Content-Type": "text/plain"})
    assert form.status_code == 422, "what a form of another site could send"
    assert app.stored == 0


def test_halves_of_characters_are_replaced(app: Running) -> None:
    """A page could not show them again: neither HTML nor JSON in UTF-8 can hold them."""
    client, key = app.client(ANN), app.first(ANN, "rating")
    sent = answer(key, "comment", {"text": "a\ud800b\udc00 😀 \ud83d"})
    assert post(client, json.dumps({"events": [sent]})) == 200
    assert client.get(f"/api/tasks/{key}").json()["comment"]["answer"] == {"text": "a\ufffdb\ufffd 😀 \ufffd"}
    assert client.get(f"/task/{key}").status_code == 200
    assert post(client, json.dumps({"events": [sent]})) == 200, "and are the same when they come again"
    assert app.stored == 1


def test_a_busy_store_says_so_and_nothing_is_lost(app: Running) -> None:
    """Another program holds the database; what was sent is sent again, as the browser's queue does, and stored once."""
    client, key = app.client(ANN), app.first(ANN, "rating")
    with app.site.store.database.writing() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 50")
    many = [answer(key, "rating:fluency", {"value": n + 1}) for n in range(5)]
    other = sqlite3.connect(app.site.folder.path / "judgments.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    response = client.post("/api/events", json={"events": many})
    assert response.status_code == 503
    assert response.json() == {"says": SAYS[503]}
    other.execute("ROLLBACK")
    other.close()
    assert app.stored == 0
    receipt = send(client, *many)
    assert [each["seq"] for each in receipt["saved"]] == [1, 2, 3, 4, 5]
    assert send(client, *many) == receipt


def test_a_store_that_becomes_busy_in_the_middle_loses_nothing(
    app: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, key = app.client(ANN), app.first(ANN, "rating")
    many = [answer(key, "rating:fluency", {"value": n + 1}) for n in range(5)]
    submit, calls = app.site.store.submit, iter(range(10))

    def sometimes(events: Any) -> Any:
        if next(calls) == 3:
            raise BusyError("somebody is writing")
        return submit(events)

    monkeypatch.setattr(app.site.store, "submit", sometimes)
    assert client.post("/api/events", json={"events": many}).status_code == 503
    receipt = send(client, *many)
    assert [each["id"] for each in receipt["saved"]] == [each["id"] for each in many]
    assert app.stored == 5


def test_a_text_that_changed_cannot_be_judged_any_more(app: Running) -> None:
    task = app.tasks(ANN, "rating")[0]
    assert task.peer is not None
    summaries = app.site.collection.summaries[task.topic]
    summaries[:] = [each for each in summaries if each.system != task.peer.system]
    client = app.client(ANN)
    page = client.get(f"/task/{app.key(task)}")
    assert page.status_code == 200
    assert "It cannot be judged" in page.text
    assert task.peer.system not in page.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreUnavailable("the disk is full"), 503),
        (FormatError("a damaged row"), 500),
        (DataError("something else"), 404),
        (ValueError("unheard of"), 500),
        (RuntimeError("unheard of"), 500),
    ],
)
@pytest.mark.parametrize("where", ["looking", "storing"])
def test_only_what_was_judged_is_refused(
    app: Running, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, where: str
) -> None:
    """Whatever else goes wrong, and wherever: the browser keeps what it sent."""
    client = app.client(ANN, raise_server_exceptions=False)
    sent = answer(app.first(ANN, "rating"), "rating:fluency", {"value": 4})

    def fail(*given: object, **more: object) -> Any:
        if where == "looking":
            raise error
        future: Future[Any] = Future()
        future.set_exception(error)
        return future

    with monkeypatch.context() as patch:
        patch.setattr(app.site.store, "state" if where == "looking" else "submit", fail)
        assert client.post("/api/events", json={"events": [sent]}).status_code == status
    assert send(client, sent)["refused"] == []
