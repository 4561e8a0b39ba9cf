"""Cosine and Jaccard of bags of words, compiled: one pass for both. Words and weights are similarity.py's.

Bags are runs of word numbers, in rising order, in one flat array: bag i is words[starts[i]:starts[i + 1]]. Postings
are the same turned round: the bags that have word w, in rising order, are bags[at[w]:at[w + 1]].
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import bare

_BLOCK = 32  # rows and columns that are mirrored together: both squares stay in the nearest cache


@bare
def squares(
    starts: np.ndarray,
    n: int,
    words: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    known: int,
    rare: float,
    found: np.ndarray,
) -> None:
    """The squared length of every bag.

    Words from number `known` on have one weight, `rare`; their counts are summed as whole numbers, so that the
    numbers they were given, which other bags have a part in, make no difference.
    """
    for i in range(n):
        total, new = 0.0, 0
        for k in range(starts[i], starts[i + 1]):
            if words[k] < known:
                total += weights[k] * weights[k]
            else:
                new += counts[k] * counts[k]
        found[i] = total + rare * rare * new


@bare
def similarities(
    starts: np.ndarray,
    n: int,
    words: np.ndarray,
    weights: np.ndarray,
    lengths: np.ndarray,
    scales: np.ndarray,
    sizes: np.ndarray,
    known: int,
    at: np.ndarray,
    ends: np.ndarray,
    bags: np.ndarray,
    there: np.ndarray,
    other_lengths: np.ndarray,
    other_scales: np.ndarray,
    other_sizes: np.ndarray,
    m: int,
    half: int,
    share: float,
    dots: np.ndarray,
    both: np.ndarray,
    found: np.ndarray,
) -> None:
    """`share` of the cosine and the rest of Jaccard, for n bags (rows) and the m bags of the postings (columns).

    Lengths are squared, and scales one by their roots. `half` leaves out what stands left of the diagonal, where both
    sides are the same bags: row i starts at itself, and moves the postings of its words (from `at` to `ends`) on
    behind itself. `dots` and `both` come as zeros, and are left so.
    """
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            word, weight = words[k], weights[k]
            if word < known:
                for p in range(at[word], ends[word]):
                    dots[bags[p]] += weight * there[p]
                    both[bags[p]] += 1
                at[word] += half
        length, scale, size, row = lengths[i], scales[i], sizes[i], np.int64(i) * m
        for j in range(i * half, m):
            dot, shared = dots[j], both[j]
            # Equal bags are exactly alike, and rounding is not let out of the range.
            equal = dot == length and dot == other_lengths[j]
            cosine = 1.0 if equal else min(1.0, dot * (scale * other_scales[j]))
            jaccard = shared / max(1.0, size + other_sizes[j] - shared)
            found[row + j] = share * cosine + (1.0 - share) * jaccard
            dots[j] = 0.0
            both[j] = 0


@bare
def mirror(found: np.ndarray, n: int) -> None:
    """The right upper half of a square onto the left lower one."""
    for top in range(0, n, _BLOCK):
        for left in range(top, n, _BLOCK):
            for i in range(top, min(top + _BLOCK, n)):
                for j in range(max(left, i + 1), min(left + _BLOCK, n)):
                    found[np.int64(j) * n + i] = found[np.int64(i) * n + j]
