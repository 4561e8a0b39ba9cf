"""Compiled: sums over topics, of what was observed and of what was drawn. Ranks and medians live beside.

Arrays of resamples have topics in rows and resamples in columns. Every sum goes over the topics in their order, one
resample apart from the other, so that no number depends on blocks or threads; sums of whole numbers are exact.
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel


@kernel
def unpack_signs(bits: np.ndarray, start: int, signs: np.ndarray) -> None:
    """Signs +1 and -1 of the resamples from `start` on, a multiple of 64; a row of bits for every topic."""
    one = np.ones(1, signs.dtype)[0]
    resamples = signs.shape[1]
    for k in range(signs.shape[0]):
        row = signs[k]
        for at in range(0, resamples, 64):
            word = bits[k, (start + at) // 64]
            for r in range(min(64, resamples - at)):
                row[at + r] = -one if (word >> np.uint64(r)) & np.uint64(1) else one


@kernel
def observed_sums(
    columns: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The sum of each pair's differences and the sum of their squares; rows are systems, NaN is missing."""
    totals, squares = np.zeros(first.size), np.zeros(first.size)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        total, square = 0.0, 0.0
        for k in range(x.size):
            z = x[k] - y[k]
            if z == z:
                total += z
                square += z * z
        totals[p], squares[p] = total, square
    return totals, squares


@kernel
def observed_spreads(
    columns: np.ndarray, first: np.ndarray, second: np.ndarray, paired: bool, slack: float
) -> np.ndarray:
    """The sum of squares that T^p, or the pooled one that T, divides by: around the mean of the differences, or
    around each column's own mean. 0 where there is nothing but noise, up to `slack` for a difference.
    """
    spreads = np.zeros(first.size)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        if paired:
            spreads[p] = _spread(x - y, x - y, 2 * slack)
        else:
            spreads[p] = _spread(x, y, slack) + _spread(y, x, slack)
    return spreads


@kernel
def _spread(values: np.ndarray, other: np.ndarray, slack: float) -> float:
    """The sum of squares around the mean where the other is present too; 0 where the range is within the slack."""
    total, count, low, high = 0.0, 0, np.inf, -np.inf
    for k in range(values.size):
        if values[k] == values[k] and other[k] == other[k]:
            total += values[k]
            count += 1
            low, high = min(low, values[k]), max(high, values[k])
    if count == 0 or high - low <= slack:
        return 0.0
    mean = total / count
    square = 0.0
    for k in range(values.size):
        if values[k] == values[k] and other[k] == other[k]:
            square += (values[k] - mean) ** 2
    return square


@kernel
def tally(drawn: np.ndarray, bits: np.ndarray, signed: np.ndarray, counts: np.ndarray) -> None:
    """How often each topic was drawn, and how much more often it was left than swapped.

    A row of `drawn` holds the topics of one resample; its bits say which of them are swapped.
    """
    signed[:] = 0
    counts[:] = 0
    for r in range(drawn.shape[0]):
        for m in range(drawn.shape[1]):
            topic = drawn[r, m]
            swapped = (bits[r, m // 64] >> np.uint64(m % 64)) & np.uint64(1)
            counts[topic, r] += 1
            signed[topic, r] += 1 - 2 * np.int64(swapped)


@kernel
def weighted_sums(weights: np.ndarray, columns: np.ndarray, sums: np.ndarray) -> None:
    """sums[c, r] = sum over k of columns[c, k] weights[k, r].

    Four topics at a time, for four columns at once where there are as many: weights are then read a quarter as
    often. The order of the additions is the same for every column.
    """
    sums[:] = 0
    count, topics = columns.shape
    grouped = count - count % 4
    whole = topics - topics % 4
    for k in range(0, whole, 4):
        four = weights[k : k + 4]
        for c in range(0, grouped, 4):
            _add_to_four(four, columns[c : c + 4, k : k + 4], sums[c], sums[c + 1], sums[c + 2], sums[c + 3])
        for c in range(grouped, count):
            _add_to_one(four, columns[c, k : k + 4], sums[c])
    for k in range(whole, topics):
        row = weights[k]
        for c in range(count):
            x, out = columns[c, k], sums[c]
            for r in range(out.size):
                out[r] += row[r] * x


@kernel
def _add_to_one(weights: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    a, b, c, d = weights[0], weights[1], weights[2], weights[3]
    x0, x1, x2, x3 = x[0], x[1], x[2], x[3]
    for r in range(out.size):
        out[r] += (a[r] * x0 + b[r] * x1) + (c[r] * x2 + d[r] * x3)


@kernel
def _add_to_four(
    weights: np.ndarray, x: np.ndarray, out0: np.ndarray, out1: np.ndarray, out2: np.ndarray, out3: np.ndarray
) -> None:
    a, b, c, d = weights[0], weights[1], weights[2], weights[3]
    x00, x01, x02, x03 = x[0, 0], x[0, 1], x[0, 2], x[0, 3]
    x10, x11, x12, x13 = x[1, 0], x[1, 1], x[1, 2], x[1, 3]
    x20, x21, x22, x23 = x[2, 0], x[2, 1], x[2, 2], x[2, 3]
    x30, x31, x32, x33 = x[3, 0], x[3, 1], x[3, 2], x[3, 3]
    for r in range(out0.size):
        p, q, s, t = a[r], b[r], c[r], d[r]
        out0[r] += (p * x00 + q * x01) + (s * x02 + t * x03)
        out1[r] += (p * x10 + q * x11) + (s * x12 + t * x13)
        out2[r] += (p * x20 + q * x21) + (s * x22 + t * x23)
        out3[r] += (p * x30 + q * x31) + (s * x32 + t * x33)


@kernel
def paired_shares(
    counts: np.ndarray,
    columns: np.ndarray,
    sums: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    shares: np.ndarray,
) -> None:
    """s|s| / (n Q) for every pair and resample, which rises with T^p: Q is the sum of the drawn squares."""
    topics = columns.shape[1]
    squares = np.empty((4, topics), columns.dtype)
    drawn = np.empty((4, counts.shape[1]), counts.dtype)
    for start in range(0, first.size, 4):
        here = min(4, first.size - start)
        for p in range(here):
            x, y = columns[first[start + p]], columns[second[start + p]]
            for k in range(topics):
                squares[p, k] = (x[k] - y[k]) ** 2
        weighted_sums(counts, squares[:here], drawn[:here])
        for p in range(here):
            a, b, square, out = sums[first[start + p]], sums[second[start + p]], drawn[p], shares[start + p]
            for r in range(out.size):
                out[r] = _share(np.float64(a[r]) - np.float64(b[r]), topics * np.float64(square[r]))


@kernel
def unpaired_shares(
    squares: np.ndarray,
    totals: np.ndarray,
    sums: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    topics: int,
    shares: np.ndarray,
) -> None:
    """s|s| / (2 n A - B^2) for every pair and resample, which rises with T.

    A is the sum of the drawn squares of both columns (`squares`), B that of their drawn scores (`totals`).
    """
    for p in range(first.size):
        i, j = first[p], second[p]
        for r in range(shares.shape[1]):
            both = np.float64(totals[i, r]) + np.float64(totals[j, r])
            square = np.float64(squares[i, r]) + np.float64(squares[j, r])
            total = np.float64(sums[i, r]) - np.float64(sums[j, r])
            shares[p, r] = _share(total, 2.0 * topics * square - both * both)


@kernel
def _share(total: float, most: float) -> float:
    """0 where there is nothing to divide by: all differences, or all scores, are then the same and add up to 0."""
    return total * abs(total) / most if most > 0 else 0.0
