"""Checks of residuals: R's values, Tukey's own formula, and words for what cannot be checked."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from adjudge.stats.checks import FloatArray
from adjudge.stats.linear import anova
from adjudge.stats.linear.anova import SHAPIRO_UP_TO, ResidualChecks, residual_checks
from adjudge.stats.linear.model import fit_linear, fit_two_way

DATA = Path(__file__).parent / "data"


def two_way(values: FloatArray) -> ResidualChecks:
    values = np.asarray(values, dtype=float)
    return residual_checks(fit_two_way(values), np.indices(values.shape)[1].ravel())


def noise(shape: tuple[int, int], seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).normal(size=shape)


def test_checks_equal_r() -> None:
    # R 4.2.2, shapiro.test; car 3.1.1, leveneTest(center = median), outlierTest; anova(model, update(model,
    # . ~ . + I(fitted^2))); rstandard: data/anova.R
    r = pd.read_csv(DATA / "anova_residuals_expected.csv").set_index("what")["value"]
    frame = pd.read_csv(DATA / "anova_holes.csv")
    factors = [pd.factorize(frame[name], sort=True)[0] for name in ("system", "topic")]
    found = residual_checks(fit_linear(frame["value"], factors, [(0,), (1,)]), factors[0])
    assert (found.normal.statistic, found.normal.p) == pytest.approx((r["W"], r["W.p"]), rel=1e-6)
    assert (found.spread.statistic, found.spread.p) == pytest.approx((r["levene.F"], r["levene.p"]), rel=1e-9)
    assert found.spread.df == (5, 53)
    assert (found.additive.statistic, found.additive.p) == pytest.approx(
        (r["tukey.F"], r["tukey.p"]), rel=1e-9
    )
    assert found.additive.df == (1, 41)
    assert (found.largest[:3] + 1).tolist() == [r["row1"], r["row2"], r["row3"]]
    assert found.standardised[:3] == pytest.approx([r[f"rstandard{k}"] for k in (1, 2, 3)], rel=1e-9)
    assert found.outlier_p[0] == pytest.approx(r["outlier.p"], rel=1e-9)


def test_moments_equal_scipy() -> None:
    values = noise((30, 5)) ** 2
    found = two_way(values)
    left = fit_two_way(values).residuals
    assert found.skewness == pytest.approx(stats.skew(left))
    assert found.kurtosis == pytest.approx(stats.kurtosis(left))


def tukeys_own(values: FloatArray) -> float:
    """Tukey 1949: the sum of squares for non-additivity of a complete two-way table."""
    rows = values.mean(axis=1) - values.mean()
    columns = values.mean(axis=0) - values.mean()
    return float((rows @ values @ columns) ** 2 / (np.sum(rows**2) * np.sum(columns**2)))


def test_non_additivity_is_tukeys_formula_on_complete_tables() -> None:
    values = noise((12, 5), 2) + noise((12, 1), 3) + np.arange(5)
    fit = fit_two_way(values)
    ss, df = tukeys_own(values), fit.residual_df - 1
    f = ss / ((fit.residual_ss - ss) / df)
    found = two_way(values)
    assert found.additive.statistic == pytest.approx(f, rel=1e-9)
    assert found.additive.p == pytest.approx(stats.f.sf(f, 1, df), rel=1e-9)


def test_scores_that_multiply_are_noticed_and_those_that_add_are_not() -> None:
    rng = np.random.default_rng(4)
    topics, systems = rng.uniform(1, 3, (30, 1)), rng.uniform(1, 3, 6)
    blur = 0.1 * noise((30, 6), 5)
    assert two_way(topics * systems + blur).additive.p < 1e-6
    assert two_way(topics + systems + blur).additive.p > 0.05
    assert "do not just add up" in two_way(topics * systems + blur).sentences("system")[2]
    assert two_way(topics + systems + blur).sentences("system")[2].startswith("The effects add up")


def test_unequal_spread_is_noticed() -> None:
    values = noise((40, 6)) * np.array([1, 1, 1, 1, 1, 6])
    found = two_way(values)
    assert found.spread.p < 0.001
    assert found.sentences("system")[1].startswith(
        "The noise is not the same for every system (Brown-Forsythe"
    )


def test_an_outlier_is_named_first() -> None:
    values = noise((20, 5))
    values[7, 3] += 9
    found = two_way(values)
    assert found.largest[0] == 7 * 5 + 3
    assert found.outlier_p[0] < 0.001


def test_many_rows_are_tested_by_their_moments() -> None:
    values = noise((SHAPIRO_UP_TO // 5 + 1, 5))
    found = two_way(values)
    left = fit_two_way(values).residuals
    assert found.normal.name == "dagostino-pearson"
    assert (found.normal.statistic, found.normal.p) == pytest.approx(tuple(stats.normaltest(left)))
    assert "D'Agostino-Pearson K2" in found.sentences()[0]
    skewed = two_way(values**2)
    assert skewed.sentences()[0].startswith("The residuals are not normal")


def test_missing_rows_do_not_shift_the_names() -> None:
    values = noise((20, 5))
    values[7, 3] += 9
    values[0, :3] = np.nan
    assert two_way(values).largest[0] == 7 * 5 + 3


def test_two_systems_mirror_each_other() -> None:
    found = two_way(noise((12, 2)))
    assert found.spread.why == "the residuals of two groups mirror each other"
    assert found.normal.why is None


def test_with_interactions_spread_needs_many_free_rows() -> None:
    a, b, c, _ = (x.ravel() for x in np.indices((4, 5, 2, 8)))
    terms = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    y = np.random.default_rng(6).normal(size=a.size)
    assert residual_checks(fit_linear(y, [a, b, c], terms), a).spread.why is None
    few = np.arange(a.size) % 8 < 1
    found = residual_checks(fit_linear(y[few], [a[few], b[few], c[few]], terms), a[few])
    assert found.spread.why == "with interactions only 12 degrees of freedom are left of 40 rows"
    assert found.additive.why == "the model has interactions"


def test_what_cannot_be_checked_says_why() -> None:
    for values in (np.ones((3, 3)), np.zeros((1, 4)), np.full((2, 2), np.nan)):
        found = two_way(values)
        assert found.largest.size == 0
        assert all(c.why for c in (found.normal, found.spread, found.additive))
        assert math.isnan(found.skewness)
        assert all("cannot be said" in s or "was not tested" in s for s in found.sentences("system"))
    small = residual_checks(fit_linear([1.0, 2.0, 4.0], [[0, 0, 0]], []), [0, 0, 0])
    assert small.normal.why == "needs 4 rows, has 3"
    assert small.spread.why == "needs two groups with two rows each"
    assert small.additive.why == "the square of the fit adds nothing of its own"


def test_very_large_models_look_at_the_largest_residuals(monkeypatch: pytest.MonkeyPatch) -> None:
    values = noise((30, 8), 7)
    values[11, 2] += 5
    values[0, 5:] = np.nan
    whole = two_way(values)
    monkeypatch.setattr(anova, "MOST_WORK", 0)
    monkeypatch.setattr(anova, "CANDIDATES", 60)
    some = two_way(values)
    np.testing.assert_array_equal(some.largest, whole.largest)
    np.testing.assert_allclose(some.standardised, whole.standardised, rtol=1e-10)
    np.testing.assert_allclose(some.outlier_p, whole.outlier_p, rtol=1e-9)


def test_a_row_alone_in_its_cell_is_no_outlier() -> None:
    # The last topic was seen by one system only: the model fits that score whatever it is.
    values = noise((10, 4))
    values[9] = [100.0, np.nan, np.nan, np.nan]
    found = two_way(values)
    assert 36 not in found.largest.tolist()
    assert np.isfinite(found.standardised).all()
