"""Compiled: means of many resamples of many rows.

Used where there are so many draws that the compiler's start pays; see `bootstrap.bootstrap_means`.
"""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(0xFFFFFFFF)


@kernel
def _draw(state: np.uint64) -> np.uint64:
    """SplitMix64 (Steele, Lea and Flood 2014): one step of the state gives 64 bits."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def resampled_means(values: np.ndarray, seeds: np.ndarray, complete: bool) -> np.ndarray:
    """Column means of resamples of the rows, one per seed; NaN cells do not count, NaN where all are.

    `complete` says that there are none, which saves looking.

    Rows are drawn without bias (Lemire 2019): 32 bits times the number of rows, the few uneven ones again.
    """
    rows, columns = values.shape
    means = np.empty((len(seeds), columns))
    sums, counts = np.empty(columns), np.empty(columns)
    n = np.uint64(rows)
    uneven = (np.uint64(1 << 32) - n) % n
    for r in range(len(seeds)):
        state = seeds[r]
        sums[:] = 0.0
        counts[:] = 0.0
        for _ in range(rows):
            state += _STEP
            product = (_draw(state) >> np.uint64(32)) * n
            while (product & _LOW) < uneven:
                state += _STEP
                product = (_draw(state) >> np.uint64(32)) * n
            row = np.int64(product >> np.uint64(32))
            if complete:
                for c in range(columns):
                    sums[c] += values[row, c]
                continue
            for c in range(columns):
                value = values[row, c]
                if value == value:
                    sums[c] += value
                    counts[c] += 1.0
        if complete:
            counts[:] = rows
        for c in range(columns):
            means[r, c] = sums[c] / counts[c] if counts[c] > 0 else np.nan
    return means
