"""What moves a judge: clustered estimates, order, slopes with a judge of any reliability, and what answers save."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_effects import (
    ClusteredEstimate,
    JudgeExcess,
    adjusted_square,
    clustered_mean,
    judge_excess,
    judgments_saved,
    order_effect,
    share_by_cluster,
)

LEVEL = 0.95


# Clustered estimates


def test_a_balanced_mean_is_a_t_test_of_cluster_means() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0.3, 1, size=(9, 4)) + rng.normal(size=(9, 1))
    found = clustered_mean(values.ravel(), [k for k in range(9) for _ in range(4)])
    expected = stats.ttest_1samp(values.mean(axis=1), 0)
    assert found.estimate == pytest.approx(values.mean())
    assert found.freedom == pytest.approx(8)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval(LEVEL) == pytest.approx(tuple(expected.confidence_interval(LEVEL)))


@examples(30)
@given(st.lists(st.integers(0, 5), min_size=6, max_size=30), st.integers(0, 10**6))
def test_a_mean_is_the_plain_jackknife(clusters: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=len(clusters))
    names = sorted(set(clusters))
    found = clustered_mean(values, clusters)
    assert found.estimate == pytest.approx(values.mean())
    assert (found.n, found.clusters) == (len(values), len(names))
    if len(names) < 2:
        assert math.isnan(found.error)
        assert found.why is not None
        return
    left = [values[[c != name for c in clusters]].mean() for name in names]
    jackknife = (len(names) - 1) / len(names) * sum((each - values.mean()) ** 2 for each in left)
    assert found.error == pytest.approx(math.sqrt(jackknife))
    shares = [clusters.count(name) / len(clusters) for name in names]
    assert found.freedom == pytest.approx(max(1 / sum(s * s for s in shares) - 1, 1))


def test_clusters_that_say_the_same_have_no_interval_but_a_sign_test() -> None:
    found = clustered_mean([0.5] * 8, [1, 1, 2, 2, 3, 3, 4, 4])
    assert found.is_flat
    assert all(map(math.isnan, found.interval()))
    assert found.p == pytest.approx(2 / 16)
    assert clustered_mean([0.0] * 4, [1, 2, 3, 4]).p == 1
    assert clustered_mean([math.nan], [1]).why == "there is nothing to average"
    assert math.isnan(ClusteredEstimate().p)


def test_a_share_is_counted_by_cluster() -> None:
    found = share_by_cluster([True, False, True, True], ["a", "a", "b", "b"], level=LEVEL)
    assert (found.hits_by_cluster, found.of) == ((1, 2), (2, 2))


# Order


def test_order_by_hand() -> None:
    first = [1, 1, 0, 1, 0.5, 0.5]
    second = [0, 1, 0, 1, 0.5, 1]
    found = order_effect(first, second, ["a", "a", "b", "b", "c", "c"])
    assert found is not None
    assert found.kept.hits == 2  # the first pair, and the tie both times
    assert (found.left.hits, found.right.hits) == (2, 1)
    assert found.bias == pytest.approx((0.5 + 1 + 0 + 1 + 0.5 + 0.75) / 6 - 0.5)
    assert order_effect([], [], []) is None


def test_a_judge_that_never_minds_order_is_still_uncertain() -> None:
    won = np.array([1.0, 0.0] * 20)
    found = order_effect(won, 1 - won, [k // 4 for k in range(40)])
    assert found is not None
    assert (found.kept.share, found.bias, found.p) == (1, 0, 1)
    # as many might have been moved as the share of kept choices leaves room for
    assert (found.low, found.high) == pytest.approx((-(1 - found.kept.low) / 2, (1 - found.kept.low) / 2))


def test_a_judge_that_always_takes_the_left_side() -> None:
    ones = np.ones(40)
    found = order_effect(ones, ones, [k // 4 for k in range(40)])
    assert found is not None
    assert found.bias == 0.5
    assert found.low == pytest.approx(found.left.low - 0.5)
    assert found.high == 0.5
    assert found.low > 0
    assert found.p == pytest.approx(2 / 2**10)


@pytest.mark.parametrize("bias", [0.0, 0.2])
def test_position_bias_is_covered(bias: float) -> None:
    rng = np.random.default_rng(1)
    covered = flagged = 0
    runs = 300
    for _ in range(runs):
        taste = rng.normal(0, 0.15, size=20).repeat(6)  # how far topics' first texts are better
        first = rng.random(120) < np.clip(0.5 + bias + taste, 0, 1)
        second = rng.random(120) < np.clip(0.5 + bias - taste, 0, 1)
        found = order_effect(first.astype(float), second.astype(float), np.arange(20).repeat(6).tolist())
        assert found is not None
        covered += found.low <= bias <= found.high
        flagged += found.p < 0.05
    assert covered / runs >= 0.92
    assert flagged / runs <= 0.08 if bias == 0 else flagged / runs > 0.95


# Slopes


@dataclass(frozen=True)
class Made:
    judge: FloatArray
    people: FloatArray
    column: FloatArray
    topics: list[int]

    def excess(self, **options: bool) -> JudgeExcess:
        return judge_excess(
            self.judge, self.people, self.column, topics=self.topics, clusters=self.topics, **options
        )


def made(
    rng: np.random.Generator,
    *,
    liking: float = 0.5,
    follows: float = 1.0,
    bias: float = 0.0,
    people_noise: float = 0.7,
    judge_noise: float = 0.5,
    topics: int = 20,
    systems: int = 8,
    people: int = 3,
    binary: bool = False,
) -> Made:
    """People like length by `liking`; a judge follows them, likes length by `bias` more, and errs."""
    shape = (topics, systems)
    column = (
        0.4 * rng.normal(size=shape) + 0.5 * rng.normal(size=(topics, 1)) + np.linspace(-0.5, 0.5, systems)
    )
    if binary:
        column = np.tile((np.arange(systems) < systems // 3).astype(float), (topics, 1))
    quality = liking * column + rng.normal(size=shape) + rng.normal(size=(topics, 1))
    severity = 0.3 * rng.normal(size=people)
    answers = quality[..., None] + severity + people_noise * rng.normal(size=(*shape, people))
    judge = follows * quality + bias * column + judge_noise * rng.normal(size=shape)
    return Made(
        judge=judge.ravel(),
        people=answers.reshape(-1, people),
        column=column.ravel(),
        topics=np.arange(topics).repeat(systems).tolist(),
    )


def within(values: FloatArray, topics: Sequence[int]) -> FloatArray:
    names = np.array(topics)
    return np.array([v - values[names == t].mean() for v, t in zip(values, names, strict=True)])


def test_the_difference_is_the_published_slope() -> None:
    """Standardised judge less standardised people on the column, within topics, by plain least squares."""
    data = made(np.random.default_rng(2), topics=6)
    found = data.excess()
    mean = data.people.mean(axis=1)
    outcome = data.judge / data.judge.std() - mean / mean.std()
    y, x = within(outcome, data.topics), within(data.column, data.topics)
    assert found.difference.estimate == pytest.approx(float(x @ y / (x @ x)))
    assert found.difference.estimate == pytest.approx(found.judge.estimate - found.people.estimate)
    left = []
    for topic in range(6):
        kept = np.array(data.topics) != topic
        left.append(float(x[kept] @ y[kept] / (x[kept] @ x[kept])))
    error = math.sqrt(5 / 6 * sum((each - found.difference.estimate) ** 2 for each in left))
    assert found.difference.error == pytest.approx(error)


def test_the_excess_is_two_stage_least_squares() -> None:
    """Of two people, each in turn the regressor and the other the instrument: the pooled estimating equations."""
    data = made(np.random.default_rng(3), people=2, topics=7)
    found = data.excess(standardise=False)
    y, x = within(data.judge, data.topics), within(data.column, data.topics)
    one, two = (within(data.people[:, k], data.topics) for k in (0, 1))

    def solved(kept: IntArray) -> FloatArray:
        a, b = np.zeros((2, 2)), np.zeros(2)
        for regressor, instrument in ((one, two), (two, one)):
            z = np.column_stack([instrument, x])[kept]
            a += z.T @ np.column_stack([regressor, x])[kept]
            b += z.T @ y[kept]
        found: FloatArray = np.linalg.solve(a, b).astype(np.float64)
        return found

    c, beta = solved(np.arange(len(y), dtype=np.int64))
    assert (found.follows, found.excess.estimate) == pytest.approx((c, beta))
    left = [solved(np.flatnonzero(np.array(data.topics) != t).astype(np.int64))[1] for t in range(7)]
    assert found.excess.error == pytest.approx(math.sqrt(6 / 7 * sum((each - beta) ** 2 for each in left)))


def test_units_and_severity_do_not_matter() -> None:
    data = made(np.random.default_rng(4), bias=0.4)
    found = data.excess()
    moved = Made(3 + 10 * data.judge, data.people + np.array([1.0, -2.0, 0.5]), data.column, data.topics)
    assert moved.excess().excess.estimate == pytest.approx(found.excess.estimate)
    assert moved.excess().excess.p == pytest.approx(found.excess.p)


def test_a_pair_turned_round_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    gap = rng.normal(size=200)
    wins = [(rng.normal(size=200) + 0.4 * gap > 0) - 0.5 for _ in range(4)]
    judge, people = wins[0], np.column_stack(wins[1:])
    clusters = np.arange(200) // 10
    turned = rng.choice([-1.0, 1.0], size=200)
    first = judge_excess(judge, people, gap, topics=None, clusters=clusters.tolist(), standardise=False)
    again = judge_excess(
        judge * turned,
        people * turned[:, None],
        gap * turned,
        topics=None,
        clusters=clusters.tolist(),
        standardise=False,
    )
    assert again.difference == first.difference
    assert again.excess.estimate == pytest.approx(first.excess.estimate, nan_ok=True)


def test_even_topics_give_the_mean_over_topics() -> None:
    """Of a column of 0 and 1: the mean over topics of the two groups' differences, where systems are missing too."""
    data = made(np.random.default_rng(6), binary=True, topics=8)
    judge = data.judge.copy()
    judge[[1, 9, 10, 30]] = np.nan
    found = judge_excess(
        judge,
        data.people,
        data.column,
        topics=data.topics,
        clusters=data.topics,
        standardise=False,
        even=True,
    )
    gaps = []
    for topic in range(8):
        own = (np.array(data.topics) == topic) & ~np.isnan(judge)
        apart = judge - data.people.mean(axis=1)
        gaps.append(apart[own & (data.column == 1)].mean() - apart[own & (data.column == 0)].mean())
    expected = stats.ttest_1samp(gaps, 0)
    assert found.difference.estimate == pytest.approx(np.mean(gaps))
    assert found.difference.p == pytest.approx(expected.pvalue)


def test_what_cannot_be_said_says_why() -> None:
    data = made(np.random.default_rng(7))
    alone = judge_excess(
        data.judge, data.people[:, :1], data.column, topics=data.topics, clusters=data.topics
    )
    assert "answered by two people" in str(alone.excess.why)
    assert alone.difference.why is None
    constant = judge_excess(
        np.full(160, 4.0),
        data.people,
        data.column,
        topics=data.topics,
        clusters=data.topics,
        standardise=False,
    )
    assert constant.excess.why == constant.difference.why == "all answers of the judge are the same"
    same = judge_excess(data.judge, data.people, np.ones(160), topics=data.topics, clusters=data.topics)
    assert same.difference.why == same.excess.why == "no two things of a topic differ in it"
    noise = np.random.default_rng(0).normal(size=data.people.shape)
    apart = judge_excess(data.judge, noise, data.column, topics=data.topics, clusters=data.topics)
    assert apart.excess.why == "people agree too little to say what they find as good"
    nobody = judge_excess(
        np.full(160, np.nan), data.people, data.column, topics=data.topics, clusters=data.topics
    )
    assert nobody.difference.why == "nothing was answered by both"
    with pytest.raises(UsageError, match="one for every thing"):
        judge_excess(data.judge, data.people, data.column[1:], topics=None, clusters=data.topics)


NO_BIAS = {
    "as people": {},
    "half the scale": {"follows": 0.5},
    "random": {"follows": 0.0},
    "noisy, people love length": {"follows": 0.5, "liking": 1.0, "judge_noise": 1.5},
    "people hardly agree": {"follows": 0.5, "liking": 1.0, "people_noise": 2.0},
    "people agree too little": {"liking": 1.0, "people_noise": 3.0, "people": 2},
    "few topics": {"topics": 10, "follows": 0.3, "liking": 1.0},
    "few of everything": {"topics": 10, "systems": 4, "people": 2, "liking": 1.0, "judge_noise": 3.0},
}


def _flagged(seed: int, runs: int, **settings: float) -> tuple[float, float]:
    """How often a judge is said to be moved: by the plain difference, and among things that people find as good."""
    rng = np.random.default_rng(seed)
    plain = excess = 0
    for _ in range(runs):
        found = made(rng, **settings).excess()  # type: ignore[arg-type]
        plain += found.difference.p < 0.05
        excess += found.excess.p < 0.05  # not where it is not known
    return plain / runs, excess / runs


def test_a_random_judge_does_not_seem_to_dislike_length() -> None:
    """The plain difference says so of a judge that knows nothing, where people like long texts."""
    plain, excess = _flagged(8, 150, follows=0.0, liking=1.0)
    assert plain > 0.8
    assert excess <= 0.09


@pytest.mark.slow
@pytest.mark.parametrize("settings", NO_BIAS.values(), ids=NO_BIAS)
def test_a_judge_without_bias_is_not_flagged(settings: dict[str, float]) -> None:
    _, excess = _flagged(9, 2000, **settings)
    assert excess <= 0.065


@pytest.mark.parametrize(("runs", "least"), [(100, 0.88), pytest.param(2000, 0.935, marks=pytest.mark.slow)])
@pytest.mark.parametrize("follows", [0.4, 1.0])
@pytest.mark.parametrize("binary", [False, True])
def test_a_bias_is_covered(runs: int, least: float, follows: float, binary: bool) -> None:
    """A length-loving judge, and one that gives its own family half a point more."""
    rng = np.random.default_rng(10)
    covered = shown = 0
    for _ in range(runs):
        data = made(rng, bias=0.5, follows=follows, liking=0.8, binary=binary)
        found = data.excess(standardise=False, even=binary).excess
        low, high = found.interval(LEVEL)
        covered += low <= 0.5 <= high
        shown += found.p < 0.05
    assert covered / runs >= least
    assert shown / runs > 0.8


@pytest.mark.parametrize(("runs", "most"), [(60, 0.13), pytest.param(1500, 0.065, marks=pytest.mark.slow)])
def test_a_judge_of_pairs_without_bias_is_not_flagged(runs: int, most: float) -> None:
    """One that minds the side more than people do, and so follows them less; people like length."""
    rng = np.random.default_rng(16)
    topics, pairs = 24, 21
    clusters = np.arange(topics).repeat(pairs).tolist()
    flagged = 0
    for _ in range(runs):
        longer = rng.normal(size=topics * pairs)
        share = 1 / (1 + np.exp(-0.5 * longer - 1.2 * rng.normal(size=topics * pairs)))
        people = (rng.random((3, topics * pairs)) < share).T - 0.5
        swapped = rng.random(topics * pairs) < 0.5
        left = np.where(swapped, 1 - share, share)
        wins = rng.random(topics * pairs) < left + np.minimum(left, 1 - left)
        judge = np.where(swapped, ~wins, wins) - 0.5
        found = judge_excess(judge, people, longer, topics=None, clusters=clusters, standardise=False)
        flagged += found.excess.p < 0.05
    assert flagged / runs <= most


# What a judge saves


def test_saving_by_hand() -> None:
    rng = np.random.default_rng(11)
    people, judge = rng.normal(size=(12, 3)), rng.normal(size=(15, 3))
    judge[:12] += people
    both = np.vstack([people, np.full((3, 3), np.nan)])
    found = judgments_saved(both, judge, range(15), rng=np.random.default_rng(0), resamples=200)
    squares = []
    correlations = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        r = np.corrcoef(people[:, i] - people[:, j], (judge[:, i] - judge[:, j])[:12])[0, 1]
        correlations.append(r)
        squares.append(max(1 - (1 - r**2) * 11 / 10, 0))
    assert (found.systems, found.pairs, found.topics, found.further) == (3, 3, 12, 3)
    assert found.squared == pytest.approx(sorted(squares)[1])
    assert (found.least, found.most) == pytest.approx((min(squares), max(squares)))
    assert found.low <= found.squared <= found.high
    assert found.counts_as() == pytest.approx(12 / (1 - found.squared))
    assert found.counts_as(further=3) == pytest.approx(12 / (1 - found.squared * 3 / 15))
    assert found.counts_as(1.0) == math.inf
    assert found.counts_as(1.0, further=3) == pytest.approx(15)


def test_the_saving_is_the_ratio_of_two_variances() -> None:
    """With ever more judged topics: residuals of the regression with n - 2, over people's variance with n - 1."""
    rng = np.random.default_rng(12)
    d = rng.normal(size=20)
    f = 0.7 * d + rng.normal(size=20)
    scores = np.column_stack([d, np.zeros(20)])
    found = judgments_saved(scores, np.column_stack([f, np.zeros(20)]), range(20), rng=rng, resamples=50)
    fitted = stats.linregress(f, d)
    left = d - fitted.slope * f
    ratio = (left.var() / 18) / (d.var() / 19)
    assert found.counts_as() == pytest.approx(20 / ratio)


def test_a_useless_judge_saves_nothing() -> None:
    rng = np.random.default_rng(13)
    people = rng.normal(size=(20, 6))
    for judge in (np.full((20, 6), 4.0), rng.normal(size=(20, 6)), -people):
        found = judgments_saved(people, judge, range(20), rng=rng, resamples=100)
        assert found.counts_as() < 21
    assert found.squared == found.high == 0  # one that says the opposite is not used
    same = judgments_saved(people, people * 3 + 1, range(20), rng=rng, resamples=100)
    assert same.squared == pytest.approx(1)
    flat = judgments_saved(np.ones((20, 2)), people[:, :2], range(20), rng=rng)
    assert "differences" in str(flat.why)
    with pytest.raises(UsageError, match="the same topics"):
        judgments_saved(people, people[1:], range(20), rng=rng)


def test_the_adjusted_square_of_noise_is_0_on_average() -> None:
    rng = np.random.default_rng(14)
    r = np.array([stats.pearsonr(*rng.normal(size=(2, 8))).statistic for _ in range(4000)])
    unclipped = 1 - (1 - r**2) * 7 / 6
    assert abs(unclipped.mean()) < 0.01
    assert adjusted_square(np.abs(r), 8) == pytest.approx(np.maximum(unclipped, 0))


@pytest.mark.parametrize(
    ("runs", "topics", "least"),
    [(60, 30, 0.83), pytest.param(1000, 30, 0.92, marks=pytest.mark.slow)],
)
def test_rho_squared_is_covered(runs: int, topics: int, least: float) -> None:
    rng = np.random.default_rng(15)
    covered = 0
    for _ in range(runs):
        people = rng.normal(size=(topics, 5))
        judge = people + rng.normal(size=(topics, 5))
        found = judgments_saved(people, judge, range(topics), rng=rng, resamples=300)
        covered += found.low <= 0.5 <= found.high
    assert covered / runs >= least
