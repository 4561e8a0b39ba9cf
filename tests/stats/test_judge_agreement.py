"""Judges' agreement with people, by plain twins: one pair, one thing and one resample at a time."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from adjudge.stats import judge_agreement
from adjudge.stats.agreement import cohen_kappa, gwet_ac, krippendorff
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_agreement import (
    MISSING,
    RaterPairs,
    answer_counts,
    chance_coefficients,
    drawn_value,
    draws_of,
    is_off_scale,
    mapped_codes,
    order_by_topic,
    pair_cells,
    pair_signs,
    people_agreement,
    topic_means,
    topics_of_pairs,
)


def pair_coefficients(cells: FloatArray, scale: FloatArray, times: FloatArray) -> FloatArray:
    """Coefficients x draws of two who met, from how often each gave which answer."""
    q, flat = scale.size, cells.reshape(len(cells), -1)
    return judge_agreement._in_steps(lambda some: (some @ flat).reshape(-1, q, q), scale, times)


SCALE = np.array([1.0, 2.0, 3.0, 5.0])
"""Not evenly spaced: kappa and AC2 go by numbers, alpha by ranks."""


def made(rng: np.random.Generator, things: int, people: int, missing: float = 0.0) -> IntArray:
    truth = rng.integers(0, SCALE.size, things)
    seen = np.where(
        rng.random((things, people)) < 0.6, truth[:, None], rng.integers(0, SCALE.size, (things, people))
    )
    return np.where(rng.random(seen.shape) < missing, MISSING, seen)


def plain(first: IntArray, second: IntArray) -> list[float]:
    """The coefficients of `stats.agreement`, of what both judged."""
    rng = np.random.default_rng(0)
    both = (first != MISSING) & (second != MISSING)
    x, y = SCALE[first[both]], SCALE[second[both]]
    if np.unique(y).size < 2:
        return [math.nan] * 3
    values = np.stack([x, y], axis=1)
    return [
        krippendorff(values, rng=rng, resamples=0).value,
        cohen_kappa(x, y, rng=rng, weights="quadratic", categories=list(SCALE), resamples=0).value,
        gwet_ac(values, rng=rng, weights="quadratic", categories=list(SCALE), resamples=0).value,
    ]


def rows_of(times: FloatArray, cluster: IntArray) -> IntArray:
    """The things of one resample."""
    found = [np.flatnonzero(cluster == c) for c, n in enumerate(times) for _ in range(int(n))]
    return np.concatenate(found)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_pair_has_the_coefficients_of_agreement_in_every_resample(missing: float) -> None:
    rng = np.random.default_rng(1)
    people, cluster = made(rng, 40, 2, missing), np.arange(40) // 5
    times = draws_of(rng, 8, 30)
    found = pair_coefficients(pair_cells(people[:, 0], people[:, 1], cluster, 8, SCALE.size), SCALE, times)
    for draw, own in enumerate(times):
        rows = rows_of(own, cluster)
        assert found[:, draw] == pytest.approx(plain(people[rows, 0], people[rows, 1]), abs=1e-12)


def test_somebody_who_gave_one_answer_cannot_be_agreed_with() -> None:
    same, varied = np.zeros(6, np.int64), np.array([0, 1, 2, 0, 1, 2])
    cluster, once = np.arange(6), np.ones((1, 6))
    with_same = pair_coefficients(pair_cells(varied, same, cluster, 6, 3), SCALE[:3], once)
    of_same = pair_coefficients(pair_cells(same, varied, cluster, 6, 3), SCALE[:3], once)
    assert np.isnan(with_same).all()
    assert of_same[0, 0] < 0
    assert of_same[1, 0] == pytest.approx(0, abs=1e-15)


def test_chance_is_the_table_of_everybody_with_everybody_in_every_draw() -> None:
    """Every answer meets every one that is drawn from, of the clusters that are drawn; none of it is left as it was."""
    rng = np.random.default_rng(2)
    second, cluster = made(rng, 30, 1)[:, 0], np.arange(30) // 10
    answers = answer_counts(made(rng, 30, 3), cluster, 3, SCALE.size)
    counts = answer_counts(second, cluster, 3, SCALE.size)
    times = np.array([[1.0, 1, 1], [0, 2, 1], [3, 0, 0]])
    found = chance_coefficients(answers, counts, SCALE, times)
    for at, row in enumerate(times):
        first = np.repeat(np.arange(SCALE.size), (row @ answers).astype(int))
        other = np.repeat(np.arange(SCALE.size), (row @ counts).astype(int))
        met = np.zeros((1, SCALE.size, SCALE.size))
        np.add.at(met[0], (np.repeat(first, other.size), np.tile(other, first.size)), 1 / first.size)
        assert found[:, at] == pytest.approx(pair_coefficients(met, SCALE, np.ones((1, 1)))[:, 0])
        assert found[1, at] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_judge_and_assessor_are_compared_with_the_same_people_on_the_same_things(missing: float) -> None:
    rng = np.random.default_rng(3)
    people, judge, cluster = made(rng, 60, 3, missing), made(rng, 60, 1)[:, 0], np.arange(60) // 6
    times = draws_of(rng, 10, 3)
    found = people_agreement([judge], people, RaterPairs(SCALE, cluster, times))

    def mean(own: IntArray, others: list[int], where: IntArray, draw: int) -> list[float]:
        rows = rows_of(times[draw], cluster)
        weights = [np.count_nonzero((people[:, k] != MISSING) & (where != MISSING)) for k in others]
        each = []
        for k in others:
            second = np.where(where == MISSING, MISSING, people[:, k])
            each.append(plain(own[rows], second[rows]))
        return list(np.average(each, axis=0, weights=weights))

    everything = np.zeros(60, np.int64)
    for draw in range(len(times)):
        assert found.judges[0, :, draw] == pytest.approx(mean(judge, [0, 1, 2], everything, draw), abs=1e-12)
        for j in range(3):
            others = [k for k in range(3) if k != j]
            own = mean(people[:, j], others, people[:, j], draw)
            assert found.assessors[j, :, draw] == pytest.approx(own, abs=1e-12)
            there = mean(judge, others, people[:, j], draw)
            assert found.beside[0, j, :, draw] == pytest.approx(there, abs=1e-12)


def test_without_missing_answers_the_mean_over_assessors_is_the_judges_own() -> None:
    rng = np.random.default_rng(4)
    people, judge, cluster = made(rng, 60, 4), made(rng, 60, 1)[:, 0], np.arange(60) // 6
    found = people_agreement([judge], people, RaterPairs(SCALE, cluster, draws_of(rng, 10, 20)))
    assert found.beside[0].mean(axis=0) == pytest.approx(found.judges[0], abs=1e-12)


# The order within topics


def test_the_order_within_topics_counts_pairs_that_people_order() -> None:
    rng = np.random.default_rng(5)
    human = rng.integers(1, 4, (7, 5)).astype(float)
    judge = rng.integers(1, 4, (7, 5)).astype(float)
    human[2, 1], judge[3, 2], human[6] = math.nan, math.nan, 2.0
    found = order_by_topic(pair_signs(human), pair_signs(judge), topics_of_pairs(7, 5), 7)
    for t in range(7):
        net, ordered = 0.0, 0
        for a, b in combinations(range(5), 2):
            if human[t, a] != human[t, b] and not np.isnan(human[t, [a, b]]).any():
                ordered += 1
                if not np.isnan(judge[t, [a, b]]).any():
                    net += np.sign(human[t, a] - human[t, b]) * np.sign(judge[t, a] - judge[t, b])
        assert found[t] == pytest.approx(net / ordered if ordered else math.nan, nan_ok=True)
    assert np.isnan(found[6])


def test_a_constant_orders_nothing_and_the_truth_everything() -> None:
    human = np.arange(12.0).reshape(3, 4)
    signs, topic = pair_signs(human), topics_of_pairs(3, 4)
    assert order_by_topic(signs, pair_signs(np.ones((3, 4))), topic, 3).tolist() == [0, 0, 0]
    assert order_by_topic(signs, signs, topic, 3).tolist() == [1, 1, 1]
    assert order_by_topic(signs, -signs, topic, 3).tolist() == [-1, -1, -1]


def test_means_over_topics_in_resamples_of_sets() -> None:
    rng = np.random.default_rng(6)
    values, cluster = rng.normal(size=9), np.arange(9) // 2
    values[4] = math.nan
    times = draws_of(rng, 5, 20)
    found = topic_means(values, cluster, times)
    for draw, own in enumerate(times):
        assert found[draw] == pytest.approx(np.nanmean(values[rows_of(own, cluster)]))


# A number on people's scale


@pytest.mark.parametrize("rising", [True, False])
def test_a_number_is_mapped_by_percentiles_of_the_other_clusters(rising: bool) -> None:
    rng = np.random.default_rng(7)
    people, cluster = made(rng, 50, 2, 0.2), np.arange(50) // 5
    values = np.round(rng.normal(size=50), 1)
    values[7] = math.nan
    found = mapped_codes(values, people, cluster, SCALE.size, rising=rising)
    for k in range(50):
        rest = cluster != cluster[k]
        known = values[rest & ~np.isnan(values)]
        share = 0.5
        if not np.isnan(values[k]):
            share = (np.sum(known < values[k]) + np.sum(known == values[k]) / 2) / known.size
            share = share if rising else 1 - share
        given = np.sort(people[rest][people[rest] != MISSING])
        assert found[k] == given[min(int(share * given.size + 1e-9), given.size - 1)]


def test_mapped_answers_are_as_frequent_as_peoples() -> None:
    rng = np.random.default_rng(8)
    people, cluster = made(rng, 1000, 3), np.arange(1000) // 10
    found = mapped_codes(rng.exponential(size=1000), people, cluster, SCALE.size)
    shares = [np.bincount(each.ravel(), minlength=4) / each.size for each in (found, people)]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)


# Intervals


@pytest.mark.parametrize("clusters", [6, 15, 60])
def test_of_a_mean_the_interval_is_about_students(clusters: int) -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(size=clusters)
    drawn = topic_means(values, np.arange(clusters), draws_of(rng, clusters, 20_000))
    found = drawn_value(drawn, clusters, 0.95)
    half = stats.t.ppf(0.975, clusters - 1) * values.std(ddof=1) / math.sqrt(clusters)
    assert found.value == pytest.approx(values.mean())
    # few values have light tails, which a normal distribution has not
    assert found.high - found.low == pytest.approx(2 * half, rel=0.15 if clusters < 10 else 0.04)


def test_few_clusters_have_no_interval_and_what_never_varies_has_a_point() -> None:
    few = drawn_value(np.ones(101), 4, 0.95)
    assert not few.is_known
    assert few.why == "5 topics or sets of topics are needed, here 4"
    assert (drawn_value(np.ones(101), 5, 0.95).low, drawn_value(np.ones(101), 5, 0.95).high) == (1, 1)
    assert drawn_value(np.ones(1), 5, 0.95).why == "nothing was resampled"
    assert (
        drawn_value(np.append(1.0, np.full(100, np.nan)), 5, 0.95).why
        == "it is undefined in 100 of 100 resamples"
    )


@pytest.mark.parametrize(
    ("values", "scale", "off"),
    [
        ([20, 40, 60, 80, 100], [1, 2, 3, 4, 5], True),
        ([0.1, 0.25, 0.4, 0.7, 0.9], [1, 2, 3, 4, 5], True),
        ([1, 3, 5, 8, 10], [1, 2, 3, 4, 5], True),
        ([1, 4, 5, 6, 7], [1, 2, 3, 4, 5], True),
        ([1, 2, 1, 1, 1], [0, 1], True),
        ([-1, -1, 1, 1, 1], [0, 1], True),
        ([1, 1, 2, 1, 2], [1, 2, 3, 4, 5], False),  # harsh
        ([1, 2.4, 3.9, 4.2, 5], [1, 2, 3, 4, 5], False),  # weighted
        ([0.7, 2.5, 5.3, 5.1, 5.15], [1, 2, 3, 4, 5], False),  # a fitted line
        ([1, 2, 2, 3, 5], [2, 3, 4, 5], False),  # an answer that people did not happen to give
        ([0, 2, 2, 3, 5], [1, 2, 3, 4, 5], False),
        ([0.2, 0.5, 0.9], [0, 0.5, 1], False),
        ([1, 2], [3], False),
    ],
)
def test_another_scale_is_told_from_a_harsh_judge(values: list[float], scale: list[float], off: bool) -> None:
    assert is_off_scale(np.array(values, float), np.array(scale, float)) == off
    assert is_off_scale(-np.array(values, float), -np.array(scale, float)[::-1]) == off


def test_one_stray_answer_is_no_other_scale() -> None:
    values = np.tile([1.0, 2, 3, 4, 5], 20)
    values[7] = 55
    assert not is_off_scale(values, np.arange(1.0, 6))
    values[::10] = 55
    assert is_off_scale(values, np.arange(1.0, 6))
