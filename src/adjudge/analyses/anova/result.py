"""Analysis of variance: which factors matter, and how much of the variation each accounts for.

Over and Liggett 2002. Rows and their factors are made in factors.py; the mathematics is in stats/linear/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from adjudge.analyses.anova import Anova
from adjudge.analyses.anova.factors import (
    OF_TOPICS,
    AnovaRows,
    Factor,
    RowsResult,
    build,
    ordered,
    part_of_assessors,
)
from adjudge.analyses.anova.words import NOISE, df_text, f_text, reason
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, quoted
from adjudge.core.results import Note
from adjudge.core.table import Column, Table, hidden
from adjudge.core.words import counted, decimal, p_number, percent

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from adjudge.stats.linear.anova import AnovaRow, InteractionEffects, ResidualCheck, ResidualChecks
    from adjudge.stats.linear.model import LinearFit

SumOfSquares = Literal[1, 2, 3]
RESAMPLES = 500
NUMBERS = (
    "ss",
    "ms",
    "f",
    "p",
    "share",
    "why",
    "denominator_df",
    "against",
    "method",
    "residual_f",
    "residual_p",
)
"""Of a term, as data."""
LEVEL = 0.95
REPEATED = ("assessor", "system", "topic")  # what interactions=True crosses, in DUC-2002's order
SAMPLED = ("topic", "assessor", "reference", "author", "repeat")
"""Factors whose levels are a sample: others might have been drawn."""

SEVERAL_ROWS = ("assessor", "length", "form", "reference", "repeat", "author")
"""Factors that give a summary, or a topic and a system, several rows."""

RESIDUALS = "residuals"
FEW_DF = 4
"""Below so many degrees of freedom of an error term, the test of several at once errs too often."""


def analyse(scores: Scores, asked: Anova) -> AnovaResult:
    """The analysis of one measure's variation.

    Factors are system and topic, and assessor before them where judgments are repeated, unless others are named, in
    the order that type I takes them.
    """
    from adjudge.stats.linear.anova import anova_table, residual_checks
    from adjudge.stats.linear.model import fit_linear

    measure = scores.resolve(asked.measure)
    rows, terms, added = _design(scores, measure, asked)
    fit = fit_linear(rows.values, rows.codes, [rows.key(term) for term in terms])
    if not fit.residual_df and any(":" in term for term in terms):
        raise UsageError(f"{' + '.join(terms)}: {reason(fit.why)}; leave out an interaction")
    shared = _shared(rows, terms)
    ss_type = cast("SumOfSquares", asked.ss_type or (2 if shared else 1))
    table = anova_table(fit, ss_type=ss_type)
    model = _Model(rows, fit, _samples(rows, terms, asked), ss_type, always=bool(asked.random))
    lines = tuple(model.line(term, row) for term, row in zip(terms, table.rows, strict=True))
    fixed, crossed = _mixed_terms(model, terms, asked)
    beside = _beside(model, terms, [term for term in [*fixed, *crossed] if ":" in term and term not in terms])
    over = "system" if "system" in rows.factors else next(iter(rows.factors))
    checks = residual_checks(fit, rows.factors[over].codes, rng=generator(asked.seed, "anova/checks"))
    largest = zip(checks.largest, checks.standardised, checks.outlier_p, strict=True)
    notes = [*rows.notes, *_unlisted(rows, terms), *_rough(rows, terms, lines, shared, ss_type)]
    notes += [Note.of("terms-added", terms=added)] if added else []
    return AnovaResult(
        asked=asked,
        about_scores=scores.unsaid_notes(measure),
        info=rows.info,
        length=rows.length,
        form=rows.form,
        lines=lines,
        residual_df=table.residual_df,
        residual_ss=table.residual_ss,
        residual_ms=table.residual_ms,
        total_ss=table.total_ss,
        ss_type=ss_type,
        n=rows.n,
        levels={name: len(factor.levels) for name, factor in rows.factors.items()},
        means=_means(rows, fit),
        interactions=tuple(
            _interaction_sizes(model, line, asked.alpha) for line in lines if ":" in line.term
        ),
        checks=checks,
        spread_over=over,
        largest=tuple(LargeResidual(rows.where(int(row)), float(size), float(p)) for row, size, p in largest),
        components=_mixed_model(rows, fixed, crossed, asked, beside) if asked.random else None,
        told=tuple(notes),
        samples=model.samples,
        not_sampled=_given(rows, model.samples),
        fit=fit,
        beside=beside,
        factors=rows.factors,
    )


def _design(scores: Scores, measure: str, asked: Anova) -> tuple[AnovaRows, list[str], list[str]]:
    """The rows, the terms, and which of these were added for others to be compared with.

    Topics are added to their types, systems to their kinds. Rows of one topic, or of one system, are not independent of
    each other, so that a factor that gives them several rows needs both.
    """
    import numpy as np

    part = part_of_assessors(scores, measure, [*asked.factors, *asked.random], asked)
    usual = ["assessor", "system", "topic"] if part in ("a term", "a term, repeated") else ["system", "topic"]
    named = _terms(asked, asked.factors or usual)
    if asked.random and ("system" in asked.random or "system" not in named):
        raise UsageError("in a mixed model the system is a fixed factor: it cannot be random or left out")
    several = any(name in named for name in SEVERAL_ROWS)
    needed = {
        "topic": several or any(name in named for name in OF_TOPICS),
        "system": several or "kind" in named,
    }
    added = [name for name, is_needed in needed.items() if is_needed and name not in named]
    # In one order, so that an interaction's first factor is the first in its name.
    names = sorted({name for term in [*named, *added] for name in term.split(":")})
    no_term = "assessor" not in names and "system" in names and part in ("a term", "in the error")
    rows = build(
        scores,
        measure,
        sorted([*names, "assessor"]) if no_term else names,
        asked,
        repeats=any(":" in term for term in [*named, *added, *asked.random]),
        average_humans=asked.average_humans,
    )
    if no_term and any(rows.same("assessor", name) for name in names if name != "system"):
        del rows.factors["assessor"]  # who selected the topics judged them
    if "topic" in names and "topic" not in asked.factors and "set" in named and rows.same("set", "topic"):
        named, added = (
            [name for name in some if name != "topic"] for some in (named, added)
        )  # a set is a topic
    terms = [*named, *added]
    for term in terms:
        codes = np.column_stack([rows.factors[name].codes for name in term.split(":")])
        if ":" in term and np.unique(codes, axis=0).shape[0] == rows.n:
            raise UsageError(
                f"{term} cannot be separated from the noise: no {term.replace(':', ' and ')} has more than one score;"
                " it takes judgments that are repeated, several times or by assessors that are a factor too"
            )
    return rows, terms, added


@dataclass(frozen=True, repr=False, kw_only=True)
class AnovaResult(RowsResult):
    """An analysis of variance. `fit` keeps the model, its residuals and their mean square for what comes after."""

    FIGURES: ClassVar[Mapping[str, str]] = {"interaction": "adjudge.analyses.anova.figures:interaction"}
    IN_JSON: ClassVar[tuple[str, ...]] = ("beside", "means", "cells", "largest")

    asked: Anova
    lines: tuple[AnovaTerm, ...]
    residual_df: int
    residual_ss: float
    residual_ms: float
    total_ss: float
    ss_type: SumOfSquares
    levels: dict[str, int]
    """How many levels each factor has."""
    means: tuple[AdjustedMean, ...]
    """Of the systems, the best first."""
    interactions: tuple[Interaction, ...]
    checks: ResidualChecks
    spread_over: str
    """The factor between whose levels the noise is compared: the system, where it is one."""
    largest: tuple[LargeResidual, ...]
    components: MixedModel | None = None
    """The mixed model, where random factors were asked for."""
    samples: tuple[str, ...]
    """The factors whose levels are a sample in every test."""
    not_sampled: tuple[str, ...]
    """Factors whose levels might be a sample and are none: assessors, or who selected the topics of a type."""
    fit: LinearFit = field(repr=False, compare=False)
    beside: tuple[AnovaTerm, ...] = ()
    """Tests of the interactions that are in the model and not in the table, each after all others."""
    factors: Mapping[str, Factor] = field(default_factory=dict, repr=False, compare=False)
    """Every factor's level on each row."""

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

    def how(self) -> str:
        length = f"|length:{self.length}" if self.length else ""
        terms = "+".join(line.term for line in self.lines)
        mixed = f"|{self.components.signature}" if self.components else ""
        against = [f"{line.term}/{'+'.join(line.against)}" for line in self.lines if line.against]
        errors = f"|errors:{','.join(against)}" if against else ""
        return (
            f"{self.info.signature or self.measure}{length}|rows:{self.n}|anova:type-{'I' * self.ss_type}:{terms}"
            f"{errors}|alpha:{self.alpha:g}{mixed}"
        )

    def notes(self) -> Iterator[Note]:
        yield from self.told
        if self.components is not None and self.components.why is None and not self.components.resamples:
            yield Note.of("shares-without-intervals")

    def tables(self) -> Iterator[Table]:
        """The terms, the residuals last; sizes of interactions; parts of the variance; F against the residuals."""
        levels = ", ".join(counted(n, name) for name, n in self.levels.items())
        otherwise: Literal["always", "never"] = "never" if self.by_residuals else "always"
        yield Table(
            name="anova",
            columns=(
                Column("measure", show="never"),
                Column("term", "", right=False),
                Column("df"),
                Column("ss", "sum of squares", data=False, right=True),
                Column("ms", "mean square", data=False, right=True),
                Column("F", "F", data=False, right=True),
                Column("df2", "df of noise", data=False, right=True, show=otherwise),
                Column("p", "p", data=False, right=True),
                Column("share", "share", data=False, right=True),
                Column("error", "compared with", data=False, show=otherwise),
                *(Column(name, show="never") for name in NUMBERS),
            ),
            rows=tuple(
                (
                    self.measure,
                    row["term"],
                    row["df"],
                    number(row["ss"]),
                    number(row["ms"]),
                    f_text(row["f"]),
                    df_text(row["denominator_df"]),
                    p_number(row["p"]),
                    "" if row["share"] != row["share"] else percent(row["share"]),
                    row["against"].replace("+", ", ") if row["f"] == row["f"] else "",
                    *(row[name] for name in NUMBERS),
                )
                for row in (*map(_row, self.lines), self._residuals())
            ),
            title=f"{self.heading} ({counted(self.n, 'row')}: {levels})",
        )
        if self.asked.sizes:
            yield from (interaction.table() for interaction in self.interactions)
        if self.components is not None and self.components.components:
            yield self.components.table()
        if not self.by_residuals and any(not math.isnan(line.residual_f) for line in self.lines):
            yield Table(
                name="anova-residuals",
                columns=(
                    Column("term", "", right=False),
                    Column("residual_f", "F", data=False, right=True),
                    Column("residual_p", "p", data=False, right=True),
                ),
                rows=tuple(
                    (line.term, f_text(line.residual_f), p_number(line.residual_p)) for line in self.lines
                ),
                title=f"F against the residuals ({self.residual_df:,} df), every factor fixed, as DUC-2002 printed it",
            )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Interactions beside the table; systems' means; every cell of interactions; the largest residuals."""
        beside = [
            (self.measure, row["term"], row["df"], *(row[name] for name in NUMBERS))
            for row in map(_row, self.beside)
        ]
        cells = [row for interaction in self.interactions for row in interaction.rows()]
        means = [tuple(_with_reason(mean).values()) for mean in self.means]
        return {
            **({"components": self.components.table} if self.components else {}),
            "beside": partial(_plain, "beside", ("measure", "term", "df", *NUMBERS), beside),
            "means": partial(_plain, "means", ["system", "n", "mean", "error", "why"], means),
            "cells": partial(
                _plain, "cells", ["term", "first", "second", "n", "effect", "error", "p", "large"], cells
            ),
            "largest": partial(_plain, "largest", ["where", "standardised", "p"], map(astuple, self.largest)),
        }

    def cell_means(self, by: str) -> pd.DataFrame:
        """The mean score of every system at every level of another factor; cells without scores are left out.

        `departure` is what a mean has beyond its system's and its level's effect in the table of means: all are 0
        where lines of systems are parallel.
        """
        import pandas as pd

        from adjudge.stats.linear.model import fit_two_way

        for name in ("system", by):
            if name not in self.factors:
                others = ", ".join(name for name in self.factors if name != "system")
                raise UsageError(f"no factor {quoted(name)} in this analysis; it has: {others or 'no other'}")
        if by == "system":
            raise UsageError("systems are drawn at the levels of another factor, not of their own")
        columns = {
            name: [self.factors[name].levels[code] for code in self.factors[name].codes]
            for name in ("system", by)
        }
        rows = pd.DataFrame({**columns, "value": self.fit.model.scores})
        cells = rows.groupby(["system", by], sort=False)["value"].agg(["mean", "size"]).reset_index()
        wide = cells.pivot(index="system", columns=by, values="mean")
        fitted = pd.DataFrame(
            fit_two_way(wide.to_numpy()).fitted.reshape(wide.shape), index=wide.index, columns=wide.columns
        )
        cells["departure"] = [
            mean - fitted.at[system, level]
            for system, level, mean in zip(cells["system"], cells[by], cells["mean"], strict=True)
        ]
        return cells.rename(columns={"size": "n"})

    def _residuals(self) -> dict[str, Any]:
        """The last row of the table."""
        nan = math.nan
        return {
            "term": RESIDUALS,
            "df": self.residual_df,
            "ss": self.residual_ss,
            "ms": self.residual_ms,
            **dict.fromkeys(("f", "denominator_df", "p", "residual_f", "residual_p"), nan),
            "share": self.residual_ss / self.total_ss if self.total_ss else nan,
            **dict.fromkeys(("against", "method", "why")),
        }

    def facts(self) -> dict[str, Any]:
        checks = self.checks
        return {
            "measure": self.measure,
            "better": self.info.better,
            "length": self.length,
            "form": self.form,
            "rows": self.n,
            "levels": self.levels,
            "ss_type": self.ss_type,
            "random": self.random,
            "residuals": {
                **{name: _with_reason(getattr(checks, name)) for name in ("normal", "spread", "additive")},
                "skewness": checks.skewness,
                "kurtosis": checks.kurtosis,
            },
            "components": _with_reason(self.components) if self.components else None,
        }


def _plain(name: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Table:
    return Table(name=name, columns=tuple(map(Column, columns)), rows=tuple(rows))


def _with_reason(of: ResidualCheck | MixedModel | AnovaTerm | AdjustedMean) -> dict[str, Any]:
    """The fields of something that says why it is not there, in words."""
    return {**asdict(of), "why": reason(of.why)}


def _row(line: AnovaTerm) -> dict[str, Any]:
    return {**_with_reason(line), "against": "+".join(line.against) or line.noise}


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
    why: Note | None = None
    averaging_helps: bool = False
    """Whether it could be tested if the judgments of a summary were averaged."""

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
    why: Note | None = None


@dataclass(frozen=True)
class Interaction:
    """The sizes of one interaction: weighted effects, a row for every cell with scores."""

    term: str
    first: tuple[str, ...]
    """Levels of the first factor."""
    second: tuple[str, ...]
    sizes: InteractionEffects
    against: tuple[str, ...] = ()
    """What it is compared with where that is not the residuals; its cells are then not tested."""

    def table(self) -> Table:
        """As DUC-2002 prints it: levels of the first factor in rows, of the second in columns."""
        import numpy as np

        sizes = self.sizes.table()
        least = 1e-12 * np.nanmax(np.abs(sizes), initial=0.0)
        return Table(
            name=f"sizes-{self.term}",
            columns=(
                Column("level", self.term, right=False),
                *(Column(level, right=True) for level in self.second),
            ),
            rows=tuple(
                (name, *("" if cell != cell else decimal(cell if abs(cell) > least else 0.0) for cell in row))
                for name, row in zip(self.first, sizes.tolist(), strict=True)
            ),
            title=f"Sizes of {self.term}",
        )

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Of every cell: its levels, scores, effect and its error, p, and whether it is large."""
        sizes = self.sizes
        arrays = (sizes.n, sizes.effects, sizes.standard_errors, sizes.p, sizes.large)
        numbers = zip(*(array.tolist() for array in arrays), strict=True)
        for (a, b), row in zip(sizes.cells.tolist(), numbers, strict=True):
            yield (self.term, self.first[a], self.second[b], *row)

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


@dataclass(frozen=True, kw_only=True)
class MixedModel:
    """Two fits by REML: systems fixed, for their means; everything random, for the shares.

    `components` hold the shares of the second, the noise last. Where a model cannot be fitted, `why` says why.
    """

    formula: str
    shares: str
    """The formula of the second fit; that of the first where there is no second."""
    fixed: tuple[str, ...] = ()
    """The terms that are fixed there, whose part of the variation is no variance."""
    means: tuple[MixedMean, ...] = ()
    random: tuple[RandomTerm, ...] = ()
    components: tuple[VarianceShare, ...] = ()
    level: float = LEVEL
    resamples: int = 0
    seed: int
    why: Note | None = None
    beside: tuple[AnovaTerm, ...] = ()
    """Tests of the interactions that are in the model and not in the table, each after all others."""

    @property
    def signature(self) -> str:
        interval = f"|shares:parametric-bootstrap:{self.level:g}:{self.resamples}|seed:{self.seed}"
        return f"reml:{self.formula.replace(' ', '')}{interval if self.resamples else ''}"

    def table(self) -> Table:
        """The parts of the variance."""
        rows = [
            {
                **vars(part),
                "part": percent(part.share),
                "interval": None if part.low != part.low else f"{part.low:.1%} to {part.high:.1%}",
            }
            for part in self.components
        ]
        return Table.of(
            "components",
            rows,
            Column("term", "variance of", right=False),
            Column("variance", "estimate", format=".6g"),
            Column("part", "share", data=False, right=True),
            *hidden("share low high"),
            Column("interval", f"{self.level:.0%} interval", data=False, right=False),
            title=f"Variances by REML: {self.shares}",
        )


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


def number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:z.6g}"


def _mixed_model(
    rows: AnovaRows, fixed: list[str], random: list[str], asked: Anova, beside: tuple[AnovaTerm, ...]
) -> MixedModel:
    """Fit both models; `fixed` and `random` are terms, the system first.

    In the second the system is random, and so are its interactions. Without a number of resamples there are RESAMPLES
    where a fit is a matter of milliseconds, else none.
    """
    from adjudge.stats.linear.mixed import fixed_means, random_tests, variance_shares

    def formula(still: Sequence[str], sampled: Sequence[str]) -> str:
        return f"value ~ {' + '.join([*(still or ['1']), *(f'(1 | {term})' for term in sampled)])}"

    fit = rows.mixed(fixed, random)
    model = MixedModel(
        formula=formula(fixed, random),
        shares=formula(fixed, random),
        seed=asked.seed,
        why=fit.why,
        beside=beside,
    )
    if fit.why is not None:
        return model
    still = [term for term in fixed if "system" not in term.split(":")]
    terms = [*(term for term in fixed if term not in still), *random]
    whole = rows.mixed(still, terms)
    if whole.why is not None:
        whole, still, terms = fit, fixed, random
    quick = whole.estimate is not None and whole.estimate.quick
    parts = variance_shares(
        whole,
        rng=generator(asked.seed, f"anova/{'+'.join(terms)}"),
        resamples=asked.resamples if asked.resamples is not None else RESAMPLES if quick else 0,
        level=LEVEL,
        moved=_moved(rows, terms, [term for term in fixed if term in terms]),
    )
    components = zip([*terms, NOISE], parts.variances, parts.shares, parts.low, parts.high, strict=True)
    means = fixed_means(fit)
    # No means where an interaction has an empty cell.
    columns = zip(rows.factors["system"].levels, means.means, means.standard_errors, means.df, strict=False)
    systems = [MixedMean(system, *map(float, numbers)) for system, *numbers in columns]
    tested = zip(random, fit.variances, random_tests(fit), strict=True)
    return replace(
        model,
        shares=formula(still, terms),
        fixed=tuple(term for term in still if ":" in term or len(rows.factors[term].levels) > 1),
        means=tuple(sorted(systems, key=rows.best_first)),
        random=tuple(
            RandomTerm(term, float(variance), test.ratio, test.p) for term, variance, test in tested
        ),
        components=tuple(VarianceShare(term, *map(float, numbers)) for term, *numbers in components),
        resamples=parts.resamples,
    )


def _beside(model: _Model, terms: Sequence[str], beside: Sequence[str]) -> tuple[AnovaTerm, ...]:
    """Interactions that are no terms of the table, each tested in the model with all of them."""
    from adjudge.stats.linear.anova import anova_table
    from adjudge.stats.linear.model import fit_linear

    if not beside:
        return ()
    rows = model.rows
    try:
        fit = fit_linear(rows.values, rows.codes, [rows.key(term) for term in [*terms, *beside]])
        table_rows = anova_table(fit, ss_type=2).rows[len(terms) :]
    except UsageError:  # too large
        return ()
    larger = replace(model, fit=fit, ss_type=2)
    lines = [larger.line(term, row) for term, row in zip(beside, table_rows, strict=True)]
    return tuple(
        replace(line, beyond=() if line.against else tuple(other for other in beside if other != line.term))
        for line in lines
    )


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


def _terms(asked: Anova, factors: Sequence[str]) -> list[str]:
    """The terms of the table; random factors are among its factors."""
    added = [name for term in asked.random for name in term.split(":") if name not in factors]
    terms = [ordered(name) for name in dict.fromkeys([*factors, *added])]
    for term in terms:
        if term.count(":") > 1:
            raise UsageError(f"{quoted(term)}: only interactions of two factors can be had")
        absent = [name for name in term.split(":") if name not in terms]
        if absent:
            raise UsageError(f"{quoted(term)} needs {quoted(absent[0])} among the factors too")
    if asked.interactions:
        crossed = [name for name in REPEATED if name in terms]
        if len(crossed) < 2:
            raise UsageError("interactions need two of assessor, system and topic among the factors")
        terms += [f"{a}:{b}" for a, b in combinations(crossed, 2) if f"{a}:{b}" not in terms]
    if len(set(terms)) < len(terms):
        raise UsageError(f"a term is there twice: {', '.join(terms)}")
    return terms


def _samples(rows: AnovaRows, terms: Sequence[str], asked: Anova) -> tuple[str, ...]:
    """The factors whose levels are a sample: those named as random, or topics, assessors, references, authors."""
    chosen = {name for term in asked.random for name in term.split(":") if name != "system"} or set(SAMPLED)
    if "topic" in chosen and "topic" not in terms:  # a set is a topic
        chosen.add("set")
    return tuple(name for name in rows.factors if name in chosen)


def _given(rows: AnovaRows, samples: Sequence[str]) -> tuple[str, ...]:
    """Factors of rows that might be a sample, and factors within others, that count as no sample."""
    from adjudge.stats.linear.model import make_term, within

    made_terms = {name: make_term([rows.factors[name].codes], (0,)) for name in rows.factors}
    inside = {
        name
        for name, term in made_terms.items()
        if name != "system"
        and any(other.size < term.size and within(other, term) for other in made_terms.values())
    }
    return tuple(name for name in made_terms if name not in samples and (name in SAMPLED or name in inside))


def _mixed_terms(model: _Model, terms: Sequence[str], asked: Anova) -> tuple[list[str], list[str]]:
    """Fixed terms, the system first and interactions last, and the random terms that the design identifies."""
    from adjudge.stats.linear.error_terms import model_terms

    design = model_terms(model.fit.model, model.sampled)
    chosen, added = model.rows.named(design.random), model.rows.named(design.added)
    fixed = [*(term for term in terms if term not in chosen), *added]
    first = [term for term in map(ordered, asked.random or model.samples) if term in chosen]
    fixed.sort(key=lambda term: (":" in term, term != "system"))
    return fixed, [*dict.fromkeys([*first, *chosen])]


def _unlisted(rows: AnovaRows, terms: Sequence[str]) -> Iterator[Note]:
    """That assessors are no term of the table, and yet in the scores."""
    if "assessor" in rows.factors and "assessor" not in terms:
        of_topics = (rows.keys.groupby("topic")["assessor"].nunique() < 2).all()
        yield Note.of(
            "one-assessor-each" if of_topics else "assessors-not-listed",
            n=len(rows.factors["assessor"].levels),
        )


def _rough(
    rows: AnovaRows,
    terms: Sequence[str],
    lines: Sequence[AnovaTerm],
    shared: Sequence[tuple[str, str]],
    ss_type: SumOfSquares,
) -> Iterator[Note]:
    """Where types of sums of squares differ, tests err more often than they say, or rows say little."""
    import numpy as np

    if shared:
        yield Note.of("unbalanced", factors=shared, ss_type=ss_type, terms=terms)
    in_table = {line.term: line.df for line in lines}
    for line in lines:
        # An error term of several with so few degrees of freedom that the test errs more often than it says.
        if line.why is not None or line.method == "stratum" or len(line.against) < 2:
            continue
        # Those in the table, as of systems within kinds, or those of its levels.
        free = {
            error: in_table[error]
            if error in in_table
            else math.prod(len(rows.factors[name].levels) - 1 for name in error.split(":"))
            for error in line.against
        }
        least = min(free, key=lambda error: free[error])
        if free[least] < FEW_DF:
            yield Note.of("few-degrees-of-freedom", term=line.term, error=least, df=free[least])
    for name, factor in rows.factors.items():
        counts = np.bincount(factor.codes, minlength=len(factor.levels))
        once = [level for level, n in zip(factor.levels, counts, strict=True) if n == 1]
        if once and rows.n > len(counts):  # levels about which one score says everything
            yield Note.of("single-scores", factor=name, levels=once)
    if "system" in rows.factors and "topic" in rows.factors:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        system, topic = rows.factors["system"], rows.factors["topic"]
        size = len(system.levels) + len(topic.levels)
        links = coo_array(
            ([True] * rows.n, (system.codes, topic.codes + len(system.levels))), shape=(size, size)
        )
        parts, _ = connected_components(links, directed=False)
        if parts > 1:
            yield Note.of("no-chain-of-common-topics", parts=int(parts))


@dataclass(frozen=True)
class _Model:
    """A linear model of the rows, and how its terms are tested."""

    rows: AnovaRows
    fit: LinearFit
    samples: tuple[str, ...]
    ss_type: SumOfSquares
    always: bool
    """Whether the mixed model, where it was asked for, is what tests fixed terms."""

    @property
    def sampled(self) -> list[int]:
        """The places of the factors whose levels are a sample."""
        return [at for at, name in enumerate(self.rows.factors) if name in self.samples]

    def line(self, term: str, row: AnovaRow) -> AnovaTerm:
        """A term with the test that is right for it."""
        from adjudge.stats.linear.error_terms import term_test

        nan = math.nan
        line = AnovaTerm(
            term=term,
            df=row.df,
            ss=row.ss,
            ms=row.ms,
            f=row.f,
            denominator_df=nan if row.why else self.fit.residual_df,
            p=row.p,
            share=row.share,
            against=(),
            method=RESIDUALS,
            residual_f=row.f,
            residual_p=row.p,
            why=row.why,
        )
        if not self.fit.total_ss:
            return line
        if (alone := self._alone(term)) is not None:
            return replace(line, f=nan, denominator_df=nan, p=nan, residual_f=nan, residual_p=nan, why=alone)
        if not row.df:
            return line
        always = self.always and not set(self.sampled) & set(row.term)
        test = term_test(self.fit.model, row.term, sampled=self.sampled, ss_type=self.ss_type, always=always)
        if test is None:
            return line
        names = list(self.rows.factors)
        why = test.why and (line.why or test.why)  # the reason that holds for every term, where there is one
        return replace(
            line,
            f=test.f,
            denominator_df=test.denominator_df,
            p=test.p,
            against=self.rows.named(test.errors),
            method=test.method,
            sampled=tuple(
                names[f] for f in sorted({f for key in test.random for f in key if (f,) in test.random})
            ),
            beyond=() if test.errors else self.rows.named(test.added),
            why=why,
            averaging_helps=bool(why and not line.why and "assessor" in names and term == "system"),
        )

    def _alone(self, term: str) -> Note | None:
        """Why a factor cannot be tested that has one level, or whose levels have but one topic or system each."""
        factors = self.rows.factors
        single = [name for name in term.split(":") if len(factors[name].levels) == 1]
        if single:
            return Note.of("one-level", factor=single[0])
        if term in ("system", "assessor") and self.rows.one_assessor_per_system():
            return Note.of("assessors-of-systems")
        unit = "topic" if term in OF_TOPICS else "system" if term == "kind" else None
        if unit is None or term == "set" or unit not in factors or not self.rows.same(term, unit):
            return None
        return Note.of("one-row-each", factor=term, unit=unit)


def _means(rows: AnovaRows, fit: LinearFit) -> tuple[AdjustedMean, ...]:
    from adjudge.stats.linear.anova import adjusted_means

    if "system" not in rows.factors:
        return ()
    adjusted = adjusted_means(fit, list(rows.factors).index("system"))
    errors = adjusted.covariance.diagonal() ** 0.5
    means = [
        AdjustedMean(
            system, int(adjusted.n[k]), float(adjusted.means[k]), float(errors[k]), adjusted.why.get(k)
        )
        for k, system in enumerate(rows.factors["system"].levels)
    ]
    return tuple(sorted(means, key=rows.best_first))


def _interaction_sizes(model: _Model, line: AnovaTerm, alpha: float) -> Interaction:
    """The sizes of an interaction; its cells are compared with what the interaction is compared with, or not tested."""
    from adjudge.stats.linear.anova import interaction_effects, without_test
    from adjudge.stats.linear.model import fit_linear

    rows, fit = model.rows, model.fit
    if line.beyond:
        fit = fit_linear(
            fit.model.scores, fit.model.factors, [*fit.model.keys, *(rows.key(term) for term in line.beyond)]
        )
    sizes = interaction_effects(fit, rows.key(line.term), alpha=alpha)
    first, second = (list(rows.factors.values())[place].levels for place in rows.key(line.term))
    return Interaction(line.term, first, second, without_test(sizes) if line.against else sizes, line.against)


def _shared(rows: AnovaRows, terms: Sequence[str]) -> list[tuple[str, str]]:
    """Factors that share some of the variation, so that the types of sums of squares differ: their counts are not
    proportional, or the coarser one comes after the finer one.
    """
    import numpy as np

    from adjudge.stats.linear.model import crossed, make_term, within

    shared = []
    for first, second in combinations([term for term in terms if ":" not in term], 2):
        one, other = (make_term([rows.factors[name].codes], (0,)) for name in (first, second))
        if within(one, other):
            continue
        counts = crossed(one, other).toarray()
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows.n
        if np.abs(counts - expected).max() > 1e-9 * rows.n:
            shared.append((first, second))
    return shared
