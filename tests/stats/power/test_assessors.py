"""Power where assessors are a sample too: against plain simulation and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtr

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.power.assessors import DRAWS, Crossed, t_power_of
from adjudge.stats.power.rates import t_difference, t_power, t_topics


def plain_p(seen: FloatArray) -> float:
    """The mixed model's test of one difference, topics x judges, by its mean squares; Satterthwaite 1946."""
    topics, judges = seen.shape
    mean, by_topic, by_judge = seen.mean(), seen.mean(axis=1), seen.mean(axis=0)
    a = judges * np.sum((by_topic - mean) ** 2) / (topics - 1)
    b = topics * np.sum((by_judge - mean) ** 2) / (judges - 1)
    e = np.sum((seen - by_topic[:, None] - by_judge + mean) ** 2) / ((topics - 1) * (judges - 1))
    a, b = max(a, e), max(b, e)
    variance = a + b - e
    df = variance**2 / (a**2 / (topics - 1) + b**2 / (judges - 1) + e**2 / ((topics - 1) * (judges - 1)))
    return float(2 * stdtr(df, -abs(mean) / math.sqrt(variance / (topics * judges))))


def seen(model: Crossed, topics: int, judges: int, difference: float, rng: np.random.Generator) -> FloatArray:
    parts = [
        math.sqrt(model.topics) * rng.normal(size=(topics, 1)),
        math.sqrt(model.own) * rng.normal(size=judges),
        math.sqrt(model.residual) * rng.normal(size=(topics, judges)),
    ]
    return np.asarray(difference + sum(parts))


@pytest.mark.parametrize(
    ("model", "topics", "judges", "difference", "alpha"),
    [
        (Crossed(1.0, 1.0, 0.5), 30, 3, 1.5, 0.05),
        (Crossed(1.0, 0.1, 0.5), 30, 3, 0.7, 0.05),
        (Crossed(1.0, 0.0, 0.5), 20, 2, 0.8, 0.05),
        (Crossed(2.0, 0.5, 1.0), 12, 8, 1.2, 0.01),
        (Crossed(1.0, 1.0, 0.5), 100, 3, 0.0, 0.05),
    ],
)
def test_power_is_what_simulated_judgments_show(
    model: Crossed, topics: int, judges: int, difference: float, alpha: float
) -> None:
    rng = np.random.default_rng(4)
    found = np.mean([plain_p(seen(model, topics, judges, difference, rng)) <= alpha for _ in range(3000)])
    said = model.power(topics, judges, difference, alpha)
    assert found == pytest.approx(said, abs=3.3 * math.sqrt(said * (1 - said) * (1 / 3000 + 1 / DRAWS)))


def test_with_many_topics_only_the_judges_are_left() -> None:
    model = Crossed(1.0, 0.25, 0.5)
    assert model.power(math.inf, 3, 0.5, 0.05) == t_power(3, 0.5, 0.5)
    assert model.power(10**7, 3, 0.5, 0.05) == pytest.approx(t_power(3, 0.5, 0.5), abs=0.005)
    assert model.power(math.inf, 3, 0.5, 0.05) < 0.25
    # And with many judges, only the topics.
    assert model.power(20, math.inf, 0.5, 0.05) == t_power(20, 0.5, 1.0)
    assert model.power(20, 10**6, 0.5, 0.05) == pytest.approx(t_power(20, 0.5, 1.0), abs=0.01)
    assert t_power_of(3.5, 0.5, 1.0, 0.05) == pytest.approx((t_power(3, 0.5, 1) + t_power(4, 0.5, 1)) / 2)


def test_no_number_of_topics_makes_up_for_judges() -> None:
    model = Crossed(1.0, 0.36, 1.0, have=100)
    assert model.topics_for(3, 0.5, 0.8, 0.05) == math.inf
    best = model.best(3, 0.5, 0.05)
    assert best < 0.3
    assert all(model.power(n, 3, 0.5, 0.05) <= best + 0.005 for n in (5, 30, 100, 500, 10**4, 10**6))
    fewest = model.fewest(0.5, 0.8, 0.05)
    assert fewest == pytest.approx(t_topics(0.5, 0.6), abs=1)
    assert math.isinf(model.topics_for(fewest - 1, 0.5, 0.8, 0.05))
    needed = model.topics_for(fewest, 0.5, 0.8, 0.05)
    assert model.power(needed, fewest, 0.5, 0.05) >= 0.8 > model.power(needed - 1, fewest, 0.5, 0.05)
    enough = model.judges_for(100, 0.5, 0.8, 0.05)
    assert model.power(100, enough, 0.5, 0.05) >= 0.8 > model.power(100, enough - 1, 0.5, 0.05)
    assert model.judges_for(10, 0.1, 0.8, 0.05) == math.inf


def test_the_smallest_differences() -> None:
    model = Crossed(1.0, 0.36, 1.0, have=40)
    found = model.difference(40, 5, 0.8, 0.05)
    assert model.power(40, 5, found, 0.05) == pytest.approx(0.8, abs=1e-4)
    assert model.smallest(5, 0.8, 0.05) <= found
    assert model.smallest(5, 0.8, 0.05) == pytest.approx(t_difference(5, 0.6), rel=0.05)
    assert Crossed(1.0, 0.0, 0.0).difference(40, 1000, 0.8, 0.05) == pytest.approx(
        t_difference(40, 1.0), rel=0.02
    )


def test_what_cannot_be_said() -> None:
    model = Crossed(1.0, 0.36, 1.0, have=40)
    for nothing in (
        model.power(40, 1, 0.5, 0.05),
        model.difference(40, 1, 0.8, 0.05),
        model.best(1, 0.5, 0.05),
        model.smallest(1, 0.8, 0.05),
    ):
        assert math.isnan(nothing)
    assert model.topics_for(1, 0.5, 0.8, 0.05) == math.inf
    with pytest.raises(UsageError, match="own: expected a variance, got -1"):
        Crossed(1.0, -1.0, 1.0)
    nowhere = Crossed(0.0, 0.0, 0.0)
    assert nowhere.power(10, 3, 0.5, 0.05) == 1
    assert nowhere.difference(10, 3, 0.8, 0.05) == 0
