"""Agreement between assessors: Krippendorff's alpha, kappas, Gwet's AC, each with a bootstrap over clusters.

And how often a measure orders pairs as people do (Zopf 2018, equation 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Better, noise_of, settled

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weighting = Literal["identity", "linear", "quadratic"]
LEAST_DEFINED = 0.5
"""Of the resamples: with fewer that have a coefficient at all there is no interval."""
LEAST_CLUSTERS = 5
"""That are resampled: fewer come in so few combinations that their interval says nothing."""
SAME = 1e-12
"""Ends of an interval that are no further apart are equal."""
RELIABLE, TENTATIVE = 0.8, 0.667
"""From here on conclusions can be drawn; from here on only tentative ones. Krippendorff 2019, section 12.4."""
MOST_CATEGORIES = 50
"""Of a scale that kappas and AC are computed on; with more it is no scale of categories."""
AT_ONCE = 2_000_000
"""Numbers that resamples may take together."""

NOBODY = "nothing was judged by two assessors"
NOT_RESAMPLED = "nothing was resampled"
ALL_SAME = "all judgments are the same: there is nothing to agree on"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementCoefficient:
    """A coefficient with its interval: 1 is perfect agreement, 0 mostly that of chance. NaN says why."""

    name: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    level: float
    units: int
    """Things that at least two assessors judged."""
    values: int
    """Judgments of those."""
    clusters: int = 0
    """Of things, which were resampled; 0 where none were."""
    resamples: int = 0
    observed: float = math.nan
    """Agreement or, of alpha, disagreement that was observed, and that chance would give."""
    expected: float = math.nan
    why: str | None = None
    why_no_interval: str | None = None

    def sentence(self) -> str:
        if self.why is not None:
            return f"{self.name} cannot be computed ({self.why})"
        of = f"({self.units} units, {self.values} judgments)"
        text = f"{self.name} = {alpha_text(self.value)}{self.interval_words()} {of}"
        return f"{text}: {reliability(self.value)}" if self.name == "alpha" else text

    @property
    def crossed(self) -> tuple[float, ...]:
        """Those of Krippendorff's thresholds that the interval of an alpha crosses."""
        return tuple(threshold for threshold in (TENTATIVE, RELIABLE) if self.low < threshold <= self.high)

    def interval_words(self) -> str:
        """`, 95% interval .1 to .3`; empty where there is none."""
        if math.isnan(self.low):
            return ""
        return f", {self.level:.0%} interval {self.low:z.3f} to {self.high:z.3f}"


# Krippendorff's alpha


def krippendorff(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    distance: Level = "ordinal",
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> AgreementCoefficient:
    """Alpha = 1 - D_o / D_e of units in rows and assessors in columns, NaN missing. Krippendorff 1980; 2019, ch. 12.

    Lin and Hovy 2002, section 5.1, print it as kappa, with the ordinal distance. The interval is a percentile
    bootstrap over clusters of units (one for each row; without them each unit is its own), so it says how far alpha
    would move had other clusters, such as topics, been judged by the same assessors.
    """
    checks.one_of("distance", distance, get_args(Level))
    judgments = _given(values, clusters, resamples, level, pairable=True)
    if distance == "ratio" and (judgments.matrix < 0).any():
        return judgments.undefined(
            "alpha", "the ratio distance is for numbers of at least 0, and some are negative"
        )
    if not judgments.units:
        return judgments.undefined("alpha", NOBODY)
    if judgments.scale.size < 2:
        return judgments.undefined("alpha", ALL_SAME)
    return judgments.coefficient("alpha", _alpha_of(judgments, distance), rng)


def krippendorff_without(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    distance: Level = "ordinal",
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> tuple[tuple[AgreementCoefficient, AgreementCoefficient], ...]:
    """For every assessor (column): alpha of the others, and by how much it exceeds alpha of all, with its interval.

    Both are resampled together, so the interval of the difference is that of a paired comparison.
    """
    whole = checks.numbers("values", values, dimensions=2)
    numbers = checks.clusters_of(clusters, len(whole), "rows")
    many = int(numbers.max(initial=-1)) + 1
    ones, drawn = np.ones((1, many)), cluster_draws(rng, many, resamples)
    all_of = _given(whole, numbers, resamples, level, pairable=True)
    results = []
    for column in range(whole.shape[1]):
        others = _given(np.delete(whole, column, axis=1), numbers, resamples, level, pairable=True)
        why = None
        if whole.shape[1] < 3:
            why = "with two assessors, one is left"
        elif not others.units:
            why = "the others judged nothing together"
        elif others.scale.size < 2:
            why = "the others' judgments are all the same"
        elif all_of.scale.size < 2:
            why = ALL_SAME
        if why is not None:
            results.append((others.undefined("alpha", why), others.undefined("rise", why)))
            continue
        with_all, without = _alpha_of(all_of, distance), _alpha_of(others, distance)
        value, of_all = float(without(ones[:, others.at])[0]), float(with_all(ones[:, all_of.at])[0])
        resampled = without(drawn[:, others.at])
        rise = others.measured("rise", value - of_all, resampled - with_all(drawn[:, all_of.at]))
        results.append((others.measured("alpha", value, resampled), rise))
    return tuple(results)


def krippendorff_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    distance: Level = "ordinal",
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> AgreementCoefficient:
    """Alpha of some judgments less alpha of others, of the same units in the same rows, with its interval.

    Both are resampled together, so the interval is that of a paired comparison: of two judges with the same people.
    """
    values = [
        checks.numbers(name, judged, dimensions=2) for name, judged in (("first", first), ("second", second))
    ]
    if len(values[0]) != len(values[1]):
        raise UsageError(f"first has {len(values[0])} rows, second {len(values[1])}")
    numbers = checks.clusters_of(clusters, len(values[0]), "rows")
    clusters_there = int(numbers.max(initial=-1)) + 1
    both = [_given(judged, numbers, resamples, level, pairable=True) for judged in values]
    for judgments in both:
        if not judgments.units or judgments.scale.size < 2:
            return judgments.undefined("difference", ALL_SAME if judgments.units else NOBODY)
    ones, drawn = np.ones((1, clusters_there)), cluster_draws(rng, clusters_there, resamples)
    alphas = [(_alpha_of(judgments, distance), judgments.at) for judgments in both]
    one = [float(alpha(ones[:, at])[0]) for alpha, at in alphas]
    many = [alpha(drawn[:, at]) for alpha, at in alphas]
    return both[0].measured("difference", one[0] - one[1], many[0] - many[1])


def _alpha_of(judgments: _Given, distance: Level) -> Statistic:
    """Alpha as a function of how often each cluster counts: one row of weights, one alpha."""
    q, matrix, cluster = judgments.scale.size, judgments.matrix, judgments.cluster
    scale = (
        judgments.scale - judgments.scale.mean()
    )  # the distances are the same, and sums of squares keep their digits
    size = np.abs(scale).max() or 1.0
    scale = scale / size
    there = ~np.isnan(matrix)
    codes = np.searchsorted(judgments.scale, np.where(there, matrix, judgments.scale[0]))
    together = np.count_nonzero(there, axis=1)
    clusters = judgments.clusters
    rows, columns = np.nonzero(there)
    totals = np.bincount(cluster[rows] * q + codes[rows, columns], minlength=clusters * q).reshape(
        clusters, q
    )
    cells, weights, at = [], [], []
    for a, b in combinations(range(matrix.shape[1]), 2):
        both = np.flatnonzero(there[:, a] & there[:, b])
        low, high = np.minimum(codes[both, a], codes[both, b]), np.maximum(codes[both, a], codes[both, b])
        differ = low < high  # equal values are at no distance
        cells.append((low * q + high)[differ])
        weights.append(2 / (together[both] - 1)[differ])
        at.append(cluster[both][differ])
    cell, weight, where = (np.concatenate(parts) for parts in (cells, weights, at))
    distinct, number = np.unique(cell, return_inverse=True)
    first, second = distinct // q, distinct % q
    met = np.bincount(where * distinct.size + number, weights=weight, minlength=clusters * distinct.size)
    met = met.reshape(clusters, distinct.size)
    between = _ratio_distances(judgments.scale) if distance == "ratio" else np.zeros((0, 0))

    def alpha(times: FloatArray) -> FloatArray:
        n_of, pairs = times @ totals, times @ met
        n = n_of.sum(axis=1)
        if distance == "nominal":
            observed, expected = pairs.sum(axis=1), n**2 - (n_of**2).sum(axis=1)
        elif distance == "interval":
            observed = pairs @ (scale[first] - scale[second]) ** 2
            expected = 2 * (n * (n_of @ scale**2) - (n_of @ scale) ** 2)
        elif distance == "ratio":
            observed, expected = pairs @ between[first, second], ((n_of @ between) * n_of).sum(axis=1)
        else:  # the judgments between two values, half of those at the ends; from the middle of all
            middle = np.cumsum(n_of, axis=1) - n_of / 2 - n[:, None] / 2
            observed = (pairs * (middle[:, first] - middle[:, second]) ** 2).sum(axis=1)
            expected = 2 * n * (n_of * middle**2).sum(axis=1)
        varied = np.count_nonzero(n_of, axis=1) > 1
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(varied, 1 - (n - 1) * observed / np.where(varied, expected, 1), np.nan)

    return _in_parts(alpha, distinct.size + q)


def _ratio_distances(scale: FloatArray) -> FloatArray:
    sums = scale[:, None] + scale[None, :]
    return np.asarray(((scale[:, None] - scale[None, :]) / np.where(sums > 0, sums, 1)) ** 2)


# Kappas, Gwet's AC and percent agreement


def gwet_ac(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    weights: Weighting = "identity",
    categories: Sequence[float] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> AgreementCoefficient:
    """Gwet's AC1, with weights AC2. Gwet 2008; 2014, chapters 3 and 5, also for missing judgments.

    Chance is that of assessors who guess on what is hard to judge, at most 1/2 of it for two categories: it does not
    grow where one answer is most common. `categories` is the whole scale, of which some may not have been used.
    """
    name = "AC1" if weights == "identity" else "AC2"

    def chance(shares: FloatArray, matrix: FloatArray) -> FloatArray:
        q = matrix.shape[0]
        return np.asarray(matrix.sum() * (shares * (1 - shares)).sum(axis=1) / (q * (q - 1)))

    return _chance_corrected(name, values, chance, rng, weights, categories, resamples, level, clusters)


def fleiss_kappa(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    weights: Weighting = "identity",
    categories: Sequence[float] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> AgreementCoefficient:
    """Fleiss' kappa of any number of assessors, who need not be the same for all things. Fleiss 1971; Gwet 2014."""

    def chance(shares: FloatArray, matrix: FloatArray) -> FloatArray:
        return np.asarray(((shares @ matrix) * shares).sum(axis=1))

    return _chance_corrected(
        "Fleiss' kappa", values, chance, rng, weights, categories, resamples, level, clusters
    )


def percent_agreement(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> AgreementCoefficient:
    """How often two assessors of a thing gave the same answer: the mean over things of the share of their pairs."""
    judgments = _given(values, clusters, resamples, level, pairable=True)
    if not judgments.units:
        return judgments.undefined("agreement", NOBODY)
    same, pairs = np.zeros(judgments.units), np.zeros(judgments.units)
    for a, b in combinations(range(judgments.matrix.shape[1]), 2):
        both = ~np.isnan(judgments.matrix[:, a]) & ~np.isnan(judgments.matrix[:, b])
        pairs += both
        same += both & (judgments.matrix[:, a] == judgments.matrix[:, b])
    share, counted = judgments.summed(same / pairs), judgments.summed(np.ones(judgments.units))

    def agreed(times: FloatArray) -> FloatArray:
        return np.asarray(times @ share / (times @ counted))

    return judgments.coefficient("agreement", agreed, rng)


def cohen_kappa(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    weights: Weighting = "identity",
    categories: Sequence[float] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
) -> AgreementCoefficient:
    """Cohen's kappa of two assessors over what both judged; weights as in Cohen 1968. Chance has each one's shares."""
    values = np.stack(checks.pair(first, second), axis=1)
    judgments = _given(values, clusters, resamples, level, pairable=True)
    scale, why = _scale(judgments, categories)
    if why is not None:
        return judgments.undefined("kappa", why)
    q = scale.size
    codes = np.searchsorted(scale, judgments.matrix)
    cells = np.zeros((judgments.clusters, q * q))
    np.add.at(cells, (judgments.cluster, codes[:, 0] * q + codes[:, 1]), 1.0)
    apart = 1 - agreement_weights(scale, weights)

    def kappa(times: FloatArray) -> FloatArray:
        met = (times @ cells).reshape(-1, q, q)
        n = met.sum(axis=(1, 2))
        rows, columns = met.sum(axis=2), met.sum(axis=1)
        observed = (met * apart).sum(axis=(1, 2)) / n
        expected = ((rows @ apart) * columns).sum(axis=1) / n**2
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), np.nan)

    if math.isnan(float(kappa(np.ones((1, judgments.clusters)))[0])):
        return judgments.undefined("kappa", "both gave one and the same answer throughout")
    return judgments.coefficient("kappa", _in_parts(kappa, q * q), rng)


def agreement_weights(scale: npt.ArrayLike, weights: Weighting) -> FloatArray:
    """How far two categories agree, 1 with themselves and 0 at the two ends of the scale, by their numbers."""
    checks.one_of("weights", weights, get_args(Weighting))
    numbers = checks.numbers("scale", scale, dimensions=1)
    if weights == "identity" or numbers.size < 2:
        return np.eye(numbers.size)
    apart = np.abs(numbers[:, None] - numbers[None, :]) / np.ptp(numbers)
    return np.asarray(1 - (apart if weights == "linear" else apart**2))


def _chance_corrected(
    name: str,
    values: npt.ArrayLike,
    chance: Callable[[FloatArray, FloatArray], FloatArray],
    rng: np.random.Generator,
    weights: Weighting,
    categories: Sequence[float] | None,
    resamples: int,
    level: float,
    clusters: Sequence[Any] | None,
) -> AgreementCoefficient:
    """(p_a - p_e) / (1 - p_e). What one assessor alone judged counts for p_e, not for p_a, as Gwet has it."""
    judgments = _given(values, clusters, resamples, level, pairable=False)
    scale, why = _scale(judgments, categories)
    if why is not None:
        return judgments.undefined(name, why)
    counts = np.stack(
        [np.count_nonzero(judgments.matrix == category, axis=1) for category in scale], axis=1
    ).astype(float)
    matrix = agreement_weights(scale, weights)
    sizes = counts.sum(axis=1)
    several = sizes >= 2
    agreeing = (counts * (counts @ matrix - 1)).sum(axis=1) / np.where(several, sizes * (sizes - 1), 1)
    agreed, in_pairs = judgments.summed(agreeing * several), judgments.summed(several.astype(float))
    shares, everything = judgments.summed(counts / sizes[:, None]), judgments.summed(np.ones(sizes.size))

    def parts(times: FloatArray) -> tuple[FloatArray, FloatArray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = times @ agreed / (times @ in_pairs)
            return observed, chance((times @ shares) / (times @ everything)[:, None], matrix)

    def coefficient(times: FloatArray) -> FloatArray:
        observed, expected = parts(times)
        open_ = 1 - expected > 1e-12
        return np.where(open_, (observed - expected) / np.where(open_, 1 - expected, 1), np.nan)

    observed, expected = (float(part[0]) for part in parts(np.ones((1, judgments.clusters))))
    if not 1 - expected > 1e-12:
        return judgments.undefined(name, ALL_SAME)
    return replace(judgments.coefficient(name, coefficient, rng), observed=observed, expected=expected)


def _scale(judgments: _Given, categories: Sequence[float] | None) -> tuple[FloatArray, str | None]:
    """The categories, those that are known and those that were used; and why there is no coefficient of them."""
    scale = (
        judgments.scale
        if categories is None
        else np.unique(np.append(judgments.scale, np.asarray(categories, float)))
    )
    if not judgments.units:
        return scale, NOBODY
    if scale.size < 2:
        return scale, ALL_SAME
    if scale.size > MOST_CATEGORIES:
        return scale, f"more than {MOST_CATEGORIES} different answers are no scale of categories"
    return scale, None


# Resampling clusters of things

Statistic = Callable[[FloatArray], FloatArray]
"""From how often each cluster counts, a row for each resample, to a number for each."""


@dataclass(frozen=True)
class _Given:
    """Judgments that count, by thing and assessor, and the cluster of every thing."""

    matrix: FloatArray
    cluster: IntArray
    at: IntArray
    """Of every cluster that has a thing: its number among all that were given."""
    scale: FloatArray
    units: int
    values: int
    resamples: int
    level: float

    @property
    def clusters(self) -> int:
        return self.at.size

    def summed(self, numbers: FloatArray) -> FloatArray:
        """Sums of things' numbers within clusters."""
        sums = np.zeros((self.clusters, *numbers.shape[1:]))
        np.add.at(sums, self.cluster, numbers)
        return sums

    def undefined(self, name: str, why: str) -> AgreementCoefficient:
        return AgreementCoefficient(
            name=name, level=self.level, units=self.units, values=self.values, why=why
        )

    def coefficient(self, name: str, statistic: Statistic, rng: np.random.Generator) -> AgreementCoefficient:
        value = float(statistic(np.ones((1, self.clusters)))[0])
        drawn = cluster_draws(rng, self.clusters, self.resamples)
        return self.measured(name, value, statistic(drawn) if len(drawn) else np.zeros(0))

    def measured(self, name: str, value: float, drawn: FloatArray) -> AgreementCoefficient:
        """The value with the percentile interval of its resamples, where they make one."""
        defined = drawn[~np.isnan(drawn)]
        low = high = math.nan
        why = None
        if self.clusters < 2:
            why = "only one cluster: nothing to resample"
        elif self.resamples < 2:
            why = NOT_RESAMPLED
        elif self.clusters < LEAST_CLUSTERS:
            why = f"too few clusters to resample ({self.clusters}, needs {LEAST_CLUSTERS})"
        elif defined.size < LEAST_DEFINED * self.resamples:
            why = "it is undefined in most resamples"
        else:
            low, high = map(float, np.quantile(defined, [(1 - self.level) / 2, (1 + self.level) / 2]))
            if high - low <= SAME:
                low = high = math.nan
                why = "nearly all resamples give the same value"
        return AgreementCoefficient(
            name=name,
            value=value,
            low=low,
            high=high,
            level=self.level,
            units=self.units,
            values=self.values,
            clusters=self.clusters,
            resamples=0 if math.isnan(low) else self.resamples,
            why_no_interval=why,
        )


def _given(
    values: npt.ArrayLike,
    clusters: Sequence[Any] | IntArray | None,
    resamples: int,
    level: float,
    *,
    pairable: bool,
) -> _Given:
    """The rows that count: with `pairable` those that two assessors judged, else those that anybody did."""
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    matrix = checks.numbers("values", values, dimensions=2)
    numbers = checks.clusters_of(clusters, len(matrix), "rows")
    judged = np.count_nonzero(~np.isnan(matrix), axis=1)
    kept = judged >= (2 if pairable else 1)
    matrix, judged = matrix[kept], judged[kept]
    at, cluster = np.unique(numbers[kept], return_inverse=True)
    return _Given(
        matrix=matrix,
        cluster=cluster,
        at=at,
        scale=np.unique(matrix[~np.isnan(matrix)]),
        units=int(np.count_nonzero(judged >= 2)),
        values=int(judged[judged >= 2].sum()),
        resamples=resamples,
        level=level,
    )


def cluster_draws(rng: np.random.Generator, clusters: int, resamples: int) -> FloatArray:
    """How often each cluster is drawn in each resample."""
    if clusters < 2 or resamples < 2:
        return np.zeros((0, clusters))
    drawn = rng.integers(0, clusters, size=(resamples, clusters)) + np.arange(resamples)[:, None] * clusters
    times = np.bincount(drawn.ravel(), minlength=resamples * clusters)
    return times.reshape(resamples, clusters).astype(float)


def _in_parts(statistic: Statistic, width: int) -> Statistic:
    """The same, some resamples at a time where all of them would take much memory."""

    def parts(times: FloatArray) -> FloatArray:
        step = max(AT_ONCE // max(width, 1), 1)
        return np.concatenate([statistic(times[k : k + step]) for k in range(0, max(len(times), 1), step)])

    return parts


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
    return pair_agreements(human, values[None, :], better=better, half=half)[0]


def pair_agreements(
    human: npt.ArrayLike, measures: npt.ArrayLike, *, better: Better = "higher", half: bool = False
) -> tuple[PairAgreement, ...]:
    """The same of many measures, one a row."""
    values = checks.numbers("measures", measures, dimensions=2)
    counted = _counted(human, values, better)
    results = []
    for k in range(len(values)):
        agreed, pairs, ties, missing = (
            int(counts[k]) for counts in (counted.agreed, counted.pairs, counted.ties, counted.missing)
        )
        results.append(
            PairAgreement(
                share=(agreed + ties / 2 * half) / pairs if pairs else math.nan,
                agreed=agreed,
                pairs=pairs,
                ties=ties,
                human_ties=counted.human_ties,
                missing=missing,
                half=half,
                why=None if pairs else _why(values.shape[1], counted.human_ties, missing),
            )
        )
    return tuple(results)


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
        people_ahead = ahead(people[at], people[at + 1 :])
        human_ties += int(np.count_nonzero(people_ahead == 0))
        kept = np.abs(people_ahead) == 1  # NaN is not
        measures_ahead = ahead(measures[:, at, None], measures[:, at + 1 :][:, kept])
        if better == "lower":
            measures_ahead = -measures_ahead
        compared = ~np.isnan(measures_ahead)
        agreed += np.count_nonzero(measures_ahead == people_ahead[kept], axis=1)
        pairs += np.count_nonzero(compared, axis=1)
        ties += np.count_nonzero(measures_ahead == 0, axis=1)
        missing += np.count_nonzero(~compared, axis=1) + np.count_nonzero(np.isnan(people_ahead))
    return _Counted(agreed=agreed, pairs=pairs, ties=ties, missing=missing, human_ties=human_ties)


def ahead(one: Any, others: FloatArray) -> FloatArray:
    """1 where one is higher than the other, -1 where lower, 0 where equal but for noise; NaN where one is missing."""
    signs: FloatArray = np.sign(settled(one - others, noise_of(one, others)))
    return signs


def _why(items: int, human_ties: int, missing: int) -> str:
    if items < 2:
        return f"needs two summaries, has {items}"
    if not human_ties:
        return "every pair lacks a score"
    return "people see no difference" + (" where both are scored" if missing else "")
