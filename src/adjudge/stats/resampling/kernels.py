"""Compiled: sums, ranks and medians of resampled differences, tails and quantiles, Westfall-Young's counting.

Arrays of resamples have topics in rows and resamples in columns. Every sum goes over the topics in their order, one
resample apart from the other, so that no number depends on blocks or threads; sums of whole numbers are exact.
"""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import kernel


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


# Signed ranks and medians of resampled differences

_STRETCH = 256  # resamples that look for their medians together


@kernel
def by_size(
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    noise: float,
    order: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
) -> None:
    """For every pair the topics that both have, by the size of their difference, zeros first, then -1.

    `starts` marks where a new size begins. Noise is the relative noise of scores, as in paired.py: a
    difference within it is 0, and neighbours within it tie. `zeros` counts the zeros. Rows of columns are systems.
    """
    topics = columns.shape[1]
    size, rough = np.empty(topics), np.empty(topics)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        none = 0
        for k in range(topics):
            size[k] = abs(x[k] - y[k])
            rough[k] = noise * max(abs(x[k]), abs(y[k]))
            if size[k] <= rough[k]:
                size[k] = 0.0
                none += 1
        zeros[p] = none
        # NaN comes last.
        by = np.argsort(size, kind="mergesort")
        order[p] = -1
        starts[p] = False
        for t in range(topics):
            k = by[t]
            if np.isnan(size[k]):
                break
            order[p, t] = k
            starts[p, t] = t in (0, none) or size[k] - size[by[t - 1]] > max(rough[k], rough[by[t - 1]])


@kernel
def signed_ranks(
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    pratt: bool,
    ranks: np.ndarray,
) -> None:
    """Twice the signed rank of every difference, 0 for zeros and missing ones. Rankel et al. 2011, section 2."""
    topics = order.shape[1]
    ranks[:] = 0
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        below = zeros[p] if pratt else 0
        t = zeros[p]
        while t < topics and order[p, t] >= 0:
            end = _end(order[p], starts[p], t)
            for u in range(t, end):
                k = order[p, u]
                doubled = 2 * below + (end - t) + 1
                ranks[p, k] = doubled if x[k] > y[k] else -doubled
            below += end - t
            t = end


@kernel
def _end(order: np.ndarray, starts: np.ndarray, t: int) -> int:
    """Where the differences that tie with the t-th end."""
    end = t + 1
    while end < order.size and order[end] >= 0 and not starts[end]:
        end += 1
    return end


@kernel
def drawn_rank_sums(
    signed: np.ndarray,
    counts: np.ndarray,
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    pratt: bool,
    sums: np.ndarray,
) -> None:
    """Twice the signed-rank sum W of every pair and resample, where topics are drawn more than once or not at all.

    Topics drawn together tie, so that a group of c equal sizes, with b smaller ones drawn, has the mid-rank
    b + (c + 1)/2; what counts is how many more of it are positive than negative.
    """
    topics, resamples = signed.shape
    below = np.empty(resamples, signed.dtype)
    group = np.empty(resamples, signed.dtype)
    excess = np.empty(resamples, signed.dtype)
    one = np.ones(1, signed.dtype)[0]
    for p in range(first.size):
        x, y, out = columns[first[p]], columns[second[p]], sums[p]
        out[:] = 0
        below[:] = 0
        if pratt:
            for t in range(zeros[p]):
                c = counts[order[p, t]]
                for r in range(resamples):
                    below[r] += c[r] + c[r]
        t = zeros[p]
        while t < topics:
            end = _end(order[p], starts[p], t)
            k = order[p, t]
            side = one if x[k] > y[k] else -one
            c, s = counts[k], signed[k]
            if end == t + 1:
                for r in range(resamples):
                    out[r] += (below[r] + c[r] + one) * (s[r] * side)
                    below[r] += c[r] + c[r]
            else:
                group[:] = 0
                excess[:] = 0
                for u in range(t, end):
                    k = order[p, u]
                    side = one if x[k] > y[k] else -one
                    c, s = counts[k], signed[k]
                    for r in range(resamples):
                        group[r] += c[r]
                        excess[r] += s[r] * side
                for r in range(resamples):
                    out[r] += (below[r] + group[r] + one) * excess[r]
                    below[r] += group[r] + group[r]
            t = end


@kernel
def drawn_medians(
    signed: np.ndarray,
    counts: np.ndarray,
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    sides: np.ndarray,
    excess: np.ndarray,
    medians: np.ndarray,
) -> None:
    """Twice the median difference of every pair and resample.

    `sides` says for every pair and topic whether the difference is positive, 1, or negative, -1; `excess` how many
    more differences of a resample are positive. In ascending order the negative ones come first, the largest size
    first, then the positive ones. The median is near the small sizes, so a short walk from there finds it, for a
    stretch of resamples together.
    """
    topics, resamples = signed.shape
    size, reached_size = np.empty(topics, medians.dtype), np.empty(_STRETCH, medians.dtype)
    walk = np.empty((3, _STRETCH), signed.dtype)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        for t in range(topics):
            size[t] = abs(x[order[p, t]] - y[order[p, t]])
        for start in range(0, resamples, _STRETCH):
            here = slice(start, min(start + _STRETCH, resamples))
            out, more = medians[p, here], excess[p, here]
            negative, left, turn = walk[0], walk[1], walk[2]
            for r in range(out.size):
                negative[r] = (topics - more[r]) / 2
            _place(negative[: out.size], (topics - 1) // 2, left, turn)
            _walk(signed, counts, order[p], sides[p], size, here, left, turn, reached_size)
            for r in range(out.size):
                out[r] = turn[r] * reached_size[r]
            if topics % 2:  # the middle one counts twice
                for r in range(out.size):
                    out[r] += out[r]
                continue
            _place(negative[: out.size], topics // 2, left, turn)
            _walk(signed, counts, order[p], sides[p], size, here, left, turn, reached_size)
            for r in range(out.size):
                out[r] += turn[r] * reached_size[r]


@kernel
def _place(negative: np.ndarray, place: int, left: np.ndarray, turn: np.ndarray) -> None:
    """Which side the place of the ascending order is on, and twice how many of that side are up to it."""
    for r in range(negative.size):
        below = place < negative[r]
        turn[r] = -1 if below else 1
        left[r] = 2 * (negative[r] - place if below else place - negative[r] + 1)


@kernel
def _walk(
    signed: np.ndarray,
    counts: np.ndarray,
    order: np.ndarray,
    side: np.ndarray,
    size: np.ndarray,
    here: slice,
    left: np.ndarray,
    turn: np.ndarray,
    reached_size: np.ndarray,
) -> None:
    """Go up in size until nothing is left, in each resample; the size that is then reached."""
    reached_size[:] = size[0]
    for t in range(size.size - 1):
        k = order[t]
        row, drawn, turned, step = signed[k, here], counts[k, here], side[k], size[t + 1] - size[t]
        going = np.int32(0)
        for r in range(row.size):
            left[r] -= drawn[r] + turn[r] * turned * row[r]
            on = left[r] > 0
            reached_size[r] += step if on else step - step
            going = np.int32(going + on)
        if not going:
            break


# How often a resampled statistic reaches the observed one, and its quantile

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
    values, unrounded = np.empty(resamples, np.float32), np.empty(resamples)
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
            counts[p] -= _rounded_up(x, y, side == 0, values, edges[p], at[0], unrounded)
        if np.isnan(apart):
            near, apart = _guess(values, rank, unrounded)
            _around(near, margin * apart, unit, edge)
            at[1], at[2] = _reaching(values, edge[1]), _reaching(values, edge[2])
        largest[p] = _largest_near(x, y, side == 0, values, rank, unit, apart, edge, at, unrounded)
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
    unrounded: np.ndarray,
) -> int:
    """How many values reach the edge after rounding alone."""
    low = np.float32(edge)
    high = np.nextafter(low, np.float32(np.inf))
    if at_edge == _reaching(values, high):
        return 0
    count = _collect(x, y, two_sided, values, low, high, unrounded)
    return int(np.sum(unrounded[:count] < edge))


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
    unrounded: np.ndarray,
) -> float:
    """The rank-th largest, looked for from edge[1] and edge[2] on, which at[1] and at[2] values reach."""
    low, high, at_low, at_high = np.float32(-np.inf), np.float32(np.inf), values.size, 0
    if np.isfinite(edge[1]) and np.isfinite(edge[2]) and max(unit, per_count) > 0:
        low, high, at_low, at_high = _bounds(values, rank, unit, per_count, edge, at)
    if high - low <= unit:
        return np.float64(low)
    if at_low - at_high == 1:
        return _only(x, y, two_sided, values, low, high)
    count = _collect(x, y, two_sided, values, low, high, unrounded)
    return _largest(unrounded[:count], rank - at_high)


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
    unrounded: np.ndarray,
) -> int:
    """Copy the values from low up to below high to `unrounded`, as they were before rounding, and say how many."""
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
                    unrounded[count] = abs(value) if two_sided else value
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
def _guess(values: np.ndarray, rank: int, scratch: np.ndarray) -> tuple[float, float]:
    """About where the rank-th largest is and how far values are apart there, from a few; NaN where there are few."""
    if values.size < 4 * _SAMPLE:
        return np.nan, np.nan
    sample = scratch[:_SAMPLE]
    every = values.size // _SAMPLE
    for k in range(_SAMPLE):
        sample[k] = values[k * every]
    _sort(sample)
    place = min(rank // every, _SAMPLE - 1)
    above, below = max(place - 4, 0), min(place + 4, _SAMPLE - 1)
    return sample[place], (sample[above] - sample[below]) / ((below - above) * every)


# Counting for Westfall-Young: pairs from the least significant on

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
        bound = studentised(key, size, squares)
        for r in range(sums.shape[1]):
            key = abs(sums[pair, r]) if two_sided else sums[pair, r]
            t = studentised(key + slack, size, squares)
            if t > running[r]:
                running[r] = t
            count += running[r] >= bound
        counts[pair] = count
    return counts
