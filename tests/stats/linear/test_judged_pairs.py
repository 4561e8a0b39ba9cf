"""Comparisons of systems with assessors as a sample: closed forms, REML, designs, what cannot be said."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import studentized_range, ttest_rel
from scipy.stats import t as student_t

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.linear import judged_pairs as module
from adjudge.stats.linear.judged_pairs import JudgedPairs, judged_pairs
from adjudge.stats.multiple import holm
from adjudge.stats.pairs import columns_of_pairs

DATA = Path(__file__).parents[1] / "data"

Judged = tuple[Any, Any, Any, Any]


def made(
    rng: np.random.Generator,
    *,
    systems: int = 4,
    groups: int = 1,
    topics: int = 12,
    judges: int = 3,
    disagree: float = 0.4,
) -> Judged:
    """Values, topics, systems, assessors: groups of so many assessors who judge so many topics each."""
    shape = systems, groups, topics, judges
    system, group, topic, judge = (each.ravel() for each in np.indices(shape))
    values = (
        0.3 * system
        + rng.normal(0, 1.0, (groups, topics))[group, topic]
        + rng.normal(0, 0.8, (groups, judges))[group, judge]
        + rng.normal(0, 0.5, (groups, topics, judges))[group, topic, judge]
        + rng.normal(0, 0.6, (systems, groups, topics))[system, group, topic]
        + rng.normal(0, disagree, (systems, groups, judges))[system, group, judge]
        + rng.normal(0, 1.0, system.size)
    )
    return values, group * topics + topic, system, group * judges + judge


def by_rows(data: Judged, size: int, monkeypatch: pytest.MonkeyPatch) -> JudgedPairs:
    """The same by REML on the rows."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "_balanced", lambda _: None)
        return judged_pairs(*data, size=size)


@pytest.mark.parametrize(
    ("groups", "topics", "judges"), [(1, 20, 3), (1, 9, 6), (4, 5, 3), (12, 4, 1), (8, 1, 3), (5, 6, 2)]
)
def test_mean_squares_of_balanced_designs_give_what_reml_on_the_rows_gives(
    groups: int, topics: int, judges: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = made(np.random.default_rng(3), systems=5, groups=groups, topics=topics, judges=judges)
    found, rows = judged_pairs(*data, size=5), by_rows(data, 5, monkeypatch)
    assert found.components.keys() == rows.components.keys()
    for name, variance in found.components.items():
        assert variance == pytest.approx(rows.components[name], rel=1e-4, abs=1e-6), name
    assert found.difference == pytest.approx(rows.difference, abs=1e-9)
    assert found.means.estimate == pytest.approx(rows.means.estimate, abs=1e-9)
    assert found.means.error == pytest.approx(rows.means.error, rel=1e-5)
    assert found.means.df == pytest.approx(rows.means.df, rel=1e-4)


def test_a_plain_crossed_design_has_the_textbook_errors() -> None:
    values, topic, system, judge = made(np.random.default_rng(5), systems=3, topics=15, judges=4)
    found = judged_pairs(values, topic, system, judge, size=3)
    cube = np.empty((3, 15, 4))
    cube[system, topic, judge] = values
    centred = cube - cube.mean(axis=0)

    def squares(means: Any, times: int, df: int) -> float:
        return float(times * np.sum(means**2)) / df

    topics = centred.mean(axis=2) - centred.mean(axis=(1, 2))[:, None]
    judges = centred.mean(axis=1) - centred.mean(axis=(1, 2))[:, None]
    rest = centred - centred.mean(axis=2, keepdims=True) - centred.mean(axis=1, keepdims=True)
    rest = rest + centred.mean(axis=(1, 2), keepdims=True)
    t, a, e = squares(topics, 4, 2 * 14), squares(judges, 15, 2 * 3), squares(rest, 1, 2 * 14 * 3)
    pooled = 2 * (t + a - e) / 60
    df = (t + a - e) ** 2 / (t**2 / 28 + a**2 / 6 + e**2 / 84)
    for k, (i, j) in enumerate(zip(*columns_of_pairs(3), strict=True)):
        d = cube[i] - cube[j]
        own_t = 4 * d.mean(axis=1).var(ddof=1)
        own_a = 15 * d.mean(axis=0).var(ddof=1)
        left = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0, keepdims=True) + d.mean()
        own = max(own_t, own_t + own_a - float(np.sum(left**2)) / (14 * 3)) / 60
        assert found.difference[k] == pytest.approx(d.mean())
        assert found.error[k] == pytest.approx(np.sqrt(max(pooled, own)))
        assert found.df[k] == pytest.approx(df, rel=1e-6)


# R 4.2.2, lme4 1.1.31, lmerTest 3.1.3, emmeans 1.8.4.1: data/judged_pairs.R wrote what is expected.


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("crossed", "crossed"),
        ("missing", "crossed"),
        ("blocks", "blocks"),
        ("assigned", "assigned"),
        ("single", "one judge a row"),
    ],
)
def test_the_pooled_model_is_that_of_lme4_and_emmeans(name: str, design: str) -> None:
    given = pd.read_csv(DATA / f"judged_{name}.csv")
    codes = [pd.factorize(given[factor], sort=True)[0] for factor in ("topic", "system", "assessor")]
    found = judged_pairs(given["value"], *codes, size=4)
    assert found.design == design
    variances = pd.read_csv(DATA / "judged_components_expected.csv").query("data == @name")
    expected = dict(
        zip(variances["term"].replace("Residual", "residual"), variances["variance"], strict=True)
    )
    assert found.components == pytest.approx(expected, rel=2e-4)
    rows = pd.read_csv(DATA / "judged_pairs_expected.csv").query("data == @name").set_index("what")
    rows.index = rows.index.str.strip()
    pairs = [f"s{i} - s{j}" for i, j in zip(found.first, found.second, strict=True)]
    assert found.difference == pytest.approx(rows.loc[pairs, "estimate"].to_numpy(), abs=1e-5)
    assert found.pooled_error == pytest.approx(rows.loc[pairs, "error"].to_numpy(), rel=5e-5)
    assert found.pooled_df == pytest.approx(rows.loc[pairs, "df"].to_numpy(), rel=1e-3)
    systems = [f"s{i}" for i in range(4)]
    assert found.means.estimate == pytest.approx(rows.loc[systems, "estimate"].to_numpy(), abs=1e-5)
    assert found.means.error == pytest.approx(rows.loc[systems, "error"].to_numpy(), rel=5e-5)
    assert found.means.df == pytest.approx(rows.loc[systems, "df"].to_numpy(), rel=1e-3)


def test_the_larger_error_is_taken_with_the_pooled_degrees_of_freedom() -> None:
    found = judged_pairs(*made(np.random.default_rng(8), systems=6, judges=3), size=6)
    assert found.error == pytest.approx(np.maximum(found.pooled_error, found.own_error))
    assert (found.own_error > found.pooled_error).any()
    assert (found.own_error < found.pooled_error).any()
    assert found.df == pytest.approx(found.pooled_df)
    assert found.statistic == pytest.approx(found.difference / found.error)
    assert found.p == pytest.approx(2 * student_t.sf(np.abs(found.statistic), found.df))


def test_with_assessors_enough_every_pair_has_its_own_error() -> None:
    nearly = judged_pairs(*made(np.random.default_rng(8), judges=10), size=4)
    enough = judged_pairs(*made(np.random.default_rng(8), judges=11), size=4)
    assert (nearly.own_judge_df, enough.own_judge_df) == (9, 10)
    assert nearly.error == pytest.approx(np.maximum(nearly.pooled_error, nearly.own_error))
    assert enough.error == pytest.approx(enough.own_error)
    assert enough.df == pytest.approx(enough.own_df)


def test_one_assessor_per_topic_is_student_on_assessors_means() -> None:
    values, topic, system, judge = made(np.random.default_rng(2), systems=3, groups=14, topics=5, judges=1)
    found = judged_pairs(values, topic, system, judge, size=3)
    means = np.empty((14, 3))
    for a in range(14):
        for k in range(3):
            means[a, k] = values[(judge == a) & (system == k)].mean()
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        expected = ttest_rel(means[:, i], means[:, j])
        assert (found.statistic[k], found.df[k], found.p[k]) == pytest.approx(
            (expected.statistic, 13, expected.pvalue)
        )


def test_equal_groups_average_what_is_within_and_between_them() -> None:
    values, topic, system, judge = made(np.random.default_rng(4), systems=2, groups=6, topics=5, judges=3)
    found = judged_pairs(values, topic, system, judge, size=2)
    cube = np.empty((2, 6, 5, 3))
    cube[system, topic // 5, topic % 5, judge % 3] = values
    d = cube[0] - cube[1]
    between = 15 * d.mean(axis=(1, 2)).var(ddof=1)
    topics = 3 * np.mean(d.mean(axis=2).var(axis=1, ddof=1))
    judges = 5 * np.mean(d.mean(axis=1).var(axis=1, ddof=1))
    rest = (
        d - d.mean(axis=2, keepdims=True) - d.mean(axis=1, keepdims=True) + d.mean(axis=(1, 2), keepdims=True)
    )
    noise = np.sum(rest**2) / (6 * 4 * 2)
    inside = max(topics, topics + judges - noise)
    assert found.own_error[0] ** 2 == pytest.approx((12 * inside + 5 * between) / 17 / 90)
    assert found.error == pytest.approx(found.own_error)


def test_own_errors_from_rows_are_near_those_of_mean_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made(np.random.default_rng(6), systems=8, topics=40, judges=6, disagree=0.8)
    squares, rows = judged_pairs(*data, size=8), by_rows(data, 8, monkeypatch)
    assert np.log(rows.own_error / squares.own_error) == pytest.approx(np.zeros(28), abs=0.05)
    assert np.ptp(np.log(squares.own_error)) > 0.3


def test_a_system_that_divides_assessors_has_larger_errors_whatever_the_design() -> None:
    """An own error must see what the pooled one does not, also where cells are missing."""
    rng = np.random.default_rng(9)
    values, topic, system, judge = made(rng, systems=6, topics=40, judges=6, disagree=0.1)
    values = values + np.where(system == 0, rng.permutation([-1.5, -0.9, -0.3, 0.3, 0.9, 1.5])[judge], 0.0)
    for kept in (
        np.ones(values.size, dtype=np.bool_),
        rng.random(values.size) < 0.9,
        rng.random(values.size) < 0.4,
    ):
        found = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=6)
        with_it = found.first == 0
        assert found.own_error[with_it].min() > 1.5 * found.own_error[~with_it].max()
        assert (found.error[with_it] > found.pooled_error[with_it]).all()


# Designs


def test_one_assessor_speaks_for_nobody_else() -> None:
    found = judged_pairs(*made(np.random.default_rng(1), judges=1), size=4)
    assert (found.design, found.judges, found.judge_df) == ("one judge", 1, 0)
    assert found.unavailable == Note.of("one-judge")
    assert np.isnan(found.p).all()
    assert set(found.why.values()) == {found.unavailable}
    assert not np.isnan(found.difference).any()


def test_two_assessors_of_two_systems_are_too_few_and_of_three_systems_are_few() -> None:
    two = judged_pairs(*made(np.random.default_rng(1), systems=2, judges=2), size=2)
    assert two.judge_df == 1
    assert two.unavailable == Note.of("few-judges")
    assert np.isnan(two.error).all()
    three = judged_pairs(*made(np.random.default_rng(1), systems=3, judges=2), size=3)
    assert (three.judge_df, three.few, three.unavailable) == (2, True, None)
    assert not np.isnan(three.p).any()


@pytest.mark.parametrize(
    ("systems", "groups", "judges", "design", "judge_df"),
    [
        (2, 1, 3, "crossed", 2),
        (12, 1, 3, "crossed", 22),
        (5, 2, 3, "blocks", 16),
        (5, 20, 3, "blocks", 160),
        (3, 7, 1, "one judge a row", 12),
    ],
)
def test_degrees_of_freedom_for_assessors(
    systems: int, groups: int, judges: int, design: str, judge_df: int
) -> None:
    data = made(np.random.default_rng(1), systems=systems, groups=groups, judges=judges, topics=4)
    found = judged_pairs(*data, size=systems)
    assert (found.design, found.judge_df, found.few) == (design, judge_df, judge_df < 8)
    assert (found.groups, found.judges, found.complete) == (groups, groups * judges, True)


def test_missing_cells_change_little_and_are_known() -> None:
    rng = np.random.default_rng(12)
    data = made(rng, systems=5, topics=40, judges=4)
    whole = judged_pairs(*data, size=5)
    kept = rng.random(data[0].size) < 0.97
    less = judged_pairs(*(each[kept] for each in data), size=5)
    assert (less.design, less.complete, whole.complete) == ("crossed", False, True)
    assert less.difference == pytest.approx(whole.difference, abs=0.1)
    assert less.error == pytest.approx(whole.error, rel=0.15)


def test_two_of_eight_assessors_per_summary() -> None:
    rng = np.random.default_rng(13)
    data = made(rng, systems=5, topics=40, judges=8)
    order = rng.random((5, 40, 8)).argsort(axis=2).argsort(axis=2)
    kept = order[data[2], data[1], data[3]] < 2
    found = judged_pairs(*(each[kept] for each in data), size=5)
    assert (found.design, found.judge_df, found.unavailable) == ("assigned", 28, None)
    assert set(found.components) == {
        "topic", "assessor", "topic:assessor", "system:topic", "system:assessor", "residual",
    }  # fmt: skip
    assert not np.isnan(found.p).any()


def test_one_of_many_assessors_per_summary() -> None:
    """Then system:topic is the noise."""
    rng = np.random.default_rng(14)
    data = made(rng, systems=4, topics=60, judges=5)
    kept = rng.integers(0, 5, (4, 60))[data[2], data[1]] == data[3]
    found = judged_pairs(*(each[kept] for each in data), size=4)
    assert found.design == "assigned"
    assert "system:topic" not in found.components
    assert "system:assessor" in found.components
    assert not np.isnan(found.p).any()


def test_every_judgment_by_another_assessor() -> None:
    """Then assessors are the noise: what is left are topics and independent values."""
    rng = np.random.default_rng(15)
    values, topic, system, _ = made(rng, systems=3, topics=30, judges=2)
    found = judged_pairs(values, topic, system, np.arange(values.size), size=3)
    assert found.judges == values.size
    assert not np.isnan(found.p).any()


def test_systems_with_assessors_of_their_own_cannot_be_told_from_them() -> None:
    values, topic, system, judge = made(np.random.default_rng(25), systems=3, judges=6)
    alone = judge == system
    found = judged_pairs(values[alone], topic[alone], system[alone], judge[alone], size=3)
    assert found.unavailable == Note.of("judges-confounded")
    assert np.isnan(found.p).all()
    # With two assessors for each system there is: the differences between the two.
    two = judge // 2 == system
    found = judged_pairs(values[two], topic[two], system[two], judge[two], size=3)
    assert found.unavailable is None
    assert "assessor" in found.components
    assert found.df.max() < 4


def test_a_pair_that_few_judged_keeps_the_larger_error_though_others_had_many() -> None:
    values, topic, system, judge = made(np.random.default_rng(26), systems=5, topics=20, judges=12)
    kept = (system > 1) | (judge < 3)
    found = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=5)
    few, many = found.second == 1, found.first > 1
    assert found.error[few] == pytest.approx(np.maximum(found.pooled_error, found.own_error)[few])
    assert found.df[few] == pytest.approx(found.pooled_df[few])
    assert found.error[many] == pytest.approx(found.own_error[many])


def test_systems_without_common_topics_are_not_compared() -> None:
    values, topic, system, judge = made(np.random.default_rng(16), systems=4, topics=20)
    kept = (
        ~((system == 0) & (topic >= 10)) & ~((system == 1) & (topic < 10)) & ~((system == 2) & (topic > 10))
    )
    found = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=5)
    assert found.n.tolist() == [0, 10, 10, 0, 1, 10, 0, 11, 0, 0]
    none = {k for k, n in enumerate(found.n) if n < 2}
    assert set(found.why) == none
    assert found.why[0] == Note.of("few-in-common", n=0)
    assert found.why[4] == Note.of("few-in-common", n=1)
    assert set(np.flatnonzero(np.isnan(found.p)).tolist()) == none
    assert np.isnan(found.means.estimate).tolist() == [False] * 4 + [True]


# What does not vary


@pytest.mark.parametrize("share", [1.0, 0.8])
def test_equal_scores_do_not_differ(share: float) -> None:
    rng = np.random.default_rng(17)
    values, topic, system, judge = made(rng)
    kept = rng.random(values.size) < share
    found = judged_pairs(np.full(kept.sum(), 4.0), topic[kept], system[kept], judge[kept], size=4)
    assert (found.p == 1).all()
    assert (found.statistic == 0).all()
    assert not found.why


def test_a_copy_of_a_system_does_not_differ_from_it_and_a_shifted_one_has_the_pooled_error() -> None:
    for judges in (3, 12):
        values, topic, system, judge = made(np.random.default_rng(18), systems=4, judges=judges)
        values[system == 1] = values[system == 0]
        values[system == 2] = values[system == 0] + 0.5
        found = judged_pairs(values, topic, system, judge, size=4)
        assert (found.difference[0], found.statistic[0], found.p[0]) == (0, 0, 1)
        assert found.own_error[1] == pytest.approx(0, abs=1e-9)
        assert found.error[1] == pytest.approx(found.pooled_error[1])
        assert 0 < found.p[1] < 1


def test_differences_without_any_spread_have_no_test() -> None:
    rng = np.random.default_rng(1)
    _, topic, system, judge = made(rng, systems=3)
    for level in (np.zeros(12), rng.normal(size=12)):
        found = judged_pairs(system + level[topic], topic, system, judge, size=3)
        assert np.isnan(found.p).all()
        assert set(found.why.values()) == {Note.of("all-alike")}
        assert found.difference == pytest.approx(np.array([-1, -2, -1]))
    kept = rng.random(topic.size) < 0.9
    found = judged_pairs((system + level[topic])[kept], topic[kept], system[kept], judge[kept], size=3)
    assert np.isnan(found.p).all()
    assert {why.code for why in found.why.values()} <= {"almost-no-noise", "exact-fit"}


def test_assessors_who_agree_about_systems_leave_topics_alone() -> None:
    """A variance at 0: the error is then that of the topics' means."""
    values, topic, system, judge = made(np.random.default_rng(19), systems=2, topics=30, disagree=0.0)
    cube = np.empty((2, 30, 3))
    cube[system, topic, judge] = values
    d = cube[0] - cube[1]
    d = d - d.mean(axis=0) + d.mean()
    values = np.stack([d, np.zeros_like(d)])[system, topic, judge]
    found = judged_pairs(values, topic, system, judge, size=2)
    assert found.components["system:assessor"] == 0
    assert found.own_error[0] == pytest.approx(d.mean(axis=1).std(ddof=1) / np.sqrt(30))


def test_one_topic_says_nothing_of_others() -> None:
    found = judged_pairs(*made(np.random.default_rng(1), topics=1), size=4)
    assert set(found.why.values()) == {Note.of("few-in-common", n=1)}
    assert np.isnan(found.p).all()


def test_one_topic_for_each_group_of_assessors() -> None:
    data = made(np.random.default_rng(1), systems=3, groups=12, topics=1, judges=3)
    found = judged_pairs(*data, size=3)
    means = np.array([[data[0][(data[1] == t) & (data[2] == s)].mean() for s in range(3)] for t in range(12)])
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        assert found.p[k] == pytest.approx(ttest_rel(means[:, i], means[:, j]).pvalue)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_nothing_to_compare(size: int) -> None:
    none = judged_pairs([], [], [], [], size=size)
    assert len(none) == size * (size - 1) // 2
    assert np.isnan(none.p).all()
    one = judged_pairs([1.0, 2.0, 4.0], [0, 1, 1], [0, 0, 0], [0, 1, 0], size=1)
    assert (len(one), one.systems, one.judge_df) == (0, 1, 0)


# What is given


def test_repeats_are_averaged_and_missing_values_are_left_out() -> None:
    values, topic, system, judge = made(np.random.default_rng(21))
    plain = judged_pairs(values, topic, system, judge, size=4)
    twice = judged_pairs(
        [*(values - 0.3), *(values + 0.3), math.nan],
        [*topic, *topic, 0],
        [*system, *system, 1],
        [*judge, *judge, 99],
        size=4,
    )
    assert twice.p == pytest.approx(plain.p)
    assert twice.judges == plain.judges


@pytest.mark.parametrize("share", [1.0, 0.85])
def test_order_and_names_do_not_matter(share: float) -> None:
    rng = np.random.default_rng(22)
    data = made(rng, systems=5, topics=15)
    kept = np.flatnonzero(rng.random(data[0].size) < share)
    values, topic, system, judge = (each[kept] for each in data)
    found = judged_pairs(values, topic, system, judge, size=5)
    assert judged_pairs(values, topic, system, judge, size=5).p.tolist() == found.p.tolist()
    order = rng.permutation(values.size)
    other = judged_pairs(
        3 * values[order] + 100, 7 * topic[order] + 2, 4 - system[order], (2 - judge)[order] + 5, size=5
    )
    place = {(i, j): k for k, (i, j) in enumerate(zip(other.first, other.second, strict=True))}
    same = [place[4 - j, 4 - i] for i, j in zip(found.first, found.second, strict=True)]
    assert other.p[same] == pytest.approx(found.p, rel=1e-4)
    assert other.error[same] == pytest.approx(3 * found.error, rel=1e-4)
    assert other.difference[same] == pytest.approx(-3 * found.difference, rel=1e-5, abs=1e-8)


def test_deviations_from_the_average_system() -> None:
    found = judged_pairs(*made(np.random.default_rng(23), systems=6, judges=3), size=6)
    means = found.means.estimate
    assert found.deviations.estimate == pytest.approx(means - means.mean())
    # The pooled variance of a deviation is (1 - 1/S) of a system's, of a difference twice a system's.
    pooled = found.pooled_error[0] * np.sqrt((1 - 1 / 6) / 2)
    assert (found.deviations.error >= pooled * (1 - 1e-9)).all()
    assert found.deviations.error.min() == pytest.approx(pooled)
    assert found.deviations.df == pytest.approx(np.full(6, found.pooled_df[0]))


def test_five_hundred_systems_in_a_balanced_design_and_too_many_in_another() -> None:
    rng = np.random.default_rng(24)
    values, topic, system, judge = made(rng, systems=500, topics=20, judges=3)
    found = judged_pairs(values, topic, system, judge, size=500)
    assert len(found) == 124_750
    assert not np.isnan(found.p).any()
    kept = rng.random(values.size) < 0.9
    large = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=500)
    assert large.unavailable == Note.of("too-large", columns=500)
    assert np.isnan(large.p).all()


def test_terms_of_large_designs_are_counted_as_they_would_be_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(27)
    data = made(rng, systems=4, topics=30, judges=3)
    for share in (0.9, 0.5):
        kept = rng.random(data[0].size) < share
        rows = [each[kept] for each in data]
        ranked = judged_pairs(*rows, size=4)
        with monkeypatch.context() as patch:
            patch.setattr(module, "MOST_RANKED", 0)
            counted = judged_pairs(*rows, size=4)
        assert counted.components == pytest.approx(ranked.components)
        assert counted.p.tolist() == ranked.p.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [0], [0, 1], [0, 0]), "rows: expected 2 whole numbers from 0, one for each value"),
        (([1.0, 2.0], [0, 0], [0, 2], [0, 0]), "columns: expected numbers below 2, got 2"),
        (([1.0, 2.0], [0, 0], [0, 1], [0, -1]), "judges: expected 2 whole numbers from 0"),
        (([1.0, 2.0], [0, 0], [0, 1], [0, 0.5]), "judges: expected 2 whole numbers from 0"),
    ],
)
def test_mistakes(arguments: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        judged_pairs(*arguments, size=2)


@pytest.mark.shared_data
def test_summeval_coherence_has_three_pairs_for_assessors_like_its_experts(shared_data: Path) -> None:
    """16 of 66 pairs by the pooled model with Tukey's test (R 4.2.2, lme4 and emmeans say so too), 3 by the rule."""
    rows = []
    with (shared_data / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
        for record in map(json.loads, file):
            for expert, answer in enumerate(record["expert_annotations"]):
                rows.append((answer["coherence"], record["id"], record["model_id"], expert))
    frame = pd.DataFrame(rows, columns=["value", "topic", "system", "assessor"])
    codes = [pd.factorize(frame[factor], sort=True)[0] for factor in ("topic", "system", "assessor")]
    found = judged_pairs(frame["value"].to_numpy(dtype=float), *codes, size=12)
    assert (found.design, found.judge_df, found.few) == ("crossed", 22, False)
    q = np.sqrt(2) * np.abs(found.difference) / found.pooled_error
    assert np.count_nonzero(studentized_range.sf(q, 12, found.pooled_df) <= 0.05) == 16
    assert np.count_nonzero(holm(found.p) <= 0.05) == 3
