"""SummEval's files, as scores and as judgments."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import FormatError, UsageError
from adjudge.data.incoming import LeftOut, Remark
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.formats import summeval
from adjudge.formats.summeval import NO_ASPECT, read_judgments
from adjudge.judgments.intake import Item
from adjudge.judgments.tasks import CROWD, Event, Task, TextRef, is_anonymous, text_hash

from .shapes import Imported, Refused, Write, lines, reasons, things

# SummEval: texts, references, and ratings of experts and of the crowd


LINE: dict[str, Any] = {
    "id": "cnn-1",
    "model_id": "M8",
    "decoded": "a summary .",
    "text": "The source.",
    "references": ["R one.", "R two."],
    "expert_annotations": [{"coherence": 1, "fluency": 5}, {"coherence": 2}],
    "turker_annotations": [{"coherence": 4}, {"coherence": 3.5}],
    "filepath": "x.story",
}


def test_a_line_gives_exact_items(write: Write) -> None:
    write("s.jsonl", lines(LINE))
    items = list(summeval.read(["s.jsonl"]))
    assert {place for place, _ in items} == {"s.jsonl:1"}
    assert things(items) == [
        LeftOut('column "filepath" not used'),
        Topic("cnn-1", task="single"),
        Document("cnn-1", "1", "The source."),
        System("M8", kind="machine"),
        Summary("cnn-1", "M8", "a summary ."),
        System("reference-1", kind="human"),
        Summary("cnn-1", "reference-1", "R one.", roles=("reference",)),
        System("reference-2", kind="human"),
        Summary("cnn-1", "reference-2", "R two.", roles=("reference",)),
        MeasureInfo("expert:coherence", "higher", (1, 5), "expert:coherence|imported|summeval|scale:1-5"),
        Score("expert:coherence", "cnn-1", "M8", 1.0, assessor="expert-1"),
        MeasureInfo("expert:fluency", "higher", (1, 5), "expert:fluency|imported|summeval|scale:1-5"),
        Score("expert:fluency", "cnn-1", "M8", 5.0, assessor="expert-1"),
        Score("expert:coherence", "cnn-1", "M8", 2.0, assessor="expert-2"),
        MeasureInfo("crowd:coherence", "higher", (1, 5), "crowd:coherence|imported|summeval|scale:1-5"),
        Score("crowd:coherence", "cnn-1", "M8", 4.0, repeat=0),
        Score("crowd:coherence", "cnn-1", "M8", 3.5, repeat=1),
    ]


def test_what_a_release_may_lack(write: Write) -> None:
    write("s.jsonl", lines({"id": "cnn-1", "model_id": "M8", "decoded": ""}))
    assert things(summeval.read(["s.jsonl"])) == [
        Topic("cnn-1", task="single"),
        LeftOut("no source text"),
        System("M8", kind="machine"),
        Summary("cnn-1", "M8", ""),
    ]


def test_what_is_null_is_counted(write: Write) -> None:
    line = {**LINE, "decoded": None, "references": ["R", None], "expert_annotations": [{"coherence": None}]}
    write("s.jsonl", lines(line))
    assert reasons(summeval.read(["s.jsonl"]))[1:] == ["no text", "no text", "no rating"]


def test_an_import_stores_one_file_per_measure(write: Write, imported: Imported, tmp_path: Path) -> None:
    write("s.jsonl", lines(LINE, {**LINE, "model_id": "M9"}))
    report = imported(summeval.read(["s.jsonl"]))
    assert report.added == {"topics": 1, "documents": 1, "systems": 4, "summaries": 4}
    assert report.scores == {"expert:coherence": 4, "expert:fluency": 2, "crowd:coherence": 4}
    assert report.same == {"documents": 1, "summaries": 2}
    assert len(list((tmp_path / "my-eval" / "scores").glob("*.parquet"))) == 4


def changed(**values: Any) -> str:
    return lines({**LINE, **values})


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (lines(LINE)[:-40], "s.jsonl:1: not JSON"),
        (changed(id=None), 's.jsonl:1: no "id"'),
        (changed(id=["x"]), 's.jsonl:1: "id" is a list'),
        (changed(model_id=None), 's.jsonl:1: no "model_id"'),
        (changed(model_id="a\tb"), '"model_id" is'),
        (changed(decoded=["x"]), '"decoded" is a list, expected a text'),
        (changed(text=1), '"text" is a number, expected a text'),
        (changed(references="R"), '"references" is a text, expected a list of texts'),
        (changed(references=[1]), '"references" is a number, expected a text'),
        (changed(expert_annotations={}), '"expert_annotations" is an object, expected a list'),
        (changed(expert_annotations=[3]), "expert annotation 1 is a number, expected an object"),
        (changed(expert_annotations=[{"coherence": 6}]), 'expert:coherence is "6", expected a number from 1'),
        (changed(expert_annotations=[{"coherence": "4"}]), 'expert:coherence is "4", expected a number'),
        (changed(expert_annotations=[{"coherence": True}]), 'is "True", expected a number from 1 to 5'),
        (changed(turker_annotations=[{"coherence": 0.5}]), 'crowd:coherence is "0.5"'),
        (changed(turker_annotations=[{"coherence": []}]), "crowd:coherence is a list"),
        (changed(turker_annotations=[{"": 4}]), '"crowd aspect" is ""'),
        (
            lines(LINE, {**LINE, "model_id": "M9", "references": ["Other."]}),
            "stands twice with different content",
        ),
        (lines(LINE, {**LINE}), "a second score of expert:coherence"),
        ('{"id": "x", "id": "y"}\n', 's.jsonl:1: "id" stands twice in one object'),
    ],
)
def test_what_is_malformed_is_refused(write: Write, refused: Refused, content: str, expected: str) -> None:
    write("s.jsonl", content)
    assert expected in refused(summeval.read(["s.jsonl"]))


def test_bytes_archives_lengths_and_links(write: Write, refused: Refused) -> None:
    write("s.jsonl", lines(LINE).encode().replace(b"source", b"s\xe9urce"))
    assert "s.jsonl:1: byte 0xe9" in refused(summeval.read(["s.jsonl"]))
    write("n.jsonl", lines(LINE).encode().replace(b"source", b"s\0urce"))
    assert "n.jsonl:1: not JSON" in refused(summeval.read(["n.jsonl"]))
    write("s.jsonl.gz", gzip.compress(lines(LINE).encode())[:-30])
    assert "s.jsonl.gz" in refused(summeval.read(["s.jsonl.gz"]))
    write("long.jsonl", lines(LINE))
    assert "longer than 100 bytes" in refused(summeval.read(["long.jsonl"], max_line=100))
    write("in/s.jsonl", lines(LINE))
    Path("in/t.jsonl").symlink_to("../long.jsonl")
    assert "leaves the folder" in refused(summeval.read(["in"]))


@pytest.mark.shared_data
def test_the_real_file(summeval_file: Path, imported: Imported) -> None:
    report = imported(summeval.read([summeval_file]))
    assert report.added == {"topics": 100, "systems": 12 + 11, "documents": 100, "summaries": 1200 + 1100}
    assert Counter(report.scores) == {
        f"{who}:{aspect}": 1200 * people
        for who, people in (("expert", 3), ("crowd", 5))
        for aspect in ("coherence", "consistency", "fluency", "relevance")
    }
    assert report.left_out == {'column "filepath" not used': 1}


# SummEval's ratings as judgments: experts are assessors, positions of the crowd are nobody


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
    return list(read_judgments([file], evaluation="e", **options))


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
    assert Counter(left.reason for left in of(items, Remark)) == {"no rating": 4}


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
    assert Counter(left.reason for left in of(items, Remark)) == {
        "answer that is none of the protocol's choices": 1,
        NO_ASPECT.reason: 1,
    }


def test_importing_twice_gives_the_same_ids(tmp_path: Path) -> None:
    assert read(tmp_path, RECORD) == read(tmp_path, RECORD)


def test_wrong_calls_and_wrong_files_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected one for rating"):
        read(tmp_path, RECORD, protocol="pyramid")
    with pytest.raises(FormatError, match="expected a number from 1 to 5"):
        read(tmp_path, RECORD | {"expert_annotations": [{"fluency": 9}]})
