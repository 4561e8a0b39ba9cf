"""How often are systems told apart that do not differ, when other assessors might have judged? And when they do?

Ratings from 1 to 5 are drawn from cumulative-logit models with effects of documents, assessors, documents by systems
and assessors by systems (as Steen and Markert 2021 fit to crowds; the numbers are not theirs, see `CROWD`). Documents
and assessors are new in every simulation. Shares of pairs found at .05, uncorrected and by Holm, for assessors like
those who judged and for these alone (stats/linear/judged_pairs.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit

from adjudge.stats.linear.judged_pairs import judged_pairs
from adjudge.stats.multiple import holm
from adjudge.stats.pairs import columns_of_pairs

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

ALPHA = 0.05


@dataclass(frozen=True)
class Crowd:
    """A cumulative-logit model of ratings: standard deviations of what is random, on the scale of the logit.

    The noise has the standard deviation of the logistic distribution, 1.81.
    """

    thresholds: tuple[float, ...]
    document: float
    assessor: float
    document_by_system: tuple[float, float]
    """Of the first and of the last system; the others lie between, in equal steps."""
    assessor_by_system: tuple[float, float]
    spread: float = 0.0
    """Of the systems themselves, about their mean: 0 where there is nothing to find."""


CROWD = Crowd(
    thresholds=(-2.6, -1.2, 0.2, 2.0),
    document=0.7,
    assessor=0.9,
    document_by_system=(0.8, 1.2),
    assessor_by_system=(0.3, 0.75),
)
"""Plausible, not published: ratings of 1 to 5 in all places of the scale, assessors who differ in severity more than
documents in quality, and whose tastes for systems have about a seventh of the variance of a document's difference
between systems, averaged over three assessors (in SummEval's coherence it is a sixth). Systems vary unequally, as real
ones do: an error pooled over all of them is too small for some pairs."""
UNLIKE = replace(CROWD, document_by_system=(0.5, 1.6), assessor_by_system=(0.1, 1.2))
"""The same with systems that vary far more unequally: what a pooled error can hardly bear."""
REAL = replace(CROWD, spread=1.2)
"""The same with real differences: means of systems have a standard deviation of 0.6, as in SummEval's coherence."""


@dataclass(frozen=True)
class Plan:
    """Groups of assessors with their own documents, who judge all systems; or each summary by some of them."""

    name: str
    groups: int
    assessors: int
    """In a group."""
    documents: int
    """Of a group."""
    per_summary: int | None = None
    """Where not everyone in the group judges each summary: how many do, drawn for each."""


PLANS = {
    plan.name: plan
    for plan in (
        Plan("3 assessors judge everything", groups=1, assessors=3, documents=100),
        Plan("2 groups of 3", groups=2, assessors=3, documents=50),
        Plan("5 groups of 3", groups=5, assessors=3, documents=20),
        Plan("10 groups of 3", groups=10, assessors=3, documents=10),
        Plan("20 groups of 3", groups=20, assessors=3, documents=5),
        Plan("60 assessors, one per document", groups=60, assessors=1, documents=2),
        Plan("8 assessors, two per summary", groups=1, assessors=8, documents=100, per_summary=2),
    )
}


def shifts(crowd: Crowd, systems: int) -> FloatArray:
    """What each system's logit needs so that its expected rating is that of logit 0, or that of its own place.

    The wider a system varies, the nearer its mean rating is to the middle of the scale: without this, systems of one
    median would differ in their means.
    """
    wide = np.sqrt(
        _between(crowd.document_by_system, systems) ** 2 + _between(crowd.assessor_by_system, systems) ** 2
    )
    wide = np.sqrt(wide**2 + crowd.document**2 + crowd.assessor**2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    thresholds = np.array(crowd.thresholds)

    def expected(logit: float, sd: float) -> float:
        chances = expit(logit + sd * nodes[:, None] - thresholds).sum(axis=1)
        return float(weights @ chances / weights.sum())

    places = _places(systems) * crowd.spread
    middle = float(np.sqrt(np.mean(wide**2)))
    return np.array(
        [
            brentq(lambda x, sd=sd, place=place: expected(x, sd) - expected(place, middle), -9, 9)
            for sd, place in zip(wide, places, strict=True)
        ]
    )


def _places(systems: int) -> FloatArray:
    """Equal steps with mean 0 and standard deviation 1, in an order that has nothing to do with how they vary."""
    steps = np.arange(systems) - (systems - 1) / 2
    steps = steps / np.sqrt(np.mean(steps**2))
    return np.random.default_rng(0).permutation(steps)


def _between(ends: tuple[float, float], systems: int) -> FloatArray:
    return np.linspace(*ends, systems)


@dataclass(frozen=True)
class Ratings:
    """One entry for each judgment."""

    values: FloatArray
    document: IntArray
    system: IntArray
    assessor: IntArray


def ratings(crowd: Crowd, plan: Plan, systems: int, at: FloatArray, rng: np.random.Generator) -> Ratings:
    """One simulated evaluation; `at` are the systems' logits."""
    shape = systems, plan.groups, plan.documents, plan.assessors
    system, group, document, assessor = (each.ravel() for each in np.indices(shape))
    if plan.per_summary is not None:
        drawn = rng.random(shape).argsort(axis=3).argsort(axis=3).ravel() < plan.per_summary
        system, group, document, assessor = (each[drawn] for each in (system, group, document, assessor))
    document, assessor = group * plan.documents + document, group * plan.assessors + assessor
    documents, assessors = plan.groups * plan.documents, plan.groups * plan.assessors
    by_document = rng.standard_normal((documents, systems)) * _between(crowd.document_by_system, systems)
    by_assessor = rng.standard_normal((assessors, systems)) * _between(crowd.assessor_by_system, systems)
    logit = at[system] + by_document[document, system] + by_assessor[assessor, system]
    logit += crowd.document * rng.standard_normal(documents)[document]
    logit += crowd.assessor * rng.standard_normal(assessors)[assessor]
    latent = logit + rng.logistic(size=logit.size)
    values = 1.0 + (latent[:, None] > np.array(crowd.thresholds)).sum(axis=1)
    return Ratings(values=values, document=document, system=system, assessor=assessor)


@dataclass(frozen=True)
class Rates:
    """Shares of simulations in which pairs are found at .05."""

    mean: float
    """Of all pairs, uncorrected, for assessors like those who judged."""
    worst: float
    """Of the pair found most often, uncorrected."""
    family: float
    """Any pair, after Holm."""
    these: float
    """Of all pairs, uncorrected, for those who judged alone: others were drawn every time."""
    these_family: float
    simulations: int


def rates(crowd: Crowd, plan: Plan, systems: int, *, simulations: int, seed: int) -> Rates:
    """The shares of so many simulated evaluations."""
    rng = np.random.default_rng(seed)
    at = shifts(crowd, systems)
    pairs = columns_of_pairs(systems)[0].size
    similar, these = np.ones((2, simulations, pairs))
    for k in range(simulations):
        drawn = ratings(crowd, plan, systems, at, rng)
        found = judged_pairs(drawn.values, drawn.document, drawn.system, drawn.assessor, size=systems)
        similar[k] = np.nan_to_num(found.similar.p, nan=1.0)
        these[k] = np.nan_to_num(found.these.p, nan=1.0)
    return Rates(
        mean=float((similar <= ALPHA).mean()),
        worst=float((similar <= ALPHA).mean(axis=0).max()),
        family=_any_after_holm(similar),
        these=float((these <= ALPHA).mean()),
        these_family=_any_after_holm(these),
        simulations=simulations,
    )


def _any_after_holm(p: FloatArray) -> float:
    return float(np.mean([(holm(row) <= ALPHA).any() for row in p]))


def often(plan: Plan, systems: int) -> int:
    """Simulations: designs that are not balanced take a second each."""
    if plan.per_summary is None:
        return 1000
    return 240 if systems == 5 else 120


def main() -> None:
    """Prints the tables of docs/calibration.md, in per cent: about 10 minutes."""
    every = [(systems, plan) for systems in (5, 12) for plan in PLANS.values()]
    for systems, plan in every:
        print(without_difference(plan, systems), flush=True)
    for systems, plan in every:
        print(with_differences(plan, systems), flush=True)
    for name in ("3 assessors judge everything", "2 groups of 3", "5 groups of 3"):
        print(without_difference(PLANS[name], 12, UNLIKE), flush=True)


def without_difference(plan: Plan, systems: int, crowd: Crowd = CROWD) -> str:
    found = rates(crowd, plan, systems, simulations=often(plan, systems), seed=1)
    return _row(systems, plan, (found.mean, found.worst, found.family, found.these, found.these_family))


def with_differences(plan: Plan, systems: int) -> str:
    found = rates(REAL, plan, systems, simulations=often(plan, systems) // 10, seed=2)
    return _row(systems, plan, (found.mean, found.these))


def _row(systems: int, plan: Plan, numbers: tuple[float, ...]) -> str:
    return f"| {systems} | {plan.name} | " + " | ".join(f"{100 * each:.1f}" for each in numbers) + " |"


if __name__ == "__main__":
    main()
