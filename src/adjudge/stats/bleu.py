"""Corpus BLEU of added-up counts, its intervals and paired tests. Arrays only: names live in corpus.py."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray

ORDER = 4  # BLEU looks at 1- to 4-grams
WIDTH = 2 + 2 * ORDER  # length, length of the closest reference, hits of each order, n-grams of each order
BLOCK = 64
"""Resamples held at once: enough to be quick, few enough for 2,000 pairs of systems."""
TIE = 1e-12
"""Of the two scores: differences that are apart by less are equal but for rounding."""


def _none() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class PairedBleu:
    """Corpus BLEU of x less that of y on the `n` topics that both have, with two two-sided tests.

    `p` is of the randomization test, whose null distribution is `swapped`; `p_bootstrap` is of the bootstrap
    test, and `resampled` holds its differences, `low` and `high` their interval, `won` the share that is
    above zero. Where nothing can be tested, `why` says why and the numbers are NaN.
    """

    n: int
    difference: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    p_bootstrap: float = math.nan
    won: float = math.nan
    why: str | None = None
    swapped: FloatArray = field(default_factory=_none, repr=False, compare=False)
    resampled: FloatArray = field(default_factory=_none, repr=False, compare=False)


def corpus_bleu(counts: npt.ArrayLike, *, smooth: str = "exp") -> FloatArray:
    """BLEU, 0 to 100, of counts (the last axis) that were added up over topics. Papineni et al. 2002.

    As sacrebleu's corpus score: four orders always, and smoothing of orders without any hit.
    """
    values = np.asarray(counts, dtype=np.float64)
    length, reference = values[..., 0], values[..., 1]
    hits, grams = values[..., 2 : 2 + ORDER], values[..., 2 + ORDER :]
    any_hit = hits.any(axis=-1)
    if smooth == "add-k":
        later = np.arange(ORDER) > 0
        hits, grams = hits + later, grams + later
    none = hits == 0
    if smooth == "exp":
        hits = np.where(none, 0.5 ** np.cumsum(none, axis=-1), hits)
    elif smooth == "floor":
        hits = np.where(none, 0.1, hits)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(grams > 0, hits / grams, 0.0)
        mean = np.exp(np.log(precision).mean(axis=-1))
        brevity = np.where(length < reference, np.exp(1 - reference / length), 1.0)
        return np.where(any_hit, 100 * brevity * mean, 0.0)


def bootstrap_bleu(
    counts: IntArray,
    present: BoolArray,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    smooth: str = "exp",
) -> tuple[FloatArray, FloatArray]:
    """Percentile intervals of every system's corpus BLEU, low and high, by drawing topics. Koehn 2004.

    `counts` is topics x systems x WIDTH. A system is drawn from the topics it has; with fewer than two, NaN.
    """
    _check(counts, present, resamples, level)
    low, high = np.full((2, counts.shape[1]), np.nan)
    for rows, systems in _sharing(present):
        if rows.size >= 2:
            scores = _drawn(counts[np.ix_(rows, systems)], rng, resamples, smooth)
            low[systems], high[systems] = np.quantile(scores, _tails(level), axis=0)
    return low, high


def paired_bleu(
    counts: IntArray,
    present: BoolArray,
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    smooth: str = "exp",
) -> list[PairedBleu]:
    """Every two systems i < j on the topics that both have, in the order of itertools.combinations.

    Randomization: the two texts of a topic change sides or stay, by a coin, and the difference is taken
    again (Riezler and Maxwell 2005, section 4). Bootstrap: topics are drawn with replacement (Koehn 2004); p
    counts differences that lie at least as far from their mean as the observed one lies from zero. Both p are
    (k + 1) / (resamples + 1). Pairs with the same topics share their coins and draws.
    """
    _check(counts, present, resamples, level)
    places = np.array(list(combinations(range(counts.shape[1]), 2)), dtype=int).reshape(-1, 2)
    found: dict[int, PairedBleu] = {}
    for rows, pairs in _sharing(present[:, places[:, 0]] & present[:, places[:, 1]]):
        systems, at = np.unique(places[pairs], return_inverse=True)
        cells = counts[np.ix_(rows, systems)]
        first, second = at.reshape(-1, 2).T
        if rows.size < 2:
            results = _untested(cells, first, second, smooth)
        else:
            results = _tested(cells, first, second, rng, resamples, level, smooth)
        found.update(zip(pairs.tolist(), results, strict=True))
    return [found[pair] for pair in range(len(places))]


def _tested(
    cells: IntArray,
    first: IntArray,
    second: IntArray,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    smooth: str,
) -> list[PairedBleu]:
    """Both tests of pairs that have the same topics."""
    scores = corpus_bleu(cells.sum(axis=0), smooth=smooth)
    observed = scores[first] - scores[second]
    swapped = _swapped(cells, first, second, rng, resamples, smooth)
    drawn = _drawn(cells, rng, resamples, smooth)
    resampled = drawn[:, first] - drawn[:, second]
    low, high = np.quantile(resampled, _tails(level), axis=0)
    least = np.abs(observed) - TIE * (scores[first] + scores[second])
    p, p_bootstrap = _p(swapped, least), _p(resampled - resampled.mean(axis=0), least)
    won = np.mean(resampled > 0, axis=0) + np.mean(resampled == 0, axis=0) / 2
    return [
        PairedBleu(
            len(cells),
            float(observed[k]),
            float(low[k]),
            float(high[k]),
            float(p[k]),
            float(p_bootstrap[k]),
            float(won[k]),
            None,
            swapped[:, k].copy(),
            resampled[:, k].copy(),
        )
        for k in range(len(observed))
    ]


def _untested(cells: IntArray, first: IntArray, second: IntArray, smooth: str) -> list[PairedBleu]:
    """Pairs with too few topics in common."""
    scores = corpus_bleu(cells.sum(axis=0), smooth=smooth)
    observed = scores[first] - scores[second] if len(cells) else np.full(first.size, np.nan)
    why = f"needs two topics that both have, has {len(cells)}"
    return [PairedBleu(len(cells), float(difference), why=why) for difference in observed]


def _swapped(
    cells: IntArray, first: IntArray, second: IntArray, rng: np.random.Generator, resamples: int, smooth: str
) -> FloatArray:
    """Differences after swapping, resamples x pairs."""
    topics, systems, _ = cells.shape
    totals, flat = cells.sum(axis=0), cells.reshape(topics, -1).astype(np.float64)
    found = np.empty((resamples, first.size))
    for start in range(0, resamples, BLOCK):
        stop = min(start + BLOCK, resamples)
        coins = (rng.random((stop - start, topics)) < 0.5).astype(np.float64)
        moved = (coins @ flat).reshape(-1, systems, WIDTH)
        change = moved[:, second] - moved[:, first]
        x = corpus_bleu(totals[first] + change, smooth=smooth)
        found[start:stop] = x - corpus_bleu(totals[second] - change, smooth=smooth)
    return found


def _drawn(cells: IntArray, rng: np.random.Generator, resamples: int, smooth: str) -> FloatArray:
    """Scores of topics drawn with replacement, resamples x systems."""
    topics, systems, _ = cells.shape
    flat = cells.reshape(topics, -1).astype(np.float64)
    found = np.empty((resamples, systems))
    for start in range(0, resamples, BLOCK):
        stop = min(start + BLOCK, resamples)
        # One draw per resample, so that the random stream does not depend on the blocks.
        times = [np.bincount(rng.integers(0, topics, topics), minlength=topics) for _ in range(start, stop)]
        sums = np.array(times, dtype=np.float64) @ flat
        found[start:stop] = corpus_bleu(sums.reshape(-1, systems, WIDTH), smooth=smooth)
    return found


def _p(null: FloatArray, least: FloatArray) -> FloatArray:
    """Two-sided, never 0 (Davison and Hinkley 1997, section 4.2)."""
    as_far: IntArray = np.count_nonzero(np.abs(null) >= least, axis=0)
    return (as_far + 1) / (len(null) + 1)


def _sharing(present: BoolArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Columns that have the same rows, together: the rows and the columns."""
    if not present.shape[1]:
        return
    masks, member_of = np.unique(present.T, axis=0, return_inverse=True)
    for k, mask in enumerate(masks):
        yield np.flatnonzero(mask), np.flatnonzero(member_of.reshape(-1) == k)


def _tails(level: float) -> list[float]:
    return [(1 - level) / 2, (1 + level) / 2]


def _check(counts: IntArray, present: BoolArray, resamples: int, level: float) -> None:
    checks.count("resamples", resamples, least=1)
    checks.share("level", level)
    if counts.ndim != 3 or counts.shape[2] != WIDTH or counts.shape[:2] != present.shape:
        raise UsageError(
            f"counts: expected topics x systems x {WIDTH}, and present topics x systems;"
            f" got {counts.shape} and {present.shape}"
        )
