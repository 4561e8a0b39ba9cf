"""Westfall-Young: the p-values of all pairs adjusted together, by swaps that all pairs share.

Sums of differences under swaps are whole numbers, so they are exact. Corrections that need only p are in multiple.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.words import counted
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import Alternative
from adjudge.stats.pairs import DifferenceGrid, PairBlock, blocks, columns_of_pairs, on_grid

Signs = npt.NDArray[np.uint8]
"""One row a resample, one bit a topic, eight to a byte; a bit that is set turns the topic round."""

CHUNK = 2048
"""Resamples whose signs are unpacked at once."""
SMALL = 1 << 27
"""Multiplications below which waking a second thread costs more than it saves."""
ALONE = 1 << 18
"""Multiplications up to which OpenBLAS stays in one thread."""


@dataclass(frozen=True, slots=True)
class SwappedSums:
    """Some pairs: their sums of differences, as observed and with the signs of every resample."""

    observed: FloatArray
    swapped: FloatArray
    """Pairs x resamples."""
    noise: FloatArray
    """How far two sums of a pair may be apart by noise alone."""
    n: FloatArray
    spread: FloatArray
    """n times the sum of the squared differences, which swaps do not change."""


@dataclass(frozen=True, slots=True)
class SwapFamily:
    """A matrix, the columns of all its pairs, and the signs that they share.

    Sums are those of second - first where the alternative is "less", so that larger is always further out; two-sided
    their size counts.
    """

    matrix: FloatArray
    first: IntArray
    second: IntArray
    signs: Signs
    alternative: Alternative

    @property
    def two_sided(self) -> bool:
        return self.alternative == "two-sided"

    @property
    def turn(self) -> float:
        return -1.0 if self.alternative == "less" else 1.0

    def keys(self, values: FloatArray) -> FloatArray:
        """What is compared: larger is further out."""
        return np.abs(values) if self.two_sided else values

    def statistics(self, positions: IntArray) -> FloatArray:
        """T^p of these pairs, positive where the first column is higher."""
        from adjudge.stats.resampling.kernels import studentised

        t_values = np.empty(0)
        for block in blocks(self.matrix, self.first, self.second, positions):
            grid = on_grid(block)
            triples = zip(
                grid.values.sum(axis=1), block.n.astype(np.float64), _spread(block, grid), strict=True
            )
            squares = np.array([studentised(*three) for three in triples])
            t_values = np.concatenate([t_values, np.sign(squares) * np.sqrt(np.abs(squares))])
        return t_values

    def sums(self, positions: IntArray) -> Iterator[SwappedSums]:
        """Block by block, in the order given."""
        for block in blocks(self.matrix, self.first, self.second, positions, beside=len(self.signs)):
            grid = on_grid(block)
            values = self.turn * grid.values
            yield SwappedSums(
                observed=values.sum(axis=1),
                swapped=self._swapped(values),
                noise=grid.noise,
                n=block.n.astype(np.float64),
                spread=_spread(block, grid),
            )

    def _swapped(self, values: FloatArray) -> FloatArray:
        """One product serves all pairs of a block. The numbers are whole and small enough: every sum is exact."""
        sums = np.empty((len(values), len(self.signs)))
        chunk = CHUNK if sums.size * values.shape[1] > SMALL else max(16, ALONE // values.size)
        for start in range(0, len(self.signs), chunk):
            bits = np.unpackbits(self.signs[start : start + chunk], axis=1, count=values.shape[1])
            sums[:, start : start + chunk] = values @ (1.0 - 2.0 * bits).T
        return sums


def draw_signs(rows: int, resamples: int, rng: np.random.Generator) -> Signs:
    """A fair sign for every topic of every resample."""
    return rng.integers(0, 256, size=(resamples, -(-rows // 8)), dtype=np.uint8)


def all_signs(rows: int) -> Signs:
    """Every vector of signs but the one that changes nothing."""
    number = np.arange(1, 2**rows)[:, None]
    return np.packbits((number >> np.arange(rows)) & 1, axis=1)


def _spread(block: PairBlock, grid: DifferenceGrid) -> FloatArray:
    spread: FloatArray = block.n * np.square(grid.values).sum(axis=1)
    return spread


# The adjusted p-values

EXCHANGEABLE = (
    "swaps test that the scores of two systems are exchangeable, not that their means are equal: where the shapes of"
    " their noise differ, as at a ceiling of ratings, equal means are found to differ far more often than alpha says"
)


@dataclass(frozen=True)
class WestfallYoung:
    """Adjusted p-values of all pairs, in the order of `itertools.combinations`; NaN outside the family."""

    alternative: Alternative
    n: IntArray
    """Topics that both columns of a pair have."""
    statistic: FloatArray
    """T^p, positive where the first column is higher; infinite where all differences are one number, not 0."""
    raw: FloatArray
    """Each pair's own p by the same swaps, not adjusted."""
    p: FloatArray
    """Adjusted: (k + 1) / (R + 1), and no pair below one that is more significant."""
    member: BoolArray
    """Which pairs make up the family."""
    floor: float
    """The smallest adjusted p that so many resamples can give; where it is above alpha, nothing can be found."""
    why: dict[int, str]
    """Why a pair that was asked for is not in the family, by its position."""
    least: int
    """The fewest common topics on which swaps can reach alpha."""
    resamples: int
    enumerated: bool
    """All sign vectors were gone through, and p is exact; `resamples` are all of them but the observed one."""
    signature: str

    def __len__(self) -> int:
        return self.p.size

    @property
    def warning(self) -> str:
        """Where the p-values may be used, in one line: swaps test exchangeable scores, not equal means."""
        return EXCHANGEABLE


def westfall_young(
    values: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    family: npt.ArrayLike | None = None,
) -> WestfallYoung:
    """Step-down adjusted p-values of all pairs of columns. Westfall and Young 1993; Ge, Dudoit and Speed 2003.

    A pair's |T^p| is compared with the largest |T^p| among the pairs that are no more significant. It is
    studentised, since sums of differences grow with n, which differs by pair.

    `family` has a truth value for each pair, to be tested or not; without it all are. A pair that has too few
    common topics to reach alpha whatever its scores leaves the family, and `why` says so. Where there are at
    most `resamples` + 1 vectors of signs, all of them are gone through and nothing is random.
    """
    matrix = checks.numbers("values", values, dimensions=2)
    checks.count("resamples", resamples, least=1)
    checks.one_of("alternative", alternative, get_args(Alternative))
    first, second = columns_of_pairs(matrix.shape[1])
    seen = (~np.isnan(matrix)).astype(np.float64)
    n = (seen.T @ seen)[first, second].astype(np.int64)
    asked = checks.family(family, n.size)
    least = least_topics(alpha, alternative)
    member = asked & (n >= least)
    positions = np.flatnonzero(member)
    used = np.count_nonzero(seen, axis=1) >= 2  # topics that some pair has
    topics = int(np.count_nonzero(used))
    enumerated = topics < 63 and 2**topics <= resamples + 1
    signs = all_signs(topics) if enumerated else draw_signs(topics, resamples, rng)
    swaps = SwapFamily(matrix=matrix[used], first=first, second=second, signs=signs, alternative=alternative)
    statistic, raw, p = np.full((3, n.size), np.nan)
    floor = np.nan
    if positions.size:
        statistic[positions] = swaps.statistics(positions)
        raw[positions], p[positions] = _max_t(swaps, positions, statistic[positions])
        floor = 1 / (len(signs) + 1)
    side = "two-sided" if alternative == "two-sided" else "one-sided"
    reach = f"swaps reach p = {alpha:g} {side} from {least} on"
    why = {int(k): f"{counted(int(n[k]), 'common topic')}: {reach}" for k in np.flatnonzero(asked & ~member)}
    how = f"all:{len(signs) + 1}" if enumerated else f"resamples:{len(signs)}"
    return WestfallYoung(
        alternative=alternative,
        n=n,
        statistic=statistic,
        raw=raw,
        p=p,
        member=member,
        floor=floor,
        why=why,
        least=least,
        resamples=len(signs),
        enumerated=enumerated,
        signature=f"westfall-young|max-t|{alternative}|pairs:{positions.size}|topics>={least}|{how}",
    )


def least_topics(alpha: float, alternative: Alternative = "two-sided") -> int:
    """The fewest topics on which swaps can reach alpha: the smallest n with 2^(1 - n) <= alpha, one-sided 2^-n.

    Of the 2^n vectors of signs the observed one always counts, and two-sided its negative too: 6 topics at .05,
    one-sided 5.
    """
    checks.share("alpha", alpha)
    checks.one_of("alternative", alternative, get_args(Alternative))
    n = 1 if alternative == "two-sided" else 0
    chance = 1.0
    while chance > alpha:
        chance /= 2
        n += 1
    return n


def _max_t(swaps: SwapFamily, positions: IntArray, statistic: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each pair's own p, and its adjusted one by the largest T^p: (k + 1) / (R + 1)."""
    from adjudge.stats.resampling.kernels import reached, step_max_t

    resamples = len(swaps.signs)
    order = np.argsort(swaps.keys(swaps.turn * statistic), kind="stable")
    running = np.full(resamples, -np.inf)
    alone, steps = [], []
    for s in swaps.sums(positions[order]):
        alone.append(reached(s.swapped, swaps.keys(s.observed) - s.noise, swaps.two_sided))
        steps.append(step_max_t(s.swapped, s.observed, s.noise, s.n, s.spread, swaps.two_sided, running))
    raw, p = np.empty((2, order.size))
    raw[order] = (np.concatenate(alone) + 1) / (resamples + 1)
    p[order] = (np.maximum.accumulate(np.concatenate(steps)[::-1])[::-1] + 1) / (resamples + 1)
    return raw, p
