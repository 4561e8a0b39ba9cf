"""Mixed models with crossed random terms, by REML: variances, means, tests. The criterion is in anova_reml.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import chdtrc

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.model import (
    Key,
    Model,
    Term,
    constant,
    crossed,
    factored,
    fit_model,
    indicators,
    within,
)
from adjudge.stats.linear.reml import Reml
from adjudge.stats.linear.satterthwaite import FixedTest, Satterthwaite
from adjudge.stats.linear.search import search

LEAST_NOISE = 1e-9
"""The least share of the sum of squares that the noise must have: with less, ratios to it drown in rounding."""


@dataclass(frozen=True)
class MixedFit:
    """A fitted mixed model. Where it cannot be fitted, numbers are NaN and `why` says why."""

    random: tuple[Key, ...]
    n: int
    variances: FloatArray
    """One for each random term."""
    residual_variance: float
    deviance: float
    """-2 log restricted likelihood at the best."""
    effects: tuple[FloatArray, ...]
    """Best predictions, for each random term and each of its observed cells."""
    why: str | None = None
    found: Found | None = field(default=None, repr=False, compare=False)
    """Where the search ended, for whoever goes on from here."""

    @property
    def singular(self) -> tuple[Key, ...]:
        """Random terms whose variance is estimated as 0."""
        return tuple(key for key, variance in zip(self.random, self.variances, strict=True) if variance == 0)


@dataclass(frozen=True)
class Found:
    """The end of a search: the design, the best ratios, and how fixed effects combine to means."""

    reml: Reml
    theta: FloatArray
    averaging: FloatArray
    centre: float


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
) -> MixedFit:
    """Fit by restricted maximum likelihood, as lme4's lmer(value ~ system + (1 | topic) + (1 | assessor)).

    `fixed` are positions of factors, `random` terms as in linear.py; NaN values are left out.
    """
    if not random:
        raise UsageError("random: no term; a model without random terms is fit_linear's")
    model = Model(values, factors, [*((f,) for f in fixed), *random])
    keys = model.keys[len(fixed) :]
    why = _why_not(model, model.keys[: len(fixed)], keys)
    if why is not None:
        return _undefined(keys, model.n, why)
    columns, averaging = _fixed_columns(model, fixed)
    if columns is None:
        return _undefined(keys, model.n, "the design cannot tell the fixed effects apart")
    reml = Reml(model.scores, columns, [model.term(key) for key in keys])
    theta = search(reml, range(len(keys)), np.ones(len(keys)))
    best = reml.at(theta)
    sigma2 = best.rss / reml.df
    found = Found(reml, theta, averaging, float(model.scores.mean()))
    return MixedFit(keys, model.n, theta**2 * sigma2, sigma2, best.deviance, best.effects, None, found)


def fixed_means(fit: MixedFit) -> MixedMeans:
    """Means with REML's standard errors and Satterthwaite's degrees of freedom, and the test of their equality."""
    if fit.found is None:
        none = np.zeros(0)
        return MixedMeans(none, np.zeros((0, 0)), none, FixedTest(math.nan, 0, math.nan, math.nan, fit.why))
    found = fit.found
    best = found.reml.at(found.theta)
    satterthwaite = Satterthwaite(found.reml, found.theta, found.averaging)
    covariance = fit.residual_variance * found.averaging @ best.unscaled @ found.averaging.T
    means = found.centre + found.averaging @ best.fixed
    return MixedMeans(means, covariance, satterthwaite.of_means(), satterthwaite.of_equality())


def random_tests(fit: MixedFit) -> tuple[RandomTest, ...]:
    """Each random term held against the model without it."""
    if fit.found is None:
        return tuple(RandomTest(key, math.nan, math.nan) for key in fit.random)
    return tuple(_random_test(fit, fit.found, k) for k in range(len(fit.random)))


def _random_test(fit: MixedFit, found: Found, k: int) -> RandomTest:
    ratio = 0.0
    if found.theta[k]:
        others = [other for other in range(found.theta.size) if other != k]
        without = search(found.reml, others, found.theta, exact=False)
        ratio = max(0.0, found.reml.at(without).deviance - fit.deviance)
    return RandomTest(fit.random[k], ratio, 0.5 * float(chdtrc(1, ratio)) if ratio else 1.0)


def _why_not(model: Model, fixed: tuple[Key, ...], random: tuple[Key, ...]) -> str | None:
    """Why a model cannot be fitted. Terms are told by their place: names are not known here."""
    whole = fit_model(model)
    if whole.why is not None:
        return whole.why
    if whole.residual_ss < LEAST_NOISE * whole.total_ss:
        return "there is almost no noise to compare the other variances with"
    terms = [model.term(key) for key in random]
    for k, (key, term) in enumerate(zip(random, terms, strict=True)):
        if model.space([*fixed, key]).rank == model.space(fixed).rank:
            return f"the variance of random term {k + 1} cannot be told from the fixed effects"
        for j, known in enumerate(terms[:k]):
            if term.size == known.size and within(term, known):
                return f"random terms {j + 1} and {k + 1} are the same groups: their variances cannot be told apart"
    return None


def _fixed_columns(model: Model, fixed: Sequence[int]) -> tuple[Any, FloatArray]:
    """X, sparse and of full rank, and the combinations of its columns that are the means.

    The first factor has a column for every level; of the others, columns that add nothing are left out. None
    where more than one level of a factor adds nothing: then the means are not defined.
    """
    first = model.term((fixed[0],)) if fixed else constant(model.n)
    others = [term for term in (model.term((f,)) for f in fixed[1:]) if not within(term, first)]
    if not others:
        return indicators(first), np.eye(first.size)
    kept = _independent(first, others)
    if kept.size != sum(term.size - 1 for term in others):
        return None, np.zeros((0, 0))
    wide = sparse.hstack([indicators(term) for term in others], format="csc")
    weights = np.concatenate([np.full(term.size, 1 / term.size) for term in others])
    averaging = np.hstack([np.eye(first.size), np.tile(weights[kept], (first.size, 1))])
    return sparse.hstack([indicators(first), wide[:, kept]], format="csr"), averaging


def _independent(first: Term, others: list[Term]) -> IntArray:
    """Columns of the other terms that are independent of each other and of the first term's."""
    counts = np.bincount(first.codes, minlength=first.size)
    table = np.vstack([crossed(term, first).toarray() for term in others])
    inner = np.block([[crossed(a, b).toarray() for b in others] for a in others])
    return np.sort(factored(inner - (table / counts) @ table.T, inner.diagonal().copy()).kept)


def _undefined(keys: tuple[Key, ...], n: int, why: str) -> MixedFit:
    return MixedFit(keys, n, np.full(len(keys), math.nan), math.nan, math.nan, (), why)
