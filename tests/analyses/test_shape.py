"""Every analysis has one shape: scores and a measure in, options spelt out, a result that shows itself."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Result
from adjudge.core.table import Table, Tabular
from adjudge.data import scorefiles
from adjudge.data.scorefiles import ScoreFile
from adjudge.evaluation import Evaluation
from adjudge.formats import scoretable

QUICK: dict[str, dict[str, Any]] = {
    "compare": {"resamples": 50},
    "counts": {},
    "groups": {},
    "topics": {},
    "lengths": {"resamples": 50},
    "anova": {},
    "plan": {"simulations": 50},
    "simulate": {"simulations": 20, "tests": ["t"]},
}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(10, 3)) + np.array([0.0, 0.5, 3.0])
    return pd.DataFrame(values, index=[f"d{k}" for k in range(1, 11)], columns=["ours", "lead", "theirs"])


@pytest.fixture(scope="module")
def folder(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shape")
    frame.rename_axis("topic").to_csv(path / "overall.csv")
    Evaluation.init(path / "eval").take(scoretable.read([path / "overall.csv"], source="people"))
    return path


@pytest.mark.parametrize("name", QUICK)
def test_an_analysis_is_called_alike(name: str, frame: pd.DataFrame, folder: Path) -> None:
    """A function and a method, twice each: importing a module must not take a function's name."""
    function, asked = getattr(adjudge, name), QUICK[name]
    e = adjudge.open(folder / "eval")
    results = [
        function(frame, **asked),
        function(folder / "overall.csv", **asked),
        function(str(folder / "eval"), "people:overall", **asked),
        getattr(e, name)("people:overall", **asked),
        getattr(adjudge, name)(e.scores(), **asked),
        getattr(e, name)(**asked),
    ]
    first = results[0].to_frame().drop(columns="measure", errors="ignore")
    for result in results[1:]:
        pd.testing.assert_frame_equal(first, result.to_frame().drop(columns="measure", errors="ignore"))


@pytest.mark.parametrize("name", QUICK)
def test_a_result_shows_itself(name: str, frame: pd.DataFrame) -> None:
    found: Any = getattr(adjudge, name)(frame, **QUICK[name])
    table = found.table()
    assert issubclass(type(found), Tabular | Result)
    assert isinstance(table, Table)
    assert repr(found).startswith(table.to_text())
    assert "<table>" in found._repr_html_()
    assert found.headline() == next(found.sentences())
    assert found.headline() in repr(found)
    assert table.signature == found.signature
    assert r"\toprule" in found.to_latex()
    assert len(found.to_frame())


@pytest.mark.parametrize("name", QUICK)
def test_options_are_spelt_out(name: str, folder: Path) -> None:
    function = getattr(adjudge, name)
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["scores", "measure"]
    assert {p.kind for p in list(parameters.values())[2:]} == {inspect.Parameter.KEYWORD_ONLY}
    assert "alpha" in parameters
    method = getattr(adjudge.open(folder / "eval"), name)
    assert list(inspect.signature(method).parameters) == list(parameters)[1:]
    assert name in dir(adjudge)
    assert function.__doc__


def test_importing_adjudge_loads_none_of_the_scientific_packages() -> None:
    heavy = ("numpy", "pandas", "scipy", "numba", "sqlalchemy", "adjudge.analyses")
    code = f"import adjudge, sys; dir(adjudge); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    with pytest.raises(AttributeError, match="module 'adjudge' has no attribute 'comparison'"):
        adjudge.comparison  # noqa: B018


def test_frames_long_and_wide(frame: pd.DataFrame) -> None:
    wide = adjudge.read_scores(frame, measure="overall", human="their*")
    named = adjudge.read_scores(frame.rename_axis("doc").reset_index(), measure="overall")
    long = frame.rename_axis("topic").reset_index().melt("topic", var_name="model", value_name="score")
    for found in (wide, named, adjudge.read_scores(long.assign(metric="overall"))):
        np.testing.assert_array_equal(found.matrix().values, wide.matrix("overall").values)
    assert wide.kinds == {"ours": "machine", "lead": "machine", "theirs": "human"}
    kinds = long.assign(kind="machine")
    assert adjudge.read_scores(kinds, lower_is_better=True).matrix().info.better == "lower"
    holes = frame.where(frame < 3)
    missing = adjudge.read_scores(holes).matrix().missing
    assert {why for *_, why in missing} == {"missing in DataFrame"}


def test_what_is_no_frame_of_scores_is_one_line(frame: pd.DataFrame) -> None:
    long = frame.rename_axis("topic").reset_index().melt("topic", var_name="system")
    with pytest.raises(DataError, match="DataFrame: no column for the topic among system, value"):
        adjudge.read_scores(long[["system", "value"]])
    with pytest.raises(DataError, match='the score in row 2 is "bad", expected a number'):
        adjudge.read_scores(long.assign(value=[0.5, "bad", *[1.0] * (len(long) - 2)]))
    with pytest.raises(DataError, match="DataFrame: every score is missing"):
        adjudge.read_scores(long.assign(value=np.nan))
    with pytest.raises(DataError, match="row 1 has no topic"):
        adjudge.read_scores(long.assign(topic=[None, *long["topic"][1:]]))
    with pytest.raises(
        DataError, match=r"two scores of measure score, topic d1, system ours \(rows 1 and 31\)"
    ):
        adjudge.read_scores(pd.concat([long, long]))
    with pytest.raises(UsageError, match="scores are int, expected an evaluation, its scores, a path"):
        adjudge.compare(3)


def test_a_report_reads_the_scores_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    read_all = scorefiles.read_all

    def counted(path: Path) -> list[ScoreFile]:
        read.append(path)
        return read_all(path)

    monkeypatch.setattr(scorefiles, "read_all", counted)
    adjudge.open(folder / "eval").report(tmp_path / "report")
    assert read == [folder / "eval"]
