"""The largest of dependent |t|: independence, equal correlation, the studentized range, and SciPy's Dunnett."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from adjudge.stats.linear.contrasts import MANY, MaximumT, all_differences
from adjudge.stats.linear.tukey import studentized_range_isf, studentized_range_sf

T = np.array([0.0, 0.5, 2.0, 3.0, 4.5, 7.0])


def one_factor(t: float, size: int, df: float) -> float:
    """P(max |T_i| > t) with every correlation 1/2, by two nested integrals."""
    root = math.sqrt(0.5)

    def inside(s: float) -> float:
        z = np.linspace(-8, 8, 2001)
        each = stats.norm.cdf((t * s - root * z) / root) - stats.norm.cdf((-t * s - root * z) / root)
        return float(integrate.simpson(stats.norm.pdf(z) * each**size, x=z))

    density = stats.chi(df, scale=1 / math.sqrt(df)).pdf
    return 1 - float(integrate.quad(lambda s: density(s) * inside(s), 0, 4, limit=200)[0])


@pytest.mark.parametrize(("groups", "df"), [(2, 3), (3, 20), (6, 50), (11, 560)])
def test_all_pairs_are_the_studentized_range(groups: int, df: float) -> None:
    weights = all_differences(groups)
    maximum = MaximumT(weights @ weights.T, df, np.random.default_rng(1))
    p, error = maximum.sf(T)
    expected = studentized_range_sf(T * math.sqrt(2), groups, df)
    assert p == pytest.approx(expected, rel=0.01)
    assert (np.abs(p - expected) <= 6 * error + 1e-9).all()
    assert maximum.isf(0.05) == pytest.approx(
        studentized_range_isf(0.05, groups, df) / math.sqrt(2), abs=5e-3
    )


@pytest.mark.parametrize(("size", "df", "t"), [(3, 8, 2.5), (10, 40, 3.0), (30, 200, 2.0)])
def test_equal_correlation_is_an_integral(size: int, df: float, t: float) -> None:
    correlation = np.full((size, size), 0.5) + 0.5 * np.eye(size)
    p, error = MaximumT(correlation * 7.0, df, np.random.default_rng(2)).sf(np.array([t]))
    expected = one_factor(t, size, df)
    assert p[0] == pytest.approx(expected, rel=0.01)
    assert abs(p[0] - expected) < 6 * error[0]
    # The check can fail: independent t's have another tail.
    assert MaximumT(np.eye(size), df, np.random.default_rng(2)).sf(np.array([t]))[0][0] > 1.02 * expected


def test_one_t_is_exact() -> None:
    maximum = MaximumT(np.array([[4.0]]), 12, np.random.default_rng(3))
    p, error = maximum.sf(T)
    assert p == pytest.approx(2 * stats.t.sf(T, 12), rel=1e-12)
    assert error.tolist() == [0.0] * T.size
    assert maximum.isf(0.05) == pytest.approx(stats.t.isf(0.025, 12), abs=1e-5)


def test_it_equals_scipys_dunnett_for_independent_groups() -> None:
    # With n per group the contrasts to a control have correlation 1/2, and k(n - 1) degrees of freedom.
    data = np.random.default_rng(4).normal(size=(4, 10)) + np.array([[0.0], [0.5], [1.0], [1.5]])
    found = stats.dunnett(*data[1:], control=data[0], rng=np.random.default_rng(5))
    correlation = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    p, _ = MaximumT(correlation, 36, np.random.default_rng(6)).sf(np.abs(found.statistic))
    assert p == pytest.approx(found.pvalue, abs=2e-3)


def test_the_same_contrast_twice_is_one() -> None:
    p, _ = MaximumT(np.ones((2, 2)), 12, np.random.default_rng(7)).sf(T)
    assert p == pytest.approx(2 * stats.t.sf(T, 12), rel=1e-9)


def test_many_values_go_through_a_curve() -> None:
    size = MANY + 40
    correlation = np.full((size, size), 0.5) + 0.5 * np.eye(size)
    maximum = MaximumT(correlation, 300, np.random.default_rng(8))
    t = np.linspace(0, 45, size)
    p, _ = maximum.sf(t)
    for k in (0, 7, 12, 20):
        assert p[k] == pytest.approx(maximum._tail(float(t[k]))[0], rel=0.02)
    assert (np.diff(p) <= 0).all()


def test_beyond_what_a_float_can_hold_it_is_bonferroni() -> None:
    maximum = MaximumT(np.eye(3), 5000, np.random.default_rng(9))
    p, error = maximum.sf(np.array([60.0, 1e4]))
    assert p.tolist() == [0.0, 0.0]
    assert error.tolist() == [0.0, 0.0]
