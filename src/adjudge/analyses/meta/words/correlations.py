"""What is said of correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.meta.correlations import CorrelationsResult, MeasureCorrelation
from adjudge.analyses.meta.words import ROW_NOTES, n_words, where_words
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among
from adjudge.stats.correlation import CorrelationLevel

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
    """For each level, human measure and choice of systems: who correlates most, and whose interval has 0 in it."""
    for level in result.levels:
        for human in result.humans():
            for among in dict.fromkeys(row.among for row in result.rows):
                yield from _sentences(result, level, human, among)


def about(result: CorrelationsResult, table: str) -> Iterator[str]:
    if table in result.groups():
        level, among = result.groups()[table]
        for human in result.humans():
            yield from _sentences(result, level, human, among)


def _sentences(
    result: CorrelationsResult, level: CorrelationLevel, human: str, among: Among
) -> Iterator[str]:
    """Who correlates most and least; whose correlation may be none at all."""
    rows = result.of(level=level, coefficient=result.coefficients[0], human=human, among=among)
    if not rows:
        return
    there = sorted((row for row in rows if not math.isnan(row.value)), key=lambda row: -row.value)
    first = rows[0]
    where = where_words(first.level, first.among, first.coefficient)
    if not there:
        yield f"{where}, no correlation with {first.human.words} can be computed: {first.why}."
        return

    def names(some: list[MeasureCorrelation]) -> str:
        return listed([row.measure.words for row in some], most=9)

    best, last = (  # equal but for rounding
        [row for row in there if math.isclose(row.value, end.value, rel_tol=1e-9, abs_tol=1e-12)]
        for end in (there[0], there[-1])
    )
    one = best[0]
    interval = f"; {result.confidence:.0%} interval {one.low:z.2f} to {one.high:z.2f}" if one.bounded else ""
    verb = "correlates" if len(best) == 1 else "correlate"
    most = " most" if len(best) < len(there) else ""
    least = f", {names(last)} least: {last[0].value:z.2f}" if most else ""
    yield (
        f"{where}, {names(best)} {verb}{most} with {first.human.words}: {one.value:z.2f}"
        f" ({n_words(first.level, one.n)}{interval}){least}."
    )
    if none := [row for row in there if row.low <= 0 <= row.high]:
        single = len(none) == 1
        whose = f"all {len(none)} measures" if len(none) == len(there) > 2 else names(none)
        yield (
            f"{where}, the {'interval' if single else 'intervals'} of {whose}"
            f" {'includes' if single else 'include'} 0: {'it' if single else 'each of them'} may not be correlated"
            f" with {first.human.words} at all."
        )
