"""How far the noise of judging reaches into a ranking: draws of the columns' means from a fitted mixed model.

A row is what one assessor said of one system on one topic. The topics are taken as they are: what is asked is what
the same topics would have given if these assessors, or assessors like them, had judged (again).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import splu

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.judging import FEWEST_DF, group_labels, judge_freedom
from adjudge.stats.linear.mixed import MixedFit, fit_mixed
from adjudge.stats.linear.model import Key, LinearModel, fit_additive, same_groups
from adjudge.stats.order import places

Population = Literal["these", "like"]

SYSTEM, TOPIC, ASSESSOR = 0, 1, 2
TERMS: tuple[Key, ...] = ((TOPIC,), (ASSESSOR,), (TOPIC, ASSESSOR), (SYSTEM, TOPIC), (SYSTEM, ASSESSOR))
"""Random terms, those that a design cannot identify left out."""

DRAWS = 10_000
RESAMPLED_FROM = 10
"""Assessors from which they may be resampled: with three, intervals that should cover .95 cover .77."""
EXACT_UP_TO = 600
"""Cells of the model up to which its residual degrees of freedom are counted; beyond, they are as good as infinite."""


@dataclass(frozen=True)
class RankDraws:
    """What draws of the means say, for one population of assessors."""

    population: Population
    beats: FloatArray
    """The probability that the row's system beats the column's, ties half; NaN on the diagonal."""
    low: IntArray
    high: IntArray
    """The range of ranks that holds `level` of the draws; rank 1 is the best."""
    best: FloatArray
    """The share of draws in which a system has the best mean, ties shared."""
    level: float
    draws: int
    df: float
    """Degrees of freedom behind the variance of a difference; NaN where assessors were resampled."""


@dataclass(frozen=True)
class JudgeNoise:
    """Means of the systems, the components of variance, and what they leave of the ranking."""

    means: FloatArray
    """Adjusted for topics and assessors where not everybody judged everything; NaN where systems share no topics."""
    ranks: IntArray
    """0 where there are no means to rank by."""
    topics_of: IntArray
    """How many topics each system was judged on."""
    part: IntArray
    """Systems that a chain of common topics connects have the same number."""
    complete: bool
    """Whether all assessors of a topic judged all systems on it, as many on every topic, each as many topics."""
    terms: tuple[Key, ...]
    """Random terms that the design identifies."""
    variances: FloatArray
    """Of the terms, and last of the noise."""
    assessors: int
    topics: int
    rows: int
    assessor_df: int
    """Of how assessors differ about systems: `judging.judge_freedom`."""
    these: RankDraws | None
    like: RankDraws | None
    why: Note | None = None
    """Why nothing was drawn."""
    why_not_like: Note | None = None
    """Why nothing is said of assessors like these."""

    @property
    def separated(self) -> bool:
        """Whether the noise of judging can be told from what topics do to systems."""
        return (SYSTEM, TOPIC) in self.terms

    def variance(self, key: Key) -> float:
        """A term's variance; NaN where the design does not identify it."""
        return float(self.variances[self.terms.index(key)]) if key in self.terms else math.nan


def judge_noise(
    values: npt.ArrayLike,
    system: npt.ArrayLike,
    topic: npt.ArrayLike,
    assessor: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    better: Literal["higher", "lower"] = "higher",
    draws: int = DRAWS,
    level: float = 0.95,
    resample: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> JudgeNoise:
    """Draw the means that judging could have given: factors are whole numbers from 0, a row for each judgment.

    The model is value ~ system with random terms for topic, assessor and their interactions (REML), and the means are
    its estimates: plain means where everybody judged everything, adjusted for topics and assessors elsewhere. Another
    round of judging moves them by the noise, for these assessors; for assessors like them also by their own ways with
    systems. Draws have Student's t distribution, with the degrees of freedom of the noise or of systems by assessors.
    `resample` draws assessors with replacement instead; that takes ten of them.
    """
    checks.count("draws", draws, least=100)
    checks.share("level", level)
    checks.one_of("better", better, ("higher", "lower"))
    scores = checks.numbers("values", values, dimensions=1)
    present = ~np.isnan(scores)
    codes = [np.asarray(factor, dtype=np.int64)[present] for factor in (system, topic, assessor)]
    scores = scores[present]
    sizes = [int(factor.max(initial=-1)) + 1 for factor in codes]
    complete = _complete(codes, sizes)
    additive = fit_additive(_cell_means(scores, codes, sizes).T)
    means = additive.means
    sign = -1.0 if better == "higher" else 1.0
    keys = identified(codes)
    why = _why_not(sizes, additive.parts) or (None if keys else Note.of("nothing-shared"))
    fit = None if why else _fitted(scores, codes, keys)
    if fit is not None:
        keys, why = fit.random, fit.why
    weights = None
    if fit is not None and why is None:
        weights = _pooling(codes, sizes) if complete else _estimating(codes, fit)
        means = weights @ scores
    groups, _ = group_labels(codes[TOPIC], codes[ASSESSOR])
    df = int(judge_freedom(sizes[ASSESSOR], groups, sizes[SYSTEM]))

    def result(variances: FloatArray, **drawn: RankDraws | Note) -> JudgeNoise:
        return JudgeNoise(
            means=means,
            ranks=np.zeros(means.size, dtype=np.int64) if np.isnan(means).any() else places(sign * means),
            topics_of=additive.n,
            part=additive.part,
            complete=complete,
            terms=keys,
            variances=variances,
            assessors=sizes[ASSESSOR],
            topics=sizes[TOPIC],
            rows=scores.size,
            assessor_df=df,
            why=why,
            **{"these": None, "like": None, **drawn},  # type: ignore[arg-type]
        )

    if fit is None or weights is None:
        return result(np.full(len(keys) + 1, math.nan))

    def drawn(population: Population, covariance: FloatArray, df: float) -> RankDraws:
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
        moves = rng.standard_normal((draws, means.size)) @ root.T
        if math.isfinite(df):
            moves /= np.sqrt(rng.chisquare(df, size=(draws, 1)) / df)
        return _summed(population, means + moves, sign, level, df)

    noise = fit.residual_variance * _dense(weights @ weights.T)
    these = drawn("these", noise, _noise_df(codes, keys))
    variances = np.append(fit.variances, fit.residual_variance)
    if (SYSTEM, ASSESSOR) not in keys or df < FEWEST_DF:
        return result(variances, these=these, why_not_like=Note.of("few-shared"))
    if resample:
        if sizes[ASSESSOR] < RESAMPLED_FROM:
            raise UsageError(
                f"resample: {sizes[ASSESSOR]} assessors are too few to resample them, {RESAMPLED_FROM} are needed;"
                " without it, draws come from the fitted model"
            )
        again = _resampled(scores, codes, sizes, rng, draws, progress)
        like = _summed("like", again, sign, level, math.nan)
    else:
        for key, variance in zip(keys, fit.variances.tolist(), strict=True):
            if ASSESSOR in key:
                moved = weights @ _cells(codes, key)
                noise = noise + variance * _dense(moved @ moved.T)
        like = drawn("like", noise, float(df))
    return result(variances, these=these, like=like)


def identified(codes: Sequence[IntArray]) -> tuple[Key, ...]:
    """The random terms that a design can tell apart: from each other, and from the noise of single rows."""
    model = LinearModel(np.zeros(codes[0].size), codes, [(SYSTEM,), *TERMS])
    kept: list[Key] = []
    for key in TERMS:
        term = model.term(key)
        grouped = 1 < term.size < model.n
        if grouped and not any(same_groups(term, model.term(other)) for other in ((SYSTEM,), *kept)):
            kept.append(key)
    return tuple(kept)


def _fitted(scores: FloatArray, codes: Sequence[IntArray], keys: tuple[Key, ...]) -> MixedFit:
    """The model with as many of the terms as leave something for the noise; systems by assessors always stay.

    Where each summary was judged by whoever was assigned, few assessors share a topic, and their ways with topics are
    noise; then so is what topics do to systems.
    """
    fit = fit_mixed(scores, codes, fixed=[SYSTEM], random=keys)
    for spare in ((TOPIC, ASSESSOR), (SYSTEM, TOPIC)):
        left = tuple(key for key in fit.random if key != spare)
        if fit.why is not None and left and len(left) < len(fit.random):
            again = fit_mixed(scores, codes, fixed=[SYSTEM], random=left)
            fit = again if again.why is None or spare == (TOPIC, ASSESSOR) else fit
    return fit


def _why_not(sizes: Sequence[int], parts: int) -> Note | None:
    if sizes[SYSTEM] < 2:
        return Note.of("few-systems", systems=sizes[SYSTEM])
    if sizes[TOPIC] < 2:
        return Note.of("one-topic")
    if parts > 1:
        return Note.of("parts")
    if sizes[ASSESSOR] < 2:
        return Note.of("one-assessor")
    return None


def _pooling(codes: Sequence[IntArray], sizes: Sequence[int]) -> sparse.csr_array:
    """A row for each system, whose product with the scores is its mean: over assessors, then over topics."""
    cell = codes[SYSTEM] * sizes[TOPIC] + codes[TOPIC]
    rows = np.bincount(cell, minlength=sizes[SYSTEM] * sizes[TOPIC])
    topics = (rows.reshape(sizes[SYSTEM], sizes[TOPIC]) > 0).sum(axis=1)
    weights = 1 / (rows[cell] * topics[codes[SYSTEM]])
    return sparse.csr_array(
        (weights, (codes[SYSTEM], np.arange(cell.size))), shape=(sizes[SYSTEM], cell.size)
    )


def _cell_means(
    scores: FloatArray, codes: Sequence[IntArray], sizes: Sequence[int], times: FloatArray | None = None
) -> FloatArray:
    """Systems x topics, the mean over assessors, each of whose scores counts so many times; NaN where nobody judged."""
    cell = codes[SYSTEM] * sizes[TOPIC] + codes[TOPIC]
    number = np.bincount(cell, weights=times, minlength=sizes[SYSTEM] * sizes[TOPIC])
    total = np.bincount(cell, weights=scores if times is None else times * scores, minlength=number.size)
    with np.errstate(invalid="ignore"):
        return np.asarray((total / number).reshape(sizes[SYSTEM], sizes[TOPIC]))


def _complete(codes: Sequence[IntArray], sizes: Sequence[int]) -> bool:
    """Whether all assessors of a topic judged all systems on it, as many on every topic, each as many topics.

    Then the model's estimates are plain means.
    """
    pair = codes[TOPIC] * sizes[ASSESSOR] + codes[ASSESSOR]
    times = np.bincount(pair, minlength=sizes[TOPIC] * sizes[ASSESSOR])
    judged = times.reshape(sizes[TOPIC], sizes[ASSESSOR]) > 0
    alike = all(np.ptp(judged.sum(axis=axis)) == 0 for axis in (0, 1)) if judged.size else True
    return alike and bool(np.isin(times, (0, sizes[SYSTEM])).all())


def _estimating(codes: Sequence[IntArray], fit: MixedFit) -> FloatArray:
    """A row for each system, whose product with the scores is the model's estimate of its mean.

    These are (X' V^-1 X)^-1 X' V^-1, with V^-1 X = X - Z u, u being the predictions of X's columns without fixed
    effects.
    """
    system = _cells(codes, (SYSTEM,))
    ratios = np.sqrt(fit.variances / fit.residual_variance).tolist()
    scaled = [ratio * _cells(codes, key) for key, ratio in zip(fit.random, ratios, strict=True) if ratio > 0]
    whitened = system.toarray()
    if scaled:
        random = sparse.hstack(scaled, format="csc")
        inner = (random.T @ random + sparse.eye_array(random.shape[1])).tocsc()
        solved = splu(inner).solve((random.T @ system).toarray())
        whitened = whitened - random @ solved
    return np.asarray(np.linalg.solve(system.T @ whitened, whitened.T))


def _dense(matrix: Any) -> FloatArray:
    """Of plain weights, which are sparse, and of estimated ones, which are not."""
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)


def _cells(codes: Sequence[IntArray], key: Key) -> sparse.csr_array:
    """Rows x cells of a term, 1 where a row is in a cell."""
    _, cell = np.unique(np.stack([codes[k] for k in key]), axis=1, return_inverse=True)
    cell = cell.ravel()
    return sparse.csr_array((np.ones(cell.size), (np.arange(cell.size), cell)))


def _noise_df(codes: Sequence[IntArray], keys: Sequence[Key]) -> float:
    """Degrees of freedom of the noise after all terms."""
    model = LinearModel(np.zeros(codes[0].size), codes, [(SYSTEM,), *keys])
    if sum(model.term(key).size for key in model.keys) > EXACT_UP_TO:
        return math.inf
    return float(max(1, model.n - model.space(model.keys).rank))


def _resampled(
    scores: FloatArray,
    codes: Sequence[IntArray],
    sizes: Sequence[int],
    rng: np.random.Generator,
    draws: int,
    progress: Callable[[int, int], None],
) -> FloatArray:
    """Means with assessors drawn with replacement, over the topics that somebody drawn judged, adjusted for topics.

    A draw that leaves systems without common topics is left out.
    """
    means, people = np.empty((draws, sizes[SYSTEM])), sizes[ASSESSOR]
    for draw in range(draws):
        times = np.bincount(rng.integers(people, size=people), minlength=people).astype(np.float64)
        of_cells = _cell_means(scores, codes, sizes, times[codes[ASSESSOR]])
        judged = of_cells[:, ~np.isnan(of_cells).all(axis=0)]
        means[draw] = fit_additive(judged.T).means if np.isnan(judged).any() else judged.mean(axis=1)
        if draw % 500 == 499:
            progress(draw + 1, draws)
    return means[~np.isnan(means).any(axis=1)]


def _summed(population: Population, drawn: FloatArray, sign: float, level: float, df: float) -> RankDraws:
    draws, systems = drawn.shape
    signed = sign * drawn  # the smallest is the best
    beats = np.full((systems, systems), math.nan)
    ranks = np.empty(drawn.shape, dtype=np.int64)
    ranks[:] = 1
    for one in range(systems):
        before = signed[:, [one]] < signed
        tied = signed[:, [one]] == signed
        wins = before.sum(axis=0) + 0.5 * tied.sum(axis=0)
        beats[one] = (wins + 0.5) / (draws + 1)
        ranks += before
    np.fill_diagonal(beats, math.nan)
    low, high = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0, method="inverted_cdf")
    first = ranks == 1
    return RankDraws(
        population=population,
        beats=beats,
        low=low.astype(np.int64),
        high=high.astype(np.int64),
        best=(first / first.sum(axis=1, keepdims=True)).mean(axis=0),
        level=level,
        draws=draws,
        df=df,
    )
