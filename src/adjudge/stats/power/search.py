"""Power by simulation, and what it takes to have it: topics, or a difference.

Thousands of simulated pairs go through the classical tests at once: row s of x and row s of y, simulations x topics.
The numbers are those of paired.py; a p that cannot be computed is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

import numpy as np
from scipy.special import ndtr, ndtri

from adjudge.errors import UsageError, nearest, quoted
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import (
    EXACT_UP_TO,
    TEST_WORDS,
    exact_p,
    noise_of,
    normal_p,
    settled,
    sign_p,
    student_p,
    untied_p,
    welch_freedom,
)
from adjudge.stats.pairs import PairResults
from adjudge.stats.power.rates import MOST_TOPICS, Rate, t_difference, t_power, t_topics
from adjudge.stats.power.sources import Normal, Source
from adjudge.stats.resampling.engine import RESAMPLES, Statistic
from adjudge.stats.tests import run_pairs


def t_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """p of the paired t-test, two-sided."""
    z = settled(x - y, noise_of(x, y))
    t = _t(_mean(z), _squares(z), _noise(x, y), z.shape[1])
    p: FloatArray = student_p(t, z.shape[1] - 1.0, "two-sided")
    return _ones_where_equal(p, z)


def unpaired_t_rows(x: FloatArray, y: FloatArray, *, equal_variances: bool = True) -> FloatArray:
    """p of the t-test of two samples, pooled or Welch's, two-sided."""
    z, n = settled(x - y, noise_of(x, y)), x.shape[1]
    sides = _squares(x), _squares(y)
    t = _t(_mean(z), sides[0] + sides[1], _noise(x, y), n)
    freedom: float | FloatArray = 2.0 * n - 2
    if not equal_variances:
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom = welch_freedom(n, np.sqrt(np.minimum(*sides) / np.maximum(*sides)))
    p: FloatArray = student_p(t, freedom, "two-sided")
    # As the test of one pair has it, p is 1 only where neither side varies.
    return np.where(np.isnan(t), _ones_where_equal(p, z), p)


def sign_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """p of the sign test, two-sided."""
    z = settled(x - y, noise_of(x, y))
    wins, losses = np.count_nonzero(z > 0, axis=1), np.count_nonzero(z < 0, axis=1)
    p: FloatArray = sign_p(wins, losses, "two-sided")
    return p if z.shape[1] > 1 else np.full(len(z), np.nan)


def wilcoxon_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """p of the signed-rank test, two-sided, zeros left out, exact up to EXACT_UP_TO as `paired.wilcoxon` is.

    Ties are told by the largest score of a row. Rows with ties go one by one.
    """
    z = settled(x - y, noise_of(x, y))
    if z.shape[1] < 2:
        return np.full(len(z), np.nan)
    doubled, starts = _ranks(z, _noise(x, y))
    positive = np.where(z > 0, doubled, 0).sum(axis=1)
    ranked = np.count_nonzero(z, axis=1)
    cubes = _cubes(starts, ranked)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing is ranked: settled below
        p: FloatArray = normal_p(positive, ranked, np.zeros_like(ranked), cubes)
    exact, untied = ranked <= EXACT_UP_TO, cubes == 0
    plain = exact & untied
    p[plain] = untied_p(ranked[plain], positive[plain], "two-sided")
    for s in np.flatnonzero(exact & ~untied):
        p[s] = exact_p(np.sort(doubled[s, z[s] != 0]), int(positive[s]))
    return p


def _noise(x: FloatArray, y: FloatArray) -> FloatArray:
    """By row, the most that noise can be."""
    most: FloatArray = noise_of(x, y).max(axis=1, initial=0.0)
    return most


def _mean(z: FloatArray) -> FloatArray:
    mean: FloatArray = z.sum(axis=1) / max(z.shape[1], 1)
    return mean


def _squares(z: FloatArray) -> FloatArray:
    squares: FloatArray = np.square(z - _mean(z)[:, None]).sum(axis=1)
    return squares


def _t(mean: FloatArray, squares: FloatArray, noise: FloatArray, n: int) -> FloatArray:
    """sqrt(n(n-1)) mean / sqrt(squares); NaN where the squares are no more than noise."""
    t = np.full(mean.size, np.nan)
    vary = squares > 2 * n * (n * noise) ** 2
    if n > 1:
        np.divide(np.sqrt(n * (n - 1.0)) * mean, np.sqrt(squares), out=t, where=vary)
    return t


def _ones_where_equal(p: FloatArray, z: FloatArray) -> FloatArray:
    """Where all differences are zero, p is 1 by convention."""
    return np.where((z.shape[1] > 1) & ~z.any(axis=1), 1.0, p)


def _ranks(z: FloatArray, noise: FloatArray) -> tuple[IntArray, BoolArray]:
    """Doubled mid-ranks by size, 0 for a zero; and, by ascending size, where a new size begins, zeros first."""
    rows, n = z.shape
    size = np.abs(z)
    order = np.argsort(size, axis=1, kind="stable")
    ordered = np.take_along_axis(size, order, axis=1)
    starts = np.ones(z.shape, dtype=np.bool_)
    starts[:, 1:] = (np.diff(ordered) > noise[:, None]) | ((ordered[:, 1:] > 0) & (ordered[:, :-1] == 0))
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.flip(np.minimum.accumulate(np.flip(_ends(starts, place), axis=1), axis=1), axis=1)
    zeros = n - np.count_nonzero(z, axis=1)
    # Places first to last, from 0 on and after the zeros, share the mean of their ranks.
    doubled = np.empty((rows, n), dtype=np.int64)
    np.put_along_axis(doubled, order, first + last + 2 - 2 * zeros[:, None], axis=1)
    doubled[z == 0] = 0
    return doubled, starts


def _ends(starts: BoolArray, place: IntArray) -> IntArray:
    """The place of the last of each group where there is one, else one that is beyond all."""
    last = np.ones(starts.shape, dtype=np.bool_)
    last[:, :-1] = starts[:, 1:]
    return np.where(last, place, place.size)


def _cubes(starts: BoolArray, ranked: IntArray) -> FloatArray:
    """The sum of t^3 - t over the groups of t tied differences that are ranked."""
    rows, n = starts.shape
    cubes = np.zeros(rows)
    row, place = np.nonzero(starts)
    stop = np.append(place[1:], n)
    stop[stop == 0] = n  # the next group is another row's first
    counts = place >= n - ranked[row]
    sizes = (stop - place).astype(np.float64)
    np.add.at(cubes, row[counts], (sizes**3 - sizes)[counts])
    return cubes


# Tests by name

QUICK = ("wilcoxon", "t", "t-unpaired", "welch", "sign")
"""Tests of which thousands run at once; the others run one by one."""
USUAL_STATISTIC: dict[str, Statistic] = {"mc": "mean", "hb": "t"}
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
STATISTIC_WORDS = {"mean": "the mean", "median": "the median", "t": "T^p", "t-unpaired": "T", "w": "W"}
UNPAIRED = ("t-unpaired", "welch")
MOST_RESAMPLES = 20_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """A test as people write it: `wilcoxon`, `mc`, `hb:w` (the statistic that is resampled after the colon)."""

    name: str
    statistic: Statistic | None = None
    """Of mc and hb alone."""

    def __str__(self) -> str:
        usual = self.statistic == USUAL_STATISTIC.get(self.name)
        return self.name if usual else f"{self.name}:{self.statistic}"

    @property
    def words(self) -> str:
        words = TEST_WORDS[self.name]
        return words if self.statistic is None else f"{words} of {STATISTIC_WORDS[self.statistic]}"

    @property
    def quick(self) -> bool:
        return self.name in QUICK

    @property
    def paired(self) -> bool:
        return self.name not in UNPAIRED and self.statistic != "t-unpaired"


def chosen(text: str) -> Chosen:
    """The test that a text names."""
    name, colon, statistic = text.strip().partition(":")
    if name not in TEST_WORDS:
        hint = nearest(name, TEST_WORDS)
        raise UsageError(f"no test {quoted(name)}{hint}; expected one of: {', '.join(TEST_WORDS)}")
    if not colon:
        return Chosen(name, USUAL_STATISTIC.get(name))
    if name not in USUAL_STATISTIC:
        raise UsageError(f"{quoted(text)}: only {' and '.join(USUAL_STATISTIC)} resample a statistic")
    for known in STATISTICS:
        if statistic == known:
            return Chosen(name, known)
    raise UsageError(
        f"{quoted(text)}: no statistic {quoted(statistic)}; expected one of: {', '.join(STATISTICS)}"
    )


def resamples_at(alpha: float) -> int | None:
    """How many resamples can tell p-values about alpha apart; None where that would be too many."""
    needed = max(RESAMPLES, int(np.ceil(20 / alpha)))
    return needed if needed <= MOST_RESAMPLES else None


def run(
    test: Chosen, values: FloatArray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> PairResults:
    """The test of every two columns, two-sided."""
    statistic = test.statistic or USUAL_STATISTIC.get(test.name)
    return run_pairs(test.name, values, rng=rng, statistic=statistic, resamples=resamples)


def run_rows(
    test: Chosen, x: FloatArray, y: FloatArray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """p of row s of x against row s of y, for every s."""
    match test.name:
        case "wilcoxon":
            return wilcoxon_rows(x, y)
        case "t":
            return t_rows(x, y)
        case "t-unpaired" | "welch":
            return unpaired_t_rows(x, y, equal_variances=test.name == "t-unpaired")
        case "sign":
            return sign_rows(x, y)
    pairs = np.stack([x, y], axis=2)
    return np.array([run(test, values, rng, resamples).p[0] for values in pairs], dtype=np.float64)


# The search

SIMULATIONS = 2000
SLOW_SIMULATIONS = 500
"""Most for tests that run one by one."""
MOST_SIMULATED = 1000
SLOW_MOST_SIMULATED = 200
"""Topics that are simulated at most; beyond, differences shrink with the root of the number of topics."""
ROUNDS = 25
STRETCHES = 5
"""How often a search that found too many topics begins again, with a difference three times as large."""
TOLERANCE = 0.004
"""Of u, relative: less than the error of 2,000 simulations."""
DRAWN_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Goal:
    """A test, and how often it shall find what is there."""

    test: Chosen
    power: float = 0.8
    alpha: float = 0.05
    simulations: int = SIMULATIONS

    def __post_init__(self) -> None:
        checks.share("power", self.power)
        checks.share("alpha", self.alpha)
        checks.count("simulations", self.simulations, least=1)

    @property
    def used(self) -> int:
        """The simulations that are run: fewer of slow tests."""
        return self.simulations if self.test.quick else min(self.simulations, SLOW_SIMULATIONS)

    @property
    def most(self) -> int:
        return MOST_SIMULATED if self.test.quick else SLOW_MOST_SIMULATED

    def impossible(self) -> str | None:
        """Why no simulation can answer; None where one can."""
        if self.power <= self.alpha:
            return f"the power of {self.power:g} is not above alpha, {self.alpha:g}: guessing has as much"
        if self.test.statistic is not None and resamples_at(self.alpha) is None:
            return f"alpha {self.alpha:.2g} needs more than {MOST_RESAMPLES:,} resamples in every simulation"
        return None


@dataclass(frozen=True, slots=True)
class Answer:
    """Topics or a difference that a test needs. Where there is none, `value` is NaN or infinite and `why` says why."""

    value: float
    error: float
    """Standard error by the simulations; 0 where nothing was simulated."""
    method: str
    why: str | None = None


def power_of(
    goal: Goal, source: Source, topics: int, difference: float, rng: np.random.Generator
) -> Rate | float:
    """How often the test finds the difference: a simulated rate, or a number where it is known."""
    if _known(goal, source):
        return t_power(topics, difference, source.spread, alpha=goal.alpha)
    used = min(topics, goal.most)
    return _rate(goal, source, used, difference * math.sqrt(topics / used), int(rng.integers(0, 2**63)))


def needed_topics(goal: Goal, source: Source, difference: float, rng: np.random.Generator) -> Answer:
    """The fewest topics on which the test finds the difference often enough."""
    guess = t_topics(difference, source.spread, power=goal.power, alpha=goal.alpha)
    why = goal.impossible()
    if why is not None:
        return Answer(value=math.nan, error=0.0, method="none", why=why)
    if math.isinf(guess):
        return Answer(
            value=math.inf, error=0.0, method="noncentral t", why=f"more than {MOST_TOPICS:,} topics"
        )
    if _known(goal, source):
        return Answer(guess, 0.0, "noncentral t")
    # Where many are needed a larger difference is looked for, and topics go with one over its square.
    stretch, seed = max(1.0, math.sqrt(guess / goal.most)), int(rng.integers(0, 2**63))
    for _ in range(STRETCHES):
        found, error = _topics(goal, source, difference * stretch, round(guess / stretch**2), seed)
        if math.isfinite(found):
            method = "simulated" if stretch == 1 else "simulated on fewer topics"
            return Answer(float(math.ceil(found * stretch**2 - 1e-9)), error * stretch**2, method)
        stretch *= 3
    return Answer(
        value=math.inf, error=0.0, method="simulated", why="so many topics that no simulation found it"
    )


def smallest_difference(goal: Goal, source: Source, topics: int, rng: np.random.Generator) -> Answer:
    """The smallest difference that the test finds often enough on so many topics."""
    why = goal.impossible()
    if why is None and topics < 2:
        why = f"needs two topics, has {topics or 'none'}"
    if why is not None:
        return Answer(value=math.nan, error=0.0, method="none", why=why)
    guess = t_difference(topics, source.spread, power=goal.power, alpha=goal.alpha)
    if _known(goal, source):
        return Answer(guess, 0.0, "noncentral t")
    used = min(topics, goal.most)
    shrink = math.sqrt(used / topics)
    seed = int(rng.integers(0, 2**63))
    found, error = _differences(goal, source, used, guess / shrink, seed)
    if math.isinf(found):
        why = f"no difference, however large, is found on {topics} topics with p < {goal.alpha:.2g}"
        return Answer(value=math.nan, error=0.0, method="simulated", why=why)
    return Answer(found * shrink, error * shrink, "simulated" if shrink == 1 else "simulated on fewer topics")


def _known(goal: Goal, source: Source) -> bool:
    return goal.test.name == "t" and isinstance(source, Normal)


def _rate(goal: Goal, source: Source, topics: int, difference: float, seed: int) -> Rate:
    """The share of simulations in which the difference is found; a seed always draws the same."""
    draws, tests = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    found, left = 0, goal.used
    resamples = resamples_at(goal.alpha) or MOST_RESAMPLES
    while left:
        some = min(left, max(1, DRAWN_AT_ONCE // topics))
        x, y = source.draw(topics, some, draws).scores(difference)
        p = run_rows(goal.test, x, y, tests, resamples)
        found += int(np.count_nonzero(p < goal.alpha))  # a NaN is not below anything
        left -= some
    return Rate(found, goal.used)


def _topics(goal: Goal, source: Source, difference: float, start: int, seed: int) -> tuple[float, float]:
    """The number of topics, and its error: between too few and enough; infinite beyond what is simulated."""
    low, high, n = 1, math.inf, max(start, 2)
    for _ in range(ROUNDS):
        rate = _rate(goal, source, n, difference, seed).rate
        low, high = (n, high) if rate < goal.power else (low, n)
        if high - low <= max(1, 2 * TOLERANCE * n):
            break
        guess = n * _step(goal, rate) ** 2
        if abs(guess / n - 1) < 2 * TOLERANCE:
            high = math.ceil(guess)
            break
        n = math.ceil(guess)
        if not low < n < high:
            n = low + 1 if math.isinf(high) else (low + int(high)) // 2
        if n > 4 * goal.most:
            return math.inf, 0.0
    return high, 2 * high * _error(goal)


def _differences(goal: Goal, source: Source, topics: int, start: float, seed: int) -> tuple[float, float]:
    """The difference, and its error. All powers come from the same draws, so that they rise with it."""
    low, high, d = 0.0, math.inf, start
    for _ in range(ROUNDS):
        rate = _rate(goal, source, topics, d, seed).rate
        low, high = (d, high) if rate < goal.power else (low, d)
        guess = d * _step(goal, rate)
        if abs(guess / d - 1) < TOLERANCE or high - low < TOLERANCE * d:
            return guess, guess * _error(goal)
        if not low < guess < high:
            guess = (low + high) / 2
        if guess > 1000 * start:
            return math.inf, 0.0
        d = guess
    return high, high * _error(goal)


def _step(goal: Goal, rate: float) -> float:
    """By what to multiply u for the power asked for, by the line through the simulated one; not too far."""
    z = -float(ndtri(goal.alpha / 2))
    edge = 0.5 / goal.used
    here = float(ndtri(min(max(rate, edge), 1 - edge))) + z
    wanted = float(ndtri(goal.power)) + z
    return min(max(wanted / max(here, 1e-3), 0.5), 2.0)


def _error(goal: Goal) -> float:
    """The relative standard error of u: that of the power over its slope in log u."""
    z, wanted = -float(ndtri(goal.alpha / 2)), float(ndtri(goal.power))
    density = math.exp(-wanted * wanted / 2) / math.sqrt(2 * math.pi)
    rough = math.sqrt(float(ndtr(wanted)) * (1 - float(ndtr(wanted))) / goal.used)
    return rough / (density * (wanted + z))
