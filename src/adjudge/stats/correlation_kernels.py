"""Compiled: weighted Pearson, Spearman and Kendall correlations of many pairs of rows. Plain twins are in the tests."""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import jitted, kernel

OK, TOO_FEW, X_CONSTANT, Y_CONSTANT, BOTH_CONSTANT = 0, 1, 2, 3, 4
"""What became of a pair of rows."""
LEAST_PAIRS = 3
"""Two points are always on a line."""
FEW = 512
"""Items up to which looking at all pairs is quicker than a tree."""
EXACT = 2**24
"""Whole numbers up to which a float of 32 bits holds every one."""


@kernel
def _grouped(
    values: np.ndarray,
    noise: np.ndarray,
    w: np.ndarray,
    items: int,
    total: float,
    start: np.ndarray,
    rank: np.ndarray,
) -> tuple[int, float]:
    """Of ascending items the first that each ties with, and twice its mid-rank less twice the mean rank; how many
    different ones there are, and the ordered pairs that tie.

    Neighbours that differ by no more than their noise tie. An item of weight w stands for w equal ones.
    """
    groups, ties, before = 0, 0.0, 0.0
    first = 0
    while first < items:
        here, stop = w[first], first + 1
        while stop < items and values[stop] - values[stop - 1] <= max(noise[stop], noise[stop - 1]):
            here += w[stop]
            stop += 1
        for k in range(first, stop):
            start[k] = first
            rank[k] = 2 * before + here - total
        ties += here * (here - 1)
        before += here
        groups += 1
        first = stop
    return groups, ties


def _product_moment(x: np.ndarray, y: np.ndarray, w: np.ndarray, total: float) -> float:
    """Pearson's r of weighted items, in two passes; in units in which no square over- or underflows."""
    mean_x = mean_y = 0.0
    for i in range(x.size):
        mean_x += w[i] * x[i]
        mean_y += w[i] * y[i]
    mean_x /= total
    mean_y /= total
    most_x = most_y = 0.0
    for i in range(x.size):
        most_x = max(most_x, abs(x[i] - mean_x))
        most_y = max(most_y, abs(y[i] - mean_y))
    xx = xy = yy = 0.0
    for i in range(x.size):
        a, b = (x[i] - mean_x) / most_x, (y[i] - mean_y) / most_y
        xx += w[i] * a * a
        xy += w[i] * a * b
        yy += w[i] * b * b
    return float(min(max(xy / np.sqrt(xx) / np.sqrt(yy), -1.0), 1.0))


def _of_ranks(u: np.ndarray, v: np.ndarray, w: np.ndarray, items: int) -> float:
    """Spearman's rho of weighted items, from twice their mid-ranks less twice the mean rank: whole numbers."""
    xx = xy = yy = 0.0
    for k in range(items):
        xx += w[k] * u[k] * u[k]
        xy += w[k] * u[k] * v[k]
        yy += w[k] * v[k] * v[k]
    return float(min(max(xy / np.sqrt(xx * yy), -1.0), 1.0))


def _by_pairs(y: np.ndarray, w: np.ndarray, start: np.ndarray, items: int) -> float:
    """Concordant less discordant pairs of items in the order of x, each with the first that ties with it in x.

    In numbers of half the size, twice as many at a time: whole ones up to `EXACT`, so that any order of adding will do.
    """
    s, none = 0.0, np.float32(0)
    for k in range(items):
        here, more = y[k], np.float32(0)
        for j in range(start[k]):
            more += (w[j] if y[j] < here else none) - (w[j] if y[j] > here else none)
        s += np.float64(w[k]) * np.float64(more)
    return s


def _by_signs(y: np.ndarray, w: np.ndarray, start: np.ndarray, items: int) -> float:
    """As `_by_pairs` where no two items tie in y: a sign is quicker than two comparisons."""
    s = 0.0
    for k in range(items):
        here, more = y[k], np.float32(0)
        for j in range(start[k]):
            more += np.copysign(w[j], here - y[j])
        s += np.float64(w[k]) * np.float64(more)
    return s


_MANY_AT_ONCE = {"reassoc", "nsz"}  # sums in any order: what is lost is of the size of rounding
_pairs = jitted(_by_pairs, fastmath=_MANY_AT_ONCE)
_signs = jitted(_by_signs, fastmath=_MANY_AT_ONCE)
_pearson = jitted(_product_moment, fastmath=_MANY_AT_ONCE)
_spearman = jitted(_of_ranks, fastmath=_MANY_AT_ONCE)


@kernel
def _by_tree(y: np.ndarray, w: np.ndarray, start: np.ndarray, items: int, places: int) -> int:
    """As `_by_pairs`, in n log n steps: a binary indexed tree (Fenwick 1994) counts the items before by their y."""
    tree = np.zeros(places + 1, np.int64)
    tied = np.zeros(places, np.int64)
    s = inserted = filled = 0
    for k in range(items):
        while filled < start[k]:
            at = y[filled] + 1
            tied[y[filled]] += w[filled]
            inserted += w[filled]
            while at <= places:
                tree[at] += w[filled]
                at += at & -at
            filled += 1
        below, at = 0, y[k]
        while at > 0:
            below += tree[at]
            at -= at & -at
        s += w[k] * (2 * below + tied[y[k]] - inserted)
    return s


@kernel
def correlate_rows(
    x: np.ndarray,
    x_order: np.ndarray,
    x_noise: np.ndarray,
    x_whole: np.ndarray,
    y: np.ndarray,
    y_order: np.ndarray,
    y_noise: np.ndarray,
    y_whole: np.ndarray,
    weights: np.ndarray,
    which: np.ndarray,
    wanted: np.ndarray,
    values: np.ndarray,
    status: np.ndarray,
) -> None:
    """Correlations of pairs of rows: Pearson's r, Spearman's rho, Kendall's tau-b and tau-c where `wanted`.

    A row of `which` names one pair: the rows of x, of its noise, of y, of its noise and of the weights. Items without
    weight do not count, nor those where x or y is NaN, which rows that are whole have nowhere; a weight is how many
    equal items there are, a whole number.
    """
    size = x.shape[1]
    w = np.empty(size)
    # Of people, by item; then the items that count, in the order of x.
    place, place_rank = np.empty(size, np.int64), np.empty(size)
    a, b, c, e = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    u, v = np.empty(size), np.empty(size)
    start, y_sorted, w_sorted = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    y_half, w_half = np.empty(size, np.float32), np.empty(size, np.float32)
    y_groups, y_ties, total, items = 0, 0.0, 0.0, 0
    whole = False
    for p in range(which.shape[0]):
        row, other, times = x[which[p, 0]], y[which[p, 2]], weights[which[p, 4]]
        # Measures one after the other share people's values and the weights: these are ranked once.
        ranked = whole and which[p, 2] == which[p - 1, 2] and which[p, 4] == which[p - 1, 4]
        whole = x_whole[which[p, 0]] and y_whole[which[p, 2]]
        ranked = ranked and whole
        if not ranked:
            total, items = 0.0, 0
            for i in range(size):
                w[i] = times[i] if row[i] == row[i] and other[i] == other[i] else 0.0
                total += w[i]
                items += 1 if w[i] > 0 else 0
        values[p] = np.nan
        if items < LEAST_PAIRS:
            status[p] = TOO_FEW
            continue
        if not ranked:
            order, noise = y_order[which[p, 2]], y_noise[which[p, 3]]
            k = 0
            for j in range(size):
                i = order[j]
                b[k], c[k], e[k] = other[i], w[i], noise[i]
                k += 1 if w[i] > 0 else 0
            y_groups, y_ties = _grouped(b, e, c, items, total, start, v)
            k = 0
            for j in range(size):
                i = order[j]
                place[i], place_rank[i] = start[k], v[k]
                k = min(k + 1, items - 1) if w[i] > 0 else k
        order, noise = x_order[which[p, 0]], x_noise[which[p, 1]]
        k = 0
        for j in range(size):  # without a jump: what does not count is written over
            i = order[j]
            a[k], b[k], c[k], e[k] = row[i], other[i], w[i], noise[i]
            v[k], y_sorted[k], w_sorted[k] = place_rank[i], place[i], np.int64(w[i])
            y_half[k], w_half[k] = np.float32(place[i]), np.float32(w[i])
            k += 1 if w[i] > 0 else 0
        x_groups, x_ties = _grouped(a, e, c, items, total, start, u)
        if x_groups < 2 or y_groups < 2:
            both = x_groups < 2 and y_groups < 2
            status[p] = BOTH_CONSTANT if both else X_CONSTANT if x_groups < 2 else Y_CONSTANT
            continue
        status[p] = OK
        if wanted[0]:
            values[p, 0] = _pearson(a[:items], b[:items], c[:items], total)
        if wanted[1]:
            values[p, 1] = _spearman(u, v, c, items)
        if wanted[2] or wanted[3]:
            few = items <= FEW and total < EXACT
            if few and y_groups == items:
                s = _signs(y_half, w_half, start, items)
            elif few:
                s = _pairs(y_half, w_half, start, items)
            else:
                s = np.float64(_by_tree(y_sorted, w_sorted, start, items, size))
            pairs = total * (total - 1)
            values[p, 2] = min(max(2 * s / np.sqrt((pairs - x_ties) * (pairs - y_ties)), -1.0), 1.0)
            classes = min(x_groups, y_groups)
            values[p, 3] = min(max(2 * s * classes / (total * total * (classes - 1)), -1.0), 1.0)
