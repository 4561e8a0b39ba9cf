"""What is said of an analysis of variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses import phrasebook
from adjudge.analyses.anova.factors import ordered
from adjudge.analyses.phrasebook import either
from adjudge.analyses.scores import HUMANS
from adjudge.core.phrases import Argument
from adjudge.core.words import capitalised, counted, decimal, listed, p_words, percent

if TYPE_CHECKING:
    from adjudge.analyses.anova.result import AnovaResult, AnovaTerm, Interaction, MixedModel
    from adjudge.core.results import Note
    from adjudge.stats.linear.anova import ResidualChecks

NOISE = "noise"
"""What is left after all terms."""
MOST_NAMED = 5
AVERAGING = (
    "; it would take only system and topic as factors, over which the judgments of a summary are averaged"
)
FEWEST_DF = 3
"""Below so many degrees of freedom of the noise only a very large F is significant, and that is said."""
LARGEST = 3
"""Parts of the variance that are named."""
CHECKS = {
    "shapiro-wilk": "Shapiro-Wilk",
    "dagostino-pearson": "D'Agostino-Pearson",
    "brown-forsythe": "Brown-Forsythe",
    "tukey-1-df": "Tukey",
}
MANY_ROWS = 500
"""From here on F tests bear residuals that are not normal."""
REASONS: Mapping[str, str | Callable[..., str]] = {
    **phrasebook.REASONS,
    "one-level": "there is only one {factor}",
    "assessors-of-systems": (
        "every system has one assessor, so differences of systems and of assessors cannot be separated"
    ),
    "one-row-each": "every {factor} has one {unit}, so the two cannot be separated",
    "few-rows": "needs {needs} rows, has {n}",
    "few-freedom": "needs {needs} degrees of freedom for the noise, has {df}",
    "freedom-of-rows": "with interactions only {df} degrees of freedom are left of {n} rows",
    "few-groups": "needs two groups with two rows each",
    "alike-about-medians": "distances from the medians do not vary",
    "mirrored": "the residuals of two groups mirror each other",
    "has-interactions": "the model has interactions",
    "square-adds-nothing": "the square of the fit adds nothing",
}
"""Why a term is not tested, or a check not made."""


def reason(why: Note | None) -> str | None:
    return None if why is None else str(why.words(REASONS))


def _averaged(before: int, after: int, over: Sequence[str]) -> str:
    only = "; the tests hold for these assessors only" if "assessors" in over else ""
    return f"{before:,} scores averaged to {after:,}, over {listed(over)}{only}"


def _unbalanced(factors: Sequence[Sequence[str]], ss_type: int, terms: Sequence[str]) -> str:
    which = listed([f"{first} with {second}" for first, second in factors])
    order = f", in the order {', '.join(terms)}" if ss_type == 1 else ""
    return f"unbalanced design ({which}): sums of squares of type {'I' * ss_type}{order}"


OF_ROWS = {
    **phrasebook.NOTES,
    "one-assessor-each": lambda n: (
        f"each topic was judged by only one of {n} assessors: effects of topics and of assessors cannot be separated"
    ),
    "assessors-not-listed": lambda n: (
        f"each summary was judged by only one of {n} assessors, who are not among the terms: their differences are in"
        " the sums of squares, not in the tests"
    ),
    "humans-are-one-system": lambda humans: (
        f"{counted(len(humans), 'human counts', 'humans count')} as one system, {HUMANS} ({listed(humans)})"
    ),
    "scores-averaged": _averaged,
}
"""Of the rows, of whichever model."""
NOTES = {
    **OF_ROWS,
    "unbalanced": _unbalanced,
    "few-degrees-of-freedom": lambda term, error, df: (
        f"{error} has only {counted(df, 'degree')} of freedom: where {term} has no effect, a test at 5 % finds one in"
        " up to 13 % of cases"
    ),
    "single-scores": lambda factor, levels: (
        f"{counted(len(levels), factor)} with a single score: {listed(levels)}"
    ),
    "no-chain-of-common-topics": lambda parts: (
        f"systems fall into {parts} groups that share no topics: they are compared within each group only"
    ),
    "terms-added": lambda terms: (
        f"{listed(terms)} {'was' if len(terms) == 1 else 'were'} added to the terms: the tests of the others need"
        f" {'it' if len(terms) == 1 else 'them'}"
    ),
    "shares-without-intervals": lambda: (
        f"the shares have no intervals without {Argument('resamples', flag='simulations')}"
    ),
}


def sentences(result: AnovaResult) -> Iterator[str]:
    """Which terms matter, what the table cannot say of them, and whether the residuals bear the model out."""
    yield _headline(result)
    for line in result.lines:
        if line.why is not None and any(other.why is None for other in result.lines):
            yield about_term(line, result.alpha)
        elif line.p >= result.alpha and (least := _out_of_reach(line, result.alpha)):
            yield f"For {line.term} little could be found: {least}."
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
        reasons = [f"{reason(why)}{AVERAGING * any(of_lines)}" for why, of_lines in helped.items()]
        return f"On {result.title}, nothing can be tested: {'; '.join(reasons)}."
    significant = [line.term for line in tested if line.p < result.alpha]
    others = [line.term for line in tested if line.term not in significant]
    absent = [line.term for line in result.lines if line.why is not None]
    parts = []
    if significant:
        parts.append(f"{listed(significant)} {'matters' if len(significant) == 1 else 'matter'}")
    if others:
        parts.append(f"{listed(others)} {'has' if len(others) == 1 else 'have'} no significant effect")
    if absent:
        parts.append(f"{listed(absent)} {'was' if len(absent) == 1 else 'were'} not tested")
    left = f" {percent(result.residual_ss / result.total_ss)} of the variation is unexplained." * bool(
        significant
    )
    return f"On {result.title}, {'; '.join(parts)}.{left}"


def about_term(line: AnovaTerm, alpha: float) -> str:
    """One term: does it matter, compared with what, and how much?"""
    name = f"The interaction {line.term}" if ":" in line.term else line.term.capitalize()
    if line.why is not None:
        return f"{name} cannot be tested: {reason(line.why)}{AVERAGING * line.averaging_helps}."
    verdict = "matters" if line.p < alpha else "has no significant effect"
    much = f"{percent(line.share)} of the variation"
    return f"{name} {verdict}: {_f_test(line)}, {p_words(line.p, alpha)}, {much}."


def _f_test(line: AnovaTerm) -> str:
    return f"F({line.df}, {df_text(line.denominator_df)}) = {f_text(line.f)}"


def _out_of_reach(line: AnovaTerm, alpha: float) -> str:
    """How large F would have to be, where that is out of proportion."""
    from scipy.special import fdtri

    if not line.denominator_df < FEWEST_DF - 0.05:  # as it is printed
        return ""
    least = f_text(float(fdtri(line.df, line.denominator_df, 1 - alpha)))
    return f"with {df_text(line.denominator_df)} df of noise, F must exceed {least} to be significant"


def _for_whom(result: AnovaResult) -> Iterator[str]:
    """Of which topics and assessors the conclusions hold."""
    single = [name for name in result.samples if result.levels[name] == 1]
    if single and any(line.why is None for line in result.lines):
        them = "them" if len(single) > 1 else "it"
        yield f"There is only one {' and one '.join(single)}: the tests hold for {them} alone."
    sampled = [name for name in result.random if name in result.samples and name not in single]
    if sampled:
        not_sampled = [
            f"{name}s" for name in result.levels if name not in result.samples and name in result.not_sampled
        ]
        these = f", and for these {listed(not_sampled)} only" if not_sampled else ""
        yield f"The tests hold for {listed([f'{name}s' for name in sampled])} like these{these}."
    elif "assessor" in result.not_sampled and any(line.why is None for line in result.lines):
        yield "The tests hold for these assessors only."
    for line in result.lines:
        more = [f"{name}s" for name in line.sampled if name not in result.samples]
        if more and line.why is None:
            yield f"The test of {line.term} holds for {listed(more)} like these{' too' if sampled else ''}."


def _about_cells(interaction: Interaction, alpha: float) -> str:
    """Which cells of an interaction are large."""
    sizes, large, term = interaction.sizes, interaction.large(), interaction.term
    if interaction.against:
        against = f"the interaction is compared with {listed(interaction.against)}, not with the residuals"
        return f"Single cells of {term} are not tested: {against}."
    if math.isnan(sizes.limit) or not sizes.tested:
        return f"Single cells of {term} cannot be tested: there is no noise to compare with."
    rule = f"beyond {sizes.limit:.2f} standard errors, alpha {alpha:g} over {counted(sizes.tested, 'cell')}"
    if not large:
        return f"No cell of {term} stands out ({rule})."
    named = [f"{first} with {second} ({decimal(effect, '+.4f')})" for first, second, effect in large]
    return f"Cells of {term} that stand out: {listed(named, most=MOST_NAMED)}; {rule}."


def _about_variances(mixed: MixedModel, alpha: float, lines: Sequence[AnovaTerm]) -> Iterator[str]:
    """What the mixed model says beside the lines of the table."""
    if mixed.why is not None:
        yield f"The mixed model cannot be fitted: {reason(mixed.why)}."
        yield from _about_interactions(mixed.beside, alpha)
        return
    largest = sorted(mixed.components, key=lambda part: -part.share)[:LARGEST]
    shares = [
        f"{part.term} {percent(part.share)}"
        + ("" if math.isnan(part.low) else f" ({part.low * 100:.0f} to {part.high * 100:.0f} %)")
        for part in largest
        if part.share > 0
    ]
    apart = f" (apart from {listed(mixed.fixed, most=len(mixed.fixed))})" if mixed.fixed else ""
    if shares:
        yield f"Largest shares of the variance{apart}: {', '.join(shares)}."
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
    yield from _about_interactions(
        [line for line in mixed.beside if line.term not in none - significant], alpha
    )


def _about_interactions(lines: Sequence[AnovaTerm], alpha: float) -> Iterator[str]:
    """Interactions that are in no table, each tested after the others."""
    for verb, tested in (
        ("significant", [line for line in lines if line.p < alpha]),
        ("not significant", [line for line in lines if line.p >= alpha]),
    ):
        named = [f"{line.term} ({_f_test(line)}, {p_words(line.p, alpha)})" for line in tested]
        if named:
            yield f"Interactions {verb} after all others: {listed(named, most=len(named))}."
    yield from (about_term(line, alpha) for line in lines if line.why is not None)


def about_residuals(result: AnovaResult) -> Iterator[str]:
    """Whether the residuals look as they should, and the rows that fit worst."""
    yield from about_checks(result.checks, result.spread_over, result.alpha)
    if not result.largest:
        return
    first = result.largest[0]
    outliers = [
        f"{row.where} ({row.standardised:+z.1f} standard errors)"
        for row in result.largest
        if row.p < result.alpha
    ]
    if outliers:
        yield f"Outlier{'s' * (len(outliers) > 1)} (Bonferroni): {listed(outliers)}."
        return
    off = f"{first.where} ({first.standardised:+z.1f} standard errors)"
    if math.isnan(first.p) or not result.checks.outliers_tell:
        yield f"Furthest from the fit: {off}."
    else:
        yield f"No outliers; furthest from the fit: {off}."


def about_checks(checks: ResidualChecks, over: str, alpha: float) -> Iterator[str]:
    """What the residuals pass, then what they fail; `over` names what the spread is compared between.

    That a check found nothing is said only where it would have found a clear violation.
    """
    skew = f"skewness {checks.skewness:z.2f}, excess kurtosis {checks.kurtosis:z.2f}"
    bear = f"with {checks.n:,} rows the F tests bear that" if checks.n >= MANY_ROWS else "p is approximate"
    made = (
        (checks.normal, "normality", f"The residuals are not normal ({{}}; {skew}): {bear}."),
        (checks.spread, "equal spread", f"The noise differs between {over}s ({{}})."),
        (
            checks.additive,
            "additivity",
            "The effects do not just add up ({}): differences grow, or shrink, as scores rise.",
        ),
    )
    passed: list[str] = []
    unseen: list[str] = []
    failed: list[str] = []
    untested: dict[str | None, list[str]] = {}
    for check, what, bad in made:
        if check.why is not None:
            untested.setdefault(reason(check.why), []).append(what)
            continue
        basis = f"{CHECKS[check.name]} {p_words(check.p, alpha)}"
        if check.passed(alpha) and not check.tells:
            unseen.append(what)
        elif check.passed(alpha):
            passed.append(f"{what} ({basis})")
        else:
            failed.append(bad.format(basis))
    if passed:
        yield f"The residuals show no problem with {either(passed)}."
    yield from failed
    if unseen:
        yield (
            f"{capitalised(listed(unseen))} cannot be judged from these {counted(checks.n, 'row')}: the"
            f" {'test' if len(unseen) == 1 else 'tests'} would often miss a clear violation."
        )
    for why, of in untested.items():
        yield f"Not tested of the residuals: {listed(of)} ({why})."


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
