"""Cumulative link mixed models: equal to R's ordinal::clmm, to plain twins, and to what is known without fitting."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import make_term
from adjudge.stats.linear.ordinal import (
    Laplace,
    OrdinalFit,
    fit_ordinal,
    level_shares,
    scale_check,
    separation,
)

DATA = Path(__file__).parents[1] / "data"
SYSTEM, TOPIC, ASSESSOR = range(3)
FACTORS = ("system", "topic", "assessor")
RATINGS = pd.read_csv(DATA / "ordinal.csv")
# R 4.2.2, ordinal 2022.11.16, clmm(...): data/ordinal.R
EXPECTED = pd.read_csv(DATA / "ordinal_expected.csv")
CASES = list(EXPECTED["case"].unique())


def drawn(
    systems: int = 3,
    topics: int = 8,
    assessors: int = 3,
    levels: int = 4,
    missing: float = 0.0,
    seed: int = 0,
    **deviations: float,
) -> tuple[FloatArray, list[IntArray]]:
    """Ratings of a crossed design; deviations by letters of their factors, such as st for system:topic."""
    rng = np.random.default_rng(seed)
    codes = [each.ravel() for each in np.indices((systems, topics, assessors))]
    latent = np.linspace(-0.7, 0.7, systems)[codes[0]] + rng.logistic(size=codes[0].size)
    for letters, deviation in deviations.items():
        which = ["sta".index(letter) for letter in letters]
        effects = deviation * rng.normal(size=[(systems, topics, assessors)[f] for f in which])
        latent += effects[tuple(codes[f] for f in which)]
    ratings = np.searchsorted(np.linspace(-1.5, 1.5, levels - 1), latent) + 1.0
    ratings[rng.random(ratings.size) < missing] = np.nan
    return ratings, codes


def case(name: str) -> tuple[OrdinalFit, list[str]]:
    rows = RATINGS[RATINGS["case"] == name]
    expected = EXPECTED[EXPECTED["case"] == name]
    terms = list(expected.loc[expected["kind"] == "sd", "name"])
    codes = [pd.factorize(rows[each], sort=True)[0] for each in FACTORS]
    keys = [tuple(FACTORS.index(part) for part in term.split(":")) for term in terms]
    return fit_ordinal(rows["rating"].to_numpy(dtype=float), codes, fixed=SYSTEM, random=keys), terms


@pytest.mark.parametrize("name", CASES)
def test_equals_clmm(name: str) -> None:
    fit, terms = case(name)
    assert fit.why is None
    expected = EXPECTED[EXPECTED["case"] == name]

    def of(kind: str, column: str = "value") -> FloatArray:
        return np.asarray(expected.loc[expected["kind"] == kind, column], dtype=float)

    np.testing.assert_allclose(fit.thresholds, of("threshold"), atol=1e-3)
    np.testing.assert_allclose(fit.effects[1:], of("system"), atol=1e-3)
    assert fit.log_likelihood == pytest.approx(of("fit")[0], abs=1e-2)
    there = of("sd") > 0.01
    np.testing.assert_allclose(fit.deviations[there], of("sd")[there], atol=1e-3)
    assert (fit.deviations[~there] == 0).all()
    assert (name == "zero") == bool((~there).any())
    errors = np.sqrt(fit.covariance.diagonal())
    np.testing.assert_allclose(errors, [*of("threshold", "error"), *of("system", "error")], rtol=1e-2)
    assert len(terms) == fit.deviations.size


def test_every_kind_of_design_is_compared_with_clmm() -> None:
    sizes = EXPECTED.groupby(["case", "kind"]).size().unstack()
    assert {1, 2, 3, 5} <= set(sizes["sd"])
    assert {1, 2, 4, 6} <= set(sizes["threshold"])
    counts = RATINGS.groupby("case").size()
    whole = RATINGS.groupby("case")[list(FACTORS)].nunique().prod(axis=1)
    assert (counts < whole).any()
    assert (counts == whole).any()


# Plain twins


def log_probabilities(thresholds: FloatArray, ratings: FloatArray, predictor: FloatArray) -> FloatArray:
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    codes = np.unique(ratings, return_inverse=True)[1]
    return np.asarray(np.log(expit(ends[codes + 1] - predictor) - expit(ends[codes] - predictor)))


def test_without_random_terms_it_is_the_maximum_of_the_likelihood() -> None:
    ratings, codes = drawn(systems=4, t=0.5)
    fit = fit_ordinal(ratings, codes, fixed=SYSTEM)

    def minus(x: FloatArray) -> float:
        thresholds = x[0] + np.append(0, np.cumsum(np.exp(x[1:3])))
        return -float(log_probabilities(thresholds, ratings, np.append(0, x[3:])[codes[0]]).sum())

    found = minimize(minus, np.zeros(6), method="BFGS", options={"gtol": 1e-7})
    assert fit.log_likelihood == pytest.approx(-found.fun, abs=1e-8)
    np.testing.assert_allclose(fit.effects[1:], found.x[3:], atol=1e-4)
    # The inverse of the curvature, by plain second differences.
    from statsmodels.tools.numdiff import approx_hess

    errors = np.sqrt(np.linalg.inv(approx_hess(found.x, minus)).diagonal())
    np.testing.assert_allclose(np.sqrt(fit.covariance.diagonal())[3:], errors[3:], rtol=1e-3)
    assert np.sqrt(fit.covariance[0, 0]) == pytest.approx(errors[0], rel=1e-3)


def test_without_random_terms_it_equals_statsmodels() -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    ratings, codes = drawn(systems=3, levels=5)
    fit = fit_ordinal(ratings, codes, fixed=SYSTEM)
    dummies = np.eye(3)[codes[0]][:, 1:]
    other = OrderedModel(ratings, dummies, distr="logit").fit(method="bfgs", disp=False, gtol=1e-8)
    np.testing.assert_allclose(fit.effects[1:], other.params[:2], atol=1e-4)
    np.testing.assert_allclose(np.sqrt(fit.covariance.diagonal())[4:], other.bse[:2], rtol=1e-3)
    assert fit.log_likelihood == pytest.approx(other.llf, abs=1e-6)


TERMS = [(TOPIC,), (ASSESSOR,), (SYSTEM, TOPIC), (SYSTEM, ASSESSOR), (TOPIC, ASSESSOR)]


def plain_criterion(
    ratings: FloatArray,
    codes: list[IntArray],
    keys: list[tuple[int, ...]],
    thresholds: FloatArray,
    effects: FloatArray,
    deviations: FloatArray,
) -> float:
    """Laplace's approximation with one dense matrix; derivatives of the logistic function by hand."""
    parts = [np.eye(make_term(codes, key).size)[make_term(codes, key).codes] for key in keys]
    design = np.hstack([part * deviation for part, deviation in zip(parts, deviations, strict=True)])
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    at = np.unique(ratings, return_inverse=True)[1]
    fixed = np.append(0, effects)[codes[0]]
    u = np.zeros(design.shape[1])
    for _ in range(100):
        predictor = fixed + design @ u
        high, low = expit(ends[at + 1] - predictor), expit(ends[at] - predictor)
        first = -(high * (1 - high) - low * (1 - low)) / (high - low)
        bent = high * (1 - high) * (1 - 2 * high) - low * (1 - low) * (1 - 2 * low)
        weight = first**2 - bent / (high - low)
        curvature = design.T @ (weight[:, None] * design) + np.eye(u.size)
        u = u - np.linalg.solve(curvature, u - design.T @ first)
    value = -float(np.log(high - low).sum()) + 0.5 * float(u @ u)
    return value + 0.5 * float(np.linalg.slogdet(curvature)[1])


@pytest.mark.parametrize(
    "keys", [TERMS, TERMS[:1], TERMS[1:2], TERMS[:2], TERMS[2:], []], ids=lambda keys: str(len(keys))
)
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_the_criterion_and_its_slope(keys: list[tuple[int, ...]], missing: float) -> None:
    ratings, codes = drawn(missing=missing, t=1, a=0.5, st=0.5, sa=0.3)
    there = ~np.isnan(ratings)
    ratings, codes = ratings[there], [each[there] for each in codes]
    laplace = Laplace(
        np.unique(ratings, return_inverse=True)[1], codes[0], [make_term(codes, key) for key in keys]
    )
    x = np.concatenate([[-1.3, 0.1, 1.1], [0.5, 0.8], np.array([0.9, 0.6, 0.5, 0.4, 0.3])[: len(keys)]])

    def at(x: FloatArray) -> float:
        return laplace.at(x[:3], x[3:5], x[5:]).value

    if keys:
        assert at(x) == pytest.approx(plain_criterion(ratings, codes, keys, x[:3], x[3:5], x[5:]), abs=1e-8)
    else:
        predictor = np.append(0, x[3:5])[codes[0]]
        assert at(x) == pytest.approx(-log_probabilities(x[:3], ratings, predictor).sum(), abs=1e-8)
    step = 1e-5 * np.eye(x.size)
    slope = [(at(x + each) - at(x - each)) / 2e-5 for each in step]
    np.testing.assert_allclose(laplace.at(x[:3], x[3:5], x[5:]).slope, slope, atol=1e-6)


def test_the_criterion_does_not_see_the_sign_of_a_deviation() -> None:
    ratings, codes = drawn(t=1)
    laplace = Laplace(ratings.astype(int) - 1, codes[0], [make_term(codes, key) for key in TERMS])
    up, down = (
        laplace.at(np.array([-1.0, 0, 1]), np.array([0.2, 0.4]), np.array([each, 0.5, 0.4, 0.3, 0.2]))
        for each in (0.7, -0.7)
    )
    assert up.value == pytest.approx(down.value, abs=1e-10)
    np.testing.assert_allclose(up.slope[5], -down.slope[5], atol=1e-7)


def test_in_one_dimension_laplace_is_near_the_integral() -> None:
    """One random term with many ratings in every cell: the integral factors, and quadrature is exact enough."""
    ratings, codes = drawn(systems=4, topics=6, assessors=5, t=1)
    thresholds, effects, deviation = np.array([-1.5, 0.0, 1.5]), np.array([0.3, 0.6, 1.0]), 0.8
    laplace = Laplace(ratings.astype(int) - 1, codes[0], [make_term(codes, (TOPIC,))])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    total = 0.0
    for topic in range(6):
        rows = codes[1] == topic
        predictor = np.append(0, effects)[codes[0][rows]][:, None] + deviation * nodes
        ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
        at = ratings[rows].astype(int)
        p = expit(ends[at][:, None] - predictor) - expit(ends[at - 1][:, None] - predictor)
        total += math.log(float(p.prod(axis=0) @ weights / weights.sum()))
    value = laplace.at(thresholds, effects, np.array([deviation])).value
    assert value == pytest.approx(-total, abs=0.05)
    assert value != pytest.approx(-total, abs=1e-6)  # it is an approximation


# What must not matter, and what must be found


def test_names_of_levels_rows_order_and_the_first_group_do_not_matter() -> None:
    ratings, codes = drawn(missing=0.2, t=1, a=0.6)
    keys = TERMS[:2]
    fit = fit_ordinal(ratings, codes, fixed=SYSTEM, random=keys)
    order = np.random.default_rng(1).permutation(ratings.size)
    turned = fit_ordinal(
        np.exp(ratings[order]), [each[order] for each in codes], fixed=SYSTEM, random=keys[::-1]
    )
    np.testing.assert_allclose(turned.effects, fit.effects, atol=1e-5)
    np.testing.assert_allclose(turned.deviations[::-1], fit.deviations, atol=1e-5)
    other = fit_ordinal(ratings, [2 - codes[0], *codes[1:]], fixed=SYSTEM, random=keys)
    contrast = np.array([[1.0, -1.0, 0.0]])
    for mine, theirs in zip(fit.contrasts(contrast), other.contrasts(contrast[:, ::-1]), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-4)
    # A scale turned upside down: thresholds and effects change sides.
    down = fit_ordinal(-ratings, codes, fixed=SYSTEM, random=keys)
    np.testing.assert_allclose(down.effects, -fit.effects, atol=1e-4)
    np.testing.assert_allclose(down.thresholds, -fit.thresholds[::-1], atol=1e-4)
    assert down.log_likelihood == pytest.approx(fit.log_likelihood, abs=1e-6)


def test_large_samples_find_what_was_planted() -> None:
    ratings, codes = drawn(systems=3, topics=150, assessors=12, levels=5, t=1, a=0.7, st=0.8)
    fit = fit_ordinal(ratings, codes, fixed=SYSTEM, random=TERMS[:3])
    np.testing.assert_allclose(fit.effects, [0, 0.7, 1.4], atol=0.25)
    np.testing.assert_allclose(fit.deviations[[0, 2]], [1, 0.8], atol=0.12)
    assert fit.modes[0].size == 150
    # Conditional modes of assessors follow the mean of what they gave.
    means = [ratings[codes[2] == k].mean() for k in range(12)]
    assert np.corrcoef(fit.modes[1], means)[0, 1] > 0.98


def test_a_start_does_not_matter() -> None:
    ratings, codes = drawn(topics=15, t=1.5, st=0.8)
    near, far = (
        fit_ordinal(ratings, codes, fixed=SYSTEM, random=TERMS, start=np.full(5, ratio)) for ratio in (0.3, 2)
    )
    np.testing.assert_allclose(near.deviations, far.deviations, atol=1e-3)
    assert near.log_likelihood == pytest.approx(far.log_likelihood, abs=1e-5)


def test_what_has_no_fit_says_why() -> None:
    ratings, codes = drawn()
    assert fit_ordinal(np.full(ratings.size, 3.0), codes, fixed=0).why == "all ratings are the same"
    assert fit_ordinal(np.full(ratings.size, np.nan), codes, fixed=0).why == "there are no ratings"
    top = np.where(codes[0] == 2, 4.0, ratings)
    assert fit_ordinal(top, codes, fixed=0).why == "no group overlaps enough with the others"
    # Every topic has its own rating, always the same: the topics' variance has no maximum.
    fixed = (codes[1] % 4).astype(float)
    fit = fit_ordinal(fixed, codes, fixed=0, random=[(TOPIC,)])
    assert fit.why is not None
    assert math.isnan(fit.log_likelihood)
    with pytest.raises(UsageError, match="start: 2 ratios for 1 random terms"):
        fit_ordinal(ratings, codes, fixed=0, random=[(TOPIC,)], start=[1.0, 1.0])
    with pytest.raises(UsageError, match="a level has no rating"):
        fit_ordinal(ratings, [codes[0] + 1, *codes[1:]], fixed=0)


# Separation


@given(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=2, max_size=4))
def test_separation_is_where_the_likelihood_has_no_maximum(groups: list[list[int]]) -> None:
    """A direction that raises no row's thresholds the wrong way is found by linear programming, or there is none."""
    from scipy.optimize import linprog

    ratings = np.array([rating for group in groups for rating in group])
    codes = np.array([k for k, group in enumerate(groups) for _ in group])
    levels, at = np.unique(ratings, return_inverse=True)
    if levels.size < 2:
        return
    # Directions (thresholds, effects) in which threshold above - effect grows and threshold below - effect falls.
    cuts, rows = levels.size - 1, []
    for code, rating in zip(codes, at, strict=True):
        for cut, sign in ((rating, 1), (rating - 1, -1)):
            if 0 <= cut < cuts:
                row = np.zeros(cuts + len(groups))
                row[cut], row[cuts + code] = sign, -sign
                rows.append(row)
    moves = np.array(rows)
    free = np.hstack([moves, np.zeros((len(moves), 0))])
    found = linprog(-moves.sum(axis=0), A_ub=-free, b_ub=np.zeros(len(moves)), bounds=(-1, 1))
    assert (separation(ratings, codes) is not None) == (-found.fun > 1e-6)


def test_separation_names_the_smaller_side() -> None:
    ratings = np.array([1, 2, 3, 2, 3, 1, 5, 5, 5])
    assert separation(ratings, np.repeat([0, 1, 2], 3)) == ([0, 1], [2])
    assert separation(-ratings, np.repeat([0, 1, 2], 3)) == ([2], [0, 1])
    assert separation([1, 2, 2, 3], [0, 0, 1, 1]) == ([0], [1])
    assert separation([1, 3, 2, 3], [0, 0, 1, 1]) is None


# Expectations and the check


def test_expected_shares_are_integrals() -> None:
    thresholds = np.array([-1.0, 0.5, 2.0])
    plain = np.diff(np.concatenate([[0], expit(thresholds - 0.3), [1]]))
    np.testing.assert_allclose(level_shares(thresholds, 0.3, 0.0), plain, atol=1e-12)
    rng = np.random.default_rng(0)
    latent = 0.3 + 1.2 * rng.normal(size=400_000) + rng.logistic(size=400_000)
    drawn_shares = np.bincount(np.searchsorted(thresholds, latent), minlength=4) / latent.size
    np.testing.assert_allclose(level_shares(thresholds, 0.3, 1.44), drawn_shares, atol=0.003)
    both = level_shares(thresholds, np.array([0.3, 0.9]), np.array([0.0, 1.44]))
    np.testing.assert_allclose(both.sum(axis=1), 1)


def test_the_check_finds_an_assessor_who_uses_the_scale_otherwise() -> None:
    ratings, codes = drawn(systems=4, topics=40, levels=5, t=0.8, a=0.5)
    fit = fit_ordinal(ratings, codes, fixed=SYSTEM, random=TERMS[:2])
    right = scale_check(fit, codes[ASSESSOR], rng=np.random.default_rng(0), resamples=199)
    assert right.p > 0.05
    assert right.observed.sum() == ratings.size
    assert right.expected.sum() == pytest.approx(ratings.size)
    np.testing.assert_array_equal(right.observed[0], np.bincount(ratings[codes[2] == 0].astype(int))[1:])
    narrow = np.where(codes[2] == 0, np.clip(ratings, 2, 4), ratings)
    fit = fit_ordinal(narrow, codes, fixed=SYSTEM, random=TERMS[:2])
    wrong = scale_check(fit, codes[ASSESSOR], rng=np.random.default_rng(0), resamples=199)
    assert wrong.p == 1 / 200
    with pytest.raises(UsageError, match="no fitted model: all ratings are the same"):
        scale_check(
            fit_ordinal(np.ones(4), [np.arange(4) % 2], fixed=0), [0] * 4, rng=np.random.default_rng()
        )


@pytest.mark.slow
def test_the_check_seldom_finds_what_is_not_there() -> None:
    found = 0
    for seed in range(100):
        ratings, codes = drawn(systems=4, topics=20, levels=5, seed=seed, t=1, a=0.6, st=0.8)
        fit = fit_ordinal(ratings, codes, fixed=SYSTEM, random=TERMS[:3])
        check = scale_check(fit, codes[ASSESSOR], rng=np.random.default_rng(seed), resamples=99)
        found += check.p <= 0.05
    assert found <= 10  # .05 gives at most 10 in 99 % of cases
