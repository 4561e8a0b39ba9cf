"""Power: closed forms against R, stacked tests against the tests of one pair, searches against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.comparisons.tests import TESTS as COMPARED
from adjudge.comparisons.tests import USUAL_STATISTIC as COMPARE_STATISTIC
from adjudge.errors import UsageError
from adjudge.stats import paired
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import TEST_WORDS, Alternative
from adjudge.stats.power import rates as power_rates
from adjudge.stats.power import search as power_search
from adjudge.stats.power.rates import (
    LEVEL,
    Rate,
    attainable_size,
    band,
    efficiency,
    t_difference,
    t_power,
    t_topics,
)
from adjudge.stats.power.search import (
    QUICK,
    USUAL_STATISTIC,
    Chosen,
    Goal,
    chosen,
    needed_topics,
    power_of,
    resamples_at,
    run,
    run_rows,
    smallest_difference,
)
from adjudge.stats.power.sources import (
    MOST_PAIRS,
    Disagreement,
    Normal,
    components,
    disagreement,
    resampled,
    spreads,
)

NAN = float("nan")

# R 4.2.2: power.t.test(n, delta, sd, sig.level, type = "paired", strict = TRUE)$power, and without strict, which
# leaves findings on the wrong side out, with alternative = "one.sided".
R_POWER = [
    (12, 0.5, 1, 0.05, 0.35282414932738, 0.491884489583967),
    (34, 0.5, 1, 0.05, 0.80777750127944, 0.886865311850324),
    (5, 1, 0.7, 0.01, 0.281527065103734, 0.433253669711124),
    (48, 0.1, 1, 0.05, 0.10422113769379, 0.168030970273144),
    (100, 0.01, 0.04, 0.001, 0.195332123043685, 0.257774784276557),
]


@pytest.mark.parametrize(("n", "difference", "sd", "alpha", "both", "one"), R_POWER)
def test_the_power_of_paired_t_is_that_of_r(
    n: int, difference: float, sd: float, alpha: float, both: float, one: float
) -> None:
    assert t_power(n, difference, sd, alpha=alpha) == pytest.approx(both, abs=1e-11)
    assert t_power(n, -difference, sd, alpha=alpha) == pytest.approx(both, abs=1e-11)
    assert t_power(n, difference, sd, alpha=alpha, alternative="greater") == pytest.approx(one, abs=1e-11)
    assert t_power(n, -difference, sd, alpha=alpha, alternative="less") == pytest.approx(one, abs=1e-11)


def test_topics_and_differences_are_those_of_r() -> None:
    # R 4.2.2: power.t.test(delta, sd, power, sig.level, type = "paired", strict = TRUE, tol = 1e-12), rounded up:
    # n = 72.584 and 62.870; with n: delta = 0.888654265293 and 0.0143321458609.
    assert t_topics(0.01, 0.03) == 73
    assert t_topics(0.5, 1, power=0.9, alpha=0.01) == 63
    assert t_difference(12, 1) == pytest.approx(0.888654265293, abs=1e-11)
    assert t_difference(48, 0.03, power=0.9) == pytest.approx(0.0143321458609, abs=1e-12)


@pytest.mark.parametrize("alternative", get_args(Alternative))
def test_without_a_difference_power_is_alpha(alternative: Alternative) -> None:
    for n in (2, 10, 1000):
        assert t_power(n, 0, 1, alpha=0.01, alternative=alternative) == pytest.approx(0.01, abs=1e-12)


def test_the_ends_of_what_can_be_asked() -> None:
    assert t_topics(1e-9, 1) == math.inf
    assert t_topics(0, 1) == math.inf
    assert t_topics(1, 0) == 2
    assert t_topics(100, 0.001) == 2
    assert t_power(30, 100, 1) == 1
    with pytest.raises(UsageError, match="sd: expected a number above 0, got 0"):
        t_power(30, 1, 0)
    assert t_difference(10, 1, power=0.05, alpha=0.05) == 0
    with pytest.raises(UsageError, match="power: expected a number between 0 and 1, got 1"):
        t_topics(1, 1, power=1)
    with pytest.raises(UsageError, match="n: expected a whole number of at least 2"):
        t_power(1, 1, 1)


@given(st.integers(2, 200), st.floats(0.01, 0.99), st.floats(0.001, 0.2))
@settings(deadline=None, max_examples=25)
def test_topics_and_difference_belong_together(n: int, power: float, alpha: float) -> None:
    difference = t_difference(n, 1, power=power, alpha=alpha)
    if power > alpha:
        assert t_power(n, difference, 1, alpha=alpha) == pytest.approx(power, abs=1e-9)
        assert t_topics(difference * 1.000001, 1, power=power, alpha=alpha) <= n
        assert t_topics(difference * 0.999999, 1, power=power, alpha=alpha) >= n


def test_rates_have_wilsons_interval() -> None:
    for found, of in ((500, 10_000), (0, 10), (10, 10), (3, 7)):
        expected = stats.binomtest(found, of).proportion_ci(LEVEL, "wilson")
        rate = Rate(found, of)
        assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert math.isnan(Rate(0, 0).rate)
    assert math.isnan(Rate(0, 0).low)


def test_the_band_is_that_of_the_binomial_distribution() -> None:
    assert band(0.05, 10_000) == (0.0445, 0.0557)
    for size, simulations, level in ((0.05, 1000, 0.99), (0.01, 10_000, 0.99), (0.3, 20, 0.9)):
        quantiles = stats.binom.ppf([(1 - level) / 2, (1 + level) / 2], simulations, size) / simulations
        assert band(size, simulations, level) == pytest.approx(quantiles, abs=0)


def test_attainable_sizes_by_enumeration() -> None:
    # All sums of signs of the ranks 1 to n, and all numbers of wins.
    for n in (4, 6, 10):
        signs = np.array(np.meshgrid(*[[0, 1]] * n)).reshape(n, -1)
        for test, weights in (
            ("wilcoxon", np.arange(1, n + 1)),
            ("sign", np.ones(n)),
            ("exact", 2.0 ** np.arange(n)),
        ):
            sums = weights @ signs
            p = np.minimum(
                1, 2 * np.minimum([(sums <= s).mean() for s in sums], [(sums >= s).mean() for s in sums])
            )
            assert attainable_size(test, n) == pytest.approx((p < 0.05).mean(), abs=1e-15)
    assert attainable_size("wilcoxon", 5) == 0  # 2/32 is more than .05
    assert attainable_size("wilcoxon", 10) == 50 / 1024
    assert attainable_size("exact", 1000) == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(UsageError, match='test: unknown value "t"'):
        attainable_size("t", 10)


def test_attainable_sizes_of_random_swaps() -> None:
    # On six topics W has p-values 2/64, 4/64, ...: with 39 resamples p < .05 asks for none as large, k = 0.
    levels, chance = (
        np.array([2, 4, 6, 10, 14, 20, 28, 36, 44, 54, 64]) / 64,
        np.array([2, 2, 2, 4, 4, 6, 8, 8, 8, 10, 10]) / 64,
    )
    assert attainable_size("mc:w", 6, resamples=39) == pytest.approx(chance @ (1 - levels) ** 39)
    # Of the mean, p is k/32; with very many resamples it is the exact test, and with 18 it is never below .05.
    assert attainable_size("mc", 6, resamples=39) == pytest.approx(np.mean((1 - np.arange(1, 33) / 32) ** 39))
    assert attainable_size("mc", 10, resamples=10**7) == pytest.approx(attainable_size("exact", 10), abs=1e-4)
    assert attainable_size("mc", 48, resamples=1999) == pytest.approx(99 / 2000, abs=1e-6)
    assert attainable_size("mc", 48, resamples=18) == 0


# Scores that tie, zeros, constant rows: everything that is done by rows must say what the tests of one pair say.
RATED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)
TENTHS = st.lists(st.tuples(*[st.integers(-30, 30).map(lambda k: k / 10)] * 2), min_size=1, max_size=12)
ROWS: dict[str, tuple[Callable[..., FloatArray], Callable[..., Any]]] = {
    "wilcoxon": (power_search.wilcoxon_rows, paired.wilcoxon),
    "t": (power_search.t_rows, paired.paired_t),
    "t-unpaired": (power_search.unpaired_t_rows, paired.unpaired_t),
    "welch": (
        partial(power_search.unpaired_t_rows, equal_variances=False),
        partial(paired.unpaired_t, equal_variances=False),
    ),
    "sign": (power_search.sign_rows, paired.sign),
}


@pytest.mark.parametrize("test", ROWS)
@given(scores=RATED | TENTHS, seed=st.integers(0, 100))
@settings(deadline=None, max_examples=60)
def test_rows_say_what_tests_of_one_pair_say(test: str, scores: list[tuple[float, float]], seed: int) -> None:
    x, y = np.array(scores, dtype=float).T
    order = np.random.default_rng(seed).permutation(x.size)
    rows = np.stack([x, y, x[order], 0 * x]), np.stack([y, x, y, 0 * y + 1])
    stacked, single = ROWS[test]
    expected = [single(a, b).p for a, b in zip(*rows, strict=True)]
    assert stacked(*rows) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("test", ROWS)
@pytest.mark.parametrize("n", [2, 26, 61, 301])
def test_rows_of_many_topics(test: str, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, 6, n)) + 0.1
    x[3:], y[3:] = np.round(x[3:]), np.round(y[3:])  # the last ones tie
    stacked, single = ROWS[test]
    assert stacked(x, y) == pytest.approx(
        [single(a, b).p for a, b in zip(x, y, strict=True)], abs=1e-12, nan_ok=True
    )


def test_every_test_that_is_compared_can_be_simulated() -> None:
    assert set(TEST_WORDS) == set(COMPARED)
    assert USUAL_STATISTIC == COMPARE_STATISTIC
    assert set(ROWS) == set(QUICK)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 3, 12)) + rng.normal(size=(3, 12))
    for name in TEST_WORDS:
        test = chosen(name)
        rows = run_rows(test, x, y, np.random.default_rng(5), 99)
        one_by_one = np.random.default_rng(5)
        pairs = [run(test, np.stack([a, b], axis=1), one_by_one, 99) for a, b in zip(x, y, strict=True)]
        assert [pair.test for pair in pairs] == [name] * 3
        assert rows == pytest.approx([pair.p[0] for pair in pairs], abs=1e-12)


def test_tests_have_names_and_statistics() -> None:
    assert chosen("mc") == Chosen("mc", "mean")
    assert str(chosen("hb")) == "hb"
    assert str(chosen("hb:w")) == "hb:w"
    assert chosen("hb:t") == chosen("hb")
    assert chosen("mc:median").words == "random swaps of the median"
    assert chosen("wilcoxon").words == "paired Wilcoxon"
    assert [chosen(t).paired for t in ("t", "hb:w", "welch", "mc:t-unpaired")] == [True, True, False, False]
    with pytest.raises(UsageError, match=r'no test "wilcox" \(nearest: "wilcoxon"\)'):
        chosen("wilcox")
    with pytest.raises(UsageError, match="only mc and hb resample a statistic"):
        chosen("t:mean")
    with pytest.raises(UsageError, match='no statistic "mode"'):
        chosen("mc:mode")


def test_resamples_grow_as_alpha_shrinks() -> None:
    assert resamples_at(0.05) == 2000
    assert resamples_at(0.002) == 10_000
    assert resamples_at(0.0001) is None


def test_searches_find_what_the_closed_form_says() -> None:
    rng = np.random.default_rng(2)
    source = Normal(1.0, topic_sd=1.0)
    t = t_topics(0.4, 1)
    assert needed_topics(Goal(chosen("t")), source, 0.4, rng).value == t == 52
    needs = {
        test: needed_topics(Goal(chosen(test), simulations=6000), source, 0.4, rng)
        for test in ("wilcoxon", "sign", "t-unpaired")
    }
    # By the asymptotic relative efficiencies for normal noise, 3/pi and 2/pi.
    assert needs["wilcoxon"].value == pytest.approx(t * math.pi / 3, rel=0.05)
    assert needs["sign"].value == pytest.approx(t * math.pi / 2, rel=0.1)
    # A score has the variance 1 + 1/2, so that T divides by sqrt(3/n) what has the variance 1/n.
    z, cut = stats.norm.ppf(0.8), stats.norm.ppf(0.975)
    exact = ((math.sqrt(3) * cut + z) / 0.4) ** 2
    assert needs["t-unpaired"].value == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize("test", ["wilcoxon", "t-unpaired", "sign"])
def test_a_found_number_of_topics_has_the_power(test: str) -> None:
    rng = np.random.default_rng(3)
    source, goal = Normal(0.5, 0.3), Goal(chosen(test), 0.7, 0.01, 4000)
    for difference in (0.9, 0.2):
        found = needed_topics(goal, source, difference, rng)
        assert found.method == "simulated"
        for n, higher in ((int(found.value * 1.06) + 1, True), (int(found.value * 0.94) - 1, False)):
            again = power_of(goal, source, n, difference, rng)
            assert isinstance(again, Rate)
            assert (again.rate > 0.7) == higher


def test_a_found_difference_has_the_power() -> None:
    rng = np.random.default_rng(4)
    for test in ("wilcoxon", "t-unpaired", "sign"):
        goal = Goal(chosen(test), simulations=2000)
        found = smallest_difference(goal, Normal(2.0), 20, rng)
        again = power_of(goal, Normal(2.0), 20, found.value, rng)
        assert isinstance(again, Rate)
        assert again.rate == pytest.approx(0.8, abs=0.05)  # four standard errors of 2,000 simulations, twice
        assert 0 < found.error < 0.1 * found.value


def test_very_many_topics_are_not_simulated_one_and_all() -> None:
    rng = np.random.default_rng(5)
    answer = needed_topics(Goal(chosen("wilcoxon"), simulations=1000), Normal(1.0), 0.01, rng)
    assert answer.method == "simulated on fewer topics"
    assert answer.value == pytest.approx(t_topics(0.01, 1) * math.pi / 3, rel=0.08)
    slow = smallest_difference(Goal(chosen("mc"), simulations=200), Normal(1.0), 5000, rng)
    assert slow.method == "simulated on fewer topics"
    assert slow.value == pytest.approx(t_difference(5000, 1), rel=0.1)
    assert power_of(Goal(chosen("sign")), Normal(1.0), 50_000, 0.0, rng).rate < 0.1  # type: ignore[union-attr]


def test_a_test_that_needs_far_more_topics_than_t() -> None:
    """Topics that differ much: T divides by sqrt((2 9^2 + 1) / n) what has the variance 1/n, as above."""
    rng = np.random.default_rng(12)
    answer = needed_topics(Goal(chosen("t-unpaired"), simulations=500), Normal(1.0, topic_sd=9.0), 0.2, rng)
    exact = ((math.sqrt(163) * stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / 0.2) ** 2
    assert exact > 15_000
    assert answer.value == pytest.approx(exact, rel=0.1)
    assert answer.method == "simulated on fewer topics"


def test_what_cannot_be_found_says_why() -> None:
    rng = np.random.default_rng(6)
    five = smallest_difference(Goal(chosen("wilcoxon"), simulations=100), Normal(1.0), 5, rng)
    assert math.isnan(five.value)
    assert five.why == "no difference, however large, is found on 5 topics with p < 0.05"
    assert smallest_difference(Goal(chosen("t")), Normal(1.0), 1, rng).why == "needs two topics, has 1"
    assert needed_topics(Goal(chosen("t")), Normal(1.0), 1e-9, rng).why == "more than 10,000,000 topics"
    assert needed_topics(Goal(chosen("wilcoxon")), Normal(1.0), 1e-9, rng).value == math.inf
    low = needed_topics(Goal(chosen("sign"), power=0.04), Normal(1.0), 1, rng)
    assert low.why == "the power of 0.04 is not above alpha, 0.05: guessing has as much"
    mc = needed_topics(Goal(chosen("mc"), alpha=1e-5), Normal(1.0), 1, rng)
    assert mc.why == "alpha 1e-05 needs more than 20,000 resamples in every simulation"


def test_the_smallest_numbers_of_topics() -> None:
    # Six topics are the fewest on which Wilcoxon's and the sign test can reach .05; t needs two.
    rng = np.random.default_rng(7)
    for test, least in (("wilcoxon", 6), ("sign", 6), ("exact", 6), ("t", 2)):
        assert needed_topics(Goal(chosen(test), simulations=100), Normal(0.001), 1.0, rng).value == least


def test_the_same_generator_gives_the_same_answers() -> None:
    goal = Goal(chosen("hb"), simulations=50)
    first, second = (needed_topics(goal, Normal(1.0), 1.0, np.random.default_rng(9)) for _ in range(2))
    assert first == second


def test_spreads_are_standard_deviations_of_differences() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=(9, 4))
    values[:4, 1] = values[2:, 3] = NAN
    known = spreads(values)
    assert known.n.tolist() == [5, 9, 2, 5, 0, 2]
    for k, (i, j) in enumerate(zip(known.first, known.second, strict=True)):
        z = values[:, i] - values[:, j]
        z = z[~np.isnan(z)]
        assert known.sd[k] == pytest.approx(z.std(ddof=1) if z.size > 1 else NAN, nan_ok=True)
    assert known.quantile(0.5) == pytest.approx(np.nanmedian(known.sd))
    only = spreads(values, np.array([False, True, False, False, False, False]))
    assert np.flatnonzero(only.usable).tolist() == [1]
    with pytest.raises(UsageError, match="family: expected 6 pairs, got 2"):
        spreads(values, np.array([True, False]))


def test_constant_differences_do_not_spread() -> None:
    values = np.array([[0.1, 0.4, 0.3], [0.2, 0.5, 0.1], [0.7, 1.0, 0.2]])
    known = spreads(values)
    assert known.sd[0] == 0  # .3 everywhere, but for noise
    assert known.usable.tolist() == [False, True, True]
    with pytest.raises(UsageError, match="no pair of columns has differences that vary"):
        resampled(values[:, :2], spreads(values[:, :2]), 1.0)
    assert math.isnan(spreads(np.empty((0, 2))).quantile(0.5))


def test_resampled_pairs_keep_the_shape_and_take_the_width() -> None:
    rng = np.random.default_rng(9)
    topics = rng.normal(size=(300, 1)) * 2
    values = topics + rng.standard_t(3, size=(300, 5))
    source = resampled(values, spreads(values), 0.7)
    drawn = source.draw(400, 500, np.random.default_rng(1))
    x, y = drawn.scores(0.25)
    assert (x - y).mean() == pytest.approx(0.25, abs=0.01)
    assert (x - y).std() == pytest.approx(0.7, rel=0.02)
    # What two systems share on a topic: its effect, and the half-sum of their noise.
    assert drawn.level.std() == pytest.approx(np.std((values[:, 0] + values[:, 1]) / 2), rel=0.15)
    # Symmetric, heavier in the tails than the normal distribution, and without ties.
    assert stats.skew(drawn.apart.ravel()) == pytest.approx(0, abs=0.3)
    assert stats.kurtosis(drawn.apart.ravel()) > 1
    assert np.unique(drawn.apart).size == drawn.apart.size


def test_of_very_many_pairs_some_are_drawn_from() -> None:
    values = np.random.default_rng(0).normal(size=(6, 40))
    known = spreads(values)
    some = known.some()
    assert some.size == MOST_PAIRS
    assert (some[0], some[-1]) == (0, 40 * 39 // 2 - 1)
    assert np.unique(some).size == MOST_PAIRS
    assert resampled(values, known, 1.0).apart.size == MOST_PAIRS * 6


# R 4.2.2, with d the matrix below in long form: (MS - MS residual) / n from anova(lm(value ~ topic + system, d)):
# 1.099130555556 0.389788333333 0.420497777778; lme4 1.1.31, lmer(value ~ 1 + (1 | topic) + (1 | system), d):
# 1.0991236 0.3897883 0.4204985.
BLOCKED = [
    [-0.97, 0.24, -1.62, -0.23],
    [-1.36, 1.06, -2.26, 0.55],
    [1.06, 1.33, 0.21, 1.5],
    [0.41, 0.71, 0.27, -0.09],
    [-2.08, -1.98, -2.38, -2.53],
    [-0.61, 0.2, -1.87, 0.66],
]


def test_components_are_those_of_r() -> None:
    found = components(BLOCKED)
    assert (found.topic, found.system, found.residual) == pytest.approx(
        (1.099130555556, 0.389788333333, 0.420497777778), abs=1e-11
    )
    assert found.df == 15


def test_components_with_holes_are_unbiased() -> None:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(400):
        values = (
            1.5 * rng.normal(size=(12, 1)) + 0.7 * rng.normal(size=(1, 6)) + 0.5 * rng.normal(size=(12, 6))
        )
        values[:5, 1] = values[7:, 4] = values[3, 2] = NAN
        each = components(values)
        found.append((each.topic, each.system, each.residual))
    assert np.mean(found, axis=0) == pytest.approx([2.25, 0.49, 0.25], rel=0.08)


def test_components_that_cannot_be_had_say_why() -> None:
    assert components([[1.0, 2.0]]).why is not None
    apart = [[1.0, 2.0, NAN, NAN], [2.0, 1.0, NAN, NAN], [NAN, NAN, 1.0, 5.0], [NAN, NAN, 3.0, 4.0]]
    assert components(apart).why == "systems share no topics"
    assert components(np.full((3, 3), NAN)).why is not None
    assert components([[1.0, 2.0], [1.0, 2.0]]).topic == 0


def judged(same: bool, judges: int, seed: int = 0, topics: int = 4000) -> FloatArray:
    """Two systems: topic x system noise with variance 1, strictness of judges 4, noise of a judgment 0.25."""
    rng = np.random.default_rng(seed)
    strict = 2 * rng.normal(size=(topics, 1 if same else 2, judges))
    return rng.normal(size=(topics, 2, 1)) + strict + 0.5 * rng.normal(size=(topics, 2, judges))


@pytest.mark.parametrize(("same", "variance"), [(True, 0.5), (False, 8.5)])
def test_disagreement_of_judges(same: bool, variance: float) -> None:
    # Judges that saw both systems are as strict with both: their strictness drops out of the difference.
    cube = judged(same, 3)
    known = spreads(cube.mean(axis=2))
    found = disagreement(cube, known, same_judges=same)
    assert found.matched == same
    assert found.judges == pytest.approx(3)
    assert found.variance == pytest.approx(variance, rel=0.1)
    spread = float(known.sd[0])
    assert found.share(spread) == pytest.approx((variance / 3) / (2 + variance / 3), rel=0.15)
    for judges in (1, 10):
        # What other numbers of judges give, on other draws.
        expected = float(spreads(judged(same, judges, seed=9).mean(axis=2)).sd[0])
        assert found.spread_with(judges, spread) == pytest.approx(expected, rel=0.12)
    assert found.spread_with(math.inf, spread) == pytest.approx(math.sqrt(2), rel=0.12)


def test_disagreement_by_hand() -> None:
    # One pair, two topics: the three judges' differences are 1, 2, 3 and 0, 0, missing.
    cube = np.array([[[2.0, 4, 6], [1, 2, 3]], [[1, 1, NAN], [1, 1, 5]]])
    known = spreads(np.nanmean(cube, axis=2))
    found = disagreement(cube, known, same_judges=True)
    assert found == Disagreement(2 / 3, 1 / ((1 / 3 + 1 / 2) / 2), True)
    # For themselves: squares 8, 2, 0 and 32/3 over 2, 2, 1 and 2 degrees of freedom.
    alone = disagreement(cube, known, same_judges=False)
    assert alone.variance == pytest.approx(2 * (8 + 2 + 0 + 32 / 3) / 7)
    assert alone.judges == pytest.approx(1 / np.mean([1 / 3, 1 / 3, 1 / 2, 1 / 3]))


def test_judges_that_never_meet_are_taken_for_themselves() -> None:
    cube = np.full((3, 2, 4), NAN)
    cube[:, 0, :2] = [[1, 2], [3, 1], [2, 2]]
    cube[:, 1, 2:] = [[2, 4], [1, 5], [3, 3]]
    known = spreads(np.nanmean(cube, axis=2))
    found = disagreement(cube, known, same_judges=True)
    assert not found.matched
    assert found.variance == pytest.approx(2 * (0.5 + 2 + 0 + 2 + 8 + 0) / 6)
    nobody = disagreement(cube[:, :, :1], spreads(np.zeros((3, 2))), same_judges=False)
    assert math.isnan(nobody.variance)


def test_how_many_judges_are_enough() -> None:
    found = Disagreement(variance=1.0, judges=2.0, matched=True)
    # The differences' variance is 1.5 = 1 + 1/2; with m judges 1 + 1/m.
    assert found.judges_for(math.sqrt(1.25), math.sqrt(1.5)) == pytest.approx(4)
    assert found.judges_for(0.99, math.sqrt(1.5)) == math.inf
    assert found.spread_with(4, math.sqrt(1.5)) == pytest.approx(math.sqrt(1.25))
    # Disagreement that is more than all there is leaves nothing.
    assert found.share(0.5) == 1
    assert found.spread_with(math.inf, 0.5) == 0


# Closed forms: 3/pi, pi^2/9, 3/2, 1, 75/(4 pi^2) and 108/125 (Hodges and Lehmann 1956; Randles and Wolfe 1979).
EFFICIENCIES = {
    "normal": (3 / math.pi, math.inf),
    "logistic": (math.pi**2 / 9, math.inf),
    "laplace": (1.5, math.inf),
    "uniform": (1.0, 1.0),
    "student3": (75 / (4 * math.pi**2), math.inf),
    "epanechnikov": (108 / 125, 1.0),
}


@pytest.mark.parametrize("density", EFFICIENCIES)
def test_the_efficiency_of_w_in_closed_form(density: str) -> None:
    expected, width = EFFICIENCIES[density]
    assert efficiency(getattr(power_rates, density), width=width) == pytest.approx(expected, abs=1e-9)
    assert expected >= power_rates.LEAST == 0.864
    # It does not depend on the unit.
    f = getattr(power_rates, density)
    assert efficiency(lambda z: f(z / 3) / 3, width=3 * width) == pytest.approx(expected, abs=1e-8)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6))
@settings(deadline=None, max_examples=30)
def test_no_density_has_less_than_the_parabola(heights: list[float]) -> None:
    """Steps of any heights, in closed form: variance = 2 sum h (b^3 - a^3)/3, integral of the square = 2 sum h^2."""
    h = np.array(heights) / (2 * sum(heights))
    edges = np.arange(h.size + 1.0)
    variance = 2 * float(h @ np.diff(edges**3)) / 3
    assert 12 * variance * (2 * float(h @ h)) ** 2 > power_rates.LEAST - 1e-12
