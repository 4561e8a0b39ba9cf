"""MC and HB: swaps, and the hybrid of bootstrap and swaps."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Alternative, paired_t, unpaired_t, wilcoxon
from adjudge.stats.pairs import PairResults, pair_counts
from adjudge.stats.resampling import engine as resampling_engine
from adjudge.stats.resampling import swaps
from adjudge.stats.resampling.engine import (
    RESAMPLES,
    DrawnBlock,
    ResampledZeros,
    ResamplingOptions,
    Statistic,
    SwapDraws,
    common_topics,
    hybrid_draws,
    make_job,
    observe,
    prepare,
    resample,
    sign_bits,
    tails,
)
from adjudge.stats.resampling.exact import CELLS, MOST_ERROR, exact_pairs
from adjudge.stats.resampling.kernels import difference_tails, tally, weighted_sums
from adjudge.stats.resampling.quantised import DECIMALS, LARGEST_DENOMINATOR, Float
from adjudge.stats.resampling.swaps import hb_pairs, mc_pairs

# MC against ten plain lines, against all swaps, and its promises: ties, missing cells, threads, blocks.


STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=9)


def statistic_of(x: IntArray, y: IntArray, statistic: Statistic, zeros: ResampledZeros = "wilcox") -> Any:
    """Of whole numbers, one sample in each row: a number with the order of the statistic, exact where it can be.

    For T and T^p it is T|T|, since squares of fractions are fractions; infinity is larger than all of them.
    """
    z = x - y
    if statistic == "mean":
        return z.sum(axis=1)
    if statistic == "median":
        return np.median(z, axis=1)
    if statistic == "w":
        return np.array([_w(row, zeros) for row in z])
    return np.array([_t_squared(a, b, statistic) for a, b in zip(x.tolist(), y.tolist(), strict=True)])


def _w(z: IntArray, zeros: ResampledZeros) -> float:
    if zeros == "wilcox":
        z = z[z != 0]
    return float((np.sign(z) * stats.rankdata(np.abs(z))).sum()) if z.size else 0.0


def _t_squared(x: list[int], y: list[int], statistic: Statistic) -> float | Fraction:
    n = len(x)
    z = [a - b for a, b in zip(x, y, strict=True)]
    if statistic == "t":
        variance = _squares(z) / (n - 1) / n
    else:
        variance = (_squares(x) + _squares(y)) / (2 * n - 2) * Fraction(2, n)
    mean = Fraction(sum(z), n)
    if variance:
        return mean * abs(mean) / variance
    return float(np.sign(float(mean))) * np.inf if mean else 0.0


def _squares(values: list[int]) -> Fraction:
    """The sum of squares around the mean."""
    mean = Fraction(sum(values), len(values))
    return sum(((value - mean) ** 2 for value in values), Fraction(0))


def reached(values: Any, observed: Any, alternative: Alternative) -> int:
    """How many values are at least as extreme."""
    if alternative == "two-sided":
        return int(np.count_nonzero(np.abs(values) >= abs(observed)))
    return int(np.count_nonzero(values >= observed if alternative == "greater" else values <= observed))


def cutoff_of(values: Any, alternative: Alternative, alpha: float) -> float:
    """The smallest t with F(t) >= 1 - alpha, as the paper has it."""
    folded = {"two-sided": np.abs(values), "greater": values, "less": -values}[alternative]
    share = [np.mean(folded <= t) for t in np.sort(folded)]
    smallest = np.sort(folded)[next(k for k, f in enumerate(share) if f >= 1 - alpha - 1e-12)]
    return float(-smallest if alternative == "less" else smallest)


def signs_of(bits: npt.NDArray[np.uint64], resamples: int) -> IntArray:
    """Resamples x topics, +1 or -1."""
    r = np.arange(resamples)
    return 1 - 2 * ((bits[:, r // 64] >> (r % 64).astype(np.uint64)) & np.uint64(1)).astype(np.int64).T


def all_signs(topics: int) -> npt.NDArray[np.uint64]:
    """Bits of all 2^n sign vectors, for n from 6 on."""
    r = np.arange(2**topics, dtype=np.uint64).reshape(-1, 64)
    return np.array(
        [
            (((r >> np.uint64(k)) & np.uint64(1)) << np.arange(64, dtype=np.uint64)).sum(axis=1)
            for k in range(topics)
        ],
        dtype=np.uint64,
    )


def pair_of(values: FloatArray, i: int, j: int) -> int:
    """The position of a pair."""
    return list(combinations(range(values.shape[1]), 2)).index((i, j))


@examples(150)
@given(
    SCORES,
    st.sampled_from([1, 10, 3, 1_000_003]),
    st.sampled_from(STATISTICS),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from(["wilcox", "pratt"]),
    st.integers(1, 130),
)
def test_equals_ten_plain_lines(
    pairs: list[tuple[int, int]],
    unit: int,
    statistic: Statistic,
    alternative: Alternative,
    zeros: ResampledZeros,
    resamples: int,
) -> None:
    # In tenths and thirds scores carry noise, and 1/1,000,003 is no grid; the twin sees whole numbers.
    x, y = np.array(pairs).T
    signs = signs_of(sign_bits(np.random.default_rng(7), x.size, resamples), resamples)
    swapped = np.where(signs > 0, x, y), np.where(signs > 0, y, x)
    values = statistic_of(*swapped, statistic, zeros)
    observed = statistic_of(x[None, :], y[None, :], statistic, zeros)[0]
    result = mc_pairs(
        np.column_stack([x, y]) / unit,
        rng=np.random.default_rng(7),
        statistic=statistic,
        resamples=resamples,
        alternative=alternative,
        alpha=0.1,
        zeros=zeros,
    )
    assert result.p[0] == (reached(values, observed, alternative) + 1) / (resamples + 1)
    expected = float(cutoff_of(values, alternative, 0.1))
    if statistic in ("t", "t-unpaired"):
        expected = float(np.sign(expected) * np.sqrt(abs(expected)))
    elif statistic == "mean":
        expected /= unit * x.size
    elif statistic == "median":
        expected /= unit
    assert result.cutoff is not None
    assert result.cutoff[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@examples(200)
@given(
    st.integers(1, 400),
    st.integers(1, 3),
    st.sampled_from([3, 1000, 2**22, 2**50]),
    st.sampled_from([0, 1, -1]),
    st.floats(0, 1),
    st.floats(-3, 3),
    st.sampled_from([np.nan, 0.0, 1e-9, 0.3, 1e9]),
    st.integers(0, 2**32 - 1),
)
def test_tails_equal_sorting(
    resamples: int, pairs: int, largest: int, side: int, share: float, guess: float, apart: float, seed: int
) -> None:
    # Whatever the guess, and however many values tie, before or after rounding to float32.
    rng = np.random.default_rng(seed)
    sums = rng.integers(-largest, largest + 1, (pairs + 1, resamples)).astype(float)
    if largest > 2**24:
        sums[:, : resamples // 2] = sums[:, :1] + rng.integers(0, 3, (pairs + 1, resamples // 2))
    sums = sums.astype(np.float32 if largest <= 2**22 else np.float64)
    first, second = np.arange(pairs), np.full(pairs, pairs)
    difference = sums[first].astype(float) - sums[second]
    folded = np.abs(difference) if side == 0 else side * difference
    edges = rng.choice(folded, axis=1) + rng.integers(-1, 2, pairs)
    rank = 1 + int(share * (resamples - 1))
    start = np.full(pairs, guess * largest)
    counts, found = difference_tails(
        sums, first, second, edges, side, rank, start, np.full(pairs, apart * largest)
    )
    assert counts.tolist() == (folded >= edges[:, None]).sum(axis=1).tolist()
    assert found.tolist() == np.sort(folded, axis=1)[:, resamples - rank].tolist()


@settings(deadline=None)
@given(st.integers(1, 11), st.integers(0, 9), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_weighted_sums_do_not_depend_on_their_neighbours(
    topics: int, columns: int, more: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    weights, scores = (
        rng.integers(-3, 4, (topics, 70)).astype(float),
        rng.normal(size=(columns + more, topics)),
    )
    sums, alone = np.empty((columns + more, 70)), np.empty((columns, 70))
    weighted_sums(weights, scores, sums)
    weighted_sums(weights, scores[:columns], alone)
    assert np.array_equal(sums[:columns], alone)
    assert sums == pytest.approx(scores @ weights, rel=1e-12, abs=1e-12)


def test_pairs_fall_into_sets_of_topics() -> None:
    present = ~np.isnan(with_holes())
    common = common_topics(present)
    seen = []
    for which, pairs in common.sets(np.arange(36)):
        for k in pairs:
            both = present[:, common.first[k]] & present[:, common.second[k]]
            assert common.rows(which).tolist() == np.flatnonzero(both).tolist()
            assert common.n[k] == both.sum()
        seen += pairs.tolist()
    assert sorted(seen) == list(range(36))
    # Systems 0, 2, 3 and 5 have everything, 1 and 4 the second half, 6 the first, 7 is scattered, 8 has nothing.
    assert len(list(common.sets(np.arange(36)))) == 7
    assert len(list(common_topics(np.ones((4, 5), dtype=bool)).sets(np.arange(10)))) == 1


RATINGS = np.random.default_rng(11).integers(1, 6, (10, 4)).astype(float)


@pytest.mark.parametrize("unit", [1, 10, 3])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_all_swaps_give_the_exact_p(
    monkeypatch: pytest.MonkeyPatch, unit: int, alternative: Alternative
) -> None:
    # With all 2^n sign vectors in place of random ones, k/R is the exact p; no tie is lost.
    values = RATINGS / unit
    monkeypatch.setattr(swaps, "sign_bits", lambda rng, topics, resamples: all_signs(topics))
    signs = np.array(list(product([1, -1], repeat=10)))
    results = {
        s: mc_pairs(values, rng=np.random.default_rng(), statistic=s, resamples=1024, alternative=alternative)
        for s in STATISTICS
    }
    counted = {s: r.p * 1025 - 1 for s, r in results.items()}
    for k, (i, j) in enumerate(combinations(range(4), 2)):
        z = (RATINGS[:, i] - RATINGS[:, j]).astype(np.int64)
        assert counted["mean"][k] == pytest.approx(reached(signs @ z, z.sum(), alternative))
        medians = np.median(signs * z, axis=1)
        assert counted["median"][k] == pytest.approx(reached(medians, np.median(z), alternative))
    exact = exact_pairs(values, alternative=alternative)
    assert counted["mean"] / 1024 == pytest.approx(exact.p, rel=1e-12)
    if alternative == "two-sided":
        by_rank = [wilcoxon(values[:, i], values[:, j]).p for i, j in combinations(range(4), 2)]
        assert counted["w"] / 1024 == pytest.approx(by_rank, rel=1e-12)


def test_a_naive_comparison_loses_ties() -> None:
    # The check above can fail: in floating point, plain >= finds fewer of the same swaps.
    signs = np.array(list(product([1, -1], repeat=10)))
    lost = 0
    for i, j in combinations(range(4), 2):
        z = RATINGS[:, i] - RATINGS[:, j]
        whole = int(np.count_nonzero(np.abs(signs @ z) >= abs(z.sum())))
        x, y = RATINGS[:, i] / 10, RATINGS[:, j] / 10
        means = np.where(signs > 0, x, y).mean(axis=1) - np.where(signs > 0, y, x).mean(axis=1)
        lost += whole - int(np.count_nonzero(np.abs(means) >= abs(x.mean() - y.mean())))
    assert lost > 100


def test_mean_t_and_unpaired_t_have_one_p() -> None:
    rng = np.random.default_rng(5)
    for values in (rng.integers(1, 6, (23, 5)) / 10, rng.normal(size=(23, 5))):
        values[rng.random(values.shape) < 0.1] = np.nan
        for alternative in ALTERNATIVES:
            kinds: list[Statistic] = ["mean", "t", "t-unpaired"]
            mean, paired, unpaired = (
                mc_pairs(values, rng=np.random.default_rng(1), statistic=kind, alternative=alternative).p
                for kind in kinds
            )
            assert np.array_equal(mean, paired)
            assert np.array_equal(mean, unpaired)


def test_the_one_p_is_that_of_each_statistic() -> None:
    # Each statistic computed by itself, in floating point with a tolerance, gives the same p: one product serves all.
    rng = np.random.default_rng(6)
    x, y = rng.integers(0, 40, (2, 30)) / 20
    signs = signs_of(sign_bits(np.random.default_rng(1), 30, 500), 500)
    a, b = np.where(signs > 0, x, y), np.where(signs > 0, y, x)
    p = mc_pairs(np.column_stack([x, y]), rng=np.random.default_rng(1), resamples=500).p[0]
    computed: list[tuple[FloatArray, float]] = [
        ((a - b).mean(axis=1), float((x - y).mean())),
        (stats.ttest_rel(a, b, axis=1).statistic, stats.ttest_rel(x, y).statistic),
        (stats.ttest_ind(a, b, axis=1).statistic, stats.ttest_ind(x, y).statistic),
    ]
    for values, observed in computed:
        assert p == (np.count_nonzero(np.abs(values) >= abs(observed) * (1 - 1e-9)) + 1) / 501


def test_observed_statistics_are_those_of_the_tests() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=(15, 4))
    values[rng.random(values.shape) < 0.1] = np.nan
    by = {s: mc_pairs(values, rng=np.random.default_rng(1), statistic=s, resamples=10) for s in STATISTICS}
    for k, (i, j) in enumerate(combinations(range(4), 2)):
        x, y = values[:, i], values[:, j]
        assert by["t"].statistic[k] == pytest.approx(paired_t(x, y).statistic, rel=1e-9)
        assert by["t-unpaired"].statistic[k] == pytest.approx(unpaired_t(x, y).statistic, rel=1e-9)
        assert by["w"].statistic[k] == wilcoxon(x, y).statistic
        assert by["median"].statistic[k] == pytest.approx(np.nanmedian(x - y), rel=1e-9)
        assert by["mean"].statistic[k] == by["mean"].counts.difference[k]
        assert by["mean"].at(k).sentence("A", "B").count("random swaps") == 1


def test_the_p_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(9)
    values = rng.integers(1, 6, (20, 8)) + rng.integers(0, 2, 8)
    exact = exact_pairs(values).p
    p = mc_pairs(values, rng=np.random.default_rng(1), resamples=20_000).p
    assert (np.abs(p - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4).all()


def with_holes(seed: int = 3, topics: int = 40, systems: int = 9) -> FloatArray:
    """Ratings in tenths: two systems miss the first half, one the second, one is scattered, one has none."""
    rng = np.random.default_rng(seed)
    values = rng.integers(10, 51, (topics, systems)) / 10
    values[: topics // 2, [1, 4]] = np.nan
    values[topics // 2 :, 6] = np.nan
    values[rng.random(topics) < 0.3, 7] = np.nan
    values[:, 8] = np.nan
    return values


def null_of_pair(
    values: FloatArray,
    rng: np.random.Generator,
    *,
    hybrid: bool,
    resamples: int,
    statistic: Statistic = "mean",
) -> FloatArray:
    """The resampled statistics of one pair, ascending and signed."""
    [task] = prepare(values, ResamplingOptions(statistic, resamples, "two-sided", 0.05, "wilcox"))
    rows = task.common.rows(0)
    swaps = SwapDraws(sign_bits(rng, task.whole.shape[1], resamples), resamples) if not hybrid else None
    job = make_job(task, task.pairs, rows)
    drawn = resample(job, rows, swaps or hybrid_draws(rng, resamples)).astype(np.float64)
    shown = observe(task, task.pairs, rows, job).shown(drawn[job.first] - drawn[job.second])
    return np.sort(shown[0])


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_pair_does_not_depend_on_the_other_columns(statistic: Statistic) -> None:
    values = with_holes()
    options: dict[str, Any] = {"statistic": statistic, "resamples": 300}
    together = mc_pairs(values, rng=np.random.default_rng(2), **options)
    counts = pair_counts(values)
    for k, (i, j) in enumerate(combinations(range(9), 2)):
        alone = mc_pairs(values[:, [i, j]], rng=np.random.default_rng(2), **options)
        assert together.p[k] == alone.p[0] or np.isnan([together.p[k], alone.p[0]]).all()
        assert (
            together.counts.n[k] == counts.n[k] == np.count_nonzero(~np.isnan(values[:, [i, j]]).any(axis=1))
        )
        assert alone.why.get(0) == together.why.get(k)
        if k not in together.why:
            assert together.cutoff is not None
            null = null_of_pair(values[:, [i, j]], np.random.default_rng(2), hybrid=False, **options)
            assert cutoff_of(null, "two-sided", 0.05) == pytest.approx(together.cutoff[k], rel=1e-9)
    assert together.why[pair_of(values, 1, 6)] == "needs two topics that both have, has none"


def test_a_huge_column_spoils_no_other() -> None:
    # Without a grid scores are rounded; for a system a million times as large the rounding would be coarse.
    rng = np.random.default_rng(4)
    values = rng.normal(size=(20, 5))
    huge = np.column_stack(
        [values[:, 0], 1e9 * values[:, 1], values[:, 2], 1e-200 * values[:, 3], 0 * values[:, 4]]
    )
    for statistic in STATISTICS:
        together = mc_pairs(huge, rng=np.random.default_rng(2), statistic=statistic, resamples=300)
        for k, (i, j) in enumerate(combinations(range(5), 2)):
            alone = mc_pairs(
                huge[:, [i, j]], rng=np.random.default_rng(2), statistic=statistic, resamples=300
            )
            assert together.p[k] == alone.p[0]
            assert together.statistic[k] == pytest.approx(alone.statistic[0], rel=1e-9)
        naive = mc_pairs(values[:, [0, 2]], rng=np.random.default_rng(2), statistic=statistic, resamples=300)
        assert together.p[1] == naive.p[0] < 1


def same(a: PairResults, b: PairResults) -> bool:
    assert a.cutoff is not None
    assert b.cutoff is not None
    return np.array_equal(a.p, b.p, equal_nan=True) and np.array_equal(a.cutoff, b.cutoff, equal_nan=True)


@pytest.mark.parametrize("statistic", ["mean", "t", "w", "median"])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, statistic: Statistic, noise: float) -> None:
    values = with_holes() + noise * np.random.default_rng(1).normal(size=(40, 9))
    whole = mc_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=500)
    for width, signs, columns in ((2**10, 64, 2), (2**14, 40 * 128, 3), (2**28, 2**22, 4096)):
        monkeypatch.setattr(resampling_engine, "SUMS_BYTES", width)
        monkeypatch.setattr(resampling_engine, "SUMS_BYTES", width)
        monkeypatch.setattr(resampling_engine, "SIGNS", signs)
        monkeypatch.setattr(resampling_engine, "WEIGHTS", signs)
        monkeypatch.setattr(resampling_engine, "MOST_COLUMNS", columns)
        monkeypatch.setattr(resampling_engine, "PRODUCT_FROM", 0)
        again = mc_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=500)
        assert same(whole, again)


def test_threads_change_nothing() -> None:
    code = (
        "import numpy as np; from adjudge.stats.resampling.swaps import mc_pairs;"
        "from adjudge.stats.resampling import engine;"
        "engine.PRODUCT_FROM = 0; rng = np.random.default_rng(1);"
        "v = rng.normal(size=(300, 40)); v[:100, :5] = np.nan;"
        "r = mc_pairs(v, rng=rng, resamples=3000); print(r.p.tobytes().hex(), r.cutoff.tobytes().hex())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(printed) == 1


def test_the_seed_alone_decides() -> None:
    values = with_holes()
    once, again, other = (mc_pairs(values, rng=np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert same(once, again)
    assert not same(once, other)


def test_topics_that_nobody_has_change_nothing() -> None:
    values = with_holes()[:, :8]
    longer = np.vstack([values, np.full((30, 8), np.nan)])
    assert same(
        mc_pairs(values, rng=np.random.default_rng(0)), mc_pairs(longer, rng=np.random.default_rng(0))
    )


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(
    ("values", "p", "why"),
    [
        ([[1.0, 2.0]], None, "has 1"),
        ([[1.0, np.nan], [np.nan, 2.0]], None, "has none"),
        (np.full((3, 2), np.nan), None, "has none"),
        (np.empty((0, 2)), None, "has none"),
        ([[0.123456789, np.nan], [np.nan, 1e9 * np.pi]], None, "has none"),
        ([[0.1 + 0.2, 0.3], [0.5, 0.5], [0.7, 0.7]], 1.0, None),
        (np.full((6, 2), 0.123456789123), 1.0, None),
        ([[1.0, 1.0], [5.0, 5.0]], 1.0, None),
    ],
)
def test_odd_pairs_have_a_result_or_a_reason(
    statistic: Statistic, values: npt.ArrayLike, p: float | None, why: str | None
) -> None:
    result = mc_pairs(values, rng=np.random.default_rng(1), statistic=statistic, resamples=50)
    if why is not None:
        assert np.isnan([result.p[0], result.statistic[0]]).all()
        assert (result.why[0], result.method[0]) == (f"needs two topics that both have, {why}", None)
        assert "cannot be compared" in result.at(0).sentence("A", "B")
    else:
        assert (result.p[0], result.statistic[0], result.why) == (p, 0.0, {})


def test_a_constant_difference_has_infinite_t() -> None:
    values = np.array([[0.3, 0.1], [0.5, 0.3], [0.7, 0.5], [0.9, 0.7]])
    paired = mc_pairs(values, rng=np.random.default_rng(1), statistic="t", resamples=400)
    assert paired.statistic[0] == np.inf
    # 2 of the 16 swaps leave or turn all four: p is near 1/8, and it is the mean's.
    assert paired.p[0] == mc_pairs(values, rng=np.random.default_rng(1), resamples=400).p[0]
    assert abs(paired.p[0] - 1 / 8) < 0.07


@pytest.mark.parametrize("systems", [0, 1, 2, 500])
def test_any_number_of_systems(systems: int) -> None:
    values = np.random.default_rng(1).integers(1, 6, (6, systems)) / 10
    result = mc_pairs(values, rng=np.random.default_rng(1), resamples=20)
    assert len(result) == systems * (systems - 1) // 2
    assert ((result.p > 0) & (result.p <= 1)).all()


def test_large_scores_and_offsets_keep_their_ties() -> None:
    ratings = RATINGS[:, :2]
    expected = mc_pairs(ratings, rng=np.random.default_rng(1)).p
    for other in (
        ratings * 1e9 + 1e12,
        ratings * 1e-9,
        ratings / 7 + 1e6,
        ratings * 1e300,
        ratings * 1e-300,
        ratings * np.pi,
    ):
        assert np.array_equal(mc_pairs(other, rng=np.random.default_rng(1)).p, expected)


def test_the_signature_says_what_was_done() -> None:
    result = mc_pairs(RATINGS, rng=np.random.default_rng(1), statistic="w", zeros="pratt", resamples=99)
    assert result.signature == "mc|statistic:w|zeros:pratt|resamples:99|alpha:0.05|two-sided"
    assert (result.test, set(result.method), result.alternative) == ("mc", {"swaps"}, "two-sided")


def test_quantiles_are_those_of_the_paper() -> None:
    values = np.array([[1.0, 2.0], [5.0, 1.0], [3.0, 3.0]])
    null = null_of_pair(values, np.random.default_rng(1), hybrid=False, resamples=40)
    # Differences -1, 4, 0: the mean is -5/3, -1, 1 or 5/3, and its size 1 or 5/3.
    assert set(null.round(9)) == {round(k / 3, 9) for k in (-5, -3, 3, 5)}
    ones = float(np.mean(np.abs(null) < 1.5))
    for alpha, expected in ((1 - ones, 1.0), (1 - ones - 0.001, 5 / 3)):
        result = mc_pairs(values, rng=np.random.default_rng(1), resamples=40, alpha=alpha)
        assert result.cutoff is not None
        assert result.cutoff[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "mode"}, 'statistic: unknown value "mode"; expected one of "mean"'),
        ({"resamples": 0}, "resamples: expected a whole number of at least 1"),
        ({"alternative": "more"}, "alternative: unknown value"),
        ({"alpha": 1.0}, "alpha: expected a number between 0 and 1"),
        ({"zeros": "split"}, "zeros: unknown value"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    test: Callable[..., PairResults] = mc_pairs
    with pytest.raises(UsageError, match=message):
        test([[1.0, 2.0], [2.0, 1.0]], rng=np.random.default_rng(1), **options)
    with pytest.raises(UsageError, match="values: expected 2 dimension"):
        test([1.0, 2.0], rng=np.random.default_rng(1))


PAGE = (Path(__file__).parents[3] / "docs" / "resampling.md").read_text(encoding="utf-8")


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(found.group(1), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", found.group(1), re.MULTILINE)


def test_the_page_has_the_bounds_of_the_code() -> None:
    assert f"cells={CELLS})" in PAGE
    assert f"would exceed {MOST_ERROR} there" in PAGE
    assert f"... {10**DECIMALS:,} or any number up\n  to {LARGEST_DENOMINATOR:,}" in PAGE
    assert f"{RESAMPLES:,} unless told otherwise" in PAGE


@pytest.mark.parametrize("statistic", ["mean", "t", "w", "median"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("decimals", [1, 17])
def test_without_a_cutoff_the_p_values_are_the_same(statistic: Any, alternative: Any, decimals: int) -> None:
    values = np.round(np.random.default_rng(8).normal(size=(12, 7)), decimals)
    values[:4, 2] = np.nan
    asked: Any = {"statistic": statistic, "alternative": alternative, "resamples": 300}
    whole = mc_pairs(values, rng=np.random.default_rng(1), **asked)
    less = mc_pairs(values, rng=np.random.default_rng(1), alpha=None, **asked)
    assert (less.p == whole.p).all()
    assert less.cutoff is None
    assert "alpha" not in less.signature


# HB against plain lines, against all resamples, and its promises: mid-ranks, constant resamples, missing cells.


SCORES_HYBRID = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=7)


def resampled(
    x: IntArray, y: IntArray, signed: npt.NDArray[Any], counts: npt.NDArray[Any]
) -> tuple[IntArray, IntArray]:
    """The two samples of every resample, in rows, from how often topics were drawn and left rather than swapped."""
    left = ((counts + signed) / 2).astype(np.int64).T
    swapped = ((counts - signed) / 2).astype(np.int64).T
    first = [np.r_[np.repeat(x, a), np.repeat(y, b)] for a, b in zip(left, swapped, strict=True)]
    second = [np.r_[np.repeat(y, a), np.repeat(x, b)] for a, b in zip(left, swapped, strict=True)]
    return np.array(first), np.array(second)


def drawn(seed: int, rows: IntArray, resamples: int) -> tuple[FloatArray, FloatArray]:
    """The weights of all resamples that `hb_pairs` uses for a set of topics."""
    blocks = list(hybrid_draws(np.random.default_rng(seed), resamples).blocks(rows, np.float64))
    return np.concatenate([b[1] for b in blocks], axis=1), np.concatenate([b[2] for b in blocks], axis=1)


@examples(150)
@given(
    SCORES_HYBRID,
    st.sampled_from([1, 10, 3, 1_000_003]),
    st.sampled_from(STATISTICS),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from(["wilcox", "pratt"]),
    st.integers(1, 130),
)
def test_equals_plain_lines(
    pairs: list[tuple[int, int]],
    unit: int,
    statistic: Statistic,
    alternative: Alternative,
    zeros: ResampledZeros,
    resamples: int,
) -> None:
    # In tenths and thirds scores carry noise, and 1/1,000,003 is no grid; the twin sees whole numbers.
    x, y = np.array(pairs).T
    signed, counts = drawn(7, np.arange(x.size), resamples)
    values = statistic_of(*resampled(x, y, signed, counts), statistic, zeros)
    observed = statistic_of(x[None, :], y[None, :], statistic, zeros)[0]
    result = hb_pairs(
        np.column_stack([x, y]) / unit,
        rng=np.random.default_rng(7),
        statistic=statistic,
        resamples=resamples,
        alternative=alternative,
        alpha=0.1,
        zeros=zeros,
    )
    assert result.p[0] == (reached(values, observed, alternative) + 1) / (resamples + 1)
    expected = float(cutoff_of(values, alternative, 0.1))
    if statistic in ("t", "t-unpaired"):
        expected = float(np.sign(expected) * np.sqrt(abs(expected)))
    elif statistic == "mean":
        expected /= unit * x.size
    elif statistic == "median":
        expected /= unit
    assert result.cutoff is not None
    assert result.cutoff[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@dataclass(frozen=True)
class Everything:
    """All n^n draws with all 2^n swaps, each once: what HB is a sample of."""

    topics: int

    @property
    def resamples(self) -> int:
        return int((2 * self.topics) ** self.topics)

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]:
        assert rows.size == self.topics
        every = list(product(product(range(self.topics), (1, -1)), repeat=self.topics))
        signed, counts = np.zeros((2, self.topics, len(every)), dtype=dtype)
        for r, picks in enumerate(every):
            for topic, sign in picks:
                signed[topic, r] += sign
                counts[topic, r] += 1
        yield slice(0, len(every)), signed, counts


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    "scores", [[(1, 4), (2, 1), (5, 5), (3, 5)], [(4, 1), (3, 1), (5, 2)], [(2, 1), (5, 4)]]
)
def test_a_sample_of_all_resamples(
    statistic: Statistic, alternative: Alternative, scores: list[tuple[int, int]]
) -> None:
    whole = np.array(scores)
    everything = Everything(len(whole))
    [task] = prepare(
        whole / 10, ResamplingOptions(statistic, everything.resamples, alternative, 0.05, "wilcox")
    )
    counted = int(tails(task, everything).counts[0])
    _, signed, counts = next(everything.blocks(np.arange(len(whole)), np.float64))
    values = statistic_of(*resampled(whole[:, 0], whole[:, 1], signed, counts), statistic)
    observed = statistic_of(whole[:, :1].T, whole[:, 1:].T, statistic)[0]
    assert counted == reached(values, observed, alternative)
    # The random sample is near the share that it samples.
    share = counted / everything.resamples
    p = hb_pairs(
        whole / 10, rng=np.random.default_rng(1), statistic=statistic, resamples=4000, alternative=alternative
    ).p[0]
    assert abs(p - share) < 4.5 * np.sqrt(share * (1 - share) / 4000) + 1e-3


def test_a_constant_resample() -> None:
    # Differences 1, 1 and -1. Drawn and swapped they are three signs, each of 8 equally likely: T^p is infinite for
    # two of them, else the sum is 1 or -1 and |T^p| = 0.5. The observed one has |T^p| = 0.5, so p is 1.
    values = np.array([[2.0, 1.0], [4.0, 3.0], [1.0, 2.0]])
    null = null_of_pair(values, np.random.default_rng(1), hybrid=True, statistic="t", resamples=400)
    assert set(np.abs(null.round(9))) == {0.5, np.inf}
    assert abs(np.mean(np.isinf(null)) - 0.25) < 0.1
    result = hb_pairs(values, rng=np.random.default_rng(1), statistic="t", resamples=400)
    assert result.statistic[0] == pytest.approx(0.5)
    assert result.p[0] == 1.0
    assert result.cutoff is not None
    assert result.cutoff[0] == np.inf


def test_a_resample_of_zeros_has_t_0() -> None:
    # Differences 0, 0 and 1: T^p is 1 as observed. Drawn, it is 0 where no 1 is drawn: 8/27 of the resamples.
    values = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 2.0]])
    null = null_of_pair(values, np.random.default_rng(1), hybrid=True, statistic="t", resamples=2000)
    zeros = np.count_nonzero(null == 0)
    # Two draws of the 1 with opposite signs have mean 0 as well: 6/27 of the resamples, half of them.
    assert abs(zeros / 2000 - (8 + 3) / 27) < 0.05
    assert np.isinf(null).any()
    assert not np.isnan(null).any()


def test_topics_drawn_twice_share_a_mid_rank() -> None:
    # One resample by hand: sizes 1 (twice, left), 3 (once, swapped); ranks 1.5, 1.5 and 3: W = 1.5 + 1.5 - 3 = 0.
    values = np.array([[2.0, 1.0], [5.0, 2.0], [9.0, 1.0]])
    [task] = prepare(values, ResamplingOptions("w", 1, "two-sided", 0.05, "wilcox"))
    job = make_job(task, task.pairs, np.arange(3))
    out = np.empty((1, 1), dtype=job.values)
    signed, counts = np.array([[2.0], [-1.0], [0.0]]), np.array([[2.0], [1.0], [0.0]])
    job.fill(signed.astype(job.weights), counts.astype(job.weights), out)
    assert out[0, 0] == 0
    # Size 1 twice with opposite signs, 8 once: its rank is 3, W = 0 + 3; kept doubled.
    signed, counts = np.array([[0.0], [0.0], [1.0]]), np.array([[2.0], [0.0], [1.0]])
    job.fill(signed.astype(job.weights), counts.astype(job.weights), out)
    assert out[0, 0] == 6


def test_draws_are_counted() -> None:
    rng = np.random.default_rng(1)
    picks = rng.integers(0, 70, size=(5, 70))
    bits = rng.integers(0, 2**64, size=(5, 2), dtype=np.uint64)
    signed, counts = np.empty((2, 70, 5))
    tally(picks, bits, signed, counts)
    for r in range(5):
        assert np.array_equal(counts[:, r], np.bincount(picks[r], minlength=70))
        swaps = [int(bits[r, m // 64]) >> (m % 64) & 1 for m in range(70)]
        for k in range(70):
            assert signed[k, r] == sum(
                1 - 2 * s for s, pick in zip(swaps, picks[r], strict=True) if pick == k
            )


def test_draws_are_even() -> None:
    signed, counts = drawn(3, np.arange(20), 20_000)
    assert (counts.sum(axis=0) == 20).all()
    # A topic is drawn binomially, 20 times with 1/20: mean 1, variance 19/20; left or swapped evenly.
    assert np.abs(counts.mean(axis=1) - 1).max() < 4.5 * np.sqrt(0.95 / 20_000)
    assert np.abs(signed.mean(axis=1)).max() < 4.5 * np.sqrt(1 / 20_000)
    assert abs(counts.var() - 0.95) < 0.02
    assert abs(signed.var() - 1) < 0.02


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_pair_depends_on_its_own_topics_alone(statistic: Statistic) -> None:
    # A pair draws from the topics that both have, by a stream that depends on these topics and the seed.
    values = with_holes()
    options: dict[str, Any] = {"statistic": statistic, "resamples": 300}
    together = hb_pairs(values, rng=np.random.default_rng(2), **options)
    for k, (i, j) in enumerate(combinations(range(9), 2)):
        alone = hb_pairs(values[:, [i, j]], rng=np.random.default_rng(2), **options)
        assert together.p[k] == alone.p[0] or np.isnan([together.p[k], alone.p[0]]).all()
        assert together.counts.n[k] == np.count_nonzero(~np.isnan(values[:, [i, j]]).any(axis=1))
        assert alone.why.get(0) == together.why.get(k)
        if k not in together.why:
            assert together.cutoff is not None
            null = null_of_pair(values[:, [i, j]], np.random.default_rng(2), hybrid=True, **options)
            assert cutoff_of(null, "two-sided", 0.05) == pytest.approx(together.cutoff[k], rel=1e-9)


def test_pairs_with_the_same_topics_share_their_draws() -> None:
    # Systems 1 and 4 miss the same topics; put the same scores there and the pairs have one result.
    values = with_holes()
    values[:, 4] = values[:, 1]
    result = hb_pairs(values, rng=np.random.default_rng(2))
    at = {pair: k for k, pair in enumerate(combinations(range(9), 2))}
    assert result.p[at[0, 1]] == result.p[at[0, 4]]
    assert result.p[at[1, 2]] == result.p[at[2, 4]]
    # With a topic less in common the draws are others.
    values[30, 4] = np.nan
    other = hb_pairs(values, rng=np.random.default_rng(2))
    assert other.p[at[0, 1]] == result.p[at[0, 1]]
    assert other.p[at[0, 4]] != result.p[at[0, 4]]


def test_missing_topics_are_never_drawn() -> None:
    # The mean of n = 20 of 40 topics: had missing ones been drawn as 0, sums would be over fewer differences.
    values = with_holes()
    null = null_of_pair(values[:, :2], np.random.default_rng(2), hybrid=True, resamples=4000)
    z = (values[:, 0] - values[:, 1])[~np.isnan(values[:, 1])]
    assert z.size == 20
    # Under HB the mean has variance (sum of squares) / n^2.
    assert null.std() == pytest.approx(np.sqrt((z**2).sum()) / 20, rel=0.05)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_blocks_change_nothing_hybrid(
    monkeypatch: pytest.MonkeyPatch, statistic: Statistic, noise: float
) -> None:
    values = with_holes() + noise * np.random.default_rng(1).normal(size=(40, 9))
    whole = hb_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=500)
    # Draws are kept as they are, in bytes, or made again for every portion of pairs.
    kept = ((2**22, 2**28), (0, 2**28), (0, 0))
    for width, weights, (remembered, packed) in product((2**10, 2**15), (64, 40 * 192), kept):
        monkeypatch.setattr(resampling_engine, "SUMS_BYTES", width)
        monkeypatch.setattr(resampling_engine, "NEAR_BYTES", width)
        monkeypatch.setattr(resampling_engine, "WEIGHTS", weights)
        monkeypatch.setattr(resampling_engine, "REMEMBERED", remembered)
        monkeypatch.setattr(resampling_engine, "PACKED_BYTES", packed)
        assert same(whole, hb_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=500))


def test_many_topics_are_packed_in_two_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(size=(150, 6))
    whole = hb_pairs(values, rng=np.random.default_rng(2), statistic="t", resamples=200)
    monkeypatch.setattr(resampling_engine, "REMEMBERED", 0)
    assert same(whole, hb_pairs(values, rng=np.random.default_rng(2), statistic="t", resamples=200))


@pytest.mark.parametrize("statistic", ["mean", "t"])
def test_systems_by_tiles_change_nothing(monkeypatch: pytest.MonkeyPatch, statistic: Statistic) -> None:
    values = np.random.default_rng(1).normal(size=(12, 23))
    whole = hb_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=100)
    for fit in (2, 3, 10, 40):  # systems, or pairs, that fit
        monkeypatch.setattr(resampling_engine, "SUMS_BYTES", fit * 1600)
        monkeypatch.setattr(resampling_engine, "NEAR_BYTES", fit * 800)
        assert same(whole, hb_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=100))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_odd_pairs_have_a_result_or_a_reason_hybrid(statistic: Statistic) -> None:
    values = np.array(
        [[1.0, 0.1 + 0.2, 0.3, np.nan, 2.0], [2.0, 0.5, 0.5, 2.0, np.nan], [3.0, 0.7, 0.7, np.nan, np.nan]]
    )
    result = hb_pairs(values, rng=np.random.default_rng(1), statistic=statistic, resamples=50)
    at = {pair: k for k, pair in enumerate(combinations(range(5), 2))}
    assert (result.p[at[1, 2]], result.statistic[at[1, 2]]) == (1.0, 0.0)
    assert result.why[at[0, 3]] == "needs two topics that both have, has 1"
    assert result.why[at[3, 4]] == "needs two topics that both have, has none"
    assert np.isnan(result.p[at[0, 3]])
    assert result.method[at[0, 3]] is None
    assert len(hb_pairs(values[:, :1], rng=np.random.default_rng(1), statistic=statistic)) == 0
    assert len(hb_pairs(np.empty((0, 3)), rng=np.random.default_rng(1), statistic=statistic).why) == 3


def test_cutoffs_beside_those_of_mc() -> None:
    # What docs/resampling.md says of 10 topics: as good as MC's for mean, t and w, a quarter wider for the median.
    values = np.random.default_rng(0).normal(size=(10, 30))

    def wider(statistic: Statistic) -> float:
        options: dict[str, Any] = {"statistic": statistic, "resamples": 5000}
        hb = hb_pairs(values, rng=np.random.default_rng(1), **options).cutoff
        mc = mc_pairs(values, rng=np.random.default_rng(1), **options).cutoff
        assert hb is not None
        assert mc is not None
        return float(np.median(hb / mc))

    assert all(0.97 < wider(statistic) < 1.04 for statistic in ("mean", "t", "w"))
    assert 1.15 < wider("median") < 1.35


def test_the_signature_and_the_words() -> None:
    result = hb_pairs([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]], rng=np.random.default_rng(1), statistic="t")
    assert result.signature == "hb|statistic:t|resamples:2000|alpha:0.05|two-sided"
    assert (result.test, result.method) == ("hb", ("bootstrap",))
    assert "hybrid bootstrap" in result.at(0).sentence("A", "B")
    with pytest.raises(UsageError, match="statistic: unknown value"):
        hb_pairs([[1.0, 2.0]], rng=np.random.default_rng(1), statistic="mode")  # type: ignore[arg-type]
