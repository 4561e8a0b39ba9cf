"""The human ceiling: how far one assessor agrees with the others, and how far measures agree with the same others.

Every assessor is compared with the mean of the rest, and every measure with the same leave-one-out means. Compared with
the mean of all, in which each assessor has a part, a measure that is exactly as good as an assessor would look better:
the mean of all is nearer to the truth than the mean of the rest. Arrays are topics before systems, NaN is missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.agreement import LEAST_CLUSTERS, LEAST_DEFINED, ahead, cluster_draws
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.correlation import Coefficient, CorrelationLevel, correlations
from adjudge.stats.paired import noise_of, settled
from adjudge.stats.pairwise import MEASURE_TIES_SYSTEMS, MEASURE_TIES_TOPICS, scaled

Accuracy = Literal["pairwise"]
CeilingCoefficient = Coefficient | Accuracy
"""pairwise is the share of pairs of systems in the same order, ties among them: of means, or within topics.

There is none of a measure, or of assessors, who tie every pair: they order nothing.
"""
GROUPS = 20
"""That are left out one by one, where leaving out every topic or assessor alone would take long."""
NO_VARIANCE = 1e-24
"""A variance that is rounding alone."""
MOST_ROWS = 2_000_000
"""Numbers that are compared in pairs together."""


@dataclass(frozen=True, eq=False)
class HumanCeiling:
    """Of every measure: its mean coefficient with the leave-one-out means, and the assessors' on the same cells."""

    level: CorrelationLevel
    coefficient: CeilingCoefficient
    values: FloatArray
    ceilings: FloatArray
    difference: FloatArray
    """Measure minus ceiling."""
    low: FloatArray
    high: FloatArray
    confidence: float
    assessors: IntArray
    """Of every measure: those over whom is averaged."""
    by_assessor: FloatArray
    """Each assessor with the mean of the rest, on all cells that both have; NaN where there is no coefficient."""
    shared: int
    """Cells that two assessors or more judged."""
    alone: int
    """Cells that nobody else judged: they do not count."""
    over: tuple[str, ...]
    """What the intervals resample: topics, and assessors where three or more have a coefficient without each other."""
    why: tuple[str | None, ...]
    why_no_interval: tuple[str | None, ...]

    @property
    def ceiling(self) -> float:
        """Of all assessors who have one, whatever a measure lacks."""
        defined = self.by_assessor[~np.isnan(self.by_assessor)]
        return float(defined.mean()) if defined.size else math.nan


def leave_one_out(judged: npt.ArrayLike) -> FloatArray:
    """Of each assessor (assessors x topics x systems): the mean of the others, on the cells that they judged."""
    judgments = checks.numbers("judged", judged, dimensions=3)
    there = ~np.isnan(judgments)
    filled = np.where(there, judgments, 0.0)
    others = there.sum(axis=0) - there
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (filled.sum(axis=0) - filled) / others
    return np.where(there & (others > 0), means, np.nan)


def human_ceiling(
    measures: npt.ArrayLike,
    judged: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficient: CeilingCoefficient,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> HumanCeiling:
    """Measures (measures x topics x systems) and assessors (assessors x topics x systems) against leave-one-out means.

    A measure and the assessors are compared on the same cells: those that the assessor, at least one other and the
    measure have. The interval of the difference is plus or minus Student's t times its error. Topics, or whole
    clusters of them, are drawn with replacement, the variance times n/(n-1); at the global level, where that would take
    long, groups of them are left out one by one (a jackknife, whose coefficients of very many cells are smooth). With
    three assessors or more the variance of leaving out each assessor entirely is added: that over assessors. The
    interaction is then in both, so intervals are rather too wide. Degrees of freedom are Satterthwaite's.
    """
    x = checks.numbers("measures", measures, dimensions=3)
    judgments = checks.numbers("judged", judged, dimensions=3)
    checks.one_of("level", level, get_args(CorrelationLevel))
    checks.one_of("coefficient", coefficient, (*get_args(Coefficient), "pairwise"))
    checks.count("resamples", resamples, least=0)
    checks.share("confidence", confidence)
    if x.shape[1:] != judgments.shape[1:]:
        raise UsageError(
            f"measures and judged: expected the same topics x systems, got {x.shape[1:]} and {judgments.shape[1:]}"
        )
    if level == "global" and coefficient == "pairwise":
        raise UsageError(
            "pairwise accuracy is of systems' means or within topics: there is none at the global level"
        )
    # No coefficient depends on the scale, and sums of very large scores would overflow.
    x = np.concatenate([x[:0], *(scaled(measure)[0][None] for measure in x)])
    judgments, _ = scaled(judgments)
    how = _How(level, coefficient)
    counts = (~np.isnan(judgments)).sum(axis=0)
    once = np.ones((1, x.shape[1]))
    values, ceilings = (coefficients[..., 0] for coefficients in how.both(x, judgments, once))
    by_assessor = _own(how, judgments)
    there = ~np.isnan(values - ceilings)
    difference = _mean(np.where(there, values - ceilings, np.nan), axis=0)
    why = tuple(
        None
        if there[:, m].any()
        else _why(how, x[m], judgments, counts, by_assessor, ~np.isnan(values[:, m]))
        for m in range(len(x))
    )
    variance, freedom, over, why_not = _variance(how, x, judgments, clusters, rng, resamples)
    low, high = _interval(difference, variance, freedom, confidence)
    return HumanCeiling(
        level=level,
        coefficient=coefficient,
        values=_mean(np.where(there, values, np.nan), axis=0),
        ceilings=_mean(np.where(there, ceilings, np.nan), axis=0),
        difference=difference,
        low=low,
        high=high,
        confidence=confidence,
        assessors=np.count_nonzero(there, axis=0),
        by_assessor=by_assessor,
        shared=int(np.count_nonzero(counts > 1)),
        alone=int(np.count_nonzero(counts == 1)),
        over=over,
        why=why,
        why_no_interval=tuple(
            reason or why_not or _why_no_interval(float(variance[m])) for m, reason in enumerate(why)
        ),
    )


def _why(
    how: _How,
    x: FloatArray,
    judged: FloatArray,
    counts: IntArray,
    by_assessor: FloatArray,
    measured: BoolArray,
) -> str:
    people = int(np.count_nonzero(~np.isnan(judged).all(axis=(1, 2))))
    if people < 2:
        return "there is one assessor, and nobody to agree with" if people else "nobody judged"
    if not (counts > 1).any():
        return "nothing was judged by two assessors"
    if np.isnan(by_assessor).all():
        return "no assessor has a coefficient with the mean of the rest"
    x = np.where(counts > 1, x, np.nan)
    if np.isnan(x).all():
        return "the measure scored nothing that two assessors judged"
    if how.silent(x[None])[0]:
        return {"input": MEASURE_TIES_TOPICS, "system": MEASURE_TIES_SYSTEMS}.get(
            how.level, "all scores of the measure are the same"
        )
    if not measured.any():
        return "the measure has no coefficient with any leave-one-out mean"
    return "no assessor has a coefficient on the cells that the measure has"


def _why_no_interval(variance: float) -> str | None:
    if math.isnan(variance):
        return "too few resamples have a difference"
    return None if variance > NO_VARIANCE else "the difference is the same in every resample"


@dataclass(frozen=True, slots=True)
class _How:
    """A level and a coefficient, for weights of topics."""

    level: CorrelationLevel
    coefficient: CeilingCoefficient

    def both(self, x: FloatArray, judged: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Assessors x measures x weights: every measure, and the assessor, with the assessor's leave-one-out mean."""
        values, ceilings = np.full((2, len(judged), len(x), len(weights)), np.nan)
        for a, rest in enumerate(leave_one_out(judged)):
            present = ~np.isnan(x) & ~np.isnan(rest)
            alike: dict[bytes, list[int]] = {}  # measures that have the same cells share the ceiling
            for m, cells in enumerate(present):
                alike.setdefault(np.packbits(cells).tobytes(), []).append(m)
            for mine in alike.values():
                if (cells := present[mine[0]]).any():
                    stack = np.where(cells, np.concatenate([x[mine], judged[a][None]]), np.nan)
                    coefficients = self.of(stack, np.where(cells, rest, np.nan), weights)
                    values[a, mine], ceilings[a, mine] = coefficients[:-1], coefficients[-1]
        return values, ceilings

    def of(self, x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Each of a stack (any x topics x systems, with the cells of y) with y, any x weights."""
        if self.level == "input":
            return self._heard(_weighted(self.rows(x, y), weights), x, y)
        if self.level == "system":
            means = self.rows(_topic_means(x, weights), _topic_means(y[None], weights)[0])
            return self._heard(means, x, y)
        kept = [np.where(times[:, None] > 0, y, np.nan) for times in weights]  # weights are 0 and 1 here
        drawn = [correlations(x, part, level="global", coefficient=self.coefficient).values for part in kept]  # type: ignore[arg-type]
        return np.stack(drawn, axis=1)

    def _heard(self, coefficients: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
        """Accuracies, NaN where either orders nothing; correlations are so of themselves."""
        if self.coefficient == "pairwise":
            coefficients[self.silent(x) | self.silent(y[None])[0]] = np.nan
        return coefficients

    def silent(self, x: FloatArray) -> BoolArray:
        """Which of a stack tie all summaries of every topic, all systems' means, or all there is."""
        if self.level == "system":
            x = _topic_means(x, np.ones((1, x.shape[1])))
        elif self.level == "global":
            x = x.reshape(len(x), 1, -1)
        high, low = (extreme.reduce(x, axis=2) for extreme in (np.fmax, np.fmin))
        apart = settled(high - low, noise_of(high, low))
        return np.asarray(~(apart > 0).any(axis=1))

    def rows(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """The coefficient of each row of a stack (any x rows x systems) with the same row of y: any x rows."""
        if self.coefficient == "pairwise":
            return np.stack([_alike(matrix, y) for matrix in x])
        return correlations(x, y, level="input", coefficient=self.coefficient).inputs


def _alike(x: FloatArray, y: FloatArray) -> FloatArray:
    """Row by row, the share of pairs that both order alike or both tie; NaN where there is no pair."""
    i, j = np.triu_indices(x.shape[1], 1)
    shares = np.empty(len(x))
    step = max(MOST_ROWS // max(i.size, 1), 1)
    for start in range(0, len(x), step):
        block = slice(start, start + step)
        first, second = (ahead(scores[block][:, i], scores[block][:, j]) for scores in (x, y))
        compared = ~np.isnan(first + second)
        with np.errstate(invalid="ignore"):
            shares[block] = np.count_nonzero((first == second) & compared, axis=1) / np.count_nonzero(
                compared, axis=1
            )
    return shares


def _own(how: _How, judged: FloatArray) -> FloatArray:
    """Each assessor with the mean of the rest."""
    once = np.ones((1, judged.shape[1]))
    return np.array(
        [
            how.of(np.where(np.isnan(rest), np.nan, answers)[None], rest, once)[0, 0]
            for answers, rest in zip(judged, leave_one_out(judged), strict=True)
        ]
    )


def _topic_means(stack: FloatArray, weights: FloatArray) -> FloatArray:
    """Any x weights x systems: means over topics that count so many times; NaN where a system has none."""
    there = ~np.isnan(stack)
    with np.errstate(invalid="ignore"):
        return np.asarray((weights @ np.where(there, stack, 0.0)) / (weights @ there.astype(np.float64)))


def _weighted(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Any x weights: means of what is defined."""
    there = ~np.isnan(rows)
    with np.errstate(invalid="ignore"):
        return np.asarray((np.where(there, rows, 0.0) @ weights.T) / (there @ weights.T))


def _mean(values: FloatArray, axis: int) -> FloatArray:
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(there, values, 0.0).sum(axis=axis) / there.sum(axis=axis))


# The error of the difference


def _variance(
    how: _How,
    x: FloatArray,
    judged: FloatArray,
    clusters: Sequence[Any] | None,
    rng: np.random.Generator,
    resamples: int,
) -> tuple[FloatArray, FloatArray, tuple[str, ...], str | None]:
    """Of each measure's difference: variance and degrees of freedom; over what; or why there is none for any."""
    none = np.full(len(x), np.nan)
    rows = np.flatnonzero(((~np.isnan(judged)).sum(axis=0) > 1).any(axis=1))
    if clusters is not None and len(clusters) != x.shape[1]:
        raise UsageError(f"clusters: expected one for each of {x.shape[1]} topics, got {len(clusters)}")
    names = list(range(x.shape[1])) if clusters is None else list(clusters)
    codes = {name: k for k, name in enumerate(dict.fromkeys(names[t] for t in rows))}
    if len(codes) < LEAST_CLUSTERS:
        return none, none, (), f"needs {LEAST_CLUSTERS} topics or clusters of topics, has {len(codes)}"
    if resamples < 2:
        return none, none, (), "nothing was resampled"
    cluster = np.array([codes[names[t]] for t in rows])
    x, judged = x[:, rows], judged[:, rows]
    if how.level == "global":
        groups = min(GROUPS, len(codes))
        of_group = (rng.permutation(len(codes)) % groups)[cluster]
        weights = (of_group[None, :] != np.arange(groups)[:, None]).astype(np.float64)
        variance, freedom = _jackknifed(_differences(how, x, judged, weights)), groups - 1
    else:
        weights = cluster_draws(rng, len(codes), resamples)[:, cluster]
        drawn = _differences(how, x, judged, weights)
        there = ~np.isnan(drawn)
        centre = _mean(drawn, axis=1)[:, None]
        n = np.count_nonzero(there, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.where(there, (drawn - centre) ** 2, 0.0).sum(axis=1) / (n - 1)
        variance = np.where(n >= max(LEAST_DEFINED * resamples, 2), variance, np.nan)
        variance, freedom = variance * len(codes) / (len(codes) - 1), len(codes) - 1
    people = np.flatnonzero(~np.isnan(leave_one_out(judged)).all(axis=(1, 2)))
    if people.size < 3:
        return variance, np.full(len(x), float(freedom)), ("topics",), None
    groups = min(GROUPS, people.size)
    of_group = rng.permutation(people.size) % groups
    once = np.ones((1, x.shape[1]))
    without = [_differences(how, x, judged[people[of_group != g]], once)[:, 0] for g in range(groups)]
    more = _jackknifed(np.stack(without, axis=1))
    if np.isnan(more[~np.isnan(variance)]).any() or np.isnan(more).all():
        # Without somebody a measure has no difference left: how far assessors differ cannot be said of all.
        return variance, np.full(len(x), float(freedom)), ("topics",), None
    with np.errstate(invalid="ignore", divide="ignore"):
        both = (variance + more) ** 2 / (variance**2 / freedom + more**2 / (groups - 1))
    return variance + more, both, ("topics", "assessors"), None


def _differences(how: _How, x: FloatArray, judged: FloatArray, weights: FloatArray) -> FloatArray:
    """Measures x weights: measure minus ceiling, averaged over the assessors who have both."""
    values, ceilings = how.both(x, judged, weights)
    return _mean(values - ceilings, axis=0)


def _jackknifed(without: FloatArray) -> FloatArray:
    """The variance of what was computed without each group (columns). Wolter 2007, ch. 4."""
    groups = without.shape[1]
    return np.asarray(
        ((without - without.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) * (groups - 1) / groups
    )


def _interval(
    difference: FloatArray, variance: FloatArray, freedom: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """NaN where there is no error: no variance at all says nothing of other topics."""
    from scipy.special import stdtrit

    has_error = variance > NO_VARIANCE
    half = stdtrit(np.where(has_error, freedom, 1), (1 + confidence) / 2) * np.sqrt(
        np.where(has_error, variance, np.nan)
    )
    return difference - half, difference + half
