"""What is said of composites."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from adjudge.analyses.meta.composites import CompositesAmong, CompositesResult
from adjudge.analyses.meta.correlations import CorrelationsResult
from adjudge.analyses.meta.words import over_words, where_words
from adjudge.core.words import counted, listed

NOTES = {
    "constant": lambda measures, among: (
        f"{listed(measures, most=9)}: one value everywhere among {over_words(among)}, or none; left out of the"
        " composites"
    ),
    "incomplete": lambda n, cells, among: (
        f"among {over_words(among)}, {counted(n, 'summary', 'summaries')} without a score of every measure"
        f" {'has' if n == 1 else 'have'} no composite; single measures are compared with the composites on the other"
        f" {cells:,}"
    ),
    "no-regression": lambda human, why, among: f"among {over_words(among)}, no regression on {human}: {why}",
    "predicted-by-folds": (
        "a regression predicts systems of different folds by different models, which can add to the differences"
        " between them; intervals of its correlations take its predictions as given"
    ),
}


def sentences(result: CompositesResult) -> Iterator[str]:
    for made, correlated in zip(result.made, result.correlated, strict=True):
        yield from _correlation_words(result, made, correlated)
        yield _variance(made)
        yield from counts(made)


def about(result: CompositesResult, table: str) -> Iterator[str]:
    for made in result.made:
        if table == made.name:
            yield _variance(made)


def _variance(made: CompositesAmong) -> str:
    first = made.components.loadings[0]
    largest = [made.measures[int(k)].words for k in np.argsort(-np.abs(first), kind="stable")[:3]]
    against = [m.words for m, loading in zip(made.measures, first, strict=True) if loading < -1e-9]
    turned = f"; {listed(against)} {'goes' if len(against) == 1 else 'go'} against it" if against else ""
    return (
        f"Among {over_words(made.among)}, the first principal component of {len(made.measures)} measures holds"
        f" {made.components.shares[0]:.0%} of their variance; its largest loadings are those of"
        f" {listed(largest)}{turned}."
    )


def counts(made: CompositesAmong) -> Iterator[str]:
    """How many pairs composites find, beside the single measures."""
    for at, test in enumerate(made.power.counts.measures[0].tests):
        different = {measure.measure: measure.tests[at].different for measure in made.power.counts.measures}
        single = {
            m.measure: different[m.measure] for m in made.joined.measures if m.measure not in made.names
        }
        words = {m.measure: m.words for m in made.joined.measures}
        few, many = (_names_with(words, single, end(single.values())) for end in (min, max))
        of_composites = ", ".join(
            f"{words[name]} {different[name]:,}" for name in different if name in made.names
        )
        yield (
            f"Among {over_words(made.among)}, of {counted(test.pairs, 'pair')} these differ by"
            f" {test.words} (p <= {made.power.counts.alpha:g}, uncorrected): {of_composites}; single measures find"
            f" from {min(single.values()):,} ({few}) to {max(single.values()):,} ({many})."
        )


def _names_with(words: Mapping[str, str], values: Mapping[str, float], value: float) -> str:
    """Who has this value, to rounding."""
    return listed([words[name] for name, number in values.items() if abs(number - value) < 1e-12])


def _correlation_words(
    result: CompositesResult, made: CompositesAmong, correlated: CorrelationsResult
) -> Iterator[str]:
    """By level and human measure: the composites' correlations beside the highest of a single measure."""
    coefficient = correlated.coefficients[0]
    for level in correlated.levels:
        for human in made.joined.humans:
            rows = correlated.of(level=level, coefficient=coefficient, human=human.info.measure)
            there = [row for row in rows if not math.isnan(row.value)]
            composites = [row for row in there if row.measure.measure in made.names]
            single = [row for row in there if row.measure.measure not in made.names]
            if not composites or not single:
                continue
            most = max(row.value for row in single)
            words = {row.measure.measure: row.measure.words for row in single}
            values = ", ".join(f"{row.measure.words} {row.value:.2f}" for row in composites)
            best = _names_with(words, {row.measure.measure: row.value for row in single}, most)
            yield (
                f"{where_words(level, made.among, coefficient)}, composites have these correlations with"
                f" {human.info.words}: {values}; the highest of"
                f" {counted(len(single), 'single measure')}, chosen afterwards, is {most:.2f} ({best})."
            )
