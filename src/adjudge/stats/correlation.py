"""Correlation of measures with people at the system, input and global level, with intervals by resampling.

Deutsch, Dror and Roth 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods".
Arrays are topics before systems, NaN is missing; only cells that the measure and people both have count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.core.words import counted, listed
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE

CorrelationLevel = Literal["system", "input", "global"]
"""Of systems' means over topics; over systems topic by topic, averaged; of all cells."""
Coefficient = Literal["pearson", "spearman", "kendall-b", "kendall-c"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
AT_ONCE = 1_000_000
"""Numbers of one kind that are held at once: 8 MB."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """Of every measure with people; a value that cannot be computed is NaN and `why` says why."""

    level: CorrelationLevel
    coefficient: Coefficient
    values: FloatArray
    n: IntArray
    """Systems, inputs that count, or cells, by level."""
    cells: IntArray
    """Where the measure and people both have a value."""
    left_out: IntArray
    """Cells where only one of them has."""
    inputs: FloatArray
    """Measures x topics at the input level, NaN where blank; empty at the others."""
    few: IntArray
    """Inputs, at the input level, that are blank since fewer than three systems have both values,"""
    same_measure: IntArray
    """since the measure gives all systems the same value,"""
    same_people: IntArray
    """since people do,"""
    same_both: IntArray
    """since both do."""
    why: tuple[str | None, ...]

    @property
    def blank(self) -> IntArray:
        """Inputs without a correlation."""
        return self.few + self.same_measure + self.same_people + self.same_both


def correlations(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficient: Coefficient,
    all_topics: bool = False,
) -> Correlations:
    """How each measure (measures x topics x systems) correlates with people (topics x systems).

    Pearson's r, Spearman's rho with mid-ranks, Kendall's tau-b or (Stuart's) tau-c. Values that differ by
    floating-point noise alone are equal. At the system level `all_topics` takes a measure's mean over all topics that
    it has, and people's over those they judged, instead of the topics that both have.
    """
    results = all_correlations(
        measures, people, level=level, coefficients=(coefficient,), all_topics=all_topics
    )
    return results[coefficient]


def all_correlations(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    all_topics: bool = False,
) -> dict[Coefficient, Correlations]:
    """Several coefficients at once; see `correlations`."""
    _check_names(level, coefficients)
    x, y = _given(measures, people)
    if y.shape[0] != 1:
        raise UsageError("people: expected topics x systems, got assessors as well; take their mean")
    return _estimates(_Study(x, y[0], level=level, all_topics=all_topics), y[0], coefficients)


def _check_names(level: str, coefficients: Sequence[str]) -> None:
    checks.one_of("level", level, get_args(CorrelationLevel))
    for coefficient in coefficients:
        checks.one_of("coefficient", coefficient, COEFFICIENTS)


def _estimates(
    study: _Study, y: FloatArray, coefficients: Sequence[Coefficient]
) -> dict[Coefficient, Correlations]:
    x, level = study.given, study.level
    ones = np.ones((1, x.shape[1]))
    wanted = np.array([COEFFICIENTS.index(coefficient) for coefficient in coefficients])
    table, status = study.tables(ones, [np.ones((1, x.shape[2]))], wanted)[0]
    codes = status[0]
    present, judged = ~np.isnan(x), ~np.isnan(y)
    both = np.count_nonzero(present & judged, axis=(1, 2))
    one = np.count_nonzero(present | judged, axis=(1, 2)) - both
    blanks = [np.count_nonzero(codes == code, axis=1) for code in (1, 2, 3, 4)]
    if level == "input":
        n = np.count_nonzero(codes == 0, axis=1)
        why = [None if n[m] else _blank_words([int(blank[m]) for blank in blanks]) for m in range(len(x))]
    else:
        n = study.sizes()
        why = [_words(int(codes[m, 0]), int(n[m]), level) for m in range(len(x))]
        blanks = [np.zeros_like(n)] * 4
    few, same_measure, same_people, same_both = blanks
    results: dict[Coefficient, Correlations] = {}
    for coefficient, column in zip(coefficients, wanted, strict=True):
        values = table[0, :, :, column]
        results[coefficient] = Correlations(
            level=level,
            coefficient=coefficient,
            values=_averaged(values, ones)[0] if level == "input" else values[:, 0],
            n=n,
            cells=both,
            left_out=one,
            inputs=values if level == "input" else np.empty((len(x), 0)),
            few=few,
            same_measure=same_measure,
            same_people=same_people,
            same_both=same_both,
            why=tuple(why),
        )
    return results


def weighted_correlations(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    topics: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficient: Coefficient,
) -> FloatArray:
    """Draws x measures: `correlations` where each topic counts as often as a row of `topics` (draws x topics) says."""
    checks.one_of("level", level, get_args(CorrelationLevel))
    checks.one_of("coefficient", coefficient, COEFFICIENTS)
    x, y = _given(measures, people)
    weights = checks.numbers("topics", topics, dimensions=2)
    if y.shape[0] != 1 or weights.shape[1] != x.shape[1]:
        raise UsageError(
            f"topics: expected a weight for each of {x.shape[1]} topics, and one matrix of people"
        )
    column = COEFFICIENTS.index(coefficient)
    study = _Study(x, y[0], level=level, all_topics=False)
    values = study.values(weights, [np.ones((1, x.shape[2]))], np.array([column]))[0]
    return values[:, :, column]


def _given(measures: npt.ArrayLike, people: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Measures x topics x systems, and assessors x topics x systems."""
    x = checks.numbers("measures", measures, dimensions=3)
    many = np.ndim(people)
    y = checks.numbers("people", people, dimensions=3 if many == 3 else 2)
    y = y if many == 3 else y[None]
    if x.shape[1:] != y.shape[1:]:
        raise UsageError(
            f"measures and people: expected the same topics x systems, got {x.shape[1:]} and {y.shape[1:]}"
        )
    return x, y


_WHO = {2: "the measure gives", 3: "people give", 4: "the measure and people give"}


def _words(code: int, n: int, level: str) -> str | None:
    if code == 0:
        return None
    things = "system" if level == "system" else "cell"
    if code == 1:
        return f"fewer than 3 {things}s have both values ({n or 'none'})"
    return f"{_WHO[code]} all {counted(n, things)} the same value"


def _blank_words(counts: Sequence[int]) -> str:
    """Why no input has a correlation."""
    reasons = [f"on {counted(counts[0], 'input')} fewer than 3 systems have both values"] if counts[0] else []
    reasons += [
        f"on {counted(many, 'input')} {_WHO[code]} all systems the same value"
        for code, many in zip((2, 3, 4), counts[1:], strict=True)
        if many
    ]
    return "; ".join(reasons) or "there are no inputs"


# Intervals

Factor = Literal["systems", "inputs", "assessors"]
FACTORS: tuple[Factor, ...] = get_args(Factor)
Resample = Literal["systems", "inputs", "assessors", "both", "all"]
"""both: systems and inputs; all: assessors as well, where people's scores come from several."""
LEAST_UNITS: dict[Factor, int] = {"systems": 6, "inputs": 5, "assessors": 2}
"""That others could be in place of: with fewer there is no interval."""
LEAST_DEFINED = 0.5
"""Of the resamples: with fewer that have a correlation at all there is no interval."""
EXCESS: dict[Coefficient, float] = {"pearson": 1.0, "spearman": 0.5, "kendall-b": 0.0, "kendall-c": 0.0}
"""How much counts of what the jackknife over systems finds beyond the variance for normal systems. Pearson's variance
depends much on the tails, Kendall's little; of few ranks the jackknife finds too much."""
LEFT_OUT = 250
"""Resamples of inputs or assessors that are computed without one system as well."""


@dataclass(frozen=True, eq=False)
class CorrelationIntervals:
    """Intervals of correlations, for studies of the same size that draw the named factors anew.

    What lies in an interval is what such studies find on average: with as many systems, inputs and assessors, drawn
    from those like these where they were resampled, and the same ones where they were not.
    """

    estimates: Correlations
    low: FloatArray
    high: FloatArray
    error: FloatArray
    """The standard error of Fisher's z of the correlation."""
    confidence: float
    resample: Resample
    factors: tuple[Factor, ...]
    """What is drawn anew,"""
    units: IntArray
    """of how many, factors x measures; of inputs their clusters, where there are any."""
    clustered: bool
    resamples: int
    defined: IntArray
    """Resamples that have a correlation."""
    why: tuple[str | None, ...]
    """Why there is no interval."""

    def meaning(self) -> str:
        """For what the intervals hold; empty where there are none."""
        defined = np.array([reason is None for reason in self.why], dtype=np.bool_)
        if not defined.any():
            return ""
        things = {"systems": "systems", "inputs": "sets of inputs" if self.clustered else "inputs"}
        drawn = []
        for factor, units in zip(self.factors, self.units[:, defined], strict=True):
            few, many = int(units.min()), int(units.max())
            drawn.append(f"{few if few == many else f'{few} to {many}'} {things.get(factor, factor)}")
        same = [factor for factor in FACTORS if factor not in self.factors]
        kept = f", with the same {listed(same)}" if same else ""
        return f"what studies of other {listed(drawn)} like these would find on average{kept}"


def all_correlation_intervals(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    resample: Resample,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
    clusters: Sequence[Any] | None = None,
    all_topics: bool = False,
) -> dict[Coefficient, CorrelationIntervals]:
    """Intervals of several coefficients: Fisher's z plus or minus a half-width h.

    People are topics x systems, or assessors x topics x systems. All variances are of z.

    - Systems: the leave-one-out jackknife. At the system level, where a correlation is of few systems, the variance is
      that for normal systems: 1 / (n - 3) for Pearson (Fisher 1921), (1 + r^2 / 2) / (n - 3) for Spearman (Bonett and
      Wright 2000), for Kendall the larger of 0.437 / (n - 4) (Fieller et al. 1957) and Esscher's (1924). What the
      jackknife finds beyond it is added for Pearson, half of it for Spearman (`EXCESS`).
    - Inputs (whole `clusters` of topics, one for each, where given) and assessors: resamples with replacement, n - 1 of
      n, so that the variance of a mean of few is not underestimated (Rao and Wu 1988).
    - Together: what inputs or assessors do to single systems is in the variance over systems already. The jackknife of
      the change that a resample makes to z tells how much that is; only the rest of a factor's variance is added.

    h^2 is the sum of the variances, each times the square of its own quantile of Student's t: with n - 1 degrees of
    freedom, systems - 1 at least for what inputs or assessors do to single systems, and infinitely many for systems at
    the system level. It is at least that of each factor alone.

    The units are those of each measure: the topics, systems and assessors of the cells where it and people have values;
    with `all_topics` at the system level the topics that either has. So other measures change nothing.

    Deutsch et al. 2021 take percentiles of joint resamples, n of n.
    """
    _check_names(level, coefficients)
    checks.one_of("resample", resample, get_args(Resample))
    checks.count("resamples", resamples, least=2)
    checks.share("confidence", confidence)
    x, judged = _given(measures, people)
    y = _pooled(judged, np.ones(len(judged)))
    estimates = _estimates(_Study(x, y, level=level, all_topics=all_topics), y, coefficients)
    codes = checks.clusters_of(clusters, x.shape[1])
    several = len(judged) > 1 and int((~np.isnan(judged)).any(axis=(1, 2)).sum()) > 1
    factors = _factors(resample, several)
    seeds: dict[Factor, int] = {factor: int(rng.integers(2**63)) for factor in FACTORS}
    shape = (len(x), len(COEFFICIENTS))
    error, half = np.full(shape, np.nan), np.full(shape, np.nan)
    defined = np.zeros(shape, dtype=np.int64)
    units = np.zeros((len(factors), len(x)), dtype=np.int64)
    why: list[list[str | None]] = [[None] * shape[1] for _ in x]
    wanted = np.array([COEFFICIENTS.index(coefficient) for coefficient in coefficients])
    for group in _alike(x, judged, all_topics and level == "system"):
        members = [
            np.unique(codes[group.topics], return_inverse=True)[1] if factor == "inputs" else kept
            for factor, kept in zip(FACTORS, (group.systems, group.topics, group.assessors), strict=True)
        ]
        sizes = dict(
            zip(FACTORS, (len(members[0]), int(members[1].max(initial=-1)) + 1, len(members[2])), strict=True)
        )
        units[:, group.measures] = np.array([sizes[factor] for factor in factors])[:, None]
        few = next(filter(None, (too_few(factor, sizes[factor]) for factor in factors)), None)
        for m in group.measures:
            for coefficient, column in zip(coefficients, wanted, strict=True):
                why[m][column] = (
                    estimates[coefficient].why[m] or few or _certain(estimates[coefficient].values[m])
                )
        if few is not None:
            continue
        part = np.ix_(group.measures, group.topics, group.systems)
        own_judged = judged[np.ix_(group.assessors, group.topics, group.systems)]
        study = _Study(
            x[part],
            _pooled(own_judged, np.ones(len(own_judged))),
            level=level,
            all_topics=all_topics,
        )
        spread = _Spread(study, own_judged, members[1], sizes, factors, seeds, resamples, wanted)
        for column in wanted:
            outcome = spread.error(int(column), confidence)
            error[group.measures, column], half[group.measures, column], defined[group.measures, column] = (
                outcome[:3]
            )
            for m, reason in zip(group.measures, outcome[3], strict=True):
                why[m][column] = why[m][column] or reason
    results = {}
    for coefficient, column in zip(coefficients, wanted, strict=True):
        reasons = tuple(of_measure[column] for of_measure in why)
        has_interval = np.array([reason is None for reason in reasons], dtype=np.bool_)
        own_error, own_half = (np.where(has_interval, z[:, column], np.nan) for z in (error, half))
        with np.errstate(divide="ignore"):
            z = np.arctanh(estimates[coefficient].values)
        low, high = np.tanh(z - own_half), np.tanh(z + own_half)
        results[coefficient] = CorrelationIntervals(
            estimates=estimates[coefficient],
            low=low,
            high=high,
            error=own_error,
            confidence=confidence,
            resample=resample,
            factors=factors,
            units=units,
            clustered=clusters is not None,
            resamples=resamples,
            defined=defined[:, column],
            why=reasons,
        )
    return results


def _factors(resample: Resample, assessors: bool) -> tuple[Factor, ...]:
    if resample in ("both", "all"):
        return FACTORS if resample == "all" and assessors else FACTORS[:2]
    return tuple(factor for factor in FACTORS if factor == resample)


@dataclass(frozen=True, eq=False)
class _Alike:
    """Measures of which the same topics, systems and assessors count."""

    measures: IntArray
    topics: IntArray
    systems: IntArray
    assessors: IntArray


def _alike(x: FloatArray, judged: FloatArray, all_topics: bool) -> list[_Alike]:
    present, by = ~np.isnan(x), ~np.isnan(judged)
    somebody = by.any(axis=0)
    groups: dict[tuple[bytes, ...], tuple[list[int], list[npt.NDArray[np.bool_]]]] = {}
    for m, scored in enumerate(present):
        if all_topics:  # a system's two means need not be of the same topics
            systems = scored.any(axis=0) & somebody.any(axis=0)
            cells = (scored | somebody) & systems
        else:
            cells = scored & somebody
            systems = cells.any(axis=0)
        kept = [cells.any(axis=1), systems, (by & cells).any(axis=(1, 2))]
        groups.setdefault(tuple(mask.tobytes() for mask in kept), ([], kept))[0].append(m)
    return [_Alike(np.array(ms), *(np.flatnonzero(mask) for mask in kept)) for ms, kept in groups.values()]


def too_few(factor: Factor, n: int) -> str | None:
    least = LEAST_UNITS[factor]
    return None if n >= least else f"fewer than {least} {factor} to resample ({n or 'none'})"


def _certain(value: float) -> str | None:
    """Fisher's z is infinite, and every resample of a perfect line is one."""
    if not abs(value) >= 1 - NOISE:
        return None
    return f"the correlation is {'1' if value > 0 else '-1'}: its error cannot be told"


def _pooled(judged: FloatArray, weights: FloatArray) -> FloatArray:
    """The mean over assessors with these weights, topics x systems; NaN where none of them judged."""
    if len(judged) == 1:
        return np.asarray(judged[0])
    present = ~np.isnan(judged)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.tensordot(weights, np.where(present, judged, 0.0), 1)
            / np.tensordot(weights, present.astype(np.float64), 1)
        )


class _Spread:
    """What the correlations of a study's measures are without each system, and when other factors are resampled."""

    def __init__(
        self,
        study: _Study,
        judged: FloatArray,
        sets: IntArray,
        sizes: dict[Factor, int],
        factors: tuple[Factor, ...],
        seeds: dict[Factor, int],
        resamples: int,
        wanted: IntArray,
    ) -> None:
        self.study, self.judged, self.sets, self.wanted = study, judged, sets, wanted
        self.sizes, self.factors, self.resamples = sizes, factors, resamples
        n = sizes["systems"]
        self.topics, self.systems = np.ones((1, study.given.shape[1])), np.ones((1, n))
        self.without = 1 - np.eye(n)
        self.value = study.values(self.topics, [self.systems], wanted)[0]
        self.jackknife = study.values(self.topics, [self.without], wanted)[0]
        # Every system is left out as often as another, give or take one.
        self.left_out = np.arange(min(resamples, LEFT_OUT)) % n
        self.drawn = {
            factor: self._resampled(factor, np.random.default_rng(seeds[factor]))
            for factor in factors
            if factor != "systems"
        }

    def _resampled(self, factor: Factor, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Resamples x measures x coefficients: of all systems, and (of the first of them) without one system."""
        shape = self.value.shape[1:]
        whole = np.full((self.resamples, *shape), np.nan)
        less = np.full((len(self.left_out), *shape), np.nan)
        for part in _parts(self.resamples, max(self.judged.shape), len(less)):
            n = self.sizes[factor]
            many = part.stop - part.start
            drawn = rng.integers(0, n, size=(many, n - 1)) + n * np.arange(many)[:, None]
            weights: FloatArray = (
                np.bincount(drawn.ravel(), minlength=many * n).reshape(many, n).astype(np.float64)
            )
            left = self.left_out[part]
            if factor == "inputs":
                systems = [self.systems, self.without[left]] if len(left) else [self.systems]
                values = self.study.values(weights[:, self.sets], systems, self.wanted)
                whole[part] = values[0]
                if len(left):
                    less[part] = values[1]
                continue
            kinds, kind = np.unique(weights, axis=0, return_inverse=True)
            for k, times in enumerate(kinds):
                here = part.start + np.flatnonzero(kind.reshape(-1) == k)
                other = self.study.judged_by(_pooled(self.judged, times))
                whole[here] = other.values(self.topics, [self.systems], self.wanted)[0]
                here = here[here < len(less)]
                if len(here):
                    without = self.without[self.left_out[here]]
                    less[here] = other.values(self.topics, [without], self.wanted)[0]
        return whole, less

    def error(
        self, column: int, confidence: float
    ) -> tuple[FloatArray, FloatArray, IntArray, list[str | None]]:
        """Of each measure the standard error of z, half the interval's width in z, the resamples with a value, and why
        there is no interval."""
        from scipy.special import stdtrit

        n, level = self.sizes["systems"], self.study.level
        coefficient = COEFFICIENTS[column]
        z = _fisher(self.value[0, :, column], n, level, coefficient)
        without = _fisher(self.jackknife[:, :, column], n - 1, level, coefficient)
        variance = np.zeros(len(z))
        square = np.zeros(len(z))

        def reach(df: float) -> float:  # how many variances half the width squared is
            return float(stdtrit(min(df, 1e12), (1 + confidence) / 2)) ** 2

        alone = []
        if "systems" in self.factors:
            variance = (n - 1) * np.var(without, axis=0)
            df = n - 1.0
            if level == "system":
                normal, df = _normal_variance(self.value[0, :, column], n, coefficient), np.inf
                excess = np.maximum(variance - normal, 0.0)
                variance = normal + EXCESS[coefficient] * excess
            square = reach(df) * variance
        defined = np.full(len(z), self.resamples)
        for factor, (whole, less) in self.drawn.items():
            drawn = _fisher(whole[:, :, column], n, level, coefficient)
            left = _fisher(less[:, :, column], n - 1, level, coefficient)
            defined = np.minimum(defined, np.count_nonzero(~np.isnan(drawn), axis=0))
            change = (left - drawn[: len(left)]) - (without[self.left_out] - z)
            df = self.sizes[factor] - 1
            common, single = split_variance(drawn, change, n, df)
            variance = variance + common
            square = square + reach(df) * common
            alone.append((common + single, reach(df) * common + reach(max(df, n - 1)) * single))
        for least, most in alone:
            variance, square = np.maximum(variance, least), np.maximum(square, most)
        lost = np.zeros(len(z), dtype=np.bool_)
        if "systems" in self.factors:
            lost = np.asarray(np.isnan(without).any(axis=0))
        why = [
            _why_no_error(*row, self.resamples)
            for row in zip(variance.tolist(), defined.tolist(), lost.tolist(), strict=True)
        ]
        return np.sqrt(variance), np.sqrt(square), defined, why


def split_variance(
    drawn: FloatArray, change: FloatArray, systems: int, df: int
) -> tuple[FloatArray, FloatArray]:
    """The variance over resamples (rows) of other factors than systems: what these do to all, and to single ones.

    What a resample does to one system shows in what it does to the system's part in the whole, `change`: how much more
    the whole changes where the system is left out of both.
    """
    whole, single = _variance(drawn), (systems - 1) * _variance(change)
    single = np.where(np.isnan(single), 0.0, single)
    if df >= systems - 1:  # with fewer units than systems it is known better than the whole
        single = np.fmin(single, whole)
    return np.maximum(whole - single, 0.0), single


def _why_no_error(variance: float, defined: int, lost: bool, resamples: int) -> str | None:
    if lost:
        return "without one of the systems there is no correlation"
    if defined < LEAST_DEFINED * resamples:
        return f"only {defined} of {resamples} resamples have a correlation"
    return None if variance > NOISE**2 else "all resamples have the same correlation"


def _fisher(
    values: FloatArray, systems: int, level: CorrelationLevel, coefficient: Coefficient
) -> FloatArray:
    """z = atanh r. A perfect order of systems counts as if half a pair of neighbours were discordant."""
    most = 1 - NOISE
    systems = max(systems, 2)
    if level == "system" and coefficient == "spearman":
        most = 1 - 6 / (systems * (systems**2 - 1))
    elif level == "system" and coefficient != "pearson":
        most = 1 - 2 / (systems * (systems - 1))
    return np.asarray(np.arctanh(np.clip(values, -most, most)))


def _normal_variance(values: FloatArray, n: int, coefficient: Coefficient) -> FloatArray:
    """Of z, for n systems from a bivariate normal distribution."""
    if coefficient == "pearson":
        return np.full(len(values), 1 / (n - 3))
    if coefficient == "spearman":
        return (1 + values**2 / 2) / (n - 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.fmax(0.437 / (n - 4), tau_variance(values, n) / (1 - values**2) ** 2))


def tau_variance(tau: FloatArray, n: int) -> FloatArray:
    """Of Kendall's tau of n pairs of normal values (Esscher 1924)."""
    rho = np.sin(np.pi / 2 * tau)
    pairs, triples = ((2 / np.pi * np.arcsin(rho / k)) ** 2 for k in (1, 2))
    return np.asarray(2 / (n * (n - 1)) * (1 - pairs + 2 * (n - 2) * (1 / 9 - triples)))


def _variance(values: FloatArray) -> FloatArray:
    """Of the defined values of each column; NaN where fewer than two are."""
    defined = ~np.isnan(values)
    n = np.count_nonzero(defined, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, values, 0.0).sum(axis=0) / n
        return np.asarray((np.where(defined, values - mean, 0.0) ** 2).sum(axis=0) / np.maximum(n - 1, 0))


# One engine for the estimate and for resamples: all of them are weights.


class _Study:
    """Correlations of measures (measures x topics x systems) with people (topics x systems) for weights of both."""

    def __init__(self, x: FloatArray, y: FloatArray, *, level: CorrelationLevel, all_topics: bool) -> None:
        self.level = level
        self.given = x
        self.all_topics = all_topics
        self.judged = ~np.isnan(y)
        present = ~np.isnan(x)
        self.missing = None if present.all() and self.judged.all() else ~(present & self.judged)
        if level == "system":
            self.x = _Means(x if self.missing is None or all_topics else np.where(self.missing, np.nan, x))
        else:
            common = x if self.missing is None else np.where(self.missing, np.nan, x)
            self.rows_x = _Rows(common.reshape((-1, x.shape[2]) if level == "input" else (len(x), -1)))
        self._take(y)

    def _take(self, y: FloatArray) -> None:
        if self.level != "system":
            self.rows_y = _Rows(y if self.level == "input" else y.reshape(1, -1))
        elif self.missing is None or self.all_topics:
            self.y = _Means(y[None])
        else:  # on the cells that each measure has; once where these are the same for all
            same = bool((self.missing == self.missing[:1]).all())
            self.y = _Means(np.where(self.missing[:1] if same else self.missing, np.nan, y))

    def judged_by(self, y: FloatArray) -> _Study:
        """The same measures with other people's scores."""
        if not np.array_equal(self.judged, ~np.isnan(y)):
            return _Study(self.given, y, level=self.level, all_topics=self.all_topics)
        other = copy(self)
        other._take(y)
        return other

    def sizes(self) -> IntArray:
        """Of every measure, the systems or cells that count."""
        if self.level == "system":
            x, y = (means(np.ones((1, self.given.shape[1])))[:, 0] for means in (self.x, self.y))
        else:
            x, y = self.rows_x.values, self.rows_y.values
        return np.asarray(np.count_nonzero(~(np.isnan(x) | np.isnan(y)), axis=1))

    def values(self, topics: FloatArray, systems: Sequence[FloatArray], wanted: IntArray) -> list[FloatArray]:
        """Resamples x measures x coefficients, for weights of topics and for each of several weights of systems.

        Weights have one row per resample, or one row for all.
        """
        measures, inputs, items = self.given.shape
        many = [max(len(topics), len(of_systems)) for of_systems in systems]
        results = [np.full((length, measures, len(COEFFICIENTS)), np.nan) for length in many]
        if self.level == "input":
            # Which systems count decides an input's correlation; which inputs, only how it is averaged.
            for result, weights in zip(results, systems, strict=True):
                kinds, kind = np.unique(weights, axis=0, return_inverse=True)
                for part in _parts(len(kinds), measures * inputs * len(COEFFICIENTS)):
                    table = self.tables(topics[:1], [kinds[part]], wanted)[0][0]
                    for k, matrix in enumerate(table, start=part.start):
                        here = slice(None) if len(weights) == 1 else np.flatnonzero(kind.reshape(-1) == k)
                        drawn = topics if len(topics) == 1 else topics[here]
                        for c in wanted:
                            result[here, :, c] = _averaged(matrix[:, :, c], drawn)
            return results
        for part in _parts(max(many), (measures if self.level == "system" else inputs) * items):
            drawn = topics if len(topics) == 1 else topics[part]
            some = [of_systems if len(of_systems) == 1 else of_systems[part] for of_systems in systems]
            for result, (table, _) in zip(results, self.tables(drawn, some, wanted), strict=True):
                result[part] = table[:, :, 0]
        return results

    def tables(
        self, topics: FloatArray, systems: Sequence[FloatArray], wanted: IntArray
    ) -> list[tuple[FloatArray, IntArray]]:
        """Resamples x measures x inputs (1 at other levels) x coefficients, and what became of each."""
        if self.level == "system":
            x, y = _Rows(self.x(topics), self.x.noise), _Rows(self.y(topics), self.y.noise)
        else:
            x, y = self.rows_x, self.rows_y
        return [self._table(x, y, topics, of_systems, wanted) for of_systems in systems]

    def _table(
        self, x: _Rows, y: _Rows, topics: FloatArray, systems: FloatArray, wanted: IntArray
    ) -> tuple[FloatArray, IntArray]:
        from adjudge.stats.correlation_kernels import correlate_rows

        measures, inputs, _ = self.given.shape
        many = len(systems) if self.level == "input" else max(len(topics), len(systems))
        shape = (many, measures, inputs if self.level == "input" else 1)
        r, m, t = np.arange(many)[:, None, None], np.arange(measures)[:, None], np.arange(shape[2])
        weights, weight = systems, r if len(systems) > 1 else 0 * r
        if self.level == "system":
            y_row = m if len(self.y.noise) > 1 else 0 * m
            drawn = r if len(topics) > 1 else 0 * r
            rows = (m * len(topics) + drawn, m, y_row * len(topics) + drawn, y_row, weight)
        elif self.level == "input":
            rows = (m * inputs + t, m * inputs + t, t, t, weight)
        else:
            rows = (m, m, 0 * m, 0 * m, r)
            weights = (topics[:, :, None] * systems[:, None, :]).reshape(many, -1)
        which = np.stack([np.broadcast_to(index, shape).ravel() for index in rows], axis=1)
        values = np.empty((len(which), len(COEFFICIENTS)))
        status = np.empty(len(which), dtype=np.int64)
        flags = np.isin(np.arange(len(COEFFICIENTS)), wanted)
        weights = np.ascontiguousarray(weights)
        correlate_rows(*(*x.arrays, *y.arrays, weights, which, flags, values, status))
        return values.reshape(*shape, -1), status.reshape(shape)


class _Rows:
    """Rows of numbers with their orders, how far apart two equal ones may be, and which rows miss nothing."""

    def __init__(self, values: FloatArray, noise: FloatArray | None = None) -> None:
        self.values = np.ascontiguousarray(values.reshape(-1, values.shape[-1]))
        noise = NOISE * np.abs(self.values) if noise is None else noise
        order = np.argsort(self.values, axis=1)
        whole = np.asarray(~np.isnan(self.values).any(axis=1))
        # In one layout, since every other would be compiled anew.
        self.arrays: tuple[npt.NDArray[Any], ...] = (self.values, order, np.ascontiguousarray(noise), whole)


class _Means:
    """Weighted means over topics of a stack (any x topics x systems), NaN left out: products of matrices."""

    def __init__(self, stack: FloatArray) -> None:
        present = ~np.isnan(stack)
        complete = bool(present.all())
        self.filled = stack if complete else np.where(present, stack, 0.0)
        with np.errstate(invalid="ignore"):
            # A mean of numbers of both signs is as inexact as the numbers are large, however near 0 it is.
            self.noise = NOISE * np.abs(self.filled).sum(axis=1) / np.count_nonzero(present, axis=1)
        self.masks: FloatArray | None = None
        if not complete:  # measures often miss the same cells
            packed = np.packbits(present.reshape(len(stack), -1), axis=1)
            _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
            self.kind = kind.reshape(-1)
            self.masks = present[first].astype(np.float64)

    def __call__(self, topics: FloatArray) -> FloatArray:
        """Any x resamples x systems; NaN where a system has no topic."""
        means: FloatArray = np.matmul(topics, self.filled)
        if self.masks is None:
            means /= topics.sum(axis=1)[:, None]
            return means
        sizes = np.matmul(topics, self.masks)[self.kind]
        with np.errstate(invalid="ignore", divide="ignore"):
            means /= sizes  # 0 / 0 is NaN
        return means


def _parts(many: int, size: int, border: int = 0) -> Iterator[slice]:
    """Slices of a range that take no more than AT_ONCE numbers, where one takes `size`; none crosses the border."""
    step = max(1, AT_ONCE // max(size, 1))
    border = min(border, many)
    for first, last in ((0, border), (border, many)):
        yield from (slice(start, min(start + step, last)) for start in range(first, last, step))


def _averaged(table: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted means of the defined values of each row, one for each row of weights; NaN where none is."""
    defined = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        average = (weights @ np.where(defined, table, 0.0).T) / (weights @ defined.T.astype(np.float64))
    return np.asarray(np.clip(average, -1.0, 1.0))
