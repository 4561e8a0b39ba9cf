"""Correlations of measures with people, against loops over SciPy, nlpstats and closed forms."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import (
    COEFFICIENTS,
    Coefficient,
    CorrelationLevel,
    correlations,
)

LEVELS: tuple[CorrelationLevel, ...] = get_args(CorrelationLevel)


def one(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> float:
    """SciPy's, of what both have."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    if coefficient == "pearson":
        return float(stats.pearsonr(x, y)[0])
    if coefficient == "spearman":
        return float(stats.spearmanr(x, y)[0])
    return float(stats.kendalltau(x, y, variant=coefficient[-1])[0])


def twin(x: FloatArray, y: FloatArray, level: CorrelationLevel, coefficient: Coefficient) -> float:
    """One measure, topics x systems."""
    if level == "global":
        return one(x.ravel(), y.ravel(), coefficient)
    if level == "input":
        found = [one(a, b, coefficient) for a, b in zip(x, y, strict=True)]
        defined = [each for each in found if not math.isnan(each)]
        return float(np.mean(defined)) if defined else math.nan
    both = ~(np.isnan(x) | np.isnan(y))
    kept = np.flatnonzero(both.any(axis=0))
    a, b = (np.array([z[both[:, s], s].mean() for s in kept]) for z in (x, y))
    return one(a, b, coefficient)


# Quarters, so that means over topics are exact: what ties, ties for SciPy too.
quarters = st.integers(-12, 12).map(lambda k: k / 4)
cells = st.one_of(quarters, quarters, quarters, st.just(math.nan))


@given(
    data=st.data(),
    topics=st.sampled_from([1, 2, 4, 8]),
    systems=st.integers(1, 7),
    unit=st.sampled_from([1.0, 2.0**-900, 2.0**900]),
)
@settings(max_examples=50, deadline=None)
def test_equal_loops_over_scipy(data: st.DataObject, topics: int, systems: int, unit: float) -> None:
    x = data.draw(arrays(np.float64, (2, topics, systems), elements=cells)) * unit
    y = data.draw(arrays(np.float64, (topics, systems), elements=cells))
    if data.draw(
        st.booleans()
    ):  # means of three or of seven topics are not exact, those of complete columns are
        x, y = np.nan_to_num(x), np.nan_to_num(y)
        check = LEVELS
    else:
        check = ("input", "global")
    for level in check:
        for coefficient in COEFFICIENTS:
            found = correlations(x, y, level=level, coefficient=coefficient)
            wanted = [twin(each, y, level, coefficient) for each in x]
            np.testing.assert_allclose(found.values, wanted, rtol=0, atol=1e-12)
            for value, why in zip(found.values, found.why, strict=True):
                assert math.isnan(value) == (why is not None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_missing_cells_and_many_values(level: CorrelationLevel, coefficient: Coefficient) -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=(9, 30))
    x = y + rng.normal(size=(5, 9, 30)) * 10.0 ** np.arange(-2, 3)[:, None, None]
    x[rng.random(x.shape) < 0.2] = np.nan
    y[rng.random(y.shape) < 0.2] = np.nan
    y[:, 3] = np.nan  # nobody judged this system
    y[2] = np.nan  # nor this topic
    found = correlations(x, y, level=level, coefficient=coefficient)
    np.testing.assert_allclose(found.values, [twin(each, y, level, coefficient) for each in x], atol=1e-12)
    both = ~(np.isnan(x) | np.isnan(y))
    assert found.cells.tolist() == both.sum(axis=(1, 2)).tolist()
    assert found.left_out.tolist() == (np.isnan(x) ^ np.isnan(y)).sum(axis=(1, 2)).tolist()
    assert found.n.tolist() == {"system": [29] * 5, "input": [8] * 5, "global": found.cells.tolist()}[level]
    assert found.blank.tolist() == [1 if level == "input" else 0] * 5


def test_all_topics_of_a_measure_or_those_that_people_judged() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1, 6, 5)), rng.normal(size=(6, 5))
    y[3:] = np.nan
    common = correlations(x, y, level="system", coefficient="pearson")
    every = correlations(x, y, level="system", coefficient="pearson", all_topics=True)
    people = y[:3].mean(axis=0)
    assert common.values[0] == pytest.approx(stats.pearsonr(x[0, :3].mean(axis=0), people)[0], abs=1e-12)
    assert every.values[0] == pytest.approx(stats.pearsonr(x[0].mean(axis=0), people)[0], abs=1e-12)
    assert common.values[0] != pytest.approx(every.values[0], abs=0.01)


def test_blank_inputs_are_counted_by_reason() -> None:
    people = np.array([[1, 2, 3, 4], [2, 2, 2, 2], [1, 2, 3, 5], [3, 3, 3, 3], [1, 2, math.nan, math.nan]])
    measure = np.array([[1, 2, 4, 8], [1, 2, 3, 4], [7, 7, 7, 7], [1, 1, 1, 1], [1, 2, 3, 4]], dtype=float)
    found = correlations(measure[None], people, level="input", coefficient="kendall-b")
    assert found.values.tolist() == [1.0]
    assert found.inputs[0, 0] == 1.0
    assert np.isnan(found.inputs[0, 1:]).all()
    assert found.n.tolist() == [1]
    assert [each[0] for each in (found.few, found.same_measure, found.same_people, found.same_both)] == [
        1
    ] * 4
    assert found.left_out.tolist() == [2]
    rest = correlations(measure[None, 1:], people[1:], level="input", coefficient="kendall-b")
    assert math.isnan(rest.values[0])
    assert rest.why == (
        "on 1 input fewer than 3 systems have both values; on 1 input the measure gives all systems the same value;"
        " on 1 input people give all systems the same value; on 1 input the measure and people give all systems the"
        " same value",
    )


@pytest.mark.parametrize(
    ("level", "measure", "people", "why"),
    [
        ("system", [[1.0] * 4] * 2, [[1, 2, 3, 4.0]] * 2, "the measure gives all 4 systems the same value"),
        ("global", [[1, 2, 3, 4.0]] * 2, [[5.0] * 4] * 2, "people give all 8 cells the same value"),
        (
            "global",
            [[1.0] * 4] * 2,
            [[5.0] * 4] * 2,
            "the measure and people give all 8 cells the same value",
        ),
        ("system", [[1, 2, math.nan]], [[1, 2, 3.0]], "fewer than 3 systems have both values (2)"),
        (
            "global",
            [[math.nan, 2, math.nan]],
            [[1, math.nan, 3.0]],
            "fewer than 3 cells have both values (none)",
        ),
    ],
)
def test_what_cannot_be_computed_says_why(
    level: CorrelationLevel, measure: list[list[float]], people: list[list[float]], why: str
) -> None:
    for coefficient in COEFFICIENTS:
        found = correlations([measure], people, level=level, coefficient=coefficient)
        assert math.isnan(found.values[0])
        assert found.why == (why,)


def test_rounding_noise_is_no_difference() -> None:
    """Means of the same numbers in other orders, which differ by 1e-17; some of them are 0 but for noise."""
    rng = np.random.default_rng(1)
    values = np.array([0.1, 0.2, 0.3, 0.7, 1.1, 2.3, -4.7])  # their sum is 0
    people = np.column_stack([rng.permutation(values) for _ in range(6)])
    assert np.ptp([math.fsum(column) for column in people.T]) < 1e-15
    assert len(set(people.mean(axis=0))) > 1
    measure = rng.normal(size=(1, 7, 6))
    for coefficient in COEFFICIENTS:
        found = correlations(measure, people, level="system", coefficient=coefficient)
        assert found.why == ("people give all 6 systems the same value",)
    people[:, 3:] += 1
    found = correlations(measure, people, level="system", coefficient="kendall-b")
    ties = np.array([0, 0, 0, 1, 1, 1])
    assert found.values[0] == pytest.approx(stats.kendalltau(measure[0].mean(axis=0), ties)[0], abs=1e-12)


def test_perfect_orders_are_exactly_one() -> None:
    x = np.random.default_rng(2).normal(size=(1, 3, 50))
    for coefficient in COEFFICIENTS:
        for level in LEVELS:
            same = correlations(x, x[0] * 3 + 1, level=level, coefficient=coefficient)
            turned = correlations(-x, x[0], level=level, coefficient=coefficient)
            assert same.values[0] == pytest.approx(1, abs=1e-15)
            assert turned.values[0] == pytest.approx(-1, abs=1e-15)


def test_mistakes() -> None:
    x, y = np.zeros((1, 2, 3)), np.zeros((2, 3))
    with pytest.raises(UsageError, match="unknown value .summary."):
        correlations(x, y, level="summary", coefficient="pearson")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown value .kendall."):
        correlations(x, y, level="system", coefficient="kendall")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"same topics x systems, got \(2, 3\) and \(3, 2\)"):
        correlations(x, y.T, level="system", coefficient="pearson")
    with pytest.raises(UsageError, match="take their mean"):
        correlations(x, np.zeros((2, 2, 3)), level="system", coefficient="pearson")
