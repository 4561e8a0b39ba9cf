"""Compiled: sums, signed ranks and exact tails of all pairs; Hodges-Lehmann estimates. Plain ways: pairs.py.

Systems or topics run in the innermost loops without branches: so they become vector instructions. No sum is taken in
another order for that, so the numbers are those of any machine. Matrices come as their rows one after the other, and
room to work in comes from the caller: so the kernels start without numba.
"""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import bare
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import MISSING

_ONE, _SIGN = np.uint64(1), np.uint64(63)
_TIE = 0.49 * NOISE
"""Noise is measured on the larger score, which is at least half of the difference: so much is a tie for certain."""

UNTIED, TIED, UNSURE = 0.0, 1.0, 2.0


@bare
def sum_differences(
    rows: np.ndarray, topics: int, systems: int, sums: np.ndarray, wins: np.ndarray, losses: np.ndarray
) -> None:
    """Add up the differences, wins and losses of all pairs of columns; the number of rows is a multiple of four."""
    start = 0
    for i in range(systems - 1):
        many = systems - i - 1
        for k in range(0, topics, 4):
            a = k * systems + i
            b, c, d = a + systems, a + 2 * systems, a + 3 * systems
            xa, xb, xc, xd = rows[a], rows[b], rows[c], rows[d]
            for j in range(many):
                za, zb = xa - rows[a + 1 + j], xb - rows[b + 1 + j]
                zc, zd = xc - rows[c + 1 + j], xd - rows[d + 1 + j]
                sums[start + j] += ((za if za == za else 0.0) + (zb if zb == zb else 0.0)) + (
                    (zc if zc == zc else 0.0) + (zd if zd == zd else 0.0)
                )
                wins[start + j] += ((1.0 if za > 0 else 0.0) + (1.0 if zb > 0 else 0.0)) + (
                    (1.0 if zc > 0 else 0.0) + (1.0 if zd > 0 else 0.0)
                )
                losses[start + j] += ((1.0 if za < 0 else 0.0) + (1.0 if zb < 0 else 0.0)) + (
                    (1.0 if zc < 0 else 0.0) + (1.0 if zd < 0 else 0.0)
                )
        start += many


@bare
def sum_squares(rows: np.ndarray, topics: int, systems: int, means: np.ndarray, squares: np.ndarray) -> None:
    """Add up squared deviations of the differences from their means, for all pairs of columns."""
    start = 0
    for i in range(systems - 1):
        many = systems - i - 1
        for k in range(0, topics, 4):
            a = k * systems + i
            b, c, d = a + systems, a + 2 * systems, a + 3 * systems
            xa, xb, xc, xd = rows[a], rows[b], rows[c], rows[d]
            for j in range(many):
                mean = means[start + j]
                za, zb = xa - rows[a + 1 + j] - mean, xb - rows[b + 1 + j] - mean
                zc, zd = xc - rows[c + 1 + j] - mean, xd - rows[d + 1 + j] - mean
                za, zb = za if za == za else 0.0, zb if zb == zb else 0.0
                zc, zd = zc if zc == zc else 0.0, zd if zd == zd else 0.0
                squares[start + j] += (za * za + zb * zb) + (zc * zc + zd * zd)
        start += many


@bare
def write_keys(
    columns: np.ndarray,
    topics: int,
    first: np.ndarray,
    second: np.ndarray,
    pairs: int,
    keys: np.ndarray,
    values: np.ndarray,
    width: int,
) -> None:
    """The differences of some pairs as whole numbers that sort by size, with the sign as the last bit.

    What is missing sorts last, and fills up rows that are longer than there are topics. `values` are the keys as
    floating-point numbers: the same memory.
    """
    for r in range(pairs):
        x, y, z = first[r] * topics, second[r] * topics, r * width
        for k in range(topics):
            larger = max(abs(columns[x + k]), abs(columns[y + k]))
            apart = columns[x + k] - columns[y + k]
            values[z + k] = 0.0 if abs(apart) <= NOISE * larger else apart
        for k in range(topics):
            turned = (keys[z + k] << _ONE) | (keys[z + k] >> _SIGN)
            keys[z + k] = turned if turned < MISSING else MISSING
        for k in range(topics, width):
            keys[z + k] = MISSING


@bare
def _merge(source: np.ndarray, target: np.ndarray, low: int, run: int) -> None:
    """Two sorted runs, from both ends at once. They are of one length, so neither end can run out."""
    i, j, p, q = low, low + run, low + run - 1, low + 2 * run - 1
    for k in range(run):
        x, y = source[i], source[j]
        left = 1 if x <= y else 0
        target[low + k] = x if left else y
        i += left
        j += 1 - left
        x, y = source[p], source[q]
        right = 1 if x <= y else 0
        target[low + 2 * run - 1 - k] = y if right else x
        q -= right
        p -= 1 - right


@bare
def merge_runs(keys: np.ndarray, other: np.ndarray, size: int, width: int, run: int) -> int:
    """Sort rows of a width that are sorted in runs, a power of two of them: merged two by two.

    1 says that the result is in `other`.
    """
    turned = 0
    while run < width:
        low = 0
        while low < size:
            _merge(keys, other, low, run)
            low += 2 * run
        keys, other = other, keys
        turned = 1 - turned
        run *= 2
    return turned


# The exact distribution of the sum of signed ranks. Tied differences share a rank, so the sum is one of ranks times
# binomial numbers: of the t differences at rank r any number is positive, each with probability 1/2. P(sum <= s) over
# the lower groups is kept for every s that can matter. A group of t at rank r makes F(s) the mean of F(s - b r) over
# the binomial b; that of the highest groups is taken at the wanted sum alone, over all combinations of their numbers.
# All terms are positive: the relative error stays at some rounding errors, in the far tail too.

LISTED = 2048
"""Combinations of the highest groups at the most."""
TAPS = 8
"""Differences of one rank that are added at a time."""


@bare
def write_halves(most: int, halves: np.ndarray) -> None:
    """C(t, b) / 2^t for t up to `most`, row after row: row t begins at t(t + 1)/2."""
    halves[0] = 1.0
    for t in range(1, most + 1):
        row, above = t * (t + 1) // 2, t * (t - 1) // 2
        halves[row] = 0.5 * halves[above]
        halves[row + t] = 0.5 * halves[above + t - 1]
        for b in range(1, t):
            halves[row + b] = 0.5 * (halves[above + b - 1] + halves[above + b])


@bare
def _add(now: np.ndarray, after: np.ndarray, low: int, high: int, rank: int, many: int) -> None:
    """The distribution with one, two, four or eight more differences of a rank, for sums from `low` below `high`."""
    if many == 8:
        for s in range(low, high):
            near = now[s - 3 * rank] + now[s - 5 * rank]
            far = now[s - 2 * rank] + now[s - 6 * rank]
            next_to = now[s - rank] + now[s - 7 * rank]
            ends = now[s] + now[s - 8 * rank]
            after[s] = (70 * now[s - 4 * rank] + 56 * near + (28 * far + (8 * next_to + ends))) / 256
    elif many == 4:
        for s in range(low, high):
            inner = now[s - rank] + now[s - 3 * rank]
            after[s] = (6 * now[s - 2 * rank] + (4 * inner + (now[s] + now[s - 4 * rank]))) / 16
    elif many == 2:
        for s in range(low, high):
            after[s] = (2 * now[s - rank] + (now[s] + now[s - 2 * rank])) / 4
    else:
        for s in range(low, high):
            after[s] = (now[s] + now[s - rank]) / 2


@bare
def _split(ranks: np.ndarray, tied: np.ndarray, groups: int, total: int, reach: int) -> int:
    """From which group on combinations cost less than the distribution, ten steps of which take the time of one."""
    combined, split = 1.0, groups
    passed = 0.0  # of the groups from `split` on
    below, costs = total, 0.0
    for g in range(groups - 1, 0, -1):
        if combined > LISTED:  # of the groups above g, which are listed
            break
        width = min(below, reach + 1) - max(0, reach - (total - below))
        costs += tied[g] * max(width, 0)
        combined *= tied[g] + 1
        below -= ranks[g] * tied[g]
        if 10 * combined - costs < passed:
            passed, split = 10 * combined - costs, g
    return split


@bare
def _tail(
    ranks: np.ndarray,
    tied: np.ndarray,
    groups: int,
    total: int,
    reach: int,
    halves: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    base: int,
    sums: np.ndarray,
    weights: np.ndarray,
) -> float:
    """P(sum <= reach) for a reach below the total. `now` and `after` are 0 before `base`, for the first TAPS ranks."""
    listed = _split(ranks, tied, groups, total, reach)
    # The lowest group: the distribution has a step at every multiple of its rank.
    chance, upto = 0.0, ranks[0] * tied[0]
    row = tied[0] * (tied[0] + 1) // 2
    for b in range(tied[0]):
        chance += halves[row + b]
        for s in range(base + b * ranks[0], min(base + (b + 1) * ranks[0], base + reach + 1)):
            now[s] = chance
    for s in range(base + min(upto, reach + 1), base + reach + 1):
        now[s] = 1.0
        after[s] = 1.0
    left = total - upto
    for g in range(1, listed):
        rank, many = ranks[g], tied[g]
        while many:
            step = 8 if many >= 8 else 4 if many >= 4 else 2 if many >= 2 else 1
            many -= step
            upto += step * rank
            left -= step * rank
            # Lower sums stay below the reach whatever comes, and nobody asks for them.
            low, high = base + max(0, reach - left), base + min(upto, reach + 1)
            _add(now, after, low, high, rank, step)
            now, after = after, now
    if listed == groups:
        return float(now[base + reach])
    # All combinations of the groups above the lowest listed one.
    size = 1
    sums[0], weights[0] = 0, 1.0
    for g in range(groups - 1, listed, -1):
        row, held = tied[g] * (tied[g] + 1) // 2, size
        for b in range(1, tied[g] + 1):
            for k in range(held):
                if sums[k] + b * ranks[g] <= reach:
                    sums[size] = sums[k] + b * ranks[g]
                    weights[size] = weights[k] * halves[row + b]
                    size += 1
        for k in range(held):
            weights[k] *= halves[row]
    rank, row, most = ranks[listed], tied[listed] * (tied[listed] + 1) // 2, tied[listed]
    tail = 0.0
    for k in range(size):
        at = base + reach - sums[k]
        many = min(most, (reach - sums[k]) // rank)
        even, odd = 0.0, 0.0
        for b in range(0, many, 2):
            x, y = at - b * rank, at - (b + 1) * rank
            even += halves[row + b] * now[x]
            odd += halves[row + b + 1] * now[y]
        if many % 2 == 0:
            x = at - many * rank
            even += halves[row + many] * now[x]
        tail += weights[k] * (even + odd)
    return float(tail)


@bare
def lower_tail(
    ranks: np.ndarray,
    tied: np.ndarray,
    groups: int,
    reach: int,
    halves: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    base: int,
    sums: np.ndarray,
    weights: np.ndarray,
) -> float:
    """P(sum <= reach), each of the `tied[g]` differences at rank `ranks[g]` being in the sum or out.

    The ranks ascend, and are divided here by what divides them all: without that a table would be twice as long. Sums
    above half the total go by symmetry.
    """
    unit, total = ranks[0], 0
    for g in range(groups):
        rank = ranks[g]
        while rank:
            unit, rank = rank, unit % rank
    for g in range(groups):
        ranks[g] //= unit
        total += ranks[g] * tied[g]
    reach //= unit
    if reach < 0:
        return 0.0
    if reach >= total:
        return 1.0
    if 2 * reach < total:
        return float(_tail(ranks, tied, groups, total, reach, halves, now, after, base, sums, weights))
    rest = total - reach - 1
    return 1.0 - _tail(ranks, tied, groups, total, rest, halves, now, after, base, sums, weights)


@bare
def rank_rows(
    keys: np.ndarray,
    rows: int,
    width: int,
    n: np.ndarray,
    noise: np.ndarray,
    ranked_zeros: int,
    exact_up_to: int,
    side: int,
    bits: np.ndarray,
    sizes: np.ndarray,
    results: np.ndarray,
    tails: np.ndarray,
    ranks: np.ndarray,
    tied: np.ndarray,
    halves: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    base: int,
    sums: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Signed ranks of sorted keys, row by row: positive doubled sums, cubes of ties, and whether it ties, in `results`.

    Where ranks are not 1, 2, 3, ... and few enough, `tails` has the chance of a sum as small as that on the side of
    the alternative: 0 for the smaller one, 1 for the negative, -1 for the positive. `sizes` are the bits as
    floating-point numbers: the same memory.
    """
    for r in range(rows):
        start, stop = r * width, r * width + n[r]
        while start < stop and keys[start] == 0:
            start += 1
        m = stop - start
        below = n[r] - m if ranked_zeros else 0
        close, negative, lost = 0, np.int64(0), np.int64(0)
        for k in range(m):
            key = keys[start + k]
            bits[k] = key >> _ONE
            lost += np.int64(key & _ONE)
            negative += (k + 1) * np.int64(key & _ONE)
        for k in range(1, m):
            close += 1 if sizes[k] - sizes[k - 1] <= noise[r] else 0
        total = m * (m + 1) + 2 * below * m
        positive, cubes, groups = total - 2 * negative - 2 * below * lost, 0.0, m
        kind = UNTIED
        if close:
            positive, cubes, kind, groups = _rank_ties(keys, start, m, sizes, noise[r], below, ranks, tied)
        else:
            for k in range(m):
                ranks[k] = 2 * (below + k + 1)
                tied[k] = 1
        results[r], results[rows + r], results[2 * rows + r] = positive, cubes, kind
        if (close or below) and m and m + below <= exact_up_to and kind != UNSURE:
            reach = min(positive, total - positive)
            if side:
                reach = total - positive if side > 0 else positive
            tails[r] = lower_tail(ranks, tied, groups, reach, halves, now, after, base, sums, weights)


@bare
def _rank_ties(
    keys: np.ndarray,
    first: int,
    m: int,
    sizes: np.ndarray,
    noise: float,
    below: int,
    ranks: np.ndarray,
    tied: np.ndarray,
) -> tuple[int, float, float, int]:
    """Mid-ranks where neighbours tie. Where it is not sure that they do, the pair is given back."""
    positive, cubes, start, groups = 0, 0.0, 0, 0
    while start < m:
        won = 1 - np.int64(keys[first + start] & _ONE)
        stop = start + 1
        while stop < m and sizes[stop] - sizes[stop - 1] <= noise:
            if sizes[stop] - sizes[stop - 1] > _TIE * sizes[stop]:
                return 0, 0.0, UNSURE, 0
            won += 1 - np.int64(keys[first + stop] & _ONE)
            stop += 1
        many = stop - start
        ranks[groups] = 2 * (below + start) + many + 1
        tied[groups] = many
        positive += ranks[groups] * won
        cubes += float(many) ** 3 - many
        groups += 1
        start = stop
    return positive, cubes, TIED, groups


# Signed ranks of differences that are moved by a margin, for tests of equivalence


@bare
def rank_moved(
    moved: np.ndarray,
    noise: np.ndarray,
    rows: int,
    width: int,
    n: np.ndarray,
    exact_up_to: int,
    positive: np.ndarray,
    cubes: np.ndarray,
    tails: np.ndarray,
    ranks: np.ndarray,
    tied: np.ndarray,
    halves: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    base: int,
    sums: np.ndarray,
    weights: np.ndarray,
) -> None:
    """For every row of n differences that ascend by size: twice the sum of the ranks of the positive ones, and ties.

    The rule of `paired.steps`: neighbours tie when they are no further apart than the larger of their noises. Where
    there are ties and at most `exact_up_to` differences are ranked, `tails` has P(V < v) and P(V <= v) of the smaller
    v of the two sums, positive and negative.
    """
    for row in range(rows):
        first, start, groups = row * width, 0, 0
        m = n[row]
        while start < m:
            won = 1 if moved[first + start] > 0 else 0
            stop = start + 1
            while stop < m:
                here = first + stop
                if abs(moved[here]) - abs(moved[here - 1]) > max(noise[here], noise[here - 1]):
                    break
                won += 1 if moved[here] > 0 else 0
                stop += 1
            many = stop - start
            ranks[groups] = 2 * start + many + 1
            tied[groups] = many
            positive[row] += ranks[groups] * won
            cubes[row] += float(many) ** 3 - many
            groups += 1
            start = stop
        if cubes[row] > 0 and m <= exact_up_to:
            least = min(positive[row], m * (m + 1) - positive[row])
            unit = ranks[0]
            tails[rows + row] = lower_tail(
                ranks, tied, groups, least, halves, now, after, base, sums, weights
            )
            unit //= ranks[0]  # the ranks are divided now
            tails[row] = lower_tail(
                ranks, tied, groups, least // unit - 1, halves, now, after, base, sums, weights
            )


# Order statistics of Walsh averages, without listing them. n differences have n(n + 1)/2 averages of two,
# (z_i + z_j) / 2 with i <= j. With the differences in order the sums rise along rows and columns, so that those below
# a pivot are found in n steps (Johnson and Mizoguchi 1978; Monahan 1984).

FEW = 64
"""Candidates that are left are selected from rather than split once there are n of them, or this many."""


@bare
def _boundaries(
    ordered: np.ndarray, z: int, n: int, pivot: float, below: np.ndarray, upto: np.ndarray
) -> None:
    """For every row, the first column whose sum is at least the pivot, and the first whose sum is above it."""
    least = above = n
    for i in range(n):
        while least > 0 and ordered[z + i] + ordered[z + least - 1] >= pivot:
            least -= 1
        while above > 0 and ordered[z + i] + ordered[z + above - 1] > pivot:
            above -= 1
        below[i] = least
        upto[i] = above


@bare
def _selected(rest: np.ndarray, size: int, k: int) -> float:
    """The k-th smallest of some numbers, counted from 1. Hoare 1961."""
    low, high = 0, size - 1
    while low < high:
        pivot = rest[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while rest[i] < pivot:
                i += 1
            while rest[j] > pivot:
                j -= 1
            if i <= j:
                rest[i], rest[j] = rest[j], rest[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    return float(rest[k - 1])


@bare
def _kth_sum(
    ordered: np.ndarray,
    z: int,
    n: int,
    k: int,
    low: np.ndarray,
    high: np.ndarray,
    below: np.ndarray,
    upto: np.ndarray,
    rest: np.ndarray,
) -> float:
    """The k-th smallest z_i + z_j, i <= j, counted from 1, of n numbers in ascending order from `ordered[z]` on.

    The pivot is where the k-th sum would be if those left were spread evenly between the last pivots; where that did
    not halve them, it is the median of a row. The result depends on no pivot.
    """
    left = n * (n + 1) // 2
    for i in range(n):
        low[i] = i
        high[i] = n
    bottom, top = 2 * ordered[z], 2 * ordered[z + n - 1]
    halved = True
    while left > max(n, FEW):
        pivot = bottom + (top - bottom) * (k / left)
        if not halved:  # the median of the candidates in the row that holds the middle one
            chosen, i = left // 2, 0
            while chosen >= high[i] - low[i]:
                chosen -= high[i] - low[i]
                i += 1
            pivot = ordered[z + i] + ordered[z + low[i] + (high[i] - low[i]) // 2]
        _boundaries(ordered, z, n, pivot, below, upto)
        smaller = equal = 0
        for i in range(n):
            below[i] = min(max(below[i], low[i]), high[i])
            upto[i] = min(max(upto[i], low[i]), high[i])
            smaller += below[i] - low[i]
            equal += upto[i] - below[i]
        if smaller < k <= smaller + equal:
            return float(pivot)
        before = left
        if k <= smaller:
            left, top = smaller, pivot
            for i in range(n):
                high[i] = below[i]
        else:
            left -= smaller + equal
            k -= smaller + equal
            bottom = pivot
            for i in range(n):
                low[i] = upto[i]
        halved = 2 * left <= before
    filled = 0
    for i in range(n):
        for j in range(low[i], high[i]):
            rest[filled] = ordered[z + i] + ordered[z + j]
            filled += 1
    return float(_selected(rest, left, k))


@bare
def _next_sum(
    ordered: np.ndarray, z: int, n: int, k: int, value: float, below: np.ndarray, upto: np.ndarray
) -> float:
    """The (k + 1)-th smallest sum, where the k-th is `value`."""
    _boundaries(ordered, z, n, value, below, upto)
    counted = 0
    least = np.inf
    for i in range(n):
        first = max(upto[i], i)
        counted += first - i
        if first < n:
            least = min(least, ordered[z + i] + ordered[z + first])
    return float(value if counted > k else least)


@bare
def hodges_lehmann(
    ordered: np.ndarray,
    rows: int,
    width: int,
    n: np.ndarray,
    ranks: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    below: np.ndarray,
    upto: np.ndarray,
    rest: np.ndarray,
    averages: np.ndarray,
) -> None:
    """For every row, the median of its Walsh averages and those of rank `ranks` from below and from above.

    A row holds n numbers in ascending order, and anything after. Nothing is written where n is 0, and no limits where
    the rank is 0.
    """
    for row in range(rows):
        size, rank, z = n[row], ranks[row], row * width
        if size == 0:
            continue
        pairs = size * (size + 1) // 2
        half = (pairs + 1) // 2
        middle = _kth_sum(ordered, z, size, half, low, high, below, upto, rest)
        after = middle
        if pairs % 2 == 0:
            after = _next_sum(ordered, z, size, half, middle, below, upto)
        averages[row] = middle / 4 + after / 4
        if rank > 0:
            averages[rows + row] = _kth_sum(ordered, z, size, rank, low, high, below, upto, rest) / 2
            last = pairs + 1 - rank
            averages[2 * rows + row] = _kth_sum(ordered, z, size, last, low, high, below, upto, rest) / 2
