"""Would a check that passed have found a clear violation? Beside SciPy's tests and plain simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.linear import check_power
from adjudge.stats.linear.anova import residual_checks
from adjudge.stats.linear.check_power import (
    OUTLYING,
    brown_forsythe,
    power_of_additivity,
    power_of_normality,
    power_of_outlier,
    power_of_spread,
)
from adjudge.stats.linear.model import fit_two_way


def test_many_rows_of_values_at_once_equal_scipy() -> None:
    rng = np.random.default_rng(1)
    values, groups = rng.normal(size=(3, 30)), np.repeat([0, 1, 2], [5, 10, 15])
    for row, f in zip(values, brown_forsythe(values, groups), strict=True):
        expected = stats.levene(*(row[groups == k] for k in range(3)), center="median")
        assert f == pytest.approx(expected.statistic, rel=1e-12)


def test_few_rows_could_not_show_it_and_many_could() -> None:
    for shape, able in (((5, 3), False), ((60, 5), True)):
        rng = np.random.default_rng(2)
        fit = fit_two_way(rng.normal(size=shape))
        codes = np.indices(shape)[1].ravel()
        powers = [power_of_normality(fit, rng), power_of_spread(fit, codes, rng), power_of_outlier(fit)]
        assert all((power > 0.8) == able for power in powers)
    assert (
        power_of_normality(fit_two_way(rng.normal(size=(101, 4))), rng) == 1
    )  # by the degrees of freedom alone
    assert power_of_outlier(fit_two_way(np.array([[1.0, 2.0], [3.0, 5.0]]))) == 0


def test_the_power_of_additivity_is_that_of_a_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_power, "DRAWS", 2)  # of the other powers
    # Differences twice as large at the top of the scores as at their bottom, by the definition.
    rng = np.random.default_rng(3)
    score = np.add.outer(np.linspace(0, 2, 12), np.linspace(0, 1.5, 6))
    found, powers = [], []
    for _ in range(300):
        away = score - score.mean()
        bend = 1 / (away.max() - 2 * away.min())
        assert 1 + bend * away.max() == pytest.approx(2 * (1 + bend * away.min()))
        fit = fit_two_way(away + bend / 2 * away**2 + rng.normal(0, 0.35, score.shape))
        checks = residual_checks(fit, np.indices(score.shape)[1].ravel(), rng=rng)
        found.append(checks.additive.p < 0.05)
        fitted = fit.model.fitted(fit.model.keys)
        square = (fitted - fitted.mean()) ** 2
        powers.append(power_of_additivity(fit, square - fit.space.project(square), fitted))
    assert 0.2 < np.mean(found) < 0.95
    assert np.mean(powers) == pytest.approx(np.mean(found), abs=0.1)


def test_the_power_of_outliers_is_that_of_a_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_power, "DRAWS", 2)  # of the other powers
    rng = np.random.default_rng(4)
    shape = (8, 4)
    found = []
    for _ in range(300):
        values = rng.normal(size=shape)
        values[2, 1] += OUTLYING * rng.choice([-1, 1])
        fit = fit_two_way(values)
        checks = residual_checks(fit, np.indices(shape)[1].ravel(), rng=rng)
        found.append(2 * 4 + 1 in checks.largest[checks.outlier_p < 0.05])
    assert power_of_outlier(fit) == pytest.approx(np.mean(found), abs=0.08)


def test_a_check_that_found_something_needs_no_power() -> None:
    rng = np.random.default_rng(5)
    skewed = residual_checks(fit_two_way(rng.exponential(size=(40, 5)) ** 2), np.tile(range(5), 40), rng=rng)
    assert skewed.normal.p < 0.05
    assert np.isnan(skewed.normal.power)
    assert not skewed.normal.tells
