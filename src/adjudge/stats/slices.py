"""Whether some topics differ from the others in a mean: permutation of topics between them, all slices at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.paired import NOISE

LEAST_INSIDE = 3
"""Topics on either side of a slice: fewer say nothing."""
AT_ONCE = 2_000_000
"""Numbers that resamples may take together."""


@dataclass(frozen=True)
class SliceTest:
    """The mean inside and outside a slice, and how surprising their difference is were topics sliced at random."""

    inside: float
    outside: float
    n_inside: int
    n_outside: int
    p: float
    """Two-sided."""
    smallest: float
    """The smallest p that so many topics, or so many resamples, could have given."""
    exact: bool
    why: str | None = None

    @property
    def difference(self) -> float:
        return self.inside - self.outside


def slice_tests(
    values: FloatArray, slices: BoolArray, *, rng: np.random.Generator, resamples: int = 2000
) -> list[SliceTest]:
    """Of every slice (slices x topics): does the mean of its topics differ from that of the others? NaN is left out.

    All ways of choosing as many topics are looked at where they are no more than `resamples`; p is then their share
    with a difference as large, and otherwise (k+1)/(R+1), with the same permutations for all slices. Topics count as
    exchangeable under the null hypothesis.
    """
    there = ~np.isnan(values)
    x, masks = values[there], slices[:, there]
    sizes = masks.sum(axis=1)
    sampled = [
        at
        for at, k in enumerate(sizes)
        if min(k, x.size - k) >= LEAST_INSIDE and math.comb(x.size, int(k)) > resamples
    ]
    drawn = dict(zip(sampled, _sums(x, masks[sampled], rng, resamples).T, strict=True)) if sampled else {}
    return [_test(x, mask, drawn.get(at)) for at, mask in enumerate(masks)]


def _sums(x: FloatArray, masks: BoolArray, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Resamples x slices: the sum inside each slice, the values being permuted."""
    sums = np.empty((resamples, len(masks)))
    inside = masks.T.astype(np.float64)
    step = max(AT_ONCE // max(x.size, 1), 1)
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        sums[start : start + many] = rng.permuted(np.tile(x, (many, 1)), axis=1) @ inside
    return sums


def _test(x: FloatArray, mask: BoolArray, drawn: FloatArray | None) -> SliceTest:
    n, k = x.size, int(mask.sum())
    inside, outside = (float(x[side].mean()) if side.any() else math.nan for side in (mask, ~mask))
    if min(k, n - k) < LEAST_INSIDE:
        side, few = ("in", k) if k < LEAST_INSIDE else ("outside", n - k)
        why = f"{few or 'no'} topic{'' if few == 1 else 's'} {side} it with a correlation, of {LEAST_INSIDE} at least"
        return SliceTest(inside, outside, k, n - k, math.nan, math.nan, exact=False, why=why)
    exact = drawn is None
    sums = np.array([x[list(at)].sum() for at in combinations(range(n), k)]) if drawn is None else drawn
    differences = np.abs(sums / k - (x.sum() - sums) / (n - k))
    as_large = int(np.count_nonzero(differences >= abs(inside - outside) - 8 * NOISE * np.abs(x).max()))
    # With as many inside as outside every choice has a mirror image, whose difference is as large.
    least = (2 if 2 * k == n else 1) / sums.size if exact else 1 / (sums.size + 1)
    p = as_large / sums.size if exact else (as_large + 1) / (sums.size + 1)
    return SliceTest(inside, outside, k, n - k, p=p, smallest=least, exact=exact)
