"""Hotelling's T-squared against R's closed form, pingouin, and plain twins of the flips."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest, ttest_1samp

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray
from adjudge.stats.hotelling import hotelling_t2

D = np.array(
    [
        [0.12, -0.05, 0.30, 0.22, -0.10, 0.17, 0.05, 0.26],
        [1.1, 0.4, -0.3, 0.9, 0.2, 1.5, 0.7, -0.1],
        [2, 1, 0, 3, -1, 2, 1, 1],
    ]
).T


def closed_form(d: FloatArray) -> float:
    mean = d.mean(axis=0)
    return float(len(d) * mean @ np.linalg.inv(np.atleast_2d(np.cov(d.T))) @ mean)


def test_r_and_pingouin_give_the_same_numbers() -> None:
    # R 4.2.2: n * t(m) %*% solve(cov(d)) %*% m, pf((n-k)/(k*(n-1))*t2, k, n-k, lower.tail=FALSE)
    # pingouin 0.6.1, multivariate_ttest(x, x - d, paired=True): T2 14.48694680855119, F 3.449273049655044,
    # p 0.1079913588875382
    x = np.random.default_rng(5).normal(size=D.shape)
    found = hotelling_t2(x, x - D)
    assert found.t2 == pytest.approx(14.4869468085512, rel=1e-12)
    assert found.f == pytest.approx(3.44927304965504, rel=1e-12)
    assert found.df == (3, 5)
    assert found.p == pytest.approx(0.107991358887538, rel=1e-12)
    np.testing.assert_allclose(found.differences, D.mean(axis=0), rtol=1e-12)


def test_one_measure_is_students_paired_t() -> None:
    found = hotelling_t2(D[:, :1], np.zeros((8, 1)))
    t = ttest_1samp(D[:, 0], 0.0)
    assert found.t2 == pytest.approx(t.statistic**2, rel=1e-12)
    assert found.p == pytest.approx(t.pvalue, rel=1e-12)


def test_units_of_measures_do_not_matter() -> None:
    scaled = D * [1e-6, 1e5, 3.0]
    assert hotelling_t2(scaled, 0 * D).p == pytest.approx(hotelling_t2(D, 0 * D).p, rel=1e-9)


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_sizes_whose_squares_are_no_numbers(size: float) -> None:
    plain, found = (hotelling_t2(D * s, 0 * D, rng=np.random.default_rng(1)) for s in (1.0, size))
    assert found.why is None
    assert found.t2 == pytest.approx(plain.t2, rel=1e-9)
    assert found.p == pytest.approx(plain.p, rel=1e-9)
    assert found.permutation_p == plain.permutation_p
    np.testing.assert_allclose(found.differences, size * plain.differences, rtol=1e-9)


def test_all_flips_equal_a_loop() -> None:
    found = hotelling_t2(D, 0 * D, rng=np.random.default_rng(0))
    observed = closed_form(D)
    values = [closed_form(D * np.array(signs)[:, None]) for signs in product([1, -1], repeat=8)]
    assert found.method == "exact"
    assert found.permutation_p == np.mean([value >= observed * (1 - 1e-9) for value in values])
    assert found.least == 2 / 256


def test_random_flips_are_near_all_of_them() -> None:
    exact = hotelling_t2(D, 0 * D, rng=np.random.default_rng(0)).permutation_p
    random = hotelling_t2(D, 0 * D, rng=np.random.default_rng(1), resamples=200)  # fewer than 2^8
    assert random.method == "flips"
    assert random.permutation_p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 200) + 1 / 201)
    assert random.permutation_p * 201 == pytest.approx(round(random.permutation_p * 201))


def test_a_topic_that_lacks_a_score_is_dropped_and_counted() -> None:
    holed = np.vstack([D, [np.nan, 1.0, 1.0]])
    found = hotelling_t2(holed, np.zeros_like(holed))
    assert (found.n, found.dropped) == (8, 1)
    assert found.t2 == pytest.approx(closed_form(D))


def test_what_cannot_be_computed_says_why() -> None:
    few = hotelling_t2(D[:3], 0 * D[:3])
    assert few.why == Note.of("few-topics", measures=3, n=3)
    assert np.isnan(few.p)
    twice = hotelling_t2(np.column_stack([D, D[:, 0] + D[:, 1]]), np.zeros((8, 4)))
    assert twice.why == Note.of("singular")
    level = hotelling_t2(np.column_stack([D, np.ones(8)]), np.zeros((8, 4)))
    assert level.why == Note.of("constant", measures=1)
    with pytest.raises(UsageError, match="same topics and measures"):
        hotelling_t2(D, D[:, :2])


def simulated(runs: int, seed: int, shift: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """p by F and by flips, of correlated normal differences."""
    rng = np.random.default_rng(seed)
    mix = np.array([[1.0, 0.7, 0.2], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    found = []
    for _ in range(runs):
        d = rng.normal(size=(12, 3)) @ mix + [shift, 0, 0]
        each = hotelling_t2(d, np.zeros_like(d), rng=rng, resamples=199)
        found.append((each.p, each.permutation_p))
    p, flips = np.array(found).T
    return p, flips


def test_p_values_are_uniform_without_a_difference() -> None:
    p, flips = simulated(400, 3)
    assert kstest(p, "uniform").pvalue > 1e-3
    assert kstest(flips - np.random.default_rng(0).random(400) / 200, "uniform").pvalue > 1e-3


def test_a_planted_difference_is_found() -> None:
    p, flips = simulated(40, 4, shift=2.0)
    assert np.mean(p <= 0.05) > 0.9
    assert np.mean(flips <= 0.05) > 0.9
