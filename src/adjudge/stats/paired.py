"""Tests of two columns, row by row, and what they are made of: differences, ranks, p-values, results.

The rules of the whole room live here: which rows count, what is floating-point noise, what ties, and how a result
reads in words. Tests of all pairs of a matrix are in pairs.py; they give the numbers of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, ndtr, stdtr

from adjudge.core.words import counted, p_words
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray, pair
from adjudge.stats.multiple import at_most

Better = Literal["higher", "lower"]
Alternative = Literal["two-sided", "greater", "less"]
"""`greater`: the first of the two, x, is higher."""
Zeros = Literal["wilcox", "pratt"]
"""What the signed-rank test does with differences of 0; see `wilcoxon`."""

TEST_WORDS = {
    "wilcoxon": "paired Wilcoxon",
    "t": "paired t",
    "t-unpaired": "unpaired t",
    "welch": "Welch's unpaired t",
    "sign": "sign test",
    "mc": "random swaps",
    "hb": "hybrid bootstrap",
    "exact": "exact permutation",
}
SAMPLED_WORDS = {"assessors": "mixed model", "these-assessors": "mixed model, these assessors"}
"""Tests of several scores of a topic and system, which are no tests of two vectors."""
TOGETHER_WORDS = {"westfall-young": "random swaps of T^p"}
"""Tests that a correction brings with it."""
# A method that the test's name already says needs no words.
METHOD_WORDS = {"exact": ", exact", "normal": ", normal approximation", "rounded": " of rounded scores"}


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A test of x and y, topic by topic, two-sided unless `alternative` says otherwise.

    `statistic` is signed: positive where x is higher. `n` counts the topics that both have.
    `wins`, `losses` and `ties` count the topics where x is higher than, lower than and equal to
    y, whichever direction is better. Where the test cannot be computed, `why` says why,
    `statistic` and `p` are NaN and `method` is None.
    """

    test: str
    statistic: float = math.nan
    p: float = math.nan
    n: int = 0
    method: str | None = None
    difference: float = math.nan
    wins: int = 0
    losses: int = 0
    ties: int = 0
    why: str | None = None
    alternative: str = "two-sided"
    """greater: whether x is higher was asked; less: whether it is lower."""

    def sentence(
        self, a: str, b: str, better: Better | None = "higher", *, alpha: float = 0.05, correction: str = ""
    ) -> str:
        """The result in words, x being called a and y b.

        The direction comes from the statistic, which is what the test is about. Where the means
        point the other way, the sentence says so. `better=None` is for descriptions, such as a
        word count, where higher is not better: then the sentence says "higher". `correction` names the
        correction for many tests and ends in a space; it is put before the p.
        """
        checks.share("alpha", alpha)
        name = test_words(self.test)
        if self.method is None:
            return f"{a} and {b} cannot be {'compared' if self.n < 2 else 'tested'} ({name}: {self.why})"
        sign = -1 if better == "lower" else 1
        counts = (self.wins, self.losses)[::sign]
        sided = "" if self.alternative == "two-sided" else ", one-sided"
        by = "" if self.method == self.test else METHOD_WORDS.get(self.method, "")
        basis = f"{name}{by}{sided}, {correction}{p_words(self.p, alpha)}, n = {counted(self.n, 'topic')}"
        verb = "wins" if better else "is higher"
        ties = f", tied on {self.ties}" if self.ties else ""
        if self.p > alpha:
            won = f"{a} {verb} on {counts[0]}, {b} on {counts[1]}{ties}"
            if self.alternative == "two-sided":
                return f"{a} and {b} are not significantly different ({basis}; {won})"
            asked = (self.alternative == "greater") == (better != "lower")
            words = ("better", "worse") if better else ("higher", "lower")
            return f"{a} is not shown to be {words[not asked]} than {b} ({basis}; {won})"
        word = "better" if better else "higher"
        first = self.statistic * sign > 0
        winner, loser = (a, b) if first else (b, a)
        won_on, lost_on = counts if first else counts[::-1]
        but = f", but {loser} has the {word} mean" if self.statistic * self.difference < 0 else ""
        won = f"{winner} {verb} on {won_on}, {loser} on {lost_on}{ties}"
        return f"{winner} is {word} than {loser} ({basis}; {won}{but})"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; `resamples` is None where nothing was resampled."""

    low: float
    high: float
    level: float
    method: str
    resamples: int | None = None


def test_words(test: str) -> str:
    """What a test is called in a sentence."""
    return TEST_WORDS.get(test) or SAMPLED_WORDS.get(test) or TOGETHER_WORDS[test]


# Differences: which rows count, what is noise, what ties

NOISE = 1e-12
"""Relative size of floating-point noise: thousands of roundings, far below a real difference."""


@dataclass(frozen=True, slots=True)
class PairDifferences:
    """x - y over the rows where both are present.

    A difference within its noise is 0. `noise` is NOISE times the larger of |x| and |y|: a
    difference inherits the rounding of the scores it came from, however small it is itself.
    """

    values: FloatArray
    noise: FloatArray

    @property
    def n(self) -> int:
        return self.values.size

    @property
    def mean(self) -> float:
        """0 where it is noise, as a difference is: the mean of noises, none of which belong to ties."""
        if not self.n:
            return math.nan
        mean = float(self.values.mean())
        return 0.0 if abs(mean) <= self.noise[self.values != 0].sum() / self.n else mean

    @property
    def wins(self) -> int:
        return int(np.count_nonzero(self.values > 0))

    @property
    def losses(self) -> int:
        return int(np.count_nonzero(self.values < 0))

    @property
    def ties(self) -> int:
        return self.n - int(np.count_nonzero(self.values))

    def all_equal(self) -> bool:
        """Whether the differences are one number, but for noise."""
        return all_equal(self.values, self.noise)


@dataclass(frozen=True, slots=True)
class DifferenceRanks:
    """Ranks of the differences by size, without zeros, doubled so that mid-ranks are whole."""

    doubled: IntArray
    """In ascending order."""
    positive: BoolArray
    """Which of them belong to positive differences."""
    tied: IntArray
    """How many differences share each distinct rank."""


def exponents(values: FloatArray, axis: int | tuple[int, ...]) -> IntArray:
    """The powers of two that numbers along an axis are to be divided by, so that the largest is about 1.

    Squares of what is divided neither overflow nor vanish, and dividing by powers of two rounds nothing.
    """
    largest = np.max(np.abs(np.nan_to_num(values)), axis=axis, initial=0.0, keepdims=True)
    return np.asarray(np.frexp(largest)[1], dtype=np.int64)


def common(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both vectors over the rows where both are present."""
    x, y = pair(x, y)
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def noise_of(x: Any, y: Any) -> FloatArray:
    """How far apart x and y may be and still be equal but for rounding: NOISE of the larger of the two."""
    noise: FloatArray = NOISE * np.maximum(np.abs(x), np.abs(y))
    return noise


def settled(difference: FloatArray, noise: FloatArray) -> FloatArray:
    """The rule for ties, in place: a difference within its noise is 0; NaN stays."""
    difference[np.abs(difference) <= noise] = 0.0
    return difference


def differences(x: npt.ArrayLike, y: npt.ArrayLike) -> PairDifferences:
    """The differences of two vectors on the rows that both have."""
    x, y = common(x, y)
    noise = noise_of(x, y)
    return PairDifferences(settled(x - y, noise), noise)


def all_equal(values: FloatArray, noise: FloatArray) -> bool:
    """Whether values are one number, but for noise."""
    order = np.argsort(values)
    return not steps(values[order], noise[order])[1:].any()


def steps(ordered: FloatArray, noise: FloatArray) -> BoolArray:
    """Where a new value begins in an ascending array: not where it is its neighbour plus noise."""
    starts = np.ones(ordered.size, dtype=np.bool_)
    starts[1:] = np.diff(ordered) > np.maximum(noise[1:], noise[:-1])
    return starts


def rank(d: PairDifferences, *, below: int = 0) -> DifferenceRanks:
    """Mid-ranks of the non-zero differences by absolute value; `below` are ranked before them."""
    kept = np.flatnonzero(d.values)
    kept = kept[np.argsort(np.abs(d.values[kept]), kind="stable")]
    values = d.values[kept]
    first = np.flatnonzero(steps(np.abs(values), d.noise[kept]))
    tied = np.diff(first, append=values.size)
    # Ranks first+1 to first+tied share their mean, first + (tied+1)/2.
    doubled = np.repeat(2 * (first + below) + tied + 1, tied)
    return DifferenceRanks(doubled=doubled.astype(np.int64), positive=values > 0, tied=tied.astype(np.int64))


# p-values, for one pair or for arrays of them. "greater" says that the first of the two is higher, and its p is the
# chance of a statistic at least as large; "less" the other way round; "two-sided" doubles the smaller tail.

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
    """Of two sums with the same null distribution, the one that is small where p is."""
    if alternative == "two-sided":
        return np.minimum(positive, negative)
    return negative if alternative == "greater" else positive


def doubled(tail: Numbers, alternative: Alternative) -> Numbers:
    """p from the tail on the side that the alternative looks at."""
    return np.minimum(1.0, 2 * tail) if alternative == "two-sided" else tail


# The null distribution of the signed-rank sum. Ranks are doubled, so that mid-ranks are whole numbers and ties
# between sums are exact. `positive` is the sum of the doubled ranks of positive differences.

EXACT_UP_TO = 300
"""Ranked differences up to which Wilcoxon is exact: about 5 ms a test there, growing as n^3."""


def exact_p(ranks: IntArray, positive: int, alternative: Alternative = "two-sided") -> float:
    """p when every rank is positive or negative with probability 1/2; `ranks` are doubled and ascend."""
    if not ranks.size:
        return 1.0
    # Without ties all doubled ranks are even; in the smallest units the table is half as long.
    unit = int(np.gcd.reduce(ranks))
    total = int(ranks.sum()) // unit
    sums = positive // unit
    reach = int(side(sums, total - sums, alternative))
    table = _lower_half((ranks // unit).tobytes())
    return float(doubled(_at_most(table, np.array([reach]), total)[0], alternative))


def untied_p(sizes: IntArray, positive: IntArray, alternative: Alternative) -> FloatArray:
    """p of many pairs at once, where the ranks of each are 1 to its size: no ties, no zeros before them.

    One distribution serves all pairs of a size, and that of a larger size grows out of it.
    """
    p = np.ones(sizes.size)
    totals = sizes * (sizes + 1) // 2
    sums = positive // 2
    reach = side(sums, totals - sums, alternative)
    chance = np.zeros(int(totals.max(initial=0)) // 2 + 1)
    chance[0] = 1.0
    wanted = set(sizes.tolist())
    for size in range(1, max(wanted, default=0) + 1):
        total = size * (size + 1) // 2
        _add(chance, size, total)
        if size in wanted:
            here = sizes == size
            p[here] = _at_most(np.cumsum(chance[: total // 2 + 1]), reach[here], total)
    return doubled(p, alternative)  # type: ignore[no-any-return]


def untied_chances(n: int) -> FloatArray:
    """P(V <= s) for the sum V of positive ranks 1 to n, for s up to half of its largest value. Not to be written to."""
    return _lower_half(np.arange(1, n + 1, dtype=np.int64).tobytes())


def normal_p(
    positive: Numbers,
    ranked: Numbers,
    zeros: Numbers,
    cubes: Numbers,
    alternative: Alternative = "two-sided",
) -> Numbers:
    """p by the normal distribution, corrected for ties, zeros and continuity.

    Of the `ranked` differences `zeros` are zero; that is 0 where zeros are left out (Pratt 1959; moments:
    Cureton 1967). `cubes` is the sum of t^3 - t over the groups of t tied non-zero differences.
    """
    n, none = np.asarray(ranked, dtype=np.float64), np.asarray(zeros, dtype=np.float64)
    spread = rank_spread(ranked, zeros, cubes)
    excess = np.asarray(positive, dtype=np.float64) / 2 - (n * (n + 1) - none * (none + 1)) / 4
    if alternative == "two-sided":
        return 2 * ndtr(-np.abs(excess - np.sign(excess) / 2) / spread)
    # The half rank goes against the alternative.
    return ndtr((0.5 - excess if alternative == "greater" else excess + 0.5) / spread)


def rank_spread(ranked: Numbers, zeros: Numbers, cubes: Numbers) -> Numbers:
    """The standard deviation of the sum of positive ranks under the null hypothesis; see `normal_p`."""
    n, none = np.asarray(ranked, dtype=np.float64), np.asarray(zeros, dtype=np.float64)
    fixed = none * (none + 1) * (2 * none + 1)
    return np.sqrt((n * (n + 1) * (2 * n + 1) - fixed - np.asarray(cubes, dtype=np.float64) / 2) / 24)


def exact_cutoff(ranks: IntArray, alpha: float) -> float:
    """The smallest |W| whose two-sided exact p is at most alpha; NaN where none is. `ranks` as for `exact_p`."""
    if not ranks.size:
        return math.nan
    unit = int(np.gcd.reduce(ranks))
    lower = _lower_half((ranks // unit).tobytes())
    within = np.flatnonzero(at_most(2 * lower, alpha))
    # A sum that no choice of signs gives has the chance of the sum before it.
    reached = within[np.diff(lower[within], prepend=0.0) > 0]
    return float(int(ranks.sum()) / 2 - int(reached[-1]) * unit) if reached.size else math.nan


@lru_cache(maxsize=64)
def _lower_half(ranks: bytes) -> FloatArray:
    """P(sum <= s) for s up to half the total; cached, since untied pairs share their ranks.

    The shift algorithm (Streitberg and Röhmel 1986): add one rank at a time, in or out. Sums grow only, so
    the upper half is never needed. All terms are positive: the relative error stays below about n machine
    epsilons, in the far tail too. The same in compiled code: `pair_kernels.lower_tail`.
    """
    weights = np.frombuffer(ranks, dtype=np.int64)
    chance = np.zeros(int(weights.sum()) // 2 + 1)
    chance[0] = 1.0
    total = 0
    for weight in weights.tolist():
        total += weight
        _add(chance, weight, total)
    table: FloatArray = np.cumsum(chance)
    table.flags.writeable = False  # it is shared
    return table


def _add(chance: FloatArray, weight: int, total: int) -> None:
    """One more rank, in or out with probability 1/2; the sums so far reach `total` with it."""
    live = chance[: total + 1]
    live *= 0.5
    live[weight:] += live[:-weight]


def _at_most(lower: FloatArray, reach: IntArray, total: int) -> FloatArray:
    """P(sum <= reach), from the lower half of a distribution that is symmetric about total / 2."""
    rest = total - reach - 1  # sums above reach are as likely as sums up to this
    upper = np.where(rest >= 0, 1 - lower[np.clip(rest, 0, lower.size - 1)], 1.0)
    return np.where(reach < lower.size, lower[np.minimum(reach, lower.size - 1)], upper)


# The tests


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
    paper's formula does. The p-value is exact, with ties and zeros too, where at most `exact_up_to`
    differences are ranked (zeros are ranked too, except under "wilcox"), and normal beyond. Where all differences
    are zero, p is 1.
    """
    check_options(alternative, zeros, exact_up_to)
    d = differences(x, y)
    if d.n < 2:
        return _result("wilcoxon", d, alternative, why=too_few(d.n))
    ranked_zeros = 0 if zeros == "wilcox" else d.ties
    ranks = rank(d, below=ranked_zeros)
    positive = int(ranks.doubled[ranks.positive].sum())
    # W is the positive sum less the negative one; the ranks are doubled.
    w = positive - int(ranks.doubled.sum()) / 2
    ranked = ranks.doubled.size + ranked_zeros
    if not ranks.doubled.size or ranked <= exact_up_to:
        p = exact_p(ranks.doubled, positive, alternative)
        return _result("wilcoxon", d, alternative, statistic=w, p=p, method="exact")
    sizes = ranks.tied.astype(np.float64)
    cubes = float((sizes**3 - sizes).sum())
    p = normal_p(positive, ranked, ranked_zeros, cubes, alternative)
    return _result("wilcoxon", d, alternative, statistic=w, p=float(p), method="normal")


def paired_t(x: npt.ArrayLike, y: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Student's t-test of the differences; the statistic is T^p. Rankel et al. 2011, section 2.

    Where all differences are zero, t is 0 and p is 1 by convention. Where they are all the same
    but not zero, t is undefined.
    """
    check_options(alternative)
    d = differences(x, y)
    if d.n < 2:
        return _result("t", d, alternative, why=too_few(d.n))
    if d.ties == d.n:
        return _result("t", d, alternative, statistic=0.0, p=1.0, method="t")
    if d.all_equal():
        why = f"all {d.n} differences are the same, and t needs them to vary"
        return _result("t", d, alternative, why=why)
    t = math.sqrt(d.n * (d.n - 1)) * (d.mean / _length(d.values - d.mean))
    p = float(student_p(t, d.n - 1, alternative))
    return _result("t", d, alternative, statistic=t, p=p, method="t")


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
        return _result(test, d, alternative, why=too_few(d.n))
    if all_equal(x, NOISE * np.abs(x)) and all_equal(y, NOISE * np.abs(y)):
        if d.ties == d.n:
            return _result(test, d, alternative, statistic=0.0, p=1.0, method="t")
        why = f"each has one score on all {d.n} topics, and t needs them to vary"
        return _result(test, d, alternative, why=why)
    sides = _length(x - x.mean()), _length(y - y.mean())
    t = math.sqrt(d.n * (d.n - 1)) * (d.mean / math.hypot(*sides))
    freedom = 2.0 * d.n - 2 if equal_variances else welch_freedom(d.n, min(sides) / max(sides))
    p = float(student_p(t, freedom, alternative))
    return _result(test, d, alternative, statistic=t, p=p, method="t")


def sign(x: npt.ArrayLike, y: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """The sign test: is x higher on half of the topics? Exact; ties are left out, and counted.

    The statistic is wins less losses. Where all topics tie, p is 1.
    """
    check_options(alternative)
    d = differences(x, y)
    if d.n < 2:
        return _result("sign", d, alternative, why=too_few(d.n))
    p = float(sign_p(d.wins, d.losses, alternative))
    return _result("sign", d, alternative, statistic=float(d.wins - d.losses), p=p, method="exact")


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


def _result(
    test: str,
    d: PairDifferences,
    alternative: Alternative,
    *,
    statistic: float = math.nan,
    p: float = math.nan,
    method: str | None = None,
    why: str | None = None,
) -> PairedTest:
    return PairedTest(
        test=test,
        statistic=statistic,
        p=p,
        n=d.n,
        method=method,
        difference=d.mean,
        wins=d.wins,
        losses=d.losses,
        ties=d.ties,
        why=why,
        alternative=alternative,
    )


def _length(deviations: FloatArray) -> float:
    """The root of the sum of squares, of numbers however small or large."""
    exponent = math.frexp(float(np.abs(deviations).max()))[1]
    scaled = np.ldexp(deviations, -exponent)
    return math.ldexp(math.sqrt(float(np.square(scaled).sum())), exponent)
