"""Least-squares means: emmeans on unbalanced designs, plain means on complete ones, NaN where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adjudge.errors import UsageError
from adjudge.stats.linear.anova import adjusted_means
from adjudge.stats.linear.model import fit_linear, fit_two_way

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", ["unbalanced", "holes"])
def test_means_and_covariances_equal_emmeans(name: str) -> None:
    # R 4.2.2, emmeans 1.8.4.1, emmeans(model, "system") and its vcov: data/anova.R
    expected = pd.read_csv(DATA / f"anova_means_{name}_expected.csv")
    frame = pd.read_csv(DATA / f"anova_{name}.csv")
    names = ["system", "topic", "assessor"] if name == "unbalanced" else ["system", "topic"]
    terms = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)] if name == "unbalanced" else [(0,), (1,)]
    factors = [pd.factorize(frame[each], sort=True)[0] for each in names]
    found = adjusted_means(fit_linear(frame["value"], factors, terms), 0)
    np.testing.assert_allclose(found.means, expected["mean"], rtol=1e-11)
    np.testing.assert_allclose(found.covariance, expected.iloc[:, 3:], rtol=1e-9)
    assert found.why == {}


def test_complete_tables_have_plain_means() -> None:
    values = np.random.default_rng(1).normal(size=(9, 4))
    fit = fit_two_way(values)
    found = adjusted_means(fit, 0)
    np.testing.assert_allclose(found.means, values.mean(axis=0), atol=1e-13)
    # The difference of two means has variance 2 sigma^2 / topics: what Tukey's test needs.
    v = found.covariance
    assert v[0, 0] + v[1, 1] - 2 * v[0, 1] == pytest.approx(2 * fit.residual_mean_square / 9)
    assert (found.residual_df, found.residual_mean_square) == (fit.residual_df, fit.residual_mean_square)
    np.testing.assert_array_equal(found.n, [9] * 4)


def test_a_system_that_met_easy_topics_is_brought_down() -> None:
    # By hand: topics are 0, 1, 2, 3; systems a = +0, b = +1; b lacks the two hard ones.
    values = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, np.nan], [3.0, np.nan]])
    np.testing.assert_allclose(adjusted_means(fit_two_way(values), 0).means, [1.5, 2.5], atol=1e-12)


def test_what_cannot_be_estimated_is_nan_and_says_why() -> None:
    hole = np.nan
    apart = np.array([[1, 2, hole, hole], [2, 2, hole, hole], [hole, hole, 1, 3], [hole, hole, 2, 1]])
    alone = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 2.0]])
    for values in (apart, alone):  # two pairs of systems without a common topic; every topic with one system
        found = adjusted_means(fit_two_way(values), 0)
        assert np.isnan(found.means).all()
        assert set(found.why.values()) == {"the design cannot tell it from other effects"}
    empty = np.array([[1.0, np.nan, 2.0], [2.0, np.nan, 2.5], [1.0, np.nan, 4.0]])
    found = adjusted_means(fit_two_way(empty), 0)
    assert found.why == {1: "it has no scores"}
    np.testing.assert_array_equal(np.isnan(found.means), [False, True, False])
    assert np.isnan(found.covariance[1]).all()
    assert found.n.tolist() == [3, 0, 3]
    assert adjusted_means(fit_two_way(np.full((2, 2), np.nan)), 0).why == {
        0: "it has no scores",
        1: "it has no scores",
    }


def test_a_factor_that_others_say_already_changes_nothing() -> None:
    # Topics 0 to 5 are of types 0, 0, 1, 1, 1, 1: the systems' means are over topics, whatever their types.
    rng = np.random.default_rng(2)
    topic, system = (x.ravel() for x in np.indices((6, 3)))
    kind = np.array([0, 0, 1, 1, 1, 1])[topic]
    y = rng.normal(size=18)
    fit = fit_linear(y, [kind, system, topic], [(0,), (1,), (2,)])
    np.testing.assert_allclose(
        adjusted_means(fit, 1).means, [y[system == s].mean() for s in range(3)], atol=1e-12
    )
    assert np.isnan(adjusted_means(fit, 0).means).all()  # no topic is of both types
    without = fit_linear(y, [kind, system], [(0,), (1,)])
    means = [y[kind == 0].mean(), y[kind == 1].mean()]
    np.testing.assert_allclose(adjusted_means(without, 0).means, means, atol=1e-12)


def test_an_empty_cell_of_an_interaction_leaves_its_levels_without_a_mean() -> None:
    rng = np.random.default_rng(3)
    a, b, _ = (x.ravel() for x in np.indices((3, 3, 3)))
    y = rng.normal(size=27)
    y[(a == 0) & (b == 0)] = np.nan
    found = adjusted_means(fit_linear(y, [a, b], [(0,), (1,), (0, 1)]), 0)
    np.testing.assert_array_equal(np.isnan(found.means), [True, False, False])
    cells = [[np.nanmean(y[(a == i) & (b == j)]) for j in range(3)] for i in (1, 2)]
    np.testing.assert_allclose(found.means[1:], np.mean(cells, axis=1), atol=1e-12)


def test_a_systems_kind_goes_along() -> None:
    values = np.random.default_rng(4).normal(size=(7, 4))
    values[0, 1] = np.nan
    topic, system = (x.ravel() for x in np.indices(values.shape))
    both = fit_linear(values.ravel(), [system // 2, system, topic], [(0,), (1,), (2,)])
    np.testing.assert_allclose(adjusted_means(both, 1).means, adjusted_means(fit_two_way(values), 0).means)


def test_a_factor_must_be_there() -> None:
    codes = np.array([0, 0, 1, 1])
    with pytest.raises(UsageError, match="factor: 1 is in no term of the model"):
        adjusted_means(fit_linear([1.0, 2.0, 3.0, 5.0], [codes, codes], [(0,)]), 1)
    with pytest.raises(UsageError, match="factor: 2 is none of the 2 factors"):
        adjusted_means(fit_two_way(np.ones((2, 2))), 2)
