"""SummEval's ratings as judgments: experts are assessors, positions of the crowd are nobody."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.data.incoming import LeftOut
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.errors import FormatError, UsageError
from adjudge.formats import summeval_ratings as summeval
from adjudge.judgments.intake import Item
from adjudge.judgments.tasks import CROWD, Event, Task, TextRef, is_anonymous, text_hash


def ratings(*values: int) -> dict[str, int]:
    return dict(zip(("coherence", "consistency", "fluency", "relevance"), values, strict=True))


RECORD: dict[str, Any] = {
    "id": "dm-1",
    "model_id": "M0",
    "decoded": "Rain fell.",
    "text": "Rain fell on Monday.",
    "references": ["It rained."],
    "expert_annotations": [ratings(5, 4, 3, 2), ratings(4, 4, 4, 4)],
    "turker_annotations": [ratings(1, 2, 3, 4), ratings(5, 5, 5, 5), ratings(2, 2, 2, 2)],
}


def read(path: Path, *records: dict[str, Any], **options: Any) -> list[Item]:
    file = path / "summeval.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return list(summeval.read([file], evaluation="e", **options))


def of(items: Sequence[Item], kind: type) -> list[Any]:
    return [thing for _, thing in items if isinstance(thing, kind)]


def test_texts_come_first_and_no_scores(tmp_path: Path) -> None:
    items = read(tmp_path, RECORD)
    assert of(items, Topic) == [Topic("dm-1", task="single")]
    assert [s.system for s in of(items, System)] == ["M0", "reference-1"]
    assert [d.text for d in of(items, Document)] == ["Rain fell on Monday."]
    assert [s.text for s in of(items, Summary)] == ["Rain fell.", "It rained."]
    assert not of(items, Score)
    assert not of(items, MeasureInfo)


def test_experts_are_assessors(tmp_path: Path) -> None:
    items = read(tmp_path, RECORD)
    tasks = {task.id: task for task in of(items, Task) if task.assessor != CROWD}
    assert [t.assessor for t in tasks.values()] == ["expert-1", "expert-2"]
    assert {t.peer for t in tasks.values()} == {TextRef("M0")}
    assert {t.hashes["peer"] for t in tasks.values()} == {text_hash("Rain fell.")}
    given = [
        (tasks[e.task].assessor, e.question, e.answer["value"]) for e in of(items, Event) if e.task in tasks
    ]
    assert given[:4] == [
        ("expert-1", "rating:coherence", 5),
        ("expert-1", "rating:consistency", 4),
        ("expert-1", "rating:fluency", 3),
        ("expert-1", "rating:relevance", 2),
    ]
    assert len(given) == 8
    assert {e.origin for e in of(items, Event)} == {"imported"}


def test_positions_of_the_crowd_are_repeats_of_nobody(tmp_path: Path) -> None:
    items = read(tmp_path, RECORD)
    tasks = [task for task in of(items, Task) if task.assessor == CROWD]
    assert [(t.position, t.repeat_of) for t in tasks] == [(0, None), (1, tasks[0].id), (2, tasks[0].id)]
    coherence = [e.answer["value"] for e in of(items, Event) if e.task in {t.id for t in tasks}][::4]
    assert coherence == [1, 5, 2]
    assert is_anonymous(CROWD)
    assert not is_anonymous("expert-1")


def test_a_position_without_answers_keeps_the_others_in_place(tmp_path: Path) -> None:
    nothing = dict.fromkeys(ratings(1, 1, 1, 1))
    items = read(tmp_path, RECORD | {"turker_annotations": [nothing, ratings(5, 5, 5, 5)]})
    first, second = (t for t in of(items, Task) if t.assessor == CROWD)
    assert second.repeat_of == first.id
    assert not [e for e in of(items, Event) if e.task == first.id]
    assert Counter(left.reason for left in of(items, LeftOut)) == {"no rating": 4}


def test_a_record_without_a_text_has_no_hash_of_the_one_before(tmp_path: Path) -> None:
    items = read(tmp_path, RECORD, RECORD | {"model_id": "M1", "decoded": None})
    assert {t.peer.system: dict(t.hashes) for t in of(items, Task)} == {
        "M0": {"peer": text_hash("Rain fell.")},
        "M1": {},
    }


def test_other_aspects_and_values_between_are_left_out_and_counted(tmp_path: Path) -> None:
    items = read(tmp_path, RECORD | {"expert_annotations": [{"style": 3, "fluency": 2.5, "coherence": 4.0}]})
    expert = [e for e in of(items, Event) if e.assessor == "expert-1"]
    assert [(e.question, e.answer) for e in expert] == [("rating:coherence", {"value": 4})]
    assert Counter(left.reason for left in of(items, LeftOut)) == {
        "answer that is none of the protocol's choices": 1,
        summeval.NO_ASPECT.reason: 1,
    }


def test_importing_twice_gives_the_same_ids(tmp_path: Path) -> None:
    assert read(tmp_path, RECORD) == read(tmp_path, RECORD)


def test_wrong_calls_and_wrong_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected one for rating"):
        read(tmp_path, RECORD, protocol="pyramid")
    with pytest.raises(FormatError, match="expected a number from 1 to 5"):
        read(tmp_path, RECORD | {"expert_annotations": [{"fluency": 9}]})
