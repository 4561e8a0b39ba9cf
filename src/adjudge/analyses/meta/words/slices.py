"""What is said of slices."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.slices import SlicesResult
from adjudge.analyses.meta.words import coefficient_words, over_words
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
    for among in result.among:
        yield from _sentences(result, among)
    yield from _dependent(result)


def about(result: SlicesResult, table: str) -> Iterator[str]:
    for among in result.among:
        if table == f"slices-{among}":
            yield from _sentences(result, among)
            yield from _dependent(result)


def _dependent(result: SlicesResult) -> Iterator[str]:
    for what, too_large in (DEPENDENT[how] for how in result.dependent):
        yield (
            f"{what} change places one by one between slices, as if they were independent: where they are alike, p is"
            f" too small{too_large}."
        )


def _sentences(result: SlicesResult, among: Among) -> Iterator[str]:
    rows, correct = result.of(among), result.options.step_correction
    level = f"at the input level by {coefficient_words(result.coefficient)}, among {over_words(among)}"
    worse = [row for row in rows if row.verdict == "worse"]
    tests = counted(sum(not math.isnan(row.p_adjusted) for row in rows), "test")
    corrected = f"{tests}, not corrected" if correct == "none" else CORRECTIONS[correct].over(tests)
    for row in worse:
        t, p = row.test, p_words(row.p_adjusted, result.options.alpha)
        yield (
            f"{row.measure.words} correlates significantly less with {row.human.words} on topics with"
            f" {row.by} {row.slice}, {level}: {t.inside:.2f} on {counted(t.n_inside, 'topic')},"
            f" {t.outside:.2f} on the other {t.n_outside} ({p}, {corrected})."
        )
    tested = [row for row in rows if row.verdict in ("worse", "better", "not significantly different")]
    by = listed(list(dict.fromkeys(row.by for row in rows)))
    if not tested:
        yield f"No difference between slices by {by} could have been found, {level}: too few topics."
    elif not worse:
        yield (
            f"No measure correlates significantly less on any slice by {by} than on the other topics, {level}"
            f" ({corrected}); that is no proof that none does."
        )
