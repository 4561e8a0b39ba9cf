"""How large the differences of all pairs are, with intervals. Whether they are significant is said elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.effect_intervals import (
    hedges_factor,
    standardised_limits,
    superiority_limits,
    t_limits,
    walsh_ranks,
)
from adjudge.stats.pairs import Moments, PairCounts, blocks, moments
from adjudge.wording import counted

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["mean", "standardised", "hodges_lehmann", "superiority"]

KINDS: tuple[Kind, ...] = get_args(Kind)
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
            interval = f"{100 * self.level:g} % interval {self.low:.3g} to {self.high:.3g}, {self.method}"
        basis = f"({interval}; n = {counted(self.n, 'topic')})"
        if self.kind == "superiority":
            return f"{a} is higher than {b} on a topic with probability {self.estimate:.3g} {basis}"
        unit = " standard deviations" if self.kind == "standardised" else ""
        way = "higher" if self.estimate >= 0 else "lower"
        tail = " by the Hodges-Lehmann estimate" if self.kind == "hodges_lehmann" else " on average"
        return f"{a} is {abs(self.estimate):.3g}{unit} {way} than {b}{tail} {basis}"


@dataclass(frozen=True)
class Estimates:
    """One kind of effect of all pairs. What cannot be had is NaN, and `why` says why, by the pair's position."""

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
    def mean(self) -> Estimates:
        """The mean difference, with Student's interval."""
        m = self.moments
        low, high = t_limits(m.counts.difference, m.sd, m.counts.n, self.level)
        return _varying("mean", m, m.counts.difference, low, high, "t")

    @cached_property
    def standardised(self) -> Estimates:
        """The mean difference in standard deviations of the differences, d_z, with the noncentral t interval."""
        m = self.moments
        ratio = np.divide(m.counts.difference, m.sd, out=np.full(len(m), np.nan), where=m.sd > 0)
        low, high = standardised_limits(ratio, m.counts.n, self.level)
        if not self.hedges:
            return _varying("standardised", m, ratio, low, high, "noncentral t")
        # The interval is about the true value, whichever way that is estimated.
        found = _varying(
            "standardised", m, hedges_factor(m.counts.n) * ratio, low, high, "noncentral t, Hedges"
        )
        two = np.flatnonzero((m.counts.n == 2) & ~m.constant).tolist()
        return replace(
            found, why=found.why | dict.fromkeys(two, "Hedges' correction needs three topics, has 2")
        )

    @cached_property
    def hodges_lehmann(self) -> Estimates:
        """The median of the averages of two differences, with the signed-rank interval. Hodges and Lehmann 1963."""
        from adjudge.stats.pair_kernels import hodges_lehmann

        c = self.counts
        ranks = walsh_ranks(c.n, self.level)
        found = np.full((3, len(c)), np.nan)
        for block in blocks(self.values, c.first, c.second, np.arange(len(c))):
            at = block.positions
            found[:, at] = hodges_lehmann(np.sort(block.values, axis=1), c.n[at], ranks[at])
        why = _without_topics(c.n)
        for k in np.flatnonzero((ranks == 0) & (c.n > 0)).tolist():
            why[k] = (
                f"{counted(int(c.n[k]), 'topic')} cannot give a {100 * self.level:g} % signed-rank interval"
            )
        return Estimates("hodges_lehmann", found[0], found[1], found[2], "signed rank", why)

    @cached_property
    def superiority(self) -> Estimates:
        """The share of topics on which the first is higher, ties counting half, with Tango's score interval."""
        c = self.counts
        estimate = np.divide(c.wins + c.ties / 2, c.n, out=np.full(len(c), np.nan), where=c.n > 0)
        low, high = superiority_limits(c.wins, c.losses, c.n, self.level)
        return Estimates("superiority", estimate, low, high, "score", _without_topics(c.n))

    def of(self, kind: Kind) -> Estimates:
        """The effects of one kind, by its name."""
        checks.one_of("kind", kind, KINDS)
        found: Estimates = getattr(self, kind)
        return found

    def at(self, k: int, kind: Kind = "mean") -> Effect:
        """One effect of the k-th pair."""
        e = self.of(kind)
        return Effect(
            kind,
            float(e.estimate[k]),
            float(e.low[k]),
            float(e.high[k]),
            self.level,
            e.method,
            int(self.counts.n[k]),
            e.why.get(k),
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
    return PairEffects(matrix, moments(matrix), level, hedges)


def bootstrap_differences(
    values: npt.ArrayLike, *, rng: np.random.Generator, resamples: int = 2000, level: float = 0.95
) -> Estimates:
    """The mean differences of all pairs with percentile intervals, topics being drawn with replacement."""
    from adjudge.stats.effect_bootstrap import bootstrap_limits

    matrix = checks.numbers("values", values, dimensions=2)
    checks.count("resamples", resamples, least=1)
    checks.share("level", level)
    m = moments(matrix)
    c = m.counts
    low, high = bootstrap_limits(matrix, c.first, c.second, rng=rng, resamples=resamples, level=level)
    return _varying("mean", m, c.difference, low, high, f"percentile bootstrap of {resamples}")


def _varying(
    kind: Kind, m: Moments, estimate: FloatArray, low: FloatArray, high: FloatArray, method: str
) -> Estimates:
    """Estimates whose interval needs differences that vary: none where they do not."""
    unknown = m.constant | (m.counts.n < 2)
    why = {k: m.without_spread(k) for k in np.flatnonzero(unknown).tolist()}
    return Estimates(
        kind, estimate, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high), method, why
    )


def _without_topics(n: IntArray) -> dict[int, str]:
    return dict.fromkeys(np.flatnonzero(n == 0).tolist(), "needs a topic that both have, has none")
