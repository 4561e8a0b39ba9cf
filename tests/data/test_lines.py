"""Lines come one at a time, with limits, whatever the file is packed in."""

from __future__ import annotations

import bz2
import gzip
import importlib
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import FormatError, UsageError
from adjudge.data.lines import dump_json, parse_json, read_json_lines, read_lines


def test_only_newlines_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('\ufeff"a\u2028b"\r\n\n  \n"c"'.encode())
    assert list(read_json_lines(path)) == [(1, "a\u2028b"), (4, "c")]


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_packed_files_are_unpacked(tmp_path: Path, suffix: str, pack: Any) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(pack(b'{"a": 1}\n'))
    assert list(read_json_lines(path)) == [(1, {"a": 1})]
    path.write_bytes(pack(b'{"a": 1}\n' * 9999)[:-9])
    with pytest.raises(FormatError, match="cannot be read"):
        list(read_json_lines(path))


def test_zstd_is_an_extra_that_works_here(tmp_path: Path) -> None:
    zstandard = importlib.import_module("zstandard")
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(zstandard.compress(b"[1]\n"))
    assert list(read_json_lines(path)) == [(1, [1])]
    path.write_bytes(b"\1 not packed")
    with pytest.raises(FormatError, match="cannot be read"):
        list(read_json_lines(path))


def test_zstd_explains_itself_when_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"  # its bytes tell, not its name
    path.write_bytes(importlib.import_module("zstandard").compress(b"[1]\n"))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(UsageError, match=r'pip install "adjudge\[zstd\]"'):
        list(read_lines(path))


def test_a_line_over_the_limit_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as out:
        out.write(b"[1]\n")
        out.truncate(1 << 40)  # a sparse file: reading it whole would need a terabyte
    with pytest.raises(FormatError, match=r"long.jsonl:2: the line is longer than 1,000,000 bytes"):
        list(read_lines(path, max_line=1_000_000))


def test_a_wrong_encoding_names_the_byte_and_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes('"ok"\n"café"\n'.encode("latin-1"))
    with pytest.raises(FormatError, match=r"latin.jsonl:2: byte 0xe9 at position 5 is not utf-8"):
        list(read_json_lines(path))
    assert list(read_json_lines(path, encoding="latin-1")) == [(1, "ok"), (2, "café")]
    with pytest.raises(UsageError, match="unknown encoding"):
        list(read_lines(path, encoding="klingon"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', '"a" stands twice'),
        ('{"a\\n": 1, "a\\n": 2}', '"a\\n" stands twice'),
        ("[NaN]", "NaN is not a JSON number"),
        ("{", "not JSON: "),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON that can be read: a number has too many digits"),
    ],
)
def test_what_is_not_json_is_one_line(text: str, said: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_json(text, Path("f.jsonl"), 3)
    assert said in str(error.value)
    assert str(error.value).startswith("f.jsonl:3: ")
    assert "\n" not in str(error.value)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_written_is_one_line_and_reads_back(text: str) -> None:
    line = dump_json({"text": text})
    assert "\n" not in line
    assert parse_json(line, Path("f"), 1) == {"text": text} == json.loads(line)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        list(read_lines(tmp_path / "none.jsonl"))
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        list(read_lines(tmp_path))
