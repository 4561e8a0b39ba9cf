"""Batches out and in: blind, complete, read twice and stored once; who answered becomes the assessor."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.data.rows import Document, Row, Summary
from adjudge.evaluation import Evaluation
from adjudge.formats.batches import export_batches, is_batch, open_tasks, read_batch
from adjudge.judgments.intake import Taken, take
from adjudge.judgments.pairs.sample import sample
from adjudge.judgments.store.store import Store

PROTOCOLS = ("preference-sentences", "preference-summaries")


@pytest.fixture
def e(make: Callable[..., Evaluation]) -> Evaluation:
    rows: list[Row] = []
    for topic in ("t1", "t2"):
        text = " ".join(f"In {topic}, the number {k} was called out." for k in range(8))
        rows += [Document(topic, "d1", text)]
        rows += [Summary(topic, f"system-{k}", f"Summary {k} of {topic}.") for k in range(4)]
    return make(*rows)


@pytest.fixture
def store(e: Evaluation) -> Iterator[Store]:
    with e.store() as opened:
        yield opened


def ask(e: Evaluation, store: Store, of: str = "sentences", **asked: Any) -> None:
    sample(e.collection, store, e.protocol(f"preference-{of}"), **asked)


def export(e: Evaluation, store: Store, path: Path, **asked: Any) -> Any:
    return export_batches(store, e.collection, {name: e.protocol(name) for name in PROTOCOLS}, path, **asked)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)), restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(e: Evaluation, store: Store, path: Path) -> Taken:
    return take(e.folder, store, read_batch(path, store, {name: e.protocol(name) for name in PROTOCOLS}))


def test_a_batch_has_the_texts_and_no_names(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, "summaries", count=6)
    found = export(e, store, tmp_path / "b.csv")
    assert (found.pairs, found.files) == (12, (tmp_path / "b.csv",))
    rows = rows_of(tmp_path / "b.csv")
    assert list(rows[0]) == ["task", "topic", "question", "left", "right", "assessor"]
    assert "system-" not in (tmp_path / "b.csv").read_text()
    tasks = {task.id: task for task in store.tasks()}
    for row in rows:
        task = tasks[row["task"]]
        assert row["left"] == f"Summary {str(task.left['system'])[-1]} of {row['topic']}."  # type: ignore[index]
        assert row["question"] == "Which summary is better?"
        assert row["assessor"] == ""


def test_files_of_so_many_rows(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=10)
    found = export(e, store, tmp_path / "b.csv", batch=8)
    assert [file.name for file in found.files] == ["b-1.csv", "b-2.csv", "b-3.csv"]
    assert [len(rows_of(file)) for file in found.files] == [8, 8, 4]


def test_hits_hold_one_topic_and_a_repeat_with_its_first(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=11, repeats=0.2)
    export(e, store, tmp_path / "b.csv", hit=4)
    rows = rows_of(tmp_path / "b.csv")
    tasks = {task.id: task for task in store.tasks()}
    seen = []
    for row in rows:
        own = [tasks[row[f"task_{k}"]] for k in range(1, 5) if row[f"task_{k}"]]
        seen += own
        assert {task.topic for task in own} == {row["topic"]}
        repeats = [task for task in own if task.repeat_of]
        assert {str(task.repeat_of) for task in repeats} <= {task.id for task in own}
        assert own == sorted(own, key=lambda task: task.position)
    assert len(seen) == len(tasks) == 26


def test_an_answered_batch_comes_back_once(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=3, per_pair=2)
    export(e, store, tmp_path / "b.csv")
    rows = rows_of(tmp_path / "b.csv")
    first = write(
        tmp_path / "w1.csv",
        [
            row
            | {"worker_id": "w1", "answer": "left", "seconds": "12.5", "answered_at": "2024-05-01T12:00:00Z"}
            for row in rows[:4]
        ],
    )
    assert is_batch(first)
    taken = read(e, store, first)
    assert (taken.tasks, taken.answers) == (4, 4)
    again = read(e, store, first)
    assert (again.tasks, again.answers, again.tasks_there, again.answers_there) == (0, 0, 4, 4)
    judged = store.current()
    assert {each.task.assessor for each in judged} == {"w1"}
    event = judged[0].answers["preference"]
    assert (event.answer, event.assessor, event.took_ms, event.origin) == (
        {"winner": "left"},
        "w1",
        12_500,
        "imported",
    )
    assert event.answered_at == "2024-05-01T12:00:00.000000Z"
    assert len(open_tasks(store, PROTOCOLS)) == 12 - 4
    assert len(rows_of(export(e, store, tmp_path / "rest.csv").files[0])) == 8


def test_several_people_answer_one_open_task(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=1, topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    (row,) = rows_of(tmp_path / "b.csv")
    both = [row | {"worker": f"w{k}", "answer": side} for k, side in enumerate(("left", "right"))]
    read(e, store, write(tmp_path / "a.csv", both))
    assert sorted((j.task.assessor, j.answers["preference"].answer["winner"]) for j in store.current()) == [
        ("w0", "left"),
        ("w1", "right"),
    ]
    assert open_tasks(store, PROTOCOLS) == []


def test_a_corrected_file_is_a_later_answer(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=1, topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    (row,) = rows_of(tmp_path / "b.csv")
    for winner in ("left", "right"):
        read(e, store, write(tmp_path / "a.csv", [row | {"worker": "w1", "answer": winner}]))
    (judged,) = store.current()
    assert judged.answers["preference"].answer == {"winner": "right"}


def test_a_batch_for_somebody_needs_no_worker(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=2, assessors=["ann"], topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    rows = rows_of(tmp_path / "b.csv")
    assert {row["assessor"] for row in rows} == {"ann"}
    for row in rows:
        row.pop("assessor")
    taken = read(e, store, write(tmp_path / "a.csv", [row | {"answer": "right"} for row in rows]))
    assert (taken.tasks, taken.answers) == (0, 2)
    assert {each.task.assessor for each in store.current()} == {"ann"}


def test_answers_of_nobody_knows_whom(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=1, topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    (row,) = rows_of(tmp_path / "b.csv")
    path = write(tmp_path / "a.csv", [row | {"answer": "left"}, row | {"answer": "left"}])
    taken = read(e, store, path)
    assert (taken.tasks, taken.answers) == (2, 2)
    assert sum(taken.rows.noted.values()) == 2
    assert {each.task.assessor for each in store.current()} == {"crowd-anonymous"}
    assert read(e, store, path).answers == 0


def test_the_second_time_that_somebody_answers_a_pair_is_a_repeat(
    e: Evaluation, store: Store, tmp_path: Path
) -> None:
    ask(e, store, count=1, repeats=1.0, topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    path = write(
        tmp_path / "a.csv", [row | {"worker": "w1", "answer": "left"} for row in rows_of(tmp_path / "b.csv")]
    )
    read(e, store, path)
    own = [task for task in store.tasks() if task.assessor == "w1"]
    assert [task.repeat_of for task in own] == [None, own[0].id]
    assert read(e, store, path).tasks == 0


def test_hits_come_back_from_mechanical_turk(e: Evaluation, store: Store, tmp_path: Path) -> None:
    """Input.*, Answer.*, WorkerId, WorkTimeInSeconds and AssignmentStatus are the names in its result files."""
    ask(e, store, count=4, topics=["t1"])
    export(e, store, tmp_path / "b.csv", hit=3)
    rows = []
    for number, row in enumerate(rows_of(tmp_path / "b.csv")):
        turned = {f"Input.{name}": value for name, value in row.items()}
        turned |= {f"Answer.answer_{k}": "right" for k in range(1, 4)}
        times = {"SubmitTime": "Wed Jun 05 12:41:20 PDT 2019", "WorkTimeInSeconds": "30"}
        rows.append(turned | times | {"WorkerId": f"A{number}", "AssignmentStatus": "Submitted"})
    rows.append(rows[0] | {"WorkerId": "BAD", "AssignmentStatus": "Rejected"})
    path = write(tmp_path / "results.csv", rows)
    assert is_batch(path)
    taken = read(e, store, path)
    assert (taken.tasks, taken.answers) == (4, 4)
    assert taken.rows.left_out == {"row that was rejected on the platform": 3}
    assert taken.rows.noted == {"time that is not ISO 8601: not taken; its answer is": 4}
    took = {each.task.assessor: each.answers["preference"].took_ms for each in store.current()}
    assert took == {"A0": 10_000, "A1": 30_000}  # a HIT's time is shared among its pairs


def test_what_cannot_be_taken_is_counted(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=3, topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    one, two, three = (row | {"worker": "w1"} for row in rows_of(tmp_path / "b.csv"))
    rows = [
        one | {"answer": "tie"},  # the protocol has none
        two | {"answer": ""},
        three | {"answer": "skip"},
        one | {"task": "00000000-0000-5000-8000-000000000000", "answer": "left"},
        one | {"answer": "left", "worker": "x" * 300},
    ]
    taken = read(e, store, write(tmp_path / "a.csv", rows))
    assert taken.answers == 1
    assert taken.rows.left_out == {
        "answer that is none of the protocol's choices": 1,
        "no answer": 1,
        "row whose task is not in this evaluation": 1,
        "row with a name or a length that cannot be one": 1,
    }


def test_an_answer_may_be_the_text_itself(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, count=1, topics=["t1"])
    export(e, store, tmp_path / "b.csv")
    (row,) = rows_of(tmp_path / "b.csv")
    read(e, store, write(tmp_path / "a.csv", [row | {"worker": "w1", "answer": row["right"]}]))
    assert store.current()[0].answers["preference"].answer == {"winner": "right"}


def test_changed_texts_are_not_exported(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, "summaries", count=6, topics=["t1"])
    e.take([("test", Summary("t1", "system-0", "Another text."))], on_clash="replace")
    found = export(e, store, tmp_path / "b.csv")
    assert found.pairs == 3
    assert found.left_out == {"task whose texts are gone or have changed": 3}


def test_cancelled_tasks_are_not_exported(e: Evaluation, store: Store, tmp_path: Path) -> None:
    ask(e, store, "summaries", count=6, topics=["t1"])
    e.withdraw("wrong input", system="system-0", topic="t1")
    found = export(e, store, tmp_path / "b.csv")
    assert (found.pairs, found.left_out) == (3, {})


def test_tables_of_systems_are_no_batches(tmp_path: Path) -> None:
    for text in (
        "task,worker,label\nt1/a/b,w,left\n",
        "topic,left,right,winner\nt,a,b,left\n",
        "task,answer\n",
    ):
        (tmp_path / "p.csv").write_text(text)
        assert not is_batch(tmp_path / "p.csv")


def test_mistakes(e: Evaluation, store: Store, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no open task to export"):
        export(e, store, tmp_path / "b.csv")
    with pytest.raises(UsageError, match="at least one row"):
        export(e, store, tmp_path / "b.csv", batch=0)
    (tmp_path / "p.csv").write_text("task,left\nx,y\n")
    with pytest.raises(FormatError, match=r'p\.csv:1: no column "answer" with the answers'):
        read(e, store, tmp_path / "p.csv")
    (tmp_path / "p.csv").write_text("left,answer\nx,y\n")
    with pytest.raises(FormatError, match=r'p\.csv:1: no column "task"'):
        read(e, store, tmp_path / "p.csv")
