"""The centred, studentised bootstrap of the largest |t| over a family of paired differences.

Every pair has its own variance, so neither equal spreads nor symmetric noise is assumed. Westfall-Young's swaps, which
are exact where systems are exchangeable, are in westfall_young.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.engine import worker_count
from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE, Alternative, noise_of, settled
from adjudge.stats.pairs import columns_of_pairs

LEAST_VARIED = 5
"""Topics whose difference is not the commonest one: with fewer, too many resamples would hold one number only."""
CELLS = 1 << 18
"""Numbers in one array of a block, in single precision: 1 MB, which stay in a processor's cache."""
ALONE = 1 << 18
"""Multiplications up to which OpenBLAS stays in one thread."""
DRAWN = 1 << 24
"""Numbers that say how often each topic was drawn, held at once."""
TOGETHER = 2500
"""Resamples that one thread takes at a time; the numbers do not depend on how many threads there are."""
COMPILED_FROM = 100_000_000
"""Resampled t's from which counting is compiled: the plain way takes 0.5 s for so many."""
ROW = 5_000
"""What a row costs beside its t's, in t's, where counting is not compiled."""
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
    why: dict[int, Note] = field(default_factory=dict)
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
    resample that draws one and the same difference only, s* is 0; it counts as the largest t* of the pair in the
    resamples drawn with it, since the means are then further apart than in any of them.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    first, second = columns_of_pairs(matrix.shape[1])
    columns = np.ascontiguousarray(matrix.T) + 0.0
    rows = DifferenceRows(columns, first, second)
    return max_t_rows(
        rows,
        row_moments(rows),
        rng=rng,
        resamples=resamples,
        level=level,
        alternative=alternative,
        family=family,
    )


def criticals_with_best(
    values: npt.ArrayLike, *, rng: np.random.Generator, resamples: int = 10_000, level: float = 0.95
) -> FloatArray:
    """For every column k, the level quantile of the largest t* of the others' differences from it, one-sided.

    With these, Hsu's comparisons with the best take each column in turn for the best one. Pairs that do not vary enough
    are left out, as in `max_t`; NaN for a column without any pair.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    checks.count("resamples", resamples, least=1)
    rank = _rank(level, resamples)
    first, second = columns_of_pairs(matrix.shape[1])
    rows = DifferenceRows(np.ascontiguousarray(matrix.T) + 0.0, first, second)
    seen = row_moments(rows)
    positions = np.flatnonzero(seen.usable)
    largest = np.full((matrix.shape[1], resamples), -np.inf, dtype=np.float32)
    for start, drawn in _draws(rows.topics, resamples, rng):
        part = largest[:, start : start + drawn.shape[1]]
        for at, sums, squares, held in _sums(rows, seen, positions, np.arange(positions.size), drawn):
            for row, k in enumerate(positions[at]):
                keys = _squared(sums[row], squares[row], held[row] if held.size else np.float32(seen.n[k]))
                np.copysign(keys, sums[row], out=keys)
                np.maximum(part[second[k]], keys, out=part[second[k]])
                np.maximum(part[first[k]], -keys, out=part[first[k]])
    bound = np.sort(largest, axis=1)[:, resamples - rank].astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(bound), np.nan, np.copysign(np.sqrt(np.abs(bound) + TIE * bound), bound))


def bounded_by(
    low: FloatArray, high: FloatArray, difference: FloatArray, different: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Simultaneous intervals that agree with what was found: an interval holds 0 exactly where nothing was.

    Where only the step-down test finds a difference, with its sign, the interval that holds 0 ends there. One that
    leaves 0 out by rounding alone, where nothing was found, ends at 0 too.
    """
    low, high = low.copy(), high.copy()
    up, down = different & (difference > 0), different & (difference < 0)
    low[(up & (low < 0)) | (~different & (low > 0))] = 0.0
    high[(down & (high > 0)) | (~different & (high < 0))] = 0.0
    return low, high


# The rows: one per pair or column, a number for each topic


@dataclass(frozen=True)
class DifferenceRows:
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
class RowMoments:
    """What is known of every row before any test."""

    n: IntArray
    mean: FloatArray
    sd: FloatArray
    varied: IntArray
    """Topics whose number is not the commonest one; 0 where all are one number."""
    nonzero: IntArray

    @property
    def usable(self) -> BoolArray:
        """Which rows vary enough for the bootstrap."""
        return np.asarray((self.n > LEAST_VARIED) & (self.varied >= LEAST_VARIED))


def row_moments(rows: DifferenceRows) -> RowMoments:
    n, varied, nonzero = np.zeros((3, len(rows)), dtype=np.int64)
    mean, sd = np.full((2, len(rows)), np.nan)
    for at in _blocks(np.arange(len(rows)), 8 * max(1, rows.topics)):  # several arrays, in double precision
        x, noise = rows.at(at)
        present = ~np.isnan(x)
        n[at] = size = np.count_nonzero(present, axis=1)
        nonzero[at] = np.count_nonzero(present & (x != 0), axis=1)
        filled = np.where(present, x, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            mean[at] = filled.sum(axis=1) / size
            deviations = np.where(present, x - mean[at, None], 0.0)
            largest = np.abs(deviations).max(axis=1, initial=0.0)  # squares of it may not fit a float
            scaled = np.square(deviations / largest[:, None]).sum(axis=1)
            sd[at] = largest * np.sqrt(scaled / (size - 1))
        ordered = np.sort(x, axis=1)
        most: IntArray = np.minimum(1, np.count_nonzero(~np.isnan(x), axis=1))
        # A number that occurs k + 1 times is k places further on the same.
        run = np.ones(len(x), dtype=np.bool_)
        for k in range(1, x.shape[1]):
            run &= (
                ordered[:, k:] - ordered[:, :-k] <= np.max(noise, axis=1, initial=0.0, where=present)[:, None]
            ).any(axis=1)
            if not run.any():
                break
            most[run] = k + 1
        varied[at] = size - most
    return RowMoments(n=n, mean=mean, sd=sd, varied=varied, nonzero=nonzero)


def _blocks(positions: IntArray, numbers: int) -> Iterator[IntArray]:
    """Some rows at a time, so that an array with so many numbers for each stays small."""
    width = max(1, CELLS // numbers)
    for start in range(0, positions.size, width):
        yield positions[start : start + width]


# The bootstrap


def max_t_rows(
    rows: DifferenceRows,
    seen: RowMoments,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    family: npt.ArrayLike | None = None,
) -> MaxT:
    """As `max_t`, of rows whose moments are known."""
    checks.one_of("alternative", alternative, get_args(Alternative))
    checks.share("level", level)
    checks.count("resamples", resamples, least=1)
    alpha = round(1 - level, 12)
    rank = _rank(level, resamples)
    asked = checks.family(family, len(rows))
    why = {int(at): _reason(seen, int(at)) for at in np.flatnonzero(asked & ~seen.usable)}
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
        counts = _counted(rows, seen, positions, statistic[positions], rng, resamples, alternative)
        raw[positions], p[positions] = (
            (counts.alone + 1) / (resamples + 1),
            (counts.stepped + 1) / (resamples + 1),
        )
        reached = resamples - np.searchsorted(counts.largest, counts.observed, side="left")
        single[positions] = (reached + 1) / (resamples + 1)
        bound = float(counts.largest[resamples - rank])
        critical = math.copysign(math.sqrt(abs(bound) + TIE * bound), bound)
        reach = critical * se
        if alternative != "less":
            low = seen.mean - reach
            high = np.where(member, np.inf, np.nan)
        if alternative != "greater":
            high = seen.mean + reach
            low = low if alternative == "two-sided" else np.where(member, -np.inf, np.nan)
        low, high = bounded_by(low, high, seen.mean, single < alpha)
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


def _rank(level: float, resamples: int) -> int:
    """Which of the largest maxima is critical: p < 1 - level where fewer than so many reach the observed t."""
    alpha = round(1 - level, 12)
    rank = math.ceil(round(alpha * (resamples + 1), 9)) - 1
    if rank < 1:
        raise UsageError(
            f"resamples: expected at least {math.ceil(1 / alpha)} for intervals of {level:g}, got {resamples}"
        )
    return rank


def _reason(seen: RowMoments, at: int) -> Note:
    """Why a row cannot be in the family."""
    n, varied = int(seen.n[at]), int(seen.varied[at])
    if n < 2:
        return Note.of("few-in-common", n=n)
    if varied == 0:
        return Note.of("constant", n=n)
    if n <= LEAST_VARIED:
        return Note.of("few-for-bootstrap", n=n, needs=LEAST_VARIED + 1)
    return Note.of("few-varied", varied=varied, n=n, needs=LEAST_VARIED)


@dataclass(frozen=True)
class _Counts:
    observed: FloatArray
    """t |t| as observed, as it is compared: larger is further out."""
    alone: IntArray
    stepped: IntArray
    largest: FloatArray
    """The largest t |t| of the family in every resample, ascending."""


def _counted(
    rows: DifferenceRows,
    seen: RowMoments,
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
        observed = np.where(two_sided | (signed > 0), square - TIE * square, -square - TIE * square).astype(
            np.float32
        )
    order = np.argsort(observed, kind="stable")
    alone, stepped = np.zeros((2, positions.size), dtype=np.int64)
    largest = np.empty(resamples, dtype=np.float32)
    if (positions.size * (resamples + ROW)) < COMPILED_FROM:
        step = plain_step
    else:
        step = compiled_step

    def count(start: int, drawn: SingleArray) -> IntArray:
        """Of some resamples by themselves: how many reach each row's t, alone and stepped."""
        running = largest[start : start + drawn.shape[1]]
        running[:] = -np.inf
        counts = np.zeros((2, positions.size), dtype=np.int64)
        for at, sums, squares, held in _sums(rows, seen, positions, order, drawn, turn):
            n = seen.n[positions[at]].astype(np.float32)
            these = np.zeros((2, at.size), dtype=np.int64)
            step(sums, squares, held, n, observed[at], two_sided, running, these[0], these[1])
            counts[:, at] += these
        return counts

    # Products and compiled counting let go of the interpreter, so that threads are enough.
    with ThreadPoolExecutor(worker_count("auto")) as pool:
        for start, drawn in _draws(rows.topics, resamples, rng):
            parts = range(0, drawn.shape[1], TOGETHER)
            some = [np.ascontiguousarray(drawn[:, part : part + TOGETHER]) for part in parts]
            for counts in pool.map(count, (start + part for part in parts), some):
                alone += counts[0]
                stepped += counts[1]
    # No row may have a smaller p than one that is more significant.
    stepped[order] = np.maximum.accumulate(stepped[order][::-1])[::-1]
    return _Counts(
        observed=observed.astype(np.float64),
        alone=alone,
        stepped=stepped,
        largest=np.sort(largest.astype(np.float64)),
    )


def _draws(topics: int, resamples: int, rng: np.random.Generator) -> Iterator[tuple[int, SingleArray]]:
    """How often every topic (row) is drawn in every resample (column), some resamples at a time."""
    chunk = max(256, DRAWN // max(1, topics))
    share = np.full(topics, 1 / topics)
    for start in range(0, resamples, chunk):
        counts = rng.multinomial(topics, share, size=min(chunk, resamples - start))
        yield start, np.ascontiguousarray(counts.T, dtype=np.float32)


def _sums(
    rows: DifferenceRows,
    seen: RowMoments,
    positions: IntArray,
    order: IntArray,
    drawn: SingleArray,
    turn: float = 1.0,
) -> Iterator[tuple[IntArray, SingleArray, SingleArray, SingleArray]]:
    """Some of the rows at a time, in the order given: the sums and the sums of squares of their resampled deviations,
    in standard deviations, and how many of their topics were drawn; that is empty where it is always n.

    They come in the same arrays, which are overwritten: new ones would cost more than the sums.
    """
    size = drawn.shape[1]
    space = np.empty((3, max(1, CELLS // size), size), dtype=np.float32)
    for at in _blocks(order, size):
        block = positions[at]
        x, _ = rows.at(block)
        z = (x - seen.mean[block, None]) * (turn / seen.sd[block, None])
        missing = np.isnan(z)
        z[missing] = 0.0
        deviations: SingleArray = z.astype(np.float32)
        sums, squares, held = space[:, : at.size]
        _multiply(deviations, drawn, sums)
        _multiply(np.square(deviations), drawn, squares)
        if missing.any():
            _multiply((~missing).astype(np.float32), drawn, held)
        else:
            held = held[:0]
        yield at, sums, squares, held


def _multiply(z: SingleArray, drawn: SingleArray, out: SingleArray) -> None:
    """A product in parts so small that OpenBLAS stays in one thread: others would wait for each other."""
    width = max(16, ALONE // max(1, z.size))
    for start in range(0, drawn.shape[1], width):
        np.matmul(z, drawn[:, start : start + width], out=out[:, start : start + width])


def compiled_step(
    sums: SingleArray,
    squares: SingleArray,
    drawn: SingleArray,
    n: SingleArray,
    observed: SingleArray,
    two_sided: bool,
    running: SingleArray,
    alone: IntArray,
    stepped: IntArray,
) -> None:
    """As `plain_step`."""
    from adjudge.stats.resampling.max_t_kernels import step_max_t

    rows, resamples = sums.shape
    keys = np.empty(resamples, dtype=np.float32)
    flat = [array.reshape(-1) for array in (sums, squares, drawn)]
    held = int(drawn.size > 0)
    sides = int(two_sided)
    step_max_t(
        rows, resamples, flat[0], flat[1], flat[2], held, n, observed, sides, keys, running, alone, stepped
    )


def plain_step(
    sums: SingleArray,
    squares: SingleArray,
    drawn: SingleArray,
    n: SingleArray,
    observed: SingleArray,
    two_sided: bool,
    running: SingleArray,
    alone: IntArray,
    stepped: IntArray,
) -> None:
    """Count, row by row, the resamples (columns) that reach what was observed: by the row's own t*, and by the
    largest t* of this row and all before it, which `running` holds from block to block.

    `sums` and `squares` are those of the resampled deviations, in standard deviations of the row; `drawn` says how
    many of the row's topics were drawn, and is empty where that is always n. `observed` is t |t|.
    """
    for row, (s, q) in enumerate(zip(sums, squares, strict=True)):
        keys = _squared(s, q, drawn[row] if drawn.size else n[row])
        if not two_sided:
            np.copysign(keys, s, out=keys)
        np.maximum(running, keys, out=running)
        alone[row] += np.count_nonzero(keys >= observed[row])
        stepped[row] += np.count_nonzero(running >= observed[row])


def _squared(s: SingleArray, q: SingleArray, m: SingleArray | np.float32) -> SingleArray:
    """t*^2 of every resample of a row from the sum and the sum of squares of the m deviations drawn."""
    spread = m * q
    square = s * s
    left = spread - square
    usable = left > DEGENERATE * spread
    keys = np.zeros_like(s)
    np.divide((m - ONE) * square, left, out=keys, where=usable)
    if not usable.all():
        keys[~usable & (np.abs(s) > NO_SHIFT)] = keys.max()
    return keys
