"""Variance components: how much of the variation lies in each factor and in each interaction, by REML.

All factors are random: y = mean + main effects + interactions + residual; one, whose levels are compared, may be
fixed for the variances of the others. Only what the design identifies is a
component of its own: two terms that put the rows into the same cells have one variance together, and a term whose
every cell has one row is the residual. In balanced designs a variance has an interval by generalised pivotal
quantities (Weerahandi 1995): every mean square over a draw of its chi-squared distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.mixed import fit_mixed
from adjudge.stats.linear.model import Key, LinearModel, Term, crossed
from adjudge.stats.linear.strata import Strata

RESIDUAL: Key = ()
INDEPENDENT = 1e-9
"""Of a covariance pattern's square that must be left after those before it."""
DRAWS = 20_000
"""Of the mean squares, for intervals: their ends settle to about one per cent."""


@dataclass(frozen=True)
class RandomComponents:
    """Variances of the terms that the design identifies, the residual's last, under the key ().

    Where no model can be fitted, there are none, and `why` says why.
    """

    level: float
    mixed: dict[Key, tuple[Key, ...]]
    """For every term that is no component of its own, the components that hold its variance; () is the residual."""
    terms: tuple[Key, ...] = ()
    variances: FloatArray = field(default_factory=lambda: np.zeros(0))
    low: FloatArray = field(default_factory=lambda: np.zeros(0))
    """The ends of intervals of the variances; NaN where the design is not balanced."""
    high: FloatArray = field(default_factory=lambda: np.zeros(0))
    balanced: bool = False
    why: Note | None = None

    def variance(self, key: Key) -> float:
        """The variance of a component; NaN where it is none of its own."""
        return float(self.variances[self.terms.index(key)]) if key in self.terms else math.nan


def random_components(
    values: npt.ArrayLike,
    factors: Sequence[npt.ArrayLike],
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    draws: int = DRAWS,
    compared: int | None = None,
) -> RandomComponents:
    """The variances of all factors, of all their interactions and of the residual; a factor of one level has none.

    With `compared`, a factor whose levels are compared, the other variances are those of the model in which it is
    fixed: whether its own is estimated as 0 does not move them.
    """
    checks.share("level", level)
    model = LinearModel(values, factors, [(f,) for f in range(len(factors))])
    varying = [f for f in range(len(factors)) if model.term((f,)).size > 1]
    keys = [key for size in range(1, len(varying) + 1) for key in combinations(varying, size)]
    kept, mixed = _identified(model, keys)
    while kept and model.space(kept).rank >= model.n:  # all together would leave no row for the noise
        large = max(kept, key=lambda key: (len(key), kept.index(key)))
        kept.remove(large)
        for key, inside in mixed.items():
            mixed[key] = tuple(dict.fromkeys(RESIDUAL if part == large else part for part in inside))
        mixed[large] = (RESIDUAL,)
    if not kept:
        return RandomComponents(level, mixed, why=Note.of("no-repeats"))
    fit = fit_mixed(model.scores, model.factors, fixed=(), random=kept)
    if fit.why is not None:
        return RandomComponents(level, mixed, why=fit.why)
    variances = np.append(fit.variances, fit.residual_variance)
    if compared is not None and (compared,) in kept and len(kept) > 1:
        others = [key for key in kept if key != (compared,)]
        beside = fit_mixed(model.scores, model.factors, fixed=[compared], random=others)
        if beside.why is None:
            places = [kept.index(key) for key in others]
            variances[[*places, -1]] = *beside.variances, beside.residual_variance
    low = high = np.full(variances.size, math.nan)
    balanced = fit.estimate.balanced if fit.estimate is not None else None
    if balanced is not None and balanced.random == fit.random:
        drawn = generalised(balanced, rng, draws)
        ends = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        low, high = np.maximum(ends, 0.0)
    return RandomComponents(
        terms=(*kept, RESIDUAL),
        variances=variances,
        low=low,
        high=high,
        level=level,
        mixed=mixed,
        balanced=not bool(np.isnan(low).any()),
    )


def _identified(model: LinearModel, keys: Sequence[Key]) -> tuple[list[Key], dict[Key, tuple[Key, ...]]]:
    """The terms whose covariance patterns are independent of each other and of the residual's; where others' hide.

    A pattern is Z Z' without its mean. Its part that earlier patterns do not make up shows in the Gram matrix of
    all of them.
    """
    rows = Term((), np.arange(model.n), np.zeros((model.n, 0), dtype=np.int64))
    kept: list[Key] = [RESIDUAL]
    terms = {RESIDUAL: rows} | {key: model.term(key) for key in keys}
    inner = {pair: _inner(terms[pair[0]], terms[pair[1]]) for pair in combinations([RESIDUAL, *keys], 2)}
    inner |= {(b, a): value for (a, b), value in inner.items()}
    inner |= {(key, key): _inner(term, term) for key, term in terms.items()}
    mixed: dict[Key, tuple[Key, ...]] = {}
    for key in keys:
        gram = np.array([[inner[a, b] for b in kept] for a in kept])
        with_it = np.array([inner[a, key] for a in kept])
        made = np.linalg.solve(gram, with_it)
        if inner[key, key] - with_it @ made > INDEPENDENT * inner[key, key]:
            kept.append(key)
        else:
            sizes = np.abs(made) * np.sqrt(gram.diagonal())
            mixed[key] = tuple(
                other for other, size in zip(kept, sizes, strict=True) if size > 1e-6 * sizes.max()
            )
    return kept[1:], mixed


def _inner(first: Term, second: Term) -> float:
    """The inner product of two centred covariance patterns: trace(M Z Z' M W W')."""
    table = crossed(first, second)
    n = first.codes.size
    one, other = np.bincount(first.codes).astype(float), np.bincount(second.codes).astype(float)
    return float((table.data**2).sum() - 2 * one @ (table @ other) / n + (one @ one) * (other @ other) / n**2)


def generalised(balanced: Strata, rng: np.random.Generator, draws: int) -> FloatArray:
    """Generalised pivotal quantities of the variances, a row for each draw; below 0 where a variance may well be 0."""
    if draws < 2:
        raise UsageError(f"draws: {draws} are too few")
    squares = balanced.ms * balanced.df / rng.chisquare(balanced.df, size=(draws, balanced.df.size))
    return np.asarray(np.linalg.solve(balanced.coefficients, squares.T).T, dtype=np.float64)
