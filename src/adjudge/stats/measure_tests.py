"""Is one measure closer to people than another? Tests of two correlations with the same human scores.

Arrays are topics x systems, NaN where missing. Permutation tests swap the two measures, standardised, over systems,
inputs or both (Deutsch, Dror and Roth 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using
Resampling Methods", section 4.2). Williams' test compares two Pearson correlations that share a variable (Williams
1959; Steiger 1980, equation 7; Graham and Baldwin 2014 for metrics).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.correlation import COEFFICIENTS, Coefficient, CorrelationLevel
from adjudge.stats.multiple import Correction, at_most, reached
from adjudge.stats.order import closure, letters, rank_intervals
from adjudge.stats.paired import NOISE, Alternative
from adjudge.stats.pairwise import scaled

Swap = Literal["systems", "inputs", "both"]
RESAMPLES = 10_000
"""All swaps of 13 systems are fewer, and are then enumerated."""
TIE = 1e-9
"""How far a swapped difference may fall short of the observed one, relative to it (or to 1), and still equal it."""
CELLS = 1 << 21
"""Numbers in one array."""
FAR, CLOSE = 1e-5, 1e-8
"""Of a standardised score: a variance that is a smaller part of the mean square, or smaller, takes a second pass."""
LEAST_P = math.ulp(0.0)
"""What a p of Student's t is where it is too small for a number: the smallest one that is not 0."""
LEAST_SYSTEMS = 3
"""Fewer have a correlation of 1, -1 or none."""


@dataclass(frozen=True, eq=False)
class MeasurePairs:
    """Every two measures compared by their correlations with people: arrays by pair, first before second.

    A pair counts the cells where both measures and people have a value, so that a measure's correlation may differ
    between its pairs where cells are missing. Where there is no p, `why` says why.
    """

    test: str
    level: str
    coefficient: str
    alternative: Alternative
    first: IntArray
    second: IntArray
    value_first: FloatArray
    value_second: FloatArray
    statistic: FloatArray
    """The difference of the two correlations, of Williams' test t."""
    p: FloatArray
    least: FloatArray
    """The smallest p that the test could have given: of all swaps, that of the largest difference among them."""
    method: tuple[str | None, ...]
    """exact (all swaps), swaps (random ones), t."""
    systems: IntArray
    topics: IntArray
    cells: IntArray
    """Where both measures and people have a value."""
    undefined_first: IntArray
    undefined_second: IntArray
    """Input level: the topics among them without a correlation, which the mean leaves out."""
    signature: str
    why: dict[int, str] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    """The same with {first} and {second} for the measures' names."""

    def reason(self, k: int, first: str, second: str) -> str | None:
        """Why a pair has no test, by the measures' names."""
        return self.reasons[k].format(first=first, second=second) if k in self.reasons else None

    def __len__(self) -> int:
        return self.first.size

    @property
    def difference(self) -> FloatArray:
        return self.value_first - self.value_second

    @property
    def exact(self) -> bool:
        """Whether every p comes from all swaps."""
        return all(method in ("exact", None) for method in self.method)

    @property
    def some_exact(self) -> bool:
        """Whether some p comes from all swaps."""
        return "exact" in self.method


def permutation_measures(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel = "system",
    coefficient: Coefficient = "pearson",
    swap: Swap = "systems",
    alternative: Alternative = "two-sided",
    resamples: int = RESAMPLES,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> MeasurePairs:
    """Permutation tests of every two of `measures` (measures x topics x systems). Deutsch et al. 2021, section 4.2.

    Both measures are standardised over the pair's cells. A resample swaps them for each system (`systems`), for each
    topic (`inputs`), or by both swaps one after the other, with probability 1/2 each, and takes the difference of the
    two correlations again. p = (k + 1) / (R + 1), k of R resamples being at least as extreme as what was observed,
    ties among them; where there are no more than R different swaps, all are enumerated, and p is their share. A
    swap that leaves a measure without a correlation counts as extreme. All pairs share the same random swaps.

    The hypothesis is that the two standardised measures are exchangeable given people's scores: equally correlated, and
    equal in shape, since standardising aligns means and variances alone. Two measures that are equally correlated
    with people and differ in shape (in skewness, in how much of their variance lies between systems or topics) do not
    satisfy it, and the size may then depart from alpha. Means and variances are those of the data, so that it also
    does a little where exchangeable measures have few systems. Swaps over topics, also after those over systems,
    suppose besides that no measure favours some systems on all topics: two measures of equal merit, each with its
    favourites, differ on these systems, and are found to. docs/calibration.md has how often.
    """
    values, human = _arrays(measures, people, level, coefficient)
    checks.one_of("swap", swap, get_args(Swap))
    checks.one_of("alternative", alternative, get_args(Alternative))
    checks.count("resamples", resamples, least=1)
    topics, systems = human.shape
    by_system = rng.integers(0, 2, (resamples, systems if swap != "inputs" else 0), dtype=np.bool_)
    by_topic = rng.integers(0, 2, (resamples, topics if swap != "systems" else 0), dtype=np.bool_)

    def test(pair: _Cells) -> _Outcome:
        observed = _observed(pair, level, coefficient)
        if observed.why is not None:
            return observed
        units = {
            "systems": pair.systems.size,
            "inputs": pair.topics.size,
            "both": pair.systems.size + pair.topics.size - 1,
        }[swap]
        exact = 2**units <= resamples
        draws = (
            _all_swaps(pair, swap)
            if exact
            else _Swaps(
                None if swap == "inputs" else by_system[:, pair.systems],
                None if swap == "systems" else by_topic[:, pair.topics],
                len(by_system),
            )
        )
        null = np.concatenate(
            [
                (swapped := _swapped(pair, part, level, coefficient)).first - swapped.second
                for part in draws.parts(
                    max(1, CELLS // (pair.x.size if level == "global" else max(pair.x.shape)))
                )
            ]
        )
        return _permuted(observed, null, units=units, exact=exact, alternative=alternative)

    result = _every_pair(
        values,
        human,
        test,
        progress,
        test_name=f"permutation:{swap}",
        level=level,
        coefficient=coefficient,
        alternative=alternative,
        signature=f"permutation:{swap}:{alternative}",
    )
    swaps = "all" if result.exact else f"all-or-{resamples}" if result.some_exact else f"{resamples}"
    return replace(result, signature=f"{result.signature}|swaps:{swaps}")


def williams_measures(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel = "system",
    coefficient: Coefficient = "pearson",
    alternative: Alternative = "two-sided",
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> MeasurePairs:
    """Williams' test of every two of `measures` (measures x topics x systems), at the system or the global level.

    n is the number of systems, at the global level that of cells, which are not independent: several of one topic,
    and of one system, are alike. The theory is of Pearson's coefficient and normal scores; with other coefficients
    the same formula is an approximation. Correlations keep their signs: with scores where higher is better, a
    negative one is worse than none (nlpstats and WMT's scripts compare absolute values).
    """
    values, human = _arrays(measures, people, level, coefficient)
    checks.one_of("alternative", alternative, get_args(Alternative))
    if level == "input":
        raise UsageError(
            "level: Williams' test is of one correlation, and the input level has one for every topic"
        )

    def test(pair: _Cells) -> _Outcome:
        outcome = _observed(pair, level, coefficient)
        if outcome.why is not None:
            return outcome
        n = pair.cells if level == "global" else pair.x.shape[1]
        with_other = _swapped(replace(pair, z=pair.y), _NO_SWAP, level, coefficient)
        between = float(with_other.first[0])
        t = williams_t(n, outcome.value_first, outcome.value_second, between)
        if t.why is not None:
            return replace(outcome, why=t.why)
        return replace(outcome, statistic=t.statistic, p=t.p_of(alternative), least=LEAST_P, method="t")

    return _every_pair(
        values,
        human,
        test,
        progress,
        test_name="williams",
        level=level,
        coefficient=coefficient,
        alternative=alternative,
        signature=f"williams:{alternative}",
    )


@dataclass(frozen=True)
class WilliamsT:
    """Student's t of two correlations that share a variable; where there is none, `why` says why."""

    statistic: float
    df: int
    why: str | None = None

    def p_of(self, alternative: Alternative = "two-sided") -> float:
        """`greater`: the first correlation is the higher one. Never 0: LEAST_P at the least."""
        if alternative == "two-sided":
            p = 2 * stdtr(self.df, -abs(self.statistic))
        else:
            p = stdtr(self.df, -self.statistic if alternative == "greater" else self.statistic)
        return max(float(p), LEAST_P)


def williams_t(n: int, first: float, second: float, between: float) -> WilliamsT:
    """t of the correlations `first` and `second` with people, `between` being that of the two measures with each other.

    t = (r1 - r2) sqrt((n - 1)(1 + r12) / (2 (n - 1)/(n - 3) |R| + ((r1 + r2)/2)^2 (1 - r12)^3)) on n - 3 degrees
    of freedom, |R| being the determinant of the three correlations. Williams 1959; Steiger 1980, equation 7.
    """
    if n < 4:
        return WilliamsT(math.nan, n - 3, f"Williams' test needs 4 values of each measure, has {n}")
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    below = 2 * (n - 1) / (n - 3) * determinant + ((first + second) / 2) ** 2 * (1 - between) ** 3
    if 1 - between <= TIE:
        return WilliamsT(math.nan, n - 3, "the two measures are perfectly correlated with each other")
    if 1 + between <= TIE:
        return WilliamsT(
            math.nan, n - 3, "one measure is the other turned round, for which Williams' t is 0/0"
        )
    if below <= 0:
        return WilliamsT(math.nan, n - 3, "no three variables have such Pearson correlations")
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / below)
    return WilliamsT(t, n - 3)


# Groups of measures that do not differ


@dataclass(frozen=True, eq=False)
class MeasureGroups:
    """What all pairs say together, corrected as one family."""

    adjusted: FloatArray
    """By pair; NaN where it was not tested."""
    different: BoolArray
    """By pair."""
    reachable: BoolArray
    """By pair: it differs, or a p within its reach would have been significant."""
    better: BoolArray
    """[i, j]: measure i is significantly better than j."""
    order: tuple[int, ...]
    """Measures from the highest correlation on; those without one are last."""
    letters: tuple[str, ...]
    """By measure: two share a letter exactly where they are not significantly different, or were not tested.

    Two that were not tested share none where a third measure is significantly between them. A measure without a
    correlation has no letter.
    """
    ranks: tuple[tuple[int, int] | None, ...]
    """By measure that has a correlation: the best and the worst rank that the significant differences leave."""


def measure_groups(
    pairs: MeasurePairs, values: npt.ArrayLike, *, alpha: float = 0.05, method: Correction = "holm"
) -> MeasureGroups:
    """Groups of measures that do not differ significantly; `values` are their correlations with people.

    p-values are corrected over all pairs by `stats.multiple.reached`: pairs that no swap could have made significant do
    not burden the others (Tarone 1990).
    """
    coefficients = checks.numbers("values", values, dimensions=1)
    result = reached(pairs.p, pairs.least, alpha=alpha, method=method)
    different = at_most(result.adjusted, alpha)
    better = np.zeros((coefficients.size, coefficients.size), dtype=np.bool_)
    for i, j, apart, lead in zip(pairs.first, pairs.second, different, pairs.difference, strict=True):
        if apart:
            better[(i, j) if lead > 0 else (j, i)] = True
    order = np.argsort(-np.where(np.isnan(coefficients), -np.inf, coefficients), kind="stable")
    there = np.flatnonzero(~np.isnan(coefficients))
    best, worst = rank_intervals(better[np.ix_(there, there)])
    marks, ranks = [""] * coefficients.size, dict[int, tuple[int, int]]()
    apart = better | better.T
    chained = closure(better)
    for i, j, p in zip(pairs.first, pairs.second, pairs.p, strict=True):
        if math.isnan(p):
            apart[i, j] = apart[j, i] = bool(chained[i, j] or chained[j, i])
    place = {int(k): at for at, k in enumerate(there)}
    in_order = [place[int(k)] for k in order if int(k) in place]
    for at, mark in enumerate(letters(apart[np.ix_(there, there)], in_order)):
        marks[there[at]] = mark
        ranks[int(there[at])] = int(best[at]), int(worst[at])
    return MeasureGroups(
        adjusted=result.adjusted,
        different=different,
        reachable=result.reachable,
        better=better,
        order=tuple(int(k) for k in order),
        letters=tuple(marks),
        ranks=tuple(ranks.get(k) for k in range(coefficients.size)),
    )


# One pair


@dataclass(frozen=True, eq=False)
class _Cells:
    """Two measures and people on common cells, standardised; topics and systems without any are gone."""

    x: FloatArray
    y: FloatArray
    z: FloatArray
    there: BoolArray
    """The cells that all three have; the others are NaN."""
    topics: IntArray
    systems: IntArray
    """The positions of the rows and columns that are left."""

    @property
    def cells(self) -> int:
        return int(self.there.sum())


@dataclass(frozen=True)
class _Outcome:
    value_first: float = math.nan
    value_second: float = math.nan
    statistic: float = math.nan
    p: float = math.nan
    least: float = math.nan
    method: str | None = None
    undefined_first: int = 0
    undefined_second: int = 0
    why: str | None = None


def _arrays(
    measures: npt.ArrayLike, people: npt.ArrayLike, level: str, coefficient: str
) -> tuple[FloatArray, FloatArray]:
    values = checks.numbers("measures", measures, dimensions=3)
    human = checks.numbers("people", people, dimensions=2)
    if values.shape[1:] != human.shape:
        raise UsageError(
            f"measures and people: expected the same topics and systems, got {values.shape[1:]} and {human.shape}"
        )
    checks.one_of("level", level, get_args(CorrelationLevel))
    checks.one_of("coefficient", coefficient, COEFFICIENTS)
    return values, human


def _standardised(values: FloatArray) -> FloatArray:
    """Over all cells. A constant stays one, of zeros."""
    if not np.isfinite(values).any():
        return values
    values, _ = scaled(values)
    centred = values - np.nanmean(values)
    spread = math.sqrt(float(np.nanmean(centred**2)))
    if spread <= NOISE * float(np.nanmax(np.abs(values))):
        return np.where(np.isnan(values), np.nan, 0.0)
    return np.asarray(centred / spread)


def _observed(pair: _Cells, level: CorrelationLevel, coefficient: Coefficient) -> _Outcome:
    """Both correlations without a swap, or why there are none."""
    count = pair.systems.size
    if count < LEAST_SYSTEMS:
        return _Outcome(
            why=f"needs {LEAST_SYSTEMS} systems with scores of both measures and of people, has {count or 'none'}"
        )
    unswapped = _swapped(pair, _NO_SWAP, level, coefficient)
    first, second = float(unswapped.first[0]), float(unswapped.second[0])
    outcome = _Outcome(
        value_first=first,
        value_second=second,
        statistic=first - second,
        undefined_first=int(unswapped.undefined_first[0]),
        undefined_second=int(unswapped.undefined_second[0]),
    )
    if not math.isnan(first - second):
        return outcome
    words = {
        "system": "the systems' means of {} are all the same",
        "input": "in no topic do {} differ between systems",
        "global": "all {} are the same",
    }
    names = ["scores of {first}"] * math.isnan(first) + ["scores of {second}"] * math.isnan(second)
    people = math.isnan(first) and math.isnan(second) and _same_for_all(pair.z, level)
    return replace(outcome, why=words[level].format("people's scores" if people else " and ".join(names)))


def _same_for_all(z: FloatArray, level: CorrelationLevel) -> bool:
    """Whether people's scores alone leave nothing to correlate with."""
    if level == "global":
        return not np.nanmax(np.abs(z)) > 0
    spread = (
        np.nanmax(z, axis=1) - np.nanmin(z, axis=1) if level == "input" else np.ptp(np.nanmean(z, axis=0))
    )
    return not (spread > NOISE).any()


# Swaps


@dataclass(frozen=True, eq=False)
class _Swaps:
    """Resamples x systems and resamples x topics: which are swapped. None: no resample swaps any."""

    systems: BoolArray | None
    topics: BoolArray | None
    count: int

    def parts(self, width: int) -> Iterator[_Swaps]:
        """So many resamples at a time."""
        for start in range(0, self.count, width):
            some = slice(start, start + width)
            systems = None if self.systems is None else self.systems[some]
            topics = None if self.topics is None else self.topics[some]
            yield _Swaps(systems, topics, min(width, self.count - start))


_NO_SWAP = _Swaps(None, None, 1)
"""One resample, with every score in its place."""


def _all_swaps(pair: _Cells, swap: Swap) -> _Swaps:
    """Half of all swaps, the first system and the first topic staying: the other half has the opposite differences."""
    systems, topics = pair.systems.size, pair.topics.size
    if swap != "both":
        every = _subsets(systems if swap == "systems" else topics)
        return _Swaps(every, None, len(every)) if swap == "systems" else _Swaps(None, every, len(every))
    left, right = _subsets(systems), _subsets(topics)
    return _Swaps(np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1)), len(left) * len(right))


def _subsets(size: int) -> BoolArray:
    """Every subset of so many items that does not hold the first."""
    numbers = np.arange(2 ** (size - 1), dtype=np.int64)[:, None]
    return np.asarray((2 * numbers >> np.arange(size)) & 1, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Both correlations in every resample; NaN where one is not defined."""

    first: FloatArray
    second: FloatArray
    undefined_first: IntArray
    undefined_second: IntArray
    """Input level: topics without a correlation."""


def _swapped(pair: _Cells, swaps: _Swaps, level: CorrelationLevel, coefficient: Coefficient) -> _Sides:
    if level == "input":
        return _input_level(pair, swaps, coefficient)
    if level == "system":
        people = np.nanmean(pair.z, axis=0)
        x, y = np.nanmean(pair.x, axis=0)[None, :], np.nanmean(pair.y, axis=0)[None, :]
        if swaps.topics is not None:
            moved = np.where(pair.there, pair.y - pair.x, 0.0) / pair.there.sum(axis=0)
            shift = swaps.topics.astype(np.float64) @ moved
            x, y = x + shift, y - shift
        rows = _exchanged(swaps.systems, x, y)
    else:
        people = pair.z[pair.there]
        if coefficient == "pearson" and (swaps.systems is not None or swaps.topics is not None):
            return _pooled_pearson(pair, swaps)
        rows = _pooled_cells(pair, swaps)
    first, second = (_coefficients(side, people, coefficient) for side in rows)
    none = np.zeros(first.size, dtype=np.int64)
    return _Sides(first, second, none, none)


def _pooled_cells(pair: _Cells, swaps: _Swaps) -> tuple[FloatArray, FloatArray]:
    topic, system = np.nonzero(pair.there)
    x, y = pair.x[pair.there][None, :], pair.y[pair.there][None, :]
    if swaps.systems is None and swaps.topics is None:
        return x, y
    turned = np.zeros((swaps.count, x.size), dtype=np.bool_)
    if swaps.systems is not None:
        turned ^= swaps.systems[:, system]
    if swaps.topics is not None:
        turned ^= swaps.topics[:, topic]
    return _exchanged(turned, x, y)


def _exchanged(turned: BoolArray | None, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    return (x, y) if turned is None else (np.where(turned, y, x), np.where(turned, x, y))


def _input_level(pair: _Cells, swaps: _Swaps, coefficient: Coefficient) -> _Sides:
    """The mean over topics of each side, of those that have a correlation.

    A topic's correlations depend on which systems are swapped alone: each such choice is computed once, and its
    complement has the same two with their places changed.
    """
    kinds, kind, turned = None, np.zeros(swaps.count, dtype=np.int64), np.zeros(swaps.count, dtype=np.bool_)
    if swaps.systems is not None:
        turned = swaps.systems[:, 0]
        kinds, kind = np.unique(swaps.systems ^ turned[:, None], axis=0, return_inverse=True)
        kind = kind.reshape(-1)
    if coefficient == "pearson" and kinds is not None:
        values = _pearson_by_topic(pair, kinds)
    else:
        values = _by_topic(pair, kinds, coefficient)
    if swaps.topics is not None:
        values = values[:, :, kind]
        values = np.where(turned ^ swaps.topics.T, values[::-1], values)
    defined = ~np.isnan(values)
    counts = np.count_nonzero(defined, axis=1)
    sums = np.zeros(counts.shape)
    for of_topic in np.where(defined, values, 0.0).swapaxes(
        0, 1
    ):  # in one order, however many swaps there are
        sums += of_topic
    with np.errstate(invalid="ignore", divide="ignore"):
        means, undefined = sums / counts, len(pair.there) - counts
    if swaps.topics is None:
        means, undefined = (np.where(turned, both[::-1, kind], both[:, kind]) for both in (means, undefined))
    return _Sides(*means, *undefined)


def _by_topic(pair: _Cells, kinds: BoolArray | None, coefficient: Coefficient) -> FloatArray:
    """Sides x topics x kinds of swaps: the correlations within each topic."""
    values = np.full((2, len(pair.there), 1 if kinds is None else len(kinds)), np.nan)
    for topic, there in enumerate(pair.there):
        x, y, z = (side[topic, there] for side in (pair.x, pair.y, pair.z))
        if z.size >= LEAST_SYSTEMS:
            rows = _exchanged(None if kinds is None else kinds[:, there], x[None, :], y[None, :])
            values[:, topic] = [_coefficients(side, z, coefficient) for side in rows]
    return values


# Pearson's r needs sums alone, and those of swapped scores are products of matrices.


@dataclass(frozen=True, eq=False)
class _Sums:
    """Of each side over swapped scores: the sum, that of squares, and that of products with people's scores.

    Scores are less the middle of both measures, people's less their mean, cell by cell and 0 where missing.
    """

    x: FloatArray
    y: FloatArray
    z: FloatArray

    @classmethod
    def of(cls, pair: _Cells, axis: int | None) -> _Sums:
        """Centred over the systems of each topic (axis 1), or over all cells."""
        n = np.maximum(pair.there.sum(axis=axis, keepdims=True), 1)
        x, y, z = (np.where(pair.there, side, 0.0) for side in (pair.x, pair.y, pair.z))
        middle = (x + y).sum(axis=axis, keepdims=True) / (2 * n)
        people = z.sum(axis=axis, keepdims=True) / n
        return cls(
            *(
                np.where(pair.there, side - less, 0.0)
                for side, less in ((x, middle), (y, middle), (z, people))
            )
        )

    def correlations(
        self,
        swapped: Callable[[FloatArray], FloatArray],
        total: Callable[[FloatArray], FloatArray],
        n: IntArray,
    ) -> tuple[FloatArray, BoolArray]:
        """Both sides' r, and where rounding may matter: scores that hardly differ, or far from their middle.

        `swapped` sums cells where they are swapped, `total` all of them.
        """
        parts = ((self.x, self.y), (self.x**2, self.y**2), (self.x * self.z, self.y * self.z))
        change = [swapped(y - x) for x, y in parts]
        spread_of_people = total(self.z**2)
        values, doubtful = [], []
        for side, sign in ((0, 1), (1, -1)):
            of_side = [total(part[side]) + sign * more for part, more in zip(parts, change, strict=True)]
            first, square, product = of_side
            with np.errstate(invalid="ignore", divide="ignore"):
                spread = square - first**2 / n
                values.append(np.clip(product / np.sqrt(spread * spread_of_people), -1.0, 1.0))
                doubtful.append(
                    ~(spread > np.maximum(FAR * square, CLOSE * n)) | ~(spread_of_people > CLOSE * n)
                )
        return np.stack(values), np.asarray(doubtful[0] | doubtful[1])


def _pooled_pearson(pair: _Cells, swaps: _Swaps) -> _Sides:
    """As with `_pooled_cells` and `_coefficients`, without making every swapped table."""
    systems, topics = (None if s is None else s.astype(np.float64) for s in (swaps.systems, swaps.topics))

    def swapped(cells: FloatArray) -> FloatArray:
        sums = np.zeros(swaps.count)
        if systems is not None:
            sums = sums + systems @ cells.sum(axis=0)
        if topics is not None:
            sums = sums + topics @ cells.sum(axis=1)
        if systems is not None and topics is not None:  # what both swap is back in its place
            sums = sums - 2 * ((topics @ cells) * systems).sum(axis=1)
        return sums

    sums = _Sums.of(pair, None)
    values, doubtful = sums.correlations(swapped, np.sum, np.asarray(pair.cells))
    if doubtful.any():
        by_system, by_topic = (None if s is None else s[doubtful] for s in (swaps.systems, swaps.topics))
        again = _Swaps(by_system, by_topic, int(doubtful.sum()))
        people = pair.z[pair.there]
        values[:, doubtful] = [_coefficients(side, people, "pearson") for side in _pooled_cells(pair, again)]
    none = np.zeros(swaps.count, dtype=np.int64)
    return _Sides(values[0], values[1], none, none)


def _pearson_by_topic(pair: _Cells, kinds: BoolArray) -> FloatArray:
    """As `_by_topic`, all topics at once."""
    turned, n = kinds.T.astype(np.float64), np.maximum(pair.there.sum(axis=1, keepdims=True), 1)
    enough = n[:, 0] >= LEAST_SYSTEMS
    values, doubtful = _Sums.of(pair, 1).correlations(
        lambda cells: cells @ turned, lambda cells: cells.sum(axis=1, keepdims=True), n
    )
    values[:, ~enough] = np.nan
    for topic in np.flatnonzero(doubtful.any(axis=1) & enough).tolist():
        there, again = pair.there[topic], doubtful[topic]
        x, y, z = (side[topic, there] for side in (pair.x, pair.y, pair.z))
        sides = _exchanged(kinds[again][:, there], x[None, :], y[None, :])
        values[:, topic, again] = [_coefficients(side, z, "pearson") for side in sides]
    return values


# From swaps to p


def _permuted(
    outcome: _Outcome, null: FloatArray, *, units: int, exact: bool, alternative: Alternative
) -> _Outcome:
    """With p, and the smallest p that these data could have given."""
    if exact:
        null = np.concatenate([null, -null])
    observed = outcome.statistic
    if alternative == "two-sided":
        null, observed = np.abs(null), abs(observed)
    elif alternative == "less":
        null, observed = -null, -observed
    null = np.where(np.isnan(null), np.inf, null)
    extreme = _at_least(null, observed)
    if exact:
        most = float(np.max(null, where=np.isfinite(null), initial=observed))
        return replace(
            outcome, p=extreme / null.size, least=_at_least(null, most) / null.size, method="exact"
        )
    least = max(1 / (null.size + 1), 2.0 ** (1 - units if alternative == "two-sided" else -units))
    # By luck random swaps may undercut what all of them together would give.
    return replace(outcome, p=max((extreme + 1) / (null.size + 1), least), least=least, method="swaps")


def _at_least(null: FloatArray, bound: float) -> int:
    return int(np.count_nonzero(null >= bound - TIE * max(abs(bound), 1.0)))


def _every_pair(
    values: FloatArray,
    people: FloatArray,
    test: Callable[[_Cells], _Outcome],
    progress: Callable[[int, int], None],
    *,
    test_name: str,
    level: CorrelationLevel,
    coefficient: Coefficient,
    alternative: Alternative,
    signature: str,
) -> MeasurePairs:
    first, second = np.triu_indices(len(values), k=1)
    outcomes: list[_Outcome] = []
    sizes = np.zeros((3, first.size), dtype=np.int64)
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        x = values[i]
        y = values[j]
        z = people
        there = ~(np.isnan(x) | np.isnan(y) | np.isnan(z))
        topics, systems = np.flatnonzero(there.any(axis=1)), np.flatnonzero(there.any(axis=0))
        kept = np.ix_(topics, systems)
        there = there[kept]
        x, y, z = (_standardised(np.where(there, scores[kept], np.nan)) for scores in (x, y, z))
        pair = _Cells(x=x, y=y, z=z, there=there, topics=topics, systems=systems)
        sizes[:, k] = pair.systems.size, pair.topics.size, pair.cells
        outcomes.append(test(pair))
        progress(k + 1, first.size)

    def numbers(name: str) -> FloatArray:
        return np.array([getattr(outcome, name) for outcome in outcomes], dtype=np.float64)

    reasons = {k: outcome.why for k, outcome in enumerate(outcomes) if outcome.why is not None}
    return MeasurePairs(
        test=test_name,
        level=level,
        coefficient=coefficient,
        alternative=alternative,
        first=first,
        second=second,
        value_first=numbers("value_first"),
        value_second=numbers("value_second"),
        statistic=numbers("statistic"),
        p=numbers("p"),
        least=numbers("least"),
        method=tuple(outcome.method for outcome in outcomes),
        systems=sizes[0],
        topics=sizes[1],
        cells=sizes[2],
        undefined_first=numbers("undefined_first").astype(np.int64),
        undefined_second=numbers("undefined_second").astype(np.int64),
        signature=f"{level}:{coefficient}|{signature}",
        why={
            k: why.format(first="the first measure", second="the second measure")
            for k, why in reasons.items()
        },
        reasons=reasons,
    )


def _coefficients(rows: FloatArray, z: FloatArray, coefficient: Coefficient) -> FloatArray:
    """The coefficient of every row with z; NaN where one of them is constant."""
    from adjudge.stats.correlation_kernels import correlate_rows

    # Standardised values are of size 1: what rounding alone sets apart ties.
    noise, people = np.full((1, z.size), NOISE), z[None, :]
    which = np.zeros((len(rows), 5), dtype=np.int64)
    which[:, 0] = np.arange(len(rows))
    column = COEFFICIENTS.index(coefficient)
    wanted = np.arange(len(COEFFICIENTS)) == column
    coefficients = np.empty((len(rows), len(COEFFICIENTS)))
    status = np.empty(len(rows), dtype=np.int64)
    rows = np.ascontiguousarray(rows)
    correlate_rows(
        rows,
        np.argsort(rows, axis=1),
        noise,
        np.asarray(~np.isnan(rows).any(axis=1)),
        people,
        np.argsort(people, axis=1),
        noise,
        np.asarray(~np.isnan(people).any(axis=1)),
        np.ones((1, z.size)),
        which,
        wanted,
        coefficients,
        status,
    )
    return coefficients[:, column]
