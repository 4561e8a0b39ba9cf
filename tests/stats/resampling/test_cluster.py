"""Clusters of topics: all signs against a plain list, resamples against a plain twin, and what ignoring costs."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.core.errors import UsageError
from adjudge.stats.bootstrap import t_means
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.resampling import cluster as module
from adjudge.stats.resampling.cluster import (
    cluster_codes,
    cluster_errors,
    cluster_mc_pairs,
    cluster_means,
)

ALTERNATIVES = ["two-sided", "greater", "less"]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def listed(d: FloatArray, codes: IntArray, alternative: str) -> float:
    """p over all signs of clusters, in whole numbers."""
    names = sorted(set(codes.tolist()))
    sums = [d[codes == name].sum() for name in names]
    observed = sum(sums)

    def turn(total: float) -> float:
        return abs(total) if alternative == "two-sided" else -total if alternative == "less" else total

    flips = [
        sum(s * v for s, v in zip(signs, sums, strict=True)) for signs in product([1, -1], repeat=len(names))
    ]
    return float(np.mean([turn(flip) >= turn(observed) for flip in flips]))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=9),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from([1, 10, 3]),
)
def test_all_signs_equal_the_list(rows: list[tuple[int, int, int]], alternative: Any, unit: int) -> None:
    # In tenths and thirds the sums carry noise; the twin sees whole numbers.
    whole = np.array(rows)
    codes = whole[:, 2]
    found = cluster_mc_pairs(whole[:, :2] / unit, codes, rng=rng(), alternative=alternative)
    if len(set(codes.tolist())) < 2:
        assert found.why[0].startswith("needs two clusters with topics that both have, has ")
        return
    expected = listed((whole[:, 0] - whole[:, 1]).astype(float), codes, alternative)
    assert found.p[0] == pytest.approx(expected, abs=1e-12)
    assert found.method == ("exact",)
    assert found.statistic[0] == pytest.approx((whole[:, 0] - whole[:, 1]).mean() / unit, abs=1e-12)


def test_a_pair_uses_the_topics_that_both_have() -> None:
    values = np.round(rng().normal(size=(12, 4)), 1)
    values[rng(2).random(values.shape) < 0.25] = np.nan
    codes = np.repeat([7, 3, 5, 9], 3)
    found = cluster_mc_pairs(values, codes, rng=rng())
    for k, (i, j) in enumerate(combinations(range(4), 2)):
        d = values[:, i] - values[:, j]
        both = ~np.isnan(d)
        assert found.counts.n[k] == both.sum()
        assert found.p[k] == pytest.approx(listed(np.round(10 * d[both]), codes[both], "two-sided"))


def test_random_signs_come_near_all_signs() -> None:
    values = rng().normal([0.0, 0.2, 0.5], 1.0, size=(24, 3))
    codes = np.arange(24) // 2
    exact = cluster_mc_pairs(values, codes, rng=rng())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ALL_SIGNS_UP_TO", 3)
        drawn = cluster_mc_pairs(values, codes, rng=rng(), resamples=20_000)
        again = cluster_mc_pairs(values, codes, rng=rng(), resamples=20_000)
        patch.setattr(module, "BLOCK", 1)
        one_by_one = cluster_mc_pairs(values, codes, rng=rng(), resamples=20_000)
    assert exact.method == ("exact",) * 3
    assert drawn.method == ("swaps",) * 3
    assert drawn.p == pytest.approx(exact.p, abs=0.015)
    assert drawn.p.tolist() == again.p.tolist() == one_by_one.p.tolist()
    assert exact.signature == "mc|statistic:mean|clusters:12|all-signs"
    assert drawn.signature == "mc|statistic:mean|clusters:12|resamples:20000"
    assert drawn.test == "mc"


def test_a_p_is_never_zero() -> None:
    values = np.column_stack([np.ones(40), np.zeros(40)])
    found = cluster_mc_pairs(values, np.arange(40) // 2, rng=rng(), resamples=99)
    assert found.p[0] == 1 / 100
    assert found.at(0).p == 1 / 100


@pytest.mark.parametrize("few", [True, False])
def test_no_difference_anywhere_gives_p_1(few: bool) -> None:
    codes = np.arange(30) // (5 if few else 1)
    values = np.column_stack([np.full(30, 0.1 + 0.2), np.full(30, 0.3)])
    assert cluster_mc_pairs(values, codes, rng=rng()).p.tolist() == [1.0]


def test_topics_that_stand_alone_are_students_t() -> None:
    values = rng().normal(size=(15, 3))
    values[2, 1] = np.nan
    low, high = cluster_means(values, np.arange(15), level=0.9)
    plain = t_means(values, level=0.9)
    assert low == pytest.approx(plain.low)
    assert high == pytest.approx(plain.high)
    error, freedom = cluster_errors(values, np.arange(15))
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        d = values[:, i] - values[:, j]
        d = d[~np.isnan(d)]
        assert (error[k], freedom[k]) == (pytest.approx(stats.sem(d)), d.size - 1)


def test_clusters_of_one_size_are_students_t_of_their_means() -> None:
    values = rng().normal(size=(12, 2))
    codes = np.repeat([3, 1, 2, 0], 3)
    means = values.reshape(4, 3, 2).mean(axis=1)
    low, high = cluster_means(values, codes)
    plain = t_means(means)
    assert low == pytest.approx(plain.low)
    assert high == pytest.approx(plain.high)
    error, freedom = cluster_errors(values, codes)
    assert error[0] == pytest.approx(stats.sem(means[:, 0] - means[:, 1]))
    assert freedom[0] == 3


def test_clusters_of_several_sizes_by_the_formula() -> None:
    # Sizes 1, 2, 3 with sums 1, 4, 9: mean 14/6, deviations 1 - 14/6, 4 - 28/6, 9 - 42/6.
    values = np.array([[1.0], [2.0], [2.0], [3.0], [3.0], [3.0]])
    codes = np.array([0, 1, 1, 2, 2, 2])
    apart = np.array([1 - 14 / 6, 4 - 28 / 6, 9 - 42 / 6])
    error = math.sqrt(float((apart**2).sum()) * 3 / 2) / 6
    low, high = cluster_means(values, codes)
    assert (low[0] + high[0]) / 2 == pytest.approx(14 / 6)
    assert (high[0] - low[0]) / 2 == pytest.approx(float(stats.t.ppf(0.975, 2)) * error)


def draw(data: np.random.Generator, sets: int, size: int) -> FloatArray:
    """Two systems without a difference; what one gains on a set it gains on all its documents."""
    own = data.normal(size=(sets, 2)).repeat(size, axis=0)
    return np.asarray(own + data.normal(size=(sets * size, 2)))


def rejections(runs: int, clustered: bool) -> int:
    data, codes = rng(21), np.arange(60) // 5
    if not clustered:
        codes = np.arange(60)
    found = 0
    for _ in range(runs):
        values = draw(data, 12, 5)
        found += bool(cluster_mc_pairs(values, codes, rng=data, resamples=199).p[0] < 0.05)
    return found


def test_ignoring_clusters_overstates() -> None:
    runs = 400
    low, high = stats.binom.ppf([0.005, 0.995], runs, 0.05)
    assert low <= rejections(runs, clustered=True) <= high
    assert rejections(runs, clustered=False) > 2 * high


@pytest.mark.slow
def test_the_level_and_the_coverage_hold() -> None:
    runs = 4000
    low, high = stats.binom.ppf([0.005, 0.995], runs, 0.05)
    assert low <= rejections(runs, clustered=True) <= high
    assert rejections(1000, clustered=False) > 0.2 * 1000
    data = rng(22)
    inside, naive = 0, 0
    half = stats.t.ppf(0.975, 11), stats.t.ppf(0.975, 59)
    for _ in range(2000):
        values = draw(data, 12, 5)
        mean = float((values[:, 0] - values[:, 1]).mean())
        inside += abs(mean) <= half[0] * cluster_errors(values, np.arange(60) // 5)[0][0]
        naive += abs(mean) <= half[1] * cluster_errors(values, np.arange(60))[0][0]
    assert 0.937 <= inside / 2000 <= 0.963
    assert naive / 2000 < 0.8


def test_labels_become_codes() -> None:
    assert cluster_codes(["d1", "d2", "d1", None, None]).tolist() == [0, 1, 0, 2, 3]
    assert cluster_codes([]).tolist() == []


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 2)])
def test_odd_matrices_give_no_result_and_say_why(shape: tuple[int, int]) -> None:
    values, codes = np.ones(shape), np.arange(shape[0])
    found = cluster_mc_pairs(values, codes, rng=rng())
    assert np.isnan(found.p).all()
    assert len(found.why) == len(found)
    assert all(math.isnan(end) for end in cluster_means(values, codes)[0])
    assert all(math.isnan(end) for end in cluster_errors(values, codes)[0])


def test_one_cluster_or_none_says_why() -> None:
    values = np.array([[1.0, 2.0, math.nan], [2.0, 4.0, math.nan], [3.0, math.nan, math.nan]])
    found = cluster_mc_pairs(values, [0, 0, 1], rng=rng())
    assert found.why == {
        0: "needs two clusters with topics that both have, has 1",
        1: "needs two clusters with topics that both have, has none",
        2: "needs two clusters with topics that both have, has none",
    }
    assert found.method == (None, None, None)
    assert np.isnan(found.statistic).all()
    assert found.counts.n.tolist() == [2, 0, 0]
    low, high = cluster_means(values, [0, 0, 1])
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([0], r"clusters: expected one code for each of 2 topics, got \(1,\)"),
        ([0.5, 1.0], "clusters: expected whole numbers, got float64"),
    ],
)
def test_wrong_codes_are_named(clusters: list[float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cluster_mc_pairs([[1.0, 2.0], [1.0, 2.0]], clusters, rng=rng())


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_cutoff_is_a_quantile_of_the_signed_clusters(alternative: Any) -> None:
    values = np.random.default_rng(2).normal(size=(18, 2))
    codes = np.arange(18) // 3
    found = cluster_mc_pairs(values, codes, rng=rng(), alternative=alternative, alpha=0.1)
    sums = (values[:, 0] - values[:, 1]).reshape(6, 3).sum(axis=1)
    drawn = np.array([np.dot(signs, sums) for signs in product((1, -1), repeat=6)]) / 18
    folded = np.sort(np.abs(drawn) if alternative == "two-sided" else drawn)
    # The smallest t with F(t) >= .9, of 64 values the 58th; for "less" the same from the other end.
    expected = folded[-58] if alternative == "less" else folded[57]
    assert found.cutoff == pytest.approx([expected])
    assert found.resampled == "mean"
    assert cluster_mc_pairs(values, codes, rng=rng(), alternative=alternative).cutoff is None
    one = cluster_mc_pairs(values, np.zeros(18, dtype=int), rng=rng(), alpha=0.1).cutoff
    assert one is not None
    assert np.isnan(one).all()
