"""A plan: its numbers against closed forms, its words, and what cannot be planned."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer
from tests.approving import Approved, words_of

from adjudge.analyses.plan import Plan, plan
from adjudge.analyses.plan.result import BESIDE, FEW, PowerPlan, _sd_interval, nice_sizes, plan_of_matrix
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.data.scores import CellJudgments, MeasureInfo, Score, ScoreMatrix, ScoreTable
from adjudge.stats.checks import FloatArray
from adjudge.stats.judging import judge_freedom
from adjudge.stats.linear.judged_pairs import JudgedPairs, judged_pairs
from adjudge.stats.power.generate import NOISES, ScoreModel, draw
from adjudge.stats.power.rates import Rate, t_difference, t_errors, t_power, t_topics
from adjudge.stats.power.search import (
    FEWEST_SIMULATIONS,
    MOST_SIMULATED,
    SLOW_MOST_SIMULATED,
    SLOW_SIMULATIONS,
)

PAGE = (Path(__file__).parents[2] / "docs" / "planning.md").read_text(encoding="utf-8")
ELSEWHERE = {
    *(
        "--measure",
        "--length",
        "--form",
        "--human",
        "--baseline",
        "--lower-is-better",
        "--seed",
        "--resamples",
    ),
    *(
        "--map",
        "--delimiter",
        "--encoding",
        "--decimal",
        "--transpose",
        "--leave-out",
        "--lower",
        "--assessors",
    ),
    *(
        "--json",
        "--csv",
        "--latex",
        "--markdown",
        "--help",
        "--signature",
        "--show-signature",
        "--table",
        "--topics",
        "--without",
    ),
}
"""Options that many commands share."""
NAN = float("nan")


def matrix(values: FloatArray | list[list[float]], **other: Any) -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    topics, systems = (
        [f"{letter}{k}" for k in range(size)] for letter, size in zip("ts", array.shape, strict=True)
    )
    missing = tuple((topics[i], systems[j], "no score") for i, j in np.argwhere(np.isnan(array)))
    return ScoreMatrix(
        array,
        np.ones(array.shape),
        tuple(topics),
        tuple(systems),
        MeasureInfo("rouge-2"),
        missing=missing,
        **other,
    )


def plan_of(
    m: ScoreMatrix,
    difference: float | str | None = None,
    *,
    tests: Sequence[str] | None = None,
    family: Any = None,
    judgments: Any = None,
    **options: Any,
) -> PowerPlan:
    asked = Plan(difference=difference, **options)
    return plan_of_matrix(m, asked, tests=tests, family=family, judgments=judgments)


def normal(
    topics: int = 12, systems: int = 6, noise: float = 0.02, topic: float = 0.05, seed: int = 0
) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    return matrix(0.2 + topic * rng.normal(size=(topics, 1)) + noise * rng.normal(size=(topics, systems)))


def spaced() -> ScoreMatrix:
    """Systems that lie apart; the spread of their differences is that of `normal`."""
    return matrix(normal().values + np.linspace(0, 0.15, 6))


@pytest.fixture(scope="module")
def usual() -> PowerPlan:
    """All pairs of six systems, and one pair beside them."""
    return plan_of(spaced(), 0.02, simulations=1000)


@pytest.fixture(scope="module")
def single() -> PowerPlan:
    """One pair alone."""
    return plan_of(normal(), 0.02, simulations=1000, pairs=1)


def test_the_spread_is_the_median_over_pairs() -> None:
    m = normal()
    found = plan_of(m, test="t", tests=(), normal=True)
    sds = [(m.values[:, i] - m.values[:, j]).std(ddof=1) for i in range(6) for j in range(i + 1, 6)]
    assert found.typical == pytest.approx(np.median(sds))
    assert found.wide == pytest.approx(np.quantile(sds, 0.9))
    assert (found.have, found.used_pairs) == (12, 15)


def test_paired_t_on_normal_noise_is_the_closed_form() -> None:
    found = plan_of(normal(), 0.02, test="t", tests=(), normal=True, power=0.9, alpha=0.01, pairs=1)
    (need,) = found.needs
    assert need.topics is not None
    assert need.topics_wide is not None
    assert need.topics.value == t_topics(0.02, found.typical, power=0.9, alpha=0.01)
    assert need.topics_wide.value == t_topics(0.02, found.wide, power=0.9, alpha=0.01)
    assert need.difference.value == t_difference(12, found.typical, power=0.9, alpha=0.01)
    assert need.difference.method == "noncentral t"
    for k, n in enumerate(found.sizes):
        assert need.powers[k].rate == t_power(n, 0.02, found.typical, alpha=0.01)
        errors = t_errors(n, 0.02, found.typical, alpha=0.01)
        assert (need.powers[k].wrong_sign, need.powers[k].exaggeration) == errors


def test_resampled_topics_say_about_what_normal_noise_says(single: PowerPlan, usual: PowerPlan) -> None:
    t = single.need("t", "one")
    assert t is not None
    assert t.topics is not None
    assert t.topics.value == pytest.approx(t_topics(0.02, single.typical), rel=0.15)
    assert t.difference.value == pytest.approx(t_difference(12, single.typical), rel=0.08)
    assert single.source == "resampled"
    every = usual.need("t", "all")
    assert every is not None
    assert every.topics is not None
    assert every.topics.value == pytest.approx(t_topics(0.02, usual.typical, alpha=0.05 / 15), rel=0.15)
    beside = usual.need("t", "one")
    assert beside is not None
    assert beside.topics == t.topics
    assert beside.difference.value == pytest.approx(t.difference.value, rel=0.01)  # searched from another end


def test_a_plan_comes_true() -> None:
    """With as many topics as planned, new scores of the same kind show the difference as often as planned."""
    from adjudge.stats import pairs

    needed = plan_of(normal(100, 8), 0.02, simulations=4000, tests=(), pairs=1).needs[0].topics
    assert needed is not None
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(1000):
        scores = 0.05 * rng.normal(size=(int(needed.value), 1)) + 0.02 * rng.normal(
            size=(int(needed.value), 2)
        )
        found += pairs.wilcoxon_pairs(scores + np.array([0.02, 0])).p[0] < 0.05
    assert Rate(found, 1000).low < 0.8 < Rate(found, 1000).high


def test_the_unpaired_test_pays_for_topics(single: PowerPlan) -> None:
    needs = {need.test: need.topics.value for need in single.needs if need.topics is not None}
    assert list(needs) == sorted(BESIDE, key=lambda test: test != "t")
    assert needs["t-unpaired"] > 2 * needs["t"]
    assert needs["sign"] > needs["wilcoxon"] >= needs["t"] - 1


def test_the_first_sentence_answers_for_the_comparison_that_will_be_made(
    usual: PowerPlan, approved: Approved
) -> None:
    every, typical, one = usual.needs[:3]
    assert [need.compared for need in usual.needs[:3]] == ["all", "typical", "one"]
    assert every.topics is not None
    assert typical.topics is not None
    assert one.topics is not None
    assert one.topics.value < typical.topics.value < every.topics.value
    approved(words_of(usual))
    assert usual.now(every).findings is not None
    assert usual.now(every).wrong_sign == 0


def test_one_pair_alone_is_said_alone(single: PowerPlan, approved: Approved) -> None:
    (need, *_) = single.needs
    assert {need.compared for need in single.needs} == {"one"}
    assert need.topics is not None
    approved(single.headline())
    two = plan_of(matrix(normal().values[:, :2]), 0.02, simulations=100, tests=())
    assert (two.pairs, [need.compared for need in two.needs]) == (1, ["one"])


def test_how_many_will_be_compared_can_be_said(approved: Approved) -> None:
    def found(**how: Any) -> PowerPlan:
        return plan_of(normal(), 0.02, simulations=50, tests=(), **how)

    assert [found(**how).pairs for how in ({}, {"pairs": 7}, {"n_systems": 4}, {"correct": "none"})] == [
        15,
        7,
        6,
        1,
    ]
    bonferroni = found(correct="bonferroni")
    approved(bonferroni.headline())
    assert [need.compared for need in bonferroni.needs] == ["all", "one"]
    assert (
        bonferroni.needs[0] == found().needs[0]
    )  # what Bonferroni finds, Holm finds whatever the others are
    with pytest.raises(UsageError, match="pairs and n_systems exclude each other"):
        found(pairs=3, n_systems=4)
    with pytest.raises(UsageError, match='correct is "bh"; expected one of: holm, bonferroni, none'):
        found(correct="bh")


def test_enough_topics_are_said_to_be_enough(approved: Approved) -> None:
    found = plan_of(normal(), 0.2, test="t", tests=(), normal=True)
    approved(found.headline())
    assert found.now(found.needs[0]).rate >= 0.8


def test_without_a_difference_the_smallest_one_is_said(approved: Approved) -> None:
    found = plan_of(normal(), test="t", tests=("sign",), normal=True, simulations=200, pairs=1)
    difference = t_difference(12, found.typical)
    approved(words_of(found))
    assert found.looked_for == difference
    assert found.needs[0].powers[found.sizes.index(12)].rate == pytest.approx(0.8)
    assert found.difference is None
    every = plan_of(normal(), test="t", tests=(), normal=True, simulations=200)
    assert every.looked_for == t_difference(12, every.typical, alpha=0.05 / 15)


@pytest.mark.parametrize(("topics", "systems"), [(5, 2), (8, 10), (9, 16), (3, 3)])
@pytest.mark.parametrize("difference", [None, 0.02, 5.0])
def test_where_nothing_can_be_found_nothing_is_promised(
    topics: int, systems: int, difference: float | None
) -> None:
    """The smallest p of so few topics, 2 / 2^n, times the number of pairs is above alpha."""
    found = plan_of(
        normal(topics, systems), difference, simulations=200, test="wilcoxon", tests=("sign", "t")
    )
    pairs = systems * (systems - 1) // 2
    assert 2 / 2**topics > 0.05 / pairs
    first = found.needs[0]
    assert first.fewest == math.ceil(math.log2(2 * pairs / 0.05))
    assert first.difference.why is not None
    assert math.isnan(first.difference.value)
    if difference is None:
        return
    assert first.topics is not None
    assert first.topics.value >= first.fewest
    assert found.now(first).rate == 0
    assert found.table().row(test="wilcoxon", compared=first.compared)["power_now"] == 0
    assert math.isnan(found.now(first).wrong_sign)


@pytest.mark.parametrize("difference", [0.005, 0.02, 0.05, 3.0])
@pytest.mark.parametrize(
    ("topics", "systems", "seed"), [(6, 2, 1), (7, 4, 2), (11, 3, 3), (12, 6, 4), (30, 5, 5)]
)
def test_sentences_and_tables_never_contradict_each_other(
    difference: float, topics: int, systems: int, seed: int
) -> None:
    found = plan_of(normal(topics, systems, seed=seed), difference, simulations=200, tests=("t", "sign"))
    curve = found.to_frame("powers").set_index(["test", "compared", "topics"])["power"]
    shown = {row[0]: row for row in found.table("curve").printed()[1]}
    for need in found.needs:
        assert need.topics is not None
        now = curve[need.test, need.compared, topics]
        # What is enough by one number is enough by all of them.
        assert (now >= 0.8) == (need.topics.value <= topics)
        assert (need.difference.value <= difference) == (now >= 0.8)
        if topics < need.fewest:
            assert now == 0
        if need.test == found.needs[0].test and math.isfinite(need.topics.value):
            assert curve[need.test, need.compared, int(need.topics.value)] >= 0.8
            assert need.topics.value >= need.fewest
    first = found.needs[0]
    assert first.topics is not None
    # Rounding puts no number on the other side of the power asked for, in the sentence or in the table.
    for row in shown.values():
        for cell, rate in zip(
            row[1:], found.table("curve").rows[list(shown).index(row[0])][len(row) : -1], strict=True
        ):
            assert isinstance(rate, float)
            assert (float(cell) >= 0.8) == (rate >= 0.8)
            assert (float(cell) == 0) == (rate == 0)
    # Harder comparisons need more topics and find larger differences.
    order = [need for need in found.needs if need.test == first.test]
    topics_needed = [need.topics.value for need in order if need.topics is not None]
    assert topics_needed == sorted(topics_needed, reverse=True)
    json_tests = found.as_dict()["tables"]["plan"]
    assert [each["needed"] for each in json_tests] == [
        need.topics.value if need.topics is not None and math.isfinite(need.topics.value) else None
        for need in found.needs
    ]


def rating_scores(up: float = 0.0, topics: int = 40) -> ScoreMatrix:
    means = (up, up + 0.3, up + 0.5, up + 0.1)
    model = ScoreModel(topics=topics, means=means, step=1.0, bounds=(1.0, 5.0))
    return matrix(draw(model, 1, np.random.default_rng(4))[0])


@pytest.mark.parametrize("up", [0.0, 1.5], ids=["middle", "ceiling"])
def test_ratings_are_simulated_with_their_ties(up: float) -> None:
    m = rating_scores(up)
    found = plan_of(m, 0.4, simulations=100, tests=("sign",))
    i, j = np.triu_indices(4, 1)
    ties = float(np.mean(m.values[:, i] == m.values[:, j]))
    assert found.source == "rated"
    assert found.ties == pytest.approx(ties)
    assert found.simulated_ties == pytest.approx(ties, abs=0.06)
    (note,) = [note for note in found.notes() if note.code == "ties"]
    assert note.data == {"share": found.ties, "simulated": found.simulated_ties, "source": "rated"}
    assert found.as_dict()["simulated_ties"] == found.simulated_ties
    without = plan_of(m, 0.4, simulations=100, tests=(), normal=True)
    assert without.simulated_ties == 0
    assert [note.data["source"] for note in without.notes() if note.code == "ties"] == ["normal"]


def test_ties_cost_power() -> None:
    """The sign test sees only topics that differ: with ties it needs more of them."""
    m = rating_scores(1.5, topics=200)
    tied, untied = (
        plan_of(m, 0.4, simulations=1000, test="sign", tests=(), pairs=1, normal=normal).needs[0]
        for normal in (False, True)
    )
    assert tied.powers != untied.powers
    assert tied.difference.value != untied.difference.value


def test_a_difference_beyond_the_scale_is_refused_in_words(approved: Approved) -> None:
    found = plan_of(rating_scores(), 4.5, simulations=50, tests=())
    approved(found.headline())
    json.dumps(found.as_dict(), allow_nan=False)


def test_wrong_signs_and_exaggeration_on_few_topics(approved: Approved) -> None:
    """Types S and M in table, JSON and a sentence: the closed form, where the test has one."""
    found = plan_of(normal(), 0.004, test="t", tests=(), normal=True, pairs=1)
    (need,) = found.needs
    wrong, times = t_errors(12, 0.004, found.typical)
    assert wrong > 0.05
    assert times > 3
    approved(words_of(found))
    row = found.table().row(test="t")
    assert (row["wrong_sign"], row["exaggeration"]) == (wrong, times)
    (test,) = found.as_dict()["tables"]["plan"]
    assert (test["wrong_sign"], test["exaggeration"]) == (wrong, times)
    frame = found.to_frame("powers").set_index("topics")
    assert (frame.loc[12, "wrong_sign"], frame.loc[12, "exaggeration"]) == (wrong, times)
    assert f"{100 * wrong:.0f} %" in found.table().to_text()
    simulated = plan_of(normal(), 0.004, test="wilcoxon", tests=(), simulations=4000, pairs=1)
    now = simulated.now(simulated.needs[0])
    assert now.wrong_sign == pytest.approx(wrong, abs=0.04)
    assert now.exaggeration == pytest.approx(times, rel=0.15)
    assert need.powers[-1].exaggeration < times


def test_a_share_is_one_of_the_mean() -> None:
    m = normal()
    found = plan_of(m, "5%", test="t", tests=(), normal=True)
    assert found.difference == pytest.approx(0.05 * m.values.mean())
    with pytest.raises(UsageError, match="the mean of rouge-2 is 0"):
        plan_of(matrix([[1, -1], [-2, 2]]), "5%")


@pytest.mark.parametrize("wrong", ["much", "0", "-1", "nan", "%", "inf", ""])
def test_a_difference_is_a_number_above_0(wrong: str) -> None:
    with pytest.raises(UsageError, match=f'difference is "?{wrong}"?, expected a number'):
        plan_of(normal(), wrong)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("wrong", ["1e300", "1e300%", "1e-300", "1e-300%", "1e308", "3e4"])
def test_a_difference_far_from_the_scores_is_refused_in_one_line(wrong: str) -> None:
    shown = wrong if wrong.endswith("%") else f"{float(wrong):g}"
    with pytest.raises(UsageError) as refused:
        plan_of(normal(), wrong)
    assert re.fullmatch(
        rf'the difference is "{re.escape(shown)}", (more than 1,000,000|less than 1e-12) times the standard deviation'
        r" of the differences between two systems \(0\.026\): nothing to plan",
        str(refused.value),
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e300, 1e160, 1e-160, 1e-300])
def test_scores_whose_squares_overflow_or_vanish_are_refused_in_one_line(unit: float) -> None:
    with pytest.raises(
        DataError, match="rouge-2: scores beyond 1e.150 or within 1e-150 of 0 cannot be squared"
    ):
        plan_of(matrix(unit * normal().values), simulations=20)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [2.0**400, 2.0**-400])
def test_the_unit_of_scores_does_not_matter(unit: float) -> None:
    usual, scaled = (
        plan_of(matrix(each * normal().values), each * 0.02, simulations=100, tests=("t",))
        for each in (1.0, unit)
    )
    for here, there in zip(usual.needs, scaled.needs, strict=True):
        assert here.topics == there.topics
        assert there.difference.value == pytest.approx(unit * here.difference.value)
        assert here.powers == there.powers


def test_a_large_difference_does_not_hide_what_can_be_found(usual: PowerPlan) -> None:
    for difference in (1e-9, 1e4):
        found = plan_of(spaced(), difference, simulations=1000, tests=())
        assert found.needs[0].difference.value == pytest.approx(usual.needs[0].difference.value, rel=0.02)


def test_a_p_of_alpha_is_a_difference_as_in_a_comparison() -> None:
    found = plan_of(normal(5, 2), 5.0, test="sign", tests=(), alpha=0.0625, simulations=100)
    assert found.needs[0].fewest == 5
    assert found.now(found.needs[0]).rate == 1


def test_one_pair_has_no_wider_ones() -> None:
    found = plan_of(normal(12, 2), 0.02, simulations=100, tests=())
    assert (found.used_pairs, found.wide) == (1, found.typical)
    assert found.needs[0].difference_wide is None
    assert "wide spread" not in found.table().to_text()
    assert "wide spread" in plan_of(normal(), 0.02, simulations=100, tests=()).table().to_text()


def test_many_pairs_share_alpha() -> None:
    one, many = (plan_of(normal(), 0.02, test="t", tests=(), normal=True, pairs=k) for k in (1, 15))
    assert many.needs[0].topics is not None
    assert many.needs[0].topics.value == t_topics(0.02, one.typical, alpha=0.05 / 15)
    assert many.how().replace("holm:15", "holm:1") == one.how()
    assert many.needs[-1] == replace(one.needs[0], powers=many.needs[-1].powers)


def test_only_the_pairs_of_the_family_count() -> None:
    m = normal(30, 4)
    values = m.values.copy()
    values[:, 3] += 0.5 * np.random.default_rng(1).normal(size=30)  # one system is wild
    wild = replace(m, values=values)
    family = np.array([True, True, False, True, False, False])
    assert plan_of(wild, test="t", tests=(), normal=True, family=family).wide < 0.1
    assert plan_of(wild, test="t", tests=(), normal=True).wide > 0.3


def test_missing_halves_leave_the_topics_that_both_have(approved: Approved) -> None:
    values = normal(20, 4).values.copy()
    values[:10, 2] = values[10:, 3] = NAN
    found = plan_of(matrix(values), 0.02, simulations=100, tests=())
    assert found.have == 10  # four pairs have 10, one has 20, one has none
    assert ("missing-in-pairs", {"n": 20}) in [(note.code, note.data) for note in found.notes()]
    approved(found.warnings())


def test_few_topics_are_warned_of(usual: PowerPlan, approved: Approved) -> None:
    assert [note.code for note in usual.notes()] == ["spread-from-topics"]
    few = plan_of(normal(FEW - 1), test="t", tests=(), normal=True)
    assert [note.code for note in few.notes()] == ["spread-from-topics", "few-topics"]
    approved(few.warnings())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0], [2.0]], "planning needs the scores of two systems, has 1"),
        ([[1.0, 2.0]], "no two systems have two topics in common"),
        ([[NAN, 2.0], [1.0, NAN]], "no two systems have two topics in common"),
        ([[NAN, NAN], [NAN, NAN]], "no two systems have two topics in common"),
        ([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], "most pairs of systems differ by the same on every topic"),
        ([[1.0, 1.0], [1.0, 1.0]], "most pairs of systems differ by the same on every topic"),
    ],
)
def test_what_cannot_be_planned_says_why(values: list[list[float]], message: str) -> None:
    with pytest.raises(DataError, match=f"rouge-2: {message}"):
        plan_of(matrix(values), 0.1)


def test_two_topics_are_enough_for_a_guess(approved: Approved) -> None:
    found = plan_of(matrix([[1.0, 1.2], [2.0, 1.9]]), 0.5, simulations=50)
    assert found.have == 2
    assert found.needs[0].fewest == 2
    assert found.needs[0].difference.value == pytest.approx(t_difference(2, found.typical), rel=0.25)
    approved(found.headline(), "t, a difference")
    nothing = plan_of(matrix([[1.0, 1.2], [2.0, 1.9]]), simulations=50)
    approved(nothing.headline(), "t, none")
    assert nothing.looked_for == nothing.needs[0].difference.value
    found = plan_of(matrix([[1.0, 1.2], [2.0, 1.9]]), 0.5, simulations=50, test="wilcoxon")
    assert found.have == 2
    assert found.needs[0].difference.why
    assert found.needs[0].fewest == 6  # 2^-4 is above .05
    approved(found.headline(), "a difference")
    nothing = plan_of(matrix([[1.0, 1.2], [2.0, 1.9]]), simulations=50, test="wilcoxon")
    approved(nothing.headline(), "none")
    assert nothing.sizes == ()
    json.dumps(nothing.as_dict(), allow_nan=False)


def test_a_difference_that_is_never_found(approved: Approved) -> None:
    found = plan_of(normal(), 1e-9, simulations=50, tests=("t",))
    approved(found.headline())


def test_a_test_that_cannot_answer_says_why(approved: Approved) -> None:
    found = plan_of(normal(), 0.02, test="t", tests=("mc",), normal=True, pairs=1000, simulations=50)
    mc = found.need("mc", "all")
    assert mc is not None
    approved(words_of(found))
    assert all(math.isnan(mc.powers[k].rate) for k in range(len(found.sizes)))


def test_the_same_seed_gives_the_same_plan_whatever_else_is_asked(usual: PowerPlan) -> None:
    again = plan_of(spaced(), 0.02, simulations=1000, tests=("sign",))
    assert again.needs[0] == usual.needs[0]
    other = plan_of(spaced(), 0.02, simulations=1000, tests=(), seed=1)
    assert other.needs[0] != usual.needs[0]


def test_500_systems() -> None:
    found = plan_of(normal(20, 500), 0.02, simulations=200, tests=())
    assert found.used_pairs == found.pairs == 500 * 499 // 2
    every, typical, one = (need.topics.value for need in found.needs if need.topics is not None)
    assert one == pytest.approx(t_topics(0.02, 0.02 * math.sqrt(2)), rel=0.2)
    assert every == pytest.approx(t_topics(0.02, 0.02 * math.sqrt(2), alpha=0.05 / found.pairs), rel=0.2)
    assert one < typical <= every


def test_a_curve_has_the_present_and_the_needed_topics() -> None:
    assert nice_sizes(12, 61) == (6, 8, 12, 16, 24, 32, 48, 61)
    assert nice_sizes(100, 255) == (64, 100, 128, 192, 255)  # 96 and 256 are as good as there
    assert nice_sizes(12, math.inf) == (6, 8, 12, 16)
    assert nice_sizes(12, NAN) == (6, 8, 12, 16)
    wide = nice_sizes(10, 100_000)
    assert len(wide) < 12
    assert {10, 100_000} <= set(wide)
    assert nice_sizes(2, 2) == (2, 6, 8, 12)


def test_powers_rise_along_the_curve(usual: PowerPlan) -> None:
    for need in usual.needs:
        assert len(need.powers) == len(usual.sizes)
    for need in usual.needs[:3]:
        rates = [need.powers[k].rate for k in range(len(usual.sizes))]
        assert rates == sorted(rates)
    frame = usual.to_frame("powers")
    assert list(frame.columns) == [
        "measure",
        "length",
        "form",
        "test",
        "compared",
        "pairs",
        "difference",
        "topics",
        "power",
        "low",
        "high",
        "wrong_sign",
        "exaggeration",
        "findings",
    ]
    assert len(frame) == len(usual.needs) * len(usual.sizes)
    assert len(usual.needs) == 9
    assert (frame["low"] <= frame["power"]).all()


def test_results_as_frame_json_and_latex(usual: PowerPlan) -> None:
    frame = usual.to_frame()
    assert list(dict.fromkeys(frame["test"])) == sorted(BESIDE, key=lambda test: test != "t")
    assert frame["needed"].notna().all()
    whole = json.loads(json.dumps(usual.as_dict(), allow_nan=False))
    assert whole["tables"]["plan"][0]["needed"] == frame["needed"][0]
    assert len(whole["tables"]["powers"]) == 9 * len(usual.sizes)
    latex = usual.to_latex()
    assert latex.startswith(r"\begin{tabular}{llrrrrrrr}")
    assert "paired Wilcoxon & " in latex
    assert latex.endswith(f"% {usual.signature}")
    assert usual.signature == (
        "plan(difference=0.02, simulations=1000)|rouge-2"
        "|plan:resampled|pairs:15|test:t|power:0.8|alpha:0.05|correct:holm:15|simulations:1000|seed:0"
        "|v:0.1.0"
    )


def rated(persons: bool, judges: int = 3, topics: int = 40, seed: int = 3) -> tuple[ScoreTable, ScoreMatrix]:
    """Three systems: differences of systems vary over topics with variance 2, one judge's with variance 2 more."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(topics, 3))
    rows = [
        Score(
            "overall",
            f"t{k}",
            f"s{i}",
            level[k, i] + rng.normal(),
            assessor=f"a{a}" if persons else None,
            repeat=0 if persons else a,
        )
        for k in range(topics)
        for i in range(3)
        for a in range(judges)
    ]
    table = ScoreTable.from_rows(rows)
    return table, table.matrix("overall")


@pytest.mark.parametrize("persons", [True, False])
def test_judgments_come_out_of_the_table(persons: bool) -> None:
    table, m = rated(persons)
    found = table.judgments(m)
    assert found is not None
    assert (found.persons, found.values.shape) == (persons, (40, 3, 3))
    assert np.nanmean(found.values, axis=2) == pytest.approx(m.values)
    assert found.unit == ("assessor" if persons else "judgment")


def test_judgments_at_one_length_and_of_some_systems() -> None:
    rows = [
        Score("m", f"t{k}", s, float(k + a), length=n, assessor=f"a{a}")
        for k in range(3)
        for s in ("x", "y", "z")
        for a in range(2)
        for n in (50, 100)
    ]
    table = ScoreTable.from_rows([*rows, Score("m", "t9", "x", 1.0, length=50, assessor="a0")])
    found = table.judgments(table.matrix("m", length=100).select(["z", "x"]), length=100)
    assert found is not None
    assert found.values.shape == (3, 2, 2)
    assert found.values[2, 0].tolist() == [2, 3]


def test_one_judgment_each_is_none() -> None:
    table = ScoreTable.from_rows([Score("m", f"t{k}", s, 1.0, assessor="a") for k in range(3) for s in "xy"])
    assert table.judgments(table.matrix("m")) is None


@pytest.mark.parametrize("persons", [True, False])
def test_more_judges_need_fewer_topics(persons: bool) -> None:
    table, m = rated(persons, topics=400)
    found = plan_of(m, 0.2, test="t", tests=(), normal=True, judgments=table.judgments(m), pairs=1)
    judges = found.judges
    assert judges is not None
    assert (judges.unit, judges.matched) == ("assessor" if persons else "judgment", persons)
    assert judges.now == pytest.approx(3)
    # The variance of a difference is 2 + 2/m.
    assert judges.share == pytest.approx(1 / 4, abs=0.03)
    for row in judges.rows:
        assert row.spread**2 == pytest.approx(2 + 2 / row.judges, rel=0.12)
        assert row.topics == pytest.approx(t_topics(0.2, row.spread), rel=0.02)
        assert row.difference == pytest.approx(t_difference(400, row.spread), rel=1e-9)
    assert [row.judges for row in judges.rows] == [1, 2, 3, 5, 10, math.inf]


def test_words_about_judges(approved: Approved) -> None:
    table, m = rated(True)
    judgments = table.judgments(m)
    found = plan_of(m, 0.5, test="t", tests=(), normal=True, judgments=judgments, pairs=1)
    assert found.judges is not None
    assert found.judges.now == 3
    assert math.isinf(found.judges.enough)
    approved(words_of(found))
    near = plan_of(
        m,
        found.needs[0].difference.value * 0.97,
        test="t",
        tests=(),
        normal=True,
        judgments=judgments,
        pairs=1,
    )
    assert near.judges is not None
    approved(words_of(near, beyond=found), "near")
    # With so many, the present topics are enough: the closed form of what was searched.
    spread = near.typical * near.difference / near.needs[0].difference.value  # type: ignore[operator]
    rest = near.judges.rows[-1].spread ** 2
    one = near.judges.rows[0].spread ** 2 - rest
    assert near.judges.enough == pytest.approx(one / (spread**2 - rest))
    without = plan_of(m, test="t", tests=(), normal=True, judgments=judgments, pairs=1)
    approved(words_of(without, beyond=found), "no difference")


def test_more_judges_cannot_do_without_the_fewest_topics() -> None:
    """By the paired t-test's formula one judge more would make 3 topics enough: Wilcoxon finds nothing there."""
    rng = np.random.default_rng(1)
    rows = [
        Score("overall", f"t{k}", s, 2.0 * (s == "s1") + 0.01 * level + rng.normal(), assessor=f"a{a}")
        for k in range(20)
        for s in ("s0", "s1", "s2")
        for level in [rng.normal()]
        for a in range(2)
    ]
    table = ScoreTable.from_rows(rows)
    m = table.matrix("overall")
    found = plan_of(m, 2.0, simulations=200, test="wilcoxon", tests=(), judgments=table.judgments(m))
    assert found.judges is not None
    assert found.needs[0].fewest == 7
    assert [row.topics for row in found.judges.rows] == sorted(
        (row.topics for row in found.judges.rows), reverse=True
    )
    assert found.judges.rows[-1].topics == 7
    assert found.judges.rows[1].topics == found.needs[0].topics.value  # type: ignore[union-attr]


def test_judges_do_not_help_where_topics_are_not_paired() -> None:
    table, m = rated(True)
    found = plan_of(m, 0.5, test="t-unpaired", tests=(), simulations=50, judgments=table.judgments(m))
    assert found.judges is None
    nobody = CellJudgments(np.full((*m.values.shape, 2), NAN), True)
    assert plan_of(m, 0.5, test="t", tests=(), normal=True, judgments=nobody).judges is None


def liking(
    own: float, topics: int = 60, assessors: int = 3, systems: int = 2, seed: int = 1, absent: float = 0.0
) -> tuple[ScoreTable, ScoreMatrix]:
    """Every assessor likes every system by so much more or less on every topic, exactly so in spread."""
    rng = np.random.default_rng(seed)
    likes = rng.normal(size=(systems, assessors))
    likes -= likes.mean(axis=1, keepdims=True)
    if systems == 2 and assessors > 1:  # the differences' standard deviation is the one asked for
        likes *= own / (likes[0] - likes[1]).std(ddof=1)
    rows = []
    for t in range(topics):
        for s in range(systems):
            level = rng.normal(0, 0.5)
            rows += [
                Score(
                    "overall",
                    f"t{t}",
                    f"s{s}",
                    3 + level + likes[s, a] + rng.normal(0, 0.7),
                    assessor=f"a{a}",
                )
                for a in range(assessors)
                if rng.random() >= absent
            ]
    table = ScoreTable.from_rows(rows)
    return table, table.matrix("overall")


def planned_for(own: float, difference: float | None = 0.5, **how: Any) -> PowerPlan:
    table, m = liking(own, **how)
    return plan_of(m, difference, tests=(), simulations=100, judgments=table.judgments(m))


def test_an_assessors_constant_liking_is_no_noise_of_topics() -> None:
    """Likings shift every topic alike: what is said of these assessors does not depend on them."""
    without, with_likes = (planned_for(own) for own in (0.0, 3.0))
    assert without.typical == pytest.approx(with_likes.typical)
    assert without.judges is not None
    assert with_likes.judges is not None
    for here, there in zip(without.judges.rows, with_likes.judges.rows, strict=True):
        assert there.spread == pytest.approx(here.spread, rel=0.01)
        assert there.topics == pytest.approx(here.topics, rel=0.05)
    assert with_likes.judges.share == pytest.approx(without.judges.share, rel=0.02)
    assert with_likes.judges.share == pytest.approx(2 * 0.49 / 3 / with_likes.typical**2, rel=0.1)


def test_as_a_sample_few_assessors_find_little_whatever_the_topics(approved: Approved) -> None:
    found = planned_for(0.6, topics=200)
    assert found.now(found.needs[0]).rate > 0.99
    sampled = found.sampled
    assert sampled is not None
    assert sampled.likings == pytest.approx(0.6, rel=0.1)
    assert sampled.power_now == pytest.approx(t_power(3, 0.5, sampled.likings), abs=0.06)
    assert sampled.best < 0.25
    assert math.isinf(sampled.needed)
    assert sampled.fewest == pytest.approx(t_topics(0.5, sampled.likings), abs=1)
    assert sampled.enough >= sampled.fewest
    assert sampled.limit <= sampled.difference
    approved(list(found.sentences())[:1])
    approved(list(found.sentences())[-3:], "as a sample")
    table = found.table("assessors as a sample")
    assert table is not None
    assert "none is enough" in table.to_text()
    whole = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert whole["assessors_sampled"]["power_now"] == sampled.power_now
    assert whole["assessors_sampled"]["needed"] is None
    assert [note.code for note in found.notes()][-1] == "spread-from-assessors"
    approved(found.warnings(), "notes")


@pytest.mark.parametrize("own", [0.0, 0.6])
@pytest.mark.parametrize("difference", [None, 0.3, 3.0])
@pytest.mark.parametrize(("assessors", "systems", "absent"), [(2, 2, 0.0), (3, 3, 0.0), (10, 2, 0.6)])
def test_what_is_said_of_a_sample_never_contradicts_itself(
    own: float, difference: float | None, assessors: int, systems: int, absent: float
) -> None:
    found = planned_for(own, difference, assessors=assessors, systems=systems, absent=absent, topics=30)
    sampled = found.sampled
    assert sampled is not None
    json.dumps(found.as_dict(), allow_nan=False)
    said = " ".join(found.sentences())
    assert "nan" not in said
    assert "inf" not in said
    assert [row.assessors for row in sampled.rows] == [2, 3, 5, 10, 20][systems == 2 :]
    assert (assessors == 2) == math.isnan(sampled.difference)
    for smaller, larger in zip(sampled.rows[1:], sampled.rows, strict=False):
        assert smaller.difference <= larger.difference
        assert smaller.limit <= larger.limit
    if difference is None:
        assert math.isnan(sampled.power_now)
        assert (assessors > 2) == math.isfinite(sampled.difference)
        return
    if math.isnan(sampled.difference):
        assert math.isnan(sampled.power_now)
        return
    assert sampled.power_now <= sampled.best + 1e-12
    assert (sampled.power_now >= 0.8) == (sampled.difference <= difference * (1 + 1e-4))
    assert (sampled.power_now >= 0.8) == (sampled.needed <= found.have)
    assert math.isinf(sampled.needed) == (sampled.best < 0.8)
    if math.isinf(sampled.needed):
        assert sampled.fewest > sampled.assessors
    if sampled.power_now < 0.8:
        assert sampled.enough > sampled.assessors
    for row in sampled.rows:
        assert math.isinf(row.topics) == (row.assessors < sampled.fewest)
        assert (row.topics <= found.have) == (row.difference <= difference * (1 + 1e-4))


def assessed(values: FloatArray) -> PowerPlan:
    """Topics x two systems x assessors, and a plan for a difference of 0.5."""
    rows = [
        Score("overall", f"t{t}", f"s{s}", float(value), assessor=f"a{a}")
        for (t, s, a), value in np.ndenumerate(values)
    ]
    table = ScoreTable.from_rows(rows)
    m = table.matrix("overall")
    return plan_of(m, 0.5, tests=(), simulations=100, judgments=table.judgments(m))


def test_as_many_assessors_as_now_need_as_many_topics_as_now() -> None:
    """By chance means of noise may lie closer together than noise allows: no more than all there is is noise."""
    noise = np.random.default_rng(4).normal(size=(8, 1, 2)) * [
        [[1.0, -1.0]]
    ]  # two assessors who see the opposite
    topics = 0.1 * np.random.default_rng(5).normal(size=(8, 1, 1))
    found = assessed((noise + topics) * [[[1.0], [0.0]]])
    assert found.judges is not None
    assert found.judges.share == 1
    two = next(row for row in found.judges.rows if row.judges == 2)
    assert two.spread == pytest.approx(found.typical)
    assert found.needs[0].topics is not None
    assert two.topics == found.needs[0].topics.value


def test_assessors_who_agree_have_no_likings_of_their_own(approved: Approved) -> None:
    found = assessed(np.random.default_rng(3).normal(size=(8, 2, 1)) * np.ones(3))
    assert found.sampled is not None
    assert found.sampled.likings == 0
    approved(words_of(found))


def test_where_nothing_can_be_found_assessors_are_not_listed(approved: Approved) -> None:
    table, m = rated(True, topics=3)
    found = plan_of(m, simulations=50, test="wilcoxon", tests=(), judgments=table.judgments(m))
    assert found.judges is not None
    assert all(math.isnan(row.difference) for row in found.judges.rows)
    approved(words_of(found))


def test_repeats_without_assessors_are_no_sample() -> None:
    table, m = rated(False)
    found = plan_of(m, 0.5, test="t", tests=(), normal=True, judgments=table.judgments(m), pairs=1)
    assert found.sampled is None
    assert "assessors as a sample" not in [table.name for table in found.all_tables]
    assert found.people == 0


def test_where_every_topic_has_its_own_assessors_nothing_is_said_of_others(approved: Approved) -> None:
    rng = np.random.default_rng(2)
    rows = [
        Score("overall", f"t{t}", f"s{s}", rng.normal(), assessor=f"a{2 * t + a}")
        for t in range(20)
        for s in range(2)
        for a in range(2)
    ]
    table = ScoreTable.from_rows(rows)
    m = table.matrix("overall")
    found = plan_of(m, 0.5, tests=(), simulations=50, judgments=table.judgments(m))
    assert found.sampled is not None
    assert "assessors as a sample" not in [table.name for table in found.all_tables]
    approved(list(found.sentences())[-1])
    json.dumps(found.as_dict(), allow_nan=False)


def shared_out(per_summary: int | None, people: int = 8, systems: int = 12, seed: int = 3) -> pd.DataFrame:
    """Each summary by so many assessors, others from summary to summary; None: a topic has one assessor for all."""
    rng = np.random.default_rng(seed)
    topic, both = rng.normal(0, 0.5, 20), rng.normal(0, 0.5, (systems, 20))
    severe, liking = rng.normal(0, 0.4, people), rng.normal(0, 0.3, (systems, people))
    rows = []
    for t in range(20):
        for s in range(systems):
            who = [t % people] if per_summary is None else rng.choice(people, per_summary, replace=False)
            for a in who:
                value = 0.4 * s + topic[t] + severe[a] + both[s, t] + liking[s, a] + rng.normal(0, 0.6)
                rows.append((f"t{t:02}", f"s{s:02}", f"a{a}", value))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "quality"])


def of_judgments(frame: pd.DataFrame) -> JudgedPairs:
    codes = (frame[name].astype("category").cat.codes for name in ("topic", "system", "assessor"))
    return judged_pairs(frame["quality"], *codes, size=frame["system"].nunique())


def test_assigned_judgments_are_planned_as_they_are_compared(approved: Approved) -> None:
    frame = shared_out(2)
    found = plan(frame, difference=0.5, simulations=50)
    assert found.judges is not None
    assert found.sampled is not None
    now = next(row for row in found.judges.rows if row.judges == 2)
    assert now.spread == pytest.approx(found.typical)
    assert found.people == found.sampled.seen == 8
    # The error that the comparison of these judgments has, for as many assessors as share the work evenly.
    compared = of_judgments(frame)
    assert compared.unavailable is None
    sampled = found.sampled
    left = sampled.residual**2 / (20 * 2)
    error = math.sqrt(sampled.topics**2 / 20 + sampled.likings**2 / sampled.assessors + left)
    assert error == pytest.approx(float(np.median(compared.similar.error)), rel=0.1)
    approved(words_of(found))


def test_summaries_with_unequal_numbers_of_assessors_have_an_average(approved: Approved) -> None:
    frame = shared_out(3, people=3, systems=4)
    frame = frame.drop(frame.index[::5])
    found = plan(frame, difference=0.5, simulations=50)
    assert found.judges is not None
    assert found.judges.now == pytest.approx(len(frame) / (20 * 4))
    approved(list(found.sentences())[5])


def test_one_assessor_for_each_topic_is_a_sample_too(approved: Approved) -> None:
    frame = shared_out(None, people=5, systems=5)
    found = plan(frame, difference=0.5, simulations=50)
    assert found.sampled is not None
    assert found.designs is None
    assert (found.sampled.seen, found.sampled.assessors) == (5, 5)
    compared = of_judgments(frame)
    error = math.sqrt(found.sampled.topics**2 / 20 + found.sampled.likings**2 / 5)
    assert error == pytest.approx(float(np.median(compared.similar.error)), rel=0.1)
    assert judge_freedom(5, 5, 5) == 16
    approved(words_of(found))
    json.dumps(found.as_dict(), allow_nan=False)


def test_one_assessor_in_all_is_said(approved: Approved) -> None:
    found = plan(shared_out(None, people=1, systems=4), difference=0.5, simulations=50)
    assert found.people == 1
    assert found.sampled is None
    approved(words_of(found))


def test_too_few_judgments_for_any_design_are_said(approved: Approved) -> None:
    found = plan(shared_out(3, people=3, systems=4), difference=0.5, simulations=50, judgments=1)
    assert [table.name for table in found.all_tables][-1] == "noise"
    approved(list(found.sentences())[-1])


def test_unpaired_tests_speak_of_a_sample_too() -> None:
    table, m = liking(0.6)
    found = plan_of(m, 0.5, test="t-unpaired", tests=(), simulations=50, judgments=table.judgments(m))
    assert found.judges is None
    assert found.sampled is not None
    assert math.isinf(found.sampled.needed)


def test_progress_ends_at_the_end() -> None:
    seen: list[tuple[int, int]] = []
    plan_of(
        normal(), 0.02, simulations=20, tests=("wilcoxon",), progress=lambda done, of: seen.append((done, of))
    )
    assert seen == [(k, 10) for k in range(1, 11)]  # three comparisons by t, two by Wilcoxon, each twice


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"power": 1}, "power is 1, expected a number between 0 and 1"),
        ({"alpha": 0}, "alpha is 0, expected a number between 0 and 1"),
        ({"pairs": 0}, "pairs is 0, expected a whole number, 1 or more"),
        ({"simulations": 0}, "simulations is 0, expected a whole number, 1 or more"),
        ({"test": "wilcox"}, 'the test is "wilcox"'),
        ({"family": np.array([True])}, "family: expected 15 pairs, got 1"),
    ],
)
def test_a_wrong_call_is_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan_of(normal(), 0.02, **wrong)


def test_the_interval_of_a_spread_covers_it() -> None:
    """Of 20,000 normal samples of each size."""
    rng = np.random.default_rng(1)
    for df in (1, 2, 11):
        low, high = _sd_interval(df)
        spread = rng.normal(size=(20_000, df + 1)).std(axis=1, ddof=1)
        assert np.mean((low * spread <= 1) & (high * spread >= 1)) == pytest.approx(0.95, abs=0.006)


def test_a_variance_estimated_as_0_promises_nothing(approved: Approved) -> None:
    """Pure noise of two assessors, more of it within a topic than between topics."""
    rng = np.random.default_rng(4)
    rows = [
        (f"t{t}", s, a, round(float(rng.normal(3, 1)), 2)) for t in range(12) for s in "abc" for a in "xy"
    ]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "score"])
    result = plan(frame, simulations=20)
    assert result.judges is not None
    assert result.judges.nothing_left
    assert "any" not in [row["assessors"] for row in result.table("assessors").records()]
    approved([text for text in map(str, result.sentences()) if "isagreement" in text])
    assert "e-" not in " ".join(map(str, result.sentences()))


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for code in blocks:
        exec(code, names)
        assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_page_names_every_option_and_bound() -> None:
    for command in (command_of("plan"), command_of("simulate")):
        app = typer.Typer(add_completion=False)
        app.command()(command)
        for option in typer.main.get_command(app).params:
            names = [name for name in option.opts if name.startswith("--")]
            if names and names[0] not in ELSEWHERE:
                assert any(f"`{name}" in PAGE or f" {name}" in PAGE for name in names), names
    assert f"Beyond {MOST_SIMULATED:,} topics ({SLOW_MOST_SIMULATED} for" in PAGE
    assert f"`exact` at most {SLOW_SIMULATIONS}, and {FEWEST_SIMULATIONS} where" in PAGE
    assert [noise for noise in NOISES if f"`{noise}`" not in PAGE] == []
