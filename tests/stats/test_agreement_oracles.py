"""Kappas, Gwet's AC, percent agreement, alpha and intraclass correlations against other tools and published numbers.

data/agreement_expected.csv has what irrCAC, pingouin, psych and lme4 say; data/agreement_oracles.py and
data/agreement.R made it.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import get_args

import krippendorff as package
import numpy as np
import pandas as pd
import pytest

from adjudge.core.errors import UsageError
from adjudge.stats.agreement import (
    AgreementCoefficient,
    Level,
    Weighting,
    agreement_weights,
    cluster_draws,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff,
    krippendorff_difference,
    krippendorff_without,
    percent_agreement,
)
from adjudge.stats.icc import intraclass

DATA = Path(__file__).parent / "data"
EXPECTED = pd.read_csv(DATA / "agreement_expected.csv", keep_default_na=False, dtype={"value": float})
NAN = math.nan


def ratings(name: str) -> np.ndarray:
    if name == "gwet":
        return np.asarray(pd.read_csv(DATA / "agreement_gwet.csv"))
    long = pd.read_csv(DATA / "agreement_ratings.csv")
    wide = long[long["set"] == name].pivot(index="thing", columns="assessor", values="value")
    return np.asarray(wide.reindex(range(30)))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def expected(**key: str) -> pd.DataFrame:
    rows = EXPECTED
    for name, value in key.items():
        rows = rows[rows[name].str.startswith(value)]
    assert len(rows)
    return rows


@pytest.mark.parametrize(
    ("name", "what", "weights", "scale", "value"),
    expected(tool="irrCAC")[["set", "what", "weights", "of", "value"]].to_numpy().tolist(),
)
def test_equal_to_irrcac(name: str, what: str, weights: Weighting, scale: str, value: float) -> None:
    values, known = ratings(name), None if scale == "used" else [6.0]
    if what == "agreement":
        found = percent_agreement(values, rng=rng(), resamples=0)
    else:
        coefficient = gwet_ac if what == "gwet" else fleiss_kappa
        found = coefficient(values, rng=rng(), weights=weights, categories=known, resamples=0)
    assert found.value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "what", "weights", "value"),
    expected(tool="psych", what="cohen")[["set", "what", "weights", "value"]].to_numpy().tolist(),
)
def test_cohens_kappa_is_psychs(name: str, what: str, weights: Weighting, value: float) -> None:
    first, second = (ratings(name)[:, "abcd".index(each)] for each in what.removeprefix("cohen:"))
    found = cohen_kappa(first, second, rng=rng(), weights=weights, categories=range(1, 6), resamples=0)
    assert found.value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "what", "of", "value"),
    EXPECTED[EXPECTED["what"].str.startswith("ICC")][["set", "what", "of", "value"]].to_numpy().tolist(),
)
def test_intraclass_correlations_are_psychs_pingouins_and_lme4s(
    name: str, what: str, of: str, value: float
) -> None:
    found = intraclass(ratings(name), rng=rng(), resamples=0)
    own = found.all[["ICC1", "ICC2", "ICC2k"].index(what)]
    assert found.method == ("F" if name == "whole" else "REML")
    # lme4 stops its search where the criterion is flat to about 1e-11, which leaves 1e-8 in the shares
    assert getattr(own, of) == pytest.approx(value, abs=1e-9 if name == "whole" else 1e-7)


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C
KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(
    ("distance", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_own_example(distance: Level, printed: float) -> None:
    found = krippendorff(KRIPPENDORFF_2011, rng=rng(), distance=distance, resamples=0)
    assert round(found.value, 3) == printed
    own = package.alpha(reliability_data=KRIPPENDORFF_2011.T, level_of_measurement=distance)
    assert found.value == pytest.approx(own, abs=1e-12)
    assert (found.units, found.values) == (11, 40)


# Shrout and Fleiss 1979, table 2 and table 4: ICC(1,1) .17, ICC(2,1) .29, ICC(2,4) .62
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_shrout_and_fleisss_table() -> None:
    found = intraclass(SHROUT_FLEISS, rng=rng())
    assert [round(each.value, 2) for each in found.all] == [0.17, 0.29, 0.62]
    # psych prints for its own copy of the table: -.13 to .72, .02 to .76, .07 to .93 at 95 %
    assert [(round(each.low, 2), round(each.high, 2)) for each in found.all] == [
        (-0.13, 0.72),
        (0.02, 0.76),
        (0.07, 0.93),
    ]
    assert found.k == 4


# Fleiss 1971, table 1: how many of six psychiatrists gave each of five diagnoses to 30 patients
FLEISS_1971 = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""


def test_fleisss_own_example() -> None:
    rows = [[at for at, n in enumerate(counts) for _ in range(int(n))] for counts in FLEISS_1971.split()]
    assert np.bincount(np.ravel(rows)).tolist() == [26, 26, 30, 55, 43]  # as printed under the table
    found = fleiss_kappa(rows, rng=rng(), resamples=0)
    assert (round(found.observed, 3), round(found.expected, 3), round(found.value, 3)) == (
        0.556,
        0.220,
        0.430,
    )


@pytest.mark.parametrize("distance", get_args(Level))
def test_alpha_is_the_packages_whatever_is_missing(distance: Level) -> None:
    generator = np.random.default_rng(5)
    for _ in range(20):
        values = generator.choice([0, 0.5, 1, 3, 8], size=(12, 4))
        values[generator.random(values.shape) < 0.3] = np.nan
        own = package.alpha(reliability_data=values.T, level_of_measurement=distance)
        found = krippendorff(values, rng=rng(), distance=distance, resamples=0).value
        assert found == pytest.approx(own, abs=1e-9)


def test_alpha_keeps_its_digits_far_from_zero() -> None:
    values = ratings("holes")
    for distance in ("nominal", "ordinal", "interval"):
        near = krippendorff(values, rng=rng(), distance=distance, resamples=0).value
        far = krippendorff(1e9 + values, rng=rng(), distance=distance, resamples=0).value
        assert far == pytest.approx(near, abs=1e-9)


# Resampling clusters


def by_hand(values: np.ndarray, clusters: list[str], statistic: object, resamples: int) -> list[float]:
    """The bootstrap as one would write it: draw clusters, put their rows together, compute again."""
    names = list(dict.fromkeys(clusters))
    drawn = np.random.default_rng(0).integers(0, len(names), size=(resamples, len(names)))
    own = {name: values[[each == name for each in clusters]] for name in names}
    found = []
    for numbers in drawn:
        rows = np.concatenate([own[names[number]] for number in numbers])
        found.append(statistic(rows).value)  # type: ignore[operator]
    known = [each for each in found if not math.isnan(each)]
    return [float(np.quantile(known, share)) for share in (0.025, 0.975)]


@pytest.mark.parametrize("what", ["alpha", "nominal", "ratio", "ac2", "fleiss", "agreement", "cohen"])
def test_the_interval_is_that_of_resampled_rows(what: str) -> None:
    values = ratings("holes")
    values = values[np.count_nonzero(~np.isnan(values), axis=1) >= 2]
    if what == "cohen":
        values = values[~np.isnan(values[:, :2]).any(axis=1)]
    clusters = [f"t{n // 3}" for n in range(len(values))]

    def statistic(rows: np.ndarray, own: list[str] | None = None, resamples: int = 0) -> AgreementCoefficient:
        given = {"rng": rng(), "clusters": own, "resamples": resamples}
        known = {"categories": range(1, 6), **given}
        match what:
            case "alpha":
                return krippendorff(rows, **given)  # type: ignore[arg-type]
            case "nominal" | "ratio":
                return krippendorff(rows, distance=what, **given)  # type: ignore[arg-type]
            case "ac2":
                return gwet_ac(rows, weights="quadratic", **known)  # type: ignore[arg-type]
            case "fleiss":
                return fleiss_kappa(rows, weights="linear", **known)  # type: ignore[arg-type]
            case "agreement":
                return percent_agreement(rows, **given)  # type: ignore[arg-type]
        return cohen_kappa(rows[:, 0], rows[:, 1], weights="quadratic", **known)  # type: ignore[arg-type]

    found = statistic(values, clusters, 60)
    assert [found.low, found.high] == pytest.approx(by_hand(values, clusters, statistic, 60), abs=1e-9)
    assert (found.clusters, found.resamples) == (len(set(clusters)), 60)


def test_things_of_a_cluster_move_together() -> None:
    """Ten things of every topic are judged alike, so topics and not things are what varies."""
    generator = np.random.default_rng(3)
    noise = np.repeat(generator.choice([0.1, 2.0], size=(40, 1)), 10, axis=0)
    truth = generator.normal(size=(400, 1))
    values = np.round(2 * (truth + noise * generator.normal(size=(400, 3))))
    topics = [n // 10 for n in range(400)]
    together = krippendorff(values, rng=rng(), clusters=topics)
    apart = krippendorff(values, rng=rng())
    assert together.value == apart.value
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_without_each_assessor() -> None:
    values = ratings("holes")
    clusters = [n // 3 for n in range(30)]
    found = krippendorff_without(values, rng=rng(), clusters=clusters, resamples=200)
    whole = krippendorff(values, rng=rng(), resamples=0).value
    for column, (alone, rise) in enumerate(found):
        others = krippendorff(np.delete(values, column, axis=1), rng=rng(), resamples=0).value
        assert alone.value == pytest.approx(others, abs=1e-12)
        assert rise.value == pytest.approx(others - whole, abs=1e-12)
        assert rise.low <= rise.value <= rise.high
    noisy = values.copy()
    noisy[:, 2] = np.random.default_rng(2).integers(1, 6, size=30)
    assert int(np.argmax([rise.value for _, rise in krippendorff_without(noisy, rng=rng())])) == 2
    assert krippendorff_without(noisy, rng=rng())[2][1].low > 0
    two = krippendorff_without(values[:, :2], rng=rng())
    assert {rise.why for _, rise in two} == {"with two assessors, one is left"}


def test_the_difference_of_two_judges_with_the_same_people() -> None:
    """By plain steps: the same clusters drawn for both, and alpha of the rows that are drawn."""
    generator = np.random.default_rng(3)
    people = generator.integers(0, 5, size=120).astype(float)
    good = np.clip(people + generator.integers(-1, 2, size=120), 0, 4)
    poor = generator.integers(0, 5, size=120).astype(float)
    topics = np.arange(120) // 12
    first, second = np.stack([people, good], axis=1), np.stack([people, poor], axis=1)
    found = krippendorff_difference(first, second, rng=rng(), clusters=list(topics), resamples=200)

    def alpha(values: np.ndarray) -> float:
        return krippendorff(values, rng=rng(), resamples=0).value

    assert found.value == pytest.approx(alpha(first) - alpha(second), abs=1e-12)
    many = []
    for times in cluster_draws(rng(), 10, 200):
        rows = [
            row
            for topic in range(10)
            for _ in range(int(times[topic]))
            for row in np.flatnonzero(topics == topic)
        ]
        many.append(alpha(first[rows]) - alpha(second[rows]))
    assert [found.low, found.high] == pytest.approx(np.quantile(many, [0.025, 0.975]), abs=1e-9)
    assert found.low > 0
    swapped = krippendorff_difference(second, first, rng=rng(), clusters=list(topics), resamples=200)
    assert swapped.high == pytest.approx(-found.low)
    same = krippendorff_difference(first, first, rng=rng(), clusters=list(topics))
    assert same.value == 0
    constant = np.full((120, 2), 2.0)
    assert krippendorff_difference(constant, first, rng=rng()).why is not None
    with pytest.raises(UsageError, match="rows"):
        krippendorff_difference(first, second[:5], rng=rng())


# What cannot be computed

NOBODY = [[1.0, NAN], [NAN, 2.0]]
SAME = [[4.0, 4.0], [4.0, NAN], [4.0, 4.0]]


def test_undefined_coefficients_explain_themselves() -> None:
    every = (krippendorff, gwet_ac, fleiss_kappa)
    for statistic in (*every, percent_agreement):
        assert statistic(NOBODY, rng=rng()).why == "nothing was judged by two assessors"
        assert statistic(np.zeros((0, 2)), rng=rng()).why == "nothing was judged by two assessors"
    for statistic in every:
        assert "nothing to agree on" in str(statistic(SAME, rng=rng()).why)
    assert percent_agreement(SAME, rng=rng()).value == 1
    assert gwet_ac(SAME, rng=rng(), categories=range(1, 6)).value == 1  # chance is known where the scale is
    assert "nothing to agree on" in str(fleiss_kappa(SAME, rng=rng(), categories=range(1, 6)).why)
    kappa = cohen_kappa([4, 4], [4, 4], rng=rng(), categories=range(1, 6))
    assert kappa.why == "both gave one and the same answer throughout"
    assert cohen_kappa([1, NAN], [NAN, 2], rng=rng()).why == "nothing was judged by two assessors"
    assert cohen_kappa([4, 4, 4], [1, 2, 3], rng=rng()).value == 0  # one of them varies: no more than chance
    assert "negative" in str(krippendorff([[-1, 2], [1, 1]], rng=rng(), distance="ratio").why)
    many = np.stack([np.arange(60.0), np.arange(60.0)], axis=1)
    assert "no scale of categories" in str(gwet_ac(many, rng=rng()).why)
    assert krippendorff(many, rng=rng()).value == 1
    one = krippendorff([[1, 2], [2, 2]], rng=rng(), clusters=["t", "t"])
    assert one.why is None
    assert math.isnan(one.low)
    assert one.why_no_interval == "only one cluster: nothing to resample"
    for form in intraclass(NOBODY, rng=rng()).all:
        assert form.why == "nothing was judged by two assessors"
    assert "nothing to agree on" in str(intraclass(SAME, rng=rng()).single.why)
    assert "one thing" in str(intraclass([[1, 2]], rng=rng()).single.why)


def test_missing_cells_that_cannot_be_fitted_say_why() -> None:
    """Every assessor judged one thing: nobody can tell the things' variance from the assessors'."""
    values = np.full((3, 6), NAN)
    for n in range(3):
        values[n, 2 * n : 2 * n + 2] = [n, n + 1]
    found = intraclass(values, rng=rng())
    assert found.two_way.why is not None
    assert "random term" not in found.two_way.why


def test_perfect_agreement_and_constant_differences() -> None:
    column = np.array([1.0, 2.0, 4.0, 5.0])
    same = intraclass(np.stack([column, column], axis=1), rng=rng())
    assert [(each.value, each.low, each.high) for each in same.all] == [(1, 1, 1)] * 3
    moved = intraclass(np.stack([column, column + 1], axis=1), rng=rng())
    assert 0 < moved.two_way.value < 1
    assert math.isnan(moved.two_way.low)
    assert moved.two_way.why_no_interval is not None


def test_weights_go_by_the_numbers_of_the_scale() -> None:
    assert agreement_weights([1, 2, 5], "linear")[0].tolist() == [1, 0.75, 0]
    assert agreement_weights([1, 2, 5], "quadratic")[0].tolist() == [1, 0.9375, 0]
    assert agreement_weights([1, 2, 5], "identity").tolist() == np.eye(3).tolist()


def test_mistakes_in_calls() -> None:
    with pytest.raises(UsageError, match="clusters: expected one for each of 2 rows, got 1"):
        krippendorff([[1, 2], [2, 2]], rng=rng(), clusters=["t"])
    with pytest.raises(UsageError, match="weights: unknown value"):
        gwet_ac([[1, 2], [2, 2]], rng=rng(), weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="distance: unknown value"):
        krippendorff([[1, 2], [2, 2]], rng=rng(), distance="log")  # type: ignore[arg-type]
