"""Flat records in JSON lines, CSV and TSV."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import FormatError, UsageError
from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.formats.records import read_jsonl, read_table

from .shapes import Imported, Refused, Write, lines, reasons, rows, things

# JSON lines in their three shapes, and everything that can be wrong with them


def test_long_shape_gives_exact_rows(write: Write) -> None:
    write(
        "runs.jsonl",
        lines(
            {"topic": "d1", "system": "lead", "text": "One.", "length": 100, "document": "Source."},
            {"topic": "d1", "system": "lsa", "text": "Two.", "kind": "baseline", "label": "LSA"},
        ),
    )
    assert list(read_jsonl(["runs.jsonl"])) == [
        ("runs.jsonl:1", Topic("d1")),
        ("runs.jsonl:1", Document("d1", "1", "Source.")),
        ("runs.jsonl:1", System("lead")),
        ("runs.jsonl:1", Summary("d1", "lead", "One.", length=100)),
        ("runs.jsonl:2", System("lsa", kind="baseline", label="LSA")),
        ("runs.jsonl:2", Summary("d1", "lsa", "Two.")),
    ]


def test_one_file_per_system_is_named_after_the_file(write: Write) -> None:
    write("runs/gpt-3.5.jsonl", lines({"id": 7, "summary": "One."}))
    path = write("runs/lead.jsonl.gz", gzip.compress(lines({"id": 7, "summary": "Two."}).encode()))
    found = rows(read_jsonl([path.parent]))
    assert found == [
        Topic("7"),
        System("gpt-3.5"),
        Summary("7", "gpt-3.5", "One."),
        System("lead"),
        Summary("7", "lead", "Two."),
    ]
    named = rows(read_jsonl([path], system="other", length=50))
    assert named == [Topic("7"), System("other"), Summary("7", "other", "Two.", length=50)]


def test_wide_shape_has_a_column_per_system(write: Write) -> None:
    record = {
        "topic": "d1",
        "summary:lead": "One.",
        "summary:lsa": None,
        "reference:A": "Ref.",
        "label": "?",
    }
    write("wide.jsonl", lines(record))
    assert list(read_jsonl(["wide.jsonl"])) == [
        ("wide.jsonl:1", LeftOut('column "label" not used')),
        ("wide.jsonl:1", Topic("d1")),
        ("wide.jsonl:1", System("lead")),
        ("wide.jsonl:1", Summary("d1", "lead", "One.")),
        ("wide.jsonl:1", System("lsa")),
        ("wide.jsonl:1", LeftOut("no text")),
        ("wide.jsonl:1", System("A", kind="human")),
        ("wide.jsonl:1", Summary("d1", "A", "Ref.", roles=("reference",))),
    ]


def test_a_map_may_name_the_column_of_a_system(write: Write) -> None:
    write("wide.jsonl", lines({"topic": "d1", "ours": "One.", "gold": "Ref."}))
    found = rows(read_jsonl(["wide.jsonl"], columns={"summary:new": "ours", "reference:A": "gold"}))
    assert Summary("d1", "new", "One.") in found
    assert Summary("d1", "A", "Ref.", roles=("reference",)) in found


def test_references_and_documents_may_be_lists(write: Write) -> None:
    record = {
        "topic": "d1",
        "system": "lead",
        "text": "One.",
        "length": 10,
        "references": ["R1", "R2"],
        "documents": [{"id": "AP-1", "date": "1988-09-11", "text": "A.", "page": 3}, "B.", {"text": None}],
        "date": "1990",
    }
    write("runs.jsonl", lines(record))
    items = list(read_jsonl(["runs.jsonl"]))
    assert [thing for thing in things(items) if isinstance(thing, Document)] == [
        Document("d1", "AP-1", "A.", date="1988-09-11"),
        Document("d1", "2", "B.", date="1990"),
    ]
    assert reasons(items) == ['column "documents.page" not used', "document without text"]
    assert [thing for thing in things(items) if isinstance(thing, Summary)][1:] == [
        Summary("d1", "reference-1", "R1", length=10, roles=("reference",)),
        Summary("d1", "reference-2", "R2", length=10, roles=("reference",)),
    ]
    named = rows(read_jsonl(["runs.jsonl"], reference_names=["A", "B"]))
    assert System("B", kind="human") in named
    assert Summary("d1", "B", "R2", length=10, roles=("reference",)) in named


@pytest.mark.parametrize(
    ("value", "roles"),
    [
        ("both", ("peer", "reference")),
        (["reference", "peer"], ("peer", "reference")),
        ("reference", ("reference",)),
        (None, ("peer",)),
    ],
)
def test_roles(write: Write, value: object, roles: tuple[str, ...]) -> None:
    write("x.jsonl", lines({"topic": "d1", "text": "One.", "role": value}))
    kind = "human" if "reference" in roles else None
    assert rows(read_jsonl(["x.jsonl"])) == [
        Topic("d1"),
        System("x", kind=kind),
        Summary("d1", "x", "One.", roles=roles),
    ]


def test_role_and_kind_for_the_whole_file(write: Write) -> None:
    write("A.jsonl", lines({"topic": "d1", "text": "One."}))
    assert rows(read_jsonl(["A.jsonl"], role="both"))[1:] == [
        System("A", kind="human"),
        Summary("d1", "A", "One.", roles=("peer", "reference")),
    ]
    assert System("A", kind="machine") in rows(read_jsonl(["A.jsonl"], role="both", kind="machine"))


def test_what_a_topic_says_of_itself(write: Write) -> None:
    record = {
        "topic": "d1",
        "set": "s",
        "type": "event",
        "task": "multi",
        "selector": "J",
        "title": "T \ud83d",
        "question": "Q?",
        "author": "x",
    }
    write("topics.jsonl", lines(record))
    items = list(read_jsonl(["topics.jsonl"]))
    assert rows(items) == [Topic("d1", "s", "event", "multi", "J", "T \ufffd", "Q?")]
    assert reasons(items) == [
        'column "author" not used',
        "half a surrogate pair replaced by U+FFFD",
    ]


def test_by_line_makes_line_numbers_topics(write: Write) -> None:
    write("a.jsonl", lines({"summary": "One."}) + "\n" + lines({"summary": "Three."}))
    found = [row for row in rows(read_jsonl(["a.jsonl"], by_line=True)) if isinstance(row, Summary)]
    assert found == [Summary("1", "a", "One."), Summary("3", "a", "Three.")]


def test_half_a_surrogate_pair_is_replaced_and_an_emoji_kept(write: Write) -> None:
    write("a.jsonl", b'{"topic": "d1", "text": "x \\ud83d y \\ud83d\\ude00"}\n')
    items = list(read_jsonl(["a.jsonl"]))
    assert Summary("d1", "a", "x \ufffd y \U0001f600") in rows(items)
    assert reasons(items) == ["half a surrogate pair replaced by U+FFFD"]


def test_an_empty_text_is_a_summary_and_a_missing_one_is_not(write: Write) -> None:
    write("a.jsonl", lines({"topic": "d1", "system": "s", "text": ""}, {"topic": "d2", "system": "s"}))
    items = list(read_jsonl(["a.jsonl"]))
    assert Summary("d1", "s", "") in rows(items)
    assert Topic("d2") not in rows(items)
    assert items[-1] == ("a.jsonl:2", LeftOut("no text"))


def test_a_record_whose_only_text_is_missing_brings_nothing(write: Write) -> None:
    write("a.jsonl", lines({"id": "1", "prediction": None}, {"id": "1", "system": "s", "prediction": None}))
    assert rows(read_jsonl(["a.jsonl"])) == []
    write("a.jsonl", lines({"id": "1", "prediction": None}, {"id": "1", "prediction": "One."}))
    assert rows(read_jsonl(["a.jsonl"])) == [Topic("1"), System("a"), Summary("1", "a", "One.")]
    write("a.jsonl", lines({"id": "1", "article": "Rain fell.", "prediction": None}))
    assert rows(read_jsonl(["a.jsonl"])) == [Topic("1"), Document("1", "1", "Rain fell."), System("a")]


def test_unused_columns_are_named_once_a_file(write: Write) -> None:
    record = {"topic": "d1", "text": "One.", "filepath": "/x", "new\nline": 1}
    write("a.jsonl", lines(record, {**record, "topic": "d2"}))
    assert reasons(read_jsonl(["a.jsonl"])) == [
        'column "filepath" not used',
        'column "new\ufffdline" not used',
    ]


def test_many_unused_columns_do_not_fill_the_memory(write: Write) -> None:
    write("a.jsonl", lines(*({"topic": str(n), "text": "", f"x{n}": 1} for n in range(150))))
    found = reasons(read_jsonl(["a.jsonl"]))
    assert len(set(found)) == 101
    assert found.count("column of many names not used") == 50


def test_two_candidates_for_a_field_are_not_guessed(write: Write, refused: Refused) -> None:
    write("a.jsonl", lines({"id": "d1", "decoded": "One.", "text": "Source."}))
    message = refused(read_jsonl(["a.jsonl"]))
    assert message == (
        'a.jsonl: columns "decoded" and "text" may both be the text: say --map text=decoded --map document=text'
        ' (the text is "decoded", "text" is the source), or --map text=decoded (the text is "decoded"),'
        ' or --map text=text (the text is "text")'
    )
    found = rows(read_jsonl(["a.jsonl"], columns={"text": "decoded", "document": "text"}))
    assert found == [Topic("d1"), Document("d1", "1", "Source."), System("a"), Summary("d1", "a", "One.")]


def test_an_empty_map_switches_a_field_off(write: Write) -> None:
    write("a.jsonl", lines({"id": "d1", "text": "One.", "kind": "neural"}))
    with pytest.raises(FormatError, match='"kind" is "neural"'):
        list(read_jsonl(["a.jsonl"]))
    items = list(read_jsonl(["a.jsonl"], columns={"kind": ""}))
    assert reasons(items) == ['column "kind" not used']


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"columns": {"txt": "a"}}, '--map "txt": no such field (nearest: "text"'),
        ({"columns": {"label": "nam"}}, 'has no column "nam" (nearest: "name"); it has: name, topic, text'),
        ({"columns": {"topic": "tpic"}}, 'has no column "tpic"'),
        ({"columns": {"topic": "topic"}, "by_line": True}, "leave out --map topic"),
        ({"role": "judge"}, '--role is "judge", expected one of: peer, reference, both'),
        ({"kind": "robot"}, '--kind is "robot", expected one of: machine, baseline, human'),
        ({"length": 0}, "--length is 0"),
        ({"system": " x"}, "the name of a system"),
        ({"encoding": "utf-9"}, 'unknown encoding "utf-9"'),
    ],
)
def test_wrong_arguments(write: Write, refused: Refused, options: dict[str, Any], expected: str) -> None:
    write("a.jsonl", lines({"name": "x", "topic": "d1", "text": "One."}))
    items = read_jsonl(["a.jsonl"], **options)
    assert expected in refused(items)
    with pytest.raises(UsageError):
        list(read_jsonl(["a.jsonl"], **options))


def test_a_system_from_two_sides(write: Write, refused: Refused) -> None:
    write("a.jsonl", lines({"topic": "d1", "model": "m", "text": "One."}))
    assert 'has a column "model"' in refused(read_jsonl(["a.jsonl"], system="x"))
    found = rows(read_jsonl(["a.jsonl"], system="x", columns={"system": ""}))
    assert Summary("d1", "x", "One.") in found


GOOD = {"topic": "d1", "system": "s", "text": "One."}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"topic": "d1", "te', "a.jsonl:1: not JSON"),
        (lines(GOOD).encode() + b'{"topic": "d2", "sys', "a.jsonl:2: not JSON"),
        (b'{"topic": "d1", "topic": "d2"}', 'a.jsonl:1: "topic" stands twice'),
        (b'{"topic": "d1", "text": "\xff"}', "a.jsonl:1: byte 0xff at position 26 is not utf-8"),
        (b'{"topic": "d1", "text": "a\0b"}', "a.jsonl:1: not JSON"),
        (b'{"topic": "d1", "length": NaN}', "a.jsonl:1: NaN is not a JSON number"),
        (b"[1, 2]", "a.jsonl:1: the line is a list, expected one JSON object a line"),
        (b"[" * 100_000, "a.jsonl:1: not JSON"),
        (lines({**GOOD, "text": 3}).encode(), 'a.jsonl:1: "text" is a number, expected a text'),
        (lines({**GOOD, "text": ["x"]}).encode(), 'a.jsonl:1: "text" is a list, expected a text'),
        (lines({**GOOD, "topic": None}).encode(), 'a.jsonl:1: no "topic"'),
        (lines({**GOOD, "topic": ["x"]}).encode(), 'a.jsonl:1: "topic" is a list'),
        (lines({**GOOD, "topic": "d\u0007"}).encode(), "control character"),
        (lines({"id": " d1", "text": "x"}).encode(), 'a.jsonl:1: "id" is " d1"'),
        (lines({**GOOD, "system": None}).encode(), 'a.jsonl:1: no "system"'),
        (lines({**GOOD, "length": "many"}).encode(), '"length" is "many", expected a whole number'),
        (lines({**GOOD, "length": 0}).encode(), '"length" is "0", expected a whole number, 1 or more'),
        (lines({**GOOD, "length": [[1]]}).encode(), '"length" is a list'),
        (lines({**GOOD, "length": 10**30}).encode(), '"length" is "1000000000'),
        (lines({**GOOD, "role": "judge"}).encode(), '"role" is "judge", expected peer, reference or both'),
        (lines({**GOOD, "role": [[]]}).encode(), '"role" is a list, expected peer'),
        (lines({**GOOD, "kind": {}}).encode(), '"kind" is an object, expected a single value'),
        (lines({**GOOD, "title": 1}).encode(), '"title" is a number, expected a text'),
        (lines({**GOOD, "references": ["x", 1]}).encode(), '"references" is a number, expected a text'),
        (lines({**GOOD, "documents": [{"id": [], "text": ""}]}).encode(), '"documents.id" is a list'),
        (lines({**GOOD, "documents": [[]]}).encode(), '"documents" is a list, expected a text'),
        (
            lines({"text": "x"}).encode(),
            "no column for the topic among text: say --map topic=COLUMN, or --by-l",
        ),
        (
            lines({"topic": "x", "a\nb": 1}).encode(),
            "no column for the text among topic, a\ufffdb: say --map te",
        ),
        (
            lines({"topic": "x", "text": "", "summary:a": ""}).encode(),
            "--map document=text (it is the source), or --map text= (it is not used)",
        ),
        (lines({"topic": "x", "summary:a": "", "SUMMARY: a": ""}).encode(), "are of one system"),
        (lines({"topic": "x", "summary:": ""}).encode(), '"system" is ""'),
        (lines(GOOD, {**GOOD, "text": "Other."}).encode(), "stands twice with different content"),
        (
            lines({**GOOD, "kind": "human"}, {**GOOD, "kind": "baseline"}).encode(),
            "a system has one kind; where the column is something else, say --map kind=",
        ),
    ],
)
def test_what_is_malformed_is_refused(write: Write, refused: Refused, content: bytes, expected: str) -> None:
    write("a.jsonl", content)
    assert expected in refused(read_jsonl(["a.jsonl"]))


def test_more_references_than_names(write: Write, refused: Refused) -> None:
    write("a.jsonl", lines({**GOOD, "references": ["x", "y"]}))
    message = refused(read_jsonl(["a.jsonl"], reference_names=["A"]))
    assert message == 'a.jsonl:1: "references" holds 2 texts, --reference-names has 1'


def test_a_broken_archive_is_refused(write: Write, refused: Refused) -> None:
    packed = gzip.compress(lines(*({**GOOD, "topic": str(n)} for n in range(500))).encode())
    write("cut.jsonl.gz", packed[: len(packed) // 2])
    assert "cut.jsonl.gz" in refused(read_jsonl(["cut.jsonl.gz"]))
    write("bad.jsonl.gz", packed[:40] + bytes(b ^ 255 for b in packed[40:60]) + packed[60:])
    assert "cannot be read" in refused(read_jsonl(["bad.jsonl.gz"]))
    write("no.jsonl.gz", b"\1 neither text nor gzip")
    assert "cannot be read" in refused(read_jsonl(["no.jsonl.gz"]))


def test_an_overlong_line_is_refused_without_being_read_whole(write: Write, refused: Refused) -> None:
    write("a.jsonl.gz", gzip.compress(b'{"topic": "' + b"x" * 50_000_000))
    tracemalloc.start()
    with pytest.raises(FormatError):
        list(read_jsonl(["a.jsonl.gz"], max_line=10_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    message = refused(read_jsonl(["a.jsonl.gz"], max_line=10_000))
    assert message.startswith("a.jsonl.gz:1: the line is longer than 10,000 bytes")


def test_a_folder_is_read_in_order_and_nothing_is_passed_over_silently(write: Write) -> None:
    write("runs/b.jsonl", lines({"topic": "d1", "text": "B"}))
    write("runs/a.jsonl", lines({"topic": "d1", "text": "A"}))
    write("runs/README", "?")
    write("runs/.a.jsonl.swp", "?")
    write("runs/old/c.jsonl", "?")
    items = list(read_jsonl(["runs"]))
    assert [row.system for row in rows(items) if isinstance(row, Summary)] == ["a", "b"]
    assert [item for item in items if isinstance(item[1], LeftOut)] == [
        (str(Path("runs/.a.jsonl.swp")), LeftOut("hidden file")),
        (str(Path("runs/README")), LeftOut("file not named *.jsonl or *.ndjson or *.jsonlines")),
        (str(Path("runs/old")), LeftOut("folder inside the folder")),
    ]


def test_a_link_that_leaves_the_folder_is_refused(write: Write, refused: Refused) -> None:
    write("secret.jsonl", lines(GOOD))
    write("runs/a.jsonl", lines({"topic": "d1", "text": "A"}))
    Path("runs/same.jsonl").symlink_to("a.jsonl")
    assert len(rows(read_jsonl(["runs"]))) == 5
    Path("runs/z.jsonl").symlink_to("../secret.jsonl")
    message = refused(read_jsonl(["runs"]))
    assert message.startswith(str(Path("runs/z.jsonl")))
    assert "leaves the folder" in message


def test_a_link_to_itself_or_to_nothing_is_left_out(write: Write) -> None:
    write("runs/a.jsonl", lines(GOOD))
    Path("runs/loop.jsonl").symlink_to("loop.jsonl")
    Path("runs/none.jsonl").symlink_to("gone.jsonl")
    assert reasons(read_jsonl(["runs"])) == ["neither a file nor a folder"] * 2


def test_a_folder_or_file_that_is_not_there(write: Write, refused: Refused) -> None:
    write("empty/README", "")
    assert "nothing to read in this folder, expected *.jsonl" in refused(read_jsonl(["empty"]))
    assert "none.jsonl: cannot be read: No such file" in refused(read_jsonl(["none.jsonl"]))


def test_an_empty_file_is_counted(write: Write, imported: Imported) -> None:
    write("a.jsonl", "\n")
    assert imported(read_jsonl(["a.jsonl"])).left_out == {"file without records": 1}


def test_an_import_writes_what_was_read(write: Write, imported: Imported, tmp_path: Path) -> None:
    write("a.jsonl", lines(GOOD, {**GOOD, "topic": "d2"}))
    report = imported(read_jsonl(["a.jsonl"]))
    assert report.added == {"topics": 2, "systems": 1, "summaries": 2}
    stored = (tmp_path / "my-eval" / "summaries.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["topic"] for line in stored] == ["old", "d1", "d2"]


# CSV and TSV in their three shapes, and everything that can be wrong with them


def test_long_shape_of_a_table_gives_exact_rows(write: Write) -> None:
    write(
        "runs.csv",
        "topic,system,summary,length,reference,note\r\n"
        'd1,lead,"One, ""two"".",100,Ref.,x\r\n'
        'd2,lead,"Line\none",100.0,,\r\n'
        "d3,lead,,,,\r\n",
    )
    reference = Summary("d1", "reference-1", "Ref.", length=100, roles=("reference",))
    assert list(read_table(["runs.csv"])) == [
        ("runs.csv:2", LeftOut('column "note" not used')),
        ("runs.csv:2", Topic("d1")),
        ("runs.csv:2", System("lead")),
        ("runs.csv:2", Summary("d1", "lead", 'One, "two".', length=100)),
        ("runs.csv:2", System("reference-1", kind="human")),
        ("runs.csv:2", reference),
        ("runs.csv:3", Topic("d2")),
        ("runs.csv:3", Summary("d2", "lead", "Line\none", length=100)),
        ("runs.csv:3", LeftOut("no text")),
        ("runs.csv:5", Topic("d3")),
        ("runs.csv:5", Summary("d3", "lead", "")),
        ("runs.csv:5", LeftOut("no text")),
    ]


def test_one_file_per_system_also_as_tsv_and_packed(write: Write) -> None:
    write("runs/lead.tsv.gz", gzip.compress(b"id\tdecoded\nd1\tOne, two.\nd2\t\n"))
    assert rows(read_table(["runs"])) == [
        Topic("d1"),
        System("lead"),
        Summary("d1", "lead", "One, two."),
        Topic("d2"),
        Summary("d2", "lead", ""),
    ]


def test_wide_shape_and_a_byte_order_mark(write: Write) -> None:
    write("wide.csv", b"\xef\xbb\xbfTopic,article,summary:lead,Summary:LSA,reference:A\nd1,Src.,One.,,Ref.\n")
    items = list(read_table(["wide.csv"], kind="machine"))
    assert things(items) == [
        Topic("d1"),
        Document("d1", "1", "Src."),
        System("lead", kind="machine"),
        Summary("d1", "lead", "One."),
        System("LSA", kind="machine"),
        LeftOut("no text"),
        System("A", kind="human"),
        Summary("d1", "A", "Ref.", roles=("reference",)),
    ]


def test_by_line_counts_rows_under_the_header(write: Write) -> None:
    write("a.csv", 'summary\n"One\nmore"\n\nTwo\n')
    found = [row for row in rows(read_table(["a.csv"], by_line=True)) if isinstance(row, Summary)]
    assert found == [Summary("1", "a", "One\nmore"), Summary("2", "a", ""), Summary("3", "a", "Two")]


def test_a_blank_row_is_an_empty_summary_and_shifts_nothing(write: Write) -> None:
    write("a.csv", b"text\none\n\nthree\n\n")
    items = list(read_table(["a.csv"], by_line=True))
    found = [(row.topic, row.text) for _, row in items if isinstance(row, Summary)]
    assert found == [("1", "one"), ("2", ""), ("3", "three"), ("4", "")]
    noted = [(place, row.reason) for place, row in items if isinstance(row, Noted)]
    assert noted == [(f"a.csv:{line}", "blank row taken as an empty summary") for line in (3, 5)]


def test_a_blank_row_where_rows_have_names_is_counted_and_named(write: Write) -> None:
    write("b.csv", b"topic,text\nx,one\n\n\ny,three\n\n")  # the last one ends the file
    items = list(read_table(["b.csv"]))
    assert [row.topic for _, row in items if isinstance(row, Summary)] == ["x", "y"]
    left = [(place, row.reason) for place, row in items if isinstance(row, LeftOut)]
    assert left == [("b.csv:3", "blank line"), ("b.csv:4", "blank line")]


def test_a_blank_row_of_a_wide_table_leaves_its_summaries_out(write: Write) -> None:
    write("a.csv", b"summary:x,summary:y\none,two\n\n,four\n")
    items = list(read_table(["a.csv"], by_line=True))
    found = [(row.topic, row.system) for _, row in items if isinstance(row, Summary)]
    assert found == [("1", "x"), ("1", "y"), ("3", "y")]
    assert not [row for _, row in items if isinstance(row, Noted)]


def test_a_blank_line_of_aligned_json_is_named(write: Write) -> None:
    write("a.jsonl", b'{"text": "one"}\n\n{"text": "three"}\n')
    items = list(read_jsonl(["a.jsonl"], by_line=True))
    assert [row.topic for _, row in items if isinstance(row, Summary)] == ["1", "3"]
    assert [(place, row.reason) for place, row in items if isinstance(row, LeftOut)] == [
        ("a.jsonl:2", "blank line")
    ]


def test_encodings_delimiters_and_quotes(write: Write) -> None:
    write("a.csv", "topic;text\nd1;Café\n".encode("latin-1"))
    assert Summary("d1", "a", "Café") in rows(read_table(["a.csv"], delimiter=";", encoding="latin-1"))
    write("a.txt", 'topic\ttext\nd1\t"Hi" he said\n')
    assert Summary("d1", "a", '"Hi" he said') in rows(read_table(["a.txt"], delimiter="tab", quotes=False))


def test_roles_in_a_cell(write: Write) -> None:
    write("a.csv", "topic,text,role\nd1,x,peer;reference\nd2,y,\n")
    found = [row for row in rows(read_table(["a.csv"])) if isinstance(row, Summary)]
    assert [row.roles for row in found] == [("peer", "reference"), ("peer",)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "a.csv: empty, expected a header line"),
        (b"topic,text\nd1,x,y\n", "a.csv:2: the row has 3 cells, the header 2"),
        (b"topic,text\nd1\n", "a.csv:2: the row has 1 cells, the header 2"),
        (b'topic,text\nd1,x\nd2,"x\ny\n', "a.csv:3: a quote is opened and not closed: is the file cut off?"),
        (b'topic,text\nd1,"x"y\n', "a.csv:2: text after a closing quote"),
        (b"topic,text\nd1,x\0y\n", "a.csv:2: a NUL byte"),
        (b"topic,text\rd1,x\r", "a.csv:1: a carriage return inside the row"),
        (b"topic,text,text\nd1,x,y\n", 'a.csv:1: 2 columns are named "text"'),
        (b"topic,,text\nd1,x,y\n", "a.csv:1: column 2 has no name"),
        (
            b"topic;text\nd1\n",
            'a.csv:1: one column, named "topic;text": if ";" stands between columns, say --delimiter ";"',
        ),
        (b"topic,text\nd1,caf\xe9\n", "a.csv:2: byte 0xe9 at position 7 is not utf-8"),
        (b"topic,text\n,x\n", 'a.csv:2: no "topic"'),
        (b"topic,text,length\nd1,x,many\n", 'a.csv:2: "length" is "many"'),
        (b"topic,system,text\nd1,,x\n", 'a.csv:2: no "system"'),
        (b"topic,other\nd1,x\n", "a.csv:2: no column for the text among topic, other"),
        (b"topic,summary,output\nd1,x,y\n", 'a.csv: columns "summary" and "output" may both be the text'),
        (b"topic,text\nd1,x\nd1,y\n", "stands twice with different content"),
    ],
)
def test_a_malformed_table_is_refused(write: Write, refused: Refused, content: bytes, expected: str) -> None:
    write("a.csv", content)
    assert expected in refused(read_table(["a.csv"]))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"delimiter": ""}, '--delimiter is "", expected one character, or tab'),
        ({"delimiter": ";;"}, '--delimiter is ";;"'),
        (
            {"columns": {"text": "txt"}},
            '--map: a.csv has no column "txt" (nearest: "text"); it has: topic, text',
        ),
        ({"columns": {"colour": "text"}}, '--map "colour": no such field'),
    ],
)
def test_wrong_arguments_for_a_table(
    write: Write, refused: Refused, options: dict[str, Any], expected: str
) -> None:
    write("a.csv", "topic,text\nd1,x\n")
    assert expected in refused(read_table(["a.csv"], **options))


def test_a_truncated_archive_is_refused(write: Write, refused: Refused) -> None:
    packed = gzip.compress(b"topic,text\n" + b"".join(b"d%d,x\n" % n for n in range(2000)))
    write("a.csv.gz", packed[: len(packed) // 2])
    assert "a.csv.gz: cannot be read: Compressed file ended" in refused(read_table(["a.csv.gz"]))


@pytest.mark.parametrize("row", [b'd1,"' + b"x\n" * 20_000_000, b"d1," + b"x" * 40_000_000])
def test_an_open_quote_or_a_long_line_is_not_read_whole(write: Write, refused: Refused, row: bytes) -> None:
    write("a.csv.gz", gzip.compress(b"topic,text\n" + row, 1))
    tracemalloc.start()
    with pytest.raises(FormatError):
        list(read_table(["a.csv.gz"], max_line=10_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    message = refused(read_table(["a.csv.gz"], max_line=10_000))
    assert message.startswith("a.csv.gz:2: the row is longer than 10,000 bytes")


def test_a_row_as_long_as_the_limit_is_read(write: Write) -> None:
    text = 'd1,"' + "x" * 50 + "\n" + "y" * 40 + '"\n'
    write("a.csv", "topic,text\n" + text * 1)
    assert len(rows(read_table(["a.csv"], max_line=len(text)))) == 3
    with pytest.raises(FormatError, match="longer than"):
        list(read_table(["a.csv"], max_line=len(text) - 1))


def test_a_cell_longer_than_csv_allows_by_default(write: Write) -> None:
    write("a.csv", "topic,text\nd1," + "x" * 200_000 + "\n")
    assert Summary("d1", "a", "x" * 200_000) in rows(read_table(["a.csv"]))


def test_a_link_to_a_table_elsewhere_is_refused(write: Write, refused: Refused) -> None:
    write("secret.csv", "topic,text\nd1,x\n")
    write("runs/a.csv", "topic,text\nd1,x\n")
    Path("runs/b.csv").symlink_to(Path("secret.csv").resolve())
    assert "leaves the folder" in refused(read_table(["runs"]))


def test_a_header_alone_is_counted(write: Write, imported: Imported) -> None:
    write("a.csv", "topic,text\n")
    assert imported(read_table(["a.csv"])).left_out == {"file without records": 1}
    assert reasons(read_table(["a.csv"])) == ["file without records"]
