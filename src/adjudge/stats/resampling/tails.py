"""Compiled: how often a resampled statistic reaches the observed one, and its quantile. Draws live elsewhere.

Values are gone through several times, so they are first rounded to float32, of which twice as many fit. Rounding
keeps the order: a value that is larger after it was larger before. Only those that round to the same number are looked
at again, so that every answer is that of the values before.
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel

_ROUNDS = 12  # of bounding, after which what is still between the bounds is sorted out
_FEW = 32  # values that are sorted in the plain way
_STRIDE = 64  # values looked at together
_SAMPLE = 64  # values from which the place of the others is guessed


@kernel
def difference_tails(
    sums: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    edges: np.ndarray,
    side: int,
    rank: int,
    guess: np.ndarray,
    per_count: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """For sums[first] - sums[second], pair by pair: how many reach the edge, and the rank-th largest.

    The statistic is |difference| where side is 0, else the difference times the side. Sums in float32 are
    exact whole numbers. `guess` is about where the rank-th largest is, and `per_count` how far values are apart
    there; they cost nothing where they are known, and where they are NaN a few values are looked at. The
    answer does not depend on them.
    """
    resamples = sums.shape[1]
    values, found = np.empty(resamples, np.float32), np.empty(resamples)
    edge, at = np.empty(3, np.float32), np.empty(3, np.int64)
    counts, largest = np.empty(first.size, np.int64), np.empty(first.size)
    unit = 1.0 if sums.itemsize == 4 else 0.0
    margin = np.sqrt(rank)
    for p in range(first.size):
        x, y = sums[first[p]], sums[second[p]]
        if side < 0:
            x, y = y, x
        near, apart = guess[p], per_count[p]
        edge[0] = edges[p]
        _around(near, margin * apart, unit, edge)
        _fold(x, y, side == 0, values, edge, at)
        counts[p] = at[0]
        if not unit:
            counts[p] -= _rounded_up(x, y, side == 0, values, edges[p], at[0], found)
        if np.isnan(apart):
            near, apart = _guess(values, rank, found)
            _around(near, margin * apart, unit, edge)
            at[1], at[2] = _reaching(values, edge[1]), _reaching(values, edge[2])
        largest[p] = _largest_near(x, y, side == 0, values, rank, unit, apart, edge, at, found)
    return counts, largest


@kernel
def difference_counts(
    sums: np.ndarray, first: np.ndarray, second: np.ndarray, edges: np.ndarray, side: int
) -> np.ndarray:
    """How many of sums[first] - sums[second] reach the edge, where no quantile is asked for."""
    counts = np.empty(first.size, np.int64)
    for p in range(first.size):
        x, y = sums[first[p]], sums[second[p]]
        edge = np.empty(1, sums.dtype)
        edge[0] = edges[p]
        a = edge[0]
        reached = np.int32(0)
        if side == 0:
            for r in range(x.size):
                reached = np.int32(reached + (abs(x[r] - y[r]) >= a))
        elif side > 0:
            for r in range(x.size):
                reached = np.int32(reached + (x[r] - y[r] >= a))
        else:
            for r in range(x.size):
                reached = np.int32(reached + (y[r] - x[r] >= a))
        counts[p] = reached
    return counts


@kernel
def _around(guess: float, margin: float, unit: float, edge: np.ndarray) -> None:
    """Two edges that have the answer between them, with some luck."""
    edge[1] = np.floor(guess - margin) if unit else guess - margin
    edge[2] = np.ceil(guess + margin) if unit else guess + margin


@kernel
def _fold(
    x: np.ndarray, y: np.ndarray, two_sided: bool, values: np.ndarray, edge: np.ndarray, at: np.ndarray
) -> None:
    """The values, x - y or its size, and how many reach each of three edges."""
    a, b, c = edge[0], edge[1], edge[2]
    # Counts as narrow as the values: wider ones would take twice the time.
    at_a = at_b = at_c = np.int32(0)
    if two_sided:
        for r in range(values.size):
            value = np.float32(abs(x[r] - y[r]))
            values[r] = value
            at_a = np.int32(at_a + (value >= a))
            at_b = np.int32(at_b + (value >= b))
            at_c = np.int32(at_c + (value >= c))
    else:
        for r in range(values.size):
            value = np.float32(x[r] - y[r])
            values[r] = value
            at_a = np.int32(at_a + (value >= a))
            at_b = np.int32(at_b + (value >= b))
            at_c = np.int32(at_c + (value >= c))
    at[0], at[1], at[2] = at_a, at_b, at_c


@kernel
def _reaching(values: np.ndarray, edge: np.float32) -> int:
    """How many values are at least the edge."""
    count = np.int32(0)
    for r in range(values.size):
        count = np.int32(count + (values[r] >= edge))
    return int(count)


@kernel
def _rounded_up(
    x: np.ndarray,
    y: np.ndarray,
    two_sided: bool,
    values: np.ndarray,
    edge: float,
    at_edge: int,
    found: np.ndarray,
) -> int:
    """How many values reach the edge after rounding alone."""
    low = np.float32(edge)
    high = np.nextafter(low, np.float32(np.inf))
    if at_edge == _reaching(values, high):
        return 0
    count = _collect(x, y, two_sided, values, low, high, found)
    return int(np.sum(found[:count] < edge))


@kernel
def _largest_near(
    x: np.ndarray,
    y: np.ndarray,
    two_sided: bool,
    values: np.ndarray,
    rank: int,
    unit: float,
    per_count: float,
    edge: np.ndarray,
    at: np.ndarray,
    found: np.ndarray,
) -> float:
    """The rank-th largest, looked for from edge[1] and edge[2] on, which at[1] and at[2] values reach."""
    low, high, at_low, at_high = np.float32(-np.inf), np.float32(np.inf), values.size, 0
    if np.isfinite(edge[1]) and np.isfinite(edge[2]) and max(unit, per_count) > 0:
        low, high, at_low, at_high = _bounds(values, rank, unit, per_count, edge, at)
    if high - low <= unit:
        return np.float64(low)
    if at_low - at_high == 1:
        return _only(x, y, two_sided, values, low, high)
    count = _collect(x, y, two_sided, values, low, high, found)
    return _largest(found[:count], rank - at_high)


@kernel
def _bounds(
    values: np.ndarray, rank: int, unit: float, per_count: float, edge: np.ndarray, at: np.ndarray
) -> tuple[np.float32, np.float32, int, int]:
    """low and high, with at least `rank` values from low on and fewer from high on, and how many from either on.

    Values are multiples of `unit`, where it is not 0, and so are the bounds. Both move by what the counts say,
    until they are next to each other or have one value between them.
    """
    low, high = edge[1], edge[2]
    at_low, at_high = at[1], at[2]
    step = per_count
    while at_low < rank:
        high, at_high = low, at_low
        low = np.float32(low - _step(rank - at_low, step, unit))
        at_low = _reaching(values, low)
        step *= 2
    while at_high >= rank:
        low, at_low = high, at_high
        high = np.float32(high + _step(at_high - rank, step, unit))
        at_high = _reaching(values, high)
        step *= 2
    for _ in range(_ROUNDS):
        if high - low <= unit or at_low - at_high == 1:
            break
        between = low + (at_low - rank + 0.5) / (at_low - at_high) * (high - low)
        if unit:
            between = min(max(np.floor(between), low + unit), high - unit)
        count = _reaching(values, np.float32(between))
        if count >= rank:
            low, at_low = np.float32(between), count
        else:
            high, at_high = np.float32(between), count
    return low, high, at_low, at_high


@kernel
def _step(counts: int, per_count: float, unit: float) -> float:
    """How far to go to pass so many values, and two more."""
    far = (counts + 2) * per_count
    return max(unit, np.ceil(far)) if unit else far


@kernel
def _only(
    x: np.ndarray, y: np.ndarray, two_sided: bool, values: np.ndarray, low: np.float32, high: np.float32
) -> float:
    """The only value from low up to below high, as it was before rounding."""
    place = np.int32(0)
    for r in range(values.size):
        place = np.int32(place + (np.int32(r) if (values[r] >= low) & (values[r] < high) else np.int32(0)))
    value = np.float64(x[place]) - np.float64(y[place])
    return abs(value) if two_sided else value


@kernel
def _collect(
    x: np.ndarray,
    y: np.ndarray,
    two_sided: bool,
    values: np.ndarray,
    low: np.float32,
    high: np.float32,
    found: np.ndarray,
) -> int:
    """Copy the values from low up to below high to `found`, as they were before rounding, and say how many."""
    count = 0
    for start in range(0, values.size, _STRIDE):
        stretch = values[start : start + _STRIDE]
        here = np.int32(0)
        for k in range(stretch.size):
            here = np.int32(here + ((stretch[k] >= low) & (stretch[k] < high)))
        if here:  # most stretches have none
            for k in range(stretch.size):
                if low <= stretch[k] < high:
                    value = np.float64(x[start + k]) - np.float64(y[start + k])
                    found[count] = abs(value) if two_sided else value
                    count += 1
    return count


@kernel
def _largest(values: np.ndarray, rank: int) -> float:
    """The rank-th largest of any numbers; a few are sorted in place."""
    if values.size > _FEW:
        place = values.size - rank
        return float(np.partition(values, place)[place])
    _sort(values)
    return float(values[rank - 1])


@kernel
def _sort(values: np.ndarray) -> None:
    """In place, the largest first; for a few."""
    for k in range(1, values.size):
        value = values[k]
        at = k
        while at and values[at - 1] < value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value


@kernel
def _guess(values: np.ndarray, rank: int, found: np.ndarray) -> tuple[float, float]:
    """About where the rank-th largest is and how far values are apart there, from a few; NaN where there are few."""
    if values.size < 4 * _SAMPLE:
        return np.nan, np.nan
    sample = found[:_SAMPLE]
    every = values.size // _SAMPLE
    for k in range(_SAMPLE):
        sample[k] = values[k * every]
    _sort(sample)
    place = min(rank // every, _SAMPLE - 1)
    above, below = max(place - 4, 0), min(place + 4, _SAMPLE - 1)
    return sample[place], (sample[above] - sample[below]) / ((below - above) * every)
