"""Signed ranks of the differences of every pair. Plain, or compiled where there is much; p-values live beside.

A difference becomes a whole number that sorts by its size and carries its sign: the bits of the float, turned
left by one, so that the sign is the last bit. Missing ones sort last. Ranks are then places in a sorted row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.pair_matrix import PairMatrix
from adjudge.stats.paired import Alternative

Keys = npt.NDArray[np.uint64]

MISSING = np.uint64(0xFFF0_0000_0000_0000)
"""The key of a NaN; those of numbers are smaller."""

LONGEST_RUN = 256
"""Numbers that NumPy sorts at once in vector registers; longer rows are sorted in such runs and merged."""

COMPILED_SECONDS = 0.2
"""What tests one by one may take before the compiler is loaded for them, which takes 0.3 s."""

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
    pairs: PairMatrix,
    nonzero: IntArray,
    below: IntArray,
    *,
    exact_up_to: int,
    alternative: Alternative,
) -> SignedRanks:
    """Rank the `nonzero` differences of every pair after the `below` zeros that are ranked."""
    ranks = SignedRanks(
        np.zeros(len(pairs), dtype=np.int64),
        np.zeros(len(pairs)),
        np.ones(len(pairs), dtype=np.bool_),
        np.full(len(pairs), np.nan),
        np.zeros(len(pairs), dtype=np.bool_),
    )
    exact = nonzero + below <= exact_up_to
    if pairs.compiled:
        hard = np.arange(len(pairs))
    else:
        tied = _rank_untied(pairs, nonzero, below, ranks)
        ranks.left[:] = tied | (exact & (below > 0))
        hard = np.flatnonzero(ranks.left)
        # One by one a test takes about 0.2 ms, and an exact one with ties more as the third power.
        seconds = 2e-4 * hard.size + 2e-10 * float((nonzero[hard] ** 3.0 * exact[hard]).sum())
        if seconds < COMPILED_SECONDS:
            return ranks
    _rank_compiled(pairs, hard, below, ranks, exact_up_to, alternative)
    return ranks


def _rank_untied(pairs: PairMatrix, nonzero: IntArray, below: IntArray, ranks: SignedRanks) -> BoolArray:
    """Fill in the rank sums as if nothing tied, and say where that is not sure."""
    tied = np.zeros(len(pairs), dtype=np.bool_)
    noise = pairs.noise()
    places = np.arange(pairs.columns.shape[1], dtype=np.float64)
    lost, last = np.empty((2, len(pairs)))
    for some, z in pairs.differences(np.arange(len(pairs))):
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
    pairs: PairMatrix,
    at: IntArray,
    below: IntArray,
    ranks: SignedRanks,
    exact_up_to: int,
    alternative: Alternative,
) -> None:
    """Fill in everything for some pairs; left are those where ties and noise are too close to call."""
    from adjudge.stats.pair_kernels import UNSURE, UNTIED, merge_runs, rank_rows, write_keys

    run, width = _runs(pairs.columns.shape[1])
    noise, ranked_zeros = pairs.noise(), bool(below.any())
    space = np.empty((2, pairs.few, width), dtype=np.uint64)
    for some in pairs.blocks(at):
        keys, other = space[:, : some.size]
        write_keys(pairs.columns, pairs.first[some], pairs.second[some], keys)
        keys.reshape(-1, run).sort(axis=1)
        keys = merge_runs(keys, other, run)
        found, tails = rank_rows(
            keys, pairs.n[some], noise[some], ranked_zeros, exact_up_to, _SIDES[alternative]
        )
        ranks.positive[some], ranks.cubes[some], ranks.tail[some] = found[0], found[1], tails
        ranks.plain[some] = (found[2] == UNTIED) & (below[some] == 0)
        ranks.left[some] = found[2] == UNSURE


def _runs(topics: int) -> tuple[int, int]:
    """The length of a run and of a row: a power of two of equal runs that hold all topics."""
    count = 1
    while count * LONGEST_RUN < topics:
        count *= 2
    run = max(1, -(-topics // count))
    return run, run * count
