"""What is said of power."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analyses.counts.result import CountsByMeasure
from adjudge.analyses.meta.power import PowerResult
from adjudge.core.words import counted, listed

NOTES = {
    "measures-without-scores": lambda measures: f"{listed(measures)}: no scores on these topics",
    "more-is-not-right": (
        "finding more differences is not finding the right ones: see how far conclusions agree with people's"
    ),
    "means-over-assessors": "people's scores are means over assessors: their counts hold for those who judged",
    "pairs-not-counted": lambda measure, test, untested, out_of_reach: (
        f"{measure}, {test}: {_not_counted(untested, out_of_reach)}"
    ),
}


def _not_counted(untested: int, out_of_reach: int) -> str:
    parts = [f"{counted(untested, 'pair')} could not be tested"] if untested else []
    parts += [f"{counted(out_of_reach, 'pair')} could not have been found"] if out_of_reach else []
    return listed(parts)


def sentences(result: PowerResult) -> Iterator[str]:
    """By test: the automatic measure that finds most, beside what people's measures find."""
    for at, test in enumerate(result.counts.measures[0].tests):
        yield _most(result, at, test.words, cross=False)
        if result.crossed:
            yield _most(result, at, test.words, cross=True)


def about(result: PowerResult, table: str) -> Iterator[str]:
    if table in ("power", "power-human-machine"):
        for at, test in enumerate(result.counts.measures[0].tests):
            yield _most(result, at, test.words, cross=table != "power")


def _most(result: PowerResult, at: int, test: str, *, cross: bool) -> str:
    def share(row: CountsByMeasure) -> float:
        n, of = _found(row, at, cross)
        return n / of if of else -1.0

    automatic = [row for row in result.counts.measures if row.measure not in result.humans]
    people = [row for row in result.counts.measures if row.measure in result.humans]
    where = "pairs of a human and a machine" if cross else "pairs of systems"
    most = max(map(share, automatic), default=-1.0)
    if most < 0:
        return f"By {test} (uncorrected) no automatic measure has {where} to test."
    best = [row for row in automatic if share(row) == most]
    leaders = listed([_found_words(result, row, at, cross) for row in best], most=4)
    start = f"Most differences among {where} by {test} (uncorrected) are found by"
    if len(automatic) == 1:
        start = f"Differences among {where} by {test} (uncorrected):"
    elif len(best) == len(automatic):
        start = f"All automatic measures find the same share of differences among {where} by {test} (uncorrected):"
    beside = "; ".join(_found_words(result, row, at, cross) for row in people)
    return f"{start} {leaders}{f'; people: {beside}' if beside else ''}."


def _found_words(result: PowerResult, row: CountsByMeasure, at: int, cross: bool) -> str:
    n, of = _found(row, at, cross)
    test = row.tests[at]
    sides = f"human better in {test.human_better:,}, machine in {test.machine_better:,}"
    return f"{result.titles[row.measure].words} {n:,} of {of:,}{f' ({sides})' if cross else ''}"


def _found(row: CountsByMeasure, at: int, cross: bool) -> tuple[int, int]:
    test = row.tests[at]
    return (test.cross_different, row.cross) if cross else (test.different, test.pairs)
