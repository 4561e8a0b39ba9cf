"""p-values of statistics, for one pair or for arrays of them: Student and binomial. Rank sums live beside.

Every function takes the alternative: "greater" says that the first of the two is higher, and its p is the
chance of a statistic at least as large; "less" the other way round; "two-sided" doubles the smaller tail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc, stdtr

from adjudge.stats.pairs import Alternative

Numbers = Any
"""A number or an array of them; what comes out has the shape of what went in."""


def student_p(t: Numbers, freedom: Numbers, alternative: Alternative) -> Numbers:
    """p of Student's t with so many degrees of freedom."""
    if alternative == "two-sided":
        return 2 * stdtr(freedom, -np.abs(t))
    return stdtr(freedom, -t if alternative == "greater" else t)


def sign_p(wins: Numbers, losses: Numbers, alternative: Alternative) -> Numbers:
    """p of the sign test: every decided topic is a win or a loss with probability 1/2.

    P(at most k of m) is the incomplete beta function I_1/2(m - k, k + 1).
    """
    wins, losses = np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    fewest = side(wins, losses, alternative)
    others = wins + losses - fewest
    # Where the others are none, "at most all" is certain; the beta function wants a positive number there.
    p = np.where(others > 0, betainc(np.maximum(others, 1), fewest + 1, 0.5), 1.0)
    return doubled(p, alternative)


def side(positive: Numbers, negative: Numbers, alternative: Alternative) -> Numbers:
    """What must be small for a small p: of two parts that are alike under the null hypothesis."""
    if alternative == "two-sided":
        return np.minimum(positive, negative)
    return negative if alternative == "greater" else positive


def doubled(tail: Numbers, alternative: Alternative) -> Numbers:
    """p from the tail on the side that the alternative looks at."""
    return np.minimum(1.0, 2 * tail) if alternative == "two-sided" else tail
