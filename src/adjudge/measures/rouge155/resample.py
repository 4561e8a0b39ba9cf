"""Averages and intervals as ROUGE-1.5.5 makes them: percentiles of bootstrap samples over the evaluations.

Sample i begins with srand(i), so the original prints the same numbers in every run; here they are made with
the generator that Perl has had since 5.20 (drand48, the same on every machine), so they are the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add

import numpy as np

from adjudge.measures.rouge.counts import f_measure

_FACTOR, _STEP, _LOW = np.uint64(0x5DEECE66D), np.uint64(0xB), np.uint64(0x330E)
_MASK = np.uint64((1 << 48) - 1)
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over samples, and the percentiles around it."""

    average: float
    low: float
    high: float


@lru_cache(maxsize=1)
def draws(n: int, samples: int, seed: int) -> np.ndarray:
    """Row i: which of n things sample i has, in the order drawn. Seed 0 is the original's."""
    state = (np.arange(samples, dtype=np.uint64) + np.uint64(seed * samples)) & np.uint64(0xFFFFFFFF)
    state = (state << np.uint64(16)) + _LOW
    result = np.empty((samples, n), np.int32)
    for k in range(n):
        state = (state * _FACTOR + _STEP) & _MASK
        result[:, k] = (np.ldexp(state.astype(np.float64), -48) * n).astype(np.int32)
    return result


def averages(
    rows: Sequence[Triple], *, samples: int, confidence: float, seed: int = 0, alpha: float | None = None
) -> tuple[Interval, Interval, Interval]:
    """Of recall, precision and F of every evaluation; with `alpha`, rows are counts (models', peers', hits)."""
    if not rows:
        return (Interval(0.0, 0.0, 0.0),) * 3
    sampled = _sums(np.asarray(rows, np.float64), draws(len(rows), samples, seed))
    columns = (sampled / len(rows)).T.tolist() if alpha is None else _ratios(sampled.tolist(), alpha)
    recall, precision, f = (_interval(sorted(column), confidence) for column in columns)
    return recall, precision, f


def _sums(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Column by column, so that every sample is added up in the order drawn, as the last digit needs."""
    total: np.ndarray = values[chosen[:, 0]].copy()
    for k in range(1, chosen.shape[1]):
        total += values[chosen[:, k]]
    return total


def _ratios(sums: Sequence[Sequence[float]], alpha: float) -> list[list[float]]:
    columns: list[list[float]] = [[], [], []]
    for models, peers, hits in sums:
        recall = hits / models if models > 0 else 0.0
        precision = hits / peers if peers > 0 else 0.0
        for column, value in zip(
            columns, (recall, precision, f_measure(recall, precision, alpha)), strict=True
        ):
            column.append(value)
    return columns


def _interval(ranked: Sequence[float], confidence: float) -> Interval:
    """Its percentiles: both ends move between neighbours by the share that belongs to the upper one."""
    n = len(ranked)
    outside = n * ((100 - confidence) / 2.0) / 100.0
    lower, upper = int(outside), int(n - outside - 1)
    share = n - outside - 1 - upper

    def between(k: int) -> float:
        here, after = (ranked[j] if j < n else 0.0 for j in (k, k + 1))
        return here + (after - here) * share

    # not sum(): from Python 3.12 on it makes up for rounding, which Perl does not
    return Interval(reduce(add, ranked, 0.0) / n, between(lower), between(upper))
