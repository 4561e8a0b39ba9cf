"""Signed-rank p-values of many pairs whose differences are moved by a margin. Kernels live in effect_ranks.py."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE, untied_chances
from adjudge.stats.pairs import Block


@dataclass(frozen=True, slots=True)
class SignedRank:
    """p-values of the Wilcoxon signed-rank test; zeros are left out, and where nothing is left p is 1."""

    greater: FloatArray
    less: FloatArray
    two_sided: FloatArray


def signed_rank_p(block: Block, shift: float, *, exact_up_to: int) -> SignedRank:
    """The test of differences + shift: exact up to so many that are not 0, with ties too, and normal beyond."""
    from adjudge.stats.pair_kernels import signed_ranks

    positive, ranked, ties, below, upto = signed_ranks(
        block.values, block.noise, shift, NOISE * abs(shift), exact_up_to
    )
    excess = positive - ranked * (ranked + 1) / 2  # twice the sum of the positive ranks, less its mean
    for m in np.unique(ranked[(ranked <= exact_up_to) & (ties == 0)]).tolist():
        rows = np.flatnonzero((ranked == m) & (ties == 0))
        smaller = (m * (m + 1) // 2 - np.abs(excess[rows]).astype(np.int64)) // 2
        table = untied_chances(m)
        upto[rows] = table[smaller]
        below[rows] = np.where(smaller > 0, table[smaller - 1], 0.0)
    outer, inner = np.minimum(upto, 1.0), 1 - below
    greater, less = np.where(excess >= 0, outer, inner), np.where(excess >= 0, inner, outer)
    two_sided = np.minimum(1.0, 2 * outer)
    rows = np.flatnonzero(ranked > exact_up_to)
    greater[rows], less[rows], two_sided[rows] = _normal(excess[rows] / 2, ranked[rows], ties[rows])
    return SignedRank(greater, less, two_sided)


def _normal(
    excess: FloatArray, ranked: IntArray, ties: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """By the normal distribution, corrected for ties and continuity, as `signed_rank.normal_p` does it."""
    n = ranked.astype(np.float64)
    spread = np.sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24)
    two_sided = np.where(excess == 0, 1.0, 2 * ndtr(-np.abs((np.abs(excess) - 0.5) / spread)))
    return ndtr((0.5 - excess) / spread), ndtr((0.5 + excess) / spread), two_sided
