"""How large the differences of all pairs are: effect sizes with confidence intervals.

Mean difference, standardised difference, Hodges-Lehmann estimate and probability of superiority.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, gammaln, nctdtr, ndtri, stdtrit

from adjudge.core.words import counted
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import settled, untied_chances
from adjudge.stats.pairs import Moments, PairCounts, blocks, moments, without_noise

if TYPE_CHECKING:
    import pandas as pd


Kind = Literal["mean", "standardised", "hodges_lehmann", "superiority"]

KINDS: tuple[Kind, ...] = get_args(Kind)
UNFIT = "the differences are too small or too large for floating-point numbers"
_NOUNS: dict[Kind, str] = {
    "mean": "mean difference",
    "standardised": "standardised difference",
    "hodges_lehmann": "Hodges-Lehmann estimate",
    "superiority": "probability of superiority",
}


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of one pair: positive, or above 1/2 for a probability, where the first is higher."""

    kind: Kind
    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int
    why: str | None = None

    def sentence(self, a: str, b: str) -> str:
        """What it says of the first, called a, and the second, called b; not which of them is better."""
        if math.isnan(self.estimate):
            return f"{a} and {b}: no {_NOUNS[self.kind]} ({self.why})"
        if math.isnan(self.low):
            interval = f"no interval: {self.why}"
        else:
            interval = f"{100 * self.level:g} % interval {self.low:z.3g} to {self.high:z.3g}, {self.method}"
        basis = f"({interval}; n = {counted(self.n, 'topic')})"
        if self.kind == "superiority":
            return f"{a} is higher than {b} on a topic with probability {self.estimate:.3g} {basis}"
        unit = " standard deviations" if self.kind == "standardised" else ""
        way = "higher" if self.estimate >= 0 else "lower"
        tail = " by the Hodges-Lehmann estimate" if self.kind == "hodges_lehmann" else " on average"
        return f"{a} is {abs(self.estimate):.3g}{unit} {way} than {b}{tail} {basis}"


@dataclass(frozen=True)
class EffectEstimates:
    """One kind of effect of all pairs. What cannot be computed is NaN, and `why` says why, by the pair's position."""

    kind: Kind
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    method: str
    """What the interval rests on."""
    why: dict[int, str]


@dataclass(frozen=True)
class PairEffects:
    """The effects of all pairs, in the order of `itertools.combinations`; each kind is computed when asked for."""

    values: FloatArray
    moments: Moments
    level: float
    hedges: bool

    def __len__(self) -> int:
        return len(self.moments)

    @property
    def counts(self) -> PairCounts:
        """On how many topics both are, who wins, and the mean difference."""
        return self.moments.counts

    @cached_property
    def mean(self) -> EffectEstimates:
        """The mean difference, with Student's interval."""
        m = self.moments
        low, high = t_limits(m.counts.difference, m.sd, m.counts.n, self.level)
        return _varying("mean", m, m.counts.difference, low, high, "t", noise=m.noise)

    @cached_property
    def standardised(self) -> EffectEstimates:
        """The mean difference in standard deviations of the differences, d_z, with the noncentral t interval."""
        m = self.moments
        ratio = np.divide(m.counts.difference, m.sd, out=np.full(len(m), np.nan), where=m.sd > 0)
        low, high = standardised_limits(ratio, m.counts.n, self.level)
        if not self.hedges:
            return _varying("standardised", m, ratio, low, high, "noncentral t")
        # The interval is about the true value, whichever way that is estimated.
        estimates = _varying(
            "standardised", m, hedges_factor(m.counts.n) * ratio, low, high, "noncentral t, Hedges"
        )
        two = np.flatnonzero((m.counts.n == 2) & ~m.constant).tolist()
        return replace(
            estimates, why=estimates.why | dict.fromkeys(two, "Hedges' correction needs three topics, has 2")
        )

    @cached_property
    def hodges_lehmann(self) -> EffectEstimates:
        """The median of the averages of two differences, with the signed-rank interval. Hodges and Lehmann 1963."""
        c = self.counts
        ranks = walsh_ranks(c.n, self.level)
        estimates = np.full((3, len(c)), np.nan)
        for block in blocks(self.values, c.first, c.second, np.arange(len(c))):
            at = block.positions
            averages = walsh_averages(without_noise(block), c.n[at], ranks[at])
            # Two differences of other sizes may cancel but for noise too: 1 - 2/3 and -1/3.
            averages[np.abs(averages) <= block.noise.max(axis=1, initial=0.0)] = 0.0
            estimates[:, at] = averages
        why = _without_topics(c.n)
        for k in np.flatnonzero((ranks == 0) & (c.n > 0)).tolist():
            why[k] = (
                f"{counted(int(c.n[k]), 'topic')} cannot give a {100 * self.level:g} % signed-rank interval"
            )
        return EffectEstimates(
            kind="hodges_lehmann",
            estimate=estimates[0],
            low=estimates[1],
            high=estimates[2],
            method="signed rank",
            why=why,
        )

    @cached_property
    def superiority(self) -> EffectEstimates:
        """The share of topics on which the first is higher, ties counting half, with Tango's score interval."""
        c = self.counts
        estimate = np.divide(c.wins + c.ties / 2, c.n, out=np.full(len(c), np.nan), where=c.n > 0)
        low, high = superiority_limits(c.wins, c.losses, c.n, self.level)
        return EffectEstimates(
            kind="superiority",
            estimate=estimate,
            low=low,
            high=high,
            method="score",
            why=_without_topics(c.n),
        )

    def of(self, kind: Kind) -> EffectEstimates:
        """The effects of one kind, by its name."""
        checks.one_of("kind", kind, KINDS)
        estimates: EffectEstimates = getattr(self, kind)
        return estimates

    def at(self, k: int, kind: Kind = "mean") -> Effect:
        """One effect of the k-th pair."""
        e = self.of(kind)
        return Effect(
            kind=kind,
            estimate=float(e.estimate[k]),
            low=float(e.low[k]),
            high=float(e.high[k]),
            level=self.level,
            method=e.method,
            n=int(self.counts.n[k]),
            why=e.why.get(k),
        )

    @property
    def signature(self) -> str:
        d = "g" if self.hedges else "d"
        return f"effects|level:{self.level:g}|mean:t|standardised:{d}z:noncentral-t|hl:signed-rank|superiority:tango"

    def to_frame(self) -> pd.DataFrame:
        """A row per pair: its columns, counts, and each effect with its interval."""
        import pandas as pd

        c = self.counts
        columns = {
            "first": c.first,
            "second": c.second,
            "n": c.n,
            "wins": c.wins,
            "losses": c.losses,
            "ties": c.ties,
        }
        effects: dict[str, FloatArray] = {}
        for kind in KINDS:
            e = self.of(kind)
            effects |= {kind: e.estimate, f"{kind}_low": e.low, f"{kind}_high": e.high}
        return pd.DataFrame(columns | effects)


def pair_effects(values: npt.ArrayLike, *, level: float = 0.95, hedges: bool = False) -> PairEffects:
    """Effect sizes of every two columns i < j of a matrix, over the topics that both have, with intervals.

    `hedges` corrects the standardised difference for its bias (Hedges 1981).
    """
    # A copy, since some is computed later.
    matrix = checks.numbers("values", values, dimensions=2).copy()
    checks.share("level", level)
    return PairEffects(values=matrix, moments=moments(matrix), level=level, hedges=hedges)


def _varying(
    kind: Kind,
    m: Moments,
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    method: str,
    *,
    noise: FloatArray | None = None,
) -> EffectEstimates:
    """Estimates whose interval needs differences that vary: none where they do not. A limit within `noise` is 0."""
    unknown = m.constant | (m.counts.n < 2)
    why = {k: m.without_spread(k) for k in np.flatnonzero(unknown).tolist()}
    unfit = ~unknown & ~(np.isfinite(low) & np.isfinite(high))
    why |= dict.fromkeys(np.flatnonzero(unfit).tolist(), UNFIT)
    low, high = (np.where(unknown | unfit, np.nan, limit) for limit in (low, high))
    if noise is not None:
        low, high = settled(low, noise), settled(high, noise)
    return EffectEstimates(kind=kind, estimate=estimate, low=low, high=high, method=method, why=why)


def _without_topics(n: IntArray) -> dict[int, str]:
    return dict.fromkeys(np.flatnonzero(n == 0).tolist(), "needs a topic that both have, has none")


# Confidence limits from what is known of each pair: n, mean, standard deviation, wins

EXACT_UP_TO = 300
"""Topics up to which the rank of a Hodges-Lehmann limit comes from the exact distribution."""

Limits = tuple[FloatArray, FloatArray]


def t_limits(mean: FloatArray, sd: FloatArray, n: IntArray, level: float) -> Limits:
    """Student's interval of a mean: mean -+ t(n - 1) sd / sqrt(n)."""
    with np.errstate(over="ignore"):
        half = stdtrit(n - 1.0, (1 + level) / 2) * sd / np.sqrt(n)
        return mean - half, mean + half


def hedges_factor(n: IntArray) -> FloatArray:
    """What makes mean / sd unbiased for normal differences: Gamma(f/2) / (sqrt(f/2) Gamma((f-1)/2)), f = n - 1.

    Hedges 1981. NaN below three topics, where there is no unbiased estimate.
    """
    f = np.where(n > 2, n - 1.0, np.nan)
    factor: FloatArray = np.exp(gammaln(f / 2) - gammaln((f - 1) / 2)) / np.sqrt(f / 2)
    return factor


def standardised_limits(ratio: FloatArray, n: IntArray, level: float) -> Limits:
    """The interval of a standardised mean from mean / sd, for normal differences. Steiger and Fouladi 1997.

    sqrt(n) mean / sd has a noncentral t distribution whose noncentrality is sqrt(n) times the true value. The limits
    are the values under which what was observed is just as far out as (1 - level) / 2.
    """
    t, tail = np.sqrt(n) * ratio, (1 - level) / 2
    f = (n - 1).astype(np.float64)
    # The distribution turned round belongs to the noncentrality turned round.
    inner, outer = noncentrality(np.abs(t), f, 1 - tail), noncentrality(np.abs(t), f, tail)
    low, high = np.where(t < 0, -outer, inner), np.where(t < 0, -inner, outer)
    return low / np.sqrt(n), high / np.sqrt(n)


def superiority_limits(wins: IntArray, losses: IntArray, n: IntArray, level: float) -> Limits:
    """The interval of P(first higher) + P(tie) / 2: the score interval of Tango 1998 for paired proportions.

    Wins and losses are the two ways in which paired answers disagree, and (1 + wins share - losses share) / 2 is
    the probability. Without ties this is Wilson's interval.
    """
    # Pairs share few counts.
    base = int(n.max(initial=0)) + 1
    keys, which = np.unique((n * base + wins) * base + losses, return_inverse=True)
    (n, wins), losses = np.divmod(keys // base, base), keys % base
    low = _tango_low(wins, losses, n, level)
    high = -_tango_low(losses, wins, n, level)
    return (1 + low[which]) / 2, (1 + high[which]) / 2


def walsh_ranks(n: IntArray, level: float) -> IntArray:
    """Which Walsh average, from below and from above, limits the Hodges-Lehmann interval; 0 where none can.

    It is the number of values at which the signed-rank sum has at most (1 - level) / 2 below or at it (Hollander and
    Wolfe 1999, chapter 3): exact up to EXACT_UP_TO topics, normal with a correction for continuity beyond.
    """
    ranks = np.zeros(n.size, dtype=np.int64)
    for size in np.unique(n).tolist():
        ranks[n == size] = _walsh_rank(size, level)
    return ranks


def walsh_averages(differences: FloatArray, n: IntArray, ranks: IntArray) -> FloatArray:
    """Of every row, the median of its Walsh averages and those of rank `ranks` from below and from above.

    A row has n differences, and NaN. NaN where n is 0; NaN for the limits where the rank is 0.
    """
    from adjudge.stats.pair_kernels import FEW, hodges_lehmann

    rows, width = differences.shape
    averages = np.full((3, rows), np.nan)
    low, high, below, upto = np.empty((4, width), dtype=np.int64)
    rest = np.empty(max(width, FEW))
    ordered = np.sort(differences, axis=1).ravel()
    hodges_lehmann(ordered, rows, width, n, ranks, low, high, below, upto, rest, averages.ravel())
    return averages


def _walsh_rank(n: int, level: float) -> int:
    tail = (1 - level) / 2
    # Levels such as .95 are not floating-point numbers; a chance that is the tail but for that is not above it.
    tail *= 1 + 1e-12
    if n > EXACT_UP_TO:
        mean, variance = n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24
        return int(mean + 0.5 + ndtri(tail) * np.sqrt(variance))
    return int(np.count_nonzero(untied_chances(n) <= tail))


def _tango_low(wins: IntArray, losses: IntArray, n: IntArray, level: float) -> FloatArray:
    """The lower limit of the difference of the shares of wins and losses, by halving."""
    z = ndtri((1 + level) / 2)
    observed = (wins - losses) / np.maximum(n, 1)
    low, high = np.full(n.size, -1.0), observed.astype(np.float64)
    for _ in range(60):
        middle = (low + high) / 2
        beyond = _tango_score(wins, losses, n, middle) > z
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return np.where(n > 0, low, np.nan)


def _tango_score(wins: IntArray, losses: IntArray, n: IntArray, difference: FloatArray) -> FloatArray:
    """How many standard errors wins - losses is above n times a difference, under the likeliest share of losses."""
    a = 2.0 * n
    b = (2 * n - wins + losses) * difference - wins - losses
    c = -losses * difference * (1 - difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (np.sqrt(np.maximum(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
        variance = n * np.maximum(2 * share + difference * (1 - difference), 0.0)
        excess: FloatArray = wins - losses - n * difference
        return np.where(excess > 0, excess / np.sqrt(variance), 0.0)


# Limits of the noncentrality of a noncentral t distribution

LARGE = 1000.0
"""From this t on SciPy's distribution takes long, and a sum over the normal part is as exact."""
STEPS = 200
"""More than are ever needed: most pairs are done after six."""
KNOTS = np.linspace(0.0, 20.0, 2561)
"""Values of t between which the noncentrality is interpolated where more pairs than these need it."""


def noncentrality(t: FloatArray, f: FloatArray, chance: float) -> FloatArray:
    """The noncentrality under which a noncentral t with f degrees of freedom is at most t >= 0 with this chance.

    NaN where t or f is NaN. For many t's with the same f it is a smooth curve, computed at KNOTS.
    """
    values = np.full(t.size, np.nan)
    target = float(ndtri(chance))
    alone = ~np.isnan(t + f)
    freedom, which = np.unique(f, return_inverse=True)
    many = np.bincount(which[alone & (t <= KNOTS[-1])], minlength=freedom.size) > KNOTS.size
    for k in np.flatnonzero(many):
        at = np.flatnonzero(alone & (which == k) & (t <= KNOTS[-1]))
        curve = _solve(KNOTS, np.full(KNOTS.size, freedom[k]), target)
        values[at] = _between_knots(t[at], curve)
        alone[at] = False
    values[alone] = _solve(t[alone], f[alone], target)
    return values


def _between_knots(t: FloatArray, curve: FloatArray) -> FloatArray:
    """The cubic through the four knots nearest to each t, by Neville's scheme."""
    step = KNOTS[1]
    start = np.clip((t / step).astype(np.int64) - 1, 0, KNOTS.size - 4)
    x = t / step - start
    values = [curve[start + k] for k in range(4)]
    for order in range(1, 4):
        values = [((x - k) * values[k + 1] + (k + order - x) * values[k]) / order for k in range(4 - order)]
    return np.asarray(values[0])


def _solve(t: FloatArray, f: FloatArray, target: float) -> FloatArray:
    """Where the normal quantile of the chance meets the target; in the noncentrality it is nearly a falling line.

    The line through the last two points says where to look next; where that is outside of what is still
    possible, the middle does.
    """
    step = np.sqrt(1 + t * t / (2 * f))
    ends = []
    for side in (-1.0, 1.0):
        end, reach = t - (target - side) * step, step.copy()
        left = np.arange(t.size)
        for _ in range(STEPS):
            left = left[side * (_quantile(t[left], f[left], end[left]) - target) > 0]
            if not left.size:
                break
            reach[left] *= 2
            end[left] += side * reach[left]
        ends.append(end)
    low, high = ends[0], ends[1]
    last, x = low.copy(), t - target * step
    above = _quantile(t, f, last) - target
    left = np.arange(t.size)
    for _ in range(STEPS):
        now = x[left]
        y = _quantile(t[left], f[left], now) - target
        low[left], high[left] = np.where(y >= 0, now, low[left]), np.where(y <= 0, now, high[left])
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = now - y * (now - last[left]) / (y - above[left])
        inside = (guess > low[left]) & (guess < high[left])
        x[left] = np.where(inside, guess, (low[left] + high[left]) / 2)
        last[left], above[left] = now, y
        left = left[np.abs(x[left] - now) > 1e-13 * (step[left] + np.abs(now))]
        if not left.size:
            break
    return x


def _quantile(t: FloatArray, f: FloatArray, noncentral: FloatArray) -> FloatArray:
    """The normal quantile of P(T <= t)."""
    chance = np.empty(t.size)
    large = t > LARGE
    chance[~large] = nctdtr(f[~large], noncentral[~large], t[~large])
    chance[large] = _large(t[large], f[large], noncentral[large])
    # SciPy has NaN where the chance is 0 or 1 to the last digit.
    chance = np.where(np.isnan(chance), np.where(noncentral < t, 1.0, 0.0), chance)
    quantile: FloatArray = ndtri(np.clip(chance, 1e-300, 1 - 1e-16))
    return quantile


def _large(t: FloatArray, f: FloatArray, noncentral: FloatArray) -> FloatArray:
    """P(T <= t) for large t. With z normal and f s^2 chi-square T is (z + noncentral) / s.

    It is at most t where s is at least (z + noncentral) / t. The mean over z is a sum over a grid, which is as good
    as exact for a smooth function with such tails.
    """
    z = np.linspace(-9, 9, 721)
    weight = np.exp(-z * z / 2)
    s = np.maximum(z + noncentral[:, None], 0.0) / t[:, None]
    mean: FloatArray = gammaincc(f[:, None] / 2, f[:, None] / 2 * s * s) @ (weight / weight.sum())
    return mean
