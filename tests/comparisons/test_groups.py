"""Tukey's groups with names: places, lines, contrasts, words. The numbers are tested in tests/stats."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from adjudge.comparisons.groups import groupings, kind_contrast, many_to_one
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix
from adjudge.errors import DataError, UsageError
from adjudge.stats.linear.tukey import tukey

KINDS = {"ann": "human", "bob": "human", "lead": "baseline"}


def matrix(better: Better = "higher", missing: bool = False) -> ScoreMatrix:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(20, 1)) + rng.normal([2.0, 1.9, 0.0, 0.1, -2.0], 0.3, size=(20, 5))
    if better == "lower":
        values = -values
    if missing:
        values[:10, 0] = math.nan
    return ScoreMatrix(
        values,
        np.isfinite(values).astype(int),
        tuple(f"t{k}" for k in range(20)),
        ("ann", "bob", "x", "y", "lead"),
        MeasureInfo("m", better, signature="m|v:1"),
        length=100,
    )


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("scale", ["values", "ranks", "topic-ranks"])
def test_planted_groups_are_found(better: Better, scale: str) -> None:
    found = groupings(matrix(better), scale=scale)
    assert {p.system for p in found.places[:2]} == {"ann", "bob"}
    assert [p.group for p in found.places] == ["a", "a", "b", "b", "c"]
    assert [(p.best, p.worst) for p in found.places] == [(1, 2), (1, 2), (3, 4), (3, 4), (5, 5)]
    assert found.rankings.count == 4
    assert len(found.lines.lines) == 2
    assert "8 of 10 pairs of systems differ by Tukey's test; 3 groups" in found.headline()
    assert any("is better than lead" in said for said in found.pair_sentences())


def test_pairs_are_those_of_the_test() -> None:
    found = groupings(matrix())
    expected = tukey(matrix().values)
    frame = found.pairs_frame()
    assert frame["p"].to_numpy() == pytest.approx(expected.p)
    assert (frame["a"][0], frame["b"][0]) == ("ann", "bob")


def test_contrasts_by_kind_and_by_name() -> None:
    m = matrix()
    weights = kind_contrast(m.systems, KINDS, "humans-machines")
    assert weights == {"humans - machines": [0.5, 0.5, -0.5, -0.5, 0.0]}
    found = groupings(m, contrasts=weights | kind_contrast(m.systems, KINDS, "x-y"))
    assert found.contrasts is not None
    assert found.contrasts.estimate[0] == pytest.approx(m.values[:, :2].mean() - m.values[:, 2:4].mean())
    said = list(found.sentences())[-2:]
    assert said[0].startswith("humans - machines = ")
    assert "is above 0" in said[0]
    assert "is not significantly different from 0" in said[1]
    dunnett = groupings(m, contrasts=many_to_one(m.systems, "lead"))
    assert dunnett.names == ("ann - lead", "bob - lead", "x - lead", "y - lead")
    assert dunnett.contrasts is not None
    assert (dunnett.contrasts.p < 0.001).all()


def test_forms() -> None:
    found = groupings(matrix(missing=True), contrasts=many_to_one(matrix().systems, "lead"))
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert len(data["pairs"]) == 10
    assert len(data["contrasts"]) == 4
    assert data["critical_difference"]["cliques"]
    assert found.to_latex().count(r"\\") == 6
    assert list(found.to_frame()["system"]) == [p.system for p in found.places]
    assert "CD" in found.draw_diagram()
    assert found.draw_lines().count("\n") == 4
    assert "|length:100|topics:20|tukey|scale:values|" in found.signature


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 1), (3, 2), (2, 40)])
def test_odd_matrices_give_a_result_or_a_reason(shape: tuple[int, int]) -> None:
    values = np.ones(shape)
    odd = ScoreMatrix(
        values,
        values.astype(int),
        tuple(f"t{k}" for k in range(shape[0])),
        tuple(f"s{k}" for k in range(shape[1])),
        MeasureInfo("m"),
    )
    found = groupings(odd)
    assert found.headline()
    json.dumps(found.as_dict(), allow_nan=False)


def test_mistakes_are_one_line() -> None:
    m = matrix()
    with pytest.raises(UsageError, match='the scale is "rank" .nearest: "ranks"'):
        groupings(m, scale="rank")
    with pytest.raises(UsageError, match='--against "leed": no such system'):
        many_to_one(m.systems, "leed")
    with pytest.raises(UsageError, match='--contrast: "people" is no system'):
        kind_contrast(m.systems, KINDS, "people-machines")
    with pytest.raises(UsageError, match="on both sides"):
        kind_contrast(m.systems, KINDS, "humans-ann")
    with pytest.raises(UsageError, match="expected A-B"):
        kind_contrast(m.systems, KINDS, "humans")
    with pytest.raises(UsageError, match="there are no baselines"):
        kind_contrast(m.systems, {}, "ann-baselines")
    empty = np.full((2, 2), math.nan)
    with pytest.raises(DataError, match="every score is missing"):
        groupings(ScoreMatrix(empty, empty, ("t1", "t2"), ("a", "b"), MeasureInfo("m")))
