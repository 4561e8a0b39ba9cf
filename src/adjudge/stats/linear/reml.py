"""The REML criterion of a model with crossed random terms, and its gradient. Fitting lives in mixed.py.

y = X b + sum_k Z_k u_k + e, with u_k ~ N(0, theta_k^2 sigma^2) for every cell of term k and e ~ N(0, sigma^2).
statsmodels' MixedLM is made for groups; crossed terms are one group of all rows there, which is slow and often
does not converge. Here, as in lme4 (Bates, Maechler, Bolker and Walker 2015), b and sigma are profiled out, so
that only the ratios theta are searched. The random term with the most cells is eliminated first: its part of the
equations is diagonal. The rest is one small dense system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.model import MOST_COLUMNS, Term, indicators

COMPILED_UP_TO = 300
"""Equations up to which compiled code solves them: about 20 ms there, in which LAPACK takes 1 ms if it is alone."""

ROUNDING = 1e-15
"""What a residual sum of squares has at least, beside the whole."""

NOT_APART = "the fixed effects cannot be told apart"


@dataclass(frozen=True)
class Criterion:
    """The criterion at some theta, and what the fit is there."""

    deviance: float
    """-2 log of the restricted likelihood, sigma at its best."""
    slope: FloatArray
    """Its derivative by log theta_k."""
    traces: FloatArray
    """For each term, how many of its cells' worth of freedom the data take: q_k - tr(C_kk)."""
    squares: FloatArray
    """For each term, the sum of squares of u_k / theta_k."""
    rss: float
    """Penalised residual sum of squares; sigma^2 is this over n - p."""
    fixed: FloatArray
    """b."""
    unscaled: FloatArray
    """The covariance of b over sigma^2."""
    effects: tuple[FloatArray, ...]
    """u_k, the best predictions."""

    def full_slope(self, sigma2: float, df: int) -> FloatArray:
        """The derivative of the criterion by (log theta, log sigma^2) with sigma not profiled out."""
        by_theta = 2 * (self.traces - self.squares / sigma2)
        return np.append(by_theta, df - self.rss / sigma2)


class Reml:
    """Cross-products of a design, made once; `at(theta)` is the criterion there."""

    def __init__(self, y: FloatArray, fixed: Any, terms: Sequence[Term]):
        """`fixed` is X, sparse and of full rank; `terms` are at least one."""
        self.n, self.p = fixed.shape
        self.df = self.n - self.p
        self.sizes = [term.size for term in terms]
        order = sorted(range(len(terms)), key=lambda k: -terms[k].size)
        self._first, self._others = order[0], sorted(order[1:])
        random = [indicators(terms[k]) for k in self._others]
        self._columns = sum(self.sizes[k] for k in self._others)
        if self._columns + self.p > MOST_COLUMNS:
            raise UsageError(
                f"the model is too large: {self._columns + self.p:,} effects beside its largest random term,"
                f" at most {MOST_COLUMNS:,}; leave out an interaction"
            )
        self._design = sparse.hstack([*random, fixed], format="csr")
        self._absorbed = indicators(terms[self._first])
        self._counts = np.asarray(self._absorbed.sum(axis=0)).ravel()
        self._inner = (self._design.T @ self._design).toarray()
        self._cross = (self._design.T @ self._absorbed).tocsc()
        self.compiled = self._inner.shape[0] <= COMPILED_UP_TO
        """Whether the small equations are solved in compiled code."""
        self.take(y)

    def take(self, y: FloatArray) -> None:
        """Other scores for the same design; the centre is in the span of X."""
        self.y = y - y.mean()
        self._on_design = self._design.T @ self.y
        self._on_absorbed = self._absorbed.T @ self.y
        self._square = float(self.y @ self.y)

    def at(self, theta: FloatArray) -> Criterion:
        """The criterion at these ratios of standard deviations; 0 takes a term out.

        The equations are [Z X]'[Z X] with random columns times theta and with 1 on their diagonal. What is left
        of y'y after solving them is the residual sum of squares; their determinant is the product of both that
        the criterion needs, of the random effects' and of the fixed effects' equations.
        """
        ratio = theta[self._first] ** 2
        shrink = 1 / (1 + ratio * self._counts)
        scale = np.ones(self._columns + self.p)
        scale[: self._columns] = np.repeat(
            [theta[k] for k in self._others], [self.sizes[k] for k in self._others]
        )
        right = scale * (self._on_design - self._cross @ (ratio * shrink * self._on_absorbed))
        square = self._square - float(self._on_absorbed**2 @ (ratio * shrink))
        solve = self._solved_compiled if self.compiled else self._solved
        solved, explained, inverse, log_det, inside = solve(right, scale, ratio * shrink, ratio * shrink**2)
        traces, squares, effects = self._by_term(theta, shrink, solved, inverse, inside)
        rss = max(square - explained, ROUNDING * self._square)
        deviance = float(np.log1p(ratio * self._counts).sum()) + log_det
        deviance += self.df * (1 + math.log(2 * math.pi * rss / self.df))
        fixed = slice(self._columns, None)
        return Criterion(
            deviance,
            2 * (traces - self.df * squares / rss),
            traces,
            squares,
            rss,
            solved[fixed],
            inverse[fixed, fixed],
            tuple(effects),
        )

    def _by_term(
        self, theta: FloatArray, shrink: FloatArray, solved: FloatArray, inverse: FloatArray, inside: float
    ) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
        """Traces, squares and effects of every random term."""
        traces, squares = np.zeros(theta.size), np.zeros(theta.size)
        effects = [np.zeros(0)] * theta.size
        start = 0
        for k in self._others:
            part = slice(start, start + self.sizes[k])
            start = part.stop
            effects[k] = solved[part]
            traces[k] = self.sizes[k] - float(inverse.diagonal()[part].sum())
            squares[k] = float(np.sum((solved[part] / theta[k]) ** 2)) if theta[k] else 0.0
        # The absorbed term's block of the inverse is D + D B' C B D, with D the shrinkage.
        first = theta[self._first]
        left = shrink * first * (self._on_absorbed - self._cross.T @ solved)
        effects[self._first] = first * left
        squares[self._first] = float(left @ left)
        traces[self._first] = float(np.sum(1 - shrink)) - inside
        return traces, squares, effects

    def _solved(
        self, right: FloatArray, scale: FloatArray, out: FloatArray, through: FloatArray
    ) -> tuple[FloatArray, float, FloatArray, float, float]:
        """Effects, what they explain, the inverse, its log determinant, and what the absorbed term sees of it."""
        cross = self._cross
        matrix = self._scaled(self._inner - (cross @ sparse.diags_array(out) @ cross.T).toarray(), scale)
        root, failed = lapack.dpotrf(matrix, lower=1, clean=1)
        if failed:
            raise UsageError(NOT_APART)
        half, _ = lapack.dtrtrs(root, right, lower=1)
        solved, _ = lapack.dtrtrs(root, half, lower=1, trans=1)
        inverse, _ = lapack.dpotri(root, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        spread = (cross @ sparse.diags_array(through) @ cross.T).toarray()
        inside = float(np.sum(scale[:, None] * inverse * scale * spread))
        return scale * solved, float(half @ half), inverse, 2 * float(np.log(root.diagonal()).sum()), inside

    def _solved_compiled(
        self, right: FloatArray, scale: FloatArray, out: FloatArray, through: FloatArray
    ) -> tuple[FloatArray, float, FloatArray, float, float]:
        from adjudge.stats.linear.kernels import seen_through, sweep, take_out

        cross, size = self._cross, right.size
        left = self._inner.copy()
        take_out(left, cross.indptr, cross.indices, cross.data, out)
        matrix = np.zeros((size + 1, size + 1))
        matrix[:size, :size] = self._scaled(left, scale)
        matrix[:size, size] = matrix[size, :size] = right
        log_det = sweep(matrix, size)
        if math.isnan(log_det):
            raise UsageError(NOT_APART)
        inverse = matrix[:size, :size]
        seen = scale[:, None] * inverse * scale
        inside = seen_through(seen, cross.indptr, cross.indices, cross.data, through)
        return scale * matrix[:size, size], -matrix[size, size], inverse, log_det, inside

    def _scaled(self, matrix: FloatArray, scale: FloatArray) -> FloatArray:
        matrix = scale[:, None] * matrix * scale
        matrix[np.arange(self._columns), np.arange(self._columns)] += 1
        return matrix

    def simulate(self, theta: FloatArray, sigma: float, rng: np.random.Generator) -> FloatArray:
        """Scores as the model without fixed effects would give them; REML does not see those."""
        first = rng.standard_normal(self.sizes[self._first]) * theta[self._first]
        found = self._absorbed @ first + rng.standard_normal(self.n)
        others = [rng.standard_normal(self.sizes[k]) * theta[k] for k in self._others]
        return np.asarray(sigma * (found + self._design @ np.concatenate([*others, np.zeros(self.p)])))
