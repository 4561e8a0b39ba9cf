"""Counting for Westfall-Young, compiled: pairs from the least significant on. westfall_young.py says what for."""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel

CONSTANT = 1e-12
"""A pair whose differences vary by less than this share of their mean square has T infinite, not just large."""


@kernel
def studentised(total: float, n: float, spread: float) -> float:
    """T|T| of a pair whose differences add up to `total`; `spread` is n times the sum of their squares.

    Swaps leave the sum of squares Q alone, so T = sqrt(n - 1) s / sqrt(n Q - s^2) rises with the sum s. Its square,
    with the sign of s, gives the same order without a root. 0 where all differences are 0.
    """
    if spread == 0.0:
        return 0.0
    left = spread - total * total
    size = (n - 1.0) * total * total / left if left > CONSTANT * spread else np.inf
    return size if total >= 0.0 else -size


@kernel
def reached(sums: np.ndarray, least: np.ndarray, two_sided: bool) -> np.ndarray:
    """For every row, how many of its sums (their sizes, if two-sided) reach the row's least."""
    counts = np.zeros(len(sums), dtype=np.int64)
    for pair in range(len(sums)):
        for r in range(sums.shape[1]):
            key = abs(sums[pair, r]) if two_sided else sums[pair, r]
            counts[pair] += key >= least[pair]
    return counts


@kernel
def step_max_t(
    sums: np.ndarray,
    observed: np.ndarray,
    noise: np.ndarray,
    n: np.ndarray,
    spread: np.ndarray,
    two_sided: bool,
    running: np.ndarray,
) -> np.ndarray:
    """For every pair, how many resamples have a largest T, over this and all earlier pairs, that reaches its own.

    Rows of `sums` are pairs, columns are resamples; `running` holds the largest so far and goes on from block
    to block. A sum counts as if it were larger by the pair's noise, so that a tie with the observed one is kept.
    """
    counts = np.zeros(len(sums), dtype=np.int64)
    for pair in range(len(sums)):
        count = 0
        size, squares, slack = float(n[pair]), spread[pair], noise[pair]
        key = abs(observed[pair]) if two_sided else observed[pair]
        own = studentised(key, size, squares)
        for r in range(sums.shape[1]):
            key = abs(sums[pair, r]) if two_sided else sums[pair, r]
            t = studentised(key + slack, size, squares)
            if t > running[r]:
                running[r] = t
            count += running[r] >= own
        counts[pair] = count
    return counts


@kernel
def step_min_p(keys: np.ndarray, order: np.ndarray, noise: np.ndarray, running: np.ndarray) -> np.ndarray:
    """For every pair, how many resamples have a least p, over this and all earlier pairs, at most its own.

    Rows of `keys` are pairs; columns are the resamples and, last, what was observed; `order` sorts each row. The
    p of a column is how many columns reach it, up to noise: a whole number. `running` holds the least so far.
    """
    columns = keys.shape[1]
    counts = np.zeros(len(keys), dtype=np.int64)
    p = np.empty(columns, dtype=np.int64)
    for pair in range(len(keys)):
        below = 0
        for place in range(columns):
            column = order[pair, place]
            least = keys[pair, column] - noise[pair]
            while keys[pair, order[pair, below]] < least:
                below += 1
            p[column] = columns - below
        own, count = p[columns - 1], 0
        for r in range(columns - 1):
            if p[r] < running[r]:
                running[r] = p[r]
            count += running[r] <= own
        counts[pair] = count
    return counts
