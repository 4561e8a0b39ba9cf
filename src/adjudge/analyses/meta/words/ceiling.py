"""What is said of ceiling."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.meta.ceiling import AssessorsCeiling, CeilingResult
from adjudge.analyses.meta.words import (
    ROW_NOTES,
    SYMBOLS,
    coefficient_words,
    number,
    of_first_table,
    over_words,
)
from adjudge.core.words import counted, listed

NOTES = {
    **ROW_NOTES,
    "no-ceiling": "{why}",
    "judgments-without-assessor": "{human}: judgments that name no assessor are not in the human ceiling",
    "judged-by-one": lambda human, among, n, shared: (
        f"{human}, among {over_words(among)}:"
        f" {counted(n, 'summary was', 'summaries were')} judged by one assessor alone and left out; {shared:,} count"
    ),
    "assessors-without-coefficient": lambda human, level, coefficient, among, assessors: (
        f"{human}, {level} level, {coefficient_words(coefficient)}, among {over_words(among)}: {listed(assessors)}"
        f" {'has' if len(assessors) == 1 else 'have'} no coefficient with the others and"
        f" {'does' if len(assessors) == 1 else 'do'} not count"
    ),
    "for-these-assessors": lambda human, n: (
        f"{human}: intervals hold for these assessors{' (there are two)' if n == 2 else ''}, how far others would"
        " differ is not in them"
    ),
}


def sentences(result: CeilingResult) -> Iterator[str]:
    yield from of_first_table(result, about)


def about(result: CeilingResult, table: str) -> Iterator[str]:
    """By human measure and the first coefficient: the ceiling, and who is where."""
    if table in result.groups():
        for ceiling in result.first_of(*result.groups()[table]):
            yield from _lines(result, ceiling)


def _lines(result: CeilingResult, ceiling: AssessorsCeiling) -> Iterator[str]:
    name = ceiling.human.words
    if math.isnan(ceiling.value):
        yield f"There is no human ceiling for {name}: no assessor has a coefficient with the others."
        return
    rows = result.of(
        level=ceiling.level,
        coefficient=ceiling.coefficient,
        human=ceiling.human.measure,
        among=ceiling.among,
    )
    value = f"{SYMBOLS[ceiling.coefficient]} = {number(ceiling.value)}"
    ceilings = [row.ceiling for row in rows if not math.isnan(row.ceiling)]
    if any(f"{value:.3f}" != f"{ceiling.value:.3f}" for value in ceilings):
        least, most = number(min(ceilings)), number(max(ceilings))
        value += f" ({least if least == most else f'{least} to {most}'} on what a measure has scores of)"
    assessors = counted(ceiling.assessors, "assessor")
    yield f"The human ceiling for {name} is {value}: one assessor with the mean of the others ({assessors})."
    places = {
        "Above the ceiling": [row.measure.words for row in rows if row.low > 0],
        "Below the ceiling": [row.measure.words for row in rows if row.high < 0],
        "Not significantly different": [row.measure.words for row in rows if row.low <= 0 <= row.high],
    }
    for place, names in places.items():
        if names:
            yield f"{place}: {listed(names, most=9)}."
