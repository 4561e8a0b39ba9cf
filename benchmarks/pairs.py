"""All pairs of systems: our exact Wilcoxon and paired t against a loop over SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np
import scipy
from scipy import stats

from adjudge.stats.paired import PairTest, all_pairs, paired_t, wilcoxon
from benchmarks.clock import cpu_seconds

SIZES = ((12, 12), (48, 66))


def main() -> None:
    for topics, systems in SIZES:
        rng = np.random.default_rng(0)
        values = rng.normal(size=(topics, 1)) + rng.normal(scale=0.3, size=(topics, systems))
        compare("wilcoxon", values, wilcoxon, partial(stats.wilcoxon, method="exact"))
        compare("t", values, paired_t, stats.ttest_rel)


def compare(name: str, values: np.ndarray, ours: PairTest, theirs: Callable[..., object]) -> None:
    columns = list(values.T)
    here = cpu_seconds(lambda: all_pairs(values, ours))
    there = cpu_seconds(lambda: [theirs(x, y) for x, y in combinations(columns, 2)], repeats=1)
    topics, systems = values.shape
    print(
        f"{name:9} {topics:3} topics x {systems:3} systems: {here:7.3f} s,"
        f" SciPy {scipy.__version__} {there:7.3f} s, {there / here:6.1f} x"
    )
