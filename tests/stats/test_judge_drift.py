"""Two versions of a judge: against plain twins, SciPy, and the level of the tests."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.agreement import alpha_draws, cluster_draws, krippendorff
from adjudge.stats.judge_drift import (
    agreement_change,
    joint_p,
    mean_shift,
    repeats_p,
    shift_test,
    swap_p,
    swap_signs,
    systems_test,
)
from adjudge.stats.shares import clustered_share


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_with_clusters_of_one_size_the_interval_is_that_of_their_means() -> None:
    d = rng(1).normal(0.2, 1, (12, 5)) + rng(2).normal(0, 1, (12, 1))
    shift = mean_shift(d.ravel(), np.repeat(np.arange(12), 5), 0.9)
    means = d.mean(axis=1)
    low, high = stats.t.interval(0.9, 11, means.mean(), stats.sem(means))
    assert (shift.mean, shift.low, shift.high) == pytest.approx((means.mean(), low, high))
    assert shift.things == 60
    assert math.isnan(mean_shift(np.array([0.5, 1]), np.zeros(2, int), 0.95).low)


def test_p_is_that_of_all_swaps() -> None:
    d = rng(3).normal(0.4, 1, (9, 3))
    clusters, systems = np.repeat(np.arange(9), 3), np.tile(np.arange(3), 9)
    sums = d.sum(axis=1)
    signs = np.array(list(itertools.product((-1, 1), repeat=9)))
    exact = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) * (1 - 1e-9))
    all_swaps = swap_signs(rng(), 9, 40_000)
    assert swap_p(shift_test(d.ravel(), clusters, all_swaps))[0] == pytest.approx(exact, abs=0.01)
    rest = d - d.mean(axis=1, keepdims=True)
    flipped = np.array([((s[:, None] * rest).sum(axis=0) ** 2).sum() for s in signs])
    exact = np.mean(flipped >= (rest.sum(axis=0) ** 2).sum() * (1 - 1e-9))
    depends = systems_test(d.ravel(), systems, clusters, clusters, all_swaps)
    assert swap_p(depends)[0] == pytest.approx(exact, abs=0.01)


def test_a_shift_of_all_systems_does_not_depend_on_the_system() -> None:
    d = rng(4).normal(0, 1, 120)
    topics, systems = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    signs = swap_signs(rng(), 30, 1000)
    one, other = (systems_test(d + shift, systems, topics, topics, signs) for shift in (0, 3))
    assert swap_p(other)[0] == swap_p(one)[0]


def test_a_shift_of_one_system_is_found() -> None:
    d = rng(5).normal(0, 0.8, 240)
    topics, systems = np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40)
    d[systems == 2] += 0.5
    assert swap_p(systems_test(d, systems, topics, topics, swap_signs(rng(), 40, 10_000)))[0] < 0.01


def test_no_change_at_all() -> None:
    clusters, systems = np.repeat(np.arange(5), 4), np.tile(np.arange(4), 5)
    signs = swap_signs(rng(), 5, 1000)
    shift = mean_shift(np.zeros(20), clusters, 0.95)
    assert (shift.mean, shift.low, shift.high) == (0, 0, 0)
    assert swap_p(shift_test(np.zeros(20), clusters, signs))[0] == 1
    for d in (
        np.zeros(20),
        np.full(20, 0.1) + 1e-17,
    ):  # one step for all is the same for all, but for rounding
        assert swap_p(systems_test(d, systems, clusters, clusters, signs))[0] == 1


def test_p_of_several_tests_equals_a_plain_twin() -> None:
    """The smallest p over the tests that are left, swap by swap."""
    random = rng(12)
    null = random.normal(size=(4, 200)) + random.normal(size=200)
    observed = [3.5, 2.5, 0.1, 3.4]
    values = np.abs(np.column_stack([observed, null]))
    tests = list(values)
    p = np.array([[np.mean(row >= x) for x in row] for row in values])
    left, so_far, twin = [0, 1, 2, 3], 0.0, {}
    while left:
        k = min(left, key=lambda j: p[j, 0])
        smallest = [min(p[j, b] for j in left) for b in range(201)]
        so_far = max(so_far, float(np.mean(np.array(smallest) <= p[k, 0] + 1e-12)))
        twin[k] = so_far
        left.remove(k)
    assert joint_p(tests).tolist() == pytest.approx([twin[k] for k in range(4)])
    assert joint_p([]).size == 0
    # copies of one test cost nothing, where Holm would ask for all of them
    assert joint_p([tests[0]] * 10) == pytest.approx([swap_p(tests[0])[0]] * 10)
    assert swap_p(np.array([1.0, math.nan, 0.5, 0.2]))[0] == 0.5


def rated(seed: int, things: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = rng(seed)
    truth = random.normal(3, 1, things)
    old, new, *people = (
        np.clip(np.round(truth + random.normal(0, noise, things)), 1, 5) for noise in (0.4, 1.2, 0.5, 0.5)
    )
    others = np.column_stack(people)
    others[::7, 0] = np.nan
    return old, new, others, np.repeat(np.arange(things // 3), 3)


def test_agreement_is_the_mean_of_krippendorffs_alphas() -> None:
    old, new, people, clusters = rated(6)
    signs = swap_signs(rng(3), 20, 400)
    found, test = agreement_change((old, new), people, clusters, signs, rng=rng(), resamples=400)
    assert test is not None
    shared = (~np.isnan(people)).sum(axis=0)

    def alpha(judge: np.ndarray) -> float:
        each = [
            krippendorff(np.column_stack([judge, who])[~np.isnan(who)], rng=rng(), resamples=0).value
            for who in people.T
        ]
        return float(np.average(each, weights=shared))

    assert found.old == pytest.approx(alpha(old))
    assert found.new == pytest.approx(alpha(new))
    assert found.change.value == pytest.approx(alpha(new) - alpha(old))
    assert found.change.low < found.change.value < found.change.high < 0
    assert swap_p(test)[0] < 0.05
    # by swaps, one by one
    twin = []
    for row in signs[:100]:
        turned = (row < 0)[clusters]
        one, two = np.where(turned, new, old), np.where(turned, old, new)
        twin.append(abs(alpha(two) - alpha(one)))
    assert test[1:101] == pytest.approx(twin)


def test_alphas_of_draws_are_those_of_the_rows_drawn() -> None:
    old, _, people, clusters = rated(7)
    values, codes = np.column_stack([old, people]), clusters
    times = rng(1).integers(0, 3, (5, 20)).astype(float)
    got = alpha_draws(values, times, clusters=codes)
    for row, alpha in zip(times, got, strict=True):
        rows = np.repeat(np.arange(60), row[codes].astype(int))
        assert alpha == pytest.approx(krippendorff(values[rows], rng=rng(), resamples=0).value)
    assert np.isnan(alpha_draws(np.ones((60, 2)), times, clusters=codes)).all()


def test_pairs_count_in_both_orders() -> None:
    random = rng(8)
    old, new, people = (random.choice([0.0, 0.5, 1.0], n) for n in (40, 40, (40, 2)))
    signs = swap_signs(rng(), 40, 100)
    found, test = agreement_change(
        (old, new), people, np.arange(40), signs, rng=rng(), mirrored=True, resamples=100
    )
    turned = random.integers(0, 2, 40).astype(bool)
    other, same = agreement_change(
        (np.where(turned, 1 - old, old), np.where(turned, 1 - new, new)),
        np.where(turned[:, None], 1 - people, people),
        np.arange(40),
        signs,
        rng=rng(),
        mirrored=True,
        resamples=100,
    )
    assert test is not None
    assert same is not None
    assert other.change.value == pytest.approx(found.change.value)
    assert same == pytest.approx(test)


def test_why_there_is_no_agreement() -> None:
    old, new, people, clusters = rated(9)
    signs = swap_signs(rng(), 20, 100)
    nobody, test = agreement_change((old, new), people[:, :0], clusters, signs, rng=rng())
    assert "nobody else" in str(nobody.change.why)
    assert test is None
    same = np.ones(60)
    nothing, test = agreement_change((same, same), np.ones((60, 1)), clusters, signs, rng=rng())
    assert "nothing to agree on" in str(nothing.change.why)
    assert test is None
    large = clusters // 5
    few, _ = agreement_change((old, new), people, large, signs[:, :4], rng=rng())
    assert "needed, here 4" in str(few.change.why)


def test_beside_repeats() -> None:
    between = clustered_share([1] * 150 + [0] * 50, [1] * 200)
    pooled = 240 / 300
    z = (0.75 - 0.9) / math.sqrt(pooled * (1 - pooled) * (1 / 200 + 1 / 100))
    # R 4.2.2, prop.test(c(150, 90), c(200, 100), correct = FALSE)$p.value
    assert 2 * stats.norm.sf(abs(z)) == pytest.approx(0.002199647061, rel=1e-9)
    # with a thing in each cluster the same, but for Student's t and the clusters' n - 1
    assert between.design_effect == pytest.approx(200 / 199)
    assert repeats_p(between, 90, 100) == pytest.approx(stats.t.sf(abs(z) / math.sqrt(200 / 199), 199))
    assert repeats_p(between, 75, 100) == pytest.approx(0.5)
    assert repeats_p(between, 60, 100) > 0.99  # alike more often than at repeats is no change
    assert repeats_p(clustered_share([1] * 9, [1] * 9), 5, 5) == 1
    whole = clustered_share(
        [10] * 15 + [0] * 5, [10] * 20
    )  # whole topics the same or not: ten times less is known
    assert repeats_p(whole, 90, 100) > 0.1


def test_the_interval_of_a_change_is_an_expanded_percentile() -> None:
    old, new, people, clusters = rated(7)
    people, signs = people[:, 1:], swap_signs(rng(), 20, 10)
    found, _ = agreement_change((old, new), people, clusters, signs, rng=rng(3), resamples=400)
    drawn = cluster_draws(rng(3), 20, 400)
    alphas = [alpha_draws(np.column_stack([own, people]), drawn, clusters=clusters) for own in (old, new)]
    tail = stats.norm.sf(np.sqrt(20 / 19) * stats.t.ppf(0.975, 19))
    assert [found.change.low, found.change.high] == pytest.approx(
        np.quantile(alphas[1] - alphas[0], [tail, 1 - tail])
    )
