"""Compressed files: cut off, damaged, or far larger than they look."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

import adjudge
from adjudge.core.errors import AdjudgeError, FormatError, UsageError
from adjudge.data.lines import read_lines
from adjudge.data.packed import check_parquet, open_bytes, size_of, unpacking_up_to
from adjudge.evaluation import Evaluation

PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
SCORES = b"topic,a,b\n" + b"".join(
    b"t%d,%d,%d\n" % (k, k * 7919 % 1000, k * 104729 % 1000) for k in range(3000)
)


@pytest.mark.parametrize("suffix", PACK)
def test_a_file_that_is_cut_off_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"scores.csv{suffix}"
    whole = PACK[suffix](SCORES)
    path.write_bytes(whole)
    assert len(adjudge.read_scores(path).matrix().topics) == 3000
    for kept in (len(whole) // 2, len(whole) - 5, len(whole) - 1):
        path.write_bytes(whole[:kept])
        with pytest.raises(AdjudgeError, match="cannot be read"):
            adjudge.read_scores(path)


@pytest.mark.parametrize("suffix", PACK)
def test_what_follows_a_stream_is_a_whole_stream_or_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"scores.csv{suffix}"
    first, second = PACK[suffix](SCORES), PACK[suffix](b"x,1,2\n" * 2000)
    path.write_bytes(first + second)
    assert len(list(read_lines(path))) == 3001 + 2000
    half = second[: len(second) // 2]
    damaged = (*((first + tail) for tail in (b"garbage", b"x", half, b"\1" + second[1:])), first[:7] + first)
    for packed in damaged:
        path.write_bytes(packed)
        with pytest.raises(AdjudgeError, match="cannot be read"):
            list(read_lines(path))


def test_an_xz_file_may_be_padded_four_bytes_at_a_time(tmp_path: Path) -> None:
    path, stream = tmp_path / "x.xz", lzma.compress(b"one\n")
    for zeros in (*range(9), 1024, 1026):
        for after, whole in ((b"", b"one\n"), (stream, b"one\none\n")):
            path.write_bytes(stream + bytes(zeros) + after)
            if zeros % 4:
                with pytest.raises((EOFError, lzma.LZMAError)), open_bytes(path) as stream_of:
                    stream_of.read()
            else:
                with open_bytes(path) as stream_of:
                    assert stream_of.read() == whole
    path.write_bytes(bytes(4) + stream)
    with pytest.raises(lzma.LZMAError), open_bytes(path) as stream_of:
        stream_of.read()


@pytest.mark.parametrize("suffix", [".bz2", ".xz"])
def test_a_bomb_takes_little_memory_before_it_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"zeros.txt{suffix}"
    path.write_bytes(PACK[suffix](bytes(64 << 20)))
    tracemalloc.start()
    try:
        with unpacking_up_to(1 << 20), pytest.raises(FormatError), open_bytes(path) as stream:
            stream.read()
        assert tracemalloc.get_traced_memory()[1] < 16 << 20  # an .xz dictionary is 8 MB
    finally:
        tracemalloc.stop()


@examples(40)
@given(st.data())
def test_a_zst_of_several_frames_is_read_whole_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    parts = data.draw(st.lists(st.binary(max_size=5000), min_size=1, max_size=3))
    frames = [zstandard.compress(part) for part in parts]
    ends = [sum(map(len, frames[:k])) for k in range(len(frames) + 1)]
    packed = b"".join(frames)
    kept = data.draw(st.integers(0, len(packed)))
    path = tmp_path_factory.mktemp("zst") / "x.zst"
    path.write_bytes(packed[:kept])
    if kept in ends:  # a frame that ends is an end
        with open_bytes(path) as stream:
            assert stream.read() == b"".join(parts[: ends.index(kept)])
    else:
        with pytest.raises(EOFError), open_bytes(path) as stream:
            stream.read()


@pytest.mark.parametrize("suffix", PACK)
def test_what_unpacks_to_far_more_than_its_size_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"zeros.txt{suffix}"
    path.write_bytes(PACK[suffix](b"0" * (17 << 20)))
    with pytest.raises(
        FormatError, match=r"zeros\.txt.*unpacks to more than 16,777,216 bytes from .*unpacking_up_to"
    ):
        list(read_lines(path, max_line=1 << 30))
    with unpacking_up_to(18 << 20):
        assert len(list(read_lines(path, max_line=1 << 30))) == 1
    with unpacking_up_to(1000), pytest.raises(FormatError, match="more than 1,000 bytes"):
        list(read_lines(path))


def test_a_parquet_file_of_one_text_many_times_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pd.DataFrame({"topic": [f"t{k}" for k in range(3000)], "system": "s" * 200_000, "value": 1.0}).to_parquet(
        path
    )
    assert path.stat().st_size < 1 << 20
    with pytest.raises(FormatError, match="unpacks to more than 268,435,456 bytes"):
        adjudge.read_scores(path)
    with unpacking_up_to(1 << 30):
        check_parquet(path)


def test_sizes_are_written_as_people_do() -> None:
    assert [size_of("--x", text) for text in ("64MB", "2g", "100", "8 kb")] == [
        64 << 20,
        2 << 30,
        100,
        8 << 10,
    ]
    with pytest.raises(UsageError, match='--x is "many", expected a size such as 64MB'):
        size_of("--x", "many")


def test_a_score_file_of_a_stranger_is_bounded_too(tmp_path: Path) -> None:
    e = Evaluation.init(tmp_path / "e")
    frame = pd.DataFrame({"topic": [f"t{k}" for k in range(3000)], "system": "s" * 200_000, "value": 1.0})
    (e.folder.path / "scores").mkdir(exist_ok=True)
    frame.to_parquet(e.folder.path / "scores" / "m--0123456789ab.parquet")
    with pytest.raises(FormatError, match="unpacks to more than 268,435,456 bytes"):
        adjudge.open(e.folder.path).scores()
