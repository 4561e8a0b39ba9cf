"""Crowd-BT: planted reliabilities, derivatives by differences, EM as a twin, the plain fit as a limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from tests.properties import examples
from tests.stats.preference.generate import crowd, log_worth, ordered_right

from adjudge.core.errors import UsageError
from adjudge.stats.preference.answers import FloatArray, PairAnswers, propagated
from adjudge.stats.preference.bradley_terry import REGULARISER, fit
from adjudge.stats.preference.crowd import PRIOR, CrowdPosterior, _mode, fit_crowd

RELIABLE = np.array([1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.5, 0.5])


def small(seed: int, n: int = 5, people: int = 3, count: int = 30) -> PairAnswers:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, count)
    return PairAnswers(
        n,
        first,
        (first + rng.integers(1, n, count)) % n,
        rng.choice([0.0, 0.5, 1.0], count, p=[0.4, 0.2, 0.4]),
        weight=rng.uniform(0.5, 2.0, count),
        who=rng.integers(-1, people, count),
    )


def plain_posterior(
    answers: PairAnswers, log: FloatArray, eta: FloatArray, scale: float, prior: tuple[float, float]
) -> float:
    """Minus the log posterior, answer by answer, as it is printed."""
    v, total = np.exp(log), 0.0
    for i, j, won, weight, k in zip(
        answers.first, answers.second, answers.won, answers.weight, answers.who, strict=True
    ):
        p = v[i] / (v[i] + v[j])
        own = 1.0 if k < 0 else eta[k]
        first = own * p + (1 - own) * (1 - p)
        total += weight * (won * np.log(first) + (1 - won) * np.log(1 - first))
    total += scale * sum(np.log(x / (x + 1)) + np.log(1 / (x + 1)) for x in v)
    total += sum((prior[0] - 1) * np.log(e) + (prior[1] - 1) * np.log(1 - e) for e in eta)
    return -float(total)


def model_of(answers: PairAnswers, people: int) -> CrowdPosterior:
    return CrowdPosterior(answers, np.where(answers.who < 0, people, answers.who), people, 0.3, (4.0, 2.5))


@examples(30)
@given(st.integers(0, 10**6))
def test_the_posterior_and_its_derivatives(seed: int) -> None:
    answers, rng = small(seed), np.random.default_rng(seed)
    model, log, eta = model_of(answers, 3), rng.normal(size=5), rng.uniform(0.1, 0.9, 3)
    assert model.value(log, eta) == pytest.approx(
        plain_posterior(answers, log, eta, 0.3, (4.0, 2.5)), rel=1e-10
    )

    def value(x: FloatArray) -> float:
        return model.value(x[:5], x[5:])

    def slope(x: FloatArray) -> FloatArray:
        return np.concatenate(model.slopes(x[:5], x[5:]))

    at = np.concatenate([log, eta])
    np.testing.assert_allclose(slope(at), approx_fprime(at, value, 1e-7), atol=2e-4)
    bent = np.array([approx_fprime(at, lambda x, k=k: slope(x)[k], 1e-7) for k in range(8)])
    np.testing.assert_allclose(model.hessian(log, eta), bent, rtol=1e-4, atol=1e-3)


def by_expectation(answers: PairAnswers, people: int, rounds: int) -> tuple[FloatArray, FloatArray]:
    """Log strengths and reliabilities by EM: who was right is guessed, then everything fitted to the guess."""
    eta, log = np.full(people, 0.8), np.zeros(answers.n)
    a, b = PRIOR
    known = answers.who >= 0
    for _ in range(rounds):
        p = 1 / (1 + np.exp(log[answers.second] - log[answers.first]))
        own = np.where(known, eta[answers.who], 1.0)
        right_if_first = own * p / (own * p + (1 - own) * (1 - p))
        right_if_second = own * (1 - p) / (own * (1 - p) + (1 - own) * p)
        right = answers.won * right_if_first + (1 - answers.won) * right_if_second
        truth = answers.won * right_if_first + (1 - answers.won) * (1 - right_if_second)
        guessed = PairAnswers(answers.n, answers.first, answers.second, truth, answers.weight)
        wins = guessed.wins()
        v = np.exp(log)
        for _ in range(5):  # Zermelo's steps, with the virtual opponent
            weights = ((wins + wins.T) / (v[:, None] + v)).sum(1) + 2 * REGULARISER / (v + 1)
            v = (wins.sum(1) + REGULARISER) / weights
        log = np.log(v)
        for k in range(people):
            mine = answers.who == k
            weight = answers.weight[mine]
            eta[k] = (weight @ right[mine] + a - 1) / (weight.sum() + a + b - 2)
    return log - log.mean(), eta


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_expectation_maximisation_ends_in_the_same_place(seed: int) -> None:
    answers = crowd(seed, np.array([0.95, 0.8, 0.6]), n=8, each=60, ties=0.1, unknown=10)
    found = fit_crowd(answers)
    log, eta = by_expectation(answers, 3, 3000)
    np.testing.assert_allclose(found.strengths.log, log, atol=1e-5)
    np.testing.assert_allclose(found.reliability, eta, atol=1e-5)
    assert found.converged
    assert found.unknown == 10


def test_planted_reliabilities_come_back() -> None:
    """Four standard errors and what the prior may shift. Strengths gain, where two of eight click at random."""
    gains = []
    for seed in range(6):
        answers = crowd(seed, RELIABLE, n=30, each=400)
        found = fit_crowd(answers)
        assert found.converged
        assert np.all(found.errors < 0.06)
        np.testing.assert_array_less(np.abs(found.reliability - RELIABLE), 4 * found.errors + 0.02)
        truth = log_worth(seed, 30)
        gains.append(ordered_right(truth, found.strengths.log) - ordered_right(truth, found.plain.log))
    assert np.mean(gains) > 0.005


def test_standard_errors_are_the_spread() -> None:
    """Over 60 redrawn sets of answers; a standard deviation of 60 is known to about 9 %.

    With few answers the prior holds reliabilities together, and they vary less than these errors say.
    """
    eta = np.array([0.9, 0.8, 0.7, 0.6])
    fits = [fit_crowd(crowd(seed, eta, n=10, each=2000, same_items=True)) for seed in range(60)]
    spread = np.std([each.reliability for each in fits], axis=0, ddof=1)
    claimed = np.mean([each.errors for each in fits], axis=0)
    np.testing.assert_allclose(claimed, spread, rtol=0.3)


def test_one_who_mixed_up_the_buttons_helps() -> None:
    answers = crowd(3, np.array([0.95, 0.95, 0.9, 0.05]), n=15, each=300)
    found = fit_crowd(answers)
    assert found.reliability[3] < 0.25
    assert np.all(found.reliability[:3] > 0.8)
    truth = log_worth(3, 15)
    assert ordered_right(truth, found.strengths.log) > ordered_right(truth, found.plain.log)


def test_no_start_ends_higher() -> None:
    """The search starts from the plain fit; thirty starts anywhere find nothing better."""
    answers = crowd(5, RELIABLE, n=10, each=60)
    found = fit_crowd(answers)
    model = CrowdPosterior(answers, answers.who, 8, REGULARISER, PRIOR)

    def reached(start: FloatArray) -> float:
        log, eta, _, _ = _mode(model, start, 1e-8, 2000)
        return model.value(log, eta)

    best = reached(found.plain.log)
    rng = np.random.default_rng(1)
    others = [reached(rng.normal(0, 2, 10)) for _ in range(30)]
    assert min(others) > best - 1e-6
    mirrored = CrowdPosterior(answers, answers.who, 8, REGULARISER, (1.0, 1.0))
    log, eta, _, _ = _mode(mirrored, found.plain.log, 1e-8, 2000)
    assert mirrored.value(-log, 1 - eta) == pytest.approx(
        mirrored.value(log, eta)
    )  # what the prior is needed for
    assert model.value(-found.plain.log, 1 - found.reliability) > best + 10


def test_reliable_assessors_are_the_plain_model() -> None:
    answers = crowd(7, RELIABLE, n=12, each=50, ties=0.1)
    expected = fit(answers.wins(), regularise=0.2)
    found = fit_crowd(answers, regularise=0.2, prior=(1e9, 1.0))
    np.testing.assert_allclose(found.strengths.log, expected.log, atol=1e-6)
    np.testing.assert_allclose(found.change, 0, atol=1e-6)
    np.testing.assert_allclose(found.reliability, 1, atol=1e-8)
    assert np.all(np.isnan(found.errors))
    assert found.why == "8 of 8 reliabilities are at the edge, where the posterior does not level off"
    # It does make a difference otherwise.
    assert np.abs(fit_crowd(answers, regularise=0.2).change).max() > 0.1


def test_nobody_known_is_the_plain_model() -> None:
    answers = crowd(8, RELIABLE, n=12, each=50)
    nobody = PairAnswers(12, answers.first, answers.second, answers.won)
    found = fit_crowd(nobody)
    np.testing.assert_allclose(found.strengths.log, fit(nobody.wins(), regularise=REGULARISER).log, atol=1e-7)
    assert found.unknown == len(nobody)
    assert len(found.reliability) == 0
    assert found.why is None


def test_the_truth_can_be_fitted_and_propagated() -> None:
    """Plain strengths of the answers as they should have been are the crowd's strengths: where EM stands still."""
    answers = crowd(9, RELIABLE, n=12, each=50, ties=0.1, unknown=20)
    found = fit_crowd(answers)
    again = fit(found.truth.wins(), regularise=REGULARISER, tolerance=1e-12)
    np.testing.assert_allclose(again.log, found.strengths.log, atol=1e-7)
    assert fit(propagated(found.truth, np.full((12, 12), 0.2) + 0.8 * np.eye(12))).converged


def test_swapped_answers_turn_strengths_over() -> None:
    answers = crowd(10, RELIABLE, n=12, each=50)
    turned = PairAnswers(12, answers.first, answers.second, 1 - answers.won, who=answers.who)
    one, two = fit_crowd(answers), fit_crowd(turned)
    np.testing.assert_allclose(one.strengths.log, -two.strengths.log, atol=1e-7)
    np.testing.assert_allclose(one.reliability, two.reliability, atol=1e-7)


def test_weights_are_repetitions() -> None:
    answers = crowd(11, np.array([0.9, 0.6]), n=6, each=20)
    twice = fit_crowd(answers.take(np.repeat(np.arange(len(answers)), 2)))
    heavy = fit_crowd(
        PairAnswers(6, answers.first, answers.second, answers.won, np.full(len(answers), 2.0), answers.who)
    )
    np.testing.assert_allclose(twice.strengths.log, heavy.strengths.log, atol=1e-7)
    np.testing.assert_allclose(twice.reliability, heavy.reliability, atol=1e-7)
    assert twice.counts.tolist() == [40, 40]
    assert heavy.counts.tolist() == [20, 20]


def test_edges() -> None:
    empty = np.empty(0, np.int64)
    nothing = fit_crowd(PairAnswers(3, empty, empty, np.empty(0)))
    np.testing.assert_allclose(nothing.strengths.values, 1)
    absent = fit_crowd(PairAnswers(2, np.array([0]), np.array([1]), np.array([1.0]), who=np.array([2])))
    assert np.isnan(absent.reliability).tolist() == [True, True, False]
    assert absent.counts.tolist() == [0, 0, 1]
    ties = fit_crowd(
        PairAnswers(2, np.array([0, 1]), np.array([1, 0]), np.array([0.5, 0.5]), who=np.array([0, 0]))
    )
    np.testing.assert_allclose(ties.strengths.values, 1, atol=1e-6)
    assert ties.reliability[0] == pytest.approx(
        8 / 9, abs=1e-6
    )  # ties say nothing: the mode of the prior stays


def test_wrong_calls() -> None:
    answers = small(0)
    with pytest.raises(UsageError, match="regularise is 0, and must be above 0"):
        fit_crowd(answers, regularise=0)
    with pytest.raises(UsageError, match=r"the prior of reliabilities is \(0.5, 1\)"):
        fit_crowd(answers, prior=(0.5, 1))
