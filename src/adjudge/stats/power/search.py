"""Power by simulation, and what it takes to have it: topics, or a difference.

Thousands of simulated pairs go through the classical tests at once: row s of x and row s of y, simulations x topics.
The numbers are those of paired.py; a p that cannot be computed is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
from scipy.special import ndtr, ndtri

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.multiple import at_most
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
from adjudge.stats.pairs import PairResults, columns_of_pairs
from adjudge.stats.power.rates import (
    BY_SIGNS,
    MOST_TOPICS,
    Rate,
    least_topics,
    t_difference,
    t_errors,
    t_power,
    t_topics,
)
from adjudge.stats.power.sources import Normal, Source
from adjudge.stats.resampling.engine import RESAMPLES, Statistic
from adjudge.stats.tests import run_pairs, smallest_p


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


def wilcoxon_rows(x: FloatArray, y: FloatArray, *, tied_up_to: int = EXACT_UP_TO) -> FloatArray:
    """p of the signed-rank test, two-sided, zeros left out, exact up to EXACT_UP_TO as `paired.wilcoxon` is.

    Ties are told by the largest score of a row. Beyond `tied_up_to` ranked differences with ties, p is by a series.
    """
    z = settled(x - y, noise_of(x, y))
    if z.shape[1] < 2:
        return np.full(len(z), np.nan)
    rows, n = z.shape
    size = np.abs(z)
    order = np.argsort(size, axis=1, kind="stable")
    ordered = np.take_along_axis(size, order, axis=1)
    starts = np.ones(z.shape, dtype=np.bool_)
    starts[:, 1:] = (np.diff(ordered) > _noise(x, y)[:, None]) | (
        (ordered[:, 1:] > 0) & (ordered[:, :-1] == 0)
    )
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.flip(np.minimum.accumulate(np.flip(_ends(starts, place), axis=1), axis=1), axis=1)
    zeros = n - np.count_nonzero(z, axis=1)
    # Places first to last, from 0 on and after the zeros, share the mean of their ranks.
    doubled = np.empty((rows, n), dtype=np.int64)
    np.put_along_axis(doubled, order, first + last + 2 - 2 * zeros[:, None], axis=1)
    doubled[z == 0] = 0
    positive = np.where(z > 0, doubled, 0).sum(axis=1)
    ranked = np.count_nonzero(z, axis=1)
    # The sum of t^3 - t over the groups of t tied differences that are ranked.
    cubes = np.zeros(rows)
    row, place = np.nonzero(starts)
    stop = np.append(place[1:], n)
    stop[stop == 0] = n  # the next group is another row's first
    counts = place >= n - ranked[row]
    tied = (stop - place).astype(np.float64)
    np.add.at(cubes, row[counts], (tied**3 - tied)[counts])
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing is ranked: settled below
        p: FloatArray = normal_p(positive, ranked, np.zeros_like(ranked), cubes)
    exact, untied = ranked <= EXACT_UP_TO, cubes == 0
    plain = exact & untied
    p[plain] = untied_p(ranked[plain], positive[plain], "two-sided")
    few = exact & ~untied & (ranked <= tied_up_to)
    p[few] = _tied_p(doubled[few], positive[few])
    many = exact & ~untied & (ranked > tied_up_to)
    p[many] = _edgeworth_p(doubled[many], positive[many])
    # Of one or two sizes the sum moves in leaps that no series follows; but then few distributions serve all rows.
    sizes = np.count_nonzero(starts, axis=1) - (ranked < z.shape[1])
    leaps = np.flatnonzero(many & (sizes <= 2))
    for s in leaps[np.lexsort((cubes[leaps], ranked[leaps]))]:  # alike ones follow each other
        p[s] = exact_p(np.sort(doubled[s, z[s] != 0]), int(positive[s]))
    return p


TIED_EXACT = 30
"""With ties every pair has a distribution of its own: in simulations a series stands for that of more differences."""

TIED_AT_ONCE = 200  # rows whose sums reach about as far


def _tied_p(doubled: IntArray, positive: IntArray) -> FloatArray:
    """p of the signed-rank sum by its distribution up to the smaller sum, rank by rank, many rows at once."""
    total = doubled.sum(axis=1)
    reach = np.minimum(positive, total - positive)
    p, by_reach = np.empty(len(doubled)), np.argsort(reach)
    for some in np.split(by_reach, range(TIED_AT_ONCE, len(doubled), TIED_AT_ONCE)):
        width, before = int(reach[some].max(initial=0)) + 1, int(doubled[some].max(initial=0))
        # A margin of zeros stands before the sum 0.
        chance = np.zeros((some.size, before + width))
        chance[:, before] = 1.0
        place = np.arange(chance.size).reshape(chance.shape)[:, before:]
        for ranks in doubled[some].T:
            if ranks.any():  # zeros are not ranked, and change nothing
                chance[:, before:] = (chance[:, before:] + chance.ravel()[place - ranks[:, None]]) / 2
        within = np.arange(width) <= reach[some, None]
        p[some] = np.where(within, chance[:, before:], 0.0).sum(axis=1)
    return np.minimum(2 * p, 1.0)


def _edgeworth_p(doubled: IntArray, positive: IntArray) -> FloatArray:
    """p of the signed-rank sum by Edgeworth's series with the fourth cumulant, and half a step off the sum.

    Every doubled rank r counts or not with probability 1/2: the variance is the sum of r^2 / 4, the fourth cumulant
    minus that of r^4 / 8, and the sum moves in steps of the ranks' greatest common divisor.
    """
    ranks = doubled.astype(np.float64)
    variance = np.square(ranks).sum(axis=1) / 4
    excess = -(ranks**4).sum(axis=1) / 8 / variance**2
    off = np.abs(positive - ranks.sum(axis=1) / 2) - np.gcd.reduce(doubled, axis=1) / 2
    x = np.maximum(off, 0.0) / np.sqrt(variance)
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    tail = ndtr(-x) + density * excess / 24 * (x**3 - 3 * x)
    # Beyond where the series holds, all on one side is the last there is.
    least = np.exp2(-np.count_nonzero(doubled, axis=1).astype(np.float64))
    p: FloatArray = np.minimum(2 * np.maximum(tail, least), 1.0)
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


def _ends(starts: BoolArray, place: IntArray) -> IntArray:
    """The place of the last of each group where there is one, else one that is beyond all."""
    last = np.ones(starts.shape, dtype=np.bool_)
    last[:, :-1] = starts[:, 1:]
    return np.where(last, place, place.size)


# Tests by name

QUICK = ("wilcoxon", "t", "t-unpaired", "welch", "sign")
"""Tests of which thousands run at once; the others run one by one."""
USUAL_STATISTIC: dict[str, Statistic] = {"mc": "mean", "hb": "t"}
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
STATISTIC_WORDS = {"mean": "the mean", "median": "the median", "t": "T^p", "t-unpaired": "T", "w": "W"}
UNPAIRED = ("t-unpaired", "welch")
BESIDE_AS_IS = ("t", "t-unpaired", "welch", "sign")
"""Tests that also test the other pairs of a comparison; paired t, which finds about as much, stands for the rest."""
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
    for choice in STATISTICS:
        if statistic == choice:
            return Chosen(name, choice)
    raise UsageError(
        f"{quoted(text)}: no statistic {quoted(statistic)}; expected one of: {', '.join(STATISTICS)}"
    )


def resamples_at(alpha: float) -> int | None:
    """How many resamples can tell p-values about alpha apart; None where that would be too many."""
    needed = max(RESAMPLES, int(np.ceil(10 / alpha)))
    return needed if needed <= MOST_RESAMPLES else None


def run(
    test: Chosen, values: FloatArray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> PairResults:
    """The test of every two columns, two-sided.

    By luck random swaps may undercut what all of them together would give, which is known: as in a comparison, p is
    no lower than that.
    """
    statistic = test.statistic or USUAL_STATISTIC.get(test.name)
    results = run_pairs(test.name, values, rng=rng, statistic=statistic, resamples=resamples)
    return (
        replace(results, p=np.maximum(results.p, smallest_p(results, resamples)))
        if test.name == "mc"
        else results
    )


def run_rows(
    test: Chosen, x: FloatArray, y: FloatArray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """p of row s of x against row s of y, for every s."""
    match test.name:
        case "wilcoxon":
            return wilcoxon_rows(x, y, tied_up_to=TIED_EXACT)
        case "t":
            return t_rows(x, y)
        case "t-unpaired" | "welch":
            return unpaired_t_rows(x, y, equal_variances=test.name == "t-unpaired")
        case "sign":
            return sign_rows(x, y)
    pairs = np.stack([x, y], axis=2)
    return np.array([run(test, values, rng, resamples).p[0] for values in pairs], dtype=np.float64)


# The comparison in which a pair is tested: other systems, other pairs, Holm's correction over all of them

MOST_SYSTEMS = 20
"""That are simulated; of more, each pair stands for several."""


@dataclass(frozen=True)
class Family:
    """Pairs that are tested together, one of which is looked for.

    Without `places` nothing else is found: the pair must pass the first step of Holm's procedure, alpha / pairs,
    which is Bonferroni's. Holm finds whatever that finds, so no other systems make it harder. With places the other
    systems have these means, and pairs that are found before leave fewer in the way.
    """

    pairs: int = 1
    places: tuple[float, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether the pair's own p decides."""
        return self.pairs == 1 or not self.places

    @property
    def systems(self) -> int:
        """The fewest with so many pairs."""
        return math.ceil((1 + math.sqrt(1 + 8 * self.pairs)) / 2 - 1e-9)

    @property
    def columns(self) -> tuple[IntArray, IntArray]:
        """The other pairs, as columns of `scores`; the pair itself is left out."""
        first, second = columns_of_pairs(max(min(self.systems, MOST_SYSTEMS), 3))
        return first[1:], second[1:]

    def scores(
        self, x: FloatArray, y: FloatArray, source: Source, stretch: float, rng: np.random.Generator
    ) -> FloatArray:
        """Simulations x systems x topics: the pair, and systems beside it.

        Their means are drawn from the places, the pair's middle too. Their noise is normal and as wide as the pair's;
        a topic's effect is drawn given what the pair has in common there, so that differences from x and y go
        together as they would. `stretch` makes places as much larger as the difference.
        """
        drawn, topics = x.shape
        noise = source.spread**2 / 2
        common = source.topic_sd**2
        level = (x + y) / 2
        middle = level.mean()
        weight = common / (common + noise / 2) if common > 0 else 0.0
        shape = (drawn, max(min(self.systems, MOST_SYSTEMS), 3) - 2, topics)
        topic = weight * (level - middle) + math.sqrt(common * (1 - weight)) * rng.standard_normal(x.shape)
        places = np.array(self.places)
        apart = rng.choice(places, shape[:2]) - rng.choice(places, (drawn, 1))
        beside = middle + stretch * apart[:, :, None] + topic[:, None, :]
        beside = beside + math.sqrt(noise) * rng.standard_normal(shape)
        return np.concatenate([x[:, None, :], y[:, None, :], beside], axis=1)

    def rejects(self, p: FloatArray, others: FloatArray, alpha: float) -> BoolArray:
        """Whether Holm's procedure gets to the pair and rejects it. Others are simulations x pairs."""
        ascending = np.sort(np.where(np.isnan(others), 1.0, others), axis=1)
        weight = (self.pairs - 1) / others.shape[1]
        left = np.maximum(self.pairs - weight * np.arange(others.shape[1] + 1), 1.0)
        passed = np.logical_and.accumulate(at_most(ascending, alpha / left[:-1]), axis=1).sum(axis=1)
        before = (ascending < p[:, None]).sum(axis=1)
        rejected: BoolArray = (passed >= before) & at_most(p, alpha / left[before])
        return rejected


ALONE = Family()
"""The pair is the whole comparison."""


# The search

SIMULATIONS = 2000
SLOW_SIMULATIONS = 500
"""Most for tests that run one by one."""
FEWEST_SIMULATIONS = 200
"""Of those, where each takes many resamples."""
MOST_SIMULATED = 1000
SLOW_MOST_SIMULATED = 200
"""Topics that are simulated at most; beyond, differences shrink with the root of the number of topics."""
ROUNDS = 60
TOLERANCE = 0.006
"""Of u, relative: less than the error of 2,000 simulations."""
DRAWN_AT_ONCE = 2000
"""Simulations."""
BLOCK = 16
"""Topics."""
CELLS_AT_ONCE = 2_000_000
FEWEST_FOUND = 20
"""Findings from which the share with a wrong sign and the exaggeration are said."""


@dataclass(frozen=True)
class Goal:
    """A test, and how often it shall find what is there, at alpha or in a comparison of many pairs."""

    test: Chosen
    power: float = 0.8
    alpha: float = 0.05
    family: Family = ALONE
    """The comparison in which the pair is tested: by itself, unless said."""

    def __post_init__(self) -> None:
        checks.share("power", self.power)
        checks.share("alpha", self.alpha)

    @property
    def level(self) -> float:
        """What p may be at most in the first step of the comparison."""
        return self.alpha / self.family.pairs

    @property
    def least(self) -> int:
        """The fewest topics on which the first step can be passed at all."""
        return least_topics(self.test.name, self.level)

    def impossible(self) -> str | None:
        """Why no simulation can answer; None where one can."""
        if self.power <= self.level:
            return f"the power of {self.power:g} is not above alpha, {self.level:.3g}: guessing has as much"
        if self.test.statistic is not None and resamples_at(self.level) is None:
            return f"alpha {self.level:.2g} needs more than {MOST_RESAMPLES:,} resamples in every simulation"
        return None


@dataclass(frozen=True, slots=True)
class Answer:
    """Topics or a difference that a test needs. Where there is none, `value` is NaN or infinite and `why` says why."""

    value: float
    error: float
    """Standard error by the simulations; 0 where nothing was simulated."""
    method: str
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Power:
    """How often a difference is found, and what is said of it then."""

    rate: float
    low: float
    """Of Wilson's interval; the rate itself where nothing was simulated."""
    high: float
    wrong_sign: float
    """Type S: the share of findings whose sign is wrong; NaN where there are too few."""
    exaggeration: float
    """Type M: how many times too large a finding is on average; NaN where there are too few."""
    findings: int | None = None
    """In simulations; None where nothing was simulated."""


@dataclass(frozen=True)
class Sample:
    """Simulated pairs from one source, and what one test says of each; the same pairs whenever they are asked for.

    Topics beyond `most` are not simulated: a difference larger by the root of the ratio stands for them.
    """

    test: Chosen
    source: Source
    seed: int
    simulations: int = SIMULATIONS
    resamples: int = RESAMPLES
    _seen: dict[tuple[int, float], tuple[FloatArray, FloatArray]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        checks.count("simulations", self.simulations, least=1)

    @property
    def used(self) -> int:
        """The simulations that are run: fewer of slow tests, and fewer still where each takes many resamples."""
        if self.test.quick:
            return self.simulations
        slow = (
            SLOW_SIMULATIONS
            if self.test.statistic is None
            else SLOW_SIMULATIONS * RESAMPLES // self.resamples
        )
        return min(self.simulations, max(slow, FEWEST_SIMULATIONS))

    @property
    def most(self) -> int:
        return MOST_SIMULATED if self.test.quick else SLOW_MOST_SIMULATED

    def stretch(self, topics: int) -> float:
        """By how much differences are larger where fewer topics are simulated."""
        return math.sqrt(max(topics / self.most, 1.0))

    def planted(self, topics: int, difference: float) -> float:
        return min(difference * self.stretch(topics), self.source.largest)

    def pairs(self, topics: int, difference: float) -> Iterator[tuple[FloatArray, FloatArray]]:
        """The two systems' scores, simulations x topics, some at a time.

        They are drawn in blocks of topics: more topics are the same ones and others, so that power rises smoothly.
        """
        used, planted = min(topics, self.most), self.planted(topics, difference)
        for start in range(0, self.used, DRAWN_AT_ONCE):
            some = min(DRAWN_AT_ONCE, self.used - start)
            blocks = [
                self.source.draw(BLOCK, some, np.random.default_rng([self.seed, 0, start, block])).scores(
                    planted
                )
                for block in range(-(-used // BLOCK))
            ]
            x, y = (np.concatenate(side, axis=1)[:, :used] for side in zip(*blocks, strict=True))
            yield x, y

    def tested(self, topics: int, difference: float) -> tuple[FloatArray, FloatArray]:
        """p of every pair, and the mean difference."""
        key = (topics, difference)
        if key not in self._seen:
            rng, p, means = np.random.default_rng([self.seed, 1]), [], []
            for x, y in self.pairs(topics, difference):
                p.append(run_rows(self.test, x, y, rng, self.resamples))
                means.append((x - y).mean(axis=1))
            self._seen[key] = np.concatenate(p), np.concatenate(means)
        return self._seen[key]


@dataclass(frozen=True)
class Search:
    """A goal for simulated pairs. All numbers come from the same pairs, so they cannot contradict each other."""

    goal: Goal
    sample: Sample
    tolerance: float = TOLERANCE
    """Of a difference, relative; of a number of topics twice that."""
    _seen: dict[tuple[int, float], Power] = field(default_factory=dict, repr=False, compare=False)

    @property
    def source(self) -> Source:
        return self.sample.source

    def power(self, topics: int, difference: float) -> Power:
        """How often the test finds the difference: simulated, or computed where there is a closed form."""
        key = (topics, difference)
        if key not in self._seen:
            self._seen[key] = self._power(topics, difference)
        return self._seen[key]

    def topics(self, difference: float, probes: Sequence[float] = ()) -> Answer:
        """The fewest topics on which the difference is found often enough; whether the probes are enough is tried."""
        why = self.goal.impossible()
        if why is None and difference > self.source.largest:
            why = "no two systems can differ by so much on this scale"
        if why is not None:
            return Answer(value=math.nan, error=0.0, method="none", why=why)
        guess = t_topics(difference, self.source.spread, power=self.goal.power, alpha=self.goal.level)
        if self._known and math.isfinite(guess):
            return Answer(guess, 0.0, "noncentral t")
        fewest = math.inf
        if math.isfinite(guess):
            fewest = self._topics(difference, max(int(guess), self.goal.least), probes)
        if math.isinf(fewest):
            method = "noncentral t" if math.isinf(guess) else "simulated"
            return Answer(value=math.inf, error=0.0, method=method, why=f"more than {MOST_TOPICS:,} topics")
        return Answer(fewest, 2 * fewest * _error(self.goal, self.sample.used), self._method(fewest))

    def difference(self, topics: int, probes: Sequence[float] = ()) -> Answer:
        """The smallest difference that is found often enough on so many topics; whether the probes are is tried."""
        why = self.goal.impossible()
        if why is None and topics < 2:
            why = f"needs two topics, has {topics or 'none'}"
        if why is not None:
            return Answer(value=math.nan, error=0.0, method="none", why=why)
        guess = t_difference(topics, self.source.spread, power=self.goal.power, alpha=self.goal.level)
        if self._known:
            return Answer(guess, 0.0, "noncentral t")
        smallest = self._difference(topics, guess, probes) if topics >= self.goal.least else math.inf
        if math.isinf(smallest):
            why = (
                f"no difference, however large, is found on {topics:,} topics with p <= {self.goal.level:.2g}"
            )
            if topics >= self.goal.least:
                why = f"no difference, however large, is found often enough on {topics:,} topics"
            return Answer(value=math.nan, error=0.0, method="simulated", why=why)
        return Answer(smallest, smallest * _error(self.goal, self.sample.used), self._method(topics))

    @property
    def _known(self) -> bool:
        """Whether the noncentral t distribution answers."""
        return self.goal.test.name == "t" and isinstance(self.source, Normal) and self.goal.family.alone

    def _method(self, topics: float) -> str:
        return "simulated" if topics <= self.sample.most else "simulated on fewer topics"

    def _power(self, topics: int, difference: float) -> Power:
        if self._known:
            rate = t_power(topics, difference, self.source.spread, alpha=self.goal.level)
            errors = t_errors(topics, difference, self.source.spread, alpha=self.goal.level)
            return Power(rate, rate, rate, *errors)
        p, means = self.sample.tested(topics, difference)
        rejected = at_most(p, self.goal.level)  # a NaN is not below anything
        if not self.goal.family.alone and min(topics, self.sample.most) >= self.goal.least:
            rejected |= self._found_after_others(p, topics, difference)
        seen, planted = Rate(int(np.count_nonzero(rejected)), p.size), self.sample.planted(topics, difference)
        wrong_sign = exaggeration = math.nan
        if seen.rejections >= FEWEST_FOUND and planted > 0:
            wrong_sign = float(np.mean(means[rejected] < 0))
            exaggeration = float(np.abs(means[rejected]).mean()) / planted
        return Power(seen.rate, seen.low, seen.high, wrong_sign, exaggeration, seen.rejections)

    def _found_after_others(self, p: FloatArray, topics: int, difference: float) -> BoolArray:
        """Which pairs the first step does not find, but a later one, because others were found before."""
        goal, family = self.goal, self.goal.family
        rng = np.random.default_rng([self.sample.seed, 2])
        rejected, start = np.zeros(p.size, dtype=np.bool_), 0
        first, second = family.columns
        for x, y in self.sample.pairs(topics, difference):
            here = slice(start, start + len(x))
            start += len(x)
            open_ = np.flatnonzero(~at_most(p[here], goal.level) & at_most(p[here], goal.alpha))
            width = max(1, CELLS_AT_ONCE // (x.shape[1] * first.size))
            for some in filter(len, np.split(open_, range(width, open_.size, width))):
                beside = family.scores(x[some], y[some], self.source, self.sample.stretch(topics), rng)
                others = self._others(beside[:, first], beside[:, second], rng)
                rejected[here][some] = family.rejects(p[here][some], others, goal.alpha)
        return rejected

    def _others(self, x: FloatArray, y: FloatArray, rng: np.random.Generator) -> FloatArray:
        """p of the other pairs, simulations x pairs; none below what the test can give."""
        rows, pairs, topics = x.shape
        test = self.goal.test if self.goal.test.name in BESIDE_AS_IS else Chosen("t")
        p = run_rows(test, x.reshape(-1, topics), y.reshape(-1, topics), rng).reshape(rows, pairs)
        least = math.ldexp(2.0, -topics) if self.goal.test.name in BY_SIGNS else 0.0
        return np.maximum(p, least)

    def _topics(self, difference: float, start: int, probes: Sequence[float]) -> float:
        """Between too few and enough; infinite beyond MOST_TOPICS."""
        low, high, n = self.goal.least - 1, math.inf, start
        left = [int(probe) for probe in probes if math.isfinite(probe)]
        for _ in range(ROUNDS):
            left = [probe for probe in left if low < probe < high]
            n = left.pop() if left else n
            rate = self.power(n, difference).rate
            low, high = (n, high) if rate < self.goal.power else (low, n)
            if high - low <= max(1, 2 * self.tolerance * low):
                break
            guess = n * _step(self.goal, rate, self.sample.used) ** 2
            if not low < guess < high:
                guess = 2 * low if math.isinf(high) else math.sqrt(max(low, 1) * high)
            n = min(max(math.ceil(guess), low + 1), MOST_TOPICS + 1)
            n = n if math.isinf(high) else min(n, int(high) - 1)
            if n > MOST_TOPICS:
                return math.inf
        return high

    def _difference(self, topics: int, start: float, probes: Sequence[float]) -> float:
        """Between too small and large enough; infinite where none is."""
        largest = self.source.largest
        low, high, d = 0.0, math.inf, min(start, largest)
        # Probes come first; then the start, so that one far from the answer does not use up the rounds.
        left = [d, *(probe for probe in probes if 0 < probe <= largest)]
        for _ in range(ROUNDS):
            left = [probe for probe in left if low < probe < high]
            d = left.pop() if left else d
            rate = self.power(topics, d).rate
            low, high = (d, high) if rate < self.goal.power else (low, d)
            if high - low < self.tolerance * high:
                break
            guess = d * _step(self.goal, rate, self.sample.used)
            if not low < guess < high or (low > 0 and guess - low < self.tolerance * low / 2):
                guess = 2 * low if math.isinf(high) else (low + high) / 2
            d = min(guess, largest)
            if low >= largest or d > 1000 * max(start, *probes, 0.0):
                return math.inf
        return high


def _step(goal: Goal, rate: float, used: int) -> float:
    """By what to multiply u for the power asked for, by the line through the simulated one; not too far."""
    z = -float(ndtri(goal.level / 2))
    edge = 0.5 / used
    here = float(ndtri(min(max(rate, edge), 1 - edge))) + z
    wanted = float(ndtri(goal.power)) + z
    return min(max(wanted / max(here, 1e-3), 0.5), 2.0)


def _error(goal: Goal, used: int) -> float:
    """The relative standard error of u: that of the power over its slope in log u."""
    z, wanted = -float(ndtri(goal.level / 2)), float(ndtri(goal.power))
    density = math.exp(-wanted * wanted / 2) / math.sqrt(2 * math.pi)
    rough = math.sqrt(float(ndtr(wanted)) * (1 - float(ndtr(wanted))) / used)
    return rough / (density * (wanted + z))
