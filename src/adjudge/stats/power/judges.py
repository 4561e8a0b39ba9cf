"""How much of a difference's spread is the judges' disagreement, and how it shrinks with more of them. No topics here.

The mean of m judgments of a summary has a variance of its own, of which more judges leave less:
variance of a difference = what systems do to topics + disagreement / m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.power.sources import Spreads


@dataclass(frozen=True)
class Disagreement:
    """The part of judges in the differences between two systems."""

    variance: float
    """Of the difference that one judge sees; NaN where no summary has two judges."""
    judges: float
    """By summary, the harmonic mean: the number that counts for the variance of a mean."""
    matched: bool
    """Whether the same judges saw both summaries: then a strict one is strict with both, and that drops out."""

    def share(self, spread: float) -> float:
        """What part of the variance of a difference it makes, as judged now; at most all of it."""
        return min(self.variance / self.judges / spread**2, 1.0) if spread > 0 else math.nan

    def spread_with(self, judges: float, spread: float) -> float:
        """The standard deviation of a difference if there were so many judges; with infinitely many, what is left."""
        rest = max(spread**2 - self.variance / self.judges, 0.0)
        return math.sqrt(rest + self.variance / judges)

    def judges_for(self, wanted: float, spread: float) -> float:
        """How many judges bring the spread down to the wanted one; infinite where none do."""
        room = wanted**2 - max(spread**2 - self.variance / self.judges, 0.0)
        return self.variance / room if room > 0 else math.inf


def disagreement(values: npt.ArrayLike, pairs: Spreads, *, same_judges: bool) -> Disagreement:
    """Pooled over pairs and topics; values are topics x systems x judges, NaN where one did not judge.

    With `same_judges` the third axis are persons, and what they say of two systems is held against each other, on
    topics where two or more saw both. Else, or where there are no such topics, each system's judgments
    are taken for themselves: their variances add up.
    """
    cube = checks.numbers("values", values, dimensions=3)
    chosen = pairs.some()
    columns = [(cube[:, pairs.first[k]], cube[:, pairs.second[k]]) for k in chosen]
    if same_judges:
        squares, freedom, inverse = _pooled([x - y for x, y in columns])
        if freedom:
            return Disagreement(squares / freedom, 1 / inverse, True)
    squares, freedom, inverse = _pooled([side for both in columns for side in both])
    if not freedom:
        return Disagreement(math.nan, math.nan, False)
    return Disagreement(2 * squares / freedom, 1 / inverse, False)


def _pooled(rows: list[FloatArray]) -> tuple[float, int, float]:
    """Squares within topics, their degrees of freedom, and the mean of 1/m over topics that were judged."""
    squares, freedom, inverse, judged = 0.0, 0, 0.0, 0
    for each in rows:
        here = ~np.isnan(each)
        m = np.count_nonzero(here, axis=1)
        means = np.where(here, each, 0.0).sum(axis=1) / np.maximum(m, 1)
        squares += float(np.square(np.where(here, each - means[:, None], 0.0)).sum())
        freedom += int(np.maximum(m - 1, 0).sum())
        inverse += float((1 / m[m > 0]).sum())
        judged += int(np.count_nonzero(m))
    return squares, freedom, inverse / judged if judged else math.nan
