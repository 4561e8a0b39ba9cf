"""Power where assessors are a sample too: against plain simulation and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.judged_pairs import judged_pairs
from adjudge.stats.power.assessors import DRAWS, Crossed, t_power_of, t_quantiles
from adjudge.stats.power.rates import t_difference, t_power, t_topics


def plain_p(seen: FloatArray) -> float:
    """The test of the first two of several systems, of groups x systems x topics x judges."""
    _, systems, topics, judges = seen.shape
    group, system, topic, judge = (codes.ravel() for codes in np.indices(seen.shape))
    found = judged_pairs(seen.ravel(), group * topics + topic, system, group * judges + judge, size=systems)
    return float(found.similar.p[0])


def seen(
    model: Crossed, topics: int, judges: int, difference: float, rng: np.random.Generator, groups: int = 1
) -> FloatArray:
    """Scores, groups x systems x topics x judges, from a normal model with everything that cancels out as well."""
    shape = (groups, model.systems, topics // groups, judges // groups)
    g, s, t, a = shape

    def drawn(variance: float, *size: int) -> FloatArray:
        return math.sqrt(variance) * rng.normal(size=size)

    found = drawn(model.topics / 2, g, s, t, 1) + drawn(model.likings / 2, g, s, 1, a)
    found = found + drawn(model.residual / 2, *shape)
    found = found + drawn(1.0, g, 1, t, 1) + drawn(1.0, g, 1, 1, a) + drawn(0.5, g, 1, t, a)
    found[:, 0] += difference
    return found


DESIGNS = [
    (Crossed(1.0, 1.0, 0.5), 30, 3, 1, 1.5, 0.05),
    (Crossed(1.0, 0.1, 0.5), 30, 3, 1, 0.7, 0.05),
    (Crossed(1.0, 0.0, 0.5, systems=5), 20, 2, 1, 0.8, 0.05),
    (Crossed(2.0, 0.5, 1.0, systems=4), 12, 8, 1, 1.2, 0.01),
    (Crossed(2.0, 0.5, 1.0, systems=4), 12, 12, 1, 1.2, 0.01),
    (Crossed(1.0, 0.3, 1.0, systems=6), 20, 4, 2, 0.9, 0.05),
    (Crossed(1.0, 0.3, 1.0, systems=3), 20, 15, 5, 0.7, 0.05),
    (Crossed(1.0, 0.3, 1.0, systems=3), 24, 8, 8, 0.9, 0.05),
    (Crossed(1.0, 1.0, 0.5, systems=5), 100, 3, 1, 0.0, 0.05),
]


def agree(model: Crossed, design: tuple[int, int, int], difference: float, alpha: float, times: int) -> None:
    topics, judges, groups = design
    rng = np.random.default_rng(4)
    found = [plain_p(seen(model, topics, judges, difference, rng, groups)) <= alpha for _ in range(times)]
    said = model.power(topics, judges, difference, alpha, groups)
    assert np.mean(found) == pytest.approx(
        said, abs=3.3 * math.sqrt(said * (1 - said) * (1 / times + 1 / DRAWS))
    )


@pytest.mark.parametrize(("model", "topics", "judges", "groups", "difference", "alpha"), DESIGNS)
def test_power_is_what_simulated_judgments_show(
    model: Crossed, topics: int, judges: int, groups: int, difference: float, alpha: float
) -> None:
    agree(model, (topics, judges, groups), difference, alpha, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("own", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("systems", [2, 5, 12])
@pytest.mark.parametrize(
    ("topics", "judges", "groups"),
    [(100, 3, 1), (30, 10, 1), (25, 12, 1), (100, 6, 2), (100, 15, 5), (100, 60, 20), (300, 30, 30)],
)
def test_power_is_what_many_simulated_judgments_show(
    own: float, systems: int, topics: int, judges: int, groups: int
) -> None:
    model = Crossed(1.0, own, 0.8, systems=systems)
    size = 2.5 * model.error(topics, judges, groups)
    for difference in (0.0, size):
        agree(model, (topics, judges, groups), difference, 0.05, 1500)


def test_the_standard_error_is_that_of_simulated_differences() -> None:
    model = Crossed(1.0, 0.3, 1.0, systems=2)
    rng = np.random.default_rng(5)
    drawn = [seen(model, 20, 6, 0.0, rng, 2) for _ in range(4000)]
    found = np.std([each[:, 0].mean() - each[:, 1].mean() for each in drawn])
    assert model.error(20, 6, 2) == pytest.approx(found, rel=0.03)
    assert model.error(20, 6, 2) == pytest.approx(math.sqrt(1 / 20 + 0.3 / 6 + 1 / 60))


def test_more_groups_over_the_same_topics_average_own_likings_out() -> None:
    model = Crossed(1.0, 0.3, 1.0, systems=5)
    errors = [model.error(100, 3 * groups, groups) for groups in (1, 2, 5, 10, 20)]
    assert errors == sorted(errors, reverse=True)
    without = Crossed(1.0, 0.0, 1.0, systems=5)
    assert without.error(100, 3, 1) == pytest.approx(without.error(100, 60, 20))


def test_degrees_of_freedom_are_those_of_the_mean_squares() -> None:
    """Without own likings topics are what counts; with nothing else, the judges are; of all systems, or fewer."""
    assert 49 < Crossed(1.0, 0.0, 0.01, systems=5).freedom(50, 3) <= 4 * 49
    assert 2 < Crossed(0.0, 1.0, 1e-9, systems=5).freedom(50, 3) <= 4 * 2
    assert 11 < Crossed(0.0, 1.0, 1e-9, systems=5).freedom(50, 12) <= 4 * 11
    assert Crossed(0.0, 1.0, 1e-9).freedom(50, 12) == pytest.approx(11, rel=0.01)
    # However many judges, never more than these judges alone have.
    assert Crossed(1.0, 1.0, 1.0).freedom(10, 500) <= 9
    assert Crossed(1.0, 1.0, 1.0, systems=5).freedom(50, 10, 10) <= 4 * 40


def test_judges_alone_on_their_topics_are_groups_of_one() -> None:
    alone, plain = Crossed(1.0, 0.25, 0.0, systems=5, alone=True), Crossed(1.0, 0.25, 0.0, systems=5)
    assert alone.power(40, 5, 0.8, 0.05) == plain.power(40, 5, 0.8, 0.05, groups=5)
    assert alone.error(40, 5) == pytest.approx(math.sqrt(1 / 40 + 0.25 / 5))
    assert math.isnan(alone.power(4, 5, 0.8, 0.05))
    assert alone.topics_for(8, 1.0, 0.8, 0.05) >= 8
    assert alone.best(5, 0.8, 0.05) >= alone.power(40, 5, 0.8, 0.05)


def test_with_many_topics_only_the_judges_are_left() -> None:
    model = Crossed(1.0, 0.25, 0.5)
    assert model.power(math.inf, 3, 0.5, 0.05) == t_power(3, 0.5, 0.5)
    assert model.power(10**7, 3, 0.5, 0.05) == pytest.approx(t_power(3, 0.5, 0.5), abs=0.005)
    assert model.power(math.inf, 3, 0.5, 0.05) < 0.25
    # And with many judges, only the topics.
    assert model.power(20, math.inf, 0.5, 0.05) == t_power(20, 0.5, 1.0)
    assert model.power(20, 10**6, 0.5, 0.05) == pytest.approx(t_power(20, 0.5, 1.0), abs=0.01)
    assert t_power_of(3.5, 0.5, 1.0, 0.05) == pytest.approx((t_power(3, 0.5, 1) + t_power(4, 0.5, 1)) / 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("alpha", [1e-9, 1e-7, 1e-4, 0.01, 0.05, 0.5, 0.9])
def test_quantiles_by_a_polynomial_are_those_of_t(alpha: float) -> None:
    df = np.concatenate([np.geomspace(0.05, 1e15, 2000), [2.0, math.inf]])
    assert t_quantiles(df, alpha) == pytest.approx(stdtrit(df, 1 - alpha / 2), rel=3e-11)


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
    assert math.isnan(model.power(40, 2, 0.5, 0.05))  # one degree of freedom
    assert not math.isnan(Crossed(1.0, 0.36, 1.0, systems=3).power(40, 2, 0.5, 0.05))
    assert math.isnan(model.power(40, 2, 0.5, 0.05, groups=2))
    assert math.isnan(model.freedom(40, 2))
    for nothing in (
        model.power(40, 1, 0.5, 0.05),
        model.difference(40, 1, 0.8, 0.05),
        model.best(1, 0.5, 0.05),
        model.smallest(1, 0.8, 0.05),
    ):
        assert math.isnan(nothing)
    assert model.topics_for(1, 0.5, 0.8, 0.05) == math.inf
    with pytest.raises(UsageError, match="likings: expected a variance, got -1"):
        Crossed(1.0, -1.0, 1.0)
    nowhere = Crossed(0.0, 0.0, 0.0)
    assert nowhere.power(10, 3, 0.5, 0.05) == 1
    assert nowhere.difference(10, 3, 0.8, 0.05) == 0
