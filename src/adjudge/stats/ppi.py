"""Prediction-powered inference: a mean of people's answers, sharpened by a judge that answered more.

Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023; with the weight lambda, PPI++: Angelopoulos, Duchi and Zrnic
2023. Of n labelled pairs (y, f) and N further f the estimate of the mean of y is

    mean(y) + lambda (mean of the further f - mean of the labelled f),

unbiased for any fixed lambda, however wrong f is, if what was labelled was drawn at random. The lambda with the least
variance is cov(y, f) / ((1 + n/N) var(f)). The judge's errors cost or save variance, never validity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.bootstrap import LEAST_VARIED, varied
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.paired import Alternative

if TYPE_CHECKING:
    from adjudge.stats.tastes import TastePart

Reference = Literal["t", "z"]
Clip = tuple[float, float]
CLIP: Clip = (0.0, 1.0)
"""Where PPI++ keeps lambda."""
FROM_ZERO: Clip = (0.0, math.inf)
"""For a judge on a scale of its own: only a judge that says the opposite is not used."""
FREE: Clip = (-math.inf, math.inf)
LEAST_LABELLED = 4
"""Labelled values below which nothing is estimated: two go into the mean and lambda, and some must be left."""
SKEWED = 1.0
"""Skewness from which Student's t with few labels is no longer trusted, if chance does not explain it."""
BY_CHANCE = 2.5
"""Standard errors that the skewness of normal numbers seldom passes."""
SWAPS = 9999
PLENTY = 100
"""Random draws that are as far from the others, after which no more are made: p is far from small."""


@dataclass(frozen=True)
class PoweredMean:
    """A mean by prediction-powered inference, beside the mean of the labelled values alone.

    What cannot be computed is NaN, and `why` says so. `variance` is that of the estimate, `df` its degrees of freedom
    (infinite for the normal distribution).
    """

    n: int
    unlabelled: int
    weight: float = math.nan
    """Lambda: 0 where the judge is not used."""
    estimate: float = math.nan
    variance: float = math.nan
    df: float = math.nan
    labelled_estimate: float = math.nan
    labelled_variance: float = math.nan
    labelled_df: float = math.nan
    of_assessors: float = 0.0
    """The part of both variances that is there because assessors are a sample (`with_assessors`)."""
    skewness: float = math.nan
    """Of the labelled y - lambda f: where it is large, Student's t errs more often than it says."""
    judge_skewness: float = math.nan
    """Of all f: few labels hardly show what is rare, and the judge's many scores may."""
    varied: int = 0
    """Labelled values that differ from the commonest one."""
    why: str | None = None

    @property
    def few_values(self) -> bool:
        """Most labelled values are the same, so that the interval rests on few and may be too short."""
        return self.why is None and self.varied < min(LEAST_VARIED, self.n / 2)

    @property
    def skewed(self) -> bool:
        """The residuals or the judge's scores are more skewed than Student's t bears, and than chance explains."""
        return _is_skewed(self.skewness, self.n) or _is_skewed(self.judge_skewness, self.n + self.unlabelled)

    @property
    def error(self) -> float:
        return math.sqrt(self.variance)

    @property
    def statistic(self) -> float:
        return self.estimate / self.error if self.variance > 0 else math.nan

    def p(self, alternative: Alternative = "two-sided") -> float:
        """Of a mean of 0."""
        t = self.statistic
        if math.isnan(t):
            return math.nan
        if alternative == "two-sided":
            return min(1.0, 2 * _below(self.df, -abs(t)))
        return _below(self.df, -t if alternative == "greater" else t)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        return _around(self.estimate, self.variance, self.df, level)

    def labelled_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Student's interval from the labelled values alone."""
        return _around(self.labelled_estimate, self.labelled_variance, self.labelled_df, level)

    def with_assessors(self, part: TastePart) -> PoweredMean:
        """The same estimate for assessors like these: with their part in the variance, which is never negative.

        Degrees of freedom by Satterthwaite, never above those for these assessors: so p is never below theirs.
        """
        if not part.variance > 0 or math.isnan(self.variance):
            return self
        variance, df = _wider(self.variance, self.df, part)
        labelled, labelled_df = _wider(self.labelled_variance, self.labelled_df, part)
        return replace(
            self,
            variance=variance,
            df=df,
            labelled_variance=labelled,
            labelled_df=labelled_df,
            of_assessors=part.variance,
        )

    @property
    def ratio(self) -> float:
        """The variance of the estimate, as a share of that of the labelled values' mean."""
        return self.variance / self.labelled_variance if self.labelled_variance > 0 else math.nan

    @property
    def effective(self) -> float:
        """How many labelled values alone would give this variance; no more than were answered by the judge.

        Below n where estimating lambda cost more than the judge gave. More topics by the same assessors leave the
        assessors' part of the variance as it is, and so does the judge.
        """
        alone = self.labelled_variance - self.of_assessors
        if not alone > 0:
            return math.nan
        return min(self.n * alone / (self.variance - self.of_assessors), self.n + self.unlabelled)


def _wider(variance: float, df: float, part: TastePart) -> tuple[float, float]:
    total = variance + part.variance
    share = part.variance / total
    return total, min(df, 1 / ((1 - share) ** 2 / df + share**2 / part.df))


def _below(df: float, t: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(t) if math.isinf(df) else stdtr(df, t))


def _around(mean: float, variance: float, df: float, level: float) -> tuple[float, float]:
    from scipy.special import ndtri, stdtrit

    checks.share("level", level)
    if not variance > 0:
        return math.nan, math.nan
    quantile = ndtri((1 + level) / 2) if math.isinf(df) else stdtrit(df, (1 + level) / 2)
    reach = float(quantile) * math.sqrt(variance)
    return mean - reach, mean + reach


def least_varied(n: int) -> int:
    """Of n labelled values, how many must differ from the commonest one before there is an interval.

    A quarter, from 2 to 5. With less, leagues of ratings at the end of their scale err far more often than they say;
    with more, small samples on a coarse scale have no interval, where Student's t would cover.
    """
    return max(2, min(LEAST_VARIED, math.ceil(n / 4)))


def tuned_weight(
    y: npt.ArrayLike, f: npt.ArrayLike, unlabelled: npt.ArrayLike, *, clip: Clip = CLIP
) -> float:
    """Lambda of PPI++ for a mean: cov(y, f) / ((1 + n/N) var(f)), the variance over all f. 0 where f is constant."""
    labels, judged, more = _checked(y, f, unlabelled)
    everything = np.concatenate([judged, more])
    spread = float(everything.var(ddof=1)) if everything.size > 1 else 0.0
    if not more.size or not spread > 0 or flat_values(everything):
        return 0.0
    together = float(((labels - labels.mean()) * (judged - judged.mean())).mean())
    return float(np.clip(together / ((1 + judged.size / more.size) * spread), *clip))


def flat_values(values: FloatArray) -> bool:
    """All the same but for rounding."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0.0))


def powered_mean(
    y: npt.ArrayLike,
    f: npt.ArrayLike,
    unlabelled: npt.ArrayLike,
    *,
    clip: Clip = CLIP,
    reference: Reference = "t",
) -> PoweredMean:
    """The mean of y from labelled pairs (y, f) and further f.

    With reference "z" variances have the divisors n and N and the interval is normal: PPI++ as published, which covers
    only .88 to .90 with 10 labelled values. With "t" the residuals y - lambda f have the divisor n - 2, since a mean
    and lambda were estimated, and the interval is Student's with n - 2. Without further f, or where f is constant, "t"
    is the classical interval of y alone. Where nearly all y are the same, there is an estimate without an interval.
    """
    checks.one_of("reference", reference, get_args(Reference))
    labels, judged, more = _checked(y, f, unlabelled)
    n, rest = labels.size, more.size
    if n < LEAST_LABELLED:
        return PoweredMean(n=n, unlabelled=rest, why=f"needs {LEAST_LABELLED} labelled topics, has {n}")
    mean, variance = float(labels.mean()), float(labels.var(ddof=1)) / n
    weight = tuned_weight(labels, judged, more, clip=clip)
    left = labels - weight * judged
    estimate = float(left.mean()) + (weight * float(more.mean()) if weight else 0.0)
    differ = int(varied(labels[:, None])[0])
    if differ < least_varied(n):
        return PoweredMean(
            n=n,
            unlabelled=rest,
            weight=weight,
            estimate=estimate,
            labelled_estimate=mean,
            varied=differ,
            why=f"all {f'but {differ} of ' if differ else ''}{n} labelled topics have the same value,"
            " which is too little variation for an interval",
        )
    everything = np.concatenate([judged, more])
    used = rest > 0 and not flat_values(everything)
    if reference == "z":
        left_variance = float(left.var()) / n
        further = weight**2 * float(more.var()) / rest if rest else 0.0
        df = math.inf
    else:
        parameters = 2 if used else 1
        left_variance = float(left.var()) / (n - parameters)
        further = weight**2 * float(everything.var(ddof=1)) / rest if used else 0.0
        df = float(n - parameters)
    return PoweredMean(
        n=n,
        unlabelled=rest,
        weight=weight,
        estimate=estimate,
        variance=left_variance + further,
        df=df,
        labelled_estimate=mean,
        labelled_variance=variance,
        labelled_df=float(n - 1),
        skewness=_skewness(left),
        judge_skewness=_skewness(everything) if used else math.nan,
        varied=differ,
    )


def _skewness(values: FloatArray) -> float:
    """The third standardised moment; 0 where nothing varies."""
    away = values - values.mean()
    spread = float(np.sqrt((away**2).mean()))
    return float(((away / spread) ** 3).mean()) if spread > 0 else 0.0


def _is_skewed(skewness: float, n: int) -> bool:
    if not abs(skewness) >= SKEWED:
        return False
    by_chance = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))  # the standard error in normal samples
    return abs(skewness) >= BY_CHANCE * by_chance


def _checked(
    y: npt.ArrayLike, f: npt.ArrayLike, unlabelled: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    labels, judged = checks.pair(y, f)
    more = checks.numbers("unlabelled", unlabelled, dimensions=1)
    if np.isnan(labels).any() or np.isnan(judged).any() or np.isnan(more).any():
        raise UsageError("y, f and unlabelled: a value is missing; leave out what is not there")
    return labels, judged, more


def random_labels_p(
    judged: npt.ArrayLike, labelled: npt.ArrayLike, *, rng: np.random.Generator, swaps: int = SWAPS
) -> float:
    """How often labels drawn at random would set the judge's scores apart as much as these do.

    `judged` are the judge's scores, topics x systems; `labelled` says which topics have people's too. The statistic is
    the largest standardised difference between labelled topics and the others, of the topics' means and of every
    system's distance from them; the labels are shuffled over topics. NaN where nothing can be shuffled.
    """
    scores = checks.numbers("judged", judged, dimensions=2)
    chosen: BoolArray = np.asarray(labelled, dtype=np.bool_)
    there = ~np.isnan(scores).all(axis=1)
    scores, chosen = scores[there], chosen[there]
    if not 0 < chosen.sum() < chosen.size:
        return math.nan
    level = np.nanmean(scores, axis=1)
    columns = np.column_stack([level, scores - level[:, None]])
    columns = columns - np.nanmean(columns, axis=0)
    columns = np.where(np.isnan(columns), 0.0, columns)
    sizes = np.sqrt((columns**2).mean(axis=0))
    columns = columns[:, sizes > 1e-12 * sizes.max(initial=0.0)]
    if not columns.size:
        return math.nan
    columns = columns / np.sqrt((columns**2).mean(axis=0))
    observed = np.abs(chosen @ columns).max()
    as_far = done = 0
    while done < swaps and as_far < PLENTY:
        some = min(500, swaps - done)
        drawn = rng.permuted(np.tile(chosen.astype(np.float64), (some, 1)), axis=1)
        as_far += int((np.abs(drawn @ columns).max(axis=1) >= observed * (1 - 1e-9)).sum())
        done += some
    return (as_far + 1) / (done + 1)
