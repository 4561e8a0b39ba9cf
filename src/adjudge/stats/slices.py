"""Slices of topics: whether the mean differs on one, and whether differences between columns depend on the slice.

Both by permutation: of topics between slices, or of slices among rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Literal

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
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


# Whether differences between columns depend on which slice a row is in: permutation of slices among rows.
#
# A row's profile is its values less their mean, so that what makes all columns high or low together does not count. The
# statistic is the sum of squares of profiles between slices, as in a multivariate analysis of variance by permutation
# (Anderson 2001).

LABELS_AT_ONCE = 4_000_000
"""Labels that resamples may take together."""
SAME = 1e-9
"""Relative distance below which two statistics are one."""


Untestable = Literal["one-column", "one-slice", "one-row-each", "all-the-same"]
"""Why there is no test: one column, one slice, one row in every slice, or profiles that are all the same."""


@dataclass(frozen=True)
class SliceInteraction:
    """Rows in slices x columns: how much profiles differ between slices, and how surprising that is.

    The arrays are slices x columns. `inside` and `outside` are a column's distance from the mean of all columns, on the
    rows of a slice and on all others; `p_cells` is corrected over all of them (single-step max |z|).
    """

    n: IntArray
    """Rows in every slice."""
    inside: FloatArray
    outside: FloatArray
    p_cells: FloatArray
    share: float
    """Of the sum of squares of profiles, what lies between slices."""
    p: float
    smallest: float
    """The smallest p that these rows, or so many resamples, could have given."""
    exact: bool
    why: Untestable | None = None


def slice_interaction(
    values: FloatArray,
    labels: IntArray,
    *,
    blocks: IntArray | None = None,
    rng: np.random.Generator,
    resamples: int = 9999,
) -> SliceInteraction:
    """Do differences between columns depend on the slice (`labels`: 0, 1, ... per row)? No value is missing.

    Labels change places among all rows or, where rows come in blocks (the same input in several slices), within their
    block, profiles then being less their block's mean. All arrangements are looked at where they are no more than
    `resamples`, and p is the share with a statistic as large; otherwise p = (k+1)/(R+1). Rows (of a block) count as
    exchangeable under the null hypothesis.
    """
    profiles = values - values.mean(axis=1, keepdims=True)
    level = profiles.mean(axis=0)
    centred = profiles - (level if blocks is None else _block_means(profiles, blocks))
    n = np.bincount(labels)
    why = _why_not(values, n, blocks)
    if why is None and np.abs(centred).max() <= 1e-12 * max(float(np.abs(values).max()), 1e-300):
        why = "all-the-same"
    statistics = _Statistics(centred, n)
    total, z = statistics(labels[None, :])
    inside = statistics.means(labels[None, :])[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        outside = (centred.sum(axis=0) - n[:, None] * inside) / (len(labels) - n)[:, None]
    if why is not None:
        nothing = np.full(inside.shape, math.nan)
        return SliceInteraction(
            n, inside + level, outside + level, nothing, math.nan, math.nan, math.nan, exact=False, why=why
        )
    ways = _ways(labels, blocks)
    exact = ways <= resamples
    null: list[FloatArray] = []
    above = np.zeros(inside.shape)
    drawn = 0
    arrangements = _all(labels, blocks) if exact else _drawn(labels, blocks, rng, resamples)
    for some in arrangements:
        sums, others = statistics(some)
        null.append(sums)
        most = np.abs(others).reshape(len(some), -1).max(axis=1)
        above += (most[:, None, None] >= np.abs(z) * (1 - SAME)).sum(axis=0)
        drawn += len(some)
    every = np.concatenate(null)
    as_large = int(np.count_nonzero(every >= total[0] * (1 - SAME)))
    if exact:
        p, cells = as_large / drawn, above / drawn
        least = float(np.count_nonzero(every >= every.max() * (1 - SAME))) / drawn
    else:
        p, cells = (as_large + 1) / (drawn + 1), (above + 1) / (drawn + 1)
        least = max(1 / (drawn + 1), _alike(n, labels, blocks) / ways)
    return SliceInteraction(
        n=n,
        inside=inside + level,
        outside=outside + level,
        p_cells=cells,
        share=float(total[0] / (centred**2).sum()),
        p=p,
        smallest=min(least, p),
        exact=exact,
    )


def _why_not(values: FloatArray, n: IntArray, blocks: IntArray | None) -> Untestable | None:
    if values.shape[1] < 2:
        return "one-column"
    if len(n) < 2 or not n.all():
        return "one-slice"
    return "one-row-each" if blocks is None and n.max() < 2 else None


@dataclass
class _Statistics:
    """The sum of squares between slices, and every cell's standardized difference from the other rows."""

    centred: FloatArray
    n: IntArray

    def __post_init__(self) -> None:
        rows = len(self.centred)
        spread = np.sqrt((self.centred**2).sum(axis=0) / max(rows - 1, 1))
        apart = np.sqrt(1 / np.maximum(self.n, 1) + 1 / np.maximum(rows - self.n, 1))
        self.scale = apart[:, None] * spread
        self.total = self.centred.sum(axis=0)

    def means(self, labels: IntArray) -> FloatArray:
        """Arrangements x slices x columns."""
        means = np.empty((len(labels), len(self.n), self.centred.shape[1]))
        for k, size in enumerate(self.n):
            means[:, k] = (labels == k).astype(np.float64) @ self.centred / max(int(size), 1)
        return means

    def __call__(self, labels: IntArray) -> tuple[FloatArray, FloatArray]:
        means = self.means(labels)
        between = (means**2 * self.n[:, None]).sum(axis=(1, 2))
        rest = np.maximum(len(self.centred) - self.n, 1)[:, None]
        outside = (self.total - means * self.n[:, None]) / rest
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(self.scale > 0, (means - outside) / self.scale, 0.0)
        return between, z


def _block_means(profiles: FloatArray, blocks: IntArray) -> FloatArray:
    counts = np.bincount(blocks)
    sums = np.zeros((len(counts), profiles.shape[1]))
    np.add.at(sums, blocks, profiles)
    means: FloatArray = (sums / counts[:, None])[blocks]
    return means


# Arrangements of labels


def _ways(labels: IntArray, blocks: IntArray | None) -> int:
    """How many different arrangements there are."""
    if blocks is None:
        return math.factorial(len(labels)) // math.prod(map(math.factorial, np.bincount(labels).tolist()))
    return math.prod(map(math.factorial, np.bincount(blocks).tolist()))


def _alike(n: IntArray, labels: IntArray, blocks: IntArray | None) -> int:
    """How many arrangements have the same statistic at least: slices of one size may change names."""
    if blocks is None:
        return math.prod(map(math.factorial, Counter(n.tolist()).values()))
    return math.factorial(len(n)) if (np.bincount(blocks) == len(n)).all() else 1


def _all(labels: IntArray, blocks: IntArray | None) -> Iterator[IntArray]:
    """Every arrangement once."""
    if blocks is None:
        yield np.array(list(_arranged(labels.tolist())))
        return
    places = [np.flatnonzero(blocks == k) for k in range(int(blocks.max()) + 1)]
    orders = [list(permutations(labels[at].tolist())) for at in places]
    rows = []
    for chosen in product(*orders):
        row = np.empty(len(labels), dtype=np.int64)
        for at, values in zip(places, chosen, strict=True):
            row[at] = values
        rows.append(row)
    yield np.array(rows)


def _arranged(labels: Sequence[int]) -> Iterator[list[int]]:
    """The different orders of labels that occur several times."""
    counts = Counter(labels)

    def fill(free: tuple[int, ...], left: list[int]) -> Iterator[dict[int, int]]:
        if not left:
            yield {}
            return
        label, rest = left[0], left[1:]
        for at in combinations(free, counts[label]):
            for more in fill(tuple(k for k in free if k not in at), rest):
                yield {**dict.fromkeys(at, label), **more}

    for placed in fill(tuple(range(len(labels))), sorted(counts)):
        yield [placed[k] for k in range(len(labels))]


def _drawn(
    labels: IntArray, blocks: IntArray | None, rng: np.random.Generator, resamples: int
) -> Iterator[IntArray]:
    """Arrangements at random, some at a time."""
    step = max(LABELS_AT_ONCE // len(labels), 1)
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        if blocks is None:
            yield rng.permuted(np.tile(labels, (many, 1)), axis=1)
            continue
        # Rows in the order of random numbers within their block: an argsort by block and number.
        keys = blocks + rng.random((many, len(labels)))
        order, places = np.argsort(keys, axis=1), np.argsort(blocks, kind="stable")
        drawn = np.empty_like(order)
        drawn[:, places] = labels[order]
        yield drawn
