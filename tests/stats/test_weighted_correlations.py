"""Correlations where topics count several times or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjudge.core.errors import UsageError
from adjudge.stats.correlation import correlations, weighted_correlations


@pytest.mark.parametrize("level", ["system", "input", "global"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall-b", "kendall-c"])
def test_a_weight_is_how_often_a_topic_is_there(level: Any, coefficient: Any) -> None:
    rng = np.random.default_rng(2)
    measures, people = rng.normal(size=(2, 6, 5)), rng.normal(size=(6, 5)).round()
    measures[0, 1, 2] = people[3, 4] = np.nan
    weights = rng.integers(0, 3, size=(9, 6)).astype(float)
    found = weighted_correlations(measures, people, weights, level=level, coefficient=coefficient)
    for row, drawn in zip(found, weights.astype(int), strict=True):
        again = [np.repeat(each, drawn, axis=each.ndim - 2) for each in (measures, people)]
        expected = correlations(*again, level=level, coefficient=coefficient).values
        np.testing.assert_allclose(row, expected, atol=1e-12)


def test_a_weight_for_each_topic() -> None:
    with pytest.raises(UsageError, match="a weight for each of 3 topics"):
        weighted_correlations(
            np.ones((1, 3, 4)), np.ones((3, 4)), np.ones((2, 4)), level="system", coefficient="pearson"
        )
