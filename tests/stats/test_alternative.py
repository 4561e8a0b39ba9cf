"""The alternative-annotator test against a plain twin of its definition, and what it lets pass."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from adjudge.core.errors import UsageError
from adjudge.stats.alternative import Alignment, AlternativeTests, alternative_tests
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import benjamini_yekutieli


def alignment_of(answer: float, others: list[float], how: Alignment) -> float:
    if how == "accuracy":
        return sum(answer == other for other in others) / len(others)
    return -math.sqrt(sum((answer - other) ** 2 for other in others) / len(others))


def plain(
    answers: FloatArray,
    judge: FloatArray,
    topics: list[Any] | None,
    *,
    epsilon: float,
    alpha: float,
    how: Alignment,
    least: int,
) -> dict[str, Any]:
    """The published definition; with topics, of their means."""
    rho, own, p = [], [], []
    for j in range(answers.shape[1]):
        judged: dict[Any, list[tuple[int, int]]] = {}
        for x in range(len(answers)):
            others = [a for k, a in enumerate(answers[x]) if k != j and not math.isnan(a)]
            if math.isnan(answers[x, j]) or math.isnan(judge[x]) or not others:
                continue
            of_judge = alignment_of(judge[x], others, how)
            of_j = alignment_of(answers[x, j], others, how)
            judged.setdefault(x if topics is None else topics[x], []).append(
                (int(of_judge >= of_j), int(of_j >= of_judge))
            )
        if len(judged) < least:
            continue
        w_judge = [sum(f for f, _ in own) / len(own) for own in judged.values()]
        w_own = [sum(h for _, h in own) / len(own) for own in judged.values()]
        d = [h - f for f, h in zip(w_judge, w_own, strict=True)]
        rho.append(sum(w_judge) / len(w_judge))
        own.append(sum(w_own) / len(w_own))
        if len(set(d)) == 1:
            p.append(0.0 if d[0] < epsilon else 1.0)
        else:
            p.append(float(stats.ttest_1samp(d, epsilon, alternative="less").pvalue))
    won = multipletests(p, alpha=alpha, method="fdr_by")[0] if p else []
    return {
        "rho": rho,
        "own": own,
        "p": p,
        "omega": sum(won) / len(won) if p else math.nan,
        "average": sum(rho) / len(rho) if p else math.nan,
    }


def held(found: AlternativeTests, expected: dict[str, Any], k: int = 0) -> None:
    tested = ~np.isnan(found.p[k])
    assert found.advantage[k][tested] == pytest.approx(expected["rho"], abs=1e-12)
    assert found.assessor_advantage[k][tested] == pytest.approx(expected["own"], abs=1e-12)
    assert found.p[k][tested] == pytest.approx(expected["p"], abs=1e-9)
    assert found.winning_rate[k] == pytest.approx(expected["omega"], nan_ok=True)
    assert found.average[k] == pytest.approx(expected["average"], nan_ok=True)
    assert found.passes[k] == (expected["omega"] >= 0.5)


@st.composite
def studies(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, list[int]]:
    """Answers with gaps of several assessors to things of a few topics, and a judge's."""
    things = draw(st.integers(6, 24))
    people = draw(st.integers(1, 5))
    answer = st.one_of(st.just(math.nan), *[st.sampled_from([1.0, 2.0, 2.5, 3.0])] * 4)
    rows = [[draw(answer) for _ in range(people + 1)] for _ in range(things)]
    topics = [draw(st.integers(0, 7)) for _ in range(things)]
    return np.array([row[1:] for row in rows]), np.array([row[0] for row in rows]), topics


@given(
    study=studies(),
    clustered=st.booleans(),
    how=st.sampled_from(["rmse", "accuracy"]),
    epsilon=st.sampled_from([0.0, 0.1, 0.2, 0.5]),
    alpha=st.sampled_from([0.05, 0.3]),
)
def test_the_test_equals_its_definition(
    study: Any, clustered: bool, how: Alignment, epsilon: float, alpha: float
) -> None:
    answers, judge, topics = study
    named = topics if clustered else None
    found = alternative_tests(
        answers,
        judge[None],
        clusters=named,
        epsilon=epsilon,
        alpha=alpha,
        alignment=how,
        least=3,
        least_assessors=1,
    )
    expected = plain(answers, judge, named, epsilon=epsilon, alpha=alpha, how=how, least=3)
    held(found, expected)
    assert (found.why[0] is None) == bool(expected["p"])


def test_many_judges_at_once_are_those_alone() -> None:
    rng = np.random.default_rng(1)
    answers, topics = rng.integers(1, 6, (60, 4)).astype(float), list(np.repeat(np.arange(12), 5))
    answers[rng.random(answers.shape) < 0.2] = np.nan
    judges = rng.integers(1, 6, (5, 60)).astype(float)
    judges[2, 30:] = np.nan
    together = alternative_tests(answers, judges, clusters=topics, least=5)
    for k, judge in enumerate(judges):
        held(together, plain(answers, judge, topics, epsilon=0.2, alpha=0.05, how="rmse", least=5), k)
    shuffled = rng.permutation(60)
    again = alternative_tests(
        answers[shuffled], judges[:, shuffled], clusters=[topics[k] for k in shuffled], least=5
    )
    assert again.p == pytest.approx(together.p, nan_ok=True)


@given(st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), min_size=1, max_size=12))
def test_the_correction_is_statsmodels(p: list[float]) -> None:
    found = benjamini_yekutieli(p)
    there = [value for value in p if not math.isnan(value)]
    assert np.isnan(found).tolist() == [math.isnan(value) for value in p]
    if there:
        expected = multipletests(there, method="fdr_by")[1]
        assert found[~np.isnan(found)] == pytest.approx(expected, abs=1e-12)


def test_by_hand() -> None:
    # Others of the first assessor answer 2 and 4: a 3 is at distance 1, a 2 at the root of 2, a 5 further away.
    answers = np.array([[3.0, 2.0, 4.0], [2.0, 2.0, 4.0], [5.0, 2.0, 4.0]])
    found = alternative_tests(answers, [[3.0, 3.0, 3.0]], clusters=None, least=3)
    assert found.advantage[0, 0] == 1  # a tie, and nearer twice
    assert found.assessor_advantage[0, 0] == pytest.approx(1 / 3)
    # H0 of the first: d = 0, -1, -1; t = (-2/3 - .2) / (1/3) with 2 degrees of freedom
    assert found.p[0, 0] == pytest.approx(stats.t.cdf((-2 / 3 - 0.2) * 3, 2))


def test_by_accuracy_by_hand() -> None:
    answers = np.array([[1.0, 1.0, 2.0], [3.0, 1.0, 2.0], [2.0, 2.0, 2.0]])
    found = alternative_tests(answers, [[1.0, 1.0, 1.0]], clusters=None, alignment="accuracy", least=3)
    # with the second and third: 1/2 and 1/2, 1/2 and 0, 0 and 1
    assert found.advantage[0, 0] == pytest.approx(2 / 3)
    assert found.assessor_advantage[0, 0] == pytest.approx(2 / 3)


# What it lets pass


def panel(shares: list[float], *, things: int = 600, topics: int = 60, seed: int = 0) -> Any:
    """Three assessors who answer 1 to 5 independently of what they see, with these shares."""
    rng = np.random.default_rng(seed)
    answers = rng.choice(np.arange(1.0, 6), size=(things, 3), p=shares)
    return answers, list(np.repeat(np.arange(topics), things // topics))


def constants(answers: FloatArray, topics: list[int], epsilon: float) -> AlternativeTests:
    return alternative_tests(
        answers, np.tile(np.arange(1.0, 6)[:, None], len(answers)), clusters=topics, epsilon=epsilon
    )


def test_a_constant_passes_where_answers_are_skewed() -> None:
    # nine answers in ten are a 5: so is the constant, and it is hardly ever further from the others than an assessor
    answers, topics = panel([0.025, 0.025, 0.025, 0.025, 0.9])
    found = constants(answers, topics, 0.1)
    assert found.passes.tolist() == [False, False, False, False, True]
    assert found.winning_rate[4] == 1
    assert found.average[4] > 0.85


def test_a_constant_passes_without_skew() -> None:
    # evenly used, the middle of the scale is nearer to two others than a third assessor is, more often than not
    answers, topics = panel([0.2, 0.2, 0.2, 0.2, 0.2])
    found = constants(answers, topics, 0.0)
    assert found.passes.tolist() == [False, True, True, True, False]
    assert found.winning_rate[2] == 1


def test_the_mean_of_the_others_always_wins_and_a_contrarian_never_does() -> None:
    rng = np.random.default_rng(2)
    quality = rng.integers(1, 6, 400)
    answers = np.clip(quality[:, None] + rng.integers(-1, 2, (400, 3)), 1, 5).astype(float)
    found = alternative_tests(
        answers, [answers.mean(axis=1), 6 - quality], clusters=list(np.repeat(range(40), 10)), epsilon=0.2
    )
    assert found.winning_rate.tolist() == [1, 0]
    assert found.average[0] > 0.9


def test_things_of_one_topic_are_not_so_many_observations() -> None:
    # A judge that is as far from the others as H0 allows, and all right or all wrong on a topic: taking things as
    # observations rejects far too often, taking topics does not.
    rng = np.random.default_rng(3)
    p: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(300):
        # d = 1 on 3 topics of 5, -1 on the others: 0.2 on average
        lost = np.repeat(rng.random(30) < 0.6, 12)
        answers = np.tile([3.0, 3.0, 3.0], (360, 1))
        answers[~lost, 0] = 5.0  # the assessor is far from the others
        judge = np.where(lost, 5.0, 3.0)
        topics = list(np.repeat(np.arange(30), 12))
        for clustered in p:
            found = alternative_tests(
                answers, judge[None], clusters=topics if clustered else None, epsilon=0.2
            )
            p[clustered].append(float(found.p[0, 0]))
    rejected = {name: sum(each <= 0.05 for each in values) / 300 for name, values in p.items()}
    assert rejected[True] < 0.09  # 0.05 and three standard errors
    assert rejected[False] > 0.25


def test_a_copy_of_an_assessor_ties_with_that_assessor() -> None:
    answers, topics = panel([0.2] * 5)
    found = alternative_tests(answers, answers[:, 0][None], clusters=topics, epsilon=0.2)
    assert found.advantage[0, 0] == found.assessor_advantage[0, 0] == 1
    assert found.p[0, 0] == 0  # no spread, and below epsilon
    level = alternative_tests(answers, answers[:, 0][None], clusters=topics, epsilon=0.0)
    assert level.p[0, 0] == 1  # no spread, and not below 0
    assert not level.won[0, 0]


def test_rounding_makes_no_difference_between_ties() -> None:
    answers = np.tile([[0.1 + 0.2, 0.7, 0.1], [0.3, 0.7, 0.1]], (10, 1))
    judge = np.tile([0.3, 0.1 + 0.2], 10)
    found = alternative_tests(answers, judge[None], clusters=None)
    assert found.advantage[0, 0] == found.assessor_advantage[0, 0] == 1


# What has no result


def test_two_assessors_are_too_few() -> None:
    answers, topics = panel([0.2] * 5)
    found = alternative_tests(answers[:, :2], answers[:, 2][None], clusters=topics)
    assert found.why == ("it needs 3 assessors, and there are 2",)
    assert np.isnan(found.winning_rate[0])
    assert np.isnan(found.average[0])
    assert not found.passes[0]
    assert not found.won.any()


def test_assessors_with_few_topics_have_no_test() -> None:
    answers, topics = panel([0.2] * 5)
    answers[90:, 0] = np.nan  # 9 topics of 60
    found = alternative_tests(answers, np.full((1, 600), 3.0), clusters=topics)
    assert found.observations[0].tolist() == [9, 60, 60]
    assert found.why == (
        "it needs 3 assessors who share 10 topics or more with the judge and another assessor, and 2 of 3 do",
    )
    four = np.column_stack([answers, np.random.default_rng(5).integers(1, 6, 600)])
    found = alternative_tests(four, np.full((1, 600), 3.0), clusters=topics)
    assert found.why == (None,)
    assert np.isnan(found.p[0]).tolist() == [True, False, False, False]
    assert found.tested.tolist() == [3]


def test_an_answer_that_nobody_else_gave_counts_nowhere() -> None:
    answers, topics = panel([0.2] * 5)
    answers[:60, 1:] = np.nan
    found = alternative_tests(answers, np.full((1, 600), 3.0), clusters=topics)
    assert found.things[0].tolist() == [540, 540, 540]


def test_wrong_arguments_are_named() -> None:
    answers = np.ones((4, 3))
    for given_, options, words in (
        (np.ones((1, 3)), {}, "judge_answers: expected answers to the 4 things"),
        (np.ones((1, 4)), {"epsilon": 1.5}, "epsilon: expected a number from 0 to 1"),
        (np.ones((1, 4)), {"alignment": "mae"}, "alignment"),
    ):
        with pytest.raises(UsageError, match=words):
            alternative_tests(answers, given_, clusters=None, **options)


def test_nothing_to_test() -> None:
    found = alternative_tests(np.empty((0, 3)), np.empty((1, 0)), clusters=[])
    assert found.why[0] is not None
    assert found.observations.tolist() == [[0, 0, 0]]


# Its level


def rejections(topics: int, systems: int, shared: float, times: int, seed: int) -> float:
    """How often H0 is rejected at .05 for one assessor, where d is epsilon on average and topics differ."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(times):
        # d is 1 with the probability q, else -1, with a mean of 2 * .6 - 1 = .2
        q = 0.6 if not shared else rng.beta(0.6 / shared, 0.4 / shared, topics)[:, None]
        lost = (rng.random((topics, systems)) < q).ravel()
        answers = np.full((topics * systems, 3), 3.0)
        answers[~lost, 0] = 5.0
        clusters = list(itertools.chain.from_iterable([t] * systems for t in range(topics)))
        tested = alternative_tests(answers, np.where(lost, 5.0, 3.0)[None], clusters=clusters, epsilon=0.2)
        found += float(tested.p[0, 0]) <= 0.05
    return found / times


@pytest.mark.parametrize(("topics", "systems"), [(10, 5), (30, 1)])
def test_topic_means_keep_the_level(topics: int, systems: int) -> None:
    assert rejections(topics, systems, 0.3, 300, 7) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
@pytest.mark.parametrize("topics", [10, 20, 30, 100])
@pytest.mark.parametrize("systems", [1, 5, 12])
@pytest.mark.parametrize("shared", [0.0, 0.3, 1.0])
def test_topic_means_keep_the_level_everywhere(topics: int, systems: int, shared: float) -> None:
    found = rejections(topics, systems, shared, 4000, 11)
    assert found < 0.065
