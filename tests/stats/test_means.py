"""Means of columns and their t intervals: R's t.test, SciPy's t distribution, and what is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.bootstrap import t_means

VALUES = [0.31, 0.27, 0.44, 0.39, 0.25]


# R 4.2.2, options(digits=17); t.test(c(.31,.27,.44,.39,.25), conf.level=LEVEL)$conf.int
@pytest.mark.parametrize(
    ("level", "low", "high"),
    [
        (0.95, 0.23173995691942617, 0.43226004308057386),
        (0.90, 0.25501700824620988, 0.40898299175379021),
    ],
)
def test_intervals_are_those_of_r(level: float, low: float, high: float) -> None:
    found = t_means([[v] for v in VALUES], level=level)
    assert found.mean[0] == pytest.approx(0.332, rel=1e-15)
    assert [found.low[0], found.high[0]] == pytest.approx([low, high], rel=1e-13)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-100, 100) | st.just(math.nan), min_size=1, max_size=12))
def test_a_column_is_what_scipy_says_of_its_present_cells(column: list[float]) -> None:
    found = t_means(np.array([column, column[::-1]]).T)
    present = [v for v in column if not math.isnan(v)]
    assert found.n.tolist() == [len(present)] * 2
    if len(present) < 2:
        assert np.isnan(found.low).all()
        assert np.isnan(found.high).all()
    else:
        half = stats.t.ppf(0.975, len(present) - 1) * np.std(present, ddof=1) / math.sqrt(len(present))
        assert found.low[0] == pytest.approx(np.mean(present) - half, rel=1e-9, abs=1e-9)
        assert found.high[1] == pytest.approx(np.mean(present) + half, rel=1e-9, abs=1e-9)


def test_one_value_has_a_mean_and_no_interval() -> None:
    found = t_means([[1.5, math.nan, 2.0], [math.nan, math.nan, 2.0]])
    assert found.n.tolist() == [1, 0, 2]
    assert found.mean[0] == 1.5
    assert math.isnan(found.mean[1])
    assert math.isnan(found.low[0])
    assert (found.low[2], found.high[2]) == (2.0, 2.0)


def test_the_level_is_checked() -> None:
    with pytest.raises(UsageError, match="level: expected a number between 0 and 1"):
        t_means([[1.0]], level=95)
