"""Subsets of topics, references or assessors for learning curves, and how many pairs of columns differ on each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.multiple import at_most
from adjudge.stats.paired import exponents, noise_of, settled, student_p
from adjudge.stats.pairs import columns_of_pairs

SharesCorrection = Literal["holm", "none"]
STEPS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70)
"""Sizes of a curve, up to a hundred; then the same times ten, a hundred ..."""
ALL_UP_TO = 12
"""Things of which a curve has every number."""
BLOCK = 4_000_000
"""Numbers held at once: 32 MB."""
FLAT = 1e-13
"""Of the largest square: a smaller mean square may be the rounding of sums."""


def sizes(n: int) -> tuple[int, ...]:
    """The numbers of a curve that ends at n: all where they are few, else ever wider apart."""
    if n <= ALL_UP_TO:
        return tuple(range(1, n + 1))
    numbers, unit = [], 1
    while unit < n:
        numbers += [step * unit for step in STEPS if (unit == 1 or step >= 10) and step * unit < n]
        unit *= 10
    return tuple(sorted({*numbers, n}))


@dataclass(frozen=True, eq=False)
class Subsets:
    """Subsets of n things, or how often each was drawn: one row each."""

    weights: FloatArray
    """Draws x things."""
    every: bool
    """Whether these are all subsets there are."""

    def __len__(self) -> int:
        return len(self.weights)


def subsets(n: int, k: int, *, draws: int, rng: np.random.Generator) -> Subsets:
    """k of n things: all subsets where there are at most so many draws, else random ones, each without replacement."""
    checks.count("draws", draws, least=1)
    if math.comb(n, k) <= draws:
        chosen = np.array(list(combinations(range(n), k)), dtype=np.int64).reshape(-1, k)
    else:
        chosen = np.argsort(rng.random((draws, n)), axis=1)[:, :k]
    weights = np.zeros((len(chosen), n))
    np.put_along_axis(weights, chosen, 1.0, axis=1)
    return Subsets(weights=weights, every=math.comb(n, k) <= draws)


def resamples(n: int, k: int, *, draws: int, rng: np.random.Generator) -> Subsets:
    """k draws with replacement from n things: how often each was drawn."""
    checks.count("draws", draws, least=1)
    weights = np.zeros((draws, n))
    np.add.at(weights, (np.arange(draws)[:, None], rng.integers(n, size=(draws, k))), 1.0)
    return Subsets(weights=weights, every=False)


def first_of(present: BoolArray, order: FloatArray, k: int) -> BoolArray:
    """Of the things along the first axis that are present, the k that come first by `order`; all where fewer are."""
    placed = np.argsort(np.where(present, order, np.inf), axis=0, kind="stable")
    kept = np.zeros(present.shape, dtype=np.bool_)
    np.put_along_axis(kept, placed[:k], True, axis=0)
    return kept & present


# How many pairs of columns differ


def shares_different(
    values: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    groups: IntArray | None = None,
    alpha: float = 0.05,
    correction: SharesCorrection = "holm",
) -> FloatArray:
    """For every row of weights, the share of all pairs of columns that a paired t-test over the rows finds different.

    A weight is how often a row was drawn. Where `groups` says to which group each row belongs, counted from 0, a
    group's mean difference is one observation, and weights are of groups. A pair uses the rows that both columns have.
    As in `paired_t`, differences that are all zero have p = 1, and there is no p where they are all the same otherwise,
    or fewer than two: that pair is not found different, and Holm's correction does not count it. NaN where no pair
    has a p.
    """
    matrix, drawn = (
        checks.numbers(n, a, dimensions=2) for n, a in (("values", values), ("weights", weights))
    )
    checks.share("alpha", alpha)
    checks.one_of("correction", correction, ("holm", "none"))
    first, second = columns_of_pairs(matrix.shape[1])
    p = np.empty((len(drawn), first.size))
    width = max(1, BLOCK // max(1, len(matrix), len(drawn)))
    for start in range(0, first.size, width):
        part = slice(start, start + width)
        p[:, part] = _t_tests(matrix[:, first[part]], matrix[:, second[part]], drawn, groups)
    ordered = np.sort(p, axis=1)
    tests = np.count_nonzero(~np.isnan(p), axis=1)
    if correction == "holm":
        ordered = ordered * np.maximum(tests[:, None] - np.arange(p.shape[1]), 1)
    significant = np.logical_and.accumulate(at_most(ordered, alpha), axis=1).sum(axis=1)
    return np.where(tests > 0, significant / max(p.shape[1], 1), np.nan)


def shares_different_of(
    stack: FloatArray,
    *,
    groups: IntArray | None = None,
    alpha: float = 0.05,
    correction: SharesCorrection = "holm",
) -> FloatArray:
    """The same of every matrix of a stack (any x rows x columns), all rows once."""
    once = np.ones((1, stack.shape[1] if groups is None else int(groups.max()) + 1))
    shares = (
        shares_different(matrix, once, groups=groups, alpha=alpha, correction=correction) for matrix in stack
    )
    return np.array([share[0] for share in shares])


def _t_tests(x: FloatArray, y: FloatArray, weights: FloatArray, groups: IntArray | None) -> FloatArray:
    """p of the paired t-test, for every row of weights and every column."""
    unit = exponents(np.stack([x, y]), axis=(0, 1))[0]
    x, y = np.ldexp(x, -unit), np.ldexp(y, -unit)  # t has no unit
    cell_noise = noise_of(x, y)
    noise = np.max(np.nan_to_num(cell_noise), axis=0, initial=0.0)
    difference = settled(x - y, cell_noise)
    if groups is not None:
        belongs = (groups == np.arange(weights.shape[1])[:, None]).astype(np.float64)
        present = ~np.isnan(difference)
        with np.errstate(invalid="ignore"):
            difference = (belongs @ np.where(present, difference, 0.0)) / (belongs @ present)
    present = ~np.isnan(difference)
    nonzero = present & (difference != 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.where(present, difference, 0.0).sum(axis=0) / np.count_nonzero(present, axis=0)
        # Around the mean of all rows, so that squares are small and their sums lose little.
        around = np.where(present, difference - centre, 0.0)
        largest = np.max(around**2, axis=0, initial=0.0)
        n = weights @ present.astype(np.float64)
        total = weights @ around
        squares = weights @ around**2 - total**2 / n
        mean = centre + total / n
        # Equal differences may be apart by the noise of scores, or of the sums of squares.
        varies = squares > np.maximum(FLAT * n * largest, 2 * n**3 * noise**2)
        t = np.sqrt(n * (n - 1)) * mean / np.sqrt(np.where(varies, squares, np.nan))
        p = np.where((n >= 2) & varies, student_p(t, n - 1, "two-sided"), np.nan)
    p[(n >= 2) & (weights @ nonzero.astype(np.float64) == 0)] = 1.0
    return np.asarray(p)
