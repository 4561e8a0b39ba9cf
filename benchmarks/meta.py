"""Correlations of measures with people, with intervals by resampling, beside loops over SciPy.

25 measures x 200 systems x 1,000 topics, 1,000 resamples of both, Pearson, Spearman and Kendall at the system level.
CPU seconds in one run; SciPy does a few of the resamples and its time is multiplied. Every number of these is first
compared. Ours draws topics, a quarter of the times without one system as well, and leaves out each system once.

Then tests of every two of 6 measures x 25 systems x 100 topics, 10,000 swaps of systems, Pearson's r within topics,
beside NumPy's means and products of every swapped table.
"""

from __future__ import annotations

import resource
import sys
import time
from functools import partial

import numpy as np
import scipy
from scipy import stats

from adjudge.stats.correlation import (
    COEFFICIENTS,
    CorrelationIntervals,
    all_correlation_intervals,
    all_correlations,
)
from adjudge.stats.measure_tests import MeasurePairs, permutation_measures
from benchmarks.clock import cpu_seconds

MEASURES, TOPICS, SYSTEMS, RESAMPLES = 25, 1000, 200, 1000
THREE = COEFFICIENTS[:3]
SCIPY = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
FEW = 4
WANTED, GIGABYTES = 100, 4.0
SWAPPED, SWAPS, FEW_SWAPS, WANTED_OF_SWAPS = (6, 100, 25), 10_000, 200, 5


def main() -> None:
    print(f"SciPy {scipy.__version__}; {MEASURES} measures x {SYSTEMS} systems x {TOPICS} topics")
    x, y = scores()
    agree(x, y)
    ours = cpu_seconds(partial(intervals, x, y), repeats=3)
    memory = peak()
    once, alone = loop(x, y)
    say("1,000 resamples of both", ours, once * RESAMPLES, WANTED)
    say("the same, each factor alone as well", ours, (once + alone) * RESAMPLES, WANTED)
    print(
        f"memory at its peak, of which {(x.nbytes + y.nbytes) / 1e6:.0f} MB scores: {memory:.2f} GB", end=""
    )
    print(f" (wanted under {GIGABYTES:g} GB)")
    swaps()


def swaps() -> None:
    """Tests of two measures: p by sums over the systems that are swapped, and by making every swapped table."""
    rng = np.random.default_rng(0)
    worth = rng.normal(size=SWAPPED[2])
    x, y = (worth + rng.normal(size=shape) for shape in (SWAPPED, SWAPPED[1:]))

    def ours(resamples: int = SWAPS) -> MeasurePairs:
        return permutation_measures(x, y, level="input", rng=np.random.default_rng(1), resamples=resamples)

    first, second = np.triu_indices(len(x), 1)
    start = time.process_time()
    shares = [plain_share(x[i], x[j], y) for i, j in zip(first, second, strict=True)]
    theirs = (time.process_time() - start) * SWAPS / FEW_SWAPS
    np.testing.assert_allclose(ours(FEW_SWAPS).p, shares, rtol=0, atol=1e-12)
    say("10,000 swaps of 15 pairs", cpu_seconds(ours), theirs, WANTED_OF_SWAPS, "NumPy")


def plain_share(a: np.ndarray, b: np.ndarray, people: np.ndarray) -> float:
    """(k + 1) / (R + 1) of a few swaps."""
    a, b = ((side - side.mean()) / side.std() for side in (a, b))
    z = people - people.mean(axis=1, keepdims=True)
    turned = np.random.default_rng(1).integers(0, 2, (FEW_SWAPS, a.shape[1]), dtype=np.bool_)

    def apart(one: np.ndarray, other: np.ndarray) -> float:
        centred = [side - side.mean(axis=1, keepdims=True) for side in (one, other)]
        r = [(c * z).sum(axis=1) / np.sqrt((c**2).sum(axis=1) * (z**2).sum(axis=1)) for c in centred]
        return float(abs((r[0] - r[1]).mean()))

    observed = apart(a, b)
    extreme = sum(apart(np.where(t, b, a), np.where(t, a, b)) >= observed - 1e-9 for t in turned)
    return (extreme + 1) / (FEW_SWAPS + 1)


def scores() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    worth = rng.normal(size=SYSTEMS)
    x = rng.normal(size=(MEASURES, TOPICS, SYSTEMS))
    x += np.linspace(0, 1, MEASURES)[:, None, None] * worth
    return x, worth + rng.normal(size=(TOPICS, SYSTEMS))


def intervals(x: np.ndarray, y: np.ndarray, resamples: int = RESAMPLES) -> dict[str, CorrelationIntervals]:
    given = {"level": "system", "coefficients": THREE, "resample": "both", "resamples": resamples}
    return all_correlation_intervals(x, y, rng=np.random.default_rng(1), **given)  # type: ignore[arg-type, return-value]


def agree(x: np.ndarray, y: np.ndarray) -> None:
    """The estimates equal SciPy's; the compiled code is loaded."""
    found = all_correlations(x, y, level="system", coefficients=THREE)
    for each, theirs in zip(THREE, SCIPY, strict=True):
        wanted = [theirs(one.mean(axis=0), y.mean(axis=0))[0] for one in x]
        np.testing.assert_allclose(found[each].values, wanted, rtol=0, atol=1e-12)
    intervals(x, y, resamples=2)


def loop(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """SciPy's CPU seconds for one resample of both, and for the same with systems alone and topics alone."""
    rng = np.random.default_rng(2)
    means = x.mean(axis=1), y.mean(axis=0)
    start = time.process_time()
    for _ in range(FEW):
        topics, systems = rng.integers(0, TOPICS, TOPICS - 1), rng.integers(0, SYSTEMS, SYSTEMS - 1)
        people = y[np.ix_(topics, systems)].mean(axis=0)
        for one in x:
            three(one[np.ix_(topics, systems)].mean(axis=0), people)
    once = (time.process_time() - start) / FEW
    start = time.process_time()
    for _ in range(FEW):
        topics, systems = rng.integers(0, TOPICS, TOPICS - 1), rng.integers(0, SYSTEMS, SYSTEMS - 1)
        people = y[topics].mean(axis=0)
        for one, mean in zip(x, means[0], strict=True):
            three(one[topics].mean(axis=0), people)
            three(mean[systems], means[1][systems])
    return once, (time.process_time() - start) / FEW


def three(x: np.ndarray, y: np.ndarray) -> list[float]:
    return [theirs(x, y)[0] for theirs in SCIPY]


def peak() -> float:
    """Gigabytes that this process has taken at most."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def say(what: str, ours: float, theirs: float, wanted: float, other: str = "SciPy") -> None:
    print(
        f"{what:36}: ours {ours:5.2f} s, {other} {theirs:6.1f} s (extrapolated): {theirs / ours:5.0f} x"
        f" (wanted {wanted:g} x)",
        flush=True,
    )
