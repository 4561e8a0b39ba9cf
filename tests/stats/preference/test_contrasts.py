"""Differences of pairs: closed forms, a jackknife by the book, profile likelihoods on a grid, and what is open."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.stats import norm
from scipy.stats import t as student
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.preference.answers import PairAnswers
from adjudge.stats.preference.bradley_terry import fit
from adjudge.stats.preference.contrasts import around, half_width, pair_contrasts, quantile, two_sided


def answers_of(told: list[tuple[int, int, float, int]], n: int) -> PairAnswers:
    """Winner or first, loser or second, 1 or 0.5, cluster."""
    first, second, won, cluster = (np.array(column) for column in zip(*told, strict=True))
    return PairAnswers(n, first, second, won, cluster=cluster)


def generated(seed: int, n: int = 4, clusters: int = 6, each: int = 30, scatter: float = 0.7) -> PairAnswers:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, clusters * each)
    second = (first + rng.integers(1, n, clusters * each)) % n
    cluster = np.repeat(np.arange(clusters), each)
    here = np.linspace(0.6, -0.6, n) + rng.normal(0, scatter, (clusters, n))
    chance = 1 / (1 + np.exp(here[cluster, second] - here[cluster, first]))
    return PairAnswers(n, first, second, rng.random(clusters * each) < chance, cluster=cluster)


def test_answers_as_units_have_the_standard_errors_of_the_information() -> None:
    answers = generated(1)
    found, plain = pair_contrasts(answers), fit(answers.wins())
    np.testing.assert_allclose(found.difference, plain.log[:, None] - plain.log, atol=1e-8)
    chance = plain.values[:, None] / (plain.values[:, None] + plain.values)
    weights = (answers.wins() + answers.wins().T) * chance * (1 - chance)
    covariance = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    np.testing.assert_allclose(found.item_se, np.sqrt(covariance.diagonal()), rtol=1e-7)
    assert np.isinf(found.freedom[0, 1])
    z = found.difference[0, 1] / found.se[0, 1]
    assert found.p[0, 1] == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9)
    low, high = found.pair_bounds(0, 1, 0.9)
    assert (low, high) == pytest.approx(norm.interval(0.9, found.difference[0, 1], found.se[0, 1]))


@pytest.mark.parametrize("won", [(7, 5, 8, 6), (7, 5, 8, 6, 4, 7, 6, 5)])
def test_two_items_by_the_book(won: tuple[int, ...]) -> None:
    """Clusters of 10: each deletion in one Newton step, by hand; no p is below that of a sign test over clusters."""
    wins, clusters = np.array(won), len(won)
    told = [(0, 1, float(k < w), g) for g, w in enumerate(wins) for k in range(10)]
    found = pair_contrasts(answers_of(told, 2), by="cluster")
    p = wins.sum() / (10 * clusters)
    steps = (wins - 10 * p) / (10 * (clusters - 1) * p * (1 - p))
    se = math.sqrt((clusters - 1) / clusters * (steps**2).sum())
    assert found.difference[0, 1] == pytest.approx(math.log(p / (1 - p)))
    assert found.se[0, 1] == pytest.approx(se, rel=1e-9)
    assert found.freedom[0, 1] == pytest.approx(clusters - 1)
    alone = math.sqrt(1 / (10 * clusters * p * (1 - p)))
    assert found.alone[0, 1] == pytest.approx(alone, rel=1e-9)
    x = found.difference[0, 1]
    by_t, by_answers = 2 * student.sf(x / se, clusters - 1), 2 * norm.sf(x / alone)
    assert (max(by_t, by_answers) < 2 * 0.5**clusters) == (clusters == 4)  # .117 and .125
    assert found.p[0, 1] == pytest.approx(max(by_t, by_answers, 2 * 0.5**clusters), rel=1e-9)
    half = max(student.ppf(0.975, clusters - 1) * se, norm.ppf(0.975) * alone)
    assert found.pair_bounds(0, 1, 0.95) == pytest.approx((x - half, x + half))
    np.testing.assert_allclose(found.item_se, se / 2, rtol=1e-9)


@pytest.mark.parametrize("clusters", [2, 3, 5, 6, 8, 12])
def test_more_one_sided_answers_have_no_larger_p_by_an_order(clusters: int) -> None:
    """Ten answers on each topic; a loss more on one or on all: p stays near the smallest of a sign test."""
    for lost in (0, 1, 2, clusters, 2 * clusters):
        told = [(0, 1, float(k * clusters + g >= lost), g) for g in range(clusters) for k in range(10)]
        found = pair_contrasts(answers_of(told, 2), by="cluster")
        least = min(1.0, 2 * 0.5**clusters)
        assert least * (1 - 1e-3) <= found.p[0, 1] < 1.3 * least
        assert found.least_p(0, 1) == pytest.approx(least)
        low, _ = found.pair_bounds(0, 1, 0.95)
        assert (low > 0) == (found.p[0, 1] < 0.05)
        assert (found.item_bounds(0, found.difference[0, 1] / 2, 0.95).low > 0) == (found.p[0, 1] < 0.05)


def test_one_way_wins_among_several_items_stay_near_what_a_few_losses_give() -> None:
    """The first of several items wins nearly all its duels, then all of them: p does not rise by an order."""
    rng, rose, count = np.random.default_rng(1), [], 0
    for _ in range(40):
        n, clusters, each = (int(rng.integers(a, b)) for a, b in ((3, 7), (3, 16), (6, 30)))
        first = rng.integers(0, n, clusters * each)
        second = (first + rng.integers(1, n, clusters * each)) % n
        cluster = np.repeat(np.arange(clusters), each)
        here = np.where(np.arange(n) == 0, 3.0, 0.0) + rng.normal(0, 0.6, (clusters, n))
        won = rng.random(len(first)) < 1 / (1 + np.exp(here[cluster, second] - here[cluster, first]))
        all_won = np.where(first == 0, 1.0, np.where(second == 0, 0.0, won))
        some, every = (
            pair_contrasts(PairAnswers(n, first, second, each, cluster=cluster), by="cluster")
            for each in (won.astype(float), all_won)
        )
        known = np.isfinite(some.difference[0, 1:])
        rose += (every.p[0, 1:] / some.p[0, 1:])[known].tolist()
        count += int(known.sum())
    assert count > 80
    assert max(rose) < 10


def test_a_topic_counts_once_among_several_items_too() -> None:
    """0 beat 1 and 2 on every topic, twice each; these are equal. A topic's most telling answer is the direct one."""
    told = [(0, k, 1.0, g) for g in range(8) for k in (1, 2) for _ in range(2)]
    told += [(1, 2, float(w), g) for g in range(8) for w in (0, 1)]
    found = pair_contrasts(answers_of(told, 3), by="cluster")
    assert found.p[0, 1] == pytest.approx(2 * 0.5**8)
    # Where 0 met 2 alone, at most the restricted chance that 0 is preferred to 2 counts.
    apart = [each for each in told if each[:2] != (0, 1) or each[3] < 3]
    found = pair_contrasts(answers_of(apart, 3), by="cluster")

    def s(x: float) -> float:
        return -math.log1p(math.exp(-x))

    at = minimize(lambda c: -(6 * s(0) + 16 * s(c[0]) + 8 * s(c[0]) + 8 * s(-c[0])), [0.0], tol=1e-12).x[0]
    assert found.p[0, 1] == pytest.approx(2 * math.exp(3 * s(0) + 5 * s(at)), rel=1e-5)


def test_no_more_degrees_of_freedom_than_topics_of_the_item_with_fewer() -> None:
    """0 was judged on 3 topics, the others on 12."""
    rng = np.random.default_rng(2)
    told = [(0, 1, float(rng.random() < 0.6), g) for g in range(3) for _ in range(60)]
    told += [(1, 2, float(rng.random() < 0.5), g) for g in range(12) for _ in range(2)]
    found = pair_contrasts(answers_of(told, 3), by="cluster")
    assert found.freedom[0, 2] == 2
    assert found.freedom[1, 2] > 6
    assert found.least[0, 2] == 0.25
    assert found.p[0, 2] >= 0.25


@pytest.mark.parametrize("seed", range(3))
def test_the_jackknife_is_near_one_that_fits_again(seed: int) -> None:
    """With many answers a Newton step from the maximum is nearly the whole way."""
    answers = generated(seed, clusters=12, each=200)
    found = pair_contrasts(answers, by="cluster")
    again = np.array([fit(answers.take(answers.cluster != g).wins()).log for g in range(12)])
    gaps = again[:, :, None] - again[:, None, :] - found.difference
    np.testing.assert_allclose(found.se, np.sqrt(11 / 12 * (gaps**2).sum(axis=0)), rtol=0.1, atol=1e-9)
    assert np.all(found.freedom[np.triu_indices(4, 1)] > 9)
    assert np.all(found.freedom[np.triu_indices(4, 1)] <= 11 + 1e-9)


def test_one_way_wins_by_the_exact_bound() -> None:
    told = [(0, 1, 1.0, k % 10) for k in range(30)]
    found = pair_contrasts(answers_of(told, 2))
    assert found.opening(0, 1) == "above"
    assert found.difference[0, 1] == math.inf
    assert found.p[0, 1] == pytest.approx(2 * 0.5**30)
    chance = 0.025 ** (1 / 30)
    assert found.pair_bounds(0, 1, 0.95).low == pytest.approx(math.log(chance / (1 - chance)), rel=1e-6)
    assert found.pair_bounds(1, 0, 0.95) == (-math.inf, -found.pair_bounds(0, 1, 0.95).low)
    whole = pair_contrasts(answers_of(told, 2), by="cluster")  # ten topics, not thirty answers
    chance = 0.025 ** (1 / 10)
    assert whole.p[0, 1] == pytest.approx(2 * 0.5**10)
    assert whole.pair_bounds(0, 1, 0.95).low == pytest.approx(math.log(chance / (1 - chance)), rel=1e-6)


def test_a_one_way_bound_is_that_of_the_profile_likelihood() -> None:
    """0 beat 1 and 2 always; 1 and 2 won and lost. The profile by another optimizer, and a root of it."""
    told = [(0, 1, 1.0, 0)] * 4 + [(0, 2, 1.0, 0)] * 5 + [(1, 2, 1.0, 0)] * 6 + [(2, 1, 1.0, 0)] * 3
    found = pair_contrasts(answers_of(told, 3))

    def loglik(a: float, b: float, c: float) -> float:
        def s(x: float) -> float:
            return -math.log1p(math.exp(-x))

        return 4 * s(a - b) + 5 * s(a - c) + 6 * s(b - c) + 3 * s(c - b)

    top = 6 * math.log(6 / 9) + 3 * math.log(3 / 9)

    def profile(x: float) -> float:
        return -float(minimize(lambda c: -loglik(x, 0.0, c[0]), [0.0], tol=1e-12).fun)

    assert found.p[0, 1] == pytest.approx(min(1, 2 * math.exp(profile(0.0) - top)), rel=1e-6)
    bound = brentq(lambda x: profile(x) - top - math.log(0.025), -5, 10)
    assert found.pair_bounds(0, 1, 0.95).low == pytest.approx(bound, abs=1e-5)
    assert found.difference[1, 2] == pytest.approx(math.log(2))  # as if 0 were not there
    assert found.se[1, 2] == pytest.approx(math.sqrt(1 / 6 + 1 / 3))
    assert [found.item_opening(k) for k in range(3)] == ["above", "below", "below"]

    def centred(x: float) -> float:
        """The first less the mean of the three at x, the second at 0."""
        return -float(minimize(lambda c: -loglik((3 * x + c[0]) / 2, 0.0, c[0]), [0.0], tol=1e-12).fun)

    bound = brentq(lambda x: centred(x) - top - math.log(0.025), -5, 10)
    assert found.item_bounds(0, 0.0, 0.95).low == pytest.approx(bound, abs=1e-5)


def test_what_is_open_on_both_sides() -> None:
    """2 beat both others: nothing leads from either to the other."""
    found = pair_contrasts(answers_of([(2, 0, 1.0, 0)] * 9 + [(2, 1, 1.0, 0)] * 9, 3))
    assert found.opening(0, 1) == "both"
    assert found.p[0, 1] == 1
    assert found.pair_bounds(0, 1, 0.95) == (-math.inf, math.inf)
    assert found.item_opening(0) == "both"
    assert found.item_opening(2) == "above"


def test_parts_share_nothing() -> None:
    told = [(0, 1, 1.0, 0)] * 3 + [(1, 0, 1.0, 0)] * 2 + [(2, 3, 1.0, 0)] * 5 + [(3, 2, 1.0, 0)]
    found = pair_contrasts(answers_of(told, 4))
    assert found.part.tolist() == [0, 0, 1, 1]
    assert np.isnan(found.p[:2, 2:]).all()
    assert np.isnan(found.difference[:2, 2:]).all()
    assert found.pair_bounds(0, 2, 0.95) == (-math.inf, math.inf)
    alone = pair_contrasts(answers_of(told[:5], 2))
    np.testing.assert_allclose(found.se[:2, :2], alone.se)
    np.testing.assert_allclose(found.item_se[:2], alone.item_se)


def test_a_difference_that_rests_on_one_cluster() -> None:
    told = [(0, 1, float(k % 2), k % 5) for k in range(20)] + [(1, 2, 1.0, 1), (2, 1, 1.0, 1)]
    found = pair_contrasts(answers_of(told, 3), by="cluster")
    assert found.se[1, 2] == math.inf
    assert found.p[1, 2] == 1
    assert math.isfinite(found.se[0, 1])
    assert found.pair_bounds(1, 2, 0.95) == (-math.inf, math.inf)


@pytest.mark.parametrize(("duels", "least"), [(1, 1.0), (3, 0.25), (6, 2 * 0.5**6)])
def test_the_smallest_p_of_two_items(duels: int, least: float) -> None:
    """As if the first had won all duels; then 2 / 2^n."""
    told = [(0, 1, float(k % 2), 0) for k in range(duels)]
    assert pair_contrasts(answers_of(told, 2)).least_p(0, 1) == pytest.approx(min(1.0, least), rel=1e-6)


@examples(25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_no_outcome_of_two_items_is_below_the_smallest_p(seed: int, duels: int) -> None:
    """Every outcome of their duels, with another item's answers as they are."""
    rng = np.random.default_rng(seed)
    others = [(int(a), 2, 1.0, 0) for a in rng.integers(0, 2, 3)]
    outcomes = [
        pair_contrasts(answers_of([*((0, 1, float(k < won), 0) for k in range(duels)), *others], 3)).p[0, 1]
        for won in range(duels + 1)
    ]
    told = [*((0, 1, float(k % 2), 0) for k in range(duels)), *others]
    found = pair_contrasts(answers_of(told, 3))
    # The smallest p has all duels of the two as one likes, those with item 2 too.
    assert min(outcomes) >= min(found.least_p(0, 1), found.least_p(1, 0)) - 1e-9


@pytest.mark.parametrize("by", ["answer", "cluster"])
@pytest.mark.parametrize("ties", [1, 3, 6, 10])
@pytest.mark.parametrize("decided", [0, 1, 4, 12])
def test_no_outcome_beside_ties_is_below_the_smallest_p(decided: int, ties: int, by: Any) -> None:
    """Every outcome of the answers that are no ties, each answer on a topic of its own."""
    drawn = [(0, 1, 0.5, k) for k in range(ties)]
    least = []
    for won in range(decided + 1):
        told = [*drawn, *((0, 1, float(k < won), ties + k) for k in range(decided))]
        found = pair_contrasts(answers_of(told, 2), by=by)
        least.append(found.least_p(0, 1))
        assert found.p[0, 1] >= least[-1] - 1e-9
    assert least == pytest.approx([least[0]] * len(least))
    assert (least[0] == 1) == (decided == 0)


def test_with_ties_alone_nothing_could_have_been_found_in_their_part() -> None:
    told = [(0, 1, 0.5, k) for k in range(9)] + [(2, 3, float(k % 3 > 0), k) for k in range(9)]
    for by in ("answer", "cluster"):
        found = pair_contrasts(answers_of(told, 4), by=by)
        assert found.least[0, 1] == 1
        assert found.least[2, 3] == (0 if by == "answer" else 2**-8)


@pytest.mark.parametrize("by", ["answer", "cluster"])
def test_propagated_answers(by: str) -> None:
    """The jackknife of a fit to propagated wins, each unit left out in one Newton step: near one that fits again."""
    answers = generated(3, n=5, clusters=10, each=40, scatter=0.2)
    similarity = np.eye(5) + 0.2 * (1 - np.eye(5))
    found = pair_contrasts(answers, by=by, similarity=similarity)  # type: ignore[arg-type]
    np.testing.assert_allclose(
        found.difference, np.subtract.outer(*[fit(answers.wins(similarity)).log] * 2), atol=1e-7
    )
    unit = answers.cluster if by == "cluster" else np.arange(len(answers))
    again = np.array([fit(answers.take(unit != g).wins(similarity)).log for g in np.unique(unit)])
    gaps = again[:, :, None] - again[:, None, :] - found.difference
    units = len(again)
    np.testing.assert_allclose(
        found.se, np.sqrt((units - 1) / units * (gaps**2).sum(axis=0)), rtol=0.1, atol=1e-9
    )


def test_all_bounds_are_those_of_each_pair() -> None:
    told = [(0, 1, 1.0, k % 4) for k in range(8)] + [(1, 2, float(k % 3 > 0), k % 4) for k in range(12)]
    told += [(3, 4, 1.0, 0), (3, 4, 0.5, 1)]
    found = pair_contrasts(answers_of(told, 5), by="cluster")
    low, high = found.all_bounds(0.99)
    for i, j in combinations(range(5), 2):
        np.testing.assert_allclose((low[i, j], high[i, j]), found.pair_bounds(i, j, 0.99), rtol=1e-9)
        assert (low[j, i], high[j, i]) == (-high[i, j], -low[i, j])


def test_quantiles() -> None:
    assert quantile(0.95, math.inf) == pytest.approx(norm.ppf(0.975))
    assert quantile(0.95, 3) == pytest.approx(student.ppf(0.975, 3))
    assert quantile(0.95, 0) == math.inf
    assert half_width(0.95, math.inf, 0.0, 0.1) == math.inf
    assert two_sided(1.0, math.inf, 4.0, 0.1) == 1
    assert two_sided(0.0, 0.0, 4.0, 0.0) == 1
    assert two_sided(9.0, 0.0, 4.0, 0.1) == 2.0**-4
    assert around(9.0, 0.95, 0.1, 4.0, 0.1).low == 0  # five units: no p is below .0625
    assert around(-9.0, 0.95, 0.1, 4.0, 0.1).high == 0
    assert around(9.0, 0.9, 0.1, 4.0, 0.1).low > 8


def test_wrong_calls() -> None:
    with pytest.raises(UsageError, match='by: unknown value "topic"'):
        pair_contrasts(generated(1), by="topic")  # type: ignore[arg-type]
