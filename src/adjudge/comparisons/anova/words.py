"""An analysis of variance in plain words. Nothing is computed here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.wording import counted, listed

if TYPE_CHECKING:
    from adjudge.comparisons.anova.result import Anova, Interaction, Line, Residual

MOST_NAMED = 5


def headline(found: Anova) -> str:
    """Which terms matter, and how much is left."""
    tested = [line for line in found.lines if line.why is None]
    if not tested:
        reason = found.lines[0].why if found.lines else "the model has no terms"
        return f"On {found.title} nothing can be tested: {reason}."
    there = [line.term for line in tested if line.p < found.alpha]
    if not there:
        return f"On {found.title} {listed([line.term for line in tested])} cannot be told from the noise."
    left = found.residual_ss / found.total_ss
    verb = "matters" if len(there) == 1 else "matter"
    return f"On {found.title} {listed(there)} {verb}; {percent(left)} of the variation is noise."


def line(found: Line, residual_df: int, alpha: float) -> str:
    """One term: does it matter, and how much?"""
    from adjudge.stats.paired import p_words

    name = f"The interaction {found.term}" if ":" in found.term else found.term.capitalize()
    if found.why is not None:
        return f"{name} cannot be tested: {found.why}."
    basis = f"F({found.df}, {residual_df}) = {f(found.f)}, {p_words(found.p, alpha)}"
    much = f"it accounts for {percent(found.share)} of the variation"
    if found.p < alpha:
        return f"{name} matters: {basis}; {much}."
    return f"{name} cannot be told from the noise: {basis}; {much}."


def interaction(found: Interaction, alpha: float) -> str:
    """Which cells of an interaction are large."""
    sizes, large = found.sizes, found.large()
    if math.isnan(sizes.limit) or not sizes.tested:
        return f"How large {found.term} is in each cell cannot be judged: there is no noise to compare with."
    rule = f"beyond {sizes.limit:.2f} standard errors, alpha {alpha:g} over {counted(sizes.tested, 'cell')}"
    if not large:
        return f"No cell of {found.term} stands out ({rule})."
    named = [f"{first} with {second} ({effect:+.4f})" for first, second, effect in large]
    return f"Large in {found.term}: {listed(named, most=MOST_NAMED)} ({rule})."


def largest(found: Sequence[Residual], alpha: float) -> list[str]:
    """The row that fits worst, and whether it is an outlier."""
    from adjudge.stats.paired import p_words

    if not found:
        return []
    first = found[0]
    others = [f"{each.where} ({each.standardised:+.1f})" for each in found[1:]]
    then = f"; then {listed(others)}" if others else ""
    off = f"{first.where} is off most, by {first.standardised:+.1f} standard errors"
    if math.isnan(first.p):
        return [f"{off}{then}."]
    verdict = "an outlier" if first.p < alpha else "no outlier among so many"
    return [f"{off}: {verdict} ({p_words(first.p, alpha)}, Bonferroni){then}."]


def percent(share: float) -> str:
    """`25 %`; below one per cent with a digit more."""
    if math.isnan(share):
        return "an unknown part"
    return f"{share * 100:.0f} %" if share >= 0.01 or share == 0 else f"{max(share * 100, 0.1):.1f} %"


def number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"


def f(value: float) -> str:
    """Three digits: 5.07, 37.7, 123."""
    if math.isnan(value):
        return ""
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def p(value: float) -> str:
    """As DUC-2002's tables have it: a number, and never 0."""
    return "" if math.isnan(value) else "< .0001" if value < 0.0001 else f"{value:.4f}".removeprefix("0")
