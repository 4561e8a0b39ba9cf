"""Analysis of variance of a fit: the table, adjusted means, interaction effects, checks of the residuals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import fdtrc, stdtr, stdtrit

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.linear.check_power import (
    ENOUGH,
    power_of_additivity,
    power_of_normality,
    power_of_outlier,
    power_of_spread,
)
from adjudge.stats.linear.model import Key, LinearFit, LinearModel, Term, crossed, indicators, within

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
    why: Note | None = None


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
    Type II: each term after all that do not contain it, as topics do their types. Type III: each main effect as the
    hypothesis that the unweighted means of its levels are equal, which sum-to-zero contrasts test; needs every cell
    filled.
    A term that the others span already has 0 degrees of freedom.
    """
    if ss_type not in get_args(SumsOfSquares):
        raise UsageError(f"ss_type: expected 1, 2 or 3, got {ss_type!r}")
    model = fit.model
    if not fit.n:
        sums: list[tuple[int, float, Note | None]] = [(0, 0.0, fit.why) for _ in model.keys]
    elif ss_type == 1:
        sums = [
            (*model.squares_between(model.keys[:k], model.keys[: k + 1]), None)
            for k in range(len(model.keys))
        ]
    else:
        sums = [_marginal(fit, key, ss_type) for key in model.keys]
    return AnovaTable(
        rows=tuple(_row(fit, key, *of_key) for key, of_key in zip(model.keys, sums, strict=True)),
        residual_df=fit.residual_df,
        residual_ss=fit.residual_ss,
        residual_ms=fit.residual_mean_square,
        total_ss=fit.total_ss,
        ss_type=ss_type,
    )


def _row(fit: LinearFit, key: Key, df: int, ss: float, why: Note | None) -> AnovaRow:
    why = why or fit.why or (None if df else Note.of("nothing-left"))
    ms = ss / df if df else math.nan
    f = ms / (fit.residual_ss / fit.residual_df) if why is None else math.nan
    p = float(fdtrc(df, fit.residual_df, f)) if why is None else math.nan
    share = ss / fit.total_ss if fit.total_ss else math.nan
    return AnovaRow(term=key, df=df, ss=ss, ms=ms, f=f, p=p, share=share, why=why)


def _marginal(fit: LinearFit, key: Key, ss_type: SumsOfSquares) -> tuple[int, float, Note | None]:
    model = fit.model
    if ss_type == 3 and any(set(key) < set(other) for other in model.keys):
        if len(key) > 1:
            return 0, math.nan, Note.of("type-3-within")
        means = adjusted_means(fit, key[0])
        here = means.n > 0
        estimates, spread = means.means[here], means.unscaled[np.ix_(here, here)]
        if np.isnan(estimates).any():
            return 0, math.nan, Note.of("empty-cells")
        from_first = np.eye(estimates.size)[1:] - np.eye(estimates.size)[0]
        apart = from_first @ estimates
        ss = float(apart @ np.linalg.solve(from_first @ spread @ from_first.T, apart)) if apart.size else 0.0
        return apart.size, ss if ss > fit.model.noise else 0.0, None
    rest = [other for other in model.keys if other != key and not _contains(model, other, key)]
    return (*model.squares_between(rest, [*rest, key]), None)


def _contains(model: LinearModel, fine: Key, coarse: Key) -> bool:
    """Whether a term holds another: by its factors, or because its levels lie within the other's."""
    one, other = model.term(fine), model.term(coarse)
    return set(coarse) < set(fine) or (other.size < one.size and within(other, one))


# Adjusted means: as if every level had met the same conditions

WHOLE = 1e-8
"""How far from 1 the weights that fall on observed cells may be; and how far from 0 what is not estimable."""


@dataclass(frozen=True)
class AdjustedMeans:
    """Least-squares means of a factor's levels, and how sure they are.

    In a complete design they are the plain means. Elsewhere they are what the model expects if every level had
    met every level of the other factors alike. A level that cannot be estimated has NaN, and `why` says why.
    The difference of levels i and j has variance covariance[i, i] + covariance[j, j] - 2 covariance[i, j], with
    `residual_df` degrees of freedom.
    """

    means: FloatArray
    covariance: FloatArray
    """`unscaled` times the residual mean square; NaN where there is no noise."""
    unscaled: FloatArray
    n: IntArray
    """Rows of each level; 0 where a level has no score."""
    residual_df: int
    residual_mean_square: float
    why: dict[int, Note]
    """The reason, by level, where there is no mean."""


def adjusted_means(fit: LinearFit, factor: int) -> AdjustedMeans:
    """Least-squares means: every other factor's levels weigh the same. Searle, Speed and Milliken 1980.

    A level is estimable where the design says so: with an empty cell of an interaction it may not be, and neither
    are systems that share no topics, nor types of topics beside the topics themselves. A factor that this one
    determines, such as a system's kind, goes along with it.
    """
    model = fit.model
    if not 0 <= factor < len(model.factors):
        raise UsageError(f"factor: {factor} is none of the {len(model.factors)} factors")
    if not any(factor in key for key in model.keys):
        raise UsageError(f"factor: {factor} is in no term of the model")
    levels = model.levels[factor]
    n = np.bincount(model.factors[factor], minlength=levels).astype(np.int64)
    here = np.flatnonzero(n)
    why = {int(level): Note.of("level-without-scores") for level in np.flatnonzero(n == 0)}
    means = np.full(levels, math.nan)
    unscaled = np.full((levels, levels), math.nan)
    if here.size:
        estimates, spread, lost = _estimates(fit, factor)
        means[here], unscaled[np.ix_(here, here)] = estimates, spread
        why |= {int(here[k]): Note.of("level-not-apart") for k in lost}
    return AdjustedMeans(
        means=means,
        covariance=unscaled * fit.residual_mean_square,
        unscaled=unscaled,
        n=n,
        residual_df=fit.residual_df,
        residual_mean_square=fit.residual_mean_square,
        why=why,
    )


def _estimates(fit: LinearFit, factor: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Means of the observed levels, their unscaled covariance, and which are not estimable."""
    model, space = fit.model, fit.space
    on_base, whole = level_weights(model, factor, space.base)
    # A factor that another one says, as topics say their type, has no effect of its own beside it.
    whole &= any(factor in term.factors for term in (space.base, *space.others)) | (whole.size == 1)
    parts = []
    for term in space.others:
        part, complete = level_weights(model, factor, term)
        parts.append(part)
        whole &= complete
    on_others = sparse.hstack(parts, format="csr") if parts else sparse.csr_array((whole.size, 0))
    centre = float(model.scores.mean())
    base_means, effects = space.coefficients(model.scores - centre)
    left = space.reduced(on_base, on_others)
    solved = space.inner.solve(left.T)
    gap = np.abs(space.inner.matrix @ solved - left.T).max(axis=0, initial=0.0)
    lost = ~whole | (gap > WHOLE * (1 + np.abs(left).max(axis=1, initial=0.0)))
    means = centre + on_base @ base_means + left @ effects
    spread = (on_base @ sparse.diags_array(1 / space.counts) @ on_base.T).toarray() + left @ solved
    means[lost] = spread[lost] = spread[:, lost] = math.nan
    return means, spread, np.flatnonzero(lost)


def level_weights(model: LinearModel, factor: int, term: Term) -> tuple[Any, BoolArray]:
    """How much each cell of a term counts for each observed level; and whether all cells needed are there."""
    levels = model.term((factor,)).cells[:, 0]
    if factor in term.factors:
        of_cells = term.cells[:, term.factors.index(factor)]
        rows, columns = np.searchsorted(levels, of_cells), np.arange(term.size)
    else:
        rows = np.repeat(np.arange(levels.size), term.size)
        columns = np.tile(np.arange(term.size), levels.size)
    others = [other for other in term.factors if other != factor]
    weight = 1 / math.prod(model.term((other,)).size for other in others)
    weights = sparse.coo_array(
        (np.full(rows.size, weight), (rows, columns)), shape=(levels.size, term.size)
    ).tocsr()
    return weights, np.abs(np.asarray(weights.sum(axis=1)) - 1) < WHOLE


# Interactions, cell by cell: how large they are


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
        matrix = np.full(tuple(self.cells.max(axis=0, initial=-1) + 1), math.nan)
        matrix[self.cells[:, 0], self.cells[:, 1]] = self.effects
        return matrix


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
    space = fit.model.space(rest)
    on_base = crossed(cells, space.base)
    parts = [crossed(cells, term) for term in space.others]
    on_others = sparse.hstack(parts, format="csr") if parts else sparse.csr_array((cells.size, 0))
    left = n - space.quadratic(on_base, on_others)
    # 1_c' P 1_c of every cell c, P projecting on what the interaction adds: the model holds the cell's indicator.
    freedom = np.where(left > 1e-9 * n, left, 0.0)
    errors = np.sqrt(fit.residual_mean_square * freedom) / n
    return judged(term, cells.cells, n, effects, errors, fit.residual_df, alpha=alpha)


def without_test(effects: InteractionEffects) -> InteractionEffects:
    """The effects alone, where the residuals are not the noise that they are to be compared with."""
    none = np.full(effects.effects.size, math.nan)
    return replace(
        effects,
        standard_errors=none,
        p=none,
        limit=math.nan,
        large=np.zeros(effects.effects.size, dtype=bool),
    )


def judged(
    term: Key, cells: IntArray, n: IntArray, effects: FloatArray, errors: FloatArray, df: int, *, alpha: float
) -> InteractionEffects:
    """Effects with their standard errors: which are large."""
    free = errors > 0
    t = np.full(effects.size, math.nan)
    t[free] = np.abs(effects[free]) / errors[free]
    p = 2 * stdtr(df, -t) if df else np.full(effects.size, math.nan)
    limit = float(-stdtrit(df, alpha / 2 / max(1, int(free.sum())))) if df else math.nan
    return InteractionEffects(
        term=term,
        cells=cells,
        n=n,
        effects=effects,
        standard_errors=errors,
        p=p,
        limit=limit,
        large=t > limit,
        alpha=alpha,
    )


# Checks of the residuals: normal, of one variance, additive

SHAPIRO_UP_TO = 5000
"""Shapiro and Wilk's p is known up to here (Royston 1995); beyond, skewness and kurtosis are tested."""

FREE_ENOUGH = 0.75
"""With interactions, the share of degrees of freedom that must be left to compare spreads.

Residuals of one group then lean on each other. In simulations with equal spreads (8 systems x 10 topics, all
two-way interactions) the test at 5 % found a difference in 55 %, 18 %, 14 % and 8 % of cases where 2, 3, 6 and 12
assessors left shares of .39, .53, .66 and .72; without interactions in at most 5 %.
"""


MOST_NAMED = 5

MOST_WORK = 10**11
"""Multiplications that all leverages may cost, some seconds; beyond, those of CANDIDATES rows must do."""

CANDIDATES = 1000


@dataclass(frozen=True, slots=True)
class ResidualCheck:
    """One check of the residuals. Where it cannot be made, `why` says why."""

    name: str
    statistic: float = math.nan
    p: float = math.nan
    df: tuple[int, ...] = ()
    why: Note | None = None
    power: float = math.nan
    """How often it would find a clear violation (check_power.py); NaN where it found one, or was not made."""

    def passed(self, alpha: float = 0.05) -> bool:
        return not self.p < alpha

    @property
    def tells(self) -> bool:
        """Whether it says anything that it found no violation."""
        return self.power >= ENOUGH


@dataclass(frozen=True)
class ResidualChecks:
    """What the residuals say of the model's assumptions."""

    n: int
    normal: ResidualCheck
    """Shapiro-Wilk, or D'Agostino and Pearson's K^2 for many rows."""
    spread: ResidualCheck
    """Brown and Forsythe's test of equal spread between the levels of a factor."""
    additive: ResidualCheck
    """Tukey's one degree of freedom for non-additivity; only of models without interactions."""
    skewness: float
    kurtosis: float
    """Beyond that of a normal distribution, which has 0."""
    largest: IntArray
    """Rows with the largest standardised residuals, the largest first."""
    standardised: FloatArray
    """Their residuals over their standard errors."""
    outlier_p: FloatArray
    """Two-sided, of each as an outlier, times the number of rows (Bonferroni)."""
    outlier_power: float = math.nan
    """How often a score six standard deviations off would be found."""

    @property
    def outliers_tell(self) -> bool:
        """Whether it says anything that no outlier was found."""
        return self.outlier_power >= ENOUGH


def residual_checks(fit: LinearFit, groups: npt.ArrayLike, *, rng: np.random.Generator) -> ResidualChecks:
    """Check a fit's residuals; `groups` says for every row given in which group its spread counts.

    `rng` draws residuals with a clear violation: would a check that passed have found one?
    """
    codes = np.asarray(groups)[fit.model.present]
    left = fit.residuals[fit.model.present]
    if fit.why is not None:
        none = np.zeros(0)
        return ResidualChecks(
            n=fit.n,
            normal=ResidualCheck("shapiro-wilk", why=fit.why),
            spread=ResidualCheck("brown-forsythe", why=fit.why),
            additive=ResidualCheck("tukey-1-df", why=fit.why),
            skewness=math.nan,
            kurtosis=math.nan,
            largest=none.astype(np.int64),
            standardised=none,
            outlier_p=none,
        )
    largest, standardised, outlier_p = _outliers(fit, left)
    centred = left - left.mean()
    square = float(np.mean(centred**2))
    skewness, kurtosis = float(np.mean(centred**3)) / square**1.5, float(np.mean(centred**4)) / square**2 - 3
    return ResidualChecks(
        n=fit.n,
        normal=_with_power(_normal(left, fit.residual_df), lambda: power_of_normality(fit, rng)),
        spread=_with_power(_spread(fit, left, codes), lambda: power_of_spread(fit, codes, rng)),
        additive=_additive(fit),
        skewness=skewness,
        kurtosis=kurtosis,
        largest=np.flatnonzero(fit.model.present)[largest],
        standardised=standardised,
        outlier_p=outlier_p,
        outlier_power=power_of_outlier(fit),
    )


def _with_power(check: ResidualCheck, power: Callable[[], float]) -> ResidualCheck:
    """A check that found nothing, with its power to find something."""
    return replace(check, power=power()) if check.why is None and check.passed() else check


def _normal(left: FloatArray, df: int) -> ResidualCheck:
    from scipy import stats

    if left.size < 4:
        return ResidualCheck("shapiro-wilk", why=Note.of("few-rows", needs=4, n=left.size))
    if df < 3:  # with one, residuals have one form whatever the scores; with two, W is never small
        return ResidualCheck("shapiro-wilk", why=Note.of("few-freedom", needs=3, df=df))
    if left.size <= SHAPIRO_UP_TO:
        w, p = stats.shapiro(left)
        return ResidualCheck("shapiro-wilk", float(w), float(p))
    k2, p = stats.normaltest(left)
    return ResidualCheck("dagostino-pearson", float(k2), float(p))


def _spread(fit: LinearFit, left: FloatArray, codes: npt.NDArray[np.generic]) -> ResidualCheck:
    """Levene's test about the medians (Brown and Forsythe 1974), over the groups with two rows or more."""
    from scipy import stats

    name = "brown-forsythe"
    if _has_interactions(fit) and fit.residual_df < FREE_ENOUGH * fit.n:
        why = Note.of("freedom-of-rows", df=fit.residual_df, n=fit.n)
        return ResidualCheck(name, why=why)
    groups = [left[codes == code] for code in np.unique(codes)]
    groups = [group for group in groups if group.size > 1]
    if len(groups) < 2:
        return ResidualCheck(name, why=Note.of("few-groups"))
    n, k = sum(group.size for group in groups), len(groups)
    inside = sum(group.size * float(np.abs(group - np.median(group)).var()) for group in groups)
    if inside <= fit.model.noise:
        return ResidualCheck(name, why=Note.of("alike-about-medians"))
    f, p = stats.levene(*groups, center="median")
    if k == 2 and f * inside / (n - k) <= fit.model.noise:
        return ResidualCheck(name, why=Note.of("mirrored"))
    return ResidualCheck(name=name, statistic=float(f), p=float(p), df=(k - 1, n - k))


def _additive(fit: LinearFit) -> ResidualCheck:
    """Tukey 1949: does the square of the fit explain anything more? 1 degree of freedom.

    In a complete two-way table this is the product of row and column effects. The square is taken about the
    mean, which changes nothing but the rounding.
    """
    name = "tukey-1-df"
    model = fit.model
    if _has_interactions(fit):
        return ResidualCheck(name, why=Note.of("has-interactions"))
    if fit.residual_df < 2:
        return ResidualCheck(name, why=Note.of("no-freedom"))
    fitted = model.fitted(model.keys)
    square = (fitted - fitted.mean()) ** 2
    extra = square - fit.space.project(square)
    length = float(extra @ extra)
    if length <= 1e-18 * float(square @ square):
        return ResidualCheck(name, why=Note.of("square-adds-nothing"))
    ss = float(extra @ fit.residuals[model.present]) ** 2 / length
    df = fit.residual_df - 1
    rest = fit.residual_ss - ss
    if rest <= model.noise:
        return ResidualCheck(name=name, statistic=math.inf, p=0.0, df=(1, df))
    f = ss / (rest / df)
    check = ResidualCheck(name=name, statistic=f, p=float(fdtrc(1, df, f)), df=(1, df))
    return _with_power(check, lambda: power_of_additivity(fit, extra, fitted))


def _has_interactions(fit: LinearFit) -> bool:
    return any(len(key) > 1 for key in fit.model.keys)


def _outliers(fit: LinearFit, left: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The largest residuals over their standard errors; each tested against the noise of the other rows.

    A row that the model fits whatever its score, being alone in a cell, has no standard error and is passed over.
    """
    rows, leverages = _leverages(fit, left)
    room = 1 - leverages
    scaled = np.zeros(rows.size)
    free = room > 1e-9
    scaled[free] = left[rows[free]] / np.sqrt(fit.residual_mean_square * room[free])
    order = np.argsort(-np.abs(scaled), kind="stable")[:MOST_NAMED]
    order = order[free[order]]
    largest, df = scaled[order], fit.residual_df
    p = np.full(largest.size, math.nan)
    if df > 1:
        rest = np.maximum(df - largest**2, 0.0)
        with np.errstate(divide="ignore"):
            outside = np.abs(largest) * np.sqrt((df - 1) / rest)
        p = np.minimum(1.0, 2 * stdtr(df - 1, -outside) * fit.n)
    return rows[order], largest, p


def _leverages(fit: LinearFit, left: FloatArray) -> tuple[IntArray, FloatArray]:
    """Rows that may have the largest standardised residuals, and their leverages: all rows, or of very large
    models those whose residuals are the largest.
    """
    space = fit.space
    if space.base.size * space.inner.matrix.size <= MOST_WORK:
        return np.arange(left.size), space.leverages()
    rows = np.argsort(-np.abs(left), kind="stable")[:CANDIDATES]
    parts = [indicators(term)[rows] for term in space.others]
    return rows, space.quadratic(indicators(space.base)[rows], sparse.hstack(parts, format="csr"))
