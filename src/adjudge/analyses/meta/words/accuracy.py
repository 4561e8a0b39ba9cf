"""What is said of accuracy."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analyses.meta.accuracy import AGREEMENT, PLAIN, AccuracyResult
from adjudge.analyses.meta.words import ROW_NOTES, highest, of_first_table, over_words
from adjudge.core.words import counted, listed

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
    yield from of_first_table(result, about)


def about(result: AccuracyResult, table: str) -> Iterator[str]:
    """By human measure: who orders most pairs as people do; the table has the other accuracies."""
    if table not in result.groups():
        return
    level, among = result.groups()[table]
    for human in result.humans():
        rows = result.of(coefficient=AGREEMENT if level == "input" else PLAIN, human=human, among=among)
        one = rows[0]
        on = counted(one.pairs, "pair")
        if level == "input":
            on = f"{counted(one.n, 'topic')}, {on}"
        what = "agreement" if level == "input" else "pairwise accuracy"
        same = len({(row.n, row.pairs) for row in rows}) == 1
        yield highest(rows, what, result.confidence, on=on if same else "")
