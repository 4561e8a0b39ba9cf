"""The smallest difference that a finished comparison could have found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from adjudge.analyses.compare.sampled import sureness_of
from adjudge.analyses.plan import Correct, Plan
from adjudge.analyses.plan.result import PlanTask, source_of_pairs, spreads_of
from adjudge.analyses.plan.words import found_basis, reason
from adjudge.analyses.tests import ASSESSORS, THESE
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.power.search import chosen

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


@dataclass(frozen=True)
class SmallestFound:
    """The smallest difference that a comparison, as it was made, finds with a power; NaN where `why` says why."""

    value: float
    power: float
    topics: int
    """That two systems have in common, in the median."""
    median: float
    """Half of the pairs that were compared lie at least this far apart."""
    tested: Mapping[str, Any] = field(default_factory=dict)
    """By what: test, correction, pairs and alpha."""
    reason: Note | None = None
    """Why it is not known, or no difference can be found."""
    hopeless: bool = False
    """No difference at all can be found on so many topics."""

    @property
    def basis(self) -> str:
        """As it stands in brackets."""
        return found_basis(**self.tested) if self.tested else ""

    @property
    def why(self) -> str | None:
        return None if self.reason is None else reason(self.reason)


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

    def unknown(code: str, **data: Any) -> SmallestFound:
        return SmallestFound(value=math.nan, reason=Note.of(code, **data), **about)

    if chose.correct not in get_args(Correct):
        return unknown("other-correction", correct=chose.correct)
    if chose.side != "both":
        return unknown("one-sided")
    if comparison.codes is not None:
        return unknown("whole-sets")
    pairs = 1 if chose.correct == "none" else pairs
    if comparison.test in (THESE, ASSESSORS):
        value = _reach_of_sample(comparison, power, chose.alpha / pairs)
        if math.isnan(value):
            return unknown("no-standard-error")
        tested = {"test": comparison.test, "correct": "bonferroni", "pairs": pairs, "alpha": chose.alpha}
        return SmallestFound(value=value, tested=tested, **about)
    test = chosen(comparison.test)
    if not test.quick:
        return unknown("slow-test", test=comparison.test)
    measured = spreads_of(matrix, family)
    if isinstance(measured, Note):
        return unknown(measured.code, **measured.data)
    source = source_of_pairs(matrix, measured, measured.quantile(0.5))
    task = PlanTask(
        source=source,
        wide=source,
        have=about["topics"],
        pairs=pairs,
        places=(),
        systems=len(matrix.systems),
        asked=Plan(power=power, alpha=chose.alpha, simulations=simulations, seed=comparison.seed),
    )
    search = task.search(task.sample(test), "all" if pairs > 1 else "one")
    about["tested"] = {
        "test": comparison.test,
        "correct": chose.correct,
        "pairs": pairs,
        "alpha": chose.alpha,
    }
    if task.have < search.goal.least:
        fewest = Note.of(
            "too-few-topics", topics=task.have, alpha=chose.alpha, pairs=pairs, fewest=search.goal.least
        )
        return SmallestFound(value=math.nan, reason=fewest, hopeless=True, **about)
    smallest = search.difference(task.have)
    none = None if smallest.why is None else Note.of("search-says", text=smallest.why)
    return SmallestFound(value=smallest.value, reason=none, hopeless=none is not None, **about)


def _reach_of_sample(comparison: Comparison, power: float, alpha: float) -> float:
    """Where assessors are in the model: of the pair whose standard error is the median one."""
    from adjudge.stats.power.rates import t_reach

    assert comparison.population is not None
    assert comparison.population.pairs is not None
    pairs = sureness_of(comparison.population.pairs, comparison.test)
    usable = np.flatnonzero(comparison.family & np.isfinite(pairs.error) & (pairs.error > 0) & (pairs.df > 0))
    if not usable.size:
        return math.nan
    middle = usable[np.argsort(pairs.error[usable], kind="stable")[(usable.size - 1) // 2]]
    return t_reach(float(pairs.error[middle]), float(pairs.df[middle]), power=power, alpha=alpha)
