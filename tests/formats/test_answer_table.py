"""Answers as a flat table: what must not be mixed stands apart, keys are unique, and no cell is a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.running import called

from adjudge.data.rows import Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.formats.answer_table import COLUMNS, answer_table
from adjudge.judgments.assign.order import repeat_of
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.store.records import read_records, write_records
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import Event, Origin, Task

FORMULA = '=HYPERLINK("http://example.org")'


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    """A system with the name of a formula, at two lengths."""
    made = Evaluation.init(tmp_path / "e", name="e")
    rows = [Topic("t"), System("@home"), System("=evil")]
    rows += [
        Summary("t", system, f"A text of {length} words.", length)
        for system in ("@home", "=evil")
        for length in (10, 50)
    ]
    made.take(("test", row) for row in rows)
    with made.store() as store:
        fill(store, made)
    return made


def fill(store: Store, evaluation: Evaluation) -> None:
    """Ann and a simulated assessor rate everything; Ann rates one summary twice, and comments."""
    protocol = evaluation.protocol("rating")
    tasks: list[Task] = make_tasks(evaluation.collection, protocol, ["ann", "simulated-1"], "e")
    again = replace(repeat_of(tasks[0], "again"), position=99)
    pairs = make_tasks(evaluation.collection, evaluation.protocol("preference-summaries"), ["ann"], "e")
    store.add_tasks([*tasks, again, *pairs])
    store.append(list(events([*tasks, again], pairs)))


def events(rated: list[Task], pairs: list[Task]) -> Iterator[Event]:
    for n, task in enumerate(rated):
        origin: Origin = "human" if task.assessor == "ann" else "simulated"
        more = {"shown_at": "2024-05-01T10:00:00Z", "answered_at": "2024-05-01T10:00:05Z", "took_ms": 5000}
        yield event(f"r{n}", task, "rating:fluency", {"value": n % 5 + 1}, origin, **more)
        yield event(f"old{n}", task, "rating:coherence", {"value": 1}, origin)
        yield event(f"new{n}", task, "rating:coherence", {"value": 2}, origin)
    yield event("note", rated[0], "comment", {"text": FORMULA})
    for n, task in enumerate(pairs):
        yield event(f"p{n}", task, "preference", {"winner": "left"})


def event(
    id: str, task: Task, question: str, answer: object, origin: Origin = "human", **more: object
) -> Event:
    return Event(id, "e", task.id, task.assessor, question, answer, origin=origin, **more)  # type: ignore[arg-type]


def exported(evaluation: Evaluation, *options: str) -> list[dict[str, str]]:
    file = evaluation.path.parent / "answers.csv"
    done = called(evaluation.path.parent, "judgments", "export", "e", str(file), *options)
    assert done.returncode == 0, done.stderr
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_a_flat_row_an_answer_that_counts(evaluation: Evaluation) -> None:
    rows = exported(evaluation)
    assert list(rows[0]) == list(COLUMNS)
    keys = [(row["task"], row["question"]) for row in rows]
    assert len(set(keys)) == len(keys) == 9 * 2 + 1 + 2, "nine ratings of two aspects, a comment, two pairs"
    assert {row["origin"] for row in rows} == {"human", "simulated"}
    assert {row["assessor"] for row in rows if row["origin"] == "simulated"} == {"simulated-1"}
    assert {row["length"] for row in rows} == {"10", "50"}
    assert {row["form"] for row in rows} == {""}
    repeats = [row for row in rows if row["repeat"] != "0"]
    assert [(row["task"], row["repeat"]) for row in repeats] == [("again", "1")] * 2
    first = [row for row in rows if row["task"] == repeats[0]["repeat_of"]]
    assert {row["system"] for row in first} == {row["system"] for row in repeats}
    assert {row["value"] for row in rows if row["question"] == "rating:coherence"} == {"2"}
    timed = [row for row in rows if row["question"] == "rating:fluency"]
    assert {row["took_ms"] for row in timed} == {"5000"}
    assert {row["answered_at"] for row in timed} == {"2024-05-01T10:00:05Z"}
    assert all(row["received_at"] for row in rows)


def test_no_cell_of_the_table_is_a_formula(evaluation: Evaluation) -> None:
    rows = exported(evaluation)
    assert {row["system"] for row in rows} == {"'@home", "'=evil", ""}
    assert {row["left"] for row in rows} - {""} <= {"'@home", "'=evil"}
    (note,) = (row for row in rows if row["question"] == "comment")
    assert note["value"] == f"'{FORMULA}"
    assert not [cell for row in rows for cell in row.values() if cell[:1] in tuple("=+-@\t\r")]


def test_pseudonyms_hide_people_in_what_they_typed_too(evaluation: Evaluation) -> None:
    with evaluation.store() as store:
        task = store.tasks(assessor="ann")[0]
        store.append([event("named", task, "flag", {"text": "Ask ann about it"})])
        pseudonym = store.people.pseudonym("ann")
    rows = exported(evaluation, "--pseudonyms")
    assert "ann" not in {row["assessor"] for row in rows}
    (flag,) = (row for row in rows if row["question"] == "flag")
    assert flag["value"] == f"Ask {pseudonym} about it"
    assert json.loads(flag["answer"]) == {"text": flag["value"]}


def test_the_same_table_from_python(evaluation: Evaluation) -> None:
    with evaluation.store() as store:
        table = answer_table(store)
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert rows == exported(evaluation)
    assert table.to_frame()["system"].dropna().isin(["@home", "=evil"]).all(), "a frame is no CSV"


def test_json_lines_are_exact(evaluation: Evaluation, tmp_path: Path) -> None:
    """What goes out comes in again, byte for byte: formulas are nothing special there."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    with evaluation.store() as store:
        write_records(store, first)
    (tmp_path / "other").mkdir()
    with open_store(tmp_path / "other", "e") as other:
        read_records(other, first)
        write_records(other, second)
    assert first.read_bytes() == second.read_bytes()
    assert json.dumps(FORMULA)[1:-1] in first.read_text(encoding="utf-8")
