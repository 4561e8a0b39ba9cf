"""Error terms: which variation each term of an analysis of variance is compared with.

The levels of some factors are a sample: topics, assessors. What such a factor adds is noise to whoever asks about
others, and so is every interaction with it. The mean square of a term then holds more than the residual noise, and
is compared with what it would be without an effect of its own: types of topics with topics within types; systems,
where several assessors judged every summary, with system:topic and system:assessor.

In a balanced design one mean square may have just the expectation that is needed: then F is exact, as in R's
aov(value ~ type * system + Error(topic)). Elsewhere the variances are estimated by REML: in a balanced design from
the mean squares alone (strata.py), in others from the rows (mixed.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import fdtrc

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.linear.anova import SumsOfSquares
from adjudge.stats.linear.mixed import fixed_test
from adjudge.stats.linear.model import Key, LinearModel, fit_model, same_groups, within
from adjudge.stats.linear.strata import Strata, combined, reml_of_mean_squares, strata

Method = Literal["stratum", "strata", "reml", "larger"]


@dataclass(frozen=True, slots=True)
class TermTest:
    """The F test of one term against its error terms. Where there is none, `why` says why."""

    term: Key
    errors: tuple[Key, ...]
    """What F compares it with, beside the residual noise: the one mean square where that is exact, else all random
    terms that contain it."""
    random: tuple[Key, ...]
    """All random terms of the model that it was tested in."""
    method: Method = "reml"
    """One mean square of a balanced design (exact); several of them, by REML; REML on the rows; or the residuals of a
    larger linear model (exact)."""
    f: float = math.nan
    df: int = 0
    denominator_df: float = math.nan
    p: float = math.nan
    why: Note | None = None
    added: tuple[Key, ...] = ()
    """Interactions in that model which are no terms of the one given: the noise is what they leave."""


def term_test(
    model: LinearModel,
    key: Key,
    *,
    sampled: Sequence[int],
    ss_type: SumsOfSquares = 2,
    always: bool = False,
) -> TermTest | None:
    """Test a term of the model against the right noise; None where that is the residuals.

    `sampled` are the factors whose levels are a sample; they need not be terms. Of a coarse factor with none of them
    within it, as a kind of systems, the finest factor within it is a sample too. `always` tests by REML in unbalanced
    designs even where the residuals would do.
    """
    try:
        chosen = set(sampled)
        for factor in key:
            inside = finer(model, factor)
            if not chosen & set(inside):
                chosen |= {f for f in inside if not finer(model, f)}
        design = model_terms(model, sorted(chosen), about=key)
    except UsageError as error:  # too large
        return TermTest(key, (), (), why=Note.of("refused", text=error.text))
    term = model.term(key)
    random = tuple(other for other in design.random if other != key and not within(model.term(other), term))
    errors = tuple(other for other in random if within(term, model.term(other)))
    fixed = [*(other for other in model.keys if other not in random), *design.added]
    added = tuple(other for other in (*random, *design.added) if other not in model.keys)
    if not errors and not (always and random):
        return _in_larger(model, key, added, random, ss_type)
    balanced = strata(model, fixed, random)
    if balanced is not None:
        if not errors:
            return _in_larger(model, key, added, random, ss_type)
        return replace(_by_strata(balanced, key, errors), added=added)
    rank = model.space(fixed).rank
    random = tuple(other for other in random if model.space([*fixed, other]).rank > rank)
    if not set(errors) <= set(random):
        return TermTest(key, errors, random, why=Note.of("nothing-to-compare"))
    if not random:
        return None
    if ss_type == 3 and any(set(key) < set(other) for other in fixed if other in model.keys):
        return TermTest(key, errors, random, why=Note.of("type-3-several"))
    try:
        test = fixed_test(model, key, fixed=fixed, after=_before(model, key, fixed, ss_type), random=random)
    except UsageError as error:  # too large, or not of full rank
        return TermTest(key, errors, random, why=Note.of("refused", text=error.text))
    if test.why is not None:
        return TermTest(key, errors, random, why=test.why)
    denominator = min(test.denominator_df, contained_df(model, key, fixed=fixed, random=random))
    return TermTest(
        term=key,
        errors=errors,
        random=random,
        f=test.f,
        df=test.df,
        denominator_df=denominator,
        p=float(fdtrc(test.df, denominator, test.f)),
        added=added,
    )


def contained_df(model: LinearModel, key: Key, *, fixed: Sequence[Key], random: Sequence[Key]) -> float:
    """The most degrees of freedom of the noise where one interaction of the term is all that it is compared with.

    Those that the interaction has, as in a balanced design, where F is exact (the containment method of SAS; Littell
    and others 2006); elsewhere infinite. REML often takes the variance of what a few assessors make of systems as 0,
    and 0 as known: each score then counts as another opinion, and equal systems seem to differ in up to 13 % of cases.
    """
    errors = [other for other in random if other != key and within(model.term(key), model.term(other))]
    if len(errors) != 1 or not set(key) < set(errors[0]):
        return math.inf
    rest = [other for other in [*fixed, *random] if len(other) == 1 or other == key]
    return float(model.space([*rest, errors[0]]).rank - model.space(rest).rank)


def _before(model: LinearModel, key: Key, terms: Sequence[Key], ss_type: SumsOfSquares) -> list[Key]:
    """What a term is adjusted for: what comes before it, or what does not contain it."""
    if ss_type == 1:
        return list(terms[: terms.index(key)])
    return [other for other in terms if not within(model.term(key), model.term(other))]


def _in_larger(
    model: LinearModel, key: Key, added: tuple[Key, ...], random: tuple[Key, ...], ss_type: SumsOfSquares
) -> TermTest | None:
    """The F of a linear model that holds more interactions, where no random term contains the term.

    Whatever their variances are, as terms of the model they are out of its residuals. None where there are none.
    """
    if not added:
        return None
    if ss_type == 3 and any(set(key) < set(other) for other in model.keys):
        return TermTest(key, (), random, why=Note.of("type-3-beside"))
    try:
        fit = fit_model(LinearModel(model.scores, model.factors, [*model.keys, *added]))
        before = _before(model, key, [*model.keys, *added], ss_type)
        df, ss = model.squares_between(before, [*before, key])
    except UsageError as error:  # too large
        return TermTest(key, (), random, why=Note.of("refused", text=error.text))
    why = fit.why or (None if df else Note.of("nothing-left"))
    if why is not None:
        return TermTest(key, (), random, why=why)
    f = ss / df / fit.residual_mean_square
    return TermTest(
        term=key,
        errors=(),
        random=random,
        method="larger",
        f=f,
        df=df,
        denominator_df=fit.residual_df,
        p=float(fdtrc(df, fit.residual_df, f)),
        added=added,
    )


def _by_strata(balanced: Strata, key: Key, errors: tuple[Key, ...]) -> TermTest:
    df, ss = balanced.effects[key]
    needed = balanced.shares[key]
    exact = np.flatnonzero((balanced.coefficients == needed).all(axis=1))
    if exact.size:
        at = int(exact[0])
        method: Method = "stratum"
        errors = balanced.random[at : at + 1]
        noise, denominator = float(balanced.ms[at]), float(balanced.df[at])
    else:
        method = "strata"
        noise = denominator = 0.0
        # No rounding of mean squares that have nothing to do with it.
        if balanced.ms[(balanced.coefficients <= needed).all(axis=1)].any():
            noise, denominator = combined(balanced, reml_of_mean_squares(balanced), needed)
    why = None
    if not df:
        why = Note.of("nothing-left")
    elif not noise > 0:
        why = Note.of("no-variation")
    f = ss / df / noise if why is None else math.nan
    return TermTest(
        term=key,
        errors=errors,
        random=balanced.random,
        method=method,
        f=f,
        df=df,
        denominator_df=denominator if why is None else math.nan,
        p=float(fdtrc(df, denominator, f)) if why is None else math.nan,
        why=why,
    )


# Which terms are random


def finer(model: LinearModel, factor: int) -> list[int]:
    """The factors of the model whose levels lie within the levels of this one: topics within types."""
    coarse = model.term((factor,))
    others = [(f, model.term((f,))) for f in _factors(model) if f != factor]
    return [f for f, term in others if term.size > coarse.size and within(coarse, term)]


def _factors(model: LinearModel) -> list[int]:
    return sorted({f for key in model.keys for f in key})


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """The terms of a model with a sample: what is random, and fixed interactions that the model given lacks."""

    random: tuple[Key, ...]
    added: tuple[Key, ...]


def model_terms(model: LinearModel, sampled: Sequence[int], *, about: Key = ()) -> ModelTerms:
    """The sampled factors and all two-way interactions, as far as the design identifies them.

    Interactions with a sampled factor are random; those of two fixed ones, as of systems with assessors that are no
    sample, are fixed: neither is noise. An interaction without replicates is the residual noise itself; one of a
    factor with another that it lies within is the factor. What leaves nothing for the noise is left out: interactions
    of two sampled factors first, then those of two fixed ones. Interactions of a coarse factor, as of a type of
    topics, are there where the question is `about` it or the model has them.
    """
    chosen = set(sampled)
    factors = sorted({*_factors(model), *chosen})
    singles = [(f,) for f in factors]
    coarse = {f for f in factors if f not in chosen and finer(model, f)}
    mains = [key for key in singles if key[0] in chosen]
    asked = [key for key in model.keys if len(key) > 1 and chosen & set(key)]
    crossed = [pair for pair in combinations(factors, 2) if not (coarse - set(about)) & set(pair)]
    pairs = [pair for pair in crossed if chosen & set(pair) or not coarse & set(pair)]
    pairs.sort(key=lambda pair: (1, 0, 2)[len(chosen & set(pair))])
    interactions: list[Key] = []
    for key in dict.fromkeys([*asked, *pairs]):
        term = model.term(key)
        if term.size < model.n and not any(
            same_groups(term, model.term(other)) for other in [*singles, *interactions]
        ):
            interactions.append(key)
    every = [*dict.fromkeys([*model.keys, *mains, *interactions])]
    if strata(model, every, ()) is None:
        # A random term adds a variance even where finer ones add its columns, as topics do those of their assessors.
        kept = [*dict.fromkeys([*model.keys, *mains])]
        for key in every[len(kept) :]:
            if model.space(kept).rank < model.space([*kept, key]).rank < model.n:
                kept.append(key)
        every = kept
    there = [key for key in [*mains, *interactions] if key in every]
    return ModelTerms(
        random=tuple(key for key in there if chosen & set(key)),
        added=tuple(key for key in there if not chosen & set(key) and key not in model.keys),
    )
