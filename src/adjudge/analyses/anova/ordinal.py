"""Ratings as what they are, ordinal: a cumulative link mixed model of systems, topics and assessors.

The rows are those of an analysis of variance, the random terms those of its mixed model. The mathematics is in
stats/linear/ordinal.py; the degrees of freedom of contrasts are those that the linear mixed model has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.anova import AnovaOrdinal
from adjudge.analyses.anova.factors import AS_FACTOR, AnovaRows, Factor, build
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import counted, decimal, p_number
from adjudge.data.scores import MeasureInfo, heading_of, title_of
from adjudge.judgments.tasks import is_anonymous

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.linear.mixed import MixedFit
    from adjudge.stats.linear.ordinal import OrdinalFit

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
class LatentPosition:
    """A system's place on the latent scale, as its deviation from the average system. `why` where it has none."""

    system: str
    n: int
    mean: float
    """Of its ratings."""
    position: float
    error: float
    df: float
    low: float
    high: float
    best_rank: int | None
    """The best rank that the significant differences leave it."""
    worst_rank: int | None
    why: str | None = None
    side: Literal["above", "below"] | None = None
    """Of the others, where it has no place among them."""


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
    worst: str
    """The group and the level that are furthest off."""
    level: float
    observed: int
    expected: float


@dataclass(frozen=True, repr=False, kw_only=True)
class OrdinalResult(Result):
    """A cumulative link mixed model of ratings, and the linear model of the same rows beside it."""

    WORDS: ClassVar[str] = "adjudge.analyses.anova.ordinal_words"
    IN_JSON: ClassVar[tuple[str, ...]] = ("contrasts",)

    asked: AnovaOrdinal
    info: MeasureInfo
    length: int | None
    form: str | None
    n: int
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
    told: tuple[Note, ...]
    """What was left out, and what the models suppose."""

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        return title_of(self.info, self.length, self.asked.form)

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
            self.contrasts, [place.system for place in self.systems if place.why is None], self.info
        )

    def notes(self) -> Iterator[Note]:
        yield from self.told
        if (pairs := len(self.contrasts)) > MOST_PAIRS:
            yield Note.of("pairs-not-shown", n=pairs)

    def tables(self) -> Iterator[Table]:
        """Systems, the best first; all pairs; assessors; thresholds; standard deviations; the use of the scale."""
        from adjudge.stats.linear.ordinal import LOGISTIC

        sizes = ", ".join(counted(n, name) for name, n in self.sizes.items())
        outside = any(place.why is not None for place in self.systems)
        yield Table(
            name="ordinal",
            columns=(
                Column("measure", show="never"),
                Column("system", right=False),
                Column("n", "ratings"),
                Column("mean", "mean rating", format=".2f"),
                Column("position", "latent", format="+.2f"),
                Column("error", "s.e.", format=".2f"),
                Column("df", format=".1f"),
                Column("low", show="never"),
                Column("high", show="never"),
                Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False),
                Column("best_rank", show="never"),
                Column("worst_rank", show="never"),
                Column("ranks", "ranks in the model" if outside else "ranks", data=False, right=False),
                Column("why", show="never"),
            ),
            rows=tuple(
                (
                    self.measure,
                    place.system,
                    place.n,
                    place.mean,
                    place.position,
                    place.error,
                    place.df,
                    place.low,
                    place.high,
                    _span(place.low, place.high),
                    place.best_rank,
                    place.worst_rank,
                    _ranks(place),
                    place.why,
                )
                for place in self.systems
            ),
            title=(
                f"{heading_of(self.info, self.length, self.asked.form)} ({counted(self.n, 'rating')} of"
                f" {len(self.levels)} levels: {sizes}), ordinal model"
            ),
        )
        if len(self.contrasts) <= MOST_PAIRS:
            yield self._contrasts_table()
        if self.severity:
            yield Table(
                name="severity",
                title="Assessors on the latent scale, on which the average assessor stands at 0",
                columns=(
                    Column("assessor", right=False),
                    Column("n", "ratings"),
                    Column("mode", "latent", format="+.2f"),
                    Column("error", "s.d.", format=".2f"),
                    Column("low", show="never"),
                    Column("high", show="never"),
                    Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False),
                    Column("expected", "mean rating", format=".2f"),
                    Column("word", "", right=False),
                ),
                rows=tuple(
                    (
                        who.assessor,
                        who.n,
                        who.mode,
                        who.error,
                        who.low,
                        who.high,
                        _span(who.low, who.high),
                        who.expected,
                        who.word,
                    )
                    for who in self.severity
                ),
            )
        yield Table(
            name="thresholds",
            title="Thresholds on the latent scale, on which the average system stands at 0",
            columns=(
                Column("between", "between", data=False, right=False),
                Column("below", show="never"),
                Column("above", show="never"),
                Column("estimate", format="+.2f"),
                Column("error", "s.e.", format=".2f"),
            ),
            rows=tuple(
                (f"{cut.below:g} | {cut.above:g}", cut.below, cut.above, cut.estimate, cut.error)
                for cut in self.thresholds
            ),
        )
        yield Table(
            name="random",
            title=f"Standard deviations: {self.formula}",
            columns=(
                Column("term", "of", right=False),
                Column("cells"),
                Column("deviation", "latent", format=".2f"),
                Column("linear_deviation", "linear", format=".2f"),
            ),
            rows=(
                *((term.term, term.cells, term.deviation, term.linear_deviation) for term in self.random),
                ("noise", None, LOGISTIC, self.linear_noise),
            ),
        )
        if self.checks:
            yield Table(
                name="checks",
                title="Are levels used as the model expects?",
                columns=(
                    Column("over", "ratings by", right=False),
                    Column("statistic", "Freeman-Tukey", format=".1f"),
                    Column("p", show="never"),
                    Column("p_text", "p", data=False, right=True),
                    Column("resamples", show="never"),
                    Column("worst", "furthest off", right=False),
                    Column("level", format="g"),
                    Column("observed"),
                    Column("expected", format=".1f"),
                ),
                rows=tuple(
                    (
                        check.over,
                        check.statistic,
                        check.p,
                        p_number(check.p),
                        check.resamples,
                        check.worst,
                        check.level,
                        check.observed,
                        check.expected,
                    )
                    for check in self.checks
                ),
            )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"contrasts": self._contrasts_table}

    def _contrasts_table(self) -> Table:
        """All pairs of systems, beside what the linear model says of them."""
        return Table(
            name="contrasts",
            title=(
                f"Pairs of systems on the latent scale, p by Holm, intervals for all {len(self.contrasts):,} together"
                if len(self.contrasts) > 1
                else "The pair of systems on the latent scale"
            ),
            columns=(
                Column("a", right=False),
                Column("b", right=False),
                Column("difference", "a - b", format="+.2f"),
                Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False),
                Column("error", show="never"),
                Column("enlarged", show="never"),
                Column("df", format=".1f"),
                Column("t", show="never"),
                Column("raw_p", show="never"),
                Column("p", show="never"),
                Column("p_text", "p", data=False, right=True),
                Column("low", show="never"),
                Column("high", show="never"),
                Column("linear_difference", "linear: a - b", format="+.2f"),
                Column("linear_interval", "interval", data=False, right=False),
                Column("linear_error", show="never"),
                Column("linear_p", show="never"),
                Column("linear_p_text", "p", data=False, right=True),
                Column("linear_low", show="never"),
                Column("linear_high", show="never"),
                Column("differ_by", "differ by", right=False),
            ),
            rows=tuple(
                (
                    pair.a,
                    pair.b,
                    pair.difference,
                    _span(pair.low, pair.high),
                    pair.error,
                    pair.enlarged,
                    pair.df,
                    pair.t,
                    pair.raw_p,
                    pair.p,
                    p_number(pair.p),
                    pair.low,
                    pair.high,
                    pair.linear_difference,
                    _span(pair.linear_low, pair.linear_high),
                    pair.linear_error,
                    pair.linear_p,
                    p_number(pair.linear_p),
                    pair.linear_low,
                    pair.linear_high,
                    pair.differ_by,
                )
                for pair in self.contrasts
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


def _span(low: float, high: float) -> str | None:
    return None if math.isnan(low) else f"{decimal(low, '+.2f')} to {decimal(high, '+.2f')}"


def _ranks(place: LatentPosition) -> str | None:
    if place.best_rank is None:
        return None
    return (
        str(place.best_rank)
        if place.best_rank == place.worst_rank
        else f"{place.best_rank}-{place.worst_rank}"
    )


def _better(contrasts: Sequence[OrdinalContrast], names: Sequence[str], info: MeasureInfo) -> BoolArray:
    import numpy as np

    place = {name: k for k, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), dtype=np.bool_)
    for contrast in contrasts:
        if contrast.differ_by in ("both models", "ordinal alone"):
            up = (contrast.difference > 0) != (info.better == "lower")
            a, b = place[contrast.a], place[contrast.b]
            better[(a, b) if up else (b, a)] = True
    return better


# From rows to the model


def ordinal_model(scores: Scores, measure: str, asked: AnovaOrdinal) -> OrdinalResult:
    """The model of one measure's ratings: systems fixed, topics and assessors a sample."""
    rows, notes = _rows_of(scores, measure, asked)
    everything = rows
    _check_scale(rows)
    rows, why = _overlapping(rows)
    notes += [
        Note.of("in-neither-model", system=system, why=outside.reason) for system, outside in why.items()
    ]
    notes += _unused(rows)
    rows, more = _sampled(rows)
    notes += more
    random, more = _with_noise(rows, _random_terms(rows))
    notes += [*more, *_few_assessors(rows, random), *_many_effects(rows, random)]
    linear = _linear(rows, random)
    fit = _ordinal(rows, random, linear, lambda tried: asked.progress(tried, 0))
    return _result(everything, rows, random, linear, fit, why, notes, asked)


def _rows_of(scores: Scores, measure: str, asked: AnovaOrdinal) -> tuple[AnovaRows, list[Note]]:
    """A row for each rating, with its assessor where all are known by name."""
    frame = scores.table.at(measure, length=asked.length, form=asked.form, several=AS_FACTOR)
    judges = frame.loc[frame["value"].notna(), "assessor"]
    named = judges.notna() & ~judges.map(lambda name: isinstance(name, str) and is_anonymous(name))
    names = ["system", "topic"] if judges.isna().all() else ["assessor", "system", "topic"]
    if (nobody := int(judges.isna().sum())) and len(names) == 3:
        raise DataError(
            f"{nobody:,} of {len(judges):,} scores of {measure} name no assessor, and assessors are a factor of the"
            " ordinal model: name an assessor in each, or leave those scores out of the file"
        )
    rows = build(
        scores,
        measure,
        names,
        length=asked.length,
        form=asked.form,
        repeats=True,
        pool_humans=asked.pool_humans,
        average_humans=False,
    )
    notes = list(rows.notes)
    if unknown := int((~named).sum()):
        notes.append(Note.of("assessors-not-known", n=unknown, ratings=len(judges)))
        rows = replace(rows, factors={k: v for k, v in rows.factors.items() if k != "assessor"})
    return rows, notes


def _check_scale(rows: AnovaRows) -> None:
    import numpy as np

    levels = np.unique(rows.values)
    title = rows.info.words
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


@dataclass(frozen=True)
class _Outside:
    """Why a system is in no model, and on which side of the others it stands."""

    reason: str
    side: Literal["above", "below"]


def _overlapping(rows: AnovaRows) -> tuple[AnovaRows, dict[str, _Outside]]:
    """The rows of systems whose distances have finite estimates, and why others have none."""
    import numpy as np

    from adjudge.stats.linear.ordinal import separation

    why: dict[str, _Outside] = {}
    while len(rows.factors["system"].levels) > 1:
        codes, names = rows.factors["system"].codes, rows.factors["system"].levels
        apart = separation(rows.values, codes)
        if apart is None:
            return rows, why
        lower, upper = apart
        out = lower if len(lower) < len(upper) else upper
        side = "above" if out is lower else "below"
        for k in out:
            ratings, others = rows.values[codes == k], rows.values[~np.isin(codes, out)]
            if np.ptp(ratings) == 0:
                end = "highest" if out is upper else "lowest"
                reason = f"every one of its ratings is {ratings[0]:g}, the {end} there is"
                if ratings[0] not in (rows.values.min(), rows.values.max()):
                    reason = f"every one of its ratings is {ratings[0]:g}, and none of the others' lies {_beyond(side)}"
            else:
                edge = others.max() if out is upper else others.min()
                reason = f"none of its ratings lies {side} {edge:g}, and none of the others' {_beyond(side)}"
            why[names[k]] = _Outside(
                reason=f"{reason}, so that its distance from them has no finite estimate",
                side="above" if out is upper else "below",
            )
        rows = _kept(rows, ~np.isin(codes, out))
    raise DataError(
        f"{rows.info.words}: the ratings of the systems do not overlap, so that no distance has a finite estimate"
        f" ({'; '.join(f'{system}: {outside.reason}' for system, outside in list(why.items())[:2])})"
        if why
        else f"{rows.info.words}: there is only one system"
    )


def _beyond(side: str) -> str:
    return "below it" if side == "above" else "above it"


def _kept(rows: AnovaRows, keep: BoolArray) -> AnovaRows:
    """Some of the rows, with the levels that they have."""
    import numpy as np

    factors = {}
    for name, factor in rows.factors.items():
        there, codes = np.unique(factor.codes[keep], return_inverse=True)
        factors[name] = Factor(name, codes.reshape(-1), tuple(factor.levels[k] for k in there))
    return replace(
        rows, values=rows.values[keep], factors=factors, keys=rows.keys[keep].reset_index(drop=True)
    )


def _unused(rows: AnovaRows) -> list[Note]:
    """Levels of a scale of whole numbers that nobody gave."""
    import numpy as np

    levels = np.unique(rows.values)
    if levels.size > MOST_OTHERS or not (levels == np.round(levels)).all():
        return []
    low, high = (
        end if bound is None else bound
        for end, bound in zip((levels[0], levels[-1]), rows.info.range, strict=True)
    )
    if high - low > MOST_OTHERS:
        return []
    absent = [float(level) for level in np.arange(low, high + 1) if level not in levels]
    return [Note.of("levels-not-given", absent=absent, levels=len(levels))] if absent else []


def _sampled(rows: AnovaRows) -> tuple[AnovaRows, list[Note]]:
    """The factors that can be a sample: those with several levels, assessors where they are not the topics."""
    from adjudge.stats.linear.model import make_term, same_groups

    notes = []
    factors = dict(rows.factors)
    for name in ("assessor", "topic"):
        if name in factors and len(factors[name].levels) == 1:
            [only] = factors.pop(name).levels
            notes.append(Note.of("only-one", factor=name, level=only))
    if {"assessor", "topic"} <= set(factors):
        one, other = (make_term([factors[name].codes], (0,)) for name in ("assessor", "topic"))
        if same_groups(one, other):
            del factors["assessor"]
            notes.append(Note.of("assessors-are-topics"))
    if len(factors) == 1:
        raise DataError(
            f"{rows.info.words}: there is one topic and no more than one assessor, so nothing is a sample"
        )
    return replace(rows, factors=factors), notes


def _random_terms(rows: AnovaRows) -> list[str]:
    """Topics, assessors, and the interactions that the design identifies: those of the linear mixed model."""
    from adjudge.stats.linear.error_terms import model_terms
    from adjudge.stats.linear.model import LinearModel

    names = list(rows.factors)
    codes = [rows.factors[name].codes for name in names]
    model = LinearModel(rows.values, codes, [(k,) for k in range(len(names))])
    keys = model_terms(model, [k for k, name in enumerate(names) if name != "system"]).random
    return [":".join(names[k] for k in key) for key in keys]


def _few_assessors(rows: AnovaRows, random: Sequence[str]) -> list[Note]:
    """What the intervals suppose where few assessors judged, or none of their opinions can be told from noise."""
    from adjudge.stats.judging import FEW_DF, FEWEST_DF, group_labels, judge_freedom

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


def _keys(rows: AnovaRows, random: Sequence[str]) -> list[tuple[int, ...]]:
    names = list(rows.factors)
    return [tuple(sorted(names.index(name) for name in term.split(":"))) for term in random]


def _with_noise(rows: AnovaRows, random: list[str]) -> tuple[list[str], list[Note]]:
    """The random terms that leave enough for the noise, and notes on those that are dropped for it.

    What assessors make of systems stays: conclusions for others rest on it.
    """
    from adjudge.stats.linear.model import LinearModel

    codes = [factor.codes for factor in rows.factors.values()]
    systems = (list(rows.factors).index("system"),)
    model = LinearModel(rows.values, codes, [systems])
    notes: list[Note] = []
    for term in ("assessor:topic", "system:topic"):
        left = rows.n - model.space([systems, *_keys(rows, random)]).rank
        if left >= FEWEST_NOISE or _linear_fit(rows, random).why is None:
            break
        if term in random:
            random = [other for other in random if other != term]
            notes.append(Note.of("term-left-out", term=term, df=left))
    return random, notes


def _many_effects(rows: AnovaRows, random: Sequence[str]) -> list[Note]:
    """A warning where random effects outnumber the ratings that tell of them."""
    effects = 0
    for term in random:
        codes = [rows.factors[name].codes.tolist() for name in term.split(":")]
        effects += len(set(zip(*codes, strict=True)))
    if effects <= rows.n:
        return []
    return [Note.of("more-effects-than-ratings", effects=effects, ratings=rows.n)]


def _linear_fit(rows: AnovaRows, random: Sequence[str]) -> MixedFit:
    from adjudge.stats.linear.mixed import fit_mixed

    return fit_mixed(
        rows.values,
        [factor.codes for factor in rows.factors.values()],
        fixed=[list(rows.factors).index("system")],
        random=_keys(rows, random),
        names=random,
    )


def _linear(rows: AnovaRows, random: Sequence[str]) -> MixedFit:
    fit = _linear_fit(rows, random)
    if fit.why is not None:
        raise DataError(
            f"{rows.info.words}: the linear model, which gives the degrees of freedom, cannot be fitted:"
            f" {fit.why}"
        )
    return fit


def _ordinal(
    rows: AnovaRows, random: Sequence[str], linear: MixedFit, progress: Callable[[int], None]
) -> OrdinalFit:
    from adjudge.stats.linear.ordinal import fit_ordinal

    assert linear.found is not None
    fit = fit_ordinal(
        rows.values,
        [factor.codes for factor in rows.factors.values()],
        fixed=list(rows.factors).index("system"),
        random=_keys(rows, random),
        names=random,
        start=linear.found.theta,
        progress=progress,
    )
    if fit.why is not None:
        raise DataError(
            f"{rows.info.words}: the ordinal model has no solution ({fit.why}); use the linear model"
        )
    return fit


# From the fits to the result


def _result(
    everything: AnovaRows,
    rows: AnovaRows,
    random: list[str],
    linear: MixedFit,
    fit: OrdinalFit,
    why: dict[str, _Outside],
    notes: list[Note],
    asked: AnovaOrdinal,
) -> OrdinalResult:
    import numpy as np

    alpha = asked.alpha
    names = rows.factors["system"].levels
    count = len(names)
    sign = -1 if rows.info.better == "lower" else 1
    order = sorted(range(count), key=lambda k: (-sign * fit.effects[k], names[k]))
    of_linear = _LinearSystems(linear)
    contrasts = _contrasts(names, order, of_linear, fit, alpha)
    systems = _positions(everything, rows, order, of_linear, fit, contrasts, why, alpha)
    centre = float(fit.effects.mean())
    # Thresholds for the average system, so that which system was the first does not show.
    cuts = fit.thresholds.size
    turn = np.hstack([np.eye(cuts), np.full((cuts, count - 1), -1 / count)])
    errors = np.sqrt((turn @ fit.covariance @ turn.T).diagonal())
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
            Threshold(
                below=float(fit.levels[k]),
                above=float(fit.levels[k + 1]),
                estimate=float(fit.thresholds[k]) - centre,
                error=float(errors[k]),
            )
            for k in range(cuts)
        ),
        systems=systems,
        contrasts=contrasts,
        random=tuple(
            RandomDeviation(
                term=term,
                cells=int(modes.size),
                deviation=float(deviation),
                linear_deviation=math.sqrt(float(variance)),
            )
            for term, modes, deviation, variance in zip(
                random, fit.modes, fit.deviations, linear.variances, strict=True
            )
        ),
        linear_noise=math.sqrt(linear.residual_variance),
        severity=_severity(rows, random, fit, alpha),
        average_expected=_expected(fit, 0.0, float(fit.deviations @ fit.deviations)),
        checks=_checks(rows, fit, asked.seed),
        log_likelihood=fit.log_likelihood,
        told=tuple(notes),
    )


def _tested(
    difference: FloatArray, error: FloatArray, df: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]:
    """p, Holm's p, Bonferroni's intervals that agree with it, and which differ.

    A step-down correction finds more than intervals at one level do: where it finds a difference, an end beyond 0 is
    cut there.
    """
    import numpy as np
    from scipy.special import stdtr, stdtrit

    from adjudge.stats.multiple import at_most, holm

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
    import numpy as np

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
    return tuple(
        OrdinalContrast(
            a=names[a],
            b=names[b],
            difference=float(difference[k]),
            error=float(error[k]),
            enlarged=float(enlarged[k]),
            df=float(df[k]),
            t=float(difference[k] / error[k]),
            raw_p=float(p[k]),
            p=float(corrected[k]),
            low=float(low[k]),
            high=float(high[k]),
            linear_difference=float(plain_difference[k]),
            linear_error=float(plain_error[k]),
            linear_p=float(linear_p[k]),
            linear_low=float(linear_low[k]),
            linear_high=float(linear_high[k]),
            differ_by=words[bool(differ[k]), bool(linear_differ[k])],
        )
        for k, (a, b) in enumerate(pairs)
    )


def _errors(covariance: FloatArray, weights: FloatArray) -> FloatArray:
    """Standard errors of combinations, a row of weights each."""
    import numpy as np

    return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights)))


class _LinearSystems:
    """The linear model's systems: their means, and what tests of combinations of them need, made once."""

    def __init__(self, fit: MixedFit):
        from adjudge.stats.linear.mixed import Satterthwaite, fixed_means, likelihood_covariance

        estimate = fit.found
        assert estimate is not None
        assert estimate.averaging is not None
        self._averaging = estimate.averaging
        self._satterthwaite = Satterthwaite(estimate.reml, estimate.theta, estimate.averaging)
        self._full = likelihood_covariance(fit)
        self.means = fixed_means(fit)

    def df(self, weights: FloatArray) -> FloatArray:
        """Satterthwaite's degrees of freedom of combinations, a row of weights each."""
        import numpy as np

        return np.array([self._satterthwaite.of(row @ self._averaging) for row in weights])

    def enlarged(self, weights: FloatArray) -> FloatArray:
        """How many times larger standard errors are by REML than by maximum likelihood.

        The ordinal model has a likelihood alone. With three assessors it takes the variance of what they disagree
        about as about two thirds of what it is.
        """
        return _errors(self.means.covariance, weights) / _errors(self._full, weights)


def _positions(
    everything: AnovaRows,
    rows: AnovaRows,
    order: Sequence[int],
    linear: _LinearSystems,
    fit: OrdinalFit,
    contrasts: Sequence[OrdinalContrast],
    why: dict[str, _Outside],
    alpha: float,
) -> tuple[LatentPosition, ...]:
    import numpy as np
    from scipy.special import stdtrit

    from adjudge.stats.order import rank_intervals

    names = rows.factors["system"].levels
    weights = np.eye(len(names)) - 1 / len(names)
    position, error = fit.contrasts(weights)
    error = error * linear.enlarged(weights)
    df = linear.df(weights)
    reach = stdtrit(df, 1 - alpha / 2) * error
    best, worst = rank_intervals(_better(contrasts, [names[k] for k in order], rows.info))
    every_system = everything.factors["system"]
    counts = np.bincount(every_system.codes, minlength=len(every_system.levels))
    means = np.bincount(every_system.codes, everything.values, len(every_system.levels)) / counts
    at = {name: k for k, name in enumerate(every_system.levels)}
    nan = math.nan
    placed = [
        LatentPosition(
            system=names[k],
            n=int(counts[at[names[k]]]),
            mean=float(means[at[names[k]]]),
            position=float(position[k]),
            error=float(error[k]),
            df=float(df[k]),
            low=float(position[k] - reach[k]),
            high=float(position[k] + reach[k]),
            best_rank=int(best[rank]),
            worst_rank=int(worst[rank]),
        )
        for rank, k in enumerate(order)
    ]
    others = [
        LatentPosition(
            system=system,
            n=int(counts[at[system]]),
            mean=float(means[at[system]]),
            position=nan,
            error=nan,
            df=nan,
            low=nan,
            high=nan,
            best_rank=None,
            worst_rank=None,
            why=outside.reason,
            side=outside.side,
        )
        for system, outside in why.items()
    ]
    first = "below" if rows.info.better == "lower" else "above"
    sign = 1 if rows.info.better == "lower" else -1
    others.sort(key=lambda place: (sign * place.mean, place.system))
    return (
        *(place for place in others if place.side == first),
        *placed,
        *(place for place in others if place.side != first),
    )


def _expected(fit: OrdinalFit, shift: float, spread: float) -> float:
    """The mean rating over systems from an assessor this far above the average."""
    from adjudge.stats.linear.ordinal import level_shares

    return float((level_shares(fit.thresholds, fit.effects + shift, spread) @ fit.levels).mean())


def _severity(rows: AnovaRows, random: Sequence[str], fit: OrdinalFit, alpha: float) -> tuple[Severity, ...]:
    import numpy as np
    from scipy.special import ndtri

    if "assessor" not in random:
        return ()
    k = list(random).index("assessor")
    factor = rows.factors["assessor"]
    counts = np.bincount(factor.codes, minlength=len(factor.levels))
    others = float(fit.deviations @ fit.deviations - fit.deviations[k] ** 2)
    reach = float(ndtri(1 - alpha / 2))
    words = {"higher": ("harsh", "mild"), "lower": ("mild", "harsh")}.get(
        rows.info.better or "", ("low", "high")
    )
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
    import numpy as np

    from adjudge.stats.linear.ordinal import scale_check

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
                worst=factor.levels[int(group)],
                level=float(fit.levels[int(level)]),
                observed=int(check.observed[group, level]),
                expected=float(check.expected[group, level]),
            )
        )
    return tuple(checks)
