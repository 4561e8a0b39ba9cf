"""Valid files, broken at random: they are read, or end in one line; an evaluation is as it was."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from tests.formats.mutating import CASES, fault, good, laid_out, mutated, other_bytes
from tests.formats.samples import FILES, LONG, SACREROUGE, SUMMEVAL, WIDE, Read

from adjudge.core.errors import AdjudgeError
from adjudge.data.incoming import ImportReport
from adjudge.formats import sacrerouge, summeval
from adjudge.formats.records import read_jsonl

from .shapes import Attempt

RECORDS: dict[str, tuple[list[Any], Read]] = {
    "long": (LONG, read_jsonl),
    "wide": (WIDE, read_jsonl),
    "summeval": (SUMMEVAL, summeval.read),
    "sacrerouge": (SACREROUGE, sacrerouge.read),
}
FEW = 25
"""Mutations of every case that are always tried."""
CHUNKS, CHUNK = 4, 900
"""Further ones, for whoever has time: of 43 cases 154,800."""


@pytest.mark.parametrize("case", CASES)
def test_the_files_are_valid_before_they_are_broken(case: str, tmp_path: Path) -> None:
    path = laid_out(case, tmp_path)
    path.write_bytes(good(case))
    CASES[case].read(path)


@pytest.mark.parametrize("case", CASES)
def test_mutated_files_are_read_or_refused_in_one_line(case: str, tmp_path: Path) -> None:
    path = laid_out(case, tmp_path)
    faults = [wrong for number in range(FEW) if (wrong := fault(case, number, path))]
    assert faults == []


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("case", CASES)
def test_mutated_files_by_the_thousand(case: str, chunk: int, tmp_path: Path) -> None:
    path = laid_out(case, tmp_path)
    first = FEW + chunk * CHUNK
    faults = [wrong for number in range(first, first + CHUNK) if (wrong := fault(case, number, path))]
    assert faults == []


def test_there_are_as_many_as_are_promised() -> None:
    assert len(CASES) * CHUNKS * CHUNK >= 153_000
    assert all(mutated(case, 0) == mutated(case, 0) for case in CASES)


def run(attempt: Attempt, name: str, content: bytes, read: Read) -> ImportReport | AdjudgeError:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "topic" / name
        path.parent.mkdir()
        path.write_bytes(content)
        return attempt(Path(folder) / "my-eval", read([path]))


@pytest.mark.parametrize("case", FILES)
def test_an_import_is_whole_or_leaves_an_evaluation_as_it_was(attempt: Attempt, case: str) -> None:
    name, text, read = FILES[case]
    report = run(attempt, name, text.encode(), read)
    assert isinstance(report, ImportReport)
    assert report.added or report.scores
    rng = random.Random(case)
    for number in range(20):
        run(attempt, name, mutated(case, number), read)
        run(attempt, f"{name}.gz", other_bytes(gzip.compress(text.encode(), mtime=0), rng), read)


@pytest.mark.parametrize("depth", range(940, 1000, 10))
@pytest.mark.parametrize("case", RECORDS)
def test_values_nested_as_deep_as_can_be_read(attempt: Attempt, case: str, depth: int) -> None:
    records, read = RECORDS[case]
    for key in records[0]:
        text = json.dumps({**records[0], key: "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
        result = run(attempt, "a.jsonl", text.encode(), read)
        assert isinstance(result, ImportReport | AdjudgeError)


@pytest.mark.parametrize(
    "case", ["long", "wide", "summeval", "sacrerouge", "csv", "scores", "matrix", "documents"]
)
def test_memory_does_not_grow_with_the_file(case: str, tmp_path: Path) -> None:
    name, content, read = FILES[case]
    header = content.splitlines(keepends=True)[0] if name.endswith(".csv") else ""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert list(read([path]))  # what is loaded when a format is first read stays, and does not count
    path.write_text(header + content.removeprefix(header) * (300_000 // len(content)), encoding="utf-8")
    half = 150_000  # of the file

    def peak() -> int:
        tracemalloc.start()
        count = sum(1 for _ in read([path]))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count > 1_000
        return most

    # Once more where Python's table of all names had to grow meanwhile, for all that this process has read.
    assert peak() < half or peak() < half


@pytest.mark.parametrize(("case", "number"), [("protocol", 2144)])
def test_faults_that_the_thousands_found(case: str, number: int, tmp_path: Path) -> None:
    assert fault(case, number, laid_out(case, tmp_path)) is None
