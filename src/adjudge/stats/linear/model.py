"""Linear models on factors given as integer codes: fits, residuals, noise. Tables and tests live beside.

A model is a constant plus effects of terms; a term is a tuple of positions of factors: (0,) is the first factor's
main effect, (0, 1) its interaction with the second. Cells may be empty, counts unequal, terms may overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.design import Space, Term, make_term, span
from adjudge.stats.paired import NOISE

Key = tuple[int, ...]
"""A term: the positions of its factors, ascending."""


class Model:
    """Scores, factors and terms, checked, without the missing rows. Spaces are made once and kept."""

    def __init__(
        self, values: npt.ArrayLike, factors: Sequence[npt.ArrayLike], terms: Sequence[Sequence[int]]
    ):
        scores = checks.numbers("values", values, dimensions=1)
        codes = [_codes(f"factors[{k}]", each, scores.size) for k, each in enumerate(factors)]
        self.present: BoolArray = ~np.isnan(scores)
        """Which of the rows given have a score; the others are left out."""
        self.scores = scores[self.present]
        self.factors: list[IntArray] = [each[self.present] for each in codes]
        self.levels = [int(each.max(initial=-1)) + 1 for each in codes]
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

    model: Model
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
    why: str | None = None

    @property
    def space(self) -> Space:
        return self.model.space(self.model.keys)


def fit_linear(
    values: npt.ArrayLike, factors: Sequence[npt.ArrayLike], terms: Sequence[Sequence[int]]
) -> LinearFit:
    """Fit by least squares. Each factor is a whole number for every value, from 0; NaN values are left out."""
    return fit_model(Model(values, factors, terms))


def fit_two_way(values: npt.ArrayLike) -> LinearFit:
    """The additive model of a matrix, topics x systems: factor 0 is the column, factor 1 the row."""
    matrix = checks.numbers("values", values, dimensions=2)
    rows, columns = np.indices(matrix.shape)
    return fit_linear(matrix.ravel(), [columns.ravel(), rows.ravel()], [(0,), (1,)])


def fit_model(model: Model) -> LinearFit:
    """The fit of all the model's terms."""
    if not model.n:
        empty = np.full(model.present.size, math.nan)
        return LinearFit(model, empty, empty, 0, 0, 0, 0.0, 0.0, math.nan, "there are no scores")
    fitted = model.fitted(model.keys)
    left = model.scores - fitted
    df = model.n - model.space(model.keys).rank
    ss = float(left @ left) if df else 0.0
    ss = ss if ss > model.noise else 0.0
    total = float(np.sum((model.scores - model.scores.mean()) ** 2))
    total = total if total > model.noise else 0.0
    mean_square = ss / df if df else math.nan
    return LinearFit(
        model,
        _aligned(model, fitted),
        _aligned(model, left if ss else np.zeros_like(left)),
        model.n,
        model.n - df,
        df,
        ss,
        total,
        mean_square,
        _why_no_noise(df, ss, total),
    )


def _why_no_noise(df: int, ss: float, total: float) -> str | None:
    if not total:
        return "all scores are the same"
    if not df:
        return "no degrees of freedom are left for the noise"
    return None if ss else "the model fits every score exactly, so there is no noise to compare with"


def _aligned(model: Model, values: FloatArray) -> FloatArray:
    found = np.full(model.present.size, math.nan)
    found[model.present] = values
    found.flags.writeable = False
    return found


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
