"""Which tests can be simulated, by name, and their p-values on simulated scores. The tests live elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from adjudge.errors import UsageError, nearest, quoted
from adjudge.stats import allpairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.pairs import PairResults
from adjudge.stats.power import stacked as power_stacked
from adjudge.stats.resampling.engine import RESAMPLES, Statistic

QUICK = ("wilcoxon", "t", "t-unpaired", "welch", "sign")
"""Tests of which thousands run at once; the others run one by one."""
USUAL_STATISTIC: dict[str, Statistic] = {"mc": "mean", "hb": "t"}
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
STATISTIC_WORDS = {"mean": "the mean", "median": "the median", "t": "T^p", "t-unpaired": "T", "w": "W"}
UNPAIRED = ("t-unpaired", "welch")
MOST_RESAMPLES = 20_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """A test as people write it: `wilcoxon`, `mc`, `hb:w` (the statistic that is resampled after the colon)."""

    name: str
    statistic: Statistic | None = None
    """Of mc and hb alone."""

    def __str__(self) -> str:
        usual = self.statistic == USUAL_STATISTIC.get(self.name)
        return self.name if usual else f"{self.name}:{self.statistic}"

    @property
    def words(self) -> str:
        words = TEST_WORDS[self.name]
        return words if self.statistic is None else f"{words} of {STATISTIC_WORDS[self.statistic]}"

    @property
    def quick(self) -> bool:
        return self.name in QUICK

    @property
    def paired(self) -> bool:
        return self.name not in UNPAIRED and self.statistic != "t-unpaired"


def chosen(text: str) -> Chosen:
    """The test that a text names."""
    name, colon, statistic = text.strip().partition(":")
    if name not in TEST_WORDS:
        hint = nearest(name, TEST_WORDS)
        raise UsageError(f"no test {quoted(name)}{hint}; expected one of: {', '.join(TEST_WORDS)}")
    if not colon:
        return Chosen(name, USUAL_STATISTIC.get(name))
    if name not in USUAL_STATISTIC:
        raise UsageError(f"{quoted(text)}: only {' and '.join(USUAL_STATISTIC)} resample a statistic")
    for known in STATISTICS:
        if statistic == known:
            return Chosen(name, known)
    raise UsageError(
        f"{quoted(text)}: no statistic {quoted(statistic)}; expected one of: {', '.join(STATISTICS)}"
    )


def resamples_at(alpha: float) -> int | None:
    """How many resamples can tell p-values about alpha apart; None where that would be too many."""
    needed = max(RESAMPLES, int(np.ceil(20 / alpha)))
    return needed if needed <= MOST_RESAMPLES else None


def run(
    test: Chosen, values: FloatArray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> PairResults:
    """The test of every two columns, two-sided."""
    match test.name:
        case "wilcoxon":
            return allpairs.wilcoxon_pairs(values)
        case "t":
            return allpairs.t_pairs(values)
        case "t-unpaired" | "welch":
            return allpairs.unpaired_t_pairs(values, equal_variances=test.name == "t-unpaired")
        case "sign":
            return allpairs.sign_pairs(values)
        case "exact":
            from adjudge.stats.resampling.exact import exact_pairs

            return exact_pairs(values)
        case "mc":
            from adjudge.stats.resampling.swaps import mc_pairs

            return mc_pairs(values, rng=rng, statistic=_statistic(test), resamples=resamples)
    from adjudge.stats.resampling.swaps import hb_pairs

    return hb_pairs(values, rng=rng, statistic=_statistic(test), resamples=resamples)


def run_rows(
    test: Chosen, x: FloatArray, y: FloatArray, rng: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """p of row s of x against row s of y, for every s."""
    match test.name:
        case "wilcoxon":
            return power_stacked.wilcoxon_rows(x, y)
        case "t":
            return power_stacked.t_rows(x, y)
        case "t-unpaired" | "welch":
            return power_stacked.unpaired_t_rows(x, y, equal_variances=test.name == "t-unpaired")
        case "sign":
            return power_stacked.sign_rows(x, y)
    pairs = np.stack([x, y], axis=2)
    return np.array([run(test, values, rng, resamples).p[0] for values in pairs], dtype=np.float64)


def _statistic(test: Chosen) -> Statistic:
    return test.statistic or USUAL_STATISTIC[test.name]
