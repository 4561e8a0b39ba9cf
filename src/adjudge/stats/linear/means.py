"""Means of a factor's levels as if every level had met the same conditions. Comparing them lives elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from adjudge.errors import UsageError
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.model import LinearFit, Model, Term

WHOLE = 1e-8
"""How far from 1 the weights that fall on observed cells may be; and how far from 0 what is not estimable."""


@dataclass(frozen=True)
class AdjustedMeans:
    """Least-squares means of a factor's levels, and how sure they are.

    In a complete design they are the plain means. Elsewhere they are what the model expects if every level had
    met every level of the other factors alike. A level that cannot be estimated has NaN, and `why` says why.
    The difference of levels i and j has variance covariance[i, i] + covariance[j, j] - 2 covariance[i, j], with
    `residual_df` degrees of freedom.
    """

    means: FloatArray
    covariance: FloatArray
    """`unscaled` times the residual mean square; NaN where there is no noise."""
    unscaled: FloatArray
    n: IntArray
    """Rows of each level; 0 where a level has no score."""
    residual_df: int
    residual_mean_square: float
    why: dict[int, str]
    """The reason, by level, where there is no mean."""


def adjusted_means(fit: LinearFit, factor: int) -> AdjustedMeans:
    """Least-squares means: every other factor's levels weigh the same. Searle, Speed and Milliken 1980.

    A level is estimable where the design says so: with an empty cell of an interaction it may not be, and neither
    are systems that share no topics, nor types of topics beside the topics themselves. A factor that this one
    determines, such as a system's kind, goes along with it.
    """
    model = fit.model
    if not 0 <= factor < len(model.factors):
        raise UsageError(f"factor: {factor} is none of the {len(model.factors)} factors")
    if not any(factor in key for key in model.keys):
        raise UsageError(f"factor: {factor} is in no term of the model")
    levels = model.levels[factor]
    n = np.bincount(model.factors[factor], minlength=levels).astype(np.int64)
    here = np.flatnonzero(n)
    why = {int(level): "it has no scores" for level in np.flatnonzero(n == 0)}
    means = np.full(levels, math.nan)
    unscaled = np.full((levels, levels), math.nan)
    if here.size:
        found, spread, lost = _estimates(fit, factor)
        means[here], unscaled[np.ix_(here, here)] = found, spread
        why |= {int(here[k]): "the design cannot tell it from other effects" for k in lost}
    return AdjustedMeans(
        means,
        unscaled * fit.residual_mean_square,
        unscaled,
        n,
        fit.residual_df,
        fit.residual_mean_square,
        why,
    )


def _estimates(fit: LinearFit, factor: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Means of the observed levels, their unscaled covariance, and which are not estimable."""
    model, space = fit.model, fit.space
    on_base, whole = _weights(model, factor, space.base)
    # A factor that another one says, as topics say their type, has no effect of its own beside it.
    whole &= any(factor in term.factors for term in (space.base, *space.others)) | (whole.size == 1)
    parts = []
    for term in space.others:
        part, complete = _weights(model, factor, term)
        parts.append(part)
        whole &= complete
    on_others = sparse.hstack(parts, format="csr") if parts else sparse.csr_array((whole.size, 0))
    centre = float(model.scores.mean())
    base_means, effects = space.coefficients(model.scores - centre)
    left = space.reduced(on_base, on_others)
    solved = space.inner.solve(left.T)
    gap = np.abs(space.inner.matrix @ solved - left.T).max(axis=0, initial=0.0)
    lost = ~whole | (gap > WHOLE * (1 + np.abs(left).max(axis=1, initial=0.0)))
    means = centre + on_base @ base_means + left @ effects
    spread = (on_base @ sparse.diags_array(1 / space.counts) @ on_base.T).toarray() + left @ solved
    means[lost] = spread[lost] = spread[:, lost] = math.nan
    return means, spread, np.flatnonzero(lost)


def _weights(model: Model, factor: int, term: Term) -> tuple[Any, BoolArray]:
    """How much each cell of a term counts for each observed level; and whether all cells needed are there."""
    levels = model.term((factor,)).cells[:, 0]
    if factor in term.factors:
        own = term.cells[:, term.factors.index(factor)]
        rows, columns = np.searchsorted(levels, own), np.arange(term.size)
    else:
        rows, columns = (
            np.repeat(np.arange(levels.size), term.size),
            np.tile(np.arange(term.size), levels.size),
        )
    others = [other for other in term.factors if other != factor]
    weight = 1 / math.prod(model.term((other,)).size for other in others)
    found = sparse.coo_array(
        (np.full(rows.size, weight), (rows, columns)), shape=(levels.size, term.size)
    ).tocsr()
    return found, np.abs(np.asarray(found.sum(axis=1)) - 1) < WHOLE
