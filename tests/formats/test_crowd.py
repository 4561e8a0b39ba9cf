"""Tables of a crowd's answers: long, wide, and preferences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import FormatError, UsageError
from adjudge.data.incoming import Remark
from adjudge.data.rows import System, Topic
from adjudge.formats import crowd
from adjudge.judgments.intake import Item
from adjudge.judgments.tasks import CROWD, Event, Task, TextRef


def read(path: Path, text: str, name: str = "crowd.csv", **options: Any) -> list[Item]:
    file = path / name
    file.write_text(text, encoding="utf-8")
    return list(crowd.read([file], evaluation="e", **options))


def of(items: Sequence[Item], kind: type) -> list[Any]:
    return [thing for _, thing in items if isinstance(thing, kind)]


def reasons(items: Sequence[Item]) -> Counter[str]:
    return Counter(left.reason for left in of(items, Remark))


def given(items: Sequence[Item]) -> list[tuple[str, str, Any, str, Any]]:
    tasks = {task.id: task for task in of(items, Task)}
    return [
        (e.assessor, tasks[e.task].topic, tasks[e.task].peer, e.question, e.answer["value"])
        for e in of(items, Event)
    ]


def test_task_worker_label(tmp_path: Path) -> None:
    text = "task,worker,label\nd1/lead,w1,4\nd1/lead,w2,5.0\na/b/ours,w1,1\n"
    items = read(tmp_path, text, aspect="fluency")
    assert of(items, Topic) == [Topic("d1"), Topic("a/b")]
    assert of(items, System) == [System("lead"), System("ours")]
    assert given(items) == [
        ("w1", "d1", TextRef("lead"), "rating:fluency", 4),
        ("w2", "d1", TextRef("lead"), "rating:fluency", 5),
        ("w1", "a/b", TextRef("ours"), "rating:fluency", 1),
    ]
    assert not reasons(items)


def test_topic_and_system_in_columns_of_their_own_and_labels_as_words(tmp_path: Path) -> None:
    text = "topic,system,length,assessor,score\nd1,lead,100,ann,Very Good\nd1,ours,,ann,poor\n"
    items = read(tmp_path, text, aspect="content", protocol="responsiveness", length=50)
    assert given(items) == [
        ("ann", "d1", TextRef("lead", 100), "rating:content", 5),
        ("ann", "d1", TextRef("ours", 50), "rating:content", 2),
    ]


def test_a_column_per_aspect(tmp_path: Path) -> None:
    text = "task\tworker\tCoherence\tfluency\tseconds\nd1/lead\tw1\t4\t\t12\n"
    items = read(tmp_path, text, "crowd.tsv")
    assert given(items) == [("w1", "d1", TextRef("lead"), "rating:coherence", 4)]
    assert reasons(items) == {'column "seconds" not used': 1, "no answer": 1}
    only = read(tmp_path, text, "crowd.tsv", aspect="coherence")
    assert reasons(only) == {'column "seconds" not used': 1, 'column "fluency" not used': 1}


def test_a_second_answer_of_a_worker_is_a_repeat(tmp_path: Path) -> None:
    items = read(tmp_path, "task,worker,label\nd/s,w,4\nd/s,w,5\n", aspect="fluency")
    first, second = of(items, Task)
    assert second.repeat_of == first.id


def test_answers_of_nobody_in_particular(tmp_path: Path) -> None:
    items = read(tmp_path, "task,label\nd/s,4\nd/s,5\n", aspect="fluency")
    assert {t.assessor for t in of(items, Task)} == {CROWD}
    assert reasons(items) == {crowd.NO_WORKER.reason: 2}


@pytest.mark.parametrize(
    "text",
    [
        "topic,left,right,worker,winner\nd1,lead,ours,w1,left\nd1,lead,ours,w2,ours\nd2,ours,lead,w1,tie\n",
        "task,worker,label\nd1/lead/ours,w1,left\nd1/lead/ours,w2,b\nd2/ours/lead,w1,Tie\n",
        "question_id,model_a,model_b,judge,winner\nd1,lead,ours,w1,model_a\n"
        "d1,lead,ours,w2,model_b\nd2,ours,lead,w1,tie (bothbad)\n",
    ],
)
def test_preferences(tmp_path: Path, text: str) -> None:
    items = read(tmp_path, text, protocol="preference-summaries", length=100)
    assert [(e.assessor, e.question, e.answer) for e in of(items, Event)] == [
        ("w1", "preference", {"winner": "left"}),
        ("w2", "preference", {"winner": "right"}),
        ("w1", "preference", {"winner": "tie"}),
    ]
    first = of(items, Task)[0]
    assert (first.topic, first.peer) == ("d1", None)
    assert (first.left, first.right) == (
        {"system": "lead", "length": 100},
        {"system": "ours", "length": 100},
    )
    assert len(of(items, Task)) == 3
    assert not reasons(items)


def test_what_is_wrong_is_counted_and_the_rest_kept(tmp_path: Path) -> None:
    text = "task,worker,label\nlead,w,4\nd/s,w,9\nd/s,w,many\nd/s,w,\n d/s ,w,3\nd/\x07,w,3\n"
    items = read(tmp_path, text, aspect="fluency")
    assert [answer for *_, answer in given(items)] == [3]
    assert reasons(items) == {
        crowd.NO_TASK.reason: 1,
        "answer that is none of the protocol's choices": 2,
        "no answer": 1,
        crowd.STRANGE_NAME.reason: 1,
    }
    text = "topic,left,right,worker,winner\nd,a,a,w,left\nd,a,b,w,c\nd,a,b,w,tie\nd,,b,w,left\nd,a,b,w,\n"
    items = read(tmp_path, text, protocol="preference-sentences")
    assert not of(items, Event)
    assert reasons(items) == {
        crowd.SAME_SYSTEM.reason: 1,
        "answer that is none of the protocol's choices": 2,
        crowd.NO_NAME.reason: 1,
        "no answer": 1,
    }
    items = read(tmp_path, "task,worker,label\nd/a,w,left\n", protocol="preference-summaries")
    assert reasons(items) == {crowd.NO_PAIR.reason: 1}


def test_columns_can_be_named(tmp_path: Path) -> None:
    text = "hit,turker,stars\nd/s,w,4\n"
    columns = {"task": "hit", "worker": "turker", "label": "stars"}
    assert len(of(read(tmp_path, text, aspect="fluency", columns=columns), Event)) == 1
    with pytest.raises(FormatError, match='no column "hits" .nearest: "hit"'):
        read(tmp_path, text, aspect="fluency", columns={"task": "hits"})
    with pytest.raises(UsageError, match='columns={"tusk": "..."}'):
        read(tmp_path, text, aspect="fluency", columns={"tusk": "hit"})


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        ("worker,label\nw,4\n", {"aspect": "fluency"}, FormatError, 'no column "task" and no column "topic"'),
        ("task,worker,label\nd/s,w,4\n", {}, FormatError, "say aspect"),
        ("task,worker\nd/s,w\n", {}, FormatError, "no column for an aspect of rating"),
        ("task,worker\nd/a/b,w\n", {"protocol": "preference-summaries"}, FormatError, "who won"),
        ("task,worker,label\nd/s,w,4\n", {"aspect": "beauty"}, UsageError, 'no aspect "beauty"'),
        (
            "task,worker,label\nd/s,w,4\n",
            {"protocol": "pyramid"},
            UsageError,
            "expected one for rating or preference",
        ),
        ("task,worker,label\nd/s,w\n", {"aspect": "fluency"}, FormatError, "2 cells"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, text: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read(tmp_path, text, **options)


def test_importing_twice_gives_the_same_ids_and_an_empty_table_is_named(tmp_path: Path) -> None:
    text = "task,worker,label\nd/s,w,4\n"
    assert read(tmp_path, text, aspect="fluency") == read(tmp_path, text, aspect="fluency")
    assert reasons(read(tmp_path, "task,worker,label\n", aspect="fluency")) == {"file without records": 1}
