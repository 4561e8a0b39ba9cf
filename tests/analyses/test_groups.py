"""Groups with names: places, lines, contrasts, words. The numbers are tested in tests/stats."""

from __future__ import annotations

import json
import math
import re
import tracemalloc
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from tests.approving import Approved, words_of
from tests.waiting import not_stuck

import adjudge
from adjudge.analyses.groups import Groups
from adjudge.analyses.groups.result import CONCLUSIONS, GroupsResult, groups_of_matrix, kind_contrast
from adjudge.analyses.groups.words import (
    about_diagram,
    about_hsd,
    about_spread,
    contrast_sentence,
)
from adjudge.core.errors import DataError, UsageError
from adjudge.data.scores import Better, MeasureInfo, ScoreMatrix
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.contrasts import contrasts
from adjudge.stats.linear.tukey import spread_check, tukey
from adjudge.stats.multiple import holm
from adjudge.stats.own_variances import own_contrasts
from adjudge.stats.resampling.max_t import max_t

KINDS = {"ann": "human", "bob": "human", "lead": "baseline"}


def matrix(better: Better = "higher", missing: bool = False) -> ScoreMatrix:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(20, 1)) + rng.normal([2.0, 1.9, 0.0, 0.1, -2.0], 0.3, size=(20, 5))
    if better == "lower":
        values = -values
    if missing:
        values[:10, 0] = math.nan
    return ScoreMatrix(
        values,
        np.isfinite(values).astype(int),
        tuple(f"t{k}" for k in range(20)),
        ("ann", "bob", "x", "y", "lead"),
        MeasureInfo("m", better, signature="m|v:1"),
        length=100,
    )


def grouped(matrix: ScoreMatrix, **options: Any) -> GroupsResult:
    return groups_of_matrix(matrix, Groups(**options), kinds=KINDS)


def of(values: FloatArray, better: Better | None = "higher") -> ScoreMatrix:
    topics, systems = values.shape
    return ScoreMatrix(
        values,
        np.isfinite(values).astype(int),
        tuple(f"t{k}" for k in range(topics)),
        tuple(f"s{k}" for k in range(systems)),
        MeasureInfo("m", better),
    )


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("scale", ["values", "ranks", "topic-ranks"])
@pytest.mark.parametrize("method", ["auto", "max-t", "t", "tukey"])
def test_planted_groups_are_found(better: Better, scale: str, method: str) -> None:
    found = grouped(matrix(better), tested=scale, method=method)
    assert {p.system for p in found.places[:2]} == {"ann", "bob"}
    assert [p.group for p in found.places] == ["a", "a", "b", "b", "c"]
    assert [(p.best, p.worst) for p in found.places] == [(1, 2), (1, 2), (3, 4), (3, 4), (5, 5)]
    assert found.rankings.count == 4
    assert len(found.lines.lines) == 2
    assert list(found.concluded().values()) == [8, 2, 0, 0]
    assert found.better[:, 2:].any(axis=0).all()
    assert not found.better[:, :2].any()


def test_pairs_are_those_of_the_test() -> None:
    expected = tukey(matrix().values)
    frame = grouped(matrix(), method="tukey").to_frame("pairs")
    assert frame["p"].to_numpy() == pytest.approx(expected.p)
    assert (frame["a"][0], frame["b"][0]) == ("ann", "bob")
    usual = grouped(matrix()).to_frame("pairs")
    alone = [stats.ttest_rel(*matrix().values[:, pair].T).pvalue for pair in combinations(range(5), 2)]
    assert usual["p"].to_numpy() == pytest.approx(holm(alone))
    own = grouped(matrix(), method="max-t").to_frame("pairs")
    boot = max_t(matrix().values, rng=np.random.default_rng(5), resamples=20_000)
    assert own["p"].to_numpy() == pytest.approx(boot.p, abs=0.03)
    assert set(own["method"]) == {"max-t"}


@pytest.mark.parametrize("assessors", [0, 1, 4])
def test_groups_and_compare_have_the_same_letters(assessors: int) -> None:
    """Whoever gave the scores; also at other levels, and of means that are adjusted."""
    rng = np.random.default_rng(assessors)
    rows = [
        (f"t{t}", f"s{s}", f"a{a}" if assessors else None, 0.4 * s + rng.normal())
        for t in range(14)
        for s in range(5)
        for a in range(max(1, assessors))
        if rng.random() < 0.9
    ]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "m"])
    frame = frame if assessors else frame.drop(columns="assessor")
    for alpha in (0.05, 0.3):
        compared, sorted_ = adjudge.compare(frame, alpha=alpha), adjudge.groups(frame, alpha=alpha)
        expected = {s.system: (s.rank, s.adjusted, s.group, s.best, s.worst) for s in compared.standings}
        assert {p.system: (p.rank, p.mean, p.group, p.best, p.worst) for p in sorted_.places} == expected


def test_pairs_are_compared_on_the_topics_that_they_have(approved: Approved) -> None:
    values = np.random.default_rng(1).normal(size=(30, 4))
    values[:11, 0] = math.nan
    found = grouped(of(values))
    assert found.test.method == "t"
    approved(words_of(found))


def test_few_topics_have_students_t_with_holm_and_bonferroni() -> None:
    values = matrix().values[:9]
    found = grouped(of(values))
    pairs = list(combinations(range(5), 2))
    alone = [stats.ttest_rel(values[:, i], values[:, j]).pvalue for i, j in pairs]
    assert found.test.p == pytest.approx(holm(alone))
    i, j = pairs[0]
    d = values[:, i] - values[:, j]
    reach = stats.t.isf(0.05 / 2 / 10, 8) * d.std(ddof=1) / 3
    assert (found.test.low[0], found.test.high[0]) == pytest.approx((d.mean() - reach, d.mean() + reach))


def test_where_only_the_step_down_finds_a_pair_its_interval_ends_at_0() -> None:
    rng = np.random.default_rng(8)
    ends = []
    for _ in range(30):
        values = rng.normal([0, 0, 1.4, 4], 1, size=(12, 4))
        test = grouped(of(values)).test
        ends += [(low, high) for low, high, p in zip(test.low, test.high, test.p, strict=True) if p < 0.05]
    assert all(low >= 0 or high <= 0 for low, high in ends)
    assert any(0.0 in each for each in ends)


def test_headline_separates_what_could_not_be_found(approved: Approved) -> None:
    rng = np.random.default_rng(2)
    values = rng.normal([0, 9, 0, 0], 1, size=(8, 4))
    values[:, 2] = values[:, 0] + 0.25  # one difference on all topics
    values[:7, 3] = math.nan
    found = grouped(of(values))
    assert found.test.why.keys() == {2, 4, 5}
    assert [CONCLUSIONS[k] for k in found.test.conclusion].count("could not have been found") == 3
    assert list(found.concluded().values()) == [2, 1, 3, 0]
    approved(words_of(found), "out of reach")
    values[:, 3] = math.nan
    values = np.vstack([values, [math.nan, math.nan, math.nan, 1.0]])
    apart = grouped(of(values))
    assert apart.concluded()["not comparable"] == 3
    approved(apart.headline(), "apart")
    constant = grouped(of(np.arange(3.0) + np.zeros((5, 3))))
    assert list(constant.concluded().values()) == [0, 3, 0, 0]  # by the sign test, of five topics
    approved(constant.headline(), "constant")


def test_differences_of_too_few_topics_could_not_have_been_found() -> None:
    values = np.full((10, 3), 3.0)
    values[:3, 1] = 4.0  # p = .08 at the least, whatever the sizes of three differences of ten
    values[:, 2] = np.random.default_rng(1).normal(size=10)
    found = grouped(of(values), method="t")
    assert found.test.conclusion[0] == 2
    assert found.test.p[0] >= 0.05
    assert stats.ttest_1samp(values[:, 1] - values[:, 0], 0).pvalue >= 0.05


@pytest.mark.parametrize("method", ["auto", "tukey"])
@pytest.mark.parametrize(
    "values",
    [np.ones((1, 3)), np.arange(9.0).reshape(3, 3), np.ones((30, 3)), np.arange(6.0).reshape(3, 2)],
    ids=["one topic", "constant differences", "all equal", "two systems"],
)
def test_no_difference_of_nan_or_inf_is_ever_said(values: FloatArray, method: str) -> None:
    found = grouped(of(values), method=method)
    text = "\n".join(
        [*found.sentences(), found.table("differences").to_text(), repr(found), found.to_latex()]
    )
    assert not re.search(r"\b(nan|inf)\b", text), text
    if method == "tukey":
        assert not found.concluded()["differ"]


def test_tukey_says_what_it_assumes(approved: Approved) -> None:
    rng = np.random.default_rng(4)
    unequal = grouped(of(rng.normal(size=(40, 6)) * np.geomspace(0.2, 3, 6)), method="tukey")
    equal = grouped(of(rng.normal(size=(40, 6))), method="tukey")
    assert (unequal.spreads is not None, equal.spreads is not None) == (True, True)
    approved(words_of(unequal), "unequal")
    approved(words_of(equal), "equal")
    assert grouped(of(rng.normal(size=(40, 6)))).spreads is None


def test_ceiling_is_said(approved: Approved) -> None:
    rng = np.random.default_rng(4)
    values = np.where(rng.random((30, 3)) < 0.7, 5.0, rng.integers(1, 5, size=(30, 3)))
    found = grouped(of(values))
    assert found.at_the_end() == ("highest", 5.0, ["s0", "s1", "s2"])
    approved(list(found.sentences())[-1])
    assert grouped(matrix()).at_the_end() is None


def test_order_by_least_squares_and_better_by_the_pairs_own_topics(approved: Approved) -> None:
    found = grouped(matrix(missing=True))
    approved(words_of(found))
    assert {p.system for p in found.places[:2]} == {"ann", "bob"}


def test_systems_without_a_chain_have_their_own_means(approved: Approved) -> None:
    values = np.full((12, 4), math.nan)
    rng = np.random.default_rng(1)
    values[:6, :2], values[6:, 2:] = rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    found = grouped(of(values))
    own = sorted(np.nanmean(values, axis=0).tolist(), reverse=True)
    assert [p.mean for p in found.places] == pytest.approx(own)
    assert not found.joined
    assert found.concluded()["not comparable"] == 4
    approved(words_of(found))


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("topics", [9, 25])
def test_hsu_names_the_planted_candidates(better: Better, topics: int) -> None:
    sign = -1 if better == "lower" else 1
    rng = np.random.default_rng(3)
    values = rng.normal(size=(topics, 1)) + rng.normal(
        [2.0, 1.95, 0, -1], [0.3, 0.2, 0.5, 1], size=(topics, 4)
    )
    found = grouped(of(sign * values, better), best=True)
    assert found.hsu is not None
    rows = {row["system"]: row for row in found.as_dict()["tables"]["groups"]}
    assert [rows[f"s{k}"]["candidate"] for k in range(4)] == [True, True, False, False]
    loses, wins = ("best_high", "best_low") if better == "higher" else ("best_low", "best_high")
    assert rows["s3"][loses] == 0
    assert sign * rows["s3"][wins] < -1
    assert sign * rows["s0"][loses] > 0
    assert "candidate" not in grouped(of(values)).to_frame()


SCORES = arrays(
    float,
    st.tuples(st.integers(2, 24), st.integers(2, 5)),
    elements=st.sampled_from([1.0, 2, 3, 4, 5, 5, math.nan]),
)


@settings(deadline=None)
@given(SCORES, st.sampled_from(["auto", "max-t", "t", "tukey"]), st.sampled_from(["higher", "lower", None]))
def test_nothing_on_the_page_contradicts_another_number(
    values: FloatArray, method: str, better: Better | None
) -> None:
    if np.isnan(values).all():
        return
    found = grouped(of(values, better), method=method, resamples=99, best=True)
    check_page(found)


def check_page(found: GroupsResult) -> None:
    names = [p.system for p in found.places]
    group = {p.system: set(p.group) for p in found.places}
    frame = found.to_frame("pairs")
    differ = {frozenset((row.a, row.b)): row.conclusion == "differ" for row in frame.itertuples()}
    for row in frame.itertuples():
        pair = frozenset((row.a, row.b))
        assert (row.conclusion == "differ") == (row.p < 0.05)
        if not math.isnan(row.low):
            assert row.low <= row.difference + 1e-9
            assert row.difference - 1e-9 <= row.high
            assert (row.low > 0 or row.high < 0) <= differ[pair]
            assert differ[pair] <= (row.low >= 0 or row.high <= 0)
        assert bool(group[row.a] & group[row.b]) != differ[pair]
    for i, place in enumerate(found.places):
        beaten, beats = int(found.better[:, i].sum()), int(found.better[i].sum())
        circle = bool(found.rankings.circle)
        assert circle or (place.best, place.worst) == (1 + beaten, len(names) - beats)
    for line in found.lines.lines:
        for a, b in combinations([found.matrix.systems[j] for j in line], 2):
            assert not differ[frozenset((a, b))]
    counted = found.as_dict()["conclusions"]
    assert sum(counted.values()) == len(frame)
    assert counted["differ"] == (frame["conclusion"] == "differ").sum()
    text = "\n".join([*found.sentences(), found.table("differences").to_text()])
    assert not re.search(r"\b(nan|inf)\b|-0\.0000", text), text
    json.dumps(found.as_dict(), allow_nan=False)


def test_500_systems_take_little_memory_and_time() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(20, 500)) + np.linspace(0, 4, 500)
    grouped(of(values[:, :5]))  # what is loaded once
    tracemalloc.start()
    with not_stuck("groups of 500 systems"):
        found = grouped(of(values), resamples=1000)
        found.table()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    assert len(found.to_frame("pairs")) == 124_750


def test_contrasts_by_kind_and_by_name(approved: Approved) -> None:
    m = matrix()
    weights = kind_contrast(m.systems, KINDS, "humans-machines")
    assert weights == {"humans - machines": [0.5, 0.5, -0.5, -0.5, 0.0]}
    found = grouped(m, contrast=["humans-machines", "x-y"])
    assert found.contrasts is not None
    assert found.contrasts.estimate[0] == pytest.approx(m.values[:, :2].mean() - m.values[:, 2:4].mean())
    each = m.values[:, :2].mean(axis=1) - m.values[:, 2:4].mean(axis=1)
    assert found.contrasts.se[0] == pytest.approx(each.std(ddof=1) / math.sqrt(20))  # its own variance
    assert found.contrasts.p[0] < 0.05 < found.contrasts.p[1]
    approved(list(found.sentences())[-2:])
    dunnett = grouped(m, against="lead")
    assert dunnett.contrast_names == ("ann - lead", "bob - lead", "x - lead", "y - lead")
    assert dunnett.contrasts is not None
    assert (dunnett.contrasts.p < 0.001).all()
    pooled = grouped(m, method="tukey", against="lead")
    assert pooled.contrasts is not None
    assert np.ptp(pooled.contrasts.se) < 1e-12 < np.ptp(dunnett.contrasts.se)


def test_a_contrast_counts_the_topics_that_have_all_its_systems(approved: Approved) -> None:
    m = matrix(missing=True)
    found = grouped(m, contrast="humans-machines")
    approved(list(found.sentences())[-1])
    rows = found.as_dict()["tables"]["contrasts"]
    assert rows[0]["n"] == 10


def test_forms() -> None:
    found = grouped(matrix(missing=True), against="lead")
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert {name: len(rows) for name, rows in data["tables"].items()} == {
        "groups": 5,
        "pairs": 10,
        "contrasts": 4,
    }
    assert data["critical_difference"]["cliques"]
    assert found.to_latex().count(r"\\") == 6
    assert list(found.to_frame()["system"]) == [p.system for p in found.places]
    assert "CD" in found.drawn()
    assert "|length:100|topics:20|t|two-sided|holm:0.05" in found.signature
    by_bootstrap = grouped(matrix(), method="max-t", seed=3).signature
    assert "|max-t|bootstrap|" in by_bootstrap
    assert by_bootstrap.endswith("|seed:3")
    assert "|length:100|topics:20|tukey|scale:values|" in grouped(matrix(), method="tukey").signature


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 1), (3, 2), (2, 40)])
def test_odd_matrices_give_a_result_or_a_reason(shape: tuple[int, int]) -> None:
    values = np.ones(shape)
    odd = ScoreMatrix(
        values,
        values.astype(int),
        tuple(f"t{k}" for k in range(shape[0])),
        tuple(f"s{k}" for k in range(shape[1])),
        MeasureInfo("m"),
    )
    found = grouped(odd)
    assert found.headline()
    json.dumps(found.as_dict(), allow_nan=False)


def test_mistakes_are_one_line() -> None:
    m = matrix()
    with pytest.raises(UsageError, match='tested is "rank" .nearest: "ranks"'):
        grouped(m, tested="rank")
    with pytest.raises(UsageError, match='method is "tuckey" .nearest: "tukey"'):
        grouped(m, method="tuckey")
    with pytest.raises(UsageError, match="adjust is for contrasts that share one variance: say method=tukey"):
        grouped(m, adjust="holm")
    with pytest.raises(UsageError, match='^against "leed": no such system'):
        grouped(m, against="leed")
    with pytest.raises(UsageError, match='^contrast has "people", which is no system'):
        kind_contrast(m.systems, KINDS, "people-machines")
    with pytest.raises(UsageError, match="on both sides"):
        kind_contrast(m.systems, KINDS, "humans-ann")
    with pytest.raises(UsageError, match="expected A-B"):
        kind_contrast(m.systems, KINDS, "humans")
    with pytest.raises(UsageError, match="has baselines, and there are none"):
        kind_contrast(m.systems, {}, "ann-baselines")
    empty = np.full((2, 2), math.nan)
    with pytest.raises(DataError, match="every score is missing"):
        grouped(ScoreMatrix(empty, empty, ("t1", "t2"), ("a", "b"), MeasureInfo("m")))


def test_constant_differences_are_sent_to_a_test_that_finds_them(approved: Approved) -> None:
    column = np.linspace(0.0, 1.0, 8)
    found = grouped(of(np.column_stack([column, column + 0.5, column])))
    approved(found.headline(), "constant")
    equal = grouped(of(np.column_stack([column, column])))
    approved(equal.headline(), "equal")  # no test finds a difference of 0


def test_the_diagram_says_where_its_test_finds_something_else(approved: Approved) -> None:
    column = np.linspace(0.0, 1.0, 8)
    found = grouped(of(np.column_stack([column, column + 0.5, column])))
    approved(about_diagram(found), "apart")
    noise = np.random.default_rng(1).normal(size=(8, 3))
    approved(about_diagram(grouped(of(noise))), "alike")


def test_a_score_that_occurs_once_is_no_ceiling() -> None:
    assert grouped(of(np.random.default_rng(1).normal(size=(2, 3)))).at_the_end() is None


def test_one_system_is_not_ranked(approved: Approved) -> None:
    approved(words_of(grouped(of(np.array([[1.0], [2.0]])))))


def test_differences_that_never_vary_have_no_spread_to_compare(approved: Approved) -> None:
    column = np.linspace(0.1, 0.97, 10)
    values = np.column_stack([column, column + 0.1, column + 0.2])
    approved(words_of(grouped(of(values), method="tukey")))


def test_what_is_said_of_pairs_contrasts_and_spreads(approved: Approved) -> None:
    """Of Tukey's test, and of tests with each pair's own variance."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 1)) + rng.normal(size=(30, 4)) * [0.2, 1, 1, 3] + [0, 0, 2, 0]
    holes = np.where(rng.random(values.shape) < 0.2, math.nan, values)
    empty = np.column_stack([values, np.full(30, math.nan)])
    weights = np.array([[0.5, 0.5, -1, 0, 0], [0, 1, -1, 0, 0], [1, 0, 0, -1, 0], [1, 0, 0, 0, -1]])
    levels = np.arange(9.0).reshape(3, 3)
    pooled = [tukey(values), tukey(holes), tukey(levels), tukey(values[:1]), tukey(values[:, :1])]
    few = np.column_stack([values[:4, :3], values[:4, 0] + 1])
    lines = [f"hsd: {about_hsd(test)}" for test in (*pooled, tukey(values, scale="topic-ranks"))]
    for method, scores in (("tukey", empty), ("auto", empty), ("t", few)):
        lines += grouped(of(scores), method=method, pairs=True).table("differences").lines()
    for tested in (contrasts(empty, weights, adjust="scheffe"), own_contrasts(empty, weights, rng=rng)):
        lines += [f"contrast: {contrast_sentence(tested, k, f'contrast {k}')}" for k in range(4)]
    looked_at = [values, values[:, :3] * [5, 1, 1], np.ones((1, 3)), np.ones((5, 3)), rng.normal(size=(9, 2))]
    checks = map(spread_check, looked_at)
    lines += [f"spread: {about_spread(check, 0.05)}" for check in checks]
    approved(lines)
