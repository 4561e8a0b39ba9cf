"""How large an interaction is, cell by cell, and which cells are large. The table of F lives elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import stdtr, stdtrit

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.model import Key, LinearFit, Term, crossed


@dataclass(frozen=True)
class InteractionEffects:
    """Weighted effects of an interaction, one for each observed cell.

    Weighted by the cells' counts, they add up to 0 over every level of either factor. A cell is large where its
    effect is further from 0 than chance takes any of the cells with probability alpha: its t beyond the
    two-sided quantile at alpha divided by the number of cells (Bonferroni).
    """

    term: Key
    cells: IntArray
    """The level of each factor, cell by cell."""
    n: IntArray
    effects: FloatArray
    standard_errors: FloatArray
    """NaN where there is no noise to tell; 0 where the other terms leave a cell no freedom."""
    p: FloatArray
    """Two-sided, not corrected."""
    limit: float
    """How many standard errors make an effect large."""
    large: BoolArray
    alpha: float

    @property
    def tested(self) -> int:
        """Cells whose effect has an error: those that the correction counts."""
        return int(np.count_nonzero(self.standard_errors > 0))

    def table(self) -> FloatArray:
        """Levels of the first factor in rows, of the second in columns; NaN where there is no score."""
        found = np.full(tuple(self.cells.max(axis=0, initial=-1) + 1), math.nan)
        found[self.cells[:, 0], self.cells[:, 1]] = self.effects
        return found


def interaction_effects(fit: LinearFit, term: Key, *, alpha: float = 0.05) -> InteractionEffects:
    """The effects of a two-way interaction after all other terms, as S-PLUS's and R's model.tables have them.

    The effect of a cell is the mean, over its rows, of what the interaction alone adds to the fit. Where the
    interaction is the last term, that is what model.tables(type="effects") prints.
    """
    checks.share("alpha", alpha)
    model = fit.model
    if len(term) != 2 or term not in model.keys:
        raise UsageError(f"term: {term} is not a two-way interaction of the model")
    if any(set(term) < set(key) for key in model.keys):
        raise UsageError(f"term: {term} is within a larger interaction")
    if not fit.n:
        return judged(
            term, np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), 0, alpha=alpha
        )
    rest = [key for key in model.keys if key != term]
    cells = model.term(term)
    n = np.bincount(cells.codes, minlength=cells.size).astype(np.int64)
    added = model.fitted(model.keys) - model.fitted(rest)
    effects = np.bincount(cells.codes, added, cells.size) / n
    freedom = _freedom(fit, rest, cells, n)
    errors = np.sqrt(fit.residual_mean_square * freedom) / n
    return judged(term, cells.cells, n, effects, errors, fit.residual_df, alpha=alpha)


def judged(
    term: Key, cells: IntArray, n: IntArray, effects: FloatArray, errors: FloatArray, df: int, *, alpha: float
) -> InteractionEffects:
    """Effects with their standard errors: which are large."""
    free = errors > 0
    t = np.full(effects.size, math.nan)
    t[free] = np.abs(effects[free]) / errors[free]
    p = 2 * stdtr(df, -t) if df else np.full(effects.size, math.nan)
    limit = float(-stdtrit(df, alpha / 2 / max(1, int(free.sum())))) if df else math.nan
    return InteractionEffects(term, cells, n, effects, errors, p, limit, t > limit, alpha)


def _freedom(fit: LinearFit, rest: list[Key], cells: Term, n: IntArray) -> FloatArray:
    """1_c' P 1_c for every cell c, P being the projection on what the interaction adds.

    The whole model holds the cell's indicator 1_c, so of it P leaves n_c - 1_c' P_rest 1_c.
    """
    space = fit.model.space(rest)
    on_base = crossed(cells, space.base)
    parts = [crossed(cells, term) for term in space.others]
    on_others = sparse.hstack(parts, format="csr") if parts else sparse.csr_array((cells.size, 0))
    left = n - space.quadratic(on_base, on_others)
    return np.where(left > 1e-9 * n, left, 0.0)
