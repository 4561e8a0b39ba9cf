"""Line files: what ends a line, which files a pattern names, files that are not aligned, marks of sentences."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.core.errors import AdjudgeError, FormatError, UsageError
from adjudge.formats.linefiles import REFERENCES, SentenceMarks, check_aligned, expand, read_line_file

from .shapes import Write


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\r\n\r\ntwo", ["one", "", "two"]),
        (b"one\n\n", ["one", ""]),
        (b"\n", [""]),
        (b"", []),
        (b"one\x0ctwo\x0b\x85\n".replace(b"\x85", "\x85".encode()), ["one\x0ctwo\x0b\x85"]),
        ("one\u2028two\u2029three\n".encode(), ["one\u2028two\u2029three"]),
        (b"one\rmore\ntwo\n", ["one\rmore", "two"]),
        (b" one \n", [" one "]),
        (b"\xef\xbb\xbfone\ntwo\n", ["one", "two"]),
        ("one\nzwölf\n".encode("utf-16"), ["one", "zwölf"]),
        ("\ufeffone\r\nzwölf".encode("utf-16-be"), ["one", "zwölf"]),
        (
            "\ufeff\u0a0a\u0a00\ntwo\n".encode("utf-16-le"),
            ["\u0a0a\u0a00", "two"],
        ),  # bytes of newlines inside
        ("one\ntwo".encode("utf-32"), ["one", "two"]),
    ],
)
def test_only_newlines_end_a_line(write: Write, content: bytes, lines: list[str]) -> None:
    assert read_line_file(write("a.txt", content)) == lines
    assert read_line_file(write("a.txt.gz", gzip.compress(content))) == lines


def test_an_encoding_that_is_named(write: Write) -> None:
    assert read_line_file(write("a.txt", "zwölf\n".encode("latin-1")), encoding="latin-1") == ["zwölf"]
    raw = "zwölf\nelf\n".encode("utf-16-le")  # without a byte order mark
    assert read_line_file(write("b.txt", raw), encoding="utf-16-le") == ["zwölf", "elf"]
    assert read_line_file(write("b.txt", raw)) == ["zwölf", "elf"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"one\nzw\xf6lf\n", "a.txt:2: byte 0xf6 at position 3 is not utf-8; name the file's encoding"),
        (b"one\ntw\0o\n", "a.txt:2: a NUL byte"),
        (b"one\rtwo\r", "carriage returns alone"),
        (b"\xff\xfeo\x00n", "a.txt: cannot be read: this is not utf-16: truncated data"),
        (b"one\n" + b"x" * 200, "a.txt:2: the line is longer than 100 bytes; allow more with max_line"),
        (("x" * 200).encode("utf-16"), "a.txt:1: the line is longer than 100 bytes"),
    ],
)
def test_what_is_no_line_file(write: Write, content: bytes, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_line_file(write("a.txt", content), max_line=100)
    assert problem in str(caught.value)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_are_known_by_their_first_bytes(write: Write, pack: Callable[[bytes], bytes]) -> None:
    assert read_line_file(write("a.txt", pack(b"one\ntwo\n"))) == ["one", "two"]
    assert read_line_file(write("b.txt", b"BZh, said the bee.\n")) == ["BZh, said the bee."]


def test_unknown_encodings_missing_files_and_damaged_archives(write: Write) -> None:
    with pytest.raises(UsageError, match='unknown encoding "utf-9"'):
        read_line_file(write("a.txt", "one\n"), encoding="utf-9")
    with pytest.raises(FormatError, match=r"b\.txt: cannot be read: No such file"):
        read_line_file("b.txt")
    with pytest.raises(FormatError, match=r"c\.txt\.gz: cannot be read"):
        read_line_file(write("c.txt.gz", gzip.compress(b"one\n")[:-6]))


def test_patterns_are_expanded_in_the_order_of_names(write: Write) -> None:
    for name in ("s10.txt", "s2.txt", "s[1].txt", "deep/er/s3.txt", "notes.md"):
        write(name, "one\n")
    Path("s4.txt").mkdir()
    assert expand(["s?.txt", "s*.txt"]) == [Path("s2.txt"), Path("s10.txt"), Path("s[1].txt")]
    assert expand(["s[1].txt"]) == [Path("s[1].txt")]  # a file of that name, not a pattern
    assert expand(["**/s3.txt"]) == [Path("deep/er/s3.txt")]
    assert expand([Path.cwd() / "s*0.txt"]) == [Path.cwd() / "s10.txt"]
    assert expand(["s2.txt", "./s2.txt", "deep/../s2.txt"]) == [Path("s2.txt")]
    assert expand(["absent.txt"]) == [Path("absent.txt")]  # told when it is read


def test_patterns_that_name_nothing_and_folders(write: Write, tmp_path: Path) -> None:
    write("out/a.txt", "one\n")
    with pytest.raises(UsageError) as caught:
        expand(["out/sys*.txt"], REFERENCES)
    assert (
        str(caught.value)
        == f'references "out/sys*.txt" matches no file in {tmp_path / "out"}; there are: a.txt'
    )
    with pytest.raises(
        UsageError, match=r"FILE out is a folder: say 'out/\*\.txt' .* adjudge import folder out"
    ):
        expand(["out"])


def test_files_of_unequal_length_are_refused_with_every_count() -> None:
    check_aligned({Path("a.txt"): 3, Path("b.txt"): 3})
    with pytest.raises(AdjudgeError) as caught:
        check_aligned({Path("a.txt"): 1, Path("b.txt"): 1200, Path("c.txt"): 1201}, [Path("c.txt")])
    assert "a.txt 1 line, b.txt 1,200 lines, c.txt 1,201 lines (the last is blank)" in str(caught.value)


def test_marks_of_sentences_become_line_breaks() -> None:
    marks = SentenceMarks()
    assert marks.split("rain fell .<q>snow fell .") == ("rain fell .\nsnow fell .", "<q>")
    assert marks.split("<t> rain fell . </t> <t> snow fell . </t>") == ("rain fell .\nsnow fell .", "<t>")
    assert marks.split("rain [X_SEP] snow [X_SEP]") == ("rain\nsnow", "[X_SEP]")
    assert marks.split(" 3 < q > 2 ") == (" 3 < q > 2 ", None)
    assert SentenceMarks("none").split("a<q>b") == ("a<q>b", None)
    assert SentenceMarks("||").split("a || b<q>c") == ("a\nb<q>c", "||")
    with pytest.raises(UsageError, match="sentence_mark is blank"):
        SentenceMarks(" ")
