"""Which of the two tests with blocks speaks: the one that uses every score."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjudge.stats.ranks import blocked, friedman, skillings_mack

VALUES = np.random.default_rng(0).normal(size=(8, 4))
NAN = math.nan


def test_complete_rows_are_friedmans() -> None:
    result = blocked(VALUES)
    assert (result.complete, result.name, result.rows) == (True, "Friedman", 8)
    assert result.test is result.friedman
    assert result.test.statistic == friedman(VALUES).statistic


def test_a_hole_is_for_skillings_and_mack() -> None:
    values = VALUES.copy()
    values[2, 1] = NAN
    result = blocked(values)
    assert (result.complete, result.name) == (False, "Skillings-Mack")
    assert result.test is result.skillings_mack
    assert result.test.p == skillings_mack(values).p
    assert result.friedman.dropped == 1


@pytest.mark.parametrize("axis", [0, 1])
def test_an_empty_row_or_column_is_no_hole(axis: int) -> None:
    result = blocked(np.insert(VALUES, 1, NAN, axis=axis))
    assert result.complete
    assert result.test.statistic == friedman(VALUES).statistic


def test_nothing_at_all() -> None:
    for values in (np.zeros((0, 0)), np.full((2, 2), NAN), np.zeros((0, 3))):
        result = blocked(values)
        assert result.rows == 0
        assert result.test.why is not None
