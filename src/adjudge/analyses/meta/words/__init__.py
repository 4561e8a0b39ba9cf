"""What is said of a meta-evaluation, and how its parts name levels, coefficients and systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from adjudge.analyses.phrasebook import interval
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.conclusions import Conclusion
    from adjudge.analyses.meta.better import BetterResult
    from adjudge.analyses.meta.correlations import CorrelationsResult
    from adjudge.analyses.meta.parts import MeasureRow, RowsResult
    from adjudge.analyses.meta.result import MetaResult


LEVEL_WORDS = {
    "system": "systems' means over topics",
    "input": "summaries of one topic, averaged over topics",
    "global": "all summaries at once",
}
_COEFFICIENTS = {
    "pearson": ("Pearson's r", "Pearson"),
    "spearman": ("Spearman's rho", "Spearman"),
    "kendall-b": ("Kendall's tau-b", "Kendall b"),
    "kendall-c": ("Kendall's tau-c", "Kendall c"),
    "acc-eq": ("accuracy with ties (acc-eq, epsilon 0)", "acc-eq"),
    "acc-eq-calibrated": ("acc-eq calibrated on the same topics", "calibrated"),
    "acc-eq-cross-validated": ("acc-eq, cross-validated", "cross-validated"),
    "agreement": ("agreement", "agreement"),
    "pairwise": ("pairwise accuracy", "pairwise"),
    "pairwise-closer": ("pairwise accuracy of close pairs", "pairwise, close pairs"),
    "soft-pairwise": ("soft pairwise accuracy", "soft pairwise"),
}


SYMBOLS = {"pearson": "r", "spearman": "rho", "kendall-b": "tau-b", "kendall-c": "tau-c"}
"""What a coefficient is called beside its number."""


def coefficient_words(coefficient: str, *, short: bool = False) -> str:
    """`Kendall's tau-b`; in a heading `Kendall b`."""
    return _COEFFICIENTS[coefficient][short]


_COUNTED = {"system": ("system", "systems"), "input": ("topic", "topics"), "global": ("summary", "summaries")}


def counted_words(level: str) -> str:
    """`systems`: what a level counts."""
    return _COUNTED[level][1]


def n_words(level: str, n: int) -> str:
    """`12 systems`."""
    return counted(n, *_COUNTED[level])


def plural(unit: str) -> str:
    """`topics`, `sets of topics`."""
    return "sets of topics" if unit == "set of topics" else f"{unit}s"


UNITS = ("systems", "topics", "sets of topics", "assessors")
"""What intervals hold for others of, and tests for others of, in the order in which they are named."""


def like_these(over: Iterable[str], same: Iterable[str] = ()) -> str:
    """For whom an interval holds: `for other systems and topics like these, with the same assessors`."""
    drawn = [unit for unit in UNITS if unit in set(over)]
    kept = [unit for unit in UNITS if unit in set(same) - set(drawn)]
    return f"for other {listed(drawn)} like these{f', with the same {listed(kept)}' if kept else ''}"


TOO_FEW: Conclusion = "could not have been found"
"""The conclusion on a pair for which no p that its test could have given is small enough."""


def conclusion_words(conclusion: Conclusion, units: str) -> str:
    """A conclusion as tables show it: where a test could not have found anything, of what there is too little."""
    return f"too few {units}" if conclusion == TOO_FEW else conclusion


def over_words(among: str) -> str:
    """Which systems were looked at."""
    return {"machines": "machines", "humans": "humans"}.get(among, "all systems")


def at_words(level: str, among: str) -> str:
    """`System level, among machines: `, in front of a sentence that stands alone."""
    return f"{level.capitalize()} level, among {over_words(among)}: "


def placed(level: str, among: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that stand alone: the first says of which level and systems they are."""
    for at, line in enumerate(lines):
        yield line if at else f"{at_words(level, among)}{line}"


def of_first_table(result: RowsResult[Any], about: Callable[..., Iterable[str]]) -> Iterator[str]:
    """What the first table says; the others have their own lines below them."""
    table, place = next(iter(result.groups().items()))
    yield from placed(*place, about(result, table))


def number(value: float) -> str:
    """`.75`, `-.60`, `1.00`: a correlation or a share, as papers print it."""
    text = f"{value:z.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text


def highest(rows: Sequence[MeasureRow], what: str, confidence: float, *, on: str = "") -> str:
    """Who has most of something, and who least: `NAMS has the highest r with relevance, .34; ...`.

    Equal is what the table shows as equal.
    """
    order = sorted((row for row in rows if not math.isnan(row.value)), key=lambda row: -row.value)
    if not order:
        why = "; ".join(dict.fromkeys(row.why for row in rows if row.why))
        return f"No {what} with {rows[0].human.words}: {why}."
    best, last = (
        [row for row in order if f"{row.value:.3f}" == f"{end.value:.3f}"] for end in (order[0], order[-1])
    )
    one = best[0]
    names, lowest = (listed([row.measure.words for row in some], most=9) for some in (best, last))
    interval = ""
    if len(best) == 1 and not math.isnan(one.low):
        interval = f"{confidence:.0%} interval {number(one.low)} to {number(one.high)}"
    more = "; ".join(filter(None, (on, interval)))
    more, human, value = f" ({more})" if more else "", one.human.words, number(one.value)
    if len(order) == 1:
        return f"{names} has {what} = {value} with {human}{more}."
    have = "has" if len(best) == 1 else "have"
    if len(best) == len(order):
        return f"{names} have the same {what} with {human}, {value}{more}."
    least = f"{lowest} the lowest, {number(last[0].value)}"
    return f"{names} {have} the highest {what} with {human}, {value}{more}; {least}."


def interval_words(low: float, high: float) -> str:
    """` (0.10 to 0.66)`; empty where there is none."""
    return interval(low, high, ".2f")


def signed(value: float) -> str:
    """`+0.12`; with more decimals where two would hide on which side of 0 it is."""
    for digits in (2, 3, 4):
        text = f"{value:+.{digits}f}"
        if float(text):
            return text
    return f"{value:+z.2f}"


# Notes of several parts, about one number


def _row(
    measure: str, human: str, level: str, coefficient: str | None = None, among: str | None = None
) -> str:
    parts = [f"{measure} with {human}", f"{level} level"]
    parts += [coefficient_words(coefficient)] if coefficient else []
    return ", ".join([*parts, *([f"among {over_words(among)}"] if among else [])])


ROW_NOTES = {
    "no-value": lambda why, **row: f"{_row(**row)}: blank ({why})",
    "no-interval": lambda why, **row: f"{_row(**row)}: no interval ({why})",
}


# Notes of the whole


def _left_out(n: int, what: str, more: str) -> str:
    return f"{counted(n, what)} that nobody judged {'is' if n == 1 else 'are'} left out{more}"


NOTES = {
    "of-one-target": "scores are of summaries of {target}",
    "people-by-assessors": lambda measures: (
        f"people's measures, because assessors gave them: {listed(measures, most=9)};"
        f"{' sentences are about the first,' if len(measures) > 1 else ''} {Argument('people', 'MEASURE')} names others"
    ),
    "systems-not-judged": lambda systems: _left_out(len(systems), "system", f": {listed(systems)}"),
    "topics-not-judged": lambda n: _left_out(n, "topic", " of the measures' scores too"),
    "lower-is-better": lambda measures: (
        f"of {listed(measures)} lower scores are better: a positive correlation is agreement with people"
    ),
    "corrected-otherwise": lambda correct, parts: (
        f"{correct} is no correction of {listed(parts)}: Holm's is taken there"
    ),
}


def methods(result: MetaResult) -> Iterator[str]:
    """How measures were compared with people: of the correlations, the ceiling and the groups, where they are."""
    from adjudge.analyses.corrections import CORRECTIONS
    from adjudge.analyses.methods import cite

    people = listed([human.info.words for human in result.cells.humans], most=len(result.cells.humans))
    correlated = cast("CorrelationsResult | None", result.parts.get("correlations"))
    if correlated is not None:
        o = result.asked
        cited = cite("kendall1945") if "kendall-b" in o.correlated_by else ""
        names = listed([coefficient_words(coefficient) for coefficient in o.correlated_by])
        levels = listed([f"the {level} level" for level in o.levels])
        yield (
            f"{counted(len(result.cells.measures), 'automatic measure')}"
            f" {'was' if len(result.cells.measures) == 1 else 'were'} compared with people's judgments ({people}) by"
            f" {names}{cited} at {levels}, among {listed([over_words(among) for among in result.among])}."
        )
        if correlated.meanings:
            rank = ["fieller1957"] if "kendall-b" in o.correlated_by and "system" in o.levels else []
            drawn = {"all": ["systems", "inputs", "assessors"], "both": ["systems", "inputs"]}.get(
                o.resample, [o.resample]
            )
            if not any(human.assessors for human in result.cells.humans):
                drawn = [unit for unit in drawn if unit != "assessors"]
            yield (
                f"{100 * correlated.confidence:g}% intervals of the correlations, by Fisher's z and"
                f" {o.interval_resamples:,} resamples{cite(*rank, 'deutsch2021')}, are for other {listed(drawn)} like"
                " these."
            )
    if "ceiling" in result.parts:
        yield (
            "As the human ceiling, each assessor was compared with the mean of the others, and every measure with the"
            " same means."
        )
    better = cast("BetterResult | None", result.parts.get("better"))
    if better is not None and any(comparison.pairs for comparison in better.comparisons):
        first = better.comparisons[0]
        by = (
            f"permutation tests{cite('deutsch2021')}"
            if first.asked.measure_test == "permutation"
            else "Williams' test"
        )
        correction = CORRECTIONS[first.correct]
        how = f"{correction.methods_name}{cite(*correction.cite)}"
        yield f"Correlations of every two measures with people were compared by {by}, with {how}."
