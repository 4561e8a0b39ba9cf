"""What the store takes is what the page offers at that moment: steps, choices that depend on answers, changed texts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples
from tests.web import making
from tests.web.making import Running, answer, send

from adjudge.core.errors import DataError
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.kinds.base import AskedPage
from adjudge.judgments.protocol import Protocol, load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Task
from adjudge.web.pages.work import answers_of, progress

ANN = "ann"
FIRST = "the unmarked units are asked about when every unit of the reference is answered"
ALL_MARKED = "every unit of the summary is marked: nothing is asked about unmarked ones"
LONG = " ".join(
    f"The {thing} number {n} was seen." for n, thing in enumerate(("ship", "wave", "wind", "rain") * 2)
)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation in which a machine writes eight sentences on everything."""
    path = tmp_path_factory.mktemp("asked") / "evaluation"
    evaluation = Evaluation.init(path)
    for row in making.rows():
        longer = isinstance(row, Summary) and row.system == "machine"
        evaluation.take([("test", replace(row, text=LONG) if longer else row)])  # type: ignore[call-arg]
    evaluation.units()
    with store_of(making.settle(evaluation)) as store:
        making.fill(store, evaluation)
    return path


@pytest.fixture
def evaluation(long: Path, tmp_path: Path) -> Evaluation:
    path = tmp_path / "evaluation"
    shutil.copytree(long, path)
    return Evaluation.open(path)


def page_of(app: Running) -> Task:
    """Ann's page of eight units: which choices there are depends on how many are marked."""
    found = max(app.tasks(ANN, "duc-2002"), key=lambda task: len(app.units(task)[1]))
    assert [len(units) for units in app.units(found)] == [len(app.units(found)[0]), 8]
    assert len(app.units(found)[0]) >= 3
    return found


def unit(app: Running, task: Task, number: int, *marked: int, completeness: float = 0.4) -> dict[str, Any]:
    models, peers = app.units(task)
    marks = {"marked": [peers[n] for n in marked], "completeness": completeness if marked else 0.0}
    return answer(app.key(task), f"unit:{models[number]}", marks)


def unmarked(app: Running, task: Task, relevant: float | None, **more: Any) -> dict[str, Any]:
    return answer(app.key(task), "unmarked", None if relevant is None else {"relevant": relevant}, **more)


def all_units(app: Running, task: Task, *marked: int) -> list[dict[str, Any]]:
    """Every unit of the reference answered; the first one marks some units of the summary, the others none."""
    models, _ = app.units(task)
    return [unit(app, task, n, *(marked if n == 0 else ())) for n in range(len(models))]


def refused(receipt: dict[str, Any]) -> list[str]:
    return [each["why"] for each in receipt["refused"]]


def done(app: Running, task: Task) -> tuple[int, int]:
    return progress(app.site, task, answers_of(app.site, ANN).get(task.id, {}))


def test_the_unmarked_units_come_after_the_others(both: Running) -> None:
    client, task = both.client(ANN), page_of(both)
    *most, last = all_units(both, task)
    assert refused(send(client, unmarked(both, task, 0.0), *most, unmarked(both, task, 0.0))) == [FIRST] * 2
    assert refused(send(client, last, unmarked(both, task, 0.6))) == []
    assert done(both, task)[0] == len(most) + 2


def test_an_answer_about_other_unmarked_units_is_open_again(both: Running) -> None:
    """Of seven unmarked units 40 % are relevant; then four are marked, and 40 % cannot be said of three."""
    client, task = both.client(ANN), page_of(both)
    assert refused(send(client, *all_units(both, task, 0), unmarked(both, task, 0.4))) == []
    answered, of = done(both, task)
    receipt = send(client, unit(both, task, 1, 1, 2, 3, 4))
    (saved,) = receipt["saved"]
    assert saved["reopened"] == {"question": "unmarked", "seq": saved["seq"] + 1}
    assert done(both, task) == (answered - 1, of)
    assert "unmarked" not in client.get(f"/api/tasks/{both.key(task)}").json()
    history = [event.answer for event in both.site.store.events(task=task.id) if event.question == "unmarked"]
    assert history == [{"relevant": 0.4}, None], "the old one stays in the history"
    why = ["this cannot be said of 3 unmarked units"]
    assert refused(send(client, unmarked(both, task, 0.4))) == why
    late = send(client, unmarked(both, task, 0.6, base=saved["seq"] + 1))
    assert refused(late) == []
    assert late["saved"][0]["newer"] is None
    assert done(both, task) == (answered, of)


def test_the_same_number_of_other_units_is_another_question(app: Running) -> None:
    client, task = app.client(ANN), page_of(app)
    send(client, *all_units(app, task, 0), unmarked(app, task, 1.0))
    assert "reopened" in send(client, unit(app, task, 0, 1))["saved"][0]
    assert "unmarked" not in answers_of(app.site, ANN)[task.id]


def test_what_leaves_the_unmarked_units_as_they_are_leaves_their_answer(app: Running) -> None:
    """Another completeness, a mark that another unit has too, an answer without marks taken back."""
    client, task = app.client(ANN), page_of(app)
    models, _ = app.units(task)
    send(client, *all_units(app, task, 0), unmarked(app, task, 1.0))
    for each in (
        unit(app, task, 0, 0, completeness=1.0),
        unit(app, task, 1, 0),
        answer(app.key(task), f"unit:{models[2]}", None),
    ):
        assert "reopened" not in send(client, each)["saved"][0]
    assert answers_of(app.site, ANN)[task.id]["unmarked"] == {"relevant": 1.0}
    assert "reopened" not in send(client, answer(app.key(task), f"unit:{models[0]}", None))["saved"][0]
    assert "reopened" in send(client, answer(app.key(task), f"unit:{models[1]}", None))["saved"][0]


def test_where_all_are_marked_nothing_is_asked(app: Running) -> None:
    client, task = app.client(ANN), page_of(app)
    assert refused(send(client, *all_units(app, task, *range(8)), unmarked(app, task, 0.0))) == [ALL_MARKED]


def test_answers_that_waited_in_the_browser_are_taken_in_their_order(both: Running) -> None:
    """One request with a whole page, the unmarked units answered twice. Sent twice, it is stored once."""
    client, task = both.client(ANN), page_of(both)
    sent = [
        *all_units(both, task),
        unmarked(both, task, 0.6),
        unit(both, task, 0, 0, 1, 2, 3, 4, 5, 6),
        unmarked(both, task, 0.0),
        unmarked(both, task, 1.0),
    ]
    first = send(client, *sent)
    assert refused(first) == []
    assert answers_of(both.site, ANN)[task.id]["unmarked"] == {"relevant": 1.0}
    stored = both.stored
    assert send(client, *sent) == first, "the lost acknowledgement comes once more, with what it reopened"
    assert both.stored == stored
    assert answers_of(both.site, ANN)[task.id]["unmarked"] == {"relevant": 1.0}


def test_a_value_that_is_no_choice_any_more_is_open(app: Running) -> None:
    """As an older release stored it, and as a protocol leaves it whose choices changed."""
    client, task = app.client(ANN), page_of(app)
    send(client, *all_units(app, task), unmarked(app, task, 0.4))
    before = done(app, task)
    stale = next(each for each in app.site.store.events(task=task.id) if each.question == "unmarked")
    send(client, unit(app, task, 1, 0, 1, 2, 3, 4))
    app.site.store.append([replace(stale, id="as-it-was-stored", seq=None, received_at=None)])
    assert done(app, task) == (before[0] - 1, before[1])
    shown = client.get(f"/api/tasks/{app.key(task)}").json()["unmarked"]
    assert shown == {"answer": None, "seq": app.stored}
    rated = app.tasks(ANN, "rating")[0]
    send(client, answer(app.key(rated), "rating:fluency", {"value": 5}))
    assert done(app, rated) == (1, 4)
    app.site._protocols["rating"] = shorter(app.site.protocol("rating"))
    assert done(app, rated) == (0, 4)
    assert refused(send(client, answer(app.key(rated), "rating:fluency", {"value": 5}))) != []


def shorter(protocol: Protocol) -> Protocol:
    """The protocol with three choices a question."""
    return replace(
        protocol, questions=tuple(replace(each, choices=each.choices[:3]) for each in protocol.questions)
    )


def test_changed_texts_take_notes_and_no_answers(app: Running) -> None:
    client, key = app.client(ANN), app.first(ANN, "rating")
    task = app.tasks(ANN, "rating")[0]
    assert task.peer is not None
    rows = app.site.collection.summaries[task.topic]
    rows[:] = [replace(each, text=f"{each.text} And more.") for each in rows]
    receipt = send(
        client, answer(key, "rating:fluency", {"value": 5}), answer(key, "comment", {"text": "odd page"})
    )
    assert refused(receipt) == ["the texts of this page have changed since it was assigned"]
    assert len(receipt["saved"]) == 1


def test_an_answer_holds_nothing_else(app: Running) -> None:
    """What no page sends is not stored beside what it does."""
    client, coverage = app.client(ANN), page_of(app)
    rated, pair = app.first(ANN, "rating"), app.first(ANN, "preference-summaries")
    unit_answer = unit(app, coverage, 0, 0)
    for each in (
        answer(rated, "rating:fluency", {"value": 5, "more": 1}),
        answer(pair, "preference", {"winner": "left", "value": 1}),
        unit_answer | {"answer": unit_answer["answer"] | {"value": 1}},
        answer(rated, "comment", {"text": "x", "html": "y"}),
    ):
        assert refused(send(client, each)) == ["not an answer to this"], each


PROTOCOLS = [load_protocol(name) for name in ("duc-2002", "duc-2001", "rating", "preference-summaries")]


def answers(page: AskedPage) -> Iterator[tuple[str, dict[str, Any]]]:
    """Everything that a page may offer, whatever was answered."""
    protocol = page.protocol
    for each in page.model:
        for choice in protocol.completeness.choices if protocol.completeness else ():
            for marked in ([], list(page.peer[:1]), list(page.peer[1:]), list(page.peer)):
                yield f"unit:{each}", {"marked": marked, "completeness": choice.value}
    for choice in protocol.unmarked.choices if protocol.unmarked else ():
        yield "unmarked", {"relevant": choice.value}
    for question in protocol.questions:
        yield from ((question.id, {"value": value}) for value in question.values)


@given(st.data())
@examples(60)
def test_a_finished_page_holds_what_is_offered(data: st.DataObject) -> None:
    """In any order of answers: what stands was offered, and a page is done only where every question is answered."""
    protocol = data.draw(st.sampled_from(PROTOCOLS[:3]))
    model = ("m1", "m2") if protocol.kind == "coverage" else ()
    page = protocol.asked_page(model, ("p1", "p2", "p3", "p4", "p5") if model else ())
    every = list(answers(page))
    given: dict[str, Any] = {}
    for question, value in data.draw(st.lists(st.sampled_from(every), max_size=12)):
        try:
            page.check_now(question, value, given)
        except DataError:
            assert question == "unmarked"
            continue
        given[question] = value
    standing = page.standing(given)
    assert set(standing) <= set(given)
    marked = {p for q, a in standing.items() if q.startswith("unit:") for p in a["marked"]}
    left = set(page.peer) - marked
    if "unmarked" in standing:
        offered: Sequence[Any] = [choice.value for choice in protocol.unmarked_choices(len(left))]
        assert standing["unmarked"]["relevant"] in offered
    asked = page.asked(standing)
    assert ("unmarked" in asked) == bool(protocol.unmarked_choices(len(left)) and protocol.unmarked)


@pytest.mark.parametrize("winner", ["tie", "skip", "both", ""])
def test_a_pair_takes_what_its_protocol_offers(app: Running, winner: str) -> None:
    client = app.client(ANN)
    summaries = app.first(ANN, "preference-summaries")
    offered = winner in ("tie", "skip")
    assert bool(refused(send(client, answer(summaries, "preference", {"winner": winner})))) != offered
    live = client.post("/api/pairs/next", json={"count": 20}).json()["pairs"]
    sentences = next(pair for pair in live if pair["live"])
    assert not sentences["tie"]
    receipt = send(client, answer(sentences["task"], "preference", {"winner": winner}))
    assert bool(refused(receipt)) == (winner != "skip")


def test_a_task_that_is_cancelled_while_the_server_runs_takes_no_answers(app: Running) -> None:
    client, key = app.client(ANN), app.first(ANN, "rating")
    task = app.tasks(ANN, "rating")[0]
    assert task.peer is not None
    first = answer(key, "comment", {"text": "before"})
    send(client, first)
    begun, *_ = [each for each in app.tasks(ANN, "rating") if each.id != task.id and each.peer]
    other = app.key(begun)
    assert client.get(f"/task/{other}").status_code == 200
    assert begun.peer is not None
    Evaluation.open(app.site.folder.path).withdraw(
        "wrong prompt", system=begun.peer.system, topic=begun.topic
    )
    receipt = send(client, answer(other, "rating:fluency", {"value": 5}))
    assert refused(receipt) == ["this page was cancelled: its texts are not judged any more"]
    assert client.get(f"/task/{other}").status_code == 404
    assert refused(send(client, first)) == []  # what was stored may be sent again
