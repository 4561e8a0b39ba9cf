"""Analysis of variance: which factors matter, and how much of the variation each accounts for.

Over and Liggett 2002. Rows and their factors are made in factors.py; the mathematics is in stats/linear/.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from adjudge.analyses.anova.factors import OF_TOPICS, AnovaRows, Factor, build, known_factors
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import counted, decimal, listed
from adjudge.data.scores import MeasureInfo, heading_of, title_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from adjudge.analyses.anova.ordinal import OrdinalAnova
    from adjudge.stats.linear.anova import AnovaRow, InteractionEffects, ResidualChecks
    from adjudge.stats.linear.error_terms import TermTest
    from adjudge.stats.linear.mixed import MixedFit
    from adjudge.stats.linear.model import LinearFit

MOST_NAMED = 5
NOISE = "noise"
RESAMPLES = 500
TESTED = ("denominator_df", "against", "method", "residual_f", "residual_p")
NUMBERS = ("ss", "ms", "f", "p", "share", "why", *TESTED)
COLUMNS = ["measure", "term", "df", *NUMBERS]
MODELS = ("linear", "ordinal")
ALPHA = 0.05
LEVEL = 0.95
REPEATED = ("assessor", "system", "topic")  # what interactions=True crosses, in DUC-2002's order
SAMPLED = ("topic", "assessor", "reference", "author", "repeat")
"""Factors whose levels are a sample: others might have been drawn."""

SEVERAL_ROWS = ("assessor", "length", "form", "reference", "repeat", "author")
"""Factors that give a summary, or a topic and a system, several rows."""

RESIDUALS = "residuals"
FEWEST_DF = 3
"""Below so many degrees of freedom of the noise only a very large F is significant, and that is said."""
FEW_DF = 4
"""Below so many degrees of freedom of an error term, the test of several at once errs too often."""


@overload
def anova(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    model: Literal["linear"] = "linear",
    length: int | None = None,
    form: str | None = None,
    factors: Sequence[str] = (),
    interactions: bool = False,
    random: Sequence[str] = (),
    ss_type: Literal[1, 2, 3] | None = None,
    alpha: float = ALPHA,
    resamples: int | None = None,
    seed: int = 0,
    pool_humans: bool = False,
    average_humans: bool = True,
    without: str | Sequence[str] = (),
) -> Anova: ...


@overload
def anova(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    model: Literal["ordinal"],
    length: int | None = None,
    form: str | None = None,
    alpha: float = ALPHA,
    seed: int = 0,
    pool_humans: bool = False,
    without: str | Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> OrdinalAnova: ...


def anova(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    model: Literal["linear", "ordinal"] = "linear",
    length: int | None = None,
    form: str | None = None,
    factors: Sequence[str] = (),
    interactions: bool = False,
    random: Sequence[str] = (),
    ss_type: Literal[1, 2, 3] | None = None,
    alpha: float = ALPHA,
    resamples: int | None = None,
    seed: int = 0,
    pool_humans: bool = False,
    average_humans: bool = True,
    without: str | Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Anova | OrdinalAnova:
    """Analyse the variation of one measure: `anova("my-eval", "rouge-2", pool_humans=True)`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. Factors
    are system and topic, and assessor before them where judgments are repeated; `factors` names others, in the
    order that type I takes them, and interactions such as "system:topic". `interactions` adds all two-way ones of
    assessor, system and topic. `random` are the factors whose levels are a sample (topics, assessors, references
    and their authors unless said), and how the variance divides among them is told too.
    Every term is tested against the variation that it would have anyhow: a type of topics against topics, a system
    that several assessors judged against system:topic and assessor:system. Two-way interactions are in the model of
    these tests whether they are listed or not. `ss_type` is the type of the sums of
    squares: where the design is balanced they agree; elsewhere II unless said.
    `pool_humans` makes all humans one system, with one row for all of them unless `average_humans` is false.
    Over and Liggett 2002: system + document set, assessors, interactions.
    `model="ordinal"` is for ratings on a scale: a cumulative link mixed model with systems fixed, topics and assessors
    and their interactions a sample, and the linear model beside it. It takes none of the options of terms and sums of
    squares; `progress` hears how many values of its parameters were tried.
    """
    from adjudge.stats import checks

    checks.share("alpha", alpha)
    checks.one_of("model", model, MODELS)
    found = scores_of(scores, without=without)
    chosen = found.resolve(measure)
    if model == "ordinal":
        from adjudge.analyses.anova.ordinal import ordinal_model

        _check_ordinal(
            factors=factors, interactions=interactions, random=random, ss_type=ss_type, resamples=resamples
        )
        return ordinal_model(
            found,
            chosen,
            length=length,
            form=form,
            pool_humans=pool_humans,
            alpha=alpha,
            seed=seed,
            progress=progress,
        )
    asked = _terms(factors or known_factors(found.table, chosen, length, form), interactions, random)
    if random:
        _check_fixed(asked, random)
    added = _units(asked)
    terms = [*asked, *added]
    # In one order, so that an interaction's first factor is the first in its name.
    names = sorted({name for term in terms for name in term.split(":")})
    rows = build(
        found,
        chosen,
        names,
        length=length,
        form=form,
        repeats=any(":" in term for term in [*terms, *random]),
        pool_humans=pool_humans,
        average_humans=average_humans,
    )
    if "topic" in names and "topic" not in factors and "set" in asked and rows.same("set", "topic"):
        asked, added = (
            [name for name in each if name != "topic"] for each in (asked, added)
        )  # a set is a topic
    terms = [*asked, *added]
    for term in terms:
        _check_replicates(rows, term)
    analysed = _analysed(rows, terms, ss_type, alpha, _samples(rows, terms, random), bool(random))
    if added:
        note = (
            f"{listed(added)} {'is' if len(added) == 1 else 'are'} among the terms too, to be compared with"
        )
        analysed = replace(analysed, notes=(*analysed.notes, note))
    analysed = replace(analysed, notes=(*found.unsaid_notes(chosen), *analysed.notes))
    fixed, crossed = _mixed_terms(analysed, rows, random or analysed.samples)
    beside = [term for term in [*fixed, *crossed] if term not in terms]
    analysed = replace(analysed, beside=_beside(rows, terms, beside, analysed.samples, bool(random)))
    if not random:
        return analysed
    mixed = mixed_model(rows, fixed, crossed, level=LEVEL, resamples=resamples, seed=seed)
    return replace(analysed, components=replace(mixed, beside=analysed.beside))


@dataclass(frozen=True, repr=False)
class Anova(Pictured, Tabular):
    """An analysis of variance. `fit` keeps the model, its residuals and their mean square for what comes after."""

    FIGURES: ClassVar[Mapping[str, str]] = {"interaction": "adjudge.analyses.anova.figures:interaction"}

    info: MeasureInfo
    length: int | None
    form: str | None
    chosen_form: str | None
    """The form that was asked for, which titles name."""
    lines: tuple[AnovaTerm, ...]
    residual_df: int
    residual_ss: float
    residual_ms: float
    total_ss: float
    ss_type: int
    n: int
    levels: dict[str, int]
    """How many levels each factor has."""
    means: tuple[AdjustedMean, ...]
    """Of the systems, the best first."""
    interactions: tuple[Interaction, ...]
    checks: ResidualChecks
    spread_over: str
    """The factor between whose levels the noise is compared: the system, where it is one."""
    largest: tuple[LargeResidual, ...]
    components: MixedModel | None
    """The mixed model, where random factors were asked for."""
    notes: tuple[str, ...]
    alpha: float
    samples: tuple[str, ...]
    """The factors whose levels are a sample in every test."""
    given: tuple[str, ...]
    """Factors whose levels might be a sample and are none: assessors, or who selected the topics of a type."""
    fit: LinearFit = field(repr=False, compare=False)
    beside: tuple[AnovaTerm, ...] = ()
    """Tests of the interactions that are in the model and not in the table, each after all others."""
    factors: Mapping[str, Factor] = field(default_factory=dict, repr=False, compare=False)
    """Every factor's level on each row."""

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        return title_of(self.info, self.length, self.chosen_form)

    @property
    def formula(self) -> str:
        return f"value ~ {' + '.join(line.term for line in self.lines)}"

    @property
    def random(self) -> tuple[str, ...]:
        """The factors that counted as a sample in some test."""
        used = {name for line in self.lines if line.why is None for name in line.sampled}
        return tuple(name for name in self.levels if name in used)

    @property
    def by_residuals(self) -> bool:
        """Whether the residuals are what every term is compared with."""
        return all(line.method == RESIDUALS for line in self.lines)

    @property
    def signature(self) -> str:
        length = f"|length:{self.length}" if self.length else ""
        terms = "+".join(line.term for line in self.lines)
        mixed = f"|{self.components.signature}" if self.components else ""
        kind = {1: "I", 2: "II", 3: "III"}[self.ss_type]
        against = [f"{line.term}/{'+'.join(line.against)}" for line in self.lines if line.against]
        errors = f"|errors:{','.join(against)}" if against else ""
        return (
            f"{self.info.signature or self.measure}{length}|rows:{self.n}|anova:type-{kind}:{terms}{errors}"
            f"|alpha:{self.alpha:g}{mixed}"
        )

    def headline(self) -> str:
        """The first thing to know."""
        return _headline(self)

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words: the terms, large interactions, variance components."""
        yield self.headline()
        yield from (_line_words(each, self.alpha) for each in self.lines)
        yield from _for_whom(self)
        yield from (_interaction_words(each, self.alpha) for each in self.interactions)
        if self.components is not None:
            yield from self.components.sentences(self.alpha, self.lines)

    def residual_sentences(self) -> list[str]:
        """What the residuals say of the model's assumptions, a sentence each."""
        return [
            *self.checks.sentences(self.spread_over, self.alpha),
            *_largest_words(self.largest, self.alpha),
        ]

    def warnings(self) -> list[str]:
        return [*self.notes, *(self.components.notes if self.components else ())]

    def table(self) -> Table:
        """The terms, the residuals last."""
        levels = ", ".join(counted(n, name) for name, n in self.levels.items())
        plain_noise = self.by_residuals
        return Table(
            name="anova",
            columns=(
                Column("measure", show="never"),
                Column("term", "", right=False),
                Column("df"),
                Column("ss", "sum of squares", data=False, right=True),
                Column("ms", "mean square", data=False, right=True),
                Column("F", "F", data=False, right=True),
                Column(
                    "df2", "df of noise", data=False, right=True, show="never" if plain_noise else "always"
                ),
                Column("p", "p", data=False, right=True),
                Column("share", "share", data=False, right=True),
                Column("error", "compared with", data=False, show="never" if plain_noise else "always"),
                *(Column(name, show="never") for name in NUMBERS),
            ),
            rows=tuple(
                (
                    row["measure"],
                    row["term"],
                    row["df"],
                    number(row["ss"]),
                    number(row["ms"]),
                    f_text(row["f"]),
                    df_text(row["denominator_df"]),
                    p_text(row["p"]),
                    "" if row["share"] != row["share"] else percent(row["share"]),
                    row["against"].replace("+", ", ") if row["f"] == row["f"] else "",
                    *(row[name] for name in NUMBERS),
                )
                for row in self._rows()
            ),
            title=f"{heading_of(self.info, self.length, self.chosen_form)} ({counted(self.n, 'row')}: {levels})",
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def residuals_table(self) -> Table | None:
        """Every F against the residuals, as DUC-2002's tables have it, where some are tested otherwise."""
        if self.by_residuals or all(math.isnan(line.residual_f) for line in self.lines):
            return None
        return Table(
            name="anova-residuals",
            columns=(
                Column("term", "", right=False),
                Column("residual_f", "F", data=False, right=True),
                Column("residual_p", "p", data=False, right=True),
            ),
            rows=tuple((line.term, f_text(line.residual_f), p_text(line.residual_p)) for line in self.lines),
            title=(
                f"F against the residuals ({self.residual_df} df), as DUC-2002 printed it. It takes every factor as"
                " fixed: the table above says what matters."
            ),
        )

    def components_table(self) -> Table | None:
        """The parts of the variance, where a mixed model was fitted."""
        if self.components is None or not self.components.components:
            return None
        return Table(
            name="components",
            title=f"Variances by REML: {self.components.shares}",
            columns=(
                Column("term", "variance of", right=False),
                Column("variance", "estimate", format=".6g"),
                Column("part", "share", data=False, right=True),
                Column("share", show="never"),
                Column("low", show="never"),
                Column("high", show="never"),
                Column("interval", f"{self.components.level:.0%} interval", data=False, right=False),
            ),
            rows=tuple(
                (
                    each.term,
                    each.variance,
                    percent(each.share),
                    each.share,
                    each.low,
                    each.high,
                    None if each.low != each.low else f"{each.low:.1%} to {each.high:.1%}",
                )
                for each in self.components.components
            ),
        )

    def to_frame(self) -> pd.DataFrame:
        """The terms, the residuals last."""
        import pandas as pd

        return pd.DataFrame(list(self._rows()), columns=COLUMNS)

    def means_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([asdict(mean) for mean in self.means])

    def beside_frame(self) -> pd.DataFrame:
        """The interactions that are in the model and not in the table, in its columns."""
        import pandas as pd

        return pd.DataFrame(list(map(self._row, self.beside)), columns=COLUMNS)

    def cell_means(self, by: str) -> pd.DataFrame:
        """The mean score of every system at every level of another factor; cells without scores are left out.

        `departure` is what a mean has beyond its system's and its level's effect in the table of means: all are 0
        where lines of systems are parallel.
        """
        import pandas as pd

        for name in ("system", by):
            if name not in self.factors:
                known = ", ".join(name for name in self.factors if name != "system")
                raise UsageError(f"no factor {quoted(name)} in this analysis; it has: {known or 'no other'}")
        if by == "system":
            raise UsageError("systems are drawn at the levels of another factor, not of their own")
        columns = {
            name: [self.factors[name].levels[code] for code in self.factors[name].codes]
            for name in ("system", by)
        }
        rows = pd.DataFrame({**columns, "value": self.fit.model.scores})
        cells = rows.groupby(["system", by], sort=False)["value"].agg(["mean", "size"]).reset_index()
        wide = cells.pivot(index="system", columns=by, values="mean")
        from adjudge.stats.linear.model import fit_two_way

        fitted = pd.DataFrame(
            fit_two_way(wide.to_numpy()).fitted.reshape(wide.shape), index=wide.index, columns=wide.columns
        )
        cells["departure"] = [
            mean - fitted.at[system, level]
            for system, level, mean in zip(cells["system"], cells[by], cells["mean"], strict=True)
        ]
        return cells.rename(columns={"size": "n"})

    def interaction_sentence(self, by: str) -> str:
        """What the test of a factor's interaction with systems says."""
        term = _ordered(f"system:{by}")
        found = next((line for line in (*self.lines, *self.beside) if line.term == term), None)
        if found is not None:
            return _line_words(found, self.alpha)
        if (self.cell_means(by)["n"] == 1).all():
            why = f"no system has two scores {'on' if by == 'topic' else 'of'} one {by} to show the noise"
        else:
            why = "it is not among the terms"
        return f"The interaction {term} is not tested: {why}."

    def _row(self, line: AnovaTerm) -> dict[str, Any]:
        row = {"measure": self.measure, **asdict(line), "against": "+".join(line.against) or line.noise}
        return {name: row[name] for name in COLUMNS}

    def _rows(self) -> Iterator[dict[str, Any]]:
        yield from map(self._row, self.lines)
        nan = float("nan")
        share = self.residual_ss / self.total_ss if self.total_ss else nan
        yield {
            "measure": self.measure,
            "term": "residuals",
            "df": self.residual_df,
            "ss": self.residual_ss,
            "ms": self.residual_ms,
            **dict.fromkeys(("f", "denominator_df", "p", "residual_f", "residual_p"), nan),
            "share": share,
            **dict.fromkeys(("against", "method", "why"), None),
        }

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        c = self.checks
        found = {
            "measure": self.measure,
            "better": self.info.better,
            "length": self.length,
            "form": self.form,
            "rows": self.n,
            "levels": self.levels,
            "ss_type": self.ss_type,
            "random": self.random,
            "signature": self.signature,
            "headline": self.headline(),
            "sentences": list(self.sentences()),
            "table": list(self._rows()),
            "beside": list(map(self._row, self.beside)),
            "means": [asdict(mean) for mean in self.means],
            "interactions": [_interaction(each) for each in self.interactions],
            "residuals": {
                "sentences": self.residual_sentences(),
                "normal": asdict(c.normal),
                "spread": asdict(c.spread),
                "additive": asdict(c.additive),
                "skewness": c.skewness,
                "kurtosis": c.kurtosis,
                "largest": [asdict(each) for each in self.largest],
            },
            "components": self.components.as_dict() if self.components else None,
            "warnings": self.warnings(),
        }
        return dict(plain(found))


@dataclass(frozen=True)
class AnovaTerm:
    """One term of the table. Where F cannot be computed, `why` says why."""

    term: str
    df: int
    ss: float
    ms: float
    f: float
    denominator_df: float
    p: float
    share: float
    """Of the variation about the mean."""
    against: tuple[str, ...]
    """The error terms that F compares it with, beside the residuals; none where it is the residuals alone."""
    method: str
    """residuals; larger: those of a model with more interactions; stratum: one mean square, exact; strata: several, by
    REML; reml: the mixed model of all rows."""
    residual_f: float
    """F against the residuals, as DUC-2002's tables have it."""
    residual_p: float
    sampled: tuple[str, ...] = ()
    """The factors that counted as a sample in this test."""
    beyond: tuple[str, ...] = ()
    """Interactions beside the terms of the table that are out of the noise, where F compares it with that alone."""
    why: str | None = None

    @property
    def noise(self) -> str:
        return f"{RESIDUALS} after {', '.join(self.beyond)}" if self.beyond else RESIDUALS


@dataclass(frozen=True)
class AdjustedMean:
    """A system's mean as if it had met every level of the other factors alike."""

    system: str
    n: int
    mean: float
    error: float
    why: str | None = None


@dataclass(frozen=True)
class Interaction:
    """The sizes of one interaction: weighted effects, a row for every cell with scores."""

    term: str
    first: tuple[str, ...]
    """Levels of the first factor."""
    second: tuple[str, ...]
    sizes: InteractionEffects
    why: str | None = None
    """Why its cells are not tested, where the residuals are not what it is compared with."""

    def to_frame(self) -> pd.DataFrame:
        """The table as DUC-2002 prints it: levels of the first factor in rows, of the second in columns."""
        import pandas as pd

        return pd.DataFrame(self.sizes.table(), index=list(self.first), columns=list(self.second))

    def large(self) -> list[tuple[str, str, float]]:
        """The cells with a large effect, the largest first."""
        s = self.sizes
        at = [k for k in range(s.effects.size) if s.large[k]]
        at.sort(key=lambda k: -abs(s.effects[k]))
        return [(self.first[s.cells[k, 0]], self.second[s.cells[k, 1]], float(s.effects[k])) for k in at]


@dataclass(frozen=True)
class LargeResidual:
    """One of the largest residuals: which row it is, and how many standard errors it is off."""

    where: str
    standardised: float
    p: float
    """As an outlier, times the number of rows."""


@dataclass(frozen=True)
class MixedModel:
    """Two fits by REML: systems fixed, for their means; everything random, for the shares.

    `components` hold the shares of the second, the noise last. Where a model cannot be fitted, `why` says why.
    """

    formula: str
    shares: str
    """The formula of the second fit; that of the first where there is no second."""
    fixed: tuple[str, ...]
    """The terms that are fixed there, whose part of the variation is no variance."""
    means: tuple[MixedMean, ...]
    random: tuple[RandomTerm, ...]
    components: tuple[VarianceShare, ...]
    level: float
    resamples: int
    seed: int
    why: str | None = None
    notes: tuple[str, ...] = ()
    beside: tuple[AnovaTerm, ...] = ()
    """Tests of the interactions that are in the model and not in the table, each after all others."""

    @property
    def signature(self) -> str:
        interval = f"|shares:parametric-bootstrap:{self.level:g}:{self.resamples}|seed:{self.seed}"
        return f"reml:{self.formula.replace(' ', '')}{interval if self.resamples else ''}"

    def sentences(self, alpha: float, lines: Sequence[AnovaTerm]) -> Iterator[str]:
        """What the model says beside the lines of the table."""
        if self.why is not None:
            yield f"The mixed model cannot be fitted: {self.why}."
            yield from (_line_words(each, alpha) for each in self.beside)
            return
        yield self._share_words()
        # As the table of variances has it: the first fit may differ a little.
        none = {each.term for each in self.components if each.variance == 0}
        there = {line.term for line in (*lines, *self.beside) if line.p < alpha}
        for terms, but in (
            (none - there, ""),
            (none & there, ", though F is significant: the shares are uncertain"),
        ):
            if terms:
                names = listed([each.term for each in self.components if each.term in terms], most=len(terms))
                many = len(terms) > 1
                yield f"The variance{'s' * many} of {names} {'are' if many else 'is'} estimated as 0{but}."
        yield from (_line_words(each, alpha) for each in self.beside if each.term not in none - there)

    def _share_words(self) -> str:
        parts = [
            f"{percent(each.share)} {'is' if each.term == NOISE else 'lies in'} {each.term}{_interval(each)}"
            for each in sorted(self.components, key=lambda each: -each.share)
        ]
        beside = f" beside {listed(self.fixed, most=len(self.fixed))}" if self.fixed else ""
        return f"Of the variance{beside}, {listed(parts, most=len(parts))}."

    def to_frame(self) -> pd.DataFrame:
        """The parts of the variance."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.components])

    def as_dict(self) -> dict[str, Any]:
        return {
            "formula": self.formula,
            "shares": self.shares,
            "means": [asdict(each) for each in self.means],
            "random": [asdict(each) for each in self.random],
            "components": [asdict(each) for each in self.components],
            "beside": [asdict(each) for each in self.beside],
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "why": self.why,
        }


@dataclass(frozen=True)
class VarianceShare:
    """One part of the variance, and its share of the whole."""

    term: str
    variance: float
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class RandomTerm:
    """A random term beside fixed systems: its variance, and whether the model needs it."""

    term: str
    variance: float
    ratio: float
    p: float


@dataclass(frozen=True)
class MixedMean:
    """A system's mean, with the standard error that it has where topics and assessors are a sample."""

    system: str
    mean: float
    error: float
    df: float


def _headline(found: Anova) -> str:
    """Which terms matter, which were not tested, and how much is left."""
    tested = [line for line in found.lines if line.why is None]
    if not tested:
        whys = [*dict.fromkeys(line.why or "" for line in found.lines)]
        reasons = [why for why in whys if not any(why.startswith(f"{each}; ") for each in whys)]
        return f"On {found.title} nothing can be tested: {'; '.join(reasons)}."
    there = [line.term for line in tested if line.p < found.alpha]
    others = [line.term for line in tested if line.term not in there]
    absent = [line.term for line in found.lines if line.why is not None]
    untested = f"; {listed(absent)} {'was' if len(absent) == 1 else 'were'} not tested" if absent else ""
    if not there:
        verb = "has" if len(others) == 1 else "have"
        return f"On {found.title} {listed(others)} {verb} no significant effect{untested}."
    left = percent(found.residual_ss / found.total_ss)
    rest = (
        f"{left} of the variation is noise"
        if found.by_residuals
        else f"the terms leave {left} of the variation"
    )
    verb = "matters" if len(there) == 1 else "matter"
    but = "; system has no significant effect" if "system" in others else ""
    return f"On {found.title} {listed(there)} {verb}{but}{untested}; {rest}."


def _line_words(found: AnovaTerm, alpha: float) -> str:
    """One term: does it matter, compared with what, and how much?"""
    from adjudge.stats.paired import p_words

    name = f"The interaction {found.term}" if ":" in found.term else found.term.capitalize()
    if found.why is not None:
        return f"{name} cannot be tested: {found.why}."
    basis = f"F({found.df}, {df_text(found.denominator_df)}) = {f_text(found.f)}, {p_words(found.p, alpha)}"
    against = f", compared with {listed(found.against)}" if found.against else ""
    if found.beyond:
        against = f", compared with what is left after {listed(found.beyond)}"
    much = f"it accounts for {percent(found.share)} of the variation"
    if found.p < alpha:
        return f"{name} matters: {basis}{against}; {much}."
    whole = " as a whole" if ":" in found.term else ""  # of its cells one may stand out
    return f"{name}{whole} has no significant effect: {basis}{against}{_out_of_reach(found, alpha)}; {much}."


def _out_of_reach(found: AnovaTerm, alpha: float) -> str:
    """What F would have had to be, where the noise has so few degrees of freedom that hardly any F is enough."""
    from scipy.special import fdtri

    if found.denominator_df >= FEWEST_DF - 0.05:  # as it is printed
        return ""
    least = float(fdtri(found.df, found.denominator_df, 1 - alpha))
    return f" (with so few degrees of freedom F would have to be above {f_text(least)}: little could have been found)"


def _for_whom(found: Anova) -> Iterator[str]:
    """Of which topics and assessors the conclusions hold."""
    single = [name for name in found.samples if found.levels[name] == 1]
    if single and any(line.why is None for line in found.lines):
        them = "them" if len(single) > 1 else "it"
        yield f"There is only one {' and one '.join(single)}: the tests hold for {them} alone."
    sampled = [name for name in found.random if name in found.samples and name not in single]
    if sampled:
        given = [name for name in found.levels if name not in found.samples and name in found.given]
        these = f", and for these {listed([f'{name}s' for name in given])} alone" if given else ""
        yield (
            f"{listed([f'{name}s' for name in sampled]).capitalize()} count as a sample: the tests hold for others"
            f" like them{these}."
        )
    for line in found.lines:
        more = [f"{name}s" for name in line.sampled if name not in found.samples]
        if more and line.why is None:
            yield f"To tell whether {line.term} matters, {listed(more)} count as a sample{' too' if sampled else ''}."


def _interaction_words(found: Interaction, alpha: float) -> str:
    """Which cells of an interaction are large."""
    sizes, large = found.sizes, found.large()
    if found.why is not None:
        return f"Which cells of {found.term} stand out is not tested: {found.why}."
    if math.isnan(sizes.limit) or not sizes.tested:
        return f"How large {found.term} is in each cell cannot be judged: there is no noise to compare with."
    rule = f"beyond {sizes.limit:.2f} standard errors, alpha {alpha:g} over {counted(sizes.tested, 'cell')}"
    if not large:
        return f"No cell of {found.term} stands out ({rule})."
    named = [f"{first} with {second} ({decimal(effect, '+.4f')})" for first, second, effect in large]
    return f"Large in {found.term}: {listed(named, most=MOST_NAMED)} ({rule})."


def _largest_words(found: Sequence[LargeResidual], alpha: float) -> list[str]:
    """The row that fits worst, and whether it is an outlier."""
    from adjudge.stats.paired import p_words

    if not found:
        return []
    first = found[0]
    others = [f"{each.where} ({each.standardised:+z.1f})" for each in found[1:]]
    then = f"; then {listed(others)}" if others else ""
    off = f"{first.where} is off most, by {first.standardised:+z.1f} standard errors"
    if math.isnan(first.p):
        return [f"{off}{then}."]
    verdict = "an outlier" if first.p < alpha else "no outlier among so many"
    return [f"{off}: {verdict} ({p_words(first.p, alpha)}, Bonferroni){then}."]


def percent(share: float) -> str:
    """`25 %`; below one per cent with a digit more; never 0 or 100 for what is not quite so."""
    if math.isnan(share):
        return "an unknown part"
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %" if share >= 0.01 or share == 0 else f"{share * 100:.1f} %"


def number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:z.6g}"


def df_text(value: float) -> str:
    """Degrees of freedom: whole ones as such, estimated ones with a digit more."""
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value - round(value)) < 1e-6 else f"{value:.1f}"


def f_text(value: float) -> str:
    """Three digits: 5.07, 37.7, 123."""
    if math.isnan(value):
        return ""
    if value >= 1e6:
        return f"{value:.3g}"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def p_text(value: float) -> str:
    """As DUC-2002's tables have it: a number, and never 0."""
    return "" if math.isnan(value) else "< .0001" if value < 0.0001 else f"{value:.4f}".removeprefix("0")


def mixed_model(
    rows: AnovaRows,
    fixed: Sequence[str],
    random: Sequence[str],
    *,
    level: float,
    resamples: int | None,
    seed: int,
) -> MixedModel:
    """Fit both models; `fixed` and `random` are terms, the system first.

    In the second the system is random, and so are its interactions. Without a number of resamples there are RESAMPLES
    where a fit is a matter of milliseconds, else none.
    """
    from adjudge.stats.linear.mixed import fixed_means, random_tests

    fit, formula = _fitted(rows, fixed, random), _formula(fixed, random)
    if fit.why is not None:
        return MixedModel(
            formula=formula,
            shares=formula,
            fixed=(),
            means=(),
            random=(),
            components=(),
            level=level,
            resamples=0,
            seed=seed,
            why=fit.why,
        )
    still = [term for term in fixed if "system" not in term.split(":")]
    terms = [*(term for term in fixed if term not in still), *random]
    whole = _fitted(rows, still, terms)
    if whole.why is not None:
        whole, still, terms = fit, list(fixed), list(random)
    quick = whole.found is not None and whole.found.quick
    chosen = resamples if resamples is not None else RESAMPLES if quick else 0
    moved = _moved(rows, terms, [term for term in fixed if term in terms])
    shares, drawn = _shares(whole, terms, level, chosen, seed, moved)
    tested = zip(random, fit.variances, random_tests(fit), strict=True)
    means = fixed_means(fit)
    # No means where an interaction has an empty cell.
    columns = zip(rows.factors["system"].levels, means.means, means.standard_errors, means.df, strict=False)
    systems = [MixedMean(system, *map(float, numbers)) for system, *numbers in columns]
    return MixedModel(
        formula=formula,
        shares=_formula(still, terms),
        fixed=tuple(term for term in still if ":" in term or len(rows.factors[term].levels) > 1),
        means=tuple(sorted(systems, key=rows.best_first)),
        random=tuple(
            RandomTerm(term=term, variance=float(variance), ratio=test.ratio, p=test.p)
            for term, variance, test in tested
        ),
        components=shares,
        level=level,
        resamples=drawn,
        seed=seed,
        notes=() if drawn else ("the shares have no intervals: nothing was resampled, see --resamples",),
    )


def _beside(
    rows: AnovaRows, terms: Sequence[str], beside: Sequence[str], samples: tuple[str, ...], mixed: bool
) -> tuple[AnovaTerm, ...]:
    """Interactions that are no terms of the table, each tested in the model with all of them."""
    from adjudge.stats.linear.anova import anova_table
    from adjudge.stats.linear.model import fit_linear

    if not beside:
        return ()
    names = list(rows.factors)
    keys = [_key(names, term) for term in [*terms, *beside]]
    try:
        fit = fit_linear(rows.values, [factor.codes for factor in rows.factors.values()], keys)
        found = anova_table(fit, ss_type=2).rows[len(terms) :]
    except UsageError:  # too large
        return ()
    lines = [_line(rows, fit, term, row, samples, 2, mixed) for term, row in zip(beside, found, strict=True)]
    return tuple(
        replace(line, beyond=() if line.against else tuple(each for each in beside if each != line.term))
        for line in lines
    )


def _formula(fixed: Sequence[str], random: Sequence[str]) -> str:
    return f"value ~ {' + '.join([*(fixed or ['1']), *(f'(1 | {term})' for term in random)])}"


def _fitted(rows: AnovaRows, fixed: Sequence[str], random: Sequence[str]) -> MixedFit:
    from adjudge.stats.linear.mixed import fit_mixed

    names = list(rows.factors)
    fit = fit_mixed(
        rows.values,
        [rows.factors[name].codes for name in names],
        fixed=[names.index(term) for term in fixed if ":" not in term],
        interactions=[_key(names, term) for term in fixed if ":" in term],
        random=[_key(names, term) for term in random],
    )
    if fit.why is None:
        return fit
    # There terms have numbers only.
    why = re.sub(r"(random term )(\d+)", lambda found: random[int(found[2]) - 1], fit.why)
    why = re.sub(
        r"random terms (\d+) and (\d+)",
        lambda found: f"{random[int(found[1]) - 1]} and {random[int(found[2]) - 1]}",
        why,
    )
    return replace(fit, why=why)


def _key(names: Sequence[str], term: str) -> tuple[int, ...]:
    return tuple(sorted(names.index(name) for name in term.split(":")))


def _moved(rows: AnovaRows, terms: Sequence[str], fixed: Sequence[str]) -> np.ndarray:
    """Which variance counts for which term where systems have interactions with factors that are no sample.

    A system's mean over A given assessors holds a part 1/A of the variance of assessor:system.
    """
    import numpy as np

    moved = np.eye(len(terms) + 1)
    for term in fixed:
        others = [name for name in term.split(":") if name != "system"]
        if others:
            part = 1 / math.prod(len(rows.factors[name].levels) for name in others)
            moved[terms.index(term), [terms.index("system"), terms.index(term)]] = part, 1 - part
    return moved


def _shares(
    fit: MixedFit, terms: list[str], level: float, resamples: int, seed: int, moved: np.ndarray
) -> tuple[tuple[VarianceShare, ...], int]:
    from adjudge.stats.linear.mixed import variance_shares

    rng = generator(seed, f"anova/{'+'.join(terms)}")
    found = variance_shares(fit, rng=rng, resamples=resamples, level=level, moved=moved)
    columns = zip([*terms, NOISE], found.variances, found.shares, found.low, found.high, strict=True)
    return tuple(VarianceShare(term, *map(float, numbers)) for term, *numbers in columns), found.resamples


def _interval(each: VarianceShare) -> str:
    if math.isnan(each.low):
        return ""
    return f" ({each.low * 100:.0f} to {each.high * 100:.0f} %)"


def _interaction(found: Interaction) -> dict[str, Any]:
    s = found.sizes
    cells = [
        {
            "first": found.first[a],
            "second": found.second[b],
            "n": int(n),
            "effect": float(effect),
            "error": float(error),
            "p": float(p),
            "large": bool(large),
        }
        for (a, b), n, effect, error, p, large in zip(
            s.cells.tolist(), s.n, s.effects, s.standard_errors, s.p, s.large, strict=True
        )
    ]
    return {"term": found.term, "limit": s.limit, "why": found.why, "cells": cells}


def _terms(factors: Sequence[str], interactions: bool, random: Sequence[str]) -> list[str]:
    """The terms of the table; random factors are among its factors."""
    added = [name for term in random for name in term.split(":") if name not in factors]
    terms = [_ordered(name) for name in dict.fromkeys([*factors, *added])]
    for term in terms:
        if term.count(":") > 1:
            raise UsageError(f"{quoted(term)}: only interactions of two factors can be had")
        absent = [name for name in term.split(":") if name not in terms]
        if absent:
            raise UsageError(f"{quoted(term)} needs {quoted(absent[0])} among the factors too")
    if interactions:
        crossed = [name for name in REPEATED if name in terms]
        if len(crossed) < 2:
            raise UsageError("interactions need two of assessor, system and topic among the factors")
        terms += [f"{a}:{b}" for a, b in combinations(crossed, 2) if f"{a}:{b}" not in terms]
    if len(set(terms)) < len(terms):
        raise UsageError(f"a term is there twice: {', '.join(terms)}")
    return terms


def _ordered(term: str) -> str:
    """An interaction's factors in one order, so that topic:system is system:topic."""
    return ":".join(sorted(term.split(":"))) if ":" in term else term


def _check_ordinal(**options: Any) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(
            f"{listed(given)}: of the linear model alone; in the ordinal one the system is fixed, topics and assessors"
            " are a sample"
        )


def _check_fixed(terms: Sequence[str], random: Sequence[str]) -> None:
    if "system" in random or "system" not in terms:
        raise UsageError("in a mixed model the system is a fixed factor: it cannot be random or left out")


def _units(terms: Sequence[str]) -> list[str]:
    """What must be among the terms for others to be compared with: topics within types, systems within kinds.

    Rows of one topic, or of one system, are not independent of each other, so that a factor that gives them several
    rows needs both.
    """
    several = any(name in terms for name in SEVERAL_ROWS)
    needed = {
        "topic": several or any(name in terms for name in OF_TOPICS),
        "system": several or "kind" in terms,
    }
    return [name for name, is_needed in needed.items() if is_needed and name not in terms]


def _samples(rows: AnovaRows, terms: Sequence[str], random: Sequence[str]) -> tuple[str, ...]:
    """The factors whose levels are a sample: those named as random, or topics, assessors, references, authors."""
    chosen = {name for term in random for name in term.split(":") if name != "system"} or set(SAMPLED)
    if "topic" in chosen and "topic" not in terms:  # a set is a topic
        chosen.add("set")
    return tuple(name for name in rows.factors if name in chosen)


def _given(rows: AnovaRows, terms: Sequence[str], samples: Sequence[str]) -> tuple[str, ...]:
    """Factors of rows that might be a sample, and factors within others, that count as no sample."""
    from adjudge.stats.linear.model import make_term, within

    known = {name: make_term([rows.factors[name].codes], (0,)) for name in rows.factors if name in terms}
    inside = {
        name
        for name, term in known.items()
        if name != "system" and any(each.size < term.size and within(each, term) for each in known.values())
    }
    return tuple(name for name in known if name not in samples and (name in SAMPLED or name in inside))


def _mixed_terms(found: Anova, rows: AnovaRows, random: Sequence[str]) -> tuple[list[str], list[str]]:
    """Fixed terms, the system first and interactions last, and the random terms that the design identifies."""
    from adjudge.stats.linear.error_terms import model_terms

    names = list(rows.factors)
    design = model_terms(found.fit.model, [names.index(name) for name in found.samples])
    chosen, added = (_named(names, keys) for keys in (design.random, design.added))
    fixed = [*(line.term for line in found.lines if line.term not in chosen), *added]
    first = [_ordered(term) for term in random if _ordered(term) in chosen]
    return sorted(fixed, key=lambda term: (":" in term, term != "system")), [
        *dict.fromkeys([*first, *chosen])
    ]


def _named(names: Sequence[str], keys: Iterable[tuple[int, ...]]) -> tuple[str, ...]:
    return tuple(":".join(names[f] for f in key) for key in keys)


def _check_replicates(rows: AnovaRows, term: str) -> None:
    """An interaction needs cells with several rows: else it is the noise itself."""
    import numpy as np

    if ":" not in term:
        return
    codes = np.column_stack([rows.factors[name].codes for name in term.split(":")])
    if np.unique(codes, axis=0).shape[0] == rows.n:
        raise UsageError(
            f"{term} cannot be separated from the noise: no {term.replace(':', ' and ')} has more than one score;"
            " it takes judgments that are repeated, several times or by assessors that are a factor too"
        )


def _analysed(
    rows: AnovaRows,
    terms: list[str],
    ss_type: Literal[1, 2, 3] | None,
    alpha: float,
    samples: tuple[str, ...],
    mixed: bool,
) -> Anova:
    from adjudge.stats.linear.anova import anova_table, residual_checks
    from adjudge.stats.linear.model import fit_linear

    names = list(rows.factors)
    keys = [_key(names, term) for term in terms]
    fit = fit_linear(rows.values, [rows.factors[name].codes for name in names], keys)
    if not fit.residual_df and any(":" in term for term in terms):
        raise UsageError(f"{' + '.join(terms)}: {fit.why}; leave out an interaction")
    shared = _shared(rows, terms)
    chosen: Literal[1, 2, 3] = ss_type or (2 if shared else 1)
    found = anova_table(fit, ss_type=chosen)
    lines = tuple(
        _line(rows, fit, term, row, samples, chosen, mixed)
        for term, row in zip(terms, found.rows, strict=True)
    )
    over = "system" if "system" in names else names[0]
    checks = residual_checks(fit, rows.factors[over].codes)
    return Anova(
        info=rows.info,
        length=rows.length,
        form=rows.form,
        chosen_form=rows.chosen_form,
        lines=lines,
        residual_df=found.residual_df,
        residual_ss=found.residual_ss,
        residual_ms=found.residual_ms,
        total_ss=found.total_ss,
        ss_type=chosen,
        n=rows.n,
        levels={name: len(factor.levels) for name, factor in rows.factors.items()},
        means=_means(rows, fit),
        interactions=_interactions(rows, fit, lines, alpha),
        checks=checks,
        spread_over=over,
        largest=_largest(rows, checks),
        components=None,
        notes=(
            *rows.notes,
            *_order_matters(shared, terms, chosen),
            *_few(rows, lines),
            *_single(rows),
            *_parts(rows),
        ),
        alpha=alpha,
        samples=samples,
        given=_given(rows, terms, samples),
        fit=fit,
        factors=rows.factors,
    )


def _line(
    rows: AnovaRows,
    fit: LinearFit,
    term: str,
    row: AnovaRow,
    samples: Sequence[str],
    ss_type: Literal[1, 2, 3],
    mixed: bool,
) -> AnovaTerm:
    """A term with the test that is right for it; where the mixed model was asked for, it is what tests fixed terms."""
    from adjudge.stats.linear.error_terms import term_test

    names = list(rows.factors)
    line = AnovaTerm(
        term=term,
        df=row.df,
        ss=row.ss,
        ms=row.ms,
        f=row.f,
        denominator_df=math.nan if row.why else fit.residual_df,
        p=row.p,
        share=row.share,
        against=(),
        method=RESIDUALS,
        residual_f=row.f,
        residual_p=row.p,
        why=row.why,
    )
    if not fit.total_ss:
        return line
    if (alone := _alone(rows, term)) is not None:
        return _untested(line, alone)
    if not row.df:
        return line
    sampled = [names.index(name) for name in samples]
    always = mixed and not set(sampled) & set(row.term)
    test = term_test(fit.model, row.term, sampled=sampled, ss_type=ss_type, always=always)
    return line if test is None else _tested(line, names, test)


def _tested(line: AnovaTerm, names: Sequence[str], test: TermTest) -> AnovaTerm:
    why = test.why and (line.why or test.why)  # the reason that holds for every term, where there is one
    if why and not line.why and "assessor" in names and line.term == "system":
        why += "; with system and topic as the only factors, the judgments of a summary are averaged"
    return replace(
        line,
        f=test.f,
        denominator_df=test.denominator_df,
        p=test.p,
        against=_named(names, test.errors),
        method=test.method,
        sampled=tuple(
            names[f] for f in sorted({f for key in test.random for f in key if (f,) in test.random})
        ),
        beyond=() if test.errors else _named(names, test.added),
        why=why,
    )


def _untested(line: AnovaTerm, why: str) -> AnovaTerm:
    nan = math.nan
    return replace(line, f=nan, denominator_df=nan, p=nan, residual_f=nan, residual_p=nan, why=why)


def _alone(rows: AnovaRows, term: str) -> str | None:
    """Why a factor cannot be tested that has one level, or whose levels have but one topic or system each."""
    single = [name for name in term.split(":") if len(rows.factors[name].levels) == 1]
    if single:
        return f"there is only one {single[0]}"
    unit = "topic" if term in OF_TOPICS else "system" if term == "kind" else None
    if unit is None or unit not in rows.factors or not rows.same(term, unit):
        return None
    return None if term == "set" else f"every {term} has one {unit}, so that the two cannot be told apart"


def _freedom(rows: AnovaRows, term: str, lines: Sequence[AnovaTerm]) -> int:
    """Degrees of freedom of an error term: its own in the table, as of systems within kinds, or those of its levels."""
    known = [line.df for line in lines if line.term == term]
    return known[0] if known else math.prod(len(rows.factors[name].levels) - 1 for name in term.split(":"))


def _single(rows: AnovaRows) -> list[str]:
    """Levels about which one score says everything."""
    import numpy as np

    found = []
    for name, factor in rows.factors.items():
        counts = np.bincount(factor.codes, minlength=len(factor.levels))
        once = [level for level, n in zip(factor.levels, counts, strict=True) if n == 1]
        if once and rows.n > len(counts):
            found.append(f"{counted(len(once), name)} with a single score: {listed(once)}")
    return found


def _parts(rows: AnovaRows) -> list[str]:
    """Where no chain of common topics joins all systems: each part is compared within itself."""
    if "system" not in rows.factors or "topic" not in rows.factors:
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    system, topic = rows.factors["system"], rows.factors["topic"]
    size = len(system.levels) + len(topic.levels)
    links = coo_array(([True] * rows.n, (system.codes, topic.codes + len(system.levels))), shape=(size, size))
    parts, _ = connected_components(links, directed=False)
    if parts < 2:
        return []
    return [
        f"no chain of common topics joins all systems: they are compared within {parts} parts, and nothing is said"
        " across them"
    ]


def _few(rows: AnovaRows, lines: Sequence[AnovaTerm]) -> list[str]:
    """Where an error term of several has so few degrees of freedom that the test errs more often than it says."""
    found = []
    for line in lines:
        if line.why is not None or line.method == "stratum" or len(line.against) < 2:
            continue
        free = {each: _freedom(rows, each, lines) for each in line.against}
        least = min(free, key=lambda each: free[each])
        if free[least] < FEW_DF:
            found.append(
                f"{line.term}: {least} has {counted(free[least], 'degree')} of freedom; with so few the test at 5 %"
                " finds something in up to 13 of 100 cases where there is nothing"
            )
    return found


def _means(rows: AnovaRows, fit: LinearFit) -> tuple[AdjustedMean, ...]:
    from adjudge.stats.linear.anova import adjusted_means

    names = list(rows.factors)
    if "system" not in names:
        return ()
    found = adjusted_means(fit, names.index("system"))
    errors = found.covariance.diagonal() ** 0.5
    means = [
        AdjustedMean(system, int(found.n[k]), float(found.means[k]), float(errors[k]), found.why.get(k))
        for k, system in enumerate(rows.factors["system"].levels)
    ]
    return tuple(sorted(means, key=rows.best_first))


def _interactions(
    rows: AnovaRows, fit: LinearFit, lines: Sequence[AnovaTerm], alpha: float
) -> tuple[Interaction, ...]:
    names = list(rows.factors)
    return tuple(_interaction_sizes(rows, names, fit, line, alpha) for line in lines if ":" in line.term)


def _interaction_sizes(
    rows: AnovaRows, names: Sequence[str], fit: LinearFit, line: AnovaTerm, alpha: float
) -> Interaction:
    """The sizes of an interaction; its cells are compared with what the interaction is compared with, or not tested."""
    from adjudge.stats.linear.anova import interaction_effects, without_test
    from adjudge.stats.linear.model import fit_linear

    key, model = _key(names, line.term), fit.model
    if line.beyond:
        fit = fit_linear(
            model.scores, model.factors, [*model.keys, *(_key(names, term) for term in line.beyond)]
        )
    sizes = interaction_effects(fit, key, alpha=alpha)
    why = (
        f"the interaction is compared with {listed(line.against)}, not with the residuals"
        if line.against
        else None
    )
    first, second = (rows.factors[names[f]].levels for f in key)
    return Interaction(line.term, first, second, without_test(sizes) if why else sizes, why)


def _largest(rows: AnovaRows, checks: ResidualChecks) -> tuple[LargeResidual, ...]:
    columns = zip(checks.largest, checks.standardised, checks.outlier_p, strict=True)
    return tuple(LargeResidual(rows.where(int(row)), float(size), float(p)) for row, size, p in columns)


def _shared(rows: AnovaRows, terms: Sequence[str]) -> list[str]:
    """Factors that share some of the variation, so that the types of sums of squares differ: their counts are not
    proportional, or the coarser one comes after the finer one.
    """
    import numpy as np

    from adjudge.stats.linear.model import crossed, make_term, within

    found = []
    for first, second in combinations([term for term in terms if ":" not in term], 2):
        one, other = (make_term([rows.factors[name].codes], (0,)) for name in (first, second))
        if within(one, other):
            continue
        counts = crossed(one, other).toarray()
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows.n
        if np.abs(counts - expected).max() > 1e-9 * rows.n:
            found.append(f"{first} with {second}")
    return found


def _order_matters(shared: Sequence[str], terms: Sequence[str], ss_type: int) -> list[str]:
    if not shared:
        return []
    if ss_type == 1:
        order = listed(terms, most=len(terms))
        return [f"unbalanced ({listed(shared)}): type I takes each term after those before it: {order}"]
    return [
        f"unbalanced ({listed(shared)}): type {'I' * ss_type}, each term after"
        f" {'all others' if ss_type == 3 else 'those that do not contain it'}"
    ]
