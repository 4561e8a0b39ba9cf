"""Tests of two measures' correlations against plain twins, nlpstats and R's psych."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr
from scipy.stats import t as student

from adjudge.core.errors import UsageError
from adjudge.stats import measure_tests
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import Coefficient, CorrelationLevel, correlations
from adjudge.stats.measure_tests import (
    MeasurePairs,
    Swap,
    measure_groups,
    permutation_measures,
    williams_measures,
    williams_t,
)
from adjudge.stats.paired import Alternative

LEVELS: tuple[CorrelationLevel, ...] = ("system", "input", "global")
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall-b", "kendall-c")
SWAPS: tuple[Swap, ...] = ("systems", "inputs", "both")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

# np.random.default_rng(3), 8 topics x 7 systems, rounded to one decimal
DATA = np.array(
    [
        [
            [0.8, -0.9, -0.8, 0.4, -1.3, 0.5, -0.6],
            [1.1, -4.2, 0.5, -0.3, 0.9, -0.4, -2.3],
            [4.7, -0.6, 2.2, 3.7, 1.9, 2.2, 1.4],
            [-0.3, -0.7, -1.0, -2.6, 0.0, 1.3, -1.3],
            [0.6, -2.5, 0.2, 0.3, 0.4, -0.8, -1.0],
            [1.2, -2.7, 0.7, 1.3, 0.2, -0.1, -2.9],
            [-1.1, -2.4, 0.5, -3.7, -0.2, -0.8, -2.3],
            [-1.4, -4.1, 0.1, 0.0, -1.7, -1.6, -1.7],
        ],
        [
            [9.2, 5.1, 5.1, 5.9, 3.6, 3.2, 1.9],
            [8.0, 6.0, 4.6, 4.4, 2.8, 1.0, 1.3],
            [14.2, 6.7, 10.4, 10.9, 8.3, 6.2, 5.9],
            [4.6, 3.9, 4.6, 2.7, 3.4, 7.0, 0.9],
            [5.6, 4.6, 6.8, 9.7, 0.5, 5.7, 1.9],
            [7.3, 3.5, 8.3, 7.7, 3.1, 5.8, 1.2],
            [3.6, 5.0, 5.1, 6.3, 4.2, 6.1, 1.9],
            [3.3, 1.6, 7.0, 4.8, 0.1, 2.6, 3.5],
        ],
        [
            [1.4, -2.3, -0.1, 0.2, -0.9, -0.4, -0.7],
            [1.7, -3.9, -0.6, -0.9, 0.6, -1.4, -3.1],
            [6.4, -0.1, 3.4, 3.6, 3.5, 3.2, 2.0],
            [-0.6, -1.3, -0.3, -2.0, 0.0, 0.7, -2.2],
            [0.6, -2.9, 0.0, 0.5, -0.1, -0.4, -1.3],
            [1.6, -3.8, 0.7, -0.3, -0.9, -1.3, -2.1],
            [-1.1, -2.5, 0.2, -2.9, -1.1, -1.8, -1.9],
            [-1.0, -4.5, 0.1, -0.5, -3.7, -1.8, -2.7],
        ],
    ]
)


def coefficient_of(x: FloatArray, z: FloatArray, name: str) -> float:
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(z) == 0:
        return np.nan
    if name == "pearson":
        return float(pearsonr(x, z).statistic)
    if name == "spearman":
        return float(spearmanr(x, z).statistic)
    return float(kendalltau(x, z, variant=name[-1]).statistic)


def level_of(x: FloatArray, z: FloatArray, level: str, name: str) -> float:
    """A correlation by SciPy, x and z missing the same cells."""
    there = ~np.isnan(x)
    if level == "global":
        return coefficient_of(x[there], z[there], name)
    if level == "input":
        found = [coefficient_of(a[t], b[t], name) for a, b, t in zip(x, z, there, strict=True)]
        return float(np.nanmean(found)) if not np.isnan(found).all() else np.nan
    kept = there.any(axis=0)
    a, b = (np.asarray(np.nanmean(side[:, kept], axis=0)) for side in (x, z))
    return coefficient_of(np.round(a, 10), np.round(b, 10), name)


def twin(
    data: FloatArray, level: str, name: str, swap: str, alternative: str = "two-sided"
) -> tuple[float, float, float]:
    """Both correlations and the exact p: a loop over all swaps."""
    gone = np.isnan(data).any(axis=0)
    x, y, z = (np.where(gone, np.nan, side) for side in data)
    x, y, z = ((side - np.nanmean(side)) / np.nanstd(side) for side in (x, y, z))
    topics, systems = x.shape
    first, second = level_of(x, z, level, name), level_of(y, z, level, name)
    sign = -1 if alternative == "less" else 1
    observed = sign * (first - second)
    extreme = []
    for s in product([False, True], repeat=systems if swap != "inputs" else 0):
        for t in product([False, True], repeat=topics if swap != "systems" else 0):
            turned = np.zeros(x.shape, dtype=bool)
            turned ^= np.array(s, dtype=bool)[None, :] if s else False
            turned ^= np.array(t, dtype=bool)[:, None] if t else False
            a, b = np.where(turned, y, x), np.where(turned, x, y)
            value = sign * (level_of(a, z, level, name) - level_of(b, z, level, name))
            if alternative == "two-sided":
                value, bound = abs(value), abs(observed)
            else:
                bound = observed
            extreme.append(bool(np.isnan(value)) or value >= bound - 1e-9 * max(1, abs(bound)))
    return first, second, float(np.mean(extreme))


def small(seed: int, topics: int = 3, systems: int = 4, decimals: int = 1) -> FloatArray:
    """Two measures and people, with ties."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=systems) + rng.normal(size=(topics, 1)) + rng.normal(size=(topics, systems))
    x = 0.8 * z + 0.6 * rng.normal(size=z.shape)
    y = 2 * (0.4 * z + rng.normal(size=z.shape)) + 5
    return np.asarray(np.round(np.stack([x, y, z]), decimals), dtype=np.float64)


def permuted(
    data: FloatArray,
    level: CorrelationLevel,
    coefficient: Coefficient,
    swap: Swap,
    *,
    resamples: int = 10_000,
    alternative: Alternative = "two-sided",
    seed: int = 0,
) -> MeasurePairs:
    return permutation_measures(
        data[:-1],
        data[-1],
        level=level,
        coefficient=coefficient,
        swap=swap,
        alternative=alternative,
        resamples=resamples,
        rng=np.random.default_rng(seed),
    )


@pytest.mark.parametrize(("level", "coefficient", "swap"), list(product(LEVELS, COEFFICIENTS, SWAPS)))
def test_all_swaps_equal_a_loop(level: CorrelationLevel, coefficient: Coefficient, swap: Swap) -> None:
    seed = LEVELS.index(level) + COEFFICIENTS.index(coefficient) + SWAPS.index(swap)
    alternative = ALTERNATIVES[seed % 3]
    data = small(seed, decimals=seed % 2)
    found = permuted(data, level, coefficient, swap, alternative=alternative)
    first, second, p = twin(data, level, coefficient, swap, alternative)
    assert found.method == ("exact",)
    np.testing.assert_allclose([found.value_first[0], found.value_second[0]], [first, second], atol=1e-12)
    assert found.p[0] == pytest.approx(p, abs=1e-12)


@given(
    st.integers(0, 10**6), st.sampled_from(SWAPS), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 1e3])
)
@settings(max_examples=60, deadline=None)
def test_pearson_by_sums_equals_pearson_of_every_swapped_table(
    seed: int, swap: Swap, missing: float, apart: float
) -> None:
    """Also with ties, scores that are all the same in a topic, missing ones, and topics that are far apart."""
    rng = np.random.default_rng(seed)
    x, y, z = np.round(rng.normal(size=(3, 6, 5)), int(rng.integers(0, 3)))
    x[0], y[1], z[2] = 1, x[1] if seed % 2 else 2, 3
    x, y, z = (side + apart * np.arange(6)[:, None] for side in (x, y, z))
    there = rng.random(x.shape) >= missing
    if not there.any():
        return
    kept = np.ix_(there.any(axis=1), there.any(axis=0))
    x, y, z = (measure_tests._standardised(np.where(there, side, np.nan)[kept]) for side in (x, y, z))
    pair = measure_tests._Cells(
        x=x,
        y=y,
        z=z,
        there=there[kept],
        topics=np.flatnonzero(there.any(axis=1)),
        systems=np.flatnonzero(there.any(axis=0)),
    )
    swaps = measure_tests._all_swaps(pair, swap)
    pooled = measure_tests._pooled_pearson(pair, swaps)
    people = pair.z[pair.there]
    plain = [
        measure_tests._coefficients(side, people, "pearson")
        for side in measure_tests._pooled_cells(pair, swaps)
    ]
    np.testing.assert_allclose([pooled.first, pooled.second], plain, rtol=0, atol=1e-9)
    if swaps.systems is not None:
        quick, slow = (
            by_topic(pair, swaps.systems, *more)
            for by_topic, more in (
                (measure_tests._pearson_by_topic, ()),
                (measure_tests._by_topic, ("pearson",)),
            )
        )
        np.testing.assert_allclose(quick, slow, rtol=0, atol=1e-9)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.sampled_from(LEVELS), st.sampled_from(COEFFICIENTS), st.sampled_from(SWAPS))
def test_only_cells_that_all_three_have_count(
    seed: int, level: CorrelationLevel, coefficient: Coefficient, swap: Swap
) -> None:
    data = small(seed)
    rng = np.random.default_rng(seed)
    data[rng.integers(0, 3), rng.integers(0, 3), rng.integers(0, 4)] = np.nan
    found = permuted(data, level, coefficient, swap)
    first, second, p = twin(data, level, coefficient, swap)
    assert found.cells[0] == 11
    np.testing.assert_allclose([found.value_first[0], found.value_second[0]], [first, second], atol=1e-12)
    if not np.isnan(first - second):
        assert found.p[0] == pytest.approx(p, abs=1e-12)
    else:
        assert np.isnan(found.p[0])
        assert found.why[0]


# nlpstats 0.0.1 (SciPy 1.17.1), np.random.seed(0): permutation_test(x.T, y.T, z.T, level, coefficient, swap,
# n_resamples=2000).pvalue, and with n_resamples=1000, alternative="greater"; its "kendall" is tau-b
NLPSTATS: list[tuple[CorrelationLevel, Coefficient, Swap, float, float]] = [
    ("system", "pearson", "systems", 0.1625, 0.082),
    ("system", "pearson", "inputs", 0.0145, 0.006),
    ("system", "pearson", "both", 0.003, 0.0),
    ("system", "spearman", "systems", 0.756, 0.374),
    ("system", "spearman", "inputs", 0.5185, 0.229),
    ("system", "spearman", "both", 0.3575, 0.178),
    ("system", "kendall-b", "systems", 0.889, 0.44),
    ("system", "kendall-b", "inputs", 0.8525, 0.411),
    ("system", "kendall-b", "both", 0.727, 0.355),
    ("global", "pearson", "systems", 0.0575, 0.036),
    ("global", "pearson", "inputs", 0.009, 0.003),
    ("global", "pearson", "both", 0.002, 0.0),
    ("global", "spearman", "systems", 0.041, 0.023),
    ("global", "spearman", "inputs", 0.0155, 0.005),
    ("global", "spearman", "both", 0.0025, 0.0),
    ("global", "kendall-b", "systems", 0.041, 0.023),
    ("global", "kendall-b", "inputs", 0.009, 0.003),
    ("global", "kendall-b", "both", 0.001, 0.0),
    ("input", "pearson", "systems", 0.073, 0.042),
    ("input", "pearson", "inputs", 0.0175, 0.005),
    ("input", "pearson", "both", 0.003, 0.001),
    ("input", "spearman", "systems", 0.026, 0.017),
    ("input", "spearman", "inputs", 0.009, 0.003),
    ("input", "spearman", "both", 0.001, 0.0),
    ("input", "kendall-b", "systems", 0.011, 0.009),
    ("input", "kendall-b", "inputs", 0.009, 0.003),
    ("input", "kendall-b", "both", 0.0005, 0.0),
]


@pytest.mark.parametrize(("level", "coefficient", "swap", "two_sided", "greater"), NLPSTATS)
def test_nlpstats_agrees_but_for_its_random_swaps(
    level: CorrelationLevel, coefficient: Coefficient, swap: Swap, two_sided: float, greater: float
) -> None:
    cases: list[tuple[Alternative, float, int]] = [("two-sided", two_sided, 2000), ("greater", greater, 1000)]
    for alternative, theirs, many in cases:
        ours = float(permuted(DATA, level, coefficient, swap, alternative=alternative).p[0])
        share = (ours * many + 1) / (many + 2)
        assert ours == pytest.approx(theirs, abs=5 * np.sqrt(share * (1 - share) * (1 / many + 1 / 10_000)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_correlations_are_those_of_the_other_part(level: CorrelationLevel, coefficient: Coefficient) -> None:
    found = permuted(DATA, level, coefficient, "systems")
    values = correlations(DATA[:2], DATA[2], level=level, coefficient=coefficient).values
    np.testing.assert_allclose([found.value_first[0], found.value_second[0]], values, atol=1e-12)


def test_random_swaps_are_near_all_of_them() -> None:
    for level, swap in product(LEVELS, SWAPS[:2]):
        exact = permuted(DATA, level, "spearman", swap)
        random = permuted(DATA, level, "spearman", swap, resamples=100)
        assert (exact.method, random.method) == (("exact",), ("swaps",))
        share = max(float(exact.p[0]), 0.05)
        assert random.p[0] == pytest.approx(exact.p[0], abs=5 * np.sqrt(share * (1 - share) / 100))


def test_a_pair_does_not_depend_on_other_measures() -> None:
    more = np.stack([DATA[0], DATA[0] ** 2, DATA[1], DATA[2]])
    alone, among = (permuted(data, "system", "pearson", "both") for data in (DATA, more))
    assert (among.first[1], among.second[1]) == (0, 2)
    assert among.p[1] == alone.p[0]
    assert among.method[1] == "swaps"


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    data = np.concatenate([DATA[:2], DATA[:1] ** 2])
    permutation_measures(
        data, DATA[2], resamples=9, rng=np.random.default_rng(0), progress=lambda *at: told.append(at)
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_few_systems_bound_p_from_below() -> None:
    for level, (systems, least) in product(LEVELS[::2], ((3, 2 / 8), (5, 2 / 32))):
        data = small(4, topics=6, systems=systems, decimals=6)
        found = permuted(data, level, "pearson", "systems")
        assert found.least[0] == least
        assert found.p[0] >= least
        assert permuted(data, level, "pearson", "systems", alternative="greater").least[0] == least / 2
    # Ranks of few systems tie, so that the largest difference has several swaps.
    coarse = permuted(small(4, topics=6, systems=5, decimals=6), "system", "kendall-b", "systems")
    assert coarse.least[0] >= 2 / 32
    random = permuted(small(4, topics=6, systems=5), "system", "pearson", "systems", resamples=20)
    assert random.least[0] == 2 / 32
    assert permuted(DATA, "system", "pearson", "both").least[0] == 2**-13  # of 2^14 swaps


def test_equal_measures_have_p_1() -> None:
    data = np.stack([DATA[0], 3 * DATA[0] - 7, DATA[2]])
    for level, swap in product(LEVELS, SWAPS):
        found = permuted(data, level, "kendall-b", swap, resamples=200)
        assert (found.p[0], found.difference[0]) == (1.0, 0.0)


def test_constant_topics_are_left_out_of_the_mean_and_counted() -> None:
    data = DATA.copy()
    data[0, 0] = 1.0  # the first measure alone
    data[2, 1] = 2.0  # people
    found = permuted(data, "input", "pearson", "inputs")
    assert (found.undefined_first[0], found.undefined_second[0]) == (2, 1)
    first, second, p = twin(data, "input", "pearson", "inputs")
    np.testing.assert_allclose([found.value_first[0], found.value_second[0]], [first, second], atol=1e-12)
    assert found.p[0] == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize(
    ("level", "blank", "why"),
    [
        ("system", 0, "the systems' means of scores of the first measure are all the same"),
        ("input", 1, "in no topic do scores of the second measure differ between systems"),
        ("global", 2, "all people's scores are the same"),
        ("system", 2, "the systems' means of people's scores are all the same"),
        ("input", 2, "in no topic do people's scores differ between systems"),
    ],
)
def test_what_cannot_be_computed_says_why(level: CorrelationLevel, blank: int, why: str) -> None:
    data = DATA.copy()
    data[blank] = 4.2
    for found in (
        permuted(data, level, "pearson", "systems"),
        *([williams_measures(data[:2], data[2], level=level)] if level != "input" else []),
    ):
        assert found.why == {0: why}
        assert np.isnan(found.p[0])
        assert np.isnan(found.least[0])


def test_too_few_systems_say_why() -> None:
    found = permuted(DATA[:, :, :2], "system", "pearson", "systems")
    assert found.why[0] == "needs 3 systems with scores of both measures and of people, has 2"
    gone = DATA.copy()
    gone[0] = np.nan
    assert permuted(gone, "system", "pearson", "both").why[0].endswith("has none")


def test_mistakes_are_named() -> None:
    with pytest.raises(UsageError, match="same topics and systems"):
        permutation_measures(DATA[:2, :3], DATA[2], rng=np.random.default_rng(0))
    with pytest.raises(UsageError, match="swap: unknown value"):
        permuted(DATA, "system", "pearson", "cells")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="one for every topic"):
        williams_measures(DATA[:2], DATA[2], level="input")


# Williams' test


# R 4.2.2, psych 2.2.9: r.test(n=n, r12=r12, r13=r13, r23=r23), its t and p
PSYCH = [
    (12, 0.9, 0.7, 0.6, 1.59818007951653, 0.144467303529668),
    (16, 0.55, 0.8, 0.4, -1.39527676122897, 0.186311647563552),
    (12, 0.95, 0.93, 0.99, 1.39892476299435, 0.195340395003204),
    (100, 0.3, 0.25, 0.5, 0.518262911197067, 0.605455021057263),
    (5, 0.9, 0.2, 0.1, 1.5270935251587, 0.2662963523431),
    (12, 0.5, -0.3, 0.2, 2.47960316166803, 0.0350142307871849),
]


@pytest.mark.parametrize(("n", "r12", "r13", "r23", "t", "p"), PSYCH)
def test_psych_gives_the_same_t(n: int, r12: float, r13: float, r23: float, t: float, p: float) -> None:
    found = williams_t(n, r12, r13, r23)
    assert found.statistic == pytest.approx(t, rel=1e-12)
    assert found.p_of() == pytest.approx(p, rel=1e-10)
    assert found.p_of("greater") == pytest.approx(student.sf(t, n - 3), rel=1e-10)
    assert found.p_of("less") == pytest.approx(student.cdf(t, n - 3), rel=1e-10)


# nlpstats 0.0.1: williams_test(x.T, y.T, z.T, level, coefficient).pvalue, and with alternative="greater"
WILLIAMS: list[tuple[CorrelationLevel, Coefficient, float, float]] = [
    ("system", "pearson", 0.03915242431836111, 0.019576212159180557),
    ("system", "spearman", 0.7171509511322318, 0.3585754755661159),
    ("system", "kendall-b", 0.7805919612642827, 0.3902959806321413),
    ("global", "pearson", 1.6833259172443126e-05, 8.416629586221563e-06),
    ("global", "spearman", 2.5735336311508817e-06, 1.2867668155754408e-06),
    ("global", "kendall-b", 0.003926949032928061, 0.0019634745164640306),
]


@pytest.mark.parametrize(("level", "coefficient", "two_sided", "greater"), WILLIAMS)
def test_nlpstats_gives_williams_p(
    level: CorrelationLevel, coefficient: Coefficient, two_sided: float, greater: float
) -> None:
    cases: list[tuple[Alternative, float]] = [("two-sided", two_sided), ("greater", greater)]
    for alternative, theirs in cases:
        found = williams_measures(
            DATA[:2], DATA[2], level=level, coefficient=coefficient, alternative=alternative
        )
        assert found.p[0] == pytest.approx(theirs, rel=1e-9)
        assert found.method == ("t",)


def test_no_p_is_0() -> None:
    far = williams_t(100_000, 0.99, -0.99, -0.985)
    assert far.statistic > 100
    assert 0 < far.p_of() <= 1e-300
    assert far.p_of("greater") > 0
    made = np.random.default_rng(1).normal(size=(3, 200, 50))
    people = made[2]
    found = williams_measures(
        np.stack([people + 0.01 * made[0], -people + 0.01 * made[1]]), people, level="global"
    )
    assert 0 < found.p[0] <= 1e-300
    assert found.least[0] > 0


def test_a_measure_turned_round_has_no_williams_t() -> None:
    """Correlations of 1, -1 and -1 are those of three variables: t is 0/0."""
    for r in (1.0, 0.5, 0.0):
        assert williams_t(8, r, -r, -1.0).why == (
            "one measure is the other turned round, for which Williams' t is 0/0"
        )
    turned = williams_measures(np.stack([DATA[0], 3 - 2 * DATA[0]]), DATA[2])
    assert "turned round" in turned.why[0]
    assert williams_t(8, 1.0, 0.3, 0.3).why is None  # a measure that is people's own scores


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [1e300, 1e-300])
@pytest.mark.parametrize("level", LEVELS)
def test_the_scale_of_scores_does_not_matter(level: CorrelationLevel, factor: float) -> None:
    found, same = (permuted(data, level, "pearson", "systems") for data in (DATA * factor, DATA))
    np.testing.assert_allclose(
        [*found.value_first, *found.value_second, *found.p],
        [*same.value_first, *same.value_second, *same.p],
        atol=1e-12,
    )
    if level != "input":
        found, same = (williams_measures(data[:2], data[2], level=level) for data in (DATA * factor, DATA))
        np.testing.assert_allclose(found.p, same.p, rtol=1e-9)


def test_a_negative_correlation_is_worse_than_none() -> None:
    """nlpstats compares absolute values: a measure turned round would be as good as before."""
    turned = np.stack([DATA[0], -DATA[0], DATA[2]])
    turned[1] += 0.3 * np.random.default_rng(0).normal(size=turned[1].shape)
    found = williams_measures(turned[:2], turned[2], level="global")
    assert found.value_second[0] < -0.8
    assert found.p[0] < 1e-10


def test_williams_test_needs_four_systems_and_two_measures_that_vary_apart() -> None:
    few = williams_measures(DATA[:2, :, :3], DATA[2, :, :3])
    assert few.why[0] == "Williams' test needs 4 values of each measure, has 3"
    same = williams_measures(np.stack([DATA[0], 2 * DATA[0]]), DATA[2])
    assert same.why[0] == "the two measures are perfectly correlated with each other"


# SummEval's 12 systems: experts' coherence and fluency as measures of their relevance


# nlpstats 0.0.1 (SciPy 1.17.1), systems and topics in the order of their names: williams_test(...).pvalue, and both
# correlate(...)
SUMMEVAL_WILLIAMS: list[tuple[CorrelationLevel, Coefficient, float, float, float]] = [
    ("system", "pearson", 0.8925467987256128, 0.8272750116555034, 0.8093825123103414),
    ("system", "spearman", 0.027415226945587876, 0.7832167832167832, 0.9580419580419581),
    ("system", "kendall-b", 0.3079034382142681, 0.6969696969696969, 0.8484848484848484),
    ("global", "pearson", 1.5172097142986335e-33, 0.6680059260732509, 0.36911949977463004),
    ("global", "spearman", 6.4545712158248016e-49, 0.6675697558659506, 0.2798038452307904),
    ("global", "kendall-b", 1.939303620970789e-24, 0.5377539922784063, 0.22916572310087638),
]
# The same, np.random.seed(0): permutation_test(..., n_resamples=R).pvalue, and R
SUMMEVAL_SWAPS: list[tuple[CorrelationLevel, Coefficient, Swap, float, int]] = [
    ("system", "pearson", "systems", 0.9455, 2000),
    ("system", "pearson", "inputs", 0.4855, 2000),
    ("system", "pearson", "both", 0.5295, 2000),
    ("system", "kendall-b", "systems", 0.5995, 2000),
    ("system", "kendall-b", "inputs", 0.0085, 2000),
    ("system", "kendall-b", "both", 0.0275, 2000),
    ("global", "pearson", "systems", 0.0, 1000),
    ("input", "pearson", "systems", 0.01, 100),
]


def summeval(folder: Path) -> FloatArray:
    text = (folder / "summeval" / "model_annotations.12systems.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    topics, systems = (sorted({row[name] for row in rows}) for name in ("id", "model_id"))
    found = np.full((3, len(topics), len(systems)), np.nan)
    for row in rows:
        for k, asked in enumerate(("coherence", "fluency", "relevance")):
            mean = np.mean([each[asked] for each in row["expert_annotations"]])
            found[k, topics.index(row["id"]), systems.index(row["model_id"])] = mean
    return found


@pytest.mark.shared_data
def test_nlpstats_agrees_on_summeval(shared_data: Path) -> None:
    data = summeval(shared_data)
    for level, coefficient, p, first, second in SUMMEVAL_WILLIAMS:
        found = williams_measures(data[:2], data[2], level=level, coefficient=coefficient)
        np.testing.assert_allclose([found.value_first[0], found.value_second[0]], [first, second], atol=1e-12)
        assert found.p[0] == pytest.approx(p, rel=1e-8)
    for level, coefficient, swap, p, many in SUMMEVAL_SWAPS:
        ours = permuted(data, level, coefficient, swap, resamples=5000)
        assert ours.method == ("exact" if swap == "systems" else "swaps",)
        share = (float(ours.p[0]) * many + 1) / (many + 2)
        assert ours.p[0] == pytest.approx(p, abs=5 * np.sqrt(share * (1 - share) * (1 / many + 1 / 5000)))


# Groups


def pairs_of(p: list[float], least: list[float], values: list[float]) -> MeasurePairs:
    first, second = np.triu_indices(len(values), k=1)
    count = np.full(first.size, 5)
    own = np.array(values)
    return MeasurePairs(
        test="permutation:systems",
        level="system",
        coefficient="pearson",
        alternative="two-sided",
        first=first,
        second=second,
        value_first=own[first],
        value_second=own[second],
        statistic=own[first] - own[second],
        p=np.array(p),
        least=np.array(least),
        method=("exact",) * first.size,
        systems=count,
        topics=count,
        cells=count * count,
        undefined_first=0 * count,
        undefined_second=0 * count,
        signature="",
    )


def test_groups_share_letters_where_measures_do_not_differ() -> None:
    # a-b 0.2, a-c 0.001, b-c 0.01: by Holm .003 and .02 differ.
    found = measure_groups(pairs_of([0.2, 0.001, 0.01], [0.001] * 3, [0.8, 0.9, 0.1]), [0.8, 0.9, 0.1])
    np.testing.assert_allclose(found.adjusted, [0.2, 0.003, 0.02])
    assert found.order == (1, 0, 2)
    assert found.letters == ("a", "a", "b")
    assert found.ranks == ((1, 2), (1, 2), (3, 3))
    assert found.better.tolist() == [[False, False, True], [False, False, True], [False, False, False]]


def test_a_pair_that_could_not_have_been_found_is_no_finding_and_no_burden() -> None:
    # With 5 systems no p is below 2/32: nothing can be found at 5 %.
    none = measure_groups(pairs_of([2 / 32] * 3, [2 / 32] * 3, [0.9, 0.5, 0.1]), [0.9, 0.5, 0.1])
    assert not none.reachable.any()
    assert not none.different.any()
    # Two of three pairs are out of reach, so that the third is tested alone (Tarone).
    one = measure_groups(pairs_of([0.04, 0.5, 0.5], [0.001, 0.4, 0.4], [0.9, 0.5, 0.1]), [0.9, 0.5, 0.1])
    assert one.reachable.tolist() == [True, False, False]
    assert one.different.tolist() == [True, False, False]
    assert one.adjusted[0] == pytest.approx(0.04)


def test_an_untested_pair_shares_no_letter_where_another_measure_is_between() -> None:
    # a-b and b-c differ, a-c was not tested: a is above b, b above c.
    values = [0.9, 0.5, -0.9]
    found = measure_groups(pairs_of([0.001, np.nan, 0.001], [0.001, np.nan, 0.001], values), values)
    assert found.letters == ("a", "b", "c")
    assert found.ranks == ((1, 2), (2, 2), (2, 3))  # by what was tested alone
    # Without such a measure the letter is shared.
    found = measure_groups(pairs_of([0.5, np.nan, 0.001], [0.001, np.nan, 0.001], values), values)
    assert set(found.letters[0]) & set(found.letters[2])
    assert not set(found.letters[1]) & set(found.letters[2])


def test_a_measure_without_a_correlation_has_no_place() -> None:
    values = [0.9, np.nan, 0.1]
    found = measure_groups(pairs_of([np.nan, 0.001, np.nan], [np.nan, 0.001, np.nan], values), values)
    assert found.letters == ("a", "", "b")
    assert found.ranks == ((1, 1), None, (2, 2))
    assert found.order == (0, 2, 1)


def test_signatures_say_which_swaps() -> None:
    assert permuted(DATA, "system", "pearson", "systems").signature.endswith("|swaps:all")
    assert permuted(DATA, "system", "pearson", "systems", resamples=9).signature.endswith("|swaps:9")
    some = DATA.copy()
    some[1, :, 4:] = np.nan  # two pairs have 4 systems: 16 swaps
    three = np.stack([DATA[0], some[1], DATA[1]])
    mixed = permutation_measures(three, DATA[2], resamples=16, rng=np.random.default_rng(0))
    assert mixed.method == ("exact", "swaps", "exact")
    assert mixed.signature.endswith("|swaps:all-or-16")


def test_an_untested_pair_does_not_count() -> None:
    found = measure_groups(
        pairs_of([0.02, np.nan, np.nan], [0.01, np.nan, np.nan], [0.9, 0.5, np.nan]), [0.9, 0.5, np.nan]
    )
    assert found.adjusted[0] == pytest.approx(0.02)
    assert found.different.tolist() == [True, False, False]
    assert found.order == (0, 1, 2)
