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
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import fdtrc

from adjudge.errors import UsageError
from adjudge.stats.linear.anova import SumsOfSquares
from adjudge.stats.linear.mixed import fixed_test
from adjudge.stats.linear.model import Key, LinearModel, same_groups, within
from adjudge.stats.linear.strata import Strata, combined, reml_of_mean_squares, strata

Method = Literal["stratum", "strata", "reml"]


@dataclass(frozen=True, slots=True)
class TermTest:
    """The F test of one term against its error terms. Where there is none, `why` says why."""

    term: Key
    errors: tuple[Key, ...]
    """The random terms that contain it: their variances, with the residual noise, are what F is compared with."""
    random: tuple[Key, ...]
    """All random terms of the model that it was tested in."""
    method: Method
    """One mean square of a balanced design (exact); several of them, by REML; or REML on the rows."""
    f: float
    df: int
    denominator_df: float
    p: float
    why: str | None = None


def term_test(
    model: LinearModel,
    key: Key,
    *,
    sampled: Sequence[int],
    ss_type: SumsOfSquares = 2,
    always: bool = False,
) -> TermTest | None:
    """Test a term of the model against the right noise; None where that is the residuals.

    `sampled` are the factors whose levels are a sample. For a term with a coarse factor, as a type of topics, the
    factors within it are a sample too. `always` tests by REML in unbalanced designs even where the residuals would do.
    """
    try:
        random = random_terms(model, _sampled_for(model, key, sampled), about=key)
    except UsageError as error:  # too large
        return _untested(key, (), (), str(error))
    own = model.term(key)
    random = tuple(each for each in random if each != key and not within(model.term(each), own))
    errors = tuple(each for each in random if within(own, model.term(each)))
    if not errors and not (always and random):
        return None
    fixed = [each for each in model.keys if each not in random]
    balanced = strata(model, fixed, random)
    if balanced is not None:
        return _by_strata(balanced, key, errors) if errors else None
    rank = model.space(fixed).rank
    random = tuple(each for each in random if model.space([*fixed, each]).rank > rank)
    if not set(errors) <= set(random):
        return _untested(key, errors, random, "nothing is left of what it would be compared with")
    if not random:
        return None
    if ss_type == 3 and any(set(key) < set(each) for each in fixed):
        why = "type III is not computed against several error terms: use type II"
        return _untested(key, errors, random, why)
    at = fixed.index(key)
    others = fixed[:at] if ss_type == 1 else [each for each in fixed if not within(own, model.term(each))]
    try:
        test = fixed_test(model, key, fixed=fixed, after=others, random=random)
    except UsageError as error:  # too large, or not of full rank
        return _untested(key, errors, random, str(error))
    if test.why is not None:
        return _untested(key, errors, random, test.why)
    return TermTest(
        term=key,
        errors=errors,
        random=random,
        method="reml",
        f=test.f,
        df=test.df,
        denominator_df=test.denominator_df,
        p=test.p,
    )


def _untested(key: Key, errors: tuple[Key, ...], random: tuple[Key, ...], why: str) -> TermTest:
    nan = math.nan
    return TermTest(
        term=key, errors=errors, random=random, method="reml", f=nan, df=0, denominator_df=nan, p=nan, why=why
    )


def _by_strata(found: Strata, key: Key, errors: tuple[Key, ...]) -> TermTest:
    df, ss = found.effects[key]
    needed = found.shares[key]
    exact = np.flatnonzero((found.coefficients == needed).all(axis=1))
    if exact.size:
        at = int(exact[0])
        method: Method = "stratum"
        noise, denominator = float(found.ms[at]), float(found.df[at])
    else:
        method = "strata"
        variances = reml_of_mean_squares(found)
        noise, denominator = combined(found, variances, needed)
        # No rounding of mean squares that have nothing to do with it.
        noise = noise if found.ms[(found.coefficients <= needed).all(axis=1)].any() else 0.0
    why = None
    if not df:
        why = "nothing is left of it after the other terms"
    elif not noise > 0:
        why = "what it is compared with does not vary"
    f = ss / df / noise if why is None else math.nan
    return TermTest(
        term=key,
        errors=errors,
        random=found.random,
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
    own = model.term((factor,))
    others = [(f, model.term((f,))) for f in _factors(model) if f != factor]
    return [f for f, term in others if term.size > own.size and within(own, term)]


def _factors(model: LinearModel) -> list[int]:
    return sorted({f for key in model.keys for f in key})


def _sampled_for(model: LinearModel, key: Key, sampled: Sequence[int]) -> list[int]:
    return sorted({*sampled, *(f for factor in key for f in finer(model, factor))})


def random_terms(model: LinearModel, sampled: Sequence[int], *, about: Key = ()) -> tuple[Key, ...]:
    """The sampled factors and the two-way interactions with them, as far as the design identifies them.

    An interaction without replicates is the residual noise itself; one of a factor with another that it lies within
    is the factor. What leaves nothing for the noise is left out, interactions of two sampled factors first.
    Interactions of a coarse factor, as of a type of topics, are there where the question is `about` it.
    """
    chosen = set(sampled)
    known = [(f,) for f in _factors(model)]
    coarse = {f for f in _factors(model) if f not in chosen and f not in about and finer(model, f)}
    mains = [key for key in known if key[0] in chosen]
    asked = [key for key in model.keys if len(key) > 1 and chosen & set(key)]
    pairs = [
        pair for pair in combinations(_factors(model), 2) if chosen & set(pair) and not coarse & set(pair)
    ]
    pairs.sort(key=lambda pair: chosen >= set(pair))
    found: list[Key] = []
    for key in dict.fromkeys([*asked, *pairs]):
        term = model.term(key)
        if term.size < model.n and not any(same_groups(term, model.term(each)) for each in [*known, *found]):
            found.append(key)
    random = [*mains, *found]
    terms = [*(key for key in model.keys if key not in random), *random]
    if strata(model, terms, ()) is not None:
        return tuple(random)
    kept = [*mains, *(key for key in found if key in model.keys)]
    for key in random:
        before = [*dict.fromkeys([*model.keys, *kept])]
        if key not in kept and model.space(before).rank < model.space([*before, key]).rank < model.n:
            kept.append(key)
    return tuple(kept)
