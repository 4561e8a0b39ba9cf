"""What the cells of a matrix tell: topics that no column names, columns that are no systems, a last row of means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved
from tests.cli.running import called

import adjudge
from adjudge.analyses.scores import Scores
from adjudge.core.errors import AdjudgeError, FormatError, UsageError
from adjudge.formats.matrices import names_rows

RNG = np.random.default_rng(5)
SCORES = pd.DataFrame(np.round(RNG.random((9, 3)), 3), columns=["lead", "ours", "base"])
NAMED = SCORES.set_axis([f"d{k}" for k in range(1, 10)]).rename_axis("topic")


def written(path: Path, frame: pd.DataFrame, *, index: bool = True, **options: str) -> Path:
    frame.to_csv(path, index=index, **options)
    return path


def both(tmp_path: Path, frame: pd.DataFrame, *, index: bool = True, **options: object) -> list[Scores]:
    """The scores of a frame, and of the file that it is written to."""
    path = written(tmp_path / "m.csv", frame, index=index)
    return [adjudge.read_scores(each, **options) for each in (frame, path)]  # type: ignore[arg-type]


def notes(scores: Scores) -> list[str]:
    return [note.partition(": ")[2] for note in scores.notes(scores.measures[0])]


def of_cells(scores: Scores) -> list[str]:
    """The notes without the last one, on the direction of a measure that the file is named for."""
    said, [measure] = notes(scores), scores.measures
    if measure == "score":  # a frame has no name
        assert not any("is assumed" in note for note in said)
        return said
    assert said.pop() == f'higher is assumed to be better; if lower is, say lower_is_better="{measure}"'
    return said


# Topics


def test_a_matrix_without_topics_keeps_its_first_system(tmp_path: Path, approved: Approved) -> None:
    frame, file = both(tmp_path, SCORES, index=False)
    for found in (frame, file):
        assert set(found.matrix().systems) == {"lead", "ours", "base"}
        np.testing.assert_array_equal(found.matrix().to_frame()[["lead", "ours", "base"]], SCORES)
    assert file.matrix().topics == tuple(map(str, range(1, 10)))
    approved(notes(file))
    done = called(tmp_path, "compare", "m.csv", "--map", "topic=", "--csv", "-")
    assert done.returncode == 0
    assert done.stderr == "note: m: higher is assumed to be better; if lower is, say --lower m\n"
    assert "lead" in done.stdout
    mapped = adjudge.read_scores(tmp_path / "m.csv", columns={"topic": "lead"})
    assert set(mapped.matrix().systems) == {"ours", "base"}


@pytest.mark.parametrize(
    ("column", "cells", "expected"),
    [
        ("x", ["d1", "d2"], True),
        ("x", ["0.5", "0.25"], False),
        ("x", ["0,5", "0,25"], False),
        ("x", ["36.4%", "1%"], False),
        ("case_no", ["3.1", "3.2"], True),
        ("docId", ["7", "3"], True),
        ("doc2vec", ["0.3", "0.2"], False),
        ("", ["0", "1"], True),
        ("Unnamed: 0", ["0", "1"], True),
        ("x", ["1", "2", "3"], True),
        ("x", ["1001", "1007"], True),
        ("x", ["4", "3", "4"], False),
        ("x", ["4", "", "3"], False),
        ("x", ["4", "3", "5"], None),
    ],
)
def test_which_column_names_rows(column: str, cells: list[str], expected: bool | None) -> None:
    assert names_rows(column, cells) is expected


def test_whole_numbers_that_may_be_either_are_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [4, 3, 5], "y": [1, 2, 2], "z": [5, 5, 4]})
    for found in both(tmp_path, frame, index=False):
        assert found.matrix().systems == ("y", "z")
        assert len(of_cells(found)) == 1
        assert "x" in of_cells(found)[0]
    off = both(tmp_path, frame, index=False, columns={"topic": ""})
    assert [found.matrix().systems for found in off] == [("x", "y", "z")] * 2


@pytest.mark.parametrize("topic", ["topic", "Dokument"])
def test_an_index_that_pandas_wrote_is_dropped(tmp_path: Path, topic: str) -> None:
    frame = NAMED.rename_axis(topic).reset_index()
    path = written(tmp_path / "m.csv", frame)
    again = written(tmp_path / "n.csv", pd.read_csv(path), index=False)
    for each in (path, again, pd.read_csv(path)):
        found = adjudge.read_scores(each)
        assert found.matrix().topics == tuple(NAMED.index)
        assert set(found.matrix().systems) == {"lead", "ours", "base"}
        assert len(of_cells(found)) == 1
    filtered = adjudge.read_scores(frame[frame["lead"] > frame["lead"].min()])
    assert set(filtered.matrix().topics) < set(NAMED.index)


def test_lines_that_end_with_the_delimiter(tmp_path: Path, approved: Approved) -> None:
    text = NAMED.to_csv(sep=";", decimal=",").replace("\n", ";\n")
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    found = adjudge.read_scores(tmp_path / "m.csv")
    assert set(found.matrix().systems) == {"lead", "ours", "base"}
    approved(notes(found))
    (tmp_path / "m.csv").write_text(text.replace(";\n", ";7\n").replace(";7\n", ";\n", 1), encoding="utf-8")
    with pytest.raises(FormatError, match="m.csv:2: column 5 has no name, but cells"):
        adjudge.read_scores(tmp_path / "m.csv")


# Columns


def test_columns_that_may_be_no_systems_are_told_and_left_out(tmp_path: Path, approved: Approved) -> None:
    more = NAMED.assign(words=[90, 95, 99] * 3, avg=NAMED.mean(axis=1).round(3), rate=0.12345)
    for found in both(tmp_path, more):
        assert len(of_cells(found)) == 3
    approved(notes(found))
    for names in ("words, avg,rate", ["words", "avg,rate"]):
        for found in both(tmp_path, more, leave_out=names):
            assert set(found.matrix().systems) == {"lead", "ours", "base"}
    done = called(tmp_path, "compare", "m.csv", "--leave-out", "words,avg", "--leave-out", "rate")
    assert done.returncode == 0
    approved(done.stderr, "left out")
    assert called(tmp_path, "report", "m.csv", "--leave-out", "words", "-o", "r").returncode == 0
    assert "--leave-out &#34;words&#34;" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")


def test_leaving_out_takes_columns_that_are_there(tmp_path: Path) -> None:
    written(tmp_path / "m.csv", NAMED.assign(note="fine"))
    with pytest.raises(
        FormatError, match='"note" is "fine", expected a number.*; if the column is no system, say'
    ):
        adjudge.read_scores(tmp_path / "m.csv")
    with pytest.raises(UsageError, match=r'leave_out: \S+ has no column "nots" \(nearest: "note"'):
        adjudge.read_scores(tmp_path / "m.csv", leave_out="nots")
    with pytest.raises(
        UsageError, match='columns "note=": no such field.*; to leave out a column, say leave_out'
    ):
        adjudge.read_scores(tmp_path / "m.csv", columns={"note": ""})
    with pytest.raises(AdjudgeError, match="leave_out names every column"):
        adjudge.read_scores(SCORES, leave_out=[*SCORES, "topic"])


def test_systems_at_the_ceiling_are_no_odd_columns() -> None:
    ceiling = SCORES.assign(a=1.0, b=1.0, base=[1.0, 0.5, 1.0] * 3)
    assert notes(adjudge.read_scores(ceiling.rename_axis("topic"))) == []


# Rows


@pytest.mark.parametrize("word", ["mean", "Average", "AVG:", "overall"])
@pytest.mark.parametrize("digits", [2, 4, 9])
def test_a_last_row_of_means_is_left_out(tmp_path: Path, word: str, digits: int) -> None:
    more = pd.concat([NAMED, NAMED.mean().round(digits).to_frame(word).T]).rename_axis("topic")
    for found in both(tmp_path, more):
        assert found.matrix().topics == tuple(NAMED.index)
        assert len(of_cells(found)) == 1


def test_means_of_whole_numbers_and_sums_are_known_too(tmp_path: Path) -> None:
    whole = pd.DataFrame({"a": [1, 4, 5, 2], "b": [3, 3, 5, 1]}, index=list("wxyz")).rename_axis("topic")
    for name, row in {"mean": whole.mean().round(1), "total": whole.sum()}.items():
        more = pd.concat([whole, row.to_frame(name).T]).rename_axis("topic")
        for found in both(tmp_path, more):
            assert found.matrix().topics == tuple("wxyz")


@pytest.mark.parametrize("row", [[0.9, 0.9, 0.9], [0, 1, 0]])
def test_a_topic_that_is_only_called_so_stays(tmp_path: Path, row: list[float]) -> None:
    coarse = NAMED.round().astype(int) if row[0] == 0 else NAMED
    more = pd.concat([coarse, pd.DataFrame([row], columns=NAMED.columns, index=["all"])]).rename_axis("topic")
    for found in both(tmp_path, more):
        assert "all" in found.matrix().topics
        assert len(of_cells(found)) == 1


# Numbers


def test_percents_are_hundredths(tmp_path: Path, approved: Approved) -> None:
    texts = NAMED.map(lambda value: f"{100 * value:.1f}%")
    for found in both(tmp_path, texts):
        np.testing.assert_allclose(found.matrix().to_frame()[[*NAMED]], NAMED, rtol=1e-12)
        assert len(of_cells(found)) == 1
    approved(notes(found))
    long = pd.concat([NAMED.astype(str)] * 7, ignore_index=True).rename_axis("topic")
    long.iloc[-1, 0] = "12.5 %"  # far below
    for found in both(tmp_path, long):
        assert found.matrix().to_frame().loc["62", "lead"] == 0.125
        assert len(of_cells(found)) == 1
    with pytest.raises(FormatError, match='"lead" is "5%%", expected a number'):
        adjudge.read_scores(written(tmp_path / "m.csv", NAMED.assign(lead="5%%")))


def test_a_decimal_sign_that_does_not_fit_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "m.csv", NAMED)
    with pytest.raises(FormatError, match="with a decimal comma, as decimal says: leave decimal out, or say"):
        adjudge.read_scores(path, decimal=",")


def test_thousands_with_points_are_told_where_semicolons_are(tmp_path: Path, approved: Approved) -> None:
    whole = NAMED.map(lambda value: f"{1 + value:.3f}")
    written(tmp_path / "m.csv", whole, sep=";")
    found = adjudge.read_scores(tmp_path / "m.csv")
    first = whole.iloc[0, 0]
    assert first in notes(found)[1]
    approved(notes(found))
    thousands = adjudge.read_scores(tmp_path / "m.csv", decimal=",")
    np.testing.assert_allclose(thousands.matrix().to_frame()[[*NAMED]], whole.astype(float) * 1000)
    assert of_cells(adjudge.read_scores(written(tmp_path / "n.csv", whole))) == []
    whole.iloc[8, 2] = "0.5"
    assert len(of_cells(adjudge.read_scores(written(tmp_path / "n.csv", whole, sep=";")))) == 1
