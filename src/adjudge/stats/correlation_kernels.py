"""Compiled: weighted Pearson, Spearman and Kendall correlations of many pairs of rows. Plain twins are in the tests."""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel

OK, TOO_FEW, X_CONSTANT, Y_CONSTANT, BOTH_CONSTANT = 0, 1, 2, 3, 4
"""What became of a pair of rows."""
LEAST_PAIRS = 3
"""Two points are always on a line."""


@kernel
def _ranked(
    values: np.ndarray,
    order: np.ndarray,
    noise: np.ndarray,
    counted: np.ndarray,
    group: np.ndarray,
    rank: np.ndarray,
    total: float,
) -> tuple[int, float]:
    """The tie groups of a row and its centred doubled mid-ranks; how many groups, and weighted pairs that tie.

    Neighbours that differ by no more than their noise tie. An item of weight w stands for w equal ones.
    """
    groups, tied_pairs, before, start = -1, 0.0, 0.0, 0
    here = 0.0
    last = -1
    size = order.size
    for k in range(size):
        i = order[k]
        if counted[i] == 0:
            continue
        if last < 0 or values[i] - values[last] > max(noise[i], noise[last]):
            if last >= 0:
                middle = 2 * before + here - total
                for j in range(start, k):
                    rank[order[j]] = middle
                tied_pairs += here * (here - 1)
                before += here
            groups += 1
            here = 0.0
            start = k
        here += counted[i]
        group[i] = groups
        last = i
    middle = 2 * before + here - total
    for j in range(start, size):
        rank[order[j]] = middle
    tied_pairs += here * (here - 1)
    return groups + 1, tied_pairs


@kernel
def _product_moment(x: np.ndarray, y: np.ndarray, w: np.ndarray, total: float) -> float:
    """Pearson's r of weighted rows, in two passes; in units in which no square over- or underflows."""
    mean_x = mean_y = 0.0
    for i in range(x.size):
        if w[i] > 0:
            mean_x += w[i] * x[i]
            mean_y += w[i] * y[i]
    mean_x /= total
    mean_y /= total
    most_x = most_y = 0.0
    for i in range(x.size):
        if w[i] > 0:
            most_x = max(most_x, abs(x[i] - mean_x))
            most_y = max(most_y, abs(y[i] - mean_y))
    xx = xy = yy = 0.0
    for i in range(x.size):
        if w[i] > 0:
            a, b = (x[i] - mean_x) / most_x, (y[i] - mean_y) / most_y
            xx += w[i] * a * a
            xy += w[i] * a * b
            yy += w[i] * b * b
    return min(max(xy / np.sqrt(xx) / np.sqrt(yy), -1.0), 1.0)


@kernel
def _concordance(
    order: np.ndarray,
    x_group: np.ndarray,
    y_group: np.ndarray,
    y_groups: int,
    w: np.ndarray,
    tree: np.ndarray,
    level: np.ndarray,
) -> float:
    """Concordant less discordant pairs, in n log n steps: a binary indexed tree (Fenwick 1994) counts the values of y
    among the items with a smaller x."""
    tree[: y_groups + 1] = 0.0
    level[:y_groups] = 0.0
    s = inserted = 0.0
    size = order.size
    start = 0
    while start < size:
        if w[order[start]] == 0:
            start += 1
            continue
        stop = start
        while stop < size and (w[order[stop]] == 0 or x_group[order[stop]] == x_group[order[start]]):
            i = order[stop]
            stop += 1
            if w[i] == 0:
                continue
            below = 0.0
            k = y_group[i]
            while k > 0:
                below += tree[k]
                k -= k & -k
            s += w[i] * (2 * below + level[y_group[i]] - inserted)
        for j in range(start, stop):
            i = order[j]
            if w[i] == 0:
                continue
            level[y_group[i]] += w[i]
            inserted += w[i]
            k = y_group[i] + 1
            while k <= y_groups:
                tree[k] += w[i]
                k += k & -k
        start = stop
    return s


@kernel
def correlate_rows(
    x: np.ndarray,
    x_order: np.ndarray,
    x_noise: np.ndarray,
    y: np.ndarray,
    y_order: np.ndarray,
    y_noise: np.ndarray,
    weights: np.ndarray,
    which: np.ndarray,
    wanted: np.ndarray,
    found: np.ndarray,
    status: np.ndarray,
) -> None:
    """Correlations of pairs of rows: Pearson's r, Spearman's rho, Kendall's tau-b and tau-c where `wanted`.

    A row of `which` names one pair: the rows of x, of its noise, of y, of its noise and of the weights. Items without
    weight do not count, nor those where x or y is NaN; a weight is how many equal items there are.
    """
    size = x.shape[1]
    w = np.empty(size)
    x_group, y_group = np.empty(size, np.int64), np.empty(size, np.int64)
    x_rank, y_rank = np.empty(size), np.empty(size)
    tree, level = np.empty(size + 1), np.empty(size)
    for p in range(which.shape[0]):
        a, b = x[which[p, 0]], y[which[p, 2]]
        given = weights[which[p, 4]]
        total, items = 0.0, 0
        for i in range(size):
            w[i] = given[i] if a[i] == a[i] and b[i] == b[i] else 0.0
            if w[i] > 0:
                total += w[i]
                items += 1
        for c in range(4):
            found[p, c] = np.nan
        if items < LEAST_PAIRS:
            status[p] = TOO_FEW
            continue
        order = x_order[which[p, 0]]
        x_groups, x_ties = _ranked(a, order, x_noise[which[p, 1]], w, x_group, x_rank, total)
        y_groups, y_ties = _ranked(b, y_order[which[p, 2]], y_noise[which[p, 3]], w, y_group, y_rank, total)
        if x_groups < 2 or y_groups < 2:
            status[p] = (
                BOTH_CONSTANT if x_groups + y_groups == 2 else X_CONSTANT if x_groups < 2 else Y_CONSTANT
            )
            continue
        status[p] = OK
        if wanted[0]:
            found[p, 0] = _product_moment(a, b, w, total)
        if wanted[1]:
            xx = xy = yy = 0.0
            for i in range(size):
                if w[i] > 0:
                    xx += w[i] * x_rank[i] * x_rank[i]
                    xy += w[i] * x_rank[i] * y_rank[i]
                    yy += w[i] * y_rank[i] * y_rank[i]
            found[p, 1] = min(max(xy / np.sqrt(xx * yy), -1.0), 1.0)
        if wanted[2] or wanted[3]:
            s = _concordance(order, x_group, y_group, y_groups, w, tree, level)
            pairs = total * (total - 1)
            found[p, 2] = min(max(2 * s / np.sqrt((pairs - x_ties) * (pairs - y_ties)), -1.0), 1.0)
            classes = min(x_groups, y_groups)
            found[p, 3] = min(max(2 * s * classes / (total * total * (classes - 1)), -1.0), 1.0)
