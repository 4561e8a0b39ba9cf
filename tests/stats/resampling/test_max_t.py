"""The bootstrap of the largest |t|: against ten obvious lines, and what its numbers promise each other."""

from __future__ import annotations

import itertools
import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Alternative
from adjudge.stats.resampling import max_t as module
from adjudge.stats.resampling.max_t import DifferenceRows, MaxT, bounded_by, max_t, max_t_rows, row_moments

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


def twin(rows: list[FloatArray], counts: IntArray, alternative: Alternative) -> tuple[FloatArray, FloatArray]:
    """The t of every row, and its t* in every resample; rows hold a number for each topic, NaN where missing."""
    turn = -1 if alternative == "less" else 1
    observed, resampled = [], []
    for row in rows:
        d = turn * row[~np.isnan(row)]
        observed.append(d.mean() / (d.std(ddof=1) / math.sqrt(d.size)))
        stars = []
        for times in counts:
            star = turn * np.repeat(row, times)
            star = star[~np.isnan(star)]
            shift = star.mean() - d.mean() if star.size else 0.0
            spread = star.std(ddof=1) if star.size > 1 else 0.0
            if spread > 1e-9:
                stars.append(shift / (spread / math.sqrt(star.size)))
            else:
                stars.append(0.0 if abs(shift) < 1e-9 else math.copysign(math.inf, shift))
        each = np.array(stars)
        largest = np.abs(each[np.isfinite(each)]).max()
        resampled.append(np.where(np.isinf(each), np.copysign(largest, each), each))
    found, every = np.array(observed), np.array(resampled)
    return (np.abs(found), np.abs(every)) if alternative == "two-sided" else (found, every)


def agrees_with_twin(
    result: MaxT, rows: list[FloatArray], counts: IntArray, alternative: Alternative
) -> None:
    t, stars = twin(rows, counts, alternative)
    resamples = len(counts)
    slack = 1e-5 * np.abs(t)
    assert result.raw == pytest.approx(
        [(1 + np.sum(stars[k] >= t[k] - slack[k])) / (1 + resamples) for k in range(t.size)]
    )
    single = [(1 + np.sum(stars.max(axis=0) >= t[k] - slack[k])) / (1 + resamples) for k in range(t.size)]
    assert result.single_step == pytest.approx(single)
    step: dict[int, float] = {}
    least = 0.0
    left = sorted(range(t.size), key=lambda k: -t[k])
    while left:
        k = left[0]
        least = max(least, (1 + np.sum(stars[left].max(axis=0) >= t[k] - slack[k])) / (1 + resamples))
        step[k] = least
        left = left[1:]
    assert result.p == pytest.approx([step[k] for k in range(t.size)])
    # Such that p < alpha exactly where t is beyond it.
    rank = math.ceil(round((1 - result.level) * (resamples + 1), 9)) - 1
    assert result.critical == pytest.approx(np.sort(stars.max(axis=0))[-rank], rel=1e-4)


def some_scores(kind: str, seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    if kind == "ratings":
        return np.minimum(5.0, rng.integers(2, 7, size=(12, 4)))
    values = rng.exponential(size=(12, 4)) * [1, 2, 1, 4] + [0, 0, 1, 0]
    if kind == "missing":
        values[:3, 0] = values[10:, 1] = values[5, 2] = np.nan
    return values


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", ["complete", "missing", "ratings"])
@pytest.mark.parametrize("compiled", [False, True])
def test_it_is_what_ten_lines_say(
    kind: str, alternative: Alternative, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        monkeypatch.setattr(module, "COMPILED_FROM", 0)
    values = some_scores(kind)
    result = max_t(values, rng=np.random.default_rng(7), resamples=299, alternative=alternative)
    assert result.member.all()
    counts = np.random.default_rng(7).multinomial(12, np.full(12, 1 / 12), size=299)
    rows = [values[:, i] - values[:, j] for i, j in itertools.combinations(range(4), 2)]
    agrees_with_twin(result, rows, counts, alternative)
    assert result.difference == pytest.approx([np.nanmean(row) for row in rows])
    assert result.n.tolist() == [np.count_nonzero(~np.isnan(row)) for row in rows]
    reach = result.critical * result.se
    below = np.full_like(reach, np.inf) if alternative == "less" else reach
    above = np.full_like(reach, np.inf) if alternative == "greater" else reach
    assert result.low == pytest.approx(result.difference - below)
    assert result.high == pytest.approx(result.difference + above)


def max_t_of(values: FloatArray, **options: Any) -> MaxT:
    """Of the means of the columns themselves."""
    rows = DifferenceRows(np.ascontiguousarray(values.T) + 0.0, None, None)
    return max_t_rows(rows, row_moments(rows), **options)


def test_means_are_the_pairs_of_their_differences() -> None:
    values = some_scores("missing")
    rows = np.array([values[:, i] - values[:, j] for i, j in itertools.combinations(range(4), 2)])
    pairs = max_t(values, rng=np.random.default_rng(3), resamples=499)
    means = max_t_of(rows.T, rng=np.random.default_rng(3), resamples=499)
    assert (pairs.p == means.p).all()
    assert (pairs.low == means.low).all()
    assert pairs.critical == means.critical


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).normal(size=(25, 12))
    whole = max_t(values, rng=np.random.default_rng(3), resamples=999)
    monkeypatch.setattr(module, "CELLS", 5000)
    small = max_t(values, rng=np.random.default_rng(3), resamples=999)
    assert (whole.p == small.p).all()
    assert whole.critical == pytest.approx(small.critical, rel=1e-6)


def test_resamples_in_parts_are_the_same_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).normal(size=(25, 6))
    whole = max_t(values, rng=np.random.default_rng(3), resamples=999)
    monkeypatch.setattr(module, "DRAWN", 25 * 300)
    parts = max_t(values, rng=np.random.default_rng(3), resamples=999)
    assert (whole.p == parts.p).all()
    assert whole.critical == pytest.approx(parts.critical, rel=1e-6)


def test_one_normal_pair_has_nearly_students_quantile() -> None:
    values = np.random.default_rng(5).normal(size=(200, 2))
    result = max_t(values, rng=np.random.default_rng(6), resamples=20_000)
    assert result.critical == pytest.approx(stats.t.isf(0.025, 199), abs=0.06)
    assert result.raw[0] == pytest.approx(stats.ttest_rel(*values.T).pvalue, abs=0.02)


@pytest.mark.parametrize("factor", [1e-200, 1e200, -3.0])
def test_scale_changes_nothing(factor: float) -> None:
    values = some_scores("complete")
    plain = max_t(values, rng=np.random.default_rng(1), resamples=199)
    scaled = max_t(factor * values, rng=np.random.default_rng(1), resamples=199)
    assert (plain.p == scaled.p).all()
    ends = np.sort([factor * plain.low, factor * plain.high], axis=0)
    assert np.allclose(scaled.low, ends[0], rtol=1e-5)
    assert np.allclose(scaled.high, ends[1], rtol=1e-5)


def test_what_cannot_be_in_the_family_says_why() -> None:
    values = np.random.default_rng(1).normal(size=(10, 6))
    values[:, 1] = values[:, 0] + 0.1  # one difference on all topics, but for noise
    values[:, 2] = values[:, 0]
    values[:4, 2] += [1, 2, -1, 1]
    values[:9, 3] = np.nan
    values[:, 4] = np.nan
    values[:5, 4] = [1.0, 3, 2, 5, 4]
    result = max_t(values, rng=np.random.default_rng(1), resamples=99)
    pairs = list(itertools.combinations(range(6), 2))
    why = {pairs[k]: note for k, note in result.why.items()}
    assert why[0, 1] == Note.of("constant", n=10)
    assert why[0, 2] == Note.of("few-varied", varied=4, n=10, needs=5)
    assert why[0, 3] == Note.of("few-in-common", n=1)
    assert why[3, 4] == Note.of("few-in-common", n=0)
    assert why[0, 4] == Note.of("few-for-bootstrap", n=5, needs=6)
    assert [pairs[k] for k in np.flatnonzero(result.member)] == [(0, 5), (1, 5), (2, 5)]
    assert np.isnan(result.p[~result.member]).all()
    assert np.isnan(result.low[~result.member]).all()
    assert result.difference[0] == pytest.approx(-0.1)  # what is known is kept


def test_a_family_is_tested_as_if_it_were_alone() -> None:
    values = some_scores("complete")
    pairs = list(itertools.combinations(range(4), 2))
    result = max_t(values, rng=np.random.default_rng(1), family=np.array([0 in pair for pair in pairs]))
    alone = max_t_of(values[:, [0]] - values[:, 1:], rng=np.random.default_rng(1))
    assert (result.p[:3] == alone.p).all()
    assert np.isnan(result.p[3:]).all()
    assert not result.why  # nobody asked for the others


def test_nothing_to_test() -> None:
    assert len(max_t(np.ones((5, 1)), rng=np.random.default_rng(1))) == 0
    result = max_t(np.ones((5, 3)), rng=np.random.default_rng(1))
    assert math.isnan(result.critical)
    assert not result.member.any()
    assert len(result.why) == 3
    assert not max_t(np.empty((0, 2)), rng=np.random.default_rng(1)).member.any()


def test_too_few_resamples_for_the_level() -> None:
    with pytest.raises(UsageError, match="resamples: expected at least 20 for intervals of 0.95, got 19"):
        max_t(some_scores("complete"), rng=np.random.default_rng(1), resamples=19)
    assert max_t(some_scores("complete"), rng=np.random.default_rng(1), resamples=20).floor == 1 / 21
    with pytest.raises(UsageError, match="family: expected 6 truth values"):
        max_t(some_scores("complete"), rng=np.random.default_rng(1), family=[True])


@settings(deadline=None)
@given(
    arrays(float, (9, 4), elements=st.sampled_from([1.0, 2, 3, 4, 5, 5, 5, math.nan])),
    st.sampled_from([0.9, 0.95, 0.8]),
)
def test_numbers_agree_with_each_other(values: FloatArray, level: float) -> None:
    result = max_t(values, rng=np.random.default_rng(1), resamples=99, level=level)
    inside = result.member
    p, single = result.p[inside], result.single_step[inside]
    assert (result.raw[inside] <= p).all()
    assert (p <= single).all()
    assert (p >= result.floor).all()
    outside_0 = (result.low > 0) | (result.high < 0)
    assert (outside_0[inside] <= (single < 1 - level)).all()
    assert not outside_0[~inside].any()
    assert np.isfinite(result.low[inside]).all()
    assert np.isfinite(result.high[inside]).all()
    low, high = bounded_by(result.low, result.high, result.difference, result.p < 1 - level)
    found = result.p < 1 - level
    assert ((low >= 0) | (high <= 0))[found].all()
    assert (low <= result.difference)[inside].all()
    assert (result.difference <= high)[inside].all()
