"""Rank intervals and the number of consistent rankings: by listing all orders, and Lin and Hovy's groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.checks import BoolArray
from adjudge.stats.order import (
    _at_least,
    _at_most,
    better_by_interval,
    better_in_order,
    closure,
    count_rankings,
    rank_intervals,
)


def consistent(better: BoolArray) -> list[tuple[int, ...]]:
    """Every order in which no item stands before one that is better than it."""
    return [
        order
        for order in permutations(range(len(better)))
        if not any(better[order[j], order[i]] for i, j in combinations(range(len(order)), 2))
    ]


@st.composite
def relations(draw: st.DrawFn) -> BoolArray:
    """Any relation, circles among them."""
    size = draw(st.integers(1, 6))
    cells = draw(st.lists(st.sampled_from([0, 0, 1]), min_size=size**2, max_size=size**2))
    better = np.array(cells, dtype=bool).reshape(size, size)
    np.fill_diagonal(better, False)
    return better


@st.composite
def intervals(draw: st.DrawFn) -> BoolArray:
    ends = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=7))
    low, high = np.sort(np.array(ends, dtype=float), axis=1).T
    return better_by_interval(low, high)


@settings(deadline=None)
@given(st.one_of(relations(), intervals()))
def test_counts_equal_the_list(better: BoolArray) -> None:
    listed = consistent(better)
    found = count_rankings(better)
    assert found.count == len(listed)
    assert bool(found.circle) == (not listed)
    assert found.low == found.high == found.count


@settings(deadline=None)
@given(st.one_of(relations(), intervals()))
def test_rank_intervals_hold_just_the_ranks_that_can_be(better: BoolArray) -> None:
    listed = consistent(better)
    best, worst = rank_intervals(better)
    if listed:
        places = np.array([np.argsort(order) + 1 for order in listed])
        assert best.tolist() == places.min(axis=0).tolist()
        assert worst.tolist() == places.max(axis=0).tolist()
    assert ((best >= 1) & (best <= worst) & (worst <= len(better))).all()


@settings(deadline=None)
@given(st.one_of(relations(), intervals()))
def test_bounds_hold_the_number(better: BoolArray) -> None:
    listed = consistent(better)
    closed = closure(better)
    if listed:
        assert _at_least(closed) <= len(listed) <= _at_most(closed)
        cut = count_rankings(better, most=0)
        assert cut.count is None
        assert cut.low <= len(listed) <= cut.high


def test_lin_and_hovys_groups() -> None:
    # Lin and Hovy 2002, section 4: {Human1, Human2}, {N, T, Y}, {Baseline2, L, P}, {S}, {M, O, R}, {Z},
    # {Baseline1, U, W}. The paper multiplies sizes, 2*3*3*1*3*1*3 = 162; orders are counted by factorials.
    sizes = [2, 3, 3, 1, 3, 1, 3]
    group = np.repeat(np.arange(7), sizes)
    found = count_rankings(group[:, None] < group)
    assert found.count == math.prod(math.factorial(size) for size in sizes) == 2592
    assert math.prod(sizes) == 162
    assert found.sentence() == "2,592 rankings of the 16 systems agree with the significant differences."
    best, worst = rank_intervals(group[:, None] < group)
    assert (best[:3].tolist(), worst[:3].tolist()) == ([1, 1, 3], [2, 2, 5])
    assert (best[-1], worst[-1]) == (14, 16)


def test_without_and_with_all_differences() -> None:
    assert count_rankings(np.zeros((66, 66), dtype=bool)).count == math.factorial(66)
    chain = np.triu(np.ones((66, 66), dtype=bool), 1)
    assert (
        count_rankings(chain).sentence()
        == "One ranking of the 66 systems agrees with the significant differences."
    )
    assert rank_intervals(chain)[0].tolist() == list(range(1, 67))
    assert count_rankings(np.zeros((0, 0), dtype=bool)).count == 1


def test_two_chains_side_by_side() -> None:
    # 20 and 15 in order each: they can be merged in C(35, 15) ways.
    better = np.zeros((35, 35), dtype=bool)
    better[:20, :20] = np.triu(np.ones((20, 20), dtype=bool), 1)
    better[20:, 20:] = np.triu(np.ones((15, 15), dtype=bool), 1)
    assert count_rankings(better).count == math.comb(35, 15)


def test_too_many_to_count_gives_bounds() -> None:
    places = np.sort(np.random.default_rng(1).random(66))
    better = places[:, None] - places > 0.3
    found = count_rankings(better, most=2000)
    assert found.count is None
    assert 10**40 < found.low < found.high < math.factorial(66)
    assert found.sentence().startswith("Between ")
    assert found.sentence().endswith(" agree with the significant differences (too many to count).")
    # Where it can be counted, the bounds are around the number.
    near = places[:, None] - places > 0.08
    exact = count_rankings(near)
    assert exact.count is not None
    assert _at_least(closure(near)) < exact.count < _at_most(closure(near))
    assert "e" in exact.sentence()


def test_a_circle_is_named_and_leaves_no_ranking() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 1] = better[1, 2] = better[2, 0] = better[0, 3] = True
    found = count_rankings(better)
    assert (found.count, found.circle) == (0, (0, 1, 2))
    assert found.sentence() == (
        "No ranking of the 4 systems agrees with the significant differences: some go round in a circle."
    )
    best, worst = rank_intervals(better)
    assert (best.tolist(), worst.tolist()) == ([1, 1, 1, 4], [3, 3, 3, 4])
    assert count_rankings(np.zeros((3, 3), dtype=bool)).circle == ()


def test_what_follows_counts() -> None:
    # 0 beats 1 and 1 beats 2; that 0 beats 2 was not found, and follows.
    better = np.zeros((3, 3), dtype=bool)
    better[0, 1] = better[1, 2] = True
    assert rank_intervals(better)[0].tolist() == [1, 2, 3]
    assert count_rankings(better).count == 1


def test_relations_from_an_order_and_from_intervals() -> None:
    different = np.array([[False, True, False], [True, False, False], [False, False, False]])
    assert np.argwhere(better_in_order(different, [1, 2, 0])).tolist() == [[1, 0]]
    better = better_by_interval([0.0, 2.0, 1.0, math.nan], [1.0, 3.0, 2.0, math.nan])
    assert np.argwhere(better).tolist() == [[1, 0]]  # touching intervals are not apart


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_intervals([[0, 1], [0, 0]]), "better: expected a square matrix of truth values"),
        (lambda: count_rankings([[True]]), r"better: \[0, 0\] is true; nothing is better than itself"),
        (lambda: better_by_interval([1.0], [0.0]), r"low and high: \[0\] is empty, from 1 to 0"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()
