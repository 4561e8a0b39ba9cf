"""Mixed models: lme4's estimates, exact answers on balanced designs, reasons where there is no fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear import mixed
from adjudge.stats.linear.anova import anova_table
from adjudge.stats.linear.mixed import MixedFit, fit_mixed, fixed_means, random_tests
from adjudge.stats.linear.model import fit_two_way

DATA = Path(__file__).parent / "data"
# R 4.2.2, lme4 1.1.31, lmer(...) by REML; pbkrtest 0.5.2, SATmodcomp: data/anova.R
EXPECTED = pd.read_csv(DATA / "anova_mixed_expected.csv", keep_default_na=False)
ADDITIVE = ["topic", "assessor"]
CROSSED = [*ADDITIVE, "assessor:system", "assessor:topic", "system:topic"]
MODELS = {
    "additive": ("judgments", ["system"], ADDITIVE),
    "interactions": ("judgments", ["system"], CROSSED),
    "random": ("judgments", [], ["system", *ADDITIVE]),
    "all-random": ("judgments", [], ["system", *CROSSED]),
    "singular": ("holes", ["system"], ["topic", "type"]),
    "singular-interactions": ("unbalanced", ["system"], CROSSED),
}


def fitted(model: str) -> MixedFit:
    file, fixed, random = MODELS[model]
    frame = pd.read_csv(DATA / f"anova_{file}.csv")
    names = sorted({name for term in [*fixed, *random] for name in term.split(":")})
    factors = [pd.factorize(frame[name], sort=True)[0] for name in names]
    keys = [tuple(names.index(name) for name in term.split(":")) for term in random]
    return fit_mixed(frame["value"], factors, fixed=[names.index(name) for name in fixed], random=keys)


def expected(model: str, what: str) -> dict[str, float]:
    rows = EXPECTED[(EXPECTED["model"] == model) & (EXPECTED["what"] == what)]
    return dict(zip(rows["name"], rows["value"], strict=True))


@pytest.mark.parametrize("model", MODELS)
def test_variances_and_means_equal_lme4(model: str) -> None:
    found = fitted(model)
    variances = expected(model, "variance")
    # lme4's own search ends within about 1e-6 of the smaller variances.
    for term, variance in zip(MODELS[model][2], found.variances, strict=True):
        assert variance == pytest.approx(variances[term], rel=1e-5, abs=1e-12)
    assert found.residual_variance == pytest.approx(variances["Residual"], rel=1e-6)
    # The criterion is the proof: nobody finds a lower one.
    assert found.deviance <= expected(model, "deviance")[""] + 1e-8
    assert found.deviance == pytest.approx(expected(model, "deviance")[""], abs=1e-5)
    means = fixed_means(found)
    np.testing.assert_allclose(means.means, list(expected(model, "mean").values()), rtol=1e-5)
    np.testing.assert_allclose(means.standard_errors, list(expected(model, "error").values()), rtol=1e-4)


def test_means_with_a_second_fixed_factor_equal_emmeans() -> None:
    # R 4.2.2, emmeans 1.8.4.1, emmeans(lmer(value ~ system + type + (1 | topic)), "system", mode = "asymptotic")
    frame = pd.read_csv(DATA / "anova_holes.csv")
    factors = [pd.factorize(frame[name], sort=True)[0] for name in ("system", "type", "topic")]
    found = fixed_means(fit_mixed(frame["value"], factors, fixed=[0, 1], random=[(2,)]))
    np.testing.assert_allclose(found.means, list(expected("averaged", "mean").values()), rtol=1e-6)
    np.testing.assert_allclose(found.standard_errors, list(expected("averaged", "error").values()), rtol=1e-5)


@pytest.mark.parametrize("model", ["additive", "interactions"])
def test_tests_equal_r(model: str) -> None:
    found = fitted(model)
    test = fixed_means(found).test
    assert test.df == 9
    assert test.f == pytest.approx(expected(model, "F")[""], rel=1e-6)
    assert test.denominator_df == pytest.approx(expected(model, "ddf")[""], rel=2e-5)
    assert test.p == pytest.approx(stats.f.sf(test.f, test.df, test.denominator_df), rel=1e-9)
    ratios = expected(model, "ratio")
    tests = dict(zip(MODELS[model][2], random_tests(found), strict=True))
    assert ratios
    for term, ratio in ratios.items():
        assert tests[term].ratio == pytest.approx(ratio, abs=1e-5)
        assert tests[term].p == pytest.approx(stats.chi2.sf(ratio, 1) / 2, rel=1e-4)


def test_singular_fits_say_so() -> None:
    found = fitted("singular")
    assert found.singular == ((2,),)  # type, after system and topic
    assert found.variances[1] == 0
    tests = random_tests(found)
    assert (tests[1].ratio, tests[1].p) == (0.0, 1.0)
    assert fitted("singular-interactions").singular == ((0, 1),)
    assert fitted("additive").singular == ()


def crossed(*shape: int) -> list[IntArray]:
    return [index.ravel() for index in np.indices(shape)]


def test_balanced_designs_have_the_estimates_of_the_anova() -> None:
    # With every cell filled REML is (MS_topic - MS_residual) / systems, and the test of systems is the ANOVA's.
    rng = np.random.default_rng(1)
    values = rng.normal(size=(15, 6)) + rng.normal(scale=1.5, size=(15, 1)) + 0.3 * np.arange(6)
    topic, system = crossed(15, 6)
    found = fit_mixed(values.ravel(), [system, topic], fixed=[0], random=[(1,)])
    table = anova_table(fit_two_way(values))
    assert found.residual_variance == pytest.approx(table.residual_ms, rel=1e-8)
    assert found.variances[0] == pytest.approx((table.rows[1].ms - table.residual_ms) / 6, rel=1e-7)
    means = fixed_means(found)
    assert means.test.f == pytest.approx(table.rows[0].f, rel=1e-8)
    assert means.test.denominator_df == pytest.approx(14 * 5, rel=1e-5)
    np.testing.assert_allclose(means.means, values.mean(axis=0), atol=1e-12)
    # Satterthwaite by hand: v = (MS_topic + 5 MS_residual) / 90 with 14 and 70 degrees of freedom.
    a, b = table.rows[1].ms, 5 * table.residual_ms
    np.testing.assert_allclose(means.df, (a + b) ** 2 / (a**2 / 14 + b**2 / 70), rtol=1e-4)
    np.testing.assert_allclose(means.standard_errors**2, (a + b) / 90, rtol=1e-6)


def test_large_designs_take_the_plain_way(monkeypatch: pytest.MonkeyPatch) -> None:
    small = fitted("additive")
    monkeypatch.setattr(mixed, "COMPILED_UP_TO", 0)
    large = fitted("additive")
    assert large.found is not None
    assert not large.found.reml.compiled
    np.testing.assert_allclose(large.variances, small.variances, rtol=1e-6)


def planted(seed: int = 3) -> tuple[FloatArray, list[IntArray]]:
    rng = np.random.default_rng(seed)
    system, topic, assessor = crossed(12, 60, 12)
    parts = (0.0 * system, rng.normal(0, 2.0, 60)[topic], rng.normal(0, 1.0, 12)[assessor])
    return sum(parts) + rng.normal(0, 0.5, system.size), [system, topic, assessor]


def test_planted_variances_are_found() -> None:
    y, factors = planted()
    found = fit_mixed(y, factors, fixed=[0], random=[(1,), (2,)])
    assert found.variances[0] == pytest.approx(4.0, rel=0.4)
    assert found.variances[1] == pytest.approx(1.0, rel=0.8)
    assert found.residual_variance == pytest.approx(0.25, rel=0.05)
    test = fixed_means(found).test
    assert test.p > 0.01


def test_a_second_fixed_factor_is_averaged_over() -> None:
    # With types balanced over topics and every cell filled, means are plain; topics then vary within types.
    rng = np.random.default_rng(4)
    topic, system = crossed(12, 4)
    kind = topic % 3
    y = rng.normal(size=48) + kind + rng.normal(size=12)[topic]
    found = fit_mixed(y, [system, kind, topic], fixed=[0, 1], random=[(2,)])
    np.testing.assert_allclose(
        fixed_means(found).means, [y[system == s].mean() for s in range(4)], atol=1e-10
    )
    without = fit_mixed(y, [system, kind, topic], fixed=[0], random=[(2,)])
    assert found.variances[0] < without.variances[0]
    along = fit_mixed(y, [system, system // 2, topic], fixed=[0, 1], random=[(2,)])  # says nothing new
    assert along.variances[0] == pytest.approx(without.variances[0], rel=1e-6)


@pytest.mark.parametrize(
    ("y", "random", "why"),
    [
        ("normal", [(1,), (2,)], "random terms 1 and 2 are the same groups"),
        ("normal", [(0, 1)], "no degrees of freedom are left for the noise"),
        ("normal", [(3,)], "the variance of random term 1 cannot be told from the fixed effects"),
        ("constant", [(1,)], "all scores are the same"),
        ("additive", [(1,)], "the model fits every score exactly"),
        ("nothing", [(1,)], "there are no scores"),
        ("almost", [(1,)], "there is almost no noise to compare the other variances with"),
    ],
)
def test_what_cannot_be_fitted_says_why(y: str, random: list[tuple[int, ...]], why: str) -> None:
    topic, system = crossed(5, 4)
    values = {
        "normal": np.random.default_rng(5).normal(size=20),
        "constant": np.full(20, 0.4),
        "additive": 1.0 * topic + system,
        "nothing": np.full(20, np.nan),
        "almost": 1.0 * topic + system + 1e-6 * np.random.default_rng(5).normal(size=20),
    }[y]
    found = fit_mixed(values, [system, topic, topic + 1, 0 * topic], fixed=[0], random=random)
    assert found.why is not None
    assert why in found.why
    assert np.isnan(found.variances).all()
    assert found.singular == ()
    assert fixed_means(found).test.why == found.why
    assert all(np.isnan(test.p) for test in random_tests(found))


def test_fixed_factors_that_are_confounded_say_so() -> None:
    topic, system = crossed(6, 4)
    y = np.random.default_rng(6).normal(size=24)
    # A finer factor after a coarser one: of 4 systems two columns add nothing to the 2 kinds.
    found = fit_mixed(y, [system // 2, system, topic], fixed=[0, 1], random=[(2,)])
    assert found.why == "the design cannot tell the fixed effects apart"


def test_one_system_has_a_mean_and_no_test() -> None:
    topic, assessor = crossed(8, 3)
    y = np.random.default_rng(7).normal(size=24)
    found = fixed_means(fit_mixed(y, [0 * topic, topic, assessor], fixed=[0], random=[(1,), (2,)]))
    assert found.means == pytest.approx([y.mean()])
    assert found.test.why == "there is only one level"


def test_a_random_term_is_needed() -> None:
    with pytest.raises(UsageError, match="random: no term"):
        fit_mixed([1.0, 2.0], [[0, 1]], fixed=[0], random=[])


@pytest.mark.slow
def test_the_boundary_test_keeps_its_size() -> None:
    """Without a variance of topics, half of the fits find none, and at most 5 % find one at alpha .05."""
    rng = np.random.default_rng(8)
    system, topic = crossed(5, 20)
    ps = []
    for _ in range(400):
        fit = fit_mixed(rng.normal(size=100), [system, topic], fixed=[0], random=[(1,)])
        ps.append(random_tests(fit)[0].p)
    low, high = stats.binom.ppf([0.005, 0.995], 400, 0.05)
    assert low <= sum(p < 0.05 for p in ps) <= high
    # The plain chi-squared p, twice as large, would find too few.
    assert sum(2 * p < 0.05 for p in ps) < sum(p < 0.05 for p in ps)
