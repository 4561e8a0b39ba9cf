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
    if out_of_reach:
        verb = "differs" if out_of_reach == 1 else "differ"
        parts.append(f"{counted(out_of_reach, 'pair')} {verb} on too few topics to be significant")
    return listed(parts)


def sentences(result: PowerResult) -> Iterator[str]:
    """By test: the automatic measure that finds most, and what people's measures find."""
    yield from about(result, "power")


def about(result: PowerResult, table: str) -> Iterator[str]:
    if table in ("power", "power-human-machine"):
        for at, test in enumerate(result.counts.measures[0].tests):
            yield _most(result, at, test.words, cross=table != "power")


def _most(result: PowerResult, at: int, test: str, *, cross: bool) -> str:
    def counts(row: CountsByMeasure) -> tuple[int, int]:
        test = row.tests[at]
        return (test.cross_different, row.cross) if cross else (test.different, test.pairs)

    def words(row: CountsByMeasure) -> str:
        n, of = counts(row)
        return f"{result.titles[row.measure].words} {n:,} of {of:,}"

    automatic = [row for row in result.counts.measures if row.measure not in result.humans and counts(row)[1]]
    if not automatic:
        return f"By {test}, no automatic measure has pairs to test."
    shares = {row.measure: counts(row)[0] / counts(row)[1] for row in automatic}
    best = [row for row in automatic if shares[row.measure] == max(shares.values())]
    most = " (the most)" if len(best) < len(automatic) else ""
    people = "; ".join(words(row) for row in result.counts.measures if row.measure in result.humans)
    return f"Differences by {test}: {listed(list(map(words, best)), most=4)}{most}; people: {people}."
