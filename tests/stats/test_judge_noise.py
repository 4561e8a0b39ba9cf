"""Judge noise: components from mean squares, probabilities from Student's t, designs, resampling, size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judge_noise import ASSESSOR, SYSTEM, TOPIC, JudgeNoise, judge_noise
from adjudge.stats.linear.judged_pairs import judged_pairs


def crossed(systems: int, topics: int, assessors: int) -> tuple[IntArray, IntArray, IntArray]:
    grid = np.meshgrid(range(systems), range(topics), range(assessors), indexing="ij")
    system, topic, assessor = (each.ravel() for each in grid)
    return system, topic, assessor


def scores(seed: int, s: IntArray, t: IntArray, a: IntArray, *, by_assessor: float = 0.3) -> FloatArray:
    """Systems half a unit apart, and effects of everything."""
    rng = np.random.default_rng(seed)
    sizes = s.max() + 1, t.max() + 1, a.max() + 1
    found = 0.5 * s + rng.normal(0, 0.5, sizes[1])[t] + rng.normal(0, 0.3, sizes[2])[a]
    found = found + rng.normal(0, 0.3, (sizes[0], sizes[1]))[s, t]
    found = found + rng.normal(0, by_assessor, (sizes[0], sizes[2]))[s, a]
    return np.asarray(found + rng.normal(0, 0.5, s.size))


def found_for(values: FloatArray, *factors: IntArray, seed: int = 1, **options: object) -> JudgeNoise:
    return judge_noise(values, *factors, rng=np.random.default_rng(seed), **options)  # type: ignore[arg-type]


def test_a_balanced_design_equals_its_mean_squares() -> None:
    """The variance of a difference for assessors like these is 2 MS(system x assessor) / (topics x assessors)."""
    systems, topics, assessors = 4, 15, 5
    design = crossed(systems, topics, assessors)
    values = scores(3, *design)
    cube = values.reshape(systems, topics, assessors)
    found = found_for(values, *design)
    assert found.means == pytest.approx(cube.mean(axis=(1, 2)))
    by = cube.mean(axis=1)
    inter = by - by.mean(axis=0) - by.mean(axis=1, keepdims=True) + by.mean()
    ms = topics * (inter**2).sum() / ((systems - 1) * (assessors - 1))
    three = cube - cube.mean(axis=0) - cube.mean(axis=1, keepdims=True) - cube.mean(axis=2, keepdims=True)
    three = three + cube.mean(axis=(0, 1)) + cube.mean(axis=(0, 2))[:, None]
    three = three + cube.mean(axis=(1, 2))[:, None, None] - cube.mean()
    noise = (three**2).sum() / ((systems - 1) * (topics - 1) * (assessors - 1))
    assert found.variances[-1] == pytest.approx(noise, rel=1e-6)
    assert found.variance((SYSTEM, ASSESSOR)) == pytest.approx((ms - noise) / topics, rel=1e-5)
    assert found.assessor_df == (systems - 1) * (assessors - 1)
    assert found.these is not None
    assert found.like is not None
    assert found.these.df == (systems - 1) * (topics - 1) * (assessors - 1)
    difference = found.means[:, None] - found.means
    off = ~np.eye(systems, dtype=bool)
    for drawn, square, df in ((found.like, ms, found.assessor_df), (found.these, noise, found.these.df)):
        expected = student.cdf(difference / math.sqrt(2 * square / (topics * assessors)), df)
        assert drawn.beats[off] == pytest.approx(expected[off], abs=0.02)  # 10,000 draws: s.e. .005
    assert found.like.beats[off] == pytest.approx(1 - found.like.beats.T[off])
    assert found.separated


def test_rank_ranges_hold_the_level_of_the_draws_and_widen_for_other_assessors() -> None:
    design = crossed(6, 10, 3)
    values = scores(1, *design, by_assessor=0.6)
    found = found_for(values, *design)
    assert found.these is not None
    assert found.like is not None
    assert (found.like.high - found.like.low >= found.these.high - found.these.low).all()
    assert (found.like.high > found.these.high).any()
    assert (found.like.low <= found.ranks).all()
    assert (found.ranks <= found.like.high).all()
    assert found.like.best.sum() == pytest.approx(1)
    assert found.ranks[5] == 1
    lower = found_for(values, *design, better="lower")
    assert lower.ranks.tolist() == (7 - found.ranks).tolist()


def test_the_same_seed_gives_the_same_draws() -> None:
    design = crossed(3, 6, 3)
    values = scores(2, *design)
    one, same, other = (found_for(values, *design, seed=seed).like for seed in (4, 4, 5))
    assert one is not None and same is not None and other is not None  # noqa: PT018
    assert np.array_equal(one.beats, same.beats, equal_nan=True)
    assert not np.array_equal(one.beats, other.beats, equal_nan=True)


def test_what_an_assessor_adds_everywhere_changes_nothing() -> None:
    design = crossed(4, 10, 4)
    values = scores(5, *design)
    shifted = values + np.array([0.0, 3.0, -2.0, 8.0])[design[ASSESSOR]]
    one, other = found_for(values, *design).like, found_for(shifted, *design).like
    assert one is not None
    assert other is not None
    assert one.beats == pytest.approx(other.beats, abs=0.02, nan_ok=True)


def test_blocks_of_assessors_with_topics_of_their_own() -> None:
    s, t, a = crossed(4, 12, 3)
    assessor = a + 3 * (t // 6)  # two groups of three
    found = found_for(scores(6, s, t, assessor), s, t, assessor)
    assert (found.assessors, found.assessor_df) == (6, 3 * (6 - 2))
    assert found.like is not None
    assert found.like.df == 12


def test_one_assessor_per_topic_cannot_separate_topics_from_noise() -> None:
    s, t, _ = crossed(4, 20, 1)
    assessor = t % 5
    found = found_for(scores(7, s, t, assessor), s, t, assessor)
    assert not found.separated
    assert (TOPIC, ASSESSOR) not in found.terms
    assert found.assessor_df == 3 * 4
    assert found.like is not None


def test_an_assessor_for_every_topic_says_nothing_of_others() -> None:
    s, t, _ = crossed(4, 20, 1)
    found = found_for(scores(8, s, t, t), s, t, t)
    assert found.these is not None
    assert found.like is None
    assert found.why_not_like == Note.of("few-shared")


def test_whoever_was_assigned_and_missing_scores() -> None:
    """Two of eight assessors for every summary, and holes: the model is fitted to what there is."""
    rng = np.random.default_rng(9)
    s, t, a = crossed(4, 30, 8)
    kept = rng.permuted(np.tile(np.arange(8) < 2, (120, 1)), axis=1).ravel()
    s, t, a = s[kept], t[kept], a[kept]
    values = scores(10, s, t, a)
    values[:5] = np.nan
    found = found_for(values, s, t, a)
    assert found.rows == values.size - 5
    assert not found.complete
    assert (SYSTEM, ASSESSOR) in found.terms
    assert (TOPIC, ASSESSOR) not in found.terms  # hardly two judged the same system on a topic
    assert found.like is not None
    assert found.like.beats[3, 0] > 0.9


def gaps(seed: int = 0) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """0 is better than 1 and 2 everywhere, and 1 has the five easy ones of ten topics alone."""
    s, t, a = crossed(3, 10, 3)
    values = np.array([1.5, 1.0, 0.5])[s] + 3.0 * (t < 5)
    values = values + np.random.default_rng(seed).normal(0, 0.1, s.size)
    kept = (s != 1) | (t < 5)
    return values[kept], s[kept], t[kept], a[kept]


def test_systems_with_other_topics_are_ranked_by_adjusted_means() -> None:
    """The means that pairs are compared by, and the draws' variances from the estimate written out."""
    values, s, t, a = gaps()
    found = found_for(values, s, t, a)
    compared = judged_pairs(values, t, s, a, size=3)
    assert found.means == pytest.approx(compared.means, abs=1e-6)
    assert found.ranks.tolist() == [1, 2, 3]
    assert found.topics_of.tolist() == [10, 5, 10]
    assert found.like is not None
    assert found.like.beats[0, 1] > 0.99
    assert values[s == 1].mean() > values[s == 0].mean()  # which plain means would have said
    # (X' V^-1 X)^-1 X' V^-1 with dense matrices
    x = (s[:, None] == np.arange(3)).astype(float)
    v = found.variances[-1] * np.eye(s.size)
    for key, variance in zip(found.terms, found.variances[:-1], strict=True):
        same = np.all([each[:, None] == each for each in (np.stack([s, t, a])[list(key)])], axis=0)
        v = v + variance * same
    weights = np.linalg.solve(x.T @ np.linalg.solve(v, x), np.linalg.solve(v, x).T)
    assert found.means == pytest.approx(weights @ values, abs=1e-8)
    error = math.sqrt(found.variances[-1] * float(((weights[1] - weights[2]) ** 2).sum()))
    assert found.these is not None
    expected = student.cdf((found.means[1] - found.means[2]) / error, found.these.df)
    assert found.these.beats[1, 2] == pytest.approx(expected, abs=0.02)


def test_systems_without_common_topics_are_not_ranked() -> None:
    s, t, a = crossed(4, 8, 3)
    values = scores(2, s, t, a)
    kept = (s < 2) == (t < 4)
    found = found_for(values[kept], s[kept], t[kept], a[kept])
    assert found.why == Note.of("parts")
    assert found.part.tolist() == [0, 0, 1, 1]
    assert np.isnan(found.means).all()
    assert found.ranks.tolist() == [0, 0, 0, 0]
    chain = kept | ((s == 1) & (t > 3))  # the second system is judged on all topics
    found = found_for(values[chain], s[chain], t[chain], a[chain])
    assert (found.why, set(found.part.tolist())) == (None, {0})


def test_where_nothing_is_drawn_means_are_still_adjusted() -> None:
    values, s, t, a = gaps()
    one = a == 0
    found = found_for(values[one], s[one], t[one], a[one])
    assert found.why is not None
    assert found.ranks.tolist() == [1, 2, 3]


def test_resampled_means_are_adjusted_too() -> None:
    s, t, a = crossed(3, 10, 10)
    values = np.array([1.5, 1.0, 0.5])[s] + 3.0 * (t < 5) + np.random.default_rng(3).normal(0, 0.1, s.size)
    kept = (s != 1) | (t < 5)
    found = found_for(values[kept], s[kept], t[kept], a[kept], resample=True, draws=200)
    assert found.like is not None
    assert found.like.beats[0, 1] > 0.99


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ((1, 5, 3), Note.of("few-systems", systems=1)),
        ((3, 1, 3), Note.of("one-topic")),
        ((3, 5, 1), Note.of("one-assessor")),
    ],
)
def test_too_little_says_why(sizes: tuple[int, int, int], why: Note) -> None:
    design = crossed(*sizes)
    found = found_for(scores(0, *design), *design)
    assert (found.why, found.these, found.like) == (why, None, None)


def test_assessors_who_agree_in_everything_leave_no_noise() -> None:
    s, t, a = crossed(3, 5, 3)
    found = found_for(s + 0.1 * t, s, t, a)
    assert found.why == Note.of("exact-fit")


def test_resampling_takes_ten_assessors() -> None:
    design = crossed(3, 6, 9)
    with pytest.raises(UsageError, match="9 assessors are too few to resample them, 10 are needed"):
        found_for(scores(1, *design), *design, resample=True)
    design = crossed(3, 6, 12)
    values = scores(1, *design, by_assessor=1.0)
    model, again = found_for(values, *design), found_for(values, *design, resample=True, draws=2000)
    assert model.like is not None
    assert again.like is not None
    assert math.isnan(again.like.df)
    assert again.like.beats == pytest.approx(model.like.beats, abs=0.1, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("assessors", [3, 6])
def test_without_a_difference_probabilities_are_even(assessors: int) -> None:
    """Two systems that assessors of this sort find equal on average: beats is below .05 one time in twenty."""
    design = crossed(4, 20, assessors)
    low = pairs = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        s, t, a = design
        values = rng.normal(0, 0.5, 20)[t] + rng.normal(0, 0.3, (4, assessors))[s, a]
        values = values + rng.normal(0, 0.5, s.size)
        found = found_for(values, *design, draws=1000, seed=seed)
        assert found.like is not None
        off = ~np.eye(4, dtype=bool)
        low += int((found.like.beats[off] <= 0.05).sum())
        pairs += int(off.sum())
    assert 0.035 < low / pairs < 0.065  # 300 independent pairs or more: s.e. about .01
