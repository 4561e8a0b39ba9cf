"""Tests of every two columns of a matrix, all pairs at once. Rows are topics, columns are systems, NaN is missing.

A pair is (i, j) with i < j, in the order of `itertools.combinations`, and uses the topics that both have. A matrix of
200 systems has 19,900 pairs, so results are arrays; `PairResults.at` makes one pair's result for a sentence.

The numbers are those of paired.py, and the few pairs that the fast way is not sure of go through it: constant
differences, scores of very different sizes. There is a plain way and a compiled one (pair_kernels.py): with few
differences the plain way is done before compiled code would be loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import (
    EXACT_UP_TO,
    NOISE,
    Alternative,
    PairDifferences,
    PairedTest,
    Zeros,
    check_options,
    differences,
    doubled,
    noise_of,
    normal_p,
    paired_t,
    settled,
    sign,
    sign_p,
    student_p,
    too_few,
    unpaired_t,
    untied_p,
    welch_freedom,
    wilcoxon,
)


@dataclass(frozen=True)
class PairCounts:
    """Every pair before any test: on how many topics both are, and how they differ there."""

    first: IntArray
    second: IntArray
    n: IntArray
    difference: FloatArray
    """The mean of first - second over the n topics; NaN where n is 0."""
    wins: IntArray
    losses: IntArray
    ties: IntArray

    def __len__(self) -> int:
        return self.n.size


@dataclass(frozen=True)
class PairResults:
    """One test of all pairs. What cannot be computed has NaN for `statistic` and `p`, and says why."""

    test: str
    """One of `TEST_WORDS`: wilcoxon, t, t-unpaired, welch, sign, mc, hb, exact."""
    counts: PairCounts
    statistic: FloatArray
    """Signed: positive where the first column is higher."""
    p: FloatArray
    method: tuple[str | None, ...]
    """How each p was computed: exact, normal, t, swaps, ...; None where there is none."""
    signature: str
    """Enough to get the same numbers again: the test with its options, resamples."""
    alternative: Alternative = "two-sided"
    why: dict[int, str] = field(default_factory=dict)
    """The reason, by the pair's position, where there is no result."""
    cutoff: FloatArray | None = None
    """Where the test resamples: the (1 - alpha) quantile of its statistic under the null hypothesis."""
    resampled: str | None = None
    """Where the test resamples: its statistic, by the name it was asked for."""
    resamples: int | None = None
    """How often it does so at random."""

    def __len__(self) -> int:
        return self.p.size

    def at(self, k: int) -> PairedTest:
        """The k-th pair's result."""
        c = self.counts
        return PairedTest(
            test=self.test,
            statistic=float(self.statistic[k]),
            p=float(self.p[k]),
            n=int(c.n[k]),
            method=self.method[k],
            difference=float(c.difference[k]),
            wins=int(c.wins[k]),
            losses=int(c.losses[k]),
            ties=int(c.ties[k]),
            why=self.why.get(k),
            alternative=self.alternative,
        )


def columns_of_pairs(columns: int) -> tuple[IntArray, IntArray]:
    """The two columns of every pair, in the order of `itertools.combinations`."""
    first, second = np.triu_indices(columns, k=1)
    return first.astype(np.int64), second.astype(np.int64)


# A matrix made ready: which topics pairs share, and where noise may matter

BLOCK = 32_768
"""Differences held at once: 256 KiB, which stay in a processor's cache."""

COMPILED_FROM = 4_000_000
"""Differences from which tests are compiled: the plain way takes 0.04 s for one, as long as loading compiled code."""


@dataclass(frozen=True)
class ColumnPairs:
    """The columns of a matrix, and every pair of them."""

    columns: FloatArray
    """Systems x topics."""
    patterns: BoolArray
    """The different sets of topics that columns have, sets x topics."""
    pattern: IntArray
    """Which of these is each column's."""
    first: IntArray
    second: IntArray
    n: IntArray
    """The topics that both have, by pair."""
    noisy: BoolArray
    """The pairs that may tie where they are not equal. For all others a tie is a difference of 0."""
    loaded: bool = False
    """Compiled code is loaded anyway, so that the compiled way pays for little work too."""

    def __len__(self) -> int:
        return self.n.size

    @property
    def complete(self) -> bool:
        return bool(self.patterns.all())

    @property
    def compiled(self) -> bool:
        """Whether there is so much to do that loading compiled code pays."""
        return self.loaded or bool(len(self) * self.columns.shape[1] >= COMPILED_FROM)

    def noise(self) -> FloatArray:
        """By pair, the most that noise can be: that of the largest score of the two."""
        largest = np.abs(self.columns).max(axis=1, initial=0.0, where=~np.isnan(self.columns))
        return noise_of(largest[self.first], largest[self.second])

    def of(self, k: int) -> tuple[FloatArray, FloatArray]:
        """The two columns of a pair."""
        return self.columns[self.first[k]], self.columns[self.second[k]]

    @property
    def few(self) -> int:
        """How many pairs are done at a time."""
        return int(max(1, min(len(self), BLOCK // max(1, self.columns.shape[1]))))

    def blocks(self, at: IntArray) -> Iterator[IntArray]:
        """Some pairs, a few at a time."""
        for start in range(0, at.size, self.few):
            yield at[start : start + self.few]

    def differences(self, at: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """Some pairs, a few at a time, with their differences, pairs x topics: 0 for a tie, NaN where one is missing.

        All come in the same array, which may be overwritten: a new one each time would cost more than the
        differences do.
        """
        space = np.empty((2, self.few, self.columns.shape[1]))
        for some in self.blocks(at):
            x, y = space[:, : some.size]
            # "clip" only says that indices need no check, which would need another copy.
            self.columns.take(self.first[some], axis=0, out=x, mode="clip")
            self.columns.take(self.second[some], axis=0, out=y, mode="clip")
            # The rule of `settled`, whose result is needed as a mask here.
            ties = np.abs(x - y) <= noise_of(x, y) if self.noisy[some].any() else None
            x -= y
            if ties is not None:
                np.putmask(x, ties, 0.0)
            yield some, x


def column_pairs(matrix: FloatArray, *, loaded: bool = False) -> ColumnPairs:
    """Make a checked matrix, topics x systems, ready."""
    columns = np.ascontiguousarray(matrix.T) + 0.0  # no negative zeros: they would be differences with a sign
    present = ~np.isnan(columns)
    numbers: dict[bytes, int] = {}
    which = [numbers.setdefault(row.tobytes(), len(numbers)) for row in np.packbits(present, axis=1)]
    index = np.array(which, dtype=np.int64)
    _, place = np.unique(index, return_index=True)
    patterns, pattern = present[place], index
    first, second = columns_of_pairs(columns.shape[0])
    # Counts are whole numbers, so this product is exact however it is computed.
    both = patterns.astype(np.float64) @ patterns.T.astype(np.float64)
    n = both.astype(np.int64)[pattern[first], pattern[second]]
    # The columns that tie with another on a topic where some tie without being equal; mostly there are none.
    # Two that tie are neighbours in the order of their scores, or have a chain of ties between them.
    noisy = np.zeros(matrix.shape[1], dtype=np.bool_)
    most = NOISE * float(np.abs(matrix).max(initial=0.0, where=~np.isnan(matrix)))
    step = max(1, BLOCK // max(1, matrix.shape[1]))
    for start in range(0, matrix.shape[0], step):
        rows = matrix[start : start + step]
        gaps = np.diff(np.sort(rows, axis=1))
        rows = rows[((gaps > 0) & (gaps <= most)).any(axis=1)]
        if rows.size:
            noisy |= _chained(rows)
    return ColumnPairs(
        columns=columns,
        patterns=patterns,
        pattern=pattern,
        first=first,
        second=second,
        n=n,
        noisy=noisy[first] & noisy[second],
        loaded=loaded,
    )


def _chained(rows: FloatArray) -> BoolArray:
    """The columns with a neighbour that they tie with, in rows where some ties are not equal."""
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    # A little more than the rule for ties, since neighbours may be a little smaller than the two that tie.
    close = np.diff(ordered) <= 1.001 * noise_of(ordered[:, 1:], ordered[:, :-1])
    close &= (close & (np.diff(ordered) > 0)).any(axis=1, keepdims=True)
    members = np.zeros(rows.shape, dtype=np.bool_)
    members[:, 1:] |= close
    members[:, :-1] |= close
    chained = np.zeros(rows.shape[1], dtype=np.bool_)
    chained[order[members]] = True
    return chained


# Sums over topics: differences, wins, squares


@dataclass(frozen=True)
class DifferenceSums:
    """By pair, over the topics that both have."""

    means: FloatArray
    """Of the differences; NaN without topics."""
    wins: IntArray
    losses: IntArray
    squares: FloatArray
    """Of the deviations of the differences from their mean; NaN where nobody asked for them."""


def difference_sums(pairs: ColumnPairs, *, squares: bool = False) -> DifferenceSums:
    """The sums of all pairs. The mean comes first and the squares after it: squares of the scores would cancel."""
    means, wins, losses, squared = np.full((4, len(pairs)), np.nan)
    at = np.arange(len(pairs))
    some_n = np.where(pairs.n > 0, pairs.n, np.nan)
    if pairs.compiled:
        from adjudge.stats.pair_kernels import sum_differences, sum_squares

        # Kernels take four topics at a time: missing ones are added up to a multiple.
        systems, topics = pairs.columns.shape
        rows = np.full((-(-topics // 4) * 4, systems), np.nan)
        rows[:topics] = pairs.columns.T
        topics = len(rows)
        sums, wins, losses = np.zeros((3, len(pairs)))
        sum_differences(rows.ravel(), topics, systems, sums, wins, losses)
        means = sums / some_n
        if squares:
            squared = np.zeros(len(pairs))
            sum_squares(rows.ravel(), topics, systems, means, squared)
        at = np.flatnonzero(pairs.noisy)
    ones = np.ones(pairs.columns.shape[1])
    for some, z in pairs.differences(at):
        missing = None if pairs.complete else np.isnan(z)
        _fill(z, missing)
        means[some] = z.sum(axis=1) / some_n[some]
        # A product counts faster than count_nonzero along an axis, and whole numbers are exact.
        wins[some], losses[some] = (z > 0) @ ones, (z < 0) @ ones
        if squares:
            z -= means[some, None]
            _fill(z, missing)
            squared[some] = _squares(z)
    # Means that are noise are 0, by the rule of `PairDifferences.mean`.
    for k in np.flatnonzero((means != 0) & (np.abs(means) <= pairs.noise())).tolist():
        means[k] = differences(*pairs.of(k)).mean
    return DifferenceSums(
        means=means, wins=wins.astype(np.int64), losses=losses.astype(np.int64), squares=squared
    )


def own_squares(pairs: ColumnPairs) -> tuple[FloatArray, FloatArray]:
    """By pair: the sums of squared deviations of the first and of the second column, on the topics of both.

    They depend on a column and on the other's set of topics alone, and columns share few sets.
    """
    columns, present = pairs.columns, ~np.isnan(pairs.columns)
    squares = np.empty((columns.shape[0], pairs.patterns.shape[0]))
    for k, pattern in enumerate(pairs.patterns):
        here = present[:, pattern]
        z = np.where(here, columns[:, pattern], 0.0)
        z -= (z.sum(axis=1) / np.maximum(np.count_nonzero(here, axis=1), 1))[:, None]
        _fill(z, ~here)
        squares[:, k] = _squares(z)
    first, second = pairs.first, pairs.second
    return squares[first, pairs.pattern[second]], squares[second, pairs.pattern[first]]


def _fill(z: FloatArray, missing: BoolArray | None) -> None:
    """Put 0 for what is missing: it adds nothing, and is neither won nor lost."""
    if missing is not None:
        np.putmask(z, missing, 0.0)


def _squares(z: FloatArray) -> FloatArray:
    """The sums of squares of the rows; infinite where they do not fit a float. Overwrites the rows."""
    with np.errstate(over="ignore"):
        sums: FloatArray = np.square(z, out=z).sum(axis=1)
    return sums


# Signed ranks. A difference becomes a whole number that sorts by its size and carries its sign: the bits of the
# float, turned left by one, so that the sign is the last bit. Missing ones sort last. Ranks are then places in a
# sorted row.

Keys = npt.NDArray[np.uint64]

MISSING = np.uint64(0xFFF0_0000_0000_0000)
"""The key of a NaN; those of numbers are smaller."""

LONGEST_RUN = 256
"""Numbers that NumPy sorts at once in vector registers; longer rows are sorted in such runs and merged."""

COMPILED_SECONDS = 0.02
"""What tests one by one may take before compiled code is loaded for them, which takes 0.04 s."""

SOME = 32
"""Pairs that are looked at for ties before all are."""

_SIDES = {"two-sided": 0, "greater": 1, "less": -1}


@dataclass(frozen=True)
class SignedRanks:
    """By pair. Ranks are doubled, so that mid-ranks are whole."""

    positive: IntArray
    """The sum of the ranks of positive differences."""
    cubes: FloatArray
    """The sum of t^3 - t over groups of t tied differences."""
    plain: BoolArray
    """Whether the ranks are 1, 2, 3, ...: no ties, and no zeros ranked before them."""
    tail: FloatArray
    """Where they are not, and an exact p is wanted: P(rank sum <= that on the alternative's side)."""
    left: BoolArray
    """The pairs that are left to the test of one pair."""


def signed_ranks(
    pairs: ColumnPairs,
    nonzero: IntArray,
    below: IntArray,
    *,
    exact_up_to: int,
    alternative: Alternative,
) -> SignedRanks:
    """Rank the `nonzero` differences of every pair after the `below` zeros that are ranked."""
    ranks = SignedRanks(
        positive=np.zeros(len(pairs), dtype=np.int64),
        cubes=np.zeros(len(pairs)),
        plain=np.ones(len(pairs), dtype=np.bool_),
        tail=np.full(len(pairs), np.nan),
        left=np.zeros(len(pairs), dtype=np.bool_),
    )
    exact = nonzero + below <= exact_up_to
    # One by one a test takes about 0.2 ms, and an exact one with ties more as the third power.
    seconds: FloatArray = 2e-4 + 2e-10 * nonzero.astype(np.float64) ** 3 * exact
    hard = np.arange(len(pairs))
    if not (pairs.compiled or _mostly_tied(pairs, nonzero, below, ranks, seconds)):
        tied = _rank_untied(pairs, hard, nonzero, below, ranks)
        ranks.left[:] = tied | (exact & (below > 0))
        hard = np.flatnonzero(ranks.left)
        if seconds[hard].sum() < COMPILED_SECONDS:
            return ranks
    _rank_compiled(pairs, hard, below, ranks, exact_up_to, alternative)
    return ranks


def _mostly_tied(
    pairs: ColumnPairs, nonzero: IntArray, below: IntArray, ranks: SignedRanks, seconds: FloatArray
) -> bool:
    """Whether most of some pairs have ties, so that the plain way is not worth trying."""
    if not len(pairs) or seconds.sum() < 2 * COMPILED_SECONDS:
        return False
    some = np.arange(0, len(pairs), -(-len(pairs) // SOME))
    return bool(_rank_untied(pairs, some, nonzero, below, ranks)[some].mean() > 0.5)


def _rank_untied(
    pairs: ColumnPairs, at: IntArray, nonzero: IntArray, below: IntArray, ranks: SignedRanks
) -> BoolArray:
    """Fill in the rank sums of some pairs as if nothing tied, and say where that is not sure."""
    tied = np.zeros(len(pairs), dtype=np.bool_)
    noise = pairs.noise()
    places = np.arange(pairs.columns.shape[1], dtype=np.float64)
    lost, last = np.zeros((2, len(pairs)))
    for some, z in pairs.differences(at):
        keys = _keys(z)
        keys.sort(axis=1)
        sizes = (keys >> np.uint64(1)).view(np.float64)
        close = np.diff(sizes) <= noise[some, None]
        close &= sizes[:, :-1] > 0
        tied[some] = close.any(axis=1)
        negative = (keys & np.uint64(1)).astype(np.float64)
        # Sums of whole numbers: exact, in any order.
        lost[some], last[some] = negative.sum(axis=1), negative @ places
    zeros = pairs.n - nonzero
    # Place k, counted from 0 and with all zeros before it, has rank k - zeros + 1 + below.
    negative_ranks = last + (below - zeros + 1) * lost
    ranks.positive[:] = nonzero * (nonzero + 1) + 2 * below * nonzero - 2 * negative_ranks.astype(np.int64)
    ranks.plain[:] = below == 0
    return tied


def _keys(differences: FloatArray) -> Keys:
    """The keys, in the place of the differences."""
    keys = differences.view(np.uint64)
    signs = keys >> np.uint64(63)
    keys <<= np.uint64(1)
    keys |= signs
    return np.minimum(keys, MISSING, out=keys)


def _rank_compiled(
    pairs: ColumnPairs,
    at: IntArray,
    below: IntArray,
    ranks: SignedRanks,
    exact_up_to: int,
    alternative: Alternative,
) -> None:
    """Fill in everything for some pairs; `left` are those where it is not sure whether sizes tie."""
    from adjudge.stats.pair_kernels import UNSURE, UNTIED, merge_runs, rank_rows, write_keys

    topics = pairs.columns.shape[1]
    run, width = _runs(topics)
    noise, ranked_zeros = pairs.noise(), int(below.any())
    space = np.empty((2, pairs.few * width), dtype=np.uint64)
    columns, bits = pairs.columns.ravel(), np.empty(width, dtype=np.uint64)
    room = tail_room(min(topics, exact_up_to), topics)
    for some in pairs.blocks(at):
        keys, other = space[:, : some.size * width]
        first, second = pairs.first[some], pairs.second[some]
        write_keys(columns, topics, first, second, some.size, keys, keys.view(np.float64), width)
        keys.reshape(-1, run).sort(axis=1)
        if merge_runs(keys, other, keys.size, width, run):
            keys = other
        results, tails = np.zeros((3, some.size)), np.full(some.size, np.nan)
        what = keys, some.size, width, pairs.n[some], noise[some]
        how = ranked_zeros, exact_up_to, _SIDES[alternative]
        rank_rows(*what, *how, bits, bits.view(np.float64), results.ravel(), tails, *room)
        ranks.positive[some], ranks.cubes[some], ranks.tail[some] = results[0], results[1], tails
        ranks.plain[some] = (results[2] == UNTIED) & (below[some] == 0)
        ranks.left[some] = results[2] == UNSURE


def tail_room(longest: int, topics: int) -> tuple[Any, ...]:
    """What kernels need to find exact tails of up to so many ranked differences, as they take it."""
    from adjudge.stats.pair_kernels import LISTED, TAPS, write_halves

    ranks, tied = np.empty((2, topics), dtype=np.int64)
    halves = np.empty((longest + 1) * (longest + 2) // 2)
    write_halves(longest, halves)
    base = TAPS * 2 * longest
    now, after = np.zeros((2, base + longest * (longest + 1) // 2 + 1))
    sums, weights = np.empty(LISTED, dtype=np.int64), np.empty(LISTED)
    return ranks, tied, halves, now, after, base, sums, weights


def _runs(topics: int) -> tuple[int, int]:
    """The length of a run and of a row: a power of two of equal runs that hold all topics."""
    count = 1
    while count * LONGEST_RUN < topics:
        count *= 2
    run = max(1, -(-topics // count))
    return run, run * count


# The tests

Single = Callable[[FloatArray, FloatArray], PairedTest]

SMALLEST, LARGEST = 1e-280, 1e280
"""Sums of squares beyond these may have lost terms that do not fit a float."""


def pair_counts(values: npt.ArrayLike, *, loaded: bool = False) -> PairCounts:
    """On how many topics both columns of every pair are, and how they differ there.

    `loaded` says that compiled code is loaded anyway; means may differ from the plain way's in their last digit.
    """
    pairs = column_pairs(checks.numbers("values", values, dimensions=2), loaded=loaded)
    return _counts(pairs, difference_sums(pairs))


def t_pairs(values: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairResults:
    """`paired_t` of all pairs."""
    check_options(alternative)
    pairs = _ready(values)
    sums = difference_sums(pairs, squares=True)
    counts = _counts(pairs, sums)
    t, sure = _t(counts, sums.squares, pairs.noise())
    p = student_p(t, counts.n - 1.0, alternative)
    same = counts.ties == counts.n
    t[same], p[same] = 0.0, 1.0
    results = PairResults(
        test="t",
        counts=counts,
        statistic=t,
        p=p,
        method=("t",) * len(pairs),
        signature=f"t|{alternative}",
        alternative=alternative,
    )
    return _completed(results, pairs, sure | same, partial(paired_t, alternative=alternative))


def borrowed(results: PairResults, spread: Moments) -> tuple[PairResults, FloatArray]:
    """Results of `t_pairs` with a p where all differences of a pair are one number, and the standard errors behind it.

    Such a pair has no variance of its own, and borrows the mean of the others'. Where no pair has any, systems are
    shifted by constants, and p is that of the sign test.
    """
    counts = results.counts
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(spread.constant, np.nan, spread.sd / np.sqrt(counts.n))
    at = np.flatnonzero(spread.constant & (counts.n > 1) & (counts.difference != 0))
    if not at.size:
        return results, error
    statistic, p, method = results.statistic.copy(), results.p.copy(), list(results.method)
    varied = spread.sd[~spread.constant & (counts.n > 1)]
    if varied.size:
        error[at] = root_mean_square(varied[None, :], np.array([varied.size]))[0] / np.sqrt(counts.n[at])
        statistic[at] = counts.difference[at] / error[at]
        p[at] = student_p(statistic[at], counts.n[at] - 1.0, results.alternative)
    else:
        statistic[at] = counts.wins[at] - counts.losses[at]
        p[at] = sign_p(counts.wins[at], counts.losses[at], results.alternative)
    for k in at.tolist():
        method[k] = "borrowed" if varied.size else "sign"
    why = {k: reason for k, reason in results.why.items() if k not in set(at.tolist())}
    return replace(results, statistic=statistic, p=p, method=tuple(method), why=why), error


def unpaired_t_pairs(
    values: npt.ArrayLike, *, equal_variances: bool = True, alternative: Alternative = "two-sided"
) -> PairResults:
    """`unpaired_t` of all pairs, each on the topics that both have."""
    check_options(alternative)
    pairs = _ready(values)
    counts = _counts(pairs, difference_sums(pairs))
    x, y = own_squares(pairs)
    t, sure = _t(counts, x + y, pairs.noise())
    freedom = 2.0 * counts.n - 2
    if not equal_variances:
        with np.errstate(invalid="ignore"):
            freedom = welch_freedom(counts.n, np.sqrt(np.minimum(x, y) / np.maximum(x, y)))
    p = student_p(t, freedom, alternative)
    test = "t-unpaired" if equal_variances else "welch"
    results = PairResults(
        test=test,
        counts=counts,
        statistic=t,
        p=p,
        method=("t",) * len(pairs),
        signature=f"{test}|{alternative}",
        alternative=alternative,
    )
    single = partial(unpaired_t, equal_variances=equal_variances, alternative=alternative)
    return _completed(results, pairs, sure, single)


def wilcoxon_pairs(
    values: npt.ArrayLike,
    *,
    zeros: Zeros = "wilcox",
    exact_up_to: int = EXACT_UP_TO,
    alternative: Alternative = "two-sided",
) -> PairResults:
    """`wilcoxon` of all pairs."""
    check_options(alternative, zeros, exact_up_to)
    pairs = _ready(values)
    counts = _counts(pairs, difference_sums(pairs))
    nonzero = counts.wins + counts.losses
    below = np.zeros_like(nonzero) if zeros == "wilcox" else counts.ties
    ranks = signed_ranks(pairs, nonzero, below, exact_up_to=exact_up_to, alternative=alternative)
    w = ranks.positive - (nonzero * (nonzero + 1) + 2 * below * nonzero) / 2
    exact = (nonzero + below <= exact_up_to) | (nonzero == 0)
    p: FloatArray = doubled(ranks.tail, alternative)
    shared = exact & ~ranks.left & (ranks.plain | (nonzero == 0))
    p[shared] = untied_p(nonzero[shared], ranks.positive[shared], alternative)
    many = ~exact & ~ranks.left
    ranked = (nonzero + below)[many]
    p[many] = normal_p(ranks.positive[many], ranked, below[many], ranks.cubes[many], alternative)
    results = PairResults(
        test="wilcoxon",
        counts=counts,
        statistic=w,
        p=p,
        method=tuple(np.where(exact, "exact", "normal").tolist()),
        signature=f"wilcoxon|zeros:{zeros}|exact:{exact_up_to}|{alternative}",
        alternative=alternative,
    )
    single = partial(wilcoxon, zeros=zeros, exact_up_to=exact_up_to, alternative=alternative)
    return _completed(results, pairs, ~ranks.left, single)


def sign_pairs(values: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairResults:
    """`sign` of all pairs."""
    check_options(alternative)
    pairs = _ready(values)
    counts = _counts(pairs, difference_sums(pairs))
    # Pairs share few counts of wins and losses.
    base = int(counts.n.max(initial=0)) + 1
    keys, which = np.unique(counts.wins * base + counts.losses, return_inverse=True)
    p = sign_p(*np.divmod(keys, base), alternative)[which]
    results = PairResults(
        test="sign",
        counts=counts,
        statistic=(counts.wins - counts.losses).astype(np.float64),
        p=p,
        method=("exact",) * len(pairs),
        signature=f"sign|{alternative}",
        alternative=alternative,
    )
    sure = np.ones(len(pairs), dtype=np.bool_)
    return _completed(results, pairs, sure, partial(sign, alternative=alternative))


def _ready(values: npt.ArrayLike) -> ColumnPairs:
    return column_pairs(checks.numbers("values", values, dimensions=2))


def _counts(pairs: ColumnPairs, sums: DifferenceSums) -> PairCounts:
    return PairCounts(
        first=pairs.first,
        second=pairs.second,
        n=pairs.n,
        difference=sums.means,
        wins=sums.wins,
        losses=sums.losses,
        ties=pairs.n - sums.wins - sums.losses,
    )


def _t(counts: PairCounts, squares: FloatArray, noise: FloatArray) -> tuple[FloatArray, BoolArray]:
    """sqrt(n(n-1)) mean / sqrt(squares), and where it can be relied upon.

    Not where the squares are so small that they may be noise: values that are equal but for noise, each no
    further from its neighbour than that, span less than n times the noise.
    """
    n = counts.n.astype(np.float64)
    sure = (squares > SMALLEST) & (squares < LARGEST) & (np.sqrt(squares) > np.sqrt(2 * n) * n * noise)
    t = np.full(len(counts), np.nan)
    np.divide(np.sqrt(n * np.maximum(n - 1, 0)) * counts.difference, np.sqrt(squares), out=t, where=sure)
    return t, sure


def _completed(results: PairResults, pairs: ColumnPairs, sure: BoolArray, single: Single) -> PairResults:
    """The results without pairs of fewer than two topics, and with the unsure ones tested one by one."""
    statistic, p, methods, why = results.statistic, results.p, list(results.method), {}
    few = pairs.n < 2
    statistic[few] = p[few] = np.nan
    for k in np.flatnonzero(few).tolist():
        methods[k], why[k] = None, too_few(int(pairs.n[k]))
    for k in np.flatnonzero(~few & ~sure).tolist():
        result = single(*pairs.of(k))
        statistic[k], p[k], methods[k] = result.statistic, result.p, result.method
        if result.why is not None:
            why[k] = result.why
    return replace(results, method=tuple(methods), why=why)


# Differences of many pairs, a block of pairs at a time: for effects, equivalence and Westfall-Young

CELLS = 1 << 21
"""Numbers in one array of a block: 16 MB. What is computed from a block does not depend on its size."""
WIDEST = 256
"""Pairs in a block at the most."""


@dataclass(frozen=True, slots=True)
class PairBlock:
    """Some pairs; rows are pairs, columns are topics, so that a pair's differences lie together."""

    positions: IntArray
    """Which of all pairs these are."""
    values: FloatArray
    """first - second, settled: a difference within its noise is 0. NaN where one is missing."""
    noise: FloatArray
    """The noise of each difference; 0 where it is missing."""
    present: BoolArray

    @property
    def n(self) -> IntArray:
        counts: IntArray = self.present.sum(axis=1, dtype=np.int64)
        return counts

    @property
    def filled(self) -> FloatArray:
        """The differences, 0 where missing: for sums."""
        return np.where(self.present, self.values, 0.0)


@dataclass(frozen=True, slots=True)
class DifferenceGrid:
    """Differences as whole numbers, each pair in a unit of its own (a power of two).

    The unit is so small that rounding to it loses nothing that matters, and so large that a sum of the differences,
    with signs or with weights that add up to the number of topics, is exact in floating point. Such a sum depends on
    no order of adding: not on blocks, not on threads, not on the library that multiplies.
    """

    values: FloatArray
    noise: FloatArray
    """How far two sums of one pair may differ by noise and rounding alone, in the pair's unit."""
    shift: IntArray
    """The unit is 2 to the power of -shift."""


def blocks(
    matrix: FloatArray, first: IntArray, second: IntArray, positions: IntArray, *, beside: int = 1
) -> Iterator[PairBlock]:
    """The pairs at these positions, in this order. `beside`: numbers per pair that the caller will hold."""
    # One contiguous copy: taking many columns of a row-major matrix is slow.
    columns = np.ascontiguousarray(matrix.T)
    width = min(WIDEST, max(1, CELLS // max(1, matrix.shape[0], beside)))
    for start in range(0, positions.size, width):
        yield _block(columns, first, second, positions[start : start + width])


def _block(columns: FloatArray, first: IntArray, second: IntArray, positions: IntArray) -> PairBlock:
    x, y = columns[first[positions]], columns[second[positions]]
    values = x - y
    present = ~np.isnan(values)
    noise = noise_of(x, y)
    noise[~present] = 0.0
    settled(values, noise)
    return PairBlock(positions=positions, values=values, noise=noise, present=present)


def on_grid(block: PairBlock) -> DifferenceGrid:
    """The block's differences as whole numbers of at most 2^52, divided by the number of topics."""
    filled = block.filled
    largest = np.max(np.abs(filled), axis=1, initial=0.0)
    shift = 52 - filled.shape[1].bit_length() - np.frexp(largest)[1].astype(np.int64)
    values = np.rint(np.ldexp(filled, shift[:, None]))
    # Rounding moves a sum by n / 2 units at the most, and two sums by n.
    noise = np.ldexp(block.noise.sum(axis=1), shift) + block.n
    return DifferenceGrid(values, np.where(largest > 0, noise, 0.0), shift)


def constant(block: PairBlock) -> BoolArray:
    """Which pairs have one difference on all their topics, but for noise (`PairDifferences.all_equal`)."""
    low = np.min(block.values, axis=1, initial=np.inf, where=block.present)
    high = np.max(block.values, axis=1, initial=-np.inf, where=block.present)
    # Steps no larger than the noise: only such pairs are worth a closer look, and there are few.
    is_constant: BoolArray = high - low <= block.noise.sum(axis=1)
    for row in np.flatnonzero(is_constant):
        kept = block.present[row]
        is_constant[row] = PairDifferences(block.values[row, kept], block.noise[row, kept]).all_equal()
    return is_constant


def without_noise(block: PairBlock) -> FloatArray:
    """The differences, those that have one size but for noise being of one size: what ties in ranks is equal.

    Then what cancels leaves nothing behind.
    """
    sizes = np.abs(block.values)
    noise = np.where(sizes > 0, block.noise, 0.0)
    # Where all that is close is equal there is nothing to do, and mostly it is.
    gaps = np.diff(np.sort(sizes, axis=1))
    rows = np.flatnonzero(((gaps > 0) & (gaps <= noise.max(axis=1, initial=0.0)[:, None])).any(axis=1))
    if not rows.size:
        return block.values
    order = np.argsort(sizes[rows], axis=1)
    ordered = np.take_along_axis(sizes[rows], order, axis=1)
    noise = np.take_along_axis(noise[rows], order, axis=1)
    place = np.zeros(ordered.shape, dtype=np.int64)
    starts = ~(np.diff(ordered) <= np.maximum(noise[:, 1:], noise[:, :-1]))
    place[:, 1:] = np.where(starts, np.arange(1, ordered.shape[1]), 0)
    first = np.take_along_axis(ordered, np.maximum.accumulate(place, axis=1), axis=1)
    values = block.values.copy()
    common = np.empty_like(first)
    np.put_along_axis(common, order, first, axis=1)
    values[rows] = np.copysign(common, block.values[rows])
    return values


@dataclass(frozen=True)
class Moments:
    """Every pair's counts, and how its differences vary."""

    counts: PairCounts
    sd: FloatArray
    """The standard deviation of the differences, with n - 1; NaN below two topics, 0 where they are constant."""
    noise: FloatArray
    """Of the mean: what is no larger counts as 0 (`PairDifferences.mean`)."""
    constant: BoolArray
    """Where all differences are one number, but for noise; also where there are none."""

    def __len__(self) -> int:
        return self.sd.size

    def without_spread(self, k: int) -> str:
        """Why the k-th pair's differences do not say how they vary."""
        n = int(self.counts.n[k])
        return too_few(n) if n < 2 else f"all {n} differences are the same, and need to vary"


def moments(matrix: FloatArray) -> Moments:
    """What is known of every pair of columns before any test."""
    first, second = columns_of_pairs(matrix.shape[1])
    n, wins, losses = np.zeros((3, first.size), dtype=np.int64)
    mean, sd, noise = np.full((3, first.size), np.nan)
    same = np.zeros(first.size, dtype=np.bool_)
    for block in blocks(matrix, first, second, np.arange(first.size)):
        at, size = block.positions, block.n
        n[at], same[at] = size, constant(block)
        wins[at] = np.count_nonzero(block.values > 0, axis=1)
        losses[at] = np.count_nonzero(block.values < 0, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean[at] = block.filled.sum(axis=1) / size
            noise[at] = np.where(block.filled == 0, 0.0, block.noise).sum(axis=1) / size
            deviations = np.where(block.present, block.values - mean[at][:, None], 0.0)
            sd[at] = root_mean_square(deviations, size - 1)
    settled(mean, noise)
    sd[same] = np.where(n[same] > 1, 0.0, np.nan)
    return Moments(
        counts=PairCounts(
            first=first, second=second, n=n, difference=mean, wins=wins, losses=losses, ties=n - wins - losses
        ),
        sd=sd,
        noise=noise,
        constant=same,
    )


def root_mean_square(rows: FloatArray, by: IntArray) -> FloatArray:
    """The root of the sum of squares of each row, divided by a number: of numbers however small or large."""
    exponent = np.frexp(np.max(np.abs(rows), axis=1, initial=0.0))[1]
    squares = np.square(np.ldexp(rows, -exponent[:, None])).sum(axis=1)
    root: FloatArray = np.ldexp(np.sqrt(squares / by), exponent)
    return root
