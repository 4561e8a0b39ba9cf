"""The statistics that are resampled: what was observed, what counts as reaching it, and quantiles. No draws here.

Resampled values are kept as numbers that are exact and rise with the statistic: sums of whole differences for the
mean, twice the sum of signed ranks for W, twice the median of whole differences, and for T and T^p the share
s|s| / D of `full_squares`. `Observed.shown` turns them into the statistic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtri

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE, Alternative
from adjudge.stats.resampling.quantised import Quantised

Statistic = Literal["mean", "median", "t", "t-unpaired", "w"]
"""Mean difference, median difference, T^p, T (pooled variance), signed-rank sum W. Rankel et al. 2011, section 2."""

Zeros = Literal["wilcox", "pratt"]

RESAMPLES = 2000
SIDES: dict[Alternative, int] = {"two-sided": 0, "greater": 1, "less": -1}
SHARES: tuple[Statistic, ...] = ("t", "t-unpaired")
"""Statistics whose resampled numbers are shares, not whole."""


@dataclass(frozen=True)
class Options:
    """What is resampled, and how often."""

    statistic: Statistic
    resamples: int
    alternative: Alternative
    alpha: float | None
    """Of the cut-off; None where none is asked for, which saves half of the work."""
    zeros: Zeros

    def __post_init__(self) -> None:
        checks.one_of("statistic", self.statistic, get_args(Statistic))
        checks.count("resamples", self.resamples, least=1)
        checks.one_of("alternative", self.alternative, get_args(Alternative))
        if self.alpha is not None:
            checks.share("alpha", self.alpha)
        checks.one_of("zeros", self.zeros, get_args(Zeros))

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
class Observed:
    """Each pair's observed statistic in exact numbers, and what turns such numbers into the statistic."""

    statistic: Statistic
    n: IntArray
    value: FloatArray
    """The sum, doubled W, doubled median or share that resampled ones are held against."""
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

    def expected(self, options: Options) -> tuple[FloatArray, FloatArray]:
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
    """D of the share s|s| / D that rises with T: n Q for T^p, and 2 n A - B^2 for T (see `resampling_sums`).

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


@dataclass(frozen=True)
class Null:
    """The null distribution of one pair's statistic, for figures and quantiles."""

    statistic: float
    """As observed."""
    p: float
    n: int
    values: FloatArray
    """The resampled statistics, ascending and signed; one for every resample."""
    alternative: Alternative
    why: str | None = None

    def quantile(self, q: float) -> float:
        """The smallest t with F(t) >= q, for the distribution of |S| where the test is two-sided, else of S."""
        checks.share("q", q)
        if not self.values.size:
            return math.nan
        values = np.sort(np.abs(self.values)) if self.alternative == "two-sided" else self.values
        return float(values[quantile_place(q, values.size)])

    def cutoff(self, alpha: float = 0.05) -> float:
        """What the statistic must reach, as the paper defines it; for "less", what it must fall to."""
        checks.share("alpha", alpha)
        if self.alternative != "less":
            return self.quantile(1 - alpha)
        mirrored = Null(self.statistic, self.p, self.n, -self.values[::-1], "greater")
        return -mirrored.quantile(1 - alpha)
