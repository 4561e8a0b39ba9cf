"""CSV and TSV in their three shapes, and everything that can be wrong with them."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from adjudge.data.incoming import LeftOut
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.errors import FormatError
from adjudge.formats.records import read_table

from .shapes import Imported, Refused, Write, reasons, rows, things


def test_long_shape_gives_exact_rows(write: Write) -> None:
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
    assert found == [Summary("1", "a", "One\nmore"), Summary("2", "a", "Two")]


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
        (b"topic;text\nd1;x\n", 'a.csv:1: the header is one column: say --delimiter ";"'),
        (b"topic\ttext\nd1\tx\n", "a.csv:1: the header is one column: say --delimiter tab"),
        (b"topic,text\nd1,caf\xe9\n", "a.csv:2: byte 0xe9 at position 7 is not utf-8"),
        (b"topic,text\n,x\n", 'a.csv:2: no "topic"'),
        (b"topic,text,length\nd1,x,many\n", 'a.csv:2: "length" is "many"'),
        (b"topic,system,text\nd1,,x\n", 'a.csv:2: no "system"'),
        (b"topic,other\nd1,x\n", "a.csv:2: no column for the text among topic, other"),
        (b"topic,summary,output\nd1,x,y\n", 'a.csv:2: columns "summary" and "output" may both be the text'),
        (b"topic,text\nd1,x\nd1,y\n", "stands twice with different content"),
    ],
)
def test_what_is_malformed_is_refused(write: Write, refused: Refused, content: bytes, expected: str) -> None:
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
def test_wrong_arguments(write: Write, refused: Refused, options: dict[str, Any], expected: str) -> None:
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


def test_a_link_that_leaves_the_folder_is_refused(write: Write, refused: Refused) -> None:
    write("secret.csv", "topic,text\nd1,x\n")
    write("runs/a.csv", "topic,text\nd1,x\n")
    Path("runs/b.csv").symlink_to(Path("secret.csv").resolve())
    assert "leaves the folder" in refused(read_table(["runs"]))


def test_a_header_alone_is_counted(write: Write, imported: Imported) -> None:
    write("a.csv", "topic,text\n")
    assert imported(read_table(["a.csv"])).left_out == {"file without records": 1}
    assert reasons(read_table(["a.csv"])) == ["file without records"]
