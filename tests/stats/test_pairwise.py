"""Pairwise accuracies: with ties, by confidence, and of means."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.core.errors import UsageError
from adjudge.stats import pairwise
from adjudge.stats.agreement import cluster_draws
from adjudge.stats.checks import FloatArray
from adjudge.stats.pairwise import Resample, mean_accuracies, soft_accuracies, swap_signs, tie_accuracy

NAN = math.nan


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def made() -> tuple[FloatArray, FloatArray]:
    """Twenty topics, six systems: whole numbers of people and sixteenths of a measure, exact in single precision."""
    k, s = np.arange(20)[:, None], np.arange(6)[None, :]
    people = ((7 * k + 3 * s * s + k * s) % 5 + s // 2).astype(float)
    return people, ((11 * k + 5 * s + 3 * k * s * s) % 17) / 16 + 0.25 * people


def tied(people: FloatArray, tie: float) -> FloatArray:
    """People who tie much: what they say in steps."""
    return np.asarray(np.floor(people / tie))


# With ties


def plain_accuracy(people: FloatArray, measure: FloatArray, epsilon: float) -> list[float]:
    """Of each topic that has a pair, by the definition."""
    found = []
    for said, scored in zip(people, measure, strict=True):
        known = [k for k in range(said.size) if not math.isnan(said[k] + scored[k])]
        right = []
        for i, j in combinations(known, 2):
            apart = scored[i] - scored[j]
            order = 0 if abs(apart) <= epsilon else np.sign(apart)
            right.append(order == np.sign(said[i] - said[j]))
        if right:
            found.append(sum(right) / len(right))
    return found


def plain_best(people: FloatArray, measure: FloatArray) -> tuple[float, float]:
    """The best epsilon by trying every difference, and its mean accuracy."""
    candidates = {0.0}
    for said, scored in zip(people, measure, strict=True):
        known = scored[~np.isnan(said + scored)]
        candidates |= {abs(float(a - b)) for a, b in combinations(known, 2)}
    means = {each: float(np.mean(plain_accuracy(people, measure, each))) for each in candidates}
    best = max(means.values())
    return min(each for each, mean in means.items() if mean >= best - 1e-12), best


def known_differences(people: FloatArray, measure: FloatArray) -> list[tuple[float, float]]:
    """Of every pair within a topic that has all scores: people's difference and the measure's."""
    pairs = [
        (float(p[i] - p[j]), float(m[i] - m[j]))
        for p, m in zip(people, measure, strict=True)
        for i, j in combinations(range(p.size), 2)
    ]
    return [(a, b) for a, b in pairs if not math.isnan(a + b)]


VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 3.0, NAN])  # differences are exact
MATRICES = st.tuples(st.integers(1, 6), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(arrays(float, shape, elements=VALUES), arrays(float, shape, elements=VALUES))
)


@given(MATRICES)
def test_tie_calibration_equals_trying_every_difference(both: tuple[FloatArray, FloatArray]) -> None:
    people, measure = both
    found = tie_accuracy(people, measure, rng=rng(), resamples=20)
    expected = plain_accuracy(people, measure, 0.0)
    assert found.topics == len(expected)
    known = known_differences(people, measure)
    if not any(a for a, _ in known) or not any(
        b for _, b in known
    ):  # either ties every pair, or there is none
        assert found.why is not None
        assert np.isnan([found.uncalibrated, found.calibrated, found.crossed, found.epsilon]).all()
        assert found.pairs == len(known)
        return
    assert found.why is None
    epsilon, best = plain_best(people, measure)
    assert found.uncalibrated == pytest.approx(np.mean(expected), abs=1e-12)
    assert found.epsilon == epsilon
    assert found.calibrated == pytest.approx(best, abs=1e-12)
    assert (
        found.calibrated >= max(found.uncalibrated, 0 if math.isnan(found.crossed) else found.crossed) - 1e-12
    )
    every = len(people) * math.comb(people.shape[1], 2)
    assert (found.pairs, found.missing) == (len(known), every - len(known))
    assert found.human_ties == sum(a == 0 for a, _ in known)
    assert found.ties == sum(abs(b) <= epsilon for _, b in known)


def plain_crossed(
    people: FloatArray, measure: FloatArray, clusters: list[int], drawn: list[int], of_fold: list[int]
) -> float:
    """Cross-validated accuracy of clusters that were drawn, copies in the fold of the original."""
    rows = [(t, of_fold[c]) for c in drawn for t in range(len(clusters)) if clusters[t] == c]
    right = []
    for fold in set(of_fold):
        own, others = ([t for t, k in rows if (k == fold) == inside] for inside in (True, False))
        epsilon = plain_best(people[others], measure[others])[0] if others else 0.0
        right += plain_accuracy(people[own], measure[own], epsilon)
    return float(np.mean(right))


@pytest.mark.parametrize("clusters", [None, [k // 2 for k in range(12)]])
def test_folds_and_resamples_choose_anew(clusters: list[int] | None) -> None:
    """Equal to a loop that, in every resample and for every fold, tries every difference of the other folds."""
    people, measure = (each[:12, :4] for each in made())
    people = tied(people, 2.0)
    found = tie_accuracy(people, measure, rng=rng(), folds=3, resamples=25, level=0.8, clusters=clusters)
    own = clusters or list(range(12))
    draw = rng()
    many = max(own) + 1
    of_fold = [int(each) for each in draw.permutation(many) % 3]
    draws = cluster_draws(draw, many, 25)
    plain = [
        plain_crossed(people, measure, own, [c for c in range(many) for _ in range(int(times[c]))], of_fold)
        for times in draws
    ]
    assert found.crossed == pytest.approx(
        plain_crossed(people, measure, own, list(range(many)), of_fold), abs=1e-12
    )
    low, high = np.quantile(plain, [0.1, 0.9])
    assert found.low == pytest.approx(min(low, found.crossed), abs=1e-12)
    assert found.high == pytest.approx(max(high, found.crossed), abs=1e-12)
    assert (found.folds, found.clusters, found.resamples) == (3, many, 25)


def test_ties_equal_those_of_the_authors() -> None:
    """github.com/google-research/mt-metrics-eval, commit 0b82d96: tau_optimization with acc_23.

    The values come from the function's code alone, transcribed without sampling and other statistics, in NumPy 2.
    """
    people, measure = made()
    coarse = tied(people, 3.0)
    found = tie_accuracy(coarse, measure, rng=rng())
    assert found.epsilon == 0.375
    assert (found.calibrated, found.uncalibrated) == pytest.approx((0.6333333333333332, 0.5533333333333333))
    coarse[3, 2] = coarse[7] = measure[5, 1] = measure[9, 1:] = NAN
    found = tie_accuracy(coarse, measure, rng=rng())
    assert (found.calibrated, found.uncalibrated) == pytest.approx((0.6277777777777777, 0.5685185185185184))
    assert found.topics == 18
    # Two thresholds are equally good. The smaller one is the choice here; there rounding chose 0.375.
    assert found.epsilon == 0.3125
    assert np.mean(plain_accuracy(coarse, measure, 0.375)) == pytest.approx(found.calibrated, abs=1e-12)


def test_epsilon_chosen_on_the_same_topics_flatters() -> None:
    """Scores that have nothing to do with what people say: calibrated they look better than cross-validated."""
    draw = np.random.default_rng(5)
    gaps = []
    for _ in range(20):
        people, measure = draw.integers(0, 3, size=(8, 4)).astype(float), draw.normal(size=(8, 4))
        found = tie_accuracy(people, measure, rng=rng(), resamples=0)
        gaps.append(found.calibrated - found.crossed)
    assert min(gaps) >= 0
    assert np.mean(gaps) > 0.02


def test_differences_that_only_rounding_tells_apart_are_one_candidate() -> None:
    people = np.array([[0.0, 0.0, 5.0, 9.0]])
    measure = np.array([[0.1, 0.2, 0.2 + (0.3 - 0.2), 2.0]])  # 0.1 and 0.09999999999999998 apart
    assert abs(measure[0, 1] - measure[0, 0]) > abs(measure[0, 2] - measure[0, 1])
    turned = np.array([[5.0, 0.0, 0.0, 9.0]])
    for said in (people, turned):
        found = tie_accuracy(said, measure, rng=rng(), resamples=0)
        # Tying the one pair that people tie would tie the other of the same difference too.
        assert found.ties in (0, 2)


def test_fewer_thresholds_for_very_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    people, measure = made()
    people, measure = tied(people, 3.0), measure + np.linspace(0, 0.01, 120).reshape(20, 6)
    whole = tie_accuracy(people, measure, rng=rng(), resamples=50)
    monkeypatch.setattr(pairwise, "MOST_CANDIDATES", 30)
    some = tie_accuracy(people, measure, rng=rng(), resamples=50)
    assert (whole.sampled, some.sampled) == (False, True)
    assert (some.epsilon, some.calibrated) == (whole.epsilon, whole.calibrated)  # always by all differences
    assert some.crossed == pytest.approx(whole.crossed, abs=0.02)


def test_too_few_topics_say_why() -> None:
    people, measure = made()
    one = tie_accuracy(people[:1], measure[:1], rng=rng())
    assert math.isnan(one.crossed)
    assert one.why_not_crossed == "all topics are one cluster: none are left to choose epsilon on"
    few = tie_accuracy(people[:3], measure[:3], rng=rng())
    assert not math.isnan(few.crossed)
    assert few.why_no_interval == "needs 5 topics or clusters of topics, has 3"
    assert tie_accuracy(people[:, :1], measure[:, :1], rng=rng()).why == "needs two systems, has 1"
    assert tie_accuracy(people * NAN, measure, rng=rng()).why == pairwise.NO_PAIR


# System means


def plain_soft(people: FloatArray, measure: FloatArray, signs: FloatArray, both: bool = True) -> float:
    """1 - |p - p| over pairs, each p by counting swaps."""
    found = []
    if not plain_orders(people, measure):
        return NAN
    for i, j in combinations(range(people.shape[1]), 2):
        known = [t for t in range(len(people)) if not np.isnan([people[t, [i, j]], measure[t, [i, j]]]).any()]
        if not known:
            continue
        apart = []
        for a, b in ((i, j), (j, i)) if both else ((i, j),):
            ps = []
            for values in (people, measure):
                d = values[known, a] - values[known, b]
                count = sum(float(d @ sign) >= d.sum() - 1e-9 for sign in signs[:, known])
                ps.append((count + 1) / (len(signs) + 1))
            apart.append(abs(ps[0] - ps[1]))
        found.append(1 - np.mean(apart))
    return float(np.mean(found)) if found else NAN


def plain_orders(people: FloatArray, measure: FloatArray) -> bool:
    """Whether people and the measure each tell two systems' means apart."""
    missing = np.isnan(people + measure)
    sums = [
        [np.nansum((each[:, i] - each[:, j])[~(missing[:, i] | missing[:, j])]) for each in (people, measure)]
        for i, j in combinations(range(people.shape[1]), 2)
    ]
    return bool(np.any(sums, axis=0).all())


def plain_alike(people: FloatArray, measure: FloatArray, closer_than: float = math.inf) -> tuple[float, int]:
    right = []
    for i, j in combinations(range(people.shape[1]), 2):
        known = [t for t in range(len(people)) if not np.isnan([people[t, [i, j]], measure[t, [i, j]]]).any()]
        if not known:
            continue
        said = sum(people[t, i] - people[t, j] for t in known) / len(known)
        scored = sum(measure[t, i] - measure[t, j] for t in known)
        if abs(said) < closer_than:
            right.append(np.sign(said) == np.sign(scored))
    return (float(np.mean(right)) if right and plain_orders(people, measure) else NAN), len(right)


JUDGED = st.integers(2, 7).flatmap(
    lambda topics: arrays(float, (3, topics, 4), elements=st.sampled_from([0.0, 1.0, 2.0, 2.5, NAN]))
)


@given(JUDGED, st.booleans())
def test_soft_accuracy_equals_the_plain_twin(values: FloatArray, both: bool) -> None:
    people, measures = values[0], values[1:]
    judged = np.count_nonzero(~np.isnan(people), axis=1) > 1
    signs = swap_signs(rng(), int(np.count_nonzero(judged)), 40)
    found = soft_accuracies(people, measures, rng=rng(), swaps=40, both=both, resamples=0)
    for each, measure in zip(found, measures, strict=True):
        expected = plain_soft(people[judged], measure[judged], signs, both)
        assert each.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert (each.why is None) == (not math.isnan(expected))


@given(JUDGED)
def test_the_order_of_systems_does_not_matter(values: FloatArray) -> None:
    forwards = soft_accuracies(values[0], values[1:], rng=rng(), swaps=40, resamples=0)
    backwards = soft_accuracies(values[0][:, ::-1], values[1:, :, ::-1], rng=rng(), swaps=40, resamples=0)
    for one, other in zip(forwards, backwards, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-12, nan_ok=True)


@given(JUDGED, st.sampled_from([math.inf, 0.25, 1.0]))
def test_accuracy_of_means_equals_the_plain_twin(values: FloatArray, closer_than: float) -> None:
    found = mean_accuracies(values[0], values[1:], rng=rng(), closer_than=closer_than, resamples=0)
    for each, measure in zip(found, values[1:], strict=True):
        expected, pairs = plain_alike(values[0], measure, closer_than)
        assert each.value == pytest.approx(expected, nan_ok=True)
        assert each.pairs == pairs
        assert (each.why is None) == (not math.isnan(expected))


def test_soft_accuracy_equals_that_of_the_authors() -> None:
    """mt-metrics-eval, commit 1b47eab: pce.compute_pairwise_p_values (1,000 swaps, seed 4) and compute_one_minus_pce.

    The values come from these two functions' code, transcribed, in NumPy 2. Their p is k/R and tests the first of each
    pair, so their number changes with the order of the systems.
    """
    people, measure = made()
    signs = 2 * np.rint(np.random.default_rng(4).random(size=(1000, 20), dtype=np.float32)) - 1
    for step, theirs in ((1, 0.9726666666666667), (-1, 0.9701333333333333)):
        given = people[:, ::step], measure[None, :, ::step]
        ours = soft_accuracies(*given, rng=rng(), signs=signs, both=False, resamples=0)[0].value
        assert 1 - (1 - ours) * 1001 / 1000 == pytest.approx(theirs, abs=1e-12)
    mean = soft_accuracies(people, measure[None], rng=rng(), signs=signs, resamples=0)[0].value
    assert 1 - (1 - mean) * 1001 / 1000 == pytest.approx(
        (0.9726666666666667 + 0.9701333333333333) / 2, abs=1e-12
    )


def test_few_topics_have_all_swaps() -> None:
    """Exact p-values: of all 2**n ways to swap, those at least as far."""
    people, measure = (each[:6] for each in made())
    every = np.array(list(product([1.0, -1.0], repeat=6)))[1:]
    found = soft_accuracies(people, measure[None], rng=rng(), swaps=63, resamples=0)[0]
    assert (found.swaps, found.all_swaps) == (63, True)
    assert found.value == pytest.approx(plain_soft(people, measure, every), abs=1e-12)
    assert not soft_accuracies(people, measure[None], rng=rng(), swaps=62, resamples=0)[0].all_swaps


def test_topics_of_a_cluster_are_swapped_together() -> None:
    people, measure = made()
    clusters = [k // 4 for k in range(20)]
    found = soft_accuracies(people, measure[None], rng=rng(), clusters=clusters)[0]
    sums = [each.reshape(5, 4, 6).sum(axis=1) for each in (people, measure)]
    assert found.value == pytest.approx(
        soft_accuracies(sums[0], sums[1][None], rng=rng())[0].value, abs=1e-12
    )
    assert (found.clusters, found.swaps, found.all_swaps, found.topics) == (5, 31, True, 20)


def test_a_measure_that_says_what_people_say() -> None:
    people, _ = made()
    both = np.stack([people * 3 + 1, -people])
    same, turned = soft_accuracies(people, both, rng=rng())
    assert (same.value, same.why_no_interval) == (1, pairwise.NO_SPREAD)
    assert np.isnan([same.low, same.high]).all()
    assert turned.value < 0.5
    assert turned.low < turned.value < turned.high
    same, turned = mean_accuracies(people, both, rng=rng())
    assert (same.value, same.high) == (1, 1)
    assert 0.5 < same.low < 0.9  # other systems might not be all in order
    (of_these,) = mean_accuracies(people, both[:1], rng=rng(), resample="inputs")
    assert of_these.why_no_interval == pairwise.NO_SPREAD
    assert turned.value == pytest.approx(turned.human_ties / turned.pairs)


def plain_softly(people: FloatArray, measure: FloatArray, times: FloatArray) -> float:
    """Soft accuracy by normal p-values, where topics count so many times."""
    right = []
    for i, j in combinations(range(people.shape[1]), 2):
        known = ~np.isnan(people[:, i] + people[:, j] + measure[:, i] + measure[:, j])
        weight, ps = times[known], []
        for values in (people, measure):
            d = values[known, i] - values[known, j]
            ps.append(scipy.stats.norm.sf((weight * d).sum() / math.sqrt((weight * d * d).sum())))
        right.append(1 - abs(ps[0] - ps[1]))
    return float(np.mean(right))


def plainly(people: FloatArray, measure: FloatArray, times: FloatArray) -> float:
    rows = [t for t in range(len(times)) for _ in range(int(times[t]))]
    return float(plain_alike(people[rows], measure[rows])[0])


Resampled = Callable[[FloatArray, FloatArray, FloatArray], float]


def plain_half_width(
    accuracy: Resampled, value: float, draws: FloatArray, clusters: int, resample: Resample, by_tau: bool
) -> float:
    """Of the logit, at 80 %: each system left out, and what topics drawn again do to all systems."""
    people, measure = with_holes()
    n, once = people.shape[1], np.ones(20)

    def without(system: int, times: FloatArray) -> float:
        return accuracy(np.delete(people, system, 1), np.delete(measure, system, 1), times)

    left = [without(k, once) for k in range(n)]
    systems = scipy.stats.t(n - 1).ppf(0.9) ** 2 * (n - 1) * np.var(left)
    if by_tau:
        rho = math.sin(math.pi / 2 * (2 * value - 1))
        a, b = ((2 / math.pi * math.asin(rho / k)) ** 2 for k in (1, 2))
        of_tau = 2 / (n * (n - 1)) * (1 - a + 2 * (n - 2) * (1 / 9 - b))
        systems = scipy.stats.norm.ppf(0.9) ** 2 * of_tau / 4
    whole = [accuracy(people, measure, times) for times in draws]
    part = [without(k % n, times) - one for k, (times, one) in enumerate(zip(draws, whole, strict=True))]
    base = [left[k % n] - accuracy(people, measure, once) for k in range(len(draws))]
    every = np.var(whole, ddof=1)
    single = (n - 1) * np.var(np.subtract(part, base), ddof=1)
    common = max(every - single, 0)
    topics = scipy.stats.t(clusters - 1).ppf(0.9) ** 2 * clusters / (clusters - 1)
    both = max(systems + topics * common, topics * every)
    square = {"systems": systems, "inputs": topics * every, "both": both}[resample]
    return float(math.sqrt(square) / (value * (1 - value)))


def with_holes() -> tuple[FloatArray, FloatArray]:
    people, measure = made()
    people[4, 2] = measure[11, 0] = NAN
    return people, measure


@pytest.mark.parametrize("resample", ["systems", "inputs", "both"])
@pytest.mark.parametrize("kind", ["plain", "soft", "clusters"])
def test_intervals_equal_loops(kind: str, resample: Resample) -> None:
    """Loops over resamples, and over systems left out."""
    people, measure = with_holes()
    own = [k // 4 for k in range(20)] if kind == "clusters" else list(range(20))
    many, draw = max(own) + 1, rng()
    given: dict[str, Any] = {"rng": rng(), "resamples": 40, "level": 0.8, "resample": resample}
    if kind == "soft":
        (found,) = soft_accuracies(people, measure[None], swaps=50, **given)
        swap_signs(draw, many, 50)
    else:
        (found,) = mean_accuracies(people, measure[None], clusters=own, **given)
    draws = cluster_draws(draw, many, 40)[:, own]
    accuracy = plain_softly if kind == "soft" else plainly
    half = plain_half_width(accuracy, found.value, draws, many, resample, kind != "soft")
    logit = math.log(found.value / (1 - found.value))
    ends = tuple(1 / (1 + math.exp(-(logit + side * half))) for side in (-1, 1))
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)
    assert found.low < found.value < found.high
    assert found.clusters == many


def test_few_systems_have_an_interval_for_other_topics_alone() -> None:
    people, measure = (scores[:, :4] for scores in made())
    (both,) = mean_accuracies(people, measure[None], rng=rng())
    (topics,) = mean_accuracies(people, measure[None], rng=rng(), resample="inputs")
    assert both.why_no_interval == "fewer than 6 systems to resample (4)"
    assert topics.why_no_interval is None
    assert topics.low < topics.value < topics.high


def test_many_pairs_go_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    people, measure = made()
    whole = [f(people, measure[None], rng=rng())[0] for f in (mean_accuracies, soft_accuracies)]
    ties = tie_accuracy(people, measure, rng=rng())
    whole_ties = (ties.crossed, ties.low, ties.high)
    monkeypatch.setattr(pairwise, "AT_ONCE", 4000)
    parts = [f(people, measure[None], rng=rng())[0] for f in (mean_accuracies, soft_accuracies)]
    for one, other in zip(whole, parts, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx(
            (other.value, other.low, other.high), abs=1e-12
        )
    ties = tie_accuracy(people, measure, rng=rng())
    assert (ties.crossed, ties.low, ties.high) == pytest.approx(whole_ties, abs=1e-12)


def test_no_pair_that_close_says_so() -> None:
    people = np.array([[0.0, 2.0, 5.0]] * 6)
    found = mean_accuracies(people, people[None], rng=rng(), closer_than=2.0)[0]
    assert math.isnan(found.value)
    assert (found.pairs, found.why) == (0, "people's means of no two systems are less than 2 apart")
    assert mean_accuracies(people, people[None], rng=rng(), closer_than=2.5)[0].pairs == 1
    assert mean_accuracies(people[:, :1], people[None, :, :1], rng=rng())[0].why == "needs two systems, has 1"
    assert mean_accuracies(people, people[None] * NAN, rng=rng())[0].why == pairwise.NO_COMMON_TOPIC


def test_who_ties_every_pair_orders_nothing() -> None:
    people, measure = made()
    of_topic = np.repeat(np.arange(20.0)[:, None], 6, axis=1)  # differs between topics alone
    for flat in (np.full(people.shape, 0.1), of_topic):
        ties = tie_accuracy(people, flat, rng=rng())
        assert (ties.why, ties.pairs) == (pairwise.MEASURE_TIES_TOPICS, 300)
        assert ties.human_ties > 0  # acc-eq would be their share, whatever the measure is like
        assert np.isnan([ties.uncalibrated, ties.calibrated, ties.crossed, ties.low]).all()
        assert tie_accuracy(flat, measure, rng=rng()).why == pairwise.PEOPLE_TIE_TOPICS
        for accuracies in (soft_accuracies, mean_accuracies):
            found, other = accuracies(people, np.stack([flat, measure]), rng=rng())
            assert (found.why, found.pairs) == (pairwise.MEASURE_TIES_SYSTEMS, 15)
            assert np.isnan([found.value, found.low, found.high]).all()
            assert other.why is None
            (blank,) = accuracies(flat, measure[None], rng=rng())
            assert (blank.why, math.isnan(blank.value)) == (pairwise.PEOPLE_TIE_SYSTEMS, True)


def test_resamples_that_are_all_alike_make_no_interval() -> None:
    people, _ = made()
    apart = people + 10 * np.arange(6)  # the same order on every topic
    ties = tie_accuracy(apart, apart * 2, rng=rng())
    assert (ties.uncalibrated, ties.crossed) == (1, 1)
    assert ties.why_no_interval == ties.why_no_uncalibrated_interval == pairwise.NO_SPREAD
    assert np.isnan([ties.low, ties.high, ties.uncalibrated_low, ties.uncalibrated_high]).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [2.0**990, 1e300, 1e-300])
def test_the_scale_of_scores_does_not_matter(factor: float) -> None:
    people, measure = made()
    people[3, 2] = NAN
    given: dict[str, Any] = {"resamples": 50}
    for accuracies in (soft_accuracies, mean_accuracies):
        (plain,) = accuracies(people, measure[None], rng=rng(), **given)
        for large in (people * factor, people):
            (found,) = accuracies(large, factor * measure[None], rng=rng(), **given)
            assert (found.value, found.low, found.high) == pytest.approx(
                (plain.value, plain.low, plain.high), abs=1e-12
            )
    close, far = (
        mean_accuracies(people * k, measure[None], rng=rng(), closer_than=0.5 * k, **given)[0]
        for k in (1, factor)
    )
    assert 0 < close.pairs == far.pairs < 15
    one = tie_accuracy(people, measure, rng=rng(), **given)
    other = tie_accuracy(people * factor, measure * factor, rng=rng(), **given)
    assert (other.crossed, other.low, other.high) == pytest.approx((one.crossed, one.low, one.high))
    assert other.epsilon == pytest.approx(one.epsilon * factor)


def test_a_pair_that_is_close_beside_others_has_its_own_p() -> None:
    """Its squared differences would vanish beside those of systems that are far apart."""
    people, measure = made()
    close = measure * np.where(np.arange(6) < 2, 1e-200, 1.0)
    close[:, 2:] += 100 * np.arange(1, 5)  # the others are far from each other and from these two
    near = close.copy()
    near[:, :2] = measure[:, :2]  # in the same order
    found, expected = soft_accuracies(people, np.stack([close, near]), rng=rng(), resamples=50)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_mistakes() -> None:
    people, measure = made()
    with pytest.raises(UsageError, match="expected one shape"):
        tie_accuracy(people, measure[:3], rng=rng())
    with pytest.raises(UsageError, match="expected the same topics and systems"):
        mean_accuracies(people, measure[None, :3], rng=rng())
    with pytest.raises(UsageError, match="clusters: expected one for each of 20"):
        tie_accuracy(people, measure, rng=rng(), clusters=[1, 2])
    with pytest.raises(UsageError, match="signs: expected 1 and -1 in 20 columns"):
        soft_accuracies(people, measure[None], rng=rng(), signs=np.zeros((3, 20)))


# Real ratings


@pytest.fixture(scope="module")
def summeval_cells() -> Any:
    """Coherence by the experts' mean, and two measures that need no computing: the crowd, and the summary's words."""

    def cells(folder: Path) -> tuple[FloatArray, FloatArray]:
        with (folder / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        topics = sorted({each["id"] for each in records})
        systems = sorted({each["model_id"] for each in records})
        people, crowd, words = np.full((3, len(topics), len(systems)), NAN)
        for each in records:
            at = topics.index(each["id"]), systems.index(each["model_id"])
            people[at] = np.mean([one["coherence"] for one in each["expert_annotations"]])
            crowd[at] = np.mean([one["coherence"] for one in each["turker_annotations"]])
            words[at] = len(each["decoded"].split())
        return people, np.stack([crowd, words])

    return cells


@pytest.mark.shared_data
def test_summeval_equals_plain_loops(shared_data: Path, summeval_cells: Any) -> None:
    people, measures = summeval_cells(shared_data)
    assert people.shape == (100, 12)
    assert not np.isnan(people).any()
    rounded = np.round(people * 3) / 3  # thirds: the twins compare sums exactly
    signs = swap_signs(rng(), 100, 200)
    soft = soft_accuracies(people, measures, rng=rng(), swaps=200)
    means = mean_accuracies(people, measures, rng=rng())
    for measure, one, other in zip(measures, soft, means, strict=True):
        assert one.value == pytest.approx(plain_soft(people, measure, signs), abs=1e-12)
        assert other.value == plain_alike(rounded * 3, measure * 5)[0]
        found = tie_accuracy(people, measure, rng=rng())
        scaled = np.round(measure * 5)  # whole numbers: few candidates, exact
        epsilon, best = plain_best(np.round(people * 3), scaled)
        assert found.calibrated == pytest.approx(best, abs=1e-12)
        assert found.epsilon == pytest.approx(epsilon / 5, abs=1e-9)
        assert found.uncalibrated == pytest.approx(
            np.mean(plain_accuracy(np.round(people * 3), scaled, 0.0)), abs=1e-12
        )
        assert found.low <= found.crossed <= found.high


# Coverage


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "systems", "spread"), [(100, 12, 0.3), (30, 12, 0.1), (60, 24, 0.3)])
def test_intervals_cover_what_other_topics_would_give(topics: int, systems: int, spread: float) -> None:
    """95 % intervals of the accuracy that as many other topics give on average, for the same systems."""
    draw = np.random.default_rng(3)
    worth = draw.normal(size=systems) * spread
    worth = np.stack([worth, 0.7 * worth + 0.7 * spread * draw.normal(size=systems)])

    def scores() -> tuple[FloatArray, FloatArray]:
        shared = draw.normal(size=(topics, systems))
        people, measure = worth[:, None] + 0.7 * shared + 0.7 * draw.normal(size=(2, topics, systems))
        return np.asarray(np.round(2 * people) / 2), np.asarray(measure)

    def found(resamples: int) -> list[tuple[float, float, float]]:
        people, measure = scores()
        ties = tie_accuracy(people, measure, rng=draw, resamples=resamples)
        given: dict[str, Any] = {"rng": draw, "resamples": resamples, "resample": "inputs"}
        soft = soft_accuracies(people, measure[None], swaps=200, **given)[0]
        plain = mean_accuracies(people, measure[None], **given)[0]
        return [
            (ties.crossed, ties.low, ties.high),
            (soft.value, soft.low, soft.high),
            (plain.value, plain.low, plain.high),
        ]

    expected = np.mean([[value for value, _, _ in found(0)] for _ in range(400)], axis=0)
    inside = np.array(
        [
            [low <= e <= high for e, (_, low, high) in zip(expected, found(300), strict=True)]
            for _ in range(250)
        ]
    )
    assert (inside.mean(axis=0) > 0.90).all(), inside.mean(axis=0)
