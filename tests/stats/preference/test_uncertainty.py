"""Standard errors against a numerical Hessian, the bootstrap against a plain loop, intervals against the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from adjudge.stats.preference.uncertainty import Bootstrapped, bootstrap, no_standard_errors, standard_errors
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.preference.answers import FloatArray, PairAnswers, propagated
from adjudge.stats.preference.bradley_terry import REGULARISER, fit


def generated(
    log: FloatArray, count: int, seed: int, *, clusters: int = 1, scatter: float = 0.0
) -> PairAnswers:
    """Answers by the model; in every cluster the log strengths are off by something of its own."""
    rng = np.random.default_rng(seed)
    n = len(log)
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    cluster = rng.integers(0, clusters, count)
    here = log + rng.normal(scale=scatter, size=(clusters, n))
    chance = 1 / (1 + np.exp(here[cluster, second] - here[cluster, first]))
    return PairAnswers(n, first, second, rng.random(count) < chance, cluster=cluster)


def likelihood(wins: FloatArray, log: FloatArray) -> float:
    away = log[:, None] - log[None, :]
    return float(np.sum((wins - np.diag(np.diag(wins))) * -np.log1p(np.exp(-away))))


def numerical_errors(wins: FloatArray, log: FloatArray) -> FloatArray:
    """From second differences of the log-likelihood and the pseudo-inverse, which holds the sum at zero."""
    n, h = len(log), 1e-3
    steps = np.eye(n) * h
    second = np.array(
        [
            [
                sum(s * t * likelihood(wins, log + s * a + t * b) for s in (1, -1) for t in (1, -1))
                / (4 * h * h)
                for b in steps
            ]
            for a in steps
        ]
    )
    return np.asarray(np.sqrt(np.diag(np.linalg.pinv(-second, rcond=1e-6))))


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
@examples(20)
def test_standard_errors_are_those_of_a_numerical_hessian(n: int, seed: int) -> None:
    wins = np.random.default_rng(seed).uniform(0.5, 5, (n, n))
    found = fit(wins)
    np.testing.assert_allclose(standard_errors(wins, found), numerical_errors(wins, found.log), rtol=1e-3)


@pytest.mark.parametrize(("won", "lost"), [(3.0, 3.0), (40.0, 10.0), (4e-9, 1e-9)])
def test_two_items_have_a_closed_form(won: float, lost: float) -> None:
    """The variance of their difference is 1 / (N p (1 - p)); each log strength is half of it, up or down."""
    wins = np.array([[0.0, won], [lost, 0.0]])
    expected = np.sqrt((won + lost) / (won * lost)) / 2
    np.testing.assert_allclose(standard_errors(wins, fit(wins)), expected, rtol=1e-9)


def test_an_explicit_regulariser_counts_as_answers() -> None:
    """The opponent is one item more, whose strength is the only one that is known."""
    wins = np.random.default_rng(3).uniform(0.5, 5, (4, 4))
    found = fit(wins, regularise=2.0)
    log, h = np.append(found.log, np.log(found.opponent)), 1e-3
    more = np.full((5, 5), 2.0)
    more[:4, :4] = wins
    steps = np.eye(5)[:4] * h
    second = np.array(
        [
            [
                sum(s * t * likelihood(more, log + s * a + t * b) for s in (1, -1) for t in (1, -1))
                / (4 * h * h)
                for b in steps
            ]
            for a in steps
        ]
    )
    centre = np.eye(4) - 0.25
    expected = np.sqrt(np.diag(centre @ np.linalg.inv(-second) @ centre))
    ours = standard_errors(wins, found)
    np.testing.assert_allclose(ours, expected, rtol=1e-3)
    assert np.all(ours < standard_errors(wins, fit(wins)))


def test_four_times_the_answers_halve_the_errors() -> None:
    wins = np.random.default_rng(3).uniform(0.5, 5, (5, 5))
    np.testing.assert_allclose(
        standard_errors(4 * wins, fit(wins)), standard_errors(wins, fit(wins)) / 2, rtol=1e-9
    )


def test_where_there_is_no_finite_maximum_there_are_no_standard_errors_and_a_reason() -> None:
    wins = np.array([[0.0, 1.0], [0.0, 0.0]])
    found = fit(wins)
    assert np.isnan(standard_errors(wins, found)).all()
    assert (no_standard_errors(found) or "").startswith("no standard errors: there is no finite maximum")
    assert no_standard_errors(fit(np.ones((2, 2)))) is None
    assert standard_errors(np.zeros((1, 1)), fit(np.zeros((1, 1)))).tolist() == [0.0]


def test_strengths_of_other_items_are_refused() -> None:
    with pytest.raises(UsageError, match="strengths: expected those of 3 items, got 2"):
        standard_errors(np.ones((3, 3)), fit(np.ones((2, 2))))


def test_the_bootstrap_spreads_as_the_standard_errors_say() -> None:
    answers = generated(np.array([1.0, 0.5, 0.0, -0.5, -1.0]), 3000, 1)
    errors = standard_errors(answers.wins(), fit(answers.wins()))
    drawn = bootstrap(answers, rng=np.random.default_rng(2), resamples=600)
    np.testing.assert_allclose(drawn.logs.std(axis=0), errors, rtol=0.12)


@pytest.mark.parametrize("by", ["answer", "cluster"])
@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("regularise", [None, 0.5])
def test_the_bootstrap_is_a_loop_of_fits(by: Any, smooth: bool, regularise: float | None) -> None:
    answers = generated(np.linspace(-1, 1, 6), 40, 4, clusters=7)
    similarity = np.random.default_rng(1).random((6, 6)) * 0.3 + np.eye(6) if smooth else None
    drawn = bootstrap(
        answers,
        rng=np.random.default_rng(5),
        resamples=20,
        by=by,
        similarity=similarity,
        regularise=regularise,
    )
    rng = np.random.default_rng(5)
    lonely = 0
    for log in drawn.logs:
        units = 40 if by == "answer" else 7
        chosen = rng.integers(0, units, units)
        of_unit = np.arange(40) if by == "answer" else answers.cluster
        rows = np.concatenate([np.flatnonzero(of_unit == unit) for unit in chosen])
        again = answers.take(rows)
        plain = fit(
            again.wins() if similarity is None else propagated(again, similarity), regularise=regularise
        )
        lonely += not plain.connected
        np.testing.assert_allclose(log, plain.log, atol=1e-7)
    assert drawn.regularised == (lonely if regularise is None else 0)
    assert lonely > 0 or smooth
    assert drawn.units == (40 if by == "answer" else 7)


def test_more_resamples_begin_with_the_same_ones() -> None:
    answers = generated(np.zeros(4), 60, 1)
    few, many = (bootstrap(answers, rng=np.random.default_rng(9), resamples=count) for count in (5, 12))
    assert np.array_equal(few.logs, many.logs[:5])


def test_weights_and_ties_are_kept() -> None:
    """Two answers of weights 1 and 3 that say the opposite: a draw has one of them twice, or both."""
    answers = PairAnswers(2, np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.0]), np.array([1.0, 3.0]))
    drawn = bootstrap(answers, rng=np.random.default_rng(0), resamples=50)
    both = fit(answers.wins()).log
    once = [fit(np.array([[0, 2.0], [0, 0]])).log, fit(np.array([[0, 0], [6.0, 0]])).log]
    kinds = [np.isclose(drawn.logs, log, atol=1e-6).all(axis=1) for log in (both, *once)]
    assert np.sum(kinds) == 50
    assert all(kind.any() for kind in kinds)
    assert drawn.regularised == kinds[1].sum() + kinds[2].sum()
    tied = PairAnswers(2, np.array([0, 0]), np.array([1, 1]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(bootstrap(tied, rng=np.random.default_rng(0), resamples=3).logs, 0, atol=1e-9)


def test_with_regularising_forbidden_resamples_without_a_maximum_are_left_out_and_counted() -> None:
    answers = generated(np.array([0.5, 0.0, -0.5]), 9, 3)
    drawn = bootstrap(answers, rng=np.random.default_rng(0), resamples=100, regularise=0)
    lost = np.isnan(drawn.logs).any(axis=1)
    assert 0 < drawn.undefined == lost.sum() < 100
    assert drawn.regularised == 0
    low, high = drawn.intervals()
    np.testing.assert_allclose(low, np.quantile(drawn.logs[~lost], 0.025, axis=0))
    assert np.all(low <= high)
    assert drawn.words().endswith(f"{drawn.undefined} of them left out because they have no finite maximum.")


def test_intervals_of_known_resamples() -> None:
    logs = np.tile([2.0, 1.0, -1.5, -1.5], (100, 1))
    logs[:4] = [1.0, 2.0, -1.5, -1.5]
    low, high = Bootstrapped(logs, "answer", 9, 0, 0).intervals(0.9)
    np.testing.assert_allclose([low, high], np.quantile(logs, [0.05, 0.95], axis=0))


@pytest.mark.parametrize(
    ("count", "by", "why"),
    [
        (0, "answer", "there are no answers"),
        (0, "cluster", "there are no answers"),
        (1, "answer", "needs two answers, has one"),
        (8, "cluster", "needs two clusters, has one"),
    ],
)
def test_what_cannot_be_resampled_is_missing_and_says_why(count: int, by: Any, why: str) -> None:
    drawn = bootstrap(generated(np.zeros(3), count, 1), rng=np.random.default_rng(0), resamples=4, by=by)
    assert drawn.why == why
    assert drawn.words() == f"No bootstrap: {why}."
    assert drawn.logs.shape == (4, 3)
    for found in drawn.intervals():
        assert np.isnan(found).all()


def test_words_say_what_was_drawn() -> None:
    answers = generated(np.array([3.0, 0.0, -3.0]), 30, 1, clusters=5)
    drawn = bootstrap(answers, rng=np.random.default_rng(0), resamples=50, by="cluster")
    assert drawn.words() == (
        f"50 bootstrap resamples of 5 clusters, {drawn.regularised} of them regularised ({REGULARISER} wins and"
        " losses for every item) because they were not strongly connected."
    )


@pytest.mark.parametrize("options", [{"by": "topic"}, {"resamples": 0}])
def test_wrong_calls_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        bootstrap(generated(np.zeros(3), 9, 1), rng=np.random.default_rng(0), **options)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_wrong_levels_are_refused(level: float) -> None:
    drawn = Bootstrapped(np.zeros((3, 2)), "answer", 3, 0, 0)
    with pytest.raises(UsageError, match="level"):
        drawn.intervals(level)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """One item of five, 80 generated data sets; binomial bands of about three standard deviations."""
    log = np.array([0.8, 0.4, 0.0, -0.4, -0.8])
    held = {0.95: 0, 0.5: 0}
    for seed in range(80):
        drawn = bootstrap(generated(log, 400, seed), rng=np.random.default_rng(seed), resamples=100)
        for level in held:
            low, high = drawn.intervals(level)
            held[level] += bool(low[0] <= log[0] <= high[0])
    assert 70 <= held[0.95] <= 80
    assert 27 <= held[0.5] <= 53  # a check that any interval passes would not tell these apart


def test_answers_that_hang_together_need_whole_clusters() -> None:
    """Where strengths differ from topic to topic, answers drawn one by one look surer than they are."""
    answers = generated(np.linspace(-1, 1, 5), 2000, 3, clusters=12, scatter=1.0)
    single, whole = (
        bootstrap(answers, rng=np.random.default_rng(1), resamples=200, by=by).logs.std(axis=0).mean()
        for by in ("answer", "cluster")
    )
    assert whole > 1.8 * single
