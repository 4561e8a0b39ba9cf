"""The same scores give the same numbers: from any file, standard input, a DataFrame or a folder, in any order."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.scores import Scores
from adjudge.analyses.tests import TESTS
from adjudge.evaluation import Evaluation
from adjudge.formats import scoretable

Read = Callable[[pd.DataFrame], Scores]
DRAWN: dict[str, dict[str, Any]] = {
    **{test: {"test": test} for test in TESTS},
    **{correct: {"correct": correct} for correct in CORRECTIONS if correct.startswith("westfall")},
    "against": {"test": "mc", "against": "s10", "side": "better"},
    "hb:median": {"test": "hb", "statistic": "median"},
    "humans": {"test": "mc", "pool_humans": True},
}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Twelve topics, four systems, two assessors, two lengths; numbers that many pairs are near to differing on."""
    rng = np.random.default_rng(12)
    rows = []
    for topic in range(1, 13):
        level = rng.normal()
        for system, (mean, kind) in {
            "s2": (0.3, "machine"),
            "s10": (0.0, "machine"),
            "base": (-0.4, "baseline"),
            "H1": (0.8, "human"),
        }.items():
            for length in (50, 100):
                quality = level + mean + rng.normal(scale=0.7)
                rows += [
                    ("m", f"d{topic}", system, length, who, quality + rng.normal(scale=0.3), kind)
                    for who in ("ann", "bob")
                ]
    names = ["measure", "topic", "system", "length", "assessor", "value", "kind"]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture(params=["rows", "name", "stdin", "frame", "folder"])
def read(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    def written(frame: pd.DataFrame, name: str) -> Path:
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    def rows(frame: pd.DataFrame) -> Scores:
        return adjudge.read_scores(written(frame.sample(frac=1, random_state=7), "scores.csv"))

    def name(frame: pd.DataFrame) -> Scores:
        return adjudge.read_scores(written(frame, "another name.csv"))

    def stdin(frame: pd.DataFrame) -> Scores:
        monkeypatch.setattr(
            "sys.stdin", io.TextIOWrapper(io.BytesIO(frame.to_csv(index=False).encode()), encoding="utf-8")
        )
        return adjudge.read_scores("-")

    def data_frame(frame: pd.DataFrame) -> Scores:
        return adjudge.read_scores(frame.iloc[::-1])

    def folder(frame: pd.DataFrame) -> Scores:
        e = Evaluation.init(tmp_path / "eval")
        e.take(scoretable.read([written(frame, "long.csv")], source="people"))
        assert e.scores().measures == ("people:m",)
        return adjudge.read_scores(tmp_path / "eval")

    return {"rows": rows, "name": name, "stdin": stdin, "frame": data_frame, "folder": folder}[request.param]


@pytest.fixture(scope="module")
def first(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Scores:
    """The scores as they were written first."""
    path = tmp_path_factory.mktemp("first") / "first.csv"
    frame.to_csv(path, index=False)
    return adjudge.read_scores(path)


@pytest.fixture
def both(frame: pd.DataFrame, first: Scores, read: Read) -> tuple[Scores, Scores]:
    """The scores as they were written first, and as they come another way."""
    return first, read(frame)


def same(first: pd.DataFrame, second: pd.DataFrame) -> None:
    """Equal to the last digit, but for the measure's name."""
    first, second = (each.drop(columns="measure", errors="ignore") for each in (first, second))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


@pytest.mark.parametrize("asked", DRAWN.values(), ids=DRAWN)
def test_comparisons(both: tuple[Scores, Scores], asked: dict[str, Any]) -> None:
    one, other = (adjudge.compare(s, length=100, resamples=400, **asked) for s in both)
    same(one.to_frame(), other.to_frame())
    same(one.to_frame("pairs"), other.to_frame("pairs"))
    assert one.headline().partition(" at ")[2] == other.headline().partition(" at ")[2]


def test_lengths_together(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.compare(s, length="all", test="hb", resamples=400) for s in both)
    same(one.to_frame(), other.to_frame())
    same(one.to_frame("pairs"), other.to_frame("pairs"))


def test_groups(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.groups(s, length=50, against="base") for s in both)
    same(one.to_frame(), other.to_frame())
    same(one.to_frame("contrasts"), other.to_frame("contrasts"))


def test_lengths(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.lengths(s, resamples=200) for s in both)
    same(one.to_frame("agreement"), other.to_frame("agreement"))


def test_anova(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.anova(s, length=100, random=["topic"], resamples=50) for s in both)
    same(one.to_frame(), other.to_frame())
    assert one.components is not None
    assert other.components is not None
    assert one.components.components == other.components.components


def test_counts(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.counts(s, length=100, tests=["mc", "hb"], resamples=400) for s in both)
    same(one.to_frame(), other.to_frame())


def test_plans(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.plan(s, length=100, difference=0.5, simulations=100) for s in both)
    same(one.to_frame(), other.to_frame())
    same(one.to_frame("powers"), other.to_frame("powers"))
    assert one.judges == other.judges


def test_simulations(both: tuple[Scores, Scores]) -> None:
    one, other = (adjudge.simulate(s, length=100, tests=["mc"], simulations=20, resamples=50) for s in both)
    same(one.to_frame(), other.to_frame())


def test_another_seed_gives_other_numbers(frame: pd.DataFrame) -> None:
    one, other = (
        adjudge.compare(frame, length=100, test="mc", seed=seed).to_frame("pairs") for seed in (0, 1)
    )
    assert (one["p"] != other["p"]).any()


def test_topics_named_as_topics_at_lengths_stay_apart(tmp_path: Path) -> None:
    """Eight topics whose names end in `@ 1` are eight topics, also with all lengths asked for."""
    rng = np.random.default_rng(3)
    topics = [f"set{k} @ {n}" for k in (1, 2) for n in (1, 2, 3, 4)]
    table = pd.DataFrame(rng.normal(size=(8, 3)), index=topics, columns=["a", "b", "c"])
    whole = adjudge.compare(table, length="all")
    assert whole.matrix.topics == tuple(topics)
    np.testing.assert_array_equal(whole.matrix.values, adjudge.compare(table).matrix.values)
    long = table.rename_axis("topic").reset_index().melt("topic", var_name="system")
    two = pd.concat([long.assign(length=50), long.assign(length=100, value=long["value"] + 2)])
    averaged = adjudge.compare(two, length="all").matrix
    assert averaged.topics == tuple(topics)
    order = list(averaged.systems)
    np.testing.assert_allclose(averaged.values, table[order].to_numpy() + 1)
    rows = adjudge.read_scores(two).matrix(length="all")
    assert len(set(rows.rows)) == len(set(rows.topics)) == 16
    assert {(row.topic, row.length) for row in rows.rows} == {(t, n) for t in topics for n in (50, 100)}
