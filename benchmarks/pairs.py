"""Tests of all pairs of systems beside SciPy: a loop over pairs, and its vectorised calls on stacked pairs.

CPU seconds, the best of a few, in one run; every number is first compared with SciPy's. Ours are warm: loading
compiled code (0.04 s, for many pairs or ties) is not counted. With 200 systems SciPy gets a sample of the pairs,
and its time is multiplied.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy
from scipy import stats

from adjudge.stats.pairs import PairResults, columns_of_pairs, t_pairs, unpaired_t_pairs, wilcoxon_pairs
from benchmarks.clock import cpu_seconds

SAMPLE = 1000
STACK = 2000
MISSING_HALF = 8


class Race(NamedTuple):
    name: str
    ours: Callable[[np.ndarray], PairResults]
    theirs: Callable[..., Any]
    wanted: float


def races(topics: int) -> list[Race]:
    """SciPy's Wilcoxon is exact for few topics and normal for many, as ours; the correction makes them equal."""
    small = topics < 300
    wilcoxon = {"method": "exact"} if small else {"method": "asymptotic", "correction": True}
    return [
        Race("paired t", t_pairs, stats.ttest_rel, 400 if small else 300),
        Race("unpaired t", unpaired_t_pairs, stats.ttest_ind, 400 if small else 300),
        Race("wilcoxon", wilcoxon_pairs, partial(stats.wilcoxon, **wilcoxon), 400 if small else 40),
    ]


def main() -> None:
    print(f"SciPy {scipy.__version__}; {MISSING_HALF} systems have half of the topics")
    for topics, systems in ((48, 66), (1000, 200)):
        values = scores(topics, systems)
        for race in races(topics):
            beside_a_loop(race, values)
            if topics == 1000:
                beside_vectors(race, values, nan_policy="omit")
                beside_vectors(race, scores(topics, systems, missing=0))
    for topics, systems in ((48, 66), (100, 16), (100, 66), (1000, 66)):
        ratings(topics, systems, np.random.default_rng(0).integers(1, 6, (topics, systems)).astype(float))
        ratings(topics, systems, means_of_three(topics, systems), "thirds")
        ratings(topics, systems, scores(topics, systems, missing=0), "no ties")


def scores(topics: int, systems: int, missing: int = MISSING_HALF) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(topics, 1)) + rng.normal(scale=0.3, size=(topics, systems))
    for k in range(missing):
        values[k % 2 :: 2, systems - 1 - k] = np.nan
    return values


def beside_a_loop(race: Race, values: np.ndarray) -> None:
    first, second = columns_of_pairs(values.shape[1])
    some = sample(first.size, SAMPLE if values.shape[0] == 1000 else first.size)
    columns = list(np.ascontiguousarray(values.T))

    def loop() -> list[float]:
        found = []
        for k in some:
            x, y = columns[first[k]], columns[second[k]]
            both = ~(np.isnan(x) | np.isnan(y))
            found.append(race.theirs(x[both], y[both]).pvalue if both.sum() > 1 else np.nan)
        return found

    np.testing.assert_allclose(race.ours(values).p[some], loop(), rtol=1e-12)
    theirs = cpu_seconds(loop) * first.size / some.size
    say(race.name, values, "loop", our_seconds(race.ours, values), theirs, race.wanted)


def beside_vectors(race: Race, values: np.ndarray, **options: str) -> None:
    """SciPy's axis=0 on stacked pairs; stacking is not counted."""
    first, second = columns_of_pairs(values.shape[1])
    some = sample(first.size, STACK)
    x, y = values[:, first[some]], values[:, second[some]]
    x, y = np.where(np.isnan(y), np.nan, x), np.where(np.isnan(x), np.nan, y)  # the topics that both have

    def stacked() -> Any:
        return race.theirs(x, y, axis=0, **options).pvalue

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pairs without common topics
        np.testing.assert_allclose(race.ours(values).p[some], stacked(), rtol=1e-12)
        theirs = cpu_seconds(stacked) * first.size / some.size
    name = "axis=0, omit" if options else "axis=0, no NaN"
    say(race.name, values, name, our_seconds(race.ours, values), theirs, 1)


def means_of_three(topics: int, systems: int) -> np.ndarray:
    """Ratings of 1 to 5 by three assessors, averaged, as SummEval's."""
    rng = np.random.default_rng(0)
    worth = rng.normal(3.8, 0.6, (topics, 1)) + rng.normal(0, 0.3, systems)
    each = np.rint(worth[:, :, None] + rng.normal(0, 0.7, (topics, systems, 3)))
    return np.asarray(np.clip(each, 1, 5).mean(axis=2))


def ratings(topics: int, systems: int, values: np.ndarray, kind: str = "ratings") -> None:
    """With ties ours is exact still, every pair with a distribution of its own; SciPy's loop is normal.

    What ranks ties have is compared in the normal p-values, which ours gives too; the same values without ties beside.
    """
    first, second = columns_of_pairs(systems)
    some = sample(first.size, SAMPLE)
    # In whole numbers, since SciPy takes what is noise for a difference.
    whole = list(np.ascontiguousarray((values if kind == "no ties" else np.rint(3 * values)).T))

    def loop() -> list[float]:
        how = {"method": "asymptotic", "correction": True}
        return [stats.wilcoxon(whole[first[k]], whole[second[k]], **how).pvalue for k in some]

    np.testing.assert_allclose(wilcoxon_pairs(values, exact_up_to=0).p[some], loop(), rtol=1e-11)
    wilcoxon_pairs(values)
    theirs = cpu_seconds(loop, repeats=1) * first.size / some.size
    say("wilcoxon", values, f"{kind}, loop", our_seconds(wilcoxon_pairs, values), theirs, 0)


def our_seconds(ours: Callable[[np.ndarray], PairResults], values: np.ndarray) -> float:
    """A call of a millisecond is disturbed more easily than a loop of a second: the best of more calls."""
    return cpu_seconds(lambda: ours(values), repeats=100 if values.shape[0] < 300 else 10)


def sample(pairs: int, size: int) -> np.ndarray:
    return np.sort(np.random.default_rng(1).choice(pairs, min(size, pairs), replace=False))


def say(name: str, values: np.ndarray, how: str, ours: float, theirs: float, wanted: float) -> None:
    topics, systems = values.shape
    asked = f" (wanted {wanted:g} x)" if wanted else ""
    print(
        f"{name:10} {systems:3} x {topics:4}, {how:14}: ours {ours * 1e3:7.2f} ms, SciPy {theirs:7.3f} s:"
        f" {theirs / ours:6.0f} x{asked}",
        flush=True,
    )
