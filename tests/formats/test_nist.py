"""NIST's tables of responsiveness and linguistic quality, written here in their shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import FormatError, UsageError
from adjudge.data.incoming import Remark
from adjudge.data.rows import System, Topic
from adjudge.formats import nist
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.intake import Item
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.measures.judged.rating import Rating

NAMES = ("Topic", "Selector", "Assessor", "Summarizer", "Score")
WITH_QUESTION = (*NAMES[:-1], "Question", "Score")


def drawn(names: Sequence[str]) -> str:
    """A header that draws its columns, down to a line of bars."""
    lines = ["|  " * column + name for column, name in enumerate(names)]
    return "\n".join([*lines, "|  " * len(names)]) + "\n"


def rows(*cells: str) -> str:
    return "".join("\t".join(row.split()) + "\n" for row in cells)


def table(path: Path, text: str | bytes, name: str = "content.table") -> Path:
    file = path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def read(*paths: Path, **options: Any) -> list[Item]:
    return list(nist.read(paths, evaluation="e", **options))


def of(items: Sequence[Item], kind: type) -> list[Any]:
    return [thing for _, thing in items if isinstance(thing, kind)]


def reasons(items: Sequence[Item]) -> Counter[str]:
    return Counter(left.reason for left in of(items, Remark))


CONTENT = drawn(NAMES) + rows("D0601 A B 1 2", "D0601 A B 17 4", "D0601 A C 17 5", "D0602 D D E 5")


def test_topics_systems_tasks_and_ratings(tmp_path: Path) -> None:
    items = read(table(tmp_path, CONTENT), length=250)
    assert of(items, Topic) == [Topic("D0601", selector="A"), Topic("D0602", selector="D")]
    assert of(items, System) == [System("1", kind="baseline"), System("17"), System("E", kind="human")]
    tasks, events = of(items, Task), of(items, Event)
    assert [(t.assessor, t.topic, t.peer) for t in tasks] == [
        ("B", "D0601", TextRef("1", 250)),
        ("B", "D0601", TextRef("17", 250)),
        ("C", "D0601", TextRef("17", 250)),
        ("D", "D0602", TextRef("E", 250)),
    ]
    assert {(t.protocol, t.version, t.repeat_of) for t in tasks} == {("responsiveness", "1", None)}
    assert [(e.question, e.answer, e.origin) for e in events] == [
        ("rating:content", {"value": score}, "imported") for score in (2, 4, 5, 5)
    ]
    assert [e.task for e in events] == [t.id for t in tasks]
    assert not reasons(items)
    assert items[0][0] == f"{tmp_path / 'content.table'}:7"


def test_importing_twice_gives_the_same_ids(tmp_path: Path) -> None:
    file = table(tmp_path, CONTENT)
    assert read(file) == read(file)
    assert len({thing.id for thing in of(read(file), Event)}) == 4


def test_content_and_overall_are_two_answers_to_one_task(tmp_path: Path) -> None:
    table(tmp_path, CONTENT)
    table(tmp_path, CONTENT, "overall.table")
    items = read(tmp_path)
    assert len(of(items, Task)) == 4
    assert Counter(e.question for e in of(items, Event)) == {"rating:content": 4, "rating:overall": 4}


def test_a_second_score_by_the_same_assessor_is_a_repeat(tmp_path: Path) -> None:
    items = read(table(tmp_path, drawn(NAMES) + rows("D1 A B 17 4", "D1 A B 17 3", "D1 A B 17 4")))
    first, second, third = of(items, Task)
    assert (first.repeat_of, second.repeat_of, third.repeat_of) == (None, first.id, first.id)
    assert [t.position for t in (first, second, third)] == [0, 1, 2]
    assert [e.answer["value"] for e in of(items, Event)] == [4, 3, 4]


def test_linguistic_quality_has_a_task_for_five_questions(tmp_path: Path) -> None:
    cells = [f"D1 A B 17 {question} {score}" for question, score in enumerate((5, 4, 3, 2, 1), 1)]
    items = read(table(tmp_path, drawn(WITH_QUESTION) + rows(*cells, "D1 A B 17 1 2"), "lq.table"))
    first, second = of(items, Task)
    assert first.protocol == "linguistic-quality"
    assert second.repeat_of == first.id
    answers = {e.question: e.answer["value"] for e in of(items, Event) if e.task == first.id}
    assert answers == {f"rating:{question}": 6 - question for question in range(1, 6)}


def test_the_measure_gives_what_the_table_has(tmp_path: Path) -> None:
    items = read(table(tmp_path, CONTENT), length=250)
    events = {e.task: e for e in of(items, Event)}
    judged = [Judged(t, {events[t.id].question: events[t.id]}) for t in of(items, Task) if t.topic == "D0601"]
    scores = Rating(aspect="content").score(TopicBatch(Topic("D0601"), (), judgments=tuple(judged)))
    found = [(s.system, s.assessor, s.value, s.length, s.repeat) for s in scores]
    assert found == [("1", "B", 2.0, 250, 0), ("17", "B", 4.0, 250, 0), ("17", "C", 5.0, 250, 0)]


def test_windows_line_ends_stray_bytes_and_a_mark_are_read(tmp_path: Path) -> None:
    text = "\N{BYTE ORDER MARK}DUC-2006, r\xe9ponses\n".encode() + b"Responsiveness \xe9\n"
    raw = text + (drawn(NAMES) + rows("D1 A B 17 4")).encode()
    items = read(table(tmp_path, raw.replace(b"\n", b"\r\n")))
    assert [e.answer for e in of(items, Event)] == [{"value": 4}]
    assert reasons(items) == {"bytes that are not UTF-8 read as Windows-1252": 1}
    old = (drawn(NAMES) + rows("D1 A B 17 4", "D1 A B 18 4")).replace("\n", "\r").encode()
    assert len(of(read(table(tmp_path, old, "overall.table")), Event)) == 2


@pytest.mark.parametrize(
    "header",
    [
        "",
        "content scores\n",
        drawn(("Topic", "who", "x", "y", "z")),
        "Topic\tSelector\tAssessor\tSummarizer\tScore\n",
    ],
)
def test_without_a_drawn_header_the_usual_order_is_taken_and_said(tmp_path: Path, header: str) -> None:
    items = read(table(tmp_path, header + rows("D1 A B 17 4", "D1 A B 18 3")))
    assert [(t.assessor, t.peer) for t in of(items, Task)] == [("B", TextRef("17")), ("B", TextRef("18"))]
    assert reasons(items) == {nist.OWN_HEADER.reason: 1}


def test_a_title_that_ends_in_a_number_is_no_row(tmp_path: Path) -> None:
    for title in ("Responsiveness scores for DUC 2006\n", "The results of task number 1\n"):
        items = read(table(tmp_path, title + CONTENT))
        assert len(of(items, Event)) == 4
        assert not reasons(items)


def test_rows_with_spaces_between_are_read(tmp_path: Path) -> None:
    items = read(table(tmp_path, CONTENT.replace("\t", "   ")))
    assert len(of(items, Event)) == 4
    assert not reasons(items)


def test_columns_in_another_order_are_found_by_their_names(tmp_path: Path) -> None:
    names = ("Docset ID", "Summarizer ID", "Assessor ID", "Topic selector", "Overall responsiveness score")
    items = read(table(tmp_path, "A title\n" + drawn(names) + rows("D1 17 B A 4"), "overall.table"))
    assert of(items, Topic) == [Topic("D1", selector="A")]
    (task,) = of(items, Task)
    assert (task.assessor, task.peer) == ("B", TextRef("17"))
    assert not reasons(items)


def test_what_is_wrong_is_counted_and_the_rest_kept(tmp_path: Path) -> None:
    wrong = ["D1 A B", "D1 A B 17 9", "D1 A B 18 x", "D1 A B 19 4 4", "D1 A B 20 -", "D1 A B 21 2.5"]
    text = (
        drawn(NAMES) + rows(*wrong) + "D1\tA\t\t22\t4\n" + f"{'D' * 300}\tA\tB\t22\t4\n" + rows("D1 Z B 23 4")
    )
    items = read(table(tmp_path, text + rows("D1 A B 24 5")))
    assert [t.peer for t in of(items, Task)] == [TextRef("23"), TextRef("24")]
    assert of(items, Topic) == [Topic("D1", selector="Z")]
    assert reasons(items) == {
        nist.WIDTH.reason: 2,
        "answer that is none of the protocol's choices": 3,
        "no answer": 1,
        nist.NO_NAME.reason: 1,
        nist.STRANGE_NAME.reason: 1,
        nist.OTHER_SELECTOR.reason: 1,
    }
    places = {thing.reason: place for place, thing in items if isinstance(thing, Remark)}
    assert places[nist.NO_NAME.reason].endswith(":13")


def test_a_question_that_nobody_asked_is_left_out(tmp_path: Path) -> None:
    text = drawn(WITH_QUESTION) + rows("D1 A B 17 6 5", "D1 A B 17 Q2 5")
    items = read(table(tmp_path, text))
    assert [e.question for e in of(items, Event)] == ["rating:2"]
    assert reasons(items) == {nist.NO_QUESTION.reason: 1}


def test_files_without_rows_are_named(tmp_path: Path) -> None:
    assert reasons(read(table(tmp_path, "", "a.table"))) == {"file without records": 1}
    assert reasons(read(table(tmp_path, drawn(NAMES), "a.table"))) == {nist.NO_ROWS.reason: 1}


def test_how_many_baselines_there_are_can_be_said(tmp_path: Path) -> None:
    file = table(tmp_path, drawn(NAMES) + rows("D1 A B 2 4", "D1 A B 3 4"))
    assert of(read(file, baselines=2), System) == [System("2", kind="baseline"), System("3")]


def test_what_was_rated_must_be_known(tmp_path: Path) -> None:
    file = table(tmp_path, CONTENT, "scores.table")
    with pytest.raises(UsageError, match="aspect=content"):
        read(file)
    assert {e.question for e in of(read(file, aspect="overall"), Event)} == {"rating:overall"}
    with pytest.raises(UsageError, match='no aspect "contents" .nearest: "content"'):
        read(file, aspect="contents")
    with pytest.raises(UsageError, match="is a coverage protocol"):
        read(file, aspect="content", protocol="duc-2002")
    with pytest.raises(FormatError, match="cannot be read"):
        read(tmp_path / "none.table", aspect="content")


def test_other_files_of_a_folder_are_named(tmp_path: Path) -> None:
    table(tmp_path, CONTENT)
    table(tmp_path, "hello", "readme.txt")
    assert reasons(read(tmp_path)) == {"file not named *.table": 1}
