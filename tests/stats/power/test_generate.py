"""Simulated scores have the moments that the model says, and nothing else random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.power.generate import NOISES, RATINGS, Noise, ScoreModel, draw, unit_noise


def correlations(columns: FloatArray) -> FloatArray:
    """Of every two columns."""
    return np.asarray(np.corrcoef(columns.T))[np.triu_indices(columns.shape[1], k=1)]


def drawn(simulations: int = 400, seed: int = 1, **model: Any) -> FloatArray:
    return draw(ScoreModel(**model), simulations, np.random.default_rng(seed))


# Skewness and kurtosis (normal: 0 and 3) by the textbook formulas; the t with 3 degrees of freedom has no kurtosis.
SHAPES: dict[Noise, tuple[float, float | None]] = {
    "normal": (0, 3),
    "t3": (0, None),
    "uniform": (0, 1.8),
    "skewed": (math.sqrt(2), 6),
    "lognormal": ((math.e + 2) * math.sqrt(math.e - 1), None),
}


@pytest.mark.parametrize("noise", NOISES)
def test_noise_has_mean_0_and_deviation_1(noise: Noise) -> None:
    values = unit_noise(noise, (1000, 1000), np.random.default_rng(0)).ravel()
    assert values.mean() == pytest.approx(0, abs=0.005)
    assert values.std() == pytest.approx(1, abs=0.02)
    skewness, kurtosis = SHAPES[noise]
    if noise not in ("t3", "lognormal"):  # their sample moments hardly settle
        assert stats.skew(values) == pytest.approx(skewness, abs=0.02)
        assert stats.kurtosis(values, fisher=False) == pytest.approx(kurtosis, abs=0.1)


@pytest.mark.parametrize(
    ("noise", "law"),
    [("t3", stats.t(3, scale=1 / math.sqrt(3))), ("skewed", stats.gamma(2, -math.sqrt(2), 1 / math.sqrt(2)))],
)
def test_noise_follows_its_law(noise: Noise, law: Any) -> None:
    values = unit_noise(noise, (20_000,), np.random.default_rng(3))
    assert stats.kstest(values, law.cdf).pvalue > 0.01
    assert stats.kstest(values, stats.norm.cdf).pvalue < 1e-6


def test_a_topic_is_shared_and_noise_is_not() -> None:
    scores = drawn(topics=500, topic_sd=2, means=(1, 0, 0))
    assert scores.shape == (400, 500, 3)
    x, y = scores[..., 0].ravel(), scores[..., 1].ravel()
    assert x.mean() - y.mean() == pytest.approx(1, abs=0.02)
    # The variance is 4 for the topic and 1 for noise.
    assert x.var() == pytest.approx(5, rel=0.02)
    assert correlations(scores[..., :2].reshape(-1, 2)) == pytest.approx(0.8, abs=0.01)
    assert (x - y).var() == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("shared", [-0.5, -0.2, 0.6])
def test_shared_noise_is_correlated(shared: float) -> None:
    scores = drawn(topics=500, topic_sd=0, means=(0, 0, 0), shared=shared).reshape(-1, 3)
    assert correlations(scores) == pytest.approx(shared, abs=0.02)
    assert scores.std(axis=0) == pytest.approx(1, abs=0.02)


def test_unequal_noise_keeps_its_mean_square() -> None:
    scores = drawn(topics=500, topic_sd=0, means=(0, 0, 0), unequal=4)
    sds = scores.reshape(-1, 3).std(axis=0)
    assert sds / sds[0] == pytest.approx([1, 2, 4], rel=0.02)
    assert np.mean(sds**2) == pytest.approx(1, rel=0.02)


def test_uneven_topics_keep_the_mean_square_and_have_heavier_tails() -> None:
    even, uneven = (drawn(topics=500, topic_sd=0, uneven=ratio).ravel() for ratio in (1, 9))
    assert even.std() == pytest.approx(1, rel=0.01)
    assert uneven.std() == pytest.approx(1, rel=0.01)
    # By integration over u from 1/3 to 3 on a log scale: 3 E[s^4] / E[s^2]^2.
    squares = (9 - 1 / 9) / (2 * math.log(9)), (81 - 1 / 81) / (4 * math.log(9))
    assert stats.kurtosis(uneven, fisher=False) == pytest.approx(3 * squares[1] / squares[0] ** 2, rel=0.03)


def test_noise_of_a_topic_is_as_loud_for_all_systems() -> None:
    scores = drawn(topics=500, topic_sd=0, uneven=25)
    assert correlations(np.abs(scores).reshape(-1, 2)) > 0.3
    assert correlations(scores.reshape(-1, 2)) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize(("topics", "kept"), [(10, 5), (7, 4), (1, 1)])
def test_every_second_system_lacks_half(topics: int, kept: int) -> None:
    scores = drawn(50, topics=topics, means=(0,) * 5, missing_half=True)
    present = ~np.isnan(scores)
    assert present[..., [0, 2, 4]].all()
    assert (present[..., [1, 3]].sum(axis=1) == kept).all()
    if topics > 1:  # not always the same half
        assert present[:, 0, 1].any()
        assert not present[:, 0, 1].all()
        assert (present[..., 1] != present[..., 3]).any()


def test_ratings_are_whole_numbers_from_1_to_5() -> None:
    scores = drawn(topics=100, step=1, bounds=RATINGS)
    assert set(np.unique(scores)) == {1, 2, 3, 4, 5}
    assert scores.mean() == pytest.approx(3, abs=0.02)


def test_tenths_are_the_numbers_that_decimals_give() -> None:
    scores = drawn(50, step=0.1)
    assert all(value == float(f"{value:.1f}") for value in scores.ravel().tolist())
    assert len(np.unique(scores)) > 50


def test_other_steps_are_multiples() -> None:
    scores = drawn(50, step=0.3)
    assert np.allclose(scores / 0.3, np.rint(scores / 0.3), atol=1e-12)


def test_the_same_generator_gives_the_same_scores() -> None:
    model = ScoreModel(5, noise="skewed", unequal=2, uneven=2, shared=0.3, missing_half=True, step=0.1)
    first, second = (draw(model, 20, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(first, second, equal_nan=True)
    assert not np.array_equal(first, draw(model, 20, np.random.default_rng(8)), equal_nan=True)


def test_nothing_is_drawn_where_nothing_is_asked_for() -> None:
    assert drawn(0).shape == (0, 48, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topics": 0}, "topics: expected a whole number of at least 1, got 0"),
        ({"means": (0.0,)}, "means: expected two systems or more, got 1"),
        ({"means": (0.0, math.nan)}, "means: expected numbers"),
        ({"noise": "loud"}, 'noise: unknown value "loud"'),
        ({"unequal": 0}, "unequal: expected a number above 0, got 0"),
        ({"uneven": math.inf}, "uneven: expected a number above 0"),
        ({"step": -1}, "step: expected a number above 0"),
        ({"topic_sd": -1}, "topic_sd: expected a number of at least 0"),
        ({"shared": 1}, "shared: expected a correlation from -1 to below 1, got 1"),
        (
            {"shared": -0.6, "means": (0, 0, 0)},
            "shared: expected a correlation from -0.5 to below 1, got -0.6",
        ),
        ({"bounds": (5, 1)}, "bounds: expected the lower one first"),
    ],
)
def test_a_wrong_model_is_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ScoreModel(**wrong)


def test_a_signature_says_what_is_not_usual() -> None:
    assert ScoreModel().signature == "noise:normal|topic-sd:1"
    model = ScoreModel(
        9, noise="t3", unequal=2, uneven=3, shared=-0.1, missing_half=True, step=1, bounds=RATINGS
    )
    assert model.signature == (
        "noise:t3|topic-sd:1|unequal:2|uneven:3|shared:-0.1|missing:half|round:1|within:1-5"
    )
