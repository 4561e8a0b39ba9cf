"""Are two systems the same, or just not shown to differ? Two one-sided tests (TOST) of all pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from adjudge.core.errors import UsageError
from adjudge.core.words import counted, p_words
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.effects import EffectEstimates, pair_effects
from adjudge.stats.multiple import PROCEDURES, Correction, adjust, at_most
from adjudge.stats.paired import (
    EXACT_UP_TO,
    NOISE,
    TEST_WORDS,
    Alternative,
    normal_p,
    settled,
    untied_chances,
)
from adjudge.stats.pairs import Moments, PairBlock, PairCounts, blocks, moments, tail_room

EquivalenceTest = Literal["t", "wilcoxon"]
Verdict = Literal["the same", "different", "different, but within the margin", "undecided"]


NOT_ASKED = "this pair was not asked for"

_OVER: dict[Correction, str] = {
    "none": "",
    "bonferroni": "Bonferroni over",
    "holm": "Holm over",
    "bh": "Benjamini-Hochberg over",
}


@dataclass(frozen=True, slots=True)
class PairEquivalence:
    """One pair's answers. Where the tests cannot be computed, the p-values are NaN and `why` says why."""

    test: EquivalenceTest
    margin: float
    alpha: float
    n: int
    p_same: float
    """Corrected, as is `p_different`."""
    p_different: float
    verdict: Verdict
    correction: str = ""
    """What the p-values are corrected over: Holm over 66 pairs."""
    why: str | None = None

    def sentence(self, a: str, b: str) -> str:
        """What the tests say of the first, called a, and the second, called b."""
        name, margin = TEST_WORDS[self.test], f"±{self.margin:g}"
        if self.why is not None:
            return f"Whether {a} and {b} are the same within {margin} is undecided ({name}: {self.why})"
        answer = {
            "the same": f"are the same within {margin}",
            "different": "are different",
            "different, but within the margin": f"are different, but within {margin}",
            "undecided": f"may be the same within {margin} or different: neither is shown",
        }[self.verdict]
        same, different = p_words(self.p_same, self.alpha), p_words(self.p_different, self.alpha)
        basis = f"{name}, {self.correction}" if self.correction else name
        topics = counted(self.n, "topic")
        return f"{a} and {b} {answer} ({basis}, the same: {same}, different: {different}, n = {topics})"


@dataclass(frozen=True)
class Equivalence:
    """The answers for all pairs, in the order of `itertools.combinations`; NaN for pairs outside of the family."""

    values: FloatArray
    test: EquivalenceTest
    margin: float
    alpha: float
    correct: Correction
    counts: PairCounts
    family: BoolArray
    """Which pairs were asked for: p-values are corrected over these."""
    p_low: FloatArray
    """That the first is lower by the margin or more."""
    p_high: FloatArray
    """That the first is higher by the margin or more."""
    p_different: FloatArray
    """That they do not differ: the usual two-sided test."""
    smallest: FloatArray
    """No smaller p of equivalence could have been had, whatever the signs of the moved differences."""
    why: dict[int, str]
    signature: str

    def __len__(self) -> int:
        return self.p_low.size

    @property
    def p_same(self) -> FloatArray:
        """The p of equivalence: both one-sided tests must succeed, so it is the larger of theirs."""
        return np.maximum(self.p_low, self.p_high)

    @cached_property
    def same_adjusted(self) -> FloatArray:
        """The p of equivalence, corrected over the family."""
        return adjust(self.p_same, self.correct)

    @cached_property
    def different_adjusted(self) -> FloatArray:
        """The p of no difference, corrected over the family."""
        return adjust(self.p_different, self.correct)

    @property
    def equivalent(self) -> BoolArray:
        """Which pairs are shown to be the same within the margin, whether or not they also differ."""
        return at_most(self.same_adjusted, self.alpha)

    @property
    def out_of_reach(self) -> BoolArray:
        """Which of the tested pairs could not have been shown to be the same: too few topics for so many pairs."""
        equivalent = self.equivalent
        tested = ~np.isnan(self.p_same)
        procedure, left = PROCEDURES[self.correct], 1  # of those that keep a share, all may be found together
        if procedure.keeps == "any":
            left = int((tested & ~equivalent).sum()) if procedure.steps else int(tested.sum())
        return np.asarray(tested & ~equivalent & ~at_most(self.smallest * left, self.alpha))

    @cached_property
    def verdict(self) -> tuple[Verdict, ...]:
        """The answer for every pair, from the corrected p-values."""
        return verdicts(self.different_adjusted, self.same_adjusted, self.alpha)

    @cached_property
    def interval(self) -> EffectEstimates:
        """The difference with its interval of level 1 - 2 alpha, each pair by itself.

        Without a correction a pair is equivalent where this lies inside the margin.
        """
        effects = pair_effects(self.values, level=1 - 2 * self.alpha)
        return effects.mean if self.test == "t" else effects.hodges_lehmann

    def at(self, k: int) -> PairEquivalence:
        """The k-th pair's answers."""
        tests = int(np.count_nonzero(~np.isnan(self.p_low)))
        over = f"{_OVER[self.correct]} {counted(tests, 'pair')}"
        return PairEquivalence(
            test=self.test,
            margin=self.margin,
            alpha=self.alpha,
            n=int(self.counts.n[k]),
            p_same=float(self.same_adjusted[k]),
            p_different=float(self.different_adjusted[k]),
            verdict=self.verdict[k],
            correction=over if self.correct != "none" and tests > 1 else "",
            why=self.why.get(k) if self.family[k] else NOT_ASKED,
        )


def equivalence_pairs(
    values: npt.ArrayLike,
    *,
    margin: float,
    test: EquivalenceTest = "t",
    alpha: float = 0.05,
    exact_up_to: int = EXACT_UP_TO,
    family: npt.ArrayLike | None = None,
    correct: Correction = "holm",
) -> Equivalence:
    """Two one-sided tests of every two columns: is the difference inside ±margin? Schuirmann 1987.

    The margin is in units of the scores, and is what counts as no difference in practice: it is chosen before the
    scores are seen. "t" is about the mean difference, "wilcoxon" about its Hodges-Lehmann counterpart, the centre
    of symmetric differences, exact where at most `exact_up_to` are ranked. Both one-sided tests are made at
    alpha, so "the same" at .05 means that the 90 % interval lies inside the margin. The two-sided test of no
    difference is made too.

    Only the pairs of `family` are tested, a truth value per pair; without it, all. `correct` corrects the p-values of
    equivalence over these pairs, and those of no difference as another family of as many tests.
    """
    matrix = checks.numbers("values", values, dimensions=2).copy()  # the interval is computed later
    checks.one_of("test", test, get_args(EquivalenceTest))
    checks.one_of("correct", correct, tuple(PROCEDURES))
    checks.share("alpha", alpha)
    checks.count("exact_up_to", exact_up_to, least=0)
    if not 0 < margin < math.inf:
        raise UsageError(f"margin: expected a number above 0, got {margin!r}")
    m = moments(matrix)
    asked = checks.family(family, len(m))
    unknown = m.counts.n < 2
    if test == "t":
        unknown |= m.constant
    tested = asked & ~unknown
    p = np.full((4, len(m)), np.nan)
    p[:, tested] = (
        _t(m, margin)[:, tested] if test == "t" else _wilcoxon(m, matrix, margin, exact_up_to, tested)
    )
    low, high, different, smallest = p
    exact = f"|exact<={exact_up_to}" if test == "wilcoxon" else ""
    over = f"|correct:{correct}|pairs:{int(asked.sum())}"
    return Equivalence(
        values=matrix,
        test=test,
        margin=margin,
        alpha=alpha,
        correct=correct,
        counts=m.counts,
        family=asked,
        p_low=low,
        p_high=high,
        p_different=different,
        smallest=smallest,
        why={k: m.without_spread(k) for k in np.flatnonzero(asked & unknown).tolist()},
        signature=f"tost|{test}|margin:{margin:g}|alpha:{alpha:g}{exact}{over}",
    )


def verdicts(p_different: npt.ArrayLike, p_same: npt.ArrayLike, alpha: float = 0.05) -> tuple[Verdict, ...]:
    """The answer for every pair from its two p-values, corrected for many tests or not; NaN is no evidence."""
    checks.share("alpha", alpha)
    differ = at_most(checks.probabilities("p_different", p_different), alpha)
    alike = at_most(checks.probabilities("p_same", p_same), alpha)
    if differ.size != alike.size:
        raise UsageError(f"p_different and p_same: expected one length, got {differ.size} and {alike.size}")
    words: dict[tuple[bool, bool], Verdict] = {
        (False, False): "undecided",
        (False, True): "the same",
        (True, False): "different",
        (True, True): "different, but within the margin",
    }
    return tuple(words[two] for two in zip(differ.tolist(), alike.tolist(), strict=True))


def _t(m: Moments, margin: float) -> FloatArray:
    """The p-values of the mean being at most -margin, at least margin, and 0, by Student's t; and the smallest, 0."""
    mean, f = m.counts.difference, m.counts.n - 1.0
    with np.errstate(
        divide="ignore", invalid="ignore", over="ignore"
    ):  # infinitely many errors away: p is 0 or 1
        error = m.sd / np.sqrt(m.counts.n)
        p = [
            stdtr(f, -(mean + margin) / error),
            stdtr(f, (mean - margin) / error),
            2 * stdtr(f, -np.abs(mean) / error),
            np.zeros_like(mean),
        ]
    return np.array(p)


def _wilcoxon(
    m: Moments, matrix: FloatArray, margin: float, exact_up_to: int, tested: BoolArray
) -> FloatArray:
    """The same of the centre of symmetry, by signed ranks of the differences moved up, moved down and unmoved."""
    p = np.full((4, len(m)), np.nan)
    for block in blocks(matrix, m.counts.first, m.counts.second, np.flatnonzero(tested)):
        at = block.positions
        up = signed_rank_p(block, margin, exact_up_to=exact_up_to)
        down = signed_rank_p(block, -margin, exact_up_to=exact_up_to)
        p[0, at], p[1, at] = up.greater, down.less
        # The smallest p of n signs is 2^-n, by the exact distribution.
        ranked = np.minimum(up.ranked, down.ranked)
        p[3, at] = np.where(ranked <= exact_up_to, np.exp2(-ranked.astype(np.float64)), 0.0)
        p[2, at] = signed_rank_p(block, 0.0, exact_up_to=exact_up_to).two_sided
    return p[:, tested]


@dataclass(frozen=True, slots=True)
class SignedRank:
    """p-values of the Wilcoxon signed-rank test; zeros are left out, and where nothing is left p is 1."""

    greater: FloatArray
    less: FloatArray
    two_sided: FloatArray
    ranked: IntArray
    """How many differences are not 0."""


def signed_rank_p(block: PairBlock, shift: float, *, exact_up_to: int) -> SignedRank:
    """The test of differences + shift: exact up to so many that are not 0, with ties too, and normal beyond."""
    from adjudge.stats.pair_kernels import rank_moved

    rows, width = block.values.shape
    moved, noise = block.values + shift, block.noise + NOISE * abs(shift)
    settled(moved, noise)
    moved[~block.present] = 0.0
    ranked: IntArray = np.count_nonzero(moved, axis=1)
    order = np.argsort(np.where(moved == 0, np.inf, np.abs(moved)), axis=1)  # what is ranked comes first
    moved, noise = np.take_along_axis(moved, order, axis=1), np.take_along_axis(noise, order, axis=1)
    positive, ties = np.zeros(rows, dtype=np.int64), np.zeros(rows)
    below, upto = tails = np.full((2, rows), np.nan)
    room = tail_room(min(width, exact_up_to), width)
    what = moved.ravel(), noise.ravel(), rows, width, ranked, exact_up_to
    rank_moved(*what, positive, ties, tails.ravel(), *room)
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
    sides: tuple[tuple[FloatArray, Alternative], ...]
    sides = ((greater, "greater"), (less, "less"), (two_sided, "two-sided"))
    for p, alternative in sides:
        p[rows] = normal_p(positive[rows], ranked[rows], 0, ties[rows], alternative)
    return SignedRank(greater, less, two_sided, ranked)
