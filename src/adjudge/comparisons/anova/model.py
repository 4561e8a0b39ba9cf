"""Which terms a model has, and its analysis: the one way from score rows to an `Anova`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from adjudge.comparisons.anova.components import Components, mixed_model
from adjudge.comparisons.anova.result import Anova, Interaction, Line, Mean, Residual
from adjudge.comparisons.anova.rows import About, Rows, build, known_factors
from adjudge.data.scores import ScoreTable
from adjudge.errors import UsageError, quoted
from adjudge.wording import listed

if TYPE_CHECKING:
    from adjudge.stats.linear.anova import ResidualChecks
    from adjudge.stats.linear.model import LinearFit

ALPHA = 0.05
LEVEL = 0.95
REPEATED = ("assessor", "system", "topic")  # what interactions=True crosses, in DUC-2002's order


def anova(
    table: ScoreTable,
    measure: str,
    *,
    length: int | None = None,
    factors: Sequence[str] = (),
    interactions: bool = False,
    random: Sequence[str] = (),
    pool_humans: bool = False,
    average_humans: bool = True,
    ss_type: Literal[1, 2, 3] = 1,
    topics: Mapping[str, Mapping[str, Any]] | None = None,
    kinds: Mapping[str, str] | None = None,
    authors: Mapping[tuple[str, str, int | None], str] | None = None,
    alpha: float = ALPHA,
    resamples: int | None = None,
    seed: int = 0,
) -> Anova:
    """Analyse the variation of one measure. Over and Liggett 2002: system + document set, assessors, interactions.

    Factors are system and topic, and assessor before them where judgments are repeated; `factors` names others,
    in the order that type I takes them, and interactions such as "system:topic". `interactions` adds all two-way
    ones of assessor, system and topic. `random` are factors of a mixed model that is fitted beside the table.
    `pool_humans` makes all humans one system, with one row for all of them unless `average_humans` is false.
    `topics`, `kinds` and `authors` say what is known beyond the scores (see `rows.About`).
    """
    from adjudge.stats import checks

    checks.share("alpha", alpha)
    terms = _terms(factors or known_factors(table, measure, length), interactions, random)
    # In one order, so that an interaction's first factor is the first in its name.
    names = sorted({name for term in terms for name in term.split(":")})
    rows = build(
        table,
        measure,
        names,
        About(topics or {}, kinds or {}, authors or {}),
        length=length,
        repeats=any(":" in term for term in [*terms, *random]),
        pool_humans=pool_humans,
        average_humans=average_humans,
    )
    for term in terms:
        _check_replicates(rows, term)
    components = None
    if random:
        fixed, crossed = _mixed_terms(terms, random)
        components = mixed_model(rows, fixed, crossed, level=LEVEL, resamples=resamples, seed=seed)
    return _analysed(rows, terms, ss_type, alpha, components)


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


def _mixed_terms(terms: Sequence[str], random: Sequence[str]) -> tuple[list[str], list[str]]:
    """Fixed factors, the system first, and random terms: an interaction with a random factor is random."""
    if "system" in random or "system" not in terms:
        raise UsageError("in a mixed model the system is a fixed factor: it cannot be random or left out")
    chosen = [_ordered(term) for term in random]
    fixed = [name for name in terms if ":" not in name and name not in chosen]
    crossed = [t for t in terms if ":" in t and t not in chosen and set(t.split(":")) & set(chosen)]
    return sorted(fixed, key=lambda name: name != "system"), [*chosen, *crossed]


def _check_replicates(rows: Rows, term: str) -> None:
    """An interaction needs cells with several rows: else it is the noise itself."""
    import numpy as np

    if ":" not in term:
        return
    codes = np.column_stack([rows.factors[name].codes for name in term.split(":")])
    if np.unique(codes, axis=0).shape[0] == rows.n:
        raise UsageError(
            f"{term} cannot be told from the noise: no {term.replace(':', ' and ')} has more than one score;"
            " it takes judgments that are repeated, several times or by assessors that are a factor too"
        )


def _analysed(
    rows: Rows, terms: list[str], ss_type: Literal[1, 2, 3], alpha: float, components: Components | None
) -> Anova:
    from adjudge.stats.linear.anova import anova_table, residual_checks
    from adjudge.stats.linear.model import fit_linear

    names = list(rows.factors)
    keys = [tuple(sorted(names.index(name) for name in term.split(":"))) for term in terms]
    fit = fit_linear(rows.values, [rows.factors[name].codes for name in names], keys)
    if not fit.residual_df and any(":" in term for term in terms):
        raise UsageError(f"{' + '.join(terms)}: {fit.why}; leave out an interaction")
    found = anova_table(fit, ss_type=ss_type)
    lines = tuple(
        Line(term, row.df, row.ss, row.ms, row.f, row.p, row.share, row.why)
        for term, row in zip(terms, found.rows, strict=True)
    )
    over = "system" if "system" in names else names[0]
    checks = residual_checks(fit, rows.factors[over].codes)
    return Anova(
        rows.info,
        rows.length,
        lines,
        found.residual_df,
        found.residual_ss,
        found.residual_ms,
        found.total_ss,
        ss_type,
        rows.n,
        {name: len(factor.levels) for name, factor in rows.factors.items()},
        _means(rows, fit),
        _interactions(rows, fit, terms, keys, alpha),
        checks,
        over,
        _largest(rows, checks),
        components,
        (*rows.notes, *_order_matters(rows, terms, ss_type)),
        alpha,
        fit,
    )


def _means(rows: Rows, fit: LinearFit) -> tuple[Mean, ...]:
    from adjudge.stats.linear.anova import adjusted_means

    names = list(rows.factors)
    if "system" not in names:
        return ()
    found = adjusted_means(fit, names.index("system"))
    errors = found.covariance.diagonal() ** 0.5
    means = [
        Mean(system, int(found.n[k]), float(found.means[k]), float(errors[k]), found.why.get(k))
        for k, system in enumerate(rows.factors["system"].levels)
    ]
    return tuple(sorted(means, key=rows.best_first))


def _interactions(
    rows: Rows, fit: LinearFit, terms: list[str], keys: Sequence[tuple[int, ...]], alpha: float
) -> tuple[Interaction, ...]:
    from adjudge.stats.linear.anova import interaction_effects

    names = list(rows.factors)
    return tuple(
        Interaction(
            term,
            rows.factors[names[key[0]]].levels,
            rows.factors[names[key[1]]].levels,
            interaction_effects(fit, key, alpha=alpha),
        )
        for term, key in zip(terms, keys, strict=True)
        if len(key) == 2
    )


def _largest(rows: Rows, checks: ResidualChecks) -> tuple[Residual, ...]:
    columns = zip(checks.largest, checks.standardised, checks.outlier_p, strict=True)
    return tuple(Residual(rows.where(int(row)), float(size), float(p)) for row, size, p in columns)


def _order_matters(rows: Rows, terms: Sequence[str], ss_type: int) -> list[str]:
    """With type I, factors whose counts are not proportional share some of the variation.

    A factor within another, as a type of topics, does so by its nature.
    """
    import numpy as np

    from adjudge.stats.linear.model import crossed, make_term, within

    if ss_type != 1:
        return []
    found = []
    for first, second in combinations([term for term in terms if ":" not in term], 2):
        one, other = (make_term([rows.factors[name].codes], (0,)) for name in (first, second))
        if within(one, other) or within(other, one):
            continue
        counts = crossed(one, other).toarray()
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows.n
        if np.abs(counts - expected).max() > 1e-9 * rows.n:
            found.append(f"{first} with {second}")
    if not found:
        return []
    return [f"the design is unbalanced ({listed(found)}): with type I the order of the terms matters"]
