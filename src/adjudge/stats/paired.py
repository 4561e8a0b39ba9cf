"""Tests of two columns, row by row, one pair at a time. All pairs at once live in allpairs.py."""

from __future__ import annotations

import math
from typing import Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.differences import NOISE, Differences, all_equal, common, differences, rank
from adjudge.stats.pair_tails import sign_p, student_p
from adjudge.stats.pairs import Alternative
from adjudge.stats.results import PairedTest
from adjudge.stats.signed_rank import exact_p, normal_p

Zeros = Literal["wilcox", "pratt", "split"]

EXACT_UP_TO = 300
"""Ranked differences up to which Wilcoxon is exact: about 5 ms a test there, growing as n^3."""


def wilcoxon(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    zeros: Zeros = "wilcox",
    exact_up_to: int = EXACT_UP_TO,
    alternative: Alternative = "two-sided",
) -> PairedTest:
    """The Wilcoxon signed-rank test. Wilcoxon 1945; Rankel et al. 2011, section 2.

    The statistic is W, the sum of the signed ranks of |x - y|, with mid-ranks for ties.
    `zeros="wilcox"` leaves zero differences out; "pratt" ranks them first and then leaves them out, as the
    paper's formula does; "split" ranks them and gives half of their ranks to each side, so that W is the
    same as under "pratt". The p-value is exact, with ties and zeros too, where at most `exact_up_to`
    differences are ranked (zeros are, but under "wilcox"), and normal beyond. Where all differences are
    zero, p is 1.
    """
    check_options(alternative, zeros, exact_up_to)
    d = differences(x, y)
    if d.n < 2:
        return PairedTest.undefined("wilcoxon", too_few(d.n), **_described(d))
    ranked_zeros = 0 if zeros == "wilcox" else d.ties
    ranks = rank(d, below=ranked_zeros)
    positive = int(ranks.doubled[ranks.positive].sum())
    # W is the positive sum less the negative one; the ranks are doubled.
    w = positive - int(ranks.doubled.sum()) / 2
    ranked = ranks.doubled.size + ranked_zeros
    if not ranks.doubled.size or ranked <= exact_up_to:
        p = exact_p(ranks.doubled, positive, alternative)
        return PairedTest("wilcoxon", w, p, method="exact", **_described(d))
    sizes = ranks.tied.astype(np.float64)
    cubes = float((sizes**3 - sizes).sum())
    p = normal_p(positive, ranked, ranked_zeros, cubes, split=zeros == "split", alternative=alternative)
    return PairedTest("wilcoxon", w, float(p), method="normal", **_described(d))


def paired_t(x: npt.ArrayLike, y: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Student's t-test of the differences; the statistic is T^p. Rankel et al. 2011, section 2.

    Where all differences are zero, t is 0 and p is 1 by convention. Where they are all the same
    but not zero, t is undefined.
    """
    check_options(alternative)
    d = differences(x, y)
    if d.n < 2:
        return PairedTest.undefined("t", too_few(d.n), **_described(d))
    if d.ties == d.n:
        return PairedTest("t", 0.0, 1.0, method="t", **_described(d))
    if d.all_equal():
        why = f"all {d.n} differences are the same, and t needs them to vary"
        return PairedTest.undefined("t", why, **_described(d))
    t = math.sqrt(d.n * (d.n - 1)) * (d.mean / _length(d.values - d.mean))
    p = float(student_p(t, d.n - 1, alternative))
    return PairedTest("t", t, p, method="t", **_described(d))


def unpaired_t(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    equal_variances: bool = True,
    alternative: Alternative = "two-sided",
) -> PairedTest:
    """Student's t-test of two samples with pooled variance; the statistic is T. Rankel et al. 2011, section 2.

    Both samples are the topics that both have, so they are of one size n, and Welch's statistic
    (`equal_variances=False`) is the same T with fewer degrees of freedom. Where neither column varies, T is
    0 and p is 1 by convention if they are equal, and undefined if not.
    """
    check_options(alternative)
    test = "t-unpaired" if equal_variances else "welch"
    x, y = common(x, y)
    d = differences(x, y)
    if d.n < 2:
        return PairedTest.undefined(test, too_few(d.n), **_described(d))
    if all_equal(x, NOISE * np.abs(x)) and all_equal(y, NOISE * np.abs(y)):
        if d.ties == d.n:
            return PairedTest(test, 0.0, 1.0, method="t", **_described(d))
        why = f"each has one score on all {d.n} topics, and t needs them to vary"
        return PairedTest.undefined(test, why, **_described(d))
    sides = _length(x - x.mean()), _length(y - y.mean())
    t = math.sqrt(d.n * (d.n - 1)) * (d.mean / math.hypot(*sides))
    freedom = 2.0 * d.n - 2 if equal_variances else welch_freedom(d.n, min(sides) / max(sides))
    p = float(student_p(t, freedom, alternative))
    return PairedTest(test, t, p, method="t", **_described(d))


def sign(x: npt.ArrayLike, y: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """The sign test: is x higher on half of the topics? Exact; ties are left out, and counted.

    The statistic is wins less losses. Where all topics tie, p is 1.
    """
    check_options(alternative)
    d = differences(x, y)
    if d.n < 2:
        return PairedTest.undefined("sign", too_few(d.n), **_described(d))
    p = float(sign_p(d.wins, d.losses, alternative))
    return PairedTest("sign", float(d.wins - d.losses), p, method="exact", **_described(d))


def check_options(alternative: str, zeros: str = "wilcox", exact_up_to: int = 0) -> None:
    """The options that tests of one pair and of all pairs share."""
    checks.one_of("alternative", alternative, get_args(Alternative))
    checks.one_of("zeros", zeros, get_args(Zeros))
    checks.count("exact_up_to", exact_up_to, least=0)


def too_few(n: int) -> str:
    """Why there is no test of n topics, where n is below 2."""
    return f"needs two topics that both have, has {n or 'none'}"


def welch_freedom(n: npt.ArrayLike, ratio: npt.ArrayLike) -> FloatArray:
    """Welch's degrees of freedom for two samples of n; `ratio` is that of their standard deviations, below 1."""
    variances = np.square(ratio)
    freedom: FloatArray = (np.asarray(n) - 1.0) * (1 + variances) ** 2 / (1 + variances**2)
    return freedom


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


def _length(deviations: FloatArray) -> float:
    """The root of the sum of squares, of numbers however small or large."""
    exponent = math.frexp(float(np.abs(deviations).max()))[1]
    scaled = np.ldexp(deviations, -exponent)
    return math.ldexp(math.sqrt(float(np.square(scaled).sum())), exponent)
