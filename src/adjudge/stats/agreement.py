"""Agreement: Krippendorff's alpha of assessors, and how often a measure orders pairs as people do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Better, noise_of, settled

Level = Literal["nominal", "ordinal", "interval"]
LEAST_DEFINED = 0.5
"""Of the resamples: with fewer that have an alpha at all there is no interval."""
RELIABLE, TENTATIVE = 0.8, 0.667
"""From here on conclusions can be drawn; from here on only tentative ones. Krippendorff 2019, section 12.4."""


def reliability(alpha: float) -> str:
    """What Krippendorff's thresholds say of an alpha."""
    if alpha >= RELIABLE:
        return "reliable (.800 or more)"
    if alpha >= TENTATIVE:
        return "for tentative conclusions only (from .667 to below .800)"
    return "not reliable (below .667)"


def alpha_text(alpha: float) -> str:
    """Three decimals; more where fewer would put it on the other side of a threshold."""
    digits = 3
    while digits < 17 and reliability(round(alpha, digits)) != reliability(alpha):
        digits += 1
    return f"{alpha:z.{digits}f}"


@dataclass(frozen=True, slots=True)
class Alpha:
    """Agreement: 1 perfect, 0 as by chance, below 0 worse. NaN says why."""

    alpha: float
    low: float
    high: float
    level: float
    units: int
    """Things that at least two assessors judged."""
    values: int
    """Judgments of those."""
    distance: Level
    resamples: int
    why: str | None = None

    def sentence(self) -> str:
        if self.why is not None:
            return f"alpha cannot be computed ({self.why})"
        interval = (
            "" if math.isnan(self.low) else f", {self.level:.0%} interval {self.low:z.3f} to {self.high:z.3f}"
        )
        of = f"({self.units} units, {self.values} judgments)"
        return f"alpha = {alpha_text(self.alpha)}{interval} {of}: {reliability(self.alpha)}"


def krippendorff(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    distance: Level = "ordinal",
    resamples: int = 1000,
    level: float = 0.95,
) -> Alpha:
    """Alpha = 1 - D_o / D_e of units in rows and assessors in columns, NaN missing. Krippendorff 1980; 2019, ch. 12.

    Lin and Hovy 2002, section 5.1, print it as kappa, with the ordinal distance. The interval is a percentile
    bootstrap over units (rows), so it says how far alpha would move had others been judged.
    """
    checks.one_of("distance", distance, get_args(Level))
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    matrix = checks.numbers("values", values, dimensions=2)
    matrix = matrix[np.count_nonzero(~np.isnan(matrix), axis=1) >= 2]
    units, given = matrix.shape[0], int(np.count_nonzero(~np.isnan(matrix)))

    def found(alpha: float, low: float, high: float, why: str | None = None) -> Alpha:
        return Alpha(
            alpha=alpha,
            low=low,
            high=high,
            level=level,
            units=units,
            values=given,
            distance=distance,
            resamples=resamples,
            why=why,
        )

    if not units:
        return found(math.nan, math.nan, math.nan, "nothing was judged by two assessors")
    scale = np.unique(matrix[~np.isnan(matrix)])
    if scale.size < 2:
        return found(math.nan, math.nan, math.nan, "all judgments are the same: there is nothing to agree on")
    counts = np.stack([np.count_nonzero(matrix == value, axis=1) for value in scale], axis=1).astype(float)
    alpha = _alpha(counts.sum(axis=0), _pairs(counts), scale, distance)
    low, high = _interval(counts, scale, distance, rng, resamples, level)
    return found(alpha, low, high)


def _pairs(counts: FloatArray) -> FloatArray:
    """The coincidence matrix: how often values meet within a unit, each unit weighing as many as its judgments."""
    sizes = counts.sum(axis=1)
    weighted = counts / (sizes - 1)[:, None]
    together: FloatArray = weighted.T @ counts
    together[np.diag_indices_from(together)] -= weighted.sum(axis=0)
    return together


def _alpha(totals: FloatArray, together: FloatArray, scale: FloatArray, distance: Level) -> float:
    """From the coincidences and how often every value was given."""
    squared = _distances(totals, scale, distance)
    n = float(totals.sum())
    expected = float((np.outer(totals, totals) * squared).sum()) / (n - 1)
    if expected <= 0:
        return math.nan
    return 1.0 - float((together * squared).sum()) / expected


def _distances(totals: FloatArray, scale: FloatArray, distance: Level) -> FloatArray:
    """Squared distances; ordinal ones count the judgments between two values, half of those at the ends."""
    if distance == "nominal":
        return 1.0 - np.eye(scale.size)
    if distance == "interval":
        return np.asarray((scale[:, None] - scale[None, :]) ** 2)
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)


def _interval(
    counts: FloatArray,
    scale: FloatArray,
    distance: Level,
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> tuple[float, float]:
    units = counts.shape[0]
    if resamples < 2 or units < 2:
        return math.nan, math.nan
    alphas = np.full(resamples, np.nan)
    for k in range(resamples):
        drawn = counts[rng.integers(0, units, size=units)]
        alphas[k] = _alpha(drawn.sum(axis=0), _pairs(drawn), scale, distance)
    alphas = alphas[~np.isnan(alphas)]
    if alphas.size < LEAST_DEFINED * resamples:
        return math.nan, math.nan
    low, high = np.quantile(alphas, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


# Pairs of items that a measure orders as people do (Zopf 2018, equation 1)


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Of the pairs in which people see a difference, the share that a measure orders as they do.

    Every pair is one of `pairs`, `human_ties` and `missing`.
    """

    share: float
    """NaN where there is no pair to order."""
    agreed: int
    """Pairs that the measure orders as people do."""
    pairs: int
    """Pairs that count: people see a difference, and both have a number."""
    ties: int
    """Of those, the pairs in which the measure sees no difference."""
    human_ties: int = 0
    missing: int = 0
    """Pairs in which a number is missing."""
    half: bool = False
    """Whether a tie of the measure counts half; else it does not agree."""
    why: str | None = None


def pair_agreement(
    human: npt.ArrayLike, measure: npt.ArrayLike, *, better: Better = "higher", half: bool = False
) -> PairAgreement:
    """Equation 1, strictly: a tie of the measure does not agree, unless `half` gives it half.

    Of `human`, higher is better. What differs by floating-point noise alone is tied. Owczarzak et al. 2012 count
    such agreements between measures; without ties the share is (tau + 1) / 2, with tau of Kendall 1938.
    """
    values = checks.numbers("measure", measure, dimensions=1)
    counted = _counted(human, values[None, :], better)
    agreed, pairs, ties = (int(each[0]) for each in (counted.agreed, counted.pairs, counted.ties))
    share = (agreed + ties / 2 * half) / pairs if pairs else math.nan
    return PairAgreement(
        share=share,
        agreed=agreed,
        pairs=pairs,
        ties=ties,
        human_ties=counted.human_ties,
        missing=int(counted.missing[0]),
        half=half,
        why=None if pairs else _why(values.size, counted.human_ties, int(counted.missing[0])),
    )


def agreement_shares(
    human: npt.ArrayLike, measures: npt.ArrayLike, *, better: Better = "higher", half: bool = False
) -> FloatArray:
    """The shares of many measures, one a row; NaN where there is no pair to order."""
    counted = _counted(human, checks.numbers("measures", measures, dimensions=2), better)
    with np.errstate(invalid="ignore"):  # no pairs: 0/0
        return np.asarray((counted.agreed + counted.ties / 2 * half) / counted.pairs)


@dataclass(frozen=True, slots=True)
class _Counted:
    agreed: IntArray
    pairs: IntArray
    ties: IntArray
    missing: IntArray
    human_ties: int


def _counted(human: npt.ArrayLike, measures: FloatArray, better: Better) -> _Counted:
    """One item against all later ones at a time, so that memory stays small with thousands of items."""
    people = checks.numbers("human", human, dimensions=1)
    checks.one_of("better", better, ("higher", "lower"))
    if people.size != measures.shape[1]:
        raise UsageError(f"human and measure: expected one length, got {people.size} and {measures.shape[1]}")
    agreed, pairs, ties, missing = np.zeros((4, len(measures)), np.int64)
    human_ties = 0
    for at in range(people.size - 1):
        said = ahead(people[at], people[at + 1 :])
        human_ties += int(np.count_nonzero(said == 0))
        kept = np.abs(said) == 1  # NaN is not
        found = ahead(measures[:, at, None], measures[:, at + 1 :][:, kept])
        if better == "lower":
            found = -found
        known = ~np.isnan(found)
        agreed += np.count_nonzero(found == said[kept], axis=1)
        pairs += np.count_nonzero(known, axis=1)
        ties += np.count_nonzero(found == 0, axis=1)
        missing += np.count_nonzero(~known, axis=1) + np.count_nonzero(np.isnan(said))
    return _Counted(agreed=agreed, pairs=pairs, ties=ties, missing=missing, human_ties=human_ties)


def ahead(one: Any, others: FloatArray) -> FloatArray:
    """1 where one is higher than the other, -1 where lower, 0 where equal but for noise; NaN where one is missing."""
    found: FloatArray = np.sign(settled(one - others, noise_of(one, others)))
    return found


def _why(items: int, human_ties: int, missing: int) -> str:
    if items < 2:
        return f"needs two summaries, has {items}"
    if not human_ties:
        return "every pair lacks a score"
    return "people see no difference" + (" where both are scored" if missing else "")
