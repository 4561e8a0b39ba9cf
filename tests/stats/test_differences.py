"""Differences, their noise, ties and ranks; and what the checks refuse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.paired import NOISE, all_equal, common, differences, rank

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
