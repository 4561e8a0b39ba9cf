"""From counts against each reference to one number: recall, precision, F, and what several references mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from adjudge.measures.rouge.plain import NOTHING, Counts

STATS = ("recall", "precision", "f")
REFS = ("pooled", "best", "mean", "max", "jackknife")


@dataclass(frozen=True, slots=True)
class Ratios:
    """How counts are divided. `weight` is W's: its hits and bases are powers, and the root is taken last.

    `digits` is how finely recalls are compared where the best reference is chosen.
    """

    stat: str = "recall"
    alpha: float = 0.5
    refs: str = "pooled"
    weight: float = 1.0
    digits: int | None = None

    def __call__(self, counts: Sequence[Counts], wrote_one: bool = False) -> float:
        """One number. Who wrote one of the references (and is not held against it) is not jackknifed again."""
        return self.over(counts, self.ratio, wrote_one)

    def over(self, counts: Sequence[Counts], ratio: Callable[[Counts], float], wrote_one: bool) -> float:
        match self.refs:
            case "best":
                return ratio(max(counts, key=self.rank))
            case "mean":
                return fsum(map(ratio, counts)) / len(counts)
            case "max":
                return ratio(max(counts, key=self.f))
            case "jackknife" if len(counts) > 1 and not wrote_one:
                return fsum(
                    ratio(sum((c for k, c in enumerate(counts) if k != out), NOTHING))
                    for out in range(len(counts))
                ) / len(counts)
            case _:
                return ratio(sum(counts, NOTHING))

    def ratio(self, counts: Counts) -> float:
        if self.stat == "recall":
            return self.recall(counts)
        return self.precision(counts) if self.stat == "precision" else self.f(counts)

    def recall(self, counts: Counts) -> float:
        return self._root(counts.hits / counts.reference) if counts.reference else 0.0

    def precision(self, counts: Counts) -> float:
        return self._root(counts.hits / counts.peer) if counts.peer else 0.0

    def f(self, counts: Counts) -> float:
        return f_measure(self.recall(counts), self.precision(counts), self.alpha)

    def rank(self, counts: Counts) -> float:
        """What the original chooses the best reference by: recall, for n-grams and pairs in the digits it prints.

        For W it divides by the base before that is raised to the power, so a short reference does not win.
        """
        if not counts.reference:
            return 0.0
        if self.weight != 1.0:
            return counts.hits / self._root(counts.reference)
        recall = counts.hits / counts.reference
        return recall if self.digits is None else round(recall, self.digits)

    def _root(self, value: float) -> float:
        return value if self.weight == 1.0 else value ** (1 / self.weight)


def f_measure(recall: float, precision: float, alpha: float) -> float:
    """PR / ((1 - alpha) P + alpha R); alpha = .5 is the harmonic mean, towards 1 precision counts."""
    below = (1 - alpha) * precision + alpha * recall
    return precision * recall / below if below > 0 else 0.0
