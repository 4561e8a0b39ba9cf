"""What is said of slices."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.slices import SlicesResult
from adjudge.analyses.meta.words import SYMBOLS, number, placed
from adjudge.core.words import counted, listed, p_words
from adjudge.data.scores import Among

DIVIDED = " for slices that take them whole, and too large for those that divide them"
NOTES = {
    "no-slices": "no slices by {by}: {why}",
    "slices-of-the-input-level": (
        "slices are of the input level: only there does every topic have a correlation of its own"
    ),
    "slice-not-tested": "not tested: {by} {slice}: {why}",
}
DEPENDENT = {
    "sets": ("Topics of one set", ""),
    "sets-divided": ("Topics of one set", DIVIDED),
    "lengths": ("Lengths of one topic", ""),
    "lengths-divided": ("Lengths of one topic", DIVIDED),
}


def sentences(result: SlicesResult) -> Iterator[str]:
    """Of the first choice of systems; each table has its own lines."""
    among = result.among[0]
    yield from placed("input", among, _lines(result, among))
    yield from _dependent(result)


def about(result: SlicesResult, table: str) -> Iterator[str]:
    for among in result.among:
        if table == f"slices-{among}":
            yield from _lines(result, among)
            yield from _dependent(result)


def _dependent(result: SlicesResult) -> Iterator[str]:
    for what, too_large in (DEPENDENT[how] for how in result.dependent):
        yield (f"{what} are taken as independent: where they resemble each other, p is too small{too_large}.")


def _lines(result: SlicesResult, among: Among) -> Iterator[str]:
    rows, correct = result.of(among), result.options.step_correction
    worse = [row for row in rows if row.verdict == "worse"]
    tests = counted(sum(not math.isnan(row.p_adjusted) for row in rows), "test")
    corrected = f"{tests}, not corrected" if correct == "none" else CORRECTIONS[correct].over(tests)
    for row in worse:
        t, p = row.test, p_words(row.p_adjusted, result.options.alpha)
        yield (
            f"{row.measure.words} correlates significantly less with {row.human.words} where {row.by} is {row.slice}:"
            f" {SYMBOLS[result.coefficient]} = {number(t.inside)} on {counted(t.n_inside, 'topic')},"
            f" {number(t.outside)} on the other {t.n_outside} ({p}, {corrected})."
        )
    tested = [row for row in rows if row.verdict in ("worse", "better", "not significantly different")]
    by = listed(list(dict.fromkeys(row.by for row in rows)))
    if not tested:
        yield f"No slice by {by} has enough topics for a significant difference."
    elif not worse:
        yield f"No measure correlates significantly less on a slice by {by} than on the other topics ({corrected})."
