"""Corrections of p-values for many tests. Westfall-Young, which needs the scores, is in resampling/."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray

Correction = Literal["none", "bonferroni", "holm", "bh"]

CELLS = 1 << 21
"""Numbers in one array."""
FAR = 1e15
"""More than there are tests."""


def adjust(p: npt.ArrayLike, method: Correction = "holm") -> FloatArray:
    """Adjusted p-values of one family of tests, each to be compared with alpha.

    "none" gives p as it is. "bonferroni" and "holm" (Holm 1979) keep the chance of any false finding below
    alpha, whatever the dependence. "bh" (Benjamini and Hochberg 1995) keeps the expected share of false
    findings among all findings below alpha, where the tests are independent or positively dependent.
    A NaN, a test that could not be computed, stays NaN and does not count in the family.
    """
    checks.one_of("method", method, tuple(PROCEDURES))
    values = checks.probabilities("p", p)
    adjusted = np.full_like(values, np.nan)
    family = np.flatnonzero(~np.isnan(values))
    family = family[np.argsort(values[family], kind="stable")]
    adjusted[family] = PROCEDURES[method].adjusted(values[family])
    return adjusted


def holm(p: npt.ArrayLike) -> FloatArray:
    """Adjusted p-values that keep the chance of any false finding below alpha. Holm 1979."""
    return adjust(p, "holm")


def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    """Adjusted p-values that keep the expected share of false findings below alpha, whatever the dependence.

    Benjamini and Hochberg's times 1 + 1/2 + ... + 1/n, for n tests. Benjamini and Yekutieli 2001. NaN stays.
    """
    adjusted = adjust(p, "bh")
    tests = int(np.count_nonzero(~np.isnan(adjusted)))
    return np.minimum(1.0, adjusted * np.sum(1.0 / np.arange(1, tests + 1)))


def _holm(ascending: FloatArray) -> FloatArray:
    return np.minimum(1.0, np.maximum.accumulate(np.arange(ascending.size, 0, -1) * ascending))


def _benjamini_hochberg(ascending: FloatArray) -> FloatArray:
    """Up from the largest: the k-th smallest times size / k."""
    scaled = ascending.size * ascending / np.arange(1, ascending.size + 1)
    return np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])


@dataclass(frozen=True)
class Procedure:
    """A correction: the adjusted p-values of ascending ones, and what it keeps below alpha."""

    adjusted: Callable[[FloatArray], FloatArray]
    keeps: Literal["each", "any", "share"]
    """The chance of an error in each test by itself, of any error, or the expected share of errors among findings."""
    steps: bool = False
    """Of those that keep any error: whether what is found lightens the burden of the rest."""


PROCEDURES: dict[str, Procedure] = {
    "none": Procedure(lambda ascending: ascending, keeps="each"),
    "bonferroni": Procedure(lambda ascending: np.minimum(1.0, ascending.size * ascending), keeps="any"),
    "holm": Procedure(_holm, keeps="any", steps=True),
    "bh": Procedure(_benjamini_hochberg, keeps="share"),
}
"""The mathematics of every correction; its words are in analyses/corrections.py."""


# Discrete tests: some can never be significant, and need not burden the others

SAME = 1e-9
"""Relative distance below which two levels are one: p-values of exact tests meet thresholds exactly."""


@dataclass(frozen=True)
class Reached:
    """A family of tests whose p-values cannot be smaller than a known number each."""

    adjusted: FloatArray
    """By test; NaN where there is none."""
    divisor: int
    """K: what is left open was compared with alpha / K."""
    reachable: BoolArray
    """By test: it was significant, or a p within its reach would have been."""
    burden: int = 1
    """The number of tests that the smallest p was corrected for: by Tarone's rule it may be below their number."""


def reached(
    p: npt.ArrayLike, least: npt.ArrayLike, *, alpha: float = 0.05, method: Correction = "holm"
) -> Reached:
    """Adjusted p-values of one family of tests, `least` being the smallest p that each of them could have had.

    "holm" and "bonferroni" follow Tarone (1990), with and without steps: K is the smallest k such that at most k open
    tests have a smallest p of at most alpha / k. Those with p <= alpha / K are rejected, and with "holm" this is
    repeated on the rest. A test whose smallest p is above alpha / k can never be a false finding at alpha / k, so
    the chance of any false finding stays below alpha. Where every smallest p is low enough this is Holm's or
    Bonferroni's correction. K grows in steps, so a test may be rejected at a level and not at a higher one:
    the adjusted p is the smallest level from which every higher level rejects.

    "bh" and "none" are those of `adjust`. A NaN in p is no test, and does not count.
    """
    checks.one_of("method", method, tuple(PROCEDURES))
    checks.share("alpha", alpha)
    values, floor = checks.probabilities("p", p), checks.probabilities("least", least)
    if values.shape != floor.shape:
        raise UsageError(f"p and least: {values.shape} and {floor.shape} numbers")
    tests = np.flatnonzero(~np.isnan(values))
    if np.isnan(floor[tests]).any():
        raise UsageError("least: a test has a p and no smallest p")
    tests = tests[np.argsort(values[tests], kind="stable")]
    ascending, smallest = values[tests], np.minimum(floor[tests], values[tests])
    adjusted = np.full_like(values, np.nan)
    reachable = np.zeros(values.shape, dtype=np.bool_)
    procedure = PROCEDURES[method]
    if procedure.keeps != "any":
        adjusted_ascending = procedure.adjusted(ascending)
        rejected = at_most(adjusted_ascending, alpha)
        divisor, burden = 1.0, tests.size if procedure.keeps == "share" else 1
        if procedure.keeps == "share" and tests.size:
            # One more test is rejected where it joins the r - 1 smallest p below alpha r / size.
            ranks = np.arange(1.0, tests.size + 1)
            with_it = np.flatnonzero(at_most(np.append(0.0, ascending[:-1]) * tests.size, alpha * ranks))
            divisor = tests.size / float(ranks[with_it[-1]])
    else:
        adjusted_ascending = _tarone(ascending, smallest, steps=procedure.steps)
        rejected = at_most(adjusted_ascending, alpha)
        burden = _divisor(smallest, alpha)
        divisor = _divisor(smallest[~rejected], alpha) if procedure.steps else burden
    adjusted[tests] = adjusted_ascending
    reachable[tests] = rejected | at_most(smallest * divisor, alpha)
    return Reached(
        adjusted=adjusted, divisor=int(np.ceil(divisor)), reachable=reachable, burden=max(1, burden)
    )


def at_most(values: FloatArray, bound: Any) -> BoolArray:
    """values <= bound, but for rounding: products of p-values may miss a threshold that they meet."""
    below: BoolArray = values <= bound * (1 + SAME)
    return below


def _divisor(smallest: FloatArray, alpha: float) -> int:
    """The smallest k such that at most k tests have a smallest p of at most alpha / k."""
    # The count falls with k while k grows, so the first k that serves is found by halving.
    low, high = 1, max(1, smallest.size)
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(at_most(smallest * middle, alpha)) <= middle:
            high = middle
        else:
            low = middle + 1
    return low


def _tarone(p: FloatArray, smallest: FloatArray, *, steps: bool) -> FloatArray:
    """Adjusted p-values of ascending p.

    The s-th smallest p fails at a level a where p > a / K, that is where every j <= a / p has more than j open tests
    with a smallest p of at most a / j. On [k p, (k + 1) p) the j are those up to k, and the counts grow with a: if
    anything fails there, then everything up to the right end. So the largest level that fails is (k + 1) p for
    the largest k such that every j <= k has more than j open tests with a smallest p below (k + 1) p / j, or 1. A j
    that has not, has not with a smaller k either, so the search goes on below the smallest such j.
    """
    size = p.size
    if not size:
        return p.copy()
    # Smallest p-values that are below every p act alike, so that few kinds are left.
    kinds, kind = np.unique(np.maximum(smallest, p[p > 0].min(initial=1.0)), return_inverse=True)
    levels = np.empty(size)
    width = max(1, CELLS // kinds.size)
    closed = np.zeros(kinds.size, dtype=np.int64)
    everything = np.bincount(kind, minlength=kinds.size)
    for start in range(0, size, width):
        some = slice(start, min(size, start + width))
        gone = np.zeros((some.stop - start, kinds.size), dtype=np.int64)
        if steps:
            gone[np.arange(1, len(gone)), kind[start : some.stop - 1]] = 1
            gone = np.cumsum(gone, axis=0) + closed
            closed = gone[-1].copy()
            closed[kind[some.stop - 1]] += 1
        open_up_to = np.cumsum(everything - gone, axis=1)
        levels[some] = _last_failing(p[some], kinds, open_up_to)
    return np.maximum.accumulate(levels) if steps else levels


def _last_failing(p: FloatArray, kinds: FloatArray, open_up_to: IntArray) -> FloatArray:
    """By test: the largest level, up to 1, at which it is not rejected."""
    with np.errstate(divide="ignore", over="ignore"):
        most = np.ceil(1 / p * (1 - SAME)) - 1  # [k p, (k + 1) p) is the last one that begins below 1
    k = np.minimum(most, open_up_to[:, -1] - 1).astype(np.int64)
    left = np.flatnonzero(p > 0)  # a p of 0 is rejected at every level
    while left.size:
        level = np.minimum((k[left] + 1) * p[left], 1.0)
        whole = ((k[left] + 1) * p[left] > 1 + SAME)[:, None]  # the level 1 itself: a smallest p may equal it
        with np.errstate(over="ignore"):
            ends = np.minimum(level[:, None] / kinds, FAR)
        near = np.rint(ends)
        ends = np.where(np.abs(ends - near) <= SAME * near, near, ends)
        # The j whose share of the level takes in this kind of smallest p and no larger one.
        last = np.where(whole, np.floor(ends), np.ceil(ends) - 1)
        last = np.minimum(last, k[left, None])
        first = np.ones_like(last)
        first[:, :-1] = last[:, 1:] + 1
        wrong = np.maximum(first, open_up_to[left])
        wrong = np.where(wrong <= last, wrong, np.inf).min(axis=1)
        # A j that takes in no kind at all has no open tests.
        wrong = np.minimum(wrong, np.where(last[:, 0] < k[left], last[:, 0] + 1, np.inf))
        again = np.isfinite(wrong)
        k[left[again]] = wrong[again].astype(np.int64) - 1
        left = left[again & (k[left] > 0)]
    levels: FloatArray = np.minimum((k + 1) * p, 1.0)
    return levels
