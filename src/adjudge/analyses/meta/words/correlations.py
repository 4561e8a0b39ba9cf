"""What is said of correlations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

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
    humans = list(dict.fromkeys(row.human.measure for row in result.rows))
    for level in result.levels:
        for human in humans:
            for among in dict.fromkeys(row.among for row in result.rows):
                yield from _of_group(result, level, human, among)


def about(result: CorrelationsResult, table: str) -> Iterator[str]:
    if table in result.groups():
        level, among = result.groups()[table]
        for human in dict.fromkeys(row.human.measure for row in result.rows):
            yield from _of_group(result, level, human, among)


def _of_group(result: CorrelationsResult, level: CorrelationLevel, human: str, among: Among) -> Iterator[str]:
    rows = result.of(level=level, coefficient=result.coefficients[0], human=human, among=among)
    if rows:
        yield from _sentences(result, rows)


def _sentences(result: CorrelationsResult, rows: Sequence[MeasureCorrelation]) -> Iterator[str]:
    """Who correlates most and least; whose correlation may be none at all."""
    there = sorted((row for row in rows if not math.isnan(row.value)), key=lambda row: -row.value)
    first = rows[0]
    where = where_words(first.level, first.among, first.coefficient)
    if not there:
        yield f"{where}, no correlation with {first.human.words} can be computed: {first.why}."
        return
    best, last = _sharing(there, there[0]), _sharing(there, there[-1])
    interval = "" if math.isnan(best[0].low) else f"; {result.confidence:.0%} interval {_ends(best[0])}"
    verb = "correlates" if len(best) == 1 else "correlate"
    most = " most" if len(best) < len(there) else ""
    least = f", {_names(last)} least: {last[0].value:z.2f}" if most else ""
    yield (
        f"{where}, {_names(best)} {verb}{most} with {first.human.words}: {best[0].value:z.2f}"
        f" ({n_words(first.level, best[0].n)}{interval}){least}."
    )
    if none := [row for row in there if row.low <= 0 <= row.high]:
        one = len(none) == 1
        whose = f"all {len(none)} measures" if len(none) == len(there) > 2 else _names(none)
        yield (
            f"{where}, the {'interval' if one else 'intervals'} of {whose} {'includes' if one else 'include'} 0:"
            f" {'it' if one else 'each of them'} may not be correlated with {first.human.words} at all."
        )


def _sharing(rows: Sequence[MeasureCorrelation], one: MeasureCorrelation) -> list[MeasureCorrelation]:
    """The rows whose value is that of one of them, but for rounding."""
    return [row for row in rows if math.isclose(row.value, one.value, rel_tol=1e-9, abs_tol=1e-12)]


def _names(rows: Sequence[MeasureCorrelation]) -> str:
    return listed([row.measure.words for row in rows], most=9)


def _ends(row: MeasureCorrelation) -> str:
    return f"{row.low:z.2f} to {row.high:z.2f}"
