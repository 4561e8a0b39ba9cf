"""Compiled: sums, signed ranks and exact tails of all pairs; Hodges-Lehmann estimates. Plain ways: pairs.py.

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
def rank_sum_chances(ranks: np.ndarray, reach: int, now: np.ndarray, after: np.ndarray) -> np.ndarray:
    """P(sum = s) for s up to reach, every rank being in the sum or out with probability 1/2.

    The shift algorithm (Streitberg and Röhmel 1986). `now` and `after` hold reach + 1 numbers; one is returned.
    """
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
    return now[: reach + 1]


@kernel
def lower_tail(ranks: np.ndarray, reach: int, now: np.ndarray, after: np.ndarray) -> float:
    """P(sum <= reach), every rank being in the sum or out with probability 1/2.

    Sums above half the total go by symmetry, so the arrays hold half the total + 1 numbers.
    """
    total = ranks.sum()
    if reach >= total:
        return 1.0
    upper = 2 * reach >= total
    if upper:
        reach = total - reach - 1
    tail = float(rank_sum_chances(ranks, reach, now, after).sum())
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


# Signed ranks of differences that are moved by a margin, for tests of equivalence


@kernel
def _doubled_ranks(sizes: np.ndarray, noise: np.ndarray, doubled: np.ndarray) -> float:
    """Twice the mid-ranks of sizes in ascending order; gives the sum of t^3 - t over groups of t ties.

    The rule of `paired.steps`: neighbours tie when they are no further apart than the larger of their noises.
    """
    correction = 0.0
    start = 0
    for stop in range(1, len(sizes) + 1):
        if stop < len(sizes) and sizes[stop] - sizes[stop - 1] <= max(noise[stop], noise[stop - 1]):
            continue
        tied = stop - start
        doubled[start:stop] = 2 * start + tied + 1
        correction += float(tied) ** 3 - tied
        start = stop
    return correction


@kernel
def moved_signed_ranks(
    values: np.ndarray, noise: np.ndarray, shift: float, noise_of_shift: float, exact_up_to: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For every row of differences, all moved by `shift`: sums of signed ranks.

    Gives twice the sum of the ranks of positive differences, how many differences are not 0, the correction for ties,
    and, where there are ties and at most `exact_up_to` differences are ranked, P(V < v) and P(V <= v) of the smaller
    v of the two sums, positive and negative; else NaN.
    """
    rows, columns = values.shape
    positive, ranked = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    ties, below, upto = np.zeros(rows), np.full(rows, np.nan), np.full(rows, np.nan)
    moved, slack = np.empty(columns), np.empty(columns)
    doubled = np.empty(columns, dtype=np.int64)
    longest = min(columns, exact_up_to)
    now, after = np.empty((2, longest * (longest + 1) // 2 + 1))
    for row in range(rows):
        m = 0
        for k in range(columns):
            d, e = values[row, k] + shift, noise[row, k] + noise_of_shift
            if abs(d) > e:  # not where it is NaN
                moved[m], slack[m] = d, e
                m += 1
        order = np.argsort(np.abs(moved[:m]))
        ties[row] = _doubled_ranks(np.abs(moved[:m])[order], slack[:m][order], doubled[:m])
        for place in range(m):
            if moved[order[place]] > 0:
                positive[row] += doubled[place]
        ranked[row] = m
        if ties[row] > 0 and m <= exact_up_to:
            smaller = min(positive[row], m * (m + 1) - positive[row])
            chances = rank_sum_chances(doubled[:m], smaller, now, after)
            below[row] = chances[:smaller].sum()
            upto[row] = below[row] + chances[smaller]
    return positive, ranked, ties, below, upto


# Order statistics of Walsh averages, without listing them. n differences have n(n + 1)/2 averages of two,
# (z_i + z_j) / 2 with i <= j. With the differences in order the sums rise along rows and columns, so that those below
# a pivot are found in n steps (Johnson and Mizoguchi 1978; Monahan 1984).

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
