"""Families with their own variances: Student's t against SciPy, contrasts, Hsu's intervals against plain loops."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.contrasts import against, between
from adjudge.stats.multiple import holm
from adjudge.stats.own_variances import (
    contrast_values,
    least_t_p,
    own_contrasts,
    own_pairs,
    with_best,
)
from adjudge.stats.resampling.max_t import (
    DifferenceRows,
    MaxT,
    criticals_with_best,
    max_t,
    max_t_rows,
    row_moments,
)


def some(topics: int = 12, systems: int = 4, seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(topics, systems)) * np.geomspace(0.3, 2, systems)
    return np.asarray(rng.normal(size=(topics, 1)) + noise + np.arange(systems) * 0.5)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_students_t_is_scipys() -> None:
    values = some()
    values[:3, 0] = math.nan
    found = own_pairs(values, rng=rng(), method="t")
    tests = [
        stats.ttest_rel(values[:, i], values[:, j], nan_policy="omit")
        for i, j in itertools.combinations(range(4), 2)
    ]
    assert found.statistic == pytest.approx([float(test.statistic) for test in tests])
    assert found.p == pytest.approx(holm([float(test.pvalue) for test in tests]))
    for k, test in enumerate(tests):
        ends = test.confidence_interval(1 - 0.05 / 6)
        low, high = float(ends.low), float(ends.high)
        if found.p[k] < 0.05 and low < 0 < high:  # Holm alone finds it
            low, high = (0.0, high) if found.difference[k] > 0 else (low, 0.0)
        assert (found.low[k], found.high[k]) == pytest.approx((low, high))


def test_the_bootstrap_is_that_of_the_largest_t() -> None:
    values = some(20)
    found, boot = own_pairs(values, rng=rng()), max_t(values, rng=rng())
    assert found.method == "max-t"
    assert (found.p == boot.p).all()
    assert found.signature == boot.signature + "|level:0.95"
    with pytest.raises(UsageError, match='method: unknown value "tukey"'):
        own_pairs(values, rng=rng(), method="tukey")  # type: ignore[arg-type]


def test_alpha_is_five_per_cent_and_not_a_rounding_more() -> None:
    found = own_pairs(some(), rng=rng(), method="t", level=0.95)
    assert found.alpha == 0.05


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0, 0, 1, 2, -1, 5]), min_size=2, max_size=12))
def test_no_t_is_beyond_what_so_many_zeros_allow(differences: list[float]) -> None:
    d = np.array(differences)
    if np.ptp(d) == 0:
        return
    least = float(least_t_p(np.array([d.size]), np.array([np.count_nonzero(d)]))[0])
    assert stats.ttest_1samp(d, 0).pvalue >= least - 1e-12
    # And it is reached: where those that are not 0 are equal.
    reached = np.where(d != 0, 1.0, 0.0)
    if 0 < reached.sum() < d.size:
        assert stats.ttest_1samp(reached, 0).pvalue == pytest.approx(least)


def max_t_of(values: FloatArray, **options: Any) -> MaxT:
    """Of the means of the columns themselves."""
    rows = DifferenceRows(np.ascontiguousarray(values.T) + 0.0, None, None)
    return max_t_rows(rows, row_moments(rows), **options)


def test_contrasts_have_their_own_variance_on_the_topics_of_all_their_systems() -> None:
    values = some(30, 5)
    values[:4, 1] = math.nan
    weights = np.vstack([between(5, [0, 1], [2, 3]), against(5, 4)])
    found = own_contrasts(values, weights, rng=rng())
    assert found.n.tolist() == [26, 30, 26, 30, 30]
    each = values[:, :2].mean(axis=1) - values[:, 2:4].mean(axis=1)
    assert found.estimate[0] == pytest.approx(np.nanmean(each))
    assert found.se[0] == pytest.approx(np.nanstd(each, ddof=1) / math.sqrt(26))
    boot = max_t_of(contrast_values(values, weights), rng=rng())
    assert (found.p == boot.p).all()
    with pytest.raises(UsageError, match="sums to"):
        own_contrasts(values, [[1.0, 0, 0, 0, 0]], rng=rng())
    values[:, 1] = math.nan
    assert own_contrasts(values, weights, rng=rng()).why[0] == Note.of("few-in-common", n=0)


def test_equal_scores_in_tenths_are_a_difference_of_0() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.3, 0.3]])
    assert (contrast_values(values, np.array([[1.0, 1.0, -2.0], [1, 1, -2]]))[1] == 0).all()
    assert contrast_values(values, np.array([[0.5, 0.5, -1.0]]))[0] == pytest.approx(-0.15)


def hsu(values: FloatArray, criticals: FloatArray, n: int) -> tuple[list[float], list[float]]:
    """From the definition: Hsu 1996, section 4.2, with each pair's own standard error."""
    columns = range(values.shape[1])
    d = {(i, j): values[:, i] - values[:, j] for i in columns for j in columns}
    se = {pair: float(each.std(ddof=1)) / math.sqrt(n) for pair, each in d.items()}
    highs, lows = [], []
    for i in columns:
        highs.append(max(0.0, min(d[i, j].mean() + criticals[i] * se[i, j] for j in columns if j != i)))
    best = [i for i in columns if highs[i] > 0]
    for i in columns:
        below = [d[i, j].mean() - criticals[j] * se[i, j] for j in best if j != i]
        lows.append(min([0.0, *below]))
    return lows, highs


@pytest.mark.parametrize("lower", [False, True])
def test_hsus_intervals_are_those_of_the_definition(lower: bool) -> None:
    values = some(24, 5)
    turned = -values if lower else values
    criticals = criticals_with_best(turned, rng=rng(3), resamples=499)
    for k in range(5):  # the others less column k, one-sided
        others = np.delete(turned, k, axis=1) - turned[:, [k]]
        alone = max_t_of(others, rng=rng(3), resamples=499, alternative="greater")
        assert criticals[k] == pytest.approx(alone.critical, rel=1e-5)
    found = with_best(values, rng=rng(3), method="max-t", lower=lower, resamples=499)
    low, high = hsu(turned, criticals, 24)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)
    assert (found.low <= 0).all()
    assert (found.high >= 0).all()


def test_hsus_intervals_by_students_t() -> None:
    values = some(9, 4)
    found = with_best(values, rng=rng(), method="t")
    low, high = hsu(values, np.full(4, stats.t.isf(0.05 / 3, 8)), 9)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)


def test_one_system_far_above_is_the_only_candidate() -> None:
    values = some(25, 3)
    values[:, 1] += 50
    found = with_best(values, rng=rng(), method="max-t", resamples=199)
    assert found.candidates.tolist() == [False, True, False]
    assert found.low[1] == 0
    assert found.high[1] > 40
    assert (found.high[[0, 2]] == 0).all()
    with pytest.raises(UsageError, match="need two systems"):
        with_best(values[:, :1], rng=rng(), method="t")


def test_a_pair_that_cannot_be_compared_leaves_the_bound_open() -> None:
    values = np.full((20, 3), math.nan)
    values[:10, 0], values[10:, 1] = np.arange(10.0), np.arange(10.0)
    values[:, 2] = np.random.default_rng(1).normal(size=20) + 30
    found = with_best(values, rng=rng(), method="t")
    assert found.candidates.tolist() == [False, False, True]
    assert np.isfinite(found.low).all()
    values[:, 2] = math.nan
    alone = with_best(values, rng=rng(), method="t")
    assert np.isinf(alone.high).all()
    assert alone.candidates.all()
