"""What topics add to strengths: the jackknife by refitting, the sandwich, and coverage with a judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

from adjudge.stats.checks import FloatArray
from adjudge.stats.ppi import FROM_ZERO, powered_mean
from adjudge.stats.preference.answers import PairAnswers
from adjudge.stats.preference.bradley_terry import fit
from adjudge.stats.preference.influence import has_maximum, log_strengths, topic_strengths

TRUE = np.array([0.6, 0.2, -0.2, -0.6])
PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]


def duels(strengths: FloatArray, rng: np.random.Generator) -> PairAnswers:
    """One duel of every pair on every topic, which has strengths of its own."""
    topics = len(strengths)
    rows = [(t, i, j) for t in range(topics) for i, j in PAIRS]
    t, i, j = np.array(rows).T
    won = rng.random(len(rows)) < expit(strengths[t, i] - strengths[t, j])
    return PairAnswers(n=4, first=i, second=j, won=won.astype(float), cluster=t)


def draw(topics: int, labelled: int, judge: str, rng: np.random.Generator) -> tuple[PairAnswers, PairAnswers]:
    own = TRUE + rng.normal(0, 1, (topics, 4))
    its = {
        "good": 3 * own,
        "useless": rng.normal(0, 1, (topics, 4)),
        "biased": 2 * own + np.array([-1, 0, 0, 1.0]),
    }[judge]
    people = duels(own, rng)
    return people.take(people.cluster < labelled), duels(its, rng)


def test_strengths_are_the_fit_and_the_mean_of_the_topics() -> None:
    people, judge = draw(30, 12, "good", np.random.default_rng(1))
    found = topic_strengths(people, judge, 30)
    assert found is not None
    strengths = fit(people.wins())
    np.testing.assert_allclose(found.log, strengths.log - strengths.log.mean(), atol=1e-8)
    np.testing.assert_allclose(np.nanmean(found.people, axis=0), found.log, atol=1e-10)
    assert np.isnan(found.people[12:]).all()
    assert not np.isnan(found.people[:12]).any()
    assert not np.isnan(found.judge).any()
    np.testing.assert_allclose(np.nan_to_num(found.people).sum(axis=1), 0, atol=1e-9)


def test_rows_are_close_to_pseudo_values_by_refitting() -> None:
    people, judge = draw(60, 60, "good", np.random.default_rng(3))
    found = topic_strengths(people, judge, 60)
    assert found is not None
    refitted = np.array(
        [60 * found.log - 59 * log_strengths(people.take(people.cluster != t)) for t in range(60)]
    )
    moved, expected = found.people - found.log, refitted - refitted.mean(axis=0)
    assert np.corrcoef(moved.ravel(), expected.ravel())[0, 1] > 0.999
    np.testing.assert_allclose(moved.std(axis=0), expected.std(axis=0), rtol=0.05)


def test_judges_rows_are_the_sandwichs_of_the_same_answers() -> None:
    # A judge who gave people's very answers: its rows are the influences g_t I^-1 n, by their definition.
    people, _ = draw(20, 20, "good", np.random.default_rng(5))
    found = topic_strengths(people, people, 20)
    assert found is not None
    chance = expit(found.log[:, None] - found.log)
    gradient = np.zeros((20, 4))
    for t, i, j, won in zip(people.cluster, people.first, people.second, people.won, strict=True):
        gradient[t, i] += won - chance[i, j]
        gradient[t, j] -= won - chance[i, j]
    bent = 20 * chance * (1 - chance)  # every pair has met once on every topic
    np.fill_diagonal(bent, 0)
    information = np.diag(bent.sum(axis=1)) - bent
    np.testing.assert_allclose(found.judge, 20 * gradient @ np.linalg.pinv(information), atol=1e-8)


def test_without_a_finite_maximum_there_is_nothing() -> None:
    one_way = PairAnswers(n=3, first=np.array([0, 0, 1]), second=np.array([1, 2, 2]), won=np.ones(3))
    assert not has_maximum(one_way)
    assert topic_strengths(one_way, one_way, 1) is None


def covers(judge: str, labelled: int, times: int, seed: int, truth: FloatArray) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    held = told = 0
    ratios = []
    for _ in range(times):
        found = topic_strengths(*draw(100, labelled, judge, rng), 100)
        if found is None:
            continue
        for i, j in PAIRS:
            y, f = (
                found.people[:labelled, i] - found.people[:labelled, j],
                found.judge[:, i] - found.judge[:, j],
            )
            each = powered_mean(y, f[:labelled], f[labelled:], clip=FROM_ZERO)
            if each.why is None:
                low, high = each.interval()
                told += 1
                held += low <= truth[i] - truth[j] <= high
                ratios.append(each.ratio)
    return held / told, float(np.median(ratios))


@pytest.fixture(scope="module")
def truth() -> FloatArray:
    """The strengths that topics with strengths of their own come to, by very many answers."""
    rng = np.random.default_rng(0)
    return log_strengths(duels(TRUE + rng.normal(0, 1, (20_000, 4)), rng))


@pytest.mark.parametrize("judge", ["good", "biased"])
def test_coverage_with_twenty_topics(judge: str, truth: FloatArray) -> None:
    share, _ = covers(judge, 20, 60, 1, truth)
    assert share >= 0.95 - 3.5 * math.sqrt(0.95 * 0.05 / 60)  # six pairs of the same answers


@pytest.mark.slow
@pytest.mark.parametrize("labelled", [10, 20, 50])
@pytest.mark.parametrize("judge", ["good", "useless", "biased"])
def test_coverage(judge: str, labelled: int, truth: FloatArray) -> None:
    share, ratio = covers(judge, labelled, 1000, labelled, truth)
    print(f"{judge} judge, {labelled} of 100 topics: coverage {share:.3f}, median variance ratio {ratio:.2f}")
    assert 0.935 <= share <= 0.985
