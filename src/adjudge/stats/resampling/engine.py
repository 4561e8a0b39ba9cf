"""What resampling tests of all pairs share: common topics, statistics, draws, counting.

A test makes tasks of its matrix (`prepare`), draws topics and signs (`SwapDraws`, `HybridDraws`), lets a job compute
the statistic of every resample, and counts how many reach what was observed (`tails`).

Resampled values are kept as numbers that are exact and rise with the statistic: sums of whole differences for the
mean, twice the sum of signed ranks for W, twice the median of whole differences, and for T and T^p the share
s|s| / D of `full_squares`. `ObservedStatistic.shown` turns them into the statistic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE, Alternative, too_few
from adjudge.stats.pairs import PairCounts, PairResults, columns_of_pairs, pair_counts
from adjudge.stats.resampling.quantised import Float, Quantised, narrowest, quantise

# Topics that the columns of a pair have in common: few sets for many pairs


@dataclass(frozen=True)
class CommonTopics:
    """The pairs of columns, sorted by their sets of common topics. Columns fall into few patterns of missing cells,
    so pairs fall into few sets."""

    first: IntArray
    second: IntArray
    set_of_pair: IntArray
    packed: npt.NDArray[np.uint8]
    """One row of bits for every set: which topics belong to it."""
    topics: int

    @property
    def n(self) -> IntArray:
        """How many topics each pair has in common."""
        sizes: IntArray = np.bitwise_count(self.packed).sum(axis=1, dtype=np.int64)
        return sizes[self.set_of_pair]

    def rows(self, which: int) -> IntArray:
        """The topics of a set."""
        return np.flatnonzero(np.unpackbits(self.packed[which], count=self.topics))

    def sets(self, pairs: IntArray) -> Iterator[tuple[int, IntArray]]:
        """Every set that some of these pairs have, and which of them have it."""
        ids = self.set_of_pair[pairs]
        order = np.argsort(ids, kind="stable")
        starts = np.flatnonzero(np.diff(ids[order], prepend=-1))
        for start, stop in zip(starts, [*starts[1:], pairs.size], strict=False):
            yield int(ids[order[start]]), pairs[order[start:stop]]


def common_topics(present: BoolArray) -> CommonTopics:
    """The sets of all pairs of columns, given which cells are present."""
    topics, columns = present.shape
    first, second = columns_of_pairs(columns)
    bits = np.packbits(present, axis=0).T
    if present.all():
        same = np.zeros(first.size, dtype=np.int64)
        return CommonTopics(first=first, second=second, set_of_pair=same, packed=bits[:1], topics=topics)
    patterns, pattern = np.unique(bits, axis=0, return_inverse=True)
    a, b = np.triu_indices(len(patterns))
    packed, met = np.unique(patterns[a] & patterns[b], axis=0, return_inverse=True)
    table = np.zeros((len(patterns), len(patterns)), dtype=np.int64)
    table[a, b] = table[b, a] = met.ravel()
    pattern = pattern.ravel()
    return CommonTopics(
        first=first,
        second=second,
        set_of_pair=table[pattern[first], pattern[second]],
        packed=packed,
        topics=topics,
    )


# Statistics: what was observed, what counts as reaching it, quantiles

Statistic = Literal["mean", "median", "t", "t-unpaired", "w"]
"""Mean difference, median difference, T^p, T (pooled variance), signed-rank sum W. Rankel et al. 2011, section 2."""

ResampledZeros = Literal["wilcox", "pratt"]
"""Of W, as in `paired.wilcoxon`."""

RESAMPLES = 2000
SIDES: dict[Alternative, int] = {"two-sided": 0, "greater": 1, "less": -1}
SHARES: tuple[Statistic, ...] = ("t", "t-unpaired")
"""Statistics whose resampled numbers are shares, not whole."""


@dataclass(frozen=True)
class ResamplingOptions:
    """What is resampled, and how often."""

    statistic: Statistic
    resamples: int
    alternative: Alternative
    alpha: float | None
    """Of the cut-off; None where none is asked for, which saves half of the work."""
    zeros: ResampledZeros

    def __post_init__(self) -> None:
        checks.one_of("statistic", self.statistic, get_args(Statistic))
        checks.count("resamples", self.resamples, least=1)
        checks.one_of("alternative", self.alternative, get_args(Alternative))
        if self.alpha is not None:
            checks.share("alpha", self.alpha)
        checks.one_of("zeros", self.zeros, get_args(ResampledZeros))

    @property
    def side(self) -> int:
        return SIDES[self.alternative]

    @property
    def rank(self) -> int:
        """The cut-off is the rank-th largest of the resampled values, as `quantile_place` has it."""
        assert self.alpha is not None
        return self.resamples - quantile_place(1 - self.alpha, self.resamples)

    def signature(self, test: str) -> str:
        zeros = f"|zeros:{self.zeros}" if self.statistic == "w" else ""
        alpha = "" if self.alpha is None else f"|alpha:{self.alpha:g}"
        return (
            f"{test}|statistic:{self.statistic}{zeros}|resamples:{self.resamples}{alpha}|{self.alternative}"
        )


@dataclass(frozen=True)
class ObservedStatistic:
    """Each pair's observed statistic in exact numbers, and what turns such numbers into the statistic."""

    statistic: Statistic
    n: IntArray
    value: FloatArray
    """The sum, doubled W, doubled median or share that resampled ones are compared with."""
    tolerance: FloatArray
    """What may be missing for a tie; 0 where the numbers are whole."""
    unit: float
    size: FloatArray
    """About the standard deviation of the resampled numbers, of the shares' roots for shares; NaN if not known."""
    most: FloatArray | None = None
    """D of `full_squares`, where T or T^p is held by the sum of differences instead of by the share."""

    def edges(self, side: int) -> FloatArray:
        """From where on a resampled value counts as at least as extreme."""
        return (np.abs(self.value) if side == 0 else side * self.value) - self.tolerance

    def expected(self, options: ResamplingOptions) -> tuple[FloatArray, FloatArray]:
        """About where the cut-off is, and how far values are apart there, by the normal distribution.

        A place to start a search from, on which no result depends.
        """
        assert options.alpha is not None
        tails = 2 if options.side == 0 else 1
        z = -float(ndtri(min(options.alpha / tails, 0.5)))
        density = tails * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        guess, apart = z * self.size, self.size / (options.resamples * density)
        if self.statistic in SHARES and self.most is None:
            return guess**2, 2 * guess * apart
        return guess, apart

    def shown(self, values: FloatArray) -> FloatArray:
        """The statistic that exact numbers stand for, a row or a number for each pair."""
        n = self.n.astype(np.float64).reshape(-1, *[1] * (values.ndim - 1))
        if self.statistic == "mean":
            return values / n * self.unit
        if self.statistic == "median":
            return values * (self.unit / 2)
        if self.statistic == "w":
            return values / 2
        if self.most is not None:
            values = share(values, self.most)
        return t_of_share(values, n - 1 if self.statistic == "t" else 2 * n - 2)


def share(total: FloatArray, most: FloatArray) -> FloatArray:
    """s|s| / D; 0 where D is, since all differences are 0 there."""
    return np.divide(total * np.abs(total), most, out=np.zeros_like(total), where=most > 0)


def t_of_share(shares: FloatArray, freedom: FloatArray) -> FloatArray:
    """T from s|s| / D, which is T|T| / (freedom + T^2); infinite where nothing but noise is missing to 1."""
    size = np.minimum(np.abs(shares), 1.0)
    left = np.where(1 - size <= NOISE, 0.0, 1 - size)
    with np.errstate(divide="ignore"):
        return np.copysign(np.sqrt(freedom * size / left), shares)


def full_squares(total: FloatArray, spread: FloatArray, n: IntArray, statistic: Statistic) -> FloatArray:
    """D of the share s|s| / D that rises with T: n Q for T^p, and 2 n A - B^2 for T (see `kernels.paired_shares`).

    With `spread` the sum of squares that the statistic divides by, D = n spread + s^2, twice the first for T.
    Swaps change s alone, not D: that is why |T|, |T^p| and |mean difference| have one p-value under MC.
    """
    return (1 if statistic == "t" else 2) * n * spread + total**2


def t_of_spread(total: FloatArray, spread: FloatArray, n: IntArray) -> FloatArray:
    """T^p or T, by which spread is given: 0 where the sum is 0, infinite where all is constant but not 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = total * np.sqrt((n - 1) / (n * spread))
    return np.where(total == 0, 0.0, t)


def share_tolerance(total: FloatArray, most: FloatArray, slack: FloatArray) -> FloatArray:
    """How much a share may be off: by NOISE of itself, and by what `slack` does to the sum."""
    size = np.abs(total)
    return share(size + slack, most) - (1 - NOISE) * share(size, most)


def sum_slack(scores: Quantised, n: IntArray) -> FloatArray:
    """How much two sums of n differences may differ and still tie: each difference can be off in both."""
    return np.float64(2 * scores.slack) * n.astype(np.float64)


def quantile_place(q: float, size: int) -> int:
    """Where the empirical q-th quantile is among `size` sorted values, from 0 on.

    It is the smallest t with F(t) >= q, F(t) being the share of values up to t. Rankel et al. 2011, section 2.
    """
    return max(math.ceil(round(q * size, 9)), 1) - 1


# Tasks: the scores made ready; and results

LEAST_TOPICS = 2


@dataclass(frozen=True)
class ResamplingTask:
    """Scores, pairs and options. Rows are systems here, so that a system's scores lie together."""

    scores: FloatArray
    whole: FloatArray
    """The scores in whole numbers, NaN where missing."""
    quantised: Quantised
    common: CommonTopics
    options: ResamplingOptions
    n: IntArray
    pairs: IntArray
    """Which pairs have enough topics."""

    def columns(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        return self.common.first[pairs], self.common.second[pairs]

    def places(self) -> IntArray:
        """Where each pair stands among those that have enough topics; 0 for the others."""
        places = np.zeros(self.n.size, dtype=np.int64)
        places[self.pairs] = np.arange(self.pairs.size)
        return places

    def totals(self, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """The sum of each pair's whole differences, and of their squares."""
        from adjudge.stats.resampling.kernels import observed_sums

        totals: tuple[FloatArray, FloatArray] = observed_sums(self.whole, *self.columns(pairs))
        return totals

    def spreads(self, pairs: IntArray, statistic: Statistic) -> FloatArray:
        """The sum of squares that T^p or T divides by."""
        from adjudge.stats.resampling.kernels import observed_spreads

        paired = statistic == "t"
        spreads: FloatArray = observed_spreads(self.whole, *self.columns(pairs), paired, self.quantised.slack)
        return spreads

    def t(self, pairs: IntArray, statistic: Statistic) -> FloatArray:
        """The observed T^p or T."""
        total = self.totals(pairs)[0]
        total[np.abs(total) <= self.quantised.slack * self.n[pairs]] = 0.0
        return t_of_spread(total, self.spreads(pairs, statistic), self.n[pairs])


@dataclass(frozen=True)
class Tails:
    """What resampling gave for the pairs of a task, in their order."""

    statistic: FloatArray
    counts: IntArray
    """How many resamples reached the observed statistic."""
    cutoff: FloatArray

    @classmethod
    def empty(cls, size: int) -> Tails:
        return cls(np.full(size, np.nan), np.zeros(size, dtype=np.int64), np.full(size, np.nan))


def prepare(values: npt.ArrayLike, options: ResamplingOptions) -> list[ResamplingTask]:
    """The matrix checked, in whole numbers, with its pairs by common topics.

    One task, unless there is no grid and columns are of very different sizes: rounded for the largest, small scores
    would lose more than noise. A task then has the pairs whose larger column is of one size.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    quantised = quantise(matrix)
    common = common_topics(~np.isnan(matrix))
    n = common.n
    scores = np.ascontiguousarray(matrix.T)
    usable = np.flatnonzero(n >= LEAST_TOPICS)
    level = np.zeros(len(scores), dtype=np.int64) if quantised.on_grid else _levels(matrix)

    def task(quantised: Quantised, pairs: IntArray) -> ResamplingTask:
        return ResamplingTask(
            scores=scores,
            whole=np.ascontiguousarray(quantised.whole.T),
            quantised=quantised,
            common=common,
            options=options,
            n=n,
            pairs=pairs,
        )

    if not level.any() or not usable.size:
        return [task(quantised, usable)]
    level_of_pair = np.maximum(level[common.first], level[common.second])[usable]
    tasks = []
    for pair_level in np.unique(level_of_pair):
        some = quantise(np.where(level <= pair_level, matrix, np.nan))
        tasks.append(task(some, usable[level_of_pair == pair_level]))
    return tasks


def _levels(matrix: FloatArray) -> IntArray:
    """How large the scores of each column are: 0 for the smallest, one more for every factor of about a thousand."""
    largest = np.max(np.abs(matrix), axis=0, initial=0.0, where=~np.isnan(matrix))
    power = np.frexp(largest)[1].astype(np.int64)
    least = np.min(power[largest > 0], initial=power.max(initial=0))
    return np.where(largest > 0, (power - least) // 10, 0)


def results(test: str, method: str, tasks: list[ResamplingTask], all_tails: list[Tails]) -> PairResults:
    """The results of all pairs; those with too few topics say so."""
    task = tasks[0]
    counts: PairCounts = pair_counts(task.scores.T, loaded=True)
    size = len(counts)
    statistic, p, cutoff = np.full((3, size), np.nan)
    for part, tails in zip(tasks, all_tails, strict=True):
        statistic[part.pairs] = tails.statistic
        p[part.pairs] = (tails.counts + 1) / (task.options.resamples + 1)
        cutoff[part.pairs] = tails.cutoff
    short = np.flatnonzero(task.n < LEAST_TOPICS)
    if task.options.statistic == "mean":
        statistic = counts.difference.copy()
        statistic[short] = np.nan
    methods: list[str | None] = [method] * size
    for k in short:
        methods[k] = None
    return PairResults(
        test=test,
        counts=counts,
        statistic=statistic,
        p=p,
        method=tuple(methods),
        signature=task.options.signature(test),
        alternative=task.options.alternative,
        why={int(k): too_few(int(task.n[k])) for k in short},
        cutoff=None if task.options.alpha is None else cutoff,
        resampled=task.options.statistic,
        resamples=task.options.resamples,
    )


# Sums under random swaps for many pairs at once, by products of matrices

Bits = npt.NDArray[np.uint64]
Columns = npt.NDArray[Any]
"""Whole numbers, in the narrowest floats that hold them and their sums."""

SUMS_BYTES = 2**28
"""Memory for the sums of one batch: all resamples of its columns."""

SIGNS = 2**22
MOST_RESAMPLES = 8192
"""Signs, and resamples, unpacked at once."""

MOST_COLUMNS = 4096

PRODUCT_FROM = 2**25
"""Terms from which the library's product pays: below, its threads take longer to meet than the sums take."""


@dataclass(frozen=True)
class SumBatch:
    """Columns to be summed under swaps; a pair's sum is that of one column less that of another, or of none."""

    columns: Columns
    first: IntArray
    second: IntArray
    """The number of columns stands for none."""
    pairs: IntArray


def sign_bits(rng: np.random.Generator, topics: int, resamples: int) -> Bits:
    """A bit for each topic and resample: 1 is a swap. A row of words for each topic, 64 resamples to a word."""
    return rng.integers(0, 2**64, size=(topics, -(-resamples // 64)), dtype=np.uint64)


def swapped_sums(batch: SumBatch, bits: Bits, resamples: int) -> Columns:
    """The columns' sums under each resample's signs, and a row of zeros after them."""
    from adjudge.stats.resampling.kernels import unpack_signs, weighted_sums

    count, topics = batch.columns.shape
    sums = np.empty((count + 1, resamples), dtype=batch.columns.dtype)
    sums[count] = 0
    length = sign_block(topics)
    for start in range(0, resamples, length):
        stop = min(start + length, resamples)
        signs = np.empty((topics, stop - start), dtype=batch.columns.dtype)
        unpack_signs(bits, start, signs)
        if stop - start == resamples and count * topics * resamples < PRODUCT_FROM:
            weighted_sums(signs, batch.columns, sums[:count])
        else:
            sums[:count, start:stop] = batch.columns @ signs
    return sums


def sign_block(topics: int) -> int:
    """How many resamples are unpacked at once: whole words of 64."""
    return min(max(SIGNS // max(topics, 1) // 64, 1) * 64, MOST_RESAMPLES)


def batch_width(resamples: int, topics: int, dtype: Float) -> int:
    """How many columns go into a batch."""
    return min(max(SUMS_BYTES // np.dtype(dtype).itemsize // max(resamples, topics), 2), MOST_COLUMNS)


def column_batches(columns: Callable[[IntArray], Columns], pairs: IntArray, width: int) -> Iterator[SumBatch]:
    """Batches of one column for each pair, made by a function."""
    for start in range(0, pairs.size, width):
        chosen = pairs[start : start + width]
        local = np.arange(chosen.size)
        yield SumBatch(
            columns=columns(chosen), first=local, second=np.full(chosen.size, chosen.size), pairs=chosen
        )


def score_batches(
    whole: FloatArray, common: CommonTopics, pairs: IntArray, width: int, dtype: Float
) -> Iterator[SumBatch]:
    """Columns of scores where several pairs share their set of common topics, else of differences."""
    alone: list[IntArray] = []
    waiting: list[SumBatch] = []
    for which, members in common.sets(pairs):
        if members.size <= 3:  # three pairs have three columns of scores or more
            alone.append(members)
            continue
        for batch in _tiles(whole, common, which, members, width, dtype):
            if waiting and sum(len(earlier.columns) for earlier in waiting) + len(batch.columns) > width:
                yield _joined(waiting)
                waiting = []
            waiting.append(batch)
    if waiting:
        yield _joined(waiting)
    if alone:

        def differences(pairs: IntArray) -> Columns:
            z = whole[common.first[pairs]] - whole[common.second[pairs]]
            return np.where(np.isnan(z), 0.0, z).astype(dtype)

        yield from column_batches(differences, np.concatenate(alone), width)


def _tiles(
    whole: FloatArray, common: CommonTopics, which: int, members: IntArray, width: int, dtype: Float
) -> Iterator[SumBatch]:
    """The pairs of one set, in as many batches as the width asks for: one, unless systems are many."""
    first, second = common.first[members], common.second[members]
    systems, first, second = _renumbered(first, second, len(whole))
    place = np.zeros(members.size, dtype=np.int64)
    if systems.size > width:
        tile = max(width // 2, 1)
        place = first // tile * systems.size + second // tile
    counted = np.zeros(whole.shape[1], dtype=np.bool_)
    counted[common.rows(which)] = True
    for tile_number in np.unique(place):
        here = np.flatnonzero(place == tile_number)
        used, a, b = _renumbered(first[here], second[here], systems.size)
        columns = np.where(counted, whole[systems[used]], 0.0).astype(dtype)
        yield SumBatch(columns=columns, first=a, second=b, pairs=members[here])


def _renumbered(first: IntArray, second: IntArray, size: int) -> tuple[IntArray, IntArray, IntArray]:
    """The distinct numbers of both arrays, ascending, and both arrays as indices into them."""
    used = np.zeros(size, dtype=np.bool_)
    used[first] = used[second] = True
    place = np.cumsum(used) - 1
    return np.flatnonzero(used), place[first], place[second]


def _joined(batches: list[SumBatch]) -> SumBatch:
    if len(batches) == 1:
        return batches[0]
    offsets = np.cumsum([0, *(len(batch.columns) for batch in batches[:-1])])
    return SumBatch(
        columns=np.concatenate([batch.columns for batch in batches]),
        first=np.concatenate([batch.first + at for batch, at in zip(batches, offsets, strict=True)]),
        second=np.concatenate([batch.second + at for batch, at in zip(batches, offsets, strict=True)]),
        pairs=np.concatenate([batch.pairs for batch in batches]),
    )


# Draws: swaps alone, or a bootstrap and then swaps

WEIGHTS = 2**17
"""Weights held at once, half a megabyte: they are gone through for every pair."""

DrawnBlock = tuple[slice, Columns, Columns]
"""Which resamples, and for these: topics x resamples, how much more often left than swapped; how often drawn."""


class Draws(Protocol):
    """Anything that resamples the topics of a set."""

    @property
    def resamples(self) -> int: ...

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]: ...


@dataclass(frozen=True)
class SwapDraws:
    """MC: every topic once, swapped or not. Rankel et al. 2011, section 2."""

    bits: Bits
    resamples: int

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]:
        from adjudge.stats.resampling.kernels import unpack_signs

        bits = self.bits[rows]
        length = _length(rows.size)
        for start in range(0, self.resamples, length):
            stop = min(start + length, self.resamples)
            signs = np.empty((rows.size, stop - start), dtype=dtype)
            unpack_signs(bits, start, signs)
            yield slice(start, stop), signs, np.ones_like(signs)


@dataclass(frozen=True)
class HybridDraws:
    """HB: n topics of the set drawn with replacement, then each swapped or not. Rankel et al. 2011, section 2.

    Every set of topics has a random stream of its own, which depends on the key and on the set, not on what else
    is in the matrix: pairs with the same common topics share their draws, and no other pair changes them.
    """

    key: int
    resamples: int

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]:
        from adjudge.stats.resampling.kernels import tally

        name = int.from_bytes(blake2b(rows.astype("<i8").tobytes(), digest_size=16).digest(), "little")
        # Two streams, so that the one does not depend on how much of the other was drawn before.
        topic, swap = (np.random.default_rng([self.key, name, stream]) for stream in (0, 1))
        words = -(-rows.size // 64)
        length = _length(rows.size)
        for start in range(0, self.resamples, length):
            stop = min(start + length, self.resamples)
            drawn = topic.integers(0, rows.size, size=(stop - start, rows.size))
            bits = swap.integers(0, 2**64, size=(stop - start, words), dtype=np.uint64)
            signed, counts = np.empty((2, rows.size, stop - start), dtype=dtype)
            tally(drawn, bits, signed, counts)
            yield slice(start, stop), signed, counts


def hybrid_draws(rng: np.random.Generator, resamples: int) -> HybridDraws:
    return HybridDraws(int(rng.integers(0, 2**63)), resamples)


def _length(topics: int) -> int:
    """How many resamples are drawn at once: whole words of 64."""
    return max(WEIGHTS // topics // 64, 2) * 64


# Jobs: how each statistic comes from a resample, for the pairs of one set of topics

Fill = Callable[[Columns, Columns, Columns], None]


@dataclass(frozen=True)
class ResamplingJob:
    """How the exact numbers of some pairs come from a resample; a pair's is a row of them, less another."""

    fill: Fill
    """Writes a block's rows, from how much more often topics were left than swapped and how often drawn."""
    rows: int
    first: IntArray
    second: IntArray
    """The number of rows stands for none."""
    weights: Float
    values: Float
    tolerance: FloatArray
    """What may be missing for a tie."""
    size: FloatArray
    """The standard deviation that `Observed.expected` starts from; NaN where it is not known."""


def make_job(task: ResamplingTask, pairs: IntArray, rows: IntArray) -> ResamplingJob:
    """The job for the task's statistic."""
    i, j = task.columns(pairs)
    systems = np.unique(np.concatenate([i, j]))
    first, second = np.searchsorted(systems, i), np.searchsorted(systems, j)
    whole = np.ascontiguousarray(task.whole[np.ix_(systems, rows)])
    statistic = task.options.statistic
    if statistic == "mean":
        return _mean_job(task, pairs, whole, first, second)
    if statistic == "median":
        return _median_job(task, whole, first, second)
    if statistic == "w":
        scores = np.ascontiguousarray(task.scores[np.ix_(systems, rows)])
        return _rank_job(scores, first, second, pratt=task.options.zeros == "pratt")
    return _share_job(task, pairs, whole, first, second)


def _mean_job(
    task: ResamplingTask, pairs: IntArray, whole: FloatArray, first: IntArray, second: IntArray
) -> ResamplingJob:
    from adjudge.stats.resampling.kernels import weighted_sums

    dtype = narrowest(2 * whole.shape[1] * float(np.abs(whole).max()))
    columns = whole.astype(dtype)

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        weighted_sums(signed, columns, out)

    slack = sum_slack(task.quantised, task.n[pairs])
    return ResamplingJob(
        fill=fill,
        rows=len(whole),
        first=first,
        second=second,
        weights=dtype,
        values=dtype,
        tolerance=slack,
        size=np.sqrt(task.totals(pairs)[1]),
    )


def _median_job(task: ResamplingTask, whole: FloatArray, first: IntArray, second: IntArray) -> ResamplingJob:
    from adjudge.stats.resampling.kernels import drawn_medians, weighted_sums

    order = sorted_by_size(whole, first, second, noise=0.0)[0]
    dtype = narrowest(4 * float(np.abs(whole).max()))
    columns = whole.astype(dtype)
    sides = np.where(whole[first] >= whole[second], 1, -1).astype(np.float32)

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        excess = np.empty(out.shape, dtype=np.float32)
        weighted_sums(signed, sides, excess)
        drawn_medians(signed, counts, columns, first, second, order, sides, excess, out)

    slack = np.full(first.size, 4 * task.quantised.slack)  # doubled medians, off by one difference each
    return _pair_job(fill, np.float32, dtype, slack, np.full(first.size, np.nan))


def _rank_job(scores: FloatArray, first: IntArray, second: IntArray, *, pratt: bool) -> ResamplingJob:
    from adjudge.stats.resampling.kernels import drawn_rank_sums

    n = scores.shape[1]
    order, starts, zeros = sorted_by_size(scores, first, second, noise=NOISE)
    dtype = narrowest(4.0 * n**2)

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        drawn_rank_sums(signed, counts, scores, first, second, order, starts, zeros, pratt, out)

    # Without ties W has the variance n (n + 1) (2 n + 1) / 6; it is kept doubled.
    size = np.full(first.size, 2 * np.sqrt(n * (n + 1) * (2 * n + 1) / 6))
    return _pair_job(fill, dtype, dtype, np.zeros(first.size), size)


def _share_job(
    task: ResamplingTask, pairs: IntArray, whole: FloatArray, first: IntArray, second: IntArray
) -> ResamplingJob:
    """T and T^p: see `kernels.paired_shares` and `unpaired_shares`."""
    from adjudge.stats.resampling.kernels import paired_shares, unpaired_shares, weighted_sums

    n = whole.shape[1]
    dtype = narrowest(n * (2 * float(np.abs(whole).max())) ** 2)
    columns = whole.astype(dtype)
    squares = columns**2
    statistic = task.options.statistic

    def fill(signed: Columns, counts: Columns, out: Columns) -> None:
        sums = np.empty((len(columns), signed.shape[1]), dtype=dtype)
        weighted_sums(signed, columns, sums)
        if statistic == "t":
            paired_shares(counts, columns, sums, first, second, out)
            return
        drawn, drawn_squares = np.empty_like(sums), np.empty_like(sums)
        weighted_sums(counts, columns, drawn)
        weighted_sums(counts, squares, drawn_squares)
        unpaired_shares(drawn_squares, drawn, sums, first, second, n, out)

    total, square = task.totals(pairs)
    most = full_squares(total, task.spreads(pairs, statistic), task.n[pairs], statistic)
    tolerance = share_tolerance(total, most, sum_slack(task.quantised, task.n[pairs]))
    size = np.sqrt(np.divide(square, most, out=np.zeros_like(most), where=most > 0))
    return _pair_job(fill, dtype, np.float64, tolerance, size)


def _pair_job(
    fill: Fill, weights: Float, values: Float, tolerance: FloatArray, size: FloatArray
) -> ResamplingJob:
    """A row for each pair."""
    pairs = tolerance.size
    return ResamplingJob(
        fill=fill,
        rows=pairs,
        first=np.arange(pairs),
        second=np.full(pairs, pairs),
        weights=weights,
        values=values,
        tolerance=tolerance,
        size=size,
    )


def sorted_by_size(
    columns: FloatArray, first: IntArray, second: IntArray, *, noise: float
) -> tuple[npt.NDArray[np.int32], BoolArray, IntArray]:
    """The topics of every pair by the size of their difference; see `by_size`."""
    from adjudge.stats.resampling.kernels import by_size

    order = np.empty((first.size, columns.shape[1]), dtype=np.int32)
    starts = np.empty(order.shape, dtype=np.bool_)
    zeros = np.empty(first.size, dtype=np.int64)
    by_size(columns, first, second, noise, order, starts, zeros)
    return order, starts, zeros


# Resampling and counting, set by set

NEAR_BYTES = 2**22
"""Memory for resampled numbers that are counted soon after: what a processor keeps near."""

REMEMBERED = 2**22
"""Weights that are kept for all pairs of a set as they are used."""

PACKED_BYTES = 2**28
"""Memory for weights that are kept in narrow whole numbers; more are drawn again for every portion of pairs."""


def tails(task: ResamplingTask, draws: Draws) -> Tails:
    """Of every pair of the task: the statistic, how many resamples reach it, and the cut-off."""
    result = Tails.empty(task.pairs.size)
    place = task.places()
    space = Scratch()
    for which, members in task.common.sets(task.pairs):
        rows = task.common.rows(which)
        kept = rows.size * draws.resamples <= REMEMBERED
        source: Draws = draws
        if kept:
            source = Remembered(draws)
        elif isinstance(draws, HybridDraws) and 2 * rows.size * draws.resamples <= PACKED_BYTES:
            source = Packed(draws)
        for pairs in _portions(task, members, NEAR_BYTES if kept else SUMS_BYTES):
            job = make_job(task, pairs, rows)
            observed = observe(task, pairs, rows, job)
            at = place[pairs]
            values = resample(job, rows, source, space)
            result.counts[at], result.cutoff[at] = count_tails(task, observed, values, job.first, job.second)
            result.statistic[at] = shown(task, pairs, observed)
    return result


@dataclass
class Scratch:
    """Memory that one portion of pairs after the other is resampled into: fresh memory costs as much as the work."""

    kept: dict[Float, Columns] = field(default_factory=dict)

    def take(self, rows: int, columns: int, dtype: Float) -> Columns:
        """An array of any content, until the next is taken."""
        if dtype not in self.kept or self.kept[dtype].size < rows * columns:
            self.kept.clear()
            self.kept[dtype] = np.empty(rows * columns, dtype=dtype)
        return self.kept[dtype][: rows * columns].reshape(rows, columns)


@dataclass(frozen=True)
class Remembered:
    """Draws of one set of topics that are made once."""

    draws: Draws
    made: dict[Float, list[DrawnBlock]] = field(default_factory=dict)

    @property
    def resamples(self) -> int:
        return self.draws.resamples

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]:
        if dtype not in self.made:
            self.made[dtype] = list(self.draws.blocks(rows, dtype))
        return iter(self.made[dtype])


@dataclass(frozen=True)
class Packed:
    """The same for many resamples: kept in a byte or two for each weight, and widened block by block."""

    draws: Draws
    made: list[DrawnBlock] = field(default_factory=list)

    @property
    def resamples(self) -> int:
        return self.draws.resamples

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]:
        if not self.made:
            # No topic is drawn more often than there are topics.
            narrow = np.int8 if rows.size < 2**7 else np.int16
            for part, signed, counts in self.draws.blocks(rows, dtype):
                self.made.append((part, signed.astype(narrow), counts.astype(narrow)))
        for part, signed, counts in self.made:
            yield part, signed.astype(dtype), counts.astype(dtype)


def shown(task: ResamplingTask, pairs: IntArray, observed: ObservedStatistic) -> FloatArray:
    """The observed statistic as it is printed; T straight from the differences, which is more exact."""
    statistic = task.options.statistic
    return task.t(pairs, statistic) if statistic in SHARES else observed.shown(observed.value)


def count_tails(
    task: ResamplingTask, observed: ObservedStatistic, values: Columns, first: IntArray, second: IntArray
) -> tuple[IntArray, FloatArray]:
    """How many values of each pair reach the observed one, and the cut-off of the statistic."""
    from adjudge.stats.resampling.kernels import difference_counts, difference_tails

    options = task.options
    if options.alpha is None:
        counts = difference_counts(values, first, second, observed.edges(options.side), options.side)
        return counts, np.full(counts.size, np.nan)
    guess, per_count = observed.expected(options)
    counts, largest = difference_tails(
        values, first, second, observed.edges(options.side), options.side, options.rank, guess, per_count
    )
    return counts, (-1 if options.side < 0 else 1) * observed.shown(largest)


def resample(job: ResamplingJob, rows: IntArray, draws: Draws, space: Scratch | None = None) -> Columns:
    """The exact numbers of all resamples, and a row of zeros after them."""
    values = (space or Scratch()).take(job.rows + 1, draws.resamples, job.values)
    values[job.rows] = 0
    block = np.empty((job.rows, 0), dtype=job.values)
    for part, signed, counts in draws.blocks(rows, job.weights):
        if part == slice(0, draws.resamples):
            job.fill(signed, counts, values[: job.rows])
            continue
        if block.shape[1] != signed.shape[1]:
            block = np.empty((job.rows, signed.shape[1]), dtype=job.values)
        job.fill(signed, counts, block)
        values[: job.rows, part] = block
    return values


def observe(task: ResamplingTask, pairs: IntArray, rows: IntArray, job: ResamplingJob) -> ObservedStatistic:
    """What was observed, as a resample in which every topic was drawn once and left."""
    ones = np.ones((rows.size, 1), dtype=job.weights)
    values = np.zeros((job.rows + 1, 1), dtype=job.values)
    job.fill(ones, ones, values[: job.rows])
    value = (values[job.first] - values[job.second])[:, 0].astype(np.float64)
    n, unit = task.n[pairs], task.quantised.unit
    return ObservedStatistic(
        statistic=task.options.statistic, n=n, value=value, tolerance=job.tolerance, unit=unit, size=job.size
    )


def _portions(task: ResamplingTask, pairs: IntArray, memory: int) -> Iterator[IntArray]:
    """Pairs whose resampled numbers fit into the memory: for the mean these are numbers of systems.

    Sums of systems serve all pairs of a portion, so that for the mean, T and T^p its pairs have few systems.
    """
    fit = max(memory // 8 // max(task.options.resamples, task.whole.shape[1]), 2)
    if task.options.statistic == "mean":
        fit = max(SUMS_BYTES // 16 // task.options.resamples, 2)
        yield from [pairs] if len(task.whole) <= fit else _tiled(task, pairs, fit // 2)
    elif task.options.statistic in SHARES and fit < pairs.size:
        yield from _tiled(task, pairs, math.isqrt(fit))
    else:
        for start in range(0, pairs.size, fit):
            yield pairs[start : start + fit]


def _tiled(task: ResamplingTask, pairs: IntArray, width: int) -> Iterator[IntArray]:
    """Pairs of so many systems with as many others, at most."""
    first, second = task.columns(pairs)
    tile = first // width * len(task.whole) + second // width
    order = np.argsort(tile, kind="stable")
    yield from np.split(pairs[order], np.flatnonzero(np.diff(tile[order])) + 1)
