"""The human ceiling: assessors and measures with leave-one-out means."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau, pearsonr, spearmanr, t

from adjudge.core.errors import UsageError
from adjudge.stats import pairwise
from adjudge.stats.agreement import cluster_draws
from adjudge.stats.ceiling import CeilingCoefficient, human_ceiling, leave_one_out
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import CorrelationLevel, correlations

NAN = math.nan
LEVELS: tuple[CorrelationLevel, ...] = ("system", "input", "global")


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


# Plain twins


def plain_rest(judged: FloatArray) -> FloatArray:
    found = np.full(judged.shape, NAN)
    for a, topic, system in np.ndindex(*judged.shape):
        others = [x for b, x in enumerate(judged[:, topic, system]) if b != a and not math.isnan(x)]
        if others and not math.isnan(judged[a, topic, system]):
            found[a, topic, system] = sum(others) / len(others)
    return found


def plain_coefficient(x: FloatArray, y: FloatArray, coefficient: CeilingCoefficient) -> float:
    known = ~np.isnan(x + y)
    x, y = x[known], y[known]
    if coefficient == "pairwise":
        pairs = list(combinations(range(x.size), 2))
        same = [np.sign(round(x[i] - x[j], 9)) == np.sign(round(y[i] - y[j], 9)) for i, j in pairs]
        return float(np.mean(same)) if pairs else NAN
    x, y = x.round(9), y.round(9)
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return NAN
    if coefficient.startswith("kendall"):
        return float(kendalltau(x, y, variant=coefficient[-1]).statistic)
    return float((pearsonr if coefficient == "pearson" else spearmanr)(x, y).statistic)


def plain_ties(values: FloatArray, level: str) -> bool:
    """Whether every pair is tied: of systems' means, or within topics."""
    rows = values
    if level == "system":
        rows = np.nanmean(values[:, ~np.isnan(values).all(axis=0)], axis=0)[None]
    return all(np.ptp(row[~np.isnan(row)].round(9)) == 0 for row in rows if not np.isnan(row).all())


def plain(x: FloatArray, y: FloatArray, level: str, coefficient: CeilingCoefficient) -> float:
    missing = np.isnan(x + y)
    x, y = np.where(missing, NAN, x), np.where(missing, NAN, y)
    if coefficient == "pairwise" and (plain_ties(x, level) or plain_ties(y, level)):
        return NAN
    if level == "global":
        return plain_coefficient(x.ravel(), y.ravel(), coefficient)
    if level == "system":
        there = ~missing.all(axis=0)
        return plain_coefficient(
            np.nanmean(x[:, there], axis=0), np.nanmean(y[:, there], axis=0), coefficient
        )
    by_topic = [plain_coefficient(a, b, coefficient) for a, b in zip(x, y, strict=True)]
    defined = [each for each in by_topic if not math.isnan(each)]
    return float(np.mean(defined)) if defined else NAN


def plain_ceiling(
    measure: FloatArray, judged: FloatArray, level: str, coefficient: CeilingCoefficient
) -> tuple[float, float, int]:
    """The measure's mean, the assessors' on the same cells, and how many assessors count."""
    pairs = []
    for own, rest in zip(judged, plain_rest(judged), strict=True):
        rest = np.where(np.isnan(measure), NAN, rest)
        pair = plain(measure, rest, level, coefficient), plain(own, rest, level, coefficient)
        if not math.isnan(sum(pair)):
            pairs.append(pair)
    if not pairs:
        return NAN, NAN, 0
    return float(np.mean([m for m, _ in pairs])), float(np.mean([c for _, c in pairs])), len(pairs)


JUDGED = st.tuples(st.integers(2, 4), st.integers(1, 4), st.integers(3, 5)).flatmap(
    lambda shape: st.tuples(
        arrays(float, (2, *shape[1:]), elements=st.sampled_from([0.0, 0.5, 1.0, 2.25, NAN])),
        arrays(float, shape, elements=st.sampled_from([1.0, 2.0, 3.0, 5.0, NAN])),
    )
)
COEFFICIENTS = st.sampled_from(["pearson", "spearman", "kendall-b", "kendall-c", "pairwise"])


@given(JUDGED, st.sampled_from(LEVELS), COEFFICIENTS)
def test_equals_the_plain_twin(
    both: tuple[FloatArray, FloatArray], level: CorrelationLevel, coefficient: CeilingCoefficient
) -> None:
    measures, judged = both
    if level == "global" and coefficient == "pairwise":
        return
    found = human_ceiling(measures, judged, level=level, coefficient=coefficient, rng=rng(), resamples=0)
    for m, measure in enumerate(measures):
        value, ceiling, assessors = plain_ceiling(measure, judged, level, coefficient)
        assert found.values[m] == pytest.approx(value, abs=1e-9, nan_ok=True)
        assert found.ceilings[m] == pytest.approx(ceiling, abs=1e-9, nan_ok=True)
        assert found.assessors[m] == assessors
        assert (found.why[m] is None) == (assessors > 0)
    np.testing.assert_allclose(leave_one_out(judged), plain_rest(judged), atol=1e-12)
    counts = (~np.isnan(judged)).sum(axis=0)
    assert (found.shared, found.alone) == ((counts > 1).sum(), (counts == 1).sum())


def ratings(
    seed: int, *, topics: int = 12, systems: int = 6, assessors: int = 3
) -> tuple[FloatArray, FloatArray]:
    """A measure and assessors who all see the truth with equal noise."""
    draw = np.random.default_rng(seed)
    truth = draw.normal(size=systems) * 0.5 + draw.normal(size=(topics, systems))
    seen = truth + draw.normal(size=(assessors + 1, topics, systems))
    return seen[:1], seen[1:]


@pytest.mark.parametrize("level", LEVELS)
def test_against_the_mean_of_all_a_measure_as_good_as_an_assessor_looks_better(
    level: CorrelationLevel,
) -> None:
    """It is exactly as good; leave-one-out says so, the mean of all does not."""
    all_of, left_out = [], []
    for seed in range(150):
        measure, judged = ratings(seed)
        found = human_ceiling(measure, judged, level=level, coefficient="pearson", rng=rng(), resamples=0)
        with_all = correlations(measure, judged.mean(axis=0), level=level, coefficient="pearson").values[0]
        all_of.append(with_all - found.ceiling)
        left_out.append(found.difference[0])
    error = np.std(left_out) / math.sqrt(len(left_out))
    assert abs(np.mean(left_out)) < 3 * error
    assert np.mean(all_of) > 0.02
    assert np.mean(all_of) > 5 * np.std(np.subtract(all_of, left_out)) / math.sqrt(len(all_of))


def test_a_measure_as_good_as_an_assessor_is_seldom_said_to_be_above() -> None:
    above = 0
    for seed in range(40):
        measure, judged = ratings(seed, topics=20)
        found = human_ceiling(
            measure, judged, level="input", coefficient="kendall-b", rng=rng(), resamples=100
        )
        above += bool(found.low[0] > 0)
    assert above <= 4  # one in forty is expected at the 95 % level, from one side


def test_a_clearly_better_measure_is_above_and_a_worse_one_below() -> None:
    draw = np.random.default_rng(4)
    truth = draw.normal(size=(40, 8))
    judged = truth + 2 * draw.normal(size=(5, 40, 8))
    measures = np.stack([truth, draw.normal(size=(40, 8))])
    for level in ("input", "global"):
        found = human_ceiling(measures, judged, level=level, coefficient="pearson", rng=rng(), resamples=200)
        assert found.low[0] > 0
        assert found.high[1] < 0
        assert found.over == ("topics", "assessors")


# Intervals


@pytest.mark.parametrize("level", ["system", "input"])
@pytest.mark.parametrize("coefficient", ["pearson", "pairwise"])
@pytest.mark.parametrize("clusters", [None, [k // 2 for k in range(12)]])
def test_intervals_equal_a_loop_over_resamples(
    level: CorrelationLevel, coefficient: CeilingCoefficient, clusters: list[int] | None
) -> None:
    """Resampled topics, then every assessor left out entirely; Student's t with Satterthwaite's freedom."""
    measure, judged = ratings(3)
    judged[0, 3, 2] = measure[0, 5, 1] = NAN
    given: dict[str, Any] = {"level": level, "coefficient": coefficient, "clusters": clusters}
    found = human_ceiling(measure, judged, rng=rng(), resamples=15, confidence=0.9, **given)

    def difference(rows: list[int], people: list[int]) -> float:
        value, ceiling, _ = plain_ceiling(measure[0][rows], judged[people][:, rows], level, coefficient)
        return value - ceiling

    own = clusters or list(range(12))
    many = max(own) + 1
    drawn = [
        difference([t for t in range(12) for _ in range(int(times[own[t]]))], [0, 1, 2])
        for times in cluster_draws(rng(), many, 15)
    ]
    topics = np.var(drawn, ddof=1) * many / (many - 1)
    without = [difference(list(range(12)), [b for b in range(3) if b != a]) for a in range(3)]
    people = np.var(without) * 3 * 2 / 3
    freedom = (topics + people) ** 2 / (topics**2 / (many - 1) + people**2 / 2)
    half = t.ppf(0.95, freedom) * math.sqrt(topics + people)
    expected = difference(list(range(12)), [0, 1, 2])
    assert found.difference[0] == pytest.approx(expected, abs=1e-9)
    assert (found.low[0], found.high[0]) == pytest.approx((expected - half, expected + half), abs=1e-9)


def test_at_the_global_level_groups_of_topics_are_left_out() -> None:
    measure, judged = ratings(3, assessors=2)
    found = human_ceiling(measure, judged, level="global", coefficient="spearman", rng=rng())
    without = []
    for topic in range(12):
        rows = [k for k in range(12) if k != topic]
        value, ceiling, _ = plain_ceiling(measure[0][rows], judged[:, rows], "global", "spearman")
        without.append(value - ceiling)
    half = t.ppf(0.975, 11) * math.sqrt(np.var(without) * 11)
    assert found.high[0] - found.difference[0] == pytest.approx(half, abs=1e-9)
    assert found.over == ("topics",)  # two assessors: without one there is nobody to agree with


def test_assessors_of_different_topics() -> None:
    """Everybody judged some topics; what nobody else judged does not count."""
    measure, judged = ratings(5, topics=12, assessors=4)
    judged[0, 6:] = judged[1, :6] = judged[2, 3:] = NAN
    judged[3, 8:] = NAN  # topics 8 to 11: the second assessor alone
    found = human_ceiling(measure, judged, level="input", coefficient="kendall-b", rng=rng(), resamples=50)
    assert (found.alone, found.shared) == (4 * 6, 8 * 6)
    value, ceiling, assessors = plain_ceiling(measure[0], judged, "input", "kendall-b")
    assert (found.values[0], found.ceilings[0], found.assessors[0]) == pytest.approx(
        (value, ceiling, assessors)
    )
    assert assessors == 4


@pytest.mark.parametrize(
    ("people", "why"),
    [
        ([[1.0, 2.0, 3.0]], "there is one assessor, and nobody to agree with"),
        ([[1.0, 2.0, 3.0], [NAN] * 3], "there is one assessor, and nobody to agree with"),
        ([[NAN] * 3, [NAN] * 3], "nobody judged"),
        ([[1.0, NAN, NAN], [NAN, 2.0, 3.0]], "nothing was judged by two assessors"),
        ([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]], "no assessor has a coefficient with the mean of the rest"),
    ],
)
def test_no_ceiling_says_why(people: list[list[float]], why: str) -> None:
    judged = np.array(people)[:, None, :]
    found = human_ceiling([[[3.0, 1.0, 2.0]]], judged, level="input", coefficient="pearson", rng=rng())
    assert found.why == (why,)
    assert found.why_no_interval == (why,)
    assert math.isnan(found.difference[0])


def test_a_constant_measure_and_few_topics_say_why() -> None:
    measure, judged = ratings(1)
    found = human_ceiling(measure * 0, judged, level="input", coefficient="pearson", rng=rng())
    assert found.why == (pairwise.MEASURE_TIES_TOPICS,)
    assert not math.isnan(found.ceiling)
    for level, coefficient, why in (
        ("input", "pairwise", pairwise.MEASURE_TIES_TOPICS),
        ("system", "pairwise", pairwise.MEASURE_TIES_SYSTEMS),
        ("system", "kendall-b", pairwise.MEASURE_TIES_SYSTEMS),
        ("global", "pearson", "all scores of the measure are the same"),
    ):
        flat = human_ceiling(measure * 0 + 0.1, judged, level=level, coefficient=coefficient, rng=rng())  # type: ignore[arg-type]
        assert flat.why == flat.why_no_interval == (why,)
        assert np.isnan([flat.values[0], flat.ceilings[0], flat.difference[0], flat.low[0]]).all()
        assert not math.isnan(flat.ceiling)
    gone = human_ceiling(measure * NAN, judged, level="input", coefficient="pearson", rng=rng())
    assert gone.why == ("the measure scored nothing that two assessors judged",)
    few = human_ceiling(measure[:, :3], judged[:, :3], level="input", coefficient="pearson", rng=rng())
    assert few.why_no_interval == ("needs 5 topics or clusters of topics, has 3",)
    same = human_ceiling(judged[:1], judged[[0, 0]], level="input", coefficient="pearson", rng=rng())
    assert same.why_no_interval == ("the difference is the same in every resample",)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", ["pearson", "kendall-b", "pairwise"])
def test_the_scale_of_scores_does_not_matter(
    level: CorrelationLevel, coefficient: CeilingCoefficient
) -> None:
    if level == "global" and coefficient == "pairwise":
        return
    measure, judged = ratings(2)
    given: dict[str, Any] = {"level": level, "coefficient": coefficient, "resamples": 30}
    one = human_ceiling(measure, judged, rng=rng(), **given)
    other = human_ceiling(measure * 1e300, judged * 1e300, rng=rng(), **given)
    for name in ("values", "ceilings", "difference", "low", "high"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-9)


def test_mistakes() -> None:
    measure, judged = ratings(1)
    given: dict[str, Any] = {"level": "global", "rng": rng()}
    with pytest.raises(UsageError, match="there is none at the global level"):
        human_ceiling(measure, judged, coefficient="pairwise", **given)
    with pytest.raises(UsageError, match="the same topics x systems"):
        human_ceiling(measure[:, :3], judged, coefficient="pearson", **given)
    with pytest.raises(UsageError, match="clusters: expected one for each of 12"):
        human_ceiling(measure, judged, coefficient="pearson", clusters=[1], **given)


@pytest.mark.shared_data
def test_summevals_experts_equal_loops_over_scipy(shared_data: Path) -> None:
    with (shared_data / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    topics, systems = (sorted({each[key] for each in records}) for key in ("id", "model_id"))
    judged, words = np.full((3, 100, 12), NAN), np.full((1, 100, 12), NAN)
    for each in records:
        at = topics.index(each["id"]), systems.index(each["model_id"])
        judged[:, *at] = [one["relevance"] for one in each["expert_annotations"]]
        words[0, *at] = len(each["decoded"].split())
    for level in LEVELS:
        for coefficient in ("pearson", "spearman", "kendall-b", "kendall-c", "pairwise"):
            if (level, coefficient) != ("global", "pairwise"):
                how: CeilingCoefficient = coefficient
                found = human_ceiling(words, judged, level=level, coefficient=how, rng=rng(), resamples=0)
                value, ceiling, _ = plain_ceiling(words[0], judged, level, how)
                assert found.values[0] == pytest.approx(value, abs=1e-12)
                assert found.ceilings[0] == pytest.approx(ceiling, abs=1e-12)
                assert found.ceiling == pytest.approx(ceiling, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("assessors", [3, 6])
@pytest.mark.parametrize(
    ("level", "coefficient"), [("input", "kendall-b"), ("system", "pearson"), ("global", "spearman")]
)
def test_intervals_cover_the_difference_that_others_would_give(
    level: CorrelationLevel, coefficient: CeilingCoefficient, assessors: int
) -> None:
    """95 % intervals for other topics and other assessors, who differ in care and in taste."""
    draw = np.random.default_rng(assessors)
    worth = draw.normal(size=8) * 0.7

    def difference(resamples: int) -> tuple[float, float, float]:
        truth = worth + draw.normal(size=(30, 8)) * 0.7
        care, taste = (
            np.exp(0.3 * draw.normal(size=(assessors, 1, 1))),
            0.3 * draw.normal(size=(assessors, 1, 8)),
        )
        judged = truth + taste + care * draw.normal(size=(assessors, 30, 8))
        measure = truth + draw.normal(size=(1, 30, 8))
        found = human_ceiling(
            measure, judged, level=level, coefficient=coefficient, rng=draw, resamples=resamples
        )
        return float(found.difference[0]), float(found.low[0]), float(found.high[0])

    expected = np.mean([difference(0)[0] for _ in range(600)])
    inside = [low <= expected <= high for _, low, high in (difference(200) for _ in range(200))]
    assert np.mean(inside) > 0.90
