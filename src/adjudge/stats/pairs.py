"""What a test of all pairs of columns gives: arrays over the pairs. The tests themselves live elsewhere.

Pairs are (i, j) with i < j, in the order of `itertools.combinations`. A matrix of 200 systems has 19,900 of
them, so results are columns of numbers; `PairResults.at` makes one pair's result for a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Alternative, PairedTest


@dataclass(frozen=True)
class PairCounts:
    """Every pair before any test: on how many topics both are, and how they differ there."""

    first: IntArray
    second: IntArray
    n: IntArray
    difference: FloatArray
    """The mean of first - second over the n topics; NaN where n is 0."""
    wins: IntArray
    losses: IntArray
    ties: IntArray

    def __len__(self) -> int:
        return self.n.size


@dataclass(frozen=True)
class PairResults:
    """One test of all pairs. What cannot be computed has NaN for `statistic` and `p`, and says why."""

    test: str
    """One of `results.TEST_WORDS`: wilcoxon, t, t-unpaired, welch, sign, mc, hb, exact."""
    counts: PairCounts
    statistic: FloatArray
    """Signed: positive where the first column is higher."""
    p: FloatArray
    method: tuple[str | None, ...]
    """How each p was had: exact, normal, t, swaps, ...; None where it could not be."""
    signature: str
    """Enough to get the same numbers again: the test with its options, resamples."""
    alternative: Alternative = "two-sided"
    why: dict[int, str] = field(default_factory=dict)
    """The reason, by the pair's position, where there is no result."""
    cutoff: FloatArray | None = None
    """Where the test resamples: the (1 - alpha) quantile of its statistic under the null hypothesis."""

    def __len__(self) -> int:
        return self.p.size

    def at(self, k: int) -> PairedTest:
        """The k-th pair's result."""
        c = self.counts
        return PairedTest(
            self.test,
            float(self.statistic[k]),
            float(self.p[k]),
            int(c.n[k]),
            self.method[k],
            float(c.difference[k]),
            int(c.wins[k]),
            int(c.losses[k]),
            int(c.ties[k]),
            self.why.get(k),
            self.alternative,
        )


def columns_of_pairs(columns: int) -> tuple[IntArray, IntArray]:
    """The two columns of every pair, in the order of `itertools.combinations`."""
    first, second = np.triu_indices(columns, k=1)
    return first.astype(np.int64), second.astype(np.int64)
