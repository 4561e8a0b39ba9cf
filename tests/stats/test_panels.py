"""Panels of judges: against plain twins, and against errors whose correlation is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.core.errors import UsageError
from adjudge.stats.panels import BACKWARDS, CANCEL, SAME, SMALL, kish, panel_answers, panel_errors


def made(
    rng: np.random.Generator,
    *,
    correlation: float = 0.5,
    judges: int = 5,
    slopes: tuple[float, ...] | None = None,
    assessors: int = 3,
    topics: int = 60,
    own: int = 8,
    noise: float = 1.0,
    severity: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Judges whose errors have variance 1 and one correlation; people whose errors have the variance noise^2."""
    n = topics * own
    truth = np.repeat(rng.normal(0, 0.7, topics), own) + rng.normal(0, 0.8, n)
    shared = math.sqrt(correlation) * rng.normal(size=n)
    errors = shared[:, None] + math.sqrt(1 - correlation) * rng.normal(size=(n, judges))
    given = (truth[:, None] + errors) * np.array(slopes or (1.0,) * judges) + rng.normal(size=judges)
    people = truth[:, None] + noise * rng.normal(size=(n, assessors)) + severity * rng.normal(size=assessors)
    return given, people, np.repeat(np.arange(topics), own)


def found(data: tuple[np.ndarray, np.ndarray, np.ndarray], **more: Any) -> Any:
    judges, people, clusters = data
    options: dict[str, Any] = {"rng": np.random.default_rng(0), "clusters": clusters, "resamples": 0} | more
    return panel_errors(judges, people, **options)


# The definition


def test_equals_a_plain_twin() -> None:
    judges, people, clusters = made(np.random.default_rng(1), slopes=(0.5, 1, 1.2, 0.8, 1), severity=1.0)
    n, a = people.shape
    means = people.mean(axis=1)
    # two-way analysis of variance without replications: what things and assessors leave
    rest = people - means[:, None] - people.mean(axis=0)[None, :] + people.mean()
    v = (rest**2).sum() / ((n - 1) * (a - 1)) / a
    truth = np.var(means, ddof=1) - v
    b = [np.cov(judges[:, k], means)[0, 1] / truth for k in range(5)]
    c = np.array(
        [[np.cov(judges[:, k], judges[:, m])[0, 1] - b[k] * b[m] * truth for m in range(5)] for k in range(5)]
    )
    r = [c[k, m] / math.sqrt(c[k, k] * c[m, m]) for k in range(5) for m in range(k)]
    got = found((judges, people, clusters))
    assert got.correlation.value == pytest.approx(np.mean(r), rel=1e-9)
    assert got.worth.value == pytest.approx(5 / (1 + 4 * float(np.mean(r))), rel=1e-9)


def test_without_a_second_assessor_the_correlations_are_those_of_residuals() -> None:
    judges, people, clusters = made(np.random.default_rng(2), assessors=1, judges=3)
    rest = []
    for k in range(3):
        slope, level = np.polyfit(people[:, 0], judges[:, k], 1)
        rest.append(judges[:, k] - level - slope * people[:, 0])
    got = found((judges, people, clusters))
    apart = np.corrcoef(rest)[np.triu_indices(3, k=1)]
    assert got.correlation.value == pytest.approx(apart.mean(), abs=1e-9)
    assert got.alone


def test_neither_severity_nor_spread_of_a_judge_is_an_error() -> None:
    judges, people, clusters = made(np.random.default_rng(3))
    one = found((judges, people, clusters))
    other = found((judges * [0.2, 3, 1, 0.5, 2] + [5, -1, 0, 2, 9], people, clusters))
    assert other.correlation.value == pytest.approx(one.correlation.value, abs=1e-9)
    assert not one.alone


def test_assessors_who_judged_little_keep_their_severity_as_error() -> None:
    """Ten answers each: the variance within things, one way."""
    rng = np.random.default_rng(4)
    judges, truth, clusters = made(rng, topics=20, own=5, judges=2, assessors=1, noise=0)
    people = np.full((100, 20), np.nan)
    for k in range(100):
        people[k, [k // 10, 10 + k % 10]] = truth[k, 0] + rng.normal(size=2)
    means = np.nanmean(people, axis=1)
    variance = np.var(means, ddof=1) - np.nanvar(people, axis=1, ddof=1).mean() / 2
    shared = [np.cov(judges[:, k], means)[0, 1] for k in range(2)]
    c = np.cov(judges.T) - np.outer(shared, shared) / variance
    got = found((judges, people, clusters))
    assert got.correlation.value == pytest.approx(c[0, 1] / math.sqrt(c[0, 0] * c[1, 1]), rel=1e-9)


def test_kish() -> None:
    assert kish(5, 0.5) == pytest.approx(5 / 3)
    assert kish(3, 0.0) == 3
    assert kish(3, 1.0) == 1
    assert kish(3, -0.5) == math.inf
    assert math.isnan(kish(3, math.nan))


# What is true is found


@pytest.mark.parametrize(
    ("correlation", "slopes"), [(0.5, None), (0.0, None), (0.9, None), (0.5, (0.3, 0.5, 1.0, 1.5, 0.8))]
)
def test_what_judges_are_worth_is_found(correlation: float, slopes: tuple[float, ...] | None) -> None:
    """Five judges with error correlation .5 are worth 1.67; with people's error left in they would seem worth less."""
    data = made(np.random.default_rng(5), correlation=correlation, slopes=slopes, topics=1500, severity=0.5)
    got = found(data)
    true = 5 / (1 + 4 * correlation)
    assert got.worth.value == pytest.approx(true, rel=0.06)
    # with one assessor their error, of variance 1, counts as shared: with slopes of 1, r = (C + v') / (1 + v')
    truth = 0.7**2 + 0.8**2
    shared = truth * (1 - truth / (truth + 1))
    biased = 5 / (1 + 4 * (correlation + shared) / (1 + shared))
    judges, people, clusters = data
    assert found((judges, people[:, :1], clusters)).worth.value == pytest.approx(biased, rel=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_intervals_hold_what_judges_are_worth(correlation: float) -> None:
    """95% intervals of 1,000 evaluations of 60 topics."""
    rng = np.random.default_rng(6)
    true, times = 5 / (1 + 4 * correlation), 1000
    held = 0
    for _ in range(times):
        got = found(made(rng, correlation=correlation), rng=rng, resamples=400)
        held += got.worth.low <= true <= got.worth.high
    assert held / times > 0.9


def test_the_interval_is_an_expanded_percentile_over_clusters() -> None:
    judges, people, clusters = made(np.random.default_rng(8), topics=20, assessors=1)
    got = found((judges, people, clusters), resamples=300, level=0.9)
    drawn, rng = [], np.random.default_rng(0)
    rows = [np.flatnonzero(clusters == k) for k in range(20)]
    picks = rng.integers(0, 20, size=(300, 20))
    for pick in picks:
        at = np.concatenate([rows[k] for k in pick])
        one = found((judges[at], people[at], np.arange(at.size)))
        drawn.append(one.correlation.value)
    tail = stats.norm.sf(math.sqrt(20 / 19) * stats.t.ppf(0.95, 19))
    assert tail < 0.05
    assert got.correlation.low == pytest.approx(np.quantile(drawn, tail), abs=1e-9)
    assert got.correlation.high == pytest.approx(np.quantile(drawn, 1 - tail), abs=1e-9)
    assert got.worth.low == pytest.approx(kish(5, got.correlation.high))


# What cannot be said


def test_why_not() -> None:
    judges, people, clusters = made(np.random.default_rng(9), judges=3)
    assert "at least two judges" in str(found((judges[:, :1], people, clusters)).worth.why)
    few = np.where(np.arange(480)[:, None] < 9, judges, np.nan)
    got = found((few, people, clusters))
    assert "answered for 9, there must be 10" in str(got.worth.why)
    assert got.things == 9
    assert "same answer" in str(found((judges, np.ones_like(people), clusters)).worth.why)
    noise = np.random.default_rng(0).normal(size=people.shape)
    noise -= noise.mean(axis=1, keepdims=True) * 0.9
    assert "no more than their own error" in str(found((judges, noise, clusters)).worth.why)


def test_judges_without_an_error_of_their_own() -> None:
    judges, people, clusters = made(np.random.default_rng(10), judges=3)
    judges[:, 0] = 4.0
    judges[:, 1] = people.mean(axis=1)  # people's own error and nothing else: less than nothing is left
    judges[:, 2] *= -1
    got = found((judges, people, clusters))
    assert got.unknown == (SAME, SMALL, BACKWARDS)
    assert math.isnan(got.worth.value)


def test_a_judge_that_answers_the_opposite_is_worth_no_judge() -> None:
    judges, people, clusters = made(np.random.default_rng(12), judges=3)
    judges[:, 2] *= -1
    got = found((judges, people, clusters), resamples=100)
    assert got.unknown == (None, None, BACKWARDS)
    assert got.worth.why == BACKWARDS
    assert math.isnan(got.worth.value)


def test_errors_that_cancel_out_have_no_worth() -> None:
    judges, people, clusters = made(np.random.default_rng(13), judges=2, assessors=1)
    slope, level = np.polyfit(people[:, 0], judges[:, 0], 1)
    rest = judges[:, 0] - level - slope * people[:, 0]
    judges = np.column_stack([people[:, 0] + rest, people[:, 0] - rest])
    got = found((judges, people, clusters), resamples=100)
    assert got.correlation.value == pytest.approx(-1)
    assert (got.worth.why, math.isnan(got.worth.value)) == (CANCEL, True)


def test_judges_that_share_little() -> None:
    judges, people, clusters = made(np.random.default_rng(11), judges=2)
    judges[:400, 0] = np.nan
    people[470:] = np.nan
    got = found((judges, people, clusters))
    assert got.things == 70
    got = found((judges, people, clusters % 4), resamples=100)
    assert "needed, here 4" in str(got.worth.why)
    with pytest.raises(UsageError, match="expected one length"):
        found((judges[1:], people, clusters[1:]))


# Panels


def test_votes() -> None:
    given = np.array([[4, 4, 5], [4, 5, 5], [1, 3, 5], [1, 1, 5], [2, 2, 2]])
    assert panel_answers(given, "vote").tolist() == [4, 5, 3, 1, 2]
    assert panel_answers([[4, 5], [1, 1]], "vote").tolist() == [4.5, 1]
    assert panel_answers([[1, 1, 5, 5]], "vote").tolist() == [3]
    pairs = np.array([[1, 1, 0], [1, 0, 0.5], [1, 0.5, np.nan], [0, 0.5, 0.5], [1, 0, 1]])
    assert panel_answers(pairs, "vote", pairs=True) == pytest.approx([1, 0.5, np.nan, 0.5, 1], nan_ok=True)
    assert panel_answers([[1, 0.5], [0, 0.5]], "vote", pairs=True).tolist() == [0.5, 0.5]
    assert panel_answers(np.array([[1, 2], [1, np.nan]]), "mean") == pytest.approx([1.5, np.nan], nan_ok=True)
    with pytest.raises(UsageError, match="unknown value"):
        panel_answers(given, "sum")


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4), min_size=1, max_size=6))
def test_votes_about_pairs_do_not_depend_on_which_is_first(given: list[list[float]]) -> None:
    one, other = np.array(given), 1 - np.array(given)
    assert panel_answers(one, "vote", pairs=True) == pytest.approx(
        1 - panel_answers(other, "vote", pairs=True)
    )
