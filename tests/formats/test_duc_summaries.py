"""Summaries in files named like NIST's."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.data.rows import Summary, System, Topic
from adjudge.formats import duc
from adjudge.formats.duc import is_summary

from .shapes import Imported, Refused, Write, reasons, rows

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
        ("D061.P.100.J.B.AP880911-0016", False),
        ("AP880911-0016", False),
        ("D0601.M.250.A.AB", False),
    ],
)
def test_names(name: str, expected: bool) -> None:
    assert is_summary(Path(name)) is expected


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
        ("D1.M.250.A.17.gz", b"not gzip", "cannot be read"),
    ],
)
def test_what_is_malformed_is_refused(
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
