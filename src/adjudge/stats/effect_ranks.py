"""Signed ranks of many pairs' differences, moved by a margin, compiled. Single pairs' tests live in paired.py."""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel


@kernel
def _doubled_ranks(sizes: np.ndarray, noise: np.ndarray, doubled: np.ndarray) -> float:
    """Twice the mid-ranks of sizes in ascending order; gives the sum of t^3 - t over groups of t ties.

    The rule of `differences.steps`: neighbours tie when they are no further apart than the larger of their noises.
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
def _chances(weights: np.ndarray, sum_: int) -> tuple[float, float]:
    """P(V < sum) and P(V <= sum), where V adds up the weights that come in, each with probability 1/2.

    The shift algorithm (Streitberg and Röhmel 1986) on sums up to the one that is asked for.
    """
    chance = np.zeros(sum_ + 1)
    chance[0] = 1.0
    reached = 0
    for weight in weights:
        reached = min(reached + weight, sum_)
        for s in range(reached, weight - 1, -1):
            chance[s] = 0.5 * (chance[s] + chance[s - weight])
        for s in range(min(weight, reached + 1)):
            chance[s] *= 0.5
    below = chance[:sum_].sum()
    return below, below + chance[sum_]


@kernel
def signed_ranks(
    values: np.ndarray, noise: np.ndarray, shift: float, noise_of_shift: float, exact_up_to: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For every row of differences, all moved by `shift`: what its signed ranks add up to.

    Gives twice the sum of the ranks of positive differences, how many differences are not 0, the correction for ties,
    and, where ties ask for it and at most `exact_up_to` differences are ranked, the chances that the smaller
    of the two sums, positive and negative, is undercut, and reached from above; NaN elsewhere.
    """
    rows, columns = values.shape
    positive, ranked = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    ties, below, upto = np.zeros(rows), np.full(rows, np.nan), np.full(rows, np.nan)
    moved, slack = np.empty(columns), np.empty(columns)
    doubled = np.empty(columns, dtype=np.int64)
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
            below[row], upto[row] = _chances(doubled[:m], min(positive[row], m * (m + 1) - positive[row]))
    return positive, ranked, ties, below, upto
