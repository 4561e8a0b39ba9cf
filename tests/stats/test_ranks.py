"""Spearman's rho and Kendall's tau: plain twins, SciPy, hand counts, and the table of Lin and Hovy 2002."""

from __future__ import annotations

import csv
import math
from dataclasses import FrozenInstanceError
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from adjudge.errors import UsageError
from adjudge.stats import ranks as module
from adjudge.stats.ranks import RankCorrelation, doubled_ranks, kendall, kendall_interval, spearman

FIGURE_4 = Path(__file__).parent / "data" / "lin_hovy_2002_figure4.csv"
pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12)


def twin(x: list[float], y: list[float]) -> float:
    """A value's mid-rank is half a rank for itself, one for each smaller, half for each equal one."""

    def ranks(values: list[float]) -> list[float]:
        return [sum((v < u) + (v == u) / 2 for v in values) + 0.5 for u in values]

    a, b = ranks(x), ranks(y)
    middle = (len(x) + 1) / 2
    products = [(p - middle) * (q - middle) for p, q in zip(a, b, strict=True)]
    spread = math.prod(sum((r - middle) ** 2 for r in side) for side in (a, b))
    return sum(products) / math.sqrt(spread) if spread else math.nan


@given(pairs)
def test_it_equals_the_twin(values: list[tuple[int, int]]) -> None:
    x, y = [float(a) for a, _ in values], [float(b) for _, b in values]
    result = spearman(x, y)
    assert result.n == len(values)
    assert result.rho == pytest.approx(twin(x, y) if len(x) > 1 else math.nan, nan_ok=True)
    assert (result.why is None) == (not math.isnan(result.rho))


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30, unique=True))
def test_order_alone_matters(values: list[int]) -> None:
    x = np.array(values)
    y = np.random.default_rng(len(x)).permutation(x)
    assert spearman(x, x).rho == 1.0
    assert spearman(x, -x).rho == -1.0
    assert spearman(x, np.arctan(x / 1000)).rho == 1.0
    assert spearman(x, y).rho == spearman(y, x).rho


def test_it_equals_scipy() -> None:
    rng = np.random.default_rng(7)
    for size in (3, 10, 50, 400):
        x, y = rng.integers(0, size, (2, size))
        assert spearman(x, y).rho == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_ties_counted_by_hand() -> None:
    assert doubled_ranks(np.array([30.0, 10.0, 20.0, 20.0])).tolist() == [8, 2, 5, 5]
    # ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5)
    assert spearman([1, 2, 2, 4], [1, 2, 3, 4]).rho == pytest.approx(math.sqrt(0.9))


def test_noise_ties() -> None:
    assert doubled_ranks(np.array([0.1 + 0.2, 0.3, 0.2])).tolist() == [5, 5, 2]
    assert spearman([0.1 + 0.2, 0.3, 0.2], [1, 1, 0]).rho == 1.0


def test_a_pair_with_a_gap_is_dropped() -> None:
    gap = math.nan
    assert spearman([1, gap, 2, 3], [1, 9, gap, 3]) == RankCorrelation(1.0, 2)


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([], [], "needs two pairs, has none"),
        ([1], [2], "needs two pairs, has 1"),
        ([1, math.nan], [2, 3], "needs two pairs, has 1"),
        ([2, 2, 2], [1, 2, 3], "all 3 values of x are the same"),
        ([1, 2, 3], [4, 4, 4], "all 3 values of y are the same"),
    ],
)
def test_the_undefined_says_why(x: list[float], y: list[float], why: str) -> None:
    result = spearman(x, y)
    assert math.isnan(result.rho)
    assert result.why == why


def test_wrong_arrays_and_frozen_results() -> None:
    with pytest.raises(UsageError, match="x and y: expected one length, got 2 and 3"):
        spearman([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="infinite value"):
        spearman([1, math.inf], [1, 2])
    with pytest.raises(FrozenInstanceError):
        spearman([1, 2], [1, 2]).rho = 0.0  # type: ignore[misc]


def figure_4() -> dict[str, list[float]]:
    with FIGURE_4.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return {column: [float(row[column]) for row in rows] for column in rows[0] if column != "system"}


# The rho line that the figure lacks. The paper's best, C2 with Porter's stemmer, holds; its "above 97%" does
# not hold for X3, C3 without stemming.
RHO = {
    "X1": 0.9845,
    "X2": 0.9728,
    "X3": 0.9698,
    "L1": 0.9845,
    "L2": 0.9831,
    "L3": 0.9713,
    "P1": 0.9838,
    "P2": 0.9875,
    "P3": 0.9713,
}


def test_lin_and_hovys_rankings() -> None:
    ranks = figure_4()
    found = {column: spearman(ranks["retention"], ranks[column]) for column in RHO}
    assert {column: round(result.rho, 4) for column, result in found.items()} == RHO
    assert {result.n for result in found.values()} == {16}
    assert max(found, key=lambda column: found[column].rho) == "P2"
    assert [column for column, result in found.items() if result.rho < 0.97] == ["X3"]


def test_the_table_leaves_rank_13_free() -> None:
    ranks = figure_4()
    assert all(side[-1] == 13 and 13 not in side[:-1] for side in ranks.values())


def test_without_system_z_the_values_differ() -> None:
    ranks = figure_4()
    without = {column: spearman(ranks["retention"][:-1], ranks[column][:-1]).rho for column in RHO}
    assert all(round(without[column], 4) != RHO[column] for column in RHO)


def taus(x: list[float], y: list[float]) -> float:
    """tau-b by looking at every pair."""
    pairs = [(x[i] - x[j], y[i] - y[j]) for i, j in combinations(range(len(x)), 2)]
    s = sum(int(np.sign(a) * np.sign(b)) for a, b in pairs)
    untied = sum(a != 0 for a, _ in pairs) * sum(b != 0 for _, b in pairs)
    return s / math.sqrt(untied) if untied else math.nan


@settings(deadline=None)
@given(pairs)
def test_kendall_equals_the_twin_and_all_orders(values: list[tuple[int, int]]) -> None:
    x, y = [float(a) for a, _ in values], [float(b) for _, b in values]
    result = kendall(x, y)
    assert result.n == len(values)
    assert result.tau == pytest.approx(taus(x, y), nan_ok=True)
    assert (result.why is None) == (not math.isnan(result.tau))
    if result.why is None and result.n <= 6:
        all_taus = [taus(x, list(order)) for order in permutations(y)]
        expected = np.mean([abs(tau) >= abs(result.tau) - 1e-9 for tau in all_taus])
        assert result.method == "exact"
        assert result.p == pytest.approx(expected)


@pytest.mark.parametrize("n", [2, 5, 12, 33, 60, 100, 300])
@pytest.mark.parametrize("levels", [None, 4, 40])
def test_kendall_equals_scipy(n: int, levels: int | None) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n)) if levels is None else rng.integers(0, levels, (2, n))
    result = kendall(x, y)
    tied = levels is not None and (len(set(x)) < n or len(set(y)) < n)
    expected = kendalltau(x, y, method="asymptotic" if tied or n > 100 else "exact")
    assert result.tau == pytest.approx(expected.statistic, abs=1e-12, nan_ok=True)
    if not tied or n > 8:  # with ties and few items ours is exact, and SciPy's is not
        assert result.p == pytest.approx(expected.pvalue, abs=1e-12)
        assert result.method == ("exact" if not tied and n <= 100 else "normal")


def test_perfect_agreement_is_exactly_one() -> None:
    x = np.array([0.1, 0.2, 0.2, 0.5, 0.9])
    assert kendall(x, x**2).tau == 1.0
    assert kendall(x, -x).tau == -1.0
    assert kendall(np.arange(20), np.arange(20)).p == pytest.approx(2 / math.factorial(20), rel=1e-12)
    assert (kendall(x, x).concordant, kendall(x, x).discordant) == (9, 0)


def test_kendalls_ties_are_those_of_noise() -> None:
    assert kendall([0.1 + 0.2, 0.3, 0.5], [1, 1, 2]).tau == 1.0


def test_random_orders_come_near_the_truth() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 4, (2, 8))
    exact = kendall(x, y).p
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LISTED_UP_TO", 2)
        drawn = kendall(x, y, rng=np.random.default_rng(5), resamples=5000)
        normal = kendall(x, y)
    assert (drawn.method, normal.method) == ("permutation", "normal")
    assert drawn.p == pytest.approx(exact, abs=0.03)
    assert (drawn.p * 5001) == pytest.approx(round(drawn.p * 5001))
    assert drawn.p >= 1 / 5001


def test_what_kendall_cannot_say() -> None:
    assert kendall([1.0], [2.0]).why == "needs two items that both have, has 1"
    assert kendall([math.nan], [2.0]).why == "needs two items that both have, has none"
    assert kendall([1.0, 1.0], [2.0, 3.0]).why == "all 2 values of x are the same"
    assert math.isnan(kendall([1.0, 1.0], [2.0, 3.0]).p)


def test_the_interval_of_tau_is_a_bootstrap_of_items() -> None:
    data = np.random.default_rng(6)
    x, y = data.integers(0, 6, (2, 12)).astype(float)
    y[3] = math.nan
    found = kendall_interval(x, y, rng=np.random.default_rng(7), resamples=150, level=0.9)
    both = ~np.isnan(y)
    draws, drawn = np.random.default_rng(7), []
    for _ in range(150):
        chosen = draws.integers(0, 11, 11)
        drawn.append(taus(x[both][chosen].tolist(), y[both][chosen].tolist()))
    expected = np.nanquantile(drawn, [0.05, 0.95])
    assert (found.low, found.high) == pytest.approx((expected[0], expected[1]), abs=1e-12)
    assert (found.level, found.method, found.resamples) == (0.9, "bootstrap-percentile", 150)


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([], [])])
def test_too_little_for_an_interval(x: list[float], y: list[float]) -> None:
    found = kendall_interval(x, y, rng=np.random.default_rng(1))
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_single_and_doubled_rankings_of_figure_4() -> None:
    # Every automatic ranking agrees with the manual one better than by chance.
    ranks = figure_4()
    for column in RHO:
        assert kendall(ranks["retention"], ranks[column]).p < 1e-4
