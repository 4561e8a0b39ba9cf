"""Tests by resampling for all pairs: ours against a loop of SciPy's permutation test and a loop in NumPy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from scipy import stats

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.resampling.engine import Statistic, hybrid_draws
from adjudge.stats.resampling.exact import exact_pairs
from adjudge.stats.resampling.swaps import hb_pairs, mc_pairs
from benchmarks.clock import cpu_seconds

RESAMPLES = 2000
MANY = 100_000
SAMPLED = 20  # pairs that the slow loops are timed on
HIGHEST = "VmHWM:"  # the most memory a process ever held, in /proc/PID/status


def scores(topics: int, systems: int, decimals: int | None = 2) -> FloatArray:
    """Systems that differ a little on topics that differ much."""
    rng = np.random.default_rng(0)
    values = rng.normal(scale=0.2, size=(topics, 1)) + rng.normal(scale=0.1, size=(topics, systems))
    return values if decimals is None else values.round(decimals)


def with_missing(topics: int, systems: int) -> FloatArray:
    """As in evaluations where people write half of the summaries: 24 systems miss half of the topics, in 4 ways."""
    values = scores(topics, systems)
    for system in range(24):
        values[(np.arange(topics) // (topics // 4) + system) % 4 < 2, system] = np.nan
    return values


def main() -> None:
    mc(2)
    mc(None)
    mc_large()
    hb("mean", _numpy_mean)
    hb("t", _numpy_t)
    hb("w", _numpy_w)
    hb("median", _numpy_median)
    exact()


def mc(decimals: int | None) -> None:
    """MC for 66 systems x 48 topics beside SciPy's permutation_test, pair by pair."""
    values = scores(48, 66, decimals)
    first, second = columns_of_pairs(66)
    chosen = np.linspace(0, first.size - 1, SAMPLED).astype(int)
    result = mc_pairs(values, rng=np.random.default_rng(1), resamples=RESAMPLES, alpha=None)
    here = cpu_seconds(
        lambda: mc_pairs(values, rng=np.random.default_rng(1), resamples=RESAMPLES, alpha=None), repeats=50
    )
    seconds, p = zip(
        *(_scipy(values[:, first[k]], values[:, second[k]], RESAMPLES) for k in chosen), strict=True
    )
    there = float(np.mean(seconds)) * first.size
    ours = result.p[chosen]
    # SciPy's two-sided p is twice the smaller tail's, so that its variance is another.
    error = np.sqrt((ours * (1 - ours) + ours * (2 - ours)) / RESAMPLES)
    away = np.max(np.abs(ours - np.array(p)) / error)
    print(
        f"MC, mean, R = {RESAMPLES:,}, 66 x 48, {_grid(decimals)}: {here * 1e3:.2f} ms, SciPy {scipy.__version__}"
        f" {there:.1f} s (the mean of {SAMPLED} pairs x {first.size:,}): {there / here:,.0f} x (wanted 4,000 x);"
        f" p differ by at most {away:.1f} standard errors"
    )


def _grid(decimals: int | None) -> str:
    return "scores without a grid" if decimals is None else f"{decimals} decimals"


def _scipy(x: FloatArray, y: FloatArray, resamples: int, batch: int | None = None) -> tuple[float, float]:
    """CPU seconds of one pair's test, the best of three, and its p."""

    def test() -> float:
        return float(
            stats.permutation_test(
                (x, y),
                lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=resamples,
                batch=batch,
                rng=np.random.default_rng(1),
            ).pvalue
        )

    return cpu_seconds(test, repeats=3), test()


LARGE = f"""
import time, numpy as np
from pathlib import Path
from benchmarks.resampling import with_missing
from adjudge.stats.resampling.swaps import mc_pairs
mc_pairs(np.eye(3), rng=np.random.default_rng(0))  # compiles
values = with_missing(1000, 200)
start = time.process_time()
result = mc_pairs(values, rng=np.random.default_rng(1), resamples={MANY})
print(time.process_time() - start, int(np.isnan(result.p).sum()))
print(next((line for line in Path("/proc/self/status").read_text().splitlines() if "{HIGHEST}" in line), "unknown"))
"""


def mc_large() -> None:
    """MC for 200 systems x 1,000 topics with missing cells, in a process of its own."""
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", LARGE], cwd=root, capture_output=True, text=True, check=True)
    figures, memory = done.stdout.splitlines()
    seconds, without = figures.split()
    values = with_missing(1000, 200)
    share = 20
    there = share * 19_900 * _scipy(values[:, 100], values[:, 101], MANY // share, batch=500)[0]
    print(
        f"MC, mean, R = {MANY:,}, 200 x 1,000, 24 systems missing half: {float(seconds):.1f} s,"
        f" {memory.removeprefix(HIGHEST).strip()} (wanted under 2 GB), {without} of 19,900 pairs share no topic;"
        f" SciPy {there / 3600:,.0f} h (one pair with R = {MANY // share:,}, x {share} x 19,900):"
        f" {there / float(seconds):,.0f} x"
    )


def hb(statistic: Statistic, numpy_p: Callable[[FloatArray, IntArray, IntArray], float]) -> None:
    """HB for 66 systems x 48 topics beside a loop in NumPy that is given the same draws, already made."""
    values = scores(48, 66)
    first, second = columns_of_pairs(66)

    def test() -> FloatArray:
        return hb_pairs(values, rng=np.random.default_rng(1), statistic=statistic, resamples=RESAMPLES).p

    ours = test()
    here = cpu_seconds(test, repeats=10)
    topics, signs = _samples(48)
    chosen = np.linspace(0, first.size - 1, SAMPLED).astype(int)
    differences = [np.round(100 * (values[:, first[k]] - values[:, second[k]])) for k in chosen]
    p = [numpy_p(z, topics, signs) for z in differences]
    there = cpu_seconds(lambda: [numpy_p(z, topics, signs) for z in differences]) / SAMPLED * first.size
    print(
        f"HB, {statistic}, R = {RESAMPLES:,}, 66 x 48: {here * 1e3:.1f} ms, NumPy {np.__version__} {there:.2f} s"
        f" ({SAMPLED} pairs, x {first.size / SAMPLED:.0f}): {there / here:,.0f} x (wanted 50 x);"
        f" p differ by at most {np.max(np.abs(ours[chosen] - p)):.1g}"
    )


def _samples(n: int) -> tuple[IntArray, IntArray]:
    """The topics of every resample and their signs, resamples x n, as `hb_pairs` draws them from seed 1."""
    draws = hybrid_draws(np.random.default_rng(1), RESAMPLES).blocks(np.arange(n), np.float64)
    topics, signs = [], []
    for _, signed, counts in draws:
        left, swapped = ((counts + signed) / 2).astype(int), ((counts - signed) / 2).astype(int)
        for r in range(signed.shape[1]):
            topics.append(np.r_[np.repeat(np.arange(n), left[:, r]), np.repeat(np.arange(n), swapped[:, r])])
            signs.append(np.r_[np.ones(left[:, r].sum(), int), -np.ones(swapped[:, r].sum(), int)])
    return np.array(topics), np.array(signs)


def _reaching(values: FloatArray, observed: float) -> float:
    return float((np.count_nonzero(np.abs(values) >= abs(observed) * (1 - 1e-9)) + 1) / (RESAMPLES + 1))


def _numpy_mean(z: FloatArray, topics: IntArray, signs: IntArray) -> float:
    return _reaching((z[topics] * signs).sum(axis=1), z.sum())


def _numpy_t(z: FloatArray, topics: IntArray, signs: IntArray) -> float:
    sample = z[topics] * signs
    with np.errstate(divide="ignore", invalid="ignore"):
        t = sample.mean(axis=1) / sample.std(axis=1)
    return _reaching(np.nan_to_num(t), z.mean() / z.std())


def _numpy_w(z: FloatArray, topics: IntArray, signs: IntArray) -> float:
    sample = z[topics] * signs
    sizes = np.where(sample == 0, np.nan, np.abs(sample))
    ranks = stats.rankdata(sizes, axis=1, nan_policy="omit")
    observed = stats.rankdata(np.where(z == 0, np.nan, np.abs(z)), nan_policy="omit")
    return _reaching(np.nansum(np.sign(sample) * ranks, axis=1), np.nansum(np.sign(z) * observed))


def _numpy_median(z: FloatArray, topics: IntArray, signs: IntArray) -> float:
    return _reaching(np.median(z[topics] * signs, axis=1), float(np.median(z)))


def exact() -> None:
    """All swaps at once: 2^48 of them for every pair."""
    for decimals in (2, 4, None):
        values = scores(48, 66, decimals)
        bound = exact_pairs(values).bound
        seconds = cpu_seconds(lambda values=values: exact_pairs(values))  # type: ignore[misc]
        print(
            f"exact, 66 x 48, {_grid(decimals)}: {seconds * 1e3:.0f} ms, error of p at most {np.max(bound):.1g}"
        )


if __name__ == "__main__":
    main()
