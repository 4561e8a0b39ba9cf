"""Power: closed forms against R, stacked tests against the tests of one pair, searches against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples
from tools import calibration_figures as figures

from adjudge.analyses.tests import TESTS as COMPARED
from adjudge.analyses.tests import USUAL_STATISTIC as COMPARE_STATISTIC
from adjudge.core.errors import UsageError
from adjudge.stats import paired
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import adjust
from adjudge.stats.paired import TEST_WORDS, Alternative
from adjudge.stats.power import search as power_search
from adjudge.stats.power.generate import ScoreModel, draw
from adjudge.stats.power.rates import (
    LEVEL,
    Rate,
    band,
    least_topics,
    t_difference,
    t_errors,
    t_power,
    t_topics,
)
from adjudge.stats.power.search import (
    ALONE,
    QUICK,
    TOLERANCE,
    USUAL_STATISTIC,
    Chosen,
    Family,
    Goal,
    Sample,
    Search,
    chosen,
    resamples_at,
    run,
    run_rows,
)
from adjudge.stats.power.sources import (
    MOST_PAIRS,
    Disagreement,
    Normal,
    Source,
    components,
    disagreement,
    places,
    rated,
    resampled,
    spreads,
    tie_share,
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
@examples(25)
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
            assert figures.attainable_size(test, n) == pytest.approx((p <= 0.05).mean(), abs=1e-15)
    assert figures.attainable_size("wilcoxon", 5) == 0  # 2/32 is more than .05
    assert figures.attainable_size("wilcoxon", 10) == 50 / 1024
    assert figures.attainable_size("exact", 1000) == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(UsageError, match='test: unknown value "t"'):
        figures.attainable_size("t", 10)


def test_attainable_sizes_of_random_swaps() -> None:
    # On six topics W has p-values 2/64, 4/64, ...: with 38 resamples p <= .05 asks for none as large, with 39 for one.
    levels, chance = (
        np.array([2, 4, 6, 10, 14, 20, 28, 36, 44, 54, 64]) / 64,
        np.array([2, 2, 2, 4, 4, 6, 8, 8, 8, 10, 10]) / 64,
    )
    assert figures.attainable_size("mc:w", 6, resamples=38) == pytest.approx(chance @ (1 - levels) ** 38)
    one = (1 - levels) ** 39 + 39 * levels * (1 - levels) ** 38
    assert figures.attainable_size("mc:w", 6, resamples=39) == pytest.approx(chance @ one)
    # Of the mean, p is k/32; with very many resamples it is the exact test, and with 18 it is never .05.
    assert figures.attainable_size("mc", 6, resamples=38) == pytest.approx(
        np.mean((1 - np.arange(1, 33) / 32) ** 38)
    )
    assert figures.attainable_size("mc", 5, resamples=38) == 0  # 2/32 is the smallest p of all swaps
    assert figures.attainable_size("mc", 10, resamples=10**7) == pytest.approx(
        figures.attainable_size("exact", 10), abs=1e-4
    )
    assert figures.attainable_size("mc", 48, resamples=1999) == pytest.approx(100 / 2000, abs=1e-6)
    assert figures.attainable_size("mc", 48, resamples=18) == 0


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
@examples(60)
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
    assert resamples_at(0.002) == 5000
    assert resamples_at(0.0001) is None


def search(
    test: str,
    source: Source,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    simulations: int = 2000,
    seed: int = 2,
    family: Family = ALONE,
) -> Search:
    resamples = resamples_at(alpha / family.pairs) or 2000
    sample = Sample(chosen(test), source, seed, simulations, resamples)
    return Search(Goal(chosen(test), power, alpha, family), sample)


def test_searches_find_what_the_closed_form_says() -> None:
    source = Normal(1.0, topic_sd=1.0)
    t = t_topics(0.4, 1)
    assert search("t", source).topics(0.4).value == t == 52
    needs = {
        test: search(test, source, simulations=6000).topics(0.4)
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
    source = Normal(0.5, 0.3)
    for difference in (0.9, 0.2):
        own, other = (
            search(test, source, power=0.7, alpha=0.01, simulations=4000, seed=seed) for seed in (3, 4)
        )
        found = own.topics(difference)
        assert found.method == "simulated"
        assert own.power(int(found.value), difference).rate >= 0.7  # the very number that a table shows
        assert other.power(int(found.value * 1.06) + 1, difference).rate > 0.7
        assert other.power(int(found.value * 0.94) - 1, difference).rate < 0.7


def test_a_found_difference_has_the_power() -> None:
    for test in ("wilcoxon", "t-unpaired", "sign"):
        own, other = (search(test, Normal(2.0), seed=seed) for seed in (4, 5))
        found = own.difference(20)
        assert own.power(20, found.value).rate >= 0.8
        assert other.power(20, found.value).rate == pytest.approx(
            0.8, abs=0.05
        )  # four standard errors, twice
        assert 0 < found.error < 0.1 * found.value


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "t-unpaired"])
@pytest.mark.parametrize("have", [5, 11, 12, 13, 40])
def test_what_is_enough_is_told_by_the_same_numbers(test: str, have: int) -> None:
    each = search(test, Normal(1.0), simulations=300)
    topics, difference = each.topics(0.9, [have]), each.difference(have, [0.9])
    assert (topics.value <= have) == (each.power(have, 0.9).rate >= 0.8) == (difference.value <= 0.9)


def test_very_many_topics_are_not_simulated_one_and_all() -> None:
    each = search("wilcoxon", Normal(1.0), simulations=1000)
    answer = each.topics(0.01)
    assert answer.method == "simulated on fewer topics"
    assert answer.value == pytest.approx(t_topics(0.01, 1) * math.pi / 3, rel=0.08)
    assert each.power(int(answer.value), 0.01).rate >= 0.8
    slow = search("mc", Normal(1.0), simulations=200).difference(5000)
    assert slow.method == "simulated on fewer topics"
    assert slow.value == pytest.approx(t_difference(5000, 1), rel=0.1)
    assert search("sign", Normal(1.0)).power(50_000, 0.0).rate < 0.1


def test_a_test_that_needs_far_more_topics_than_t() -> None:
    """Topics that differ much: T divides by sqrt((2 9^2 + 1) / n) what has the variance 1/n, as above."""
    answer = search("t-unpaired", Normal(1.0, topic_sd=9.0), simulations=500).topics(0.2)
    exact = ((math.sqrt(163) * stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / 0.2) ** 2
    assert exact > 15_000
    assert answer.value == pytest.approx(exact, rel=0.1)
    assert answer.method == "simulated on fewer topics"


def test_what_cannot_be_found_says_why() -> None:
    five = search("wilcoxon", Normal(1.0), simulations=100)
    assert math.isnan(five.difference(5).value)
    assert five.difference(5).why == "no difference, however large, is found on 5 topics with p <= 0.05"
    assert five.power(5, 1e9).rate == 0
    assert search("t", Normal(1.0)).difference(1).why == "needs two topics, has 1"
    for test in ("t", "wilcoxon"):
        never = search(test, Normal(1.0), simulations=50).topics(1e-9)
        assert (never.value, never.why) == (math.inf, "more than 10,000,000 topics")
    low = search("sign", Normal(1.0), power=0.04).topics(1)
    assert low.why == "the power of 0.04 is not above alpha, 0.05: guessing has as much"
    mc = search("mc", Normal(1.0), alpha=1e-5).topics(1)
    assert mc.why == "alpha 1e-05 needs more than 20,000 resamples in every simulation"


def test_random_swaps_find_by_luck_no_more_than_all_swaps_together_would() -> None:
    """As in a comparison: on five topics no p is below 2/32, however few random swaps reach the observed one."""
    each = search("mc", Normal(1.0), simulations=100)
    assert each.power(5, 50.0).rate == 0
    assert each.power(6, 50.0).rate == 1


@pytest.mark.parametrize("probe", [1e-9, 1e-3, 1e3, 1e6])
def test_a_probe_far_from_the_answer_does_not_change_it(probe: float) -> None:
    each = search("wilcoxon", Normal(1.0), simulations=400)
    answer = each.difference(20, [probe])
    assert answer.value == pytest.approx(each.difference(20).value, rel=2 * TOLERANCE)
    assert each.power(20, answer.value).rate >= 0.8


def test_the_smallest_numbers_of_topics() -> None:
    # Six topics are the fewest on which Wilcoxon's and the sign test can reach .05; t needs two.
    for test, least in (("wilcoxon", 6), ("sign", 6), ("exact", 6), ("mc", 6), ("t", 2)):
        assert least_topics(test, 0.05) == least
        assert least_topics(test, 2**-5) == least  # a p of alpha is a difference
        assert search(test, Normal(0.001), simulations=100).topics(1.0).value == least


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("pairs", [1, 3, 15, 120, 124_750])
def test_fewer_topics_than_the_smallest_p_allows_find_nothing(test: str, pairs: int) -> None:
    least = least_topics(test, 0.05 / pairs)
    assert math.ldexp(2.0, -least) < 0.05 / pairs <= math.ldexp(2.0, 1 - least)
    each = search(test, Normal(1.0), simulations=50, family=Family(pairs, (0.0, 1.0) if pairs > 1 else ()))
    assert each.power(least - 1, 1e6).rate == 0
    assert each.power(least, 1e6).rate == 1
    assert each.topics(1e6).value == least
    assert each.topics(1e6, [least - 1]).value == least
    assert "no difference, however large" in str(each.difference(least - 1).why)


def test_the_same_seed_gives_the_same_answers() -> None:
    first, second = (search("hb", Normal(1.0), simulations=50, seed=9).topics(1.0) for _ in range(2))
    assert first == second


# Types S and M

# R 4.2.2: with nu <- n - 1, lam <- sqrt(n) * d / sd, cc <- qt(1 - alpha / 2, nu), power <- pt(-cc, nu, lam) +
# pt(cc, nu, lam, lower.tail = FALSE): pt(-cc, nu, lam) / power; and the integral over v from 0 of
# (dnorm(cc*v - lam) + lam * pnorm(lam - cc*v) + dnorm(cc*v + lam) - lam * pnorm(-cc*v - lam)) *
# dchisq(nu * v^2, nu) * 2 * nu * v by integrate(rel.tol = 1e-11), over power * lam.
R_ERRORS = [
    (12, 0.5, 1, 0.05, 0.000533994494726, 1.552560187337926),
    (34, 0.5, 1, 0.05, 1.00988745084e-06, 1.11254230744e00),
    (5, 1, 0.7, 0.01, 9.43957400632e-07, 1.21156139016e00),
    (48, 0.1, 1, 0.05, 0.0399077745712, 3.4687317795655),
    (100, 0.01, 0.04, 0.001, 2.65630092279e-08, 1.54962764828e00),
    (3, 0.2, 1, 0.05, 0.253532843839, 4.728396090314),
]


@pytest.mark.parametrize(("n", "difference", "sd", "alpha", "wrong", "times"), R_ERRORS)
def test_errors_of_sign_and_size_are_those_of_r(
    n: int, difference: float, sd: float, alpha: float, wrong: float, times: float
) -> None:
    for sign in (1, -1):
        found = t_errors(n, sign * difference, sd, alpha=alpha)
        assert found == pytest.approx((wrong, times), rel=1e-9, abs=1e-12)


def test_without_a_difference_half_of_the_signs_are_wrong() -> None:
    assert t_errors(20, 1e-6, 1)[0] == pytest.approx(0.5, abs=1e-4)
    assert all(math.isnan(each) for each in t_errors(20, 0, 1))


def test_simulated_errors_of_sign_and_size_are_those_of_the_closed_form() -> None:
    class Other(Normal):
        """Normal noise that no closed form is known for."""

    source = Other(1.0)
    wrong, times = t_errors(10, 0.1, 1.0)
    sample = Sample(chosen("welch"), source, 1, 50_000)
    # Welch's test of two independent samples of n is not the paired t, so t itself is simulated here.
    p, means = Sample(chosen("t"), source, 1, 50_000).tested(10, 0.1)
    found = p < 0.05
    assert np.mean(means[found] < 0) == pytest.approx(wrong, abs=0.03)
    assert np.abs(means[found]).mean() / 0.1 == pytest.approx(times, rel=0.03)
    assert wrong > 0.1
    assert sample.tested(10, 0.1)[0].size == 50_000
    few = search("wilcoxon", Normal(1.0), simulations=100).power(6, 0.1)
    assert few.findings is not None
    assert few.findings < 20
    assert math.isnan(few.wrong_sign)


# Holm's procedure over a whole comparison


def test_a_pair_in_a_family_is_found_as_holm_finds_it() -> None:
    rng = np.random.default_rng(3)
    for pairs in (3, 6, 15):
        p = rng.random(400) * 0.06
        others = rng.random((400, pairs - 1)) ** rng.choice([1, 4, 12], size=(400, 1))
        expected = [bool(adjust([a, *b])[0] < 0.05) for a, b in zip(p, others, strict=True)]
        found = Family(pairs, (0.0,)).rejects(p, others, 0.05)
        assert found.tolist() == expected
        assert 0 < sum(expected) < 400


def test_a_family_never_finds_less_than_its_first_step_and_never_more_than_one_pair_alone() -> None:
    source = Normal(1.0, 0.5)
    alone, all_, typical = (
        search("wilcoxon", source, simulations=1000, family=family)
        for family in (ALONE, Family(15), Family(15, (-1.0, -0.5, 0.0, 0.2, 0.5, 0.8)))
    )
    for n in (8, 12, 20, 30):
        rates = [each.power(n, 0.8).rate for each in (all_, typical, alone)]
        assert rates == sorted(rates)
    assert all_.power(20, 0.8).rate < typical.power(20, 0.8).rate < alone.power(20, 0.8).rate
    assert all_.power(20, 0.8) == search("wilcoxon", source, simulations=1000, alpha=0.05 / 15).power(20, 0.8)


def test_systems_beside_the_pair_are_as_wide_and_share_its_topics() -> None:
    source = Normal(1.0, 2.0)
    x, y = source.draw(300, 200, np.random.default_rng(1)).scores(0.6)
    scores = Family(10, (0.0, 1.0)).scores(x, y, source, 1.0, np.random.default_rng(2))
    assert scores.shape == (200, 5, 300)
    first, second = Family(10, (0.0,)).columns
    assert len(first) == 9
    for i, j in zip(first, second, strict=True):
        z = scores[:, i] - scores[:, j]
        assert (z - z.mean(axis=1, keepdims=True)).std() == pytest.approx(1.0, rel=0.02)
    # Differences from x go with x - y as those of independent systems do: a correlation of 1/2.
    z, other = x - y, x - scores[:, 3]
    z, other = (each - each.mean(axis=1, keepdims=True) for each in (z, other))
    assert np.corrcoef(z.ravel(), other.ravel())[0, 1] == pytest.approx(0.5, abs=0.02)
    assert Family(124_750, (0.0,)).columns[0].size == 189  # of very many systems, twenty


def test_places_are_drawn_in_until_they_spread_as_true_means_do() -> None:
    rng = np.random.default_rng(2)
    spread = [
        float(np.var(places(0.5 * rng.normal(size=(1, 30)) + rng.normal(size=(12, 30))), ddof=1))
        for _ in range(200)
    ]
    assert np.mean(spread) == pytest.approx(0.25, rel=0.1)
    assert (
        places([[1.0, 2.0, NAN, NAN], [2.0, 1.0, NAN, NAN], [NAN, NAN, 1.0, 5.0], [NAN, NAN, 3.0, 4.0]]) == ()
    )
    flat = places(rng.normal(size=(400, 3)) + np.array([0.0, 5.0, 1.0]))
    assert np.diff(flat).tolist() == pytest.approx([5, -4], abs=0.3)


# Ties


def ratings(means: tuple[float, ...] = (0.0, 0.2, 0.5, 0.3), topics: int = 300, seed: int = 0) -> FloatArray:
    model = ScoreModel(topics=topics, means=means, step=1.0, bounds=(1.0, 5.0))
    (values,) = draw(model, 1, np.random.default_rng(seed))
    return np.asarray(values)


@pytest.mark.parametrize("up", [0.0, 1.5], ids=["middle", "ceiling"])
def test_rated_pairs_have_the_levels_spread_and_ties_of_the_scores(up: float) -> None:
    values = ratings((up, up, up, up))
    known = spreads(values)
    source = rated(values, known.quantile(0.5))
    assert source is not None
    assert source.levels.tolist() == [1, 2, 3, 4, 5]
    drawn = source.draw(500, 400, np.random.default_rng(1))
    x, y = drawn.scores(0.0)
    assert (x - y).std() == pytest.approx(known.quantile(0.5), rel=0.01)
    assert float(np.mean(x == y)) == pytest.approx(tie_share(values, known), abs=0.03)
    for level in source.levels:
        assert np.mean(x == level) == pytest.approx(np.mean(values == level), abs=0.01)
    for difference in (0.1, 0.5, 1.5):
        x, y = drawn.scores(difference)
        assert (x - y).mean() == pytest.approx(difference, abs=0.02)
        assert set(np.unique(x)) <= {1, 2, 3, 4, 5}
    assert source.topic_sd == pytest.approx(np.sqrt(np.cov(values.T)[0, 1]), rel=0.15)
    with pytest.raises(UsageError, match="no difference of 4 on a scale from 1 to 5"):
        drawn.scores(4.0)
    assert "no two systems can differ by so much" in str(search("t", source).topics(4.0).why)


def test_spreads_beyond_independent_ratings_are_reached_by_opposed_ones() -> None:
    values = ratings()
    source = rated(values, 1.3 * math.sqrt(2) * float(values.std()))
    assert source is not None
    x, y = source.draw(500, 400, np.random.default_rng(1)).scores(0.0)
    assert (x - y).std() == pytest.approx(source.spread, rel=0.02)
    assert np.corrcoef(x.ravel(), y.ravel())[0, 1] < -0.3


def test_scores_of_many_levels_are_not_rated() -> None:
    assert rated(np.random.default_rng(0).normal(size=(30, 4)), 1.0) is None
    assert rated(np.ones((30, 4)), 1.0) is None
    assert rated(np.full((3, 2), NAN), 1.0) is None
    thirds = rated(ratings() / 3 + 1e-15 * np.random.default_rng(0).normal(size=(300, 4)), 0.4)
    assert thirds is not None
    assert thirds.levels.size == 5


def test_resampled_topics_that_tie_stay_ties() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(400, 4))
    values[:100] = values[:100, :1]  # on a quarter of the topics all systems give the same
    known = spreads(values)
    assert tie_share(values, known) == 0.25
    source = resampled(values, known, 0.7)
    drawn = source.draw(400, 300, np.random.default_rng(1))
    x, y = drawn.scores(0.0)
    assert (x - y).std() == pytest.approx(0.7, rel=0.02)
    x, y = drawn.scores(0.2)
    assert np.mean(x == y) == pytest.approx(0.25, abs=0.005)
    assert (x - y).mean() == pytest.approx(0.2, abs=0.005)


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 9])
def test_simulations_of_tied_differences_find_what_the_exact_test_finds(levels: int) -> None:
    """By a series beyond so many ranked differences, where they have more than two sizes."""
    rng = np.random.default_rng(levels)
    n = power_search.TIED_EXACT + 1
    x = rng.integers(1, levels + 1, size=(1000, n)) * rng.choice([-1.0, 1.0], size=(1000, n), p=[0.3, 0.7])
    y = np.zeros_like(x)
    rows, exact = run_rows(chosen("wilcoxon"), x, y, rng), power_search.wilcoxon_rows(x, y)
    assert exact[:50] == pytest.approx([paired.wilcoxon(a, b).p for a, b in zip(x[:50], y, strict=False)])
    assert (rows == pytest.approx(exact, rel=1e-9)) == (levels <= 2)
    for alpha in (0.05, 0.005, 0.001):
        assert np.mean(rows < alpha) == pytest.approx(np.mean(exact < alpha), abs=0.008)


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
    # Within topics squares of 2 over 3 degrees of freedom. Beside topics and judges one contrast is left,
    # (1 - 2) - (0 - 0), whose square over 4 is the residual variance; what is more than that is the judges' own.
    assert found.residual == pytest.approx(1 / 4)
    assert found.likings == pytest.approx(2 / 3 - 1 / 4)
    assert found.judges == pytest.approx(1 / ((1 / 3 + 1 / 2) / 2))
    # The judges' shares of the two topics' means are 5/12, 5/12 and 1/6; their squares' sum is 3/8.
    assert found.crew == pytest.approx(8 / 3)
    assert found.changes == pytest.approx(2 * (5 / 12 - 3 / 8) / (5 / 12))
    assert found.variance == pytest.approx(1 / 4 + found.changes * found.likings)
    assert (found.matched, found.seen) == (True, 3)
    # For themselves: squares 8, 2, 0 and 32/3 over 2, 2, 1 and 2 degrees of freedom.
    alone = disagreement(cube, known, same_judges=False)
    assert alone.variance == pytest.approx(2 * (8 + 2 + 0 + 32 / 3) / 7)
    assert alone.judges == pytest.approx(1 / np.mean([1 / 3, 1 / 3, 1 / 2, 1 / 3]))


def liked(topics: int, judges: int, own: float, seed: int, per_topic: int | None = None) -> FloatArray:
    """Two systems; the difference varies over topics with variance 2, over judges with own, beside with 0.5.

    With `per_topic` so many of the judges see a topic, others from topic to topic.
    """
    rng = np.random.default_rng(seed)
    difference = rng.normal(0, math.sqrt(2), (topics, 1)) + rng.normal(0, math.sqrt(own), judges)
    difference = difference + rng.normal(0, math.sqrt(0.5), (topics, judges))
    common = rng.normal(size=(topics, 1)) + rng.normal(size=judges)
    cube = np.stack([common + difference / 2, common - difference / 2], axis=1)
    if per_topic is not None:
        absent = rng.random((topics, judges)).argsort(axis=1) >= per_topic
        cube[np.broadcast_to(absent[:, None, :], cube.shape)] = NAN
    return cube


@pytest.mark.parametrize("own", [0.0, 0.3, 4.0])
@pytest.mark.parametrize("per_topic", [None, 2])
def test_own_likings_are_told_from_noise(own: float, per_topic: int | None) -> None:
    cube = liked(400, 60, own, 2, per_topic)
    known = spreads(np.nanmean(cube, axis=2))
    found = disagreement(cube, known, same_judges=True)
    assert found.residual == pytest.approx(0.5, rel=0.15)
    assert found.likings == pytest.approx(own, rel=0.3, abs=0.05)
    assert found.crew == pytest.approx(60, rel=0.08)
    assert found.changes == pytest.approx(0 if per_topic is None else 1 - 2 / 60, abs=0.01)
    # Where all judge all, own likings are no noise; where every topic has others, they are.
    assert found.variance == pytest.approx(0.5 if per_topic is None else 0.5 + 0.967 * own, rel=0.25)
    # Topics vary by 2 whatever the judges do.
    assert found.rest(float(known.sd[0])) == pytest.approx(2, rel=0.35)


@pytest.mark.parametrize("per_topic", [None, 2])
def test_more_judges_narrow_the_spread_by_as_much_as_is_said(per_topic: int | None) -> None:
    """Own likings of variance 4: the pooled disagreement would promise a spread of 0 for many judges."""
    cube = liked(2000, 6, 4.0, 5, per_topic)
    known = spreads(np.nanmean(cube, axis=2))
    found = disagreement(cube, known, same_judges=True)
    times = 2
    more = liked(2000, 6 * times, 4.0, 6, None if per_topic is None else per_topic * times)
    expected = float(spreads(np.nanmean(more, axis=2)).sd[0])
    said = found.spread_with(found.judges * times, float(known.sd[0]))
    assert said == pytest.approx(expected, rel=0.12)
    whole = found.likings + found.residual
    if per_topic is None:
        assert max(float(known.sd[0]) ** 2 - whole / 6, 0) < 0.8 * found.rest(float(known.sd[0]))


def test_own_likings_that_cannot_be_told_from_noise_are_not_said() -> None:
    cube = np.full((4, 2, 8), NAN)  # every topic has two judges of its own
    for t in range(4):
        cube[t, :, 2 * t : 2 * t + 2] = np.random.default_rng(t).normal(size=(2, 2))
    found = disagreement(cube, spreads(np.nanmean(cube, axis=2)), same_judges=True)
    assert math.isnan(found.likings)
    assert found.changes == pytest.approx(1)
    z = cube[:, 0] - cube[:, 1]
    assert found.variance == pytest.approx(np.nanmean(np.nanvar(z, axis=1, ddof=1)))


def test_judges_that_never_meet_are_taken_for_themselves() -> None:
    cube = np.full((3, 2, 4), NAN)
    cube[:, 0, :2] = [[1, 2], [3, 1], [2, 2]]
    cube[:, 1, 2:] = [[2, 4], [1, 5], [3, 3]]
    known = spreads(np.nanmean(cube, axis=2))
    found = disagreement(cube, known, same_judges=True)
    assert not found.matched
    # Two judges for each system: beside topics and judges, half the squares of their differences about the mean.
    first, second = np.array([1, -2, 0]), np.array([2, 4, 0])
    residual = sum(np.sum((z - z.mean()) ** 2) / 2 for z in (first, second)) / 4
    assert found.variance == pytest.approx(2 * residual)
    assert found.likings == pytest.approx(max(2 * (0.5 + 2 + 0 + 2 + 8 + 0) / 6 - 2 * residual, 0))
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
    assert figures.efficiency(getattr(figures, density), width=width) == pytest.approx(expected, abs=1e-9)
    assert expected >= figures.LEAST == 0.864
    # It does not depend on the unit.
    f = getattr(figures, density)
    assert figures.efficiency(lambda z: f(z / 3) / 3, width=3 * width) == pytest.approx(expected, abs=1e-8)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6))
@examples(30)
def test_no_density_has_less_than_the_parabola(heights: list[float]) -> None:
    """Steps of any heights, in closed form: variance = 2 sum h (b^3 - a^3)/3, integral of the square = 2 sum h^2."""
    h = np.array(heights) / (2 * sum(heights))
    edges = np.arange(h.size + 1.0)
    variance = 2 * float(h @ np.diff(edges**3)) / 3
    assert 12 * variance * (2 * float(h @ h)) ** 2 > figures.LEAST - 1e-12
