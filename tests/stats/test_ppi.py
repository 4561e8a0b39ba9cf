"""Prediction-powered means: ppi-python's numbers, plain twins, and coverage with good, useless and biased judges."""

from __future__ import annotations

import csv
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import skew, ttest_1samp
from scipy.stats import t as student

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.ppi import (
    CLIP,
    FREE,
    FROM_ZERO,
    Clip,
    PoweredMean,
    least_varied,
    powered_mean,
    random_labels_p,
    tuned_weight,
)

DATA = Path(__file__).parent / "data"
Case = tuple[FloatArray, FloatArray, FloatArray]


def golden() -> dict[str, Case]:
    rows: dict[str, list[dict[str, str]]] = {}
    with (DATA / "ppi_cases.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            rows.setdefault(row["case"], []).append(row)
    return {
        name: (
            np.array([float(r["y"]) for r in some if r["y"]]),
            np.array([float(r["f"]) for r in some if r["y"]]),
            np.array([float(r["f"]) for r in some if not r["y"]]),
        )
        for name, some in rows.items()
    }


CASES = golden()
with (DATA / "ppi_expected.csv").open(newline="") as lines:
    EXPECTED = {row.pop("case"): {k: float(v) for k, v in row.items()} for row in csv.DictReader(lines)}


@pytest.mark.parametrize("name", CASES)
def test_ppi_pythons_lambda_estimate_and_interval(name: str) -> None:
    # ppi-python 0.2.3, see data/ppi_oracle.py
    found, expected = powered_mean(*CASES[name], reference="z"), EXPECTED[name]
    assert found.weight == pytest.approx(expected["lambda"], abs=1e-9)
    assert tuned_weight(*CASES[name]) == found.weight
    assert found.estimate == pytest.approx(expected["estimate"], abs=1e-9)
    for level in (90, 95):
        ends = expected[f"low_{level}"], expected[f"high_{level}"]
        assert found.interval(level / 100) == pytest.approx(ends, abs=1e-9)
    assert found.df == math.inf


def test_lambda_is_clipped_at_both_ends_unless_free() -> None:
    opposite, narrow = CASES["the opposite: lambda is 0"], CASES["a narrow scale: lambda is 1"]
    assert tuned_weight(*opposite) == 0 == tuned_weight(*opposite, clip=FROM_ZERO)
    assert tuned_weight(*opposite, clip=FREE) < -0.5
    assert tuned_weight(*narrow, clip=CLIP) == 1
    assert tuned_weight(*narrow, clip=FROM_ZERO) > 5
    # The scale of a judge does not matter where lambda is free above.
    y, f, g = CASES["good"]
    one, other = (powered_mean(y, f * k, g * k, clip=FROM_ZERO) for k in (1.0, 0.01))
    assert other.weight == pytest.approx(100 * one.weight, rel=1e-9)
    assert other.interval() == pytest.approx(one.interval(), rel=1e-9)


def plain(y: FloatArray, f: FloatArray, g: FloatArray, level: float) -> tuple[float, float, float]:
    """Ten obvious lines: the estimate and Student's interval with n - 2."""
    n, more = len(y), len(g)
    every = [*f, *g]
    middle = sum(every) / len(every)
    spread = sum((x - middle) ** 2 for x in every) / (len(every) - 1)
    together = sum((a - y.mean()) * (b - f.mean()) for a, b in zip(y, f, strict=True)) / n
    weight = min(1.0, max(0.0, together / ((1 + n / more) * spread)))
    left = [a - weight * b for a, b in zip(y, f, strict=True)]
    mean = sum(left) / n
    variance = sum((x - mean) ** 2 for x in left) / (n - 2) / n + weight**2 * spread / more
    estimate = mean + weight * sum(g) / more
    reach = student.ppf((1 + level) / 2, n - 2) * math.sqrt(variance)
    return estimate, estimate - reach, estimate + reach


@pytest.mark.parametrize("name", CASES)
def test_with_few_labels_students_t_and_a_plain_twin(name: str) -> None:
    found = powered_mean(*CASES[name])
    assert (found.estimate, *found.interval(0.9)) == pytest.approx(plain(*CASES[name], 0.9), rel=1e-12)
    assert found.df == found.n - 2
    t = found.estimate / math.sqrt(found.variance)
    assert found.p() == pytest.approx(2 * student.sf(abs(t), found.df), rel=1e-9)
    assert found.p("greater") == pytest.approx(student.sf(t, found.df), rel=1e-9)
    assert found.p("less") == pytest.approx(student.cdf(t, found.df), rel=1e-9)
    # Wider than the normal interval with the same lambda.
    low, high = powered_mean(*CASES[name], reference="z").interval()
    assert found.interval()[0] < low
    assert found.interval()[1] > high


@pytest.mark.parametrize("further", [[], [0.5] * 10])
def test_nothing_to_gain_is_the_classical_result(further: list[float]) -> None:
    y = CASES["good"][0]
    f = np.full(y.size, 0.5) if further else CASES["good"][1]
    found, classical = powered_mean(y, f, further), ttest_1samp(y, 0.0)
    ends = classical.confidence_interval(0.95)
    assert found.weight == 0
    assert found.estimate == pytest.approx(y.mean(), rel=1e-12)
    assert found.interval() == pytest.approx((ends.low, ends.high), rel=1e-12)
    assert found.interval() == pytest.approx(found.labelled_interval(), rel=1e-12)
    assert found.p() == pytest.approx(classical.pvalue, rel=1e-9)
    assert found.ratio == pytest.approx(1, rel=1e-12)
    assert found.effective == pytest.approx(y.size, rel=1e-12)


def test_how_many_labels_it_is_worth() -> None:
    good, useless = powered_mean(*CASES["good"]), powered_mean(*CASES["the opposite: lambda is 0"])
    assert good.ratio == pytest.approx(good.variance / (CASES["good"][0].var(ddof=1) / 20), rel=1e-12)
    assert good.effective == pytest.approx(20 / good.ratio, rel=1e-12)
    assert 25 < good.effective <= 100
    # A lambda that was estimated and is 0 costs one degree of freedom: 18/19 of the labels.
    assert useless.effective == pytest.approx(20 * 18 / 19, rel=1e-12)
    # A judge who agrees perfectly is worth no more than all that it judged.
    y = np.random.default_rng(1).normal(size=200)
    assert powered_mean(y[:10], y[:10], y[10:] * 0.8).effective <= 200


def test_too_few_labels_or_all_the_same_are_undefined() -> None:
    few = powered_mean([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [2.0] * 9)
    assert few.why == "needs 4 labelled topics, has 3"
    assert math.isnan(few.estimate)
    assert math.isnan(few.p())
    assert math.isnan(few.interval()[0])
    ceiling = powered_mean([0.0] * 17 + [1.0] * 3, np.arange(20.0), np.arange(50.0))
    assert ceiling.why is not None
    assert ceiling.why.startswith("all but 3 of 20 labelled topics have the same value")
    assert ceiling.labelled_estimate == pytest.approx(0.15)
    assert math.isnan(ceiling.interval()[0])
    assert math.isnan(ceiling.p())
    assert not ceiling.skewed
    same = powered_mean([2.0] * 6, np.arange(6.0), np.arange(50.0))
    assert (same.estimate, same.weight) == (2.0, 0.0)
    assert same.why is not None
    assert same.why.startswith("all 6 labelled topics have the same value")


@pytest.mark.parametrize(
    ("n", "least"), [(4, 2), (6, 2), (8, 2), (9, 3), (12, 3), (13, 4), (17, 5), (100, 5)]
)
def test_how_many_values_must_differ_grows_with_the_labels(n: int, least: int) -> None:
    assert least_varied(n) == least
    for differ in (least - 1, least):
        y = np.zeros(n)
        y[:differ] = np.arange(differ) + 1.0
        found = powered_mean(y, np.arange(float(n)) % 3, np.arange(30.0) % 3)
        assert found.varied == differ
        assert (found.why is None) == (differ == least)
    assert found.few_values == (least < min(5, n / 2))


def test_small_samples_on_a_coarse_scale_are_answered_and_covered() -> None:
    rng = np.random.default_rng(2)
    held = told = 0
    for _ in range(600):
        y = np.round(rng.normal(size=(40,)) * 2) / 2  # half points
        found = powered_mean(y[:5], y[:5] + rng.normal(0, 0.5, 5), y[5:] + rng.normal(0, 0.5, 35))
        if found.why is None:
            told += 1
            held += found.interval()[0] <= 0 <= found.interval()[1]
    assert told > 0.95 * 600
    assert held / told >= 0.95 - 3.5 * math.sqrt(0.95 * 0.05 / 600)


def test_skewness_of_what_is_left() -> None:
    y, f, g = CASES["good"]
    found = powered_mean(y, f, g)
    assert found.skewness == pytest.approx(skew(y - found.weight * f), rel=1e-9)
    assert found.judge_skewness == pytest.approx(skew([*f, *g]), rel=1e-9)
    assert not found.skewed


def test_skewness_beyond_chance_is_told_of_most_samples_that_miss() -> None:
    rng = np.random.default_rng(1)
    missed = told = normal = 0
    for _ in range(400):
        y = np.exp(rng.normal(size=100))
        found = powered_mean(y[:10], *np.split(y + rng.normal(0, 0.5, 100), [10]), clip=FROM_ZERO)
        low, high = found.interval()
        if not low <= math.exp(0.5) <= high:
            missed += 1
            told += found.skewed
        z = rng.normal(size=100)
        normal += powered_mean(z[:10], *np.split(z + rng.normal(0, 0.6, 100), [10])).skewed
    assert missed > 40
    assert told / missed > 0.9
    assert normal / 400 < 0.05


def test_what_is_missing_is_refused() -> None:
    with pytest.raises(UsageError, match="a value is missing"):
        powered_mean([1.0, math.nan], [1.0, 2.0], [1.0])
    with pytest.raises(UsageError, match="one length"):
        powered_mean([1.0, 2.0], [1.0], [1.0])


# Whether labels were drawn at random


def test_p_of_a_random_draw_by_all_draws() -> None:
    rng = np.random.default_rng(4)
    judged = rng.normal(size=(9, 3))
    labelled = np.zeros(9, bool)
    labelled[[0, 3, 4]] = True
    level = judged.mean(axis=1)
    columns = np.column_stack([level, judged - level[:, None]])
    columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)

    def far(chosen: list[int]) -> float:
        return float(np.abs(columns[chosen].sum(axis=0)).max())

    draws = [far(list(some)) for some in combinations(range(9), 3)]
    exact = np.mean([each >= far([0, 3, 4]) - 1e-9 for each in draws])
    found = random_labels_p(judged, labelled, rng=np.random.default_rng(1))
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 9999))


def test_hard_topics_alone_are_no_random_draw_and_random_ones_are() -> None:
    rng = np.random.default_rng(8)
    judged = rng.normal(size=(100, 5)) + rng.normal(size=(100, 1))
    hard = judged.mean(axis=1) <= np.sort(judged.mean(axis=1))[19]
    assert random_labels_p(judged, hard, rng=np.random.default_rng(1)) <= 0.001
    # Topics on which one system shines, the level being as everywhere.
    shines = judged[:, 0] - judged.mean(axis=1)
    assert random_labels_p(judged, shines >= np.sort(shines)[80], rng=np.random.default_rng(1)) <= 0.001
    p = [
        random_labels_p(judged, rng.permuted(hard), rng=np.random.default_rng(k), swaps=199)
        for k in range(200)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    assert math.isnan(random_labels_p(judged, np.ones(100, bool), rng=rng))


# Coverage


def covers(
    judge: str, n: int, times: int, *, seed: int, reference: str = "t", clip: Clip = CLIP, scale: float = 1.0
) -> tuple[float, float]:
    """How often the interval of 95 % holds the mean, 0, and the variance beside that of people alone."""
    rng = np.random.default_rng(seed)
    held, found = 0, []
    for _ in range(times):
        # A difference of two ratings, averaged over two assessors, on 100 topics.
        quality = rng.normal(0, 0.7, (100, 2))
        given = [np.clip(np.round(3 + quality + rng.normal(0, 0.6, (100, 2))), 1, 5) for _ in range(2)]
        y = np.mean([each[:, 0] - each[:, 1] for each in given], axis=0)
        f = {
            "good": y + rng.normal(0, 0.4, 100),
            "useless": rng.normal(0, 1, 100),
            "biased": 1.5 + 0.5 * y + rng.normal(0, 0.5, 100),
        }[judge]
        f = f * scale
        each = powered_mean(y[:n], f[:n], f[n:], clip=clip, reference=reference)  # type: ignore[arg-type]
        if each.why is None:
            low, high = each.interval()
            held += low <= 0 <= high
            found.append(each)
    assert len(found) > 0.95 * times
    ratio = float(np.mean([each.variance for each in found]) / np.mean([_alone(each) for each in found]))
    return held / len(found), ratio


def _alone(found: PoweredMean) -> float:
    return found.labelled_variance


@pytest.mark.parametrize("judge", ["good", "useless", "biased"])
def test_coverage_with_ten_labels(judge: str) -> None:
    share, _ = covers(judge, 10, 800, seed=1)
    assert 0.95 - 3.5 * math.sqrt(0.95 * 0.05 / 800) <= share


@pytest.mark.parametrize("judge", ["good", "useless", "biased"])
def test_coverage_of_a_judge_on_a_small_scale_with_lambda_from_zero(judge: str) -> None:
    share, ratio = covers(judge, 10, 800, seed=1, clip=FROM_ZERO, scale=0.05)
    assert 0.95 - 3.5 * math.sqrt(0.95 * 0.05 / 800) <= share
    if judge == "good":
        assert ratio < 0.5


def test_the_normal_interval_covers_too_seldom_with_ten_labels() -> None:
    share, _ = covers("good", 10, 800, seed=1, reference="z")
    assert share < 0.92


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 20, 50])
@pytest.mark.parametrize("judge", ["good", "useless", "biased"])
def test_coverage(judge: str, n: int) -> None:
    share, ratio = covers(judge, n, 10_000, seed=n)
    print(f"{judge} judge, {n} of 100 topics labelled: coverage {share:.3f}, variance ratio {ratio:.2f}")
    assert 0.942 <= share <= 0.972
    free, _ = covers(judge, n, 4000, seed=n + 1, clip=FROM_ZERO, scale=0.05)
    print(f"on a twentieth of the scale, lambda from 0: coverage {free:.3f}")
    assert 0.938 <= free <= 0.976
    if judge == "useless":
        assert 0.95 <= ratio <= 1.15
    else:
        assert ratio < 0.85
