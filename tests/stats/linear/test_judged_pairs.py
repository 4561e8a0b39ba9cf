"""Differences for these assessors and for assessors like them: closed forms, REML, designs, what cannot be said."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student_t
from scipy.stats import ttest_rel

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.linear import judged_pairs as module
from adjudge.stats.linear.judged_pairs import JudgedPairs, judged_pairs, moderated, prior_df
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
    assert found.means == pytest.approx(rows.means, abs=1e-9)
    # Where a variance is 0 the mean squares of one pair may say otherwise, and rows cannot.
    near = (
        1e-3 if groups == 1 and min(found.components.values()) > 1e-9 else 0.15
    )  # what groups share is not used
    for sure, of_rows in ((found.these, rows.these), (found.similar, rows.similar)):
        assert sure.error == pytest.approx(of_rows.error, rel=near)
    assert (found.similar.p >= found.these.p).all()


def test_two_systems_have_the_textbook_errors() -> None:
    """With one pair nothing is lent: these assessors are the paired t of topics' means."""
    values, topic, system, judge = made(np.random.default_rng(5), systems=2, topics=15, judges=4)
    found = judged_pairs(values, topic, system, judge, size=2)
    cube = np.empty((2, 15, 4))
    cube[system, topic, judge] = values
    d = cube[0] - cube[1]
    paired = ttest_rel(cube[0].mean(axis=1), cube[1].mean(axis=1))
    assert (found.these.statistic[0], found.these.p[0], found.these.df[0]) == pytest.approx(
        (paired.statistic, paired.pvalue, 14)
    )
    left = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0, keepdims=True) + d.mean()
    t, a, e = 4 * d.mean(axis=1).var(ddof=1), 15 * d.mean(axis=0).var(ddof=1), np.sum(left**2) / 42
    variance = t + max(0.0, a - e)
    df = min(variance**2 / (t**2 / 14 + a**2 / 3 + e**2 / 42), 14)
    assert found.similar.error[0] == pytest.approx(np.sqrt(variance / 60))
    assert found.similar.df[0] == pytest.approx(df)
    assert found.similar.p[0] == pytest.approx(2 * student_t.sf(abs(found.similar.statistic[0]), df))


def test_one_estimate_and_a_wider_claim_that_is_never_below_the_narrower() -> None:
    """Whatever the design, the number of assessors, and how unequally systems divide them."""
    rng = np.random.default_rng(11)
    tried = 0
    for _ in range(40):
        systems, topics, judges = (int(rng.integers(*ends)) for ends in ((2, 8), (6, 16), (3, 7)))
        values, topic, system, judge = made(
            rng, systems=systems, topics=topics, judges=judges, disagree=float(rng.choice([0, 0.3, 1]))
        )
        values = values + (system == 0) * rng.normal(0, 2, judges)[judge] * (rng.random() < 0.5)
        kept = rng.random(values.size) < rng.choice([1.0, 0.7, 0.4])
        found = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=systems)
        both = ~np.isnan(found.similar.p)
        tried += int(both.sum())
        assert (found.similar.p[both] >= found.these.p[both]).all()
        assert (found.similar.df[both] <= found.these.df[both]).all()
        assert (found.similar.error[both] >= found.these.error[both] * (1 - 1e-12)).all()
    assert tried > 200


def test_variances_are_moderated_as_smyth_has_them() -> None:
    rng = np.random.default_rng(3)
    shares = rng.chisquare(4, 200) / 4 * (6 / rng.chisquare(6, 200))
    lent = prior_df(shares, np.full(200, 4.0))
    assert 3 < lent < 14  # 6 in truth
    equal = rng.chisquare(40, 200) / 40
    assert prior_df(equal, np.full(200, 40.0)) > 100
    variance, df = moderated(
        np.eye(2), np.array([4.0, 0.25, 0.0]), lambda c: np.ones(3) * c[0, 0], 4, 6.0, 10
    )
    assert variance == pytest.approx([(6 + 4 * 4) / 10, (6 + 4 * 0.25) / 10, 1.0])
    assert df == pytest.approx([10, 10, 4])  # without variance of its own it borrows, and no more is known


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
    # There assessors are random, here fixed: the same where all judged the same.
    exact = name == "crossed"
    assert found.difference == pytest.approx(
        rows.loc[pairs, "estimate"].to_numpy(), abs=1e-5 if exact else 0.06
    )
    means = rows.loc[[f"s{i}" for i in range(4)], "estimate"].to_numpy()
    assert found.means == pytest.approx(means, abs=1e-5 if exact else 0.15)
    assert found.difference == pytest.approx(_generalised(given, codes, expected), abs=1e-5)


def _generalised(given: pd.DataFrame, codes: list[Any], variances: dict[str, float]) -> Any:
    """Generalised least squares with dense matrices: systems and assessors fixed, the rest by these variances."""
    topic, system, judge = codes

    def cells(*factors: Any) -> Any:
        _, labels = np.unique(np.stack(factors), axis=1, return_inverse=True)
        return np.eye(labels.max() + 1)[labels.ravel()]

    covariance = variances["residual"] * np.eye(len(given))
    for name, factors in {
        "topic": (topic,), "topic:assessor": (topic, judge), "system:topic": (system, topic),
        "system:assessor": (system, judge),
    }.items():  # fmt: skip
        z = cells(*factors)
        covariance += variances.get(name, 0.0) * (z @ z.T)
    x = np.hstack([cells(system), cells(judge)[:, 1:]])
    weighted = np.linalg.solve(covariance, x)
    b = np.linalg.solve(x.T @ weighted, weighted.T @ given["value"].to_numpy())
    first, second = columns_of_pairs(4)
    return b[first] - b[second]


def test_one_assessor_a_topic_speaks_for_others_by_assessors_means() -> None:
    values, topic, system, judge = made(np.random.default_rng(2), systems=2, groups=14, topics=5, judges=1)
    found = judged_pairs(values, topic, system, judge, size=2)
    d = np.empty((14, 5))
    first = system == 0
    d[judge[first], topic[first] % 5] = values[first]
    d[judge[~first], topic[~first] % 5] -= values[~first]
    inside, between = float(d.var(axis=1, ddof=1).mean()), 5 * float(d.mean(axis=1).var(ddof=1))
    assert found.these.error[0] == pytest.approx(np.sqrt(inside / 70))
    assert found.these.df[0] == 56
    assert found.similar.error[0] == pytest.approx(np.sqrt((inside + max(0.0, between - inside)) / 70))


def test_a_system_that_divides_assessors_is_noticed_whatever_the_design() -> None:
    """Its pairs are less sure than others, also where cells are missing."""
    rng = np.random.default_rng(9)
    values, topic, system, judge = made(rng, systems=6, topics=40, judges=6, disagree=0.1)
    values = values + np.where(system == 2, rng.permutation([-1.5, -0.9, -0.3, 0.3, 0.9, 1.5])[judge], 0.0)
    for kept in (
        np.ones(values.size, dtype=np.bool_),
        rng.random(values.size) < 0.9,
        rng.random(values.size) < 0.4,
    ):
        found = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=6)
        with_it = (found.first == 2) | (found.second == 2)
        assert found.similar.error[with_it].min() > 1.2 * found.similar.error[~with_it].max()
        assert found.unequal is not None
        assert found.unequal[0] < 0.05
        assert found.unequal[1] == 2
    alike = judged_pairs(*made(rng, systems=6, topics=40, judges=6, disagree=0.5), size=6)
    assert alike.unequal is not None
    assert alike.unequal[0] > 0.05


def test_whole_sets_of_topics_are_the_sample_where_they_are_known() -> None:
    rng = np.random.default_rng(31)
    values, topic, system, judge = made(rng, systems=3, topics=24, judges=3)
    values = values + rng.normal(0, 2, (3, 6))[system, topic // 4]
    plain = judged_pairs(values, topic, system, judge, size=3)
    alone = judged_pairs(values, topic, system, judge, size=3, clusters=np.arange(24))
    assert alone.these.p.tolist() == plain.these.p.tolist()
    sets = judged_pairs(values, topic, system, judge, size=3, clusters=np.arange(24) // 4)
    assert sets.difference == pytest.approx(plain.difference)
    assert (sets.these.error > 1.5 * plain.these.error).all()
    assert (sets.these.df <= 10).all()
    # Of two systems it is Student's t of the sets' mean differences.
    two = system < 2
    found = judged_pairs(
        values[two], topic[two], system[two], judge[two], size=2, clusters=np.arange(24) // 4
    )
    means = [[values[(system == s) & (topic // 4 == k)].mean() for k in range(6)] for s in range(2)]
    assert found.these.p[0] == pytest.approx(ttest_rel(*means).pvalue)
    kept = rng.random(values.size) < 0.8
    less = judged_pairs(
        values[kept], topic[kept], system[kept], judge[kept], size=3, clusters=np.arange(24) // 4
    )
    assert less.these.error == pytest.approx(sets.these.error, rel=0.35)


# Designs


def test_one_assessor_speaks_for_nobody_else() -> None:
    found = judged_pairs(*made(np.random.default_rng(1), judges=1), size=4)
    assert (found.design, found.judges, found.judge_df) == ("one judge", 1, 0)
    assert found.unavailable == Note.of("one-judge")
    assert np.isnan(found.these.p).all()
    assert set(found.why.values()) == {found.unavailable}
    assert not np.isnan(found.difference).any()


def test_two_assessors_of_two_systems_are_too_few_for_others_and_of_three_systems_are_few() -> None:
    two = judged_pairs(*made(np.random.default_rng(1), systems=2, judges=2), size=2)
    assert two.judge_df == 1
    assert two.unavailable == Note.of("few-judges")
    assert np.isnan(two.similar.error).all()
    assert not np.isnan(two.these.p).any()
    three = judged_pairs(*made(np.random.default_rng(1), systems=3, judges=2), size=3)
    assert (three.judge_df, three.few, three.unavailable) == (1, True, None)
    assert not np.isnan(three.similar.p).any()


@pytest.mark.parametrize(
    ("systems", "groups", "judges", "design", "judge_df"),
    [
        (2, 1, 3, "crossed", 2),
        (12, 1, 3, "crossed", 2),
        (5, 2, 3, "blocks", 4),
        (5, 20, 3, "blocks", 40),
        (3, 7, 1, "one judge a row", 6),
    ],
)
def test_few_assessors_are_few_however_many_systems_there_are(
    systems: int, groups: int, judges: int, design: str, judge_df: int
) -> None:
    data = made(np.random.default_rng(1), systems=systems, groups=groups, judges=judges, topics=4)
    found = judged_pairs(*data, size=systems)
    assert (found.design, found.judge_df, found.few) == (design, judge_df, judge_df < 5)
    assert (found.groups, found.judges, found.complete) == (groups, groups * judges, True)


def test_missing_cells_change_little_and_are_known() -> None:
    rng = np.random.default_rng(12)
    data = made(rng, systems=5, topics=40, judges=4)
    whole = judged_pairs(*data, size=5)
    kept = rng.random(data[0].size) < 0.97
    less = judged_pairs(*(each[kept] for each in data), size=5)
    assert (less.design, less.complete, whole.complete) == ("crossed", False, True)
    assert less.difference == pytest.approx(whole.difference, abs=0.1)
    assert less.similar.error == pytest.approx(whole.similar.error, rel=0.15)


def test_two_of_eight_assessors_per_summary() -> None:
    rng = np.random.default_rng(13)
    data = made(rng, systems=5, topics=40, judges=8)
    order = rng.random((5, 40, 8)).argsort(axis=2).argsort(axis=2)
    kept = order[data[2], data[1], data[3]] < 2
    found = judged_pairs(*(each[kept] for each in data), size=5)
    assert (found.design, found.judge_df, found.unavailable) == ("assigned", 7, None)
    assert set(found.components) == {
        "topic", "assessor", "topic:assessor", "system:topic", "system:assessor", "residual",
    }  # fmt: skip
    assert not np.isnan(found.similar.p).any()


def test_one_of_many_assessors_per_summary() -> None:
    """Then system:topic is the noise."""
    rng = np.random.default_rng(14)
    data = made(rng, systems=4, topics=60, judges=5)
    kept = rng.integers(0, 5, (4, 60))[data[2], data[1]] == data[3]
    found = judged_pairs(*(each[kept] for each in data), size=4)
    assert found.design == "assigned"
    assert "system:topic" not in found.components
    assert "system:assessor" in found.components
    assert not np.isnan(found.similar.p).any()


def test_every_judgment_by_another_assessor() -> None:
    """Then assessors are the noise: what is left are topics and independent values."""
    rng = np.random.default_rng(15)
    values, topic, system, _ = made(rng, systems=3, topics=30, judges=2)
    found = judged_pairs(values, topic, system, np.arange(values.size), size=3)
    assert found.judges == values.size
    assert not np.isnan(found.similar.p).any()


@pytest.mark.parametrize("each", [1, 2])
def test_systems_with_assessors_of_their_own_cannot_be_told_from_them(each: int) -> None:
    """A strict one judged X and a lenient one Y: of these nothing can be said. Two of each show how far others are."""
    values, topic, system, judge = made(np.random.default_rng(25), systems=3, judges=6)
    alone = judge // each == system
    found = judged_pairs(values[alone], topic[alone], system[alone], judge[alone], size=3)
    assert set(found.why.values()) == {Note.of("judges-apart")}
    assert np.isnan(found.these.p).all()
    assert np.isnan(found.similar.p).all() == (each == 1)
    if each == 2:
        assert (found.similar.df == 3).all()
    else:
        assert found.unavailable is not None


def test_one_common_topic_says_nothing_of_assessors_whom_nobody_joins_either() -> None:
    values, topic, system, judge = made(np.random.default_rng(28), systems=3, topics=12, judges=6)
    kept = (judge // 2 == system) & ~((system == 0) & (topic > 5)) & ~((system == 1) & (topic < 5))
    found = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=3)
    assert found.n.tolist() == [1, 6, 7]
    assert found.why[0] == Note.of("few-in-common", n=1)
    assert np.isnan(found.similar.p).tolist() == [True, False, False]


def test_severity_is_taken_out_of_differences() -> None:
    """One rater a summary, the strict one mostly of one system: its mean falls, and not what is found."""
    rng = np.random.default_rng(33)
    topics = 60
    rater = np.stack([rng.random(topics) < share for share in (0.8, 0.5, 0.2)]).astype(np.int64)
    system, topic = np.indices((3, topics))
    values = rng.normal(0, 0.3, (3, topics)) + rng.normal(0, 1, topics) - 2.0 * rater
    found = judged_pairs(values.ravel(), topic.ravel(), system.ravel(), rater.ravel(), size=3)
    raw = values.mean(axis=1)
    assert raw[2] - raw[0] > 0.8
    assert found.difference == pytest.approx(np.zeros(3), abs=0.2)
    assert (found.these.p > 0.01).all()


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
    assert set(np.flatnonzero(np.isnan(found.these.p)).tolist()) == none
    assert np.isnan(found.means).tolist() == [False] * 4 + [True]


# What does not vary


@pytest.mark.parametrize("share", [1.0, 0.8])
def test_equal_scores_do_not_differ(share: float) -> None:
    rng = np.random.default_rng(17)
    values, topic, system, judge = made(rng)
    kept = rng.random(values.size) < share
    found = judged_pairs(np.full(kept.sum(), 4.0), topic[kept], system[kept], judge[kept], size=4)
    assert (found.similar.p == 1).all()
    assert (found.similar.statistic == 0).all()
    assert not found.why


def test_a_copy_of_a_system_does_not_differ_from_it_and_a_shifted_one_borrows_the_pooled_error() -> None:
    for judges in (3, 12):
        values, topic, system, judge = made(np.random.default_rng(18), systems=4, judges=judges)
        values[system == 1] = values[system == 0]
        values[system == 2] = values[system == 0] + 0.5
        found = judged_pairs(values, topic, system, judge, size=4)
        assert (found.difference[0], found.similar.statistic[0], found.similar.p[0]) == (0, 0, 1)
        assert found.these.df[1] == 11
        assert 0 < found.these.p[1] <= found.similar.p[1] < 1


def test_differences_without_any_spread_have_the_sign_test() -> None:
    rng = np.random.default_rng(1)
    _, topic, system, judge = made(rng, systems=3)
    for level in (np.zeros(12), rng.normal(size=12)):
        found = judged_pairs(system + level[topic], topic, system, judge, size=3)
        assert found.these.p == pytest.approx(np.full(3, 2.0**-11))
        assert found.similar.p == pytest.approx(np.full(3, 2.0**-2))
        assert found.difference == pytest.approx(np.array([-1, -2, -1]))


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
    assert found.these.error[0] == pytest.approx(d.mean(axis=1).std(ddof=1) / np.sqrt(30))
    assert found.similar.error[0] == pytest.approx(found.these.error[0])


def test_one_topic_says_nothing_of_others() -> None:
    found = judged_pairs(*made(np.random.default_rng(1), topics=1), size=4)
    assert set(found.why.values()) == {Note.of("few-in-common", n=1)}
    assert np.isnan(found.these.p).all()


def test_one_topic_for_each_group_of_assessors() -> None:
    data = made(np.random.default_rng(1), systems=2, groups=12, topics=1, judges=3)
    found = judged_pairs(*data, size=2)
    means = np.array([[data[0][(data[1] == t) & (data[2] == s)].mean() for s in range(2)] for t in range(12)])
    assert found.similar.p[0] == pytest.approx(ttest_rel(means[:, 0], means[:, 1]).pvalue)
    assert found.these.p[0] == found.similar.p[0]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_nothing_to_compare(size: int) -> None:
    none = judged_pairs([], [], [], [], size=size)
    assert len(none) == size * (size - 1) // 2
    assert np.isnan(none.these.p).all()
    one = judged_pairs([1.0, 2.0, 4.0], [0, 1, 1], [0, 0, 0], [0, 1, 0], size=1)
    assert (len(one), one.systems, one.judge_df) == (0, 1, 1)


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
    assert twice.similar.p == pytest.approx(plain.similar.p)
    assert twice.judges == plain.judges


@pytest.mark.parametrize("share", [1.0, 0.85])
def test_order_and_names_do_not_matter(share: float) -> None:
    rng = np.random.default_rng(22)
    data = made(rng, systems=5, topics=15)
    kept = np.flatnonzero(rng.random(data[0].size) < share)
    values, topic, system, judge = (each[kept] for each in data)
    found = judged_pairs(values, topic, system, judge, size=5)
    assert judged_pairs(values, topic, system, judge, size=5).similar.p.tolist() == found.similar.p.tolist()
    order = rng.permutation(values.size)
    other = judged_pairs(
        3 * values[order] + 100, 7 * topic[order] + 2, 4 - system[order], (2 - judge)[order] + 5, size=5
    )
    place = {(i, j): k for k, (i, j) in enumerate(zip(other.first, other.second, strict=True))}
    same = [place[4 - j, 4 - i] for i, j in zip(found.first, found.second, strict=True)]
    assert other.similar.p[same] == pytest.approx(found.similar.p, rel=1e-4)
    assert other.similar.error[same] == pytest.approx(3 * found.similar.error, rel=1e-4)
    assert other.difference[same] == pytest.approx(-3 * found.difference, rel=1e-5, abs=1e-8)


def test_deviations_from_the_average_system() -> None:
    found = judged_pairs(*made(np.random.default_rng(23), systems=6, judges=3), size=6)
    means = found.means
    assert found.deviations.estimate == pytest.approx(means - means.mean())
    # The pooled variance of a deviation is (1 - 1/S) of a system's, of a difference twice a system's.
    middle = np.median(found.these.error) * np.sqrt((1 - 1 / 6) / 2)
    assert found.deviations.these[0] == pytest.approx(np.full(6, middle), rel=0.2)
    assert (found.deviations.similar[0] >= found.deviations.these[0]).all()
    assert (found.deviations.similar[1] <= found.deviations.these[1]).all()


def test_huge_scores_are_as_good_as_small_ones() -> None:
    data = made(np.random.default_rng(23), systems=3)
    plain = judged_pairs(*data, size=3)
    for scale in (2.0**1000, 2.0**-1000):
        found = judged_pairs(data[0] * scale, *data[1:], size=3)
        assert found.similar.p.tolist() == plain.similar.p.tolist()
        assert found.these.error.tolist() == (plain.these.error * scale).tolist()


def test_five_hundred_systems_in_a_balanced_design_and_too_many_in_another() -> None:
    rng = np.random.default_rng(24)
    values, topic, system, judge = made(rng, systems=500, topics=20, judges=3)
    found = judged_pairs(values, topic, system, judge, size=500)
    assert len(found) == 124_750
    assert not np.isnan(found.similar.p).any()
    kept = rng.random(values.size) < 0.9
    large = judged_pairs(values[kept], topic[kept], system[kept], judge[kept], size=500)
    assert large.unavailable == Note.of("too-large", columns=500)
    assert np.isnan(large.these.p).all()


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
        assert counted.similar.p.tolist() == ranked.similar.p.tolist()


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
def test_summeval_coherence_for_its_experts_and_for_others_like_them(shared_data: Path) -> None:
    rows = []
    with (shared_data / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
        for record in map(json.loads, file):
            for expert, answer in enumerate(record["expert_annotations"]):
                rows.append((answer["coherence"], record["id"], record["model_id"], expert))
    frame = pd.DataFrame(rows, columns=["value", "topic", "system", "assessor"])
    codes = [pd.factorize(frame[factor], sort=True)[0] for factor in ("topic", "system", "assessor")]
    found = judged_pairs(frame["value"].to_numpy(dtype=float), *codes, size=12)
    assert (found.design, found.judge_df, found.few) == ("crossed", 2, True)
    assert (found.similar.p >= found.these.p).all()
    these, similar = (np.count_nonzero(holm(sure.p) <= 0.05) for sure in (found.these, found.similar))
    assert similar < these
