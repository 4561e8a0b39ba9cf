"""The smallest difference that a finished comparison could have found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.plan import Correct
from adjudge.analyses.plan.result import PlanTask, measured_spreads, source_of_pairs
from adjudge.analyses.plan.words import number
from adjudge.core.errors import DataError
from adjudge.core.words import counted
from adjudge.stats import checks
from adjudge.stats.power.search import chosen

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


@dataclass(frozen=True)
class SmallestFound:
    """The smallest difference that a comparison, as it was made, finds with a power; NaN where `why` says why."""

    value: float
    power: float
    basis: str
    """Test, correction and alpha, as they stand in brackets."""
    topics: int
    """That two systems have in common, in the median."""
    median: float
    """Half of the pairs that were compared lie at least this far apart."""
    why: str | None = None
    hopeless: bool = False
    """No difference at all can be found on so many topics."""


def smallest_found(comparison: Comparison, *, power: float = 0.8, simulations: int = 2000) -> SmallestFound:
    """The smallest difference between two systems that a finished comparison finds with this power.

    Of a test over topics by simulation, as `plan` does it; where assessors are a sample, by the noncentral t
    distribution with the median standard error of the pairs and its degrees of freedom.
    """
    checks.share("power", power)
    chose, matrix, family = comparison.asked, comparison.matrix, comparison.family
    results = comparison.tested[comparison.test].results
    apart = np.abs(results.counts.difference[family])
    shared = results.counts.n[family]
    about: dict[str, Any] = {
        "power": power,
        "topics": int(np.median(shared[shared > 0])) if (shared > 0).any() else 0,
        "median": float(np.nanmedian(apart)) if np.isfinite(apart).any() else math.nan,
    }
    pairs = comparison.corrected or int(family.sum())
    alpha = f"{chose.alpha:g}".removeprefix("0")

    def unknown(why: str) -> SmallestFound:
        return SmallestFound(value=math.nan, basis="", why=why, **about)

    if chose.correct not in get_args(Correct):
        return unknown(f"power is not computed for the correction {chose.correct}")
    if chose.side != "both":
        return unknown("power is computed for two-sided tests")
    if comparison.codes is not None:
        return unknown("power is not computed for whole sets of topics")
    pairs = 1 if chose.correct == "none" else pairs
    many = f" over {counted(pairs, 'pair')}" if pairs > 1 else ""
    over = f", {CORRECTIONS[chose.correct].short}{many}" if pairs > 1 else ""
    if comparison.sampled:
        value = _reach_of_sample(comparison, power, chose.alpha / pairs)
        basis = f"t over topics and assessors{f', Bonferroni{many}' if many else ''}, alpha {alpha}"
        if math.isnan(value):
            return unknown("no pair of systems has a standard error")
        return SmallestFound(value=value, basis=basis, **about)
    test = chosen(comparison.test)
    if not test.quick:
        return unknown(f"power of the test {comparison.test} takes long: adjudge plan computes it")
    try:
        measured = measured_spreads(matrix, family)
    except DataError as error:
        return unknown(str(error).removeprefix(f"{matrix.measure}: "))
    source = source_of_pairs(matrix, measured, measured.quantile(0.5))
    task = PlanTask(
        source=source,
        wide=source,
        have=about["topics"],
        power=power,
        alpha=chose.alpha,
        pairs=pairs,
        places=(),
        systems=len(matrix.systems),
        simulations=simulations,
        seed=comparison.seed,
    )
    search = task.search(task.sample(test), "all" if pairs > 1 else "one")
    basis = f"{test.words}{over}, alpha {alpha}"
    if task.have < search.goal.least:
        why = (
            f"on {counted(task.have, 'topic')} the smallest p is {number(math.ldexp(2.0, -task.have), 3)}, above"
            f" {alpha}{f'/{pairs:,}' if pairs > 1 else ''}; {search.goal.least} topics are the fewest that can find one"
        )
        return SmallestFound(value=math.nan, basis=basis, why=why, hopeless=True, **about)
    smallest = search.difference(task.have)
    return SmallestFound(
        value=smallest.value, basis=basis, why=smallest.why, hopeless=smallest.why is not None, **about
    )


def _reach_of_sample(comparison: Comparison, power: float, alpha: float) -> float:
    """For assessors like those who judged: of the pair whose standard error is the median one."""
    from adjudge.stats.power.rates import t_reach

    assert comparison.population is not None
    assert comparison.population.pairs is not None
    pairs = comparison.population.pairs
    usable = np.flatnonzero(comparison.family & np.isfinite(pairs.error) & (pairs.error > 0) & (pairs.df > 0))
    if not usable.size:
        return math.nan
    middle = usable[np.argsort(pairs.error[usable], kind="stable")[(usable.size - 1) // 2]]
    return t_reach(float(pairs.error[middle]), float(pairs.df[middle]), power=power, alpha=alpha)
