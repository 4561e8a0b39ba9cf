"""Compiled: the studentised means of resampled differences, and the counting of their largest.

Arrays are flat, row after row. Counters have 32 bits, as wide as the numbers, so that loops become vectors.
"""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import bare
from adjudge.stats.resampling.max_t import DEGENERATE, NO_SHIFT, ONE

ZERO = np.float32(0)


@bare
def step_max_t(
    rows: int,
    resamples: int,
    sums: np.ndarray,
    squares: np.ndarray,
    drawn: np.ndarray,
    held: int,
    n: np.ndarray,
    observed: np.ndarray,
    two_sided: int,
    keys: np.ndarray,
    running: np.ndarray,
    alone: np.ndarray,
    stepped: np.ndarray,
) -> None:
    """As `plain_step`, which says what it does; `held` is 0 where every resample draws n, `keys` is scratch."""
    for row in range(rows):
        start = row * resamples
        undefined = np.int32(0)
        m = n[row]
        if held == 0:
            for r in range(resamples):
                s = sums[start + r]
                spread = m * squares[start + r]
                left = spread - s * s
                usable = left > DEGENERATE * spread
                keys[r] = (m - ONE) * s * s / left if usable else -ONE
                undefined += np.int32(not usable)
        else:
            for r in range(resamples):
                s = sums[start + r]
                spread = drawn[start + r] * squares[start + r]
                left = spread - s * s
                usable = left > DEGENERATE * spread
                keys[r] = (drawn[start + r] - ONE) * s * s / left if usable else -ONE
                undefined += np.int32(not usable)
        if undefined > 0:
            largest = ZERO
            for r in range(resamples):
                largest = keys[r] if keys[r] > largest else largest
            for r in range(resamples):
                if keys[r] < ZERO:
                    keys[r] = largest if abs(sums[start + r]) > NO_SHIFT else ZERO
        if two_sided == 0:
            for r in range(resamples):
                keys[r] = keys[r] if sums[start + r] > ZERO else -keys[r]
        bound = observed[row]
        reached = np.int32(0)
        reached_so_far = np.int32(0)
        for r in range(resamples):
            key = keys[r]
            before = running[r]
            furthest = key if key > before else before
            running[r] = furthest
            reached += np.int32(key >= bound)
            reached_so_far += np.int32(furthest >= bound)
        alone[row] += reached
        stepped[row] += reached_so_far
