"""Power by simulation, and what it takes to have it: topics, or a difference. Where pairs come from: power_sources.py.

Near the answer the normal quantile of the power is a line in u, the root of the number of topics or the difference:
power = Phi(k u - z). So one simulated power at u says where to look next, and at the fixed point of that the
power is the one asked for, whether or not the line is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from adjudge.stats import checks
from adjudge.stats.power.rates import MOST_TOPICS, Rate, t_difference, t_power, t_topics
from adjudge.stats.power.sources import Normal, Source
from adjudge.stats.power.tests import MOST_RESAMPLES, Chosen, resamples_at, run_rows

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
        return Answer(math.nan, 0.0, "none", why)
    if math.isinf(guess):
        return Answer(math.inf, 0.0, "noncentral t", f"more than {MOST_TOPICS:,} topics")
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
    return Answer(math.inf, 0.0, "simulated", "so many topics that no simulation found it")


def smallest_difference(goal: Goal, source: Source, topics: int, rng: np.random.Generator) -> Answer:
    """The smallest difference that the test finds often enough on so many topics."""
    why = goal.impossible()
    if why is None and topics < 2:
        why = f"needs two topics, has {topics or 'none'}"
    if why is not None:
        return Answer(math.nan, 0.0, "none", why)
    guess = t_difference(topics, source.spread, power=goal.power, alpha=goal.alpha)
    if _known(goal, source):
        return Answer(guess, 0.0, "noncentral t")
    used = min(topics, goal.most)
    shrink = math.sqrt(used / topics)
    seed = int(rng.integers(0, 2**63))
    found, error = _differences(goal, source, used, guess / shrink, seed)
    if math.isinf(found):
        why = f"no difference, however large, is found on {topics} topics with p < {goal.alpha:.2g}"
        return Answer(math.nan, 0.0, "simulated", why)
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
