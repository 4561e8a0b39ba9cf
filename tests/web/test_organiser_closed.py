"""Organisers and blindness: who is not named judges nothing, who judges sees whose text is whose afterwards."""

from __future__ import annotations

import csv
import io
import json

import pytest
from starlette.testclient import TestClient
from tests.web.making import JUDGING_ORGANISER, ORGANISER, Running, answer, send

from adjudge.judgments.pairs.sample import sample

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
    """Until the last of their own pages is done, and again when an answer is taken back."""
    flag_everything(both)
    client, tasks = both.client(JUDGING_ORGANISER), both.tasks(JUDGING_ORGANISER, "rating")
    assert len(tasks) > 1
    assert_closed(client)
    for task in tasks:
        assert_closed(client)
        for aspect in both.site.protocol("rating").questions:
            send(client, answer(both.key(task), aspect.id, {"value": 3}))
    assert_open(client)
    assert named(client.get("/organiser").text)
    send(client, answer(both.key(tasks[0]), "rating:fluency", None))
    assert_closed(client)


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
    assert_open(client)
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
