"""Mixed models with crossed random terms, by REML: variances, means, tests, shares of variance.

y = X b + sum_k Z_k u_k + e, with u_k ~ N(0, theta_k^2 sigma^2) for every cell of term k and e ~ N(0, sigma^2).
statsmodels' MixedLM is made for groups; crossed terms are one group of all rows there, which is slow and often
does not converge. Here, as in lme4 (Bates, Maechler, Bolker and Walker 2015), b and sigma are profiled out, so
that only the ratios theta are searched. The random term with the most cells is eliminated first: its part of the
equations is diagonal. The rest is one small dense system.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc, fdtrc

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.core.threads import one_thread
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.anova import WHOLE, level_weights
from adjudge.stats.linear.model import (
    MOST_COLUMNS,
    Key,
    LinearModel,
    Term,
    cells_around,
    constant,
    factored,
    fit_model,
    indicators,
    same_groups,
    slots,
    within,
)
from adjudge.stats.linear.strata import Strata, deviance, reml_of_mean_squares, strata

COMPILED_UP_TO = 300
"""Equations up to which compiled code solves them: about 20 ms there, in which LAPACK takes 1 ms if it is alone."""

QUICK_UP_TO = 60
"""Equations up to which a fit is a matter of milliseconds."""

LESS_WORK = 2
"""How many times less the work must be for several terms to be eliminated at once, which is not as sparse."""

ROUNDING = 1e-15
"""What a residual sum of squares has at least, beside the whole."""

NOT_APART = "the fixed effects cannot be separated"


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
        self.columns = self._inner.shape[0]
        """Of the small equations."""
        self.compiled = self.columns <= COMPILED_UP_TO
        """Whether the small equations are solved in compiled code."""
        self.take(y)

    @property
    def unknowns(self) -> int:
        """Of the dense equations that are left."""
        return int(self._columns + self.p)

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
        first = theta[self._first]
        ratio = first**2
        shrink = 1 / (1 + ratio * self._counts)
        out = ratio * shrink
        scale = np.ones(self._columns + self.p)
        scale[: self._columns] = np.repeat(
            [theta[k] for k in self._others], [self.sizes[k] for k in self._others]
        )
        solve = self._solved_compiled if self.compiled else self._solved
        solved, inverse, seen, inside, explained, log_det = solve(scale, out, ratio * shrink**2)
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
        left = shrink * first * (self._on_absorbed - seen)
        effects[self._first] = first * left
        squares[self._first] = float(left @ left)
        traces[self._first] = float(np.sum(1 - shrink)) - inside
        square = self._square - float(self._on_absorbed**2 @ out)
        rss = max(square - explained, ROUNDING * self._square)
        log_det += float(np.log1p(ratio * self._counts).sum())
        return self._criterion(log_det, rss, traces, squares, effects, solved, inverse)

    def _criterion(
        self,
        log_det: float,
        rss: float,
        traces: FloatArray,
        squares: FloatArray,
        effects: Sequence[FloatArray],
        solved: FloatArray,
        inverse: FloatArray,
    ) -> Criterion:
        """From the determinant of all equations and what solved the small ones, fixed effects last."""
        fixed = slice(self._columns, None)
        return Criterion(
            deviance=log_det + self.df * (1 + math.log(2 * math.pi * rss / self.df)),
            slope=2 * (traces - self.df * squares / rss),
            traces=traces,
            squares=squares,
            rss=rss,
            fixed=solved[fixed],
            unscaled=inverse[fixed, fixed],
            effects=tuple(effects),
        )

    def _solved(
        self, scale: FloatArray, out: FloatArray, through: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, float, float, float]:
        """The effects, the inverse, what the absorbed cells see of both, what the effects explain, and the log
        determinant."""
        cross = self._cross
        right = scale * (self._on_design - cross @ (out * self._on_absorbed))
        matrix = self._scaled(self._inner - (cross @ sparse.diags_array(out) @ cross.T).toarray(), scale)
        root, failed = lapack.dpotrf(matrix, lower=1, clean=1)
        if failed:
            raise UsageError(NOT_APART)
        half, _ = lapack.dtrtrs(root, right, lower=1)
        solved, _ = lapack.dtrtrs(root, half, lower=1, trans=1)
        solved = scale * solved
        inverse, _ = lapack.dpotri(root, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        spread = (cross @ sparse.diags_array(through) @ cross.T).toarray()
        inside = float(np.sum(scale[:, None] * inverse * scale * spread))
        log_det = 2 * float(np.log(root.diagonal()).sum())
        return solved, inverse, cross.T @ solved, inside, float(half @ half), log_det

    def _solved_compiled(
        self, scale: FloatArray, out: FloatArray, through: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, float, float, float]:
        from adjudge.stats.linear.kernels import solve_small

        cross = self._cross
        solved = solve_small(
            self._inner,
            cross.indptr,
            cross.indices,
            cross.data,
            out,
            through,
            self._on_design,
            self._on_absorbed,
            scale,
            self._columns,
        )
        if math.isnan(solved[-1]):
            raise UsageError(NOT_APART)
        return solved

    def _scaled(self, matrix: FloatArray, scale: FloatArray) -> FloatArray:
        matrix = scale[:, None] * matrix * scale
        matrix[np.arange(self._columns), np.arange(self._columns)] += 1
        return matrix

    def simulate(self, theta: FloatArray, sigma: float, rng: np.random.Generator) -> FloatArray:
        """Scores as the model without fixed effects would give them; REML does not see those."""
        first = rng.standard_normal(self.sizes[self._first]) * theta[self._first]
        scores = self._absorbed @ first + rng.standard_normal(self.n)
        others = [rng.standard_normal(self.sizes[k]) * theta[k] for k in self._others]
        return np.asarray(sigma * (scores + self._design @ np.concatenate([*others, np.zeros(self.p)])))


@dataclass(frozen=True)
class Elimination:
    """Random terms that lie within the parts of a partition of the rows: their equations fall into blocks."""

    part: Term
    inside: tuple[int, ...]
    """Which of the random terms."""
    width: int
    """The most effects that a part has."""
    work: float
    """Multiplications of one evaluation, roughly."""


def elimination(terms: Sequence[Term], fixed: int) -> Elimination:
    """The partition with the least work: the cells of one term, as topics, or what no term connects, as groups."""
    cells = sparse.hstack([indicators(term) for term in terms], format="csr")
    count, label = connected_components(sparse.block_array([[None, cells], [cells.T, None]]), directed=False)
    apart = Term((), label[: cells.shape[0]].astype(np.int64), np.zeros((count, 0), dtype=np.int64))
    parts = [*terms, apart]
    return min((_eliminated(terms, part, fixed) for part in parts), key=lambda partition: partition.work)


def _eliminated(terms: Sequence[Term], part: Term, fixed: int) -> Elimination:
    inside = tuple(k for k, term in enumerate(terms) if within(part, term))
    effects = np.zeros(part.size)
    for k in inside:
        effects += np.bincount(cells_around(part, terms[k]), minlength=part.size)
    width = int(effects.max())
    rest = fixed + sum(term.size for k, term in enumerate(terms) if k not in inside)
    work = part.size * width * (width**2 + width * rest + rest**2) + rest**3
    return Elimination(part=part, inside=inside, width=width, work=float(work))


class BlockReml(Reml):
    """The same criterion where several terms are eliminated at once, block by block: all that lies within a topic.

    With topics, topics by systems and topics by assessors in one model, taking out the largest alone would leave
    equations for each of the others' many cells.
    """

    def __init__(self, y: FloatArray, fixed: Any, terms: Sequence[Term], chosen: Elimination):
        self.n, self.p = fixed.shape
        self.df = self.n - self.p
        self.sizes = [term.size for term in terms]
        order = sorted(range(len(terms)), key=lambda k: -terms[k].size)
        self._first, self._others = order[0], sorted(order[1:])
        self.columns = self.p + sum(self.sizes[k] for k in self._others)
        self.compiled = False
        self._indicators = [indicators(term) for term in terms]
        self._outside = [k for k in range(len(terms)) if k not in chosen.inside]
        self._columns = sum(self.sizes[k] for k in self._outside)
        self._design = sparse.hstack([*(self._indicators[k] for k in self._outside), fixed], format="csr")
        self._inner = (self._design.T @ self._design).toarray()
        # Every eliminated effect has a block and a position in it; a smaller block leaves its last ones empty.
        parts, width = chosen.part.size, chosen.width
        self._at = dict(
            zip(chosen.inside, slots(chosen.part, [terms[k] for k in chosen.inside]), strict=True)
        )
        position = [self._at[k][0] * width + self._at[k][1] for k in chosen.inside]
        wide = sparse.hstack([self._indicators[k] for k in chosen.inside], format="csc")
        flat = np.concatenate(position)
        full = sparse.csr_array(
            (np.ones(flat.size), (np.arange(flat.size), flat)), shape=(flat.size, parts * width)
        )
        self._absorbed = (wide @ full).tocsr()
        inner = (self._absorbed.T @ self._absorbed).tocoo()
        self._blocks = np.zeros((parts, width, width))
        row, column = inner.coords
        self._blocks[row // width, row % width, column % width] = inner.data
        cross = (self._absorbed.T @ self._design).toarray()
        self._across = cross.reshape(parts, width, self._columns + self.p)
        self.take(y)

    def take(self, y: FloatArray) -> None:
        super().take(y)
        self._on_absorbed = self._on_absorbed.reshape(self._blocks.shape[:2])

    def at(self, theta: FloatArray) -> Criterion:
        """As in Reml: the equations of the eliminated effects are inverted block by block."""
        inside = np.zeros(self._blocks.shape[:2])
        for k, where in self._at.items():
            inside[where] = theta[k]
        scale = np.ones(self._columns + self.p)
        scale[: self._columns] = np.repeat(
            [theta[k] for k in self._outside], [self.sizes[k] for k in self._outside]
        )
        blocks = inside[:, :, None] * self._blocks * inside[:, None, :]
        blocks += np.eye(blocks.shape[1])
        roots = np.linalg.cholesky(blocks)
        inverses = np.linalg.inv(blocks)
        across = inside[:, :, None] * self._across * scale
        through = inverses @ across
        seen = inside * self._on_absorbed
        carried = np.einsum("bij,bj->bi", inverses, seen)
        flat = across.reshape(-1, scale.size)
        matrix = self._scaled(self._inner, scale) - flat.T @ through.reshape(-1, scale.size)
        right = scale * self._on_design - flat.T @ carried.ravel()
        root, failed = lapack.dpotrf(matrix, lower=1, clean=1)
        if failed:
            raise UsageError(NOT_APART)
        half, _ = lapack.dtrtrs(root, right, lower=1)
        solved, _ = lapack.dtrtrs(root, half, lower=1, trans=1)
        inverse, _ = lapack.dpotri(root, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        left = carried - through @ solved
        spread = np.einsum("bii->bi", inverses) + np.einsum("bir,bir->bi", through @ inverse, through)
        traces, squares = np.zeros(theta.size), np.zeros(theta.size)
        effects = [np.zeros(0)] * theta.size
        for k, where in self._at.items():
            effects[k] = theta[k] * left[where]
            squares[k] = float(np.sum(left[where] ** 2))
            traces[k] = self.sizes[k] - float(spread[where].sum())
        start = 0
        for k in self._outside:
            part = slice(start, start + self.sizes[k])
            start = part.stop
            effects[k] = theta[k] * solved[part]
            squares[k] = float(np.sum(solved[part] ** 2))
            traces[k] = self.sizes[k] - float(inverse.diagonal()[part].sum())
        square = self._square - float(np.sum(seen * carried))
        rss = max(square - float(half @ half), ROUNDING * self._square)
        log_det = 2 * float(np.log(np.einsum("bii->bi", roots)).sum() + np.log(root.diagonal()).sum())
        return self._criterion(log_det, rss, traces, squares, effects, solved, inverse)

    def simulate(self, theta: FloatArray, sigma: float, rng: np.random.Generator) -> FloatArray:
        """The same scores as Reml's, from the same numbers drawn."""
        first = rng.standard_normal(self.sizes[self._first]) * theta[self._first]
        scores = self._indicators[self._first] @ first + rng.standard_normal(self.n)
        for k in self._others:
            scores = scores + self._indicators[k] @ (rng.standard_normal(self.sizes[k]) * theta[k])
        return np.asarray(sigma * scores)


def criterion_of(y: FloatArray, fixed: Any, terms: Sequence[Term]) -> Reml:
    """The criterion of a design, by the elimination that leaves the least work."""
    largest = max(term.size for term in terms)
    left = fixed.shape[1] + sum(term.size for term in terms) - largest
    if left > COMPILED_UP_TO:
        chosen = elimination(terms, fixed.shape[1])
        if len(chosen.inside) > 1 and LESS_WORK * chosen.work < left**3:
            return BlockReml(y, fixed, terms, chosen)
    return Reml(y, fixed, terms)


# The search for the ratios of standard deviations

FURTHEST = 12.0
"""The search keeps ratios between e^-12 and e^12."""

NEAR_ZERO = 0.05
"""Ratios below this are tried at 0."""

STEP = 1e-4
"""Of central differences in the logarithms: an error of about 1e-8."""

FLAT = 1e-9
"""Curvature below this share of the largest is rounding."""


def search(reml: Reml, free: Sequence[int], start: FloatArray, *, exact: bool = True) -> FloatArray:
    """The ratios with the least criterion; those that are not free are 0, and so are those that are best there.

    `exact=False` stops where the criterion is settled to 1e-6, which is enough for a test or a simulation.
    """
    theta = np.zeros(start.size)
    theta[list(free)] = np.maximum(start[list(free)], NEAR_ZERO)
    with one_thread(reml.unknowns):
        theta = _descend(reml, theta, exact)
        for k in np.argsort(theta):
            if 0 < theta[k] < NEAR_ZERO:
                # A small ratio is 0 where that is as good; near 0 the criterion is too flat for a descent to get there.
                without = theta.copy()
                without[k] = 0.0
                without = _descend(reml, without, exact)
                if reml.at(without).deviance <= reml.at(theta).deviance + 1e-7:
                    theta = without
        return _polished(reml, theta) if exact else theta


def _descend(reml: Reml, theta: FloatArray, exact: bool) -> FloatArray:
    """Quasi-Newton steps in the logarithms of the ratios that are not 0.

    A term of q cells bends the criterion about as much as q, so logarithms times sqrt(q) are all alike to it.
    SciPy's BFGS is plain Python; its L-BFGS-B calls LAPACK at every step, whose threads cost more than the fit.
    """
    from scipy.optimize import minimize

    moving = np.flatnonzero(theta)
    if not moving.size:
        return theta
    unit = np.sqrt(np.array(reml.sizes)[moving])

    def criterion(x: FloatArray) -> tuple[float, FloatArray]:
        trial = np.zeros_like(theta)
        trial[moving] = np.exp(np.clip(x / unit, -FURTHEST, FURTHEST))
        at_trial = reml.at(trial)
        return at_trial.deviance, at_trial.slope[moving] / unit

    options = {"gtol": 1e-4 if exact else 1e-3, "maxiter": 200}
    done = minimize(criterion, np.log(theta[moving]) * unit, jac=True, method="BFGS", options=options)
    ratios = np.zeros_like(theta)
    ratios[moving] = np.exp(np.clip(done.x / unit, -FURTHEST, FURTHEST))
    return ratios


def _polished(reml: Reml, theta: FloatArray) -> FloatArray:
    """A Newton step at the end: the criterion is flat there, its slope is not."""
    moving = np.flatnonzero(theta)
    if not moving.size:
        return theta
    slope = reml.at(theta).slope[moving]
    try:
        step = np.linalg.solve(_curvature(reml, theta), slope)
    except np.linalg.LinAlgError:
        return theta
    trial = theta.copy()
    trial[moving] *= np.exp(-np.clip(step, -0.1, 0.1))
    better = np.abs(reml.at(trial).slope[moving]).max() < np.abs(slope).max()
    return trial if better else theta


def _curvature(reml: Reml, theta: FloatArray) -> FloatArray:
    """Second derivatives of the criterion by the logarithms of the ratios that are not 0."""
    moving = np.flatnonzero(theta)
    rows = []
    for k in moving.tolist():
        up, down = reml.at(_scaled(theta, k, STEP)), reml.at(_scaled(theta, k, -STEP))
        rows.append((up.slope[moving] - down.slope[moving]) / (2 * STEP))
    return np.array(rows)


# Degrees of freedom of fixed effects, and F tests of several at once


@dataclass(frozen=True, slots=True)
class FixedTest:
    """An F test of fixed effects; `why` where there is none."""

    f: float = math.nan
    df: int = 0
    denominator_df: float = math.nan
    p: float = math.nan
    why: Note | None = None


class Satterthwaite:
    """How sure the variances are, and so how many degrees of freedom a combination of fixed effects has.

    df = 2 v^2 / Var(v), where v is the combination's estimated variance; Var(v) comes from v's gradient by the
    logarithms of the ratios and of sigma^2, and from the curvature of the criterion there. Satterthwaite 1946.
    Variances estimated as 0 are taken as known.
    """

    def __init__(self, reml: Reml, theta: FloatArray, means: FloatArray):
        """Rows of `means` combine fixed effects."""
        with one_thread(reml.unknowns):
            best = reml.at(theta)
            ends = [
                (reml.at(_scaled(theta, k, STEP)), reml.at(_scaled(theta, k, -STEP)))
                for k in np.flatnonzero(theta).tolist()
            ]
        self._moving = np.flatnonzero(theta)
        self._sigma2 = best.rss / reml.df
        self._means, self._fixed = means, best.fixed
        self._unscaled = best.unscaled
        curvature = np.zeros((self._moving.size + 1, self._moving.size + 1))
        self._changes = []
        chosen = [*self._moving, theta.size]
        for row, (up, down) in enumerate(ends):
            difference = up.full_slope(self._sigma2, reml.df) - down.full_slope(self._sigma2, reml.df)
            curvature[row] = difference[chosen] / (2 * STEP)
            self._changes.append(self._sigma2 * (up.unscaled - down.unscaled) / (2 * STEP))
        # By log sigma^2: the slope by log theta gains 2 squares / sigma^2, that by log sigma^2 gains rss / sigma^2.
        last = np.append(2 * best.squares, best.rss)[chosen] / self._sigma2
        curvature[-1], curvature[:-1, -1] = last, last[:-1]
        self._changes.append(self._sigma2 * best.unscaled)
        # The inverse, over the directions in which the criterion is bent: near a boundary it is flat.
        values, vectors = np.linalg.eigh(curvature / 2)
        bent = values > FLAT * values.max()
        self._spread = np.asarray((vectors[:, bent] / values[bent]) @ vectors[:, bent].T)

    def of(self, combination: FloatArray) -> float:
        """Degrees of freedom of one combination of fixed effects; NaN where the criterion is too flat to say."""
        variance = self._sigma2 * float(combination @ self._unscaled @ combination)
        gradient = np.array([float(combination @ change @ combination) for change in self._changes])
        uncertainty = float(gradient @ self._spread @ gradient)
        return 2 * variance**2 / uncertainty if uncertainty > 0 else math.nan

    def of_means(self) -> FloatArray:
        return np.array([self.of(row) for row in self._means])

    def of_equality(self) -> FixedTest:
        """Are all the means equal?"""
        apart = self._means[1:] - self._means[0]
        if not apart.shape[0]:
            return FixedTest(why=Note.of("one-level"))
        return self.test(apart)

    def test(self, combinations: FloatArray) -> FixedTest:
        """Are all these combinations 0? Fai and Cornelius 1996: independent ones, their degrees pooled."""
        variances, vectors = np.linalg.eigh(self._sigma2 * combinations @ self._unscaled @ combinations.T)
        independent = vectors.T @ combinations
        f = float(np.mean((independent @ self._fixed) ** 2 / variances))
        df = combinations.shape[0]
        denominator = pooled_df(np.array([self.of(row) for row in independent]))
        if math.isnan(denominator):
            return FixedTest(f=f, df=df, why=Note.of("unsure-variances"))
        return FixedTest(f=f, df=df, denominator_df=denominator, p=float(fdtrc(df, denominator, f)))


def pooled_df(df: FloatArray) -> float:
    """One denominator for an F on several independent combinations: the F has the mean of their squared t's."""
    if df.size == 1 or np.ptp(df) < 1e-8 * df.max():
        return float(df.mean())
    if not (df > 2).all():
        return 2.0 if not np.isnan(df).any() else math.nan
    expected = float(np.sum(df / (df - 2)))
    return 2 * expected / (expected - df.size)


def _scaled(theta: FloatArray, k: int, log: float) -> FloatArray:
    moved = theta.copy()
    moved[k] *= math.exp(log)
    return moved


# Fits, means and tests

LEAST_NOISE = 1e-9
"""The least share of the sum of squares that the noise must have: with less, ratios to it drown in rounding."""


@dataclass(frozen=True)
class MixedFit:
    """A fitted mixed model. Where it cannot be fitted, numbers are NaN and `why` says why."""

    random: tuple[Key, ...]
    n: int
    variances: FloatArray
    """One for each random term."""
    residual_variance: float = math.nan
    deviance: float = math.nan
    """-2 log restricted likelihood at the best."""
    effects: tuple[FloatArray, ...] = ()
    """Best predictions, for each random term and each of its observed cells."""
    why: Note | None = None
    estimate: MixedEstimate | None = field(default=None, repr=False, compare=False)
    """Where the search ended; tests and intervals start from it."""

    @property
    def singular(self) -> tuple[Key, ...]:
        """Random terms whose variance is estimated as 0."""
        return tuple(key for key, variance in zip(self.random, self.variances, strict=True) if variance == 0)


@dataclass(frozen=True)
class MixedEstimate:
    """The end of a search: the design, the best ratios, and how fixed effects combine to means."""

    reml: Reml
    theta: FloatArray
    averaging: FloatArray | None
    """None where the means are not defined."""
    centre: float
    balanced: Strata | None
    """The mean squares, where the design is balanced."""

    @property
    def quick(self) -> bool:
        """Whether fitting other scores takes milliseconds."""
        return self.balanced is not None or self.reml.columns <= QUICK_UP_TO


@dataclass(frozen=True)
class MixedMeans:
    """Means of the observed levels of the first fixed factor; of the others, every level weighs the same."""

    means: FloatArray
    covariance: FloatArray
    df: FloatArray
    """Satterthwaite's, of each mean."""
    test: FixedTest
    """Are the means equal?"""

    @property
    def standard_errors(self) -> FloatArray:
        return np.sqrt(self.covariance.diagonal())


@dataclass(frozen=True, slots=True)
class RandomTest:
    """Is a random term needed? A likelihood ratio of two REML fits with the same fixed effects.

    The variance is on its boundary where the hypothesis holds, so p is half the chi-squared tail on 1 degree of
    freedom (Self and Liang 1987; Stram and Lee 1994), and 1 where the estimate is 0.
    """

    term: Key
    ratio: float
    p: float


def fit_mixed(
    values: npt.ArrayLike,
    factors: Sequence[npt.ArrayLike],
    *,
    fixed: Sequence[int],
    random: Sequence[Sequence[int]],
    interactions: Sequence[Sequence[int]] = (),
    names: Sequence[str] = (),
) -> MixedFit:
    """Fit by restricted maximum likelihood, as lme4's lmer(value ~ system + (1 | topic) + (1 | assessor)).

    `fixed` are positions of factors, `interactions` fixed terms of several, `random` terms as in model.py, and `names`
    what these are called where something is wrong with one; NaN values are left out.
    """
    if not random:
        raise UsageError("random: no term; a model without random terms is fit_linear's")
    model = LinearModel(values, factors, [*((f,) for f in fixed), *interactions, *random])
    fixed_keys, keys = model.keys[: -len(random)], model.keys[-len(random) :]
    why = _why_not(model, fixed_keys, keys, names)
    if why is not None:
        return MixedFit(random=keys, n=model.n, variances=np.full(len(keys), math.nan), why=why)
    columns, averaging = _fixed_columns(model, fixed_keys)
    reml = criterion_of(model.scores, columns, [model.term(key) for key in keys])
    balanced = strata(model, fixed_keys, keys)
    noise = 0.0
    if balanced is not None and balanced.random == keys:
        *variances, noise = reml_of_mean_squares(balanced)
    if noise:
        theta = np.sqrt(np.array(variances) / noise)
    else:
        theta = search(reml, range(len(keys)), np.ones(len(keys)))
    best = reml.at(theta)
    sigma2 = best.rss / reml.df
    estimate = MixedEstimate(
        reml=reml, theta=theta, averaging=averaging, centre=float(model.scores.mean()), balanced=balanced
    )
    return MixedFit(
        random=keys,
        n=model.n,
        variances=theta**2 * sigma2,
        residual_variance=sigma2,
        deviance=best.deviance,
        effects=best.effects,
        why=None,
        estimate=estimate,
    )


def fixed_means(fit: MixedFit) -> MixedMeans:
    """Means with REML's standard errors and Satterthwaite's degrees of freedom, and the test of their equality."""
    estimate = fit.estimate
    if estimate is None or estimate.averaging is None:
        none = np.zeros(0)
        test = FixedTest(why=fit.why or Note.of("not-apart"))
        return MixedMeans(means=none, covariance=np.zeros((0, 0)), df=none, test=test)
    best = estimate.reml.at(estimate.theta)
    satterthwaite = Satterthwaite(estimate.reml, estimate.theta, estimate.averaging)
    covariance = fit.residual_variance * estimate.averaging @ best.unscaled @ estimate.averaging.T
    means = estimate.centre + estimate.averaging @ best.fixed
    return MixedMeans(
        means=means, covariance=covariance, df=satterthwaite.of_means(), test=satterthwaite.of_equality()
    )


def likelihood_covariance(fit: MixedFit) -> FloatArray:
    """The covariance of contrasts of the means at the maximum of the likelihood, not of the restricted likelihood.

    Its variances are too small, the more so the fewer levels a term has: how much smaller says what models without a
    restricted likelihood miss. In a balanced design with one fixed term all contrasts are in one stratum, and mean
    squares are all that is needed.
    """
    from scipy.optimize import minimize

    estimate = fit.estimate
    if estimate is None or estimate.averaging is None:
        raise UsageError("there are no means: the model has no fit")
    reml, theta = estimate.reml, estimate.theta.copy()
    moving = np.flatnonzero(theta)
    balanced = estimate.balanced
    if balanced is not None and balanced.random == fit.random and len(balanced.effects) == 1:
        at = reml.at(theta)
        covariance = fit.residual_variance * estimate.averaging @ at.unscaled @ estimate.averaging.T
        return np.asarray(covariance * _full_over_restricted(fit, balanced))

    def full_deviance(logs: FloatArray) -> float:
        theta[moving] = np.exp(np.clip(logs, -FURTHEST, FURTHEST))
        at = reml.at(theta)
        # Less the determinant of the fixed effects' information, and with sigma^2 over n instead of n - p.
        restricted = reml.df * (1 + math.log(2 * math.pi * at.rss / reml.df))
        full = reml.n * (1 + math.log(2 * math.pi * at.rss / reml.n))
        return float(at.deviance + np.linalg.slogdet(at.unscaled)[1] - restricted + full)

    with one_thread(reml.unknowns):
        if moving.size:
            done = minimize(full_deviance, np.log(theta[moving]), method="BFGS", options={"gtol": 1e-2})
            theta[moving] = np.exp(np.clip(done.x, -FURTHEST, FURTHEST))
        at = reml.at(theta)
    return np.asarray(at.rss / reml.n * estimate.averaging @ at.unscaled @ estimate.averaging.T)


def _full_over_restricted(fit: MixedFit, balanced: Strata) -> float:
    """The variance of a contrast by maximum likelihood, over that by REML: the fixed term's stratum in both.

    The likelihood holds the determinants of the fixed term's stratum and of the mean's too.
    """
    from scipy.optimize import minimize

    assert fit.estimate is not None
    [(key, (df, _))] = balanced.effects.items()
    needed = balanced.shares[key]
    of_mean = np.append(fit.n / np.array(fit.estimate.reml.sizes), 1.0)
    variances = np.append(fit.variances, fit.residual_variance)
    moving = np.flatnonzero(variances)
    start = float(needed @ variances)

    def full_deviance(logs: FloatArray) -> float:
        variances[moving] = np.exp(logs)
        expected = balanced.coefficients @ variances
        log_variances = np.log([needed @ variances, of_mean @ variances])
        return float(
            balanced.df @ (np.log(expected) + balanced.ms / expected)
            + df * log_variances[0]
            + log_variances[1]
        )

    done = minimize(full_deviance, np.log(variances[moving]), method="BFGS", options={"gtol": 1e-4})
    variances[moving] = np.exp(done.x)
    return float(needed @ variances) / start


def fixed_test(
    model: LinearModel, key: Key, *, fixed: Sequence[Key], after: Sequence[Key], random: Sequence[Key]
) -> FixedTest:
    """The F test of one fixed term among others, in a model with random terms fitted by REML.

    The term is adjusted for those of the fixed terms that are named in `after`, and tests what it adds to them: as
    the reduction of the residual sum of squares, in the metric of the fitted variances, when it is added to them
    (type II where `after` are all the terms that do not contain it, type I where they are those before it).
    """
    terms = tuple(random)
    why = _why_not(LinearModel(model.scores, model.factors, [*fixed, *terms]), tuple(fixed), terms)
    later = [other for other in fixed if other != key and other not in after]
    columns, parts = _in_blocks(model, [after, [key], later])
    if why is None and not parts[1]:
        why = Note.of("nothing-left")
    if why is not None:
        return FixedTest(df=parts[1], why=why)
    reml = criterion_of(model.scores, columns, [model.term(term) for term in terms])
    theta = search(reml, range(len(terms)), np.ones(len(terms)))
    # The estimates without the later terms combine those with them: b_1 + M_11^-1 M_12 b_2, M being the information.
    inside = parts[0] + parts[1]
    information = np.linalg.inv(reml.at(theta).unscaled)
    carried = np.linalg.solve(information[:inside, :inside], information[:inside, inside:])
    combinations = np.hstack([np.eye(inside), carried])[parts[0] :]
    return Satterthwaite(reml, theta, combinations).test(combinations)


def _in_blocks(model: LinearModel, blocks: Sequence[Sequence[Key]]) -> tuple[Any, list[int]]:
    """Columns of full rank that span a constant and some terms, block by block; and how many each block adds."""
    groups = [[constant(model.n)], *([model.term(key) for key in block] for block in blocks)]
    kept = sparse.csc_array((model.n, 0))
    sizes = []
    for terms in groups:
        sizes.append(0)
        for term in terms:
            wide = indicators(term).tocsc()
            inner, cross = (wide.T @ wide).toarray(), (kept.T @ wide).toarray()
            left = inner
            if kept.shape[1]:
                left = inner - cross.T @ np.linalg.solve((kept.T @ kept).toarray(), cross)
            added = np.sort(factored(left, inner.diagonal().copy()).kept)
            kept = sparse.hstack([kept, wide[:, added]], format="csc")
            sizes[-1] += added.size
    return kept.tocsr(), [sizes[0] + sizes[1], *sizes[2:]]


def random_tests(fit: MixedFit) -> tuple[RandomTest, ...]:
    """Each random term's likelihood-ratio test: the model with it and without it."""
    if fit.estimate is None:
        return tuple(RandomTest(key, math.nan, math.nan) for key in fit.random)
    reml, theta, balanced = fit.estimate.reml, fit.estimate.theta, fit.estimate.balanced
    tests = []
    for k, key in enumerate(fit.random):
        ratio = 0.0
        if theta[k] and balanced is not None and balanced.random == fit.random:
            ratio = max(0.0, deviance(balanced, without=k) - deviance(balanced))
        elif theta[k]:
            without = search(reml, [other for other in range(theta.size) if other != k], theta, exact=False)
            ratio = max(0.0, reml.at(without).deviance - fit.deviance)
        tests.append(RandomTest(key, ratio, 0.5 * float(chdtrc(1, ratio)) if ratio else 1.0))
    return tuple(tests)


def _why_not(
    model: LinearModel, fixed: tuple[Key, ...], random: tuple[Key, ...], names: Sequence[str] = ()
) -> Note | None:
    """Why a model cannot be fitted."""
    names = names or [f"random term {k}" for k in range(1, len(random) + 1)]
    whole = fit_model(model)
    if whole.why is not None:
        return whole.why
    if whole.residual_ss < LEAST_NOISE * whole.total_ss:
        return Note.of("almost-no-noise")
    terms = [model.term(key) for key in random]
    for k, (key, term) in enumerate(zip(random, terms, strict=True)):
        if model.space([*fixed, key]).rank == model.space(fixed).rank:
            return Note.of("variance-not-apart", term=names[k])
        for j, earlier in enumerate(terms[:k]):
            if same_groups(term, earlier):
                return Note.of("same-groups", first=names[j], second=names[k])
    return None


def _fixed_columns(model: LinearModel, fixed: Sequence[Key]) -> tuple[Any, FloatArray | None]:
    """X, sparse and of full rank, and the combinations of its columns that are the means of the first term's levels.

    Every level of the other factors weighs the same. A term that another one says adds nothing and is left out: kinds
    beside systems, types beside those who chose their topics. No combinations where the means are not defined: a cell
    of an interaction is empty, or the design cannot tell the effects apart.
    """
    first = model.term(fixed[0]) if fixed else constant(model.n)
    terms = [first, *(model.term(key) for key in fixed[1:])]
    finest = [
        term
        for k, term in enumerate(terms)
        if not any(
            within(term, other) and (other.size, -j) > (term.size, -k) for j, other in enumerate(terms)
        )
    ]
    wide = sparse.hstack([indicators(term) for term in finest], format="csc")
    inner = (wide.T @ wide).toarray()
    kept = np.sort(factored(inner, inner.diagonal().copy()).kept)
    columns = wide[:, kept].tocsr()
    if not fixed:
        return columns, np.eye(1)
    if not any(fixed[0][0] in term.factors for term in finest):
        return columns, None
    parts = [level_weights(model, fixed[0][0], term) for term in finest]
    weights = sparse.hstack([part for part, _ in parts]).toarray()
    # Defined is what gives a column that was left out the sum of what it gives to those that make it up.
    made = np.linalg.solve(inner[np.ix_(kept, kept)], inner[kept])
    gap = np.abs(weights[:, kept] @ made - weights).max()
    defined = gap < WHOLE and all(whole.all() for _, whole in parts)
    return columns, weights[:, kept] if defined else None


# How the variance divides among random terms and noise

RESAMPLES = 200
"""Enough for the ends of a 95 % interval to settle to about a tenth of its width."""


@dataclass(frozen=True)
class VarianceShares:
    """Variances of the random terms and, last, of the noise; each one's share of their sum.

    The interval runs between quantiles of the shares in scores simulated from the fitted model and fitted again
    (a parametric bootstrap; Efron and Tibshirani 1993, section 6.5). With few levels of a term it is wide, as it
    should be. NaN where nothing was simulated.
    """

    variances: FloatArray
    shares: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    resamples: int


def variance_shares(
    fit: MixedFit,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    moved: FloatArray | None = None,
) -> VarianceShares:
    """The shares of a fit's variances; `resamples=0` gives them without intervals.

    `moved` says, in a row for each variance, which part of it counts for which: rows add up to 1.
    """
    checks.count("resamples", resamples, least=0)
    checks.share("level", level)
    moved = np.eye(fit.variances.size + 1) if moved is None else moved
    variances = np.append(fit.variances, fit.residual_variance) @ moved
    low = high = np.full(variances.size, math.nan)
    if fit.estimate is None:
        resamples = 0
    elif resamples:
        if resamples < 2 / (1 - level):
            raise UsageError(f"resamples: {resamples} are too few for an interval at {level:g}")
        drawn = _simulated(fit, rng, resamples) @ moved
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return VarianceShares(
        variances=variances,
        shares=variances / variances.sum(),
        low=low,
        high=high,
        level=level,
        resamples=resamples,
    )


def _simulated(fit: MixedFit, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Shares in simulated scores, a row for each; of a balanced design mean squares are all that is simulated."""
    assert fit.estimate is not None
    theta, balanced = fit.estimate.theta, fit.estimate.balanced
    shares = np.empty((resamples, theta.size + 1))
    if balanced is not None and balanced.random == fit.random:
        expected = balanced.coefficients @ np.append(fit.variances, fit.residual_variance)
        for row in shares:
            drawn = expected * rng.chisquare(balanced.df) / balanced.df
            variances = reml_of_mean_squares(replace(balanced, ms=drawn))
            row[:] = variances / variances.sum()
        return shares
    reml = copy.copy(fit.estimate.reml)
    sigma = math.sqrt(fit.residual_variance)
    for row in shares:
        reml.take(reml.simulate(theta, sigma, rng))
        ratios = np.append(search(reml, range(theta.size), theta, exact=False) ** 2, 1.0)
        row[:] = ratios / ratios.sum()
    return shares
