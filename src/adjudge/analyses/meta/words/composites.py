"""What is said of composites."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from adjudge.analyses.meta.composites import CompositesAmong, CompositesResult
from adjudge.analyses.meta.correlations import CorrelationsResult
from adjudge.analyses.meta.words import SYMBOLS, at_words, number, over_words
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
    """Of the first choice of systems; the tables have the others."""
    made, correlated = result.made[0], result.correlated[0]
    yield from _correlations(made, correlated)
    yield _variance(made)


def about(result: CompositesResult, table: str) -> Iterator[str]:
    for made, correlated in zip(result.made, result.correlated, strict=True):
        if table == made.name:
            yield from _correlations(made, correlated)
            yield _variance(made)


def _correlations(made: CompositesAmong, correlated: CorrelationsResult) -> Iterator[str]:
    """By human measure, at the first level: the composites and the highest single measure."""
    level, coefficient = correlated.levels[0], correlated.coefficients[0]
    for human in made.joined.humans:
        rows = correlated.of(level=level, coefficient=coefficient, human=human.info.measure)
        there = [row for row in rows if not math.isnan(row.value)]
        composites = [row for row in there if row.measure.measure in made.names]
        single = [row for row in there if row.measure.measure not in made.names]
        if composites and single:
            values = ", ".join(f"{row.measure.words} {number(row.value)}" for row in composites)
            best = max(single, key=lambda row: row.value)
            yield (
                f"{at_words(level, made.among)}{SYMBOLS[coefficient]} with {human.info.words}: {values}; best single"
                f" measure, chosen afterwards: {best.measure.words}, {number(best.value)}."
            )


def _variance(made: CompositesAmong) -> str:
    first = made.components.loadings[0]
    largest = [made.measures[int(k)].words for k in np.argsort(-np.abs(first), kind="stable")[:3]]
    against = [m.words for m, loading in zip(made.measures, first, strict=True) if loading < -1e-9]
    turned = f"; with the opposite sign: {listed(against)}" if against else ""
    return (
        f"The first principal component of {counted(len(made.measures), 'measure')} holds"
        f" {made.components.shares[0]:.0%} of their variance; largest loadings: {listed(largest)}{turned}."
    )
