"""What the pictures of comparisons have in common: names that are drawn, room, digits, marks of kinds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from adjudge.core.errors import UsageError
from adjudge.core.picture import drawn_text

if TYPE_CHECKING:
    import altair as alt

KIND_SHAPES = {"machine": "circle", "baseline": "diamond", "human": "square"}
CROSS = "M-.7,-.7L.7,.7M-.7,.7L.7,-.7"
"""A saltire, as a path."""
MOST_DECIMALS = 6


def labels(names: Iterable[str], kinds: Mapping[str, str] | None = None) -> dict[str, str]:
    """Every name as it is drawn, no two of them alike; `lead (baseline)` where kinds are to be told by the name."""
    drawn: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        kind = (kinds or {}).get(name, "machine")
        base = drawn_text(name) + ("" if kind == "machine" else f" ({kind})")
        label, k = base, 1
        while label in used:
            k += 1
            label = f"{base} [{k}]"
        used.add(label)
        drawn[name] = label
    return drawn


def once(base: alt.Chart) -> alt.Chart:
    """The chart with one row, for a line or a word that stands there once, whatever the rows are."""
    return base.transform_aggregate(rows="count()")


def step(count: int, room: float, least: float, most: float) -> float:
    """Pixels for each of so many rows or columns, which share the room."""
    return max(least, min(most, room / max(count, 1)))


def text_size(pixels: float) -> float:
    """Of labels beside rows that are so high."""
    return max(7.0, min(12.0, pixels - 1))


def few_enough(count: int, most: int, what: str, instead: str) -> None:
    """Refuse a picture that nobody could read, and say what to do instead."""
    if count > most:
        raise UsageError(f"{count:,} {what} are too many for a picture, which takes {most:,}: {instead}")


def form_of(values: Iterable[float], steps: float = 50) -> str:
    """A format with as many digits as tell about so many values apart between the least and the greatest."""
    finite = [value for value in values if math.isfinite(value)]
    spread = max(finite, default=0.0) - min(finite, default=0.0)
    size = max(map(abs, finite), default=0.0)
    if size >= 1e7:
        return ".4g"
    if not spread > 0:
        spread, steps = size or 1.0, 100
    decimals = math.ceil(math.log10(steps) - math.log10(spread))
    return ".4g" if decimals > MOST_DECIMALS else f".{max(0, decimals)}f"
