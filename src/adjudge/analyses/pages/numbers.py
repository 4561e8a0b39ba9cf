"""How numbers look on a page: decimals, counts, lists, a common scale. Knows no scores and no systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudge.core.words import decimal

LARGEST = 1e7  # beyond it, and below the decimals of a page, numbers are written with an exponent
MOST_DECIMALS = 6
TICKS = 4  # about as many steps as a scale has
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write the numbers of one table, so that their points stand under each other."""

    decimals: int | None  # None: four significant digits

    def __call__(self, value: float) -> str:
        return decimal(value, ".4g" if self.decimals is None else f".{self.decimals}f")


def format_for(values: Iterable[float], *, steps: float) -> Format:
    """As many decimals as tell about `steps` values apart between the least and the greatest."""
    numbers = [value for value in values if not math.isnan(value)]
    if not numbers:
        return Format(0)
    spread = max(numbers) - min(numbers)
    size = max(abs(value) for value in numbers)
    if size >= LARGEST:
        return Format(None)
    if spread <= 0:  # one value: three digits of it
        spread, steps = size or 1.0, 100
    decimals = math.ceil(math.log10(steps) - math.log10(spread))
    return Format(None) if decimals > MOST_DECIMALS else Format(max(0, decimals))


def format_apart(values: Sequence[float], form: Format) -> Format:
    """One more decimal where two neighbours that differ would look the same."""
    if form.decimals is None or form.decimals >= MOST_DECIMALS:
        return form
    alike = any(a != b and form(a) == form(b) for a, b in pairwise(values))
    return Format(form.decimals + 1) if alike else form


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on a scale, in percent from its left."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """From one round number to another, in equal round steps."""

    low: float
    high: float
    steps: int

    def place(self, value: float) -> float:
        """Percent from the left."""
        return 100 * (value - self.low) / (self.high - self.low)

    def ticks(self, room: float = math.inf) -> tuple[Tick, ...]:
        """Every step; every second where there is no room for so many characters of labels."""
        step = (self.high - self.low) / self.steps
        ticks = self._labelled(step, self.steps + 1)
        if sum(len(tick.text) for tick in ticks) > room:
            return self._labelled(2 * step, self.steps // 2 + 1)
        return ticks

    def _labelled(self, step: float, many: int) -> tuple[Tick, ...]:
        values = [self.low + k * step for k in range(many)]
        values = [0.0 if abs(value) < 1e-9 * step else value for value in values]
        form = format_for([0.0, step], steps=1)
        if any(not math.isclose(float(form(value)), value, abs_tol=step / 100) for value in values):
            form = format_for([0.0, step], steps=10)  # a step such as 0.25
        return tuple(Tick(percent(self.place(value)), form(value)) for value in values)


def scale_for(values: Iterable[float]) -> Scale:
    """The scale that holds all values."""
    numbers = [value for value in values if not math.isnan(value)] or [0.0]
    low, high = min(numbers), max(numbers)
    if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
        room = abs(high) / 10 or 1.0
        low, high = low - room, high + room
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * round_step for round_step in ROUND_STEPS if power * round_step >= 0.75 * rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Scale(first * step, last * step, last - first)


def percent(value: float) -> str:
    """For a style attribute: short, and never with an exponent."""
    return decimal(value, ".2f").rstrip("0").rstrip(".")


def span(numbers: Iterable[int]) -> str:
    """`4`, or `2 to 4`."""
    ordered = sorted(set(numbers))
    return f"{ordered[0]:,}" if len(ordered) == 1 else f"{ordered[0]:,} to {ordered[-1]:,}"
