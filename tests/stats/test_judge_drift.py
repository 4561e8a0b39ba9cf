"""Two versions of a judge: against plain twins, SciPy, and the level of the tests."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.agreement import cluster_draws, krippendorff
from adjudge.stats.judge_agreement import MISSING
from adjudge.stats.judge_drift import (
    DriftTest,
    agreement_change,
    mean_shift,
    same_answers,
    shift_p,
    swap_signs,
    systems_p,
)
from adjudge.stats.shares import ClusteredShare, clustered_share

SCALE = np.arange(1.0, 6)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_with_clusters_of_one_size_the_interval_is_that_of_their_means() -> None:
    d = rng(1).normal(0.2, 1, (12, 5)) + rng(2).normal(0, 1, (12, 1))
    shift = mean_shift(d.ravel(), np.repeat(np.arange(12), 5), 0.9)
    means = d.mean(axis=1)
    low, high = stats.t.interval(0.9, 11, means.mean(), stats.sem(means))
    assert (shift.size, shift.low, shift.high) == pytest.approx((means.mean(), low, high))
    assert math.isnan(mean_shift(np.array([0.5, 1]), np.zeros(2, int), 0.95).low)


def test_p_is_that_of_all_swaps() -> None:
    d = rng(3).normal(0.4, 1, (9, 3))
    clusters, systems = np.repeat(np.arange(9), 3), np.tile(np.arange(3), 9)
    sums = d.sum(axis=1)
    signs = np.array(list(itertools.product((-1, 1), repeat=9)))
    exact = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) * (1 - 1e-9))
    all_swaps = swap_signs(rng(), 9, 40_000)
    assert shift_p(d.ravel(), clusters, all_swaps) == pytest.approx(exact, abs=0.01)
    rest = d - d.mean(axis=1, keepdims=True)
    flipped = np.array([((s[:, None] * rest).sum(axis=0) ** 2).sum() for s in signs])
    exact = np.mean(flipped >= (rest.sum(axis=0) ** 2).sum() * (1 - 1e-9))
    depends = systems_p(d.ravel(), systems, clusters, clusters, all_swaps)
    assert depends == pytest.approx(exact, abs=0.01)


def test_a_shift_of_all_systems_does_not_depend_on_the_system() -> None:
    d = rng(4).normal(0, 1, 120)
    topics, systems = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    signs = swap_signs(rng(), 30, 1000)
    one, other = (systems_p(d + shift, systems, topics, topics, signs) for shift in (0, 3))
    assert other == one


def test_a_shift_of_one_system_is_found() -> None:
    d = rng(5).normal(0, 0.8, 240)
    topics, systems = np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40)
    d[systems == 2] += 0.5
    assert systems_p(d, systems, topics, topics, swap_signs(rng(), 40, 10_000)) < 0.01


def test_no_change_at_all() -> None:
    clusters, systems = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    signs = swap_signs(rng(), 5, 1000)
    shift = mean_shift(np.zeros(20), clusters, 0.95)
    assert (shift.size, shift.low, shift.high) == (0, 0, 0)
    assert shift_p(np.zeros(20), clusters, signs) == 1
    for d in (
        np.zeros(20),
        np.full(20, 0.1) + 1e-17,
    ):  # one step for all is the same for all, but for rounding
        assert systems_p(d, systems, clusters, clusters, signs) == 1


def rated(seed: int, things: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers of two versions, answers of two people, some missing, and the cluster of everything."""
    random = rng(seed)
    truth = random.normal(3, 1, things)
    old, new, *people = (
        np.clip(np.round(truth + random.normal(0, noise, things)), 1, 5) for noise in (0.4, 1.2, 0.5, 0.5)
    )
    others = np.column_stack(people)
    others[::7, 0] = np.nan
    return np.stack([old, new]), others, np.repeat(np.arange(things // 3), 3)


def codes(answers: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(answers), MISSING, np.nan_to_num(answers) - 1).astype(int)


def changed(
    versions: np.ndarray, people: np.ndarray, clusters: np.ndarray, signs: np.ndarray, **more: Any
) -> DriftTest:
    return agreement_change(codes(versions), codes(people), SCALE, clusters, signs, **{"rng": rng()} | more)


def mean_alpha(judge: np.ndarray, people: np.ndarray, times: np.ndarray | None = None) -> float:
    """Of the things, each so often; the mean over people, weighted by what they judged."""
    rows = np.repeat(np.arange(judge.size), 1 if times is None else times)
    alphas = [
        krippendorff(
            np.column_stack([judge, person])[rows][~np.isnan(person[rows])], rng=rng(), resamples=0
        ).value
        for person in people.T
    ]
    return float(np.average(alphas, weights=(~np.isnan(people)).sum(axis=0)))


def test_agreement_is_the_mean_of_krippendorffs_alphas() -> None:
    (old, new), people, clusters = rated(6)
    signs = swap_signs(rng(3), 20, 100)
    test = changed(np.stack([old, new]), people, clusters, signs, resamples=400)
    assert test.old == pytest.approx(mean_alpha(old, people))
    assert test.new == pytest.approx(mean_alpha(new, people))
    assert test.size == pytest.approx(mean_alpha(new, people) - mean_alpha(old, people))
    assert test.low < test.size < test.high < 0
    # by swaps, one by one
    swapped = []
    for row in signs:
        turned = (row < 0)[clusters]
        one, two = np.where(turned, new, old), np.where(turned, old, new)
        swapped.append(abs(mean_alpha(two, people) - mean_alpha(one, people)))
    assert test.p == np.mean(np.array(swapped) >= swapped[0] * (1 - 1e-9)) < 0.05


def test_why_there_is_no_agreement() -> None:
    versions, people, clusters = rated(9)
    signs = swap_signs(rng(), 20, 100)
    for nothing in (people[:, :0], np.ones((60, 1))):  # nobody, or all the same
        test = changed(versions, nothing, clusters, signs)
        assert (test.why, math.isnan(test.p)) == ("it is undefined", True)
    few = changed(versions, people, clusters // 5, signs[:, :4])
    assert "needed, here 4" in str(few.why)
    assert few.p > 0


def beside(between: ClusteredShare, same: int, of: int) -> float:
    return same_answers(between, same, of).p


def test_beside_repeats() -> None:
    between = clustered_share([1] * 150 + [0] * 50, [1] * 200)
    pooled = 240 / 300
    z = (0.75 - 0.9) / math.sqrt(pooled * (1 - pooled) * (1 / 200 + 1 / 100))
    # R 4.2.2, prop.test(c(150, 90), c(200, 100), correct = FALSE)$p.value
    assert 2 * stats.norm.sf(abs(z)) == pytest.approx(0.002199647061, rel=1e-9)
    # with a thing in each cluster the same, but for Student's t and the clusters' n - 1
    assert between.design_effect == pytest.approx(200 / 199)
    assert beside(between, 90, 100) == pytest.approx(stats.t.sf(abs(z) / math.sqrt(200 / 199), 199))
    assert beside(between, 75, 100) == pytest.approx(0.5)
    assert beside(between, 60, 100) > 0.99  # alike more often than at repeats is no change
    assert beside(clustered_share([1] * 9, [1] * 9), 5, 5) == 1
    whole = clustered_share(
        [10] * 15 + [0] * 5, [10] * 20
    )  # whole topics the same or not: ten times less is known
    assert beside(whole, 90, 100) > 0.1
    test = same_answers(between, 90, 100)
    assert (test.old, test.new, test.size) == (0.9, 0.75, 0.75)
    assert (test.low, test.high) == (between.low, between.high)
    assert math.isnan(beside(between, 0, 0))


def test_the_interval_of_a_change_is_an_expanded_percentile() -> None:
    versions, people, clusters = rated(7)
    people = people[:, 1:]
    test = changed(versions, people, clusters, swap_signs(rng(), 20, 10), rng=rng(3), resamples=400)
    old, new = (
        [mean_alpha(version, people, row[clusters].astype(int)) for row in cluster_draws(rng(3), 20, 400)]
        for version in versions
    )
    tail = stats.norm.sf(np.sqrt(20 / 19) * stats.t.ppf(0.975, 19))
    assert [test.low, test.high] == pytest.approx(np.quantile(np.subtract(new, old), [tail, 1 - tail]))
