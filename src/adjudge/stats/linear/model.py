"""Linear models on factors given as integer codes: terms, projections, fits.

A model has one column per observed cell of each term, so it is never of full rank. The term with the most cells
is absorbed: projecting on its indicators is taking means, so its columns are never formed. What is left is one
dense matrix over the columns of the other terms. 500 systems x 1,000 topics need a matrix of 500 x 500; judgments
of 70 systems x 60 topics by ten assessors with all two-way interactions need one of 1,300 x 1,300.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import lapack, solve_triangular
from scipy.sparse.csgraph import connected_components

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE

MOST_COLUMNS = 5000
"""Columns without the absorbed term: the matrix and its factor take 400 MB there."""

ALIASED = 1e-9
"""A column is aliased where what the others leave of its squared length is less than this share.

Columns are indicators, so what is left is a ratio of counts; rounding leaves about 1e-13.
"""

LARGEST = 1e150
"""The largest score whose square is a number."""

BLOCK = 4_000_000
"""Numbers held at once in temporary dense blocks: 32 MB."""

DENSE = 0.05
"""Share of filled cells from which a dense product is quicker than a sparse one."""


@dataclass(frozen=True)
class Term:
    """One factor, or the crossing of several: which observed cell every row is in."""

    factors: tuple[int, ...]
    codes: IntArray
    cells: IntArray
    """The level of each factor, for every observed cell; cells are in ascending order."""

    @property
    def size(self) -> int:
        return int(self.cells.shape[0])


def make_term(factors: Sequence[IntArray], which: tuple[int, ...]) -> Term:
    """The term that crosses the factors at these positions."""
    shape = tuple(int(factors[f].max()) + 1 for f in which)
    flat = np.ravel_multi_index(tuple(factors[f] for f in which), shape)
    distinct, codes = np.unique(flat, return_inverse=True)
    cells = np.column_stack(np.unravel_index(distinct, shape))
    return Term(which, codes.reshape(-1).astype(np.int64), cells.astype(np.int64))


def constant(n: int) -> Term:
    """The term of no factors: every row in one cell."""
    return Term((), np.zeros(n, dtype=np.int64), np.zeros((1, 0), dtype=np.int64))


def crossed(first: Term, second: Term) -> Any:
    """How many rows are in each cell of the one and of the other, sparse."""
    ones = np.ones(first.codes.size)
    table = sparse.coo_array((ones, (first.codes, second.codes)), shape=(first.size, second.size))
    return table.tocsr()


def indicators(term: Term) -> Any:
    """A column for each cell of a term, 1 where a row is in it; sparse."""
    n = term.codes.size
    matrix = sparse.coo_array((np.ones(n), (np.arange(n), term.codes)), shape=(n, term.size))
    return matrix.tocsr()


def within(coarse: Term, fine: Term) -> bool:
    """Whether the cell of `fine` says the cell of `coarse`, so that the one spans the other."""
    return coarse.size <= fine.size and bool((cells_around(coarse, fine)[fine.codes] == coarse.codes).all())


def cells_around(coarse: Term, fine: Term) -> IntArray:
    """Of every cell of `fine` the cell of `coarse` that a row of it is in: the one, where the cells lie within."""
    around = np.zeros(fine.size, dtype=np.int64)
    around[fine.codes] = coarse.codes
    return around


def slots(coarse: Term, terms: Sequence[Term]) -> list[tuple[IntArray, IntArray]]:
    """Of every cell of terms within `coarse`: the cell of `coarse` around it, and a position of its own there."""
    used = np.zeros(coarse.size, dtype=np.int64)
    places = []
    for term in terms:
        around = cells_around(coarse, term)
        counts = np.bincount(around, minlength=coarse.size)
        position = np.empty_like(around)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        position[np.argsort(around, kind="stable")] = np.arange(around.size) - starts
        places.append((around, used[around] + position))
        used += counts
    return places


def same_groups(first: Term, second: Term) -> bool:
    """Whether two terms put the rows into the same cells."""
    return first.size == second.size and within(first, second)


@dataclass(frozen=True)
class Factored:
    """A positive semi-definite matrix factored with pivots, so that its rank shows. A generalised inverse."""

    matrix: FloatArray
    root: FloatArray
    kept: IntArray

    @property
    def rank(self) -> int:
        return self.kept.size

    def solve(self, right: FloatArray) -> FloatArray:
        """x with matrix @ x = right, where there is one; columns of `right` one by one."""
        solution = np.zeros_like(right)
        half = solve_triangular(self.root, right[self.kept], trans="T", check_finite=False)
        solution[self.kept] = solve_triangular(self.root, half, check_finite=False)
        return solution

    def inverse(self) -> FloatArray:
        """The generalised inverse itself: zeros in the rows and columns of what is aliased."""
        inverse = np.zeros_like(self.matrix)
        inverse[np.ix_(self.kept, self.kept)] = self.solve(np.eye(self.matrix.shape[0])[:, self.kept])[
            self.kept
        ]
        return inverse


def factored(matrix: FloatArray, lengths: FloatArray) -> Factored:
    """Factor a matrix of inner products; `lengths` are the columns' own squared lengths."""
    # LAPACK takes the first pivot whatever its size.
    if not matrix.size or (matrix.diagonal() <= ALIASED * lengths).all():
        return Factored(matrix, np.zeros((0, 0)), np.zeros(0, dtype=np.int64))
    # Dividing by the lengths makes the tolerance a share; LAPACK takes the largest pivot that is left.
    scale = 1 / np.sqrt(lengths)
    root, pivots, rank, _ = lapack.dpstrf(scale[:, None] * matrix * scale, tol=ALIASED, overwrite_a=1)
    kept = pivots[:rank].astype(np.int64) - 1
    return Factored(matrix, np.triu(root[:rank, :rank]) / scale[kept], kept)


@dataclass(frozen=True)
class Space:
    """Everything that is a constant plus an effect for each cell of some terms."""

    base: Term
    """The absorbed term."""
    others: tuple[Term, ...]
    """The terms that add something to it."""
    counts: FloatArray
    """Rows in each cell of the base."""
    shares: Any
    """For each column of the others and each cell of the base, the share of the cell's rows; sparse."""
    inner: Factored
    """Inner products of the others' columns after the base is taken out."""

    @property
    def rank(self) -> int:
        return self.base.size + self.inner.rank

    @property
    def offsets(self) -> list[int]:
        """Where each other term's columns begin; the last is their number."""
        return list(accumulate((term.size for term in self.others), initial=0))

    def project(self, y: FloatArray) -> FloatArray:
        """The nearest vector to y; a second pass takes up what rounding left."""
        once = self._project(y)
        return once + self._project(y - once)

    def _project(self, y: FloatArray) -> FloatArray:
        means, effects = self.coefficients(y)
        fitted = (means - effects @ self.shares)[self.base.codes]
        for term, start in zip(self.others, self.offsets, strict=False):
            fitted += effects[start + term.codes]
        return np.asarray(fitted)

    def coefficients(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Means of the base's cells, and effects of the others' columns (0 for an aliased one)."""
        means = np.bincount(self.base.codes, y, self.base.size) / self.counts
        left = y - means[self.base.codes]
        sums = [np.bincount(term.codes, left, term.size) for term in self.others]
        return means, self.inner.solve(np.concatenate([np.zeros(0), *sums]))

    def reduced(self, on_base: Any, on_others: Any) -> FloatArray:
        """Combinations of columns (rows of the two) as the other terms see them, the base taken out."""
        return np.asarray((on_others - on_base @ self.shares.T).toarray())

    def quadratic(self, on_base: Any, on_others: Any) -> FloatArray:
        """l' (X'X)^- l for every row l of [on_base, on_others]; both sparse, with many rows."""
        values = np.asarray(on_base.power(2) @ (1 / self.counts))
        step = max(1, BLOCK // max(1, self.inner.matrix.shape[0]))
        for start in range(0, values.size, step):
            part = slice(start, start + step)
            left = self.reduced(on_base[part], on_others[part]).T
            values[part] += np.einsum("ij,ij->j", left, self.inner.solve(left))
        return values

    def leverages(self) -> FloatArray:
        """The diagonal of the projection, for every row."""
        inverse, shares, starts = self.inner.inverse(), self.shares.tocsc(), self.offsets
        diagonal = 1 / self.counts[self.base.codes]
        columns = [start + term.codes for start, term in zip(starts, self.others, strict=False)]
        for first in columns:
            for second in columns:
                diagonal += inverse[first, second]
        for rows, cells in self._blocks():
            part = shares[:, cells].toarray()
            seen = inverse @ part
            at = self.base.codes[rows] - cells.start
            diagonal[rows] += np.einsum("ij,ij->j", part, seen)[at]
            for column in columns:
                diagonal[rows] -= 2 * seen[column[rows], at]
        return np.asarray(diagonal)

    def _blocks(self) -> Iterator[tuple[IntArray, slice]]:
        """Rows by cells of the base, some cells at a time."""
        if not self.others:
            return
        order = np.argsort(self.base.codes, kind="stable")
        ends = np.cumsum(self.counts).astype(np.int64)
        step = max(1, BLOCK // self.inner.matrix.shape[0])
        for start in range(0, self.base.size, step):
            stop = min(start + step, self.base.size)
            begin = ends[start - 1] if start else 0
            yield order[begin : ends[stop - 1]], slice(start, stop)


def span(terms: Sequence[Term], n: int) -> Space:
    """The space of a constant and these terms. Terms that others span already cost nothing."""
    ordered = sorted([constant(n), *terms], key=lambda term: -term.size)
    base = ordered[0]
    others: list[Term] = []
    for term in ordered[1:]:
        if not any(within(term, wider) for wider in (base, *others)):
            others.append(term)
    columns = sum(term.size for term in others)
    if columns > MOST_COLUMNS:
        raise UsageError(
            f"the model is too large: {columns:,} columns beside its largest term, at most {MOST_COLUMNS:,};"
            " leave out an interaction"
        )
    counts = np.bincount(base.codes, minlength=base.size).astype(np.float64)
    tables = [crossed(term, base) for term in others]
    sums = sparse.vstack(tables, format="csr") if tables else sparse.csr_array((0, base.size))
    shares = sums @ sparse.diags_array(1 / counts)
    rows = [np.hstack([crossed(first, second).toarray() for second in others]) for first in others]
    matrix = np.vstack(rows) if rows else np.zeros((0, 0))
    lengths = matrix.diagonal().copy()
    for part in _products(sums, shares, base.size):
        matrix -= part
    return Space(
        base=base, others=tuple(others), counts=counts, shares=shares.tocsr(), inner=factored(matrix, lengths)
    )


def _products(sums: Any, shares: Any, cells: int) -> Iterator[FloatArray]:
    """sums @ shares.T in parts, dense where most cells are filled."""
    if sums.nnz < DENSE * max(1, sums.shape[0]) * cells:
        yield (sums @ shares.T).toarray()
        return
    step = max(1, BLOCK // max(1, sums.shape[0]))
    left, right = sums.tocsc(), shares.tocsc()
    for start in range(0, cells, step):
        part = slice(start, start + step)
        yield left[:, part].toarray() @ right[:, part].toarray().T


# Models and their fits

Key = tuple[int, ...]
"""A term: the positions of its factors, ascending."""


class LinearModel:
    """Scores, factors and terms, checked, without the missing rows. Spaces are made once and kept."""

    def __init__(
        self, values: npt.ArrayLike, factors: Sequence[npt.ArrayLike], terms: Sequence[Sequence[int]]
    ):
        scores = checks.numbers("values", values, dimensions=1)
        codes = [_codes(f"factors[{k}]", factor, scores.size) for k, factor in enumerate(factors)]
        if np.abs(scores[~np.isnan(scores)]).max(initial=0.0) > LARGEST:
            raise UsageError(f"values: beyond {LARGEST:g} squares overflow; give the scores in another unit")
        self.present: BoolArray = ~np.isnan(scores)
        """Which of the rows given have a score; the others are left out."""
        self.scores = scores[self.present]
        self.factors: list[IntArray] = [column[self.present] for column in codes]
        self.levels = [int(column.max(initial=-1)) + 1 for column in codes]
        self.keys = _keys(terms, len(codes))
        self._terms: dict[Key, Term] = {}
        self._spaces: dict[frozenset[Key], Space] = {}
        self._fitted: dict[frozenset[Key], FloatArray] = {}

    @property
    def n(self) -> int:
        return self.scores.size

    @property
    def noise(self) -> float:
        """A sum of squares up to this is rounding."""
        return self.n * (NOISE * float(np.abs(self.scores).max(initial=0.0))) ** 2

    def term(self, key: Key) -> Term:
        if key not in self._terms:
            self._terms[key] = make_term(self.factors, key)
        return self._terms[key]

    def space(self, keys: Sequence[Key]) -> Space:
        """What a constant and these terms span."""
        wanted = frozenset(keys)
        if wanted not in self._spaces:
            self._spaces[wanted] = span([self.term(key) for key in sorted(wanted)], self.n)
        return self._spaces[wanted]

    def fitted(self, keys: Sequence[Key]) -> FloatArray:
        """The scores as these terms give them."""
        wanted = frozenset(keys)
        if wanted not in self._fitted:
            centre = float(self.scores.mean())
            self._fitted[wanted] = centre + self.space(keys).project(self.scores - centre)
        return self._fitted[wanted]

    def squares_between(self, small: Sequence[Key], large: Sequence[Key]) -> tuple[int, float]:
        """Degrees of freedom and sum of squares by which the larger of two nested models fits better.

        The sum is that of the squared differences of the fits; a difference of two residual sums would lose
        digits.
        """
        df = self.space(large).rank - self.space(small).rank
        ss = float(np.sum((self.fitted(large) - self.fitted(small)) ** 2))
        return df, ss if df and ss > self.noise else 0.0


@dataclass(frozen=True)
class LinearFit:
    """A fitted model. What depends on the noise is NaN where none is left to measure, and `why` says why."""

    model: LinearModel
    fitted: FloatArray
    """In the order of the rows given; NaN where the score is missing."""
    residuals: FloatArray
    n: int
    """Rows with a score."""
    rank: int
    """Free parameters, the constant included."""
    residual_df: int
    residual_ss: float
    total_ss: float
    """Sum of squares about the mean."""
    residual_mean_square: float
    """The noise's variance."""
    why: Note | None = None

    @property
    def space(self) -> Space:
        return self.model.space(self.model.keys)


def fit_linear(
    values: npt.ArrayLike, factors: Sequence[npt.ArrayLike], terms: Sequence[Sequence[int]]
) -> LinearFit:
    """Fit by least squares. Each factor is a whole number for every value, from 0; NaN values are left out."""
    return fit_model(LinearModel(values, factors, terms))


def fit_two_way(values: npt.ArrayLike) -> LinearFit:
    """The additive model of a matrix, topics x systems: factor 0 is the column, factor 1 the row."""
    matrix = checks.numbers("values", values, dimensions=2)
    rows, columns = np.indices(matrix.shape)
    return fit_linear(matrix.ravel(), [columns.ravel(), rows.ravel()], [(0,), (1,)])


def fit_model(model: LinearModel) -> LinearFit:
    """The fit of all the model's terms."""
    if not model.n:
        empty = np.full(model.present.size, math.nan)
        return LinearFit(
            model=model,
            fitted=empty,
            residuals=empty,
            n=0,
            rank=0,
            residual_df=0,
            residual_ss=0.0,
            total_ss=0.0,
            residual_mean_square=math.nan,
            why=Note.of("no-scores"),
        )
    fitted = model.fitted(model.keys)
    left = model.scores - fitted
    df = model.n - model.space(model.keys).rank
    ss = float(left @ left) if df else 0.0
    ss = ss if ss > model.noise else 0.0
    total = float(np.sum((model.scores - model.scores.mean()) ** 2))
    total = total if total > model.noise else 0.0
    mean_square = ss / df if df else math.nan
    return LinearFit(
        model=model,
        fitted=_aligned(model, fitted),
        residuals=_aligned(model, left if ss else np.zeros_like(left)),
        n=model.n,
        rank=model.n - df,
        residual_df=df,
        residual_ss=ss,
        total_ss=total,
        residual_mean_square=mean_square,
        why=_why_no_noise(df, ss, total),
    )


def _why_no_noise(df: int, ss: float, total: float) -> Note | None:
    if not total:
        return Note.of("all-the-same")
    if not df:
        return Note.of("no-freedom")
    return None if ss else Note.of("exact-fit")


def _aligned(model: LinearModel, values: FloatArray) -> FloatArray:
    aligned = np.full(model.present.size, math.nan)
    aligned[model.present] = values
    aligned.flags.writeable = False
    return aligned


def _codes(name: str, values: npt.ArrayLike, size: int) -> IntArray:
    array = np.asarray(values)
    if not array.size:
        array = array.astype(np.int64)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer) or array.size != size:
        raise UsageError(f"{name}: expected {size} whole numbers, one for each value")
    if array.min(initial=0) < 0:
        raise UsageError(f"{name}: {array.min()} is not a level; levels are counted from 0")
    return array.astype(np.int64)


def _keys(terms: Sequence[Sequence[int]], factors: int) -> tuple[Key, ...]:
    keys = tuple(tuple(sorted(int(f) for f in term)) for term in terms)
    for key in keys:
        if not key or len(set(key)) != len(key) or not all(0 <= f < factors for f in key):
            raise UsageError(f"terms: {key} does not name different factors among {factors}")
    if len(set(keys)) != len(keys):
        raise UsageError("terms: a term is there twice")
    return keys


# The additive model of a matrix, topics x systems, in closed form: Tukey's test and contrasts start from it.


@dataclass(frozen=True)
class AdditiveFit:
    """Least squares for value = topic + system + noise. A column without scores has NaN, and belongs to part -1.

    Columns belong to one part when a chain of common topics leads from one to the other; only then can their
    effects be compared.
    """

    effects: FloatArray
    """Of the columns; they sum to 0 in each part."""
    means: FloatArray
    """Least-squares means, every topic counting alike; NaN where there are several parts."""
    covariance: FloatArray
    """Of the effects, in units of the residual variance."""
    part: IntArray
    n: IntArray
    """Cells of every column."""
    df: int
    """Of the residuals: cells, less topics, less columns, plus parts."""
    mean_square: float
    """Of the residuals: their sum of squares over df; NaN where df is 0."""
    noise: float
    """What of an effect is floating-point noise; `mean_square` is 0 where every residual is no more."""

    @property
    def columns(self) -> int:
        """Columns with scores."""
        return int(np.count_nonzero(self.part >= 0))

    @property
    def parts(self) -> int:
        return int(self.part.max(initial=-1)) + 1

    def joined(self, weights: FloatArray) -> BoolArray:
        """Which rows of weights can be estimated: they sum to 0 in each part, and hold no empty column."""
        sizes = np.abs(weights).sum(axis=1)
        sums = [np.abs(weights[:, self.part == part].sum(axis=1)) for part in range(self.parts)]
        empty = np.abs(weights[:, self.part < 0]).sum(axis=1)
        return np.asarray(np.max([*sums, empty], axis=0) <= NOISE * sizes)


def fit_additive(matrix: FloatArray) -> AdditiveFit:
    """The model of a matrix, topics in rows and systems in columns, NaN where there is no score.

    Topics are taken out first: with every value less its topic's mean, the effects solve C effects = Q, where
    Q sums a column's centred values, and C holds the cells of every column less what topics share (the reduced
    normal equations of an incomplete block design).
    """
    values = matrix[(~np.isnan(matrix)).any(axis=1)]
    present = ~np.isnan(values)
    sizes = present.sum(axis=1, keepdims=True)
    levels = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / sizes
    centred = np.where(present, values - levels, 0.0)
    cells = present.astype(np.float64)
    information = np.diag(cells.sum(axis=0)) - cells.T @ (cells / sizes)
    part = np.full(cells.shape[1], -1, dtype=np.int64)
    used = np.flatnonzero(cells.any(axis=0))
    if used.size:
        part[used] = connected_components(cells[:, used].T @ cells[:, used], directed=False)[1]
    # The Moore-Penrose inverse, part by part: a part's null space is the vector of ones.
    covariance = np.zeros_like(information)
    parts = int(part.max(initial=-1)) + 1
    for number in range(parts):
        columns = np.flatnonzero(part == number)
        block = information[np.ix_(columns, columns)]
        lift = max(float(np.trace(block)), 1.0) / columns.size**2
        covariance[np.ix_(columns, columns)] = np.linalg.inv(block + lift) - 1 / (lift * columns.size**2)
    effects = covariance @ centred.sum(axis=0)
    shared = cells @ effects / sizes[:, 0]
    residuals = np.where(present, centred - effects + shared[:, None], 0.0)
    noise = NOISE * float(np.abs(values[present]).max(initial=0.0))
    centre = (levels[:, 0] - shared).mean() if parts == 1 else np.nan
    df = int(cells.sum()) - values.shape[0] - int(np.count_nonzero(part >= 0)) + parts
    return AdditiveFit(
        effects=np.where(part < 0, np.nan, effects),
        means=np.where(part < 0, np.nan, effects + centre),
        covariance=np.where((part < 0)[:, None] | (part < 0), np.nan, covariance),
        part=part,
        n=cells.sum(axis=0).astype(np.int64),
        df=df,
        mean_square=_mean_square(residuals, df, noise),
        noise=noise,
    )


def _mean_square(residuals: FloatArray, df: int, noise: float) -> float:
    if df < 1:
        return math.nan
    if np.abs(residuals).max() <= noise:
        return 0.0
    with np.errstate(over="ignore"):  # infinite where it does not fit a float
        return float((residuals**2).sum()) / df
