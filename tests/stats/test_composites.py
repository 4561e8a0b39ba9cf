"""Principal components as R has them, and a regression that is predicted from other topics and other systems alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.preprocessing import StandardScaler

from adjudge.core.errors import DataError
from adjudge.stats.checks import FloatArray
from adjudge.stats.composites import (
    PENALTIES,
    CrossValidatedRegression,
    cross_validated_regression,
    mean_of,
    principal_components,
    standardise,
)

ROWS = np.array(
    [
        *[[0.31, 0.10, 2.9, -71], [0.35, 0.12, 3.4, -66], [0.28, 0.07, 3.1, -75], [0.41, 0.17, 4.2, -60]],
        *[[0.22, 0.05, 2.0, -83], [0.30, 0.11, 2.6, -70], [0.38, 0.13, 3.9, -69], [0.33, 0.09, 3.0, -72]],
        *[[0.26, 0.08, 2.7, -74], [0.45, 0.19, 3.8, -58], [0.29, 0.10, 3.6, -77], [0.36, 0.15, 3.3, -63]],
    ]
)
FOUR = ROWS.T.reshape(4, 4, 3)
"""Measures x topics x systems."""


def correlation(x: FloatArray, y: FloatArray) -> float:
    both = ~np.isnan(x) & ~np.isnan(y)
    return float(np.corrcoef(x[both], y[both])[0, 1])


def test_components_are_those_of_r() -> None:
    # R 4.2.2, prcomp(x, scale. = TRUE) on ROWS; the signs of components 2 to 4 by our rule.
    found = principal_components(standardise(FOUR))
    shares = [0.8987990700210, 0.0796575019316, 0.0110869567126, 0.0104564713348]
    np.testing.assert_allclose(found.shares, shares, rtol=1e-10)
    loadings = [
        [0.5185304210406, 0.514546066588, 0.462224511671, 0.502709706118],
        [-0.0581021531627, -0.248245180124, 0.847620111316, -0.465337100643],
        [0.8521822056843, -0.363845478999, -0.216815215855, -0.307234630048],
        [0.0391896742561, 0.735685492120, -0.144498477074, -0.660568858060],
    ]
    np.testing.assert_allclose(found.loadings, loadings, atol=1e-10)
    first = [-0.622548735768, 0.664596009771, -1.365043817276]
    np.testing.assert_allclose(found.scores[0].ravel()[:3], first, atol=1e-10)
    assert found.scores[0].ravel()[11] == pytest.approx(1.25313856231, abs=1e-10)
    assert found.scores[1].ravel()[0] == pytest.approx(-0.2486727123441, abs=1e-10)


def test_components_are_those_of_scikit_learn_up_to_signs() -> None:
    values = np.random.default_rng(4).normal(size=(6, 9, 5)).cumsum(axis=0)
    found = principal_components(standardise(values))
    rows = values.reshape(6, -1).T
    theirs = PCA().fit((rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1))
    np.testing.assert_allclose(found.shares, theirs.explained_variance_ratio_, rtol=1e-10)
    np.testing.assert_allclose(np.abs(found.loadings), np.abs(theirs.components_), atol=1e-9)


def test_the_first_component_goes_up_with_the_mean() -> None:
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(10, 6))
    for sign in (1, -1):
        measures = standardise(np.stack([sign * quality + rng.normal(size=quality.shape) for _ in range(4)]))
        first = principal_components(measures).scores[0]
        assert correlation(first, mean_of(measures)) > 0.9
        assert np.sign(correlation(first, quality)) == sign


def test_measures_that_say_the_same_leave_fewer_components() -> None:
    found = principal_components(standardise(np.stack([FOUR[0], FOUR[0] * 3 + 1, FOUR[1]])))
    assert found.shares.size == 2
    assert found.shares.sum() == pytest.approx(1)


def test_the_mean_is_that_of_z_scores() -> None:
    z = (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0, ddof=1)
    np.testing.assert_allclose(mean_of(standardise(FOUR)), z.mean(axis=1).reshape(4, 3), atol=1e-13)


def test_missing_cells_and_constant_measures() -> None:
    holed = FOUR.copy()
    holed[1, 2, 0] = np.nan
    holed[3, 0, 1] = np.nan
    with_flat = np.concatenate([holed, np.full((1, 4, 3), 7.0), np.full((1, 4, 3), np.nan)])
    found = standardise(with_flat)
    assert (found.kept, found.constant, found.incomplete) == ((0, 1, 2, 3), (4, 5), 2)
    assert np.argwhere(~found.present).tolist() == [[0, 1], [2, 0]]
    complete = ROWS[found.present.ravel()]
    z = (complete - complete.mean(axis=0)) / complete.std(axis=0, ddof=1)
    np.testing.assert_allclose(mean_of(found)[found.present], z.mean(axis=1), atol=1e-13)
    assert np.isnan(mean_of(found)[~found.present]).all()
    assert np.isnan(principal_components(found).scores[:, ~found.present]).all()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (FOUR[:1], "needs two measures that vary; there is 1$"),
        (
            np.stack([FOUR[0], np.ones((4, 3))]),
            r"there is 1 \(1 of 2 have one value everywhere, or none\)",
        ),
        (np.full((2, 3, 3), np.nan), r"there are 0 \(2 of 2"),
        (
            np.stack([np.where(np.arange(12).reshape(4, 3) < k, FOUR[0], np.nan) for k in (2, 12)]),
            "needs three cells that all 2 measures have; there are 2",
        ),
    ],
)
def test_too_little_is_refused(values: FloatArray, why: str) -> None:
    with pytest.raises(DataError, match=why):
        standardise(values)


# Regression


def by_hand(values: FloatArray, people: FloatArray, found: CrossValidatedRegression) -> FloatArray:
    """The same predictions by loops over scikit-learn, which never see a left-out topic or system."""
    t, s = found.topic_folds, found.system_folds
    centre = values.mean(axis=(1, 2))

    def fit(topics: list[int], systems: list[int], penalty: float) -> tuple[StandardScaler, Ridge]:
        chosen = np.isin(t, topics)[:, None] & np.isin(s, systems)[None, :] & ~np.isnan(people)
        rows = values[:, chosen].T
        scaler = StandardScaler().fit(rows)
        return scaler, Ridge(alpha=penalty * len(rows)).fit(scaler.transform(rows), people[chosen])

    predicted = np.full(people.shape, np.nan)
    for i in range(t.max() + 1):
        for j in range(s.max() + 1):
            others, rest = (
                [k for k in range(t.max() + 1) if k != i],
                [k for k in range(s.max() + 1) if k != j],
            )
            errors = []
            for penalty in PENALTIES:
                error = 0.0
                for k in others:
                    for m in rest:
                        scaler, model = fit(
                            [x for x in others if x != k], [x for x in rest if x != m], penalty
                        )
                        block = (t == k)[:, None] & (s == m)[None, :] & ~np.isnan(people)
                        if block.any():
                            guess = model.predict(scaler.transform(values[:, block].T))
                            error += ((people[block] - guess) ** 2).sum()
                errors.append(error)
            scaler, model = fit(others, rest, PENALTIES[int(np.argmin(errors))])
            block = (t == i)[:, None] & (s == j)[None, :]
            predicted[block] = ((values[:, block].T - centre) / scaler.scale_) @ model.coef_
    return predicted


def test_regression_equals_loops_over_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(9, 7))
    values = np.stack([quality + rng.normal(size=quality.shape) for _ in range(3)])
    people = 3 + quality + 0.5 * rng.normal(size=quality.shape)
    people[2, 3] = people[5, 1] = np.nan
    found = cross_validated_regression(standardise(values), people, rng=np.random.default_rng(1), folds=3)
    np.testing.assert_allclose(found.predicted, by_hand(values, people, found), atol=1e-9)
    assert found.weights.shape == (9, 3)
    assert found.learned_from[1] < 61
    assert correlation(found.predicted, people) > 0.6


def test_a_cell_is_predicted_without_its_topic_and_its_system() -> None:
    rng = np.random.default_rng(8)
    values, people = rng.normal(size=(4, 12, 8)), rng.normal(size=(12, 8))
    first = cross_validated_regression(standardise(values), people, rng=np.random.default_rng(0), folds=4)
    changed = people.copy()
    changed[5, :] += 100 * rng.normal(size=8)
    changed[:, 2] -= 100 * rng.normal(size=12)
    again = cross_validated_regression(standardise(values), changed, rng=np.random.default_rng(0), folds=4)
    same = (first.topic_folds == first.topic_folds[5])[:, None] & (
        first.system_folds == first.system_folds[2]
    )
    assert same.any()
    np.testing.assert_allclose(first.predicted[same], again.predicted[same], rtol=1e-9)
    assert (first.predicted[~same] != again.predicted[~same]).all()


def test_topics_of_one_cluster_share_a_fold() -> None:
    rng = np.random.default_rng(8)
    clusters = [f"set{k // 3}" for k in range(12)]
    found = cross_validated_regression(
        standardise(rng.normal(size=(2, 12, 6))), rng.normal(size=(12, 6)), rng=rng, clusters=clusters
    )
    for name in set(clusters):
        assert len({fold for fold, own in zip(found.topic_folds, clusters, strict=True) if own == name}) == 1
    assert len(set(found.topic_folds)) == 4


def noise(seed: int) -> tuple[FloatArray, FloatArray]:
    """Forty measures and people with nothing in common, though every system has a level of its own in each."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 20, 12)) + 2 * rng.normal(size=(40, 1, 12))
    return values, rng.normal(size=(20, 12)) + 2 * rng.normal(size=(1, 12))


def test_on_noise_nothing_leaks() -> None:
    ours, leaky = [], []
    for seed in range(12):
        values, people = noise(seed)
        measures = standardise(values)
        found = cross_validated_regression(measures, people, rng=np.random.default_rng(seed))
        ours.append(
            (correlation(found.predicted, people), correlation(found.predicted.mean(0), people.mean(0)))
        )
        # Leaving out topics alone: the measures tell the systems, and their levels are learned from other topics.
        guess = np.full(people.shape, np.nan)
        for fold in range(5):
            out = found.topic_folds == fold
            model = LinearRegression().fit(values[:, ~out].reshape(40, -1).T, people[~out].ravel())
            guess[out] = model.predict(values[:, out].reshape(40, -1).T).reshape(-1, 12)
        leaky.append((correlation(guess, people), correlation(guess.mean(0), people.mean(0))))
    overall, by_system = np.mean(ours, axis=0)
    assert np.mean(leaky, axis=0)[0] > 0.7
    assert np.mean(leaky, axis=0)[1] > 0.98
    # Standard errors over 12 draws are about .05 and .1.
    assert abs(overall) < 0.15
    assert abs(by_system) < 0.3


def test_an_intercept_would_turn_the_correlation_negative() -> None:
    # Each system by the mean of the others, which is the prediction where the slopes are 0.
    _, people = noise(1)
    level = np.array([np.delete(people, k, axis=1).mean() for k in range(12)])
    assert correlation(level, people.mean(axis=0)) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ((3, 2, 6), "needs 3 topics with people's scores; there are 2"),
        ((3, 6, 2), "needs 3 systems with people's scores; there are 2"),
    ],
)
def test_too_few_to_leave_out_is_refused(shape: tuple[int, int, int], why: str) -> None:
    rng = np.random.default_rng(2)
    with pytest.raises(DataError, match=why):
        cross_validated_regression(standardise(rng.normal(size=shape)), rng.normal(size=shape[1:]), rng=rng)


def test_people_who_say_one_thing_cannot_be_predicted() -> None:
    rng = np.random.default_rng(2)
    with pytest.raises(DataError, match="people gave one score to every summary"):
        cross_validated_regression(standardise(rng.normal(size=(3, 5, 5))), np.full((5, 5), 3.0), rng=rng)


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_sizes_whose_squares_are_no_numbers(size: float) -> None:
    rng = np.random.default_rng(8)
    people = rng.normal(size=(9, 7))
    values = people + rng.normal(size=(3, 9, 7))
    large = values * np.array([size, 1.0, size])[:, None, None]
    plain, found = standardise(values), standardise(large)
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-9, atol=1e-12)
    assert found.kept == (0, 1, 2)
    fits = [
        cross_validated_regression(some, target, rng=np.random.default_rng(1))
        for some, target in ((plain, people), (found, size * people))
    ]
    np.testing.assert_allclose(fits[1].predicted, size * fits[0].predicted, rtol=1e-6, atol=1e-9 * size)
    np.testing.assert_allclose(fits[1].weights, size * fits[0].weights, rtol=1e-6, atol=1e-9 * size)
    flat = large.copy()
    flat[0] = size
    assert standardise(flat).constant == (0,)
