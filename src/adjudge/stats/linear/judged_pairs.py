"""Every two systems compared where assessors are a sample: would other assessors like these find the same?

The model is value = system + topic + assessor + topic:assessor + system:topic + system:assessor + noise, systems fixed
and the rest random, as far as the design tells the terms apart. What matters for a difference of two systems is
system:assessor: those who like the one may be few, and judging more topics does not make them more.

Every difference has two standard errors: pooled over all systems, which supposes that they all vary alike, and its
own. The one is sure but may be wrong for this pair, the other is right but unsure, with few assessors very much so:
the larger is taken, with the degrees of freedom of the pooled one, and the own alone where there are assessors enough.

Where groups of equally many assessors judged everything of equally many topics, mean squares are all that is needed.
Elsewhere the pooled error comes from REML on the rows (mixed.py), with Satterthwaite's degrees of freedom, and the own
from sums over topics and assessors of what the model leaves (clustered both ways: Cameron, Gelbach and Miller 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.judging import FEW_DF, FEWEST_DF, OWN_FROM, group_labels, judge_freedom, own_freedom
from adjudge.stats.linear.mixed import LEAST_NOISE, Reml, Satterthwaite, criterion_of, elimination, search
from adjudge.stats.linear.model import Key, LinearModel, Term, fit_model, indicators, same_groups
from adjudge.stats.linear.strata import Strata, combined, reml_of_mean_squares
from adjudge.stats.paired import NOISE
from adjudge.stats.pairs import columns_of_pairs

JudgedDesign = Literal["crossed", "blocks", "one judge a row", "assigned", "one judge"]

FILLED = 0.8
"""The share of cells filled from which a design counts as crossed, with cells missing, rather than as assigned."""
MOST_RANKED = 1_500
"""Effects beside the largest term up to which ranks are computed, to see which terms a design tells apart."""
MOST_WORK = 2e10
"""Multiplications of one step of REML: about half a minute for all of them."""

NEARLY_NOISE = 1.25
"""Rows in a cell of a term, on average, up to which the noise stands for the term where they cannot be told apart."""

ROUNDING = 1e-12
"""An own variance below this share of the pooled one is what rounding leaves of none."""

TERMS: dict[Key, str] = {
    (1,): "topic",
    (2,): "assessor",
    (1, 2): "topic:assessor",
    (0, 1): "system:topic",
    (0, 2): "system:assessor",
}
"""Random terms by their factors: 0 is the system, 1 the topic, 2 the assessor."""
ALMOST_NO_NOISE = Note.of("almost-no-noise")
CONFOUNDED = {(0, 2): Note.of("judges-confounded"), (0, 1): Note.of("rows-confounded")}
"""Why other assessors cannot be spoken of, where a term that matters is not in the model."""


class _NoFitError(Exception):
    """No model can be fitted, and why."""

    def __init__(self, why: Note) -> None:
        super().__init__(why.code)
        self.why = why


@dataclass(frozen=True)
class JudgedMeans:
    """One number for each system, with its standard error and its degrees of freedom; NaN where there is none."""

    estimate: FloatArray
    error: FloatArray
    df: FloatArray


@dataclass(frozen=True)
class JudgedPairs:
    """Every two systems compared for assessors like these. What has no test is NaN, and says why."""

    first: IntArray
    second: IntArray
    n: IntArray
    """Topics that both have."""
    difference: FloatArray
    """First less second."""
    error: FloatArray
    df: FloatArray
    statistic: FloatArray
    """Student's t."""
    p: FloatArray
    """Two-sided, not adjusted."""
    pooled_error: FloatArray
    """Where all systems vary alike; with `pooled_df`."""
    pooled_df: FloatArray
    own_error: FloatArray
    """Of what the two systems show alone; with `own_df`."""
    own_df: FloatArray
    deviations: JudgedMeans
    """Of each system from the average system."""
    means: JudgedMeans
    """Of each system, over topics and assessors like these: mostly less sure than what differs between systems."""
    components: dict[str, float]
    """Variances of the random terms that the design tells apart, and "residual"."""
    design: JudgedDesign
    complete: bool
    """Whether every assessor judged every system on each of their topics."""
    systems: int
    judges: int
    groups: int
    """Parts of the design that share neither topics nor assessors."""
    unavailable: Note | None
    """Why only these assessors can be spoken of, if so: then there are no errors and no p-values."""
    why: dict[int, Note] = field(default_factory=dict)
    """The reason, by the pair's position, where there is no p."""

    def __len__(self) -> int:
        return self.p.size

    @property
    def own_judge_df(self) -> int:
        """Degrees of freedom for assessors of one pair: within groups, or between groups where those are more."""
        return int(own_freedom(self.judges, self.groups))

    @property
    def judge_df(self) -> int:
        """Degrees of freedom for how assessors disagree about systems."""
        return int(judge_freedom(self.judges, self.groups, self.systems))

    @property
    def few(self) -> bool:
        """Whether these are so few that all systems are supposed to divide assessors alike."""
        return self.judge_df < FEW_DF


@dataclass(frozen=True)
class _Judgments:
    """One value for each system, topic and assessor that has any, with codes from 0 without gaps."""

    values: FloatArray
    system: IntArray
    topic: IntArray
    judge: IntArray
    all_systems: int
    systems: IntArray
    """The codes given of the systems that have values."""
    topics: int
    judges: int
    groups: int
    group: IntArray
    """Of every judgment."""

    @property
    def size(self) -> int:
        return self.systems.size

    def judge_df_of_systems(self) -> IntArray:
        """Degrees of freedom for assessors of each system alone, by those who judged it."""
        judged, seen = np.zeros((self.size, self.judges)), np.zeros((self.size, self.groups))
        judged[self.system, self.judge] = 1
        seen[self.system, self.group] = 1
        judges, groups = judged.sum(axis=1), seen.sum(axis=1)
        return np.asarray(np.maximum(judges - groups, groups - 1).astype(np.int64))


@dataclass(frozen=True)
class _Fit:
    """What a design gives: means, variances of contrasts, pooled and own, for forms of the systems' covariance."""

    means: JudgedMeans
    components: dict[str, float]
    pooled: Callable[[Form], tuple[FloatArray, FloatArray]]
    """Variances and degrees of freedom."""
    unpooled: Callable[[Form], tuple[FloatArray, FloatArray]]


Form = Callable[[FloatArray], FloatArray]
"""The variances of some contrasts of systems, from a covariance of the systems; linear in it."""


def judged_pairs(
    values: npt.ArrayLike,
    rows: npt.ArrayLike,
    columns: npt.ArrayLike,
    judges: npt.ArrayLike,
    *,
    size: int,
) -> JudgedPairs:
    """Compare every two of `size` systems, assessors and topics being samples.

    A judgment is a value with the codes of its topic (row), system (column, below size) and assessor (judge), whole
    numbers from 0. NaN values are left out; repeats of one assessor are averaged first.
    """
    data = _judgments(values, rows, columns, judges, size)
    first, second = columns_of_pairs(size)
    there = np.zeros((size, data.topics))
    there[data.systems[data.system], data.topic] = 1
    n = np.asarray((there @ there.T).astype(np.int64))[first, second]
    unavailable, fit = _unavailable(data), None
    no_fit: Note | None = Note.of("no-judgments")
    if unavailable is None and data.size > 1 and data.topics > 1:
        try:
            cube = _balanced(data)
            fit, no_fit = _from_rows(data) if cube is None else (_from_cube(cube), None)
        except _NoFitError as error:
            unavailable = error.why
        except UsageError as large:
            unavailable = Note.of("refused", text=large.text)
    return _compared(data, fit, n, unavailable, unavailable or no_fit)


def _compared(
    data: _Judgments, fit: _Fit | None, n: IntArray, unavailable: Note | None, reason: Note | None
) -> JudgedPairs:
    """Student's t of every pair that has two topics; 0 and p = 1 where two systems do not differ anywhere."""
    first, second = columns_of_pairs(data.all_systems)
    noise = NOISE * float(np.abs(data.values).max(initial=0.0))
    place = np.full(max(1, data.all_systems), -1)
    place[data.systems] = np.arange(data.size)
    means = _plain_means(data) if fit is None else fit.means.estimate
    difference, error, df, statistic, p = np.full((5, first.size), math.nan)
    pooled_error, pooled_df, own_error, own_df = both = np.full((4, first.size), math.nan)
    at = np.flatnonzero(n > 0)
    difference[at] = means[place[first[at]]] - means[place[second[at]]]
    difference[np.abs(difference) <= noise] = 0.0
    if fit is not None:
        at = np.flatnonzero(n > 1)
        i, j = place[first[at]], place[second[at]]
        many = np.minimum(*data.judge_df_of_systems()[[i, j]]) >= OWN_FROM
        variances = _variances(fit, lambda covariance: _pairs(covariance, i, j), many, noise)
        error[at], df[at] = np.sqrt(variances.chosen), variances.df
        both[:, at] = (
            np.sqrt(variances.pooled),
            variances.pooled_df,
            np.sqrt(variances.unpooled),
            variances.own_df,
        )
        error[error <= noise] = 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic = np.where((difference == 0) & ~np.isnan(error), 0.0, difference / error)
        statistic[~np.isfinite(statistic)] = math.nan
        p = np.where((difference == 0) & (error == 0), 1.0, 2 * stdtr(df, -np.abs(statistic)))
    design, complete = _design(data)
    return JudgedPairs(
        first=first,
        second=second,
        n=n,
        difference=difference,
        error=error,
        df=df,
        statistic=statistic,
        p=p,
        pooled_error=pooled_error,
        pooled_df=pooled_df,
        own_error=own_error,
        own_df=own_df,
        deviations=_deviations_of(data, fit, noise),
        means=_spread_out(fit.means if fit else None, data),
        components=fit.components if fit else {},
        design=design,
        complete=complete,
        systems=data.size,
        judges=data.judges,
        groups=data.groups,
        unavailable=unavailable,
        why={k: _why_not(int(n[k]), reason, float(error[k])) for k in np.flatnonzero(np.isnan(p)).tolist()},
    )


def _why_not(n: int, reason: Note | None, error: float) -> Note:
    if n < 2:
        return Note.of("few-in-common", n=n)
    if reason is not None:
        return reason
    if error == 0:
        return Note.of("all-alike")
    return Note.of("unsure-variances")


def _deviations_of(data: _Judgments, fit: _Fit | None, noise: float) -> JudgedMeans:
    if fit is None:
        return _spread_out(None, data)
    variances = _variances(fit, _deviations, data.judge_df_of_systems() >= OWN_FROM, noise)
    estimate = fit.means.estimate - fit.means.estimate.mean()
    means = JudgedMeans(estimate=estimate, error=np.sqrt(variances.chosen), df=variances.df)
    return _spread_out(means, data)


# The data and its design


def _judgments(
    values: npt.ArrayLike, rows: npt.ArrayLike, columns: npt.ArrayLike, judges: npt.ArrayLike, size: int
) -> _Judgments:
    scores = checks.numbers("values", values, dimensions=1)
    checks.count("size", size, least=0)
    codes = []
    for name, labels in (("columns", columns), ("rows", rows), ("judges", judges)):
        array = np.asarray(labels)
        array = array.astype(np.int64) if not array.size else array
        whole = array.ndim == 1 and np.issubdtype(array.dtype, np.integer) and array.size == scores.size
        if not whole or array.min(initial=0) < 0:
            raise UsageError(f"{name}: expected {scores.size} whole numbers from 0, one for each value")
        codes.append(array.astype(np.int64))
    if codes[0].max(initial=-1) >= size:
        raise UsageError(f"columns: expected numbers below {size}, got {codes[0].max()}")
    kept = ~np.isnan(scores)
    (systems, system), (topics, topic), (people, judge) = (
        np.unique(column[kept], return_inverse=True) for column in codes
    )
    shape = max(1, systems.size), max(1, topics.size), max(1, people.size)
    cells, repeat = np.unique(np.ravel_multi_index((system, topic, judge), shape), return_inverse=True)
    means = np.bincount(repeat, scores[kept], cells.size) / np.bincount(repeat, minlength=cells.size)
    system, topic, judge = np.unravel_index(cells, shape)
    groups, label = group_labels(topic, judge)
    return _Judgments(
        values=means,
        system=system.astype(np.int64),
        topic=topic.astype(np.int64),
        judge=judge.astype(np.int64),
        all_systems=size,
        systems=systems.astype(np.int64),
        topics=topics.size,
        judges=people.size,
        groups=groups,
        group=label,
    )


def _design(data: _Judgments) -> tuple[JudgedDesign, bool]:
    """What the design is called, and whether every assessor judged all systems on all topics of the group."""
    if data.judges < 2:
        return "one judge", data.values.size == data.size * data.topics
    topics = _levels(data.topic, data.group, data.groups)
    judges = _levels(data.judge, data.group, data.groups)
    whole = data.size * int(topics @ judges)
    complete = data.values.size == whole
    if (judges == 1).all():
        return "one judge a row", complete
    if data.values.size < FILLED * whole:
        return "assigned", complete
    return ("crossed" if data.groups == 1 else "blocks"), complete


def _levels(codes: IntArray, group: IntArray, groups: int) -> IntArray:
    """How many different codes there are in each group; every code is in one."""
    owner = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    owner[codes] = group
    return np.bincount(owner, minlength=groups).astype(np.int64)


def _unavailable(data: _Judgments) -> Note | None:
    if data.judges == 1:
        return Note.of("one-judge")
    if data.size > 1 and judge_freedom(data.judges, data.groups, data.size) < FEWEST_DF:
        return Note.of("few-judges")
    return None


def _plain_means(data: _Judgments) -> FloatArray:
    """The mean of each system's topic means."""
    total, count = np.zeros((2, data.size, data.topics))
    np.add.at(total, (data.system, data.topic), data.values)
    np.add.at(count, (data.system, data.topic), 1)
    means = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    return np.asarray(means.sum(axis=1) / (count > 0).sum(axis=1))


def _spread_out(means: JudgedMeans | None, data: _Judgments) -> JudgedMeans:
    """The numbers of those systems that have any, among all."""
    arrays = np.full((3, data.all_systems), math.nan)
    if means is not None:
        arrays[:, data.systems] = means.estimate, means.error, means.df
    return JudgedMeans(estimate=arrays[0], error=arrays[1], df=arrays[2])


# Contrasts of systems


def _pairs(covariance: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    diagonal = covariance.diagonal()
    return np.asarray(diagonal[i] + diagonal[j] - 2 * covariance[i, j])


def _deviations(covariance: FloatArray) -> FloatArray:
    """Of each system from the average system."""
    return np.asarray(covariance.diagonal() - 2 * covariance.mean(axis=1) + covariance.mean())


@dataclass(frozen=True)
class _Variances:
    """Of some contrasts: the two, and the one that is taken."""

    pooled: FloatArray
    pooled_df: FloatArray
    unpooled: FloatArray
    own_df: FloatArray
    chosen: FloatArray
    df: FloatArray


def _variances(fit: _Fit, form: Form, many: BoolArray, noise: float) -> _Variances:
    """The rule: the larger variance with the pooled degrees of freedom, or the own one where assessors are `many`.

    An own variance of nothing is not believed.
    """
    pooled, pooled_df = fit.pooled(form)
    unpooled, own_df = fit.unpooled(form)
    pooled, unpooled = np.maximum(pooled, 0.0), np.maximum(unpooled, 0.0)
    unpooled = np.where(unpooled > np.maximum(noise**2, ROUNDING * pooled), unpooled, 0.0)
    alone = (unpooled > 0) & many
    return _Variances(
        pooled=pooled,
        pooled_df=pooled_df,
        unpooled=unpooled,
        own_df=own_df,
        chosen=np.where(alone, unpooled, np.maximum(pooled, unpooled)),
        df=np.where(alone, own_df, pooled_df),
    )


# Balanced: equal groups of assessors, who judged everything of their topics


def _balanced(data: _Judgments) -> FloatArray | None:
    """Systems x groups x topics x assessors; None where groups are not alike or cells are empty."""
    topics = _levels(data.topic, data.group, data.groups)
    judges = _levels(data.judge, data.group, data.groups)
    if np.ptp(topics) or np.ptp(judges):
        return None
    shape = data.size, data.groups, int(topics[0]), int(judges[0])
    if data.values.size != math.prod(shape):
        return None
    order = np.lexsort((data.judge, data.topic, data.group, data.system))
    return data.values[order].reshape(shape)


@dataclass(frozen=True)
class _Squares:
    """Sums of squares and products, systems x systems, of a balanced design: between groups, and within them of
    topics, of assessors and of what is left; with their degrees of freedom."""

    between: FloatArray
    topics: FloatArray
    judges: FloatArray
    rest: FloatArray
    df: tuple[int, int, int, int]


def _squares(cube: FloatArray, noise: float) -> _Squares:
    _, g, n, m = cube.shape
    whole = cube.mean(axis=(1, 2, 3), keepdims=True)
    group = cube.mean(axis=(2, 3), keepdims=True)
    topic = cube.mean(axis=3, keepdims=True)
    judge = cube.mean(axis=2, keepdims=True)

    def products(part: FloatArray, times: int) -> FloatArray:
        flat = part.reshape(part.shape[0], -1)
        squares = times * (flat @ flat.T)
        return np.asarray(squares) if np.trace(squares) > noise else np.zeros_like(squares)

    return _Squares(
        between=products(group - whole, n * m),
        topics=products(topic - group, m),
        judges=products(judge - group, n),
        rest=products(cube - topic - judge + group, 1),
        df=(g - 1, g * (n - 1), g * (m - 1), g * (n - 1) * (m - 1)),
    )


def _from_cube(cube: FloatArray) -> _Fit:
    """Mean squares: REML's variances from those pooled over systems, and each contrast's own."""
    s, g, n, m = cube.shape
    whole = cube - cube.mean()
    shared = whole.mean(axis=0, keepdims=True)
    # What is left of equal differences is rounding, and counts as none.
    noise = cube.size * (NOISE * float(np.abs(cube).max())) ** 2
    apart, common = _squares(whole - shared, noise), _squares(shared, noise)
    mean_squares, keys = _pooled_strata(apart, common, (s, g, n, m))
    variances = reml_of_mean_squares(mean_squares)
    components = {TERMS.get(key, "residual"): float(v) for key, v in zip(keys, variances, strict=True)}
    size = {(1,): m, (2,): n, (1, 2): 1, (0, 1): m, (0, 2): n, (): 1}
    rows = g * n * m
    needed = np.array([size[key] / rows if 0 in key or not key else 0.0 for key in keys])
    mean_needed = np.array([size[key] / rows for key in keys])
    varied = any(square.any() for square in (apart.between, apart.topics, apart.judges, apart.rest))
    unit, unit_df = combined(mean_squares, variances, needed) if varied else (0.0, math.nan)
    of_mean, mean_df = (
        combined(mean_squares, variances, mean_needed) if mean_squares.ms.any() else (0.0, math.nan)
    )
    means = JudgedMeans(
        estimate=cube.mean(axis=(1, 2, 3)), error=np.full(s, math.sqrt(of_mean)), df=np.full(s, mean_df)
    )

    def pooled(form: Form) -> tuple[FloatArray, FloatArray]:
        value = form(unit * np.eye(s))
        return value, np.full(value.size, unit_df)

    def unpooled(form: Form) -> tuple[FloatArray, FloatArray]:
        ms = [form(square) for square in (apart.between, apart.topics, apart.judges, apart.rest)]
        return own_variance(*ms, df=apart.df, rows=rows)

    return _Fit(means=means, components=components, pooled=pooled, unpooled=unpooled)


def _pooled_strata(
    apart: _Squares, common: _Squares, shape: tuple[int, int, int, int]
) -> tuple[Strata, list[Key]]:
    """Mean squares of what systems share and of what they do not, and the variances that they are made of.

    With one assessor in a group, a topic's own part and the assessor's part in it cannot be told apart, and so on:
    what the rows of the coefficients cannot tell apart is one variance, called by the simpler name.
    """
    s, _, n, m = shape
    keys: list[Key] = [(1,), (2,), (1, 2), (0, 1), (0, 2), ()]
    if m == n == 1:
        keys = [(1,), ()]
    elif m == 1:
        keys = [(1,), (2,), (0, 2), ()]
    elif n == 1:
        keys = [(1,), (2,), (0, 1), ()]
    part = {(1,): s * m, (2,): s * n, (1, 2): s, (0, 1): m, (0, 2): n, (): 1}
    holds = [{1, 2}, {1}, {2}, set()]
    rows, df, ms = [], [], []
    for squares, main in ((common, True), (apart, False)):
        parts = (squares.between, squares.topics, squares.judges, squares.rest)
        for held, products, freedom in zip(holds, parts, squares.df, strict=True):
            times = 1 if main else s - 1
            if not freedom * times:
                continue
            row = [part[key] * (not key or ((main or 0 in key) and _inside(held, key))) for key in keys]
            rows.append(row)
            df.append(freedom * times)
            ms.append(float(np.trace(products)) * (s if main else 1) / (freedom * times))
    return (
        Strata(
            random=tuple(keys),
            df=np.array(df, dtype=np.int64),
            ms=np.array(ms, dtype=np.float64),
            coefficients=np.array(rows, dtype=np.float64).reshape(len(rows), len(keys)),
            effects={},
            shares={},
        ),
        keys,
    )


def _inside(held: set[int], key: Key) -> bool:
    """Whether a mean square over these factors (topics, assessors) holds the variance of a term."""
    factors = set(key) - {0}
    return factors <= held or factors == {1, 2}


def own_variance(
    between: FloatArray,
    topics: FloatArray,
    judges: FloatArray,
    rest: FloatArray,
    *,
    df: tuple[int, int, int, int],
    rows: int,
) -> tuple[FloatArray, FloatArray]:
    """The variance of a contrast's mean from its own sums of squares, and its degrees of freedom.

    Within groups it is MS_T + MS_A - MS_E over the rows, no less than MS_T; between groups it is one mean square,
    with the same expectation. Both are averaged by their degrees of freedom for assessors. With one assessor or one
    topic in a group only the groups tell.
    """
    of_groups, of_topics, of_judges, of_rest = df
    nothing = np.zeros_like(between)
    b = between / of_groups if of_groups else nothing
    if not of_topics or not of_judges:
        return b / rows, np.full(between.size, float(of_groups))
    t, a = topics / of_topics, judges / of_judges
    e = rest / of_rest
    w = np.maximum(t, t + a - e)
    total = of_judges + of_groups
    value = (of_judges * w + of_groups * b) / total
    spread = (of_judges / total) ** 2 * (t**2 / of_topics + a**2 / of_judges + e**2 / of_rest)
    spread = spread + of_groups * (b / total) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = value**2 / spread
    return value / rows, freedom


# Not balanced: REML on the rows


def _searched(data: _Judgments, model: LinearModel, random: list[Key]) -> tuple[Reml, FloatArray] | Note:
    """The criterion of a model with these random terms and where it is best, or why nothing is left for the noise."""
    if (why := _no_noise(model, random)) is not None:
        return why
    terms = [model.term(key) for key in random]
    if elimination(terms, data.size).work > MOST_WORK:
        raise _NoFitError(Note.of("too-large", columns=data.size))
    reml = criterion_of(data.values, indicators(model.term((0,))), terms)
    theta = search(reml, range(len(terms)), np.ones(len(terms)))
    if reml.at(theta).rss < LEAST_NOISE * float(np.sum((data.values - data.values.mean()) ** 2)):
        return ALMOST_NO_NOISE
    return reml, theta


def _from_rows(data: _Judgments) -> tuple[_Fit | None, Note | None]:
    """REML for the pooled variances; sums over topics and assessors of what is left for the contrasts' own."""
    if np.ptp(data.values) <= NOISE * np.abs(data.values).max():

        def nothing(form: Form) -> tuple[FloatArray, FloatArray]:
            variances = form(np.zeros((data.size, data.size)))
            return variances, np.full(variances.size, math.nan)

        none = np.full(data.size, math.nan)
        means = JudgedMeans(
            estimate=np.full(data.size, data.values.mean()), error=np.zeros(data.size), df=none
        )
        return _Fit(means=means, components={}, pooled=nothing, unpooled=nothing), None
    model = LinearModel(data.values, [data.system, data.topic, data.judge], [(0,)])
    random = _identified(model)
    for key in ((0, 2), (0, 1)):
        if not _held(model, random, key):
            raise _NoFitError(CONFOUNDED[key])
    outcome = _searched(data, model, random)
    if isinstance(outcome, Note) and (1, 2) in random:
        # Its many cells may leave nothing by chance, and it touches no difference of systems.
        random = [key for key in random if key != (1, 2)]
        outcome = _searched(data, model, random)
    if isinstance(outcome, Note):
        return None, outcome
    reml, theta = outcome
    terms, best = [model.term(key) for key in random], reml.at(theta)
    satterthwaite = Satterthwaite(reml, theta, np.eye(data.size))
    noise = best.rss / reml.df
    covariance = noise * best.unscaled
    estimate = float(data.values.mean()) + best.fixed
    means = JudgedMeans(estimate=estimate, error=np.sqrt(covariance.diagonal()), df=satterthwaite.of_means())
    components = {TERMS[key]: float(ratio**2 * noise) for key, ratio in zip(random, theta, strict=True)}
    components["residual"] = float(noise)
    shared = [(term, u) for key, term, u in zip(random, terms, best.effects, strict=True) if 0 not in key]
    by_topic, by_both = _clustered(data, model, estimate, shared)
    expected = np.diag(_plain_variances(data, components))
    i, j = columns_of_pairs(data.size)

    def clustered(form: Form) -> FloatArray:
        return np.maximum(form(by_topic), form(by_both))

    def every(covariance: FloatArray) -> FloatArray:
        return _pairs(covariance, i, j)

    # What is left over is less than what was there: on average both must be what the model expects.
    seen = float(clustered(every).sum())
    lost = float(every(expected).sum()) / seen if seen > 0 else 0.0

    def pooled(form: Form) -> tuple[FloatArray, FloatArray]:
        return form(covariance), satterthwaite.of_forms(form)

    def unpooled(form: Form) -> tuple[FloatArray, FloatArray]:
        freedom = satterthwaite.of_forms(form) / max(1, data.size - 1)
        return lost * clustered(form) / form(expected) * form(covariance), freedom

    return _Fit(means=means, components=components, pooled=pooled, unpooled=unpooled), None


def _identified(model: LinearModel) -> list[Key]:
    """The random terms that the design tells apart, from each other and from the noise.

    The coarser one comes first where topics lie within assessors, or these within topics, as it adds nothing after
    the other; topic:assessor comes last, and is the first to go where too little is left for the noise.
    """
    sizes = {key: model.term(key).size for key in ((0,), *TERMS)}

    def rank(keys: Sequence[Key]) -> int:
        return model.space(keys).rank if _ranked(model) else _usual_rank(keys, sizes)

    kept: list[Key] = [(0,)]
    for key in (*sorted([(1,), (2,)], key=lambda key: sizes[key]), (0, 2), (0, 1), (1, 2)):
        term = model.term(key)
        if term.size == model.n or any(same_groups(term, model.term(other)) for other in kept):
            continue
        if rank(kept) < rank([*kept, key]) < model.n:
            kept.append(key)
    return kept[1:]


def _ranked(model: LinearModel) -> bool:
    """Whether the design is small enough for dense matrices of its effects."""
    sizes = [model.term(key).size for key in TERMS]
    return sum(sizes) - max(sizes) <= MOST_RANKED


def _no_noise(model: LinearModel, random: list[Key]) -> Note | None:
    """Why nothing is left to compare differences with; in a large design only REML will show it."""
    if not random:
        return Note.of("no-freedom")
    if not _ranked(model):
        return None
    whole = fit_model(LinearModel(model.scores, model.factors, [(0,), *random]))
    few = whole.residual_ss < LEAST_NOISE * whole.total_ss
    return whole.why or (ALMOST_NO_NOISE if few else None)


def _usual_rank(keys: Sequence[Key], sizes: dict[Key, int]) -> int:
    """Free parameters of terms, where each interaction has as many as it has cells, less those of its factors."""
    rank = 1
    for key in keys:
        rank += sizes[key] - 1 - sum(sizes[f,] - 1 for f in key if len(key) > 1)
    return rank


def _held(model: LinearModel, random: list[Key], key: Key) -> bool:
    """Whether the variance of a term is in the model: as a term, under another name, or as nearly all of the noise."""
    term = model.term(key)
    if key in random or any(same_groups(term, model.term(other)) for other in random):
        return True
    return model.n <= NEARLY_NOISE * term.size


def _plain_variances(data: _Judgments, components: dict[str, float]) -> FloatArray:
    """What the model expects of each system's plain mean, without what systems share."""

    def shares(codes: IntArray, levels: int) -> FloatArray:
        counts = np.zeros((data.size, levels))
        np.add.at(counts, (data.system, codes), 1)
        return np.asarray(np.sum((counts / counts.sum(axis=1, keepdims=True)) ** 2, axis=1))

    return np.asarray(
        components["residual"] / np.bincount(data.system)
        + components.get("system:topic", 0.0) * shares(data.topic, data.topics)
        + components.get("system:assessor", 0.0) * shares(data.judge, data.judges)
    )


def _clustered(
    data: _Judgments, model: LinearModel, means: FloatArray, shared: list[tuple[Term, FloatArray]]
) -> tuple[FloatArray, FloatArray]:
    """How the systems' means vary together, by sums of what the model leaves: over topics, and over both.

    What systems share (topic, assessor, topic:assessor) is taken out first, as the model predicts it.
    """
    left = data.values - means[data.system]
    for term, effects in shared:
        left = left - effects[term.codes]
    left = left / np.bincount(data.system)[data.system]

    def products(codes: IntArray, levels: int) -> FloatArray:
        sums = np.zeros((data.size, levels))
        np.add.at(sums, (data.system, codes), left)
        return np.asarray(levels / max(1, levels - 1) * (sums @ sums.T))

    cells = model.term((1, 2))
    topics = products(data.topic, data.topics)
    return topics, topics + products(data.judge, data.judges) - products(cells.codes, cells.size)
