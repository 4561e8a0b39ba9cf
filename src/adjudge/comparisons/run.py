"""From a score matrix to a comparison: order, intervals, tests, groups, ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from adjudge.comparisons.choices import Asked, Choices
from adjudge.comparisons.choices import choices as make_choices
from adjudge.comparisons.result import Comparison, Standing
from adjudge.data.scores import ScoreMatrix
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adjudge.comparisons.testing import Tested
    from adjudge.stats.checks import BoolArray, IntArray
    from adjudge.stats.paired import Alternative

    Family = Callable[[Sequence[str]], BoolArray]


def compare(
    matrix: ScoreMatrix,
    choices: Choices | None = None,
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    **asked: Unpack[Asked],
) -> Comparison:
    """Rank the systems of a matrix, and test pairs of them: `compare(matrix, test="t", correct="bh")`.

    `family` says of an order of systems which pairs are asked for; without it, all are (or with
    `choices.against` those with that system). `clusters` names the set of every topic: then whole sets are
    swapped and resampled.
    """
    import numpy as np

    from adjudge.comparisons.testing import run_tests
    from adjudge.stats.bootstrap import bootstrap_means
    from adjudge.stats.resampling.cluster import cluster_means

    choices = choices or make_choices(**asked)
    ranked = _ranked(matrix, choices.against)
    rng = generator(choices.seed, f"compare/{matrix.measure}")
    codes = None if clusters is None else _codes(clusters)
    how: Any = {"rng": rng, "resamples": choices.resamples, "level": choices.level}
    if codes is None:
        low, high = bootstrap_means(ranked.values, **how)
    else:
        low, high = cluster_means(ranked.values, codes, **how)
    pairs = np.ones(len(ranked.systems) * (len(ranked.systems) - 1) // 2, dtype=np.bool_)
    if choices.against is not None:
        pairs &= _with_last(len(ranked.systems))
    if family is not None:
        pairs &= family(ranked.systems)
    tested = run_tests(ranked.values, pairs, choices, _alternative(matrix, choices), codes)
    interval = "bootstrap-percentile" if codes is None else "cluster-bootstrap-percentile"
    standings = _standings(ranked, low, high, tested[choices.test], bool(pairs.all()))
    return Comparison(replace(ranked, missing=matrix.missing), standings, tested, pairs, choices, interval)


def _ranked(matrix: ScoreMatrix, against: str | None) -> ScoreMatrix:
    """Systems with scores, best first; the one that all are held against comes last."""
    import numpy as np

    if not matrix.systems:
        raise DataError(f"{matrix.measure}: no scores")
    if against is not None and against not in matrix.systems:
        raise UsageError(f"--against {quoted(against)}: no such system{nearest(against, matrix.systems)}")
    counts = np.count_nonzero(~np.isnan(matrix.values), axis=0)
    scored = matrix.select([s for s, n in zip(matrix.systems, counts, strict=True) if n])
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing ({matrix.missing[0][2]})")
    if against is not None and against not in scored.systems:
        raise DataError(f"--against {quoted(against)}: it has no score of {matrix.measure}")
    means = np.nanmean(scored.values, axis=0)
    sign = 1 if matrix.info.better == "lower" else -1
    order = sorted(range(len(means)), key=lambda j: (sign * means[j], scored.systems[j]))
    names = [scored.systems[j] for j in order]
    if against is not None:
        names = [*(name for name in names if name != against), against]
    return scored.select(names)


def _codes(clusters: Sequence[str | None]) -> IntArray:
    """A number for every set; topics without one would each be a set of its own by accident."""
    import numpy as np

    if absent := sum(name is None for name in clusters):
        raise DataError(
            f"{absent} of {len(clusters)} topics belong to no set: there is nothing to cluster by"
        )
    numbers = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
    return np.array([numbers[name] for name in clusters], dtype=np.int64)


def _alternative(matrix: ScoreMatrix, choices: Choices) -> Alternative:
    if choices.side == "both":
        return "two-sided"
    higher = (choices.side == "better") == (matrix.info.better != "lower")
    return "greater" if higher else "less"


def _with_last(systems: int) -> BoolArray:
    from adjudge.stats.pairs import columns_of_pairs

    chosen: BoolArray = columns_of_pairs(systems)[1] == systems - 1
    return chosen


def _standings(
    matrix: ScoreMatrix, low: Any, high: Any, tested: Tested, complete: bool
) -> tuple[Standing, ...]:
    """The league table, best mean first. Groups and rank intervals need every pair."""
    import numpy as np

    from adjudge.stats.order import letters, rank_intervals

    size = len(matrix.systems)
    counts = tested.results.counts
    sign = -1 if matrix.info.better == "lower" else 1
    apart = np.zeros((size, size), dtype=bool)
    above = np.zeros((size, size), dtype=bool)  # above[i, j]: i is better than j
    higher = tested.results.statistic * sign > 0
    apart[counts.first, counts.second] = apart[counts.second, counts.first] = tested.different
    above[counts.first, counts.second] = tested.different & higher
    above[counts.second, counts.first] = tested.different & ~higher
    means = np.nanmean(matrix.values, axis=0)
    order = sorted(range(size), key=lambda j: (-sign * means[j], matrix.systems[j]))
    groups = letters(apart, order) if complete else [""] * size
    best, worst = rank_intervals(above) if complete else (np.ones(size, int), np.full(size, size))
    return tuple(
        Standing(
            matrix.systems[j],
            1 + int(np.count_nonzero(sign * means > sign * means[j])),
            int(np.count_nonzero(~np.isnan(matrix.values[:, j]))),
            float(means[j]),
            float(low[j]),
            float(high[j]),
            groups[j],
            int(best[j]),
            int(worst[j]),
        )
        for j in order
    )
