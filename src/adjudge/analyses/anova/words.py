"""What is said of an analysis of variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.anova.factors import ordered
from adjudge.analyses.scores import HUMANS
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, decimal, listed, p_words, percent

if TYPE_CHECKING:
    from adjudge.analyses.anova.result import AnovaResult, AnovaTerm, Interaction, MixedModel
    from adjudge.core.results import Note
    from adjudge.stats.linear.anova import ResidualCheck, ResidualChecks

NOISE = "noise"
"""What is left after all terms."""
MOST_NAMED = 5
AVERAGING = "; with system and topic as the only factors, the judgments of a summary are averaged"
FEWEST_DF = 3
"""Below so many degrees of freedom of the noise only a very large F is significant, and that is said."""
MANY_ROWS = 500
"""From here on F tests bear residuals that are not normal."""
REASONS: Mapping[str, str | Callable[..., str]] = {
    **phrasebook.REASONS,
    "one-level": "there is only one {factor}",
    "one-row-each": "every {factor} has one {unit}, so that the two cannot be told apart",
    "few-rows": "needs {needs} rows, has {n}",
    "few-freedom": "needs {needs} degrees of freedom for the noise, has {df}",
    "freedom-of-rows": "with interactions only {df} degrees of freedom are left of {n} rows",
    "few-groups": "needs two groups with two rows each",
    "alike-about-medians": "distances from the medians do not vary",
    "mirrored": "the residuals of two groups mirror each other",
    "has-interactions": "the model has interactions",
    "square-adds-nothing": "the square of the fit adds nothing of its own",
}
"""Why a term is not tested, or a check not made."""


def reason(why: Note | None) -> str | None:
    return None if why is None else str(why.words(REASONS))


def _averaged(before: int, after: int, over: Sequence[str]) -> str:
    only = "; the tests hold for these assessors" if "assessors" in over else ""
    return f"{before:,} scores averaged to {after:,}, over {listed(over)}{only}"


def _unbalanced(factors: Sequence[Sequence[str]], ss_type: int, terms: Sequence[str]) -> str:
    which = listed([f"{first} with {second}" for first, second in factors])
    if ss_type == 1:
        order = listed(terms, most=len(terms))
        return f"unbalanced ({which}): type I takes each term after those before it: {order}"
    after = "all others" if ss_type == 3 else "those that do not contain it"
    return f"unbalanced ({which}): type {'I' * ss_type}, each term after {after}"


OF_ROWS = {
    **phrasebook.NOTES,
    "one-assessor-each": lambda n: (
        f"each topic was judged by one of {n} assessors: assessors and topics cannot be told apart, and what is said of"
        " topics holds for both together"
    ),
    "humans-are-one-system": lambda humans: (
        f"{counted(len(humans), 'human is', 'humans are')} one system, {HUMANS} ({listed(humans)})"
    ),
    "scores-averaged": _averaged,
}
"""Of the rows, of whichever model."""
NOTES = {
    **OF_ROWS,
    "unbalanced": _unbalanced,
    "few-degrees-of-freedom": lambda term, error, df: (
        f"{term}: {error} has {counted(df, 'degree')} of freedom; with so few the test at 5 % finds something in up to"
        " 13 of 100 cases where there is nothing"
    ),
    "single-scores": lambda factor, levels: (
        f"{counted(len(levels), factor)} with a single score: {listed(levels)}"
    ),
    "no-chain-of-common-topics": lambda parts: (
        f"no chain of common topics joins all systems: they are compared within {parts} parts, and nothing is said"
        " across them"
    ),
    "terms-added": lambda terms: (
        f"{listed(terms)} {'is' if len(terms) == 1 else 'are'} among the terms too, to be compared with"
    ),
    "shares-without-intervals": lambda: (
        f"the shares have no intervals: nothing was resampled, see {Argument('resamples', flag='simulations')}"
    ),
}


def sentences(result: AnovaResult) -> Iterator[str]:
    """The terms, large interactions, variance components, and what the residuals say of the model's assumptions."""
    yield _headline(result)
    for line in result.lines:
        yield about_term(line, result.alpha)
    yield from _for_whom(result)
    for interaction in result.interactions:
        yield _about_cells(interaction, result.alpha)
    if result.components is not None:
        yield from _about_variances(result.components, result.alpha, result.lines)
    yield from about_residuals(result)


def _headline(result: AnovaResult) -> str:
    """Which terms matter, which were not tested, and how much is left."""
    tested = [line for line in result.lines if line.why is None]
    if not tested:
        helped: dict[Note | None, list[bool]] = {}
        for line in result.lines:
            helped.setdefault(line.why, []).append(line.averaging_helps)
        reasons = [f"{reason(why)}{AVERAGING * all(of_lines)}" for why, of_lines in helped.items()]
        return f"On {result.title} nothing can be tested: {'; '.join(reasons)}."
    significant = [line.term for line in tested if line.p < result.alpha]
    others = [line.term for line in tested if line.term not in significant]
    absent = [line.term for line in result.lines if line.why is not None]
    untested = f"; {listed(absent)} {'was' if len(absent) == 1 else 'were'} not tested" if absent else ""
    if not significant:
        verb = "has" if len(others) == 1 else "have"
        return f"On {result.title} {listed(others)} {verb} no significant effect{untested}."
    left = percent(result.residual_ss / result.total_ss)
    rest = f"the terms leave {left} of the variation"
    if result.by_residuals:
        rest = f"{left} of the variation is noise"
    verb = "matters" if len(significant) == 1 else "matter"
    but = "; system has no significant effect" if "system" in others else ""
    return f"On {result.title} {listed(significant)} {verb}{but}{untested}; {rest}."


def about_term(line: AnovaTerm, alpha: float) -> str:
    """One term: does it matter, compared with what, and how much?"""
    from scipy.special import fdtri

    name = f"The interaction {line.term}" if ":" in line.term else line.term.capitalize()
    if line.why is not None:
        return f"{name} cannot be tested: {reason(line.why)}{AVERAGING * line.averaging_helps}."
    basis = f"F({line.df}, {df_text(line.denominator_df)}) = {f_text(line.f)}, {p_words(line.p, alpha)}"
    against = f", compared with {listed(line.against)}" if line.against else ""
    if line.beyond:
        against = f", compared with what is left after {listed(line.beyond)}"
    much = f"it accounts for {percent(line.share)} of the variation"
    if line.p < alpha:
        return f"{name} matters: {basis}{against}; {much}."
    whole = " as a whole" if ":" in line.term else ""  # of its cells one may stand out
    if line.denominator_df < FEWEST_DF - 0.05:  # as it is printed
        least = f_text(float(fdtri(line.df, line.denominator_df, 1 - alpha)))
        against += f" (with so few degrees of freedom F would have to be above {least}: little could have been found)"
    return f"{name}{whole} has no significant effect: {basis}{against}; {much}."


def _for_whom(result: AnovaResult) -> Iterator[str]:
    """Of which topics and assessors the conclusions hold."""
    single = [name for name in result.samples if result.levels[name] == 1]
    if single and any(line.why is None for line in result.lines):
        them = "them" if len(single) > 1 else "it"
        yield f"There is only one {' and one '.join(single)}: the tests hold for {them} alone."
    sampled = [name for name in result.random if name in result.samples and name not in single]
    if sampled:
        not_sampled = [
            name for name in result.levels if name not in result.samples and name in result.not_sampled
        ]
        these = f", and for these {listed([f'{name}s' for name in not_sampled])} alone" if not_sampled else ""
        yield (
            f"{listed([f'{name}s' for name in sampled]).capitalize()} count as a sample: the tests hold for others"
            f" like them{these}."
        )
    for line in result.lines:
        more = [f"{name}s" for name in line.sampled if name not in result.samples]
        if more and line.why is None:
            yield f"To tell whether {line.term} matters, {listed(more)} count as a sample{' too' if sampled else ''}."


def _about_cells(interaction: Interaction, alpha: float) -> str:
    """Which cells of an interaction are large."""
    sizes, large, term = interaction.sizes, interaction.large(), interaction.term
    if interaction.against:
        against = f"the interaction is compared with {listed(interaction.against)}, not with the residuals"
        return f"Which cells of {term} stand out is not tested: {against}."
    if math.isnan(sizes.limit) or not sizes.tested:
        return f"How large {term} is in each cell cannot be judged: there is no noise to compare with."
    rule = f"beyond {sizes.limit:.2f} standard errors, alpha {alpha:g} over {counted(sizes.tested, 'cell')}"
    if not large:
        return f"No cell of {term} stands out ({rule})."
    named = [f"{first} with {second} ({decimal(effect, '+.4f')})" for first, second, effect in large]
    return f"Large in {term}: {listed(named, most=MOST_NAMED)} ({rule})."


def _about_variances(mixed: MixedModel, alpha: float, lines: Sequence[AnovaTerm]) -> Iterator[str]:
    """What the mixed model says beside the lines of the table."""
    if mixed.why is not None:
        yield f"The mixed model cannot be fitted: {reason(mixed.why)}."
        yield from (about_term(line, alpha) for line in mixed.beside)
        return
    parts = []
    for part in sorted(mixed.components, key=lambda part: -part.share):
        ends = "" if math.isnan(part.low) else f" ({part.low * 100:.0f} to {part.high * 100:.0f} %)"
        parts.append(f"{percent(part.share)} {'is' if part.term == NOISE else 'lies in'} {part.term}{ends}")
    beside = f" beside {listed(mixed.fixed, most=len(mixed.fixed))}" if mixed.fixed else ""
    yield f"Of the variance{beside}, {listed(parts, most=len(parts))}."
    # As the table of variances has it: the first fit may differ a little.
    none = {part.term for part in mixed.components if part.variance == 0}
    significant = {line.term for line in (*lines, *mixed.beside) if line.p < alpha}
    for terms, but in (
        (none - significant, ""),
        (none & significant, ", though F is significant: the shares are uncertain"),
    ):
        if terms:
            names = listed([part.term for part in mixed.components if part.term in terms], most=len(terms))
            variances = "variances" if len(terms) > 1 else "variance"
            yield f"The {variances} of {names} {'are' if len(terms) > 1 else 'is'} estimated as 0{but}."
    yield from (about_term(line, alpha) for line in mixed.beside if line.term not in none - significant)


def about_residuals(result: AnovaResult) -> Iterator[str]:
    """Whether the residuals look as they should, and the rows that fit worst."""
    yield from about_checks(result.checks, result.spread_over, result.alpha)
    if not result.largest:
        return
    first, *rest = result.largest
    others = [f"{residual.where} ({residual.standardised:+z.1f})" for residual in rest]
    then = f"; then {listed(others)}" if others else ""
    off = f"{first.where} is off most, by {first.standardised:+z.1f} standard errors"
    if math.isnan(first.p):
        yield f"{off}{then}."
        return
    verdict = "an outlier" if first.p < result.alpha else "no outlier among so many"
    yield f"{off}: {verdict} ({p_words(first.p, result.alpha)}, Bonferroni){then}."


def about_checks(checks: ResidualChecks, over: str, alpha: float) -> Iterator[str]:
    """Each check of the residuals; `over` names what the spread is compared between."""
    yield _about_normality(checks, alpha)
    yield _about_spread(checks.spread, over, alpha)
    yield _about_additivity(checks.additive, alpha)


def _about_normality(residuals: ResidualChecks, alpha: float) -> str:
    check = residuals.normal
    if check.why:
        return f"Whether the residuals are normal cannot be said: {reason(check.why)}."
    name = {"shapiro-wilk": "Shapiro-Wilk W", "dagostino-pearson": "D'Agostino-Pearson K2"}[check.name]
    basis = (
        f"{name} = {check.statistic:.4g}, {p_words(check.p, alpha)}; skewness {residuals.skewness:z.2f},"
        f" excess kurtosis {residuals.kurtosis:z.2f}"
    )
    if check.passed(alpha):
        return f"The residuals look normal ({basis})."
    if residuals.n < MANY_ROWS:
        return f"The residuals are not normal ({basis}): take the p of the F tests as approximate."
    return f"The residuals are not normal ({basis}); with {residuals.n:,} rows the F tests bear that."


def _about_spread(check: ResidualCheck, over: str, alpha: float) -> str:
    if check.why:
        return f"Whether the noise is the same for every {over} cannot be said: {reason(check.why)}."
    first, second = check.df
    basis = f"Brown-Forsythe F({first}, {second}) = {f_text(check.statistic)}, {p_words(check.p, alpha)}"
    if check.passed(alpha):
        return f"The noise is much the same for every {over} ({basis})."
    return f"The noise is not the same for every {over} ({basis})."


def _about_additivity(check: ResidualCheck, alpha: float) -> str:
    if check.why:
        return f"Whether the effects add up was not tested: {reason(check.why)}."
    if math.isinf(check.statistic):
        return "The effects do not just add up: the square of the fit explains all that they leave."
    first, second = check.df
    f = f"F({first}, {second}) = {f_text(check.statistic)}"
    basis = f"Tukey's test of non-additivity, {f}, {p_words(check.p, alpha)}"
    if check.passed(alpha):
        return f"No interaction was found that grows with the effects themselves ({basis})."
    return (
        f"The effects do not just add up ({basis}): larger scores spread more, or less, than the model says."
    )


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


def about_interaction(result: AnovaResult, by: str) -> str:
    """What the test of a factor's interaction with systems says."""
    term = ordered(f"system:{by}")
    for line in (*result.lines, *result.beside):
        if line.term == term:
            return about_term(line, result.alpha)
    why = "it is not among the terms"
    if (result.cell_means(by)["n"] == 1).all():
        why = f"no system has two scores {'on' if by == 'topic' else 'of'} one {by} to show the noise"
    return f"The interaction {term} is not tested: {why}."
