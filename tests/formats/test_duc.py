"""DUC's documents, summaries and dates."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import FormatError
from adjudge.data.incoming import LeftOut, Noted
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.formats import duc
from adjudge.formats.duc import date_in_line, date_in_number, is_summary

from .shapes import Imported, Refused, Write, reasons, rows

# DUC's documents: SGML that never was well-formed


AP = """<DOC>
<DOCNO> AP880911-0016 </DOCNO>
<FILEID>AP-NR-09-11-88 0423EDT</FILEID>
<HEAD>Hurricane Heads
  For Coast</HEAD>
<BYLINE>By A WRITER</BYLINE>
<TEXT>
   The storm moved &LR; west at 10 mph, said
R&AMP;D people.
   It was &gt; 5 days old.
</TEXT>
</DOC>
"""
LA = """<DOC>
<DOCNO> LA060490-0083 </DOCNO>
<DATE>
<P>
June 4, 1990, Monday, Home Edition
</P>
</DATE>
<HEADLINE><P>QUAKE</P></HEADLINE>
<TEXT><P>
One.
</P>
<P>Two.</P></TEXT>
</DOC>
"""


def test_documents_give_exact_items(write: Write) -> None:
    write("docs/d061j/AP880911-0016", AP)
    write("docs/d062a/two.sgml", LA.replace("\n", "\r\n") + AP)
    first, second = str(Path("docs/d061j/AP880911-0016")), str(Path("docs/d062a/two.sgml"))
    text = "The storm moved west at 10 mph, said R&D people.\nIt was > 5 days old."
    headline = {"headline": "Hurricane Heads\nFor Coast"}
    assert list(duc.read(["docs"])) == [
        (f"{first}:1", LeftOut('element "FILEID" not used')),
        (f"{first}:1", LeftOut('element "BYLINE" not used')),
        (f"{first}:1", Topic("d061j")),
        (f"{first}:1", Document("d061j", "AP880911-0016", text, "1988-09-11", extra=headline)),
        (f"{first}:1", Noted("unknown entity dropped")),
        (f"{second}:1", Topic("d062a")),
        (
            f"{second}:1",
            Document("d062a", "LA060490-0083", "One.\nTwo.", "1990-06-04", extra={"headline": "QUAKE"}),
        ),
        (f"{second}:14", LeftOut('element "FILEID" not used')),
        (f"{second}:14", LeftOut('element "BYLINE" not used')),
        (f"{second}:14", Document("d062a", "AP880911-0016", text, "1988-09-11", extra=headline)),
        (f"{second}:14", Noted("unknown entity dropped")),
    ]


def doc(inside: str, attributes: str = "") -> str:
    return f"<DOC{attributes}>{inside}</DOC>\n"


def test_the_topic_may_be_given(write: Write) -> None:
    path = write("x.sgml", doc("<DOCNO>1</DOCNO><TEXT>T</TEXT>"))
    assert rows(duc.read([path], topic="d9"))[0] == Topic("d9")
    assert rows(duc.read([path]))[0] == Topic(Path.cwd().name)


def test_what_wires_did_differently(write: Write) -> None:
    write(
        "t/x",
        '<?xml version="1.0"?><!DOCTYPE DOCS SYSTEM "d.dtd">\n<DOCS>\n'
        + doc(
            "<HL>Head</HL><DD> = 911031 </DD><LP><P>Lead.</P></LP><TEXT>Rest.</TEXT>", ' id="WSJ-1" type="x"'
        )
        + doc("<docno>FT923-5089<date>920730</date><text>Not closed: <F P=1>x</F> <s num=1>S1.</s><s>S2.</s>")
        + doc("<DOCNO>FT923-5090</DOCNO><DATE>some day</DATE><TEXT>A <!-- not this --> b</TEXT>")
        + "</DOCS>\n",
    )
    items = list(duc.read(["t/x"]))
    assert rows(items)[1:] == [
        Document("t", "WSJ-1", "Lead.\nRest.", "1991-10-31", extra={"headline": "Head"}),
        Document("t", "FT923-5089", "Not closed: x\nS1.\nS2.", "1992-07-30"),
        Document("t", "FT923-5090", "A b"),
    ]
    assert reasons(items) == ["date not understood"]


def test_strange_bytes_are_read_and_counted(write: Write) -> None:
    write("t/x", b"\xef\xbb\xbf<DOC><DOCNO>1</DOCNO><TEXT>Caf\xe9 \x93x\x94 \xc3\xa9</TEXT></DOC>")
    items = list(duc.read(["t/x"]))
    assert Document("t", "1", "Café “x” é") in rows(items)
    assert reasons(items) == ["bytes that are not UTF-8 read as Windows-1252"]


def test_what_is_left_out_is_counted(write: Write, imported: Imported) -> None:
    write(
        "t/x",
        "stray\n"
        + doc("<TEXT>no number</TEXT>")
        + doc("<DOCNO> 2 </DOCNO>")
        + doc("<DOCNO>3</DOCNO><TEXT></TEXT>"),
    )
    write("t/README", "nothing here")
    write("t/empty", "")
    write("t/.DS_Store", b"\0\0")
    report = imported(duc.read(["t"]))
    assert report.added == {"topics": 1, "documents": 1}
    assert report.left_out == {
        "hidden file": 1,
        "file without <DOC>": 2,
        "<DOC> without <DOCNO>": 1,
        "<DOC> without <TEXT>": 1,
        "text outside <DOC>": 1,
    }


BOMB = '<!DOCTYPE DOC [\n<!ENTITY a "ha">\n<!ENTITY b "&a;&a;">\n]>\n' + doc(
    "<DOCNO>1</DOCNO><TEXT>&b;</TEXT>"
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (AP[:-20].encode(), "x:1: the <DOC> is not closed: is the file cut off?"),
        (("<DOC><TEXT>\n" + AP).encode(), "x:2: a <DOC> begins before the one of line 1 has ended"),
        (BOMB.encode(), "x:1: declares entities"),
        (BOMB.replace("DOC [\n", "DOC\n[").encode(), "x:2: declares entities"),
        (AP.replace("storm", "st\0rm").encode(), "x:8: a NUL byte"),
        (AP.replace("AP880911-0016", "A" * 300).encode(), '"DOCNO" is'),
        (AP.replace("AP880911-0016", "A\x1bB").encode(), "control character"),
        ((AP + AP.replace("west", "east")).encode(), "stands twice with different content"),
    ],
)
def test_what_is_malformed_is_refused(write: Write, refused: Refused, content: bytes, expected: str) -> None:
    write("t/x", content)
    assert expected in refused(duc.read(["t"]))


def test_a_given_encoding_is_held_to(write: Write, refused: Refused) -> None:
    write("t/x", AP.encode().replace(b"storm", b"st\xf6rm"))
    assert "is not utf-8" in refused(duc.read(["t"], encoding="utf-8"))
    assert "störm" in str(rows(duc.read(["t"], encoding="latin-1")))


def test_a_truncated_archive_is_refused(write: Write, refused: Refused) -> None:
    write("t/x.gz", gzip.compress(AP.encode())[:-40])
    assert "cannot be read" in refused(duc.read(["t"]))
    write("u/x.gz", gzip.compress(AP.encode()))
    assert len(rows(duc.read(["u"]))) == 2


@pytest.mark.parametrize("filling", [b"x" * 30_000_000, b"x\n" * 15_000_000])
def test_an_overlong_document_is_not_read_whole(write: Write, refused: Refused, filling: bytes) -> None:
    write("t/x.gz", gzip.compress(b"<DOC><DOCNO>1</DOCNO><TEXT>" + filling, 1))
    tracemalloc.start()
    with pytest.raises(FormatError):
        list(duc.read(["t"], max_line=10_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000
    assert "is longer than 10,000 bytes" in refused(duc.read(["t"], max_line=10_000))


def test_many_documents_on_one_line_are_all_read(write: Write) -> None:
    count = 20_000
    write("t/x", b"".join(b"<DOC><DOCNO>%d</DOCNO><TEXT>x</TEXT></DOC>" % n for n in range(count)))
    assert len(rows(duc.read(["t/x"]))) == count + 1


def test_links_that_leave_the_folder_are_refused(write: Write, refused: Refused) -> None:
    write("secret/x", AP)
    write("docs/d1/x", AP)
    Path("docs/d1/again").symlink_to("x")
    Path("docs/d2").symlink_to("d1")
    items = list(duc.read(["docs"]))
    assert reasons(items)[0] == "folder inside the folder"
    assert sum(isinstance(row, Document) for row in rows(items)) == 2
    Path("docs/d1/out").symlink_to("../../secret/x")
    message = refused(duc.read(["docs"]))
    assert "out: leaves the folder" in message
    Path("docs/d1/out").unlink()
    Path("docs/d3").symlink_to("../secret")
    assert "d3: leaves the folder" in refused(duc.read(["docs"]))


def test_a_folder_of_folders_without_files(write: Write, refused: Refused) -> None:
    write("docs/d1/.hidden", "")
    assert "docs: nothing to read in this folder, expected a file" in refused(duc.read(["docs"]))
    assert '--role is "judge"' in refused(duc.read(["docs"], role="judge"))  # type: ignore[arg-type]


# Summaries in files named like NIST's


SEE = """<html>
<head><title>D0601.M.250.A.17</title></head>
<body bgcolor="white">
<a name="1">[1]</a> <a href="#1" id=1>First &amp; one.</a>
<a name="2">[2]</a> <a href="#2" id=2>Second
one &LR; here.</a>
</body>
</html>
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("D0601.M.250.A.17", True),
        ("D0601.M.250.A.B", True),
        ("D0801A-A.M.100.A.1.html", True),
        ("d061.s.10.j.c.txt.gz", True),
        ("D061.P.100.J.B.AP880911-0016", True),
        ("SL.P.10.R.A.SL062003-01.html", True),
        ("D0601.M.250.A.17.spl", True),
        ("D061.P.100.J.B", False),
        ("D061.M.100.J.B.AP880911-0016", False),
        ("AP880911-0016", False),
        ("D0601.M.250.A.AB", False),
    ],
)
def test_names(name: str, expected: bool) -> None:
    assert is_summary(Path(name)) is expected


def test_summaries_of_single_documents(write: Write) -> None:
    write("sums/D061.P.100.J.19.AP880911-0016", "One.\n")
    write("sums/D061.P.100.J.B.AP880911-0016.spl", "One.\nTwo.\n")
    write("sums/D061.P.100.J.B.AP880911-0020.html", SEE)
    items = list(duc.read(["sums"]))
    found = [row for _, row in items if isinstance(row, Topic)]
    assert [(row.topic, row.set, row.task, row.selector) for row in found] == [
        ("D061.AP880911-0016", "D061", "single", "J"),
        ("D061.AP880911-0020", "D061", "single", "J"),
    ]
    written = {(s.topic, s.system): (s.length, s.roles) for _, s in items if isinstance(s, Summary)}
    assert written == {
        ("D061.AP880911-0016", "19"): (100, ("peer",)),
        ("D061.AP880911-0016", "B"): (100, ("peer", "reference")),
        ("D061.AP880911-0020", "B"): (100, ("peer", "reference")),
    }


def test_a_system_in_html_and_a_human_in_plain_text(write: Write) -> None:
    write("sums/D0601.M.250.A.17", SEE)
    write("sums/D0601.M.250.A.B", "One.  \r\nTwo.\r\n")
    items = list(duc.read(["sums"]))
    assert rows(items) == [
        Topic("D0601", task="multi", selector="A"),
        System("17"),
        Summary("D0601", "17", "First & one.\nSecond one here.", length=250),
        System("B", kind="human"),
        Summary("D0601", "B", "One.\nTwo.", length=250, roles=("peer", "reference")),
    ]
    assert reasons(items) == ["unknown entity dropped"]


def test_a_role_for_all(write: Write, imported: Imported) -> None:
    write("models/D0601.S.10.A.B", "")
    items = list(duc.read(["models"], role="reference"))
    assert rows(items)[0] == Topic("D0601", task="single", selector="A")
    assert rows(items)[2] == Summary("D0601", "B", "", length=10, roles=("reference",))
    assert imported(items).added == {"topics": 1, "systems": 1, "summaries": 1}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("D1.M.250.A.17", SEE[:-60].encode(), "no </html>: is the file cut off?"),
        ("D1.M.250.A.17", SEE[6:-40].encode(), "the last unit is not closed: is the file cut off?"),
        ("D1.M.250.A.17", SEE.replace("</a>\n<a", "\n<a").encode(), "an <a> begins inside a unit"),
        ("D1.M.250.A.17", b"<html><body>text</body></html>", "HTML without units"),
        ("D1.M.250.A.17", b"a\0b", ":1: a NUL byte"),
        ("D1.M.250.A.17", b"a\n<!ENTITY x 'y'>", ":2: declares entities"),
        ("D1.M.0.A.17", b"a", '"length" is "0"'),
        ("D1.M.250.A.17.gz", b"\1 not gzip", "cannot be read"),
    ],
)
def test_a_malformed_summary_is_refused(
    write: Write, refused: Refused, name: str, content: bytes, expected: str
) -> None:
    path = write(f"sums/{name}", content)
    assert expected in refused(duc.read([path]))


def test_an_overlong_summary_is_refused(write: Write, refused: Refused) -> None:
    path = write("D1.M.250.A.17", "x\n" * 100)
    assert "the summary is longer than 100 bytes" in refused(duc.read([path], max_line=100))


def test_two_selectors_of_one_topic_contradict(write: Write, refused: Refused) -> None:
    write("sums/D1.M.250.A.17", "x")
    write("sums/D1.M.250.B.18", "x")
    assert "has another selector than at" in refused(duc.read(["sums"]))


# Dates of news documents


@pytest.mark.parametrize(
    ("number", "date"),
    [
        ("AP880911-0016", "1988-09-11"),
        ("WSJ911031-0012", "1991-10-31"),
        ("LA060490-0083", "1990-06-04"),
        ("SJMN91-06184003", "1991-07-03"),
        ("FR940104-0-00003", "1994-01-04"),
        ("APW19980602.0004", "1998-06-02"),
        ("NYT_ENG_20041007.0256", "2004-10-07"),
        ("FT923-5089", None),
        ("FBIS4-67721", None),
        ("AP881311-0016", None),
        ("SJMN91-06400003", None),
        ("SJMN91-06000003", None),
        ("document 7", None),
        ("A" * 100_000, None),
    ],
)
def test_from_number(number: str, date: str | None) -> None:
    assert date_in_number(number) == date


@pytest.mark.parametrize(
    ("line", "date"),
    [
        (" 1998-06-02 00:18 ", "1998-06-02T00:18"),
        ("1998-06-02", "1998-06-02"),
        ("1998-06-02 25:00", "1998-06-02"),
        ("06/02/1998 09:27:00", "1998-06-02T09:27"),
        ("10/31/91", "1991-10-31"),
        ("June 4, 1990, Monday, Home Edition", "1990-06-04"),
        ("Sunday,\n Sept. 11, 1988", "1988-09-11"),
        ("2 MAR 94", "1994-03-02"),
        ("Marketing 12, 1990", None),
        ("920730", "1992-07-30"),
        ("= 19911031", "1991-10-31"),
        ("February 30, 1990", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_from_line(line: str, date: str | None) -> None:
    assert date_in_line(line) == date


@given(st.text())
def test_any_text_has_a_date_or_none(text: str) -> None:
    for found in (date_in_line(text), date_in_number(text)):
        assert found is None or len(found) in (10, 16)
