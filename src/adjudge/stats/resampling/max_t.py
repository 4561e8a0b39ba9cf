"""The centred, studentised bootstrap of the largest |t| over a family of paired differences.

Every pair has its own variance, so neither equal spreads nor symmetric noise is assumed. Westfall-Young's swaps, which
are exact where systems are exchangeable, are in westfall_young.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE, Alternative, noise_of, settled
from adjudge.stats.pairs import columns_of_pairs
from adjudge.wording import counted

LEAST_VARIED = 5
"""Topics whose difference is not the commonest one: with fewer, too many resamples would hold one number only."""
CELLS = 1 << 18
"""Numbers in one array of a block, in single precision: 1 MB, which stay in a processor's cache."""
DRAWN = 1 << 24
"""Numbers that say how often each topic was drawn, held at once."""
COMPILED_FROM = 100_000_000
"""Resampled t's from which counting is compiled: the plain way takes 0.5 s for so many."""
ONE = np.float32(1)
DEGENERATE = np.float32(1e-5)
"""Of their mean square: differences of a resample that vary by less are one number, in single precision."""
NO_SHIFT = np.float32(1e-4)
"""A sum of a resample's deviations, in standard deviations, that is 0 but for rounding."""
TIE = 1e-5
"""An observed t^2 is compared as if it were smaller by this share: so a resampled one that equals it reaches it."""

SingleArray = npt.NDArray[np.float32]
Step = Callable[
    [SingleArray, SingleArray, SingleArray, SingleArray, SingleArray, bool, SingleArray, IntArray, IntArray],
    None,
]


@dataclass(frozen=True)
class MaxT:
    """Every difference with its adjusted p and its simultaneous interval; NaN outside the family.

    Pairs come in the order of `itertools.combinations`, or as the columns do that were given.
    """

    alternative: Alternative
    level: float
    n: IntArray
    """Topics that both columns of a pair have."""
    difference: FloatArray
    """The mean over these topics, first - second."""
    se: FloatArray
    """s / sqrt(n), with the standard deviation of the pair's own differences."""
    statistic: FloatArray
    """t = difference / se."""
    raw: FloatArray
    """Each pair's own p by the same resamples, not adjusted."""
    single_step: FloatArray
    """Adjusted by the largest t of the whole family: below 1 - level exactly where the interval does not hold 0."""
    p: FloatArray
    """Adjusted step-down (Romano and Wolf 2005): (k + 1) / (R + 1), and never above the single-step p."""
    low: FloatArray
    high: FloatArray
    """difference -+ critical se; one-sided one end is infinite."""
    critical: float
    """The quantile of the largest t, to which the intervals reach."""
    member: BoolArray
    """Which pairs make up the family."""
    resamples: int
    floor: float
    """The smallest p that so many resamples can give."""
    signature: str
    why: dict[int, str] = field(default_factory=dict)
    """Why a pair that was asked for is not in the family, by its position."""

    def __len__(self) -> int:
        return self.p.size


def max_t(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    family: npt.ArrayLike | None = None,
) -> MaxT:
    """All pairs of columns (topics x systems, NaN where missing) by the bootstrap of the largest |t|.

    Topics are drawn with replacement, the same for all pairs. With d the differences of a pair, t* = (mean d* - mean d)
    / (s* / sqrt(n*)), over the drawn topics that both columns have. The level quantile of the largest |t*| gives the
    simultaneous intervals (Efron and Tibshirani 1993, chapter 12; Romano and Wolf 2005), its tail the p-values.

    `family` has a truth value for each pair, to be tested or not; without it all are. A pair whose differences do not
    vary, or differ from the commonest one on fewer than LEAST_VARIED topics, leaves the family, and `why` says so. In a
    resample that draws one and the same difference only, s* is 0; it counts as the largest t* of the pair's other
    resamples, since the means are then further apart than in any of them.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    first, second = columns_of_pairs(matrix.shape[1])
    columns = np.ascontiguousarray(matrix.T) + 0.0
    return _tested(_Rows(columns, first, second), rng, resamples, level, alternative, family)


def max_t_means(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    family: npt.ArrayLike | None = None,
) -> MaxT:
    """As `max_t`, of the means of the columns themselves: differences or contrasts, a value for each topic."""
    matrix = checks.numbers("values", values, dimensions=2)
    columns = np.ascontiguousarray(matrix.T) + 0.0
    return _tested(_Rows(columns, None, None), rng, resamples, level, alternative, family)


def bounded_by(
    low: FloatArray, high: FloatArray, difference: FloatArray, different: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Simultaneous intervals that agree with a step-down test: one that holds 0 beside a difference ends at 0.

    The step-down test finds what it finds with its sign, so such an interval lies on one side of 0.
    """
    low, high = low.copy(), high.copy()
    low[different & (difference > 0) & (low < 0)] = 0.0
    high[different & (difference < 0) & (high > 0)] = 0.0
    return low, high


# The rows: one per pair or column, a number for each topic


@dataclass(frozen=True)
class _Rows:
    """Columns, and which two make up each row; without `first` and `second` a column is a row."""

    columns: FloatArray
    first: IntArray | None
    second: IntArray | None

    def __len__(self) -> int:
        return len(self.columns) if self.first is None else self.first.size

    @property
    def topics(self) -> int:
        return int(self.columns.shape[1])

    def at(self, positions: IntArray) -> tuple[FloatArray, FloatArray]:
        """The numbers of some rows, and the noise of each."""
        if self.first is None or self.second is None:
            x = self.columns[positions]
            return x, NOISE * np.abs(x)
        x, y = self.columns[self.first[positions]], self.columns[self.second[positions]]
        noise = noise_of(x, y)
        return settled(x - y, noise), noise


@dataclass(frozen=True)
class _Observed:
    n: IntArray
    mean: FloatArray
    sd: FloatArray
    varied: IntArray
    """Topics whose number is not the commonest one; 0 where all are one number."""


def _observed(rows: _Rows) -> _Observed:
    n, varied = np.zeros((2, len(rows)), dtype=np.int64)
    mean, sd = np.full((2, len(rows)), np.nan)
    for at in _blocks(np.arange(len(rows)), max(1, rows.topics)):
        x, noise = rows.at(at)
        present = ~np.isnan(x)
        n[at] = size = np.count_nonzero(present, axis=1)
        filled = np.where(present, x, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            mean[at] = filled.sum(axis=1) / size
            deviations = np.where(present, x - mean[at, None], 0.0)
            largest = np.abs(deviations).max(axis=1, initial=0.0)  # squares of it may not fit a float
            scaled = np.square(deviations / largest[:, None]).sum(axis=1)
            sd[at] = largest * np.sqrt(scaled / (size - 1))
        varied[at] = size - _commonest(x, np.max(noise, axis=1, initial=0.0, where=present))
    return _Observed(n=n, mean=mean, sd=sd, varied=varied)


def _commonest(x: FloatArray, noise: FloatArray) -> IntArray:
    """How often the commonest number of each row occurs, but for noise."""
    ordered = np.sort(x, axis=1)
    most: IntArray = np.minimum(1, np.count_nonzero(~np.isnan(x), axis=1))
    # A number that occurs k + 1 times is k places further on the same.
    run = np.ones(len(x), dtype=np.bool_)
    for k in range(1, x.shape[1]):
        run &= (ordered[:, k:] - ordered[:, :-k] <= noise[:, None]).any(axis=1)
        if not run.any():
            break
        most[run] = k + 1
    return most


def _blocks(positions: IntArray, numbers: int) -> Iterator[IntArray]:
    """Some rows at a time, so that an array with so many numbers for each stays small."""
    width = max(1, CELLS // numbers)
    for start in range(0, positions.size, width):
        yield positions[start : start + width]


# The bootstrap


def _tested(
    rows: _Rows,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    alternative: Alternative,
    family: npt.ArrayLike | None,
) -> MaxT:
    checks.one_of("alternative", alternative, get_args(Alternative))
    checks.share("level", level)
    checks.count("resamples", resamples, least=1)
    alpha = 1 - level
    # The k-th largest maximum is the critical value: p < alpha where fewer than k reach the observed t.
    k = math.ceil(round(alpha * (resamples + 1), 9)) - 1
    if k < 1:
        raise UsageError(
            f"resamples: expected at least {math.ceil(1 / alpha)} for intervals of {level:g}, got {resamples}"
        )
    asked = _asked(family, len(rows))
    seen = _observed(rows)
    why = {int(at): text for at in np.flatnonzero(asked) if (text := _reason(seen, int(at)))}
    member = asked.copy()
    member[list(why)] = False
    positions = np.flatnonzero(member)
    se, statistic, raw, single, p = np.full((5, len(rows)), np.nan)
    low, high = np.full((2, len(rows)), np.nan)
    critical = math.nan
    if positions.size:
        with np.errstate(over="ignore"):
            se[positions] = seen.sd[positions] / np.sqrt(seen.n[positions])
            statistic[positions] = seen.mean[positions] / se[positions]
        found = _counted(rows, seen, positions, statistic[positions], rng, resamples, alternative)
        raw[positions], p[positions] = (
            (found.alone + 1) / (resamples + 1),
            (found.stepped + 1) / (resamples + 1),
        )
        reached = resamples - np.searchsorted(found.largest, found.own, side="left")
        single[positions] = (reached + 1) / (resamples + 1)
        bound = float(found.largest[resamples - k])
        critical = math.copysign(math.sqrt(abs(bound) + TIE * bound), bound)
        reach = critical * se
        if alternative != "less":
            low = seen.mean - reach
            high = np.where(member, np.inf, np.nan)
        if alternative != "greater":
            high = seen.mean + reach
            low = low if alternative == "two-sided" else np.where(member, -np.inf, np.nan)
        low, high = _kept(low, high, seen.mean, single < alpha)
    side = "" if alternative == "two-sided" else f"|{alternative}"
    return MaxT(
        alternative=alternative,
        level=level,
        n=seen.n,
        difference=seen.mean,
        se=se,
        statistic=statistic,
        raw=raw,
        single_step=single,
        p=p,
        low=low,
        high=high,
        critical=critical,
        member=member,
        resamples=resamples,
        floor=1 / (resamples + 1),
        signature=f"max-t|bootstrap|centred|studentised{side}|family:{positions.size}|resamples:{resamples}",
        why=why,
    )


def _kept(
    low: FloatArray, high: FloatArray, mean: FloatArray, found: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """The intervals, where rounding in the last digit would set them apart from the single-step p: ended at 0."""
    low, high = low.copy(), high.copy()
    low[~found & (low > 0)] = high[~found & (high < 0)] = 0.0
    return bounded_by(low, high, mean, found & np.isfinite(low) & np.isfinite(high))


def _asked(family: npt.ArrayLike | None, rows: int) -> BoolArray:
    asked = np.ones(rows, dtype=np.bool_) if family is None else np.asarray(family)
    if asked.dtype != np.bool_ or asked.shape != (rows,):
        form = f"{asked.dtype} of shape {asked.shape}"
        raise UsageError(f"family: expected {rows} truth values, one for each pair, got {form}")
    return asked


def _reason(seen: _Observed, at: int) -> str | None:
    """Why a row cannot be in the family."""
    n, varied = int(seen.n[at]), int(seen.varied[at])
    if n < 2:
        return f"needs two topics that both have, has {n or 'none'}"
    if varied == 0:
        return f"all {n} differences are the same, and need to vary"
    if n <= LEAST_VARIED:
        return f"{counted(n, 'common topic')}; the bootstrap needs {LEAST_VARIED + 1}"
    if varied < LEAST_VARIED:
        return (
            f"only {counted(varied, 'difference')} of {n} {'is' if varied == 1 else 'are'} not the commonest one;"
            f" the bootstrap needs {LEAST_VARIED}"
        )
    return None


@dataclass(frozen=True)
class _Counts:
    own: FloatArray
    """t |t| as observed, as it is compared: larger is further out."""
    alone: IntArray
    stepped: IntArray
    largest: FloatArray
    """The largest t |t| of the family in every resample, ascending."""


def _counted(
    rows: _Rows,
    seen: _Observed,
    positions: IntArray,
    statistic: FloatArray,
    rng: np.random.Generator,
    resamples: int,
    alternative: Alternative,
) -> _Counts:
    """Go through the rows from the least significant on, the largest t* of those so far in hand."""
    turn = -1.0 if alternative == "less" else 1.0
    two_sided = alternative == "two-sided"
    signed = turn * statistic
    with np.errstate(over="ignore"):
        square = np.square(signed)
        own = np.where(two_sided | (signed > 0), square - TIE * square, -square - TIE * square).astype(
            np.float32
        )
    order = np.argsort(own, kind="stable")
    alone, stepped = np.zeros((2, positions.size), dtype=np.int64)
    largest = np.empty(resamples, dtype=np.float32)
    step = _step(positions.size * resamples)
    chunk = max(256, DRAWN // max(1, rows.topics))
    for start in range(0, resamples, chunk):
        size = min(chunk, resamples - start)
        share = np.full(rows.topics, 1 / rows.topics)
        drawn = np.ascontiguousarray(rng.multinomial(rows.topics, share, size=size).T, dtype=np.float32)
        running = np.full(size, -np.inf, dtype=np.float32)
        space = np.empty(
            (3, max(1, CELLS // size), size), dtype=np.float32
        )  # new arrays would cost more than the sums
        for at in _blocks(order, size):
            block = positions[at]
            x, _ = rows.at(block)
            z = (x - seen.mean[block, None]) * (turn / seen.sd[block, None])
            missing = np.isnan(z)
            z = np.where(missing, 0.0, z).astype(np.float32)
            sums, squares, held = space[:, : at.size]
            np.matmul(z, drawn, out=sums)
            np.matmul(np.square(z), drawn, out=squares)
            if missing.any():
                np.matmul((~missing).astype(np.float32), drawn, out=held)
            else:
                held = held[:0]
            n = seen.n[block].astype(np.float32)
            own_counts, step_counts = np.zeros((2, at.size), dtype=np.int64)
            step(sums, squares, held, n, own[at], two_sided, running, own_counts, step_counts)
            alone[at] += own_counts
            stepped[at] += step_counts
        largest[start : start + size] = running
    # No row may have a smaller p than one that is more significant.
    stepped[order] = np.maximum.accumulate(stepped[order][::-1])[::-1]
    return _Counts(
        own=own.astype(np.float64), alone=alone, stepped=stepped, largest=np.sort(largest.astype(np.float64))
    )


def _step(work: int) -> Step:
    """What counts: compiled where there is so much to do that loading the compiler pays."""
    if work < COMPILED_FROM:
        return plain_step
    from adjudge.stats.resampling.max_t_kernels import step_max_t

    compiled: Step = step_max_t
    return compiled


def plain_step(
    sums: SingleArray,
    squares: SingleArray,
    drawn: SingleArray,
    n: SingleArray,
    own: SingleArray,
    two_sided: bool,
    running: SingleArray,
    alone: IntArray,
    stepped: IntArray,
) -> None:
    """Count, row by row, the resamples (columns) that reach what was observed: by the row's own t*, and by the
    largest t* of this row and all before it, which `running` holds from block to block.

    `sums` and `squares` are those of the resampled deviations, in standard deviations of the row; `drawn` says how
    many of the row's topics were drawn, and is empty where that is always n. `own` is t |t| as observed.
    """
    for row, (s, q) in enumerate(zip(sums, squares, strict=True)):
        m = drawn[row] if drawn.size else n[row]
        spread = m * q
        square = s * s
        left = spread - square
        usable = left > DEGENERATE * spread
        keys = np.zeros_like(s)
        np.divide((m - ONE) * square, left, out=keys, where=usable)
        if not usable.all():
            keys[~usable & (np.abs(s) > NO_SHIFT)] = keys.max()
        if not two_sided:
            np.copysign(keys, s, out=keys)
        np.maximum(running, keys, out=running)
        alone[row] += np.count_nonzero(keys >= own[row])
        stepped[row] += np.count_nonzero(running >= own[row])
