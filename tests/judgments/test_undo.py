"""Answers are never undone: what they refer to stays, and tasks follow the texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import adjudge
from adjudge.core.errors import DataError
from adjudge.core.phrases import spoken
from adjudge.data.layout import HISTORY
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.formats import crowd
from adjudge.judgments.tasks import Event, Task


@pytest.fixture(params=["sqlite", "postgresql"])
def e(request: pytest.FixtureRequest, small: Evaluation) -> Evaluation:
    """An evaluation whose judgments are in a file, or on a server."""
    if request.param == "postgresql":
        settings = small.path / "evaluation.toml"
        database = request.getfixturevalue("new_database")
        settings.write_text(f'{settings.read_text(encoding="utf-8")}\ndatabase = "{database}"\n')
        return adjudge.open(small.path)
    return small


def assign(e: Evaluation, protocol: str = "rating") -> Sequence[Task]:
    with e.store() as store:
        store.people.add("dora")
    return e.assign(protocol, assessors=["dora"]).tasks


def tasks(e: Evaluation) -> list[Task]:
    with e.store() as store:
        return sorted(store.tasks(cancelled=True), key=lambda task: task.id)


def answer(e: Evaluation, task: Task) -> None:
    with e.store() as store:
        store.append([Event(f"e-{task.id}", store.evaluation, task.id, task.assessor, "coherence", 3)])


def files(e: Evaluation) -> dict[str, bytes]:
    return {
        str(path.relative_to(e.path)): path.read_bytes()
        for path in sorted(e.path.rglob("*"))
        if path.is_file()
        and HISTORY not in path.parts
        and not path.name.startswith((".", "judgments.sqlite"))
    }


def new_texts(e: Evaluation) -> None:
    e.take(("test", Summary(topic, "late", "Something else.", 10)) for topic in ("t1", "t2"))


def test_an_import_stays_once_a_task_or_an_answer_refers_to_it(e: Evaluation) -> None:
    assign(e)
    new_texts(e)
    assert e.history().changes[-1].why_not is None, "earlier tasks show other texts"
    made = [task for task in assign(e) if task.peer and task.peer.system == "late"]
    before = files(e)
    with pytest.raises(DataError, match=r"2 open tasks \(the first: t./late, dora\) refer to what would go"):
        e.undo()
    answer(e, made[0])
    with pytest.raises(DataError, match="1 judgment and 1 open task") as refused:
        e.undo()
    assert str(refused.value).endswith(' Evaluation.remove_judgments(protocol="rating", why="WHY")')
    assert spoken(refused.value.text, "command").endswith(
        " adjudge judgments remove EVALUATION --protocol rating --why WHY"
    )
    assert files(e) == before
    assert "1 judgment and 1 open task" in str(e.history().changes[-1].why_not)
    e.remove_judgments("rating", "wrong texts")
    e.undo()
    assert "late" not in e.collection.systems


def test_units_stay_once_a_task_refers_to_them_and_not_before(e: Evaluation) -> None:
    e.units()
    assign(e, "rating")  # which shows no units
    assert e.undo(dry_run=True).files == {"units.jsonl": "removed"}
    assign(e, "duc-2002")
    with pytest.raises(DataError, match="units cannot be undone: .* open tasks"):
        e.undo()


def test_judgments_of_the_older_text_count_again(e: Evaluation) -> None:
    """And those of the newer one keep it."""
    e.simulate_judgments("rating", assessors=1)
    e.take([("test", Summary("t1", "good", "Another text.", 10))], on_clash="replace")
    assert len(e.judgments().left_out) == 1
    e.undo()
    assert e.judgments().left_out == ()
    with pytest.raises(DataError, match="cannot be made again: 1 judgment"):
        e.undo(redo=True)


def test_names_in_tasks_go_back_with_the_files(e: Evaluation) -> None:
    e.simulate_judgments("rating", assessors=2)
    e.simulate_judgments("preference-summaries", assessors=1)
    e.score("rating(aspect=coherence)", "wins")
    before, asked = files(e), tasks(e)
    e.rename("better", "a second one is coming", system="good")
    done = e.undo()
    assert done.tasks == {"renamed": 12}
    assert (files(e), tasks(e)) == (before, asked)
    assert not any(e.scores().stale.values())
    assert e.judgments().left_out == ()
    e.rename("t9", "a better name", topic="t1")
    new = assign(e)  # tasks that were made since follow too
    assert any(task.topic == "t9" for task in new)
    e.undo()
    assert {task.topic for task in tasks(e)} == {"t1", "t2", "t3"}
    assert not any(e.scores().stale.values())


@pytest.mark.parametrize("what", ["withdraw", "remove"])
@pytest.mark.parametrize("whom", [{"system": "good"}, {"topic": "t1"}, {"system": "good", "topic": "t2"}])
def test_tasks_that_were_cancelled_come_back(e: Evaluation, what: str, whom: dict[str, str]) -> None:
    e.simulate_judgments("preference-summaries", assessors=1)
    assign(e)
    e.withdraw("earlier", system="poor", topic="t1")  # stays withdrawn, and its task cancelled
    before, asked = files(e), tasks(e)
    judged = {each.task.id for each in e.judgments().by_topic["t1"]}
    getattr(e, what)("wrong", **whom)
    gone = tasks(e)
    assert gone != asked
    done = e.undo()
    assert (files(e), tasks(e)) == (before, asked)
    assert done.tasks["restored"] == sum(a.cancelled != b.cancelled for a, b in zip(asked, gone, strict=True))
    assert {each.task.id for each in e.judgments().by_topic["t1"]} == judged
    with pytest.raises(DataError, match="cannot be made again: .* judgment"):
        e.undo(redo=True)
    e.remove_judgments("preference-summaries", "pilot")
    e.undo(redo=True)
    assert {t.id: t.cancelled for t in tasks(e)} == {
        t.id: t.cancelled for t in gone if t.protocol == "rating"
    }


def test_answers_since_a_withdrawal_was_taken_back_keep_the_text(e: Evaluation) -> None:
    assign(e)
    e.withdraw("wrong", system="good")
    e.withdraw("it was right", system="good", restore=True)
    asked = tasks(e)
    assert e.undo().tasks == {"cancelled": 3}
    e.undo(redo=True)
    assert tasks(e) == asked
    answer(e, next(task for task in asked if task.peer and task.peer.system == "good"))
    with pytest.raises(DataError, match="withdraw --restore --system good cannot be undone: 1 judgment"):
        e.undo()


def test_rows_that_came_with_judgments_stay_with_them(e: Evaluation, tmp_path: Path) -> None:
    (tmp_path / "crowd.csv").write_text("task,worker,label\nt9/x,w1,3\n")
    before = files(e)
    with e.store() as store:
        name = store.evaluation
    e.take_judgments(crowd.read([tmp_path / "crowd.csv"], evaluation=name, aspect="fluency"))
    change = e.history().changes[-1]
    assert (change.what, change.counts["read"]) == ("judgments import", {"tasks": 1, "answers": 1})
    assert "1 judgment" in str(change.why_not)
    with pytest.raises(DataError, match="answers are never undone"):
        e.undo()
    (protocol,) = {task.protocol for task in tasks(e)}
    e.remove_judgments(protocol, "not ours")
    e.undo()
    assert {name: text for name, text in files(e).items() if name != "changes.jsonl"} == before
