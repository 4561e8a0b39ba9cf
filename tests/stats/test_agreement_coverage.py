"""How often intervals of agreement cover the truth, in ratings simulated with topics that differ in difficulty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjudge.stats.agreement import (
    AgreementCoefficient,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff,
    percent_agreement,
)
from adjudge.stats.icc import intraclass

pytestmark = pytest.mark.slow

SYSTEMS, ASSESSORS, MISSING = 6, 3, 0.15
SEVERITY = np.array([0.0, 0.3, -0.3])


def judged(rng: np.random.Generator, topics: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of 1 to 5 by three people, some missing: topics differ in level and in how hard they are to judge."""
    topic = np.repeat(np.arange(topics), SYSTEMS)
    level = rng.normal(0, 0.5, topics)[topic]
    noise = rng.choice([0.3, 1.2], topics)[topic]
    truth = 3.8 + level + rng.normal(0, 0.8, topic.size)
    values = truth[:, None] + SEVERITY + noise[:, None] * rng.normal(size=(topic.size, ASSESSORS))
    values = np.clip(np.round(values), 1, 5)
    values[rng.random(values.shape) < MISSING] = np.nan
    return values, topic


def kappa(values: np.ndarray, **given: Any) -> AgreementCoefficient:
    return cohen_kappa(values[:, 0], values[:, 1], weights="quadratic", categories=range(1, 6), **given)


def ac2(values: np.ndarray, **given: Any) -> AgreementCoefficient:
    return gwet_ac(values, weights="quadratic", categories=range(1, 6), **given)


STATISTICS: dict[str, Callable[..., AgreementCoefficient]] = {
    "alpha": krippendorff,
    "AC2": ac2,
    "Fleiss' kappa": fleiss_kappa,
    "agreement": percent_agreement,
    "Cohen's kappa": kappa,
}


def covering(name: str, topics: int, runs: int, clusters: bool = True) -> float:
    statistic = STATISTICS[name]
    values, _ = judged(np.random.default_rng(99), 30_000)
    truth = statistic(values, rng=np.random.default_rng(0), resamples=0).value
    inside = 0
    for run in range(runs):
        rng = np.random.default_rng((topics, run))
        values, topic = judged(rng, topics)
        found = statistic(values, rng=rng, resamples=400, clusters=topic if clusters else None)
        inside += found.low <= truth <= found.high
    return inside / runs


@pytest.mark.parametrize("name", list(STATISTICS))
def test_intervals_over_topics_cover_at_their_level(name: str) -> None:
    assert 0.92 <= covering(name, 100, 500) <= 0.98
    assert 0.90 <= covering(name, 30, 500) <= 0.98


def test_few_topics_are_somewhat_too_narrow_and_things_far_too_narrow() -> None:
    assert 0.84 <= covering("alpha", 10, 500) <= 0.95
    assert covering("alpha", 100, 300, clusters=False) < 0.92


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_intervals_of_intraclass_correlations_cover_at_their_level(missing: float) -> None:
    """From F where nothing is missing, simulated from REML where cells are: of normal ratings by ten people."""
    things, people, noise = 1.0, 0.3, 0.8
    truth = things / (things + people + noise)
    inside, runs = 0, 300 if missing == 0 else 60
    for run in range(runs):
        rng = np.random.default_rng((7, run))
        values = rng.normal(0, things**0.5, (40, 1)) + rng.normal(0, people**0.5, 10)
        values = values + rng.normal(0, noise**0.5, (40, 10))
        values[rng.random(values.shape) < missing] = np.nan
        found = intraclass(values, rng=rng, resamples=100).two_way
        inside += found.low <= truth <= found.high
    assert inside / runs >= (0.92 if missing == 0 else 0.85)
