"""What is said of accuracy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from adjudge.analyses.meta.accuracy import (
    AGREEMENT,
    CLOSER,
    CROSSED,
    PLAIN,
    SOFT,
    SYSTEM,
    AccuracyResult,
    MeasureAccuracy,
)
from adjudge.analyses.meta.words import ROW_NOTES, over_words, where_words
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among

_LACKING = {
    "input": ("pair of summaries lacks a score", "pairs of summaries lack a score"),
    "system": ("pair of systems has no common topic", "pairs of systems have no common topic"),
}
NOTES = {
    **ROW_NOTES,
    "judged-topics-alone": (
        "accuracy is about the topics that people judged: further scores of measures do not count"
    ),
    "pairs-left-out": lambda measure, human, level, among, n: (
        f"{measure} with {human}, {level} level, among {over_words(among)}: {counted(n, *_LACKING[level])} and"
        f" {'is' if n == 1 else 'are'} left out"
    ),
    "people-tie": lambda n, pairs, human, among: (
        f"people tie {n:,} of {counted(pairs, 'pair')} of summaries on {human}, among {over_words(among)}: agreement"
        " leaves these out, acc-eq counts a measure right that ties them too"
    ),
    "some-thresholds-tried": lambda measures, n: (
        f"{listed(measures)}: cross-validated, epsilon is chosen among {n:,} of the differences"
    ),
    "calibrated-on-the-same-topics": (
        "calibrated acc-eq has no interval: its epsilon was chosen on the same topics, which flatters; cross-validated,"
        " epsilon is chosen on other topics, anew in every resample"
    ),
}


def sentences(result: AccuracyResult) -> Iterator[str]:
    for level, among in result.groups().values():
        yield from _sentences(result, level, among)


def about(result: AccuracyResult, table: str) -> Iterator[str]:
    if table in result.groups():
        yield from _sentences(result, *result.groups()[table])


def _sentences(result: AccuracyResult, level: str, among: Among) -> Iterator[str]:
    for human in result.humans():
        for coefficient in (AGREEMENT, CROSSED) if level == "input" else SYSTEM:
            if rows := result.of(coefficient=coefficient, human=human, among=among):
                yield _highest(result, rows)


def _highest(result: AccuracyResult, rows: Sequence[MeasureAccuracy]) -> str:
    """Who has most of one accuracy, and who has least."""
    first = rows[0]
    where = where_words(first.level, first.among)
    there = sorted((row for row in rows if not math.isnan(row.value)), key=lambda row: -row.value)
    name = _NAMES[first.coefficient]
    if first.coefficient == CLOSER:
        name += f" less than {first.closer_than:g} apart on {first.human.words}"
    article = "an" if name[0] in "aeiou" else "a"
    if not there:
        reasons = dict.fromkeys(row.why for row in rows if row.why)
        return f"{where}, no measure has {article} {name}: {'; '.join(reasons)}."
    # Equal is what the table shows as equal, so that no sentence orders what looks the same beside it.
    best, last = ([row for row in there if _shown(row) == _shown(end)] for end in (there[0], there[-1]))
    one = best[0]
    alike = _shown(one) == _shown(last[0])
    interval = ""
    if len(best) == 1 and not math.isnan(one.low):
        interval = f"; {result.confidence:.0%} interval {one.low:.2f} to {one.high:.2f}"
    counts = dict.fromkeys(map(_counts, best))
    rests = f" ({next(iter(counts))}{interval})" if len(counts) == 1 else ""
    most = "the highest" if not alike else article if len(best) == 1 else "the same"
    least = "" if alike else f"; {_who(last)} the lowest: {_in_words(last[0], one)}"
    whom = "" if first.coefficient == CLOSER else f" with {one.human.words}"
    return f"{where}, {_who(best)} {most} {name}{whom}: {_in_words(one, last[0])}{rests}{least}."


_NAMES = {
    AGREEMENT: "agreement (pairs that people tell apart and the measure orders alike)",
    CROSSED: "cross-validated accuracy with ties (acc-eq)",
    SOFT: "soft pairwise accuracy",
    PLAIN: "pairwise accuracy",
    CLOSER: "pairwise accuracy of systems",
}


def _shown(row: MeasureAccuracy) -> str:
    """The number as the table has it."""
    return f"{row.value:.3f}"


def _in_words(row: MeasureAccuracy, other: MeasureAccuracy) -> str:
    """With two decimals, or three where two would not tell it from the other end."""
    short = f"{row.value:.2f}"
    return short if short != f"{other.value:.2f}" or _shown(row) == _shown(other) else _shown(row)


def _who(rows: Sequence[MeasureAccuracy]) -> str:
    return f"{listed([row.measure.words for row in rows])} {'has' if len(rows) == 1 else 'have'}"


def _counts(row: MeasureAccuracy) -> str:
    """What a number rests on."""
    if row.level == "input":
        return f"{counted(row.n, 'topic')}, {counted(row.pairs, 'pair')}"
    pairs = counted(row.pairs, "pair")
    return pairs if row.coefficient == SOFT else f"{round(row.value * row.pairs):,} of {pairs}"
