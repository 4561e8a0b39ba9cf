"""Order statistics of Walsh averages without listing them, compiled. What they are good for is said in effects.py.

n differences have n(n + 1)/2 averages of two, (z_i + z_j) / 2 with i <= j. With the differences in order, the sums rise
along rows and columns, so that those below a pivot are found in n steps (Johnson and Mizoguchi 1978; Monahan 1984).
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel

FEW = 64
"""Candidates that are left are sorted rather than split once there are n of them, or this many."""


@kernel
def _boundaries(z: np.ndarray, n: int, pivot: float, below: np.ndarray, upto: np.ndarray) -> None:
    """For every row, the first column whose sum is at least the pivot, and the first whose sum is above it."""
    least = above = n
    for i in range(n):
        while least > 0 and z[i] + z[least - 1] >= pivot:
            least -= 1
        while above > 0 and z[i] + z[above - 1] > pivot:
            above -= 1
        below[i] = least
        upto[i] = above


@kernel
def _middle_of_a_row(z: np.ndarray, n: int, low: np.ndarray, high: np.ndarray, chosen: int) -> float:
    """The median of the candidates in the row that holds the chosen one."""
    for i in range(n):
        size = high[i] - low[i]
        if chosen < size:
            return float(z[i] + z[low[i] + size // 2])
        chosen -= size
    return np.nan  # never: there are more candidates than `chosen`


@kernel
def _kth_sum(z: np.ndarray, n: int, k: int, work: np.ndarray) -> float:
    """The k-th smallest z_i + z_j, i <= j, counted from 1, of n numbers in ascending order.

    `work` has four rows of n. The pivot is where the k-th sum would be if those left were spread evenly between the
    last pivots; where that did not halve them, it is the median of a row. The result depends on no pivot.
    """
    low, high, below, upto = work
    left = n * (n + 1) // 2
    for i in range(n):
        low[i], high[i] = i, n
    bottom, top = 2 * z[0], 2 * z[n - 1]
    halved = True
    while left > max(n, FEW):
        even = bottom + (top - bottom) * (k / left)
        pivot = even if halved else _middle_of_a_row(z, n, low, high, left // 2)
        _boundaries(z, n, pivot, below, upto)
        smaller = equal = 0
        for i in range(n):
            below[i] = min(max(below[i], low[i]), high[i])
            upto[i] = min(max(upto[i], low[i]), high[i])
            smaller += below[i] - low[i]
            equal += upto[i] - below[i]
        if smaller < k <= smaller + equal:
            return pivot
        before = left
        if k <= smaller:
            left, top = smaller, pivot
            high[:n] = below[:n]
        else:
            left -= smaller + equal
            k -= smaller + equal
            bottom = pivot
            low[:n] = upto[:n]
        halved = 2 * left <= before
    rest = np.empty(left)
    filled = 0
    for i in range(n):
        for j in range(low[i], high[i]):
            rest[filled] = z[i] + z[j]
            filled += 1
    rest.sort()
    return float(rest[k - 1])


@kernel
def _next_sum(z: np.ndarray, n: int, k: int, value: float, work: np.ndarray) -> float:
    """The (k + 1)-th smallest sum, where the k-th is `value`."""
    _boundaries(z, n, value, work[2], work[3])
    upto = 0
    least = np.inf
    for i in range(n):
        first = max(work[3, i], i)
        upto += first - i
        if first < n:
            least = min(least, z[i] + z[first])
    return value if upto > k else least


@kernel
def hodges_lehmann(ordered: np.ndarray, n: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """For every row, the median of its Walsh averages and those of rank `ranks` from below and from above.

    A row holds n numbers in ascending order, and anything after. NaN where n is 0; NaN for the limits where the
    rank is 0.
    """
    found = np.full((3, len(ordered)), np.nan)
    work = np.empty((4, ordered.shape[1]), dtype=np.int64)
    for row in range(len(ordered)):
        size = n[row]
        if size == 0:
            continue
        z, pairs, rank = ordered[row], size * (size + 1) // 2, ranks[row]
        half = (pairs + 1) // 2
        middle = _kth_sum(z, size, half, work)
        after = _next_sum(z, size, half, middle, work) if pairs % 2 == 0 else middle
        found[0, row] = middle / 4 + after / 4
        if rank > 0:
            found[1, row] = _kth_sum(z, size, rank, work) / 2
            found[2, row] = _kth_sum(z, size, pairs + 1 - rank, work) / 2
    return found
