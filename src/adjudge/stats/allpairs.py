"""Tests of every two columns of a matrix, all pairs at once. The tests of one pair live in paired.py.

The numbers are those of `paired`, which the few pairs go through that the fast way is not sure of: constant
differences, scores of very different sizes. Rows are topics, columns are systems, NaN is missing; a pair uses
the topics that both have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.pair_matrix import PairMatrix, pair_matrix
from adjudge.stats.pair_ranks import SignedRanks, signed_ranks
from adjudge.stats.pair_sums import DifferenceSums, difference_sums, own_squares
from adjudge.stats.paired import (
    EXACT_UP_TO,
    Alternative,
    PairedTest,
    Zeros,
    check_options,
    doubled,
    normal_p,
    paired_t,
    sign,
    sign_p,
    student_p,
    too_few,
    unpaired_t,
    untied_p,
    welch_freedom,
    wilcoxon,
)
from adjudge.stats.pairs import PairCounts, PairResults

Single = Callable[[FloatArray, FloatArray], PairedTest]

SMALLEST, LARGEST = 1e-280, 1e280
"""Sums of squares beyond these may have lost terms that do not fit a float."""


def pair_counts(values: npt.ArrayLike, *, loaded: bool = False) -> PairCounts:
    """On how many topics both columns of every pair are, and how they differ there.

    `loaded` says that the compiler is loaded anyway; means may differ from the plain way's in their last digit.
    """
    pairs = pair_matrix(checks.numbers("values", values, dimensions=2), loaded=loaded)
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
    found = PairResults("t", counts, t, p, ("t",) * len(pairs), f"t|{alternative}", alternative)
    return _completed(found, pairs, sure | same, partial(paired_t, alternative=alternative))


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
    found = PairResults(test, counts, t, p, ("t",) * len(pairs), f"{test}|{alternative}", alternative)
    single = partial(unpaired_t, equal_variances=equal_variances, alternative=alternative)
    return _completed(found, pairs, sure, single)


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
    p = _signed_rank_p(ranks, nonzero, below, exact, zeros == "split", alternative)
    methods = tuple(np.where(exact, "exact", "normal").tolist())
    signature = f"wilcoxon|zeros:{zeros}|exact:{exact_up_to}|{alternative}"
    found = PairResults("wilcoxon", counts, w, p, methods, signature, alternative)
    single = partial(wilcoxon, zeros=zeros, exact_up_to=exact_up_to, alternative=alternative)
    return _completed(found, pairs, ~ranks.left, single)


def sign_pairs(values: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairResults:
    """`sign` of all pairs."""
    check_options(alternative)
    pairs = _ready(values)
    counts = _counts(pairs, difference_sums(pairs))
    # Pairs share few counts of wins and losses.
    base = int(counts.n.max(initial=0)) + 1
    keys, which = np.unique(counts.wins * base + counts.losses, return_inverse=True)
    p = sign_p(*np.divmod(keys, base), alternative)[which]
    statistic = (counts.wins - counts.losses).astype(np.float64)
    methods = ("exact",) * len(pairs)
    found = PairResults("sign", counts, statistic, p, methods, f"sign|{alternative}", alternative)
    return _completed(
        found, pairs, np.ones(len(pairs), dtype=np.bool_), partial(sign, alternative=alternative)
    )


def _ready(values: npt.ArrayLike) -> PairMatrix:
    return pair_matrix(checks.numbers("values", values, dimensions=2))


def _counts(pairs: PairMatrix, sums: DifferenceSums) -> PairCounts:
    ties = pairs.n - sums.wins - sums.losses
    return PairCounts(pairs.first, pairs.second, pairs.n, sums.means, sums.wins, sums.losses, ties)


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


def _signed_rank_p(
    ranks: SignedRanks,
    nonzero: IntArray,
    below: IntArray,
    exact: BoolArray,
    split: bool,
    alternative: Alternative,
) -> FloatArray:
    p: FloatArray = doubled(ranks.tail, alternative)
    shared = exact & ~ranks.left & (ranks.plain | (nonzero == 0))
    p[shared] = untied_p(nonzero[shared], ranks.positive[shared], alternative)
    many = ~exact & ~ranks.left
    p[many] = normal_p(
        ranks.positive[many],
        (nonzero + below)[many],
        below[many],
        ranks.cubes[many],
        split=split,
        alternative=alternative,
    )
    return p


def _completed(found: PairResults, pairs: PairMatrix, sure: BoolArray, single: Single) -> PairResults:
    """No test of fewer than two topics, and one by one what is not sure."""
    statistic, p, methods, why = found.statistic, found.p, list(found.method), {}
    few = pairs.n < 2
    statistic[few] = p[few] = np.nan
    for k in np.flatnonzero(few).tolist():
        methods[k], why[k] = None, too_few(int(pairs.n[k]))
    for k in np.flatnonzero(~few & ~sure).tolist():
        result = single(*pairs.of(k))
        statistic[k], p[k], methods[k] = result.statistic, result.p, result.method
        if result.why is not None:
            why[k] = result.why
    return replace(found, method=tuple(methods), why=why)
