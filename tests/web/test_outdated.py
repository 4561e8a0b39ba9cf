"""Texts that change under a running app: no answers are taken on them, and whoever changes them hears what it costs."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

import pytest
from tests.cli.running import called
from tests.web.making import ORGANISER, Running, answer, send

from adjudge.data.collection import Collection, file_stamps
from adjudge.data.folder import Folder
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import Task, TextRef

ANN = "ann"
SYSTEMS = ("writer-a", "machine", "lead")
CHANGED = "the texts of this page have changed since it was assigned"
OF: dict[str, tuple[str, dict[str, Any]]] = {
    "rating": ("rating:fluency", {"value": 3}),
    "preference-summaries": ("preference", {"winner": "left"}),
}


def judge(app: Running, task: Task) -> list[str]:
    """Why an answer to a page is refused."""
    if task.protocol.startswith("duc"):
        model, _ = app.units(task)
        question, given = f"unit:{model[0]}", {"marked": [], "completeness": 0.0}
    else:
        question, given = OF[task.protocol]
    return [each["why"] for each in send(app.client(ANN), answer(app.key(task), question, given))["refused"]]


def shows(task: Task, topic: str, system: str) -> bool:
    sides = [TextRef.named(side) for side in (task.left, task.right) if side is not None]
    texts = [text for text in (task.peer, task.reference, *sides) if text is not None]
    return task.topic == topic and any(text.system == system for text in texts)


def rewrite(evaluation: Evaluation, topic: str, system: str, text: str) -> None:
    """As another process does, by the door that commands use."""
    elsewhere = Evaluation.open(evaluation.path)
    old = next(each for each in elsewhere.collection.summaries[topic] if each.system == system)
    elsewhere.take([("test", replace(old, text=text))], on_clash="replace")


@pytest.mark.parametrize("protocol", ["rating", "duc-2002", "preference-summaries"])
def test_no_answers_are_taken_on_an_old_text(both: Running, evaluation: Evaluation, protocol: str) -> None:
    tasks = both.tasks(ANN, protocol)
    topic, system = tasks[0].topic, next(each for each in SYSTEMS if shows(tasks[0], tasks[0].topic, each))
    old = [task for task in tasks if shows(task, topic, system)]
    assert judge(both, old[0]) == []
    rewrite(evaluation, topic, system, "It was another storm.")
    stored = both.stored
    assert [judge(both, task) for task in old] == [[CHANGED]] * len(old)
    assert both.stored == stored
    assert send(both.client(ANN), answer(both.key(old[0]), "comment", {"text": "odd"}))["saved"]
    others = [task for task in tasks if task not in old]
    assert [judge(both, task) for task in others] == [[]] * len(others)
    client = both.client(ANN)
    assert "Some texts have changed." in client.get("/work").text
    assert "start it again" in both.client(ORGANISER).get("/organiser").text
    if protocol != "preference-summaries":
        assert "cannot be judged" in client.get(f"/task/{both.key(old[0])}").text


def test_nor_on_old_units(app: Running, evaluation: Evaluation) -> None:
    task = app.tasks(ANN, "duc-2002")[0]
    assert task.peer is not None
    assert judge(app, task) == []
    path = evaluation.path / "units.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if (row["topic"], row["system"]) != (task.topic, task.peer.system)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in kept), encoding="utf-8")
    assert judge(app, task) == [CHANGED]


def test_nor_are_new_pairs_drawn_from_old_documents(app: Running, evaluation: Evaluation) -> None:
    client = app.client("ben")
    path = evaluation.path / "documents.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("storm", "tempest"), encoding="utf-8")
    have: list[str] = []
    topics: set[str] = set()
    while new := client.post("/api/pairs/next", json={"count": 20, "have": have}).json()["pairs"]:
        have += [pair["task"] for pair in new]
        topics |= {pair["topic"] for pair in new if pair["live"]}
        for pair in new:
            send(client, answer(pair["task"], "preference", {"winner": "left"}))
    assert topics == {"A strike", "Topic 3"}


def test_texts_that_come_in_beside_the_old_ones_stop_nothing(app: Running, evaluation: Evaluation) -> None:
    (first, second, *_) = app.tasks(ANN, "rating")
    assert judge(app, first) == []
    elsewhere = Evaluation.open(evaluation.path)
    old = elsewhere.collection.summaries["storm"][0]
    elsewhere.take([("test", replace(old, system="new", text="A new one."))])
    assert judge(app, second) == []
    assert "Some texts have changed." not in app.client(ANN).get("/work").text


def test_files_are_read_again_once_when_they_change(
    app: Running, evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []

    def load(folder: Folder) -> Collection:
        reads.append(1)
        return replace(app.site.collection, read_from=file_stamps(folder))

    monkeypatch.setattr("adjudge.web.site.load", load)
    client = app.client(ANN)
    for n in range(3):
        for _ in range(3):
            client.get("/work")
        assert len(reads) == n
        os.utime(evaluation.path / "summaries.jsonl", ns=(0, n))
    assert len(reads) == 2


def test_while_texts_cannot_be_read_answers_wait(
    app: Running, evaluation: Evaluation, caplog: pytest.LogCaptureFixture
) -> None:
    """The browser keeps them, and sends them again."""
    path, client = evaluation.path / "summaries.jsonl", app.client(ANN)
    whole, stored = path.read_bytes(), app.stored
    path.write_bytes(whole[: len(whole) // 2])
    event = answer(app.first(ANN, "rating"), "rating:fluency", {"value": 3})
    assert client.post("/api/events", json={"events": [event]}).status_code == 503
    assert app.stored == stored
    assert "the texts have changed, and cannot be read: " in caplog.text
    assert app.client().get("/in").status_code == 200
    path.write_bytes(whole)
    assert send(client, event)["saved"]


# Whoever replaces a text


def test_replacing_a_judged_text_says_how_many_judgments_no_longer_count(
    app: Running, evaluation: Evaluation
) -> None:
    judged = [task for name in ("rating", "duc-2002") for task in app.tasks(ANN, name)]
    assert not any(judge(app, task) for task in judged)
    assert judged[0].peer is not None
    topic, system = judged[0].topic, judged[0].peer.system
    lost = sum(shows(task, topic, system) for task in judged)
    assert 0 < lost < len(judged)
    rows = evaluation.path.parent / "new.jsonl"
    rows.write_text(
        json.dumps({"topic": topic, "system": system, "length": 20, "text": "It was another storm."}) + "\n"
    )
    line = ("import", "jsonl", str(rows), str(evaluation.path), "--replace")
    told = called(evaluation.path, *line, "--dry-run").stdout
    assert f"judgments that would no longer count: {lost}, of texts that were replaced" in told
    assert Evaluation.open(evaluation.path).judgments().left_out == ()
    found = json.loads(called(evaluation.path, *line, "--json").stdout)
    assert found["judgments_outdated"] == lost
    assert len(Evaluation.open(evaluation.path).judgments().left_out) == lost
    again = json.loads(called(evaluation.path, *line, "--json").stdout)
    assert again["judgments_outdated"] == 0, "nothing was replaced"
