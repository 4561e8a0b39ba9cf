"""Assessors as a sample: closed forms for two items, expectations by brute force, and never surer than these alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from tests.properties import examples

from adjudge.stats.preference.answers import PairAnswers
from adjudge.stats.preference.contrasts import pair_contrasts
from adjudge.stats.preference.models import likelihood_of
from adjudge.stats.preference.tastes import Cell, Tastes, tastes_of
from adjudge.stats.preference.wider import WiderContrasts, wider_contrasts


def two_items(wins: tuple[int, ...], each: int) -> PairAnswers:
    """Assessors who answered equally often, and how often each preferred the first."""
    who = np.repeat(np.arange(len(wins)), each)
    won = np.concatenate([np.arange(each) < w for w in wins]).astype(float)
    zeros = np.zeros(len(who), int)
    return PairAnswers(2, zeros, zeros + 1, won, who=who)


@pytest.mark.parametrize("wins", [(18, 9, 14, 6, 16), (11, 10, 12, 11, 10), (15, 2, 13)])
def test_two_items_by_the_book(wins: tuple[int, ...]) -> None:
    """Log odds of assessors by one step from the pooled ones: their variance less that of noise, divided by two."""
    each, size = 20, len(wins)
    answers = two_items(wins, each)
    these = pair_contrasts(answers)
    others = wider_contrasts(answers, these)
    assert isinstance(others, WiderContrasts)
    p = sum(wins) / (size * each)
    noise = 1 / (each * p * (1 - p))
    logits = (np.array(wins) / each - p) / (p * (1 - p))
    between = max(logits.var(ddof=1) - noise, 0.0)  # of one assessor's difference
    assert others.tastes.variance == pytest.approx(between / 2, abs=1e-12)
    assert others.tastes.freedom == pytest.approx(size - 1)
    assert others.difference[0, 1] == pytest.approx(math.log(p / (1 - p)))
    assert others.se[0, 1] ** 2 == pytest.approx(noise / size + between / size)
    weight = (between / (between + noise)) ** 0.25 if size > 5 else 1.0
    freedom = (noise + between) ** 2 / (weight * (between + noise) ** 2 / (size - 1))
    assert others.freedom[0, 1] == pytest.approx(freedom)
    x = abs(others.difference[0, 1]) / others.se[0, 1]
    assert others.p[0, 1] == pytest.approx(max(2 * student.sf(x, freedom), these.p[0, 1]))
    low, high = others.pair_bounds(0, 1, 0.95)
    half = student.ppf(0.975, freedom) * others.se[0, 1]
    assert (high - low) / 2 == pytest.approx(max(half, 1.959964 * these.se[0, 1]))


def unbalanced(seed: int, n: int = 4, assessors: int = 5, topics: int = 3) -> PairAnswers:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(80, 200))
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    who = np.minimum(rng.geometric(0.35, count) - 1, assessors - 1)
    likes = rng.normal(0, 1, (assessors, n))
    won = rng.random(count) < 1 / (1 + np.exp(likes[who, second] - likes[who, first]))
    return PairAnswers(n, first, second, won, who=who, cluster=rng.integers(0, topics, count))


@pytest.mark.parametrize("seed", range(3))
def test_what_tastes_add_is_what_they_do_to_the_fit(seed: int) -> None:
    """To first order tastes u move strengths by L sum(H u): each taste by itself, one after the other."""
    answers = unbalanced(seed)
    n = answers.n
    people, who = np.unique(answers.who, return_inverse=True)
    like = likelihood_of(answers, who)
    point = pair_contrasts(answers).one_way.top.point
    cells = [Cell(k, 0, *like.take(like.unit == k).slopes(point)) for k in range(len(people))]
    information = np.sum([cell.information for cell in cells], axis=0)
    level = np.zeros(n, np.int64)
    tastes = tastes_of(lambda: cells, information, level, level, assessors=len(people), noise_by_cell=False)
    assert isinstance(tastes, Tastes)
    inverse = np.linalg.pinv(information)
    moved, left = np.zeros((2, n, n))
    for cell in cells:
        for k in range(n):
            raw = {c.assessor: np.zeros(n) for c in cells}
            raw[cell.assessor] = inverse @ cell.information[:, k]
            fit = sum(raw.values())
            moved += np.outer(fit, fit)
            for c in cells:
                gone = raw[c.assessor] - inverse @ c.information @ fit
                left += np.outer(gone, gone)
    seen, noise = np.zeros((2, n, n))
    for cell in cells:
        step = inverse @ cell.gradient
        seen += np.outer(step, step)
        for c in cells:
            stays = (np.eye(n) if c is cell else 0) - inverse @ c.information
            noise += stays @ inverse @ cell.information @ inverse @ stays.T
    variance = (np.sum(seen * information) - np.sum(noise * information)) / np.sum(left * information)
    assert tastes.variance == pytest.approx(max(variance, 0.0), rel=1e-6)
    diagonal = np.diag(moved)
    least = tastes.variance * (diagonal[:, None] + diagonal - 2 * moved)
    assert np.all(tastes.pairs.variance >= least - 1e-9)  # more where items differ in tastes
    alike = np.isclose(tastes.pairs.variance, least, rtol=1e-6)
    assert alike.any()


@examples(40)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 5),
    assessors=st.integers(2, 8),
    topics=st.integers(1, 8),
    spread=st.sampled_from([0.0, 1.0, 4.0]),
    ties=st.booleans(),
)
def test_others_are_never_surer_than_these(
    seed: int, n: int, assessors: int, topics: int, spread: float, ties: bool
) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(20, 120))
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    who, cluster = rng.integers(0, assessors, count), rng.integers(0, topics, count)
    likes = rng.normal(0, spread, (assessors, n)) + rng.normal(0, spread, n)
    won = (rng.random(count) < 1 / (1 + np.exp(likes[who, second] - likes[who, first]))).astype(float)
    if ties:
        won[rng.random(count) < 0.2] = 0.5
    items, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
    answers = PairAnswers(len(items), numbers[:count], numbers[count:], won, who=who, cluster=cluster)
    several = len(np.unique(cluster)) > 1
    these = pair_contrasts(answers, by="cluster" if several else "answer")
    others = wider_contrasts(answers, these)
    if isinstance(others, str):
        return
    known = ~np.isnan(these.p)
    assert np.all(np.isnan(others.p) == ~known)
    assert np.all(others.p[known] >= these.p[known])
    finite = np.isfinite(these.difference)
    assert np.all(others.freedom[finite] <= these.freedom[finite])
    for level in (0.9, 0.999):
        for wide, narrow, sign in zip(
            others.all_bounds(level), these.all_bounds(level), (1, -1), strict=True
        ):
            there = ~np.isnan(narrow)
            assert np.all(sign * wide[there] <= sign * narrow[there] + 1e-9)
        low, high = others.all_bounds(level)
        for i, j in zip(*np.nonzero(known & ~np.isnan(low)), strict=True):
            if abs(others.p[i, j] / (1 - level) - 1) > 1e-3:  # an interval without 0 where p says so
                assert (low[i, j] > 0 or high[i, j] < 0) == (others.p[i, j] < 1 - level)
    for k in range(answers.n):
        more, less = others.item_bounds(k, 0.0, 0.95), these.item_bounds(k, 0.0, 0.95)
        assert more.low <= less.low + 1e-9
        assert more.high >= less.high - 1e-9


def test_all_wins_of_one_are_less_sure_with_tastes() -> None:
    """The first won all its duels; the others show by how much assessors differ."""
    rng = np.random.default_rng(1)
    rows = [(0, k, 1.0, a) for a in range(6) for k in (1, 2, 3) for _ in range(2)]
    for a in range(6):
        likes = rng.normal(0, 1.5, 4)
        rows += [
            (i, j, float(rng.random() < 1 / (1 + np.exp(likes[j] - likes[i]))), a)
            for i, j in ((1, 2), (2, 3), (1, 3))
            for _ in range(20)
        ]
    first, second, won, who = map(np.array, zip(*rows, strict=True))
    answers = PairAnswers(4, first, second, won, who=who)
    these = pair_contrasts(answers)
    others = wider_contrasts(answers, these)
    assert isinstance(others, WiderContrasts)
    assert others.tastes.variance > 0.3
    assert np.isposinf(others.difference[0, 1])
    assert others.p[0, 1] > 3 * these.p[0, 1]
    assert others.pair_bounds(0, 1, 0.95).low < these.pair_bounds(0, 1, 0.95).low


def test_assessors_within_topics_are_in_the_variance_of_topics() -> None:
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(12), 20)
    who = cluster * 2 + rng.integers(0, 2, 240)
    zeros = np.zeros(240, int)
    answers = PairAnswers(
        2, zeros, zeros + 1, rng.integers(0, 2, 240).astype(float), who=who, cluster=cluster
    )
    these = pair_contrasts(answers, by="cluster")
    others = wider_contrasts(answers, these)
    assert isinstance(others, WiderContrasts)
    np.testing.assert_array_equal(others.p, these.p)
    np.testing.assert_array_equal(others.se, these.se)


def test_who_cannot_be_a_sample_is_named() -> None:
    one = two_items((12,), 20)
    assert wider_contrasts(one, pair_contrasts(one)) == "one-assessor"
    two = two_items((12, 9), 20)
    assert wider_contrasts(two, pair_contrasts(two)) == "too-few"
    # Every pair has an assessor of its own.
    rows = [
        (i, j, float(k % 3 > 0), a) for a, (i, j) in enumerate([(0, 1), (1, 2), (2, 3)]) for k in range(12)
    ]
    first, second, won, who = map(np.array, zip(*rows, strict=True))
    apart = PairAnswers(4, first, second, won, who=who)
    assert wider_contrasts(apart, pair_contrasts(apart)) == "not-apart"
