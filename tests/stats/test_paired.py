"""Tests of two columns: differences, ranks, sentences, and the tests themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from functools import partial
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import rankdata

from adjudge.core.errors import UsageError
from adjudge.core.words import p_words
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import (
    EXACT_UP_TO,
    NOISE,
    Alternative,
    Interval,
    PairedTest,
    Zeros,
    all_equal,
    common,
    differences,
    paired_t,
    rank,
    sign,
    unpaired_t,
    wilcoxon,
)

# Differences, their noise, ties and ranks; and what the checks refuse.


TENTHS = st.lists(st.tuples(st.integers(-12, 12), st.integers(-12, 12)), min_size=1, max_size=30)


def test_noise_is_no_difference() -> None:
    assert 0.1 + 0.2 != 0.3
    d = differences([0.1 + 0.2, 0.5], [0.3, 0.4])
    assert (d.wins, d.losses, d.ties) == (1, 0, 1)


def test_a_small_difference_of_small_scores_is_one() -> None:
    assert differences([1e-15, 1.0], [2e-15, 1.0]).losses == 1
    assert differences([1.0 + 1e-11], [1.0]).wins == 1


def test_differences_equal_but_for_noise_tie() -> None:
    assert 0.3 - 0.1 != 0.5 - 0.3
    ranks = rank(differences([0.3, 0.5, 0.9], [0.1, 0.3, 0.0]))
    assert ranks.doubled.tolist() == [3, 3, 6]
    assert ranks.tied.tolist() == [2, 1]
    assert differences([0.3, 0.5], [0.1, 0.3]).all_equal()
    assert not differences([0.3, 0.5], [0.1, 0.31]).all_equal()


def test_one_huge_score_does_not_drown_the_others() -> None:
    d = differences([1e15, 1e15 + 1e4, 3.0, 2.0], [1e15, 1e15, 1.0, 1.0])
    assert (d.wins, d.ties) == (3, 1)
    assert rank(d).doubled.tolist() == [2, 4, 6]


@given(TENTHS, st.sampled_from([0, 3]))
def test_ranks_are_those_of_the_whole_numbers(pairs: list[tuple[int, int]], below: int) -> None:
    # Scores in tenths carry noise; the same scores in whole numbers do not.
    whole = np.array([a - b for a, b in pairs])
    d = differences([a / 10 for a, _ in pairs], [b / 10 for _, b in pairs])
    ranks = rank(d, below=below)
    sizes = np.abs(whole[whole != 0])
    expected = rankdata(sizes) if sizes.size else np.zeros(0)
    assert sorted(2 * (expected + below)) == ranks.doubled.tolist()
    assert d.wins == (whole > 0).sum()
    assert d.ties == (whole == 0).sum()
    positive = 2 * (expected[whole[whole != 0] > 0] + below)
    assert positive.sum() == ranks.doubled[ranks.positive].sum()


def test_a_row_counts_where_both_are_present() -> None:
    nan = float("nan")
    d = differences([1, nan, 3, nan, 5], [0, 2, nan, nan, 7])
    assert d.values.tolist() == [1, -2]
    assert d.mean == -0.5


def test_common_rows_are_those_of_the_differences() -> None:
    nan = float("nan")
    x, y = common([1, nan, 3, nan, 5], [0, 2, nan, nan, 7])
    assert (x.tolist(), y.tolist()) == ([1, 5], [0, 7])


def test_values_are_equal_where_each_is_its_neighbour_but_for_noise() -> None:
    values = np.array([0.3, 0.1 + 0.2, 0.3])
    assert all_equal(values, NOISE * np.abs(values))
    chain = np.array([1.0, 1 + 0.7 * NOISE, 1 + 1.4 * NOISE])
    assert all_equal(chain[::-1], NOISE * chain)
    assert not all_equal(chain[[0, 2]], NOISE * chain[[0, 2]])
    assert all_equal(np.zeros(0), np.zeros(0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: differences([1, 2], [1]), "x and y: expected one length, got 2 and 1"),
        (lambda: differences([[1]], [1]), r"x: expected 1 dimension\(s\), got 2"),
        (lambda: differences([1], ["b"]), "y: not an array of numbers"),
        (lambda: differences([1, np.inf], [1, 2]), r"x: infinite value at \[1\]"),
        (lambda: checks.count("n", 0, least=1), "n: expected a whole number of at least 1, got 0"),
        (lambda: checks.count("n", True, least=1), "n: expected a whole number"),
        (lambda: checks.share("level", 95), "level: expected a number between 0 and 1, got 95"),
    ],
)
def test_wrong_arrays_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# The sentences of results.


BETTER = PairedTest("wilcoxon", 520.0, 0.0031, 46, "exact", 0.12, wins=34, losses=11, ties=1)
WORSE = replace(BETTER, statistic=-520.0, difference=-0.12, wins=11, losses=34)
ALIKE = PairedTest("t", 0.4, 0.69, 46, "t", 0.01, wins=24, losses=20, ties=2)


def test_a_difference_names_the_better_one_first() -> None:
    expected = "(paired Wilcoxon, exact, p = .003, n = 46 topics; {} wins on 34, {} on 11, tied on 1)"
    assert BETTER.sentence("A", "B") == "A is better than B " + expected.format("A", "B")
    assert WORSE.sentence("A", "B") == "B is better than A " + expected.format("B", "A")


def test_lower_can_be_better() -> None:
    assert BETTER.sentence("A", "B", "lower") == (
        "B is better than A (paired Wilcoxon, exact, p = .003, n = 46 topics; B wins on 34, A on 11, tied on 1)"
    )


def test_a_description_is_higher_not_better() -> None:
    assert WORSE.sentence("A", "B", None) == (
        "B is higher than A (paired Wilcoxon, exact, p = .003, n = 46 topics; B is higher on 34, A on 11, tied on 1)"
    )


def test_no_difference_says_so_and_counts_both_sides() -> None:
    assert ALIKE.sentence("A", "B") == (
        "A and B are not significantly different (paired t, p = .690, n = 46 topics; A wins on 24, B on 20, tied on 2)"
    )
    assert "A wins on 20, B on 24" in ALIKE.sentence("A", "B", "lower")
    assert "tied" not in replace(ALIKE, ties=0).sentence("A", "B")


def test_alpha_decides() -> None:
    assert BETTER.sentence("A", "B", alpha=0.003).startswith("A and B are not significantly different")
    with pytest.raises(UsageError, match="alpha: expected a number between 0 and 1, got 5"):
        BETTER.sentence("A", "B", alpha=5)


def test_means_that_point_the_other_way_are_mentioned() -> None:
    odd = replace(BETTER, difference=-0.5)
    assert odd.sentence("A", "B").endswith("; A wins on 34, B on 11, tied on 1, but B has the better mean)")
    assert odd.sentence("A", "B", "lower").endswith(
        "; B wins on 34, A on 11, tied on 1, but A has the better mean)"
    )


def test_the_undefined_says_why() -> None:
    result = PairedTest("t", why="needs two topics that both have, has 1", n=1, wins=1)
    assert math.isnan(result.statistic)
    assert math.isnan(result.p)
    assert result.method is None
    assert (result.n, result.wins, result.losses) == (1, 1, 0)
    assert result.sentence("A", "B") == (
        "A and B cannot be compared (paired t: needs two topics that both have, has 1)"
    )


@pytest.mark.parametrize(
    ("p", "alpha", "words"),
    [
        (0.0031, 0.05, "p = .003"),
        (0.0004, 0.05, "p < .001"),
        (1e-300, 0.05, "p < .001"),
        (0.2, 0.05, "p = .200"),
        (0.9997, 0.05, "p > .999"),
        (1.0, 0.05, "p = 1"),
        (0.05, 0.05, "p = .050"),
        (0.04998, 0.05, "p = .04998"),  # .050 would look as if it were not below .05
        (0.00099, 0.001, "p = .00099"),
        (0.0007, 0.0005, "p = .00070"),  # "< .001" would leave the side open
    ],
)
def test_p_is_short_but_never_on_the_wrong_side(p: float, alpha: float, words: str) -> None:
    assert p_words(p, alpha) == words


def test_results_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        BETTER.p = 0.5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Interval(0.1, 0.2, 0.95, "percentile", 2000).low = 0.0  # type: ignore[misc]


# Tests of one pair against SciPy, R and full enumeration, and their conventions.


ZEROS: tuple[Zeros, ...] = get_args(Zeros)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
SMALL = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=10)
welch = partial(unpaired_t, equal_variances=False)
EVERY: list[Callable[..., PairedTest]] = [
    wilcoxon,
    *(partial(wilcoxon, zeros=z) for z in ZEROS[1:]),
    paired_t,
    unpaired_t,
    welch,
    sign,
]

# Student 1908: extra hours of sleep, ten patients, two drugs.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def enumerated(d: FloatArray, zeros: Zeros, alternative: Alternative = "two-sided") -> tuple[float, float]:
    """W and its p over all flips of the signs of non-zero differences, in plain words of NumPy and SciPy."""
    if zeros == "wilcox":
        d = d[d != 0]
    if not d.any():
        return 0.0, 1.0
    ranks, signs = stats.rankdata(np.abs(d)), np.sign(d)
    flips = np.array(list(product([-1, 1], repeat=int(np.count_nonzero(d)))))
    positive, negative = ranks[d > 0].sum(), ranks[d < 0].sum()
    null = ((flips > 0) * ranks[d != 0]).sum(axis=1)
    above, below = np.mean(null >= positive - 1e-9), np.mean(null <= positive + 1e-9)
    p = {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]
    assert (signs * ranks).sum() == positive - negative
    return float(positive - negative), float(p)


@given(SMALL, st.sampled_from(ZEROS), st.sampled_from(ALTERNATIVES), st.sampled_from([1, 10, 3]))
def test_exact_equals_enumeration_with_ties_and_zeros(
    pairs: list[tuple[int, int]], zeros: Zeros, alternative: Alternative, unit: int
) -> None:
    # In tenths and thirds the differences carry noise; the twin sees whole numbers.
    whole = np.array(pairs, dtype=float)
    w, p = enumerated(whole[:, 0] - whole[:, 1], zeros, alternative)
    result = wilcoxon(whole[:, 0] / unit, whole[:, 1] / unit, zeros=zeros, alternative=alternative)
    assert result.method == "exact"
    assert result.statistic == w
    assert result.p == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exact_with_zeros_equals_all_flips_of_scipy(zeros: Zeros, alternative: Alternative) -> None:
    # With 2^9 flips or more SciPy goes through them all.
    d = np.array([0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 3.0, 4.0, -4.0])
    every = stats.PermutationMethod(n_resamples=2**d.size)
    expected = stats.wilcoxon(d, zero_method=zeros, alternative=alternative, method=every)
    found = wilcoxon(d, 0 * d, zeros=zeros, alternative=alternative)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_enumeration_tells_the_two_treatments_of_zeros_apart() -> None:
    # By hand: of 16 sums of the ranks 1 to 4, 7 are at most 4; of the ranks 4 to 7, 5 at most 7.
    d = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, -4.0])
    assert enumerated(d, "wilcox") == (2.0, 2 * 7 / 16)
    assert enumerated(d, "pratt") == (8.0, 2 * 5 / 16)
    assert wilcoxon(d, 0 * d).p == 2 * 7 / 16
    assert wilcoxon(d, 0 * d, zeros="pratt").p == 2 * 5 / 16


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 3, 10, 46, 100, 200, EXACT_UP_TO])
def test_exact_equals_scipy_without_ties(n: int, alternative: Alternative) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(0.2, 1, n), rng.normal(0, 1, n)
    expected = stats.wilcoxon(x, y, method="exact", alternative=alternative)
    result = wilcoxon(x, y, alternative=alternative)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-12)
    positive = (n * (n + 1) / 2 + result.statistic) / 2
    assert (min(positive, positive - result.statistic) if alternative == "two-sided" else positive) == (
        pytest.approx(expected.statistic)
    )


def test_the_far_tail_is_exact() -> None:
    n = 200
    assert wilcoxon(np.arange(1, n + 1), np.zeros(n)).p == 2.0 ** (1 - n)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("n", [20, 301, 1000])
@pytest.mark.parametrize("levels", [5, 40, None])
def test_normal_equals_scipy(n: int, levels: int | None, zeros: Zeros, alternative: Alternative) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(0.1, 1, (2, n))
    if levels is not None:
        x, y = np.round(x * levels / 5), np.round(y * levels / 5)
    expected = stats.wilcoxon(
        x,
        y,
        zero_method=zeros,
        correction=True,
        method="asymptotic",
        alternative=alternative,
    )
    result = wilcoxon(x, y, zeros=zeros, exact_up_to=0, alternative=alternative)
    assert result.method == "normal"
    assert result.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_wilcoxon_equals_r() -> None:
    # R 4.2.2, wilcox.test(d, exact = TRUE) and (exact = FALSE, correct = TRUE), by alternative
    d = np.array([1.5, -0.5, 2.25, 3, -1, 4.5, 0.75, -2, 5, 6.5, -3.25, 7])
    expected: dict[Alternative, tuple[float, float]] = {
        "two-sided": (0.092285156250000069, 0.091680530145991118),
        "less": (0.96142578125, 0.96122191662816725),
        "greater": (0.046142578125000035, 0.045840265072995559),
    }
    for alternative, (exact, normal) in expected.items():
        test = partial(wilcoxon, d, 0 * d, alternative=alternative)
        assert test().p == pytest.approx(exact, rel=1e-12)
        assert test(exact_up_to=0).p == pytest.approx(normal, rel=1e-12)
    # R 4.2.2, wilcox.test(ties, exact = FALSE, correct = TRUE, alternative = "greater")
    ties = np.array([1, 1, 2, -1, 3, -2, 2, 4, -4, 5, 5, -1, 3, 2])
    p = wilcoxon(ties, 0 * ties, exact_up_to=0, alternative="greater").p
    assert p == pytest.approx(0.03355626233727433, rel=1e-12)


def test_normal_equals_scipy_in_the_middle() -> None:
    # Sums of ranks equal, and half a rank apart: the continuity correction at its limits.
    for d in ([1.0, -1.0, 2.0, -2.0], [1.0, -1.0, 1.0], [1.0, -2.0, -3.0, 4.0, 4.0, -4.0]):
        expected = stats.wilcoxon(d, correction=True, method="asymptotic").pvalue
        assert wilcoxon(d, np.zeros(len(d)), exact_up_to=0).p == pytest.approx(expected, rel=1e-12)


def test_exact_gives_way_to_normal_by_ranked_differences() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(size=EXACT_UP_TO + 1)
    zero = np.zeros_like(d)
    assert wilcoxon(d, zero).method == "normal"
    d[0] = 0.0
    assert wilcoxon(d, zero).method == "exact"
    assert wilcoxon(d, zero, zeros="pratt").method == "normal"
    assert wilcoxon(d, zero, zeros="pratt", exact_up_to=d.size).method == "exact"


def test_exact_and_normal_agree_at_the_bound() -> None:
    rng = np.random.default_rng(2)
    for shift in (0.0, 0.1, 0.2):
        x = np.round(rng.normal(shift, 1, EXACT_UP_TO), 1)
        y = np.zeros_like(x)
        exact, normal = wilcoxon(x, y), wilcoxon(x, y, exact_up_to=0)
        assert (exact.method, normal.method) == ("exact", "normal")
        assert exact.p == pytest.approx(normal.p, abs=1e-3)
        assert exact.p != normal.p


@given(
    st.lists(st.floats(-100, 100, width=32), min_size=2, max_size=40),
    st.integers(0, 2**32 - 1),
    st.sampled_from(ALTERNATIVES),
)
@pytest.mark.filterwarnings("ignore:Precision loss")  # of SciPy, where one side is constant
def test_t_equals_scipy(scores: list[float], seed: int, alternative: Alternative) -> None:
    y = np.array(scores)
    x = y + np.random.default_rng(seed).normal(0.3, 1, y.size)
    for found, expected in (
        (paired_t(x, y, alternative=alternative), stats.ttest_rel(x, y, alternative=alternative)),
        (unpaired_t(x, y, alternative=alternative), stats.ttest_ind(x, y, alternative=alternative)),
        (
            welch(x, y, alternative=alternative),
            stats.ttest_ind(x, y, equal_var=False, alternative=alternative),
        ),
    ):
        # Scores of up to 100 with differences of about 1 carry errors of 1e-14, and t its square's worth.
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [2, 3, 10, 48, 1000])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_equals_scipy_to_twelve_digits(n: int, alternative: Alternative) -> None:
    x, y = np.random.default_rng(n).normal([[0.2], [0.0]], 1, (2, n))
    options = {"alternative": alternative}
    for found, expected in (
        (paired_t(x, y, alternative=alternative), stats.ttest_rel(x, y, **options)),
        (unpaired_t(x, y, alternative=alternative), stats.ttest_ind(x, y, **options)),
        (welch(x, y, alternative=alternative), stats.ttest_ind(x, y, equal_var=False, **options)),
    ):
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_t_of_a_textbook_sample() -> None:
    # SciPy 1.17.1, scipy.stats.ttest_rel(first, second); R 4.2.2, t.test(first, second, paired = TRUE)
    result = paired_t(FIRST, SECOND)
    assert result.statistic == pytest.approx(-4.062127683382037, rel=1e-12)
    assert result.p == pytest.approx(0.002832890197384273, rel=1e-12)
    assert result.difference == pytest.approx(-1.58)
    assert (result.wins, result.losses, result.ties) == (0, 9, 1)
    assert paired_t(FIRST, SECOND, alternative="less").p == pytest.approx(0.0014164450986921351, rel=1e-12)
    assert paired_t(FIRST, SECOND, alternative="greater").p == pytest.approx(0.99858355490130779, rel=1e-12)


def test_unpaired_t_of_a_textbook_sample() -> None:
    # R 4.2.2, t.test(first, second, var.equal = TRUE) and (var.equal = FALSE): df 18 and 17.7765
    pooled, unequal = unpaired_t(FIRST, SECOND), welch(FIRST, SECOND)
    assert (pooled.test, unequal.test) == ("t-unpaired", "welch")
    assert pooled.statistic == unequal.statistic == pytest.approx(-1.8608134674868528, rel=1e-12)
    assert pooled.p == pytest.approx(0.079186714215938175, rel=1e-12)
    assert unequal.p == pytest.approx(0.079394140187358173, rel=1e-12)


def test_the_unpaired_t_uses_the_topics_that_both_have() -> None:
    nan = math.nan
    assert unpaired_t([nan, 100.0, *FIRST], [5.0, nan, *SECOND]) == unpaired_t(FIRST, SECOND)


def test_the_sign_test_of_a_textbook_sample() -> None:
    # R 4.2.2, binom.test(0, 9, alternative = ...); the tenth patient ties
    expected: dict[Alternative, float] = {"two-sided": 0.00390625, "less": 0.001953125, "greater": 1.0}
    for alternative, p in expected.items():
        result = sign(FIRST, SECOND, alternative=alternative)
        assert result.p == pytest.approx(p, rel=1e-12)
        assert (result.statistic, result.method, result.ties) == (-9.0, "exact", 1)


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 3), st.sampled_from(ALTERNATIVES))
def test_the_sign_test_equals_scipy(wins: int, losses: int, ties: int, alternative: Alternative) -> None:
    d = np.repeat([1.0, -1.0, 0.0], [wins, losses, ties + 2])
    result = sign(d, 0 * d, alternative=alternative)
    p = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1.0
    assert result.p == pytest.approx(p, rel=1e-12)
    assert (result.wins, result.losses, result.ties) == (wins, losses, ties + 2)


def test_t_of_tiny_and_of_huge_scores() -> None:
    # Their squares do not fit a floating-point number.
    x, y = np.array(FIRST), np.array(SECOND)
    for test in (paired_t, unpaired_t, welch):
        expected = test(x, y)
        for scale in (2.0**-700, 2.0**700):
            result = test(x * scale, y * scale)
            assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.p), rel=1e-12)


@pytest.mark.parametrize("test", EVERY)
def test_no_difference_anywhere_gives_p_1(test: Callable[..., PairedTest]) -> None:
    result = test(np.array([0.1 + 0.2, 0.5, 0.7]), np.array([0.3, 0.5, 0.7]))
    assert (result.statistic, result.p, result.why) == (0.0, 1.0, None)
    assert (result.n, result.ties) == (3, 3)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", EVERY)
def test_equal_constants_give_p_1_on_any_side(
    test: Callable[..., PairedTest], alternative: Alternative
) -> None:
    result = test([0.1 + 0.2, 0.3], [0.3, 0.3], alternative=alternative)
    assert (result.statistic, result.p) == (0.0, 1.0)


@pytest.mark.parametrize("test", EVERY)
@pytest.mark.parametrize(("y", "has"), [([np.nan, np.nan, 2.0], "1"), ([np.nan] * 3, "none")])
def test_too_few_topics_say_so(test: Callable[..., PairedTest], y: list[float], has: str) -> None:
    result = test(np.array([1.0, 2.0, 3.0]), np.array(y))
    assert result.why == f"needs two topics that both have, has {has}"
    assert math.isnan(result.p)
    assert result.n == np.count_nonzero(~np.isnan(y))


def test_a_constant_difference_has_no_t_but_ranks() -> None:
    x, y = [0.3, 0.5, 0.7, 0.9, 1.1, 1.3], [0.1, 0.3, 0.5, 0.7, 0.9, 1.1]
    result = paired_t(x, y)
    assert result.why == "all 6 differences are the same, and t needs them to vary"
    assert math.isnan(result.statistic)
    assert (result.n, result.wins) == (6, 6)
    assert result.difference == pytest.approx(0.2)
    assert wilcoxon(x, y).p == 2 / 2**6


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_constant_scores_have_no_unpaired_t() -> None:
    result = unpaired_t([0.3, 0.1 + 0.2, 0.3], [0.5, 0.5, 0.5])
    assert result.why == "each has one score on all 3 topics, and t needs them to vary"
    assert (result.n, result.losses) == (3, 3)
    assert result.difference == pytest.approx(-0.2)
    assert math.isnan(result.p)
    # One that varies is enough.
    expected = stats.ttest_ind([0.3, 0.4, 0.3], [0.5, 0.5, 0.5]).pvalue
    assert unpaired_t([0.3, 0.4, 0.3], [0.5, 0.5, 0.5]).p == pytest.approx(expected, rel=1e-12)


@given(SMALL, st.sampled_from(range(len(EVERY))), st.sampled_from(ALTERNATIVES))
def test_swapping_the_two_turns_the_sign_alone(
    pairs: list[tuple[int, int]], which: int, alternative: Alternative
) -> None:
    x, y = np.array(pairs).T / 7
    other: dict[Alternative, Alternative] = {"greater": "less", "less": "greater", "two-sided": "two-sided"}
    forth = EVERY[which](x, y, alternative=alternative)
    back = EVERY[which](y, x, alternative=other[alternative])
    assert (forth.statistic, forth.p) == pytest.approx((-back.statistic, back.p), rel=1e-12, nan_ok=True)
    assert (forth.wins, forth.losses, forth.ties) == (back.losses, back.wins, back.ties)


@given(SMALL)
def test_missing_topics_change_nothing(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    assert wilcoxon(np.r_[np.nan, x, 1.0], np.r_[2.0, y, np.nan]) == wilcoxon(x, y)


def test_the_level_is_kept_under_the_null() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(1, 6, (30, 2, 400))
    p = [wilcoxon(values[:, 0, k], values[:, 1, k]).p for k in range(400)]
    rejected = np.mean(np.array(p) < 0.05)
    assert 0.02 < rejected < 0.08  # four standard errors either way


def test_unknown_options_are_named() -> None:
    with pytest.raises(UsageError, match='zeros: unknown value "zsplit"; expected one of "wilcox"'):
        wilcoxon([1, 2], [2, 3], zeros="zsplit")  # type: ignore[arg-type]
    for test in EVERY:
        with pytest.raises(UsageError, match='alternative: unknown value "larger"; expected one of "two-s'):
            test([1, 2], [2, 3], alternative="larger")
    with pytest.raises(UsageError, match="exact_up_to: expected a whole number"):
        wilcoxon([1, 2], [2, 3], exact_up_to=-1)
