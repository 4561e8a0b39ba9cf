"""Makes a plan: spreads from the scores, then power by simulation, test by test. What a plan says is in result.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from adjudge.comparisons.plan.judging import Judgments
from adjudge.comparisons.plan.result import JudgePlan, JudgeRow, Needs, Plan
from adjudge.data.scores import ScoreMatrix
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, quoted
from adjudge.stats import checks
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.power.rates import Rate, t_topics
from adjudge.stats.power.search import (
    SIMULATIONS,
    Answer,
    Chosen,
    Goal,
    chosen,
    needed_topics,
    power_of,
    smallest_difference,
)
from adjudge.stats.power.sources import (
    Normal,
    Resampled,
    Spreads,
    components,
    disagreement,
    resampled,
    spreads,
)

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray

TESTS = tuple(TEST_WORDS)
BESIDE = ("wilcoxon", "t", "sign", "t-unpaired")
"""Tests that are always shown: they are quick."""
WIDE = 0.9
"""The quantile of the pairs' spreads that stands for a pair that is hard to tell apart."""
JUDGES = (1, 2, 3, 5, 10)
_NICE = tuple(base * 2**k for k in range(24) for base in (6, 8))

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Task:
    """Everything that is the same for all tests."""

    source: Normal | Resampled
    wide: Normal | Resampled
    have: int
    power: float
    alpha: float
    simulations: int
    seed: int

    def goal(self, test: Chosen) -> Goal:
        return Goal(test, self.power, self.alpha, self.simulations)


def plan(
    matrix: ScoreMatrix,
    difference: float | str | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    test: str = "wilcoxon",
    tests: Sequence[str] = BESIDE,
    pairs: int = 1,
    family: BoolArray | None = None,
    normal: bool = False,
    judgments: Judgments | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """How many topics find a difference, and which difference the present ones find, with this power.

    `difference` is in the measure's units, or a share of the mean score, such as "5%". `test` answers, `tests` stand
    beside it. With `pairs`, alpha is divided by their number (Bonferroni). `family` says which pairs of
    systems give the spread, all unless said. Pairs are simulated by resampling topics of the scores; with
    `normal`, by normal noise of the same width.
    """
    checks.count("pairs", pairs, least=1)
    for name, value in (("power", power), ("alpha", alpha)):
        checks.share(name, value)
    known = _spreads(matrix, family)
    typical, wide = known.quantile(0.5), known.quantile(WIDE)
    source = _normal(matrix, typical) if normal else resampled(matrix.values, known, typical)
    have = int(np.median(known.n[known.n > 0]))
    task = _Task(source, replace(source, spread=wide), have, power, alpha / pairs, simulations, seed)
    wanted = _difference(difference, matrix)
    every = list(dict.fromkeys(map(chosen, (test, *tests))))
    needs, looked_for, sizes = _all_needs(task, every, wanted, progress)
    return Plan(
        matrix,
        wanted,
        looked_for,
        power,
        alpha,
        pairs,
        have,
        typical,
        wide,
        sizes,
        needs,
        None if judgments is None else _judges(judgments, known, task, needs[0], wanted),
        "normal" if normal else "resampled",
        simulations,
        seed,
        int(np.count_nonzero(known.usable)),
    )


def _spreads(matrix: ScoreMatrix, family: BoolArray | None) -> Spreads:
    if len(matrix.systems) < 2:
        raise DataError(
            f"{matrix.measure}: planning needs the scores of two systems, here is {len(matrix.systems)}"
        )
    known = spreads(matrix.values, family)
    if np.isnan(known.sd).all():
        raise DataError(f"{matrix.measure}: no two systems have two topics in common, so no spread is known")
    if not known.quantile(0.5) > 0:
        raise DataError(
            f"{matrix.measure}: most pairs of systems differ by the same on every topic: nothing to plan"
        )
    return known


def _normal(matrix: ScoreMatrix, spread: float) -> Normal:
    """Where topics' variance cannot be told from noise, there is none: it matters for unpaired tests alone."""
    topic = components(matrix.values).topic
    return Normal(spread, math.sqrt(topic) if topic > 0 else 0.0)


def _difference(difference: float | str | None, matrix: ScoreMatrix) -> float | None:
    """In the measure's units; a share is one of the mean over all scores."""
    if difference is None:
        return None
    text = str(difference).strip()
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"the difference is {quoted(text)}, expected a number above 0 or a share such as 5%")
    if not text.endswith("%"):
        return value
    mean = float(np.nanmean(matrix.values))
    if mean == 0:
        raise UsageError(
            f"the mean of {matrix.measure} is 0: give the difference as a number, not as a share"
        )
    return value / 100 * abs(mean)


def _all_needs(
    task: _Task, tests: list[Chosen], wanted: float | None, progress: Progress | None
) -> tuple[tuple[Needs, ...], float, tuple[int, ...]]:
    """Answers of every test, then their power on the same numbers of topics; the first test decides which."""
    done = _counter(len(tests) * 2, progress)
    streams = {test: generator(task.seed, f"plan/{test}") for test in tests}
    found: list[Needs] = []
    for test in tests:
        found.append(_needs(task, test, wanted, streams[test]))
        done()
    looked_for = wanted if wanted is not None else found[0].difference.value
    needed = found[0].topics.value if found[0].topics is not None else task.have
    sizes = nice_sizes(task.have, needed) if looked_for == looked_for else ()
    for k, test in enumerate(tests):
        powers = tuple(_power(task, test, n, looked_for, streams[test]) for n in sizes)
        found[k] = replace(found[k], powers=powers)
        done()
    return tuple(found), looked_for, sizes


def _needs(task: _Task, test: Chosen, wanted: float | None, rng: np.random.Generator) -> Needs:
    goal = task.goal(test)
    topics: list[Answer | None] = [None, None]
    if wanted is not None:
        topics = [needed_topics(goal, source, wanted, rng) for source in (task.source, task.wide)]
    differences = [smallest_difference(goal, source, task.have, rng) for source in (task.source, task.wide)]
    return Needs(str(test), test.words, test.paired, topics[0], topics[1], differences[0], differences[1])


def _power(
    task: _Task, test: Chosen, topics: int, difference: float, rng: np.random.Generator
) -> Rate | float:
    goal = task.goal(test)
    if goal.impossible() is not None:
        return math.nan
    return power_of(goal, task.source, topics, difference, rng)


def nice_sizes(have: int, needed: float) -> tuple[int, ...]:
    """Numbers of topics for a curve: about both, in even steps, and both among them."""
    ends = sorted(n for n in (have, needed) if math.isfinite(n)) or [have]
    low, high = max(ends[0] / 2, 4), max(ends[-1] * 1.5, 12)
    inside = [n for n in _NICE if low <= n <= high]
    inside = inside[:: max(1, -(-len(inside) // 8))]
    apart = [n for n in inside if all(abs(n / end - 1) > 0.08 for end in ends if end)]
    return tuple(sorted({*apart, *(int(n) for n in ends if n >= 2)}))


def _judges(
    judgments: Judgments, known: Spreads, task: _Task, needs: Needs, wanted: float | None
) -> JudgePlan | None:
    """What more judges would do for the first test; None where no summary has two."""
    found = disagreement(judgments.values, known, same_judges=judgments.persons)
    if found.variance != found.variance or not needs.paired:
        return None
    typical, finds = task.source.spread, needs.difference.value

    def row(judges: float) -> JudgeRow:
        """Differences go with the spread; topics as the paired t-test would have it."""
        spread = found.spread_with(judges, typical)
        topics = math.nan
        if wanted is not None and needs.topics is not None:
            then, now = (t_topics(wanted, sd, power=task.power, alpha=task.alpha) for sd in (spread, typical))
            topics = (
                math.ceil(needs.topics.value * then / now) if math.isfinite(needs.topics.value) else math.inf
            )
        return JudgeRow(judges, spread, topics, finds * spread / typical)

    enough = math.nan
    if wanted is not None and finds > 0:
        enough = found.judges_for(typical * wanted / finds, typical)
    rows = tuple(row(judges) for judges in (*JUDGES, math.inf))
    return JudgePlan(judgments.unit, found.judges, found.matched, found.share(typical), rows, enough)


def _counter(total: int, progress: Progress | None) -> Callable[[], None]:
    count = iter(range(1, total + 1))

    def done() -> None:
        if progress is not None:
            progress(next(count), total)

    return done
