"""Two-sided tests of two columns, row by row, and of all pairs. Null distributions live beside."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.differences import Differences, differences, rank
from adjudge.stats.results import PairedTest
from adjudge.stats.signed_rank import exact_p, normal_p

Zeros = Literal["wilcox", "pratt"]
PairTest = Callable[[FloatArray, FloatArray], PairedTest]

EXACT_UP_TO = 300
"""Ranked differences up to which Wilcoxon is exact: about 5 ms a test there, growing as n^3."""


def wilcoxon(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    zeros: Zeros = "wilcox",
    exact_up_to: int = EXACT_UP_TO,
) -> PairedTest:
    """The Wilcoxon signed-rank test. Wilcoxon 1945; Rankel et al. 2011, section 2.

    The statistic is W, the sum of the signed ranks of |x - y|, with mid-ranks for ties.
    `zeros="wilcox"` leaves zero differences out; "pratt" ranks them first and then leaves them
    out, as the paper's formula does. The p-value is exact, with ties and zeros too, where at most
    `exact_up_to` differences are ranked (under "pratt" zeros are), and normal beyond. Where all
    differences are zero, p is 1.
    """
    checks.one_of("zeros", zeros, get_args(Zeros))
    checks.count("exact_up_to", exact_up_to, least=0)
    d = differences(x, y)
    if d.n < 2:
        return PairedTest.undefined("wilcoxon", _too_few(d), **_described(d))
    ranked_zeros = d.ties if zeros == "pratt" else 0
    ranks = rank(d, below=ranked_zeros)
    positive = int(ranks.doubled[ranks.positive].sum())
    # W is the positive sum less the negative one; the ranks are doubled.
    w = positive - int(ranks.doubled.sum()) / 2
    if not ranks.doubled.size or ranks.doubled.size + ranked_zeros <= exact_up_to:
        p = exact_p(ranks.doubled, positive)
        return PairedTest("wilcoxon", w, p, method="exact", **_described(d))
    p = normal_p(ranks.doubled, positive, ranks.tied, zeros=ranked_zeros)
    return PairedTest("wilcoxon", w, p, method="normal", **_described(d))


def paired_t(x: npt.ArrayLike, y: npt.ArrayLike) -> PairedTest:
    """Student's t-test of the differences; the statistic is T^p. Rankel et al. 2011, section 2.

    Where all differences are zero, t is 0 and p is 1 by convention. Where they are all the same
    but not zero, t is undefined.
    """
    d = differences(x, y)
    if d.n < 2:
        return PairedTest.undefined("t", _too_few(d), **_described(d))
    if d.ties == d.n:
        return PairedTest("t", 0.0, 1.0, method="t", **_described(d))
    if d.all_equal():
        why = f"all {d.n} differences are the same, and t needs them to vary"
        return PairedTest.undefined("t", why, **_described(d))
    deviations = d.values - d.mean
    t = math.sqrt(d.n * (d.n - 1)) * d.mean / math.sqrt(float(deviations @ deviations))
    p = 2 * float(stdtr(d.n - 1, -abs(t)))
    return PairedTest("t", t, p, method="t", **_described(d))


def all_pairs(values: npt.ArrayLike, test: PairTest = wilcoxon) -> list[PairedTest]:
    """The test of every two columns i < j of a matrix, in the order of itertools.combinations.

    Options go in with the test: `all_pairs(values, partial(wilcoxon, zeros="pratt"))`.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    # One contiguous copy: a column of a row-major matrix is slow to read again and again.
    return [test(x, y) for x, y in combinations(np.ascontiguousarray(matrix.T), 2)]


class _Described(TypedDict):
    n: int
    difference: float
    wins: int
    losses: int
    ties: int


def _described(d: Differences) -> _Described:
    return {
        "n": d.n,
        "difference": d.mean,
        "wins": d.wins,
        "losses": d.losses,
        "ties": d.ties,
    }


def _too_few(d: Differences) -> str:
    return f"needs two topics that both have, has {d.n or 'none'}"
