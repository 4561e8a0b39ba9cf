"""Decimals, scales and lists."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from adjudge.analyses.pages.numbers import Format, Scale, format_apart, format_for, percent, scale_for, span

FINITE = st.floats(-1e9, 1e9, allow_nan=False)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1, 0.8], "0.123"),  # ROUGE over topics: 0.7 / 100 is told apart by three decimals
        ([0.40, 0.45], "0.1235"),
        ([2.1, 4.3], "0.12"),  # ratings
        ([40.0, 120.0], "0.1"),  # words
        ([1000.0, 9000.0], "0"),
        ([math.nan], "0"),
    ],
)
def test_decimals_follow_the_spread(values: list[float], expected: str) -> None:
    assert format_for(values, steps=100)(0.123456) == expected


def test_one_value_shows_three_digits() -> None:
    assert format_for([0.25, 0.25], steps=50)(0.25) == "0.250"
    assert format_for([0.0], steps=50)(0.0) == "0.00"


def test_very_large_and_very_close_values_have_an_exponent() -> None:
    assert format_for([1.0, 2e9], steps=100)(1.5e9) == "1.5e+09"
    assert format_for([1e-9, 2e-9], steps=100)(1.5e-9) == "1.5e-09"


def test_zero_has_no_minus() -> None:
    assert Format(2)(-0.001) == "0.00"
    assert Format(2)(-0.01) == "-0.01"


def test_neighbours_that_differ_look_different() -> None:
    assert format_apart([0.4121, 0.4124], Format(3)) == Format(4)
    assert format_apart([0.4121, 0.4121], Format(3)) == Format(3)
    assert format_apart([0.412, 0.413], Format(3)) == Format(3)


@given(st.lists(FINITE, min_size=1, max_size=8))
def test_a_scale_holds_its_values_and_is_not_much_larger(values: list[float]) -> None:
    spread = max(values) - min(values)
    assume(spread == 0 or spread > 1e-9 * max(abs(v) for v in values))
    scale = scale_for(values)
    places = [scale.place(value) for value in values]
    assert all(-1e-4 <= place <= 100 + 1e-4 for place in places)
    assert 1 <= scale.steps <= 8
    if spread:
        assert max(places) - min(places) > 30


def test_a_scale_has_round_ends_and_labels() -> None:
    scale = scale_for([0.31, math.nan, 0.52])
    assert (scale.low, scale.high, scale.steps) == pytest.approx((0.30, 0.55, 5))
    assert [tick.text for tick in scale.ticks()] == ["0.30", "0.35", "0.40", "0.45", "0.50", "0.55"]
    assert [tick.at for tick in scale.ticks()] == ["0", "20", "40", "60", "80", "100"]


def test_labels_show_quarters() -> None:
    assert [tick.text for tick in Scale(0.0, 1.0, 4).ticks()] == ["0.00", "0.25", "0.50", "0.75", "1.00"]


def test_labels_for_which_there_is_no_room_are_left_out() -> None:
    scale = Scale(0.275, 0.425, 6)
    assert [tick.text for tick in scale.ticks(24)] == ["0.275", "0.325", "0.375", "0.425"]
    assert [float(tick.at) for tick in scale.ticks(24)] == pytest.approx([0, 33.33, 66.67, 100])
    scale = Scale(0.0, 0.125, 5)
    assert [tick.text for tick in scale.ticks(24)] == ["0.00", "0.05", "0.10"]
    assert [tick.at for tick in scale.ticks(24)] == ["0", "40", "80"]
    assert len(scale.ticks()) == 6


def test_a_scale_of_one_value_has_it_inside() -> None:
    for value in (0.0, 0.4, -3.0):
        assert 10 < scale_for([value]).place(value) < 90


def test_places_are_short_and_plain() -> None:
    assert [percent(value) for value in (0.0, 33.333333, 50.0, 1e-9, 100.0)] == [
        "0",
        "33.33",
        "50",
        "0",
        "100",
    ]


def test_spans() -> None:
    assert (span([4, 4]), span([4, 2, 3])) == ("4", "2 to 4")


def test_no_number_on_a_page_is_minus_zero() -> None:
    for form in (Format(None), Format(0), Format(4)):
        assert not form(-0.0).startswith("-")
    assert Format(4)(-0.00004) == "-4.0e-05"
    assert Format(None)(-0.00004) == "-4e-05"
    assert percent(-0.001) == "0"
