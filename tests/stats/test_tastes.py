"""The assessors' part in a difference's variance: mean squares of crossed designs, and what it expects of others."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import holm
from adjudge.stats.ppi import FROM_ZERO, PoweredMean, powered_mean
from adjudge.stats.tastes import FEW, JudgedPair, Tastes, severities, tastes

Shown = tuple[list[PoweredMean], list[PoweredMean], Tastes]


def compared(cube: FloatArray, judged: FloatArray | None = None) -> Shown:
    """All pairs for these assessors, for others like them, and what was seen of these."""
    n, s, _ = cube.shape
    judged = np.zeros((n, s)) if judged is None else judged
    there = ~np.isnan(cube)
    shares = there / np.maximum(1, there.sum(axis=2, keepdims=True))
    means = np.where(there.any(axis=2), np.nansum(cube * shares, axis=2), np.nan)
    these, pairs = [], []
    for i, j in combinations(range(s), 2):
        f = judged[:, i] - judged[:, j]
        y = means[:, i] - means[:, j]
        both = np.flatnonzero(~np.isnan(y))
        these.append(powered_mean(y[both], f[both], f[n:], clip=FROM_ZERO))
        kept = both if these[-1].why is None else both[:0]
        pairs.append(
            JudgedPair(
                differences=cube[kept, i] - cube[kept, j],
                offset=these[-1].weight * f[kept] if kept.size else f[kept],
                first=shares[kept, i],
                second=shares[kept, j],
                spent=these[-1].n - these[-1].df if kept.size else 0.0,
            )
        )
    shown = tastes(pairs, s)
    if shown.why is not None:
        return these, these, shown
    return these, [m.with_assessors(p) for m, p in zip(these, shown.parts, strict=True)], shown


def mean_squares(d: FloatArray) -> tuple[float, float, float]:
    """Of topics, assessors and what is left, of topics x assessors, as a book has them."""
    n, m = d.shape
    topics, assessors, whole = d.mean(axis=1), d.mean(axis=0), d.mean()
    rest = d - topics[:, None] - assessors + whole
    return (
        m * float(((topics - whole) ** 2).sum()) / (n - 1),
        n * float(((assessors - whole) ** 2).sum()) / (m - 1),
        float((rest**2).sum()) / ((n - 1) * (m - 1)),
    )


def test_two_systems_and_many_assessors_are_a_two_way_analysis_of_variance() -> None:
    rng = np.random.default_rng(1)
    cube = rng.normal(size=(12, 2, 9)) + rng.normal(0, 0.6, (1, 2, 9))
    [these], [wide], shown = compared(cube)
    t, a, e = mean_squares(cube[:, 0] - cube[:, 1])
    assert a > e
    assert these.variance == pytest.approx(t / (12 * 9), rel=1e-9)
    assert wide.variance == pytest.approx((t + a - e) / (12 * 9), rel=1e-9)
    assert shown.df == 8
    assert shown.variance == pytest.approx((a - e) / 12, rel=1e-9)
    # Satterthwaite: the assessors' part is known as well as its mean square is, in relation to it.
    part = (a - e) / (12 * 9)
    df = wide.variance**2 / (these.variance**2 / 11 + part * (a / (12 * 9)) / 8)
    assert wide.df == pytest.approx(min(11, df), rel=1e-9)
    assert wide.estimate == these.estimate
    assert wide.effective == pytest.approx(these.effective)


def test_all_pairs_share_what_assessors_make_of_systems() -> None:
    rng = np.random.default_rng(2)
    cube = rng.normal(size=(15, 4, 5)) + rng.normal(0, 0.5, (1, 4, 5))
    these, wide, shown = compared(cube)
    squares = [mean_squares(cube[:, i] - cube[:, j]) for i, j in combinations(range(4), 2)]
    excess = [(a - e) / 15 for _, a, e in squares]
    assert shown.df == 3 * 4
    assert shown.variance == pytest.approx(np.mean(excess), rel=1e-9)
    # No pair has less than what all pairs show; one of systems that divide assessors has more.
    parts = [w.variance - t.variance for w, t in zip(wide, these, strict=True)]
    assert min(parts) >= np.mean(excess) / 5 * (1 - 1e-9)
    assert max(parts) > 1.05 * min(parts)
    # Every pair's own as a sum of two systems', by least squares, half of the way.
    design = np.array([[(k in pair) * 1.0 for k in range(4)] for pair in combinations(range(4), 2)])
    own = design @ np.linalg.lstsq(design, np.array(excess), rcond=None)[0]
    expected = np.maximum(np.mean(excess), (np.mean(excess) + own) / 2) / 5
    np.testing.assert_allclose(parts, expected, rtol=1e-9)


def test_assessors_who_agree_better_than_chance_add_nothing() -> None:
    rng = np.random.default_rng(3)
    cube = rng.normal(size=(10, 3, 4))
    cube -= cube.mean(axis=0, keepdims=True)  # every assessor's systems are equal on average
    these, wide, shown = compared(cube)
    assert shown.why is None
    assert shown.variance < 0
    assert wide == these


def test_an_assessor_of_its_own_for_every_topic_is_in_the_variance_over_topics() -> None:
    rng = np.random.default_rng(4)
    cube = np.full((12, 3, 12), np.nan)
    cube[np.arange(12), :, np.arange(12)] = rng.normal(size=(12, 3))
    these, wide, shown = compared(cube)
    assert shown.why is None
    assert wide == these


def test_one_assessor_per_topic_is_a_one_way_analysis_of_variance() -> None:
    rng = np.random.default_rng(5)
    n, m = 24, 8
    cube = np.full((n, 2, m), np.nan)
    who = np.arange(n) % m
    cube[np.arange(n), :, who] = rng.normal(size=(n, 2)) + rng.normal(0, 1.0, (m, 2))[who]
    [these], [wide], shown = compared(cube)
    d = np.nansum(cube[:, 0] - cube[:, 1], axis=1)
    means = np.array([d[who == k].mean() for k in range(m)])
    between = n / m * means.var(ddof=1)
    within = sum(((d[who == k] - means[k]) ** 2).sum() for k in range(m)) / (n - m)
    assert shown.df == m - 1
    # Unbiased but for the topics' mean: the sum over topics about it holds 1 - 1/m of each assessor's share.
    assert shown.variance == pytest.approx((between - within) / (n / m), rel=1e-9)
    # The variance over assessors' means is the closed form of the whole.
    assert wide.variance == pytest.approx(between / n, rel=0.02)
    assert wide.variance > these.variance


def test_a_few_topics_with_two_assessors_do_not_stand_for_all() -> None:
    """Three of thirty topics are judged by two: how topics differ says more than these."""
    rng = np.random.default_rng(10)
    n, m = 30, 3
    cube = np.full((n, 2, m), np.nan)
    who = np.arange(n) % m
    cube[np.arange(n), :, who] = 0.0
    cube[:3, :, :] = np.where(np.arange(3)[:, None] == (np.arange(3) + 2) % 3, np.nan, 0.0)[:, None]
    liking = np.array([3.0, 0.0, -3.0])
    cube[:, 0] += liking + rng.normal(0, 0.5, (n, m))
    cube[:, 1] += rng.normal(0, 0.5, (n, m))
    cube[:3, 0] -= np.where(np.isnan(cube[:3, 0]), np.nan, liking)  # and those three topics hide it
    shown = compared(cube)[2]
    assert shown.df == 2
    assert shown.variance > 4


def test_what_is_added_is_what_the_variance_over_topics_lacks() -> None:
    """Expected values of both, by what every assessor's liking adds to the mean and to the sum of squares."""
    rng = np.random.default_rng(6)
    n, m = 9, 4
    there = rng.random((n, m)) < 0.6
    there[np.arange(n), rng.integers(0, m, n)] = True
    shares = there / there.sum(axis=1, keepdims=True)
    pair = JudgedPair(np.where(there, 0.0, np.nan), np.zeros(n), shares, shares, 1.0)
    centred = np.eye(n) - 1 / n
    of_mean = float(np.trace(shares.T @ np.full((n, n), 1 / n**2) @ shares))
    of_topics = float(np.trace(shares.T @ centred @ shares)) / (n * (n - 1))
    assert pair.weight() == pytest.approx(of_mean - of_topics, rel=1e-9)


def test_when_only_these_assessors_can_be_spoken_of() -> None:
    rng = np.random.default_rng(7)
    cube = rng.normal(size=(10, 3, 4))
    apart = cube.copy()
    apart[:, 0, :2] = apart[:, 1:, 2:] = np.nan  # two judged one system, two the others
    assert compared(apart)[2].why == "apart"
    assert compared(cube[:, :, :1])[2].why == "few"
    assert compared(cube[:, :2, :2])[2].why == "few"  # one degree of freedom
    assert compared(cube[:, :, :2])[2].why is None
    assert compared(cube[:3])[2].why == "few"


def test_a_few_degrees_of_freedom_are_taken_to_show_too_little() -> None:
    rng = np.random.default_rng(8)
    cube = rng.normal(size=(30, 2, 4)) + rng.normal(0, 0.8, (1, 2, 4))
    [these], [wide], shown = compared(cube)
    _, a, e = mean_squares(cube[:, 0] - cube[:, 1])
    assert shown.df == 3 < FEW
    # scipy 1.17: chi2.ppf(0.4, 3) = 1.8691684
    assert wide.variance - these.variance == pytest.approx((a * 3 / 1.8691684 - e) / 120, rel=1e-6)


@st.composite
def designs(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Odd designs: cells missing, assessors with few topics, coarse scales, tastes from none to large."""
    n, s, m = draw(st.integers(4, 40)), draw(st.integers(2, 5)), draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    taste, missing = draw(st.sampled_from([0.0, 0.3, 1.0, 5.0])), draw(st.sampled_from([0.0, 0.0, 0.1, 0.5]))
    cube = rng.normal(size=(n, s, m)) + taste * rng.normal(size=(1, s, m)) + rng.normal(size=(n, 1, 1))
    cube = np.round(cube, draw(st.sampled_from([0, 1, 8])))
    if draw(st.booleans()):  # one assessor per topic
        cube[np.broadcast_to((rng.integers(0, m, n)[:, None] != np.arange(m))[:, None], cube.shape)] = np.nan
    cube[rng.random(cube.shape) < missing] = np.nan
    return cube * draw(st.sampled_from([1.0, 1e-9, 1e9])), rng.normal(size=(n + draw(st.integers(0, 20)), s))


@settings(max_examples=200, deadline=None)
@given(designs())
def test_p_is_never_below_that_for_these_assessors(design: tuple[FloatArray, FloatArray]) -> None:
    these, wide, shown = compared(*design)
    for narrow, broad in zip(these, wide, strict=True):
        assert narrow.estimate == broad.estimate or math.isnan(narrow.estimate)
        if math.isnan(narrow.p()):
            assert math.isnan(broad.p())
            continue
        assert broad.p() >= narrow.p()
        assert broad.df <= narrow.df
        assert broad.variance >= narrow.variance
        assert broad.of_assessors >= 0
    p = [np.array([m.p() for m in some]) for some in (these, wide)]
    assert (holm(p[1])[~np.isnan(p[1])] >= holm(p[0])[~np.isnan(p[0])]).all()
    assert (shown.why is None) == bool(shown.parts)


# Where assessors judged different systems


def test_severity_is_least_squares_on_dummies() -> None:
    rng = np.random.default_rng(9)
    cube = rng.normal(size=(8, 4, 5)) + np.array([0.0, 1.0, -1.0, 2.0, 0.5])
    cube[rng.random(cube.shape) < 0.5] = np.nan
    strict = severities(cube)
    topics, systems, people = np.nonzero(~np.isnan(cube))
    rows = np.arange(topics.size)
    design = np.zeros((rows.size, 8 + 4 + 5))
    design[rows, topics] = design[rows, 8 + systems] = design[rows, 12 + people] = 1
    y = cube[topics, systems, people]
    inverse = np.linalg.pinv(design.T @ design)
    fitted = inverse @ design.T @ y
    noise = ((y - design @ fitted) ** 2).sum() / (rows.size - np.linalg.matrix_rank(design))
    away = np.array([1.0, 0, 0, -1.0, 0])
    assert away @ strict.effects == pytest.approx(away @ fitted[12:], rel=1e-9)
    assert away @ strict.covariance @ away == pytest.approx(noise * away @ inverse[12:, 12:] @ away, rel=1e-9)
    assert len(set(strict.component.tolist())) == 1


def test_systems_that_nobody_compared_are_in_different_components() -> None:
    cube = np.full((6, 4, 3), np.nan)
    cube[:, :2, 0] = 1.0  # the strict one judged the first two
    cube[:, 2:, 1] = 5.0  # the lenient one the others
    strict = severities(cube + np.random.default_rng(1).normal(0, 0.1, cube.shape))
    assert strict.component[0] == strict.component[1] != strict.component[2] == strict.component[3]
    cube[:, 1:3, 2] = 3.0  # somebody joins them
    joined = severities(cube + np.random.default_rng(1).normal(0, 0.1, cube.shape))
    assert len(set(joined.component.tolist())) == 1
