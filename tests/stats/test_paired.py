"""Paired tests against SciPy, against full enumeration, and their conventions."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations, product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import EXACT_UP_TO, PairTest, Zeros, all_pairs, paired_t, wilcoxon

ZEROS: tuple[Zeros, ...] = get_args(Zeros)
SMALL = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=10)


def enumerated(d: FloatArray, zeros: Zeros) -> tuple[float, float]:
    """W and its two-sided p over all sign flips, in plain words of NumPy and SciPy."""
    if zeros == "wilcox":
        d = d[d != 0]
    if not d.any():
        return 0.0, 1.0
    ranks = stats.rankdata(np.abs(d))
    signs = np.sign(d)
    observed = float((signs * ranks).sum())
    flips = np.array(list(product([-1, 1], repeat=d.size)))
    null = (flips * np.abs(signs) * ranks).sum(axis=1)
    return observed, float(np.mean(np.abs(null) >= abs(observed) - 1e-9))


@given(SMALL, st.sampled_from(ZEROS), st.sampled_from([1, 10, 3]))
def test_exact_equals_enumeration_with_ties_and_zeros(
    pairs: list[tuple[int, int]], zeros: Zeros, unit: int
) -> None:
    # In tenths and thirds the differences carry noise; the twin sees whole numbers.
    whole = np.array(pairs, dtype=float)
    w, p = enumerated(whole[:, 0] - whole[:, 1], zeros)
    result = wilcoxon(whole[:, 0] / unit, whole[:, 1] / unit, zeros=zeros)
    assert result.method == "exact"
    assert result.statistic == w
    assert result.p == pytest.approx(p, rel=1e-12)


def test_enumeration_tells_the_two_treatments_of_zeros_apart() -> None:
    # By hand: of 16 sums of the ranks 1 to 4, 7 are at most 4; of the ranks 4 to 7, 5 at most 7.
    d = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, -4.0])
    assert enumerated(d, "wilcox") == (2.0, 2 * 7 / 16)
    assert enumerated(d, "pratt") == (8.0, 2 * 5 / 16)
    assert wilcoxon(d, 0 * d).p == 2 * 7 / 16
    assert wilcoxon(d, 0 * d, zeros="pratt").p == 2 * 5 / 16


@pytest.mark.parametrize("n", [2, 3, 10, 46, 100, 200, EXACT_UP_TO])
def test_exact_equals_scipy_without_ties(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(0.2, 1, n), rng.normal(0, 1, n)
    expected = stats.wilcoxon(x, y, method="exact")
    result = wilcoxon(x, y)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-12)
    total = n * (n + 1) / 2
    assert (total - abs(result.statistic)) / 2 == pytest.approx(expected.statistic)


def test_the_far_tail_is_exact() -> None:
    n = 200
    assert wilcoxon(np.arange(1, n + 1), np.zeros(n)).p == 2.0 ** (1 - n)


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("n", [20, 301, 1000])
@pytest.mark.parametrize("levels", [5, 40, None])
def test_normal_equals_scipy(n: int, levels: int | None, zeros: Zeros) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(0.1, 1, (2, n))
    if levels is not None:
        x, y = np.round(x * levels / 5), np.round(y * levels / 5)
    expected = stats.wilcoxon(x, y, zero_method=zeros, correction=True, method="asymptotic")
    result = wilcoxon(x, y, zeros=zeros, exact_up_to=0)
    assert result.method == "normal"
    assert result.p == pytest.approx(expected.pvalue, rel=1e-12, abs=1e-12)


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
)
def test_t_equals_scipy(scores: list[float], seed: int) -> None:
    y = np.array(scores)
    x = y + np.random.default_rng(seed).normal(0.3, 1, y.size)
    expected = stats.ttest_rel(x, y)
    result = paired_t(x, y)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_t_of_a_textbook_sample() -> None:
    # Student 1908: extra hours of sleep, ten patients, two drugs.
    # SciPy 1.17.1, scipy.stats.ttest_rel(first, second)
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    result = paired_t(first, second)
    assert result.statistic == pytest.approx(-4.062127683382037, rel=1e-12)
    assert result.p == pytest.approx(0.002832890197384273, rel=1e-12)
    assert result.difference == pytest.approx(-1.58)
    assert (result.wins, result.losses, result.ties) == (0, 9, 1)


@pytest.mark.parametrize("test", [wilcoxon, partial(wilcoxon, zeros="pratt"), paired_t])
def test_no_difference_anywhere_gives_p_1(test: PairTest) -> None:
    result = test(np.array([0.1 + 0.2, 0.5, 0.7]), np.array([0.3, 0.5, 0.7]))
    assert (result.statistic, result.p, result.why) == (0.0, 1.0, None)
    assert (result.n, result.ties) == (3, 3)


@pytest.mark.parametrize("test", [wilcoxon, paired_t])
@pytest.mark.parametrize(("y", "has"), [([np.nan, np.nan, 2.0], "1"), ([np.nan] * 3, "none")])
def test_too_few_topics_say_so(test: PairTest, y: list[float], has: str) -> None:
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


@given(SMALL, st.sampled_from(ZEROS))
def test_swapping_the_two_turns_the_sign_alone(pairs: list[tuple[int, int]], zeros: Zeros) -> None:
    x, y = np.array(pairs).T / 7
    forth, back = wilcoxon(x, y, zeros=zeros), wilcoxon(y, x, zeros=zeros)
    assert (forth.statistic, forth.p) == (-back.statistic, back.p)
    assert (forth.wins, forth.losses, forth.ties) == (back.losses, back.wins, back.ties)


@given(SMALL)
def test_missing_topics_change_nothing(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    assert wilcoxon(np.r_[np.nan, x, 1.0], np.r_[2.0, y, np.nan]) == wilcoxon(x, y)


def test_all_pairs_come_in_order() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(12, 5))
    values[rng.random(values.shape) < 0.1] = np.nan
    for test in (wilcoxon, paired_t):
        expected = [test(values[:, i], values[:, j]) for i, j in combinations(range(5), 2)]
        assert all_pairs(values, test) == expected
    assert all_pairs(values[:, :1]) == []


def test_all_pairs_of_a_large_evaluation() -> None:
    # Rankel et al. 2011, table 1: 66 systems and 48 topics in 2008, 2,145 pairs. Whole ratings
    # tie, so that no two pairs share a null distribution.
    values = np.random.default_rng(4).integers(1, 6, (48, 66))
    for test in (wilcoxon, paired_t):
        assert len(all_pairs(values, test)) == 2145


def test_the_level_is_kept_under_the_null() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(1, 6, (30, 2, 400))
    p = [wilcoxon(values[:, 0, k], values[:, 1, k]).p for k in range(400)]
    rejected = np.mean(np.array(p) < 0.05)
    assert 0.02 < rejected < 0.08  # four standard errors either way


def test_unknown_options_are_named() -> None:
    with pytest.raises(UsageError, match='zeros: unknown value "split"; expected one of "wilcox"'):
        wilcoxon([1, 2], [2, 3], zeros="split")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="exact_up_to: expected a whole number"):
        wilcoxon([1, 2], [2, 3], exact_up_to=-1)
    with pytest.raises(UsageError, match=r"values: expected 2 dimension\(s\), got 1"):
        all_pairs([1, 2, 3])
