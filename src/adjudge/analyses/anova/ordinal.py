"""Ratings as what they are, ordinal: a cumulative link mixed model of systems, topics and assessors.

The rows are those of an analysis of variance, the random terms those of its mixed model. The mathematics is in
stats/linear/ordinal.py; the degrees of freedom of contrasts are those that the linear mixed model has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from adjudge.analyses.anova import AnovaOrdinal
from adjudge.analyses.anova.factors import AS_FACTOR, AnovaRows, Factor, RowsResult, build
from adjudge.analyses.anova.ordinal_words import why_outside
from adjudge.analyses.anova.words import reason
from adjudge.analyses.phrasebook import low_to_high, rank_range
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note
from adjudge.core.table import Column, Table, hidden
from adjudge.core.threads import one_thread
from adjudge.core.words import counted, p_number
from adjudge.data.scores import MeasureInfo
from adjudge.judgments.tasks import is_anonymous
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.judging import FEW_DF, FEWEST_DF, group_labels, judge_freedom
from adjudge.stats.linear.error_terms import contained_df, model_terms
from adjudge.stats.linear.mixed import MixedFit, Satterthwaite, fixed_means, likelihood_covariance
from adjudge.stats.linear.model import LinearModel
from adjudge.stats.linear.ordinal import (
    LOGISTIC,
    OrdinalFit,
    fit_ordinal,
    level_shares,
    scale_check,
    separation,
)
from adjudge.stats.multiple import at_most, holm
from adjudge.stats.order import rank_intervals

MOST_LEVELS = 101
"""Of a scale of whole numbers, as from 0 to 100."""
MOST_OTHERS = 20
"""Of another scale; more are numbers rather than levels."""
MOST_PAIRS = 66
"""Pairs that are shown unless asked for: those of 12 systems."""
FEWEST_NOISE = 5
"""Degrees of freedom of the noise below which ratings may fit exactly by the design, not because all agree."""
RESAMPLES = 499

DifferBy = Literal["both models", "ordinal alone", "linear alone", "neither"]


@dataclass(frozen=True)
class Threshold:
    """Where one level ends and the next begins, for an average system on the latent scale."""

    below: float
    above: float
    estimate: float
    error: float


@dataclass(frozen=True)
class Outside:
    """Why a system's distance from the others has no finite estimate: its ratings do not overlap with theirs."""

    side: Literal["above", "below"]
    """Of the others, on which it stands."""
    rating: float
    """The one that it always got; else the outermost of the others' towards it."""
    constant: bool
    """Whether it always got the same."""
    at_end: bool
    """Whether that is an end of the scale that was used."""


@dataclass(frozen=True)
class LatentPosition:
    """A system's place on the latent scale, as its deviation from the average system."""

    system: str
    n: int
    mean: float
    """Of its ratings."""
    position: float = math.nan
    error: float = math.nan
    df: float = math.nan
    low: float = math.nan
    high: float = math.nan
    best_rank: int | None = None
    """The best rank that the significant differences leave it."""
    worst_rank: int | None = None
    outside: Outside | None = None
    """Where it has no place among the others."""

    @property
    def side(self) -> Literal["above", "below"] | None:
        """Of the others, where it has no place among them."""
        return None if self.outside is None else self.outside.side

    @property
    def ranks(self) -> str | None:
        best, worst = self.best_rank, self.worst_rank
        return None if best is None or worst is None else rank_range(best, worst)

    @property
    def why(self) -> str | None:
        """Why it has no place."""
        return None if self.outside is None else why_outside(self.outside)


@dataclass(frozen=True)
class OrdinalContrast:
    """Two systems: how far a lies above b on the latent scale, and what the linear model says of their ratings."""

    a: str
    b: str
    difference: float
    error: float
    """Of the likelihood, times `enlarged`."""
    enlarged: float
    """How many times larger the linear model's standard error is by REML than by maximum likelihood."""
    df: float
    t: float
    raw_p: float
    p: float
    """Holm's."""
    low: float
    high: float
    linear_difference: float
    linear_error: float
    linear_p: float
    """Holm's."""
    linear_low: float
    linear_high: float
    differ_by: DifferBy

    @property
    def models_disagree(self) -> bool:
        """Whether one of the models alone finds a difference, or each finds another system higher."""
        if self.differ_by == "both models":
            return (self.difference > 0) != (self.linear_difference > 0)
        return self.differ_by != "neither"


@dataclass(frozen=True)
class RandomDeviation:
    """The standard deviation of a random term, latent and in the unit of the ratings."""

    term: str
    cells: int
    deviation: float
    linear_deviation: float


@dataclass(frozen=True)
class Severity:
    """How far an assessor's ratings lie above those of the average assessor, on the latent scale."""

    assessor: str
    n: int
    mode: float
    """The conditional mode."""
    error: float
    low: float
    high: float
    expected: float
    """The mean rating over systems that is expected of this assessor."""
    word: str
    """harsh or mild (low or high, of a description); nothing where the interval holds 0, or there is none."""


@dataclass(frozen=True)
class ScaleUse:
    """Whether the ratings of each system, or of each assessor, are spread over the levels as the model expects."""

    over: str
    statistic: float
    p: float
    resamples: int
    power: float
    """How often the check finds one of them with twice the noise."""
    worst: str
    """The group and the level that are furthest off."""
    level: float
    observed: int
    expected: float


@dataclass(frozen=True, repr=False, kw_only=True)
class OrdinalResult(RowsResult):
    """A cumulative link mixed model of ratings, and the linear model of the same rows beside it."""

    WORDS: ClassVar[str] = "adjudge.analyses.anova.ordinal_words"
    IN_JSON: ClassVar[tuple[str, ...]] = ("contrasts",)

    asked: AnovaOrdinal
    sizes: dict[str, int]
    """How many levels each factor has."""
    thresholds: tuple[Threshold, ...]
    systems: tuple[LatentPosition, ...]
    """The best first; those without an estimate stand before or after the others, by the side they are on."""
    contrasts: tuple[OrdinalContrast, ...]
    """In the order of the systems."""
    random: tuple[RandomDeviation, ...]
    linear_noise: float
    """The linear model's residual standard deviation."""
    severity: tuple[Severity, ...]
    """The harshest first; empty where assessors are no random term."""
    average_expected: float
    """The mean rating over systems that is expected of the average assessor."""
    checks: tuple[ScaleUse, ...]
    log_likelihood: float

    @property
    def levels(self) -> tuple[float, ...]:
        """The ratings that occur."""
        return (self.thresholds[0].below, *(cut.above for cut in self.thresholds))

    @property
    def formula(self) -> str:
        return f"rating ~ {' + '.join(['system', *(f'(1 | {term.term})' for term in self.random)])}"

    def how(self) -> str:
        length = f"|length:{self.length}" if self.length else ""
        return (
            f"{self.info.signature or self.measure}{length}|rows:{self.n}|clmm:{self.formula.replace(' ', '')}"
            f"|link:logit|laplace|levels:{len(self.levels)}|errors:times-reml-over-ml-of-linear|df:satterthwaite-of-linear|correct:holm"
            f"|alpha:{self.alpha:g}|check:posterior-predictive:{RESAMPLES}|seed:{self.asked.seed}"
        )

    def pairs_found(self, by: Literal["ordinal", "linear"]) -> list[OrdinalContrast]:
        """The pairs that differ by one of the models."""
        return [pair for pair in self.contrasts if pair.differ_by in ("both models", f"{by} alone")]

    def disagreements(self) -> list[OrdinalContrast]:
        """The pairs of which the two models conclude otherwise."""
        return [pair for pair in self.contrasts if pair.models_disagree]

    def better(self) -> BoolArray:
        """By the ordinal model, whether the one system is significantly better than the other, in their order."""
        return _better(
            self.contrasts, [place.system for place in self.systems if not place.outside], self.info
        )

    def notes(self) -> Iterator[Note]:
        yield from self.told
        if (pairs := len(self.contrasts)) > MOST_PAIRS:
            yield Note.of("pairs-not-shown", n=pairs)

    def tables(self) -> Iterator[Table]:
        """Systems, the best first; all pairs; assessors; thresholds; standard deviations; the use of the scale."""
        interval = Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False)
        sizes = ", ".join(counted(n, name) for name, n in self.sizes.items())
        outside = any(place.outside for place in self.systems)
        yield Table.of(
            "ordinal",
            [
                {
                    **vars(place),
                    "measure": self.measure,
                    "interval": low_to_high(place.low, place.high, "+.2f"),
                    "ranks": place.ranks,
                    "why": place.why,
                }
                for place in self.systems
            ],
            *hidden("measure"),
            Column("system", right=False),
            Column("n", "ratings"),
            Column("mean", "mean rating", format=".2f"),
            Column("position", "latent", format="+.2f"),
            Column("error", "s.e.", format=".2f"),
            Column("df", format=".1f"),
            *hidden("low high"),
            interval,
            *hidden("best_rank worst_rank"),
            Column("ranks", "ranks in the model" if outside else "ranks", data=False, right=False),
            *hidden("why"),
            title=(
                f"{self.heading} ({counted(self.n, 'rating')} of"
                f" {len(self.levels)} levels: {sizes}), ordinal model"
            ),
        )
        if len(self.contrasts) <= MOST_PAIRS:
            yield self._contrasts_table()
        if self.severity:
            yield Table.of(
                "severity",
                [{**vars(who), "interval": low_to_high(who.low, who.high, "+.2f")} for who in self.severity],
                Column("assessor", right=False),
                Column("n", "ratings"),
                Column("mode", "latent", format="+.2f"),
                Column("error", "s.d.", format=".2f"),
                *hidden("low high"),
                interval,
                Column("expected", "mean rating", format=".2f"),
                Column("word", "", right=False),
                title="Assessors on the latent scale, on which the average assessor stands at 0",
            )
        yield Table.of(
            "thresholds",
            [{**vars(cut), "between": f"{cut.below:g} | {cut.above:g}"} for cut in self.thresholds],
            Column("between", data=False, right=False),
            *hidden("below above"),
            Column("estimate", format="+.2f"),
            Column("error", "s.e.", format=".2f"),
            title="Thresholds on the latent scale, on which the average system stands at 0",
        )
        yield Table.of(
            "random",
            [*map(astuple, self.random), ("noise", None, LOGISTIC, self.linear_noise)],
            Column("term", "of", right=False),
            Column("cells"),
            Column("deviation", "latent", format=".2f"),
            Column("linear_deviation", "linear", format=".2f"),
            title=f"Standard deviations: {self.formula}",
        )
        if self.checks:
            yield Table.of(
                "checks",
                [{**vars(check), "p_text": p_number(check.p)} for check in self.checks],
                Column("over", "ratings by", right=False),
                Column("statistic", "Freeman-Tukey", format=".1f"),
                *hidden("p"),
                Column("p_text", "p", data=False, right=True),
                *hidden("resamples power"),
                Column("worst", "furthest off", right=False),
                Column("level", format="g"),
                Column("observed"),
                Column("expected", format=".1f"),
                title="Are levels used as the model expects?",
            )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"contrasts": self._contrasts_table}

    def _contrasts_table(self) -> Table:
        """All pairs of systems, beside what the linear model says of them."""
        texts = [
            {
                "interval": low_to_high(pair.low, pair.high, "+.2f"),
                "p_text": p_number(pair.p),
                "linear_interval": low_to_high(pair.linear_low, pair.linear_high, "+.2f"),
                "linear_p_text": p_number(pair.linear_p),
            }
            for pair in self.contrasts
        ]
        return Table.of(
            "contrasts",
            [{**vars(pair), **of_pair} for pair, of_pair in zip(self.contrasts, texts, strict=True)],
            Column("a", right=False),
            Column("b", right=False),
            Column("difference", "a - b", format="+.2f"),
            Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False),
            *hidden("error enlarged"),
            Column("df", format=".1f"),
            *hidden("t raw_p p"),
            Column("p_text", "p", data=False, right=True),
            *hidden("low high"),
            Column("linear_difference", "linear: a - b", format="+.2f"),
            Column("linear_interval", "interval", data=False, right=False),
            *hidden("linear_error linear_p"),
            Column("linear_p_text", "p", data=False, right=True),
            *hidden("linear_low linear_high"),
            Column("differ_by", "differ by", right=False),
            title=(
                f"Pairs of systems on the latent scale, p by Holm, intervals for all {len(self.contrasts):,} together"
                if len(self.contrasts) > 1
                else "The pair of systems on the latent scale"
            ),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "better": self.info.better,
            "length": self.length,
            "form": self.form,
            "formula": self.formula,
            "rows": self.n,
            "sizes": self.sizes,
            "levels": self.levels,
            "log_likelihood": self.log_likelihood,
            "alpha": self.alpha,
            "seed": self.asked.seed,
            "linear_noise": self.linear_noise,
            "average_expected": self.average_expected,
        }


def _better(contrasts: Sequence[OrdinalContrast], names: Sequence[str], info: MeasureInfo) -> BoolArray:
    place = {name: k for k, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), dtype=np.bool_)
    for contrast in contrasts:
        if contrast.differ_by in ("both models", "ordinal alone"):
            up = (contrast.difference > 0) != (info.better == "lower")
            a, b = place[contrast.a], place[contrast.b]
            better[(a, b) if up else (b, a)] = True
    return better


# From rows to the model


@one_thread()
def ordinal_model(scores: Scores, measure: str, asked: AnovaOrdinal) -> OrdinalResult:
    """The model of one measure's ratings: systems fixed, topics and assessors a sample."""
    everything, notes = _rows_of(scores, measure, asked)
    title = everything.info.words
    rows, outside = _overlapping(everything)
    notes += [
        Note.of("in-neither-model", system=system, why=why_outside(why)) for system, why in outside.items()
    ]
    notes += _unused(rows)
    rows, more = _sampled(rows)
    names = list(rows.factors)
    model = LinearModel(rows.values, rows.codes, [(k,) for k in range(len(names))])
    # Topics, assessors, and the interactions that the design identifies: those of the linear mixed model.
    terms = rows.named(model_terms(model, [k for k, name in enumerate(names) if name != "system"]).random)
    random, dropped = _with_noise(rows, list(terms))
    notes += [*more, *dropped, *_few_assessors(rows, random)]
    cells = (
        zip(*(rows.factors[name].codes.tolist() for name in term.split(":")), strict=True) for term in random
    )
    if (effects := sum(len(set(of_term)) for of_term in cells)) > rows.n:
        notes.append(Note.of("more-effects-than-ratings", effects=effects, ratings=rows.n))
    linear = rows.mixed(["system"], random)
    if linear.why is not None or linear.estimate is None:
        raise DataError(
            f"{title}: the linear model, which gives the degrees of freedom, cannot be fitted: {reason(linear.why)}"
        )
    fit = fit_ordinal(
        rows.values,
        rows.codes,
        fixed=names.index("system"),
        random=[rows.key(term) for term in random],
        names=random,
        start=linear.estimate.theta,
        progress=lambda tried: asked.progress(tried, 0),
    )
    if fit.why is not None:
        raise DataError(f"{title}: the ordinal model has no solution ({fit.why}); use the linear model")
    return _result(rows, random, linear, fit, asked, tuple(notes), _outsiders(everything, outside))


def _rows_of(scores: Scores, measure: str, asked: AnovaOrdinal) -> tuple[AnovaRows, list[Note]]:
    """A row for each rating, with its assessor where all are known by name; refuses what is no scale of levels."""
    frame = scores.table.at(measure, length=asked.length, form=asked.form, several=AS_FACTOR)
    judges = frame.loc[frame["value"].notna(), "assessor"]
    named = judges.notna() & ~judges.map(lambda name: isinstance(name, str) and is_anonymous(name))
    names = ["system", "topic"] if judges.isna().all() else ["assessor", "system", "topic"]
    if (nobody := int(judges.isna().sum())) and len(names) == 3:
        raise DataError(
            f"{nobody:,} of {len(judges):,} scores of {measure} name no assessor, and assessors are a factor of the"
            " ordinal model: name an assessor in each, or leave those scores out of the file"
        )
    rows = build(scores, measure, names, asked, repeats=True, average_humans=False)
    notes = list(rows.notes)
    if unknown := int((~named).sum()):
        notes.append(Note.of("assessors-not-known", n=unknown, ratings=len(judges)))
        rows = replace(rows, factors={k: v for k, v in rows.factors.items() if k != "assessor"})
    levels, title = np.unique(rows.values), rows.info.words
    if levels.size == 1:
        raise DataError(f"{title}: every rating is {levels[0]:g}, there is nothing to compare")
    whole = bool((levels == np.round(levels)).all())
    if levels.size > min(MOST_LEVELS if whole else MOST_OTHERS, rows.n / 2):
        shown = f"{levels[0]:g}, {levels[1]:g} ... {levels[-1]:g}"
        raise UsageError(
            f"{title} has {levels.size:,} different values ({shown}) in {rows.n:,} rows: the ordinal model is for"
            f" ratings of up to {MOST_LEVELS} levels, or {MOST_OTHERS} that are not whole numbers, each given twice on"
            " average; use the linear model"
        )
    return rows, notes


def _overlapping(rows: AnovaRows) -> tuple[AnovaRows, dict[str, Outside]]:
    """The rows of systems whose distances have finite estimates, and why others have none."""
    outside: dict[str, Outside] = {}
    while len(rows.factors["system"].levels) > 1:
        codes, names = rows.factors["system"].codes, rows.factors["system"].levels
        apart = separation(rows.values, codes)
        if apart is None:
            return rows, outside
        lower, upper = apart
        out = lower if len(lower) < len(upper) else upper
        others = rows.values[~np.isin(codes, out)]
        edge = others.max() if out is upper else others.min()
        for k in out:
            ratings = rows.values[codes == k]
            constant = bool(np.ptp(ratings) == 0)
            outside[names[k]] = Outside(
                side="above" if out is upper else "below",
                rating=float(ratings[0] if constant else edge),
                constant=constant,
                at_end=bool(ratings[0] in (rows.values.min(), rows.values.max())),
            )
        rows = _kept(rows, ~np.isin(codes, out))
    if not outside:
        raise DataError(f"{rows.info.words}: there is only one system")
    reasons = [f"{system}: {why_outside(why)}" for system, why in list(outside.items())[:2]]
    raise DataError(
        f"{rows.info.words}: the ratings of the systems do not overlap, so that no distance has a finite estimate"
        f" ({'; '.join(reasons)})"
    )


def _kept(rows: AnovaRows, keep: BoolArray) -> AnovaRows:
    """Some of the rows, with the levels that they have."""
    factors = {}
    for name, factor in rows.factors.items():
        there, codes = np.unique(factor.codes[keep], return_inverse=True)
        factors[name] = Factor(name, codes.reshape(-1), tuple(factor.levels[k] for k in there))
    return replace(
        rows, values=rows.values[keep], factors=factors, keys=rows.keys[keep].reset_index(drop=True)
    )


def _unused(rows: AnovaRows) -> list[Note]:
    """Levels of a scale of whole numbers that nobody gave."""
    levels = np.unique(rows.values)
    low, high = rows.info.range
    low, high = levels[0] if low is None else low, levels[-1] if high is None else high
    if max(levels.size, high - low) > MOST_OTHERS or not (levels == np.round(levels)).all():
        return []
    absent = [float(level) for level in np.arange(low, high + 1) if level not in levels]
    return [Note.of("levels-not-given", absent=absent, levels=len(levels))] if absent else []


def _sampled(rows: AnovaRows) -> tuple[AnovaRows, list[Note]]:
    """The factors that can be a sample: those with several levels, assessors where they are not the topics."""
    notes = []
    factors = dict(rows.factors)
    for name in ("assessor", "topic"):
        if name in factors and len(factors[name].levels) == 1:
            [only] = factors.pop(name).levels
            notes.append(Note.of("only-one", factor=name, level=only))
    if "assessor" in factors and rows.one_assessor_per_system():
        raise DataError(f"{rows.info.words}: {reason(Note.of('assessors-of-systems'))}")
    if {"assessor", "topic"} <= set(factors) and rows.same("assessor", "topic"):
        del factors["assessor"]
        notes.append(Note.of("assessors-are-topics"))
    if len(factors) == 1:
        raise DataError(
            f"{rows.info.words}: there is one topic and no more than one assessor, so nothing is a sample"
        )
    return replace(rows, factors=factors), notes


def _with_noise(rows: AnovaRows, random: list[str]) -> tuple[list[str], list[Note]]:
    """The random terms that leave enough for the noise, and notes on those that are dropped for it.

    What assessors make of systems stays: conclusions for others rest on it.
    """
    systems = rows.key("system")
    model = LinearModel(rows.values, rows.codes, [systems])
    notes: list[Note] = []
    for term in ("assessor:topic", "system:topic"):
        left = rows.n - model.space([systems, *map(rows.key, random)]).rank
        if left >= FEWEST_NOISE or rows.mixed(["system"], random).why is None:
            break
        if term in random:
            random = [other for other in random if other != term]
            notes.append(Note.of("term-left-out", term=term, df=left))
    return random, notes


def _few_assessors(rows: AnovaRows, random: Sequence[str]) -> list[Note]:
    """What the intervals suppose where few assessors judged, or none of their opinions can be told from noise."""
    if "assessor" not in rows.factors:
        return []
    assessors, systems = (len(rows.factors[name].levels) for name in ("assessor", "system"))
    if "assessor:system" not in random:
        return [Note.of("opinions-in-the-noise", assessors=assessors)]
    groups = 1
    if "topic" in rows.factors:
        groups, _ = group_labels(rows.factors["topic"].codes, rows.factors["assessor"].codes)
    df = int(judge_freedom(assessors, groups, systems))
    if df >= FEW_DF:
        return [Note.of("errors-are-pooled")] if systems > 2 else []
    return [Note.of("few-assessors", assessors=assessors, df=df, too_few=df < FEWEST_DF)]


# From the fits to the result


def _result(
    rows: AnovaRows,
    random: list[str],
    linear: MixedFit,
    fit: OrdinalFit,
    asked: AnovaOrdinal,
    notes: tuple[Note, ...],
    outside: Sequence[LatentPosition],
) -> OrdinalResult:
    """The result of the systems that are in the models, and of those that are not, by the side they are on."""
    names = rows.factors["system"].levels
    count = len(names)
    sign = -1 if rows.info.better == "lower" else 1
    order = sorted(range(count), key=lambda k: (-sign * fit.effects[k], names[k]))
    system = rows.key("system")
    keys = [rows.key(term) for term in random]
    most = contained_df(
        LinearModel(rows.values, rows.codes, [system, *keys]), system, fixed=[system], random=keys
    )
    of_linear = _LinearSystems(linear, most)
    contrasts = _contrasts(names, order, of_linear, fit, asked.alpha)
    # Thresholds for the average system, so that which system was the first does not show.
    cuts = fit.thresholds.size
    turn = np.hstack([np.eye(cuts), np.full((cuts, count - 1), -1 / count)])
    errors = np.sqrt((turn @ fit.covariance @ turn.T).diagonal())
    estimates = fit.thresholds - float(fit.effects.mean())
    deviations = np.sqrt(linear.variances)
    of_terms = zip(random, fit.modes, fit.deviations, deviations, strict=True)
    better_side = "below" if rows.info.better == "lower" else "above"
    return OrdinalResult(
        asked=asked,
        info=rows.info,
        length=rows.length,
        form=rows.form,
        n=rows.n,
        sizes={
            name: len(rows.factors[name].levels)
            for name in ("system", "topic", "assessor")
            if name in rows.factors
        },
        thresholds=tuple(
            Threshold(*map(float, cut))
            for cut in zip(fit.levels[:-1], fit.levels[1:], estimates, errors, strict=True)
        ),
        systems=(
            *(place for place in outside if place.side == better_side),
            *_positions(rows, order, of_linear, fit, contrasts, asked.alpha),
            *(place for place in outside if place.side != better_side),
        ),
        contrasts=contrasts,
        random=tuple(
            RandomDeviation(term, int(modes.size), float(deviation), float(of_rating))
            for term, modes, deviation, of_rating in of_terms
        ),
        linear_noise=math.sqrt(linear.residual_variance),
        severity=_severity(rows, random, fit, asked.alpha),
        average_expected=_expected(fit, 0.0, float(fit.deviations @ fit.deviations)),
        checks=_checks(rows, fit, asked.seed),
        log_likelihood=fit.log_likelihood,
        told=notes,
    )


def _tested(
    difference: FloatArray, error: FloatArray, df: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]:
    """p, Holm's p, Bonferroni's intervals that agree with it, and which differ.

    A step-down correction finds more than intervals at one level do: where it finds a difference, an end beyond 0 is
    cut there.
    """
    p = 2 * stdtr(df, -np.abs(difference / error))
    corrected = holm(p)
    reach = stdtrit(df, 1 - alpha / (2 * max(1, difference.size))) * error
    low, high = difference - reach, difference + reach
    differ = at_most(corrected, alpha)
    low = np.where(differ & (difference > 0), np.maximum(low, 0.0), low)
    high = np.where(differ & (difference < 0), np.minimum(high, 0.0), high)
    return p, corrected, low, high, differ


def _contrasts(
    names: Sequence[str], order: Sequence[int], linear: _LinearSystems, fit: OrdinalFit, alpha: float
) -> tuple[OrdinalContrast, ...]:
    pairs = list(combinations(order, 2))
    weights = np.zeros((len(pairs), len(names)))
    for row, (a, b) in enumerate(pairs):
        weights[row, [a, b]] = 1.0, -1.0
    df, enlarged = linear.df(weights), linear.enlarged(weights)
    difference, error = fit.contrasts(weights)
    error = error * enlarged
    p, corrected, low, high, differ = _tested(difference, error, df, alpha)
    plain_difference = weights @ linear.means.means
    plain_error = _errors(linear.means.covariance, weights)
    _, linear_p, linear_low, linear_high, linear_differ = _tested(plain_difference, plain_error, df, alpha)
    words: dict[tuple[bool, bool], DifferBy] = {
        (True, True): "both models",
        (True, False): "ordinal alone",
        (False, True): "linear alone",
        (False, False): "neither",
    }
    numbers = {
        "difference": difference,
        "error": error,
        "enlarged": enlarged,
        "df": df,
        "t": difference / error,
        "raw_p": p,
        "p": corrected,
        "low": low,
        "high": high,
        "linear_difference": plain_difference,
        "linear_error": plain_error,
        "linear_p": linear_p,
        "linear_low": linear_low,
        "linear_high": linear_high,
    }
    return tuple(
        OrdinalContrast(
            a=names[a],
            b=names[b],
            differ_by=words[bool(differ[k]), bool(linear_differ[k])],
            **{name: float(array[k]) for name, array in numbers.items()},
        )
        for k, (a, b) in enumerate(pairs)
    )


def _errors(covariance: FloatArray, weights: FloatArray) -> FloatArray:
    """Standard errors of combinations, a row of weights each."""
    return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights)))


class _LinearSystems:
    """The linear model's systems: their means, and what tests of combinations of them need, made once."""

    def __init__(self, fit: MixedFit, most: float):
        """`most` degrees of freedom are there for the noise of any combination."""
        self._most = most
        estimate = fit.estimate
        assert estimate is not None
        assert estimate.averaging is not None
        self._averaging = estimate.averaging
        self._satterthwaite = Satterthwaite(estimate.reml, estimate.theta, estimate.averaging)
        self._full = likelihood_covariance(fit)
        self.means = fixed_means(fit)

    def df(self, weights: FloatArray) -> FloatArray:
        """Satterthwaite's degrees of freedom of combinations, a row of weights each."""
        df = np.array([self._satterthwaite.of(row @ self._averaging) for row in weights])
        return np.asarray(np.minimum(df, self._most))

    def enlarged(self, weights: FloatArray) -> FloatArray:
        """How many times larger standard errors are by REML than by maximum likelihood.

        The ordinal model has a likelihood alone. With three assessors it takes the variance of what they disagree
        about as about two thirds of what it is.
        """
        return _errors(self.means.covariance, weights) / _errors(self._full, weights)


def _positions(
    rows: AnovaRows,
    order: Sequence[int],
    linear: _LinearSystems,
    fit: OrdinalFit,
    contrasts: Sequence[OrdinalContrast],
    alpha: float,
) -> tuple[LatentPosition, ...]:
    names = rows.factors["system"].levels
    weights = np.eye(len(names)) - 1 / len(names)
    position, error = fit.contrasts(weights)
    error = error * linear.enlarged(weights)
    df = linear.df(weights)
    reach = stdtrit(df, 1 - alpha / 2) * error
    best, worst = rank_intervals(_better(contrasts, [names[k] for k in order], rows.info))
    ratings = _ratings(rows)
    return tuple(
        LatentPosition(
            names[k],
            *ratings[names[k]],
            position=float(position[k]),
            error=float(error[k]),
            df=float(df[k]),
            low=float(position[k] - reach[k]),
            high=float(position[k] + reach[k]),
            best_rank=int(best[rank]),
            worst_rank=int(worst[rank]),
        )
        for rank, k in enumerate(order)
    )


def _ratings(rows: AnovaRows) -> dict[str, tuple[int, float]]:
    """By system: how many ratings it has, and their mean."""
    systems = rows.factors["system"]
    counts = np.bincount(systems.codes, minlength=len(systems.levels))
    means = np.bincount(systems.codes, rows.values, len(systems.levels)) / counts
    return dict(zip(systems.levels, zip(counts.tolist(), means.tolist(), strict=True), strict=True))


def _outsiders(rows: AnovaRows, outside: Mapping[str, Outside]) -> list[LatentPosition]:
    """The systems that are in no model, the best first."""
    ratings = _ratings(rows)
    sign = -1 if rows.info.better == "lower" else 1
    places = [LatentPosition(system, *ratings[system], outside=why) for system, why in outside.items()]
    return sorted(places, key=lambda place: (-sign * place.mean, place.system))


def _expected(fit: OrdinalFit, shift: float, spread: float) -> float:
    """The mean rating over systems from an assessor this far above the average."""
    return float((level_shares(fit.thresholds, fit.effects + shift, spread) @ fit.levels).mean())


def _severity(rows: AnovaRows, random: Sequence[str], fit: OrdinalFit, alpha: float) -> tuple[Severity, ...]:
    if "assessor" not in random:
        return ()
    k = list(random).index("assessor")
    factor = rows.factors["assessor"]
    counts = np.bincount(factor.codes, minlength=len(factor.levels))
    others = float(fit.deviations @ fit.deviations - fit.deviations[k] ** 2)
    reach = float(ndtri(1 - alpha / 2))
    by_direction = {"higher": ("harsh", "mild"), "lower": ("mild", "harsh"), None: ("low", "high")}
    words = by_direction[rows.info.better]
    severities = []
    # Where the variance is estimated as 0, that is all that is known: no intervals without width.
    errors = np.where(fit.deviations[k] > 0, fit.mode_errors[k], math.nan)
    for assessor, n, mode, error in zip(factor.levels, counts, fit.modes[k], errors, strict=True):
        low, high = mode - reach * error, mode + reach * error
        severities.append(
            Severity(
                assessor=assessor,
                n=int(n),
                mode=float(mode),
                error=float(error),
                low=float(low),
                high=float(high),
                expected=_expected(fit, float(mode), others),
                word=words[0] if high < 0 else words[1] if low > 0 else "",
            )
        )
    sign = -1 if rows.info.better == "lower" else 1
    return tuple(sorted(severities, key=lambda severity: (sign * severity.mode, severity.assessor)))


def _checks(rows: AnovaRows, fit: OrdinalFit, seed: int) -> tuple[ScaleUse, ...]:
    checks = []
    for over in ("system", "assessor"):
        if over not in rows.factors or len(fit.levels) < 3:
            continue  # of two levels a shift says everything
        factor = rows.factors[over]
        rng = generator(seed, f"anova/ordinal/{over}")
        check = scale_check(fit, factor.codes, rng=rng, resamples=RESAMPLES)
        off = np.sqrt(check.observed) - np.sqrt(check.expected)
        group, level = np.unravel_index(int(np.abs(off).argmax()), off.shape)
        checks.append(
            ScaleUse(
                over=over,
                statistic=check.statistic,
                p=check.p,
                resamples=check.resamples,
                power=check.power,
                worst=factor.levels[int(group)],
                level=float(fit.levels[int(level)]),
                observed=int(check.observed[group, level]),
                expected=float(check.expected[group, level]),
            )
        )
    return tuple(checks)
