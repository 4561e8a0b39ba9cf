"""Tukey's test of all pairs of columns on the model topic + system."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.model import AdditiveFit, fit_additive
from adjudge.stats.linear.studentized import studentized_range_isf, studentized_range_sf
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.ranks import doubled_ranks, friedman
from adjudge.stats.resampling.max_t import DifferenceRows, row_moments

Scale = Literal["values", "ranks", "topic-ranks"]
SCALES: tuple[Scale, ...] = ("values", "ranks", "topic-ranks")
SCALE_WORDS = {
    "values": "Tukey's test",
    "ranks": "Tukey's test on ranks",
    "topic-ranks": "Nemenyi's test",
}


@dataclass(frozen=True)
class Tukey:
    """All pairs i < j at once. p and intervals hold for all of them together.

    What cannot be computed has NaN, and `why` has the reason by the pair's position.
    """

    scale: Scale
    level: float
    columns: int
    """Columns with scores: the family that the studentized range is taken of."""
    n: IntArray
    """Cells of every column."""
    means: FloatArray
    """Least-squares means of the columns, or mean ranks; a column's own mean where nothing is missing."""
    first: IntArray
    second: IntArray
    difference: FloatArray
    """Of the least-squares means, first - second."""
    se: FloatArray
    """Standard errors of the differences."""
    statistic: FloatArray
    """q = sqrt(2) difference / se: positive where the first column is higher."""
    p: FloatArray
    low: FloatArray
    high: FloatArray
    df: float
    mean_square: float
    """Of the model's residuals; on topic ranks the variance that ranks have under the null hypothesis."""
    critical: float
    """The studentized range that is exceeded with probability 1 - level."""
    why: dict[int, Note] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.p.size

    @property
    def method(self) -> str:
        return "tukey"

    @property
    def words(self) -> str:
        return SCALE_WORDS[self.scale]

    @property
    def conclusion(self) -> IntArray:
        """Of every pair: 0 differ, 1 not significantly different, 2 could not have been found, 3 not comparable.

        A chain of common topics is enough for the model to compare two columns.
        """
        conclusions = np.where(self.p <= round(1 - self.level, 12), 0, 1)
        for k, why in self.why.items():
            conclusions[k] = 3 if why.code in ("no-chain", "empty-column") else 2
        return conclusions

    @property
    def half_width(self) -> FloatArray:
        """Half the simultaneous interval of every pair: a larger difference is significant."""
        return np.asarray(self.critical * self.se / math.sqrt(2))

    @property
    def hsd(self) -> float:
        """The honestly significant difference: one number without missing cells, else the mean over pairs."""
        widths = self.half_width[~np.isnan(self.half_width)]
        return float(widths.mean()) if widths.size else math.nan

    @property
    def signature(self) -> str:
        return f"tukey|scale:{self.scale}|model:system+topic|systems:{self.columns}|df:{self.df:g}|level:{self.level:g}"

    def different(self, alpha: float | None = None) -> BoolArray:
        """Which columns differ, as a square matrix; at 1 - level unless alpha is given."""
        bound = 1 - self.level if alpha is None else alpha
        matrix = np.zeros((self.n.size, self.n.size), dtype=np.bool_)
        matrix[self.first, self.second] = matrix[self.second, self.first] = self.p < bound
        return matrix


def tukey(values: npt.ArrayLike, *, scale: Scale = "values", level: float = 0.95) -> Tukey:
    """Tukey's honestly significant differences on the model value = topic + system + noise.

    Without missing cells this is Tukey's test in randomised blocks, as R's TukeyHSD(aov(...)). With missing
    cells, every pair has its own standard error from the least-squares fit (Tukey-Kramer on the covariance of
    the estimates, as emmeans does); the multivariate t of `contrasts(adjust="single-step")` is exact there.

    `scale="ranks"` replaces the values by their ranks among all cells (the rank transform of Conover and Iman
    1981); `scale="topic-ranks"` by their ranks within the topic, whose variance is known under the null
    hypothesis, so that df is infinite: Nemenyi's test (Demsar 2006). There a topic on which only m of k
    systems are present has its ranks stretched by sqrt(k(k+1) / m(m+1)), so that all topics have one variance.
    """
    matrix = scaled(values, scale)
    checks.share("level", level)
    model = fit_additive(matrix)
    known_variance = scale == "topic-ranks"
    columns = model.columns
    df = math.inf if known_variance else float(model.df)
    mean_square = columns * (columns + 1) / 12 if known_variance else model.mean_square
    first, second = columns_of_pairs(model.n.size)
    difference = model.effects[first] - model.effects[second]
    difference[np.abs(difference) <= model.noise] = 0.0
    variance = model.covariance.diagonal()
    factor = variance[first] + variance[second] - 2 * model.covariance[first, second]
    why = _reasons(model, first, second, difference, mean_square)
    se = np.sqrt(mean_square * np.maximum(factor, 0.0))
    difference[(model.part[first] != model.part[second])] = np.nan
    se[list(why)] = np.nan
    with np.errstate(invalid="ignore"):  # 0 / 0 where nothing varies and nothing differs
        statistic = np.where(difference == 0, 0.0, math.sqrt(2) * difference / se)
    statistic[list(why)] = np.nan
    critical, p = math.nan, np.full_like(statistic, np.nan)
    if len(why) < p.size:
        critical = studentized_range_isf(1 - level, columns, df)
        p = studentized_range_sf(np.abs(statistic), columns, df)
    reach = critical * se / math.sqrt(2)
    return Tukey(
        scale=scale,
        level=level,
        columns=columns,
        n=model.n,
        means=model.means,
        first=first,
        second=second,
        difference=difference,
        se=se,
        statistic=statistic,
        p=p,
        low=difference - reach,
        high=difference + reach,
        df=df,
        mean_square=mean_square,
        critical=critical,
        why=why,
    )


def scaled(values: npt.ArrayLike, scale: Scale) -> FloatArray:
    """The values themselves, or the ranks that the scale puts in their place."""
    matrix = checks.numbers("values", values, dimensions=2)
    checks.one_of("scale", scale, SCALES)
    if scale == "ranks":
        ranks = np.full_like(matrix, np.nan)
        present = ~np.isnan(matrix)
        ranks[present] = doubled_ranks(matrix[present]) / 2
        return ranks
    return _ranked_in_topics(matrix) if scale == "topic-ranks" else matrix


@dataclass(frozen=True)
class SpreadCheck:
    """Whether the differences of all pairs spread alike, as Tukey's test assumes."""

    least: float
    """The smallest standard deviation of a pair's differences; NaN without pairs of two topics."""
    most: float
    p: float
    """Friedman's test (F of Iman and Davenport) that no system's scores vary more than another's around the
    model: of absolute residuals, within topics that have all systems. NaN where it cannot be computed."""
    n: int
    """Topics behind p."""


def spread_check(values: npt.ArrayLike) -> SpreadCheck:
    """Look at the spread of the pairs' differences, and test whether systems vary alike around the model."""

    matrix = checks.numbers("values", values, dimensions=2)
    first, second = columns_of_pairs(matrix.shape[1])
    seen = row_moments(DifferenceRows(np.ascontiguousarray(matrix.T) + 0.0, first, second))
    sd = np.where(
        (seen.varied == 0) & (seen.n > 1), 0.0, seen.sd
    )  # what is left of equal differences is rounding
    spreads = sd[~np.isnan(sd)]
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    p, n = math.nan, len(complete)
    if n >= 3 and complete.shape[1] >= 3:  # two systems have the same residuals but for the sign
        residuals = complete - complete.mean(axis=1, keepdims=True)
        residuals -= np.median(residuals, axis=0)
        residuals[np.abs(residuals) <= 1e-12 * np.abs(complete).max()] = 0.0
        p = friedman(np.abs(residuals)).f_p
    if not spreads.size:
        return SpreadCheck(least=math.nan, most=math.nan, p=p, n=n)
    return SpreadCheck(least=float(spreads.min()), most=float(spreads.max()), p=p, n=n)


def _ranked_in_topics(matrix: FloatArray) -> FloatArray:
    """Every value's rank in its row, stretched about the middle where the row has missing cells."""
    ranks = np.full_like(matrix, np.nan)
    columns = int(np.count_nonzero((~np.isnan(matrix)).any(axis=0)))
    for row, values in zip(ranks, matrix, strict=True):
        present = ~np.isnan(values)
        size = int(np.count_nonzero(present))
        if size:
            stretch = math.sqrt(columns * (columns + 1) / (size * (size + 1)))
            centred = doubled_ranks(values[present]) / 2 - (size + 1) / 2
            row[present] = (columns + 1) / 2 + stretch * centred
    return ranks


def _reasons(
    model: AdditiveFit, first: IntArray, second: IntArray, difference: FloatArray, mean_square: float
) -> dict[int, Note]:
    """Why a pair has no result, by its position."""
    why: dict[int, Note] = {}
    a, b = model.part[first], model.part[second]
    if math.isnan(mean_square):
        why |= dict.fromkeys(range(first.size), Note.of("no-freedom"))
    elif mean_square == 0:
        why |= dict.fromkeys(np.flatnonzero(difference != 0).tolist(), Note.of("levels-alone"))
    why |= dict.fromkeys(np.flatnonzero(a != b).tolist(), Note.of("no-chain"))
    why |= dict.fromkeys(np.flatnonzero((a < 0) | (b < 0)).tolist(), Note.of("empty-column"))
    return why
