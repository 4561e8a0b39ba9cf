"""Mid-ranks, and how far two rankings agree. Ranks of differences live in differences.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.differences import NOISE, steps


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's rho over the n pairs that both sides have. Where there is none, `why` says why."""

    rho: float
    n: int
    why: str | None = None

    @classmethod
    def undefined(cls, why: str, *, n: int) -> Self:
        return cls(math.nan, n, why)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> RankCorrelation:
    """Spearman's rank correlation, corrected for ties: the correlation of the mid-ranks.

    Works on scores and on printed ranks alike (1, 2, 2, 4 becomes 1, 2.5, 2.5, 4). A pair with a NaN is
    dropped. Undefined with fewer than two pairs, and where one side is all the same.
    """
    x, y = checks.pair(x, y)
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(np.count_nonzero(both))
    if n < 2:
        return RankCorrelation.undefined(f"needs two pairs, has {n or 'none'}", n=n)
    # Twice a rank less twice the mean rank: whole numbers.
    a, b = (doubled_ranks(side[both]) - (n + 1) for side in (x, y))
    for name, ranks in (("x", a), ("y", b)):
        if not ranks.any():
            return RankCorrelation.undefined(f"all {n} values of {name} are the same", n=n)
    a, b = a.astype(np.float64), b.astype(np.float64)
    rho = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    return RankCorrelation(min(max(rho, -1.0), 1.0), n)


def doubled_ranks(values: FloatArray) -> IntArray:
    """Twice the rank of each value, the smallest having rank 1; ties share the mean of their ranks.

    Neighbours tie when they are apart by floating-point noise alone.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(steps(ordered, NOISE * np.abs(ordered)))
    tied = np.diff(first, append=values.size)
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.repeat(2 * first + tied + 1, tied)
    return ranks
