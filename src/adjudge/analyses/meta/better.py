"""Which measure is closer to people? Every two measures compared by their correlations with the same human scores.

By permutation tests that swap the two measures (Deutsch, Dror and Roth 2021), or by Williams' test (Graham and Baldwin
2014), with groups of measures that do not differ significantly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge import __version__
from adjudge.analyses.best import best_words, candidates
from adjudge.analyses.conclusions import Conclusion
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among, MeasureInfo

if TYPE_CHECKING:
    import pandas as pd

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
    def how(self) -> str:
        if self.test == "williams":
            return "Williams' test"
        swaps = f"{'all or ' if self.some_exact else ''}{self.resamples:,} random"
        swaps = "all" if self.exact else swaps
        return f"permutation test, {swaps} swaps {SWAPPED[self.swap]}"

    def count(self, conclusion: Conclusion) -> int:
        return sum(each.conclusion == conclusion for each in self.pairs)

    def headline(self) -> str:
        """How many pairs differ, and which measures may be the best."""
        pairs = len(self.pairs)
        differ, alike = self.count("differ"), self.count("not significantly different")
        lost, untested = self.count("could not have been found"), self.count("not tested")
        corrected = (
            "not corrected" if self.correct == "none" else CORRECTIONS[self.correct].over("these pairs")
        )
        if lost and not differ + alike:
            said = [f"no pair of measures could have been found to differ ({self.how}, {corrected})"]
        else:
            said = [f"{differ:,} of {counted(pairs, 'pair')} of measures differ ({self.how}, {corrected})"]
        if alike:
            said.append(f"{alike:,} {'is' if alike == 1 else 'are'} not significantly different")
        if lost and differ + alike:
            said.append(f"{lost:,} could not have been found")
        if untested:
            names = [
                f"{each.a.words} with {each.b.words}"
                for each in self.pairs
                if each.conclusion == "not tested"
            ]
            said.append(f"{untested:,} could not be tested ({listed(names)})")
        who = "".join(f"; {each}" for each in self._best(bool(differ + alike)))
        return f"In correlation {self.where} ({self.on}), {'; '.join(said)}{who}."

    @property
    def on(self) -> str:
        """`12 systems, 14 topics`."""
        lengths = f" at several lengths, {self.topics:,} in all" if self.distinct < self.topics else ""
        return f"{counted(self.systems, 'system')}, {counted(self.distinct, 'topic')}{lengths}"

    def _best(self, found: bool) -> Iterator[str]:
        """Who may be the best, and of whom that says little, as no difference was within the test's reach."""
        there = [k for k, place in enumerate(self.places) if not math.isnan(place.value)]
        if len(there) < 2:
            return
        if not found:
            yield "which measure is the best is left open"
            return
        names = [self.places[k].measure.words for k in there]
        better = self.better[there][:, there]
        some = f"of the {len(there)} that have a correlation, " if len(there) < len(self.places) else ""
        yield some + best_words(better, names, what="measure")
        within = {
            name
            for each in self.pairs
            if each.conclusion in ("differ", "not significantly different")
            for name in (each.a.measure, each.b.measure)
        }
        few = [
            self.places[there[k]].measure
            for k in candidates(better)
            if self.places[there[k]].measure.measure not in within
        ]
        if few:
            yield f"no difference of {listed([each.words for each in few])} could have been found"

    def sentences(self) -> Iterator[str]:
        yield self.headline()
        if lost := [each for each in self.pairs if each.conclusion == "could not have been found"]:
            least = min(each.least for each in lost)
            yield (
                f"{counted(len(lost), 'pair')} of measures could not have been found to differ in correlation"
                f" {self.where}: before correction the smallest p within reach was {least:.3g} ({self.how}), so that"
                " not to differ says nothing there."
            )
        if self.test == "permutation" and self.swap != "systems":
            yield (
                f"Swaps {SWAPPED[self.swap]} suppose that no measure favours some systems on all topics: differences in"
                f" correlation {self.where} hold for these systems, and may not for others."
            )
        if self.test == "williams" and self.level == "global":
            yield (
                "At the global level Williams' test takes every summary for independent, which those of one topic or"
                " one system are not: its p-values may be too small."
            )
        if self.test == "williams" and self.coefficient != "pearson":
            yield (
                f"Williams' test is made for Pearson's r: with {coefficient_words(self.coefficient)} its p-values are"
                " approximate."
            )

    def notes(self) -> Iterator[str]:
        """Pairs without a test, cells that do not count, topics without a correlation."""
        whys = Counter(
            each.why.replace("the first measure", each.a.words).replace("the second measure", each.b.words)
            for each in self.pairs
            if each.why is not None
        )
        for why, many in whys.items():
            yield f"{counted(many, 'pair')} of measures not tested in correlation {self.where}: {why}"
        for place in self.places:
            if place.why is not None:
                yield f"{place.measure.words}: no correlation {self.where} ({place.why})"
        if self.further:
            yield (
                f"measures stand in the order of their correlations {self.where}, on the topics that people judged, on"
                " which they are tested; their means over all their topics have correlations of their own"
            )
        value = {each.measure.measure: each.value for each in self.places}
        turned = [
            f"{each.a.words} with {each.b.words}"
            for each in self.pairs
            if each.conclusion == "differ"
            and each.difference * (value[each.a.measure] - value[each.b.measure]) < 0
        ]
        if turned:
            yield (
                f"on the summaries that both have, these measures differ the other way round than in the order by their"
                f" correlations {self.where}: {listed(turned)}"
            )
        sizes = {each.cells for each in self.pairs}
        if len(sizes) > 1:
            yield (
                f"pairs of measures have from {min(sizes):,} to {counted(max(sizes), 'summary', 'summaries')} in"
                f" common, for correlations {self.where}; each pair counts those that people and both measures have, so"
                " that a measure's correlation in a pair may differ from its own"
            )
        topics = max((max(each.undefined) for each in self.pairs), default=0)
        if topics:
            yield (
                f"up to {counted(topics, 'topic')} without a correlation (all summaries alike, or fewer than 3)"
                f" {'is' if topics == 1 else 'are'} left out of a pair's mean correlations {self.where}"
            )

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
                    each.measure.heading,
                    each.value,
                    *([each.all_topics] * self.further),
                    each.letters or None,
                    each.ranks,
                    each.best,
                    each.worst,
                )
                for each in self.places
            ),
            title=(
                f"Measures by their correlation {self.where}: those that share a letter do not differ significantly"
                + (" or were not tested" if self._shared_untested() else "")
            ),
            said=tuple(self.sentences()),
            notes=tuple(self.notes()),
            signature=self.signature,
        )

    def _shared_untested(self) -> bool:
        """Whether two measures share a letter that were not tested."""
        letters = {each.measure.measure: _letters(each.letters) for each in self.places}
        return any(
            each.conclusion == "not tested" and letters[each.a.measure] & letters[each.b.measure]
            for each in self.pairs
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
                    each.a.heading,
                    each.b.heading,
                    each.value_a,
                    each.value_b,
                    each.difference,
                    _shown_p(each.p),
                    _shown_p(each.corrected),
                    each.p,
                    each.corrected,
                    each.conclusion,
                )
                for each in self.pairs
            ),
            title=f"Pairs of measures by their correlations {self.where} ({self.how})",
            signature=self.signature,
        )

    def _heading(self) -> str:
        return f"{coefficient_words(self.coefficient, short=True)}, {self.level} level"

    def records(self) -> Iterator[dict[str, Any]]:
        """A row per pair."""
        for each in self.pairs:
            yield {
                "a": each.a.measure,
                "b": each.b.measure,
                "human": self.human.measure,
                "level": self.level,
                "coefficient": self.coefficient,
                "among": self.among,
                "test": self.test if self.test == "williams" else f"permutation:{self.swap}",
                "method": each.method,
                "systems": each.systems,
                "topics": each.topics,
                "cells": each.cells,
                "value_a": each.value_a,
                "value_b": each.value_b,
                "difference": each.difference,
                "p": each.p,
                "corrected_p": each.corrected,
                "smallest_p": each.least,
                "conclusion": each.conclusion,
                "why": each.why,
            }


def _shown_p(p: float) -> Cell:
    return f"<{TINY:g}" if p < TINY else p


def _letters(text: str) -> set[str]:
    """Letters stand close, or apart where there are very many."""
    return set(text.split()) if " " in text else set(text)


@dataclass(frozen=True, repr=False)
class BetterResult(Pictured, Tabular):
    """Measures compared with each other: by human measure, level, coefficient and choice of systems."""

    FIGURES: ClassVar[Mapping[str, str]] = {"measure-groups": "adjudge.analyses.meta.figures:measure_groups"}

    comparisons: tuple[MeasureComparison, ...]

    def headline(self) -> str:
        return self.comparisons[0].headline()

    def sentences(self) -> Iterator[str]:
        for each in self.comparisons:
            yield from each.sentences()

    def table(self) -> Table:
        return self.comparisons[0].places_table()

    def tables(self) -> Tables:
        """For each comparison the measures in order with their groups, then the pairs."""
        return Tables(
            tuple(t for each in self.comparisons for t in (each.places_table(), each.pairs_table()))
        )

    def to_frame(self) -> pd.DataFrame:
        """A row per pair of measures."""
        import pandas as pd

        return pd.DataFrame([row for each in self.comparisons for row in each.records()])

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "comparisons": [
                    {
                        "human": each.human.measure,
                        "level": each.level,
                        "coefficient": each.coefficient,
                        "among": each.among,
                        "test": each.test,
                        "swap": each.swap if each.test == "permutation" else None,
                        "correct": each.correct,
                        "alpha": each.alpha,
                        "measures": [
                            {
                                "measure": place.measure.measure,
                                "value": place.value,
                                **({"all_topics": place.all_topics} if each.further else {}),
                                "letters": place.letters,
                                "best": place.best,
                                "worst": place.worst,
                                "why": place.why,
                            }
                            for place in each.places
                        ],
                        "pairs": list(each.records()),
                        "notes": list(each.notes()),
                        "signature": each.signature,
                    }
                    for each in self.comparisons
                ],
                "sentences": list(self.sentences()),
            }
        )
        return found


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
    found = [
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
    return BetterResult(comparisons=tuple(found))


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
    own = correlations(cells.automatic, human.values, level=level, coefficient=coefficient)
    over_all = own
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
    groups = measure_groups(pairs, own.values, alpha=alpha, method=correct)
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
                value=float(own.values[k]),
                letters=groups.letters[k],
                best=rank[0] if (rank := groups.ranks[k]) else None,
                worst=rank[1] if rank else None,
                all_topics=float(over_all.values[k]) if further else math.nan,
                why=own.why[k],
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
