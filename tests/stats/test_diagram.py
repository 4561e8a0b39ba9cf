"""Critical-difference diagrams: Demsar's example, directions, missing cells, and the drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.linear.tukey import tukey
from adjudge.stats.order import critical_difference

RANKS = [
    [1, 2, 3, 4],
    [1, 3, 2, 4],
    [2, 1, 3, 4],
    [1, 2, 4, 3],
    [1, 2, 3, 4],
    [2, 1, 3, 4],
    [1, 2, 3, 4],
    [1, 3, 2, 4],
]
LABELS = ["best", "good", "fair", "poor"]


def test_ranks_lines_and_cliques() -> None:
    found = critical_difference(-np.array(RANKS, dtype=float))
    assert found.ranks == pytest.approx(np.mean(RANKS, axis=0))
    assert found.order == (0, 1, 2, 3)
    # Demsar 2006, section 3.2.2: CD = q sqrt(k(k+1) / 6N), with q = 2.569 for four.
    assert found.cd == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 8)), abs=1e-3)
    assert found.cliques() == ((0, 1, 2), (2, 3))
    assert found.level == 0.95


def test_the_lowest_can_be_the_best() -> None:
    high = critical_difference(-np.array(RANKS, dtype=float))
    low = critical_difference(RANKS, best="lowest")
    assert low.ranks == pytest.approx(high.ranks)
    assert low.cliques() == high.cliques()
    assert critical_difference(RANKS).order == (3, 2, 1, 0)


def test_the_drawing() -> None:
    found = critical_difference(RANKS, best="lowest")
    assert found.draw(LABELS, width=49) == "\n".join(
        [
            "        rank  1               2               3               4",
            "              +---------------+---------------+---------------+",
            "best    1.25      o",
            "good    2.00                  o",
            "fair    2.88                                o",
            "poor    3.88                                                o",
            "alike             ===========================",
            "alike                                       =================",
            "CD      1.66  ----------------------------",
        ]
    )


def test_many_columns_share_an_axis() -> None:
    values = np.random.default_rng(1).normal(size=(10, 40))
    drawn = critical_difference(values).draw([f"s{k}" for k in range(40)])
    lines = drawn.splitlines()
    assert lines[0].split()[1] == "1"
    assert lines[0].split()[-1] == "40"
    assert max(map(len, lines)) <= 80
    assert sum(line.endswith("o") for line in lines) == 40


def test_missing_cells_and_systems() -> None:
    values = np.random.default_rng(2).normal(size=(12, 4))
    values[:5, 1] = np.nan
    values[:, 3] = np.nan
    found = critical_difference(values)
    assert 3 not in found.order
    assert math.isnan(found.ranks[3])
    assert found.cd == pytest.approx(tukey(-values, scale="topic-ranks").half_width[[0, 1, 3]].mean())
    assert "d" not in [line.split()[0] for line in found.draw(list("abcd")).splitlines()]


def test_nothing_to_draw() -> None:
    assert critical_difference(np.full((3, 2), np.nan)).draw(["a", "b"]) == "no column has a mean rank"
    one = critical_difference([[1.0], [2.0]])
    assert one.draw(["only"]).splitlines()[2].startswith("only")
    assert critical_difference(np.ones((0, 0))).draw([]) == "no column has a mean rank"


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(UsageError, match="labels: expected 4, got 1"):
        critical_difference(RANKS).draw(["a"])
    with pytest.raises(UsageError, match="width: expected a whole number of at least 10"):
        critical_difference(RANKS).draw(LABELS, width=3)
    with pytest.raises(UsageError, match='best: unknown value "high"'):
        critical_difference(RANKS, best="high")  # type: ignore[arg-type]
