"""Said before: an earlier answer of one's own to the same sentences, shown, filled in, or hidden altogether."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.web import making
from tests.web.making import ASSESSORS, Running, answer, send

from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Task

ANN = "ann"
MODES = ("show", "prefill", "hide")


@pytest.fixture(params=MODES)
def app(request: pytest.FixtureRequest, evaluation: Evaluation) -> Iterator[Running]:
    folder = making.settle(evaluation, said_before=request.param)
    with store_of(folder) as store:  # so that everybody has all pages
        for name in ("duc-2002", "duc-2001"):
            asked = load_protocol(name)
            assign(store, evaluation.collection, asked, assessors=ASSESSORS, per_summary=2, seed=2)
    with making.running(folder) as found:
        yield found


def pages(app: Running, protocol: str) -> tuple[Task, Task]:
    """Two tasks of one reference whose summaries begin with the same sentence, word for word."""
    found: dict[Any, dict[str, Task]] = {}
    for task in app.tasks(ANN, protocol):
        assert task.peer is not None
        found.setdefault((task.topic, task.reference), {})[task.peer.system] = task
    return next(
        (same["machine"], same["lead"]) for same in found.values() if {"machine", "lead"} <= set(same)
    )


def give(app: Running, task: Task, peer: int | slice, completeness: float) -> str:
    """Marks units of a summary for the reference's first unit, and says which that is."""
    model, units = app.units(task)
    marked = units[peer] if isinstance(peer, slice) else [units[peer]]
    sent = answer(app.key(task), f"unit:{model[0]}", {"marked": marked, "completeness": completeness})
    assert send(app.client(ANN), sent)["refused"] == []
    return model[0]


def page(app: Running, task: Task, person: str = ANN) -> tuple[str, dict[str, Any]]:
    """A page's bytes, and what its script works on."""
    response = app.client(person).get(f"/task/{app.key(task)}")
    assert response.status_code == 200
    match = re.search(r'<main [^>]*data-state="([^"]*)"', response.text)
    assert match is not None
    return response.text, json.loads(html.unescape(match[1]))


@pytest.mark.parametrize("protocol", ["duc-2002", "duc-2001"])
def test_the_same_sentence_against_the_same_unit(app: Running, protocol: str) -> None:
    one, other = pages(app, protocol)
    untouched, before = page(app, other)
    assert before["before"] == []
    give(app, one, 0, 1.0)
    source, state = page(app, other)
    mode = app.site.judging.said_before
    assert state["saidBefore"] == mode
    if mode == "hide":
        assert state["before"] == []
        assert tidy(source) == tidy(untouched), "not a byte tells that something was said"
    else:
        model, peer = app.units(other)
        assert state["before"] == [{"unit": model[0], "marked": [peer[0]], "completeness": 1.0}]
    assert state["answers"] == {}, "it is no answer until it is given"
    assert page(app, one)[1]["before"] == [], "a page does not quote itself"


def tidy(source: str) -> str:
    """A page without what changes with every sign-in."""
    return re.sub(r"csrf&#34;: &#34;[0-9a-f]+", "", source)


def test_the_latest_answer_is_quoted_and_one_taken_back_is_not(app: Running) -> None:
    one, other = pages(app, "duc-2002")
    hidden = app.site.judging.said_before == "hide"
    for value in (1.0, 0.4):
        unit = give(app, one, 0, value)
    assert [each["completeness"] for each in page(app, other)[1]["before"]] == ([] if hidden else [0.4])
    send(app.client(ANN), answer(app.key(one), f"unit:{unit}", None))
    assert page(app, other)[1]["before"] == []


def test_other_sentences_are_not_quoted(app: Running) -> None:
    """A set of sentences of which one is not in the other summary, and none at all."""
    one, other = pages(app, "duc-2002")
    give(app, one, slice(0, 2), 1.0)
    assert page(app, other)[1]["before"] == []
    give(app, one, slice(0, 0), 0.0)
    assert page(app, other)[1]["before"] == []


@pytest.mark.parametrize("protocol", ["duc-2002", "duc-2001"])
def test_a_planted_repeat_never_shows_what_was_answered_the_first_time(app: Running, protocol: str) -> None:
    """Whatever the setting: self-agreement would be memory of the screen. Nor does the first time show the repeat."""
    again = next(task for task in app.tasks(ANN, protocol) if task.repeat_of)
    first = next(task for task in app.site.tasks_of(ANN) if task.id == again.repeat_of)
    untouched, _ = page(app, again)
    give(app, first, slice(None), 1.0)
    source, state = page(app, again)
    assert state["before"] == []
    assert tidy(source) == tidy(untouched), "not a byte tells what was said"
    send(app.client(ANN), answer(app.key(first), f"unit:{app.units(first)[0][0]}", None))
    give(app, again, slice(None), 1.0)
    assert page(app, first)[1]["before"] == []


def test_a_planted_repeat_shows_nothing_that_may_come_from_the_first_time(app: Running) -> None:
    """Another summary's answer that was given after the original's may have been taken from there."""
    again, first, other = repeated(app)
    unit = give(app, other, 0, 0.4)
    shown = len(page(app, again)[1]["before"])
    assert shown == (app.site.judging.said_before != "hide"), "given before: as on the first time"
    send(app.client(ANN), answer(app.key(other), f"unit:{unit}", None))
    give(app, first, 0, 1.0)
    give(app, other, 0, 1.0)
    assert page(app, again)[1]["before"] == []


def repeated(app: Running) -> tuple[Task, Task, Task]:
    """A repeat, its original, and another summary of the same reference that begins with the same sentence."""
    pair = {"machine", "lead"}
    for again in (*app.tasks(ANN, "duc-2002"), *app.tasks(ANN, "duc-2001")):
        if again.repeat_of is None or again.peer is None or again.peer.system not in pair:
            continue
        mine = app.tasks(ANN, again.protocol)
        first = next(task for task in mine if task.id == again.repeat_of)
        (system,) = pair - {again.peer.system}
        for task in mine:
            assert task.peer is not None
            if (task.peer.system, task.reference, task.topic) == (system, again.reference, again.topic):
                return again, first, task
    raise AssertionError("no such repeat")


def test_other_peoples_answers_are_never_quoted(app: Running) -> None:
    one, _ = pages(app, "duc-2002")
    assert one.peer is not None
    for task in app.site.tasks_of("ben"):
        if (task.topic, task.reference, task.protocol) == (one.topic, one.reference, one.protocol):
            model, peer = app.units(task)
            event = answer(app.key(task), f"unit:{model[0]}", {"marked": peer[:1], "completeness": 1.0})
            assert send(app.client("ben"), event)["refused"] == []
    assert app.stored > 0
    assert page(app, one)[1]["before"] == []
