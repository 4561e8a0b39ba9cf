"""Compiled: the studentised means of resampled differences, and the counting of their largest."""

from __future__ import annotations

from functools import partial

import numpy as np

from adjudge.compiled import jitted
from adjudge.stats.resampling.max_t import DEGENERATE, NO_SHIFT, ONE

ZERO = np.float32(0)
kernel = partial(jitted, error_model="numpy")  # a check of every division would keep loops from being vectors


@kernel
def step_max_t(
    sums: np.ndarray,
    squares: np.ndarray,
    drawn: np.ndarray,
    n: np.ndarray,
    own: np.ndarray,
    two_sided: bool,
    running: np.ndarray,
    alone: np.ndarray,
    stepped: np.ndarray,
) -> None:
    """As `plain_step`, which says what it does. Counters of 32 bits, as wide as the numbers: so loops are vectors."""
    resamples = sums.shape[1]
    keys = np.empty(resamples, np.float32)
    for row in range(sums.shape[0]):
        s = sums[row]
        undefined = (
            _squared(s, squares[row], drawn[row], keys)
            if drawn.size
            else _squared_all(s, squares[row], n[row], keys)
        )
        if undefined:
            largest = ZERO
            for r in range(resamples):
                largest = max(largest, keys[r])
            for r in range(resamples):
                if keys[r] < ZERO:
                    keys[r] = largest if abs(s[r]) > NO_SHIFT else ZERO
        if not two_sided:
            for r in range(resamples):
                keys[r] = keys[r] if s[r] > ZERO else -keys[r]
        bound = own[row]
        reached, reached_so_far = np.int32(0), np.int32(0)
        for r in range(resamples):
            key = keys[r]
            before = running[r]
            furthest = key if key > before else before
            running[r] = furthest
            reached += np.int32(key >= bound)
            reached_so_far += np.int32(furthest >= bound)
        alone[row] += reached
        stepped[row] += reached_so_far


@kernel
def _squared(s: np.ndarray, q: np.ndarray, drawn: np.ndarray, keys: np.ndarray) -> int:
    """t*^2 of every resample; -1 where the resample holds one number only, and how often that is so."""
    undefined = np.int32(0)
    for r in range(keys.size):
        spread = drawn[r] * q[r]
        left = spread - s[r] * s[r]
        usable = left > DEGENERATE * spread
        keys[r] = (drawn[r] - ONE) * s[r] * s[r] / left if usable else -ONE
        undefined += np.int32(not usable)
    return int(undefined)


@kernel
def _squared_all(s: np.ndarray, q: np.ndarray, m: float, keys: np.ndarray) -> int:
    """As `_squared`, where every resample draws m topics."""
    undefined = np.int32(0)
    for r in range(keys.size):
        spread = m * q[r]
        left = spread - s[r] * s[r]
        usable = left > DEGENERATE * spread
        keys[r] = (m - ONE) * s[r] * s[r] / left if usable else -ONE
        undefined += np.int32(not usable)
    return int(undefined)
