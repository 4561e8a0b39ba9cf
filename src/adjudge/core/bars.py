"""Intervals drawn in characters: a line from one end to the other, with a mark where the estimate is."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.core.words import decimal

MARK = "●"


def interval_bars(
    intervals: Sequence[tuple[float, float, float]],
    *,
    marks: Sequence[str] = (),
    width: int,
    form: str,
) -> tuple[str, list[str]]:
    """The ends of the axis, and each interval as a line: its low end, the estimate, its high end.

    An estimate without an interval (NaN) is a mark alone; where there is no estimate nothing is drawn.
    """
    seen = [end for interval in intervals for end in interval if end == end]
    if not seen:
        return "", [""] * len(intervals)
    left, right = min(seen), max(seen)
    ends = decimal(left, form), decimal(right, form)
    axis = ends[0] + " " * max(width - len(ends[0]) - len(ends[1]), 1) + ends[1]

    def place(value: float) -> int:
        # Halves first: the distance of two large numbers is no float.
        across = right / 2 - left / 2
        return round((value / 2 - left / 2) / across * (width - 1)) if across > 0 else width // 2

    def line(interval: tuple[float, float, float], mark: str) -> str:
        low, estimate, high = interval
        if estimate != estimate:
            return ""
        at = place(estimate)
        if low != low or high != high:
            return " " * at + mark
        first, last = place(low), place(high)
        return " " * first + "─" * (at - first) + mark + "─" * (last - at)

    return axis, [line(*pair) for pair in zip(intervals, marks or [MARK] * len(intervals), strict=True)]
