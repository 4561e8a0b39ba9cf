"""All pairs of columns by Tukey's method on the two-way model. Chosen contrasts live in contrasts.py.

The model is value = topic + system + noise (Over and Liggett 2002: "System + Document set effect + Noise"), and
the noise is its residual: differences between topics do not blur the differences between systems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.additive import Additive, fit
from adjudge.stats.linear.studentized import studentized_range_isf, studentized_range_sf
from adjudge.stats.paired import Better, p_words
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.ranks import doubled_ranks

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
    why: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.p.size

    @property
    def half_width(self) -> FloatArray:
        """Half the simultaneous interval of every pair: a larger difference is significant."""
        return np.asarray(self.critical * self.se / math.sqrt(2))

    @property
    def hsd(self) -> float:
        """The honestly significant difference: one number without missing cells, else the mean over pairs."""
        known = self.half_width[~np.isnan(self.half_width)]
        return float(known.mean()) if known.size else math.nan

    @property
    def signature(self) -> str:
        return f"tukey|scale:{self.scale}|model:system+topic|systems:{self.columns}|df:{self.df:g}|level:{self.level:g}"

    def different(self, alpha: float | None = None) -> BoolArray:
        """Which columns differ, as a square matrix; at 1 - level unless alpha is given."""
        bound = 1 - self.level if alpha is None else alpha
        matrix = np.zeros((self.n.size, self.n.size), dtype=np.bool_)
        matrix[self.first, self.second] = matrix[self.second, self.first] = self.p < bound
        return matrix

    def sentence(self, k: int, a: str, b: str, better: Better | None = "higher") -> str:
        """What the k-th pair's test says of its columns, called a and b."""
        name = SCALE_WORDS[self.scale]
        if k in self.why:
            return f"{a} and {b} cannot be compared ({name}: {self.why[k]})"
        basis = f"{name}, {p_words(float(self.p[k]), 1 - self.level)}"
        if self.p[k] >= 1 - self.level:
            return f"{a} and {b} cannot be told apart ({basis})"
        first = (self.difference[k] > 0) == (better != "lower")
        winner, loser = (a, b) if first else (b, a)
        ends = sorted(abs(float(end)) for end in (self.low[k], self.high[k]))
        gap = f"difference {abs(self.difference[k]):.4g}, {self.level:.0%} interval {ends[0]:.4g} to {ends[1]:.4g}"
        return f"{winner} is {'better' if better else 'higher'} than {loser} ({basis}; {gap})"


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
    matrix = checks.numbers("values", values, dimensions=2)
    checks.one_of("scale", scale, SCALES)
    checks.share("level", level)
    if scale == "ranks":
        matrix = _ranked(matrix)
    if scale == "topic-ranks":
        return _pairs(fit(_ranked_in_topics(matrix)), scale, level, known=True)
    return _pairs(fit(matrix), scale, level, known=False)


def _ranked(matrix: FloatArray) -> FloatArray:
    """Every value's rank among all that are there."""
    ranks = np.full_like(matrix, np.nan)
    present = ~np.isnan(matrix)
    ranks[present] = doubled_ranks(matrix[present]) / 2
    return ranks


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


def _pairs(model: Additive, scale: Scale, level: float, *, known: bool) -> Tukey:
    columns = model.columns
    df = math.inf if known else float(model.df)
    mean_square = columns * (columns + 1) / 12 if known else model.mean_square
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
        scale,
        level,
        columns,
        model.n,
        model.means,
        first,
        second,
        difference,
        se,
        statistic,
        p,
        difference - reach,
        difference + reach,
        df,
        mean_square,
        critical,
        why,
    )


def _reasons(
    model: Additive, first: IntArray, second: IntArray, difference: FloatArray, mean_square: float
) -> dict[int, str]:
    """Why a pair has no result, by its position."""
    why: dict[int, str] = {}
    a, b = model.part[first], model.part[second]
    if math.isnan(mean_square):
        why |= dict.fromkeys(range(first.size), "the model leaves no degrees of freedom for the noise")
    elif mean_square == 0:
        moved = np.flatnonzero(difference != 0)
        why |= dict.fromkeys(
            moved.tolist(), "nothing varies between topics but their level, so there is no noise"
        )
    why |= dict.fromkeys(
        np.flatnonzero(a != b).tolist(), "no chain of common topics leads from one to the other"
    )
    why |= dict.fromkeys(np.flatnonzero((a < 0) | (b < 0)).tolist(), "one of the two has no scores")
    return why
