"""The REML criterion: equal to the likelihood written out with dense matrices, its slope to differences of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear import mixed
from adjudge.stats.linear.kernels import sweep
from adjudge.stats.linear.mixed import Reml
from adjudge.stats.linear.model import Term, indicators, make_term

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
@settings(deadline=None, max_examples=60)
def test_the_criterion_is_the_likelihood(seed: int, theta: FloatArray, compiled: bool) -> None:
    y, fixed, terms = problem(seed)
    reml = Reml(y, indicators(fixed), terms)
    reml.compiled = compiled
    deviance, b = written_out(y, fixed, terms, theta)
    found = reml.at(theta)
    assert found.deviance == pytest.approx(deviance, rel=1e-9)
    np.testing.assert_allclose(found.fixed + y.mean(), b, atol=1e-9)


@given(st.integers(0, 500))
@settings(deadline=None, max_examples=20)
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
    with pytest.raises(UsageError, match="cannot be told apart"):
        reml.at(np.array([0.0, 0.0, 0.0]))


def test_a_model_that_would_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    y, fixed, terms = problem(1)
    monkeypatch.setattr(mixed, "MOST_COLUMNS", 12)
    with pytest.raises(UsageError, match="13 effects beside its largest random term, at most 12"):
        Reml(y, indicators(fixed), terms)
