"""Organisers and blindness: who is not named judges nothing, who judges sees whose text is whose afterwards."""

from __future__ import annotations

import csv
import io
import json

import pytest
from starlette.testclient import TestClient
from tests.web.making import JUDGING_ORGANISER, ORGANISER, Running, answer, running, send, settle

from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.pairs.sample import sample
from adjudge.judgments.store.log import OPENED
from adjudge.web import answering

SYSTEMS = ("writer-a", "writer-b", "machine", "lead")
ANN = "ann"


def flag_everything(app: Running) -> None:
    """Ann flags a page of every kind."""
    client = app.client(ANN)
    for protocol in ("duc-2002", "rating", "preference-summaries"):
        send(client, answer(app.first(ANN, protocol), "flag", {"text": f"odd {protocol}"}))


def named(page: str) -> set[str]:
    return {system for system in SYSTEMS if system in page}


@pytest.mark.parametrize("path", ["/work", "/pairs", "/task/{}", "/api/tasks/{}", "/api/tasks/{}/source"])
def test_an_organiser_who_is_not_named_cannot_open_an_assessors_page(app: Running, path: str) -> None:
    key = app.first(ANN, "rating")
    client = app.client(ORGANISER)
    assert client.get(path.format(key)).status_code == 403
    assert client.get("/").headers["location"] == "/organiser"
    assert "My work" not in client.get("/organiser").text


def test_a_named_one_can_open_their_own(app: Running) -> None:
    client, key = app.client(JUDGING_ORGANISER), app.first(JUDGING_ORGANISER, "rating")
    assert client.get("/").headers["location"] == "/work"
    assert client.get("/work").status_code == client.get(f"/task/{key}").status_code == 200
    assert send(client, answer(key, "rating:fluency", {"value": 3}))["refused"] == []
    assert client.get(f"/task/{app.first(ANN, 'rating')}").status_code == 404


def test_to_an_organiser_who_does_not_judge_everything_is_open(app: Running) -> None:
    flag_everything(app)
    client = app.client(ORGANISER)
    page = client.get("/organiser").text
    assert "odd duc-2002" in page
    assert named(page)
    assert_open(client)


def test_while_they_judge_results_stay_closed(both: Running) -> None:
    """Until the last of their own pages is done, and again when an answer is taken back before they look."""
    flag_everything(both)
    client, tasks = both.client(JUDGING_ORGANISER), both.tasks(JUDGING_ORGANISER, "rating")
    assert len(tasks) > 1
    assert_closed(client)
    for task in tasks:
        assert_closed(client)
        for aspect in both.site.protocol("rating").questions:
            send(client, answer(both.key(task), aspect.id, {"value": 3}))
    page = client.get("/organiser").text
    assert "can no longer change their own" in page
    assert named(page) == set(), "looking at the page opens nothing"
    send(client, answer(both.key(tasks[0]), "rating:fluency", None))
    assert_closed(client)
    send(client, answer(both.key(tasks[0]), "rating:fluency", {"value": 4}))
    assert_open(client)
    assert named(client.get("/organiser").text)


def finish(app: Running, client: TestClient) -> str:
    """All of the organiser's own pages; the public id of one."""
    tasks = app.tasks(JUDGING_ORGANISER, "rating")
    for task in tasks:
        for aspect in app.site.protocol("rating").questions:
            assert send(client, answer(app.key(task), aspect.id, {"value": 3}))["saved"]
    return app.key(tasks[0])


def test_opening_names_closes_ones_own_answers(both: Running) -> None:
    """Whichever way they are opened; the log says who did and when, once."""
    flag_everything(both)
    client = both.client(JUDGING_ORGANISER)
    key = finish(both, client)
    before = answer(key, "rating:fluency", {"value": 4})
    assert send(client, before)["saved"]
    stored = both.stored
    assert client.get("/organiser/export/csv").status_code == 200
    client.get("/organiser/export/jsonl")
    client.get("/organiser")
    for given in ({"value": 5}, None):
        receipt = send(client, answer(key, "rating:fluency", given))
        assert [each["why"] for each in receipt["refused"]] == [answering.NAMES_SEEN]
    assert both.stored == stored
    assert send(client, before)["saved"], "one that was stored before is acknowledged again"
    assert send(client, answer(key, "comment", {"text": "odd"}))["saved"], "notes are no answers"
    for path in (f"/task/{key}", f"/api/tasks/{key}"):
        assert client.get(path).status_code == 403
        assert "you have opened which text is whose" in client.get(path).text
    said = [entry.what for entry in both.site.store.account_log.entries(JUDGING_ORGANISER)]
    assert said.count(OPENED) == 1
    assert OPENED in both.client(ORGANISER).get("/organiser/log").text
    assert_open(client)


def test_what_is_assigned_afterwards_is_closed_to_them_too(app: Running) -> None:
    client = app.client(JUDGING_ORGANISER)
    finish(app, client)
    assert client.get("/organiser/export/csv").status_code == 200
    rating = app.site.protocol("rating")
    assign(app.site.store, app.site.collection, rating, assessors=[JUDGING_ORGANISER], per_summary=3)
    task = app.tasks(JUDGING_ORGANISER, "rating")[-1]
    receipt = send(client, answer(app.key(task), "rating:fluency", {"value": 1}))
    assert [each["why"] for each in receipt["refused"]] == [answering.NAMES_SEEN]
    assert client.get("/organiser/export/csv").status_code == 200, "what was seen stays open"


def test_a_link_for_another_organiser_opens_names(app: Running) -> None:
    """Whoever makes it can sign in by it."""
    client = app.client(JUDGING_ORGANISER)
    key = finish(app, client)
    for person in (ANN, JUDGING_ORGANISER):
        assert client.post("/api/organiser/link", json={"person": person}).status_code == 200
        assert send(client, answer(key, "rating:fluency", {"value": 4}))["saved"]
    assert client.post("/api/organiser/link", json={"person": ORGANISER}).status_code == 200
    assert send(client, answer(key, "rating:fluency", {"value": 5}))["refused"]


def test_whoever_opened_names_before_does_not_begin_to_judge(evaluation: Evaluation) -> None:
    with running(evaluation.folder) as app:
        assert app.client(ORGANISER).get("/organiser/export/csv").status_code == 200
        rating = app.site.protocol("rating")
        assign(app.site.store, app.site.collection, rating, assessors=[ORGANISER], per_summary=3)
    with running(settle(evaluation, organisers_who_judge=[ORGANISER])) as app:
        client, key = app.client(ORGANISER), app.first(ORGANISER, "rating")
        assert send(client, answer(key, "rating:fluency", {"value": 5}))["refused"]


def test_texts_that_changed_do_not_keep_results_closed_for_ever(app: Running) -> None:
    flag_everything(app)
    first, *others = app.tasks(JUDGING_ORGANISER, "rating")
    assert first.peer is not None
    summaries = app.site.collection.summaries[first.topic]
    summaries[:] = [each for each in summaries if each.system != first.peer.system]
    client = app.client(JUDGING_ORGANISER)
    assert_closed(client)
    for task in others:
        for aspect in app.site.protocol("rating").questions:
            send(client, answer(app.key(task), aspect.id, {"value": 3}))
    assert_open(client)


def test_open_pairs_that_they_may_be_given_keep_results_closed(app: Running) -> None:
    flag_everything(app)
    client = app.client(JUDGING_ORGANISER)
    for task in app.tasks(JUDGING_ORGANISER, "rating"):
        for aspect in app.site.protocol("rating").questions:
            send(client, answer(app.key(task), aspect.id, {"value": 3}))
    assert "stays closed to you" not in client.get("/organiser").text
    sample(app.site.collection, app.site.store, app.site.protocol("preference-sentences"), count=1)
    assert_closed(client)


def assert_closed(client: TestClient) -> None:
    page = client.get("/organiser").text
    assert "stays closed to you" in page
    assert "odd duc-2002" in page, "notes are there, without their places"
    assert named(page) == set()
    assert "/organiser/export/" not in page
    for form in ("jsonl", "csv"):
        response = client.get(f"/organiser/export/{form}")
        assert response.status_code == 403
        assert named(response.text) == set()


def assert_open(client: TestClient) -> None:
    assert "stays closed to you" not in client.get("/organiser").text
    for form in ("jsonl", "csv"):
        response = client.get(f"/organiser/export/{form}")
        assert response.status_code == 200
        assert named(response.text)
        assert response.headers["content-disposition"] == f'attachment; filename="judgments.{form}"'


def test_exports_hold_every_answer_under_pseudonyms(app: Running) -> None:
    flag_everything(app)
    client = app.client(ORGANISER)
    rows = list(csv.DictReader(io.StringIO(client.get("/organiser/export/csv").text)))
    assert {json.loads(row["answer"])["text"] for row in rows} == {
        "odd duc-2002",
        "odd rating",
        "odd preference-summaries",
    }
    assert {row["assessor"] for row in rows} == {app.site.store.people.pseudonym(ANN)}
    records = [json.loads(line) for line in client.get("/organiser/export/jsonl").text.splitlines()]
    assert sum(record.get("question") == "flag" for record in records) == 3
    assert not any(record.get("assessor") == ANN for record in records)
    assert client.get("/organiser/export/xml").status_code == 404


def test_flags_and_comments_are_shown_as_text(app: Running) -> None:
    send(app.client(ANN), answer(app.first(ANN, "rating"), "comment", {"text": "<script>alert(1)</script>"}))
    page = app.client(ORGANISER).get("/organiser").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
