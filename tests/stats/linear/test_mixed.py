"""Mixed models: the criterion, fits and tests, shares of variance."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear import mixed
from adjudge.stats.linear.anova import anova_table
from adjudge.stats.linear.kernels import sweep
from adjudge.stats.linear.mixed import (
    BlockReml,
    MixedFit,
    Reml,
    _eliminated,
    elimination,
    fit_mixed,
    fixed_means,
    random_tests,
    variance_shares,
)
from adjudge.stats.linear.model import Term, fit_two_way, indicators, make_term

# The REML criterion: equal to the likelihood written out with dense matrices, its slope to differences of it.


Problem = tuple[FloatArray, Term, list[Term]]


def problem(seed: int) -> Problem:
    """Systems fixed; topics, assessors and some interaction random; cells missing."""
    rng = np.random.default_rng(seed)
    factors = [rng.integers(0, levels, 40) for levels in (3, 6, 4)]
    terms = [make_term(factors, key) for key in ((1,), (2,), (0, 1))]
    return rng.normal(size=40) + rng.normal(size=6)[factors[1]], make_term(factors, (0,)), terms


def written_out(y: FloatArray, fixed: Term, terms: list[Term], theta: FloatArray) -> tuple[float, FloatArray]:
    """-2 log restricted likelihood with sigma at its best, and the fixed effects, from V itself."""
    n = y.size
    x = np.eye(fixed.size)[fixed.codes]
    v = np.eye(n)
    for ratio, term in zip(theta, terms, strict=True):
        z = np.eye(term.size)[term.codes]
        v += ratio**2 * z @ z.T
    inner = x.T @ np.linalg.solve(v, x)
    b = np.linalg.solve(inner, x.T @ np.linalg.solve(v, y))
    left = y - x @ b
    df = n - x.shape[1]
    rss = float(left @ np.linalg.solve(v, left))
    logs = np.linalg.slogdet(v)[1] + np.linalg.slogdet(inner)[1]
    return float(logs) + df * (1 + math.log(2 * math.pi * rss / df)), b


THETA = st.lists(st.sampled_from([0.0, 0.1, 0.7, 3.0]), min_size=3, max_size=3).map(np.array)


@given(st.integers(0, 500), THETA, st.booleans())
@examples(60)
def test_the_criterion_is_the_likelihood(seed: int, theta: FloatArray, compiled: bool) -> None:
    y, fixed, terms = problem(seed)
    reml = Reml(y, indicators(fixed), terms)
    reml.compiled = compiled
    deviance, b = written_out(y, fixed, terms, theta)
    found = reml.at(theta)
    assert found.deviance == pytest.approx(deviance, rel=1e-9)
    np.testing.assert_allclose(found.fixed + y.mean(), b, atol=1e-9)


@given(st.integers(0, 500))
@examples(20)
def test_the_slope_is_that_of_the_criterion(seed: int) -> None:
    y, fixed, terms = problem(seed)
    theta = np.array([0.4, 1.1, 0.7])
    reml = Reml(y, indicators(fixed), terms)
    for k in range(3):
        up, down = theta.copy(), theta.copy()
        up[k] *= math.exp(1e-5)
        down[k] *= math.exp(-1e-5)
        slope = (reml.at(up).deviance - reml.at(down).deviance) / 2e-5
        assert reml.at(theta).slope[k] == pytest.approx(slope, abs=1e-4)


def test_compiled_and_plain_ways_agree() -> None:
    for seed in range(5):
        y, fixed, terms = problem(seed)
        reml = Reml(y, indicators(fixed), terms)
        assert reml.compiled
        fast = reml.at(np.array([0.4, 0.0, 0.7]))
        reml.compiled = False
        plain = reml.at(np.array([0.4, 0.0, 0.7]))
        for name in ("deviance", "slope", "traces", "squares", "rss", "fixed", "unscaled"):
            np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=1e-9, atol=1e-11)
        for one, other in zip(fast.effects, plain.effects, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-11)


@given(
    st.integers(0, 500), st.lists(st.sampled_from([0.0, 0.1, 0.7, 3.0]), min_size=4, max_size=4).map(np.array)
)
@examples(40)
def test_terms_may_be_eliminated_in_blocks(seed: int, theta: FloatArray) -> None:
    """By topics, by assessors, by groups that share neither: always the same criterion and the same predictions."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, 60)
    factors = [rng.integers(0, 3, 60), 4 * group + rng.integers(0, 4, 60), 3 * group + rng.integers(0, 3, 60)]
    terms = [make_term(factors, key) for key in ((1,), (2,), (0, 1), (1, 2))]
    y, fixed = rng.normal(size=60) + rng.normal(size=8)[factors[1]], indicators(make_term(factors, (0,)))
    plain = Reml(y, fixed, terms)
    expected = plain.at(theta)
    parts = [*terms, make_term([group], (0,))]
    for chosen in [*(_eliminated(terms, part, 3) for part in parts), elimination(terms, 3)]:
        reml = BlockReml(y, fixed, terms, chosen)
        found = reml.at(theta)
        assert found.deviance == pytest.approx(expected.deviance)
        assert found.slope == pytest.approx(expected.slope, abs=1e-8)
        assert found.traces == pytest.approx(expected.traces, abs=1e-9)
        assert found.squares * (theta > 0) == pytest.approx(expected.squares * (theta > 0), abs=1e-9)
        assert found.rss == pytest.approx(expected.rss)
        assert found.fixed == pytest.approx(expected.fixed)
        assert found.unscaled == pytest.approx(expected.unscaled)
        for ours, theirs in zip(found.effects, expected.effects, strict=True):
            assert ours == pytest.approx(theirs, abs=1e-9)
        drawn = reml.simulate(theta, 2.0, np.random.default_rng(1))
        assert drawn == pytest.approx(plain.simulate(theta, 2.0, np.random.default_rng(1)))


def test_large_designs_are_fitted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics by assessors and systems by topics, with cells missing: the fit is that of the plain way."""
    rng = np.random.default_rng(3)
    system, topic, assessor = (each.ravel() for each in np.indices((4, 110, 4)))
    y = rng.normal(size=110)[topic] + rng.normal(size=(110, 4))[topic, assessor]
    y = y + rng.normal(size=(4, 110))[system, topic] + rng.normal(size=topic.size)
    y[rng.random(y.size) < 0.2] = math.nan
    random = [(1,), (2,), (0, 1), (1, 2)]
    blocks = fit_mixed(y, [system, topic, assessor], fixed=[0], random=random)
    monkeypatch.setattr(mixed, "LESS_WORK", math.inf)
    plain = fit_mixed(y, [system, topic, assessor], fixed=[0], random=random)
    assert (type(blocks.estimate.reml), type(plain.estimate.reml)) == (BlockReml, Reml)  # type: ignore[union-attr]
    assert blocks.deviance == pytest.approx(plain.deviance)
    assert blocks.variances == pytest.approx(plain.variances, rel=1e-4, abs=1e-7)
    assert fixed_means(blocks).means == pytest.approx(fixed_means(plain).means)


def test_predictions_are_those_of_henderson() -> None:
    # u = theta^2 Z' V^-1 (y - X b), from V itself.
    y, fixed, terms = problem(3)
    theta = np.array([0.4, 1.1, 0.7])
    v = np.eye(y.size)
    for ratio, term in zip(theta, terms, strict=True):
        z = np.eye(term.size)[term.codes]
        v += ratio**2 * z @ z.T
    _, b = written_out(y, fixed, terms, theta)
    left = np.linalg.solve(v, y - b[fixed.codes])
    for ratio, term, found in zip(
        theta, terms, Reml(y, indicators(fixed), terms).at(theta).effects, strict=True
    ):
        np.testing.assert_allclose(found, ratio**2 * np.bincount(term.codes, left), atol=1e-10)


def test_sweeping_inverts() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(6, 9))
    whole = a @ a.T
    swept = whole.copy()
    assert sweep(swept, 5) == pytest.approx(np.linalg.slogdet(whole[:5, :5])[1])
    np.testing.assert_allclose(swept[:5, :5], np.linalg.inv(whole[:5, :5]))
    np.testing.assert_allclose(swept[:5, 5], np.linalg.solve(whole[:5, :5], whole[:5, 5]))
    assert swept[5, 5] == pytest.approx(1 / np.linalg.inv(whole)[5, 5])
    assert math.isnan(sweep(np.zeros((2, 2)), 2))


def test_simulated_scores_have_the_variances_asked_for() -> None:
    rng = np.random.default_rng(2)
    topic, system = (x.ravel() for x in np.indices((4000, 3)))
    terms = [make_term([topic], (0,)), make_term([system], (0,))]
    reml = Reml(rng.normal(size=topic.size), indicators(make_term([0 * topic], (0,))), terms)
    drawn = reml.simulate(np.array([2.0, 0.0]), 0.5, rng).reshape(4000, 3)
    # Within a topic 0.25; between topics' means (0.5 * 2)^2 + 0.25 / 3.
    assert drawn.var(axis=1, ddof=1).mean() == pytest.approx(0.25, rel=0.05)
    assert drawn.mean(axis=1).var() == pytest.approx(1 + 0.25 / 3, rel=0.08)


@pytest.mark.parametrize("compiled", [True, False])
def test_fixed_effects_that_cannot_be_told_apart_are_refused(compiled: bool) -> None:
    from scipy import sparse

    y, fixed, terms = problem(1)
    twice = sparse.hstack([indicators(fixed), indicators(fixed)], format="csr")
    reml = Reml(y, twice, terms)
    reml.compiled = compiled
    with pytest.raises(UsageError, match="cannot be separated"):
        reml.at(np.array([0.0, 0.0, 0.0]))


def test_a_model_that_would_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    y, fixed, terms = problem(1)
    monkeypatch.setattr(mixed, "MOST_COLUMNS", 12)
    with pytest.raises(UsageError, match="13 effects beside its largest random term, at most 12"):
        Reml(y, indicators(fixed), terms)


# Mixed models: lme4's estimates, exact answers on balanced designs, reasons where there is no fit.


DATA = Path(__file__).parents[1] / "data"
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
    assert large.estimate is not None
    assert not large.estimate.reml.compiled
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
        ("normal", [(1,), (2,)], Note.of("same-groups", first="random term 1", second="random term 2")),
        ("normal", [(0, 1)], Note.of("no-freedom")),
        ("normal", [(3,)], Note.of("variance-not-apart", term="random term 1")),
        ("constant", [(1,)], Note.of("all-the-same")),
        ("additive", [(1,)], Note.of("exact-fit")),
        ("nothing", [(1,)], Note.of("no-scores")),
        ("almost", [(1,)], Note.of("almost-no-noise")),
    ],
)
def test_what_cannot_be_fitted_says_why(y: str, random: list[tuple[int, ...]], why: Note) -> None:
    topic, system = crossed(5, 4)
    values = {
        "normal": np.random.default_rng(5).normal(size=20),
        "constant": np.full(20, 0.4),
        "additive": 1.0 * topic + system,
        "nothing": np.full(20, np.nan),
        "almost": 1.0 * topic + system + 1e-6 * np.random.default_rng(5).normal(size=20),
    }[y]
    found = fit_mixed(values, [system, topic, topic + 1, 0 * topic], fixed=[0], random=random)
    assert found.why == why
    assert np.isnan(found.variances).all()
    assert found.singular == ()
    assert fixed_means(found).test.why == found.why
    assert all(np.isnan(test.p) for test in random_tests(found))


def test_fixed_factors_that_are_confounded_say_so() -> None:
    topic, system = crossed(6, 4)
    y = np.random.default_rng(6).normal(size=24)
    # A finer factor after a coarser one: of 4 systems two columns add nothing to the 2 kinds.
    found = fit_mixed(y, [system // 2, system, topic], fixed=[0, 1], random=[(2,)])
    assert found.why is None
    means = fixed_means(found)
    assert (means.means.size, means.test.why) == (0, Note.of("not-apart"))
    # The variances are those of the finer factor alone.
    alone = fit_mixed(y, [system, topic], fixed=[0], random=[(1,)])
    np.testing.assert_allclose(found.variances, alone.variances)


def test_means_beside_a_fixed_interaction_weigh_its_levels_alike() -> None:
    # A complete design: means of cells, and of systems over the two assessors, are plain.
    topic, system, assessor = (x.ravel() for x in np.indices((8, 3, 2)))
    y = np.random.default_rng(8).normal(size=48) + np.random.default_rng(9).normal(size=8)[topic]
    factors = [system, assessor, topic]
    found = fit_mixed(y, factors, fixed=[0, 1], interactions=[(0, 1)], random=[(2,)])
    np.testing.assert_allclose(
        fixed_means(found).means, [y[system == s].mean() for s in range(3)], atol=1e-10
    )
    # Rows of assessor 1 again and again, for system 0: the unweighted mean of cells, not that of rows.
    more = np.flatnonzero((system == 0) & (assessor == 1))
    rows = np.concatenate([np.arange(48), more, more])
    uneven = fit_mixed(
        y[rows], [each[rows] for each in factors], fixed=[0, 1], interactions=[(0, 1)], random=[(2,)]
    )
    assert fixed_means(uneven).means[0] == pytest.approx(y[system == 0].mean(), abs=1e-6)
    # No cell, no mean; the variances are there all the same.
    kept = (system != 0) | (assessor != 1)
    empty = fit_mixed(
        y[kept], [each[kept] for each in factors], fixed=[0, 1], interactions=[(0, 1)], random=[(2,)]
    )
    assert empty.why is None
    assert fixed_means(empty).means.size == 0


def test_parts_of_a_variance_may_count_for_another() -> None:
    topic, system = crossed(8, 4)
    y = np.random.default_rng(10).normal(size=32) + np.random.default_rng(11).normal(size=8)[topic]
    fit = fit_mixed(y, [system, topic], fixed=[], random=[(0,), (1,)])
    moved = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]])
    plain, other = (
        variance_shares(fit, rng=np.random.default_rng(1), resamples=60, moved=each) for each in (None, moved)
    )
    np.testing.assert_allclose(other.variances, plain.variances @ moved)
    np.testing.assert_allclose(other.shares, plain.shares @ moved)
    assert (other.low <= other.high).all()


def test_one_system_has_a_mean_and_no_test() -> None:
    topic, assessor = crossed(8, 3)
    y = np.random.default_rng(7).normal(size=24)
    found = fixed_means(fit_mixed(y, [0 * topic, topic, assessor], fixed=[0], random=[(1,), (2,)]))
    assert found.means == pytest.approx([y.mean()])
    assert found.test.why == Note.of("one-level")


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


# Shares of variance: what the components are parts of, and intervals by simulation.


def fit(y: FloatArray | None = None, topics: int = 30) -> MixedFit:
    rng = np.random.default_rng(1)
    topic, system = (x.ravel() for x in np.indices((topics, 8)))
    if y is None:
        y = rng.normal(size=topic.size) + rng.normal(size=topics)[topic] + 0.5 * rng.normal(size=8)[system]
    return fit_mixed(y, [system, topic], fixed=[], random=[(0,), (1,)])


def test_shares_are_parts_of_the_whole() -> None:
    found = fit()
    shares = variance_shares(found, rng=np.random.default_rng(2), resamples=60)
    np.testing.assert_array_equal(shares.variances, [*found.variances, found.residual_variance])
    np.testing.assert_allclose(shares.shares, shares.variances / shares.variances.sum())
    assert (shares.low <= shares.shares).all()
    assert (shares.shares <= shares.high).all()
    assert shares.resamples == 60


def test_the_same_generator_gives_the_same_interval() -> None:
    found = fit()
    before = found.deviance
    one, same, other = (
        variance_shares(found, rng=np.random.default_rng(seed), resamples=50) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one.low, same.low)
    assert (one.low != other.low).any()
    assert found.estimate is not None
    assert found.estimate.reml.at(found.estimate.theta).deviance == before  # simulating left the fit alone


def test_more_topics_make_a_narrower_interval_for_them() -> None:
    width = {}
    for topics in (8, 80):
        shares = variance_shares(fit(topics=topics), rng=np.random.default_rng(5), resamples=100)
        width[topics] = shares.high[1] - shares.low[1]
    assert width[80] < width[8]


def test_the_interval_is_that_of_the_exact_distribution() -> None:
    # One random term, balanced: F = MS_topic / MS_noise is (1 + systems * ratio) times an F variate, and the share
    # is ratio / (1 + ratio), so quantiles of F give quantiles of the simulated share.
    from scipy import stats

    rng = np.random.default_rng(6)
    topic, _ = (x.ravel() for x in np.indices((40, 5)))
    found = fit_mixed(rng.normal(size=200) + rng.normal(size=40)[topic], [topic], fixed=[], random=[(0,)])
    ratio = found.variances[0] / found.residual_variance
    drawn = variance_shares(found, rng=rng, resamples=1000)
    simulated = ((1 + 5 * ratio) * stats.f.ppf([0.025, 0.975], 39, 160) - 1) / 5
    exact = simulated / (1 + simulated)
    assert (drawn.low[0], drawn.high[0]) == pytest.approx(tuple(exact), abs=0.03)


def test_without_resamples_there_is_no_interval() -> None:
    shares = variance_shares(fit(), rng=np.random.default_rng(7), resamples=0)
    assert np.isnan(shares.low).all()
    assert np.isfinite(shares.shares).all()
    undefined = variance_shares(fit(np.ones(240)), rng=np.random.default_rng(7))
    assert np.isnan(undefined.shares).all()


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(UsageError, match="39 are too few for an interval at 0.95"):
        variance_shares(fit(), rng=np.random.default_rng(8), resamples=39)
    with pytest.raises(UsageError, match="level"):
        variance_shares(fit(), rng=np.random.default_rng(8), level=1.0)
