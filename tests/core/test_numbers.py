"""Numbers as people read them: never minus zero, no rounding noise, and no small number taken for nothing."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.table import Column, Table
from adjudge.core.words import decimal


@pytest.mark.parametrize(
    ("value", "form", "scale", "shown"),
    [
        (-1.4e-17, ".3f", 0.5, "0.000"),
        (-1.4e-17, "+.3f", 0.5, "+0.000"),
        (-1.4e-17, ".3f", 0.0, "-1.4e-17"),
        (1e-300, ".4f", 0.0, "1.0e-300"),
        (3e-9, ".4f", 1.0, "3.0e-09"),
        (3e-9, ".4f", 3e-9, "3.0e-09"),
        (-0.0, ".2f", 0.0, "0.00"),
    ],
)
def test_rounding_is_0_at_the_scale_of_the_numbers(value: float, form: str, scale: float, shown: str) -> None:
    assert decimal(value, form, scale=scale) == shown


@given(st.lists(st.integers(1, 999), min_size=3, max_size=5), st.sampled_from([1e-9, 1e-3, 1.0, 1e3]))
def test_equal_sums_differ_by_nothing_in_a_table(numbers: list[int], unit: float) -> None:
    """The same numbers added up in two orders: the difference is 0, whatever their unit."""
    values = [unit * number / 10 for number in numbers]
    rows = [(sum(values), sum(order), sum(order) - sum(values)) for order in permutations(values)]
    table = Table.of("t", rows, "first other", Column("difference", format="+.3f"))
    assert {cells[2] for cells in table.printed()[1]} == {"+0.000"}


def test_small_p_values_and_small_scores_stay() -> None:
    table = Table.of("t", [(0.5, 1e-20, 1e-12, math.nan)], "mean p p_adjusted gap")
    assert table.printed()[1] == [["0.500", "1.0e-20", "1.0e-12", "-"]]
    small = Table.of("t", [(3e-20, 1e-20)], "mean difference")
    assert small.printed()[1] == [["3.0e-20", "1.0e-20"]]


def test_a_statistic_without_a_bound_makes_nothing_small() -> None:
    table = Table.of("t", [(1e18, 0.001, 2e-9)], "F share difference")
    assert table.printed()[1] == [["1e+18", "0.001", "2.0e-09"]]
