"""Signs of odd assessors: against plain computations, and how often they are wrong about honest ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from adjudge.core.errors import DataError
from adjudge.stats.dossiers import (
    JudgedThings,
    concordance,
    drift,
    same_answers,
    sameness,
    self_agreement,
    severity,
)

Fault = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def simulated(
    rng: np.random.Generator,
    *,
    topics: int = 12,
    systems: int = 9,
    assessors: int = 4,
    per_thing: int | None = None,
    severities: float = 0.4,
    by_system: float = 0.2,
    by_topic: float = 0.2,
    noise: float = 0.5,
    fault: Fault | None = None,
    rounded: bool = True,
) -> JudgedThings:
    """Ratings from 1 to 5 by people who differ in severity and a little in taste; `fault` changes what they say."""
    worth = rng.normal(0, 0.6, (topics, 1)) + rng.normal(0, 0.6, (1, systems))
    worth = worth + rng.normal(0, 0.3, (topics, systems))
    given = 3 + worth[:, :, None] + rng.normal(0, severities, assessors)
    given = given + rng.normal(0, by_system, (1, systems, assessors))
    given = given + rng.normal(0, by_topic, (topics, 1, assessors))
    given = given + rng.normal(0, noise, (topics, systems, assessors))
    if fault is not None:
        given = fault(given, rng)
    if rounded:
        given = np.clip(np.round(given), 1, 5)
    kept = np.ones(given.shape, dtype=bool)
    if per_thing is not None:
        kept = rng.random(given.shape).argsort(axis=2).argsort(axis=2) < per_thing
    topic, system, who = np.nonzero(kept)
    return JudgedThings.of(given[kept], topic * systems + system, who, topic, assessors)


def dummies(judged: JudgedThings) -> np.ndarray:
    things = np.eye(judged.thing.max() + 1)[judged.thing]
    return np.hstack([things, np.eye(judged.assessors)[judged.who]])


# Severity


def test_severity_is_a_paired_t_test_of_topic_means_with_the_median_assessor() -> None:
    judged = simulated(np.random.default_rng(1), assessors=3)
    found = severity(judged)
    means = judged.values.reshape(12, 9, 3).mean(axis=1)
    middle = int(np.argsort(means.mean(axis=0))[1])
    for a in range(3):
        if a == middle:
            assert found.estimate[a] == 0
            assert np.isnan(found.error[a])
            continue
        oracle = ttest_rel(means[:, a], means[:, middle])
        assert found.estimate[a] == pytest.approx((means[:, a] - means[:, middle]).mean())
        assert found.p()[a] == pytest.approx(oracle.pvalue)
        ends = oracle.confidence_interval(0.9)
        assert [each[a] for each in found.interval(0.9)] == pytest.approx([ends.low, ends.high])


def test_severity_of_an_incomplete_design_is_that_of_the_additive_model() -> None:
    judged = simulated(np.random.default_rng(2), assessors=5, per_thing=2)
    own = judged.shared()
    effects = np.linalg.lstsq(dummies(own), own.values, rcond=None)[0][-5:]
    assert severity(judged).estimate == pytest.approx(effects - np.median(effects))


def test_one_who_is_far_off_moves_nobody_else() -> None:
    judged = simulated(np.random.default_rng(3), assessors=5, rounded=False)
    before = severity(judged)
    lowest = int(before.estimate.argmin())
    values = judged.values - 2 * (judged.who == lowest)
    after = severity(JudgedThings(values, judged.thing, judged.who, judged.topic, 5))
    assert after.estimate[lowest] == pytest.approx(before.estimate[lowest] - 2)
    others = np.arange(5) != lowest
    assert after.estimate[others] == pytest.approx(before.estimate[others])
    assert after.error[others] == pytest.approx(before.error[others], nan_ok=True)


def test_of_two_each_is_compared_with_the_other() -> None:
    found = severity(JudgedThings.of([1, 2, 1, 3], [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]))
    assert found.estimate.tolist() == pytest.approx([-1.5, 1.5])
    assert found.others.tolist() == [1, 1]


def test_who_judged_alone_is_compared_with_nobody() -> None:
    found = severity(JudgedThings.of([1, 2, 3], [0, 0, 1], [0, 1, 2], [0, 0, 1]))
    assert found.others.tolist() == [1, 1, 0]
    assert np.isnan(found.estimate[2])
    nobody = severity(JudgedThings.of([1, 2], [0, 1], [0, 1], [0, 0]))
    assert np.isnan(nobody.estimate).all()


def test_where_every_topic_says_the_same_p_is_a_sign_tests() -> None:
    values = [[3, 3, 2]] * 6
    judged = JudgedThings.of(
        np.ravel(values), np.repeat(np.arange(6), 3), np.tile([0, 1, 2], 6), np.repeat(np.arange(6), 3)
    )
    found = severity(judged)
    assert found.p()[2] == 2 * 0.5**6
    assert found.p(side="below")[2] == 0.5**6
    assert found.p(side="above")[2] == 1


def test_a_thing_is_judged_once_by_an_assessor() -> None:
    with pytest.raises(DataError, match="twice"):
        JudgedThings.of([1, 2], [0, 0], [0, 0], [0, 0])


# Agreement with the others


def plain_concordance(judged: JudgedThings, a: int) -> tuple[float, float]:
    """Correlations pair by pair, weighted by the product of the two spreads."""
    by: list[dict[int, float]] = [{} for _ in range(judged.assessors)]
    for thing, who, value in zip(judged.thing, judged.who, judged.values, strict=True):
        by[who][int(thing)] = float(value)
    parts: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for b, c in combinations(range(judged.assessors), 2):
        both = sorted(set(by[b]) & set(by[c]))
        x, y = (np.array([by[k][i] for i in both]) for k in (b, c))
        if len(both) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
            weight = float(np.sqrt(((x - x.mean()) ** 2).sum() * ((y - y.mean()) ** 2).sum()))
            parts[a in (b, c)].append((float(np.corrcoef(x, y)[0, 1]) * weight, weight))
    return tuple(sum(p for p, _ in parts[k]) / sum(w for _, w in parts[k]) for k in (True, False))  # type: ignore[return-value]


@pytest.mark.parametrize("per_thing", [None, 3])
def test_concordance_is_the_mean_correlation_with_a_jackknife_over_topics(per_thing: int | None) -> None:
    judged = simulated(np.random.default_rng(4), topics=6, systems=5, per_thing=per_thing)
    found = concordance(judged, honest=0.9)
    for a in range(4):
        own, others = plain_concordance(judged, a)
        assert found.with_others.estimate[a] == pytest.approx(own)
        assert found.among_others.estimate[a] == pytest.approx(others)
        left = [plain_concordance(judged.take(judged.topic != t), a) for t in range(6)]
        contrasts = np.array([0.9 * o - r for r, o in left])
        assert found.contrast.estimate[a] == pytest.approx(0.9 * others - own)
        assert found.contrast.error[a] == pytest.approx(
            np.sqrt(5 / 6 * ((contrasts - contrasts.mean()) ** 2).sum())
        )


def test_severity_and_the_width_of_the_scale_do_not_count() -> None:
    judged = simulated(np.random.default_rng(5), rounded=False)
    moved = (
        judged.values * np.array([1.0, 3.0, 0.5, 1.0])[judged.who]
        + np.array([0.0, 1.0, 5.0, -2.0])[judged.who]
    )
    other = JudgedThings(moved, judged.thing, judged.who, judged.topic, 4)
    before, after = concordance(judged), concordance(other)
    assert after.with_others.estimate[0] == pytest.approx(before.with_others.estimate[0], abs=0.05)


def test_one_who_gives_one_answer_has_no_correlation() -> None:
    judged = simulated(np.random.default_rng(6))
    values = np.where(judged.who == 2, 4.0, judged.values)
    found = concordance(JudgedThings(values, judged.thing, judged.who, judged.topic, 4))
    assert found.constant.tolist() == [False, False, True, False]
    assert np.isnan(found.with_others.estimate[2])
    assert np.isfinite(found.with_others.estimate[[0, 1, 3]]).all()


# Drift


def test_a_drift_is_the_slope_over_the_own_order_in_a_model_of_things_and_assessors() -> None:
    rng = np.random.default_rng(7)
    judged = simulated(rng, topics=8, systems=4, assessors=3)
    order = rng.permutation(len(judged.values)).astype(float)
    found = drift(judged, order, level=1e-12)  # nobody is taken into the model
    for a in range(3):
        mine = judged.who == a
        ranks = order[mine].argsort().argsort()
        column = np.zeros(len(order))
        column[mine] = ranks / ranks.max()
        design = np.hstack([dummies(judged), column[:, None]])
        assert found.estimate[a] == pytest.approx(np.linalg.lstsq(design, judged.values, rcond=None)[0][-1])


def test_where_all_judge_in_one_order_only_the_one_who_drifts_is_found() -> None:
    def drifting(given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        steps = np.arange(given.shape[0] * given.shape[1]).reshape(given.shape[:2])
        return np.asarray(given + 2 * (steps / steps.max())[:, :, None] * np.array([1, 0, 0]))

    judged = simulated(
        np.random.default_rng(8), topics=40, systems=6, assessors=3, fault=drifting, rounded=False
    )
    found = drift(judged, judged.thing.astype(float))
    assert (found.p() * 3 <= 0.05).tolist() == [True, False, False]
    assert found.estimate[0] == pytest.approx(2, abs=0.7)


def test_without_an_order_there_is_no_drift() -> None:
    judged = simulated(np.random.default_rng(9))
    assert np.isnan(drift(judged, np.full(len(judged.values), np.nan)).p()).all()


# Repeats, and answers that are all the same


def test_own_repeats_are_compared_with_the_others_by_permutation() -> None:
    apart, who = [3, 2, 3, 0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 1, 2, 2]
    found = self_agreement(apart, who, 3, rng=np.random.default_rng(0))
    sums = [sum(apart[k] for k in chosen) for chosen in combinations(range(8), 3)]
    assert found.p[0] == pytest.approx(np.mean([each >= 8 for each in sums]), abs=0.01)
    assert found.smallest[0] == pytest.approx(1 / 56)
    assert found.repeats.tolist() == [3, 3, 2]
    assert found.same.tolist() == [0, 2, 1]
    assert found.apart[0] == pytest.approx(8 / 3)


def test_without_repeats_nothing_is_said_of_them() -> None:
    none = self_agreement([], [], 2, rng=np.random.default_rng(0))
    assert np.isnan(none.p).all()
    alone = self_agreement([1, 0], [1, 1], 2, rng=np.random.default_rng(0))
    assert np.isnan(alone.p).all()
    assert alone.repeats.tolist() == [0, 2]


def test_one_answer_throughout_is_told_from_what_others_say_of_the_same() -> None:
    """Two topics of two things: assessor 0 gives 4 always, 1 never the same in a topic, 2 in one topic of two."""
    given = {0: [4, 4, 4, 4], 1: [1, 2, 3, 4], 2: [5, 5, 5, 1]}
    judged = JudgedThings.of(
        np.ravel([given[a] for a in range(3)]),
        np.tile(range(4), 3),
        np.repeat(range(3), 4),
        np.tile([0, 0, 1, 1], 3),
    )
    found = sameness(judged)
    assert found.same.tolist() == [2, 0, 1]
    # With one topic more that is one: (0 + 1) / 3 and (1 + 1) / 3, whose median is 1/2.
    assert found.usual[0] == pytest.approx(1 / 2)
    assert found.p.tolist() == pytest.approx([1 / 4, 1, 1])


# How often they are wrong, and how often they find what is there

DESIGNS = {
    "a small complete one": {"topics": 12, "systems": 9, "assessors": 4},
    "very few": {"topics": 5, "systems": 4, "assessors": 3},
    "three on everything": {"topics": 30, "systems": 6, "assessors": 3},
    "two per summary": {"topics": 20, "systems": 8, "assessors": 8, "per_thing": 2},
    "three per summary": {"topics": 60, "systems": 10, "assessors": 6, "per_thing": 3},
}


def any_of(p: np.ndarray, size: int) -> bool:
    """Whether somebody is named, corrected over the assessors."""
    return bool((p[np.isfinite(p)] * size <= 0.05).any())


def named(judged: JudgedThings, order: np.ndarray) -> dict[str, np.ndarray]:
    """Corrected p by sign, as the dossiers have them; here with no margin for differences between readers."""
    agreed, size = concordance(judged), judged.assessors
    against = np.maximum(agreed.with_others.p(side="below"), agreed.among_others.p(side="above"))
    found = {
        "erratic": agreed.contrast.p(side="above"),
        "reversed": against,
        "drifting": drift(judged, order).p(),
        "the same": sameness(judged).p,
    }
    return {sign: p * size <= 0.05 for sign, p in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_honest_assessors_of_differing_severity_are_seldom_named(design: str) -> None:
    """Familywise at most 5 % (7.5 % of 400 is three standard errors above it)."""
    rng = np.random.default_rng(10)
    counts = dict.fromkeys(("erratic", "reversed", "drifting", "the same", "drifting by topic"), 0)
    rounds = 400
    for _ in range(rounds):
        judged = simulated(rng, **DESIGNS[design])  # type: ignore[arg-type]
        order = rng.permutation(len(judged.values)).astype(float)
        for sign, who in named(judged, order).items():
            counts[sign] += int(who.any())
        by_topic = rng.permutation(judged.topic.max() + 1)[judged.topic] * len(order) + order
        counts["drifting by topic"] += any_of(drift(judged, by_topic).p(), judged.assessors)
    assert {sign: n / rounds for sign, n in counts.items() if n / rounds > 0.075} == {}


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_equally_severe_assessors_are_seldom_called_harsh_or_mild(design: str) -> None:
    rng = np.random.default_rng(11)
    wrong = 0
    for _ in range(400):
        judged = simulated(rng, severities=0, by_system=0, **DESIGNS[design])  # type: ignore[arg-type]
        wrong += any_of(severity(judged).p(), judged.assessors)
    assert wrong / 400 <= 0.075


def at_random(given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    given[:, :, 0] = rng.integers(1, 6, given.shape[:2])
    return given


def turned(given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    given[:, :, 0] = 6 - given[:, :, 0]
    return given


def always_four(given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    given[:, :, 0] = 4
    return given


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "sign", "least"),
    [(at_random, "erratic", 0.9), (turned, "reversed", 0.95), (always_four, "the same", 0.95)],
)
def test_planted_faults_are_found_and_nobody_else_is_named_for_them(
    fault: Fault, sign: str, least: float
) -> None:
    rng = np.random.default_rng(12)
    found = wrong = 0
    for _ in range(100):
        judged = simulated(rng, fault=fault)
        who = named(judged, np.full(len(judged.values), np.nan))[sign]
        found += int(who[0])
        wrong += int(who[1:].any())
    assert found / 100 >= least
    assert wrong / 100 <= 0.05


@pytest.mark.slow
def test_a_planted_drift_is_found() -> None:
    """One point of five from the first judgment to the last, in orders of their own."""
    rng = np.random.default_rng(13)
    found = wrong = 0
    for _ in range(100):
        judged = simulated(rng, topics=30, systems=6, assessors=4, rounded=False)
        order = rng.permutation(len(judged.values)).astype(float)
        mine = judged.who == 0
        values = judged.values.copy()
        values[mine] += order[mine].argsort().argsort() / mine.sum()
        p = drift(
            JudgedThings(np.clip(np.round(values), 1, 5), judged.thing, judged.who, judged.topic, 4), order
        ).p()
        found += p[0] * 4 <= 0.05
        wrong += any_of(p[1:], 4)
    assert found / 100 >= 0.85
    assert wrong / 100 <= 0.1


# Two who give the same answers


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 6))
def test_same_answers_equal_plain_counts(seed: int, assessors: int, topics: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [
        (int(rng.integers(1, 3)), 3 * topic + k, who, topic)
        for topic in range(topics)
        for k in range(3)
        for who in range(assessors)
        if rng.random() < 0.8
    ]
    if not rows:
        return
    values, things, who, topics_of = zip(*rows, strict=True)
    judged = JudgedThings.of(values, things, who, topics_of, assessors=assessors)
    answers = {(who, thing): value for value, thing, who, _ in rows}
    counted = {(pair.a, pair.b): pair for pair in same_answers(judged)}
    shares = {}
    for a, b in combinations(range(assessors), 2):
        both = [thing for thing in range(3 * topics) if (a, thing) in answers and (b, thing) in answers]
        if not both:
            assert (a, b) not in counted
            continue
        equal = [thing for thing in both if answers[a, thing] == answers[b, thing]]
        there = {thing // 3 for thing in both}
        alike = [topic for topic in there if all(k in equal for k in both if k // 3 == topic)]
        pair = counted[a, b]
        assert (pair.things, pair.same, pair.topics, pair.alike) == (
            len(both),
            len(equal),
            len(there),
            len(alike),
        )
        shares[a, b] = (len(alike) + 1) / (len(there) + 1)
    for key, pair in counted.items():
        others = [share for other, share in shares.items() if other != key]
        if not others:
            assert np.isnan(pair.p)
            continue
        usual = float(np.median(others))
        chance = sum(
            math.comb(pair.topics, k) * usual**k * (1 - usual) ** (pair.topics - k)
            for k in range(pair.alike, pair.topics + 1)
        )
        assert pair.p == pytest.approx(chance)


def test_honest_people_are_rarely_taken_for_copies() -> None:
    """Nobody is in 100 sets of ratings; a copy always is."""
    rng = np.random.default_rng(4)
    for _ in range(100):
        judged = simulated(rng)
        assert all(pair.same < 0.95 * pair.things for pair in same_answers(judged))
    judged = simulated(rng)
    values = judged.values.copy()
    for thing in np.unique(judged.thing):
        values[(judged.thing == thing) & (judged.who == 1)] = values[
            (judged.thing == thing) & (judged.who == 0)
        ]
    first = same_answers(JudgedThings(values, judged.thing, judged.who, judged.topic, judged.assessors))[0]
    assert first.same == first.things
    assert first.p < 1e-6
