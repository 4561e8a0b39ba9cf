"""Cells that a spreadsheet would run are written with a ' in front, and read as they were, by every reader."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.cli.running import called

from adjudge.core.table import Column, Table, csv_plain, csv_safe, csv_text, frame_to_csv
from adjudge.data.packed import open_bytes
from adjudge.formats.files import read_cells
from adjudge.formats.preferences import read_preferences, write_preferences
from adjudge.judgments.pairs.answers import PreferenceRow

SIGNS = "=+-@\t\r'"
TEXTS = st.builds(
    str.__add__,
    st.text(SIGNS, max_size=4),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
)
NAMES = st.builds(
    str.__add__, st.text("=+-@'", max_size=4), st.text("abxyz0=+-@'\",", min_size=1, max_size=4)
)
SYSTEMS = ("=1+1", "+plus", "-dash", "@home", "'=quoted", "'plain'", "''@", "fine", "=")
SOURCE = Path(__file__).parents[2] / "src"


@given(TEXTS)
@example("'=x")
@example("''=x")
@example("'x")
@example("-5")
@example("")
def test_every_text_comes_back(text: str) -> None:
    written = csv_safe(text)
    assert csv_plain(written) == text
    assert written[:1] not in (*SIGNS[:-1],) or not written
    assert written in (text, f"'{text}")
    assert (written == text) == (re.match(r"'*[=+\-@\t\r]", text) is None)


def test_numbers_are_no_texts() -> None:
    assert [csv_safe(cell) for cell in (-5, -0.5, None, True)] == [-5, -0.5, None, True]


def written(text: str) -> tuple[list[str], list[list[str]]]:
    """A CSV file as our readers see it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.csv"
        path.write_text(text, encoding="utf-8", newline="")
        with open_bytes(path) as stream:
            assert not re.search(rb'(?:^|[,\n])"?[=+@\t\r]', stream.read())
        header, rows, *_ = read_cells(path)
        return header, [row for _, row in rows]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_tables_and_frames_come_back(rows: list[tuple[str, str]]) -> None:
    cells = [list(row) for row in rows]
    table = Table("t", (Column("a"), Column("b")), tuple(rows))
    frame = pd.DataFrame(cells, columns=["a", "b"])
    for text in (csv_text([("a", "b"), *rows]), table.to_csv(), frame_to_csv(frame)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cells.csv"
            path.write_text(text, encoding="utf-8", newline="")
            header, found, *_ = read_cells(path)
            assert (header, [row for _, row in found]) == (["a", "b"], cells)


def test_names_in_headers_and_indexes_come_back() -> None:
    """A matrix of scores has systems for columns, and topics for rows."""
    frame = pd.DataFrame([[-0.5] * len(SYSTEMS)] * 2, columns=list(SYSTEMS), index=["=topic", "@topic"])
    header, rows = written(frame_to_csv(frame, index_label="topic"))
    assert header == ["topic", *SYSTEMS]
    assert rows == [["=topic", *["-0.5"] * len(SYSTEMS)], ["@topic", *["-0.5"] * len(SYSTEMS)]]


@given(st.lists(st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=5))
def test_preferences_come_back(pairs: list[tuple[str, str]]) -> None:
    rows = [PreferenceRow(left, right, "left", topic="=t", assessor="@a") for left, right in pairs]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.csv"
        write_preferences(path, rows)
        assert [(row.left, row.right) for row in read_preferences(path).rows()] == pairs


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rows = [(f"={n}", system, n + k % 3) for n in range(6) for k, system in enumerate(SYSTEMS)]
    path = tmp_path / "scores.csv"
    path.write_text(csv_text([("topic", "system", "value"), *rows]), encoding="utf-8", newline="")
    return path


def test_commands_write_what_commands_read(scores: Path, tmp_path: Path) -> None:
    """Scores in, out, in again: the names are the same. A league's CSV holds no formula either."""
    for each in ("one", "two"):
        assert called(tmp_path, "init", each).returncode == 0
    assert called(tmp_path, "import", "scores", "scores.csv", "one").returncode == 0
    for options in ((), ("--matrix", "-m", "imported:scores")):
        done = called(tmp_path, "scores", "one", *options, "--csv", "out.csv")
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "out.csv").read_text(encoding="utf-8")
        assert not re.search(r"(?:^|[,\n])[=+@]", text)
        header, rows, *_ = read_cells(tmp_path / "out.csv")
        names = set(header[1:]) if options else {row[header.index("system")] for _, row in rows}
        assert names == set(SYSTEMS)
    done = called(tmp_path, "compare", "scores.csv", "--csv", "pairs.csv")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "pairs.csv").read_text(encoding="utf-8")
    assert "'=1+1" in text
    assert not re.search(r"(?:^|[,\n])[=+@]", text)


def test_every_csv_is_written_in_one_place() -> None:
    """A writer of its own would forget what a spreadsheet does to a name."""
    own = re.compile(r"csv\.(writer|DictWriter)\(|\.to_csv\([^)]*(index|lineterminator|path|sep)")
    place = SOURCE / "adjudge" / "core" / "table.py"
    files = [path for path in SOURCE.rglob("*.py") if path != place]
    assert len(files) > 100
    assert [path.name for path in files if own.search(path.read_text(encoding="utf-8"))] == []
    assert own.search(place.read_text(encoding="utf-8")), "the search can find something"
