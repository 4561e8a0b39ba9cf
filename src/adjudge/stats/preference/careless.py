"""Signs that assessors may not have read what they judged: counts, tests, warnings.

Each assessor is asked: is one side preferred whatever it shows; do the answers agree with what the others' answers
say; are planted checks answered right; are own answers repeated when a pair comes again the other way round; was there
time to read. A warning is a reason to look, not a verdict: small numbers never give one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import DataError, UsageError
from adjudge.stats.multiple import holm
from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.bradley_terry import Strengths, fit
from adjudge.stats.preference.next_pair import Pair

Code = Literal["one-sided", "random", "reversed", "failed-checks", "inconsistent", "ties", "too-fast"]
FAMILIES: tuple[Code, ...] = ("one-sided", "random", "reversed", "failed-checks", "inconsistent")
"""Warnings that a test gives, each a family of hypotheses of its own."""


@dataclass(frozen=True)
class CarelessLimits:
    """When to warn. p-values are Holm's over assessors, each kind of test a family of its own."""

    level: float = 0.05
    """Of every kind of test: the chance that any honest assessor is warned about."""
    one_sided: float = 0.1
    """How far from a half the share of left answers must be besides, so that a slight habit is no offence."""
    honest: float = 0.8
    """How far an honest assessor gets from chance to the median assessor's agreement, since readers differ."""
    checks: float = 0.9
    """How often an honest assessor answers a planted check as planned."""
    repeats: float = 0.6
    """How often an honest assessor repeats an own answer: close pairs are answered either way."""
    ties: float = 0.9
    """The share of ties from which on nothing was decided."""
    least: int = 10
    """Answers from which on ties and times are looked at."""
    fast_ms: float = 1000.0
    """An answer in less time is too fast."""
    fast: float = 0.2
    """The share of answers that may be."""


@dataclass(frozen=True)
class CarelessWarning:
    code: Code
    sentence: str


@dataclass(frozen=True)
class AssessorSigns:
    """What is known of one assessor. Shares of nothing are NaN, and their p-values 1."""

    who: int
    answers: int
    ties: int
    left: int
    """How often the item shown first won."""
    agreed: int
    compared: int
    """Answers that can be compared with the others': no ties, and the others tell the two items apart."""
    checks_right: int
    checks_asked: int
    repeats_same: int
    repeats_asked: int
    """Times an own pair came again the other way round."""
    median_ms: float
    fast: float
    """The share of answers that came too fast."""
    p: dict[str, float] = field(default_factory=dict)
    """Raw, by the warning they may lead to, and `better-than-chance`, one-sided, for agreement above a half."""
    adjusted: dict[str, float] = field(default_factory=dict)
    """Holm's, over assessors."""
    warnings: tuple[CarelessWarning, ...] = ()

    @property
    def left_share(self) -> float:
        return _share(self.left, self.answers - self.ties)

    @property
    def agreement(self) -> float:
        return _share(self.agreed, self.compared)

    @property
    def codes(self) -> tuple[Code, ...]:
        return tuple(warning.code for warning in self.warnings)


@dataclass(frozen=True)
class CarelessReport:
    rows: tuple[AssessorSigns, ...]
    median_agreement: float
    """Of the assessors whose answers can be compared with the others'."""
    limits: CarelessLimits

    @property
    def warned(self) -> tuple[AssessorSigns, ...]:
        return tuple(row for row in self.rows if row.warnings)


def find_careless(
    answers: PairAnswers,
    strengths: Strengths | None = None,
    *,
    checks: Iterable[Pair] = (),
    times: npt.ArrayLike | None = None,
    similarity: FloatArray | None = None,
    limits: CarelessLimits | None = None,
) -> CarelessReport:
    """A row per assessor with answers; those of nobody knows whom (-1) are nobody's, but tell of the items.

    Each assessor is compared with strengths fitted without the own answers, or with `strengths` where these are
    known from elsewhere (a fit to all answers would agree with everybody, for everybody had a say in it). `checks` are
    pairs (better, worse) with a known answer; they may be asked in either order, and a tie is wrong. `times` are
    milliseconds, NaN where unknown. Weights play no part here: an answer is an answer.
    """
    limits = limits or CarelessLimits()
    for name in ("level", "one_sided", "honest", "checks", "repeats", "ties", "fast"):
        if not 0 <= getattr(limits, name) <= 1:
            raise UsageError(f"{name} is {getattr(limits, name)}, and must be from 0 to 1")
    spent = np.full(len(answers), np.nan) if times is None else np.asarray(times, dtype=np.float64)
    if spent.shape != (len(answers),):
        raise DataError(f"{spent.size} times for {len(answers)} answers")
    right = {frozenset(pair): pair[0] for pair in checks}
    people = [int(person) for person in np.unique(answers.who[answers.who >= 0])]
    rows = [
        _counted(answers, who, _others(answers, who, strengths, similarity), right, spent, limits)
        for who in people
    ]
    shares = [row.agreement for row in rows if row.compared]
    median = float(np.median(shares)) if shares else np.nan
    raw = [_tested(row, median, limits) for row in rows]
    adjusted = {code: holm([p[code] for p in raw]) for code in FAMILIES}
    signs = []
    for k, (row, p) in enumerate(zip(rows, raw, strict=True)):
        tested = replace(row, p=p, adjusted={code: float(adjusted[code][k]) for code in FAMILIES})
        signs.append(replace(tested, warnings=tuple(_warnings(tested, median, limits))))
    return CarelessReport(tuple(signs), median, limits)


def _others(
    answers: PairAnswers, who: int, strengths: Strengths | None, similarity: FloatArray | None
) -> FloatArray:
    """Log strengths of items as the others see them; NaN for items that they were not asked about."""
    if strengths is not None:
        return strengths.log
    rest = answers.take(answers.who != who)
    log = fit(rest.wins(similarity), tolerance=1e-6).log
    if not len(rest):
        return np.full(answers.n, np.nan)
    if similarity is None:
        met = np.zeros(answers.n, bool)
        met[rest.first] = met[rest.second] = True
        log = np.where(met, log, np.nan)
    return log


def _counted(
    answers: PairAnswers,
    who: int,
    log: FloatArray,
    right: dict[frozenset[int], int],
    spent: FloatArray,
    limits: CarelessLimits,
) -> AssessorSigns:
    theirs = answers.take(answers.who == who)
    first_won, decided = theirs.won > 0.5, theirs.won != 0.5
    gap = log[theirs.first] - log[theirs.second]
    told_apart = decided & (np.abs(gap) > 1e-9)
    # How many planted checks were answered right, of how many.
    checks_right = checks_asked = 0
    for first, second, won in zip(
        theirs.first.tolist(), theirs.second.tolist(), theirs.won.tolist(), strict=True
    ):
        better = right.get(frozenset((first, second)))
        if better is not None:
            checks_asked += 1
            checks_right += won > 0.5 if better == first else won < 0.5
    # How often a pair that came again the other way round was answered as when it last came, of how many.
    last: dict[Pair, float] = {}
    same = asked = 0
    for first, second, won in zip(
        theirs.first.tolist(), theirs.second.tolist(), theirs.won.tolist(), strict=True
    ):
        before = last.get((second, first))
        if before is not None:
            asked += 1
            same += np.sign(before - 0.5) == -np.sign(won - 0.5)
        last[first, second] = won
    repeats_same, repeats_asked = int(same), asked
    times = spent[answers.who == who]
    times = times[~np.isnan(times)]
    return AssessorSigns(
        who=who,
        answers=len(theirs),
        ties=int(np.sum(~decided)),
        left=int(np.sum(first_won)),
        agreed=int(np.sum((gap > 0)[told_apart] == first_won[told_apart])),
        compared=int(np.sum(told_apart)),
        checks_right=checks_right,
        checks_asked=checks_asked,
        repeats_same=repeats_same,
        repeats_asked=repeats_asked,
        median_ms=float(np.median(times)) if len(times) else np.nan,
        fast=_share(int(np.sum(times < limits.fast_ms)), len(times)),
    )


def _tested(row: AssessorSigns, median: float, limits: CarelessLimits) -> dict[str, float]:
    from scipy.stats import binom, binomtest

    decided = row.answers - row.ties
    return {
        "one-sided": float(binomtest(row.left, decided).pvalue) if decided else 1.0,
        "random": _lower(row.agreed, row.compared, 0.5 + limits.honest * (median - 0.5)),
        "reversed": _lower(row.agreed, row.compared, 0.5),
        "failed-checks": _lower(row.checks_right, row.checks_asked, limits.checks),
        "inconsistent": _lower(row.repeats_same, row.repeats_asked, limits.repeats),
        "better-than-chance": float(binom.sf(row.agreed - 1, row.compared, 0.5)),
    }


def _warnings(row: AssessorSigns, median: float, limits: CarelessLimits) -> Iterator[CarelessWarning]:
    below = {code for code in FAMILIES if row.adjusted[code] < limits.level}
    if "one-sided" in below and abs(row.left_share - 0.5) >= limits.one_sided:
        side = "first" if row.left_share > 0.5 else "second"
        decided = row.answers - row.ties
        times = max(row.left, decided - row.left)
        yield CarelessWarning("one-sided", f"prefers what is shown {side}: {times} of {decided} times")
    agreement = f"agrees with the others {row.agreed} of {row.compared} times"
    if "reversed" in below:
        yield CarelessWarning("reversed", f"{agreement}, less than chance: are the sides mixed up?")
    # Who is below the others and still better than chance has read the texts, and only sees them differently.
    elif "random" in below and row.p["better-than-chance"] >= limits.level:
        yield CarelessWarning(
            "random", f"{agreement}, no better than chance (the median assessor: {median:.0%})"
        )
    if "failed-checks" in below:
        yield CarelessWarning(
            "failed-checks", f"answers {row.checks_right} of {row.checks_asked} planted checks right"
        )
    if "inconsistent" in below:
        again = f"{row.repeats_same} of {row.repeats_asked} own answers"
        yield CarelessWarning("inconsistent", f"repeats {again} when a pair comes again the other way round")
    if row.answers >= limits.least and row.ties >= limits.ties * row.answers:
        yield CarelessWarning("ties", f"decides nothing: {row.ties} of {row.answers} answers are ties")
    if row.answers >= limits.least and row.fast > limits.fast:
        yield CarelessWarning(
            "too-fast", f"{row.fast:.0%} of the answers came in less than {limits.fast_ms:g} ms"
        )


def _lower(good: int, asked: int, share: float) -> float:
    """The chance of so few good ones or fewer, if each is good with this chance."""
    from scipy.stats import binom

    return float(binom.cdf(good, asked, share)) if asked else 1.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else np.nan
