"""One number out of several measures: principal components, means, and regression on people that is cross-validated.

Arrays are measures x topics x systems. A cell in which any measure is missing has no composite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import DataError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import exponents

FOLDS = 5
LEAST_FOLDS = 3
"""One to predict, one to choose the penalty by, and one to learn from."""
PENALTIES = 10.0 ** np.arange(-4, 4.5, 0.5)
"""Of ridge regression, as multiples of the number of cells that are learned from."""
_CONSTANT = 1e-12
"""Of a measure's standard deviation, relative to its size: rounding, not variation."""


@dataclass(frozen=True, eq=False)
class StandardisedMeasures:
    """Measures with mean 0 and standard deviation 1 (n - 1) over the cells that all of them have."""

    values: FloatArray
    """Kept measures x topics x systems; NaN in the cells in which any of them is missing."""
    kept: tuple[int, ...]
    constant: tuple[int, ...]
    """Measures left out, because they have one value everywhere, or none."""
    present: BoolArray
    """Topics x systems: the cells that all kept measures have."""
    incomplete: int
    """Cells in which some kept measure has a score and another has none."""

    @property
    def rows(self) -> FloatArray:
        """Cells x measures, without those that are missing."""
        return self.values[:, self.present].T

    def placed(self, scores: FloatArray) -> FloatArray:
        """A number per cell, topics x systems; NaN where there is none."""
        matrix = np.full(self.present.shape, np.nan)
        matrix[self.present] = scores
        return matrix


def standardise(measures: npt.ArrayLike) -> StandardisedMeasures:
    """Standardise at least two measures that vary; constant ones are left out."""
    values = checks.numbers("measures", measures, dimensions=3)
    values = np.ldexp(values, -exponents(values, axis=(1, 2)))  # standardised they have no unit
    kept = [k for k, scores in enumerate(values) if _varies(scores[~np.isnan(scores)])]
    _need_two(len(kept), len(values))
    present: BoolArray = np.logical_not(np.isnan(values[kept]).any(axis=0))
    # What varies over its own cells may still be constant over those that all measures have.
    alike = [k for k in kept if not _varies(values[k][present])]
    if alike and len(alike) < len(kept):
        kept = [k for k in kept if k not in alike]
        present = np.logical_not(np.isnan(values[kept]).any(axis=0))
    _need_two(len(kept), len(values))
    if present.sum() < 3:
        raise DataError(
            f"a composite needs three cells that all {len(kept)} measures have; there are {int(present.sum())}"
        )
    rows = values[kept][:, present]
    standardised = np.full((len(kept), *present.shape), np.nan)
    centred = rows - rows.mean(axis=1, keepdims=True)
    standardised[:, present] = centred / rows.std(axis=1, ddof=1, keepdims=True)
    return StandardisedMeasures(
        values=standardised,
        kept=tuple(kept),
        constant=tuple(k for k in range(len(values)) if k not in kept),
        present=present,
        incomplete=int((~np.isnan(values[kept])).any(axis=0).sum() - present.sum()),
    )


def _varies(values: FloatArray) -> bool:
    if values.size < 2:
        return False
    return bool(values.std() > _CONSTANT * max(1e-300, np.abs(values).max()))


def _need_two(kept: int, total: int) -> None:
    if kept < 2:
        left = f" ({total - kept} of {total} have one value everywhere, or none)" if kept < total else ""
        raise DataError(
            f"a composite needs two measures that vary; there {'is' if kept == 1 else 'are'} {kept}{left}"
        )


def mean_of(measures: StandardisedMeasures) -> FloatArray:
    """The mean of standardised measures, topics x systems."""
    return measures.placed(measures.rows.mean(axis=1))


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Principal components of standardised measures: the eigenvectors of their correlation matrix."""

    shares: FloatArray
    """Of the variance, by component; they sum to 1."""
    loadings: FloatArray
    """Components x measures: eigenvectors of length 1."""
    scores: FloatArray
    """Components x topics x systems."""


def principal_components(measures: StandardisedMeasures) -> PrincipalComponents:
    """As `prcomp(x, scale. = TRUE)`: the first has a positive correlation with the mean of the measures, so that higher
    is better; of the others the largest loading is positive."""
    rows = measures.rows
    _, singular, loadings = np.linalg.svd(rows, full_matrices=False)
    kept = singular > singular[0] * max(rows.shape) * np.finfo(float).eps
    singular, loadings = singular[kept], loadings[kept]
    signs = np.sign(loadings[np.arange(len(loadings)), np.abs(loadings).argmax(axis=1)])
    with_mean = float((rows @ loadings[0]) @ rows.mean(axis=1))
    signs[0] = np.sign(with_mean) if abs(with_mean) > 1e-9 * singular[0] else signs[0]
    loadings = loadings * signs[:, None]
    return PrincipalComponents(
        shares=singular**2 / (singular**2).sum(),
        loadings=loadings,
        scores=np.stack([measures.placed(rows @ loading) for loading in loadings]),
    )


@dataclass(frozen=True, eq=False)
class CrossValidatedRegression:
    """Ridge regression of people's scores on measures; a cell is predicted from other topics and other systems only."""

    predicted: FloatArray
    """Topics x systems: how far above the average cell, in people's units. NaN where a measure is missing."""
    weights: FloatArray
    """Models x measures: people's units per standard deviation of the measure."""
    penalties: FloatArray
    """By model, as multiples of its number of cells; chosen within the cells that it learned from."""
    topic_folds: IntArray
    system_folds: IntArray
    learned_from: tuple[int, int]
    """The least and the largest number of cells behind a model."""


Fitted = Callable[[tuple[int, ...], tuple[int, ...]], tuple[FloatArray, FloatArray]]
"""By folds of topics and of systems: the slopes and the intercept for every penalty."""


class _Moments(NamedTuple):
    """Sums over the cells of a block, or of several: all that least squares needs to know."""

    n: FloatArray
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray

    def over(self, topics: Sequence[int], systems: Sequence[int]) -> _Moments:
        """The sums over all blocks of some folds of topics and of systems."""
        return _Moments(*(moment[np.ix_(topics, systems)].sum(axis=(0, 1)) for moment in self))


def cross_validated_regression(
    measures: StandardisedMeasures,
    people: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    clusters: Sequence[str] | None = None,
) -> CrossValidatedRegression:
    """Predict people's scores (topics x systems) by ridge regression; folds of topics cross those of systems.

    The cells of a fold of topics and a fold of systems are predicted by a model that saw none of these topics and none
    of these systems. Its measures are standardised, and its penalty chosen by predicting the other folds in the same
    way, without them too. Topics of one cluster share a fold. A prediction has no intercept: the mean of the others is
    low where those left out are high, and would correlate negatively with what is predicted. It counts from the
    measures' means over all cells, which know nothing of people.
    """
    target = checks.numbers("people", people, dimensions=2)
    unit = exponents(target, axis=(0, 1))
    target = np.ldexp(target, -unit)
    if target.shape != measures.present.shape:
        raise DataError(f"people's scores are {target.shape}, the measures' {measures.present.shape}")
    topic_clusters = list(clusters) if clusters is not None else [str(k) for k in range(target.shape[0])]
    names = list(dict.fromkeys(topic_clusters))
    judged = measures.present & ~np.isnan(target)
    for what, there in (
        ("topics", len({topic_clusters[k] for k in np.flatnonzero(judged.any(axis=1))})),
        ("systems", int(judged.any(axis=0).sum())),
    ):
        if there < LEAST_FOLDS:
            raise DataError(
                f"regression that leaves out topics and systems needs {LEAST_FOLDS} {what} with people's scores;"
                f" there are {there}"
            )
    if not _varies(target[judged]):
        raise DataError("people gave one score to every summary: there is nothing to predict")
    fold_of = dict(zip(names, _folds(len(names), folds, rng), strict=True))
    topics = np.array([fold_of[name] for name in topic_clusters])
    systems = _folds(target.shape[1], folds, rng)
    moments = _moments(measures.values, target, judged, topics, systems)

    @cache  # four pairs of a fold left out and one that chooses the penalty have the same model
    def fitted(of_topics: tuple[int, ...], of_systems: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        learned = moments.over(of_topics, of_systems)
        slopes, _ = _ridge(learned, PENALTIES)
        return slopes, (learned.y - slopes @ learned.x) / max(float(learned.n), 1.0)

    predicted = np.full(target.shape, np.nan)
    weights, penalties, sizes = [], [], []
    for i in range(int(topics.max()) + 1):
        for j in range(int(systems.max()) + 1):
            others = [k for k in range(int(topics.max()) + 1) if k != i]
            rest = [k for k in range(int(systems.max()) + 1) if k != j]
            learned = moments.over(others, rest)
            penalty = _chosen_penalty(moments, fitted, others, rest)
            slopes, spread = _ridge(learned, np.array([penalty]))
            block = measures.present & (topics == i)[:, None] & (systems == j)[None, :]
            predicted[block] = measures.values[:, block].T @ slopes[0]
            weights.append(slopes[0] * spread)
            penalties.append(penalty)
            sizes.append(int(learned.n))
    return CrossValidatedRegression(
        predicted=np.ldexp(predicted, unit),
        weights=np.ldexp(np.array(weights), unit),
        penalties=np.array(penalties),
        topic_folds=topics,
        system_folds=systems,
        learned_from=(min(sizes), max(sizes)),
    )


def _folds(size: int, folds: int, rng: np.random.Generator) -> IntArray:
    """A fold for each of so many things, as even as can be."""
    checks.count("folds", folds, least=LEAST_FOLDS)
    fold_of: IntArray = rng.permutation(np.arange(size) % min(folds, size))
    return fold_of


def _moments(
    values: FloatArray, target: FloatArray, judged: BoolArray, topics: IntArray, systems: IntArray
) -> _Moments:
    x, y = values[:, judged].T, target[judged]
    y = y - y.mean()  # against rounding alone: every model centres on the mean of its own cells
    at = (topics[np.nonzero(judged)[0]], systems[np.nonzero(judged)[1]])
    shape = (int(topics.max()) + 1, int(systems.max()) + 1)
    n, m = np.zeros(shape), x.shape[1]
    moments = _Moments(
        n,
        np.zeros((*shape, m)),
        np.zeros(shape),
        np.zeros((*shape, m, m)),
        np.zeros((*shape, m)),
        np.zeros(shape),
    )
    for i, j in np.ndindex(*shape):
        here = (at[0] == i) & (at[1] == j)
        features, targets = x[here], y[here]
        sums = (
            len(features),
            features.sum(axis=0),
            targets.sum(),
            features.T @ features,
            features.T @ targets,
            targets @ targets,
        )
        for total, block_sum in zip(moments, sums, strict=True):
            total[i, j] = block_sum
    return moments


def _ridge(learned: _Moments, penalties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """By penalty the slopes, and by measure the standard deviation in the cells that were learned from."""
    n = max(float(learned.n), 1.0)
    mean = learned.x / n
    covariance = learned.xx / n - np.outer(mean, mean)
    spread = np.sqrt(np.clip(np.diag(covariance), 0, None))
    scale = np.where(spread > 1e-9, spread, np.inf)  # a measure that does not vary here has no slope
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    with_people = (learned.xy / n - mean * float(learned.y) / n) / scale
    shrunk = (vectors.T @ with_people) / (np.clip(values, 0, None) + penalties[:, None])
    return (shrunk @ vectors.T) / scale, spread


def _chosen_penalty(
    moments: _Moments, fitted: Fitted, topics: Sequence[int], systems: Sequence[int]
) -> float:
    """The penalty with the least squared error when each fold in turn is predicted from the others."""
    errors = np.zeros(PENALTIES.size)
    for i in topics:
        for j in systems:
            block = moments.over([i], [j])
            if not block.n:
                continue
            slopes, level = fitted(tuple(k for k in topics if k != i), tuple(k for k in systems if k != j))
            errors += (
                block.yy
                - 2 * (slopes @ block.xy + level * block.y)
                + ((slopes @ block.xx) * slopes).sum(axis=1)
                + 2 * level * (slopes @ block.x)
                + level**2 * block.n
            )
    return float(PENALTIES[int(errors.argmin())])
