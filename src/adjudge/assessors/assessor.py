"""An assessor whose faults are known, and how such a one answers a single question. Protocols: simulated.py.

An answer is where the truth stands on the scale, from 0 to 1, moved by bias and drift, blurred by noise, put to the
nearest choice; and now and then another choice altogether.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from adjudge.errors import UsageError
from adjudge.judgments.protocol import Value

T = TypeVar("T")
NEAR = 1e-9
"""Two choices are equally near when their distances differ by less."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """An assessor whose faults are known. All are shares of a scale's length, whatever the scale.

    bias            added to every answer, towards the high end of the scale; in a preference, to the left side
    noise           standard deviation around the truth, drawn anew for every answer
    drift           added little by little: nothing at the first task, all of it at the last
    inconsistency   probability that an answer is another choice, any of the others
    """

    name: str
    bias: float = 0.0
    noise: float = 0.1
    drift: float = 0.0
    inconsistency: float = 0.0

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("a simulated assessor needs a name")
        for option, value, low, high in (
            ("bias", self.bias, -1, 1),
            ("noise", self.noise, 0, 10),
            ("drift", self.drift, -1, 1),
            ("inconsistency", self.inconsistency, 0, 1),
        ):
            if not low <= value <= high:  # a NaN is nowhere
                raise UsageError(
                    f"{self.name}: {option} is {value:g}, expected a number from {low} to {high}"
                )


@dataclass(frozen=True)
class Sitting:
    """An assessor before one task: how far along, and a stream of random numbers of its own."""

    who: Simulated
    progress: float
    rng: np.random.Generator

    def seen(self, truth: float) -> float:
        """What the assessor takes the truth for."""
        moved = truth + self.who.bias + self.who.drift * self.progress
        return moved + self.who.noise * float(self.rng.standard_normal())

    def choose(self, truth: float, positions: Sequence[float]) -> int:
        """Which of some choices, given where they stand on the scale. Of two as near the higher one."""
        seen = self.seen(truth)
        distances = [abs(seen - position) for position in positions]
        near = [at for at, distance in enumerate(distances) if distance <= min(distances) + NEAR]
        return self.slip(max(near, key=lambda at: positions[at]), len(positions))

    def slip(self, chosen: int, choices: int) -> int:
        """The choice that was meant, or with the probability of inconsistency another one."""
        if choices < 2 or self.rng.random() >= self.who.inconsistency:
            return chosen
        return int((chosen + 1 + self.rng.integers(choices - 1)) % choices)

    def pick(self, things: Sequence[T]) -> T:
        return things[int(self.rng.integers(len(things)))]


def positions(values: Sequence[Value]) -> list[float]:
    """Where choices stand on their scale, from 0 to 1: by their numbers, or in the order of the protocol."""
    if len(values) < 2:
        return [0.0 for _ in values]
    numbers = [value for value in values if not isinstance(value, str)]
    if len(numbers) < len(values):
        return [at / (len(values) - 1) for at in range(len(values))]
    low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) for number in numbers]
