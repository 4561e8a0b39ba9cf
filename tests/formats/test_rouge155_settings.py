"""ROUGE-1.5.5's settings: both spellings, padded text, repeated IDs, lists, and files that are no settings."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError
from adjudge.formats.rouge155 import Listed, SummaryFiles, Trial, read_list, read_settings

from .shapes import Write

DECLARES = "s.xml:3: declares entities or a document type of its own, which is not read"
XML = """<?xml version="1.0"?>
<!-- <EVAL ID="0"> is not there -->
<ROUGE-EVAL version="1.5.5">
<EVAL ID="D1">
<PEER-ROOT>
  /old/peers
</PEER-ROOT>
<MODEL-ROOT>/old/models</MODEL-ROOT>
<INPUT-FORMAT TYPE="spl">
</INPUT-FORMAT>
<PEERS><P ID="1">
 a &amp; b.txt
</P>
<P ID='2'>c.txt</P></PEERS>
<MODELS>
<M ID="A">m.txt</M></MODELS>
</EVAL>
</ROUGE-EVAL>
"""


def test_an_evaluation(write: Write) -> None:
    assert read_settings(write("s.xml", XML)) == [
        Trial(
            "D1",
            4,
            "SPL",
            {"1": Listed("1", "/old/peers", "a & b.txt", 11), "2": Listed("2", "/old/peers", "c.txt", 14)},
            [Listed("A", "/old/models", "m.txt", 16)],
        )
    ]


@pytest.mark.parametrize(
    "change",
    [
        ("ROUGE-EVAL", "ROUGE_EVAL"),
        ("EVAL ID", "eval id"),
        ("\n", "\r\n"),
        ("<P ID", "<P\tID"),
        ('TYPE="spl">\n</INPUT-FORMAT>', 'TYPE="SPL"/>'),
        ('<?xml version="1.0"?>', '\ufeff<!DOCTYPE ROUGE-EVAL SYSTEM "http://example.org/r.dtd">'),
        ("<M ID", "<M lang='de' ID"),
    ],
)
def test_other_spellings_say_the_same(change: tuple[str, str], write: Write) -> None:
    text = XML.replace(*change).replace("</eval>", "</EVAL>")
    (trial,) = read_settings(write("s.xml", text))
    assert (trial.id, trial.format, list(trial.peers), trial.models[0].name) == (
        "D1",
        "SPL",
        ["1", "2"],
        "m.txt",
    )


def test_roots_may_come_last_and_ids_twice(write: Write) -> None:
    text = (
        '<ROUGE-EVAL><EVAL ID="1"><PEERS><P ID="p">old</P><P ID="p">new</P></PEERS><MODELS><M ID="A">a</M>'
        '<M ID="B">b</M><M ID="A">c</M></MODELS><INPUT-FORMAT TYPE="SEE"/><MODEL-ROOT>r</MODEL-ROOT></EVAL>'
        '<EVAL ID="1"><PEERS><P ID="q">q</P></PEERS></EVAL></ROUGE-EVAL>'
    )
    (trial,) = read_settings(write("s.xml", text))
    assert {k: p.name for k, p in trial.peers.items()} == {"p": "new", "q": "q"}
    assert [(m.id, m.root, m.name) for m in trial.models] == [
        ("A", "r", "c"),
        ("B", "r", "b"),
        ("A", "r", "c"),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("</ROUGE-EVAL>", "<"), "s.xml:18: a tag is not closed: is the file cut off?"),
        (("-->", "--"), "s.xml:2: a comment is not closed: is the file cut off?"),
        (("</EVAL>", ""), "s.xml:4: the <EVAL> is not closed: is the file cut off?"),
        (("</M>", ""), "s.xml:16: <M> of line 16 is not closed before this"),
        (
            ('TYPE="spl"', 'TYPE="PDF"'),
            's.xml:9: INPUT-FORMAT TYPE is "PDF", expected one of: SEE, SPL, ISI, SIMPLE',
        ),
        (
            ('<INPUT-FORMAT TYPE="spl">\n</INPUT-FORMAT>', ""),
            's.xml:4: EVAL "D1" has no <INPUT-FORMAT TYPE=...>',
        ),
        (('<M ID="A">m.txt</M>', ""), 's.xml:4: EVAL "D1" has no models (<M ID=...>)'),
        (("c.txt", " "), 's.xml:14: <P ID="2"> names no file'),
        (("m.txt", "a < b.txt"), 's.xml:16: "< b.txt</M>" is no tag, expected &lt; for a < in a name'),
        (
            (' ID="D1"', ""),
            's.xml:4: "EVAL ID" is "", expected 1 to 200 characters without space around them',
        ),
        (('<EVAL ID="D1">', ""), "s.xml:5: <PEER-ROOT> stands outside an <EVAL>"),
        (
            ("<PEERS>", '<EVAL ID="2"><PEERS>'),
            "s.xml:11: an <EVAL> begins before the one of line 4 has ended",
        ),
        (("<ROUGE-EVAL", '<!ENTITY a "b"><X'), DECLARES),
        (("<ROUGE-EVAL", "<!DOCTYPE r [\n<!ELEMENT r ANY>]><X"), DECLARES),
        (("m.txt", "m\0.txt"), "s.xml:16: a NUL byte: this is no text file"),
    ],
)
def test_mistakes_are_one_line(change: tuple[str, str], expected: str, write: Write) -> None:
    with pytest.raises(FormatError) as caught:
        read_settings(write("s.xml", XML.replace(change[0], change[1], 1)))
    assert str(caught.value) == expected


def test_what_is_no_settings_file(write: Write) -> None:
    with pytest.raises(FormatError, match="no <EVAL>, expected the settings"):
        read_settings(write("s.xml", "Just a text.\n"))
    with pytest.raises(FormatError, match="longer than 100 bytes"):
        read_settings(write("s.xml", XML), max_line=100)


def test_an_entity_bomb_is_refused_before_anything_is_expanded(write: Write) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9)
    )
    with pytest.raises(FormatError, match="declares entities"):
        read_settings(write("s.xml", f"{bomb}]>" + XML.replace("m.txt", "&j;")))


def test_a_list(write: Write) -> None:
    path = write("files.lst", "# peer models\n\nout/p1 refs/a\t/abs/b\n  p2 c\n")
    assert read_list(path, "spl", "mine") == [
        Trial(
            "1",
            3,
            "SPL",
            {"mine": Listed("mine", "out", "p1", 3)},
            [Listed("M.1", "refs", "a", 3), Listed("M.2", "/abs", "b", 3)],
        ),
        Trial("2", 4, "SPL", {"mine": Listed("mine", "", "p2", 4)}, [Listed("M.1", "", "c", 4)]),
    ]
    with pytest.raises(UsageError, match='the format is "PDF"'):
        read_list(path, "PDF")
    with pytest.raises(FormatError, match=r"e.lst:1: one file name"):
        read_list(write("e.lst", "p1\n"), "SPL")
    with pytest.raises(FormatError, match="no evaluations"):
        read_list(write("e.lst", "# nothing\n"), "SPL")


# SummaryFiles


def listed(root: str, name: str) -> Listed:
    return Listed("x", root, name, 7)


def test_as_much_of_the_old_path_as_is_there(write: Write, tmp_path: Path) -> None:
    write("new/duc/peers/a", "deep")
    write("new/b", "flat")
    write("new/models/a", "other")
    files = SummaryFiles(Path("s.xml"), tmp_path / "new")
    assert files.find(listed("/old/duc/peers", "a"), "peer") == tmp_path / "new/duc/peers/a"
    assert files.find(listed("/old/duc/peers", "b"), "peer") is None  # one root, one folder
    assert files.find(listed("C:\\old\\models", "a"), "model") == tmp_path / "new/models/a"
    assert files.find(listed("../../models", "a"), "model") == tmp_path / "new/models/a"
    assert files.find(listed("/gone", "b"), "peer") == tmp_path / "new/b"


def test_nothing_outside_the_root_is_read(write: Write, tmp_path: Path) -> None:
    write("secret", "x")
    write("new/a", "x")
    (tmp_path / "new" / "link").symlink_to(tmp_path / "secret")
    files = SummaryFiles(Path("s.xml"), tmp_path / "new")
    for name in ("../secret", "peers/../../secret"):
        with pytest.raises(FormatError, match="s.xml:7: .* leaves the folder"):
            files.find(listed("/old", name), "peer")
    with pytest.raises(FormatError, match="leaves the folder"):
        files.find(listed("/old", "link"), "peer")
    assert files.find(listed("/old", str(tmp_path / "secret")), "peer") is None


def test_a_file_stays_below_its_own_root_where_that_is_asked(write: Write, tmp_path: Path) -> None:
    write("secret", "x")
    write("peers/a", "x")
    open_, closed = SummaryFiles(Path("s.xml")), SummaryFiles(Path("s.xml"), closed=True)
    assert closed.find(listed("peers", "a"), "peer") == Path("peers/a")
    assert open_.find(listed("peers", "../secret"), "peer") == Path("peers/../secret")
    with pytest.raises(FormatError, match="leaves the folder"):
        closed.find(listed("peers", "../secret"), "peer")
    assert closed.find(listed("peers", "/etc/hostname"), "peer") is None


def test_files_are_looked_for_beside_the_settings(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("there/peers/a", "x")
    monkeypatch.chdir("/")
    assert (
        SummaryFiles(tmp_path / "there" / "s.xml").find(listed("peers", "a"), "peer")
        == tmp_path / "there/peers/a"
    )


# Broken at random


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_broken_settings_are_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(XML.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        end = at + data.draw(st.integers(0, 12))
        raw[at:end] = data.draw(
            st.sampled_from([b"", b"<", b">", b'"', b"\xff", b"&#0;", b"</EVAL>", b"<!--", b"\0"])
        )
        if not raw:
            return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.xml"
        path.write_bytes(bytes(raw))
        try:
            trials = read_settings(path)
        except AdjudgeError as error:
            assert len(str(error).splitlines()) == 1
        else:
            assert all(trial.models and trial.format for trial in trials)
