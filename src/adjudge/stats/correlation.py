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

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import NOISE
from adjudge.wording import counted, listed

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
    found = all_correlations(
        measures, people, level=level, coefficients=(coefficient,), all_topics=all_topics
    )
    return found[coefficient]


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
    for each in coefficients:
        checks.one_of("coefficient", each, COEFFICIENTS)


def _estimates(
    study: _Study, y: FloatArray, coefficients: Sequence[Coefficient]
) -> dict[Coefficient, Correlations]:
    x, level = study.given, study.level
    ones = np.ones((1, x.shape[1]))
    wanted = np.array([COEFFICIENTS.index(each) for each in coefficients])
    found, status = study.tables(ones, [np.ones((1, x.shape[2]))], wanted)[0]
    codes = status[0]
    present, judged = ~np.isnan(x), ~np.isnan(y)
    both = np.count_nonzero(present & judged, axis=(1, 2))
    one = np.count_nonzero(present | judged, axis=(1, 2)) - both
    blanks = [np.count_nonzero(codes == code, axis=1) for code in (1, 2, 3, 4)]
    if level == "input":
        n = np.count_nonzero(codes == 0, axis=1)
        why = [None if n[m] else _blank_words([int(each[m]) for each in blanks]) for m in range(len(x))]
    else:
        n = study.sizes()
        why = [_words(int(codes[m, 0]), int(n[m]), level) for m in range(len(x))]
        blanks = [np.zeros_like(n)] * 4
    few, same_measure, same_people, same_both = blanks
    results: dict[Coefficient, Correlations] = {}
    for each, column in zip(coefficients, wanted, strict=True):
        values = found[0, :, :, column]
        results[each] = Correlations(
            level=level,
            coefficient=each,
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
    found = study.values(weights, [np.ones((1, x.shape[2]))], np.array([column]))[0]
    return found[:, :, column]


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
    said = [f"on {counted(counts[0], 'input')} fewer than 3 systems have both values"] if counts[0] else []
    said += [
        f"on {counted(many, 'input')} {_WHO[code]} all systems the same value"
        for code, many in zip((2, 3, 4), counts[1:], strict=True)
        if many
    ]
    return "; ".join(said) or "there are no inputs"


# Intervals

Factor = Literal["systems", "inputs", "assessors"]
FACTORS: tuple[Factor, ...] = get_args(Factor)
Resample = Literal["systems", "inputs", "assessors", "both", "all"]
"""both: systems and inputs; all: assessors as well, where people's scores come from several."""
LEAST_UNITS: dict[Factor, int] = {"systems": 6, "inputs": 5, "assessors": 2}
"""That are resampled: with fewer there is no interval."""
LEAST_DEFINED = 0.5
"""Of the resamples: with fewer that have a correlation at all there is no interval."""


@dataclass(frozen=True, eq=False)
class CorrelationIntervals:
    """Intervals of correlations, for studies of the same size that draw the resampled factors anew.

    What lies in an interval is what such studies find on average: with as many systems, inputs and assessors, drawn
    from those like these where they were resampled, and the same ones where they were not.
    """

    estimates: Correlations
    low: FloatArray
    high: FloatArray
    error: FloatArray
    """The standard error of the correlation."""
    df: FloatArray
    """Degrees of freedom of the error."""
    confidence: float
    resample: Resample
    factors: tuple[Factor, ...]
    """What was resampled,"""
    units: tuple[int, ...]
    """of how many; of inputs their clusters, where there are any."""
    clustered: bool
    resamples: int
    defined: IntArray
    """Resamples that have a correlation."""
    why: tuple[str | None, ...]
    """Why there is no interval."""

    def meaning(self) -> str:
        """For what the intervals hold."""
        things = {"systems": "systems", "inputs": "sets of inputs" if self.clustered else "inputs"}
        drawn = [f"{n} {things.get(each, each)}" for each, n in zip(self.factors, self.units, strict=True)]
        same = [each for each in FACTORS if each not in self.factors]
        kept = f", with the same {listed(same)}" if same else ""
        return f"what studies of other {listed(drawn)} like these would find on average{kept}"


def correlation_intervals(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficient: Coefficient,
    resample: Resample,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
    clusters: Sequence[Any] | None = None,
    all_topics: bool = False,
) -> CorrelationIntervals:
    """Intervals of one coefficient; see `all_correlation_intervals`."""
    return all_correlation_intervals(
        measures,
        people,
        level=level,
        coefficients=(coefficient,),
        resample=resample,
        rng=rng,
        resamples=resamples,
        confidence=confidence,
        clusters=clusters,
        all_topics=all_topics,
    )[coefficient]


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
    """Intervals of several coefficients, from the same resamples.

    People are topics x systems, or assessors x topics x systems. Systems, inputs (whole `clusters` of topics, one for
    each, where given) and assessors are drawn with replacement, n - 1 of n, so that the variance of a mean of few is
    not underestimated (Rao and Wu 1988). Every factor is resampled alone, V_f, and all together, V. An interaction of
    two factors is in both their V_f and three times in V (Owen 2007), so 2 sum(V_f) - V counts it once; the variance
    is at least the largest V_f. The interval is Fisher's z plus or minus Student's t times the error, with
    Satterthwaite's degrees of freedom: n - 1 of each factor, for systems half of that at the input and global level.

    Deutsch et al. 2021 take percentiles of joint resamples, n of n. Simulated with 12 systems, 60 topics and three
    assessors (300 studies, system level), those at 95 % covered 93 % of the time for Pearson, 98 % for ranks.
    """
    _check_names(level, coefficients)
    checks.one_of("resample", resample, get_args(Resample))
    checks.count("resamples", resamples, least=2)
    checks.share("confidence", confidence)
    x, judged = _given(measures, people)
    judged = judged[~np.isnan(judged).all(axis=(1, 2))] if len(judged) > 1 else judged
    y = _pooled(judged, np.ones(len(judged)))
    study = _Study(x, y, level=level, all_topics=all_topics)
    estimates = _estimates(study, y, coefficients)
    factors = _factors(resample, len(judged))
    both = ~np.isnan(x) & ~np.isnan(y)
    sizes = np.count_nonzero(both.any(axis=1), axis=1)
    topics = np.flatnonzero((~np.isnan(x) if all_topics else both).any(axis=(0, 2)))
    systems = np.flatnonzero(both.any(axis=(0, 1)))
    sets = np.unique(_codes(clusters, x.shape[1])[topics], return_inverse=True)[1]
    if len(topics) < x.shape[1] or len(systems) < x.shape[2]:
        x, judged, y = (z[..., topics, :][..., systems] for z in (x, judged, y))
        study = _Study(x, y, level=level, all_topics=all_topics)
    units: dict[Factor, int] = {
        "systems": len(systems),
        "inputs": int(sets.max(initial=-1)) + 1,
        "assessors": len(judged),
    }
    few = [_too_few(each, units[each]) for each in factors]
    wanted = np.array([COEFFICIENTS.index(each) for each in coefficients])
    drawn: dict[str, FloatArray] = {}
    if not any(few):
        drawn = _resampled(study, judged, sets, factors, rng, resamples, wanted)
    freedom: dict[Factor, Any] = {each: n - 1 for each, n in units.items()}
    # A system's part in a correlation is a product of two deviations, so its variance is known less well than that of
    # a mean. At the system level ties of resampled systems with themselves make up for that, at the others little.
    freedom["systems"] = (sizes - 1) / (1 if level == "system" else 2)
    found = {}
    for each, column in zip(coefficients, wanted, strict=True):
        estimate = estimates[each]
        parts = {name: values[:, :, column] for name, values in drawn.items()}
        error, df, defined = _error(parts, factors, freedom, len(x))
        why = []
        for m in range(len(x)):
            reasons = [estimate.why[m], *few]
            if "systems" in factors:
                reasons.append(_too_few("systems", int(sizes[m])))
            reasons.append(_why_no_error(error[m], int(defined[m]), resamples))
            why.append(next(filter(None, reasons), None))
        known = np.array([reason is None for reason in why], dtype=np.bool_)
        low, high = _limits(estimate, np.where(known, error, np.nan), df, confidence, sizes)
        found[each] = CorrelationIntervals(
            estimates=estimate,
            low=low,
            high=high,
            error=np.where(known, error, np.nan),
            df=np.where(known, df, np.nan),
            confidence=confidence,
            resample=resample,
            factors=factors,
            units=tuple(units[factor] for factor in factors),
            clustered=clusters is not None,
            resamples=resamples,
            defined=defined,
            why=tuple(why),
        )
    return found


def _factors(resample: Resample, assessors: int) -> tuple[Factor, ...]:
    if resample in ("both", "all"):
        return FACTORS if resample == "all" and assessors > 1 else FACTORS[:2]
    return tuple(each for each in FACTORS if each == resample)


def _codes(clusters: Sequence[Any] | None, topics: int) -> IntArray:
    """A number for the cluster of each topic."""
    if clusters is None:
        return np.arange(topics)
    if len(clusters) != topics:
        raise UsageError(f"clusters: expected one for each of {topics} topics, got {len(clusters)}")
    known = {each: k for k, each in enumerate(dict.fromkeys(clusters))}
    return np.array([known[each] for each in clusters], dtype=np.int64)


def _too_few(factor: Factor, n: int) -> str | None:
    least = LEAST_UNITS[factor]
    return None if n >= least else f"fewer than {least} {factor} to resample ({n or 'none'})"


def _why_no_error(error: float, defined: int, resamples: int) -> str | None:
    if defined < LEAST_DEFINED * resamples:
        return f"only {defined} of {resamples} resamples have a correlation"
    return None if error > NOISE else "all resamples have the same correlation"


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


def _draw(rng: np.random.Generator, n: int, many: int) -> FloatArray:
    """How often each of n is drawn when n - 1 are, with replacement; one row for each of many resamples."""
    drawn = rng.integers(0, n, size=(many, n - 1)) + n * np.arange(many)[:, None]
    counts: FloatArray = np.bincount(drawn.ravel(), minlength=many * n).reshape(many, n).astype(np.float64)
    return counts


def _resampled(
    study: _Study,
    judged: FloatArray,
    sets: IntArray,
    factors: tuple[Factor, ...],
    rng: np.random.Generator,
    resamples: int,
    wanted: IntArray,
) -> dict[str, FloatArray]:
    """Correlations when all factors are resampled, "joint", and when each of several is, with the same draws.

    Resamples x measures x coefficients.
    """
    assessors, topics, systems = judged.shape
    units = {"systems": systems, "inputs": int(sets.max()) + 1, "assessors": assessors}
    streams = {each: np.random.default_rng(rng.integers(2**63)) for each in FACTORS}
    names = ("joint", *factors) if len(factors) > 1 else ("joint",)
    shape = (resamples, len(study.given), len(COEFFICIENTS))
    found = {name: np.full(shape, np.nan) for name in names}
    all_topics, all_systems = np.ones((1, topics)), np.ones((1, systems))
    for part in _parts(resamples, max(topics, systems, assessors)):
        weights = {each: _draw(streams[each], units[each], part.stop - part.start) for each in factors}
        w_topics = weights["inputs"][:, sets] if "inputs" in factors else all_topics
        w_systems = weights.get("systems", all_systems)
        if "assessors" in factors:
            kinds, kind = np.unique(weights["assessors"], axis=0, return_inverse=True)
            for k, each in enumerate(kinds):
                here = np.flatnonzero(kind.reshape(-1) == k)
                other = study.judged_by(_pooled(judged, each))
                some = [w if len(w) == 1 else w[here] for w in (w_topics, w_systems)]
                found["joint"][part.start + here] = other.values(some[0], some[1:], wanted)[0]
                if len(factors) > 1:
                    alone = other.values(all_topics, [all_systems], wanted)[0]
                    found["assessors"][part.start + here] = alone
            if "inputs" in found:
                found["inputs"][part] = study.values(w_topics, [all_systems], wanted)[0]
        elif "inputs" in found:
            joint, inputs = study.values(w_topics, [w_systems, all_systems], wanted)
            found["joint"][part], found["inputs"][part] = joint, inputs
        else:
            found["joint"][part] = study.values(w_topics, [w_systems], wanted)[0]
        if "systems" in found:
            found["systems"][part] = study.values(all_topics, [w_systems], wanted)[0]
    return found


def _error(
    parts: dict[str, FloatArray], factors: tuple[Factor, ...], freedom: dict[Factor, Any], measures: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """The standard error of each measure's correlation, its degrees of freedom, and the resamples behind it."""
    if not parts:
        return np.full(measures, np.nan), np.full(measures, np.nan), np.zeros(measures, dtype=np.int64)
    variances = {name: _variance(values) for name, values in parts.items()}
    single = [variances.get(each, variances["joint"]) for each in factors]
    total, largest = np.sum(single, axis=0), np.max(single, axis=0)
    variance = np.maximum(2 * total - variances["joint"], largest)
    with np.errstate(invalid="ignore", divide="ignore"):
        # The factor with the largest variance has it whole, the others share what is left.
        shared = np.where(total > largest, (variance - largest) / (total - largest), 0.0)
        first = np.argmax(single, axis=0)
        shares = [np.where(first == k, v, v * shared) for k, v in enumerate(single)]
        rough = [v**2 / np.maximum(freedom[each], 1) for v, each in zip(shares, factors, strict=True)]
        df = variance**2 / np.sum(rough, axis=0)
    defined = np.min([np.count_nonzero(~np.isnan(values), axis=0) for values in parts.values()], axis=0)
    return np.sqrt(variance), df, defined


def _variance(values: FloatArray) -> FloatArray:
    """Of the defined values of each column; NaN where fewer than two are."""
    defined = ~np.isnan(values)
    n = np.count_nonzero(defined, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, values, 0.0).sum(axis=0) / n
        return np.asarray((np.where(defined, values - mean, 0.0) ** 2).sum(axis=0) / np.maximum(n - 1, 0))


def _limits(
    estimates: Correlations, error: FloatArray, df: FloatArray, confidence: float, systems: IntArray
) -> tuple[FloatArray, FloatArray]:
    """tanh(z -/+ t error / (1 - r^2)) with z = atanh r. Fisher 1921."""
    from scipy.special import stdtrit

    most = np.full(len(error), 1 - NOISE)
    if estimates.level == "system" and estimates.coefficient != "pearson":
        # One order of few systems is never certain: half a pair counts as discordant where none is.
        most = 1 - 2 / np.maximum(systems * (systems - 1), 4)
    value = np.clip(estimates.values, -most, most)
    with np.errstate(invalid="ignore"):
        half = stdtrit(df, (1 + confidence) / 2) * error / (1 - value**2)
    low, high = (np.tanh(np.arctanh(value) + sign * half) for sign in (-1, 1))
    return np.minimum(low, estimates.values), np.maximum(high, estimates.values)


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
            x, y = (each(np.ones((1, self.given.shape[1])))[:, 0] for each in (self.x, self.y))
        else:
            x, y = self.rows_x.values, self.rows_y.values
        return np.asarray(np.count_nonzero(~(np.isnan(x) | np.isnan(y)), axis=1))

    def values(self, topics: FloatArray, systems: Sequence[FloatArray], wanted: IntArray) -> list[FloatArray]:
        """Resamples x measures x coefficients, for weights of topics and for each of several weights of systems.

        Weights have one row per resample, or one row for all.
        """
        measures, inputs, items = self.given.shape
        many = [max(len(topics), len(each)) for each in systems]
        found = [np.full((length, measures, len(COEFFICIENTS)), np.nan) for length in many]
        if self.level == "input":
            # Which systems were drawn decides an input's correlation; which inputs, only how it is averaged.
            for result, weights in zip(found, systems, strict=True):
                for part in _parts(len(weights), measures * inputs * len(COEFFICIENTS)):
                    table = self.tables(topics[:1], [weights[part]], wanted)[0][0]
                    for row, each in enumerate(table, start=part.start):
                        here = slice(None) if len(weights) == 1 else slice(row, row + 1)
                        drawn = topics if len(topics) == 1 else topics[here]
                        for c in wanted:
                            result[here, :, c] = _averaged(each[:, :, c], drawn)
            return found
        for part in _parts(max(many), (measures if self.level == "system" else inputs) * items):
            drawn = topics if len(topics) == 1 else topics[part]
            some = [each if len(each) == 1 else each[part] for each in systems]
            for result, (table, _) in zip(found, self.tables(drawn, some, wanted), strict=True):
                result[part] = table[:, :, 0]
        return found

    def tables(
        self, topics: FloatArray, systems: Sequence[FloatArray], wanted: IntArray
    ) -> list[tuple[FloatArray, IntArray]]:
        """Resamples x measures x inputs (1 at other levels) x coefficients, and what became of each."""
        if self.level == "system":
            x, y = _Rows(self.x(topics), self.x.noise), _Rows(self.y(topics), self.y.noise)
        else:
            x, y = self.rows_x, self.rows_y
        return [self._table(x, y, topics, each, wanted) for each in systems]

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
            own = m if len(self.y.noise) > 1 else 0 * m
            drawn = r if len(topics) > 1 else 0 * r
            rows = (m * len(topics) + drawn, m, own * len(topics) + drawn, own, weight)
        elif self.level == "input":
            rows = (m * inputs + t, m * inputs + t, t, t, weight)
        else:
            rows = (m, m, 0 * m, 0 * m, r)
            weights = (topics[:, :, None] * systems[:, None, :]).reshape(many, -1)
        which = np.stack([np.broadcast_to(each, shape).ravel() for each in rows], axis=1)
        found = np.empty((len(which), len(COEFFICIENTS)))
        status = np.empty(len(which), dtype=np.int64)
        flags = np.isin(np.arange(len(COEFFICIENTS)), wanted)
        weights = np.ascontiguousarray(weights)
        correlate_rows(*(*x.arrays, *y.arrays, weights, which, flags, found, status))
        return found.reshape(*shape, -1), status.reshape(shape)


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


def _parts(many: int, each: int) -> Iterator[slice]:
    """Slices of a range that take no more than AT_ONCE numbers, where one takes `each`."""
    step = max(1, AT_ONCE // max(each, 1))
    return (slice(start, min(start + step, many)) for start in range(0, many, step))


def _averaged(table: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted means of the defined values of each row, one for each row of weights; NaN where none is."""
    defined = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        average = (weights @ np.where(defined, table, 0.0).T) / (weights @ defined.T.astype(np.float64))
    return np.asarray(np.clip(average, -1.0, 1.0))
