"""What the report says in words around its tables. The findings themselves are worded in compare.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.data.collection import Collection
from adjudge.reports.league import level_words, mean_format
from adjudge.reports.pairs import MOST_SYSTEMS

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison


def titles(comparisons: Sequence[Comparison], collection: Collection) -> list[str]:
    """The measure, and the target length where there is more than one that it could be."""
    several = len({c.matrix.length for c in comparisons} | set(collection.lengths)) > 1
    return [
        f"{c.measure}, {c.matrix.length:,} words" if several and c.matrix.length else c.measure
        for c in comparisons
    ]


def headline(comparison: Comparison) -> str:
    """The comparison's own, except for a description, of which nothing is better."""
    if comparison.matrix.info.better is not None:
        return comparison.headline()
    form = mean_format(comparison)
    first, last = comparison.standings[0], comparison.standings[-1]
    if first is last:
        return f"On {comparison.measure}, a description, {first.system} has a mean of {form(first.mean)}."
    return (
        f"On {comparison.measure}, a description, nothing is better or worse:"
        f" means run from {form(last.mean)} ({last.system}) to {form(first.mean)} ({first.system})."
    )


def notes_hint(number: int) -> str:
    if number < 2:
        return "read the note first" if number else ""
    return f"read the {number} notes first"


def reading(comparison: Comparison) -> tuple[str, ...]:
    """How to read the league table, a paragraph each."""
    return tuple(text for text in (_order(comparison), _interval(comparison), _letters(comparison)) if text)


def pairs_about(comparison: Comparison) -> str:
    if len(comparison.standings) > MOST_SYSTEMS:
        return (
            f"With {len(comparison.standings)} systems the table of all pairs is too large to read here;"
            " it is in the CSV."
        )
    return (
        "Hold a row against a column: the arrow points at the better of the two, ← at the row's system,"
        " ↑ at the column's. ≈ means that they cannot be told apart, ? that the test cannot be computed."
        " Every cell tells its test and corrected p when you point at it."
    )


def _order(comparison: Comparison) -> str:
    info = comparison.matrix.info
    if info.better is None:
        return (
            "A description, with no direction: systems stand in the order of their means, the highest first."
        )
    return f"Systems stand in the order of their means over topics; {info.direction}."


def _interval(comparison: Comparison) -> str:
    if all(s.n < 2 for s in comparison.standings):
        return "There are no intervals: they need two topics at least."
    return (
        f"The bar is the {level_words(comparison.level)} bootstrap interval of the mean, the mark in it the"
        " mean: how far it would move had the topics been others"
        f" ({comparison.resamples:,} resamples of the topics)."
    )


def _letters(comparison: Comparison) -> str:
    from adjudge.comparisons.tests import CORRECTION_BY
    from adjudge.stats.results import TEST_WORDS

    if comparison.matrix.info.better is None or len(comparison.standings) < 2:
        return ""
    alpha = f"{comparison.alpha:g}".removeprefix("0")
    return (
        "Systems that share a letter cannot be told apart; systems without a common letter differ"
        f" ({TEST_WORDS[comparison.test]} test, {CORRECTION_BY[comparison.choices.correct]}, below {alpha})."
        " The test compares systems topic by topic, so two can differ although their intervals overlap."
    )
