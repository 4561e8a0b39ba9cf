"""Mismatches in the app: what the page shows and hides, which tags are taken, and that they count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.web import making
from tests.web.making import ORGANISER, SCRIPT, Running, answer, send
from tests.web.mismatch_making import pages

from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tagging import assign_tagging
from adjudge.judgments.tasks import Task

ANN, BEN = "ann", "ben"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Running]:
    """The mismatches of one summary, for two people; texts have header lines that name who wrote them."""
    evaluation = making.write(tmp_path / "e", headers=True)
    folder = making.settle(evaluation)
    with store_of(folder) as store:
        for person in (ANN, BEN):
            store.accounts.add(person)
        store.accounts.add(ORGANISER, "organiser")
        some = pages(evaluation.collection, "storm", "machine", "writer-b")
        assign_tagging(store, load_protocol("mismatch"), some, [ANN, BEN])
    with making.running(folder) as found:
        yield found


def tasks(app: Running) -> list[Task]:
    return app.tasks(ANN, "mismatch")


def test_the_page_shows_both_texts_and_names_nobody(app: Running) -> None:
    task = next(task for task in tasks(app) if "city" in page_text(app, task).split("Summary")[0])
    text = page_text(app, task)
    assert SCRIPT not in text
    assert "&lt;script&gt;alert" in text
    assert "Unit of the reference" in text
    assert "People: 100 %, 100 %. nams: " in text
    assert "Why do people and the measure disagree?" in text
    for name in ("machine", "writer-a", "writer-b", "SUMMARIZER", "storm set"):
        assert name not in text
    for tag in ("paraphrase", "generalisation", "style", "perspective"):
        assert f'data-tag="{tag}"' in text


def page_text(app: Running, task: Task) -> str:
    response = app.client(ANN).get(f"/task/{app.key(task)}")
    assert response.status_code == 200
    return response.text


def test_tags_are_stored_once_and_counted(app: Running) -> None:
    first, key = app.client(ANN), app.key(tasks(app)[0])
    given = answer(key, "tags", {"tags": ["style", "Eigenes Wort"]})
    for _ in range(2):  # as after a lost receipt
        receipt = send(first, given)
        assert (len(receipt["saved"]), receipt["refused"]) == (1, [])
    assert app.stored == 1
    (judged,) = app.site.store.current(assessor=ANN)
    assert judged.answers["tags"].answer == {"tags": ["style", "Eigenes Wort"]}
    assert judged.answers["tags"].origin == "human"
    work = first.get("/work").text
    assert "Mismatch 1: 1 of 1 answered" in work
    follows = first.get(f"/api/tasks/{key}/next").json()["task"]
    assert follows == app.key(tasks(app)[1])
    send(first, answer(key, "tags", None))
    assert app.site.store.current(assessor=ANN) == []


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("tags", {"tags": []}),
        ("tags", {"tags": ["style", "Style"]}),
        ("tags", {"tags": ["a;b"]}),
        ("tags", {"tags": ["style"], "kind": "credited"}),
        ("tags", {"value": 1}),
        ("tags", ["style"]),
        ("unmarked", {"relevant": 0.0}),
        ("unit:e1", {"tags": ["style"]}),
    ],
)
def test_what_is_no_answer_is_refused(app: Running, question: str, given: object) -> None:
    receipt = send(app.client(ANN), answer(app.key(tasks(app)[0]), question, given))
    assert receipt["saved"] == []
    assert len(receipt["refused"]) == 1
    assert app.stored == 0


def test_nobody_tags_for_somebody_else(app: Running) -> None:
    key = app.key(tasks(app)[0])
    assert app.client(BEN).get(f"/task/{key}").status_code == 404
    assert send(app.client(BEN), answer(key, "tags", {"tags": ["style"]}))["saved"] == []


def test_a_comment_goes_to_the_organiser(app: Running) -> None:
    send(app.client(ANN), answer(app.key(tasks(app)[0]), "comment", {"text": "None of these."}))
    assert "None of these." in app.client(ORGANISER).get("/organiser").text


def test_a_task_that_strangers_wrote_shows_a_page_all_the_same(tmp_path: Path) -> None:
    """A store may come from somebody else: places that are none mark nothing."""
    evaluation = making.write(tmp_path / "e")
    folder = making.settle(evaluation)
    with store_of(folder) as store:
        store.accounts.add(ANN)
        (first, *_) = pages(evaluation.collection, "storm", "machine", "writer-b")
        strange = {
            "at": "x",
            "marked": [[9, 3], [-1, 2], "ab", [10**9, 10**10], [None, 1]],
            "in_unit": 7,
            "completeness": ["x", 1],
        }
        odd = type(first)(
            first.key, {**first.asked, **strange, "value": "<b>", "measure": "<b>"}, first.hashes
        )
        assign_tagging(store, load_protocol("mismatch"), [odd], [ANN])
    with making.running(folder) as app:
        text = page_text(app, app.tasks(ANN, "mismatch")[0])
    assert "<b>:" not in text
    assert "&lt;b&gt;" in text


def test_texts_that_changed_cannot_be_tagged(app: Running) -> None:
    task = tasks(app)[0]
    summaries = app.site.collection.summaries["storm"]
    at = next(n for n, s in enumerate(summaries) if s.system == "machine")
    summaries[at] = replace(summaries[at], text="Another text.")
    assert "It cannot be tagged" in page_text(app, task)
    receipt = send(app.client(ANN), answer(app.key(task), "tags", {"tags": ["style"]}))
    assert receipt["refused"][0]["why"] == "the texts of this page have changed since it was assigned"
