"""What is said of ceiling."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.meta.ceiling import AssessorsCeiling, CeilingResult
from adjudge.analyses.meta.words import ROW_NOTES, coefficient_words, over_words, signed, where_words
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
    """For each level, human measure and choice of systems, by the first coefficient: the ceiling, who is where."""
    for table in result.groups():
        yield from about(result, table)


def about(result: CeilingResult, table: str) -> Iterator[str]:
    if table in result.groups():
        for ceiling in result.first_of(*result.groups()[table]):
            yield from _sentences(result, ceiling)


def _sentences(result: CeilingResult, ceiling: AssessorsCeiling) -> Iterator[str]:
    where = where_words(ceiling.level, ceiling.among, ceiling.coefficient)
    name = ceiling.human.words
    if math.isnan(ceiling.value):
        yield f"{where}, there is no human ceiling for {name}: no assessor has a coefficient with the others."
        return
    rows = result.of(
        level=ceiling.level,
        coefficient=ceiling.coefficient,
        human=ceiling.human.measure,
        among=ceiling.among,
    )
    ceilings = [row.ceiling for row in rows if not math.isnan(row.ceiling)]
    differ = any(f"{value:.3f}" != f"{ceiling.value:.3f}" for value in ceilings)
    assessors = f"averaged over {counted(ceiling.assessors, 'assessor')}"
    if not differ:
        yield (
            f"{where}, the human ceiling for {name} is {ceiling.value:.2f}: an assessor with the mean of the"
            f" others, {assessors}."
        )
    else:
        low, high = f"{min(ceilings):.3f}", f"{max(ceilings):.3f}"
        yield (
            f"{where}, the human ceiling for {name} is {low if low == high else f'{low} to {high}'}, an assessor"
            " with the mean of the others on the summaries that"
            f" {'the measure has' if len(ceilings) == 1 else 'each measure has'}; on all that were judged it is"
            f" {ceiling.value:.3f}, {assessors}."
        )
    for words, which in (
        ("above", [row for row in rows if row.low > 0]),
        ("below", [row for row in rows if row.high < 0]),
        ("not significantly different from", [row for row in rows if row.low <= 0 <= row.high]),
    ):
        names = []
        for row in which:  # where measures have ceilings of their own, both numbers
            both = f"{row.value:.3f} and {row.ceiling:.3f}: " if differ else ""
            difference = f"{signed(row.difference)}; {signed(row.low)} to {signed(row.high)}"
            names.append(f"{row.measure.words} ({both}{difference})")
        if names:
            yield (
                f"{where}, {listed(names, most=9)} {'is' if len(names) == 1 else 'are'} {words} the human ceiling for"
                f" {name}, with {result.confidence:.0%} intervals of the difference."
            )
