"""The exact permutation test of the mean difference, for all pairs: all 2^n swaps, without random numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import NOISE, Alternative, too_few
from adjudge.stats.pairs import PairResults, pair_counts
from adjudge.stats.resampling.engine import LEAST_TOPICS, SIDES
from adjudge.stats.resampling.quantised import MOST_STEPS, denominators

CELLS = 2**17
"""Steps that a pair's differences may add up to; the table has half as many cells, of 8 bytes each."""

LARGEST = 1e150
"""Scores beyond this are scaled down."""

MOST_ERROR = 0.05
"""Where p is known less closely than this, there is no result."""


@dataclass(frozen=True)
class ExactPairs(PairResults):
    """Results whose p is exact, or an upper bound: the true one is in [p - bound, p]."""

    bound: FloatArray = field(kw_only=True)
    """0 where p is exact; NaN where there is no p."""


def exact_pairs(
    values: npt.ArrayLike, *, alternative: Alternative = "two-sided", cells: int = CELLS
) -> ExactPairs:
    """Over all 2^n swaps of every two columns: the share in which the mean differs as much as it does.

    Differences on a grid (see `quantised.denominators`) are whole numbers of steps, and the distribution of their sum
    is built up one at a time (Streitberg and Röhmel 1986; Pagano and Tritchler 1983): p is exact. Where there is no
    grid, or the differences add up to more than `cells` steps of it, they are rounded to so many steps;
    p is then an upper bound, and `bound` says how much smaller it might be. Time goes with n times cells.
    """
    checks.one_of("alternative", alternative, get_args(Alternative))
    checks.count("cells", cells, least=2)
    matrix = checks.numbers("values", values, dimensions=2)
    counts = pair_counts(matrix)
    from adjudge.stats.resampling.exact_kernels import permutation_bounds

    columns = np.ascontiguousarray(matrix.T)
    # One denominator for both columns of each pair; 0 where there is none, or where steps come near the
    # noise.
    by_column = denominators(matrix)
    both = np.lcm(by_column[counts.first], by_column[counts.second])
    largest = np.max(np.abs(matrix), axis=0, initial=0.0, where=~np.isnan(matrix))
    denominator = np.where(
        np.maximum(largest[counts.first], largest[counts.second]) * both <= MOST_STEPS, both, 0
    )
    if np.nanmax(np.abs(columns), initial=0.0) > LARGEST:
        columns = np.ldexp(columns, -600)  # p does not change, and sums do not overflow
    bounds: tuple[FloatArray, FloatArray] = permutation_bounds(
        columns, counts.first, counts.second, denominator, NOISE, SIDES[alternative], cells
    )
    low, high = bounds
    bound = high - low
    why = {int(k): too_few(int(counts.n[k])) for k in np.flatnonzero(counts.n < LEAST_TOPICS)}
    for k in np.flatnonzero((bound > MOST_ERROR) & (counts.n >= LEAST_TOPICS)):
        why[int(k)] = (
            f"p is between {low[k]:.3f} and {high[k]:.3f} with {cells:,} cells; give more, or swap at random"
        )
    statistic = counts.difference.copy()
    gone = np.array(sorted(why), dtype=np.int64)
    for array in (statistic, high, bound):
        array[gone] = np.nan
    methods = [None if k in why else "exact" if bound[k] == 0 else "rounded" for k in range(len(counts))]
    signature = f"exact|cells:{cells}|{alternative}"
    return ExactPairs(
        test="exact",
        counts=counts,
        statistic=statistic,
        p=high,
        method=tuple(methods),
        signature=signature,
        alternative=alternative,
        why=why,
        bound=bound,
    )
