"""What is said of correlations."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analyses.meta.correlations import CorrelationsResult
from adjudge.analyses.meta.words import ROW_NOTES, SYMBOLS, highest, of_first_table
from adjudge.core.words import counted, listed

NOTES = {
    **ROW_NOTES,
    "intervals-cover": "the intervals cover {meaning}",
    "judged-without-score": lambda measure, human, n: (
        f"{measure}: {counted(n, 'summary', 'summaries')} that people judged on {human} {'has' if n == 1 else 'have'}"
        f" no score and {'is' if n == 1 else 'are'} left out"
    ),
    "topics-without-correlation": lambda measure, human, level, n: (
        f"{measure} with {human}, {level} level: {counted(n, 'topic')} without a correlation (all summaries alike, or"
        " too few)"
    ),
}


def sentences(result: CorrelationsResult) -> Iterator[str]:
    yield from of_first_table(result, about)


def about(result: CorrelationsResult, table: str) -> Iterator[str]:
    """By human measure: who correlates most, and whose interval has 0 in it."""
    if table not in result.groups():
        return
    level, among = result.groups()[table]
    coefficient = result.coefficients[0]
    for human in result.humans():
        rows = result.of(level=level, coefficient=coefficient, human=human, among=among)
        yield highest(rows, SYMBOLS[coefficient], result.confidence)
        there = [row for row in rows if row.bounded]
        none = [row.measure.words for row in there if row.low <= 0 <= row.high]
        if len(none) == len(there) > 1:
            yield f"All {len(none)} intervals include 0: no correlation is certain."
        elif none and len(there) == 1:
            yield "The interval includes 0: it may not be correlated at all."
        elif none:
            includes, it = (
                ("interval of {} includes", "it") if len(none) == 1 else ("intervals of {} include", "they")
            )
            yield f"The {includes.format(listed(none, most=9))} 0: {it} may not be correlated at all."
