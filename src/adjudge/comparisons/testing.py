"""Runs the tests a comparison is asked for over all pairs of its systems, and corrects them. Arrays only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from adjudge.comparisons.choices import Choices, Test
from adjudge.engine import generator
from adjudge.errors import UsageError
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import Alternative
from adjudge.stats.pairs import PairResults

if TYPE_CHECKING:
    from adjudge.stats.resampling.westfall_young import WestfallYoung


@dataclass(frozen=True)
class Tested:
    """One test of all pairs, corrected over the family: the pairs that were asked for and could be tested."""

    results: PairResults
    adjusted: FloatArray
    different: BoolArray
    left_out: dict[int, str]
    """Pairs that were asked for and are not in the family, by position: no correction can help them."""
    floor: float = 0.0
    """The smallest corrected p that so few resamples allow."""


def run_test(values: FloatArray, test: Test, choices: Choices, alternative: Alternative) -> PairResults:
    """The test of every pair of columns."""
    from adjudge.stats import pairs
    from adjudge.stats.resampling import exact, swaps

    rng = generator(choices.seed, f"compare/{test}")
    match test:
        case "wilcoxon":
            return pairs.wilcoxon_pairs(values, zeros=choices.zeros, alternative=alternative)
        case "t":
            return pairs.t_pairs(values, alternative=alternative)
        case "t-unpaired" | "welch":
            equal = test == "t-unpaired"
            return pairs.unpaired_t_pairs(values, equal_variances=equal, alternative=alternative)
        case "sign":
            return pairs.sign_pairs(values, alternative=alternative)
        case "exact":
            return exact.exact_pairs(values, alternative=alternative)
        case "mc" | "hb":
            resampled = swaps.mc_pairs if test == "mc" else swaps.hb_pairs
            return resampled(
                values,
                rng=rng,
                statistic=choices.statistic_of(test),
                resamples=choices.resamples,
                alternative=alternative,
                alpha=choices.alpha,
                zeros="pratt" if choices.zeros == "pratt" else "wilcox",
            )


def run_tests(
    values: FloatArray,
    family: BoolArray,
    choices: Choices,
    alternative: Alternative,
    clusters: IntArray | None = None,
) -> dict[Test, Tested]:
    """Every test that was asked for, each corrected over the family."""
    if clusters is not None:
        return {"mc": _clustered(values, family, choices, alternative, clusters)}
    together = _together(values, family, choices, alternative)
    return {
        test: _corrected(run_test(values, test, choices, alternative), family, choices, together)
        for test in choices.run
    }


def _clustered(
    values: FloatArray, family: BoolArray, choices: Choices, alternative: Alternative, clusters: IntArray
) -> Tested:
    from adjudge.stats.resampling.cluster import cluster_mc_pairs

    if choices.run != ("mc",) or choices.statistic not in (None, "mean"):
        raise UsageError("clusters are swapped as wholes, for the mean difference: say --test mc")
    if choices.correct.startswith("westfall-young"):
        raise UsageError(f"--correct {choices.correct} swaps topics one by one: choose another with clusters")
    rng = generator(choices.seed, "compare/mc")
    results = cluster_mc_pairs(
        values, clusters, rng=rng, resamples=choices.resamples, alternative=alternative
    )
    return _corrected(results, family, choices, None)


def _together(
    values: FloatArray, family: BoolArray, choices: Choices, alternative: Alternative
) -> WestfallYoung | None:
    """Westfall and Young's p-values, which come from the scores, not from another test's p-values."""
    if not choices.correct.startswith("westfall-young"):
        return None
    from adjudge.stats.resampling.westfall_young import westfall_young

    return westfall_young(
        values,
        rng=generator(choices.seed, "compare/westfall-young"),
        alternative=alternative,
        resamples=max(choices.resamples, 10_000),
        alpha=choices.alpha,
        family=family,
        method="min-p" if choices.correct.endswith("min-p") else "max-t",
    )


def _corrected(
    results: PairResults, family: BoolArray, choices: Choices, together: WestfallYoung | None
) -> Tested:
    from adjudge.stats.multiple import adjust

    if together is not None:
        adjusted, left_out, floor = together.p, dict(together.why), together.floor
    else:
        method = choices.correct
        assert method in ("none", "bonferroni", "holm", "bh")
        adjusted, left_out = adjust(np.where(family, results.p, np.nan), method), {}
        floor = 0.0
    return Tested(results, adjusted, adjusted < choices.alpha, left_out, floor)  # a NaN is not below anything
