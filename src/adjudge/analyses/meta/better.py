"""Which measure is closer to people? Every two measures compared by their correlations with the same human scores.

By permutation tests that swap the two measures (Deutsch, Dror and Roth 2021), or by Williams' test (Graham and Baldwin
2014), with groups of measures that do not differ significantly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge import __version__
from adjudge.analyses.conclusions import Conclusion
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray
    from adjudge.stats.correlation import Coefficient, CorrelationLevel
    from adjudge.stats.measure_tests import MeasureGroups, MeasurePairs, Swap
    from adjudge.stats.multiple import Correction

RESAMPLES = 10_000
"""Swaps at the least; where the correction for many pairs asks for smaller p-values, there are more."""
PER_PAIR = 10
"""Swaps for each p as small as alpha divided by the number of pairs: its smallest p is then a tenth of it."""
MOST_RESAMPLES = 100_000
TINY = 1e-300
"""A p below this is shown as such: t has no more digits there."""

MeasureTest = Literal["permutation", "williams"]
SWAPPED = {"systems": "over systems", "inputs": "over topics", "both": "over systems and topics"}


@dataclass(frozen=True)
class MeasurePair:
    """Two measures, by their correlations with people over the summaries that all three have."""

    a: MeasureInfo
    b: MeasureInfo
    value_a: float
    value_b: float
    p: float
    corrected: float
    least: float
    """The smallest p that the test could have given."""
    conclusion: Conclusion
    systems: int
    topics: int
    cells: int
    undefined: tuple[int, int]
    """At the input level: topics where a, and where b, has no correlation; the mean leaves them out."""
    method: str | None
    why: str | None = None

    @property
    def difference(self) -> float:
        return self.value_a - self.value_b


@dataclass(frozen=True)
class MeasurePlace:
    """One measure among all: its own correlation with people, its letters and the ranks that are left to it."""

    measure: MeasureInfo
    value: float
    """On the topics that people judged, which tests are about."""
    letters: str
    best: int | None
    worst: int | None
    """None without a correlation."""
    all_topics: float = math.nan
    """By its means over all its topics, where such were asked for."""
    why: str | None = None
    """Why it has no correlation."""

    @property
    def ranks(self) -> Cell:
        return self.best if self.best == self.worst else f"{self.best}-{self.worst}"


@dataclass(frozen=True, eq=False)
class MeasureComparison:
    """All pairs of measures against one human measure, at one level, by one coefficient, corrected as one family."""

    human: MeasureInfo
    level: CorrelationLevel
    coefficient: Coefficient
    among: Among
    test: MeasureTest
    swap: Swap
    alpha: float
    correct: Correction
    systems: int
    topics: int
    """That people judged; where all lengths were asked for, topics at a length."""
    distinct: int
    """Topics, whatever the length."""
    pairs: tuple[MeasurePair, ...]
    places: tuple[MeasurePlace, ...]
    """From the highest correlation on."""
    better: BoolArray
    """By place: the first is significantly better than the second."""
    exact: bool
    """Whether all swaps were taken of every pair."""
    some_exact: bool
    resamples: int
    further: bool
    """Whether correlations by means over all topics, judged or not, stand beside those that are tested."""
    signature: str

    @property
    def where(self) -> str:
        """What every sentence is about."""
        return (
            f"with {self.human.words} at the {self.level} level by {coefficient_words(self.coefficient)}, among"
            f" {over_words(self.among)}"
        )

    @property
    def tested_by(self) -> str:
        """The test, in words."""
        if self.test == "williams":
            return "Williams' test"
        swaps = f"{'all or ' if self.some_exact else ''}{self.resamples:,} random"
        return f"permutation test, {'all' if self.exact else swaps} swaps {SWAPPED[self.swap]}"

    def count(self, conclusion: Conclusion) -> int:
        return sum(pair.conclusion == conclusion for pair in self.pairs)

    def notes(self) -> Iterator[Note]:
        """Pairs without a test, cells that do not count, topics without a correlation."""
        whys = Counter(
            pair.why.replace("the first measure", pair.a.words).replace("the second measure", pair.b.words)
            for pair in self.pairs
            if pair.why is not None
        )
        for why, n in whys.items():
            yield Note.of("pairs-not-tested", n=n, where=self.where, why=why)
        for place in self.places:
            if place.why is not None:
                yield Note.of("no-correlation", measure=place.measure.words, where=self.where, why=place.why)
        if self.further:
            yield Note.of("ordered-by-judged-topics", where=self.where)
        value = {place.measure.measure: place.value for place in self.places}
        turned = [
            [pair.a.words, pair.b.words]
            for pair in self.pairs
            if pair.conclusion == "differ"
            and pair.difference * (value[pair.a.measure] - value[pair.b.measure]) < 0
        ]
        if turned:
            yield Note.of("pairs-the-other-way-round", pairs=turned, where=self.where)
        sizes = {pair.cells for pair in self.pairs}
        if len(sizes) > 1:
            yield Note.of("summaries-in-common", least=min(sizes), most=max(sizes), where=self.where)
        if topics := max((max(pair.undefined) for pair in self.pairs), default=0):
            yield Note.of("topics-without-correlation", n=topics, where=self.where)

    @property
    def name(self) -> str:
        return f"{self.human.measure}-{self.level}-{self.coefficient}-{self.among}"

    def places_table(self) -> Table:
        return Table(
            name=f"better-{self.name}",
            columns=(
                Column("measure", right=False),
                Column("value", self._heading(), tiny=False),
                *([Column("all_topics", f"{self._heading()}, all topics", tiny=False)] * self.further),
                Column("letters", "group", right=False, raised=False),
                Column("ranks", right=False, data=False),
                Column("best", show="never"),
                Column("worst", show="never"),
            ),
            rows=tuple(
                (
                    place.measure.heading,
                    place.value,
                    *([place.all_topics] * self.further),
                    place.letters or None,
                    place.ranks,
                    place.best,
                    place.worst,
                )
                for place in self.places
            ),
            title=(
                f"Measures by their correlation {self.where}: those that share a letter do not differ significantly"
                + (" or were not tested" if self._shared_untested() else "")
            ),
        )

    def _shared_untested(self) -> bool:
        """Whether two measures share a letter that were not tested."""
        letters = {place.measure.measure: _letters(place.letters) for place in self.places}
        return any(
            pair.conclusion == "not tested" and letters[pair.a.measure] & letters[pair.b.measure]
            for pair in self.pairs
        )

    def pairs_table(self) -> Table:
        return Table(
            name=f"better-pairs-{self.name}",
            columns=(
                Column("a", "first", right=False),
                Column("b", "second", right=False),
                Column("value_a", f"first: {self._heading()}", tiny=False),
                Column("value_b", f"second: {self._heading()}", tiny=False),
                Column("difference", format="+.3f", tiny=False),
                Column("shown_p", "p", format=".4f", data=False, right=True),
                Column("shown_corrected", "corrected p", format=".4f", data=False, right=True),
                Column("p", show="never"),
                Column("corrected", show="never"),
                Column("conclusion", right=False),
            ),
            rows=tuple(
                (
                    pair.a.heading,
                    pair.b.heading,
                    pair.value_a,
                    pair.value_b,
                    pair.difference,
                    _shown_p(pair.p),
                    _shown_p(pair.corrected),
                    pair.p,
                    pair.corrected,
                    pair.conclusion,
                )
                for pair in self.pairs
            ),
            title=f"Pairs of measures by their correlations {self.where} ({self.tested_by})",
        )

    def _heading(self) -> str:
        return f"{coefficient_words(self.coefficient, short=True)}, {self.level} level"

    def records(self) -> Iterator[dict[str, Any]]:
        """A row per pair."""
        for pair in self.pairs:
            yield {
                "a": pair.a.measure,
                "b": pair.b.measure,
                "human": self.human.measure,
                "level": self.level,
                "coefficient": self.coefficient,
                "among": self.among,
                "test": self.test if self.test == "williams" else f"permutation:{self.swap}",
                "method": pair.method,
                "systems": pair.systems,
                "topics": pair.topics,
                "cells": pair.cells,
                "value_a": pair.value_a,
                "value_b": pair.value_b,
                "difference": pair.difference,
                "p": pair.p,
                "corrected_p": pair.corrected,
                "smallest_p": pair.least,
                "conclusion": pair.conclusion,
                "why": pair.why,
            }


def _shown_p(p: float) -> Cell:
    return f"<{TINY:g}" if p < TINY else p


def _letters(text: str) -> set[str]:
    """Letters stand close, or apart where there are very many."""
    return set(text.split()) if " " in text else set(text)


@dataclass(frozen=True, repr=False, kw_only=True)
class BetterResult(Result):
    """Measures compared with each other: by human measure, level, coefficient and choice of systems."""

    WORDS = "adjudge.analyses.meta.words.better"
    FIGURES: ClassVar[Mapping[str, str]] = {"measure-groups": "adjudge.analyses.meta.figures:measure_groups"}
    FRAME = "better"
    IN_JSON = ("better",)

    comparisons: tuple[MeasureComparison, ...]

    def how(self) -> str:
        return "\n".join(compared.signature for compared in self.comparisons)

    def facts(self) -> dict[str, Any]:
        return {
            "comparisons": [
                {
                    "human": compared.human.measure,
                    "level": compared.level,
                    "coefficient": compared.coefficient,
                    "among": compared.among,
                    "test": compared.test,
                    "swap": compared.swap if compared.test == "permutation" else None,
                    "correct": compared.correct,
                    "alpha": compared.alpha,
                }
                for compared in self.comparisons
            ]
        }

    def notes(self) -> Iterator[Note]:
        for compared in self.comparisons:
            for note in compared.notes():
                yield note.on(f"better-{compared.name}", f"better-pairs-{compared.name}")

    def tables(self) -> Iterator[Table]:
        """For each comparison the measures in order with their groups, then the pairs."""
        for compared in self.comparisons:
            yield replace(compared.places_table(), signature=compared.signature)
            yield replace(compared.pairs_table(), signature=compared.signature)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"better": self._all_pairs}

    def _all_pairs(self) -> Table:
        """A row per pair of measures."""
        rows = [row for compared in self.comparisons for row in compared.records()]
        return Table.of("better", rows, *rows[0])


def better_measures(
    cells: Cells,
    *,
    levels: Sequence[CorrelationLevel] = ("system",),
    coefficients: Sequence[Coefficient] = ("pearson",),
    among: Sequence[Among] = ("all",),
    test: MeasureTest = "permutation",
    swap: Swap = "systems",
    alpha: float = 0.05,
    correct: Correction = "holm",
    resamples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> BetterResult:
    """Every two measures compared, against every human measure, at each of these levels and by each coefficient.

    `test` is a permutation test that swaps the measures over systems, inputs or both, or Williams' test, which the
    input level does not have. Swaps over inputs, or both, speak of these systems alone. Without `resamples` there are
    as many swaps as the correction needs; where there are no more in all, all are taken. p-values are corrected over
    the pairs of one human measure, level and coefficient. A pair counts the summaries that people and both measures
    have; the order is by each measure's own correlation on the topics that people judged.
    """
    from adjudge.stats import checks

    checks.share("alpha", alpha)
    checks.one_of("test", test, ("permutation", "williams"))
    if len(cells.measures) < 2:
        raise DataError(
            f"there is one automatic measure, {cells.measures[0].words}, and none to compare it with"
        )
    asked = [
        (cells.among(which), human, level, coefficient)
        for which in among
        for human in cells.humans
        for level in levels
        for coefficient in coefficients
    ]
    each_of = len(cells.measures) * (len(cells.measures) - 1) // 2
    comparisons = [
        _compared(
            some,
            some.human(human.info.measure),
            level,
            coefficient,
            test=test,
            swap=swap,
            alpha=alpha,
            correct=correct,
            resamples=resamples or swaps_for(each_of, alpha, correct),
            seed=seed,
            progress=lambda done, of, at=at: progress(at * each_of + done, len(asked) * each_of),  # type: ignore[misc]
        )
        for at, (some, human, level, coefficient) in enumerate(asked)
    ]
    return BetterResult(comparisons=tuple(comparisons))


def swaps_for(pairs: int, alpha: float, correct: Correction) -> int:
    """Random swaps that let the smallest p survive the correction of so many pairs, up to MOST_RESAMPLES."""
    burden = 1 if correct == "none" else pairs
    return min(MOST_RESAMPLES, max(RESAMPLES, ceil(PER_PAIR * burden / alpha)))


def _compared(
    cells: Cells,
    human: HumanCells,
    level: CorrelationLevel,
    coefficient: Coefficient,
    *,
    test: MeasureTest,
    swap: Swap,
    alpha: float,
    correct: Correction,
    resamples: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> MeasureComparison:
    import numpy as np

    from adjudge.stats.correlation import correlations
    from adjudge.stats.measure_tests import measure_groups, permutation_measures, williams_measures

    further = cells.all_topics and level == "system"
    over_judged = correlations(cells.automatic, human.values, level=level, coefficient=coefficient)
    over_all = over_judged
    if further:
        over_all = correlations(
            cells.automatic, human.values, level=level, coefficient=coefficient, all_topics=True
        )
    if test == "williams":
        pairs = williams_measures(
            cells.automatic, human.values, level=level, coefficient=coefficient, progress=progress
        )
    else:
        pairs = permutation_measures(
            cells.automatic,
            human.values,
            level=level,
            coefficient=coefficient,
            swap=swap,
            resamples=resamples,
            rng=generator(seed, f"meta/better/{swap}"),
            progress=progress,
        )
    groups = measure_groups(pairs, over_judged.values, alpha=alpha, method=correct)
    order = list(groups.order)
    judged = ~np.isnan(human.values)
    return MeasureComparison(
        human=human.info,
        level=level,
        coefficient=coefficient,
        among=cells.chosen,
        test=test,
        swap=swap,
        alpha=alpha,
        correct=correct,
        systems=int(judged.any(axis=0).sum()),
        topics=int(judged.any(axis=1).sum()),
        distinct=len({cells.row_topics[k] for k in np.flatnonzero(judged.any(axis=1)).tolist()}),
        pairs=tuple(_pairs(cells, pairs, groups)),
        places=tuple(
            MeasurePlace(
                measure=cells.measures[k],
                value=float(over_judged.values[k]),
                letters=groups.letters[k],
                best=rank[0] if (rank := groups.ranks[k]) else None,
                worst=rank[1] if rank else None,
                all_topics=float(over_all.values[k]) if further else math.nan,
                why=over_judged.why[k],
            )
            for k in order
        ),
        better=groups.better[np.ix_(order, order)],
        exact=pairs.exact,
        some_exact=pairs.some_exact,
        resamples=resamples,
        further=further,
        signature=f"better|{human.info.measure}|{pairs.signature}|correct:{correct}"
        + (f"|seed:{seed}" if test == "permutation" and not pairs.exact else "")
        + f"|v:{__version__}",
    )


def _pairs(cells: Cells, pairs: MeasurePairs, groups: MeasureGroups) -> Iterator[MeasurePair]:
    for k in range(len(pairs)):
        yield MeasurePair(
            a=cells.measures[pairs.first[k]],
            b=cells.measures[pairs.second[k]],
            value_a=float(pairs.value_first[k]),
            value_b=float(pairs.value_second[k]),
            p=float(pairs.p[k]),
            corrected=float(groups.adjusted[k]),
            least=float(pairs.least[k]),
            conclusion=(
                "not tested"
                if k in pairs.why
                else "differ"
                if groups.different[k]
                else "not significantly different"
                if groups.reachable[k]
                else "could not have been found"
            ),
            systems=int(pairs.systems[k]),
            topics=int(pairs.topics[k]),
            cells=int(pairs.cells[k]),
            undefined=(int(pairs.undefined_first[k]), int(pairs.undefined_second[k])),
            method=pairs.method[k],
            why=pairs.why.get(k),
        )
