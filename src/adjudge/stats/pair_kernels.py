"""Tests of all pairs, compiled: sums over topics, signed ranks, exact tails. The plain ways live beside.

Systems or topics run in the innermost loops over slices that begin at 0, without branches: so they become
vector instructions. No sum is taken in another order for that, so the numbers are those of any machine.
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import MISSING

_ONE, _SIGN = np.uint64(1), np.uint64(63)
_TIE = 0.49 * NOISE
"""Noise is measured on the larger score, which is at least half of the difference: so much is a tie for certain."""

UNTIED, TIED, UNSURE = 0.0, 1.0, 2.0


@kernel
def sum_differences(rows: np.ndarray) -> np.ndarray:
    """Sums of the differences, wins and losses of all pairs of columns; the number of rows is a multiple of four."""
    topics, systems = rows.shape
    found = np.zeros((3, systems * (systems - 1) // 2))
    start = 0
    for i in range(systems - 1):
        stop = start + systems - i - 1
        sums, wins, losses = found[0, start:stop], found[1, start:stop], found[2, start:stop]
        for k in range(0, topics, 4):
            xa, xb, xc, xd = rows[k, i], rows[k + 1, i], rows[k + 2, i], rows[k + 3, i]
            ra, rb = rows[k, i + 1 :], rows[k + 1, i + 1 :]
            rc, rd = rows[k + 2, i + 1 :], rows[k + 3, i + 1 :]
            for j in range(stop - start):
                a, b, c, d = xa - ra[j], xb - rb[j], xc - rc[j], xd - rd[j]
                sums[j] += ((a if a == a else 0.0) + (b if b == b else 0.0)) + (
                    (c if c == c else 0.0) + (d if d == d else 0.0)
                )
                wins[j] += ((1.0 if a > 0 else 0.0) + (1.0 if b > 0 else 0.0)) + (
                    (1.0 if c > 0 else 0.0) + (1.0 if d > 0 else 0.0)
                )
                losses[j] += ((1.0 if a < 0 else 0.0) + (1.0 if b < 0 else 0.0)) + (
                    (1.0 if c < 0 else 0.0) + (1.0 if d < 0 else 0.0)
                )
        start = stop
    return found


@kernel
def sum_squares(rows: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Sums of squared deviations of the differences from their means, for all pairs of columns."""
    topics, systems = rows.shape
    squares = np.zeros(systems * (systems - 1) // 2)
    start = 0
    for i in range(systems - 1):
        stop = start + systems - i - 1
        found, mean = squares[start:stop], means[start:stop]
        for k in range(0, topics, 4):
            xa, xb, xc, xd = rows[k, i], rows[k + 1, i], rows[k + 2, i], rows[k + 3, i]
            ra, rb = rows[k, i + 1 :], rows[k + 1, i + 1 :]
            rc, rd = rows[k + 2, i + 1 :], rows[k + 3, i + 1 :]
            for j in range(stop - start):
                a, b = xa - ra[j] - mean[j], xb - rb[j] - mean[j]
                c, d = xc - rc[j] - mean[j], xd - rd[j] - mean[j]
                a, b = a if a == a else 0.0, b if b == b else 0.0
                c, d = c if c == c else 0.0, d if d == d else 0.0
                found[j] += (a * a + b * b) + (c * c + d * d)
        start = stop
    return squares


@kernel
def write_keys(columns: np.ndarray, first: np.ndarray, second: np.ndarray, keys: np.ndarray) -> None:
    """The differences of some pairs as whole numbers that sort by size, with the sign as the last bit.

    What is missing sorts last, and fills up rows that are longer than there are topics.
    """
    topics = columns.shape[1]
    values = keys.view(np.float64)
    for r in range(len(first)):
        x, y, z, key = columns[first[r]], columns[second[r]], values[r], keys[r]
        for k in range(topics):
            larger = max(abs(x[k]), abs(y[k]))
            z[k] = 0.0 if abs(x[k] - y[k]) <= NOISE * larger else x[k] - y[k]
        for k in range(topics):
            turned = (key[k] << _ONE) | (key[k] >> _SIGN)
            key[k] = turned if turned < MISSING else MISSING
        for k in range(topics, len(key)):
            key[k] = MISSING


@kernel
def merge_runs(keys: np.ndarray, other: np.ndarray, run: int) -> np.ndarray:
    """Sort rows that are sorted in runs, a power of two of them: merged two by two, from both ends at once.

    Runs are of one length, so neither end can run out: no step looks for that. Either array may be returned.
    """
    rows, width = keys.shape
    while run < width:
        for r in range(rows):
            for low in range(0, width, 2 * run):
                source, target = keys[r, low : low + 2 * run], other[r, low : low + 2 * run]
                i, j, p, q = 0, run, run - 1, 2 * run - 1
                for k in range(run):
                    x, y = source[i], source[j]
                    left = x <= y
                    target[k] = x if left else y
                    i += left
                    j += 1 - left
                    x, y = source[p], source[q]
                    right = x <= y
                    target[2 * run - 1 - k] = y if right else x
                    q -= right
                    p -= 1 - right
        keys, other = other, keys
        run *= 2
    return keys


@kernel
def lower_tail(ranks: np.ndarray, reach: int, now: np.ndarray, after: np.ndarray) -> float:
    """P(sum <= reach), every rank being in or out with probability 1/2; the arrays hold reach + 1 numbers.

    The algorithm of `signed_rank._lower_half`, up to reach only. Sums above half the total go by symmetry.
    """
    total = ranks.sum()
    if reach >= total:
        return 1.0
    upper = 2 * reach >= total
    if upper:
        reach = total - reach - 1
    now[: reach + 1] = 0.0
    after[: reach + 1] = 0.0
    now[0] = 1.0
    most = 0
    for weight in ranks:
        most = min(most + weight, reach)
        for s in range(min(weight, most + 1)):
            after[s] = 0.5 * now[s]
        if weight <= most:
            out, inside, sums = now[weight : most + 1], now[: most + 1 - weight], after[weight : most + 1]
            for s in range(len(sums)):
                sums[s] = 0.5 * (out[s] + inside[s])
        now, after = after, now
    tail = float(now[: reach + 1].sum())
    return 1.0 - tail if upper else tail


@kernel
def rank_rows(
    keys: np.ndarray,
    n: np.ndarray,
    noise: np.ndarray,
    ranked_zeros: bool,
    exact_up_to: int,
    alternative: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Signed ranks of sorted keys, row by row: positive doubled sums, cubes of ties, and whether it ties.

    Where ranks are not 1, 2, 3, ... and few enough, the second array has the chance of a sum as small as that
    on the side of the alternative: 0 for the smaller one, 1 for the negative, -1 for the positive.
    """
    rows, width = keys.shape
    found, tails = np.zeros((3, rows)), np.full(rows, np.nan)
    bits = np.empty(width, dtype=np.uint64)
    sizes = bits.view(np.float64)
    ranks = np.empty(width, dtype=np.int64)
    longest = min(width, exact_up_to)
    now, after = np.empty((2, longest * (longest + 1) // 2 + 1))
    for r in range(rows):
        zeros = 0
        while zeros < n[r] and keys[r, zeros] == 0:
            zeros += 1
        key = keys[r, zeros : n[r]]
        m = len(key)
        below = zeros if ranked_zeros else 0
        close, negative, lost = 0, np.int64(0), np.int64(0)
        for k in range(m):
            bits[k] = key[k] >> _ONE
            lost += np.int64(key[k] & _ONE)
            negative += (k + 1) * np.int64(key[k] & _ONE)
        for k in range(1, m):
            close += sizes[k] - sizes[k - 1] <= noise[r]
        total = m * (m + 1) + 2 * below * m
        found[0, r] = total - 2 * negative - 2 * below * lost
        found[2, r] = UNTIED
        if close:
            found[:, r] = _rank_ties(key, sizes[:m], noise[r], below, ranks)
        else:
            for k in range(m):
                ranks[k] = 2 * (below + k + 1)
        if (close or below) and m and m + below <= exact_up_to and found[2, r] != UNSURE:
            tails[r] = _exact(ranks[:m], np.int64(found[0, r]), total, alternative, now, after)
    return found, tails


@kernel
def _rank_ties(
    key: np.ndarray, sizes: np.ndarray, noise: float, below: int, ranks: np.ndarray
) -> tuple[float, float, float]:
    """Mid-ranks where neighbours tie. Where it is not sure that they do, the pair is given back."""
    positive, cubes, start = np.int64(0), 0.0, 0
    while start < len(key):
        stop = start + 1
        while stop < len(key) and sizes[stop] - sizes[stop - 1] <= noise:
            if sizes[stop] - sizes[stop - 1] > _TIE * sizes[stop]:
                return 0.0, 0.0, UNSURE
            stop += 1
        tied = stop - start
        for k in range(start, stop):
            ranks[k] = 2 * (below + start) + tied + 1
            positive += ranks[k] * (1 - np.int64(key[k] & _ONE))
        cubes += float(tied) ** 3 - tied
        start = stop
    return float(positive), cubes, TIED


@kernel
def _exact(
    ranks: np.ndarray, positive: np.int64, total: int, alternative: int, now: np.ndarray, after: np.ndarray
) -> float:
    """The tail in the smallest units: without them a table would be many times as long."""
    negative = total - positive
    reach = min(positive, negative)
    if alternative:
        reach = negative if alternative > 0 else positive
    unit = ranks[0]
    for rank in ranks:
        while rank:
            unit, rank = rank, unit % rank
    return lower_tail(ranks // unit, reach // unit, now, after)
