"""Intervals drawn in characters."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.bars import interval_bars

NAN = math.nan


def test_a_picture_drawn_by_hand() -> None:
    # From 10 to 20 in 11 characters: one for each number.
    axis, lines = interval_bars([(15, 17, 20), (10, 12, 14), (12, 15, 18)], marks="●◆○", width=11, form=".0f")
    assert axis == "10       20"
    assert lines == ["     ──●───", "──◆──", "  ───○───"]


def test_pictures_of_almost_nothing() -> None:
    nothing, flat = (NAN, NAN, NAN), (3.5, 3.5, 3.5)
    assert interval_bars([], width=11, form=".0f") == ("", [])
    assert interval_bars([nothing], width=11, form=".0f") == ("", [""])
    assert interval_bars([flat, nothing], width=11, form=".0f") == ("4         4", ["     ●", ""])
    # An estimate without an interval is a mark, and part of the axis.
    assert interval_bars([(0, 1, 2), (NAN, 4, NAN)], width=5, form=".3g") == ("0   4", ["─●─", "    ●"])


@pytest.mark.parametrize("width", [11, 20, 41])
@given(st.lists(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3), min_size=1, max_size=9))
def test_no_line_is_wider_than_the_picture_and_marks_lie_within_their_lines(
    width: int, numbers: list[list[float]]
) -> None:
    intervals = [(low, estimate, high) for low, estimate, high in map(sorted, numbers)]
    axis, lines = interval_bars(intervals, width=width, form=".1g")
    assert len(axis) >= width >= max(map(len, lines))
    for line in lines:
        assert line.count("●") == 1
        assert set(line.strip()) <= {"●", "─"}
