"""Renaming, removing and withdrawing texts reaches the tasks that show them, whole or not at all; answers stay."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from tests.judgments.children import edit_until_step
from tests.judgments.making import an_event
from tests.judgments.pyramid_making import a_pyramid, an_annotation
from tests.waiting import HANG

import adjudge
from adjudge.core.errors import AdjudgeError, ClashError
from adjudge.data.layout import HISTORY, LOCK, STAGING
from adjudge.data.rows import Summary, Topic
from adjudge.data.scores import Score
from adjudge.data.transaction import JOURNAL
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign import assign
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import built
from adjudge.judgments.store.edits import TaskEdit, count_edit, make_edit
from adjudge.judgments.store.records import read_records, records, write_records
from adjudge.judgments.store.store import open_store
from adjudge.judgments.tasks import PENDING, Event, Task, TextRef


@pytest.fixture(params=["sqlite", "postgresql"])
def judged(request: pytest.FixtureRequest, small: Evaluation) -> Evaluation:
    """Four summaries a topic, rated by two simulated assessors and scored; judgments in a file or on a server."""
    if request.param == "postgresql":
        settings = small.path / "evaluation.toml"
        database = request.getfixturevalue("new_database")
        settings.write_text(f'{settings.read_text(encoding="utf-8")}\ndatabase = "{database}"\n')
        small = adjudge.open(small.path)
    small.simulate_judgments("rating", assessors=2, seed=1)
    small.simulate_judgments("preference-summaries", assessors=1, seed=1)
    small.score("rating(aspect=coherence)", "wins", "rouge-1")
    return small


def systems(e: Evaluation) -> tuple[set[str], set[str], set[str]]:
    """Who wrote summaries, who is shown in tasks, who has scores."""
    with e.store() as store:
        tasks = store.tasks(cancelled=True)
    shown = {task.peer.system for task in tasks if task.peer}
    shown |= {side["system"] for task in tasks for side in (task.left, task.right) if side}
    return {s.system for _, s in e.folder.rows(Summary)}, shown, set(e.scores().frame["system"])


def saved(e: Evaluation) -> list[Event]:
    with e.store() as store:
        return list(store.events())


def up_to_date(e: Evaluation) -> bool:
    return not any(e.scores().stale.values())


def test_a_renamed_system_keeps_its_judgments_and_its_scores(judged: Evaluation) -> None:
    before, events = judged.matrix("wins").values.copy(), saved(judged)
    changed = judged.rename("better", "a second one is coming", system="good")
    assert changed.tasks == {"renamed": 6 + 6, "judged": 6 + 6}
    assert [found == {"ann", "better", "poor"} for found in systems(judged)[1:]] == [True, True]
    assert saved(judged) == events, "events never change"
    assert (judged.matrix("wins").values == before).all()
    assert up_to_date(judged)
    assert judged.judgments().left_out == ()
    assert {"judged-text-changed"}.isdisjoint(finding.code for finding in judged.check().findings)
    assert all(scored.kept == 3 for scored in judged.score("rating(aspect=coherence)", "wins", "rouge-1"))
    assert judged.simulate_judgments("rating", assessors=2, seed=1).tasks == 0


def test_a_renamed_topic_and_a_renamed_reference_too(judged: Evaluation) -> None:
    judged.take([("test", Topic("t4", after="t1")), ("test", Summary("t4", "good", "More of it.", 10))])
    judged.take([("test", Score("imported:q", "t1", "good", 1.0, reference="ann"))])
    judged.score("rating(aspect=coherence)", "wins", "rouge-1")
    judged.rename("t9", "as in the paper", topic="t1")
    assert judged.collection.topics["t4"].after == "t9"
    judged.rename("anna", "her full name", system="ann")
    assert judged.matrix("wins").topics == ("t2", "t3", "t4", "t9")
    assert list(judged.scores().frame.query("measure == 'imported:q'")["reference"]) == ["anna"]
    assert up_to_date(judged)
    assert judged.judgments().left_out == ()


def test_scores_that_were_out_of_date_stay_so(judged: Evaluation) -> None:
    path = judged.path / "summaries.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("number 2 happened", "number 2 went on"))
    judged = adjudge.open(judged.path)
    assert judged.scores().stale["rouge-1"] == ("t2",)
    judged.rename("better", "x", system="good")
    assert judged.scores().stale["rouge-1"] == ("t2",)


def test_withdrawing_cancels_what_nobody_has_begun_and_restoring_brings_it_back(judged: Evaluation) -> None:
    with judged.store() as store:
        for name in ("dora", "emil"):
            store.people.add(name)
        assign(store, judged.collection, judged.protocol("rating"), assessors=["dora", "emil"], per_summary=2)
        begun = next(task for task in store.tasks(assessor="dora") if task.topic == "t1")
        store.append(
            [an_event(store, {"value": 3}, task=begun.id, assessor="dora", question="rating:coherence")]
        )
    changed = judged.withdraw("wrong input", topic="t1")
    # Two assessors who are programs judged three summaries and three pairs; of two people's six tasks one is begun.
    assert changed.tasks == {"cancelled": 5, "judged": 6 + 3 + 1}
    with judged.store() as store:
        assert (
            len(store.tasks(topic="t1", assessor="dora")) + len(store.tasks(topic="t1", assessor="emil")) == 1
        )
        late = next(task for task in store.tasks(cancelled=True) if task.cancelled)
        ack = store.append(
            [an_event(store, {"value": 1}, task=late.id, assessor="emil", question="rating:coherence")]
        )
        assert ack[0].seq, "what was on its way is kept"
    judged.withdraw("wrong input too", system="poor")
    changed = judged.withdraw("right after all", topic="t1", restore=True)
    assert changed.tasks["restored"] == 5
    with judged.store() as store:
        assert not any(task.cancelled for task in store.tasks(topic="t1", cancelled=True))
        assert all(
            "poor" in task.cancelled for task in store.tasks(topic="t2", cancelled=True) if task.cancelled
        )


def test_removing_keeps_answers(judged: Evaluation) -> None:
    events = saved(judged)
    changed = judged.remove("not ours", system="good")
    assert changed.tasks == {"judged": 6 + 6}
    assert saved(judged) == events
    assert len(judged.judgments().left_out) == 6 + 6
    with judged.store() as store:
        assert (
            assign(store, judged.collection, judged.protocol("rating"), assessors=["simulated-1"]).tasks == ()
        )


def test_a_new_name_never_takes_over_the_judgments_of_a_removed_system(judged: Evaluation) -> None:
    judged.remove("not ours", system="poor")
    judged.remove("no permission", topic="t3")
    with pytest.raises(ClashError, match='there are judgments of another system "poor", which was removed'):
        judged.rename("poor", "x", system="good")
    with pytest.raises(ClashError, match='judgments of another topic "t3"'):
        judged.rename("t3", "x", topic="t1")
    assert "good" in systems(judged)[0] & systems(judged)[1]
    assert "t1" in judged.collection.topics
    judged.rename("better", "x", system="good")
    judged.rename("good", "better not", system="better")
    assert "good" in systems(judged)[1]


def with_pyramid(e: Evaluation) -> Evaluation:
    """A pyramid of ann's and bob's references on the first topic, and what ann and the machine called good express."""
    pyramid = a_pyramid({1: "ab", 2: "b", 3: "a"})
    pyramid = pyramid.with_name("a", "ann").with_name("b", "bob")
    pyramid = replace(
        pyramid, saved_as=None, references=tuple(replace(r, length=10) for r in pyramid.references)
    )
    answers = {
        "p": (None, PYRAMID, pyramid.to_answer()),
        "q": (TextRef("ann", 10), PYRAMID_PEER, an_annotation({1: 1, 2: 1, 3: 1}, pyramid).to_answer()),
        "r": (TextRef("good", 10), PYRAMID_PEER, an_annotation({1: 1, 0: 1}, pyramid).to_answer()),
    }
    with e.store() as store:
        for id, (peer, question, answer) in answers.items():
            store.add_tasks([Task(id, store.evaluation, "cleo", "pyramid", "1", "t1", peer)])
            store.append([an_event(store, answer, task=id, assessor="cleo", question=question)])
    return e


def test_answers_that_name_a_renamed_system_are_read_under_its_new_name(judged: Evaluation) -> None:
    """A writer is never compared with her own reference: the pyramid must know her by her new name too."""
    e = with_pyramid(judged)
    e.score("pyramid", "rating(aspect=coherence)", "wins", "rouge-1")
    before, events = e.scores().frame.query("measure == 'pyramid'"), saved(e)
    changed = e.rename("anna", "her full name", system="ann")
    assert changed.tasks == {"renamed": 6 + 6 + 2, "judged": 6 + 6 + 1}
    assert up_to_date(e)
    (scored,) = e.score("pyramid", again=True)
    assert not any("pyramid" in note and "since" in note for note in scored.notes)
    after = e.scores().frame.query("measure == 'pyramid'")
    assert list(after["system"].replace("anna", "ann")) == list(before["system"])
    assert list(after["value"]) == list(before["value"])
    assert saved(e) == events
    with e.store() as store:  # a pyramid that is saved now has the new name, and is read as it is
        pyramid = built(store.current("t1"))[0].pyramid
        assert pyramid.systems == ("anna", "bob")
        (again,) = store.append(
            [an_event(store, pyramid.to_answer(), task="p", assessor="cleo", question=PYRAMID, base=None)]
        )
        assert again.seq
        assert built(store.current("t1"))[0].pyramid.systems == ("anna", "bob")


def test_a_topic_that_a_measure_has_no_score_for_is_new_only_once(judged: Evaluation) -> None:
    """A withdrawn topic keeps its pyramid, so it is still looked at; ROUGE finds nothing there."""
    e = with_pyramid(judged)
    e.withdraw("wrong input", topic="t1")
    (first,) = e.score("rouge-1")
    assert (first.new, first.changed, first.gone) == ((), (), ("t1",))
    (second,) = e.score("rouge-1")
    assert (second.new, second.changed, second.gone, second.kept) == ((), (), (), 2)
    assert e.scores().stale["rouge-1"] == ()


def state(path: Path) -> tuple[object, ...]:
    e = adjudge.open(path)
    assert not (path / PENDING).exists()
    assert not (path / STAGING / JOURNAL).exists()
    found = (*systems(e), {name: len(topics) for name, topics in e.scores().stale.items()}, len(saved(e)))
    log = path / "changes.jsonl"
    return (*found, log.exists() and log.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("judged", "what"),
    [
        ("sqlite", "rename"),
        ("postgresql", "remove"),
        pytest.param("sqlite", "remove", marks=pytest.mark.slow),
        pytest.param("postgresql", "rename", marks=pytest.mark.slow),
    ],
    indirect=["judged"],
)
def test_killed_at_any_step_files_and_store_agree(judged: Evaluation, tmp_path: Path, what: str) -> None:
    """Before the journal is whole nothing has happened; from then on opening the folder finishes it."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.judgments.children", "adjudge.measures.registry", "pandas"])
    for path in (judged.path / "scores").glob("r*.parquet"):  # one file of scores will do
        path.unlink()
    old = state(judged.path)
    copy = files_of_evaluation(judged)
    found = []
    for step in range(1, 100):
        child = processes.Process(
            target=edit_until_step, args=(judged.path, what, step, judged.settings.database)
        )
        child.start()
        child.join(HANG)
        assert child.exitcode in (0, -9)
        done = child.exitcode == 0
        child.close()
        found.append(state(judged.path))
        if done:
            break
        copy()
        assert state(judged.path) == old
    *killed, new = found
    assert len(killed) > 8
    first = next(k for k, each in enumerate(killed) if each != old)
    assert killed[:first] == [old] * first
    assert killed[first:] == [new] * (len(killed) - first)
    assert first == 1, "the first step puts the journal in place"
    assert ("good" in new[1]) == (what == "remove")  # type: ignore[operator]


def files_of_evaluation(e: Evaluation) -> Callable[[], None]:
    """Brings an evaluation back to where it is now: its files, and its judgments by way of an export."""
    files = {
        p: p.read_bytes()
        for p in e.path.rglob("*")
        if p.is_file() and not p.name.startswith((".", "judgments")) and HISTORY not in p.parts
    }
    with e.store() as store:
        tasks = store.tasks(cancelled=True)

    def restore() -> None:
        rmtree(e.path / HISTORY)
        for path in e.path.rglob("*"):
            if path.is_file() and path not in files and not path.name.startswith((".", "judgments")):
                path.unlink()
        for path, data in files.items():
            path.write_bytes(data)
        with adjudge.open(e.path).store() as store:
            put_back(store, tasks)

    return restore


def put_back(store: Any, tasks: list[Task]) -> None:
    from adjudge.judgments.store import schema
    from adjudge.judgments.store.encoding import task_row

    def job(connection: Any) -> None:
        table = schema.task
        for task in tasks:
            connection.execute(table.update().where(table.c.id == task.id).values(**task_row(task)))

    store.change(job)


def test_an_edit_is_made_once(judged: Evaluation) -> None:
    edit = TaskEdit(what="rename", system="good", to="better")
    with judged.store() as store:
        assert count_edit(store, edit) == {"renamed": 12, "judged": 12}
        for _ in range(2):
            store.change(
                lambda connection: make_edit(connection, store.evaluation, edit, "2024-01-01T00:00:00Z")
            )
        assert count_edit(store, edit) == {}
        swapped = replace(edit, system="poor", to="good", id="another")
        store.change(
            lambda connection: make_edit(connection, store.evaluation, swapped, "2024-01-01T00:00:00Z")
        )
        store.change(lambda connection: make_edit(connection, store.evaluation, edit, "2024-01-01T00:00:00Z"))
        assert {task.peer.system for task in store.tasks() if task.peer} == {"ann", "better", "good"}


def test_whoever_opens_the_store_finishes_what_is_left(judged: Evaluation) -> None:
    edit = TaskEdit(what="rename", system="good", to="better")
    (judged.path / PENDING).write_text(edit.to_json(), encoding="utf-8")
    assert "better" in systems(judged)[1]
    assert not (judged.path / PENDING).exists()
    (judged.path / PENDING).write_text("[]", encoding="utf-8")
    with pytest.raises(AdjudgeError, match=r"tasks.json: not a change of tasks"):
        adjudge.open(judged.path)


def test_a_folder_that_cannot_be_written_says_so(judged: Evaluation) -> None:
    (judged.path / PENDING).write_text(
        TaskEdit(what="rename", system="a", to="b").to_json(), encoding="utf-8"
    )
    (judged.path / LOCK).unlink()
    (judged.path / LOCK).mkdir()  # nobody can lock this, not even root
    with pytest.raises(AdjudgeError, match="is no plain file"):
        adjudge.open(judged.path)


def test_cancelled_and_renamed_tasks_travel_in_records(tmp_path: Path) -> None:
    task = Task("t", "e", "ann", "pyramid", "1", "D1", TextRef("sys-1"), cancelled=("sys-1",))
    again = replace(task, id="u", peer=None, cancelled=(), renamed=(("2024-01-01T00:00:00Z", "a", "b"),))
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with open_store(tmp_path / "one", "e") as store, open_store(tmp_path / "other", "e") as other:
        store.add_tasks([task, again])
        write_records(store, tmp_path / "out.jsonl")
        read_records(other, tmp_path / "out.jsonl")
        assert other.tasks(cancelled=True) == [task, again]
        assert other.tasks() == [again]
        assert list(records(other)) == list(records(store))
        bad = (tmp_path / "out.jsonl").read_text().replace('["sys-1"]', "[1]")
        (tmp_path / "bad.jsonl").write_text(bad)
        with pytest.raises(AdjudgeError, match='"cancelled" is .*, expected a list of names'):
            read_records(other, tmp_path / "bad.jsonl")
