"""Small files that would become large tables: refused by the number of their cells, before memory is filled."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.mutating import CASES, good

from adjudge.analyses.compare import MOST_COMPARED, compare, compare_all
from adjudge.analyses.compare.pairs import MOST_SYSTEMS
from adjudge.analyses.scores import Scores
from adjudge.core.errors import FormatError, UsageError
from adjudge.data import scorefiles
from adjudge.data.packed import unpacking_up_to
from adjudge.data.scores import Score, ScoreTable
from adjudge.formats.matrices import ColumnSums, is_summary, odd_columns
from adjudge.formats.preferences import read_preferences
from adjudge.formats.records import read_parquet
from adjudge.formats.scoretable import find_score_columns

READING: dict[str, Callable[[Path], object]] = {
    "compare": Scores.read,
    "prefer": read_preferences,
    "import": lambda path: list(read_parquet([path])),
    "score file": scorefiles.read,
}


@pytest.fixture(scope="module")
def nulls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 million nulls in a few kilobytes."""
    path = tmp_path_factory.mktemp("nulls") / "nulls.parquet"
    names = ("topic", "system", "value", "winner", "loser")
    pq.write_table(pa.table({name: pa.nulls(4_000_000, pa.string()) for name in names}), path)
    assert path.stat().st_size < 200_000
    return path


@pytest.mark.parametrize("how", READING)
def test_nulls_by_the_million_are_refused_by_their_number(
    nulls: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread(*_: Any, **__: Any) -> Iterable[Any]:
        raise AssertionError("is read")

    if how != "import":  # which looks at the first rows, to see what they are
        monkeypatch.setattr(pq.ParquetFile, "iter_batches", unread)
    with pytest.raises(
        FormatError, match=r"nulls.parquet: has 20,000,000 cells or more, and at most [\d,]+ are read"
    ):
        READING[how](nulls)


def test_who_trusts_a_file_can_have_it_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(good("compare Parquet"))
    with (
        unpacking_up_to(400),
        pytest.raises(FormatError, match="has 27 cells or more, and at most 25 are read"),
    ):
        Scores.read(path)
    with unpacking_up_to(10_000):
        assert Scores.read(path).measures == ("a",)


def test_a_sheet_that_says_it_is_wide_is_refused(tmp_path: Path) -> None:
    """Every row has a cell in the last of 16,384 columns."""
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(5, 400))
    path = tmp_path / "wide.xlsx"
    path.write_bytes(good("compare Excel"))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    bare = parts[sheet].replace(b'<dimension ref="A1:C4"/>', b"").replace(b'<dimension ref="A1:C4" />', b"")
    parts[sheet] = bare.replace(b"</sheetData>", rows.encode() + b"</sheetData>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(
        FormatError, match=r"wide.xlsx: has [\d,]+ cells or more, and at most 4,194,304 are read"
    ):
        CASES["compare Excel"].read(path)


def test_empty_cells_by_the_million_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    header = ",".join(["topic", *(f"s{n}" for n in range(1000))])
    path.write_text("\n".join([header, *(f"t{n}" + "," * 1000 for n in range(70))]) + "\n")
    with unpacking_up_to(12_000_000), pytest.raises(FormatError, match="has 65,536 cells or more"):
        Scores.read(path)


# Columns and measures


class Name(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("known", [["topic"], ["topic", "system"]])
def test_columns_are_looked_up_not_searched_for(known: list[str]) -> None:
    header = [Name(name) for name in (*known, *(f"c{n}" for n in range(3000)))]
    Name.compared = 0
    cells = {name: ["a", "b"] for name in known}

    def texts(column: str) -> list[str]:
        return cells.get(column, ["0.1", "0.2"])

    plan = find_score_columns(header, {}, texts, where="a table")
    plan, _ = plan.with_topics(texts)
    assert len(plan.values) == 3000
    assert Name.compared < 20 * len(header)


numbers = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 1e3, 1e6])


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c", "d", "mean", "e"]),
        st.builds(
            lambda count, one, other: ColumnSums(count, 0.0, min(one, other), max(one, other), 1),
            st.sampled_from([0, 1, 3]),
            numbers,
            numbers,
        ),
    )
)
def test_odd_columns_are_those_of_a_plain_twin(columns: dict[str, ColumnSums]) -> None:
    expected = []
    known = {name: sums for name, sums in columns.items() if sums.count}
    for name, sums in known.items():
        others = [other for each, other in known.items() if each != name]
        if not others:
            continue
        sizes = sorted(max(abs(other.least), abs(other.most)) for other in others)
        usual = sizes[(len(sizes) - 1) // 2]
        smallest = 0.0 if sums.least <= 0 <= sums.most else min(abs(sums.least), abs(sums.most))
        ends = (min(other.least for other in others), max(other.most for other in others))
        moving = any(other.least < other.most for other in others)
        on_another_scale = len(others) > 1 and usual > 0 and smallest > 10 * usual
        constant = sums.count > 2 and sums.least == sums.most and moving and sums.least not in ends
        if is_summary(name) or on_another_scale or constant:
            expected.append(name)
    assert [name for name, _ in odd_columns(columns)] == expected


def test_more_measures_or_systems_than_can_be_compared_are_one_line(tmp_path: Path) -> None:
    measures = ScoreTable.from_rows(
        Score(f"m{n}", "t", system, 1.0) for n in range(MOST_COMPARED + 1) for system in "ab"
    )
    with pytest.raises(UsageError, match="2,001 measures, of which at most 2,000 are compared at a time"):
        compare_all(Scores.of_table("x", measures))
    systems = ScoreTable.from_rows(Score("m", t, f"s{n}", 1.0) for t in "ab" for n in range(MOST_SYSTEMS + 1))
    with pytest.raises(UsageError, match="m has 5,001 systems, of which at most 5,000 are compared"):
        compare(Scores.of_table("x", systems))


def test_rows_of_a_measure_are_found_in_the_order_of_the_table() -> None:
    table = ScoreTable.from_rows(Score(m, t, "s", 1.0) for t in ("t2", "t1") for m in ("m2", "m1", "m10"))
    assert table.measures == ("m2", "m1", "m10")
    for measure in table.measures:
        assert table.of(measure).equals(table.frame[table.frame["measure"] == measure])


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["columns.csv", "columns.jsonl", "columns.parquet", "measures.csv"])
def test_fifty_thousand_columns_take_seconds(shape: str, tmp_path: Path) -> None:
    """In a process that may use two minutes of a processor, where ten seconds are enough."""
    many, path = 50_000, tmp_path / shape
    rows = [{"topic": f"t{n}"} | {f"c{k}": n + k % 9 / 10 for k in range(many)} for n in range(2)]
    match shape:
        case "columns.csv":
            path.write_text(
                "\n".join(",".join(map(str, row)) for row in (rows[0], *(r.values() for r in rows)))
            )
        case "columns.jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        case "columns.parquet":
            pq.write_table(pa.table({name: [row[name] for row in rows] for name in rows[0]}), path)
        case _:
            lines = (f"m{n},t1,{system},0.5" for n in range(many) for system in "ab")
            path.write_text("\n".join(["measure,topic,system,value", *lines]) + "\n")
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (120, 120))\n"
        "from adjudge.analyses.scores import Scores\n"
        "found = Scores.read(sys.argv[1])\n"
        "print(sum(len(found.table.of(measure)) for measure in found.measures))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 2 * many
