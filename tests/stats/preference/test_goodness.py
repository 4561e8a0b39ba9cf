"""Whether strengths fit: closed forms for three items, all tables one by one where they are few, and clusters."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, chi2, f

from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.contrasts import pair_contrasts
from adjudge.stats.preference.goodness import GoodnessOfFit, goodness_of_fit

CIRCLE = ((0, 1), (1, 2), (2, 0))


def answers_of(wins: tuple[int, int, int], each: int, copies: int = 1) -> PairAnswers:
    """How often each of three items was preferred to the next; every answer by `copies` assessors."""
    rows = [(i, j, float(k < w)) for (i, j), w in zip(CIRCLE, wins, strict=True) for k in range(each)]
    first, second, won = (np.repeat(np.array(column), copies) for column in zip(*rows, strict=True))
    who = np.tile(np.arange(copies), len(rows)) if copies > 1 else np.full(len(rows), -1)
    return PairAnswers(3, first, second, won, who=who)


def fitted(answers: PairAnswers, seed: int = 0) -> GoodnessOfFit:
    goodness = goodness_of_fit(answers, pair_contrasts(answers), np.random.default_rng(seed))
    assert goodness is not None
    return goodness


def test_fifteen_to_nothing_in_a_circle() -> None:
    """Equal strengths: each of 45 answers loses log 2, so the deviance is 90 log 2 on one degree of freedom."""
    goodness = fitted(answers_of((15, 15, 15), 15))
    assert goodness.deviance == pytest.approx(90 * math.log(2))
    assert goodness.freedom == 1
    assert goodness.p == pytest.approx(chi2.sf(90 * math.log(2), 1))
    assert goodness.method == "chi-squared"
    assert goodness.triples == ((0, 1, 2),)
    assert goodness.off == pytest.approx(
        math.sqrt(0.25 - 0.25 / 45)
    )  # a third of each pair's variance by chance
    assert goodness.smallest == 2.0**-44


def deviance_of(wins: tuple[int, ...], each: int) -> float:
    """By hand: with a pull of d towards the circle each pair's logit moves by the same d."""
    from scipy.optimize import minimize

    def falling(log: FloatArray) -> float:
        gaps = np.array([log[0], log[1] - log[0], -log[1]])  # the three differences add up to 0
        return float(np.sum(each * np.logaddexp(0, gaps) - np.array(wins) * gaps))

    saturated = sum(w * math.log(w / each) if w else 0.0 for w in (*wins, *(each - w for w in wins)))
    return 2 * (saturated + float(minimize(falling, np.zeros(2), tol=1e-12).fun))


def test_p_of_few_answers_is_that_of_all_tables() -> None:
    """Three answers a pair, by strengths that are equal: 64 tables, each with its chance and its deviance."""
    observed = (3, 2, 2)
    goodness = fitted(answers_of(observed, 3))
    level = deviance_of(observed, 3)
    assert goodness.deviance == pytest.approx(level, abs=1e-6)
    assert goodness.method == "Monte Carlo"
    log = pair_contrasts(answers_of(observed, 3)).one_way.top.point
    chances = [1 / (1 + math.exp(log[j] - log[i])) for i, j in CIRCLE]
    exact = sum(
        math.prod(binom.pmf(w, 3, p) for w, p in zip(wins, chances, strict=True))
        for wins in product(range(4), repeat=3)
        if deviance_of(wins, 3) >= level - 1e-6
    )
    several = [fitted(answers_of(observed, 3), seed).p for seed in range(12)]
    assert np.mean(several) == pytest.approx(exact, abs=3 * exact / math.sqrt(20 * 12))


def test_assessors_who_repeat_each_other_are_no_evidence() -> None:
    """Ten assessors who each see a circle or its opposite, by chance: answers agree within assessors alone."""
    rng = np.random.default_rng(4)
    ways = rng.permutation([1.0] * 6 + [0.0] * 4)
    first, second, won, who = (
        np.array(column)
        for column in zip(
            *((i, j, way, a) for a, way in enumerate(ways) for i, j in CIRCLE for _ in range(10)), strict=True
        )
    )
    pooled = fitted(PairAnswers(3, first, second, won))
    clustered = fitted(PairAnswers(3, first, second, won, who=who))
    assert pooled.p < 0.001  # 60 to 40 in each pair, all one way round
    # Each assessor is one answer of 30: 10 assessors differ 30 times as much, less 4 % for how far six are from four.
    assert clustered.dispersion == pytest.approx(30 * 10 / 9 * 0.96)
    assert clustered.method == "F"
    ratio = clustered.deviance / clustered.dispersion
    assert clustered.p == pytest.approx(f.sf(ratio, 1, 9))
    assert clustered.p > 0.3


def test_numbering_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 6, 60)
    second = (first + rng.integers(1, 6, 60)) % 6
    won = rng.integers(0, 2, 60).astype(float)
    answers = PairAnswers(6, first, second, won)
    order = rng.permutation(6)
    other = PairAnswers(6, order[second], order[first], 1 - won)
    one, two = fitted(answers), fitted(other)
    assert one.method == "Monte Carlo"
    assert one.p == two.p
    assert {frozenset(order[list(triple)].tolist()) for triple in one.triples} == set(
        map(frozenset, two.triples)
    )


def test_ties_and_position_have_a_test_too() -> None:
    rng = np.random.default_rng(6)
    first = rng.integers(0, 4, 400)
    second = (first + rng.integers(1, 4, 400)) % 4
    won = rng.choice([1.0, 0.5, 0.0], 400, p=[0.5, 0.2, 0.3])
    answers = PairAnswers(4, first, second, won)
    contrasts = pair_contrasts(answers, ties="davidson", position=True)
    goodness = goodness_of_fit(answers, contrasts, np.random.default_rng(0))
    assert goodness is not None
    assert goodness.freedom == 2 * 12 - 3 - 1 - 1  # strengths, position, ties
    assert goodness.p > 0.01


def test_what_cannot_misfit_is_not_fitted() -> None:
    two = PairAnswers(2, np.zeros(9, int), np.ones(9, int), (np.arange(9) % 2).astype(np.float64))
    assert goodness_of_fit(two, pair_contrasts(two), np.random.default_rng(0)) is None
    chain = PairAnswers(3, np.array([0, 0, 1, 1]), np.array([1, 1, 2, 2]), np.array([1.0, 0, 1, 0]))
    assert goodness_of_fit(chain, pair_contrasts(chain), np.random.default_rng(0)) is None
    circle, won = np.array(CIRCLE * 2).T, np.repeat([1.0, 0.0], 3)
    weighted = PairAnswers(3, circle[0], circle[1], won, weight=np.full(6, 0.3))
    assert goodness_of_fit(weighted, pair_contrasts(weighted), np.random.default_rng(0)) is None
    assert fitted(answers_of((4, 4, 4), 4)).smallest == 1  # too few answers to a pair
    assert fitted(answers_of((5, 5, 5), 5)).smallest == 2.0**-14
