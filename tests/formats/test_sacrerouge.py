"""sacrerouge: summaries and metrics, told apart by their keys."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from adjudge.data.incoming import LeftOut
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.formats import sacrerouge

from .shapes import Imported, Refused, Write, lines, reasons, rows, things

SUMMARY: dict[str, Any] = {
    "instance_id": "d1",
    "summarizer_id": "17",
    "summarizer_type": "peer",
    "summary": {"text": ["One.", "Two."]},
    "references": [
        {"summarizer_id": "A", "summarizer_type": "reference", "text": ["R a."]},
        {"text": "R b."},
    ],
    "documents": [{"filename": "AP-1", "text": ["S1", "S2"]}, {"text": "S3"}],
}
METRICS: dict[str, Any] = {
    "instance_id": "d1",
    "summarizer_id": "17",
    "summarizer_type": "peer",
    "metrics": {"rouge-1": {"recall": 0.4, "f1": None}, "rouge-1_jk": {"recall": 0.5}, "words": 3},
}


def test_summaries_give_exact_items(write: Write) -> None:
    write("s.jsonl", lines({**SUMMARY, "url": "x"}))
    assert list(sacrerouge.read(["s.jsonl"])) == [
        ("s.jsonl:1", LeftOut('column "url" not used')),
        ("s.jsonl:1", Topic("d1")),
        ("s.jsonl:1", System("17")),
        ("s.jsonl:1", Document("d1", "AP-1", "S1\nS2")),
        ("s.jsonl:1", Document("d1", "2", "S3")),
        ("s.jsonl:1", Summary("d1", "17", "One.\nTwo.")),
        ("s.jsonl:1", System("A", kind="human")),
        ("s.jsonl:1", Summary("d1", "A", "R a.", roles=("reference",))),
        ("s.jsonl:1", System("reference-2", kind="human")),
        ("s.jsonl:1", Summary("d1", "reference-2", "R b.", roles=("reference",))),
    ]


def test_metrics_are_flattened(write: Write) -> None:
    write("m.jsonl", lines(METRICS))
    assert things(sacrerouge.read(["m.jsonl"], lower_is_better=["words"])) == [
        Topic("d1"),
        System("17"),
        MeasureInfo(
            "sacrerouge:rouge-1_recall",
            "higher",
            (None, None),
            "sacrerouge:rouge-1_recall|imported|sacrerouge",
        ),
        Score("sacrerouge:rouge-1_recall", "d1", "17", 0.4),
        LeftOut("metric that is not a number"),
        MeasureInfo(
            "sacrerouge:rouge-1_jk_recall",
            "higher",
            (None, None),
            "sacrerouge:rouge-1_jk_recall|imported|sacrerouge",
        ),
        Score("sacrerouge:rouge-1_jk_recall", "d1", "17", 0.5),
        MeasureInfo("sacrerouge:words", "lower", (None, None), "sacrerouge:words|imported|sacrerouge"),
        Score("sacrerouge:words", "d1", "17", 3.0),
    ]


@pytest.mark.parametrize("value", [True, "0.4", [0.4], None, 10**400, 1e999])
def test_metrics_that_are_not_numbers_are_counted(write: Write, value: object) -> None:
    text = lines({**METRICS, "metrics": {"m": {"x": "VALUE"}}})
    plain = "1e999" if value == float("inf") else lines(value).strip()
    write("m.jsonl", text.replace('"VALUE"', plain))
    assert reasons(sacrerouge.read(["m.jsonl"])) == ["metric that is not a number"]


def test_deep_metrics_do_not_overflow(write: Write, refused: Refused) -> None:
    depth = 500
    nested = '{"a":' * depth + "1" + "}" * depth
    write("m.jsonl", lines({**METRICS, "metrics": "X"}).replace('"X"', nested))
    assert "expected 1 to 200 characters" in refused(sacrerouge.read(["m.jsonl"]))


def test_a_reference_line_and_its_roles(write: Write) -> None:
    peer = {**SUMMARY, "references": [{"summarizer_id": "A", "text": "R a."}]}
    line = {"instance_id": "d1", "summarizer_id": "A", "summarizer_type": "reference", "summary": "R a."}
    write("s.jsonl", lines(peer, line))
    found = [row for row in rows(sacrerouge.read(["s.jsonl"])) if isinstance(row, Summary)]
    assert found[1:] == [Summary("d1", "A", "R a.", roles=("reference",))] * 2
    both = rows(sacrerouge.read(["s.jsonl"], references_as_peers=True))
    assert both.count(Summary("d1", "A", "R a.", roles=("peer", "reference"))) == 2


def test_other_shapes_of_the_same_things(write: Write) -> None:
    line = {
        "instance_id": 5,
        "summarizer_id": 17,
        "summary": {"text": None},
        "document": {"id": "x", "text": "S"},
        "references": [{"summarizer_id": "A", "summary": {"text": "R"}}, None],
    }
    write("s.jsonl", lines(line))
    items = list(sacrerouge.read(["s.jsonl"]))
    assert Document("5", "x", "S") in rows(items)
    assert Summary("5", "A", "R", roles=("reference",)) in rows(items)
    assert reasons(items) == ["no text", "no text"]


def test_an_import_of_both_files(write: Write, imported: Imported) -> None:
    write("s.jsonl", lines(SUMMARY))
    write("m.jsonl", lines(METRICS))
    report = imported(sacrerouge.read(["s.jsonl", "m.jsonl"], source="sr"))
    assert report.scores == {"sr:rouge-1_recall": 1, "sr:rouge-1_jk_recall": 1, "sr:words": 1}
    assert report.added == {"topics": 1, "systems": 3, "documents": 2, "summaries": 3}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (lines(SUMMARY)[:-20], "s.jsonl:1: not JSON"),
        (lines({"instance_id": "d1"}), 's.jsonl:1: neither "summary" nor "metrics" in the line'),
        (lines({**SUMMARY, "instance_id": None}), 's.jsonl:1: no "instance_id"'),
        (lines({**SUMMARY, "summarizer_id": {}}), '"summarizer_id" is an object'),
        (lines({**SUMMARY, "summarizer_type": "x"}), '"summarizer_type" is "x", expected peer or reference'),
        (
            lines({**SUMMARY, "summarizer_type": []}),
            '"summarizer_type" is a list, expected peer or reference',
        ),
        (lines({**SUMMARY, "summary": {"text": 3}}), '"summary" is a number, expected a text'),
        (lines({**SUMMARY, "summary": {"text": [["x"]]}}), '"summary" is a list, expected a text'),
        (lines({**SUMMARY, "references": "R"}), '"references" is a text, expected a list'),
        (lines({**SUMMARY, "references": [3]}), '"references" is a number, expected a text'),
        (lines({**SUMMARY, "documents": {}}), '"documents" is an object, expected a list'),
        (lines({**SUMMARY, "documents": [{"id": [], "text": ""}]}), '"document id" is a list'),
        (lines({**METRICS, "metrics": 3}), '"metrics" is a number, expected an object'),
        (lines({**METRICS, "metrics": {"a_b": 1, "a": {"b": 2}}}), "a second score of sacrerouge:a_b"),
        (lines({**METRICS, "metrics": {"a\nb": 1}}), "control character"),
        ('{"metrics": 1, "metrics": 2}\n', 's.jsonl:1: "metrics" stands twice in one object'),
    ],
)
def test_what_is_malformed_is_refused(write: Write, refused: Refused, content: str, expected: str) -> None:
    write("s.jsonl", content)
    assert expected in refused(sacrerouge.read(["s.jsonl"]))


def test_wrong_arguments(write: Write, refused: Refused) -> None:
    write("m.jsonl", lines(METRICS))
    message = refused(sacrerouge.read(["m.jsonl"], lower_is_better=["word"]))
    assert message.startswith('--lower word: no such measure (nearest: "words"')
    assert "--prefix is" in refused(sacrerouge.read(["m.jsonl"], source="a:b"))


def test_bytes_archives_lengths_and_links(write: Write, refused: Refused) -> None:
    write("s.jsonl", lines(SUMMARY).encode().replace(b"One", b"\xe9"))
    assert "s.jsonl:1: byte 0xe9" in refused(sacrerouge.read(["s.jsonl"]))
    write("n.jsonl", lines(SUMMARY).encode().replace(b"One", b"\0"))
    assert "n.jsonl:1: not JSON" in refused(sacrerouge.read(["n.jsonl"]))
    write("s.jsonl.gz", gzip.compress(lines(SUMMARY).encode())[:-30])
    assert "s.jsonl.gz" in refused(sacrerouge.read(["s.jsonl.gz"]))
    write("long.jsonl", lines(SUMMARY))
    assert "longer than 100 bytes" in refused(sacrerouge.read(["long.jsonl"], max_line=100))
    write("in/s.jsonl", lines(SUMMARY))
    Path("in/t.jsonl").symlink_to("../long.jsonl")
    assert "leaves the folder" in refused(sacrerouge.read(["in"]))
