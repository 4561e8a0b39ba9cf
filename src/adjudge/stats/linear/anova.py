"""Analysis of variance: sums of squares of type I, II and III, F and p. Fitting lives in linear.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import fdtrc

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.linear.means import adjusted_means
from adjudge.stats.linear.model import Key, LinearFit

SumsOfSquares = Literal[1, 2, 3]


@dataclass(frozen=True, slots=True)
class AnovaRow:
    """One term's line. Where F cannot be computed, it and p are NaN and `why` says why."""

    term: Key
    df: int
    ss: float
    ms: float
    f: float
    p: float
    share: float
    """Of the sum of squares about the mean. Only type I shares, and balanced ones, add up to at most 1."""
    why: str | None = None


@dataclass(frozen=True, slots=True)
class AnovaTable:
    """The table as S-PLUS prints it: a row per term, then the residuals."""

    rows: tuple[AnovaRow, ...]
    residual_df: int
    residual_ss: float
    residual_ms: float
    total_ss: float
    ss_type: SumsOfSquares


def anova_table(fit: LinearFit, *, ss_type: SumsOfSquares = 1) -> AnovaTable:
    """The analysis of variance of a fit.

    Type I: each term after those before it, in the order given; what S-PLUS and R's anova print.
    Type II: each term after all that do not contain it. Type III: each main effect as the hypothesis that the
    unweighted means of its levels are equal, which sum-to-zero contrasts test; needs every cell filled.
    A term that the others span already has 0 degrees of freedom.
    """
    if ss_type not in get_args(SumsOfSquares):
        raise UsageError(f"ss_type: expected 1, 2 or 3, got {ss_type!r}")
    model = fit.model
    if not fit.n:
        sums: list[tuple[int, float, str | None]] = [(0, 0.0, fit.why) for _ in model.keys]
    elif ss_type == 1:
        sums = [
            (*model.squares_between(model.keys[:k], model.keys[: k + 1]), None)
            for k in range(len(model.keys))
        ]
    else:
        sums = [_marginal(fit, key, ss_type) for key in model.keys]
    rows = [
        _row(key, df, ss, fit.residual_df, fit.residual_ss, fit.total_ss, why or fit.why)
        for key, (df, ss, why) in zip(model.keys, sums, strict=True)
    ]
    return AnovaTable(
        tuple(rows), fit.residual_df, fit.residual_ss, fit.residual_mean_square, fit.total_ss, ss_type
    )


def table_of_sums(df: Sequence[int], ss: Sequence[float], residual_df: int, residual_ss: float) -> AnovaTable:
    """The table that sequential sums of squares give, as for those printed in a paper."""
    for name, values in (("df", df), ("ss", ss)):
        if len(values) != len(df) or any(value < 0 for value in values):
            raise UsageError(f"{name}: expected {len(df)} numbers, none below 0")
    checks.count("residual_df", residual_df, least=0)
    total = math.fsum([*ss, residual_ss])
    why = None if residual_df and residual_ss else "there is no noise to compare with"
    rows = [
        _row((k,), each, squares, residual_df, residual_ss, total, why)
        for k, (each, squares) in enumerate(zip(df, ss, strict=True))
    ]
    ms = residual_ss / residual_df if residual_df else math.nan
    return AnovaTable(tuple(rows), residual_df, residual_ss, ms, total, 1)


def _row(
    key: Key, df: int, ss: float, residual_df: int, residual_ss: float, total: float, why: str | None
) -> AnovaRow:
    share = ss / total if total else math.nan
    if not df and why is None:
        why = "nothing is left of it after the other terms"
    ms = ss / df if df else math.nan
    if why is not None:
        return AnovaRow(key, df, ss, ms, math.nan, math.nan, share, why)
    f = ms / (residual_ss / residual_df)
    return AnovaRow(key, df, ss, ms, f, float(fdtrc(df, residual_df, f)), share)


def _marginal(fit: LinearFit, key: Key, ss_type: SumsOfSquares) -> tuple[int, float, str | None]:
    model = fit.model
    containing = [each for each in model.keys if set(key) < set(each)]
    if ss_type == 3 and containing:
        return _unweighted(fit, key)
    rest = [each for each in model.keys if each != key and each not in containing]
    return (*model.squares_between(rest, [*rest, key]), None)


def _unweighted(fit: LinearFit, key: Key) -> tuple[int, float, str | None]:
    """The hypothesis that the unweighted means of a factor's levels are equal."""
    if len(key) > 1:
        return 0, math.nan, "type III of an interaction within another is not computed"
    means = adjusted_means(fit, key[0])
    here = means.n > 0
    estimates, spread = means.means[here], means.unscaled[np.ix_(here, here)]
    if np.isnan(estimates).any():
        return 0, math.nan, "some cells are empty, so unweighted means cannot be compared: use type II"
    from_first = np.eye(estimates.size)[1:] - np.eye(estimates.size)[0]
    apart = from_first @ estimates
    ss = float(apart @ np.linalg.solve(from_first @ spread @ from_first.T, apart)) if apart.size else 0.0
    return apart.size, ss if ss > fit.model.noise else 0.0, None
