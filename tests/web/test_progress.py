"""Progress: pages in the order of the plan, people apart from programs, and nothing that cannot be judged."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.web import making
from tests.web.making import ORGANISER, Running, answer, send

from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.order import Order
from adjudge.judgments.assign.planning import assign
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.web.pages.organiser import organiser_page
from adjudge.web.pages.work import after, work_of

ANN = "ann"


def test_a_planted_repeat_stands_and_is_numbered_where_the_plan_has_it(both: Running) -> None:
    work, tasks = work_of(both.site, ANN), both.site.tasks_of(ANN)
    assert [item.key for item in work.order] == [both.key(task) for task in tasks]
    assert [item.key for block in work.blocks for item in block.items] == [item.key for item in work.order]
    for protocol in making.PROTOCOLS:
        mine = both.tasks(ANN, protocol)
        keys = {both.key(task) for task in mine}
        numbers = [(item.number, item.total) for item in work.order if item.key in keys]
        assert numbers == [(n, len(mine)) for n in range(1, len(mine) + 1)]
    again = next(task for task in tasks if task.repeat_of and task.protocol == "rating")
    item = next(item for item in work.order if item.key == both.key(again))
    assert f"Summary {item.number} of {item.total}" in both.client(ANN).get(f"/task/{item.key}").text
    first = next(i for i, task in enumerate(tasks) if task.id == again.repeat_of)
    assert tasks.index(again) > first + 1
    assert after(both.site, ANN, tasks[tasks.index(again) - 1]) == item


@pytest.mark.parametrize("order", ["topic", "mixed"])
@pytest.mark.parametrize("later", [True, False])
def test_the_list_has_no_parts_that_tell_repeats(evaluation: Evaluation, order: Order, later: bool) -> None:
    """One part for each protocol, whatever the order, and though repeats were planted when all else was assigned."""
    with store_of(evaluation.folder) as store:
        store.accounts.add("eva")
        for repeats in (0.0, 0.3) if later else (0.3,):
            for name in ("linguistic-quality", "rating"):
                protocol = load_protocol(name)
                assign(
                    store,
                    evaluation.collection,
                    protocol,
                    assessors=["eva"],
                    per_summary=3 - (name != "rating") * 2,
                    order=order,
                    repeats=repeats,
                    seed=1,
                )
    with making.running(evaluation.folder) as app:
        blocks = work_of(app.site, "eva").blocks
        assert [block.protocol for block in blocks] == [
            app.site.protocol(name).title for name in ("linguistic-quality", "rating")
        ]
        block = blocks[0]
        page = app.client("eva").get("/work").text
        assert not any(app.site.topic_title(topic) in page for topic in app.site.collection.topics)
        assert [item.number for item in block.items] == list(
            range(1, len(app.tasks("eva", "linguistic-quality")) + 1)
        )


def test_peoples_pages_are_counted_apart_from_simulated_ones(evaluation: Evaluation) -> None:
    with making.running(evaluation.folder) as app:
        before = organiser_page(app.site, ORGANISER)
        assert before.programs == ()
    evaluation.simulate_judgments("rating", assessors=2, seed=1)
    with making.running(evaluation.folder) as app:
        task = app.tasks(ANN, "rating")[0]
        for aspect in app.site.protocol("rating").questions:
            send(app.client(ANN), answer(app.key(task), aspect.id, {"value": 3}))
        page = organiser_page(app.site, ORGANISER)
        assert (page.done, page.tasks) == (1, before.tasks)
        (total,) = page.programs
        assert total.origin == "simulated"
        assert total.done == total.tasks > 0
        states = {row.id: row.state for row in page.people}
        assert states[ANN] == "active"
        assert {who for who, state in states.items() if state == "simulated"} == set(page.origins)
        text = app.client(ORGANISER).get("/organiser").text
        assert f"1 of {page.tasks} pages judged by people" in text
        assert f"Simulated, not counted above: {total.done} of {total.tasks} pages" in text


def test_pages_that_cannot_be_judged_any_more_are_not_left_to_do(app: Running) -> None:
    task = app.tasks(ANN, "rating")[0]
    assert task.peer is not None
    before, planned = work_of(app.site, ANN), organiser_page(app.site, ORGANISER)
    summaries = app.site.collection.summaries
    left = [each for each in summaries[task.topic] if each.system != task.peer.system]
    app.site.collection = replace(app.site.collection, summaries={**summaries, task.topic: left})
    gone = [each for each in app.site.tasks_of(ANN) if app.site.changed(each)]
    work = work_of(app.site, ANN)
    assert work.total == before.total - len(gone)
    assert [item.state for item in work.order].count("changed") == len(gone) > 0
    page = organiser_page(app.site, ORGANISER)
    assert page.tasks == planned.tasks - page.changed
    text = app.client(ANN).get("/work").text
    assert f"0 of {work.total} done, {work.total} left" in text
    assert re.search(r"Summary \d+: its text has changed, it cannot be judged", text)
    for place in app.site.tasks_of(ANN):
        following = after(app.site, ANN, place)
        assert following is not None
        assert following.state == "open"


def test_tasks_of_an_unknown_protocol_stop_no_page(evaluation: Evaluation) -> None:
    with making.running(evaluation.folder) as app:
        known = len(app.site.tasks_of(ANN))
    with store_of(evaluation.folder) as store:
        (first, *_) = store.tasks(assessor=ANN)
        strange = replace(first, id="strange", protocol="of-somebody-else", peer=first.peer)
        store.add_tasks([strange])
    with making.running(evaluation.folder) as app:
        assert len(app.site.tasks_of(ANN)) == known
        assert app.client(ANN).get("/work").status_code == 200
        page = app.client(ORGANISER).get("/organiser")
        assert page.status_code == 200
        assert "protocols that are not in this folder: of-somebody-else." in page.text


def test_the_page_says_what_comes_next_once_all_is_judged(make: Callable[..., Evaluation]) -> None:
    e = make(*(Summary(f"t{k}", name, f"{name} {k}") for k in range(2) for name in ("a", "b")))
    with store_of(e.folder) as store:
        store.accounts.add(ORGANISER, "organiser")
        store.accounts.add(ANN)
        assign(store, e.collection, load_protocol("rating"), assessors=[ANN])
    with making.running(e.folder) as app:
        tasks = app.tasks(ANN, "rating")
        aspects = app.site.protocol("rating").questions
        for task in tasks[:-1]:
            send(app.client(ANN), *(answer(app.key(task), aspect.id, {"value": 3}) for aspect in aspects))
        assert organiser_page(app.site, ORGANISER).next is None
        assert "Next: " not in app.client(ORGANISER).get("/organiser").text
        send(app.client(ANN), *(answer(app.key(tasks[-1]), aspect.id, {"value": 3}) for aspect in aspects))
        todo = organiser_page(app.site, ORGANISER).next
        assert todo is not None
        assert todo.why == "4 judgments by 1 person"
        assert todo.commands == tuple(f"adjudge {word} {e.path}" for word in ("score", "compare"))
        text = app.client(ORGANISER).get("/organiser").text
        assert f"All is judged: {todo.why}. Next: <code>{todo.commands[0]}</code>, then" in text


def test_results_are_the_reports_page(make: Callable[..., Evaluation]) -> None:
    """And say so where nobody has judged; what cannot be compared is told, too."""
    e = make(*(Summary(f"t{k}", name, f"{name} {k}") for k in range(3) for name in ("a", "b")))
    with store_of(e.folder) as store:
        store.accounts.add(ORGANISER, "organiser")
        store.accounts.add(ANN)
        assign(store, e.collection, load_protocol("rating"), assessors=[ANN])
    with making.running(e.folder) as app:
        organiser = app.client(ORGANISER)
        assert "Results" not in organiser.get("/organiser").text
        nothing = organiser.get("/organiser/export/html")
        assert nothing.status_code == 409
        assert "Nobody has judged anything yet" in nothing.text
        for task in app.tasks(ANN, "rating"):
            assert task.peer is not None
            values = {"value": 5 if task.peer.system == "b" else 2}
            aspects = app.site.protocol("rating").questions
            send(app.client(ANN), *(answer(app.key(task), aspect.id, values) for aspect in aspects))
        assert "Results" in organiser.get("/organiser").text
        page = organiser.get("/organiser/export/html")
        assert page.headers["content-disposition"] == 'attachment; filename="results.html"'
        league = page.text[page.text.index("<tbody>") :]
        assert league.index("5.00") < league.index("2.00")
        assert app.client(ANN).get("/organiser/export/html").status_code == 403
