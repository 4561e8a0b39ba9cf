"""All pairs of columns, or chosen contrasts, each with the variance of its own differences.

By the bootstrap of the largest |t| (resampling/max_t.py), for 20 topics or more, or by Student's t with Holm's p-values
and Bonferroni's intervals. Nothing is pooled, so systems may be as variable as they are; Tukey's test, which pools, is
in linear/tukey.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.contrasts import checked_weights
from adjudge.stats.multiple import holm
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.resampling.max_t import (
    DifferenceRows,
    RowMoments,
    bounded_by,
    criticals_with_best,
    max_t_rows,
    row_moments,
)

OwnMethod = Literal["max-t", "t"]
BOOTSTRAP_FROM = 20
"""Topics that every pair must have for the bootstrap."""
METHOD_WORDS: dict[OwnMethod, str] = {"max-t": "bootstrap of the largest t", "t": "paired t, Holm"}


@dataclass(frozen=True)
class OwnFamily:
    """A family of differences, each with its own variance; NaN where `why` has a reason, by position."""

    method: OwnMethod
    level: float
    n: IntArray
    """Topics behind each."""
    difference: FloatArray
    """The mean of the differences (or of a contrast's values) over these topics."""
    se: FloatArray
    """Their standard deviation over sqrt(n)."""
    statistic: FloatArray
    """t = difference / se."""
    p: FloatArray
    """Adjusted: step-down for max-t, Holm's for t."""
    low: FloatArray
    high: FloatArray
    """Simultaneous, and such that 0 is inside exactly where nothing was found, or is the end where only the step-down
    finds the difference."""
    beyond: BoolArray
    """Whose p could not be 1 - level or less, whatever the sizes of the differences: too few of them are not 0."""
    resamples: int | None
    signature: str
    why: dict[int, Note] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.p.size

    @property
    def alpha(self) -> float:
        return round(1 - self.level, 12)

    @property
    def words(self) -> str:
        return METHOD_WORDS[self.method]

    @property
    def different(self) -> BoolArray:
        """Which differ."""
        return np.asarray(self.p <= self.alpha)


@dataclass(frozen=True)
class OwnVariances(OwnFamily):
    """Pairs of columns, each over the topics that both have."""

    @property
    def conclusion(self) -> IntArray:
        """Of every pair: 0 differ, 1 not significantly different, 2 could not have been found, 3 not comparable."""
        conclusions = np.where(self.different, 0, np.where(self.beyond, 2, 1))
        conclusions[list(self.why)] = 2
        conclusions[self.n == 0] = 3
        return conclusions


@dataclass(frozen=True)
class OwnContrasts(OwnFamily):
    """Chosen contrasts, each with the variance of its own values over the topics that have all its systems."""

    @property
    def estimate(self) -> FloatArray:
        return self.difference


def own_pairs(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    method: OwnMethod = "max-t",
    level: float = 0.95,
    resamples: int = 10_000,
) -> OwnVariances:
    """All pairs of columns (topics x systems, NaN where missing), each over the topics that both have."""
    matrix = checks.numbers("values", values, dimensions=2)
    first, second = columns_of_pairs(matrix.shape[1])
    rows = DifferenceRows(np.ascontiguousarray(matrix.T) + 0.0, first, second)
    return _family(OwnVariances, rows, rng, method, level, resamples)


def own_contrasts(
    values: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    method: OwnMethod = "max-t",
    level: float = 0.95,
    resamples: int = 10_000,
) -> OwnContrasts:
    """Contrasts of the columns, a row of weights for each (see linear/contrasts.py), as one family.

    Each has a value on every topic that has all the systems it weighs, and is tested as a pair's differences are.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    rows = checked_weights(weights, matrix.shape[1])
    columns = np.ascontiguousarray(contrast_values(matrix, rows).T) + 0.0
    return _family(OwnContrasts, DifferenceRows(columns, None, None), rng, method, level, resamples)


def contrast_values(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Topics x contrasts: the weighted sum of a topic's scores, NaN where one that has a weight is missing."""
    sums = np.nan_to_num(values) @ weights.T
    sums[np.isnan(values).astype(float) @ (weights != 0).T.astype(float) > 0] = np.nan
    # What is left of equal scores is rounding.
    size = np.abs(np.nan_to_num(values)) @ np.abs(weights).T
    sums[np.abs(sums) <= NOISE * size] = 0.0
    return sums


Kind = TypeVar("Kind", bound=OwnFamily)


def _family(
    kind: type[Kind],
    rows: DifferenceRows,
    rng: np.random.Generator,
    method: OwnMethod,
    level: float,
    resamples: int,
) -> Kind:
    checks.share("level", level)
    checks.one_of("method", method, get_args(OwnMethod))
    seen = row_moments(rows)
    testable = (seen.n >= 2) & (seen.varied > 0)
    if method == "t":
        return _student(kind, seen, testable, level)
    result = max_t_rows(rows, seen, rng=rng, resamples=resamples, level=level)
    low, high = bounded_by(result.low, result.high, result.difference, result.p <= round(1 - level, 12))
    return kind(
        method="max-t",
        level=level,
        n=result.n,
        difference=result.difference,
        se=result.se,
        statistic=result.statistic,
        p=result.p,
        low=low + 0.0,
        high=high + 0.0,
        beyond=np.zeros(len(result), dtype=np.bool_),
        resamples=resamples,
        signature=f"{result.signature}|level:{level:g}",
        why=result.why,
    )


def _student(kind: type[Kind], seen: RowMoments, testable: BoolArray, level: float) -> Kind:
    """Student's t of each row, Holm's p-values, Bonferroni's intervals."""
    alpha = round(1 - level, 12)
    size = int(np.count_nonzero(testable))
    se, statistic, p, low, high = np.full((5, seen.n.size), np.nan)
    at = np.flatnonzero(testable)
    if size:
        df = seen.n[at] - 1.0
        se[at] = seen.sd[at] / np.sqrt(seen.n[at])
        statistic[at] = seen.mean[at] / se[at]
        p[at] = holm(2 * stdtr(df, -np.abs(statistic[at])))
        reach = -stdtrit(df, alpha / 2 / size) * se[at]
        low[at], high[at] = bounded_by(
            seen.mean[at] - reach, seen.mean[at] + reach, seen.mean[at], p[at] <= alpha
        )
    why = {int(k): no_test(int(seen.n[k])) for k in np.flatnonzero(~testable)}
    return kind(
        method="t",
        level=level,
        n=seen.n,
        difference=seen.mean,
        se=se,
        statistic=statistic,
        p=p,
        low=low + 0.0,
        high=high + 0.0,
        beyond=testable & (least_t_p(seen.n, seen.nonzero) > alpha),
        resamples=None,
        signature=f"t|paired|holm|intervals:bonferroni|family:{size}|level:{level:g}",
        why=why,
    )


def no_test(n: int) -> Note:
    """Why n differences have no t."""
    return Note.of("few-in-common" if n < 2 else "constant", n=n)


def least_t_p(n: IntArray, nonzero: IntArray) -> FloatArray:
    """The smallest two-sided p of Student's t that n differences can give, of which so many are not 0.

    With S their sum and Q their sum of squares t^2 = (n - 1) S^2 / (n Q - S^2), and S^2 <= nonzero Q: it is largest
    where those that are not 0 are equal, t^2 = (n - 1) nonzero / (n - nonzero).
    """
    df = np.maximum(n - 1, 1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(nonzero < n, np.sqrt(df * nonzero / (n - nonzero)), np.inf)
    return np.asarray(2 * stdtr(df, -t))


# Hsu's comparisons with the best


@dataclass(frozen=True)
class WithBest:
    """Hsu's constrained intervals of every column less the best of the others. Hsu 1984, 1996."""

    method: OwnMethod
    level: float
    low: FloatArray
    """At most 0; -inf where one that may be the best has no comparable topics with the column."""
    high: FloatArray
    """At least 0; 0 where the column is not the best, up to the level; inf where it could be compared with none."""
    signature: str

    @property
    def candidates(self) -> BoolArray:
        """Those whose interval goes above 0: the best is among them, with the level's probability."""
        return np.asarray(self.high > 0)


def with_best(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    method: OwnMethod,
    lower: bool = False,
    level: float = 0.95,
    resamples: int = 10_000,
) -> WithBest:
    """Hsu's comparisons with the best, each pair with its own variance.

    Every column i is taken for the best in turn: if it were, no i - j would be below 0, and all d_ij + c_i se_ij would
    be above 0 with the level's probability, c_i being the one-sided critical value of the differences from i: of the
    bootstrap's largest t, or Bonferroni's of Student's t. Those for which that holds are the candidates G, and

        high_i = max(0, min over j of d_ij + c_i se_ij)
        low_i  = min(0, min over j in G of d_ij - c_j se_ij), 0 where G holds i alone.

    `lower=True` where the smallest mean is the best.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    checks.share("level", level)
    checks.one_of("method", method, get_args(OwnMethod))
    turned = -matrix if lower else matrix
    size = turned.shape[1]
    if size < 2:
        raise UsageError("comparisons with the best need two systems")
    first, second = columns_of_pairs(size)
    seen = row_moments(DifferenceRows(np.ascontiguousarray(turned.T) + 0.0, first, second))
    usable = seen.usable if method == "max-t" else (seen.n >= 2) & (seen.varied > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.where(usable, seen.sd / np.sqrt(seen.n), np.nan)
    difference, reach = np.full((2, size, size), np.nan)
    difference[first, second], difference[second, first] = seen.mean, -seen.mean
    if method == "max-t":
        critical = criticals_with_best(turned, rng=rng, resamples=resamples, level=level)
        reach[first, second], reach[second, first] = critical[first] * se, critical[second] * se
        how = f"max-t|one-sided|resamples:{resamples}"
    else:
        tested = np.zeros((size, size))
        tested[first, second] = tested[second, first] = usable
        share = round(1 - level, 12) / np.maximum(tested.sum(axis=1), 1)
        df = np.maximum(seen.n - 1.0, 1.0)
        reach[first, second] = -stdtrit(df, share[first]) * se
        reach[second, first] = -stdtrit(df, share[second]) * se
        how = "t|one-sided|bonferroni"
    upper = np.fmin.reduce(np.where(np.isnan(reach), np.nan, difference + reach), axis=1)
    candidate = ~(upper <= 0)
    # d_ij - c_j se_ij for every j that may be the best; nothing is known of one that i was not compared with.
    below = np.where(np.isnan(reach.T), -np.inf, difference - reach.T)
    below[~np.broadcast_to(candidate, below.shape) | np.eye(size, dtype=np.bool_)] = np.inf
    lowest = below.min(axis=1)
    return WithBest(
        method=method,
        level=level,
        low=np.minimum(0.0, lowest) + 0.0,
        high=np.where(np.isnan(upper), math.inf, np.maximum(0.0, upper)) + 0.0,
        signature=f"hsu|{how}|level:{level:g}",
    )
