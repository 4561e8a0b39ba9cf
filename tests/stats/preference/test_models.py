"""Tie models and the effect of position against R, a plain twin by scipy.optimize, and numerical derivatives."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from adjudge.core.errors import DataError, UsageError
from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.bradley_terry import fit
from adjudge.stats.preference.contrasts import ModelParameter, OpenPosition, pair_contrasts
from adjudge.stats.preference.models import (
    TIE_MODELS,
    PairLikelihood,
    TieModel,
    climb_model,
    likelihood_of,
    merged,
)

DATA = Path(__file__).parent / "data"
CASES = [(model, position) for model in TIE_MODELS for position in (False, True)]

# data/ties_and_position.R: R 4.2.2, psychotools 0.7-2, MASS 7.3-58.2. Log strengths of a, b and c less d's, then the
# effect of position, then log nu or log theta; their standard errors.
R_VALUES: dict[tuple[TieModel, bool], tuple[list[float], list[float]]] = {
    ("davidson", False): (
        [1.8940905801, 1.59345459609, 0.272301288734, -0.636533510958],
        [0.381910206545, 0.377170425091, 0.33016893264, 0.212898897709],
    ),
    ("half", False): (
        [1.47839501799, 1.24355642114, 0.212672862097],
        [0.325526809088, 0.324359134775, 0.291318796591],
    ),
    ("half", True): (
        [1.66735058315, 1.4146657754, 0.293236903275, 0.70722054883],
        [0.356303157107, 0.355458225751, 0.307586410738, 0.193711569027],
    ),
    ("davidson", True): (
        [2.21326756891, 1.87843184449, 0.393054449463, 0.94216261351, -0.533474444914],
        [0.431305829626, 0.424942118158, 0.355149842028, 0.230556813339, 0.217983163117],
    ),
    ("rao-kupper", True): (
        [1.81180299553, 1.45483663381, 0.260307124881, 0.746509334861, 0.517334764862],
        [0.327852717799, 0.314271608717, 0.27561085247, 0.175318050693, 0.0894344014992],
    ),
}
R_LOGLIK = {("davidson", False): -145.920908096, ("rao-kupper", True): -135.482066064}


def answers_of_r() -> PairAnswers:
    with (DATA / "ties_and_position.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    first, second = (np.array(["abcd".index(row[side]) for row in rows]) for side in ("first", "second"))
    return PairAnswers(4, first, second, np.array([(int(row["answer"]) + 1) / 2 for row in rows]))


def generated(seed: int, n: int = 4, count: int = 80) -> PairAnswers:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    return PairAnswers(n, first, second, rng.choice([0.0, 0.5, 1.0], count, p=[0.35, 0.25, 0.4]))


def likelihood(answers: PairAnswers, model: TieModel, position: bool) -> PairLikelihood:
    return likelihood_of(answers, np.zeros(len(answers), np.int64), ties=model, position=position)


def plain(answers: PairAnswers, model: TieModel, position: bool, point: FloatArray) -> float:
    """The log-likelihood answer by answer, from the models' definitions by strengths."""
    total, v = 0.0, np.exp(point[: answers.n])
    d = np.exp(point[answers.n]) if position else 1.0
    tie = np.exp(point[-1])
    for i, j, won in zip(answers.first, answers.second, answers.won, strict=True):
        one, two = v[i] * d, v[j]
        if model == "half":
            total += won * np.log(one / (one + two)) + (1 - won) * np.log(two / (one + two))
            continue
        if model == "davidson":
            whole = one + two + tie * np.sqrt(one * two)
            chances = {1.0: one / whole, 0.0: two / whole, 0.5: tie * np.sqrt(one * two) / whole}
        else:
            chances = {1.0: one / (one + tie * two), 0.0: two / (two + tie * one)}
            chances[0.5] = 1 - chances[1.0] - chances[0.0]
        total += np.log(chances[float(won)])
    return total


@pytest.mark.parametrize(("model", "position"), list(R_VALUES))
def test_estimates_and_standard_errors_are_rs(model: TieModel, position: bool) -> None:
    found = pair_contrasts(answers_of_r(), ties=model, position=position)
    values, errors = R_VALUES[model, position]
    extras = [each for each in (found.position, found.tie) if isinstance(each, ModelParameter)]
    np.testing.assert_allclose(
        [*found.difference[:3, 3], *(each.value for each in extras)], values, rtol=2e-5
    )
    np.testing.assert_allclose([*found.se[:3, 3], *(each.se for each in extras)], errors, rtol=2e-4)
    if (model, position) in R_LOGLIK:
        assert found.one_way.top.value == pytest.approx(R_LOGLIK[model, position], rel=1e-9)
    assert found.dropped == ()


@pytest.mark.parametrize(("model", "position"), CASES)
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_log_likelihood_and_its_derivatives(model: TieModel, position: bool, seed: int) -> None:
    answers = generated(seed)
    like = likelihood(answers, model, position)
    rng = np.random.default_rng(seed)
    point = np.append(rng.normal(size=like.size - 1), rng.uniform(0.2, 1))
    assert like.value(point) == pytest.approx(plain(answers, model, position, point), rel=1e-9)
    assert merged(like).value(point) == pytest.approx(like.value(point), rel=1e-12)
    gradient, information = like.slopes(point)
    h, steps = 1e-5, np.eye(like.size)
    slope = [(like.value(point + h * e) - like.value(point - h * e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(gradient, slope, atol=1e-5)
    bent = [
        (like.slopes(point - h * e).gradient - like.slopes(point + h * e).gradient) / (2 * h) for e in steps
    ]
    np.testing.assert_allclose(information, bent, atol=1e-4)


@pytest.mark.parametrize(("model", "position"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_the_maximum_is_that_of_a_plain_optimizer(model: TieModel, position: bool, seed: int) -> None:
    answers = generated(seed)
    like = likelihood(answers, model, position)
    found = climb_model(like, np.zeros(4, np.int64))
    theirs = minimize(
        lambda x: -plain(answers, model, position, np.append(0.0, x)),
        like.start()[1:],
        method="L-BFGS-B",
        bounds=[(None, None)] * (like.size - 2) + [(1e-6 if model == "rao-kupper" else None, None)],
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    assert found.value == pytest.approx(-theirs.fun, abs=1e-8)
    np.testing.assert_allclose(found.point[1:4] - found.point[0], theirs.x[:3], atol=1e-4)
    np.testing.assert_allclose(found.point[4:], theirs.x[3:], atol=1e-4)
    assert np.abs(like.slopes(found.point).gradient).max() < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_half_wins_are_the_certified_fit(seed: int) -> None:
    answers = generated(seed, n=6, count=200)
    found = climb_model(likelihood(answers, "half", False), np.zeros(6, np.int64))
    np.testing.assert_allclose(found.point, fit(answers.wins()).log, atol=1e-9)


def test_two_items_have_closed_forms() -> None:
    """12 wins, 5 ties and 3 losses fill the three chances exactly."""
    won = np.repeat([1.0, 0.5, 0.0], [12, 5, 3])
    answers = PairAnswers(2, np.zeros(20, int), np.ones(20, int), won)
    davidson = pair_contrasts(answers, ties="davidson")
    assert davidson.difference[0, 1] == pytest.approx(np.log(12 / 3))
    assert davidson.tie is not None
    assert np.exp(davidson.tie.value) == pytest.approx(5 / np.sqrt(12 * 3))
    rao = pair_contrasts(answers, ties="rao-kupper")
    # theta v_j / v_i = (1 - p) / p for the wins, theta v_i / v_j = (1 - q) / q for the losses
    up, down = (20 - 12) / 12, (20 - 3) / 3
    assert rao.tie is not None
    assert np.exp(rao.tie.value) == pytest.approx(np.sqrt(up * down))
    assert rao.difference[0, 1] == pytest.approx(np.log(np.sqrt(down / up)))


def test_a_constrained_maximum_is_that_of_a_grid() -> None:
    answers = generated(5, n=3, count=60)
    like, part = likelihood(answers, "davidson", True), np.zeros(3, np.int64)
    contrast = np.array([1.0, -1.0, 0.0])
    found = climb_model(like, part, contrast=contrast, at=0.7)
    assert found.point[0] - found.point[1] == pytest.approx(0.7, abs=1e-9)
    theirs = minimize(lambda x: -like.value(np.array([0.7, 0.0, *x])), np.zeros(3), tol=1e-12)
    assert found.value == pytest.approx(-theirs.fun, abs=1e-7)
    h = 1e-4
    near = [climb_model(like, part, contrast=contrast, at=0.7 + s * h).value for s in (1, -1)]
    assert found.pull == pytest.approx((near[0] - near[1]) / (2 * h), abs=1e-5)


def test_what_cannot_be_fitted_is_left_out_and_named() -> None:
    rng = np.random.default_rng(1)
    first, second = np.array([(0, 1), (1, 2), (2, 0)] * 10).T
    none = PairAnswers(3, first, second, rng.integers(0, 2, 30).astype(np.float64))
    found = pair_contrasts(none, ties="davidson")
    assert (found.model, found.tie) == ("half", None)
    assert found.dropped == ("no answer is a tie: davidson has nothing to fit, and is plain Bradley-Terry",)
    # Wins and ties, no losses: the difference and the share of ties grow together without end.
    mild = PairAnswers(2, np.zeros(4, int), np.ones(4, int), np.array([1.0, 1.0, 1.0, 0.5]))
    found = pair_contrasts(mild, ties="rao-kupper")
    assert found.dropped == ("rao-kupper has no finite maximum here, so ties count as half wins",)
    # Every pair was shown in one order: the first item may be better, or the first place.
    shown = PairAnswers(2, np.zeros(6, int), np.ones(6, int), np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0]))
    found = pair_contrasts(shown, position=True)
    assert found.position is None
    assert found.dropped == (
        "the effect of position cannot be told from the items, or has no finite maximum, so it was left out: what is"
        " said of the items may be due to where they were shown",
    )
    assert pair_contrasts(answers_of_r(), position=True).position is not None


@pytest.mark.parametrize("by", ["answer", "cluster"])
@pytest.mark.parametrize("second", [False, True])
def test_a_position_that_always_wins_has_an_open_bound(by: Any, second: bool) -> None:
    """Of 32 answers on 8 topics: Clopper and Pearson's bound of 32 wins of 32, or of 8 of 8."""
    first = np.array([0, 1] * 16)
    won = np.zeros(32) if second else np.ones(32)
    answers = PairAnswers(2, first, 1 - first, won, cluster=np.arange(32) // 4)
    found = pair_contrasts(answers, by=by, position=True)
    assert isinstance(found.position, OpenPosition)
    units = 32 if by == "answer" else 8
    chance = 0.025 ** (1 / units)
    bound = math.log(chance / (1 - chance))
    wanted = (-math.inf, -bound) if second else (bound, math.inf)
    assert found.position.bounds(0.95) == pytest.approx(wanted, rel=1e-6)
    assert found.position.p == pytest.approx(2 * 0.5**units, rel=1e-6)
    # 24 to 8 is what the place of the two explains, so that nothing is known of the items.
    first = np.array([0, 1, 1, 1] * 8)
    found = pair_contrasts(
        PairAnswers(2, first, 1 - first, won, cluster=np.arange(32) // 4), by=by, position=True
    )
    assert found.p[0, 1] == 1
    assert found.pair_bounds(0, 1, 0.95) == (-math.inf, math.inf)
    assert found.item_bounds(0, -0.5, 0.95) == (-math.inf, math.inf)
    assert "no finite maximum: strengths are shown without it" in found.dropped[0]


def test_an_open_position_is_that_of_the_profile_likelihood() -> None:
    """0 and 1 by place alone, and 2 beats 0 from either place, but for two answers. Another optimizer's profile."""
    told = [(0, 1, 1.0)] * 9 + [(1, 0, 1.0)] * 6 + [(2, 0, 1.0)] * 5 + [(0, 2, 1.0)] * 2 + [(0, 2, 0.5)] * 3
    first, second, won = (np.array(each) for each in zip(*told, strict=True))
    found = pair_contrasts(PairAnswers(3, first, second, won), ties="davidson", position=True)
    assert isinstance(found.position, OpenPosition)
    like = found.position.one_way.whole

    def profile(x: float) -> float:
        def lost(free: FloatArray) -> float:
            return -like.value(np.array([0.0, free[0], free[1], x, *free[2:]]))

        return -float(minimize(lost, np.zeros(like.size - 2), tol=1e-12).fun)

    top = found.position.one_way.top.value
    bound = brentq(lambda x: profile(x) - top - math.log(0.025), -5, 15)
    assert found.position.bounds(0.95).low == pytest.approx(bound, abs=1e-4)
    assert found.position.p == pytest.approx(min(1.0, 2 * math.exp(profile(0.0) - top)), rel=1e-4)


def test_wrong_calls() -> None:
    with pytest.raises(UsageError, match='ties: unknown value "third"'):
        likelihood(generated(1), "third", False)  # type: ignore[arg-type]
    share = PairAnswers(2, np.array([0]), np.array([1]), np.array([0.3]))
    with pytest.raises(DataError, match="davidson knows a win, a tie and a loss"):
        likelihood(share, "davidson", False)
    with pytest.raises(UsageError, match="similarity: propagated answers know neither"):
        pair_contrasts(generated(1), similarity=np.eye(4), position=True)
