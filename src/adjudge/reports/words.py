"""What the report says in words around its tables, and the commands that make it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.methods import without_intervals
from adjudge.analyses.pages.names import Name, in_words
from adjudge.core.phrases import spoken
from adjudge.core.words import capitalised, in_shell
from adjudge.data.collection import Collection
from adjudge.data.scores import form_words
from adjudge.reports.sections import MOST_SYSTEMS, level_words, mean_format

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


def targets(comparisons: Sequence[Comparison], collection: Collection) -> list[str]:
    """The target length and form of every comparison, where there is more than one that it could be."""
    several = len({c.matrix.length for c in comparisons} | set(collection.lengths)) > 1
    forms = len({c.matrix.target.form for c in comparisons} | set(collection.forms)) > 1
    return [
        ", ".join(
            [
                *([f"{c.matrix.length:,} words"] if several and c.matrix.length else []),
                *([form_words(c.matrix.only_form)] if forms else []),
            ]
        )
        for c in comparisons
    ]


def headline(comparison: Comparison, *, named: bool = False) -> str:
    """The comparison's own, except for a description, of which nothing is better; then what leaving out changes.

    With the measure, where it is `named`.
    """
    from adjudge.analyses.compare.words import headline as compared

    if comparison.matrix.info.better is not None:
        changed = comparison.changes.sentences() if comparison.changes else ()
        return " ".join([spoken(compared(comparison, named=named), "python"), *changed])
    form = mean_format(comparison)
    first, last = comparison.standings[0], comparison.standings[-1]
    if first is last:
        return f"On {comparison.matrix.info.words}, a description, {first.system} has a mean of {form(first.mean)}."
    return (
        f"On {comparison.matrix.info.words}, a description, nothing is better or worse:"
        f" means run from {form(last.mean)} ({last.system}) to {form(first.mean)} ({first.system})."
    )


def cheapest_words(comparison: Comparison, collection: Collection, names: Mapping[str, Name]) -> str:
    """The cheapest of those that may be the best, where systems say what they take."""
    from adjudge.analyses.compare.cost import cheapest

    result = cheapest(
        in_words(comparison, dict(names)),
        {names[s].shown: row for s, row in collection.systems.items() if s in names},
    )
    return "" if result is None else result.headline()


def notes_hint(number: int) -> str:
    if number < 2:
        return "read the note first" if number else ""
    return f"read the {number} notes first"


def reading(comparison: Comparison) -> tuple[str, ...]:
    """How to read the league table, a paragraph each: its order, its intervals, its letters."""
    from adjudge.analyses.compare.words import ORDERED
    from adjudge.analyses.corrections import CORRECTIONS
    from adjudge.stats.paired import test_words

    info, standings, sampled = comparison.matrix.info, comparison.standings, comparison.sampled
    order = f"Systems stand in the order of their means over topics; {info.direction}."
    if info.better is None:
        order = (
            "A description, with no direction: systems stand in the order of their means, the highest first."
        )
    elif comparison.ordering:
        order = f"{capitalised(ORDERED[comparison.ordering])}; {info.direction}."
    of = "sets of topics" if comparison.codes is not None else "topics"
    interval = (
        f"The bar is the {level_words(comparison.level)} interval of the mean (Student's t), the mark in it the"
        f" mean: how far it would move had the {of} been others."
    )
    if all(s.n < 2 for s in standings):
        interval = "There are no intervals: they need two topics at least."
    elif all(s.low != s.low for s in standings):
        interval = " ".join(without_intervals([comparison]))
    elif comparison.modelled:
        others = "topics and assessors" if sampled else "topics"
        interval = (
            f"The bar is the {level_words(comparison.level)} interval of a system's distance from the average system,"
            f" about its mean: how far it would move had {others} been others."
        )
    elif comparison.interval == "clopper-pearson":
        interval = (
            f"The bar is the {level_words(comparison.level)} interval of the mean (Clopper and Pearson's, for scores of"
            " 0 and 1), the mark in it the mean."
        )
    if info.better is None or len(standings) < 2:
        return order, interval
    alpha = f"{comparison.alpha:g}".removeprefix("0")
    letters = (
        "Systems that share a letter are not significantly different; systems without a common letter are"
        f" ({test_words(comparison.tested[comparison.test].results.test)}"
        f"{CORRECTIONS[comparison.asked.correct].over_pairs(comparison.corrected)}, at {alpha})."
        f" The test compares systems topic by topic{' and assessor by assessor' if comparison.modelled else ''}, so two"
        " can differ although their intervals overlap."
    )
    return order, interval, letters


def pairs_about(comparison: Comparison) -> str:
    if len(comparison.standings) > MOST_SYSTEMS:
        return (
            f"With {len(comparison.standings)} systems a table of systems against systems is too large to read here;"
            " all pairs are in the CSV."
        )
    return (
        "Hold a row against a column: the arrow points at the better of the two, ← at the row's system,"
        " ↑ at the column's. ≈ means that they are not significantly different, · that a difference could not have"
        " been found, ? that the test cannot be computed."
        " Where scripts run, every cell tells its test and corrected p when you point at it."
    )


def commands(comparisons: Sequence[Comparison], scores: str = ".") -> tuple[str, ...]:
    """What makes the report again from `scores`, as a shell has it. Comparisons made in the same way share a line."""
    lines = []
    if scores.split(" ", 1)[0] == ".":
        # Scores made elsewhere have a colon in their name: there is nothing to run for them.
        ours = dict.fromkeys(c.measure for c in comparisons if ":" not in c.measure.partition("(")[0])
        lines = [f"adjudge score .{_measures(ours)}"] if ours else []
    target = ""
    for name in ("length", "form"):
        values = {getattr(comparison.matrix, name) for comparison in comparisons}
        target += f" --{name} {values.pop()}" if len(values) == 1 and None not in values else ""
    alike: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        alike.setdefault(_options(comparison), {})[comparison.measure] = None
    lines += [f"adjudge report {scores}{_measures(m)}{target}{options}" for options, m in alike.items()]
    return tuple(lines)


def _measures(measures: Iterable[str]) -> str:
    return "".join(f" -m {in_shell(measure)}" for measure in measures)


def _options(comparison: Comparison) -> str:
    """The seed, and what is not as it would be anyway; some of that can be asked for in Python only."""
    asked = comparison.asked.on_anything
    elsewhere = ("seed", "skip_missing", "assessor_effects")
    changed = {name: value for name, value in asked.changed().items() if name not in elsewhere}
    options = "".join(f" --{k} {changed.pop(k)}" for k in ("test", "correct") if k in changed)
    whose = comparison.population
    if whose is not None and whose.pairs is not None and whose.effects == "fixed":
        options += " --assessor-effects fixed"
    rest = ", ".join(f"{k}={v}" for k, v in changed.items())
    return f"{options} --seed {asked.seed}{f'  # and, in Python: {rest}' if rest else ''}"
