"""The long table and the matrix: keys once, reasons kept, pooling in one place, lengths never mixed."""

from __future__ import annotations

import math
from itertools import groupby
from pathlib import Path
from statistics import mean

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import DataError, UsageError
from adjudge.data import scorefiles
from adjudge.data.scorefiles import ScoreFile
from adjudge.data.scores import COLUMNS, MeasureInfo, Score, ScoreTable

keys = st.tuples(
    st.sampled_from(["t1", "t2", "t3"]),
    st.sampled_from(["a", "b"]),
    st.sampled_from([None, "x", "y"]),
    st.sampled_from([None, "r1", "r2"]),
    st.integers(0, 2),
)
values = st.floats(-1e3, 1e3) | st.just(math.nan)


@st.composite
def score_rows(draw: st.DrawFn) -> list[Score]:
    found = draw(st.dictionaries(keys, values, min_size=1, max_size=25))
    return [
        Score(
            "m",
            t,
            s,
            v,
            assessor=assessor,
            reference=reference,
            repeat=repeat,
            why="lost" if math.isnan(v) else None,
        )
        for (t, s, assessor, reference, repeat), v in found.items()
    ]


def twin(rows: list[Score], topic: str, system: str) -> float:
    """Means of means: repeats, then references, then assessors; what is missing does not count."""

    def known(values: list[float]) -> float:
        present = [v for v in values if not math.isnan(v)]
        return mean(present) if present else math.nan

    mine = [r for r in rows if (r.topic, r.system) == (topic, system)]

    def grouped(rows: list[Score], *names: str) -> list[list[Score]]:
        def key(r: Score) -> str:
            return repr([getattr(r, n) for n in names])

        return [list(g) for _, g in groupby(sorted(rows, key=key), key)]

    return known(
        [
            known([known([r.value for r in same]) for same in grouped(per, "reference")])
            for per in grouped(mine, "assessor")
        ]
    )


@given(score_rows())
def test_the_matrix_pools_as_the_plain_twin_does(rows: list[Score]) -> None:
    matrix = ScoreTable.from_rows(rows).matrix("m")
    for i, topic in enumerate(matrix.topics):
        for j, system in enumerate(matrix.systems):
            assert matrix.values[i, j] == pytest.approx(twin(rows, topic, system), nan_ok=True)
            assert matrix.counts[i, j] == sum(
                (r.topic, r.system) == (topic, system) and not math.isnan(r.value) for r in rows
            )
    assert len(matrix.missing) == np.isnan(matrix.values).sum()


@given(score_rows())
def test_rows_to_frame_and_back(rows: list[Score]) -> None:
    table = ScoreTable.from_rows(rows)
    assert list(table.frame.columns) == list(COLUMNS)
    again = ScoreTable.from_frame(table.to_frame())
    assert [str(r) for r in again.rows()] == [str(r) for r in rows]


def test_a_frame_with_the_least_columns_is_enough() -> None:
    frame = pd.DataFrame({"measure": ["m"], "topic": [1], "system": ["a"], "value": ["0.5"]})
    (row,) = ScoreTable.from_frame(frame).rows()
    assert row == Score("m", "1", "a", 0.5)
    with pytest.raises(DataError, match='no column "value"; it has: measure, topic, system'):
        ScoreTable.from_frame(frame.drop(columns="value"))


def test_a_key_occurs_once_and_a_hole_says_why() -> None:
    with pytest.raises(DataError, match='two scores of m for topic "t", system "a"'):
        ScoreTable.from_rows([Score("m", "t", "a", 1.0), Score("m", "t", "a", 2.0)])
    with pytest.raises(DataError, match="does not say why"):
        ScoreTable.from_rows([Score("m", "t", "a", math.nan)])
    table = ScoreTable.from_rows(
        [Score.missing("m", "t", "a", "no reference", None), Score("m", "u", "b", 1.0)]
    )
    assert table.matrix("m").missing == (
        ("t", "a", "no reference"),
        ("t", "b", "no score"),
        ("u", "a", "no score"),
    )


def test_lengths_are_never_mixed() -> None:
    table = ScoreTable.from_rows(
        [Score("m", "t", "a", 1.0, 50), Score("m", "t", "a", 3.0, 100), Score("m", "t", "b", 2.0, 100)]
    )
    with pytest.raises(UsageError, match=r"several lengths \(50, 100\): choose one with length"):
        table.matrix("m")
    with pytest.raises(UsageError, match="no scores at length 10; it has: 50, 100"):
        table.matrix("m", length=10)
    assert table.matrix("m", length=100).values.tolist() == [[3.0, 2.0]]
    assert table.matrix("m", length="all").topics == ("t @ 50", "t @ 100")


def test_median_pooling_and_unknown_names() -> None:
    rows = [Score("rouge-2", "t", "a", v, repeat=k) for k, v in enumerate((0.0, 0.0, 9.0))]
    table = ScoreTable.from_rows(rows, [MeasureInfo("rouge-2", "lower")])
    assert table.matrix("rouge-2", pool="median").values.item() == 0.0
    assert table.matrix("rouge-2").values.item() == 3.0
    assert table.matrix("rouge-2").info.better == "lower"
    with pytest.raises(UsageError, match='no scores of "rouge-1" .nearest: "rouge-2".'):
        table.matrix("rouge-1")
    with pytest.raises(UsageError, match="pool is"):
        table.matrix("rouge-2", pool="mode")  # type: ignore[arg-type]


def test_selecting_systems_keeps_their_order_and_holes() -> None:
    table = ScoreTable.from_rows([Score("m", "t", s, 1.0) for s in "abc"] + [Score("m", "u", "a", 2.0)])
    chosen = table.matrix("m").select(["c", "a"])
    assert chosen.systems == ("c", "a")
    assert chosen.missing == (("u", "c", "no score"),)
    with pytest.raises(UsageError, match='no scores of system "d"'):
        chosen.select(["d"])
    with pytest.raises(ValueError, match="read-only"):
        table.matrix("m").values[0, 0] = 9


def test_scores_without_a_length_stand_beside_those_with_one() -> None:
    rows = [
        Score("m", "t", "s", 0.1),
        Score("m", "t", "s", 0.2, length=50),
        Score("m", "t", "s", 0.3, length=100),
    ]
    table = ScoreTable.from_rows(rows)
    assert table.each_length("m") == ("unset", 50, 100)
    assert [table.matrix("m", length=n).values[0, 0] for n in table.each_length("m")] == [0.1, 0.2, 0.3]
    assert ScoreTable.from_rows(rows[:1]).each_length("m") == (None,)
    with pytest.raises(UsageError, match="has no scores without a length; it has: 50, 100"):
        ScoreTable.from_rows(rows[1:]).matrix("m", length="unset")


def test_forms_are_never_mixed() -> None:
    rows = [
        Score("m", "t", "a", 1.0, form="abstract"),
        Score("m", "t", "a", 3.0, form="extract"),
        Score("m", "t", "b", 2.0, form="extract"),
    ]
    table = ScoreTable.from_rows(rows)
    assert list(table.rows()) == rows
    assert table.forms("m") == ("abstract", "extract")
    with pytest.raises(UsageError, match=r"several forms \(abstract, extract\): choose one with form"):
        table.matrix("m")
    with pytest.raises(UsageError, match='no scores of form "extracts" .nearest: "extract", "abstract".;'):
        table.matrix("m", form="extracts")
    found = table.matrix("m", form="extract")
    assert (found.values.tolist(), found.form, found.title) == ([[3.0, 2.0]], "extract", "m (extract)")
    assert found.signature == "m|form:extract"
    unset = ScoreTable.from_rows([*rows, Score("m", "t", "a", 5.0)])
    assert unset.matrix("m", form="unset").values.tolist() == [[5.0]]


def test_a_matrix_does_not_depend_on_the_order_of_rows() -> None:
    rows = [
        Score("m", f"t{t}", s, 0.1 * t + k / 7, assessor=who, repeat=k)
        for t in (10, 9, 1)
        for s in ("s10", "s2")
        for who in ("ann", "bob")
        for k in range(3)
    ]
    one, other = (ScoreTable.from_rows(each).matrix("m") for each in (rows, rows[::-1]))
    assert (one.topics, one.systems) == (("t1", "t9", "t10"), ("s2", "s10"))
    assert (one.topics, one.systems) == (other.topics, other.systems)
    np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("form", [None, "extract"])
def test_score_files_keep_forms_and_do_without(tmp_path: Path, form: str | None) -> None:
    """Without forms a file is as the first release wrote it, so that either opens the other's."""
    import pyarrow.parquet as pq

    info = MeasureInfo("m", signature="m|v:0")
    table = ScoreTable.from_rows([Score("m", "t", "a", 1.0, length=50, form=form, assessor="ann")], [info])
    path = tmp_path / "m.parquet"
    scorefiles.write(path, ScoreFile(info, table, "computed", {"t": "digest"}))
    assert ("form" in pq.read_table(path).column_names) == (form is not None)
    found = scorefiles.read(path)
    assert list(found.table.rows()) == list(table.rows())
    assert found.inputs == {"t": "digest"}
